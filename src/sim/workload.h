/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be sent: for every source a list of messages, in order. */
#ifndef HD_SIM_WORKLOAD_H
#define HD_SIM_WORKLOAD_H

#include "base/rng.h"
#include "flow/core/rank_map.h"

struct hd_workload {
    uint32_t nmsg, nstage;
    uint32_t *first; /* [nep + 1] messages of endpoint e: first[e] .. first[e+1]-1, by stage */
    uint32_t *dst;   /* [nmsg] endpoints */
    uint32_t *stage; /* [nmsg] */
    uint64_t *bytes; /* [nmsg] */
    uint32_t *mate;  /* [nmsg] the message that goes the other way, for exchanges; else NULL */
    /* Traces: who sends a message, and lists of what waits for it or for nothing; UINT32_MAX ends them. */
    uint32_t *source, *child, *sibling; /* [nmsg]; NULL for patterns */
    uint32_t root;
};

/* Flows collected stage by stage. */
struct hd_flow_list {
    uint32_t n, room, nstage;
    uint32_t *src, *dst, *stage;
    uint64_t *bytes;
};

hd_status hd_flow_list_add(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_flow_list *l, const struct hd_flows *f,
                           uint64_t size, uint32_t unit);
/* Lists by source. exchange: adds the missing directions and finds mates; HD_INPUT where a stage is no matching. */
hd_status hd_workload_make(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t nep, struct hd_flow_list *l,
                           bool exchange, struct hd_workload *w);
/* Lines "source destination bytes after": ends are ranks, names or port GUIDs; after is the number of an earlier
 * line (counted from 1, without comments) that must have arrived, or - for none. */
hd_status hd_workload_trace(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            const struct hd_ranks *ranks, const char *path, struct hd_workload *w);

#endif
