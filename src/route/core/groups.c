/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of ports. A switch keeps each set once; which one an entry has is found by looking at those it has, last
 * first, because destinations that follow each other mostly share it. Cost: two bytes per entry. */
#include "route/core/groups.h"
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

hd_status hd_groups_number(struct hd_ctx *ctx, struct hd_routes *r, uint32_t v, const struct hd_port_set *set,
                           uint16_t *number)
{
    struct hd_switch_groups *g = &r->groups->at[v];
    for (uint32_t i = g->n; i-- > 0;)
        if (memcmp(&g->set[i], set, sizeof *set) == 0) {
            *number = (uint16_t)(i + 1);
            return HD_OK;
        }
    if (g->n == HD_MAX_GROUPS)
        return hd_fail(ctx, HD_LIMIT, "'%.100s' needs more than %d groups of ports", hd_node_name(r->net, v),
                       HD_MAX_GROUPS);
    if (!HD_MORE(&r->arena, g->set, g->n, g->room)) return hd_fail_memory(ctx);
    g->set[g->n++] = *set;
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
