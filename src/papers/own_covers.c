/* SPDX-License-Identifier: BSD-2-Clause */
/* What this library claims of opt and osrm2 on two-level trees whose number of tops is no square: a worst case below
 * that of the published grouping, and the least possible one in the cases listed here. docs/pair-covers.md has the
 * construction. */
#include "papers.h"

#include <math.h>
#include <stdio.h>

static hd_status covers_value(struct hd_paper_run *run, const char *spec, const char *table, const char *metric,
                              double *value)
{
    struct hd_request q = {.metric = metric};
    struct hd_result r;
    HD_TRY(hd_paper_eval(run, spec, table, &q, &r));
    *value = r.value;
    return HD_OK;
}

static hd_status covers_run_worst(struct hd_paper_run *run)
{
    static const struct {
        int n, m, r;
        bool large; /* only in full runs */
    } trees[] = {{7, 7, 14, false},   {14, 7, 21, false},  {8, 8, 16, false},   {16, 8, 24, false}, {24, 8, 32, false},
                 {13, 13, 26, false}, {26, 13, 39, false}, {14, 14, 28, false}, {21, 21, 42, true}, {31, 31, 62, true}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        char spec[64];
        double grid, ours;
        if (trees[i].large && !run->full) continue;
        snprintf(spec, sizeof spec, "gft:n=%d,m=%d,r=%d", trees[i].n, trees[i].m, trees[i].r);
        HD_TRY(covers_value(run, spec, "opt:balance=none", "worst", &grid));
        HD_TRY(covers_value(run, spec, "opt", "worst", &ours));
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, grid, 0, NULL), ours, "worst: below the published grouping",
                     "T(%d+%d,%d) opt", trees[i].n, trees[i].m, trees[i].r);
        hd_paper_put(run, hd_claim(HD_ROW_IS, ceil(trees[i].n / sqrt(trees[i].m) - 1e-9), 0, NULL), ours,
                     "worst: the least possible", "T(%d+%d,%d) opt", trees[i].n, trees[i].m, trees[i].r);
    }
    return HD_OK;
}

/* The same of osrm2, whose ratio on FT(m,2) is its worst case; sqrt(m/2) by Lemma 10 of its paper, rounded up. */
static hd_status covers_run_ratio(struct hd_paper_run *run)
{
    static const uint32_t ports[] = {14, 16, 26, 28, 42, 62};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        char spec[64];
        double grid, ours;
        if (ports[i] > 40 && !run->full) continue;
        snprintf(spec, sizeof spec, "ft:m=%u,n=2", ports[i]);
        HD_TRY(covers_value(run, spec, "osrm2:balance=none", "oblivious", &grid));
        HD_TRY(covers_value(run, spec, "osrm2", "oblivious", &ours));
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, grid, 0, NULL), ours, "oblivious ratio: below the published grouping",
                     "FT(%u,2) osrm2", ports[i]);
        hd_paper_put(run, hd_claim(HD_ROW_IS, ceil(sqrt(ports[i] / 2.0)), 0, NULL), ours,
                     "oblivious ratio: the least possible", "FT(%u,2) osrm2", ports[i]);
    }
    return HD_OK;
}

/* Three levels: n endpoints of a subtree, m roots. */
static hd_status covers_run_three(struct hd_paper_run *run)
{
    static const struct {
        const char *spec;
        int n, m;
    } trees[] = {{"xgft:m=4x4x8,w=1x2x4", 16, 8}, {"xgft:m=4x6x8,w=1x2x4", 24, 8}, {"xgft:m=5x5x9,w=1x3x5", 25, 15}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        double dmodk, grid, ours;
        HD_TRY(covers_value(run, trees[i].spec, "dmodk", "worst", &dmodk));
        HD_TRY(covers_value(run, trees[i].spec, "opt:balance=none", "worst", &grid));
        HD_TRY(covers_value(run, trees[i].spec, "opt", "worst", &ours));
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, dmodk, 0, NULL), ours, "worst: below D-mod-K", "%s opt",
                     trees[i].spec);
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, grid, 0, NULL), ours, "worst: below a grid of groups", "%s opt",
                     trees[i].spec);
        hd_paper_put(run, hd_claim(HD_ROW_IS, ceil(trees[i].n / sqrt(trees[i].m) - 1e-9), 0, NULL), ours,
                     "worst: the least possible", "%s opt", trees[i].spec);
    }
    return HD_OK;
}

static hd_status covers_run(struct hd_paper_run *run)
{
    HD_TRY(covers_run_worst(run));
    HD_TRY(covers_run_three(run));
    return covers_run_ratio(run);
}

const struct hd_paper_item hd_own_covers[] = {
    {.desc =
         {.name = "own-covers",
          .summary = "trees: worst case below OPT's and OSRM2's where the number of tops is no square",
          .text =
              "Claimed: where m is no square, opt covers the pairs of local numbers by m rectangles with shorter "
              "sides than those of a grid, and on these trees no single-path routing has a smaller worst case: "
              "ceil(n / sqrt m), by counting pairs. osrm2 does the same on FT(m,2), where its ratio becomes the "
              "least possible one, ceil(sqrt(m/2)). On three levels opt covers the pairs of a subtree's endpoints by "
              "the roots.",
          .cite = "heddle",
          .opt_size = 1},
     .run = covers_run},
    {.run = NULL}};
