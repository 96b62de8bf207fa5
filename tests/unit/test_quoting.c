/* SPDX-License-Identifier: BSD-2-Clause */
/* Hostile words in quotes, judged by those who read them: a POSIX shell gives back every word as it was, and a reader
 * of CSV written from RFC 4180 every field. Kinds of files by their first lines. */
#include "testing.h"

#include "base/context.h"
#include "base/escape.h"
#include "base/rng.h"
#include "net/io/file_kind.h"
#include "text_file.h"
#include "tool/words.h"

#include <stdio.h>

enum { WORDS = 60, LONGEST = 24 };

/* Word number i: fixed ones, then random ones of characters that shells and tables care about. */
static void hostile_word(uint32_t i, char word[LONGEST + 1])
{
    static const char *const known[] = {"",   "plain-1.2", "a b", "'",     "''",      "$(id)", "`id`", "a'b\"c",
                                        "-n", "\\",        "\n",  "~",     "*",       "a,b",   "\"",   "\r",
                                        "#a", "=1+1",      "@a",  "+1-1",  "'=1+1",   "-a",    "\t=1", "-1.5e3",
                                        "+7", "-",         "-.",  "-0x1f", "-inf(2)", "1=1"};
    static const char odd[] = "ab'\"\\ $`;&|<>(){}[]*?!#~,=%\n\r\t-";
    struct hd_rng rng;
    if (i < sizeof known / sizeof *known) {
        strcpy(word, known[i]);
        return;
    }
    hd_rng_init(&rng, 1, HD_RNG_TEST, i);
    uint32_t n = 1 + hd_rng_below(&rng, LONGEST);
    for (uint32_t k = 0; k < n; k++) word[k] = odd[hd_rng_below(&rng, sizeof odd - 1)];
    word[n] = 0;
}

/* All words as arguments of one command; the shell prints each between two bytes that none of them has. */
static void shells_give_words_back(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    char word[LONGEST + 1], again[4 * LONGEST + 3], command[128];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    hd_puts(o, "printf '\\001%s\\002' ");
    for (uint32_t i = 0; i < WORDS; i++) {
        hostile_word(i, word);
        size_t before, after;
        hd_out_text(o, &before);
        hd_put_shell_word(o, word);
        const char *text = hd_out_text(o, &after);
        *hd_shell_word(again, word) = 0;
        assert_int_equal(after - before, strlen(again)); /* both writers agree */
        assert_memory_equal(text + before, again, after - before);
        hd_puts(o, " ");
    }
    snprintf(command, sizeof command, "sh %s", text_file(hd_out_text(o, NULL)));
    FILE *shell = popen(command, "r");
    assert_non_null(shell);
    for (uint32_t i = 0; i < WORDS; i++) {
        hostile_word(i, word);
        assert_int_equal(getc(shell), 1);
        for (const char *p = word; *p; p++) assert_int_equal(getc(shell), (unsigned char)*p);
        assert_int_equal(getc(shell), 2);
    }
    assert_int_equal(getc(shell), EOF);
    assert_int_equal(pclose(shell), 0);
    hd_out_drop(o);
}

/* One field of RFC 4180; returns what follows it. */
static const char *read_field(const char *at, char *field)
{
    if (*at != '"') {
        while (*at && *at != ',' && *at != '\n') *field++ = *at++;
        *field = 0;
        return at;
    }
    for (at++; *at && !(*at == '"' && at[1] != '"'); at++) {
        at += *at == '"';
        *field++ = *at;
    }
    assert_int_equal(*at, '"');
    *field = 0;
    return at + 1;
}

static bool is_number(const char *word)
{
    static const char *const numbers[] = {"-1.5e3", "+7", "-"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(word, numbers[i]) == 0) return true;
    return false;
}

/* What a spreadsheet computes: it begins with one of these and is no number. */
static bool is_formula(const char *word)
{
    return *word && strchr("=+-@\t\r", *word) && !is_number(word);
}

static void tables_give_fields_back(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    char word[LONGEST + 1], field[2 * LONGEST];
    hd_ctx_init(&ctx);
    for (int always = 0; always < 2; always++) {
        struct hd_out *o;
        assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
        for (uint32_t i = 0; i < WORDS; i++) {
            hostile_word(i, word);
            hd_put_csv(o, word, always);
            hd_puts(o, ",");
        }
        const char *at = hd_out_text(o, NULL);
        for (uint32_t i = 0; i < WORDS; i++) {
            hostile_word(i, word);
            assert_true(!always || *at == '"');
            if (!always && i == 1) assert_true(*at == 'p'); /* quotes only where they are needed */
            at = read_field(at, field);
            assert_false(is_formula(field));
            if (is_formula(word)) assert_string_equal(field + 1, word);
            if (is_number(word)) assert_string_equal(field, word);
            assert_string_equal(hd_csv_value(field), word);
            assert_int_equal(*at++, ',');
        }
        assert_int_equal(*at, 0);
        hd_out_drop(o);
    }
}

/* ---- kinds of files --------------------------------------------------------------------------------- */

static void kinds_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool network, table;
    } rows[] = {
        {"vendid=0x2c9\n", true, false},
        {"#\n# Topology file\n\nSwitch\t36 \"S-1\"\n", true, false},
        {"Ca\t1 \"H-1\"\n", true, false},
        {"Unicast lids [0x0-0x3] of switch\n", false, true},
        {"# heddle lft 1\n", false, true},
        {"a text about Unicast lids\n", false, false},
        {"", false, false},
    };
    struct hd_ctx ctx;
    bool is = true;
    hd_ctx_init(&ctx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = text_file(rows[i].text);
        assert_int_equal(hd_file_is_network(&ctx, path, &is), HD_OK);
        assert_true(is == rows[i].network);
        assert_int_equal(hd_file_is_table(&ctx, path, &is), HD_OK);
        assert_true(is == rows[i].table);
    }
    assert_int_equal(hd_file_is_table(&ctx, "/nowhere/at/all", &is), HD_OK);
    assert_false(is);
    assert_int_equal(hd_file_is_table(&ctx, "-", &is), HD_OK); /* a look would take it away from its reader */
    assert_false(is);
    char late[80] = "";
    for (int i = 0; i < 50; i++) strcat(late, "\n");
    strcat(late, "vendid=0x2c9\n"); /* line 51: nobody looks that far */
    assert_int_equal(hd_file_is_network(&ctx, text_file(late), &is), HD_OK);
    assert_false(is);
    assert_int_equal(hd_file_is_network(&ctx, text_file(late + 1), &is), HD_OK);
    assert_true(is);
}

/* The message of a reader is replaced only where the file is of the other kind. */
static void one_kind_for_the_other(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    const char *table = text_file("Unicast lids [0x0-0x3]\n"), *other = text_file("hello\n");
    hd_fail(&ctx, HD_INPUT, "as it was");
    assert_int_equal(hd_file_mistaken(&ctx, other, HD_INPUT, hd_file_is_table, "a table"), HD_INPUT);
    assert_string_equal(ctx.error, "as it was");
    assert_int_equal(hd_file_mistaken(&ctx, table, HD_LIMIT, hd_file_is_table, "a table"), HD_LIMIT);
    assert_string_equal(ctx.error, "as it was");
    assert_int_equal(hd_file_mistaken(&ctx, table, HD_INPUT, hd_file_is_table, "a table"), HD_INPUT);
    assert_non_null(strstr(ctx.error, ": is a table"));
}

/* What terminals obey becomes visible, and nothing else changes: characters of UTF-8 may hold bytes that would be
 * controls on their own. */
static void controls_become_visible(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"plain \xc3\xa9 \xdb\x9b \xe2\x82\xac \xf0\x9f\x98\x80", NULL},
        {"a\tb\nc\x1b[31m\x7f", "a?b?c?[31m?"},
        {"\xc2\x80\xc2\x9f\xc2\xa0", "????\xc2\xa0"},
        {"\x80 \x9b \x9f \xa0 \xff", "? ? ? \xa0 \xff"},
        {"\xe2\x82", "\xe2?"},
        {"\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", "\xe2\x80\x8d??????\xe2\x80\x90"},
        {"\xe2\x80\xa7\xe2\x80\xa8 \xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa7??? ???\xe2\x80\xaf"},
        {"\xe2\x81\xa5\xe2\x81\xa6 \xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??? ???\xe2\x81\xaa"},
        {"\xd8\x9b\xd8\x9c\xd8\x9d\xe2\x80", "\xd8\x9b??\xd8\x9d\xe2?"},
        {"\xc2", "\xc2"},
        {"", NULL}};
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        const char *expected = pair[i][1] ? pair[i][1] : pair[i][0];
        struct hd_out *o;
        char text[64];
        assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
        hd_put_visible(o, pair[i][0], SIZE_MAX);
        assert_string_equal(hd_out_text(o, NULL), expected);
        hd_out_drop(o);
        snprintf(text, sizeof text, "%s", pair[i][0]);
        hd_replace_controls(text, strlen(text), '?');
        assert_string_equal(text, expected);
        hd_fail(&ctx, HD_INPUT, "%s", pair[i][0]);
        assert_string_equal(ctx.error, expected);
    }
}

/* All that is written to people, by whatever call; line ends and tabs stay. */
static void terminals_are_not_commanded(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    char large[2000];
    hd_ctx_init(&ctx);
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = 0;
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    hd_puts(o, "\x1b");
    hd_out_set_visible(o, true);
    hd_puts(o, "\x1b\t\n");
    hd_printf(o, "%s\xc2\x9b%s\x1b", large, large);
    hd_out_set_visible(o, false);
    hd_puts(o, "\x1b");
    const char *text = hd_out_text(o, NULL);
    assert_memory_equal(text, "\x1b?\t\n", 4);
    assert_memory_equal(text + 4 + strlen(large), "??x", 3);
    assert_string_equal(text + 4 + 2 * strlen(large) + 2, "?\x1b");
    hd_out_drop(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_give_words_back),  cmocka_unit_test(tables_give_fields_back),
        cmocka_unit_test(kinds_of_files),          cmocka_unit_test(one_kind_for_the_other),
        cmocka_unit_test(controls_become_visible), cmocka_unit_test(terminals_are_not_commanded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
