/* SPDX-License-Identifier: BSD-2-Clause */
/* A network as a stranger would find it: switches, endpoints and ports renumbered at random, new names
 * and GUIDs, no levels, no shape; and some of it missing if wanted. */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include <stdio.h>

#include "base/rng.h"
#include "testing.h"
#include "base/context.h"

struct damage {
    bool *cable;      /* [nchan] gone when either channel is marked */
    bool *sw;         /* [nsw] gone with all its cables */
    uint32_t ncables; /* switch cables gone between switches that stay */
};

static inline uint32_t *permutation(struct hd_rng *rng, uint32_t n)
{
    uint32_t *p = calloc(n + 1, sizeof *p);
    for (uint32_t i = 0; i < n; i++) p[i] = i;
    hd_rng_shuffle(rng, p, n);
    return p;
}

static inline bool is_gone(const struct hd_net *net, const struct damage *d, uint32_t c)
{
    uint32_t u = net->tail[c], v = net->head[c];
    if (!d) return false;
    return d->cable[c] || d->cable[net->rev[c]] || (u < net->nsw && d->sw[u]) || (v < net->nsw && d->sw[v]);
}

static inline void damage_init(struct damage *d, const struct hd_net *net)
{
    *d = (struct damage){calloc(net->nchan + 1, 1), calloc(net->nsw, 1), 0};
}

static inline void damage_release(struct damage *d)
{
    free(d->cable);
    free(d->sw);
}

/* Takes n switch cables at random (fewer when there are not so many). */
static inline void damage_cables(struct damage *d, const struct hd_net *net, uint32_t n, struct hd_rng *rng)
{
    uint32_t *order = permutation(rng, net->nchan);
    for (uint32_t i = 0; i < net->nchan && n; i++) {
        uint32_t c = order[i];
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw || is_gone(net, d, c)) continue;
        d->cable[c] = true;
        d->ncables++;
        n--;
    }
    free(order);
}

static inline void shuffle_switches(struct hd_builder *b, const struct hd_net *net, const struct damage *d,
                                    struct hd_rng *rng, uint32_t *new_sw)
{
    uint32_t *order = permutation(rng, net->nsw);
    char name[32];
    for (uint32_t i = 0; i < net->nsw; i++) {
        uint32_t v = order[i];
        new_sw[v] = UINT32_MAX;
        if (d && d->sw[v]) continue;
        snprintf(name, sizeof name, "switch %u", i);
        new_sw[v] = hd_builder_switch(
            b, &(struct hd_switch_in){.name = name, .guid = (uint64_t)hd_rng_u32(rng) << 32 | (v + 1), .nports = 254});
    }
    free(order);
}

/* The network again; new_sw[v] becomes the number of its switch v, UINT32_MAX: gone. */
static inline struct hd_net *shuffle_net(const struct hd_net *net, const struct damage *d, uint64_t seed,
                                         uint32_t *new_sw)
{
    struct hd_ctx ctx;
    struct hd_builder *b = NULL;
    struct hd_rng rng;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, seed, HD_RNG_TEST, 0);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    shuffle_switches(b, net, d, &rng, new_sw);
    uint32_t *port = calloc(net->nchan + 1, sizeof *port), *new_ep = calloc(net->nep + 1, sizeof *new_ep);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t *ports = permutation(&rng, HD_MAX_PORTS);
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) port[c] = ports[c - net->off[v]] + 1;
        free(ports);
    }
    uint32_t *order = permutation(&rng, net->nep);
    for (uint32_t i = 0; i < net->nep; i++) {
        uint32_t e = order[i];
        if (is_gone(net, d, net->off[net->nsw + e])) continue;
        uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.role = (enum hd_role)net->ca_role[net->ca[e]]});
        new_ep[e] = hd_builder_endpoint(b, a, 1, 0, 0);
        port[net->off[net->nsw + e]] = 1;
    }
    free(order);
    order = permutation(&rng, net->nchan);
    for (uint32_t i = 0; i < net->nchan; i++) {
        uint32_t c = order[i], u = net->tail[c], v = net->head[c];
        if (net->rev[c] < c || is_gone(net, d, c)) continue;
        hd_builder_cable(b, u < net->nsw ? new_sw[u] : new_ep[u - net->nsw], port[c],
                         v < net->nsw ? new_sw[v] : new_ep[v - net->nsw], port[net->rev[c]], net->link[c]);
    }
    free(order);
    free(port);
    free(new_ep);
    hd_status s = hd_builder_finish(&ctx, b, net->spec, &out);
    return checked(&ctx, s, out, net->spec);
}

static inline struct hd_net *infer_net(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_infer(&ctx, net, &out);
    return checked(&ctx, s, out, net->spec);
}

#endif
