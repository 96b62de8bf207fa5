/* SPDX-License-Identifier: BSD-2-Clause */
/* What ibdmchk of ibutils reads, so that a program that shares nothing with us judges routes too.
 *     opensm-subnet.lst   one line per direction of each cable, all numbers hexadecimal
 *     opensm.fdbs         forwarding tables; hops are least ones, as OpenSM reports them
 *     PSL                 0x<adapter GUID> <destination LID> <service level>, for every pair
 *     SLVL                0x<switch GUID> <in port> <out port> and 16 VLs, two per byte; written where a
 *                         service level is not its own VL, which is what ibdmchk takes for granted
 * It knows one LID per port. */
#include "base/escape.h"
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/core/lid_view.h"
#include "route/core/routes_levels.h"
#include "route/io/route_formats.h"
#include "route/core/sl2vl.h"

#include <stdio.h>
#include <string.h>

static hd_status ibdm_plan(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, struct hd_lids *lids)
{
    HD_TRY(hd_lids_plan(ctx, a, r->net, r->nvar, lids));
    if (lids->lmc)
        return hd_fail(ctx, HD_INPUT, "ibdmchk supports one LID per port, these routes have %u", 1u << lids->lmc);
    const uint32_t v = hd_lids_several(lids, r->net);
    if (v == UINT32_MAX) return HD_OK;
    return hd_fail(ctx, HD_INPUT, "ibdmchk supports one LID per port, '%.80s' has %u", hd_node_name(r->net, v),
                   hd_lids_count(lids, r->net, v));
}

/* ---- fdbs ---------------------------------------------------------------------------------- */

static void ibdm_put_entry(const struct hd_lft_view *w, const uint8_t *dist, uint32_t v, uint32_t lid, struct hd_out *o)
{
    const struct hd_net *net = w->r->net;
    uint32_t port = hd_lft_port(w, v, lid), sw, to = w->owner[lid] - 1;
    uint32_t near = to < net->nsw ? to : hd_leaf(net, to - net->nsw), behind = to < net->nsw ? 0 : 1;
    uint32_t least = dist[(size_t)near * net->nsw + v] + behind;
    if (port == HD_LFT_HOLE) {
        hd_printf(o, "0x%04X : UNREACHABLE\n", lid);
        return;
    }
    if (to == v) {
        hd_printf(o, "0x%04X : %03u  : 00   : yes\n", lid, port);
        return;
    }
    uint32_t next = net->head[net->off[v] + hd_lft_row(w, lid, &sw)[v]];
    uint32_t hops = next >= net->nsw ? 1 : dist[(size_t)near * net->nsw + next] + behind + 1;
    hd_printf(o, "0x%04X : %03u  : %02u   : ", lid, port, hops);
    if (hops == least)
        hd_puts(o, "yes\n");
    else
        hd_printf(o, "No %u hop path possible via port %u!\n", least, port);
}

hd_status hd_write_fdbs(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    struct hd_arena scratch = {0};
    struct hd_lft_view view;
    struct hd_lids lids;
    uint8_t *dist;
    hd_status s = ibdm_plan(ctx, &scratch, r, &lids);
    if (s == HD_OK) s = hd_lft_view_init(ctx, &scratch, r, lids, &view);
    if (s == HD_OK) s = hd_dist_table(ctx, &scratch, net, NULL, net->nsw, &dist);
    for (uint32_t v = 0; s == HD_OK && v < net->nsw; v++) {
        hd_printf(o, "dump_ucast_routes: Switch 0x%016llx\nLID    : Port : Hops : Optimal\n",
                  (unsigned long long)net->guid[v]);
        for (uint32_t lid = 1; lid <= lids.last; lid++)
            if (view.owner[lid]) ibdm_put_entry(&view, dist, v, lid, o);
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- subnet.lst ---------------------------------------------------------------------------- */

/* Braces end a name. */
static void ibdm_safe_name(const char *name, char out[65])
{
    size_t n = 0;
    for (; name[n] && n < 64; n++) out[n] = strchr("{}", name[n]) ? '_' : name[n];
    hd_replace_controls(out, n, '_');
    out[n] = 0;
}

static void put_end(const struct hd_net *net, uint32_t c, uint32_t lid, struct hd_out *o)
{
    uint32_t v = net->tail[c], a = v < net->nsw ? 0 : net->ca[v - net->nsw];
    bool sw = v < net->nsw;
    char name[65];
    ibdm_safe_name(hd_node_name(net, v), name);
    const char *kind = sw ? "SW" : net->ca_role[a] == HD_ROLE_ROUTER ? "Rt" : "CA";
    uint64_t node = sw ? net->guid[v] : net->ca_guid[a], system = net->system[sw ? v : net->nsw + a];
    hd_printf(
        o, "{ %s Ports:%02X SystemGUID:%016llx NodeGUID:%016llx PortGUID:%016llx VenID:0002C9 DevID:%s Rev:000000A1 ",
        kind, sw ? net->nports[v] : net->ca_ports[a], (unsigned long long)system, (unsigned long long)node,
        (unsigned long long)net->guid[v], sw ? "BD36" : "1003");
    hd_printf(o, "{%s} LID:%04X PN:%02X }", name, lid, net->port[c]);
}

/* "4xQDR" as width and speed of a lane: PHY=4x SPD=10. */
static void put_link(uint8_t link, struct hd_out *o)
{
    static const struct {
        const char *name, *speed;
    } speeds[] = {{"SDR", "2.5"}, {"DDR", "5"},  {"QDR", "10"},  {"FDR10", "10"}, {"FDR", "14"},
                  {"EDR", "25"},  {"HDR", "50"}, {"NDR", "100"}, {"XDR", "200"}};
    const char *name = hd_link_name(link), *x = strchr(name, 'x'), *speed = "10";
    for (size_t i = 0; x && i < sizeof speeds / sizeof speeds[0]; i++)
        if (strcmp(x + 1, speeds[i].name) == 0) speed = speeds[i].speed;
    hd_printf(o, " PHY=%.*s LOG=ACT SPD=%s\n", x ? (int)(x - name) + 1 : 2, x ? name : "4x", speed);
}

hd_status hd_write_subnet(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    hd_status s = hd_lids_plan(ctx, &scratch, net, r->nvar, &lids);
    for (uint32_t c = 0; s == HD_OK && c < net->nchan; c++) {
        put_end(net, c, lids.base[net->tail[c]], o);
        hd_puts(o, " ");
        put_end(net, net->rev[c], lids.base[net->head[c]], o);
        put_link(net->link[c], o);
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- lanes --------------------------------------------------------------------------------- */

static hd_status lanes_known(struct hd_ctx *ctx, const struct hd_routes *r)
{
    if (r->lane_rule != HD_LANE_UNKNOWN) return HD_OK;
    return hd_fail(ctx, HD_INPUT, "%.200s: the VLs are not known", r->spec);
}

/* A pair with one VL whatever its service level is given level 0. */
static uint32_t ibdm_level(const struct hd_routes *r, uint32_t s, uint32_t d)
{
    const uint32_t level = hd_routes_level(r, s, d, 0);
    return level == HD_LEVEL_UNKNOWN ? 0 : level;
}

/* Sources are listed by adapter: for each destination the first port of it, and for that port the second, if there is
 * one. Further ports must agree. */
static hd_status ibdm_put_source(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_lids *lids, uint32_t s,
                                 const uint32_t ports[2], struct hd_out *o)
{
    const struct hd_net *net = r->net;
    for (uint32_t d = 0; d < net->nep; d++) {
        const uint32_t speaker = ports[d == ports[0]];
        if (s == d) continue;
        uint32_t level = ibdm_level(r, s, d);
        if (speaker != s && ibdm_level(r, speaker, d) != level)
            return hd_fail(ctx, HD_INPUT,
                           "the ports of '%.80s' use different VLs: ibdmchk reads service levels per adapter",
                           hd_node_name(net, net->nsw + s));
        if (speaker == s)
            hd_printf(o, "0x%016llx %u %u\n", (unsigned long long)net->ca_guid[net->ca[s]], lids->base[net->nsw + d],
                      level);
    }
    return HD_OK;
}

hd_status hd_write_psl(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    uint32_t *ports = HD_NEW(&scratch, uint32_t, 2 * (size_t)net->nca); /* the first two endpoints of each adapter */
    hd_status s = ports ? lanes_known(ctx, r) : hd_fail_memory(ctx);
    if (s == HD_OK) s = ibdm_plan(ctx, &scratch, r, &lids);
    for (size_t i = 0; s == HD_OK && i < 2 * (size_t)net->nca; i++) ports[i] = UINT32_MAX;
    for (uint32_t e = 0; s == HD_OK && e < net->nep; e++) {
        uint32_t *of = ports + 2 * (size_t)net->ca[e];
        if (of[1] == UINT32_MAX) of[of[0] != UINT32_MAX] = e;
        s = ibdm_put_source(ctx, r, &lids, e, of, o);
    }
    hd_arena_release(&scratch);
    return s;
}

/* Lane of a level between ports of a switch: slots, in + 1 and 0 for the switch itself. */
static uint32_t lane_of(const struct hd_routes *r, uint32_t v, uint32_t in, uint32_t out, uint32_t level)
{
    uint32_t which = r->lane_rule == HD_LANE_HOP && in ? *hd_sl2vl_at(r->sl2vl, v, in - 1, out) : 0;
    return which ? r->sl2vl->map[which - 1][level] : hd_level_vl(r, level);
}

hd_status hd_write_slvl(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    HD_TRY(lanes_known(ctx, r));
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t in = 0; in <= hd_degree(net, v); in++) /* port 0 is the switch itself */
            for (uint32_t out = 0; out < hd_degree(net, v); out++) {
                hd_printf(o, "0x%016llx %u %u", (unsigned long long)net->guid[v],
                          in ? net->port[net->off[v] + in - 1] : 0, net->port[net->off[v] + out]);
                for (uint32_t i = 0; i < 16; i += 2)
                    hd_printf(o, " 0x%x%x", lane_of(r, v, in, out, i), lane_of(r, v, in, out, i + 1));
                hd_puts(o, "\n");
            }
    return HD_OK;
}
