/* SPDX-License-Identifier: BSD-2-Clause */
/* Schedules: made from a rank order or by first fit, counted against the tables, written as text or binary
 * (schedule.h). */
#include "order/schedule.h"
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "order/stage_count.h"
#include "order/order_check.h"
#include "base/out.h"

#include <string.h>

hd_status hd_plan_reach(struct hd_ctx *ctx, struct hd_plan *p, uint64_t stage)
{
    while (stage / HD_BLOCK >= p->nblock) {
        if (!HD_MORE(p->arena, p->block, p->nblock, p->room)) return hd_fail_memory(ctx);
        size_t bytes = (size_t)HD_BLOCK * p->n * p->width;
        if (!(p->block[p->nblock] = hd_alloc(p->arena, bytes, 1))) return hd_fail_memory(ctx);
        memset(p->block[p->nblock++], 0xff, bytes);
    }
    return HD_OK;
}

hd_status hd_schedule_new(struct hd_ctx *ctx, uint32_t n, struct hd_schedule **schedule, struct hd_plan **plan)
{
    struct hd_arena *own;
    struct hd_schedule *s = hd_owned_new(sizeof *s, &own);
    struct hd_plan *p = s ? HD_NEW(own, struct hd_plan, 1) : NULL;
    if (!p) {
        if (s) hd_owned_free(own);
        return hd_fail_memory(ctx);
    }
    *p = (struct hd_plan){.arena = own, .n = n, .width = n < UINT16_MAX ? 2 : 4};
    s->n = n;
    s->plan = p;
    *schedule = s;
    *plan = p;
    return HD_OK;
}

void hd_schedule_free(struct hd_schedule *schedule)
{
    if (schedule) hd_owned_free(((struct hd_plan *)schedule->plan)->arena);
}

uint32_t hd_schedule_to(const struct hd_schedule *s, uint64_t stage, uint32_t rank)
{
    return stage < s->stages && rank < s->n ? hd_plan_get(s->plan, stage, rank) : UINT32_MAX;
}

/* ---- counting ------------------------------------------------------------------------------- */

struct schedule_counter {
    const struct hd_schedule *schedule;
    const struct hd_job_view *view;
    const uint32_t *order;
};

static void schedule_draw(const void *user, uint64_t stage, struct hd_flows *spare, struct hd_flows *f)
{
    const struct schedule_counter *k = user;
    (void)spare;
    hd_flows_begin(f, true);
    for (uint32_t i = 0; i < k->schedule->n; i++) {
        uint32_t to = hd_schedule_to(k->schedule, stage, i);
        for (uint32_t rail = 0; to != UINT32_MAX && rail < k->view->nodes->nrail; rail++) {
            f->buf[0][f->n] = hd_job_view_ep(k->view, k->order[i], rail);
            f->buf[1][f->n++] = hd_job_view_ep(k->view, k->order[to], rail);
        }
    }
}

hd_status hd_schedule_count(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                            const uint32_t *order, const struct hd_schedule *schedule, struct hd_hsd *hsd)
{
    struct hd_arena a = {0};
    struct hd_job_view view;
    struct schedule_counter k = {schedule, &view, order};
    struct hd_stage_flows in = {.stages = schedule->stages,
                                .flows = nodes->n * nodes->nrail,
                                .draw = schedule_draw,
                                .user = &k,
                                .no_rates = true};
    if (schedule->n != nodes->n)
        return hd_fail(ctx, HD_USAGE, "the schedule is of %u nodes, not of %u", schedule->n, nodes->n);
    HD_TRY(hd_order_given(ctx, nodes, order));
    hd_status s = hd_job_view_init(ctx, &a, r, nodes, &view);
    if (s == HD_OK) s = hd_stage_count(ctx, &view, &in, hsd);
    hd_arena_release(&a);
    return s;
}

/* ---- recursive doubling along the tree -------------------------------------------------------- */

static hd_status fill_recdbl(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r,
                             const struct hd_nodes *nodes, const uint32_t *order, struct hd_schedule *schedule)
{
    static const int place_by_tree[2] = {1, 0}; /* each rank where it really is: the order is free for other things */
    const struct hd_pattern *pattern = &hd_pattern_recdbl_tree;
    uint32_t n = nodes->n, *ep = HD_NEW(a, uint32_t, n), *rank = HD_NEW(a, uint32_t, nodes->net->nep);
    struct hd_flows f = {0};
    struct hd_plan *plan = schedule->plan;
    void *state = NULL;
    for (int i = 0; i < 3; i++) f.buf[i] = HD_NEW(a, uint32_t, (size_t)n + 2);
    if (!ep || !rank || !f.buf[0] || !f.buf[1] || !f.buf[2]) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        ep[i] = nodes->ep[(size_t)order[i] * nodes->nrail];
        rank[ep[i]] = i;
    }
    struct hd_ranks ranks = {n, ep};
    HD_TRY(pattern->init(ctx, a, &(struct hd_pattern_in){r, &ranks, place_by_tree}, &state));
    schedule->stages = pattern->stages(state);
    for (uint64_t stage = 0; stage < schedule->stages; stage++) {
        HD_TRY(hd_plan_reach(ctx, plan, stage));
        pattern->draw(state, NULL, stage, &f);
        for (uint32_t i = 0; i < f.n; i++) hd_plan_set(plan, stage, rank[f.src[i]], rank[f.dst[i]]);
    }
    return HD_OK;
}

hd_status hd_schedule_recdbl(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                             const uint32_t *order, struct hd_schedule **schedule)
{
    struct hd_arena a = {0};
    struct hd_schedule *s = NULL;
    struct hd_plan *plan = NULL;
    HD_TRY(hd_order_given(ctx, nodes, order));
    HD_TRY(hd_nodes_check(ctx, nodes, hd_routes_net(r)));
    HD_TRY(hd_schedule_new(ctx, nodes->n, &s, &plan));
    hd_status status = fill_recdbl(ctx, &a, r, nodes, order, s);
    hd_arena_release(&a);
    if (status != HD_OK) {
        hd_schedule_free(s);
        return status;
    }
    strcpy(s->how, "recursive doubling along the tree");
    *schedule = s;
    return HD_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void put_le(struct hd_out *o, uint64_t value, int bytes)
{
    char b[8];
    for (int i = 0; i < bytes; i++) b[i] = (char)(value >> (8 * i) & 0xff);
    hd_put(o, b, (size_t)bytes);
}

static void write_binary(const struct hd_schedule *s, struct hd_out *o)
{
    const struct hd_plan *p = s->plan;
    char row[4 * 1024];
    hd_put(o, "HDSCHED1", 8);
    put_le(o, s->n, 4);
    put_le(o, p->width, 4);
    put_le(o, s->stages, 8);
    for (uint64_t stage = 0; stage < s->stages; stage++)
        for (uint32_t i = 0; i < s->n;) {
            size_t at = 0;
            for (; i < s->n && at + p->width <= sizeof row; i++) {
                uint32_t to = hd_plan_get(p, stage, i);
                for (uint32_t b = 0; b < p->width; b++) row[at++] = (char)(to >> (8 * b) & 0xff);
            }
            hd_put(o, row, at);
        }
}

static void write_text(const struct hd_schedule *s, struct hd_out *o)
{
    hd_printf(o, "# heddle schedule 1: %s\n# ranks %u\n# stages %llu\n# stage source destination\n", s->how, s->n,
              (unsigned long long)s->stages);
    for (uint64_t stage = 0; stage < s->stages; stage++)
        for (uint32_t i = 0; i < s->n; i++) {
            uint32_t to = hd_schedule_to(s, stage, i);
            if (to == UINT32_MAX) continue;
            hd_putu(o, stage);
            hd_puts(o, " ");
            hd_putu(o, i);
            hd_puts(o, " ");
            hd_putu(o, to);
            hd_puts(o, "\n");
        }
}

void hd_schedule_write(const struct hd_schedule *schedule, bool binary, struct hd_out *o)
{
    if (binary)
        write_binary(schedule, o);
    else
        write_text(schedule, o);
}
