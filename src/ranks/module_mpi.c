/* The module phlexor-mpi.so: the processes of mpirun. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "module.h"

#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static MPI_Comm work = MPI_COMM_NULL, end = MPI_COMM_NULL; /* the end is met while others may be at work */

enum { PIECE = 1 << 28 }; /* MPI counts in int */

static const char *module_mpi_start(int *rank, int *size)
{
    int level = 0;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        return "MPI_Init_thread has failed";
    if (level < MPI_THREAD_SERIALIZED)
        return "this MPI does not work with threads";
    if (MPI_Comm_dup(MPI_COMM_WORLD, &work) != MPI_SUCCESS || MPI_Comm_dup(MPI_COMM_WORLD, &end) != MPI_SUCCESS)
        return "no communicator can be made";
    MPI_Comm_rank(work, rank);
    MPI_Comm_size(work, size);
    return NULL;
}

static void module_mpi_finish(void)
{
    MPI_Comm_free(&work);
    MPI_Comm_free(&end);
    MPI_Finalize();
}

static void stop(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

static int piece(size_t left)
{
    return left < PIECE ? (int)left : PIECE;
}

/* Added up on rank 0 and handed out, so that all have the same bits. */
static void sum(size_t count, double *values)
{
    int rank;

    MPI_Comm_rank(work, &rank);
    for (size_t at = 0; at < count; at += PIECE) {
        const int n = piece(count - at);
        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : values + at, values + at, n, MPI_DOUBLE, MPI_SUM, 0, work);
        MPI_Bcast(values + at, n, MPI_DOUBLE, 0, work);
    }
}

static void most(size_t count, double *values)
{
    for (size_t at = 0; at < count; at += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, values + at, piece(count - at), MPI_DOUBLE, MPI_MAX, work);
}

static void share(int from, size_t bytes, void *data)
{
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Bcast((char *)data + at, piece(bytes - at), MPI_BYTE, from, work);
}

/* A thread that waits in MPI keeps a processor; one that looks from time to time does not. The first looks follow each
 * other at once. */
static void wait_a_moment(int looks)
{
    const struct timespec moment = {.tv_nsec = looks < 200 ? 0 : looks < 400 ? 50000 : 500000};

    nanosleep(&moment, NULL);
}

/* MPI is called by one thread at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Sends bytes to a process in pieces; waits without holding the lock, so that other threads can use MPI. */
static void send_to(int to, int tag, size_t bytes, const void *data)
{
    for (size_t at = 0; at < bytes; at += PIECE) {
        MPI_Request request;
        int sent = 0;
        pthread_mutex_lock(&lock);
        MPI_Isend((const char *)data + at, piece(bytes - at), MPI_BYTE, to, tag, work, &request);
        MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&lock);
        for (int looks = 0; !sent; looks++) {
            wait_a_moment(looks);
            pthread_mutex_lock(&lock);
            MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
            pthread_mutex_unlock(&lock);
        }
    }
}

/* Receives exactly `bytes` from a process in pieces; waits without holding the lock. */
static void receive_from(int from, int tag, size_t bytes, void *data)
{
    for (size_t at = 0; at < bytes; at += PIECE) {
        int there = 0;
        for (int looks = 0; !there; looks++) {
            MPI_Message message;
            pthread_mutex_lock(&lock);
            MPI_Improbe(from, tag, work, &there, &message, MPI_STATUS_IGNORE);
            if (there)
                MPI_Mrecv((char *)data + at, piece(bytes - at), MPI_BYTE, &message, MPI_STATUS_IGNORE);
            pthread_mutex_unlock(&lock);
            if (!there)
                wait_a_moment(looks);
        }
    }
}

/* Gathers the numbers of all processes in their order on process 0; counts and all are read only there. */
static void module_mpi_gather(size_t count, const double *mine, const int *counts, double *all)
{
    int rank, size;

    MPI_Comm_rank(work, &rank);
    MPI_Comm_size(work, &size);
    if (rank != 0) {
        send_to(0, 0, count * sizeof *mine, mine);
        return;
    }
    memcpy(all, mine, count * sizeof *all);
    double *next = all + count;
    for (int k = 1; k < size; next += counts[k++])
        receive_from(k, 0, (size_t)counts[k] * sizeof *all, next);
}

/* The lowest process that has failed, or their number; -1: this one has, and some of the others do not come. */
static int meet(bool failed, double patience)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    int rank, mine, lowest, all_here = 0;
    double since;
    MPI_Request request;

    MPI_Comm_rank(end, &rank);
    MPI_Comm_size(end, &mine);
    if (failed)
        mine = rank;
    MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, end, &request);
    since = MPI_Wtime();
    for (;;) {
        MPI_Test(&request, &all_here, MPI_STATUS_IGNORE);
        if (all_here)
            return lowest;
        if (failed && MPI_Wtime() - since > patience)
            return -1;
        nanosleep(&moment, NULL);
    }
}

static const phx_mpi_module table = {.version = PHX_MODULE_VERSION,
                                     .start = module_mpi_start,
                                     .finish = module_mpi_finish,
                                     .abort = stop,
                                     .sum = sum,
                                     .most = most,
                                     .share = share,
                                     .gather = module_mpi_gather,
                                     .meet = meet,
                                     .send = send_to,
                                     .receive = receive_from};

const phx_mpi_module *phx_mpi_module_table(void);
const phx_mpi_module *phx_mpi_module_table(void)
{
    return &table;
}
