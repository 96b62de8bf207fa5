/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens when METIS fails: its functions are replaced here by ones that return what a test asks for. In builds
 * without METIS there is nothing that could fail. */
#include "testing.h"
#include "heddle/order.h"
#include "base/context.h"

#include <signal.h>

#ifdef HD_HAVE_METIS
#include <metis.h>

static int answers[2];   /* of the calls that follow, the last one of all further calls */
static int calls;        /* of METIS */
static sig_atomic_t got; /* SIGTERM */

int METIS_SetDefaultOptions(idx_t *options)
{
    for (int i = 0; i < METIS_NOPTIONS; i++) options[i] = -1;
    return METIS_OK;
}

int METIS_PartGraphRecursive(idx_t *n, idx_t *constraints, idx_t *first, idx_t *to, idx_t *weight, idx_t *size,
                             idx_t *bytes, idx_t *parts, real_t *share, real_t *uneven, idx_t *options, idx_t *cut,
                             idx_t *part)
{
    (void)constraints, (void)first, (void)to, (void)weight, (void)size, (void)bytes, (void)parts, (void)share;
    (void)uneven, (void)options, (void)cut;
    for (idx_t i = 0; i < *n; i++) part[i] = i / 2 % 2; /* cuts every ring everywhere */
    return answers[calls++ > 0];
}

static void on_term(int signal)
{
    (void)signal;
    got++;
}

/* The first n nodes of two leaves: one split. What it is listed as, and how good it is. */
static hd_status split_mesh(uint32_t n, const char *mesh, const char *bytes, int answer, int again, double *ratio)
{
    struct hd_ctx ctx;
    struct hd_routes *routes;
    struct hd_nodes *all, *nodes;
    uint32_t which[16];
    struct hd_mesh_plan *plan;
    struct hd_net *net = make_net("xgft:m=8x2,w=1x1");
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    answers[0] = answer;
    answers[1] = again;
    calls = 0;
    got = 0;
    assert_int_equal(hd_routes_open(&ctx, net, "dmodk", &routes), HD_OK);
    assert_int_equal(hd_nodes_read(&ctx, net, NULL, 1, &all), HD_OK);
    for (uint32_t i = 0; i < n; i++) which[i] = i;
    assert_int_equal(hd_nodes_pick(&ctx, all, which, n, &nodes), HD_OK);
    hd_status s = hd_mesh_order(&ctx, routes, nodes, mesh, bytes, 1, NULL, &plan);
    if (s == HD_OK) {
        assert_string_equal(plan->row[5].name, "metis");
        *ratio = plan->row[5].step / plan->bound.step;
        hd_mesh_plan_free(plan);
    }
    hd_nodes_free(nodes);
    hd_nodes_free(all);
    hd_routes_free(routes);
    hd_net_free(net);
    return s;
}

/* Two rings whose places alternate. */
static hd_status split_with(int answer, int again, double *ratio)
{
    return split_mesh(16, "pp=2,dp=8,order=tp-pp-dp", "pp=1KiB", answer, again, ratio);
}

/* Leaves of eight and four nodes: exchanging all of the smaller side does not lead back to where it began. */
static void own_splits_keep_the_best_exchanges(void **state)
{
    double ratio = 0;
    (void)state;
    assert_int_equal(
        split_mesh(12, "pp=6,dp=2,order=tp-pp-dp", "pp=8GiB", METIS_ERROR_INPUT, METIS_ERROR_INPUT, &ratio), HD_OK);
    assert_true(ratio < 1.2);
}

static void a_fault_of_metis_is_no_signal(void **state)
{
    double ratio = 0;
    (void)state;
    assert_int_equal(split_with(METIS_ERROR_INPUT, METIS_ERROR_INPUT, &ratio), HD_OK);
    assert_int_equal(calls, 1);
    assert_int_equal(got, 0);
    assert_true(ratio < 2.001); /* our own split: much better than what the replaced one returns */
    assert_int_equal(split_with(METIS_ERROR, METIS_ERROR, &ratio), HD_OK);
    assert_int_equal(calls, 2);
    assert_int_equal(got, 0);
    assert_true(ratio < 2.001);
}

static void a_signal_from_outside_is_passed_on(void **state)
{
    double ratio;
    (void)state;
    assert_int_equal(split_with(METIS_ERROR, METIS_OK, &ratio), HD_OK);
    assert_int_equal(calls, 2);
    assert_int_equal(got, 1);
    assert_true(ratio > 3.9);
}

static void no_memory_is_said(void **state)
{
    double ratio;
    (void)state;
    assert_int_equal(split_with(METIS_ERROR_MEMORY, METIS_ERROR_MEMORY, &ratio), HD_LIMIT);
    assert_int_equal(got, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_of_metis_is_no_signal), cmocka_unit_test(own_splits_keep_the_best_exchanges),
        cmocka_unit_test(a_signal_from_outside_is_passed_on), cmocka_unit_test(no_memory_is_said)};
    signal(SIGTERM, on_term);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "order/mesh_job.h"

static void without_metis_the_split_is_our_own(void **state)
{
    (void)state;
    assert_string_equal(hd_mesh_bisect_name(), "bisection");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_metis_the_split_is_our_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
