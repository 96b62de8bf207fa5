/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures by name and at random: what goes, what stays, what is said. */
#include "tiny.h"
#include "base/context.h"

static char said[1024];
static void keep_note(void *user, const char *line)
{
    (void)user;
    snprintf(said, sizeof said, "%s", line);
}

static struct hd_net *failed(const struct hd_net *net, const char *what)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    ctx.note = keep_note;
    said[0] = 0;
    hd_status s = hd_net_fail(&ctx, net, what, &out);
    return checked(&ctx, s, out, what);
}

static void refuse(const struct hd_net *net, const char *what, const char *words)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_fail(&ctx, net, what, &out);
    if (s != HD_INPUT) fail_msg("%s: status %d, expected HD_INPUT", what, s);
    if (!strstr(ctx.error, words)) fail_msg("%s: expected '%s' in: %s", what, words, ctx.error);
    assert_null(out);
}

static uint32_t switch_cables(const struct hd_net *net)
{
    return net->nchan / 2 - net->nep;
}

static bool has_switch(const struct hd_net *net, const char *name)
{
    for (uint32_t v = 0; v < net->nsw; v++)
        if (strcmp(hd_node_name(net, v), name) == 0) return true;
    return false;
}

/* Is the cable at this port of the switch of this GUID still there? */
static bool has_cable(const struct hd_net *net, uint64_t guid, uint8_t port)
{
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->guid[v] == guid && net->port[c] == port) return true;
    return false;
}

static void nothing_fails(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=3");
    static const char *const nothing[] = {"", "links=0", "links=0,switches=0,seed=9"};
    for (size_t i = 0; i < 3; i++) {
        struct hd_net *out = failed(net, nothing[i]);
        assert_same_net(net, out);
        assert_string_equal(out->spec, net->spec);
        assert_string_equal(said, "");
        hd_net_free(out);
    }
    hd_net_free(net);
}

static void switches_by_name(void **state)
{
    (void)state;
    struct hd_net *net = tiny("2 3 0 0", "0-2 0-3 1-2 1-3"), *out;
    out = failed(net, "switch=s2");
    assert_int_equal(out->nsw, 3);
    assert_int_equal(out->nep, 5);
    assert_int_equal(switch_cables(out), 2);
    assert_false(has_switch(out, "s2"));
    assert_string_equal(out->spec, "tiny --fail switch=s2");
    assert_string_equal(said, "");
    hd_net_free(out);
    out = failed(net, "switch=s1+s2");
    assert_int_equal(out->nsw, 2);
    assert_int_equal(out->nep, 2);
    assert_string_equal(said,
                        "fail: 3 of 5 endpoints are lost; what is left is 1 connected component, 1 with endpoints");
    hd_net_free(out);
    out = failed(net, "switch=s2+s3");
    assert_string_equal(said,
                        "fail: 0 of 5 endpoints are lost; what is left is 2 connected components, 2 with endpoints");
    hd_net_free(out);
    char guid[64];
    snprintf(guid, sizeof guid, "switch=0x%llX", (unsigned long long)net->guid[3]);
    out = failed(net, guid);
    assert_false(has_switch(out, "s3"));
    hd_net_free(out);
    hd_net_free(net);
}

static void links_by_name(void **state)
{
    (void)state;
    struct hd_net *net = tiny("2 3 0 0", "0-2 0-3 1-2 1-3"), *out;
    out = failed(net, "link=s0:3"); /* to s2 */
    assert_int_equal(switch_cables(out), 3);
    assert_false(has_cable(out, net->guid[0], 3));
    assert_false(has_cable(out, net->guid[2], 1));
    assert_string_equal(out->spec, "tiny --fail link=s0:3");
    hd_net_free(out);
    out = failed(net, "link=s2:1+s0:3,switch=s3"); /* one cable by both ends, and a switch */
    assert_int_equal(switch_cables(out), 1);
    hd_net_free(out);
    out = failed(net, "link=h3:1"); /* an endpoint's cable: it goes */
    assert_int_equal(out->nep, 4);
    assert_string_equal(said,
                        "fail: 1 of 5 endpoints is lost; what is left is 1 connected component, 1 with endpoints");
    assert_string_equal(hd_node_name(out, out->nsw + 3), "h4");
    hd_net_free(out);
    char guid[64];
    snprintf(guid, sizeof guid, "link=0x%llx:1", (unsigned long long)net->guid[net->nsw + 1]); /* port GUID */
    out = failed(net, guid);
    assert_string_equal(hd_node_name(out, out->nsw + 1), "h2");
    hd_net_free(out);
    hd_net_free(net);
}

static struct hd_net *odd_names(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    static const char *const names[] = {"MF0;sw-1:MTX6100/U1", "it's leaf 1, row=2", "twin", "twin"};
    for (uint32_t i = 0; i < 4; i++) hd_builder_switch(b, &(struct hd_switch_in){.name = names[i]});
    hd_builder_cable(b, 0, 1, 1, 1, 0);
    hd_builder_cable(b, 1, 2, 2, 1, 0);
    hd_builder_cable(b, 2, 2, 3, 2, 0);
    hd_builder_cable(b, 2, 3, 1, 3, 0);
    hd_status s = hd_builder_finish(&ctx, b, "odd", &net);
    return checked(&ctx, s, net, "odd");
}

static void names_with_colons_blanks_and_commas(void **state)
{
    (void)state;
    struct hd_net *net = odd_names(), *out;
    out = failed(net, "link=MF0;sw-1:MTX6100/U1:1");
    assert_int_equal(switch_cables(out), 3);
    assert_string_equal(out->spec, "odd --fail 'link=MF0;sw-1:MTX6100/U1:1'");
    hd_net_free(out);
    out = failed(net, "switch=it's leaf 1, row=2"); /* a comma begins a key only before word= */
    assert_int_equal(out->nsw, 3);
    assert_string_equal(out->spec, "odd --fail 'switch=it'\\''s leaf 1, row=2'");
    hd_net_free(out);
    refuse(net, "switch=twin", "several nodes are called 'twin': use a GUID, 0x200000000100002 or 0x200000000100003");
    refuse(net, "link=twin:2", "several nodes are called 'twin'");
    out = failed(net, "link=twin:3"); /* only one of them has a cable there */
    assert_int_equal(switch_cables(out), 3);
    hd_net_free(out);
    hd_net_free(net);
}

/* A name that is perhaps meant is that of a node which is left. */
static void dead_nodes_are_not_suggested(void **state)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    const struct hd_open open = {.fail = "switch=L1-0000", .part = "node-0000"};
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_open(&ctx, "ft:m=4,n=2", &open, &net), HD_INPUT);
    if (!strstr(ctx.error, "no node is called 'node-0000', did you mean 'node-00002'?")) fail_msg("%s", ctx.error);
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=2"); /* 6 switches, 8 cables between them */
    refuse(net, "switch=L1-0010", "no switch is called 'L1-0010', did you mean 'L1-0000'?");
    refuse(net, "switch=nothing-like-it", "no switch is called 'nothing-like-it' (one is 'L1-0000')");
    refuse(net, "switch=node-00000", "no switch is called 'node-00000'");
    refuse(net, "switch=0x1234", "no switch is called '0x1234'");
    refuse(net, "switch=L1-0000+", "expected a name behind the last +");
    refuse(net, "link=L1-0000", "expected NAME:PORT");
    refuse(net, "link=:1", "expected NAME:PORT");
    refuse(net, "link=L1-0000:x", "expected NAME:PORT");
    refuse(net, "link=L1-0000:9", "port 9 of 'L1-0000' has no cable");
    refuse(net, "link=node-0000:1", "no node is called 'node-0000', did you mean 'node-00000'?");
    refuse(net, "links=9", "fail: links=9: there are 8 cables between switches");
    refuse(net, "switches=6", "fail: switches=6: there are 6, and one must remain");
    refuse(net, "switches=7", "there are 6, and one must remain");
    refuse(net, "switch=L1-0000,switches=5", "there are 5, and one must remain");
    refuse(net, "switch=L1-0000,links=7", "there are 6 cables between switches");
    refuse(net, "links=-1", "expected an integer");
    refuse(net, "lnks=1", "did you mean 'links'?");
    refuse(net, "3", "expected key=value");
    hd_net_free(net);
    net = tiny("1", "");
    refuse(net, "switch=s0", "all 1 switches are named: one must remain");
    refuse(net, "links=1", "there are 0 cables between switches");
    hd_net_free(net);
}

static void everything_may_fail_but_one_switch(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=2"), *out;
    out = failed(net, "links=8");
    assert_int_equal(switch_cables(out), 0);
    assert_int_equal(out->nep, 8);
    assert_int_equal(out->shape.missing, 8);
    assert_string_equal(said,
                        "fail: 0 of 8 endpoints are lost; what is left is 6 connected components, 4 with endpoints");
    hd_net_free(out);
    out = failed(net, "switches=5,seed=3");
    assert_int_equal(out->nsw, 1);
    assert_int_equal(switch_cables(out), 0);
    hd_net_free(out);
    hd_net_free(net);
}

static void random_failures_are_exact_and_nested(void **state)
{
    (void)state;
    struct hd_net *net = make_net("xgft:m=4x4x4,w=1x2x3");
    char what[64];
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct hd_net *less = NULL;
        for (uint32_t n = 0; n <= switch_cables(net); n += 7) {
            snprintf(what, sizeof what, "links=%u,seed=%llu", n, (unsigned long long)seed);
            struct hd_net *out = failed(net, what), *again = failed(net, what);
            assert_same_net(out, again);
            assert_int_equal(switch_cables(out), switch_cables(net) - n);
            assert_int_equal(out->nep, net->nep);
            for (uint32_t c = 0; less && c < out->nchan; c++) /* what is left of more was left of less */
                if (out->tail[c] < out->nsw) assert_true(has_cable(less, out->guid[out->tail[c]], out->port[c]));
            hd_net_free(less);
            hd_net_free(again);
            less = out;
        }
        hd_net_free(less);
    }
    hd_net_free(net);
}

static void switches_go_before_links(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=8,n=3");
    struct hd_net *one = failed(net, "switches=3,seed=7"), *both = failed(net, "links=5,switches=3,seed=7");
    assert_int_equal(one->nsw, net->nsw - 3);
    assert_int_equal(both->nsw, one->nsw);
    assert_int_equal(both->nep, one->nep);
    assert_int_equal(switch_cables(both), switch_cables(one) - 5);
    assert_int_equal(both->shape.missing, 5);
    assert_string_equal(both->spec, "ft:m=8,n=3 --fail links=5,switches=3,seed=7");
    for (uint32_t v = 0; v < both->nsw; v++) assert_int_equal(both->guid[v], one->guid[v]);
    hd_net_free(one);
    hd_net_free(both);
    hd_net_free(net);
}

/* Over 4000 seeds each of 8 cables should fail 1000 times when two do; six sigma is 165. */
static void choice_is_uniform(void **state)
{
    (void)state;
    struct hd_net *net = tiny("1 1 1 1 0 0", "0-4 0-5 1-4 1-5 2-4 2-5 3-4 3-5");
    uint32_t gone[8] = {0}, dead[6] = {0};
    char what[64];
    for (int seed = 1; seed <= 4000; seed++) {
        snprintf(what, sizeof what, "links=2,seed=%d", seed);
        struct hd_net *out = failed(net, what);
        for (uint32_t v = 0; v < 4; v++)
            for (uint8_t p = 2; p <= 3; p++) gone[2 * v + p - 2] += !has_cable(out, net->guid[v], p);
        hd_net_free(out);
        snprintf(what, sizeof what, "switches=2,seed=%d", seed);
        out = failed(net, what);
        for (uint32_t v = 0; v < 6; v++) dead[v] += !has_switch(out, hd_node_name(net, v));
        hd_net_free(out);
    }
    for (uint32_t i = 0; i < 8; i++)
        if (gone[i] < 835 || gone[i] > 1165) fail_msg("cable %u failed %u times of 1000 expected", i, gone[i]);
    for (uint32_t v = 0; v < 6; v++)
        if (dead[v] < 1154 || dead[v] > 1512) fail_msg("switch %u failed %u times of 1333 expected", v, dead[v]);
    hd_net_free(net);
}

static void survivors_keep_what_they_had(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=3"), *out = failed(net, "switches=2,links=3,seed=11");
    uint32_t w = 0;
    for (uint32_t v = 0; v < out->nsw + out->nep; v++, w++) {
        while (net->guid[w] != out->guid[v]) w++; /* the order is the same, so this ends */
        assert_int_equal(net->lid[w], out->lid[v]);
        assert_int_equal(net->level[w], out->level[v]);
        assert_string_equal(hd_node_name(net, w), hd_node_name(out, v));
        for (uint32_t i = 0; i < net->shape.n; i++) assert_int_equal(hd_coord(net, w)[i], hd_coord(out, v)[i]);
        for (uint32_t c = out->off[v]; c < out->off[v + 1]; c++) {
            uint32_t k = net->off[w];
            while (net->port[k] != out->port[c]) k++;
            assert_int_equal(net->guid[net->head[k]], out->guid[out->head[c]]);
            assert_int_equal(net->link[k], out->link[c]);
        }
    }
    hd_net_free(out);
    hd_net_free(net);
}

static void described_examples_work(void **state)
{
    (void)state;
    const struct hd_desc *d = hd_fail_desc();
    assert_string_equal(d->name, "fail");
    struct hd_net *net = make_net("ft:m=4,n=3");
    for (size_t i = 0; d->examples[i]; i++) {
        struct hd_net *out = failed(net, d->examples[i]);
        assert_true(out->nchan < net->nchan);
        hd_net_free(out);
    }
    hd_net_free(net);
}

static void open_fails_too(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    struct hd_open open = {.fail = "links=3,switches=1,seed=7", .part = "0"};
    hd_status s = hd_net_open(&ctx, "ft:m=8,n=3", &open, &net);
    checked(&ctx, s, net, "open");
    assert_string_equal(net->spec, "ft:m=8,n=3 --fail links=3,switches=1,seed=7 --part 0");
    hd_net_free(net);
}

/* "A then B" is B of what A has left, link for link; a bad second part is refused and nothing is left behind. */
static void one_failure_after_the_other(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=8,n=3");
    struct hd_net *first = failed(net, "links=9,seed=4"), *then = failed(first, "switch=L2-0040");
    struct hd_net *both = failed(net, "links=9,seed=4 then switch=L2-0040");
    assert_int_equal(both->nsw, net->nsw - 1);
    assert_int_equal(both->nchan, then->nchan);
    assert_memory_equal(both->head, then->head, then->nchan * sizeof *then->head);
    assert_memory_equal(both->guid, then->guid, (then->nsw + then->nep) * sizeof *then->guid);
    assert_string_equal(both->spec, "ft:m=8,n=3 --fail 'links=9,seed=4 then switch=L2-0040'");
    refuse(net, "links=1 then links=9999", "cables between switches");
    /* Three failures and more: what the first ones left is used again. */
    struct hd_net *step = failed(net, "links=3,seed=1"), *next = failed(step, "links=2,seed=2");
    hd_net_free(step);
    step = failed(next, "switches=1,seed=3");
    hd_net_free(next);
    next = failed(step, "links=4,seed=4");
    struct hd_net *all = failed(net, "links=3,seed=1 then links=2,seed=2 then switches=1,seed=3 then links=4,seed=4");
    assert_int_equal(all->nchan, next->nchan);
    assert_memory_equal(all->head, next->head, all->nchan * sizeof *all->head);
    hd_net_free(step);
    hd_net_free(next);
    hd_net_free(all);
    static char often[14 * 1001];
    for (size_t i = 0; i < 1001; i++) memcpy(often + 13 * i, "links=0 then ", 14);
    strcpy(often + 13 * 1000, "links=0");
    refuse(net, often, "more than 1000 failures after each other");
    refuse(net, "links=1 then switch=nosuch", "nosuch");
    hd_net_free(both);
    hd_net_free(then);
    hd_net_free(first);
    hd_net_free(net);
}

/* *net becomes *next, the result of a step. */
static void step(hd_status s, const struct hd_ctx *ctx, struct hd_net **net, struct hd_net **next)
{
    if (s != HD_OK) fail_msg("%s", hd_ctx_error(ctx));
    hd_net_free(*net);
    *net = *next;
}

static void assert_same_edit(const struct hd_net *a, const struct hd_net *b)
{
    uint32_t nodes = b->nsw + b->nep;
    assert_string_equal(a->spec, b->spec);
    assert_int_equal(a->nsw, b->nsw);
    assert_int_equal(a->nep, b->nep);
    assert_int_equal(a->nchan, b->nchan);
    assert_int_equal(a->nsel, b->nsel);
    assert_int_equal(a->lmc, b->lmc);
    assert_int_equal(a->shape.missing, b->shape.missing);
    assert_memory_equal(a->head, b->head, b->nchan * sizeof *b->head);
    assert_memory_equal(a->port, b->port, b->nchan);
    assert_memory_equal(a->guid, b->guid, nodes * sizeof *b->guid);
    assert_memory_equal(a->lid, b->lid, nodes * sizeof *b->lid);
    assert_memory_equal(a->sel, b->sel, b->nsel * sizeof *b->sel);
    if (b->coord) assert_memory_equal(a->coord, b->coord, (size_t)nodes * b->shape.n * sizeof *b->coord);
}

/* All changes in one rebuild give what LIDs, failures, selection and repair give one after the other. */
static void one_rebuild_gives_what_the_steps_give(void **state)
{
    (void)state;
    static const char *const specs[] = {"ft:m=8,n=3", "torus:dims=4x4x3,hosts=2", "deimos",
                                        "random:switches=20,ports=8,hosts=3"};
    static const char *const damage[] = {"links=40,seed=3", "links=9,switches=2 then links=12,seed=5 then switches=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (size_t k = 0; k < 4; k++) {
            struct hd_ctx ctx;
            struct hd_net *whole = NULL, *net = make_net(specs[i]), *next = NULL;
            struct hd_open open = {.fail = damage[k % 2], .part = "0", .endpoints = "[0-6]$"};
            open.set_lmc = true;
            open.lmc = 2;
            open.repair = k >= 2;
            hd_ctx_init(&ctx);
            hd_status s = hd_net_open(&ctx, specs[i], &open, &whole);
            checked(&ctx, s, whole, specs[i]);
            step(hd_net_lids(&ctx, net, NULL, 2, &next), &ctx, &net, &next);
            step(hd_net_fail(&ctx, net, open.fail, &next), &ctx, &net, &next);
            step(hd_net_choose(&ctx, net, &(struct hd_choice){.part = "0", .endpoints = "[0-6]$"}, &next), &ctx, &net,
                 &next);
            if (open.repair) step(hd_net_repair(&ctx, net, &next), &ctx, &net, &next);
            assert_same_edit(whole, net);
            hd_net_free(whole);
            hd_net_free(net);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_fails),
        cmocka_unit_test(switches_by_name),
        cmocka_unit_test(links_by_name),
        cmocka_unit_test(names_with_colons_blanks_and_commas),
        cmocka_unit_test(dead_nodes_are_not_suggested),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(everything_may_fail_but_one_switch),
        cmocka_unit_test(random_failures_are_exact_and_nested),
        cmocka_unit_test(switches_go_before_links),
        cmocka_unit_test(choice_is_uniform),
        cmocka_unit_test(survivors_keep_what_they_had),
        cmocka_unit_test(described_examples_work),
        cmocka_unit_test(open_fails_too),
        cmocka_unit_test(one_rebuild_gives_what_the_steps_give),
        cmocka_unit_test(one_failure_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
