/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenSM as an engine like any other: ibsim simulates the network, the real OpenSM routes it there, and its tables and
 * service levels are read back. OpenSM sees only what it is connected to, so each component with endpoints gets a sweep
 * of its own. LIDs are those of the network, or those that our own tables would use. Cost: OpenSM's own, and tens of
 * microseconds per block of 64 entries and per service level. */
#include "base/status.h"
#include "ib/engine_opensm.h"
#include "ib/opensm_run.h"
#include "net/core/shape.h"
#include "route/io/fmt_service_levels.h"
#include "route/kernel/root_switches.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum opensm_engine { MINHOP, UPDN, DNUP, FTREE, LASH, DOR, SSSP, DFSSSP, NUE, TORUS, TABLE };
#define ENGINES "minhop|updn|dnup|ftree|lash|dor|sssp|dfsssp|nue|torus-2QoS|file"
static const char *const engine_name[] = {"minhop", "updn",   "dnup", "ftree",      "lash", "dor",
                                          "sssp",   "dfsssp", "nue",  "torus-2QoS", "file"};

struct opensm_opt {
    int engine, use;
    const char *roots, *table, *programs;
    uint64_t lmc, vls, ask;
    double limit;
};

/* ---- torus-2QoS ---------------------------------------------------------------------------- */

/* The switch one step along dimension i, UINT32_MAX: none, or the same as one step in the other direction. */
static uint32_t torus_neighbour(const struct hd_net *net, const struct hd_shape_index *index, uint32_t v, uint32_t i,
                                int by)
{
    const struct hd_shape *s = &net->shape;
    uint16_t at[HD_MAX_DIM];
    memcpy(at, hd_coord(net, v), s->n * sizeof *at);
    int to = at[i] + by, m = (int)s->m[i];
    if (m == 1 || (m == 2 && by < 0) || ((to < 0 || to >= m) && s->w[i] != HD_RING)) return UINT32_MAX;
    at[i] = (uint16_t)((to + m) % m);
    uint32_t u = hd_shape_find(index, 1, at);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] == u) return u;
    return UINT32_MAX;
}

/* It needs the size, and for one switch where each direction leads: the switch of which most
 * directions are there. Datelines, relative to it, are put before the first switch of each dimension. */
static hd_status opensm_write_torus(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, const char *path)
{
    const struct hd_shape *s = &net->shape;
    struct hd_shape_index index;
    struct hd_out *o;
    uint32_t best = 0, most = 0;
    HD_TRY(hd_shape_index(ctx, a, net, &index));
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < 2 * s->n; k++)
            n += torus_neighbour(net, &index, v, k / 2, k % 2 ? -1 : 1) != UINT32_MAX;
        if (n > most && !net->unplaced[v]) most = n, best = v;
    }
    HD_TRY(hd_out_open(ctx, path, &o));
    hd_puts(o, "torus");
    for (uint32_t i = 0; i < 3; i++)
        hd_printf(o, " %u%s", i < s->n ? s->m[i] : 1, i < s->n && s->w[i] == HD_LINE ? "m" : "");
    hd_puts(o, "\n");
    for (uint32_t k = 0; k < 2 * s->n; k++) {
        uint32_t u = torus_neighbour(net, &index, best, k / 2, k % 2 ? -1 : 1);
        if (u != UINT32_MAX)
            hd_printf(o, "%c%c_link 0x%016llx 0x%016llx\n", "xyz"[k / 2], k % 2 ? 'm' : 'p',
                      (unsigned long long)net->guid[best], (unsigned long long)net->guid[u]);
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (hd_coord(net, best)[i]) hd_printf(o, "%c_dateline -%u\n", "xyz"[i], hd_coord(net, best)[i]);
    return hd_out_close(ctx, o);
}

static bool is_torus(const struct hd_net *net)
{
    const struct hd_shape *s = &net->shape;
    if (s->kind != HD_SHAPE_GRID || s->n > 3) return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->w[i] == HD_CLIQUE && s->m[i] > 2) return false;
    return true;
}

/* ---- the engine ---------------------------------------------------------------------------- */

static bool uses_vls(const struct opensm_opt *o)
{
    return o->engine == LASH || o->engine == DFSSSP || o->engine == TORUS || (o->engine == NUE && o->vls > 1);
}

static hd_status opensm_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net,
                                const void *opt)
{
    (void)e;
    const struct opensm_opt *o = opt;
    if (o->engine == TABLE && !*o->table) return hd_fail(ctx, HD_INPUT, "opensm: engine=file needs table=FILE");
    if (o->engine == TORUS && !is_torus(net))
        return hd_fail_na(ctx, "opensm:engine=torus-2QoS", net->spec, "it is no torus or mesh of up to 3 dimensions");
    if (o->engine == TORUS && o->lmc)
        return hd_fail_na(ctx, "opensm:engine=torus-2QoS", net->spec, "it takes no lmc, here lmc=%llu",
                          (unsigned long long)o->lmc);
    return HD_OK;
}

static hd_status opensm_make_table(struct hd_ctx *ctx, const struct opensm_opt *o, struct hd_routes *r)
{
    HD_TRY(hd_routes_table(ctx, r, o->use == HD_USE_FIRST ? 1 : 1u << o->lmc));
    return hd_routes_select_by_use(ctx, r, o->use);
}

/* Whether there are few enough service levels to ask for; otherwise VLs stay unknown. */
static hd_status opensm_plan_vls(struct hd_ctx *ctx, const struct opensm_opt *o, struct hd_routes *r, bool *ask,
                                 struct hd_sl2vl **hops)
{
    const struct hd_net *net = hd_routes_net(r);
    size_t n = (size_t)hd_routes_nleaf(r) * net->nep * hd_routes_variants(r);
    uint8_t *level;
    *hops = NULL;
    *ask = uses_vls(o) && n <= o->ask;
    if (!uses_vls(o)) return HD_OK;
    hd_routes_vls_unknown(r);
    if (!*ask) {
        hd_note(ctx, "opensm: too many service levels to query (ask=): VLs are unknown");
        return HD_OK;
    }
    HD_TRY(hd_routes_leaf_levels(ctx, r, &level));
    /* The others give every service level a VL of its own; torus-2QoS changes VLs along the path. */
    return o->engine == TORUS ? hd_sl2vl_make(ctx, hd_routes_arena(r), net, hops) : HD_OK;
}

/* The switches that the user names, as OpenSM reads them. */
static hd_status opensm_write_roots(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, const char *text,
                                    const char *path)
{
    struct hd_out *o;
    bool *root = HD_NEW(a, bool, net->nsw);
    if (!root) return hd_fail_memory(ctx);
    HD_TRY(hd_roots_read(ctx, net, "opensm", text, root));
    HD_TRY(hd_out_open(ctx, path, &o));
    for (uint32_t v = 0; v < net->nsw; v++)
        if (root[v]) hd_printf(o, "0x%016llx\n", (unsigned long long)net->guid[v]);
    return hd_out_close(ctx, o);
}

/* One sweep per component with endpoints. */
static hd_status opensm_sweep_components(struct hd_ctx *ctx, struct hd_arena *a, struct hd_osm *osm,
                                         struct hd_routes *r, bool ask, struct hd_sl2vl *hops)
{
    const struct hd_net *net = osm->net;
    uint32_t nparts, *part = HD_NEW(a, uint32_t, net->nsw + net->nep);
    if (!part) return hd_fail_memory(ctx);
    HD_TRY(hd_net_parts(ctx, net, part, &nparts));
    bool *done = HD_NEW(a, bool, nparts);
    if (!done) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t p = part[net->nsw + e];
        if (done[p]) continue;
        done[p] = true;
        HD_TRY(hd_osm_sweep(ctx, osm, hd_leaf(net, e)));
        HD_TRY(hd_osm_read(ctx, osm, r, ask, hops));
        hd_osm_stop(osm);
    }
    return HD_OK;
}

static hd_status opensm_run(struct hd_ctx *ctx, struct hd_arena *a, const struct opensm_opt *o, struct hd_osm *osm,
                            struct hd_routes *r)
{
    char path[128];
    bool ask;
    struct hd_sl2vl *hops;
    HD_TRY(opensm_plan_vls(ctx, o, r, &ask, &hops));
    HD_TRY(hd_osm_begin(ctx, osm));
    if (o->engine == TORUS)
        HD_TRY(opensm_write_torus(ctx, a, osm->net, hd_process_group_path(&osm->group, "torus", path)));
    if (*o->roots)
        HD_TRY(opensm_write_roots(ctx, a, osm->net, o->roots, hd_process_group_path(&osm->group, "roots", path)));
    HD_TRY(opensm_sweep_components(ctx, a, osm, r, ask, hops));
    hd_routes_set_other_cpu(r, osm->cpu);
    return ask ? hd_sl_settle(ctx, r, hops) : HD_OK;
}

static hd_status opensm_route_here(struct hd_ctx *ctx, const struct opensm_opt *o, struct hd_arena *scratch,
                                   struct hd_routes *r)
{
    struct hd_lids lids;
    char table[PATH_MAX] = ""; /* OpenSM works in a folder of its own */
    if (*o->table && !realpath(o->table, table))
        return hd_fail(ctx, HD_INPUT, "%.300s: cannot open: %s", o->table, strerror(errno));
    const struct hd_osm_opt how = {.engine = engine_name[o->engine],
                                   .roots = *o->roots ? "roots" : "",
                                   .table = table,
                                   .conf = "",
                                   .programs = o->programs,
                                   .vls = (uint32_t)o->vls,
                                   .limit = o->limit,
                                   .qos = uses_vls(o)};
    struct hd_osm osm = {.net = hd_routes_net(r), .lids = &lids, .opt = &how};
    HD_TRY(hd_lids_plan_even(ctx, scratch, hd_routes_net(r), 1u << o->lmc, &lids));
    HD_TRY(opensm_make_table(ctx, o, r));
    hd_status s = opensm_run(ctx, scratch, o, &osm, r);
    hd_osm_end(&osm);
    return s;
}

/* With several processes, each runs its own OpenSM and needs its own files, at once whatever else is being written. */
static hd_status opensm_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_comm *all = ctx->comm;
    struct hd_batch *batch = ctx->batch;
    ctx->comm = NULL;
    ctx->batch = NULL;
    hd_status s = opensm_route_here(ctx, opt, scratch, r);
    ctx->comm = all;
    ctx->batch = batch;
    return s;
}

static const struct hd_param params[] = {
    {"engine", HD_WORD, "minhop", "which of its engines", offsetof(struct opensm_opt, engine), 0, 0, ENGINES, true},
    {"roots", HD_TEXT, "",
     "updn and dnup: the root switches, names or GUIDs separated by +, or a file with one per line; "
     "otherwise OpenSM finds them",
     offsetof(struct opensm_opt, roots), 0, 0, NULL, false},
    {"table", HD_TEXT, "", "engine file: the table it loads, such as heddle route -o writes",
     offsetof(struct opensm_opt, table), 0, 0, NULL, false},
    {"lmc", HD_UINT, "0", "2^lmc LIDs per endpoint", offsetof(struct opensm_opt, lmc), 0, 7, NULL, false},
    {"use", HD_WORD, "source",
     "with lmc, what the LIDs are used for: first uses base LIDs only, source the LID by the number "
     "of the source, all shares equally",
     offsetof(struct opensm_opt, use), 0, 0, "first|source|all", false},
    {"vls", HD_UINT, "1", "nue: VLs that it may use", offsetof(struct opensm_opt, vls), 1, 8, NULL, false},
    {"ask", HD_UINT, "2000000",
     "maximum number of service levels to query, one per leaf switch and LID; beyond that, VLs are unknown",
     offsetof(struct opensm_opt, ask), 0, 4e9, NULL, false},
    {"limit", HD_REAL, "600", "seconds a sweep may take", offsetof(struct opensm_opt, limit), 1, 1e6, NULL, false},
    {"programs", HD_TEXT, "", "folder of opensm, ibsim and libumad2sim.so; by default the installed ones",
     offsetof(struct opensm_opt, programs), 0, 0, NULL, false},
    {0}};

const struct hd_engine hd_engine_opensm = {
    .desc = {.name = "opensm",
             .summary = "the real OpenSM, on the simulator ibsim",
             .text = "Starts ibsim with the network and OpenSM on it, waits until the subnet is up, and reads back "
                     "what it programmed: the forwarding tables of all switches and, for engines that use VLs (lash, "
                     "dfsssp, nue, torus-2QoS), the service level of every pair from its subnet administration. LIDs "
                     "are those of the network, or those that heddle's tables use. Needs the Debian packages opensm, "
                     "ibsim-utils and libumad2sim0. Nothing is left running or on disk, however heddle ends. "
                     "torus-2QoS changes VLs along a path, so the SL2VL tables of its switches are queried as well. "
                     "VLs over which dfsssp merely balances count as one.",
             .cite = "OpenSM, https://github.com/linux-rdma/opensm; ibsim, https://github.com/linux-rdma/ibsim",
             .params = params,
             .examples = (const char *const[]){"opensm:engine=ftree", "opensm:engine=updn,roots=roots.txt",
                                               "opensm:engine=minhop,lmc=2,use=all", NULL},
             .opt_size = sizeof(struct opensm_opt)},
    .role = HD_ENGINE_EXTERNAL,
    .fallback = "dmodc",
    .applies = opensm_applies,
    .route = opensm_route};
