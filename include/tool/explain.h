/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/explain.h - port counters beside predicted loads: why links wait. Not installed: shared by library and
 * command. */
#ifndef HEDDLE_TOOL_EXPLAIN_H
#define HEDDLE_TOOL_EXPLAIN_H

#include "heddle/route.h"

enum hd_cause {
    HD_CAUSE_SICK,     /* errors, or slower than others of its kind */
    HD_CAUSE_RECEIVER, /* a host does not take what is sent to it, or more is sent than its cable carries */
    HD_CAUSE_ROUTING,  /* one job loads a link with more than it carries */
    HD_CAUSE_OTHER,    /* only several jobs together do, or traffic that no job explains */
    HD_CAUSES
};

struct hd_explain_in {
    const char *before, *after; /* samples of counters */
    const char *jobs;           /* file of running jobs; NULL: all endpoints are one */
    double seconds;             /* between the samples; 0: as the files say */
};

struct hd_explain_link { /* one direction of a cable */
    uint32_t chan;
    enum hd_cause cause;
    uint32_t root;                     /* the channel at which the cause lies; chan: here */
    double rate, sent, received, lost; /* Gb/s; NaN: not known */
    double load, peak;                 /* predicted: mean and largest, as a multiple of what the channel carries */
    bool at_least;                     /* counters were reset or have stopped: what was lost is a lower bound */
    uint64_t errors;                   /* at both ends, of all kinds that make a link sick */
    const char *why;                   /* one clause */
};

struct hd_explain {
    const struct hd_net *net;
    double seconds;
    bool file_times;      /* seconds are between the times of change of the files */
    uint32_t ports, both; /* cabled ports of the network; those with counters in both samples */
    uint32_t reset, stopped,
        strangers;           /* ports with counters that fell or have stopped; ports that have no cable here */
    bool listed;             /* there is a file of jobs; otherwise loads are those of random pairs of all endpoints */
    uint32_t njob, njobnode; /* running jobs of the file and their nodes */
    double lost;             /* Gb/s on all links together */
    uint32_t n;
    struct hd_explain_link *link; /* by cause, then decreasing loss, then channel */
    uint32_t count[HD_CAUSES];
    void *arena; /* private */
};

/* Links that lost at least 1 % of their rate, and sick ones. Fails with HD_INPUT if the samples cannot be read, are not
 * two, or the time between them is not known. */
hd_status hd_explain(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_explain_in *in,
                     struct hd_explain **explain);
void hd_explain_free(struct hd_explain *explain);
/* "sick-link", "receiver", "routing", "other-job" */
const char *hd_cause_name(enum hd_cause cause);

#endif
