/* Times that are measured several times over. */
#ifndef TIMING_H
#define TIMING_H

#include <stddef.h>

enum { SAMPLES = 9 };

/* The median of the samples, and the smallest and the largest one. */
struct measured {
    double value;
    double low;
    double high;
};

/* Sorts the samples. */
struct measured summary(double *samples, size_t count);

/* Return the seconds that one of many calls of `work` takes. Each of SAMPLES samples is over as many calls as fill
 * `seconds`. */
struct measured time_of(void (*work)(void *data), void *data, double seconds);

struct measured scaled(struct measured measured, double factor);

/* Allocate, or end all ranks. */
void *allocated(size_t count, size_t size);

#endif
