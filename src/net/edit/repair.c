/* SPDX-License-Identifier: BSD-2-Clause */
/* Repairs. A cable is missing if the shape has it, and slow if most cables of its kind, those that connect the same two
 * levels, are faster. The port of a missing cable is known if its switch has only one free port; otherwise, in the
 * repaired network, it takes the lowest free one. Cost: O(kinds * channels), and one search for missing cables. */
#include "net/edit/repair.h"
#include "base/status.h"
#include "net/edit/net_with.h"

#include <stdio.h>
#include <string.h>

/* ---- rates ----------------------------------------------------------------------------------- */

enum { BY_ROLE = 200 }; /* above all levels but HD_NO_LEVEL */

/* Compute hosts are level 0. Others often have older adapters than they, so each role is a level of its own. */
static uint32_t cable_level(const struct hd_net *net, uint32_t v)
{
    uint8_t role = v < net->nsw ? HD_ROLE_HOST : net->ca_role[net->ca[v - net->nsw]];
    return role == HD_ROLE_HOST ? net->level[v] : BY_ROLE + role;
}

/* Cables of one kind connect the same two levels. */
static uint32_t cable_kind(const struct hd_net *net, uint32_t u, uint32_t v)
{
    uint32_t x = cable_level(net, u), y = cable_level(net, v);
    return x < y ? x << 8 | y : y << 8 | x;
}

/* The most frequent rate among the cables of a kind, 0: none is known; how many are not. */
static uint8_t usual_link(const struct hd_net *net, uint32_t kind, uint32_t *unknown)
{
    uint32_t often[256] = {0}, best = 0;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->rev[c] > c && cable_kind(net, net->tail[c], net->head[c]) == kind) often[net->link[c]]++;
    for (uint32_t i = 1; i < 256; i++)
        if (often[i] > often[best] || (best == 0 && often[i])) best = i;
    *unknown = best ? often[0] : 0;
    return (uint8_t)best;
}

struct fault_finder {
    const struct hd_net *net;
    struct hd_cable_faults *faults;
    uint8_t *usual; /* [1 << 16] rate of a kind */
    bool *seen;     /* [1 << 16] */
};

static uint8_t usual_rate(struct fault_finder *f, uint32_t u, uint32_t v)
{
    uint32_t kind = cable_kind(f->net, u, v), unknown;
    if (!f->seen[kind]) {
        f->seen[kind] = true;
        f->usual[kind] = usual_link(f->net, kind, &unknown);
        f->faults->unknown += unknown;
    }
    return f->usual[kind];
}

static bool cable_is_slow(struct fault_finder *f, uint32_t c)
{
    const struct hd_net *net = f->net;
    uint8_t usual = usual_rate(f, net->tail[c], net->head[c]);
    return usual && net->link[c] && hd_link_mbps(net->link[c]) < hd_link_mbps(usual);
}

static void add_slow_cable(struct fault_finder *f, uint32_t c)
{
    const struct hd_net *net = f->net;
    if (net->tail[c] >= net->nsw) c = net->rev[c];
    uint32_t back = net->rev[c];
    f->faults->at[f->faults->n++] = (struct hd_cable_fault){.u = net->tail[c],
                                                            .v = net->head[c],
                                                            .uport = net->port[c],
                                                            .vport = net->port[back],
                                                            .link = net->link[c],
                                                            .usual = usual_rate(f, net->tail[c], net->head[c])};
}

/* ---- missing cables -------------------------------------------------------------------------- */

static void add_missing_cable(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    struct fault_finder *f = user;
    for (uint32_t i = 0; i < k; i++)
        f->faults->at[f->faults->n++] =
            (struct hd_cable_fault){.u = u, .v = v, .usual = usual_rate(f, u, v), .missing = true};
}

/* The i-th port of a switch without a cable, from 0; 0: it has fewer. */
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
static void name_only_ports(struct fault_finder *f)
{
    const struct hd_net *net = f->net;
    for (uint32_t i = 0; i < f->faults->missing; i++) {
        struct hd_cable_fault *m = &f->faults->at[i];
        if (net->nports[m->u] - hd_degree(net, m->u) == 1) m->uport = free_port(net, m->u, 0);
        if (net->nports[m->v] - hd_degree(net, m->v) == 1) m->vport = free_port(net, m->v, 0);
    }
}

hd_status hd_cable_faults_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                               struct hd_cable_faults *faults)
{
    struct fault_finder f = {.net = net, .faults = faults};
    uint32_t slow = 0;
    *faults = (struct hd_cable_faults){0};
    f.usual = HD_NEW(arena, uint8_t, 1 << 16);
    f.seen = HD_NEW(arena, bool, 1 << 16);
    if (!f.usual || !f.seen) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) slow += net->rev[c] > c && cable_is_slow(&f, c);
    faults->at = HD_NEW(arena, struct hd_cable_fault, (size_t)net->shape.missing + slow + 1);
    if (!faults->at) return hd_fail_memory(ctx);
    HD_TRY(hd_shape_each_missing(ctx, net, add_missing_cable, &f));
    faults->missing = faults->n;
    name_only_ports(&f);
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->rev[c] > c && cable_is_slow(&f, c)) add_slow_cable(&f, c);
    return HD_OK;
}

/* ---- the whole network ------------------------------------------------------------------------ */

/* Cables to put in, each at free ports of its own, and the rates of all others. */
static hd_status plan_repairs(struct hd_net_edit *edit, const struct hd_cable_faults *faults)
{
    const struct hd_net *net = edit->net;
    uint8_t *link = HD_NEW(edit->arena, uint8_t, net->nchan);
    uint32_t *used = HD_NEW(edit->arena, uint32_t, net->nsw), n = 0;
    struct hd_new_cable *add = HD_NEW(edit->arena, struct hd_new_cable, faults->missing);
    if (!link || !used || !add) return hd_fail_memory(edit->ctx);
    if (net->nchan) memcpy(link, net->link, net->nchan);
    for (uint32_t i = 0; i < faults->n; i++) {
        const struct hd_cable_fault *m = &faults->at[i];
        if (m->missing) {
            uint8_t uport = free_port(net, m->u, used[m->u]), vport = free_port(net, m->v, used[m->v]);
            if (!uport || !vport) continue; /* the shape asks for more ports than the switch has */
            used[m->u]++;
            used[m->v]++;
            add[n++] = (struct hd_new_cable){m->u, m->v, uport, vport, m->usual};
            continue;
        }
        uint32_t c = net->off[m->u];
        while (net->port[c] != m->uport) c++;
        link[c] = link[net->rev[c]] = m->usual;
    }
    edit->changes.link = link;
    edit->changes.add = add;
    edit->changes.nadd = n;
    return HD_OK;
}

hd_status hd_edit_repair(struct hd_net_edit *edit)
{
    static const char option[] = " --repair";
    const char *old = hd_edit_spec(edit);
    struct hd_cable_faults faults;
    char *spec = HD_NEW(edit->arena, char, strlen(old) + sizeof option);
    if (!spec) return hd_fail_memory(edit->ctx);
    HD_TRY(hd_cable_faults_find(edit->ctx, edit->arena, edit->net, &faults));
    HD_TRY(plan_repairs(edit, &faults));
    sprintf(spec, "%s%s", old, option);
    edit->changes.spec = spec;
    return HD_OK;
}

hd_status hd_net_repair(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct hd_net_edit edit = {.ctx = ctx, .arena = &scratch, .net = net};
    return hd_edit_finish(&edit, hd_edit_repair(&edit), out);
}
