/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of channels as whole numbers that loads are multiplied by. Load n on channel c takes
 * n * factor[c] / scale of the time that one flow takes on a cable of the usual rate: the most common one among the
 * cables of endpoints. A channel of unknown rate has the usual one. */
#ifndef HD_LOAD_RATES_H
#define HD_LOAD_RATES_H

#include "heddle/net.h"

struct hd_rates {
    uint32_t scale;
    uint32_t *factor; /* [nchan + 1], NULL: all 1, and so is scale */
    bool ends_differ; /* some cable of an endpoint has another rate than the usual one */
};

/* A fact of the network (net/core/facts.h): computed once, O(channels), and kept with it. */
hd_status hd_rates_of(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_rates **rates);

#endif
