/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of the channel-dependency graph: Kahn's sort of all places over the bits; what it cannot take has a cycle, and
 * a breadth-first search in that part finds a short one, which is easier to read in a report than the first one.
 * Cost: O(places + dependencies). Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection
 * networks. */
#include "route/kernel/channel_deps.h"
#include "base/status.h"

#include <string.h>

static uint32_t deps_places(const struct hd_deps *d)
{
    return d->net->nchan * d->nlanes;
}

hd_status hd_deps_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                       bool changes, struct hd_deps *d)
{
    uint32_t ports = 1;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (hd_degree(net, v) > ports) ports = hd_degree(net, v);
    ports = (ports + 63) / 64 * 64;
    *d = (struct hd_deps){net, nlanes, ports, ports / 64 * (changes ? nlanes : 1), NULL};
    d->succ = HD_NEW(arena, uint64_t, (size_t)deps_places(d) * d->words);
    return d->succ ? HD_OK : hd_fail_memory(ctx);
}

void hd_deps_merge(struct hd_deps *a, const struct hd_deps *b)
{
    size_t n = (size_t)deps_places(a) * a->words;
    for (size_t i = 0; i < n; i++) a->succ[i] |= b->succ[i];
}

void hd_deps_flatten(struct hd_deps *a, const struct hd_deps *b)
{
    for (uint32_t p = 0; p < deps_places(b); p++)
        for (uint32_t i = 0; i < b->words; i++)
            a->succ[(size_t)(p / b->nlanes) * a->words + i] |= b->succ[(size_t)p * b->words + i];
}

struct successors { /* walks the successors of a place */
    const struct hd_deps *d;
    const uint64_t *word;
    uint64_t bits;
    uint32_t base, at, lane; /* first channel of the head switch; word; the lane itself where it does not change */
};

static struct successors successors(const struct hd_deps *d, uint32_t p)
{
    const uint64_t *word = d->succ + (size_t)p * d->words;
    uint32_t lane = d->words * 64 > d->ports ? 0 : p % d->nlanes;
    return (struct successors){d, word, word[0], d->net->off[d->net->head[p / d->nlanes]], 0, lane};
}

static bool next_successor(struct successors *s, uint32_t *p)
{
    while (!s->bits) {
        if (++s->at == s->d->words) return false;
        s->bits = s->word[s->at];
    }
    uint32_t bit = s->at * 64 + (uint32_t)__builtin_ctzll(s->bits), ports = s->d->ports, lane = s->lane;
    if (bit >= ports) lane = bit / ports, bit %= ports;
    *p = (s->base + bit) * s->d->nlanes + lane;
    s->bits &= s->bits - 1;
    return true;
}

/* Repeatedly removes places on which none depends; what is left in `in` (non-zero in-degree) lies on
 * cycles or between them. Returns how many are left. */
static uint32_t peel(const struct hd_deps *d, uint32_t *in, uint32_t *queue)
{
    uint32_t n = deps_places(d), next, done = 0, filled = 0;
    for (uint32_t p = 0; p < n; p++)
        for (struct successors s = successors(d, p); next_successor(&s, &next);) in[next]++;
    for (uint32_t p = 0; p < n; p++)
        if (in[p] == 0) queue[filled++] = p;
    while (done < filled)
        for (struct successors s = successors(d, queue[done++]); next_successor(&s, &next);)
            if (--in[next] == 0) queue[filled++] = next;
    return n - filled;
}

/* Shortest path from p back to itself among places with in[] set; 0 when there is none within limit. */
static uint32_t shortest_back(const struct hd_deps *d, uint32_t p, const uint32_t *in, uint32_t *queue, uint32_t *from,
                              uint32_t limit)
{
    uint32_t filled = 0, next;
    memset(from, 0xff, deps_places(d) * sizeof *from);
    queue[filled++] = p;
    uint32_t level_end = 1, length = 1;
    for (uint32_t i = 0; i < filled && length < limit; i++) {
        for (struct successors s = successors(d, queue[i]); next_successor(&s, &next);) {
            if (next == p) {
                from[p] = queue[i];
                return length;
            }
            if (!in[next] || from[next] != UINT32_MAX) continue;
            from[next] = queue[i];
            queue[filled++] = next;
        }
        if (i + 1 == level_end) {
            level_end = filled;
            length++;
        }
    }
    return 0;
}

hd_status hd_deps_cycle(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_deps *d, uint32_t starts,
                        uint32_t **cycle, uint32_t *n)
{
    struct hd_arena scratch = {0};
    bool changes = d->words * 64 > d->ports;
    uint32_t places = deps_places(d), best = 0, tried = 0, lane = UINT32_MAX;
    uint32_t *in = HD_NEW(&scratch, uint32_t, places), *queue = HD_NEW(&scratch, uint32_t, places);
    uint32_t *from = HD_NEW(&scratch, uint32_t, places), *path = HD_NEW(arena, uint32_t, places);
    hd_status s = in && queue && from && path ? HD_OK : hd_fail_memory(ctx);
    bool any = s == HD_OK && peel(d, in, queue) > 0;
    for (uint32_t i = 0; any && i < places && (tried < starts || best == 0); i++) {
        /* by channel and lane, or lane by lane */
        uint32_t p = changes ? i : i % d->net->nchan * d->nlanes + i / d->net->nchan;
        if (!in[p] || (!changes && tried && p % d->nlanes != lane)) continue;
        tried++;
        lane = p % d->nlanes;
        uint32_t length = shortest_back(d, p, in, queue, from, best ? best : places + 1);
        if (!length) continue;
        best = length;
        for (uint32_t k = length, at = p; k-- > 0;) path[(k + 1) % length] = at, at = from[at];
    }
    hd_arena_release(&scratch);
    *n = best;
    *cycle = path;
    return s;
}

hd_status hd_deps_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_deps *d, uint32_t **order,
                        uint32_t *n)
{
    struct hd_arena scratch = {0};
    const uint32_t places = deps_places(d);
    uint32_t *in = HD_NEW(&scratch, uint32_t, places);
    *order = HD_NEW(arena, uint32_t, places);
    const hd_status s = in && *order ? HD_OK : hd_fail_memory(ctx);
    *n = s == HD_OK ? places - peel(d, in, *order) : 0;
    hd_arena_release(&scratch);
    return s;
}
