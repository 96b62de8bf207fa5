/* SPDX-License-Identifier: BSD-2-Clause */
/* What a network is, in numbers: sizes, levels and their oversubscription, parts, distances, and for
 * trees the class as a Clos network.
 *
 * Clos class. A circuit is a flow at the rate of the fastest endpoint; a cable holds as many as its
 * rate allows. Seen from a switch of level l with n circuits below it, each parent digit b leads into a
 * network of its own, by p_b circuits from every switch of the level (the smallest decides, so a missing
 * cable or parent lowers p_b for all). The level is rearrangeable when sum p_b >= n (the circuits of
 * any permutation can be coloured: König), and strictly non-blocking when n - 1 other circuits at
 * either end cannot fill all of these networks: more than 2k of them, where k is how many of the
 * narrowest n - 1 circuits fill; for one cable each this is Clos' m >= 2n - 1. A tree has the class that
 * all its levels below the top have. */
#include "base/arena.h"
#include "base/sized.h"
#include "base/status.h"
#include "heddle/net.h"
#include "net/describe/alike.h"
#include "net/describe/distance_stats.h"
#include "net/describe/layers.h"
#include "net/describe/groups_text.h"
#include "net/core/kinds.h"
#include "net/core/shape.h"
#include "net/core/subtrees.h"

#include <string.h>

/* ---- counts -------------------------------------------------------------------------------- */

/* Switches that no endpoint uses are on no level, nor are their cables. */
static uint32_t describe_row_of(const struct hd_net *net, uint32_t v)
{
    if (hd_is_unplaced(net, v)) return 0;
    return net->level[v] <= HD_MAX_LEVELS ? net->level[v] : 0;
}

static void describe_count_cables(const struct hd_net *net, struct hd_topo_info *info)
{
    info->cables = net->nchan / 2;
    info->switch_cables = info->cables - net->nep;
    info->rates_known = true;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->rev[c] < c) continue;
        info->by_link[net->link[c]]++;
        if (!hd_link_mbps(net->link[c])) info->rates_known = false;
    }
}

/* Rails are those of compute hosts, where there are any: a router or a file server may have more ports than they. */
static void describe_count_hosts(const struct hd_net *net, struct hd_topo_info *info)
{
    for (uint32_t e = 0; e < net->nep; e++) info->by_role[net->ca_role[net->ca[e]]]++;
    for (uint32_t e = 0, last = 0; e < net->nep; e++) {
        uint8_t role = net->ca_role[net->ca[e]];
        bool first = net->host[e] >= last; /* hosts are numbered by their first endpoint */
        if (first) last = net->host[e] + 1;
        if (first && hd_role_is_machine(role)) info->hosts++;
        if ((role == HD_ROLE_HOST || !info->by_role[HD_ROLE_HOST]) && net->rail[e] >= info->rails)
            info->rails = net->rail[e] + 1u;
    }
}

/* Compute hosts alone oversubscribe a level or start a circuit. */
static bool is_host(const struct hd_net *net, uint32_t v)
{
    return net->ca_role[net->ca[v - net->nsw]] == HD_ROLE_HOST;
}

static void add_channel(const struct hd_net *net, uint32_t c, struct hd_level_info *l)
{
    uint32_t u = net->tail[c], v = net->head[c], mbps = hd_link_mbps(net->link[c]);
    uint32_t mine = describe_row_of(net, u), other = v < net->nsw ? describe_row_of(net, v) : 0;
    if (v >= net->nsw) l->endpoints++;
    if (v >= net->nsw && !is_host(net, v)) return;
    if (v >= net->nsw || (other && other < mine)) {
        l->down_cables++;
        l->down_mbps += mbps;
    } else if (mine && other > mine) {
        l->up_cables++;
        l->up_mbps += mbps;
    } else {
        l->side_cables++; /* seen from both ends; halved later where both are of this level */
    }
}

static void least_most(uint32_t x, bool first, uint32_t *least, uint32_t *most)
{
    if (first || x < *least) *least = x;
    if (first || x > *most) *most = x;
}

static void describe_count_levels(const struct hd_net *net, struct hd_topo_info *info)
{
    uint32_t within[HD_MAX_LEVELS + 1] = {0};
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t row = describe_row_of(net, v);
        struct hd_level_info *l = &info->level[row];
        least_most(hd_degree(net, v), !l->switches, &l->ports_min, &l->ports_max);
        least_most(net->nports[v], !l->switches, &l->physical_min, &l->physical_max);
        l->switches++;
        if (row > info->levels) info->levels = row;
        if (!hd_degree(net, v)) info->isolated++;
        info->unused += net->unplaced[v];
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            add_channel(net, c, l);
            within[row] += net->head[c] < net->nsw && describe_row_of(net, net->head[c]) == row;
        }
    }
    for (uint32_t i = 0; i <= info->levels; i++) {
        struct hd_level_info *l = &info->level[i];
        l->side_cables -= within[i] / 2;
        if (!l->up_cables) continue;
        l->oversubscription = info->rates_known ? (double)l->down_mbps / (double)l->up_mbps
                                                : (double)l->down_cables / (double)l->up_cables;
    }
}

/* ---- parts --------------------------------------------------------------------------------- */

struct lacking {
    const uint32_t *part_of;
    bool *part;
};

static void mark_part(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    struct lacking *l = user;
    (void)k;
    l->part[l->part_of[u]] = l->part[l->part_of[v]] = true;
}

/* Also the number of ordered pairs of endpoints that are in one part. */
static hd_status count_parts(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net,
                             struct hd_topo_info *info, uint64_t *pairs)
{
    uint32_t *part_of = HD_NEW(a, uint32_t, net->nsw + net->nep);
    uint64_t *size = HD_NEW(a, uint64_t, net->nsw);
    struct lacking l = {part_of, HD_NEW(a, bool, net->nsw)};
    if (!part_of || !size || !l.part) return hd_fail_memory(ctx);
    HD_TRY(hd_net_parts(ctx, net, part_of, &info->parts));
    HD_TRY(hd_shape_each_missing(ctx, net, mark_part, &l));
    for (uint32_t e = 0; e < net->nep; e++) size[part_of[net->nsw + e]]++;
    for (uint32_t p = 0; p < info->parts; p++) {
        info->inhabited += size[p] > 0;
        info->degraded += l.part[p];
        if (size[p]) *pairs += size[p] * (size[p] - 1);
    }
    return HD_OK;
}

static uint32_t cables_up(const struct hd_net *net, uint32_t v)
{
    uint32_t up = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) up += net->level[net->head[c]] == net->level[v] + 1;
    return up;
}

struct uplinks {
    uint32_t *first;  /* [nsw] of the switch's component: its first switch */
    uint32_t *leaves; /* [nsw] by first switch: leaf switches of the component */
    bool *complete;   /* [nsw] likewise: it reaches the top level */
    bool *plane;      /* [nsw] likewise: most of its hosts are on other components too */
    uint32_t *most;   /* [(nsw+1) * (levels+1)] up cables of a switch, by leaf switches of its component, and level */
    uint32_t *alike;  /* [(nsw+1) * (levels+1)] the same of planes that have about as many leaf switches */
    uint32_t levels;
    bool several; /* components */
};

static size_t uplinks_row(const struct uplinks *k, const struct hd_net *net, uint32_t v)
{
    return (size_t)k->leaves[k->first[v]] * (k->levels + 1) + net->level[v];
}

static uint32_t uplinks_most(const struct uplinks *k, const struct hd_net *net, uint32_t v)
{
    const size_t row = uplinks_row(k, net, v);
    return k->plane[k->first[v]] && k->alike[row] > k->most[row] ? k->alike[row] : k->most[row];
}

static hd_status uplinks_find_planes(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net,
                                     struct uplinks *k)
{
    uint32_t *of, *all, *shared; /* [nhost] a component of the host; [nsw] endpoints, and those of hosts on several */
    bool *on_several = HD_NEW(a, bool, (size_t)net->nhost + 1);
    if (!HD_NEW_U32(a, (size_t)net->nhost + 1, &of) || !HD_NEW_U32(a, net->nsw, &all, &shared) || !on_several)
        return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) of[net->host[e]] = k->first[hd_leaf(net, e)];
    for (uint32_t e = 0; e < net->nep; e++)
        if (k->first[hd_leaf(net, e)] != of[net->host[e]]) on_several[net->host[e]] = true;
    for (uint32_t e = 0; e < net->nep; e++) {
        all[k->first[hd_leaf(net, e)]]++;
        shared[k->first[hd_leaf(net, e)]] += on_several[net->host[e]];
    }
    for (uint32_t v = 0; v < net->nsw; v++) k->plane[v] = 2 * (uint64_t)shared[v] > all[v];
    return HD_OK;
}

static hd_status uplinks_find(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct uplinks *k)
{
    uint32_t some = UINT32_MAX;
    hd_components(net, HD_NO_LEVEL, k->first);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->unplaced[v]) continue;
        if (some == UINT32_MAX) some = k->first[v];
        k->several = k->several || k->first[v] != some;
        k->leaves[k->first[v]] += net->level[v] == 1;
        k->complete[k->first[v]] = k->complete[k->first[v]] || net->level[v] == k->levels;
    }
    HD_TRY(uplinks_find_planes(ctx, a, net, k));
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] > k->levels || net->unplaced[v] || !k->complete[k->first[v]]) continue;
        const size_t row = uplinks_row(k, net, v);
        const uint32_t up = cables_up(net, v);
        if (up > k->most[row]) k->most[row] = up;
        if (k->plane[k->first[v]] && up > k->alike[row]) k->alike[row] = up;
    }
    return hd_most_alike(a, k->alike, net->nsw, k->levels + 1) ? HD_OK : hd_fail_memory(ctx);
}

/* Up cables the tree has and a switch has not, whether the parent is there or not. A level that is not there at all
 * (above the planes of a fabric with several) is not missed; nor are cables of what is cut off from the top level: the
 * switches they led to may well be present. Components may be built differently: what no switch has of one is missed
 * only if there is another with as many leaf switches that has it, or about as many if both are planes of most of their
 * hosts. Fabrics of different hosts have any size. */
static hd_status count_lost_up_cables(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, uint32_t levels,
                                      uint32_t *lost)
{
    struct uplinks k = {.levels = levels};
    *lost = 0;
    if (net->shape.kind != HD_SHAPE_TREE) return HD_OK;
    k.complete = HD_NEW(a, bool, net->nsw);
    k.plane = HD_NEW(a, bool, net->nsw);
    if (!HD_NEW_U32(a, net->nsw, &k.first, &k.leaves) || !k.plane || !k.complete) return hd_fail_memory(ctx);
    if (!HD_NEW_U32(a, ((size_t)net->nsw + 1) * (levels + 1), &k.most, &k.alike)) return hd_fail_memory(ctx);
    HD_TRY(uplinks_find(ctx, a, net, &k));
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint32_t l = net->level[v];
        if (l >= levels || net->unplaced[v] || !k.complete[k.first[v]]) continue;
        const uint32_t up = cables_up(net, v), tree = net->shape.w[l] * net->shape.p[l],
                       most = uplinks_most(&k, net, v);
        const uint32_t all = k.several && most < tree ? most : tree;
        if (up < all) *lost += all - up;
    }
    return HD_OK;
}

/* ---- Clos class ---------------------------------------------------------------------------- */

enum clos { SLIMMED, REARRANGEABLE, STRICT };

struct circuits {
    const struct hd_net *net;
    uint32_t unit;             /* Mbit/s of a circuit; 0: every cable holds one */
    uint32_t up[HD_MAX_PORTS]; /* by parent digit: the least any switch of the level has */
    uint32_t w, n;             /* parent digits; the most circuits below a switch */
};

static uint32_t held(const struct circuits *k, uint32_t c)
{
    return k->unit ? hd_link_mbps(k->net->link[c]) / k->unit : 1;
}

/* A switch without anything below has no say: it starts no circuit. */
static void add_switch(struct circuits *k, uint32_t v)
{
    const struct hd_net *net = k->net;
    uint32_t up[HD_MAX_PORTS] = {0}, below = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t to = net->head[c];
        if (to >= net->nsw)
            below += is_host(net, to);
        else if (net->level[to] < net->level[v])
            below += held(k, c);
        else
            up[hd_coord(net, to)[net->level[v]]] += held(k, c);
    }
    if (!below) return;
    for (uint32_t b = 0; b < k->w; b++)
        if (!k->n || up[b] < k->up[b]) k->up[b] = up[b];
    if (below > k->n) k->n = below;
}

static enum clos level_class(const struct circuits *k)
{
    uint32_t sum = 0, wide = 0, blocked = 0, left = k->n ? k->n - 1 : 0;
    for (uint32_t b = 0; b < k->w; b++) {
        sum += k->up[b];
        wide += k->up[b] > 0;
    }
    if (k->n == 0) return STRICT;
    /* fill the narrowest first; at most 254 are left at any time */
    for (uint32_t p = 1; p <= left; p++)
        for (uint32_t b = 0; b < k->w && p <= left; b++)
            if (k->up[b] == p) {
                left -= p;
                blocked++;
            }
    if (sum < k->n) return SLIMMED;
    return wide > 2 * blocked ? STRICT : REARRANGEABLE;
}

static const char *clos_class(const struct hd_net *net, const struct hd_topo_info *info)
{
    static const char *const names[] = {"slimmed", "rearrangeable", "strict"};
    const struct hd_shape *s = &net->shape;
    enum clos least = STRICT;
    if (s->kind != HD_SHAPE_TREE || info->levels < 2 || !net->nep) return "";
    uint32_t unit = 0;
    for (uint32_t e = 0; e < net->nep && info->rates_known; e++) {
        uint32_t mbps = hd_link_mbps(net->link[net->off[net->nsw + e]]);
        if (mbps > unit) unit = mbps;
    }
    for (uint32_t l = 1; l < info->levels; l++) {
        if (s->w[l] > HD_MAX_PORTS) return ""; /* no switch could have that many parents */
        struct circuits k = {.net = net, .unit = unit, .w = s->w[l]};
        for (uint32_t v = 0; v < net->nsw; v++)
            if (net->level[v] == l && !net->unplaced[v]) add_switch(&k, v);
        enum clos c = level_class(&k);
        if (c < least) least = c;
    }
    return names[least];
}

/* ---- the whole ----------------------------------------------------------------------------- */

hd_status hd_net_describe_sized(struct hd_ctx *ctx, const struct hd_net *net, struct hd_topo_info *out, size_t size)
{
    struct hd_topo_info info = {.endpoints = net->nep,
                                .switches = net->nsw,
                                .selected = net->nsel,
                                .adapters = net->nca,
                                .missing = net->shape.missing};
    struct hd_arena scratch = {0};
    struct hd_distances d;
    uint64_t pairs = 0;
    describe_count_hosts(net, &info);
    describe_count_cables(net, &info);
    describe_count_levels(net, &info);
    info.clos = clos_class(net, &info);
    uint32_t lost;
    hd_status s = count_lost_up_cables(ctx, &scratch, net, info.levels, &lost);
    if (s == HD_OK && lost > info.missing) info.absent = lost - info.missing;
    if (s == HD_OK) s = count_parts(ctx, &scratch, net, &info, &pairs);
    if (s == HD_OK) s = hd_layers_read(ctx, &scratch, net, info.levels, info.form, sizeof info.form, &lost);
    info.layered = *info.form;
    info.absent += lost;
    if (s == HD_OK && net->shape.kind == HD_SHAPE_NONE && !info.layered)
        s = hd_switch_groups_text(ctx, &scratch, net, info.form, sizeof info.form);
    hd_arena_release(&scratch);
    if (s == HD_OK) s = hd_net_distances(ctx, net, &d);
    if (s != HD_OK) return s;
    if (!d.known)
        hd_note(ctx, "%.200s: the diameter is not computed: searches from all switches would take minutes", net->spec);
    info.distances_known = d.known;
    info.diameter = d.diameter;
    info.mean_distance = pairs ? (double)d.sum / (double)pairs : 0;
    hd_sized_out(out, size, &info, sizeof info);
    return HD_OK;
}
