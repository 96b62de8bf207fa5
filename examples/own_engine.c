/* SPDX-License-Identifier: BSD-2-Clause */
/* A routing engine of one's own: breadth-first search from every destination, ties to the switch that was found first.
 *     cc -shared -fPIC own_engine.c $(pkg-config --cflags heddle) -o own_engine.so
 *     heddle check fabric.ibnet bfs --plugin ./own_engine.so */
#include <heddle.h>

static hd_status bfs_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_net *net = hd_routes_net(r);
    uint32_t *queue = hd_alloc(scratch, net->nsw, sizeof *queue);
    (void)opt;
    if (!queue) return hd_fail_memory(ctx);
    HD_TRY(hd_routes_table(ctx, r, 1));
    for (uint32_t d = 0; d < net->nep; d++) {
        uint8_t *row = hd_routes_entries(r, d, 0);
        uint32_t n = 1, leaf = hd_leaf(net, d);
        queue[0] = leaf;
        row[leaf] = (uint8_t)(net->rev[net->off[net->nsw + d]] - net->off[leaf]);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t c = net->off[queue[i]]; c < net->off[queue[i] + 1]; c++) {
                uint32_t v = net->head[c];
                if (v >= net->nsw || row[v] != HD_SLOT_NONE) continue;
                row[v] = (uint8_t)(net->rev[c] - net->off[v]); /* back to the switch it was found from */
                queue[n++] = v;
            }
    }
    return HD_OK;
}

static const struct hd_engine bfs = {
    .desc = {.name = "bfs", .summary = "shortest paths by breadth-first search, one tree per destination"},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_COMPLETE,
    .route = bfs_route};

const int heddle_plugin_version = HEDDLE_VERSION;

hd_status heddle_plugin(struct hd_ctx *ctx)
{
    return hd_registry_add(ctx, HD_ENGINES, &bfs.desc, sizeof bfs);
}
