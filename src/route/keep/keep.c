/* SPDX-License-Identifier: BSD-2-Clause */
/* A table that changes little. The old one is carried over to the network as it is now, repaired where it must change
 * (keep_repair.c), and improved (keep_improve.c) if it gives random pairs less than the fresh one: by more than the
 * margin, which is smaller than the promised per cent because both shares are estimates. Then it is proved. Rules about
 * turns are tried from the one that costs nothing to the one that changes most; what cannot be proved, or stays too far
 * behind the fresh table, gives way to the fresh table, if that is proved.
 * Cost: O(table) several times, plus a growth per row that is affected, plus two estimates. Our own. */
#include "base/status.h"
#include "base/sized.h"
#include "load/share_estimate.h"
#include "route/check/check_credit.h"
#include "route/check/check_everyone.h"
#include "route/core/lid_view.h"
#include "route/keep/keep_within.h"
#include "route/keep/keeper.h"
#include "route/kernel/vl_assign.h"

#include <string.h>

#define ENOUGH 0.998 /* share of the fresh table that ends the improvement, */
#define LEAST 0.995  /* and that is still good enough: both are within a per cent */

struct keep_search {
    const struct hd_routes *fresh;
    struct hd_routes *was, *best;
    uint64_t most;                 /* steps of a repair, and no regard to bandwidth; 0: neither */
    bool improved;                 /* more has changed than had to */
    bool good;                     /* best is proved and good enough */
    bool fresh_serves, fresh_free; /* the fresh table serves all endpoints, and has no credit loops among them */
    double fresh_share, share;
    struct hd_keep report;
};

/* What holds for pairs of all endpoints, if those that are not selected count as well. */
static hd_status keep_everyone(struct hd_ctx *ctx, const struct hd_routes *r, bool *serves, bool *free)
{
    struct hd_check check;
    *serves = *free = true;
    if (r->net->nsel == r->net->nep || !hd_everyone_counts(r->net)) return HD_OK;
    HD_TRY(hd_routes_check_everyone(ctx, r, &check));
    *serves = !check.unreachable && !check.loops;
    *free = check.deadlock_free == 1;
    return HD_OK;
}

/* Selected endpoints are served without credit loops, and all endpoints as far as the fresh table does that. */
static hd_status keep_proved(struct hd_ctx *ctx, const struct keep_search *k, const struct hd_routes *r, bool *proved)
{
    struct hd_check check;
    bool serves, free;
    HD_TRY(hd_routes_check(ctx, r, &check));
    *proved = !hd_check_faulty(&check) && check.deadlock_free == 1;
    if (!*proved || r == k->fresh) return HD_OK;
    HD_TRY(keep_everyone(ctx, r, &serves, &free));
    *proved = (serves || !k->fresh_serves) && (free || !k->fresh_free);
    return HD_OK;
}

/* VLs that the table may use: as many as the old or the fresh one has. */
static uint32_t keep_lanes(const struct keep_search *k)
{
    uint32_t was = k->was->nlanes, fresh = k->fresh->nlanes, n = was > fresh ? was : fresh;
    return n < 1 ? 1 : n > HD_LANES_MOST ? HD_LANES_MOST : n;
}

/* Whether the VL of every path from a leaf switch is known, and does not change along it. */
static bool keep_lanes_known(const struct hd_routes *was)
{
    return was->lane_rule == HD_LANE_ONE || was->lane_rule == HD_LANE_DEST || was->lane_rule == HD_LANE_LEAF;
}

static hd_status keep_finish(struct hd_ctx *ctx, const struct keep_search *k, struct hd_keeper *kept, bool *fits)
{
    struct hd_routes *r = kept->r;
    *fits = true;
    if (kept->turns.rule == HD_KEEP_ANY) return hd_lanes_fit(ctx, r, HD_LANES_PATH, keep_lanes(k), fits);
    if (kept->turns.rule == HD_KEEP_GRAPH) return hd_keeper_lanes(ctx, kept);
    if (r->lane_rule == HD_LANE_UNKNOWN || r->lane_rule == HD_LANE_HOP) { /* proved in one VL, so in any */
        r->lane_rule = HD_LANE_ONE;
        r->nlanes = 1;
        r->leaf_lane = r->pair_lane = r->leaf_level = r->pair_level = NULL;
        r->sl2vl = NULL;
    }
    return HD_OK;
}

/* Entries for further LIDs that differ; r may have none left, and then repeats those of a variant. */
static uint64_t keep_changed_further(const struct hd_keeper *k)
{
    const struct hd_routes *was = k->was;
    const size_t nsw = was->net->nsw;
    uint64_t n = 0;
    for (uint32_t i = 0; i < was->nfurther; i++) {
        const uint32_t d = was->further_dest[i], x = was->further_lid[i] - was->lid[nsw + d];
        const uint8_t *row = k->r->nfurther ? k->r->further + i * nsw : hd_row(k->r, d, x % was->nvar);
        for (size_t v = 0; v < nsw; v++) n += row[v] != was->further[i * nsw + v];
    }
    for (uint32_t i = 0; i < was->nmore; i++) { /* of switches: those for the base LID */
        const uint8_t *row = k->r->nmore ? k->r->more + i * nsw : k->r->switch_table + was->more_switch[i] * nsw;
        for (size_t v = 0; v < nsw; v++) n += row[v] != was->more[i * nsw + v];
        n += was->more_own[i] != HD_OWN_GOOD;
    }
    return n;
}

static uint64_t keep_changed(const struct hd_keeper *k)
{
    const size_t nsw = k->r->net->nsw;
    uint64_t n = keep_changed_further(k);
    for (size_t i = 0; i < k->rows * nsw; i++) n += k->r->table[i] != k->was->table[i];
    for (size_t i = 0; i < nsw * nsw; i++) n += k->r->switch_table[i] != k->was->switch_table[i];
    for (uint32_t v = 0; v < nsw; v++) n += hd_lft_own_port(k->r, v) != hd_lft_own_port(k->was, v);
    return n;
}

/* One rule: repaired, improved, with VLs, proved. r becomes the best, or is freed. */
static hd_status keep_make(struct hd_ctx *ctx, struct hd_arena *scratch, struct keep_search *k, enum hd_keep_rule rule,
                           const bool *up, struct hd_routes *r)
{
    struct hd_keeper kept = {.was = k->was, .fresh = k->fresh, .r = r, .most = k->most};
    const enum hd_lane_rule lanes = k->was->lane_rule;
    bool done, fits = false, proved = false;
    double share = 0;
    kept.by_dest = lanes == HD_LANE_DEST || (lanes == HD_LANE_ONE && k->fresh->lane_rule == HD_LANE_DEST);
    HD_TRY(hd_keep_repair(ctx, scratch, rule, up, keep_lanes(k), &kept, &done));
    if (done) HD_TRY(hd_keep_further(ctx, r));
    r->own_entry = NULL; /* every switch takes its own LID */
    if (done) k->report.entries_repaired = keep_changed(&kept);
    if (done && !k->most) HD_TRY(hd_keep_improve(ctx, &kept, ENOUGH * k->fresh_share, &share));
    if (done) HD_TRY(keep_finish(ctx, k, &kept, &fits));
    if (fits) HD_TRY(keep_proved(ctx, k, r, &proved));
    if (fits && !proved &&
        r->nfurther + r->nmore) { /* their old entries may close a credit loop with the new ones of pairs */
        k->report.entries_repaired -= keep_changed_further(&kept);
        r->nfurther = r->nmore = 0;
        r->lid = NULL;
        k->report.entries_repaired += keep_changed_further(&kept);
        HD_TRY(keep_proved(ctx, k, r, &proved));
    }
    if (!proved) {
        hd_routes_free(r);
        return HD_OK;
    }
    k->best = r;
    k->share = share;
    k->improved = keep_changed(&kept) != k->report.entries_repaired;
    k->good = share >= LEAST * k->fresh_share;
    return HD_OK;
}

static hd_status keep_try(struct hd_ctx *ctx, struct keep_search *k, enum hd_keep_rule rule, const bool *up)
{
    struct hd_arena scratch = {0};
    struct hd_routes *r;
    HD_TRY(hd_routes_carry(ctx, k->was, k->was->net, &r));
    hd_status s = keep_make(ctx, &scratch, k, rule, up, r);
    hd_arena_release(&scratch);
    if (s != HD_OK) hd_routes_free(r);
    return s;
}

static hd_status keep_try_all(struct hd_ctx *ctx, struct keep_search *k)
{
    struct hd_arena scratch = {0};
    const bool *up;
    hd_status s = hd_credit_levels(ctx, &scratch, k->was->net, &up);
    if (s == HD_OK && up) s = keep_try(ctx, k, HD_KEEP_LEVELS, up);
    if (s == HD_OK && !k->best && !keep_lanes_known(k->was)) s = keep_try(ctx, k, HD_KEEP_ANY, NULL);
    if (s == HD_OK && !k->best) s = keep_try(ctx, k, HD_KEEP_GRAPH, NULL);
    hd_arena_release(&scratch);
    return s;
}

/* Whether the fresh table changes less than the best one. */
static hd_status keep_fresh_is_less(struct hd_ctx *ctx, const struct keep_search *k, bool *less)
{
    struct hd_diff best, fresh;
    HD_TRY(hd_routes_diff(ctx, k->was, k->best, &best));
    HD_TRY(hd_routes_diff(ctx, k->was, k->fresh, &fresh));
    *less = fresh.entries_changed < best.entries_changed && fresh.lanes_changed <= best.lanes_changed;
    return HD_OK;
}

/* The fresh table where the kept one is not good enough or changes more, if it is proved. */
static hd_status keep_choose(struct hd_ctx *ctx, struct keep_search *k)
{
    bool proved = false, less = false;
    struct hd_routes *copy;
    if (k->good && k->improved) HD_TRY(keep_fresh_is_less(ctx, k, &less)); /* bandwidth may have asked for too much */
    if (k->good && !less) return HD_OK;
    HD_TRY(keep_proved(ctx, k, k->fresh, &proved));
    if (!proved && k->best) return HD_OK;
    if (!proved)
        return hd_fail(
            ctx, HD_FAULT,
            "keep: neither the old table, repaired, nor %.200s is free of faults and credit loops on '%.200s'",
            k->fresh->spec, k->fresh->net->spec);
    HD_TRY(hd_routes_carry(ctx, k->fresh, k->fresh->net, &copy));
    hd_routes_free(k->best);
    k->best = copy;
    k->share = k->fresh_share;
    k->report.fresh = true;
    k->report.entries_repaired = 0;
    return HD_OK;
}

static hd_status keep_report(struct hd_ctx *ctx, struct keep_search *k)
{
    struct hd_diff d;
    struct hd_keep *out = &k->report;
    HD_TRY(hd_routes_diff(ctx, k->was, k->best, &d));
    HD_TRY(hd_keep_forced(ctx, k->was, k->fresh, &out->entries_forced));
    out->entries = d.entries;
    out->entries_changed = d.entries_changed;
    out->blocks = d.blocks;
    out->blocks_changed = d.blocks_changed;
    out->switches_changed = d.switches_changed;
    out->pairs = d.pairs;
    out->pairs_changed = d.pairs_changed;
    out->vls_known = k->was->lane_rule != HD_LANE_UNKNOWN;
    out->vls_changed = d.lanes_changed;
    out->share = k->share;
    out->share_fresh = k->fresh_share;
    return HD_OK;
}

static hd_status keep_run(struct hd_ctx *ctx, struct keep_search *k, const struct hd_routes *old)
{
    const struct hd_net *net = k->fresh->net;
    HD_TRY(hd_routes_carry(ctx, old, net, &k->was));
    HD_TRY(hd_share_estimate(ctx, k->fresh, NULL, hd_share_samples(net), &k->fresh_share));
    HD_TRY(keep_everyone(ctx, k->fresh, &k->fresh_serves, &k->fresh_free));
    if (old->nvar == k->fresh->nvar && old->select == k->fresh->select) HD_TRY(keep_try_all(ctx, k));
    HD_TRY(keep_choose(ctx, k));
    const char *spec = hd_strdup(&k->best->arena, k->fresh->spec, strlen(k->fresh->spec));
    if (!spec) return hd_fail_memory(ctx);
    hd_routes_set_spec(k->best, spec);
    return keep_report(ctx, k);
}

hd_status hd_routes_keep_sized(struct hd_ctx *ctx, const struct hd_routes *fresh, const struct hd_routes *old,
                               struct hd_routes **out, struct hd_keep *keep, size_t keep_size)
{
    struct keep_search k = {.fresh = fresh};
    hd_status s = keep_run(ctx, &k, old);
    if (s == HD_OK) hd_sized_out(keep, keep_size, &k.report, sizeof k.report);
    hd_routes_free(k.was);
    return hd_routes_give(s, k.best, out);
}

static hd_status keep_run_within(struct hd_ctx *ctx, struct keep_search *k, const struct hd_routes *old)
{
    HD_TRY(hd_routes_carry(ctx, old, k->fresh->net, &k->was));
    HD_TRY(keep_everyone(ctx, k->fresh, &k->fresh_serves, &k->fresh_free));
    if (old->nvar == k->fresh->nvar && old->select == k->fresh->select) HD_TRY(keep_try_all(ctx, k));
    bool less = false;
    if (k->best) HD_TRY(keep_fresh_is_less(ctx, k, &less)); /* if many rows give way to a spanning tree */
    if (!less) return HD_OK;
    hd_routes_free(k->best);
    k->best = NULL;
    return HD_OK;
}

hd_status hd_routes_keep_within(struct hd_ctx *ctx, const struct hd_routes *fresh, const struct hd_routes *old,
                                uint64_t most, struct hd_routes **out)
{
    struct keep_search k = {.fresh = fresh, .most = most};
    const hd_status s = keep_run_within(ctx, &k, old);
    hd_routes_free(k.was);
    return hd_routes_give(s, k.best, out);
}
