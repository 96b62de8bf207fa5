/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for meshes: against every order there is where nodes are few, and what is promised of any. */
#include "testing.h"
#include "heddle/order.h"
#include "base/context.h"
#include "order/mesh_job.h"

#include <math.h>

struct mesh_case {
    const char *net, *table, *nodes, *mesh, *bytes;
    uint32_t per_node;
};

struct opened {
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *routes;
    struct hd_nodes *nodes;
};

static void open_case(struct opened *o, const struct mesh_case *c)
{
    hd_ctx_init(&o->ctx);
    o->ctx.threads = 1;
    o->net = make_net(c->net);
    assert_int_equal(hd_routes_open(&o->ctx, o->net, c->table, &o->routes), HD_OK);
    hd_status s = hd_nodes_read(&o->ctx, o->net, c->nodes, 1, &o->nodes);
    if (s != HD_OK) fail_msg("%s: %s", c->nodes, o->ctx.error);
}

static void close_case(struct opened *o)
{
    hd_nodes_free(o->nodes);
    hd_routes_free(o->routes);
    hd_net_free(o->net);
}

static double time_of(struct opened *o, const struct mesh_case *c, const uint32_t *order)
{
    double seconds;
    hd_status s = hd_mesh_time(&o->ctx, o->routes, o->nodes, c->mesh, c->bytes, c->per_node, order, &seconds);
    if (s != HD_OK) fail_msg("%s: %s", c->mesh, o->ctx.error);
    return seconds;
}

/* The next of all orders, in lexicographic order; false after the last. */
static bool next_order(uint32_t *v, uint32_t n)
{
    uint32_t i = n - 1, j = n - 1;
    while (i && v[i - 1] >= v[i]) i--;
    if (!i) return false;
    while (v[j] <= v[i - 1]) j--;
    uint32_t x = v[i - 1];
    v[i - 1] = v[j];
    v[j] = x;
    for (j = n - 1; i < j; i++, j--) {
        x = v[i];
        v[i] = v[j];
        v[j] = x;
    }
    return true;
}

static void no_order_is_better_on_few_nodes(void **state)
{
    static const struct mesh_case cases[] = {
        {"xgft:m=2x3,w=1x1", "dmodk", NULL, "pp=3,dp=2", NULL, 1},
        {"xgft:m=3x2,w=1x1", "dmodk", NULL, "pp=2,dp=3", "pp=3GiB", 1},
        {"gft:n=2,m=2,r=3", "dmodk", NULL, "tp=2,pp=2,dp=3", "tp=256MiB", 2},
        {"torus:dims=6,hosts=1", "minhop", NULL, "pp=6,dp=1", NULL, 1},
        {"torus:dims=3x2,hosts=1", "dor", NULL, "pp=2,ep=3,dp=3", NULL, 1},
        {"rail:rails=2,units=3,hosts=2,spines=1,uplinks=1", "minhop", NULL, "tp=2,cp=2,pp=3", NULL, 2},
        {"rail:rails=2,units=2,hosts=3,spines=1,uplinks=2", "minhop", NULL, "tp=2,pp=3,dp=2", "dp=5GiB", 2},
        {"random:switches=6,ports=5,hosts=1,seed=4", "minhop", NULL, "pp=3,ep=2,dp=2", NULL, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened o;
        struct hd_mesh_plan *plan;
        uint32_t order[8], n;
        open_case(&o, &cases[i]);
        n = o.nodes->n;
        assert_int_equal(n, 6);
        hd_status s =
            hd_mesh_order(&o.ctx, o.routes, o.nodes, cases[i].mesh, cases[i].bytes, cases[i].per_node, NULL, &plan);
        if (s != HD_OK) fail_msg("%s: %s", cases[i].mesh, o.ctx.error);
        double least = INFINITY, found = time_of(&o, &cases[i], plan->rank);
        for (uint32_t k = 0; k < n; k++) order[k] = k;
        do least = fmin(least, time_of(&o, &cases[i], order));
        while (next_order(order, n));
        if (fabs(found - least) > 1e-9 * least)
            fail_msg("%s on %s: %.6g s, the best order has %.6g", cases[i].mesh, cases[i].net, found, least);
        if (plan->bound.step > least * (1 + 1e-9)) fail_msg("%s on %s: bound", cases[i].mesh, cases[i].net);
        assert_true(fabs(found - plan->row[0].step) < 1e-9 * found);
        hd_mesh_plan_free(plan);
        close_case(&o);
    }
}

static void never_worse_than_any_row(void **state)
{
    static const struct mesh_case cases[] = {
        {"xgft:m=8x6,w=1x4", "dmodk", NULL, "pp=4,ep=4,dp=12", NULL, 1},
        {"rail:rails=4,units=3,hosts=8,spines=2,uplinks=2", "minhop", NULL, "tp=4,pp=4,dp=6", NULL, 4},
        {"torus:dims=4x4,hosts=2", "dor", NULL, "tp=2,cp=2,pp=4,dp=4", NULL, 2},
        {"xgft:m=6x6,w=1x6", "omrmn", NULL, "pp=6,dp=6", NULL, 1}, /* several paths per pair */
        {"gft:n=4,m=2,r=5", "updown", "node-[00000-00016]", "dp=17", NULL, 1},
        /* of seven leaf switches three have all of their nodes in the job, the others 2, 1, 3 and 2 of them */
        {"xgft:m=4x7,w=1x2", "dmodk", "node-[00000-00005,00008-00012,00016-00018,00020-00025]", "pp=4,dp=5", NULL, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened o;
        struct hd_mesh_plan *plan;
        open_case(&o, &cases[i]);
        hd_status s =
            hd_mesh_order(&o.ctx, o.routes, o.nodes, cases[i].mesh, cases[i].bytes, cases[i].per_node, NULL, &plan);
        if (s != HD_OK) fail_msg("%s on %s: %s", cases[i].mesh, cases[i].net, o.ctx.error);
        bool seen[256] = {false};
        for (uint32_t k = 0; k < plan->n; k++) {
            assert_true(plan->rank[k] < plan->n && !seen[plan->rank[k]]);
            seen[plan->rank[k]] = true;
        }
        assert_int_equal(plan->nrow, 6);
        for (uint32_t k = 0; k < plan->nrow; k++) {
            assert_true(plan->row[0].step <= plan->row[k].step * (1 + 1e-12));
            assert_true(plan->bound.step <= plan->row[k].step * (1 + 1e-9));
        }
        assert_true(fabs(time_of(&o, &cases[i], plan->rank) - plan->row[0].step) < 1e-9 * plan->row[0].step);
        hd_mesh_plan_free(plan);
        close_case(&o);
    }
}

/* Two rings whose places alternate, on two leaves with one cable between them: METIS separates the rings, sorting along
 * the tree does not. */
static void bisection_has_its_row(void **state)
{
    static const struct mesh_case c = {"xgft:m=8x2,w=1x1", "dmodk", NULL, "pp=2,dp=8,order=tp-pp-dp", "pp=1KiB", 1};
    struct opened o;
    struct hd_mesh_plan *plan;
    (void)state;
    open_case(&o, &c);
    assert_int_equal(hd_mesh_order(&o.ctx, o.routes, o.nodes, c.mesh, c.bytes, 1, NULL, &plan), HD_OK);
    assert_string_equal(plan->row[4].name, "topology");
#ifdef HD_HAVE_METIS
    assert_string_equal(plan->row[5].name, "metis");
    assert_true(plan->row[5].step < plan->row[4].step * 0.6);
    assert_true(plan->row[5].step <= plan->bound.step * 1.001);
#else
    assert_string_equal(plan->row[5].name, "bisection");
#endif
    hd_mesh_plan_free(plan);
    close_case(&o);
}

/* Two to one above the leaves: neither rings nor chains fit a leaf without too much leaving it, blocks of both do. */
static void blocks_of_two_dimensions_reach_the_bound(void **state)
{
    static const struct mesh_case cases[] = {
        {"xgft:m=8x8,w=1x4", "dmodk", NULL, "pp=8,dp=8", "dp=7GiB,pp=2GiB", 1},
        {"xgft:m=6x6,w=1x3", "dmodk", NULL, "pp=6,dp=6", "dp=7GiB,pp=2GiB", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened o;
        struct hd_mesh_plan *plan;
        const struct mesh_case *c = &cases[i];
        open_case(&o, c);
        assert_int_equal(hd_mesh_order(&o.ctx, o.routes, o.nodes, c->mesh, c->bytes, 1, NULL, &plan), HD_OK);
        if (plan->row[0].step > plan->bound.step * 1.0001)
            fail_msg("%s on %s: %.6g s, bound %.6g", c->mesh, c->net, plan->row[0].step, plan->bound.step);
        hd_mesh_plan_free(plan);
        close_case(&o);
    }
}

/* Leaf switches with four nodes are blocks of their own, in the order of the tree, whatever is between them; the nodes
 * of the others fill the blocks that are left, in that order too. */
static void whole_leaf_switches_are_blocks(void **state)
{
    enum { SIZE = 4, N = 23 };
    static const uint32_t nodes_of[] = {1, 4, 1, 4, 2, 3, 4, 1, 3};
    uint32_t leaf[N], tree[N], aligned[N], of[N], n = 0, last[2] = {0, 0};
    struct hd_ctx ctx;
    (void)state;
    for (uint32_t v = 0; v < 9; v++)
        for (uint32_t i = 0; i < nodes_of[v]; i++, n++) leaf[tree[n] = (n * 5 + 2) % N] = v; /* numbered as may be */
    assert_int_equal(n, N);
    for (uint32_t i = 0; i < N; i++) of[tree[i]] = i;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_mesh_align(&ctx, &(struct hd_job_view){.nleaf = 9, .leaf = leaf},
                                   &(struct hd_mesh_job){.n = N, .nrail = 1}, tree, aligned),
                     HD_OK);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t first = aligned[i / SIZE * SIZE], whole = nodes_of[leaf[aligned[i]]] == SIZE;
        assert_true(aligned[i] < N);
        if (whole) assert_int_equal(leaf[first], leaf[aligned[i]]);
        assert_true(of[aligned[i]] + 1 > last[whole]); /* each once, since it comes after the one before it */
        last[whole] = of[aligned[i]] + 1;
    }
}

/* The row of the order in use has its time, whichever node is first in it. */
static void the_order_in_use_has_its_row(void **state)
{
    static const struct mesh_case c = {"xgft:m=4x4,w=1x2", "dmodk", NULL, "pp=4,dp=4", NULL, 1};
    uint32_t before[16];
    struct opened o;
    struct hd_mesh_plan *plan;
    (void)state;
    for (uint32_t i = 0; i < 16; i++) before[i] = (i * 5 + 7) % 16;
    open_case(&o, &c);
    assert_int_equal(hd_mesh_order(&o.ctx, o.routes, o.nodes, c.mesh, c.bytes, 1, before, &plan), HD_OK);
    assert_string_equal(plan->row[1].name, "current");
    const double seconds = time_of(&o, &c, before);
    assert_true(fabs(plan->row[1].step - seconds) < 1e-9 * seconds);
    hd_mesh_plan_free(plan);
    close_case(&o);
}

static void meshes_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *mesh, *bytes, *words;
    } wrong[] = {{"tp=3", NULL, "mesh: tp*cp*pp*dp is 3 ranks, expected 8: 4 hosts with 2 each"},
                 {"tp=2,dp=4,ep=3", NULL, "ep=3 divides neither dp=4 nor tp*cp*dp=8"},
                 {"tp=2,xp=4", NULL, "xp"},
                 {"tp=0", NULL, "tp"},
                 {"tp=2,dp=4", "dp=-1", "dp"},
                 {"tp=2,dp=4,order=row", NULL, "megatron"}};
    static const struct mesh_case c = {
        "rail:rails=2,units=2,hosts=2,spines=1,uplinks=1", "minhop", NULL, NULL, NULL, 2};
    struct opened o;
    struct hd_mesh_plan *plan;
    (void)state;
    open_case(&o, &c);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hd_status s = hd_mesh_order(&o.ctx, o.routes, o.nodes, wrong[i].mesh, wrong[i].bytes, 0, NULL, &plan);
        assert_true(s == HD_INPUT || s == HD_USAGE);
        if (!strstr(o.ctx.error, wrong[i].words)) fail_msg("%s: %s", wrong[i].mesh, o.ctx.error);
    }
    close_case(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_order_is_better_on_few_nodes),          cmocka_unit_test(never_worse_than_any_row),
        cmocka_unit_test(blocks_of_two_dimensions_reach_the_bound), cmocka_unit_test(bisection_has_its_row),
        cmocka_unit_test(whole_leaf_switches_are_blocks),           cmocka_unit_test(the_order_in_use_has_its_row),
        cmocka_unit_test(meshes_that_do_not_fit_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
