/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive routing at its best: how switches would split flows over their groups of ports so that the largest load is
 * least, and a proved limit of what any split can give. */
#ifndef HD_FLOW_BOUND_BEST_SPLIT_H
#define HD_FLOW_BOUND_BEST_SPLIT_H

#include "base/arena.h"
#include "heddle/load.h"
#include "load/rates.h"

struct hd_split_in {
    const struct hd_routes *routes; /* with groups */
    const struct hd_rates *rates;
    uint32_t nvar; /* paths per flow, as in struct hd_loads */
    uint32_t unit; /* load of one flow, as there */
};

/* What every flow gets at once, as a share of what a flow alone gets: the inverse of the largest load. */
struct hd_split {
    double even;  /* every switch splits evenly over its ports; what goes where nothing leads on is lost */
    double best;  /* of the best split found */
    double bound; /* no split gives every flow more */
    bool served;  /* false: no flow has a path that ends, there are no figures */
};

struct hd_splitter; /* the memory of one thread */

/* Lives in arena, which grows with the flows of the largest sample; no two threads may share it. */
hd_status hd_splitter_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_split_in *in,
                           struct hd_splitter **splitter);
/* Of one sample. HD_LIMIT: out of memory. */
hd_status hd_split_run(struct hd_ctx *ctx, struct hd_splitter *w, const struct hd_flows *f, struct hd_split *out);
/* Steps that the last run took, and those that the longest one may take. */
uint64_t hd_split_steps(const struct hd_splitter *w);

#endif
