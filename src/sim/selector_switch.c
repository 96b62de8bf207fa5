/* SPDX-License-Identifier: BSD-2-Clause */
/* Selectors of switches, which choose among the ports one step nearer to the destination, or among the groups of ports
 * if the table has them (adaptive routing); which variants the table has does not matter.
 *   ar    for the first packet of each queue the port with the least waiting: packets that ask for it, one on it,
 *         bytes in the buffer behind it. Ties are drawn. Loads below a threshold are equal; with flowlets a flow keeps
 *         its port until it pauses, in a table per switch as hardware has it. Where a table has groups, it also
 *         says how they are used, towards each destination: so, with flowlets, or by the hash of ecmp.
 *   ecmp  of n such ports in port order number hash mod n. The hash is SplitMix64's finalizer over the fields one after
 *         the other: seed, source, destination, the flow (the number of its message list entry, as a UDP source port or
 *         a flow label would give it) and the switch. Switches that share one hash function polarise: all that meets at
 *         a switch of the second level was put there by the same hash, so it agrees again and most of that switch's
 *         ports stay idle.
 * O(ports) per packet and switch. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

#include <string.h>

/* The same from the groups of a table; none where they are older than a failure (sim_runs.c). */
static uint32_t group_ports(const struct hd_sim *sim, uint32_t v, uint32_t d, uint32_t near[HD_MAX_PORTS + 1])
{
    uint8_t slot[HD_MAX_PORTS + 1];
    const uint32_t n = hd_routes_choices(sim->routes, d, 0, v, slot);
    for (uint32_t i = 0; i < n; i++) near[i] = sim->net->off[v] + slot[i];
    return n;
}

/* The ports of the packet's switch that lead nearer to its destination, and their number. */
static uint32_t near_ports(const struct hd_sim *sim, const struct hd_packet *p, uint32_t near[HD_MAX_PORTS + 1])
{
    const struct hd_net *net = sim->net;
    const struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    uint32_t v = net->head[p->c], leaf = hd_leaf(net, f->dst), n = 0;
    const uint8_t *dist = sim->dist + (size_t)sim->leaf_of[leaf] * net->nsw;
    if (v == leaf) near[n++] = f->into;
    if (v != leaf && sim->groups) return group_ports(sim, v, f->dst, near);
    for (uint32_t c = net->off[v]; v != leaf && c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw && dist[net->head[c]] + 1 == dist[v]) near[n++] = c;
    return n;
}

static uint64_t ecmp_mix(uint64_t hash, uint64_t field)
{
    uint64_t x = hash + field + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* The hash of the seed and a flow's pair, the beginning of every other one. */
static uint64_t ecmp_pair(const struct hd_sim *sim, const struct hd_flow_state *f)
{
    return ecmp_mix(ecmp_mix(ecmp_mix(0, sim->seed), f->src), f->dst);
}

static uint64_t ar_load(const struct hd_sim *sim, uint32_t c, uint32_t lane)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t i = c * sim->lanes + lane;
    uint64_t n = (w->state & HD_BUSY) != 0;
    const uint64_t *ask = hd_ask_at(sim, c * sim->lanes);
    for (uint32_t k = 0; !sim->voq && k < sim->lanes * sim->words; k++) n += (uint64_t)__builtin_popcountll(ask[k]);
    n *= sim->m->packet;
    for (uint32_t k = 0; sim->voq && k < sim->lanes; k++) n += hd_queue_at(sim, c * sim->lanes + k)->backlog;
    if (w->state & HD_TO_HOST) return n;
    const struct hd_queue *q = hd_queue_at(sim, i);
    n += sim->m->buffer - (uint64_t)(int64_t)q->space;
    if (q->due_time <= sim->wheel.now) n -= q->due_len;
    return n;
}

struct ar_opt {
    struct hd_selector_opt base;
    uint64_t threshold, flowlet, bounded;
};

struct ar_flowlet { /* the last packet of a flow at a switch */
    uint64_t until; /* packets that come later choose again */
    uint32_t conn, stamp, port;
};

enum { FLOWLETS = 1024 }; /* per switch; flows that share an entry replace each other */

static bool ar_init(struct hd_sim *sim)
{
    const struct ar_opt *o = sim->opt;
    const char *choosing = sim->groups ? hd_routes_choosing(sim->routes) : "packet";
    if (!o->flowlet && (strcmp(choosing, "packet") == 0 || strcmp(choosing, "hash") == 0)) return true;
    return (sim->choice = HD_NEW(sim->arena, struct ar_flowlet, (size_t)sim->net->nsw * FLOWLETS));
}

/* The least loaded of n ports; those that are loaded no more than the threshold are alike. */
static uint32_t ar_least(struct hd_sim *sim, const struct hd_packet *p, uint32_t *near, uint32_t all)
{
    const struct ar_opt *o = sim->opt;
    uint32_t n = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; all > 1 && i < all; i++) {
        uint64_t l = ar_load(sim, near[i], p->lane);
        if (l < o->threshold) l = o->threshold;
        if (l < least) n = 0;
        if (l <= least) near[n++] = near[i];
        if (l < least) least = l;
    }
    if (!all) return HD_NIL;
    return near[n > 1 ? hd_rng_below(&sim->rng, n) : 0];
}

/* A port by the state of the destination's LID in the table: by hash, until the flow pauses, or for this packet. */
static uint32_t ar_port(struct hd_sim *sim, const struct hd_packet *p)
{
    const uint32_t v = sim->net->head[p->c];
    uint32_t near[HD_MAX_PORTS + 1], n = near_ports(sim, p, near);
    const struct ar_opt *o = sim->opt;
    const struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    const enum hd_lid_state state = n > 1 && sim->groups ? hd_routes_lid_state(sim->routes, f->dst, 0, v) : HD_LID_FREE;
    if (state == HD_LID_HASH) return near[ecmp_mix(ecmp_mix(ecmp_pair(sim, f), f->msg), v) % n];
    const uint64_t pause = state == HD_LID_BOUNDED && !o->flowlet ? o->bounded : o->flowlet;
    if (n <= 1 || !pause) return ar_least(sim, p, near, n);
    struct ar_flowlet *all = sim->choice, *a = &all[(size_t)v * FLOWLETS + f->self % FLOWLETS];
    bool same = a->conn == f->self && a->stamp == f->stamp && sim->wheel.now <= a->until;
    uint32_t port = same ? a->port : ar_least(sim, p, near, n);
    *a = (struct ar_flowlet){sim->wheel.now + pause, f->self, f->stamp, port};
    return port;
}

enum { BY_FLOW, BY_PAIR, BY_PACKET };

struct ecmp_opt {
    struct hd_selector_opt base;
    int fields, salt;
};

static uint32_t ecmp_port(struct hd_sim *sim, const struct hd_packet *p)
{
    const struct ecmp_opt *o = sim->opt;
    const struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    uint32_t near[HD_MAX_PORTS + 1], n = near_ports(sim, p, near);
    if (n <= 1) return n ? near[0] : HD_NIL;
    uint64_t hash = ecmp_pair(sim, f);
    if (o->fields != BY_PAIR) hash = ecmp_mix(hash, f->msg);
    if (o->fields == BY_PACKET) hash = ecmp_mix(hash, p->seq);
    if (o->salt) hash = ecmp_mix(hash, sim->net->head[p->c]);
    return near[hash % n];
}

static const struct hd_param ecmp_params[] = {
    {"fields", HD_WORD, "flow", "what is hashed: source, destination and flow; the pair alone; the packet too",
     offsetof(struct ecmp_opt, fields), 0, 0, "flow|pair|packet", false},
    {"salt", HD_WORD, "on", "each switch has its own hash; off: all switches have the same, which polarises traffic",
     offsetof(struct ecmp_opt, salt), 0, 0, "off|on", false},
    {0}};

static const struct hd_param ar_params[] = {
    {"threshold", HD_BYTES, "0", "ports with no more than this waiting are alike, bytes",
     offsetof(struct ar_opt, threshold), 0, 1 << 30, NULL, false},
    {"flowlet", HD_UINT, "0", "a flow keeps its port until it has paused so long, ns; 0: every packet chooses",
     offsetof(struct ar_opt, flowlet), 0, 1e9, NULL, false},
    {"bounded", HD_UINT, "10000", "the same towards Bounded LIDs of a far file, if flowlet is 0",
     offsetof(struct ar_opt, bounded), 1, 1e9, NULL, false},
    {0}};

const struct hd_selector hd_selector_ar = {
    .desc =
        {.name = "ar",
         .summary = "switches choose the least loaded of the minimal ports",
         .text =
             "Adaptive routing in the switches: when a packet becomes the first of an input queue, the switch "
             "takes, among the ports one hop closer to the destination, the one with the fewest packets "
             "waiting for it, on it and in the buffer behind it. Ties are broken at random. Where switches have "
             "virtual output queues a packet chooses as it arrives, and bytes are counted. If the table has "
             "groups of ports (ar_updn, ar_ftree, far files), the choice is among those, and made as the state of the "
             "destination's LID says: for every packet (Free), until a flow pauses (Bounded), or by a hash of the "
             "flow (HBF). Otherwise neither the table nor its VLs are used, so this can deadlock on networks other "
             "than trees.",
         .params = ar_params,
         .examples = (const char *const[]){"ar", "ar:threshold=16K", "ar:flowlet=2000", NULL},
         .opt_size = sizeof(struct ar_opt)},
    .init = ar_init,
    .per_switch = true,
    .port = ar_port};

const struct hd_selector hd_selector_ecmp = {
    .desc = {.name = "ecmp",
             .summary = "switches hash each flow onto one of the minimal ports",
             .text = "Equal-cost multipath: every switch hashes source, destination and flow of a packet, with the "
                     "seed and its own number, and so picks one of the ports one hop closer to the destination. A flow "
                     "keeps its path and its order, and flows share ports at random. The flow is the position of the "
                     "message in the workload. With fields=packet every packet is hashed on its own, as senders "
                     "that change the entropy value of their packets spray them. If the table has groups of ports "
                     "(ar_updn, ar_ftree, far files), the choice is among those. Otherwise neither the table nor its "
                     "VLs are used, so this can deadlock on networks other than trees.",
             .cite = "Hopps: Analysis of an equal-cost multi-path algorithm, RFC 2992",
             .params = ecmp_params,
             .examples = (const char *const[]){"ecmp", "ecmp:fields=pair", "ecmp:salt=off", "ecmp:fields=packet", NULL},
             .opt_size = sizeof(struct ecmp_opt)},
    .per_switch = true,
    .port = ecmp_port};
