/* SPDX-License-Identifier: BSD-2-Clause */
/* A table in use on a changed fabric: what is carried over, and what a repair makes of it where the answer can be
 * written down. tests/prop/prop_keep.c has the properties over many networks. */
#include "tiny.h"

#include "route/core/lid_view.h"
#include "route/core/routes_build.h"
#include "route/core/routes_view.h"
#include "route/keep/keep_within.h"

static struct hd_ctx ctx;

static struct hd_net *without(const struct hd_net *net, const char *fail)
{
    struct hd_net *out = NULL;
    hd_status s = hd_net_fail(&ctx, net, fail, &out);
    return checked(&ctx, s, out, fail);
}

static struct hd_routes *carried(const struct hd_routes *r, const struct hd_net *net)
{
    struct hd_routes *out = NULL;
    assert_int_equal(hd_routes_carry(&ctx, r, net, &out), HD_OK);
    return out;
}

static struct hd_routes *kept(const struct hd_routes *fresh, const struct hd_routes *old, struct hd_keep *k)
{
    struct hd_routes *out = NULL;
    struct hd_check check;
    if (hd_routes_keep(&ctx, fresh, old, &out, k) != HD_OK) fail_msg("%s", hd_ctx_error(&ctx));
    assert_int_equal(hd_routes_check(&ctx, out, &check), HD_OK);
    assert_false(hd_check_faulty(&check));
    assert_int_equal(check.deadlock_free, 1);
    return out;
}

/* ---- carrying over ------------------------------------------------------------------------------------- */

static void test_carry_same(void **state)
{
    static const char *const engines[] = {"settle", "nue:maxlanes=2", "torus2qos", "dfsssp", "dmodk", "smodk", NULL};
    (void)state;
    for (size_t i = 0; engines[i]; i++) {
        struct hd_net *net = make_net(strstr(engines[i], "modk") ? "ft:m=4,n=3" : "torus:dims=4x4,hosts=2");
        struct hd_routes *r = make_routes(net, engines[i]), *copy = carried(r, net);
        struct hd_diff d;
        assert_int_equal(hd_routes_diff(&ctx, r, copy, &d), HD_OK);
        assert_int_equal(d.entries_changed + d.pairs_changed + d.lanes_changed, 0);
        assert_int_equal(hd_routes_lanes(r), hd_routes_lanes(copy));
        assert_int_equal(hd_routes_lane_rule(r), hd_routes_lane_rule(copy));
        assert_string_equal(hd_routes_spec(r), hd_routes_spec(copy));
        hd_routes_free(copy);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* A triangle without a cable: the two entries over it are holes, and so is everything towards a new switch. */
static void test_carry_other(void **state)
{
    struct hd_net *whole = tiny("1 1 1", "0-1 1-2 0-2"), *cut = without(whole, "link=s0:2");
    struct hd_routes *r = make_routes(whole, "minhop"), *less = carried(r, cut), *more = carried(less, whole);
    uint8_t buf[3];
    (void)state;
    for (uint32_t d = 0; d < 3; d++)
        for (uint32_t v = 0; v < 3; v++) {
            bool over = (v == 0 && d == 1) || (v == 1 && d == 0); /* the direct cable of s0 and s1 */
            const struct hd_net *net = hd_routes_net(less);
            uint8_t was = hd_routes_row(r, d, 0, buf)[v], slot = hd_routes_row(less, d, 0, buf)[v];
            assert_int_equal(slot == HD_SLOT_NONE, over);
            if (!over) assert_int_equal(net->port[net->off[v] + slot], whole->port[whole->off[v] + was]);
            assert_int_equal(hd_routes_row(more, d, 0, buf)[v], over ? HD_SLOT_NONE : was);
        }
    hd_routes_free(more);
    hd_routes_free(less);
    hd_routes_free(r);
    hd_net_free(cut);
    hd_net_free(whole);
}

static void test_carry_vls(void **state)
{
    struct hd_net *net = make_net("torus:dims=4x4,hosts=2"), *less = without(net, "switch=L1-0005");
    struct hd_routes *r = make_routes(net, "dfsssp"), *c = carried(r, less);
    struct hd_routes *hop = make_routes(net, "torus2qos"), *unknown = carried(hop, less);
    (void)state;
    assert_int_equal(hd_routes_lane_rule(c), HD_LANE_LEAF);
    for (uint32_t s = 0; s < less->nep; s++)
        for (uint32_t d = 0; d < less->nep; d++) {
            uint32_t gone = 10; /* the endpoints of L1-0005 are 10 and 11 */
            uint32_t s0 = s < gone ? s : s + 2, d0 = d < gone ? d : d + 2;
            assert_int_equal(hd_routes_lane(c, s, d, 0), hd_routes_lane(r, s0, d0, 0));
        }
    assert_int_equal(hd_routes_lane_rule(unknown), HD_LANE_UNKNOWN);
    hd_routes_free(unknown);
    hd_routes_free(hop);
    hd_routes_free(c);
    hd_routes_free(r);
    hd_net_free(less);
    hd_net_free(net);
}

/* ---- repair -------------------------------------------------------------------------------------------- */

/* A ring of four, one host each, one cable lost: only the entries over it and those before them had to change. */
static void test_ring(void **state)
{
    struct hd_net *net = tiny("1 1 1 1", "0-1 1-2 2-3 3-0"), *line = without(net, "link=s0:2");
    struct hd_routes *old = make_routes(net, "updown"), *fresh = make_routes(line, "updown"), *out;
    struct hd_keep k;
    (void)state;
    out = kept(fresh, old, &k);
    assert_true(k.entries_forced > 0);
    assert_true(k.entries_changed <= k.entries_forced);
    assert_int_equal(k.entries_changed, k.entries_repaired);
    assert_true(k.vls_known);
    assert_int_equal(k.vls_changed, 0);
    assert_false(k.fresh);
    hd_routes_free(out);
    hd_routes_free(fresh);
    hd_routes_free(old);
    hd_net_free(line);
    hd_net_free(net);
}

struct heard {
    uint32_t calls;
    uint64_t first, last, total;
};

static void hear_keeping(void *user, const char *what, uint64_t done, uint64_t total)
{
    struct heard *h = user;
    if (strcmp(what, "keeping") != 0) return;
    if (!h->calls++) h->first = done;
    assert_true(done >= h->last && done <= total);
    h->last = done;
    h->total = total;
}

/* Progress begins where nothing is done and goes on to the last rows. */
static void test_progress(void **state)
{
    struct hd_net *net = make_net("torus:dims=5x5,hosts=24"), *less = without(net, "links=1,seed=2");
    struct hd_routes *old = make_routes(net, "updown"), *fresh = make_routes(less, "updown");
    struct heard heard = {0};
    struct hd_keep k;
    (void)state;
    hd_ctx_set_progress(&ctx, hear_keeping, &heard);
    hd_routes_free(kept(fresh, old, &k));
    hd_ctx_set_progress(&ctx, NULL, NULL);
    assert_true(heard.calls > 0);
    assert_int_equal(heard.first, 0);
    assert_int_equal(heard.total, net->nep);
    assert_true(2 * heard.last > heard.total);
    hd_routes_free(fresh);
    hd_routes_free(old);
    hd_net_free(less);
    hd_net_free(net);
}

/* Nothing to keep: every entry had to change. */
static void test_empty(void **state)
{
    struct hd_net *net = make_net("ft:m=4,n=2");
    struct hd_routes *old, *fresh = make_routes(net, "dmodc"), *out;
    struct hd_keep k;
    (void)state;
    assert_int_equal(hd_routes_make(&ctx, net, 1, &old), HD_OK);
    out = kept(fresh, old, &k);
    assert_true(k.entries_forced >= (uint64_t)net->nep * net->nsw);
    assert_true(k.share >= 0.99 * k.share_fresh);
    hd_routes_free(out);
    hd_routes_free(old);
    hd_routes_free(fresh);
    hd_net_free(net);
}

/* Parts that are not connected, a switch alone, and a part that is cut off by the loss. */
static void test_parts(void **state)
{
    static const char *const nets[][3] = {{"1 1 1 1", "0-1 2-3", NULL},
                                          {"3", "", NULL},
                                          {"1 1 2", "0-1 1-2", "link=s1:2"},
                                          {"2 0 2", "0-1 1-2", "switch=s1"}};
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
        struct hd_net *net = tiny(nets[i][0], nets[i][1]);
        struct hd_net *after = nets[i][2] ? without(net, nets[i][2]) : tiny(nets[i][0], nets[i][1]);
        struct hd_routes *old = make_routes(net, "updown"), *fresh = make_routes(after, "updown");
        struct hd_keep k;
        struct hd_routes *out = kept(fresh, old, &k), *same = kept(fresh, fresh, &k);
        assert_int_equal(k.entries_forced, 0);
        assert_int_equal(k.entries_changed, 0);
        hd_routes_free(same);
        hd_routes_free(out);
        hd_routes_free(fresh);
        hd_routes_free(old);
        hd_net_free(after);
        hd_net_free(net);
    }
}

/* Entries are changed pass by pass until the share is near that of the fresh table: fewer than with that one. */
static void test_improved(void **state)
{
    struct hd_net *net = make_net("random:switches=16,ports=8,hosts=3,seed=2");
    struct hd_routes *old = make_routes(net, "minhop"), *fresh = make_routes(net, "settle"), *out;
    struct hd_keep k;
    struct hd_diff all, some;
    (void)state;
    out = kept(fresh, old, &k);
    assert_int_equal(hd_routes_diff(&ctx, old, fresh, &all), HD_OK);
    assert_int_equal(hd_routes_diff(&ctx, old, out, &some), HD_OK);
    assert_true(k.share >= 0.99 * k.share_fresh);
    assert_true(some.entries_changed < all.entries_changed);
    hd_routes_free(out);
    hd_routes_free(fresh);
    hd_routes_free(old);
    hd_net_free(net);
}

/* Old VLs that are unknown: proved in those of the fresh table, and reported. */
static void test_unknown_vls(void **state)
{
    struct hd_net *net = make_net("torus:dims=4x4,hosts=2");
    struct hd_routes *made = make_routes(net, "dfsssp"), *old = carried(made, net), *out;
    struct hd_keep k;
    (void)state;
    hd_routes_vls_unknown(old);
    out = kept(made, old, &k);
    assert_false(k.vls_known);
    assert_int_equal(k.entries_changed, 0);
    assert_true(hd_routes_lanes(out) <= hd_routes_lanes(made));
    hd_routes_free(out);
    hd_routes_free(old);
    hd_routes_free(made);
    hd_net_free(net);
}

/* Several LIDs per port are kept as well; a table with another number of them gives way to the fresh one. */
static void test_variants(void **state)
{
    struct hd_net *net = make_net("ft:m=8,n=2"), *after = without(net, "links=1");
    struct hd_routes *old = make_routes(net, "settle:lmc=1"), *fresh = make_routes(after, "settle:lmc=1");
    struct hd_routes *one = make_routes(after, "settle"), *out, *other;
    struct hd_keep k;
    (void)state;
    out = kept(fresh, old, &k);
    assert_int_equal(hd_routes_variants(out), 2);
    assert_true(k.entries_changed <= 3 * k.entries_forced);
    other = kept(one, old, &k);
    assert_int_equal(hd_routes_variants(other), 1);
    assert_true(k.fresh);
    hd_routes_free(other);
    hd_routes_free(out);
    hd_routes_free(one);
    hd_routes_free(fresh);
    hd_routes_free(old);
    hd_net_free(after);
    hd_net_free(net);
}

/* A tree in which some pairs have no path up and down any more, so that the fresh table lacks them: they are served. */
static void test_more_than_fresh(void **state)
{
    struct hd_net *net = make_net("kary:k=3,n=2"), *after = without(net, "links=4,seed=56881");
    struct hd_routes *old = make_routes(net, "dmodc"), *fresh = make_routes(after, "dmodc");
    struct hd_check check;
    struct hd_keep k;
    (void)state;
    assert_int_equal(hd_routes_check(&ctx, fresh, &check), HD_OK);
    assert_true(check.unreachable > 0);
    hd_routes_free(kept(fresh, old, &k));
    assert_false(k.fresh);
    hd_routes_free(fresh);
    hd_routes_free(old);
    hd_net_free(after);
    hd_net_free(net);
}

/* ---- further LIDs -------------------------------------------------------------------------------------- */

/* A table as read from a file: the second LID of every endpoint has rows of another engine. */
static struct hd_routes *with_further(const struct hd_net *net, const char *engine, const char *other)
{
    struct hd_routes *made = make_routes(net, engine), *rows = make_routes(net, other), *r = carried(made, net);
    const uint32_t nsw = net->nsw, nep = net->nep;
    uint8_t *buf = malloc(nsw);
    r->nfurther = nep;
    r->lid = HD_NEW(&r->arena, uint16_t, nsw + nep);
    r->further_dest = HD_NEW(&r->arena, uint32_t, nep);
    r->further_lid = HD_NEW(&r->arena, uint16_t, nep);
    r->further = HD_NEW(&r->arena, uint8_t, (size_t)nep * nsw);
    assert_true(buf && r->lid && r->further_dest && r->further_lid && r->further);
    memcpy(r->lid, net->lid, (nsw + nep) * sizeof *r->lid);
    for (uint32_t d = 0; d < nep; d++) {
        r->further_dest[d] = d;
        r->further_lid[d] = (uint16_t)(net->lid[nsw + d] + 1);
        memcpy(r->further + (size_t)d * nsw, hd_routes_row(rows, d, 0, buf), nsw);
    }
    free(buf);
    hd_routes_free(rows);
    hd_routes_free(made);
    return r;
}

/* Entries that switches hold, port by port; both networks have the same switches. */
static uint64_t entries_differ(const struct hd_routes *a, const struct hd_routes *b)
{
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    struct hd_lft_view one, two;
    uint64_t n = 0;
    assert_int_equal(hd_lids_plan(&ctx, &scratch, a->net, a->nvar, &lids), HD_OK);
    assert_int_equal(hd_lft_view_init(&ctx, &scratch, a, lids, &one), HD_OK);
    assert_int_equal(hd_lft_view_init(&ctx, &scratch, b, lids, &two), HD_OK);
    for (uint32_t lid = 1; lid <= lids.last; lid++)
        for (uint32_t v = 0; v < a->net->nsw; v++) n += hd_lft_port(&one, v, lid) != hd_lft_port(&two, v, lid);
    hd_arena_release(&scratch);
    return n;
}

/* Entries of a table, LID by LID and switch by switch, from which a packet gets lost: followed port by port. */
static uint64_t entries_that_lose(const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    struct hd_lft_view view;
    uint64_t n = 0;
    assert_int_equal(hd_lids_plan(&ctx, &scratch, net, r->nvar, &lids), HD_OK);
    assert_int_equal(hd_lft_view_init(&ctx, &scratch, r, lids, &view), HD_OK);
    for (uint32_t u = 0; u < net->nsw + net->nep; u++)
        for (uint32_t lid = net->lid[u]; lid <= net->lid[u] + (u < net->nsw ? 0u : 1u); lid++)
            for (uint32_t v = 0; v < net->nsw; v++) {
                uint32_t at = v, steps = 0;
                while (at < net->nsw && at != u && steps++ < net->nsw) {
                    const uint32_t port = hd_lft_port(&view, at, lid);
                    uint32_t c = net->off[at];
                    while (c < net->off[at + 1] && net->port[c] != port) c++;
                    at = c < net->off[at + 1] ? net->head[c] : UINT32_MAX;
                }
                n += at != u || (u < net->nsw && v == u && hd_lft_port(&view, v, lid) != 0);
            }
    hd_arena_release(&scratch);
    return n;
}

static void test_keep_further(void **state)
{
    static const char *const nets[] = {"ft:m=4,n=3", "mesh:dims=4x4,hosts=1"};
    static const char *const engines[][2] = {{"dmodk", "minhop"}, {"dor", "dor"}};
    struct hd_keep k;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hd_net *plain = make_net(nets[i]), *net, *cut;
        assert_int_equal(hd_net_lids(&ctx, plain, NULL, 1, &net), HD_OK);
        struct hd_routes *old = with_further(net, engines[i][0], engines[i][1]);
        old->own_entry = HD_NEW(&old->arena, uint16_t, net->nsw);
        assert_non_null(old->own_entry);
        old->own_entry[1] = 2;
        cut = without(net, "links=2,seed=3");
        struct hd_routes *was = carried(old, cut);
        assert_int_equal(was->nfurther, net->nep);
        struct hd_routes *fresh[2] = {make_routes(net, engines[i][0]), make_routes(cut, "updown")}, *r;
        r = kept(fresh[0], old, &k);
        assert_int_equal(entries_differ(old, r), 1); /* what a switch does with its own LID */
        assert_int_equal(k.entries_changed, 1);
        assert_int_equal(k.entries_forced, 1);
        hd_routes_free(r);
        r = kept(fresh[1], old, &k);
        assert_false(k.fresh);
        assert_int_equal(r->nfurther, net->nep);
        assert_int_equal(k.entries_changed, entries_differ(was, r));
        assert_true(k.entries_changed < k.entries / 4 && k.entries_forced > 0);
        if (i == 1) assert_int_equal(k.entries_forced, entries_that_lose(was)); /* every switch has a host to serve */
        hd_routes_free(r);
        hd_routes_free(fresh[1]);
        hd_routes_free(fresh[0]);
        hd_routes_free(was);
        hd_routes_free(old);
        hd_net_free(cut);
        hd_net_free(net);
        hd_net_free(plain);
    }
}

/* Within a limit: a repair that is proved, or nothing where that takes longer. */
static void test_within(void **state)
{
    (void)state;
    struct hd_net *net = make_net("torus:dims=4x4,hosts=2"), *less = without(net, "links=1,seed=3");
    struct hd_routes *old = make_routes(net, "settle:maxlanes=1"), *fresh = make_routes(less, "updown"), *out;
    struct hd_check check;
    struct hd_diff d;
    assert_int_equal(hd_routes_keep_within(&ctx, fresh, old, 1, &out), HD_OK);
    assert_null(out);
    assert_int_equal(hd_routes_keep_within(&ctx, fresh, old, 10000000, &out), HD_OK);
    assert_non_null(out);
    assert_int_equal(hd_routes_check(&ctx, out, &check), HD_OK);
    assert_false(hd_check_faulty(&check));
    assert_int_equal(check.deadlock_free, 1);
    struct hd_routes *was = carried(old, less);
    assert_int_equal(hd_routes_diff(&ctx, was, out, &d), HD_OK);
    assert_in_range(d.entries_changed, 1, 200);
    hd_routes_free(out);
    hd_routes_free(was);
    hd_routes_free(fresh);
    hd_routes_free(old);
    hd_net_free(less);
    hd_net_free(net);
}

int main(void)
{
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_carry_same),   cmocka_unit_test(test_carry_other),
                                       cmocka_unit_test(test_carry_vls),    cmocka_unit_test(test_ring),
                                       cmocka_unit_test(test_empty),        cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_improved),     cmocka_unit_test(test_unknown_vls),
                                       cmocka_unit_test(test_variants),     cmocka_unit_test(test_more_than_fresh),
                                       cmocka_unit_test(test_keep_further), cmocka_unit_test(test_within),
                                       cmocka_unit_test(test_progress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
