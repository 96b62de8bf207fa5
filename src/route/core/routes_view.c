/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading routes from outside src/route. These are functions, not fields, so that the representation of routes can
 * change in one folder; each costs one call and gives an array or a number for a whole loop. */
#include "route/core/routes_view.h"
#include "base/hash.h"
#include "base/status.h"
#include "net/core/net_hash.h"
#include "route/core/groups.h"
#include "route/core/sl2vl.h"

const struct hd_net *hd_routes_net(const struct hd_routes *r)
{
    return r->net;
}

const char *hd_routes_spec(const struct hd_routes *r)
{
    return r->spec;
}

uint32_t hd_routes_variants(const struct hd_routes *r)
{
    return r->nvar;
}

enum hd_select hd_routes_select(const struct hd_routes *r)
{
    return r->select;
}

uint32_t hd_routes_paths_per_pair(const struct hd_routes *r)
{
    return r->select == HD_SELECT_ALL || r->select == HD_SELECT_PACKET ? r->nvar : 1;
}

uint32_t hd_routes_lanes(const struct hd_routes *r)
{
    return r->nlanes;
}

enum hd_lane_rule hd_routes_lane_rule(const struct hd_routes *r)
{
    return r->lane_rule;
}

uint32_t hd_routes_nleaf(const struct hd_routes *r)
{
    return r->nleaf;
}

const uint32_t *hd_routes_leaves(const struct hd_routes *r)
{
    return r->leaf;
}

const uint32_t *hd_routes_leaf_of(const struct hd_routes *r)
{
    return r->leaf_of;
}

const uint16_t *hd_routes_source_class(const struct hd_routes *r)
{
    return r->select == HD_SELECT_SOURCE ? r->source_class : NULL;
}

double hd_routes_other_cpu(const struct hd_routes *r)
{
    return r->other_cpu;
}

uint64_t hd_routes_hash(const struct hd_routes *r)
{
    const size_t nep = r->net->nep, nsw = r->net->nsw, rows = nep * r->nvar, pairs = nep * nep;
    const uint32_t head[] = {r->nvar, r->select, r->lane_rule, r->nlanes};
    const struct hd_sl2vl *m = r->sl2vl;
    const struct hd_hash_part parts[] = {
        {r->spec, strlen(r->spec)},
        {head, sizeof head},
        {r->table ? (const void *)r->table : &r->read, r->table ? rows * nsw : sizeof r->read},
        {r->source_class, nep * sizeof *r->source_class},
        {r->pair_variant, pairs * sizeof *r->pair_variant},
        {r->dest_lane, rows},
        {r->leaf_lane, rows * r->nleaf},
        {r->pair_lane, pairs * r->nvar},
        {r->leaf_level, rows * r->nleaf},
        {r->pair_level, pairs * r->nvar},
        {m ? m->map : NULL, m ? m->nmap * sizeof *m->map : 0},
        {m ? m->which : NULL, m ? m->first[nsw] * sizeof *m->which : 0}};
    return hd_hash_parts(hd_net_hash(r->net), parts, sizeof parts / sizeof *parts);
}

hd_status hd_routes_paths_hash(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t *hash)
{
    const size_t nep = r->net->nep, nsw = r->net->nsw;
    const bool one_vl = r->nlanes == 1; /* however its number is stored */
    const enum hd_lane_rule rule = one_vl ? HD_LANE_ONE : r->lane_rule;
    *hash = 0;
    if (r->nvar > 1 || r->select != HD_SELECT_ONE || r->groups) return HD_OK;
    if (r->lane_rule == HD_LANE_HOP || r->lane_rule == HD_LANE_UNKNOWN || r->nlanes == 0) return HD_OK;
    struct hd_arena scratch = {0};
    uint8_t *buf = HD_NEW(&scratch, uint8_t, nsw);
    if (!buf) return hd_fail_memory(ctx);
    const uint32_t head[] = {rule, r->nlanes};
    const struct hd_hash_part parts[] = {{head, sizeof head},
                                         {one_vl ? NULL : r->dest_lane, nep},
                                         {one_vl ? NULL : r->leaf_lane, nep * r->nleaf},
                                         {one_vl ? NULL : r->pair_lane, nep * nep}};
    uint64_t h = hd_hash_parts(nsw, parts, sizeof parts / sizeof *parts);
    for (uint32_t d = 0; d < nep; d++) h = hd_hash_bytes(h, (const char *)hd_routes_row(r, d, 0, buf), nsw);
    *hash = h ? h : 1;
    hd_arena_release(&scratch);
    return HD_OK;
}

uint64_t hd_routes_bytes(const struct hd_routes *r)
{
    const uint64_t nep = r->net->nep, rows = nep * r->nvar;
    return (r->table ? rows * r->net->nsw : 0) + (r->pair_variant ? nep * nep * sizeof *r->pair_variant : 0) +
           (r->leaf_lane ? rows * r->nleaf : 0) + (r->pair_lane ? rows * nep : 0) +
           (r->leaf_level ? rows * r->nleaf : 0) + (r->pair_level ? rows * nep : 0);
}

uint32_t hd_routes_choices(const struct hd_routes *r, uint32_t d, uint32_t x, uint32_t v,
                           uint8_t slot[HD_MAX_PORTS + 1])
{
    const uint16_t *of = hd_group_row(r, d, x);
    struct hd_port_set left = {{0}};
    uint32_t n = 0;
    if (r->table) left = hd_choices(r, r->table + ((size_t)d * r->nvar + x) * r->net->nsw, of, v);
    for (uint32_t s; (s = hd_set_take(&left)) != HD_SLOT_NONE;) slot[n++] = (uint8_t)s;
    return n;
}

enum hd_lid_state hd_routes_lid_state(const struct hd_routes *r, uint32_t d, uint32_t x, uint32_t v)
{
    const uint8_t *state = r->groups ? r->groups->state : NULL;
    return state ? (enum hd_lid_state)state[((size_t)d * r->nvar + x) * r->net->nsw + v] : HD_LID_FREE;
}

const char *hd_routes_choosing(const struct hd_routes *r)
{
    static const char *const names[] = {
        [1 << HD_LID_FREE] = "packet", [1 << HD_LID_BOUNDED] = "bounded", [1 << HD_LID_HASH] = "hash"};
    const size_t n = (size_t)r->net->nep * r->nvar * r->net->nsw;
    uint32_t found = 0;
    if (!r->groups) return NULL;
    for (size_t i = 0; i < n; i++)
        if (r->groups->of[i]) found |= 1u << (r->groups->state ? r->groups->state[i] : HD_LID_FREE);
    if (!found) return names[1 << HD_LID_FREE];
    return found < sizeof names / sizeof *names && names[found] ? names[found] : "mixed";
}
