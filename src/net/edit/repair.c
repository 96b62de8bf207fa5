/* SPDX-License-Identifier: BSD-2-Clause */
/* Repairs. A cable is missing where the shape has it, and slow where most cables of its kind, those that join the same
 * two levels, are faster. The port of a missing cable is known where its switch has no other free one; in the repaired
 * network the lowest free port takes it else. */
#include "net/edit/repair.h"
#include "base/status.h"
#include "net/core/builder.h"

#include <stdio.h>
#include <string.h>

/* ---- rates ----------------------------------------------------------------------------------- */

/* Cables of one kind join the same two levels; endpoints are level 0. */
static uint32_t kind_of(const struct hd_net *net, uint32_t u, uint32_t v)
{
    uint32_t x = net->level[u], y = net->level[v];
    return x < y ? x << 8 | y : y << 8 | x;
}

/* The most frequent rate among the cables of a kind, 0: none is known; how many are not. */
static uint8_t usual_link(const struct hd_net *net, uint32_t kind, uint32_t *unknown)
{
    uint32_t often[256] = {0}, best = 0;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->rev[c] > c && kind_of(net, net->tail[c], net->head[c]) == kind) often[net->link[c]]++;
    for (uint32_t i = 1; i < 256; i++)
        if (often[i] > often[best] || (best == 0 && often[i])) best = i;
    *unknown = best ? often[0] : 0;
    return (uint8_t)best;
}

struct finder {
    const struct hd_net *net;
    struct hd_cable_faults *faults;
    uint8_t *usual; /* [1 << 16] rate of a kind */
    bool *seen;     /* [1 << 16] */
};

static uint8_t usual_of(struct finder *f, uint32_t u, uint32_t v)
{
    uint32_t kind = kind_of(f->net, u, v), unknown;
    if (!f->seen[kind]) {
        f->seen[kind] = true;
        f->usual[kind] = usual_link(f->net, kind, &unknown);
        f->faults->unknown += unknown;
    }
    return f->usual[kind];
}

static bool is_slow(struct finder *f, uint32_t c)
{
    const struct hd_net *net = f->net;
    uint8_t usual = usual_of(f, net->tail[c], net->head[c]);
    return usual && net->link[c] && hd_link_mbps(net->link[c]) < hd_link_mbps(usual);
}

static void add_slow(struct finder *f, uint32_t c)
{
    const struct hd_net *net = f->net;
    if (net->tail[c] >= net->nsw) c = net->rev[c];
    uint32_t back = net->rev[c];
    f->faults->at[f->faults->n++] = (struct hd_cable_fault){.u = net->tail[c],
                                                   .v = net->head[c],
                                                   .uport = net->port[c],
                                                   .vport = net->port[back],
                                                   .link = net->link[c],
                                                   .usual = usual_of(f, net->tail[c], net->head[c])};
}

/* ---- missing cables -------------------------------------------------------------------------- */

static void add_missing(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    struct finder *f = user;
    for (uint32_t i = 0; i < k; i++)
        f->faults->at[f->faults->n++] = (struct hd_cable_fault){.u = u, .v = v, .usual = usual_of(f, u, v), .missing = true};
}

/* The i-th port of a switch without a cable, from 0; 0: there are not so many. */
static uint8_t free_port(const struct hd_net *net, uint32_t v, uint32_t i)
{
    uint32_t c = net->off[v];
    for (uint32_t port = 1; port <= net->nports[v]; port++) {
        if (c < net->off[v + 1] && net->port[c] == port)
            c++;
        else if (i-- == 0)
            return (uint8_t)port;
    }
    return 0;
}

/* The only free port is the one that is meant. */
static void name_ports(struct finder *f)
{
    const struct hd_net *net = f->net;
    for (uint32_t i = 0; i < f->faults->missing; i++) {
        struct hd_cable_fault *m = &f->faults->at[i];
        if (net->nports[m->u] - hd_degree(net, m->u) == 1) m->uport = free_port(net, m->u, 0);
        if (net->nports[m->v] - hd_degree(net, m->v) == 1) m->vport = free_port(net, m->v, 0);
    }
}

hd_status hd_cable_faults_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_cable_faults *faults)
{
    struct finder f = {.net = net, .faults = faults};
    uint32_t slow = 0;
    *faults = (struct hd_cable_faults){0};
    f.usual = HD_NEW(arena, uint8_t, 1 << 16);
    f.seen = HD_NEW(arena, bool, 1 << 16);
    if (!f.usual || !f.seen) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) slow += net->rev[c] > c && is_slow(&f, c);
    faults->at = HD_NEW(arena, struct hd_cable_fault, (size_t)net->shape.missing + slow + 1);
    if (!faults->at) return hd_fail_memory(ctx);
    HD_TRY(hd_shape_each_missing(ctx, net, add_missing, &f));
    faults->missing = faults->n;
    name_ports(&f);
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->rev[c] > c && is_slow(&f, c)) add_slow(&f, c);
    return HD_OK;
}

/* ---- the whole network ------------------------------------------------------------------------ */

/* Cables to put in, each at free ports of its own, and rates of all that there are. */
static hd_status plan(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                      const struct hd_cable_faults *faults, struct hd_keep *keep)
{
    uint8_t *link = HD_NEW(arena, uint8_t, net->nchan);
    uint32_t *used = HD_NEW(arena, uint32_t, net->nsw), n = 0;
    struct hd_cable *add = HD_NEW(arena, struct hd_cable, faults->missing);
    if (!link || !used || !add) return hd_fail_memory(ctx);
    if (net->nchan) memcpy(link, net->link, net->nchan);
    for (uint32_t i = 0; i < faults->n; i++) {
        const struct hd_cable_fault *m = &faults->at[i];
        if (m->missing) {
            uint8_t uport = free_port(net, m->u, used[m->u]), vport = free_port(net, m->v, used[m->v]);
            if (!uport || !vport) continue; /* the shape asks for more ports than the switch has */
            used[m->u]++;
            used[m->v]++;
            add[n++] = (struct hd_cable){m->u, m->v, uport, vport, m->usual};
            continue;
        }
        uint32_t c = net->off[m->u];
        while (net->port[c] != m->uport) c++;
        link[c] = link[net->rev[c]] = m->usual;
    }
    *keep = (struct hd_keep){.link = link, .add = add, .nadd = n};
    return HD_OK;
}

hd_status hd_net_repair(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out)
{
    static const char option[] = " --repair";
    struct hd_arena scratch = {0};
    struct hd_cable_faults faults;
    struct hd_keep keep;
    char *spec = HD_NEW(&scratch, char, strlen(net->spec) + sizeof option);
    hd_status s = spec ? hd_cable_faults_find(ctx, &scratch, net, &faults) : hd_fail_memory(ctx);
    if (s == HD_OK) s = plan(ctx, &scratch, net, &faults, &keep);
    if (s == HD_OK) {
        sprintf(spec, "%s%s", net->spec, option);
        s = hd_net_copy(ctx, net, &keep, spec, out);
    }
    hd_arena_release(&scratch);
    return s;
}
