/* SPDX-License-Identifier: BSD-2-Clause */
/* Slurm's tree plugin: topology.conf, one line per switch with its children as a host list (topology.conf(5)).
 *
 * Slurm knows trees only: a switch has nodes or switches below it, never both, and one parent. A fat tree is therefore
 * written as its leaf switches, one made-up switch for each subtree ("pod") and one for the top; other networks as leaf
 * switches under one top. Subtrees nest, so pods are built bottom up, from leaf switches to components; a pod of one is
 * its member. Cost: O(size * levels), plus sorting the names. */
#include "base/escape.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/hosts.h"
#include "net/core/labels.h"
#include "net/core/node_name.h"
#include "net/core/subtrees.h"
#include "net/io/hostlist.h"
#include "net/io/net_formats.h"
#include "net/io/slurm_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, ROOM = 56 }; /* bytes Slurm takes; bytes kept, so that a number fits behind */

struct slurm_build {
    const struct hd_net *net;
    const char *reader; /* whose file it is */
    struct hd_arena *arena, scratch;
    uint32_t nhosts, nleaves, nnodes; /* nodes of the tree: leaf switches, then pods */
    const char **host;                /* [nhosts] names */
    uint32_t *host_leaf;              /* [nhosts] node */
    uint32_t *leaf_sw;                /* [nleaves] switch */
    uint32_t *parent, *first_leaf;    /* [nodes] parent or UINT32_MAX; a leaf below */
    const char **name;                /* [nodes] */
    uint32_t changed, repeated, railed, shortened, omitted;
    const char *first_omitted;
};

/* ---- names --------------------------------------------------------------------------------- */

struct label {
    const char *raw;
    char *clean;
    uint32_t index;
};

static bool allowed(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

/* What Slurm takes as a name: a run of anything else becomes '_', and the end is cut. */
static char *clean_name(struct hd_arena *arena, const char *raw)
{
    char *clean = hd_alloc(arena, ROOM + 1, 1), *to = clean;
    if (!clean) return NULL;
    if (!*raw) *to++ = '_';
    for (const char *p = raw; *p && to - clean < ROOM; p++) {
        if (allowed(*p))
            *to++ = *p;
        else if (p == raw || allowed(p[-1]))
            *to++ = '_';
    }
    *to = 0;
    return clean;
}

/* Of equal clean names the one that needed no change comes first, and keeps it: it is the name of a host that Slurm
 * knows, which no other may take. */
static int by_clean(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    int order = strcmp(x->clean, y->clean);
    if (order == 0) order = (strcmp(x->raw, x->clean) != 0) - (strcmp(y->raw, y->clean) != 0);
    if (order == 0) order = strcmp(x->raw, y->raw);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static bool taken(const struct label *label, uint32_t n, const char *name)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (strcmp(label[mid].clean, name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && strcmp(label[lo].clean, name) == 0;
}

/* Distinct clean names for n raw ones. With repeated, equal raw names stay one name, and all but the first are marked
 * there; without, each is its own. The k-th that would collide gets _k; k skips what is a name already. */
static hd_status unique_names(struct hd_ctx *ctx, struct slurm_build *b, const char **name, uint32_t n, bool *repeated)
{
    struct label *label = HD_NEW(&b->scratch, struct label, n);
    if (!label) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        label[i] = (struct label){name[i], clean_name(b->arena, name[i]), i};
        if (!label[i].clean) return hd_fail_memory(ctx);
    }
    if (n) qsort(label, n, sizeof *label, by_clean);
    for (uint32_t i = 0, k = 1; i < n; i++) {
        char *as = label[i].clean, numbered[NAME + 1];
        bool clash = i && strcmp(as, label[i - 1].clean) == 0;
        if (!clash) k = 1;
        if (clash && repeated && strcmp(label[i].raw, label[i - 1].raw) == 0) {
            repeated[label[i].index] = true;
            continue;
        }
        if (clash) {
            do snprintf(numbered, sizeof numbered, "%.*s_%u", ROOM, as, ++k);
            while (taken(label, n, numbered));
            if (!(as = hd_strdup(b->arena, numbered, strlen(numbered)))) return hd_fail_memory(ctx);
        }
        b->changed += strcmp(as, label[i].raw) != 0;
        name[label[i].index] = as;
    }
    return HD_OK;
}

/* ---- hosts and their leaves ---------------------------------------------------------------- */

/* The endpoint that speaks for each host: the selected one on the lowest rail; UINT32_MAX for none. */
static hd_status speakers(struct hd_ctx *ctx, struct slurm_build *b, uint32_t **out)
{
    const struct hd_net *net = b->net;
    uint32_t *speaker = HD_NEW(&b->scratch, uint32_t, net->nhost);
    bool *several = HD_NEW(&b->scratch, bool, net->nhost);
    if (!speaker || !several) return hd_fail_memory(ctx);
    memset(speaker, 0xff, net->nhost * sizeof *speaker);
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i], h = net->host[e];
        if (speaker[h] != UINT32_MAX && !several[h]) {
            several[h] = true;
            b->railed++;
        }
        if (speaker[h] == UINT32_MAX || net->rail[e] < net->rail[speaker[h]]) speaker[h] = e;
    }
    *out = speaker;
    return HD_OK;
}

/* A name used twice is one host to Slurm: the first keeps its place. */
static void slurm_tree_drop_repeated(struct slurm_build *b, const bool *repeated)
{
    uint32_t n = b->nhosts;
    b->nhosts = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (repeated[i]) continue;
        b->host[b->nhosts] = b->host[i];
        b->host_leaf[b->nhosts++] = b->host_leaf[i];
    }
    b->repeated = n - b->nhosts;
}

/* Slurm calls nodes by the names without their domain. They are cut if that leaves different names different. */
static hd_status shorten_hosts(struct hd_ctx *ctx, struct slurm_build *b)
{
    uint32_t cut = 0;
    struct label *label = HD_NEW(&b->scratch, struct label, b->nhosts);
    if (!label) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < b->nhosts; i++) {
        size_t n = hd_name_short(b->host[i]);
        label[i] = (struct label){b->host[i], hd_strdup(b->arena, b->host[i], n), i};
        if (!label[i].clean) return hd_fail_memory(ctx);
        cut += b->host[i][n] != 0;
    }
    if (!cut) return HD_OK;
    qsort(label, b->nhosts, sizeof *label, by_clean);
    for (uint32_t i = 1; i < b->nhosts; i++)
        if (strcmp(label[i - 1].clean, label[i].clean) == 0 && strcmp(label[i - 1].raw, label[i].raw) != 0)
            return HD_OK;
    for (uint32_t i = 0; i < b->nhosts; i++) b->host[label[i].index] = label[i].clean;
    b->shortened = cut;
    return HD_OK;
}

/* Hosts that no scheduler can address. Names of several hosts are no names of their own, unless more than half of the
 * hosts have such: then each name is listed once. */
static hd_status slurm_tree_mark_nameless(struct hd_ctx *ctx, struct slurm_build *b, const uint32_t *speaker, bool *out)
{
    const struct hd_net *net = b->net;
    uint32_t hosts = 0, shared = 0;
    HD_TRY(hd_hosts_nameless(ctx, net, out));
    for (uint32_t h = 0; h < net->nhost; h++) {
        bool no_node = speaker[h] == UINT32_MAX || hd_host_is_no_node(hd_host_name(net, h));
        hosts += !no_node;
        shared += !no_node && out[h];
    }
    for (uint32_t h = 0; h < net->nhost; h++)
        out[h] = (out[h] && 2 * shared <= hosts) || hd_host_is_no_node(hd_host_name(net, h));
    return HD_OK;
}

static hd_status place_hosts(struct hd_ctx *ctx, struct slurm_build *b)
{
    const struct hd_net *net = b->net;
    uint32_t *speaker = NULL;
    HD_TRY(speakers(ctx, b, &speaker));
    b->host = HD_NEW(b->arena, const char *, net->nhost);
    b->host_leaf = HD_NEW(&b->scratch, uint32_t, net->nhost);
    uint32_t *node_of, *order;
    bool *repeated = HD_NEW(&b->scratch, bool, net->nhost), *out = HD_NEW(&b->scratch, bool, net->nhost);
    if (!HD_NEW_U32(&b->scratch, net->nsw, &b->leaf_sw, &node_of, &order) || !b->host || !b->host_leaf || !repeated ||
        !out)
        return hd_fail_memory(ctx);
    HD_TRY(slurm_tree_mark_nameless(ctx, b, speaker, out));
    for (uint32_t h = 0; h < net->nhost; h++) {
        if (speaker[h] == UINT32_MAX) continue;
        if (out[h]) {
            if (!b->omitted++) b->first_omitted = hd_host_name(net, h);
            continue;
        }
        b->host[b->nhosts] = hd_host_name(net, h);
        b->host_leaf[b->nhosts++] = hd_leaf(net, speaker[h]);
    }
    if (!b->nhosts)
        return hd_fail(ctx, HD_INPUT, "%.200s: no host has a name of its own ('%.80s'): %s needs at least one",
                       net->spec, b->first_omitted, b->reader);
    HD_TRY(shorten_hosts(ctx, b));
    HD_TRY(unique_names(ctx, b, b->host, b->nhosts, repeated));
    slurm_tree_drop_repeated(b, repeated);
    for (uint32_t i = 0; i < b->nhosts; i++) node_of[b->host_leaf[i]] = 1;
    HD_TRY(hd_switches_by_label(ctx, net, order));
    for (uint32_t i = 0; i < net->nsw; i++) {
        uint32_t v = order[i];
        if (!node_of[v]) continue;
        node_of[v] = b->nleaves;
        b->leaf_sw[b->nleaves++] = v;
    }
    for (uint32_t i = 0; i < b->nhosts; i++) b->host_leaf[i] = node_of[b->host_leaf[i]];
    return HD_OK;
}

/* ---- pods ---------------------------------------------------------------------------------- */

/* A slot is a node of the tree with the component and, below, the pod it is in as its key. Puts those of equal key
 * under a new node; each group becomes one slot. height 0 is the top. */
static hd_status unite_slots(struct hd_ctx *ctx, struct slurm_build *b, struct hd_keyed *slot, uint32_t *n,
                             uint32_t height)
{
    uint32_t groups = 0, pods = 0, number = 0;
    hd_keyed_sort(slot, *n, sizeof *slot);
    for (uint32_t i = 0, end; i < *n; i = end) {
        for (end = i + 1; end < *n && slot[end].key == slot[i].key;) end++;
        struct hd_keyed group = slot[i];
        if (end - i > 1) {
            group.value = b->nnodes++;
            b->first_leaf[group.value] = b->first_leaf[slot[i].value];
            for (uint32_t k = i; k < end; k++) b->parent[slot[k].value] = group.value;
            pods++;
        }
        slot[groups++] = group;
    }
    *n = groups;
    for (uint32_t i = 0; i < groups; i++) {
        if (slot[i].value < b->nnodes - pods) continue;
        char text[32];
        if (height)
            snprintf(text, sizeof text, "pod%u-%04u", height, number++);
        else if (pods == 1)
            snprintf(text, sizeof text, "top");
        else
            snprintf(text, sizeof text, "top-%u", number++);
        if (!(b->name[slot[i].value] = hd_strdup(b->arena, text, strlen(text)))) return hd_fail_memory(ctx);
    }
    return HD_OK;
}

static hd_status make_pods(struct hd_ctx *ctx, struct slurm_build *b, uint32_t *nroots)
{
    const struct hd_net *net = b->net;
    uint32_t n = b->nleaves, levels = hd_top_level(net);
    struct hd_keyed *slot = HD_NEW(&b->scratch, struct hd_keyed, n);
    uint32_t *up = HD_NEW(&b->scratch, uint32_t, net->nsw);
    b->name = HD_NEW(b->arena, const char *, 2 * (size_t)n);
    if (!HD_NEW_U32(&b->scratch, 2 * (size_t)n, &b->parent, &b->first_leaf) || !slot || !up || !b->name)
        return hd_fail_memory(ctx);
    memset(b->parent, 0xff, 2 * (size_t)n * sizeof *b->parent);
    hd_components(net, HD_NO_LEVEL, up);
    b->nnodes = n;
    for (uint32_t i = 0; i < n; i++) {
        b->first_leaf[i] = i;
        b->name[i] = hd_node_label(net, b->leaf_sw[i]);
        slot[i] = (struct hd_keyed){(uint64_t)up[b->leaf_sw[i]] << 32, i};
    }
    /* Every round leaves at most half as many slots beyond those it passes on, so 2n nodes suffice. */
    for (uint32_t h = net->shape.kind == HD_SHAPE_TREE ? 2 : 1; levels != HD_NO_LEVEL && h < levels; h++) {
        uint32_t pods;
        HD_TRY(hd_subtrees(ctx, net, h, up, &pods));
        for (uint32_t i = 0; i < n; i++) {
            uint32_t pod = up[b->leaf_sw[b->first_leaf[slot[i].value]]];
            if (pod == UINT32_MAX) pod = net->nsw + slot[i].value; /* hosts above level h: alone */
            slot[i].key = slot[i].key >> 32 << 32 | pod;
        }
        HD_TRY(unite_slots(ctx, b, slot, &n, h));
    }
    for (uint32_t i = 0; i < n; i++) slot[i].key = slot[i].key >> 32 << 32;
    HD_TRY(unite_slots(ctx, b, slot, &n, 0));
    *nroots = n;
    return HD_OK;
}

/* ---- the result ---------------------------------------------------------------------------- */

/* Names of n things sorted into the node each belongs to (UINT32_MAX: none), in order. */
static hd_status hang(struct hd_ctx *ctx, struct slurm_build *b, struct slurm_switch *sw, const char **name,
                      const uint32_t *under, uint32_t n)
{
    const char **kids = HD_NEW(b->arena, const char *, n);
    uint32_t *at = HD_NEW(&b->scratch, uint32_t, b->nnodes + 1);
    if (!kids || !at) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++)
        if (under[i] != UINT32_MAX) at[under[i] + 1]++;
    for (uint32_t k = 0; k < b->nnodes; k++) {
        if (at[k + 1]) sw[k].kids = (const char *const *)kids + at[k];
        sw[k].nkids += at[k + 1];
        at[k + 1] += at[k];
    }
    for (uint32_t i = 0; i < n; i++)
        if (under[i] != UINT32_MAX) kids[at[under[i]]++] = name[i];
    return HD_OK;
}

static hd_status assemble(struct hd_ctx *ctx, struct slurm_build *b, struct slurm_tree *tree)
{
    if (b->net->nsel == 0)
        return hd_fail(ctx, HD_INPUT, "%.200s: no endpoint is selected: %s needs at least one host", b->net->spec,
                       b->reader);
    uint32_t nroots = 0;
    HD_TRY(place_hosts(ctx, b));
    HD_TRY(make_pods(ctx, b, &nroots));
    HD_TRY(unique_names(ctx, b, b->name, b->nnodes, NULL));
    struct slurm_switch *sw = HD_NEW(b->arena, struct slurm_switch, b->nnodes);
    if (!sw) return hd_fail_memory(ctx);
    HD_TRY(hang(ctx, b, sw, b->host, b->host_leaf, b->nhosts));
    HD_TRY(hang(ctx, b, sw, b->name, b->parent, b->nnodes));
    for (uint32_t k = 0; k < b->nnodes; k++) {
        sw[k].name = b->name[k];
        sw[k].leaf = k < b->nleaves;
        if (sw[k].leaf) sw[k].node = b->leaf_sw[k];
    }
    *tree = (struct slurm_tree){sw, b->nnodes, nroots, b->nhosts};
    return HD_OK;
}

hd_status hd_slurm_tree_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *reader,
                             struct slurm_tree *tree)
{
    struct slurm_build b = {.net = net, .reader = reader ? reader : "Slurm", .arena = arena};
    hd_status s = assemble(ctx, &b, tree);
    hd_arena_release(&b.scratch);
    HD_TRY(s);
    if (b.railed)
        hd_note(ctx, "%u host%s on several rails: each is listed once, on the leaf of its first rail", b.railed,
                b.railed == 1 ? " is" : "s are");
    if (b.omitted)
        hd_note(ctx, "%u host%s left out, the first is '%.80s': gateways and hosts without a name of their own",
                b.omitted, b.omitted == 1 ? " is" : "s are", b.first_omitted);
    if (b.shortened)
        hd_note(ctx, "%u host name%s shortened to what precedes the domain", b.shortened,
                b.shortened == 1 ? " is" : "s are");
    if (b.repeated)
        hd_note(ctx, "%u host%s the name of another: the name is listed once, on the leaf of the first", b.repeated,
                b.repeated == 1 ? " has" : "s have");
    if (b.changed)
        hd_note(ctx, "%u name%s changed %s%s", b.changed, b.changed == 1 ? " was" : "s were",
                reader ? "for " : "to what Slurm allows", reader ? reader : "");
    if (tree->nroots > 1)
        hd_note(ctx, "%u separate components: %s no job across them", tree->nroots, reader ? "start" : "Slurm starts");
    return HD_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

hd_status hd_slurm_put_names(struct hd_ctx *ctx, const struct slurm_switch *sw, struct hd_out *o)
{
    return hd_hostlist_compress(ctx, sw->kids, sw->nkids, o);
}

hd_status hd_slurm_put_tree(struct hd_ctx *ctx, const struct slurm_tree *tree, const struct slurm_words *w,
                            struct hd_out *o)
{
    hd_puts(o, w->begin);
    for (uint32_t k = 0; k < tree->n; k++) {
        hd_printf(o, "%s%s%s", w->name, tree->sw[k].name, tree->sw[k].leaf ? w->hosts : w->switches);
        HD_TRY(hd_slurm_put_names(ctx, &tree->sw[k], o));
        hd_puts(o, w->end);
    }
    return HD_OK;
}

hd_status hd_write_slurm(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    static const struct slurm_words words = {HD_SLURM_LEGEND, "SwitchName=", " Nodes=", " Switches=", "\n"};
    struct hd_arena arena = {0};
    struct slurm_tree tree = {0};
    hd_status s = hd_slurm_tree_make(ctx, &arena, net, NULL, &tree);
    if (s == HD_OK) {
        hd_puts(o, "# ");
        hd_put_plain(o, net->spec);
        hd_printf(o, ": %u hosts, for TopologyPlugin=topology/tree\n", tree.nhosts);
        s = hd_slurm_put_tree(ctx, &tree, &words, o);
    }
    hd_arena_release(&arena);
    return s;
}
