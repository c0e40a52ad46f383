/* What smg and amg have in common: the command line, the batch, what is timed, and the table that is printed. */
#ifndef MEASURING_H
#define MEASURING_H

#include "batch.h"

#include <stdbool.h>
#include <stdio.h>

struct outcome {
    int iterations;
    double residual; /* the norm of the final residual, relative to that of the right-hand side */
};

/* A solver of hypre's, and the problem it solves. All functions are called by all ranks. */
struct solver {
    const char *name;
    const char *summary; /* one line for --help */
    int smallest_dimension;
    const char *further_columns; /* what `print_further` prints, each with a comma before it */

    void *(*create)(const struct configuration *configuration, int dimension, double tolerance);
    void (*set_up)(void *problem);
    void (*solve)(void *problem);
    struct outcome (*outcome)(void *problem);
    void (*print_further)(void *problem); /* on the first rank's stdout; NULL where there is nothing */
    void (*destroy)(void *problem);

    /* NULL for solvers without levels. `observe` solves and adds what the levels cost to what they have cost so far;
     * `print_levels` writes that for one of so many solves, a row per level, each beginning with `start`, and begins
     * anew. `table` is NULL on all ranks but the first. */
    const char *level_columns;
    void (*observe)(void *problem);
    void (*print_levels)(void *problem, int solves, const char *start, FILE *table);
};

/* The program: returns its exit code. */
int measure(int argc, char **argv, const struct solver *solver);

#endif
