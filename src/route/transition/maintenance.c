/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking switches or cables out of a running fabric, and bringing them back. An engine routes the network that is left,
 * and the table in use is repaired with its help so that little changes (route/keep). On the whole network that table
 * leaves idle what is to be taken out; the entries of a switch that is taken out stay as they are, for packets that are
 * still inside, and so do those towards its own LID and its aggregation nodes, which go with it. When the switch comes
 * back its table may be empty: it is written first, while nothing is sent to it, and then the change is made in the
 * other direction.
 * Cost: a table, its repair, and the proofs of three transitions. */
#include "base/status.h"
#include "route/check/further_lids.h"
#include "route/check/mixture.h"
#include "route/engine/engine_lookup.h"
#include "route/transition/transition_within.h"

#include <stdlib.h>
#include <string.h>

struct maintenance_owner { /* what hd_maintenance_free frees */
    struct hd_maintenance shown;
    struct hd_routes *without;
    struct hd_transition *out, *back;
};

/* Routes of what is left: by the engine given, else by the one that made the old table, else by one that serves. */
static hd_status maintenance_route(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_net *left,
                                   const char *engine, struct hd_routes **fresh)
{
    static const char *const others[] = {"dmodc", "updown"};
    if (engine) return hd_routes_open(ctx, left, engine, fresh);
    const struct hd_engine *e = hd_engine_of(ctx, old->spec);
    hd_status s = HD_INPUT;
    if (e && e->role != HD_ENGINE_EXTERNAL) s = hd_routes_open(ctx, left, old->spec, fresh);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && (s == HD_INPUT || s == HD_NA); i++)
        s = hd_routes_open(ctx, left, others[i], fresh);
    return s;
}

/* Which switches are not left; both networks have them in the same order. Returns how many. */
static uint32_t maintenance_gone(const struct hd_net *net, const struct hd_net *left, bool *gone)
{
    uint32_t n = 0;
    for (uint32_t v = 0, w = 0; v < net->nsw; v++) {
        gone[v] = w >= left->nsw || left->guid[w] != net->guid[v];
        w += !gone[v];
        n += gone[v];
    }
    return n;
}

/* An aggregation node inside a switch that is taken out goes with it. */
static bool maintenance_inside(const struct hd_net *net, const bool *gone, uint32_t e)
{
    return gone[hd_leaf(net, e)] && net->ca_role[net->ca[e]] == HD_ROLE_AGGREGATION;
}

/* Entries of these switches, and of all switches towards the aggregation nodes inside them: the old ones. */
static void maintenance_fill(struct hd_routes *r, const bool *gone, const struct hd_routes *old, uint8_t *room)
{
    const struct hd_net *net = r->net;
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            const uint8_t *row = hd_routes_row(old, d, x, room);
            for (uint32_t v = 0; v < net->nsw; v++)
                if (gone[v] || maintenance_inside(net, gone, d)) hd_row(r, d, x)[v] = row[v];
        }
}

/* The same for further LIDs of a file. */
static hd_status maintenance_fill_further(struct hd_ctx *ctx, struct hd_routes *r, const bool *gone,
                                          const struct hd_routes *old)
{
    const size_t nsw = r->net->nsw;
    struct hd_arena scratch = {0};
    struct hd_further_lid *list;
    uint32_t n = 0;
    if (!r->nfurther) return HD_OK;
    const hd_status s = hd_further_lids(ctx, &scratch, old, r, &list, &n);
    for (uint32_t i = 0; s == HD_OK && i < n; i++) {
        const struct hd_further_lid *f = &list[i];
        for (uint32_t v = 0; f->row[0] && f->row[1] && v < nsw; v++)
            if (gone[v] || maintenance_inside(r->net, gone, f->dest))
                r->further[(f->row[1] - 1) * nsw + v] = old->further[(f->row[0] - 1) * nsw + v];
    }
    hd_arena_release(&scratch);
    return s;
}

/* Of two lists, if there are both. */
static void maintenance_copy(uint8_t *to, const uint8_t *from, size_t at, size_t n)
{
    if (to && from) memcpy(to + at, from + at, n);
}

/* VLs of pairs with aggregation nodes inside these switches: the old ones, if VLs follow the same rule. */
static void maintenance_vls(struct hd_routes *r, const bool *gone, const struct hd_routes *old)
{
    const size_t nep = r->net->nep, nvar = r->nvar;
    const bool pairs = r->pair_lane || r->pair_level;
    if (r->lane_rule != old->lane_rule) return;
    for (uint32_t d = 0; d < nep; d++) {
        const bool inside = maintenance_inside(r->net, gone, d);
        if (inside && r->dest_lane) memcpy(r->dest_lane + d * nvar, old->dest_lane + d * nvar, nvar);
        for (size_t i = 0; i < r->nleaf; i++)
            if (inside || gone[r->leaf[i]]) {
                maintenance_copy(r->leaf_lane, old->leaf_lane, (i * nep + d) * nvar, nvar);
                maintenance_copy(r->leaf_level, old->leaf_level, (i * nep + d) * nvar, nvar);
            }
        for (uint32_t s = 0; pairs && s < nep; s++)
            if (inside || maintenance_inside(r->net, gone, s)) {
                maintenance_copy(r->pair_lane, old->pair_lane, (s * nep + d) * nvar, nvar);
                maintenance_copy(r->pair_level, old->pair_level, (s * nep + d) * nvar, nvar);
            }
    }
    if (old->nlanes > r->nlanes) r->nlanes = old->nlanes;
}

static void maintenance_empty(struct hd_routes *r, const bool *gone)
{
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++)
            for (uint32_t v = 0; v < r->net->nsw; v++)
                if (gone[v]) hd_row(r, d, x)[v] = HD_SLOT_NONE;
}

/* The switches themselves stay reachable: their own LIDs as before, and their entries for those of others. */
static hd_status maintenance_switch_lids(struct hd_ctx *ctx, struct hd_routes *r, const bool *gone,
                                         const struct hd_routes *old, uint8_t *room)
{
    uint32_t nsw = r->net->nsw;
    for (uint32_t t = 0; r->switch_table && t < nsw; t++) {
        HD_TRY(hd_routes_switch_row(ctx, old, t, room));
        for (uint32_t v = 0; v < nsw; v++)
            if (gone[v] || gone[t]) r->switch_table[(size_t)t * nsw + v] = room[v];
    }
    return HD_OK;
}

static hd_status maintenance_table(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_net *left,
                                   const char *engine, struct hd_routes **out)
{
    struct hd_routes *fresh, *kept = NULL;
    struct hd_keep keep;
    HD_TRY(maintenance_route(ctx, old, left, engine, &fresh));
    hd_status s = hd_routes_keep(ctx, fresh, old, &kept, &keep);
    if (s == HD_FAULT) s = hd_fail(ctx, HD_INPUT, "%s: no table of what is left could be proved", left->spec);
    if (s == HD_OK) s = hd_routes_carry(ctx, kept, old->net, out);
    hd_routes_free(kept);
    hd_routes_free(fresh);
    return s;
}

/* A switch that comes back has no entries: whether they may be written in any order. Connections have the service
 * levels of both tables, unless those of the old one had to be given up before. */
static hd_status maintenance_returns(struct hd_ctx *ctx, const bool *gone, const struct hd_routes *old,
                                     struct maintenance_owner *m)
{
    struct hd_routes *empty;
    struct hd_mixture mixture;
    HD_TRY(hd_routes_carry(ctx, m->without, old->net, &empty));
    maintenance_empty(empty, gone);
    const struct hd_mix mix = {empty, m->without, {m->without, m->out->old_levels ? old : NULL}, NULL};
    hd_status s = hd_mix_prove(ctx, &mix, &mixture);
    hd_routes_free(empty);
    if (s != HD_OK) return s;
    m->shown.returns = hd_mixture_safe(&mixture);
    m->back->aggregation_covered &= mixture.aggregation_covered;
    return HD_OK;
}

static hd_status maintenance_plan(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_net *left,
                                  const char *engine, struct maintenance_owner *m)
{
    struct hd_arena scratch = {0};
    uint8_t *room = HD_NEW(&scratch, uint8_t, old->net->nsw);
    bool *gone = HD_NEW(&scratch, bool, old->net->nsw);
    hd_status s = room && gone ? maintenance_table(ctx, old, left, engine, &m->without) : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_mix_comparable(ctx, old, m->without);
    if (s == HD_OK) {
        m->shown.rewrites = maintenance_gone(old->net, left, gone) > 0;
        maintenance_fill(m->without, gone, old, room);
        if (m->shown.rewrites) maintenance_vls(m->without, gone, old);
        s = maintenance_fill_further(ctx, m->without, gone, old);
        if (s == HD_OK) s = maintenance_switch_lids(ctx, m->without, gone, old, room);
    }
    if (s == HD_OK) s = hd_routes_transition(ctx, old, m->without, &m->out);
    if (s == HD_OK) s = hd_routes_transition_back(ctx, m->without, old, &m->back);
    m->shown.returns = true;
    if (s == HD_OK && m->shown.rewrites) s = maintenance_returns(ctx, gone, old, m);
    m->shown.without = m->without;
    m->shown.out = m->out;
    m->shown.back = m->back;
    hd_arena_release(&scratch);
    return s;
}

/* Refuses what would cut off endpoints, other than those inside the switches themselves. */
static hd_status maintenance_admit(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_net *left,
                                   const char *what)
{
    bool *gone = calloc(net->nsw + 1u, sizeof *gone);
    if (!gone) return hd_fail_memory(ctx);
    maintenance_gone(net, left, gone);
    uint32_t cut = net->nep - left->nep;
    for (uint32_t e = 0; e < net->nep; e++) cut -= maintenance_inside(net, gone, e);
    free(gone);
    if (!cut) return HD_OK;
    return hd_fail(ctx, HD_INPUT, "without %.200s: %u endpoint%s would be cut off", what, cut, cut == 1 ? "" : "s");
}

hd_status hd_routes_maintenance(struct hd_ctx *ctx, const struct hd_routes *old, const char *what, const char *engine,
                                struct hd_maintenance **out)
{
    struct hd_net *left;
    HD_TRY(hd_net_fail(ctx, old->net, what, &left));
    struct maintenance_owner *m = calloc(1, sizeof *m);
    hd_status s = m ? maintenance_admit(ctx, old->net, left, what) : hd_fail_memory(ctx);
    if (s == HD_OK) s = maintenance_plan(ctx, old, left, engine, m);
    hd_net_free(left);
    if (s == HD_OK)
        *out = &m->shown;
    else
        hd_maintenance_free(m ? &m->shown : NULL);
    return s;
}

void hd_maintenance_free(struct hd_maintenance *maintenance)
{
    struct maintenance_owner *m = (struct maintenance_owner *)maintenance; /* shown is its first member */
    if (!m) return;
    hd_transition_free(m->back);
    hd_transition_free(m->out);
    hd_routes_free(m->without);
    free(m);
}
