/* SPDX-License-Identifier: BSD-2-Clause */
/* What this library claims of its tree engines: how evenly they load the levels of intact trees, and what is
 * left when one switch cable in twenty is gone. Loads are those of all pairs. */
#include "papers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trees_tree {
    const char *net;
    bool large; /* only in full runs */
};

struct pair_load {  /* every selected endpoint sends to every other */
    uint64_t *load; /* [nchan] */
    struct hd_pair_sums sums;
};

/* The caller frees all->load. */
static hd_status load_of(struct hd_ctx *ctx, const struct hd_net *net, const char *table, struct hd_check *check,
                         struct pair_load *all)
{
    struct hd_routes *r;
    HD_TRY(hd_routes_open(ctx, net, table, &r));
    hd_status s = hd_routes_check(ctx, r, check);
    all->load = calloc(net->nchan, sizeof *all->load);
    if (s == HD_OK) s = all->load ? hd_load_all_pairs(ctx, r, all->load, &all->sums) : hd_fail_memory(ctx);
    hd_routes_free(r);
    return s;
}

/* ---- levels -------------------------------------------------------------------------------------- */

static const struct trees_tree even[] = {
    {"ft:m=16,n=3", false},
    {"xgft:m=6x6x12,w=1x6x6", false},
    {"xgft:m=8x8x16,w=1x4x4", false},
    {"pgft:m=6x6x4,w=1x6x2,p=1x1x3", false},
    {"pgft:m=12x12x12,w=1x12x6,p=1x1x2", true},
    {"pgft:m=18x18x6,w=1x18x3,p=1x1x6", true},
    {"xgft:m=18x18x36,w=1x18x18", true},
};

/* Largest load on the channels from one level to the next, against their average; the worst of all levels, up
 * and down. */
static double unevenness(const struct hd_net *net, const struct pair_load *all)
{
    double worst = 0;
    for (uint32_t l = 1; l < net->shape.n; l++)
        for (int up = 0; up < 2; up++) {
            uint64_t most = 0, sum = 0, n = 0;
            for (uint32_t c = 0; c < net->nchan; c++) {
                if (net->level[net->tail[c]] != (up ? l : l + 1) || net->level[net->head[c]] != (up ? l + 1 : l))
                    continue;
                if (all->load[c] > most) most = all->load[c];
                sum += all->load[c];
                n++;
            }
            if (sum && (double)(most * n) / (double)sum > worst) worst = (double)(most * n) / (double)sum;
        }
    return worst;
}

/* The largest claimed, NaN: none; and whether that leaves out oversubscribed trees. */
struct balance_claim {
    const char *table;
    double most;
    bool not_slim;
};

static hd_status put_balance(struct hd_paper_run *run, const struct hd_net *net, const struct balance_claim *b)
{
    struct hd_check check;
    struct pair_load all = {0};
    static const char why[] =
        "oversubscribed: below the most loaded level settle gives up even loads for less contention of random pairs; "
        "the largest load of all is that of D-mod-K";
    bool slim = net->shape.w[1] * net->shape.p[1] < net->shape.m[0];
    hd_status s = load_of(run->ctx, net, b->table, &check, &all);
    if (s == HD_OK)
        hd_paper_put(run, hd_claim(HD_ROW_AT_MOST, b->most, 0, slim && b->not_slim ? why : NULL), unevenness(net, &all),
                     "largest load / average of the level", "%.200s %s", net->spec, b->table);
    free(all.load);
    return s;
}

static hd_status run_balance(struct hd_paper_run *run)
{
    static const struct balance_claim rows[] = {{"dmodk", 1.1, false},
                                                {"ftree", 1.1, false},
                                                {"dmodc", 1.1, false},
                                                {"settle", 1.1, true},
                                                {"psssp", NAN, false}};
    for (size_t i = 0; i < sizeof even / sizeof even[0]; i++) {
        const struct hd_net *net;
        if (even[i].large && !run->full) continue;
        HD_TRY(hd_paper_net(run, even[i].net, &net));
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) HD_TRY(put_balance(run, net, &rows[k]));
    }
    return HD_OK;
}

/* ---- missing cables -------------------------------------------------------------------------------- */

static const struct trees_tree damaged[] = {
    {"gft:n=16,m=16,r=32", false},
    {"ft:m=8,n=3", false},
    {"xgft:m=6x6x12,w=1x6x6", false},
    {"kary:k=3,n=4", false},
    {"pgft:m=12x12,w=1x6,p=1x2", false},
    {"pgft:m=18x18,w=1x9,p=1x2", false},
    {"pgft:m=12x12x12,w=1x12x6,p=1x1x2", true},
    {"pgft:m=18x18x6,w=1x18x3,p=1x1x6", true},
};

static uint32_t switch_cables(const struct hd_net *net)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->nchan; c++)
        n += c < net->rev[c] && net->tail[c] < net->nsw && net->head[c] < net->nsw;
    return n;
}

static uint64_t trees_largest(const struct hd_net *net, const struct pair_load *all)
{
    uint64_t most = 0;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->tail[c] < net->nsw && net->head[c] < net->nsw && all->load[c] > most) most = all->load[c];
    return most;
}

/* From which switches a leaf is reached by going up and then down: below[v] when going down will do. */
static void spread_updown(const struct hd_net *net, uint32_t leaf, bool *below, bool *reached)
{
    memset(below, 0, net->nsw);
    below[leaf] = true;
    for (uint32_t l = net->level[leaf]; l <= net->shape.n; l++)
        for (uint32_t c = 0; c < net->nchan; c++)
            if (net->tail[c] < net->nsw && net->head[c] < net->nsw && net->level[net->tail[c]] == l + 1 &&
                net->level[net->head[c]] == l && below[net->head[c]])
                below[net->tail[c]] = true;
    memcpy(reached, below, net->nsw);
    for (uint32_t l = net->shape.n; l >= 1; l--)
        for (uint32_t c = 0; c < net->nchan; c++)
            if (net->tail[c] < net->nsw && net->head[c] < net->nsw && net->level[net->tail[c]] == l &&
                net->level[net->head[c]] == l + 1 && reached[net->head[c]])
                reached[net->tail[c]] = true;
}

/* Ordered pairs without a way up and then down, whatever the routing. */
static hd_status count_cut_off(struct hd_ctx *ctx, const struct hd_net *net, uint64_t *pairs)
{
    bool *below = calloc(net->nsw, sizeof *below), *reached = calloc(net->nsw, sizeof *reached);
    uint32_t *hosts = calloc(net->nsw, sizeof *hosts);
    bool enough = below && reached && hosts;
    for (uint32_t i = 0; enough && i < net->nsel; i++) hosts[hd_leaf(net, net->sel[i])]++;
    *pairs = 0;
    for (uint32_t t = 0; enough && t < net->nsw; t++) {
        if (!hosts[t]) continue;
        spread_updown(net, t, below, reached);
        for (uint32_t v = 0; v < net->nsw; v++)
            if (!reached[v]) *pairs += (uint64_t)hosts[v] * hosts[t];
    }
    free(below);
    free(reached);
    free(hosts);
    return enough ? HD_OK : hd_fail_memory(ctx);
}

struct damage_claim { /* what is claimed of an engine */
    const char *table;
    bool serves_all; /* pairs that have an up/down path */
    bool safe;       /* no credit loop */
};

static hd_status put_damaged(struct hd_paper_run *run, const struct hd_net *net, const char *subject,
                             const struct damage_claim *d, uint64_t intact)
{
    struct hd_check check;
    struct pair_load all = {0};
    char quantity[64];
    uint64_t cut_off = 0;
    hd_status s = load_of(run->ctx, net, d->table, &check, &all);
    if (s == HD_OK) s = count_cut_off(run->ctx, net, &cut_off);
    if (s == HD_OK) {
        snprintf(quantity, sizeof quantity, "largest load / intact, %s", d->table);
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), (double)trees_largest(net, &all) / (double)intact,
                     quantity, "%s", subject);
    }
    if (s == HD_OK && d->serves_all) {
        snprintf(quantity, sizeof quantity, "pairs not served, %s", d->table);
        hd_paper_put(run, hd_claim(HD_ROW_IS, (double)cut_off, 0, NULL), (double)all.sums.unserved, quantity, "%s",
                     subject);
    }
    if (s == HD_OK && d->safe) {
        snprintf(quantity, sizeof quantity, "free of credit loops, %s", d->table);
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), check.deadlock_free == 1, quantity, "%s", subject);
    }
    free(all.load);
    return s;
}

static hd_status run_damage(struct hd_paper_run *run, const struct trees_tree *t)
{
    static const struct damage_claim rows[] = {
        {"ftree", true, true}, {"dmodc", true, true}, {"settle", false, true}, {"minhop", false, false}};
    const struct hd_net *whole;
    struct hd_net *net;
    struct hd_check check;
    struct pair_load all = {0};
    char fail[64], subject[HD_MAX_SPEC];
    HD_TRY(hd_paper_net(run, t->net, &whole));
    hd_status s = load_of(run->ctx, whole, "dmodk", &check, &all);
    uint64_t intact = s == HD_OK ? trees_largest(whole, &all) : 0;
    free(all.load);
    if (s != HD_OK) return s;
    snprintf(fail, sizeof fail, "links=%u,seed=1", switch_cables(whole) / 20);
    HD_TRY(hd_net_open(run->ctx, t->net, &(struct hd_open){.fail = fail}, &net));
    snprintf(subject, sizeof subject, "%.200s less %u of %u cables", t->net, switch_cables(whole) / 20,
             switch_cables(whole));
    for (size_t k = 0; s == HD_OK && k < sizeof rows / sizeof rows[0]; k++)
        s = put_damaged(run, net, subject, &rows[k], intact);
    hd_net_free(net);
    return s;
}

static hd_status run_degraded(struct hd_paper_run *run)
{
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++)
        if (run->full || !damaged[i].large) HD_TRY(run_damage(run, &damaged[i]));
    return HD_OK;
}

const struct hd_paper_item hd_own_trees[] = {
    {.desc = {.name = "own-balance",
              .summary = "how evenly tree engines load the levels of three-level trees",
              .text =
                  "Claimed: with dmodk, ftree, dmodc and settle no channel between two levels carries more than 1.1 "
                  "times the average of its level and direction when every pair sends. psssp is there for "
                  "comparison.",
              .cite = "heddle",
              .opt_size = 1},
     .run = run_balance},
    {.desc = {.name = "own-degraded",
              .summary = "trees with 5 % of their switch cables missing: served pairs, and their loads",
              .text =
                  "Claimed: ftree and dmodc serve every pair that still has an up/down path, and no other; they and "
                  "settle have no credit loop. Loads are those of all pairs, relative to the largest of D-mod-K on "
                  "the intact tree.",
              .cite = "heddle",
              .opt_size = 1},
     .run = run_degraded},
    {.run = NULL}};
