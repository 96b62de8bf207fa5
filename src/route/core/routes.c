/* SPDX-License-Identifier: BSD-2-Clause */
/* Owning, reading and walking routes. Rows are stored by destination, the order in which engines compute them and
 * checks read them; a path costs one look-up per hop. */
#include "route/core/routes.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/switch_distance.h"
#include "route/core/switch_rows.h"

#include <stdlib.h>
#include <string.h>

hd_status hd_routes_new(struct hd_ctx *ctx, const struct hd_net *net, struct hd_routes **out)
{
    struct hd_routes *r = malloc(sizeof *r);
    if (!r) return hd_fail_memory(ctx);
    *r = (struct hd_routes){.net = net, .nvar = 1, .spec = "", .nlanes = 1};
    if (!HD_NEW_U32(&r->arena, net->nsw, &r->leaf_of, &r->leaf)) {
        hd_routes_free(r);
        return hd_fail_memory(ctx);
    }
    for (uint32_t e = 0; e < net->nep; e++) r->leaf_of[hd_leaf(net, e)] = 1;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (r->leaf_of[v]) r->leaf[r->nleaf] = v;
        r->leaf_of[v] = r->leaf_of[v] ? r->nleaf++ : UINT32_MAX;
    }
    *out = r;
    return HD_OK;
}

hd_status hd_routes_table_unset(struct hd_ctx *ctx, struct hd_routes *r, uint32_t nvar)
{
    if (nvar == 0) return hd_fail(ctx, HD_INPUT, "a table needs one variant at least");
    r->nvar = nvar;
    r->table = hd_alloc(&r->arena, (size_t)r->net->nep * r->net->nsw, nvar);
    return r->table ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_routes_table(struct hd_ctx *ctx, struct hd_routes *r, uint32_t nvar)
{
    HD_TRY(hd_routes_table_unset(ctx, r, nvar));
    size_t row = (size_t)nvar * r->net->nsw;
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t d = 0; d < r->net->nep; d++) memset(r->table + d * row, HD_SLOT_NONE, row);
    return HD_OK;
}

void hd_routes_form(struct hd_routes *r, uint32_t nvar, const struct hd_form *form, void *data)
{
    r->nvar = nvar;
    r->form = form;
    r->data = data;
}

hd_status hd_routes_make(struct hd_ctx *ctx, const struct hd_net *net, uint32_t nvar, struct hd_routes **out)
{
    struct hd_routes *r;
    HD_TRY(hd_routes_new(ctx, net, &r));
    return hd_routes_give(hd_routes_table(ctx, r, nvar), r, out);
}

hd_status hd_routes_give(hd_status s, struct hd_routes *r, struct hd_routes **out)
{
    if (s == HD_OK)
        *out = r;
    else
        hd_routes_free(r);
    return s;
}

void hd_routes_swap(struct hd_routes *a, struct hd_routes *b)
{
    struct hd_routes of_a = *a;
    *a = *b;
    *b = of_a;
}

void hd_routes_free(struct hd_routes *r)
{
    if (!r) return;
    hd_arena_release(&r->arena);
    free(r);
}

const uint8_t *hd_routes_row(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *buf)
{
    if (r->table) return r->table + ((size_t)d * r->nvar + x) * r->net->nsw;
    r->form->row(r, d, x, buf);
    return buf;
}

void hd_routes_switch_row_in(const struct hd_routes *r, uint32_t t, uint8_t *buf, uint8_t *dist, uint32_t *queue)
{
    const struct hd_net *net = r->net;
    if (r->switch_table) {
        memcpy(buf, r->switch_table + (size_t)t * net->nsw, net->nsw);
        return;
    }
    /* A switch with endpoints is reached as its first endpoint is, if that has a path; others by a shortest path. */
    for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        const uint8_t *row = hd_routes_row(r, net->head[c] - net->nsw, 0, buf);
        if (row != buf) memcpy(buf, row, net->nsw);
        hd_switch_row_close(net, t, buf, dist);
        return;
    }
    hd_dist_row(net, t, buf, dist, queue);
}

hd_status hd_routes_switch_row(struct hd_ctx *ctx, const struct hd_routes *r, uint32_t t, uint8_t *buf)
{
    struct hd_arena scratch = {0};
    if (t >= r->net->nsw) return hd_fail(ctx, HD_USAGE, "switch %u: there are %u, counted from 0", t, r->net->nsw);
    uint8_t *dist = HD_NEW(&scratch, uint8_t, r->net->nsw);
    uint32_t *queue = HD_NEW(&scratch, uint32_t, r->net->nsw);
    hd_status s = dist && queue ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) hd_routes_switch_row_in(r, t, buf, dist, queue);
    hd_arena_release(&scratch);
    return s;
}

uint32_t hd_routes_variant(const struct hd_routes *r, uint32_t s, uint32_t d)
{
    if (r->select == HD_SELECT_SOURCE) return r->source_class[s];
    if (r->select == HD_SELECT_PAIR) return r->pair_variant[(size_t)s * r->net->nep + d];
    return 0;
}

uint32_t hd_routes_path(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t chan[HD_MAX_HOPS])
{
    if (r->form) return r->form->path(r, s, d, x, chan);
    return hd_row_path(r->net, r->table + ((size_t)d * r->nvar + x) * r->net->nsw, s, d, chan);
}

uint32_t hd_row_path(const struct hd_net *net, const uint8_t *row, uint32_t s, uint32_t d, uint32_t chan[HD_MAX_HOPS])
{
    uint32_t n = 0, v = hd_leaf(net, s), target = net->nsw + d;
    chan[n++] = net->off[net->nsw + s];
    while (v != target) {
        if (v >= net->nsw || row[v] == HD_SLOT_NONE || n == HD_MAX_HOPS) return 0;
        chan[n] = net->off[v] + row[v];
        v = net->head[chan[n++]];
    }
    return n;
}

uint32_t hd_routes_lane(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    switch (r->lane_rule) {
    case HD_LANE_DEST: return r->dest_lane[(size_t)d * r->nvar + x];
    case HD_LANE_LEAF: return r->leaf_lane[((size_t)r->leaf_of[hd_leaf(r->net, s)] * r->net->nep + d) * r->nvar + x];
    case HD_LANE_HOP:
        if (r->leaf_lane) return r->leaf_lane[((size_t)r->leaf_of[hd_leaf(r->net, s)] * r->net->nep + d) * r->nvar + x];
        /* fall through */
    case HD_LANE_PAIR: return r->pair_lane[((size_t)s * r->net->nep + d) * r->nvar + x];
    case HD_LANE_ONE:
    case HD_LANE_UNKNOWN: break;
    }
    return 0;
}

uint32_t hd_routes_level(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    const size_t at = (size_t)d * r->nvar + x, each = (size_t)r->net->nep * r->nvar;
    if (r->leaf_level) return r->leaf_level[r->leaf_of[hd_leaf(r->net, s)] * each + at];
    if (r->pair_level) return r->pair_level[s * each + at];
    if (r->lane_rule == HD_LANE_UNKNOWN || (r->lane_rule == HD_LANE_ONE && r->sl2vl)) return HD_LEVEL_UNKNOWN;
    return hd_routes_lane(r, s, d, x);
}

uint8_t *hd_routes_entries(struct hd_routes *r, uint32_t d, uint32_t x)
{
    return hd_row(r, d, x);
}
