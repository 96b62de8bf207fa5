/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours as 'lldpcli show neighbors' prints them, -f json0 (everything in lists) or -f json (objects with names as
 * keys). The file does not name its own host, so the caller does. JSON is read into a tree: a file of a switch has a
 * few hundred values. Nesting is limited, as is the size of the file. Cost: linear in the file. */
#include "base/status.h"
#include "cables/cable_list.h"

#include <string.h>

enum { DEPTH = 64, MOST = 1 << 26 };

struct json_node {
    char kind;                      /* '{', '[', '"'; anything else is a bare word */
    const char *key, *text;         /* key: in an object */
    struct json_node *child, *next; /* first of its values; the next beside it */
};

struct json_reader {
    struct hd_cable_list *list;
    const struct hd_in *in;
    char *at;
    uint32_t line;
};

static hd_status json_fail(const struct json_reader *r, const char *expected)
{
    return hd_fail(r->list->ctx, HD_INPUT, "%.200s:%u: JSON: expected %s", hd_in_name(r->in), r->line, expected);
}

static void json_blanks(struct json_reader *r)
{
    for (; *r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'; r->at++) r->line += *r->at == '\n';
}

/* A string, in place. What \u says is of no use in a name: a question mark takes its place. */
static hd_status json_string(struct json_reader *r, const char **text)
{
    char *to = ++r->at;
    *text = to;
    for (; *r->at != '"'; r->at++) {
        if ((unsigned char)*r->at < ' ') return json_fail(r, "the end of a string");
        if (*r->at != '\\') {
            *to++ = *r->at;
            continue;
        }
        r->at++;
        if (!*r->at) return json_fail(r, "the end of a string");
        if (*r->at == 'u') {
            if (strspn(r->at + 1, "0123456789abcdefABCDEF") < 4) return json_fail(r, "four digits after \\u");
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

static hd_status json_value(struct json_reader *r, int depth, struct json_node **node);

static hd_status json_members(struct json_reader *r, int depth, struct json_node *parent)
{
    struct json_node **last = &parent->child;
    char close = parent->kind == '{' ? '}' : ']';
    r->at++;
    json_blanks(r);
    for (bool first = true; *r->at != close; first = false) {
        const char *key = NULL;
        if (!first) {
            if (*r->at != ',') return json_fail(r, close == '}' ? "',' or '}'" : "',' or ']'");
            r->at++;
            json_blanks(r);
        }
        if (close == '}') {
            if (*r->at != '"') return json_fail(r, "a name in quotes");
            HD_TRY(json_string(r, &key));
            json_blanks(r);
            if (*r->at != ':') return json_fail(r, "':'");
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

static hd_status json_value(struct json_reader *r, int depth, struct json_node **node)
{
    struct json_node *n = HD_NEW(r->list->arena, struct json_node, 1);
    if (!n) return hd_fail_memory(r->list->ctx);
    if (depth > DEPTH) return json_fail(r, "fewer levels of brackets");
    json_blanks(r);
    *node = n;
    n->kind = *r->at;
    if (n->kind == '{' || n->kind == '[') return json_members(r, depth, n);
    if (n->kind == '"') return json_string(r, &n->text);
    size_t len = strspn(r->at, "-+.0123456789abcdefghijklmnopqrstuvwxyzE");
    if (!len) return json_fail(r, "a value");
    r->at += len;
    n->kind = 'w';
    return HD_OK;
}

/* ---- what LLDP means by it ------------------------------------------------------------------ */

/* The first of a list, or the value itself. */
static const struct json_node *json_first(const struct json_node *n)
{
    while (n && n->kind == '[') n = n->child;
    return n;
}

static const struct json_node *json_get(const struct json_node *n, const char *key)
{
    n = json_first(n);
    if (!n || n->kind != '{') return NULL;
    for (n = n->child; n && strcmp(n->key, key) != 0;) n = n->next;
    return n;
}

/* A string, or that of its "value"; NULL: none. */
static const char *json_text(const struct json_node *n)
{
    n = json_first(n);
    if (n && n->kind == '{') n = json_first(json_get(n, "value"));
    return n && n->kind == '"' ? n->text : NULL;
}

/* Its name, or, where there is none, the key of the only object in it. */
static const char *lldp_chassis(const struct json_node *chassis)
{
    const char *name = json_text(json_get(chassis, "name"));
    const struct json_node *n = json_first(chassis);
    if (name) return name;
    if (n && n->kind == '{' && n->child && !n->child->next && n->child->kind == '{' && strcmp(n->child->key, "id") != 0)
        return n->child->key;
    return json_text(json_get(chassis, "id"));
}

/* The port's name; where that is an address, what describes it. */
static const char *lldp_port(const struct json_node *port)
{
    const struct json_node *id = json_get(port, "id");
    const char *type = json_text(json_get(id, "type")), *name = json_text(id);
    const char *description = json_text(json_get(port, "descr"));
    return name && !(type && strcmp(type, "mac") == 0 && description) ? name : description;
}

static hd_status lldp_interface(struct hd_cable_list *list, const struct hd_in *in, const char *host, const char *name,
                                const struct json_node *n)
{
    struct hd_cables_end a, b;
    const char *device = lldp_chassis(json_get(n, "chassis")), *port = lldp_port(json_get(n, "port"));
    if (!name || !device || !port) return HD_OK; /* a neighbour that says too little */
    hd_status s = hd_cables_end_make(list, host, name, &a);
    if (s == HD_OK) s = hd_cables_end_make(list, device, port, &b);
    if (s == HD_INPUT)
        return hd_fail(list->ctx, HD_INPUT, "%.200s: names of a neighbour of '%.60s': expected 1 to %d bytes",
                       hd_in_name(in), name, HD_CABLES_TEXT - 1);
    return s == HD_OK ? hd_cables_add(list, &a, &b, &(struct hd_cables_place){.file = host}) : s;
}

/* "interface": a list of objects with a name, an object by names, or a list of objects with one name each. */
static hd_status lldp_interfaces(struct hd_cable_list *list, const struct hd_in *in, const char *host,
                                 const struct json_node *n)
{
    for (const struct json_node *i = n ? n->child : NULL; i; i = i->next) {
        if (n->kind == '[' && i->kind == '{' && !json_get(i, "name")) {
            HD_TRY(lldp_interfaces(list, in, host, i));
            continue;
        }
        HD_TRY(lldp_interface(list, in, host, n->kind == '{' ? i->key : json_text(json_get(i, "name")), i));
    }
    return HD_OK;
}

static hd_status lldp_read_text(struct hd_cable_list *list, struct hd_in *in, char *text, const char *host)
{
    struct json_reader r = {.list = list, .in = in, .at = text, .line = 1};
    struct json_node *root;
    HD_TRY(json_value(&r, 0, &root));
    json_blanks(&r);
    if (*r.at) return json_fail(&r, "the end of the file");
    const struct json_node *lldp = json_get(root, "lldp");
    if (!lldp || (lldp->kind != '{' && lldp->kind != '['))
        return hd_fail(list->ctx, HD_INPUT, "%.200s:1: expected output of 'lldpcli show neighbors -f json0'",
                       hd_in_name(in));
    if (lldp->kind == '{') return lldp_interfaces(list, in, host, json_get(lldp, "interface"));
    for (const struct json_node *l = lldp->child; l; l = l->next)
        HD_TRY(lldp_interfaces(list, in, host, json_get(l, "interface")));
    return HD_OK;
}

/* The whole file, with a NUL behind it. Room doubles; the arena keeps what was outgrown, as much again at most. */
static hd_status lldp_take(struct hd_cable_list *list, struct hd_in *in, char **text)
{
    size_t n = 0, got;
    const char *old = NULL;
    for (size_t room = 1 << 16; room <= MOST; room *= 2) {
        char *all = HD_NEW(list->arena, char, room + 1);
        if (!all) return hd_fail_memory(list->ctx);
        if (old) memcpy(all, old, n);
        HD_TRY(hd_in_bytes(list->ctx, in, all + n, room - n, &got));
        n += got;
        old = *text = all;
        if (n < room) return memchr(all, 0, n) ? hd_in_fail(list->ctx, in, "a NUL byte, expected text") : HD_OK;
    }
    return hd_in_fail(list->ctx, in, "more than %d bytes", MOST);
}

hd_status hd_lldp_read(struct hd_cable_list *list, struct hd_in *in, const char *host)
{
    char *text = NULL;
    HD_TRY(lldp_take(list, in, &text));
    return lldp_read_text(list, in, text, host);
}
