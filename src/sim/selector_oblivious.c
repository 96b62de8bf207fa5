/* SPDX-License-Identifier: BSD-2-Clause */
/* Selectors that do not look at the network:
 *   static  the variant the table gives the pair; where it leaves that open, one drawn once for the pair
 *   random  every packet takes a route of its own, drawn at random (randomized oblivious routing)
 *   spray   the routes of a pair in turn, a packet each, from a random one on
 * O(1) per packet. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

static uint32_t drawn_variant(const struct hd_sim *sim, const struct hd_flow_state *f)
{
    struct hd_rng rng;
    hd_rng_init(&rng, sim->seed, HD_RNG_SIM, 1ull << 63 | ((uint64_t)f->src * sim->net->nep + f->dst));
    return hd_rng_below(&rng, hd_routes_variants(sim->routes));
}

static uint32_t static_open(struct hd_sim *sim, struct hd_flow_state *f)
{
    if (hd_routes_paths_per_pair(sim->routes) > 1) return drawn_variant(sim, f);
    return hd_routes_variant(sim->routes, f->src, f->dst);
}

static uint32_t spray_open(struct hd_sim *sim, struct hd_flow_state *f)
{
    return hd_rng_below(&sim->rng, f->nroute);
}

static void spray_packet(struct hd_sim *sim, struct hd_flow_state *f)
{
    (void)sim;
    f->route = f->route + 1 == f->nroute ? 0 : f->route + 1;
}

static void random_packet(struct hd_sim *sim, struct hd_flow_state *f)
{
    f->route = hd_rng_below(&sim->rng, f->nroute);
}

static const struct hd_param routes_params[] = {HD_SELECTOR_ROUTES, {0}};

const struct hd_selector hd_selector_static = {
    .desc = {.name = "static",
             .summary = "the pair's own route, always",
             .text = "The path variant that the table gives the pair. If the table leaves it open (all variants in "
                     "equal shares, or chosen per packet), it is drawn once for each ordered pair from the seed.",
             .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks",
             .examples = (const char *const[]){"static", NULL},
             .opt_size = sizeof(struct hd_selector_opt)},
    .one = true,
    .open = static_open};

const struct hd_selector hd_selector_random = {
    .desc = {.name = "random",
             .summary = "a random route for every packet",
             .text = "Randomized oblivious routing: uniform over the routes of the pair, packet by packet. Packets "
                     "can overtake each other.",
             .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks, section 4.1",
             .params = routes_params,
             .examples = (const char *const[]){"random", "random:routes=4", NULL},
             .opt_size = sizeof(struct hd_selector_opt)},
    .packet = random_packet};

const struct hd_selector hd_selector_spray = {
    .desc = {.name = "spray",
             .summary = "the routes in turn, one packet each",
             .text = "Round-robin over the routes of the pair, packet by packet, starting with a random one.",
             .cite = "Dixit, Prakash, Hu, Kompella: On the impact of packet spraying in data center networks",
             .params = routes_params,
             .examples = (const char *const[]){"spray", NULL},
             .opt_size = sizeof(struct hd_selector_opt)},
    .open = spray_open,
    .packet = spray_packet};
