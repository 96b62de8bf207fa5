/* SPDX-License-Identifier: BSD-2-Clause */
/* Which service levels a table uses, and whether connections that keep theirs have the same VLs under another one. */
#include "route/core/routes_levels.h"
#include "route/core/sl2vl.h"

/* The values of a list with so many rows; none: there is no list. */
static uint32_t levels_in(const struct hd_routes *r, const uint8_t *list, size_t rows)
{
    const size_t n = rows * r->net->nep * r->nvar;
    uint32_t used = 0;
    for (size_t i = 0; list && i < n; i++) used |= 1u << list[i];
    return used;
}

uint32_t hd_levels_used(const struct hd_routes *r)
{
    const size_t nep = r->net->nep;
    if (r->leaf_level || r->pair_level) return levels_in(r, r->leaf_level, r->nleaf) | levels_in(r, r->pair_level, nep);
    switch (r->lane_rule) {
    case HD_LANE_DEST: return levels_in(r, r->dest_lane, 1);
    case HD_LANE_LEAF: return levels_in(r, r->leaf_lane, r->nleaf);
    case HD_LANE_PAIR: return levels_in(r, r->pair_lane, nep);
    case HD_LANE_HOP: return r->leaf_lane ? levels_in(r, r->leaf_lane, r->nleaf) : levels_in(r, r->pair_lane, nep);
    case HD_LANE_ONE: return r->sl2vl ? 1u << HD_LEVEL_UNKNOWN : 1;
    case HD_LANE_UNKNOWN: break;
    }
    return 1u << HD_LEVEL_UNKNOWN;
}

uint32_t hd_level_vl(const struct hd_routes *r, uint32_t level)
{
    const bool one = r->sl2vl && r->lane_rule != HD_LANE_HOP && r->lane_rule != HD_LANE_UNKNOWN;
    if (one) return r->sl2vl->map[0][level];
    return level < r->nlanes ? level : 0;
}

/* Whether a table of all ports gives the levels of r, a set, the VLs that r says. */
static bool levels_fit(const struct hd_routes *r, uint32_t used, const uint8_t map[16])
{
    bool fit = true;
    for (uint32_t level = 0; level < 16; level++)
        if (used >> level & 1)
            fit = fit && map[level] == (r->lane_rule == HD_LANE_ONE ? 0 : r->sl2vl ? r->sl2vl->map[0][level] : level);
    return fit;
}

bool hd_levels_agree(const struct hd_routes *a, const struct hd_routes *b)
{
    const struct hd_sl2vl *old = a->sl2vl ? a->sl2vl : b->sl2vl, *new = b->sl2vl ? b->sl2vl : a->sl2vl;
    uint32_t used[2];
    if (!old) return true;
    if (a->lane_rule == HD_LANE_ONE && b->lane_rule == HD_LANE_ONE && hd_sl2vl_same(old, new)) return true;
    for (int i = 0; i < 2; i++) {
        used[i] = hd_levels_used(i ? b : a);
        if (used[i] >> HD_LEVEL_UNKNOWN) used[i] = HD_ALL_LEVELS;
    }
    for (uint32_t level = 0; level < 16; level++)
        if ((used[0] | used[1]) >> level & 1 && old->map[0][level] != new->map[0][level]) return false;
    return levels_fit(a, used[0], old->map[0]) && levels_fit(b, used[1], new->map[0]);
}
