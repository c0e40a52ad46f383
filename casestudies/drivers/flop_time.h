/* The time that a floating-point operation takes, which depends on what it is part of. `seconds`: how long each
 * sample lasts, at least. */
#ifndef FLOP_TIME_H
#define FLOP_TIME_H

#include "timing.h"

/* Seconds per operation of a dense matrix product (2 n^3 operations): the fastest there is, as LINPACK measures it. */
struct measured dense_flop_time(int n, double seconds);

/* Seconds per operation of the product of a sparse matrix and a vector (2 operations per non-zero): the seven-point
 * Laplacian of a cube of so many cells an edge, in compressed rows. */
struct measured sparse_flop_time(int edge, double seconds);

/* Bytes that this product touches. */
double sparse_bytes(int edge);

/* The edge of the cube whose product touches about so many bytes. */
int edge_for_bytes(double bytes);

#endif
