/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of a measurement: the samples of a pattern among ranks 0 .. n-1, the same that hd_eval draws for the
 * same seed among as many endpoints; and what the figures measured say of pairs and cables. */
#ifndef HD_ORDER_MEASURE_H
#define HD_ORDER_MEASURE_H

#include "base/arena.h"
#include "base/rng.h"
#include "flow/core/rank_map.h"
#include "heddle/order.h"

struct hd_rounds {
    const struct hd_pattern *pattern;
    void *state;
    struct hd_flows flows; /* of the round drawn last */
    uint64_t stages;       /* of a sequence; rounds go round them */
    bool both;             /* partners send to each other */
    uint32_t *owner;       /* rank of an endpoint, for patterns that look at places; else NULL */
};

struct hd_rounds_in {
    const char *pattern; /* NULL: bisect */
    uint32_t n;
    const struct hd_routes *routes; /* and ep: for patterns that look at places; else may be NULL */
    const uint32_t *ep;             /* [n] endpoint of a rank */
};

hd_status hd_rounds_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_rounds_in *in, struct hd_rounds *r);
void hd_rounds_draw(struct hd_rounds *r, uint64_t seed, uint64_t round);

/* Spearman's: of the ranks of x and y, equal values sharing theirs; NAN where one of them is constant. */
double hd_rank_correlation(struct hd_arena *a, const double *x, const double *y, uint64_t n);

/* Fills in what tables predict for the pairs of m (by round, with what was measured), the correlation and the usual
 * ratio, and what is slower than predicted; lists live in own. ep: endpoint of a rank. */
hd_status hd_measure_explain(struct hd_ctx *ctx, struct hd_arena *own, const struct hd_routes *r, const uint32_t *ep,
                             struct hd_measurement *m);

#endif
