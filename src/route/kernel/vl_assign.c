/* SPDX-License-Identifier: BSD-2-Clause */
/* VLs for given routes. Each path (or each destination's tree) goes into the VL that lacks the fewest of its turns
 * among those where it closes no cycle; a new VL is opened if there is none. A turn is a channel and the channel after
 * it; which VLs have it is one 16-bit word, so a path that is known to fit costs one word per entry, and a turn is
 * searched about once per VL (acyclic_order.c).
 *
 * Destinations and leaves are taken breadth-first from the first switch: neighbours then share turns, which halves the
 * VLs on tori and chains numbered at random, compared with the order of numbers.
 * Cost: table + turns x VLs x (region of the order that they disturb); memory: 4 bytes per turn, 8 bytes per channel
 * and VL, and the VLs themselves (one byte per leaf switch and destination). "Lane" is short for VL below. */
#include "route/kernel/vl_assign.h"
#include "base/status.h"
#include "route/core/switch_distance.h"

#include <stdlib.h>
#include <string.h>

struct vl_state {
    struct hd_routes *r; /* only its lanes are written */
    const struct hd_net *net;
    const struct hd_lanes_opt *opt;
    struct hd_acyclic lanes;
    uint32_t *start;       /* [links] order a lane begins with */
    uint32_t nopen;        /* lanes open from 0 up, the reserved one not counted */
    uint32_t *leaves;      /* [nleaf] leaf numbers, breadth-first */
    uint16_t *have;        /* [nsw] lanes that have all turns from here on (or had, when it was looked up) */
    uint16_t *shut;        /* [nsw] lanes where one of them closes a cycle */
    uint16_t *have_all;    /* [nleaf] lanes that have the turns of all variants from there */
    uint32_t *stamp, pass; /* [nsw] */
    uint32_t *stack;       /* [nsw] */
};

/* ---- putting turns into lanes ---------------------------------------------------------------- */

/* The open lane, not yet tried, that lacks the fewest of the current turns; the lowest on ties. */
static uint32_t best_lane(const struct vl_state *s, uint32_t tried)
{
    const struct hd_acyclic *k = &s->lanes;
    uint32_t missing[HD_LANES_MOST] = {0}, blocked = tried, best = UINT32_MAX;
    for (uint32_t i = 0; i < k->nturn; i++) {
        uint32_t t = hd_turn(&k->links, k->turn[i].from, k->turn[i].to);
        blocked |= k->blocked[t];
        for (uint32_t lane = 0; lane < s->opt->maxlanes; lane++) missing[lane] += !(k->in[t] >> lane & 1);
    }
    for (uint32_t lane = 0; lane < s->opt->maxlanes; lane++) {
        if (!k->order[lane] || blocked >> lane & 1) continue;
        if (best == UINT32_MAX || missing[lane] < missing[best]) best = lane;
    }
    return best;
}

/* A lane for the current turns, UINT32_MAX if there is none. */
static hd_status place_turns(struct hd_ctx *ctx, struct vl_state *s, uint32_t *lane)
{
    bool fits = false;
    for (uint32_t tried = 0; (*lane = best_lane(s, tried)) != UINT32_MAX; tried |= 1u << *lane) {
        HD_TRY(hd_acyclic_try(ctx, &s->lanes, *lane, &fits));
        if (fits) return HD_OK;
    }
    if (s->nopen == s->opt->maxlanes || s->lanes.order[s->nopen]) return HD_OK;
    HD_TRY(hd_acyclic_open(ctx, &s->lanes, s->nopen, s->start));
    *lane = s->nopen++;
    HD_TRY(hd_acyclic_try(ctx, &s->lanes, *lane, &fits));
    if (!fits) *lane = UINT32_MAX; /* a path or tree alone has no cycle, but several detours may */
    return HD_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static uint32_t next_link(const struct vl_state *s, const uint8_t *row, uint32_t v)
{
    if (row[v] == HD_SLOT_NONE || row[v] >= hd_degree(s->net, v)) return UINT32_MAX;
    return s->lanes.links.of[s->net->off[v] + row[v]];
}

/* Visits the switches from v on that this pass has not met, the last one first. visit gets a switch, the
 * link it takes and the one after (UINT32_MAX: none). A cycle in the table is left out. */
static void walk_row(struct vl_state *s, const uint8_t *row, uint32_t v,
                     void (*visit)(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b))
{
    uint32_t n = 0, a;
    while (s->stamp[v] != s->pass) {
        s->stamp[v] = s->pass;
        s->stack[n++] = v;
        if ((a = next_link(s, row, v)) == UINT32_MAX) break;
        v = s->lanes.links.head[a];
    }
    while (n > 0) {
        v = s->stack[--n];
        a = next_link(s, row, v);
        visit(s, v, a, a == UINT32_MAX ? a : next_link(s, row, s->lanes.links.head[a]));
    }
}

static void look_up_turn(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b)
{
    s->have[v] = 0xffff;
    s->shut[v] = 0;
    if (b == UINT32_MAX) return;
    uint32_t next = s->lanes.links.head[a], t = hd_turn(&s->lanes.links, a, b);
    s->have[v] = s->have[next] & s->lanes.in[t];
    s->shut[v] = s->shut[next] | s->lanes.blocked[t];
}

static void gather_turn(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b)
{
    (void)v;
    if (b != UINT32_MAX) s->lanes.turn[s->lanes.nturn++] = (struct hd_turn){a, b};
}

/* Adds the turns of one path; false when it leads nowhere. */
static bool gather_path(struct vl_state *s, const uint8_t *row, uint32_t v)
{
    uint32_t a = next_link(s, row, v), b, begin = s->lanes.nturn;
    for (; a != UINT32_MAX; a = b) {
        b = next_link(s, row, s->lanes.links.head[a]);
        if (b == UINT32_MAX) return true;
        if (s->lanes.nturn - begin == s->net->nsw) return false;
        s->lanes.turn[s->lanes.nturn++] = (struct hd_turn){a, b};
    }
    return true;
}

/* Looks up all leaves; false when one is shut out of every lane, open or not. */
static bool may_fit(struct vl_state *s, const uint8_t *row, uint16_t all)
{
    const struct hd_routes *r = s->r;
    bool fits = true;
    for (uint32_t i = 0; i < r->nleaf; i++) {
        walk_row(s, row, r->leaf[i], look_up_turn);
        fits &= (s->shut[r->leaf[i]] & all) != all;
    }
    return fits;
}

static hd_status place_paths(struct hd_ctx *ctx, struct vl_state *s, const uint8_t *row, uint32_t q, bool *fits)
{
    const struct hd_routes *r = s->r;
    size_t stride = (size_t)r->net->nep * r->nvar;
    uint32_t last = s->opt->maxlanes - 1;
    *fits = may_fit(s, row, (uint16_t)((2u << last) - 1));
    for (uint32_t i = 0; i < r->nleaf && *fits; i++) {
        uint32_t leaf = s->leaves[i], v = r->leaf[leaf], lane = 0;
        uint32_t have = s->have[v] & ((1u << s->nopen) - 1);
        if (s->opt->reserve) have |= s->have[v] & 1u << last;
        s->lanes.nturn = 0;
        if (have)
            lane = (uint32_t)__builtin_ctz(have);
        else if (gather_path(s, row, v))
            HD_TRY(place_turns(ctx, s, &lane));
        *fits = lane != UINT32_MAX;
        r->leaf_lane[leaf * stride + q] = (uint8_t)lane;
    }
    if (*fits) return HD_OK;
    hd_acyclic_undo(&s->lanes);
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) r->leaf_lane[leaf * stride + q] = (uint8_t)last;
    return HD_OK;
}

/* Which lanes have the turns of all variants of a destination, from each leaf. */
static void look_up_variants(struct vl_state *s, uint32_t d)
{
    const struct hd_routes *r = s->r;
    memset(s->have_all, 0xff, r->nleaf * sizeof *s->have_all);
    for (uint32_t x = 0; x < r->nvar; x++) {
        s->pass++;
        for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
            walk_row(s, hd_row(s->r, d, x), r->leaf[leaf], look_up_turn);
            s->have_all[leaf] &= s->have[r->leaf[leaf]];
        }
    }
}

/* All variants of each pair of one destination into one lane. */
static hd_status place_pairs(struct hd_ctx *ctx, struct vl_state *s, uint32_t d, bool *fits)
{
    const struct hd_routes *r = s->r;
    *fits = true;
    look_up_variants(s, d);
    hd_acyclic_begin(&s->lanes);
    for (uint32_t i = 0; i < r->nleaf && *fits; i++) {
        uint32_t leaf = s->leaves[i], have = s->have_all[leaf] & ((1u << s->nopen) - 1), lane = 0;
        bool served = true;
        s->lanes.nturn = 0;
        for (uint32_t x = 0; !have && x < r->nvar; x++) served &= gather_path(s, hd_row(s->r, d, x), r->leaf[leaf]);
        if (have)
            lane = (uint32_t)__builtin_ctz(have);
        else if (served)
            HD_TRY(place_turns(ctx, s, &lane));
        *fits = lane != UINT32_MAX;
        memset(r->leaf_lane + ((size_t)leaf * r->net->nep + d) * r->nvar, (uint8_t)lane, r->nvar);
    }
    return HD_OK;
}

static hd_status place_tree(struct hd_ctx *ctx, struct vl_state *s, const uint8_t *row, uint32_t q, bool *fits)
{
    const struct hd_routes *r = s->r;
    uint32_t lane;
    s->lanes.nturn = 0;
    for (uint32_t i = 0; i < r->nleaf; i++) walk_row(s, row, r->leaf[i], gather_turn);
    HD_TRY(place_turns(ctx, s, &lane));
    *fits = lane != UINT32_MAX;
    r->dest_lane[q] = (uint8_t)(*fits ? lane : s->opt->maxlanes - 1);
    return HD_OK;
}

/* All variants of destination d; *stop: one fits nowhere, and that is enough to know. */
static hd_status place_destination(struct hd_ctx *ctx, struct vl_state *s, uint32_t d, uint8_t *buf, bool *left,
                                   bool *stop)
{
    const struct hd_routes *r = s->r;
    bool fits;
    *stop = false;
    if (s->opt->together) {
        HD_TRY(place_pairs(ctx, s, d, &fits));
        left[(size_t)d * r->nvar] = *stop = !fits;
        return HD_OK;
    }
    for (uint32_t x = 0; x < r->nvar && !*stop; x++) {
        uint32_t q = d * r->nvar + x;
        const uint8_t *row = hd_routes_row(r, d, x, buf);
        s->pass++;
        hd_acyclic_begin(&s->lanes);
        if (s->opt->mode == HD_LANES_PATH)
            HD_TRY(place_paths(ctx, s, row, q, &fits));
        else
            HD_TRY(place_tree(ctx, s, row, q, &fits));
        left[q] = !fits;
        *stop = !fits && s->opt->stop;
    }
    return HD_OK;
}

static hd_status vl_assign_place_rows(struct hd_ctx *ctx, struct vl_state *s, uint8_t *buf, bool *left)
{
    const struct hd_routes *r = s->r;
    const struct hd_net *net = s->net;
    uint32_t done = 0;
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t t = r->leaf[s->leaves[i]];
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            bool stop;
            if (net->head[c] < net->nsw) continue;
            HD_TRY(place_destination(ctx, s, net->head[c] - net->nsw, buf, left, &stop));
            if (stop) return HD_OK;
            if (++done % 256 == 0) hd_progress(ctx, "lanes", done, net->nep);
        }
    }
    return HD_OK;
}

/* ---- one lane is often enough ---------------------------------------------------------------- */

static void add_turn(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b)
{
    (void)v;
    if (b != UINT32_MAX) s->lanes.in[hd_turn(&s->lanes.links, a, b)] = 1;
}

/* Kahn's sort of all turns together. True when it takes every link; s->start is the order in either
 * case, the links it could not take at the end. */
static bool fits_one_lane(struct vl_state *s, uint8_t *buf)
{
    const struct hd_routes *r = s->r;
    uint32_t *waits = s->lanes.behind, *queue = s->lanes.ahead, done = 0, filled = 0;
    for (uint32_t d = 0; d < s->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            const uint8_t *row = hd_routes_row(r, d, x, buf);
            s->pass++;
            for (uint32_t i = 0; i < r->nleaf; i++) walk_row(s, row, r->leaf[i], add_turn);
        }
    memset(waits, 0, s->lanes.links.n * sizeof *waits);
    for (uint32_t a = 0; a < s->lanes.links.n; a++)
        for (uint32_t t = s->lanes.links.turn[a], b = s->lanes.links.first[s->lanes.links.head[a]];
             t < s->lanes.links.turn[a + 1]; t++, b++)
            waits[b] += s->lanes.in[t];
    for (uint32_t a = 0; a < s->lanes.links.n; a++)
        if (!waits[a]) queue[filled++] = a;
    for (; done < filled; done++) {
        uint32_t a = queue[done];
        s->start[a] = done;
        for (uint32_t t = s->lanes.links.turn[a], b = s->lanes.links.first[s->lanes.links.head[a]];
             t < s->lanes.links.turn[a + 1]; t++, b++)
            if (s->lanes.in[t] && --waits[b] == 0) queue[filled++] = b;
    }
    for (uint32_t a = 0; a < s->lanes.links.n; a++)
        if (waits[a]) s->start[a] = done++;
    memset(s->lanes.in, 0, s->lanes.links.turn[s->lanes.links.n] * sizeof *s->lanes.in);
    return filled == s->lanes.links.n;
}

/* ---- all together ---------------------------------------------------------------------------- */

static hd_status vl_init(struct hd_ctx *ctx, struct hd_arena *a, struct vl_state *s)
{
    uint32_t nsw = s->net->nsw;
    HD_TRY(hd_acyclic_init(ctx, a, s->net, &s->lanes));
    s->start = HD_NEW(a, uint32_t, s->lanes.links.n);
    s->have = HD_NEW(a, uint16_t, nsw);
    s->shut = HD_NEW(a, uint16_t, nsw);
    s->leaves = HD_NEW(a, uint32_t, s->r->nleaf);
    s->have_all = HD_NEW(a, uint16_t, s->r->nleaf);
    if (s->opt->together) s->lanes.turn = HD_NEW(a, struct hd_turn, (size_t)s->r->nvar * nsw);
    bool ok = s->start && s->have && s->shut && s->leaves && s->have_all && s->lanes.turn &&
              HD_NEW_U32(a, nsw, &s->stamp, &s->stack);
    return ok ? HD_OK : hd_fail_memory(ctx);
}

static hd_status vl_order_leaves(struct hd_ctx *ctx, struct vl_state *s)
{
    const struct hd_net *net = s->net;
    uint8_t *dist = HD_NEW(s->lanes.arena, uint8_t, net->nsw);
    bool *met = HD_NEW(s->lanes.arena, bool, net->nsw);
    uint32_t n = 0;
    if (!dist || !met) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t reached = met[v] ? 0 : hd_dist_from(net, v, dist, s->stack);
        for (uint32_t i = 0; i < reached; i++) {
            uint32_t leaf = s->r->leaf_of[s->stack[i]];
            if (leaf != UINT32_MAX && !met[s->stack[i]]) s->leaves[n++] = leaf;
            met[s->stack[i]] = true;
        }
    }
    return HD_OK;
}

/* The last lane begins with every turn that up/down rows may make: up channels towards the first switch,
 * then down channels away from it. */
static hd_status open_reserved(struct hd_ctx *ctx, struct vl_state *s)
{
    const struct hd_updown *u = s->opt->reserve;
    const struct hd_net *net = s->net;
    uint32_t last = s->opt->maxlanes - 1, n = 0, *order = s->lanes.places;
    for (uint32_t i = net->nsw; i-- > 0;)
        for (uint32_t v = u->order[i], a = s->lanes.links.first[v]; a < s->lanes.links.first[v + 1]; a++)
            if (hd_updown_up(u, s->lanes.links.chan[a])) order[a] = n++;
    for (uint32_t i = 0; i < net->nsw; i++)
        for (uint32_t v = u->order[i], a = s->lanes.links.first[v]; a < s->lanes.links.first[v + 1]; a++)
            if (!hd_updown_up(u, s->lanes.links.chan[a])) order[a] = n++;
    for (uint32_t a = 0; a < s->lanes.links.n; a++)
        for (uint32_t t = s->lanes.links.turn[a], b = s->lanes.links.first[s->lanes.links.head[a]];
             t < s->lanes.links.turn[a + 1]; t++, b++)
            if ((hd_updown_up(u, s->lanes.links.chan[a]) || !hd_updown_up(u, s->lanes.links.chan[b])) &&
                b != s->lanes.links.back[a])
                s->lanes.in[t] = (uint16_t)(1u << last);
    return hd_acyclic_open(ctx, &s->lanes, last, order);
}

static hd_status set_lanes(struct hd_ctx *ctx, struct vl_state *s, struct hd_arena *arena, struct hd_lanes *lanes)
{
    struct hd_routes *r = s->r;
    size_t rows = (size_t)r->net->nep * r->nvar;
    bool *left = HD_NEW(s->lanes.arena, bool, rows);
    uint8_t *buf = HD_NEW(s->lanes.arena, uint8_t, r->net->nsw);
    *lanes = (struct hd_lanes){0};
    r->lane_rule = HD_LANE_ONE;
    r->nlanes = 1;
    r->leaf_level = r->pair_level = NULL; /* of routes that had others */
    r->sl2vl = NULL;
    if (!left || !buf) return hd_fail_memory(ctx);
    if (fits_one_lane(s, buf)) return HD_OK;
    bool path = s->opt->mode == HD_LANES_PATH;
    if (path && !r->leaf_lane) r->leaf_lane = HD_NEW(&r->arena, uint8_t, rows * r->nleaf);
    if (!path && !r->dest_lane) r->dest_lane = HD_NEW(&r->arena, uint8_t, rows);
    if (path ? !r->leaf_lane : !r->dest_lane) return hd_fail_memory(ctx);
    HD_TRY(vl_order_leaves(ctx, s));
    if (s->opt->reserve) HD_TRY(open_reserved(ctx, s));
    HD_TRY(vl_assign_place_rows(ctx, s, buf, left));
    for (size_t q = 0; q < rows; q++) lanes->nleft += left[q];
    lanes->left = HD_NEW(arena, uint32_t, lanes->nleft);
    if (!lanes->left) return hd_fail_memory(ctx);
    for (uint32_t q = 0, n = 0; q < rows; q++)
        if (left[q]) lanes->left[n++] = q;
    r->nlanes = s->opt->reserve ? s->opt->maxlanes : s->nopen;
    if (r->nlanes > 1) r->lane_rule = path ? HD_LANE_LEAF : HD_LANE_DEST;
    return HD_OK;
}

hd_status hd_lanes_assign(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_routes *r,
                          const struct hd_lanes_opt *opt, struct hd_lanes *lanes)
{
    struct hd_arena scratch = {0};
    struct vl_state s = {.r = r, .net = r->net, .opt = opt};
    hd_status status = vl_init(ctx, &scratch, &s);
    if (status == HD_OK) status = set_lanes(ctx, &s, arena, lanes);
    hd_arena_release(&scratch);
    return status;
}

/* ---- with up/down as the last resort -------------------------------------------------------------------------- */

/* One per leaf that passes: enough to keep up/down rows from using the same channels. */
static void add_row_load(const struct hd_routes *r, const uint8_t *row, uint32_t *load)
{
    const struct hd_net *net = r->net;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++)
        for (uint32_t v = r->leaf[leaf], n = 0; v < net->nsw && row[v] != HD_SLOT_NONE && n < net->nsw; n++) {
            load[net->off[v] + row[v]]++;
            v = net->head[net->off[v] + row[v]];
        }
}

static hd_status replace_rows(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_routes *r, struct hd_updown *u,
                              const struct hd_lanes *lanes)
{
    const struct hd_net *net = r->net;
    uint32_t *load = HD_NEW(scratch, uint32_t, net->nchan);
    if (!load) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < lanes->nleft; i++) {
        uint32_t q = lanes->left[i], d = q / r->nvar, c = net->rev[net->off[net->nsw + d]], t = net->tail[c];
        uint8_t *row = r->table + (size_t)q * net->nsw;
        hd_updown_row(u, t, load, row);
        row[t] = (uint8_t)(c - net->off[t]);
        add_row_load(r, row, load);
    }
    return HD_OK;
}

static hd_status fit_lanes(struct hd_ctx *ctx, struct hd_routes *r, const struct hd_lanes_opt *opt, bool *fits)
{
    struct hd_arena scratch = {0};
    struct hd_lanes lanes;
    hd_status s = hd_lanes_assign(ctx, &scratch, r, opt, &lanes);
    *fits = s == HD_OK && !lanes.nleft;
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_lanes_fit(struct hd_ctx *ctx, struct hd_routes *r, enum hd_lanes_mode mode, uint32_t maxlanes, bool *fits)
{
    return fit_lanes(ctx, r, &(struct hd_lanes_opt){.mode = mode, .maxlanes = maxlanes, .stop = true}, fits);
}

hd_status hd_lanes_fit_pairs(struct hd_ctx *ctx, struct hd_routes *r, uint32_t maxlanes, bool *fits)
{
    const struct hd_lanes_opt opt = {.mode = HD_LANES_PATH, .maxlanes = maxlanes, .stop = true, .together = true};
    return fit_lanes(ctx, r, &opt, fits);
}

hd_status hd_lanes_ensure(struct hd_ctx *ctx, struct hd_routes *r, enum hd_lanes_mode mode, uint32_t maxlanes,
                          uint32_t *replaced)
{
    struct hd_arena scratch = {0};
    struct hd_updown u;
    struct hd_lanes lanes = {0};
    const struct hd_lanes_opt opt = {.mode = mode, .maxlanes = maxlanes, .reserve = &u};
    bool fits;
    hd_status s = hd_lanes_fit(ctx, r, mode, maxlanes, &fits);
    if (s == HD_OK && !fits) {
        s = hd_updown_init(ctx, &scratch, r->net, NULL, &u);
        if (s == HD_OK) s = hd_lanes_assign(ctx, &scratch, r, &opt, &lanes);
        if (s == HD_OK) s = replace_rows(ctx, &scratch, r, &u, &lanes);
    }
    *replaced = lanes.nleft;
    hd_arena_release(&scratch);
    return s;
}
