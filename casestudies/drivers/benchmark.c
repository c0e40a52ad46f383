/* Measures the machine parameters of the analytical models, and prints them as parameters.toml:
 *     alpha    latency of a message
 *     beta     time per double of a long message
 *     f        time per floating-point operation of LINPACK's kind
 *     t        the same of a product of a sparse matrix and a vector, which does not fit into the caches
 *     t_cache  the same for one that does
 * To be run by two ranks: `mpirun -n 2 benchmark`. */
#include "flop_time.h"
#include "message_time.h"

#include <cblas.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 2, DENSE = 1024 };

static const int MESSAGE_DOUBLES[] = {64, 512, 4096, 16384, 65536, 262144};
enum { MESSAGE_SIZES = sizeof MESSAGE_DOUBLES / sizeof MESSAGE_DOUBLES[0] };
/* From this size on the bandwidth no longer depends on the size: that is what beta stands for. */
static const int LONG_MESSAGE = 16384;

static const double MEBIBYTE = 1024.0 * 1024.0;
/* Where the system does not tell how large its caches are. */
static const double TYPICAL_L2 = 1.0 * 1024.0 * 1024.0;
static const double TYPICAL_L3 = 32.0 * 1024.0 * 1024.0;

/* How long is measured, and on what at most. */
struct effort {
    double message_seconds;
    double flop_seconds;
    double bytes_at_most;
};

static const struct effort THOROUGH = {0.02, 0.05, 1024.0 * 1024.0 * 1024.0};
static const struct effort QUICK = {0.001, 0.001, 32.0 * 1024.0 * 1024.0};

struct messages {
    struct measured latency;
    struct measured per_double[MESSAGE_SIZES];
    struct measured beta;
};

struct flops {
    struct measured dense;
    struct measured out_of_cache;
    struct measured in_cache;
    int large_edge;
    int small_edge;
};

static struct messages measure_messages(struct effort effort) {
    struct messages messages = {.latency = message_time(1, effort.message_seconds)};
    double values[MESSAGE_SIZES];
    size_t long_ones = 0;
    for (int i = 0; i < MESSAGE_SIZES; i++) {
        const struct measured time = message_time(MESSAGE_DOUBLES[i], effort.message_seconds);
        const double latency = messages.latency.value;
        const struct measured without = {time.value - latency, time.low - latency, time.high - latency};
        messages.per_double[i] = scaled(without, 1.0 / MESSAGE_DOUBLES[i]);
        if (MESSAGE_DOUBLES[i] >= LONG_MESSAGE) {
            values[long_ones++] = messages.per_double[i].value;
        }
    }
    messages.beta = summary(values, long_ones);
    return messages;
}

static double cache_bytes(int name, double typical) {
    const long bytes = sysconf(name);
    return bytes > 0 ? (double)bytes : typical;
}

static struct flops measure_flops(struct effort effort) {
    struct flops flops = {0};
    flops.small_edge = edge_for_bytes(0.5 * cache_bytes(_SC_LEVEL2_CACHE_SIZE, TYPICAL_L2));
    flops.large_edge = edge_for_bytes(fmin(4.0 * cache_bytes(_SC_LEVEL3_CACHE_SIZE, TYPICAL_L3), effort.bytes_at_most));
    flops.dense = dense_flop_time(DENSE, effort.flop_seconds);
    flops.in_cache = sparse_flop_time(flops.small_edge, effort.flop_seconds);
    flops.out_of_cache = sparse_flop_time(flops.large_edge, effort.flop_seconds);
    return flops;
}

/* Wait for the other rank without taking the core or the memory's bandwidth from it, as a barrier would. */
static void sleep_until_both_are_here(void) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int here = 0; !here;) {
        MPI_Test(&request, &here, MPI_STATUS_IGNORE);
        if (!here) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
}

static void print_machine(void) {
    char cpu[256] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    for (char line[512]; file != NULL && fgets(line, sizeof line, file) != NULL;) {
        if (sscanf(line, "model name : %255[^\n]", cpu) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, ",\n")] = '\0';
    char date[32] = "";
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("# Machine parameters, in seconds, measured on %s\n", date);
    printf("# processor: %s, %ld cores online\n", cpu, sysconf(_SC_NPROCESSORS_ONLN));
    printf("# message passing: %s; dense algebra: %s\n", mpi, openblas_get_config());
}

static void print_parameter(const char *name, struct measured measured, bool intervals, const char *meaning) {
    if (intervals) {
        printf("\n# %s\n%s = { value = %.6e, low = %.6e, high = %.6e }\n", meaning, name, measured.value, measured.low,
               measured.high);
    } else {
        printf("\n# %s (%.3e to %.3e)\n%s = %.6e\n", meaning, measured.low, measured.high, name, measured.value);
    }
}

static void print_all(const struct messages *messages, const struct flops *flops, double load, bool intervals) {
    char meaning[256];
    print_machine();
    printf("# load average at the start: %.2f; every value is the median of %d samples\n", load, SAMPLES);
    print_parameter("alpha", messages->latency, intervals,
                    "latency of a message: half of a round trip of one double between two ranks");
    snprintf(meaning, sizeof meaning, "time per double of a message of %d doubles or more, without the latency",
             LONG_MESSAGE);
    print_parameter("beta", messages->beta, intervals, meaning);
    for (int i = 0; i < MESSAGE_SIZES; i++) {
        printf("#   %6d doubles: %.3e\n", MESSAGE_DOUBLES[i], messages->per_double[i].value);
    }
    snprintf(meaning, sizeof meaning,
             "time per operation of a dense matrix product, %d by %d, on one core: %.1f GFlop/s", DENSE, DENSE,
             1e-9 / flops->dense.value);
    print_parameter("f", flops->dense, intervals, meaning);
    snprintf(meaning, sizeof meaning,
             "time per operation of a sparse matrix times a vector: seven-point Laplacian of %d^3 cells, %.0f MiB",
             flops->large_edge, sparse_bytes(flops->large_edge) / MEBIBYTE);
    print_parameter("t", flops->out_of_cache, intervals, meaning);
    snprintf(meaning, sizeof meaning, "the same within the second-level cache: %d^3 cells, %.2f MiB", flops->small_edge,
             sparse_bytes(flops->small_edge) / MEBIBYTE);
    print_parameter("t_cache", flops->in_cache, intervals, meaning);
}

static const char HELP[] = "Usage: mpirun -n 2 benchmark [--intervals] [--quick] > parameters.toml\n\n"
                           "Measures alpha, beta, f, t and t_cache, in seconds.\n\n"
                           "  --intervals  write each with the smallest and the largest sample, as an interval\n"
                           "  --quick      measure shortly and on little memory, to see whether it works: not for use\n"
                           "  --help       print this\n";

static int run(int argc, char **argv) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool intervals = false;
    struct effort effort = THOROUGH;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            if (rank == 0) {
                fputs(HELP, stdout);
            }
            return 0;
        }
        if (strcmp(argv[i], "--intervals") == 0) {
            intervals = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            effort = QUICK;
        } else {
            if (rank == 0) {
                fprintf(stderr, "benchmark: unknown option '%s'; --help lists the known ones\n", argv[i]);
            }
            return 2;
        }
    }
    if (ranks != RANKS) {
        if (rank == 0) {
            fprintf(stderr,
                    "benchmark: the number of ranks is %d, but messages are measured between %d: start it by 'mpirun "
                    "-n %d'\n",
                    ranks, RANKS, RANKS);
        }
        return 2;
    }
    double load = NAN;
    getloadavg(&load, 1);
    const struct messages messages = measure_messages(effort);
    int code = 0;
    if (rank == 0) {
        const struct flops flops = measure_flops(effort);
        print_all(&messages, &flops, load, intervals);
        if (fflush(stdout) != 0 || ferror(stdout)) {
            perror("<stdout>");
            code = 1;
        }
    }
    sleep_until_both_are_here();
    return code;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int code = run(argc, argv);
    MPI_Finalize();
    return code;
}
