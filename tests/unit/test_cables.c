/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends of cables as plans, descriptions and people write them: what names the same port has the same key, whatever else
 * does not, and the number of the port and the text that is shown. */
#include "testing.h"

#include "base/context.h"
#include "cables/cable_list.h"

struct written {
    const char *device, *port;
};

static struct hd_cables_end end_of(struct hd_cable_list *list, struct written w)
{
    struct hd_cables_end end;
    if (hd_cables_end_make(list, w.device, w.port, &end) != HD_OK)
        fail_msg("%s %s: %s", w.device, w.port, list->ctx->error);
    return end;
}

static void begin(struct hd_cable_list *list, struct hd_ctx *ctx, struct hd_arena *arena)
{
    hd_ctx_init(ctx);
    *arena = (struct hd_arena){0};
    *list = (struct hd_cable_list){.ctx = ctx, .arena = arena};
}

static void the_same_port_has_one_key(void **state)
{
    static const struct {
        const char *key;
        uint32_t port;
        struct written as[8];
    } rows[] = {
        {"leaf-01\x1f"
         "7",
         7,
         {{"leaf-01", "7"},
          {"LEAF-01", "007"},
          {"leaf-01", "Port 7"},
          {"leaf-01", "p7"},
          {"leaf-01", "port_7"},
          {"MF0;leaf-01:MQM8700/U1", "7"},
          {"leaf-01", "u1/P7"},
          {"leaf-01", "leaf-01 7"}}},
        {"leaf-01\x1f"
         "23",
         23,
         {{"leaf-01", "23"}, {"leaf-01", "12/1"}, {"leaf-01", "Sw12p1"}, {"leaf-01", "1/12/1"}}},
        {"leaf-01\x1f"
         "24",
         24,
         {{"leaf-01", "12/2"}, {"leaf-01", "sw12p2"}, {"leaf-01", "1/12/2"}}},
        {"leaf-01\x1fu2/7", 7, {{"mf0;leaf-01:mqm9700/u2", "7"}}},
        {"big-a\x1fl16/u2/20",
         20,
         {{"MF0;big-A:MCS8500/L16/U2", "20"},
          {"big-a", "Blade 16_Port 2/20"},
          {"big-a", "L16/U2/P20"},
          {"big-a/L16/U2", "20"}}},
        {"host\x1fmlx5_0", 0, {{"host", "mlx5_0"}, {"host", "mlx5_0/1"}, {"host", "MLX5_0/P1"}}},
        {"host\x1fmlx5_0/2", 2, {{"host", "mlx5_0/2"}}},
        {"host\x1fhca-2/p3", 0, {{"host", "HCA-2/p3"}}},
        {"big-a\x1fl1/u1/1", 1, {{"big-a", "l1/u1/p1"}}}, /* no adapter: the number stays */
    };
    struct hd_ctx ctx;
    struct hd_arena arena;
    struct hd_cable_list list;
    (void)state;
    begin(&list, &ctx, &arena);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t j = 0; j < 8 && rows[i].as[j].device; j++) {
            struct hd_cables_end end = end_of(&list, rows[i].as[j]);
            if (strcmp(end.key, rows[i].key) != 0 || end.port != rows[i].port)
                fail_msg("%s %s: key %s and port %u, expected %s and %u", rows[i].as[j].device, rows[i].as[j].port,
                         end.key, end.port, rows[i].key, rows[i].port);
            assert_string_equal(end.node, rows[i].as[j].device);
        }
    hd_arena_release(&arena);
}

/* Numbers get the word, names are as they are written. */
static void labels_are_as_written(void **state)
{
    struct hd_ctx ctx;
    struct hd_arena arena;
    struct hd_cable_list list;
    (void)state;
    begin(&list, &ctx, &arena);
    assert_string_equal(end_of(&list, (struct written){"Leaf-01", "7"}).label, "Leaf-01 port 7");
    assert_string_equal(end_of(&list, (struct written){"Leaf-01", "12/1"}).label, "Leaf-01 port 12/1");
    assert_string_equal(end_of(&list, (struct written){"host", "mlx5_0/1"}).label, "host mlx5_0/1");
    assert_string_equal(end_of(&list, (struct written){"host", "host ibp11s0f0"}).label, "host ibp11s0f0");
    hd_arena_release(&arena);
}

/* What is empty or does not fit is refused; the last that fits is not. */
static void lengths_are_checked(void **state)
{
    char name[HD_CABLES_TEXT + 1];
    struct hd_ctx ctx;
    struct hd_arena arena;
    struct hd_cable_list list;
    struct hd_cables_end end;
    (void)state;
    begin(&list, &ctx, &arena);
    memset(name, 'x', HD_CABLES_TEXT);
    name[HD_CABLES_TEXT] = 0;
    assert_int_equal(hd_cables_end_make(&list, "", "1", &end), HD_INPUT);
    assert_int_equal(hd_cables_end_make(&list, "leaf", "", &end), HD_INPUT);
    assert_int_equal(hd_cables_end_make(&list, name, "1", &end), HD_INPUT);
    assert_int_equal(hd_cables_end_make(&list, "leaf", name, &end), HD_INPUT);
    assert_non_null(strstr(ctx.error, "1 to 199 bytes"));
    name[HD_CABLES_TEXT - 1] = 0;
    assert_int_equal(hd_cables_end_make(&list, name, name, &end), HD_OK);
    hd_arena_release(&arena);
}

/* The switch of a key: the device, with the ASIC of a director. */
static void keys_name_their_switch(void **state)
{
    (void)state;
    assert_int_equal(hd_cables_switch_key("leaf-01\x1f"
                                          "23"),
                     7);
    assert_int_equal(hd_cables_switch_key("big-a\x1fl16/u2/20"), 12);
    assert_int_equal(hd_cables_switch_key("a/b\x1f"
                                          "7"),
                     3);
    assert_int_equal(hd_cables_switch_key("leaf"), 4);
}

/* Rates as people write them, and what is none. */
static void rates_have_many_names(void **state)
{
    static const struct {
        const char *link, *text[12]; /* "": the text says that there is none; NULL: it is not known */
    } rows[] = {
        {"4xHDR", {"HDR", "hdr", "4xHDR", "4XHDR", "4x HDR", "HDR200", "HDR-200", "HDR (200Gb/s)", "200", "200Gb/s"}},
        {"4xHDR",
         {"200 Gbps", "200GbE", "200GBASE-CR4", "200000 Mb/s", "IB HDR", "InfiniBand HDR", "HDRx4", "HDR 4x",
          "4x 53.125 Gbps", "4x-50G", "0.2T"}},
        {"2xHDR", {"HDR100", "hdr100", "2xHDR", "HDR 100G", "HDRx2", "2x HDR100", "2x50G"}},
        {"2xNDR", {"NDR200", "2xNDR"}},
        {"1xNDR", {"NDR100"}},
        {"4xNDR", {"NDR", "NDR400", "400", "400G", "4x100G"}},
        {"2xXDR", {"XDR400"}},
        {"4xXDR", {"XDR", "XDR800", "800 Gb/s"}},
        {"4xEDR", {"EDR", "EDR100", "100", "100Gb/s", "4x25.78125"}},
        {"2xEDR", {"EDR50", "50G"}},
        {"1xEDR", {"25G"}},
        {"4xFDR", {"FDR", "FDR56", "56", "4x14.0625"}},
        {"4xFDR10", {"FDR10", "4xFDR10"}},
        {"4xQDR", {"QDR", "40", "QDR40", "32"}},
        {"12xQDR", {"12xQDR", "120"}},
        {"4xSDR", {"10G", "SDR", "4x2.5"}},
        {"", {"", "-", "N/A", "unknown", "auto"}},
        {NULL, {"bananas", "HDR300", "EDR130", "HDRs", "200 bananas", "1G", "4x", "3xHDR", "4x HDR100", "x", "0", "."}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t j = 0; j < 12 && rows[i].text[j]; j++) {
            uint8_t link;
            const bool known = hd_plan_rate(rows[i].text[j], &link);
            if (known != (rows[i].link != NULL) || strcmp(hd_link_name(link), known ? rows[i].link : "") != 0)
                fail_msg("'%s': %s, expected %s", rows[i].text[j], hd_link_name(link), rows[i].link);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_port_has_one_key), cmocka_unit_test(labels_are_as_written),
        cmocka_unit_test(lengths_are_checked),       cmocka_unit_test(keys_name_their_switch),
        cmocka_unit_test(rates_have_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
