/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON read into a tree, since what files of other programs mean depends on keys that may come later. Nesting is
 * limited, as is the size of a file; strings are unescaped in place. Several values may follow each other, as some
 * programs write them. Cost: linear in the file. */
#include "base/json_tree.h"
#include "base/status.h"

#include <string.h>

enum { DEPTH = 64, MOST = 1 << 26 };

hd_status hd_json_text_fail(const struct hd_json_text *t, const char *expected)
{
    return hd_fail(t->ctx, HD_INPUT, "%.200s:%u: JSON: expected %s", hd_in_name(t->in), t->line, expected);
}

static void json_blanks(struct hd_json_text *r)
{
    for (; *r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'; r->at++) r->line += *r->at == '\n';
}

/* A string, in place. What \u says is of no use in a name: a question mark takes its place. */
static hd_status json_string(struct hd_json_text *r, const char **text)
{
    char *to = ++r->at;
    *text = to;
    for (; *r->at != '"'; r->at++) {
        if ((unsigned char)*r->at < ' ') return hd_json_text_fail(r, "the end of a string");
        if (*r->at != '\\') {
            *to++ = *r->at;
            continue;
        }
        r->at++;
        if (!*r->at) return hd_json_text_fail(r, "the end of a string");
        if (*r->at == 'u') {
            if (strspn(r->at + 1, "0123456789abcdefABCDEF") < 4) return hd_json_text_fail(r, "four digits after \\u");
            r->at += 4;
            *to++ = '?';
        } else {
            *to++ = strchr("bfnrt", *r->at) ? ' ' : *r->at;
        }
    }
    r->at++;
    *to = 0;
    return HD_OK;
}

static hd_status json_value(struct hd_json_text *r, int depth, struct hd_json_node **node);

static hd_status json_members(struct hd_json_text *r, int depth, struct hd_json_node *parent)
{
    struct hd_json_node **last = &parent->child;
    char close = parent->kind == '{' ? '}' : ']';
    r->at++;
    json_blanks(r);
    for (bool first = true; *r->at != close; first = false) {
        const char *key = NULL;
        if (!first) {
            if (*r->at != ',') return hd_json_text_fail(r, close == '}' ? "',' or '}'" : "',' or ']'");
            r->at++;
            json_blanks(r);
        }
        if (close == '}') {
            if (*r->at != '"') return hd_json_text_fail(r, "a name in quotes");
            HD_TRY(json_string(r, &key));
            json_blanks(r);
            if (*r->at != ':') return hd_json_text_fail(r, "':'");
            r->at++;
        }
        HD_TRY(json_value(r, depth + 1, last));
        (*last)->key = key;
        last = &(*last)->next;
        json_blanks(r);
    }
    r->at++;
    return HD_OK;
}

static hd_status json_value(struct hd_json_text *r, int depth, struct hd_json_node **node)
{
    struct hd_json_node *n = HD_NEW(r->arena, struct hd_json_node, 1);
    if (!n) return hd_fail_memory(r->ctx);
    if (depth > DEPTH) return hd_json_text_fail(r, "fewer levels of brackets");
    json_blanks(r);
    *node = n;
    n->kind = *r->at;
    n->line = r->line;
    if (n->kind == '{' || n->kind == '[') return json_members(r, depth, n);
    if (n->kind == '"') return json_string(r, &n->text);
    size_t len = strspn(r->at, "-+.0123456789abcdefghijklmnopqrstuvwxyzE");
    if (!len) return hd_json_text_fail(r, "a value");
    n->text = r->at;
    n->len = (uint32_t)len;
    r->at += len;
    n->kind = 'w';
    return HD_OK;
}

/* The whole file, with a NUL behind it. Room doubles; the arena keeps what was outgrown, as much again at most. */
static hd_status json_take(struct hd_json_text *t, struct hd_in *in)
{
    size_t n = 0, got;
    const char *old = NULL;
    for (size_t room = 1 << 16; room <= MOST; room *= 2) {
        char *all = HD_NEW(t->arena, char, room + 1);
        if (!all) return hd_fail_memory(t->ctx);
        if (old) memcpy(all, old, n);
        HD_TRY(hd_in_bytes(t->ctx, in, all + n, room - n, &got));
        n += got;
        old = t->at = all;
        if (n < room) return memchr(all, 0, n) ? hd_in_fail(t->ctx, in, "a NUL byte, expected text") : HD_OK;
    }
    return hd_in_fail(t->ctx, in, "more than %d bytes", MOST);
}

hd_status hd_json_text_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_in *in, struct hd_json_text *t)
{
    *t = (struct hd_json_text){.ctx = ctx, .arena = arena, .in = in, .line = 1};
    return json_take(t, in);
}

hd_status hd_json_text_next(struct hd_json_text *t, struct hd_json_node **node)
{
    *node = NULL;
    json_blanks(t);
    return *t->at ? json_value(t, 0, node) : HD_OK;
}

const struct hd_json_node *hd_json_member(const struct hd_json_node *n, const char *key)
{
    if (!n || n->kind != '{') return NULL;
    for (n = n->child; n && strcmp(n->key, key) != 0;) n = n->next;
    return n;
}
