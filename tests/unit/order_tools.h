/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric with tables and nodes, and orders of them, for the tests of orders and of what builds on them. */
#ifndef ORDER_TOOLS_H
#define ORDER_TOOLS_H

#include "testing.h"

#include "base/rng.h"
#include "order/measure.h"
#include "base/context.h"

#include <stdio.h>
#include <unistd.h>

static const char *const RLFT[4] = {"pgft:m=12x12,w=1x6,p=1x2", "pgft:m=18x18,w=1x9,p=1x2",
                                    "pgft:m=12x12x12,w=1x12x6,p=1x1x2", "pgft:m=18x18x6,w=1x18x3,p=1x1x6"};

struct rig {
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *r;
    struct hd_nodes *all;
};

static inline struct rig rig(const char *spec, const char *table)
{
    struct rig g;
    hd_ctx_init(&g.ctx);
    g.ctx.threads = 1;
    g.net = make_net(spec);
    if (hd_routes_open(&g.ctx, g.net, table, &g.r) != HD_OK) fail_msg("%s", g.ctx.error);
    if (hd_nodes_read(&g.ctx, g.net, NULL, 1, &g.all) != HD_OK) fail_msg("%s", g.ctx.error);
    return g;
}

static inline void done(struct rig *g)
{
    hd_nodes_free(g->all);
    hd_routes_free(g->r);
    hd_net_free(g->net);
}

static inline struct hd_nodes *pick(struct rig *g, const uint32_t *which, uint32_t n)
{
    struct hd_nodes *nodes;
    if (hd_nodes_pick(&g->ctx, g->all, which, n, &nodes) != HD_OK) fail_msg("%s", g->ctx.error);
    return nodes;
}

/* k random nodes in random order. */
static inline struct hd_nodes *pick_random(struct rig *g, uint32_t k, uint64_t seed)
{
    struct hd_rng rng;
    uint32_t *which = malloc(g->all->n * sizeof *which);
    for (uint32_t i = 0; i < g->all->n; i++) which[i] = i;
    hd_rng_init(&rng, seed, HD_RNG_TEST, 0);
    hd_rng_shuffle(&rng, which, g->all->n);
    struct hd_nodes *nodes = pick(g, which, k);
    free(which);
    return nodes;
}

static inline struct hd_order *order_for(struct rig *g, const struct hd_nodes *nodes, enum hd_goal goal)
{
    struct hd_order *o;
    if (hd_order_make(&g->ctx, g->r, nodes, goal, &o) != HD_OK) fail_msg("%s", g->ctx.error);
    bool *seen = calloc(nodes->n + 1, 1);
    for (uint32_t i = 0; i < o->n; i++) {
        assert_true(o->rank[i] < nodes->n && !seen[o->rank[i]]);
        seen[o->rank[i]] = true;
    }
    free(seen);
    return o;
}

static inline struct hd_hsd count(struct rig *g, const struct hd_nodes *nodes, const uint32_t *rank, enum hd_case c)
{
    struct hd_hsd h;
    if (hd_order_count(&g->ctx, g->r, nodes, rank, c, &h) != HD_OK) fail_msg("%s", g->ctx.error);
    return h;
}

static char list_file[] = "/tmp/heddle-order-XXXXXX";

static inline int make_list_file(void **state)
{
    (void)state;
    int fd = mkstemp(list_file);
    return fd < 0 ? 1 : close(fd);
}

static inline int drop_list_file(void **state)
{
    (void)state;
    return unlink(list_file);
}

/* Twelve hosts of two rails, each rail a small tree of its own with two cables to each of two tops. */
static inline struct hd_net *rail_trees(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (int k = 0; k < 2; k++) {
        uint32_t leaf[4], top[2];
        for (int i = 0; i < 4; i++) leaf[i] = hd_builder_switch(b, &(struct hd_switch_in){.nports = 8});
        for (int i = 0; i < 2; i++) top[i] = hd_builder_switch(b, &(struct hd_switch_in){.nports = 8});
        for (uint32_t i = 0; i < 12; i++) {
            char name[32];
            snprintf(name, sizeof name, "h%02u mlx5_%d", i, k);
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name, .nports = 1});
            hd_builder_cable(b, leaf[(i + (uint32_t)k) % 12 / 3], 1 + i % 3, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
        }
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t j = 0; j < 2; j++) hd_builder_cable(b, leaf[i], 7 + j, top[j], 1 + i, 0);
    }
    hd_status s = hd_builder_finish(&ctx, b, "rails", &net);
    return checked(&ctx, s, net, "rails");
}

/* Every ordered pair once, nobody twice in a stage, and no channel twice: by hd_routes_path alone. */
static inline void check_alltoall(struct rig *g, const struct hd_nodes *nodes, const uint32_t *rank,
                                  const struct hd_schedule *s)
{
    uint32_t n = nodes->n, *load = calloc(g->net->nchan, sizeof *load);
    bool *sent = calloc((size_t)n * n, 1);
    uint64_t flows = 0;
    for (uint64_t stage = 0; stage < s->stages; stage++) {
        memset(load, 0, g->net->nchan * sizeof *load);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t to = hd_schedule_to(s, stage, i), chan[HD_MAX_HOPS];
            if (to == UINT32_MAX) continue;
            assert_true(to < n && to != i && !sent[(size_t)i * n + to]);
            sent[(size_t)i * n + to] = true;
            flows++;
            uint32_t hops = hd_routes_path(g->r, nodes->ep[rank[i]], nodes->ep[rank[to]], 0, chan);
            for (uint32_t j = 0; j < hops; j++)
                if (load[chan[j]]++) fail_msg("stage %llu: channel %u twice", (unsigned long long)stage, chan[j]);
        }
    }
    assert_int_equal(flows, (uint64_t)n * (n - 1));
    free(load);
    free(sent);
}

#endif
