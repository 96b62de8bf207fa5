/* SPDX-License-Identifier: BSD-2-Clause */
/* Table files: what is written reads back the same, and OpenSM's own dumps are understood to the byte. */
#include "lft_tools.h"
#include "stored_routes.h"

#include <unistd.h>

/* ---- round trips ---------------------------------------------------------------------------- */

static void test_engines_round_trip(void **state)
{
    (void)state;
    const char *cases[][2] = {{"gft:n=4,m=4,r=8", "dmodk"},
                              {"gft:n=4,m=4,r=8", "smodk"},
                              {"gft:n=12,m=12,r=4", "opt"},
                              {"gft:n=8,m=24,r=4", "opt"},
                              {"gft:n=5,m=7,r=4", "opt:balance=published"},
                              {"ft:m=12,n=2", "osrm2"},
                              {"ft:m=6,n=3", "osrm3"},
                              {"ft:m=6,n=3", "omrmn"},
                              {"ft:m=6,n=2", "wsr"},
                              {"ft:m=4,n=4", "mlid"},
                              {"pgft:m=4x4,w=1x2,p=1x2", "dmodk"},
                              {"gft:n=1,m=1,r=1", "opt"},
                              {"ft:m=6,n=1", "dmodk"},
                              {"gft:n=3,m=3,r=4,partial=endpoints:1", "smodk"},
                              {"ft:m=18,n=2", "dmodk"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i][0]);
        struct hd_routes *r = open_routes(net, cases[i][1]);
        assert_round_trip(r);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void test_lanes_round_trip(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = make_net("ft:m=6,n=2");
    struct hd_routes *form = open_routes(net, "osrm2"), *r;
    hd_ctx_init(&ctx);
    r = store_routes(&ctx, form);
    size_t each = (size_t)net->nep * r->nvar;
    uint8_t *dest = malloc(each), *leaf = malloc(each * r->nleaf);
    for (size_t i = 0; i < each; i++) dest[i] = (uint8_t)(i / 3 % 5);
    for (size_t i = 0; i < each * r->nleaf; i++) leaf[i] = (uint8_t)((i * 7 + i / 11) % 8);
    r->dest_lane = dest;
    r->lane_rule = HD_LANE_DEST;
    r->nlanes = 5;
    assert_round_trip(r);
    r->leaf_lane = leaf;
    r->lane_rule = HD_LANE_LEAF;
    r->nlanes = 8;
    assert_round_trip(r);
    r->lane_rule = HD_LANE_UNKNOWN;
    r->nlanes = 0;
    r->select = HD_SELECT_PACKET;
    assert_round_trip(r);
    hd_routes_free(r);
    hd_routes_free(form);
    free(dest);
    free(leaf);
    hd_net_free(net);
}

static void test_holes_round_trip(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_check k;
    struct hd_net *net = t4();
    struct hd_routes *form = open_routes(net, "opt"), *r;
    hd_ctx_init(&ctx);
    r = store_routes(&ctx, form);
    r->switch_table = calloc((size_t)net->nsw, net->nsw);
    memset(r->switch_table, HD_SLOT_NONE, (size_t)net->nsw * net->nsw); /* no switch can be reached */
    hd_row(r, 5, 0)[0] = HD_SLOT_NONE;
    hd_row(r, 5, 1)[0] = HD_SLOT_NONE;
    memset(hd_row(r, 17, 0), HD_SLOT_NONE, net->nsw);
    memset(hd_row(r, 17, 1), HD_SLOT_NONE, net->nsw);
    assert_round_trip(r);
    char *text = written(r, "lft");
    struct hd_routes *q = read_back(net, text, HD_USE_FIRST);
    assert_int_equal(hd_routes_check(&ctx, q, &k), HD_OK);
    assert_int_equal(k.unreachable, 4 + 31);
    free(text);
    free(r->switch_table);
    hd_routes_free(q);
    hd_routes_free(r);
    hd_routes_free(form);
    hd_net_free(net);
}

/* Two parts, a router, an adapter with two ports, names that would break a line, and no tree. */
static struct hd_net *odd_net(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    uint32_t sw[4];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (int i = 0; i < 4; i++)
        sw[i] = hd_builder_switch(
            b, &(struct hd_switch_in){.name = i == 1 ? "a\nb 'c'" : NULL, .guid = (uint64_t)(90 - i), .nports = 254});
    uint32_t ca = hd_builder_adapter(b, &(struct hd_adapter_in){.name = "two ports portguid 0x5a: x", .guid = 7});
    uint32_t rt = hd_builder_adapter(b, &(struct hd_adapter_in){.name = "rt", .guid = 8, .role = HD_ROLE_ROUTER});
    hd_builder_cable(b, hd_builder_endpoint(b, ca, 1, 90, 0), 1, sw[0], 254,
                     0); /* a port GUID that is also a switch's */
    hd_builder_cable(b, hd_builder_endpoint(b, ca, 2, 21, 0), 2, sw[1], 9, 0);
    hd_builder_cable(b, hd_builder_endpoint(b, rt, 1, 22, 0), 1, sw[1], 3, 0);
    hd_builder_cable(b, sw[0], 7, sw[1], 8, 0);
    hd_builder_cable(b, sw[0], 5, sw[1], 200, 0);
    hd_builder_cable(b, sw[2], 1, sw[3], 1, 0);
    hd_builder_host(b, sw[3], 2, 0);
    hd_status s = hd_builder_finish(&ctx, b, "odd", &net);
    return checked(&ctx, s, net, "odd");
}

static struct hd_routes *odd_routes(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, 3, &r), HD_OK);
    r->spec = "odd";
    r->select = HD_SELECT_ALL;
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < 3; x++) {
            uint32_t c = net->rev[net->off[net->nsw + d]];
            hd_row(r, d, x)[net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
        }
    hd_row(r, 0, 2)[1] = 2; /* port 200 */
    return r;
}

static void test_odd_network(void **state)
{
    (void)state;
    struct hd_net *net = odd_net();
    struct hd_routes *r = odd_routes(net);
    assert_round_trip(r);
    char *text = written(r, "lft");
    assert_non_null(strstr(text, "# Router portguid 0x0000000000000016: 'rt'\n"));
    assert_non_null(strstr(text, " guid 0x0000000000000059 ('a?b 'c''):\n"));
    assert_non_null(strstr(text, " 254 # Channel Adapter portguid 0x000000000000005a: "));
    char *plain = strstr(text, "Unicast"); /* without our lines the GUIDs must do */
    struct hd_routes *q = read_back(net, plain, HD_USE_ALL);
    assert_int_equal(q->nvar, 4);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < 4; x++) assert_memory_equal(hd_row(q, d, x), hd_row(r, d, x % 3), net->nsw);
    hd_routes_free(q);
    free(text);
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_no_endpoints(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    struct hd_routes *r;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_cable(b, hd_builder_switch(b, &(struct hd_switch_in){0}), 1,
                     hd_builder_switch(b, &(struct hd_switch_in){0}), 1, 0);
    hd_status s = hd_builder_finish(&ctx, b, "two switches", &net);
    checked(&ctx, s, net, "two switches");
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    assert_round_trip(r);
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- OpenSM's files ------------------------------------------------------------------------- */

static void test_opensm_dump(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_check k;
    struct hd_net *net = t4();
    struct hd_routes *r = open_routes(net, DATA "t4.opensm-lfts.dump");
    hd_ctx_init(&ctx);
    assert_string_equal(hd_routes_spec(r), DATA "t4.opensm-lfts.dump");
    assert_int_equal(hd_routes_variants(r), 1);
    assert_int_equal(hd_routes_lane_rule(r), HD_LANE_ONE);
    assert_int_equal(net->port[net->off[0] + hd_row(r, 31, 0)[0]], 8); /* LID 0x20 leaves L1-0000 by port 8 */
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.pairs, 32 * 31);
    assert_int_equal(k.unreachable + k.loops + k.nonminimal, 0);
    assert_int_equal(k.deadlock_free, 1);

    /* Written again it is OpenSM's file, to the byte. */
    char *text = written(r, "lft"), *theirs = slurp(DATA "t4.opensm-lfts.dump");
    assert_string_equal(strstr(text, "Unicast"), theirs);
    free(text);
    free(theirs);
    struct hd_routes *fdbs = open_routes(net, DATA "t4.opensm.fdbs");
    assert_same(r, fdbs);
    hd_routes_free(fdbs);
    hd_routes_free(r);
    hd_net_free(net);
}

/* The same with LID 0x20 sent by port 5 of L1-0000, loaded into OpenSM and read back in three ways. */
static void test_other_dumps(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    struct hd_routes *r = open_routes(net, DATA "t4.opensm-lfts.dump"),
                     *edited = open_routes(net, DATA "t4.edited.lfts");
    uint32_t differ = 0;
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t v = 0; v < net->nsw; v++) differ += hd_row(r, d, 0)[v] != hd_row(edited, d, 0)[v];
    assert_int_equal(differ, 1);
    assert_int_equal(net->port[net->off[0] + hd_row(edited, 31, 0)[0]], 5);
    const char *same[] = {DATA "t4.dump_fts", DATA "t4.minimal.lfts", "file:path=" DATA "t4.dump_fts,use=all"};
    for (int i = 0; i < 3; i++) {
        struct hd_routes *q = open_routes(net, same[i]);
        assert_same(edited, q);
        hd_routes_free(q);
    }
    char *text = written(edited, "lft-minimal"), *theirs = slurp(DATA "t4.minimal.lfts");
    assert_string_equal(strstr(text, "Unicast"), theirs);
    free(text);
    free(theirs);
    hd_routes_free(edited);
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_one_switch_only(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    char *text = slurp(DATA "t4.ibroute-lid33");
    struct hd_routes *r = read_back(net, text, HD_USE_FIRST), *all = open_routes(net, DATA "t4.edited.lfts");
    assert_non_null(strstr(notes, "mem: no table for some switches (11, first 'L1-0001')"));
    for (uint32_t d = 0; d < net->nep; d++) {
        assert_int_equal(hd_row(r, d, 0)[0], hd_row(all, d, 0)[0]);
        for (uint32_t v = 1; v < net->nsw; v++) assert_int_equal(hd_row(r, d, 0)[v], HD_SLOT_NONE);
    }
    assert_round_trip(r);
    free(text);
    hd_routes_free(r);
    hd_routes_free(all);
    hd_net_free(net);
}

/* OpenSM's minhop with LMC 2; its LIDs are others than the network's: the GUIDs count. */
static void test_opensm_lmc(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    struct hd_routes *first = open_routes(net, DATA "t4.lmc2.opensm-lfts.dump.gz");
    struct hd_routes *source = open_routes(net, "file:path=" DATA "t4.lmc2.opensm-lfts.dump.gz,use=source");
    struct hd_routes *all = open_routes(net, "file:path=" DATA "t4.lmc2.dump_fts-all.zst,use=all");
    uint32_t up[4];
    assert_int_equal(first->nvar, 1);
    assert_int_equal(first->select, HD_SELECT_ONE);
    assert_int_equal(source->nvar, 4);
    assert_int_equal(source->select, HD_SELECT_SOURCE);
    assert_int_equal(hd_routes_variant(source, 6, 0), 2);
    assert_int_equal(all->nvar, 4);
    assert_int_equal(all->select, HD_SELECT_ALL);
    assert_memory_equal(all->table, source->table, 32 * 4 * 12);
    for (uint32_t d = 0; d < net->nep; d++) assert_memory_equal(hd_row(first, d, 0), hd_row(all, d, 0), net->nsw);
    /* The four LIDs of node-00000 (4 .. 7) leave L1-0007 by ports 5, 6, 7, 8. */
    for (uint32_t x = 0; x < 4; x++) up[x] = net->port[net->off[7] + hd_row(all, 0, x)[7]];
    assert_memory_equal(up, ((uint32_t[]){5, 6, 7, 8}), sizeof up);
    assert_round_trip(source);
    hd_routes_free(first);
    hd_routes_free(source);
    hd_routes_free(all);
    hd_net_free(net);
}

static void test_engine_file(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = t4();
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    r = open_routes(net, "file:path=" DATA "t4.minimal.lfts");
    assert_string_equal(hd_routes_spec(r), "file:path=" DATA "t4.minimal.lfts");
    hd_routes_free(r);
    r = NULL;
    assert_int_equal(hd_routes_open(&ctx, net, "file", &r), HD_INPUT);
    assert_string_equal(ctx.error, "file: expected path=FILE, a dump of forwarding tables");
    assert_int_equal(hd_routes_open(&ctx, net, "file:path=no/such", &r), HD_INPUT);
    assert_non_null(strstr(ctx.error, "no/such: cannot open"));
    assert_int_equal(hd_routes_open(&ctx, net, "dmodq", &r), HD_INPUT);
    assert_non_null(strstr(ctx.error, "did you mean 'dmodk'?"));
    assert_null(r);
    hd_net_free(net);
}

/* ---- LIDs ----------------------------------------------------------------------------------- */

static void test_lids(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_lids lids;
    struct hd_net *net = t4();
    hd_ctx_init(&ctx);
    assert_int_equal(hd_lids_plan(&ctx, &a, net, 1, &lids), HD_OK);
    assert_int_equal(lids.lmc, 0);
    assert_memory_equal(lids.base, net->lid, 44 * 2);
    assert_int_equal(lids.last, 44);
    assert_int_equal(hd_lids_plan(&ctx, &a, net, 5, &lids), HD_OK);
    assert_int_equal(lids.lmc, 3);
    for (uint32_t e = 0; e < 32; e++) assert_int_equal(lids.base[12 + e], 8 * (e + 1));
    for (uint32_t v = 0; v < 12; v++) assert_int_equal(lids.base[v], v < 7 ? v + 1 : 264 + v - 7);
    assert_int_equal(lids.last, 268);
    assert_int_equal(hd_lids_plan(&ctx, &a, net, 129, &lids), HD_INPUT);
    assert_string_equal(ctx.error, "129 variants of a path, InfiniBand's LMC allows 128");
    hd_net_free(net);
    net = make_net("ft:m=16,n=3");
    assert_int_equal(hd_lids_plan(&ctx, &a, net, 64, &lids), HD_INPUT);
    assert_string_equal(ctx.error,
                        "needs 65856 LIDs (1024 endpoints with 64 each, 320 switches), InfiniBand has 49151");
    hd_net_free(net);
    hd_arena_release(&a);
}

static struct hd_net *net_with_lids(uint16_t sw, uint16_t first, uint16_t second, const uint8_t lmc[2])
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    uint32_t v = hd_builder_switch(b, &(struct hd_switch_in){.lid = sw});
    for (uint32_t e = 0; e < 2; e++) {
        const uint32_t adapter = hd_builder_adapter(b, &(struct hd_adapter_in){0});
        const uint32_t port = hd_builder_endpoint(b, adapter, 1, 0, e ? second : first);
        hd_builder_cable(b, port, 1, v, e + 1, 0);
        hd_builder_lmc(b, port, lmc[e]);
    }
    hd_status s = hd_builder_finish(&ctx, b, "lids", &net);
    return checked(&ctx, s, net, "lids");
}

static void test_lids_of_the_network(void **state)
{
    (void)state;
    const struct {
        uint16_t sw, first, second;
        uint8_t lmc[2];
        uint32_t nvar;
        uint16_t want[3];
        uint32_t want_lmc;
        uint8_t want_of[2];
    } cases[] = {
        {5, 8, 16, {2, 2}, 3, {5, 8, 16}, 2, {2, 2}}, /* room for the variants: kept */
        {5, 8, 16, {2, 2}, 1, {5, 8, 16}, 2, {2, 2}}, /* all LIDs of the ports get entries */
        {5, 8, 16, {0, 2}, 1, {5, 8, 16}, 0, {0, 2}}, /* each has its own, though both have room for the larger LMC */
        {5, 8, 16, {1, 2}, 1, {5, 8, 16}, 1, {1, 2}}, /* likewise */
        {5, 8, 16, {0, 2}, 2, {5, 8, 16}, 1, {1, 2}}, /* as many as there are variants */
        {5, 8, 16, {0, 1}, 4, {5, 8, 16}, 2, {2, 2}}, /* likewise */
        {5, 0, 16, {0, 2}, 1, {5, 8, 16}, 2, {2, 2}}, /* no LID: the smallest LMC of the others */
        {9, 8, 16, {0, 2}, 1, {9, 8, 16}, 0, {0, 2}},
        {9, 8, 16, {0, 2}, 2, {1, 2, 4}, 1, {1, 1}},  /* no room for two variants: given anew */
        {9, 6, 17, {0, 2}, 1, {9, 6, 17}, 0, {0, 2}}, /* not aligned, and in use all the same */
        {5, 8, 10, {0, 0}, 4, {1, 4, 8}, 2, {2, 2}},
        {5, 0, 2, {0, 0}, 1, {5, 1, 2}, 0, {0, 0}}, /* the gaps are filled, endpoints first */
        {0, 0, 1, {0, 0}, 1, {3, 2, 1}, 0, {0, 0}},
        {HD_MAX_LID, HD_MAX_LID - 1, 1, {0, 0}, 1, {HD_MAX_LID, HD_MAX_LID - 1, 1}, 0, {0, 0}}, /* the last ones */
        {1, HD_MAX_LID - 3, 64, {2, 2}, 3, {1, HD_MAX_LID - 3, 64}, 2, {2, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_ctx ctx;
        struct hd_arena a = {0};
        struct hd_lids lids;
        struct hd_net *net = net_with_lids(cases[i].sw, cases[i].first, cases[i].second, cases[i].lmc);
        hd_ctx_init(&ctx);
        assert_int_equal(hd_lids_plan(&ctx, &a, net, cases[i].nvar, &lids), HD_OK);
        assert_memory_equal(lids.base, cases[i].want, 6);
        assert_int_equal(lids.lmc, cases[i].want_lmc);
        assert_memory_equal(lids.lmc_of, cases[i].want_of, 2);
        struct hd_routes *r;
        assert_int_equal(hd_routes_make(&ctx, net, cases[i].nvar, &r), HD_OK);
        r->select = cases[i].nvar > 1 ? HD_SELECT_ALL : HD_SELECT_ONE;
        for (uint32_t d = 0; d < 2; d++)
            for (uint32_t x = 0; x < cases[i].nvar; x++) hd_row(r, d, x)[0] = (uint8_t)d;
        assert_round_trip(r);
        hd_routes_free(r);
        hd_arena_release(&a);
        hd_net_free(net);
    }
}

/* OpenSM gives all ports the same number of LIDs. */
static void test_lids_of_opensm(void **state)
{
    (void)state;
    const struct {
        uint16_t sw;
        uint8_t lmc[2];
        uint32_t nvar, want_lmc;
        uint8_t want_of[2];
    } cases[] = {
        {5, {0, 2}, 1, 2, {2, 2}},  /* room for the larger LMC at both */
        {5, {0, 2}, 2, 2, {2, 2}},  /* more than the variants need */
        {5, {0, 2}, 8, 3, {3, 3}},  /* as many as they need */
        {9, {0, 2}, 1, 0, {0, 2}},  /* the switch sits where it would reach */
        {10, {1, 2}, 1, 1, {1, 2}}, /* likewise */
        {5, {0, 0}, 1, 0, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_ctx ctx;
        struct hd_arena a = {0};
        struct hd_lids lids;
        struct hd_net *net = net_with_lids(cases[i].sw, 8, 16, cases[i].lmc);
        hd_ctx_init(&ctx);
        assert_int_equal(hd_lids_plan_even(&ctx, &a, net, cases[i].nvar, &lids), HD_OK);
        assert_int_equal(lids.lmc, cases[i].want_lmc);
        assert_memory_equal(lids.lmc_of, cases[i].want_of, 2);
        assert_memory_equal(lids.base, net->lid, 6);
        hd_arena_release(&a);
        hd_net_free(net);
    }
}

/* A node without a LID gets the same one in a table and in a list for OpenSM, which are written apart. */
static void test_lids_written_apart(void **state)
{
    (void)state;
    const uint16_t lid[] = {4, 0, 8}, want[] = {1, 4, 12, 8};
    const uint8_t lmc[] = {2, 0, 0}, want_of[] = {2, 0, 0}, want_even[] = {2, 2, 2};
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_lids lids, even;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    const uint32_t v = hd_builder_switch(b, &(struct hd_switch_in){.lid = 1});
    for (uint32_t e = 0; e < 3; e++) {
        const uint32_t port = hd_builder_endpoint(b, hd_builder_adapter(b, &(struct hd_adapter_in){0}), 1, 0, lid[e]);
        hd_builder_cable(b, port, 1, v, e + 1, 0);
        hd_builder_lmc(b, port, lmc[e]);
    }
    const hd_status s = hd_builder_finish(&ctx, b, "lids", &net);
    checked(&ctx, s, net, "lids");
    assert_int_equal(hd_lids_plan(&ctx, &a, net, 1, &lids), HD_OK);
    assert_int_equal(hd_lids_plan_even(&ctx, &a, net, 1, &even), HD_OK);
    assert_memory_equal(lids.base, want, sizeof want);
    assert_memory_equal(even.base, want, sizeof want);
    assert_memory_equal(lids.lmc_of, want_of, sizeof want_of);
    assert_memory_equal(even.lmc_of, want_even, sizeof want_even);
    assert_int_equal(lids.last, 12);
    assert_int_equal(even.last, 15);
    hd_arena_release(&a);
    hd_net_free(net);
}

/* The fuzzed tables include one with further LIDs that the network does not state. */
static void test_further_lids_of_the_corpus(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    struct hd_routes *r = open_routes(net, "file:path=tests/fuzz/corpus_lft/heddle-further");
    assert_int_equal(r->nfurther, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(r->further_lid[i], 0x40 + i);
        assert_int_equal(r->further_dest[i], i);
    }
    hd_routes_free(r);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines_round_trip),
        cmocka_unit_test(test_lanes_round_trip),
        cmocka_unit_test(test_holes_round_trip),
        cmocka_unit_test(test_odd_network),
        cmocka_unit_test(test_no_endpoints),
        cmocka_unit_test(test_opensm_dump),
        cmocka_unit_test(test_other_dumps),
        cmocka_unit_test(test_one_switch_only),
        cmocka_unit_test(test_opensm_lmc),
        cmocka_unit_test(test_engine_file),
        cmocka_unit_test(test_lids),
        cmocka_unit_test(test_lids_of_the_network),
        cmocka_unit_test(test_lids_of_opensm),
        cmocka_unit_test(test_lids_written_apart),
        cmocka_unit_test(test_further_lids_of_the_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
