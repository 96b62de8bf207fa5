/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic of jobs whose hosts have an adapter on every rail, by rail:
 *   rail-alltoall  all hosts to all others on each rail, stage by stage
 *   moe            tokens of a mixture-of-experts layer to the ranks of their experts, drawn at random
 * A draw of moe counts tokens in a dense block (source, place in its group) that lies in the buffers of the flows, and
 * then closes the gaps: O(ranks * (tokens * experts + group)). Source: DeepEP's two kinds of kernels, and the
 * group-limited choice of experts of DeepSeek-V3. */
#include "base/status.h"
#include "flow/core/host_ranks.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"

#include <string.h>

/* ---- rail-alltoall -------------------------------------------------------------------------- */

struct rails_state {
    struct hd_pattern_state base;
    struct hd_host_ranks hosts;
};

static hd_status rails_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    HD_TRY(hd_pattern_state_make(ctx, arena, in, sizeof(struct rails_state), state));
    struct rails_state *s = *state;
    HD_TRY(hd_host_ranks_make(ctx, arena, "rail-alltoall", in, &s->hosts));
    s->base.stages = s->hosts.nhost - 1;
    s->base.max_flows = s->hosts.nhost * s->hosts.least;
    return HD_OK;
}

static void rails_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct hd_host_ranks *h = &((const struct rails_state *)state)->hosts;
    (void)rng;
    hd_flows_begin(f, true);
    for (uint32_t c = 0; c < h->least; c++)
        for (uint32_t i = 0; i < h->nhost; i++) {
            f->buf[0][f->n] = hd_host_ep(h, i, c);
            f->buf[1][f->n++] = hd_host_ep(h, (uint32_t)((i + stage + 1) % h->nhost), c);
        }
}

const struct hd_pattern hd_pattern_rail_alltoall = {
    .desc = {.name = "rail-alltoall",
             .summary = "all-to-all between hosts on every rail at once, none changes rails",
             .text = "Stage s = 1 .. N-1 over N hosts: adapter c of host i sends to adapter c of host i+s mod N, for "
                     "every c that all hosts have. Hosts follow each other in the order of their first ranks.",
             .cite = "Wang, Ghobadi, Shakeri, Zhang, Hasani: Rail-only: a low-cost high-performance network for "
                     "training LLMs with trillion parameters",
             .examples = (const char *const[]){"rail-alltoall", NULL},
             .command = "heddle eval rail dmodk -m hsd -p rail-alltoall",
             .opt_size = 1},
    .init = rails_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = rails_draw};

/* ---- moe ------------------------------------------------------------------------------------ */

enum moe_mode { MOE_NORMAL, MOE_LOW_LATENCY };
enum { MOE_MOST = 64 }; /* experts and hosts of a token */

struct moe_opt {
    int mode, phase;
    uint64_t gpus, ep, experts, topk, groups, tokens;
};

struct moe_rank {
    uint32_t ep;         /* endpoint of its adapter */
    uint32_t host, gpu;  /* gpu: its place within the host */
    uint32_t first, end; /* ranks of its group */
};

struct moe_state {
    struct hd_pattern_state base;
    struct hd_host_ranks hosts;
    struct moe_opt opt;
    uint32_t n;     /* ranks */
    uint32_t width; /* of a source's block of flows: ranks of a group, or its hosts */
    struct moe_rank *rank;
};

/* Ranks host by host, in groups of consecutive ones; the last group may be smaller. */
static hd_status place_ranks(struct hd_ctx *ctx, struct hd_arena *arena, struct moe_state *s)
{
    const struct hd_host_ranks *h = &s->hosts;
    uint64_t n = 0;
    for (uint32_t i = 0; i < h->nhost; i++) n += s->opt.gpus ? s->opt.gpus : hd_host_adapters(h, i);
    uint64_t size = s->opt.ep && s->opt.ep < n ? s->opt.ep : n;
    if (n * size > HD_MAX_FLOWS)
        return hd_fail(ctx, HD_INPUT, "moe: %llu ranks in groups of %llu make more than %d flows at once, set ep=",
                       (unsigned long long)n, (unsigned long long)size, HD_MAX_FLOWS);
    s->n = (uint32_t)n;
    s->rank = HD_NEW(arena, struct moe_rank, s->n);
    if (!s->rank) return hd_fail_memory(ctx);
    for (uint32_t i = 0, k = 0; i < h->nhost; i++) {
        uint32_t adapters = hd_host_adapters(h, i), gpus = s->opt.gpus ? (uint32_t)s->opt.gpus : adapters;
        for (uint32_t g = 0; g < gpus; g++, k++) {
            uint32_t first = (uint32_t)(k / size * size), end = (uint32_t)(first + size < n ? first + size : n);
            s->rank[k] = (struct moe_rank){hd_host_ep(h, i, hd_nearest_adapter(g, gpus, adapters)), i, g, first, end};
        }
    }
    return HD_OK;
}

static uint32_t hosts_of_group(const struct moe_state *s, const struct moe_rank *r)
{
    return s->rank[r->end - 1].host - s->rank[r->first].host + 1;
}

static hd_status moe_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    HD_TRY(hd_pattern_state_make(ctx, arena, in, sizeof(struct moe_state), state));
    struct moe_state *s = *state;
    uint32_t size = 0, hosts = 0;
    s->opt = *(const struct moe_opt *)in->opt;
    HD_TRY(hd_host_ranks_make(ctx, arena, "moe", in, &s->hosts));
    HD_TRY(place_ranks(ctx, arena, s));
    for (uint32_t k = 0; k < s->n; k = s->rank[k].end) {
        if (s->rank[k].end - k > size) size = s->rank[k].end - k;
        if (hosts_of_group(s, &s->rank[k]) > hosts) hosts = hosts_of_group(s, &s->rank[k]);
    }
    if (hosts < 2)
        return hd_fail(ctx, HD_INPUT,
                       "moe: the %u ranks of a group are on one host, expected ep= of more ranks than a host has",
                       size);
    s->width = s->opt.mode == MOE_NORMAL ? hosts : size;
    s->base.max_flows = s->n * s->width;
    return HD_OK;
}

/* count different ones of 0 .. n-1, the first of a shuffle. */
static uint32_t draw_some(struct hd_rng *rng, uint32_t n, uint32_t count, uint32_t *some)
{
    uint32_t got = 0;
    if (count > n) count = n;
    while (got < count) {
        uint32_t x = hd_rng_below(rng, n), i = 0;
        while (i < got && some[i] != x) i++;
        if (i == got) some[got++] = x;
    }
    return got;
}

/* First rank of a group's host, and one past its last. */
static void ranks_of_host(const struct moe_state *s, const struct moe_rank *r, uint32_t host, uint32_t *from,
                          uint32_t *end)
{
    uint32_t low = r->first, high = r->end;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (s->rank[mid].host < host)
            low = mid + 1;
        else
            high = mid;
    }
    *from = low;
    for (*end = low; *end < r->end && s->rank[*end].host == host;) ++*end;
}

/* The ranks of one token's experts, one entry per expert, all on at most `groups` hosts of the group. */
static uint32_t route_token(const struct moe_state *s, const struct moe_rank *r, struct hd_rng *rng, uint32_t *to)
{
    uint32_t host[MOE_MOST], from[MOE_MOST] = {0}, many[MOE_MOST] = {0}, pick[MOE_MOST], ranks = 0;
    uint32_t size = r->end - r->first;
    uint32_t each = (uint32_t)(s->opt.experts > size ? s->opt.experts / size : 1);
    uint32_t nhost = draw_some(rng, hosts_of_group(s, r), (uint32_t)s->opt.groups, host);
    for (uint32_t i = 0; i < nhost; i++) {
        uint32_t end;
        ranks_of_host(s, r, s->rank[r->first].host + host[i], &from[i], &end);
        many[i] = end - from[i];
        ranks += many[i];
    }
    uint32_t n = draw_some(rng, ranks * each, (uint32_t)s->opt.topk, pick);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0, x = pick[i] / each;
        while (k + 1 < nhost && x >= many[k]) x -= many[k++];
        to[i] = from[k] + x;
    }
    return n;
}

/* Counts the token: once per host in normal mode, whose kernels forward it within hosts, else once per expert. */
static void count_token(const struct moe_state *s, const struct moe_rank *r, const uint32_t *to, uint32_t n,
                        uint32_t *row)
{
    uint32_t first = s->rank[r->first].host;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t host = s->rank[to[i]].host;
        bool seen = host == r->host;
        if (s->opt.mode == MOE_LOW_LATENCY) {
            row[to[i] - r->first] += !seen;
            continue;
        }
        for (uint32_t k = 0; k < i && !seen; k++) seen = s->rank[to[k]].host == host;
        row[host - first] += !seen;
    }
}

/* The endpoint at which place k of a source's row is received. */
static uint32_t receiver(const struct moe_state *s, const struct moe_rank *r, uint32_t k)
{
    if (s->opt.mode == MOE_LOW_LATENCY) return s->rank[r->first + k].ep;
    uint32_t host = s->rank[r->first].host + k, adapters = hd_host_adapters(&s->hosts, r->host);
    uint32_t gpus = s->opt.gpus ? (uint32_t)s->opt.gpus : adapters;
    return hd_host_ep(&s->hosts, host, hd_nearest_adapter(r->gpu, gpus, adapters));
}

static bool try_moe(const struct moe_state *s, struct hd_rng *rng, struct hd_flows *f)
{
    uint32_t *weight = f->buf[2], to[MOE_MOST];
    memset(weight, 0, (size_t)s->base.max_flows * sizeof *weight);
    f->n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct moe_rank *r = &s->rank[i];
        uint32_t *row = weight + (size_t)i * s->width;
        for (uint64_t t = 0; t < s->opt.tokens; t++) count_token(s, r, to, route_token(s, r, rng, to), row);
        for (uint32_t k = 0; k < s->width; k++) {
            uint32_t tokens = row[k];
            if (!tokens) continue;
            f->buf[s->opt.phase != 0][f->n] = r->ep;
            f->buf[s->opt.phase == 0][f->n] = receiver(s, r, k);
            weight[f->n++] = tokens;
        }
    }
    return f->n > 0;
}

static void moe_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    (void)stage;
    hd_flows_begin(f, false);
    f->weight = f->buf[2];
    while (!try_moe(state, rng, f)) continue;
}

static uint32_t moe_unit(const void *state)
{
    return (uint32_t)((const struct moe_state *)state)->opt.tokens;
}

#define AT(field) offsetof(struct moe_opt, field)

static const struct hd_param moe_params[] = {
    {"mode", HD_WORD, "normal", "kernels: forwarded within hosts, or straight to the GPU", AT(mode), 0, 0,
     "normal|low-latency", true},
    {"phase", HD_WORD, "dispatch", "to the experts, or back", AT(phase), 0, 0, "dispatch|combine", false},
    {"ep", HD_UINT, "0", "ranks of an expert-parallel group; 0: all", AT(ep), 0, 1048576, NULL, false},
    {"gpus", HD_UINT, "0", "ranks of a host, neighbours on one adapter; 0: one per adapter", AT(gpus), 0, 1024, NULL,
     false},
    {"experts", HD_UINT, "256", "of a layer, spread evenly over a group", AT(experts), 1, 1048576, NULL, false},
    {"topk", HD_UINT, "8", "experts of a token", AT(topk), 1, MOE_MOST, NULL, false},
    {"groups", HD_UINT, "4", "hosts that the experts of a token may be on", AT(groups), 1, MOE_MOST, NULL, false},
    {"tokens", HD_UINT, "128", "of a rank", AT(tokens), 1, 65536, NULL, false},
    {0}};

const struct hd_pattern hd_pattern_moe = {
    .desc = {.name = "moe",
             .summary = "tokens of a mixture-of-experts layer to the hosts or GPUs of their experts",
             .text =
                 "Random samples. Every rank has as many tokens; each chooses `groups` hosts of its expert-parallel "
                 "group, and `topk` experts on them. mode=normal: a token goes once to each host that has one of its "
                 "experts, on the sender's rail, and on over NVLink. mode=low-latency: it goes to the GPU of every "
                 "expert by itself, from rail to rail. phase=combine is the reverse of dispatch. Loads are in "
                 "multiples of a rank's tokens: 3 where a channel carries all tokens of a rank three times.",
             .cite = "Liu et al.: DeepSeek-V3 technical report; DeepEP, normal and low-latency kernels",
             .params = moe_params,
             .examples = (const char *const[]){"moe", "moe:mode=low-latency", "moe:phase=combine,tokens=16", NULL},
             .command = "heddle eval rail dmodk -m maxload -n 100 -p moe:tokens=16",
             .opt_size = sizeof(struct moe_opt)},
    .init = moe_init,
    .max_flows = hd_pattern_max_flows,
    .unit = moe_unit,
    .draw = moe_draw};
