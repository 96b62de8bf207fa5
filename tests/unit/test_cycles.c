/* SPDX-License-Identifier: BSD-2-Clause */
/* A credit loop that check reports can be followed: each dependency ends where the next one begins, back to the first,
 * and is on the path of the pair named beside it, in the VL that it is said to be in. */
#include "testing.h"

#include "base/context.h"
#include "route/core/routes.h"
#include "route/core/sl2vl.h"

/* VL of the i-th channel of a path, i > 0, as the tables of the switches have it. */
static uint32_t vl_walked(const struct hd_routes *r, const uint32_t *chan, uint32_t i, uint32_t level)
{
    return r->lane_rule == HD_LANE_HOP ? hd_sl2vl_lane(r->sl2vl, chan[i - 1], chan[i], level)
           : r->nlanes > 1             ? level
                                       : 0;
}

static bool on_path(const struct hd_routes *r, const struct hd_dependency *d)
{
    uint32_t chan[HD_MAX_HOPS], n = hd_routes_path(r, d->source, d->dest, 0, chan);
    uint32_t level = r->nlanes > 1 ? hd_routes_lane(r, d->source, d->dest, 0) : 0;
    for (uint32_t i = 1; i + 1 < n; i++)
        if (chan[i] == d->c && chan[i + 1] == d->next && vl_walked(r, chan, i, level) == d->lane) return true;
    return false;
}

static void follow_cycle(const struct hd_routes *r)
{
    struct hd_ctx ctx;
    static struct hd_check k;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, 0);
    assert_in_range(k.ncycle, 2, 64);
    for (uint32_t i = 0; i < k.ncycle; i++) {
        const struct hd_dependency *d = &k.cycle[i];
        assert_int_equal(d->next, k.cycle[(i + 1) % k.ncycle].c);
        assert_int_equal(hd_routes_net(r)->head[d->c], hd_routes_net(r)->tail[d->next]);
        if (d->source == UINT32_MAX || !on_path(r, d))
            fail_msg("%s: dependency %u of %u is not on the path of its pair", hd_routes_spec(r), i, k.ncycle);
    }
    hd_ctx_release(&ctx);
}

static void loops_of_one_vl(void **state)
{
    (void)state;
    static const char *const nets[] = {"torus:dims=5,hosts=2", "torus:dims=4x4,hosts=1", "torus:dims=3x4x3,hosts=1"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        struct hd_routes *r = make_routes(net, "minhop");
        follow_cycle(r);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Tables with VLs are free of loops; without the service levels that tell pairs apart they are not. */
static void loops_of_levelled_vls(void **state)
{
    (void)state;
    static const char *const tables[] = {"torus2qos", "lash"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct hd_net *net = make_net("torus:dims=5x5,hosts=1");
        struct hd_routes *r = make_routes(net, tables[i]);
        static struct hd_check k;
        struct hd_ctx ctx;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
        assert_int_equal(k.deadlock_free, 1);
        assert_true(r->nlanes > 1 && r->leaf_lane);
        for (size_t j = 0; j < (size_t)r->nleaf * net->nep; j++) r->leaf_lane[j] = 0;
        follow_cycle(r);
        /* pairs of one source are in another VL, and no example */
        for (size_t j = 0; j < (size_t)r->nleaf * net->nep; j++) r->leaf_lane[j] = j / net->nep % 5 == 0;
        follow_cycle(r);
        hd_ctx_release(&ctx);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_one_vl),
        cmocka_unit_test(loops_of_levelled_vls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
