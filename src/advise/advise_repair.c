/* SPDX-License-Identifier: BSD-2-Clause */
/* The cabling: which cables to mend, and what that would bring. Missing and slow cables are mended on paper and the
 * recommended table is routed anew; what cannot be put into figures (parts without a cable between them, absent
 * switches, ports of hosts) is only asked for. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "heddle/registry.h"
#include "net/edit/repair.h"
#include "route/engine/engine_lookup.h"

#include <math.h>

enum { NAMED = 3 };

void hd_advise_mend(struct hd_advising *a, const char *clause)
{
    a->mend = a->mend ? hd_say(a, "%s; %s", a->mend, clause) : clause;
}

/* ---- what to mend ------------------------------------------------------------------------------ */

const char *hd_advise_cable(struct hd_advising *a, const struct hd_repair *x)
{
    const char *from = x->from_port ? hd_say(a, "%.40s port %u", x->from, x->from_port) : hd_say(a, "%.40s", x->from);
    const char *to = x->to_port ? hd_say(a, "%.40s port %u", x->to, x->to_port) : hd_say(a, "%.40s", x->to);
    return x->missing ? hd_say(a, "%s - %s", from, to) : hd_say(a, "%s - %s (%s, not %s)", from, to, x->link, x->usual);
}

static void add_clause(struct hd_advising *a, bool missing)
{
    const struct hd_report *r = a->report;
    struct hd_name_list names = {.most = NAMED};
    for (uint32_t i = 0; i < r->nrepair; i++)
        if (r->repair[i].missing == missing)
            hd_name_list_add(&names, "%s", names.n < NAMED ? hd_advise_cable(a, &r->repair[i]) : "");
    if (!names.n) return;
    const char *s = names.n == 1 ? "" : "s", *list = hd_name_list_end(&names);
    hd_advise_mend(a, missing ? hd_say(a, "put back %u missing cable%s: %s", names.n, s, list)
                              : hd_say(a, "reseat or replace %u slow cable%s: %s", names.n, s, list));
}

static hd_status keep(struct hd_advising *a, const struct hd_cable_faults *faults)
{
    struct hd_report *r = a->report;
    const struct hd_net *net = a->net;
    r->repair = hd_advise_alloc(a, faults->n, sizeof *r->repair);
    if (!r->repair) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < faults->n; i++) {
        const struct hd_cable_fault *m = &faults->at[i];
        r->repair[r->nrepair++] = (struct hd_repair){.missing = m->missing,
                                                     .from = hd_node_name(net, m->u),
                                                     .to = hd_node_name(net, m->v),
                                                     .from_port = m->uport,
                                                     .to_port = m->vport,
                                                     .link = hd_link_name(m->link),
                                                     .usual = hd_link_name(m->usual)};
    }
    a->missing = faults->missing;
    a->unrated = faults->unknown;
    return HD_OK;
}

hd_status hd_advise_cables(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_cable_faults faults;
    hd_status s = hd_cable_faults_find(a->ctx, &scratch, a->net, &faults);
    if (s == HD_OK) s = keep(a, &faults);
    hd_arena_release(&scratch);
    add_clause(a, true);
    add_clause(a, false);
    return s;
}

/* ---- what it brings ------------------------------------------------------------------------------ */

static hd_status ebb(struct hd_ctx *ctx, const struct hd_routes *routes, uint64_t samples, double *value)
{
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = samples};
    struct hd_result result;
    HD_TRY(hd_eval(ctx, routes, &q, &result));
    *value = result.value;
    return HD_OK;
}

/* The engine over the mended cables, or another where these routes could deadlock: a ring that was a line may. */
static hd_status reroute(struct hd_ctx *ctx, const struct hd_net *whole, const char **engine, struct hd_routes **out)
{
    for (const char *next = *engine; next; next = hd_engine_fallback(ctx, next)) {
        struct hd_routes *r;
        struct hd_check k;
        hd_status s = hd_routes_open(ctx, whole, next, &r);
        if (hd_unsuited(s)) continue;
        HD_TRY(s);
        s = hd_routes_check(ctx, r, &k);
        if (s == HD_OK && k.deadlock_free == 1 && k.lanes <= HD_ADVISE_LANES) {
            *engine = next;
            *out = r;
            return HD_OK;
        }
        hd_routes_free(r);
        HD_TRY(s);
    }
    return HD_INPUT;
}

static hd_status measure(struct hd_advising *a, const struct hd_net *whole, const struct hd_option *o)
{
    struct hd_report *r = a->report;
    const struct hd_routes *now;
    struct hd_routes *made, *mended;
    const char *engine = o->table;
    double before, after;
    uint64_t samples = hd_work_case_samples(a, 1);
    HD_TRY(reroute(a->ctx, whole, &engine, &mended));
    hd_status s = ebb(a->ctx, mended, samples, &after);
    hd_routes_free(mended);
    HD_TRY(s);
    HD_TRY(hd_advise_open(a, a->ctx, o, &now, &made));
    s = ebb(a->ctx, now, samples, &before);
    hd_routes_free(made);
    HD_TRY(s);
    r->repair_table = engine;
    r->repair_samples = samples;
    r->repair_before = before;
    r->repair_after = after;
    r->repair_command = hd_advise_command(a, "eval", engine,
                                          hd_say(a, "-p bisect -m ebb -n %llu --repair", (unsigned long long)samples));
    return HD_OK;
}

hd_status hd_advise_repair(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    struct hd_net *whole;
    if (!r->nrepair || r->best == UINT32_MAX || a->net->nsel < 2) return HD_OK;
    const struct hd_option *o = &r->option[r->best], *engine = hd_advise_rerouter(a, o);
    if (!engine || o->variants > 1 || engine->variants > 1) return HD_OK;
    HD_TRY(hd_net_repair(a->ctx, a->net, &whole));
    hd_status s = measure(a, whole, engine);
    hd_net_free(whole);
    return hd_unsuited(s) ? HD_OK : s;
}

bool hd_advise_mend_step(struct hd_advising *a, struct hd_step *step)
{
    const struct hd_report *r = a->report;
    const char *gain = "";
    if (!a->mend) return false;
    if (r->repair_table)
        gain = hd_say(a, ". Routed anew (%s), random pairs then get %.3f of a link instead of %.3f", r->repair_table,
                      r->repair_after, r->repair_before);
    *step = (struct hd_step){
        .what = hd_say(a, "Repair the cabling: %s%s. Then ask for advice anew: what follows suits the fabric as it is",
                       a->mend, gain),
        .command = r->repair_command,
        .cables = true};
    return true;
}
