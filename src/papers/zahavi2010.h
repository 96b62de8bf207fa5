/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files on Zahavi's paper share: its four trees, and the hot-spot degree of a pattern on them. */
#ifndef HD_PAPERS_ZAHAVI2010_H
#define HD_PAPERS_ZAHAVI2010_H

#include "papers.h"

enum { ZAHAVI_TREES = 4 };

struct zahavi_tree {
    uint32_t endpoints, used; /* used: by the partial rows of Table 3 */
    const char *spec;
    struct hd_shape printed;  /* the tuple as printed */
    const char *printed_spec; /* and built; of 324 endpoints with 18 for 16, which has only 256 */
    uint32_t period;          /* least common multiple of W_l w_{l+1} p_{l+1} */
    uint32_t wprod;           /* the product of all w, which the paper takes for it */
};

extern const struct zahavi_tree hd_zahavi_trees[ZAHAVI_TREES];

/* Hot-spot degree of a pattern under D-mod-K with these ranks. */
hd_status hd_zahavi_hsd(struct hd_paper_run *run, const char *net, const char *pattern, const char *ranks,
                        struct hd_result *result);

/* Over random rank orders, of the mean over stages. */
struct zahavi_mean {
    double value, ci; /* ci: full width of the 99 % interval */
    double low, high; /* of one order */
};

hd_status hd_zahavi_random(struct hd_paper_run *run, const char *net, const char *pattern, uint32_t orders,
                           struct zahavi_mean *mean);

/* Items. */
hd_status hd_zahavi_table1(struct hd_paper_run *run);
hd_status hd_zahavi_table2(struct hd_paper_run *run);
hd_status hd_zahavi_fig2(struct hd_paper_run *run);
hd_status hd_zahavi_fig3(struct hd_paper_run *run);
hd_status hd_zahavi_table3(struct hd_paper_run *run);
hd_status hd_zahavi_partial(struct hd_paper_run *run);

#endif
