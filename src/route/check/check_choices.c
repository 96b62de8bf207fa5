/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive routing: what holds for every choice that the groups allow.
 *
 * One search over all choices from all leaf switches (choice_walk.c) answers for all sources of a destination.
 * Endpoints of one leaf switch mostly have the same choices: they are searched once for all of them, which compares one
 * row each. The dependencies of all choices are added to those of the static ports, which packets without adaptive
 * routing take. The choices towards a destination are taken to be made in every VL in which packets are sent there;
 * where the VL depends on the pair or changes along the path, all VLs are taken as one, for static ports too. Sources
 * are those that use the variant, and an endpoint is none of its own.
 * Aggregation nodes are as in route_check.c: switches nearby must reach them, and be reached, whatever is chosen, and
 * their dependencies are kept apart.
 * Where SL2VL tables send levels to VL 15, a pair fails if each level that it may have is dropped on some choice: its
 * own one if levels are known.
 * Cost: O(channels) per leaf switch and O(switches) per destination; with such tables O(channels) per destination, and
 * O(pairs). */
#include "route/check/check_choices.h"
#include "base/status.h"
#include "route/check/check_everyone.h"
#include "route/check/drop_levels.h"
#include "route/core/switch_distance.h"

#include <string.h>

enum { STARTS = 512 }; /* as for static ports */
struct choice_search {
    const struct hd_choice_job *job;
    const struct hd_routes *r;
    const struct hd_net *net;
    struct hd_choice_walk walk;
    /* Of each kind [x * nleaf + leaf]: endpoints at each leaf that use a variant; for all variants, or for the current
     * destination and variant, there is one list. */
    uint32_t *sources[HD_PROOF_NOT];
    uint32_t lanes; /* set of VLs of packets to the destination */
    struct hd_drop_levels drop;
    uint16_t *levels;      /* [nchan] service levels that arrive behind each channel, whatever is chosen */
    bool aggregation_open; /* choices towards aggregation nodes may close a credit loop */
};

/* ---- sources --------------------------------------------------------------------------------------------- */

/* How many sources of a kind at a leaf switch use the variant towards d. */
static uint32_t choice_sources(const struct choice_search *w, uint32_t kind, uint32_t leaf, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->r;
    const size_t at = r->select == HD_SELECT_SOURCE ? (size_t)x * r->nleaf + leaf : leaf;
    const bool own = w->job->kind[d] == kind && r->leaf_of[hd_leaf(r->net, d)] == leaf && hd_routes_uses(r, d, d, x);
    return w->sources[kind][at] - (own && r->select != HD_SELECT_PAIR);
}

/* The same of endpoints other than aggregation nodes. */
static uint32_t choice_hosts(const struct choice_search *w, uint32_t leaf, uint32_t d, uint32_t x)
{
    return choice_sources(w, HD_PROOF_SELECTED, leaf, d, x) + choice_sources(w, HD_PROOF_OTHER, leaf, d, x);
}

/* Where each pair chooses its variant: the sources of this one. */
static void choice_pair_sources(struct choice_search *w, uint32_t d, uint32_t x)
{
    const struct hd_net *net = w->net;
    if (w->r->select != HD_SELECT_PAIR) return;
    for (uint32_t kind = 0; kind < HD_PROOF_NOT; kind++)
        memset(w->sources[kind], 0, w->r->nleaf * sizeof *w->sources[kind]);
    for (uint32_t e = 0; e < net->nep; e++)
        if (w->job->kind[e] < HD_PROOF_NOT && e != d && hd_routes_uses(w->r, e, d, x))
            w->sources[w->job->kind[e]][w->r->leaf_of[hd_leaf(net, e)]]++;
}

static hd_status choice_find_sources(struct hd_ctx *ctx, struct hd_arena *a, struct choice_search *w)
{
    const struct hd_routes *r = w->r;
    const bool by_source = r->select == HD_SELECT_SOURCE;
    const size_t n = (size_t)r->nleaf * (by_source ? r->nvar : 1);
    if (!HD_NEW_U32(a, n, &w->sources[HD_PROOF_SELECTED], &w->sources[HD_PROOF_OTHER],
                    &w->sources[HD_PROOF_AGGREGATION]))
        return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < r->net->nep; e++) {
        const size_t first = by_source ? (size_t)r->source_class[e] * r->nleaf : 0;
        if (w->job->kind[e] < HD_PROOF_NOT) w->sources[w->job->kind[e]][first + r->leaf_of[hd_leaf(r->net, e)]]++;
    }
    return HD_OK;
}

/* ---- one destination ------------------------------------------------------------------------------------- */

/* In which VLs packets are sent to d, as the check of static ports has them. */
static uint32_t choice_lanes(const struct choice_search *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->r;
    uint32_t lanes = 0;
    if (r->lane_rule == HD_LANE_DEST) return 1u << r->dest_lane[(size_t)d * r->nvar + x];
    if (r->lane_rule != HD_LANE_LEAF) return 1;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++)
        if (choice_hosts(w, leaf, d, x)) lanes |= 1u << r->leaf_lane[((size_t)leaf * r->net->nep + d) * r->nvar + x];
    return lanes;
}

/* The channel after which a packet from switch v to a node may not arrive: follows bad choices, each switch once. */
static uint32_t bad_channel(struct hd_choice_walk *w, uint32_t v, uint32_t target)
{
    const struct hd_net *net = w->net;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < w->nseen; i++) w->hops[w->seen[i]] = 0;
    for (;;) {
        struct hd_port_set left = hd_choices(w->r, w->row, w->of, v);
        uint32_t next = UINT32_MAX;
        w->hops[v] = 1;
        for (uint32_t slot; next == UINT32_MAX && (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
            const uint32_t c = net->off[v] + slot, u = net->head[c];
            if (u >= net->nsw ? u != target : w->state[u] != HD_CHOICE_GOOD) next = c;
        }
        if (next == UINT32_MAX) return last;
        last = next;
        v = net->head[next];
        if (v >= net->nsw || w->hops[v]) return last;
    }
}

/* Whether some choice has each level that packets of endpoint e to d may have dropped, although all lead to d. */
static bool choice_drops(const struct choice_search *w, uint32_t e, uint32_t d, uint32_t x)
{
    const struct hd_net *net = w->net;
    if (!w->drop.passes || w->walk.state[hd_leaf(net, e)] != HD_CHOICE_GOOD) return false;
    return !(hd_drop_pair(w->r, e, d, x) & w->levels[net->off[net->nsw + e]]);
}

/* The channel for which a switch drops packets from e to d by some choice, of the lowest level that they may have. */
static uint32_t drop_channel(const struct choice_search *w, uint32_t e, uint32_t d, uint32_t x)
{
    const struct hd_net *net = w->net;
    const uint32_t levels = hd_drop_pair(w->r, e, d, x), level = levels & -levels;
    for (uint32_t in = net->off[net->nsw + e], next;; in = next) {
        const uint32_t v = net->head[in];
        struct hd_port_set left = hd_choices(w->r, w->walk.row, w->walk.of, v);
        next = UINT32_MAX;
        for (uint32_t slot; next == UINT32_MAX && (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
            const uint32_t out = net->off[v] + slot;
            if (!(hd_drop_turn(&w->drop, in, out) & level)) return out;
            if (net->head[out] < net->nsw && !(w->levels[out] & level)) next = out;
        }
    }
}

/* Pairs from leaf switch v that a choice drops, among those that count as in choice_pairs. */
static uint32_t choice_dropped_pairs(const struct choice_search *w, uint32_t v, uint32_t d, uint32_t x, uint32_t dist,
                                     uint32_t *selected)
{
    const struct hd_net *net = w->net;
    const uint8_t *kind = w->job->kind;
    uint32_t all = 0;
    *selected = 0;
    for (uint32_t c = net->off[v]; w->drop.passes && c < net->off[v + 1]; c++) {
        const uint32_t e = net->head[c] - net->nsw;
        if (net->head[c] < net->nsw || e == d || kind[e] >= HD_PROOF_NOT || !hd_routes_uses(w->r, e, d, x)) continue;
        if ((kind[e] == HD_PROOF_AGGREGATION && dist > 1) || !choice_drops(w, e, d, x)) continue;
        all++;
        *selected += kind[e] == HD_PROOF_SELECTED && kind[d] == HD_PROOF_SELECTED;
    }
    return all;
}

/* The first pair towards d that may not arrive, from switch `faulty`; an aggregation node only if there is no other. */
static void choice_fault(struct choice_search *w, uint32_t d, uint32_t x, uint32_t faulty, struct hd_choice_check *out)
{
    const struct hd_net *net = w->net;
    const bool dropped = w->walk.state[faulty] == HD_CHOICE_GOOD;
    out->dest = d;
    out->source = UINT32_MAX;
    for (uint32_t below = HD_PROOF_AGGREGATION; below <= HD_PROOF_NOT && out->source == UINT32_MAX; below++)
        for (uint32_t c = net->off[faulty]; c < net->off[faulty + 1] && out->source == UINT32_MAX; c++) {
            const uint32_t e = net->head[c] - net->nsw;
            if (net->head[c] < net->nsw || e == d || !hd_routes_uses(w->r, e, d, x)) continue;
            if (w->job->kind[e] < below && (!dropped || choice_drops(w, e, d, x))) out->source = e;
        }
    const uint32_t c = dropped ? drop_channel(w, out->source, d, x) : bad_channel(&w->walk, faulty, net->nsw + d);
    out->channel = c == UINT32_MAX ? net->off[net->nsw + out->source] : c;
}

/* Pairs from a leaf switch at this distance that count: of selected endpoints, and all. */
static uint32_t choice_pairs(const struct choice_search *w, uint32_t leaf, uint32_t d, uint32_t x, uint32_t dist,
                             uint32_t *selected)
{
    const uint32_t near = dist > 1 ? 0 : choice_sources(w, HD_PROOF_AGGREGATION, leaf, d, x);
    *selected = w->job->kind[d] == HD_PROOF_SELECTED ? choice_sources(w, HD_PROOF_SELECTED, leaf, d, x) : 0;
    if (dist > 1 && w->job->kind[d] == HD_PROOF_AGGREGATION) return 0;
    return choice_hosts(w, leaf, d, x) + near;
}

static void choice_count(struct choice_search *w, uint32_t d, uint32_t x, struct hd_choice_check *out, uint64_t *others)
{
    const struct hd_net *net = w->net;
    const uint8_t *dist = w->job->dist + (size_t)w->r->leaf_of[hd_leaf(net, d)] * net->nsw;
    uint32_t faulty = UINT32_MAX, n;
    for (uint32_t leaf = 0; leaf < w->r->nleaf; leaf++) {
        const uint32_t v = w->r->leaf[leaf], state = w->walk.state[v];
        const uint32_t all = dist[v] == HD_FAR ? 0 : choice_pairs(w, leaf, d, x, dist[v], &n);
        if (!all) continue;
        uint32_t fail = all, selected = n; /* of them */
        if (state == HD_CHOICE_GOOD) {
            fail = choice_dropped_pairs(w, v, d, x, dist[v], &selected);
            if (w->walk.hops[v] > dist[v] + 1u) out->nonminimal += n - selected;
            if (n > selected && w->walk.hops[v] + 1 > out->max_hops) out->max_hops = w->walk.hops[v] + 1;
        }
        out->pairs += n;
        *(state == HD_CHOICE_LOOPS ? &out->loops : &out->unreachable) += selected;
        *others += fail - selected;
        if (fail && faulty == UINT32_MAX) faulty = v;
    }
    if (faulty != UINT32_MAX && (out->channel == UINT32_MAX || out->dest > d)) choice_fault(w, d, x, faulty, out);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static hd_status choice_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_choice_job *job,
                             struct choice_search *w)
{
    const struct hd_net *net = job->r->net;
    const struct hd_port_set *up;
    *w = (struct choice_search){.job = job, .r = job->r, .net = net};
    HD_TRY(choice_find_sources(ctx, a, w));
    w->levels = HD_NEW(a, uint16_t, net->nchan);
    if (!w->levels) return hd_fail_memory(ctx);
    HD_TRY(hd_drop_levels_init(ctx, a, job->r, hd_drop_some_known(job->r), &w->drop));
    HD_TRY(hd_choice_up(ctx, a, net, job->credit->up, &up));
    return hd_choice_walk_init(ctx, a, job->r, up, &w->walk);
}

/* Searches from the leaf switches with hosts, or with aggregation nodes, that send to d. */
static void choice_search_from(struct choice_search *w, uint32_t d, uint32_t x, bool aggregation)
{
    for (uint32_t leaf = 0; leaf < w->r->nleaf; leaf++)
        if (aggregation ? choice_sources(w, HD_PROOF_AGGREGATION, leaf, d, x) : choice_hosts(w, leaf, d, x))
            hd_choice_walk_from(&w->walk, w->r->leaf[leaf]);
}

/* Paths from or to aggregation nodes: whether levels rule out a credit loop, if choices are made on them at all. */
static void choice_apart(struct choice_search *w, struct hd_credit *apart)
{
    bool any = false;
    for (uint32_t i = 0; i < w->walk.nseen; i++) any |= w->walk.of[w->walk.seen[i]] != 0;
    if (!any) return;
    if (apart->up) hd_choice_walk_depend(&w->walk, 1, apart);
    w->aggregation_open |= !apart->up || apart->turned;
}

/* All searches towards d, unless the last one answers for it. */
static void choice_row(struct choice_search *w, uint32_t d, uint32_t x, uint8_t *buf, struct hd_credit *apart)
{
    const struct hd_net *net = w->net;
    const uint8_t *row = hd_routes_row(w->r, d, x, buf);
    const bool aggregation = w->job->kind[d] == HD_PROOF_AGGREGATION;
    const uint32_t home = hd_leaf(net, d);
    choice_pair_sources(w, d, x);
    const uint32_t lanes = aggregation ? 0 : choice_lanes(w, d, x);
    if (lanes != w->lanes) hd_choice_walk_forget(&w->walk);
    w->lanes = lanes;
    *w->job->mixed |= (lanes & (lanes - 1)) != 0;
    const bool same = hd_choice_walk_begin(&w->walk, row, hd_group_row(w->r, d, x), net->nsw + d);
    const uint32_t seen = w->walk.nseen;
    if (same && row[home] < hd_degree(net, home)) w->job->credit->used[net->off[home] + row[home]] = true;
    choice_search_from(w, d, x, false);
    if (w->walk.nseen > seen && !aggregation) hd_choice_walk_depend(&w->walk, lanes, w->job->credit);
    const uint32_t hosts = w->walk.nseen;
    choice_search_from(w, d, x, true);
    if (w->drop.passes) hd_drop_choices(&w->drop, &w->walk, w->levels);
    if (w->walk.nseen > hosts || aggregation) {
        choice_apart(w, apart);
        hd_choice_walk_forget(&w->walk);
    }
}

/* Groups of one port, or of none, are rare: their entries are looked for and taken off. */
static void count_groups(const struct hd_routes *r, struct hd_choice_check *out)
{
    const uint32_t nsw = r->net->nsw;
    const size_t rows = (size_t)r->net->nep * r->nvar;
    uint64_t single = 0;
    for (uint32_t v = 0; v < nsw; v++) out->groups += r->groups->at[v].n;
    for (size_t i = 0; i < rows * nsw; i++) out->entries += r->groups->of[i] != 0;
    for (uint32_t v = 0; v < nsw; v++)
        for (uint32_t g = 0; g < r->groups->at[v].n; g++) {
            if (hd_set_count(&r->groups->at[v].set[g]) > 1) continue;
            for (size_t i = 0; i < rows; i++) single += r->groups->of[i * nsw + v] == g + 1;
        }
    out->entries -= single;
}

hd_status hd_check_choices(struct hd_ctx *ctx, const struct hd_choice_job *job, struct hd_check *check)
{
    const struct hd_net *net = job->r->net;
    struct hd_arena a = {0};
    struct choice_search w;
    check->others.choices = 0;
    struct hd_choice_check out = {.channel = UINT32_MAX, .deadlock_free = check->deadlock_free};
    uint8_t *buf = HD_NEW(&a, uint8_t, net->nsw);
    struct hd_credit apart = {.net = net, .up = job->credit->up, .used = HD_NEW(&a, bool, net->nchan)};
    hd_status s = buf && apart.used ? choice_init(ctx, &a, job, &w) : hd_fail_memory(ctx);
    for (uint32_t x = 0; s == HD_OK && x < job->r->nvar; x++) {
        hd_choice_walk_forget(&w.walk);
        for (uint32_t leaf = 0; leaf < job->r->nleaf; leaf++) {
            const uint32_t t = job->r->leaf[leaf];
            for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
                const uint32_t d = net->head[c] - net->nsw;
                if (net->head[c] < net->nsw || job->kind[d] >= HD_PROOF_NOT) continue;
                choice_row(&w, d, x, buf, &apart);
                choice_count(&w, d, x, &out, &check->others.choices);
                if (out.channel != UINT32_MAX && out.dest == d)
                    hd_choice_walk_forget(&w.walk); /* hops were overwritten */
            }
        }
    }
    if (s == HD_OK) count_groups(job->r, &out);
    if (s == HD_OK && w.aggregation_open && check->others.aggregation_deadlock_free == 1)
        check->others.aggregation_deadlock_free = -1;
    check->adaptive = true;
    check->choices = out;
    hd_arena_release(&a);
    return s;
}

/* ---- credit loops ------------------------------------------------------------------------------------------ */

/* Which switches packets to d may reach, and a source for each: from[v], UINT32_MAX: none. */
static void choice_reach(const struct choice_search *w, uint32_t d, uint32_t x, const uint8_t *row, const uint16_t *of,
                         uint32_t *from, uint32_t *queue)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    memset(from, 0xff, net->nsw * sizeof *from);
    for (uint32_t e = 0; e < net->nep; e++) {
        const uint32_t v = hd_leaf(net, e);
        if (e == d || w->job->kind[e] >= HD_PROOF_AGGREGATION || from[v] != UINT32_MAX) continue;
        if (!hd_routes_uses(w->r, e, d, x)) continue;
        from[v] = e;
        queue[n++] = v;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct hd_port_set left = hd_choices(w->r, row, of, queue[i]);
        for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
            const uint32_t u = net->head[net->off[queue[i]] + slot];
            if (u >= net->nsw || from[u] != UINT32_MAX) continue;
            from[u] = from[queue[i]];
            queue[n++] = u;
        }
    }
}

/* Gives dependencies of the cycle without an example the pair towards d that has them; returns how many. */
static uint32_t choice_example(const struct choice_search *w, uint32_t d, struct hd_check *k, uint32_t *from,
                               uint32_t *queue, uint8_t *buf)
{
    const struct hd_net *net = w->net;
    uint32_t found = 0;
    bool reached = false;
    for (uint32_t x = 0; x < w->r->nvar; x++, reached = false) {
        const uint8_t *row = hd_routes_row(w->r, d, x, buf);
        const uint16_t *of = hd_group_row(w->r, d, x);
        for (uint32_t i = 0; i < k->ncycle && i < 64; i++) {
            struct hd_dependency *dep = &k->cycle[i];
            const uint32_t v = net->tail[dep->c], u = net->tail[dep->next];
            if (dep->source != UINT32_MAX || v >= net->nsw) continue;
            const struct hd_port_set here = hd_choices(w->r, row, of, v), there = hd_choices(w->r, row, of, u);
            if (!hd_set_has(&here, dep->c - net->off[v]) || !hd_set_has(&there, dep->next - net->off[u])) continue;
            if (!reached) choice_reach(w, d, x, row, of, from, queue);
            reached = true;
            if (from[v] == UINT32_MAX) continue;
            dep->source = from[v];
            dep->dest = d;
            found++;
        }
    }
    return found;
}

static hd_status choice_examples(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_choice_job *job,
                                 struct hd_check *k)
{
    struct choice_search w = {.job = job, .r = job->r, .net = job->r->net};
    const uint32_t wanted = k->ncycle < 64 ? k->ncycle : 64;
    uint32_t *from, *queue, found = 0;
    uint8_t *buf = HD_NEW(a, uint8_t, w.net->nsw);
    if (!buf || !HD_NEW_U32(a, w.net->nsw, &from, &queue)) return hd_fail_memory(ctx);
    for (uint32_t d = 0; d < w.net->nep && found < wanted; d++)
        if (job->kind[d] < HD_PROOF_AGGREGATION) found += choice_example(&w, d, k, from, queue, buf);
    return HD_OK;
}

hd_status hd_check_choices_cycle(struct hd_ctx *ctx, const struct hd_choice_job *job, struct hd_check *check)
{
    const struct hd_deps *deps = &job->credit->deps;
    struct hd_arena a = {0};
    uint32_t *cycle, n;
    check->choices.deadlock_free = check->deadlock_free;
    if (job->credit->up || check->ncycle) return HD_OK;
    hd_status s = hd_deps_cycle(ctx, &a, deps, STARTS, &cycle, &n);
    if (s == HD_OK && n) {
        check->ncycle = n;
        check->cycle_lane = cycle[0] % deps->nlanes;
        const enum hd_lane_rule rule = job->r->lane_rule;
        const bool exact = rule == HD_LANE_ONE || rule == HD_LANE_DEST || (rule == HD_LANE_LEAF && !*job->mixed);
        check->deadlock_free = exact ? 0 : -1;
        check->choices.deadlock_free = check->deadlock_free;
        for (uint32_t i = 0; i < n && i < 64; i++)
            check->cycle[i] = (struct hd_dependency){cycle[i] / deps->nlanes, cycle[(i + 1) % n] / deps->nlanes,
                                                     UINT32_MAX, UINT32_MAX, check->cycle_lane};
        s = choice_examples(ctx, &a, job, check);
    }
    hd_arena_release(&a);
    return s;
}
