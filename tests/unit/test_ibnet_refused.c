/* SPDX-License-Identifier: BSD-2-Clause */
/* Network files that are refused: with the line that is wrong, and how it is said. */
#include "read_text.h"

#include <stdio.h>

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
    {"Switch 4 \"A\"\nvendid=0x2c9\n\n[1] \"H\"[1]\n", "4: a port outside a record"},
    {"Switch 4 \"A\"\n\n[1] \"H\"[1]\n\n[1] \"H\"[2]\n", "5: port 1 of \"A\" is at line 3 already"},
    {"Switch 4 \"A\"\n[1] \"B\"[1]\n\nSwitch 4 \"B\"\n[1] \"A\"[1]\n\n[2] \"A\"[2]\n",
     "7: port 2 of \"B\" leads to port 2 of \"A\""},
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
    assert_string_equal(ctx.error, "x.net:2: zero byte in a text file: expected text, plain, gzip or zstd");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(too_many_ports_are_refused),
        cmocka_unit_test(zero_bytes_and_endless_lines_are_refused),
        cmocka_unit_test(truncated_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
