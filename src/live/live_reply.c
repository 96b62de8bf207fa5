/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a reply: tables in the order of the request's switches, and service levels by source and destination LID. A
 * row of levels is shared by all sources that the VL rule does not distinguish: one for all, one per leaf switch, or
 * one per endpoint. Also counts what changes against the tables of the request, in entries and in blocks of 64, the
 * unit in which a subnet manager writes them. Cost: O(table), in parallel. */
#include "base/keyed.h"
#include "base/status.h"
#include "base/threads.h"
#include "live/live.h"
#include "live/live_plan.h"
#include "net/core/guid_index.h"
#include "route/core/lft_ports.h"
#include "route/core/routes_view.h"

#include <string.h>

enum { REPLY_BLOCK = 64 };

struct reply_writer {
    const struct hd_live_choice *choice;
    const struct hd_routes *r;
    struct hd_arena *a;
    uint32_t *place; /* [nsw] number of the switch in the request */
    struct hd_lid_range *range;
    uint32_t nrange;
    uint32_t sl_rows;
    const uint32_t *source; /* [sl_rows] an endpoint of each row */
};

static bool writer_add(struct reply_writer *w, uint32_t lid, uint32_t lmc, uint32_t node)
{
    const uint32_t last = w->choice->request->head->last_lid, count = 1u << lmc;
    if (!lid) return true;
    if (lid + count - 1 > last) return false;
    w->range[w->nrange++] = (struct hd_lid_range){lid, count, node};
    return true;
}

static hd_status writer_sort(struct hd_ctx *ctx, struct reply_writer *w)
{
    struct hd_keyed *key = HD_NEW(w->a, struct hd_keyed, w->nrange);
    struct hd_lid_range *sorted = HD_NEW(w->a, struct hd_lid_range, w->nrange);
    if (!key || !sorted) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < w->nrange; i++) key[i] = (struct hd_keyed){w->range[i].lid, i};
    hd_keyed_sort(key, w->nrange, sizeof *key);
    for (uint32_t i = 0; i < w->nrange; i++) {
        sorted[i] = w->range[key[i].value];
        if (i && sorted[i - 1].lid + sorted[i - 1].count > sorted[i].lid)
            return hd_fail(ctx, HD_INPUT, "LID %u occurs twice", sorted[i].lid);
    }
    w->range = sorted;
    return HD_OK;
}

/* Which LIDs belong to which node, and where the table of each switch goes. */
static hd_status writer_lids(struct hd_ctx *ctx, struct reply_writer *w)
{
    const struct hd_fabric_parts *p = w->choice->request;
    const struct hd_net *net = w->choice->net;
    struct hd_guid_index guids;
    bool fits = true;
    w->place = HD_NEW(w->a, uint32_t, net->nsw);
    w->range = HD_NEW(w->a, struct hd_lid_range, (size_t)p->head->switches + p->head->ports);
    if (!w->place || !w->range) return hd_fail_memory(ctx);
    HD_TRY(hd_guid_index_init(ctx, w->a, net, &guids));
    for (uint32_t i = 0; i < p->head->switches; i++) {
        const uint32_t v = hd_guid_switch(&guids, p->node[i].guid);
        if (v == UINT32_MAX) return hd_fail(ctx, HD_INPUT, "a switch was left out of the network");
        w->place[v] = i;
        fits &= writer_add(w, p->node[i].lid, p->node[i].lmc, v);
    }
    for (uint32_t i = 0; i < p->head->ports; i++) {
        const struct hd_fabric_port *port = &p->port[i];
        const uint32_t e =
            !port->port || port->node < p->head->switches ? UINT32_MAX : hd_guid_endpoint(&guids, port->guid);
        if (e != UINT32_MAX) fits &= writer_add(w, port->lid, port->lmc, net->nsw + e);
    }
    return fits ? writer_sort(ctx, w) : hd_fail(ctx, HD_INPUT, "a LID is above the largest one");
}

/* ---- service levels -------------------------------------------------------------------------- */

static hd_status writer_sources(struct hd_ctx *ctx, struct reply_writer *w)
{
    const struct hd_net *net = w->choice->net;
    const uint32_t *leaf_of = hd_routes_leaf_of(w->r);
    const enum hd_lane_rule rule = hd_routes_lane_rule(w->r);
    if (hd_routes_lanes(w->r) <= 1) return HD_OK;
    w->sl_rows = rule == HD_LANE_PAIR ? net->nep : rule == HD_LANE_LEAF ? hd_routes_nleaf(w->r) : 1;
    uint32_t *source = HD_NEW(w->a, uint32_t, w->sl_rows);
    if (!source) return hd_fail_memory(ctx);
    for (uint32_t e = net->nep; e-- > 0;)
        source[rule == HD_LANE_PAIR ? e : rule == HD_LANE_LEAF ? leaf_of[hd_leaf(net, e)] : 0] = e;
    w->source = source;
    return HD_OK;
}

static void writer_levels(struct hd_ctx *ctx, const struct reply_writer *w, uint32_t *row, uint8_t *level)
{
    const struct hd_net *net = w->choice->net;
    const uint32_t *leaf_of = hd_routes_leaf_of(w->r), variants = hd_routes_variants(w->r);
    const enum hd_lane_rule rule = hd_routes_lane_rule(w->r);
    const size_t lids = w->choice->request->head->last_lid + (size_t)1;
    memset(row, 0xff, lids * sizeof *row);
    for (uint32_t i = 0; i < w->nrange; i++) {
        const struct hd_lid_range *g = &w->range[i];
        if (g->node < net->nsw) continue;
        const uint32_t e = g->node - net->nsw;
        const uint32_t own = rule == HD_LANE_PAIR ? e : rule == HD_LANE_LEAF ? leaf_of[hd_leaf(net, e)] : 0;
        for (uint32_t k = 0; k < g->count; k++) row[g->lid + k] = own;
    }
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t q = 0; q < w->sl_rows; q++)
        for (uint32_t i = 0; i < w->nrange; i++) {
            const struct hd_lid_range *g = &w->range[i];
            if (g->node < net->nsw) continue;
            for (uint32_t k = 0; k < g->count; k++)
                level[q * lids + g->lid + k] =
                    (uint8_t)hd_routes_lane(w->r, w->source[q], g->node - net->nsw, k % variants);
        }
}

/* ---- what changes ---------------------------------------------------------------------------- */

static void writer_count(struct hd_ctx *ctx, const struct reply_writer *w, const uint8_t *table,
                         struct hd_live_outcome *o)
{
    const struct hd_fabric_head *h = w->choice->request->head;
    const size_t lids = h->last_lid + (size_t)1;
    uint64_t entries = 0, blocks = 0, switches = 0;
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx)) reduction(+ : entries, blocks, switches)
    for (uint32_t i = 0; i < h->switches; i++) {
        const uint8_t *is = table + i * lids, *was = w->choice->request->table + i * lids;
        uint64_t changed = 0;
        for (size_t first = 0; first < lids; first += REPLY_BLOCK) {
            const size_t n = lids - first < REPLY_BLOCK ? lids - first : REPLY_BLOCK;
            uint32_t differ = 0;
            if (memcmp(is + first, was + first, n) == 0) continue;
            changed++;
            for (size_t k = first; k < first + n; k++) differ += is[k] != was[k];
            entries += differ;
        }
        blocks += changed;
        switches += changed > 0;
    }
    o->entries_changed = entries;
    o->blocks_changed = blocks;
    o->switches_changed = switches;
}

/* ---- the reply ------------------------------------------------------------------------------- */

static hd_status reply_with_tables(struct hd_live *live, struct reply_writer *w, struct hd_live_outcome *o)
{
    struct hd_ctx *ctx = live->ctx;
    const struct hd_fabric_head *h = w->choice->request->head;
    HD_TRY(writer_lids(ctx, w));
    HD_TRY(writer_sources(ctx, w));
    struct hd_reply_head head = {.magic = HD_REPLY_MAGIC,
                                 .switches = h->switches,
                                 .last_lid = h->last_lid,
                                 .vls = hd_routes_lanes(w->r),
                                 .sl_rows = w->sl_rows,
                                 .more = !o->more  ? 0
                                         : o->same ? HD_MORE_SAME
                                                   : HD_MORE_NEW,
                                 .text = HD_LIVE_LINE};
    head.bytes = hd_reply_bytes(&head);
    struct hd_reply_head *to = w->choice->port->room(w->choice->port->user, head.bytes);
    if (!to) return hd_fail_memory(ctx);
    *to = head;
    const size_t lids = h->last_lid + (size_t)1;
    uint32_t *row = (uint32_t *)(void *)(to + 1);
    uint8_t *table = (uint8_t *)(row + (w->sl_rows ? lids : 0)), *level = table + h->switches * lids;
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t i = 0; i < h->switches; i++) memset(table + i * lids, HD_FABRIC_NO_PORT, lids);
    HD_TRY(hd_lft_ports(ctx, w->r, w->range, w->nrange, w->place, lids, table));
    if (w->sl_rows) writer_levels(ctx, w, row, level);
    writer_count(ctx, w, table, o);
    if (live->plan) hd_live_plan_handed(live->plan, w->choice->request, table);
    o->tables = true;
    hd_live_line(live, o, (char *)level + w->sl_rows * lids);
    return HD_OK;
}

hd_status hd_live_refuse(struct hd_live *live, const struct hd_live_port *port, struct hd_live_outcome *o)
{
    struct hd_reply_head head = {.magic = HD_REPLY_MAGIC, .text = HD_LIVE_LINE};
    head.bytes = hd_reply_bytes(&head);
    struct hd_reply_head *to = port->room(port->user, head.bytes);
    if (!to) return hd_fail_memory(live->ctx);
    *to = head;
    o->tables = false;
    hd_live_line(live, o, (char *)(to + 1));
    return HD_OK;
}

hd_status hd_live_reply(struct hd_live *live, const struct hd_live_choice *choice, const struct hd_routes *r,
                        struct hd_live_outcome *o)
{
    struct hd_arena scratch = {0};
    struct reply_writer w = {.choice = choice, .r = r, .a = &scratch};
    const hd_status s = reply_with_tables(live, &w, o);
    hd_arena_release(&scratch);
    return s;
}
