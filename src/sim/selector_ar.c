/* SPDX-License-Identifier: BSD-2-Clause */
/* ar: every switch chooses, for the first packet of each queue, among the ports that lead nearer to the
 * destination the one with the least waiting: packets that ask for it, one on it, bytes in the buffer behind
 * it. Ties are drawn. Which variants the table has does not matter. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

static uint64_t load(const struct hd_sim *sim, uint32_t c, uint32_t lane)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t i = c * sim->lanes + lane;
    uint64_t n = (w->state & HD_BUSY) != 0;
    const uint64_t *ask = hd_ask_at(sim, c * sim->lanes);
    for (uint32_t k = 0; k < sim->lanes * sim->words; k++) n += (uint64_t)__builtin_popcountll(ask[k]);
    n *= sim->m->packet;
    if (w->state & HD_TO_HOST) return n;
    const struct hd_queue *q = hd_queue_at(sim, i);
    n += sim->m->buffer - q->space;
    if (q->due_time <= sim->wheel.now) n -= q->due_len;
    return n;
}

static uint32_t ar_port(struct hd_sim *sim, const struct hd_packet *p)
{
    const struct hd_net *net = sim->net;
    uint32_t v = net->head[p->c], leaf = hd_leaf(net, hd_conn_at(sim, p->conn)->dst);
    if (v == leaf) return hd_conn_at(sim, p->conn)->into;
    const uint8_t *dist = sim->dist + (size_t)sim->leaf_of[leaf] * net->nsw;
    uint32_t best[HD_MAX_PORTS + 1], n = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (net->head[c] >= net->nsw || dist[net->head[c]] + 1 != dist[v]) continue;
        uint64_t l = load(sim, c, p->lane);
        if (l < least) n = 0;
        if (l <= least) best[n++] = c;
        if (l < least) least = l;
    }
    return best[n > 1 ? hd_rng_below(&sim->rng, n) : 0];
}

const struct hd_selector hd_selector_ar = {
    .desc = {.name = "ar",
             .summary = "switches choose the least loaded of the minimal ports",
             .text = "Adaptive routing in the switches: when a packet becomes the first of an input queue, the switch "
                     "takes, among the ports one hop closer to the destination, the one with the fewest packets "
                     "waiting for it, on it and in the buffer behind it. Ties are broken at random. Neither the table "
                     "nor its VLs are used, so this can deadlock on networks other than trees.",
             .examples = (const char *const[]){"ar", NULL},
             .opt_size = sizeof(struct hd_selector_opt)},
    .per_switch = true,
    .port = ar_port};
