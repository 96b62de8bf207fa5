/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/load.h - flows, and how many flows or pairs use each channel. Thread safety: networks and routes are
 * only read and may be shared; a context belongs to one thread at a time. */
#ifndef HEDDLE_LOAD_H
#define HEDDLE_LOAD_H

#include "heddle/route.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of one sample or stage: all pairs of 8,192 ranks. */
enum { HD_MAX_FLOWS = 8192 * 8191 };

/* The flows of one sample or stage. A pattern points src and dst at what it has or at the buffers. */
struct hd_flows {
    uint32_t n;
    const uint32_t *src, *dst; /* endpoints, different */
    const uint32_t *weight;    /* NULL: all 1 */
    bool simple;               /* nobody sends twice, nobody receives twice, all weights 1 */
    uint32_t *buf[3];          /* [max_flows rounded up to even] each, the thread's own */
};

/* No flows yet, all of weight 1, in the first two buffers. */
static inline void hd_flows_begin(struct hd_flows *f, bool simple)
{
    f->n = 0;
    f->src = f->buf[0];
    f->dst = f->buf[1];
    f->weight = NULL;
    f->simple = simple;
}

/* What became of the flows of a sample. A flow has one path, or as many as hd_routes_paths_per_pair says, one after the
 * other. The bottleneck of a path is its largest load, relative to the rates of channels unless a metric counts flows:
 * hd_loads_full for a flow that shares no channel, 0 for a path that does not exist. */
struct hd_loads;
HD_API const struct hd_flows *hd_loads_flows(const struct hd_loads *l);
HD_API uint32_t hd_loads_paths(const struct hd_loads *l);
HD_API uint64_t hd_loads_bottleneck(const struct hd_loads *l, uint32_t path);
HD_API uint64_t hd_loads_full(const struct hd_loads *l);
HD_API uint64_t hd_loads_largest(const struct hd_loads *l);  /* bottleneck */
HD_API uint64_t hd_loads_unserved(const struct hd_loads *l); /* paths that do not exist */

struct hd_pair_sums {
    uint32_t unit;            /* loads are in units of 1/unit pairs: the variants a pair splits over, else 1 */
    uint64_t pairs, unserved; /* ordered pairs of selected endpoints; those without a path (times unit) */
    uint64_t hops;            /* channels on the paths of all served pairs together, in the unit of load */
};

/* load[c] for every channel when every selected endpoint sends to every other, without looping over pairs:
 * O(destinations * switches). */
HD_API hd_status hd_load_all_pairs(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t *load,
                                   struct hd_pair_sums *sums);

#ifdef __cplusplus
}
#endif
#endif
