/* SPDX-License-Identifier: BSD-2-Clause */
/* probing: a sender that is held up looks for an idle route before it changes.
 * Above the threshold of blocked packets (see adaptive) it probes a random other route: the probe sees the
 * channels between switches after half the round trip, and fails when one is busy or asked for; the answer is
 * there after the whole. A good answer changes the route. A bad one is followed by the next probe, whether the
 * sender is still held up or not (stopping then gives .84 of 512 nodes where .77 was measured); after
 * `limit` bad ones the route is changed to a random one all the same, and the threshold is raised until a
 * probe succeeds, so that somebody else gives way first. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

struct probing_opt {
    struct hd_selector_opt base;
    uint64_t threshold, limit, raise, trip;
    double prob;
};

enum { LOOK, ANSWER };

static uint32_t probing_open(struct hd_sim *sim, struct hd_flow_state *f)
{
    return hd_rng_below(&sim->rng, f->nroute);
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

static void timer(struct hd_sim *sim, struct hd_flow_state *f, uint32_t what)
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
    const struct probing_opt *o = sim->opt;
    if (++f->blocked <= o->threshold + f->raise || f->probing || f->nroute < 2) return;
    if (o->prob < 1 && hd_rng_real(&sim->rng) >= o->prob) return;
    probe(sim, f);
}

static void probing_passed(struct hd_sim *sim, struct hd_flow_state *f)
{
    (void)sim;
    f->blocked = 0;
}

static const struct hd_param params[] = {
    {"threshold", HD_UINT, "16", "consecutive blocked packets that are tolerated",
     offsetof(struct probing_opt, threshold), 0, 1e6, NULL, true},
    {"prob", HD_REAL, "1", "probability of a probe above the threshold", offsetof(struct probing_opt, prob), 0, 1, NULL,
     true},
    {"limit", HD_UINT, "64", "failed probes after which the route is changed anyway",
     offsetof(struct probing_opt, limit), 1, 1e6, NULL, true},
    {"raise", HD_UINT, "64", "increase of the threshold by such a change", offsetof(struct probing_opt, raise), 0, 1e6,
     NULL, false},
    {"trip", HD_UINT, "4000", "round trip of a probe, ns", offsetof(struct probing_opt, trip), 2, 1e9, NULL, false},
    {"routes", HD_UINT, "0", "routes known to a sender, 0: all", offsetof(struct probing_opt, base.routes), 0, 65535,
     NULL, false},
    {0}};

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
         .params = params,
         .examples = (const char *const[]){"probing:threshold=16,prob=1,limit=64", "probing:routes=4", NULL},
         .opt_size = sizeof(struct probing_opt)},
    .open = probing_open,
    .blocked = probing_blocked,
    .passed = probing_passed,
    .timer = timer};
