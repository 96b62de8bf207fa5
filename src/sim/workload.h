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
    /* Traces: who sends a message, how many others it waits for, and which wait for it: waits[first_wait[m]] ..
     * waits[first_wait[m + 1] - 1]. A message without bytes is none: it has arrived as soon as it may begin. */
    uint32_t *source, *need; /* [nmsg]; NULL for patterns */
    uint32_t *first_wait;    /* [nmsg + 1] */
    uint32_t *waits;
};

/* A message of a trace, and one that it waits for. */
struct hd_trace_message {
    uint32_t src, dst;
    uint64_t bytes; /* 0: none is sent */
};
struct hd_trace_wait {
    uint32_t message, on;
};

struct hd_trace_lists {
    uint32_t n, room;
    struct hd_trace_message *message;
    uint32_t nwait, wait_room;
    struct hd_trace_wait *wait;
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
/* The workload of a trace; lives in arena. */
hd_status hd_workload_lists(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t nep, const struct hd_trace_lists *t,
                            struct hd_workload *w);
struct hd_in;
/* GOAL as text (docs/formats.md): sends become messages; receives and calculations are messages without bytes. */
hd_status hd_goal_read(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_in *in, const struct hd_ranks *ranks,
                       struct hd_trace_lists *t);
enum { HD_TRACE_MAX = 1 << 23 }; /* messages of a trace: 1.6 GB of state */

/* A folder of a Chakra trace, a file of GOAL, or lines "source destination bytes after": ends are ranks, names or port
 * GUIDs; after is the number of an earlier line (counted from 1, without comments) that must have arrived, or - for
 * none. */
hd_status hd_workload_trace(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            const struct hd_ranks *ranks, const char *path, struct hd_workload *w);

#endif
