/* SPDX-License-Identifier: BSD-2-Clause */
/* One request answered: options, network, tables, proof, reply, and afterwards the log. The bandwidth of the tables is
 * measured with a number of samples that depends on the size of the fabric alone, some milliseconds of work. */
#include "live/live.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/flow.h"
#include "live/fabric_net.h"
#include "live/live_plan.h"
#include "live/tables_in_use.h"
#include "route/check/check_everyone.h"
#include "route/core/routes_build.h"
#include "route/transition/transition_within.h"

#include <stdio.h>
#include <string.h>

/* Flows times hops that the samples of a sweep may take together, at six hops a flow. */
static const double sample_steps = 4e5;

/* Entries below which starting threads takes longer than the work. */
static const uint64_t small_table = 200000;

/* Tables in a row with another one to follow; the next is then the last, proved as a whole or not. */
enum { most_steps = 16 };

/* Requests in a row that ask for another one because of entries that have to wait: one is enough unless a write is lost
 * or a search was cut short, and a switch that takes none is no reason for sweeps without end. */
enum { most_late = 3 };

/* Plans in a row that end without a change of the fabric, as after a lost write: from tables that are not as a plan
 * assumed another one begins, and a switch that takes no writes could make two of them alternate. Then come the new
 * tables. */
enum { most_lost = 2 };

/* Entries that the search for steps may look at before the hand-over: some 20 proofs for a million of them, and a
 * thousand on a small fabric, which take less time. */
static const struct hd_search_limit step_limit = {.entries = 20000000, .each = 20000};

/* Entries up to which what happens while tables change is proved before they are handed over, and is in the line for
 * the subnet manager; beyond it only the log has it. Healing does not wait for it. */
static const uint64_t quick_table = 1000000;

/* Of tables handed over again it is that of before. By which of its LIDs (LMC) an endpoint is sent packets is known of
 * an engine's tables alone, so nothing is said of others where these lead different ways. */
static double live_ebb(const struct hd_live *live, const struct hd_live_outcome *o, const struct hd_routes *r)
{
    const uint32_t n = hd_routes_net(r)->nsel;
    struct hd_result result;
    if (o->same) return live->ebb;
    if (n < 2 || (o->patched && hd_routes_variants(r) > 1)) return -1;
    double samples = sample_steps / (3.0 * n);
    samples = samples < 8 ? 8 : samples > 100 ? 100 : samples;
    const struct hd_request request = {.pattern = "bisect", .metric = "ebb", .samples = (uint64_t)samples};
    return hd_eval(live->ctx, r, &request, &result) == HD_OK ? result.value : -1;
}

/* What is there by the records of the request, as long as no network could be made of them. */
static void live_count(const struct hd_fabric_parts *p, struct hd_live_outcome *o)
{
    o->switches = p->head->switches;
    for (uint32_t i = 0; i < p->head->ports; i++)
        o->endpoints += p->port[i].port && p->port[i].node >= p->head->switches;
}

/* The network first: what is in the fabric and what changed is no matter of options. */
static hd_status live_prepare(struct hd_live *live, const struct hd_fabric_parts *p,
                              const struct hd_live_options *options, struct hd_live_outcome *o, struct hd_net **net)
{
    struct hd_ctx *ctx = live->ctx;
    const uint64_t table = (uint64_t)p->head->switches * p->head->last_lid;
    hd_ctx_set_threads(ctx, table < small_table ? 1 : (int)options->threads);
    live_count(p, o);
    HD_TRY(hd_fabric_net(ctx, p, net));
    o->switches = (*net)->nsw;
    o->endpoints = (*net)->nep;
    HD_TRY(hd_fabric_compare(ctx, live->net, *net, &o->change));
    return *options->wrong ? hd_fail(ctx, HD_INPUT, "event_plugin_options: %s", options->wrong) : HD_OK;
}

static bool live_small(const struct hd_fabric_parts *p)
{
    return (uint64_t)p->head->switches * p->head->last_lid < quick_table;
}

/* The tables in use, on this network; NULL: not known. */
static struct hd_routes *live_before(struct hd_live *live, const struct hd_fabric_parts *p, const struct hd_net *net)
{
    struct hd_routes *old = NULL;
    if (!live->routes || p->head->new_master) return NULL;
    return hd_tables_in_use_routes(live->ctx, p, net, live->routes, &old) == HD_OK ? old : NULL;
}

/* Old and new tables that can be compared row by row: as they are or, where switches hold different entries for LIDs of
 * an endpoint that share a row, with one for each LID. */
struct live_change {
    const struct hd_routes *old, *new;
    struct hd_routes *made[2]; /* those of them that are freed */
};

static hd_status live_change_init(struct hd_ctx *ctx, const struct hd_fabric_parts *p, const struct hd_routes *old,
                                  const struct hd_routes *r, struct live_change *k)
{
    const struct hd_net *net = hd_routes_net(r);
    const uint32_t nvar = hd_routes_variants(r);
    struct hd_routes *rows = NULL;
    *k = (struct live_change){.old = old, .new = r};
    if (hd_routes_variants(old) == nvar && hd_tables_in_use_repeat(p, net, nvar)) return HD_OK;
    hd_status s = hd_routes_by_lid(ctx, old, &rows);
    if (s == HD_OK) s = hd_tables_in_use_routes(ctx, p, net, rows, &k->made[0]);
    if (s == HD_OK) s = hd_routes_by_lid(ctx, r, &k->made[1]);
    hd_routes_free(rows);
    k->old = k->made[0];
    k->new = k->made[1];
    return s;
}

static void live_change_release(struct live_change *k)
{
    for (int i = 0; i < 2; i++) hd_routes_free(k->made[i]);
}

/* What may happen while the switches change from the tables before to these. OpenSM writes blocks in its own order, so
 * only safety in any order is worth anything. Connections that were open before the first of several steps have the
 * service levels of that time until the last one. */
static void live_mixing(const struct hd_live *live, const struct hd_fabric_parts *p, const struct hd_routes *old,
                        const struct hd_routes *r, struct hd_live_outcome *o)
{
    struct hd_mixture m;
    struct live_change change;
    if (!old) return;
    hd_status s = live_change_init(live->ctx, p, old, r, &change);
    if (s == HD_OK) s = hd_routes_mixture(live->ctx, change.old, change.new, &m);
    live_change_release(&change);
    if (s != HD_OK) return;
    const bool any_levels = m.old_levels && !(live->steps && live->new_levels);
    o->levels_change |= m.vls_changed > 0 || !m.vls_known;
    o->mixing = !hd_mixture_safe(&m) ? HD_MIXING_UNSAFE : any_levels ? HD_MIXING_SAFE : HD_MIXING_NEW_LEVELS;
    o->mixing_loops = m.loops;
    o->mixing_drops = m.drops;
    o->mixing_credit_loops = m.credit_loops;
}

static void live_drop_plan(struct hd_live *live)
{
    hd_live_plan_free(live->plan);
    live->plan = NULL;
}

/* Whether some table of a sequence is worse for what switches send than the last one: without paths to the subnet
 * manager that those before and after have, or with cycles. A step leaves entries that switches hold where no pair
 * needs others, and where a write was lost these may go round. */
static bool live_worse(const struct hd_live *live, const struct hd_live_choice *c, const struct hd_routes *old,
                       const struct hd_routes *r, const struct hd_transition *t)
{
    bool taken = false, cycle = false;
    for (uint32_t i = 0; !taken && !cycle && i + 1 < t->nsteps; i++)
        if (hd_live_answers_taken(live->ctx, c, old, r, t->step[i], &taken) != HD_OK ||
            hd_live_answers_cycle(live->ctx, r, t->step[i], &cycle) != HD_OK)
            return true;
    return taken || cycle;
}

/* Where writing blocks in any order is not safe: the first table of a proved sequence, if there is one and it serves
 * every pair itself, so that no healing waits for it. The others are the plan for the requests after it; a sequence
 * that would be too long is not begun. */
static void live_step(struct hd_live *live, const struct hd_live_choice *c, const struct hd_routes *old,
                      struct hd_live_outcome *o, struct hd_routes **r)
{
    struct hd_transition *t = NULL;
    struct hd_routes *step = NULL;
    struct live_change change;
    struct hd_check check;
    if (!c->options->steps || hd_live_bare(c) || o->mixing != HD_MIXING_UNSAFE || live->steps >= most_steps) return;
    if (live->lost >= most_lost) return;
    if (!c->request->head->settled) return; /* packets from before the last step would be part of the mixture */
    hd_status s = live_change_init(live->ctx, c->request, old, *r, &change);
    if (s == HD_OK) s = hd_routes_transition_within(live->ctx, change.old, change.new, step_limit, &t);
    if (s == HD_OK && t->verdict == HD_ORDERED && t->nsteps > 1 && live->steps + t->nsteps <= most_steps + 1 &&
        !live_worse(live, c, old, *r, t) && hd_routes_carry(live->ctx, t->step[0], c->net, &step) == HD_OK &&
        hd_routes_check_everyone(live->ctx, step, &check) == HD_OK && !hd_check_faulty(&check) &&
        check.deadlock_free == 1) {
        struct hd_routes *last = *r;
        const struct hd_routes *then[most_steps] = {NULL};
        for (uint32_t i = 1; i < t->nsteps; i++) then[i - 1] = i + 1 < t->nsteps ? t->step[i] : last;
        live->plan = hd_live_plan_make(live->ctx, c, then, t->nsteps - 1, o);
        *r = step;
        step = last;
        o->more = true;
        o->switch_loops = check.switches.deadlock_free == 0;
        hd_live_look(live->ctx, *r, o);
        live_mixing(live, c->request, old, *r, o);
    }
    hd_routes_free(step);
    hd_transition_free(t);
    live_change_release(&change);
}

/* Whether the last step stays until packets from before it have left. A fault does not wait. */
static bool live_waits(const struct hd_live *live, const struct hd_fabric_parts *p, const struct hd_live_outcome *o)
{
    return live->steps && live->routes && !p->head->settled && !p->head->new_master && !hd_fabric_changed(&o->change);
}

/* The next table of the plan, if everything is as it assumed; else NULL. */
static hd_status live_planned(struct hd_live *live, const struct hd_live_choice *c, const struct hd_routes *old,
                              struct hd_live_outcome *o, struct hd_routes **r)
{
    struct hd_live_plan *plan = live->plan;
    const struct hd_live_outcome before = *o;
    if (hd_fabric_changed(&o->change) || !hd_live_plan_holds(plan, c->request)) return HD_OK;
    if (c->port->trying) c->port->trying(c->port->user, HD_LIVE_MOST_ENGINES);
    HD_TRY(hd_live_again(live->ctx, c, plan->step[plan->at], plan->made.engine, o, r));
    if (*r) live_mixing(live, c->request, old, *r, o);
    if (!*r || o->mixing == HD_MIXING_UNSAFE || o->mixing == HD_MIXING_UNKNOWN) {
        hd_routes_free(*r);
        *r = NULL;
        *o = before;
        return HD_OK;
    }
    snprintf(o->failed, sizeof o->failed, "%s", plan->made.failed);
    o->patched = plan->made.patched;
    o->kept = plan->made.kept;
    o->more = ++plan->at < plan->n;
    o->later = o->more ? 0 : plan->made.later;
    o->stay = o->more ? 0 : plan->made.stay;
    o->cut |= plan->made.cut;
    o->for_good = plan->made.for_good;
    return HD_OK;
}

/* Whether another request shall add the entries that have to wait for these tables to be written, or go on with a
 * search for them that was cut short: where it begins with these tables, it finds more as long as this one did. */
static bool live_follow(struct hd_live *live, const struct hd_live_choice *c, const struct hd_live_outcome *o)
{
    const bool changed = hd_fabric_changed(&o->change), less = changed || o->missing < live->missing;
    const bool wait = o->later + o->stay > 0 || (o->cut && o->patched && less && !hd_live_bare(c));
    live->late = !wait ? 0 : changed ? 1 : live->late + 1;
    return wait && live->late <= most_late;
}

static hd_status live_tables(struct hd_live *live, const struct hd_live_choice *choice, const struct hd_routes *old,
                             struct hd_live_outcome *o, struct hd_routes **r)
{
    const bool waits = live_waits(live, choice->request, o);
    if (hd_fabric_changed(&o->change)) live->lost = 0;
    if (waits) HD_TRY(hd_live_again(live->ctx, choice, live->routes, "tables in use", o, r));
    o->more = o->same = *r != NULL;
    if (waits) o->for_good = live->for_good;
    if (waits) o->cut |= live->cut;
    if (!*r) HD_TRY(live_planned(live, choice, old, o, r));
    if (!*r) {
        live->lost += live->plan && !hd_fabric_changed(&o->change);
        live_drop_plan(live);
        HD_TRY(hd_live_route(live->ctx, choice, o, r));
    }
    if (!*r) return hd_fail(live->ctx, HD_FAULT, "no engine made tables that pass");
    if (choice->options->steps || live_small(choice->request)) live_mixing(live, choice->request, old, *r, o);
    if (!o->more) live_step(live, choice, old, o, r);
    if (!waits) o->more |= live_follow(live, choice, o);
    live->steps = !o->more ? 0 : waits ? live->steps : live->steps + 1;
    live->missing = o->missing;
    live->for_good = o->for_good;
    live->cut = o->cut;
    live->new_levels = o->more && (live->new_levels || o->levels_change);
    if (!o->more) live_drop_plan(live);
    if (!o->more) live->lost = 0;
    o->ebb = live_ebb(live, o, *r);
    return hd_live_reply(live, choice, *r, o);
}

/* This request becomes the one before. */
static void live_remember(struct hd_live *live, struct hd_net *net, struct hd_routes *r, double ebb)
{
    if (live->plan && (!r || !hd_live_plan_move(live->ctx, live->plan, net))) live_drop_plan(live);
    hd_routes_free(live->routes);
    live->routes = r;
    if (net) {
        hd_net_free(live->net);
        live->net = net;
    }
    live->ebb = ebb;
}

static hd_status live_request(struct hd_live *live, const struct hd_fabric_parts *p,
                              const struct hd_live_options *options, const struct hd_live_port *port)
{
    struct hd_live_outcome o = {.ebb = -1};
    struct hd_net *net = NULL;
    struct hd_routes *r = NULL, *old = NULL;
    const double began = hd_seconds();
    hd_status s = live_prepare(live, p, options, &o, &net);
    live->sweeps = p->head->sweeps + 1;
    live->fallbacks = p->head->fallbacks;
    const bool early = options->keep || options->steps || live_small(p);
    if (s == HD_OK && early) old = live_before(live, p, net);
    if (s == HD_OK)
        s = live_tables(live, &(struct hd_live_choice){p, options, port, net, options->keep ? old : NULL}, old, &o, &r);
    if (s != HD_OK) {
        if (!*o.failed || s != HD_FAULT) snprintf(o.failed, sizeof o.failed, "%.500s", hd_ctx_error(live->ctx));
        live->fallbacks++;
        hd_routes_free(r);
        r = NULL;
        s = hd_live_refuse(live, port, &o);
    }
    o.seconds = hd_seconds() - began;
    if (port->ready && s == HD_OK) port->ready(port->user);
    if (o.tables && !early) old = live_before(live, p, net);
    if (o.tables && o.mixing == HD_MIXING_UNKNOWN) live_mixing(live, p, old, r, &o);
    hd_routes_free(old);
    if (hd_live_publish(live, options, &o) != HD_OK) fprintf(stderr, "heddle: %s\n", hd_ctx_error(live->ctx));
    live_remember(live, net, r, o.ebb);
    return s;
}

hd_status hd_live_answer(struct hd_live *live, const void *request, size_t bytes, const struct hd_live_port *port)
{
    struct hd_fabric_parts p;
    struct hd_live_options options;
    if (!hd_fabric_parts(request, bytes, &p)) return hd_fail(live->ctx, HD_INPUT, "not a request");
    if (!hd_live_options(p.text, &options)) return hd_fail_memory(live->ctx);
    const hd_status s = live_request(live, &p, &options, port);
    hd_live_options_free(&options);
    return s;
}

void hd_live_release(struct hd_live *live)
{
    live_drop_plan(live);
    hd_routes_free(live->routes);
    hd_net_free(live->net);
    live->routes = NULL;
    live->net = NULL;
}
