/* SPDX-License-Identifier: BSD-2-Clause */
/* What schedulers of Kubernetes read: labels of nodes (kubectl commands), the Topology of Kueue that names these
 * labels, the HyperNodes of Volcano, and the JSON of topograph. All are the tree that Slurm gets, in other words. Tier
 * 0 is a host's leaf switch; where branches differ in depth, the last switch of the shorter ones is repeated. Cost:
 * O(size + n log n) for n switches. */
#include "base/status.h"
#include "net/io/kube_names.h"
#include "net/io/net_formats.h"
#include "net/io/slurm_tree.h"
#include "tool/json.h"

#include <stdlib.h>
#include <string.h>

#define TIER_LABEL "fabric.topograph.run/tier-"

struct tiered_name {
    const char *name;
    uint32_t index;
};

struct tiered_tree {
    struct slurm_tree tree;
    struct tiered_name *by_name; /* [tree.n] sorted */
    uint32_t *parent;            /* [tree.n] UINT32_MAX: none */
    uint32_t tiers;              /* switches above a host, at most */
    const char **label;          /* [tree.n] switches as Kubernetes takes them; NULL: not renamed */
    const char **node;           /* [tree.nhosts] hosts as objects, in the order of the leaf switches */
};

struct tiered_format {
    void (*put)(const struct tiered_tree *t, struct hd_out *o);
    bool named;             /* switches and nodes, as Kubernetes takes them, */
    enum hd_kube_rule rule; /* switches by this one */
    const char *reader;     /* what notes call the program that reads it */
};

static int by_tiered_name(const void *a, const void *b)
{
    return strcmp(((const struct tiered_name *)a)->name, ((const struct tiered_name *)b)->name);
}

/* The switch of that name; NULL: none. */
static const struct tiered_name *tiered_find(const struct tiered_tree *t, const char *name)
{
    const struct tiered_name key = {name, 0};
    return bsearch(&key, t->by_name, t->tree.n, sizeof *t->by_name, by_tiered_name);
}

/* What Kubernetes calls switches, by a rule, and hosts. */
static hd_status tiered_names(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_kube_rule rule, struct tiered_tree *t)
{
    uint32_t n = t->tree.n, nhosts = 0, switches, hosts;
    const char **raw = HD_NEW(arena, const char *, n), **host = HD_NEW(arena, const char *, t->tree.nhosts);
    t->label = HD_NEW(arena, const char *, n);
    t->node = HD_NEW(arena, const char *, t->tree.nhosts);
    if (!raw || !host || !t->label || !t->node) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        raw[i] = t->tree.sw[i].name;
        for (uint32_t k = 0; t->tree.sw[i].leaf && k < t->tree.sw[i].nkids; k++) host[nhosts++] = t->tree.sw[i].kids[k];
    }
    HD_TRY(hd_kube_names(ctx, arena, rule, raw, n, t->label, &switches));
    HD_TRY(hd_kube_names(ctx, arena, HD_KUBE_OBJECT, host, nhosts, t->node, &hosts));
    if (switches)
        hd_note(ctx, "%u switch%s a name that Kubernetes does not take as it is", switches,
                switches == 1 ? " has" : "es have");
    if (hosts)
        hd_note(ctx, "%u host%s a name that no node of Kubernetes can have", hosts, hosts == 1 ? " has" : "s have");
    return HD_OK;
}

static hd_status tiered_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *reader,
                             struct tiered_tree *t)
{
    HD_TRY(hd_slurm_tree_make(ctx, arena, net, reader, &t->tree));
    uint32_t n = t->tree.n, *depth = HD_NEW(arena, uint32_t, n);
    struct tiered_name *name = t->by_name = HD_NEW(arena, struct tiered_name, n);
    t->parent = HD_NEW(arena, uint32_t, n);
    if (!depth || !name || !t->parent) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        name[i] = (struct tiered_name){t->tree.sw[i].name, i};
        t->parent[i] = UINT32_MAX;
    }
    qsort(name, n, sizeof *name, by_tiered_name);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; !t->tree.sw[i].leaf && k < t->tree.sw[i].nkids; k++) {
            const struct tiered_name *kid = tiered_find(t, t->tree.sw[i].kids[k]);
            if (kid) t->parent[kid->index] = i;
        }
    for (uint32_t i = n; i-- > 0;) { /* parents come later, so they are done first */
        depth[i] = t->parent[i] == UINT32_MAX ? 1 : depth[t->parent[i]] + 1;
        if (depth[i] > t->tiers) t->tiers = depth[i];
    }
    return HD_OK;
}

/* The switch at the next tier; the last one stays. */
static uint32_t tier_above(const struct tiered_tree *t, uint32_t sw)
{
    return t->parent[sw] == UINT32_MAX ? sw : t->parent[sw];
}

static void put_topograph(const struct tiered_tree *t, struct hd_out *o)
{
    struct hd_json j = {.o = o};
    j.first[0] = true;
    hd_json_open(&j, NULL, '{');
    hd_json_open(&j, "instances", '[');
    for (uint32_t i = 0; i < t->tree.n; i++)
        for (uint32_t k = 0; t->tree.sw[i].leaf && k < t->tree.sw[i].nkids; k++) {
            hd_json_open(&j, NULL, '{');
            hd_json_fields(&j, hd_text("id", t->tree.sw[i].kids[k]));
            hd_json_open(&j, "network_layers", '[');
            for (uint32_t v = i; v != UINT32_MAX; v = t->parent[v])
                hd_json_fields(&j, hd_text(NULL, t->tree.sw[v].name));
            hd_json_close(&j, ']');
            hd_json_close(&j, '}');
        }
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

static void put_labels(const struct tiered_tree *t, struct hd_out *o)
{
    uint32_t host = 0;
    for (uint32_t i = 0; i < t->tree.n; i++)
        for (uint32_t k = 0; t->tree.sw[i].leaf && k < t->tree.sw[i].nkids; k++) {
            hd_printf(o, "kubectl label --overwrite node %s", t->node[host++]);
            for (uint32_t tier = 0, v = i; tier < t->tiers; tier++, v = tier_above(t, v))
                hd_printf(o, " " TIER_LABEL "%u=%s", tier, t->label[v]);
            hd_puts(o, "\n");
        }
}

static void put_kueue(const struct tiered_tree *t, struct hd_out *o)
{
    hd_puts(o, "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: fabric\nspec:\n  levels:\n");
    for (uint32_t tier = t->tiers; tier-- > 0;) hd_printf(o, "  - nodeLabel: " TIER_LABEL "%u\n", tier);
    hd_puts(o, "  - nodeLabel: kubernetes.io/hostname\n");
}

static void put_volcano(const struct tiered_tree *t, struct hd_out *o)
{
    uint32_t level = 1, last = 0, host = 0;
    for (uint32_t i = 0; i < t->tree.n; i++) {
        const struct slurm_switch *sw = &t->tree.sw[i];
        for (level = 1, last = i; t->parent[last] != UINT32_MAX; last = t->parent[last]) level++;
        hd_puts(o, i ? "---\n" : "");
        hd_printf(o, "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata:\n  name: \"%s\"\n",
                  t->label[i]);
        hd_printf(o, "spec:\n  tier: %u\n  members:\n", sw->leaf ? 1 : t->tiers - level + 1);
        for (uint32_t k = 0; k < sw->nkids; k++) {
            const struct tiered_name *kid = sw->leaf ? NULL : tiered_find(t, sw->kids[k]);
            hd_printf(o, "  - type: %s\n    selector:\n      exactMatch:\n        name: \"%s\"\n",
                      sw->leaf ? "Node" : "HyperNode", kid ? t->label[kid->index] : t->node[host++]);
        }
    }
}

static hd_status tiered_write(struct hd_ctx *ctx, const struct hd_net *net, struct tiered_format format,
                              struct hd_out *o)
{
    struct hd_arena arena = {0};
    struct tiered_tree t = {0};
    hd_status s = tiered_make(ctx, &arena, net, format.reader, &t);
    if (s == HD_OK && format.named) s = tiered_names(ctx, &arena, format.rule, &t);
    if (s == HD_OK) format.put(&t, o);
    hd_arena_release(&arena);
    return s;
}

hd_status hd_write_topograph(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    return tiered_write(ctx, net, (struct tiered_format){.put = put_topograph, .reader = "topograph"}, o);
}

hd_status hd_write_k8s_labels(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    return tiered_write(ctx, net, (struct tiered_format){put_labels, true, HD_KUBE_VALUE, "Kubernetes"}, o);
}

hd_status hd_write_kueue(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    return tiered_write(ctx, net, (struct tiered_format){.put = put_kueue, .reader = "Kueue"}, o);
}

hd_status hd_write_volcano(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    return tiered_write(ctx, net, (struct tiered_format){put_volcano, true, HD_KUBE_OBJECT, "Volcano"}, o);
}
