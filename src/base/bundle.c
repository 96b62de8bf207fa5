/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a folder or a tar archive by how their names end, as diagnostic programs leave them: a common beginning that
 * the user may choose, and a kind behind the dot. An archive is read from its beginning for every file of it that
 * is asked for, so nothing is unpacked to disk and memory does not grow with it; for a file that it lacks it is read
 * once (archive_names.h). The ustar form is read with what pax and GNU tar add to it: long names and large sizes.
 * Everything that an archive says of itself is bounded before it is used, and so is what is passed over: zeros are
 * compressed to nothing. Cost: O(files) of a folder, O(bytes) of an archive per file asked for. */
#include "base/bundle.h"
#include "base/archive_names.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/escape.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 512, MAX_MEMBERS = 1 << 16, MAX_NAME = 1024, MAX_EXTRA = 1 << 14 };
/* Passed over before a file: as much as the tables of the largest subnet, and more if the archive itself is large. */
static const uint64_t max_passed = (uint64_t)1 << 32, max_passed_times = 100;

/* Whether name ends like this, with or without the ending of a compressed file. */
static bool bundle_ends(const char *name, const char *ending)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    const size_t n = strlen(name), e = strlen(ending);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        const size_t p = strlen(packed[i]);
        if (n >= e + p && memcmp(name + n - e - p, ending, e) == 0 && strcmp(name + n - p, packed[i]) == 0) return true;
    }
    return false;
}

/* ---- archives ------------------------------------------------------------------------------ */

/* A number of a header: octal, or big-endian binary if the first bit is set. */
static bool tar_number(const unsigned char *field, size_t n, uint64_t *value)
{
    uint64_t v = 0;
    size_t i = 0;
    if (field[0] & 0x80) {
        for (i = 1; i < n; i++) {
            if (v >> 48) return false;
            v = v << 8 | field[i];
        }
        *value = v;
        return field[0] == 0x80;
    }
    while (i < n && field[i] == ' ') i++;
    for (; i < n && field[i] >= '0' && field[i] <= '7'; i++) v = v << 3 | (uint64_t)(field[i] - '0');
    *value = v;
    return i == n || field[i] == 0 || field[i] == ' ';
}

/* Whether a block is the header of a member: ustar in its place, and a sum that is right. */
static bool tar_header(const unsigned char *b)
{
    uint64_t sum, own = 0;
    if (memcmp(b + 257, "ustar", 5) != 0 || !tar_number(b + 148, 8, &sum)) return false;
    for (size_t i = 0; i < BLOCK; i++) own += i >= 148 && i < 156 ? ' ' : b[i];
    return own == sum;
}

struct tar_member {
    char name[MAX_NAME];
    uint64_t size;
    bool named, sized; /* by a member before it */
};

struct tar_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    uint64_t passed; /* bytes, with headers */
};

static hd_status tar_bytes(struct tar_reader *t, void *to, size_t n, size_t *got)
{
    HD_TRY(hd_in_bytes(t->ctx, t->in, to, n, got));
    t->passed += *got;
    if (t->passed <= max_passed || t->passed - max_passed <= max_passed_times * hd_in_stored(t->in)) return HD_OK;
    return hd_fail(t->ctx, HD_INPUT, "%.200s: more than %llu bytes in the archive before the file that is wanted",
                   hd_in_name(t->in), (unsigned long long)max_passed);
}

static hd_status tar_ends_early(struct tar_reader *t)
{
    return hd_fail(t->ctx, HD_INPUT, "%.200s: the archive ends early", hd_in_name(t->in));
}

static hd_status tar_skip(struct tar_reader *t, uint64_t n)
{
    char block[16 * BLOCK];
    while (n) {
        const size_t part = n < sizeof block ? (size_t)n : sizeof block;
        size_t got;
        HD_TRY(tar_bytes(t, block, part, &got));
        if (got < part) return tar_ends_early(t);
        n -= part;
    }
    return HD_OK;
}

static uint64_t tar_padded(uint64_t size)
{
    return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* Records "LENGTH key=value\n" of a pax header; path and size matter. */
static void tar_pax(char *text, size_t n, struct tar_member *m)
{
    for (size_t at = 0; at < n;) {
        char *end, *record = text + at;
        const unsigned long len = strtoul(record, &end, 10);
        if (len == 0 || len > n - at || *end != ' ' || record[len - 1] != '\n') return;
        record[len - 1] = 0;
        end++;
        if (strncmp(end, "path=", 5) == 0) {
            snprintf(m->name, sizeof m->name, "%s", end + 5);
            m->named = true;
        } else if (strncmp(end, "size=", 5) == 0) {
            m->size = strtoull(end + 5, NULL, 10);
            m->sized = true;
        }
        at += len;
    }
}

/* A member that describes the next one: x is a pax header, L a long name. */
static hd_status tar_extra(struct tar_reader *t, char type, uint64_t size, struct tar_member *m)
{
    char text[MAX_EXTRA + 1];
    size_t got;
    if (size > MAX_EXTRA)
        return hd_fail(t->ctx, HD_INPUT, "%.200s: a header of %llu bytes in the archive: expected at most %d",
                       hd_in_name(t->in), (unsigned long long)size, MAX_EXTRA);
    HD_TRY(tar_bytes(t, text, (size_t)size, &got));
    if (got < size) return tar_ends_early(t);
    text[size] = 0;
    if (type == 'L') {
        snprintf(m->name, sizeof m->name, "%.*s", MAX_NAME - 1, text);
        m->named = true;
    } else {
        tar_pax(text, (size_t)size, m);
    }
    return tar_skip(t, tar_padded(size) - size);
}

static void tar_name(const unsigned char *b, struct tar_member *m)
{
    if (m->named) return;
    if (b[345] && b[262] == 0) /* "ustar\0": with a prefix */
        snprintf(m->name, sizeof m->name, "%.155s/%.100s", (const char *)b + 345, (const char *)b);
    else
        snprintf(m->name, sizeof m->name, "%.100s", (const char *)b);
}

/* The next regular file of an archive; its name is empty at the end. Its content comes next. */
static hd_status tar_next(struct tar_reader *t, struct tar_member *m)
{
    *m = (struct tar_member){.size = 0};
    for (int members = 0; members < MAX_MEMBERS; members++) {
        unsigned char block[BLOCK];
        size_t got;
        uint64_t size;
        HD_TRY(tar_bytes(t, block, BLOCK, &got));
        if (got == 0 || (got == BLOCK && block[0] == 0)) {
            m->name[0] = 0;
            return HD_OK;
        }
        if (got < BLOCK) return tar_ends_early(t);
        if (!tar_header(block) || !tar_number(block + 124, 12, &size) || size >> 48)
            return hd_fail(t->ctx, HD_INPUT, "%.200s: a broken header in the archive: expected one of tar",
                           hd_in_name(t->in));
        const char type = (char)block[156];
        if (type == 'x' || type == 'L') {
            HD_TRY(tar_extra(t, type, size, m));
            continue;
        }
        if (type == '0' || type == 0) {
            tar_name(block, m);
            if (!m->sized) m->size = size;
            if (!(m->size >> 48)) return HD_OK;
            return hd_fail(t->ctx, HD_INPUT, "%.200s: a file of %llu bytes in the archive: expected a smaller one",
                           hd_in_name(t->in), (unsigned long long)m->size);
        }
        HD_TRY(tar_skip(t, tar_padded(size)));
        *m = (struct tar_member){.size = 0};
    }
    return hd_fail(t->ctx, HD_INPUT, "%.200s: more than %d entries in the archive", hd_in_name(t->in), MAX_MEMBERS);
}

static const char *tar_base(const struct tar_member *m)
{
    const char *slash = strrchr(m->name, '/');
    return slash ? slash + 1 : m->name;
}

/* Hidden files are none of the user's, as in a folder: macOS puts ._NAME with its attributes before NAME. */
static bool tar_wanted(const char *base, const void *ending)
{
    return *base != '.' && bundle_ends(base, ending);
}

/* The first file whose name ends like this; without one, names are those of all files. */
static hd_status tar_find(struct tar_reader *t, const char *ending, struct tar_member *m, struct hd_name_text *names)
{
    for (int files = 0; files < MAX_MEMBERS; files++) {
        HD_TRY(tar_next(t, m));
        if (!m->name[0] || tar_wanted(tar_base(m), ending)) return HD_OK;
        hd_name_text_add(names, tar_base(m));
        HD_TRY(tar_skip(t, tar_padded(m->size)));
    }
    return hd_fail(t->ctx, HD_INPUT, "%.200s: more than %d files in the archive", hd_in_name(t->in), MAX_MEMBERS);
}

/* Goes to the file in an archive; its name is empty if there is none. */
static hd_status tar_look(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in *archive,
                          struct tar_member *m)
{
    struct tar_reader t = {.ctx = ctx, .in = archive};
    struct hd_name_text names = {0};
    struct stat st;
    const bool file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    const hd_status s = tar_find(&t, ending, m, &names);
    if (s == HD_OK && !m->name[0] && file) hd_archive_names_keep(ctx->archives, path, &st, &names);
    free(names.text);
    return s;
}

static hd_status tar_open(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in **in)
{
    struct hd_in *archive;
    struct tar_member m;
    char name[256];
    if (hd_archive_lacks(ctx->archives, path, tar_wanted, ending)) return HD_OK;
    HD_TRY(hd_in_open(ctx, path, &archive));
    hd_status s = tar_look(ctx, path, ending, archive, &m);
    if (s != HD_OK || !m.name[0]) {
        hd_in_close(archive);
        return s;
    }
    snprintf(name, sizeof name, "%.100s:%.100s", hd_in_name(archive), tar_base(&m));
    hd_replace_controls(name, strlen(name), '?');
    return hd_in_member(ctx, name, archive, m.size, in);
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
        if (e->d_name[0] == '.' || n >= sizeof best || !bundle_ends(e->d_name, ending)) continue;
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
        s = hd_in_peek(&own, in, BLOCK, &first);
        *found = s == HD_OK && first && tar_header((const unsigned char *)first);
        hd_in_close(in);
    }
    /* What is wrong with a file, its reader says; without memory, what was read of a pipe is lost to it. */
    return s == HD_LIMIT ? hd_fail(ctx, s, "%s", own.error) : HD_OK;
}

hd_status hd_bundle_open(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in **in)
{
    *in = NULL;
    return is_folder(path) ? folder_open(ctx, path, ending, in) : tar_open(ctx, path, ending, in);
}
