/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/json.h - a JSON writer. Not installed: shared by library and command. */
#ifndef HEDDLE_TOOL_JSON_H
#define HEDDLE_TOOL_JSON_H

#include "heddle/base.h"

/* JSON on top of a sink; commas and nesting are kept for the caller. key is NULL inside arrays. */
struct hd_json {
    struct hd_out *o;
    int depth;
    bool first[32];
};

/* A value with its key. */
struct hd_json_field {
    const char *key;
    enum { HD_JSON_END, HD_JSON_NULL, HD_JSON_TEXT, HD_JSON_UINT, HD_JSON_REAL, HD_JSON_BOOL } kind;
    union {
        const char *text;
        uint64_t uint;
        double real;
        bool yes;
    };
};

/* NULL is null. */
static inline struct hd_json_field hd_text(const char *key, const char *value)
{
    return (struct hd_json_field){.key = key, .kind = value ? HD_JSON_TEXT : HD_JSON_NULL, .text = value};
}

/* "" is null too. */
static inline struct hd_json_field hd_text_if(const char *key, const char *value)
{
    return hd_text(key, *value ? value : NULL);
}

static inline struct hd_json_field hd_uint(const char *key, uint64_t value)
{
    return (struct hd_json_field){.key = key, .kind = HD_JSON_UINT, .uint = value};
}

/* Null where it is not known. */
static inline struct hd_json_field hd_uint_if(const char *key, uint64_t value, bool known)
{
    return (struct hd_json_field){.key = key, .kind = known ? HD_JSON_UINT : HD_JSON_NULL, .uint = value};
}

/* What is not finite is null. */
static inline struct hd_json_field hd_real(const char *key, double value)
{
    return (struct hd_json_field){.key = key, .kind = HD_JSON_REAL, .real = value};
}

/* A negative value is null: not known. */
static inline struct hd_json_field hd_bool(const char *key, int value)
{
    return (struct hd_json_field){.key = key, .kind = value < 0 ? HD_JSON_NULL : HD_JSON_BOOL, .yes = value > 0};
}

/* The object of a command, with its schema; hd_json_close(j, '}') ends it. */
void hd_json_begin(struct hd_json *j, struct hd_out *o);
void hd_json_open(struct hd_json *j, const char *key, char bracket);           /* '{' or '[' */
void hd_json_close(struct hd_json *j, char bracket);                           /* '}' or ']' */
void hd_json_put_fields(struct hd_json *j, const struct hd_json_field *field); /* up to HD_JSON_END */
void hd_json_put_object(struct hd_json *j, const char *key, const struct hd_json_field *field);

/* hd_json_fields(j, hd_text("net", net), hd_uint("pairs", n)) writes these fields, hd_json_object an object of them. */
#define hd_json_fields(j, ...) hd_json_put_fields(j, (const struct hd_json_field[]){__VA_ARGS__, {0}})
#define hd_json_object(j, key, ...) hd_json_put_object(j, key, (const struct hd_json_field[]){__VA_ARGS__, {0}})

#endif
