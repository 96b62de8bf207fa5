/* SPDX-License-Identifier: BSD-2-Clause */
/* Demands: which pairs an engine expects to be active, and their weights, from a file of jobs or a traffic matrix.
 * Weights become integers of a bounded mean, which engines treat as numbers of pairs. O(entries log entries) to read,
 * O(switches) per destination, O(endpoints) per sample drawn. */
#include "load/demand.h"
#include "base/input.h"
#include "base/number.h"
#include "base/status.h"
#include "route/core/endpoint_names.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum {
    MEAN = 64, /* weight of a pair on average, at least where there is room, */
    BASE = 8,  /* or as much more as gives those not named so much each */
    TRIES = 4  /* draws before a sender stays idle */
};

static const double MOST = 0x1p30; /* on one channel; rounding up may double it */

static hd_status demand_make_room(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct hd_demand *d)
{
    *d = (struct hd_demand){.net = net, .senders = HD_NEW(a, uint32_t, net->nsw)};
    if (!d->senders || !HD_NEW_U32(a, net->nep, &d->group, &d->factor)) return hd_fail_memory(ctx);
    memset(d->group, 0xff, net->nep * sizeof *d->group);
    return HD_OK;
}

/* Mean weight of the n pairs named, given that all others together weigh `rest` times what these do. */
static double mean_for(double n, double rest, double nep)
{
    double mean = rest > 0 ? BASE * nep * nep / (rest * n) : 0;
    if (mean < MEAN) mean = MEAN;
    return mean * n > MOST / 2 ? MOST / 2 / n : mean;
}

static uint32_t base_for(double n, double mean, double rest, double nep)
{
    double base = floor(rest * mean * n / (nep * nep) + 0.5);
    return rest <= 0 ? 0 : base < 1 ? 1 : (uint32_t)base;
}

/* Where nothing is named all endpoints share what there is. */
static void complete_senders(struct hd_demand *d, const bool *sends)
{
    uint32_t *all = d->senders;
    const struct hd_net *net = d->net;
    for (uint32_t e = 0; e < net->nep; e++) all[hd_leaf(net, e)] += sends[e];
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v], none = !all[v]; none && c < net->off[v + 1]; c++)
            all[v] += net->head[c] >= net->nsw;
}

/* ---- a matrix -------------------------------------------------------------------------------------- */

static void quantise(struct hd_traffic *t, double rest, uint32_t nep, uint32_t *base)
{
    double total = 0;
    for (size_t i = 0; i < t->n; i++) total += t->entry[i].weight;
    double mean = total / (double)t->n, scale = mean_for((double)t->n, rest, nep);
    for (size_t i = 0; i < t->n; i++) {
        double w = floor(t->entry[i].weight / mean * scale + 0.5);
        t->entry[i].whole = w < 1 ? 1 : (uint32_t)w;
    }
    *base = base_for((double)t->n, scale, rest, nep);
}

struct arrival {
    uint32_t d, sw, weight;
};

static int by_arrival(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->d != y->d) return x->d < y->d ? -1 : 1;
    return (x->sw > y->sw) - (x->sw < y->sw);
}

/* Entries by destination and switch of the source: a group each destination. */
static hd_status group_entries(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_traffic *t, const uint32_t *ep,
                               struct hd_demand *d)
{
    struct arrival *in = HD_NEW(a, struct arrival, t->n);
    uint32_t n = 0, groups = 0;
    d->first = HD_NEW(a, uint32_t, (size_t)d->net->nep + 1);
    if (!in || !d->first || !HD_NEW_U32(a, t->n, &d->sw, &d->weight)) return hd_fail_memory(ctx);
    for (size_t i = 0; i < t->n; i++)
        in[i] = (struct arrival){ep[t->entry[i].dst], hd_leaf(d->net, ep[t->entry[i].src]), t->entry[i].whole};
    qsort(in, t->n, sizeof *in, by_arrival);
    for (size_t i = 0; i < t->n; i++) {
        bool new_group = i == 0 || in[i].d != in[i - 1].d;
        if (new_group) {
            d->first[groups] = n;
            d->group[in[i].d] = groups++;
            d->factor[in[i].d] = 1;
        }
        if (new_group || in[i].sw != in[i - 1].sw) {
            d->sw[n] = in[i].sw;
            d->weight[n++] = 0;
        }
        d->weight[n - 1] += in[i].weight;
    }
    d->first[groups] = n;
    return HD_OK;
}

/* Entries by source, to draw from. */
static hd_status list_senders(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_traffic *t, const uint32_t *ep,
                              struct hd_demand *d)
{
    bool *sends = HD_NEW(a, bool, d->net->nep);
    d->list = HD_NEW(a, uint32_t, d->net->nep);
    d->list_first = HD_NEW(a, uint32_t, (size_t)d->net->nep + 1);
    d->to = HD_NEW(a, uint32_t, t->n);
    d->sum = HD_NEW(a, uint64_t, t->n);
    if (!sends || !d->list || !d->list_first || !d->to || !d->sum) return hd_fail_memory(ctx);
    for (size_t i = 0; i < t->n; i++) {
        uint32_t s = ep[t->entry[i].src];
        bool next = i == 0 || t->entry[i].src != t->entry[i - 1].src;
        if (next) {
            d->list_first[d->nlist] = (uint32_t)i;
            d->list[d->nlist++] = s;
        }
        sends[s] = true;
        d->to[i] = ep[t->entry[i].dst];
        d->sum[i] = (next ? 0 : d->sum[i - 1]) + t->entry[i].whole;
    }
    d->list_first[d->nlist] = (uint32_t)t->n;
    complete_senders(d, sends);
    return HD_OK;
}

hd_status hd_demand_read_traffic(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_traffic_in *in,
                                 double rest, struct hd_demand *d)
{
    struct hd_traffic t;
    HD_TRY(demand_make_room(ctx, arena, in->net, d));
    HD_TRY(hd_traffic_read(ctx, arena, in, &t));
    if (t.n > INT32_MAX) return hd_fail(ctx, HD_LIMIT, "%.200s: %zu weights are too many", t.name, t.n);
    quantise(&t, rest, in->net->nep, &d->base);
    hd_traffic_merge(&t);
    HD_TRY(group_entries(ctx, arena, &t, in->ep, d));
    return list_senders(ctx, arena, &t, in->ep, d);
}

/* ---- jobs -------------------------------------------------------------------------------------------- */

struct demand_member {
    const char *job;
    double weight;
    uint32_t e, sw, whole;
};

struct demand_jobs {
    struct hd_ctx *ctx;
    struct hd_in *in;
    struct hd_arena *arena;
    struct hd_endpoint_names names;
    bool *counts, *met; /* [nep] */
    struct demand_member *member;
    uint32_t n;
};

static hd_status read_member(struct demand_jobs *j, char *line)
{
    char *name = hd_next_field(&line), *weight = hd_next_field(&line), *job = weight ? hd_next_field(&line) : NULL;
    struct demand_member *m = &j->member[j->n];
    uint32_t matches, e = hd_endpoint_names_find(&j->names, name, &matches);
    if (job && hd_next_field(&line)) return hd_in_fail(j->ctx, j->in, "expected: endpoint, weight, job");
    if (matches == 0) return hd_in_fail(j->ctx, j->in, "'%.80s': no endpoint of that name or port GUID", name);
    if (matches > 1) return hd_in_fail(j->ctx, j->in, "'%.80s' names %u endpoints: give port GUIDs", name, matches);
    if (!j->counts[e]) return hd_in_fail(j->ctx, j->in, "'%.80s' is not a selected endpoint", name);
    if (j->met[e]) return hd_in_fail(j->ctx, j->in, "'%.80s' is listed twice", name);
    union hd_number number = {.real = 1};
    bool good = !weight || (hd_number_parse(HD_REAL, 0, DBL_MAX, weight, &number) && number.real > 0);
    *m = (struct demand_member){.job = "", .weight = number.real, .e = e};
    if (!good) return hd_in_fail(j->ctx, j->in, "'%.40s': expected a weight, a finite number above 0", weight);
    if (job && !(m->job = hd_strdup(j->arena, job, strlen(job)))) return hd_fail_memory(j->ctx);
    m->sw = hd_leaf(j->names.net, e);
    j->met[e] = true;
    j->n++;
    return HD_OK;
}

static hd_status read_members(struct demand_jobs *j)
{
    for (char *line;;) {
        HD_TRY(hd_in_text(j->ctx, j->in, " \t,", &line));
        if (!line) break;
        HD_TRY(read_member(j, line));
    }
    if (j->n < 2)
        return hd_fail(j->ctx, HD_INPUT, "%.200s: %u endpoints, expected at least 2", hd_in_name(j->in), j->n);
    return HD_OK;
}

static int by_job(const void *a, const void *b)
{
    const struct demand_member *x = a, *y = b;
    int order = strcmp(x->job, y->job);
    if (order) return order;
    if (x->sw != y->sw) return x->sw < y->sw ? -1 : 1;
    return (x->e > y->e) - (x->e < y->e);
}

/* Weights of ends such that those of pairs, their products, have the mean wanted; members stand by job. */
static void scale_members(struct demand_jobs *j, double rest, uint32_t nep, uint32_t *base)
{
    double total = 0, pairs = 0;
    for (uint32_t i = 0, first = 0; i < j->n; i++) {
        total += j->member[i].weight;
        if (i + 1 < j->n && strcmp(j->member[i].job, j->member[i + 1].job) == 0) continue;
        pairs += (double)(i + 1 - first) * (i + 1 - first);
        first = i + 1;
    }
    double mean = total / j->n, scale = sqrt(mean_for(pairs, rest, nep));
    for (uint32_t i = 0; i < j->n; i++) {
        double w = floor(j->member[i].weight / mean * scale + 0.5);
        j->member[i].whole = w < 1 ? 1 : (uint32_t)w;
    }
    *base = base_for(pairs, scale * scale, rest, nep);
}

static hd_status group_members(struct demand_jobs *j, struct hd_demand *d)
{
    struct hd_arena *a = j->arena;
    uint32_t n = 0;
    if (!HD_NEW_U32(a, (size_t)j->n + 1, &d->first, &d->sw, &d->weight, &d->list, &d->list_first))
        return hd_fail_memory(j->ctx);
    for (uint32_t i = 0; i < j->n; i++) {
        const struct demand_member *m = &j->member[i];
        bool new_job = i == 0 || strcmp(m->job, m[-1].job) != 0;
        if (new_job) {
            d->first[d->njob] = n;
            d->list_first[d->njob++] = i;
        }
        if (new_job || m->sw != m[-1].sw) {
            d->sw[n] = m->sw;
            d->weight[n++] = 0;
        }
        d->weight[n - 1] += m->whole;
        d->group[m->e] = d->njob - 1;
        d->factor[m->e] = m->whole;
        d->list[i] = m->e;
    }
    d->nlist = d->list_first[d->njob] = j->n;
    d->first[d->njob] = n;
    complete_senders(d, j->met);
    return HD_OK;
}

static hd_status read_jobs(struct demand_jobs *j, const struct hd_net *net, const char *path, double rest,
                           struct hd_demand *d)
{
    j->member = HD_NEW(j->arena, struct demand_member, net->nep);
    j->met = HD_NEW(j->arena, bool, net->nep);
    j->counts = HD_NEW(j->arena, bool, net->nep);
    if (!j->member || !j->met || !j->counts) return hd_fail_memory(j->ctx);
    for (uint32_t i = 0; i < net->nsel; i++) j->counts[net->sel[i]] = true;
    HD_TRY(demand_make_room(j->ctx, j->arena, net, d));
    HD_TRY(hd_endpoint_names_init(j->ctx, j->arena, net, &j->names));
    HD_TRY(hd_in_open(j->ctx, path, &j->in));
    HD_TRY(read_members(j));
    qsort(j->member, j->n, sizeof *j->member, by_job);
    scale_members(j, rest, net->nep, &d->base);
    return group_members(j, d);
}

hd_status hd_demand_read_jobs(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                              double rest, struct hd_demand *d)
{
    struct demand_jobs j = {.ctx = ctx, .arena = arena};
    hd_status s = read_jobs(&j, net, path, rest, d);
    hd_in_close(j.in);
    return s;
}

/* ---- asking ------------------------------------------------------------------------------------------ */

void hd_demand_sources(const struct hd_demand *demand, const uint32_t *all, uint32_t d, uint32_t *sources)
{
    uint32_t g = demand->group[d];
    for (uint32_t v = 0; v < demand->net->nsw; v++) sources[v] = demand->base * all[v];
    for (uint32_t i = g == NONE ? 0 : demand->first[g]; g != NONE && i < demand->first[g + 1]; i++)
        sources[demand->sw[i]] += demand->weight[i] * demand->factor[d];
}

static uint32_t draw_jobs(const struct hd_demand *demand, struct hd_rng *rng, uint32_t *work, uint32_t *src,
                          uint32_t *dst)
{
    uint32_t pairs = 0;
    for (uint32_t j = 0; j < demand->njob; j++) {
        uint32_t n = demand->list_first[j + 1] - demand->list_first[j];
        memcpy(work, demand->list + demand->list_first[j], n * sizeof *work);
        hd_rng_shuffle(rng, work, n);
        for (uint32_t i = 0; i + 1 < n; i += 2, pairs++) {
            src[pairs] = work[i];
            dst[pairs] = work[i + 1];
        }
    }
    return pairs;
}

/* A destination of the i-th sender, by weight. */
static uint32_t draw_to(const struct hd_demand *demand, struct hd_rng *rng, uint32_t i)
{
    uint32_t lo = demand->list_first[i], hi = demand->list_first[i + 1] - 1;
    uint64_t total = demand->sum[hi], at = hd_rng_u64(rng) % total;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (demand->sum[mid] > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    return demand->to[lo];
}

uint32_t hd_demand_draw(const struct hd_demand *demand, struct hd_rng *rng, uint32_t *work, uint32_t *src,
                        uint32_t *dst)
{
    uint32_t *order = work, *taken = work + demand->net->nep, pairs = 0;
    if (demand->njob) return draw_jobs(demand, rng, work, src, dst);
    memset(taken, 0, demand->net->nep * sizeof *taken);
    for (uint32_t i = 0; i < demand->nlist; i++) order[i] = i;
    hd_rng_shuffle(rng, order, demand->nlist);
    for (uint32_t i = 0; i < demand->nlist; i++)
        for (uint32_t k = 0; k < TRIES; k++) {
            uint32_t d = draw_to(demand, rng, order[i]);
            if (taken[d]) continue;
            taken[d] = 1;
            src[pairs] = demand->list[order[i]];
            dst[pairs++] = d;
            break;
        }
    return pairs;
}
