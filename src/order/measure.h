/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of a measurement: the samples of a pattern among ranks 0 .. n-1, the same that hd_eval draws for the
 * same seed among as many endpoints. */
#ifndef HD_ORDER_MEASURE_H
#define HD_ORDER_MEASURE_H

#include "base/arena.h"
#include "flow/pattern.h"

struct hd_rounds {
    const struct hd_pattern *pattern;
    void *state;
    struct hd_flows flows; /* of the round drawn last */
    uint64_t stages;       /* of a sequence; rounds go round them */
    bool both;             /* partners send to each other */
};

hd_status hd_rounds_init(struct hd_ctx *ctx, struct hd_arena *a, const char *pattern, uint32_t n, struct hd_rounds *r);
void hd_rounds_draw(struct hd_rounds *r, uint64_t seed, uint64_t round);

/* Spearman's: of the ranks of x and y, equal values sharing theirs; NAN where one of them is constant. */
double hd_rank_correlation(struct hd_arena *a, const double *x, const double *y, uint64_t n);

#endif
