/* SPDX-License-Identifier: BSD-2-Clause */
/* A numbering of endpoints from a file: one name or port GUID (0x...) a line, # comments; the line
 * order is the order. Endpoints that are not listed follow in their own order. */
#ifndef HD_ROUTE_INDEX_H
#define HD_ROUTE_INDEX_H

#include "base/arena.h"
#include "heddle/net.h"

/* number[e] for each endpoint (the first *listed of them are the file's; listed may be NULL). A name two endpoints share, one listed twice or an
 * unknown one is refused with file and line. */
hd_status hd_index_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path, uint64_t *number, uint32_t *listed);

#endif
