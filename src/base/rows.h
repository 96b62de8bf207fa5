/* SPDX-License-Identifier: BSD-2-Clause */
/* Named rows as the context carries them. The built-in tables are handed to the context when it is made, so that code
 * at any layer looks names up through ctx and none depends on what the tables list. */
#ifndef HD_BASE_ROWS_H
#define HD_BASE_ROWS_H

#include "base/arena.h"
#include "heddle/registry.h"

struct hd_table { /* the built-in rows of one kind */
    const struct hd_desc *const *row;
    size_t n;
    size_t size;                                 /* of a row; 0: the struct is not public */
    bool (*complete)(const struct hd_desc *row); /* has the functions that are called without asking */
};

struct hd_added { /* a row added by hd_registry_add; newest first */
    struct hd_added *next;
    enum hd_registry kind;
    const struct hd_desc *desc; /* row */
    max_align_t row[];          /* a copy, of the size that this version knows */
};

void hd_registry_release(struct hd_ctx *ctx);

/* Row i of those that were added; NULL past the last. */
const struct hd_desc *hd_registry_added(const struct hd_ctx *ctx, enum hd_registry kind, size_t i);
/* The row that a spec (name:key=value,...) or its name alone refers to; NULL: none. */
const struct hd_desc *hd_spec_find(const struct hd_ctx *ctx, enum hd_registry kind, const char *text);
/* Words the failure of such a look-up: the name that was perhaps meant, or the kind it is. */
hd_status hd_spec_unknown(struct hd_ctx *ctx, enum hd_registry kind, const char *text);
/* Options of a spec whose row is known, from arena, and its canonical form. */
hd_status hd_spec_parse(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_desc *d, const char *text,
                        void **opt, char spec[HD_MAX_SPEC]);

struct hd_spec { /* what a spec refers to; desc is the first member of a row of any kind */
    const struct hd_desc *desc;
    void *opt;
};
/* Row and options of a spec; spec becomes its canonical form. HD_INPUT where no row has that name. */
hd_status hd_spec_open(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_registry kind, const char *text,
                       struct hd_spec *out, char spec[HD_MAX_SPEC]);

#endif
