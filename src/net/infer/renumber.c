/* SPDX-License-Identifier: BSD-2-Clause */
/* A network with its numbers drawn again: switches, endpoints and ports in random order, structure inferred from the
 * cables. Shows what a routing owes to the tidy numbers of a generator. O(size), plus inference. */
#include "base/arena.h"
#include "base/rng.h"
#include "base/status.h"
#include "net/core/builder.h"
#include "net/infer/infer.h"

struct renumbering {
    const struct hd_net *net;
    struct hd_builder *b;
    struct hd_rng rng;
    uint32_t *order; /* [most of switches, endpoints, ports] */
    uint32_t *node;  /* [nsw+nep] handle of each node */
    uint32_t *port;  /* [nchan] new port at the tail */
};

static void renumber_shuffle(struct renumbering *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) w->order[i] = i;
    hd_rng_shuffle(&w->rng, w->order, n);
}

static void renumber_nodes(struct renumbering *w)
{
    const struct hd_net *net = w->net;
    renumber_shuffle(w, net->nsw);
    for (uint32_t i = 0; i < net->nsw; i++) {
        uint32_t v = w->order[i];
        w->node[v] = hd_builder_switch(w->b, &(struct hd_switch_in){.nports = net->nports[v]});
    }
    for (uint32_t v = 0; v < net->nsw; v++) {
        renumber_shuffle(w, net->nports[v]);
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) w->port[c] = w->order[c - net->off[v]] + 1;
    }
    renumber_shuffle(w, net->nep);
    for (uint32_t i = 0; i < net->nep; i++) {
        uint32_t e = w->order[i];
        uint32_t a = hd_builder_adapter(w->b, &(struct hd_adapter_in){.role = (enum hd_role)net->ca_role[net->ca[e]]});
        w->node[net->nsw + e] = hd_builder_endpoint(w->b, a, 1, 0, 0);
        w->port[net->off[net->nsw + e]] = 1;
        hd_builder_select(w->b, w->node[net->nsw + e], false);
    }
    for (uint32_t i = 0; i < net->nsel; i++) hd_builder_select(w->b, w->node[net->nsw + net->sel[i]], true);
}

static void renumber_cables(struct renumbering *w)
{
    const struct hd_net *net = w->net;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (c < net->rev[c])
            hd_builder_cable(w->b, w->node[net->tail[c]], w->port[c], w->node[net->head[c]], w->port[net->rev[c]],
                             net->link[c]);
}

hd_status hd_net_renumber(struct hd_ctx *ctx, const struct hd_net *net, uint64_t seed, struct hd_net **out)
{
    struct hd_arena a = {0};
    uint32_t most = net->nsw > net->nep ? net->nsw : net->nep;
    struct renumbering w = {.net = net,
                            .order = HD_NEW(&a, uint32_t, most > HD_MAX_PORTS ? most : HD_MAX_PORTS),
                            .node = HD_NEW(&a, uint32_t, (size_t)net->nsw + net->nep),
                            .port = HD_NEW(&a, uint32_t, net->nchan)};
    struct hd_net *renumbered = NULL;
    hd_rng_init(&w.rng, seed, HD_RNG_TOPOLOGY, 0);
    hd_status s = w.order && w.node && w.port ? hd_builder_make(ctx, &w.b) : hd_fail_memory(ctx);
    if (s == HD_OK) {
        renumber_nodes(&w);
        renumber_cables(&w);
        s = hd_builder_finish(ctx, w.b, net->spec, &renumbered);
    }
    hd_arena_release(&a);
    if (s == HD_OK) s = hd_infer_unpublished(ctx, renumbered);
    if (s == HD_OK)
        *out = renumbered;
    else
        hd_net_free(renumbered);
    return s;
}
