/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/paper.h - the papers this library is built on, recomputed: what they print beside what comes out.
 *
 * The tables, figures and claims of a paper are its items (names such as 000-table1; the registry lists
 * them). An item yields rows, each a published figure with ours. Papers err, and leave things open: a
 * row known to miss, and why, says so. A miss that is not known is a fault, of this library or of a claim. */
#ifndef HEDDLE_PAPER_H
#define HEDDLE_PAPER_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum hd_relation {            /* what the paper says of the quantity */
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
HD_API hd_status hd_papers_add(struct hd_ctx *ctx);

/* Rows of one item (000-table1), of all items of a paper (000) or of everything (NULL), in order. Without
 * full: fewer samples, tolerances widened by half the confidence width of ours, and the large cases left out.
 * Strings live until the callback returns. HD_INPUT for a name that nothing has. */
HD_API hd_status hd_paper(struct hd_ctx *ctx, const char *name, bool full,
                          void (*row)(void *user, const struct hd_paper_row *row), void *user);

/* "", ">=", "<=", ">", "<" */
HD_API const char *hd_relation_sign(enum hd_relation relation);

#ifdef __cplusplus
}
#endif
#endif
