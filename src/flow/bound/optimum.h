/* SPDX-License-Identifier: BSD-2-Clause */
/* The least largest load any routing could give a set of flows, splitting them at will. Exact on intact
 * trees, by their cuts; on small networks of other kinds a linear program; else the cuts and distances as
 * a lower bound. */
#ifndef HD_FLOW_BOUND_OPTIMUM_H
#define HD_FLOW_BOUND_OPTIMUM_H

#include "flow/bound/cuts.h"

struct hd_optimum {
    const struct hd_cuts *cuts;
    const struct hd_rates *rates;
    struct hd_cut_sums *sums; /* one per thread */
    bool program;             /* the linear program is used */
};

hd_status hd_optimum_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_optimum *o);
/* Of flows that all have a path; called by thread t. NaN: memory ran out. */
double hd_optimum_load(const struct hd_optimum *o, int t, const struct hd_flows *f);
/* How the optimum is found, in words. */
const char *hd_optimum_name(const struct hd_optimum *o);

/* Whether the linear program was built in, and the network is small enough for it. */
bool hd_optimum_has_program(const struct hd_net *net, uint32_t leaves);
/* By linear program, no less than `least`; `least` where it fails or was not built in, NaN if memory runs out. */
double hd_optimum_program(const struct hd_cuts *cuts, const struct hd_rates *rates, const struct hd_flows *f,
                          double least);

#endif
