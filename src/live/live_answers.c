/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries for what switches send themselves, beside those that pairs need (route/keep/keep_answers.c): traps to the
 * subnet manager, whose endpoint comes first, and replies to anyone else. An entry has to wait while a switch that the
 * packets between endpoints come from holds one that leads them there: with both, they could go around in a cycle
 * until it is written. When the subnet manager has just become master, what switches hold is not known, and nothing is
 * claimed about the change. */
#include "base/status.h"
#include "base/threads.h"
#include "heddle/route.h"
#include "live/live.h"
#include "live/tables_in_use.h"
#include "route/keep/keep_answers.h"
#include "route/kernel/row_walk.h"

static uint32_t answers_manager(const struct hd_live_choice *c)
{
    const uint32_t lid = c->request->head->sm_lid;
    for (uint32_t e = 0; lid && e < c->net->nep; e++)
        if (c->net->lid[c->net->nsw + e] == lid) return e;
    return UINT32_MAX; /* a switch, or not known */
}

static void answers_held(void *user, uint32_t d, uint32_t x, uint8_t *row)
{
    const struct hd_tables_in_use *use = user;
    const uint32_t base = use->net->lid[use->net->nsw + d], lid = base ? base + x : 0;
    hd_tables_in_use_rows(use, &lid, &row, 1);
}

hd_status hd_live_answers(struct hd_ctx *ctx, const struct hd_live_choice *c, const struct hd_routes *r, bool anew,
                          struct hd_routes **with, struct hd_answers *answers)
{
    struct hd_arena scratch = {0};
    struct hd_tables_in_use use;
    struct hd_routes *copy = NULL;
    const struct hd_fabric_head *head = c->request->head;
    const struct hd_answer_job job = {.first = answers_manager(c),
                                      .held = head->new_master ? NULL : answers_held,
                                      .user = &use,
                                      .anew = anew,
                                      .effort = c->options->budget / HD_LIVE_BUDGET,
                                      .settled = head->settled != 0};
    *answers = (struct hd_answers){0};
    hd_status s = hd_tables_in_use(ctx, &scratch, c->request, c->net, &use);
    if (s == HD_OK) s = hd_routes_carry(ctx, r, c->net, &copy);
    if (s == HD_OK) s = hd_keep_answers(ctx, copy, &job, answers);
    hd_arena_release(&scratch);
    const bool any = s == HD_OK && answers->closed + answers->again > 0;
    if (!any) hd_routes_free(copy);
    *with = any ? copy : NULL;
    return s;
}

/* Whether packets to the subnet manager, endpoint d, arrive by routes r: arrives[nsw]. */
static hd_status answers_arrive(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, uint32_t d,
                                bool **arrives)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_reach reach;
    uint8_t *row = HD_NEW(a, uint8_t, net->nsw);
    uint32_t *all = HD_NEW(a, uint32_t, net->nsw);
    *arrives = HD_NEW(a, bool, net->nsw);
    if (!row || !all || !*arrives) return hd_fail_memory(ctx);
    HD_TRY(hd_reach_init(ctx, a, net, &reach));
    for (uint32_t v = 0; v < net->nsw; v++) all[v] = v;
    hd_reach_follow(&reach, hd_routes_row(r, d, 0, row), net->nsw + d, all, net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++) (*arrives)[v] = reach.hops[v] < HD_REACH_LOOP;
    return HD_OK;
}

hd_status hd_live_answers_taken(struct hd_ctx *ctx, const struct hd_live_choice *c, const struct hd_routes *old,
                                const struct hd_routes *new, const struct hd_routes *step, bool *taken)
{
    struct hd_arena scratch = {0};
    const uint32_t d = answers_manager(c);
    bool *before = NULL, *now = NULL, *after = NULL;
    *taken = false;
    if (d == UINT32_MAX) return HD_OK;
    hd_status s = answers_arrive(ctx, &scratch, old, d, &before);
    if (s == HD_OK) s = answers_arrive(ctx, &scratch, step, d, &now);
    if (s == HD_OK) s = answers_arrive(ctx, &scratch, new, d, &after);
    for (uint32_t v = 0; s == HD_OK && v < c->net->nsw; v++) *taken |= before[v] && after[v] && !now[v];
    hd_arena_release(&scratch);
    return s;
}

/* Of a thread. */
struct answers_walk {
    struct hd_reach reach;
    uint8_t *row;
    bool *round; /* [nsw] packets of the switch go round by the row of the step */
};

/* Whether packets of some switch go round by a row of the step and not by that of the new routes. */
static bool answers_row_cycles(struct answers_walk *w, const struct hd_routes *new, const struct hd_routes *step,
                               uint32_t d, uint32_t x, const uint32_t *all)
{
    const struct hd_net *net = w->reach.net;
    bool any = false, taken = false;
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, hd_routes_row(step, d, x, w->row), net->nsw + d, all, net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++) any |= w->round[v] = w->reach.hops[v] == HD_REACH_LOOP;
    if (!any) return false;
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, hd_routes_row(new, d, x % hd_routes_variants(new), w->row), net->nsw + d, all, net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++) taken |= w->round[v] && w->reach.hops[v] != HD_REACH_LOOP;
    return taken;
}

hd_status hd_live_answers_cycle(struct hd_ctx *ctx, const struct hd_routes *new, const struct hd_routes *step,
                                bool *cycle)
{
    const struct hd_net *net = hd_routes_net(new);
    const int threads = hd_threads(ctx);
    struct hd_arena scratch = {0};
    struct answers_walk *w = HD_NEW(&scratch, struct answers_walk, (size_t)threads);
    uint32_t *all = HD_NEW(&scratch, uint32_t, net->nsw);
    hd_status s = w && all ? HD_OK : hd_fail_memory(ctx);
    for (int t = 0; s == HD_OK && t < threads; t++) {
        w[t].row = HD_NEW(&scratch, uint8_t, net->nsw);
        w[t].round = HD_NEW(&scratch, bool, net->nsw);
        s = w[t].row && w[t].round ? hd_reach_init(ctx, &scratch, net, &w[t].reach) : hd_fail_memory(ctx);
    }
    for (uint32_t v = 0; s == HD_OK && v < net->nsw; v++) all[v] = v;
    bool any = false;
    if (s == HD_OK) {
#pragma omp parallel for schedule(static) num_threads(threads) reduction(|| : any)
        for (uint32_t d = 0; d < net->nep; d++)
            for (uint32_t x = 0; x < hd_routes_variants(step); x++)
                any = answers_row_cycles(&w[hd_thread_id()], new, step, d, x, all) || any;
    }
    *cycle = any;
    hd_arena_release(&scratch);
    return s;
}
