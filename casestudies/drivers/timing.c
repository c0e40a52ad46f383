#include "timing.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *first, const void *second) {
    const double a = *(const double *)first;
    const double b = *(const double *)second;
    return (a > b) - (a < b);
}

struct measured summary(double *samples, size_t count) {
    qsort(samples, count, sizeof *samples, compare);
    const double middle = 0.5 * (samples[(count - 1) / 2] + samples[count / 2]);
    return (struct measured){middle, samples[0], samples[count - 1]};
}

static double seconds_of(void (*work)(void *data), void *data, long calls) {
    const double start = MPI_Wtime();
    for (long i = 0; i < calls; i++) {
        work(data);
    }
    return MPI_Wtime() - start;
}

struct measured time_of(void (*work)(void *data), void *data, double seconds) {
    work(data); /* bring what fits into the caches */
    long calls = 1;
    while (seconds_of(work, data, calls) < seconds) {
        calls *= 2;
    }
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = seconds_of(work, data, calls) / (double)calls;
    }
    return summary(samples, SAMPLES);
}

struct measured scaled(struct measured measured, double factor) {
    return (struct measured){measured.value * factor, measured.low * factor, measured.high * factor};
}

void *allocated(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "benchmark: there is not enough memory for %zu times %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}
