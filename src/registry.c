/* SPDX-License-Identifier: BSD-2-Clause */
/* One line for everything that has a name. Listing, help, spec parsing, manual, completion and the
 * property tests all loop over these tables; a context carries them to wherever a name is looked up. */
#include "base/archive_names.h"
#include "base/pipes.h"
#include "base/rows.h"
#include "base/status.h"
#include "flow/metric/all_metrics.h"
#include "flow/pattern/all_patterns.h"
#include "ib/engine_opensm.h"
#include "net/topo/topology.h"
#include "report/charts.h"
#include "route/engine/engines.h"
#include "sim/all_selectors.h"
#include "sim/sim_model.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct hd_desc *const topologies[] = {
    &hd_topo_gft.desc, &hd_topo_ft.desc, &hd_topo_xgft.desc, &hd_topo_pgft.desc, &hd_topo_kary.desc,
    &hd_topo_torus.desc, &hd_topo_mesh.desc, &hd_topo_hypercube.desc, &hd_topo_hyperx.desc, &hd_topo_random.desc,
    &hd_topo_dragonfly.desc, &hd_topo_dragonfly_plus.desc, &hd_topo_slimfly.desc, &hd_topo_director.desc,
    &hd_topo_rail.desc, &hd_topo_odin.desc, &hd_topo_atlas.desc,
    &hd_topo_thunderbird.desc, &hd_topo_ranger.desc, &hd_topo_deimos.desc,
};

static const struct hd_desc *const engines[] = {
    &hd_engine_dmodk.desc, &hd_engine_smodk.desc, &hd_engine_minhop.desc, &hd_engine_updown.desc, &hd_engine_dnup.desc,
    &hd_engine_dmodc.desc, &hd_engine_ftree.desc, &hd_engine_dor.desc, &hd_engine_torus2qos.desc,
    &hd_engine_ar_updn.desc, &hd_engine_ar_ftree.desc,
    &hd_engine_random.desc, &hd_engine_lash.desc, &hd_engine_nue.desc, &hd_engine_opt.desc, &hd_engine_osrm2.desc,
    &hd_engine_osrm3.desc, &hd_engine_omrmn.desc, &hd_engine_mlid.desc, &hd_engine_wsr.desc, &hd_engine_file.desc,
    &hd_engine_psssp.desc, &hd_engine_p2sssp.desc, &hd_engine_dfsssp.desc, &hd_engine_settle.desc,
    &hd_engine_opensm.desc,
};

static const struct hd_desc *const patterns[] = {
    &hd_pattern_bisect.desc, &hd_pattern_permutation.desc, &hd_pattern_dissemination.desc, &hd_pattern_bridge.desc,
    &hd_pattern_shift.desc, &hd_pattern_ring.desc, &hd_pattern_binomial.desc, &hd_pattern_tournament.desc,
    &hd_pattern_recdbl.desc, &hd_pattern_rechalf.desc, &hd_pattern_recdbl_tree.desc, &hd_pattern_bruck.desc,
    &hd_pattern_rev_bruck.desc, &hd_pattern_alltoall.desc, &hd_pattern_collective.desc, &hd_pattern_uniform.desc,
    &hd_pattern_clustered.desc, &hd_pattern_nccl_ring.desc, &hd_pattern_nccl_tree.desc,
    &hd_pattern_nccl_alltoall.desc, &hd_pattern_nccl_pat.desc, &hd_pattern_rail_alltoall.desc, &hd_pattern_moe.desc,
    &hd_pattern_file.desc, &hd_pattern_worst.desc,
};

static const struct hd_desc *const metrics[] = {
    &hd_metric_ebb.desc, &hd_metric_minbw.desc, &hd_metric_maxload.desc, &hd_metric_efi.desc, &hd_metric_hops.desc,
    &hd_metric_hsd.desc, &hd_metric_worst.desc, &hd_metric_oblivious.desc, &hd_metric_ratio.desc,
};

static const struct hd_desc *const selectors[] = {
    &hd_selector_static.desc, &hd_selector_random.desc, &hd_selector_adaptive.desc, &hd_selector_probing.desc,
    &hd_selector_ar.desc, &hd_selector_ecmp.desc, &hd_selector_spray.desc,
};

static const struct hd_desc *const models[] = {
    &hd_model_myrinet.desc, &hd_model_infiniband.desc, &hd_model_qdr.desc, &hd_model_edr.desc, &hd_model_hdr.desc,
    &hd_model_ndr.desc, &hd_model_xdr.desc, &hd_model_roce.desc, &hd_model_uec.desc,
};

/* clang-format on */

#define TABLE(rows, size, complete)                                                                                    \
    {                                                                                                                  \
        rows, sizeof(rows) / sizeof((rows)[0]), size, complete                                                         \
    }

static bool engine_complete(const struct hd_desc *row)
{
    return ((const struct hd_engine *)row)->route;
}

static bool pattern_complete(const struct hd_desc *row)
{
    const struct hd_pattern *p = (const struct hd_pattern *)row;
    return p->init && p->max_flows && p->draw;
}

static bool metric_complete(const struct hd_desc *row)
{
    const struct hd_metric *m = (const struct hd_metric *)row;
    return m->value ? m->bin_max > 0 : m->measure != NULL;
}

void hd_ctx_init(struct hd_ctx *ctx)
{
    static const struct hd_table tables[HD_REGISTRIES] = {
        [HD_TOPOLOGIES] = TABLE(topologies, 0, NULL),
        [HD_ENGINES] = TABLE(engines, sizeof(struct hd_engine), engine_complete),
        [HD_PATTERNS] = TABLE(patterns, sizeof(struct hd_pattern), pattern_complete),
        [HD_METRICS] = TABLE(metrics, sizeof(struct hd_metric), metric_complete),
        [HD_SELECTORS] = TABLE(selectors, 0, NULL),
        [HD_MODELS] = TABLE(models, 0, NULL),
        [HD_CHARTS] = {.row = hd_charts, .n = HD_CHART_COUNT},
    };
    memset(ctx, 0, sizeof *ctx);
    ctx->seed = 1;
    ctx->tables = tables;
}

struct hd_ctx *hd_ctx_new(void)
{
    struct hd_ctx *ctx = malloc(sizeof *ctx);
    if (!ctx) return NULL;
    hd_ctx_init(ctx);
    ctx->pipes = hd_pipes_make();
    ctx->archives = hd_archive_names_make();
    return ctx;
}
