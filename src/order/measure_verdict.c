/* SPDX-License-Identifier: BSD-2-Clause */
/* What a measurement says. The flows of a round have loads under the tables, and a pair's share of its tightest
 * channel is what they predict; measured over predicted is about the same for all pairs of a healthy machine, and
 * its median is the usual ratio. A pair far below it is named. A cable is named when even the best of the pairs
 * that crossed it is below: pairs that other cables slow down do not accuse it, as long as one pair was well. */
#include "base/keyed.h"
#include "base/status.h"
#include "load/loader.h"
#include "order/measure.h"

#include <math.h>

#define SLOW_PAIR 0.5 /* parts of the usual ratio */
#define SLOW_CABLE 0.7

struct finder {
    struct hd_ctx *ctx;
    struct hd_arena *own, scratch;
    const struct hd_routes *routes;
    const struct hd_net *net;
    const uint32_t *ep;
    struct hd_measurement *m;
    const struct hd_rates *rates;
    struct hd_loads loads;
    double *best;   /* [nchan] largest measured / predicted of a pair over the channel */
    uint32_t *seen; /* [nchan] pairs over it */
};

/* ---- correlation ------------------------------------------------------------------------------ */

/* Ranks from 0, equal values share the mean of theirs. */
static void rank_values(struct hd_scored *list, uint64_t n, double *rank)
{
    hd_scored_sort(list, n);
    for (uint64_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && list[j].score == list[i].score; j++) continue;
        for (uint64_t k = i; k < j; k++) rank[list[k].value] = (double)(i + j - 1) / 2;
    }
}

double hd_rank_correlation(struct hd_arena *a, const double *x, const double *y, uint64_t n)
{
    struct hd_scored *list = HD_NEW(a, struct hd_scored, n);
    double *rx = HD_NEW(a, double, n), *ry = HD_NEW(a, double, n), mean = (double)(n - 1) / 2, xy = 0, xx = 0, yy = 0;
    if (!list || !rx || !ry || n < 2) return NAN;
    for (uint64_t i = 0; i < n; i++) list[i] = (struct hd_scored){x[i], i};
    rank_values(list, n, rx);
    for (uint64_t i = 0; i < n; i++) list[i] = (struct hd_scored){y[i], i};
    rank_values(list, n, ry);
    for (uint64_t i = 0; i < n; i++) {
        xy += (rx[i] - mean) * (ry[i] - mean);
        xx += (rx[i] - mean) * (rx[i] - mean);
        yy += (ry[i] - mean) * (ry[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN; /* one value only: nothing to correlate */
}

/* ---- predictions ------------------------------------------------------------------------------ */

static bool meets_network(const struct finder *f, const struct hd_measure_pair *p)
{
    return f->net->host[f->ep[p->from]] != f->net->host[f->ep[p->to]];
}

/* Pairs first .. end - 1 are one round; ranks of one machine do not meet the network. */
static void predict_round(struct finder *f, uint64_t first, uint64_t end)
{
    struct hd_loads *l = &f->loads;
    struct hd_flows *g = &l->flows;
    uint32_t k = 0;
    hd_flows_begin(g, false); /* several ranks may share an endpoint */
    for (uint64_t i = first; i < end; i++) {
        if (!meets_network(f, &f->m->pair[i])) continue;
        g->buf[0][g->n] = f->ep[f->m->pair[i].from];
        g->buf[1][g->n++] = f->ep[f->m->pair[i].to];
    }
    hd_loads_run(l);
    for (uint64_t i = first; i < end; i++) {
        struct hd_measure_pair *p = &f->m->pair[i];
        p->predicted = NAN;
        if (!meets_network(f, p)) continue;
        uint64_t most = hd_bottleneck(l, k);
        if (most) p->predicted = (double)l->full / (double)most;
        for (size_t j = l->at[k]; most && j < l->at[k + 1]; j++) {
            uint32_t c = l->chan[j];
            if (p->mbps / p->predicted > f->best[c]) f->best[c] = p->mbps / p->predicted;
            f->seen[c]++;
        }
        k++;
    }
}

static hd_status predict(struct finder *f)
{
    const struct hd_measurement *m = f->m;
    uint64_t longest = 0, end;
    for (uint64_t i = 0; i < m->npair; i = end) {
        for (end = i; end < m->npair && m->pair[end].round == m->pair[i].round; end++) continue;
        if (end - i > longest) longest = end - i;
    }
    f->best = HD_NEW(&f->scratch, double, f->net->nchan);
    f->seen = HD_NEW(&f->scratch, uint32_t, f->net->nchan);
    if (!f->best || !f->seen) return hd_fail_memory(f->ctx);
    HD_TRY(hd_rates_of(f->ctx, f->net, &f->rates));
    struct hd_loader_in in = {.routes = f->routes, .rates = f->rates, .need = HD_NEED_CHANNELS, .flows = m->npair};
    const struct hd_loader *loader;
    HD_TRY(hd_loader_make(f->ctx, &f->scratch, &in, &loader));
    HD_TRY(hd_loads_init(f->ctx, &f->scratch, loader, (uint32_t)longest, 1, &f->loads));
    if (f->loads.nvar > 1)
        return hd_fail_na(f->ctx, "measure", hd_routes_spec(f->routes), "pairs use several paths at once");
    for (uint64_t i = 0; i < m->npair; i = end) {
        for (end = i; end < m->npair && m->pair[end].round == m->pair[i].round; end++) continue;
        predict_round(f, i, end);
    }
    return f->loads.failed ? hd_fail_memory(f->ctx) : HD_OK;
}

/* ---- what is slow ----------------------------------------------------------------------------- */

static hd_status name_slow(struct finder *f)
{
    struct hd_measurement *m = f->m;
    m->slow = HD_NEW(f->own, uint32_t, f->net->nchan);
    m->slow_pair = HD_NEW(f->own, uint64_t, m->npair);
    if (!m->slow || !m->slow_pair) return hd_fail_memory(f->ctx);
    for (uint64_t i = 0; i < m->npair; i++) {
        const struct hd_measure_pair *p = &m->pair[i];
        if (!isnan(p->predicted) && p->mbps < SLOW_PAIR * m->usual * p->predicted) m->slow_pair[m->nslow_pair++] = i;
    }
    for (uint32_t c = 0; c < f->net->nchan; c++)
        if (f->seen[c] > 1 && f->best[c] < SLOW_CABLE * m->usual) m->slow[m->nslow++] = c;
    return HD_OK;
}

static hd_status verdict_compare(struct finder *f)
{
    struct hd_measurement *m = f->m;
    double *x = HD_NEW(&f->scratch, double, m->npair), *y = HD_NEW(&f->scratch, double, m->npair);
    struct hd_scored *ratio = HD_NEW(&f->scratch, struct hd_scored, m->npair);
    uint64_t n = 0;
    if (!x || !y || !ratio) return hd_fail_memory(f->ctx);
    for (uint64_t i = 0; i < m->npair; i++)
        if (!isnan(m->pair[i].predicted)) {
            x[n] = m->pair[i].predicted;
            y[n] = m->pair[i].mbps;
            ratio[n] = (struct hd_scored){y[n] / x[n], n};
            n++;
        }
    if (n == 0) return HD_OK;
    m->correlation = hd_rank_correlation(&f->scratch, x, y, n);
    hd_scored_sort(ratio, n);
    m->usual = ratio[n / 2].score;
    return name_slow(f);
}

hd_status hd_measure_explain(struct hd_ctx *ctx, struct hd_arena *own, const struct hd_routes *r, const uint32_t *ep,
                             struct hd_measurement *m)
{
    struct finder f = {.ctx = ctx, .own = own, .routes = r, .net = hd_routes_net(r), .ep = ep, .m = m};
    m->correlation = m->usual = NAN;
    m->nslow = 0;
    m->nslow_pair = 0;
    hd_status s = predict(&f);
    if (s == HD_OK) s = verdict_compare(&f);
    hd_arena_release(&f.scratch);
    return s;
}
