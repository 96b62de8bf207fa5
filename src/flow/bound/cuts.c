/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups are numbered by sorting keys: on a tree the number formed by the digits above the level, else the
 * leaf switch. A channel leads out of a group of level l when its tail is a switch inside (level at most
 * l, same digits above l) and its head is not, whatever the shape says of it: cuts stay valid on damaged
 * trees. */
#include "flow/bound/cuts.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/facts.h"
#include "route/core/switch_distance.h"

#include <math.h>
#include <string.h>

enum { MAX_LEAVES = 2048 }; /* distances are kept for so many */

/* ---- groups -------------------------------------------------------------------------------------- */

static uint64_t key_of(const struct hd_cuts *k, uint32_t level, uint32_t v)
{
    const struct hd_net *net = k->net;
    if (!k->tree) return v; /* a switch */
    uint64_t key = 0;
    for (uint32_t i = net->shape.n; i-- > level;) key = key * net->shape.m[i] + hd_coord(net, v)[i];
    return key;
}

static void add_capacities(struct hd_cuts *k, const struct hd_rates *rates, uint32_t level,
                           const struct hd_keyed *first)
{
    const struct hd_net *net = k->net;
    uint32_t n = k->ngroup[level];
    for (uint32_t u = 0; u < net->nsw; u++) {
        if (k->tree && (net->level[u] > level || net->unplaced[u])) continue;
        uint64_t own = key_of(k, level, u);
        uint32_t g = hd_find_key(first, n, sizeof *first, own);
        if (g == n) continue; /* no endpoint below */
        for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
            uint32_t v = net->head[c];
            if (v >= net->nsw) continue;
            bool inside = k->tree ? net->level[v] <= level && key_of(k, level, v) == own : v == u;
            if (!inside) k->cap[level][g] += hd_cut_capacity(rates, c);
        }
    }
}

static hd_status init_level(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_rates *rates, uint32_t level,
                            struct hd_cuts *k)
{
    const struct hd_net *net = k->net;
    uint32_t n = 0, nep = net->nep;
    struct hd_arena scratch = {0};
    struct hd_keyed *key = HD_NEW(&scratch, struct hd_keyed, nep);
    k->group[level] = HD_NEW(arena, uint32_t, nep);
    if (!key || !k->group[level]) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    for (uint32_t e = 0; e < nep; e++)
        key[e] = (struct hd_keyed){k->tree ? key_of(k, level, net->nsw + e) : hd_leaf(net, e), e};
    hd_keyed_sort(key, nep, sizeof *key);
    for (uint32_t i = 0; i < nep; i++) { /* of equal keys one is kept */
        if (n == 0 || key[i].key != key[n - 1].key) key[n++].key = key[i].key;
        k->group[level][key[i].value] = n - 1;
    }
    k->ngroup[level] = n;
    k->cap[level] = HD_NEW(arena, uint64_t, n);
    hd_status s = k->cap[level] ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) add_capacities(k, rates, level, key);
    hd_arena_release(&scratch);
    return s;
}

static hd_status init_endpoints(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_rates *rates,
                                struct hd_cuts *k)
{
    const struct hd_net *net = k->net;
    k->ngroup[0] = net->nep;
    k->group[0] = HD_NEW(arena, uint32_t, net->nep);
    k->cap[0] = HD_NEW(arena, uint64_t, net->nep);
    if (!k->group[0] || !k->cap[0]) return hd_fail_memory(ctx);
    k->even = true;
    for (uint32_t e = 0; e < net->nep; e++) {
        k->group[0][e] = e;
        k->cap[0][e] = hd_cut_capacity(rates, net->off[net->nsw + e]);
        k->even = k->even && k->cap[0][e] == k->unit;
    }
    return HD_OK;
}

/* ---- are the cuts met? ---------------------------------------------------------------------------- */

/* Aggregation nodes may sit above the leaves; subtrees are cuts only for endpoints below them. */
static bool on_leaves(const struct hd_net *net)
{
    for (uint32_t e = 0; e < net->nep; e++)
        if (net->level[hd_leaf(net, e)] != 1) return false;
    return true;
}

static bool same_but(const struct hd_net *net, uint32_t u, uint32_t v, uint32_t digit)
{
    for (uint32_t i = 0; i < net->shape.n; i++)
        if (i != digit && hd_coord(net, u)[i] != hd_coord(net, v)[i]) return false;
    return true;
}

/* Every switch has all its cables upwards, they go where the shape says and a level has one rate. */
static bool is_intact(const struct hd_net *net, const struct hd_rates *rates, uint32_t one[HD_MAX_DIM + 1])
{
    if (net->shape.missing) return false;
    for (uint32_t u = 0; u < net->nsw; u++) {
        uint32_t l = net->level[u], up = 0;
        if (l >= net->shape.n || net->unplaced[u]) continue;
        for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
            if (net->head[c] >= net->nsw || net->level[net->head[c]] < l) continue;
            uint32_t load = rates->factor ? rates->factor[c] : 1;
            if (!same_but(net, u, net->head[c], l) || (one[l] && one[l] != load)) return false;
            one[l] = load;
            up++;
        }
        if (up != net->shape.w[l] * net->shape.p[l]) return false;
    }
    return true;
}

static hd_status find_slim(struct hd_ctx *ctx, struct hd_cuts *k)
{
    const struct hd_net *net = k->net;
    struct hd_arena scratch = {0};
    for (uint32_t l = 1; l < k->levels && !k->slim; l++) {
        uint64_t *need = HD_NEW(&scratch, uint64_t, k->ngroup[l]);
        if (!need) {
            hd_arena_release(&scratch);
            return hd_fail_memory(ctx);
        }
        uint64_t total = 0;
        for (uint32_t e = 0; e < net->nep; e++) {
            need[k->group[l][e]] += k->cap[0][e];
            total += k->cap[0][e];
        }
        for (uint32_t g = 0; g < k->ngroup[l]; g++) k->slim = k->slim || (need[g] < total && k->cap[l][g] < need[g]);
    }
    hd_arena_release(&scratch);
    return HD_OK;
}

static hd_status init_distances(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_rates *rates,
                                struct hd_cuts *k)
{
    const struct hd_net *net = k->net;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (net->head[c] < net->nsw) k->volume += hd_cut_capacity(rates, c);
    k->leaf_switch = HD_NEW(arena, uint32_t, k->ngroup[1]);
    if (!k->leaf_switch) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) k->leaf_switch[k->group[1][e]] = hd_leaf(net, e);
    if (k->exact || k->ngroup[1] > MAX_LEAVES) return HD_OK;
    return hd_dist_table(ctx, arena, net, k->leaf_switch, k->ngroup[1], &k->dist);
}

static hd_status cuts_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value)
{
    const struct hd_rates *rates;
    struct hd_cuts *k = value;
    HD_TRY(hd_rates_of(ctx, net, &rates));
    *k = (struct hd_cuts){.net = net, .unit = rates->factor ? rates->scale : 1};
    k->tree = net->shape.kind == HD_SHAPE_TREE && on_leaves(net);
    k->levels = k->tree ? net->shape.n : 2;
    if (k->levels < 2) k->levels = 2; /* a tree of one switch has the cut around it, with nothing outside */
    HD_TRY(init_endpoints(ctx, arena, rates, k));
    for (uint32_t l = 1; l < k->levels; l++) HD_TRY(init_level(ctx, arena, rates, l, k));
    k->exact = k->tree && is_intact(net, rates, k->up);
    k->all = k->levels;
    if (!k->tree) HD_TRY(hd_cuts_parts(ctx, arena, rates, k));
    HD_TRY(init_distances(ctx, arena, rates, k));
    return find_slim(ctx, k);
}

hd_status hd_cuts_of(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_cuts **cuts)
{
    static const struct hd_fact fact = {sizeof(struct hd_cuts), cuts_make};
    const void *value = NULL;
    HD_TRY(hd_net_fact(ctx, net, &fact, &value));
    *cuts = value;
    return HD_OK;
}

/* ---- one set of flows ------------------------------------------------------------------------------ */

hd_status hd_cut_sums_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_cuts *k,
                           struct hd_cut_sums *sums)
{
    uint32_t most = k->net->nep; /* no level has more groups */
    sums->out = HD_NEW(arena, uint64_t, most);
    sums->in = HD_NEW(arena, uint64_t, most);
    return sums->out && sums->in ? HD_OK : hd_fail_memory(ctx);
}

static void add_flows(const struct hd_cut_sums *sums, const uint32_t *group, const struct hd_flows *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t a = group[f->src[i]], b = group[f->dst[i]], w = f->weight ? f->weight[i] : 1;
        if (a == b) continue;
        sums->out[a] += w;
        sums->in[b] += w;
    }
}

/* Takes a group's sum and leaves 0 behind, so that each counts once. */
static uint64_t cuts_take(uint64_t *sum)
{
    uint64_t v = *sum;
    *sum = 0;
    return v;
}

static double volume_load(const struct hd_cuts *k, const struct hd_flows *f)
{
    uint64_t hops = 0;
    if (!k->dist || !k->volume) return 0;
    for (uint32_t i = 0; i < f->n; i++) {
        uint64_t d = k->dist[(size_t)k->group[1][f->src[i]] * k->net->nsw + hd_leaf(k->net, f->dst[i])];
        if (d != HD_FAR) hops += d * (f->weight ? f->weight[i] : 1);
    }
    return (double)hops * k->unit / (double)k->volume;
}

double hd_cuts_load(const struct hd_cuts *k, const struct hd_cut_sums *sums, const struct hd_flows *f)
{
    double most = 0;
    if (f->n == 0) return 0;
    if (f->simple && k->even && k->exact && !k->slim) return 1;
    for (uint32_t l = 0; l < k->all; l++) {
        const uint32_t *group = k->group[l];
        add_flows(sums, group, f);
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t a = group[f->src[i]], b = group[f->dst[i]];
            uint64_t out = cuts_take(&sums->out[a]), in = cuts_take(&sums->in[b]);
            if (out && k->cap[l][a]) most = fmax(most, (double)out * k->unit / (double)k->cap[l][a]);
            if (in && k->cap[l][b]) most = fmax(most, (double)in * k->unit / (double)k->cap[l][b]);
        }
    }
    return fmax(most, volume_load(k, f));
}

/* Flows counted by distance: serving the near ones first serves most. */
static double volume_share(const struct hd_cuts *k, const double *flows)
{
    double left = (double)k->volume / k->unit, served = flows[0];
    for (uint32_t d = 1; d < HD_FAR && left > 0; d++) {
        double n = fmin(flows[d], left / d);
        served += n;
        left -= n * d;
    }
    return served;
}

double hd_cuts_share(const struct hd_cuts *k, const struct hd_cut_sums *sums, const struct hd_flows *f)
{
    if (f->n == 0 || (f->simple && k->even && k->exact && !k->slim)) return 1;
    double served = f->n;
    for (uint32_t l = 0; l < k->all; l++) {
        const uint32_t *group = k->group[l];
        double out = 0, in = 0;
        uint64_t apart = 0;
        add_flows(sums, group, f);
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t a = group[f->src[i]], b = group[f->dst[i]];
            apart += a != b;
            out += fmin((double)cuts_take(&sums->out[a]), (double)k->cap[l][a] / k->unit);
            in += fmin((double)cuts_take(&sums->in[b]), (double)k->cap[l][b] / k->unit);
        }
        served = fmin(served, (double)(f->n - apart) + fmin(out, in));
    }
    if (k->dist) {
        double flows[HD_FAR + 1] = {0};
        for (uint32_t i = 0; i < f->n; i++)
            flows[k->dist[(size_t)k->group[1][f->src[i]] * k->net->nsw + hd_leaf(k->net, f->dst[i])]]++;
        served = fmin(served, volume_share(k, flows));
    }
    return served / f->n;
}

/* ---- what to expect ---------------------------------------------------------------------------------
 * With F flows among n ranks, each ordered pair equally likely, a group of a ranks sends F a (n - a) /
 * (n (n-1)) flows out on average; what gets through is on average at most the smaller of that and the
 * capacity, since the mean of a minimum is at most the minimum of the means. */

struct expect {
    const struct hd_cuts *k;
    const struct hd_ranks *ranks;
    double flows;
    uint64_t *size; /* ranks in a group; zero between uses */
};

static double expect_level(const struct expect *x, uint32_t l)
{
    const struct hd_cuts *k = x->k;
    const struct hd_ranks *ranks = x->ranks;
    double n = ranks->n, pair = x->flows / (n * (n - 1)), inner = 0, outer = 0;
    for (uint32_t i = 0; i < ranks->n; i++) x->size[k->group[l][ranks->ep[i]]]++;
    for (uint32_t i = 0; i < ranks->n; i++) {
        uint32_t g = k->group[l][ranks->ep[i]];
        double a = (double)cuts_take(&x->size[g]);
        inner += pair * a * (a - 1);
        outer += fmin(pair * a * (n - a), (double)k->cap[l][g] / k->unit);
    }
    return (inner + outer) / x->flows;
}

static double expect_distances(const struct expect *x)
{
    const struct hd_cuts *k = x->k;
    double n = x->ranks->n, pair = x->flows / (n * (n - 1)), flows[HD_FAR + 1] = {0};
    for (uint32_t i = 0; i < x->ranks->n; i++) x->size[k->group[1][x->ranks->ep[i]]]++;
    for (uint32_t a = 0; a < k->ngroup[1]; a++)
        for (uint32_t b = 0; x->size[a] && b < k->ngroup[1]; b++) {
            double pairs = (double)x->size[a] * ((double)x->size[b] - (a == b));
            flows[k->dist[(size_t)a * k->net->nsw + k->leaf_switch[b]]] += pair * pairs;
        }
    return volume_share(k, flows) / x->flows;
}

hd_status hd_cuts_expected(struct hd_ctx *ctx, const struct hd_cuts *k, const struct hd_ranks *ranks, double flows,
                           double *share)
{
    struct hd_arena scratch = {0};
    struct expect x = {k, ranks, flows, HD_NEW(&scratch, uint64_t, k->net->nep)};
    double least = 1;
    if (!x.size) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    for (uint32_t l = 0; l < k->all && ranks->n > 1; l++) least = fmin(least, expect_level(&x, l));
    if (k->dist && ranks->n > 1) least = fmin(least, expect_distances(&x));
    hd_arena_release(&scratch);
    *share = least;
    return HD_OK;
}
