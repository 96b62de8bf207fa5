/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle schema: JSON Schema (draft 2020-12) of what is printed with --json, from the rows of json_keys.c. Within a
 * major version keys are only added, so objects may have keys that a schema does not know; the version is the value of
 * the key "schema" that every object has. Rows of one object follow each other, so one pass over them writes it. */
#include "cli.h"

#include <string.h>

enum { SCHEMA_VERSION = 1 };

/* What is left of a path after so many keys; NULL if it has not as many. */
static const char *key_path_rest(const char *path, int keys)
{
    while (path && keys-- > 0) {
        path = strchr(path, '.');
        path += path != NULL;
    }
    return path;
}

static size_t key_length(const char *path)
{
    return strcspn(path, "?~[{.");
}

/* How many rows, from the first, are about the same key after so many keys. */
static size_t rows_of_key(const struct json_key *row, size_t n, int keys)
{
    const char *first = key_path_rest(row->path, keys);
    size_t len = key_length(first), k = 1;
    for (; k < n; k++) {
        const char *next = key_path_rest(row[k].path, keys);
        if (!next || key_length(next) != len || strncmp(first, next, len) != 0) break;
    }
    return k;
}

static void put_schema_object(struct hd_json *j, const struct json_key *row, size_t n, int keys);

static void put_schema_type(struct hd_json *j, const char *type, bool or_null)
{
    if (!or_null) {
        hd_json_fields(j, hd_text("type", type));
        return;
    }
    hd_json_open(j, "type", '[');
    hd_json_fields(j, hd_text(NULL, type), hd_text(NULL, "null"));
    hd_json_close(j, ']');
}

static void put_schema_words(struct hd_json *j, const char *words, bool or_null)
{
    hd_json_open(j, "enum", '[');
    for (const char *at = words; *at; at += *at == '|') {
        char word[64];
        size_t len = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)len, at);
        hd_json_fields(j, hd_text(NULL, word));
        at += len;
    }
    if (or_null) hd_json_fields(j, hd_text(NULL, NULL));
    hd_json_close(j, ']');
}

static void put_schema_part(struct hd_json *j, const char *part, bool or_null)
{
    char name[80];
    snprintf(name, sizeof name, "#/$defs/%s", part);
    if (!or_null) {
        hd_json_fields(j, hd_text("$ref", name));
        return;
    }
    hd_json_open(j, "anyOf", '[');
    hd_json_object(j, NULL, hd_text("$ref", name));
    hd_json_object(j, NULL, hd_text("type", "null"));
    hd_json_close(j, ']');
}

static void put_schema_value(struct hd_json *j, const char *type, bool or_null)
{
    if (*type == '@') {
        put_schema_part(j, type + 1, or_null);
    } else if (strchr(type, '|')) {
        put_schema_words(j, type, or_null);
    } else {
        put_schema_type(j, strcmp(type, "text") == 0 ? "string" : type, or_null);
        if (strcmp(type, "integer") == 0) hd_json_fields(j, hd_uint("minimum", 0));
    }
}

/* rest is what follows the key in the path: marks and brackets. */
static void put_schema_rest(struct hd_json *j, const struct json_key *row, size_t n, int keys, const char *rest)
{
    const size_t marks = strspn(rest, "?~");
    const bool or_null = memchr(rest, '~', marks);
    rest += marks;
    if (*rest == '[' || *rest == '{') {
        put_schema_type(j, *rest == '[' ? "array" : "object", or_null);
        hd_json_open(j, *rest == '[' ? "items" : "additionalProperties", '{');
        put_schema_rest(j, row, n, keys, rest + 2);
        hd_json_close(j, '}');
    } else if (strcmp(row->type, "object") == 0) {
        put_schema_type(j, "object", or_null);
        put_schema_object(j, row + 1, n - 1, keys + 1);
    } else {
        put_schema_value(j, row->type, or_null);
    }
}

static void put_schema_properties(struct hd_json *j, const struct json_key *row, size_t n, int keys)
{
    for (size_t i = 0; i < n; i += rows_of_key(row + i, n - i, keys)) {
        char name[64];
        const char *path = key_path_rest(row[i].path, keys);
        snprintf(name, sizeof name, "%.*s", (int)key_length(path), path);
        hd_json_open(j, name, '{');
        hd_json_fields(j, hd_text("description", row[i].doc));
        put_schema_rest(j, row + i, rows_of_key(row + i, n - i, keys), keys, path + key_length(path));
        hd_json_close(j, '}');
    }
}

static void put_schema_required(struct hd_json *j, const struct json_key *row, size_t n, int keys)
{
    for (size_t i = 0; i < n; i += rows_of_key(row + i, n - i, keys)) {
        char name[64];
        const char *path = key_path_rest(row[i].path, keys), *mark = path + key_length(path);
        snprintf(name, sizeof name, "%.*s", (int)key_length(path), path);
        if (!memchr(mark, '?', strspn(mark, "?~"))) hd_json_fields(j, hd_text(NULL, name));
    }
}

/* The members of an object's schema but for its type. */
static void put_schema_object(struct hd_json *j, const struct json_key *row, size_t n, int keys)
{
    hd_json_open(j, "properties", '{');
    put_schema_properties(j, row, n, keys);
    hd_json_close(j, '}');
    hd_json_open(j, "required", '[');
    put_schema_required(j, row, n, keys);
    hd_json_close(j, ']');
}

/* ---- a whole schema --------------------------------------------------------------------------- */

static size_t count_keys(const struct json_key *keys)
{
    size_t n = 0;
    while (keys[n].path) n++;
    return n;
}

static bool schema_uses(const struct json_key *keys, const char *part)
{
    for (; keys->path; keys++)
        if (*keys->type == '@' &&
            (strcmp(keys->type + 1, part) == 0 || schema_uses(find_schema_part(keys->type + 1)->keys, part)))
            return true;
    return false;
}

static void put_schema_parts(struct hd_json *j, const struct schema *s)
{
    const struct schema *part;
    bool any = false;
    for (size_t i = 0; (part = schema_part_at(i)); i++) {
        if (!schema_uses(s->keys, part->name)) continue;
        if (!any) hd_json_open(j, "$defs", '{');
        any = true;
        hd_json_open(j, part->name, '{');
        hd_json_fields(j, hd_text("description", part->summary), hd_text("type", "object"));
        put_schema_object(j, part->keys, count_keys(part->keys), 0);
        hd_json_close(j, '}');
    }
    if (any) hd_json_close(j, '}');
}

static const char *schema_summary(const struct schema *s, char text[80])
{
    if (s->summary) return s->summary;
    snprintf(text, 80, "What 'heddle %s --json' prints", s->name);
    return text;
}

static void print_schema(struct hd_out *o, const struct schema *s)
{
    char text[80], id[80];
    struct hd_json j = {.o = o, .first = {true}};
    const size_t n = count_keys(s->keys);
    snprintf(id, sizeof id, "urn:heddle:schema:%d:%s", SCHEMA_VERSION, s->name);
    hd_json_open(&j, NULL, '{');
    hd_json_fields(&j, hd_text("$schema", "https://json-schema.org/draft/2020-12/schema"), hd_text("$id", id),
                   hd_text("title", s->name), hd_text("description", schema_summary(s, text)),
                   hd_text("type", "object"));
    hd_json_open(&j, "properties", '{');
    hd_json_object(&j, "schema", hd_text("description", "Version: within it, keys are added and none is removed"),
                   hd_uint("const", SCHEMA_VERSION));
    put_schema_properties(&j, s->keys, n, 0);
    hd_json_close(&j, '}');
    hd_json_open(&j, "required", '[');
    hd_json_fields(&j, hd_text(NULL, "schema"));
    put_schema_required(&j, s->keys, n, 0);
    hd_json_close(&j, ']');
    put_schema_parts(&j, s);
    hd_json_close(&j, '}');
}

/* ---- the command ------------------------------------------------------------------------------ */

static void list_schemas(struct cli *cli)
{
    char text[80];
    struct hd_json j;
    if (cli->v.json) {
        hd_json_begin(&j, cli->out);
        hd_json_open(&j, "names", '[');
    }
    for (const struct schema *s = schemas; s->name; s++) {
        if (cli->v.json)
            hd_json_object(&j, NULL, hd_text("name", s->name), hd_text("summary", schema_summary(s, text)));
        else
            hd_printf(cli->out, "%-14s %s\n", s->name, schema_summary(s, text));
    }
    if (cli->v.json) {
        hd_json_close(&j, ']');
        hd_json_close(&j, '}');
    }
}

static hd_status unknown_schema(struct cli *cli, const char *name)
{
    enum { MOST = 64 };
    const char *all[MOST];
    size_t n = 0;
    for (const struct schema *s = schemas; s->name && n < MOST; s++) all[n++] = s->name;
    const char *near = hd_nearest(name, all, n);
    if (near) return usage_error(cli, "schema: unknown name '%.60s', did you mean '%s'?", name, near);
    return usage_error(cli, "schema: unknown name '%.60s': 'heddle schema' lists what has one", name);
}

hd_status run_schema(struct cli *cli)
{
    if (!cli->nargs) {
        list_schemas(cli);
        return HD_OK;
    }
    for (const struct schema *s = schemas; s->name; s++)
        if (strcmp(s->name, cli->arg[0]) == 0) {
            print_schema(cli->out, s);
            return HD_OK;
        }
    return unknown_schema(cli, cli->arg[0]);
}
