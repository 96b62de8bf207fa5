/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fabric could have: the current table and every engine, compared. First all tables are made and checked, a
 * thread each, those with most work first. Then they are measured, in a large network one after the other, each on all
 * threads; on a regular tree most engines give one and the same table, which is measured once. Routes that fit are
 * kept for that, and since later steps use those of the recommended option again. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/registry.h"
#include "route/core/routes_view.h"
#include "route/engine/engine_lookup.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_NATIVE = 8,
    OSM_SECONDS = 60,           /* that a sweep of OpenSM may take */
    MAX_LIDS = 128,             /* of a port: LMC 7 */
    SMALL = 4096,               /* endpoints of a network whose tables are measured a thread each */
    KEEP_BYTES = 32 << 20,      /* of a table that is kept in any case, */
    KEEP_ALL_BYTES = 1024 << 20 /* and of those that are kept together if they differ from the others */
};

/* ---- routes ------------------------------------------------------------------------------------ */

hd_status hd_advise_open(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_report_option *o,
                         const struct hd_routes **r, struct hd_routes **made)
{
    *made = NULL;
    *r = o->current ? a->in->current : o->kept ? o->kept->routes : NULL;
    if (*r) return HD_OK;
    HD_TRY(hd_routes_open(ctx, a->net, o->table, made));
    *r = *made;
    return HD_OK;
}

/* Whether another option already holds routes with the same paths. */
static bool options_have_paths(const struct hd_report *r, const struct hd_report_option *o)
{
    for (uint32_t i = 0; o->kept->paths && i < r->noption; i++)
        if (r->option[i].kept->routes && r->option[i].kept->paths == o->kept->paths) return true;
    return false;
}

/* Which ones fit depends on who comes first, and only how often some are made again depends on it. */
static void options_keep(struct hd_advising *a, const struct hd_report_option *o, struct hd_routes *made)
{
    const uint64_t bytes = hd_routes_bytes(made);
    pthread_mutex_lock(&a->lock);
    bool keep = o->state == HD_OPTION_MEASURED &&
                (bytes <= KEEP_BYTES || (a->bytes_kept + bytes <= KEEP_ALL_BYTES && !options_have_paths(a->report, o)));
    if (keep) {
        o->kept->routes = made;
        a->bytes_kept += bytes;
    }
    pthread_mutex_unlock(&a->lock);
    if (!keep) hd_routes_free(made);
}

void hd_advise_release(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    for (uint32_t i = 0; i < r->noption; i++) {
        struct hd_advise_kept *kept = r->option[i].kept;
        if (!kept) continue;
        if (i == r->best)
            r->routes = kept->routes;
        else
            hd_routes_free(kept->routes);
        kept->routes = NULL;
    }
}

/* ---- candidates -------------------------------------------------------------------------------- */

/* Engines that are not among the options unless they are named, and why. */
static const char *options_not_considered(const struct hd_engine *e)
{
    if (hd_advise_native(e->desc.name)) return NULL;
    if (e->role == HD_ENGINE_BASELINE) return "not considered: a baseline for the others";
    if (e->role == HD_ENGINE_EXTERNAL) return "not considered: runs other programs; name it to include it";
    return NULL;
}

/* Whether a table is what OpenSM computes by default. */
static bool options_is_default(const struct hd_advising *a, const char *table)
{
    const struct hd_engine *e = hd_engine_of(a->ctx, table);
    return e && e->role == HD_ENGINE_DEFAULT && strcmp(table, e->desc.name) == 0; /* without options */
}

/* What OpenSM has of its own: one table that heddle computes as it does, and with in->opensm those of OpenSM itself. */
static uint32_t options_list_native(struct hd_advising *a, struct hd_report_option *o)
{
    uint32_t n = 0;
    o[n++] = (struct hd_report_option){.table = "dfsssp:form=opensm"};
    for (size_t i = 0; a->in->opensm && hd_advise_native_at(i); i++)
        o[n++] = (struct hd_report_option){
            .table = hd_say(a, "opensm:engine=%s,limit=%d", hd_advise_native_at(i), OSM_SECONDS),
            .native = hd_advise_native_at(i),
            .run = true};
    return n;
}

static hd_status options_list(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const struct hd_advise_in *in = a->in;
    uint32_t n = 0, engines = in->nengine + MAX_NATIVE;
    const struct hd_desc *d;
    for (size_t i = 0; !in->engine && hd_registry_at(a->ctx, HD_ENGINES, i); i++) engines++;
    r->option = hd_advise_alloc(a, engines + 1, sizeof *r->option);
    struct hd_advise_kept *kept = hd_advise_alloc(a, engines + 1, sizeof *kept);
    if (!r->option || !kept) return hd_fail_memory(a->ctx);
    if (in->current) r->option[n++] = (struct hd_report_option){.table = in->current_text, .current = true};
    for (uint32_t i = 0; in->engine && i < in->nengine; i++) r->option[n++].table = in->engine[i];
    for (size_t i = 0; !in->engine && (d = hd_registry_at(a->ctx, HD_ENGINES, i)); i++) {
        const struct hd_engine *e = (const struct hd_engine *)d;
        if (e->role == HD_ENGINE_EXTERNAL && !d->examples) continue; /* its name alone says nothing: which file? */
        const char *why_not = options_not_considered(e);
        r->option[n++] = (struct hd_report_option){
            .table = d->name, .state = why_not ? HD_OPTION_NOT_CONSIDERED : HD_OPTION_MEASURED, .why_not = why_not};
    }
    if (!in->engine && !in->compare_only) n += options_list_native(a, &r->option[n]);
    for (uint32_t i = 0; i < n; i++) {
        if (!r->option[i].current && !r->option[i].native) r->option[i].native = hd_advise_native(r->option[i].table);
        if (r->option[i].run) r->option[i].label = hd_say(a, "OpenSM %s", r->option[i].native);
        r->option[i].usual = !r->option[i].current && options_is_default(a, r->option[i].table);
        r->option[i].kept = &kept[i];
    }
    r->noption = n;
    return HD_OK;
}

/* ---- one option -------------------------------------------------------------------------------- */

/* Whose table it is, in words: an engine of ours must not be mistaken for the one that OpenSM has under this name. */
static const char *options_label(struct hd_advising *a, const struct hd_report_option *o)
{
    if (o->current) return "the current table";
    if (o->native) return hd_say(a, "OpenSM %s", o->native);
    const struct hd_engine *e = hd_engine_of(a->ctx, o->table);
    return e && e->role == HD_ENGINE_EXTERNAL ? o->table : hd_say(a, "heddle %s", o->table);
}

static void options_refuse(struct hd_report_option *o, enum hd_report_option_state state, const char *why_not)
{
    o->state = state;
    o->why_not = why_not;
}

/* Makes and checks the table of an option. */
static hd_status options_make(struct hd_advising *a, struct hd_ctx *ctx, struct hd_report_option *o)
{
    const struct hd_routes *r;
    struct hd_routes *made;
    if (!o->current && !hd_work_fits(a, o, "making the table", hd_work_build(a, o->table))) return HD_OK;
    hd_status s = hd_advise_open(a, ctx, o, &r, &made);
    if (s == HD_NA) options_refuse(o, HD_OPTION_NOT_APPLICABLE, hd_say(a, "does not apply: %s", hd_ctx_reason(ctx)));
    if (s == HD_INPUT || s == HD_FAULT || (s == HD_LIMIT && o->run))
        options_refuse(o, HD_OPTION_FAILED, hd_say(a, "%s", ctx->error));
    if (s != HD_OK) return o->why_not ? HD_OK : s;
    uint32_t variants = hd_routes_variants(r);
    if (variants > MAX_LIDS) {
        options_refuse(
            o, HD_OPTION_NOT_APPLICABLE,
            hd_say(a, "does not apply: needs %u LIDs per endpoint, InfiniBand has at most %d", variants, MAX_LIDS));
    } else if (hd_work_fits(a, o, "checking its paths", hd_work_check(a, variants))) {
        if (made) o->table = hd_say(a, "%s", hd_routes_spec(r));
        o->label = options_label(a, o);
        s = hd_advise_check(a, ctx, o, r);
    }
    if (made) options_keep(a, o, made);
    return s;
}

/* Routes with the paths of option i, the smallest there are: a closed form is read fastest, and says most about orders.
 * Which table it was that had room does not matter then. */
static hd_status options_open_equal(struct hd_advising *a, struct hd_ctx *ctx, uint32_t i, const struct hd_routes **r,
                                    struct hd_routes **made)
{
    const struct hd_report *rep = a->report;
    const struct hd_routes *best = rep->option[i].kept->routes;
    for (uint32_t j = 0; j < rep->noption; j++) {
        const struct hd_routes *other = rep->option[j].kept->routes;
        if (!other || !hd_advise_equal(&rep->option[j], &rep->option[i])) continue;
        if (!best || hd_routes_bytes(other) < hd_routes_bytes(best)) best = other;
    }
    *made = NULL;
    *r = best;
    return best ? HD_OK : hd_advise_open(a, ctx, &rep->option[i], r, made);
}

static hd_status options_measure(struct hd_advising *a, struct hd_ctx *ctx, uint32_t i)
{
    const struct hd_routes *r;
    struct hd_routes *made;
    HD_TRY(options_open_equal(a, ctx, i, &r, &made));
    hd_status s = hd_advise_measure(a, ctx, &a->report->option[i], r);
    hd_routes_free(made);
    return s;
}

/* The first option with the same paths: the one that is measured for all of them. */
static uint32_t options_first_equal(const struct hd_report *r, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (r->option[j].state == HD_OPTION_MEASURED && hd_advise_equal(&r->option[j], &r->option[i])) return j;
    return i;
}

/* ---- all of them ------------------------------------------------------------------------------- */

struct option_task {
    double work;
    uint32_t option;
};

static int option_task_order(const void *x, const void *y)
{
    const struct option_task *a = x, *b = y;
    if (a->work != b->work) return a->work > b->work ? -1 : 1;
    return a->option < b->option ? -1 : 1;
}

/* Options by decreasing work, which is negative for those that are left out; NULL: no memory. */
static struct option_task *options_tasks(const struct hd_advising *a, struct hd_arena *scratch,
                                         double (*work)(const struct hd_advising *a, uint32_t option), uint32_t *n)
{
    struct option_task *task = HD_NEW(scratch, struct option_task, a->report->noption);
    *n = 0;
    for (uint32_t i = 0; task && i < a->report->noption; i++) {
        const struct option_task x = {work(a, i), i};
        if (x.work >= 0) task[(*n)++] = x;
    }
    if (task) qsort(task, *n, sizeof *task, option_task_order);
    return task;
}

static double options_make_work(const struct hd_advising *a, uint32_t i)
{
    const struct hd_report_option *o = &a->report->option[i];
    return o->why_not || o->run ? -1 : hd_work_build(a, o->table);
}

static double options_measure_work(const struct hd_advising *a, uint32_t i)
{
    const struct hd_report_option *o = &a->report->option[i];
    return o->state == HD_OPTION_MEASURED && options_first_equal(a->report, i) == i ? (double)o->variants : -1;
}

/* One sweep of OpenSM after the other: each has processes of its own. */
static hd_status options_run_opensm(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    for (uint32_t i = 0; i < r->noption; i++) {
        struct hd_ctx ctx = hd_advise_ctx(a);
        hd_status worst = HD_OK;
        if (!r->option[i].run) continue;
        hd_status s = options_make(a, &ctx, &r->option[i]);
        hd_advise_progress(a, r->option[i].table);
        hd_advise_record(a, s, &ctx, &worst);
        HD_TRY(worst);
    }
    return HD_OK;
}

static hd_status options_make_all(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_report *r = a->report;
    uint32_t n;
    const struct option_task *task = options_tasks(a, &scratch, options_make_work, &n);
    if (!task) return hd_fail_memory(a->ctx);
    hd_status worst = HD_OK;
    a->tasks += 2 * n; /* made, and measured */
    for (uint32_t i = 0; i < r->noption; i++) a->tasks += r->option[i].run ? 2 : 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(hd_threads(a->ctx))
    for (uint32_t i = 0; i < n; i++) {
        if (hd_advise_stopped(a)) continue;
        struct hd_ctx ctx = hd_advise_ctx(a);
        struct hd_report_option *o = &r->option[task[i].option];
        hd_status s = options_make(a, &ctx, o);
        hd_advise_progress(a, o->table);
        hd_advise_record(a, s, &ctx, &worst);
    }
    hd_arena_release(&scratch);
    HD_TRY(worst);
    HD_TRY(hd_advise_go_on(a));
    return options_run_opensm(a);
}

/* Tables that differ: of a small network a thread each, because splitting short work over threads costs more than it
 * gains; of a large one after the other, on all threads. */
static hd_status options_measure_all(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_report *r = a->report;
    uint32_t n;
    const struct option_task *task = options_tasks(a, &scratch, options_measure_work, &n);
    if (!task) return hd_fail_memory(a->ctx);
    const bool apart = a->net->nsel <= SMALL;
    hd_status worst = HD_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(apart ? hd_threads(a->ctx) : 1)
    for (uint32_t i = 0; i < n; i++) {
        if (hd_advise_stopped(a)) continue;
        struct hd_ctx ctx = apart ? hd_advise_ctx(a) : hd_advise_ctx_all(a);
        hd_status s = options_measure(a, &ctx, task[i].option);
        hd_advise_progress(a, r->option[task[i].option].table);
        hd_advise_record(a, s, &ctx, &worst);
    }
    hd_arena_release(&scratch);
    return worst;
}

hd_status hd_advise_options(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    HD_TRY(options_list(a));
    HD_TRY(options_make_all(a));
    HD_TRY(options_measure_all(a));
    HD_TRY(hd_advise_go_on(a));
    for (uint32_t i = 0; i < r->noption; i++) {
        struct hd_report_option *o = &r->option[i];
        const uint32_t first = o->state == HD_OPTION_MEASURED ? options_first_equal(r, i) : i;
        if (o->state == HD_OPTION_NOT_CONSIDERED || (o->state == HD_OPTION_MEASURED && first == i)) continue;
        if (first != i) HD_TRY(hd_advise_measured_as(a, o, &r->option[first]));
        hd_advise_progress(a, o->table);
    }
    return HD_OK;
}
