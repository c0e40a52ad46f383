/* SMG, hypre's semicoarsening multigrid solver, on the problem of the SMG2000 benchmark: -u_xx - u_yy - u_zz = 1 with
 * u = 0 on the boundary, by finite differences on a box with mesh width 1. Each rank owns one part of the grid. */
#include "measuring.h"

#include <HYPRE_struct_ls.h>
#include <mpi.h>
#include <stdlib.h>

enum { ITERATIONS_AT_MOST = 50, SWEEPS = 1 };

struct problem {
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix matrix;
    HYPRE_StructVector right_hand_side;
    HYPRE_StructVector solution;
    HYPRE_StructSolver solver;
};

/* The part of the grid that this rank owns. */
struct part {
    int dimension;
    HYPRE_Int low[3];
    HYPRE_Int high[3];
};

static struct part own_part(const struct configuration *configuration, int dimension) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct part part = {.dimension = dimension};
    for (int axis = 0; axis < 3; axis++) {
        const int ranks = configuration->value[PX + axis];
        const int cells = configuration->value[NX + axis];
        part.low[axis] = rank % ranks * cells;
        part.high[axis] = part.low[axis] + cells - 1;
        rank /= ranks;
    }
    return part;
}

static int cells_of(const HYPRE_Int low[3], const HYPRE_Int high[3], int dimension) {
    int cells = 1;
    for (int axis = 0; axis < dimension; axis++) {
        cells *= high[axis] - low[axis] + 1;
    }
    return cells;
}

static void make_grid(struct problem *problem, struct part *part) {
    HYPRE_StructGridCreate(MPI_COMM_WORLD, part->dimension, &problem->grid);
    HYPRE_StructGridSetExtents(problem->grid, part->low, part->high);
    HYPRE_StructGridAssemble(problem->grid);
}

/* The matrix is symmetric, so only the diagonal and the lower neighbours are stored. */
static void make_stencil(struct problem *problem, int dimension) {
    HYPRE_StructStencilCreate(dimension, dimension + 1, &problem->stencil);
    for (int entry = 0; entry <= dimension; entry++) {
        HYPRE_Int offset[3] = {0, 0, 0};
        if (entry > 0) {
            offset[entry - 1] = -1;
        }
        HYPRE_StructStencilSetElement(problem->stencil, entry, offset);
    }
}

static double *constant(int length, double value) {
    double *values = malloc((size_t)length * sizeof *values);
    if (values == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < length; i++) {
        values[i] = value;
    }
    return values;
}

static void make_matrix(struct problem *problem, struct part *part) {
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, problem->grid, problem->stencil, &problem->matrix);
    HYPRE_StructMatrixSetSymmetric(problem->matrix, 1);
    HYPRE_StructMatrixInitialize(problem->matrix);
    const int cells = cells_of(part->low, part->high, part->dimension);
    for (HYPRE_Int entry = 0; entry <= part->dimension; entry++) {
        double *values = constant(cells, entry == 0 ? 2.0 * part->dimension : -1.0);
        HYPRE_StructMatrixSetBoxValues(problem->matrix, part->low, part->high, 1, &entry, values);
        free(values);
    }
    /* The neighbour of a cell at the lower boundary is the boundary, where u = 0: its coefficient goes. */
    for (HYPRE_Int entry = 1; entry <= part->dimension; entry++) {
        const int axis = entry - 1;
        if (part->low[axis] == 0) {
            HYPRE_Int high[3] = {part->high[0], part->high[1], part->high[2]};
            high[axis] = 0;
            double *zeros = constant(cells_of(part->low, high, part->dimension), 0.0);
            HYPRE_StructMatrixSetBoxValues(problem->matrix, part->low, high, 1, &entry, zeros);
            free(zeros);
        }
    }
    HYPRE_StructMatrixAssemble(problem->matrix);
}

static void make_vector(struct problem *problem, double value, HYPRE_StructVector *vector) {
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, problem->grid, vector);
    HYPRE_StructVectorInitialize(*vector);
    HYPRE_StructVectorSetConstantValues(*vector, value);
    HYPRE_StructVectorAssemble(*vector);
}

static void *create(const struct configuration *configuration, int dimension, double tolerance) {
    struct problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    /* SMG's set-up does not work on one-dimensional grids, so one dimension is a plane that is one cell wide, with
     * u = 0 on both long sides, too: 4 on the diagonal. SMG is then cyclic reduction along the line, which solves it
     * in one iteration. The same work with 2 on the diagonal would leave a residual that grows with the condition. */
    struct part part = own_part(configuration, dimension > 1 ? dimension : 2);
    make_grid(problem, &part);
    make_stencil(problem, part.dimension);
    make_matrix(problem, &part);
    make_vector(problem, 1.0, &problem->right_hand_side);
    make_vector(problem, 0.0, &problem->solution);

    HYPRE_StructSMGCreate(MPI_COMM_WORLD, &problem->solver);
    HYPRE_StructSMGSetMemoryUse(problem->solver, 0);
    HYPRE_StructSMGSetMaxIter(problem->solver, ITERATIONS_AT_MOST);
    HYPRE_StructSMGSetTol(problem->solver, tolerance);
    HYPRE_StructSMGSetRelChange(problem->solver, 0);
    HYPRE_StructSMGSetNumPreRelax(problem->solver, SWEEPS);
    HYPRE_StructSMGSetNumPostRelax(problem->solver, SWEEPS);
    HYPRE_StructSMGSetLogging(problem->solver, 1); /* or the residual is not kept */
    return problem;
}

static void set_up(void *data) {
    struct problem *problem = data;
    HYPRE_StructSMGSetup(problem->solver, problem->matrix, problem->right_hand_side, problem->solution);
}

static void solve(void *data) {
    struct problem *problem = data;
    HYPRE_StructSMGSolve(problem->solver, problem->matrix, problem->right_hand_side, problem->solution);
}

static struct outcome outcome(void *data) {
    const struct problem *problem = data;
    HYPRE_Int iterations = 0;
    HYPRE_Real residual = 0.0;
    HYPRE_StructSMGGetNumIterations(problem->solver, &iterations);
    HYPRE_StructSMGGetFinalRelativeResidualNorm(problem->solver, &residual);
    return (struct outcome){.iterations = iterations, .residual = residual};
}

static void destroy(void *data) {
    struct problem *problem = data;
    HYPRE_StructSMGDestroy(problem->solver);
    HYPRE_StructVectorDestroy(problem->solution);
    HYPRE_StructVectorDestroy(problem->right_hand_side);
    HYPRE_StructMatrixDestroy(problem->matrix);
    HYPRE_StructStencilDestroy(problem->stencil);
    HYPRE_StructGridDestroy(problem->grid);
    free(problem);
}

int main(int argc, char **argv) {
    static const struct solver smg = {
        .name = "smg",
        .summary = "Measures hypre's SMG on the problem of SMG2000, in one, two or three dimensions.",
        .smallest_dimension = 1,
        .further_columns = "",
        .create = create,
        .set_up = set_up,
        .solve = solve,
        .outcome = outcome,
        .destroy = destroy,
    };
    return measure(argc, argv, &smg);
}
