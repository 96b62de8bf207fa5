/* SPDX-License-Identifier: BSD-2-Clause */
/* Selectors of senders that react to being held up. A packet counts as blocked when it cannot leave as soon as it is
 * first in line; one that can ends the count. Above a threshold, and with a given probability,
 *   adaptive  moves to another route, without knowing whether that one is better;
 *   probing   looks for an idle route before it changes. It probes a random other route: the probe sees the channels
 *             between switches after half the round trip, and fails when one is busy or asked for; the answer is there
 *             after the whole. A good answer changes the route. A bad one is followed by the next probe, whether the
 *             sender is still held up or not (stopping then gives .84 of 512 nodes where .77 was measured); after
 *             `limit` bad ones the route is changed to a random one all the same, and the threshold is raised until a
 *             probe succeeds, so that another sender gives way first.
 * O(1) per packet, O(hops) per probe. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

struct adaptive_opt {
    struct hd_selector_opt base;
    uint64_t threshold;
    double prob;
};

struct probing_opt {
    struct adaptive_opt base;
    uint64_t limit, raise, trip;
};

enum { LOOK, ANSWER };

static uint32_t adaptive_open(struct hd_sim *sim, struct hd_flow_state *f)
{
    return hd_rng_below(&sim->rng, f->nroute);
}

/* One more blocked packet: whether the sender reacts to it. */
static bool adaptive_reacts(struct hd_sim *sim, struct hd_flow_state *f)
{
    const struct adaptive_opt *o = sim->opt;
    if (++f->blocked <= o->threshold + f->raise || f->probing || f->nroute < 2) return false;
    return o->prob >= 1 || hd_rng_real(&sim->rng) < o->prob;
}

static void adaptive_blocked(struct hd_sim *sim, struct hd_flow_state *f)
{
    if (!adaptive_reacts(sim, f)) return;
    f->blocked = 0;
    hd_conn_move(sim, f, hd_conn_other(sim, f));
}

static void probe(struct hd_sim *sim, struct hd_flow_state *f)
{
    const struct probing_opt *o = sim->opt;
    f->probing = true;
    f->candidate = hd_conn_other(sim, f);
    sim->count.probes++;
    hd_conn_timer(sim, f, o->trip / 2, LOOK);
}

static bool route_is_clear(struct hd_sim *sim, struct hd_flow_state *f)
{
    const struct hd_route *r = hd_conn_route(sim, f, f->candidate);
    for (uint32_t i = 1; i + 1 < r->n; i++) {
        uint32_t c = hd_route_at(sim, r, i);
        const uint64_t *ask = hd_ask_at(sim, c * sim->lanes);
        if (sim->wire[c].state & HD_BUSY) return false;
        for (uint32_t k = 0; k < sim->lanes * sim->words; k++)
            if (ask[k]) return false;
    }
    return r->n > 0;
}

static void probing_settle(struct hd_sim *sim, struct hd_flow_state *f, uint32_t raise)
{
    f->blocked = f->failed = 0;
    f->raise = raise;
    hd_conn_move(sim, f, f->candidate);
}

static void probing_timer(struct hd_sim *sim, struct hd_flow_state *f, uint32_t what)
{
    const struct probing_opt *o = sim->opt;
    if (what == LOOK) {
        f->clear = route_is_clear(sim, f);
        hd_conn_timer(sim, f, o->trip - o->trip / 2, ANSWER);
        return;
    }
    f->probing = false;
    if (f->clear)
        probing_settle(sim, f, 0);
    else if (++f->failed >= o->limit)
        probing_settle(sim, f, (uint32_t)o->raise);
    else
        probe(sim, f);
}

static void probing_blocked(struct hd_sim *sim, struct hd_flow_state *f)
{
    if (adaptive_reacts(sim, f)) probe(sim, f);
}

static const struct hd_param adaptive_params[] = {
    {"threshold", HD_UINT, "4", "consecutive blocked packets that are tolerated",
     offsetof(struct adaptive_opt, threshold), 0, 1e6, NULL, true},
    {"prob", HD_REAL, "0.5", "probability of a change above the threshold", offsetof(struct adaptive_opt, prob), 0, 1,
     NULL, true},
    HD_SELECTOR_ROUTES,
    {0}};

static const struct hd_param probing_params[] = {
    {"threshold", HD_UINT, "16", "consecutive blocked packets that are tolerated",
     offsetof(struct adaptive_opt, threshold), 0, 1e6, NULL, true},
    {"prob", HD_REAL, "1", "probability of a probe above the threshold", offsetof(struct adaptive_opt, prob), 0, 1,
     NULL, true},
    {"limit", HD_UINT, "64", "failed probes after which the route is changed anyway",
     offsetof(struct probing_opt, limit), 1, 1e6, NULL, true},
    {"raise", HD_UINT, "64", "increase of the threshold by such a change", offsetof(struct probing_opt, raise), 0, 1e6,
     NULL, false},
    {"trip", HD_UINT, "4000", "round trip of a probe, ns", offsetof(struct probing_opt, trip), 2, 1e9, NULL, false},
    HD_SELECTOR_ROUTES,
    {0}};

const struct hd_selector hd_selector_adaptive = {
    .desc = {.name = "adaptive",
             .summary = "a sender that is blocked changes to a random route",
             .text =
                 "Back-pressure is the signal: after more than threshold consecutive packets that could not leave at "
                 "once, the sender changes to another random route with probability prob.",
             .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks, section 4.2",
             .params = adaptive_params,
             .examples = (const char *const[]){"adaptive:threshold=4,prob=0.5", NULL},
             .opt_size = sizeof(struct adaptive_opt)},
    .open = adaptive_open,
    .blocked = adaptive_blocked};

const struct hd_selector hd_selector_probing = {
    .desc =
        {.name = "probing",
         .summary = "a sender that is blocked probes for a free route, then changes",
         .text =
             "After more than threshold consecutive packets that could not leave at once, the sender probes another "
             "random route. A probe fails if a switch-to-switch channel of that route is busy or requested. "
             "The first probe that succeeds changes the route; after limit failed ones the sender changes to a "
             "random route, and the threshold is raised until a probe succeeds.",
         .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks, sections 4.3 "
                 "and 4.4",
         .params = probing_params,
         .examples = (const char *const[]){"probing:threshold=16,prob=1,limit=64", "probing:routes=4", NULL},
         .opt_size = sizeof(struct probing_opt)},
    .open = adaptive_open,
    .blocked = probing_blocked,
    .timer = probing_timer};
