/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a folder or a tar archive by how their names end, as diagnostic programs leave them: a common beginning that
 * the user may choose, and a kind behind the dot. An archive is read to its end once, for the names in it
 * (archive_names.h), of which one folder is taken (archive_folder.h), and from its beginning for every file that is
 * asked for, so nothing is unpacked to disk and memory does not grow with it. Cost: O(files) of a folder, O(bytes) of
 * an archive per file asked for. */
#include "base/bundle.h"
#include "base/archive_folder.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/escape.h"
#include "base/status.h"
#include "base/tar.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_NAME = 1024, MAX_LISTED = 1 << 24, MAX_LINKS = 8 }; /* MAX_LISTED: bytes of names and their list */

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* Hidden files are none of the user's: macOS puts ._NAME with its attributes before NAME. */
static bool bundle_wanted(const char *base, const char *ending)
{
    return *base != '.' && hd_name_ends(base, ending);
}

/* ---- names in archives --------------------------------------------------------------------- */

static hd_status list_add(struct hd_tar *t, const struct hd_tar_member *m, struct hd_archive_list *list)
{
    const size_t length = strlen(m->name);
    if ((list->bytes += length + sizeof *list->file) > MAX_LISTED)
        return hd_fail(t->ctx, HD_INPUT, "%.200s: more than %d MB of names of networks and tables in the archive",
                       hd_in_name(t->in), MAX_LISTED >> 20);
    const char *name = hd_strdup(&list->arena, m->name, length);
    if (!name || !HD_MORE(&list->arena, list->file, list->n, list->room)) return hd_fail_memory(t->ctx);
    list->file[list->n++] = (struct hd_listed){name, m->number, m->kind == HD_TAR_SYMBOLIC};
    return HD_OK;
}

/* Files of all known kinds, and those that end like this. */
static hd_status list_fill(struct hd_tar *t, const char *ending, struct hd_archive_list *list)
{
    struct hd_tar_member m;
    for (;;) {
        HD_TRY(hd_tar_next(t, &m));
        if (m.kind == HD_TAR_END) return HD_OK;
        const char *base = base_of(m.name);
        if (*base != '.' && (hd_name_known(base) || hd_name_ends(base, ending))) HD_TRY(list_add(t, &m, list));
        HD_TRY(hd_tar_skip(t, &m));
    }
}

static hd_status list_read(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_archive_list *list)
{
    struct hd_tar t = {.ctx = ctx};
    HD_TRY(hd_in_open(ctx, path, &t.in));
    const hd_status s = list_fill(&t, ending, list);
    hd_in_close(t.in);
    return s;
}

/* ---- one file of an archive ---------------------------------------------------------------- */

struct archive_file {
    char name[HD_TAR_NAME]; /* "": there is none */
    uint32_t number;
};

/* The first by name in the folder, as it would be unpacked: a file that is added again replaces the one before. */
static hd_status archive_pick(struct hd_ctx *ctx, const char *path, const char *ending,
                              const struct hd_archive_list *list, struct archive_file *f)
{
    const struct hd_listed *best = NULL;
    struct hd_folder folder;
    f->name[0] = 0;
    HD_TRY(hd_archive_folder(ctx, strcmp(path, "-") == 0 ? "<stdin>" : path, list, &folder));
    for (uint32_t i = 0; i < list->n; i++) {
        const struct hd_listed *l = &list->file[i];
        if (!bundle_wanted(base_of(l->name), ending) || !hd_folder_same(hd_folder_of(l->name), folder)) continue;
        if (!best || strcmp(l->name, best->name) <= 0) best = l;
    }
    if (!best) return HD_OK;
    snprintf(f->name, sizeof f->name, "%s", best->name);
    f->number = best->number;
    return HD_OK;
}

/* Which file of the archive has this ending. What is known of an archive is kept where it can be asked again. */
static hd_status archive_look(struct hd_ctx *ctx, const char *path, const char *ending, struct archive_file *f)
{
    struct hd_archive_list own = {.n = 0};
    struct stat st;
    const bool file = hd_name_known(ending) && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    const struct hd_archive_list *known = file ? hd_archive_names_of(ctx->archives, path) : NULL;
    if (known) return archive_pick(ctx, path, ending, known, f);
    hd_status s = list_read(ctx, path, ending, &own);
    if (s == HD_OK) s = archive_pick(ctx, path, ending, &own, f);
    if (s != HD_OK || !file || !hd_archive_names_keep(ctx->archives, path, &st, &own)) hd_arena_release(&own.arena);
    return s;
}

/* Opens the archive and goes to the content of a file. */
static hd_status archive_go(struct hd_ctx *ctx, const char *path, const struct archive_file *f, struct hd_in **archive,
                            struct hd_tar_member *m)
{
    struct hd_tar t = {.ctx = ctx};
    HD_TRY(hd_in_open(ctx, path, &t.in));
    hd_status s = hd_tar_next(&t, m);
    while (s == HD_OK && m->kind != HD_TAR_END && m->number < f->number) {
        s = hd_tar_skip(&t, m);
        if (s == HD_OK) s = hd_tar_next(&t, m);
    }
    if (s == HD_OK && strcmp(m->name, f->name) != 0)
        s = hd_fail(ctx, HD_INPUT, "%.200s: the archive was changed while it was read", path);
    if (s == HD_OK)
        *archive = t.in;
    else
        hd_in_close(t.in);
    return s;
}

/* The file that a link leads to: a hard link to one before it, one by name to the last of that name. */
static hd_status archive_follow(struct hd_ctx *ctx, const char *path, const struct hd_tar_member *link,
                                struct archive_file *to)
{
    struct hd_tar t = {.ctx = ctx};
    struct hd_tar_member m;
    to->name[0] = 0;
    HD_TRY(hd_in_open(ctx, path, &t.in));
    hd_status s = hd_tar_next(&t, &m);
    while (s == HD_OK && m.kind != HD_TAR_END && (link->kind == HD_TAR_SYMBOLIC || m.number < link->number)) {
        if (strcmp(m.name, link->link) == 0) {
            memcpy(to->name, m.name, sizeof m.name);
            to->number = m.number;
        }
        s = hd_tar_skip(&t, &m);
        if (s == HD_OK) s = hd_tar_next(&t, &m);
    }
    hd_in_close(t.in);
    return s;
}

/* Archive and file as messages name them, the file with its folder. */
static void archive_say(char name[HD_BUNDLE_NAME], const char *archive, const char *file)
{
    const size_t n = strlen(file), most = 90;
    snprintf(name, HD_BUNDLE_NAME, "%.100s:%s%.90s", archive, n > most ? "..." : "", n > most ? file + n - most : file);
    hd_replace_controls(name, strlen(name), '?');
}

static hd_status archive_sparse(struct hd_ctx *ctx, const char *name, struct hd_in *archive)
{
    hd_in_close(archive);
    return hd_fail(ctx, HD_INPUT, "%.200s: a sparse file, without its holes: expected one with all its bytes", name);
}

static hd_status archive_open(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in **in)
{
    struct archive_file file, at;
    struct hd_tar_member m;
    struct hd_in *archive;
    char name[HD_BUNDLE_NAME];
    HD_TRY(archive_look(ctx, path, ending, &file));
    if (!file.name[0]) return HD_OK;
    at = file;
    for (int links = 0; at.name[0] && links < MAX_LINKS; links++) {
        HD_TRY(archive_go(ctx, path, &at, &archive, &m));
        if (m.kind == HD_TAR_FILE) {
            archive_say(name, hd_in_name(archive), file.name);
            if (m.sparse) return archive_sparse(ctx, name, archive);
            HD_TRY(hd_in_member(ctx, name, archive, m.size, in));
            hd_in_set_changed(*in, m.changed);
            return HD_OK;
        }
        hd_in_close(archive);
        HD_TRY(archive_follow(ctx, path, &m, &at));
    }
    archive_say(name, strcmp(path, "-") == 0 ? "<stdin>" : path, file.name);
    return hd_fail(ctx, HD_INPUT, "%.200s: is a link to '%.200s', which is not a file of the archive", name, m.link);
}

/* ---- folders ------------------------------------------------------------------------------- */

static hd_status folder_open(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in **in)
{
    char best[MAX_NAME] = "", full[2 * MAX_NAME];
    struct stat st;
    DIR *folder = opendir(path);
    if (!folder) return hd_fail(ctx, hd_errno_status(errno), "%.200s: cannot open: %s", path, strerror(errno));
    for (const struct dirent *e; (e = readdir(folder));) {
        const size_t n = strlen(e->d_name);
        if (n >= sizeof best || !bundle_wanted(e->d_name, ending)) continue;
        if (!best[0] || strcmp(e->d_name, best) < 0) memcpy(best, e->d_name, n + 1);
    }
    closedir(folder);
    if (!best[0]) return HD_OK;
    const int n = snprintf(full, sizeof full, "%s/%s", path, best);
    if (n >= (int)sizeof full || stat(full, &st) != 0 || !S_ISREG(st.st_mode))
        return hd_fail(ctx, HD_INPUT, "%.200s: '%.100s' in it is not a file that can be read", path, best);
    return hd_in_open(ctx, full, in);
}

/* ---- either -------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether a path can be opened again and again: a pipe only if the context keeps it. */
static bool can_reopen(const struct hd_ctx *ctx, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0) return ctx->pipes && hd_comm_size(ctx->comm) == 1;
    return stat(path, &st) == 0 && (ctx->pipes || S_ISREG(st.st_mode));
}

hd_status hd_bundle_found(struct hd_ctx *ctx, const char *path, bool *found)
{
    struct hd_in *in;
    const char *first = NULL;
    *found = is_folder(path);
    if (*found || !can_reopen(ctx, path)) return HD_OK;
    struct hd_ctx own = {.files = ctx->files, .pipes = ctx->pipes, .comm = ctx->comm};
    hd_status s = hd_in_open(&own, path, &in);
    if (s == HD_OK) {
        s = hd_in_peek(&own, in, HD_TAR_BLOCK, &first);
        *found = s == HD_OK && first && hd_tar_header((const unsigned char *)first);
        hd_in_close(in);
    }
    /* What is wrong with a file, its reader says; without memory, what was read of a pipe is lost to it. */
    return s == HD_LIMIT ? hd_fail(ctx, s, "%s", own.error) : HD_OK;
}

hd_status hd_bundle_open(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in **in)
{
    *in = NULL;
    return is_folder(path) ? folder_open(ctx, path, ending, in) : archive_open(ctx, path, ending, in);
}

void hd_bundle_place(struct hd_ctx *ctx, const char *path, char place[HD_BUNDLE_NAME])
{
    struct hd_ctx own = {.pipes = ctx->pipes, .comm = ctx->comm, .archives = ctx->archives};
    struct hd_folder folder = {"", 0};
    struct stat st;
    const bool file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    const struct hd_archive_list *list = file ? hd_archive_names_of(own.archives, path) : NULL;
    snprintf(place, HD_BUNDLE_NAME, "%.200s", path);
    if (!list || hd_archive_folder(&own, path, list, &folder) != HD_OK || !folder.n) return;
    char name[HD_TAR_NAME];
    snprintf(name, sizeof name, "%.*s", (int)folder.n, folder.path);
    archive_say(place, path, name);
}
