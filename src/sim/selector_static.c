/* SPDX-License-Identifier: BSD-2-Clause */
/* static: the variant the table gives the pair; where it leaves that open, one drawn once for the pair. */
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
