/* SPDX-License-Identifier: BSD-2-Clause */
/* Breadth-first searches over switches: from one target with a queue, and from 64 targets at a time with one bit each.
 *
 * In the second kind each switch holds a word of the targets that have reached it; a round hands the new bits to the
 * neighbours. A switch is expanded at most once for each round in which new bits reach it, so this is never more work
 * than one search per target, O(targets * cables), and on networks of small diameter a small fraction of that.
 *
 * src/net/describe has a search of the same kind that is 256 targets wide. The two stay separate: that one merges
 * switches with equal neighbours first and only adds up distances, so wide words pay; here every single distance is
 * written, or compared link by link, bit by bit, and wider words only make the lists of active switches longer. */
#include "route/core/switch_distance.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/route.h"
#include "net/core/facts.h"

#include <string.h>

uint32_t hd_dist_from(const struct hd_net *net, uint32_t t, uint8_t *dist, uint32_t *queue)
{
    memset(dist, HD_FAR, net->nsw);
    uint32_t n = 0;
    dist[t] = 0;
    queue[n++] = t;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = queue[i];
        if (dist[v] == HD_FAR - 1) break;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || dist[u] != HD_FAR) continue;
            dist[u] = (uint8_t)(dist[v] + 1);
            queue[n++] = u;
        }
    }
    return n;
}

void hd_dist_row(const struct hd_net *net, uint32_t t, uint8_t *row, uint8_t *dist, uint32_t *queue)
{
    memset(row, HD_SLOT_NONE, net->nsw);
    uint32_t n = hd_dist_from(net, t, dist, queue);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t v = queue[i];
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && row[v] == HD_SLOT_NONE; c++)
            if (net->head[c] < net->nsw && dist[net->head[c]] + 1u == dist[v]) row[v] = (uint8_t)(c - net->off[v]);
    }
}

/* ---- too far? ------------------------------------------------------------------------------------ */

/* The largest distance from t, counted without limit. Every switch that is reached has `seen` set to t + 1. */
static uint32_t eccentricity(const struct hd_net *net, uint32_t t, uint32_t *seen, uint32_t *queue)
{
    uint32_t n = 0, far = 0, end = 1;
    seen[t] = t + 1;
    queue[n++] = t;
    for (uint32_t i = 0; i < n; i++) {
        if (i == end) far++, end = n;
        for (uint32_t c = net->off[queue[i]]; c < net->off[queue[i] + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || seen[u] == t + 1) continue;
            seen[u] = t + 1;
            queue[n++] = u;
        }
    }
    return far;
}

/* Half the limit from one switch of each component suffices; otherwise all are tried. */
static hd_status farthest_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value)
{
    struct hd_arena scratch = {0};
    uint32_t *far = value, *seen, *queue;
    (void)arena;
    hd_status s = HD_NEW_U32(&scratch, net->nsw, &seen, &queue) ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t v = 0; s == HD_OK && v < net->nsw; v++) {
        uint32_t most = seen[v] ? 0 : 2 * eccentricity(net, v, seen, queue);
        *far = most > *far ? most : *far;
    }
    bool exact = *far >= HD_FAR;
    if (exact) *far = 0;
    for (uint32_t v = 0; s == HD_OK && exact && v < net->nsw && *far < HD_FAR; v++) {
        uint32_t most = eccentricity(net, v, seen, queue);
        *far = most > *far ? most : *far;
    }
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_dist_check(struct hd_ctx *ctx, const struct hd_net *net)
{
    static const struct hd_fact fact = {sizeof(uint32_t), farthest_make};
    const void *far;
    if (net->nsw <= HD_FAR) return HD_OK;
    HD_TRY(hd_net_fact(ctx, net, &fact, &far));
    if (*(const uint32_t *)far < HD_FAR) return HD_OK;
    return hd_fail(ctx, HD_NA, "%.200s: shortest paths of more than %d channels between switches are not supported",
                   net->spec, HD_FAR - 1);
}

/* ---- many targets at once ---------------------------------------------------------------------- */

enum { TOGETHER = 64 }; /* targets of one search */

struct dist_search {
    uint64_t *seen, *now, *next; /* [nsw] targets that have reached a switch: before, in this round, in the next */
    uint32_t *list, *more;       /* [nsw] switches with bits in now, in next */
};

struct dist_neighbours { /* of each switch, parallel cables counted once */
    uint32_t *first, *to;
};

static hd_status find_neighbours(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, const bool *without,
                                 struct dist_neighbours *g)
{
    uint32_t n = 0, *last = HD_NEW(a, uint32_t, net->nsw);
    g->first = HD_NEW(a, uint32_t, (size_t)net->nsw + 1);
    g->to = HD_NEW(a, uint32_t, net->nchan);
    if (!last || !g->first || !g->to) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        g->first[v] = n;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || last[u] == v + 1 || (without && without[c])) continue;
            last[u] = v + 1;
            g->to[n++] = u;
        }
    }
    g->first[net->nsw] = n;
    return HD_OK;
}

/* Hands the new bits of this round to the neighbours; returns the number of switches that get any. */
static uint32_t spread_bits(const struct dist_neighbours *g, struct dist_search *s, uint32_t n)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = s->now[s->list[i]];
        for (uint32_t k = g->first[s->list[i]]; k < g->first[s->list[i] + 1]; k++) {
            uint32_t u = g->to[k];
            if (!(bits & ~s->seen[u])) continue;
            if (!s->next[u]) s->more[m++] = u;
            s->next[u] |= bits & ~s->seen[u];
        }
    }
    return m;
}

/* What a search computes: dist or closer. */
struct dist_wanted {
    uint8_t *dist; /* [target * nsw + v] */
    const struct hd_links *links;
    uint64_t *closer; /* [links] */
};

static void note_dist(const struct dist_search *s, uint32_t n, uint8_t far, uint8_t *dist, uint32_t nsw)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t bits = s->next[s->more[i]]; bits; bits &= bits - 1)
            dist[(size_t)__builtin_ctzll(bits) * nsw + s->more[i]] = far;
}

static void note_closer(const struct dist_search *s, uint32_t n, const struct hd_links *l, uint64_t *closer)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = s->more[i];
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) closer[a] |= s->next[v] & s->seen[l->head[a]];
    }
}

static void end_round(struct dist_search *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = s->list[i] = s->more[i];
        s->seen[v] |= s->next[v];
        s->now[v] = s->next[v];
        s->next[v] = 0;
    }
}

/* Targets number first .. first + n - 1. */
static void search_block(uint32_t nsw, const struct dist_neighbours *g, const uint32_t *target, uint32_t first,
                         uint32_t n, struct dist_search *s, const struct dist_wanted *w)
{
    uint32_t m = 0;
    if (w->dist) memset(w->dist, HD_FAR, (size_t)n * nsw);
    memset(s->seen, 0, nsw * sizeof *s->seen);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = target ? target[first + i] : first + i;
        if (!s->next[t]) s->more[m++] = t;
        s->next[t] |= (uint64_t)1 << i;
    }
    for (uint32_t far = 0; m && far < HD_FAR; far++) {
        if (w->dist) note_dist(s, m, (uint8_t)far, w->dist, nsw);
        if (w->closer) note_closer(s, m, w->links, w->closer);
        end_round(s, m);
        m = spread_bits(g, s, m);
    }
    end_round(s, m); /* beyond HD_FAR: leaves next empty for the following search */
}

static hd_status switch_distance_search_init(struct hd_ctx *ctx, struct hd_arena *a, uint32_t nsw,
                                             struct dist_search *s)
{
    s->seen = HD_NEW(a, uint64_t, nsw);
    s->now = HD_NEW(a, uint64_t, nsw);
    s->next = HD_NEW(a, uint64_t, nsw);
    bool ok = s->seen && s->now && s->next && HD_NEW_U32(a, nsw, &s->list, &s->more);
    return ok ? HD_OK : hd_fail_memory(ctx);
}

/* All targets, each block of 64 with its own part of the result. */
static hd_status switch_distance_search_all(struct hd_ctx *ctx, const struct hd_net *net, const bool *without,
                                            const uint32_t *target, uint32_t n, const struct dist_wanted *w)
{
    int threads = hd_threads(ctx);
    struct hd_arena scratch = {0};
    struct dist_neighbours g;
    struct dist_search *s = HD_NEW(&scratch, struct dist_search, (size_t)threads);
    hd_status status = s ? find_neighbours(ctx, &scratch, net, without, &g) : hd_fail_memory(ctx);
    for (int t = 0; status == HD_OK && t < threads; t++)
        status = switch_distance_search_init(ctx, &scratch, net->nsw, &s[t]);
    if (status == HD_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (uint32_t i = 0; i < n; i += TOGETHER) {
            struct dist_wanted own = *w;
            if (own.dist) own.dist += (size_t)i * net->nsw;
            if (own.closer) own.closer += (size_t)(i / TOGETHER) * own.links->n;
            search_block(net->nsw, &g, target, i, n - i < TOGETHER ? n - i : TOGETHER, &s[hd_thread_id()], &own);
        }
    }
    hd_arena_release(&scratch);
    return status;
}

hd_status hd_dist_without(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *without,
                          const uint32_t *target, uint32_t n, uint8_t **dist)
{
    struct dist_wanted w = {.dist = HD_NEW(arena, uint8_t, (size_t)n * net->nsw)};
    if (!w.dist) return hd_fail_memory(ctx);
    HD_TRY(switch_distance_search_all(ctx, net, without, target, n, &w));
    *dist = w.dist;
    return HD_OK;
}

hd_status hd_dist_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *target,
                        uint32_t n, uint8_t **dist)
{
    return hd_dist_without(ctx, arena, net, NULL, target, n, dist);
}

/* ---- distances to leaves, kept with the network --------------------------------------------------- */

enum { MOST_KEPT = 64 << 20 }; /* bytes */

static hd_status leaf_dist_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *dist)
{
    struct hd_arena scratch = {0};
    bool *has = HD_NEW(&scratch, bool, net->nsw);
    uint32_t n = 0, *leaf = HD_NEW(&scratch, uint32_t, net->nsw);
    hd_status s = has && leaf ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t e = 0; s == HD_OK && e < net->nep; e++) has[hd_leaf(net, e)] = true;
    for (uint32_t v = 0; s == HD_OK && v < net->nsw; v++)
        if (has[v]) leaf[n++] = v;
    if (s == HD_OK) s = hd_dist_table(ctx, arena, net, leaf, n, dist);
    hd_arena_release(&scratch);
    return s;
}

static const struct hd_fact leaf_dist_fact = {sizeof(uint8_t *), leaf_dist_make};

hd_status hd_dist_leaves(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint8_t **dist)
{
    if ((uint64_t)net->nsw * net->nsw <= MOST_KEPT) {
        const void *kept;
        HD_TRY(hd_net_fact(ctx, net, &leaf_dist_fact, &kept));
        *dist = *(uint8_t *const *)kept;
        return HD_OK;
    }
    uint8_t *own;
    HD_TRY(leaf_dist_make(ctx, arena, net, &own));
    *dist = own;
    return HD_OK;
}

hd_status hd_dist_closer(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *l, const uint32_t *target,
                         uint32_t n, uint64_t **closer)
{
    size_t blocks = ((size_t)n + TOGETHER - 1) / TOGETHER;
    struct dist_wanted w = {.links = l, .closer = HD_NEW(arena, uint64_t, blocks * l->n)};
    if (!w.closer) return hd_fail_memory(ctx);
    HD_TRY(switch_distance_search_all(ctx, l->net, NULL, target, n, &w));
    *closer = w.closer;
    return HD_OK;
}
