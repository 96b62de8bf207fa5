/* SPDX-License-Identifier: BSD-2-Clause */
/* Node descriptions to hosts and rails: the names real fabrics have, every rule, and a brute-force
 * oracle for the grouping. */
#include "testing.h"

#include "base/rng.h"
#include "edited_net.h"
#include "net/core/builder.h"
#include "net/core/node_name.h"
#include "base/context.h"

#include <stdio.h>

/* ---- descriptions -------------------------------------------------------------------------- */

static void assert_split(const char *description, const char *host, const char *device, bool vague)
{
    struct hd_name n = hd_name_split(description);
    if (n.host.n != strlen(host) || memcmp(n.host.at, host, n.host.n) != 0)
        fail_msg("'%s': host '%.*s', expected '%s'", description, (int)n.host.n, n.host.at, host);
    if (n.device.n != strlen(device) || (n.device.n && memcmp(n.device.at, device, n.device.n) != 0))
        fail_msg("'%s': device '%.*s', expected '%s'", description, (int)n.device.n, n.device.at, device);
    if (n.vague != vague) fail_msg("'%s': vague is %d", description, n.vague);
}

static void splits_descriptions(void **state)
{
    (void)state;
    assert_split("node001 HCA-1", "node001", "HCA-1", false);
    assert_split("gpu-07 mlx5_0", "gpu-07", "mlx5_0", false);
    assert_split("gpu-07 mlx5_bond_0", "gpu-07", "mlx5_bond_0", false);
    assert_split("'r1i0n3 hfi1_0'", "r1i0n3", "hfi1_0", false);
    assert_split("\"n1 qib0\"", "n1", "qib0", false);
    assert_split("n1 ibp23s0f1", "n1", "ibp23s0f1", false);
    assert_split("n1 rocep1s0f0", "n1", "rocep1s0f0", false);
    assert_split("n1 bnxt_re0", "n1", "bnxt_re0", false);
    assert_split("n1 bnxt_re_bond0", "n1", "bnxt_re_bond0", false);
    assert_split("n1 ib0", "n1", "ib0", false);
    assert_split("  big  machine\tmlx4_1  ", "big  machine", "mlx4_1", false);
    assert_split("mlx5_2 n7", "n7", "mlx5_2", false);
    assert_split("n7 mlx5_2 spare", "n7", "mlx5_2", false);
    assert_split("n7 mlx5_2 mlx5_3", "n7 mlx5_2", "mlx5_3", false);
    assert_split("node-00000", "node-00000", "", false);
    assert_split("MT4123 ConnectX6 Mellanox Technologies", "MT4123 ConnectX6 Mellanox Technologies", "", false);
    assert_split("storage ibm-2a", "storage ibm-2a", "", false);
    assert_split("n1 mlx5", "n1", "mlx5", false); /* a number after the prefix is all that is asked for */
    assert_split("n1 mlx5_", "n1 mlx5_", "", false);
    assert_split("n1 mlx5_x", "n1 mlx5_x", "", false);
    assert_split("n1 HCA", "n1 HCA", "", false);
    assert_split("localhost HCA-1", "localhost", "HCA-1", true);
    assert_split("localhost.localdomain mlx5_0", "localhost.localdomain", "mlx5_0", true);
    assert_split("localhosting mlx5_0", "localhosting", "mlx5_0", false);
    assert_split("(none) mlx5_0", "(none)", "mlx5_0", true);
    assert_split("mlx5_0", "mlx5_0", "mlx5_0", true);
    assert_split("", "", "", false);
    assert_split("''", "''", "", false);
    assert_split("   ", "   ", "", false);
}

static int order(const char *a, const char *b)
{
    return hd_name_order((struct hd_text){a, strlen(a)}, (struct hd_text){b, strlen(b)});
}

static void orders_naturally(void **state)
{
    (void)state;
    static const char *const sorted[] = {"",       "0",      "7",       "007",         "10",     "HCA-1",
                                         "HCA-2",  "HCA-10", "a",       "a1b2",        "a1b10",  "a01b11",
                                         "mlx4_0", "mlx5_2", "mlx5_10", "mlx5_bond_0", "mlx10_0"};
    size_t n = sizeof sorted / sizeof sorted[0];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int o = order(sorted[i], sorted[j]);
            if ((o > 0) != (i > j) || (o < 0) != (i < j)) fail_msg("'%s' and '%s': %d", sorted[i], sorted[j], o);
        }
}

/* ---- networks of named adapters ------------------------------------------------------------- */

struct card {
    const char *name;
    uint64_t system;   /* 0: its own */
    const char *ports; /* cabled ones, e.g. "12" */
    enum hd_role role;
};

static hd_status build(struct hd_ctx *ctx, const char *rule, const struct card *card, size_t n, struct hd_net **net)
{
    struct hd_builder *b;
    uint32_t used = 0, sw = 0;
    hd_status s = hd_builder_make(ctx, &b);
    if (s != HD_OK) return s;
    if (rule) hd_builder_rails(b, rule);
    for (size_t i = 0; i < n; i++) {
        uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = card[i].name,
                                                                   .guid = 0x1000 + 16 * i,
                                                                   .system = card[i].system,
                                                                   .nports = 2,
                                                                   .role = card[i].role});
        for (const char *p = card[i].ports ? card[i].ports : "1"; *p; p++) {
            if (used % 200 == 0) sw = hd_builder_switch(b, &(struct hd_switch_in){.nports = 200});
            uint32_t port = (uint32_t)(*p - '0'), e = hd_builder_endpoint(b, a, port, 0, 0);
            hd_builder_cable(b, sw, used++ % 200 + 1, e, port, 0);
        }
    }
    if (!used) hd_builder_switch(b, &(struct hd_switch_in){.nports = 1});
    return hd_builder_finish(ctx, b, "cards", net);
}

static struct hd_net *cards(const char *rule, const struct card *card, size_t n)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = build(&ctx, rule, card, n, &net);
    return checked(&ctx, s, net, rule ? rule : "auto");
}

/* expect: "host/rail host/rail ..." by endpoint. */
static void assert_places(const struct hd_net *net, const char *expect)
{
    char got[2048] = "";
    size_t used = 0;
    for (uint32_t e = 0; e < net->nep; e++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%u/%u", e ? " " : "", net->host[e], net->rail[e]);
    assert_string_equal(got, expect);
}

/* "name@system#ports!role" separated by semicolons; all but the name may be left out. */
static struct hd_net *listed(const char *rule, const char *text)
{
    struct card card[16] = {{.name = NULL}};
    char copy[1024];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *save, *word = strtok_r(copy, ";", &save); word; word = strtok_r(NULL, ";", &save), n++) {
        char *system = strchr(word, '@'), *ports = strchr(word, '#'), *role = strchr(word, '!');
        card[n].name = word;
        if (system) card[n].system = (uint64_t)(system[1] - '0');
        if (role) card[n].role = role[1] == 'r' ? HD_ROLE_ROUTER : HD_ROLE_AGGREGATION;
        if (ports) card[n].ports = ports + 1;
        if (system) *system = 0;
        if (ports) *ports = 0;
        if (role) *role = 0;
    }
    return cards(rule, card, n);
}

static void joins_adapters_of_a_host(void **state)
{
    (void)state;
    struct hd_net *net = listed(NULL, "n1 HCA-1;n2 HCA-1;n1 HCA-2;n2 HCA-2");
    assert_places(net, "0/0 1/0 0/1 1/1");
    assert_int_equal(net->nhost, 2);
    assert_int_equal(net->nrail, 2);
    assert_string_equal(hd_host_name(net, 0), "n1");
    assert_string_equal(hd_host_name(net, 1), "n2");
    assert_string_equal(net->rails, "auto");
    hd_net_free(net);
}

static void ports_of_an_adapter_are_one_host(void **state)
{
    (void)state;
    struct hd_net *net = listed(NULL, "n1#21;n2#2;n3#1");
    assert_places(net, "0/1 0/0 1/1 2/0"); /* rails are ports, also where only the second is cabled */
    hd_net_free(net);
}

static void rails_agree_between_hosts(void **state)
{
    (void)state;
    struct hd_net *net = listed(NULL, "a mlx5_10;a mlx5_2;a mlx5_0;a mlx5_1;b mlx5_2;b mlx5_0;c mlx5_10");
    assert_places(net, "0/3 0/2 0/0 0/1 1/2 1/0 2/3");
    assert_int_equal(net->nrail, 4);
    hd_net_free(net);
}

static void unrelated_devices_begin_at_zero(void **state)
{
    (void)state;
    struct hd_net *net = listed(NULL, "old HCA-1;old HCA-2;new mlx5_0;new mlx5_1;plain");
    assert_places(net, "0/0 0/1 1/0 1/1 2/0");
    hd_net_free(net);
    /* seen together on one host they need one numbering, on the others too */
    net = listed(NULL, "a mlx4_0;a mlx5_0;b mlx5_0;c mlx4_0");
    assert_places(net, "0/0 0/1 1/1 2/0");
    hd_net_free(net);
    net = listed(NULL, "a ibp9s0;a ibp23s0;b ibp23s0;a ibp101s0");
    assert_places(net, "0/0 0/1 1/1 0/2");
    hd_net_free(net);
}

static void vague_names_need_the_system(void **state)
{
    (void)state;
    const char *blank = "MT4123 ConnectX6 Mellanox Technologies";
    struct hd_net *net = listed(
        NULL, "MT4123 ConnectX6 Mellanox Technologies@7;MT4123 ConnectX6 Mellanox Technologies@8;MT4123 ConnectX6 "
              "Mellanox Technologies@7;localhost HCA-1@1;localhost HCA-1@2;localhost HCA-2@1;mlx5_0@3;mlx5_0@4");
    assert_places(net, "0/0 1/0 0/1 2/0 3/0 2/1 4/0 5/0");
    assert_string_equal(hd_host_name(net, 0), blank);
    assert_string_equal(hd_host_name(net, 3), "localhost");
    hd_net_free(net);
}

static void a_name_borne_twice_is_two_hosts(void **state)
{
    (void)state;
    struct hd_net *net = listed(NULL, "n1 HCA-1@1;n1 HCA-2@1;n1 HCA-1@2;n2 HCA-1@1");
    assert_places(net, "0/0 0/1 1/0 2/0");
    hd_net_free(net);
    /* one system with the same device twice: still one host, on two rails */
    net = listed(NULL, "n1 HCA-1@1;n1 HCA-1@1");
    assert_places(net, "0/0 0/1");
    hd_net_free(net);
}

static void others_than_hosts_stand_alone(void **state)
{
    (void)state;
    struct hd_net *net = listed(NULL, "n1 mlx5_0;n1 mlx5_1#1!r;Mellanox Technologies Aggregation Node@5#1!a;Mellanox "
                                      "Technologies Aggregation Node@5#12!a;n1 mlx5_2");
    assert_places(net, "0/0 1/0 2/0 3/0 3/1 0/1");
    assert_int_equal(net->nsel, 2);
    hd_net_free(net);
}

static void port_rule(void **state)
{
    (void)state;
    struct hd_net *net = listed("port", "a mlx5_0#12;a mlx5_1#12;b mlx5_1#2;c#1");
    assert_places(net, "0/0 0/1 0/2 0/3 1/1 2/0");
    hd_net_free(net);
}

static void none_rule(void **state)
{
    (void)state;
    struct hd_net *net = listed("none", "a mlx5_0#21;a mlx5_1;a mlx5_1;b#2");
    assert_places(net, "0/1 0/0 1/0 2/0 3/0");
    assert_string_equal(hd_host_name(net, 1), "a mlx5_1");
    hd_net_free(net);
}

static void expression_rule(void **state)
{
    (void)state;
    struct hd_net *net = listed("^(r[0-9]+n[0-9]+)-(left|right)$",
                                "r1n1-right;r1n1-left;r1n2-right;other;other;r1n3-left#21;r1n3-x#1!r");
    assert_places(net, "0/2 0/0 1/2 2/0 3/0 4/1 4/0 5/0"); /* left 1, left 2, right 1 */
    assert_string_equal(hd_host_name(net, 1), "r1n2");
    assert_string_equal(hd_host_name(net, 2), "other");
    hd_net_free(net);
    net = listed("^([^.]*)[.]", "n1.x;n2.x;n1.y;.z"); /* an empty host does not match */
    assert_places(net, "0/0 1/0 0/1 2/0");
    hd_net_free(net);
    net = listed("^(n[0-9]+)(-[ab])?", "n1;n1-b;n1-a"); /* a rail group that took no part is empty */
    assert_places(net, "0/0 0/2 0/1");
    hd_net_free(net);
}

static void refuse_rule(const char *rule, const struct card *card, size_t n, const char *words)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = build(&ctx, rule, card, n, &net);
    if (s != HD_INPUT) fail_msg("%s: status %d, expected HD_INPUT", rule, s);
    if (!strstr(ctx.error, words)) fail_msg("%s: expected '%s' in: %s", rule, words, ctx.error);
    assert_null(net);
}

static void bad_rules_are_refused(void **state)
{
    (void)state;
    const struct card one[] = {{"n1", 0, "1", 0}};
    refuse_rule("(", one, 1, "rails: '(': expected auto, port, none or a regular expression");
    refuse_rule("nodes", one, 1, "has 0 groups");
    refuse_rule("(a)(b)(c)", one, 1, "has 3 groups");
    refuse_rule("", one, 1, "has 0 groups");
    struct card many[300];
    char name[300][16];
    for (int i = 0; i < 300; i++) {
        snprintf(name[i], sizeof name[i], "n-%d", i);
        many[i] = (struct card){.name = name[i]};
    }
    refuse_rule("^(n)-", many, 300, "puts 300 endpoints on host 'n': expected at most 255");
    refuse_rule("^(n-([0-9]+))$", many, 300, "finds 300 rails: expected at most 255");
}

static void a_port_is_one_endpoint(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.nports = 2});
    uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = "n1 mlx5_0"});
    for (uint32_t i = 1; i <= 2; i++) hd_builder_cable(b, sw, i, hd_builder_endpoint(b, a, 1, 100 + i, 0), 1, 0);
    assert_int_equal(hd_builder_finish(&ctx, b, "twice", &net), HD_INPUT);
    assert_string_equal(ctx.error, "'n1 mlx5_0': port 1 is two endpoints");
}

static int notes;
static void count_note(void *user, const char *line)
{
    (void)user;
    (void)line;
    notes++;
}

/* 600 adapters of one name and device, and 300 different devices: numbering still succeeds. */
static void overflow_degrades(void **state)
{
    (void)state;
    static struct card card[600];
    static char name[600][24];
    for (int i = 0; i < 600; i++) card[i] = (struct card){.name = "n HCA-1", .system = i < 300 ? 5 : 6 + (uint64_t)i};
    struct hd_net *net = cards(NULL, card, 600);
    assert_int_equal(net->nhost, 600); /* 300 of one system: too many for one host */
    assert_int_equal(net->nrail, 1);
    hd_net_free(net);
    for (int i = 0; i < 600; i++) {
        snprintf(name[i], sizeof name[i], "n%d mlx5_%d", i / 2, i);
        card[i] = (struct card){.name = name[i]};
    }
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    ctx.note = count_note;
    notes = 0;
    hd_status s = build(&ctx, NULL, card, 600, &net);
    checked(&ctx, s, net, "600 devices");
    assert_int_equal(notes, 1);
    assert_int_equal(net->nhost, 300);
    assert_int_equal(net->nrail, 2);
    for (uint32_t e = 0; e < net->nep; e++) assert_int_equal(net->rail[e], e % 2);
    hd_net_free(net);
}

static void no_adapters(void **state)
{
    (void)state;
    static const char *const rules[] = {"auto", "port", "none", "(x)"};
    for (size_t i = 0; i < 4; i++) {
        struct hd_net *net = cards(rules[i], NULL, 0);
        assert_int_equal(net->nhost, 0);
        assert_int_equal(net->nrail, 0);
        hd_net_free(net);
    }
}

/* Oracle: the rule said of each pair of adapters. */
static void random_names_against_pairs(void **state)
{
    (void)state;
    static const char *const host[] = {"n1", "n2", "n10", "localhost", "MT4123 Mellanox"};
    static const char *const device[] = {"mlx5_0", "mlx5_1", "mlx5_2", "HCA-1", ""};
    for (uint32_t round = 0; round < 200; round++) {
        struct hd_rng rng;
        hd_rng_init(&rng, 1, HD_RNG_TEST, round);
        char name[40][48];
        struct card card[40];
        uint32_t n = 0, h[40], d[40];
        bool used[5][5] = {{false}};
        for (uint32_t i = 0; i < 30; i++) {
            h[n] = hd_rng_below(&rng, 5);
            d[n] = hd_rng_below(&rng, 5);
            if (h[n] != 3 && d[n] != 4 && used[h[n]][d[n]]) continue; /* names that are trusted stay unique */
            used[h[n]][d[n]] = true;
            snprintf(name[n], sizeof name[n], "%s %s", host[h[n]], device[d[n]]);
            card[n] =
                (struct card){.name = name[n], .system = 1 + hd_rng_below(&rng, 3), .ports = round % 2 ? "1" : "12"};
            n++;
        }
        struct hd_net *net = cards(NULL, card, n);
        for (uint32_t e = 0; e < net->nep; e++)
            for (uint32_t f = 0; f < net->nep; f++) {
                uint32_t a = net->ca[e], b = net->ca[f];
                bool trust_a = h[a] != 3 && d[a] != 4, trust_b = h[b] != 3 && d[b] != 4;
                bool joined =
                    a == b || (h[a] == h[b] && trust_a == trust_b && (trust_a || card[a].system == card[b].system));
                if ((net->host[e] == net->host[f]) != joined)
                    fail_msg("round %u: '%s' (%llu) and '%s' (%llu) are of hosts %u and %u", round, name[a],
                             (unsigned long long)card[a].system, name[b], (unsigned long long)card[b].system,
                             net->host[e], net->host[f]);
            }
        hd_net_free(net);
    }
}

/* Host and rail numbers survive a copy; a rule given to the copy finds them again. */
static void copies_carry_rails(void **state)
{
    (void)state;
    struct hd_net *copy, *net = listed(NULL, "a mlx5_0;a mlx5_1;b mlx5_0;b mlx5_1;c mlx5_0");
    bool keep[] = {false, true, false, true, false};
    copy = net_keeping(net, (struct keep){.ep = keep}, "copy");
    assert_places(copy, "0/1 1/1");
    assert_int_equal(copy->nrail, 2);
    assert_string_equal(hd_host_name(copy, 1), "b");
    hd_net_free(copy);
    copy = net_keeping(net, (struct keep){.ep = keep, .rails = "none"}, "copy");
    assert_places(copy, "0/0 1/0");
    assert_string_equal(copy->rails, "none");
    hd_net_free(copy);
    hd_net_free(net);
}

static void generated_networks_have_one_rail(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=8,n=3");
    assert_int_equal(net->nhost, net->nep);
    assert_int_equal(net->nrail, 1);
    for (uint32_t e = 0; e < net->nep; e++) {
        assert_int_equal(net->host[e], e);
        assert_string_equal(hd_host_name(net, e), hd_node_name(net, net->nsw + e));
    }
    hd_net_free(net);
}

/* Twenty-two hosts have ibp1, ibp5 and ibp9; one has ibp3 for ibp5, another only ibp5 and ibp9, a third only ibp3. */
static void few_odd_devices_make_no_rails(void **state)
{
    static const char *const usual[] = {"ibp1s0", "ibp5s0", "ibp9s0"};
    struct card card[75] = {{0}};
    char name[75][24];
    uint32_t n = 0;
    (void)state;
    for (uint32_t h = 0; h < 22; h++)
        for (uint32_t i = 0; i < 3; i++) snprintf(name[n++], sizeof name[0], "n%u %s", h, usual[i]);
    const char *const odd[] = {"x ibp1s0", "x ibp3s0", "x ibp9s0", "y ibp5s0", "y ibp9s0", "z ibp3s0"};
    for (uint32_t i = 0; i < sizeof odd / sizeof odd[0]; i++) snprintf(name[n++], sizeof name[0], "%s", odd[i]);
    for (uint32_t i = 0; i < n; i++) card[i].name = name[i];
    struct hd_net *net = cards(NULL, card, n);
    static const uint8_t rails[] = {0, 1, 2, 1, 2, 0};
    assert_int_equal(net->nrail, 3);
    for (uint32_t e = 0; e < n; e++) assert_int_equal(net->rail[e], e < 66 ? e % 3 : rails[e - 66]);
    hd_net_free(net);
}

/* Hosts "name*devices ..." on one switch; a letter each for what they are found to be, and selection follows. */
static void assert_kinds(const char *hosts, const char *expect)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    char copy[512], name[80], got[64] = "";
    uint32_t port = 0;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_found(b, true);
    uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.nports = 200});
    snprintf(copy, sizeof copy, "%s", hosts);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *times = strchr(word, '*');
        if (times) *times++ = 0;
        for (int i = 0; i < (times ? atoi(times) : 1); i++) {
            snprintf(name, sizeof name, "%s mlx5_%d", word, i);
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name});
            hd_builder_cable(b, sw, ++port, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
        }
    }
    hd_status s = hd_builder_finish(&ctx, b, "kinds", &net);
    net = checked(&ctx, s, net, hosts);
    for (uint32_t e = 0, sel = 0; e < net->nep; e++) {
        bool selected = sel < net->nsel && net->sel[sel] == e;
        sel += selected;
        got[net->host[e]] = "crasmg"[net->ca_role[net->ca[e]]];
        assert_int_equal(selected, net->ca_role[net->ca[e]] == HD_ROLE_HOST);
    }
    if (strcmp(got, expect) != 0) fail_msg("%s: %s, expected %s", hosts, got, expect);
    hd_net_free(net);
}

static void kinds_of_hosts(void **state)
{
    (void)state;
    assert_kinds("n1 n2 n3 n4 n5 n6 n7 login1 oss-02 B11-P1-CUFM-02 gw3 Lustre7 h.admin.org", "cccccccmsmgsc");
    assert_kinds("n1 n2 n3 n4 n5 n6 n7 n8 rzgpfs1 mybeegfs-2 newceph3 theweka4 cluster-opensm ibgateway1",
                 "ccccccccssssmg");
    assert_kinds("MF0;skyway1:MGA100/gw1 n1 n2", "gcc");
    assert_kinds("oss1 oss2 oss3 login1", "cccm");                       /* all there is to measure */
    assert_kinds("oss1 oss2 n1 n2", "cccc");                             /* no majority */
    assert_kinds("head-1 head-2 head-3 head-4 login", "ccccm");          /* the name of the cluster */
    assert_kinds("dgx-storage-1 dgx-storage-2 dgx3 dgx4 dgx5", "ccccc"); /* a word of compute hosts */
    assert_kinds("a*4 b*4 nas*4 nfs*2", "cccs");                         /* as many ports as the others */
    assert_kinds("a1*4 a2*4 ubuntu*2 a3*2 x*3 localhost*1", "ccmccc");   /* few ports, elsewhere, another name */
    assert_kinds("a1*2 a2*2 c3", "ccm");
    assert_kinds("a1*2 b2*2 c3", "ccc"); /* no two hosts have names that are alike */
    assert_kinds("a1 b2 c3", "ccc");
    assert_kinds("stormy ostrich mdsrv1 master-of-none n1 n2 n3", "cccmccc"); /* short words count as a whole */
}

/* ---- hosts by cabling --------------------------------------------------------------------------- */

enum { SITE_LEAVES = 8, SITE_HOSTS = 6 };

/* A site of adapters at switch ports: rails hosts cabled to the same port of `rails` leaf switches of their unit, or
 * rails adjacent ports of one. name[leaf][port - 1] is empty where no cable is. */
struct site {
    char name[SITE_LEAVES][12][48];
};

static void site_name(struct site *t, uint32_t leaf, uint32_t port, const char *name)
{
    snprintf(t->name[leaf][port - 1], sizeof t->name[0][0], "%s", name);
}

/* Two units of four leaf switches with six hosts each, one adapter per leaf switch. */
static struct site rail_site(void)
{
    struct site t = {0};
    char name[48];
    for (uint32_t leaf = 0; leaf < SITE_LEAVES; leaf++)
        for (uint32_t h = 0; h < SITE_HOSTS; h++) {
            snprintf(name, sizeof name, "u%un%u mlx5_%u", leaf / 4, h, leaf % 4);
            site_name(&t, leaf, h + 1, name);
        }
    return t;
}

static struct hd_net *site_net(const struct site *t)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_found(b, true);
    for (uint32_t leaf = 0; leaf < SITE_LEAVES; leaf++) hd_builder_switch(b, &(struct hd_switch_in){.nports = 12});
    for (uint32_t leaf = 0; leaf < SITE_LEAVES; leaf++)
        for (uint32_t port = 1; port <= 12; port++) {
            if (!*t->name[leaf][port - 1]) continue;
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = t->name[leaf][port - 1],
                                                                       .guid = 0x10000 + 0x1000 * leaf + 0x40 * port});
            hd_builder_cable(b, leaf, port, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
        }
    hd_status s = hd_builder_finish(&ctx, b, "site", &net);
    return checked(&ctx, s, net, "site");
}

static uint32_t endpoint_at(const struct hd_net *net, uint32_t leaf, uint32_t port)
{
    for (uint32_t c = net->off[leaf]; c < net->off[leaf + 1]; c++)
        if (net->port[c] == port) return net->head[c] - net->nsw;
    fail_msg("leaf %u port %u has no cable", leaf, port);
    return 0;
}

static void assert_at(const struct hd_net *net, uint32_t leaf, uint32_t port, const char *host, uint32_t rail)
{
    uint32_t e = endpoint_at(net, leaf, port);
    assert_string_equal(hd_host_name(net, net->host[e]), host);
    assert_int_equal(net->rail[e], rail);
}

#define FACTORY "MT4129 ConnectX7   Mellanox Technologies"

static void nameless_adapters_are_placed_by_rails(void **state)
{
    (void)state;
    struct site t = rail_site();
    site_name(&t, 2, 1, FACTORY);                                              /* one adapter of u0n0 */
    for (uint32_t leaf = 4; leaf < 8; leaf++) site_name(&t, leaf, 6, FACTORY); /* all of u1n5 */
    site_name(&t, 1, 5, "localhost mlx5_1");
    struct hd_net *net = site_net(&t);
    assert_int_equal(net->nhost, 2 * SITE_HOSTS);
    assert_int_equal(net->nrail, 4);
    assert_at(net, 2, 1, "u0n0", 2);
    assert_at(net, 1, 5, "u0n4", 1);
    for (uint32_t leaf = 4; leaf < 8; leaf++) {
        assert_at(net, leaf, 6, FACTORY, leaf - 4);
        assert_int_equal(net->host[endpoint_at(net, leaf, 6)], net->host[endpoint_at(net, 4, 6)]);
    }
    assert_int_equal(net->nsel, net->nep);
    hd_net_free(net);

    /* Swapped cables: the nameless adapter is not given to a host that has all its ports. */
    t = rail_site();
    site_name(&t, 0, 1, "u0n1 mlx5_0");
    site_name(&t, 0, 2, FACTORY);
    for (uint32_t leaf = 1; leaf < 4; leaf++) site_name(&t, leaf, 1, FACTORY);
    net = site_net(&t);
    assert_at(net, 0, 1, "u0n1", 0);
    assert_true(net->host[endpoint_at(net, 0, 2)] != net->host[endpoint_at(net, 0, 1)]);
    assert_int_equal(net->host[endpoint_at(net, 1, 1)], net->host[endpoint_at(net, 3, 1)]);
    hd_net_free(net);
}

static void nameless_adapters_are_placed_by_blocks(void **state)
{
    struct site t = {0};
    char name[48];
    (void)state;
    for (uint32_t leaf = 0; leaf < SITE_LEAVES; leaf++) /* ports 2..5 and 6..9 */
        for (uint32_t i = 0; i < 8; i++) {
            snprintf(name, sizeof name, "n%u ibp%us0", 2 * leaf + i / 4, i % 4 * 7);
            site_name(&t, leaf, i + 2, name);
        }
    for (uint32_t i = 0; i < 8; i++) site_name(&t, 3, i + 2, FACTORY);
    site_name(&t, 5, 7, FACTORY);
    struct hd_net *net = site_net(&t);
    assert_int_equal(net->nhost, 16);
    assert_int_equal(net->nrail, 4);
    assert_at(net, 5, 7, "n11", 1);
    for (uint32_t i = 0; i < 8; i++) {
        assert_at(net, 3, i + 2, FACTORY, i % 4);
        assert_int_equal(net->host[endpoint_at(net, 3, i + 2)], net->host[endpoint_at(net, 3, i / 4 * 4 + 2)]);
    }
    assert_true(net->host[endpoint_at(net, 3, 2)] != net->host[endpoint_at(net, 3, 6)]);
    hd_net_free(net);
}

/* A leaf switch whose cables are the other way round says so by the names at it, whichever leaf switch it is. */
static void nameless_adapters_have_the_rails_of_their_leaf_switch(void **state)
{
    char name[48];
    (void)state;
    for (uint32_t turned = 0; turned < SITE_LEAVES; turned++) {
        struct site t = {0};
        for (uint32_t leaf = 0; leaf < SITE_LEAVES; leaf++)
            for (uint32_t i = 0; i < 8; i++) {
                snprintf(name, sizeof name, "n%u ibp%us0", 2 * leaf + i / 4, (leaf == turned ? 3 - i % 4 : i % 4) * 7);
                site_name(&t, leaf, i + 2, name);
            }
        for (uint32_t i = 4; i < 8; i++) site_name(&t, turned, i + 2, FACTORY);
        struct hd_net *net = site_net(&t);
        for (uint32_t i = 4; i < 8; i++) assert_at(net, turned, i + 2, FACTORY, 3 - i % 4);
        hd_net_free(net);
    }
}

static void cabling_without_a_rule_joins_nothing(void **state)
{
    (void)state;
    struct site t = rail_site();
    for (uint32_t leaf = 0; leaf < SITE_LEAVES; leaf++) /* each leaf switch in another order */
        for (uint32_t h = 0; h < SITE_HOSTS; h++) {
            char name[48];
            snprintf(name, sizeof name, "u%un%u mlx5_%u", leaf / 4, (h * (leaf % 2 ? 5 : 1) + leaf) % SITE_HOSTS,
                     leaf % 4);
            site_name(&t, leaf, h + 1, name);
        }
    for (uint32_t leaf = 0; leaf < 4; leaf++) site_name(&t, leaf, 2, FACTORY);
    struct hd_net *net = site_net(&t);
    for (uint32_t leaf = 1; leaf < 4; leaf++)
        assert_true(net->host[endpoint_at(net, leaf, 2)] != net->host[endpoint_at(net, 0, 2)]);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_descriptions),
        cmocka_unit_test(orders_naturally),
        cmocka_unit_test(joins_adapters_of_a_host),
        cmocka_unit_test(ports_of_an_adapter_are_one_host),
        cmocka_unit_test(rails_agree_between_hosts),
        cmocka_unit_test(unrelated_devices_begin_at_zero),
        cmocka_unit_test(vague_names_need_the_system),
        cmocka_unit_test(a_name_borne_twice_is_two_hosts),
        cmocka_unit_test(others_than_hosts_stand_alone),
        cmocka_unit_test(port_rule),
        cmocka_unit_test(none_rule),
        cmocka_unit_test(expression_rule),
        cmocka_unit_test(bad_rules_are_refused),
        cmocka_unit_test(a_port_is_one_endpoint),
        cmocka_unit_test(overflow_degrades),
        cmocka_unit_test(no_adapters),
        cmocka_unit_test(random_names_against_pairs),
        cmocka_unit_test(copies_carry_rails),
        cmocka_unit_test(generated_networks_have_one_rail),
        cmocka_unit_test(few_odd_devices_make_no_rails),
        cmocka_unit_test(kinds_of_hosts),
        cmocka_unit_test(nameless_adapters_are_placed_by_rails),
        cmocka_unit_test(nameless_adapters_are_placed_by_blocks),
        cmocka_unit_test(nameless_adapters_have_the_rails_of_their_leaf_switch),
        cmocka_unit_test(cabling_without_a_rule_joins_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
