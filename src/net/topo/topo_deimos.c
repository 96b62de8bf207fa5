/* SPDX-License-Identifier: BSD-2-Clause */
/* Deimos, the 724-endpoint machine of Hoefler, Schneider and Lumsdaine's routing paper: three 288-port
 * switches in a chain, 30 cables from one to the next.
 *
 * Each switch is a tree of 24 leaf and 12 spine crossbars of 24 ports, one cable between each leaf and
 * each spine; its outer ports are ports 1 .. 12 of the leaves. The cables of the chain sit on outer
 * ports, and where is not known, so it is a parameter; endpoints take what is left.
 *
 * An outer port is a number leaf * 12 + port - 1. Leaves are numbered switch by switch, then spines. */
#include "base/rng.h"
#include "base/status.h"
#include "net/topo/topology.h"

enum { CHASSIS = 3, LEAVES = 24, SPINES = 12, OUTER = 12, PORTS = LEAVES * OUTER };
enum placement { SPREAD, BLOCK, RANDOM };
enum deimos_fill { EVEN, FIRST };

struct deimos_opt {
    struct hd_list hosts;
    uint64_t cables, seed;
    int placement, fill;
};

/* The outer ports of one chassis in the order in which chain cables take them: leaf by leaf in turn from
 * the last port down, whole leaves, or shuffled. */
static void order_ports(const struct deimos_opt *o, uint32_t chassis, uint32_t port[PORTS])
{
    struct hd_rng rng;
    for (uint32_t i = 0; i < PORTS; i++)
        port[i] = o->placement == SPREAD ? i % LEAVES * OUTER + OUTER - 1 - i / LEAVES
                                         : i / OUTER * OUTER + OUTER - 1 - i % OUTER;
    if (o->placement != RANDOM) return;
    hd_rng_init(&rng, o->seed, HD_RNG_TOPOLOGY, chassis);
    hd_rng_shuffle(&rng, port, PORTS);
}

static hd_status deimos_check(struct hd_ctx *ctx, const struct deimos_opt *o)
{
    if (o->hosts.n != CHASSIS)
        return hd_fail(ctx, HD_INPUT, "deimos: hosts has %u entries: expected %d, one for each 288-port switch",
                       o->hosts.n, CHASSIS);
    for (uint32_t i = 0; i < CHASSIS; i++) {
        uint32_t chain = (uint32_t)o->cables * (i == 1 ? 2 : 1);
        if (o->hosts.v[i] + chain > PORTS)
            return hd_fail(ctx, HD_INPUT, "deimos: %u endpoints and %u cables to other switches do not fit on %d ports",
                           o->hosts.v[i], chain, PORTS);
    }
    return HD_OK;
}

static void cable_chassis(struct hd_builder *b, uint32_t chassis)
{
    for (uint32_t i = 0; i < LEAVES; i++)
        for (uint32_t j = 0; j < SPINES; j++)
            hd_builder_cable(b, chassis * LEAVES + i, OUTER + j + 1, CHASSIS * LEAVES + chassis * SPINES + j, i + 1,
                             HD_LINK_DEFAULT);
}

/* Each leaf in turn gets its part of the hosts on its first free ports. */
static void deimos_add_hosts(struct hd_builder *b, const struct deimos_opt *o, uint32_t chassis,
                             const bool taken[PORTS])
{
    uint64_t hosts = o->hosts.v[chassis], total = 0, seen = 0, placed = 0;
    for (uint32_t i = 0; i < PORTS; i++) total += !taken[i];
    if (hosts == 0) return; /* the chain may have taken every port */
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
        const bool *of_leaf = taken + leaf * OUTER;
        for (uint32_t i = 0; i < OUTER; i++) seen += !of_leaf[i];
        uint64_t upto = o->fill == EVEN ? seen * hosts / total : hosts;
        for (uint32_t i = 0; i < OUTER && placed < upto; i++) {
            if (of_leaf[i]) continue;
            hd_builder_host(b, chassis * LEAVES + leaf, i + 1, HD_LINK_DEFAULT);
            placed++;
        }
    }
}

static hd_status make_deimos(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                             struct hd_builder *b)
{
    (void)topology;
    const struct deimos_opt *o = opt;
    uint32_t port[CHASSIS][PORTS], n = (uint32_t)o->cables;
    HD_TRY(deimos_check(ctx, o));
    for (uint32_t v = 0; v < CHASSIS * (LEAVES + SPINES); v++)
        hd_builder_switch(b, &(struct hd_switch_in){.nports = 24, .level = v < CHASSIS * LEAVES ? 1 : 2});
    for (uint32_t i = 0; i < CHASSIS; i++) {
        bool taken[PORTS] = {false};
        order_ports(o, i, port[i]);
        for (uint32_t j = 0; j < (i == 1 ? 2 * n : n); j++) taken[port[i][j]] = true;
        deimos_add_hosts(b, o, i, taken);
        cable_chassis(b, i);
    }
    for (uint32_t i = 0; i + 1 < CHASSIS; i++)
        for (uint32_t j = 0; j < n; j++) {
            uint32_t u = port[i][i == 1 ? n + j : j], v = port[i + 1][j];
            hd_builder_cable(b, i * LEAVES + u / OUTER, u % OUTER + 1, (i + 1) * LEAVES + v / OUTER, v % OUTER + 1,
                             HD_LINK_DEFAULT);
        }
    return HD_OK;
}

const struct hd_topology hd_topo_deimos = {
    .desc =
        {.name = "deimos",
         .summary = "Deimos, TU Dresden: 724 endpoints on three 288-port switches in a chain",
         .text =
             "Known: 724 endpoints; three 288-port switches in a chain with 30 cables from one to the next, each a "
             "fat "
             "tree with 24 leaf crossbars. Assumed: 24-port crossbars, hence 12 spines and one cable between each "
             "leaf "
             "and each spine; chain cables sit on leaf ports that would otherwise have endpoints. Not known, hence "
             "parameters: which leaf ports (spread: dealt out to the leaves in turn; block: whole leaves; random) and "
             "how many endpoints each switch holds (by default in proportion to the ports the chain leaves free: "
             "258, 228 and 258). Cable j takes the j-th port so ordered on both sides.",
         .cite = "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks, sections IV.B "
                 "and V "
                 "(size and kind of network; the cabling is assumed)",
         .params =
             (const struct hd_param[]){{"hosts", HD_LIST, "251x222x251", "endpoints on each 288-port switch",
                                        offsetof(struct deimos_opt, hosts), 0, PORTS, NULL, false},
                                       {"cables", HD_UINT, "30", "cables from one switch to the next",
                                        offsetof(struct deimos_opt, cables), 1, PORTS / 2, NULL, false},
                                       {"placement", HD_WORD, "spread", "leaf ports the chain uses",
                                        offsetof(struct deimos_opt, placement), 0, 0, "spread|block|random", false},
                                       {"fill", HD_WORD, "even",
                                        "where open ports are: dealt out evenly, or behind the last endpoint",
                                        offsetof(struct deimos_opt, fill), 0, 0, "even|first", false},
                                       {"seed", HD_UINT, "1", "of placement=random", offsetof(struct deimos_opt, seed),
                                        0, 9007199254740991.0, NULL, false},
                                       {0}},
         .examples = (const char *const[]){"deimos", "deimos:placement=block", "deimos:placement=random,seed=7",
                                           "deimos:fill=first", "deimos:hosts=258x228x238",
                                           "deimos:hosts=12x0x12,cables=1", NULL},
         .opt_size = sizeof(struct deimos_opt)},
    .make = make_deimos};
