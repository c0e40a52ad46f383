/* Counts and times MPI calls by MPI's profiling interface: a program that defines MPI_X is called instead of
 * the library, and reaches the library by PMPI_X.
 *
 * Only calls that may wait for other ranks are timed. A reading of the thread's CPU clock is a system call of
 * about a quarter of a microsecond; timing every MPI_Isend and MPI_Irecv, too, makes the compute time of small
 * problems, which send much and compute little, about a fifth longer.
 *
 * Messages are those of point-to-point calls. What collective calls send is the library's own matter. Persistent
 * requests are not counted: hypre makes none unless it is built to. */
#include "tally.h"

#include <mpi.h>
#include <time.h>

static double waiting; /* CPU seconds in MPI calls that may wait */
static double sent_messages;
static double sent_bytes;

static double thread_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void count(int elements, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    sent_messages += 1.0;
    sent_bytes += (double)elements * size;
}

#define TIMED(call)                                                                                                    \
    do {                                                                                                               \
        const double start = thread_seconds();                                                                         \
        const int result = (call);                                                                                     \
        waiting += thread_seconds() - start;                                                                           \
        return result;                                                                                                 \
    } while (0)

#define COUNTED(call)                                                                                                  \
    do {                                                                                                               \
        count(elements, type);                                                                                         \
        return (call);                                                                                                 \
    } while (0)

int MPI_Isend(const void *data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    COUNTED(PMPI_Isend(data, elements, type, to, tag, comm, request));
}

int MPI_Irsend(const void *data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request) {
    COUNTED(PMPI_Irsend(data, elements, type, to, tag, comm, request));
}

int MPI_Send(const void *data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    count(elements, type);
    TIMED(PMPI_Send(data, elements, type, to, tag, comm));
}

int MPI_Recv(void *data, int elements, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    TIMED(PMPI_Recv(data, elements, type, from, tag, comm, status));
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) { TIMED(PMPI_Wait(request, status)); }

int MPI_Waitall(int requests, MPI_Request request[], MPI_Status status[]) {
    TIMED(PMPI_Waitall(requests, request, status));
}

int MPI_Waitany(int requests, MPI_Request request[], int *which, MPI_Status *status) {
    TIMED(PMPI_Waitany(requests, request, which, status));
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) { TIMED(PMPI_Probe(from, tag, comm, status)); }

/* These three do not wait, but hypre's set-up calls them in a loop until something has arrived. */
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *arrived, MPI_Status *status) {
    TIMED(PMPI_Iprobe(from, tag, comm, arrived, status));
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) { TIMED(PMPI_Test(request, done, status)); }

int MPI_Testall(int requests, MPI_Request request[], int *done, MPI_Status status[]) {
    TIMED(PMPI_Testall(requests, request, done, status));
}

int MPI_Barrier(MPI_Comm comm) { TIMED(PMPI_Barrier(comm)); }

int MPI_Bcast(void *data, int elements, MPI_Datatype type, int root, MPI_Comm comm) {
    TIMED(PMPI_Bcast(data, elements, type, root, comm));
}

int MPI_Reduce(const void *from, void *to, int elements, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    TIMED(PMPI_Reduce(from, to, elements, type, op, root, comm));
}

int MPI_Allreduce(const void *from, void *to, int elements, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    TIMED(PMPI_Allreduce(from, to, elements, type, op, comm));
}

int MPI_Scan(const void *from, void *to, int elements, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    TIMED(PMPI_Scan(from, to, elements, type, op, comm));
}

int MPI_Gather(const void *from, int elements, MPI_Datatype type, void *to, int received, MPI_Datatype as, int root,
               MPI_Comm comm) {
    TIMED(PMPI_Gather(from, elements, type, to, received, as, root, comm));
}

int MPI_Gatherv(const void *from, int elements, MPI_Datatype type, void *to, const int received[], const int offsets[],
                MPI_Datatype as, int root, MPI_Comm comm) {
    TIMED(PMPI_Gatherv(from, elements, type, to, received, offsets, as, root, comm));
}

int MPI_Scatter(const void *from, int elements, MPI_Datatype type, void *to, int received, MPI_Datatype as, int root,
                MPI_Comm comm) {
    TIMED(PMPI_Scatter(from, elements, type, to, received, as, root, comm));
}

int MPI_Scatterv(const void *from, const int elements[], const int offsets[], MPI_Datatype type, void *to, int received,
                 MPI_Datatype as, int root, MPI_Comm comm) {
    TIMED(PMPI_Scatterv(from, elements, offsets, type, to, received, as, root, comm));
}

int MPI_Allgather(const void *from, int elements, MPI_Datatype type, void *to, int received, MPI_Datatype as,
                  MPI_Comm comm) {
    TIMED(PMPI_Allgather(from, elements, type, to, received, as, comm));
}

int MPI_Allgatherv(const void *from, int elements, MPI_Datatype type, void *to, const int received[],
                   const int offsets[], MPI_Datatype as, MPI_Comm comm) {
    TIMED(PMPI_Allgatherv(from, elements, type, to, received, offsets, as, comm));
}

int MPI_Alltoall(const void *from, int elements, MPI_Datatype type, void *to, int received, MPI_Datatype as,
                 MPI_Comm comm) {
    TIMED(PMPI_Alltoall(from, elements, type, to, received, as, comm));
}

struct tally tally_now(void) {
    const double cpu = thread_seconds();
    return (struct tally){PMPI_Wtime(), cpu, cpu - waiting, sent_messages, sent_bytes};
}

struct tally tally_difference(struct tally later, struct tally earlier) {
    return (struct tally){later.wall - earlier.wall, later.cpu - earlier.cpu, later.compute - earlier.compute,
                          later.messages - earlier.messages, later.bytes - earlier.bytes};
}

struct tally tally_sum(struct tally first, struct tally second) {
    return (struct tally){first.wall + second.wall, first.cpu + second.cpu, first.compute + second.compute,
                          first.messages + second.messages, first.bytes + second.bytes};
}

static struct tally reduced(struct tally own, MPI_Op op) {
    const double from[] = {own.wall, own.cpu, own.compute, own.messages, own.bytes};
    double to[5];
    PMPI_Allreduce(from, to, 5, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return (struct tally){to[0], to[1], to[2], to[3], to[4]};
}

struct tally tally_maximum(struct tally own) { return reduced(own, MPI_MAX); }

struct tally tally_total(struct tally own) { return reduced(own, MPI_SUM); }
