/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fabric could have: the current table and every engine, side by side. Options are shared out to threads,
 * those with most work first; each is measured by one thread, so that the report does not depend on how many. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/registry.h"
#include "route/engine/engine_lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIDS = 128 }; /* of a port: LMC 7 */

/* Engines that are not among the options unless they are named, and why. */
static const char *not_considered(const struct hd_engine *e)
{
    if (e->role == HD_ENGINE_BASELINE) return "not considered: a yardstick, every seed gives other tables";
    if (e->role == HD_ENGINE_EXTERNAL) return "not considered: runs other programs; name it to include it";
    return NULL;
}

static hd_status list_options(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const struct hd_advise_in *in = a->in;
    uint32_t n = 0, engines = in->nengine;
    const struct hd_desc *d;
    for (size_t i = 0; !in->engine && hd_registry_at(a->ctx, HD_ENGINES, i); i++) engines++;
    r->option = hd_advise_alloc(a, engines + 1, sizeof *r->option);
    if (!r->option) return hd_fail_memory(a->ctx);
    if (in->current) r->option[n++] = (struct hd_option){.table = in->current_text, .current = true};
    for (uint32_t i = 0; in->engine && i < in->nengine; i++) r->option[n++].table = in->engine[i];
    for (size_t i = 0; !in->engine && (d = hd_registry_at(a->ctx, HD_ENGINES, i)); i++) {
        const struct hd_engine *e = (const struct hd_engine *)d;
        if (e->role == HD_ENGINE_EXTERNAL && !d->examples) continue; /* its name alone says nothing: which file? */
        r->option[n] = (struct hd_option){.table = d->name, .why_not = not_considered(e)};
        n++;
    }
    r->noption = n;
    return HD_OK;
}

hd_status hd_advise_open(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_option *o,
                         const struct hd_routes **r, struct hd_routes **made)
{
    *made = NULL;
    *r = a->in->current;
    if (o->current) return HD_OK;
    HD_TRY(hd_routes_open(ctx, a->net, o->table, made));
    *r = *made;
    return HD_OK;
}

static hd_status run_option(struct hd_advising *a, struct hd_ctx *ctx, struct hd_option *o)
{
    const struct hd_routes *r;
    struct hd_routes *made;
    if (!o->current && !hd_work_fits(a, o, "making the table", hd_work_build(a, o->table))) return HD_OK;
    hd_status s = hd_advise_open(a, ctx, o, &r, &made);
    if (s == HD_NA) o->why_not = hd_say(a, "does not apply: %s", hd_ctx_reason(ctx));
    if (s == HD_INPUT || s == HD_FAULT) o->why_not = hd_say(a, "%s", ctx->error);
    if (o->why_not) return HD_OK;
    if (s != HD_OK) return s;
    uint32_t variants = hd_routes_variants(r);
    if (variants > MAX_LIDS) {
        o->why_not =
            hd_say(a, "does not apply: needs %u LIDs an endpoint, InfiniBand has at most %d", variants, MAX_LIDS);
    } else if (hd_work_fits(a, o, "checking its paths", hd_work_check(a, variants))) {
        if (made) o->table = hd_say(a, "%s", hd_routes_spec(r));
        s = hd_advise_measure(a, ctx, o, r);
    }
    hd_routes_free(made);
    return s;
}

struct task {
    double work;
    uint32_t option;
};

static int most_first(const void *x, const void *y)
{
    const struct task *a = x, *b = y;
    if (a->work != b->work) return a->work > b->work ? -1 : 1;
    return a->option < b->option ? -1 : 1;
}

hd_status hd_advise_options(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_report *r = a->report;
    HD_TRY(list_options(a));
    struct task *task = HD_NEW(&scratch, struct task, r->noption);
    if (!task) return hd_fail_memory(a->ctx);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->noption; i++)
        if (!r->option[i].why_not) task[n++] = (struct task){hd_work_build(a, r->option[i].table), i};
    qsort(task, n, sizeof *task, most_first);
    hd_status worst = HD_OK;
    a->tasks += n;
#pragma omp parallel for schedule(dynamic, 1) num_threads(hd_threads(a->ctx))
    for (uint32_t i = 0; i < n; i++) {
        struct hd_ctx ctx = hd_advise_ctx(a);
        struct hd_option *o = &r->option[task[i].option];
        hd_status s = run_option(a, &ctx, o);
        hd_advise_progress(a, o->table);
#pragma omp critical(hd_advise_status)
        if (s != HD_OK && worst == HD_OK) {
            worst = s;
            snprintf(a->ctx->error, sizeof a->ctx->error, "%s", ctx.error);
        }
    }
    hd_arena_release(&scratch);
    return worst;
}
