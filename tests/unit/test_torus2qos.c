/* SPDX-License-Identifier: BSD-2-Clause */
/* torus2qos: the paths of OpenSM's documentation, and on small tori every failed cable, every failed switch and every
 * pair of the two: all pairs are served and no dependency closes a cycle. Dependencies are collected and searched by
 * opensm_oracle.h, with the VL of each hop taken from the SL2VL tables. */
#include "opensm_oracle.h"

#include "route/core/sl2vl.h"

/* The switch at (x, y, z) of a torus of these sizes, by its coordinates. */
static uint32_t switch_at(const struct hd_net *net, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t at[3] = {x, y, z};
    for (uint32_t v = 0; v < net->nsw; v++) {
        bool same = true;
        for (uint32_t i = 0; i < net->shape.n; i++) same &= hd_coord(net, v)[i] == at[i];
        if (same) return v;
    }
    return UINT32_MAX;
}

static void lose_cable(const struct hd_net *net, bool *keep, uint32_t u, uint32_t v)
{
    for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++)
        if (net->head[c] == v) keep[c] = keep[net->rev[c]] = false;
}

/* Without one switch (UINT32_MAX: none) and one cable, given by its channel. */
static struct hd_net *lose(const struct hd_net *net, uint32_t sw, uint32_t other, uint32_t chan)
{
    bool *keep = malloc(net->nchan), *keep_sw = malloc(net->nsw);
    memset(keep, true, net->nchan);
    memset(keep_sw, true, net->nsw);
    if (sw != UINT32_MAX) keep_sw[sw] = false;
    if (other != UINT32_MAX) keep_sw[other] = false;
    if (chan != UINT32_MAX) lose_cable(net, keep, net->tail[chan], net->head[chan]);
    struct hd_net *out = net_keeping(net, (struct keep){.sw = keep_sw, .chan = keep}, net->spec);
    free(keep);
    free(keep_sw);
    return out;
}

/* The switches of a path as "xy xy ..." */
static void assert_path(const struct hd_net *net, const uint32_t from[2], const uint32_t to[2], const char *expected)
{
    struct hd_routes *r = make_routes(net, "torus2qos");
    uint32_t s = switch_at(net, from[0], from[1], 0), t = switch_at(net, to[0], to[1], 0), chan[HD_MAX_HOPS], a = 0,
             b = 0;
    char text[128] = "";
    for (uint32_t e = 0; e < net->nep; e++) {
        if (hd_leaf(net, e) == s) a = e;
        if (hd_leaf(net, e) == t) b = e;
    }
    uint32_t n = hd_routes_path(r, a, b, 0, chan);
    assert_true(n > 0);
    for (uint32_t i = 1; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u%u", i > 1 ? " " : "",
                 hd_coord(net, net->tail[chan[i]])[0], hd_coord(net, net->tail[chan[i]])[1]);
    assert_string_equal(text, expected);
    hd_routes_free(r);
}

/* S, n, T, o, p and m are (1,1), (2,1), (3,1), (4,1), (5,1), (0,1); I is (2,2), r (3,2), D (3,3). */
static void test_documented_paths(void **state)
{
    (void)state;
    const uint32_t s[2] = {1, 1}, d[2] = {3, 3};
    struct hd_net *net = make_net("torus:dims=6x5,hosts=1"), *less;
    assert_path(net, s, d, "11 21 31 32 33");
    uint32_t t = switch_at(net, 3, 1, 0), n = switch_at(net, 2, 1, 0), c = net->off[n];
    while (net->head[c] != t) c++;
    less = lose(net, UINT32_MAX, UINT32_MAX, c);
    assert_path(less, s, d, "11 01 51 41 31 32 33");
    hd_net_free(less);
    less = lose(net, t, UINT32_MAX, UINT32_MAX);
    assert_path(less, s, d, "11 21 22 32 33");
    hd_net_free(less);
    hd_net_free(net);
    net = make_net("torus:dims=6x6,hosts=1");
    less = lose(net, switch_at(net, 3, 1, 0), switch_at(net, 3, 2, 0), UINT32_MAX);
    assert_path(less, s, (const uint32_t[2]){3, 4}, "11 21 22 23 33 34");
    hd_net_free(less);
    less = lose(net, switch_at(net, 3, 1, 0), switch_at(net, 4, 1, 0), UINT32_MAX);
    refuse_routes(less, "torus2qos", "the 2 missing switches are not neighbours in the last dimension");
    hd_net_free(less);
    bool keep[1024];
    memset(keep, true, sizeof keep);
    lose_cable(net, keep, switch_at(net, 2, 1, 0), switch_at(net, 3, 1, 0));
    lose_cable(net, keep, switch_at(net, 3, 1, 0), switch_at(net, 4, 1, 0));
    less = net_keeping(net, (struct keep){.chan = keep}, "two cables of a ring");
    refuse_routes(less, "torus2qos", "missing cables split a ring of dimension 1");
    hd_net_free(less);
    hd_net_free(net);
    net = make_net("ft:m=4,n=2");
    refuse_routes(net, "torus2qos", "not a torus or mesh of up to 3 dimensions");
    hd_net_free(net);
}

/* All pairs arrive, nothing closes a cycle, the check agrees; returns the VLs in use. */
static uint32_t hold(const struct hd_net *net)
{
    struct hd_routes *r = make_routes(net, "torus2qos");
    uint32_t lanes = hd_routes_lanes(r), used = 0, chan[HD_MAX_HOPS];
    bool hop = r->lane_rule == HD_LANE_HOP;
    struct graph g;
    struct hd_ctx ctx;
    struct hd_check k;
    graph_init(&g, net->nchan * lanes);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t n = s == d ? 2 : hd_routes_path(r, s, d, 0, chan), level = hd_routes_lane(r, s, d, 0), before = 0;
            if (n == 0) fail_msg("%s: %u to %u is not served", net->spec, s, d);
            for (uint32_t i = 1; s != d && i < n; i++) {
                uint32_t vl = hop ? hd_sl2vl_lane(r->sl2vl, chan[i - 1], chan[i], level) : 0;
                assert_true(vl < lanes);
                used = vl + 1 > used ? vl + 1 : used;
                if (i > 1) graph_add(&g, chan[i - 1] * lanes + before, chan[i] * lanes + vl);
                before = vl;
            }
        }
    if (graph_cyclic(&g)) fail_msg("%s: a cycle", net->spec);
    graph_free(&g);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, 1);
    assert_int_equal(k.unreachable + k.loops, 0);
    assert_int_equal(k.lanes, used);
    hd_routes_free(r);
    return used;
}

/* Whether the engine applies: a second failure may split a ring. */
static bool serves(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_routes_open(&ctx, net, "torus2qos", &r);
    if (s == HD_OK) hd_routes_free(r);
    assert_true(s == HD_OK || s == HD_NA);
    return s == HD_OK;
}

static void hold_all_failures(const char *spec, bool pairs)
{
    struct hd_net *net = make_net(spec);
    uint32_t served = 0;
    assert_true(hold(net) <= 2);
    for (uint32_t v = 0; v <= net->nsw; v++)
        for (uint32_t c = 0; c <= net->nchan; c++) {
            bool cable = c < net->nchan, gone = v < net->nsw;
            if (cable && (net->tail[c] >= net->nsw || net->head[c] >= net->nsw || c > net->rev[c])) continue;
            if (cable && gone && (!pairs || net->tail[c] == v || net->head[c] == v)) continue;
            struct hd_net *less = lose(net, gone ? v : UINT32_MAX, UINT32_MAX, cable ? c : UINT32_MAX);
            bool one = cable != gone;
            if (serves(less)) {
                assert_true(hold(less) <= (gone ? 4 : 2));
                served++;
            } else if (one && net->shape.w[0] == HD_RING) {
                fail_msg("%s: one failure is refused", spec);
            }
            hd_net_free(less);
        }
    assert_true(served > net->nsw);
    hd_net_free(net);
}

static void test_failures(void **state)
{
    (void)state;
    hold_all_failures("torus:dims=4x4,hosts=1", true);
    hold_all_failures("torus:dims=5x4,hosts=1", true);
    hold_all_failures("torus:dims=6x5,hosts=1", false);
    hold_all_failures("torus:dims=3x4x3,hosts=1", false);
}

/* The other way round a broken ring can be longer than any path may be, though endpoints are near by other rings. */
static void test_long_rings(void **state)
{
    (void)state;
    struct hd_net *net = make_net("torus:dims=260x3,hosts=1");
    struct hd_routes *r = make_routes(net, "torus2qos");
    hd_routes_free(r);
    uint32_t u = switch_at(net, 5, 1, 0), v = switch_at(net, 6, 1, 0), c = net->off[u];
    while (net->head[c] != v) c++;
    struct hd_net *less = lose(net, UINT32_MAX, UINT32_MAX, c);
    refuse_routes(less, "torus2qos", "may need paths of more than 254 channels between switches");
    hd_net_free(less);
    hd_net_free(net);
}

static void test_parallel_cables_and_meshes(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:dims=4x4,hosts=3,cables=2x3", "torus:dims=2x5,hosts=2",
                                        "torus:dims=7,hosts=1", "hypercube:n=3,hosts=2", "mesh:dims=4x3x2,hosts=1"};
    static const uint32_t vls[] = {2, 2, 2, 1, 1};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct hd_net *net = make_net(specs[i]);
        assert_int_equal(hold(net), vls[i]);
        hd_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_documented_paths), cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_long_rings),
                                       cmocka_unit_test(test_parallel_cables_and_meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
