/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of archives, each with its names. An archive is known by its path and by what stat says, so that one that was
 * replaced is looked through again. Little is kept: an archive of diagnostics has some dozens of files. Lists are only
 * added while the context lives, so that those handed out stay. Cost: O(archives) per question. */
#include "base/archive_names.h"
#include "base/lock.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1 << 10, MOST_ARCHIVES = 64 };

struct archive {
    struct archive *next;
    char *path;
    struct stat as;
    struct hd_archive_list list;
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

void hd_archive_names_free(struct hd_archive_names *names)
{
    while (names && names->first) {
        struct archive *a = names->first;
        names->first = a->next;
        hd_arena_release(&a->list.arena);
        free(a->path);
        free(a);
    }
    free(names);
}

static bool archive_is(const struct archive *a, const char *path, const struct stat *now)
{
    return strcmp(a->path, path) == 0 && a->as.st_dev == now->st_dev && a->as.st_ino == now->st_ino &&
           a->as.st_size == now->st_size && a->as.st_mtim.tv_sec == now->st_mtim.tv_sec &&
           a->as.st_mtim.tv_nsec == now->st_mtim.tv_nsec && a->as.st_ctim.tv_sec == now->st_ctim.tv_sec &&
           a->as.st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

bool hd_archive_names_keep(struct hd_archive_names *names, const char *path, const struct stat *as,
                           const struct hd_archive_list *list)
{
    struct archive *a = names && list->n <= MOST_FILES ? malloc(sizeof *a) : NULL;
    if (a) *a = (struct archive){.path = strdup(path), .as = *as, .list = *list};
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
    if (!kept && a) {
        free(a->path);
        free(a);
    }
    return kept;
}

const struct hd_archive_list *hd_archive_names_of(struct hd_archive_names *names, const char *path)
{
    struct stat now;
    if (!names || stat(path, &now) != 0) return NULL;
    hd_lock(&names->lock);
    const struct archive *a = names->first;
    while (a && !archive_is(a, path, &now)) a = a->next;
    hd_unlock(&names->lock);
    return a ? &a->list : NULL;
}
