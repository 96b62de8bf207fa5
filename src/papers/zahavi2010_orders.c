/* SPDX-License-Identifier: BSD-2-Clause */
/* Zahavi, Figure 3 and Table 3: hot-spot degrees under random rank orders.
 *
 * Both leave something open, and every reading is a row: the tuples of Table 3 as printed and as they must be to be
 * RLFTs, recursive doubling as equation 2 and as equations 3 to 7 have it. The figure is said to grow exponentially,
 * which is a statement about a fit. Cost: one evaluation of all stages per order. */
#include "zahavi2010.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

hd_status hd_zahavi_random(struct hd_paper_run *run, const char *net, const char *pattern, uint32_t orders,
                           struct zahavi_mean *mean)
{
    double sum = 0, square = 0;
    struct zahavi_mean m = {.low = INFINITY};
    for (uint32_t i = 0; i < orders; i++) {
        struct hd_result r;
        char ranks[64];
        snprintf(ranks, sizeof ranks, "random:seed=%llu",
                 (unsigned long long)((hd_ctx_seed(run->ctx) & 0xffffffffffu) * 1000 + i));
        HD_TRY(hd_zahavi_hsd(run, net, pattern, ranks, &r));
        sum += r.value;
        square += r.value * r.value;
        m.low = fmin(m.low, r.value);
        m.high = fmax(m.high, r.value);
    }
    m.value = sum / orders;
    double variance = orders > 1 ? fmax(0, (square - sum * m.value) / (orders - 1)) : 0;
    m.ci = 2 * 2.576 * sqrt(variance / orders);
    *mean = m;
    return HD_OK;
}

/* ---- Figure 3 ------------------------------------------------------------------------------- */

static const uint32_t zahavi_sizes[ZAHAVI_TREES] = {128, 324, 1728, 1944};

/* How much of the variance of y a straight line through (x, y) explains. */
static double zahavi_line_fit(const double *x, const double *y)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < ZAHAVI_TREES; i++) {
        mx += x[i] / ZAHAVI_TREES;
        my += y[i] / ZAHAVI_TREES;
    }
    for (int i = 0; i < ZAHAVI_TREES; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xy * xy / (xx * yy);
}

/* Exponential in the size, a exp(b N), is a line of log HSD over N; the rival is a + b log N. falls: at first, from 128
 * nodes, which are a power of two, to 324, which need two stages more; there neither says much. */
static void zahavi_growth_rows(const struct hd_paper_run *run, const char *subject, const double *value, bool falls)
{
    double size[ZAHAVI_TREES], log_size[ZAHAVI_TREES], log_value[ZAHAVI_TREES];
    for (int i = 0; i < ZAHAVI_TREES; i++) {
        size[i] = zahavi_sizes[i];
        log_size[i] = log(size[i]);
        log_value[i] = log(value[i]);
    }
    double rate = (log_value[1] - log_value[0]) / (size[1] - size[0]);
    double exponential = zahavi_line_fit(size, log_value), logarithm = zahavi_line_fit(log_size, value);
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 1, 0, NULL), value[3] / value[0], "HSD on 1944 / HSD on 128", "%s",
                 subject);
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), exponential, "R^2 of a exp(b N)", "%s", subject);
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), logarithm, "R^2 of a + b log N", "%s", subject);
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), value[0] * exp(rate * (size[3] - size[0])),
                 "HSD on 1944, exponential through 128 and 324", "%s", subject);
    hd_paper_put(run,
                 hd_claim(HD_ROW_AT_LEAST, 1, 0,
                          falls ? NULL
                                : "it grows, but by a logarithm: fifteen times the nodes add half to the degree, and "
                                  "an exponential through the two smaller trees would be two to four times as high"),
                 exponential / logarithm, "R^2, exponential / logarithm", "%s", subject);
}

hd_status hd_zahavi_fig3(struct hd_paper_run *run)
{
    static const char *const nets[ZAHAVI_TREES] = {"ft:m=16,n=2", "pgft:m=18x18,w=1x9,p=1x2",
                                                   "pgft:m=12x12x12,w=1x12x6,p=1x1x2",
                                                   "pgft:m=18x18x6,w=1x18x3,p=1x1x6"};
    static const struct {
        const char *pattern, *printed;
        bool grows;
    } rows[] = {
        {"ring", "Ring", true},          {"shift", "Shift", true},          {"recdbl", "Butterfly", true},
        {"binomial", "Binomial", false}, {"bruck", "Dissemination", false}, {"tournament", "Tournament", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value[ZAHAVI_TREES];
        char subject[64];
        for (uint32_t t = 0; t < ZAHAVI_TREES; t++) {
            struct zahavi_mean mean;
            HD_TRY(hd_zahavi_random(run, nets[t], rows[i].pattern, run->full || i != 1 ? 25 : 4, &mean));
            value[t] = mean.value;
            snprintf(subject, sizeof subject, "%s (%s) on %u", rows[i].printed, rows[i].pattern, zahavi_sizes[t]);
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), mean.value, "average HSD, random orders", "%s",
                         subject);
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), mean.low, "error bar, lowest order", "%s", subject);
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), mean.high, "error bar, highest order", "%s", subject);
        }
        snprintf(subject, sizeof subject, "%s (%s)", rows[i].printed, rows[i].pattern);
        if (rows[i].grows) zahavi_growth_rows(run, subject, value, i == 2);
    }
    return HD_OK;
}

/* ---- Table 3 -------------------------------------------------------------------------------- */

static const struct zahavi_table3 {
    const char *pattern;
    bool partial, printed; /* printed: the tuple */
    double published[ZAHAVI_TREES];
} zahavi_table3[] = {
    {"shift", false, false, {3.75, 4.32, 5.24, 5.41}},      {"shift", true, false, {3.50, 4.28, 1.98, 5.22}},
    {"shift", false, true, {3.75, 4.32, 5.24, 5.41}},       {"shift", true, true, {3.50, 4.28, 1.98, 5.22}},
    {"recdbl-tree", false, false, {2.9, 3.25, 4.26, 4.26}}, {"recdbl-tree", true, false, {2.8, 3.7, 4.47, 4.06}},
    {"recdbl", false, false, {2.9, 3.25, 4.26, 4.26}},      {"recdbl", true, false, {2.8, 3.7, 4.47, 4.06}},
};

/* Of n nodes; NULL: it agrees. */
static const char *zahavi_table3_known(const struct zahavi_table3 *row, uint32_t n)
{
    bool two_levels = n <= 324;
    if (strcmp(row->pattern, "shift") == 0 && n == 1584)
        return "a misprint or another experiment: 1.98 is below every random order, and near what 1584 nodes left over "
               "by random exclusion give in tree order with the tables of the full tree (see the row on that)";
    if (row->printed && two_levels)
        return "not the tree that was run: the printed tuple has twice the uplinks of an RLFT, and a lower degree; "
               "the row with the corrected tuple agrees";
    if (strcmp(row->pattern, "recdbl-tree") == 0 && n == 1584)
        return "none of 60 orders reaches it in the tree-aware form; of the plain form one order in ten does, and its "
               "row agrees";
    if (strcmp(row->pattern, "recdbl") == 0 && (n <= 144 || n == 324 || n == 1296))
        return "the row of the tree-aware form agrees; which form was counted is not stated";
    return NULL;
}

static hd_status zahavi_table3_row(struct hd_paper_run *run, const struct zahavi_table3 *row, uint32_t t, double *value)
{
    const struct zahavi_tree *tree = &hd_zahavi_trees[t];
    bool shift = strcmp(row->pattern, "shift") == 0;
    char net[128];
    uint32_t n = row->partial ? tree->used : tree->endpoints;
    struct zahavi_mean mean;
    snprintf(net, sizeof net, row->partial ? "%s,partial=endpoints:%u" : "%s",
             row->printed ? tree->printed_spec : tree->spec, n);
    HD_TRY(hd_zahavi_random(run, net, row->pattern, shift ? (run->full ? 25 : 4) : run->full ? 400 : 25, &mean));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, row->published[t],
                          hd_paper_widen(run, shift ? 0.04 : 0.05, mean.ci, row->published[t]),
                          zahavi_table3_known(row, n)),
                 mean.value, row->printed ? "average HSD, random orders, printed tuple" : "average HSD, random orders",
                 "%s, %u of %u", row->pattern, n, tree->endpoints);
    *value = mean.value;
    return HD_OK;
}

hd_status hd_zahavi_table3(struct hd_paper_run *run)
{
    double most = 0, value;
    for (size_t i = 0; i < sizeof zahavi_table3 / sizeof *zahavi_table3; i++)
        for (uint32_t t = 0; t < ZAHAVI_TREES; t++) {
            HD_TRY(zahavi_table3_row(run, &zahavi_table3[i], t, &value));
            if (!zahavi_table3[i].printed) most = fmax(most, value);
        }
    struct hd_result r;
    HD_TRY(hd_zahavi_hsd(run, "pgft:m=12x12x12,w=1x12x6,p=1x1x2,partial=random:1584", "shift", "natural", &r));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1.98, 0.02, NULL), r.value,
                 "average HSD, tree order, tables of the full tree", "shift, 1584 of 1728 at random");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 5.2, 0.05, NULL), most, "largest improvement", "random order / tree order");
    return HD_OK;
}
