/* SPDX-License-Identifier: BSD-2-Clause */
#include "route/dist.h"
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

/* The round is over: what is new has this distance. */
static void note(struct search *s, uint32_t n, uint8_t far, uint8_t *dist, uint32_t nsw)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = s->more[i];
        s->seen[v] |= s->next[v];
        s->now[v] = s->next[v];
        for (uint64_t bits = s->next[v]; bits; bits &= bits - 1) dist[(size_t)__builtin_ctzll(bits) * nsw + v] = far;
        s->next[v] = 0;
        s->list[i] = v;
    }
}

/* A switch goes on at most once for each round in which something new meets it, so this is never more
 * work than a search for every target, and on networks of small diameter a small part of it. */
static void search_together(const struct hd_net *net, const struct neighbours *g, const uint32_t *target, uint32_t n,
                            struct search *s, uint8_t *dist)
{
    uint32_t m = 0;
    memset(dist, HD_FAR, (size_t)n * net->nsw);
    memset(s->seen, 0, net->nsw * sizeof *s->seen);
    for (uint32_t i = 0; i < n; i++) {
        if (!s->next[target[i]]) s->more[m++] = target[i];
        s->next[target[i]] |= (uint64_t)1 << i;
    }
    note(s, m, 0, dist, net->nsw);
    for (uint32_t far = 1; m && far < HD_FAR; far++) {
        m = spread(g, s, m);
        note(s, m, (uint8_t)far, dist, net->nsw);
    }
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

hd_status hd_dist_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *target,
                        uint32_t n, uint8_t **out)
{
    int threads = hd_threads(ctx);
    struct hd_arena scratch = {0};
    struct neighbours g;
    uint8_t *dist = HD_NEW(arena, uint8_t, (size_t)n * net->nsw);
    struct search *s = HD_NEW(&scratch, struct search, (size_t)threads);
    hd_status status = dist && s ? find_neighbours(ctx, &scratch, net, &g) : hd_fail_memory(ctx);
    for (int t = 0; status == HD_OK && t < threads; t++) status = search_init(ctx, &scratch, net->nsw, &s[t]);
    if (status == HD_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (uint32_t i = 0; i < n; i += TOGETHER)
            search_together(net, &g, target + i, n - i < TOGETHER ? n - i : TOGETHER, &s[hd_thread_id()],
                            dist + (size_t)i * net->nsw);
        *out = dist;
    }
    hd_arena_release(&scratch);
    return status;
}
