/* SPDX-License-Identifier: BSD-2-Clause */
/* adaptive: a sender that is held up moves to another route, without knowing whether that one is better.
 * A packet counts as blocked when it cannot leave as soon as it is first in line; one that can ends the
 * count. Above the threshold the route changes with the given probability. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

struct adaptive_opt {
    struct hd_selector_opt base;
    uint64_t threshold;
    double prob;
};

static uint32_t adaptive_open(struct hd_sim *sim, struct hd_flow_state *f)
{
    return hd_rng_below(&sim->rng, f->nroute);
}

static void adaptive_blocked(struct hd_sim *sim, struct hd_flow_state *f)
{
    const struct adaptive_opt *o = sim->opt;
    if (++f->blocked <= o->threshold || f->nroute < 2) return;
    if (o->prob < 1 && hd_rng_real(&sim->rng) >= o->prob) return;
    f->blocked = 0;
    hd_conn_move(sim, f, hd_conn_other(sim, f));
}

static void adaptive_passed(struct hd_sim *sim, struct hd_flow_state *f)
{
    (void)sim;
    f->blocked = 0;
}

static const struct hd_param params[] = {{"threshold", HD_UINT, "4", "consecutive blocked packets that are tolerated",
                                          offsetof(struct adaptive_opt, threshold), 0, 1e6, NULL, true},
                                         {"prob", HD_REAL, "0.5", "probability of a change above the threshold",
                                          offsetof(struct adaptive_opt, prob), 0, 1, NULL, true},
                                         {"routes", HD_UINT, "0", "routes known to a sender, 0: all",
                                          offsetof(struct adaptive_opt, base.routes), 0, 65535, NULL, false},
                                         {0}};

const struct hd_selector hd_selector_adaptive = {
    .desc = {.name = "adaptive",
             .summary = "a sender that is blocked changes to a random route",
             .text =
                 "Back-pressure is the signal: after more than threshold consecutive packets that could not leave at "
                 "once, the sender changes to another random route with probability prob.",
             .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks, section 4.2",
             .params = params,
             .examples = (const char *const[]){"adaptive:threshold=4,prob=0.5", NULL},
             .opt_size = sizeof(struct adaptive_opt)},
    .open = adaptive_open,
    .blocked = adaptive_blocked,
    .passed = adaptive_passed};
