/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking switches or cables out of a running fabric, and bringing them back. An engine routes the network that is left,
 * and the table in use is repaired with its help so that little changes (route/keep). On the whole network that table
 * leaves idle what is to be taken out; the entries of a switch that is taken out stay as they are, for packets that are
 * still inside. When the switch comes back its table may be empty: it is written first, while nothing is sent to it,
 * and then the change is made in the other direction.
 * Cost: a table, its repair, and the proofs of three transitions. */
#include "base/status.h"
#include "route/check/mixture.h"
#include "route/engine/engine_lookup.h"

#include <stdlib.h>

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

/* Which switches are not left; both networks have them in the same order. */
static void maintenance_gone(const struct hd_net *net, const struct hd_net *left, bool *gone)
{
    for (uint32_t v = 0, w = 0; v < net->nsw; v++) {
        gone[v] = w >= left->nsw || left->guid[w] != net->guid[v];
        w += !gone[v];
    }
}

/* Entries of these switches: the old ones, or none. */
static void maintenance_fill(struct hd_routes *r, const bool *gone, const struct hd_routes *old, uint8_t *room)
{
    const struct hd_net *net = r->net;
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            const uint8_t *row = old ? hd_routes_row(old, d, x, room) : NULL;
            for (uint32_t v = 0; v < net->nsw; v++)
                if (gone[v]) hd_row(r, d, x)[v] = row ? row[v] : HD_SLOT_NONE;
        }
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

/* A switch that comes back has no entries: whether they may be written in any order. */
static hd_status maintenance_returns(struct hd_ctx *ctx, const bool *gone, const struct hd_routes *old,
                                     struct maintenance_owner *m)
{
    struct hd_routes *empty;
    struct hd_mixture mixture;
    HD_TRY(hd_routes_carry(ctx, m->without, old->net, &empty));
    maintenance_fill(empty, gone, NULL, NULL);
    hd_status s = hd_mix_prove(ctx, &(struct hd_mix){empty, m->without, {old, m->without}, NULL}, &mixture);
    hd_routes_free(empty);
    if (s == HD_OK) m->shown.returns = hd_mixture_safe(&mixture);
    return s;
}

static hd_status maintenance_plan(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_net *left,
                                  const char *engine, struct maintenance_owner *m)
{
    struct hd_arena scratch = {0};
    uint8_t *room = HD_NEW(&scratch, uint8_t, old->net->nsw);
    bool *gone = HD_NEW(&scratch, bool, old->net->nsw);
    hd_status s = room && gone ? maintenance_table(ctx, old, left, engine, &m->without) : hd_fail_memory(ctx);
    if (s == HD_OK) {
        maintenance_gone(old->net, left, gone);
        maintenance_fill(m->without, gone, old, room);
        s = maintenance_switch_lids(ctx, m->without, gone, old, room);
    }
    if (s == HD_OK) s = hd_routes_transition(ctx, old, m->without, &m->out);
    if (s == HD_OK) s = hd_routes_transition(ctx, m->without, old, &m->back);
    if (s == HD_OK) s = maintenance_returns(ctx, gone, old, m);
    m->shown.without = m->without;
    m->shown.out = m->out;
    m->shown.back = m->back;
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_routes_maintenance(struct hd_ctx *ctx, const struct hd_routes *old, const char *what, const char *engine,
                                struct hd_maintenance **out)
{
    struct hd_net *left;
    HD_TRY(hd_net_fail(ctx, old->net, what, &left));
    struct maintenance_owner *m = calloc(1, sizeof *m);
    hd_status s = m ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK && left->nep < old->net->nep)
        s = hd_fail(ctx, HD_INPUT, "without %.200s: %u endpoints would be cut off", what, old->net->nep - left->nep);
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
