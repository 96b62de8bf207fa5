/* SPDX-License-Identifier: BSD-2-Clause */
/* DFSSSP: P-SSSP without credit loops, by virtual lanes (VLs). All sources of a leaf switch share their
 * path to a destination, so VLs are assigned to (leaf, destination) paths, not to pairs of endpoints: a
 * factor of endpoints per leaf less work and memory. When VLs run out, the destinations that do not fit
 * are routed up/down in the last VL instead of giving up.
 * Cost: that of P-SSSP and of vl_assign.c.
 * Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/engine/more_paths.h"
#include "route/kernel/vl_assign.h"
#include "route/kernel/sssp_options.h"

struct dfsssp_opt {
    struct hd_sssp_opt sssp;
    int lanes;
    uint64_t maxlanes, lmc;
};

static hd_status dfsssp_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct dfsssp_opt *o = opt;
    struct hd_shortest shortest;
    struct hd_sssp_opt sssp = o->sssp;
    uint32_t replaced = 0;
    sssp.minimal = true;
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(hd_shortest_init(ctx, scratch, r, &shortest));
    if (sssp.form == HD_SSSP_OPENSM)
        HD_TRY(hd_sssp_opensm(ctx, "dfsssp:form=opensm", &shortest.links, r));
    else
        HD_TRY(hd_sssp_fill(ctx, &sssp, &shortest, r));
    HD_TRY(hd_more_paths(ctx, &shortest, o->lmc, r));
    HD_TRY(hd_more_lanes(ctx, r, (enum hd_lanes_mode)o->lanes, (uint32_t)o->maxlanes, &replaced));
    if (replaced && sssp.form == HD_SSSP_OPENSM)
        return hd_fail_na(ctx, "dfsssp:form=opensm", r->net->spec, "its paths need more than %u VLs",
                          (unsigned)o->maxlanes);
    if (replaced)
        hd_note(ctx, "dfsssp on %.200s: %u VLs are not enough: %u of %u %s are routed up/down", r->net->spec,
                (unsigned)o->maxlanes, replaced, r->net->nep * r->nvar, r->nvar > 1 ? "LIDs" : "destinations");
    return HD_OK;
}

const struct hd_engine hd_engine_dfsssp = {
    .desc = {.name = "dfsssp",
             .summary = "psssp without credit loops: paths are spread over VLs",
             .text =
                 "Routes as psssp makes them. Each path from a leaf switch to a destination then goes into the VL "
                 "that lacks the fewest of its turns among those where it closes no cycle of channel "
                 "dependencies; a VL is opened if there is none. Destinations that do not fit into maxlanes VLs "
                 "are routed up/down in the last VL, which keeps room for every such route. With lanes=dest all "
                 "paths to a destination share a VL: this takes more VLs, but the service level depends on the "
                 "destination only. With lmc= every destination gets further LIDs with paths that overlap as little as "
                 "possible. form=opensm has the paths of OpenSM's dfsssp, entry by entry, on a new subnet with LMC 0, "
                 "and is refused if they do not fit; VLs are assigned as above, OpenSM may take more.",
             .cite = "Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies",
             .params = (const struct hd_param[]){HD_SSSP_ORDER_ROWS,
                                                 HD_LANES_ROWS(struct dfsssp_opt,
                                                               "what does not fit is routed up/down in the last one"),
                                                 HD_LMC_ROW(struct dfsssp_opt),
                                                 {0}},
             .examples = (const char *const[]){"dfsssp", "dfsssp:lanes=dest", "dfsssp:maxlanes=2", "dfsssp:maxlanes=1",
                                               "dfsssp:form=opensm", NULL},
             .opt_size = sizeof(struct dfsssp_opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "settle",
    .cost = hd_cost_table_and_lanes,
    .route = dfsssp_route};
