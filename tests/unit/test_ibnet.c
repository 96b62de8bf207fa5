/* SPDX-License-Identifier: BSD-2-Clause */
/* Network files: what is read, and that writing loses nothing. */
#include "read_text.h"

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static void keep_note(void *user, const char *line)
{
    snprintf(user, 256, "%s", line);
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

/* Hosts of a network that was made are what it says, whatever a reader would make of their names. */
static void compute_hosts_with_names_of_others_survive(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.name = "leaf", .guid = 1, .nports = 4});
    const char *const names[] = {"node1", "lustre1", "node2", "node3"};
    for (uint32_t i = 0; i < 4; i++) {
        struct hd_adapter_in in = {.name = names[i], .guid = 0x100 + 0x10 * i, .nports = 1};
        uint32_t e = hd_builder_endpoint(b, hd_builder_adapter(b, &in), 1, 0, 0);
        hd_builder_cable(b, sw, i + 1, e, 1, 0);
    }
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

/* ibsim knows no switch without ports. */
static void a_switch_has_a_port_at_least(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    hd_builder_switch(b, &(struct hd_switch_in){.name = "bare", .guid = 7});
    struct hd_net *net = finish(b);
    struct hd_out *o = write_text(net);
    assert_non_null(strstr(hd_out_text(o, NULL), "\nSwitch\t1 "));
    hd_out_drop(o);
    hd_net_free(net);
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

/* Ports of a switch cabled to each other or to themselves, and an adapter's to its other one. */
static void loops_are_left_out(void **state)
{
    (void)state;
    char note[256] = "";
    struct hd_ctx ctx;
    struct hd_net *n = NULL;
    hd_ctx_init(&ctx);
    ctx.note = keep_note;
    ctx.note_user = note;
    const char *records = "Switch 4 \"A\"\n[1] \"H\"[1]\n[2] \"A\"[3]\n[3] \"A\"[2]\n[4] \"A\"[4]\n\n"
                          "Ca 3 \"H\"\n[1] \"A\"[1]\n[2] \"H\"[3]\n[3] \"H\"[2]\n";
    assert_int_equal(read_bytes(&ctx, records, strlen(records), &n), HD_OK);
    assert_string_equal(note, "x.net:3: port 2 of \"A\" leads back to the same node: left out (5 lines)");
    assert_int_equal(n->nsw, 1);
    assert_int_equal(n->nports[0], 4);
    assert_int_equal(n->nep, 1);
    survives(n);
    const char *ports = "SW 40 2 0x0000000000100007 4x EDR - CA 33 1 0x000000000000007e ( 'leaf' - 'a' )\n"
                        "CA 33 1 0x000000000000007e 4x EDR - SW 40 2 0x0000000000100007 ( 'a' - 'leaf' )\n"
                        "SW 40 5 0x0000000000100007 4x EDR - SW 40 5 0x0000000000100007 ( 'leaf' - 'leaf' )\n";
    assert_int_equal(read_bytes(&ctx, ports, strlen(ports), &n), HD_OK);
    assert_non_null(strstr(note, "x.net:3: port 5 of "));
    assert_non_null(strstr(note, "leads back to the same node: left out (1 line)"));
    assert_int_equal(n->nep, 1);
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

/* Zero bytes that fill up a block may follow gzip data, as gzip itself allows; another part may follow them. */
static void padded_gzip_is_read(void **state)
{
    (void)state;
    static const char part[2][30] = {"Switch 2 \"A\"\n", "\nSwitch 2 \"B\"\n"};
    static unsigned char bytes[1 << 18];
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    uLong used = 0;
    for (int i = 0; i < 2; i++) {
        z_stream z = {.next_in = (unsigned char *)part[i], .avail_in = (uInt)strlen(part[i])};
        z.next_out = bytes + used;
        z.avail_out = 1000;
        assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        used += z.total_out + 100000; /* more than is read at once */
        deflateEnd(&z);
    }
    hd_ctx_init(&ctx);
    assert_int_equal(read_bytes(&ctx, bytes, used, &net), HD_OK);
    assert_int_equal(net->nsw, 2);
    hd_net_free(net);
    bytes[used - 2] = bytes[used - 1] = 'x';
    assert_int_equal(read_bytes(&ctx, bytes, used, &net), HD_INPUT);
    assert_string_equal(ctx.error, "x.net: bad gzip data");
}

static void other_forms_are_named(void **state)
{
    (void)state;
    static const struct {
        const char bytes[16], *error;
    } forms[] = {
        {"\3757zXZ\0\0\4\346", "x.net: compressed with xz: expected text, plain, gzip or zstd (xz -d)"},
        {"BZh91AY&SY", "x.net: compressed with bzip2: expected text, plain, gzip or zstd (bzip2 -d)"},
        {"PK\3\4\24", "x.net: a ZIP archive: expected text, plain, gzip or zstd (unzip)"},
        {"\4\"M\30d@", "x.net: compressed with lz4: expected text, plain, gzip or zstd (lz4 -d)"},
        {"\377\376#\0\n", "x.net: text in UTF-16: expected text, plain, gzip or zstd (iconv -f UTF-16 -t UTF-8)"},
        {"\376\377\0#", "x.net: text in UTF-16: expected text, plain, gzip or zstd (iconv -f UTF-16 -t UTF-8)"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct hd_ctx ctx;
        struct hd_net *net = NULL;
        hd_ctx_init(&ctx);
        assert_int_equal(read_bytes(&ctx, forms[i].bytes, sizeof forms[i].bytes, &net), HD_INPUT);
        assert_string_equal(ctx.error, forms[i].error);
    }
}

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

/* Tables of ibdiagnet: a switch without cables is in no line of LINKS, and is there all the same. */
static void switches_without_cables_are_read(void **state)
{
    static const char text[] = "START_NODES\n"
                               "NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID\n"
                               "\"one\",2,2,0x10,0x10\n"
                               "\"two\",2,2,0x20,0x20\n"
                               "\"alone\",2,2,0x30,0x30\n"
                               "\"h\",1,1,0x41,0x40\n"
                               "END_NODES\n\n"
                               "START_LINKS\n"
                               "NodeGuid1,PortNum1,NodeGuid2,PortNum2\n"
                               "0x10,2,0x20,2\n"
                               "0x40,1,0x10,1\n"
                               "END_LINKS\n";
    struct hd_net *net = read_text(text);
    bool found = false;
    (void)state;
    assert_int_equal(net->nsw, 3);
    assert_int_equal(net->nep, 1);
    for (uint32_t v = 0; v < 3; v++) found |= net->guid[v] == 0x30 && hd_degree(net, v) == 0;
    assert_true(found);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generated_network_survives),
        cmocka_unit_test(mixed_network_survives),
        cmocka_unit_test(compute_hosts_with_names_of_others_survive),
        cmocka_unit_test(parts_survive),
        cmocka_unit_test(one_switch_survives),
        cmocka_unit_test(a_switch_has_a_port_at_least),
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
        cmocka_unit_test(loops_are_left_out),
        cmocka_unit_test(ports_form_is_read),
        cmocka_unit_test(forms_of_one_fabric_agree),
        cmocka_unit_test(iblinkinfo_is_read),
        cmocka_unit_test(compressed_files_are_read),
        cmocka_unit_test(padded_gzip_is_read),
        cmocka_unit_test(other_forms_are_named),
        cmocka_unit_test(switches_without_cables_are_read),
        cmocka_unit_test(name_map_renames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
