/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables slower than most of their kind (rate_kinds.h), unless their host, its leaf switch, its series of hosts or
 * a switch was built so (built_rates.h). Cost: O(channels + endpoints log endpoints). */
#include "base/status.h"
#include "net/cabling/built_rates.h"
#include "net/cabling/rate_kinds.h"
#include "net/cabling/wiring.h"
#include "net/core/shape.h"

/* Whether the endpoint of a cable is one of several of its host that all have this rate: then the host has such
 * adapters, and no cable is to blame. */
static bool is_of_slow_host(const uint32_t *endpoints, const uint32_t *equal, const struct hd_net *net, uint32_t c)
{
    uint32_t v = net->tail[c] < net->nsw ? net->head[c] : net->tail[c];
    uint32_t h = v < net->nsw ? 0 : net->host[v - net->nsw];
    return v >= net->nsw && endpoints[h] > 1 && equal[h] == endpoints[h];
}

/* The rate that a cable from u to v should have: that of its kind, or the lower one that an end was built with; 0: not
 * known. */
static uint8_t rate_due(const uint8_t *built, uint32_t u, uint32_t v, uint8_t usual)
{
    const uint8_t end[2] = {built[u], built[v]};
    uint8_t due = usual;
    for (int i = 0; i < 2; i++)
        if (due && end[i] && hd_link_mbps(end[i]) < hd_link_mbps(due)) due = end[i];
    return due;
}

static hd_status report_slow(struct hd_wiring *w, uint32_t c, uint8_t usual)
{
    const struct hd_net *net = w->net;
    if (net->tail[c] >= net->nsw) c = net->rev[c];
    double rate = hd_link_mbps(net->link[c]), full = hd_link_mbps(usual);
    return hd_wiring_report(w, &(struct hd_cabling_fault){.kind = HD_CABLING_SLOW,
                                                          .from = hd_plug_of(net, c),
                                                          .to = hd_plug_of(net, net->rev[c]),
                                                          .from2 = hd_plug_at(HD_NOWHERE, 0),
                                                          .to2 = hd_plug_at(HD_NOWHERE, 0),
                                                          .link = net->link[c],
                                                          .usual = usual,
                                                          .gain = 1 - rate / full});
}

/* Every fault between two nodes has the rate that is due, for what repairs it. */
static void set_usual(struct hd_wiring *w, const struct hd_rate_kinds *kinds, const uint8_t *built)
{
    for (uint32_t i = 0; i < w->nfault; i++) {
        struct hd_cabling_fault *f = &w->fault[i];
        uint32_t u = f->from.node, v = f->to.node;
        if (f->kind == HD_CABLING_SLOW || u == HD_NOWHERE || v == HD_NOWHERE) continue;
        const struct hd_rate_kind *k = hd_rate_kind_of(kinds, w->net, u, v);
        if (k) f->usual = rate_due(built, u, v, k->usual);
    }
}

hd_status hd_slow_cables_find(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct hd_rate_kinds kinds;
    uint32_t *endpoints, *equal; /* [nhost] how many, and how many have the rate of the first */
    uint8_t *first = HD_NEW(w->arena, uint8_t, net->nhost),
            *built = HD_NEW(w->arena, uint8_t, (size_t)net->nsw + net->nep);
    if (!HD_NEW_U32(w->arena, net->nhost, &endpoints, &equal) || !first || !built) return hd_fail_memory(w->ctx);
    HD_TRY(hd_rate_kinds_count(w->ctx, w->arena, net, &kinds));
    HD_TRY(hd_built_rates(w->ctx, w->arena, net, built + net->nsw));
    HD_TRY(hd_built_switches(w->ctx, w->arena, net, &kinds, built));
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t h = net->host[e];
        uint8_t link = net->link[net->off[net->nsw + e]];
        if (!endpoints[h]++) first[h] = link;
        equal[h] += hd_link_mbps(link) == hd_link_mbps(first[h]);
    }
    for (uint32_t i = 0; i < kinds.n; i++)
        if (hd_rate_kind_rates(&kinds.kind[i])) w->out->unrated += kinds.kind[i].often[0];
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->rev[c] < c || hd_is_unplaced(net, net->tail[c])) continue;
        const uint8_t usual = rate_due(built, net->tail[c], net->head[c], kinds.kind[kinds.of[c]].usual);
        if (usual && net->link[c] && hd_link_mbps(net->link[c]) < hd_link_mbps(usual) &&
            !is_of_slow_host(endpoints, equal, net, c))
            HD_TRY(report_slow(w, c, usual));
    }
    set_usual(w, &kinds, built);
    return HD_OK;
}
