#include "flop_time.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

struct product {
    int n;
    double *a;
    double *b;
    double *c;
};

static void multiply(void *data) {
    const struct product *it = data;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, it->n, it->n, it->n, 1.0, it->a, it->n, it->b, it->n, 0.0,
                it->c, it->n);
}

struct measured dense_flop_time(int n, double seconds) {
    openblas_set_num_threads(1); /* a rank computes on one core */
    const size_t size = (size_t)n * (size_t)n;
    struct product product = {n, allocated(size, sizeof(double)), allocated(size, sizeof(double)),
                              allocated(size, sizeof(double))};
    for (size_t i = 0; i < size; i++) {
        product.a[i] = 1.0 / (double)(i + 1);
        product.b[i] = (double)(i % 17) - 8.0;
    }
    const struct measured time = time_of(multiply, &product, seconds);
    free(product.a);
    free(product.b);
    free(product.c);
    return scaled(time, 1.0 / (2.0 * pow(n, 3.0)));
}

/* A matrix in compressed rows: the non-zeros of row i are those from starts[i] to before starts[i + 1]. */
struct sparse {
    int rows;
    int *starts;
    int *columns;
    double *values;
    double *x;
    double *y;
};

static const int NON_ZEROS_PER_ROW = 7;

static struct sparse laplacian(int edge) {
    const int rows = edge * edge * edge;
    const size_t most = (size_t)rows * (size_t)NON_ZEROS_PER_ROW;
    struct sparse it = {rows,
                        allocated((size_t)rows + 1, sizeof(int)),
                        allocated(most, sizeof(int)),
                        allocated(most, sizeof(double)),
                        allocated((size_t)rows, sizeof(double)),
                        allocated((size_t)rows, sizeof(double))};
    const int strides[3] = {1, edge, edge * edge};
    int count = 0;
    for (int row = 0; row < rows; row++) {
        it.x[row] = 1.0 / (row + 1);
        it.columns[count] = row;
        it.values[count++] = 6.0;
        for (int axis = 0; axis < 3; axis++) {
            const int place = row / strides[axis] % edge;
            for (int step = -1; step <= 1; step += 2) {
                if (place + step >= 0 && place + step < edge) {
                    it.columns[count] = row + step * strides[axis];
                    it.values[count++] = -1.0;
                }
            }
        }
        it.starts[row + 1] = count;
    }
    return it;
}

static void apply(void *data) {
    const struct sparse *it = data;
    for (int row = 0; row < it->rows; row++) {
        double sum = 0.0;
        for (int k = it->starts[row]; k < it->starts[row + 1]; k++) {
            sum += it->values[k] * it->x[it->columns[k]];
        }
        it->y[row] = sum;
    }
}

struct measured sparse_flop_time(int edge, double seconds) {
    struct sparse matrix = laplacian(edge);
    const double operations = 2.0 * matrix.starts[matrix.rows];
    const struct measured time = time_of(apply, &matrix, seconds);
    free(matrix.starts);
    free(matrix.columns);
    free(matrix.values);
    free(matrix.x);
    free(matrix.y);
    return scaled(time, 1.0 / operations);
}

/* A value and its column per non-zero, and a start, a cell of x and one of y per row. */
static double bytes_per_row(void) {
    return NON_ZEROS_PER_ROW * (double)(sizeof(double) + sizeof(int)) + (double)sizeof(int) +
           2.0 * (double)sizeof(double);
}

double sparse_bytes(int edge) { return pow(edge, 3.0) * bytes_per_row(); }

int edge_for_bytes(double bytes) { return (int)fmax(2.0, cbrt(bytes / bytes_per_row())); }
