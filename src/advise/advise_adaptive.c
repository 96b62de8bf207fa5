/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive routing: what the switches would reach if they chose ports by load. It does not depend on the table, so
 * one simulation serves all options: it runs on the groups of ports of the current table if it has such, otherwise on a
 * table that exists on every network. Cost: as hd_advise_simulate;
 * its runs follow from the size of the network. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "heddle/registry.h"
#include "route/engine/engine_lookup.h"

#include <math.h>
#include <string.h>

/* The first engine that serves every pair of any network without deadlock. */
static const char *adaptive_table(struct hd_ctx *ctx)
{
    const unsigned both = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE;
    const struct hd_desc *d;
    for (size_t i = 0; (d = hd_registry_at(ctx, HD_ENGINES, i)); i++) {
        const struct hd_engine *e = (const struct hd_engine *)d;
        if (!e->applies && (e->claims & both) == both) return d->name;
    }
    return NULL;
}

/* Whether the current table has groups of ports all of whose choices arrive. */
static bool adaptive_now(const struct hd_advising *a)
{
    return a->in->current && hd_routes_adaptive(a->in->current) && !hd_check_faulty(&a->current_check);
}

/* The table of an option that was measured already, where there is one. */
static hd_status adaptive_routes(struct hd_advising *a, struct hd_ctx *ctx, const char *table,
                                 const struct hd_routes **r, struct hd_routes **made)
{
    *r = a->in->current;
    if (adaptive_now(a)) return HD_OK;
    for (uint32_t i = 0; i < a->report->noption; i++) {
        const struct hd_report_option *o = &a->report->option[i];
        if (!o->current && o->state == HD_OPTION_MEASURED && strcmp(o->table, table) == 0)
            return hd_advise_open(a, ctx, o, r, made);
    }
    HD_TRY(hd_routes_open(ctx, a->net, table, made));
    *r = *made;
    return HD_OK;
}

hd_status hd_advise_adaptive(struct hd_advising *a)
{
    struct hd_ctx ctx = hd_advise_ctx_all(a);
    const char *table = adaptive_now(a) ? a->in->current_text : adaptive_table(a->ctx);
    const struct hd_routes *r;
    struct hd_routes *made = NULL;
    struct hd_work_packets work = hd_work_runs(a, true);
    struct hd_advise_packets found;
    if (!work.runs || !table || a->net->nsel < 2) return HD_OK;
    hd_status s = adaptive_routes(a, &ctx, table, &r, &made);
    if (s == HD_OK) s = hd_advise_simulate(a, &ctx, r, "ar", work, &found);
    hd_routes_free(made);
    if (s == HD_NA) {
        hd_advise_note(a, hd_say(a, "Adaptive routing was not simulated: %s.", hd_ctx_reason(&ctx)));
        return HD_OK;
    }
    if (s != HD_OK) hd_error_copy(a->ctx, &ctx);
    HD_TRY(s);
    if (found.deadlock)
        hd_advise_note(a, "Adaptive routing over all shortest paths deadlocks on this network in the packet "
                          "simulator: no estimate.");
    const char *command = found.rest ? hd_advise_command(a, "sim", table, found.rest) : NULL;
    for (uint32_t i = 0; i < a->report->noption; i++) {
        struct hd_report_option *o = &a->report->option[i];
        if (o->state != HD_OPTION_MEASURED) continue;
        o->figure[HD_Q_ADAPTIVE].value = found.value;
        o->figure[HD_Q_ADAPTIVE].ci = found.ci;
        o->figure[HD_Q_ADAPTIVE].command = command;
    }
    return HD_OK;
}
