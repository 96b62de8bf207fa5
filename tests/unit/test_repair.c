/* SPDX-License-Identifier: BSD-2-Clause */
/* Repairs: what was taken out or slowed down comes back, and nothing else changes. The oracle is the network before. */
#include "net/core/builder.h"
#include "net/edit/net_with.h"
#include "testing.h"
#include "base/rng.h"
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
    static const char *const nets[] = {"ft:m=8,n=2",
                                       "torus:dims=5x4x3,hosts=2",
                                       "hyperx:dims=4x4,hosts=2",
                                       "mesh:dims=5x4,hosts=2",
                                       "hypercube:n=4",
                                       "dragonfly:h=3",
                                       "dragonfly:h=3,global=consecutive"};
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

/* Whether a cable leads from one plug to the other. */
static bool leads(const struct hd_net *net, struct hd_plug from, struct hd_plug to)
{
    for (uint32_t c = net->off[from.node]; c < net->off[from.node + 1]; c++)
        if (net->port[c] == from.port) return net->head[c] == to.node && net->port[net->rev[c]] == to.port;
    return false;
}

static uint32_t switch_named(const struct hd_net *net, const char *name)
{
    uint32_t v = 0;
    while (v < net->nsw && strcmp(hd_node_name(net, v), name) != 0) v++;
    return v;
}

/* A plug of one network in another that has switches of the same names. */
static struct hd_plug plug_in(const struct hd_net *net, const struct hd_net *from, struct hd_plug plug)
{
    plug.node = switch_named(net, hd_node_name(from, plug.node));
    return plug;
}

/* A switch that is gone has one fault, with all of its cables and their ports at both ends; named: by its row. */
static void check_dead_in(struct hd_net *net, const char *dead, bool named)
{
    char what[64];
    snprintf(what, sizeof what, "switch=%s", dead);
    struct hd_net *less = broken(net, what);
    const struct hd_cabling *k = cabling_of(less);
    uint32_t gone = switch_named(net, dead), cables = 0;
    for (uint32_t c = net->off[gone]; c < net->off[gone + 1]; c++) cables += net->head[c] < net->nsw;
    assert_int_equal(k->count[HD_CABLING_DEAD], 1);
    const struct hd_cabling_fault *f = &k->fault[0];
    assert_int_equal(f->kind, HD_CABLING_DEAD);
    if (named) assert_string_equal(f->to.name, dead);
    assert_int_equal(f->n, cables);
    for (uint32_t j = 0; j < f->n; j++) {
        struct hd_plug from = k->lost[f->first + j].from, to = k->lost[f->first + j].to;
        if (named) assert_string_equal(to.name, dead);
        to.node = gone;
        assert_true(leads(net, plug_in(net, less, from), to));
    }
    hd_net_free(less);
    hd_net_free(net);
}

static void check_dead(const char *spec, const char *dead, bool named)
{
    check_dead_in(make_net(spec), dead, named);
}

/* Spines of pods and of the top: which other switches had cables to them is seen in other pods. */
static void test_dead_in_three_levels(void **state)
{
    static const char *const dead[] = {"L2-0032", "L2-0045", "L2-0063", "L3-0064", "L3-0070", "L3-0079"};
    (void)state;
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) check_dead("ft:m=8,n=3", dead[i], false);
}

/* Eight leaf switches, six above them and four on top, each level cabled to all of the next: one pod. */
static struct hd_net *one_pod(void)
{
    enum { LEAVES = 8, MIDDLE = 6, TOP = 4 };
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    char name[16];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < LEAVES + MIDDLE + TOP; v++) {
        const uint32_t level = v < LEAVES ? 1 : v < LEAVES + MIDDLE ? 2 : 3;
        snprintf(name, sizeof name, "L%u-%04u", level, v);
        hd_builder_switch(b, &(struct hd_switch_in){.nports = 12, .level = (uint8_t)level, .name = name});
    }
    for (uint32_t v = 0; v < LEAVES; v++)
        for (uint32_t p = 1; p <= MIDDLE; p++) hd_builder_host(b, v, p, 0);
    for (uint32_t m = 0; m < MIDDLE; m++) {
        for (uint32_t v = 0; v < LEAVES; v++) hd_builder_cable(b, v, MIDDLE + 1 + m, LEAVES + m, 1 + v, 0);
        for (uint32_t t = 0; t < TOP; t++)
            hd_builder_cable(b, LEAVES + m, LEAVES + 1 + t, LEAVES + MIDDLE + t, 1 + m, 0);
    }
    hd_status s = hd_builder_finish(&ctx, b, "pod", &net);
    return checked(&ctx, s, net, "pod");
}

/* There is no other pod to see where a switch was cabled to: the switches beside it show that. */
static void test_dead_in_one_pod(void **state)
{
    static const char *const dead[] = {"L2-0009", "L2-0010", "L2-0012"};
    (void)state;
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) check_dead_in(one_pod(), dead[i], true);
}

/* Eight leaf switches below four spines, of which each has two cables to every leaf switch, and the last one three. */
static struct hd_net *unequal_spines(void)
{
    enum { LEAVES = 8, SPINES = 4, HOSTS = 8 };
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    char name[16];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < LEAVES + SPINES; v++) {
        snprintf(name, sizeof name, v < LEAVES ? "leaf-%u" : "spine-%u", v < LEAVES ? v + 1 : v - LEAVES + 1);
        hd_builder_switch(b, &(struct hd_switch_in){.nports = 24, .level = v < LEAVES ? 1 : 2, .name = name});
    }
    for (uint32_t v = 0; v < LEAVES; v++) {
        for (uint32_t p = 1; p <= HOSTS; p++) hd_builder_host(b, v, p, 0);
        for (uint32_t i = 0; i < 2 * SPINES + 1; i++) {
            const uint32_t spine = i / 2 < SPINES ? i / 2 : SPINES - 1, cables = spine < SPINES - 1 ? 2 : 3;
            hd_builder_cable(b, v, HOSTS + 1 + i, LEAVES + spine, cables * v + i - 2 * spine + 1, 0);
        }
    }
    hd_status s = hd_builder_finish(&ctx, b, "spines", &net);
    return checked(&ctx, s, net, "spines");
}

/* Both cables of a leaf switch led to one switch, as those to most others do. */
static void test_dead_among_unequal(void **state)
{
    struct hd_net *net = unequal_spines(), *less = broken(net, "switch=spine-2");
    const struct hd_cabling *k = cabling_of(less);
    (void)state;
    assert_int_equal(k->count[HD_CABLING_DEAD], 1);
    assert_int_equal(k->fault[0].n, 16);
    for (uint32_t j = 0; j < 16; j++) {
        const struct hd_plug from = plug_in(net, less, k->lost[k->fault[0].first + j].from);
        uint32_t c = net->off[from.node];
        while (net->port[c] != from.port) c++;
        assert_string_equal(hd_node_name(net, net->head[c]), "spine-2");
    }
    hd_net_free(less);
    hd_net_free(net);
}

static void test_dead(void **state)
{
    (void)state;
    static const char *const dead[][2] = {{"gft:n=8,m=8,r=16", "L2-0016"},
                                          {"gft:n=8,m=8,r=16", "L2-0019"},
                                          {"gft:n=8,m=8,r=16", "L2-0023"},
                                          {"gft:n=8,m=8,r=16", "L1-0001"},
                                          {"gft:n=8,m=8,r=16", "L1-0014"},
                                          {"rail:units=3,rails=4,hosts=8,spines=6,uplinks=12", "leaf-1-3"},
                                          {"rail:units=3,rails=4,hosts=8,spines=6,uplinks=12", "spine-1"},
                                          {"rail:units=3,rails=4,hosts=8,spines=6,uplinks=12", "spine-6"}};
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) check_dead(dead[i][0], dead[i][1], true);
}

/* The network, as if read from a file, with two cables between switches that have exchanged an end. */
static struct hd_net *exchanged(const struct hd_net *net, uint32_t x, uint32_t y)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *bare = NULL, *out = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < net->nsw; v++) hd_builder_switch(b, &(struct hd_switch_in){.name = hd_node_name(net, v)});
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        uint32_t to = c == x ? y : c == y ? x : c;
        if (net->head[c] >= net->nsw)
            hd_builder_host(b, net->tail[c], net->port[c], net->link[c]);
        else if (to != c || (c < net->rev[c] && net->rev[c] != x && net->rev[c] != y))
            hd_builder_cable(b, net->tail[c], net->port[c], net->head[to], net->port[net->rev[to]], net->link[c]);
    }
    hd_status s = hd_builder_finish(&ctx, b, net->spec, &bare);
    if (s == HD_OK) s = hd_net_infer(&ctx, bare, &out);
    hd_net_free(bare);
    return checked(&ctx, s, out, net->spec);
}

/* The i-th cable of switch v to another switch. */
static uint32_t cable_of(const struct hd_net *net, uint32_t v, uint32_t i)
{
    uint32_t c = net->off[v];
    for (; net->head[c] >= net->nsw || i > 0; c++) i -= net->head[c] < net->nsw;
    return c;
}

/* Two cables that have exchanged an end are one fault, which names both, and a repair exchanges them again. */
static void test_swapped(void **state)
{
    (void)state;
    static const char *const nets[] = {"gft:n=8,m=8,r=16",
                                       "rail:units=3,rails=4,hosts=8,spines=6,uplinks=12",
                                       "ft:m=8,n=3",
                                       "torus:dims=5x4x3,hosts=2",
                                       "hyperx:dims=4x4,hosts=2",
                                       "hyperx:dims=5x3x3,hosts=1",
                                       "dragonfly:h=3"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        struct hd_net *wrong = exchanged(net, cable_of(net, 0, 0), cable_of(net, 6, 1));
        const struct hd_cabling *k = cabling_of(wrong);
        assert_int_equal(k->n, 1);
        const struct hd_cabling_fault *f = &k->fault[0];
        assert_int_equal(f->kind, HD_CABLING_SWAPPED);
        assert_true(leads(wrong, f->from, f->to) && leads(wrong, f->from2, f->to2));
        assert_true(leads(net, plug_in(net, wrong, f->from), plug_in(net, wrong, f->to2)));
        assert_true(leads(net, plug_in(net, wrong, f->from2), plug_in(net, wrong, f->to)));
        struct hd_net *whole = repaired(wrong);
        assert_int_equal(cabling_of(whole)->n, 0);
        assert_int_equal(whole->nchan, net->nchan);
        hd_net_free(whole);
        hd_net_free(wrong);
        hd_net_free(net);
    }
}

/* Seven groups of six switches, whose gates (port 1) lead to the other groups by no rule, without the cable between
 * groups x and y; *from and *to are its ends. */
static struct hd_net *irregular_groups(uint32_t x, uint32_t y, struct hd_plug *from, struct hd_plug *to)
{
    enum { SIZE = 6, GROUPS = SIZE + 1 };
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    struct hd_rng rng;
    uint32_t gate[GROUPS][GROUPS] = {{0}}; /* the switch of a group whose gate leads to another */
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 1, HD_RNG_TEST, 0);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < SIZE * GROUPS; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.nports = SIZE + 1, .level = 1});
        hd_builder_host(b, v, SIZE + 1, 0);
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t order[SIZE] = {0, 1, 2, 3, 4, 5};
        hd_rng_shuffle(&rng, order, SIZE);
        for (uint32_t h = 0, i = 0; h < GROUPS; h++)
            if (h != g) gate[g][h] = SIZE * g + order[i++];
        for (uint32_t i = 0; i < SIZE; i++)
            for (uint32_t j = 0; j < i; j++) hd_builder_cable(b, SIZE * g + i, 2 + j, SIZE * g + j, 1 + i, 0);
    }
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t h = 0; h < g; h++)
            if (g != x || h != y) hd_builder_cable(b, gate[g][h], 1, gate[h][g], 1, 0);
    *from = (struct hd_plug){.node = gate[x][y], .port = 1};
    *to = (struct hd_plug){.node = gate[y][x], .port = 1};
    hd_status s = hd_builder_finish(&ctx, b, "groups", &net);
    return checked(&ctx, s, net, "groups");
}

/* Two groups without a cable: it was in the only gate of each that is free. */
static void test_irregular_groups(void **state)
{
    (void)state;
    struct hd_plug from, to;
    struct hd_net *net = irregular_groups(5, 2, &from, &to);
    const struct hd_cabling *k = cabling_of(net);
    assert_int_equal(k->n, 1);
    assert_int_equal(k->fault[0].kind, HD_CABLING_MISSING);
    assert_int_equal(k->fault[0].from.node, from.node);
    assert_int_equal(k->fault[0].to.node, to.node);
    assert_true(k->fault[0].from.port == 1 && k->fault[0].to.port == 1);
    hd_net_free(net);
}

/* Dimensions of one extent are in the order of their ports, also where the structure is read from these. */
static void test_equal_dimensions(void **state)
{
    (void)state;
    struct hd_net *net = make_net("torus:dims=5x5x5,hosts=2");
    struct hd_net *wrong = exchanged(net, cable_of(net, 0, 0), cable_of(net, 6, 1));
    assert_int_equal(wrong->shape.n, 3);
    for (uint32_t v = 60; v < 65; v++)
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t u = wrong->head[cable_of(wrong, v, i)];
            for (uint32_t d = 0; d < 3; d++)
                assert_int_equal(hd_coord(wrong, u)[d] != hd_coord(wrong, v)[d], d == i / 2);
        }
    hd_net_free(wrong);
    hd_net_free(net);
}

/* A repair exchanges two hosts, which stay who they are, and the structure is the same. */
static void check_hosts_exchanged(const struct hd_net *net, uint32_t x, uint32_t y)
{
    struct hd_net *whole = repaired(net);
    assert_int_equal(cabling_of(whole)->n, 0);
    assert_memory_equal(&whole->shape, &net->shape, sizeof net->shape);
    assert_int_equal(whole->nep, net->nep);
    for (uint32_t e = 0; e < net->nep; e++) {
        const uint32_t v = net->nsw + e, place = net->nsw + (e == x ? y : e == y ? x : e);
        assert_string_equal(hd_node_name(whole, v), hd_node_name(net, v));
        assert_int_equal(whole->guid[v], net->guid[v]);
        assert_int_equal(whole->lid[v], net->lid[v]);
        assert_int_equal(whole->head[whole->off[v]], net->head[net->off[place]]);
        assert_int_equal(whole->port[whole->rev[whole->off[v]]], net->port[net->rev[net->off[place]]]);
    }
    hd_net_free(whole);
}

/* Hosts are numbered along leaves and ports, whatever follows the number in their names: two that have exchanged their
 * cables are found. */
static void test_hosts_swapped(void **state)
{
    enum { LEAVES = 6, HOSTS = 8, SPINES = 2 };
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *bare = NULL, *net = NULL;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < LEAVES + SPINES; v++)
        hd_builder_switch(b, &(struct hd_switch_in){.nports = 16, .level = v < LEAVES ? 1 : 2});
    for (uint32_t i = 0; i < LEAVES * HOSTS; i++) {
        char name[24];
        snprintf(name, sizeof name, "node%02u-blue", i == 11 ? 37 : i == 37 ? 11 : i);
        uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name});
        hd_builder_cable(b, i / HOSTS, 1 + i % HOSTS, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
    }
    for (uint32_t v = 0; v < LEAVES; v++)
        for (uint32_t s = 0; s < SPINES; s++) hd_builder_cable(b, v, 1 + HOSTS + s, LEAVES + s, 1 + v, 0);
    assert_int_equal(hd_builder_finish(&ctx, b, "hosts", &bare), HD_OK);
    assert_int_equal(hd_net_infer(&ctx, bare, &net), HD_OK);
    const struct hd_cabling *k = cabling_of(net);
    assert_int_equal(k->n, 1);
    assert_int_equal(k->fault[0].kind, HD_CABLING_SWAPPED);
    check_hosts_exchanged(net, 11, 37);
    hd_net_free(net);
    hd_net_free(bare);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comes_back),
                                       cmocka_unit_test(test_ports),
                                       cmocka_unit_test(test_dead),
                                       cmocka_unit_test(test_dead_in_one_pod),
                                       cmocka_unit_test(test_dead_among_unequal),
                                       cmocka_unit_test(test_dead_in_three_levels),
                                       cmocka_unit_test(test_swapped),
                                       cmocka_unit_test(test_irregular_groups),
                                       cmocka_unit_test(test_equal_dimensions),
                                       cmocka_unit_test(test_hosts_swapped),
                                       cmocka_unit_test(test_slow),
                                       cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
