/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a terminal's capture: what they show, and which of them are no line of a network file. */
#include "testing.h"

#include "net/io/capture_line.h"

#include <stdio.h>

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
        cmocka_unit_test(a_line_shows_as_on_a_terminal),
        cmocka_unit_test(noise_is_no_line_of_a_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
