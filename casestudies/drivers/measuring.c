#include "measuring.h"

#include "settings.h"
#include "tally.h"

#include <HYPRE_utilities.h>
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, NOT_CONVERGED = 1, WRONG_INPUT = 2 };
enum { START_LENGTH = 128 };

/* However fast a configuration is, no more than so many runs of it are averaged. */
static const double RUNS_AT_MOST = 1000.0;

struct session {
    const struct solver *solver;
    struct settings settings;
    struct batch batch;
    int rank;
    FILE *levels;   /* NULL on all ranks but the first, and where no levels are wanted */
    bool converged; /* all solves so far */
};

/* End all ranks where a row cannot be written: what has been written stays, and measuring on would be for nothing. */
static void flush_or_abort(FILE *file, const char *name) {
    if (fflush(file) != 0 || ferror(file)) {
        fprintf(stderr, "%s: cannot be written: %s\n", name, strerror(errno));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

struct cost {
    struct tally set_up;
    struct tally solve;
};

/* Set the problem up and solve it, and add to what that has cost this rank. The ranks begin each phase together. */
static void run_once(const struct solver *solver, void *problem, struct cost *cost) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const struct tally start = tally_now();
    solver->set_up(problem);
    cost->set_up = tally_sum(cost->set_up, tally_difference(tally_now(), start));
    PMPI_Barrier(MPI_COMM_WORLD);
    const struct tally middle = tally_now();
    solver->solve(problem);
    cost->solve = tally_sum(cost->solve, tally_difference(tally_now(), middle));
}

/* Return how many runs are to be averaged where one solve takes so long: the same number on all ranks. */
static int runs_wanted(double seconds, double min_seconds) {
    if (seconds >= min_seconds) {
        return 1;
    }
    const double wanted = seconds > 0.0 ? ceil(min_seconds / seconds) : RUNS_AT_MOST;
    return (int)fmin(fmax(wanted, 2.0), RUNS_AT_MOST);
}

/* Write the options' values, each followed by a comma. */
static void print_options(const struct batch *batch, const struct configuration *configuration, char *start,
                          size_t size) {
    size_t length = 0;
    for (int i = 0; i < batch->column_count; i++) {
        const int value = configuration->value[batch->columns[i]];
        length += (size_t)snprintf(start + length, size - length, "%d,", value);
    }
}

static void print_option_names(const struct batch *batch, FILE *file) {
    for (int i = 0; i < batch->column_count; i++) {
        fprintf(file, "%s,", option_names[batch->columns[i]]);
    }
}

/* Say what hypre complains about, and return whether the solve is done. `start`: the options' values. */
static bool judge(const struct session *session, const char *start, struct outcome outcome) {
    const char *name = session->solver->name;
    const HYPRE_Int error = HYPRE_GetError();
    HYPRE_ClearAllErrors();
    const bool converged = outcome.residual <= session->settings.tolerance; /* false for NaN */
    if (session->rank == 0 && !converged) {
        fprintf(stderr, "%s: %s relative residual %g after %d iterations, wanted %g\n", name, start, outcome.residual,
                outcome.iterations, session->settings.tolerance);
    }
    if ((error & ~HYPRE_ERROR_CONV) != 0) { /* on the ranks where it happened */
        char description[256];
        HYPRE_DescribeError(error, description);
        fprintf(stderr, "%s: %s hypre reports an error: %s\n", name, start, description);
        return false;
    }
    return converged;
}

/* Print a row of the table; to be called by all ranks. */
static void print_row(const struct session *session, const char *start, void *problem, struct cost cost, int runs,
                      struct outcome outcome, double load) {
    const struct tally set_up = tally_maximum(cost.set_up);
    const struct tally solve = tally_maximum(cost.solve);
    const struct tally set_up_total = tally_total(cost.set_up);
    const struct tally solve_total = tally_total(cost.solve);
    if (session->rank == 0) {
        printf("%s%.9f,%.9f,%.9f,%.9f,%.9f,%.9f", start, set_up.wall / runs, solve.wall / runs, set_up.compute / runs,
               solve.compute / runs, set_up_total.cpu / runs, solve_total.cpu / runs);
        /* Every run sends the same, so these quotients are whole numbers; were they not, it would be seen. */
        printf(",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", set_up_total.messages / runs, set_up_total.bytes / runs,
               solve_total.messages / runs, solve_total.bytes / runs, solve.messages / runs, solve.bytes / runs);
        printf(",%d,%.6e,%d,%.2f", outcome.iterations, outcome.residual, runs, load);
    }
    if (session->solver->print_further != NULL) {
        session->solver->print_further(problem);
    }
    if (session->rank == 0) {
        putchar('\n');
        flush_or_abort(stdout, "<stdout>");
    }
}

/* Solve so many times while watching the levels, and print what they cost. This is apart from the other times, since
 * watching takes time, too. */
static void measure_levels(const struct session *session, const struct configuration *configuration, const char *start,
                           int runs, int repetition) {
    const struct solver *solver = session->solver;
    for (int left = runs; left > 0; left--) {
        void *problem = solver->create(configuration, session->batch.dimension, session->settings.tolerance);
        solver->set_up(problem);
        PMPI_Barrier(MPI_COMM_WORLD);
        solver->observe(problem);
        if (left == 1) {
            char row_start[START_LENGTH + 16];
            snprintf(row_start, sizeof row_start, "%s%d,", start, repetition);
            solver->print_levels(problem, runs, row_start, session->levels);
        }
        solver->destroy(problem);
    }
    HYPRE_ClearAllErrors();
    if (session->rank == 0) {
        flush_or_abort(session->levels, session->settings.levels);
    }
}

/* Measure a configuration: a repetition of it (from 0 on), or a warm-up (-1), of which nothing is printed. */
static void measure_configuration(struct session *session, const struct configuration *configuration, int repetition) {
    const struct solver *solver = session->solver;
    double load = NAN;
    if (getloadavg(&load, 1) != 1) {
        load = NAN;
    }
    char start[START_LENGTH];
    print_options(&session->batch, configuration, start, sizeof start);

    /* Each run is of a problem of its own, not another solve of the same: the first SMG solve after a set-up sends
     * more bytes than the following ones do. */
    struct cost cost = {0};
    int runs = 1;
    for (int run = 0; run < runs; run++) {
        void *problem = solver->create(configuration, session->batch.dimension, session->settings.tolerance);
        run_once(solver, problem, &cost);
        if (run == 0 && repetition >= 0) {
            /* The first run decides how many there are, and counts. */
            runs = runs_wanted(tally_maximum(cost.solve).wall, session->settings.min_seconds);
        }
        if (run == runs - 1) {
            const struct outcome outcome = solver->outcome(problem);
            if (repetition < 0) {
                HYPRE_ClearAllErrors();
            } else {
                session->converged = judge(session, start, outcome) && session->converged;
                print_row(session, start, problem, cost, runs, outcome, load);
            }
        }
        solver->destroy(problem);
    }
    if (repetition >= 0 && session->settings.levels != NULL) {
        measure_levels(session, configuration, start, runs, repetition);
    }
}

static void print_headers(const struct session *session) {
    print_option_names(&session->batch, stdout);
    printf("setup_seconds,solve_seconds,setup_compute_seconds,solve_compute_seconds,setup_cpu_seconds,"
           "solve_cpu_seconds,setup_messages,setup_bytes,messages,bytes,rank_messages,rank_bytes,iterations,residual,"
           "runs,load_average%s\n",
           session->solver->further_columns);
    flush_or_abort(stdout, "<stdout>");
    if (session->levels != NULL) {
        print_option_names(&session->batch, session->levels);
        fprintf(session->levels, "repetition,%s\n", session->solver->level_columns);
        flush_or_abort(session->levels, session->settings.levels);
    }
}

/* Open the levels' table on the first rank. Returns on all ranks whether that worked. */
static bool open_levels(struct session *session) {
    int opened = 1;
    if (session->rank == 0 && session->settings.levels != NULL) {
        session->levels = fopen(session->settings.levels, "w");
        if (session->levels == NULL) {
            fprintf(stderr, "%s: %s\n", session->settings.levels, strerror(errno));
            opened = 0;
        }
    }
    PMPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return opened != 0;
}

static void measure_batch(struct session *session) {
    if (session->rank == 0) {
        print_headers(session);
    }
    if (session->batch.count > 0) {
        for (int i = 0; i < session->settings.warmup; i++) {
            measure_configuration(session, &session->batch.rows[0], -1);
        }
    }
    /* Repetitions outermost: a disturbance of some seconds then hits one repetition of several configurations, and
     * not all repetitions of one. */
    for (int repetition = 0; repetition < session->settings.repeat; repetition++) {
        for (size_t i = 0; i < session->batch.count; i++) {
            measure_configuration(session, &session->batch.rows[i], repetition);
        }
    }
}

static int run(int argc, char **argv, const struct solver *solver) {
    struct session session = {.solver = solver, .converged = true};
    int ranks = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &session.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const enum reading reading = read_settings(argc, argv, solver->name, solver->summary, solver->level_columns != NULL,
                                               session.rank == 0, &session.settings);
    if (reading != READY) {
        return reading == HELP_SHOWN ? DONE : WRONG_INPUT;
    }
    const struct demands demands = {.ranks = ranks, .smallest_dimension = solver->smallest_dimension};
    if (!read_batch(session.settings.path, demands, &session.batch)) {
        return WRONG_INPUT;
    }
    int code = WRONG_INPUT;
    if (open_levels(&session)) {
        measure_batch(&session);
        code = session.converged ? DONE : NOT_CONVERGED;
    }
    if (session.levels != NULL) {
        fclose(session.levels);
    }
    free_batch(&session.batch);
    return code;
}

int measure(int argc, char **argv, const struct solver *solver) {
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    const int code = run(argc, argv, solver);
    HYPRE_Finalize();
    MPI_Finalize();
    return code;
}
