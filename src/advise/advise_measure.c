/* SPDX-License-Identifier: BSD-2-Clause */
/* One option: checked and measured. Each figure is what one command of heddle prints, and carries that command. What
 * cannot be measured (too few endpoints) or would be too much work stays NAN. Cost: see advise_work.c, which predicts
 * it. Options with the same paths are measured once. */
#include "advise/advise_steps.h"
#include "base/rows.h"
#include "base/status.h"
#include "heddle/metric.h"
#include "load/all_pairs.h"
#include "load/rates.h"
#include "route/core/routes_view.h"

#include <math.h>
#include <stdlib.h>

struct option_measure {
    struct hd_advising *a;
    struct hd_ctx *ctx;
    struct hd_report_option *o;
    const struct hd_routes *r;
    uint32_t split; /* paths a pair uses at once */
    uint64_t samples;
    float *kept;
};

/* verb and rest: of the command that prints the value. */
static void measure_set(struct option_measure *m, uint32_t q, double value, double bound, const char *verb,
                        const char *rest)
{
    struct hd_report_figure *f = &m->o->figure[q];
    f->value = value;
    f->bound = bound;
    if (isnan(value)) return;
    f->command = hd_advise_command(m->a, verb, m->o->table, rest);
    m->o->kept->said[q] = (struct hd_advise_said){verb, rest};
}

/* HD_INPUT of a measurement (too few endpoints, ...) leaves the figure open; other failures are passed on. */
static hd_status measure_forgive(hd_status s)
{
    return hd_unsuited(s) || s == HD_FAULT ? HD_OK : s;
}

/* ---- loads ------------------------------------------------------------------------------------- */

static void measure_keep_sample(void *user, uint64_t index, double value)
{
    struct option_measure *m = user;
    m->kept[index] = (float)value;
}

hd_status hd_advise_ebb(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_request request,
                        struct hd_result *result)
{
    request.pattern = "bisect";
    request.metric = "ebb";
    return hd_eval(ctx, r, &request, result);
}

hd_status hd_advise_ebb_of(struct hd_advising *a, const struct hd_report_option *o, uint64_t samples,
                           struct hd_result *result)
{
    const struct hd_routes *r;
    struct hd_routes *made;
    if (o->nsample == samples) {
        *result = (struct hd_result){.value = o->figure[HD_Q_EBB].value, .ci = o->figure[HD_Q_EBB].ci};
        return HD_OK;
    }
    HD_TRY(hd_advise_open(a, a->ctx, o, &r, &made));
    hd_status s = hd_advise_ebb(a->ctx, r, (struct hd_request){.samples = samples}, result);
    hd_routes_free(made);
    return s;
}

static const char *ebb_words(struct hd_advising *a, uint64_t samples, const char *more)
{
    return hd_say(a, "-p bisect -m ebb -n %llu%s", (unsigned long long)samples, more);
}

const char *hd_advise_ebb_command(struct hd_advising *a, const char *table, uint64_t samples, const char *more)
{
    return hd_advise_command(a, "eval", table, ebb_words(a, samples, more));
}

/* EBB with its samples, and the mean load of every channel in the same samples. */
static hd_status measure_ebb(struct option_measure *m)
{
    struct hd_arena scratch = {0};
    const struct hd_net *net = m->a->net;
    struct hd_request q = {.samples = m->samples, .sample = measure_keep_sample, .user = m};
    struct hd_result result;
    const struct hd_rates *rates = NULL;
    q.load_sum = HD_NEW(&scratch, uint64_t, net->nchan + 1);
    q.load_max = HD_NEW(&scratch, uint32_t, net->nchan + 1);
    m->kept = hd_advise_alloc(m->a, m->samples, sizeof *m->kept);
    hd_status s = q.load_sum && q.load_max && m->kept ? HD_OK : hd_fail_memory(m->ctx);
    if (s == HD_OK) s = hd_rates_of(m->ctx, net, &rates);
    if (s == HD_OK) s = hd_advise_ebb(m->ctx, m->r, q, &result);
    if (s == HD_OK) {
        double unit = (double)m->split * (double)result.samples * rates->scale;
        for (uint32_t c = 0; c < net->nchan; c++)
            m->o->load[HD_VIEW_BISECT][c] =
                (float)((double)q.load_sum[c] * (rates->factor ? rates->factor[c] : 1) / unit);
        m->o->sample = m->kept;
        m->o->nsample = (uint32_t)result.samples;
        measure_set(m, HD_Q_EBB, result.value, result.bound, "eval", ebb_words(m->a, m->samples, ""));
        m->o->figure[HD_Q_EBB].ci = result.ci;
    }
    hd_arena_release(&scratch);
    return measure_forgive(s);
}

/* All pairs at once: loads such that an endpoint's own cable has 1, and the figures that eval derives from them. */
static hd_status measure_all_pairs(struct option_measure *m)
{
    struct hd_arena scratch = {0};
    const struct hd_net *net = m->a->net;
    struct hd_allpairs all;
    const struct hd_rates *rates = NULL;
    hd_status s = hd_rates_of(m->ctx, net, &rates);
    if (s == HD_OK) s = hd_allpairs_load(m->ctx, &scratch, m->r, &all);
    if (s == HD_OK) {
        double unit = (double)all.unit * (net->nsel - 1) * rates->scale;
        uint64_t most = 0, served = all.pairs * all.unit - all.unserved;
        for (uint32_t c = 0; c < net->nchan; c++) {
            m->o->load[HD_VIEW_PAIRS][c] = (float)((double)all.load[c] * (rates->factor ? rates->factor[c] : 1) / unit);
            if (net->head[c] < net->nsw && net->tail[c] < net->nsw && all.load[c] > most) most = all.load[c];
        }
        measure_set(m, HD_Q_EFI, (double)most / all.unit, NAN, "eval", "-m efi");
        measure_set(m, HD_Q_HOPS, served ? (double)all.hops / (double)served : 0, NAN, "eval", "-m hops");
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- figures of eval --------------------------------------------------------------------------- */

static hd_status measure_eval(struct option_measure *m, uint32_t q, const char *pattern, const char *metric,
                              uint64_t samples)
{
    struct hd_request request = {.pattern = pattern, .metric = metric, .samples = samples};
    struct hd_result result;
    hd_status s = hd_eval(m->ctx, m->r, &request, &result);
    if (s != HD_OK) return measure_forgive(s);
    const char *rest = samples ? hd_say(m->a, "-p %s -m %s -n %llu", pattern, metric, (unsigned long long)samples)
                               : hd_say(m->a, "-m %s", metric);
    measure_set(m, q, result.value, result.bound, "eval", rest);
    m->o->figure[q].ci = result.ci;
    return HD_OK;
}

/* Patterns and metrics that were added, in the order of hd_advise_quantities. */
static hd_status measure_added(struct option_measure *m)
{
    const struct hd_desc *d;
    uint32_t q = HD_QS;
    for (size_t i = 0; (d = hd_registry_added(m->ctx, HD_PATTERNS, i)); i++)
        HD_TRY(measure_eval(m, q++, d->name, "ebb", m->samples));
    for (size_t i = 0; (d = hd_registry_added(m->ctx, HD_METRICS, i)); i++) {
        bool samples = ((const struct hd_metric *)d)->value;
        HD_TRY(measure_eval(m, q++, samples ? "bisect" : NULL, d->name, samples ? m->samples : 0));
    }
    return HD_OK;
}

/* ---- rank orders ------------------------------------------------------------------------------- */

static hd_status measure_orders(struct option_measure *m)
{
    static const struct {
        enum hd_case use;
        enum hd_advise_quantity before, after;
    } columns[] = {{HD_CASE_RING, HD_Q_RING_NOW, HD_Q_RING},
                   {HD_CASE_SHIFT, HD_Q_ALLTOALL_NOW, HD_Q_ALLTOALL},
                   {HD_CASE_RECDBL, HD_Q_RECDBL_NOW, HD_Q_RECDBL}};
    struct hd_advising *a = m->a;
    if (!a->nodes || !hd_work_order(a, m->split)) return HD_OK;
    struct hd_advise_orders *orders = hd_advise_alloc(a, 1, sizeof *orders);
    if (!orders) return hd_fail_memory(m->ctx);
    hd_status s = hd_advise_count_orders(a, m->ctx, m->r, orders);
    if (s != HD_OK) return measure_forgive(s);
    const char *nodes = a->in->nodes ? hd_say(a, "--nodes %s ", hd_shell(a, a->in->nodes)) : "";
    const char *rest = hd_say(a, "%s--for %s", nodes, hd_goal_name(a->after));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double bound = columns[i].use == HD_CASE_SHIFT ? orders->bound : 1;
        measure_set(m, columns[i].before, orders->before[columns[i].use].average, bound, "order", rest);
        measure_set(m, columns[i].after, orders->after[columns[i].use].average, bound, "order", rest);
    }
    m->o->kept->orders = orders;
    return HD_OK;
}

/* ---- packets ----------------------------------------------------------------------------------- */

hd_status hd_advise_simulate(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r, const char *selector,
                             struct hd_work_packets work, struct hd_advise_packets *out)
{
    double time;
    const char *name = hd_sim_model(a->net, &time);
    uint64_t whole = (uint64_t)(time * (double)work.packets);
    const char *model =
        hd_say(a, "%s:duration=%llu,warmup=%llu", name, (unsigned long long)whole, (unsigned long long)(whole / 4));
    struct hd_sim_request q = {.pattern = "bisect", .selector = selector, .samples = work.runs, .model = model};
    struct hd_sim_result result;
    *out = (struct hd_advise_packets){.value = NAN};
    hd_status s = hd_sim(ctx, r, &q, &result);
    if (s != HD_OK) return measure_forgive(s);
    out->deadlock = result.deadlocks > 0;
    if (result.deadlocks) return HD_OK;
    out->value = result.fraction;
    out->ci = result.ci;
    out->rest = hd_say(a, "-p bisect -n %llu --model %s%s%s", (unsigned long long)work.runs, model,
                       selector ? " --select " : "", selector ? selector : "");
    return HD_OK;
}

/* A table with holes or credit loops is not for use, whatever its packets would do. */
static bool measure_can_simulate(const struct hd_report_option *o)
{
    return o->deadlock_free == 1 && !o->unreachable && !o->loops;
}

static hd_status measure_packets(struct option_measure *m)
{
    struct hd_work_packets work = hd_work_runs(m->a, false);
    struct hd_advise_packets found;
    if (!work.runs || !measure_can_simulate(m->o)) return HD_OK;
    HD_TRY(hd_advise_simulate(m->a, m->ctx, m->r, NULL, work, &found));
    measure_set(m, HD_Q_PACKETS, found.value, NAN, "sim", found.rest);
    m->o->figure[HD_Q_PACKETS].ci = found.ci;
    return HD_OK;
}

/* ---- one option -------------------------------------------------------------------------------- */

static hd_status measure_allocate(struct option_measure *m)
{
    struct hd_report_option *o = m->o;
    o->figure = hd_advise_alloc(m->a, m->a->report->nquantity, sizeof *o->figure);
    o->load = hd_advise_alloc(m->a, HD_VIEWS, sizeof *o->load);
    o->kept->said = hd_advise_alloc(m->a, m->a->report->nquantity, sizeof *o->kept->said);
    if (!o->figure || !o->load || !o->kept->said) return hd_fail_memory(m->ctx);
    for (int v = 0; v < HD_VIEWS; v++)
        if (!(o->load[v] = hd_advise_alloc(m->a, m->a->net->nchan, sizeof **o->load))) return hd_fail_memory(m->ctx);
    for (uint32_t q = 0; q < m->a->report->nquantity; q++)
        o->figure[q] = (struct hd_report_figure){.value = NAN, .bound = NAN};
    return HD_OK;
}

hd_status hd_advise_check(struct hd_advising *a, struct hd_ctx *ctx, struct hd_report_option *o,
                          const struct hd_routes *r)
{
    struct hd_check k = a->current_check;
    if (!o->current) HD_TRY(hd_routes_check(ctx, r, &k));
    o->deadlock_free = k.deadlock_free;
    o->lanes = k.lanes;
    const uint64_t others = k.others.unreachable + k.others.loops ? k.others.unreachable : k.others.choices;
    o->unreachable = k.unreachable + others + k.further.unreachable + k.switches.unreachable;
    o->loops = k.loops + k.others.loops + k.further.loops + k.switches.loops;
    if (k.further.deadlock_free == 0) o->deadlock_free = 0;
    o->nonminimal = k.nonminimal;
    o->variants = hd_routes_variants(r);
    o->command = hd_advise_command(a, "check", o->table, NULL);
    return hd_routes_paths_hash(ctx, r, &o->kept->paths);
}

hd_status hd_advise_measure(struct hd_advising *a, struct hd_ctx *ctx, struct hd_report_option *o,
                            const struct hd_routes *r)
{
    struct option_measure m = {.a = a, .ctx = ctx, .o = o, .r = r, .split = 1};
    enum hd_select select = hd_routes_select(r);
    if (select == HD_SELECT_ALL || select == HD_SELECT_PACKET) m.split = hd_routes_variants(r);
    m.samples = hd_work_samples(a, m.split);
    HD_TRY(measure_allocate(&m));
    if (a->net->nsel < 2) return HD_OK;
    HD_TRY(measure_ebb(&m));
    HD_TRY(measure_all_pairs(&m));
    HD_TRY(hd_advise_heat(a, ctx, r, o));
    if (a->in->compare_only) return HD_OK;
    HD_TRY(measure_eval(&m, HD_Q_PERMUTATION, "permutation", "minbw", m.samples));
    if (hd_work_worst(a, m.split)) HD_TRY(measure_eval(&m, HD_Q_WORST, NULL, "worst", 0));
    HD_TRY(measure_added(&m));
    HD_TRY(measure_orders(&m));
    return measure_packets(&m);
}

bool hd_advise_equal(const struct hd_report_option *x, const struct hd_report_option *y)
{
    return x->kept->paths && x->kept->paths == y->kept->paths && measure_can_simulate(x) == measure_can_simulate(y);
}

hd_status hd_advise_measured_as(struct hd_advising *a, struct hd_report_option *o, const struct hd_report_option *same)
{
    const uint32_t n = a->report->nquantity;
    const struct hd_advise_said *said = same->kept->said;
    o->figure = hd_advise_alloc(a, n, sizeof *o->figure);
    if (!o->figure) return hd_fail_memory(a->ctx);
    for (uint32_t q = 0; q < n; q++) {
        o->figure[q] = same->figure[q];
        if (said[q].verb) o->figure[q].command = hd_advise_command(a, said[q].verb, o->table, said[q].rest);
    }
    o->load = same->load;
    o->sample = same->sample;
    o->nsample = same->nsample;
    o->heat = same->heat;
    o->kept->orders = same->kept->orders;
    o->kept->said = same->kept->said;
    return HD_OK;
}
