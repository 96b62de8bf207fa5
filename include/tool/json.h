/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/json.h - a JSON writer. Not installed: shared by library and command. */
#ifndef HEDDLE_TOOL_JSON_H
#define HEDDLE_TOOL_JSON_H

#include "heddle/base.h"

/* JSON on top of a sink; commas and nesting are kept for the caller. Non-finite reals become null.
 * key is NULL inside arrays. */
struct hd_json {
    struct hd_out *o;
    int depth;
    bool first[32];
};

void hd_json_init(struct hd_json *j, struct hd_out *o);
void hd_json_open(struct hd_json *j, const char *key, char bracket);      /* '{' or '[' */
void hd_json_close(struct hd_json *j, char bracket);                      /* '}' or ']' */
void hd_json_text(struct hd_json *j, const char *key, const char *value); /* NULL: null */
void hd_json_uint(struct hd_json *j, const char *key, uint64_t value);
void hd_json_real(struct hd_json *j, const char *key, double value);
void hd_json_bool(struct hd_json *j, const char *key, bool value);
void hd_json_null(struct hd_json *j, const char *key);

#endif
