/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates by leaf switch, by series of hosts and by switch (built_rates.h). Eight leaves of hosts with splitter cables
 * beside 24 without, or a few dozen older nodes among others, are how a site is built: no cable of theirs is worn. It
 * takes four hosts, seven eighths of which have one rate: one slow host among fast ones is none, nor are two alone on a
 * leaf. The hosts of a series are called the same but for the last number; factory names are no series. A switch of an
 * older generation has no cable at the rate of the others; one cable at that rate shows that it could have more. What a
 * bad module or port ends at is no generation: one lane, SDR, or what was obsolete when the others were sold. Nor is
 * one ASIC of a chassis older than the others. */
#include "net/cabling/built_rates.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/hosts.h"
#include "net/core/labels.h"
#include "net/core/link_usual.h"

#include <string.h>

enum { FEW_HOSTS = 4, FEW_CABLES = 4, OLDEST = 2 }; /* EDR switches have FDR and QDR, but not what was before */

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

/* ---- switches ------------------------------------------------------------------------------------- */

/* Of the speed in a link's name; FDR10 is of the generation of FDR. */
static int rate_generation(uint8_t link)
{
    static const char *const generations[] = {"SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR", "XDR"};
    const char *x = strchr(hd_link_name(link), 'x');
    for (int i = 0; x && i < (int)(sizeof generations / sizeof *generations); i++)
        if (strncmp(x + 1, generations[i], strlen(generations[i])) == 0) return i;
    return 0;
}

static bool rate_has_one_lane(uint8_t link)
{
    return strncmp(hd_link_name(link), "1x", 2) == 0;
}

/* Whether a switch among others of the usual rate may have been built with this one. Two lanes are those of a switch
 * the ports of which are split. Every link begins as SDR, and stays there if it cannot do better. */
static bool rate_may_be_built(uint8_t link, uint8_t usual)
{
    const int generation = rate_generation(link), age = rate_generation(usual) - generation;
    if (rate_has_one_lane(link) && !rate_has_one_lane(usual)) return false;
    return age <= OLDEST && (generation || age <= 1);
}

struct slower_cables {
    uint32_t n, often[HD_LINK_CODES];
    uint8_t usual; /* the fastest that one of them should have */
};

/* Cables of v that are slower than their kind. */
static void slower_cables_count(const struct hd_net *net, const struct hd_rate_kinds *kinds, uint32_t v,
                                struct slower_cables *slower)
{
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        const uint8_t link = net->link[c], usual = kinds->kind[kinds->of[c]].usual;
        if (!link || hd_link_mbps(link) >= hd_link_mbps(usual)) continue;
        slower->often[link]++;
        slower->n++;
        if (hd_link_mbps(usual) > hd_link_mbps(slower->usual)) slower->usual = usual;
    }
}

static uint32_t fastest_cable(const struct hd_net *net, uint32_t v)
{
    uint32_t most = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (hd_link_mbps(net->link[c]) > most) most = hd_link_mbps(net->link[c]);
    return most;
}

static uint8_t switch_rate(const struct hd_net *net, const struct hd_rate_kinds *kinds, uint32_t v)
{
    struct slower_cables slower = {0};
    uint32_t equal;
    slower_cables_count(net, kinds, v, &slower);
    const uint8_t best = hd_link_usual(slower.often, &equal);
    if (slower.n < FEW_CABLES || 8 * (uint64_t)equal < 7 * (uint64_t)slower.n) return 0;
    return fastest_cable(net, v) <= hd_link_mbps(best) && rate_may_be_built(best, slower.usual) ? best : 0;
}

/* Rows of one key are the ASICs of a chassis, by its system image GUID: one that is slower was not built so. */
static void chassis_apply(const struct hd_net *net, const struct hd_keyed *row, uint32_t n, uint8_t *rate)
{
    for (uint32_t i = 0, size; i < n; i += size) {
        uint32_t most = 0;
        for (size = 0; i + size < n && row[i + size].key == row[i].key; size++) {
            const uint32_t mbps = fastest_cable(net, row[i + size].value);
            if (mbps > most) most = mbps;
        }
        for (uint32_t j = i; j < i + size; j++)
            if (hd_link_mbps(rate[row[j].value]) < most) rate[row[j].value] = 0;
    }
}

hd_status hd_built_switches(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            const struct hd_rate_kinds *kinds, uint8_t *rate)
{
    struct hd_keyed *row = HD_NEW(arena, struct hd_keyed, net->nsw);
    if (!row) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        rate[v] = switch_rate(net, kinds, v);
        row[v] = (struct hd_keyed){net->system[v], v};
    }
    hd_keyed_sort(row, net->nsw, sizeof *row);
    chassis_apply(net, row, net->nsw, rate);
    return HD_OK;
}
