/* SPDX-License-Identifier: BSD-2-Clause */
/* ecmp: a hash of the pair decides, whatever the table says about who uses which variant. */
#include "sim/selectors.h"
#include "sim/sim.h"

static uint32_t open(struct hd_sim *sim, struct hd_conn *f)
{
    return hd_rng_below(&sim->rng, f->nroute);
}

static const struct hd_param params[] = {{"routes", HD_UINT, "0", "routes a sender knows, 0: all",
                                          offsetof(struct hd_selector_opt, routes), 0, 65535, NULL, false},
                                         {0}};

const struct hd_selector hd_selector_ecmp = {
    .desc = {.name = "ecmp",
             .summary = "each flow keeps one route, drawn when it begins",
             .text = "As routers hash the header of a flow: every flow of every sample has one route of its own, drawn "
                     "at random from those of the pair, and keeps it.",
             .cite = "Hopps: Analysis of an equal-cost multi-path algorithm, RFC 2992",
             .params = params,
             .examples = (const char *const[]){"ecmp", NULL},
             .opt_size = sizeof(struct hd_selector_opt)},
    .open = open};
