/* SPDX-License-Identifier: BSD-2-Clause */
/* A second opinion, from a program of this test in the place of ibdmchk: it looks for the files that it is given and
 * says what ibdmchk says. What is heard becomes the verdict, whatever the exit status, and nothing is left behind. */
#include "testing.h"

#include "base/context.h"
#include "ib/ibdmchk.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char programs[] = "/tmp/heddle-second-XXXXXX";

static int make_programs(void **state)
{
    (void)state;
    return mkdtemp(programs) ? 0 : 1;
}

static char *program_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/ibdmchk", programs);
    return path;
}

static int drop_programs(void **state)
{
    (void)state;
    unlink(program_path());
    return rmdir(programs);
}

/* A script that first sees to its files, as -s, -f and -m name them, and then says these lines. */
static void write_program(const char *lines, int status)
{
    FILE *f = fopen(program_path(), "w");
    assert_non_null(f);
    fprintf(
        f,
        "#!/bin/sh\n"
        "while [ $# -gt 0 ]; do\n"
        "    case $1 in -s|-f) [ -s \"$2\" ] || echo \"-E- no $2\" ;; -m) [ -e \"$2\" ] || echo \"-E- no $2\" ;; esac\n"
        "    shift\n"
        "done\n"
        "cat <<'END'\n%sEND\nexit %d\n",
        lines, status);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(program_path(), 0700), 0);
}

static int files_in(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void verdicts_are_heard(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        int status, connected, deadlock_free;
        const char *said;
    } rows[] = {
        {"-I- Scanned:56 CA to CA paths\n-I- no credit loops found\n", 0, 1, 1, "-I- no credit loops found"},
        {"-I- Scanned:56 CA to CA paths\nFound credit loop on: SL 0\n", 139, 1, 0, "Found credit loop on: SL 0"},
        {"-E- Fail to find a path from:a to:b\n-I- Scanned:56 CA to CA paths\n", 1, 0, -1,
         "-E- Fail to find a path from:a to:b"},
        {"-I- Scanned:56 CA to CA paths\n-E- credit loops in routing\n", 0, 1, -1, ""},
        {"-I- Scanned:56 CA to CA paths\n-E- a warning about something else\n-I- no credit loops found\n", 0, 1, 1,
         "-I- no credit loops found"},
        {"nothing of interest\n", 0, -1, -1, ""},
    };
    struct hd_net *net = make_net("ft:m=4,n=2");
    struct hd_routes *r = make_routes(net, "dmodk");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hd_ctx ctx;
        struct hd_second v;
        hd_ctx_init(&ctx);
        write_program(rows[i].lines, rows[i].status);
        if (hd_routes_second(&ctx, r, programs, &v) != HD_OK) fail_msg("%s", ctx.error);
        if (v.connected != rows[i].connected || v.deadlock_free != rows[i].deadlock_free ||
            strcmp(v.said, rows[i].said) != 0)
            fail_msg("row %zu: connected %d, deadlock free %d: %s", i, v.connected, v.deadlock_free, v.said);
        assert_int_equal(files_in(programs), 1);
        hd_ctx_release(&ctx);
    }
    hd_routes_free(r);
    hd_net_free(net);
}

/* A loop once found is not forgotten for a later line of the same kind. */
static void the_first_loop_counts(void **state)
{
    (void)state;
    struct hd_second v = {.connected = -1, .deadlock_free = -1};
    hd_ibdmchk_line("Found credit loop on: SL 0", &v);
    hd_ibdmchk_line("Found credit loop on: SL 1", &v);
    assert_int_equal(v.deadlock_free, 0);
    assert_string_equal(v.said, "Found credit loop on: SL 0");
}

static void no_program(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_second v;
    struct hd_net *net = make_net("ft:m=4,n=2");
    struct hd_routes *r = make_routes(net, "dmodk");
    hd_ctx_init(&ctx);
    unlink(program_path());
    assert_int_equal(hd_routes_second(&ctx, r, programs, &v), HD_MISSING);
    assert_non_null(strstr(ctx.error, "ibdmchk is not installed in /tmp/heddle-second-"));
    hd_ctx_release(&ctx);
    hd_routes_free(r);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_heard),
        cmocka_unit_test(the_first_loop_counts),
        cmocka_unit_test(no_program),
    };
    return cmocka_run_group_tests(tests, make_programs, drop_programs);
}
