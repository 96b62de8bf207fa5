/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading routes from outside src/route. These are functions, not fields, so that the representation of routes can
 * change in one folder; each costs one call and gives an array or a number for a whole loop. */
#include "route/core/routes_view.h"
#include "route/core/routes.h"

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

const uint8_t *hd_routes_stored(const struct hd_routes *r)
{
    return r->table;
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
