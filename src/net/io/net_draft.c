/* SPDX-License-Identifier: BSD-2-Clause */
/* Draft networks: ids through one open-addressing hash, ports in the order of the file; at the end one
 * counting sort groups ports by node and each end looks up the other. Cost: O(1) per line, plus sorting
 * GUIDs. Sizes are capped, so that no file can ask for more than some gigabytes. */
#include "net/io/net_draft.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "net/core/lid_claims.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NODES = 1 << 24, MAX_LISTED = 1 << 26, TEXT = 1 << 16 };
enum { MANY = 1 << 20 }; /* ports from which on the memory is looked at */

static struct hd_draft_port *port_at(const struct hd_draft *d, uint32_t i)
{
    return hd_bag_at(&d->port, i);
}

static struct hd_draft_end *end_at(const struct hd_draft *d, uint32_t i)
{
    return hd_bag_at(&d->end, i);
}

hd_status hd_draft_init(struct hd_ctx *ctx, struct hd_draft *d, struct hd_arena *arena, const char *file)
{
    *d = (struct hd_draft){.arena = arena,
                           .file = file,
                           .node.size = sizeof(struct hd_draft_node),
                           .port.size = sizeof(struct hd_draft_port),
                           .end.size = sizeof(struct hd_draft_end),
                           .slots = 1024};
    d->slot = HD_NEW(arena, uint32_t, d->slots);
    return d->slot ? HD_OK : hd_fail_memory(ctx);
}

/* ---- text and ids -------------------------------------------------------------------------- */

/* Room for len bytes and a NUL; NULL: no memory. */
static char *draft_room(struct hd_draft *d, size_t len)
{
    if (d->text_left < len + 1) {
        d->text_left = len + 1 > TEXT ? len + 1 : TEXT;
        d->text = HD_NEW(d->arena, char, d->text_left);
        if (!d->text) {
            d->text_left = 0;
            return NULL;
        }
    }
    char *room = d->text;
    d->text += len + 1;
    d->text_left -= len + 1;
    room[len] = 0;
    return room;
}

hd_status hd_draft_bytes(struct hd_ctx *ctx, struct hd_draft *d, const char *s, size_t len, const char **copy)
{
    char *to = draft_room(d, len);
    if (!to) return hd_fail_memory(ctx);
    memcpy(to, s, len);
    *copy = to;
    return HD_OK;
}

static hd_status draft_copy(struct hd_ctx *ctx, struct hd_draft *d, const char *s, size_t len, char **copy)
{
    if (!(*copy = draft_room(d, len))) return hd_fail_memory(ctx);
    memcpy(*copy, s, len);
    hd_replace_controls(*copy, len, ' ');
    return HD_OK;
}

hd_status hd_draft_name(struct hd_ctx *ctx, struct hd_draft *d, const char *s, size_t len, const char **name)
{
    char *copy;
    HD_TRY(draft_copy(ctx, d, s, len, &copy));
    if (len > HD_DRAFT_NAME) copy[hd_draft_cut(copy, HD_DRAFT_NAME)] = 0;
    *name = copy;
    return HD_OK;
}

static hd_status grow_slots(struct hd_ctx *ctx, struct hd_draft *d)
{
    uint32_t slots = d->slots * 2, *slot = HD_NEW(d->arena, uint32_t, slots);
    if (!slot) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < d->node.n; v++) {
        uint32_t i = hd_draft_node(d, v)->hash & (slots - 1);
        while (slot[i]) i = (i + 1) & (slots - 1);
        slot[i] = v + 1;
    }
    d->slot = slot;
    d->slots = slots;
    return HD_OK;
}

hd_status hd_draft_find(struct hd_ctx *ctx, struct hd_draft *d, const char *id, size_t len, uint32_t *v)
{
    uint32_t hash = (uint32_t)hd_hash_bytes(len, id, len), i = hash & (d->slots - 1);
    for (; d->slot[i]; i = (i + 1) & (d->slots - 1)) {
        const struct hd_draft_node *n = hd_draft_node(d, d->slot[i] - 1);
        if (n->hash == hash && strncmp(n->id, id, len) == 0 && n->id[len] == 0) {
            *v = d->slot[i] - 1;
            return HD_OK;
        }
    }
    if (d->node.n == MAX_NODES) return hd_fail(ctx, HD_INPUT, "%.200s: more than %d nodes", d->file, MAX_NODES);
    char *copy;
    HD_TRY(draft_copy(ctx, d, id, len, &copy));
    struct hd_draft_node *n = hd_bag_push(&d->node, d->arena);
    if (!n) return hd_fail_memory(ctx);
    n->id = copy;
    n->hash = hash;
    *v = d->node.n - 1;
    d->slot[i] = d->node.n;
    return d->node.n > d->slots / 2 ? grow_slots(ctx, d) : HD_OK;
}

/* What it will take to list this many more ports and build the network: as the generators, and the lists beside it. */
static uint64_t draft_bytes(const struct hd_draft *d, uint64_t more)
{
    uint64_t ports = more * sizeof(struct hd_draft_port), ends = more * sizeof(struct hd_draft_end);
    return ports + ends + 20 * (d->port.n + more) + 250 * (uint64_t)d->end.n + 200 * (uint64_t)d->node.n;
}

void hd_draft_leave_loop(struct hd_draft *d, uint32_t line, uint32_t port, const char *id)
{
    if (d->loop.count++) return;
    d->loop.line = line;
    d->loop.port = port;
    snprintf(d->loop.id, sizeof d->loop.id, "%s", id);
}

hd_status hd_draft_add(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_draft_port *p,
                       const struct hd_draft_end *e)
{
    struct hd_draft_node *n = hd_draft_node(d, p->node);
    if (p->node == p->remote) {
        hd_draft_leave_loop(d, p->line, p->port, n->id);
        return HD_OK;
    }
    if (n->used == HD_MAX_PORTS)
        return hd_fail(ctx, HD_INPUT, "%.200s:%u: \"%.64s\" lists more ports: expected at most %d", d->file, p->line,
                       n->id, HD_MAX_PORTS);
    if (d->port.n == MAX_LISTED) return hd_fail(ctx, HD_INPUT, "%.200s: more than %d ports", d->file, MAX_LISTED);
    if (d->port.n >= MANY && (d->port.n & (d->port.n - 1)) == 0)
        HD_TRY(hd_memory_fits(ctx, "the network so far, with the rest of its file,", draft_bytes(d, d->port.n)));
    struct hd_draft_port *copy = hd_bag_push(&d->port, d->arena);
    struct hd_draft_end *end = e ? hd_bag_push(&d->end, d->arena) : NULL;
    if (!copy || (e && !end)) return hd_fail_memory(ctx);
    *copy = *p;
    if (e) {
        *end = *e;
        copy->end = d->end.n - 1;
    }
    n->used++;
    return HD_OK;
}

/* ---- cables -------------------------------------------------------------------------------- */

/* order[first .. first+used) of each node: its ports, increasing. Insertion is enough: a node has at
 * most 254, and files mostly list them in order. */
static hd_status group_ports(struct hd_ctx *ctx, struct hd_draft *d)
{
    uint32_t at = 0;
    d->order = HD_NEW(d->arena, uint32_t, d->port.n);
    if (!d->order) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < d->node.n; v++) {
        struct hd_draft_node *n = hd_draft_node(d, v);
        n->first = at;
        at += n->used;
        n->used = 0;
    }
    for (uint32_t r = 0; r < d->port.n; r++) {
        const struct hd_draft_port *p = port_at(d, r);
        struct hd_draft_node *n = hd_draft_node(d, p->node);
        uint32_t i = n->first + n->used++;
        for (; i > n->first && port_at(d, d->order[i - 1])->port > p->port; i--) d->order[i] = d->order[i - 1];
        if (i > n->first && port_at(d, d->order[i - 1])->port == p->port)
            return hd_fail(ctx, HD_INPUT,
                           "%.200s:%u: port %u of \"%.64s\" is at line %u already: expected one cable per port",
                           d->file, p->line, p->port, n->id, port_at(d, d->order[i - 1])->line);
        d->order[i] = r;
    }
    return HD_OK;
}

/* The listed port of a node, NULL when it is not listed. */
static const struct hd_draft_port *draft_find_port(const struct hd_draft *d, const struct hd_draft_node *n,
                                                   uint8_t port)
{
    uint32_t lo = 0, hi = n->used, mid = port - 1u; /* right away where every port up to it is listed */
    while (lo < hi) {
        if (mid >= hi) mid = lo + (hi - lo) / 2;
        const struct hd_draft_port *p = port_at(d, d->order[n->first + mid]);
        if (p->port == port) return p;
        if (p->port < port)
            lo = mid + 1;
        else
            hi = mid;
        mid = lo + (hi - lo) / 2;
    }
    return NULL;
}

static hd_status draft_check_cable(struct hd_ctx *ctx, const struct hd_draft *d, const struct hd_draft_port *p,
                                   const struct hd_draft_port **other)
{
    const struct hd_draft_node *u = hd_draft_node(d, p->node), *v = hd_draft_node(d, p->remote);
    if (!v->line)
        return hd_fail(
            ctx, HD_INPUT,
            "%.200s:%u: port %u of \"%.64s\" leads to \"%.64s\", which has no record: expected both ends of a cable",
            d->file, p->line, p->port, u->id, v->id);
    if (!u->is_switch && !v->is_switch)
        return hd_fail(
            ctx, HD_INPUT,
            "%.200s:%u: port %u of \"%.64s\" leads to \"%.64s\", another adapter: expected a cable to a switch",
            d->file, p->line, p->port, u->id, v->id);
    const struct hd_draft_port *q = draft_find_port(d, v, p->rport);
    if (!q)
        return hd_fail(ctx, HD_INPUT,
                       "%.200s:%u: port %u of \"%.64s\" leads to port %u of \"%.64s\", which does not list it: "
                       "expected both ends of a cable",
                       d->file, p->line, p->port, u->id, p->rport, v->id);
    if (q->remote != p->node || q->rport != p->port)
        return hd_fail(ctx, HD_INPUT,
                       "%.200s:%u: port %u of \"%.64s\" leads to port %u of \"%.64s\", but line %u leads that to port "
                       "%u of \"%.64s\": expected ends that agree",
                       d->file, p->line, p->port, u->id, p->rport, v->id, q->line, q->rport,
                       hd_draft_node(d, q->remote)->id);
    *other = q;
    return HD_OK;
}

uint8_t hd_draft_link(struct hd_draft *d, const char *word, size_t len, uint32_t line)
{
    uint8_t link = hd_link_code(word, len);
    if (link) return link;
    if (d->unknown.count++) return 0;
    d->unknown.line = line;
    if (len >= sizeof d->unknown.word) len = sizeof d->unknown.word - 1;
    memcpy(d->unknown.word, word, len);
    hd_replace_controls(d->unknown.word, len, '?');
    return 0;
}

/* Loops, unknown rates, and cables whose ends have different ones, here between a and b: each noted once. */
static void note_links(struct hd_ctx *ctx, const struct hd_draft *d, uint32_t differ, const struct hd_draft_port *a,
                       const struct hd_draft_port *b)
{
    if (d->loop.count)
        hd_note(ctx, "%.200s:%u: port %u of \"%s\" leads back to the same node: left out (%u line%s)", d->file,
                d->loop.line, d->loop.port, d->loop.id, d->loop.count, d->loop.count == 1 ? "" : "s");
    if (d->unknown.count)
        hd_note(ctx, "%.200s:%u: link rate '%s' is not known; the most common rate is assumed (%u line%s)", d->file,
                d->unknown.line, d->unknown.word, d->unknown.count, d->unknown.count == 1 ? "" : "s");
    if (differ)
        hd_note(ctx, "%.200s:%u: this cable is %s here and %s at line %u: the slower rate is used (%u cable%s)",
                d->file, a->line, hd_link_name(a->link), hd_link_name(b->link), b->line, differ,
                differ == 1 ? "" : "s");
}

static hd_status draft_check_cables(struct hd_ctx *ctx, const struct hd_draft *d)
{
    const struct hd_draft_port *other = NULL, *a = NULL, *b = NULL;
    uint32_t differ = 0;
    for (uint32_t r = 0; r < d->port.n; r++) {
        const struct hd_draft_port *p = port_at(d, r);
        HD_TRY(draft_check_cable(ctx, d, p, &other));
        if (p->line > other->line || !p->link || !other->link || p->link == other->link) continue;
        if (!differ++) a = p, b = other;
    }
    note_links(ctx, d, differ, a, b);
    return HD_OK;
}

/* If the two ends have different rates, the cable has the slower one. */
static uint8_t cable_link(uint8_t a, uint8_t b)
{
    if (!a || !b) return a ? a : b;
    uint32_t ma = hd_link_mbps(a), mb = hd_link_mbps(b);
    if (ma != mb) return ma < mb ? a : b;
    return a < b ? a : b;
}

/* ---- LIDs and GUIDs ------------------------------------------------------------------------ */

/* The connected part of each node, by the number of one of its nodes; NULL: no memory. */
static uint32_t *draft_parts(const struct hd_draft *d)
{
    uint32_t *set = HD_NEW(d->arena, uint32_t, d->node.n);
    if (!set) return NULL;
    hd_sets_init(set, d->node.n);
    for (uint32_t r = 0; r < d->port.n; r++) hd_sets_join(set, port_at(d, r)->node, port_at(d, r)->remote);
    for (uint32_t v = 0; v < d->node.n; v++) set[v] = hd_sets_find(set, v);
    return set;
}

/* LIDs collide somewhere: whether they do within a part. Switches claim theirs first. */
static hd_status draft_check_parts(struct hd_ctx *ctx, const struct hd_draft *d)
{
    uint32_t n = 0, *part_of = draft_parts(d);
    struct hd_lid_item *item = HD_NEW(d->arena, struct hd_lid_item, (size_t)d->node.n + d->end.n), early, late;
    if (!part_of || !item) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < d->node.n; v++) {
        uint32_t lid = hd_draft_node(d, v)->lid;
        if (lid) item[n++] = (struct hd_lid_item){{hd_lid_key(part_of[v], lid), v}, 1u << hd_draft_node(d, v)->lmc};
    }
    for (uint32_t r = 0; r < d->port.n; r++) {
        const struct hd_draft_port *p = port_at(d, r);
        if (hd_draft_node(d, p->node)->is_switch || !end_at(d, p->end)->lid) continue;
        const struct hd_draft_end *e = end_at(d, p->end);
        item[n++] = (struct hd_lid_item){{hd_lid_key(part_of[p->node], e->lid), d->node.n + p->end}, 1u << e->lmc};
    }
    if (!hd_lid_collision(item, n, &early, &late)) return HD_OK;
    const uint32_t lid = (uint32_t)((early.at.key > late.at.key ? early.at.key : late.at.key) & 0xffff);
    const uint32_t first = early.at.value, second = late.at.value, nodes = d->node.n;
    return hd_fail(ctx, HD_INPUT,
                   "%.200s:%u: LID %u belongs to line %u already: expected distinct LIDs in each component", d->file,
                   second < nodes ? hd_draft_node(d, second)->line : end_at(d, second - nodes)->line, lid,
                   first < nodes ? hd_draft_node(d, first)->line : end_at(d, first - nodes)->line);
}

/* Whether all LIDs are distinct; those of a node are 2^lmc. */
static bool draft_lids_distinct(const struct hd_draft *d, struct hd_lid_claims *claims)
{
    for (uint32_t v = 0; v < d->node.n; v++) {
        const struct hd_draft_node *n = hd_draft_node(d, v);
        if (n->lid && hd_lid_claim(claims, n->lid, 1u << n->lmc, 1)) return false;
    }
    for (uint32_t i = 0; i < d->end.n; i++) {
        const struct hd_draft_end *e = end_at(d, i);
        if (e->lid && hd_lid_claim(claims, e->lid, 1u << e->lmc, 1)) return false;
    }
    return true;
}

/* Raises *last to the last of the LIDs that a node or port has. */
static hd_status draft_last_lid(struct hd_ctx *ctx, const struct hd_draft *d, uint32_t line, uint32_t lid, uint32_t lmc,
                                uint32_t *last)
{
    const uint32_t end = lid ? lid + (1u << lmc) - 1 : 0;
    if (end > HD_MAX_LID)
        return hd_fail(ctx, HD_INPUT, "%.200s:%u: LIDs %u to %u: expected at most %d", d->file, line, lid, end,
                       HD_MAX_LID);
    if (end > *last) *last = end;
    return HD_OK;
}

static hd_status draft_check_lids(struct hd_ctx *ctx, const struct hd_draft *d)
{
    struct hd_lid_claims claims;
    uint32_t last = 0;
    for (uint32_t v = 0; v < d->node.n; v++) {
        const struct hd_draft_node *n = hd_draft_node(d, v);
        HD_TRY(draft_last_lid(ctx, d, n->line, n->lid, n->lmc, &last));
    }
    for (uint32_t i = 0; i < d->end.n; i++) {
        const struct hd_draft_end *e = end_at(d, i);
        HD_TRY(draft_last_lid(ctx, d, e->line, e->lid, e->lmc, &last));
    }
    if (!hd_lid_claims_init(d->arena, last, &claims)) return hd_fail_memory(ctx);
    return draft_lids_distinct(d, &claims) ? HD_OK : draft_check_parts(ctx, d);
}

/* The switches, or the adapters, by increasing GUID. */
static hd_status sort_nodes(struct hd_ctx *ctx, const struct hd_draft *d, bool switches, struct hd_keyed **out,
                            uint32_t *count)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < d->node.n; v++) n += hd_draft_node(d, v)->is_switch == switches;
    struct hd_keyed *k = HD_NEW(d->arena, struct hd_keyed, n);
    if (!k) return hd_fail_memory(ctx);
    n = 0;
    for (uint32_t v = 0; v < d->node.n; v++)
        if (hd_draft_node(d, v)->is_switch == switches) k[n++] = (struct hd_keyed){hd_draft_node(d, v)->guid, v};
    hd_keyed_sort(k, n, sizeof *k);
    for (uint32_t i = 1; i < n; i++) {
        if (k[i].key != k[i - 1].key) continue;
        const struct hd_draft_node *a = hd_draft_node(d, k[i - 1].value), *b = hd_draft_node(d, k[i].value);
        const struct hd_draft_node *early = a->line < b->line ? a : b, *late = early == a ? b : a;
        return hd_fail(
            ctx, HD_INPUT,
            "%.200s:%u: GUID 0x%016llx of \"%.64s\" is that of \"%.64s\" at line %u too: expected distinct GUIDs",
            d->file, late->line, (unsigned long long)k[i].key, late->id, early->id, early->line);
    }
    *out = k;
    *count = n;
    return HD_OK;
}

/* Gives every adapter port its GUID and verifies that they differ. */
static hd_status draft_port_guids(struct hd_ctx *ctx, const struct hd_draft *d)
{
    struct hd_keyed *k = HD_NEW(d->arena, struct hd_keyed, d->end.n);
    uint32_t n = 0;
    if (!k) return hd_fail_memory(ctx);
    for (uint32_t r = 0; r < d->port.n; r++) {
        const struct hd_draft_port *p = port_at(d, r);
        const struct hd_draft_node *u = hd_draft_node(d, p->node);
        if (u->is_switch) continue;
        struct hd_draft_end *e = end_at(d, p->end);
        if (!e->guid) e->guid = u->guid + p->port;
        if (!e->guid)
            return hd_fail(ctx, HD_INPUT, "%.200s:%u: port %u of \"%.64s\" has GUID 0: expected another one", d->file,
                           p->line, p->port, u->id);
        k[n++] = (struct hd_keyed){e->guid, p->line};
    }
    hd_keyed_sort(k, n, sizeof *k);
    for (uint32_t i = 1; i < n; i++)
        if (k[i].key == k[i - 1].key)
            return hd_fail(ctx, HD_INPUT,
                           "%.200s:%u: port GUID 0x%016llx is at line %u already: expected distinct GUIDs", d->file,
                           k[i].value, (unsigned long long)k[i].key, k[i - 1].value);
    return HD_OK;
}

/* ---- feeding the builder ------------------------------------------------------------------- */

static const char *name_of(const struct hd_draft_node *n, const struct hd_name_map *map)
{
    const char *name = hd_name_map_find(map, n->guid);
    if (name) return name;
    return n->name ? n->name : n->id;
}

static void add_switches(const struct hd_draft *d, const struct hd_name_map *map, const struct hd_keyed *k,
                         uint32_t count, struct hd_builder *b)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hd_draft_node *n = hd_draft_node(d, k[i].value);
        n->handle = hd_builder_switch(b, &(struct hd_switch_in){.name = name_of(n, map),
                                                                .guid = n->guid,
                                                                .system = n->system,
                                                                .nports = n->nports,
                                                                .lid = n->lid,
                                                                .lmc = n->lmc});
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct hd_draft_node *n = hd_draft_node(d, k[i].value);
        for (uint32_t j = n->first; j < n->first + n->used; j++) {
            const struct hd_draft_port *p = port_at(d, d->order[j]);
            const struct hd_draft_node *v = hd_draft_node(d, p->remote);
            if (!v->is_switch || v->handle < n->handle) continue;
            uint8_t link = cable_link(p->link, draft_find_port(d, v, p->rport)->link);
            hd_builder_cable(b, n->handle, p->port, v->handle, p->rport, link);
        }
    }
}

static void add_adapter(const struct hd_draft *d, const struct hd_name_map *map, const struct hd_draft_node *n,
                        struct hd_builder *b)
{
    uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name_of(n, map),
                                                               .guid = n->guid,
                                                               .system = n->system,
                                                               .nports = n->nports,
                                                               .role = (enum hd_role)n->role});
    for (uint32_t j = n->first; j < n->first + n->used; j++) {
        const struct hd_draft_port *p = port_at(d, d->order[j]);
        const struct hd_draft_node *v = hd_draft_node(d, p->remote);
        const struct hd_draft_end *e = end_at(d, p->end);
        uint8_t link = cable_link(p->link, draft_find_port(d, v, p->rport)->link);
        uint32_t ep = hd_builder_endpoint(b, a, p->port, e->guid, e->lid);
        hd_builder_lmc(b, ep, e->lmc);
        hd_builder_cable(b, v->handle, p->rport, ep, p->port, link);
    }
}

static void add_adapters(struct hd_ctx *ctx, const struct hd_draft *d, const struct hd_name_map *map,
                         const struct hd_keyed *k, uint32_t count, struct hd_builder *b)
{
    const struct hd_draft_node *idle = NULL;
    uint32_t idles = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct hd_draft_node *n = hd_draft_node(d, k[i].value);
        if (n->used) {
            add_adapter(d, map, n, b);
        } else {
            if (!idles++) idle = n;
        }
    }
    if (idles == 1)
        hd_note(ctx, "%.200s:%u: '%.100s' has no cable and is left out", d->file, idle->line, name_of(idle, map));
    if (idles > 1)
        hd_note(ctx, "%.200s:%u: '%.100s' and %u more adapters have no cable and are left out", d->file, idle->line,
                name_of(idle, map), idles - 1);
}

hd_status hd_draft_build(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_name_map *map, struct hd_builder *b)
{
    struct hd_keyed *switches, *adapters;
    uint32_t nsw, nca;
    HD_TRY(hd_memory_fits(ctx, "the network", draft_bytes(d, 0)));
    HD_TRY(group_ports(ctx, d));
    HD_TRY(draft_check_cables(ctx, d));
    HD_TRY(sort_nodes(ctx, d, true, &switches, &nsw));
    HD_TRY(sort_nodes(ctx, d, false, &adapters, &nca));
    struct hd_mark mark = hd_arena_mark(d->arena);
    HD_TRY(draft_port_guids(ctx, d));
    hd_arena_rewind(d->arena, mark);
    HD_TRY(draft_check_lids(ctx, d));
    hd_arena_rewind(d->arena, mark);
    hd_builder_found(b, !d->roles);
    hd_builder_reserve(b, nsw, d->end.n, d->port.n / 2);
    add_switches(d, map, switches, nsw, b);
    add_adapters(ctx, d, map, adapters, nca, b);
    return HD_OK;
}
