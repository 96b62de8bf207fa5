/* SPDX-License-Identifier: BSD-2-Clause */
/* A dynamic topological order: an added dependency that goes backwards starts one search forwards from its head and one
 * backwards from its tail, both limited to the places between the two, and the channels met exchange places.
 * Cost: nothing for a forward dependency, else the part of the order that is met, and sorting it.
 * Pearce, Kelly: A dynamic topological sort algorithm for directed acyclic graphs. */
#include "route/kernel/acyclic_order.h"
#include "base/status.h"

#include <stdlib.h>

hd_status hd_acyclic_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                          struct hd_acyclic *a)
{
    *a = (struct hd_acyclic){.place = HD_NEW(arena, uint32_t, (size_t)net->nchan * nlanes),
                             .stamp = HD_NEW(arena, uint32_t, net->nchan),
                             .fore = HD_NEW(arena, uint64_t, net->nchan),
                             .back = HD_NEW(arena, uint64_t, net->nchan)};
    if (!a->place || !a->stamp || !a->fore || !a->back) return hd_fail_memory(ctx);
    for (uint32_t lane = 0; lane < nlanes; lane++)
        for (uint32_t c = 0; c < net->nchan; c++) a->place[(size_t)lane * net->nchan + c] = c;
    return hd_deps_init(ctx, arena, net, nlanes, &a->deps);
}

/* Everything that must come after `from`, up to the place of `stop`; false when stop itself must. */
static bool search_forward(struct hd_acyclic *a, uint32_t lane, uint32_t from, uint32_t stop)
{
    const struct hd_net *net = a->deps.net;
    const uint32_t *place = a->place + (size_t)lane * net->nchan;
    a->stamp[from] = ++a->pass;
    a->nfore = 0;
    a->fore[a->nfore++] = (uint64_t)place[from] << 32 | from;
    for (uint32_t i = 0; i < a->nfore; i++) {
        uint32_t c = (uint32_t)a->fore[i], base = net->off[net->head[c]];
        const uint64_t *succ = hd_deps_of(&a->deps, c, lane);
        for (uint32_t word = 0; word < a->deps.words; word++)
            for (uint64_t bits = succ[word]; bits; bits &= bits - 1) {
                uint32_t next = base + word * 64 + (uint32_t)__builtin_ctzll(bits);
                if (next == stop) return false;
                if (place[next] > place[stop] || a->stamp[next] == a->pass) continue;
                a->stamp[next] = a->pass;
                a->fore[a->nfore++] = (uint64_t)place[next] << 32 | next;
            }
    }
    return true;
}

/* Everything that must come before `from`, down to the place of `stop`. */
static void search_backward(struct hd_acyclic *a, uint32_t lane, uint32_t from, uint32_t stop)
{
    const struct hd_net *net = a->deps.net;
    const uint32_t *place = a->place + (size_t)lane * net->nchan;
    a->stamp[from] = ++a->pass;
    a->nback = 0;
    a->back[a->nback++] = (uint64_t)place[from] << 32 | from;
    for (uint32_t i = 0; i < a->nback; i++) {
        uint32_t c = (uint32_t)a->back[i], v = net->tail[c], slot = c - net->off[v];
        for (uint32_t out = net->off[v]; out < net->off[v + 1]; out++) {
            uint32_t prev = net->rev[out];
            if (place[prev] < place[stop] || a->stamp[prev] == a->pass || !hd_deps_has(&a->deps, prev, lane, slot))
                continue;
            a->stamp[prev] = a->pass;
            a->back[a->nback++] = (uint64_t)place[prev] << 32 | prev;
        }
    }
}

static int acyclic_order_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* What was met backward, then what was met forward, each in its old order, into the places both had. */
static void reorder(struct hd_acyclic *a, uint32_t lane)
{
    uint32_t *place = a->place + (size_t)lane * a->deps.net->nchan, i = 0, k = 0, nback = a->nback;
    qsort(a->back, a->nback, sizeof *a->back, acyclic_order_by_value);
    qsort(a->fore, a->nfore, sizeof *a->fore, acyclic_order_by_value);
    for (uint32_t n = 0; n < a->nback + a->nfore; n++) {
        bool back = k == a->nfore || (i < a->nback && a->back[i] < a->fore[k]);
        uint32_t free_place = (uint32_t)((back ? a->back[i++] : a->fore[k++]) >> 32);
        place[n < nback ? (uint32_t)a->back[n] : (uint32_t)a->fore[n - nback]] = free_place;
    }
}

bool hd_acyclic_add(struct hd_acyclic *a, uint32_t lane, uint32_t c, uint32_t next)
{
    const struct hd_net *net = a->deps.net;
    const uint32_t *place = a->place + (size_t)lane * net->nchan;
    uint32_t slot = next - net->off[net->head[c]];
    if (c == next) return false;
    if (place[c] > place[next]) {
        if (!search_forward(a, lane, next, c)) return false;
        search_backward(a, lane, c, next);
        reorder(a, lane);
    }
    hd_deps_add(&a->deps, c, lane, slot);
    return true;
}

void hd_acyclic_remove(struct hd_acyclic *a, uint32_t lane, uint32_t c, uint32_t next)
{
    const struct hd_net *net = a->deps.net;
    uint32_t slot = next - net->off[net->head[c]];
    hd_deps_of(&a->deps, c, lane)[slot / 64] &= ~((uint64_t)1 << slot % 64);
}
