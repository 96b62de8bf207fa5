/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of the channel-dependency graph: Kahn's sort of every lane over the bits; what it cannot take has a cycle, and
 * a breadth-first search in that part finds a short one, which is easier to read in a report than the first one.
 * Cost: O(channels + dependencies). Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection
 * networks. */
#include "route/kernel/channel_deps.h"
#include "base/status.h"

#include <string.h>

hd_status hd_deps_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                       struct hd_deps *d)
{
    uint32_t ports = 1;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (hd_degree(net, v) > ports) ports = hd_degree(net, v);
    *d = (struct hd_deps){.net = net, .nlanes = nlanes, .words = (ports + 63) / 64};
    d->succ = HD_NEW(arena, uint64_t, (size_t)net->nchan * nlanes * d->words);
    return d->succ ? HD_OK : hd_fail_memory(ctx);
}

void hd_deps_merge(struct hd_deps *a, const struct hd_deps *b)
{
    size_t n = (size_t)a->net->nchan * a->nlanes * a->words;
    for (size_t i = 0; i < n; i++) a->succ[i] |= b->succ[i];
}

struct successors { /* walks the successors of a channel in a lane */
    const struct hd_deps *d;
    const uint64_t *word;
    uint64_t bits;
    uint32_t base, at;
};

static struct successors successors(const struct hd_deps *d, uint32_t c, uint32_t lane)
{
    const uint64_t *word = hd_deps_of(d, c, lane);
    return (struct successors){d, word, word[0], d->net->off[d->net->head[c]], 0};
}

static bool next_successor(struct successors *s, uint32_t *c)
{
    while (!s->bits) {
        if (++s->at == s->d->words) return false;
        s->bits = s->word[s->at];
    }
    *c = s->base + s->at * 64 + (uint32_t)__builtin_ctzll(s->bits);
    s->bits &= s->bits - 1;
    return true;
}

/* Repeatedly removes channels on which none depends; what is left in `in` (non-zero in-degree) lies on
 * cycles or between them. Returns how many are left. */
static uint32_t peel(const struct hd_deps *d, uint32_t lane, uint32_t *in, uint32_t *queue)
{
    uint32_t n = d->net->nchan, next, done = 0, filled = 0;
    memset(in, 0, n * sizeof *in);
    for (uint32_t c = 0; c < n; c++)
        for (struct successors s = successors(d, c, lane); next_successor(&s, &next);) in[next]++;
    for (uint32_t c = 0; c < n; c++)
        if (in[c] == 0) queue[filled++] = c;
    while (done < filled)
        for (struct successors s = successors(d, queue[done++], lane); next_successor(&s, &next);)
            if (--in[next] == 0) queue[filled++] = next;
    return n - filled;
}

/* Shortest path from c back to itself among channels with in[] set; 0 when there is none within limit. */
static uint32_t shortest_back(const struct hd_deps *d, uint32_t lane, uint32_t c, const uint32_t *in, uint32_t *queue,
                              uint32_t *from, uint32_t limit)
{
    uint32_t filled = 0, next;
    memset(from, 0xff, d->net->nchan * sizeof *from);
    queue[filled++] = c;
    uint32_t level_end = 1, length = 1;
    for (uint32_t i = 0; i < filled && length < limit; i++) {
        for (struct successors s = successors(d, queue[i], lane); next_successor(&s, &next);) {
            if (next == c) {
                from[c] = queue[i];
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

hd_status hd_deps_cycle(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_deps *d, uint32_t *lane,
                        uint32_t **cycle, uint32_t *n)
{
    enum { STARTS = 512 }; /* channels to start a search from: enough to meet a shortest cycle in practice */
    struct hd_arena scratch = {0};
    uint32_t nchan = d->net->nchan, best = 0, tried = 0;
    uint32_t *in = HD_NEW(&scratch, uint32_t, nchan), *queue = HD_NEW(&scratch, uint32_t, nchan);
    uint32_t *from = HD_NEW(&scratch, uint32_t, nchan), *path = HD_NEW(arena, uint32_t, nchan);
    hd_status s = in && queue && from && path ? HD_OK : hd_fail_memory(ctx);
    for (*lane = 0; s == HD_OK && *lane < d->nlanes; ++*lane) {
        if (peel(d, *lane, in, queue) == 0) continue;
        for (uint32_t c = 0; c < nchan && (tried < STARTS || best == 0); c++) {
            if (!in[c]) continue;
            tried++;
            uint32_t length = shortest_back(d, *lane, c, in, queue, from, best ? best : nchan + 1);
            if (!length) continue;
            best = length;
            for (uint32_t i = length, at = c; i-- > 0;) path[(i + 1) % length] = at, at = from[at];
        }
        break;
    }
    hd_arena_release(&scratch);
    *n = best;
    *cycle = path;
    return s;
}
