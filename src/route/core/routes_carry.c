/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes carried over to another network: what the switches of a fabric still have when cables, switches or endpoints
 * came or went. Nodes are the same if their GUIDs are, ports if their numbers are. An entry whose port has no cable any
 * more becomes a hole, and so do all entries for what is new. Entries towards switches are carried as they were, also
 * if they were derived: on another network they would be derived differently. VLs go along, and service levels with the
 * SL2VL table of all ports; if VLs change along the path, they are kept only on the same network and unknown on another
 * one. Entries of a file for further LIDs go along,
 * and what switches have for their own LIDs.
 * Groups of ports go along on request, of all LIDs, without ports that have no cable. With notifications of remote
 * failures (PFRN), ports behind which nothing leads to the destination go too: what still does is found by a search
 * backwards from the destination.
 * Cost: O(table + VLs), rows in parallel, with notifications O(LIDs * channels) more. */
#include "base/status.h"
#include "base/threads.h"
#include "net/core/guid_index.h"
#include "route/core/groups.h"
#include "route/core/routes.h"
#include "route/core/sl2vl.h"

#include <string.h>

#define GONE UINT32_MAX

struct carrier {
    const struct hd_routes *from;
    struct hd_routes *to;
    uint32_t *sw, *ep; /* number in the new network of each old switch and endpoint; GONE */
    uint8_t *slot;     /* [nchan] new slot of each old channel of a switch */
    uint32_t *further; /* new row of each old further LID; GONE */
    uint32_t *more;    /* likewise of further LIDs of switches */
};

static hd_status carrier_match(struct hd_ctx *ctx, struct hd_arena *a, struct carrier *c)
{
    const struct hd_net *was = c->from->net, *is = c->to->net;
    struct hd_guid_index guids;
    uint8_t by_port[256];
    c->sw = HD_NEW(a, uint32_t, was->nsw);
    c->ep = HD_NEW(a, uint32_t, was->nep);
    c->slot = HD_NEW(a, uint8_t, was->nchan);
    if (!c->sw || !c->ep || !c->slot) return hd_fail_memory(ctx);
    HD_TRY(hd_guid_index_init(ctx, a, is, &guids));
    for (uint32_t e = 0; e < was->nep; e++) c->ep[e] = hd_guid_endpoint(&guids, was->guid[was->nsw + e]);
    for (uint32_t v = 0; v < was->nsw; v++) {
        c->sw[v] = hd_guid_switch(&guids, was->guid[v]);
        if (c->sw[v] != GONE) hd_slots_by_port(is, c->sw[v], by_port);
        for (uint32_t k = was->off[v]; k < was->off[v + 1]; k++)
            c->slot[k] = c->sw[v] == GONE ? HD_SLOT_NONE : by_port[was->port[k]];
    }
    return HD_OK;
}

static void carrier_row(const struct carrier *c, const uint8_t *row, uint8_t *to)
{
    const struct hd_net *was = c->from->net;
    for (uint32_t v = 0; v < was->nsw; v++)
        if (c->sw[v] != GONE && row[v] < hd_degree(was, v)) to[c->sw[v]] = c->slot[was->off[v] + row[v]];
}

static hd_status carrier_rows(struct hd_ctx *ctx, struct hd_arena *a, const struct carrier *c)
{
    const struct hd_net *was = c->from->net;
    const int threads = hd_threads(ctx);
    const size_t nsw = was->nsw, room = (size_t)threads * nsw;
    uint8_t *row = HD_NEW(a, uint8_t, room), *dist = HD_NEW(a, uint8_t, room), *rows; /* scratch of each thread */
    uint32_t *queue = HD_NEW(a, uint32_t, room);
    if (!row || !dist || !queue) return hd_fail_memory(ctx);
    HD_TRY(hd_routes_switch_rows(ctx, c->to, &rows));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t d = 0; d < was->nep; d++)
        for (uint32_t x = 0; c->ep[d] != GONE && x < c->from->nvar; x++)
            carrier_row(c, hd_routes_row(c->from, d, x, row + (size_t)hd_thread_id() * nsw),
                        hd_row(c->to, c->ep[d], x));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t t = 0; t < was->nsw; t++) {
        const size_t own = (size_t)hd_thread_id() * nsw;
        if (c->sw[t] == GONE) continue;
        hd_routes_switch_row_in(c->from, t, row + own, dist + own, queue + own);
        carrier_row(c, row + own, rows + (size_t)c->sw[t] * c->to->net->nsw);
    }
    return HD_OK;
}

/* Which variant a pair uses; what is new uses the first. */
static hd_status carrier_select(struct hd_ctx *ctx, const struct carrier *c)
{
    const struct hd_routes *from = c->from;
    struct hd_routes *to = c->to;
    const size_t was = from->net->nep, is = to->net->nep;
    to->select = from->select;
    if (from->source_class) {
        if (!(to->source_class = HD_NEW(&to->arena, uint16_t, is))) return hd_fail_memory(ctx);
        for (size_t e = 0; e < was; e++)
            if (c->ep[e] != GONE) to->source_class[c->ep[e]] = from->source_class[e];
    }
    if (!from->pair_variant) return HD_OK;
    if (!(to->pair_variant = HD_NEW(&to->arena, uint16_t, is * is))) return hd_fail_memory(ctx);
    for (size_t s = 0; s < was; s++)
        for (size_t d = 0; c->ep[s] != GONE && d < was; d++)
            if (c->ep[d] != GONE) to->pair_variant[c->ep[s] * is + c->ep[d]] = from->pair_variant[s * was + d];
    return HD_OK;
}

/* One list of VLs with nvar values per destination: n lists, the i-th of which becomes number[i]. */
static void carrier_list(const struct carrier *c, const uint8_t *from, uint8_t *to, const uint32_t *number, size_t n)
{
    const size_t was = c->from->net->nep, is = c->to->net->nep, nvar = c->from->nvar;
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; number[i] != GONE && d < was; d++)
            if (c->ep[d] != GONE) memcpy(to + (number[i] * is + c->ep[d]) * nvar, from + (i * was + d) * nvar, nvar);
}

/* A list of each leaf switch, and one of each source, NULL: there is none; nvar values per destination. */
static hd_status carrier_lists(struct hd_ctx *ctx, const struct carrier *c, const uint32_t *leaf,
                               const uint8_t *const from[2], uint8_t **to[2])
{
    const uint32_t *const number[2] = {leaf, c->ep};
    const size_t n[2] = {c->from->nleaf, c->from->net->nep}, rows[2] = {c->to->nleaf, c->to->net->nep};
    for (int i = 0; i < 2; i++) {
        if (!from[i]) continue;
        *to[i] = HD_NEW(&c->to->arena, uint8_t, rows[i] * c->to->net->nep * c->to->nvar);
        if (!*to[i]) return hd_fail_memory(ctx);
        carrier_list(c, from[i], *to[i], number[i], n[i]);
    }
    return HD_OK;
}

static hd_status carrier_vls(struct hd_ctx *ctx, struct hd_arena *a, const struct carrier *c)
{
    const struct hd_routes *from = c->from;
    struct hd_routes *to = c->to;
    const size_t rows = (size_t)to->net->nep * to->nvar;
    uint32_t *leaf = HD_NEW(a, uint32_t, from->nleaf), first = 0;
    if (!leaf) return hd_fail_memory(ctx);
    if (from->lane_rule == HD_LANE_HOP && from->net != to->net) {
        hd_routes_vls_unknown(to);
        return HD_OK;
    }
    to->lane_rule = from->lane_rule;
    to->nlanes = from->nlanes;
    for (uint32_t i = 0; i < from->nleaf; i++) {
        uint32_t v = c->sw[from->leaf[i]];
        leaf[i] = v == GONE ? GONE : to->leaf_of[v];
    }
    if (from->dest_lane && !(to->dest_lane = HD_NEW(&to->arena, uint8_t, rows))) return hd_fail_memory(ctx);
    if (from->dest_lane) carrier_list(c, from->dest_lane, to->dest_lane, &first, 1);
    const uint8_t *const lane[2] = {from->leaf_lane, from->pair_lane}, *const level[2] = {from->leaf_level,
                                                                                          from->pair_level};
    HD_TRY(carrier_lists(ctx, c, leaf, lane, (uint8_t * *[2]){&to->leaf_lane, &to->pair_lane}));
    if (from->lane_rule == HD_LANE_UNKNOWN && from->net != to->net) return HD_OK;
    HD_TRY(carrier_lists(ctx, c, leaf, level, (uint8_t * *[2]){&to->leaf_level, &to->pair_level}));
    return from->sl2vl ? hd_sl2vl_copy(ctx, &to->arena, from->sl2vl, to->net, &to->sl2vl) : HD_OK;
}

/* ---- other LIDs of a file ------------------------------------------------------------------------------- */

/* The LIDs of all nodes, and what switches have for their own. */
static hd_status carrier_lids(struct hd_ctx *ctx, const struct carrier *c)
{
    const struct hd_routes *from = c->from;
    struct hd_routes *to = c->to;
    const uint32_t was = from->net->nsw, is = to->net->nsw;
    if (from->lid && !(to->lid = HD_NEW(&to->arena, uint16_t, is + to->net->nep))) return hd_fail_memory(ctx);
    if (from->own_entry && !(to->own_entry = HD_NEW(&to->arena, uint16_t, is))) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < was; v++) {
        if (c->sw[v] == GONE) continue;
        if (from->lid) to->lid[c->sw[v]] = from->lid[v];
        if (from->own_entry) to->own_entry[c->sw[v]] = from->own_entry[v];
    }
    for (uint32_t e = 0; from->lid && e < from->net->nep; e++)
        if (c->ep[e] != GONE) to->lid[is + c->ep[e]] = from->lid[was + e];
    return HD_OK;
}

static hd_status carrier_further(struct hd_ctx *ctx, struct hd_arena *a, struct carrier *c)
{
    const struct hd_routes *from = c->from;
    struct hd_routes *to = c->to;
    const size_t n = from->nfurther, was = from->net->nsw, is = to->net->nsw;
    HD_TRY(carrier_lids(ctx, c));
    if (!n) return HD_OK;
    c->further = HD_NEW(a, uint32_t, n);
    to->further_dest = HD_NEW(&to->arena, uint32_t, n);
    to->further_lid = HD_NEW(&to->arena, uint16_t, n);
    to->further = HD_NEW(&to->arena, uint8_t, n * is);
    if (!c->further || !to->further_dest || !to->further_lid || !to->further) return hd_fail_memory(ctx);
    memset(to->further, HD_SLOT_NONE, n * is);
    for (size_t i = 0; i < n; i++) {
        const uint32_t dest = c->ep[from->further_dest[i]], row = to->nfurther;
        c->further[i] = dest == GONE ? GONE : row;
        if (dest == GONE) continue;
        to->further_dest[row] = dest;
        to->further_lid[row] = from->further_lid[i];
        carrier_row(c, from->further + i * was, to->further + row * is);
        to->nfurther++;
    }
    return HD_OK;
}

static hd_status carrier_more(struct hd_ctx *ctx, struct hd_arena *a, struct carrier *c)
{
    const struct hd_routes *from = c->from;
    struct hd_routes *to = c->to;
    const size_t n = from->nmore, was = from->net->nsw, is = to->net->nsw;
    if (!n) return HD_OK;
    c->more = HD_NEW(a, uint32_t, n);
    to->more_switch = HD_NEW(&to->arena, uint32_t, n);
    to->more_lid = HD_NEW(&to->arena, uint16_t, n);
    to->more_own = HD_NEW(&to->arena, uint16_t, n);
    to->more = HD_NEW(&to->arena, uint8_t, n * is);
    if (!c->more || !to->more_switch || !to->more_lid || !to->more_own || !to->more) return hd_fail_memory(ctx);
    memset(to->more, HD_SLOT_NONE, n * is);
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = c->sw[from->more_switch[i]], row = to->nmore;
        c->more[i] = v == GONE ? GONE : row;
        if (v == GONE) continue;
        to->more_switch[row] = v;
        to->more_lid[row] = from->more_lid[i];
        to->more_own[row] = from->more_own[i];
        carrier_row(c, from->more + i * was, to->more + row * is);
        to->nmore++;
    }
    return HD_OK;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* Of c, what is in scratch serves the caller as well. */
static hd_status carry_all(struct hd_ctx *ctx, struct hd_arena *scratch, struct carrier *c)
{
    const char *spec = hd_strdup(&c->to->arena, c->from->spec, strlen(c->from->spec));
    hd_status s = spec ? carrier_match(ctx, scratch, c) : hd_fail_memory(ctx);
    if (s == HD_OK) s = carrier_rows(ctx, scratch, c);
    if (s == HD_OK) s = carrier_select(ctx, c);
    if (s == HD_OK) s = carrier_vls(ctx, scratch, c);
    if (s == HD_OK) s = carrier_further(ctx, scratch, c);
    if (s == HD_OK) s = carrier_more(ctx, scratch, c);
    if (s == HD_OK) hd_routes_set_spec(c->to, spec);
    return s;
}

/* ---- groups ----------------------------------------------------------------------------------------------- */

/* The numbers in the new routes of the groups of switch v; 0: no port is left. */
static hd_status carrier_sets(struct hd_ctx *ctx, const struct carrier *c, uint32_t v, uint16_t *number)
{
    const struct hd_switch_groups *g = &c->from->groups->at[v];
    for (uint32_t i = 0; i < g->n; i++) {
        struct hd_port_set left = g->set[i], set = {{0}};
        for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
            const uint8_t to = c->slot[c->from->net->off[v] + slot];
            if (to != HD_SLOT_NONE) hd_set_add(&set, to);
        }
        number[i + 1] = 0;
        if (hd_set_count(&set)) HD_TRY(hd_groups_number(ctx, c->to, c->sw[v], &set, &number[i + 1]));
    }
    return HD_OK;
}

/* Groups of n * nvar rows, the i-th nvar of which become those of number row[i], among m * nvar. */
struct carrier_kind {
    const uint32_t *row;
    size_t n, m, nvar;
    struct hd_group_rows from, *to;
};

static hd_status carrier_kind_make(struct hd_ctx *ctx, const struct carrier *c, const struct carrier_kind *k)
{
    struct hd_arena *a = &c->to->arena;
    const size_t room = k->m * k->nvar * c->to->net->nsw;
    if (k->from.of && !k->to->of && !(k->to->of = HD_NEW(a, uint16_t, room))) return hd_fail_memory(ctx);
    if (k->from.state && !(k->to->state = HD_NEW(a, uint8_t, room))) return hd_fail_memory(ctx);
    return HD_OK;
}

/* The entries of switch v. */
static void carrier_kind_entries(const struct carrier *c, const struct carrier_kind *k, uint32_t v,
                                 const uint16_t *number)
{
    const size_t was = c->from->net->nsw, is = c->to->net->nsw;
    for (size_t i = 0; k->from.of && i < k->n; i++)
        for (size_t x = 0; k->row[i] != GONE && x < k->nvar; x++) {
            const size_t old = (i * k->nvar + x) * was + v, new = (k->row[i] * k->nvar + x) * is + c->sw[v];
            k->to->of[new] = number[k->from.of[old]];
            if (k->from.state) k->to->state[new] = k->from.state[old];
        }
}

static hd_status carrier_groups(struct hd_ctx *ctx, struct hd_arena *a, const struct carrier *c)
{
    const struct hd_groups *from = c->from->groups;
    const struct hd_net *was = c->from->net, *is = c->to->net;
    uint16_t *number = HD_NEW(a, uint16_t, HD_MAX_GROUPS + 1);
    if (!from) return HD_OK;
    if (!number) return hd_fail_memory(ctx);
    HD_TRY(hd_groups_make(ctx, c->to));
    struct hd_groups *to = c->to->groups;
    struct hd_group_rows pairs = {.of = to->of};
    const struct carrier_kind kind[] = {
        {c->ep, was->nep, is->nep, c->from->nvar, {from->of, from->state}, &pairs},
        {c->further, c->from->nfurther, c->to->nfurther, 1, from->further, &to->further},
        {c->sw, was->nsw, is->nsw, 1, from->switches, &to->switches},
        {c->more, c->from->nmore, c->to->nmore, 1, from->more, &to->more},
    };
    const size_t kinds = sizeof kind / sizeof *kind;
    for (size_t i = 0; i < kinds; i++) HD_TRY(carrier_kind_make(ctx, c, &kind[i]));
    to->state = pairs.state;
    for (uint32_t v = 0; v < was->nsw; v++) {
        if (c->sw[v] == GONE) continue;
        HD_TRY(carrier_sets(ctx, c, v, number));
        for (size_t i = 0; i < kinds; i++) carrier_kind_entries(c, &kind[i], v, number);
    }
    return HD_OK;
}

struct notified {
    struct hd_routes *r;
    bool *good;      /* [nsw] some choices lead to the destination */
    uint32_t *queue; /* [nsw] */
};

/* Marks the switches from which some choices lead to the target, an endpoint or a switch. */
static void notified_reach(const struct notified *k, uint32_t target, const uint8_t *row, const uint16_t *of)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    uint32_t home = target, n = 0;
    memset(k->good, 0, net->nsw * sizeof *k->good);
    if (target >= net->nsw) {
        const uint32_t into = net->rev[net->off[target]];
        home = hd_leaf(net, target - net->nsw);
        const struct hd_port_set last = hd_choices(r, row, of, home);
        if (!hd_set_has(&last, into - net->off[home])) return;
    }
    k->good[home] = true;
    k->queue[n++] = home;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[k->queue[i]]; c < net->off[k->queue[i] + 1]; c++) {
            const uint32_t u = net->head[c];
            if (u >= net->nsw || k->good[u]) continue;
            const struct hd_port_set set = hd_choices(r, row, of, u);
            if (!hd_set_has(&set, net->rev[c] - net->off[u])) continue;
            k->good[u] = true;
            k->queue[n++] = u;
        }
}

/* The group of an entry without the ports that lead to switches which are not good. */
static hd_status notified_entry(struct hd_ctx *ctx, const struct notified *k, uint32_t target, uint32_t v, uint16_t *of)
{
    const struct hd_net *net = k->r->net;
    struct hd_port_set left = k->r->groups->at[v].set[*of - 1], set = {{0}};
    bool fewer = false;
    for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
        const uint32_t u = net->head[net->off[v] + slot];
        if (u < net->nsw ? k->good[u] : u == target)
            hd_set_add(&set, slot);
        else
            fewer = true;
    }
    if (!fewer) return HD_OK;
    *of = 0;
    return hd_set_count(&set) ? hd_groups_number(ctx, k->r, v, &set, of) : HD_OK;
}

static hd_status notified_row(struct hd_ctx *ctx, const struct notified *k, uint32_t target, const uint8_t *row,
                              uint16_t *of)
{
    notified_reach(k, target, row, of);
    for (uint32_t v = 0; v < k->r->net->nsw; v++)
        if (of[v] && v != target) HD_TRY(notified_entry(ctx, k, target, v, &of[v]));
    return HD_OK;
}

static hd_status carrier_notify(struct hd_ctx *ctx, struct hd_arena *a, struct hd_routes *r)
{
    const struct hd_groups *g = r->groups;
    const size_t nsw = r->net->nsw;
    const struct notified k = {r, HD_NEW(a, bool, nsw), HD_NEW(a, uint32_t, nsw)};
    if (!k.good || !k.queue) return hd_fail_memory(ctx);
    if (!g) return HD_OK;
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++)
            HD_TRY(notified_row(ctx, &k, r->net->nsw + d, hd_row(r, d, x), g->of + ((size_t)d * r->nvar + x) * nsw));
    for (uint32_t i = 0; g->further.of && i < r->nfurther; i++)
        HD_TRY(notified_row(ctx, &k, r->net->nsw + r->further_dest[i], r->further + i * nsw, g->further.of + i * nsw));
    for (uint32_t t = 0; g->switches.of && t < r->net->nsw; t++)
        HD_TRY(notified_row(ctx, &k, t, r->switch_table + t * nsw, g->switches.of + t * nsw));
    for (uint32_t i = 0; g->more.of && i < r->nmore; i++)
        HD_TRY(notified_row(ctx, &k, r->more_switch[i], r->more + i * nsw, g->more.of + i * nsw));
    return HD_OK;
}

hd_status hd_routes_carry_groups(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_net *net, bool notified,
                                 struct hd_routes **out)
{
    struct carrier c = {.from = r};
    struct hd_arena scratch = {0};
    HD_TRY(hd_routes_make(ctx, net, r->nvar, &c.to));
    hd_status s = carry_all(ctx, &scratch, &c);
    if (s == HD_OK) s = carrier_groups(ctx, &scratch, &c);
    c.to->no_switch_lids = r->no_switch_lids;
    if (r->no_switch_lids) c.to->switch_table = NULL;
    if (s == HD_OK && notified) s = carrier_notify(ctx, &scratch, c.to);
    hd_arena_release(&scratch);
    return hd_routes_give(s, c.to, out);
}

hd_status hd_routes_carry(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_net *net,
                          struct hd_routes **out)
{
    struct carrier c = {.from = r};
    struct hd_arena scratch = {0};
    HD_TRY(hd_routes_make(ctx, net, r->nvar, &c.to));
    const hd_status s = carry_all(ctx, &scratch, &c);
    hd_arena_release(&scratch);
    for (uint32_t v = 0; s == HD_OK && c.to->own_entry && v < net->nsw; v++) /* without groups the static port counts */
        if (c.to->own_entry[v] == HD_OWN_CHOSEN) c.to->own_entry[v] = HD_OWN_GOOD;
    for (uint32_t i = 0; s == HD_OK && i < c.to->nmore; i++)
        if (c.to->more_own[i] == HD_OWN_CHOSEN) c.to->more_own[i] = HD_OWN_GOOD;
    return hd_routes_give(s, c.to, out);
}
