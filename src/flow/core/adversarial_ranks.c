/* SPDX-License-Identifier: BSD-2-Clause */
/* The rank order that makes a ring as bad as these routes allow: on every leaf switch all ranks send to
 * destinations behind one and the same port, so that as many flows meet there as the leaf has ranks.
 *
 * Which destinations a leaf's ranks send to is all that matters, not which rank sends to which. So:
 *   1. leaf by leaf, take the port with the most destinations nobody has taken yet, and as many of them as
 *      the leaf has ranks, beginning behind the leaf itself;
 *   2. a leaf that is short swaps: another leaf gives it one behind its port and takes a free one behind
 *      its own; what is still missing is taken from what is free, whatever the port;
 *   3. a destination taken is an arc from the leaf to the destination's leaf. Every leaf has as many arcs in
 *      as out, so the arcs make closed circuits, and the destinations along one are a ring. Where there are
 *      several, leaves swap destinations behind the same ports until there is one; circuits that cannot be
 *      joined so are strung together, which spoils one flow each.
 *
 * D-mod-K: the ports of a leaf are the residues of the destination, and every leaf of an RLFT finds K of
 * one residue. Memory is one byte a (leaf, rank), refused above 1 GiB; O(ranks^2) at worst.
 * After the ring of Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI
 * global collectives, section II, which does not say how it was found. */
#include "base/status.h"
#include "flow/core/rank_map.h"
#include "route/core/routes_view.h"

#include <string.h>

enum { NONE = 255 }; /* port of a destination on the leaf itself, or not served */

struct adversarial_work {
    uint32_t n, nleaf;
    uint32_t *leaf;               /* [n] leaf of each rank as given, numbered among those with ranks */
    uint32_t *size;               /* [nleaf] ranks there */
    uint32_t *start;              /* [nleaf] where to look first for destinations */
    uint32_t *sw;                 /* [nleaf] the switch */
    uint8_t *port;                /* [leaf * n + d] slot towards d */
    uint8_t *chosen;              /* [nleaf] the port all shall meet on */
    uint32_t *owner;              /* [n] leaf that sends to d, nleaf: none yet */
    uint32_t *got;                /* [nleaf] destinations so far */
    uint32_t *spare;              /* [nleaf] destinations behind its port that are free */
    uint32_t *part;               /* [nleaf] union-find of leaves joined by arcs */
    uint32_t *first;              /* [nleaf + 1] arcs of each leaf */
    uint32_t *arc, *stack, *ring; /* [n] */
};

static bool fits(const struct adversarial_work *w, uint32_t leaf, uint32_t d)
{
    uint8_t port = w->port[(size_t)leaf * w->n + d];
    return port != NONE && port == w->chosen[leaf];
}

/* ---- destinations for every leaf ------------------------------------------------------------ */

static void give(struct adversarial_work *w, uint32_t d, uint32_t leaf)
{
    w->owner[d] = leaf;
    w->got[leaf]++;
}

static void choose_port(struct adversarial_work *w, uint32_t leaf)
{
    uint32_t count[256] = {0};
    int best = NONE;
    for (uint32_t d = 0; d < w->n; d++)
        if (w->owner[d] == w->nleaf) count[w->port[(size_t)leaf * w->n + d]]++;
    for (int port = 0; port < NONE; port++)
        if (count[port] && (best == NONE || count[port] > count[best])) best = port;
    w->chosen[leaf] = (uint8_t)best;
}

static void adversarial_ranks_take(struct adversarial_work *w, uint32_t leaf)
{
    for (uint32_t i = 0, d = w->start[leaf]; i < w->n && w->got[leaf] < w->size[leaf];
         i++, d = d + 1 < w->n ? d + 1 : 0)
        if (w->owner[d] == w->nleaf && fits(w, leaf, d)) give(w, d, leaf);
}

/* One more for a leaf that is short, from a leaf that can take a free one instead. */
static bool swap_in(struct adversarial_work *w, uint32_t leaf)
{
    uint32_t d = 0, free = 0;
    while (d < w->n && (w->owner[d] == w->nleaf || w->owner[d] == leaf || !w->spare[w->owner[d]] || !fits(w, leaf, d)))
        d++;
    if (d == w->n) return false;
    uint32_t other = w->owner[d];
    while (w->owner[free] != w->nleaf || !fits(w, other, free)) free++;
    for (uint32_t x = 0; x < w->nleaf; x++) w->spare[x] -= fits(w, x, free);
    w->owner[free] = other;
    give(w, d, leaf);
    return true;
}

static void assign(struct adversarial_work *w)
{
    memset(w->chosen, NONE, w->nleaf);
    for (uint32_t leaf = 0; leaf < w->nleaf; leaf++) {
        choose_port(w, leaf);
        adversarial_ranks_take(w, leaf);
    }
    for (uint32_t leaf = 0; leaf < w->nleaf; leaf++)
        for (uint32_t d = 0; d < w->n; d++) w->spare[leaf] += w->owner[d] == w->nleaf && fits(w, leaf, d);
    for (uint32_t leaf = 0; leaf < w->nleaf; leaf++)
        while (w->got[leaf] < w->size[leaf] && swap_in(w, leaf)) continue;
    for (uint32_t d = 0, leaf = 0; d < w->n; d++) {
        if (w->owner[d] != w->nleaf) continue;
        while (w->got[leaf] == w->size[leaf]) leaf++;
        give(w, d, leaf);
    }
}

/* ---- one ring ------------------------------------------------------------------------------- */

static uint32_t root(const struct adversarial_work *w, uint32_t leaf)
{
    while (w->part[leaf] != leaf) leaf = w->part[leaf] = w->part[w->part[leaf]];
    return leaf;
}

static void list_arcs(struct adversarial_work *w)
{
    for (uint32_t leaf = 0; leaf < w->nleaf; leaf++) {
        w->part[leaf] = leaf;
        w->first[leaf + 1] = w->first[leaf] + w->size[leaf];
        w->got[leaf] = 0;
    }
    for (uint32_t d = 0; d < w->n; d++) {
        uint32_t x = w->owner[d];
        w->arc[w->first[x] + w->got[x]++] = d;
        w->part[root(w, x)] = root(w, w->leaf[d]);
    }
}

/* Trades one arc of leaf x for arc j of another circuit where both leaves keep their ports. */
static void trade(struct adversarial_work *w, uint32_t x, uint32_t j)
{
    uint32_t b = w->arc[j], y = w->owner[b];
    if (root(w, x) == root(w, y) || !fits(w, x, b)) return;
    for (uint32_t i = w->first[x]; i < w->first[x + 1]; i++) {
        uint32_t a = w->arc[i];
        if (!fits(w, y, a)) continue;
        w->owner[w->arc[i] = b] = x;
        w->owner[w->arc[j] = a] = y;
        w->part[root(w, x)] = root(w, y);
        return;
    }
}

static void join_circuits(struct adversarial_work *w)
{
    for (uint32_t x = 0; x < w->nleaf; x++)
        for (uint32_t j = 0; j < w->n; j++) trade(w, x, j);
}

/* The circuit through a leaf: walk until stuck, and write arcs down on the way back. Returns ring's length. */
static uint32_t walk_circuit(struct adversarial_work *w, uint32_t leaf, uint32_t n)
{
    uint32_t top = 0;
    for (;;) {
        while (w->got[leaf] > 0) {
            w->stack[top] = w->arc[w->first[leaf] + --w->got[leaf]];
            leaf = w->leaf[w->stack[top++]];
        }
        if (top == 0) return n;
        w->ring[n++] = w->stack[--top];
        leaf = w->owner[w->stack[top]];
    }
}

/* ---- the order ------------------------------------------------------------------------------ */

static hd_status make_work(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, uint32_t n,
                           struct adversarial_work *w)
{
    size_t leaves = hd_routes_nleaf(r);
    w->n = n;
    w->leaf = HD_NEW(a, uint32_t, n);
    w->owner = HD_NEW(a, uint32_t, n);
    w->arc = HD_NEW(a, uint32_t, n);
    w->stack = HD_NEW(a, uint32_t, n);
    w->ring = HD_NEW(a, uint32_t, n);
    w->size = HD_NEW(a, uint32_t, leaves);
    w->start = HD_NEW(a, uint32_t, leaves);
    w->sw = HD_NEW(a, uint32_t, leaves);
    w->got = HD_NEW(a, uint32_t, leaves);
    w->spare = HD_NEW(a, uint32_t, leaves);
    w->part = HD_NEW(a, uint32_t, leaves);
    w->first = HD_NEW(a, uint32_t, leaves + 1);
    w->chosen = HD_NEW(a, uint8_t, leaves);
    bool all = w->leaf && w->owner && w->arc && w->stack && w->ring && w->size && w->start && w->sw && w->got &&
               w->spare && w->part && w->first && w->chosen;
    return all ? HD_OK : hd_fail_memory(ctx);
}

/* Leaves that hold ranks, in the order of their first ranks. */
static hd_status number_leaves(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, const uint32_t *ep,
                               struct adversarial_work *w)
{
    const struct hd_net *net = hd_routes_net(r);
    const uint32_t *leaf_of = hd_routes_leaf_of(r);
    uint32_t *number = HD_NEW(a, uint32_t, hd_routes_nleaf(r)); /* from 1 */
    if (!number) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t sw = hd_leaf(net, ep[i]), at = leaf_of[sw];
        if (!number[at]) {
            number[at] = ++w->nleaf;
            w->sw[w->nleaf - 1] = sw;
        }
        w->leaf[i] = number[at] - 1;
        w->size[w->leaf[i]]++;
        w->start[w->leaf[i]] = i + 1 < w->n ? i + 1 : 0;
    }
    for (uint32_t i = 0; i < w->n; i++) w->owner[i] = w->nleaf;
    return HD_OK;
}

static hd_status fill_ports(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, const uint32_t *ep,
                            struct adversarial_work *w)
{
    const struct hd_net *net = hd_routes_net(r);
    if ((uint64_t)w->nleaf * w->n > 1 << 30)
        return hd_fail(ctx, HD_LIMIT, "adversarial: %u ranks on %u switches would need more than 1 GiB", w->n,
                       w->nleaf);
    uint8_t *buf = HD_NEW(a, uint8_t, net->nsw);
    w->port = HD_NEW(a, uint8_t, (size_t)w->nleaf * w->n);
    if (!buf || !w->port) return hd_fail_memory(ctx);
    for (uint32_t d = 0; d < w->n; d++) {
        const uint8_t *row = hd_routes_row(r, ep[d], 0, buf);
        for (uint32_t x = 0; x < w->nleaf; x++) w->port[(size_t)x * w->n + d] = x == w->leaf[d] ? NONE : row[w->sw[x]];
    }
    return HD_OK;
}

hd_status hd_ranks_adversarial(struct hd_ctx *ctx, const struct hd_routes *r, uint32_t *ep, uint32_t n)
{
    struct hd_arena a = {0};
    struct adversarial_work w = {0};
    if (hd_routes_variants(r) != 1)
        return hd_fail(ctx, HD_INPUT, "adversarial: needs one path to a destination, %.200s has %u variants",
                       hd_routes_spec(r), hd_routes_variants(r));
    hd_status s = make_work(ctx, &a, r, n, &w);
    if (s == HD_OK) s = number_leaves(ctx, &a, r, ep, &w);
    if (s == HD_OK) s = fill_ports(ctx, &a, r, ep, &w);
    if (s == HD_OK) {
        assign(&w);
        list_arcs(&w);
        join_circuits(&w);
        uint32_t done = 0;
        for (uint32_t leaf = 0; leaf < w.nleaf; leaf++) done = walk_circuit(&w, leaf, done);
        for (uint32_t i = 0; i < n; i++) w.stack[i] = ep[w.ring[n - 1 - i]];
        if (n) memcpy(ep, w.stack, n * sizeof *ep);
    }
    hd_arena_release(&a);
    return s;
}
