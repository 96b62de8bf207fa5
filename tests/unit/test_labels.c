/* SPDX-License-Identifier: BSD-2-Clause */
/* What nodes are called where people read it. */
#include "testing.h"
#include "text_file.h"

#include "net/core/labels.h"

static struct hd_net *with_names(const char *const *name, uint32_t n)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    uint32_t top = hd_builder_switch(b, &(struct hd_switch_in){.name = "top", .nports = 36});
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = hd_builder_switch(b, &(struct hd_switch_in){.name = name[i], .guid = 0x100 + i, .nports = 4});
        hd_builder_cable(b, top, i + 1, s, 1, 0);
    }
    hd_status s = hd_builder_finish(&ctx, b, "names", &net);
    return checked(&ctx, s, net, "names");
}

static void descriptions_are_stripped(void **state)
{
    (void)state;
    static const char *const stripped[][2] = {
        {"MF0;ibsw-leaf08:MSB7700/U1", "ibsw-leaf08"},
        {"MF0;sat11-0101-0903-01ib1-A:MCS8500/L16/U2", "sat11-0101-0903-01ib1-A/L16/U2"},
        {"MF0;core1:MCS8500/S3/U1", "core1/S3/U1"},
        {"MF0;q:MQM9700/U2", "q/U2"},
        {"MF0;skyway1:MGA100/gw1", "skyway1/gw1"},
        {"MF0;plain", "plain"}};
    static const char *const whole[] = {"leaf08", "", "MF0;", "MF0;:M/U1", "MF0;a:b", "x;y", ";a", "gpu07 mlx5_0"};
    char label[HD_LABEL_ROOM], longest[2 * HD_LABEL_ROOM] = "MF0;";
    for (size_t i = 0; i < sizeof stripped / sizeof stripped[0]; i++) {
        assert_true(hd_label_strip(stripped[i][0], label));
        assert_string_equal(label, stripped[i][1]);
    }
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) assert_false(hd_label_strip(whole[i], label));
    memset(longest + 4, 'x', HD_LABEL_ROOM);
    assert_false(hd_label_strip(longest, label));
}

static void names_of_several_get_their_guid(void **state)
{
    (void)state;
    static const char *const name[] = {"Infiniscale-IV Mellanox Technologies",
                                       "Infiniscale-IV Mellanox Technologies",
                                       "MF0;a:MSB7700/U1",
                                       "MF0;a:MSB7700/U1",
                                       "a-name-of-many-more-than-24-letters",
                                       "a-name-of-many-more-than-24-letters",
                                       "MF0;b:MSB7700/U1",
                                       "once"};
    static const char *const label[] = {"top",
                                        "Infiniscale-IV 0x0000000000000100",
                                        "Infiniscale-IV 0x0000000000000101",
                                        "a 0x0000000000000102",
                                        "a 0x0000000000000103",
                                        "a-name-of-many-more-than 0x0000000000000104",
                                        "a-name-of-many-more-than 0x0000000000000105",
                                        "b",
                                        "once"};
    struct hd_net *net = with_names(name, 8);
    for (uint32_t v = 0; v < 9; v++) assert_string_equal(hd_node_label(net, v), label[v]);
    assert_string_equal(hd_node_name(net, 7), "MF0;b:MSB7700/U1");
    hd_net_free(net);
    net = make_net("ft:m=4,n=2");
    assert_null(net->labels);
    assert_ptr_equal(hd_node_label(net, 0), hd_node_name(net, 0));
    hd_net_free(net);
}

static void labels_sort_as_people_do(void **state)
{
    (void)state;
    static const char *const name[] = {"leaf10", "MF0;leaf2:MSB7700/U1", "leaf1", "MF0;zeta:MSB7700/U1"};
    static const uint32_t sorted[] = {3, 2, 1, 0, 4};
    struct hd_ctx ctx;
    uint32_t order[5];
    struct hd_net *net = with_names(name, 4);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_switches_by_label(&ctx, net, order), HD_OK);
    assert_memory_equal(order, sorted, sizeof sorted);
    hd_net_free(net);
}

/* What is shown can be typed. */
static void labels_are_found(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    const char *file = text_file("Switch 4 \"A\" # \"MF0;a:MSB7700/U1\"\n[1] \"B\"[1]\n\n"
                                 "Switch 4 \"B\" # \"MF0;b:MSB7700/U1\"\n[1] \"A\"[1]\n");
    hd_status s = hd_net_open(&ctx, file, &(struct hd_open){.fail = "switch=b"}, &net);
    checked(&ctx, s, net, file);
    assert_int_equal(net->nsw, 1);
    assert_string_equal(hd_node_label(net, 0), "a");
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_are_stripped),
        cmocka_unit_test(names_of_several_get_their_guid),
        cmocka_unit_test(labels_sort_as_people_do),
        cmocka_unit_test(labels_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
