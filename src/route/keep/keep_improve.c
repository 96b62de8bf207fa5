/* SPDX-License-Identifier: BSD-2-Clause */
/* Improving a repaired table where it gives random pairs less than a fresh one would. Rows are grown again as if for
 * the first time (keep_tree.c), in the order of what they may gain: the pairs by which their links are fuller than
 * the mean. All rows of a block of 64 LIDs go together, because a switch that takes one new entry of a block takes
 * the others in the same write. A switch changes its entry only if that saves its sources more than a price; the
 * price is lower where the block is written anyway, and falls from pass to pass. Groups of blocks that do not help
 * are taken back.
 * Cost: a growth per row tried, and one estimate of the bandwidth per group. Our own. */
#include "route/keep/keeper.h"
#include "base/keyed.h"
#include "base/status.h"
#include "load/share_estimate.h"
#include "net/edit/lids.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 64,  /* LIDs that a switch is sent at once */
    GROUPS = 16, /* estimates per pass */
    PASSES = 3,  /* prices: a half of the mean load of a link, an eighth, nothing */
    WRITTEN = 4  /* the price is divided by this where the block is written anyway */
};

struct improver {
    struct hd_keeper *k;
    uint32_t nblock;
    uint32_t *block_of; /* [rows] */
    uint32_t *order;    /* [rows] rows by block, blocks and their rows by decreasing gain */
    bool *written;      /* [block * nsw + v] */
    uint64_t *stay;     /* [nsw] */
    uint64_t mean;      /* pairs on a link */
    uint8_t *old_row;   /* [rows of a group * nsw] */
    uint8_t *old_lane;  /* [rows of a group * nleaf] */
    uint32_t group;     /* most rows of a group */
};

static hd_status improver_init(struct hd_ctx *ctx, struct hd_arena *a, struct improver *m)
{
    struct hd_keeper *k = m->k;
    const struct hd_net *net = k->r->net;
    struct hd_lids lids;
    HD_TRY(hd_lids_plan(ctx, a, net, k->r->nvar, &lids));
    m->nblock = lids.last / BLOCK + 1u;
    m->group = (uint32_t)(k->rows / GROUPS + 1);
    m->written = HD_NEW(a, bool, (size_t)m->nblock * net->nsw);
    m->stay = HD_NEW(a, uint64_t, net->nsw);
    m->old_row = HD_NEW(a, uint8_t, (size_t)m->group * net->nsw);
    m->old_lane = HD_NEW(a, uint8_t, (size_t)m->group * k->r->nleaf);
    if (!m->written || !m->stay || !m->old_row || !m->old_lane || !HD_NEW_U32(a, k->rows, &m->block_of, &m->order))
        return hd_fail_memory(ctx);
    for (size_t q = 0; q < k->rows; q++)
        m->block_of[q] = (lids.base[net->nsw + q / k->r->nvar] + (uint32_t)(q % k->r->nvar)) / BLOCK;
    return HD_OK;
}

/* ---- the order of rows -------------------------------------------------------------------------- */

struct improver_gain {
    uint64_t mean, sum;
};

static void improver_add(struct hd_keep_tree *w, uint32_t v, uint32_t a, uint32_t b, uint32_t flow, void *user)
{
    struct improver_gain *g = user;
    (void)v;
    (void)b;
    if (w->load.pairs[a] > g->mean) g->sum += (w->load.pairs[a] - g->mean) * flow;
}

struct improver_key { /* of a row */
    uint64_t of_block, gain;
    uint32_t block, q;
};

static int improver_compare(const void *pa, const void *pb)
{
    const struct improver_key *a = pa, *b = pb;
    if (a->of_block != b->of_block) return a->of_block < b->of_block ? 1 : -1;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    if (a->gain != b->gain) return a->gain < b->gain ? 1 : -1;
    return a->q < b->q ? -1 : a->q > b->q;
}

static hd_status improver_sort(struct hd_ctx *ctx, struct improver *m)
{
    struct hd_keeper *k = m->k;
    struct hd_arena scratch = {0};
    uint64_t *gain = HD_NEW(&scratch, uint64_t, m->nblock);
    struct improver_key *key = HD_NEW(&scratch, struct improver_key, k->rows);
    hd_status s = gain && key ? HD_OK : hd_fail_memory(ctx);
    for (size_t q = 0; s == HD_OK && q < k->rows; q++) {
        struct improver_gain g = {m->mean, 0};
        hd_keep_flows(&k->tree, hd_keeper_target(k, q), hd_keeper_row(k, q), improver_add, &g);
        key[q] = (struct improver_key){.gain = g.sum / k->r->net->nsw, .block = m->block_of[q], .q = (uint32_t)q};
        gain[m->block_of[q]] += key[q].gain;
    }
    for (size_t q = 0; s == HD_OK && q < k->rows; q++) key[q].of_block = gain[key[q].block];
    if (s == HD_OK) qsort(key, k->rows, sizeof *key, improver_compare);
    for (size_t q = 0; s == HD_OK && q < k->rows; q++) m->order[q] = key[q].q;
    hd_arena_release(&scratch);
    return s;
}

/* ---- one row ------------------------------------------------------------------------------------ */

static void improver_mark(struct improver *m, size_t q)
{
    const struct hd_keeper *k = m->k;
    const uint32_t nsw = k->r->net->nsw;
    const uint8_t *was = hd_keeper_was(k, q), *row = hd_keeper_row(k, q);
    for (uint32_t v = 0; v < nsw; v++)
        if (was[v] != row[v]) m->written[(size_t)m->block_of[q] * nsw + v] = true;
}

struct improver_price {
    struct improver *m;
    uint64_t price; /* per source of a switch with as many as it has itself */
    const bool *written;
};

/* What another entry of v has to save each source, so that all that come through v save the price together. */
static void improver_price(struct hd_keep_tree *w, uint32_t v, uint32_t a, uint32_t b, uint32_t flow, void *user)
{
    const struct improver_price *p = user;
    uint64_t own = w->load.sources[v] ? w->load.sources[v] : 1;
    (void)a;
    (void)b;
    p->m->stay[v] = p->price * own / flow / (p->written[v] ? WRITTEN : 1);
}

static void improver_row(struct improver *m, size_t q, uint32_t pass)
{
    static const uint32_t share[PASSES] = {2, 8, 0};
    struct hd_keeper *k = m->k;
    const uint32_t nsw = k->r->net->nsw;
    struct improver_price p = {m, share[pass] ? 2 * m->mean / share[pass] : 0,
                               m->written + (size_t)m->block_of[q] * nsw};
    if (!k->needed[q / k->r->nvar]) return;
    for (uint32_t v = 0; v < nsw; v++) m->stay[v] = p.price;
    hd_keep_flows(&k->tree, hd_keeper_target(k, q), hd_keeper_row(k, q), improver_price, &p);
    hd_keeper_take(k, q);
    if (!hd_keeper_grow(k, q, false, m->stay)) hd_keeper_put(k, q);
    improver_mark(m, q);
}

/* ---- groups of rows --------------------------------------------------------------------------- */

static hd_status improver_estimate(struct hd_ctx *ctx, const struct hd_keeper *k, double *share)
{
    return hd_share_estimate(ctx, k->r, NULL, hd_share_samples(k->r->net), share);
}

static void improver_save(struct improver *m, const uint32_t *q, uint32_t n)
{
    const struct hd_keeper *k = m->k;
    const size_t nsw = k->r->net->nsw, nleaf = k->view.nleaf;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(m->old_row + i * nsw, hd_keeper_row(k, q[i]), nsw);
        for (size_t j = 0; k->lane && j < nleaf; j++) m->old_lane[i * nleaf + j] = k->lane[j * k->rows + q[i]];
    }
}

static void improver_take_back(struct improver *m, const uint32_t *q, uint32_t n)
{
    struct hd_keeper *k = m->k;
    const size_t nsw = k->r->net->nsw, nleaf = k->view.nleaf;
    for (uint32_t i = 0; i < n; i++) hd_keeper_take(k, q[i]);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(hd_keeper_row(k, q[i]), m->old_row + i * nsw, nsw);
        for (size_t j = 0; k->lane && j < nleaf; j++) k->lane[j * k->rows + q[i]] = m->old_lane[i * nleaf + j];
        hd_keeper_put(k, q[i]);
    }
}

/* How many rows from order[at] on are tried together: one at first, as little may be enough, then as many as before. */
static uint32_t improver_group(const struct improver *m, size_t at)
{
    const size_t left = m->k->rows - at, most = at < 1 ? 1 : at < m->group ? at : m->group;
    return (uint32_t)(left < most ? left : most);
}

static hd_status improver_pass(struct hd_ctx *ctx, struct improver *m, uint32_t pass, double enough, double *share)
{
    struct hd_keeper *k = m->k;
    const struct hd_links *l = k->turns.links;
    uint64_t sum = 0;
    for (uint32_t a = 0; a < l->n; a++) sum += k->tree.load.pairs[a];
    m->mean = l->n ? sum / l->n : 0;
    HD_TRY(improver_sort(ctx, m));
    for (size_t at = 0; at < k->rows && *share < enough;) {
        uint32_t n = improver_group(m, at);
        double after;
        improver_save(m, m->order + at, n);
        for (uint32_t i = 0; i < n; i++) improver_row(m, m->order[at + i], pass);
        HD_TRY(improver_estimate(ctx, k, &after));
        if (after > *share)
            *share = after;
        else
            improver_take_back(m, m->order + at, n);
        at += n;
        hd_progress(ctx, "improving", pass * k->rows + at, PASSES * k->rows);
    }
    return HD_OK;
}

hd_status hd_keep_improve(struct hd_ctx *ctx, struct hd_keeper *k, double enough, double *share)
{
    struct hd_arena scratch = {0};
    struct improver m = {.k = k};
    hd_status s = improver_estimate(ctx, k, share);
    if (s != HD_OK || *share >= enough) return s;
    s = improver_init(ctx, &scratch, &m);
    for (size_t q = 0; s == HD_OK && q < k->rows; q++) improver_mark(&m, q);
    for (uint32_t pass = 0; s == HD_OK && pass < PASSES && *share < enough; pass++)
        s = improver_pass(ctx, &m, pass, enough, share);
    hd_arena_release(&scratch);
    return s;
}
