/* SPDX-License-Identifier: BSD-2-Clause */
/* One process alone: what heddle is linked with. Every call is the trivial case of the one in comm_mpi.c, so callers
 * need not ask how many processes there are. */
#include "base/comm.h"
#include "tool/processes.h"

#include <string.h>

const struct hd_comm *hd_comm_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return NULL;
}

int hd_comm_end(const struct hd_comm *comm, int status)
{
    (void)comm;
    return status;
}

void hd_comm_abort(const struct hd_comm *comm, int status)
{
    (void)comm;
    (void)status;
}

int hd_comm_rank(const struct hd_comm *comm)
{
    (void)comm;
    return 0;
}

int hd_comm_size(const struct hd_comm *comm)
{
    (void)comm;
    return 1;
}

void hd_comm_gather(const struct hd_comm *comm, const void *mine, size_t bytes, void *all)
{
    (void)comm;
    memcpy(all, mine, bytes);
}

void hd_comm_share(const struct hd_comm *comm, void *bytes, size_t n)
{
    (void)comm;
    (void)bytes;
    (void)n;
}

void hd_comm_sum_u64(const struct hd_comm *comm, uint64_t *v, size_t n)
{
    (void)comm;
    (void)v;
    (void)n;
}

void hd_comm_max_u32(const struct hd_comm *comm, uint32_t *v, size_t n)
{
    (void)comm;
    (void)v;
    (void)n;
}

void hd_comm_host(const struct hd_comm *comm, char name[HD_COMM_NAME])
{
    (void)comm;
    strcpy(name, "localhost");
}

hd_status hd_comm_exchange(const struct hd_comm *comm, const int to_from[2], size_t bytes, uint32_t messages,
                           double *seconds)
{
    (void)comm;
    (void)to_from;
    (void)bytes;
    (void)messages;
    *seconds = 0;
    return HD_OK;
}
