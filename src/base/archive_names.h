/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the files in an archive that may be asked for, and a context's memory of them. A command asks an archive
 * for files of many kinds; reading it to its end for each of them would take as long as unpacking it each time. */
#ifndef HD_BASE_ARCHIVE_NAMES_H
#define HD_BASE_ARCHIVE_NAMES_H

#include "base/arena.h"

#include <sys/stat.h>

struct hd_listed {
    const char *name; /* with its folders */
    uint32_t number;  /* of the files before it in the archive */
    bool symbolic;    /* a link by name, whose file need not be there */
};

struct hd_archive_list {
    struct hd_arena arena;
    struct hd_listed *file;
    uint32_t n, room;
    size_t bytes; /* of names and their list, together */
};

struct hd_archive_names; /* of a context, shared by its copies */

struct hd_archive_names *hd_archive_names_make(void); /* NULL: no memory */
void hd_archive_names_free(struct hd_archive_names *names);

/* Keeps the list of the archive that was at this path with this status, and takes it over. What is kept is bounded:
 * false, and the list stays the caller's, if there is no room for it or no memory. */
bool hd_archive_names_keep(struct hd_archive_names *names, const char *path, const struct stat *as,
                           const struct hd_archive_list *list);
/* The list of the archive as it is at this path now, as long as the context lives; NULL: it is not known. */
const struct hd_archive_list *hd_archive_names_of(struct hd_archive_names *names, const char *path);

#endif
