/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours as 'lldpcli show neighbors' prints them, -f json0 (everything in lists) or -f json (objects with names as
 * keys). The file does not name its own host, so the caller does. JSON is read into a tree: a file of a switch has a
 * few hundred values. Cost: linear in the file. */
#include "base/json_tree.h"
#include "base/status.h"
#include "cables/cable_list.h"

#include <string.h>

/* The first of a list, or the value itself. */
static const struct hd_json_node *json_first(const struct hd_json_node *n)
{
    while (n && n->kind == '[') n = n->child;
    return n;
}

static const struct hd_json_node *json_get(const struct hd_json_node *n, const char *key)
{
    return hd_json_member(json_first(n), key);
}

/* A string, or that of its "value"; NULL: none. */
static const char *json_text(const struct hd_json_node *n)
{
    n = json_first(n);
    if (n && n->kind == '{') n = json_first(json_get(n, "value"));
    return n && n->kind == '"' ? n->text : NULL;
}

/* Its name, or, where there is none, the key of the only object in it. */
static const char *lldp_chassis(const struct hd_json_node *chassis)
{
    const char *name = json_text(json_get(chassis, "name"));
    const struct hd_json_node *n = json_first(chassis);
    if (name) return name;
    if (n && n->kind == '{' && n->child && !n->child->next && n->child->kind == '{' && strcmp(n->child->key, "id") != 0)
        return n->child->key;
    return json_text(json_get(chassis, "id"));
}

/* The port's name; where that is an address, what describes it. */
static const char *lldp_port(const struct hd_json_node *port)
{
    const struct hd_json_node *id = json_get(port, "id");
    const char *type = json_text(json_get(id, "type")), *name = json_text(id);
    const char *description = json_text(json_get(port, "descr"));
    return name && !(type && strcmp(type, "mac") == 0 && description) ? name : description;
}

static hd_status lldp_interface(struct hd_cable_list *list, const struct hd_in *in, const char *host, const char *name,
                                const struct hd_json_node *n)
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
                                 const struct hd_json_node *n)
{
    for (const struct hd_json_node *i = n ? n->child : NULL; i; i = i->next) {
        if (n->kind == '[' && i->kind == '{' && !json_get(i, "name")) {
            HD_TRY(lldp_interfaces(list, in, host, i));
            continue;
        }
        HD_TRY(lldp_interface(list, in, host, n->kind == '{' ? i->key : json_text(json_get(i, "name")), i));
    }
    return HD_OK;
}

hd_status hd_lldp_read(struct hd_cable_list *list, struct hd_in *in, const char *host)
{
    struct hd_json_text text;
    struct hd_json_node *root, *more;
    HD_TRY(hd_json_text_init(list->ctx, list->arena, in, &text));
    HD_TRY(hd_json_text_next(&text, &root));
    if (!root) return hd_json_text_fail(&text, "a value");
    HD_TRY(hd_json_text_next(&text, &more));
    if (more) return hd_json_text_fail(&text, "the end of the file");
    const struct hd_json_node *lldp = json_get(root, "lldp");
    if (!lldp || (lldp->kind != '{' && lldp->kind != '['))
        return hd_fail(list->ctx, HD_INPUT, "%.200s:1: expected output of 'lldpcli show neighbors -f json0'",
                       hd_in_name(in));
    if (lldp->kind == '{') return lldp_interfaces(list, in, host, json_get(lldp, "interface"));
    for (const struct hd_json_node *l = lldp->child; l; l = l->next)
        HD_TRY(lldp_interfaces(list, in, host, json_get(l, "interface")));
    return HD_OK;
}
