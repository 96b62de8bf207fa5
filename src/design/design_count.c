/* SPDX-License-Identifier: BSD-2-Clause */
/* What a fabric takes: cables, lengths, power and cost, counted on the generated network.
 *
 * Without a rack plan, cables of endpoints are copper of one metre less than its reach, and those between switches
 * optical of 20 m: what most sites have. With a plan, hosts fill racks in order, the rails of a host together; a switch
 * with endpoints is in the rack in the middle of theirs; the others fill racks of their own in the middle of the floor,
 * where the way to all others is shortest. A cable runs along rows and across aisles, with slack for both ends, and is
 * copper if it is short enough. Cost: one step per cable. */
#include "base/status.h"
#include "design/design_steps.h"

#include <math.h>

enum { FIBRE_METRES = 20 }; /* between switches, without a plan */

struct rack_floor {
    const struct hd_net *net;
    const struct hd_design_racks *plan;
    uint32_t *rack;         /* [nsw] of a switch, before racks for other switches are put in the middle */
    bool *other;            /* [nsw] without endpoints: rack counts those for such switches */
    uint32_t racks, others; /* with endpoints, for other switches */
    uint32_t hosts;         /* of a rack */
};

static uint32_t endpoint_rack(const struct rack_floor *f, uint32_t e)
{
    return f->net->host[e] / f->hosts;
}

/* The position of a rack on the floor: those of other switches are in the middle. */
static uint32_t floor_place(const struct rack_floor *f, uint32_t rack, bool other)
{
    uint32_t half = f->racks / 2;
    return other ? half + rack : rack < half ? rack : rack + f->others;
}

static hd_status floor_init(struct hd_ctx *ctx, struct hd_arena *scratch, struct rack_floor *f)
{
    const struct hd_net *net = f->net;
    uint32_t other = 0;
    f->rack = HD_NEW(scratch, uint32_t, net->nsw);
    f->other = HD_NEW(scratch, bool, net->nsw);
    if (!f->rack || !f->other) return hd_fail_memory(ctx);
    f->hosts = (uint32_t)(f->plan->endpoints / net->nrail);
    if (!f->hosts) f->hosts = 1;
    f->racks = net->nhost / f->hosts + 1;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint64_t sum = 0, n = 0;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] >= net->nsw) {
                sum += endpoint_rack(f, net->head[c] - net->nsw);
                n++;
            }
        f->other[v] = n == 0;
        f->rack[v] = n ? (uint32_t)(sum / n) : other++ / (uint32_t)f->plan->switches;
    }
    f->others = (other + (uint32_t)f->plan->switches - 1) / (uint32_t)f->plan->switches;
    return HD_OK;
}

static double cable_metres(const struct rack_floor *f, uint32_t c)
{
    const struct hd_net *net = f->net;
    uint32_t at[2], row = (uint32_t)f->plan->row;
    const uint32_t node[2] = {net->tail[c], net->head[c]};
    for (int i = 0; i < 2; i++)
        at[i] = node[i] < net->nsw ? floor_place(f, f->rack[node[i]], f->other[node[i]])
                                   : floor_place(f, endpoint_rack(f, node[i] - net->nsw), false);
    if (at[0] == at[1]) return f->plan->inside;
    return fabs((double)(at[0] % row) - at[1] % row) * f->plan->width +
           fabs((double)(at[0] / row) - at[1] / row) * f->plan->aisle + f->plan->slack;
}

struct cable_bill {
    const struct hd_design_prices *price;
    struct hd_design_row *row;
};

static void bill_cable(const struct cable_bill *b, double metres, bool copper)
{
    const struct hd_design_prices *p = b->price;
    struct hd_design_row *row = b->row;
    row->copper += copper;
    row->optical += !copper;
    row->optics += copper ? 0 : 2;
    row->cost += copper ? p->copper + p->copper_metre * metres : 2 * p->optic + p->fibre + p->fibre_metre * metres;
    row->watts += copper ? p->copper_watts : 2 * p->optic_watts;
    row->metres += metres;
    if (metres > row->longest) row->longest = metres;
}

/* Ports that the switches have left: endpoints that fit without another switch. */
static uint64_t free_ports(const struct hd_net *net, uint64_t radix)
{
    uint64_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) n += radix - hd_degree(net, v);
    return n;
}

static hd_status switches_fit(struct hd_ctx *ctx, const struct hd_net *net, uint64_t radix)
{
    for (uint32_t v = 0; v < net->nsw; v++)
        if (hd_degree(net, v) > radix)
            return hd_fail(ctx, HD_LIMIT, "%s: %s has %u cables: expected at most %llu", net->spec,
                           hd_node_label(net, v), hd_degree(net, v), (unsigned long long)radix);
    return HD_OK;
}

hd_status hd_design_count(const struct hd_designing *g, const struct hd_net *net,
                          const struct hd_design_candidate *from, struct hd_design_row *row)
{
    const struct hd_design_prices *price = &g->d->prices;
    uint64_t radix = g->d->in.radix;
    struct hd_arena scratch = {0};
    struct rack_floor f = {.net = net, .plan = g->racks};
    HD_TRY(switches_fit(g->ctx, net, radix));
    hd_status s = g->racks ? floor_init(g->ctx, &scratch, &f) : HD_OK;
    row->endpoints = net->nep;
    row->switches = net->nsw;
    row->cables = net->nchan / 2;
    row->switch_cables = row->cables - net->nep;
    row->planes = from->planes;
    row->lids = (net->nep + net->nsw) / from->planes;
    row->grows_to = from->grows_to ? from->grows_to : net->nep + free_ports(net, radix);
    row->cost = (double)net->nsw * (double)radix * price->switch_port;
    row->watts = (double)net->nsw * (double)radix * price->switch_port_watts;
    const struct cable_bill bill = {price, row};
    for (uint32_t c = 0; s == HD_OK && c < net->nchan; c++) {
        if (c > net->rev[c]) continue;
        bool host = net->head[c] >= net->nsw || net->tail[c] >= net->nsw;
        double metres = g->racks ? cable_metres(&f, c) : host ? fmax(price->copper_reach - 1, 0) : FIBRE_METRES;
        bill_cable(&bill, metres, g->racks ? metres <= price->copper_reach : host);
    }
    if (!g->racks) row->metres = row->longest = NAN;
    hd_arena_release(&scratch);
    return s;
}
