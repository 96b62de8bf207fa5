/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs of callers compiled with other headers: older ones are shorter, newer ones longer than what the library
 * knows. A longer one is accepted as long as what is new in it is 0. */
#include "base/status.h"
#include "testing.h"
#include "tiny.h"

#include "heddle.h"

struct fabric {
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *r;
};

static struct fabric make_fabric(void)
{
    struct fabric f;
    hd_ctx_init(&f.ctx);
    f.net = make_net("ft:m=4,n=2");
    assert_int_equal(hd_routes_open(&f.ctx, f.net, "dmodk", &f.r), HD_OK);
    return f;
}

static void free_fabric(struct fabric *f)
{
    hd_routes_free(f->r);
    hd_net_free(f->net);
    hd_ctx_release(&f->ctx);
}

/* What an older program passes ends early: the rest of a request counts as 0, the rest of a result is not written. */
static void older_structs_are_accepted(void **state)
{
    struct fabric f = make_fabric();
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = UINT64_MAX, .ci = 9};
    struct hd_result whole, part;
    struct hd_check check;
    (void)state;
    assert_int_equal(hd_eval(&f.ctx, f.r, &(struct hd_request){.pattern = "bisect", .metric = "ebb"}, &whole), HD_OK);
    memset(&part, 0x55, sizeof part);
    assert_int_equal(
        hd_eval_sized(&f.ctx, f.r, &q, offsetof(struct hd_request, samples), &part, offsetof(struct hd_result, bound)),
        HD_OK);
    assert_int_equal(part.samples, 1000); /* the default, not what lies behind the end */
    assert_memory_equal(&part, &whole, offsetof(struct hd_result, bound));
    for (size_t i = offsetof(struct hd_result, bound); i < sizeof part; i++)
        assert_int_equal(((const char *)&part)[i], 0x55);
    memset(&check, 0x55, sizeof check);
    assert_int_equal(hd_routes_check_sized(&f.ctx, f.r, &check, sizeof check.pairs), HD_OK);
    assert_int_equal(check.pairs, 8 * 7);
    assert_int_equal(check.unreachable, 0x5555555555555555);
    free_fabric(&f);
}

static void newer_structs_are_accepted_unless_they_ask_for_more(void **state)
{
    struct fabric f = make_fabric();
    struct {
        struct hd_request known;
        uint64_t later;
    } q = {.known = {.pattern = "bisect", .metric = "ebb", .samples = 10}};
    struct {
        struct hd_result known;
        uint64_t later[2];
    } result;
    (void)state;
    memset(&result, 0x55, sizeof result);
    assert_int_equal(hd_eval_sized(&f.ctx, f.r, &q.known, sizeof q, &result.known, sizeof result), HD_OK);
    assert_int_equal(result.known.samples, 10);
    assert_int_equal(result.later[0] | result.later[1], 0);
    q.later = 1;
    assert_int_equal(hd_eval_sized(&f.ctx, f.r, &q.known, sizeof q, &result.known, sizeof result), HD_USAGE);
    assert_non_null(strstr(hd_ctx_error(&f.ctx), "struct hd_request: has members set that heddle "));
    free_fabric(&f);
}

/* A request without what it needs is refused, not read. */
static void an_empty_request_is_refused(void **state)
{
    struct fabric f = make_fabric();
    struct hd_result result;
    (void)state;
    assert_int_equal(hd_eval(&f.ctx, f.r, &(struct hd_request){0}, &result), HD_USAGE);
    assert_int_equal(hd_eval(&f.ctx, f.r, NULL, &result), HD_USAGE);
    assert_string_equal(hd_ctx_error(&f.ctx), "evaluation: expected a metric");
    free_fabric(&f);
}

static void nodes_of_a_builder_may_be_newer(void **state)
{
    struct {
        struct hd_switch_in known;
        uint64_t later;
    } in = {.known = {.name = "s", .nports = 4}};
    struct hd_net *net;
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    for (uint64_t later = 0; later < 2; later++) {
        struct hd_builder *b;
        in.later = later;
        assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
        hd_builder_host(b, hd_builder_switch_sized(b, &in.known, sizeof in), 1, 0);
        if (!later) {
            assert_int_equal(hd_builder_finish(&ctx, b, "new", &net), HD_OK);
            assert_string_equal(hd_node_name(net, 0), "s");
            hd_net_free(net);
        } else {
            assert_int_not_equal(hd_builder_finish(&ctx, b, "new", &net), HD_OK);
            assert_non_null(strstr(ctx.error, "struct hd_switch_in: has members set"));
        }
    }
}

static uint64_t always_one(const struct hd_loads *l, const struct hd_metric_in *in)
{
    (void)l, (void)in;
    return HD_ONE;
}

/* Rows too: a metric of a time when nothing followed its function, and one of a time when more does. */
static void added_rows_may_be_older_or_newer(void **state)
{
    struct fabric f = make_fabric();
    struct {
        struct hd_metric known;
        void (*later)(void);
    } row = {.known = {.desc = {.name = "one", .summary = "1"}, .bin_max = 1, .value = always_one, .bound = 77}};
    struct hd_result result;
    (void)state;
    assert_int_equal(hd_registry_add(&f.ctx, HD_METRICS, &row.known.desc, offsetof(struct hd_metric, counts_flows)),
                     HD_OK);
    assert_int_equal(hd_eval(&f.ctx, f.r, &(struct hd_request){.pattern = "ring", .metric = "one"}, &result), HD_OK);
    assert_true(result.value == 1);
    row.known.desc.name = "two";
    row.known.bound = HD_BOUND_NONE;
    assert_int_equal(hd_registry_add(&f.ctx, HD_METRICS, &row.known.desc, sizeof row), HD_OK);
    row.known.desc.name = "three";
    row.later = (void (*)(void))free_fabric;
    assert_int_equal(hd_registry_add(&f.ctx, HD_METRICS, &row.known.desc, sizeof row), HD_USAGE);
    assert_null(hd_registry_find(&f.ctx, HD_METRICS, "three"));
    free_fabric(&f);
}

/* A row without the functions that are always called would crash later. */
static void incomplete_rows_are_refused(void **state)
{
    static const struct hd_engine engine = {.desc = {.name = "mine", .summary = "no route"}};
    static const struct hd_pattern pattern = {.desc = {.name = "mine", .summary = "no draw"}};
    static const struct hd_metric metrics[] = {
        {.desc = {.name = "mine", .summary = "no value"}, .bin_max = 1},
        {.desc = {.name = "mine", .summary = "no largest value"}, .value = always_one}};
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_registry_add(&ctx, HD_ENGINES, &engine.desc, sizeof engine), HD_USAGE);
    assert_int_equal(hd_registry_add(&ctx, HD_PATTERNS, &pattern.desc, sizeof pattern), HD_USAGE);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        assert_int_equal(hd_registry_add(&ctx, HD_METRICS, &metrics[i].desc, sizeof metrics[i]), HD_USAGE);
    assert_string_equal(ctx.error, "registry: metric mine lacks a member that it must have");
    hd_ctx_release(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(older_structs_are_accepted),
                                       cmocka_unit_test(newer_structs_are_accepted_unless_they_ask_for_more),
                                       cmocka_unit_test(an_empty_request_is_refused),
                                       cmocka_unit_test(nodes_of_a_builder_may_be_newer),
                                       cmocka_unit_test(added_rows_may_be_older_or_newer),
                                       cmocka_unit_test(incomplete_rows_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
