/* SPDX-License-Identifier: BSD-2-Clause */
/* Table files: what is written reads back the same, OpenSM's own dumps are understood to the byte, and
 * bad input is refused with file and line. */
#include "testing.h"
#include "stored_routes.h"

#include "route/io/fmt_lft.h"
#include "t4.h"
#include "base/context.h"

#include <stdio.h>
#include <unistd.h>

#define DATA "tests/data/opensm/"

static char notes[2048];

static void collect(void *user, const char *line)
{
    (void)user;
    snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n", line);
}

static struct hd_net *t4(void)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = make_t4(&ctx, &net);
    return checked(&ctx, s, net, "t4");
}

static struct hd_routes *open_routes(const struct hd_net *net, const char *text)
{
    struct hd_ctx ctx;
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    if (hd_routes_open(&ctx, net, text, &r) != HD_OK) fail_msg("%s on %s: %s", text, net->spec, ctx.error);
    return r;
}

/* The text of a table; the caller frees it. */
static char *written(const struct hd_routes *r, const char *format)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    if (hd_routes_write(&ctx, r, format, o) != HD_OK) fail_msg("%s: %s", r->spec, ctx.error);
    char *text = strdup(hd_out_text(o, NULL));
    assert_int_equal(hd_out_close(&ctx, o), HD_OK);
    return text;
}

static hd_status read_text(struct hd_ctx *ctx, const struct hd_net *net, const char *text, enum hd_use use,
                           struct hd_routes **r)
{
    struct hd_in *in;
    hd_ctx_init(ctx);
    ctx->note = collect;
    notes[0] = 0;
    *r = NULL;
    assert_int_equal(hd_in_memory(ctx, "mem", text, strlen(text), &in), HD_OK);
    hd_status s = hd_lft_read(ctx, net, in, "input", use, r);
    hd_in_close(in);
    return s;
}

static struct hd_routes *read_back(const struct hd_net *net, const char *text, enum hd_use use)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    if (read_text(&ctx, net, text, use, &r) != HD_OK) fail_msg("%s: %s", net->spec, ctx.error);
    return r;
}

static void assert_same(const struct hd_routes *a, const struct hd_routes *b)
{
    const struct hd_net *net = a->net;
    uint8_t *x = malloc(net->nsw + 1), *y = malloc(net->nsw + 1);
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(a->nvar, b->nvar);
    assert_int_equal(a->select, b->select);
    assert_int_equal(a->lane_rule, b->lane_rule);
    assert_int_equal(a->nlanes, b->nlanes);
    for (uint32_t d = 0; d < net->nep; d++) {
        for (uint32_t v = 0; v < a->nvar; v++)
            assert_memory_equal(hd_routes_row(a, d, v, x), hd_routes_row(b, d, v, y), net->nsw);
        for (uint32_t s = 0; s < net->nep; s++) {
            if (s != d) assert_int_equal(hd_routes_variant(a, s, d), hd_routes_variant(b, s, d));
            for (uint32_t v = 0; v < a->nvar; v++)
                assert_int_equal(hd_routes_lane(a, s, d, v), hd_routes_lane(b, s, d, v));
        }
    }
    for (uint32_t t = 0; t < net->nsw; t++) {
        assert_int_equal(hd_routes_switch_row(&ctx, a, t, x), HD_OK);
        assert_int_equal(hd_routes_switch_row(&ctx, b, t, y), HD_OK);
        assert_memory_equal(x, y, net->nsw);
    }
    free(x);
    free(y);
}

static void assert_round_trip(const struct hd_routes *r)
{
    const char *formats[] = {"lft", "lft-minimal"};
    for (int i = 0; i < 2; i++) {
        char *text = written(r, formats[i]), *again;
        struct hd_routes *q = read_back(r->net, text, HD_USE_FIRST);
        assert_string_equal(notes, "");
        assert_same(r, q);
        assert_true(strncmp(text, "# heddle lft 1\n# heddle table ", 30) == 0);
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) assert_true(end - line < 1000);
        q->spec = r->spec;
        again = written(q, formats[i]);
        assert_string_equal(text, again);
        free(again);
        free(text);
        hd_routes_free(q);
    }
}

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

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s: cannot open (tests run in the top folder)", path);
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

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

/* ---- what cannot be used -------------------------------------------------------------------- */

static void test_notes(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    char text[400];
    unsigned last = 0; /* the first LID that is not in the network is the one behind it */
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) last = net->lid[v] > last ? net->lid[v] : last;
    snprintf(text, sizeof text,
             "Unicast lids of switch guid 0x2c90000100000 x\n0x0001 001\n0x0002 255\n0x0003 UNREACHABLE\n"
             "0x0004 000\n0x0005 005 # unknown node and type\n0x%04x 005\n0x1001 005\n"
             "Unicast lids of switch guid 0x77 x\n0x0001 001\n0xd000 099\n",
             last + 1);
    struct hd_routes *r = read_back(net, text, HD_USE_FIRST);
    assert_int_equal(hd_row(r, 0, 0)[0], 0);
    for (uint32_t d = 1; d < 4; d++) assert_int_equal(hd_row(r, d, 0)[0], HD_SLOT_NONE);
    assert_int_equal(hd_row(r, 4, 0)[0], 4);
    assert_null(r->switch_table);
    assert_non_null(strstr(notes, "no table for some switches (11"));
    assert_non_null(strstr(notes, "mem:9: tables of switches that are not in the network are ignored (1)"));
    assert_non_null(strstr(notes, "mem:7: entries for LIDs that are not in the network are ignored (2)"));
    assert_non_null(strstr(notes, "mem:5: entries that lead to ports without a cable count as missing (1)"));
    hd_routes_free(r);
    hd_net_free(net);
}

static void refuse_text(const struct hd_net *net, const char *text, const char *words)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    hd_status s = read_text(&ctx, net, text, HD_USE_SOURCE, &r);
    if (s != HD_INPUT) fail_msg("status %d, expected HD_INPUT and '%s' for: %s", s, words, text);
    if (!strstr(ctx.error, words)) fail_msg("expected '%s' in the message, got: %s", words, ctx.error);
    assert_null(r);
}

#define SW0 "Unicast lids of switch guid 0x0002c90000100000 x\n"
#define OURS "# heddle lft 1\n# heddle variants 2 lmc 1 select source\n# heddle lanes 2 dest\n"
#define EPS "# heddle endpoints 0x0002c90100000001=0x0002 0x0002c90100000005=0x0004\n"

static void test_bad_tables(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    refuse_text(net, "", "mem: no forwarding tables in this file");
    refuse_text(net, "vendid=0x2c9\n", "mem:1: expected 'Unicast lids ...' or an entry, got 'vendid=0x2c9'");
    refuse_text(net, "0x0001 001\n", "mem:1: expected the line of a switch before its entries");
    refuse_text(net, "\nUnicast lids of switch\n", "mem:2: expected a switch's GUID, ' guid 0x...'");
    refuse_text(net, "Unicast lids of switch guid 0x12345678123456789 x\n", "mem:1: expected a switch's GUID");
    refuse_text(net, "Unicast lids of switch guid 0x77 x\n", "mem: none of its switches is in the network");
    refuse_text(net, SW0 "0x0001 001\n" SW0, "mem:3: a second table of switch 0x0002c90000100000");
    refuse_text(net, SW0 "0x0001 009\n", "mem:2: port 9: switch 'L1-0000' has 8 ports");
    refuse_text(net, SW0 "0x0001\n", "mem:2: expected a LID and a port, such as 0x0001 001");
    refuse_text(net, SW0 "0x0001 1x\n", "mem:2: expected a LID and a port");
    refuse_text(net, SW0 "0x0001 256\n", "mem:2: expected a LID and a port");
    refuse_text(net, SW0 "0xzz 1\n", "mem:2: expected a LID and a port");
    refuse_text(net, SW0 "0xc000 001\n", "mem:2: 0xc000 is not a unicast LID");
    refuse_text(net, SW0 "0x0000 001\n", "mem:2: 0x0000 is not a unicast LID");
    refuse_text(net, SW0 "0x0001 001\n0x0001 001\n", "mem:3: a second entry for LID 0x0001");
    refuse_text(net, SW0 "0x1000 001\n", "mem:2: none of its LIDs is in the network");
    refuse_text(
        net,
        SW0 "0x0001 001 # Channel Adapter portguid 0x0002c90100000001: 'a'\nUnicast lids of switch guid "
            "0x0002c90000100001 x\n"
            "0x0001 005 # Channel Adapter portguid 0x0002c90100000005: 'b'\n",
        "mem:4: LID 0x0001 belongs to port GUID 0x0002c90100000005 here, and to 0x0002c90100000001 on an earlier line");
    refuse_text(net,
                SW0 "0x0001 001 # portguid 0x0002c90100000001: 'a'\n0x0081 001 # portguid 0x0002c90100000001: 'a'\n",
                "mem: port GUID 0x0002c90100000001 has LIDs 0x0001 to 0x0081, more than an LMC of 7 spans");
    hd_net_free(net);
}

/* Cuts the text so many bytes behind the last place where it has these words. */
static void cut_behind(char *text, const char *words, size_t more)
{
    char *at = NULL;
    for (char *p = text; (p = strstr(p, words)); p++) at = p;
    assert_non_null(at);
    at[strlen(words) + more] = 0;
}

static void refuse_cut(const struct hd_net *net, const char *file, const char *words, size_t more, const char *message)
{
    char *text = slurp(file);
    cut_behind(text, words, more);
    refuse_text(net, text, message);
    free(text);
}

/* What is cut off is refused where the file itself says so. */
static void test_cut_tables(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    const char *table =
        "mem:534: the file ends early, in the table of switch 'L2-0011': expected '... lids dumped' after it";
    refuse_cut(net, DATA "t4.opensm-lfts.dump", "\n0x001b 007", 61, table);
    refuse_cut(net, DATA "t4.opensm-lfts.dump", "\n0x001b 007", 25, table);
    refuse_cut(net, DATA "t4.opensm-lfts.dump", "\n0x001b 00", 0,
               "mem:534: the file ends early, within an entry: got '0x001b 00'");
    refuse_cut(net, DATA "t4.opensm-lfts.dump", "\nUnicast lids", 0, "mem:507: the file ends early");
    refuse_cut(net, DATA "t4.dump_fts", "\n0x001b 00", 30, "the file ends early, in the table of switch 'L1-0000'");
    refuse_cut(net, DATA "t4.dump_fts", "\n0x001b 00", 1, "the file ends early, in the table of switch 'L1-0000'");
    refuse_cut(net, DATA "t4.opensm.fdbs", "\n0x001B : 00", 0, "within an entry: got '0x001B : 00'");
    refuse_cut(net, DATA "t4.opensm.fdbs", "\n0x001B : 007", 0, "within an entry: got '0x001B : 007'");
    refuse_cut(net, DATA "t4.opensm.fdbs", "\n0x001B : 007", 15,
               "in the table of switch 'L2-0011': expected LIDs up to 0x002C, as in those before");
    refuse_cut(net, DATA "t4.opensm.fdbs", "\ndump_ucast_routes: Switch 0x0002c900001000", 0,
               "the file ends early: expected the table of this switch");
    refuse_cut(net, DATA "t4.minimal.lfts", "\n0x001b 00", 0, "within an entry: got '0x001b 00'");
    hd_net_free(net);
}

/* Heddle's own tables list their switches. */
static void test_cut_own_tables(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    struct hd_routes *r = open_routes(net, "minhop");
    for (int minimal = 0; minimal < 2; minimal++) {
        char *text = written(r, minimal ? "lft-minimal" : "lft");
        cut_behind(text, "Unicast", 0);
        text[strlen(text) - 7] = 0;
        refuse_text(net, text,
                    "the file ends early: expected the table of switch 'L2-0011', which '# heddle switches' lists");
        free(text);
    }
    hd_routes_free(r);
    hd_net_free(net);
}

/* What people write or put together is read, with a note where it may have been cut. */
static void test_whole_tables(void **state)
{
    (void)state;
#define SW(n) "Unicast lids of switch guid 0x0002c9000010000" n " x\n"
#define RANGE(n) "Unicast lids [0-44] of switch Lid 33 guid 0x0002c9000010000" n " ('L'):\n"
    static const struct {
        const char *text, *note;
    } tables[] = {
        {SW("0") "0x0001 001\n0x0002 002" /* the last line needs no end */, NULL},
        {SW("0") "0x0001 1\n0x0003 3\n0x0002 2", NULL},
        {RANGE("0") "0x0001 001\n44 lids dumped\n" SW("1") "0x0001 005\n", NULL},
        {RANGE("0") "0x0001 001\n" RANGE("1") "0x0001 005\n44 lids dumped\n" RANGE("2") "0x0001 005\n", NULL},
        {RANGE("0") "0x0001 001\n44 lids dumped", NULL},
        {RANGE("0") "0x0001 001\n", "mem:2: no '... lids dumped' after the table: the file may have been cut"},
        {SW("0") "0x0001 001\n0x0002 002\n" SW("1") "0x0001 005\n0x0002 005\n" SW("2") "0x0001 005\n",
         "mem:8: the table of switch 'L1-0002' ends at LID 0x1, those before at 0x2: the file may have been"}};
    struct hd_net *net = t4();
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct hd_routes *r = read_back(net, tables[i].text, HD_USE_FIRST);
        if (!tables[i].note && strstr(notes, "cut off")) fail_msg("%s: noted %s", tables[i].text, notes);
        if (tables[i].note && !strstr(notes, tables[i].note)) fail_msg("%s: noted %s", tables[i].text, notes);
        assert_int_equal(net->port[net->off[0] + hd_row(r, 0, 0)[0]], 1);
        hd_routes_free(r);
    }
#undef RANGE
#undef SW
    hd_net_free(net);
}

static void test_bad_extra_lines(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    refuse_text(net, "# heddle lanes 1 one\n", "mem:1: expected '# heddle lft 1' first");
    refuse_text(net, "# heddle lft 2\n", "mem:1: expected once '# heddle lft 1'");
    refuse_text(net, "# heddle lft 1\n# heddle news 1\n", "mem:2: '# heddle news' is not known");
    refuse_text(net, "# heddle lft 1\n# heddle variants 5 lmc 2 select one\n",
                "mem:2: expected once '# heddle variants N lmc K select RULE'");
    refuse_text(net, "# heddle lft 1\n# heddle variants 200 lmc 8 select one\n",
                "mem:2: expected once '# heddle variants");
    refuse_text(net, "# heddle lft 1\n# heddle lanes 17 dest\n", "mem:2: expected once '# heddle lanes N RULE'");
    refuse_text(net, "# heddle lft 1\n# heddle lanes 0 dest\n", "mem:2: expected once '# heddle lanes N RULE'");
    refuse_text(net, "# heddle lft 1\n" EPS, "mem:2: expected '# heddle variants' before the first GUID");
    refuse_text(net, OURS "# heddle endpoints 0x5=0x3\n", "mem:4: 0x3: expected a LID of 1 to 49151, a multiple of 2");
    refuse_text(net, OURS EPS "# heddle switches 0x5=0x4\n", "mem:5: LID 0x0004 is given to two ports");
    refuse_text(net, OURS EPS "# heddle endpoints 0x0002c90100000001=0x0008\n",
                "mem:5: port GUID 0x0002c90100000001 occurs twice");
    refuse_text(net, OURS EPS "# heddle class 0 2\n", "mem:5: expected values below 2, V or V*N");
    refuse_text(net, OURS EPS "# heddle class 0*3\n", "mem:5: more values than the list has places");
    refuse_text(net, OURS EPS "# heddle pairs 0 0*2\n", "mem:5: expected this list only after 'select pair'");
    refuse_text(net, OURS EPS "# heddle leaf-lane 0x1 0\n", "mem:5: expected this list only after 'lanes N leaf'");
    refuse_text(net, OURS EPS "# heddle class 0 1\n" EPS, "mem:6: expected all GUIDs before the first list");
    refuse_text(net, OURS EPS "# heddle class 0\n" SW0,
                "mem:6: expected all of '# heddle class' before the first switch");
    refuse_text(net, OURS EPS "# heddle class 0 1\n# heddle dest-lane 0*3\n" SW0,
                "mem:7: expected all of '# heddle dest-lane'");
    refuse_text(net, OURS EPS "# heddle class 0 1\n# heddle dest-lane 0*4\n" SW0 "# heddle lanes 1 one\n",
                "mem:8: expected all '# heddle' lines before the first switch");
    hd_net_free(net);
}

/* Endpoints the file knows and the network has not, and the other way round. */
static void test_other_endpoints(void **state)
{
    (void)state;
    struct hd_net *net = t4();
    struct hd_routes *r = read_back(net,
                                    OURS "# heddle endpoints 0x5=0x0002 0x0002c90100000005=0x0004\n# heddle class 0 1\n"
                                         "# heddle dest-lane 0 0 0 1\n" SW0 "0x0002 001\n0x0004 002\n0x0005 002\n",
                                    HD_USE_FIRST);
    assert_int_equal(r->nvar, 2);
    assert_int_equal(hd_routes_variant(r, 1, 9), 1);
    assert_int_equal(hd_routes_variant(r, 0, 9), 0);
    assert_int_equal(hd_row(r, 1, 1)[0], 1);
    assert_int_equal(hd_row(r, 0, 0)[0], HD_SLOT_NONE);
    assert_int_equal(hd_routes_lane(r, 9, 1, 1), 1);
    assert_non_null(strstr(notes, "mem:8: entries for LIDs that are not in the network are ignored (1)"));
    assert_round_trip(r);
    hd_routes_free(r);
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
        {5, 8, 16, {0, 2}, 1, {5, 8, 16}, 2, {2, 2}}, /* room for the larger LMC at both */
        {9, 8, 16, {0, 2}, 1, {9, 8, 16}, 0, {0, 2}}, /* the switch sits where it would reach: each has its own */
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

static void test_refused_writes(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    struct hd_net *net = t4();
    struct hd_routes *r = open_routes(net, "dmodk");
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_routes_write(&ctx, r, "dump", o), HD_USAGE);
    assert_string_equal(ctx.error,
                        "format dump: expected lft, lft-minimal, far, guid2lid, lid-matrix, qos-policy, roots, cns, "
                        "order, path-bits, paths, subnet, fdbs, psl or slvl");
    hd_routes_free(r);
    hd_net_free(net);
    net = make_net("ft:m=26,n=3,partial=endpoints:1");
    r = open_routes(net, "omrmn:cap=169");
    assert_int_equal(hd_routes_write(&ctx, r, "lft", o), HD_INPUT);
    assert_string_equal(ctx.error, "169 variants of a path, InfiniBand's LMC allows 128");
    hd_routes_free(r);
    hd_net_free(net);
    hd_out_drop(o);
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
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_cut_tables),
        cmocka_unit_test(test_cut_own_tables),
        cmocka_unit_test(test_whole_tables),
        cmocka_unit_test(test_bad_extra_lines),
        cmocka_unit_test(test_other_endpoints),
        cmocka_unit_test(test_lids),
        cmocka_unit_test(test_lids_of_the_network),
        cmocka_unit_test(test_refused_writes),
        cmocka_unit_test(test_further_lids_of_the_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
