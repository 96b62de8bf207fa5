/* SPDX-License-Identifier: BSD-2-Clause */
/* random: every packet takes a route of its own, drawn at random (randomized oblivious routing). */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

static void random_packet(struct hd_sim *sim, struct hd_flow_state *f)
{
    f->route = hd_rng_below(&sim->rng, f->nroute);
}

static const struct hd_param params[] = {{"routes", HD_UINT, "0", "routes known to a sender, 0: all",
                                          offsetof(struct hd_selector_opt, routes), 0, 65535, NULL, false},
                                         {0}};

const struct hd_selector hd_selector_random = {
    .desc = {.name = "random",
             .summary = "a random route for every packet",
             .text = "Randomized oblivious routing: uniform over the routes of the pair, packet by packet. Packets "
                     "can overtake each other.",
             .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks, section 4.1",
             .params = params,
             .examples = (const char *const[]){"random", "random:routes=4", NULL},
             .opt_size = sizeof(struct hd_selector_opt)},
    .packet = random_packet};
