/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pairs use which channels, by lines of one destination or one group of sources. Paths come from a loader
 * (load/loader.h); those of a pair that splits over variants are merged into one item, in which each channel has the
 * number of variants that use it. O(groups) paths for the line of a destination, O(endpoints) for that of a group. */
#include "flow/core/channel_usage.h"
#include "base/keyed.h"
#include "base/status.h"
#include "route/core/routes_view.h"

#include <string.h>

/* Endpoints by leaf switch (the upper half of the key), then by class. */
static void list_groups(struct hd_usage *u, const struct hd_keyed *key)
{
    for (uint32_t i = 0; i < u->n; i++) {
        bool leaf = i == 0 || key[i].key >> 32 != key[i - 1].key >> 32;
        bool group = leaf || hd_routes_select(u->r) == HD_SELECT_PAIR || key[i].key != key[i - 1].key;
        if (leaf) u->leaf_ep[u->nleaf] = i;
        if (leaf) u->leaf_group[u->nleaf++] = u->ngroup;
        if (group) u->first[u->ngroup++] = i;
        u->ep[i] = key[i].value;
    }
    u->first[u->ngroup] = u->leaf_ep[u->nleaf] = u->n;
    u->leaf_group[u->nleaf] = u->ngroup;
}

hd_status hd_usage_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                        const struct hd_ranks *among, struct hd_usage *u)
{
    uint32_t n = among->n;
    const struct hd_net *net = hd_routes_net(r);
    const uint32_t *leaf_of = hd_routes_leaf_of(r);
    const uint16_t *class = hd_routes_source_class(r);
    struct hd_keyed *key = HD_NEW(arena, struct hd_keyed, n);
    *u = (struct hd_usage){.r = r, .n = n, .unit = hd_routes_paths_per_pair(r)};
    u->ep = HD_NEW(arena, uint32_t, n);
    u->first = HD_NEW(arena, uint32_t, (size_t)n + 1);
    u->leaf_ep = HD_NEW(arena, uint32_t, (size_t)n + 1);
    u->leaf_group = HD_NEW(arena, uint32_t, (size_t)n + 1);
    if (!key || !u->ep || !u->first || !u->leaf_ep || !u->leaf_group) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = among->ep[i];
        key[i] = (struct hd_keyed){(uint64_t)leaf_of[hd_leaf(net, e)] << 32 | (class ? class[e] : 0), e};
    }
    hd_keyed_sort(key, n, sizeof *key);
    list_groups(u, key);
    /* About three passes over all lines, as the search for the worst permutation makes. */
    struct hd_loader_in in = {.routes = r, .need = HD_NEED_PATHS, .flows = 3 * (uint64_t)u->ngroup * n};
    return hd_loader_make(ctx, arena, &in, &u->loader);
}

/* ---- lines -------------------------------------------------------------------------------------- */

struct hd_merged { /* items of pairs that split over variants */
    size_t *at;
    uint32_t *chan, *share;
    uint32_t *count; /* [nchan] variants of the current item that use a channel; zero between items */
    size_t room;     /* in chan and share */
};

static hd_status merged_init(struct hd_ctx *ctx, const struct hd_usage *u, struct hd_line *line)
{
    struct hd_merged *m = line->merged = HD_NEW(&line->arena, struct hd_merged, 1);
    if (!m) return hd_fail_memory(ctx);
    m->room = (size_t)u->n * 4 + HD_MAX_HOPS;
    m->at = HD_NEW(&line->arena, size_t, (size_t)u->n + 1);
    m->chan = HD_NEW(&line->arena, uint32_t, m->room);
    m->share = HD_NEW(&line->arena, uint32_t, m->room);
    m->count = HD_NEW(&line->arena, uint32_t, hd_routes_net(u->r)->nchan);
    return m->at && m->chan && m->share && m->count ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_line_init(struct hd_ctx *ctx, const struct hd_usage *u, struct hd_line *line)
{
    *line = (struct hd_line){0};
    if (u->unit > 1) HD_TRY(merged_init(ctx, u, line));
    return hd_loads_init(ctx, &line->arena, u->loader, u->unit > 1 ? 1 : u->n, 1, &line->loads);
}

void hd_line_release(struct hd_line *line)
{
    hd_arena_release(&line->arena);
}

static bool merged_ensure(struct hd_line *line, size_t used, size_t want)
{
    struct hd_merged *m = line->merged;
    if (want <= m->room) return true;
    size_t room = 2 * m->room > want ? 2 * m->room : want;
    uint32_t *chan = HD_NEW(&line->arena, uint32_t, room), *share = HD_NEW(&line->arena, uint32_t, room);
    line->failed |= !chan || !share;
    if (!chan || !share) return false;
    m->chan = memcpy(chan, m->chan, used * sizeof *chan);
    m->share = memcpy(share, m->share, used * sizeof *share);
    m->room = room;
    return true;
}

/* Members of group g that send to d: not d itself. */
static uint64_t count_senders(const struct hd_usage *u, uint32_t g, uint32_t d)
{
    const struct hd_net *net = hd_routes_net(u->r);
    uint32_t n = u->first[g + 1] - u->first[g], s = u->ep[u->first[g]];
    bool home = hd_leaf(net, s) == hd_leaf(net, d);
    for (uint32_t i = u->first[g]; home && i < u->first[g + 1]; i++)
        if (u->ep[i] == d) return n - 1;
    return n;
}

/* Appends the channels of all variants of one pair, which the line's loads list; returns the end. */
static size_t merge_item(struct hd_line *line, size_t from)
{
    const struct hd_loads *l = &line->loads;
    const size_t listed = l->at[l->npath];
    struct hd_merged *m = line->merged;
    size_t n = from;
    if (!merged_ensure(line, n, n + listed)) return n;
    for (size_t j = 0; j < listed; j++)
        if (m->count[l->chan[j]]++ == 0) m->chan[n++] = l->chan[j];
    for (size_t j = from; j < n; j++) {
        m->share[j] = m->count[m->chan[j]];
        m->count[m->chan[j]] = 0;
    }
    return n;
}

/* Item k of a line. */
struct usage_pair {
    uint32_t g, d; /* from group g to endpoint d */
};

struct usage_side { /* what the pairs of a line share */
    bool from;      /* the group `which`; item k is destination ep[k] */
    uint32_t which; /* otherwise destination `which`; item k is group k */
};

static struct usage_pair pair_of(const struct hd_usage *u, struct usage_side side, uint32_t k)
{
    return side.from ? (struct usage_pair){side.which, u->ep[k]} : (struct usage_pair){k, side.which};
}

static void list_split(const struct hd_usage *u, struct usage_side side, struct hd_line *line)
{
    struct hd_loads *l = &line->loads;
    struct hd_merged *m = line->merged;
    m->at[0] = 0;
    for (uint32_t k = 0; k < line->n; k++) {
        struct usage_pair p = pair_of(u, side, k);
        l->flows.n = 1;
        l->flows.src = &u->ep[u->first[p.g]];
        l->flows.dst = &p.d;
        hd_loads_list(l);
        line->unserved += l->unserved * count_senders(u, p.g, p.d);
        m->at[k + 1] = merge_item(line, m->at[k]);
    }
    line->at = m->at;
    line->chan = m->chan;
    line->share = m->share;
}

static void list_single(const struct hd_usage *u, struct usage_side side, struct hd_line *line)
{
    struct hd_loads *l = &line->loads;
    uint32_t *src = l->flows.buf[0], *dst = l->flows.buf[1];
    for (uint32_t k = 0; k < line->n; k++) {
        struct usage_pair p = pair_of(u, side, k);
        src[k] = u->ep[u->first[p.g]];
        dst[k] = p.d;
    }
    l->flows.n = line->n;
    l->flows.src = src;
    l->flows.dst = dst;
    hd_loads_list(l);
    line->n = l->npath; /* fewer if memory ran out */
    line->at = l->at;
    line->chan = l->chan;
    for (uint32_t k = 0; l->unserved && k < l->npath; k++) {
        struct usage_pair p = pair_of(u, side, k);
        if (!hd_bottleneck(l, k)) line->unserved += count_senders(u, p.g, p.d);
    }
}

static void list_line(const struct hd_usage *u, struct usage_side side, struct hd_line *line)
{
    line->n = side.from ? u->n : u->ngroup;
    if (line->merged)
        list_split(u, side, line);
    else
        list_single(u, side, line);
    line->failed |= line->loads.failed;
}

void hd_usage_to(const struct hd_usage *u, uint32_t d, struct hd_line *line)
{
    list_line(u, (struct usage_side){false, d}, line);
}

void hd_usage_from(const struct hd_usage *u, uint32_t g, struct hd_line *line)
{
    list_line(u, (struct usage_side){true, g}, line);
}
