/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables slower than most of their kind: a kind connects the same two levels, or hosts of one role to their level.
 * Where fewer than three quarters of a kind have the most frequent rate none of them is slow: the fabric was built of
 * two generations. Cost: O(channels). */
#include "base/status.h"
#include "net/cabling/wiring.h"

struct rate_kind {
    uint32_t often[256]; /* cables, by link code */
    uint8_t usual;       /* 0: none is */
};

enum { BY_ROLE = 200 }; /* above all levels but HD_NO_LEVEL */

/* Compute hosts are level 0. Others often have older adapters than they, so each role is a level of its own. */
static uint32_t rate_level(const struct hd_net *net, uint32_t v)
{
    uint8_t role = v < net->nsw ? HD_ROLE_HOST : net->ca_role[net->ca[v - net->nsw]];
    return role == HD_ROLE_HOST ? net->level[v] : BY_ROLE + role;
}

static struct rate_kind **rate_kind_of(struct rate_kind **kind, const struct hd_net *net, uint32_t u, uint32_t v)
{
    uint32_t x = rate_level(net, u), y = rate_level(net, v);
    return &kind[x < y ? x << 8 | y : y << 8 | x];
}

static void find_usual(struct rate_kind *k, uint32_t *unrated)
{
    uint32_t best = 0, all = 0;
    for (uint32_t i = 1; i < 256; i++) {
        all += k->often[i];
        if (k->often[i] > k->often[best] || best == 0) best = k->often[i] ? i : best;
    }
    if (!best) return;
    *unrated += k->often[0];
    if (4 * (uint64_t)k->often[best] >= 3 * (uint64_t)all) k->usual = (uint8_t)best;
}

/* Whether the endpoint of a cable is one of several of its host that all have this rate: then the host has such
 * adapters, and no cable is to blame. */
static bool is_of_slow_host(const uint32_t *endpoints, const uint32_t *equal, const struct hd_net *net, uint32_t c)
{
    uint32_t v = net->tail[c] < net->nsw ? net->head[c] : net->tail[c];
    uint32_t h = v < net->nsw ? 0 : net->host[v - net->nsw];
    return v >= net->nsw && endpoints[h] > 1 && equal[h] == endpoints[h];
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

hd_status hd_slow_cables_find(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct rate_kind **kind = HD_NEW(w->arena, struct rate_kind *, 1 << 16);
    uint32_t *endpoints, *equal; /* [nhost] how many, and how many have the rate of the first */
    uint8_t *first = HD_NEW(w->arena, uint8_t, net->nhost);
    if (!HD_NEW_U32(w->arena, net->nhost, &endpoints, &equal) || !kind || !first) return hd_fail_memory(w->ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t h = net->host[e];
        uint8_t link = net->link[net->off[net->nsw + e]];
        if (!endpoints[h]++) first[h] = link;
        equal[h] += link == first[h];
    }
    for (uint32_t c = 0; c < net->nchan; c++) {
        struct rate_kind **k = rate_kind_of(kind, net, net->tail[c], net->head[c]);
        if (net->rev[c] < c) continue;
        if (!*k && !(*k = HD_NEW(w->arena, struct rate_kind, 1))) return hd_fail_memory(w->ctx);
        (*k)->often[net->link[c]]++;
    }
    for (uint32_t i = 0; i < 1 << 16; i++)
        if (kind[i]) find_usual(kind[i], &w->out->unrated);
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->rev[c] < c) continue;
        uint8_t usual = (*rate_kind_of(kind, net, net->tail[c], net->head[c]))->usual;
        if (usual && net->link[c] && hd_link_mbps(net->link[c]) < hd_link_mbps(usual) &&
            !is_of_slow_host(endpoints, equal, net, c))
            HD_TRY(report_slow(w, c, usual));
    }
    for (uint32_t i = 0; i < w->nfault; i++) {
        struct hd_cabling_fault *f = &w->fault[i];
        uint32_t u = f->from.node, v = f->to.node;
        if (f->kind == HD_CABLING_SLOW || u == HD_NOWHERE || v == HD_NOWHERE) continue;
        const struct rate_kind *k = *rate_kind_of(kind, net, u, v);
        if (k) f->usual = k->usual;
    }
    return HD_OK;
}
