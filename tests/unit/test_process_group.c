/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that run beside heddle: their output, their folder, and their end. */
#include "testing.h"

#include "ib/process_group.h"
#include "base/context.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hd_ctx ctx;

/* Waits until a program has written a line that begins with this word. */
static bool wrote(const struct hd_process_group *group, const char *name, const char *word, int milliseconds)
{
    char file[128], line[64];
    bool found = false;
    for (int i = 0; i <= milliseconds && !found; i++) {
        FILE *f = fopen(hd_process_group_path(group, name, file), "r");
        while (f && !found && fgets(line, sizeof line, f)) found = strncmp(line, word, strlen(word)) == 0;
        if (f) fclose(f);
        if (!found) hd_pause(0.001);
    }
    return found;
}

/* One that is asked to stop may finish what it does, and others go on. */
static void programs_stop_in_their_own_time(void **state)
{
    const char *sleeps[] = {"/bin/sleep", "1000", NULL}, *env[] = {"PATH=/usr/bin:/bin", NULL};
    const char *tidies[] = {"/bin/sh", "-c", "trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.05; done",
                            NULL};
    struct hd_process_group group;
    pid_t other, pid;
    int status;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_process_group_begin(&ctx, &group), HD_OK);
    assert_int_equal(hd_process_group_start(&ctx, &group, &(struct hd_program_run){sleeps, env, "a"}, &other), HD_OK);
    assert_int_equal(hd_process_group_start(&ctx, &group, &(struct hd_program_run){tidies, env, "b"}, &pid), HD_OK);
    assert_true(wrote(&group, "b", "ready", 5000));
    hd_process_group_stop(&group, pid);
    assert_true(wrote(&group, "b", "tidy", 0));
    assert_false(hd_process_group_ended(&group, other, &status));
    hd_process_group_end(&group);
}

static void process_groups(void **state)
{
    struct hd_process_group group;
    char path[256], file[128];
    struct stat st;
    pid_t pid;
    int status;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_process_group_begin(&ctx, &group), HD_OK);
    assert_int_equal(stat(group.folder, &st), 0);
    const char *argv[] = {"/bin/sh", "-c", "echo $WORD; pwd; exit 7", NULL}, *env[] = {"WORD=hello", NULL};
    const struct hd_program_run run = {argv, env, "out"};
    assert_int_equal(hd_process_group_start(&ctx, &group, &run, &pid), HD_OK);
    while (!hd_process_group_ended(&group, pid, &status)) hd_pause(0.001);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_false(hd_process_group_ended(&group, pid, &status));
    FILE *f = fopen(hd_process_group_path(&group, "out", file), "r");
    assert_non_null(f);
    assert_non_null(fgets(path, sizeof path, f));
    assert_string_equal(path, "hello\n");
    assert_non_null(fgets(path, sizeof path, f));
    path[strlen(path) - 1] = 0;
    assert_string_equal(path, group.folder);
    fclose(f);

    /* one that does not listen, and its child */
    const char *deaf[] = {"/bin/sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000", NULL};
    const struct hd_program_run run2 = {deaf, env, "out2"};
    assert_int_equal(hd_process_group_start(&ctx, &group, &run2, &pid), HD_OK);
    long child = 0;
    for (int i = 0; i < 5000 && !child; i++) {
        f = fopen(hd_process_group_path(&group, "out2", file), "r");
        if (f && fscanf(f, "%ld", &child) != 1) child = 0;
        if (f) fclose(f);
        hd_pause(0.001);
    }
    assert_true(child > 0);
    snprintf(path, sizeof path, "%s", group.folder);
    hd_process_group_end(&group);
    assert_int_not_equal(stat(path, &st), 0);
    assert_int_not_equal(kill(pid, 0), 0);
    /* The child was killed but is not ours to wait for: on a busy machine it takes a moment to be gone, and may stay a
     * zombie. */
    snprintf(path, sizeof path, "/proc/%ld/cwd", child);
    char cwd[256];
    bool gone = false;
    for (int i = 0; i < 5000 && !(gone = readlink(path, cwd, sizeof cwd) <= 0); i++) hd_pause(0.001);
    assert_true(gone);
    hd_process_group_end(&group); /* once more does no harm */

    assert_int_equal(hd_program_find(&ctx, "", "sh", "dash", path), HD_OK);
    assert_int_equal(hd_program_find(&ctx, "", "no-such-program", "some-package", path), HD_MISSING);
    assert_string_equal(ctx.error, "no-such-program is not installed: apt-get install some-package");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_groups),
        cmocka_unit_test(programs_stop_in_their_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
