/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the public interface that no caller should make: indexes, enumerations and numbers out of range, NULL, sizes
 * that overflow, objects of two networks. Each ends in a status with a message, never in a signal: run by the sanitized
 * build, this test shows memory errors as well. */
#include "order_tools.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>

#define MANY 8 /* nodes of ft:m=4,n=2 */

static const uint32_t twice[MANY] = {0, 1, 2, 3, 4, 5, 6, 6}, zeros[MANY],
                      beyond[MANY] = {0, 1, 2, 3, 4, 5, 6, UINT32_MAX}, as_listed[MANY] = {0, 1, 2, 3, 4, 5, 6, 7},
                      ones[MANY] = {1, 1, 1, 1, 1, 1, 1, 1}, too_many[MANY] = {0, 99999999, 1, 0, 0, 0, 0, 1};

/* ---- orders ---------------------------------------------------------------------------------- */

static void refused(struct hd_ctx *ctx, hd_status status, hd_status expected, const char *what)
{
    if (status != expected) fail_msg("%s: status %d, expected %d: %s", what, status, expected, hd_ctx_error(ctx));
    if (!*hd_ctx_error(ctx)) fail_msg("%s: no message", what);
    *ctx->error = 0;
}

/* Each function that takes an order, with one that is none. */
static void order_everywhere(struct rig *g, const uint32_t *order)
{
    struct hd_ctx *ctx = &g->ctx;
    struct hd_hsd hsd[HD_CASES];
    struct hd_schedule *s = NULL;
    struct hd_mesh_plan *plan = NULL;
    struct hd_out *o = NULL;
    uint32_t per_node[MANY];
    double seconds;
    assert_int_equal(hd_out_memory(ctx, &o), HD_OK);
    refused(ctx, hd_order_count(ctx, g->r, g->all, order, HD_CASE_RING, hsd), HD_USAGE, "hd_order_count");
    refused(ctx, hd_order_count_all(ctx, g->r, g->all, order, hsd, NULL), HD_USAGE, "hd_order_count_all");
    refused(ctx, hd_order_count_ranks(ctx, g->r, g->all, order, ones, hsd, NULL), HD_USAGE, "hd_order_count_ranks");
    refused(ctx, hd_mesh_time(ctx, g->r, g->all, "dp=8", "", 1, order, &seconds), HD_USAGE, "hd_mesh_time");
    refused(ctx, hd_mesh_order(ctx, g->r, g->all, "dp=8", "", 1, order, &plan), HD_USAGE, "hd_mesh_order");
    refused(ctx, hd_schedule_alltoall(ctx, g->r, g->all, order, &s), HD_USAGE, "hd_schedule_alltoall");
    refused(ctx, hd_schedule_slots(ctx, g->r, g->all, order, &s), HD_USAGE, "hd_schedule_slots");
    refused(ctx, hd_schedule_recdbl(ctx, g->r, g->all, order, &s), HD_USAGE, "hd_schedule_recdbl");
    refused(ctx, hd_order_fill(ctx, g->all, order, 0, per_node), HD_USAGE, "hd_order_fill");
    refused(ctx, hd_order_write(ctx, g->all, order, ones, "names", o), HD_USAGE, "hd_order_write");
    refused(ctx, hd_order_write_bound(ctx, g->all, order, ones, &(struct hd_binding){.to = HD_BIND_CORE}, o), HD_USAGE,
            "hd_order_write_bound");
    assert_int_equal(hd_schedule_alltoall(ctx, g->r, g->all, as_listed, &s), HD_OK);
    refused(ctx, hd_schedule_count(ctx, g->r, g->all, order, s, hsd), HD_USAGE, "hd_schedule_count");
    hd_schedule_free(s);
    hd_out_drop(o);
}

static void test_orders(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_nodes *picked = NULL;
    (void)state;
    order_everywhere(&g, twice);
    order_everywhere(&g, zeros);
    order_everywhere(&g, beyond);
    refused(&g.ctx, hd_nodes_pick(&g.ctx, g.all, beyond, MANY, &picked), HD_USAGE, "hd_nodes_pick beyond");
    refused(&g.ctx, hd_nodes_pick(&g.ctx, g.all, twice, MANY, &picked), HD_USAGE, "hd_nodes_pick twice");
    refused(&g.ctx, hd_nodes_fill(&g.ctx, g.all, 0), HD_USAGE, "hd_nodes_fill");
    done(&g);
}

static void test_order_kinds(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_ctx *ctx = &g.ctx;
    struct hd_order *order = NULL;
    struct hd_schedule *s = NULL;
    struct hd_hsd hsd;
    struct hd_out *o = NULL;
    double seconds;
    (void)state;
    assert_int_equal(hd_out_memory(ctx, &o), HD_OK);
    refused(ctx, hd_order_make(ctx, g.r, g.all, (enum hd_goal)99, &order), HD_USAGE, "goal 99");
    refused(ctx, hd_order_make(ctx, g.r, g.all, (enum hd_goal)(HD_FOR_SORTED + 1), &order), HD_USAGE, "goal past end");
    refused(ctx, hd_order_count(ctx, g.r, g.all, NULL, (enum hd_case)HD_CASES, &hsd), HD_USAGE, "case past the last");
    refused(ctx,
            hd_order_write_bound(ctx, g.all, as_listed, ones,
                                 &(struct hd_binding){.to = (enum hd_bind)77, .domains = 1, .cores = 1}, o),
            HD_USAGE, "bind 77");
    refused(ctx, hd_order_write(ctx, g.all, NULL, ones, "names", o), HD_USAGE, "no order");
    refused(ctx, hd_order_write(ctx, g.all, as_listed, ones, NULL, o), HD_USAGE, "no format");
    refused(ctx, hd_schedule_alltoall(ctx, g.r, g.all, NULL, &s), HD_USAGE, "schedule without an order");
    refused(ctx, hd_mesh_time(ctx, g.r, g.all, NULL, "", 1, NULL, &seconds), HD_USAGE, "mesh NULL");
    assert_int_equal(hd_schedule_alltoall(ctx, g.r, g.all, as_listed, &s), HD_OK);
    assert_int_equal(hd_schedule_to(s, 1000000, 0), UINT32_MAX);
    assert_int_equal(hd_schedule_to(s, s->stages, 0), UINT32_MAX);
    assert_int_equal(hd_schedule_to(s, UINT64_MAX, 0), UINT32_MAX);
    assert_int_equal(hd_schedule_to(s, 0, MANY), UINT32_MAX);
    assert_int_not_equal(hd_schedule_to(s, 0, 0), UINT32_MAX);
    hd_schedule_free(s);
    hd_out_drop(o);
    done(&g);
}

/* Each function that takes routes and nodes, with nodes of another network. */
static void nodes_everywhere(struct rig *g, struct hd_nodes *nodes)
{
    struct hd_ctx *ctx = &g->ctx;
    struct hd_hsd hsd[HD_CASES];
    struct hd_order *order = NULL;
    struct hd_schedule *s = NULL;
    struct hd_mesh_plan *plan = NULL;
    struct hd_interference *met = NULL;
    struct hd_nodes *unused = NULL;
    struct hd_shared shared;
    struct hd_advice advice;
    struct hd_running_job job = {"other", NULL, nodes};
    const struct hd_jobs jobs = {.n = 1, .job = &job}, none = {.n = 0};
    uint32_t which[MANY];
    uint64_t samples;
    double value;
    for (enum hd_goal goal = HD_FOR_TREE; goal <= HD_FOR_SORTED; goal++)
        refused(ctx, hd_order_make(ctx, g->r, nodes, goal, &order), HD_USAGE, "hd_order_make");
    refused(ctx, hd_order_count(ctx, g->r, nodes, NULL, HD_CASE_RING, hsd), HD_USAGE, "hd_order_count");
    refused(ctx, hd_order_count_all(ctx, g->r, nodes, NULL, hsd, &value), HD_USAGE, "hd_order_count_all");
    refused(ctx, hd_order_count_ranks(ctx, g->r, nodes, NULL, nodes->slots, hsd, NULL), HD_USAGE, "count_ranks");
    refused(ctx, hd_order_bound(ctx, g->r, nodes, &value), HD_USAGE, "hd_order_bound");
    refused(ctx, hd_order_choose(ctx, g->r, nodes, 4, which, &advice), HD_USAGE, "hd_order_choose");
    refused(ctx, hd_order_shared(ctx, g->r, g->all, nodes, &shared), HD_USAGE, "hd_order_shared");
    refused(ctx, hd_order_shared(ctx, g->r, nodes, g->all, &shared), HD_USAGE, "hd_order_shared");
    refused(ctx, hd_order_ebb(ctx, g->r, nodes, &value, &samples), HD_USAGE, "hd_order_ebb");
    refused(ctx, hd_mesh_time(ctx, g->r, nodes, "dp=8", "", 1, NULL, &value), HD_USAGE, "hd_mesh_time");
    refused(ctx, hd_mesh_order(ctx, g->r, nodes, "dp=8", "", 1, NULL, &plan), HD_USAGE, "hd_mesh_order");
    refused(ctx, hd_jobs_meet(ctx, g->r, &jobs, g->all, &met), HD_USAGE, "hd_jobs_meet");
    refused(ctx, hd_jobs_meet(ctx, g->r, &none, nodes, &met), HD_USAGE, "hd_jobs_meet, mine");
    refused(ctx, hd_jobs_unused(ctx, &jobs, g->all, &unused), HD_USAGE, "hd_jobs_unused");
    refused(ctx, hd_jobs_place(ctx, g->r, &none, nodes, 4, which, &advice), HD_USAGE, "hd_jobs_place");
    if (nodes->n != MANY || g->all->n != MANY) return;
    refused(ctx, hd_schedule_alltoall(ctx, g->r, nodes, as_listed, &s), HD_USAGE, "hd_schedule_alltoall");
    refused(ctx, hd_schedule_slots(ctx, g->r, nodes, as_listed, &s), HD_USAGE, "hd_schedule_slots");
    refused(ctx, hd_schedule_recdbl(ctx, g->r, nodes, as_listed, &s), HD_USAGE, "hd_schedule_recdbl");
    assert_int_equal(hd_schedule_alltoall(ctx, g->r, g->all, as_listed, &s), HD_OK);
    refused(ctx, hd_schedule_count(ctx, g->r, nodes, as_listed, s, hsd), HD_USAGE, "hd_schedule_count");
    hd_schedule_free(s);
}

/* Nodes of a larger network than that of the tables, of a smaller one, and of another with as many. */
static void test_two_networks(void **state)
{
    struct rig small = rig("ft:m=4,n=2", "minhop"), large = rig("ft:m=8,n=2", "minhop"),
               ring = rig("torus:dims=8,hosts=1", "minhop");
    struct hd_ctx *ctx = &small.ctx;
    struct hd_report *report = NULL;
    struct hd_diff diff;
    (void)state;
    assert_int_equal(ring.all->n, MANY);
    nodes_everywhere(&small, large.all);
    nodes_everywhere(&small, ring.all);
    nodes_everywhere(&large, small.all);
    refused(ctx, hd_routes_diff(ctx, small.r, large.r, &diff), HD_USAGE, "hd_routes_diff");
    struct hd_advise_in in = {.net = small.net, .net_text = "x", .current = large.r, .current_text = "y"};
    refused(ctx, hd_advise(ctx, &in, &report), HD_USAGE, "hd_advise");
    refused(ctx, hd_advise(ctx, &(struct hd_advise_in){0}, &report), HD_USAGE, "hd_advise of nothing");
    done(&small);
    done(&large);
    done(&ring);
}

/* ---- builder --------------------------------------------------------------------------------- */

static struct hd_builder *builder(struct hd_ctx *ctx)
{
    struct hd_builder *b = NULL;
    assert_int_equal(hd_builder_make(ctx, &b), HD_OK);
    return b;
}

static void refused_by_finish(struct hd_ctx *ctx, struct hd_builder *b, const char *words)
{
    struct hd_net *net = NULL;
    refused(ctx, hd_builder_finish(ctx, b, "x", &net), HD_INPUT, words);
}

/* A leaf switch with two hosts, in a network of this shape. */
static hd_status finish_shape(struct hd_ctx *ctx, const struct hd_shape *shape, uint8_t level, const char *words)
{
    struct hd_builder *b = builder(ctx);
    struct hd_net *net = NULL;
    hd_builder_shape(b, shape);
    uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.level = level});
    hd_builder_host(b, sw, 1, 0);
    hd_builder_coord(b, hd_builder_host(b, sw, 2, 0), (const uint16_t[HD_MAX_DIM]){1});
    hd_status s = hd_builder_finish(ctx, b, "x", &net);
    if (s == HD_OK) hd_net_free(net);
    if (words && !strstr(hd_ctx_error(ctx), words)) fail_msg("expected '%s': %s", words, hd_ctx_error(ctx));
    return s;
}

static void test_shapes(void **state)
{
    static const struct {
        struct hd_shape shape;
        uint8_t level;
        hd_status status;
        const char *words;
    } rows[] = {
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {2}, .w = {1}, .p = {1}}, 1, HD_OK, NULL},
        {{.kind = HD_SHAPE_TREE, .n = 17, .m = {2}, .w = {1}, .p = {1}}, 1, HD_INPUT, "dimensions"},
        {{.kind = HD_SHAPE_TREE, .n = 4000000000u, .m = {2}, .w = {1}, .p = {1}}, 1, HD_INPUT, "dimensions"},
        {{.kind = (enum hd_shape_kind)77, .n = 1, .m = {2}, .w = {1}, .p = {1}}, 1, HD_INPUT, "kind"},
        {{.kind = HD_SHAPE_TREE}, 1, HD_INPUT, "dimensions"},
        {{.kind = HD_SHAPE_NONE, .n = 1, .m = {2}, .w = {1}, .p = {1}}, 1, HD_INPUT, "dimensions"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {0}, .w = {1}, .p = {1}}, 1, HD_INPUT, "m is"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {2}, .w = {0}, .p = {1}}, 1, HD_INPUT, "w is"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {2}, .w = {1}, .p = {0}}, 1, HD_INPUT, "p is"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {2}, .w = {UINT32_MAX}, .p = {1}}, 1, HD_INPUT, "w is"},
        {{.kind = HD_SHAPE_GRID, .n = 1, .m = {2}, .w = {9}, .p = {1}}, 1, HD_INPUT, "w of a grid"},
        {{.kind = HD_SHAPE_GRID, .n = 4, .m = {65536, 65536, 65536, 2}, .w = {0}, .p = {1, 1, 1, 1}},
         1,
         HD_INPUT,
         "2^48"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {1}, .w = {1}, .p = {1}}, 1, HD_INPUT, "coordinate 1"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {2}, .w = {1}, .p = {1}}, 0, HD_INPUT, "level"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {2}, .w = {1}, .p = {1}}, 254, HD_INPUT, "level"},
    };
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hd_status s = finish_shape(&ctx, &rows[i].shape, rows[i].level, rows[i].words);
        if (s != rows[i].status) fail_msg("shape %zu: %d, %s", i, s, hd_ctx_error(&ctx));
        char text[HD_MAX_SPEC], why[160];
        if (rows[i].shape.n > HD_MAX_DIM) {
            hd_shape_spec(&rows[i].shape, text);
            assert_string_equal(text, "");
            assert_false(hd_rlft_check(&rows[i].shape, why));
        }
    }
}

static void test_builder(void **state)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 48, ((size_t)1 << 28) + 1};
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    struct hd_builder *b;
    (void)state;
    hd_ctx_init(&ctx);
    for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
        b = builder(&ctx);
        hd_builder_reserve(b, i % 3 == 0 ? sizes[i / 3] : 0, i % 3 == 1 ? sizes[i / 3] : 0,
                           i % 3 == 2 ? sizes[i / 3] : 0);
        hd_builder_switch(b, &(struct hd_switch_in){0});
        refused_by_finish(&ctx, b, "reserve");
    }
    b = builder(&ctx);
    hd_builder_shape(b, NULL);
    hd_builder_switch(b, &(struct hd_switch_in){0});
    refused_by_finish(&ctx, b, "shape NULL");
    b = builder(&ctx);
    hd_builder_reserve(b, 0, 0, 0);
    hd_builder_adapter(b, &(struct hd_adapter_in){.role = (enum hd_role)99});
    refused_by_finish(&ctx, b, "role 99");
    b = builder(&ctx);
    hd_builder_switch(b, &(struct hd_switch_in){0});
    hd_builder_lmc(b, HD_ENDPOINT_BIT | 777, 1);
    refused_by_finish(&ctx, b, "LMC of no endpoint");
    b = builder(&ctx);
    hd_builder_shape(b, &(struct hd_shape){.kind = HD_SHAPE_TREE, .n = 1, .m = {2}, .w = {1}, .p = {1}});
    hd_builder_switch(b, &(struct hd_switch_in){.level = 1});
    hd_builder_coord(b, 5, (const uint16_t[]){0});
    refused_by_finish(&ctx, b, "coordinates of no node");
    b = builder(&ctx);
    hd_builder_switch(b, &(struct hd_switch_in){0});
    refused(&ctx, hd_builder_finish(&ctx, b, NULL, &net), HD_USAGE, "spec NULL");
}

/* ---- numbers, names, NULL -------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 7, 1e-9};
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_ctx *ctx = &g.ctx;
    struct hd_result result;
    struct hd_sim_result sim;
    struct hd_design *design = NULL;
    uint64_t load[1000];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hd_request q = {.metric = "ebb", .pattern = "bisect", .samples = 10, .ci = bad[i]};
        refused(ctx, hd_eval(ctx, g.r, &q, &result), HD_USAGE, "ci");
    }
    struct hd_request q = {.metric = "ebb", .pattern = "bisect", .samples = 10, .load_sum = load};
    refused(ctx, hd_eval(ctx, g.r, &q, &result), HD_USAGE, "load_sum without load_max");
    q = (struct hd_request){.metric = "ebb", .pattern = "bisect", .endpoint = beyond, .nendpoint = MANY};
    refused(ctx, hd_eval(ctx, g.r, &q, &result), HD_USAGE, "endpoint beyond the last");
    q = (struct hd_request){.metric = "ebb", .pattern = "bisect", .samples = 10, .ci = 1};
    assert_int_equal(hd_eval(ctx, g.r, &q, &result), HD_OK);
    q = (struct hd_request){.metric = "ebb", .pattern = "bisect", .samples = (uint64_t)1 << 61};
    refused(ctx, hd_eval(ctx, g.r, &q, &result), HD_USAGE, "samples of an evaluation");
    q = (struct hd_request){.metric = "ebb", .pattern = "bisect", .ci = 1, .max_samples = (uint64_t)1 << 61};
    refused(ctx, hd_eval(ctx, g.r, &q, &result), HD_USAGE, "most samples of an evaluation");
    q = (struct hd_request){.metric = "hsd", .pattern = "ring", .endpoint = (uint32_t[]){0, 5, 2, 5}, .nendpoint = 4};
    refused(ctx, hd_eval(ctx, g.r, &q, &result), HD_USAGE, "an endpoint twice");
    struct hd_sim_request s = {.pattern = "bisect", .samples = (uint64_t)1 << 61};
    refused(ctx, hd_sim(ctx, g.r, &s, &sim), HD_USAGE, "samples");
    s = (struct hd_sim_request){.pattern = "bisect", .size = UINT64_MAX, .messages = UINT64_MAX};
    refused(ctx, hd_sim(ctx, g.r, &s, &sim), HD_USAGE, "size and messages");
    s = (struct hd_sim_request){.pattern = "bisect", .series = load, .nseries = 10};
    refused(ctx, hd_sim(ctx, g.r, &s, &sim), HD_USAGE, "series without an interval");
    refused(
        ctx,
        hd_design_make(ctx, &(struct hd_design_in){.endpoints = UINT64_MAX, .radix = UINT64_MAX, .rails = 1}, &design),
        HD_USAGE, "design");
    done(&g);
}

static void test_names(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    (void)state;
    assert_null(hd_role_name((enum hd_role)HD_ROLES));
    assert_null(hd_case_name((enum hd_case)HD_CASES));
    assert_null(hd_goal_name((enum hd_goal)99));
    assert_null(hd_mesh_kind_name((enum hd_mesh_kind)HD_MESH_KINDS));
    assert_null(hd_cabling_name((enum hd_cabling_kind)HD_CABLING_KINDS));
    assert_null(hd_verdict_name((enum hd_verdict)3));
    assert_null(hd_registry_name((enum hd_registry)HD_REGISTRIES));
    assert_null(hd_registry_at(&g.ctx, (enum hd_registry)99, 0));
    assert_null(hd_registry_find(&g.ctx, (enum hd_registry)99, "x"));
    assert_null(hd_registry_find(&g.ctx, HD_ENGINES, NULL));
    done(&g);
}

/* Folders to write, of what there is; and advice that is written for another network than it was given for. */
static void test_no_folder(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop"), other = rig("ft:m=4,n=2", "minhop");
    struct hd_ctx *ctx = &g.ctx;
    struct hd_transition *t = NULL;
    struct hd_maintenance *m = NULL;
    struct hd_report *report = NULL;
    struct hd_advise_in in = {.net = g.net, .net_text = "x", .compare_only = true};
    (void)state;
    assert_int_equal(hd_routes_transition(ctx, g.r, g.r, &t), HD_OK);
    refused(ctx, hd_transition_write(ctx, t, NULL), HD_USAGE, "hd_transition_write");
    hd_transition_free(t);
    assert_int_equal(hd_routes_maintenance(ctx, g.r, "link=L1-0000:3", NULL, &m), HD_OK);
    refused(ctx, hd_maintenance_write(ctx, m, NULL), HD_USAGE, "hd_maintenance_write");
    hd_maintenance_free(m);
    assert_int_equal(hd_advise(ctx, &in, &report), HD_OK);
    refused(ctx, hd_advise_write(ctx, &in, report, NULL), HD_USAGE, "hd_advise_write");
    in.net = other.net;
    refused(ctx, hd_advise_write(ctx, &in, report, "/nowhere/x"), HD_USAGE, "hd_advise_write, another network");
    in.net = NULL;
    refused(ctx, hd_advise_write(ctx, &in, report, "/nowhere/x"), HD_USAGE, "hd_advise_write, no network");
    hd_report_free(report);
    done(&g);
    done(&other);
}

/* What has no status gives nothing, or leaves out what it was not asked for. */
static void test_nothing_given(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    const uint32_t beyond_all = g.net->nsw + g.net->nep;
    struct hd_cabling_fault fault = {.kind = HD_CABLING_SWAPPED,
                                     .from = {.node = beyond_all, .port = 3},
                                     .to = {.node = UINT32_MAX - 1},
                                     .from2 = {.node = 0, .port = 1},
                                     .to2 = {.node = beyond_all, .name = "x"}};
    union hd_number value;
    char text[400];
    double ns;
    (void)state;
    assert_false(hd_number_parse(HD_UINT, 0, 7, NULL, &value));
    assert_false(hd_number_parse(HD_BYTES, 0, 7, NULL, &value));
    assert_false(hd_number_parse(HD_REAL, 0, 7, NULL, &value));
    assert_int_equal(hd_link_code(NULL, 5), 0);
    assert_string_equal(hd_sim_model(g.net, NULL), hd_sim_model(g.net, &ns));
    hd_cabling_text(g.net, NULL, &fault, text, sizeof text);
    assert_non_null(
        strstr(text, "a switch that is not in the fabric port 3 - a switch that is not in the fabric and "));
    assert_non_null(strstr(text, " - x: exchange "));
    fault.kind = HD_CABLING_DEAD;
    hd_cabling_text(g.net, NULL, &fault, text, sizeof text);
    assert_string_equal(text, "a switch that is not in the fabric");
    done(&g);
}

static void test_nothing(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_ctx *ctx = &g.ctx;
    struct hd_net *net = NULL;
    struct hd_routes *r = NULL;
    struct hd_jobs *jobs = NULL;
    struct hd_out *o = NULL;
    struct hd_maintenance *m = NULL;
    struct hd_nodes *picked = NULL;
    const struct hd_binding none = {HD_BIND_NONE, 1, 1};
    struct hd_hsd hsd[HD_CASES];
    uint8_t row[64];
    bool table;
    (void)state;
    refused(ctx, hd_net_open(ctx, NULL, NULL, &net), HD_USAGE, "hd_net_open");
    refused(ctx, hd_net_read(ctx, NULL, NULL, &net), HD_USAGE, "hd_net_read");
    refused(ctx, hd_net_fail(ctx, g.net, NULL, &net), HD_USAGE, "hd_net_fail");
    refused(ctx, hd_net_lids(ctx, g.net, NULL, 8, &net), HD_USAGE, "hd_net_lids");
    refused(ctx, hd_file_is_table(ctx, NULL, &table), HD_USAGE, "hd_file_is_table");
    refused(ctx, hd_routes_open(ctx, g.net, NULL, &r), HD_USAGE, "hd_routes_open");
    refused(ctx, hd_routes_read(ctx, g.net, NULL, HD_USE_FIRST, &r), HD_USAGE, "hd_routes_read");
    refused(ctx, hd_routes_read(ctx, g.net, "x", (enum hd_use)9, &r), HD_USAGE, "hd_routes_read, use 9");
    refused(ctx, hd_routes_switch_row(ctx, g.r, g.net->nsw, row), HD_USAGE, "hd_routes_switch_row");
    refused(ctx, hd_routes_maintenance(ctx, g.r, NULL, NULL, &m), HD_USAGE, "hd_routes_maintenance");
    refused(ctx, hd_jobs_read(ctx, g.net, NULL, &jobs), HD_USAGE, "hd_jobs_read");
    refused(ctx, hd_out_open(ctx, NULL, &o), HD_USAGE, "hd_out_open");
    refused(ctx, hd_deploy(ctx, g.r, NULL, false), HD_USAGE, "hd_deploy");
    refused(ctx, hd_registry_add(ctx, HD_ENGINES, NULL, sizeof(struct hd_engine)), HD_USAGE, "hd_registry_add");
    refused(ctx, hd_nodes_pick(ctx, g.all, NULL, 2, &picked), HD_USAGE, "hd_nodes_pick");
    refused(ctx, hd_order_count_ranks(ctx, g.r, g.all, NULL, NULL, hsd, NULL), HD_USAGE, "hd_order_count_ranks");
    assert_int_equal(hd_out_memory(ctx, &o), HD_OK);
    refused(ctx, hd_order_write(ctx, g.all, as_listed, NULL, "names", o), HD_USAGE, "hd_order_write");
    refused(ctx, hd_order_write_bound(ctx, g.all, as_listed, ones, NULL, o), HD_USAGE, "hd_order_write_bound");
    refused(ctx, hd_order_write_bound(ctx, g.all, as_listed, NULL, &none, o), HD_USAGE, "bound, ranks NULL");
    for (size_t i = 0; hd_order_format_at(i); i++)
        refused(ctx, hd_order_write(ctx, g.all, as_listed, too_many, hd_order_format_at(i)->name, o), HD_USAGE,
                hd_order_format_at(i)->name);
    refused(ctx, hd_order_write_bound(ctx, g.all, as_listed, too_many, &none, o), HD_USAGE, "bound, 10^8 + 1 ranks");
    refused(ctx, hd_order_count_ranks(ctx, g.r, g.all, NULL, too_many, hsd, NULL), HD_USAGE, "count, 10^8 + 1 ranks");
    refused(ctx, hd_net_write(ctx, g.net, NULL, o), HD_USAGE, "hd_net_write");
    refused(ctx, hd_routes_write(ctx, g.r, NULL, o), HD_USAGE, "hd_routes_write");
    hd_out_drop(o);
    done(&g);
}

/* ---- engines from outside ---------------------------------------------------------------------------- */

static hd_status route_nowhere(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt;
    (void)scratch;
    HD_TRY(hd_routes_table(ctx, r, 1));
    hd_routes_entries(r, 0, 0)[0] = 200;
    return HD_OK;
}

static hd_status route_without(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt;
    (void)scratch;
    return hd_routes_table(ctx, r, 0);
}

static void test_engines(void **state)
{
    static const struct hd_engine slots = {.desc = {.name = "nowhere", .summary = "x", .opt_size = 1},
                                           .route = route_nowhere},
                                  none = {.desc = {.name = "without", .summary = "x", .opt_size = 1},
                                          .route = route_without};
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = make_net("ft:m=4,n=2");
    struct hd_routes *r = NULL;
    (void)state;
    assert_int_equal(hd_registry_add(ctx, HD_ENGINES, &slots.desc, sizeof slots), HD_OK);
    assert_int_equal(hd_registry_add(ctx, HD_ENGINES, &none.desc, sizeof none), HD_OK);
    refused(ctx, hd_routes_open(ctx, net, "nowhere", &r), HD_INPUT, "slot 200");
    refused(ctx, hd_routes_open(ctx, net, "without", &r), HD_INPUT, "no variant");
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static hd_status endless_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **made)
{
    uint64_t *stages = hd_alloc(arena, 1, sizeof *stages);
    if (!stages) return hd_fail_memory(ctx);
    *stages = *(const uint64_t *)in->opt;
    *made = stages;
    return HD_OK;
}

static uint64_t endless_stages(const void *made)
{
    return *(const uint64_t *)made;
}

static uint32_t endless_flows(const void *made)
{
    (void)made;
    return 1;
}

static void endless_draw(const void *made, struct hd_rng *rng, uint64_t stage, struct hd_flows *flows)
{
    (void)made;
    (void)rng;
    hd_flows_begin(flows, true);
    flows->buf[0][0] = 0;
    flows->buf[1][0] = 1 + (uint32_t)(stage % 7);
    flows->n = 1;
}

struct patience {
    uint64_t asked, after; /* how often, and after how many times to stop */
};

static bool stop_after(void *user)
{
    struct patience *p = user;
    return ++p->asked > p->after;
}

/* A sequence is drawn twice: for its value, and for its bound. Whenever it is stopped, it ends, and what was not drawn
 * to its end has no bound. */
static void test_stop(void **state)
{
    static const struct hd_param params[] = {{"stages", HD_UINT, "1", "x", 0, 1, 1e15, NULL, false}, {0}};
    static const struct hd_pattern endless = {
        .desc = {.name = "endless", .summary = "x", .params = params, .opt_size = sizeof(uint64_t)},
        .init = endless_init,
        .stages = endless_stages,
        .max_flows = endless_flows,
        .draw = endless_draw};
    static const struct {
        const char *pattern;
        uint64_t after;
        bool whole, bound;
    } rows[] = {{"endless:stages=1000000000000", 3, false, false}, /* while it is evaluated */
                {"endless:stages=20000", 22, true, false},         /* while it is bounded */
                {"endless:stages=20000", 1000, true, true}};
    struct rig g = rig("ft:m=4,n=2", "minhop");
    (void)state;
    assert_int_equal(hd_registry_add(&g.ctx, HD_PATTERNS, &endless.desc, sizeof endless), HD_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct patience p = {.after = rows[i].after};
        struct hd_result result;
        hd_ctx_set_stop(&g.ctx, stop_after, &p);
        hd_status s = hd_eval(&g.ctx, g.r, &(struct hd_request){.metric = "ebb", .pattern = rows[i].pattern}, &result);
        if (s != HD_OK) fail_msg("%s", hd_ctx_error(&g.ctx));
        assert_int_equal(hd_ctx_stopped(&g.ctx), !rows[i].bound);
        assert_int_equal(result.samples == 20000, rows[i].whole);
        assert_int_equal(!isnan(result.bound), rows[i].bound);
    }
    hd_ctx_release(&g.ctx);
    done(&g);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *evaluate_here(void *status)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_result result;
    hd_ctx_set_threads(&g.ctx, INT_MAX);
    *(hd_status *)status =
        hd_eval(&g.ctx, g.r, &(struct hd_request){.metric = "ebb", .pattern = "bisect", .samples = 10}, &result);
    if (hd_ctx_threads(&g.ctx) > 1024) *(hd_status *)status = HD_FAULT;
    done(&g);
    return NULL;
}

/* libgomp keeps 4096 records on the stack of the thread that starts as many: more than this one has. */
static void test_threads(void **state)
{
    struct hd_ctx *ctx = hd_ctx_new();
    pthread_attr_t attr;
    pthread_t thread;
    hd_status status = HD_FAULT;
    (void)state;
    hd_ctx_set_threads(ctx, 100000);
    assert_int_equal(hd_ctx_threads(ctx), 4096);
    hd_ctx_set_threads(ctx, INT_MIN);
    assert_int_equal(hd_ctx_threads(ctx), 0);
    hd_ctx_free(ctx);
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, 256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attr, evaluate_here, &status), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
    assert_int_equal(status, HD_OK);
}

/* More ranks than any job has would be a file without end. */
static void test_ranks(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_nodes *nodes = NULL;
    (void)state;
    refused(&g.ctx, hd_nodes_fill(&g.ctx, g.all, 65536), HD_USAGE, "ranks per node");
    refused(&g.ctx, hd_nodes_read(&g.ctx, g.net, NULL, 65536, &nodes), HD_USAGE, "ranks per node of a list");
    assert_int_equal(hd_nodes_fill(&g.ctx, g.all, 65535), HD_OK);
    done(&g);
}

static void test_unknown_engines(void **state)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_report *report = NULL;
    const char *engine[] = {"dmodk", "nosuch"};
    struct hd_advise_in in = {.net = g.net, .net_text = "x", .engine = engine, .nengine = 2};
    (void)state;
    refused(&g.ctx, hd_advise(&g.ctx, &in, &report), HD_INPUT, "an engine that is unknown");
    done(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_order_kinds),
        cmocka_unit_test(test_two_networks),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_nothing_given),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_unknown_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
