/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a job runs and what its collectives do to the tables: endpoints of the nodes, their leaf switches, and the
 * largest loads of each pattern, counted stage by stage on all threads, or many stages at once (shift_count.c).
 * O(flows * hops) at most. */
#include "order/job_view.h"
#include "base/status.h"
#include "base/threads.h"
#include "flow/pattern/all_patterns.h"
#include "order/shift_count.h"
#include "order/stage_count.h"
#include "order/order_check.h"
#include "route/core/routes_view.h"
#include "route/kernel/row_walk.h"

#include <math.h>
#include <string.h>

/* ---- paths ---------------------------------------------------------------------------------- */

static hd_status view_number_leaves(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_job_view *view)
{
    const struct hd_net *net = view->net;
    size_t n = (size_t)view->nodes->n * view->nodes->nrail;
    uint32_t *number = HD_NEW(arena, uint32_t, net->nsw);
    view->leaf = HD_NEW(arena, uint32_t, n);
    view->leaf_sw = HD_NEW(arena, uint32_t, net->nsw);
    if (!number || !view->leaf || !view->leaf_sw) return hd_fail_memory(ctx);
    for (size_t i = 0; i < n; i++) {
        uint32_t sw = hd_leaf(net, view->nodes->ep[i]);
        if (!number[sw]) {
            view->leaf_sw[view->nleaf++] = sw;
            number[sw] = view->nleaf;
        }
        view->leaf[i] = number[sw] - 1;
    }
    return HD_OK;
}

/* Rows are walked from all leaves at once. *longest is 0 if some leaf is not led to a destination. */
static hd_status view_walk_rows(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                                uint32_t rail, uint32_t *longest_path)
{
    const struct hd_nodes *nodes = view->nodes;
    const struct hd_net *net = view->net;
    const int threads = hd_threads(ctx);
    uint32_t longest = 0, lost = 0, nfrom = 0, *from = HD_NEW(arena, uint32_t, view->nleaf);
    uint8_t *buf = HD_NEW(arena, uint8_t, (size_t)threads * net->nsw), *met = HD_NEW(arena, uint8_t, view->nleaf);
    struct hd_reach *reach = HD_NEW(arena, struct hd_reach, (size_t)threads);
    if (!from || !buf || !met || !reach) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) HD_TRY(hd_reach_init(ctx, arena, net, &reach[t]));
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t leaf = view->leaf[(size_t)i * nodes->nrail + rail];
        if (!met[leaf]) from[nfrom++] = view->leaf_sw[leaf];
        met[leaf] = 1;
    }
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : longest, lost)
    for (uint32_t j = 0; j < nodes->n; j++) {
        uint32_t d = hd_job_view_ep(view, j, rail);
        struct hd_reach *r = &reach[hd_thread_id()];
        const uint8_t *row = hd_routes_row(view->routes, d, 0, buf + (size_t)hd_thread_id() * net->nsw);
        hd_reach_begin(r);
        hd_reach_follow(r, row, net->nsw + d, from, nfrom);
        for (uint32_t i = 0; i < nfrom; i++) {
            uint32_t hops = r->hops[from[i]];
            if (hops + 1 >= HD_MAX_HOPS) lost = 1;
            if (hops + 1 > longest) longest = hops + 1;
        }
    }
    *longest_path = lost ? 0 : longest;
    return HD_OK;
}

/* Pair by pair, for tables whose rows do not tell, and to name the first pair that is not served. */
static hd_status view_walk_pairs(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                                 uint32_t rail, uint32_t *longest_path)
{
    const struct hd_nodes *nodes = view->nodes;
    uint32_t *first = HD_NEW(arena, uint32_t, view->nleaf), longest = 0;
    if (!first) return hd_fail_memory(ctx);
    memset(first, 0xff, view->nleaf * sizeof *first);
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t leaf = view->leaf[(size_t)i * nodes->nrail + rail], s = hd_job_view_ep(view, i, rail);
        if (first[leaf] != UINT32_MAX) continue;
        first[leaf] = i;
        for (uint32_t j = 0; j < nodes->n; j++) {
            uint32_t way[HD_MAX_HOPS], d = hd_job_view_ep(view, j, rail);
            if (i == j) continue;
            uint32_t n = hd_routes_path(view->routes, s, d, hd_routes_variant(view->routes, s, d), way);
            if (n == 0)
                return hd_fail(ctx, HD_INPUT, "%.200s has no path from node %.80s to node %.80s on rail %u",
                               hd_routes_spec(view->routes), hd_host_name(view->net, nodes->host[i]),
                               hd_host_name(view->net, nodes->host[j]), view->net->rail[s]);
            if (n > longest) longest = n;
        }
    }
    *longest_path = longest;
    return HD_OK;
}

/* Every pair of one rail, one source per leaf, must be served. longest: channels between switches on a path. */
static hd_status check_served(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                              uint32_t *longest_path)
{
    const bool by_rows = hd_routes_select(view->routes) == HD_SELECT_ONE;
    uint32_t longest = 3;
    for (uint32_t k = 0; k < view->nodes->nrail; k++) {
        uint32_t of_rail = 0;
        struct hd_mark mark = hd_arena_mark(arena);
        if (by_rows) HD_TRY(view_walk_rows(ctx, arena, view, k, &of_rail));
        if (!of_rail) HD_TRY(view_walk_pairs(ctx, arena, view, k, &of_rail));
        hd_arena_rewind(arena, mark);
        if (of_rail > longest) longest = of_rail;
    }
    *longest_path = longest - 2;
    return HD_OK;
}

hd_status hd_job_view_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           const struct hd_nodes *nodes, struct hd_job_view *view)
{
    *view = (struct hd_job_view){.routes = r, .net = hd_routes_net(r), .nodes = nodes};
    HD_TRY(hd_nodes_check(ctx, nodes, view->net));
    view->single = hd_routes_paths_per_pair(r) == 1;
    HD_TRY(hd_rates_of(ctx, view->net, &view->rates));
    HD_TRY(view_number_leaves(ctx, arena, view));
    struct hd_loader_in in = {.routes = r,
                              .rates = view->rates,
                              .need = HD_NEED_PATHS,
                              .flows = (uint64_t)nodes->n * nodes->n * nodes->nrail * 2};
    HD_TRY(check_served(ctx, arena, view, &in.longest));
    HD_TRY(hd_loader_make(ctx, arena, &in, &view->loader));
    view->stride = hd_loader_stride(view->loader);
    return HD_OK;
}

/* ---- counting ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const struct hd_pattern *pattern;
} uses[HD_CASES] = {[HD_CASE_RING] = {"ring", &hd_pattern_ring},
                    [HD_CASE_SHIFT] = {"alltoall", &hd_pattern_shift},
                    [HD_CASE_RECDBL] = {"recdbl", &hd_pattern_recdbl},
                    [HD_CASE_RECDBL_TREE] = {"recdbl-tree", &hd_pattern_recdbl_tree},
                    [HD_CASE_BINOMIAL] = {"binomial", &hd_pattern_binomial}};

const char *hd_case_name(enum hd_case use)
{
    return (size_t)use < HD_CASES ? uses[use].name : NULL;
}

struct view_counter {
    const struct hd_job_view *view;
    const struct hd_pattern *pattern;
    void **state; /* one per rail */
    uint64_t stages;
};

/* One state per rail: the same pattern on other endpoints. */
static hd_status make_states(struct hd_ctx *ctx, struct hd_arena *a, struct view_counter *k, const uint32_t *order)
{
    static const uint64_t defaults[8]; /* every option of these patterns is off or first when zero */
    const struct hd_job_view *view = k->view;
    uint32_t n = view->nodes->n, nrail = view->nodes->nrail;
    k->state = HD_NEW(a, void *, nrail);
    struct hd_ranks *ranks = HD_NEW(a, struct hd_ranks, nrail);
    if (!k->state || !ranks) return hd_fail_memory(ctx);
    for (uint32_t rail = 0; rail < nrail; rail++) {
        uint32_t *ep = HD_NEW(a, uint32_t, n);
        if (!ep) return hd_fail_memory(ctx);
        for (uint32_t i = 0; i < n; i++) ep[i] = hd_job_view_ep(view, order ? order[i] : i, rail);
        ranks[rail] = (struct hd_ranks){n, ep};
        struct hd_pattern_in in = {view->routes, &ranks[rail], defaults};
        HD_TRY(k->pattern->init(ctx, a, &in, &k->state[rail]));
    }
    k->stages = k->pattern->stages(k->state[0]);
    for (uint32_t rail = 1; rail < nrail; rail++) /* rails of unequal shape: the shorter ones idle at the end */
        if (k->pattern->stages(k->state[rail]) > k->stages) k->stages = k->pattern->stages(k->state[rail]);
    return HD_OK;
}

/* The flows of a stage on all rails. */
static void draw_all(const void *user, uint64_t stage, struct hd_flows *spare, struct hd_flows *all)
{
    const struct view_counter *k = user;
    struct hd_rng rng;
    hd_rng_init(&rng, 0, HD_RNG_PATTERN, stage);
    if (k->view->nodes->nrail == 1) {
        k->pattern->draw(k->state[0], &rng, stage, all);
        return;
    }
    hd_flows_begin(all, true);
    for (uint32_t rail = 0; rail < k->view->nodes->nrail; rail++) {
        if (stage >= k->pattern->stages(k->state[rail])) continue;
        k->pattern->draw(k->state[rail], &rng, stage, spare);
        memcpy(all->buf[0] + all->n, spare->src, spare->n * sizeof *spare->src);
        memcpy(all->buf[1] + all->n, spare->dst, spare->n * sizeof *spare->dst);
        all->n += spare->n;
    }
}

/* Whether recursive doubling along the tree can be had at all. */
static bool on_tree(const struct hd_job_view *view)
{
    const struct hd_net *net = view->net;
    if (net->shape.kind != HD_SHAPE_TREE) return false;
    for (uint32_t i = 0; i < view->nleaf; i++)
        if (net->level[view->leaf_sw[i]] != 1) return false;
    return true;
}

hd_status hd_job_view_count(struct hd_ctx *ctx, const struct hd_job_view *view, const uint32_t *order, enum hd_case use,
                            struct hd_hsd *hsd)
{
    struct hd_arena a = {0};
    struct view_counter k = {.view = view, .pattern = uses[use].pattern};
    *hsd = (struct hd_hsd){NAN, NAN, NAN, 0};
    if (use == HD_CASE_RECDBL_TREE && !on_tree(view)) return HD_OK;
    *hsd = (struct hd_hsd){1, 1, 1, 0};
    if (view->nodes->n < 2) return HD_OK; /* a single node sends nothing */
    if (use == HD_CASE_SHIFT && hd_shift_count_pays(view, order)) return hd_shift_count(ctx, view, order, hsd);
    hd_status s = make_states(ctx, &a, &k, order);
    uint32_t n = view->nodes->n;
    struct hd_stage_flows in = {
        .stages = k.stages, .flows = n * view->nodes->nrail, .room = n, .draw = draw_all, .user = &k};
    if (s == HD_OK) s = hd_stage_count(ctx, view, &in, hsd);
    hd_arena_release(&a);
    return s;
}

/* ---- all-to-all loads ----------------------------------------------------------------------- */

static void view_add_path(const struct hd_job_view *view, uint32_t s, uint32_t d, uint64_t weight, uint64_t *load)
{
    uint32_t chan[HD_MAX_HOPS];
    hd_job_view_path(view, s, d, chan);
    for (uint32_t j = 0; j < view->stride; j++) load[chan[j]] += weight;
}

static void rail_loads(const struct hd_job_view *view, uint32_t k, uint32_t *count, uint32_t *first, uint64_t *load)
{
    const struct hd_nodes *nodes = view->nodes;
    bool by_leaf = hd_routes_select(view->routes) == HD_SELECT_ONE;
    memset(count, 0, view->nleaf * sizeof *count);
    for (uint32_t i = nodes->n; i-- > 0;) {
        uint32_t leaf = view->leaf[(size_t)i * nodes->nrail + k];
        count[leaf]++;
        first[leaf] = i;
    }
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t leaf = view->leaf[(size_t)i * nodes->nrail + k], s = hd_job_view_ep(view, i, k);
        if (by_leaf && first[leaf] != i) continue;
        for (uint32_t j = 0; j < nodes->n; j++)
            if (i != j) view_add_path(view, s, hd_job_view_ep(view, j, k), by_leaf ? count[leaf] : 1, load);
    }
}

hd_status hd_job_view_loads(struct hd_ctx *ctx, const struct hd_job_view *view, uint64_t *load)
{
    struct hd_arena a = {0};
    uint32_t *count = HD_NEW(&a, uint32_t, view->nleaf), *first = HD_NEW(&a, uint32_t, view->nleaf);
    if (!count || !first) {
        hd_arena_release(&a);
        return hd_fail_memory(ctx);
    }
    for (uint32_t k = 0; k < view->nodes->nrail; k++) rail_loads(view, k, count, first, load);
    load[view->net->nchan] = 0;
    hd_arena_release(&a);
    return HD_OK;
}

hd_status hd_job_view_bound(struct hd_ctx *ctx, const struct hd_job_view *view, uint64_t *stages)
{
    struct hd_arena a = {0};
    uint64_t *load = HD_NEW(&a, uint64_t, (size_t)view->net->nchan + 1);
    uint64_t most = view->nodes->n ? view->nodes->n - 1 : 0;
    hd_status s = load ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK && view->single) s = hd_job_view_loads(ctx, view, load);
    for (uint32_t c = 0; s == HD_OK && c < view->net->nchan; c++)
        if (load[c] > most) most = load[c];
    hd_arena_release(&a);
    if (s == HD_OK) *stages = most;
    return s;
}

hd_status hd_order_count(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                         const uint32_t *order, enum hd_case use, struct hd_hsd *hsd)
{
    struct hd_arena a = {0};
    struct hd_job_view view;
    if (!hd_case_name(use)) return hd_fail(ctx, HD_USAGE, "pattern %u is unknown", (unsigned)use);
    HD_TRY(hd_order_check(ctx, nodes, order));
    hd_status s = hd_job_view_init(ctx, &a, r, nodes, &view);
    if (s == HD_OK) s = hd_job_view_count(ctx, &view, order, use, hsd);
    hd_arena_release(&a);
    return s;
}

static hd_status view_bound_of(struct hd_ctx *ctx, const struct hd_job_view *view, double *bound)
{
    uint64_t stages = 1;
    HD_TRY(hd_job_view_bound(ctx, view, &stages));
    *bound = view->nodes->n > 1 ? (double)stages / (view->nodes->n - 1) : 1;
    return HD_OK;
}

hd_status hd_order_count_all(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                             const uint32_t *order, struct hd_hsd hsd[HD_CASES], double *bound)
{
    struct hd_arena a = {0};
    struct hd_job_view view;
    HD_TRY(hd_order_check(ctx, nodes, order));
    hd_status s = hd_job_view_init(ctx, &a, r, nodes, &view);
    for (int c = 0; c < HD_CASES && s == HD_OK; c++) s = hd_job_view_count(ctx, &view, order, (enum hd_case)c, &hsd[c]);
    if (s == HD_OK && bound) s = view_bound_of(ctx, &view, bound);
    hd_arena_release(&a);
    return s;
}

hd_status hd_order_bound(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes, double *bound)
{
    struct hd_arena a = {0};
    struct hd_job_view view;
    hd_status s = hd_job_view_init(ctx, &a, r, nodes, &view);
    if (s == HD_OK) s = view_bound_of(ctx, &view, bound);
    hd_arena_release(&a);
    return s;
}
