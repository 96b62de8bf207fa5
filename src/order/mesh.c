/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders nodes for a step of a training job: the usual orders and those by dimensions of the mesh are counted, the best
 * of them is improved, and so are those with the smallest cuts at leaf switches among orders by dimensions and strips
 * of two; the result is counted again, so it is never worse than any of them. 10,000 ranks take a few seconds: work is
 * limited by channels touched, never by time. */
#include "base/hash.h"
#include "base/rng.h"
#include "base/status.h"
#include "order/mesh_job.h"
#include "order/order_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUDGET = 1000000000, SMALL = 20000 }; /* channels touched by the search; per pair of nodes */
enum { ROWS = 7, STARTS = 3 };

struct mesh_planner {
    struct hd_ctx *ctx;
    const struct hd_routes *routes;
    const struct hd_nodes *nodes;
    struct hd_arena scratch;
    struct hd_job_view view;
    struct hd_mesh_job job;
    struct hd_mesh_plan *plan;
    uint32_t *order;  /* of a candidate */
    uint32_t *starts; /* [STARTS * n] orders that are improved, those with the smallest cuts first */
    uint32_t nstart;
    struct hd_mesh_cut cut[STARTS];
    uint64_t seen[2 * 24]; /* hashes of the orders by dimensions */
    size_t nseen;
};

/* Counts the candidate, keeps it where it is the best so far, and lists it where it has a name. */
static hd_status mesh_compete(struct mesh_planner *m, const char *name)
{
    struct hd_mesh_plan *plan = m->plan;
    struct hd_mesh_row row = {.name = name};
    HD_TRY(hd_mesh_count(m->ctx, &m->view, &m->job, m->order, plan->gbps, &row));
    if (name) plan->row[plan->nrow++] = row;
    if (plan->row[0].name && row.step >= plan->row[0].step) return HD_OK;
    memcpy(plan->rank, m->order, plan->n * sizeof *plan->rank);
    plan->row[0] = row;
    plan->row[0].name = "heddle";
    return HD_OK;
}

static bool cut_better(const struct hd_mesh_cut *a, const struct hd_mesh_cut *b)
{
    if (fabs(a->step - b->step) > 1e-9 * b->step) return a->step < b->step;
    return a->moved < b->moved * (1 - 1e-9);
}

/* Keeps the candidate where it is one of the best by its cuts: how the tables spread them is left to swaps. */
static hd_status keep_start(struct mesh_planner *m)
{
    uint32_t n = m->job.n, at = m->nstart;
    struct hd_mesh_cut cut;
    HD_TRY(hd_mesh_cut(m->ctx, &m->view, &m->job, m->order, m->plan->gbps, &m->plan->bound, &cut));
    while (at > 0 && cut_better(&cut, &m->cut[at - 1])) at--;
    if (at == STARTS) return HD_OK;
    uint32_t last = m->nstart < STARTS ? m->nstart++ : STARTS - 1;
    memmove(m->starts + (size_t)(at + 1) * n, m->starts + (size_t)at * n, (size_t)(last - at) * n * sizeof *m->starts);
    memmove(m->cut + at + 1, m->cut + at, (last - at) * sizeof *m->cut);
    memcpy(m->starts + (size_t)at * n, m->order, n * sizeof *m->order);
    m->cut[at] = cut;
    return HD_OK;
}

static uint32_t most_on_leaf(const struct mesh_planner *m)
{
    uint32_t most = 0, run = 0;
    for (uint32_t leaf = 0; leaf < m->view.nleaf; leaf++, run = 0) {
        for (uint32_t i = 0; i < m->job.n; i++) run += m->view.leaf[(size_t)i * m->job.nrail] == leaf;
        if (run > most) most = run;
    }
    return most;
}

/* Strips of two dimensions, the others slower: not higher than a leaf switch has nodes. */
static hd_status try_strips(struct mesh_planner *m, const uint32_t *tree)
{
    const struct hd_mesh_job *job = &m->job;
    uint32_t highest = most_on_leaf(m);
    for (int a = 0; a < HD_DIMS; a++)
        for (int b = 0; b < HD_DIMS; b++) {
            if (a == b || job->size[a] < 2 || job->size[b] < 2) continue;
            int c = 0;
            while (c == a || c == b) c++;
            enum hd_mesh_dim dims[HD_DIMS] = {(enum hd_mesh_dim)a, (enum hd_mesh_dim)b, (enum hd_mesh_dim)c,
                                              (enum hd_mesh_dim)(6 - a - b - c)};
            for (uint32_t h = 2; h < job->size[a] && h <= highest; h++) {
                HD_TRY(hd_mesh_order_strips(m->ctx, job, tree, dims, h, m->order));
                HD_TRY(keep_start(m));
            }
        }
    return HD_OK;
}

/* Places along the tree by every sequence of the dimensions; sequences that give an order seen before are left out. */
static hd_status try_dimensions(struct mesh_planner *m, const uint32_t *tree)
{
    for (int a = 0; a < HD_DIMS; a++)
        for (int b = 0; b < HD_DIMS; b++)
            for (int c = 0; c < HD_DIMS; c++) {
                if (a == b || a == c || b == c) continue;
                enum hd_mesh_dim dims[HD_DIMS] = {(enum hd_mesh_dim)a, (enum hd_mesh_dim)b, (enum hd_mesh_dim)c,
                                                  (enum hd_mesh_dim)(6 - a - b - c)};
                HD_TRY(hd_mesh_order_dims(m->ctx, &m->job, tree, dims, m->order));
                uint64_t hash = hd_hash_bytes(1, (const char *)m->order, m->job.n * sizeof *m->order);
                size_t i = 0;
                while (i < m->nseen && m->seen[i] != hash) i++;
                if (i < m->nseen) continue;
                m->seen[m->nseen++] = hash;
                HD_TRY(mesh_compete(m, NULL));
                HD_TRY(keep_start(m));
            }
    return HD_OK;
}

/* Along the tree order, and along that with whole leaf switches together. */
static hd_status try_blocks(struct mesh_planner *m, const uint32_t *tree)
{
    uint32_t *aligned = HD_NEW(&m->scratch, uint32_t, m->job.n);
    if (!aligned) return hd_fail_memory(m->ctx);
    HD_TRY(hd_mesh_align(m->ctx, &m->view, &m->job, tree, aligned));
    HD_TRY(try_dimensions(m, tree));
    HD_TRY(try_dimensions(m, aligned));
    return try_strips(m, aligned);
}

static hd_status try_usual(struct mesh_planner *m, const uint32_t *before, const uint32_t *tree)
{
    uint32_t n = m->job.n;
    struct hd_rng rng;
    for (uint32_t i = 0; i < n; i++) m->order[i] = before ? before[i] : i;
    HD_TRY(mesh_compete(m, "current"));
    for (uint32_t i = 0; i < n; i++) m->order[i] = i;
    hd_rng_init(&rng, m->ctx->seed, HD_RNG_RANKS, 0);
    hd_rng_shuffle(&rng, m->order, n);
    HD_TRY(mesh_compete(m, "random"));
    HD_TRY(hd_mesh_order_hash(m->ctx, m->nodes, m->order));
    HD_TRY(mesh_compete(m, "hash"));
    memcpy(m->order, tree, n * sizeof *tree);
    HD_TRY(mesh_compete(m, "topology"));
    HD_TRY(hd_mesh_order_bisect(m->ctx, &m->view, &m->job, tree, m->order));
    return mesh_compete(m, hd_mesh_bisect_name());
}

static hd_status improve_mesh(struct mesh_planner *m)
{
    uint64_t small = (uint64_t)SMALL * m->job.n * m->job.n;
    if (m->plan->row[0].step <= m->plan->bound.step * (1 + 1e-12)) return HD_OK;
    memcpy(m->order, m->plan->rank, m->job.n * sizeof *m->order);
    HD_TRY(hd_mesh_search(m->ctx, &m->view, &m->job, small < BUDGET ? small : BUDGET, m->starts, m->nstart, m->order));
    return mesh_compete(m, NULL);
}

static hd_status plan_mesh(struct mesh_planner *m, const char *mesh, const char *bytes, uint32_t per_node,
                           const uint32_t *before, struct hd_arena *own)
{
    struct hd_mesh_plan *plan = m->plan;
    struct hd_order *tree;
    HD_TRY(hd_mesh_job_make(m->ctx, &m->scratch, m->nodes, mesh, bytes, per_node, &m->job, plan->mesh));
    HD_TRY(hd_job_view_init(m->ctx, &m->scratch, m->routes, m->nodes, &m->view));
    plan->n = m->job.n;
    plan->per_node = per_node;
    plan->flows = m->job.nflow;
    plan->gbps = hd_mesh_rate(&m->view);
    plan->row = HD_NEW(own, struct hd_mesh_row, ROWS);
    plan->rank = HD_NEW(own, uint32_t, plan->n);
    m->order = HD_NEW(&m->scratch, uint32_t, plan->n);
    m->starts = HD_NEW(&m->scratch, uint32_t, (size_t)STARTS * plan->n);
    if (!plan->row || !plan->rank || !m->order || !m->starts) return hd_fail_memory(m->ctx);
    plan->nrow = 1;
    HD_TRY(hd_mesh_bound(m->ctx, &m->view, &m->job, plan->gbps, &plan->bound));
    HD_TRY(hd_order_make(m->ctx, m->routes, m->nodes, HD_FOR_TREE, &tree));
    hd_status s = try_usual(m, before, tree->rank);
    if (s == HD_OK) s = try_blocks(m, tree->rank);
    hd_order_free(tree);
    return s == HD_OK ? improve_mesh(m) : s;
}

static hd_status mesh_check(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                            const char *mesh, const uint32_t *order)
{
    if (!mesh) return hd_fail(ctx, HD_USAGE, "mesh: expected its dimensions");
    HD_TRY(hd_nodes_check(ctx, nodes, hd_routes_net(r)));
    return hd_order_check(ctx, nodes, order);
}

hd_status hd_mesh_order(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes, const char *mesh,
                        const char *bytes, uint32_t per_node, const uint32_t *before, struct hd_mesh_plan **plan)
{
    struct hd_arena *own;
    HD_TRY(mesh_check(ctx, r, nodes, mesh, before));
    struct hd_mesh_plan *p = hd_owned_new(sizeof *p, &own);
    if (!p) return hd_fail_memory(ctx);
    p->arena = own;
    struct mesh_planner m = {.ctx = ctx, .routes = r, .nodes = nodes, .plan = p};
    hd_status s = plan_mesh(&m, mesh, bytes, per_node ? per_node : nodes->nrail, before, own);
    hd_arena_release(&m.scratch);
    if (s == HD_OK)
        *plan = p;
    else
        hd_mesh_plan_free(p);
    return s;
}

void hd_mesh_plan_free(struct hd_mesh_plan *plan)
{
    if (plan) hd_owned_free(plan->arena);
}

hd_status hd_mesh_time(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes, const char *mesh,
                       const char *bytes, uint32_t per_node, const uint32_t *order, double *seconds)
{
    struct hd_arena a = {0};
    struct hd_job_view view;
    struct hd_mesh_job job;
    struct hd_mesh_row row;
    char spec[HD_MAX_SPEC];
    HD_TRY(mesh_check(ctx, r, nodes, mesh, order));
    hd_status s = hd_mesh_job_make(ctx, &a, nodes, mesh, bytes, per_node ? per_node : nodes->nrail, &job, spec);
    if (s == HD_OK) s = hd_job_view_init(ctx, &a, r, nodes, &view);
    if (s == HD_OK) s = hd_mesh_count(ctx, &view, &job, order, hd_mesh_rate(&view), &row);
    if (s == HD_OK) *seconds = row.step;
    hd_arena_release(&a);
    return s;
}
