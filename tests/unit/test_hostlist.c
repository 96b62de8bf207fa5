/* SPDX-License-Identifier: BSD-2-Clause */
/* Host lists: what is written, what is read, what is refused, and that reading undoes writing. What
 * Slurm itself makes of the same expressions was tried with scontrol 22.05 and stands beside them. */
#include "testing.h"

#include "base/arena.h"
#include "base/rng.h"
#include "net/io/hostlist.h"
#include "base/context.h"

#include <stdio.h>

static char *joined(const char *const *name, uint32_t n)
{
    size_t size = 1;
    for (uint32_t i = 0; i < n; i++) size += strlen(name[i]) + 1;
    char *text = calloc(1, size), *at = text;
    assert_non_null(text);
    for (uint32_t i = 0; i < n; i++) at += sprintf(at, "%s%s", i ? " " : "", name[i]);
    return text;
}

static void expands(const char *text, const char *expected)
{
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    const char *const *name = NULL;
    uint32_t n = 0;
    hd_ctx_init(&ctx);
    if (hd_hostlist_expand(&ctx, &arena, text, &name, &n) != HD_OK) fail_msg("'%s': %s", text, ctx.error);
    char *got = joined(name, n);
    if (strcmp(got, expected) != 0) fail_msg("'%s': expected '%s', got '%s'", text, expected, got);
    free(got);
    hd_arena_release(&arena);
}

static void refuses(const char *text, const char *words)
{
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    const char *const *name = NULL;
    uint32_t n = 7;
    hd_ctx_init(&ctx);
    hd_status s = hd_hostlist_expand(&ctx, &arena, text, &name, &n);
    if (s != HD_INPUT) fail_msg("'%.80s': status %d, expected HD_INPUT", text, s);
    if (!strstr(ctx.error, words)) fail_msg("'%.80s': expected '%s' in the message, got: %s", text, words, ctx.error);
    assert_null(name);
    assert_int_equal(n, 7);
    hd_arena_release(&arena);
}

static void expand_as_slurm(void **state)
{
    (void)state;
    expands("gpu[001-003,070]", "gpu001 gpu002 gpu003 gpu070");
    expands("a[1-2]b[3-4]", "a1b3 a1b4 a2b3 a2b4");
    expands("a[3,1,2]", "a3 a1 a2");
    expands("n[01-3]", "n01 n02 n03");
    expands("a,b,a", "a b a");
    expands("a[1-2],c", "a1 a2 c");
    expands("a[001-3]", "a001 a002 a003");
    expands("a,,b", "a b");
    expands("a[08-10]", "a08 a09 a10");
    expands("gpu[9-010]", "gpu9 gpu10");
    expands("n[0]", "n0");
    expands("n[00-1]", "n00 n01");
    expands("[1-3]", "1 2 3");
    expands("12[3-4]", "123 124");
    expands("r[1-3]n[1]", "r1n1 r2n1 r3n1");
    expands("a[0-2,00-02]", "a0 a1 a2 a00 a01 a02");
    expands("a b\tc\n", "a b c");
    expands("", "");
    expands(" ,\n", "");
}

/* Slurm refuses these two forms or orders them in its own way; pdsh and ClusterShell do as we do. */
static void expand_beyond_slurm(void **state)
{
    (void)state;
    expands("n[1-3]-ib", "n1-ib n2-ib n3-ib");
    expands("r[1-2]n[7]x", "r1n7x r2n7x");
    expands("a[1-2]b[3-4]c[5-6]", "a1b3c5 a1b3c6 a1b4c5 a1b4c6 a2b3c5 a2b3c6 a2b4c5 a2b4c6");
    expands("[1][2][3][4][5][6][7][8][9][0][1][2][3][4][5][6]", "1234567890123456");
}

static void refuse_malformed(void **state)
{
    (void)state;
    refuses("a[2-1]", "column 3: the range runs backwards");
    refuses("a[1", "expected ',', '-' or ']'");
    refuses("a[", "expected a number");
    refuses("a[]", "expected a number");
    refuses("a[1-]", "expected a number");
    refuses("a[-3]", "expected a number");
    refuses("n[1,]", "expected a number");
    refuses("n[,1]", "expected a number");
    refuses("a[1-a]", "expected a number");
    refuses("a[1-2 ,3]", "column 6: expected ',', '-' or ']'");
    refuses("a[[1-2]]", "expected a number");
    refuses("ok,a]", "column 5: ']' without '['");
    refuses("a[1-2-3]", "expected ',', '-' or ']'");
    refuses("a[1234567890123456789]", "18 digits");
    refuses("[1][2][3][4][5][6][7][8][9][0][1][2][3][4][5][6][7]", "16 ranges");
    char wide[400];
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = 0;
    refuses(wide, "255 bytes");
    strcpy(wide + 250, "[100000-100001]");
    refuses(wide, "255 bytes");
}

static void refuse_too_many(void **state)
{
    (void)state;
    refuses("a[1-1000001]", "million");
    refuses("a[0-999999999999999999]", "million");
    refuses("a[1-600000,1-600000]", "million");
    refuses("a[1-1001]b[1-1000]", "million");
    refuses("a[1-999999]b[1-999999]c[1-999999]d[1-999999]", "million");
    refuses("a[1-600000],b[1-600000]", "million");
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    const char *const *name;
    uint32_t n;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_hostlist_expand(&ctx, &arena, "a[1-1000]b[1-1000]", &name, &n), HD_OK);
    assert_int_equal(n, 1000000);
    assert_string_equal(name[999999], "a1000b1000");
    hd_arena_release(&arena);
}

/* The names of text, separated by blanks, compressed. */
static void compresses(const char *text, const char *expected)
{
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct hd_out *o;
    const char *const *name;
    uint32_t n;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_hostlist_expand(&ctx, &arena, text, &name, &n), HD_OK);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    if (hd_hostlist_compress(&ctx, name, n, o) != HD_OK) fail_msg("'%s': %s", text, ctx.error);
    const char *got = hd_out_text(o, NULL);
    if (strcmp(got, expected) != 0) fail_msg("'%s': expected '%s', got '%s'", text, expected, got);
    hd_out_drop(o);
    hd_arena_release(&arena);
}

static void compress_ranges(void **state)
{
    (void)state;
    compresses("", "");
    compresses("gpu7", "gpu7");
    compresses("login", "login");
    compresses("gpu3 gpu1 gpu2 gpu2", "gpu[1-3]");
    compresses("gpu[001-064,070]", "gpu[001-064,070]");
    compresses("a11 a9 a10", "a[9-11]");
    compresses("a09 a10 a11", "a[09-11]");
    compresses("a099 a100 a101", "a[099-101]");
    compresses("a0 a1 a00 a01", "a[0,00,1,01]");
    compresses("a1 a01 a001", "a[1,01,001]");
    compresses("a9 a010", "a[9,010]");
    compresses("a99 a0100", "a[99,0100]");
    compresses("b1 a2 a1 login b2 login2", "a[1-2],b[1-2],login,login2");
    compresses("node10 node9 node2", "node[2,9-10]");
    compresses("1 2 3", "[1-3]");
    compresses("rack10 rack9 rack9a", "rack[9-10],rack9a");
}

/* Slurm takes no text behind the last range, and two ranges a name. */
static void compress_as_slurm_reads(void **state)
{
    (void)state;
    compresses("n[1-3]-ib", "n1-ib,n2-ib,n3-ib");
    compresses("n[1-2].example.org", "n1.example.org,n2.example.org");
    compresses("r[1-2]n[1-2]", "r[1-2]n[1-2]");
    compresses("r[1-3]n1", "r[1-3]n[1]");
    compresses("r1n[1-2] r2n[1-3]", "r1n[1-2],r2n[1-3]");
    compresses("r[01-02]n[01-16] r04n[01-16]", "r[01-02,04]n[01-16]");
    compresses("r1n1 r2n01", "r1n1,r2n01");
    compresses("r[9-11]n[8-10]", "r[9-11]n[8-10]");
    compresses("x[1-2]y[1-2]z[1-2]", "x1y[1-2]z[1-2],x2y[1-2]z[1-2]");
    /* Long numbers: only the last nine digits count. */
    compresses("n20241115000[1-3]", "n202[411150001-411150003]");
}

static void compress_refuses(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    static const char *const odd[] = {"a,b", "a[1", "a]", "a b", "a\nb", ""};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        if (hd_hostlist_compress(&ctx, &odd[i], 1, o) != HD_INPUT) fail_msg("'%s' was not refused", odd[i]);
    size_t len;
    hd_out_text(o, &len);
    assert_int_equal(len, 0);
    hd_out_drop(o);
}

/* More names than Slurm takes in one range. */
static void compress_splits_long_ranges(void **state)
{
    (void)state;
    compresses("n[1-65536]", "n[1-65536]");
    compresses("n[1-65537]", "n[1-65536,65537]");
    compresses("n[00001-70000]", "n[00001-65536,65537-70000]");
}

static void natural_order(void **state)
{
    (void)state;
    static const char *const order[] = {"",   "0",   "1",   "01",   "2",  "10",   "a",   "a-1",  "a0", "a00",
                                        "a1", "a01", "a1b", "a01b", "a2", "a2b1", "a10", "a10b", "aa", "b1"};
    enum { N = sizeof order / sizeof order[0] };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int want = (i > j) - (i < j), got = hd_natural(order[i], order[j]);
            if ((got > 0) - (got < 0) != want)
                fail_msg("'%s' and '%s': order %d, expected %d", order[i], order[j], got, want);
        }
}

/* ---- round trip ---------------------------------------------------------------------------- */

static char *random_name(struct hd_rng *r, char buf[64])
{
    static const char *const words[] = {"", "n", "gpu", "r", "-", "-ib", "x0", ".", "rack"};
    char *at = buf;
    for (uint32_t parts = 1 + hd_rng_below(r, 2) * hd_rng_below(r, 2); parts > 0; parts--) {
        at += sprintf(at, "%s", words[hd_rng_below(r, hd_rng_below(r, 3) ? 2 : 9)]);
        if (hd_rng_below(r, 8) == 0) continue;
        uint32_t width = hd_rng_below(r, 3) ? 1 : 1 + hd_rng_below(r, 4);
        at += sprintf(at, "%0*u", (int)width, hd_rng_below(r, hd_rng_below(r, 2) ? 4 : 20));
    }
    if (at == buf) sprintf(buf, "z");
    return buf;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void round_trip(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    uint32_t shorter = 0;
    for (uint32_t sample = 0; sample < 2000; sample++) {
        struct hd_rng r;
        struct hd_arena arena = {0};
        struct hd_out *o, *again;
        const char *const *got;
        uint32_t n, ngot, unique = 0;
        char buf[64];
        hd_rng_init(&r, 1, HD_RNG_TEST, sample);
        n = hd_rng_below(&r, 60);
        const char **name = HD_NEW(&arena, const char *, n);
        for (uint32_t i = 0; i < n; i++) {
            random_name(&r, buf);
            name[i] = hd_strdup(&arena, buf, strlen(buf));
        }
        assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
        assert_int_equal(hd_hostlist_compress(&ctx, name, n, o), HD_OK);
        if (hd_hostlist_expand(&ctx, &arena, hd_out_text(o, NULL), &got, &ngot) != HD_OK)
            fail_msg("%s: %s", hd_out_text(o, NULL), ctx.error);
        /* Compressing what came out in any order gives the same text. */
        assert_int_equal(hd_out_memory(&ctx, &again), HD_OK);
        assert_int_equal(hd_hostlist_compress(&ctx, got, ngot, again), HD_OK);
        assert_string_equal(hd_out_text(o, NULL), hd_out_text(again, NULL));
        qsort(name, n, sizeof *name, by_text);
        for (uint32_t i = 0; i < n; i++)
            if (i == 0 || strcmp(name[i], name[i - 1]) != 0) name[unique++] = name[i];
        const char **sorted = HD_NEW(&arena, const char *, ngot);
        if (ngot) memcpy(sorted, got, ngot * sizeof *sorted);
        qsort(sorted, ngot, sizeof *sorted, by_text);
        assert_int_equal(unique, ngot);
        for (uint32_t i = 0; i < unique; i++)
            if (strcmp(name[i], sorted[i]) != 0)
                fail_msg("%s: '%s' became '%s'", hd_out_text(o, NULL), name[i], sorted[i]);
        char *plain = joined(name, unique);
        shorter += strlen(hd_out_text(o, NULL)) < strlen(plain);
        free(plain);
        hd_out_drop(again);
        hd_out_drop(o);
        hd_arena_release(&arena);
    }
    if (shorter < 1000) fail_msg("only %u of 2000 lists became shorter", shorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expand_as_slurm),  cmocka_unit_test(expand_beyond_slurm),
        cmocka_unit_test(refuse_malformed), cmocka_unit_test(refuse_too_many),
        cmocka_unit_test(compress_ranges),  cmocka_unit_test(compress_as_slurm_reads),
        cmocka_unit_test(compress_refuses), cmocka_unit_test(compress_splits_long_ranges),
        cmocka_unit_test(natural_order),    cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
