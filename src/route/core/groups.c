/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of ports. A switch keeps each set once; which one an entry has is found by looking at those it has, last
 * first, because destinations that follow each other mostly share it; if they are many, by an open hash table that is
 * at most half full. Cost: two bytes per entry, O(1) per lookup. */
#include "route/core/groups.h"
#include "base/hash.h"
#include "base/status.h"

#include <string.h>

hd_status hd_groups_make(struct hd_ctx *ctx, struct hd_routes *r)
{
    struct hd_groups *g = HD_NEW(&r->arena, struct hd_groups, 1);
    if (!g) return hd_fail_memory(ctx);
    g->at = HD_NEW(&r->arena, struct hd_switch_groups, r->net->nsw);
    g->of = HD_NEW(&r->arena, uint16_t, (size_t)r->net->nep * r->nvar * r->net->nsw);
    if (!g->at || !g->of) return hd_fail_memory(ctx);
    r->groups = g;
    return HD_OK;
}

enum { FEW = 16 }; /* groups that are looked through one by one */

static uint32_t groups_hash(const struct hd_port_set *set)
{
    uint64_t h = 0;
    for (int i = 0; i < HD_SET_WORDS; i++) h = hd_hash_mix(h ^ set->word[i]);
    return (uint32_t)(h >> 32);
}

/* The place of a set in the index, or the free one where it belongs. */
static uint32_t *groups_place(const struct hd_switch_groups *g, const struct hd_port_set *set)
{
    uint32_t i = groups_hash(set) & (g->places - 1);
    while (g->index[i] && memcmp(&g->set[g->index[i] - 1], set, sizeof *set) != 0) i = (i + 1) & (g->places - 1);
    return &g->index[i];
}

/* The number of a group that is there, 0: none has these ports. */
static uint32_t groups_find(const struct hd_switch_groups *g, const struct hd_port_set *set)
{
    if (g->n && memcmp(&g->set[g->n - 1], set, sizeof *set) == 0) return g->n;
    if (g->places) return *groups_place(g, set);
    for (uint32_t i = g->n; i-- > 0;)
        if (memcmp(&g->set[i], set, sizeof *set) == 0) return i + 1;
    return 0;
}

/* Room in the index for one more; false: out of memory. */
static bool groups_grow(struct hd_arena *arena, struct hd_switch_groups *g)
{
    if (g->n < FEW || 2 * (g->n + 1) <= g->places) return true;
    const uint32_t places = g->places ? 2 * g->places : 4 * FEW;
    uint32_t *index = HD_NEW(arena, uint32_t, places);
    if (!index) return false;
    g->index = index;
    g->places = places;
    for (uint32_t i = 0; i < g->n; i++) *groups_place(g, &g->set[i]) = i + 1;
    return true;
}

hd_status hd_groups_number(struct hd_ctx *ctx, struct hd_routes *r, uint32_t v, const struct hd_port_set *set,
                           uint16_t *number)
{
    struct hd_switch_groups *g = &r->groups->at[v];
    const uint32_t found = groups_find(g, set);
    *number = (uint16_t)found;
    if (found) return HD_OK;
    if (g->n == HD_MAX_GROUPS)
        return hd_fail(ctx, HD_NA, "'%.100s' needs more than %d groups of ports", hd_node_name(r->net, v),
                       HD_MAX_GROUPS);
    if (!HD_MORE(&r->arena, g->set, g->n, g->room) || !groups_grow(&r->arena, g)) return hd_fail_memory(ctx);
    g->set[g->n++] = *set;
    if (g->places) *groups_place(g, set) = g->n;
    *number = (uint16_t)g->n;
    return HD_OK;
}

hd_status hd_groups_set(struct hd_ctx *ctx, struct hd_routes *r, uint32_t d, uint32_t v, const struct hd_port_set *set)
{
    const uint32_t n = hd_set_count(set);
    const uint8_t slot = hd_row(r, d, 0)[v];
    if (n == 0 || (n == 1 && slot != HD_SLOT_NONE && hd_set_has(set, slot))) return HD_OK;
    return hd_groups_number(ctx, r, v, set, &r->groups->of[(size_t)d * r->nvar * r->net->nsw + v]);
}

bool hd_routes_adaptive(const struct hd_routes *r)
{
    return r->groups != NULL;
}
