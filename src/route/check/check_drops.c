/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs that VL 15 cuts. Service levels are bits of a set: a pair begins with those that it may have, and every switch
 * on its path takes away those that its SL2VL table sends to VL 15. Nothing left: whatever level its packets have, they
 * do not arrive. Behind its first switch a path is that of all sources there, so each is followed once per switch with
 * sources, and pairs differ by their first turn and their levels. Static ports alone, as for all counts of pairs. What
 * the check of the entries counted of paths is then counted anew, of the pairs that arrive.
 * Cost O(pairs + leaf switches * destinations * hops), and only where tables send anything to VL 15. */
#include "route/check/check_drops.h"
#include "base/status.h"
#include "route/check/check_everyone.h"
#include "route/core/sl2vl.h"

#include <string.h>

enum { ALL_LEVELS = 0xffff, NOT_FOLLOWED = INT32_MAX };

struct drop_path {   /* from a switch with sources */
    uint32_t hops;   /* channels, 0: entries do not lead to the destination */
    uint32_t levels; /* that arrive if they leave the switch */
};

struct drop_search {
    const struct hd_routes *r;
    const uint8_t *kind;
    uint16_t *passes;       /* [nmap + 1] levels that a table does not send to VL 15 */
    struct drop_path *path; /* [nleaf] */
    const uint8_t *row;
    uint32_t d;
    uint64_t cut;           /* pairs of selected endpoints */
    struct hd_check *check; /* NULL: they are only counted */
    const uint8_t *dist;    /* [leaf * nsw + v] if there is a check */
    /* Of selected pairs that arrive: the channels of all their paths and of the longest, and detours. */
    uint64_t arrive, hop_sum, nonminimal;
    uint32_t longest;
};

/* Levels that tables pass; whether a pair may be cut at all. */
static bool drop_tables(const struct hd_routes *r, uint16_t *passes)
{
    const struct hd_sl2vl *m = r->sl2vl;
    uint32_t dropped = 0;
    passes[0] = ALL_LEVELS; /* not known */
    for (uint32_t i = 0; i < m->nmap; i++) {
        uint32_t levels = 0;
        for (uint32_t sl = 0; sl < 16; sl++) levels |= (uint32_t)(m->map[i][sl] != HD_LANE_DROP) << sl;
        passes[i + 1] = (uint16_t)levels;
        dropped |= ALL_LEVELS & ~levels;
    }
    return r->lane_rule == HD_LANE_UNKNOWN ? dropped == ALL_LEVELS : dropped != 0;
}

static uint32_t drop_turn(const struct drop_search *w, uint32_t in, uint32_t out)
{
    const struct hd_net *net = w->r->net;
    const uint32_t v = net->tail[out];
    return w->passes[*hd_sl2vl_at(w->r->sl2vl, v, net->rev[in] - net->off[v], out - net->off[v])];
}

static struct drop_path drop_follow(const struct drop_search *w, uint32_t v)
{
    const struct hd_net *net = w->r->net;
    struct drop_path path = {.levels = ALL_LEVELS};
    uint32_t in = UINT32_MAX, n = 0;
    while (v < net->nsw) {
        const uint32_t out = net->off[v] + w->row[v];
        if (out >= net->off[v + 1] || n++ > net->nsw) return path;
        if (in != UINT32_MAX) path.levels &= drop_turn(w, in, out);
        in = out;
        v = net->head[out];
    }
    if (v == net->nsw + w->d) path.hops = n;
    return path;
}

/* Entries lead from s to the destination over n channels, but its packets do not arrive. */
static void drop_cut(struct drop_search *w, uint32_t s, uint32_t x, uint32_t n, bool selected)
{
    struct hd_check *k = w->check;
    w->cut += selected;
    if (!k) return;
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
    struct drop_path *path = &w->path[r->leaf_of[v]];
    if (path->hops == NOT_FOLLOWED) *path = drop_follow(w, v);
    if (!path->hops) return;
    const uint32_t levels = r->lane_rule == HD_LANE_UNKNOWN ? ALL_LEVELS : 1u << hd_routes_lane(r, s, w->d, x);
    const bool selected = w->kind[s] == HD_PROOF_SELECTED && w->kind[w->d] == HD_PROOF_SELECTED;
    if (!(levels & path->levels & drop_turn(w, in, net->off[v] + w->row[v])))
        drop_cut(w, s, x, path->hops + 1, selected);
    else if (selected)
        drop_arrive(w, s, path->hops + 1);
}

static hd_status drop_pairs(struct hd_ctx *ctx, struct drop_search *w)
{
    const struct hd_routes *r = w->r;
    struct hd_arena a = {0};
    if (!r->sl2vl || (r->lane_rule != HD_LANE_HOP && r->lane_rule != HD_LANE_UNKNOWN)) return HD_OK;
    w->passes = HD_NEW(&a, uint16_t, r->sl2vl->nmap + 1u);
    w->path = HD_NEW(&a, struct drop_path, r->nleaf);
    uint8_t *buf = HD_NEW(&a, uint8_t, r->net->nsw);
    const bool room = w->passes && w->path && buf;
    const uint32_t nep = room && drop_tables(r, w->passes) ? r->net->nep : 0;
    for (w->d = 0; w->d < nep; w->d++)
        for (uint32_t x = 0; x < r->nvar && w->kind[w->d] < HD_PROOF_AGGREGATION; x++) {
            w->row = hd_routes_row(r, w->d, x, buf);
            for (uint32_t i = 0; i < r->nleaf; i++) w->path[i].hops = NOT_FOLLOWED;
            for (uint32_t s = 0; s < nep; s++)
                if (s != w->d && w->kind[s] < HD_PROOF_AGGREGATION && hd_routes_uses(r, s, w->d, x)) drop_pair(w, s, x);
        }
    hd_arena_release(&a);
    return room ? HD_OK : hd_fail_memory(ctx);
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
