/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files OpenSM reads.
 *     guid2lid     0x<port GUID> 0x<first LID> 0x<last LID>, and a blank line behind each: without it
 *                  OpenSM ignores the whole file
 *     lid matrix   per switch and switch LID the hops by port, least ones first, ff: none
 *     GUID lists   one per line
 * And one that no program reads: path bits, lines of 0x<port GUID> <number>, which of the LIDs of any destination an
 * endpoint must send to. */
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/io/route_formats.h"
#include "route/core/routes.h"

void hd_guid2lid_put(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_lids *lids, struct hd_out *o)
{
    for (uint32_t v = 0; v < net->nsw + net->nep; v++)
        hd_printf(o, "0x%016llx 0x%04x 0x%04x\n\n", (unsigned long long)net->guid[v], lids->base[v],
                  lids->base[v] + (v < net->nsw ? hd_lids_count(lids, net, v) : 1u << lids->lmc) - 1);
    uint32_t more = 0;
    for (uint32_t e = 0; e < net->nep; e++) more += lids->lmc_of[e] > lids->lmc;
    if (more)
        hd_note(ctx, "guid2lid: OpenSM has one LMC for all ports, %u here; endpoints that have more LIDs now: %u",
                lids->lmc, more);
}

hd_status hd_write_guid2lid(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    hd_status s = hd_lids_plan_even(ctx, &scratch, r->net, r->nvar, &lids);
    if (s == HD_OK) hd_guid2lid_put(ctx, r->net, &lids, o);
    hd_arena_release(&scratch);
    return s;
}

/* Hops from v by each port to the switch that dist leads to. */
static void put_hops(const struct hd_net *net, const uint8_t *dist, uint32_t v, struct hd_out *o)
{
    uint32_t c = net->off[v];
    hd_printf(o, " %02x", dist[v]);
    for (uint32_t port = 1; port <= net->nports[v]; port++) {
        bool cabled = c < net->off[v + 1] && net->port[c] == port;
        uint32_t u = cabled ? net->head[c++] : UINT32_MAX;
        bool there = u < net->nsw && dist[u] < HD_FAR - 1;
        hd_printf(o, " %02x", there ? dist[u] + 1u : 0xffu);
    }
}

hd_status hd_write_lid_matrix(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    uint8_t *dist;
    hd_status s = hd_lids_plan_even(ctx, &scratch, net, r->nvar, &lids);
    if (s == HD_OK) s = hd_dist_table(ctx, &scratch, net, NULL, net->nsw, &dist);
    for (uint32_t v = 0; s == HD_OK && v < net->nsw; v++) {
        hd_printf(o, "Switch: guid 0x%016llx\n", (unsigned long long)net->guid[v]);
        for (uint32_t t = 0; t < net->nsw; t++) {
            hd_printf(o, "0x%04x:", lids.base[t]);
            put_hops(net, dist + (size_t)t * net->nsw, v, o);
            hd_printf(o, " # portguid 0x%016llx\n", (unsigned long long)net->guid[t]);
        }
    }
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_write_roots(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    uint8_t top = 0;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] != HD_NO_LEVEL && net->level[v] > top) top = net->level[v];
    if (!top || (top == 1 && net->nsw > 1))
        return hd_fail(ctx, HD_INPUT, "%.200s: has no levels, so no switch is a root", net->spec);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] == top) hd_printf(o, "0x%016llx\n", (unsigned long long)net->guid[v]);
    return HD_OK;
}

hd_status hd_write_cns(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    (void)ctx;
    for (uint32_t i = 0; i < net->nsel; i++)
        hd_printf(o, "0x%016llx\n", (unsigned long long)net->guid[net->nsw + net->sel[i]]);
    return HD_OK;
}

hd_status hd_write_order(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    (void)ctx;
    for (uint32_t e = 0; e < net->nep; e++) hd_printf(o, "0x%016llx\n", (unsigned long long)net->guid[net->nsw + e]);
    return HD_OK;
}

hd_status hd_write_path_bits(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    if (r->nvar > 1 && r->select != HD_SELECT_SOURCE)
        return hd_fail(ctx, HD_INPUT, "%.200s: no path bits: the LID does not depend on the source alone", r->spec);
    for (uint32_t e = 0; e < net->nep; e++)
        hd_printf(o, "0x%016llx %u\n", (unsigned long long)net->guid[net->nsw + e],
                  r->nvar > 1 ? r->source_class[e] : 0);
    return HD_OK;
}
