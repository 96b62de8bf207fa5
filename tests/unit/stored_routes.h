/* SPDX-License-Identifier: BSD-2-Clause */
/* The same routes with every row stored: what a closed form must agree with. */
#ifndef STORED_ROUTES_H
#define STORED_ROUTES_H

#include "testing.h"

#include "route/core/routes.h"
#include "route/core/routes_build.h"
#include "route/core/sl2vl.h"

#include <string.h>

static inline void *stored_copy(struct hd_arena *a, const void *from, size_t n, size_t size)
{
    void *to = from ? hd_alloc(a, n, size) : NULL;
    assert_true(!from == !to);
    if (to) memcpy(to, from, n * size);
    return to;
}

static inline struct hd_sl2vl *stored_sl2vl(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_sl2vl *m)
{
    struct hd_sl2vl *c;
    uint32_t map;
    assert_int_equal(hd_sl2vl_make(ctx, a, m->net, &c), HD_OK);
    for (uint32_t i = 0; i < m->nmap; i++) assert_int_equal(hd_sl2vl_add(ctx, a, c, m->map[i], &map), HD_OK);
    memcpy(c->which, m->which, m->first[m->net->nsw] * sizeof *c->which);
    return c;
}

static inline struct hd_routes *store_routes(struct hd_ctx *ctx, const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    size_t nep = net->nep, nvar = r->nvar;
    struct hd_routes *c;
    assert_int_equal(hd_routes_new(ctx, net, &c), HD_OK);
    assert_int_equal(hd_routes_table_unset(ctx, c, r->nvar), HD_OK);
    c->select = r->select;
    c->lane_rule = r->lane_rule;
    c->nlanes = r->nlanes;
    c->spec = stored_copy(&c->arena, r->spec, strlen(r->spec) + 1, 1);
    c->source_class = stored_copy(&c->arena, r->source_class, nep, 2);
    c->pair_variant = stored_copy(&c->arena, r->pair_variant, nep * nep, 2);
    c->switch_table = stored_copy(&c->arena, r->switch_table, (size_t)net->nsw * net->nsw, 1);
    c->dest_lane = stored_copy(&c->arena, r->dest_lane, nep * nvar, 1);
    c->leaf_lane = stored_copy(&c->arena, r->leaf_lane, r->nleaf * nep * nvar, 1);
    c->pair_lane = stored_copy(&c->arena, r->pair_lane, nep * nep * nvar, 1);
    c->leaf_level = stored_copy(&c->arena, r->leaf_level, r->nleaf * nep * nvar, 1);
    c->pair_level = stored_copy(&c->arena, r->pair_level, nep * nep * nvar, 1);
    if (r->sl2vl) c->sl2vl = stored_sl2vl(ctx, &c->arena, r->sl2vl);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            uint8_t *to = hd_row(c, d, x);
            const uint8_t *from = hd_routes_row(r, d, x, to);
            if (from != to) memcpy(to, from, net->nsw);
        }
    return c;
}

#endif
