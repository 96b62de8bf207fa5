/* SPDX-License-Identifier: BSD-2-Clause */
/* spray: the routes of a pair in turn, a packet each, from a random one on. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

static uint32_t spray_open(struct hd_sim *sim, struct hd_flow_state *f)
{
    return hd_rng_below(&sim->rng, f->nroute);
}

static void spray_packet(struct hd_sim *sim, struct hd_flow_state *f)
{
    (void)sim;
    f->route = f->route + 1 == f->nroute ? 0 : f->route + 1;
}

static const struct hd_param params[] = {{"routes", HD_UINT, "0", "routes known to a sender, 0: all",
                                          offsetof(struct hd_selector_opt, routes), 0, 65535, NULL, false},
                                         {0}};

const struct hd_selector hd_selector_spray = {
    .desc = {.name = "spray",
             .summary = "the routes in turn, one packet each",
             .text = "Round-robin over the routes of the pair, packet by packet, starting with a random one.",
             .cite = "Dixit, Prakash, Hu, Kompella: On the impact of packet spraying in data center networks",
             .params = params,
             .examples = (const char *const[]){"spray", NULL},
             .opt_size = sizeof(struct hd_selector_opt)},
    .open = spray_open,
    .packet = spray_packet};
