/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/core/channel_usage.h"
#include "base/status.h"
#include "route/core/routes_view.h"

#include <stdlib.h>
#include <string.h>

struct key {
    uint32_t leaf, class, e;
};

static int by_place(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->leaf != y->leaf) return x->leaf < y->leaf ? -1 : 1;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->e > y->e) - (x->e < y->e);
}

static void list_groups(struct hd_usage *u, const struct key *key)
{
    for (uint32_t i = 0; i < u->n; i++) {
        bool leaf = i == 0 || key[i].leaf != key[i - 1].leaf;
        bool group = leaf || hd_routes_select(u->r) == HD_SELECT_PAIR || key[i].class != key[i - 1].class;
        if (leaf) u->leaf_ep[u->nleaf] = i;
        if (leaf) u->leaf_group[u->nleaf++] = u->ngroup;
        if (group) u->first[u->ngroup++] = i;
        u->ep[i] = key[i].e;
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
    struct key *key = HD_NEW(arena, struct key, n);
    *u = (struct hd_usage){.r = r, .n = n, .unit = hd_routes_paths_per_pair(r)};
    u->ep = HD_NEW(arena, uint32_t, n);
    u->first = HD_NEW(arena, uint32_t, (size_t)n + 1);
    u->leaf_ep = HD_NEW(arena, uint32_t, (size_t)n + 1);
    u->leaf_group = HD_NEW(arena, uint32_t, (size_t)n + 1);
    if (!key || !u->ep || !u->first || !u->leaf_ep || !u->leaf_group) return hd_fail_memory(ctx);
    bool sorted = true; /* as endpoints of generated networks are */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = among->ep[i];
        key[i] = (struct key){leaf_of[hd_leaf(net, e)], class ? class[e] : 0, e};
        sorted = sorted && (i == 0 || by_place(&key[i - 1], &key[i]) < 0);
    }
    if (!sorted) qsort(key, n, sizeof *key, by_place);
    list_groups(u, key);
    if (u->unit > 1) return HD_OK;
    return hd_paths_init(ctx, arena, r, 3 * (uint64_t)u->ngroup * n, &u->paths);
}

/* ---- lines -------------------------------------------------------------------------------------- */

hd_status hd_line_init(struct hd_ctx *ctx, const struct hd_usage *u, struct hd_line *line)
{
    size_t most = u->n; /* there are no more groups than endpoints */
    *line = (struct hd_line){.room = u->paths ? most * u->paths->stride : most * 4 + HD_MAX_HOPS};
    line->at = HD_NEW(&line->arena, size_t, most + 1);
    line->chan = HD_NEW(&line->arena, uint32_t, line->room);
    bool fine = line->at && line->chan;
    if (u->paths) {
        line->src = HD_NEW(&line->arena, uint32_t, most);
        line->dst = HD_NEW(&line->arena, uint32_t, most);
        fine = fine && line->src && line->dst;
    } else if (u->unit > 1) {
        line->share = HD_NEW(&line->arena, uint32_t, line->room);
        line->count = HD_NEW(&line->arena, uint32_t, hd_routes_net(u->r)->nchan);
        fine = fine && line->share && line->count;
    }
    return fine ? HD_OK : hd_fail_memory(ctx);
}

void hd_line_release(struct hd_line *line)
{
    hd_arena_release(&line->arena);
}

static bool ensure(struct hd_line *line, size_t used, size_t want)
{
    if (want <= line->room) return true;
    size_t room = 2 * line->room > want ? 2 * line->room : want;
    uint32_t *chan = HD_NEW(&line->arena, uint32_t, room),
             *share = line->share ? HD_NEW(&line->arena, uint32_t, room) : NULL;
    if (!chan || (line->share && !share)) {
        line->failed = true;
        return false;
    }
    memcpy(chan, line->chan, used * sizeof *chan);
    if (share) memcpy(share, line->share, used * sizeof *share);
    line->chan = chan;
    line->share = share;
    line->room = room;
    return true;
}

static uint64_t senders(const struct hd_usage *u, uint32_t g, uint32_t d)
{
    const struct hd_net *net = hd_routes_net(u->r);
    uint32_t n = u->first[g + 1] - u->first[g], s = u->ep[u->first[g]];
    bool home = hd_leaf(net, s) == hd_leaf(net, d);
    for (uint32_t i = u->first[g]; home && i < u->first[g + 1]; i++)
        if (u->ep[i] == d) return n - 1;
    return n;
}

/* Without its two endpoint cables. */
static void walk_one(const struct hd_usage *u, struct hd_line *line, uint32_t g, uint32_t d, size_t *n)
{
    uint32_t path[HD_MAX_HOPS], s = u->ep[u->first[g]],
                                len = hd_routes_path(u->r, s, d, hd_routes_variant(u->r, s, d), path);
    if (len == 0) line->unserved += senders(u, g, d);
    for (uint32_t j = 1; j + 1 < len; j++) line->chan[(*n)++] = path[j];
}

static void walk_all(const struct hd_usage *u, struct hd_line *line, uint32_t g, uint32_t d, size_t *n)
{
    uint32_t path[HD_MAX_HOPS], s = u->ep[u->first[g]];
    size_t from = *n;
    for (uint32_t x = 0; x < u->unit; x++) {
        uint32_t len = hd_routes_path(u->r, s, d, x, path);
        if (len == 0) line->unserved += senders(u, g, d);
        if (!ensure(line, *n, *n + HD_MAX_HOPS)) return;
        for (uint32_t j = 1; j + 1 < len; j++)
            if (line->count[path[j]]++ == 0) line->chan[(*n)++] = path[j];
    }
    for (size_t j = from; j < *n; j++) {
        line->share[j] = line->count[line->chan[j]];
        line->count[line->chan[j]] = 0;
    }
}

static void add_item(const struct hd_usage *u, struct hd_line *line, uint32_t g, uint32_t d, size_t *n)
{
    if (ensure(line, *n, *n + HD_MAX_HOPS)) {
        if (u->unit > 1)
            walk_all(u, line, g, d, n);
        else
            walk_one(u, line, g, d, n);
    }
    line->at[++line->n] = *n;
}

static void get_fast(const struct hd_usage *u, struct hd_line *line)
{
    u->paths->get(u->paths, line->src, line->dst, line->n, line->chan);
    for (uint32_t j = 0; j <= line->n; j++) line->at[j] = (size_t)j * u->paths->stride;
}

void hd_usage_to(const struct hd_usage *u, uint32_t d, struct hd_line *line)
{
    size_t n = 0;
    line->n = 0;
    line->at[0] = 0;
    if (!u->paths) {
        for (uint32_t g = 0; g < u->ngroup; g++) add_item(u, line, g, d, &n);
        return;
    }
    for (uint32_t g = 0; g < u->ngroup; g++) {
        line->src[g] = u->ep[u->first[g]];
        line->dst[g] = d;
    }
    line->n = u->ngroup;
    get_fast(u, line);
}

void hd_usage_from(const struct hd_usage *u, uint32_t g, struct hd_line *line)
{
    size_t n = 0;
    line->n = 0;
    line->at[0] = 0;
    if (!u->paths) {
        for (uint32_t i = 0; i < u->n; i++) add_item(u, line, g, u->ep[i], &n);
        return;
    }
    for (uint32_t i = 0; i < u->n; i++) {
        line->src[i] = u->ep[u->first[g]];
        line->dst[i] = u->ep[i];
    }
    line->n = u->n;
    get_fast(u, line);
}
