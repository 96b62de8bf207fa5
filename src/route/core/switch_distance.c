/* SPDX-License-Identifier: BSD-2-Clause */
#include "route/core/switch_distance.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/route.h"

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

void hd_dist_row(const struct hd_net *net, uint32_t t, uint8_t *row)
{
    struct hd_arena scratch = {0};
    uint32_t *queue = HD_NEW(&scratch, uint32_t, net->nsw);
    uint8_t *dist = HD_NEW(&scratch, uint8_t, net->nsw);
    memset(row, HD_SLOT_NONE, net->nsw);
    uint32_t n = queue && dist ? hd_dist_from(net, t, dist, queue) : 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t v = queue[i];
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && row[v] == HD_SLOT_NONE; c++)
            if (net->head[c] < net->nsw && dist[net->head[c]] + 1u == dist[v]) row[v] = (uint8_t)(c - net->off[v]);
    }
    hd_arena_release(&scratch);
}

/* ---- many targets at once ---------------------------------------------------------------------- */

enum { TOGETHER = 64 }; /* targets of one search: a bit each */

struct search {
    uint64_t *seen, *now, *next; /* [nsw] targets that have met a switch: so far, in this round, in the next */
    uint32_t *list, *more;       /* [nsw] switches with bits in now, in next */
};

struct neighbours { /* switch to switch, cables between the same two counted once */
    uint32_t *first, *to;
};

static hd_status find_neighbours(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct neighbours *g)
{
    uint32_t n = 0, *last = HD_NEW(a, uint32_t, net->nsw);
    g->first = HD_NEW(a, uint32_t, (size_t)net->nsw + 1);
    g->to = HD_NEW(a, uint32_t, net->nchan);
    if (!last || !g->first || !g->to) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        g->first[v] = n;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || last[u] == v + 1) continue;
            last[u] = v + 1;
            g->to[n++] = u;
        }
    }
    g->first[net->nsw] = n;
    return HD_OK;
}

/* What met a switch in this round is told to its neighbours; returns how many have something new. */
static uint32_t spread(const struct neighbours *g, struct search *s, uint32_t n)
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

/* What a search is for, one of them. */
struct wanted {
    uint8_t *dist; /* [target * nsw + v] */
    const struct hd_links *links;
    uint64_t *closer; /* [links] */
};

/* What is new has this distance. */
static void note_dist(const struct search *s, uint32_t n, uint8_t far, uint8_t *dist, uint32_t nsw)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t bits = s->next[s->more[i]]; bits; bits &= bits - 1)
            dist[(size_t)__builtin_ctzll(bits) * nsw + s->more[i]] = far;
}

static void note_closer(const struct search *s, uint32_t n, const struct hd_links *l, uint64_t *closer)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = s->more[i];
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) closer[a] |= s->next[v] & s->seen[l->head[a]];
    }
}

static void end_round(struct search *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = s->list[i] = s->more[i];
        s->seen[v] |= s->next[v];
        s->now[v] = s->next[v];
        s->next[v] = 0;
    }
}

/* A switch goes on at most once for each round in which something new meets it, so this is never more
 * work than a search for every target, and on networks of small diameter a small part of it. */
static void search_together(uint32_t nsw, const struct neighbours *g, const uint32_t *target, uint32_t n,
                            struct search *s, const struct wanted *w)
{
    uint32_t m = 0;
    if (w->dist) memset(w->dist, HD_FAR, (size_t)n * nsw);
    memset(s->seen, 0, nsw * sizeof *s->seen);
    for (uint32_t i = 0; i < n; i++) {
        if (!s->next[target[i]]) s->more[m++] = target[i];
        s->next[target[i]] |= (uint64_t)1 << i;
    }
    for (uint32_t far = 0; m && far < HD_FAR; far++) {
        if (w->dist) note_dist(s, m, (uint8_t)far, w->dist, nsw);
        if (w->closer) note_closer(s, m, w->links, w->closer);
        end_round(s, m);
        m = spread(g, s, m);
    }
    end_round(s, m); /* farther than is counted: leaves nothing for the next search */
}

static hd_status search_init(struct hd_ctx *ctx, struct hd_arena *a, uint32_t nsw, struct search *s)
{
    s->seen = HD_NEW(a, uint64_t, nsw);
    s->now = HD_NEW(a, uint64_t, nsw);
    s->next = HD_NEW(a, uint64_t, nsw);
    s->list = HD_NEW(a, uint32_t, nsw);
    s->more = HD_NEW(a, uint32_t, nsw);
    return s->seen && s->now && s->next && s->list && s->more ? HD_OK : hd_fail_memory(ctx);
}

/* Searches for all targets; each block of 64 has its own part of what is wanted. */
static hd_status search_all(struct hd_ctx *ctx, const struct hd_net *net, const uint32_t *target, uint32_t n,
                            const struct wanted *w)
{
    int threads = hd_threads(ctx);
    struct hd_arena scratch = {0};
    struct neighbours g;
    struct search *s = HD_NEW(&scratch, struct search, (size_t)threads);
    hd_status status = s ? find_neighbours(ctx, &scratch, net, &g) : hd_fail_memory(ctx);
    for (int t = 0; status == HD_OK && t < threads; t++) status = search_init(ctx, &scratch, net->nsw, &s[t]);
    if (status == HD_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (uint32_t i = 0; i < n; i += TOGETHER) {
            struct wanted own = *w;
            if (own.dist) own.dist += (size_t)i * net->nsw;
            if (own.closer) own.closer += (size_t)(i / TOGETHER) * own.links->n;
            search_together(net->nsw, &g, target + i, n - i < TOGETHER ? n - i : TOGETHER, &s[hd_thread_id()], &own);
        }
    }
    hd_arena_release(&scratch);
    return status;
}

hd_status hd_dist_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *target,
                        uint32_t n, uint8_t **dist)
{
    struct wanted w = {.dist = HD_NEW(arena, uint8_t, (size_t)n * net->nsw)};
    if (!w.dist) return hd_fail_memory(ctx);
    HD_TRY(search_all(ctx, net, target, n, &w));
    *dist = w.dist;
    return HD_OK;
}

hd_status hd_dist_closer(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *l, const uint32_t *target,
                         uint32_t n, uint64_t **closer)
{
    size_t blocks = ((size_t)n + TOGETHER - 1) / TOGETHER;
    struct wanted w = {.links = l, .closer = HD_NEW(arena, uint64_t, blocks * l->n)};
    if (!w.closer) return hd_fail_memory(ctx);
    HD_TRY(search_all(ctx, l->net, target, n, &w));
    *closer = w.closer;
    return HD_OK;
}
