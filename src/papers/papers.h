/* SPDX-License-Identifier: BSD-2-Clause */
/* An item of a paper: a table, a figure, a set of claims. */
#ifndef HD_PAPERS_PAPERS_H
#define HD_PAPERS_PAPERS_H

#include "heddle.h"

/* What the paper says of the quantity. */
enum hd_relation {
    HD_ROW_IS, /* published, within tolerance */
    HD_ROW_AT_LEAST,
    HD_ROW_AT_MOST,
    HD_ROW_ABOVE, /* more than published */
    HD_ROW_BELOW,
};

struct hd_paper_row {
    const char *paper, *item; /* "000", "table1" */
    const char *subject;      /* the case: network, routing, ... */
    const char *quantity;     /* what was counted or measured */
    enum hd_relation relation;
    double published;       /* NaN: the paper prints no figure; the row is for reading */
    double ours, tolerance; /* tolerance: a fraction of published */
    bool ok;
    bool timing;       /* seconds: differs from run to run */
    const char *known; /* why it misses, or what to mind; NULL: nothing is known */
};

/* Puts the items of all papers into the registry, which hd_paper needs. */
hd_status hd_papers_add(struct hd_ctx *ctx);

/* Rows of one item (000-table1), of all items of a paper (000) or of everything (NULL), in order. Without
 * full: fewer samples, tolerances widened by half the confidence width of ours, and the large cases left out.
 * Strings live until the callback returns. HD_INPUT for a name that nothing has. */
hd_status hd_paper(struct hd_ctx *ctx, const char *name, bool full,
                   void (*row)(void *user, const struct hd_paper_row *row), void *user);

/* "", ">=", "<=", ">", "<" */
const char *hd_relation_sign(enum hd_relation relation);

struct hd_paper_kept; /* what an item has simulated and another asks for again */

struct hd_paper_run {
    struct hd_ctx *ctx;
    bool full;
    char paper[8], item[32];
    void (*row)(void *user, const struct hd_paper_row *row);
    void *user;
    struct hd_net *net; /* current: rows come network by network, routing by routing */
    struct hd_routes *routes;
    char net_text[HD_MAX_SPEC], table_text[HD_MAX_SPEC];
    uint64_t scramble;          /* seed of the numbering of networks opened next; 0: as generated */
    uint64_t scrambled;         /* that of the current one */
    struct hd_paper_kept *kept; /* geoffray2008.c's */
    void (*release)(struct hd_paper_kept *kept);
};

struct hd_paper_item {
    struct hd_desc desc; /* the name is "paper-item", the alias "number-item" */
    hd_status (*run)(struct hd_paper_run *run);
};

/* The network by spec, and routes on it; they stay the run's, until the next other one. */
hd_status hd_paper_net(struct hd_paper_run *run, const char *net, const struct hd_net **out);
hd_status hd_paper_routes(struct hd_paper_run *run, const char *net, const char *table, const struct hd_routes **out);
hd_status hd_paper_eval(struct hd_paper_run *run, const char *net, const char *table, const struct hd_request *q,
                        struct hd_result *result);

/* The start of a row: what is claimed. published NaN: nothing, the row is for reading. */
static inline struct hd_paper_row hd_claim(enum hd_relation relation, double published, double tolerance,
                                           const char *known)
{
    return (struct hd_paper_row){.relation = relation, .published = published, .tolerance = tolerance, .known = known};
}

/* Passes a row on: its subject is formatted, paper and item are filled in, ok is worked out. */
void hd_paper_put(const struct hd_paper_run *run, struct hd_paper_row claim, double ours, const char *quantity,
                  const char *subject, ...) __attribute__((format(printf, 5, 6)));
/* The tolerance, widened by half the confidence width (relative to published) where the run is not full. */
double hd_paper_widen(const struct hd_paper_run *run, double tolerance, double ci, double published);

/* A row of a paper's list of items. The file defines PAPER and NUMBER, the names of the paper, and CITE. */
#define HD_PAPER_ITEM(function, item, where, in_short, in_words)                                                       \
    {                                                                                                                  \
        .desc = {.name = PAPER "-" item,                                                                               \
                 .alias = NUMBER "-" item,                                                                             \
                 .summary = in_short,                                                                                  \
                 .text = in_words,                                                                                     \
                 .cite = CITE ", " where},                                                                             \
        .run = function                                                                                                \
    }

/* Items of a paper, ending with one that has no run. */
extern const struct hd_paper_item hd_nienaber2009[], hd_geoffray2008[], hd_hoefler2009[], hd_yuan2009[],
    hd_zahavi2010[], hd_own_settle[], hd_own_trees[], hd_own_covers[], hd_own_vl_budget[], hd_own_opensm[];

#endif
