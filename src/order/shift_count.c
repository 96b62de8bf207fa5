/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of a Shift, BLOCK of them at once. Rank j receives from rank j - s in stage s, so in consecutive stages
 * from consecutive ranks; those on one leaf switch share their path, which is looked up once, and add 1 to consecutive
 * counters of each of its channels, which are side by side. Compared with one stage after the other (stage_count.c)
 * this saves as many look-ups and cache misses as ranks in a row are on a leaf; the counts are the same, and each block
 * is counted by itself, so that any split over threads gives the same sums.
 * Cost: O(n / BLOCK * (n * (1 + BLOCK / ranks per leaf) * hops + channels)) cache lines, 2 * BLOCK bytes per channel
 * and thread. */
#include "order/shift_count.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/routes_view.h"

enum {
    BLOCK = 32,    /* stages: a cache line of counters */
    AT_ONCE = 256, /* paths that are looked up together */
    LINE = 64,     /* bytes */
    WORTH = 4,     /* ranks in a row on one leaf, on average, from which on this is faster */
};

struct shift_rail {
    uint32_t *ep;  /* [n] endpoint of a rank */
    uint32_t *row; /* [n] ranks in a row on its leaf that end with it, at most BLOCK */
};

struct shift_counter {
    const struct hd_job_view *view;
    uint32_t n, nrail;
    struct shift_rail *rail; /* [nrail] */
    const uint32_t *number;  /* [nchan + 1] of channels between switches; all others have the number none */
    const uint32_t *channel; /* [none] */
    uint32_t none;
    uint64_t least; /* time of a stage without collisions */
};

struct shift_block {
    uint16_t *count;       /* [(none + 1) * BLOCK]; zero between blocks */
    uint32_t first, width; /* its stages */
    uint16_t degree[BLOCK];
    uint64_t time[BLOCK];
    uint32_t n; /* collected: pairs, and the stages of the block in which ranks of the source's leaf send to dst */
    uint32_t src[AT_ONCE], dst[AT_ONCE], *chan; /* [AT_ONCE * stride] */
    uint16_t from[AT_ONCE], to[AT_ONCE];
};

/* ---- ranks ------------------------------------------------------------------------------------- */

static uint32_t shift_leaf(const struct hd_job_view *view, const uint32_t *order, uint32_t rank, uint32_t rail)
{
    return view->leaf[(size_t)(order ? order[rank] : rank) * view->nodes->nrail + rail];
}

bool hd_shift_count_pays(const struct hd_job_view *view, const uint32_t *order)
{
    const uint32_t n = view->nodes->n, nrail = view->nodes->nrail;
    if (hd_routes_select(view->routes) != HD_SELECT_ONE || (uint64_t)n * nrail > UINT16_MAX) return false;
    for (uint32_t rail = 0; rail < nrail; rail++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < n; i++)
            rows += i == 0 || shift_leaf(view, order, i, rail) != shift_leaf(view, order, i - 1, rail);
        if ((uint64_t)rows * WORTH > n) return false;
    }
    return true;
}

static hd_status shift_set_rail(struct hd_ctx *ctx, struct hd_arena *a, const struct shift_counter *k,
                                const uint32_t *order, uint32_t rail)
{
    const struct hd_job_view *view = k->view;
    struct shift_rail *r = &k->rail[rail];
    if (!HD_NEW_U32(a, k->n, &r->ep, &r->row)) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < k->n; i++) {
        r->ep[i] = hd_job_view_ep(view, order ? order[i] : i, rail);
        bool joins = i > 0 && shift_leaf(view, order, i, rail) == shift_leaf(view, order, i - 1, rail);
        r->row[i] = !joins ? 1 : r->row[i - 1] < BLOCK ? r->row[i - 1] + 1 : BLOCK;
    }
    return HD_OK;
}

/* Cables of endpoints carry one flow per stage: only their rates matter. */
static uint64_t shift_least(const struct shift_counter *k)
{
    const struct hd_rates *rates = k->view->rates;
    const struct hd_net *net = k->view->net;
    uint64_t most = rates->scale;
    if (!rates->ends_differ) return most;
    most = 0;
    for (size_t i = 0; i < (size_t)k->n * k->nrail; i++) {
        uint32_t out = net->off[net->nsw + k->view->nodes->ep[i]], in = net->rev[out];
        if (rates->factor[out] > most) most = rates->factor[out];
        if (rates->factor[in] > most) most = rates->factor[in];
    }
    return most;
}

static hd_status shift_number_channels(struct hd_ctx *ctx, struct hd_arena *a, struct shift_counter *k)
{
    const struct hd_net *net = k->view->net;
    uint32_t *number, *channel;
    if (!HD_NEW_U32(a, (size_t)net->nchan + 1, &number, &channel)) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (net->head[c] < net->nsw) channel[k->none++] = c;
    for (uint32_t c = 0; c <= net->nchan; c++) number[c] = k->none;
    for (uint32_t i = 0; i < k->none; i++) number[channel[i]] = i;
    k->number = number;
    k->channel = channel;
    return HD_OK;
}

/* ---- one block --------------------------------------------------------------------------------- */

/* Counts what has been collected: paths are looked up together, so that none waits for the memory of another. */
static void shift_flush(const struct shift_counter *k, struct shift_block *b)
{
    const uint32_t stride = k->view->stride, *chan = b->chan;
    hd_loader_paths(k->view->loader, b->src, b->dst, b->n, b->chan);
    for (uint32_t i = 0; i < b->n * stride; i++) {
        b->chan[i] = k->number[chan[i]];
        __builtin_prefetch(b->count + (size_t)chan[i] * BLOCK);
    }
    for (uint32_t i = 0; i < b->n; i++) {
        uint16_t one[BLOCK];
        for (uint32_t t = 0; t < BLOCK; t++) one[t] = t >= b->from[i] && t < b->to[i];
        for (uint32_t h = 0; h < stride; h++) {
            uint16_t *count = b->count + (size_t)chan[i * stride + h] * BLOCK;
            for (uint32_t t = 0; t < BLOCK; t++) count[t] = (uint16_t)(count[t] + one[t]);
        }
    }
    b->n = 0;
}

/* Flows to rank j on one rail in all stages of the block. */
static void shift_count_to(const struct shift_counter *k, struct shift_block *b, const struct shift_rail *r, uint32_t j)
{
    const uint32_t home = hd_leaf(k->view->net, r->ep[j]);
    for (uint32_t at = 0, row; at < b->width; at += row) {
        uint32_t s = b->first + at, i = j >= s ? j - s : j + k->n - s;
        row = r->row[i] < b->width - at ? r->row[i] : b->width - at;
        if (hd_leaf(k->view->net, r->ep[i]) == home) continue; /* no channel between switches */
        b->src[b->n] = r->ep[i];
        b->dst[b->n] = r->ep[j];
        b->from[b->n] = (uint16_t)at;
        b->to[b->n++] = (uint16_t)(at + row);
        if (b->n == AT_ONCE) shift_flush(k, b);
    }
}

/* Largest counts of every stage; the counters are zero afterwards. */
static void shift_take_largest(const struct shift_counter *k, struct shift_block *b)
{
    const uint32_t *factor = k->view->rates->factor;
    for (uint32_t t = 0; t < BLOCK; t++) {
        b->degree[t] = 1;
        b->time[t] = k->least;
    }
    for (uint32_t c = 0; c < k->none; c++) {
        uint16_t *count = b->count + (size_t)c * BLOCK;
        for (uint32_t t = 0; t < BLOCK; t++) b->degree[t] = count[t] > b->degree[t] ? count[t] : b->degree[t];
        for (uint32_t t = 0; factor && t < b->width; t++) {
            uint64_t time = (uint64_t)count[t] * factor[k->channel[c]];
            if (time > b->time[t]) b->time[t] = time;
        }
        for (uint32_t t = 0; t < BLOCK; t++) count[t] = 0;
    }
    for (uint32_t t = 0; !factor && t < BLOCK; t++) b->time[t] = b->degree[t];
    for (uint32_t t = 0; t < BLOCK; t++) b->count[(size_t)k->none * BLOCK + t] = 0;
}

static void shift_run_block(const struct shift_counter *k, struct shift_block *b, uint32_t first)
{
    b->first = first;
    b->width = k->n - first < BLOCK ? k->n - first : BLOCK;
    for (uint32_t rail = 0; rail < k->nrail; rail++)
        for (uint32_t j = 0; j < k->n; j++) shift_count_to(k, b, &k->rail[rail], j);
    shift_flush(k, b);
    shift_take_largest(k, b);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static hd_status shift_block_init(struct hd_ctx *ctx, struct hd_arena *a, const struct shift_counter *k,
                                  struct shift_block *b)
{
    char *count = HD_NEW(a, char, ((size_t)k->none + 1) * BLOCK * sizeof *b->count + LINE);
    b->chan = HD_NEW(a, uint32_t, (size_t)AT_ONCE * k->view->stride);
    if (!count || !b->chan) return hd_fail_memory(ctx);
    b->count = (void *)(count + LINE - (uintptr_t)count % LINE);
    return HD_OK;
}

static hd_status shift_run(struct hd_ctx *ctx, struct hd_arena *a, const struct shift_counter *k, struct hd_hsd *hsd)
{
    const int threads = hd_threads(ctx);
    const uint32_t nblock = (k->n - 1 + BLOCK - 1) / BLOCK;
    struct shift_block *block = HD_NEW(a, struct shift_block, (size_t)threads);
    if (!block) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) HD_TRY(shift_block_init(ctx, a, k, &block[t]));
    uint64_t sum = 0, most = 0, time = 0, stages = k->n - 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : sum, time) reduction(max : most)
    for (uint32_t i = 0; i < nblock; i++) {
        struct shift_block *b = &block[hd_thread_id()];
        shift_run_block(k, b, 1 + i * BLOCK);
        for (uint32_t t = 0; t < b->width; t++) {
            sum += b->degree[t];
            time += b->time[t];
            if (b->degree[t] > most) most = b->degree[t];
        }
    }
    *hsd = (struct hd_hsd){(double)sum / (double)stages, (double)most,
                           time ? (double)stages * (double)k->view->rates->scale / (double)time : 1, stages};
    return HD_OK;
}

hd_status hd_shift_count(struct hd_ctx *ctx, const struct hd_job_view *view, const uint32_t *order, struct hd_hsd *hsd)
{
    struct hd_arena a = {0};
    struct shift_counter k = {.view = view, .n = view->nodes->n, .nrail = view->nodes->nrail};
    k.rail = HD_NEW(&a, struct shift_rail, k.nrail);
    k.least = shift_least(&k);
    hd_status s = k.rail ? shift_number_channels(ctx, &a, &k) : hd_fail_memory(ctx);
    for (uint32_t rail = 0; s == HD_OK && rail < k.nrail; rail++) s = shift_set_rail(ctx, &a, &k, order, rail);
    if (s == HD_OK) s = shift_run(ctx, &a, &k, hsd);
    hd_arena_release(&a);
    return s;
}
