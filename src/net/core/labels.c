/* SPDX-License-Identifier: BSD-2-Clause */
/* What nodes are called in text, drawings and reports. Managed switches describe themselves as
 * MF0;NAME:MODEL/U1, of which people use NAME; the ASICs of a director are MF0;NAME:MODEL/L7/U1, shown as NAME/L7/U1.
 * Unmanaged switches and adapters that nobody named all have the description of their model: where a label is not
 * unique, its first word and the GUID take its place, short enough to fit where names are cut. Most networks have
 * neither, and then there is no table at all. Files and JSON have the whole names. Cost: O(n) expected, one hash per
 * name. */
#include "net/core/labels.h"
#include "base/hash.h"
#include "base/status.h"
#include "net/core/node_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 24, LABEL = WORD + 32 }; /* bytes of a first word; of it and a GUID */

struct label_slot { /* of a hash table of labels */
    uint64_t hash;
    uint32_t node, count; /* the first node with it, and how many; 0: free */
};

struct label_maker {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    struct hd_arena *arena, scratch;
    const char **label; /* [nodes] as far as it is known */
    struct label_slot *slot;
    uint32_t nodes, mask;
};

/* Of a switch, or of adapter i - nsw. */
static const char *table_name(const struct hd_net *net, uint32_t i)
{
    return net->names + net->name_at[i];
}

bool hd_label_strip(const char *name, char label[HD_LABEL_ROOM])
{
    size_t prefix = 0;
    while ((name[prefix] >= 'A' && name[prefix] <= 'Z') || hd_is_digit(name[prefix])) prefix++;
    if (!prefix || name[prefix] != ';') return false;
    const char *own = name + prefix + 1, *colon = strrchr(own, ':'), *model = colon ? colon + 1 : "";
    const char *path = strchr(model, '/');
    size_t n = colon ? (size_t)(colon - own) : strlen(own);
    if (!n || (colon && !path)) return false;
    if (!path || strcmp(path, "/U1") == 0) path = "";
    if (n + strlen(path) >= HD_LABEL_ROOM) return false;
    memcpy(label, own, n);
    strcpy(label + n, path);
    return true;
}

/* As adapters leave the factory: "MT4129 ConnectX7   Mellanox Technologies". */
static bool label_is_factory(const char *host)
{
    size_t digits = strncmp(host, "MT", 2) == 0 ? strspn(host + 2, "0123456789") : 0;
    return digits && host[2 + digits] == ' ';
}

bool hd_host_is_no_node(const char *host)
{
    char label[HD_LABEL_ROOM];
    return hd_name_split(host).vague || hd_label_strip(host, label) || label_is_factory(host);
}

/* The slot of a label, free if it is new. */
static struct label_slot *label_find(const struct label_maker *m, const char *label)
{
    uint64_t hash = hd_hash_bytes(1, label, strlen(label));
    uint32_t i = (uint32_t)hash & m->mask;
    for (; m->slot[i].count; i = (i + 1) & m->mask)
        if (m->slot[i].hash == hash && strcmp(m->label[m->slot[i].node], label) == 0) break;
    m->slot[i].hash = hash;
    return &m->slot[i];
}

/* Stripped names, and how often each label occurs; *special: whether any differs from a name or occurs twice. */
static hd_status labels_count(struct label_maker *m, bool *special)
{
    *special = false;
    for (uint32_t i = 0; i < m->nodes; i++) {
        char stripped[HD_LABEL_ROOM];
        m->label[i] = table_name(m->net, i);
        if (hd_label_strip(m->label[i], stripped)) {
            if (!(m->label[i] = hd_strdup(m->arena, stripped, strlen(stripped)))) return hd_fail_memory(m->ctx);
            *special = true;
        }
        struct label_slot *s = label_find(m, m->label[i]);
        if (!s->count++) s->node = i;
        if (s->count > 1) *special = true;
    }
    return HD_OK;
}

/* First word and GUID. */
static hd_status label_with_guid(struct label_maker *m, uint32_t i, const char **label)
{
    const struct hd_net *net = m->net;
    const char *old = m->label[i];
    uint64_t guid = i < net->nsw ? net->guid[i] : net->ca_guid[i - net->nsw];
    char text[LABEL];
    size_t n = strcspn(old, " \t");
    if (n > WORD) n = WORD;
    while (n && ((unsigned char)old[n] & 0xc0) == 0x80) n--; /* not inside a character */
    int len = snprintf(text, sizeof text, "%.*s%s0x%016llx", (int)n, old, n ? " " : "", (unsigned long long)guid);
    *label = hd_strdup(m->arena, text, (size_t)len);
    return *label ? HD_OK : hd_fail_memory(m->ctx);
}

static hd_status labels_fill(struct label_maker *m, struct hd_net *net)
{
    bool special;
    uint32_t slots = 64;
    while (slots < 2 * m->nodes) slots *= 2;
    m->mask = slots - 1;
    m->slot = HD_NEW(&m->scratch, struct label_slot, slots);
    m->label = HD_NEW(&m->scratch, const char *, m->nodes);
    if (!m->slot || !m->label) return hd_fail_memory(m->ctx);
    HD_TRY(labels_count(m, &special));
    if (!special) return HD_OK;
    const char **label = HD_NEW(m->arena, const char *, m->nodes);
    if (!label) return hd_fail_memory(m->ctx);
    for (uint32_t i = 0; i < m->nodes; i++) {
        label[i] = m->label[i];
        if (label_find(m, m->label[i])->count > 1) HD_TRY(label_with_guid(m, i, &label[i]));
    }
    net->labels = label;
    return HD_OK;
}

struct labelled {
    const char *label;
    uint32_t v;
};

static int by_label(const void *a, const void *b)
{
    const struct labelled *x = a, *y = b;
    int order =
        hd_name_order((struct hd_text){x->label, strlen(x->label)}, (struct hd_text){y->label, strlen(y->label)});
    return order ? order : (x->v > y->v) - (x->v < y->v);
}

hd_status hd_switches_by_label(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *order)
{
    struct hd_arena scratch = {0};
    struct labelled *list = HD_NEW(&scratch, struct labelled, net->nsw);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) list[v] = (struct labelled){hd_node_label(net, v), v};
    qsort(list, net->nsw, sizeof *list, by_label);
    for (uint32_t i = 0; i < net->nsw; i++) order[i] = list[i].v;
    hd_arena_release(&scratch);
    return HD_OK;
}

hd_status hd_labels_make(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_net *net)
{
    struct label_maker m = {.ctx = ctx, .net = net, .arena = arena, .nodes = net->nsw + net->nca};
    hd_status s = labels_fill(&m, net);
    hd_arena_release(&m.scratch);
    return s;
}
