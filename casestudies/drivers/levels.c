/* What is done on a level is seen by taking the place of the functions that hypre's cycle calls for relaxation,
 * matrix-vector products and the coarsest level's solve: the linker's --wrap=F sends calls of F to __wrap_F, which
 * reaches hypre's by __real_F. This needs hypre's static library, since calls inside of the shared one are not
 * resolved by this link. The matrix that a call gets says which level it is about. */
#include "levels.h"

#include "tally.h"

#include <mpi.h>
#include <string.h>

/* hypre makes 25 at most, unless it is told otherwise. */
enum { LEVELS_SEEN = 64 };

enum work { SMOOTHING, RESIDUAL, RESTRICTION, INTERPOLATION, WORKS };

struct spent {
    struct tally cost;
    double calls;
};

static hypre_ParAMGData *watched;
static struct spent spent[LEVELS_SEEN][WORKS];

void watch_levels(hypre_ParAMGData *hierarchy) { watched = hierarchy; }

/* Return the level that has this matrix, -1 if none has. */
static int level_of(hypre_ParCSRMatrix **matrices, int count, const hypre_ParCSRMatrix *matrix) {
    for (int level = 0; level < count && level < LEVELS_SEEN; level++) {
        if (matrices[level] == matrix) {
            return level;
        }
    }
    return -1;
}

static int level_with_matrix(const hypre_ParCSRMatrix *matrix) {
    return watched == NULL ? -1 : level_of(hypre_ParAMGDataAArray(watched), hypre_ParAMGDataNumLevels(watched), matrix);
}

static int level_with_interpolation(const hypre_ParCSRMatrix *matrix) {
    return watched == NULL ? -1
                           : level_of(hypre_ParAMGDataPArray(watched), hypre_ParAMGDataNumLevels(watched) - 1, matrix);
}

static void add(int level, enum work work, struct tally start) {
    struct spent *own = &spent[level][work];
    own->cost = tally_sum(own->cost, tally_difference(tally_now(), start));
    own->calls += 1.0;
}

/* Do hypre's work, and note it if it is about a level. */
#define NOTED(level, work, call)                                                                                       \
    do {                                                                                                               \
        const int at = (level);                                                                                        \
        if (at < 0) {                                                                                                  \
            return (call);                                                                                             \
        }                                                                                                              \
        const struct tally start = tally_now();                                                                        \
        const HYPRE_Int result = (call);                                                                               \
        add(at, (work), start);                                                                                        \
        return result;                                                                                                 \
    } while (0)

/* The linker dictates these names. They are called by hypre only. */
HYPRE_Int __real_hypre_BoomerAMGRelaxIF(hypre_ParCSRMatrix *, hypre_ParVector *, HYPRE_Int *, HYPRE_Int, HYPRE_Int,
                                        HYPRE_Int, HYPRE_Real, HYPRE_Real, HYPRE_Real *, hypre_ParVector *,
                                        hypre_ParVector *, hypre_ParVector *);
HYPRE_Int __wrap_hypre_BoomerAMGRelaxIF(hypre_ParCSRMatrix *, hypre_ParVector *, HYPRE_Int *, HYPRE_Int, HYPRE_Int,
                                        HYPRE_Int, HYPRE_Real, HYPRE_Real, HYPRE_Real *, hypre_ParVector *,
                                        hypre_ParVector *, hypre_ParVector *);
HYPRE_Int __real_hypre_GaussElimSolve(hypre_ParAMGData *, HYPRE_Int, HYPRE_Int);
HYPRE_Int __wrap_hypre_GaussElimSolve(hypre_ParAMGData *, HYPRE_Int, HYPRE_Int);
HYPRE_Int __real_hypre_ParCSRMatrixMatvecOutOfPlace(HYPRE_Complex, hypre_ParCSRMatrix *, hypre_ParVector *,
                                                    HYPRE_Complex, hypre_ParVector *, hypre_ParVector *);
HYPRE_Int __wrap_hypre_ParCSRMatrixMatvecOutOfPlace(HYPRE_Complex, hypre_ParCSRMatrix *, hypre_ParVector *,
                                                    HYPRE_Complex, hypre_ParVector *, hypre_ParVector *);
HYPRE_Int __real_hypre_ParCSRMatrixMatvec(HYPRE_Complex, hypre_ParCSRMatrix *, hypre_ParVector *, HYPRE_Complex,
                                          hypre_ParVector *);
HYPRE_Int __wrap_hypre_ParCSRMatrixMatvec(HYPRE_Complex, hypre_ParCSRMatrix *, hypre_ParVector *, HYPRE_Complex,
                                          hypre_ParVector *);
HYPRE_Int __real_hypre_ParCSRMatrixMatvecT(HYPRE_Complex, hypre_ParCSRMatrix *, hypre_ParVector *, HYPRE_Complex,
                                           hypre_ParVector *);
HYPRE_Int __wrap_hypre_ParCSRMatrixMatvecT(HYPRE_Complex, hypre_ParCSRMatrix *, hypre_ParVector *, HYPRE_Complex,
                                           hypre_ParVector *);

HYPRE_Int __wrap_hypre_BoomerAMGRelaxIF(hypre_ParCSRMatrix *a, hypre_ParVector *f, HYPRE_Int *marker, HYPRE_Int type,
                                        HYPRE_Int order, HYPRE_Int cycle, HYPRE_Real weight, HYPRE_Real omega,
                                        HYPRE_Real *norms, hypre_ParVector *u, hypre_ParVector *v, hypre_ParVector *z) {
    NOTED(level_with_matrix(a), SMOOTHING,
          __real_hypre_BoomerAMGRelaxIF(a, f, marker, type, order, cycle, weight, omega, norms, u, v, z));
}

HYPRE_Int __wrap_hypre_GaussElimSolve(hypre_ParAMGData *hierarchy, HYPRE_Int level, HYPRE_Int type) {
    NOTED(hierarchy == watched && level < LEVELS_SEEN ? level : -1, SMOOTHING,
          __real_hypre_GaussElimSolve(hierarchy, level, type));
}

HYPRE_Int __wrap_hypre_ParCSRMatrixMatvecOutOfPlace(HYPRE_Complex alpha, hypre_ParCSRMatrix *a, hypre_ParVector *x,
                                                    HYPRE_Complex beta, hypre_ParVector *b, hypre_ParVector *y) {
    NOTED(level_with_matrix(a), RESIDUAL, __real_hypre_ParCSRMatrixMatvecOutOfPlace(alpha, a, x, beta, b, y));
}

HYPRE_Int __wrap_hypre_ParCSRMatrixMatvec(HYPRE_Complex alpha, hypre_ParCSRMatrix *a, hypre_ParVector *x,
                                          HYPRE_Complex beta, hypre_ParVector *y) {
    NOTED(level_with_interpolation(a), INTERPOLATION, __real_hypre_ParCSRMatrixMatvec(alpha, a, x, beta, y));
}

/* The transpose of interpolation is restriction: both have one matrix. */
HYPRE_Int __wrap_hypre_ParCSRMatrixMatvecT(HYPRE_Complex alpha, hypre_ParCSRMatrix *a, hypre_ParVector *x,
                                           HYPRE_Complex beta, hypre_ParVector *y) {
    NOTED(level_with_interpolation(a), RESTRICTION, __real_hypre_ParCSRMatrixMatvecT(alpha, a, x, beta, y));
}

static double global_sum(double own) {
    double sum = 0.0;
    PMPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static double global_maximum(double own) {
    double maximum = 0.0;
    PMPI_Allreduce(&own, &maximum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return maximum;
}

static double non_zeros(hypre_ParCSRMatrix *matrix) {
    return global_sum((double)hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixDiag(matrix)) +
                      (double)hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixOffd(matrix)));
}

double level_non_zeros(hypre_ParAMGData *hierarchy, int level) {
    return non_zeros(hypre_ParAMGDataAArray(hierarchy)[level]);
}

/* What the rank that sends most sends for one product with a matrix. */
struct traffic {
    double messages;
    double elements;
};

static struct traffic traffic_of(hypre_ParCSRMatrix *matrix) {
    const hypre_ParCSRCommPkg *package = hypre_ParCSRMatrixCommPkg(matrix);
    double messages = 0.0;
    double elements = 0.0;
    if (package != NULL) { /* as on one rank, and for matrices that nothing was multiplied with */
        const HYPRE_Int sends = hypre_ParCSRCommPkgNumSends(package);
        messages = (double)sends;
        elements = sends > 0 ? (double)hypre_ParCSRCommPkgSendMapStart(package, sends) : 0.0;
    }
    return (struct traffic){global_maximum(messages), global_maximum(elements)};
}

static void print_work(const struct spent *own, int solves, FILE *table) {
    const struct tally cost = tally_maximum(own->cost);
    if (table != NULL) {
        fprintf(table, ",%.9f,%.9f,%.17g,%.17g,%.17g", cost.wall / solves, cost.compute / solves,
                cost.messages / solves, cost.bytes / solves, own->calls / solves);
    }
}

void print_levels(hypre_ParAMGData *hierarchy, int iterations, int solves, const char *start, FILE *table) {
    int ranks = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int levels = hypre_ParAMGDataNumLevels(hierarchy);
    for (int level = 0; level < levels && level < LEVELS_SEEN; level++) {
        hypre_ParCSRMatrix *a = hypre_ParAMGDataAArray(hierarchy)[level];
        const double unknowns = (double)hypre_ParCSRMatrixGlobalNumRows(a);
        const double own = non_zeros(a);
        const struct traffic smoothing = traffic_of(a);
        double interpolating = 0.0;
        struct traffic interpolation = {0};
        if (level < levels - 1) { /* there is nothing to interpolate from below the coarsest level */
            hypre_ParCSRMatrix *p = hypre_ParAMGDataPArray(hierarchy)[level];
            interpolating = non_zeros(p);
            interpolation = traffic_of(p);
        }
        if (table != NULL) {
            fprintf(table, "%s%d,%d,%d,%d,%.0f,%.0f,%.6f,%.0f,%.6f,%.0f,%.0f,%.0f,%.0f", start, level, levels,
                    iterations, ranks, unknowns, own, own / unknowns, interpolating, interpolating / unknowns,
                    smoothing.messages, smoothing.elements, interpolation.messages, interpolation.elements);
        }
        for (int work = 0; work < WORKS; work++) {
            print_work(&spent[level][work], solves, table);
        }
        if (table != NULL) {
            fputc('\n', table);
        }
    }
    memset(spent, 0, sizeof spent);
}
