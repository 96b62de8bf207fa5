/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of one set of flows. load[c] counts weights, in units of 1/unit flows (unit is the number of
 * variants where a pair splits over all of them, else 1). Relative to the channel's rate it is
 * load[c] * factor[c] / (unit * scale): factor and scale are 1 where all cables have one rate. */
#ifndef HD_FLOW_LOAD_H
#define HD_FLOW_LOAD_H

#include "flow/pattern.h"

struct hd_rates { /* shared by all threads */
    uint32_t scale;
    uint32_t *factor; /* [nchan], NULL: all 1 */
};

/* Relative to the most common rate of an endpoint's cable; an unknown rate counts as that one. */
hd_status hd_rates_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_rates *rates);

struct hd_loads { /* one a thread */
    const struct hd_routes *routes;
    const struct hd_rates *rates;
    uint32_t unit, nvar; /* nvar: variants a pair uses at once */
    uint32_t *load;      /* [nchan]; zero before and after */
    struct hd_flow *flow; /* [max_flows], filled by the pattern */
    uint32_t nflow;
    uint32_t *at;        /* [max_flows * nvar + 1] where each path begins in chan */
    uint32_t *chan;      /* the paths, end to end */
    size_t room;
    uint64_t unserved;   /* flows (or their parts, where they split) without a path */
    struct hd_arena *arena;
    bool failed;         /* memory ran out while walking */
};

hd_status hd_loads_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const struct hd_rates *rates,
                        uint32_t max_flows, struct hd_loads *l);
/* Walks the nflow flows: paths, loads, unserved. */
void hd_loads_run(struct hd_loads *l);
/* Back to zero, touching only what was loaded. */
void hd_loads_clear(struct hd_loads *l);
/* Largest load over the channels in use, in load units times rate factors. */
uint64_t hd_loads_max(const struct hd_loads *l);

#endif
