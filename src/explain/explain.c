/* SPDX-License-Identifier: BSD-2-Clause */
/* Why links wait. PortXmitWait counts ticks in which a port had something to send and got no credits; it says where
 * packets had to wait, not why. The reason lies downstream: what follows a waiting channel is full, or waits itself for
 * what follows it. So every waiting channel is followed along the tables, always to the channel under most pressure,
 * until one neither waits nor is full behind it; and it is this one that is judged: by its errors, by whether a host is
 * at its end, and by what the running jobs are predicted to ask of it. Thresholds: a link waits if it lost 1 % of its
 * rate, is full from 90 %, sent more than it can from 110 % (ports are not sampled at one moment), a job explains it if
 * it asks for 5 % more than it carries on average over moments, and errors count above a bit error ratio of 10^-12, the
 * limit of the InfiniBand specification. A tick is worth 8 bytes on Quantum and later switches of Nvidia, 32 bytes per
 * lane before. Cost: O(endpoints * waiting channels), and the prediction. */
#include "base/c_locale.h"
#include "base/status.h"
#include "explain/counters.h"
#include "explain/job_load.h"
#include "load/loader.h"
#include "net/core/link_usual.h"
#include "route/core/routes_view.h"
#include "tool/explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static const double WAITS = 0.01, FULL = 0.9, BEYOND = 1.1, EXCESS = 0.05, ERROR_RATIO = 1e-12;
enum { FEW_ERRORS = 10 };

struct explain_work {
    struct hd_ctx *ctx;
    struct hd_arena *arena; /* of the result */
    const struct hd_routes *r;
    const struct hd_net *net;
    struct hd_counters before, after;
    const struct hd_jobs *jobs;            /* NULL: not listed */
    struct hd_job_load *load;              /* [nchan] */
    double *rate, *sent, *received, *lost; /* [nchan] Gb/s; NaN: not known */
    uint64_t *errors;                      /* [nchan] of the cable, at both ends */
    const char **sick;                     /* [nchan] why; NULL: it is not */
    bool *slow;                            /* [nchan] by its rate alone */
    bool *at_least, *waits, *full;         /* [nchan] */
    uint32_t *next, *likely;               /* [nchan] what follows: under most pressure; with most predicted excess */
    struct hd_explain *out;
    uint32_t room;    /* of out->link */
    uint32_t changed; /* ports with a counter that differs between the samples */
    uint32_t mixed;   /* ports with one of 64 bits in one sample alone that cannot be compared */
};

/* A clause, in the memory of the result; NULL: none is left. */
static const char *explain_text(struct explain_work *w, const char *fmt, ...) HD_PRINTF(2, 3);
static const char *explain_text(struct explain_work *w, const char *fmt, ...)
{
    char text[600];
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    return hd_strdup(w->arena, text, strlen(text));
}

/* ---- time ----------------------------------------------------------------------------------- */

/* By what both samples say, otherwise by when the files were written that they were read from. */
static hd_status explain_seconds(struct explain_work *w, const struct hd_explain_in *in)
{
    const struct hd_counters *from = &w->before, *to = &w->after;
    w->out->seconds = in->seconds;
    if (in->seconds > 0) return HD_OK;
    w->out->file_times = from->when == HD_NO_TIME || to->when == HD_NO_TIME;
    if (w->out->file_times && (from->changed == HD_NO_TIME || to->changed == HD_NO_TIME))
        return hd_fail_about(w->ctx, HD_INPUT, "seconds",
                             "%.200s and %.200s do not say when they were taken: expected seconds", in->before,
                             in->after);
    w->out->seconds =
        w->out->file_times ? (double)(to->changed - from->changed) / 1e9 : (double)(to->when - from->when);
    if (w->out->seconds > 0) return HD_OK;
    return hd_fail_about(w->ctx, HD_INPUT, "seconds",
                         "%.200s is not later than %.200s, by %s: expected the earlier sample first, or seconds",
                         in->after, in->before, w->out->file_times ? "the times of the files" : "what they say");
}

/* ---- counters ------------------------------------------------------------------------------- */

static uint32_t explain_lanes(uint8_t link)
{
    return (uint32_t)strtoul(hd_link_name(link), NULL, 10);
}

/* The rate most cables have; 0: none is known. */
static uint8_t explain_usual(const struct hd_net *net)
{
    uint32_t count[HD_LINK_CODES] = {0};
    for (uint32_t c = 0; c < net->nchan; c++) count[net->link[c]]++;
    return hd_link_usual(count, NULL);
}

/* Bytes that could have been sent in a tick of the counter: by the generation of the device, which shows in its fastest
 * lane. */
static double explain_tick(const struct hd_net *net, uint32_t v, uint8_t link)
{
    uint32_t fastest = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        const uint32_t lanes = explain_lanes(net->link[c]), lane = lanes ? hd_link_mbps(net->link[c]) / lanes : 0;
        fastest = lane > fastest ? lane : fastest;
    }
    return fastest >= 50000 ? 8 : 32.0 * explain_lanes(link);
}

static double explain_gbps(const struct explain_work *w, uint32_t c, enum hd_counter counter, double bytes)
{
    uint64_t by;
    const enum hd_change g = hd_counter_growth(&w->before.at[c], &w->after.at[c], counter, &by);
    if (g == HD_GREW_UNKNOWN) return NAN;
    if (g == HD_GREW_AT_LEAST && counter == HD_COUNT_WAIT) w->at_least[c] = true;
    return (double)by * bytes * 8 / w->out->seconds / 1e9;
}

/* Counts ports whose samples do not fit. */
static void explain_count_port(struct explain_work *w, uint32_t c)
{
    const struct hd_port_counters *b = &w->before.at[c], *a = &w->after.at[c];
    bool reset = false, stopped = false, changed = false, mixed = false;
    uint64_t by;
    w->out->ports++;
    if (!b->has || !a->has) return;
    w->out->both++;
    for (int i = 0; i < HD_COUNTERS; i++) {
        if (!(b->has & a->has & 1u << i)) continue;
        const enum hd_change g = hd_counter_growth(b, a, (enum hd_counter)i, &by);
        changed = changed || a->value[i] != b->value[i];
        mixed = mixed || g == HD_GREW_UNKNOWN;
        if (g != HD_GREW_AT_LEAST) continue;
        reset = reset || a->value[i] < b->value[i];
        stopped = stopped || a->value[i] >= b->value[i];
    }
    w->changed += changed;
    w->mixed += mixed;
    w->out->reset += reset;
    w->out->stopped += stopped;
}

/* Ports that sent more than their cables carry. */
static void explain_beyond(const struct explain_work *w)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0, first = NONE;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (!net->link[c] || !(w->sent[c] > BEYOND * w->rate[c])) continue;
        first = n++ ? first : c;
    }
    if (n)
        hd_note(
            w->ctx,
            "explain: %u port%s sent more than %s rate, %s port %u %.1f Gb/s on a cable of %.1f: is the time between "
            "the samples %.6g s%s?",
            n, n == 1 ? "" : "s", n == 1 ? "its" : "their", hd_node_label(net, net->tail[first]), net->port[first],
            w->sent[first], w->rate[first], w->out->seconds,
            w->out->file_times ? ", as the times of the files say" : "");
}

/* What makes samples look as if they did not belong together. */
static void explain_doubts(const struct explain_work *w)
{
    if (w->out->reset * 2 > w->changed)
        hd_note(w->ctx,
                "explain: counters of %u of the %u ports that changed are lower in %.200s than in %.200s: lower bounds "
                "if they were reset in between; otherwise give the earlier sample first",
                w->out->reset, w->changed, w->after.name, w->before.name);
    if (w->mixed)
        hd_note(w->ctx,
                "explain: %u port%s counters of 64 bits in one sample and shorter ones in the other that have stopped "
                "or are lower: how much they grew is not known",
                w->mixed, w->mixed == 1 ? " has" : "s have");
    explain_beyond(w);
}

static hd_status explain_rates(struct explain_work *w)
{
    const struct hd_net *net = w->net;
    const uint8_t usual = explain_usual(net);
    uint32_t waiting = 0;
    if (!usual) return hd_fail(w->ctx, HD_INPUT, "%.200s: no rates of links: expected a file that has them", net->spec);
    for (uint32_t c = 0; c < net->nchan; c++) {
        const uint8_t link = net->link[c] ? net->link[c] : usual;
        w->rate[c] = hd_link_mbps(link) / 1e3;
        explain_count_port(w, c);
        w->sent[c] = explain_gbps(w, c, HD_COUNT_SENT, 4);
        w->lost[c] = explain_gbps(w, c, HD_COUNT_WAIT, explain_tick(net, net->tail[c], link));
        waiting += !isnan(w->lost[c]);
        if (w->lost[c] > w->rate[c]) w->lost[c] = w->rate[c];
        w->waits[c] = w->lost[c] >= WAITS * w->rate[c];
    }
    for (uint32_t c = 0; c < net->nchan; c++) {
        w->received[c] = explain_gbps(w, net->rev[c], HD_COUNT_RECEIVED, 4);
        if (isnan(w->sent[c])) w->sent[c] = w->received[c];
        w->full[c] = w->sent[c] >= FULL * w->rate[c];
        w->out->lost += isnan(w->lost[c]) ? 0 : w->lost[c];
    }
    if (waiting) {
        explain_doubts(w);
        return HD_OK;
    }
    return hd_fail(w->ctx, HD_INPUT, "%.200s and %.200s: no port has PortXmitWait in both%s: expected it for some port",
                   w->before.name, w->after.name, w->mixed ? " that can be compared (32 and 64 bits)" : "");
}

/* ---- sick links ------------------------------------------------------------------------------ */

/* Errors of a cable, and in words where they are too many. */
static hd_status explain_sick_cable(struct explain_work *w, uint32_t c)
{
    static const enum hd_counter kinds[] = {HD_COUNT_DOWNED,     HD_COUNT_RECOVERED, HD_COUNT_SYMBOL,
                                            HD_COUNT_RCV_ERRORS, HD_COUNT_INTEGRITY, HD_COUNT_OVERRUN};
    const struct hd_net *net = w->net;
    const double limit = w->rate[c] * 1e9 * w->out->seconds * ERROR_RATIO;
    const uint64_t many = limit > FEW_ERRORS ? (uint64_t)limit : FEW_ERRORS;
    char text[400] = "";
    bool sick = false;
    for (int side = 0; side < 2; side++) {
        const uint32_t end = side ? net->rev[c] : c;
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            uint64_t by;
            const enum hd_change g = hd_counter_growth(&w->before.at[end], &w->after.at[end], kinds[i], &by);
            if (g == HD_GREW_UNKNOWN || !by) continue;
            const bool few = kinds[i] == HD_COUNT_SYMBOL || kinds[i] == HD_COUNT_RCV_ERRORS;
            const size_t n = strlen(text);
            w->errors[c] += by;
            if (few && by <= many) continue;
            sick = true;
            snprintf(text + n, sizeof text - n, "%s%s%llu %s at %s port %u", n ? ", " : "",
                     g == HD_GREW_AT_LEAST ? "at least " : "", (unsigned long long)by, hd_counter_name(kinds[i], by),
                     hd_node_label(net, net->tail[end]), net->port[end]);
        }
    }
    w->errors[net->rev[c]] = w->errors[c];
    if (sick && !(w->sick[c] = explain_text(w, "%s", text))) return hd_fail_memory(w->ctx);
    w->sick[net->rev[c]] = w->sick[c];
    return HD_OK;
}

static hd_status explain_find_sick(struct explain_work *w)
{
    const struct hd_net *net = w->net;
    const struct hd_cabling *cabling;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (c < net->rev[c]) HD_TRY(explain_sick_cable(w, c));
    HD_TRY(hd_net_cabling(w->ctx, net, &cabling));
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        if (f->kind != HD_CABLING_SLOW || f->from.node >= net->nsw + net->nep) continue;
        for (uint32_t c = net->off[f->from.node]; c < net->off[f->from.node + 1]; c++) {
            if (net->port[c] != f->from.port || w->sick[c]) continue;
            const char *why =
                explain_text(w, "%s, not %s as others of its kind", hd_link_name(f->link), hd_link_name(f->usual));
            if (!why) return hd_fail_memory(w->ctx);
            w->sick[c] = w->sick[net->rev[c]] = why;
            w->slow[c] = w->slow[net->rev[c]] = true;
        }
    }
    return HD_OK;
}

/* ---- downstream ------------------------------------------------------------------------------ */

static double explain_pressure(const struct explain_work *w, uint32_t c)
{
    return ((isnan(w->sent[c]) ? 0 : w->sent[c]) + (isnan(w->lost[c]) ? 0 : w->lost[c])) / w->rate[c];
}

/* Channel o follows channel c towards some destination. */
static void explain_follows(struct explain_work *w, uint32_t c, uint32_t o)
{
    uint32_t *next = &w->next[c], *likely = &w->likely[c];
    if (o == w->net->rev[c]) return;
    if ((w->waits[o] || w->full[o]) && (*next == NONE || explain_pressure(w, o) > explain_pressure(w, *next)))
        *next = o;
    if (*likely == NONE || w->load[o].excess > w->load[*likely].excess) *likely = o;
}

/* Slots that switch v takes towards (d, x), of a table with groups or the entry of its row. */
static uint32_t explain_slots(const struct explain_work *w, const uint8_t *row, uint32_t d, uint32_t x, uint32_t v,
                              uint8_t slot[HD_MAX_PORTS + 1])
{
    if (hd_routes_adaptive(w->r)) return hd_routes_choices(w->r, d, x, v, slot);
    slot[0] = row[v];
    return row[v] < hd_degree(w->net, v);
}

static bool explain_uses(const struct explain_work *w, const uint8_t *row, uint32_t d, uint32_t x, uint32_t c)
{
    const struct hd_net *net = w->net;
    const uint32_t v = net->tail[c];
    uint8_t slot[HD_MAX_PORTS + 1];
    if (v >= net->nsw) return v != net->nsw + d;
    const uint32_t n = explain_slots(w, row, d, x, v, slot);
    for (uint32_t i = 0; i < n; i++)
        if (net->off[v] + slot[i] == c) return true;
    return false;
}

static hd_status explain_follow_all(struct explain_work *w)
{
    const struct hd_net *net = w->net;
    struct hd_arena a = {0};
    uint32_t n = 0, *list = HD_NEW(&a, uint32_t, net->nchan);
    uint8_t *buf = HD_NEW(&a, uint8_t, net->nsw);
    hd_status s = list && buf ? HD_OK : hd_fail_memory(w->ctx);
    for (uint32_t c = 0; s == HD_OK && c < net->nchan; c++) {
        w->next[c] = w->likely[c] = NONE;
        if ((w->waits[c] || w->full[c]) && net->head[c] < net->nsw) list[n++] = c;
    }
    for (uint32_t d = 0; s == HD_OK && n && d < net->nep; d++)
        for (uint32_t x = 0; x < hd_routes_variants(w->r); x++) {
            const uint8_t *row = hd_routes_row(w->r, d, x, buf);
            for (uint32_t i = 0; i < n; i++) {
                uint8_t slot[HD_MAX_PORTS + 1];
                const uint32_t v = net->head[list[i]];
                if (!explain_uses(w, row, d, x, list[i])) continue;
                const uint32_t m = explain_slots(w, row, d, x, v, slot);
                for (uint32_t k = 0; k < m; k++) explain_follows(w, list[i], net->off[v] + slot[k]);
            }
        }
    hd_arena_release(&a);
    return s;
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* Where the reason of a waiting channel lies. */
static uint32_t explain_root(const struct explain_work *w, uint32_t c)
{
    uint32_t at = c;
    for (int steps = 0; steps < HD_MAX_HOPS; steps++) {
        if (w->sick[at] || w->net->head[at] >= w->net->nsw || w->next[at] == NONE || w->next[at] == c) return at;
        at = w->next[at];
    }
    return at;
}

static const char *explain_receiver(struct explain_work *w, uint32_t c)
{
    const char *host = hd_node_label(w->net, w->net->head[c]);
    if (w->full[c]) return explain_text(w, "more is sent to %s than its cable carries", host);
    if (w->waits[c]) return explain_text(w, "%s does not take what is sent to it", host);
    return explain_text(w, "more is predicted for %s than its cable carries", host);
}

/* One job, and what the others add to it. */
static const char *explain_one_job(struct explain_work *w, const struct hd_job_load *l)
{
    const char *name = w->jobs->job[l->alone].name;
    if (l->njob < 2)
        return explain_text(w, "job %s alone asks for up to %.1f times what it carries", name, l->own_peak);
    return explain_text(w, "job %s alone asks for up to %.1f times what it carries, with %u other%s up to %.1f times",
                        name, l->own_peak, l->njob - 1, l->njob > 2 ? "s" : "", l->peak);
}

/* The peak is that of all jobs on the channel, so all are counted. */
static const char *explain_several_jobs(struct explain_work *w, const struct hd_job_load *l)
{
    const char *first = w->jobs->job[l->job[0]].name, *second = w->jobs->job[l->job[1]].name;
    if (l->njob < 3)
        return explain_text(w, "jobs %s and %s together ask for up to %.1f times what it carries", first, second,
                            l->peak);
    return explain_text(w, "jobs %s, %s and %u other%s together ask for up to %.1f times what it carries", first,
                        second, l->njob - 2, l->njob > 3 ? "s" : "", l->peak);
}

static const char *explain_jobs(struct explain_work *w, const struct hd_job_load *l, enum hd_cause *cause)
{
    *cause = HD_CAUSE_ROUTING;
    if (l->own >= EXCESS && w->jobs) return explain_one_job(w, l);
    if (l->own >= EXCESS) return explain_text(w, "random pairs ask for up to %.1f times what it carries", l->peak);
    *cause = HD_CAUSE_OTHER;
    if (l->excess >= EXCESS && l->job[1] != NONE) return explain_several_jobs(w, l);
    if (w->jobs && !w->jobs->n) return explain_text(w, "no listed job explains it: none is running");
    if (w->jobs)
        return explain_text(w, "no listed job explains it: together they ask for %.2f of what it carries", l->mean);
    return explain_text(w, "random pairs do not explain it: the jobs are not listed");
}

/* A channel that nothing measured explains is judged by what is predicted for it and for what follows it. */
static uint32_t explain_predicted(const struct explain_work *w, uint32_t c)
{
    const uint32_t o = w->likely[c];
    return !w->full[c] && o != NONE && w->load[o].excess > w->load[c].excess && w->load[o].excess >= EXCESS ? o : c;
}

static hd_status explain_add(struct explain_work *w, uint32_t c)
{
    struct hd_explain *out = w->out;
    if (!HD_MORE(w->arena, out->link, out->n, w->room)) return hd_fail_memory(w->ctx);
    struct hd_explain_link *l = &out->link[out->n++];
    uint32_t root = explain_root(w, c);
    const bool judged = w->sick[root] || w->net->head[root] >= w->net->nsw;
    if (!judged && root == c) root = explain_predicted(w, c);
    *l = (struct hd_explain_link){.chan = c,
                                  .root = root,
                                  .rate = w->rate[c],
                                  .sent = w->sent[c],
                                  .received = w->received[c],
                                  .lost = w->lost[c],
                                  .load = w->load[c].mean,
                                  .peak = w->load[c].peak,
                                  .at_least = w->at_least[c],
                                  .errors = w->errors[c]};
    if (w->sick[root]) {
        l->cause = HD_CAUSE_SICK;
        l->why = w->sick[root];
    } else if (w->net->head[root] >= w->net->nsw) {
        l->cause = HD_CAUSE_RECEIVER;
        l->why = explain_receiver(w, root);
    } else {
        l->why = explain_jobs(w, &w->load[root], &l->cause);
    }
    if (!l->why) return hd_fail_memory(w->ctx);
    out->count[l->cause]++;
    return HD_OK;
}

static int explain_order(const void *a, const void *b)
{
    const struct hd_explain_link *x = a, *y = b;
    const double p = isnan(x->lost) ? -1 : x->lost, q = isnan(y->lost) ? -1 : y->lost;
    if (x->cause != y->cause) return x->cause < y->cause ? -1 : 1;
    if (p != q) return p > q ? -1 : 1;
    return (x->chan > y->chan) - (x->chan < y->chan);
}

/* Waiting channels, and sick cables neither direction of which waits. */
static hd_status explain_links(struct explain_work *w)
{
    const struct hd_net *net = w->net;
    for (uint32_t c = 0; c < net->nchan; c++) {
        const bool still = !w->waits[c] && !w->waits[net->rev[c]];
        if (w->waits[c] || (still && w->sick[c] && !w->slow[c] && c < net->rev[c])) HD_TRY(explain_add(w, c));
    }
    if (w->out->n) qsort(w->out->link, w->out->n, sizeof *w->out->link, explain_order);
    return HD_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static hd_status explain_room(struct explain_work *w)
{
    const uint32_t n = w->net->nchan;
    struct hd_arena *a = w->arena;
    w->load = HD_NEW(a, struct hd_job_load, n);
    w->rate = HD_NEW(a, double, n);
    w->sent = HD_NEW(a, double, n);
    w->received = HD_NEW(a, double, n);
    w->lost = HD_NEW(a, double, n);
    w->errors = HD_NEW(a, uint64_t, n);
    w->sick = HD_NEW(a, const char *, n);
    w->slow = HD_NEW(a, bool, n);
    w->at_least = HD_NEW(a, bool, n);
    w->waits = HD_NEW(a, bool, n);
    w->full = HD_NEW(a, bool, n);
    if (!w->load || !w->rate || !w->sent || !w->received || !w->lost || !w->errors || !w->sick || !w->slow ||
        !w->at_least || !w->waits || !w->full || !HD_NEW_U32(a, n, &w->next, &w->likely))
        return hd_fail_memory(w->ctx);
    return HD_OK;
}

static hd_status explain_run(struct explain_work *w, const struct hd_explain_in *in)
{
    HD_TRY(explain_room(w));
    HD_TRY(hd_counters_read(w->ctx, w->arena, w->net, in->before, &w->before));
    HD_TRY(hd_counters_read(w->ctx, w->arena, w->net, in->after, &w->after));
    HD_TRY(explain_seconds(w, in));
    w->out->listed = w->jobs != NULL;
    w->out->njob = w->jobs ? w->jobs->n : 0;
    for (uint32_t i = 0; i < w->out->njob; i++) w->out->njobnode += w->jobs->job[i].nodes->n;
    w->out->strangers = w->after.others;
    HD_TRY(explain_rates(w));
    HD_TRY(explain_find_sick(w));
    HD_TRY(hd_job_loads(w->ctx, w->r, w->jobs, w->load));
    HD_TRY(explain_follow_all(w));
    return explain_links(w);
}

hd_status hd_explain(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_explain_in *in,
                     struct hd_explain **explain)
{
    struct hd_arena *own;
    struct hd_explain *out = hd_owned_new(sizeof *out, &own);
    if (!out) return hd_fail_memory(ctx);
    out->arena = own;
    out->net = hd_routes_net(r);
    struct explain_work w = {.ctx = ctx, .arena = own, .r = r, .net = out->net, .out = out};
    struct hd_jobs *read = NULL;
    hd_status s = in->jobs ? hd_jobs_read(ctx, out->net, in->jobs, &read) : HD_OK;
    w.jobs = read;
    if (read && !read->n && !read->waiting) /* no reason to predict random pairs of all endpoints */
        s = hd_fail(ctx, HD_INPUT, "%.200s: no job: expected one per line", in->jobs);
    if (s == HD_OK) s = explain_run(&w, in);
    hd_jobs_free(read);
    if (s == HD_OK)
        *explain = out;
    else
        hd_explain_free(out);
    return s;
}

void hd_explain_free(struct hd_explain *explain)
{
    if (explain) hd_owned_free(explain->arena);
}

const char *hd_cause_name(enum hd_cause cause)
{
    static const char *const names[] = {"sick-link", "receiver", "routing", "other-job"};
    return names[cause];
}
