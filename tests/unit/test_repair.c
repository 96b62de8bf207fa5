/* SPDX-License-Identifier: BSD-2-Clause */
/* Repairs: what was taken out or slowed down comes back, and nothing else changes. The oracle is the network before. */
#include "net/core/builder.h"
#include "net/edit/net_with.h"
#include "net/edit/repair.h"
#include "testing.h"
#include "base/context.h"

#include <stdio.h>

static struct hd_net *broken(const struct hd_net *net, const char *what)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_fail(&ctx, net, what, &out);
    return checked(&ctx, s, out, what);
}

static struct hd_net *repaired(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_repair(&ctx, net, &out);
    return checked(&ctx, s, out, net->spec);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every channel as head, tail and rate, sorted: ports may differ where several were free. */
static uint64_t *channels(const struct hd_net *net)
{
    uint64_t *all = calloc(net->nchan + 1, sizeof *all);
    for (uint32_t c = 0; c < net->nchan; c++)
        all[c] = (uint64_t)net->tail[c] << 36 | (uint64_t)net->head[c] << 8 | net->link[c];
    qsort(all, net->nchan, sizeof *all, by_value);
    return all;
}

static void assert_same(const struct hd_net *is, const struct hd_net *was)
{
    assert_int_equal(is->nsw, was->nsw);
    assert_int_equal(is->nep, was->nep);
    assert_int_equal(is->nchan, was->nchan);
    assert_int_equal(is->shape.missing, was->shape.missing);
    uint64_t *x = channels(is), *y = channels(was);
    assert_memory_equal(x, y, was->nchan * sizeof *x);
    free(x);
    free(y);
}

static void test_comes_back(void **state)
{
    (void)state;
    static const char *const nets[] = {"ft:m=8,n=3",         "pgft:m=4x6,w=1x2,p=1x3", "torus:dims=4x3x2,hosts=2",
                                       "hyperx:dims=4x3",    "hypercube:n=4",          "kary:k=3,n=3",
                                       "mesh:dims=5,hosts=1"};
    static const char *const damage[] = {"links=1", "links=3,seed=5", "links=4,seed=9 then links=1"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (size_t k = 0; k < sizeof damage / sizeof *damage; k++) {
            if (i == 6 && k == 2) continue; /* it has four cables */
            struct hd_net *net = make_net(nets[i]), *less = broken(net, damage[k]), *whole = repaired(less);
            assert_true(less->nchan < net->nchan);
            assert_same(whole, net);
            char spec[500];
            snprintf(spec, sizeof spec, "%s --repair", less->spec);
            assert_string_equal(whole->spec, spec);
            hd_net_free(whole);
            hd_net_free(less);
            hd_net_free(net);
        }
}

/* One cable of a switch lost: its port is known. Two: it is not. */
static void test_ports(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct hd_cable_faults faults;
    hd_ctx_init(&ctx);
    struct hd_net *net = make_net("ft:m=8,n=2"), *less = broken(net, "link=L1-0002:7+L1-0005:6+L1-0005:8");
    assert_int_equal(hd_cable_faults_find(&ctx, &arena, less, &faults), HD_OK);
    assert_int_equal(faults.n, 3);
    assert_int_equal(faults.missing, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct hd_cable_fault *m = &faults.at[i];
        bool second = strcmp(hd_node_name(less, m->u), "L1-0002") == 0;
        assert_true(m->missing);
        assert_int_equal(m->uport, second ? 7 : 0);
        uint32_t c = net->off[m->v];
        while (net->head[c] != m->u) c++;
        assert_int_equal(m->vport, net->port[c]);
        assert_int_equal(m->usual, net->link[c]);
    }
    hd_arena_release(&arena);
    hd_net_free(less);
    hd_net_free(net);
}

/* Rates by level: one endpoint's cable and one between switches are slower than the rest of theirs. */
static void test_slow(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct hd_cable_faults faults;
    struct hd_net *net = make_net("gft:n=3,m=2,r=4"), *slow = NULL;
    uint8_t *link = malloc(net->nchan), qdr = hd_link_code("4xQDR", 5), one = hd_link_code("1xEDR", 5);
    assert_true(qdr && one);
    hd_ctx_init(&ctx);
    memcpy(link, net->link, net->nchan);
    uint32_t ep = net->off[net->nsw + 4], up = net->off[1];
    while (net->head[up] >= net->nsw) up++;
    link[ep] = link[net->rev[ep]] = one;
    link[up] = link[net->rev[up]] = qdr;
    hd_status s = hd_net_with(&ctx, net, &(struct hd_net_changes){.spec = "slow", .link = link}, &slow);
    checked(&ctx, s, slow, "slow");
    assert_int_equal(hd_cable_faults_find(&ctx, &arena, slow, &faults), HD_OK);
    assert_int_equal(faults.n - faults.missing, 2);
    assert_int_equal(faults.missing, 0);
    for (uint32_t i = 0; i < 2; i++) {
        const struct hd_cable_fault *m = &faults.at[i];
        uint32_t c = m->v >= net->nsw ? net->rev[ep] : up;
        assert_true(m->u == net->tail[c] || m->u == net->head[c]);
        assert_int_equal(m->link, c == up ? qdr : one);
        assert_int_equal(m->usual, net->link[c]);
    }
    struct hd_net *whole = repaired(slow);
    assert_same(whole, net);
    hd_net_free(whole);
    hd_arena_release(&arena);
    free(link);
    hd_net_free(slow);
    hd_net_free(net);
}

/* No structure, one switch, no cable: nothing to mend. */
static void test_nothing(void **state)
{
    (void)state;
    static const char *const nets[] = {"random:switches=9,ports=8,hosts=2,seed=1", "torus:dims=1,hosts=3",
                                       "gft:n=1,m=1,r=1", "deimos"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]), *same = repaired(net);
        if (net->shape.missing == 0) assert_same(same, net);
        hd_net_free(same);
        hd_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comes_back), cmocka_unit_test(test_ports),
                                       cmocka_unit_test(test_slow), cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
