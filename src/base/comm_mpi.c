/* SPDX-License-Identifier: BSD-2-Clause */
/* Many processes by MPI: linked into heddle-mpi in place of comm.c. */
#include "base/comm.h"

#include <mpi.h>
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
    if (hd_comm_size(comm) == 1) memcpy(all, mine, bytes);
    else MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

void hd_comm_sum_u64(const struct hd_comm *comm, uint64_t *v, size_t n)
{
    for (size_t at = 0; hd_comm_size(comm) > 1 && at < n; at += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, v + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void hd_comm_max_u32(const struct hd_comm *comm, uint32_t *v, size_t n)
{
    for (size_t at = 0; hd_comm_size(comm) > 1 && at < n; at += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, v + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
}
