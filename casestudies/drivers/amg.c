/* BoomerAMG, hypre's algebraic multigrid solver, on the seven-point Laplacian of a box with u = 0 on the boundary.
 * Each rank owns the rows of one part of the grid. */
#include "levels.h"
#include "measuring.h"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdlib.h>

/* Choices among hypre's algorithms, by hypre's numbers. */
enum {
    COARSENING_HMIS = 10,
    INTERPOLATION_EXTENDED_I = 6,
    INTERPOLATION_NON_ZEROS = 4, /* per row, at most */
    RELAXATION_HYBRID_GAUSS_SEIDEL = 3,
    RELAXATION_GAUSS_ELIMINATION = 9,
    SWEEPS = 1,
    ITERATIONS_AT_MOST = 100,
    ON_THE_WAY_DOWN = 1,
    ON_THE_WAY_UP = 2,
    ON_THE_COARSEST_LEVEL = 3,
    NEIGHBOURS = 6,
};

static const double STRONG_THRESHOLD = 0.25;

struct problem {
    HYPRE_IJMatrix matrix;
    HYPRE_IJVector right_hand_side;
    HYPRE_IJVector solution;
    HYPRE_ParCSRMatrix a;
    HYPRE_ParVector b;
    HYPRE_ParVector x;
    HYPRE_Solver solver;
};

struct part {
    int ranks[3];
    int cells[3];
    int place[3];      /* of this rank in the topology */
    HYPRE_BigInt size; /* cells per rank */
    HYPRE_BigInt first;
};

static int rank_at(const struct part *part, const int place[3]) {
    return place[0] + part->ranks[0] * (place[1] + part->ranks[1] * place[2]);
}

static struct part own_part(const struct configuration *configuration) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct part part = {.size = 1};
    int rest = rank;
    for (int axis = 0; axis < 3; axis++) {
        part.ranks[axis] = configuration->value[PX + axis];
        part.cells[axis] = configuration->value[NX + axis];
        part.place[axis] = rest % part.ranks[axis];
        part.size *= part.cells[axis];
        rest /= part.ranks[axis];
    }
    part.first = rank * part.size;
    return part;
}

/* Return the row of the cell one step along an axis from a cell of this rank, -1 beyond the boundary. Rows are
 * numbered rank by rank, and x first within a rank. */
static HYPRE_BigInt neighbour(const struct part *part, const int cell[3], int axis, int step) {
    int place[3] = {part->place[0], part->place[1], part->place[2]};
    int there[3] = {cell[0], cell[1], cell[2]};
    there[axis] += step;
    if (there[axis] < 0 || there[axis] >= part->cells[axis]) {
        place[axis] += step;
        if (place[axis] < 0 || place[axis] >= part->ranks[axis]) {
            return -1;
        }
        there[axis] = step < 0 ? part->cells[axis] - 1 : 0;
    }
    const HYPRE_BigInt within = there[0] + part->cells[0] * (there[1] + (HYPRE_BigInt)part->cells[1] * there[2]);
    return rank_at(part, place) * part->size + within;
}

static void set_row(HYPRE_IJMatrix matrix, const struct part *part, const int cell[3], HYPRE_BigInt row) {
    HYPRE_BigInt columns[1 + NEIGHBOURS] = {row};
    double values[1 + NEIGHBOURS] = {NEIGHBOURS};
    HYPRE_Int count = 1;
    for (int k = 0; k < NEIGHBOURS; k++) {
        /* -z, -y, -x, +x, +y, +z: ascending rows, as far as they are on this rank. */
        const int axis = k < 3 ? 2 - k : k - 3;
        const HYPRE_BigInt column = neighbour(part, cell, axis, k < 3 ? -1 : 1);
        if (column >= 0) {
            columns[count] = column;
            values[count++] = -1.0;
        }
    }
    HYPRE_IJMatrixSetValues(matrix, 1, &count, &row, columns, values);
}

static void make_matrix(struct problem *problem, const struct part *part) {
    const HYPRE_BigInt last = part->first + part->size - 1;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, part->first, last, part->first, last, &problem->matrix);
    HYPRE_IJMatrixSetObjectType(problem->matrix, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(problem->matrix);
    HYPRE_BigInt row = part->first;
    for (int z = 0; z < part->cells[2]; z++) {
        for (int y = 0; y < part->cells[1]; y++) {
            for (int x = 0; x < part->cells[0]; x++) {
                set_row(problem->matrix, part, (const int[]){x, y, z}, row++);
            }
        }
    }
    HYPRE_IJMatrixAssemble(problem->matrix);
    void *object = NULL;
    HYPRE_IJMatrixGetObject(problem->matrix, &object);
    problem->a = object;
}

static HYPRE_ParVector make_vector(const struct part *part, double value, HYPRE_IJVector *vector) {
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, part->first, part->first + part->size - 1, vector);
    HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*vector);
    HYPRE_IJVectorAssemble(*vector);
    void *object = NULL;
    HYPRE_IJVectorGetObject(*vector, &object);
    HYPRE_ParVectorSetConstantValues(object, value);
    return object;
}

static void *create(const struct configuration *configuration, int dimension, double tolerance) {
    (void)dimension; /* always three */
    struct problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const struct part part = own_part(configuration);
    make_matrix(problem, &part);
    problem->b = make_vector(&part, 1.0, &problem->right_hand_side);
    problem->x = make_vector(&part, 0.0, &problem->solution);

    HYPRE_BoomerAMGCreate(&problem->solver);
    HYPRE_BoomerAMGSetCoarsenType(problem->solver, COARSENING_HMIS);
    HYPRE_BoomerAMGSetInterpType(problem->solver, INTERPOLATION_EXTENDED_I);
    HYPRE_BoomerAMGSetPMaxElmts(problem->solver, INTERPOLATION_NON_ZEROS);
    HYPRE_BoomerAMGSetStrongThreshold(problem->solver, STRONG_THRESHOLD);
    HYPRE_BoomerAMGSetRelaxType(problem->solver, RELAXATION_HYBRID_GAUSS_SEIDEL);
    HYPRE_BoomerAMGSetRelaxOrder(problem->solver, 0);
    HYPRE_BoomerAMGSetCycleNumSweeps(problem->solver, SWEEPS, ON_THE_WAY_DOWN);
    HYPRE_BoomerAMGSetCycleNumSweeps(problem->solver, SWEEPS, ON_THE_WAY_UP);
    HYPRE_BoomerAMGSetCycleRelaxType(problem->solver, RELAXATION_GAUSS_ELIMINATION, ON_THE_COARSEST_LEVEL);
    HYPRE_BoomerAMGSetMaxIter(problem->solver, ITERATIONS_AT_MOST);
    HYPRE_BoomerAMGSetTol(problem->solver, tolerance);
    return problem;
}

static void set_up(void *data) {
    struct problem *problem = data;
    HYPRE_BoomerAMGSetup(problem->solver, problem->a, problem->b, problem->x);
}

static void solve(void *data) {
    struct problem *problem = data;
    HYPRE_BoomerAMGSolve(problem->solver, problem->a, problem->b, problem->x);
}

static struct outcome outcome(void *data) {
    const struct problem *problem = data;
    HYPRE_Int iterations = 0;
    HYPRE_Real residual = 0.0;
    HYPRE_BoomerAMGGetNumIterations(problem->solver, &iterations);
    HYPRE_BoomerAMGGetFinalRelativeResidualNorm(problem->solver, &residual);
    return (struct outcome){.iterations = iterations, .residual = residual};
}

static hypre_ParAMGData *hierarchy(const struct problem *problem) { return (hypre_ParAMGData *)problem->solver; }

static void print_further(void *data) {
    const struct problem *problem = data;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int levels = hypre_ParAMGDataNumLevels(hierarchy(problem));
    double non_zeros = 0.0;
    double finest = 0.0;
    for (int level = 0; level < levels; level++) {
        const double own = level_non_zeros(hierarchy(problem), level);
        finest = level == 0 ? own : finest;
        non_zeros += own;
    }
    if (rank == 0) {
        printf(",%d,%.4f", levels, non_zeros / finest);
    }
}

static void observe(void *data) {
    struct problem *problem = data;
    watch_levels(hierarchy(problem));
    solve(problem);
    watch_levels(NULL);
}

static void print_level_rows(void *data, int solves, const char *start, FILE *table) {
    const struct problem *problem = data;
    print_levels(hierarchy(problem), outcome(data).iterations, solves, start, table);
}

static void destroy(void *data) {
    struct problem *problem = data;
    HYPRE_BoomerAMGDestroy(problem->solver);
    HYPRE_IJVectorDestroy(problem->solution);
    HYPRE_IJVectorDestroy(problem->right_hand_side);
    HYPRE_IJMatrixDestroy(problem->matrix);
    free(problem);
}

int main(int argc, char **argv) {
    static const struct solver amg = {
        .name = "amg",
        .summary = "Measures hypre's BoomerAMG on the seven-point Laplacian in three dimensions.",
        .smallest_dimension = 3,
        .further_columns = ",levels,operator_complexity",
        .create = create,
        .set_up = set_up,
        .solve = solve,
        .outcome = outcome,
        .print_further = print_further,
        .destroy = destroy,
        .level_columns = LEVEL_COLUMNS,
        .observe = observe,
        .print_levels = print_level_rows,
    };
    return measure(argc, argv, &amg);
}
