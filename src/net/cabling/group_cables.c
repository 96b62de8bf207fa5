/* SPDX-License-Identifier: BSD-2-Clause */
/* Missing cables of dragonflies that no port rule describes (group_rule.c): networks of groups in which every switch
 * is cabled to every other of its group, and every two groups are connected by the same number of cables.
 *
 * Groups are found by switch_groups.h. A pair inside a group without a cable lacks one if nearly all other pairs have
 * one; so do two groups with fewer cables than nearly all others. Which port it was follows from the ports that nearly
 * all switches use within, or between, groups: a free one among them. Between groups, it must be the only one of its
 * group; otherwise nothing is said. Cost: O(256 switches + groups^2). */
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/switch_groups.h"

enum { GROUP_FEW = 3, GROUPS_FEW = 4, GROUP_MOST = 4096 }; /* three groups may be what is left of a HyperX */

struct group_finder {
    struct hd_wiring *w;
    const uint32_t *of; /* [nsw] group */
    uint32_t *seen;     /* [nsw] stamps */
    uint32_t n;         /* groups */
    uint32_t *first;    /* [n + 1] of member */
    uint32_t *member;
    uint32_t *cables;                /* [n * n] between groups */
    uint32_t within[256], away[256]; /* how many switches use a port in their group, and to others */
};

static bool group_is_switch(const struct hd_net *net, uint32_t c)
{
    return net->head[c] < net->nsw;
}

/* ---- groups ----------------------------------------------------------------------------------- */

static uint32_t mark_neighbours_of(struct group_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!group_is_switch(net, c)) continue;
        n += f->seen[net->head[c]] != v + 1;
        f->seen[net->head[c]] = v + 1;
    }
    return n;
}

/* Lists the members of the groups; false: these are few, or not of one size. */
static bool group_list(struct group_finder *f)
{
    const struct hd_grouped_switches *g = f->w->grouped;
    f->n = g->n;
    f->of = g->of;
    if (f->n < GROUPS_FEW || g->size[0] < GROUP_FEW) return false;
    for (uint32_t k = 0; k < f->n; k++) {
        if (g->size[k] != g->size[0]) return false;
        f->first[k + 1] = f->first[k] + g->size[k];
    }
    for (uint32_t v = 0; v < f->w->net->nsw; v++) f->member[f->first[f->of[v]]++] = v;
    for (uint32_t k = f->n; k > 0; k--) f->first[k] = f->first[k - 1];
    f->first[0] = 0;
    return true;
}

static hd_status group_count(struct group_finder *f)
{
    const struct hd_net *net = f->w->net;
    if (!(f->cables = HD_NEW(f->w->arena, uint32_t, (size_t)f->n * f->n))) return hd_fail_memory(f->w->ctx);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        if (!group_is_switch(net, c)) continue;
        uint32_t a = f->of[net->tail[c]], b = f->of[net->head[c]];
        f->cables[(size_t)a * f->n + b]++;
        (a == b ? f->within : f->away)[net->port[c]]++;
    }
    return HD_OK;
}

/* ---- free ports ------------------------------------------------------------------------------- */

/* The only free port of v among those that nearly all switches use in this way; 0: there is none or more than one. */
static uint8_t group_hole(const struct group_finder *f, uint32_t v, const uint32_t use[256], uint32_t *holes)
{
    uint8_t hole = 0;
    *holes = 0;
    for (uint32_t p = 1; p <= f->w->net->nports[v]; p++) {
        if (10 * (uint64_t)use[p] < 8 * (uint64_t)f->w->net->nsw || hd_wiring_at(f->w->net, v, p) != HD_NOWHERE)
            continue;
        ++*holes;
        hole = (uint8_t)p;
    }
    return *holes == 1 ? hole : 0;
}

static hd_status group_report(struct group_finder *f, struct hd_plug from, struct hd_plug to)
{
    return hd_wiring_report(f->w, &(struct hd_cabling_fault){.kind = HD_CABLING_MISSING,
                                                             .from = from,
                                                             .to = to,
                                                             .from2 = hd_plug_at(HD_NOWHERE, 0),
                                                             .to2 = hd_plug_at(HD_NOWHERE, 0),
                                                             .gain = 1});
}

/* ---- within groups ----------------------------------------------------------------------------- */

static hd_status find_within(struct group_finder *f, bool report, uint64_t *lacking)
{
    *lacking = 0;
    for (uint32_t g = 0; g < f->n; g++)
        for (uint32_t i = f->first[g]; i < f->first[g + 1]; i++) {
            uint32_t v = f->member[i], holes;
            mark_neighbours_of(f, v);
            for (uint32_t j = i + 1; j < f->first[g + 1]; j++) {
                uint32_t u = f->member[j];
                if (f->seen[u] == v + 1) continue;
                ++*lacking;
                uint8_t p = group_hole(f, v, f->within, &holes), q = group_hole(f, u, f->within, &holes);
                if (report) HD_TRY(group_report(f, hd_plug_at(v, p), hd_plug_at(u, q)));
            }
        }
    return HD_OK;
}

/* ---- between groups ---------------------------------------------------------------------------- */

/* The number of cables that nine of ten pairs of groups have, 0: there is none. */
static uint32_t usual_between(const struct group_finder *f)
{
    uint32_t often[256] = {0}, best = 0;
    for (uint32_t a = 0; a < f->n; a++)
        for (uint32_t b = 0; b < a; b++) {
            uint32_t k = f->cables[(size_t)a * f->n + b];
            often[k < 255 ? k : 255]++;
        }
    for (uint32_t k = 0; k < 256; k++)
        if (often[k] > often[best]) best = k;
    return 10 * (uint64_t)often[best] >= 9 * ((uint64_t)f->n * (f->n - 1) / 2) ? best : 0;
}

/* The only free port of a group that leads to other groups; false: there is none or more than one. */
static bool only_gate(const struct group_finder *f, uint32_t g, struct hd_plug *plug)
{
    uint32_t all = 0;
    for (uint32_t i = f->first[g]; i < f->first[g + 1]; i++) {
        uint32_t holes, v = f->member[i];
        uint8_t p = group_hole(f, v, f->away, &holes);
        all += holes;
        if (p) *plug = hd_plug_at(v, p);
    }
    return all == 1;
}

static hd_status find_between(struct group_finder *f)
{
    uint32_t usual = usual_between(f);
    for (uint32_t a = 0; a < f->n; a++)
        for (uint32_t b = 0; b < a; b++) {
            struct hd_plug from, to;
            if (f->cables[(size_t)a * f->n + b] + 1 != usual) continue;
            if (only_gate(f, a, &from) && only_gate(f, b, &to)) HD_TRY(group_report(f, from, to));
        }
    return HD_OK;
}

hd_status hd_group_cables_find(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct group_finder f = {.w = w};
    uint64_t lacking, pairs;
    if (!w->grouped || w->groups || w->grouped->n > GROUP_MOST) return HD_OK;
    if (!HD_NEW_U32(w->arena, (size_t)net->nsw + 2, &f.seen, &f.first, &f.member)) return hd_fail_memory(w->ctx);
    if (!group_list(&f)) return HD_OK;
    HD_TRY(group_count(&f));
    pairs = (uint64_t)f.n * f.first[1] * (f.first[1] - 1) / 2;
    HD_TRY(find_within(&f, false, &lacking));
    if (10 * lacking > pairs) return HD_OK;
    w->groups_compared = true;
    HD_TRY(find_within(&f, true, &lacking));
    return find_between(&f);
}
