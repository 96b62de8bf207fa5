/* SPDX-License-Identifier: BSD-2-Clause */
/* Many processes by MPI: linked into heddle-mpi in place of comm.c. */
#include "base/comm.h"
#include "tool/processes.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 28 }; /* MPI counts are int */

struct hd_comm {
    int rank, size;
};

const struct hd_comm *hd_comm_start(int *argc, char ***argv)
{
    static struct hd_comm world;
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.size);
    return &world;
}

int hd_comm_end(const struct hd_comm *comm, int status)
{
    int largest = status;
    (void)comm;
    MPI_Allreduce(&status, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return largest;
}

void hd_comm_abort(const struct hd_comm *comm, int status)
{
    if (hd_comm_size(comm) > 1) MPI_Abort(MPI_COMM_WORLD, status);
}

int hd_comm_rank(const struct hd_comm *comm)
{
    return comm ? comm->rank : 0;
}

int hd_comm_size(const struct hd_comm *comm)
{
    return comm ? comm->size : 1;
}

void hd_comm_gather(const struct hd_comm *comm, const void *mine, size_t bytes, void *all)
{
    if (hd_comm_size(comm) == 1)
        memcpy(all, mine, bytes);
    else
        MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

void hd_comm_share(const struct hd_comm *comm, void *bytes, size_t n)
{
    if (hd_comm_size(comm) > 1) MPI_Bcast(bytes, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void hd_comm_sum_u64(const struct hd_comm *comm, uint64_t *v, size_t n)
{
    for (size_t at = 0; hd_comm_size(comm) > 1 && at < n; at += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, v + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_UINT64_T, MPI_SUM,
                      MPI_COMM_WORLD);
}

void hd_comm_max_u32(const struct hd_comm *comm, uint32_t *v, size_t n)
{
    for (size_t at = 0; hd_comm_size(comm) > 1 && at < n; at += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, v + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_UINT32_T, MPI_MAX,
                      MPI_COMM_WORLD);
}

void hd_comm_host(const struct hd_comm *comm, char name[HD_COMM_NAME])
{
    char full[MPI_MAX_PROCESSOR_NAME + 1] = {0};
    int len = 0;
    (void)comm;
    MPI_Get_processor_name(full, &len);
    memset(name, 0, HD_COMM_NAME);
    memcpy(name, full, len < HD_COMM_NAME ? (size_t)len : HD_COMM_NAME - 1);
}

static void exchange_one(const int to_from[2], const char *out, char *in, size_t bytes)
{
    MPI_Request request[2];
    int n = 0;
    if (to_from[1] >= 0) MPI_Irecv(in, (int)bytes, MPI_BYTE, to_from[1], 1, MPI_COMM_WORLD, &request[n++]);
    if (to_from[0] >= 0) MPI_Isend(out, (int)bytes, MPI_BYTE, to_from[0], 1, MPI_COMM_WORLD, &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

hd_status hd_comm_exchange(const struct hd_comm *comm, const int to_from[2], size_t bytes, uint32_t messages,
                           double *seconds)
{
    char *out = calloc(bytes ? bytes : 1, 1), *in = malloc(bytes ? bytes : 1);
    int enough = out && in, all = 0;
    (void)comm;
    MPI_Allreduce(&enough, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) exchange_one(to_from, out, in, bytes); /* connections are made and memory is touched */
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (uint32_t i = 0; all && i < messages; i++) exchange_one(to_from, out, in, bytes);
    *seconds = MPI_Wtime() - start;
    free(out);
    free(in);
    return all ? HD_OK : HD_LIMIT;
}
