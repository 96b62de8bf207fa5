/* SPDX-License-Identifier: BSD-2-Clause */
/* Worst cases of a routing, found by matching (worst_permutation.h): worst, over all permutations; oblivious, over all
 * traffic relative to the best any routing could do with it. */
#include "base/status.h"
#include "flow/bound/bound.h"
#include "flow/metric/all_metrics.h"

#include <stdio.h>

static void note_channel(const struct hd_net *net, const struct hd_worst *w, struct hd_result *result)
{
    if (w->chan == UINT32_MAX) {
        snprintf(result->note, sizeof result->note, "no pair has a path");
        return;
    }
    snprintf(result->note, sizeof result->note, "%.80s port %u to %.80s", hd_node_label(net, net->tail[w->chan]),
             net->port[w->chan], hd_node_label(net, net->head[w->chan]));
}

static void note_optimum(const struct hd_cuts *cuts, struct hd_result *result)
{
    size_t n = 0;
    while (result->note[n]) n++;
    const char *what = !cuts->exact ? "an upper bound: the optimum is known by cuts only"
                       : cuts->slim ? "exact: the optimum meets the cuts of the slimmed tree"
                                    : "exact: any permutation can be routed with load 1";
    snprintf(result->note + n, sizeof result->note - n, "; %s", what);
}

static hd_status worst_measure(struct hd_ctx *ctx, const struct hd_routes *r, bool ratio, struct hd_result *result)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_arena a = {0};
    struct hd_ranks all = {net->nsel, net->sel};
    const struct hd_cuts *cuts;
    struct hd_worst w;
    struct hd_worst_in in = {.routes = r, .among = &all};
    HD_TRY(hd_rates_of(ctx, net, &in.rates));
    HD_TRY(hd_cuts_of(ctx, net, &cuts));
    if (ratio) in.cuts = cuts;
    hd_status s = hd_worst_find(ctx, &a, &in, &w);
    if (s == HD_OK) {
        result->value = result->min = result->max = result->p5 = result->median = result->p95 = w.load;
        result->samples = 1;
        result->unserved = w.unserved;
        note_channel(net, &w, result);
        if (ratio) note_optimum(cuts, result);
        s = hd_bound_worst(ctx, &in, cuts, result);
    }
    hd_arena_release(&a);
    return s;
}

static hd_status measure_worst(struct hd_ctx *ctx, const struct hd_routes *r, const void *opt, struct hd_result *result)
{
    (void)opt;
    return worst_measure(ctx, r, false, result);
}

static hd_status measure_oblivious(struct hd_ctx *ctx, const struct hd_routes *r, const void *opt,
                                   struct hd_result *result)
{
    (void)opt;
    return worst_measure(ctx, r, true, result);
}

const struct hd_metric hd_metric_worst = {
    .desc =
        {.name = "worst",
         .summary = "largest load of a channel over all permutations, exactly",
         .text =
             "For each channel the largest set of pairs that use it in which no endpoint sends or receives twice: a "
             "maximum bipartite matching, with weights where pairs split over several paths. The value is the largest "
             "over all channels, relative to their rates; the note names the channel, and pattern worst replays the "
             "permutation. bound is the lowest value any single-path routing can have, where the literature gives one "
             "for the tree, else what the cuts and distances of the network impose on any routing.",
         .cite = "Towles, Dally: Worst-case traffic for oblivious routing functions; Nienaber, Mahapatra, Yuan (WORST)",
         .examples = (const char *const[]){"worst", NULL},
         .opt_size = 1},
    .measure = measure_worst};

const struct hd_metric hd_metric_oblivious = {
    .desc =
        {.name = "oblivious",
         .summary = "oblivious performance ratio: largest load relative to that of the best routing",
         .text =
             "Over all traffic, the largest load divided by the least largest load any routing, splitting flows at "
             "will, could give the same traffic. On a tree of full bisection this is worst. On slimmed trees it is "
             "exact too: the matching of each channel obeys the cuts around all subtrees. On other networks only the "
             "cuts around leaf switches (and subtrees of a damaged tree) are obeyed, and the value is an upper bound; "
             "the note says so.",
         .cite = "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks; Applegate, "
                 "Cohen",
         .examples = (const char *const[]){"oblivious", NULL},
         .opt_size = 1},
    .measure = measure_oblivious};
