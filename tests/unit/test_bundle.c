/* SPDX-License-Identifier: BSD-2-Clause */
/* Archives are asked for one file after another: what they lack is known after one look, while they are the same. */
#include "base/archive_names.h"
#include "base/bundle.h"
#include "testing.h"
#include "text_file.h"

enum { BLOCK = 512 };

/* A file of a tar archive that has its own name as its content. */
static void put_member(FILE *f, const char *name)
{
    char block[BLOCK] = "";
    unsigned sum = 0;
    snprintf(block, 100, "diag/%s", name);
    snprintf(block + 124, 12, "%011o", (unsigned)strlen(name));
    memset(block + 148, ' ', 8);
    block[156] = '0';
    memcpy(block + 257, "ustar\00000", 8);
    for (int i = 0; i < BLOCK; i++) sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    assert_int_equal(fwrite(block, BLOCK, 1, f), 1);
    memset(block, 0, BLOCK);
    strcpy(block, name);
    assert_int_equal(fwrite(block, BLOCK, 1, f), 1);
}

static void put_archive(const char *path, const char *one, const char *other)
{
    static const char end[2 * BLOCK];
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    put_member(f, one);
    put_member(f, other);
    assert_int_equal(fwrite(end, sizeof end, 1, f), 1);
    assert_int_equal(fclose(f), 0);
}

/* The content of the file with this ending; "": there is none. */
static void expect(struct hd_ctx *ctx, const char *path, const char *ending, const char *content)
{
    struct hd_in *in;
    char *line = NULL;
    size_t len;
    assert_int_equal(hd_bundle_open(ctx, path, ending, &in), HD_OK);
    if (in) assert_int_equal(hd_in_line(ctx, in, &line, &len), HD_OK);
    assert_string_equal(line ? line : "", content);
    hd_in_close(in);
}

static bool none(const char *name, const void *of)
{
    (void)name, (void)of;
    return false;
}

static bool known(struct hd_ctx *ctx, const char *path)
{
    return hd_archive_lacks(ctx->archives, path, none, NULL);
}

static void what_is_missing_is_looked_for_once(void **state)
{
    struct hd_ctx *ctx = hd_ctx_new();
    const char *path = text_file("");
    (void)state;
    put_archive(path, "a.db_csv", "b.fdbs");
    expect(ctx, path, ".db_csv", "a.db_csv");
    assert_false(known(ctx, path));
    expect(ctx, path, ".far", "");
    assert_true(known(ctx, path));
    expect(ctx, path, ".slvl", "");
    expect(ctx, path, ".db_csv", "a.db_csv");
    expect(ctx, path, ".fdbs", "b.fdbs");
    hd_ctx_free(ctx);
}

static void another_archive_is_looked_through_again(void **state)
{
    struct hd_ctx *ctx = hd_ctx_new();
    const char *path = text_file("");
    char other[80];
    (void)state;
    put_archive(path, "a.db_csv", "b.fdbs");
    expect(ctx, path, ".far", "");
    snprintf(other, sizeof other, "%s.new", path);
    put_archive(other, "a.far", "b.fdbs");
    assert_int_equal(rename(other, path), 0);
    assert_false(known(ctx, path));
    expect(ctx, path, ".far", "a.far");
    hd_ctx_free(ctx);
}

/* Contexts on the stack of a caller keep nothing, and too many names are not kept. */
static void nothing_need_be_kept(void **state)
{
    struct hd_ctx ctx;
    struct hd_name_text names = {0};
    const char *path = text_file("");
    (void)state;
    hd_ctx_init(&ctx);
    put_archive(path, "a.db_csv", ".b.far");
    expect(&ctx, path, ".far", "");
    expect(&ctx, path, ".far", "");
    expect(&ctx, path, ".db_csv", "a.db_csv");
    for (int i = 0; i < 100000; i++) hd_name_text_add(&names, "ibdiagnet2.log");
    assert_true(names.full);
    free(names.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_missing_is_looked_for_once),
                                       cmocka_unit_test(another_archive_is_looked_through_again),
                                       cmocka_unit_test(nothing_need_be_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
