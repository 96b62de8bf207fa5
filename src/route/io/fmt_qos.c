/* SPDX-License-Identifier: BSD-2-Clause */
/* Service levels as a QoS policy of OpenSM: groups of port GUIDs, the levels, and rules that give the paths from one
 * group to another a level; the first rule that matches wins. Levels are VLs ("lanes" below) unless the table says
 * others.
 *
 * Levels by destination need one group per level. Levels by leaf switch or by source need a group for the endpoints of
 * the leaf, or for the source, and one for its destinations in each level; equal sets of destinations are written once.
 * Groups are written as ranges of GUIDs that hold no endpoint of another group. Level 0 is the default.
 * Rules know ports, not LIDs: levels that differ between the LIDs of a port cannot be expressed. */
#include "base/keyed.h"
#include "base/status.h"
#include "route/io/route_formats.h"
#include "route/core/routes.h"
#include "route/core/routes_levels.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 15, A_LINE = 8 };

struct qos_writer {
    const struct hd_routes *r;
    struct hd_out *o;
    struct hd_keyed *order; /* [nep] endpoints by port GUID */
    uint8_t *level;         /* [nep] of each destination, from the current leaf */
    uint32_t nlevels;       /* one more than the highest */
    uint64_t *hash;         /* of each destination group written */
    uint32_t nhash;
    struct hd_out *rules;
};

/* Levels by leaf switch and by source, NULL: they are by another rule. */
static const uint8_t *qos_by_leaf(const struct hd_routes *r)
{
    if (r->leaf_level || r->pair_level) return r->leaf_level;
    return r->lane_rule == HD_LANE_LEAF ? r->leaf_lane : NULL;
}

static const uint8_t *qos_by_source(const struct hd_routes *r)
{
    if (r->leaf_level || r->pair_level) return r->pair_level;
    return r->lane_rule == HD_LANE_PAIR ? r->pair_lane : NULL;
}

/* Sources that differ: none in particular, leaf switches, or endpoints. */
static uint32_t qos_sources(const struct hd_routes *r)
{
    if (qos_by_source(r)) return r->net->nep;
    return qos_by_leaf(r) ? r->nleaf : r->lane_rule == HD_LANE_DEST;
}

/* Levels of the variants from such a source to d. */
static const uint8_t *qos_levels_to(const struct hd_routes *r, uint32_t from, uint32_t d)
{
    const uint8_t *list = qos_by_leaf(r) ? qos_by_leaf(r) : qos_by_source(r);
    return list ? list + ((size_t)from * r->net->nep + d) * r->nvar : r->dest_lane + (size_t)d * r->nvar;
}

static uint32_t qos_levels(const struct hd_routes *r)
{
    uint32_t n = 1, used = hd_levels_used(r);
    if (!r->leaf_level && !r->pair_level) return r->nlanes;
    while (used >> n) n++;
    return n;
}

static hd_status qos_check(struct hd_ctx *ctx, const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    if (r->lane_rule == HD_LANE_UNKNOWN) return hd_fail(ctx, HD_INPUT, "%.200s: the VLs are not known", r->spec);
    if (r->lane_rule == HD_LANE_HOP)
        return hd_fail(
            ctx, HD_INPUT,
            "VLs that change along the path cannot be expressed: OpenSM's configuration has one SL2VL table for "
            "all ports");
    if (qos_levels(r) > MOST_LEVELS)
        return hd_fail(ctx, HD_INPUT, "%u VLs cannot be expressed: InfiniBand has %d for data", qos_levels(r),
                       MOST_LEVELS);
    for (uint32_t from = 0; r->nvar > 1 && from < qos_sources(r); from++)
        for (uint32_t d = 0; d < net->nep; d++) {
            const uint8_t *level = qos_levels_to(r, from, d);
            for (uint32_t x = 1; x < r->nvar; x++)
                if (level[x] != level[0])
                    return hd_fail(ctx, HD_INPUT,
                                   "the LIDs of '%.80s' use different VLs: a QoS policy refers to ports, not LIDs, and "
                                   "cannot express this",
                                   hd_node_name(net, net->nsw + d));
        }
    return HD_OK;
}

/* ---- groups -------------------------------------------------------------------------------- */

static void qos_put_range(struct qos_writer *w, uint32_t n, uint64_t from, uint64_t to)
{
    hd_puts(w->o, n % A_LINE ? ", " : n ? "\n    port-guid: " : "    port-guid: ");
    hd_printf(w->o, "0x%016llx", (unsigned long long)from);
    if (to != from) hd_printf(w->o, "-0x%016llx", (unsigned long long)to);
}

/* The endpoints that belong, as ranges of neighbours in the order of GUIDs. */
static void qos_put_group(struct qos_writer *w, const char *name,
                          bool (*belongs)(const struct qos_writer *, uint32_t e, uint32_t key), uint32_t key)
{
    uint32_t nep = w->r->net->nep, n = 0;
    hd_printf(w->o, "  port-group\n    name: %s\n", name);
    for (uint32_t i = 0; i < nep; i++) {
        if (!belongs(w, w->order[i].value, key)) continue;
        uint32_t last = i;
        while (last + 1 < nep && belongs(w, w->order[last + 1].value, key)) last++;
        qos_put_range(w, n++, w->order[i].key, w->order[last].key);
        i = last;
    }
    hd_puts(w->o, "\n  end-port-group\n");
}

static bool qos_has_level(const struct qos_writer *w, uint32_t e, uint32_t level)
{
    return w->level[e] == level;
}

static bool qos_is_source(const struct qos_writer *w, uint32_t e, uint32_t from)
{
    return qos_by_source(w->r) ? e == from : hd_leaf(w->r->net, e) == w->r->leaf[from];
}

static void qos_put_rule(struct qos_writer *w, const char *source, const char *destination, uint32_t level)
{
    hd_puts(w->rules, "  qos-match-rule\n");
    if (source) hd_printf(w->rules, "    source: %s\n", source);
    hd_printf(w->rules, "    destination: %s\n    qos-level-name: lane%u\n  end-qos-match-rule\n", destination, level);
}

/* Number of the destination group of this level, UINT32_MAX: it is empty; *fresh: not written yet. */
static uint32_t qos_group_of(struct qos_writer *w, uint32_t level, bool *fresh)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    bool any = false;
    for (uint32_t e = 0; e < w->r->net->nep; e++) {
        bool is = w->level[e] == level;
        any |= is;
        h = (h ^ (uint64_t)is) * 0x100000001b3u;
        h ^= h >> 29;
    }
    if (!any) return UINT32_MAX;
    for (uint32_t i = 0; i < w->nhash; i++)
        if (w->hash[i] == h) {
            *fresh = false;
            return i;
        }
    *fresh = true;
    w->hash[w->nhash] = h;
    return w->nhash++;
}

static void qos_put_source(struct qos_writer *w, uint32_t from)
{
    const struct hd_routes *r = w->r;
    char source[32], destination[32];
    bool first = true, fresh, any = !qos_by_leaf(r) && !qos_by_source(r);
    for (uint32_t d = 0; d < r->net->nep; d++) w->level[d] = *qos_levels_to(r, from, d);
    snprintf(source, sizeof source, "%s%u", qos_by_leaf(r) ? "leaf" : "from", from);
    for (uint32_t level = 1; level < w->nlevels; level++) {
        uint32_t g = qos_group_of(w, level, &fresh);
        if (g == UINT32_MAX) continue;
        if (first && !any) qos_put_group(w, source, qos_is_source, from);
        first = false;
        snprintf(destination, sizeof destination, "to%u", g);
        if (fresh) qos_put_group(w, destination, qos_has_level, level);
        qos_put_rule(w, any ? NULL : source, destination, level);
    }
}

/* ---- the file ------------------------------------------------------------------------------ */

static void qos_put_levels(struct qos_writer *w)
{
    hd_puts(w->o, "qos-levels\n  qos-level\n    name: DEFAULT\n    sl: 0\n  end-qos-level\n");
    for (uint32_t level = 1; level < w->nlevels; level++)
        hd_printf(w->o, "  qos-level\n    name: lane%u\n    sl: %u\n  end-qos-level\n", level, level);
    hd_puts(w->o, "end-qos-levels\n");
}

static hd_status qos_write_all(struct hd_ctx *ctx, struct hd_arena *a, struct qos_writer *w)
{
    const struct hd_net *net = w->r->net;
    uint32_t nsource = qos_sources(w->r);
    w->order = HD_NEW(a, struct hd_keyed, net->nep);
    w->nlevels = qos_levels(w->r);
    w->level = HD_NEW(a, uint8_t, net->nep);
    w->hash = HD_NEW(a, uint64_t, (size_t)nsource * w->nlevels);
    if (!w->order || !w->level || !w->hash) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) w->order[e] = (struct hd_keyed){net->guid[net->nsw + e], e};
    hd_keyed_sort(w->order, net->nep, sizeof(struct hd_keyed));
    hd_puts(w->o, "port-groups\n");
    for (uint32_t from = 0; from < nsource; from++) qos_put_source(w, from);
    hd_puts(w->o, "end-port-groups\n");
    qos_put_levels(w);
    size_t n;
    const char *rules = hd_out_text(w->rules, &n);
    hd_puts(w->o, "qos-match-rules\n");
    hd_put(w->o, rules, n);
    hd_out_pass_error(w->rules, w->o);
    hd_puts(w->o, "end-qos-match-rules\n");
    return HD_OK;
}

hd_status hd_write_qos(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    struct hd_arena scratch = {0};
    struct qos_writer w = {.r = r, .o = o};
    HD_TRY(qos_check(ctx, r));
    HD_TRY(hd_out_memory(ctx, &w.rules));
    hd_status s = qos_write_all(ctx, &scratch, &w);
    hd_out_drop(w.rules);
    hd_arena_release(&scratch);
    return s;
}
