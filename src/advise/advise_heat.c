/* SPDX-License-Identifier: BSD-2-Clause */
/* Who suffers: the mean share a flow gets from one group of leaf switches to another, in random bisections. Up to
 * HD_HEAT_MAX leaves each is a group of its own; above that a group is a subtree, or a stretch of leaves. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "load/loads.h"
#include "flow/pattern/all_patterns.h"

#include <math.h>
#include <stdlib.h>

struct leaf {
    uint64_t key; /* place in the tree, coarse digits first */
    uint32_t v;
};

static int by_key(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->v < y->v ? -1 : 1;
}

static uint64_t key_of(const struct hd_net *net, uint32_t v, uint32_t from)
{
    uint64_t key = 0;
    for (uint32_t i = net->shape.n; i-- > from;) key = key * net->shape.m[i] + hd_coord(net, v)[i];
    return key;
}

/* Leaves in tree order; off trees as they are numbered. */
static hd_status list_leaves(struct hd_advising *a, struct hd_arena *scratch, struct leaf **list)
{
    const struct hd_net *net = a->net;
    bool *used = HD_NEW(scratch, bool, net->nsw);
    *list = HD_NEW(scratch, struct leaf, net->nsw);
    if (!used || !*list) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < net->nsel; i++) used[hd_leaf(net, net->sel[i])] = true;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (used[v]) (*list)[a->nleaf++] = (struct leaf){net->shape.kind == HD_SHAPE_TREE ? key_of(net, v, 1) : 0, v};
    qsort(*list, a->nleaf, sizeof **list, by_key);
    return HD_OK;
}

static uint32_t subtrees(const struct hd_net *net, const struct leaf *list, uint32_t n, uint32_t level)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += i == 0 || key_of(net, list[i].v, level) != key_of(net, list[i - 1].v, level);
    return count;
}

/* Group of the i-th leaf: subtrees of the lowest level that has few enough of them, else equal stretches. */
static uint32_t cut(const struct hd_advising *a, const struct leaf *list, uint32_t *group)
{
    const struct hd_net *net = a->net;
    uint32_t n = a->nleaf, level = 1;
    bool tree = net->shape.kind == HD_SHAPE_TREE;
    while (tree && level < net->shape.n && subtrees(net, list, n, level) > HD_HEAT_MAX) level++;
    if (tree && n > HD_HEAT_MAX && subtrees(net, list, n, level) > 1) {
        uint32_t at = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (i && key_of(net, list[i].v, level) != key_of(net, list[i - 1].v, level)) at++;
            group[i] = at;
        }
        return at + 1;
    }
    uint32_t each = (n + HD_HEAT_MAX - 1) / HD_HEAT_MAX;
    for (uint32_t i = 0; i < n; i++) group[i] = i / each;
    return n ? (n - 1) / each + 1 : 0;
}

static void name_groups(struct hd_advising *a, const struct leaf *list, const uint32_t *group)
{
    const struct hd_net *net = a->net;
    for (uint32_t i = 0; i < a->nleaf;) {
        uint32_t from = i, g = group[i];
        while (i < a->nleaf && group[i] == g) i++;
        const char *first = hd_node_name(net, list[from].v);
        a->report->group[g] = i - from == 1
                                  ? hd_say(a, "%s", first)
                                  : hd_say(a, "%s .. %s (%u)", first, hd_node_name(net, list[i - 1].v), i - from);
    }
}

hd_status hd_advise_groups(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct leaf *list;
    hd_status s = list_leaves(a, &scratch, &list);
    uint32_t *group = HD_NEW(&scratch, uint32_t, a->nleaf);
    a->group_of = hd_advise_alloc(a, a->net->nsw, sizeof *a->group_of);
    if (s == HD_OK && (!group || !a->group_of)) s = hd_fail_memory(a->ctx);
    if (s == HD_OK) {
        a->report->ngroup = cut(a, list, group);
        a->report->group = hd_advise_alloc(a, a->report->ngroup, sizeof *a->report->group);
        for (uint32_t i = 0; i < a->nleaf; i++) a->group_of[list[i].v] = group[i];
        if (a->report->group) name_groups(a, list, group);
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- shares ------------------------------------------------------------------------------------ */

struct heat {
    uint64_t *sum; /* [ngroup^2] shares in units of 2^-30 */
    uint32_t *n;
    uint32_t ngroup;
    const uint32_t *group_of;
};

static void add_sample(const struct heat *h, const struct hd_net *net, const struct hd_loads *l)
{
    uint64_t full = (uint64_t)l->unit * l->rates->scale;
    for (uint32_t k = 0; k < l->npath; k++) {
        uint32_t f = k / l->nvar, s = hd_leaf(net, l->flows.src[f]), d = hd_leaf(net, l->flows.dst[f]);
        size_t at = (size_t)h->group_of[s] * h->ngroup + h->group_of[d];
        uint64_t load = hd_loads_bottleneck(l, k);
        h->n[at]++;
        if (load) h->sum[at] += load <= full ? 1 << 30 : (uint64_t)((double)full / (double)load * (1 << 30));
    }
}

static hd_status sample(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_routes *r, uint64_t samples,
                        const struct heat *h)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_ranks ranks = {net->nsel, net->sel};
    struct hd_pattern_in in = {r, &ranks, NULL};
    struct hd_rates rates;
    struct hd_loads l;
    struct hd_arena own = {0};
    void *state;
    HD_TRY(hd_rates_init(ctx, scratch, net, &rates));
    HD_TRY(hd_pattern_bisect.init(ctx, scratch, &in, &state));
    hd_status s = hd_loads_init(ctx, &own, r, &rates, hd_pattern_bisect.max_flows(state), &l);
    for (uint64_t i = 0; s == HD_OK && i < samples; i++) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx->seed, HD_RNG_PATTERN, i);
        hd_pattern_bisect.draw(state, &rng, i, &l.flows);
        hd_loads_run(&l);
        if (l.failed)
            s = hd_fail_memory(ctx);
        else
            add_sample(h, net, &l);
        hd_loads_clear(&l);
    }
    hd_arena_release(&own);
    return s;
}

hd_status hd_advise_heat(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r, struct hd_option *o)
{
    struct hd_arena scratch = {0};
    size_t cells = (size_t)a->report->ngroup * a->report->ngroup;
    struct heat h = {HD_NEW(&scratch, uint64_t, cells), HD_NEW(&scratch, uint32_t, cells), a->report->ngroup,
                     a->group_of};
    float *heat = hd_advise_alloc(a, cells, sizeof *heat);
    uint32_t split = hd_routes_select(r) == HD_SELECT_ALL ? hd_routes_variants(r) : 1;
    uint64_t samples = hd_work_samples(a, split);
    hd_status s = h.sum && h.n && heat ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) s = sample(ctx, &scratch, r, samples < HD_HEAT_SAMPLES ? samples : HD_HEAT_SAMPLES, &h);
    for (size_t i = 0; s == HD_OK && i < cells; i++)
        heat[i] = h.n[i] ? (float)((double)h.sum[i] / h.n[i] / (1 << 30)) : NAN;
    if (s == HD_OK) o->heat = heat;
    hd_arena_release(&scratch);
    return hd_unsuited(s) ? HD_OK : s;
}
