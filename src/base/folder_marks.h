/* SPDX-License-Identifier: BSD-2-Clause */
/* What heddle wrote to a folder: the file .heddle in it lists name, size and a hash of the content. A file is ours if
 * it is as listed; anything else in the folder, and any file of ours that was changed since, belongs to the user and
 * is neither replaced nor removed. So does what another command wrote: the list says which one did. */
#ifndef HD_BASE_FOLDER_MARKS_H
#define HD_BASE_FOLDER_MARKS_H

#include "heddle/base.h"

#define HD_MARKS_FILE ".heddle"

struct hd_content { /* of a file */
    uint64_t size, hash;
};
#define HD_CONTENT_NONE ((struct hd_content){0, 0xcbf29ce484222325u})
void hd_content_add(struct hd_content *c, const char *bytes, size_t n);

enum { HD_MARKS_BY = 32 }; /* bytes of a command's name, with the end */

struct hd_marks {
    struct hd_marked {
        char *name;
        struct hd_content content;
        char by[HD_MARKS_BY]; /* command that wrote it, "": not listed */
    } * at;
    size_t n;
    const char *by; /* command that writes now, NULL: any */
    bool foreign;   /* there is a file of that name that is no list */
};

/* The list of a folder, by its descriptor; empty where there is none. */
hd_status hd_marks_read(struct hd_ctx *ctx, int folder, struct hd_marks *marks);
/* One more, by the command that writes now. */
hd_status hd_marks_add(struct hd_ctx *ctx, struct hd_marks *marks, const char *name, struct hd_content content);
/* Whether the same is listed once more behind i. */
bool hd_marks_again(const struct hd_marks *marks, size_t i);
void hd_marks_write(const struct hd_marks *marks, struct hd_out *o);
void hd_marks_free(struct hd_marks *marks);

enum hd_owner {
    HD_NOBODY, /* there is no such file */
    HD_OURS,
    HD_FOREIGN,
    HD_OTHERS,  /* another command of heddle wrote it */
    HD_UNKNOWN, /* it cannot be read, and not for lack of permission */
};
/* Whose a file of the folder is; one with the content that is to be written may be replaced too (NULL: none is). */
enum hd_owner hd_marks_owner(const struct hd_marks *marks, int folder, const char *name,
                             const struct hd_content *wanted);
/* The command that wrote a file of the list. */
const char *hd_marks_by(const struct hd_marks *marks, const char *name);

#endif
