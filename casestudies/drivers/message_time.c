#include "message_time.h"

#include <mpi.h>
#include <stdlib.h>

enum { TRIPS_AT_MOST = 1 << 20 };

/* Send there and back so many times; return the seconds. */
static double trips_seconds(double *buffer, int doubles, int rank, int trips) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < trips; i++) {
        if (rank == 0) {
            MPI_Send(buffer, doubles, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, doubles, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, doubles, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, doubles, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return MPI_Wtime() - start;
}

struct measured message_time(int doubles, double seconds) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *buffer = allocated((size_t)doubles, sizeof *buffer);
    int trips = 1;
    for (int enough = 0; !enough;) {
        /* The first trips find out how many there are to be; both ranks have to agree. */
        enough = trips_seconds(buffer, doubles, rank, trips) >= seconds || trips >= TRIPS_AT_MOST;
        MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
        trips *= enough ? 1 : 2;
    }
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = 0.5 * trips_seconds(buffer, doubles, rank, trips) / trips;
    }
    free(buffer);
    return summary(samples, SAMPLES);
}
