/* BoomerAMG, alone or as preconditioner of the conjugate gradient method, with the options of hypre that its users set,
 * on -u_xx - u_yy - a u_zz = 1 with u = 0 on the boundary. One process solves one configuration, given as NAME=VALUE. */
#include <strings.h> /* hypre's header calls ffs without it */

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, NOT_CONVERGED = 1, WRONG_INPUT = 2 };
enum { ITERATIONS_AT_MOST = 100, CHOICES_AT_MOST = 6, NEIGHBOURS = 6, CHEBYSHEV_ORDER = 2 };
enum { ON_THE_WAY_DOWN = 1, ON_THE_WAY_UP = 2, ON_THE_COARSEST_LEVEL = 3 };
/* Choices among hypre's algorithms, by hypre's numbers. */
enum { JACOBI = 0, FORWARD = 3, BACKWARD = 4, SYMMETRIC = 6, L1_SYMMETRIC = 8, CHEBYSHEV = 16, ELIMINATION = 9 };

static const double TOLERANCE = 1e-8;

/* A word that an option may have as its value, and what hypre has for it. */
struct choice {
    const char *word;
    int number;
};

struct option {
    const char *name;
    double value; /* at first the default */
    double low, high;
    struct choice choices[CHOICES_AT_MOST]; /* none: a number */
};

enum {
    PCG, COARSENING, INTERPOLATION, PMAX, TRUNCATION, THRESHOLD, ROW_SUM, AGGRESSIVE, SMOOTHER, WEIGHT, ORDER, DOWN, UP,
    CYCLE, NX, NY, NZ, ANISOTROPY, OPTIONS
};

/* Defaults are those of hypre, with a smoother that suits both solvers. */
static struct option options[OPTIONS] = {
    [PCG] = {"pcg", 0, 0, 1, {{NULL, 0}}},
    [COARSENING] = {"coarsening", 10, 0, 0, {{"cljp", 0}, {"ruge", 3}, {"falgout", 6}, {"pmis", 8}, {"hmis", 10}}},
    [INTERPOLATION] = {"interpolation", 6, 0, 0,
                       {{"classical", 0}, {"direct", 3}, {"multipass", 4}, {"extended", 6}, {"standard", 8}}},
    [PMAX] = {"pmax", 4, 0, 100, {{NULL, 0}}},           /* non-zeros a row of the interpolation at most; 0: any */
    [TRUNCATION] = {"truncation", 0, 0, 0.99, {{NULL, 0}}}, /* entries below this share of the largest are dropped */
    [THRESHOLD] = {"threshold", 0.25, 0, 0.99, {{NULL, 0}}},
    [ROW_SUM] = {"row_sum", 0.9, 0, 1, {{NULL, 0}}},
    [AGGRESSIVE] = {"aggressive", 0, 0, 10, {{NULL, 0}}}, /* levels of aggressive coarsening */
    [SMOOTHER] = {"smoother", L1_SYMMETRIC, 0, 0,
                  {{"jacobi", JACOBI}, {"gauss_seidel", FORWARD}, {"symmetric", SYMMETRIC}, {"l1", L1_SYMMETRIC},
                   {"chebyshev", CHEBYSHEV}}},
    [WEIGHT] = {"weight", 1, 0, 2, {{NULL, 0}}}, /* of relaxation */
    [ORDER] = {"order", 0, 0, 1, {{NULL, 0}}},   /* 1: coarse points are relaxed before fine ones */
    [DOWN] = {"down", 1, 0, 10, {{NULL, 0}}},
    [UP] = {"up", 1, 0, 10, {{NULL, 0}}},
    [CYCLE] = {"cycle", 1, 0, 0, {{"v", 1}, {"w", 2}}},
    [NX] = {"nx", 16, 1, 1000, {{NULL, 0}}},
    [NY] = {"ny", 16, 1, 1000, {{NULL, 0}}},
    [NZ] = {"nz", 16, 1, 1000, {{NULL, 0}}},
    [ANISOTROPY] = {"anisotropy", 1, 1e-9, 1e9, {{NULL, 0}}}, /* a */
};

static int whole(int option) { return (int)options[option].value; }

/* Read the value of an option; return false, and say why, if it is none. */
static bool read_value(struct option *option, const char *text) {
    for (int at = 0; at < CHOICES_AT_MOST && option->choices[at].word != NULL; at++) {
        if (strcmp(text, option->choices[at].word) == 0) {
            option->value = option->choices[at].number;
            return true;
        }
    }
    char *end = NULL;
    const double value = strtod(text, &end);
    if (option->choices[0].word == NULL && end != text && *end == '\0' && value >= option->low && value <= option->high) {
        option->value = value;
        return true;
    }
    fprintf(stderr, "amg_options: '%s' is no value of %s; its values are ", text, option->name);
    if (option->choices[0].word == NULL) {
        fprintf(stderr, "numbers from %g to %g\n", option->low, option->high);
        return false;
    }
    for (int at = 0; at < CHOICES_AT_MOST && option->choices[at].word != NULL; at++) {
        fprintf(stderr, "%s%s", at == 0 ? "" : ", ", option->choices[at].word);
    }
    fputc('\n', stderr);
    return false;
}

/* Read the configuration; return false if something is wrong with it, when everything that is has been said. */
static bool read_configuration(int count, char **texts) {
    bool right = true;
    for (int at = 0; at < count; at++) {
        const char *equals = strchr(texts[at], '=');
        const size_t length = equals == NULL ? strlen(texts[at]) : (size_t)(equals - texts[at]);
        struct option *found = NULL;
        for (int option = 0; option < OPTIONS; option++) {
            if (strlen(options[option].name) == length && strncmp(options[option].name, texts[at], length) == 0) {
                found = &options[option];
            }
        }
        if (found == NULL || equals == NULL) {
            fprintf(stderr, "amg_options: '%s' is not NAME=VALUE of an option; options are", texts[at]);
            for (int option = 0; option < OPTIONS; option++) {
                fprintf(stderr, " %s", options[option].name);
            }
            fputc('\n', stderr);
            right = false;
        } else {
            right = read_value(found, equals + 1) && right;
        }
    }
    return right;
}

struct problem {
    HYPRE_IJMatrix matrix;
    HYPRE_IJVector right_hand_side, solution;
    HYPRE_ParCSRMatrix a;
    HYPRE_ParVector b, x;
};

static void make_matrix(struct problem *problem) {
    const int cells[3] = {whole(NX), whole(NY), whole(NZ)};
    const double along[3] = {1, 1, options[ANISOTROPY].value};
    const HYPRE_BigInt steps[3] = {1, cells[0], (HYPRE_BigInt)cells[0] * cells[1]};
    const HYPRE_BigInt size = steps[2] * cells[2];
    HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, size - 1, 0, size - 1, &problem->matrix);
    HYPRE_IJMatrixSetObjectType(problem->matrix, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(problem->matrix);
    for (HYPRE_BigInt row = 0; row < size; row++) {
        HYPRE_BigInt columns[1 + NEIGHBOURS] = {row};
        double values[1 + NEIGHBOURS] = {2 * (along[0] + along[1] + along[2])};
        HYPRE_Int count = 1;
        for (int axis = 0; axis < 3; axis++) {
            const HYPRE_BigInt place = row / steps[axis] % cells[axis];
            for (int side = 0; side < 2; side++) {
                if (side == 0 ? place > 0 : place < cells[axis] - 1) {
                    columns[count] = side == 0 ? row - steps[axis] : row + steps[axis];
                    values[count++] = -along[axis];
                }
            }
        }
        HYPRE_IJMatrixSetValues(problem->matrix, 1, &count, &row, columns, values);
    }
    HYPRE_IJMatrixAssemble(problem->matrix);
    void *object = NULL;
    HYPRE_IJMatrixGetObject(problem->matrix, &object);
    problem->a = object;
}

static HYPRE_ParVector make_vector(double value, HYPRE_IJVector *vector) {
    const HYPRE_BigInt size = (HYPRE_BigInt)whole(NX) * whole(NY) * whole(NZ);
    HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, size - 1, vector);
    HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*vector);
    HYPRE_IJVectorAssemble(*vector);
    void *object = NULL;
    HYPRE_IJVectorGetObject(*vector, &object);
    HYPRE_ParVectorSetConstantValues(object, value);
    return object;
}

static HYPRE_Solver make_multigrid(void) {
    HYPRE_Solver solver = NULL;
    HYPRE_BoomerAMGCreate(&solver);
    HYPRE_BoomerAMGSetCoarsenType(solver, whole(COARSENING));
    HYPRE_BoomerAMGSetInterpType(solver, whole(INTERPOLATION));
    HYPRE_BoomerAMGSetPMaxElmts(solver, whole(PMAX));
    HYPRE_BoomerAMGSetTruncFactor(solver, options[TRUNCATION].value);
    HYPRE_BoomerAMGSetStrongThreshold(solver, options[THRESHOLD].value);
    HYPRE_BoomerAMGSetMaxRowSum(solver, options[ROW_SUM].value);
    HYPRE_BoomerAMGSetAggNumLevels(solver, whole(AGGRESSIVE));
    HYPRE_BoomerAMGSetRelaxWt(solver, options[WEIGHT].value);
    HYPRE_BoomerAMGSetRelaxOrder(solver, whole(ORDER));
    HYPRE_BoomerAMGSetChebyOrder(solver, CHEBYSHEV_ORDER);
    HYPRE_BoomerAMGSetCycleType(solver, whole(CYCLE));
    HYPRE_BoomerAMGSetCycleNumSweeps(solver, whole(DOWN), ON_THE_WAY_DOWN);
    HYPRE_BoomerAMGSetCycleNumSweeps(solver, whole(UP), ON_THE_WAY_UP);
    /* Gauss-Seidel goes forward on the way down and backward on the way up, so that a cycle is symmetric. */
    const int smoother = whole(SMOOTHER);
    HYPRE_BoomerAMGSetCycleRelaxType(solver, smoother, ON_THE_WAY_DOWN);
    HYPRE_BoomerAMGSetCycleRelaxType(solver, smoother == FORWARD ? BACKWARD : smoother, ON_THE_WAY_UP);
    HYPRE_BoomerAMGSetCycleRelaxType(solver, ELIMINATION, ON_THE_COARSEST_LEVEL);
    return solver;
}

/* The non-zeros of all products of one cycle, in units of those of the matrix: sweeps, residuals, restriction and
 * interpolation. Symmetric sweeps and polynomials of order 2 pass the matrix twice. A level but the finest goes down
 * as often as the cycle says for each time that it is entered, and is relaxed upwards after each. */
static double cycle_work(hypre_ParAMGData *hierarchy) {
    const int levels = hypre_ParAMGDataNumLevels(hierarchy);
    const int smoother = whole(SMOOTHER);
    const double passes = smoother == SYMMETRIC || smoother == L1_SYMMETRIC || smoother == CHEBYSHEV ? 2.0 : 1.0;
    double work = 0.0;
    double entered = 1.0;
    for (int level = 0; level < levels; level++) {
        const double own = hypre_ParCSRMatrixDNumNonzeros(hypre_ParAMGDataAArray(hierarchy)[level]);
        if (level == levels - 1) {
            work += entered * own;
        } else {
            hypre_ParCSRMatrix *interpolation = hypre_ParAMGDataPArray(hierarchy)[level];
            hypre_ParCSRMatrixSetDNumNonzeros(interpolation);
            const double between = own + 2.0 * hypre_ParCSRMatrixDNumNonzeros(interpolation);
            const double descents = entered * (level == 0 ? 1 : whole(CYCLE));
            work += entered * passes * whole(DOWN) * own + descents * (passes * whole(UP) * own + between);
            entered = descents;
        }
    }
    return work / hypre_ParCSRMatrixDNumNonzeros(hypre_ParAMGDataAArray(hierarchy)[0]);
}

static double operator_complexity(hypre_ParAMGData *hierarchy) {
    double all = 0.0;
    for (int level = 0; level < hypre_ParAMGDataNumLevels(hierarchy); level++) {
        all += hypre_ParCSRMatrixDNumNonzeros(hypre_ParAMGDataAArray(hierarchy)[level]);
    }
    return all / hypre_ParCSRMatrixDNumNonzeros(hypre_ParAMGDataAArray(hierarchy)[0]);
}

struct outcome {
    double set_up_seconds, solve_seconds;
    HYPRE_Int iterations;
};

/* Set a solver up and solve, and time both. */
static struct outcome timed(HYPRE_PtrToParSolverFcn set_up, HYPRE_PtrToParSolverFcn solve, HYPRE_Solver solver,
                            const struct problem *problem) {
    const double start = MPI_Wtime();
    set_up(solver, problem->a, problem->b, problem->x);
    const double middle = MPI_Wtime();
    solve(solver, problem->a, problem->b, problem->x);
    return (struct outcome){.set_up_seconds = middle - start, .solve_seconds = MPI_Wtime() - middle};
}

static struct outcome solve_alone(HYPRE_Solver multigrid, const struct problem *problem) {
    HYPRE_BoomerAMGSetMaxIter(multigrid, ITERATIONS_AT_MOST);
    HYPRE_BoomerAMGSetTol(multigrid, TOLERANCE);
    struct outcome outcome = timed(HYPRE_BoomerAMGSetup, HYPRE_BoomerAMGSolve, multigrid, problem);
    HYPRE_BoomerAMGGetNumIterations(multigrid, &outcome.iterations);
    return outcome;
}

static struct outcome solve_with_pcg(HYPRE_Solver multigrid, const struct problem *problem) {
    HYPRE_Solver pcg = NULL;
    HYPRE_ParCSRPCGCreate(MPI_COMM_SELF, &pcg);
    HYPRE_PCGSetMaxIter(pcg, ITERATIONS_AT_MOST);
    HYPRE_PCGSetTol(pcg, TOLERANCE);
    HYPRE_PCGSetTwoNorm(pcg, 1);
    HYPRE_BoomerAMGSetMaxIter(multigrid, 1);
    HYPRE_BoomerAMGSetTol(multigrid, 0.0);
    HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup,
                        multigrid);
    struct outcome outcome = timed(HYPRE_ParCSRPCGSetup, HYPRE_ParCSRPCGSolve, pcg, problem);
    HYPRE_PCGGetNumIterations(pcg, &outcome.iterations);
    HYPRE_ParCSRPCGDestroy(pcg);
    return outcome;
}

/* The norm of b - A x, relative to that of b: what a solver states of itself is not taken for granted. */
static double true_residual(const struct problem *problem) {
    HYPRE_Real before = 0.0;
    HYPRE_Real after = 0.0;
    HYPRE_ParVectorInnerProd(problem->b, problem->b, &before);
    HYPRE_ParCSRMatrixMatvec(-1.0, problem->a, problem->x, 1.0, problem->b);
    HYPRE_ParVectorInnerProd(problem->b, problem->b, &after);
    return sqrt(after / before);
}

static int run(void) {
    struct problem problem;
    make_matrix(&problem);
    problem.b = make_vector(1.0, &problem.right_hand_side);
    problem.x = make_vector(0.0, &problem.solution);
    HYPRE_Solver multigrid = make_multigrid();
    const struct outcome outcome = (whole(PCG) ? solve_with_pcg : solve_alone)(multigrid, &problem);
    const HYPRE_Int error = HYPRE_GetError();
    const double residual = true_residual(&problem);
    /* One product with the matrix for each step of PCG. */
    const double work = outcome.iterations * (cycle_work((hypre_ParAMGData *)multigrid) + whole(PCG));
    int code = DONE;
    if (!(residual <= 10 * TOLERANCE)) { /* true for NaN */
        fputs("amg_options: not converged\n", stderr);
        code = NOT_CONVERGED;
    } else if ((error & ~HYPRE_ERROR_CONV) != 0) {
        char description[256];
        HYPRE_DescribeError(error, description);
        fprintf(stderr, "amg_options: hypre reports an error: %s\n", description);
        code = NOT_CONVERGED;
    }
    /* The row is printed in any case: how slowly a solve converges tells about others, too. */
    printf("setup_seconds,solve_seconds,seconds,work_units,iterations,operator_complexity,residual,reduction\n");
    printf("%.9f,%.9f,%.9f,%.6f,%d,%.6f,%.3e,%.6f\n", outcome.set_up_seconds, outcome.solve_seconds,
           outcome.set_up_seconds + outcome.solve_seconds, work, (int)outcome.iterations,
           operator_complexity((hypre_ParAMGData *)multigrid), residual, pow(residual, 1.0 / outcome.iterations));
    HYPRE_BoomerAMGDestroy(multigrid);
    HYPRE_IJVectorDestroy(problem.solution);
    HYPRE_IJVectorDestroy(problem.right_hand_side);
    HYPRE_IJMatrixDestroy(problem.matrix);
    return code;
}

int main(int argc, char **argv) {
    if (!read_configuration(argc - 1, argv + 1)) {
        return WRONG_INPUT;
    }
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    const int code = run();
    HYPRE_Finalize();
    MPI_Finalize();
    return code;
}
