/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that appear together or not at all, seen from the folder they are written to. */
#define _DEFAULT_SOURCE /* syscall */
#include "base/batch.h"
#include "base/folder_marks.h"
#include "base/input.h"
#include "base/status.h"
#include "testing.h"
#include "base/context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/heddle-batch-XXXXXX";

static const char *in(const char *name)
{
    static char path[8][300];
    static int next;
    char *p = path[next++ % 8];
    snprintf(p, 300, "%s/%s", folder, name);
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
    static char text[600];
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

/* The temporary name that a file has in the making, or what it held before; "": there is none. */
static const char *other_name(const char *name, const char *ending)
{
    static char found[256];
    char begin[64];
    const int n = snprintf(begin, sizeof begin, "%s%s", name, ending);
    DIR *d = opendir(folder);
    found[0] = 0;
    for (const struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, begin, (size_t)n) == 0) snprintf(found, sizeof found, "%s", e->d_name);
    closedir(d);
    return found;
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
        assert_int_equal(hd_batch_folder(&ctx, in("sub"), "test"), HD_OK);
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
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(hd_batch_folder(&ctx, in("own"), "test"), HD_OK);
    assert_int_equal(put(&ctx, "own/stale", "left"), HD_OK);
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_OK);
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(hd_batch_folder(&ctx, in("own"), "test"), HD_OK);
    assert_int_equal(put(&ctx, "own/one", "1"), HD_OK);
    assert_int_equal(hd_batch_remove(&ctx, in("own/stale")), HD_OK);
    assert_int_equal(hd_batch_remove(&ctx, in("own/never")), HD_OK);
    assert_int_equal(hd_batch_begin(&ctx, &inner), HD_OK);
    assert_int_equal(hd_batch_folder(&ctx, in("part"), "test"), HD_OK);
    assert_int_equal(put(&ctx, "part/two", "2"), HD_OK);
    assert_int_equal(hd_batch_end(&ctx, inner, HD_INPUT), HD_INPUT);
    assert_int_equal(hd_batch_begin(&ctx, &inner), HD_OK);
    assert_int_equal(put(&ctx, "three", "3"), HD_OK);
    assert_int_equal(hd_batch_end(&ctx, inner, HD_OK), HD_OK);
    assert_string_equal(got("own/stale"), "left");
    assert_string_equal(got("three"), "-");
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_OK);
    assert_string_equal(got("own/one"), "1");
    assert_string_equal(got("three"), "3");
    assert_string_equal(got("own/stale"), "-");
    struct stat st;
    assert_int_not_equal(stat(in("part"), &st), 0);
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(in(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A run into a folder that writes one file and removes another. */
static hd_status run_by(struct hd_ctx *ctx, const char *by, const char *sub, const char *name, const char *gone)
{
    char path[100];
    size_t mark;
    HD_TRY(hd_batch_begin(ctx, &mark));
    hd_status s = hd_batch_folder(ctx, in(sub), by);
    snprintf(path, sizeof path, "%s/%s", sub, name);
    if (s == HD_OK) s = put(ctx, path, by);
    snprintf(path, sizeof path, "%s/%s", sub, gone);
    if (s == HD_OK) s = hd_batch_remove(ctx, in(path));
    return hd_batch_end(ctx, mark, s);
}

static hd_status run_into(struct hd_ctx *ctx, const char *sub, const char *name, const char *gone)
{
    return run_by(ctx, "ours", sub, name, gone);
}

/* Nothing that somebody else wrote or changed is replaced or removed; our own files are. */
static void test_foreign_files_stay(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct stat st;
    hd_ctx_init(&ctx);
    assert_int_equal(mkdir(in("etc"), 0777), 0);
    write_file("etc/conf", "mine");
    write_file("etc/notes", "mine");
    assert_int_equal(run_into(&ctx, "etc", "conf", "notes"), HD_INPUT);
    assert_non_null(strstr(ctx.error, "etc/conf"));
    assert_null(strstr(ctx.error, "notes"));
    assert_string_equal(got("etc/conf"), "mine");
    assert_int_not_equal(stat(in("etc/.heddle"), &st), 0);
    assert_int_equal(run_into(&ctx, "etc", "table", "notes"), HD_OK); /* beside them */
    assert_string_equal(got("etc/table"), "ours");
    assert_string_equal(got("etc/notes"), "mine");
    assert_int_equal(run_into(&ctx, "etc", "table", "nothing"), HD_OK); /* again */
    write_file("etc/table", "edited");
    assert_int_equal(run_into(&ctx, "etc", "table", "nothing"), HD_INPUT);
    assert_int_equal(run_into(&ctx, "etc", "other", "table"), HD_OK);
    assert_string_equal(got("etc/table"), "edited");
    assert_int_equal(run_into(&ctx, "etc", "third", "other"), HD_OK);
    assert_string_equal(got("etc/other"), "-");
    assert_int_equal(run_into(&ctx, "etc/sub", "deep", "nothing"), HD_OK);
    assert_int_equal(run_into(&ctx, "etc", "third", "sub/deep"), HD_OK); /* in a folder that is not asked for */
    assert_string_equal(got("etc/sub/deep"), "-");
    write_file("etc/.heddle", "mine");
    assert_int_equal(run_into(&ctx, "etc", "fourth", "other"), HD_INPUT);
    assert_non_null(strstr(ctx.error, "etc/.heddle"));
}

/* What another command wrote to the folder stays; each goes on to replace its own, and that of a list without
 * commands. */
static void test_files_of_other_commands_stay(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    char list[600], *line;
    hd_ctx_init(&ctx);
    assert_int_equal(run_by(&ctx, "route", "both", "README", "nothing"), HD_OK);
    assert_int_equal(run_by(&ctx, "advise", "both", "README", "nothing"), HD_INPUT);
    assert_non_null(strstr(ctx.error, "written there by route, so not replaced: "));
    assert_non_null(strstr(ctx.error, "both/README"));
    assert_string_equal(got("both/README"), "route");
    assert_int_equal(run_by(&ctx, "advise", "both", "report", "README"), HD_OK); /* beside it */
    assert_string_equal(got("both/README"), "route");
    assert_int_equal(run_by(&ctx, "route", "both", "README", "report"), HD_OK);
    assert_string_equal(got("both/report"), "advise");
    assert_int_equal(run_by(&ctx, "advise", "both", "report", "nothing"), HD_OK);
    snprintf(list, sizeof list, "%s", got("both/.heddle"));
    assert_int_equal(run_by(&ctx, "advise", "both", "report", "nothing"), HD_OK); /* what is as it was is listed once */
    assert_string_equal(got("both/.heddle"), list);
    assert_int_equal(run_by(&ctx, "route", "unsaid", "README", "nothing"), HD_OK);
    snprintf(list, sizeof list, "%s", got("unsaid/.heddle"));
    assert_non_null(line = strstr(list, "by route\n"));
    memmove(line, line + 9, strlen(line + 9) + 1);
    write_file("unsaid/.heddle", list);
    assert_int_equal(run_by(&ctx, "advise", "unsaid", "README", "nothing"), HD_OK);
}

static void test_links_are_not_followed(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(mkdir(in("shared"), 0777), 0);
    write_file("victim", "precious");
    assert_int_equal(symlink(in("victim"), in("shared/page")), 0);
    assert_int_equal(run_into(&ctx, "shared", "page", "nothing"), HD_INPUT);
    assert_string_equal(got("victim"), "precious");
    size_t mark;
    assert_int_equal(symlink(folder, in("shared/ranks")), 0);
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(hd_batch_folder(&ctx, in("shared"), "test"), HD_OK);
    hd_status s = hd_batch_folder(&ctx, in("shared/ranks"), "test");
    assert_int_equal(hd_batch_end(&ctx, mark, s), HD_INPUT);
    assert_non_null(strstr(ctx.error, "not written by heddle, so not replaced: "));
    assert_non_null(strstr(ctx.error, "shared/ranks (expected a folder)"));
    assert_int_equal(symlink(in("victim"), in("link")), 0); /* the user's own, named as the output */
    assert_int_equal(put(&ctx, "link", "new"), HD_OK);
    assert_string_equal(got("victim"), "new");
}

static void test_one_writer_per_folder(void **state)
{
    (void)state;
    struct hd_ctx ctx, other;
    size_t mark;
    hd_ctx_init(&ctx);
    hd_ctx_init(&other);
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(hd_batch_folder(&ctx, in("busy"), "test"), HD_OK);
    assert_int_equal(run_into(&other, "busy", "x", "y"), HD_LIMIT);
    assert_non_null(strstr(other.error, "another process is writing"));
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_OK);
    assert_int_equal(run_into(&other, "busy", "x", "y"), HD_OK);
}

/* The second rename fails: the first file is as it was. */
static void test_renames_are_taken_back(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    size_t mark;
    hd_ctx_init(&ctx);
    assert_int_equal(put(&ctx, "first", "before"), HD_OK);
    int before = entries();
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(put(&ctx, "first", "after"), HD_OK);
    assert_int_equal(put(&ctx, "fresh", "after"), HD_OK);
    assert_int_equal(put(&ctx, "last", "after"), HD_OK);
    assert_int_equal(unlink(in(other_name("last", ".tmp"))), 0);
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_LIMIT);
    assert_string_equal(got("first"), "before");
    assert_string_equal(got("fresh"), "-");
    assert_int_equal(entries(), before);
}

static void test_inputs_and_doubles(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    size_t mark;
    hd_ctx_init(&ctx);
    write_file("hosts", "a b c");
    assert_int_equal(hd_protect_inputs(&ctx), HD_OK);
    assert_int_equal(hd_protect_inputs(&ctx), HD_OK); /* once is enough */
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(hd_protect_input(&ctx, in("hosts")), HD_OK);
    assert_int_equal(hd_protect_input(&ctx, in("nothing")), HD_OK);
    assert_int_equal(put(&ctx, "hosts", "c b a"), HD_OK);
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_INPUT);
    assert_string_equal(got("hosts"), "a b c");
    hd_ctx_release(&ctx);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(put(&ctx, "double", "1"), HD_OK);
    assert_int_equal(put(&ctx, "double", "2"), HD_OK);
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_INPUT);
    assert_string_equal(got("double"), "-");
}

/* What was opened counts, whatever its name was; and only where the caller wants it so: a program may read a file,
 * change it and write it again. */
static void test_what_was_read(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_in *input;
    char name[32];
    hd_ctx_init(&ctx);
    for (int protects = 0; protects < 2; protects++) {
        if (protects) assert_int_equal(hd_protect_inputs(&ctx), HD_OK);
        for (int i = 0; i < 40; i++) {
            snprintf(name, sizeof name, "read-%d", i);
            write_file(name, "old");
            assert_int_equal(hd_in_open(&ctx, in(name), &input), HD_OK);
            hd_in_close(input);
        }
        for (int i = 0; i < 40; i++) {
            snprintf(name, sizeof name, "read-%d", i);
            assert_int_equal(put(&ctx, name, "new"), protects ? HD_INPUT : HD_OK);
            assert_string_equal(got(name), protects ? "old" : "new");
        }
    }
    assert_int_equal(symlink("read-7", in("to-read-7")), 0);
    assert_int_equal(link(in("read-7"), in("is-read-7")), 0);
    assert_int_equal(put(&ctx, "to-read-7", "new"), HD_INPUT);
    assert_int_equal(put(&ctx, "is-read-7", "new"), HD_INPUT);
    assert_int_equal(put(&ctx, "not-read", "new"), HD_OK);
    assert_int_equal(put(&ctx, "not-read", "newer"), HD_OK);
    hd_ctx_release(&ctx);
}

static void test_mode_stays(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct stat st;
    hd_ctx_init(&ctx);
    write_file("secret", "old");
    assert_int_equal(chmod(in("secret"), 0600), 0);
    if (geteuid() == 0) assert_int_equal(chown(in("secret"), 1234, 1235), 0);
    assert_int_equal(put(&ctx, "secret", "new"), HD_OK);
    assert_int_equal(stat(in("secret"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    if (geteuid() == 0) assert_true(st.st_uid == 1234 && st.st_gid == 1235);
}

/* Behind a stream, which is no file of its own: a descriptor that others hold too. Large ones begin before they end. */
static void test_streams_wait(void **state)
{
    (void)state;
    enum { CHUNK = 1 << 20, KEPT = 64 };
    static char chunk[CHUNK];
    struct hd_ctx ctx;
    struct stat st;
    hd_ctx_init(&ctx);
    memset(chunk, 'x', sizeof chunk);
    for (int whole = 0; whole < 2; whole++)
        for (int chunks = KEPT; chunks <= KEPT + 1; chunks++)
            for (int drops = 0; drops < 2; drops++) {
                struct hd_out *o;
                char path[40];
                int fd = open(in("behind"), O_RDWR | O_CREAT | O_TRUNC, 0600);
                snprintf(path, sizeof path, "/dev/fd/%d", fd);
                assert_int_equal(hd_out_open(&ctx, path, &o), HD_OK);
                if (whole) hd_out_set_whole(o);
                for (int i = 0; i < chunks; i++) hd_put(o, chunk, CHUNK);
                assert_int_equal(fstat(fd, &st), 0);
                const bool begins = !whole && chunks > KEPT;
                assert_int_equal(st.st_size, begins ? KEPT * CHUNK : 0);
                if (drops)
                    hd_out_drop(o);
                else
                    assert_int_equal(hd_out_close(&ctx, o), HD_OK);
                assert_int_equal(fstat(fd, &st), 0);
                assert_int_equal(st.st_size / CHUNK, !drops ? chunks : begins ? KEPT : 0);
                close(fd);
            }
    assert_int_equal(unlink(in("behind")), 0);
    hd_ctx_release(&ctx);
}

/* In a batch a stream that has not begun waits for its end, and is not written where that fails. */
static void test_streams_of_a_batch(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    struct stat st;
    size_t mark;
    char path[40];
    hd_ctx_init(&ctx);
    int fd = open(in("behind"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    for (int fails = 1; fails >= 0; fails--) {
        assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
        assert_int_equal(hd_out_open(&ctx, path, &o), HD_OK);
        hd_puts(o, "result");
        assert_int_equal(hd_out_close(&ctx, o), HD_OK);
        assert_int_equal(fstat(fd, &st), 0);
        assert_int_equal(st.st_size, 0);
        const hd_status s = fails ? HD_INPUT : HD_OK;
        assert_int_equal(hd_batch_end(&ctx, mark, s), s);
        assert_string_equal(got("behind"), fails ? "" : "result");
    }
    close(fd);
    assert_int_equal(unlink(in("behind")), 0);
    hd_ctx_release(&ctx);
}

static int signal_at_list; /* sent where the list of a folder's files is about to be complete */

/* In place of the library's: nothing here is meant to last. */
int fsync(int fd)
{
    char link[40], path[300];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    if (signal_at_list && strstr(path, "/.heddle.tmp")) raise(signal_at_list);
    return 0;
}

static const char *comes; /* a file that somebody else puts in place between two looks at it */

/* In place of the library's. */
int lstat(const char *path, struct stat *st)
{
    if (comes && strcmp(path, in(comes)) == 0) {
        write_file(comes, "theirs");
        assert_int_equal(chmod(in(comes), 0640), 0);
    }
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

static void test_file_that_comes(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct stat st;
    hd_ctx_init(&ctx);
    comes = "comes";
    assert_int_equal(put(&ctx, "comes", "ours"), HD_OK);
    comes = NULL;
    assert_string_equal(got("comes"), "ours");
    assert_int_equal(stat(in("comes"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    hd_ctx_release(&ctx);
}

/* A child that ends while it writes a file, or the list of a folder's files, by a signal with the handler or by none
 * that can be handled. */
static void die_writing(int signal_number, bool handled, bool list)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct hd_ctx ctx;
        struct hd_out *o;
        size_t mark;
        hd_ctx_init(&ctx);
        if (handled) signal(signal_number, hd_files_on_signal);
        hd_batch_begin(&ctx, &mark);
        hd_batch_folder(&ctx, in("made"), "test");
        put(&ctx, "made/file", "x");
        hd_out_open(&ctx, in("big"), &o);
        if (list) signal_at_list = signal_number;
        if (list) hd_batch_end(&ctx, mark, HD_OK);
        raise(signal_number);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signal_number);
}

static void test_dead_writers_leave_nothing(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    int before = entries();
    die_writing(SIGTERM, true, false);
    assert_int_equal(entries(), before);
    die_writing(SIGTERM, true, true);
    assert_int_equal(entries(), before);
    die_writing(SIGKILL, false, true);
    assert_int_equal(entries(), before + 2); /* a folder with a file, a file */
    assert_int_equal(put(&ctx, "big", "small"), HD_OK);
    assert_int_equal(entries(), before + 2); /* the file is in place of what was left */
    assert_int_equal(run_into(&ctx, "made", "file", "nothing"), HD_OK);
    DIR *d = opendir(in("made"));
    int n = 0;
    while (readdir(d)) n++;
    closedir(d);
    assert_int_equal(n - 2, 2); /* the file and the list of files */
}

static enum { ALL_LOCKS, WRITERS_LOCKS, NO_LOCKS } locks; /* of this file system; NFS: of what is open for writing */

/* In place of the library's. */
int flock(int fd, int how)
{
    const bool writer = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    if (locks == NO_LOCKS || (locks == WRITERS_LOCKS && !writer)) {
        errno = locks == NO_LOCKS ? ENOSYS : EBADF;
        return -1;
    }
    return (int)syscall(SYS_flock, fd, how);
}

/* The path of what a child left that was killed while it wrote. */
static void leave_file(char left[300])
{
    die_writing(SIGKILL, false, false);
    DIR *d = opendir(folder);
    left[0] = 0;
    for (const struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, "big.tmp", 7) == 0) snprintf(left, 300, "%s", in(e->d_name));
    closedir(d);
    assert_int_equal(access(left, F_OK), 0);
}

/* A file that a dead process left stays as long as somebody has a lock on it. */
static void stays_while_locked(struct hd_ctx *ctx, int how)
{
    char left[300];
    leave_file(left);
    int fd = open(left, how);
    assert_true(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
    assert_int_equal(put(ctx, "big", "small"), HD_OK);
    assert_int_equal(access(left, F_OK), 0);
    close(fd);
    assert_int_equal(put(ctx, "big", "small"), HD_OK);
    assert_int_not_equal(access(left, F_OK), 0);
}

/* What is left goes also where there are no locks, and what is locked stays on NFS. */
static void test_file_systems_with_fewer_locks(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    char left[300];
    hd_ctx_init(&ctx);
    locks = NO_LOCKS;
    leave_file(left);
    assert_int_equal(put(&ctx, "big", "small"), HD_OK);
    assert_int_not_equal(access(left, F_OK), 0);
    locks = WRITERS_LOCKS;
    stays_while_locked(&ctx, O_RDWR);
    leave_file(left);
    assert_int_equal(chmod(left, 0400), 0); /* with the mode of a file that it was to replace */
    locks = ALL_LOCKS;
    assert_int_equal(put(&ctx, "big", "small"), HD_OK);
    assert_int_not_equal(access(left, F_OK), 0);
}

static bool replaced_is_locked, no_links;

/* In place of the library's: whether a file has a lock when it gets its second name, if it can have one. */
int linkat(int from, const char *name, int to, const char *second, int how)
{
    if (no_links) {
        errno = EPERM;
        return -1;
    }
    int fd = openat(from, name, O_RDONLY);
    replaced_is_locked = fd >= 0 && syscall(SYS_flock, fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    return (int)syscall(SYS_linkat, from, name, to, second, how);
}

static int renames, fails_from, dies_at; /* number of the rename that is the first to fail, or before which all ends */
static bool others_write;                /* another process writes the first file before a rename fails */

/* In place of the library's. */
int renameat(int from, const char *name, int to, const char *new_name)
{
    renames++;
    if (renames == dies_at) raise(SIGKILL);
    if (!fails_from || renames < fails_from) return (int)syscall(SYS_renameat2, from, name, to, new_name, 0);
    if (others_write) {
        write_file("theirs", "theirs");
        assert_int_equal(rename(in("theirs"), in("one")), 0);
        others_write = false;
    }
    errno = EIO;
    return -1;
}

/* Two files of one batch. */
static hd_status put_both(struct hd_ctx *ctx, const char *text)
{
    size_t mark;
    HD_TRY(hd_batch_begin(ctx, &mark));
    hd_status s = put(ctx, "one", text);
    if (s == HD_OK) s = put(ctx, "other", text);
    renames = 0;
    return hd_batch_end(ctx, mark, s);
}

/* What is replaced has a temporary name until all files are in place, and a lock as long. */
static void test_replaced_files_are_locked(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(put_both(&ctx, "old"), HD_OK);
    int fd = open(in("one"), O_RDONLY);
    replaced_is_locked = false;
    assert_int_equal(put_both(&ctx, "new"), HD_OK);
    assert_true(replaced_is_locked);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_string_equal(got("one"), "new");
    close(fd);
}

/* A first file that is in place cannot be taken back: what it replaced is kept under the name that is told, also when
 * the next run fails, and goes when one succeeds. */
static void test_only_copies_stay(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    for (int refused = 0; refused < 2; refused++) {
        no_links = refused;
        assert_int_equal(put_both(&ctx, "old"), HD_OK);
        assert_int_equal(chmod(in("one"), 0640), 0);
        const int before = entries();
        fails_from = 2;
        assert_int_equal(put_both(&ctx, "new"), HD_LIMIT);
        fails_from = 0;
        assert_string_equal(got("one"), "new");
        assert_string_equal(got("other"), "old");
        assert_int_equal(entries(), before + 1);
        assert_string_not_equal(other_name("one", ".old"), "");
        char named[64];
        snprintf(named, sizeof named, "FILE.old%ld-*", (long)getpid());
        assert_non_null(strstr(ctx.error, named));
        assert_int_equal(strncmp(other_name("one", ".old") + strlen("one"), named + strlen("FILE"), strlen(named) - 5),
                         0);
        assert_string_equal(got(other_name("one", ".old")), "old");
        struct stat st;
        assert_int_equal(stat(in(other_name("one", ".old")), &st), 0);
        assert_int_equal(st.st_mode & 07777, 0640);
        fails_from = 1;
        assert_int_equal(put_both(&ctx, "newer"), HD_LIMIT);
        fails_from = 0;
        assert_null(strstr(ctx.error, "taken back")); /* nothing was in place yet */
        assert_string_equal(got("one"), "new");
        assert_string_equal(got(other_name("one", ".old")), "old");
        assert_int_equal(unlink(in(other_name("one", ".old"))), 0);
        assert_int_equal(entries(), before);
    }
    no_links = false;
}

/* What another run has put in the place of a first file stays if a second one fails, and so does what both replaced. */
static void test_files_of_other_runs_stay(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    for (int before = 0; before < 2; before++) {
        unlink(in("one"));
        if (before) assert_int_equal(put_both(&ctx, "old"), HD_OK);
        const int n = entries();
        others_write = true;
        fails_from = 2;
        assert_int_equal(put_both(&ctx, "new"), HD_LIMIT);
        fails_from = 0;
        assert_false(others_write);
        assert_string_equal(got("one"), "theirs");
        assert_non_null(strstr(ctx.error, "cannot be taken back: "));
        assert_int_equal(entries(), n + 1); /* theirs, or the copy of the old one */
        if (!before) continue;
        assert_string_equal(got(other_name("one", ".old")), "old");
        assert_int_equal(unlink(in(other_name("one", ".old"))), 0);
    }
}

/* Where a file cannot have a second name, the old one is in its place until the new one is, and a kill leaves a copy
 * beside it at most, which a later run removes. */
static void test_no_second_links(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    int status;
    hd_ctx_init(&ctx);
    no_links = true;
    assert_int_equal(put_both(&ctx, "old"), HD_OK);
    const int before = entries();
    for (dies_at = 1; dies_at <= 2; dies_at++) {
        const pid_t pid = fork();
        if (pid == 0) _exit(put_both(&ctx, "new"));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        assert_string_equal(got("one"), dies_at == 1 ? "old" : "new");
        assert_string_equal(got("other"), "old");
    }
    dies_at = 0;
    assert_int_equal(put_both(&ctx, "new"), HD_OK);
    assert_string_equal(got("one"), "new");
    assert_string_equal(got("other"), "new");
    assert_int_equal(entries(), before);
    fails_from = 1; /* one file needs no copy: a rename leaves it old or new */
    renames = 0;
    assert_int_equal(put(&ctx, "one", "newer"), HD_LIMIT);
    assert_int_equal(renames, 1);
    assert_string_equal(got("one"), "new");
    assert_int_equal(entries(), before);
    fails_from = 0;
    no_links = false;
}

/* A process number says nothing about a process of another container, but its lock does. */
static void test_locked_files_stay(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    stays_while_locked(&ctx, O_RDONLY);

    struct hd_out *o;
    size_t mark;
    assert_int_equal(hd_batch_begin(&ctx, &mark), HD_OK);
    assert_int_equal(hd_out_open(&ctx, in("pending"), &o), HD_OK);
    assert_int_equal(hd_out_close(&ctx, o), HD_OK);
    int fd = open(in(other_name("pending", ".tmp")), O_RDONLY); /* complete, but not in place yet */
    assert_int_not_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(hd_batch_end(&ctx, mark, HD_OK), HD_OK);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    close(fd);
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

/* A file that cannot be looked at because the process has no descriptor left is neither ours nor foreign. */
static void test_unread_files_are_unknown(void **state)
{
    struct rlimit was, none;
    const struct hd_marks marks = {0};
    (void)state;
    write_file("here", "text");
    int at = open(folder, O_RDONLY | O_DIRECTORY);
    assert_true(at >= 0);
    assert_int_equal(hd_marks_owner(&marks, at, "here", NULL), HD_FOREIGN);
    assert_int_equal(hd_marks_owner(&marks, at, "nowhere", NULL), HD_NOBODY);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    none = (struct rlimit){0, was.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    enum hd_owner owner = hd_marks_owner(&marks, at, "here", NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    assert_int_equal(owner, HD_UNKNOWN);
    close(at);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_or_none),
                                       cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_foreign_files_stay),
                                       cmocka_unit_test(test_files_of_other_commands_stay),
                                       cmocka_unit_test(test_links_are_not_followed),
                                       cmocka_unit_test(test_one_writer_per_folder),
                                       cmocka_unit_test(test_renames_are_taken_back),
                                       cmocka_unit_test(test_inputs_and_doubles),
                                       cmocka_unit_test(test_what_was_read),
                                       cmocka_unit_test(test_mode_stays),
                                       cmocka_unit_test(test_streams_wait),
                                       cmocka_unit_test(test_streams_of_a_batch),
                                       cmocka_unit_test(test_file_that_comes),
                                       cmocka_unit_test(test_dead_writers_leave_nothing),
                                       cmocka_unit_test(test_locked_files_stay),
                                       cmocka_unit_test(test_file_systems_with_fewer_locks),
                                       cmocka_unit_test(test_replaced_files_are_locked),
                                       cmocka_unit_test(test_only_copies_stay),
                                       cmocka_unit_test(test_files_of_other_runs_stay),
                                       cmocka_unit_test(test_no_second_links),
                                       cmocka_unit_test(test_rename_fails),
                                       cmocka_unit_test(test_unread_files_are_unknown)};
    return cmocka_run_group_tests(tests, make, drop);
}
