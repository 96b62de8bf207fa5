/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/sim.h - packets on their way: what routes, buffers and senders that react make of a pattern.
 *
 * Event-driven, packet by packet, in whole nanoseconds: cut-through switches with input buffers, fair
 * arbitration, credits or STOP/GO, virtual lanes, hosts slower than links. A run is one sample of a random
 * pattern, or all stages of a collective; runs are independent and share threads and processes. Results are
 * sums of whole numbers and depend on the seed alone. Every run checks that no packet is lost, doubled or
 * delivered to the wrong endpoint.
 *
 * Threads. As in heddle/flow.h: one context per concurrent call, routes may be shared. */
#ifndef HEDDLE_SIM_H
#define HEDDLE_SIM_H

#include "heddle/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hd_sim_sample {         /* one run */
    double fraction, min, max; /* share of the ceiling: mean, least and largest of the senders */
    double fairness;           /* Jain's index of the shares, 1: all alike */
    uint64_t time;             /* ns until the last packet had arrived */
    uint64_t packets, events, changes;
    uint64_t settled; /* ns after which no route changed */
    bool deadlock;
};

struct hd_sim_request {
    const char *pattern;     /* spec; NULL with a trace */
    const char *trace;       /* GOAL, "source destination bytes after" lines, or a folder; NULL: none */
    const char *selector;    /* spec; NULL: that of the model, static of most */
    const char *model;       /* spec; NULL: infiniband */
    const char *ranks;       /* as in struct hd_request */
    uint64_t samples;        /* runs; 0: 10 of a random pattern, 1 of others */
    uint64_t stages;         /* of a collective: only the first ones; 0: all */
    uint64_t size, messages; /* bytes of a message, messages of a flow; 0: the model's */
    void (*sample)(void *user, uint64_t index, const struct hd_sim_sample *sample); /* in order; may be NULL */
    void *user;
    uint64_t *busy, *blocked;   /* [nchan] or NULL: ns each channel carried packets; was idle since they did not fit */
    uint64_t *series;           /* [nseries] or NULL: bytes that arrived in each interval, all runs */
    uint64_t interval, nseries; /* ns; how many */
};

struct hd_sim_result {
    char pattern[HD_MAX_SPEC], selector[HD_MAX_SPEC], model[HD_MAX_SPEC]; /* canonical */
    char parameters[1024];                                                /* of the model, every one */
    uint64_t samples;
    double ceiling; /* MB/s of a sender that is alone; the mean where hosts differ */
    /* Share of what a sender gets alone: mean over the runs, lowest, highest run. Flows without a path count as 0. */
    double fraction, min, max;
    double sender_min, sender_max; /* lowest and highest single sender of all runs */
    double fairness;               /* mean over the runs */
    double time;                   /* ns, mean over the runs */
    uint64_t time_max;
    uint64_t latency_min, latency_p50, latency_p95, latency_p99, latency_max; /* ns of a packet, from first in line */
    uint64_t packets, events, bytes, reordered, dropped, unserved, changes, probes;
    double settled, settled_bytes;          /* ns, and bytes a sender had sent, when routes changed last; means */
    uint64_t deadlocks;                     /* runs */
    uint64_t deadlock_sample;               /* the first of them, and its cycle */
    uint32_t cycle_lane, ncycle, cycle[64]; /* channels, each full and waiting for the next; the first 64 */
    double bandwidth;                       /* MB/s of a sender, mean over senders and runs */
    double ci;           /* full width of the 99 % confidence interval of fraction over the runs; NaN of a single run */
    double latency_mean; /* ns */
    double predicted;    /* ns: mean of what the busiest channel and the hosts would take; NaN: not known */
};

/* The model of the generation of links that most endpoints have, edr where rates are not known, and the nanoseconds of
 * a full packet on such a link (packet_ns may be NULL). */
HD_API const char *hd_sim_model(const struct hd_net *net, double *packet_ns);

/* HD_FAULT when packets are not conserved; a deadlock is a finding in the result, not a failure. HD_USAGE for more than
 * 10^12 samples, stages or messages, or 10^15 bytes. */
HD_API hd_status hd_sim_sized(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_sim_request *request,
                              size_t request_size, struct hd_sim_result *result, size_t result_size);
static inline hd_status hd_sim(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_sim_request *request,
                               struct hd_sim_result *result)
{
    return hd_sim_sized(ctx, r, request, sizeof *request, result, sizeof *result);
}

#ifdef __cplusplus
}
#endif
#endif
