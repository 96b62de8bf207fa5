/* SPDX-License-Identifier: BSD-2-Clause */
/* A proved change of tables: in any order if all mixtures are safe (mixture.c), otherwise in steps that are each proved
 * for any order of writes within them. Steps are searched for in this order: by distance, by distance over an up/down
 * table, by groups of destinations, by groups over an up/down table; first for connections that keep their service
 * levels, then for connections that have those of the new table. Only small networks are searched exhaustively, and
 * only that search may conclude that destinations have to be drained (plan_exact.c).
 * Work is limited by entries looked at, never by time: the plan is the same on every machine. */
#include "base/status.h"
#include "route/check/mixture_rest.h"
#include "route/transition/plan_exact.h"
#include "route/transition/step_rest.h"
#include "route/transition/transition_plan.h"
#include "route/transition/transition_within.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 2000000000, LEAST_PROOFS = 40, PROOF_ENTRIES = 200000 }; /* the last: for each proof */

struct transition_owner { /* what hd_transition_free frees */
    struct hd_transition shown;
    struct hd_mixture direct;
    struct hd_steps_plan plan;
};

/* ---- plans -------------------------------------------------------------------------------------------- */

static uint64_t plan_entries(const struct hd_steps_plan *p)
{
    return (uint64_t)p->net->nep * p->new->nvar * p->net->nsw;
}

hd_status hd_plan_proves(struct hd_steps_plan *p, const struct hd_routes *from, const struct hd_routes *to, bool *safe)
{
    struct hd_mixture m;
    const struct hd_mix mix = {from, to, {p->vl[0], p->vl[1]}, p->idle};
    *safe = false;
    if (p->work >= p->limit) return HD_OK;
    p->work += plan_entries(p) + p->each;
    HD_TRY(hd_mix_prove(p->ctx, &mix, &m));
    *safe = hd_mixture_safe(&m);
    p->apart |= *safe && !m.aggregation_covered;
    return HD_OK;
}

hd_status hd_plan_copy(struct hd_steps_plan *p, const struct hd_routes *from, struct hd_routes **out)
{
    const struct hd_routes *new = p->new;
    struct hd_routes *r;
    HD_TRY(hd_routes_new(p->ctx, p->net, &r));
    hd_status s = hd_routes_table_unset(p->ctx, r, new->nvar);
    for (uint32_t d = 0; s == HD_OK && d < p->net->nep; d++)
        for (uint32_t x = 0; x < new->nvar; x++) {
            uint8_t *to = hd_row(r, d, x);
            const uint8_t *row = hd_routes_row(from, d, x, to);
            if (row != to) memcpy(to, row, p->net->nsw);
        }
    r->spec = "intermediate";
    r->select = new->select;
    r->source_class = new->source_class;
    r->pair_variant = new->pair_variant;
    r->lane_rule = new->lane_rule;
    r->nlanes = new->nlanes;
    r->dest_lane = new->dest_lane;
    r->leaf_lane = new->leaf_lane;
    r->pair_lane = new->pair_lane;
    r->leaf_level = new->leaf_level;
    r->pair_level = new->pair_level;
    r->sl2vl = new->sl2vl;
    return hd_routes_give(s, r, out);
}

hd_status hd_plan_append(struct hd_steps_plan *p, struct hd_routes *table)
{
    if (!HD_MORE(&p->arena, p->step, p->nsteps, p->room)) {
        hd_routes_free(table);
        return hd_fail_memory(p->ctx);
    }
    p->step[p->nsteps++] = table;
    return HD_OK;
}

void hd_plan_rewind(struct hd_steps_plan *p, uint32_t n)
{
    while (p->nsteps > n) hd_routes_free(p->step[--p->nsteps]);
}

void hd_plan_release(struct hd_steps_plan *p)
{
    hd_plan_rewind(p, 0);
    hd_arena_release(&p->arena);
}

/* ---- the search --------------------------------------------------------------------------------------- */

static hd_status plan_over(struct hd_steps_plan *p, enum hd_plan_detour which, bool split, bool *found)
{
    struct hd_routes *middle;
    uint32_t mark = p->nsteps;
    *found = false;
    HD_TRY(hd_plan_detour(p, which, &middle));
    if (!middle) return HD_OK;
    hd_status s = hd_plan_between(p, p->old, middle, split, found);
    if (s == HD_OK && *found) s = hd_plan_between(p, middle, p->new, split, found);
    hd_routes_free(middle);
    if (s != HD_OK || !*found) hd_plan_rewind(p, mark);
    return s;
}

static hd_status plan_steps(struct hd_steps_plan *p, const char **method)
{
    bool found = false;
    for (int split = 0; split < 2; split++) {
        HD_TRY(hd_plan_between(p, p->old, p->new, split, &found));
        *method = split ? "groups of destinations" : "by distance";
        for (int i = 0; i < HD_DETOURS && !found; i++) {
            HD_TRY(plan_over(p, (enum hd_plan_detour)i, split, &found));
            *method = split ? "groups of destinations, over an up/down table" : "over an up/down table";
        }
        if (found) return HD_OK;
    }
    *method = "";
    return HD_OK;
}

/* Whether a table is safe alone, in its own VLs. Where these were taken as one, a check that tells them apart decides:
 * what it does not disprove is not the fault of the table. */
static hd_status plan_sound(struct hd_steps_plan *p, const struct hd_routes *r, bool *sound)
{
    struct hd_mixture m;
    struct hd_check check;
    HD_TRY(hd_mix_prove(p->ctx, &(struct hd_mix){r, r, {r, NULL}, NULL}, &m));
    *sound = hd_mixture_safe(&m);
    if (*sound || m.loops || m.drops || m.vls_known) return HD_OK;
    HD_TRY(hd_routes_check(p->ctx, r, &check));
    *sound = check.deadlock_free != 0;
    return HD_OK;
}

/* Whether a table is safe alone, in the VLs of one or two tables. */
static hd_status plan_alone(struct hd_steps_plan *p, const struct hd_routes *r, const struct hd_routes *vl,
                            const struct hd_routes *other, bool *safe)
{
    struct hd_mixture m;
    HD_TRY(hd_mix_prove(p->ctx, &(struct hd_mix){r, r, {vl, other}, NULL}, &m));
    *safe = hd_mixture_safe(&m);
    return HD_OK;
}

/* Steps with the VLs that p has. There are none if the old or the new table is not safe in them. */
static hd_status plan_search(struct hd_steps_plan *p, struct hd_transition *t)
{
    bool old_safe, new_safe;
    HD_TRY(plan_alone(p, p->old, p->vl[0], p->vl[1], &old_safe));
    HD_TRY(plan_alone(p, p->new, p->vl[0], p->vl[1], &new_safe));
    if (!old_safe || !new_safe) return HD_OK;
    p->work = 0;
    p->limit = p->most;
    p->apart = false;
    HD_TRY(plan_steps(p, &t->method));
    if (p->nsteps) t->verdict = HD_ORDERED;
    return HD_OK;
}

/* If all connections have the service levels of the new table. */
static hd_status plan_new_levels(struct transition_owner *own)
{
    struct hd_steps_plan *p = &own->plan;
    struct hd_transition t = own->shown;
    const struct hd_mix mix = {p->old, p->new, {p->new, NULL}, NULL};
    struct hd_mixture direct;
    HD_TRY(hd_mix_prove(p->ctx, &mix, &direct));
    p->vl[0] = p->new;
    p->vl[1] = NULL;
    if (hd_mixture_safe(&direct)) {
        t.verdict = HD_ANY_ORDER;
        p->apart = !direct.aggregation_covered;
    } else {
        HD_TRY(plan_search(p, &t));
    }
    p->vl[0] = p->old;
    p->vl[1] = p->new;
    if (t.verdict == HD_UNPROVED) return HD_OK;
    t.old_levels = false;
    own->shown = t;
    return HD_OK;
}

static hd_status plan_run(struct transition_owner *own)
{
    struct hd_steps_plan *p = &own->plan;
    struct hd_transition *t = &own->shown;
    const struct hd_mix both = {p->old, p->new, {p->old, p->new}, NULL};
    HD_TRY(hd_mix_prove(p->ctx, &both, &own->direct));
    HD_TRY(hd_mix_count_vls(p->ctx, p->old, p->new, &own->direct));
    if (hd_mixture_safe(&own->direct)) {
        t->verdict = HD_ANY_ORDER;
        p->apart = !own->direct.aggregation_covered;
        return HD_OK;
    }
    HD_TRY(plan_sound(p, p->old, &t->old_safe));
    HD_TRY(plan_sound(p, p->new, &t->new_safe));
    t->new_safe = t->new_safe && !own->direct.cut;
    if (!t->old_safe || !t->new_safe || own->direct.adaptive) return HD_OK;
    HD_TRY(plan_search(p, t));
    bool may_differ = own->direct.vls_known && (p->old->nlanes > 1 || p->new->nlanes > 1);
    if (t->verdict == HD_UNPROVED && may_differ) HD_TRY(plan_new_levels(own));
    return t->verdict == HD_UNPROVED ? hd_plan_exact(p, t) : HD_OK;
}

/* The last step is the new table itself, not a copy. */
static hd_status transition_show(struct transition_owner *own)
{
    struct hd_steps_plan *p = &own->plan;
    struct hd_transition *t = &own->shown;
    bool differ = own->direct.changed || own->direct.vls_changed;
    bool loads = t->verdict != HD_UNPROVED && differ;
    if (p->nsteps) hd_plan_rewind(p, p->nsteps - 1);
    HD_TRY(hd_steps_rest(p->ctx, p->old, p->new, p->step, p->nsteps));
    const struct hd_routes **step = HD_NEW(&p->arena, const struct hd_routes *, p->nsteps + 1);
    if (!step) return hd_fail_memory(p->ctx);
    for (uint32_t i = 0; i < p->nsteps; i++) step[i] = p->step[i];
    step[p->nsteps] = p->new;
    t->step = step;
    t->nsteps = loads ? p->nsteps + 1 : 0;
    t->aggregation_covered = t->verdict == HD_UNPROVED ? own->direct.aggregation_covered : !loads || !p->apart;
    t->direct = &own->direct;
    return HD_OK;
}

/* What holds for LIDs that no pair is routed by, at worst over the tables that are loaded one after the other. */
static hd_status transition_rest(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_transition *t,
                                 struct hd_rest *worst)
{
    for (uint32_t i = 0; i < t->nsteps && t->nsteps > 1; i++) {
        struct hd_rest rest;
        HD_TRY(hd_rest_compare(ctx, i ? t->step[i - 1] : old, t->step[i], &rest));
        if (i == 0) *worst = rest;
        if (rest.switch_loops > worst->switch_loops) worst->switch_loops = rest.switch_loops;
        if (rest.further_loops > worst->further_loops) worst->further_loops = rest.further_loops;
        if (rest.unproved > worst->unproved) worst->unproved = rest.unproved;
    }
    return HD_OK;
}

/* cut: LIDs that the new table itself cuts. */
static void transition_conclude(const struct hd_rest *rest, uint64_t cut, struct hd_transition *t)
{
    t->rest_unproved = rest->unproved;
    t->rest_cut = cut;
    if (rest->unproved && t->verdict == HD_ANY_ORDER) t->nsteps = 1;
    t->rest_loops = t->nsteps ? rest->switch_loops : 0;
    if (!rest->further_loops && !cut) return;
    t->verdict = HD_UNPROVED;
    t->nsteps = t->ndrain = 0;
    t->method = "";
    t->rest_loops = rest->further_loops;
}

static hd_status transition_whole(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                                  bool back, struct hd_transition **out)
{
    const uint64_t least = LEAST_PROOFS * plan_entries(&(struct hd_steps_plan){.net = new->net, .new = new});
    struct hd_transition *t;
    struct hd_rest rest;
    HD_TRY(hd_mix_comparable(ctx, old, new));
    HD_TRY(hd_rest_compare(ctx, old, new, &rest));
    const struct hd_search_limit most = {least > MOST_ENTRIES ? least : MOST_ENTRIES, PROOF_ENTRIES};
    HD_TRY(hd_routes_transition_within(ctx, old, new, most, &t));
    const uint64_t cut = back ? 0 : rest.cut;
    hd_status s = transition_rest(ctx, old, t, &rest);
    if (s == HD_OK) {
        transition_conclude(&rest, cut, t);
        *out = t;
    } else {
        hd_transition_free(t);
    }
    return s;
}

hd_status hd_routes_transition(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                               struct hd_transition **out)
{
    return transition_whole(ctx, old, new, false, out);
}

hd_status hd_routes_transition_back(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                                    struct hd_transition **out)
{
    return transition_whole(ctx, old, new, true, out);
}

hd_status hd_routes_transition_within(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                                      struct hd_search_limit most, struct hd_transition **out)
{
    HD_TRY(hd_mix_comparable(ctx, old, new));
    struct transition_owner *own = calloc(1, sizeof *own);
    if (!own) return hd_fail_memory(ctx);
    own->plan = (struct hd_steps_plan){
        .ctx = ctx, .net = old->net, .old = old, .new = new, .vl = {old, new}, .most = most.entries, .each = most.each};
    own->shown = (struct hd_transition){
        .verdict = HD_UNPROVED, .method = "", .old_levels = true, .old_safe = true, .new_safe = true};
    hd_status s = plan_run(own);
    if (s == HD_OK) s = transition_show(own);
    if (s == HD_OK)
        *out = &own->shown;
    else
        hd_transition_free(&own->shown);
    return s;
}

void hd_transition_free(struct hd_transition *t)
{
    struct transition_owner *own = (struct transition_owner *)t; /* shown is its first member */
    if (!own) return;
    hd_plan_release(&own->plan);
    free(own);
}
