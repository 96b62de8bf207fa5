/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of one set of flows. load[c] counts weights, in units of 1/unit flows (unit is the weight of one
 * flow, times the number of variants where a pair splits over all of them). Relative to the channel's rate it is
 * load[c] * factor[c] / (unit * scale): factor and scale are 1 where all cables have one rate.
 *
 * The paths of the flows are kept, since the bottleneck of each is asked for next. Path k (flow k, or
 * part k mod nvar of flow k / nvar where pairs split) is chan[at[k]] .. chan[at[k+1]-1]; where paths have a
 * fixed stride (at is NULL) it is chan[k * stride] .. and unused places hold the channel nchan, whose load
 * is never counted. For simple flows (struct hd_flows) endpoint cables carry one flow at most and may be
 * left out of the paths. */
#ifndef HD_LOAD_LOADS_H
#define HD_LOAD_LOADS_H

#include "load/bottleneck.h"
#include "load/path_table.h"
#include "load/flows.h"

struct hd_rates { /* shared by all threads */
    uint32_t scale;
    uint32_t *factor; /* [nchan + 1], NULL: all 1 */
    bool ends_differ; /* some endpoint cable has another rate than the usual one */
};

/* Relative to the most common rate of an endpoint's cable; an unknown rate counts as that one. */
hd_status hd_rates_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_rates *rates);

struct hd_loads { /* one a thread */
    const struct hd_routes *routes;
    const struct hd_rates *rates;
    const struct hd_paths *paths;      /* fast paths, NULL: none for these routes */
    const struct hd_bottlenecks *fast; /* or not even paths but bottlenecks, with their scratch; NULL: none */
    void *scratch;
    uint32_t unit, nvar;   /* nvar: variants a pair uses at once */
    uint32_t *load;        /* [nchan + 1]; zero before and after */
    struct hd_flows flows; /* filled by the pattern */
    uint32_t npath;
    uint32_t *at; /* [npath + 1], or NULL: stride */
    uint32_t stride;
    uint32_t *chan;
    uint32_t *starts; /* memory behind at */
    size_t room;
    uint32_t *most;      /* [npath] bottlenecks; NULL: chan and load tell */
    uint32_t *room_most; /* memory behind most */
    uint64_t unserved;   /* flows (or their parts, where they split) without a path */
    struct hd_arena *arena;
    bool failed;        /* memory ran out while walking */
    const void *shared; /* of the metric, see hd_metric.init */
};

hd_status hd_loads_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                        const struct hd_rates *rates, uint32_t max_flows, struct hd_loads *l);
/* From now on simple flows get nothing but their bottlenecks: `fast` finds them. */
hd_status hd_loads_use(struct hd_ctx *ctx, struct hd_loads *l, const struct hd_bottlenecks *fast, uint32_t max_flows);
/* Walks the flows: paths, loads, unserved. */
void hd_loads_run(struct hd_loads *l);
/* Back to zero, touching only what was loaded. */
void hd_loads_clear(struct hd_loads *l);
/* Largest load over the channels in use, in load units; and times rate factors. */
uint64_t hd_loads_count(const struct hd_loads *l);
uint64_t hd_loads_max(const struct hd_loads *l);
/* Largest load on path k, likewise; at least that of the flow itself on its endpoint cables. 0: no path. */
uint64_t hd_loads_bottleneck(const struct hd_loads *l, uint32_t k);

#endif
