/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of an advice share. Every step fills its part of the report; options and cases are worked on
 * by several threads at once, each with a context of its own, and none looks at another's part. */
#ifndef HD_ADVISE_ADVISE_STEPS_H
#define HD_ADVISE_ADVISE_STEPS_H

#include "base/arena.h"
#include "base/context.h"
#include "heddle/advise.h"
#include "heddle/sim.h"

enum hd_advise_goal { HD_GOAL_BALANCED, HD_GOAL_ALLTOALL, HD_GOAL_RING, HD_GOAL_RANDOM, HD_GOAL_WORST, HD_GOALS };

/* Columns of the comparison. */
enum hd_q {
    HD_Q_EBB,
    HD_Q_PERMUTATION,
    HD_Q_WORST,
    HD_Q_EFI,
    HD_Q_HOPS,
    HD_Q_RING_NOW,
    HD_Q_RING,
    HD_Q_ALLTOALL_NOW,
    HD_Q_ALLTOALL,
    HD_Q_RECDBL_NOW,
    HD_Q_RECDBL,
    HD_Q_PACKETS,
    HD_Q_ADAPTIVE,
    HD_QS
};

enum { HD_ADVISE_LANES = 8, HD_VIEW_BISECT = 0, HD_VIEW_PAIRS, HD_VIEWS };

struct hd_advising {
    struct hd_ctx *ctx;
    const struct hd_advise_in *in;
    const struct hd_net *net;
    struct hd_report *report;
    struct hd_arena *arena; /* the report's; only through the functions below, which take turns */
    bool failed;            /* memory ran out in one of them */
    enum hd_advise_goal goal;
    struct hd_topo_info info;
    struct hd_nodes *nodes;     /* NULL: no order can be made */
    enum hd_goal before, after; /* rank orders compared */
    uint32_t missing, unrated;  /* of report->repair; cables without a rate where others have one */
    const char *mend;           /* what to do about the cabling, clause by clause; NULL: nothing */
    uint32_t nleaf;
    uint32_t *group_of; /* [nsw] group of a leaf switch */
    uint32_t done, tasks;
};

/* ---- text (advise_text.c) -------------------------------------------------------------------- */

void *hd_advise_alloc(struct hd_advising *a, size_t n, size_t size);
/* A string of the report's; "" when memory is out. */
const char *hd_say(struct hd_advising *a, const char *fmt, ...) HD_PRINTF(2, 3);
void hd_advise_fact(struct hd_advising *a, const char *name, const char *text);
void hd_advise_finding(struct hd_advising *a, enum hd_verdict verdict, const char *subject, const char *text);
void hd_advise_note(struct hd_advising *a, const char *text);
/* "heddle verb NET table rest OPTIONS", words quoted for a shell; table and rest may be NULL. */
const char *hd_advise_command(struct hd_advising *a, const char *verb, const char *table, const char *rest);
/* A word as a shell reads it. */
const char *hd_shell(struct hd_advising *a, const char *word);

struct hd_name_list { /* "a, b, c and 4 more" */
    char text[400];
    uint32_t n, most;
};
void hd_name_list_add(struct hd_name_list *names, const char *fmt, ...) HD_PRINTF(2, 3);
const char *hd_name_list_end(struct hd_name_list *names);

/* A context for one thread of several: no threads, processes or messages of its own. */
struct hd_ctx hd_advise_ctx(const struct hd_advising *a);
void hd_advise_progress(struct hd_advising *a, const char *what);

/* ---- steps ------------------------------------------------------------------------------------ */

hd_status hd_advise_facts(struct hd_advising *a);
hd_status hd_advise_fabric(struct hd_advising *a);
hd_status hd_advise_current(struct hd_advising *a);
hd_status hd_advise_groups(struct hd_advising *a);
hd_status hd_advise_options(struct hd_advising *a);
/* One option: check, figures, loads. routes: the current table, NULL: made by the engine. */
hd_status hd_advise_measure(struct hd_advising *a, struct hd_ctx *ctx, struct hd_option *o,
                            const struct hd_routes *routes);
hd_status hd_advise_heat(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r, struct hd_option *o);
hd_status hd_advise_adaptive(struct hd_advising *a, struct hd_ctx *ctx);
hd_status hd_advise_rank(struct hd_advising *a);
/* Rank orders: today's, and the one that goes with a goal. */
enum hd_goal hd_advise_today(const struct hd_advise_in *in);
enum hd_goal hd_advise_rank_goal(const char *goal);
hd_status hd_advise_order(struct hd_advising *a);
hd_status hd_advise_what_if(struct hd_advising *a);
/* The engine that routes anew for an option: its own, or the best loadable one for a table kept; NULL: none. */
const struct hd_option *hd_advise_rerouter(const struct hd_advising *a, const struct hd_option *o);
/* Cables to mend; and, once a table is recommended, what mending them brings. */
hd_status hd_advise_cables(struct hd_advising *a);
hd_status hd_advise_repair(struct hd_advising *a);
/* "leaf02 port 19 - spine3 port 4" */
const char *hd_advise_cable(struct hd_advising *a, const struct hd_repair *x);
/* One more clause of what to do about the cabling. */
void hd_advise_mend(struct hd_advising *a, const char *clause);
/* The step that mends the cabling; false: nothing is to mend. */
bool hd_advise_mend_step(struct hd_advising *a, struct hd_step *step);
void hd_advise_headline(struct hd_advising *a);
/* Why no tables need loading, whichever engine is best; NULL: they do. */
const char *hd_advise_needless(const struct hd_advising *a);
void hd_advise_steps(struct hd_advising *a);
void hd_advise_quantities(struct hd_advising *a);

/* Whether a failure means that this engine, pattern or metric is not for this network, and no more than that. */
static inline bool hd_unsuited(hd_status s)
{
    return s == HD_INPUT || s == HD_NA;
}

/* Routes of an option. *made tells whether the caller must free them. */
hd_status hd_advise_open(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_option *o,
                         const struct hd_routes **r, struct hd_routes **made);

/* ---- predicted work (advise_work.c) ------------------------------------------------------------ */

/* In steps: one entry of a table, or one channel of one path, looked at. */
double hd_work_build(const struct hd_advising *a, const char *engine);
double hd_work_check(const struct hd_advising *a, uint32_t variants);
uint64_t hd_work_samples(const struct hd_advising *a, uint32_t split); /* of random patterns that are affordable */
bool hd_work_worst(const struct hd_advising *a, uint32_t split);
bool hd_work_order(const struct hd_advising *a, uint32_t split);
uint64_t hd_work_runs(const struct hd_advising *a, bool adaptive); /* of the packet simulator; 0: none */
/* Whether an engine may do so much; else why_not says it. */
bool hd_work_fits(struct hd_advising *a, struct hd_option *o, const char *what, double work);
void hd_work_tell(struct hd_advising *a); /* notes on what was left out */
uint32_t hd_work_cases(const struct hd_advising *a, const char *engine, uint32_t most);
uint64_t hd_work_case_samples(const struct hd_advising *a, uint32_t cases); /* of random patterns in each case */
enum { HD_HEAT_SAMPLES = 200 };

#endif
