/* SPDX-License-Identifier: BSD-2-Clause */
/* What this library claims of opt on two-level trees whose number of tops is no square: a worst case below that of the
 * published grouping, and the least possible one in the cases listed here. docs/pair-covers.md has the construction. */
#include "papers.h"

#include <math.h>
#include <stdio.h>

static hd_status covers_worst(struct hd_paper_run *run, const char *spec, const char *table, double *value)
{
    struct hd_request q = {.metric = "worst"};
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
        HD_TRY(covers_worst(run, spec, "opt:balance=none", &grid));
        HD_TRY(covers_worst(run, spec, "opt", &ours));
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, grid, 0, NULL), ours, "worst: below the published grouping",
                     "T(%d+%d,%d) opt", trees[i].n, trees[i].m, trees[i].r);
        hd_paper_put(run, hd_claim(HD_ROW_IS, ceil(trees[i].n / sqrt(trees[i].m) - 1e-9), 0, NULL), ours,
                     "worst: the least possible", "T(%d+%d,%d) opt", trees[i].n, trees[i].m, trees[i].r);
    }
    return HD_OK;
}

const struct hd_paper_item hd_own_covers[] = {
    {.desc = {.name = "own-covers",
              .summary = "two-level trees: worst case below OPT's where the number of tops is no square",
              .text =
                  "Claimed: where m is no square, opt covers the pairs of local numbers by m rectangles with shorter "
                  "sides than those of a grid, and on these trees no single-path routing has a smaller worst case: "
                  "ceil(n / sqrt m), by counting pairs.",
              .cite = "heddle",
              .opt_size = 1},
     .run = covers_run_worst},
    {.run = NULL}};
