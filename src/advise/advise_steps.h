/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of an advice share. A step is a function hd_advise_NAME in advise_NAME.c; the comment at each says
 * which parts of the report it reads and which it fills. Making options and trying failure cases are distributed over
 * threads, each with a context of its own, and no thread touches the option or the case of another. */
#ifndef HD_ADVISE_ADVISE_STEPS_H
#define HD_ADVISE_ADVISE_STEPS_H

#include "base/arena.h"
#include "base/context.h"
#include "heddle/advise.h"
#include "tool/report_data.h"
#include "heddle/sim.h"

#include <pthread.h>

/* Columns of the comparison. A collective has two: in the current rank order, then in the suggested one. */
enum hd_advise_quantity {
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

enum { HD_VIEW_BISECT, HD_VIEW_PAIRS, HD_VIEWS };

enum { HD_ADVISE_VLS = 8, HD_HEAT_SAMPLES = 200 };

/* Scores no further apart than half a per cent are the same: about the confidence width of the figures. */
#define HD_SAME_SCORE 0.995
/* A level is oversubscribed from here on: single cables of a large one are none of it. */
#define HD_OVERSUBSCRIBED 1.0005
/* A table that cannot be loaded as it is, and a rank order, are worth mentioning from 5 % on. */
#define HD_WORTH 0.05
/* A change of routing is worth a maintenance window from 2 % on. */
#define HD_WORTH_CHANGE 0.02
/* A table that scores this much of another one comes near it. */
#define HD_NEAR_SCORE 0.97

/* What --for asks for. The names are those of users; "random" is random pairs here and a random order of ranks in
 * `heddle order`. */
struct hd_advise_goal {
    const char *name;
    enum hd_goal order;                  /* the rank order that goes with it */
    const char *rule;                    /* in words */
    uint32_t nquantity;                  /* the score is the geometric mean of these */
    enum hd_advise_quantity quantity[3]; /* of the first the headline says "before VALUE behind" */
    const char *before, *behind;
    enum hd_case collective; /* whose gain by ordering ranks the headline gives */
    const char *collective_text;
};

/* What later steps use of a measured option again. */
struct hd_advise_kept {
    struct hd_routes *routes;        /* NULL: the current table's, or too large to keep */
    struct hd_advise_orders *orders; /* NULL: not counted */
    struct hd_advise_said *said;     /* [nquantity] the command of each figure, which differs between equal tables */
    uint64_t paths;                  /* the same of tables with the same paths and VLs, 0: not known */
};

struct hd_advise_said {
    const char *verb, *rest; /* NULL verb: none */
};

/* Collectives in the current rank order and in the suggested one, under one table. */
struct hd_advise_orders {
    struct hd_hsd before[HD_CASES], after[HD_CASES];
    double bound; /* of the average HSD of an all-to-all, whatever the order */
    const char *how, *claim;
    double ebb; /* of the job whose nodes were given; NAN: none were */
};

struct hd_advising {
    struct hd_ctx *ctx;
    const struct hd_advise_in *in;
    const struct hd_net *net;
    struct hd_report *report;
    struct hd_arena *arena; /* the report's; only through the functions below */
    pthread_mutex_t lock;   /* of arena, progress and failures; a named OpenMP critical would be an exported symbol */
    bool failed;            /* memory ran out in one of them */
    bool stopped;           /* the caller wants the call to end */
    const struct hd_advise_goal *goal;
    struct hd_topo_info info;
    struct hd_check current_check;   /* of the current table, where there is one */
    struct hd_nodes *nodes;          /* NULL: no order can be made */
    enum hd_goal before, after;      /* rank orders compared */
    const char *split;               /* components that are no planes: one cannot reach another; NULL: none */
    const struct hd_cabling *faults; /* of the cabling */
    const char *cabling;             /* what to do about the cabling, clause by clause; NULL: nothing */
    const char *cabling_brief;       /* the same without what it is about */
    bool switches_away;              /* it names switches that are dead or cut off, which a repaired copy leaves so */
    uint32_t nleaf;
    uint32_t *group_of;  /* [nsw] group of a leaf switch */
    uint64_t bytes_kept; /* of routes */
    uint32_t done, tasks;
};

/* Whether a failure means that this engine, pattern or metric is not for this network, and no more than that. */
static inline bool hd_unsuited(hd_status s)
{
    return s == HD_INPUT || s == HD_NA;
}

/* ---- text (advise_text.c) -------------------------------------------------------------------- */

void *hd_advise_alloc(struct hd_advising *a, size_t n, size_t size);
/* A string of the report's; "" when memory is out. */
const char *hd_say(struct hd_advising *a, const char *fmt, ...) HD_PRINTF(2, 3);
/* "s" but for one. */
const char *hd_plural(uint64_t n);
void hd_advise_fact(struct hd_advising *a, const char *name, const char *text);
void hd_advise_finding(struct hd_advising *a, enum hd_verdict verdict, const char *subject, const char *fmt, ...)
    HD_PRINTF(4, 5);
void hd_advise_note(struct hd_advising *a, const char *text);
/* One more clause of what to do about the cabling: what, and which; NULL: that says it all. */
void hd_advise_cabling(struct hd_advising *a, const char *deed, const char *list);
/* "heddle verb NET table rest OPTIONS", words quoted for a shell; table and rest may be NULL. */
const char *hd_advise_command(struct hd_advising *a, const char *verb, const char *table, const char *rest);
/* A word as a shell reads it. */
const char *hd_shell(struct hd_advising *a, const char *word);
/* The same of a network or a table, which may be a file. */
const char *hd_shell_file(struct hd_advising *a, const char *file);

enum { HD_NAMED = 3 }; /* examples per line */

struct hd_name_list { /* "a, b, c and 4 more" */
    char text[400];
    uint32_t n, most;
};
void hd_name_list_add(struct hd_name_list *names, const char *fmt, ...) HD_PRINTF(2, 3);
const char *hd_name_list_end(struct hd_name_list *names);

/* A context for one thread of several: no threads, processes or messages of its own. */
struct hd_ctx hd_advise_ctx(const struct hd_advising *a);
/* The same for what has all threads to itself. */
struct hd_ctx hd_advise_ctx_all(const struct hd_advising *a);
void hd_advise_progress(struct hd_advising *a, const char *what);
/* Whether the caller wants the call to end; only its own thread asks. Tasks that were not begun are left out then, and
 * hd_advise_go_on fails before the next step. */
bool hd_advise_stopped(struct hd_advising *a);
hd_status hd_advise_go_on(struct hd_advising *a);
/* Records the outcome of one thread of several; of failures, the first one stays in *worst with its message. */
void hd_advise_record(struct hd_advising *a, hd_status s, const struct hd_ctx *ctx, hd_status *worst);

/* ---- steps, in the order in which they run ----------------------------------------------------- */

/* Fills fact. */
hd_status hd_advise_facts(struct hd_advising *a);
/* Fills repair. */
hd_status hd_advise_cables(struct hd_advising *a);
/* Reads repair; fills finding, verdict, note. */
hd_status hd_advise_findings(struct hd_advising *a);
/* advise_missing.c: faults of one kind, between switches or at hosts, in the words of the report; how many. */
uint32_t hd_advise_faults(struct hd_advising *a, enum hd_cabling_kind kind, bool hosts, struct hd_name_list *names);
hd_status hd_advise_missing(struct hd_advising *a);
/* The part of it about rates of cables. */
hd_status hd_advise_rates(struct hd_advising *a);
/* The part of it about ports of hosts; fills lacking too. */
hd_status hd_advise_rails(struct hd_advising *a);
/* Fills finding and verdict. */
hd_status hd_advise_current(struct hd_advising *a);
/* Reads the folder that the network came from; fills fact, finding, note. */
hd_status hd_advise_ar_findings(struct hd_advising *a);
/* Fills group. */
hd_status hd_advise_groups(struct hd_advising *a);
/* Fills quantity and view. */
void hd_advise_quantities(struct hd_advising *a);
/* Reads group, quantity, view; fills option but for score and mark. */
hd_status hd_advise_options(struct hd_advising *a);
/* Reads option; fills its figure of adaptive routing, note. */
hd_status hd_advise_adaptive(struct hd_advising *a);
/* Reads option, quantity; fills score and mark of every option, sorts option, fills best, rule, reason, note. No later
 * step moves an option or changes best. */
hd_status hd_advise_ranking(struct hd_advising *a);
/* Reads best, option; fills choice. */
void hd_advise_choices(struct hd_advising *a);
/* Reads best, option, choice; fills order_*, before_after, note. */
hd_status hd_advise_order(struct hd_advising *a);
/* Reads best, option; fills what_if, note. */
hd_status hd_advise_whatif(struct hd_advising *a);
/* Reads best, option, repair; fills repair_*. */
hd_status hd_advise_repair(struct hd_advising *a);
/* Reads what_if; fills the cost of choices. */
void hd_advise_costs(struct hd_advising *a);
/* Reads best, option, choice, finding, before_after, order_better, repair_*; fills headline. */
void hd_advise_headline(struct hd_advising *a);
/* Reads best, option, choice, repair_*, order_*; fills step. */
void hd_advise_todo(struct hd_advising *a);

/* Reads best, option; adds to step and note what an adaptively routed fabric needs. */
hd_status hd_advise_ar_todo(struct hd_advising *a);

/* ---- parts of steps that others use too --------------------------------------------------------- */

/* The name in opensm.conf of the engine of OpenSM that computes the table of this spec; NULL: none. */
const char *hd_advise_native(const char *table);
/* Engines of OpenSM to run, by the names of opensm.conf; NULL past the last. */
const char *hd_advise_native_at(size_t i);
/* The spec that predicts the table of an engine of OpenSM, else its own. */
const char *hd_advise_native_table(const struct hd_report_option *o);
/* The option that jobs will run with, if the advice is taken: that of the recommended choice, else best. */
uint32_t hd_advise_recommended(const struct hd_report *r);
/* " (+18 % +-1 %)"; "" where a gain is not known or means nothing. */
const char *hd_advise_percent(struct hd_advising *a, const struct hd_report_choice *c);
/* The recommended choice; NULL: none. */
const struct hd_report_choice *hd_advise_taken(const struct hd_report *r);
/* The cheapest choice that comes near the best, whether or not it is worth a change; NULL: there is no choice. */
const struct hd_report_choice *hd_advise_nearest(const struct hd_report *r);

/* The goal of that name, balanced for NULL; NULL: there is none. */
const struct hd_advise_goal *hd_advise_goal(const char *name);
hd_status hd_advise_goal_unknown(struct hd_ctx *ctx, const char *name);

/* Routes of an option, kept or made again; the caller frees *made, which is NULL where they are not his. */
hd_status hd_advise_open(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_report_option *o,
                         const struct hd_routes **r, struct hd_routes **made);
/* What is kept of an option is released, but for the routes of the recommended one, which the report takes over. */
void hd_advise_release(struct hd_advising *a);

/* One option: whether its table is sound, then figures, loads and heat; or those of an option whose paths and VLs are
 * the same. */
hd_status hd_advise_check(struct hd_advising *a, struct hd_ctx *ctx, struct hd_report_option *o,
                          const struct hd_routes *r);
hd_status hd_advise_measure(struct hd_advising *a, struct hd_ctx *ctx, struct hd_report_option *o,
                            const struct hd_routes *r);
bool hd_advise_equal(const struct hd_report_option *x, const struct hd_report_option *y);
hd_status hd_advise_measured_as(struct hd_advising *a, struct hd_report_option *o, const struct hd_report_option *same);
hd_status hd_advise_heat(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r,
                         struct hd_report_option *o);
struct hd_work_packets {
    uint64_t runs, packets; /* of the simulator, packets per sender and run; 0 runs: too much work */
};

/* Effective bisection bandwidth; request has the number of samples and what is to be recorded. The samples are the
 * same for every table, so that their noise does not hide what tables differ in. */
hd_status hd_advise_ebb(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_request request,
                        struct hd_result *result);
/* The same of an option as the fabric is: as measured where the samples are as many. Only value and ci are set. */
hd_status hd_advise_ebb_of(struct hd_advising *a, const struct hd_report_option *o, uint64_t samples,
                           struct hd_result *result);
/* "heddle eval NET table -p bisect -m ebb -n samples" and more options, which may be "". */
const char *hd_advise_ebb_command(struct hd_advising *a, const char *table, uint64_t samples, const char *more);
/* Packets of random bisections in the simulator, with the model of the fabric's links, over a stretch of time in which
 * senders never end; value is NAN where they deadlock or nothing can be simulated. */
struct hd_advise_packets {
    double value, ci;
    bool deadlock;
    const char *rest; /* "heddle sim NET TABLE rest" prints value; NULL: it is NAN */
};
hd_status hd_advise_simulate(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r, const char *selector,
                             struct hd_work_packets work, struct hd_advise_packets *out);
/* Counts collectives in both rank orders. HD_INPUT: there is no such order. */
hd_status hd_advise_count_orders(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r,
                                 struct hd_advise_orders *orders);
/* The rank order that jobs have without advice. */
enum hd_goal hd_advise_current_order(const struct hd_advise_in *in);
/* Whether callers gave what there is no default for, and a table of the same network: HD_USAGE otherwise. */
hd_status hd_advise_check_in(struct hd_ctx *ctx, const struct hd_advise_in *in);

/* The engine that reroutes for an option: its own, or the best loadable one for a table that is kept; NULL: none. */
const struct hd_report_option *hd_advise_rerouter(const struct hd_advising *a, const struct hd_report_option *o);
/* Of an adaptively routed fabric (advise_ar.c): what to recommend instead of the table chosen, and in what words; the
 * same table and NULL of others. */
uint32_t hd_advise_ar_best(const struct hd_advising *a, uint32_t chosen);
const char *hd_advise_ar_headline(struct hd_advising *a);
/* Why no tables need loading, whichever engine is best; NULL: they do. */
const char *hd_advise_needless(const struct hd_advising *a);

/* ---- predicted work (advise_work.c) ------------------------------------------------------------ */

/* In steps: one table entry, or one channel of one path, read. */
double hd_work_build(const struct hd_advising *a, const char *engine);
double hd_work_check(const struct hd_advising *a, uint32_t variants);
uint64_t hd_work_samples(const struct hd_advising *a, uint32_t split); /* of random patterns that are affordable */
bool hd_work_worst(const struct hd_advising *a, uint32_t split);
bool hd_work_order(const struct hd_advising *a, uint32_t split);
/* Of the packet simulator: for each table, or once for adaptive routing. */
struct hd_work_packets hd_work_runs(const struct hd_advising *a, bool adaptive);
/* Whether an engine may do so much; else the option is left out and why_not says so. */
bool hd_work_fits(struct hd_advising *a, struct hd_report_option *o, const char *what, double work);
void hd_work_notes(struct hd_advising *a); /* on what was left out */
uint32_t hd_work_cases(const struct hd_advising *a, const char *engine, uint32_t most);
uint64_t hd_work_case_samples(const struct hd_advising *a, uint32_t cases); /* of random patterns in each case */

#endif
