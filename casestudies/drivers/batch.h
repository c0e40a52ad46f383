/* The configurations that one run measures, read from a CSV table. */
#ifndef BATCH_H
#define BATCH_H

#include <stdbool.h>
#include <stddef.h>

/* The process topology and the grid per process. The order is that of the axes x, y, z. */
enum option { PX, PY, PZ, NX, NY, NZ, OPTIONS };

extern const char *const option_names[OPTIONS];

struct configuration {
    int value[OPTIONS]; /* every option, also those that the table has no column for */
};

struct batch {
    enum option columns[OPTIONS]; /* the options that the table has columns for, in its order */
    int column_count;
    int dimension; /* 1, 2 or 3: as many as there are topology columns */
    size_t count;
    struct configuration *rows;
};

/* What a solver demands of a configuration. */
struct demands {
    int ranks;              /* px * py * pz has to be this */
    int smallest_dimension; /* 1: all dimensions */
};

/* Read the table on the first rank and hand it to all others. `path` is a file, or "-" for standard input.
 * Returns whether the table is right; where it is not, the first rank has said everything that is wrong
 * with it on stderr. To be called by all ranks. */
bool read_batch(const char *path, struct demands demands, struct batch *batch);

void free_batch(struct batch *batch);

#endif
