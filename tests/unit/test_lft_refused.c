/* SPDX-License-Identifier: BSD-2-Clause */
/* Table files that cannot be used are refused with file and line, and what is left out of others is noted. */
#include "lft_tools.h"

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
        cmocka_unit_test(test_notes),           cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_cut_tables),      cmocka_unit_test(test_cut_own_tables),
        cmocka_unit_test(test_whole_tables),    cmocka_unit_test(test_bad_extra_lines),
        cmocka_unit_test(test_other_endpoints), cmocka_unit_test(test_refused_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
