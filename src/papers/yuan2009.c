/* SPDX-License-Identifier: BSD-2-Clause */
/* Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with uncertain
 * traffic demands.
 *
 * Table 1 gives formulas; each is held against the exact ratio (a maximum matching on every channel) for
 * several sizes. Of Figures 10 and 11 only what the text says of them is known. */
#include "papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAPER "yuan2009"
#define NUMBER "003"
#define CITE                                                                                                           \
    "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with uncertain traffic "  \
    "demands"

static hd_status oblivious(struct hd_paper_run *run, uint32_t m, uint32_t n, const char *table, double *value)
{
    char net[32];
    struct hd_request q = {.metric = "oblivious"};
    struct hd_result r;
    snprintf(net, sizeof net, "ft:m=%u,n=%u", m, n);
    HD_TRY(hd_paper_eval(run, net, table, &q, &r));
    *value = r.value;
    return HD_OK;
}

/* ---- Table 1 -------------------------------------------------------------------------------- */

enum { FORMULAS = 4 };

static double one(double half)
{
    (void)half;
    return 1;
}

static double half_of(double half)
{
    return half;
}

static double all_but_one(double half)
{
    return 2 * half - 1;
}

static const struct {
    uint32_t levels;
    const char *table[FORMULAS];
    double (*ratio[FORMULAS])(double half); /* of m/2 */
    uint32_t m[5], large[5];                /* large: with --full only */
} table1[] = {
    {2, {"omrmn", "osrm2", "mlid", "wsr"}, {one, sqrt, half_of, half_of}, {2, 8, 18, 32}, {50}},
    {3, {"omrmn", "osrm3", "mlid", "wsr"}, {one, half_of, all_but_one, all_but_one}, {4, 6, 8, 10, 12}, {14, 16}},
};

static hd_status table1_rows(struct hd_paper_run *run, uint32_t m, size_t i)
{
    for (int t = 0; t < FORMULAS; t++) {
        double value;
        const char *table = table1[i].table[t];
        HD_TRY(oblivious(run, m, table1[i].levels, table, &value));
        hd_paper_put(run, hd_claim(HD_ROW_IS, table1[i].ratio[t](m / 2.0), 0, NULL), value, "oblivious ratio",
                     "FT(%u,%u) %s", m, table1[i].levels, table);
    }
    return HD_OK;
}

/* The printed OSRM2 on m/2 that is no square: its largest top switch, and the ratio of the corrected one. */
static hd_status overflow_rows(struct hd_paper_run *run, uint32_t m)
{
    uint32_t half = m / 2, zd = (uint32_t)sqrt(half), zs = zd + 1, ns = (half + zs - 1) / zs, nd = (half + zd - 1) / zd;
    double value;
    hd_paper_put(run,
                 hd_claim(HD_ROW_AT_MOST, half - 1, 0,
                          "the index s1/Ns Nd + d1/Nd of Figure 8 leaves the network wherever m/2 is no square; "
                          "s1/Ns Zd + d1/Nd with fewer source groups does not"),
                 (half - 1) / ns * nd + (half - 1) / nd, "largest number of a top switch", "FT(%u,2) OSRM2 as printed",
                 m);
    HD_TRY(oblivious(run, m, 2, "osrm2:balance=none", &value));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, sqrt(half), 0,
                          "a ratio of single paths is whole, sqrt(m/2) is not; the corrected OSRM2 has "
                          "ceil((m/2) / floor(sqrt(m/2)))"),
                 value, "oblivious ratio", "FT(%u,2) osrm2:balance=none", m);
    hd_paper_put(run, hd_claim(HD_ROW_IS, nd, 0, NULL), value, "oblivious ratio, corrected form",
                 "FT(%u,2) osrm2:balance=none", m);
    return HD_OK;
}

static hd_status yuan_run_table1(struct hd_paper_run *run)
{
    for (size_t i = 0; i < sizeof table1 / sizeof *table1; i++) {
        for (int k = 0; k < 5 && table1[i].m[k]; k++) HD_TRY(table1_rows(run, table1[i].m[k], i));
        for (int k = 0; run->full && k < 5 && table1[i].large[k]; k++) HD_TRY(table1_rows(run, table1[i].large[k], i));
    }
    for (uint32_t m = 12; m <= 24; m += 4) HD_TRY(overflow_rows(run, m));
    return HD_OK;
}

/* ---- lower bounds --------------------------------------------------------------------------- */

static hd_status bound_row(struct hd_paper_run *run, uint32_t m, uint32_t n, const char *table, double bound,
                           const char *lemma)
{
    char quantity[64];
    double value;
    HD_TRY(oblivious(run, m, n, table, &value));
    snprintf(quantity, sizeof quantity, "oblivious ratio, %s", lemma);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, bound, 0, NULL), value, quantity, "FT(%u,%u) %s", m, n, table);
    return HD_OK;
}

static hd_status yuan_run_bounds(struct hd_paper_run *run)
{
    static const char *const tables[] = {"dmodk", "smodk", "minhop", "updown", "ftree", "random"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) HD_TRY(bound_row(run, 8, 2, tables[i], 2, "Lemma 10"));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) HD_TRY(bound_row(run, 8, 3, tables[i], 4, "Lemma 11"));
    for (uint32_t n = 4; n <= 7; n++) {
        HD_TRY(bound_row(run, 4, n, "dmodk", pow(2, (n - 1) / 3), "Lemma 12"));
        HD_TRY(bound_row(run, 4, n, "dmodk", pow(2, (2 * n / 3) / 2.0), "Lemma 9 at level 2n/3"));
    }
    return HD_OK;
}

/* ---- Figure 10 ------------------------------------------------------------------------------ */

static hd_status run_fig10(struct hd_paper_run *run)
{
    static const char *const tables[] = {"osrm3", "mlid", "wsr"};
    static const double all[] = {0.1, 0.2, 0.3, 0.5, 0.7, 0.9}, few[] = {0.1, 0.3};
    const double *p = run->full ? all : few;
    size_t n = run->full ? 6 : 2;
    for (size_t t = 0; t < 3; t++) {
        double first = 0, last = 0, ci = 0;
        for (size_t i = 0; i < n; i++) {
            char pattern[32];
            struct hd_request q = {.pattern = pattern, .metric = "ratio", .samples = run->full ? 50 : 8};
            struct hd_result r;
            snprintf(pattern, sizeof pattern, "uniform:p=%g", p[i]);
            HD_TRY(hd_paper_eval(run, "ft:m=16,n=3", tables[t], &q, &r));
            if (i == 0) first = r.value;
            last = r.value;
            ci = fmax(ci, r.ci);
            hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0.05, NULL), r.value, "performance ratio: very close to 1",
                         "FT(16,3) %s, p = %g", tables[t], p[i]);
        }
        hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 1, hd_paper_widen(run, 0, ci, 1), NULL), first / last,
                     "ratio sparse / dense: slightly more", "FT(16,3) %s", tables[t]);
    }
    return HD_OK;
}

/* ---- Figure 11 ------------------------------------------------------------------------------ */

static hd_status run_fig11(struct hd_paper_run *run)
{
    static const char *const tables[] = {"osrm2", "mlid", "wsr"};
    for (uint32_t size = 2; size <= 128; size *= 2) {
        char pattern[32];
        struct hd_request q = {.pattern = pattern, .metric = "ratio", .samples = 50};
        struct hd_result r[3];
        snprintf(pattern, sizeof pattern, "clustered:size=%u", size);
        for (int t = 0; t < 3; t++) {
            HD_TRY(hd_paper_eval(run, "ft:m=32,n=2", tables[t], &q, &r[t]));
            hd_paper_put(run, hd_claim(t ? HD_ROW_ABOVE : HD_ROW_AT_MOST, t == 0 || size == 2 ? 4 : NAN, 0, NULL),
                         t ? r[t].value : r[t].max, size == 2 && t ? "average performance ratio" : "performance ratio",
                         "FT(32,2) %s, groups of %u", tables[t], size);
        }
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), r[2].value / r[1].value, "ratio wsr / mlid",
                     "FT(32,2), groups of %u", size);
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, NULL), r[0].value / r[1].value, "ratio osrm2 / mlid",
                     "FT(32,2), groups of %u", size);
    }
    return HD_OK;
}

const struct hd_paper_item hd_yuan2009[] = {
    HD_PAPER_ITEM(yuan_run_table1, "table1", "Table 1 and Figure 8",
                  "oblivious performance ratios on FT(m,2) and FT(m,3)",
                  "Exact: the largest ratio over all traffic of a routing's load to that of the best routing. The "
                  "formulas of the table, for several m; then OSRM2 where m/2 is no square, which its printed form "
                  "does not serve."),
    HD_PAPER_ITEM(yuan_run_bounds, "bounds", "section 3", "no single-path routing is below the lower bounds",
                  "Lemmas 10 to 12: sqrt(m/2) on FT(m,2), m/2 on FT(m,3), (m/2)^floor((n-1)/3) on FT(m,n). Lemma 9 "
                  "taken at the level floor(2n/3) gives (m/2)^(floor(2n/3)/2), which is more than Lemma 12 from n = "
                  "5."),
    HD_PAPER_ITEM(run_fig10, "fig10", "Figure 10",
                  "uniform random traffic on FT(16,3): all single-path routings are near the optimum",
                  "Mean over random instances (50 with --full, as in the paper). \"Very close to 1\" is taken as 5 %."),
    HD_PAPER_ITEM(run_fig11, "fig11", "Figure 11",
                  "all-to-all in random groups on FT(32,2): OSRM2 keeps its bound and is ahead",
                  "Mean over 50 random instances, as in the paper; for OSRM2 the largest of them, to which its "
                  "guarantee of 4 refers. With groups of two MLID and WSR average above 4; WSR is exactly MLID on "
                  "such traffic."),
    {.run = NULL}};
