/* SPDX-License-Identifier: BSD-2-Clause */
/* Builder and invariants: what the builder refuses, and that hd_net_check notices every kind of damage. */
#include "testing.h"

#include "base/status.h"
#include "edited_net.h"
#include "net/core/builder.h"
#include "net/core/facts.h"
#include "net/core/link_usual.h"
#include "base/context.h"

static struct hd_builder *builder(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    return b;
}

static void finish_refuses(struct hd_builder *b, const char *words)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_finish(&ctx, b, "test", &net), HD_INPUT);
    if (!strstr(ctx.error, words)) fail_msg("expected '%s' in: %s", words, ctx.error);
    assert_null(net);
}

static struct hd_net *finish(struct hd_builder *b)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_builder_finish(&ctx, b, "test", &net);
    return checked(&ctx, s, net, "test");
}

static const struct hd_switch_in plain;

static void builder_refuses_what_cannot_be(void **state)
{
    (void)state;
    finish_refuses(builder(), "no switch");

    struct hd_builder *b = builder();
    uint32_t s = hd_builder_switch(b, &plain);
    hd_builder_cable(b, s, 1, s, 2, 0);
    finish_refuses(b, "its own port");

    b = builder();
    s = hd_builder_switch(b, &plain);
    hd_builder_host(b, s, 1, 0);
    hd_builder_host(b, s, 1, 0);
    finish_refuses(b, "port 1 is used by two cables");

    b = builder();
    hd_builder_switch(b, &plain);
    uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = "h"});
    uint32_t e = hd_builder_endpoint(b, a, 1, 0, 0), f = hd_builder_endpoint(b, a, 2, 0, 0);
    hd_builder_cable(b, e, 1, f, 1, 0);
    finish_refuses(b, "without a switch");

    b = builder();
    hd_builder_switch(b, &plain);
    hd_builder_endpoint(b, hd_builder_adapter(b, &(struct hd_adapter_in){.name = "lonely"}), 1, 0, 0);
    finish_refuses(b, "'lonely': an endpoint has 0 cables");

    b = builder();
    hd_builder_switch(b, &(struct hd_switch_in){.name = "big", .nports = 255});
    finish_refuses(b, "'big' has 255 ports");

    b = builder();
    s = hd_builder_switch(b, &plain);
    hd_builder_cable(b, s, 0, hd_builder_switch(b, &plain), 1, 0);
    finish_refuses(b, "port 0");

    b = builder();
    hd_builder_switch(b, &(struct hd_switch_in){.guid = 5});
    hd_builder_switch(b, &(struct hd_switch_in){.guid = 5});
    finish_refuses(b, "switch GUID 0x0000000000000005 belongs to two");

    b = builder();
    s = hd_builder_switch(b, &(struct hd_switch_in){.name = "one", .lid = 9});
    hd_builder_cable(b, s, 1, hd_builder_switch(b, &(struct hd_switch_in){.name = "two", .lid = 9}), 1, 0);
    finish_refuses(b, "LID 9 belongs to 'one' and to 'two'");

    b = builder();
    hd_builder_switch(b, &(struct hd_switch_in){.lid = 0xc000});
    finish_refuses(b, "not a unicast LID");

    b = builder();
    s = hd_builder_switch(b, &plain);
    hd_builder_cable(b, s, 1, 77, 1, 0);
    finish_refuses(b, "does not exist");
}

static void smallest_networks_stand(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    hd_builder_switch(b, &plain);
    struct hd_net *net = finish(b); /* one switch, nothing else */
    assert_int_equal(net->nchan, 0);
    assert_int_equal(net->nsel, 0);
    assert_int_equal(net->nports[0], 0);
    hd_net_free(net);

    b = builder();
    hd_builder_host(b, hd_builder_switch(b, &plain), 254, 0);
    net = finish(b);
    assert_int_equal(net->nep, 1);
    assert_int_equal(net->nports[0], 254);
    assert_string_equal(hd_node_name(net, 1), "node-00000");
    hd_net_free(net);
}

static void ports_are_sorted_and_parallel_cables_kept(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    uint32_t s = hd_builder_switch(b, &plain), t = hd_builder_switch(b, &plain);
    hd_builder_cable(b, t, 2, s, 9, 3);
    hd_builder_host(b, s, 5, 0);
    hd_builder_cable(b, s, 1, t, 7, 4);
    struct hd_net *net = finish(b);
    assert_int_equal(hd_degree(net, s), 3);
    assert_int_equal(net->port[net->off[s]], 1);
    assert_int_equal(net->port[net->off[s] + 1], 5);
    assert_int_equal(net->port[net->off[s] + 2], 9);
    assert_int_equal(net->port[net->rev[net->off[s]]], 7);
    assert_int_equal(net->port[net->rev[net->off[s] + 2]], 2);
    assert_int_equal(net->link[net->off[s]], 4);
    hd_net_free(net);
}

static void copies_keep_what_they_are_told(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = make_net("gft:n=2,m=3,r=4"), *copy = NULL, *part = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_with(&ctx, net, &(struct hd_net_changes){0}, &copy);
    checked(&ctx, s, copy, "copy");
    assert_int_equal(copy->nchan, net->nchan);
    assert_memory_equal(copy->head, net->head, net->nchan * sizeof *net->head);
    assert_memory_equal(copy->guid, net->guid, (net->nsw + net->nep) * sizeof *net->guid);
    assert_memory_equal(copy->lid, net->lid, (net->nsw + net->nep) * sizeof *net->lid);
    bool keep[7];
    for (int i = 0; i < 7; i++) keep[i] = i != 1 && i != 6; /* without leaf 1 and top 2 */
    part = net_keeping(net, (struct keep){.sw = keep}, "part");
    assert_int_equal(part->nsw, 5);
    assert_int_equal(part->nep, 6);
    assert_int_equal(part->shape.missing, 0); /* what is missing is a switch, not a cable */
    assert_string_equal(hd_node_name(part, 1), "L1-0002");
    hd_net_free(part);
    hd_net_free(copy);
    hd_net_free(net);
}

/* Damage one array of a sound network in one place; the check must notice. */
static void check_notices_damage(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=3");
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    uint32_t u = 0;
#define DAMAGED(type, array, index, value)                                                                             \
    do {                                                                                                               \
        type *at = (type *)(net->array) + (index), was = *at;                                                          \
        *at = (type)(value);                                                                                           \
        if (hd_net_check(&ctx, net) != HD_FAULT) fail_msg(#array "[%u] = " #value " not noticed", (unsigned)(index));  \
        *at = was;                                                                                                     \
        assert_int_equal(hd_net_check(&ctx, net), HD_OK);                                                              \
    } while (0)
    DAMAGED(uint32_t, off, 1, net->off[1] + 1);
    DAMAGED(uint32_t, head, 0, net->head[0] + 1);
    DAMAGED(uint32_t, tail, 3, net->tail[3] + 1);
    DAMAGED(uint32_t, rev, 2, 2);
    DAMAGED(uint8_t, port, 1, net->port[0]);
    DAMAGED(uint8_t, port, 0, 0);
    DAMAGED(uint8_t, link, 0, net->link[0] + 1);
    DAMAGED(uint64_t, guid, 1, net->guid[0]);
    DAMAGED(uint64_t, guid, net->nsw + 1, net->guid[net->nsw]);
    DAMAGED(uint64_t, ca_guid, 1, net->ca_guid[0]);
    DAMAGED(uint16_t, lid, 1, net->lid[0]);
    DAMAGED(uint16_t, lid, 1, 0xc001);
    DAMAGED(uint8_t, level, 0, 2);
    DAMAGED(uint8_t, level, net->nsw, 1);
    DAMAGED(uint8_t, nports, 0, 1);
    DAMAGED(uint16_t, coord, 0, 7);
    DAMAGED(uint16_t, coord, net->shape.n * 8 + 1, 1 - net->coord[net->shape.n * 8 + 1]);
    DAMAGED(uint32_t, ca, 0, net->nca);
    DAMAGED(uint8_t, ca_ports, 0, 0);
    DAMAGED(uint8_t, ca_role, 0, 9);
    DAMAGED(uint32_t, host, 1, net->host[0]);
    DAMAGED(uint8_t, rail, 0, net->nrail);
    DAMAGED(uint32_t, sel, 1, net->sel[0]);
#undef DAMAGED
    u = net->shape.missing;
    net->shape.missing = 3;
    assert_int_equal(hd_net_check(&ctx, net), HD_FAULT);
    net->shape.missing = u;
    hd_net_free(net);
}

static void links_have_names_and_rates(void **state)
{
    (void)state;
    assert_string_equal(hd_link_name(HD_LINK_DEFAULT), "4xEDR");
    assert_int_equal(hd_link_mbps(HD_LINK_DEFAULT), 100000);
    assert_int_equal(hd_link_code("4xQDR", 5), hd_link_code("4xQDR junk", 5));
    assert_int_equal(hd_link_mbps(hd_link_code("4xQDR", 5)), 32000);
    assert_int_equal(hd_link_code("9xQDR", 5), 0);
    assert_int_equal(hd_link_mbps(0), 0);
    assert_string_equal(hd_link_name(255), "");
    for (uint8_t i = 1; *hd_link_name(i); i++)
        assert_int_equal(hd_link_code(hd_link_name(i), strlen(hd_link_name(i))), i);
}

/* What most cables have is a rate, which several links may have in common. */
static void usual_links_are_those_of_the_usual_rate(void **state)
{
    (void)state;
    const uint8_t edr = hd_link_code("4xEDR", 5), hdr = hd_link_code("2xHDR", 5), qdr = hd_link_code("4xQDR", 5);
    uint32_t count[HD_LINK_CODES] = {0}, cables = 7;
    count[0] = 100;
    assert_int_equal(hd_link_usual(count, &cables), 0);
    assert_int_equal(cables, 0);
    count[qdr] = 5;
    count[edr] = 4;
    assert_int_equal(hd_link_usual(count, NULL), qdr);
    count[hdr] = 1; /* as many: the lower rate, however the others are divided */
    assert_int_equal(hd_link_usual(count, NULL), qdr);
    count[hdr] = 2;
    assert_int_equal(hd_link_usual(count, &cables), edr);
    assert_int_equal(cables, 6);
    count[hdr] = 5;
    assert_int_equal(hd_link_usual(count, &cables), hdr);
    assert_int_equal(cables, 9);
}

/* ---- facts --------------------------------------------------------------------------------- */

static int endpoints_counted, doubles_made, failures;

static hd_status count_endpoints(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value)
{
    (void)ctx, (void)arena;
    endpoints_counted++;
    *(uint32_t *)value += net->nep;
    return HD_OK;
}
static const struct hd_fact endpoints_fact = {sizeof(uint32_t), count_endpoints};

/* A fact computed from another one, with memory of its own. */
static hd_status double_endpoints(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value)
{
    const void *endpoints;
    uint32_t *twice = HD_NEW(arena, uint32_t, 100000);
    if (!twice) return hd_fail_memory(ctx);
    HD_TRY(hd_net_fact(ctx, net, &endpoints_fact, &endpoints));
    twice[99999] = 2 * *(const uint32_t *)endpoints;
    doubles_made++;
    *(const uint32_t **)value = twice;
    return HD_OK;
}
static const struct hd_fact double_fact = {sizeof(uint32_t *), double_endpoints};

static hd_status fail_twice(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value)
{
    (void)net;
    *(char **)value = hd_strdup(arena, "made", 4);
    return failures++ < 2 ? hd_fail(ctx, HD_LIMIT, "attempt %d", failures) : HD_OK;
}
static const struct hd_fact reluctant_fact = {sizeof(char *), fail_twice};

static void facts_are_computed_once_and_kept(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    struct hd_net *a = make_net("ft:m=4,n=2"), *b = make_net("ft:m=4,n=3");
    const void *first = NULL, *again = NULL, *other = NULL;
    assert_int_equal(hd_net_fact(&ctx, a, &endpoints_fact, &first), HD_OK);
    assert_int_equal(hd_net_fact(&ctx, a, &endpoints_fact, &again), HD_OK);
    assert_ptr_equal(first, again);
    assert_int_equal(*(const uint32_t *)first, a->nep);
    assert_int_equal(endpoints_counted, 1);
    assert_int_equal(hd_net_fact(&ctx, b, &endpoints_fact, &other), HD_OK); /* each network has its own */
    assert_int_equal(*(const uint32_t *)other, b->nep);
    assert_int_equal(hd_net_fact(&ctx, a, &reluctant_fact, &other), HD_LIMIT); /* failures are not kept */
    assert_int_equal(hd_net_fact(&ctx, a, &reluctant_fact, &other), HD_LIMIT);
    assert_null(other);
    assert_int_equal(hd_net_fact(&ctx, a, &reluctant_fact, &other), HD_OK);
    assert_string_equal(*(char *const *)other, "made");
    hd_net_free(a);
    hd_net_free(b);
}

static void facts_are_computed_once_for_all_threads(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=2");
    int wrong = 0;
    endpoints_counted = doubles_made = 0;
#pragma omp parallel for num_threads(8) reduction(+ : wrong)
    for (int i = 0; i < 64; i++) {
        struct hd_ctx ctx;
        const void *value;
        hd_ctx_init(&ctx);
        if (i % 2)
            wrong += hd_net_fact(&ctx, net, &double_fact, &value) != HD_OK ||
                     (*(const uint32_t *const *)value)[99999] != 2 * net->nep;
        else
            wrong += hd_net_fact(&ctx, net, &endpoints_fact, &value) != HD_OK || *(const uint32_t *)value != net->nep;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(endpoints_counted, 1);
    assert_int_equal(doubles_made, 1);
    hd_net_free(net);
}

/* The largest sizes that a spec may have are said where one is larger. */
static void sizes_have_limits(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_open(&ctx, "random:switches=67108865", NULL, &net), HD_INPUT);
    assert_non_null(strstr(ctx.error, "from 1 to 67108864"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builder_refuses_what_cannot_be),
        cmocka_unit_test(smallest_networks_stand),
        cmocka_unit_test(ports_are_sorted_and_parallel_cables_kept),
        cmocka_unit_test(copies_keep_what_they_are_told),
        cmocka_unit_test(check_notices_damage),
        cmocka_unit_test(links_have_names_and_rates),
        cmocka_unit_test(usual_links_are_those_of_the_usual_rate),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(facts_are_computed_once_and_kept),
        cmocka_unit_test(facts_are_computed_once_for_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
