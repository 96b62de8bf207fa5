/* SPDX-License-Identifier: BSD-2-Clause */
/* The proof of routes against pairs walked one by one, on tables that are mostly wrong: entries drawn at
 * random have holes, loops, wrong endpoints and detours of every kind. */
#include "testing.h"

#include "graph_tools.h"
#include "tiny.h"

#include "base/rng.h"
#include "load/all_pairs.h"
#include "route/check/check_everyone.h"
#include "route/core/switch_distance.h"
#include "route/core/switch_rows.h"
#include "route/core/routes.h"
#include "route/io/fmt_lft.h"
#include "base/context.h"

static const char *const nets[] = {
    "torus:dims=3x4,hosts=2", "ft:m=4,n=3",     "random:switches=9,ports=8,hosts=3,seed=2",
    "gft:n=3,m=2,r=4",        "xgft:m=5,w=1",   "mesh:dims=2x3,hosts=1,cables=3",
    "dragonfly:a=3,p=1,h=1",  "gft:n=1,m=1,r=2"};
enum { NETS = sizeof nets / sizeof nets[0] };

static struct hd_net *open_net(const char *spec, const char *fail, const char *endpoints)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_open(&ctx, spec, &(struct hd_open){.fail = fail, .endpoints = endpoints}, &net);
    return checked(&ctx, s, net, spec);
}

/* ---- distances ------------------------------------------------------------------------------------ */

static void check_distances(const struct hd_net *net, int threads)
{
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    uint8_t *dist = NULL;
    uint32_t *target = zeroed(net->nsw, sizeof *target);
    for (uint32_t v = 0; v < net->nsw; v++) target[v] = net->nsw - 1 - v;
    hd_ctx_init(&ctx);
    ctx.threads = threads;
    assert_int_equal(hd_dist_table(&ctx, &a, net, target, net->nsw, &dist), HD_OK);
    for (uint32_t i = 0; i < net->nsw; i++) {
        uint32_t *far = distances(net, target[i]);
        for (uint32_t v = 0; v < net->nsw; v++) {
            uint32_t expected = far[v] < HD_FAR ? far[v] : HD_FAR;
            if (dist[(size_t)i * net->nsw + v] != expected)
                fail_msg("%s: %u to %u: %u, expected %u", net->spec, v, target[i], dist[(size_t)i * net->nsw + v],
                         expected);
        }
        free(far);
    }
    free(target);
    hd_arena_release(&a);
}

/* More and fewer targets than are searched together, parts that are not connected, and more hops than a byte
 * holds. */
static void distances_are_those_of_a_search(void **state)
{
    static const char *const specs[] = {"torus:dims=8x9,hosts=1", "ft:m=8,n=3", "mesh:dims=300,hosts=1",
                                        "hypercube:n=6,hosts=1", "xgft:m=4,w=1"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct hd_net *net = make_net(specs[i]);
        check_distances(net, 1 + (int)i % 3);
        hd_net_free(net);
    }
    struct hd_net *parts = open_net("gft:n=2,m=2,r=40", "links=60,seed=3", NULL);
    assert_false(is_connected(parts));
    check_distances(parts, 2);
    hd_net_free(parts);
}

/* ---- wrong tables ----------------------------------------------------------------------------------- */

/* One variant a source class; entries right, off by a little, missing or drawn at random. */
static struct hd_routes *draw_table(const struct hd_net *net, uint32_t nvar, uint32_t wrong, uint64_t seed)
{
    struct hd_ctx ctx;
    struct hd_routes *r, *right;
    struct hd_rng rng;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, seed, HD_RNG_TEST, wrong);
    assert_int_equal(hd_routes_open(&ctx, net, "minhop", &right), HD_OK);
    assert_int_equal(hd_routes_make(&ctx, net, nvar, &r), HD_OK);
    if (nvar > 1) {
        r->select = seed % 2 ? HD_SELECT_SOURCE : HD_SELECT_ALL;
        r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
        for (uint32_t e = 0; e < net->nep; e++) r->source_class[e] = (uint16_t)hd_rng_below(&rng, nvar);
    }
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < nvar; x++)
            for (uint32_t v = 0; v < net->nsw; v++) {
                uint8_t slot = hd_routes_row(right, d, 0, NULL)[v];
                if (hd_rng_below(&rng, 100) < wrong)
                    slot = hd_rng_below(&rng, 8) ? (uint8_t)hd_rng_below(&rng, hd_degree(net, v)) : HD_SLOT_NONE;
                hd_row(r, d, x)[v] = slot;
            }
    hd_routes_free(right);
    return r;
}

static bool is_selected(const struct hd_net *net, uint32_t e)
{
    for (uint32_t i = 0; i < net->nsel; i++)
        if (net->sel[i] == e) return true;
    return false;
}

struct walked {
    struct hd_check k;
    uint64_t hop_sum, unserved, *load;
    uint64_t first;     /* destination and source of the first unserved pair */
    bool *used, *waits; /* [nchan], [nchan * nchan] */
    uint32_t *cut;      /* [(d * nvar + x) * nsw + v] sources at v that do not reach d */
};

/* Follows one pair; what a circle or a dead end has passed counts as used and waited for as well. */
static void walk_pair(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t far, struct walked *w)
{
    const struct hd_net *net = r->net;
    uint32_t v = hd_leaf(net, s), n = 1, last = FAR, chan[4096];
    const uint8_t *row = hd_routes_row(r, d, x, NULL);
    bool dead = false;
    while (v != net->nsw + d && n <= 2 * net->nsw + 2) {
        dead = v >= net->nsw || row[v] >= hd_degree(net, v);
        if (dead) break;
        uint32_t c = net->off[v] + row[v];
        w->used[c] = true;
        if (last != FAR) w->waits[(size_t)last * net->nchan + c] = true;
        chan[n++] = last = c;
        v = net->head[c];
    }
    if (far == FAR) return;
    w->k.pairs++;
    if (v != net->nsw + d) {
        *(dead ? &w->k.unreachable : &w->k.loops) += 1;
        if (!w->unserved++ || w->first > ((uint64_t)d << 32 | s)) w->first = (uint64_t)d << 32 | s;
        w->cut[((size_t)d * r->nvar + x) * net->nsw + hd_leaf(net, s)]++;
        return;
    }
    w->k.nonminimal += n != far;
    if (n > w->k.max_hops) w->k.max_hops = n;
    w->k.hops[n]++;
    w->hop_sum += n;
    w->load[net->off[net->nsw + s]]++;
    for (uint32_t i = 1; i < n; i++) w->load[chan[i]]++;
}

static bool goes_round(const struct walked *w, uint32_t n, uint32_t c, uint8_t *colour)
{
    colour[c] = 1;
    for (uint32_t next = 0; next < n; next++)
        if (w->waits[(size_t)c * n + next] &&
            (colour[next] == 1 || (colour[next] == 0 && goes_round(w, n, next, colour))))
            return true;
    colour[c] = 2;
    return false;
}

/* The first of what is cut off is named, in order. */
static void compare_unserved(const struct hd_routes *r, const struct walked *w, const struct hd_check *k)
{
    const struct hd_net *net = r->net;
    uint32_t n = 0;
    for (size_t i = 0; i < (size_t)net->nep * r->nvar * net->nsw && n < 64; i++) {
        if (!w->cut[i]) continue;
        const struct hd_unserved *u = &k->unserved[n++];
        assert_in_range(n, 1, k->nunserved);
        assert_int_equal(u->dest, i / net->nsw / r->nvar);
        assert_int_equal(u->variant, i / net->nsw % r->nvar);
        assert_int_equal(hd_leaf(net, u->source), i % net->nsw);
        assert_int_equal(u->sources, w->cut[i]);
        assert_true(is_selected(net, u->source) && u->source != u->dest);
    }
    assert_int_equal(n, k->nunserved);
}

static void compare(const struct hd_routes *r, const struct walked *w, int threads)
{
    const struct hd_net *net = r->net;
    struct hd_ctx ctx;
    struct hd_check k;
    struct hd_arena a = {0};
    struct hd_allpairs all;
    uint8_t *colour = zeroed(net->nchan, 1);
    uint32_t unused = 0;
    bool cyclic = false;
    hd_ctx_init(&ctx);
    ctx.threads = threads;
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.pairs, w->k.pairs);
    assert_int_equal(k.unreachable, w->k.unreachable);
    assert_int_equal(k.loops, w->k.loops);
    assert_int_equal(k.nonminimal, w->k.nonminimal);
    assert_int_equal(k.max_hops, w->k.max_hops);
    assert_memory_equal(k.hops, w->k.hops, sizeof k.hops);
    compare_unserved(r, w, &k);
    if (w->unserved) assert_true(((uint64_t)k.example[1] << 32 | k.example[0]) == w->first);
    uint64_t served = k.pairs - k.unreachable - k.loops;
    assert_true(k.avg_hops == (served ? (double)w->hop_sum / (double)served : 0));
    for (uint32_t c = 0; c < net->nchan; c++) {
        unused += net->tail[c] < net->nsw && net->head[c] < net->nsw && !w->used[c];
        if (!cyclic && !colour[c]) cyclic = goes_round(w, net->nchan, c, colour);
    }
    assert_int_equal(k.unused, unused);
    assert_int_equal(k.deadlock_free, !cyclic);
    assert_true(k.seconds[HD_CHECK_REACH] >= 0 && k.seconds[HD_CHECK_DEPS] >= 0);
    if (r->select == HD_SELECT_ALL) goto done; /* loads are then in shares */
    assert_int_equal(hd_allpairs_load(&ctx, &a, r, &all), HD_OK);
    assert_int_equal(all.hops, w->hop_sum);
    for (uint32_t c = 0; c < net->nchan; c++)
        if (all.load[c] != w->load[c])
            fail_msg("%s: load of channel %u is %llu, walking gives %llu", net->spec, c,
                     (unsigned long long)all.load[c], (unsigned long long)w->load[c]);
done:
    hd_arena_release(&a);
    free(colour);
}

static void check_table(const struct hd_routes *r, int threads)
{
    const struct hd_net *net = r->net;
    struct walked w = {.used = zeroed(net->nchan, 1),
                       .waits = zeroed((size_t)net->nchan * net->nchan, 1),
                       .load = zeroed(net->nchan, sizeof(uint64_t)),
                       .cut = zeroed((size_t)net->nep * r->nvar * net->nsw, sizeof(uint32_t))};
    for (uint32_t s = 0; s < net->nep; s++) {
        uint32_t *far = distances(net, net->nsw + s);
        for (uint32_t d = 0; is_selected(net, s) && d < net->nep; d++)
            for (uint32_t x = 0; x < r->nvar && d != s && is_selected(net, d); x++)
                if (r->select != HD_SELECT_SOURCE || r->source_class[s] == x)
                    walk_pair(r, s, d, x, far[net->nsw + d], &w);
        free(far);
    }
    compare(r, &w, threads);
    free(w.used);
    free(w.waits);
    free(w.load);
    free(w.cut);
}

static void wrong_tables_are_told_right(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 10 * NETS; i++) {
        static const uint32_t wrong[] = {0, 2, 10, 50, 100};
        const char *fail = i % 3 == 2 && i % NETS != 4 ? "links=1,seed=4" : NULL;
        struct hd_net *net = open_net(nets[i % NETS], fail, i % 4 == 3 ? "node-0000[0-6]" : NULL);
        struct hd_routes *r = draw_table(net, i % 5 ? 1 : 3, wrong[i / 2 % 5], i);
        check_table(r, 1 + (int)i % 3);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- endpoints that are not selected ------------------------------------------------------------------ */

/* Apart or among the selected ones: the same pairs, faults and credit loops. */
static void others_count_as_selected_ones_do(void **state)
{
    static const uint32_t wrong[] = {0, 1, 5, 30};
    (void)state;
    for (uint64_t i = 0; i < 12; i++) {
        struct hd_ctx ctx;
        struct hd_check apart, all;
        struct hd_net *net =
            make_net("director:groups=2,leaves=2,directors=1,lines=2,spines=2,hosts=2,rails=2,storage=3");
        struct hd_routes *r = draw_table(net, i % 3 ? 1 : 2, wrong[i % 4], i);
        hd_ctx_init(&ctx);
        ctx.threads = 1 + (int)i % 3;
        assert_true(net->nsel < net->nep);
        assert_int_equal(hd_routes_check(&ctx, r, &apart), HD_OK);
        assert_int_equal(hd_routes_check_everyone(&ctx, r, &all), HD_OK);
        assert_int_equal(apart.others.endpoints, net->nep - net->nsel);
        assert_int_equal(all.others.endpoints, 0);
        assert_int_equal(apart.pairs + apart.others.pairs, all.pairs);
        assert_int_equal(apart.unreachable + apart.others.unreachable, all.unreachable);
        assert_int_equal(apart.loops + apart.others.loops, all.loops);
        assert_int_equal(apart.deadlock_free, all.deadlock_free);
        assert_int_equal(apart.unused, all.unused);
        assert_int_equal(hd_check_faulty(&apart), hd_check_faulty(&all));
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- other LIDs ------------------------------------------------------------------------------------- */

static struct hd_routes *read_table(const struct hd_net *net, const char *text, size_t n)
{
    struct hd_ctx ctx;
    struct hd_in *in;
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_in_memory(&ctx, "table", text, n, &in), HD_OK);
    hd_status s = hd_lft_read(&ctx, net, in, "table", HD_USE_FIRST, &r);
    hd_in_close(in);
    assert_int_equal(s, HD_OK);
    return r;
}

struct lid_entry { /* of a LID: its node, and the ports of the two switches; 255: no entry */
    uint32_t lid, node, port[2];
};

/* The check of such a table of two switches with one and two endpoints, connected by their last ports. */
static struct hd_check check_lids(const struct hd_net *net, const struct lid_entry *entry, size_t n)
{
    char text[4096];
    size_t at = 0;
    struct hd_ctx ctx;
    struct hd_check k;
    for (uint32_t v = 0; v < 2; v++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "Unicast lids of switch guid 0x%llx x\n",
                               (unsigned long long)net->guid[v]);
        for (size_t i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, "0x%04x %03u # %s portguid 0x%llx\n", entry[i].lid,
                                   entry[i].port[v], entry[i].node < 2 ? "Switch" : "Channel Adapter",
                                   (unsigned long long)net->guid[entry[i].node]);
    }
    struct hd_routes *r = read_table(net, text, at);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.unreachable + k.loops, 0);
    assert_int_equal(k.deadlock_free, 1);
    hd_routes_free(r);
    return k;
}

static void other_lids_are_checked(void **state)
{
    (void)state;
    struct hd_net *net = tiny("1 2", "0-1");
    struct lid_entry entry[] = {{4, 2, {1, 3}}, {8, 3, {2, 1}},  {12, 4, {2, 2}},
                                {5, 2, {1, 3}}, {20, 0, {0, 3}}, {21, 1, {2, 0}}};
    struct hd_check k = check_lids(net, entry, 3); /* pairs alone */
    assert_int_equal(k.further.lids + k.switches.lids, 0);
    assert_true(k.no_switch_lids);
    assert_false(hd_check_faulty(&k));
    k = check_lids(net, entry, 6); /* with a further LID of the first endpoint and those of the switches */
    assert_int_equal(k.further.lids, 1);
    assert_int_equal(k.further.paths, 2);
    assert_int_equal(k.switches.lids, 2);
    assert_int_equal(k.switches.paths, 2);
    assert_int_equal(k.further.deadlock_free, 1);
    assert_false(k.no_switch_lids || hd_check_faulty(&k));
    entry[3].port[0] = 2; /* the further LID loops between the two */
    k = check_lids(net, entry, 6);
    assert_int_equal(k.further.loops, 2);
    assert_int_equal(k.further.lid, 5);
    assert_int_equal(k.further.dest, 2);
    assert_true(hd_check_faulty(&k));
    entry[3].port[0] = 1;
    entry[5].port[0] = 255; /* the second switch is not reached from the first */
    k = check_lids(net, entry, 6);
    assert_int_equal(k.further.loops + k.further.unreachable, 0);
    assert_int_equal(k.switches.unreachable, 1);
    assert_int_equal(k.switches.source, 0);
    assert_int_equal(k.switches.dest, 1);
    assert_true(hd_check_faulty(&k));
    hd_net_free(net);
}

/* Rows towards switches by any shortest path, drawn at random: on damaged trees they turn from
 * down to up, which pairs never do there. */
static void draw_switch_rows(struct hd_routes *r, uint64_t seed)
{
    const struct hd_net *net = r->net;
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_TEST, 1);
    for (uint32_t t = 0; t < net->nsw; t++) {
        uint32_t *far = distances(net, t);
        for (uint32_t v = 0; v < net->nsw; v++) {
            const uint32_t slot = (uint32_t)hd_rng_below(&rng, hd_degree(net, v)), u = net->head[net->off[v] + slot];
            if (v == t || u >= net->nsw) continue;
            if (far[u] + 1 == far[v]) r->switch_table[(size_t)t * net->nsw + v] = (uint8_t)slot;
        }
        free(far);
    }
}

static void walk_rows(const struct hd_routes *r, uint32_t target, const uint8_t *row, struct walked *w)
{
    const struct hd_net *net = r->net;
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t last = FAR;
        for (uint32_t v = r->leaf[i], n = 0; v < net->nsw && v != target && n < net->nsw; n++) {
            if (row[v] >= hd_degree(net, v)) break;
            const uint32_t c = net->off[v] + row[v];
            if (last != FAR) w->waits[(size_t)last * net->nchan + c] = true;
            last = c;
            v = net->head[c];
        }
    }
}

static bool has_loop(const struct hd_net *net, const struct walked *w)
{
    uint8_t *colour = zeroed(net->nchan, 1);
    bool cyclic = false;
    for (uint32_t c = 0; c < net->nchan && !cyclic; c++) cyclic = !colour[c] && goes_round(w, net->nchan, c, colour);
    free(colour);
    return cyclic;
}

/* Credit loops through the LIDs of switches, against all dependencies collected one by one. */
static void paths_to_switches_may_turn(void **state)
{
    (void)state;
    static const char *const trees[] = {"ft:m=4,n=3", "xgft:m=3x3x3,w=1x3x2", "xgft:m=2x4x2,w=1x2x3"};
    uint32_t free_of_loops = 0, loops = 0;
    for (uint32_t i = 0; i < 60; i++) {
        char fail[40];
        struct hd_ctx ctx;
        struct hd_routes *r = NULL;
        struct hd_check k;
        snprintf(fail, sizeof fail, "links=%u,seed=%u", i % 5, i);
        struct hd_net *net = open_net(trees[i % 3], fail, NULL);
        hd_ctx_init(&ctx);
        ctx.threads = i % 10 ? 1 : 2;
        assert_int_equal(hd_routes_open(&ctx, net, i % 2 ? "ftree" : "updown", &r), HD_OK);
        assert_int_equal(hd_switch_rows_keep(&ctx, r), HD_OK);
        draw_switch_rows(r, i);
        assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
        struct walked w = {.waits = zeroed((size_t)net->nchan * net->nchan, 1)};
        for (uint32_t d = 0; d < net->nep; d++) walk_rows(r, net->nsw + d, hd_routes_row(r, d, 0, NULL), &w);
        for (uint32_t t = 0; t < net->nsw; t++) walk_rows(r, t, r->switch_table + (size_t)t * net->nsw, &w);
        const bool cyclic = has_loop(net, &w);
        assert_int_equal(k.switches.deadlock_free, !cyclic);
        *(cyclic ? &loops : &free_of_loops) += 1;
        free(w.waits);
        hd_routes_free(r);
        hd_net_free(net);
    }
    assert_true(loops >= 5 && free_of_loops >= 5);
}

/* A table that hands packets to another endpoint has no path, whatever is behind the row in memory. */
static void paths_do_not_go_through_endpoints(void **state)
{
    struct hd_net *net = make_net("gft:n=2,m=1,r=2");
    uint32_t chan[HD_MAX_HOPS], c = net->rev[net->off[net->nsw]]; /* from its leaf to endpoint 0 */
    const uint32_t leaf = net->tail[c];
    uint8_t row[4];
    (void)state;
    assert_int_equal(net->nsw, 3);
    for (uint32_t v = 0; v < net->nsw; v++) row[v] = HD_SLOT_NONE;
    row[leaf] = (uint8_t)(c - net->off[leaf]);
    row[hd_leaf(net, 3)] = (uint8_t)(net->rev[net->off[net->nsw + 3]] - net->off[hd_leaf(net, 3)]);
    for (row[3] = 0; row[3] < 4; row[3]++) assert_int_equal(hd_row_path(net, row, 1, 3, chan), 0);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_lids_are_checked),           cmocka_unit_test(paths_to_switches_may_turn),
        cmocka_unit_test(distances_are_those_of_a_search),  cmocka_unit_test(wrong_tables_are_told_right),
        cmocka_unit_test(others_count_as_selected_ones_do), cmocka_unit_test(paths_do_not_go_through_endpoints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
