/* SPDX-License-Identifier: BSD-2-Clause */
/* The load that flows put on the channels of given routes, and the bottleneck of each flow. A loader is made once for
 * the routes and shared by all threads; making it decides how loads are found, which no caller has to know:
 *   load_tree.c   routes on a tree in closed form: channels are computed from a few bytes per endpoint;
 *   load_table.c  a stored table that enough flows will use: the path of every (leaf switch, destination),
 *                 compiled once;
 *   load_walk.c   everything else, and flows that are not simple (struct hd_flows): hop by hop.
 * All of them give the same numbers. Beside them, load_fluid.c splits flows over the groups of adaptive routing.
 *
 * Loads count weights, in units of 1/unit flows: unit is the weight of one flow, times the number of variants if a pair
 * splits over all of them. A bottleneck is the largest load on a path, relative to the rates of the channels: the
 * largest load[c] * factor[c], and `full` of a flow that has its path to itself. */
#ifndef HD_LOAD_LOADER_H
#define HD_LOAD_LOADER_H

#include "base/arena.h"
#include "heddle/load.h"
#include "load/rates.h"

enum hd_load_need {
    HD_NEED_BOTTLENECKS, /* of every flow; no more */
    HD_NEED_PATHS,       /* and the channels between the switches of any pair: hd_loader_path, hd_loads_list */
    HD_NEED_LOADS,       /* bottlenecks and, after each run, the load of every channel: hd_loads.load */
    HD_NEED_CHANNELS,    /* all of that and complete paths: hd_loads.at, chan */
};

struct hd_loader_in {
    const struct hd_routes *routes;
    const struct hd_rates *rates; /* NULL: all channels count alike */
    enum hd_load_need need;
    uint64_t flows;   /* how many there will be in all, roughly: compiling does not pay for a few */
    bool fluid;       /* HD_NEED_BOTTLENECKS: switches split flows evenly over their groups of ports */
    uint32_t longest; /* HD_NEED_PATHS: most channels between switches on any path that will be asked for; 0: unknown */
};

struct hd_loader;

/* Lives in arena; routes and rates must outlive it. */
hd_status hd_loader_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader_in *in,
                         const struct hd_loader **loader);

/* HD_NEED_PATHS: channels between switches from endpoint s to d, in this order, in `stride` places; unused ones, at the
 * end or in between, hold nchan. The l-th channel up a tree is in place l - 1. s and d differ and are served. */
void hd_loader_path(const struct hd_loader *loader, uint32_t s, uint32_t d, uint32_t *chan);
/* The same of n pairs, faster: chan has n * stride places. */
void hd_loader_paths(const struct hd_loader *loader, const uint32_t *src, const uint32_t *dst, uint32_t n,
                     uint32_t *chan);
uint32_t hd_loader_stride(const struct hd_loader *loader);

/* Flows and what became of them. One per thread. Path k is that of flow k, or part k mod nvar of flow k / nvar. */
struct hd_loads {
    const struct hd_loader *loader;
    struct hd_flows flows; /* to be set before a run, by the pattern */
    uint32_t nvar;         /* paths per flow: the variants it uses at once */
    uint32_t unit;         /* load of one flow */
    uint64_t full;         /* bottleneck of a flow that shares no channel: unit times the scale of the rates */
    uint32_t npath;
    uint64_t unserved; /* paths that do not exist */
    uint64_t largest;  /* bottleneck */
    uint32_t *narrow;  /* [npath] bottlenecks (hd_bottleneck), in 32 bits if all rates are equal, */
    uint64_t *wide;    /* otherwise in 64; NULL: narrow */
    uint32_t *load;    /* [nchan + 1] of the last run, HD_NEED_LOADS or HD_NEED_CHANNELS */
    size_t *at; /* [npath + 1] path k: chan[at[k]] .. chan[at[k + 1] - 1], HD_NEED_CHANNELS or after hd_loads_list */
    uint32_t *chan;
    bool failed;               /* memory ran out during a run */
    struct hd_load_room *room; /* of the loader */
};

/* Room for max_flows flows; weight: of one flow, where the pattern has weights, else 1. Memory comes from arena, during
 * runs too: no two threads may share it. */
hd_status hd_loads_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader *loader, uint32_t max_flows,
                        uint32_t weight, struct hd_loads *l);

/* Bottlenecks, and what else the loader was made for. */
void hd_loads_run(struct hd_loads *l);

/* HD_NEED_PATHS: only the paths of the flows, which may be any pairs: at and chan as hd_loader_path gives them, and
 * unserved; nothing is counted. If some path does not exist, its hd_bottleneck is 0 and that of all others is not. */
void hd_loads_list(struct hd_loads *l);

/* Load of one unit on a channel that carries all of it, where flows are split. */
#define HD_FLUID_WHOLE ((uint64_t)1 << 28)

/* Of a fluid loader: how much of its flow each channel of chan carries, in 1/HD_FLUID_WHOLE units, after a run. NULL of
 * others. */
const uint64_t *hd_loads_parts(const struct hd_loads *l);

/* Of path k in the last run; 0: it does not exist. */
static inline uint64_t hd_bottleneck(const struct hd_loads *l, uint32_t k)
{
    return l->wide ? l->wide[k] : l->narrow[k];
}

/* Largest load of a channel in the last run, in units, whatever its rate: at least that of one flow if there are
 * any. */
uint64_t hd_loads_count(const struct hd_loads *l);

#endif
