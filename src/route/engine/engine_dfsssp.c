/* SPDX-License-Identifier: BSD-2-Clause */
/* DFSSSP: P-SSSP made free of credit loops by virtual lanes. All sources of a leaf switch share their
 * path to a destination, so lanes are given to (leaf, destination) paths, not to pairs of endpoints: a
 * factor of endpoints per leaf less work and memory. When lanes run out, the destinations that do not fit
 * are routed up/down in the last lane instead of giving up.
 * Cost: that of P-SSSP and of vl_assign.c.
 * Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/vl_assign.h"
#include "route/kernel/sssp_options.h"

struct opt {
    struct hd_sssp_opt sssp;
    int lanes;
    uint64_t maxlanes;
};

static hd_status fill(struct hd_ctx *ctx, const struct opt *o, struct hd_routes *r)
{
    struct hd_arena scratch = {0};
    struct hd_shortest shortest;
    struct hd_sssp_opt sssp = o->sssp;
    uint32_t replaced = 0;
    sssp.minimal = true;
    hd_status s = hd_shortest_init(ctx, &scratch, r, &shortest);
    if (s == HD_OK) s = hd_sssp_fill(ctx, &sssp, &shortest, r);
    hd_arena_release(&scratch);
    if (s == HD_OK) s = hd_lanes_ensure(ctx, r, (enum hd_lanes_mode)o->lanes, (uint32_t)o->maxlanes, &replaced);
    if (s == HD_OK && replaced)
        hd_note(ctx, "dfsssp: %u lanes are not enough: %u of %u destinations are routed up/down", (unsigned)o->maxlanes,
                replaced, r->net->nep);
    return s;
}

static hd_status route(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **out)
{
    struct hd_routes *r;
    HD_TRY(hd_routes_make(ctx, net, 1, &r));
    hd_status s = fill(ctx, opt, r);
    if (s != HD_OK) {
        hd_routes_free(r);
        return s;
    }
    *out = r;
    return HD_OK;
}

const struct hd_engine hd_engine_dfsssp = {
    .desc = {.name = "dfsssp",
             .summary = "psssp without credit loops: paths are spread over virtual lanes",
             .text = "Routes as psssp makes them. Each path from a leaf switch to a destination then goes into the "
                     "virtual lane that lacks the fewest of its turns among those where it closes no cycle of channel "
                     "dependencies; a lane is opened when there is none. Destinations that do not fit in maxlanes are "
                     "routed up/down in the last lane, which keeps room for every such route. With lanes=dest all "
                     "paths to a destination share a lane: more lanes, but a service level that depends on the "
                     "destination only.",
             .cite = "Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies",
             .params = (const struct hd_param[]){HD_SSSP_ORDER_ROWS, HD_LANES_ROWS(struct opt), {0}},
             .examples =
                 (const char *const[]){"dfsssp", "dfsssp:lanes=dest", "dfsssp:maxlanes=2", "dfsssp:maxlanes=1", NULL},
             .opt_size = sizeof(struct opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .route = route};
