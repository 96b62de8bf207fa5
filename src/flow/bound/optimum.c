/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses how the optimum of a set of flows is found: cuts where they are exact, else a linear program where the
 * network is small enough (optimum_lp.c), else cuts as a bound. O(flows * levels of cuts) without the program. */
#include "flow/bound/optimum.h"
#include "base/status.h"
#include "base/threads.h"

hd_status hd_optimum_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_optimum *o)
{
    int threads = hd_threads(ctx);
    *o = (struct hd_optimum){.sums = HD_NEW(arena, struct hd_cut_sums, (size_t)threads)};
    if (!o->sums) return hd_fail_memory(ctx);
    HD_TRY(hd_rates_of(ctx, net, &o->rates));
    HD_TRY(hd_cuts_of(ctx, net, &o->cuts));
    for (int t = 0; t < threads; t++) HD_TRY(hd_cut_sums_init(ctx, arena, o->cuts, &o->sums[t]));
    o->program = !o->cuts->exact && hd_optimum_has_program(net, o->cuts->ngroup[1]);
    return HD_OK;
}

double hd_optimum_load(const struct hd_optimum *o, int t, const struct hd_flows *f)
{
    double least = hd_cuts_load(o->cuts, &o->sums[t], f);
    return o->program ? hd_optimum_program(o->cuts, o->rates, f, least) : least;
}

const char *hd_optimum_name(const struct hd_optimum *o)
{
    if (o->cuts->exact) return "the optimum is exact: the cuts of an intact tree";
    return o->program ? "the optimum is exact: a linear program"
                      : "the optimum is only bounded, by cuts: an upper bound";
}
