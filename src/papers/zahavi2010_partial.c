/* SPDX-License-Identifier: BSD-2-Clause */
/* Zahavi, section V.B: jobs on part of a real-life fat tree.
 *
 * The text asks for destinations that are "contiguous modulo" the products of w, and then speaks of any set. Both are
 * checked: runs of whole periods left out at every offset, with the tables of the full tree, and random sets, which
 * need tables numbered by the nodes that take part. One count of all Shift stages per offset: N^2 flows. */
#include "zahavi2010.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random sets ---------------------------------------------------------------------------- */

/* Largest average HSD of Shift over random sets of n nodes. */
static hd_status zahavi_worst_set(struct hd_paper_run *run, const char *spec, const char *table, uint32_t n,
                                  double *worst)
{
    uint32_t sets = run->full ? 20 : 3;
    *worst = 0;
    for (uint32_t i = 0; i < sets; i++) {
        char net[128];
        struct hd_result r;
        struct hd_request q = {.pattern = "shift", .metric = "hsd"};
        snprintf(net, sizeof net, "%s,partial=random:%u,seed=%u", spec, n, i + 1);
        HD_TRY(hd_paper_eval(run, net, table, &q, &r));
        *worst = fmax(*worst, r.value);
    }
    return HD_OK;
}

static hd_status zahavi_set_rows(struct hd_paper_run *run, const struct zahavi_tree *t)
{
    double worst;
    uint32_t n = t->used / t->period * t->period;
    HD_TRY(zahavi_worst_set(run, t->spec, "dmodk:index=selected", n, &worst));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), worst, "average HSD, renumbered tables", "shift, any %u of %u",
                 n, t->endpoints);
    HD_TRY(zahavi_worst_set(run, t->spec, "dmodk", n, &worst));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, 1, 0,
                          "of \"any set\" this takes tables numbered by the nodes that take part (dmodk:index=); with "
                          "those of the full tree it holds where what is left out are runs of whole periods, at any "
                          "offset: \"contiguous modulo\", as the text has it a sentence before"),
                 worst, "average HSD, tables of the full tree", "shift, any %u of %u", n, t->endpoints);
    n = t->used + t->wprod;
    HD_TRY(zahavi_worst_set(run, t->spec, "dmodk:index=selected", n, &worst));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, 1, 0,
                          "a multiple of the product of all w, as stated, is not enough with parallel cables: "
                          "it takes the least common multiple of W_l w_{l+1} p_{l+1} over the levels"),
                 worst, "average HSD, renumbered tables", "shift, any %u of %u", n, t->endpoints);
    return HD_OK;
}

/* ---- runs of nodes left out ----------------------------------------------------------------- */

struct zahavi_job {
    struct hd_ctx *ctx;
    const struct hd_routes *routes;
    struct hd_nodes *all;
    uint32_t *which;
};

/* Largest HSD of the nodes without the runs of that length from a and, where it differs, from b. */
static hd_status zahavi_without(const struct zahavi_job *job, uint32_t length, uint32_t a, uint32_t b, enum hd_case use,
                                double *hsd)
{
    struct hd_nodes *left;
    struct hd_hsd count;
    uint32_t n = 0;
    for (uint32_t i = 0; i < job->all->n; i++)
        if (i - a >= length && i - b >= length) job->which[n++] = i; /* unsigned: below a or b is far above */
    HD_TRY(hd_nodes_pick(job->ctx, job->all, job->which, n, &left));
    hd_status s = hd_order_count(job->ctx, job->routes, left, NULL, use, &count);
    hd_nodes_free(left);
    *hsd = count.max;
    return s;
}

/* Share of the offsets 0, step, 2 step, .. of a run of that length at which what is left has HSD 1. */
static hd_status zahavi_offsets(const struct zahavi_job *job, uint32_t length, uint32_t step, enum hd_case use,
                                double *share)
{
    uint32_t offsets = 0, free_of = 0;
    for (uint32_t a = 0; a + length <= job->all->n; a += step, offsets++) {
        double hsd;
        HD_TRY(zahavi_without(job, length, a, a, use, &hsd));
        free_of += hsd <= 1;
    }
    *share = (double)free_of / offsets;
    return HD_OK;
}

/* The same with two runs: the first at eight offsets, the second at as many behind it, where there is room. */
static hd_status zahavi_two_runs(const struct zahavi_job *job, uint32_t length, double *share)
{
    uint32_t pairs = 0, free_of = 0, n = job->all->n, step = (n - 2 * length) / 8 | 1;
    for (uint32_t a = 0; a + 2 * length <= n; a += step)
        for (uint32_t b = a + length + step / 2; b + length <= n; b += step, pairs++) {
            double hsd;
            HD_TRY(zahavi_without(job, length, a, b, HD_CASE_SHIFT, &hsd));
            free_of += hsd <= 1;
        }
    *share = (double)free_of / pairs;
    return HD_OK;
}

static hd_status zahavi_run_rows(struct hd_paper_run *run, const struct zahavi_tree *t, const struct zahavi_job *job)
{
    static const char quantity[] = "share of offsets with HSD 1";
    bool large = t->endpoints > 1000;
    uint32_t left = t->endpoints - t->used, step = large ? 97 : 1;
    double share;
    HD_TRY(zahavi_offsets(job, left, run->full ? 1 : step, HD_CASE_SHIFT, &share));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), share, quantity, "shift, %u in a row left out of %u", left,
                 t->endpoints);
    if (left != t->period) {
        HD_TRY(zahavi_offsets(job, t->period, step, HD_CASE_SHIFT, &share));
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), share, quantity, "shift, %u in a row left out of %u",
                     t->period, t->endpoints);
    }
    HD_TRY(zahavi_offsets(job, t->period / 2, step, HD_CASE_SHIFT, &share));
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), share, quantity,
                 "shift, %u in a row left out of %u (half a period)", t->period / 2, t->endpoints);
    HD_TRY(zahavi_two_runs(job, t->period, &share));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), share, "share of pairs of offsets with HSD 1",
                 "shift, two runs of %u left out of %u", t->period, t->endpoints);
    HD_TRY(zahavi_offsets(job, left, step, HD_CASE_RECDBL_TREE, &share));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, 1, 0,
                          t->endpoints < 1000
                              ? NULL
                              : "always enough on two levels; on three a run that cuts leaves makes them unequal, and "
                                "nodes without a partner in every leaf need extra stages, whose displacements differ"),
                 share, quantity, "recdbl-tree, %u in a row left out of %u", left, t->endpoints);
    return HD_OK;
}

/* Section VI: "in any case" tree-aware doubling avoids congestion. */
static hd_status zahavi_unaligned_row(struct hd_paper_run *run, const struct zahavi_job *job)
{
    double hsd;
    HD_TRY(zahavi_without(job, 144, 77, 77, HD_CASE_RECDBL_TREE, &hsd));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, 1, 0,
                          "one extra stage, which brings the result to nodes without a partner in every leaf, has "
                          "three flows on a link; the schedule is a correct allreduce"),
                 hsd, "largest HSD, tables of the full tree", "recdbl-tree, 1728 without 77 to 220");
    return HD_OK;
}

static hd_status zahavi_runs(struct hd_paper_run *run, const struct zahavi_tree *t)
{
    struct zahavi_job job = {.ctx = run->ctx};
    HD_TRY(hd_paper_routes(run, t->spec, "dmodk", &job.routes));
    HD_TRY(hd_nodes_read(run->ctx, hd_routes_net(job.routes), NULL, 1, &job.all));
    job.which = calloc(job.all->n, sizeof *job.which);
    hd_status s = job.which ? zahavi_run_rows(run, t, &job) : hd_fail_memory(run->ctx);
    if (s == HD_OK && t->endpoints == 1728) s = zahavi_unaligned_row(run, &job);
    free(job.which);
    hd_nodes_free(job.all);
    return s;
}

/* ---- the item ------------------------------------------------------------------------------- */

static hd_status zahavi_subtree_rows(struct hd_paper_run *run, const struct zahavi_tree *t)
{
    static const char *const patterns[] = {"shift", "recdbl-tree"};
    for (size_t i = 0; i < 2; i++) {
        char net[128];
        struct hd_result r;
        snprintf(net, sizeof net, "%s,partial=endpoints:%u", t->spec, t->used);
        HD_TRY(hd_zahavi_hsd(run, net, patterns[i], "natural", &r));
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), r.max, "largest HSD, tables of the full tree",
                     "%s, first %u of %u", patterns[i], t->used, t->endpoints);
    }
    return HD_OK;
}

hd_status hd_zahavi_partial(struct hd_paper_run *run)
{
    for (uint32_t t = 0; t < ZAHAVI_TREES; t++) {
        HD_TRY(zahavi_subtree_rows(run, &hd_zahavi_trees[t]));
        HD_TRY(zahavi_runs(run, &hd_zahavi_trees[t]));
        HD_TRY(zahavi_set_rows(run, &hd_zahavi_trees[t]));
    }
    const struct hd_net *net;
    HD_TRY(hd_paper_net(run, "pgft:m=18x18x36,w=1x18x18,p=1x1x1", &net));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 36, 0, NULL), net->nep / 324, "multiples of 324 nodes",
                 "RLFT(3;18,18,36;1,18,18;1,1,1)");
    if (!run->full) return HD_OK;
    struct hd_result r;
    struct hd_request q = {.pattern = "shift", .metric = "hsd"};
    HD_TRY(hd_paper_eval(run, "pgft:m=18x18x36,w=1x18x18,p=1x1x1,partial=random:9720", "dmodk:index=selected", &q, &r));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), r.max, "largest HSD, renumbered tables",
                 "shift, any 9720 of 11664");
    return HD_OK;
}
