/* SPDX-License-Identifier: BSD-2-Clause */
/* ecmp: every switch hashes the header of a packet and takes, of the n ports one step nearer to the destination in
 * port order, number hash mod n. The hash is SplitMix64's finalizer over the fields one after the other: seed, source,
 * destination, the flow (the number of its message list entry, as a UDP source port or a flow label would tell it)
 * and the switch. Switches that share one hash function polarise: all that meets at a switch of the second level was
 * put there by the same hash, so it agrees again and most of that switch's ports stay idle. */
#include "sim/all_selectors.h"
#include "sim/sim_state.h"

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
    const struct hd_net *net = sim->net;
    const struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    uint32_t v = net->head[p->c], leaf = hd_leaf(net, f->dst), n = 0, near[HD_MAX_PORTS + 1];
    if (v == leaf) return f->into;
    const uint8_t *dist = sim->dist + (size_t)sim->leaf_of[leaf] * net->nsw;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw && dist[net->head[c]] + 1 == dist[v]) near[n++] = c;
    uint64_t hash = ecmp_mix(ecmp_mix(ecmp_mix(0, sim->seed), f->src), f->dst);
    if (o->fields == BY_FLOW) hash = ecmp_mix(hash, f->msg);
    if (o->salt) hash = ecmp_mix(hash, v);
    return near[hash % n];
}

static const struct hd_param params[] = {
    {"fields", HD_WORD, "flow", "what is hashed: source, destination and flow, or the pair alone",
     offsetof(struct ecmp_opt, fields), 0, 0, "flow|pair", false},
    {"salt", HD_WORD, "on", "each switch has its own hash; off: all switches have the same, which polarises traffic",
     offsetof(struct ecmp_opt, salt), 0, 0, "off|on", false},
    {0}};

const struct hd_selector hd_selector_ecmp = {
    .desc = {.name = "ecmp",
             .summary = "switches hash each flow onto one of the minimal ports",
             .text = "Equal-cost multipath: every switch hashes source, destination and flow of a packet, with the "
                     "seed and its own number, and so picks one of the ports one hop closer to the destination. A flow "
                     "keeps its path and its order, and flows share ports at random. The flow is the position of the "
                     "message in the workload. Neither the table nor its VLs are used, so this can deadlock on "
                     "networks other than trees.",
             .cite = "Hopps: Analysis of an equal-cost multi-path algorithm, RFC 2992",
             .params = params,
             .examples = (const char *const[]){"ecmp", "ecmp:fields=pair", "ecmp:salt=off", NULL},
             .opt_size = sizeof(struct ecmp_opt)},
    .per_switch = true,
    .port = ecmp_port};
