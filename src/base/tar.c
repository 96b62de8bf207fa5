/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that an archive says of itself is bounded before it is used, and so is what is passed over: zeros are
 * compressed to nothing. Names are brought to one form, so that equal ones are the same file: "./d/a", "d//a" and
 * "/d/a" are d/a. Nothing is ever written to them. Cost: O(bytes). */
#include "base/tar.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = HD_TAR_BLOCK, MAX_ENTRIES = 1 << 20, MAX_EXTRA = 1 << 14 };
/* Passed over: as much as the tables of the largest subnet, and more if the archive itself is large. */
static const uint64_t max_passed = (uint64_t)1 << 32, max_passed_times = 100;

/* What members say of the one behind them. real: the name of a sparse file, "" if name is. */
struct tar_given {
    char name[HD_TAR_NAME], link[HD_TAR_NAME], real[HD_TAR_NAME];
    uint64_t size;
    int64_t changed;
    bool named, linked, sized, sparse;
};

/* ---- headers ------------------------------------------------------------------------------- */

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

static bool tar_is_ustar(const unsigned char *b)
{
    return memcmp(b + 257, "ustar", 5) == 0;
}

/* The form of the seventh edition of Unix has zeros in place of the mark, which no text has. */
static bool tar_is_v7(const unsigned char *b)
{
    static const unsigned char none[8];
    uint64_t mode, size;
    return b[0] && (b[156] == 0 || (b[156] >= '0' && b[156] <= '7')) && memcmp(b + 257, none, sizeof none) == 0 &&
           tar_number(b + 100, 8, &mode) && tar_number(b + 124, 12, &size);
}

bool hd_tar_header(const unsigned char b[HD_TAR_BLOCK])
{
    uint64_t sum, own = 0;
    if ((!tar_is_ustar(b) && !tar_is_v7(b)) || !tar_number(b + 148, 8, &sum)) return false;
    for (size_t i = 0; i < BLOCK; i++) own += i >= 148 && i < 156 ? ' ' : b[i];
    return own == sum;
}

/* ---- bytes --------------------------------------------------------------------------------- */

static hd_status tar_bytes(struct hd_tar *t, void *to, size_t n, size_t *got)
{
    HD_TRY(hd_in_bytes(t->ctx, t->in, to, n, got));
    t->passed += *got;
    if (t->passed <= max_passed || t->passed - max_passed <= max_passed_times * hd_in_stored(t->in)) return HD_OK;
    return hd_fail(t->ctx, HD_INPUT, "%.200s: more than %llu bytes in the archive: expected less", hd_in_name(t->in),
                   (unsigned long long)max_passed);
}

static hd_status tar_ends_early(const struct hd_tar *t)
{
    return hd_fail(t->ctx, HD_INPUT, "%.200s: the archive ends early", hd_in_name(t->in));
}

static hd_status tar_pass(struct hd_tar *t, uint64_t n)
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

hd_status hd_tar_skip(struct hd_tar *t, const struct hd_tar_member *m)
{
    return tar_pass(t, tar_padded(m->size));
}

/* ---- names --------------------------------------------------------------------------------- */

/* Appends the parts of a path to a name in its one form, of n bytes; the name stays as it is if there is no room. */
static size_t name_append(char name[HD_TAR_NAME], size_t n, const char *path)
{
    while (*path) {
        const size_t part = strcspn(path, "/");
        const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
        const bool up = part == 2 && path[0] == '.' && path[1] == '.';
        if (part == 0 || (part == 1 && path[0] == '.')) { /* the folder itself */
        } else if (up && n && strcmp(last, "..") != 0) {
            n = slash ? (size_t)(slash - name) : 0;
        } else if (n + 1 + part < HD_TAR_NAME) {
            if (n) name[n++] = '/';
            memcpy(name + n, path, part);
            n += part;
        }
        name[n] = 0;
        path += part + (path[part] == '/');
    }
    return n;
}

static void name_set(char name[HD_TAR_NAME], const char *path)
{
    name[0] = 0;
    name_append(name, 0, path);
}

/* What a symbolic link leads to is relative to its folder, unless it begins with a slash. */
static void link_set(struct hd_tar_member *m, const char *path)
{
    const char *slash = strrchr(m->name, '/');
    const size_t n = m->kind == HD_TAR_SYMBOLIC && path[0] != '/' && slash ? (size_t)(slash - m->name) : 0;
    memcpy(m->link, m->name, n);
    m->link[n] = 0;
    name_append(m->link, n, path);
}

/* ---- members ------------------------------------------------------------------------------- */

/* Nanoseconds of a time of change; 0 if it is beyond what they count. */
static int64_t tar_time(uint64_t seconds, uint32_t nanoseconds)
{
    return seconds >> 32 ? 0 : (int64_t)seconds * 1000000000 + nanoseconds;
}

/* 1700000000.25 */
static int64_t tar_pax_time(const char *text)
{
    char *end;
    uint32_t part = 0, unit = 100000000;
    const uint64_t seconds = strtoull(text, &end, 10);
    if (*text == '-') return 0;
    for (end += *end == '.'; *end >= '0' && *end <= '9'; end++, unit /= 10) part += unit * (uint32_t)(*end - '0');
    return tar_time(seconds, part);
}

/* Records "LENGTH key=value\n" of a pax header; path, linkpath, size and time matter, and whether holes of the file are
 * left out. GNU tar then has its name in a record of its own, beside a path that is made up. */
static void tar_pax(char *text, size_t n, struct tar_given *g)
{
    for (size_t at = 0; at < n;) {
        char *end, *record = text + at;
        const unsigned long len = strtoul(record, &end, 10);
        if (len == 0 || len > n - at || *end != ' ' || record[len - 1] != '\n') return;
        record[len - 1] = 0;
        end++;
        if (strncmp(end, "path=", 5) == 0) {
            snprintf(g->name, sizeof g->name, "%s", end + 5);
            g->named = true;
        } else if (strncmp(end, "linkpath=", 9) == 0) {
            snprintf(g->link, sizeof g->link, "%s", end + 9);
            g->linked = true;
        } else if (strncmp(end, "size=", 5) == 0) {
            g->size = strtoull(end + 5, NULL, 10);
            g->sized = true;
        } else if (strncmp(end, "mtime=", 6) == 0) {
            g->changed = tar_pax_time(end + 6);
        } else if (strncmp(end, "GNU.sparse.", 11) == 0) {
            g->sparse = true;
            if (strncmp(end + 11, "name=", 5) == 0) snprintf(g->real, sizeof g->real, "%s", end + 16);
        }
        at += len;
    }
}

/* A member that describes the next one: x is a pax header, L a long name, K the long name that a link leads to. */
static hd_status tar_extra(struct hd_tar *t, char type, uint64_t size, struct tar_given *g)
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
        snprintf(g->name, sizeof g->name, "%.*s", HD_TAR_NAME - 1, text);
        g->named = true;
    } else if (type == 'K') {
        snprintf(g->link, sizeof g->link, "%.*s", HD_TAR_NAME - 1, text);
        g->linked = true;
    } else {
        tar_pax(text, (size_t)size, g);
    }
    return tar_pass(t, tar_padded(size) - size);
}

/* What a header says of a member, where no member before it said otherwise. */
static void tar_describe(const unsigned char *b, const struct tar_given *g, struct hd_tar_member *m)
{
    char path[HD_TAR_NAME];
    uint64_t seconds;
    m->changed = g->changed ? g->changed : tar_number(b + 136, 12, &seconds) ? tar_time(seconds, 0) : 0;
    if (g->named || g->real[0])
        snprintf(path, sizeof path, "%s", g->real[0] ? g->real : g->name);
    else if (tar_is_ustar(b) && b[345] && b[262] == 0) /* "ustar\0": with a prefix */
        snprintf(path, sizeof path, "%.155s/%.100s", (const char *)b + 345, (const char *)b);
    else
        snprintf(path, sizeof path, "%.100s", (const char *)b);
    const size_t n = strlen(path);
    name_set(m->name, path);
    if (n && path[n - 1] == '/') m->name[0] = 0; /* a folder, as v7 has it */
    if (m->kind == HD_TAR_FILE) return;
    if (g->linked)
        snprintf(path, sizeof path, "%s", g->link);
    else
        snprintf(path, sizeof path, "%.100s", (const char *)b + 157);
    link_set(m, path);
}

/* GNU tar lists what a sparse file (S) holds in its header and, if that has no room, in blocks behind it that its size
 * does not count. Others have the list elsewhere, so that it is not known where their members end. */
static hd_status tar_pass_list(struct hd_tar *t, const unsigned char b[BLOCK])
{
    unsigned char more[BLOCK];
    size_t got;
    if (memcmp(b + 257, "ustar  ", 8) != 0)
        return hd_fail(t->ctx, HD_INPUT, "%.200s: a sparse file in the archive: expected one that GNU tar wrote",
                       hd_in_name(t->in));
    for (bool next = b[482] != 0; next; next = more[504] != 0) {
        HD_TRY(tar_bytes(t, more, BLOCK, &got));
        if (got < BLOCK) return tar_ends_early(t);
    }
    return HD_OK;
}

static enum hd_tar_kind tar_kind(char type)
{
    if (type == '0' || type == 0 || type == '7' || type == 'S') return HD_TAR_FILE;
    return type == '1' ? HD_TAR_HARD : type == '2' ? HD_TAR_SYMBOLIC : HD_TAR_END;
}

/* An archive ends with blocks of zeros. A header whose name is empty is none. */
static bool tar_is_end(const unsigned char b[BLOCK])
{
    static const unsigned char zeros[BLOCK];
    return memcmp(b, zeros, BLOCK) == 0;
}

/* The next header; the members before it that describe it are read. *end: there is none. */
static hd_status tar_block(struct hd_tar *t, unsigned char b[BLOCK], struct tar_given *g, uint64_t *size, bool *end)
{
    size_t got;
    HD_TRY(tar_bytes(t, b, BLOCK, &got));
    *end = got == 0 || (got == BLOCK && tar_is_end(b));
    if (*end) return HD_OK;
    if (got < BLOCK) return tar_ends_early(t);
    if (!hd_tar_header(b) || !tar_number(b + 124, 12, size) || *size >> 48)
        return hd_fail(t->ctx, HD_INPUT, "%.200s: a broken header in the archive: expected one of tar",
                       hd_in_name(t->in));
    if (++t->entries > MAX_ENTRIES)
        return hd_fail(t->ctx, HD_INPUT, "%.200s: more than %d entries in the archive", hd_in_name(t->in), MAX_ENTRIES);
    const char type = (char)b[156];
    return type == 'x' || type == 'L' || type == 'K' ? tar_extra(t, type, *size, g) : HD_OK;
}

hd_status hd_tar_next(struct hd_tar *t, struct hd_tar_member *m)
{
    struct tar_given g = {.size = 0};
    unsigned char b[BLOCK];
    uint64_t size = 0;
    bool end;
    for (;;) {
        *m = (struct hd_tar_member){.kind = HD_TAR_END, .number = t->members};
        HD_TRY(tar_block(t, b, &g, &size, &end));
        if (end) return HD_OK;
        const char type = (char)b[156];
        if (type == 'x' || type == 'L' || type == 'K') continue;
        m->kind = tar_kind(type);
        /* A link has no content, whatever size some programs give it. */
        m->size = m->kind == HD_TAR_HARD || m->kind == HD_TAR_SYMBOLIC ? 0 : g.sized ? g.size : size;
        if (m->size >> 48)
            return hd_fail(t->ctx, HD_INPUT, "%.200s: a file of %llu bytes in the archive: expected a smaller one",
                           hd_in_name(t->in), (unsigned long long)m->size);
        m->sparse = type == 'S' || g.sparse;
        if (m->kind != HD_TAR_END) tar_describe(b, &g, m);
        if (type == 'S') HD_TRY(tar_pass_list(t, b));
        if (m->name[0]) {
            t->members++;
            return HD_OK;
        }
        HD_TRY(hd_tar_skip(t, m));
        g = (struct tar_given){.size = 0};
    }
}
