/* SPDX-License-Identifier: BSD-2-Clause */
/* Freezing: the lists of a builder become the arrays of struct hd_net. Channels are put in order by one counting sort
 * by node and an insertion by port, because generators and files list ports in order already. All that can be wrong
 * with a network is found here, for generators and readers alike. Cost: O(size), plus sorting the GUIDs to find
 * duplicates if they do not increase. */
#include "base/status.h"
#include "net/core/builder_lists.h"
#include "net/core/facts.h"
#include "net/core/hosts.h"
#include "net/core/disjoint_sets.h"
#include "net/core/kinds.h"
#include "net/core/labels.h"
#include "net/core/lid_claims.h"
#include "net/core/net_arrays.h"
#include "net/core/shape.h"

#include <stdio.h>
#include <string.h>

struct freezing {
    struct hd_ctx *ctx;
    const struct hd_builder *b;
    struct hd_arena arena, scratch; /* of the network; of what is released before the next step */
    struct hd_net_arrays a;
};

/* The name of node v, or its number if it was given none. */
static const char *built_label(const struct hd_builder *b, uint32_t v, char buf[64])
{
    uint32_t nsw = (uint32_t)b->sw.n;
    const struct built_node *n = v < nsw ? &b->sw.node[v] : &b->ca.node[b->ep.port[v - nsw].adapter];
    if (n->name != BUILT_WITHOUT_NAME) return (const char *)b->names.at + n->name;
    snprintf(buf, 64, "%s %u", v < nsw ? "switch" : "endpoint", v < nsw ? v : v - nsw);
    return buf;
}

/* ---- channels ------------------------------------------------------------------------------ */

static hd_status freeze_check_cables(const struct freezing *f)
{
    const struct hd_builder *b = f->b;
    char t1[64], t2[64];
    for (size_t i = 0; i < b->cables.n; i++) {
        const struct built_cable *c = &b->cables.cable[i];
        uint32_t u = built_number(b, c->u), v = built_number(b, c->v), n = (uint32_t)(b->sw.n + b->ep.n);
        if (u >= n || v >= n) return hd_fail(f->ctx, HD_INPUT, "cable %zu connects a node that does not exist", i);
        if (u == v)
            return hd_fail(f->ctx, HD_INPUT, "'%s': cable from port %u to its own port %u", built_label(b, u, t1),
                           c->uport, c->vport);
        if (u >= b->sw.n && v >= b->sw.n)
            return hd_fail(f->ctx, HD_INPUT, "'%s' and '%s': two endpoints connected without a switch",
                           built_label(b, u, t1), built_label(b, v, t2));
    }
    return HD_OK;
}

/* half[c] for channel c, grouped by node: 2 * cable, plus 1 if the channel leaves the second end of the cable. */
static void freeze_group_halves(struct freezing *f, uint32_t *half)
{
    const struct hd_builder *b = f->b;
    size_t ncab = b->cables.n, nodes = b->sw.n + b->ep.n;
    uint32_t *off = f->a.off;
    for (size_t i = 0; i < ncab; i++) {
        off[built_number(b, b->cables.cable[i].u) + 1]++;
        off[built_number(b, b->cables.cable[i].v) + 1]++;
    }
    for (size_t v = 0; v < nodes; v++) off[v + 1] += off[v];
    /* off[v + 1] is the end of v's channels. Filling from the last cable backwards moves it to their beginning, which
     * is where off[v] belongs: hence the shift by one afterwards, and no second array of cursors. */
    for (size_t i = ncab; i-- > 0;) {
        half[--off[built_number(b, b->cables.cable[i].v) + 1]] = (uint32_t)(2 * i + 1);
        half[--off[built_number(b, b->cables.cable[i].u) + 1]] = (uint32_t)(2 * i);
    }
    for (size_t v = 0; v < nodes; v++) off[v] = off[v + 1];
    off[nodes] = (uint32_t)(2 * ncab);
}

/* The channels of node v by port number. */
static hd_status freeze_sort_ports(struct freezing *f, uint32_t v, uint32_t *half)
{
    uint32_t first = f->a.off[v];
    uint8_t *port = f->a.port;
    for (uint32_t c = first; c < f->a.off[v + 1]; c++) {
        uint32_t h = half[c], at = c;
        const struct built_cable *k = &f->b->cables.cable[h / 2];
        uint8_t number = h & 1 ? k->vport : k->uport;
        for (; at > first && port[at - 1] > number; at--) {
            port[at] = port[at - 1];
            half[at] = half[at - 1];
        }
        if (at > first && port[at - 1] == number) {
            char t[64];
            return hd_fail(f->ctx, HD_INPUT, "'%s': port %u is used by two cables", built_label(f->b, v, t), number);
        }
        port[at] = number;
        half[at] = h;
    }
    return HD_OK;
}

/* The two channels of a cable learn of each other. */
static hd_status freeze_pair_channels(struct freezing *f, const uint32_t *half)
{
    struct hd_net_arrays *a = &f->a;
    size_t ncab = f->b->cables.n, nodes = f->b->sw.n + f->b->ep.n;
    uint32_t *chan_of = HD_NEW(&f->scratch, uint32_t, 2 * ncab);
    if (!chan_of) return hd_fail_memory(f->ctx);
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t c = a->off[v]; c < a->off[v + 1]; c++) {
            a->tail[c] = v;
            a->link[c] = f->b->cables.cable[half[c] / 2].link;
            chan_of[half[c]] = c;
        }
    for (size_t i = 0; i < 2 * ncab; i += 2) {
        uint32_t c = chan_of[i], r = chan_of[i + 1];
        a->rev[c] = r;
        a->rev[r] = c;
        a->head[c] = a->tail[r];
        a->head[r] = a->tail[c];
    }
    return HD_OK;
}

static hd_status freeze_check_degrees(const struct freezing *f)
{
    uint32_t nsw = (uint32_t)f->b->sw.n, nodes = nsw + (uint32_t)f->b->ep.n;
    char t[64];
    for (uint32_t v = nsw; v < nodes; v++) {
        uint32_t degree = f->a.off[v + 1] - f->a.off[v];
        if (degree != 1)
            return hd_fail(f->ctx, HD_INPUT, "'%s': an endpoint has %u cables, expected 1", built_label(f->b, v, t),
                           degree);
    }
    return HD_OK;
}

static hd_status freeze_channels(struct freezing *f)
{
    uint32_t nodes = (uint32_t)(f->b->sw.n + f->b->ep.n);
    uint32_t *half = HD_NEW(&f->scratch, uint32_t, 2 * f->b->cables.n);
    if (!half) return hd_fail_memory(f->ctx);
    HD_TRY(freeze_check_cables(f));
    freeze_group_halves(f, half);
    for (uint32_t v = 0; v < nodes; v++) HD_TRY(freeze_sort_ports(f, v, half));
    HD_TRY(freeze_pair_channels(f, half));
    HD_TRY(freeze_check_degrees(f));
    hd_arena_release(&f->scratch); /* the largest scratch is gone before the next is asked for */
    return HD_OK;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* Made-up GUIDs carry the locally-administered prefix 02-00-00. */
#define SWITCH_GUID 0x0200000000100000ull
#define ADAPTER_GUID 0x0200000100000000ull

/* Nodes that were added before the shape have no digits in the list, and keep 0. */
static void freeze_digits(const struct built_list *digits, size_t most, uint16_t *coord)
{
    size_t n = digits->n < most ? digits->n : most;
    if (n) memcpy(coord, digits->at, n * sizeof *coord);
}

static void freeze_nodes(struct freezing *f)
{
    const struct hd_builder *b = f->b;
    struct hd_net_arrays *a = &f->a;
    size_t nsw = b->sw.n;
    for (size_t i = 0; i < nsw; i++) {
        const struct built_node *sw = &b->sw.node[i];
        uint8_t last = a->off[i + 1] > a->off[i] ? a->port[a->off[i + 1] - 1] : 0;
        a->guid[i] = sw->guid ? sw->guid : SWITCH_GUID + i;
        a->system[i] = sw->system ? sw->system : a->guid[i];
        a->lid[i] = sw->lid;
        a->level[i] = sw->level;
        a->unplaced[i] = sw->unplaced;
        a->nports[i] = sw->nports > last ? sw->nports : last;
        a->switch_lmc[i] = sw->lid ? sw->lmc : 0;
    }
    for (size_t i = 0; i < b->ca.n; i++) {
        const struct built_node *ca = &b->ca.node[i];
        a->ca_guid[i] = ca->guid ? ca->guid : ADAPTER_GUID + 4 * i;
        a->system[nsw + i] = ca->system ? ca->system : a->ca_guid[i] + (ca->guid ? 0 : 3);
        a->ca_ports[i] = ca->nports;
        a->ca_role[i] = ca->role;
    }
    for (size_t e = 0; e < b->ep.n; e++) {
        const struct built_port *ep = &b->ep.port[e];
        a->ca[e] = ep->adapter;
        a->guid[nsw + e] = ep->guid ? ep->guid : a->ca_guid[ep->adapter] + ep->port;
        a->lid[nsw + e] = ep->lid;
        a->lmc_of[e] = ep->lid ? ep->lmc : 0;
    }
    freeze_digits(&b->swcoord, nsw * b->shape.n, a->coord);
    freeze_digits(&b->epcoord, b->ep.n * b->shape.n, a->coord + nsw * b->shape.n);
}

/* Levels and digits that the shape does not have would be indexes beyond the arrays of whoever uses it. */
static hd_status freeze_check_places(const struct freezing *f)
{
    const struct hd_shape *s = &f->b->shape;
    const uint32_t nsw = (uint32_t)f->b->sw.n, nodes = nsw + (uint32_t)f->b->ep.n;
    uint32_t extent[HD_MAX_DIM + 1][HD_MAX_DIM];
    char t[64];
    for (uint32_t level = 0; level <= s->n; level++)
        for (uint32_t i = 0; i < s->n; i++) extent[level][i] = hd_shape_extent(s, level, i);
    for (uint32_t v = 0; s->n && v < nodes; v++) {
        const uint32_t level = v < nsw && s->kind == HD_SHAPE_TREE ? f->a.level[v] : 0;
        const uint16_t *digit = f->a.coord + (size_t)v * s->n;
        if (level > s->n)
            return hd_fail(f->ctx, HD_INPUT, "'%s': a tree of %u levels needs that of every switch",
                           built_label(f->b, v, t), s->n);
        for (uint32_t i = 0; i < s->n; i++)
            if (digit[i] >= extent[level][i])
                return hd_fail(f->ctx, HD_INPUT, "'%s': coordinate %u is %u: expected 0 to %u", built_label(f->b, v, t),
                               i + 1, digit[i], extent[level][i] - 1);
    }
    return HD_OK;
}

/* A made-up name, as printf("%s%0*zu", prefix, digits, number) but at a tenth of its cost: every node may have one.
 * Returns its length with the final zero. */
static size_t make_name(char *at, const char *prefix, int digits, size_t number)
{
    char text[24];
    int i = (int)sizeof text;
    for (; number || digits > 0; number /= 10, digits--) text[--i] = (char)('0' + number % 10);
    size_t n = strlen(prefix), m = sizeof text - (size_t)i;
    memcpy(at, prefix, n);
    memcpy(at + n, text + i, m);
    at[n + m] = 0;
    return n + m + 1;
}

enum { MADE_UP_NAME = 24 }; /* bytes that the longest takes */

static size_t freeze_names_size(const struct hd_builder *b)
{
    size_t size = b->names.n + 1;
    for (size_t i = 0; i < b->sw.n + b->ca.n; i++)
        if (built_named(b, i)->name == BUILT_WITHOUT_NAME) size += MADE_UP_NAME;
    return size;
}

static void freeze_names(struct freezing *f)
{
    const struct hd_builder *b = f->b;
    size_t used = b->names.n, nsw = b->sw.n;
    char *names = f->a.names;
    if (used) memcpy(names, b->names.at, used);
    for (size_t i = 0; i < nsw + b->ca.n; i++) {
        const struct built_node *n = built_named(b, i);
        f->a.name_at[i] = n->name;
        if (n->name != BUILT_WITHOUT_NAME) continue;
        f->a.name_at[i] = (uint32_t)used;
        if (i >= nsw) {
            used += make_name(names + used, "node-", 5, i - nsw);
        } else if (n->level == HD_NO_LEVEL) {
            used += make_name(names + used, "sw-", 4, i);
        } else {
            used += make_name(names + used, "L", 1, n->level) - 1;
            used += make_name(names + used, "-", 4, i);
        }
    }
}

/* ---- identities ---------------------------------------------------------------------------- */

/* A network that came without LIDs gets them: endpoints first, then switches, while they last. */
static void freeze_assign_lids(struct freezing *f)
{
    size_t nsw = f->b->sw.n, nep = f->b->ep.n;
    for (size_t v = 0; v < nsw + nep; v++)
        if (f->a.lid[v]) return;
    if (nsw + nep > HD_MAX_LID) return;
    for (size_t v = 0; v < nsw + nep; v++) f->a.lid[v] = (uint16_t)(v < nsw ? nep + v + 1 : v - nsw + 1);
}

/* How many LIDs node v has from its base LID on. */
static uint32_t freeze_lids(const struct freezing *f, uint32_t v)
{
    return 1u << (v < f->b->sw.n ? f->a.switch_lmc[v] : f->a.lmc_of[v - f->b->sw.n]);
}

/* LIDs collide somewhere: whether they do within a connected part. */
static hd_status freeze_check_parts(struct freezing *f)
{
    const struct hd_builder *b = f->b;
    uint32_t n = 0, nodes = (uint32_t)(b->sw.n + b->ep.n), *part_of = HD_NEW(&f->scratch, uint32_t, nodes);
    struct hd_lid_item *item = HD_NEW(&f->scratch, struct hd_lid_item, nodes), early, late;
    char t1[64], t2[64];
    if (!part_of || !item) return hd_fail_memory(f->ctx);
    hd_sets_init(part_of, nodes);
    for (size_t i = 0; i < b->cables.n; i++)
        hd_sets_join(part_of, (uint32_t)built_number(b, b->cables.cable[i].u),
                     (uint32_t)built_number(b, b->cables.cable[i].v));
    for (uint32_t v = 0; v < nodes; v++)
        if (f->a.lid[v])
            item[n++] = (struct hd_lid_item){{hd_lid_key(hd_sets_find(part_of, v), f->a.lid[v]), v}, freeze_lids(f, v)};
    if (!hd_lid_collision(item, n, &early, &late)) return HD_OK;
    return hd_fail(f->ctx, HD_INPUT, "LID %u belongs to '%s' and to '%s'",
                   (uint32_t)((early.at.key > late.at.key ? early.at.key : late.at.key) & 0xffff),
                   built_label(b, early.at.value, t1), built_label(b, late.at.value, t2));
}

static hd_status freeze_check_lids(struct freezing *f)
{
    struct hd_lid_claims claims;
    char text[64];
    bool distinct = true;
    uint32_t last = 0, nodes = (uint32_t)(f->b->sw.n + f->b->ep.n);
    for (uint32_t v = 0; v < nodes; v++) {
        const uint32_t lid = f->a.lid[v] ? f->a.lid[v] + freeze_lids(f, v) - 1 : 0; /* its last one */
        if (lid > HD_MAX_LID)
            return hd_fail(f->ctx, HD_INPUT, "'%s': LID %u is not a unicast LID", built_label(f->b, v, text), lid);
        if (lid > last) last = lid;
    }
    if (!hd_lid_claims_init(&f->scratch, last, &claims)) return hd_fail_memory(f->ctx);
    for (uint32_t v = 0; v < nodes && distinct; v++)
        distinct = !f->a.lid[v] || !hd_lid_claim(&claims, f->a.lid[v], freeze_lids(f, v), 1);
    return distinct ? HD_OK : freeze_check_parts(f);
}

static hd_status freeze_check_guids(struct freezing *f, const uint64_t *guid, size_t n, const char *what)
{
    bool repeated;
    uint64_t number;
    HD_TRY(hd_find_repeated(f->ctx, guid, n, &repeated, &number));
    if (!repeated) return HD_OK;
    return hd_fail(f->ctx, HD_INPUT, "%s 0x%016llx belongs to two nodes", what, (unsigned long long)number);
}

static hd_status freeze_identities(struct freezing *f)
{
    const struct hd_builder *b = f->b;
    freeze_assign_lids(f);
    HD_TRY(freeze_check_lids(f));
    HD_TRY(freeze_check_guids(f, f->a.guid, b->sw.n, "switch GUID"));
    HD_TRY(freeze_check_guids(f, f->a.ca_guid, b->ca.n, "adapter GUID"));
    HD_TRY(freeze_check_guids(f, f->a.guid + b->sw.n, b->ep.n, "port GUID"));
    hd_arena_release(&f->scratch);
    return HD_OK;
}

/* ---- the whole network --------------------------------------------------------------------- */

static hd_status freeze_arrays(struct freezing *f)
{
    const struct hd_builder *b = f->b;
    struct hd_net_sizes z = {.nsw = b->sw.n,
                             .nep = b->ep.n,
                             .nca = b->ca.n,
                             .nchan = 2 * b->cables.n,
                             .nodes = b->sw.n + b->ep.n,
                             .digits = (b->sw.n + b->ep.n) * b->shape.n,
                             .names = freeze_names_size(b)};
    if (!hd_net_arrays_make(&f->arena, &z, &f->a)) return hd_fail_memory(f->ctx);
    HD_TRY(freeze_channels(f));
    freeze_nodes(f);
    HD_TRY(freeze_check_places(f));
    freeze_names(f);
    return freeze_identities(f);
}

/* What is not an array of its own, and what is derived from the arrays. */
static hd_status freeze_net(struct freezing *f, const char *spec, struct hd_net *net)
{
    const struct hd_builder *b = f->b;
    net->nsw = (uint32_t)b->sw.n;
    net->nep = (uint32_t)b->ep.n;
    net->nchan = (uint32_t)(2 * b->cables.n);
    net->nca = (uint32_t)b->ca.n;
    net->shape = b->shape;
    hd_net_arrays_move(&f->a, net);
    for (uint32_t e = 0; e < net->nep; e++)
        if (net->lmc_of[e] > net->lmc) net->lmc = net->lmc_of[e];
    net->spec = hd_strdup(&f->arena, spec, strlen(spec));
    net->rails = hd_strdup(&f->arena, b->rails, strlen(b->rails));
    net->departs = hd_strdup(&f->arena, b->departs, strlen(b->departs));
    if (!net->spec || !net->rails || !net->departs) return hd_fail_memory(f->ctx);
    HD_TRY(b->from ? hd_hosts_carry(f->ctx, &f->arena, net, b->from, b->was)
                   : hd_hosts_group(f->ctx, &f->arena, b->found, net));
    if (b->kinds) HD_TRY(hd_kinds_find(f->ctx, net, f->a.ca_role));
    for (uint32_t e = 0; e < net->nep; e++)
        if (b->ep.port[e].selected && (!b->kinds || net->ca_role[net->ca[e]] == HD_ROLE_HOST))
            f->a.sel[net->nsel++] = e;
    HD_TRY(hd_labels_make(f->ctx, &f->arena, net));
    HD_TRY(hd_shape_missing(f->ctx, net, &net->shape.missing));
    if (net->shape.strays) net->shape.strays = hd_grid_strays(net);
    struct hd_arena *own = HD_NEW(&f->arena, struct hd_arena, 1);
    if (!own || !(net->facts = hd_facts_make(&f->arena))) return hd_fail_memory(f->ctx);
    *own = f->arena; /* last: it must know every allocation before it */
    net->arena = own;
    return HD_OK;
}

static hd_status freeze_check_size(struct hd_ctx *ctx, const struct hd_builder *b)
{
    if (b->failed) return hd_fail_memory(ctx); /* first: what is missing for memory looks like misuse */
    if (b->wrong[0]) return hd_fail(ctx, HD_INPUT, "%s", b->wrong);
    if (b->sw.n == 0) return hd_fail(ctx, HD_INPUT, "the network has no switch");
    if (b->sw.n + b->ep.n > BUILT_MOST || b->cables.n > BUILT_MOST) return hd_fail(ctx, HD_INPUT, BUILT_TOO_LARGE);
    return HD_OK;
}

hd_status hd_builder_freeze(struct hd_ctx *ctx, const struct hd_builder *b, const char *spec, struct hd_net **out)
{
    HD_TRY(freeze_check_size(ctx, b));
    struct freezing f = {.ctx = ctx, .b = b};
    struct hd_net *net = HD_NEW(&f.arena, struct hd_net, 1);
    hd_status s = net ? freeze_arrays(&f) : hd_fail_memory(ctx);
    if (s == HD_OK) s = freeze_net(&f, spec, net);
    hd_arena_release(&f.scratch);
    if (s == HD_OK)
        *out = net;
    else
        hd_arena_release(&f.arena);
    return s;
}
