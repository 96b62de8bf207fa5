/* SPDX-License-Identifier: BSD-2-Clause */
/* The rest of a proved sequence of tables, kept from sweep to sweep. A search that began again at every sweep would
 * cost its time each time, and might not find the rest of what it found before, or another one. The plan holds as long
 * as everything is as it assumed: fabric, options, VLs, and every entry that the switches have by the subnet manager's
 * account. A lost write, or a table of another routing engine, ends it, and a new one is made. Every table is proved
 * again before it is handed over, and so is the change to it. Cost: O(table) for each table to come. */
#include "live/live_plan.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static void plan_free_from(struct hd_live_plan *plan, uint32_t first)
{
    for (uint32_t i = first; i < plan->n; i++) hd_routes_free(plan->step[i]);
    plan->n = first;
}

void hd_live_plan_free(struct hd_live_plan *plan)
{
    if (!plan) return;
    plan_free_from(plan, 0);
    free(plan->held);
    free(plan->guid);
    hd_arena_release(&plan->arena);
    free(plan);
}

struct hd_live_plan *hd_live_plan_make(struct hd_ctx *ctx, const struct hd_live_choice *choice,
                                       const struct hd_routes *const *step, uint32_t n,
                                       const struct hd_live_outcome *made)
{
    struct hd_live_plan *plan = calloc(1, sizeof *plan);
    const char *text = choice->request->text;
    if (!plan) return NULL;
    plan->step = HD_NEW(&plan->arena, struct hd_routes *, n);
    plan->options = hd_strdup(&plan->arena, text, strlen(text));
    plan->vls = choice->request->head->vls;
    plan->made = *made;
    hd_status s = plan->step && plan->options ? HD_OK : hd_fail_memory(ctx);
    while (s == HD_OK && plan->n < n) {
        s = hd_routes_carry(ctx, step[plan->n], choice->net, &plan->step[plan->n]);
        plan->n += s == HD_OK;
    }
    if (s == HD_OK) return plan;
    hd_live_plan_free(plan);
    return NULL;
}

void hd_live_plan_handed(struct hd_live_plan *plan, const struct hd_fabric_parts *request, const uint8_t *table)
{
    const struct hd_fabric_head *h = request->head;
    const size_t bytes = h->switches * (h->last_lid + (size_t)1);
    free(plan->held);
    free(plan->guid);
    plan->held = malloc(bytes);
    plan->guid = malloc(h->switches * sizeof *plan->guid);
    if (!plan->held || !plan->guid) {
        free(plan->held);
        plan->held = NULL; /* then the plan does not hold */
        return;
    }
    memcpy(plan->held, table, bytes);
    for (uint32_t i = 0; i < h->switches; i++) plan->guid[i] = request->node[i].guid;
    plan->switches = h->switches;
    plan->last_lid = h->last_lid;
}

bool hd_live_plan_holds(const struct hd_live_plan *plan, const struct hd_fabric_parts *request)
{
    const struct hd_fabric_head *h = request->head;
    if (!plan || !plan->held || plan->at == plan->n || !h->settled || h->new_master || h->vls != plan->vls ||
        h->switches != plan->switches || h->last_lid != plan->last_lid || strcmp(request->text, plan->options) != 0)
        return false;
    for (uint32_t i = 0; i < h->switches; i++)
        if (request->node[i].guid != plan->guid[i]) return false;
    return memcmp(request->table, plan->held, h->switches * (h->last_lid + (size_t)1)) == 0;
}

bool hd_live_plan_move(struct hd_ctx *ctx, struct hd_live_plan *plan, const struct hd_net *net)
{
    for (uint32_t i = plan->at; i < plan->n; i++) {
        struct hd_routes *moved;
        if (hd_routes_net(plan->step[i]) == net) continue;
        if (hd_routes_carry(ctx, plan->step[i], net, &moved) != HD_OK) return false;
        hd_routes_free(plan->step[i]);
        plan->step[i] = moved;
    }
    return true;
}
