/* SPDX-License-Identifier: BSD-2-Clause */
/* Archives are asked for one file after another: their names are read once, while they are the same, and all files come
 * from one folder, which does not depend on what is asked for. */
#include "base/archive_names.h"
#include "base/bundle.h"
#include "base/tar.h"
#include "testing.h"
#include "text_file.h"

/* Blocks that list what a sparse file holds, each of them a header by itself, to those who take it for one. */
static void put_list(FILE *f, const char *header, int n)
{
    char block[HD_TAR_BLOCK];
    memcpy(block, header, sizeof block);
    for (; n > 0; n--) {
        block[504] = n > 1;
        assert_int_equal(fwrite(block, sizeof block, 1, f), 1);
    }
}

/* A member of a tar archive. A file (0) has its own name as its content, one whose holes GNU tar left out (S) as well,
 * behind as many blocks as link says; a pax header (x) has what link says. */
static void put_member(FILE *f, const char *name, char type, const char *link)
{
    char block[HD_TAR_BLOCK] = "";
    const char *content = type == '0' || type == 'S' ? name : type == 'x' ? link : "";
    const unsigned size = (unsigned)strlen(content);
    unsigned sum = 0;
    snprintf(block, 100, "%s", name);
    snprintf(block + 100, 8, "%07o", 0644);
    snprintf(block + 124, 12, "%011o", size);
    memset(block + 148, ' ', 8);
    block[156] = type;
    if (type == '1' || type == '2') snprintf(block + 157, 100, "%s", link);
    memcpy(block + 257, type == 'S' ? "ustar  " : "ustar\00000", 8);
    if (type == 'S') block[482] = atoi(link) > 0;
    for (int i = 0; i < HD_TAR_BLOCK; i++) sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    assert_int_equal(fwrite(block, sizeof block, 1, f), 1);
    if (type == 'S') put_list(f, block, atoi(link));
    memset(block, 0, sizeof block);
    memcpy(block, content, size);
    if (size) assert_int_equal(fwrite(block, sizeof block, 1, f), 1);
}

static void put_record(FILE *f, const char *key, const char *value)
{
    char record[HD_TAR_BLOCK];
    const int n = (int)(strlen(key) + strlen(value)) + 5; /* with two digits of its length, " ", "=" and a line end */
    assert_in_range(n, 10, 99);
    snprintf(record, sizeof record, "%d %s=%s\n", n, key, value);
    put_member(f, "PaxHeaders/x", 'x', record);
}

/* An archive of files with these names, blank between them; "a>b": a is a hard link to b, "a~b": a symbolic one,
 * "a%2": a lacks its holes, and two blocks list what it holds, "a%": the same as pax has it. */
static void put_archive(const char *path, const char *names)
{
    static const char end[2 * HD_TAR_BLOCK];
    char text[400], *save;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    snprintf(text, sizeof text, "%s", names);
    for (char *name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        char *link = name + strcspn(name, ">~%");
        const char type = *link == '>' ? '1' : *link == '~' ? '2' : *link && link[1] ? 'S' : *link ? 'x' : '0';
        if (*link) *link++ = 0;
        if (type == 'x') put_record(f, "GNU.sparse.name", name);
        put_member(f, type == 'x' ? "GNUSparseFile.1/x" : name, type == 'x' ? '0' : type, link);
    }
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

static bool known(struct hd_ctx *ctx, const char *path)
{
    return hd_archive_names_of(ctx->archives, path) != NULL;
}

static void names_are_read_once(void **state)
{
    struct hd_ctx *ctx = hd_ctx_new();
    const char *path = text_file("");
    (void)state;
    put_archive(path, "diag/a.db_csv diag/b.fdbs");
    assert_false(known(ctx, path));
    expect(ctx, path, ".far", "");
    assert_true(known(ctx, path));
    expect(ctx, path, ".slvl", "");
    expect(ctx, path, ".db_csv", "diag/a.db_csv");
    expect(ctx, path, ".fdbs", "diag/b.fdbs");
    expect(ctx, path, ".other", "");
    hd_ctx_free(ctx);
}

static void another_archive_is_looked_through_again(void **state)
{
    struct hd_ctx *ctx = hd_ctx_new();
    const char *path = text_file("");
    char other[80];
    (void)state;
    put_archive(path, "diag/a.db_csv diag/b.fdbs");
    expect(ctx, path, ".far", "");
    snprintf(other, sizeof other, "%s.new", path);
    put_archive(other, "diag/a.far diag/b.fdbs");
    assert_int_equal(rename(other, path), 0);
    assert_false(known(ctx, path));
    expect(ctx, path, ".far", "diag/a.far");
    hd_ctx_free(ctx);
}

/* Contexts on the stack of a caller keep nothing, and of many files the names are not kept. */
static void nothing_need_be_kept(void **state)
{
    struct hd_ctx ctx, *keeps = hd_ctx_new();
    struct hd_archive_list many = {.n = 1 << 20};
    struct stat st;
    const char *path = text_file("");
    (void)state;
    hd_ctx_init(&ctx);
    put_archive(path, "diag/a.db_csv diag/.b.far");
    expect(&ctx, path, ".far", "");
    expect(&ctx, path, ".far", "");
    expect(&ctx, path, ".db_csv", "diag/a.db_csv");
    assert_int_equal(stat(path, &st), 0);
    assert_false(hd_archive_names_keep(keeps->archives, path, &st, &many));
    hd_ctx_free(keeps);
}

/* Each row: the files of an archive, an ending, and the file that is found. */
static void all_files_come_from_one_folder(void **state)
{
    static const char *const rows[][3] = {
        {"2/a.fdbs 1/a.db_csv", ".fdbs", ""}, /* the tables are those of another network */
        {"2/a.fdbs 1/a.db_csv", ".db_csv", "1/a.db_csv"},
        {"c/b.ibnet c/a.ibnet", ".ibnet", "c/a.ibnet"}, /* the first by name, as in a folder */
        {"c/a.ibnet.gz c/a.ibnet", ".ibnet", "c/a.ibnet"},
        {"./c/a.ibnet c//b.fdbs /c/d.far", ".far", "/c/d.far"}, /* one folder in several forms */
        {"c/x/../a.ibnet c/b.fdbs", ".fdbs", "c/b.fdbs"},
        {"../../a.ibnet ../../b.fdbs", ".fdbs", "../../b.fdbs"},
        {"c/old/a.ibnet c/a.ibnet c/old/a.far", ".ibnet", "c/a.ibnet"}, /* the outer folder, as it would be named */
        {"c/old/a.ibnet c/a.ibnet c/old/a.far", ".far", ""},
        {"c/old/a.ibnet a.net_dump", ".ibnet", ""},
        {"x/files.lst c/a.db_csv", ".lst", ""}, /* any list of anything */
        {"x/files.lst c/a.fdbs", ".lst", "x/files.lst"},
        {"opensm/opensm-subnet.lst c/a.db_csv c/a.fdbs", ".fdbs", "c/a.fdbs"},
        {"opensm/opensm-subnet.lst opensm/opensm-lfts.dump", "lfts.dump", "opensm/opensm-lfts.dump"},
        {"perl/A.pm c/a.fdbs", ".fdbs", "c/a.fdbs"},
        {"now/a.db_csv~../c/a.db_csv c/a.db_csv c/a.pm", ".pm", "c/a.pm"}, /* one capture under two names */
        {"x/net c/a.ibnet>x/net c/a.far", ".ibnet", "x/net"},
        {"c/a.ibnet~../x/net x/net c/a.far", ".ibnet", "x/net"},
        {"c/net c/b>c/net c/a.ibnet~b", ".ibnet", "c/net"},
        {"c/disk%0 c/a.ibnet", ".ibnet", "c/a.ibnet"}, /* what others hold does not matter, where it ends does */
        {"c/disk%1 c/a.ibnet", ".ibnet", "c/a.ibnet"},
        {"c/disk%2 c/a.ibnet c/b.far%3", ".ibnet", "c/a.ibnet"},
        {"c/disk% c/a.ibnet", ".ibnet", "c/a.ibnet"},
        {"c/a.other", ".other", "c/a.other"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hd_ctx *ctx = hd_ctx_new();
        const char *path = text_file("");
        put_archive(path, rows[i][0]);
        for (int again = 0; again < 2; again++) expect(ctx, path, rows[i][1], rows[i][2]);
        hd_ctx_free(ctx);
    }
}

/* Each row: the files of an archive, and what the message has. */
/* Sizes beyond eight gigabytes are in binary. One that no disk has is refused, whether or not it is that of a file. */
static void sizes_beyond_all_disks_are_refused(void **state)
{
    struct hd_ctx *ctx = hd_ctx_new();
    const char *path = text_file("");
    struct hd_in *in;
    unsigned sum = 0;
    unsigned char block[HD_TAR_BLOCK];
    (void)state;
    put_archive(path, "c/notes c/a.fdbs");
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fread(block, sizeof block, 1, f), 1);
    memset(block + 124, 0, 12);
    block[124] = 0x80;
    block[129] = 1; /* 2^48 */
    memset(block + 148, ' ', 8);
    for (int i = 0; i < HD_TAR_BLOCK; i++) sum += block[i];
    snprintf((char *)block + 148, 8, "%06o", sum);
    rewind(f);
    assert_int_equal(fwrite(block, sizeof block, 1, f), 1);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(hd_bundle_open(ctx, path, ".fdbs", &in), HD_INPUT);
    assert_non_null(strstr(ctx->error, "a broken header in the archive"));
    hd_ctx_free(ctx);
}

static void what_is_not_clear_is_refused(void **state)
{
    static const char *const rows[][2] = {
        {"1/a.ibnet 2/a.ibnet 2/a.fdbs", "captures in several folders, '1', '2': expected one"},
        {"2/a.ibnet 2/a.fdbs 1/a.ibnet", "captures in several folders, '1', '2': expected one"},
        {"a/a.ibnet a/1/a.ibnet a-1/a.db_csv", "captures in several folders, 'a', 'a-1': expected one"},
        {"1/a.fdbs 2/a.fdbs", "captures in several folders, '1', '2': expected one"},
        {"1/subnet.lst 2/subnet.lst", "captures in several folders, '1', '2': expected one"},
        {"1/a.ibnet 2/a.ibnet 3/a.ibnet 4/a.ibnet 5/a.ibnet 6/a.ibnet", "'1', '2', '3', '4' and 2 more: expected one"},
        {"c/a.fdbs>c/later c/later", "c/a.fdbs: is a link to 'c/later', which is not a file of the archive"},
        {"c/a.fdbs~../../out", "c/a.fdbs: is a link to '../out', which is not a file of the archive"},
        {"c/a.fdbs~a.fdbs", "c/a.fdbs: is a link to 'c/a.fdbs', which is not a file of the archive"},
        {"c/a.fdbs%0", "c/a.fdbs: a sparse file, without its holes: expected one with all its bytes"},
        {"c/a.fdbs%2 c/b.fdbs", "c/a.fdbs: a sparse file, without its holes: expected one with all its bytes"},
        {"c/a.fdbs%", "c/a.fdbs: a sparse file, without its holes: expected one with all its bytes"},
        {"c/b% c/a.fdbs~b", "c/a.fdbs: a sparse file, without its holes: expected one with all its bytes"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hd_ctx *ctx = hd_ctx_new();
        struct hd_in *in;
        const char *path = text_file("");
        put_archive(path, rows[i][0]);
        assert_int_equal(hd_bundle_open(ctx, path, ".fdbs", &in), HD_INPUT);
        if (!strstr(hd_ctx_error(ctx), rows[i][1])) fail_msg("%s: %s", rows[i][0], hd_ctx_error(ctx));
        hd_ctx_free(ctx);
    }
}

/* What stands in place of the byte at an offset of an archive of two files, and what the message has. */
static void archives_out_of_step_are_refused(void **state)
{
    static const struct {
        const char *names;
        long at;
        char byte;
        const char *says;
    } rows[] = {
        {"c/a.ibnet c/b.fdbs", 1024, 0, "a broken header in the archive: expected one of tar"},
        {"c/a.ibnet c/b.fdbs", 2048 + 511, 1, "a broken header in the archive: expected one of tar"},
        {"c/a.ibnet c/b%1 c/c.fdbs", 1024 + 512 + 504, 1, "a broken header in the archive: expected one of tar"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hd_ctx *ctx = hd_ctx_new();
        struct hd_in *in;
        const char *path = text_file("");
        put_archive(path, rows[i].names);
        FILE *f = fopen(path, "r+");
        assert_non_null(f);
        assert_int_equal(fseek(f, rows[i].at, SEEK_SET), 0);
        assert_int_equal(fputc(rows[i].byte, f), rows[i].byte);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(hd_bundle_open(ctx, path, ".fdbs", &in), HD_INPUT);
        if (!strstr(hd_ctx_error(ctx), rows[i].says)) fail_msg("row %zu: %s", i, hd_ctx_error(ctx));
        hd_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_read_once),
                                       cmocka_unit_test(another_archive_is_looked_through_again),
                                       cmocka_unit_test(nothing_need_be_kept),
                                       cmocka_unit_test(all_files_come_from_one_folder),
                                       cmocka_unit_test(sizes_beyond_all_disks_are_refused),
                                       cmocka_unit_test(what_is_not_clear_is_refused),
                                       cmocka_unit_test(archives_out_of_step_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
