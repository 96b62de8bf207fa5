/* SPDX-License-Identifier: BSD-2-Clause */
/* What repairing the cabling would bring: it is repaired on a copy of the network, which is rerouted, and its EBB is
 * compared over the same samples. Cost: one copy, one table and one evaluation. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "heddle/registry.h"
#include "route/engine/engine_lookup.h"

#include <string.h>

/* The engine over the repaired cables, or another where its routes could deadlock: a line that becomes a ring may. */
static hd_status repair_reroute(struct hd_ctx *ctx, const struct hd_net *whole, const char **engine,
                                struct hd_routes **out)
{
    for (const char *next = *engine; next; next = hd_engine_fallback(ctx, next)) {
        struct hd_routes *r;
        struct hd_check k;
        hd_status s = hd_routes_open(ctx, whole, next, &r);
        if (hd_unsuited(s)) continue;
        HD_TRY(s);
        s = hd_routes_check(ctx, r, &k);
        if (s == HD_OK && k.deadlock_free == 1 && k.lanes <= HD_ADVISE_VLS) {
            *engine = next;
            *out = r;
            return HD_OK;
        }
        hd_routes_free(r);
        HD_TRY(s);
    }
    return HD_INPUT;
}

static hd_status repair_measure(struct hd_advising *a, const struct hd_net *whole, const struct hd_report_option *o)
{
    struct hd_report *r = a->report;
    struct hd_routes *repaired = NULL;
    const char *engine = o->table;
    struct hd_result before, after;
    uint64_t samples = hd_work_case_samples(a, 1);
    HD_TRY(repair_reroute(a->ctx, whole, &engine, &repaired));
    hd_status s = hd_advise_ebb(a->ctx, repaired, (struct hd_request){.samples = samples}, &after);
    hd_routes_free(repaired);
    if (s == HD_OK) s = hd_advise_ebb_of(a, o, samples, &before);
    HD_TRY(s);
    r->repair_table = engine;
    r->repair_samples = samples;
    r->repair_before = before.value;
    r->repair_after = after.value;
    r->repair_command = hd_advise_ebb_command(a, engine, samples, " --repair");
    return HD_OK;
}

/* Whether the copy has the same cables, since what is dead or absent stays so: there is nothing to measure. */
static bool repair_is_none(const struct hd_net *net, const struct hd_net *whole)
{
    const size_t n = net->nchan;
    return n == whole->nchan && memcmp(net->head, whole->head, n * sizeof *net->head) == 0 &&
           memcmp(net->port, whole->port, n * sizeof *net->port) == 0 &&
           memcmp(net->link, whole->link, n * sizeof *net->link) == 0;
}

hd_status hd_advise_repair(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    struct hd_net *whole;
    if (!r->nrepair || r->best == UINT32_MAX || a->net->nsel < 2) return HD_OK;
    const struct hd_report_option *o = &r->option[r->best], *engine = hd_advise_rerouter(a, o);
    if (!engine || o->variants > 1 || engine->variants > 1) return HD_OK;
    HD_TRY(hd_net_repair(a->ctx, a->net, &whole));
    hd_status s = repair_is_none(a->net, whole) ? HD_OK : repair_measure(a, whole, engine);
    hd_net_free(whole);
    return hd_unsuited(s) ? HD_OK : s;
}
