/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates by leaf switch, by series of hosts and by switch (built_rates.h). Eight leaves of hosts with splitter cables
 * beside 24 without, or a few dozen older nodes among others, are how a site is built: no cable of theirs is worn. It
 * takes four hosts, seven eighths of which have one rate: one slow host among fast ones is none, nor are two alone on a
 * leaf. The hosts of a series are called the same but for the last number; factory names are no series. A switch of an
 * older generation has no cable at the rate of the others; one cable at that rate shows that it could have more. */
#include "net/cabling/built_rates.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/hosts.h"
#include "net/core/labels.h"
#include "net/core/link_usual.h"

#include <string.h>

enum { FEW_HOSTS = 4, FEW_CABLES = 4 };

static uint8_t rate_link(const struct hd_net *net, uint32_t e)
{
    return net->link[net->off[net->nsw + e]];
}

struct rate_groups {
    const struct hd_net *net;
    uint32_t *seen, group; /* [nhost] the last group that it was counted in; groups so far */
    uint8_t *rate;         /* the result */
};

/* The rate of a group, n rows of endpoints; 0: it has none. */
static uint8_t group_rate(struct rate_groups *g, const struct hd_keyed *row, uint32_t n)
{
    const struct hd_net *net = g->net;
    uint32_t often[HD_LINK_CODES] = {0}, known = 0, hosts = 0, equal;
    g->group++;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t link = rate_link(net, row[i].value);
        uint32_t *seen = &g->seen[net->host[row[i].value]];
        if (!link) continue;
        often[link]++;
        known++;
        hosts += *seen != g->group;
        *seen = g->group;
    }
    if (hosts < FEW_HOSTS) return 0;
    const uint8_t best = hd_link_usual(often, &equal);
    return 8 * (uint64_t)equal >= 7 * (uint64_t)known ? best : 0;
}

/* Rows of one key are a group. */
static void groups_apply(struct rate_groups *g, struct hd_keyed *row, uint32_t n)
{
    hd_keyed_sort(row, n, sizeof *row);
    for (uint32_t i = 0, size; i < n; i += size) {
        for (size = 1; i + size < n && row[i + size].key == row[i].key;) size++;
        const uint8_t link = group_rate(g, &row[i], size);
        for (uint32_t j = i; j < i + size && link; j++) {
            uint8_t *at = &g->rate[row[j].value];
            if (!*at || hd_link_mbps(link) < hd_link_mbps(*at)) *at = link;
        }
    }
}

static uint64_t series_key(const struct hd_net *net, uint32_t e)
{
    const char *host = hd_host_name(net, net->host[e]);
    size_t begin, end;
    hd_name_number(host, 0, &begin, &end);
    return hd_hash_bytes(hd_hash_bytes(net->ca_role[net->ca[e]], host, begin), host + end, strlen(host) - end);
}

hd_status hd_built_rates(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint8_t *rate)
{
    struct hd_keyed *row = HD_NEW(arena, struct hd_keyed, net->nep);
    bool *nameless = HD_NEW(arena, bool, net->nhost);
    struct rate_groups g = {.net = net, .seen = HD_NEW(arena, uint32_t, net->nhost), .rate = rate};
    uint32_t n = 0;
    if (!row || !nameless || !g.seen) return hd_fail_memory(ctx);
    HD_TRY(hd_hosts_nameless(ctx, net, nameless));
    memset(rate, 0, net->nep);
    for (uint32_t e = 0; e < net->nep; e++)
        row[e] = (struct hd_keyed){(uint64_t)hd_leaf(net, e) * HD_ROLES + net->ca_role[net->ca[e]], e};
    groups_apply(&g, row, net->nep);
    for (uint32_t e = 0; e < net->nep; e++)
        if (!nameless[net->host[e]] && !hd_host_is_no_node(hd_host_name(net, net->host[e])))
            row[n++] = (struct hd_keyed){series_key(net, e), e};
    groups_apply(&g, row, n);
    return HD_OK;
}

/* Cables of v that are slower than their kind, by rate. */
static uint32_t slower_cables(const struct hd_net *net, const struct hd_rate_kinds *kinds, uint32_t v,
                              uint32_t often[HD_LINK_CODES])
{
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        const uint8_t link = net->link[c], usual = kinds->kind[kinds->of[c]].usual;
        if (!link || hd_link_mbps(link) >= hd_link_mbps(usual)) continue;
        often[link]++;
        n++;
    }
    return n;
}

void hd_built_switches(const struct hd_net *net, const struct hd_rate_kinds *kinds, uint8_t *rate)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t often[HD_LINK_CODES] = {0}, equal;
        const uint32_t n = slower_cables(net, kinds, v, often);
        const uint8_t best = hd_link_usual(often, &equal);
        bool faster = false;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            faster = faster || hd_link_mbps(net->link[c]) > hd_link_mbps(best);
        rate[v] = n >= FEW_CABLES && 8 * (uint64_t)equal >= 7 * (uint64_t)n && !faster ? best : 0;
    }
}
