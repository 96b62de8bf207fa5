/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of adaptive routing as a fluid: every switch splits a flow evenly over the ports of its group, which is what
 * choosing port by port comes to when nothing is known of the other flows. A flow is followed step by step with the
 * share that reaches each switch; what a share is divided into is rounded down, so that a flow alone never loads a
 * channel with more than itself. Its bottleneck is the largest load of any channel that it uses, since a sender cannot
 * be faster than its slowest part for long. Of a flow of which a part does not arrive (groups older than a failure),
 * the bottleneck is larger in the ratio of all of it to what arrives; one of which nothing arrives, or whose choices do
 * not end, has no path.
 * Cost: O(channels that a flow may use) per flow. */
#include "load/load_strategy.h"
#include "base/status.h"
#include "route/core/routes_view.h"

#define WHOLE HD_FLUID_WHOLE

struct fluid_scratch {
    uint64_t *load;        /* [nchan] */
    uint64_t *here, *next; /* [nsw] shares at this step and the next one */
    uint32_t *now, *then;  /* [nsw] switches with a share */
    uint64_t *amount;      /* beside hd_loads.chan */
    uint32_t room;         /* of it */
    uint64_t lost;         /* of the flow that is followed: what came to a switch without a port */
    bool arrived;          /* some of it */
    double *rise;          /* [npath] all of a flow over what arrives of it */
    uint32_t rise_room;    /* of it */
};

static hd_status fluid_scratch(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader *loader,
                               uint32_t max_flows, void **scratch)
{
    const struct hd_net *net = hd_routes_net(loader->routes);
    struct fluid_scratch *w = HD_NEW(arena, struct fluid_scratch, 1);
    (void)max_flows;
    if (!w) return hd_fail_memory(ctx);
    w->load = HD_NEW(arena, uint64_t, net->nchan);
    w->here = HD_NEW(arena, uint64_t, net->nsw);
    w->next = HD_NEW(arena, uint64_t, net->nsw);
    if (!w->load || !w->here || !w->next || !HD_NEW_U32(arena, net->nsw, &w->now, &w->then)) return hd_fail_memory(ctx);
    *scratch = w;
    return HD_OK;
}

/* Room for the channels of one more switch behind the first n. */
static bool fluid_ensure(struct hd_loads *l, struct fluid_scratch *w, size_t n)
{
    if (!hd_loads_ensure(l, n, n + HD_MAX_PORTS + 1)) return false;
    while (n + HD_MAX_PORTS + 1 > w->room)
        if (!HD_MORE(l->room->arena, w->amount, w->room, w->room)) {
            l->failed = true;
            return false;
        }
    return true;
}

static void fluid_append(struct hd_loads *l, struct fluid_scratch *w, uint32_t c, uint64_t amount, size_t *n)
{
    l->chan[*n] = c;
    w->amount[(*n)++] = amount;
}

/* Splits the shares of one step; false: out of memory. */
static bool fluid_step(struct hd_loads *l, struct fluid_scratch *w, uint32_t d, uint32_t x, uint32_t *nnow, size_t *n)
{
    const struct hd_routes *r = l->loader->routes;
    const struct hd_net *net = hd_routes_net(r);
    uint32_t nthen = 0;
    bool good = true;
    for (uint32_t i = 0; i < *nnow; i++) {
        uint8_t slot[HD_MAX_PORTS + 1];
        const uint32_t v = w->now[i], ports = hd_routes_choices(r, d, x, v, slot);
        const uint64_t part = ports ? w->here[v] / ports : 0;
        good = good && fluid_ensure(l, w, *n);
        if (!ports) w->lost += w->here[v];
        w->here[v] = 0;
        for (uint32_t k = 0; good && part && k < ports; k++) {
            const uint32_t c = net->off[v] + slot[k], u = net->head[c];
            fluid_append(l, w, c, part, n);
            if (u == net->nsw + d) {
                w->arrived = true;
                continue;
            }
            if (u >= net->nsw) {
                w->lost += part;
                continue;
            }
            if (!w->next[u]) w->then[nthen++] = u;
            w->next[u] += part;
        }
    }
    uint64_t *here = w->here;
    uint32_t *now = w->now;
    w->here = w->next;
    w->next = here;
    w->now = w->then;
    w->then = now;
    *nnow = nthen;
    return good;
}

/* Channels and amounts of one path behind the first n; false: nothing arrives. */
static bool fluid_follow(struct hd_loads *l, struct fluid_scratch *w, uint32_t s, uint32_t d, uint32_t x,
                         uint64_t whole, size_t *n)
{
    const struct hd_net *net = hd_routes_net(l->loader->routes);
    const uint32_t first = net->off[net->nsw + s];
    uint32_t nnow = 1, steps = 0;
    bool good = fluid_ensure(l, w, *n);
    if (good) fluid_append(l, w, first, whole, n);
    w->lost = 0;
    w->arrived = false;
    w->now[0] = net->head[first];
    w->here[w->now[0]] = whole;
    while (good && nnow && steps++ < HD_MAX_HOPS) good = fluid_step(l, w, d, x, &nnow, n);
    for (uint32_t i = 0; i < nnow; i++) w->here[w->now[i]] = 0;
    return good && !nnow && w->arrived;
}

/* Keeps how much more than what arrives is sent over path k. */
static void fluid_keep_rise(struct hd_loads *l, struct fluid_scratch *w, uint32_t k, uint64_t whole)
{
    if (!HD_MORE(l->room->arena, w->rise, k, w->rise_room)) {
        l->failed = true;
        return;
    }
    w->rise[k] = w->lost && w->arrived ? (double)whole / (double)(whole - w->lost) : 1;
}

void hd_fluid_count(struct hd_loads *l)
{
    const struct hd_routes *r = l->loader->routes;
    const struct hd_flows *f = &l->flows;
    const uint32_t *factor = l->loader->rates->factor;
    struct fluid_scratch *w = l->room->scratch;
    size_t n = 0;
    l->at[0] = 0;
    for (uint32_t i = 0; i < f->n && !l->failed; i++) {
        const uint32_t first = l->nvar > 1 ? 0 : hd_routes_variant(r, f->src[i], f->dst[i]);
        for (uint32_t x = first; x < first + l->nvar; x++) {
            const size_t before = n;
            const uint64_t whole = WHOLE * (f->weight ? f->weight[i] : 1);
            if (!fluid_follow(l, w, f->src[i], f->dst[i], x, whole, &n)) n = before;
            for (size_t j = before; j < n; j++) w->load[l->chan[j]] += w->amount[j];
            fluid_keep_rise(l, w, l->npath, whole);
            if (l->failed) break;
            l->at[++l->npath] = n;
        }
    }
    for (uint32_t k = 0; k < l->npath; k++) {
        uint64_t most = 0;
        for (size_t j = l->at[k]; j < l->at[k + 1]; j++) {
            const uint64_t load = w->load[l->chan[j]] * (factor ? factor[l->chan[j]] : 1);
            most = load > most ? load : most;
        }
        const double risen = (double)most * w->rise[k];
        l->wide[k] = w->rise[k] <= 1 ? most : risen < (double)(UINT64_MAX / 2) ? (uint64_t)risen : UINT64_MAX / 2;
    }
    for (size_t j = 0; j < n; j++) w->load[l->chan[j]] = 0;
}

const uint64_t *hd_loads_parts(const struct hd_loads *l)
{
    return l->loader->how == &hd_load_fluid ? ((const struct fluid_scratch *)l->room->scratch)->amount : NULL;
}

static hd_status fluid_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader_in *in,
                            struct hd_loader *loader)
{
    (void)ctx;
    (void)arena;
    loader->data = in->routes;
    return HD_OK;
}

const struct hd_load_strategy hd_load_fluid = {.make = fluid_make, .scratch = fluid_scratch};
