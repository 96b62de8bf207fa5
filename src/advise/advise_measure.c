/* SPDX-License-Identifier: BSD-2-Clause */
/* One routing: built, checked and measured. Each figure is what one command of heddle prints, and carries it. What
 * cannot be had (too few endpoints, too much work) stays NAN. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "load/all_pairs.h"
#include "load/loads.h"
#include "heddle/registry.h"

#include <math.h>
#include <string.h>

/* ---- columns ----------------------------------------------------------------------------------- */

static const struct hd_quantity quantities[HD_QS] = {
    [HD_Q_EBB] = {"ebb", "EBB",
                  "Effective bisection bandwidth: half the endpoints, drawn at random, send to the other half; the "
                  "mean share of its link a sender gets.",
                  "rows.0.value", true, false},
    [HD_Q_PERMUTATION] = {"permutation", "permutation",
                          "Bandwidth of the slowest sender when everybody sends to a random other one, as a share of a "
                          "link; mean over permutations.",
                          "rows.0.value", true, false},
    [HD_Q_WORST] = {"worst", "worst case",
                    "Senders that meet on one cable in the worst permutation there is, found exactly.", "rows.0.value",
                    false, false},
    [HD_Q_EFI] = {"efi", "largest load",
                  "Pairs of endpoints whose path uses the most loaded cable between switches, in one direction "
                  "(edge-forwarding index).",
                  "rows.0.value", false, false},
    [HD_Q_HOPS] = {"hops", "hops", "Cables on a path, on average, those of the endpoints included.", "rows.0.value",
                   false, false},
    [HD_Q_RING_NOW] =
        {"ring_now", "ring, today's order",
         "Hot-spot degree of a ring (rank i sends to i+1) in today's rank order: flows that meet on the busiest cable.",
         "before.ring.hsd", false, false},
    [HD_Q_RING] = {"ring", "ring", "The same in the rank order recommended here.", "after.ring.hsd", false, false},
    [HD_Q_ALLTOALL_NOW] = {"alltoall_now", "all-to-all, today's order",
                           "Hot-spot degree of an all-to-all in stages (rank i sends to i+s) in today's rank order, "
                           "mean over the stages.",
                           "before.alltoall.hsd", false, true},
    [HD_Q_ALLTOALL] = {"alltoall", "all-to-all", "The same in the rank order recommended here.", "after.alltoall.hsd",
                       false, true},
    [HD_Q_RECDBL_NOW] =
        {"recdbl_now", "doubling, today's order",
         "Hot-spot degree of recursive doubling (ranks i and i xor 2^s) in today's rank order, mean over the stages.",
         "before.recdbl.hsd", false, false},
    [HD_Q_RECDBL] = {"recdbl", "doubling", "The same in the rank order recommended here.", "after.recdbl.hsd", false,
                     false},
    [HD_Q_PACKETS] =
        {"packets", "packets",
         "Random bisections again, simulated packet by packet over this table: mean share of what a sender gets alone.",
         "rows.0.fraction", true, false},
    [HD_Q_ADAPTIVE] = {"adaptive", "adaptive",
                       "The same with adaptive routing on: switches send each packet by the least loaded shortest way, "
                       "whatever the table says.",
                       "rows.0.fraction", true, false},
};

static const struct hd_view views[HD_VIEWS] = {[HD_VIEW_BISECT] = {"bisect", "random bisections"},
                                               [HD_VIEW_PAIRS] = {"allpairs", "everybody to everybody"}};

const char *hd_advise_view_name(size_t i)
{
    return i < HD_VIEWS ? views[i].name : NULL;
}

void hd_advise_quantities(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    r->quantity = hd_advise_alloc(a, HD_QS, sizeof *r->quantity);
    r->view = hd_advise_alloc(a, HD_VIEWS, sizeof *r->view);
    if (!r->quantity || !r->view) return;
    memcpy(r->quantity, quantities, sizeof quantities);
    memcpy(r->view, views, sizeof views);
    r->nquantity = HD_QS;
    r->nview = HD_VIEWS;
}

struct measuring {
    struct hd_advising *a;
    struct hd_ctx *ctx;
    struct hd_option *o;
    const struct hd_routes *r;
    uint32_t split; /* paths a pair uses at once */
    uint64_t samples;
    float *kept;
};

static void set(struct measuring *m, enum hd_q q, double value, double bound, const char *command)
{
    struct hd_figure *f = &m->o->figure[q];
    f->value = value;
    f->bound = bound;
    f->command = isnan(value) ? NULL : command;
}

/* HD_INPUT of a measurement (too few endpoints, ...) leaves the figure open; other failures are passed on. */
static hd_status forgive(hd_status s)
{
    return hd_unsuited(s) || s == HD_FAULT ? HD_OK : s;
}

/* ---- loads ------------------------------------------------------------------------------------- */

static void keep_sample(void *user, uint64_t index, double value)
{
    struct measuring *m = user;
    m->kept[index] = (float)value;
}

/* EBB with its samples, and the mean load of every channel in the same samples. */
static hd_status ebb(struct measuring *m)
{
    struct hd_arena scratch = {0};
    const struct hd_net *net = m->a->net;
    struct hd_request q = {
        .pattern = "bisect", .metric = "ebb", .samples = m->samples, .sample = keep_sample, .user = m};
    struct hd_result result;
    struct hd_rates rates;
    q.load_sum = HD_NEW(&scratch, uint64_t, net->nchan + 1);
    q.load_max = HD_NEW(&scratch, uint32_t, net->nchan + 1);
    m->kept = hd_advise_alloc(m->a, m->samples, sizeof *m->kept);
    hd_status s = q.load_sum && q.load_max && m->kept ? HD_OK : hd_fail_memory(m->ctx);
    if (s == HD_OK) s = hd_rates_init(m->ctx, &scratch, net, &rates);
    if (s == HD_OK) s = hd_eval(m->ctx, m->r, &q, &result);
    if (s == HD_OK) {
        double unit = (double)m->split * (double)result.samples * rates.scale;
        for (uint32_t c = 0; c < net->nchan; c++)
            m->o->load[HD_VIEW_BISECT][c] =
                (float)((double)q.load_sum[c] * (rates.factor ? rates.factor[c] : 1) / unit);
        m->o->sample = m->kept;
        m->o->nsample = (uint32_t)result.samples;
        set(m, HD_Q_EBB, result.value, result.bound,
            hd_advise_command(m->a, "eval", m->o->table,
                              hd_say(m->a, "-p bisect -m ebb -n %llu", (unsigned long long)m->samples)));
        m->o->figure[HD_Q_EBB].ci = result.ci;
    }
    hd_arena_release(&scratch);
    return forgive(s);
}

/* Everybody sends to everybody: loads such that an endpoint's own cable has 1, and what eval makes of them. */
static hd_status all_pairs(struct measuring *m)
{
    struct hd_arena scratch = {0};
    const struct hd_net *net = m->a->net;
    struct hd_allpairs all;
    struct hd_rates rates;
    hd_status s = hd_rates_init(m->ctx, &scratch, net, &rates);
    if (s == HD_OK) s = hd_allpairs_load(m->ctx, &scratch, m->r, &all);
    if (s == HD_OK) {
        double unit = (double)all.unit * (net->nsel - 1) * rates.scale;
        uint64_t most = 0, served = all.pairs * all.unit - all.unserved;
        for (uint32_t c = 0; c < net->nchan; c++) {
            m->o->load[HD_VIEW_PAIRS][c] = (float)((double)all.load[c] * (rates.factor ? rates.factor[c] : 1) / unit);
            if (net->head[c] < net->nsw && net->tail[c] < net->nsw && all.load[c] > most) most = all.load[c];
        }
        set(m, HD_Q_EFI, (double)most / all.unit, NAN, hd_advise_command(m->a, "eval", m->o->table, "-m efi"));
        set(m, HD_Q_HOPS, served ? (double)all.hops / (double)served : 0, NAN,
            hd_advise_command(m->a, "eval", m->o->table, "-m hops"));
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- figures of eval --------------------------------------------------------------------------- */

static hd_status evaluate(struct measuring *m, enum hd_q q, const char *pattern, const char *metric, uint64_t samples)
{
    struct hd_request request = {.pattern = pattern, .metric = metric, .samples = samples};
    struct hd_result result;
    hd_status s = hd_eval(m->ctx, m->r, &request, &result);
    if (s != HD_OK) return forgive(s);
    const char *rest = samples ? hd_say(m->a, "-p %s -m %s -n %llu", pattern, metric, (unsigned long long)samples)
                               : hd_say(m->a, "-m %s", metric);
    set(m, q, result.value, result.bound, hd_advise_command(m->a, "eval", m->o->table, rest));
    m->o->figure[q].ci = result.ci;
    return HD_OK;
}

/* ---- rank orders ------------------------------------------------------------------------------- */

static void set_hsd(struct measuring *m, enum hd_q first, const struct hd_hsd *before, const struct hd_hsd *after,
                    double bound, const char *command)
{
    set(m, first, before->average, bound, command);
    set(m, first + 1, after->average, bound, command);
}

static hd_status orders(struct measuring *m)
{
    struct hd_advising *a = m->a;
    struct hd_order *before = NULL, *after = NULL;
    struct hd_hsd old[HD_CASES], new[HD_CASES];
    double bound = NAN;
    if (!a->nodes || !hd_work_order(a, m->split)) return HD_OK;
    hd_status s = hd_order_make(m->ctx, m->r, a->nodes, a->before, &before);
    if (s == HD_OK) s = hd_order_make(m->ctx, m->r, a->nodes, a->after, &after);
    if (s == HD_OK) s = hd_order_count_all(m->ctx, m->r, a->nodes, before->rank, old, &bound);
    if (s == HD_OK) s = hd_order_count_all(m->ctx, m->r, a->nodes, after->rank, new, NULL);
    if (s == HD_OK) {
        const char *nodes = a->in->nodes ? hd_say(a, "--nodes %s ", hd_shell(a, a->in->nodes)) : "";
        const char *command =
            hd_advise_command(a, "order", m->o->table, hd_say(a, "%s--for %s", nodes, hd_goal_name(a->after)));
        set_hsd(m, HD_Q_RING_NOW, &old[HD_CASE_RING], &new[HD_CASE_RING], 1, command);
        set_hsd(m, HD_Q_ALLTOALL_NOW, &old[HD_CASE_SHIFT], &new[HD_CASE_SHIFT], bound, command);
        set_hsd(m, HD_Q_RECDBL_NOW, &old[HD_CASE_RECDBL], &new[HD_CASE_RECDBL], 1, command);
    }
    hd_order_free(before);
    hd_order_free(after);
    return forgive(s);
}

/* ---- packets ----------------------------------------------------------------------------------- */

enum { MESSAGE = 64 << 10, MESSAGES = 4 };

static hd_status simulate(struct measuring *m, const char *selector, uint64_t runs, double *fraction, bool *deadlock)
{
    struct hd_sim_request q = {
        .pattern = "bisect", .selector = selector, .samples = runs, .size = MESSAGE, .messages = MESSAGES};
    struct hd_sim_result result;
    *fraction = NAN;
    *deadlock = false;
    hd_status s = hd_sim(m->ctx, m->r, &q, &result);
    if (s != HD_OK) return forgive(s);
    *deadlock = result.deadlocks > 0;
    if (!result.deadlocks) *fraction = result.fraction;
    return HD_OK;
}

static const char *packet_command(struct hd_advising *a, const char *table, const char *selector, uint64_t runs)
{
    return hd_advise_command(a, "sim", table,
                             hd_say(a, "-p bisect -n %llu --size 64KiB --messages %d%s%s", (unsigned long long)runs,
                                    MESSAGES, selector ? " --select " : "", selector ? selector : ""));
}

static hd_status packets(struct measuring *m)
{
    uint64_t runs = hd_work_runs(m->a, false);
    double fraction;
    bool deadlock;
    /* the simulator leaves out flows without a path, which would flatter a table with holes */
    if (!runs || m->o->deadlock_free != 1 || m->o->unreachable || m->o->loops) return HD_OK;
    HD_TRY(simulate(m, NULL, runs, &fraction, &deadlock));
    set(m, HD_Q_PACKETS, fraction, NAN, packet_command(m->a, m->o->table, NULL, runs));
    return HD_OK;
}

/* Adaptive routing does not look at the table: one value for all options. Any table will do to run it; up/down
 * exists on every network. */
hd_status hd_advise_adaptive(struct hd_advising *a, struct hd_ctx *ctx)
{
    struct hd_option probe = {.table = "updown"};
    struct measuring m = {.a = a, .ctx = ctx, .o = &probe};
    struct hd_routes *made;
    uint64_t runs = hd_work_runs(a, true);
    double fraction;
    bool deadlock;
    if (!runs || a->net->nsel < 2) return HD_OK;
    HD_TRY(hd_routes_open(ctx, a->net, probe.table, &made));
    m.r = made;
    hd_status s = simulate(&m, "ar", runs, &fraction, &deadlock);
    hd_routes_free(made);
    if (s != HD_OK) return s;
    if (deadlock)
        hd_advise_note(
            a,
            "Adaptive routing over all shortest ways deadlocks on this network in the packet simulator: no estimate.");
    const char *command = packet_command(a, probe.table, "ar", runs);
    for (uint32_t i = 0; i < a->report->noption; i++) {
        struct hd_option *o = &a->report->option[i];
        if (o->why_not) continue;
        o->figure[HD_Q_ADAPTIVE].value = fraction;
        if (!isnan(fraction)) o->figure[HD_Q_ADAPTIVE].command = command;
    }
    return HD_OK;
}

/* ---- one option -------------------------------------------------------------------------------- */

static hd_status prepare(struct measuring *m)
{
    struct hd_option *o = m->o;
    o->figure = hd_advise_alloc(m->a, HD_QS, sizeof *o->figure);
    o->load = hd_advise_alloc(m->a, HD_VIEWS, sizeof *o->load);
    if (!o->figure || !o->load) return hd_fail_memory(m->ctx);
    for (int v = 0; v < HD_VIEWS; v++)
        if (!(o->load[v] = hd_advise_alloc(m->a, m->a->net->nchan, sizeof **o->load))) return hd_fail_memory(m->ctx);
    for (int q = 0; q < HD_QS; q++) o->figure[q] = (struct hd_figure){.value = NAN, .bound = NAN};
    return HD_OK;
}

static hd_status check(struct measuring *m)
{
    struct hd_check k;
    struct hd_option *o = m->o;
    HD_TRY(hd_routes_check(m->ctx, m->r, &k));
    o->deadlock_free = k.deadlock_free;
    o->lanes = k.lanes;
    o->unreachable = k.unreachable;
    o->loops = k.loops;
    o->nonminimal = k.nonminimal;
    o->variants = hd_routes_variants(m->r);
    o->command = hd_advise_command(m->a, "check", o->table, NULL);
    return HD_OK;
}

hd_status hd_advise_measure(struct hd_advising *a, struct hd_ctx *ctx, struct hd_option *o, const struct hd_routes *r)
{
    struct measuring m = {.a = a, .ctx = ctx, .o = o, .r = r, .split = 1};
    enum hd_select select = hd_routes_select(r);
    if (select == HD_SELECT_ALL || select == HD_SELECT_PACKET) m.split = hd_routes_variants(r);
    m.samples = hd_work_samples(a, m.split);
    HD_TRY(prepare(&m));
    HD_TRY(check(&m));
    if (a->net->nsel < 2) return HD_OK;
    HD_TRY(ebb(&m));
    HD_TRY(all_pairs(&m));
    HD_TRY(hd_advise_heat(a, ctx, r, o));
    if (a->in->compare_only) return HD_OK;
    HD_TRY(evaluate(&m, HD_Q_PERMUTATION, "permutation", "minbw", m.samples));
    if (hd_work_worst(a, m.split)) HD_TRY(evaluate(&m, HD_Q_WORST, NULL, "worst", 0));
    HD_TRY(orders(&m));
    return packets(&m);
}
