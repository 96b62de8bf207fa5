/* SPDX-License-Identifier: BSD-2-Clause */
/* The main job, step by step: what the fabric is and what is wrong with it, every routing it could have, the one
 * that suits the goal, the rank order that goes with it, and what happens after a failure. advise_steps.h says what
 * each step reads and fills. */
#include "advise/advise_steps.h"
#include "base/sized.h"
#include "base/status.h"
#include "route/engine/engine_lookup.h"
#include "tool/words.h"

#include <stdio.h>
#include <string.h>

static hd_status advise_set_goal(struct hd_advising *a)
{
    a->goal = hd_advise_goal(a->in->goal);
    if (!a->goal) return hd_advise_goal_unknown(a->ctx, a->in->goal);
    a->report->goal = a->goal->name;
    return HD_OK;
}

/* Nodes of the job. Without a list it is every host: where those make no job (unequal rails, no endpoint), there are
 * no orders, and a note says so. */
static hd_status advise_read_nodes(struct hd_advising *a)
{
    const struct hd_advise_in *in = a->in;
    a->before = hd_advise_current_order(in);
    a->after = a->goal->order;
    if (in->compare_only || a->net->nsel < 2) return HD_OK;
    hd_status s = hd_nodes_read(a->ctx, a->net, in->nodes, 1, &a->nodes);
    if (s != HD_INPUT || in->nodes) return s;
    hd_advise_note(a, hd_say(a, "No rank order: %s. Give the nodes of a job.", a->ctx->error));
    return HD_OK;
}

static void advise_set_names(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const char *text = a->in->net_text, *slash = strrchr(text, '/');
    r->net = a->net;
    r->net_text = hd_say(a, "%s", text);
    r->title = hd_say(a, "%s", slash && slash[1] ? slash + 1 : text);
    r->command = hd_say(a, "%s", a->in->command ? a->in->command : "");
    r->best = UINT32_MAX;
}

static hd_status advise_run(struct hd_advising *a)
{
    a->tasks = a->in->compare_only ? 1 : 2; /* besides the options */
    advise_set_names(a);
    HD_TRY(advise_set_goal(a));
    HD_TRY(hd_net_describe(a->ctx, a->net, &a->info));
    HD_TRY(advise_read_nodes(a));
    HD_TRY(hd_advise_facts(a));
    HD_TRY(hd_advise_cables(a));
    HD_TRY(hd_advise_findings(a));
    HD_TRY(hd_advise_current(a));
    HD_TRY(hd_advise_ar_findings(a));
    HD_TRY(hd_advise_groups(a));
    hd_advise_quantities(a);
    if (a->failed) return hd_fail_memory(a->ctx);
    HD_TRY(hd_advise_go_on(a));
    HD_TRY(hd_advise_options(a));
    if (!a->in->compare_only && !a->in->no_whatif) HD_TRY(hd_advise_adaptive(a));
    hd_advise_progress(a, "adaptive routing");
    HD_TRY(hd_advise_go_on(a));
    HD_TRY(hd_advise_ranking(a));
    hd_advise_choices(a);
    if (!a->in->compare_only) {
        if (!a->in->no_order) HD_TRY(hd_advise_order(a));
        hd_advise_progress(a, "rank order");
        HD_TRY(hd_advise_go_on(a));
        if (!a->in->no_whatif) HD_TRY(hd_advise_whatif(a));
        if (!a->in->no_whatif) HD_TRY(hd_advise_repair(a));
    }
    HD_TRY(hd_advise_go_on(a));
    hd_work_notes(a);
    hd_advise_costs(a);
    hd_advise_headline(a);
    hd_advise_todo(a);
    HD_TRY(hd_advise_ar_todo(a));
    return a->failed ? hd_fail_memory(a->ctx) : HD_OK;
}

hd_status hd_advise_check_in(struct hd_ctx *ctx, const struct hd_advise_in *in)
{
    const struct hd_net *net = in->net, *current = in->current ? hd_routes_net(in->current) : net;
    if (!net) return hd_fail(ctx, HD_USAGE, "advise: expected a network");
    if (current->nsw != net->nsw || current->nep != net->nep || current->nchan != net->nchan)
        return hd_fail(ctx, HD_USAGE, "advise: the current table is of another network");
    if (!in->net_text || (in->current && !in->current_text))
        return hd_fail(ctx, HD_USAGE, "advise: expected what the user calls the network and the current table");
    for (uint32_t i = 0; i < in->nengine && in->engine; i++) {
        HD_TRY(hd_given(ctx, in->engine[i], "an engine"));
        HD_TRY(hd_table_exists(ctx, in->engine[i]));
    }
    return HD_OK;
}

hd_status hd_advise_sized(struct hd_ctx *ctx, const struct hd_advise_in *given, size_t size, struct hd_report **report)
{
    struct hd_advise_in in;
    HD_TRY(HD_SIZED_IN(ctx, hd_advise_in, given, size, &in));
    HD_TRY(hd_advise_check_in(ctx, &in));
    struct hd_arena *own;
    struct hd_report *r = hd_owned_new(sizeof *r, &own);
    if (!r) return hd_fail_memory(ctx);
    r->arena = own;
    struct hd_ctx local = *ctx; /* every process computes all of it: only threads share the work */
    local.comm = NULL;
    local.progress = NULL; /* of the whole, by in->progress alone */
    struct hd_advising a = {
        .ctx = &local, .in = &in, .net = in.net, .report = r, .arena = own, .lock = PTHREAD_MUTEX_INITIALIZER};
    hd_status s = advise_run(&a);
    ctx->stopped |= local.stopped;
    hd_nodes_free(a.nodes);
    hd_advise_release(&a);
    if (s != HD_OK) {
        hd_error_copy(ctx, &local);
        hd_report_free(r);
        return s;
    }
    *report = r;
    return HD_OK;
}
