/* SPDX-License-Identifier: BSD-2-Clause */
/* Repairs: what was taken out or slowed down comes back, and nothing else changes. The oracle is the network before. */
#include "net/core/builder.h"
#include "net/edit/net_with.h"
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

static const struct hd_cabling *cabling_of(const struct hd_net *net)
{
    struct hd_ctx ctx;
    const struct hd_cabling *cabling;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_cabling(&ctx, net, &cabling), HD_OK);
    return cabling;
}

/* The ports of lost cables are those that the same ports of the other switches show. */
static void test_ports(void **state)
{
    (void)state;
    static const char *const nets[] = {"ft:m=8,n=2", "torus:dims=5x4x3,hosts=2", "hyperx:dims=4x4,hosts=2",
                                       "mesh:dims=5x4,hosts=2", "hypercube:n=4"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]), *less = broken(net, "links=4,seed=3");
        const struct hd_cabling *k = cabling_of(less);
        assert_int_equal(cabling_of(net)->n, 0);
        assert_int_equal(k->n, 4);
        assert_int_equal(k->count[HD_CABLING_MISSING], 4);
        for (uint32_t j = 0; j < 4; j++) {
            const struct hd_cabling_fault *f = &k->fault[j];
            uint32_t c = net->off[f->from.node];
            while (c < net->off[f->from.node + 1] && net->port[c] != f->from.port) c++;
            assert_true(c < net->off[f->from.node + 1]);
            assert_int_equal(net->head[c], f->to.node);
            assert_int_equal(net->port[net->rev[c]], f->to.port);
            assert_int_equal(net->link[c], f->usual);
        }
        hd_net_free(less);
        hd_net_free(net);
    }
}

/* Rates by level: one endpoint's cable and one between switches are slower than the rest of theirs. */
static void test_slow(void **state)
{
    (void)state;
    struct hd_ctx ctx;
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
    const struct hd_cabling *k = cabling_of(slow);
    assert_int_equal(k->n, 2);
    assert_int_equal(k->count[HD_CABLING_SLOW], 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct hd_cabling_fault *m = &k->fault[i];
        uint32_t c = m->to.node >= net->nsw ? net->rev[ep] : up;
        assert_true(m->from.node == net->tail[c] || m->from.node == net->head[c]);
        assert_int_equal(m->link, c == up ? qdr : one);
        assert_int_equal(m->usual, net->link[c]);
    }
    struct hd_net *whole = repaired(slow);
    assert_same(whole, net);
    hd_net_free(whole);
    free(link);
    hd_net_free(slow);
    hd_net_free(net);
}

/* No structure, one switch, no cable: nothing to repair. */
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
