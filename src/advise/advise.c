/* SPDX-License-Identifier: BSD-2-Clause */
/* The main job, step by step: what the fabric is and what is wrong with it, every routing it could have, the one
 * that suits the goal, the rank order that goes with it, and what happens when something breaks. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "tool/words.h"

#include <stdio.h>
#include <string.h>

static const char *const goal_names[HD_GOALS] = {[HD_GOAL_BALANCED] = "balanced",
                                                 [HD_GOAL_ALLTOALL] = "alltoall",
                                                 [HD_GOAL_RING] = "ring",
                                                 [HD_GOAL_RANDOM] = "random",
                                                 [HD_GOAL_WORST] = "worst"};

const char *hd_advise_goal_name(size_t i)
{
    return i < HD_GOALS ? goal_names[i] : NULL;
}

static hd_status parse_goal(struct hd_advising *a)
{
    const char *goal = a->in->goal ? a->in->goal : goal_names[0];
    for (int g = 0; g < HD_GOALS; g++)
        if (strcmp(goal, goal_names[g]) == 0) {
            a->goal = (enum hd_advise_goal)g;
            a->report->goal = goal_names[g];
            return HD_OK;
        }
    return hd_fail_choice(a->ctx, "goal", goal, goal_names, HD_GOALS);
}

/* Nodes of the job. Without a list it is every host: where those make no job (unequal rails, no endpoint) there are
 * no orders, and a note says so. */
static hd_status read_nodes(struct hd_advising *a)
{
    const struct hd_advise_in *in = a->in;
    a->before = hd_advise_today(in);
    a->after = hd_advise_rank_goal(a->report->goal);
    if (in->compare_only || a->net->nsel < 2) return HD_OK;
    hd_status s = hd_nodes_read(a->ctx, a->net, in->nodes, 1, &a->nodes);
    if (s != HD_INPUT || in->nodes) return s;
    hd_advise_note(a, hd_say(a, "No rank order: %s. --nodes lists the nodes of a job.", a->ctx->error));
    return HD_OK;
}

static void set_names(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const char *text = a->in->net_text, *slash = strrchr(text, '/');
    r->net = a->net;
    r->net_text = hd_say(a, "%s", text);
    r->title = hd_say(a, "%s", slash && slash[1] ? slash + 1 : text);
    r->command = hd_say(a, "%s", a->in->command ? a->in->command : "");
    r->best = UINT32_MAX;
}

static hd_status run(struct hd_advising *a)
{
    struct hd_ctx alone = hd_advise_ctx(a);
    a->tasks = a->in->compare_only ? 1 : 2; /* besides the options */
    set_names(a);
    HD_TRY(parse_goal(a));
    HD_TRY(hd_net_describe(a->ctx, a->net, &a->info));
    HD_TRY(read_nodes(a));
    HD_TRY(hd_advise_facts(a));
    HD_TRY(hd_advise_cables(a));
    HD_TRY(hd_advise_fabric(a));
    HD_TRY(hd_advise_current(a));
    HD_TRY(hd_advise_groups(a));
    hd_advise_quantities(a);
    if (a->failed) return hd_fail_memory(a->ctx);
    HD_TRY(hd_advise_options(a));
    if (!a->in->compare_only) HD_TRY(hd_advise_adaptive(a, &alone));
    hd_advise_progress(a, "adaptive routing");
    HD_TRY(hd_advise_rank(a));
    if (!a->in->compare_only) {
        HD_TRY(hd_advise_order(a));
        hd_advise_progress(a, "rank order");
        HD_TRY(hd_advise_what_if(a));
        HD_TRY(hd_advise_repair(a));
    }
    hd_work_tell(a);
    hd_advise_headline(a);
    hd_advise_steps(a);
    return a->failed ? hd_fail_memory(a->ctx) : HD_OK;
}

hd_status hd_advise(struct hd_ctx *ctx, const struct hd_advise_in *in, struct hd_report **report)
{
    struct hd_arena first = {0};
    struct hd_report *r = HD_NEW(&first, struct hd_report, 1);
    struct hd_arena *own = HD_NEW(&first, struct hd_arena, 1);
    if (!r || !own) {
        hd_arena_release(&first);
        return hd_fail_memory(ctx);
    }
    *own = first;
    r->arena = own;
    struct hd_ctx local = *ctx; /* every process works out the whole of it: options are shared out to threads */
    local.comm = NULL;
    struct hd_advising a = {.ctx = &local, .in = in, .net = in->net, .report = r, .arena = own};
    hd_status s = run(&a);
    hd_nodes_free(a.nodes);
    if (s != HD_OK) {
        memcpy(ctx->error, local.error, sizeof ctx->error);
        hd_report_free(r);
        return s;
    }
    *report = r;
    return HD_OK;
}
