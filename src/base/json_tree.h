/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON as a tree, for files of other programs. */
#ifndef HD_BASE_JSON_TREE_H
#define HD_BASE_JSON_TREE_H

#include "base/arena.h"
#include "base/input.h"

struct hd_json_node {
    char kind;        /* '{', '[', '"'; 'w': a bare word, a number mostly */
    const char *key;  /* in an object */
    const char *text; /* of a string, which ends with NUL, or of a word */
    uint32_t len;     /* of a word */
    uint32_t line;
    struct hd_json_node *child, *next; /* first of its values; the next beside it */
};

struct hd_json_text {
    struct hd_ctx *ctx;
    struct hd_arena *arena; /* of the text and of its nodes */
    const struct hd_in *in;
    char *at;
    uint32_t line;
};

/* The rest of a file, which is then the reader's. HD_INPUT where it has more than 64 MiB, or a NUL. */
hd_status hd_json_text_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_in *in, struct hd_json_text *t);
/* The next of the values that follow each other; NULL at the end. */
hd_status hd_json_text_next(struct hd_json_text *t, struct hd_json_node **node);
/* HD_INPUT: file, line, "JSON: expected ..." */
hd_status hd_json_text_fail(const struct hd_json_text *t, const char *expected);

/* A member of an object; NULL: it has none, or this is no object. */
const struct hd_json_node *hd_json_member(const struct hd_json_node *n, const char *key);

#endif
