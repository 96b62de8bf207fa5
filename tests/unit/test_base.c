/* SPDX-License-Identifier: BSD-2-Clause */
/* base: specs, lists of words, random streams, arenas, sinks, JSON, line input. */
#include "testing.h"

#include "base/arena.h"
#include "base/bundle.h"
#include "base/input.h"
#include "base/rng.h"
#include "base/spec.h"
#include "base/status.h"
#include "net/io/ibdiag_values.h"
#include "tool/json.h"
#include "tool/words.h"
#include "base/out.h"
#include "base/context.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct opt {
    uint64_t n;
    double x;
    int word;
    bool flag;
    struct hd_list dims;
    const char *path;
};

static const struct hd_param params[] = {
    {"n", HD_UINT, "4", "a number", offsetof(struct opt, n), 1, 100, NULL, true},
    {"x", HD_REAL, "0.5", "a real", offsetof(struct opt, x), 0, 1, NULL, false},
    {"word", HD_WORD, "keep", "a word", offsetof(struct opt, word), 0, 0, "keep|published|none", false},
    {"flag", HD_FLAG, "off", "a flag", offsetof(struct opt, flag), 0, 0, NULL, false},
    {"dims", HD_LIST, "2x2", "a list", offsetof(struct opt, dims), 1, 9, NULL, false},
    {"path", HD_TEXT, "", "a text", offsetof(struct opt, path), 0, 0, NULL, false},
    {0}};
static const struct hd_desc desc = {.name = "thing", .params = params, .opt_size = sizeof(struct opt)};

static void parse(const char *text, struct opt *opt, char *spec)
{
    struct hd_ctx ctx;
    static struct hd_arena arena;
    hd_ctx_init(&ctx);
    if (hd_opts_parse(&ctx, &arena, &desc, text, opt) != HD_OK) fail_msg("%s: %s", text, ctx.error);
    assert_int_equal(hd_opts_print(&ctx, &desc, opt, spec), HD_OK);
}

static void specs_print_back_in_one_form(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "thing:n=4"},
        {"n=4", "thing:n=4"},
        {"x=0.25,n=7", "thing:n=7,x=0.25"},
        {"word=none,flag=on,dims=3x3x1", "thing:n=4,word=none,flag=on,dims=3x3x1"},
        {"path=/a,b/c.txt,n=2", "thing:n=2,path=/a,b/c.txt"},
        {"flag=off,x=0.5", "thing:n=4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct opt opt, again;
        char spec[HD_MAX_SPEC], second[HD_MAX_SPEC];
        parse(cases[i][0], &opt, spec);
        assert_string_equal(spec, cases[i][1]);
        parse(strchr(spec, ':') + 1, &again, second);
        assert_string_equal(spec, second);
    }
}

/* Keys in brackets are of bindings to other languages, and no spec can have them. */
static void keys_of_bindings_are_not_offered(void **state)
{
    (void)state;
    static const struct hd_param own[] = {
        {"(call)", HD_TEXT, "", "a function", offsetof(struct opt, path), 0, 0, NULL, false},
        {"n", HD_UINT, "4", "a number", offsetof(struct opt, n), 1, 100, NULL, true},
        {0}};
    static const struct hd_desc bound = {.name = "bound", .params = own, .opt_size = sizeof(struct opt)};
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct opt opt;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_opts_parse(&ctx, &arena, &bound, "elsewhere=1", &opt), HD_INPUT);
    assert_non_null(strstr(ctx.error, "unknown key 'elsewhere': expected one of n"));
    hd_arena_release(&arena);
}

static void bad_specs_are_worded(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"n=0", "an integer from 1 to 100"},
        {"n=101", "an integer"},
        {"n=-1", "an integer"},
        {"n=4x", "an integer"},
        {"n=", "no value"},
        {"n=18446744073709551617", "an integer"},
        {"x=nan", "a number"},
        {"x=0x1", "a number"},
        {"x=1.5", "from 0 to 1"},
        {"word=kept", "one of keep|published"},
        {"flag=yes", "on or off"},
        {"dims=3x", "separated by x"},
        {"dims=3x10", "separated by x"},
        {"wrod=none", "did you mean 'word'"},
        {"zzz=1", "expected one of n, x"},
        {"n=1,n=2", "given twice"},
        {"n", "expected key=value"},
        {"=3", "expected key=value"},
        {"dims=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", "at most 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hd_ctx ctx;
        struct hd_arena arena = {0};
        struct opt opt;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_opts_parse(&ctx, &arena, &desc, cases[i][0], &opt), HD_INPUT);
        if (!strstr(ctx.error, cases[i][1])) fail_msg("%s: expected '%s' in: %s", cases[i][0], cases[i][1], ctx.error);
        hd_arena_release(&arena);
    }
}

static void numbers_are_read_exactly_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        enum hd_kind kind;
        const char *text;
        bool good;
        double value;
    } cases[] = {
        {HD_UINT, "0", true, 0},
        {HD_UINT, "007", true, 7},
        {HD_UINT, "", false, 0},
        {HD_UINT, "+1", false, 0},
        {HD_UINT, " 1", false, 0},
        {HD_UINT, "1K", false, 0},
        {HD_UINT, "1e3", false, 0},
        {HD_BYTES, "65536", true, 65536},
        {HD_BYTES, "64K", true, 65536},
        {HD_BYTES, "64KiB", true, 65536},
        {HD_BYTES, "64k", true, 65536},
        {HD_BYTES, "1gib", true, 1073741824},
        {HD_BYTES, "64mb", true, 64e6},
        {HD_BYTES, "64Mb", false, 0},
        {HD_BYTES, "64kB", true, 64000},
        {HD_BYTES, "64KB", true, 64000},
        {HD_BYTES, "1.5M", true, 1572864},
        {HD_BYTES, "2G", true, 2147483648.0},
        {HD_BYTES, "3B", true, 3},
        {HD_BYTES, "K", false, 0},
        {HD_BYTES, "1T", false, 0},
        {HD_BYTES, "1e3", false, 0},
        {HD_BYTES, "-1", false, 0},
        {HD_BYTES, "1 K", false, 0},
        {HD_BYTES, "18446744073709551615K", false, 0},
        {HD_REAL, "1e-3", true, 0.001},
        {HD_REAL, ".5", true, 0.5},
        {HD_REAL, "inf", false, 0},
        {HD_REAL, "nan", false, 0},
        {HD_REAL, "0x10", false, 0},
        {HD_REAL, "1e999", false, 0},
        {HD_REAL, "-1", false, 0},
        {HD_REAL, "1,5", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        union hd_number number;
        bool good = hd_number_parse(cases[i].kind, 0, 0x1p64, cases[i].text, &number);
        if (good != cases[i].good) fail_msg("'%s' is%s a number", cases[i].text, good ? "" : " not");
        if (good) assert_true((cases[i].kind == HD_REAL ? number.real : (double)number.u) == cases[i].value);
    }
}

static void ranges_are_worded_once(void **state)
{
    (void)state;
    char text[HD_MAX_RANGE];
    union hd_number number;
    assert_true(hd_number_parse(HD_UINT, 2, 4, "4", &number));
    assert_false(hd_number_parse(HD_UINT, 2, 4, "5", &number));
    assert_false(hd_number_parse(HD_UINT, 2, 4, "1", &number));
    assert_string_equal(hd_number_expected(HD_UINT, 2, 4, text), "an integer from 2 to 4");
    assert_string_equal(hd_number_range(HD_UINT, 0, 0x1p64, text), "integer, 0..2^64-1");
    assert_string_equal(hd_number_range(HD_UINT, 1, 1e9, text), "integer, 1..10^9");
    assert_string_equal(hd_number_range(HD_BYTES, 1, 0x1p24, text), "size in bytes, 1..16MiB");
    assert_string_equal(hd_number_range(HD_REAL, 1e-5, 1, text), "number, 0.00001..1");
    assert_non_null(strstr(hd_number_expected(HD_BYTES, 1, 1e15, text), "a size in bytes from 1 to 10^15, such as"));
}

static void guids_are_whole_words(void **state)
{
    (void)state;
    uint64_t guid = 0;
    assert_true(hd_parse_guid("0x00feED", 8, &guid));
    assert_int_equal(guid, 0xfeed);
    assert_true(hd_parse_guid("0xffffffffffffffff", 18, &guid));
    assert_true(guid == UINT64_MAX);
    static const char *const bad[] = {"0x", "x1", "12", "0X1", "0x1g", "0x11111111111111111", "0x-1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(hd_parse_guid(bad[i], strlen(bad[i]), &guid));
}

/* As ibdiagnet writes them: decimal or with 0x, nothing behind. */
static void numbers_of_ibdiagnet_are_whole_words(void **state)
{
    static const char *const bad[] = {"", "x", "12x", "1 ", "-1", "0x", "0xg", "12345678901234567890"};
    uint64_t v;
    (void)state;
    assert_true(hd_ibdiag_number("42", &v) && v == 42);
    assert_true(hd_ibdiag_number("0x2a", &v) && v == 42);
    assert_true(hd_ibdiag_number("9999999999999999999", &v) && v == 9999999999999999999ull);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (hd_ibdiag_number(bad[i], &v)) fail_msg("taken for a number: '%s'", bad[i]);
}

static void a_failure_says_which_parameters_it_names(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_fail_about(&ctx, HD_USAGE, "lmc guid2lid", "%s and guid2lid", "lmc"), HD_USAGE);
    assert_string_equal(ctx.error, "lmc and guid2lid");
    assert_string_equal(ctx.about, "lmc guid2lid");
    assert_int_equal(hd_fail(&ctx, HD_INPUT, "file:1: bad"), HD_INPUT);
    assert_null(ctx.about);
}

static void nearest_suggests_only_what_is_near(void **state)
{
    (void)state;
    static const char *const names[] = {"torus", "mesh", "ft", "gft"};
    assert_string_equal(hd_nearest("tors", names, 4), "torus");
    assert_string_equal(hd_nearest("mseh", names, 4), "mesh");
    assert_null(hd_nearest("dragonfly", names, 4));
    assert_null(hd_nearest("q", names, 4));
}

static void streams_are_named_not_ordered(void **state)
{
    (void)state;
    struct hd_rng a, b, c;
    hd_rng_init(&a, 7, HD_RNG_PATTERN, 3);
    hd_rng_init(&b, 7, HD_RNG_PATTERN, 3);
    hd_rng_init(&c, 7, HD_RNG_PATTERN, 4);
    int same = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t x = hd_rng_u32(&a);
        assert_int_equal(x, hd_rng_u32(&b));
        same += x == hd_rng_u32(&c);
    }
    assert_true(same < 3);
    /* The published first block of Philox4x64-10 for counter and key 0: a seed means the same everywhere. */
    hd_rng_init(&a, 0, 0, 0);
    static const uint64_t block[4] = {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b};
    for (int i = 4; i-- > 0;) assert_true(hd_rng_u64(&a) == block[i]);
}

static void below_is_uniform_and_in_range(void **state)
{
    (void)state;
    struct hd_rng r;
    uint32_t count[7] = {0};
    hd_rng_init(&r, 1, HD_RNG_TEST, 0);
    for (int i = 0; i < 70000; i++) count[hd_rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++) assert_in_range(count[i], 9600, 10400);
    uint32_t thirds[3] = {0}; /* of 2^32 products a quarter must be rejected, or multiples of 3 come twice as often */
    for (int i = 0; i < 30000; i++) thirds[hd_rng_below(&r, 3u << 30) % 3]++;
    for (int i = 0; i < 3; i++) assert_in_range(thirds[i], 9600, 10400);
    for (int i = 0; i < 1000; i++) {
        double x = hd_rng_real(&r);
        assert_true(x >= 0 && x < 1);
        assert_true(hd_rng_below(&r, 1) == 0);
    }
    uint32_t orders[24] = {0}; /* every order of four elements is equally likely */
    for (int i = 0; i < 48000; i++) {
        uint32_t w[4] = {0, 1, 2, 3};
        hd_rng_shuffle(&r, w, 4);
        orders[w[0] * 6 + (w[1] - (w[1] > w[0])) * 2 + (w[2] > w[3])]++;
    }
    for (int i = 0; i < 24; i++) assert_in_range(orders[i], 1780, 2220);
    uint32_t v[50], seen[50] = {0};
    for (uint32_t i = 0; i < 50; i++) v[i] = i;
    hd_rng_shuffle(&r, v, 50);
    for (uint32_t i = 0; i < 50; i++) seen[v[i]]++;
    for (uint32_t i = 0; i < 50; i++) assert_int_equal(seen[i], 1);
}

/* What a seed means for a shuffle, draw by draw as rng.h tells: as many draws from a word as are sure to fit. */
static void shuffle_plainly(struct hd_rng *r, uint32_t *v, uint32_t n)
{
    __extension__ typedef unsigned __int128 u128;
    static const uint32_t most[] = {6, 1u << 9, 5, 1u << 11, 4, 1u << 14, 3, 1u << 19, 2, 1u << 28};
    while (n > 1) {
        uint32_t k = 1, draw[6];
        for (int i = 8; i >= 0; i -= 2)
            if (n <= most[i + 1]) k = most[i];
        if (k > n - 1) k = n - 1;
        uint64_t low, product = 1;
        for (uint32_t i = 0; i < k; i++) product *= n - i;
        do {
            low = hd_rng_u64(r);
            for (uint32_t i = 0; i < k; i++) {
                u128 m = (u128)low * (n - i);
                draw[i] = (uint32_t)(m >> 64);
                low = (uint64_t)m;
            }
        } while (low < -product % product);
        for (uint32_t i = 0; i < k; i++) {
            uint32_t at = --n, t = v[at];
            v[at] = v[draw[i]];
            v[draw[i]] = t;
        }
    }
}

static void shuffles_take_the_draws_they_always_took(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0,   1,   2,   3,   5,   6,    7,    8,     13,    64,    65,
                                     100, 511, 512, 513, 518, 2047, 2052, 11664, 16391, 524300};
    enum { MOST = 524300, TIMES = 40 };
    uint32_t *got = malloc(MOST * sizeof *got), *want = malloc(MOST * sizeof *want);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint64_t index = 0; index < (sizes[k] > 20000 ? 1 : TIMES); index++) {
            uint32_t n = sizes[k];
            struct hd_rng a, b;
            hd_rng_init(&a, 3, HD_RNG_TEST, index);
            hd_rng_init(&b, 3, HD_RNG_TEST, index);
            for (uint32_t i = 0; i < n; i++) got[i] = want[i] = i;
            hd_rng_shuffle(&a, got, n);
            shuffle_plainly(&b, want, n);
            assert_memory_equal(got, want, n * sizeof *got);
            for (int i = 0; i < 9; i++) assert_true(hd_rng_u64(&a) == hd_rng_u64(&b)); /* and go on alike */
        }
    free(got);
    free(want);
}

static void arenas_rewind_and_stay_zero(void **state)
{
    (void)state;
    struct hd_arena a = {0};
    char *first = HD_NEW(&a, char, 100);
    memset(first, 1, 100);
    struct hd_mark mark = hd_arena_mark(&a);
    for (int round = 0; round < 3; round++) {
        char *small = HD_NEW(&a, char, 64), *large = HD_NEW(&a, char, 1 << 20);
        for (int i = 0; i < 64; i++) assert_int_equal(small[i], 0);
        for (int i = 0; i < 1 << 20; i += 4096) assert_int_equal(large[i], 0);
        assert_int_equal((uintptr_t)small % 16, 0);
        memset(small, 2, 64);
        memset(large, 3, 1 << 20);
        hd_arena_rewind(&a, mark);
    }
    assert_int_equal(first[99], 1);
    assert_non_null(hd_alloc(&a, 0, 8));
    assert_null(hd_alloc(&a, SIZE_MAX / 4, 8));
    hd_arena_release(&a);
}

static void files_appear_whole_or_not_at_all(void **state)
{
    (void)state;
    char dir[] = "/tmp/heddle-test-XXXXXX", path[64], text[64];
    struct hd_ctx ctx;
    struct hd_out *o;
    struct stat st;
    hd_ctx_init(&ctx);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/file", dir);
    assert_int_equal(hd_out_open(&ctx, path, &o), HD_OK);
    hd_puts(o, "half");
    assert_int_not_equal(stat(path, &st), 0);
    hd_out_drop(o);
    assert_int_not_equal(stat(path, &st), 0);
    assert_int_equal(hd_out_open(&ctx, path, &o), HD_OK);
    hd_printf(o, "%s %d ", "whole", 7);
    hd_putu(o, 0);
    hd_putx(o, 0xab, 4);
    hd_putx(o, 0, 1);
    assert_int_equal(hd_out_close(&ctx, o), HD_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_string_equal(text, "whole 7 000ab0");
    unlink(path);
    assert_int_equal(hd_out_open(&ctx, dir, &o), HD_LIMIT);
    assert_int_equal(hd_out_open(&ctx, "/nonexistent/x", &o), HD_LIMIT);
    assert_int_equal(hd_out_open(&ctx, "", &o), HD_USAGE);
    assert_string_equal(hd_ctx_error(&ctx), "expected the name of a file to write, not an empty text");
    assert_int_equal(rmdir(dir), 0); /* nothing is left behind */
}

static void json_is_escaped_and_locale_free(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    struct hd_json j;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    hd_json_begin(&j, o);
    hd_json_fields(&j, hd_text("a\"b", "tab\there \\ \xff caf\xc3\xa9"), hd_text("none", NULL), hd_text_if("empty", ""),
                   hd_real("x", 0.1), hd_real("inf", 1.0 / 0.0));
    hd_json_open(&j, "list", '[');
    hd_json_close(&j, ']');
    hd_json_object(&j, "known", hd_bool("yes", true), hd_bool("no", 0), hd_bool("unknown", -1), hd_uint("n", 7),
                   hd_uint_if("zero", 0, true), hd_uint_if("never", 7, false));
    hd_json_close(&j, '}');
    assert_string_equal(
        hd_out_text(o, NULL),
        "{\n  \"schema\": 1,\n  \"a\\\"b\": \"tab\\u0009here \\\\ \\ufffd caf\xc3\xa9\",\n  \"none\": null,\n"
        "  \"empty\": null,\n  \"x\": 0.1,\n  \"inf\": null,\n  \"list\": [],\n  \"known\": {\n    \"yes\": true,\n"
        "    \"no\": false,\n    \"unknown\": null,\n    \"n\": 7,\n    \"zero\": 0,\n    \"never\": null\n  }\n}\n");
    hd_out_drop(o);
}

static void lines_come_in_order_with_their_numbers(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_in *in;
    char *line;
    size_t len;
    hd_ctx_init(&ctx);
    static const char text[] = "one\r\n\ntwo";
    assert_int_equal(hd_in_memory(&ctx, "memory", text, sizeof text - 1, &in), HD_OK);
    static const char *const want[] = {"one", "", "two"};
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(hd_in_line(&ctx, in, &line, &len), HD_OK);
        assert_string_equal(line, want[i]);
        assert_int_equal(hd_in_lineno(in), i + 1);
    }
    assert_int_equal(hd_in_line(&ctx, in, &line, &len), HD_OK);
    assert_null(line);
    hd_in_close(in);
}

/* Text that a terminal recorded is known by any one character that moves its cursor. */
static void input_knows_what_a_terminal_recorded(void **state)
{
    (void)state;
    static const char *const texts[] = {"one\ntwo\tthree\n", "on\rone\n", "onn\be\n", "\033[1mone\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct hd_ctx ctx;
        struct hd_in *in;
        char *line;
        size_t len;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_in_memory(&ctx, "memory", texts[i], strlen(texts[i]), &in), HD_OK);
        assert_int_equal(hd_in_line(&ctx, in, &line, &len), HD_OK);
        assert_int_equal(hd_in_controls(in), i > 0);
        hd_in_close(in);
    }
}

static void input_is_bounded(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_in *in;
    char *line, *big = malloc(HD_MAX_LINE + 10);
    size_t len;
    hd_ctx_init(&ctx);
    memset(big, 'x', HD_MAX_LINE + 10);
    assert_int_equal(hd_in_memory(&ctx, "big", big, HD_MAX_LINE, &in), HD_OK);
    assert_int_equal(hd_in_line(&ctx, in, &line, &len), HD_OK);
    assert_int_equal(len, HD_MAX_LINE);
    hd_in_close(in);
    assert_int_equal(hd_in_memory(&ctx, "big", big, HD_MAX_LINE + 1, &in), HD_OK);
    assert_int_equal(hd_in_line(&ctx, in, &line, &len), HD_INPUT);
    assert_non_null(strstr(ctx.error, "big:1: line longer"));
    hd_in_close(in);
    free(big);
    assert_int_equal(hd_in_memory(&ctx, "nul", "a\0b\n", 4, &in), HD_OK);
    assert_int_equal(hd_in_line(&ctx, in, &line, &len), HD_INPUT);
    hd_in_close(in);
    assert_int_equal(hd_in_memory(&ctx, "gz", "\x1f\x8b\x08junkjunkjunk", 15, &in), HD_OK);
    assert_int_equal(hd_in_line(&ctx, in, &line, &len), HD_INPUT);
    hd_in_close(in);
    assert_int_equal(hd_in_open(&ctx, "/", &in), HD_INPUT);
    assert_int_equal(hd_in_open(&ctx, "/nonexistent", &in), HD_INPUT);
}

/* A header of ustar and the content, padded to whole blocks. */
static void put_member(FILE *f, const char *name, uint32_t size, char fill)
{
    unsigned char block[512] = {0};
    uint32_t sum = 0;
    snprintf((char *)block, 100, "%s", name);
    snprintf((char *)block + 124, 12, "%o", size);
    memset(block + 148, ' ', 8);
    block[156] = '0';
    memcpy(block + 257, "ustar", 6);
    for (uint32_t i = 0; i < sizeof block; i++) sum += block[i];
    snprintf((char *)block + 148, 8, "%06o", sum);
    assert_int_equal(fwrite(block, sizeof block, 1, f), 1);
    for (uint32_t i = 0; i < (size + 511) / 512 * 512; i++) putc(i < size ? fill : 0, f);
}

/* Whatever the size of a file, the one behind it is found. */
static void archives_are_read_in_whole_blocks(void **state)
{
    static const uint32_t sizes[] = {0, 1, 511, 512, 513, 1024, 1025};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char path[] = "/tmp/heddle-tar-XXXXXX", text[8] = "";
        struct hd_ctx ctx;
        struct hd_in *in;
        size_t got;
        int fd = mkstemp(path);
        FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
        assert_non_null(f);
        put_member(f, "x/a.first", sizes[i], 'a');
        put_member(f, "x/b.second", 3, 'b');
        for (int k = 0; k < 1024; k++) putc(0, f);
        assert_int_equal(fclose(f), 0);
        hd_ctx_init(&ctx);
        assert_int_equal(hd_bundle_open(&ctx, path, ".second", &in), HD_OK);
        assert_non_null(in);
        assert_int_equal(hd_in_bytes(&ctx, in, text, sizeof text, &got), HD_OK);
        assert_int_equal(got, 3);
        assert_string_equal(text, "bbb");
        hd_in_close(in);
        unlink(path);
    }
}

static void messages_stay_one_line(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_fail(&ctx, HD_INPUT, "a\nb\x1b[1m%s", "c\r"), HD_INPUT);
    assert_string_equal(ctx.error, "a?b?[1mc?");
}

static void count_notes(void *user, const char *line)
{
    assert_string_equal(line, "3 of 4");
    ++*(int *)user;
}

static void test_context(void **state)
{
    struct hd_ctx *ctx = hd_ctx_new();
    int notes = 0;
    (void)state;
    assert_non_null(ctx);
    assert_string_equal(hd_ctx_error(ctx), "");
    assert_int_equal(hd_ctx_seed(ctx), 1);
    hd_ctx_set_seed(ctx, 7);
    hd_ctx_set_threads(ctx, 3);
    assert_int_equal(hd_ctx_seed(ctx), 7);
    assert_int_equal(hd_ctx_threads(ctx), 3);
    hd_note(ctx, "%d of %d", 3, 4); /* nobody listens */
    hd_ctx_set_note(ctx, count_notes, &notes);
    hd_note(ctx, "%d of %d", 3, 4);
    assert_int_equal(notes, 1);
    assert_int_equal(hd_fail(ctx, HD_NA, "line\n%d", 2), HD_NA);
    assert_string_equal(hd_ctx_error(ctx), "line?2"); /* always one line */
    hd_ctx_free(ctx);
    hd_ctx_free(NULL);
}

static void test_version(void **state)
{
    (void)state;
    assert_true(hd_version_check(HEDDLE_VERSION));
    assert_false(hd_version_check(HEDDLE_VERSION + 10000));
    assert_false(hd_version_check(HEDDLE_VERSION + 100));
    assert_true(hd_version_check(HEDDLE_VERSION + 1)); /* a patch changes no interface */
}

static void test_added_rows(void **state)
{
    static const struct hd_desc one = {.name = "one", .summary = "first"}, two = {.name = "two", .summary = "second"},
                                nameless = {.summary = "nothing"}, colon = {.name = "a:b", .summary = "no spec"};
    struct hd_ctx *ctx = hd_ctx_new();
    (void)state;
    assert_int_equal(hd_registry_add(ctx, HD_PAPERS, &one, sizeof one), HD_OK);
    assert_int_equal(hd_registry_add(ctx, HD_PAPERS, &two, sizeof two), HD_OK);
    assert_string_equal(hd_registry_at(ctx, HD_PAPERS, 0)->name, "one");
    assert_string_equal(hd_registry_at(ctx, HD_PAPERS, 1)->name, "two");
    assert_null(hd_registry_at(ctx, HD_PAPERS, 2));
    assert_string_equal(hd_registry_find(ctx, HD_PAPERS, "two")->summary, "second");
    assert_null(hd_registry_find(ctx, HD_ENGINES, "two"));
    assert_int_equal(hd_registry_add(ctx, HD_PAPERS, &one, sizeof one), HD_USAGE);
    assert_int_equal(hd_registry_add(ctx, HD_PAPERS, &nameless, sizeof nameless), HD_USAGE);
    assert_int_equal(hd_registry_add(ctx, HD_PAPERS, &colon, sizeof colon), HD_USAGE);
    assert_int_equal(hd_registry_add(ctx, HD_REGISTRIES, &one, sizeof one), HD_USAGE);
    assert_int_equal(hd_registry_add(ctx, HD_MODELS, &one, sizeof one), HD_USAGE); /* its struct is not public */
    assert_string_equal(hd_ctx_error(ctx), "registry: no model can be added");
    hd_ctx_free(ctx);
}

/* "owner: does not apply to SPEC: reason", and the reason alone; any other failure is its own reason. */
static void reasons_are_kept_apart(void **state)
{
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    assert_string_equal(hd_ctx_reason(&ctx), "");
    assert_int_equal(hd_fail_na(&ctx, "dor", "a: b", "no %s: none", "grid\n"), HD_NA);
    assert_string_equal(ctx.error, "dor: does not apply to a: b: no grid?: none");
    assert_string_equal(hd_ctx_reason(&ctx), "no grid?: none");
    struct hd_ctx copy = ctx;
    hd_fail(&ctx, HD_INPUT, "f:1: expected a line");
    assert_string_equal(hd_ctx_reason(&ctx), "f:1: expected a line");
    assert_string_equal(hd_ctx_reason(&copy), "no grid?: none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_print_back_in_one_form),
        cmocka_unit_test(bad_specs_are_worded),
        cmocka_unit_test(keys_of_bindings_are_not_offered),
        cmocka_unit_test(numbers_are_read_exactly_or_not_at_all),
        cmocka_unit_test(ranges_are_worded_once),
        cmocka_unit_test(guids_are_whole_words),
        cmocka_unit_test(numbers_of_ibdiagnet_are_whole_words),
        cmocka_unit_test(a_failure_says_which_parameters_it_names),
        cmocka_unit_test(nearest_suggests_only_what_is_near),
        cmocka_unit_test(streams_are_named_not_ordered),
        cmocka_unit_test(below_is_uniform_and_in_range),
        cmocka_unit_test(shuffles_take_the_draws_they_always_took),
        cmocka_unit_test(arenas_rewind_and_stay_zero),
        cmocka_unit_test(files_appear_whole_or_not_at_all),
        cmocka_unit_test(json_is_escaped_and_locale_free),
        cmocka_unit_test(lines_come_in_order_with_their_numbers),
        cmocka_unit_test(input_knows_what_a_terminal_recorded),
        cmocka_unit_test(input_is_bounded),
        cmocka_unit_test(archives_are_read_in_whole_blocks),
        cmocka_unit_test(messages_stay_one_line),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_added_rows),
        cmocka_unit_test(reasons_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
