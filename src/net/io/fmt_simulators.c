/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks for other simulators. ns-3, as astra-sim and the models of HPCC read it: numbers of nodes, switches and
 * links, the numbers of the switches, then one line per link; endpoints come first, in their order, then switches.
 * SimAI's variant of it has GPUs in place of endpoints: one per selected adapter, host by host and rail by rail, since
 * the number of a GPU says which host it is in, and one NVSwitch per host that connects them.
 * htsim: a .topo file, which has room for two or three regular tiers alone; what does not fit is refused with the
 * reason. Rates are those of the links, 100 Gb/s where they are not known; latencies are not known to a fabric, so
 * usual ones are written: 500 ns per cable and none per switch; NVLink is that of SimAI's own generator for H100.
 * O(cables). */
#include "base/arena.h"
#include "base/keyed.h"
#include "base/out.h"
#include "base/status.h"
#include "net/core/shape.h"
#include "net/io/net_formats.h"

enum { UNKNOWN_GBPS = 100, CABLE_NS = 500 };

static uint32_t simulator_gbps(const struct hd_net *net, uint32_t c)
{
    uint32_t mbps = hd_link_mbps(net->link[c]);
    return mbps ? (mbps + 500) / 1000 : UNKNOWN_GBPS;
}

hd_status hd_write_ns3(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    (void)ctx;
    hd_printf(o, "%u %u %u\n", net->nep + net->nsw, net->nsw, net->nchan / 2);
    for (uint32_t v = 0; v < net->nsw; v++) hd_printf(o, v ? " %u" : "%u", net->nep + v);
    hd_puts(o, "\n");
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (c > net->rev[c]) continue;
        uint32_t a = net->tail[c], b = net->head[c];
        a = a < net->nsw ? net->nep + a : a - net->nsw;
        b = b < net->nsw ? net->nep + b : b - net->nsw;
        hd_printf(o, "%u %u %uGbps 0.000%ums 0\n", a < b ? a : b, a < b ? b : a, simulator_gbps(net, c), CABLE_NS);
    }
    return HD_OK;
}

/* ---- SimAI ------------------------------------------------------------------------------------ */

#define SIMAI_NVLINK "2880Gbps 0.000025ms 0"

struct simai {
    struct hd_arena arena;
    uint32_t hosts, per_host;
    struct hd_keyed *gpu; /* [nsel] endpoints by host and rail */
    uint32_t *number;     /* [nep] of its GPU; UINT32_MAX: not part of it */
};

/* The number of adapters that most hosts have, the larger one of two. */
static hd_status simai_usual(struct hd_ctx *ctx, uint32_t nsel, struct simai *s)
{
    uint32_t *often = HD_NEW(&s->arena, uint32_t, (size_t)nsel + 1);
    if (!often) return hd_fail_memory(ctx);
    for (uint32_t i = 0, end; i < nsel; i = end) {
        for (end = i; end < nsel && s->gpu[end].key >> 32 == s->gpu[i].key >> 32;) end++;
        often[end - i]++;
    }
    for (uint32_t i = 1; i <= nsel; i++)
        if (often[i] && often[i] >= often[s->per_host]) s->per_host = i;
    return HD_OK;
}

/* GPUs by host and rail. SimAI has as many for every host: those with another number are left out, and noted. */
static hd_status simai_gpus(struct hd_ctx *ctx, const struct hd_net *net, struct simai *s)
{
    uint32_t odd = UINT32_MAX, nodd = 0;
    s->gpu = HD_NEW(&s->arena, struct hd_keyed, net->nsel);
    s->number = HD_NEW(&s->arena, uint32_t, net->nep);
    if (!s->gpu || !s->number) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) s->number[e] = UINT32_MAX;
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i];
        s->gpu[i] = (struct hd_keyed){(uint64_t)net->host[e] << 32 | net->rail[e], e};
    }
    hd_keyed_sort(s->gpu, net->nsel, sizeof *s->gpu);
    HD_TRY(simai_usual(ctx, net->nsel, s));
    for (uint32_t i = 0, end; i < net->nsel; i = end) {
        for (end = i; end < net->nsel && s->gpu[end].key >> 32 == s->gpu[i].key >> 32;) end++;
        if (end - i != s->per_host) {
            if (!nodd++) odd = net->host[s->gpu[i].value];
            continue;
        }
        for (uint32_t k = i; k < end; k++) s->number[s->gpu[k].value] = s->hosts * s->per_host + k - i;
        s->hosts++;
    }
    if (nodd)
        hd_note(ctx, "simai: %u host%s, such as %.60s, without the %u adapters that the others have: left out", nodd,
                nodd == 1 ? "" : "s", hd_host_name(net, odd), s->per_host);
    return s->hosts ? HD_OK : hd_fail(ctx, HD_INPUT, "simai: %.200s does not fit: no endpoint is selected", net->spec);
}

/* Cables between GPUs and switches, switches from number first on; how many. o may be NULL. */
static uint32_t simai_cables(const struct hd_net *net, const struct simai *s, uint32_t first, struct hd_out *o)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t a = net->tail[c], b = net->head[c];
        if (c > net->rev[c]) continue;
        a = a < net->nsw ? first + a : s->number[a - net->nsw];
        b = b < net->nsw ? first + b : s->number[b - net->nsw];
        if (a == UINT32_MAX || b == UINT32_MAX) continue;
        n++;
        if (o)
            hd_printf(o, "%u %u %uGbps 0.000%ums 0\n", a < b ? a : b, a < b ? b : a, simulator_gbps(net, c), CABLE_NS);
    }
    return n;
}

static void simai_write(const struct hd_net *net, const struct simai *s, struct hd_out *o)
{
    uint32_t gpus = s->hosts * s->per_host, nvswitches = s->per_host > 1 ? s->hosts : 0, first = gpus + nvswitches;
    hd_printf(o, "%u %u %u %u %u H100\n", first + net->nsw, s->per_host, nvswitches, net->nsw,
              simai_cables(net, s, first, NULL) + (nvswitches ? gpus : 0));
    for (uint32_t v = gpus; v < first + net->nsw; v++) hd_printf(o, v > gpus ? " %u" : "%u", v);
    hd_puts(o, "\n");
    for (uint32_t g = 0; nvswitches && g < gpus; g++)
        hd_printf(o, "%u %u " SIMAI_NVLINK "\n", g, gpus + g / s->per_host);
    simai_cables(net, s, first, o);
}

hd_status hd_write_simai(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    struct simai s = {0};
    hd_status status = simai_gpus(ctx, net, &s);
    if (status == HD_OK) simai_write(net, &s, o);
    hd_arena_release(&s.arena);
    return status;
}

/* ---- htsim ------------------------------------------------------------------------------------ */

/* All cables have one rate: that of the first endpoint. */
static uint32_t htsim_gbps(const struct hd_net *net)
{
    return simulator_gbps(net, net->off[net->nsw]);
}

static hd_status htsim_fits(struct hd_ctx *ctx, const struct hd_net *net)
{
    const struct hd_shape *s = &net->shape;
    uint64_t hosts = 1, cables = net->nep, used = 0;
    const char *why = NULL;
    if (s->kind != HD_SHAPE_TREE || s->n < 2 || s->n > 3) why = "not a tree of two or three levels";
    for (uint32_t l = 0; !why && l < s->n; l++) {
        hosts *= s->m[l];
        if (s->p[l] != 1) why = "parallel cables";
        if (l == 0 && s->w[0] != 1) why = "endpoints with several cables";
    }
    for (uint32_t l = 1; !why && l < s->n; l++) {
        uint64_t switches = 1; /* of level l, from 1 */
        for (uint32_t i = 0; i < s->n; i++) switches *= i < l ? s->w[i] : s->m[i];
        cables += switches * s->w[l];
    }
    for (uint32_t c = 0; c < net->nchan; c++) used += net->rev[c] > c && !hd_is_unplaced(net, net->tail[c]);
    if (!why && (hosts != net->nep || cables != used)) why = "not complete";
    for (uint32_t c = 0; !why && c < net->nchan; c++) {
        if (hd_is_unplaced(net, net->tail[c])) continue;
        uint32_t level = net->level[net->tail[c] < net->nsw ? net->tail[c] : net->head[c]];
        if (level > 0 && simulator_gbps(net, c) != htsim_gbps(net)) why = "cables of different rates";
    }
    return why ? hd_fail(ctx, HD_INPUT, "htsim: %.200s does not fit: %s", net->spec, why) : HD_OK;
}

hd_status hd_write_htsim(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    const struct hd_shape *s = &net->shape;
    HD_TRY(htsim_fits(ctx, net));
    uint32_t gbps = htsim_gbps(net);
    hd_printf(o, "Nodes %u\nTiers %u\nPodsize %u\n", net->nep, s->n, s->n == 2 ? net->nep : s->m[0] * s->m[1]);
    for (uint32_t l = 0; l < s->n; l++) {
        bool top = l + 1 == s->n;
        hd_printf(o, "\nTier %u\nDownlink_speed_Gbps %u\nRadix_Down %u\n", l, gbps, s->m[l]);
        if (!top) hd_printf(o, "Radix_Up %u\n", s->w[l + 1]);
        hd_printf(o, "Downlink_Latency_ns %u\nSwitch_Latency_ns 0\n", CABLE_NS);
        if (!top && s->m[l] > s->w[l + 1] && s->m[l] % s->w[l + 1] == 0)
            hd_printf(o, "Oversubscribed %u\n", s->m[l] / s->w[l + 1]);
    }
    return HD_OK;
}
