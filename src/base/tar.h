/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a tar archive one after another: v7 and ustar, with what pax and GNU tar add: long names, large sizes,
 * sparse files. */
#ifndef HD_BASE_TAR_H
#define HD_BASE_TAR_H

#include "base/input.h"

enum { HD_TAR_BLOCK = 512, HD_TAR_NAME = 1024 };

enum hd_tar_kind { HD_TAR_END, HD_TAR_FILE, HD_TAR_HARD, HD_TAR_SYMBOLIC };

struct hd_tar_member {
    enum hd_tar_kind kind;
    char name[HD_TAR_NAME]; /* without /, ./ and the like before and within it */
    char link[HD_TAR_NAME]; /* name of what a link leads to, in the same form */
    uint64_t size;          /* of its content, which comes next */
    int64_t changed;        /* nanoseconds since 1970; 0: the archive does not say */
    uint32_t number;        /* of the files and links before it */
    bool sparse;            /* the content lacks its holes, so it is not that of the file */
};

struct hd_tar {
    struct hd_ctx *ctx;
    struct hd_in *in;
    uint64_t passed; /* bytes, with headers */
    uint32_t entries, members;
};

/* Whether a block is the header of a member. */
bool hd_tar_header(const unsigned char block[HD_TAR_BLOCK]);
/* The next file or link of an archive, behind the content of the one before it. */
hd_status hd_tar_next(struct hd_tar *t, struct hd_tar_member *m);
/* Passes over the content of a member. */
hd_status hd_tar_skip(struct hd_tar *t, const struct hd_tar_member *m);

#endif
