/* SPDX-License-Identifier: BSD-2-Clause */
/* What those who write rank files and those who read node lists must agree on. */
#ifndef HD_ORDER_RANK_FILE_H
#define HD_ORDER_RANK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define HD_TORCHRUN_HEAD "# host node_rank"
#define HD_UNBOUND_HEAD                                                                                                \
    "# ranks are not bound: mpirun --mca rtc ^hwloc --rankfile FILE (Open MPI 4), "                                    \
    "mpirun --map-by rankfile:file=FILE --bind-to none (Open MPI 5)"

/* Whether launchers take a host of this name. */
bool hd_rank_file_takes(const char *host);
/* Whether the i-th format is one of theirs, with names of hosts. */
bool hd_rank_file_names(size_t i);

#endif
