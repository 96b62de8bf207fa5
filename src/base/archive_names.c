/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of archives, each with its names in one text. An archive is known by its path and by what stat says, so that
 * one that was replaced is looked through again. Little is kept: an archive of diagnostics has some dozens of files.
 * Cost: O(archives + names) per question. */
#include "base/archive_names.h"
#include "base/lock.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 16, MOST_ARCHIVES = 64 };

struct archive {
    struct archive *next;
    char *path;
    struct stat as;
    struct hd_name_text names;
};

struct hd_archive_names {
    struct hd_lock lock;
    struct archive *first;
    int n;
};

struct hd_archive_names *hd_archive_names_make(void)
{
    struct hd_archive_names *names = calloc(1, sizeof *names);
    if (names) *names = (struct hd_archive_names){.lock = HD_LOCK_INIT};
    return names;
}

static void archive_free(struct archive *a)
{
    free(a->path);
    free(a->names.text);
    free(a);
}

void hd_archive_names_free(struct hd_archive_names *names)
{
    while (names && names->first) {
        struct archive *a = names->first;
        names->first = a->next;
        archive_free(a);
    }
    free(names);
}

void hd_name_text_add(struct hd_name_text *t, const char *name)
{
    const size_t n = strlen(name) + 1;
    if (t->full) return;
    if (t->room - t->used < n) {
        const size_t room = 2 * t->room + n;
        char *text = room <= MOST_TEXT ? realloc(t->text, room) : NULL;
        t->full = !text;
        if (!text) return;
        t->text = text;
        t->room = room;
    }
    memcpy(t->text + t->used, name, n);
    t->used += n;
}

static bool archive_is(const struct archive *a, const char *path, const struct stat *now)
{
    return strcmp(a->path, path) == 0 && a->as.st_dev == now->st_dev && a->as.st_ino == now->st_ino &&
           a->as.st_size == now->st_size && a->as.st_mtim.tv_sec == now->st_mtim.tv_sec &&
           a->as.st_mtim.tv_nsec == now->st_mtim.tv_nsec && a->as.st_ctim.tv_sec == now->st_ctim.tv_sec &&
           a->as.st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

void hd_archive_names_keep(struct hd_archive_names *names, const char *path, const struct stat *as,
                           struct hd_name_text *t)
{
    struct archive *a = names && !t->full ? malloc(sizeof *a) : NULL;
    if (a) *a = (struct archive){.path = strdup(path), .as = *as, .names = *t};
    bool kept = a && a->path;
    if (kept) {
        hd_lock(&names->lock);
        kept = names->n < MOST_ARCHIVES;
        if (kept) {
            names->n++;
            a->next = names->first;
            names->first = a;
        }
        hd_unlock(&names->lock);
    }
    if (kept)
        *t = (struct hd_name_text){0};
    else if (a) {
        free(a->path);
        free(a);
    }
}

bool hd_archive_lacks(struct hd_archive_names *names, const char *path,
                      bool (*wanted)(const char *name, const void *of), const void *of)
{
    struct stat now;
    if (!names || stat(path, &now) != 0) return false;
    hd_lock(&names->lock);
    const struct archive *a = names->first;
    while (a && !archive_is(a, path, &now)) a = a->next;
    bool lacks = a != NULL;
    for (size_t at = 0; lacks && at < a->names.used; at += strlen(a->names.text + at) + 1)
        lacks = !wanted(a->names.text + at, of);
    hd_unlock(&names->lock);
    return lacks;
}
