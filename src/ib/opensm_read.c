/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what OpenSM programmed from the simulated nodes, by direct route: the LIDs that it assigned, and the forwarding
 * tables in blocks of 64 entries. Service levels exist only in the subnet manager: one path record is requested per
 * (leaf switch, destination, variant), because the paths from all endpoints of a leaf to a destination are the same
 * from the leaf on. Cost: one datagram each, tens of microseconds. */
#include "base/status.h"
#include "ib/opensm_run.h"

#include <string.h>

enum { BLOCK = 64 };

struct subnet_view {
    struct hd_osm *osm;
    const struct hd_net *net;
    struct hd_routes *r;
    uint32_t nvar;
    const uint32_t *leaves, *leaf_of; /* of the routes */
    uint8_t *switch_rows, *level;     /* of the routes */
    uint32_t *node;                   /* [nnode] of this component, by distance from the host: switches and endpoints */
    uint32_t nnode;
    uint32_t *back; /* [nsw+nep] channel towards the node from the one before it */
    uint8_t *depth; /* [nsw+nep] hops from the host, 255: another component */
    uint16_t *lid;  /* [nsw+nep] assigned */
    uint8_t *lmc;
    uint32_t *sw; /* [nswitch] of this component */
    uint32_t nswitch, nblock;
    uint8_t *lft;          /* [switch * nblock * 64 + lid] */
    uint32_t *leaf, nleaf; /* of this component: numbers among the leaves of the routes */
    uint32_t *ep, nep;     /* endpoints of this component */
    uint8_t lane[16];      /* of a service level */
    struct hd_sl2vl *hops; /* NULL: not asked for */
    uint32_t *pairs;       /* [nswitch + 1] pairs of ports before each switch */
};

static hd_status subnet_view_init(struct hd_ctx *ctx, struct hd_arena *a, struct subnet_view *w)
{
    const struct hd_net *net = w->net;
    size_t n = net->nsw + net->nep;
    w->node = HD_NEW(a, uint32_t, n);
    w->back = HD_NEW(a, uint32_t, n);
    w->depth = HD_NEW(a, uint8_t, n);
    w->lid = HD_NEW(a, uint16_t, n);
    w->lmc = HD_NEW(a, uint8_t, n);
    w->sw = HD_NEW(a, uint32_t, net->nsw);
    w->ep = HD_NEW(a, uint32_t, net->nep);
    w->leaf = HD_NEW(a, uint32_t, hd_routes_nleaf(w->r));
    if (!w->node || !w->back || !w->depth || !w->lid || !w->lmc || !w->sw || !w->ep || !w->leaf)
        return hd_fail_memory(ctx);
    memset(w->depth, 255, n);
    w->depth[w->osm->host] = 0;
    w->node[w->nnode++] = w->osm->host;
    for (uint32_t i = 0; i < w->nnode; i++) {
        uint32_t v = w->node[i];
        if (v >= net->nsw) {
            w->ep[w->nep++] = v - net->nsw;
            continue;
        }
        w->sw[w->nswitch++] = v;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            if (w->depth[net->head[c]] != 255) continue;
            if (w->depth[v] == HD_MAX_DR)
                return hd_fail(ctx, HD_LIMIT, "opensm: '%.80s' is more than %d hops away, the limit of direct routes",
                               hd_node_name(net, net->head[c]), HD_MAX_DR);
            w->depth[net->head[c]] = (uint8_t)(w->depth[v] + 1);
            w->back[net->head[c]] = c;
            w->node[w->nnode++] = net->head[c];
        }
    }
    return HD_OK;
}

static uint32_t ask_direct(const struct subnet_view *w, uint8_t *mad, uint32_t v, uint32_t attribute, uint32_t modifier)
{
    uint8_t port[HD_MAX_DR];
    uint32_t hops = w->depth[v];
    for (uint32_t u = v, i = hops; i-- > 0; u = w->net->tail[w->back[u]]) port[i] = w->net->port[w->back[u]];
    return hd_mad_direct(mad, port, hops, attribute, modifier);
}

static hd_status bad_answer(struct hd_ctx *ctx, const struct subnet_view *w, uint32_t v, const char *what)
{
    return hd_fail(ctx, HD_LIMIT, "ibsim: '%.80s' does not report its %s", hd_node_name(w->net, v), what);
}

/* ---- LIDs ---------------------------------------------------------------------------------- */

static uint32_t make_port_info(void *user, uint32_t i, uint8_t *mad)
{
    const struct subnet_view *w = user;
    return ask_direct(w, mad, w->node[i], HD_SMP_PORT_INFO, 0);
}

static hd_status take_port_info(struct hd_ctx *ctx, void *user, uint32_t i, const uint8_t *mad)
{
    struct subnet_view *w = user;
    if (hd_mad_status(mad)) return bad_answer(ctx, w, w->node[i], "LID");
    w->lid[w->node[i]] = (uint16_t)(mad[HD_MAD_DATA + 16] << 8 | mad[HD_MAD_DATA + 17]);
    w->lmc[w->node[i]] = mad[HD_MAD_DATA + 34] & 7;
    return HD_OK;
}

/* ---- tables -------------------------------------------------------------------------------- */

static uint32_t make_block(void *user, uint32_t i, uint8_t *mad)
{
    const struct subnet_view *w = user;
    return ask_direct(w, mad, w->sw[i / w->nblock], HD_SMP_LFT, i % w->nblock);
}

static hd_status take_block(struct hd_ctx *ctx, void *user, uint32_t i, const uint8_t *mad)
{
    struct subnet_view *w = user;
    if (hd_mad_status(mad)) return bad_answer(ctx, w, w->sw[i / w->nblock], "forwarding table");
    memcpy(w->lft + (size_t)i * BLOCK, mad + HD_MAD_DATA, BLOCK);
    return HD_OK;
}

/* The tables are by switch and LID, ours by destination and switch. */
static void fill_routes(struct subnet_view *w)
{
    const struct hd_net *net = w->net;
    for (uint32_t i = 0; i < w->nswitch; i++) {
        uint32_t v = w->sw[i];
        const uint8_t *lft = w->lft + (size_t)i * w->nblock * BLOCK;
        uint8_t slot[256];
        memset(slot, HD_SLOT_NONE, sizeof slot);
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) slot[net->port[c]] = (uint8_t)(c - net->off[v]);
        for (uint32_t k = 0; k < w->nep; k++) {
            uint32_t d = w->ep[k], lid = w->lid[net->nsw + d], own = 1u << w->lmc[net->nsw + d];
            for (uint32_t x = 0; lid && x < w->nvar; x++) hd_routes_entries(w->r, d, x)[v] = slot[lft[lid + x % own]];
        }
        for (uint32_t k = 0; k < w->nswitch; k++) {
            uint32_t t = w->sw[k];
            if (t != v && w->lid[t]) w->switch_rows[(size_t)t * net->nsw + v] = slot[lft[w->lid[t]]];
        }
    }
}

static hd_status read_tables(struct hd_ctx *ctx, struct hd_arena *a, struct hd_ibsim *sim, struct subnet_view *w)
{
    struct hd_ibsim_round ports = {w->nnode, make_port_info, take_port_info, w, "reading LIDs"};
    HD_TRY(hd_ibsim_ask(ctx, sim, &ports));
    uint32_t last = 0;
    for (uint32_t i = 0; i < w->nnode; i++) {
        uint32_t v = w->node[i], end = w->lid[v] + (1u << w->lmc[v]) - 1;
        if (end > last) last = end;
    }
    w->nblock = last / BLOCK + 1;
    w->lft = HD_NEW(a, uint8_t, (size_t)w->nswitch * w->nblock * BLOCK);
    if (!w->lft) return hd_fail_memory(ctx);
    struct hd_ibsim_round blocks = {w->nswitch * w->nblock, make_block, take_block, w, "reading forwarding tables"};
    HD_TRY(hd_ibsim_ask(ctx, sim, &blocks));
    fill_routes(w);
    return HD_OK;
}

/* ---- service levels ------------------------------------------------------------------------ */

/* An endpoint of the leaf other than d; d if there is none. */
static uint32_t source_on_leaf(const struct subnet_view *w, uint32_t leaf, uint32_t d)
{
    uint32_t v = w->leaves[leaf];
    for (uint32_t c = w->net->off[v]; c < w->net->off[v + 1]; c++) {
        uint32_t u = w->net->head[c];
        if (u >= w->net->nsw && u != w->net->nsw + d && w->lid[u]) return u - w->net->nsw;
    }
    return d;
}

static uint32_t make_path(void *user, uint32_t i, uint8_t *mad)
{
    const struct subnet_view *w = user;
    uint32_t x = i % w->nvar, k = i / w->nvar, d = w->ep[k % w->nep], s = source_on_leaf(w, w->leaf[k / w->nep], d);
    uint32_t to = w->net->nsw + d;
    hd_mad_path(mad, w->lid[w->net->nsw + s], w->lid[to] + x % (1u << w->lmc[to]));
    return w->lid[w->osm->host];
}

static hd_status take_path(struct hd_ctx *ctx, void *user, uint32_t i, const uint8_t *mad)
{
    const struct subnet_view *w = user;
    uint32_t x = i % w->nvar, k = i / w->nvar, d = w->ep[k % w->nep], leaf = w->leaf[k / w->nep];
    (void)ctx;
    if (!hd_mad_status(mad)) w->level[((size_t)leaf * w->net->nep + d) * w->nvar + x] = w->lane[hd_mad_path_sl(mad)];
    return HD_OK;
}

/* DFSSSP spreads the paths of a layer over several VLs, and every answer names one of them at random. Each VL holds
 * paths of one layer only, so the layer is what matters. The number of VLs of each layer follows from the paths in it:
 * the next VL goes to the layer with the most paths per VL. */
static void find_layers(struct subnet_view *w)
{
    const struct hd_osm *osm = w->osm;
    uint32_t lanes[HD_OSM_LAYERS], sl = 0;
    for (uint32_t i = 0; i < 16; i++) w->lane[i] = (uint8_t)i;
    if (!osm->nlayers) return;
    for (uint32_t i = 0; i < osm->nlayers; i++) lanes[i] = 1;
    for (uint32_t n = osm->nlayers; n < osm->vls; n++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < osm->nlayers; i++)
            if (osm->layer[i] * lanes[most] > osm->layer[most] * lanes[i]) most = i;
        lanes[most]++;
    }
    for (uint32_t i = 0; i < osm->nlayers; i++)
        for (uint32_t k = 0; k < lanes[i] && sl < 16; k++) w->lane[sl++] = (uint8_t)i;
}

static hd_status ask_levels(struct hd_ctx *ctx, struct hd_ibsim *sim, struct subnet_view *w)
{
    for (uint32_t i = 0; i < w->nswitch; i++)
        if (w->leaf_of[w->sw[i]] != UINT32_MAX) w->leaf[w->nleaf++] = w->leaf_of[w->sw[i]];
    find_layers(w);
    struct hd_ibsim_round paths = {w->nleaf * w->nep * w->nvar, make_path, take_path, w, "reading service levels"};
    return hd_ibsim_ask(ctx, sim, &paths);
}

/* ---- VLs of service levels --------------------------------------------------------------- */

/* Question i is about a pair of ports; whose switch is found by where its pairs begin. */
static void port_pair(const struct subnet_view *w, uint32_t i, uint32_t *v, uint32_t *in, uint32_t *out)
{
    uint32_t low = 0, high = w->nswitch;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (w->pairs[mid] <= i)
            low = mid;
        else
            high = mid;
    }
    *v = w->sw[low];
    *in = (i - w->pairs[low]) / hd_degree(w->net, *v);
    *out = (i - w->pairs[low]) % hd_degree(w->net, *v);
}

static uint32_t make_sl2vl(void *user, uint32_t i, uint8_t *mad)
{
    const struct subnet_view *w = user;
    uint32_t v, in, out;
    port_pair(w, i, &v, &in, &out);
    const uint8_t *port = w->net->port + w->net->off[v];
    return ask_direct(w, mad, v, HD_SMP_SL2VL, (uint32_t)port[in] << 8 | port[out]);
}

static hd_status take_sl2vl(struct hd_ctx *ctx, void *user, uint32_t i, const uint8_t *mad)
{
    struct subnet_view *w = user;
    uint32_t v, in, out;
    uint8_t lane[16];
    port_pair(w, i, &v, &in, &out);
    if (hd_mad_status(mad)) return bad_answer(ctx, w, v, "SL2VL table");
    for (uint32_t sl = 0; sl < 16; sl++) {
        uint8_t two = mad[HD_MAD_DATA + sl / 2];
        lane[sl] = sl % 2 ? two & 15 : two >> 4;
    }
    return hd_sl2vl_set(ctx, hd_routes_arena(w->r), w->hops, v, in, out, lane);
}

static hd_status ask_sl2vl(struct hd_ctx *ctx, struct hd_arena *a, struct hd_ibsim *sim, struct subnet_view *w)
{
    w->pairs = HD_NEW(a, uint32_t, w->nswitch + 1u);
    if (!w->pairs) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < w->nswitch; i++)
        w->pairs[i + 1] = w->pairs[i] + hd_degree(w->net, w->sw[i]) * hd_degree(w->net, w->sw[i]);
    struct hd_ibsim_round round = {w->pairs[w->nswitch], make_sl2vl, take_sl2vl, w, "reading SL2VL tables"};
    return hd_ibsim_ask(ctx, sim, &round);
}

hd_status hd_osm_read(struct hd_ctx *ctx, struct hd_osm *osm, struct hd_routes *r, bool ask, struct hd_sl2vl *hops)
{
    struct hd_arena scratch = {0};
    struct hd_ibsim sim = {-1, -1, 0};
    struct subnet_view w = {.osm = osm,
                            .net = osm->net,
                            .r = r,
                            .nvar = hd_routes_variants(r),
                            .leaves = hd_routes_leaves(r),
                            .leaf_of = hd_routes_leaf_of(r),
                            .hops = hops};
    hd_status s = hd_routes_switch_rows(ctx, r, &w.switch_rows);
    if (s == HD_OK && ask) s = hd_routes_leaf_levels(ctx, r, &w.level);
    if (s == HD_OK) s = subnet_view_init(ctx, &scratch, &w);
    if (s == HD_OK) s = hd_ibsim_open(ctx, osm->socket_name, osm->node, &sim);
    if (s == HD_OK) s = read_tables(ctx, &scratch, &sim, &w);
    if (s == HD_OK && ask) s = ask_levels(ctx, &sim, &w);
    if (s == HD_OK && hops) s = ask_sl2vl(ctx, &scratch, &sim, &w);
    hd_ibsim_close(&sim);
    hd_arena_release(&scratch);
    return s;
}
