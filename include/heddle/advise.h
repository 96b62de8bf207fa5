/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/advise.h - the main job: from a fabric to what is wrong with it, what it could be, and what to deploy.
 *
 * Threads. One context per concurrent call; the network and the current routes may be shared. hd_advise_write changes
 * the report, so it must be the only one that uses it. */
#ifndef HEDDLE_ADVISE_H
#define HEDDLE_ADVISE_H

#include "heddle/order.h"
#include "heddle/report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hd_advise_in {
    const struct hd_net *net;
    const char *net_text;            /* as the user wrote it, for the commands in the report */
    const char *net_options;         /* further options every command needs (--part, --seed, ...); "" or NULL: none */
    const char *fail;                /* what --fail has taken out of net already; NULL: nothing */
    const struct hd_routes *current; /* the table the fabric has; NULL: not known */
    const char *current_text;
    const char *const *engine; /* [nengine] specs to compare; NULL: every one that applies */
    uint32_t nengine;
    const char *nodes;   /* node list of a job; NULL: all hosts */
    const char *goal;    /* one of hd_advise_goal_name; NULL: the first */
    const char *command; /* the command line */
    bool compare_only;   /* no orders and no what-if: what a chart of loads needs */
    void (*progress)(void *user, const char *what, uint32_t done, uint32_t of); /* may be NULL */
    void *user;
    bool opensm; /* also run the installed OpenSM on a simulated copy of the fabric: HD_MISSING where it is not */
    bool no_order, no_whatif; /* leave out rank orders; failures, repairs and adaptive routing */
    bool keep_net, keep_current; /* the folder gets the network too, as net.ibnet; the current table, as current.lft */
};

/* What advice can be for, the usual goal first: "balanced", "alltoall", ...; NULL past the last. */
HD_API const char *hd_advise_goal_name(size_t i);
/* Patterns whose loads a report keeps for its charts: "bisect", ...; NULL past the last. */
HD_API const char *hd_advise_view_name(size_t i);

/* Limited by predicted work, never by the clock: the same report anywhere. The report keeps pointing to in->net. */
HD_API hd_status hd_advise_sized(struct hd_ctx *ctx, const struct hd_advise_in *in, size_t in_size,
                                 struct hd_report **report);
static inline hd_status hd_advise(struct hd_ctx *ctx, const struct hd_advise_in *in, struct hd_report **report)
{
    return hd_advise_sized(ctx, in, sizeof *in, report);
}
/* Writes report.html, deploy/, the rank files, the Slurm topology and what is to be kept into a folder it makes, all of
 * them or none, and fills in the report's steps first. */
HD_API hd_status hd_advise_write_sized(struct hd_ctx *ctx, const struct hd_advise_in *in, size_t in_size,
                                       struct hd_report *report, const char *folder);
static inline hd_status hd_advise_write(struct hd_ctx *ctx, const struct hd_advise_in *in, struct hd_report *report,
                                        const char *folder)
{
    return hd_advise_write_sized(ctx, in, sizeof *in, report, folder);
}

#ifdef __cplusplus
}
#endif
#endif
