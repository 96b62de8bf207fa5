/* SPDX-License-Identifier: BSD-2-Clause */
/* Network files: what is read, what is refused and how it is said, and that writing loses nothing. */
#include "testing.h"

#include "net/io/fmt_ibnet.h"
#include "net/io/capture_line.h"
#include "base/context.h"

#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

static void keep_note(void *user, const char *line)
{
    snprintf(user, 256, "%s", line);
}

static hd_status read_bytes(struct hd_ctx *ctx, const void *bytes, size_t n, struct hd_net **net)
{
    struct hd_in *in;
    hd_status s = hd_in_memory(ctx, "x.net", bytes, n, &in);
    if (s != HD_OK) return s;
    s = hd_ibnet_read(ctx, in, "x.net", NULL, net);
    hd_in_close(in);
    return s;
}

static struct hd_net *read_text(const char *text)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = read_bytes(&ctx, text, strlen(text), &net);
    return checked(&ctx, s, net, text);
}

static struct hd_net *read_file(const char *path, const char *name_map)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_read(&ctx, path, &(struct hd_read){.name_map = name_map}, &net);
    return checked(&ctx, s, net, path);
}

static struct hd_out *write_text(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_net_write(&ctx, net, "ibnet", o), HD_OK);
    return o;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

#define SAME(field, n) assert_memory_equal(a->field, b->field, (n) * sizeof *a->field)

/* Everything a file can tell; system GUIDs where asked, since ibnetdiscover -p does not tell them. */
static void same_net(const struct hd_net *a, const struct hd_net *b, bool system)
{
    uint32_t nodes = a->nsw + a->nep;
    assert_int_equal(a->nsw, b->nsw);
    assert_int_equal(a->nep, b->nep);
    assert_int_equal(a->nca, b->nca);
    assert_int_equal(a->nchan, b->nchan);
    assert_int_equal(a->lmc, b->lmc);
    SAME(off, nodes + 1);
    SAME(head, a->nchan);
    SAME(rev, a->nchan);
    SAME(port, a->nchan);
    SAME(link, a->nchan);
    SAME(guid, nodes);
    SAME(lid, nodes);
    SAME(nports, a->nsw);
    SAME(ca, a->nep);
    SAME(ca_guid, a->nca);
    SAME(ca_ports, a->nca);
    SAME(ca_role, a->nca);
    if (system) SAME(system, a->nsw + a->nca);
    assert_int_equal(a->nsel, b->nsel);
    SAME(sel, a->nsel);
    for (uint32_t v = 0; v < nodes; v++) assert_string_equal(hd_node_name(a, v), hd_node_name(b, v));
}

/* Writes, reads back, compares; frees net. */
static void survives(struct hd_net *net)
{
    struct hd_out *o = write_text(net);
    struct hd_net *again = read_text(hd_out_text(o, NULL));
    same_net(net, again, true);
    hd_out_drop(o);
    hd_net_free(again);
    hd_net_free(net);
}

/* ---- round trips --------------------------------------------------------------------------- */

static struct hd_net *finish(struct hd_builder *b)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_builder_finish(&ctx, b, "hand-made", &net);
    return checked(&ctx, s, net, "hand-made");
}

static struct hd_builder *builder(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    return b;
}

static void every_generated_network_survives(void **state)
{
    (void)state;
    const struct hd_desc *d;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++)
        for (const char *const *spec = d->examples; spec && *spec; spec++) survives(make_net(*spec));
}

static void mixed_network_survives(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    uint32_t s1 = hd_builder_switch(
        b, &(struct hd_switch_in){.name = "core one", .guid = 0x10, .system = 0x77, .nports = 36, .lid = 300});
    uint32_t s2 =
        hd_builder_switch(b, &(struct hd_switch_in){.name = "rows=5 #2 @x [1]", .guid = 0x20, .nports = 8, .lid = 301});
    hd_builder_switch(b, &(struct hd_switch_in){.name = "lonely", .guid = 0x30, .nports = 254});
    uint32_t two =
        hd_builder_adapter(b, &(struct hd_adapter_in){.name = "h1 HCA-1", .guid = 0x100, .system = 0x99, .nports = 2});
    uint32_t rt = hd_builder_adapter(
        b, &(struct hd_adapter_in){.name = "gate", .guid = 0x200, .nports = 3, .role = HD_ROLE_ROUTER});
    uint32_t an = hd_builder_adapter(b, &(struct hd_adapter_in){.name = "Mellanox Technologies Aggregation Node",
                                                                .guid = 0x300,
                                                                .nports = 1,
                                                                .role = HD_ROLE_AGGREGATION});
    uint32_t named = hd_builder_adapter(
        b, &(struct hd_adapter_in){.name = "agg-2", .guid = 0x400, .nports = 1, .role = HD_ROLE_AGGREGATION});
    uint32_t host =
        hd_builder_adapter(b, &(struct hd_adapter_in){.name = "not an Aggregation Node", .guid = 0x500, .nports = 1});
    hd_builder_cable(b, s1, 1, hd_builder_endpoint(b, two, 1, 0x1111, 1), 1, hd_link_code("4xHDR", 5));
    hd_builder_cable(b, s2, 1, hd_builder_endpoint(b, two, 2, 0, 2), 2, 0);
    hd_builder_cable(b, s1, 36, hd_builder_endpoint(b, rt, 2, 0, 3), 2, hd_link_code("12xFDR10", 8));
    hd_builder_cable(b, s1, 35, hd_builder_endpoint(b, an, 1, 0, 0), 1, hd_link_code("4xQDR", 5));
    hd_builder_cable(b, s2, 3, hd_builder_endpoint(b, named, 1, 0, 0), 1, hd_link_code("4xQDR", 5));
    hd_builder_cable(b, s2, 8, hd_builder_endpoint(b, host, 1, 0, HD_MAX_LID), 1, hd_link_code("1xSDR", 5));
    hd_builder_cable(b, s1, 5, s2, 6, hd_link_code("4xNDR", 5)); /* parallel, crossed ports */
    hd_builder_cable(b, s1, 6, s2, 5, hd_link_code("2xXDR", 5));
    survives(finish(b));
}

static void parts_survive(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.guid = 0x1000 + i, .nports = 4});
        for (uint32_t p = 1; p <= i + 1; p++) hd_builder_host(b, sw, p, 0);
    }
    survives(finish(b));
}

static void one_switch_survives(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    hd_builder_switch(b, &(struct hd_switch_in){.name = "alone", .guid = 7, .nports = 1});
    survives(finish(b));
}

/* Names that cannot stand in the format are changed once, then stay. */
static void odd_names_settle(void **state)
{
    (void)state;
    char longest[400];
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    memcpy(longest + 158, "\xe2\x82\xac", 3); /* a character across the limit */
    const char *names[][2] = {{"a \"b\" c", "a 'b' c"},   {"tab\there", "tab here"},
                              {"", "S-0000000000000001"}, {"caf\xc3\xa9 = # @", "caf\xc3\xa9 = # @"},
                              {" blanks ", " blanks "},   {longest, NULL}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct hd_builder *b = builder();
        uint32_t s1 = hd_builder_switch(b, &(struct hd_switch_in){.name = names[i][0], .guid = 1, .nports = 2});
        uint32_t s2 = hd_builder_switch(b, &(struct hd_switch_in){.name = "other", .guid = 2, .nports = 2});
        hd_builder_cable(b, s1, 1, s2, 1, 0);
        struct hd_net *net = finish(b);
        struct hd_out *o = write_text(net);
        struct hd_net *again = read_text(hd_out_text(o, NULL));
        if (names[i][1])
            assert_string_equal(hd_node_name(again, 0), names[i][1]);
        else
            assert_int_equal(strlen(hd_node_name(again, 0)), 158);
        hd_out_drop(o);
        hd_net_free(net);
        survives(again);
    }
}

/* ---- what files say ------------------------------------------------------------------------ */

#define TWO_SWITCHES                                                                                                   \
    "switchguid=0x20\nSwitch 8 \"B\" # \"two\" enhanced port 0 lid 9 lmc 0\n[3] \"A\"[3]\n[2] \"H\"[2]\n\n"
#define FIRST                                                                                                          \
    "switchguid=0x10\nSwitch 4 \"A\" # \"one\" base port 0 lid 8 lmc 0\n[3] \"B\"[3] # \"two\" lid 9 4xEDR\n[1][ext "  \
    "3] "                                                                                                              \
    "\"H\"[1]\n\n"
#define HOST                                                                                                           \
    "sysimgguid=0x103\ncaguid=0x100\nCa 2 \"H\" # \"h\"\n[2](1ff) \"B\"[2] # lid 6 lmc 1 \"two\" lid 9 4xQDR\n[1] "    \
    "\"A\"[1][ext 2] # lid 5 lmc 0\n\n"

static void order_of_records_does_not_matter(void **state)
{
    (void)state;
    struct hd_net *a = read_text("# comment\n" TWO_SWITCHES FIRST HOST), *b = read_text(HOST FIRST "\n\n" TWO_SWITCHES);
    same_net(a, b, true);
    hd_net_free(b);
    assert_string_equal(hd_node_name(a, 0), "one");
    assert_string_equal(hd_node_name(a, 1), "two");
    assert_int_equal(a->nports[1], 8);
    assert_int_equal(a->lid[0], 8);
    assert_int_equal(a->nep, 2);
    assert_int_equal(a->nca, 1);
    assert_int_equal(a->lmc, 1);
    assert_int_equal(a->system[0], 0x10);
    assert_int_equal(a->system[2], 0x103);
    assert_int_equal(a->guid[2], 0x101); /* not told: node GUID + port */
    assert_int_equal(a->guid[3], 0x1ff);
    assert_int_equal(a->lid[2], 5);
    assert_int_equal(a->lid[3], 6);
    assert_string_equal(hd_link_name(a->link[a->off[3]]), "4xQDR"); /* told by one end */
    assert_string_equal(hd_link_name(a->link[a->off[0] + 1]), "4xEDR");
    assert_int_equal(a->link[a->off[2]], 0);
    hd_net_free(a);
}

static void made_up_guids_are_those_of_ibsim(void **state)
{
    (void)state;
    struct hd_net *n =
        read_text("Switch 4 \"A\"\n[1] \"G\"\n[2] \"H\"[1]\n[3] \"R\"[1]\n\nSwitch 4 \"B\"\n[1] \"H\"[2]\n\n"
                  "switchguid+16\nSwitch 4 \"C\"\n\nHca 1 \"G\"\n[1] \"A\"\n\nHca 2 \"H\"\n[1] \"A\"[2]\n[2] \"B\"\n\n"
                  "Rt 1 \"R\"\n[1] \"A\"[3]\n");
    assert_int_equal(n->nsw, 3);
    assert_int_equal(n->guid[0], 0x200000);
    assert_int_equal(n->guid[1], 0x200001);
    assert_int_equal(n->guid[2], 0x200010);
    assert_int_equal(n->ca_guid[0], 0x100000);
    assert_int_equal(n->ca_guid[1], 0x100002);
    assert_int_equal(n->guid[5], 0x100004);
    assert_int_equal(n->ca_role[2], HD_ROLE_ROUTER);
    assert_string_equal(hd_node_name(n, 0), "A");
    assert_int_equal(n->nsel, 3); /* a router is no host */
    hd_net_free(n);
}

static void settings_of_ibsim_are_read_over(void **state)
{
    (void)state;
    struct hd_net *n = read_text(
        "pdebug 1\nwidth=4\nspeed = 4\nextspeed=1\nlinkwidth=2\nmodule-id=1\nmodule=\"m\"\nSwitch 4 \"A\"\n"
        "[1] \"H\"[1] w=4 s=1\n[2] \"n#A\"[1]\n\nHca 1 \"H\"\n[1] \"A\"[1]\n\nmodule=\"n\"\n  Switch 4 \"A\"\n"
        "\t[1] \"m#A\"[2]\n\nChassis 1 (guid 0x5)\n\nNon-Chassis Nodes\n");
    assert_int_equal(n->nsw, 2);
    assert_string_equal(hd_node_name(n, 0), "m#A");
    assert_string_equal(hd_node_name(n, 1), "n#A");
    assert_int_equal(n->nep, 1);
    hd_net_free(n);
}

static void descriptions_may_hold_anything(void **state)
{
    (void)state;
    struct hd_net *n = read_text(
        "Switch 2 \"A\" # \"a\" lid 7\" base port 0 lid 3 lmc 0\n[1] \"H\"[1] # \"x\" lid 2 4xQDR\" lid 5 4xHDR s=4\n\n"
        "Ca 1 \"H\" # \"# [1] \"x\" \t lid 9\"\n[1] \"A\"[1] # lid 5 lmc 0 \"lid 4 lmc 3\" lid 3 4xHDR\n");
    assert_string_equal(hd_node_name(n, 0), "a\" lid 7");
    assert_string_equal(hd_node_name(n, 1), "# [1] \"x\"   lid 9");
    assert_int_equal(n->lid[0], 3);
    assert_int_equal(n->lid[1], 5);
    assert_int_equal(n->lmc, 0);
    assert_string_equal(hd_link_name(n->link[0]), "4xHDR");
    hd_net_free(n);
}

static void links_of_two_minds_are_the_slower(void **state)
{
    (void)state;
    const char *form =
        "Switch 2 \"A\"\n[1] \"B\"[1] # \"b\" lid 0 %s\n\nSwitch 2 \"B\"\n[1] \"A\"[1] # \"a\" lid 0 %s\n";
    const char *cases[][3] = {
        {"4xQDR", "4xEDR", "4xQDR"}, {"4xEDR", "4xQDR", "4xQDR"}, {"4xQDR", "4x???", "4xQDR"}, {"99xZDR", "", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, form, cases[i][0], cases[i][1]);
        struct hd_net *n = read_text(text);
        assert_string_equal(hd_link_name(n->link[0]), cases[i][2]);
        hd_net_free(n);
    }
}

static void unassigned_lids_stay_so(void **state)
{
    (void)state;
    struct hd_net *n =
        read_text("Switch 2 \"A\" # \"a\" base port 0 lid 0 lmc 0\n[1] \"H\"[1]\n[2] \"G\"[1]\n\n"
                  "Ca 1 \"H\"\n[1] \"A\"[1] # lid 65535 lmc 3 \"a\" lid 0\n\nCa 1 \"G\"\n[1] \"A\"[2] # lid 5 lmc 0\n");
    assert_int_equal(n->lid[0], 0);
    assert_int_equal(n->lid[1], 0);
    assert_int_equal(n->lid[2], 5);
    assert_int_equal(n->lmc, 0); /* an LMC without a LID says nothing */
    hd_net_free(n);
}

static void lmc_survives(void **state)
{
    (void)state;
    struct hd_net *n =
        read_text("Switch 4 \"A\" # \"a\" base port 0 lid 1 lmc 0\n[1] \"F\"[1]\n[2] \"G\"[1]\n[3] \"H\"[1]\n\n"
                  "Ca 1 \"F\"\n[1] \"A\"[1] # lid 4 lmc 2 \"a\" lid 1\n\nCa 1 \"G\"\n[1] \"A\"[2] # lid 8 lmc 0\n\n"
                  "Ca 1 \"H\"\n[1] \"A\"[3] # lid 9 lmc 0\n");
    assert_int_equal(n->lmc, 2);
    survives(n);
}

/* Two subnets in one file have LIDs of their own. */
static void parts_have_their_own_lids(void **state)
{
    (void)state;
    struct hd_net *net = read_text("Switch 4 \"A\" # \"a\" base port 0 lid 5 lmc 0\n[1] \"G\"[1]\n"
                                   "\nSwitch 4 \"B\" # \"b\" base port 0 lid 5 lmc 0\n[2] \"H\"[1]\n"
                                   "\nCa 1 \"G\"\n[1] \"A\"[1] # lid 2 lmc 1 \"a\" lid 5\n"
                                   "\nCa 1 \"H\"\n[1] \"B\"[2] # lid 2 lmc 1 \"b\" lid 5\n");
    assert_int_equal(net->lid[0], 5);
    assert_int_equal(net->lid[1], 5);
    assert_int_equal(net->lid[2], 2);
    assert_int_equal(net->lid[3], 2);
    survives(net);
}

static void adapters_without_cable_are_left_out(void **state)
{
    (void)state;
    char note[256] = "";
    struct hd_ctx ctx;
    struct hd_net *n = NULL;
    hd_ctx_init(&ctx);
    ctx.note = keep_note;
    ctx.note_user = note;
    const char *text = "Switch 2 \"A\"\n\nCa 1 \"G\" # \"idle\"\n\nCa 2 \"H\"\n";
    assert_int_equal(read_bytes(&ctx, text, strlen(text), &n), HD_OK);
    assert_int_equal(n->nca, 0);
    assert_int_equal(n->nep, 0);
    assert_string_equal(note, "x.net:3: 'idle' and 1 more adapters have no cable and are left out");
    hd_net_free(n);
    assert_int_equal(read_bytes(&ctx, text, strlen(text) - strlen("Ca 2 \"H\"\n"), &n), HD_OK);
    assert_string_equal(note, "x.net:3: 'idle' has no cable and is left out");
    hd_net_free(n);
}

static void ports_form_is_read(void **state)
{
    (void)state;
    struct hd_net *n =
        read_text("SW    40  2 0x0000000000100007 4x QDR - CA    33  2 0x000000000000007e ( 'leaf' - 'a' )\n"
                  "CA    32  1 0x000000000000007d 4x EDR - SW    40  4 0x0000000000100007 ( 'a' - 'leaf' )\n"
                  "SW    40 36 0x0000000000100007 ?? SDR                                    'leaf'\n"
                  "RT     5  1 0x0000000000000201 4x EDR - SW    40  5 0x0000000000100007 ( 'it's - it' - 'leaf' )\n"
                  "CA    33  2 0x000000000000007e 4x QDR - SW    40  2 0x0000000000100007 ( 'a' - 'leaf' )\n"
                  "SW    40  5 0x0000000000100007 4x EDR - RT     5  1 0x0000000000000201 ( 'leaf' - 'it's - it' )\n"
                  "SW    40  4 0x0000000000100007 4x EDR - CA    32  1 0x000000000000007d ( 'leaf' - 'a' )\n");
    assert_int_equal(n->nsw, 1);
    assert_int_equal(n->nports[0], 36);
    assert_int_equal(n->lid[0], 40);
    assert_int_equal(n->nca, 2);
    assert_int_equal(n->nep, 3);
    assert_int_equal(n->ca_guid[0], 0x7c);
    assert_int_equal(n->guid[1], 0x7d);
    assert_int_equal(n->lid[2], 33);
    assert_int_equal(n->ca_role[1], HD_ROLE_ROUTER);
    assert_string_equal(hd_node_name(n, 3), "it's - it");
    assert_string_equal(hd_link_name(n->link[n->off[2]]), "4xQDR");
    hd_net_free(n);
}

/* ---- real samples -------------------------------------------------------------------------- */

static void forms_of_one_fabric_agree(void **state)
{
    (void)state;
    struct hd_net *a = read_file("tests/data/opensm/t4.ibnetdiscover", NULL),
                  *b = read_file("tests/data/opensm/t4.ibsim.net", NULL),
                  *c = read_file("tests/data/opensm/t4.ibnetdiscover-p", NULL);
    assert_int_equal(a->nsw, 12);
    assert_int_equal(a->nep, 32);
    assert_int_equal(a->nchan, 2 * (32 + 8 * 4));
    assert_string_equal(hd_node_name(a, 0), "L1-0000");
    assert_string_equal(hd_node_name(a, 12 + 31), "node-00031");
    assert_int_equal(a->lid[0], 33);
    same_net(a, b, true); /* made-up LIDs happen to be the ones OpenSM gave */
    same_net(a, c, false);
    hd_net_free(b);
    hd_net_free(c);
    static const char *const forms[] = {"t4.iblinkinfo.gz", "t4.iblinkinfo-l.gz", "t4.ibnetdiscover-cache.gz"};
    for (size_t i = 0; i < 3; i++) {
        char path[80];
        snprintf(path, sizeof path, "tests/data/opensm/%s", forms[i]);
        b = read_file(path, NULL);
        same_net(a, b, i == 2); /* only the cache has system GUIDs */
        hd_net_free(b);
    }
    survives(a);
}

#define UP " ==( 4X 53.125 Gbps Active/ LinkUp)==> "
#define DOWN " ==( Down/ Polling)==>  [  ] \"\" ( )\n"

static void iblinkinfo_is_read(void **state)
{
    (void)state;
    struct hd_net *net =
        read_text("CA: a quoted \" name:\n"
                  "      0x0000000000000011      4    1[  ]" UP " 2    1[ 7] \"sw: 1\" ( )\n"
                  "Switch: 0x0000000000000005 sw: 1:\n"
                  "           2    1[ 7]" UP "      4    1[  ] \"a quoted \" name\" (Could be 12X )\n"
                  "           2    2[  ]" UP "      3    2[  ] \"r\" ( )\n"
                  "           2    3[  ]" DOWN
                  "           2    4[  ] ==( 4X 53.125 Gbps Init/ LinkUp)==>    \"Port not available\"\n"
                  "Router: r:\n"
                  "      0x0000000000000022      3    2[  ]" UP " 2    2[  ] \"sw: 1\" ( )\n");
    assert_int_equal(net->nsw, 1);
    assert_int_equal(net->nep, 2);
    assert_int_equal(net->nports[0], 4);
    assert_string_equal(hd_node_name(net, 0), "sw: 1");
    assert_string_equal(hd_node_name(net, 1), "a quoted \" name");
    assert_int_equal(net->ca_role[1], HD_ROLE_ROUTER);
    assert_int_equal(net->lid[0], 2);
    assert_int_equal(net->guid[2], 0x22);
    assert_string_equal(hd_link_name(net->link[0]), "4xHDR");
    hd_net_free(net);
}

static void compressed_files_are_read(void **state)
{
    (void)state;
    struct hd_net *a = read_file("tests/data/opensm/rnd516.net.gz", NULL), *b = NULL;
    assert_int_equal(a->nsw, 43);
    assert_int_equal(a->nep, 516);
    struct hd_out *o = write_text(a);
    size_t n, room;
    const char *text = hd_out_text(o, &n);
    void *packed = malloc(room = ZSTD_compressBound(n));
    assert_non_null(packed);
    size_t size = ZSTD_compress(packed, room, text, n, 3);
    assert_false(ZSTD_isError(size));
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    hd_status s = read_bytes(&ctx, packed, size, &b);
    same_net(a, checked(&ctx, s, b, "zstd"), true);
    assert_int_equal(read_bytes(&ctx, packed, size / 2, &b), HD_INPUT);
    free(packed);
    hd_out_drop(o);
    hd_net_free(a);
    hd_net_free(b);
}

/* ---- names --------------------------------------------------------------------------------- */

static void name_map_renames(void **state)
{
    (void)state;
    char path[] = "/tmp/heddle-map-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_file(path, "# a comment\n\n0x0002c90000100000 \"leaf zero\"  # why\n  0x2C90100000000\thost zero # "
                     "why\n0xdead \"nobody\"\n");
    struct hd_net *n = read_file("tests/data/opensm/t4.ibnetdiscover", path);
    assert_string_equal(hd_node_name(n, 0), "leaf zero");
    assert_string_equal(hd_node_name(n, 1), "L1-0001");
    assert_string_equal(hd_node_name(n, 12), "host zero");
    hd_net_free(n);
    static const struct {
        const char *text, *message;
    } bad[] = {{"\n0x5 \n", ":2: expected a name"},
               {"0x5 \"open\n", ":1: expected a name"},
               {"0x5 \"a\" b\n", ":1: expected a name"},
               {"0x5 \"\"\n", ":1: expected a name"},
               {"5 \"a\"\n", ":1: expected a node GUID"},
               {"0x0 \"a\"\n", ":1: expected a node GUID"},
               {"0x11112222333344445 \"a\"\n", ":1: expected a node GUID"},
               {"leaf \"a\"\n", ":1: expected a node GUID"},
               {"0x5 \"a\"\n0x6 \"b\"\n0x5 \"c\"\n", ":3: GUID 0x0000000000000005 has a name at line 1 already"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct hd_ctx ctx;
        char expected[256];
        hd_ctx_init(&ctx);
        write_file(path, bad[i].text);
        snprintf(expected, sizeof expected, "%s%s", path, bad[i].message);
        n = NULL;
        hd_status s = hd_net_read(&ctx, "tests/data/opensm/t4.ibnetdiscover", &(struct hd_read){.name_map = path}, &n);
        if (s != HD_INPUT || n || strncmp(ctx.error, expected, strlen(expected)) != 0)
            fail_msg("expected '%s', got status %d: %s", expected, s, ctx.error);
    }
    remove(path);
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_read(&ctx, "tests/data/opensm/t4.ibnetdiscover", &(struct hd_read){.name_map = path}, &n),
                     HD_INPUT);
    assert_non_null(strstr(ctx.error, "cannot open"));
}

/* ---- what is refused ----------------------------------------------------------------------- */

#define GOOD_HOST "\nCa 1 \"H\"\n[1] \"A\"[1]\n"

static const struct {
    const char *text, *message; /* how it must begin */
} refused[] = {
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n[2] \"B\"[1]\n\nSwitch 4 \"B\"\n" GOOD_HOST,
     "3: port 2 of \"A\" leads to port 1 of \"B\", which does not list it: expected both"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n"
     "\nCa 2 \"H\"\n[1] \"A\"[1]\n[2] \"A\"[2]\n",
     "6: port 2 of \"H\" leads to port 2 of \"A\", which does not list it"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n[2] \"X\"[1]\n" GOOD_HOST,
     "3: port 2 of \"A\" leads to \"X\", which has no record: expected both"},
    {"Switch 4 \"A\"\n[2] \"B\"[1]\n\nSwitch 4 \"B\"\n[1] \"A\"[3]\n",
     "2: port 2 of \"A\" leads to port 1 of \"B\", but line 5 leads that to port 3 of \"A\": expected ends that agree"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n# x\n[1] \"H\"[1]\n" GOOD_HOST,
     "4: port 1 of \"A\" is at line 2 already: expected one cable"},
    {"Switch 4 \"A\"\n[5] \"H\"[1]\n" GOOD_HOST, "2: port 5 of \"A\": expected 1 to 4"},
    {"Switch 4 \"A\"\n[0] \"H\"[1]\n", "2: port 0 of \"A\": expected 1 to 4"},
    {"Switch 4 \"A\"\n[1] \"H\"[255]\n", "2: port 255 of \"H\": expected 1 to 254"},
    {"Switch 4 \"A\"\n[99999999999999999999] \"H\"[1]\n", "2: port 4294967295 of \"A\": expected 1 to 4"},
    {"Switch 4 \"A\"\n[1] \"H\"[2]\n" GOOD_HOST, "2: port 1 of \"A\" leads to port 2 of \"H\", which does not list it"},
    {"\nSwitch 4 \"A\"\n\nSwitch 4 \"A\"\n", "4: \"A\" has a record at line 2 already: expected one record"},
    {"Switch 4 \"A\"\n\nCa 4 \"A\"\n", "3: \"A\" has a record at line 1 already"},
    {"switchguid=0x5\nSwitch 4 \"A\"\n\nswitchguid=0x5\nSwitch 4 \"B\"\n",
     "5: GUID 0x0000000000000005 of \"B\" is that of \"A\" at line 2 too: expected distinct"},
    {"Switch 4 \"A\"\n\ncaguid=0x5\nCa 4 \"H\"\n\nrtguid=0x5\nRt 4 \"R\"\n",
     "7: GUID 0x0000000000000005 of \"R\" is that of \"H\" at line 4 too"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n[2] \"H\"[2]\n\nCa 2 \"H\"\n[1](77) \"A\"[1]\n[2](77) \"A\"[2]\n",
     "7: port GUID 0x0000000000000077 is at line 6 already: expected distinct"},
    {"Switch 4 \"A\"\n[1] \"A\"[2]\n[2] \"A\"[1]\n", "2: port 1 of \"A\" leads back to the same node"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n[2] \"S-00", "3: expected [port] \"id\"[port]"},
    {"Switch 4 \"A\"\n[1] \"H\"[1\n", "2: expected [port] \"id\"[port]"},
    {"Switch 4 \"A\"\n[1](xyz) \"H\"[1]\n", "2: expected [port] \"id\"[port]"},
    {"Switch 4 \"A\"\n[1] \"\"[1]\n", "2: expected [port] \"id\"[port]"},
    {"Switch 4 \"A\"\n\nswitchguid=0x7(7)\n", "3: the file ends after a GUID line: expected its Switch"},
    {"Switch 4 \"A\" # \"cut", "1: the description has no closing quote"},
    {"Switch 255 \"A\"\n", "1: Switch with 255 ports: expected 1 to 254"},
    {"Switch 0 \"A\"\n", "1: Switch with 0 ports: expected 1 to 254"},
    {"Switch \"A\"\n", "1: expected Switch, a number of ports and an id"},
    {"Ca 1\n", "1: expected Ca, a number of ports and an id"},
    {"Rt 1 \"x\ty\"\n", "1: expected Rt, a number of ports and an id"},
    {"", "1: the file has no switch: expected at least one Switch"},
    {"# nothing\n\n\n", "3: the file has no switch"},
    {"Ca 1 \"H\"\n", "1: the file has no switch"},
    {"Swtch 4 \"A\"\n", "1: 'Swtch': expected a Switch, Ca or Rt record"},
    {"\n\n\xff\xfe\x01\x02\n", "3: expected a Switch, Ca or Rt record"},
    {"banner\nSwitch 4 \"A\"\n[1] \"H\"[1]\ngarbled\n[2] \"H\"[2]\n", "4: 'garbled': expected a Switch, Ca or Rt"},
    {"Switch 4 \"A\"\ngarbled\nswitchguid=0x5\n", "2: 'garbled': expected a Switch, Ca or Rt"},
    {"Switch 4 \"A\"\n[x@y\n", "2: expected [port] \"id\"[port]"},
    {"Switch 4 \"A\"\n[\n", "2: expected [port] \"id\"[port]"},
    {"Switch41\n", "1: 'Switch41': expected a Switch, Ca or Rt record"},
    {"Switchx41 \"A\"\n", "1: 'Switchx41': expected a Switch, Ca or Rt record"},
    {"banner\n[1] \"H\"[1]\n", "2: a port outside a record"},
    {"{\"schema\": 1}\n", "1: expected a line of opensm-subnet.lst"},
    {"Switch: name:\n", "1: expected a title of iblinkinfo"},
    {"caguid=0x5\nCa 1", "1: the file ends after a GUID line"},
    {"CA: a:\n0x11 4 1[  ]" DOWN, "2: the file has no switch"},
    {"Switch: 0x5 name\n", "1: expected a title of iblinkinfo"},
    {"Switch: 0x5 a:\n2 1[  ] ==( 4X\n", "2: expected a line of iblinkinfo"},
    {"CA: a:\n2 1[  ]" UP "2 1[ ] \"b\" ( )\n", "2: expected a line of iblinkinfo"},
    {"2 1[  ]" UP "2 1[ ] \"b\" ( )\n", "1: expected a line of iblinkinfo"},
    {"Switch: 0x5 a:\n2 1[  ]" UP "3 x[ ] \"b\" ( )\n", "2: expected a line of iblinkinfo"},
    {"Switch: 0x5 a:\n2 255[  ]" DOWN, "2: port 255: expected 1 to 254"},
    {"Switch: 0x5 a:\n50000 1[  ]" DOWN, "2: LID 50000: expected 0"},
    {"Switch: 0x5 a:\n2 1[  ]" UP "3 1[ ] \"b\" ( )\n", "2: LID 3 at the other end has no line of its own"},
    {"Switch: 0x5 a:\n2 1[  ]" DOWN "Switch: 0x6 a:\n2 1[  ]" UP "2 1[ ] \"b\" ( )\n",
     "4: LID 2 is that of lines 2 and 4"},
    {"Switch: 0x5 a:\n2 1[  ]" DOWN "\nSwitch 4 \"A\"\n", "4: a record among lines of another form"},
    {"0x5 \"a\" 2 1[  ]" DOWN "0x5 \"b\" 2 2[  ]" DOWN, "2: 'b' has the GUID of 'a' at line 1"},
    {"swichguid=0x5\n", "1: 'swichguid': expected switchguid"},
    {"caguid=five\n", "1: expected a GUID such as caguid=0x"},
    {"caguid=0x11112222333344445\n", "1: expected a GUID such as caguid=0x"},
    {"switchguid=0x0\nSwitch 4 \"A\"\n", "2: \"A\" has GUID 0"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n\ncaguid=0xffffffffffffffff\nCa 1 \"H\"\n[1] \"A\"[1]\n",
     "6: port 1 of \"H\" has GUID 0"},
    {"Switch 4 \"A\" # \"a\" base port 0 lid 49152 lmc 0\n", "1: LID 49152: expected 0 (not assigned) to 49151"},
    {"Switch 4 \"A\" # \"a\" base port 0 lid x lmc 0\n", "1: expected a number after lid"},
    {"Switch 4 \"A\" # \"a\" base port 0 lid 5 lmc 0\n[1] \"B\"[1]\n\n"
     "Switch 4 \"B\" # \"b\" base port 0 lid 5 lmc 0\n[1] \"A\"[1]\n",
     "4: LID 5 belongs to line 1 already: expected distinct"},
    {"Switch 4 \"A\" # \"a\" base port 0 lid 5 lmc 0\n[1] \"H\"[1]\n\nCa 1 \"H\"\n[1] \"A\"[1] # lid 4 lmc 1 \"a\" lid "
     "5\n",
     "5: LID 5 belongs to line 1 already"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n\nCa 1 \"H\"\n[1] \"A\"[1] # lid 49151 lmc 1 \"a\" lid 5\n",
     "5: LIDs 49151 to 49152: expected at most 49151"},
    {"Switch 4 \"A\"\n[1] \"H\"[1]\n\nCa 1 \"H\"\n[1] \"A\"[1] # lid 4 lmc 8 \"a\" lid 5\n",
     "5: expected a number from 0 to 7 after lmc"},
    {"Switch 4 \"A\"\n\nCa 1 \"G\"\n[1] \"H\"[1]\n\nCa 1 \"H\"\n[1] \"G\"[1]\n",
     "4: port 1 of \"G\" leads to \"H\", another adapter: expected a cable to a switch"},
    {"Switch 4 \"A\"\n\n[1] \"H\"[1]\n", "3: a port outside a record"},
    {"Switch 4 \"A\"\n@[1] \"H\"[1]\n", "2: an alias (@)"},
    {"Switch 4 \"A\"\n\ninclude b.net\n", "3: 'include' is for ibsim alone"},
    {"do Unlink \"A\"[1]\n", "1: 'do' is for ibsim alone"},
    {"module=m\n", "1: expected module=\"name\""},
    {"# heddle role=king\n", "1: expected role=host, router, aggregation, storage, management or gateway"},
    {"Switch 4 \"A\"\n\nSW 1 1 0x5 4x QDR 'x'\n", "3: a line of ibnetdiscover -p among others"},
    {"SW 1 1 0x5 4x QDR 'x'\nSwitch 4 \"A\"\n", "2: a record among lines of another form"},
    {"SW 1 1 0x5 4x\n", "1: expected a line of ibnetdiscover -p"},
    {"CA 1 \"H\"\n", "1: expected a line of ibnetdiscover -p"},
    {"SW 1 1 0x5 4x QDR - CA 2 1 0x9 ( 'a' )\n", "1: expected a line of ibnetdiscover -p"},
    {"SW 1 0 0x5 4x QDR 'x'\n", "1: port 0: expected 1 to 254"},
    {"SW 1 1 0x5 4x QDR - SW 2 255 0x9 ( 'a' - 'b' )\n", "1: port 255: expected 1 to 254"},
    {"SW 60000 1 0x5 4x QDR 'x'\n", "1: LID 60000: expected 0"},
    {"SW 1 1 0x0 4x QDR 'x'\n", "1: \"S-0000000000000000\" has GUID 0"},
    {"SW 1 1 0x5 4x QDR - SW 2 1 0x6 ( 'a' - 'b' )\n",
     "1: port 1 of \"S-0000000000000005\" leads to \"S-0000000000000006\", which has no record"},
    {"SW 1 1 0x5 4x QDR - SW 2 1 0x6 ( 'a' - 'b' )\nSW 2 1 0x6 4x QDR - SW 1 1 0x5 ( 'b' - 'a' )\nSW 1 1 0x5 4x QDR - "
     "SW 2 1 0x6 ( 'a' - 'b' )\n",
     "3: port 1 of \"S-0000000000000005\" is at line 1 already"},
    {"CA 1 1 0x11 4x QDR - SW 3 1 0x7 ( 'a' - 's' )\nCA 2 2 0x12 4x QDR - SW 3 2 0x7 ( 'b' - 's' )\n",
     "2: port GUIDs give 'b' the adapter GUID of 'a' at line 1"},
};

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct hd_ctx ctx;
        struct hd_net *net = NULL;
        hd_ctx_init(&ctx);
        hd_status s = read_bytes(&ctx, refused[i].text, strlen(refused[i].text), &net);
        const char *m = refused[i].message;
        if (s != HD_INPUT || net) fail_msg("%s: status %d, expected HD_INPUT", refused[i].text, s);
        if (strncmp(ctx.error, "x.net:", 6) != 0 || strncmp(ctx.error + 6, m, strlen(m)) != 0)
            fail_msg("%s\nexpected: x.net:%s\ngot:      %s", refused[i].text, m, ctx.error);
    }
}

/* The form of a line a port declares no number of ports; one too many is found all the same. */
static void too_many_ports_are_refused(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    char *text = malloc(256 * 80);
    size_t n = 0;
    assert_non_null(text);
    for (int i = 0; i < 255; i++)
        n += (size_t)sprintf(text + n, "SW 0 %d 0x5 4x QDR - CA 0 1 0x%x ( 'a' - 'b' )\n", i % 254 + 1, 0x100 + 2 * i);
    hd_ctx_init(&ctx);
    assert_int_equal(read_bytes(&ctx, text, n, &net), HD_INPUT);
    assert_string_equal(ctx.error, "x.net:255: \"S-0000000000000005\" lists more ports: expected at most 254");
    free(text);
}

static void zero_bytes_and_endless_lines_are_refused(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(read_bytes(&ctx, "Switch 1 \"A\"\n\0\n", 15, &net), HD_INPUT);
    assert_string_equal(ctx.error, "x.net:2: zero byte in a text file");
    size_t n = 3 << 20;
    char *line = malloc(n);
    assert_non_null(line);
    memset(line, 'a', n);
    memcpy(line, "#\n", 2);
    assert_int_equal(read_bytes(&ctx, line, n, &net), HD_INPUT);
    assert_non_null(strstr(ctx.error, "x.net:2: line longer than"));
    free(line);
    assert_null(net);
}

/* Cut anywhere between its first cable and the far end of its last, a file must be refused. */
static void truncated_files_are_refused(void **state)
{
    (void)state;
    const char *text = FIRST TWO_SWITCHES HOST;
    size_t from = (size_t)(strstr(text, "[3]") - text) + 1, to = (size_t)(strstr(text, "\"A\"[1][ext") - text) + 3;
    for (size_t cut = from; cut < to; cut++) {
        struct hd_ctx ctx;
        struct hd_net *net = NULL;
        hd_ctx_init(&ctx);
        hd_status s = read_bytes(&ctx, text, cut, &net);
        if (s != HD_INPUT || net) fail_msg("status %d although cut after %zu bytes", s, cut);
    }
    hd_net_free(read_text(text));
}

/* ---- captures ------------------------------------------------------------------------------ */

static void a_line_shows_as_on_a_terminal(void **state)
{
    (void)state;
    static const char *const lines[][2] = {{"--More--\r        \r[1] x", "[1] x"},
                                           {"--More--(7%)\r\033[Kab", "ab"},
                                           {"abc\b\b\bxy", "xyc"},
                                           {"\b\bx", "x"},
                                           {"\033[01;31mred\033[0m \t", "red"},
                                           {"\033]0;title\007x", "x"},
                                           {"\033]0;title\033\\x", "x"},
                                           {"\033(Bx\033", "x"},
                                           {"a\033[1Kb\033[0K", "ab"},
                                           {"abc\r\033[K", ""},
                                           {"\033]never ends", ""},
                                           {"x\033[", "x"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s", lines[i][0]);
        assert_true(hd_capture_dirty(line, strlen(line)));
        assert_int_equal(hd_capture_clean(line, strlen(line)), strlen(lines[i][1]));
        assert_string_equal(line, lines[i][1]);
    }
    assert_false(hd_capture_dirty("[1]\t\"H\"[1]", 10));
}

static void noise_is_no_line_of_a_format(void **state)
{
    (void)state;
    static const char *const noise[] = {"ibwarn: [4711] mad_rpc: x",
                                        "ibpanic: [1] main: x",
                                        "ibnetdiscover: iberror: failed: x",
                                        "-W- x",
                                        "-E- x",
                                        "src/query_smp.c:188; timed out",
                                        "libibumad: x",
                                        "--More--",
                                        ":",
                                        "(END)",
                                        "--More--(12%)",
                                        "-- More --",
                                        "lines 1-23",
                                        "ufm #",
                                        "host> show",
                                        "[root@ufm ~]# ibnetdiscover",
                                        "root@ufm:/tmp$ exit",
                                        "ufm [ mgmt-ha ] (config) # ",
                                        "ufm$",
                                        "  ibwarn: x",
                                        "(base) [me@head ~]$ x",
                                        "sw-1 [standalone: x] > "};
    static const char *const lines[] = {"Swich 41 \"S-1\" # \"x\"",
                                        "[1] \"H\"[1] # \"x\"",
                                        "[x] # y",
                                        "vendid=0x2c9",
                                        "a b # c",
                                        "src/x.c:y; z",
                                        "x.c:1",
                                        "mail@host",
                                        "Ca 1 \"H\" # \"x\"",
                                        "--less--",
                                        "",
                                        "linesman 1"};
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
        if (!hd_capture_noise(noise[i])) fail_msg("not recognised: %s", noise[i]);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (hd_capture_noise(lines[i])) fail_msg("taken for noise: %s", lines[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generated_network_survives),
        cmocka_unit_test(mixed_network_survives),
        cmocka_unit_test(parts_survive),
        cmocka_unit_test(one_switch_survives),
        cmocka_unit_test(odd_names_settle),
        cmocka_unit_test(order_of_records_does_not_matter),
        cmocka_unit_test(made_up_guids_are_those_of_ibsim),
        cmocka_unit_test(settings_of_ibsim_are_read_over),
        cmocka_unit_test(descriptions_may_hold_anything),
        cmocka_unit_test(links_of_two_minds_are_the_slower),
        cmocka_unit_test(unassigned_lids_stay_so),
        cmocka_unit_test(lmc_survives),
        cmocka_unit_test(parts_have_their_own_lids),
        cmocka_unit_test(adapters_without_cable_are_left_out),
        cmocka_unit_test(ports_form_is_read),
        cmocka_unit_test(forms_of_one_fabric_agree),
        cmocka_unit_test(iblinkinfo_is_read),
        cmocka_unit_test(compressed_files_are_read),
        cmocka_unit_test(name_map_renames),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(too_many_ports_are_refused),
        cmocka_unit_test(zero_bytes_and_endless_lines_are_refused),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(a_line_shows_as_on_a_terminal),
        cmocka_unit_test(noise_is_no_line_of_a_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
