/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs that VL 15 cuts, by the sets of levels of drop_levels.h. Behind its first switch a path is that of all sources
 * there, so each is followed once per switch with sources, and pairs differ by their first turn and their levels.
 * Static ports alone, as for all counts of pairs. What the check of the entries counted of paths is then counted anew,
 * of the pairs that arrive. Aggregation nodes are as in route_check.c.
 * Cost O(pairs + leaf switches * destinations * hops), and only where tables send anything to VL 15. */
#include "route/check/check_drops.h"
#include "base/status.h"
#include "route/check/check_everyone.h"
#include "route/check/drop_levels.h"

enum { NOT_FOLLOWED = INT32_MAX };

struct drop_search {
    const struct hd_routes *r;
    const uint8_t *kind;
    struct hd_drop_levels tables;
    struct hd_drop_path *path; /* [nleaf] */
    const uint8_t *row;
    uint32_t d;
    uint64_t cut;           /* pairs of selected endpoints */
    struct hd_check *check; /* NULL: they are only counted */
    const uint8_t *dist;    /* [leaf * nsw + v] if there is a check */
    /* Of selected pairs that arrive: the channels of all their paths and of the longest, and detours. */
    uint64_t arrive, hop_sum, nonminimal;
    uint32_t longest;
};

/* Pairs with aggregation nodes two cables away or more need not arrive (route_check.c). */
static bool drop_excused(const struct drop_search *w, uint32_t s)
{
    const struct hd_net *net = w->r->net;
    const uint32_t leaf = w->r->leaf_of[hd_leaf(net, w->d)];
    const bool aggregation = w->kind[s] == HD_PROOF_AGGREGATION || w->kind[w->d] == HD_PROOF_AGGREGATION;
    return aggregation && w->dist[(size_t)leaf * net->nsw + hd_leaf(net, s)] > 1;
}

/* Entries lead from s to the destination over n channels, but its packets do not arrive. */
static void drop_cut(struct drop_search *w, uint32_t s, uint32_t x, uint32_t n, bool selected)
{
    struct hd_check *k = w->check;
    w->cut += selected;
    if (!k) return;
    if (!selected && drop_excused(w, s)) {
        k->others.aggregation_unserved++;
        return;
    }
    if (!selected) {
        if (!k->others.unreachable && !k->others.loops) k->others.source = s;
        if (!k->others.unreachable && !k->others.loops) k->others.dest = w->d;
        k->others.unreachable++;
        return;
    }
    if (!k->unreachable && !k->loops) k->example[0] = s;
    if (!k->unreachable && !k->loops) k->example[1] = w->d;
    if (k->nunserved < sizeof k->unserved / sizeof k->unserved[0])
        k->unserved[k->nunserved++] = (struct hd_unserved){s, w->d, x, 1};
    k->unreachable++;
    k->hops[n < HD_MAX_HOPS ? n : HD_MAX_HOPS]--;
}

static void drop_arrive(struct drop_search *w, uint32_t s, uint32_t n)
{
    const struct hd_routes *r = w->r;
    const uint32_t leaf = r->leaf_of[hd_leaf(r->net, w->d)];
    if (!w->check) return;
    w->arrive++;
    w->hop_sum += n;
    w->nonminimal += n != w->dist[(size_t)leaf * r->net->nsw + hd_leaf(r->net, s)] + 2u;
    if (n > w->longest) w->longest = n;
}

static void drop_pair(struct drop_search *w, uint32_t s, uint32_t x)
{
    const struct hd_routes *r = w->r;
    const struct hd_net *net = r->net;
    const uint32_t in = net->off[net->nsw + s], v = net->head[in];
    struct hd_drop_path *path = &w->path[r->leaf_of[v]];
    if (path->hops == NOT_FOLLOWED) *path = hd_drop_follow(&w->tables, w->row, v, net->nsw + w->d);
    if (!path->hops) return;
    const bool selected = w->kind[s] == HD_PROOF_SELECTED && w->kind[w->d] == HD_PROOF_SELECTED;
    if (!(hd_drop_pair(r, s, w->d, x) & path->levels & hd_drop_turn(&w->tables, in, net->off[v] + w->row[v])))
        drop_cut(w, s, x, path->hops + 1, selected);
    else if (selected)
        drop_arrive(w, s, path->hops + 1);
}

static hd_status drop_pairs(struct hd_ctx *ctx, struct drop_search *w)
{
    const struct hd_routes *r = w->r;
    struct hd_arena a = {0};
    w->path = HD_NEW(&a, struct hd_drop_path, r->nleaf);
    uint8_t *buf = HD_NEW(&a, uint8_t, r->net->nsw);
    hd_status s = w->path && buf ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_drop_levels_init(ctx, &a, r, hd_drop_some_known(r), &w->tables);
    const uint32_t nep = s == HD_OK && w->tables.passes ? r->net->nep : 0;
    for (w->d = 0; w->d < nep; w->d++)
        for (uint32_t x = 0; x < r->nvar && w->kind[w->d] < HD_PROOF_NOT; x++) {
            w->row = hd_routes_row(r, w->d, x, buf);
            for (uint32_t i = 0; i < r->nleaf; i++) w->path[i].hops = NOT_FOLLOWED;
            for (uint32_t e = 0; e < nep; e++)
                if (e != w->d && w->kind[e] < HD_PROOF_NOT && hd_routes_uses(r, e, w->d, x)) drop_pair(w, e, x);
        }
    hd_arena_release(&a);
    return s;
}

hd_status hd_check_drops(struct hd_ctx *ctx, const struct hd_routes *r, const uint8_t *kind, const uint8_t *dist,
                         struct hd_check *k)
{
    struct drop_search w = {.r = r, .kind = kind, .check = k, .dist = dist};
    HD_TRY(drop_pairs(ctx, &w));
    if (!w.cut) return HD_OK;
    k->nonminimal = w.nonminimal;
    k->max_hops = w.longest;
    k->avg_hops = w.arrive ? (double)w.hop_sum / (double)w.arrive : 0;
    return HD_OK;
}

hd_status hd_count_drops(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t *pairs)
{
    struct hd_arena a = {0};
    uint8_t *kind = HD_NEW(&a, uint8_t, r->net->nep);
    struct drop_search w = {.r = r, .kind = kind};
    if (kind) hd_proof_kinds(r->net, kind);
    const hd_status s = kind ? drop_pairs(ctx, &w) : hd_fail_memory(ctx);
    *pairs = w.cut;
    hd_arena_release(&a);
    return s;
}
