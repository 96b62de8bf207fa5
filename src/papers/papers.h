/* SPDX-License-Identifier: BSD-2-Clause */
/* An item of a paper: a table, a figure, a set of claims. */
#ifndef HD_PAPERS_PAPERS_H
#define HD_PAPERS_PAPERS_H

#include "base/arena.h"
#include "heddle/paper.h"
#include "heddle/flow.h"
#include "heddle/registry.h"

struct hd_paper_kept; /* what an item has simulated and another asks for again */

struct hd_paper_run {
    struct hd_ctx *ctx;
    bool full;
    char paper[8], item[32];
    void (*row)(void *user, const struct hd_paper_row *row);
    void *user;
    struct hd_net *net; /* at hand: rows come network by network, routing by routing */
    struct hd_routes *routes;
    char net_text[HD_MAX_SPEC], table_text[HD_MAX_SPEC];
    uint64_t scramble;  /* seed of the numbering of networks opened next; 0: as generated */
    uint64_t scrambled; /* that of the one at hand */
    struct hd_arena arena;
    struct hd_paper_kept *kept; /* geoffray2008.c's; in the arena */
};

struct hd_paper_item {
    struct hd_desc desc; /* the name is "paper-item" */
    hd_status (*run)(struct hd_paper_run *run);
};

/* The network by spec, and routes on it; they stay the run's, until the next other one. */
hd_status hd_paper_net(struct hd_paper_run *run, const char *net, const struct hd_net **out);
hd_status hd_paper_routes(struct hd_paper_run *run, const char *net, const char *table, const struct hd_routes **out);
hd_status hd_paper_eval(struct hd_paper_run *run, const char *net, const char *table, const struct hd_request *q,
                        struct hd_result *result);

/* Passes a row on: paper and item are filled in, ok is worked out. */
void hd_paper_put(const struct hd_paper_run *run, struct hd_paper_row row);
/* The tolerance, widened by half the confidence width (relative to published) where the run is not full. */
double hd_paper_widen(const struct hd_paper_run *run, double tolerance, double ci, double published);

extern const struct hd_paper_item hd_paper_000_table1, hd_paper_000_table2, hd_paper_000_bounds;
extern const struct hd_paper_item hd_paper_001_fig2, hd_paper_001_fig3, hd_paper_001_fig4, hd_paper_001_fig5,
    hd_paper_001_fig6, hd_paper_001_study, hd_paper_001_fig7, hd_paper_001_routes;
extern const struct hd_paper_item hd_paper_002_fig2, hd_paper_002_fig4a, hd_paper_002_fig4c, hd_paper_002_fig4d,
    hd_paper_002_fig4e, hd_paper_002_fig5, hd_paper_002_fig6, hd_paper_002_fig8, hd_paper_002_fig9;
extern const struct hd_paper_item hd_paper_003_table1, hd_paper_003_bounds, hd_paper_003_fig10, hd_paper_003_fig11;
extern const struct hd_paper_item hd_paper_004_fig1, hd_paper_004_fig2, hd_paper_004_fig3, hd_paper_004_fig4,
    hd_paper_004_fig6, hd_paper_004_table2, hd_paper_004_table3, hd_paper_004_theorems, hd_paper_004_partial;
extern const struct hd_paper_item hd_paper_own_settle, hd_paper_own_balance, hd_paper_own_degraded, hd_paper_own_opensm;

#endif
