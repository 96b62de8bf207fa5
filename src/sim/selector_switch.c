/* SPDX-License-Identifier: BSD-2-Clause */
/* Selectors of switches, which choose among the ports one step nearer to the destination; which variants the table has
 * does not matter.
 *   ar    for the first packet of each queue the port with the least waiting: packets that ask for it, one on it,
 *         bytes in the buffer behind it. Ties are drawn.
 *   ecmp  of n such ports in port order number hash mod n. The hash is SplitMix64's finalizer over the fields one after
 *         the other: seed, source, destination, the flow (the number of its message list entry, as a UDP source port or
 *         a flow label would give it) and the switch. Switches that share one hash function polarise: all that meets at
 *         a switch of the second level was put there by the same hash, so it agrees again and most of that switch's
 *         ports stay idle.
 * O(ports) per packet and switch. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

/* The ports of the packet's switch that lead nearer to its destination, and their number. */
static uint32_t near_ports(const struct hd_sim *sim, const struct hd_packet *p, uint32_t near[HD_MAX_PORTS + 1])
{
    const struct hd_net *net = sim->net;
    const struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    uint32_t v = net->head[p->c], leaf = hd_leaf(net, f->dst), n = 0;
    const uint8_t *dist = sim->dist + (size_t)sim->leaf_of[leaf] * net->nsw;
    if (v == leaf) near[n++] = f->into;
    for (uint32_t c = net->off[v]; v != leaf && c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw && dist[net->head[c]] + 1 == dist[v]) near[n++] = c;
    return n;
}

static uint64_t ar_load(const struct hd_sim *sim, uint32_t c, uint32_t lane)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t i = c * sim->lanes + lane;
    uint64_t n = (w->state & HD_BUSY) != 0;
    const uint64_t *ask = hd_ask_at(sim, c * sim->lanes);
    for (uint32_t k = 0; k < sim->lanes * sim->words; k++) n += (uint64_t)__builtin_popcountll(ask[k]);
    n *= sim->m->packet;
    if (w->state & HD_TO_HOST) return n;
    const struct hd_queue *q = hd_queue_at(sim, i);
    n += sim->m->buffer - (uint64_t)q->space;
    if (q->due_time <= sim->wheel.now) n -= q->due_len;
    return n;
}

static uint32_t ar_port(struct hd_sim *sim, const struct hd_packet *p)
{
    uint32_t near[HD_MAX_PORTS + 1], all = near_ports(sim, p, near), n = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; all > 1 && i < all; i++) {
        uint64_t l = ar_load(sim, near[i], p->lane);
        if (l < least) n = 0;
        if (l <= least) near[n++] = near[i];
        if (l < least) least = l;
    }
    return near[n > 1 ? hd_rng_below(&sim->rng, n) : 0];
}

enum { BY_FLOW, BY_PAIR };

struct ecmp_opt {
    struct hd_selector_opt base;
    int fields, salt;
};

static uint64_t ecmp_mix(uint64_t hash, uint64_t field)
{
    uint64_t x = hash + field + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint32_t ecmp_port(struct hd_sim *sim, const struct hd_packet *p)
{
    const struct ecmp_opt *o = sim->opt;
    const struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    uint32_t near[HD_MAX_PORTS + 1], n = near_ports(sim, p, near);
    if (n == 1) return near[0];
    uint64_t hash = ecmp_mix(ecmp_mix(ecmp_mix(0, sim->seed), f->src), f->dst);
    if (o->fields == BY_FLOW) hash = ecmp_mix(hash, f->msg);
    if (o->salt) hash = ecmp_mix(hash, sim->net->head[p->c]);
    return near[hash % n];
}

static const struct hd_param ecmp_params[] = {
    {"fields", HD_WORD, "flow", "what is hashed: source, destination and flow, or the pair alone",
     offsetof(struct ecmp_opt, fields), 0, 0, "flow|pair", false},
    {"salt", HD_WORD, "on", "each switch has its own hash; off: all switches have the same, which polarises traffic",
     offsetof(struct ecmp_opt, salt), 0, 0, "off|on", false},
    {0}};

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

const struct hd_selector hd_selector_ecmp = {
    .desc = {.name = "ecmp",
             .summary = "switches hash each flow onto one of the minimal ports",
             .text = "Equal-cost multipath: every switch hashes source, destination and flow of a packet, with the "
                     "seed and its own number, and so picks one of the ports one hop closer to the destination. A flow "
                     "keeps its path and its order, and flows share ports at random. The flow is the position of the "
                     "message in the workload. Neither the table nor its VLs are used, so this can deadlock on "
                     "networks other than trees.",
             .cite = "Hopps: Analysis of an equal-cost multi-path algorithm, RFC 2992",
             .params = ecmp_params,
             .examples = (const char *const[]){"ecmp", "ecmp:fields=pair", "ecmp:salt=off", NULL},
             .opt_size = sizeof(struct ecmp_opt)},
    .per_switch = true,
    .port = ecmp_port};
