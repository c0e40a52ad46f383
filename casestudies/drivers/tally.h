/* What this rank has spent and sent so far; the difference of two readings is what lies between them. */
#ifndef TALLY_H
#define TALLY_H

struct tally {
    double wall;     /* seconds */
    double cpu;      /* CPU seconds of this rank's thread, those of spinning inside MPI calls included */
    double compute;  /* CPU seconds outside of MPI calls that wait for others */
    double messages; /* point-to-point messages sent; whole numbers, exact up to 2^53 */
    double bytes;    /* bytes in them */
};

struct tally tally_now(void);
struct tally tally_difference(struct tally later, struct tally earlier);
struct tally tally_sum(struct tally first, struct tally second);

/* Replace each number by its maximum, or its sum, over all ranks. To be called by all ranks. */
struct tally tally_maximum(struct tally own);
struct tally tally_total(struct tally own);

#endif
