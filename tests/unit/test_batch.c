/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that appear together or not at all, seen from the folder they are written to. */
#include "base/batch.h"
#include "base/status.h"
#include "testing.h"
#include "base/context.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/heddle-batch-XXXXXX";

static const char *in(const char *name)
{
    static char path[4][200];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, 200, "%s/%s", folder, name);
    return p;
}

static hd_status put(struct hd_ctx *ctx, const char *name, const char *text)
{
    struct hd_out *o;
    HD_TRY(hd_out_open(ctx, in(name), &o));
    hd_puts(o, text);
    return hd_out_close(ctx, o);
}

/* What a file holds; "-": it is not there. */
static const char *got(const char *name)
{
    static char text[100];
    FILE *f = fopen(in(name), "r");
    if (!f) return "-";
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (readdir(d)) n++;
    closedir(d);
    return n - 2;
}

static void test_all_or_none(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    size_t mark;
    hd_ctx_init(&ctx);
    assert_int_equal(put(&ctx, "old", "before"), HD_OK);
    for (int fails = 1; fails >= 0; fails--) {
        assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
        assert_int_equal(put(&ctx, "old", "after"), HD_OK);
        assert_int_equal(hd_batch_folder(&ctx, in("sub")), HD_OK);
        assert_int_equal(put(&ctx, "sub/new", "new"), HD_OK);
        assert_string_equal(got("old"), "before");
        assert_string_equal(got("sub/new"), "-");
        hd_status s = fails ? hd_fail(&ctx, HD_LIMIT, "disk full") : HD_OK;
        assert_int_equal(hd_batch_end(&ctx, mark, s), s);
        assert_null(ctx.batch);
        assert_string_equal(got("old"), fails ? "before" : "after");
        assert_string_equal(got("sub/new"), fails ? "-" : "new");
        assert_int_equal(entries(), fails ? 1 : 2);
    }
    assert_string_equal(ctx.error, "disk full");
    assert_int_equal(put(&ctx, "sub/new", "newer"), HD_OK); /* at once, without a batch */
    assert_string_equal(got("sub/new"), "newer");
}

/* An inner part that fails is taken back alone; what an earlier run left goes at the end only. */
static void test_parts(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    size_t mark, inner;
    hd_ctx_init(&ctx);
    assert_int_equal(put(&ctx, "stale", "left"), HD_OK);
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(put(&ctx, "one", "1"), HD_OK);
    assert_int_equal(hd_batch_remove(&ctx, in("stale")), HD_OK);
    assert_int_equal(hd_batch_remove(&ctx, in("never")), HD_OK);
    assert_int_equal(hd_batch_begin(&ctx, &inner), HD_OK);
    assert_int_equal(hd_batch_folder(&ctx, in("part")), HD_OK);
    assert_int_equal(put(&ctx, "part/two", "2"), HD_OK);
    assert_int_equal(hd_batch_end(&ctx, inner, HD_INPUT), HD_INPUT);
    assert_int_equal(hd_batch_begin(&ctx, &inner), HD_OK);
    assert_int_equal(put(&ctx, "three", "3"), HD_OK);
    assert_int_equal(hd_batch_end(&ctx, inner, HD_OK), HD_OK);
    assert_string_equal(got("stale"), "left");
    assert_string_equal(got("three"), "-");
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_OK);
    assert_string_equal(got("one"), "1");
    assert_string_equal(got("three"), "3");
    assert_string_equal(got("stale"), "-");
    struct stat st;
    assert_int_not_equal(stat(in("part"), &st), 0);
}

/* A folder in the place of a file that has to go: told before anything beside it is renamed. */
static void test_folder_cannot_go(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    size_t mark;
    hd_ctx_init(&ctx);
    assert_int_equal(mkdir(in("solid"), 0777), 0);
    int before = entries();
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(put(&ctx, "beside", "x"), HD_OK);
    hd_status s = hd_batch_remove(&ctx, in("solid"));
    assert_int_equal(hd_batch_end(&ctx, mark, s), HD_LIMIT);
    assert_non_null(strstr(ctx.error, "solid: cannot remove what an earlier run left: "));
    assert_string_equal(got("beside"), "-");
    assert_int_equal(entries(), before);
}

/* A target that became a folder meanwhile: told, and no temporary file stays. */
static void test_rename_fails(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    size_t mark;
    hd_ctx_init(&ctx);
    int before = entries();
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(put(&ctx, "taken", "x"), HD_OK);
    assert_int_equal(mkdir(in("taken"), 0777), 0);
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_LIMIT);
    assert_non_null(strstr(ctx.error, "taken: cannot write: "));
    assert_int_equal(entries(), before + 1);
}

static int make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int drop(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_or_none), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_folder_cannot_go), cmocka_unit_test(test_rename_fails)};
    return cmocka_run_group_tests(tests, make, drop);
}
