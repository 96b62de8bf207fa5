/* SPDX-License-Identifier: BSD-2-Clause */
/* Endpoints by what users call them, and a numbering of endpoints from a file: one name or port GUID (0x...)
 * per line, # comments; the order of the lines is the order.
 * Endpoints that are not listed follow in their own order. */
#ifndef HD_ROUTE_CORE_ENDPOINT_NAMES_H
#define HD_ROUTE_CORE_ENDPOINT_NAMES_H

#include "base/arena.h"
#include "base/keyed.h"
#include "heddle/net.h"

struct hd_endpoint_name {
    const char *name;
    uint32_t e;
};

struct hd_endpoint_names {
    const struct hd_net *net;
    const struct hd_endpoint_name *by_name; /* [nep] */
    const struct hd_keyed *by_guid;         /* [nep] the value is the endpoint */
};

/* Lives in arena. O(n log n). */
hd_status hd_endpoint_names_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                 struct hd_endpoint_names *names);
/* First endpoint of that name or port GUID (0x...), and how many have it; text has no blanks at its end, and those at
 * both ends of a name do not count. O(log n). */
uint32_t hd_endpoint_names_find(const struct hd_endpoint_names *names, const char *text, uint32_t *matches);

/* number[e] for each endpoint (the first *listed of them are the file's; listed may be NULL). A name two endpoints
 * share, one listed twice or an unknown one is refused with file and line. */
hd_status hd_index_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                        uint64_t *number, uint32_t *listed);
/* The numbering a user asks for: "selected", the selected endpoints first, or else a file's. */
hd_status hd_index_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *text,
                        uint64_t *number);

#endif
