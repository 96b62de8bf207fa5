/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch is a list of what is still to do, in order. Its end first looks at every target, so that a refusal comes
 * before anything has changed; then keeps a copy of all old files under temporary names, renames the new ones, and goes
 * back through the list if one of them fails. An old file stays in place until its successor is renamed over it: the
 * copy is a second link or, where there are none (vfat, exFAT, some FUSE and SMB), its bytes. Undoing goes backwards,
 * so that a folder is empty again when its turn comes; where an old file cannot be put back, its copy stays.
 * Between the first and the last rename a crash of the machine can leave some files new and others old, each of them
 * whole. Quadratic in the number of files, of which there are tens. */
#include "base/batch.h"
#include "base/access.h"
#include "base/comm.h"
#include "base/descriptors.h"
#include "base/protected.h"
#include "base/status.h"
#include "base/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum batch_kind { FOLDER, RENAME, REMOVE, STREAM };

struct batch_entry {
    enum batch_kind kind;
    struct hd_file file; /* of a folder: its list of files, .heddle; of a stream: .at is where text goes */
    struct hd_content content;
    bool made;             /* a folder that was not there */
    dev_t dev;             /* of a folder, or of the folder that a file is in */
    ino_t ino;             /* likewise */
    struct hd_marks marks; /* of a folder */
    int list_slot;         /* of a folder: of hd_temp_remember, its list under a temporary name */
    char *old;             /* temporary name of a copy of what is replaced, or of what is removed; NULL: none needed */
    int old_lock;          /* of hd_temp_lock */
    bool skipped, placed;  /* placed: has been renamed or removed */
    ino_t put;             /* of what was placed; 0: nothing, it was removed */
    bool stays;            /* of a folder: a new file is still in it, so that its new list is the right one */
    char *text;            /* of a stream */
    size_t length;
};

struct hd_batch {
    struct batch_entry *at;
    size_t n, room, depth;
    bool holds; /* all of what goes to streams waits for the files */
};

/* ---- entries ---------------------------------------------------------------------------------- */

hd_status hd_batch_begin(struct hd_ctx *ctx, size_t *mark)
{
    if (!ctx->batch && !(ctx->batch = calloc(1, sizeof *ctx->batch))) return hd_fail_memory(ctx);
    *mark = ctx->batch->n;
    ctx->batch->depth++;
    return HD_OK;
}

void hd_batch_hold(struct hd_ctx *ctx)
{
    if (ctx->batch) ctx->batch->holds = true;
}

bool hd_batch_holds(const struct hd_ctx *ctx)
{
    return ctx->batch && ctx->batch->holds;
}

static void file_free(struct hd_file *file)
{
    hd_temp_forget(file->slot);
    hd_temp_unlock(file->lock);
    free(file->name);
    free(file->temp);
    free(file->shown);
    *file = HD_FILE_NONE;
}

void hd_file_drop(struct hd_file *file)
{
    if (file->temp) unlinkat(file->at, file->temp, 0);
    file_free(file);
}

/* Takes over what e holds, also where it fails. */
static hd_status batch_add(struct hd_ctx *ctx, struct batch_entry *e)
{
    struct hd_batch *b = ctx->batch;
    if (b->n == b->room) {
        size_t room = b->room ? 2 * b->room : 32;
        struct batch_entry *more = realloc(b->at, room * sizeof *more);
        if (!more) {
            hd_file_drop(&e->file);
            return hd_fail_memory(ctx);
        }
        b->at = more;
        b->room = room;
    }
    b->at[b->n++] = *e;
    return HD_OK;
}

/* Takes back what was not put in place, and forgets the entry. */
static void batch_drop_last(struct hd_batch *b, bool keep_folder)
{
    struct batch_entry *e = &b->at[--b->n];
    int own = e->kind == FOLDER || (e->kind == STREAM && e->file.at != STDOUT_FILENO) ? e->file.at : -1;
    if (e->file.temp) unlinkat(e->file.at, e->file.temp, 0);
    if (e->made && !keep_folder) rmdir(e->file.shown);
    if (e->kind == FOLDER) hd_temp_forget(e->list_slot);
    file_free(&e->file);
    hd_marks_free(&e->marks);
    free(e->old);
    free(e->text);
    hd_temp_unlock(e->old_lock);
    if (own >= 0) close(own);
}

/* ---- paths ------------------------------------------------------------------------------------ */

/* The folder of the batch that a path is in, SIZE_MAX: none; *name: the rest of the path. */
static size_t batch_folder_of(const struct hd_batch *b, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX]; /* no allocation: one that fails must not pass as "in no folder" */
    struct stat st;
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    bool exists = n < (int)sizeof folder && stat(folder, &st) == 0;
    *name = slash ? slash + 1 : path;
    for (size_t i = 0; b && exists && i < b->n; i++)
        if (b->at[i].kind == FOLDER && b->at[i].dev == st.st_dev && b->at[i].ino == st.st_ino) return i;
    return SIZE_MAX;
}

/* ---- folders ---------------------------------------------------------------------------------- */

static hd_status folder_fails(struct hd_ctx *ctx, const char *path, int error)
{
    return hd_fail(ctx, HD_LIMIT, "%.300s: cannot make this folder: %s", path, strerror(error));
}

/* Locks and lists it. */
static hd_status batch_take_folder(struct hd_ctx *ctx, struct batch_entry *e, const char *path)
{
    struct stat st;
    if (fstat(e->file.at, &st) != 0) return folder_fails(ctx, path, errno);
    e->dev = st.st_dev;
    e->ino = st.st_ino;
    if (flock(e->file.at, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return hd_fail(ctx, HD_LIMIT, "%.300s: another process is writing to this folder", path);
    e->file.name = strdup(HD_MARKS_FILE);
    e->file.shown = strdup(path);
    if (!e->file.name || !e->file.shown) return hd_fail_memory(ctx);
    return hd_marks_read(ctx, e->file.at, &e->marks);
}

hd_status hd_batch_folder(struct hd_ctx *ctx, const char *path, const char *by)
{
    struct hd_batch *b = ctx->batch;
    struct batch_entry e = {.kind = FOLDER, .list_slot = -1, .old_lock = -1, .file = HD_FILE_NONE};
    const char *name;
    char plain[PATH_MAX];
    if (hd_comm_rank(ctx->comm) != 0) return HD_OK; /* one process writes */
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    snprintf(plain, sizeof plain, "%.*s", (int)n, path);
    size_t parent = batch_folder_of(b, plain, &name);
    int at = parent == SIZE_MAX ? AT_FDCWD : b->at[parent].file.at;
    if (parent == SIZE_MAX)
        name = plain;
    else
        by = b->at[parent].marks.by; /* whose the outer folder is, that command also wrote what is in this one */
    hd_temp_hold_signals();          /* until what is made is known */
    e.made = mkdirat(at, name, 0777) == 0;
    const int why_not = errno;
    if (e.made) e.file.slot = hd_temp_remember(plain);
    hd_temp_release_signals();
    if (!e.made && why_not != EEXIST) return folder_fails(ctx, path, why_not);
    /* The user's own folder may be behind a link; what is in it may not. */
    e.file.at = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (parent == SIZE_MAX ? 0 : O_NOFOLLOW));
    if (e.file.at < 0) {
        const int error = errno == ELOOP ? ENOTDIR : errno;
        if (e.made) unlinkat(at, name, AT_REMOVEDIR);
        file_free(&e.file);
        if (error == ENOTDIR && parent != SIZE_MAX)
            return hd_fail(ctx, HD_INPUT, "not written by heddle, so not replaced: %.300s (expected a folder)", path);
        return folder_fails(ctx, path, error);
    }
    struct stat st;
    bool known = fstat(e.file.at, &st) != 0;
    for (size_t i = 0; b && !known && i < b->n; i++)
        known = b->at[i].kind == FOLDER && b->at[i].dev == st.st_dev && b->at[i].ino == st.st_ino;
    if (!b || known) {
        close(e.file.at);
        file_free(&e.file);
        return HD_OK;
    }
    int fd = e.file.at;
    hd_status s = batch_take_folder(ctx, &e, plain);
    e.marks.by = by;
    if (s == HD_OK) s = batch_add(ctx, &e);
    if (s == HD_OK) return HD_OK;
    if (e.made) rmdir(plain);
    close(fd);
    file_free(&e.file);
    hd_marks_free(&e.marks);
    return s;
}

hd_status hd_batch_remove(struct hd_ctx *ctx, const char *path)
{
    struct batch_entry e = {.kind = REMOVE, .old_lock = -1, .file = HD_FILE_NONE};
    const char *name;
    size_t folder = batch_folder_of(ctx->batch, path, &name);
    if (folder == SIZE_MAX && name > path) { /* a folder that is there has a list of what is ours */
        char parent[PATH_MAX];
        struct stat st;
        snprintf(parent, sizeof parent, "%.*s", (int)(name - 1 - path), path);
        if (lstat(parent, &st) == 0 && S_ISDIR(st.st_mode)) HD_TRY(hd_batch_folder(ctx, parent, NULL));
        folder = batch_folder_of(ctx->batch, path, &name);
    }
    if (folder == SIZE_MAX) return HD_OK; /* nothing there is ours */
    e.file.at = ctx->batch->at[folder].file.at;
    e.file.folder = folder;
    e.file.name = strdup(name);
    e.file.shown = strdup(path);
    if (e.file.name && e.file.shown) return batch_add(ctx, &e);
    file_free(&e.file);
    return hd_fail_memory(ctx);
}

/* What is in a folder of the batch, for hd_temp_remember; -1: nothing. */
static int remember_inside(const struct batch_entry *folder, const char *temp)
{
    char full[PATH_MAX];
    if (!temp || snprintf(full, sizeof full, "%s/%s", folder->file.shown, temp) >= (int)sizeof full) return -1;
    return hd_temp_remember(full);
}

/* ---- one file --------------------------------------------------------------------------------- */

/* A new file beside the target, for those who may read and write what it replaces; -1 with errno. */
static int file_create(struct hd_file *file, enum hd_temp_kind kind, const struct stat *old)
{
    int fd = -1;
    for (int tries = 0; fd < 0 && tries < 100; tries++) {
        free(file->temp);
        file->temp = hd_temp_name(file->name, kind);
        if (!file->temp) return -1;
        fd = openat(file->at, file->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, old ? 0600 : 0666);
        if (fd < 0 && errno != EEXIST) break;
        if (fd >= 0 && !hd_temp_lock(fd, &file->lock)) { /* another run took it for one that was left */
            unlinkat(file->at, file->temp, 0);
            close(fd);
            fd = -1;
            errno = EBUSY;
        }
    }
    if (fd >= 0 && old && !hd_access_copy(fd, file->at, file->name, old)) {
        int error = errno;
        unlinkat(file->at, file->temp, 0);
        close(fd);
        errno = error;
        fd = -1;
    }
    if (fd < 0) {
        hd_temp_unlock(file->lock);
        file->lock = -1;
        free(file->temp);
        file->temp = NULL;
    }
    return fd;
}

/* What is there and is no file: written as it is, and so are descriptors that others write to: those of this process
 * from where they are, the file behind one of another process, whose place is its own, at the end. */
static hd_status file_open_device(struct hd_ctx *ctx, const char *path, int descriptor, struct hd_file *file, int *fd)
{
    const int how = O_WRONLY | O_CLOEXEC | (descriptor == HD_OF_ANOTHER ? O_APPEND : 0);
    struct stat st;
    errno = EBADF;
    if (descriptor < 0)
        *fd = open(path, how);
    else
        *fd = hd_is_inherited(descriptor) ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    if (*fd >= 0 && fstat(*fd, &st) == 0 && hd_is_input(ctx, &st)) {
        close(*fd);
        return hd_fail(ctx, HD_INPUT, "%.300s: is an input of this command and would be changed", path);
    }
    file->shown = *fd >= 0 ? strdup(path) : NULL;
    return *fd >= 0 ? HD_OK : hd_fail(ctx, HD_LIMIT, "%s: cannot write: %s", path, strerror(errno));
}

/* Whether a path leads to what is there: *st. If not, errno is 0 where a file can be made: a link to nothing is none of
 * ours to replace. What comes between the two looks, from another process that writes the same file, is there. */
static bool file_is_there(const char *path, struct stat *st)
{
    struct stat own;
    if (stat(path, st) == 0) return true;
    const int missing = errno;
    const bool is_there = lstat(path, &own) == 0, is_link = is_there && S_ISLNK(own.st_mode);
    if (is_there && !is_link && stat(path, st) == 0) return true;
    errno = is_link ? missing : 0;
    return false;
}

/* The target's own path, so that a link stays a link; NULL with errno, which is why_not if that is not 0. */
static char *file_target(const char *path, bool exists, int why_not)
{
    if (exists) return realpath(path, NULL);
    errno = why_not ? why_not : ENOMEM;
    return why_not ? NULL : strdup(path);
}

hd_status hd_file_open(struct hd_ctx *ctx, const char *path, struct hd_file *file, int *fd)
{
    struct hd_batch *b = ctx->batch;
    struct stat st;
    const char *name;
    *file = HD_FILE_NONE;
    if (!*path) return hd_fail(ctx, HD_USAGE, "expected the name of a file to write, not an empty text");
    file->folder = batch_folder_of(b, path, &name);
    bool inside = file->folder != SIZE_MAX;
    if (inside) file->at = b->at[file->folder].file.at;
    int descriptor = inside ? HD_NO_DESCRIPTOR : hd_descriptor_of(path);
    if (descriptor != HD_NO_DESCRIPTOR) return file_open_device(ctx, path, descriptor, file, fd);
    const bool exists = inside ? fstatat(file->at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 : file_is_there(path, &st);
    const int why_not = errno;
    if (exists && S_ISDIR(st.st_mode)) return hd_fail(ctx, HD_LIMIT, "%s: is a folder, expected a file to write", path);
    if (exists && !S_ISREG(st.st_mode) && !inside) return file_open_device(ctx, path, HD_NO_DESCRIPTOR, file, fd);
    file->shown = strdup(path);
    errno = ENOMEM;
    if (file->shown) file->name = inside ? strdup(name) : file_target(path, exists, why_not);
    if (file->name) hd_temp_clean(ctx, file->at, file->name, HD_TEMP_NEW);
    hd_temp_hold_signals(); /* until what is created is known */
    *fd = file->name ? file_create(file, HD_TEMP_NEW, exists && S_ISREG(st.st_mode) ? &st : NULL) : -1;
    hd_status s = *fd >= 0 ? HD_OK : hd_fail(ctx, HD_LIMIT, "%s: cannot write: %s", path, strerror(errno));
    if (s == HD_OK)
        file->slot = inside ? remember_inside(&b->at[file->folder], file->temp) : hd_temp_remember(file->temp);
    else
        file_free(file);
    hd_temp_release_signals();
    return s;
}

hd_status hd_file_keep(struct hd_ctx *ctx, struct hd_file *file, struct hd_content content)
{
    struct batch_entry e = {.kind = RENAME, .old_lock = -1, .file = *file, .content = content};
    size_t mark = 0;
    hd_status s = hd_batch_begin(ctx, &mark);
    if (s != HD_OK) {
        hd_file_drop(file);
        return s;
    }
    s = batch_add(ctx, &e);
    *file = HD_FILE_NONE;
    return hd_batch_end(ctx, mark, s);
}

/* ---- the end: looking -------------------------------------------------------------------------- */

static const struct hd_marks *entry_marks(const struct hd_batch *b, const struct batch_entry *e)
{
    if (e->kind == FOLDER) return &e->marks;
    return e->file.folder == SIZE_MAX ? NULL : &b->at[e->file.folder].marks;
}

static enum hd_owner entry_owner(const struct hd_batch *b, struct batch_entry *e)
{
    const struct hd_marks *marks = entry_marks(b, e);
    if (!marks) return HD_NOBODY;
    if (e->kind == FOLDER) return marks->foreign ? HD_FOREIGN : HD_NOBODY;
    enum hd_owner owner = hd_marks_owner(marks, e->file.at, e->file.name, e->kind == RENAME ? &e->content : NULL);
    e->skipped = e->kind == REMOVE && owner != HD_OURS; /* what is not ours may stay beside our files */
    return e->kind == REMOVE ? HD_NOBODY : owner;
}

/* The folder that a file will be in, whatever links lead to it. */
static void entry_find_place(struct batch_entry *e)
{
    struct stat st;
    if (e->kind == FOLDER || e->kind == STREAM) return;
    const char *slash = strrchr(e->file.name, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - e->file.name) + 1 : 1, slash ? e->file.name : ".");
    if (e->file.at == AT_FDCWD ? stat(folder, &st) != 0 : fstat(e->file.at, &st) != 0) return;
    e->dev = st.st_dev;
    e->ino = st.st_ino;
}

static const char *entry_leaf(const struct batch_entry *e)
{
    const char *slash = strrchr(e->file.name, '/');
    return slash ? slash + 1 : e->file.name;
}

/* What a stream is written to. */
static bool is_stream_to(const struct batch_entry *e, const struct stat *st)
{
    struct stat own;
    return e->kind == STREAM && fstat(e->file.at, &own) == 0 && S_ISREG(own.st_mode) && hd_is_same_stream(&own, st);
}

/* Whether both write, or one writes what the other removes: a file by its name, of which what is there may be gone
 * before. */
static bool is_same_place(const struct batch_entry *a, const struct batch_entry *b)
{
    struct stat st;
    if (a->kind == STREAM || b->kind == STREAM) {
        const struct batch_entry *stream = a->kind == STREAM ? a : b, *file = a->kind == STREAM ? b : a;
        return file->kind != STREAM && fstatat(file->file.at, file->file.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
               is_stream_to(stream, &st);
    }
    if (a->kind != RENAME && b->kind != RENAME) return false;
    const bool lists = a->kind == FOLDER || b->kind == FOLDER;
    if (!lists && a->kind != b->kind && a->file.folder == b->file.folder) return false; /* both by one writer */
    return a->ino && a->dev == b->dev && a->ino == b->ino && strcmp(entry_leaf(a), entry_leaf(b)) == 0;
}

static hd_status entry_may_be_replaced(struct hd_ctx *ctx, size_t i)
{
    const struct hd_batch *b = ctx->batch;
    const struct batch_entry *e = &b->at[i];
    struct stat st;
    for (size_t k = 0; k < i; k++)
        if (is_same_place(&b->at[k], e))
            return hd_fail(ctx, HD_INPUT, "%.300s: two results cannot both go to this file",
                           e->kind == RENAME || e->kind == STREAM ? e->file.shown : b->at[k].file.shown);
    if (e->kind == STREAM || fstatat(e->file.at, e->file.name, &st, AT_SYMLINK_NOFOLLOW) != 0) return HD_OK;
    if (e->kind == RENAME && S_ISDIR(st.st_mode))
        return hd_fail(ctx, HD_LIMIT, "%.300s: cannot write: %s", e->file.shown, strerror(EISDIR));
    const char *why = e->skipped || e->kind == FOLDER ? NULL : hd_protected_why(ctx, &st);
    return why ? hd_fail(ctx, HD_INPUT, "%.300s: %s", e->file.shown, why) : HD_OK;
}

struct batch_names { /* of files that stay as they are */
    char text[600];
    size_t used, left_out; /* bytes, names */
};

/* As many as there is room for, and how many are left out. */
static void batch_name(struct batch_names *names, const char *path, const char *more)
{
    enum { COUNT = 32 }; /* room for that number */
    const size_t room = sizeof names->text - COUNT;
    char name[220];
    const size_t n = (size_t)snprintf(name, sizeof name, "%s%.200s%s", names->used ? ", " : "", path, more);
    if (names->left_out == 0 && names->used + n < room) {
        memcpy(names->text + names->used, name, n + 1);
        names->used += n;
        return;
    }
    snprintf(names->text + names->used, COUNT, " and %zu more", ++names->left_out);
}

static hd_status batch_look(struct hd_ctx *ctx)
{
    struct hd_batch *b = ctx->batch;
    struct batch_names foreign = {0}, others = {0};
    const char *by = "";
    for (size_t i = 0; i < b->n; i++) {
        struct batch_entry *e = &b->at[i];
        entry_find_place(e);
        const enum hd_owner owner = entry_owner(b, e);
        if (owner == HD_FOREIGN || owner == HD_UNKNOWN)
            batch_name(&foreign, e->file.shown, e->kind == FOLDER ? "/" HD_MARKS_FILE : "");
        if (owner == HD_OTHERS) {
            by = hd_marks_by(entry_marks(b, e), e->file.name);
            batch_name(&others, e->file.shown, "");
        }
        HD_TRY(entry_may_be_replaced(ctx, i));
    }
    if (foreign.used)
        return hd_fail(ctx, HD_INPUT, "not written by heddle, or changed since, so not replaced: %s", foreign.text);
    if (others.used)
        return hd_fail(ctx, HD_INPUT, "written there by %s, so not replaced: %s (expected another folder)", by,
                       others.text);
    return HD_OK;
}

/* Of the first n marks, what is listed and gone, was changed, or is listed again, is no longer listed. False: a file
 * that cannot be read now. */
static bool folder_drop_marks(struct batch_entry *e, size_t n)
{
    size_t kept = 0;
    bool known = true;
    for (size_t i = 0; i < e->marks.n; i++) {
        struct hd_marked mark = e->marks.at[i];
        const struct hd_marks one = {.at = &mark, .n = 1};
        const bool again = hd_marks_again(&e->marks, i);
        enum hd_owner owner = i < n && !again ? hd_marks_owner(&one, e->file.at, mark.name, NULL) : HD_OURS;
        known &= owner != HD_UNKNOWN;
        if (!again && (owner == HD_OURS || owner == HD_UNKNOWN))
            e->marks.at[kept++] = mark;
        else
            free(mark.name);
    }
    e->marks.n = kept;
    return known;
}

static bool write_whole(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, text, n);
        if (done < 0 && errno != EINTR) return false;
        text += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* The list that a folder will have: what it has now and what is new. */
static hd_status folder_list(struct hd_ctx *ctx, size_t folder)
{
    struct hd_batch *b = ctx->batch;
    struct batch_entry *e = &b->at[folder];
    struct hd_out *o;
    struct stat st;
    bool changes = false;
    size_t n = e->marks.n, length;
    for (size_t i = folder + 1; i < b->n; i++) {
        const struct batch_entry *f = &b->at[i];
        if (f->kind != RENAME || f->file.folder != folder) continue;
        changes = true;
        HD_TRY(hd_marks_add(ctx, &e->marks, f->file.name, f->content));
    }
    e->skipped = !changes;
    if (!changes) return HD_OK;
    if (!folder_drop_marks(e, n))
        return hd_fail(ctx, HD_LIMIT, "%.300s: cannot read a file that an earlier run wrote there", e->file.shown);
    HD_TRY(hd_out_memory(ctx, &o));
    hd_marks_write(&e->marks, o);
    const char *text = hd_out_text(o, &length);
    bool exists = fstatat(e->file.at, e->file.name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    hd_temp_clean(ctx, e->file.at, e->file.name, HD_TEMP_NEW);
    hd_temp_hold_signals();
    int fd = file_create(&e->file, HD_TEMP_NEW, exists ? &st : NULL);
    e->list_slot = remember_inside(e, e->file.temp);
    hd_temp_release_signals();
    bool written = fd >= 0 && write_whole(fd, text, length) && fsync(fd) == 0;
    int error = errno;
    if (fd >= 0) close(fd);
    HD_TRY(hd_out_close(ctx, o)); /* whether the text was whole */
    return written
               ? HD_OK
               : hd_fail(ctx, HD_LIMIT, "%.300s/" HD_MARKS_FILE ": cannot write: %s", e->file.shown, strerror(error));
}

/* ---- the end: renaming ------------------------------------------------------------------------- */

/* Before it gets a temporary name. It may be locked by others, or not be one to open: then it has no lock of ours. */
static void entry_lock_old(struct batch_entry *e)
{
    int fd = hd_temp_open(e->file.at, e->file.name);
    if (fd < 0) return;
    hd_temp_lock(fd, &e->old_lock);
    close(fd);
}

static bool copy_whole(int from, int to)
{
    char part[1 << 14];
    for (;;) {
        const ssize_t n = read(from, part, sizeof part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0 && (fsync(to) == 0 || errno == EINVAL || errno == ENOTSUP);
        if (!write_whole(to, part, (size_t)n)) return false;
    }
}

/* The bytes of what is there, for those who may read and write it. */
static bool entry_copy_old(struct batch_entry *e, const struct stat *st)
{
    struct hd_file copy = {.at = e->file.at, .name = e->file.name, .lock = -1};
    const int from = openat(e->file.at, e->file.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int to = from >= 0 ? file_create(&copy, HD_TEMP_OLD, st) : -1;
    const bool whole = to >= 0 && copy_whole(from, to);
    const int error = errno;
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    if (whole) {
        e->old = copy.temp;
        e->old_lock = copy.lock;
    } else {
        if (to >= 0) unlinkat(copy.at, copy.temp, 0);
        hd_temp_unlock(copy.lock);
        free(copy.temp);
    }
    errno = error;
    return whole;
}

/* A copy of what is there, which stays in place until it is replaced; of what is removed the name that it will have. */
static bool entry_keep_old(struct batch_entry *e)
{
    const struct hd_file *f = &e->file;
    struct stat st;
    if (fstatat(f->at, f->name, &st, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
    if (!(e->old = hd_temp_name(f->name, HD_TEMP_OLD))) return false;
    if (S_ISREG(st.st_mode)) entry_lock_old(e);
    if (e->kind == REMOVE || linkat(f->at, f->name, f->at, e->old, 0) == 0) return true;
    const int error = errno;
    hd_temp_unlock(e->old_lock);
    e->old_lock = -1;
    free(e->old);
    e->old = NULL;
    errno = error;
    return S_ISREG(st.st_mode) && entry_copy_old(e, &st);
}

static bool entry_carry_out(struct batch_entry *e)
{
    const struct hd_file *f = &e->file;
    struct stat st;
    if (e->kind == REMOVE && !e->old) return true; /* it has gone by itself */
    if (e->kind != REMOVE && fstatat(f->at, f->temp, &st, AT_SYMLINK_NOFOLLOW) == 0) e->put = st.st_ino;
    e->placed = e->kind == REMOVE ? renameat(f->at, f->name, f->at, e->old) == 0
                                  : renameat(f->at, f->temp, f->at, f->name) == 0;
    return e->placed;
}

/* Whether another process has put something in the place of what this one did. */
static bool entry_is_overtaken(const struct batch_entry *e)
{
    struct stat st;
    return e->placed && !e->stays && fstatat(e->file.at, e->file.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           st.st_ino != e->put;
}

/* False: what is in place stays there, and beside it the copy of what was there before, if anything was. */
static bool entry_take_back(const struct batch_entry *e)
{
    const struct hd_file *f = &e->file;
    if (entry_is_overtaken(e)) return false;
    if (!e->old) return !e->placed || e->stays || unlinkat(f->at, f->name, 0) == 0 || errno == ENOENT;
    bool back = !e->placed || e->stays || renameat(f->at, e->old, f->at, f->name) == 0;
    if (!back && e->kind == REMOVE) back = linkat(f->at, e->old, f->at, f->name, 0) == 0; /* the name is free */
    if (!back && e->kind == FOLDER) back = true; /* the new list has all that the old one had */
    if (back) unlinkat(f->at, e->old, 0);
    return back;
}

/* What cannot be taken back is named. */
static void batch_take_back(struct hd_batch *b, struct batch_names *stay)
{
    for (size_t k = b->n; k-- > 0;) {
        struct batch_entry *e = &b->at[k];
        if (e->skipped || entry_take_back(e)) continue;
        if (e->file.folder != SIZE_MAX) b->at[e->file.folder].stays = true;
        batch_name(stay, e->file.at == AT_FDCWD ? e->file.name : e->file.shown, ""); /* beside which the copy is */
    }
}

/* The name is on disk when its folder is. Some file systems cannot do that. */
static void entry_sync_folder(const struct batch_entry *e)
{
    if (e->file.at != AT_FDCWD) {
        fsync(e->file.at);
        return;
    }
    const char *slash = strrchr(e->file.name, '/');
    char *folder = slash ? strndup(e->file.name, (size_t)(slash - e->file.name) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) fsync(fd);
    if (fd >= 0) close(fd);
    free(folder);
}

/* The entry that is carried out last: if it fails, nothing of its own is to be taken back. SIZE_MAX: there is none. */
static size_t batch_last(struct hd_batch *b)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < b->n; i++) {
        if (b->at[i].kind == STREAM) b->at[i].skipped = true; /* written when all files are in place */
        if (!b->at[i].skipped) last = i;
    }
    return last;
}

/* Copies first: where they cannot be made, nothing has changed. Returns the entry that failed, or b->n. */
static size_t batch_replace(struct hd_batch *b)
{
    const size_t last = batch_last(b);
    size_t i = 0;
    while (i < b->n && (b->at[i].skipped || (i == last && b->at[i].kind != REMOVE) || entry_keep_old(&b->at[i]))) i++;
    if (i < b->n) return i;
    for (i = 0; i < b->n && (b->at[i].skipped || entry_carry_out(&b->at[i]));) i++;
    return i;
}

static hd_status batch_fails(struct hd_ctx *ctx, size_t failed)
{
    struct hd_batch *b = ctx->batch;
    struct batch_names stay = {0};
    const int error = errno;
    const char *name = b->at[failed].file.shown;
    batch_take_back(b, &stay);
    if (!stay.used) return hd_fail(ctx, HD_LIMIT, "%.300s: cannot write: %s", name, strerror(error));
    return hd_fail(
        ctx, HD_LIMIT,
        "%.200s: cannot write: %s; cannot be taken back: %s (what was there before is in FILE.old%ld-* beside "
        "each FILE)",
        name, strerror(error), stay.text, (long)getpid());
}

static hd_status batch_rename(struct hd_ctx *ctx)
{
    struct hd_batch *b = ctx->batch;
    hd_temp_hold_signals();
    const size_t failed = batch_replace(b);
    hd_status s = failed == b->n ? HD_OK : batch_fails(ctx, failed);
    for (size_t k = 0; s == HD_OK && k < b->n; k++) {
        struct batch_entry *e = &b->at[k];
        /* A killed run may have left a copy of what it removed, so that this one has nothing to remove. */
        if (e->skipped && e->kind == REMOVE && faccessat(e->file.at, e->file.name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            hd_temp_clean(ctx, e->file.at, e->file.name, HD_TEMP_OLD);
        if (e->skipped) continue;
        if (e->old) unlinkat(e->file.at, e->old, 0);
        hd_temp_unlock(e->old_lock); /* what a dead process left may be a link to the same file */
        e->old_lock = -1;
        hd_temp_clean(ctx, e->file.at, e->file.name, HD_TEMP_OLD);
        entry_sync_folder(e);
        free(e->file.temp);
        e->file.temp = NULL; /* it has become the file */
    }
    hd_temp_release_signals();
    return s;
}

hd_status hd_batch_stream(struct hd_ctx *ctx, int fd, struct hd_file *file, char *text, size_t length)
{
    struct batch_entry e = {
        .kind = STREAM, .old_lock = -1, .list_slot = -1, .file = *file, .text = text, .length = length};
    e.file.at = fd;
    *file = HD_FILE_NONE;
    hd_status s = batch_add(ctx, &e);
    if (s == HD_OK) return HD_OK;
    free(text);
    if (fd != STDOUT_FILENO) close(fd);
    return s;
}

/* Those after one that fails are written, too: their readers wait. */
static hd_status batch_write_streams(struct hd_ctx *ctx)
{
    struct hd_batch *b = ctx->batch;
    hd_status s = HD_OK;
    for (size_t i = 0; i < b->n; i++) {
        const struct batch_entry *e = &b->at[i];
        if (e->kind != STREAM || write_whole(e->file.at, e->text, e->length)) continue;
        const char *name = e->file.shown ? e->file.shown : "standard output";
        s = hd_fail(ctx, HD_LIMIT, "%.300s: cannot write: %s", name, strerror(errno));
    }
    return s;
}

static hd_status batch_carry_out(struct hd_ctx *ctx)
{
    HD_TRY(batch_look(ctx));
    for (size_t i = 0; i < ctx->batch->n; i++)
        if (ctx->batch->at[i].kind == FOLDER) HD_TRY(folder_list(ctx, i));
    HD_TRY(batch_rename(ctx));
    return batch_write_streams(ctx);
}

hd_status hd_batch_end(struct hd_ctx *ctx, size_t mark, hd_status status)
{
    struct hd_batch *b = ctx->batch;
    bool last = --b->depth == 0;
    if (status == HD_OK && last) status = batch_carry_out(ctx);
    while (b->n > mark && (status != HD_OK || last)) batch_drop_last(b, status == HD_OK);
    if (!last) return status;
    free(b->at);
    free(b);
    ctx->batch = NULL;
    return status;
}
