/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank orders under one table: hot-spot degrees of the usual collectives in the current order and in the suggested one.
 * They are counted while the option is measured; the step itself only reports those of the table that is to be used.
 * Cost: one search for an order and all stages of the collectives, twice, per table. */
#include "advise/advise_steps.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum hd_goal hd_advise_current_order(const struct hd_advise_in *in)
{
    return in->nodes ? HD_FOR_GIVEN : HD_FOR_SORTED;
}

hd_status hd_advise_count_orders(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r,
                                 struct hd_advise_orders *orders)
{
    struct hd_order *before = NULL, *after = NULL;
    hd_status s = hd_order_make(ctx, r, a->nodes, a->before, &before);
    if (s == HD_OK) s = hd_order_make(ctx, r, a->nodes, a->after, &after);
    if (s == HD_OK) s = hd_order_count_all(ctx, r, a->nodes, before->rank, orders->before, &orders->bound);
    bool same = s == HD_OK && memcmp(before->rank, after->rank, before->n * sizeof *before->rank) == 0;
    if (same) memcpy(orders->after, orders->before, sizeof orders->after);
    if (s == HD_OK && !same) s = hd_order_count_all(ctx, r, a->nodes, after->rank, orders->after, NULL);
    orders->ebb = NAN;
    uint64_t samples;
    if (s == HD_OK && a->in->nodes) s = hd_order_ebb(ctx, r, a->nodes, &orders->ebb, &samples);
    if (s == HD_OK) {
        orders->how = hd_say(a, "%s", after->how);
        orders->claim = *after->claim ? hd_say(a, "%s", after->claim) : NULL;
    }
    hd_order_free(before);
    hd_order_free(after);
    return s;
}

static void order_set_rows(struct hd_advising *a, const struct hd_advise_orders *orders)
{
    struct hd_report *r = a->report;
    r->before_after = hd_advise_alloc(a, HD_CASES, sizeof *r->before_after);
    if (!r->before_after) return;
    for (int c = 0; c < HD_CASES; c++) {
        if (isnan(orders->before[c].average) || isnan(orders->after[c].average)) continue;
        r->before_after[r->nbefore_after++] =
            (struct hd_report_before_after){.use = (enum hd_case)c,
                                            .before = orders->before[c],
                                            .after = orders->after[c],
                                            .bound = c == HD_CASE_SHIFT ? orders->bound : 1};
    }
}

static hd_status order_count_best(struct hd_advising *a, const struct hd_report_option *best,
                                  struct hd_advise_orders *orders)
{
    const struct hd_routes *routes;
    struct hd_routes *made;
    HD_TRY(hd_advise_open(a, a->ctx, best, &routes, &made));
    hd_status s = hd_advise_count_orders(a, a->ctx, routes, orders);
    hd_routes_free(made);
    return s;
}

hd_status hd_advise_order(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    struct hd_advise_orders counted;
    struct hd_order_verdict verdict;
    if (!a->nodes || r->best == UINT32_MAX || a->net->nsel < 2 || !hd_work_order(a, 1)) return HD_OK;
    const struct hd_report_option *best = &r->option[hd_advise_recommended(r)];
    const struct hd_advise_orders *orders = best->kept->orders;
    if (!orders) {
        hd_status s = order_count_best(a, best, &counted);
        if (s != HD_OK) return hd_unsuited(s) ? HD_OK : s;
        orders = &counted;
    }
    order_set_rows(a, orders);
    hd_order_judge(NULL, a->goal->order, orders->before, orders->after, &verdict);
    r->order_better = verdict.use;
    if (!r->order_better) hd_advise_note(a, "The current rank order is no worse than the suggested one: keep it.");
    if (!isnan(orders->ebb))
        hd_advise_note(a, hd_say(a,
                                 "The nodes of the job get %.3f of a port's rate in random bisections among themselves "
                                 "under the recommended tables; EBB elsewhere is that of the whole fabric.",
                                 orders->ebb));
    r->order_how = orders->how;
    r->order_claim = orders->claim;
    r->order_command = best->figure[HD_Q_RING].command;
    return HD_OK;
}
