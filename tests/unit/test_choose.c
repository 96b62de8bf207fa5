/* SPDX-License-Identifier: BSD-2-Clause */
/* Connected parts against union-find, and every way of choosing what counts. */
#include "tiny.h"

#include "base/rng.h"
#include "edited_net.h"
#include "net/core/builder.h"
#include "base/context.h"

/* ---- parts --------------------------------------------------------------------------------- */

static void assert_parts(const struct hd_net *net, const char *expect)
{
    struct hd_ctx ctx;
    uint32_t *part_of = calloc(net->nsw + net->nep, sizeof *part_of), n = 0, used = 0;
    char got[512];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_parts(&ctx, net, part_of, &n), HD_OK);
    used += (uint32_t)snprintf(got, sizeof got, "%u:", n);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++)
        used += (uint32_t)snprintf(got + used, sizeof got - used, "%s%u", v == net->nsw ? " | " : " ", part_of[v]);
    assert_string_equal(got, expect);
    free(part_of);
}

static void parts_are_ordered_by_size(void **state)
{
    (void)state;
    static const struct {
        const char *hosts, *cables, *parts;
    } row[] = {
        {"1", "", "1: 0 | 0"},
        {"0", "", "1: 0"},
        {"2 2", "0-1", "1: 0 0 | 0 0 0 0"},
        {"1 3", "", "2: 1 0 | 1 0 0 0"},                          /* more endpoints first, */
        {"1 1 0", "1-2", "2: 1 0 0 | 1 0"},                       /* then more switches, */
        {"1 1 1", "", "3: 0 1 2 | 0 1 2"},                        /* then the first switch */
        {"0 0 2 0 1", "0-1 2-3 2-3 0-1", "3: 2 2 0 0 1 | 0 0 1"}, /* switches alone come last */
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct hd_net *net = tiny(row[i].hosts, row[i].cables);
        assert_parts(net, row[i].parts);
        hd_net_free(net);
    }
}

static uint32_t root_of(const uint32_t *up, uint32_t v)
{
    while (up[v] != v) v = up[v];
    return v;
}

static void parts_against_union_find(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        struct hd_rng rng;
        hd_rng_init(&rng, 2, HD_RNG_TEST, round);
        uint32_t nsw = 1 + hd_rng_below(&rng, 20), used = 0;
        char hosts[128] = "", cables[512] = "";
        for (uint32_t v = 0; v < nsw; v++)
            used += (uint32_t)snprintf(hosts + used, sizeof hosts - used, "%u ", hd_rng_below(&rng, 3));
        used = 0;
        for (uint32_t i = hd_rng_below(&rng, nsw); i-- > 0;) {
            uint32_t u = hd_rng_below(&rng, nsw), v = hd_rng_below(&rng, nsw);
            if (u != v) used += (uint32_t)snprintf(cables + used, sizeof cables - used, "%u-%u ", u, v);
        }
        struct hd_net *net = tiny(hosts, cables);
        struct hd_ctx ctx;
        uint32_t nodes = net->nsw + net->nep, up[128], part_of[128], parts, roots = 0, size[128][2] = {{0}};
        hd_ctx_init(&ctx);
        assert_int_equal(hd_net_parts(&ctx, net, part_of, &parts), HD_OK);
        for (uint32_t v = 0; v < nodes; v++) up[v] = v;
        for (uint32_t c = 0; c < net->nchan; c++) up[root_of(up, net->tail[c])] = root_of(up, net->head[c]);
        for (uint32_t v = 0; v < nodes; v++) {
            roots += up[v] == v;
            assert_true(part_of[v] < parts);
            size[part_of[v]][v < net->nsw]++;
            for (uint32_t w = 0; w < v; w++)
                assert_int_equal(part_of[v] == part_of[w], root_of(up, v) == root_of(up, w));
        }
        assert_int_equal(parts, roots);
        for (uint32_t p = 1; p < parts; p++)
            assert_true(size[p - 1][0] > size[p][0] || (size[p - 1][0] == size[p][0] && size[p - 1][1] >= size[p][1]));
        hd_net_free(net);
    }
}

/* ---- choosing ------------------------------------------------------------------------------ */

static struct hd_net *chosen(const struct hd_net *net, struct hd_choice choice)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_choose(&ctx, net, &choice, &out);
    return checked(&ctx, s, out, "choose");
}

static void refuse(const struct hd_net *net, struct hd_choice choice, const char *words)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_choose(&ctx, net, &choice, &out);
    if (s != HD_INPUT) fail_msg("expected HD_INPUT and '%s', got status %d", words, s);
    if (!strstr(ctx.error, words)) fail_msg("expected '%s' in: %s", words, ctx.error);
    assert_null(out);
}

/* The names of the endpoints that count. */
static void assert_counted(const struct hd_net *net, const char *expect)
{
    char got[1024] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < net->nsel; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%s", i ? " " : "",
                                 hd_node_name(net, net->nsw + net->sel[i]));
    assert_string_equal(got, expect);
}

static void no_choice_is_a_copy(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=2"), *out = chosen(net, (struct hd_choice){0});
    assert_same_net(net, out);
    assert_string_equal(net->spec, out->spec);
    hd_net_free(out);
    hd_net_free(net);
}

static void parts_by_number_and_name(void **state)
{
    (void)state;
    struct hd_net *net = tiny("1 0 2 1", "0-1 2-3"), *out; /* part 0: s2 s3 h1 h2 h3, part 1: s0 s1 h0 */
    static const char *const first[] = {"0", "s2", "s3", "h1", "h3"}, *const second[] = {"1", "s0", "h0"};
    for (size_t i = 0; i < 5; i++) {
        out = chosen(net, (struct hd_choice){.part = first[i]});
        assert_int_equal(out->nsw, 2);
        assert_counted(out, "h1 h2 h3");
        assert_string_equal(out->spec, "tiny --part 0");
        hd_net_free(out);
    }
    for (size_t i = 0; i < 3; i++) {
        out = chosen(net, (struct hd_choice){.part = second[i]});
        assert_counted(out, "h0");
        assert_string_equal(hd_node_name(out, 1), "s1");
        assert_string_equal(out->spec, "tiny --part 1");
        hd_net_free(out);
    }
    char guid[32];
    snprintf(guid, sizeof guid, "0x%llx", (unsigned long long)net->ca_guid[0]);
    out = chosen(net, (struct hd_choice){.part = guid});
    assert_counted(out, "h0");
    hd_net_free(out);
    refuse(net, (struct hd_choice){.part = "2"}, "part: 2: the network has components 0 to 1");
    refuse(net, (struct hd_choice){.part = "s9"}, "part: no node is called 's9', did you mean 's0'?");
    refuse(net, (struct hd_choice){.part = ""}, "part: no node is called ''");
    refuse(net, (struct hd_choice){.part = "99999999999999999999999"}, "part: no node");
    hd_net_free(net);
    net = tiny("2 0", "");
    refuse(net, (struct hd_choice){.part = "1"}, "component 1 has no endpoints; component 0 has most");
    hd_net_free(net);
    net = tiny("1", "");
    refuse(net, (struct hd_choice){.part = "1"}, "the network is connected, it has component 0 only");
    hd_net_free(net);
    net = tiny("0", "");
    refuse(net, (struct hd_choice){.part = "0"}, "component 0 has no endpoints");
    refuse(net, (struct hd_choice){.rail = "0"}, "the network has no endpoints");
    refuse(net, (struct hd_choice){.endpoints = "."}, "the network has no endpoints");
    hd_net_free(net);
}

/* Two planes: mlx5_0 and mlx5_1 of hosts a, b, c on one switch each; a router and an aggregation node. */
static struct hd_net *planes(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    static const char *const names[] = {"a mlx5_0", "b mlx5_0", "c mlx5_0", "a mlx5_1",
                                        "b mlx5_1", "c mlx5_1", "rt",       "an"};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < 2; v++) hd_builder_switch(b, &(struct hd_switch_in){.name = v ? "p1" : "p0", .nports = 8});
    for (uint32_t i = 0; i < 8; i++) {
        enum hd_role role = i < 6 ? HD_ROLE_HOST : i == 6 ? HD_ROLE_ROUTER : HD_ROLE_AGGREGATION;
        uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = names[i], .role = role});
        hd_builder_cable(b, i < 3 ? 0 : 1, i + 1, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
    }
    hd_status s = hd_builder_finish(&ctx, b, "planes", &net);
    return checked(&ctx, s, net, "planes");
}

static void rails(void **state)
{
    (void)state;
    struct hd_net *net = planes(), *out;
    out = chosen(net, (struct hd_choice){.rail = "1"});
    assert_counted(out, "a mlx5_1 b mlx5_1 c mlx5_1");
    assert_int_equal(out->nep, 8); /* the network stays whole */
    assert_string_equal(out->spec, "planes --rail 1");
    hd_net_free(out);
    out = chosen(net, (struct hd_choice){.rail = "1+0"});
    assert_counted(out, "a mlx5_0 b mlx5_0 c mlx5_0 a mlx5_1 b mlx5_1 c mlx5_1");
    hd_net_free(out);
    out = chosen(net, (struct hd_choice){.part = "p1", .rail = "1"}); /* rails keep their numbers in a part */
    assert_counted(out, "a mlx5_1 b mlx5_1 c mlx5_1");
    assert_int_equal(out->rail[out->sel[0]], 1);
    assert_int_equal(out->nrail, 2);
    assert_string_equal(out->spec, "planes --part 0 --rail 1");
    struct hd_net *again = chosen(out, (struct hd_choice){.rail = "1"});
    assert_int_equal(again->nsel, 3);
    hd_net_free(again);
    hd_net_free(out);
    static const char *const bad[] = {"2", "x", "", "0+", "+0", "0+2", "-1", "0 1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuse(net, (struct hd_choice){.rail = bad[i]}, "the network has rails 0 to 1; several are separated by +");
    refuse(net, (struct hd_choice){.part = "p1", .rail = "0"},
           "none of the selected endpoints in component 0 is on rail 0");
    hd_net_free(net);
    net = tiny("2", "");
    refuse(net, (struct hd_choice){.rail = "1"}, "the network has rail 0 only");
    hd_net_free(net);
}

static void endpoints_by_expression(void **state)
{
    (void)state;
    struct hd_net *net = planes(), *out;
    out = chosen(net, (struct hd_choice){.endpoints = "^[ab] "});
    assert_counted(out, "a mlx5_0 b mlx5_0 a mlx5_1 b mlx5_1");
    assert_string_equal(out->spec, "planes --endpoints '^[ab] '");
    hd_net_free(out);
    out = chosen(net, (struct hd_choice){.endpoints = "rt|an|c"}); /* routers and aggregation nodes when asked for */
    assert_counted(out, "c mlx5_0 c mlx5_1 rt an");
    hd_net_free(out);
    out = chosen(net, (struct hd_choice){.endpoints = "^[ab]", .rail = "0", .part = "a mlx5_0"});
    assert_counted(out, "a mlx5_0 b mlx5_0");
    assert_string_equal(out->spec, "planes --part 1 --rail 0 --endpoints '^[ab]'");
    hd_net_free(out);
    refuse(net, (struct hd_choice){.endpoints = "zz"}, "none of the 8 in the network matches 'zz' (one is 'a mlx5_0')");
    refuse(net, (struct hd_choice){.endpoints = "an", .part = "1"}, "none of the 3 in component 1 matches 'an'");
    refuse(net, (struct hd_choice){.endpoints = "("}, "endpoints: '(': expected a regular expression");
    /* What regcomp would copy is counted, whatever it is hidden in. */
    static const char *const longer[] = {"(a{101}){100}",
                                         "(a*){2001}",
                                         "([a-z]*){100}{100}",
                                         "a{30}{30}{30}",
                                         "((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+",
                                         "(aaaa[)]aa){1000}",
                                         "(a[[:alpha:])]){1001}",
                                         "([])]aa){1000}",
                                         "([^])]aa){1000}",
                                         "(\\\\[)]aa){1000}",
                                         "(\\)aa){1000}",
                                         "a{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}",
                                         "a{,2001}",
                                         "(){0}a{1999999999999999999999}"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        refuse(net, (struct hd_choice){.endpoints = longer[i]},
               "more than 2000 characters when repetitions are written out");
    out = chosen(net, (struct hd_choice){.endpoints = "^[({+]*[ab]{1,900}(m+l+x+){0,9}[0-9]*+.{0,200} ([^]x[{]*){0}"});
    assert_counted(out, "a mlx5_0 b mlx5_0 a mlx5_1 b mlx5_1");
    hd_net_free(out);
    refuse(net, (struct hd_choice){.part = "a"}, "nodes called 'a' are in components 1 and 0: expected a number");
    hd_net_free(net);
}

static void a_part_without_hosts_is_refused(void **state)
{
    (void)state;
    const bool keep[8] = {[6] = true, [7] = true};
    struct hd_net *all = planes(), *net = net_keeping(all, (struct keep){.ep = keep}, "rest");
    refuse(net, (struct hd_choice){.part = "0"},
           "component 0 has 2 endpoints, but none of a host; choose some by name ('rt')");
    hd_net_free(net);
    hd_net_free(all);
}

static void a_choice_stays_chosen(void **state)
{
    (void)state;
    struct hd_net *net = planes(), *out = chosen(net, (struct hd_choice){.endpoints = "rt|a mlx5_1"});
    struct hd_net *part = chosen(out, (struct hd_choice){.part = "0"});
    assert_counted(part, "a mlx5_1 rt");
    assert_string_equal(part->spec, "planes --endpoints 'rt|a mlx5_1' --part 0");
    hd_net_free(part);
    hd_net_free(out);
    hd_net_free(net);
}

static void shapes_survive_a_choice(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=3"), *out = chosen(net, (struct hd_choice){.endpoints = "node-0000[0-3]"});
    assert_int_equal(out->nsel, 4);
    assert_int_equal(out->nep, net->nep);
    assert_int_equal(out->shape.kind, HD_SHAPE_TREE);
    assert_int_equal(out->shape.missing, 0);
    hd_net_free(out);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_ordered_by_size),
        cmocka_unit_test(parts_against_union_find),
        cmocka_unit_test(no_choice_is_a_copy),
        cmocka_unit_test(parts_by_number_and_name),
        cmocka_unit_test(rails),
        cmocka_unit_test(endpoints_by_expression),
        cmocka_unit_test(a_part_without_hosts_is_refused),
        cmocka_unit_test(a_choice_stays_chosen),
        cmocka_unit_test(shapes_survive_a_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
