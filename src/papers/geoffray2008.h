/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files on the paper of Geoffray and Hoefler share: simulations, kept, since several items ask for them. */
#ifndef HD_PAPERS_GEOFFRAY2008_H
#define HD_PAPERS_GEOFFRAY2008_H

#include "papers.h"

#define BRIDGE "bridge:pairing=random"

/* A case: exchanges of 1 MiB messages on the first line cards of the Clos network. Names are string constants. */
struct geoffray_case {
    uint32_t nodes;
    const char *pattern, *selector;
    const char *model, *table;  /* NULL: myrinet, omrmn */
    uint64_t samples, messages; /* 0: the usual number */
};

/* What has been simulated is not simulated again. */
hd_status hd_geoffray_sim(struct hd_paper_run *run, struct geoffray_case c, const struct hd_sim_result **result);
/* Its usual form: a pattern and a selector. */
hd_status hd_geoffray_scheme(struct hd_paper_run *run, uint32_t nodes, const char *pattern, const char *selector,
                             const struct hd_sim_result **result);
/* A row that is for reading. */
void hd_geoffray_show(const struct hd_paper_run *run, double ours, const char *quantity, const char *scheme,
                      uint32_t nodes);

/* Items. */
hd_status hd_geoffray_study(struct hd_paper_run *run);
hd_status hd_geoffray_fig7(struct hd_paper_run *run);
hd_status hd_geoffray_routes(struct hd_paper_run *run);
hd_status hd_geoffray_buffers(struct hd_paper_run *run);

#endif
