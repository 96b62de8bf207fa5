/* SPDX-License-Identifier: BSD-2-Clause */
/* Random networks: every switch has the same number of ports, the first ones hold endpoints and the
 * rest are connected to other switches at random.
 *
 * Method. All inner ports are shuffled and connected two by two, which draws a pairing uniformly; with an
 * odd number the last one stays open. Then what a network may not have is undone by exchanging the ends
 * of two cables, which keeps every port in use:
 *   1. a cable from a switch to itself, with a cable that does not touch that switch;
 *   2. a separate part, with the part before it. Cables outside a spanning forest can be given up
 *      without separating anything, so one such cable of each part is exchanged; the exchange leaves a
 *      cable outside the spanning forest of the connected component, and the next component uses that one.
 * Step 1 always finds a cable: a switch u with a loop has at most r - 2 of its r inner ports on others,
 * while the others have (switches - 1) r. Step 2 always finds one where r >= 2: the cables of a part are
 * then at least as many as its switches. Parallel cables stay as they fall. Cost: O(ports log switches). */
#include "base/rng.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "net/topo/topology.h"

struct random_net_opt {
    uint64_t switches, ports, hosts, seed;
};

struct wiring {
    uint32_t switches, inner; /* inner: ports of a switch that hold no endpoint */
    uint32_t ncab;
    uint32_t *end;    /* [switches * inner] inner ports, switch * inner + number; cable c is end[2c] - end[2c+1] */
    uint32_t *parent; /* [switches] union-find; the root of a part is its first switch */
    uint32_t *spare;  /* [switches] by root: a cable outside the forest, */
    uint32_t *spares; /* [switches] how many it was chosen from */
    bool *forest;     /* [ncab] */
    struct hd_rng rng;
};

static uint32_t switch_at(const struct wiring *w, uint32_t c, uint32_t side)
{
    return w->end[2 * c + side] / w->inner;
}

/* a-b and c-d become a-c and b-d. */
static void exchange(struct wiring *w, uint32_t ab, uint32_t cd)
{
    uint32_t b = w->end[2 * ab + 1];
    w->end[2 * ab + 1] = w->end[2 * cd];
    w->end[2 * cd] = b;
}

static void undo_loops(struct wiring *w)
{
    for (uint32_t c = 0; c < w->ncab; c++) {
        uint32_t v = switch_at(w, c, 0);
        if (v != switch_at(w, c, 1)) continue;
        uint32_t other = hd_rng_below(&w->rng, w->ncab);
        while (switch_at(w, other, 0) == v || switch_at(w, other, 1) == v) other = (other + 1) % w->ncab;
        exchange(w, c, other);
    }
}

static void find_components(struct wiring *w)
{
    hd_sets_init(w->parent, w->switches);
    for (uint32_t c = 0; c < w->ncab; c++) {
        uint32_t u = hd_sets_find(w->parent, switch_at(w, c, 0)), v = hd_sets_find(w->parent, switch_at(w, c, 1));
        w->forest[c] = u != v;
        hd_sets_join(w->parent, u, v);
    }
    for (uint32_t c = 0; c < w->ncab; c++) {
        if (w->forest[c]) continue;
        uint32_t r = hd_sets_find(w->parent, switch_at(w, c, 0));
        if (hd_rng_below(&w->rng, ++w->spares[r]) == 0) w->spare[r] = c;
    }
}

static void connect_components(struct wiring *w)
{
    find_components(w);
    uint32_t last = w->spare[0];
    for (uint32_t v = 1; v < w->switches; v++) {
        if (w->parent[v] != v) continue;
        exchange(w, last, w->spare[v]);
        last = w->spare[v];
    }
}

static hd_status wire(struct hd_ctx *ctx, struct hd_arena *scratch, struct wiring *w)
{
    uint32_t ports = w->switches * w->inner;
    w->ncab = w->switches > 1 ? ports / 2 : 0; /* a single switch has no other to be connected to */
    w->end = HD_NEW(scratch, uint32_t, ports);
    w->forest = HD_NEW(scratch, bool, w->ncab);
    if (!HD_NEW_U32(scratch, w->switches, &w->parent, &w->spare, &w->spares) || !w->end || !w->forest)
        return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < ports; i++) w->end[i] = i;
    hd_rng_shuffle(&w->rng, w->end, ports);
    undo_loops(w);
    if (w->inner > 1) connect_components(w);
    return HD_OK;
}

static void build(struct hd_builder *b, const struct wiring *w, uint32_t hosts)
{
    for (uint32_t v = 0; v < w->switches; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.nports = hosts + w->inner, .level = 1});
        for (uint32_t h = 1; h <= hosts; h++) hd_builder_host(b, v, h, HD_LINK_DEFAULT);
    }
    for (uint32_t c = 0; c < w->ncab; c++) {
        uint32_t u = w->end[2 * c], v = w->end[2 * c + 1];
        hd_builder_cable(b, u / w->inner, hosts + u % w->inner + 1, v / w->inner, hosts + v % w->inner + 1,
                         HD_LINK_DEFAULT);
    }
}

static hd_status make_random(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                             struct hd_builder *b)
{
    (void)topology;
    const struct random_net_opt *o = opt;
    if (o->hosts > o->ports)
        return hd_fail(ctx, HD_INPUT, "random: hosts=%llu do not fit on ports=%llu", (unsigned long long)o->hosts,
                       (unsigned long long)o->ports);
    uint64_t inner = o->ports - o->hosts, cables = o->switches > 1 ? o->switches * inner / 2 : 0;
    if (cables + 1 < o->switches)
        return hd_fail(
            ctx, HD_INPUT,
            "random: switches=%llu with ports=%llu and hosts=%llu cannot be connected: that takes %llu cables, "
            "the ports left are enough for %llu",
            (unsigned long long)o->switches, (unsigned long long)o->ports, (unsigned long long)o->hosts,
            (unsigned long long)o->switches - 1, (unsigned long long)cables);
    struct hd_topology_size size = {o->switches, o->switches * o->hosts, o->switches * o->hosts + cables, o->ports};
    HD_TRY(hd_topology_fits(ctx, "random", &size));
    struct hd_arena scratch = {0};
    struct wiring w = {.switches = (uint32_t)o->switches, .inner = (uint32_t)inner};
    hd_rng_init(&w.rng, o->seed, HD_RNG_TOPOLOGY, 0);
    hd_status s = hd_topology_begin(ctx, b, size.switches, size.endpoints, size.cables);
    if (s == HD_OK) s = wire(ctx, &scratch, &w);
    if (s == HD_OK) build(b, &w, (uint32_t)o->hosts);
    hd_arena_release(&scratch);
    return s;
}

static const struct hd_param random_params[] = {
    {"switches", HD_UINT, "43", "number of switches", offsetof(struct random_net_opt, switches), 1, 1 << 26, NULL,
     true},
    {"ports", HD_UINT, "24", "ports of a switch", offsetof(struct random_net_opt, ports), 1, 254, NULL, true},
    {"hosts", HD_UINT, "12", "endpoints on each switch", offsetof(struct random_net_opt, hosts), 0, 254, NULL, true},
    {"seed", HD_UINT, "1", "which of them", offsetof(struct random_net_opt, seed), 0, 9007199254740991.0, NULL, true},
    {0},
};

const struct hd_topology hd_topo_random = {
    .desc = {.name = "random",
             .summary = "random connected network of switches",
             .text = "Every switch has its endpoints on the first ports; the other ports of all switches are paired "
                     "uniformly at random. Cables from a switch to itself and separate components are then removed by "
                     "exchanging the ends of two cables. Parallel cables may occur. If the number of ports is odd, "
                     "one stays open; a single switch keeps all of them open. The same seed gives the same network.",
             .cite =
                 "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks, section IV.E",
             .params = random_params,
             .examples =
                 (const char *const[]){"random:switches=43,ports=24,hosts=12,seed=1",
                                       "random:switches=250,ports=24,hosts=12,seed=2",
                                       "random:switches=9,ports=4,hosts=1,seed=3", "random:switches=7,ports=3,hosts=1",
                                       "random:switches=2,ports=5,hosts=4", "random:switches=1,ports=8,hosts=8",
                                       "random:switches=1,ports=8,hosts=3", NULL},
             .opt_size = sizeof(struct random_net_opt)},
    .make = make_random};
