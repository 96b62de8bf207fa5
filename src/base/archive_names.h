/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the files in archives that were looked through to their end. A command asks an archive for files of many
 * kinds, most of which it does not have; unpacking it for each of them would take as long as reading it each time. */
#ifndef HD_BASE_ARCHIVE_NAMES_H
#define HD_BASE_ARCHIVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct hd_archive_names; /* of a context, shared by its copies */

struct hd_archive_names *hd_archive_names_make(void); /* NULL: no memory */
void hd_archive_names_free(struct hd_archive_names *names);

/* Names that follow each other, each ended by NUL, as they are collected. */
struct hd_name_text {
    char *text;
    size_t used, room;
    bool full; /* too many to be kept, or no memory */
};

void hd_name_text_add(struct hd_name_text *t, const char *name);
/* Keeps the names of all files of the archive that was at this path with this status, and takes over t. */
void hd_archive_names_keep(struct hd_archive_names *names, const char *path, const struct stat *as,
                           struct hd_name_text *t);
/* Whether the archive is known as it is now, and no name in it is wanted: then there is no need to look. */
bool hd_archive_lacks(struct hd_archive_names *names, const char *path,
                      bool (*wanted)(const char *name, const void *of), const void *of);

#endif
