/* SPDX-License-Identifier: BSD-2-Clause */
/* What NCCL sends, against peers that its users' logs show (repository, number of the thread): lines "Channel 00/16 :
 * ..." give rings, "Trees [0] ..." and connections give parents. A log counts GPUs, of which the first `gpus` are host
 * 0, and so on. Which hosts talk is what the logs say; how many adapters a host has, and which GPU uses which, is
 * assumed where a thread does not say so (all but nccl#1357 and those with one GPU per host). */
#include "testing.h"
#include "drawing.h"
#include "flow/core/host_ranks.h"
#include "flow/core/nccl_peers.h"
#include "base/context.h"

enum { RING = -1 };

struct logged {
    const char *thread;
    uint32_t hosts, gpus, adapters;
    int tree;          /* or RING */
    uint32_t from, to; /* child and parent, or the last GPU of a host and the first of the next */
};

static const struct logged logs[] = {
    /* eight GPUs and eight adapters on each of three hosts, channels 0 and 8 to 7 */
    {"nccl#1453", 3, 8, 8, RING, 1, 8},
    {"nccl#1453", 3, 8, 8, RING, 9, 16},
    {"nccl#1453", 3, 8, 8, RING, 2, 9},
    {"nccl#1453", 3, 8, 8, RING, 10, 17},
    {"nccl#1453", 3, 8, 8, RING, 3, 10},
    {"nccl#1453", 3, 8, 8, RING, 4, 11},
    {"nccl#1453", 3, 8, 8, RING, 12, 19},
    {"nccl#1453", 3, 8, 8, RING, 5, 12},
    {"nccl#1453", 3, 8, 8, RING, 6, 13},
    {"nccl#1453", 3, 8, 8, RING, 22, 5},
    {"nccl#1453", 3, 8, 8, RING, 7, 14},
    {"nccl#1453", 3, 8, 8, RING, 23, 6},
    {"nccl#1453", 3, 8, 8, RING, 0, 15},
    {"nccl#1453", 3, 8, 8, RING, 16, 7},
    /* two GPUs to an adapter */
    {"nccl#1412", 2, 8, 4, RING, 1, 8},
    {"nccl#1412", 2, 8, 4, RING, 9, 0},
    {"nccl#1412", 2, 8, 4, RING, 3, 10},
    {"nccl#1412", 2, 8, 4, RING, 11, 2},
    {"nccl#1412", 2, 8, 4, RING, 7, 14},
    {"nccl#1412", 2, 8, 4, RING, 15, 6},
    {"nccl#1412", 2, 8, 4, RING, 5, 12},
    {"nccl#1412", 2, 8, 4, RING, 13, 4},
    {"nccl#514", 4, 8, 4, RING, 1, 8},
    {"nccl#514", 4, 8, 4, RING, 9, 16},
    {"nccl#514", 4, 8, 4, RING, 3, 10},
    {"nccl#514", 4, 8, 4, RING, 11, 18},
    {"nccl#514", 4, 8, 4, RING, 19, 26},
    {"nccl#514", 4, 8, 4, RING, 5, 12},
    {"nccl#514", 4, 8, 4, RING, 13, 20},
    {"nccl#514", 4, 8, 4, RING, 7, 14},
    {"nccl#514", 4, 8, 4, RING, 15, 22},
    {"nccl#1344", 4, 1, 1, RING, 2, 3},
    {"nccl#1344", 4, 1, 1, RING, 3, 0},
    /* four hosts: both trees */
    {"nccl#634", 4, 4, 1, 0, 8, 0},
    {"nccl#634", 4, 4, 1, 0, 6, 11},
    {"nccl#634", 4, 4, 1, 0, 10, 2},
    {"nccl#634", 4, 4, 1, 0, 14, 10},
    {"nccl#634", 4, 4, 1, 1, 0, 4},
    {"nccl#634", 4, 4, 1, 1, 6, 14},
    {"nccl#634", 4, 4, 1, 1, 2, 6},
    {"nccl#634", 4, 4, 1, 1, 10, 7},
    /* three hosts: the second tree is shifted */
    {"nccl#820", 3, 8, 8, 0, 16, 0},
    {"nccl#820", 3, 8, 8, 1, 0, 8},
    {"nccl#1357", 2, 8, 4, 0, 12, 4},
    {"nccl#1357", 2, 8, 4, 1, 4, 12},
    {"nccl#1189", 2, 2, 1, 0, 3, 1},
    {"nccl#1189", 2, 2, 1, 1, 1, 3},
    {"nccl-tests#36", 2, 1, 1, 0, 1, 0},
    {"nccl-tests#36", 2, 1, 1, 1, 0, 1},
    /* one rank on each of 64 hosts */
    {"nccl#226", 64, 1, 1, 0, 32, 0},
    {"nccl#226", 64, 1, 1, 0, 16, 32},
    {"nccl#226", 64, 1, 1, 0, 24, 16},
    {"nccl#226", 64, 1, 1, 0, 28, 24},
    {"nccl#226", 64, 1, 1, 0, 36, 40},
    {"nccl#226", 64, 1, 1, 0, 35, 34},
    {"nccl#226", 64, 1, 1, 0, 50, 52},
    {"nccl#226", 64, 1, 1, 0, 52, 56},
    {"nccl#226", 64, 1, 1, 0, 60, 56},
    {"nccl#226", 64, 1, 1, 0, 61, 62},
    {"nccl#226", 64, 1, 1, 0, 23, 22},
    {"nccl#226", 64, 1, 1, 0, 25, 26},
    {"nccl#226", 64, 1, 1, 0, 39, 38},
};

/* Hosts with one adapter per rail, all of them ranks, host by host. */
static void start_hosts(struct drawing *d, uint32_t hosts, uint32_t adapters)
{
    char spec[128];
    snprintf(spec, sizeof spec, "rail:rails=%u,units=1,leaves=1,hosts=%u,spines=1,uplinks=1", adapters, hosts);
    start_drawing(d, spec, NULL, NULL);
    assert_int_equal(d->net->nhost, hosts);
    assert_int_equal(d->ranks.n, hosts * adapters);
}

/* Whether flows [from, end) of the last draw have one from an adapter to another. */
static bool drawn(const struct drawing *d, uint32_t from, uint32_t end, const uint32_t at[4])
{
    for (uint32_t i = from; i < end; i++) {
        uint32_t s = d->flows.src[i], t = d->flows.dst[i];
        if (d->net->host[s] == at[0] && d->net->rail[s] == at[1] && d->net->host[t] == at[2] &&
            d->net->rail[t] == at[3])
            return true;
    }
    return false;
}

/* Hosts in order of their first ranks: with natural ranks, in that of their endpoints. */
static void logs_are_reproduced(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(logs); i++) {
        const struct logged *l = &logs[i];
        struct drawing d;
        start_hosts(&d, l->hosts, l->adapters);
        /* where every GPU has an adapter, that of the sender's own is the one behind */
        set_pattern(&d, l->tree != RING    ? "nccl-tree:phase=up"
                        : l->adapters == 8 ? "nccl-ring:rails=cross"
                                           : "nccl-ring");
        draw_stage(&d, 0);
        uint32_t half = d.flows.n / 2, a = hd_nearest_adapter(l->from % l->gpus, l->gpus, l->adapters),
                 b = hd_nearest_adapter(l->to % l->gpus, l->gpus, l->adapters);
        uint32_t from = l->tree == 1 ? half : 0, end = l->tree == 0 ? half : d.flows.n;
        uint32_t host[2] = {d.net->host[d.ranks.ep[0]], 0}, n = 0, *order = calloc(l->hosts, sizeof *order);
        assert_non_null(order);
        for (uint32_t k = 0; k < d.ranks.n; k++) { /* hosts as they come up */
            uint32_t h = d.net->host[d.ranks.ep[k]], seen = 0;
            while (seen < n && order[seen] != h) seen++;
            if (seen == n) order[n++] = h;
        }
        assert_int_equal(n, l->hosts);
        host[0] = order[l->from / l->gpus];
        host[1] = order[l->to / l->gpus];
        free(order);
        if (l->tree != RING) b = a; /* a tree has one adapter in a host */
        if (!drawn(&d, from, end, (uint32_t[]){host[0], a, host[1], b}))
            fail_msg("%s: GPU %u to GPU %u is not drawn", l->thread, l->from, l->to);
        if (l->tree != RING) assert_int_equal(hd_nccl_parent(l->hosts, l->from / l->gpus, l->tree), l->to / l->gpus);
        stop_drawing(&d);
    }
}

/* Both trees reach every host from their roots, and no host has children in both. */
static void trees_are_complementary(void **state)
{
    (void)state;
    for (uint32_t n = 2; n < 200; n++) {
        uint32_t children[2][200] = {{0}}, roots[2] = {0};
        for (int t = 0; t < 2; t++)
            for (uint32_t i = 0; i < n; i++) {
                uint32_t up = hd_nccl_parent(n, i, t), at = i, steps = 0;
                roots[t] += up == UINT32_MAX;
                if (up != UINT32_MAX) children[t][up]++;
                while ((at = hd_nccl_parent(n, at, t)) != UINT32_MAX) assert_true(++steps <= 9);
            }
        assert_int_equal(roots[0], 1);
        assert_int_equal(roots[1], 1);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(children[0][i] <= 2 && children[1][i] <= 2);
            assert_true(n % 2 || !children[0][i] || !children[1][i]);
        }
    }
}

static void distances_are_quadratic(void **state)
{
    static const uint32_t sixteen[] = {1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8};
    uint32_t delta[300];
    (void)state;
    hd_nccl_deltas(16, delta);
    assert_memory_equal(delta, sixteen, sizeof sixteen);
    for (uint32_t n = 2; n < 300; n++) {
        bool seen[300] = {false};
        hd_nccl_deltas(n, delta);
        for (uint32_t i = 0; i + 1 < n; i++) {
            assert_true(delta[i] > 0 && delta[i] < n && !seen[delta[i]]);
            seen[delta[i]] = true;
        }
    }
}

/* Rounds between hosts, in order: those of the first distance, and the last. */
static void rounds_follow_the_schedule(void **state)
{
    struct drawing d;
    (void)state;
    start_hosts(&d, 5, 2);
    set_pattern(&d, "nccl-alltoall:pxn=off");
    assert_int_equal(stage_count(&d), 8); /* distances 1, 3, 2, 4, twice each */
    static const uint32_t delta[] = {1, 3, 2, 4};
    for (uint32_t s = 0; s < 8; s++) {
        draw_stage(&d, s);
        assert_int_equal(d.flows.n, 10);
        for (uint32_t h = 0; h < 5; h++)
            for (uint32_t c = 0; c < 2; c++)
                assert_true(drawn(&d, 0, 10, (uint32_t[]){h, c, (h + delta[s / 2]) % 5, (c + s % 2) % 2}));
    }
    set_pattern(&d, "nccl-alltoall"); /* the receiver's rail */
    draw_stage(&d, 1);
    for (uint32_t i = 0; i < d.flows.n; i++) assert_int_equal(d.net->rail[d.flows.src[i]], d.net->rail[d.flows.dst[i]]);
    stop_drawing(&d);
}

/* Steps of alternating rings stay on a rail, unless the number of hosts is odd. */
static void alternating_rings_stay_on_rails(void **state)
{
    static const char *const specs[] = {"nccl-ring:rails=alternate", "nccl-ring:rails=rccl"};
    (void)state;
    for (uint32_t hosts = 2; hosts < 8; hosts++)
        for (size_t k = 0; k < COUNT(specs); k++) {
            struct drawing d;
            uint32_t crossed = 0;
            start_hosts(&d, hosts, 4);
            set_pattern(&d, specs[k]);
            draw_stage(&d, 0);
            for (uint32_t i = 0; i < d.flows.n; i++)
                crossed += d.net->rail[d.flows.src[i]] != d.net->rail[d.flows.dst[i]];
            assert_int_equal(crossed, hosts % 2 ? 4 : 0);
            stop_drawing(&d);
        }
}

static uint32_t sum_of(const struct hd_flows *f)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < f->n; i++) sum += f->weight[i];
    return sum;
}

/* Tokens: each goes to at most four hosts and eight GPUs; forwarded ones stay on the sender's rail. */
static void tokens_are_counted(void **state)
{
    struct drawing d;
    (void)state;
    start_hosts(&d, 9, 8);
    for (int combine = 0; combine < 2; combine++) {
        set_pattern(&d, combine ? "moe:tokens=50,phase=combine" : "moe:tokens=50");
        draw_stage(&d, 3);
        for (uint32_t i = 0; i < d.flows.n; i++)
            assert_int_equal(d.net->rail[d.flows.src[i]], d.net->rail[d.flows.dst[i]]);
        double mean = (double)sum_of(&d.flows) / (72 * 50); /* about 4 * 8/9 less the hosts that no expert is on */
        assert_true(mean > 2.8 && mean <= 4);
        assert_int_equal(d.pattern->unit(d.state), 50);
    }
    set_pattern(&d, "moe:mode=low-latency,tokens=50");
    draw_stage(&d, 3);
    double mean = (double)sum_of(&d.flows) / (72 * 50);
    assert_true(mean > 6.5 && mean < 7.6);                   /* 8 * 8/9 */
    set_pattern(&d, "moe:ep=16,tokens=200,groups=1,topk=1"); /* pairs of hosts, the last one alone */
    draw_stage(&d, 3);
    for (uint32_t i = 0; i < d.flows.n; i++)
        assert_int_equal(d.net->host[d.flows.src[i]] / 2, d.net->host[d.flows.dst[i]] / 2);
    assert_int_equal(d.flows.n, 64);
    refuse_pattern(&d, "moe:ep=8", "on one host");
    stop_drawing(&d);
}

static void one_host_is_refused(void **state)
{
    static const char *const specs[] = {"nccl-ring", "nccl-tree", "nccl-alltoall", "nccl-pat", "rail-alltoall", "moe"};
    struct drawing d;
    (void)state;
    start_hosts(&d, 2, 4);
    sort_ranks(&d);
    uint32_t kept[4], n = 0;
    for (uint32_t i = 0; i < d.ranks.n && n < 4; i++)
        if (d.net->host[d.ranks.ep[i]] == 0) kept[n++] = d.ranks.ep[i];
    d.ranks = (struct hd_ranks){n, kept};
    for (size_t i = 0; i < COUNT(specs); i++) refuse_pattern(&d, specs[i], "all 4 ranks are on one host");
    stop_drawing(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_reproduced),
        cmocka_unit_test(trees_are_complementary),
        cmocka_unit_test(distances_are_quadratic),
        cmocka_unit_test(rounds_follow_the_schedule),
        cmocka_unit_test(alternating_rings_stay_on_rails),
        cmocka_unit_test(tokens_are_counted),
        cmocka_unit_test(one_host_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
