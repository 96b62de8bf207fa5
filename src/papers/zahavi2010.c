/* SPDX-License-Identifier: BSD-2-Clause */
/* Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives.
 *
 * Its claims are exact (hot-spot degree 1 in every stage, one destination to a down port) and are checked
 * stage by stage and table by table; its Table 3 is an average under random rank orders. The printed tuples
 * of the four trees contradict their own sizes and the definition of an RLFT; the ones here are the only
 * ones that have both. */
#include "papers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAPER "zahavi2010"
#define NUMBER "004"
#define CITE "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives"

enum { TREES = 4 };

struct zahavi_tree {
    uint32_t endpoints, used; /* used: by the partial rows of Table 3 */
    const char *spec;
    struct hd_shape printed; /* the tuple as printed */
    uint32_t period;         /* least common multiple of W_l w_{l+1} p_{l+1} */
    uint32_t wprod;          /* the product of all w, which the paper takes for it */
};

static const struct zahavi_tree trees[TREES] = {
    {144, 120, "pgft:m=12x12,w=1x6,p=1x2", {HD_SHAPE_TREE, 2, {12, 12}, {1, 12}, {1, 2}, 0}, 12, 6},
    {324, 288, "pgft:m=18x18,w=1x9,p=1x2", {HD_SHAPE_TREE, 2, {16, 16}, {1, 16}, {1, 2}, 0}, 18, 9},
    {1728,
     1584,
     "pgft:m=12x12x12,w=1x12x6,p=1x1x2",
     {HD_SHAPE_TREE, 3, {12, 12, 12}, {1, 12, 12}, {1, 1, 2}, 0},
     144,
     72},
    {1944, 1296, "pgft:m=18x18x6,w=1x18x3,p=1x1x6", {HD_SHAPE_TREE, 3, {18, 18, 6}, {1, 18, 6}, {1, 1, 3}, 0}, 324, 54},
};

/* Hot-spot degree of a pattern under D-mod-K with these ranks. */
static hd_status hsd(struct hd_paper_run *run, const char *net, const char *pattern, const char *ranks,
                     struct hd_result *result)
{
    struct hd_request q = {.pattern = pattern, .metric = "hsd", .ranks = ranks};
    return hd_paper_eval(run, net, "dmodk", &q, result);
}

struct mean {
    double value, ci; /* ci: full width of the 99 % interval */
};

/* Mean over random rank orders of the mean over stages. */
static hd_status hsd_random(struct hd_paper_run *run, const char *net, const char *pattern, uint32_t orders,
                            struct mean *mean)
{
    double sum = 0, square = 0;
    struct mean m;
    for (uint32_t i = 0; i < orders; i++) {
        struct hd_result r;
        char ranks[64];
        snprintf(ranks, sizeof ranks, "random:seed=%llu",
                 (unsigned long long)((hd_ctx_seed(run->ctx) & 0xffffffffffu) * 1000 + i));
        HD_TRY(hsd(run, net, pattern, ranks, &r));
        sum += r.value;
        square += r.value * r.value;
    }
    m.value = sum / orders;
    double variance = orders > 1 ? fmax(0, (square - sum * m.value) / (orders - 1)) : 0;
    m.ci = 2 * 2.576 * sqrt(variance / orders);
    *mean = m;
    return HD_OK;
}

/* ---- Table 3 -------------------------------------------------------------------------------- */

static const struct {
    const char *pattern;
    bool partial;
    double published[TREES];
} table3[] = {
    {"shift", false, {3.75, 4.32, 5.24, 5.41}},
    {"shift", true, {3.50, 4.28, 1.98, 5.22}},
    {"recdbl-tree", false, {2.9, 3.25, 4.26, 4.26}},
    {"recdbl-tree", true, {2.8, 3.7, 4.47, 4.06}},
};

static const char *known_table3(const char *pattern, uint32_t endpoints)
{
    if (endpoints != 1584) return NULL;
    if (strcmp(pattern, "shift") == 0)
        return "a misprint or another experiment: 1.98 is below every random order, and near what 1584 nodes left over "
               "by random exclusion give in tree order with the tables of the full tree (see the row on that)";
    return "about 8 % below the printed value, which lies beyond all but the most extreme of the random orders tried";
}

static hd_status run_table3(struct hd_paper_run *run)
{
    for (size_t i = 0; i < sizeof table3 / sizeof *table3; i++) {
        bool shift = strcmp(table3[i].pattern, "shift") == 0;
        for (uint32_t t = 0; t < TREES; t++) {
            char net[128];
            uint32_t n = table3[i].partial ? trees[t].used : trees[t].endpoints;
            struct mean mean;
            snprintf(net, sizeof net, table3[i].partial ? "%s,partial=endpoints:%u" : "%s", trees[t].spec, n);
            HD_TRY(hsd_random(run, net, table3[i].pattern, shift ? (run->full ? 25 : 4) : run->full ? 400 : 25, &mean));
            hd_paper_put(run,
                         hd_claim(HD_ROW_IS, table3[i].published[t],
                                  hd_paper_widen(run, shift ? 0.04 : 0.05, mean.ci, table3[i].published[t]),
                                  known_table3(table3[i].pattern, n)),
                         mean.value, "average HSD, random orders", "%s, %u of %u", table3[i].pattern, n,
                         trees[t].endpoints);
        }
    }
    struct hd_result r;
    HD_TRY(hsd(run, "pgft:m=12x12x12,w=1x12x6,p=1x1x2,partial=random:1584", "shift", "natural", &r));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1.98, 0.02, NULL), r.value,
                 "average HSD, tree order, tables of the full tree", "shift, 1584 of 1728 at random");
    return HD_OK;
}

/* ---- exact claims --------------------------------------------------------------------------- */

/* Marks every switch that traffic to d passes, and counts d on the downward channels it takes. */
static void count_destination(const struct hd_routes *r, const uint32_t *leaf, uint32_t nleaf, uint32_t d,
                              uint32_t *stamp, uint32_t *count, uint8_t *buf)
{
    const struct hd_net *net = hd_routes_net(r);
    const uint8_t *row = hd_routes_row(r, d, 0, buf);
    for (uint32_t i = 0; i < nleaf; i++)
        for (uint32_t v = leaf[i]; v < net->nsw && stamp[v] != d + 1;) {
            stamp[v] = d + 1;
            if (row[v] == HD_SLOT_NONE) break;
            uint32_t c = net->off[v] + row[v];
            if (net->level[net->head[c]] < net->level[v]) count[c]++;
            v = net->head[c];
        }
}

/* Largest number of destinations on one channel that leads down. */
static hd_status most_destinations(struct hd_ctx *ctx, const struct hd_routes *r, uint32_t *most)
{
    const struct hd_net *net = hd_routes_net(r);
    uint32_t *stamp = calloc(net->nsw, sizeof *stamp), *count = calloc(net->nchan, sizeof *count), nleaf = 0;
    uint32_t *leaf = calloc(net->nsw, sizeof *leaf);
    uint8_t *buf = calloc(net->nsw, 1);
    bool enough = stamp && count && leaf && buf;
    for (uint32_t v = 0; enough && v < net->nsw; v++)
        if (net->level[v] == 1) leaf[nleaf++] = v;
    *most = 0;
    for (uint32_t d = 0; enough && d < net->nep; d++) count_destination(r, leaf, nleaf, d, stamp, count, buf);
    for (uint32_t c = 0; enough && c < net->nchan; c++)
        if (count[c] > *most) *most = count[c];
    free(stamp);
    free(count);
    free(leaf);
    free(buf);
    return enough ? HD_OK : hd_fail_memory(ctx);
}

/* Exchanges of the printed equation 7 that leave the subtree of their level: it changes the quotient
 * i / M_{l-1} by xor, where only digit l of it may change. */
static uint32_t strays(const struct hd_shape *shape)
{
    uint32_t n = 0, inner = shape->m[0], all = 1;
    for (uint32_t l = 0; l < shape->n; l++) all *= shape->m[l];
    for (uint32_t l = 1; l < shape->n; l++) {
        uint32_t outer = inner * shape->m[l], half = 1;
        while (2 * half <= shape->m[l]) half *= 2;
        for (uint32_t step = 1; step < half; step *= 2)
            for (uint32_t i = 0; i < all; i++) {
                uint32_t j = (i / inner ^ step) * inner + i % inner;
                n += i % outer < half * inner && j / outer != i / outer;
            }
        inner = outer;
    }
    return n;
}

static hd_status shape_rows(struct hd_paper_run *run, const struct zahavi_tree *t)
{
    const struct hd_net *net;
    char why[160];
    uint32_t product = 1;
    HD_TRY(hd_paper_net(run, t->spec, &net));
    hd_paper_put(run, hd_claim(HD_ROW_IS, t->endpoints, 0, NULL), net->nep, "endpoints", "tree of %u", t->endpoints);
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), hd_rlft_check(&net->shape, why), "is an RLFT", "tree of %u",
                 t->endpoints);
    for (uint32_t l = 0; l < t->printed.n; l++) product *= t->printed.m[l];
    hd_paper_put(
        run,
        hd_claim(HD_ROW_IS, t->endpoints, 0,
                 product == t->endpoints ? NULL : "the printed tuple 2;16,16;1,16;1,2 has 256 endpoints: 18 is meant"),
        product, "endpoints of the printed tuple", "tree of %u", t->endpoints);
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, 1, 0,
                          "the last w or p of the printed tuple breaks m p = w p of the next level, or the "
                          "2K ports of the top"),
                 hd_rlft_check(&t->printed, why), "printed tuple is an RLFT", "tree of %u", t->endpoints);
    return HD_OK;
}

static hd_status route_rows(struct hd_paper_run *run, const struct zahavi_tree *t)
{
    static const char *const patterns[] = {"shift",      "ring",     "bruck",      "rev-bruck",
                                           "tournament", "binomial", "recdbl-tree"};
    const struct hd_routes *r;
    struct hd_result result;
    uint32_t most;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        HD_TRY(hsd(run, t->spec, patterns[i], "natural", &result));
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), result.max, "largest HSD of all stages", "%s on %u",
                     patterns[i], t->endpoints);
    }
    HD_TRY(hd_paper_routes(run, t->spec, "dmodk", &r));
    HD_TRY(most_destinations(run->ctx, r, &most));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), most, "most destinations on a down port", "tree of %u",
                 t->endpoints);
    if (t->printed.n == 3)
        hd_paper_put(
            run,
            hd_claim(HD_ROW_IS, 0, 0, "eq. 7 as printed changes the whole quotient by xor; only digit l may change"),
            strays(&hd_routes_net(r)->shape), "exchanges of eq. 7 that leave their subtree", "tree of %u",
            t->endpoints);
    return HD_OK;
}

static hd_status run_theorems(struct hd_paper_run *run)
{
    for (uint32_t t = 0; t < TREES; t++) {
        HD_TRY(shape_rows(run, &trees[t]));
        HD_TRY(route_rows(run, &trees[t]));
    }
    return HD_OK;
}

/* ---- part of the nodes ---------------------------------------------------------------------- */

/* Largest average HSD of Shift over random sets of n nodes. */
static hd_status worst_set(struct hd_paper_run *run, const char *spec, const char *table, uint32_t n, double *worst)
{
    uint32_t sets = run->full ? 20 : 3;
    *worst = 0;
    for (uint32_t i = 0; i < sets; i++) {
        char net[128];
        struct hd_result r;
        struct hd_request q = {.pattern = "shift", .metric = "hsd"};
        snprintf(net, sizeof net, "%s,partial=random:%u,seed=%u", spec, n, i + 1);
        HD_TRY(hd_paper_eval(run, net, table, &q, &r));
        *worst = fmax(*worst, r.value);
    }
    return HD_OK;
}

static hd_status set_rows(struct hd_paper_run *run, const struct zahavi_tree *t)
{
    double worst;
    uint32_t n = t->used / t->period * t->period;
    HD_TRY(worst_set(run, t->spec, "dmodk:index=selected", n, &worst));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), worst, "average HSD, renumbered tables", "shift, any %u of %u",
                 n, t->endpoints);
    HD_TRY(worst_set(run, t->spec, "dmodk", n, &worst));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, 1, 0,
                          "the claim needs tables numbered by the nodes that take part (dmodk:index=); with "
                          "those of the full tree only whole subtrees may be left out"),
                 worst, "average HSD, tables of the full tree", "shift, any %u of %u", n, t->endpoints);
    n = t->used + t->wprod;
    HD_TRY(worst_set(run, t->spec, "dmodk:index=selected", n, &worst));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, 1, 0,
                          "a multiple of the product of all w, as stated, is not enough with parallel cables: "
                          "it takes the least common multiple of W_l w_{l+1} p_{l+1} over the levels"),
                 worst, "average HSD, renumbered tables", "shift, any %u of %u", n, t->endpoints);
    return HD_OK;
}

static hd_status subtree_rows(struct hd_paper_run *run, const struct zahavi_tree *t)
{
    static const char *const patterns[] = {"shift", "recdbl-tree"};
    for (size_t i = 0; i < 2; i++) {
        char net[128];
        struct hd_result r;
        snprintf(net, sizeof net, "%s,partial=endpoints:%u", t->spec, t->used);
        HD_TRY(hsd(run, net, patterns[i], "natural", &r));
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), r.max, "largest HSD, tables of the full tree",
                     "%s, first %u of %u", patterns[i], t->used, t->endpoints);
    }
    return HD_OK;
}

static hd_status run_partial(struct hd_paper_run *run)
{
    for (uint32_t t = 0; t < TREES; t++) {
        HD_TRY(subtree_rows(run, &trees[t]));
        HD_TRY(set_rows(run, &trees[t]));
    }
    const struct hd_net *net;
    HD_TRY(hd_paper_net(run, "pgft:m=18x18x36,w=1x18x18,p=1x1x1", &net));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 36, 0, NULL), net->nep / 324, "multiples of 324 nodes",
                 "RLFT(3;18,18,36;1,18,18;1,1,1)");
    if (!run->full) return HD_OK;
    struct hd_result r;
    struct hd_request q = {.pattern = "shift", .metric = "hsd"};
    HD_TRY(hd_paper_eval(run, "pgft:m=18x18x36,w=1x18x18,p=1x1x1,partial=random:9720", "dmodk:index=selected", &q, &r));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), r.max, "largest HSD, renumbered tables",
                 "shift, any 9720 of 11664");
    return HD_OK;
}

/* ---- figures -------------------------------------------------------------------------------- */

/* Number of channel c among those that lead up from its switch. */
static uint32_t up_port(const struct hd_net *net, uint32_t c)
{
    uint32_t v = net->tail[c], q = 0;
    for (uint32_t x = net->off[v]; x < c; x++) q += net->level[net->head[x]] > net->level[v];
    return q;
}

static hd_status run_fig1(struct hd_paper_run *run)
{
    static const char spec[] = "xgft:m=4x4,w=1x4";
    const struct hd_routes *r;
    struct hd_result result;
    struct mean mean;
    uint32_t chan[HD_MAX_HOPS], as_drawn = 0;
    HD_TRY(hd_paper_routes(run, spec, "dmodk", &r));
    for (uint32_t d = 4; d < 16; d++) /* from node 0, on the leftmost switch: 4, 8 and 12 by the first link */
        as_drawn += hd_routes_path(r, 0, d, 0, chan) > 1 && up_port(hd_routes_net(r), chan[1]) == d % 4;
    hd_paper_put(run, hd_claim(HD_ROW_IS, 12, 0, NULL), as_drawn, "destinations on the link drawn", "leftmost switch");
    HD_TRY(hsd(run, spec, "shift", "natural", &result));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), result.max, "flows on a link, all shifts", "(b) routing order");
    HD_TRY(hsd_random(run, spec, "shift", 100, &mean));
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 1, 0, NULL), mean.value, "flows on the worst link", "(a) random order");
    return HD_OK;
}

/* Share of the host bandwidth in the packet simulator; stages 0: all. */
static hd_status packets(struct hd_paper_run *run, const char *pattern, const char *ranks, uint64_t stages,
                         uint64_t size, double *share)
{
    struct hd_sim_request q = {.pattern = pattern, .ranks = ranks, .stages = stages, .size = size};
    const struct hd_routes *r;
    struct hd_sim_result result;
    HD_TRY(hd_paper_routes(run, trees[3].spec, "dmodk", &r));
    HD_TRY(hd_sim(run->ctx, r, &q, &result));
    *share = result.fraction;
    return HD_OK;
}

static hd_status fig2_curves(struct hd_paper_run *run)
{
    uint64_t stages = run->full ? 64 : 8, size = 8192;
    double share, last = 1;
    HD_TRY(packets(run, "ring", "adversarial", 0, 262144, &share));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 231.5, 0.05, NULL), share * 3250, "MB/s, packets simulated",
                 "ring on 1944, adversarial order");
    HD_TRY(packets(run, "shift", "natural", stages, 65536, &share));
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.99, 0, NULL), share, "share, packets simulated",
                 "Shift on 1944, the routing's order");
    for (int i = 0; i < (run->full ? 4 : 3); i++, size *= 4, last = share) {
        HD_TRY(packets(run, "shift", "random:seed=1", stages, size, &share));
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, last, 0, NULL), share, "share, less than before",
                     "Shift on 1944, random order, %llu KB", (unsigned long long)size / 1024);
    }
    return HD_OK;
}

static hd_status zahavi_run_fig2(struct hd_paper_run *run)
{
    struct hd_result r;
    HD_TRY(fig2_curves(run));
    HD_TRY(hsd(run, trees[3].spec, "ring", "adversarial", &r));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 18, 0, NULL), r.max, "flows on a link", "ring on 1944, adversarial order");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 0.071, 0.05, NULL), 4000.0 / r.max / 3250, "bandwidth / host bandwidth",
                 "ring on 1944, adversarial order");
    return HD_OK;
}

static hd_status zahavi_run_fig3(struct hd_paper_run *run)
{
    static const char *const nets[TREES] = {"ft:m=16,n=2", "pgft:m=18x18,w=1x9,p=1x2",
                                            "pgft:m=12x12x12,w=1x12x6,p=1x1x2", "pgft:m=18x18x6,w=1x18x3,p=1x1x6"};
    static const uint32_t sizes[TREES] = {128, 324, 1728, 1944};
    static const struct {
        const char *pattern, *printed;
        bool grows;
    } rows[] = {
        {"ring", "Ring", true},          {"shift", "Shift", true},          {"recdbl", "Butterfly", true},
        {"binomial", "Binomial", false}, {"bruck", "Dissemination", false}, {"tournament", "Tournament", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double first = 0;
        struct mean mean = {0};
        for (uint32_t t = 0; t < TREES; t++) {
            HD_TRY(hsd_random(run, nets[t], rows[i].pattern, run->full || i != 1 ? 25 : 4, &mean));
            if (t == 0) first = mean.value;
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), mean.value, "average HSD, random orders",
                         "%s (%s) on %u", rows[i].printed, rows[i].pattern, sizes[t]);
        }
        if (!rows[i].grows) continue;
        hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 1, 0, NULL), mean.value / first, "HSD on 1944 / HSD on 128", "%s (%s)",
                     rows[i].printed, rows[i].pattern);
    }
    return HD_OK;
}

static hd_status zahavi_run_fig4(struct hd_paper_run *run)
{
    static const struct {
        const char *subject, *spec;
        uint32_t spines;
    } rows[] = {{"(a) XGFT", "xgft:m=4x4,w=1x4", 4}, {"(b) PGFT", "pgft:m=4x4,w=1x2,p=1x2", 2}};
    for (size_t i = 0; i < 2; i++) {
        const struct hd_net *net;
        uint32_t spines = 0;
        HD_TRY(hd_paper_net(run, rows[i].spec, &net));
        for (uint32_t v = 0; v < net->nsw; v++) spines += net->level[v] == 2;
        hd_paper_put(run, hd_claim(HD_ROW_IS, rows[i].spines, 0, NULL), spines, "spines for 16 nodes", "%s",
                     rows[i].subject);
    }
    return HD_OK;
}

static hd_status zahavi_run_fig6(struct hd_paper_run *run)
{
    const struct hd_routes *r;
    uint32_t chan[HD_MAX_HOPS];
    HD_TRY(hd_paper_routes(run, "xgft:m=4x4x4,w=1x4x4", "dmodk", &r));
    const struct hd_net *net = hd_routes_net(r);
    uint32_t hops = hd_routes_path(r, net->nep - 1, 9, 0, chan);
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), hops > 2 ? up_port(net, chan[1]) : NAN, "up port at level 1",
                 "from the last node to 9");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 2, 0, NULL), hops > 2 ? up_port(net, chan[2]) : NAN, "up port at level 2",
                 "from the last node to 9");
    return HD_OK;
}

/* ---- Table 2 -------------------------------------------------------------------------------- */

static hd_status run_table2(struct hd_paper_run *run)
{
    static const struct {
        const char *subject, *net, *pattern;
        uint32_t stages;
        const char *known;
    } rows[] = {
        {"Shift, 1944 nodes", "pgft:m=18x18x6,w=1x18x3,p=1x1x6", "shift", 1943, NULL},
        {"Ring, 1944 nodes", "pgft:m=18x18x6,w=1x18x3,p=1x1x6", "ring", 1, NULL},
        {"Binomial, 1024 nodes", "ft:m=16,n=3", "binomial", 11,
         "ten stages reach 1024 nodes: the bounds s <= log2 N of Table 2 count an empty one"},
        {"Recursive doubling, 1944 nodes", "pgft:m=18x18x6,w=1x18x3,p=1x1x6", "recdbl", 11,
         "where N is no power of two it takes floor(log2 N) stages, one before and one after: 12"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hd_result r;
        HD_TRY(hsd(run, rows[i].net, rows[i].pattern, "natural", &r));
        hd_paper_put(run, hd_claim(HD_ROW_IS, rows[i].stages, 0, rows[i].known), (double)r.samples, "stages", "%s",
                     rows[i].subject);
    }
    return HD_OK;
}

const struct hd_paper_item hd_zahavi2010[] = {
    HD_PAPER_ITEM(run_fig1, "fig1", "Figure 1", "sixteen nodes: a random order blocks, the routing's order does not",
                  "Four leaf and four spine switches. The random order drawn is not given; the row is the mean of a "
                  "hundred."),
    HD_PAPER_ITEM(zahavi_run_fig2, "fig2", "section II",
                  "section II: the adversarial ring, and bandwidth that falls with the message size",
                  "Links of 4000 MB/s, hosts of 3250 MB/s: 18 flows on a link leave each 222 MB/s, 6.8 % of a host; "
                  "the paper's packet simulation gives 231.5 MB/s, 7.1 %. The curves are not given as numbers; "
                  "beside each share is that of the next smaller message, which it must not exceed."),
    HD_PAPER_ITEM(zahavi_run_fig3, "fig3", "Figure 3",
                  "hot-spot degree of six collectives against the size of the tree, random orders",
                  "Mean over 25 random orders of the mean over stages. The figure's values are not in the text; "
                  "what is said is that Ring, Shift and Butterfly grow with the size. 128 nodes are taken as "
                  "FT(16,2)."),
    HD_PAPER_ITEM(zahavi_run_fig4, "fig4", "Figure 4",
                  "parallel cables halve the spines of a tree of sixteen nodes with 8-port switches",
                  "XGFT(2; 4,4; 1,4) needs four spines that use half their ports, PGFT(2; 4,4; 1,2; 1,2) two that "
                  "use all of them."),
    HD_PAPER_ITEM(zahavi_run_fig6, "fig6", "Figure 6", "an example of D-mod-K: up by j mod 4, then by (j / 4) mod 4",
                  "XGFT(3; 4,4,4; 1,4,4): the path from the last node to node j = 9 goes up by port 1, then by port "
                  "2."),
    HD_PAPER_ITEM(run_table2, "table2", "section II and Table 2", "stages of the collective permutation sequences",
                  "How many stages a sequence of N ranks has: N-1 of Shift, one of Ring, as many as there are s "
                  "with 2^s < N of Binomial, floor(log2 N) of recursive doubling and two more where N is no power "
                  "of two."),
    HD_PAPER_ITEM(run_theorems, "theorems", "sections IV to VI and appendix",
                  "no hot spot in any stage, one destination to a down port, on all four RLFTs",
                  "Theorems 1 to 3 with ranks in tree order and D-mod-K: every stage of Shift, of the other one-way "
                  "sequences and of tree-aware recursive doubling has hot-spot degree 1, and every port that leads "
                  "down carries one destination. The paper leaves open which of several parallel cables leads down; "
                  "cable (j / W) mod p does it, always the first fails. The four printed tuples, and equation 7, "
                  "need correction."),
    HD_PAPER_ITEM(run_partial, "partial", "section V.B",
                  "jobs on part of an RLFT: which sets of nodes keep Shift free of hot spots",
                  "Section V.B claims hot-spot degree 1 for any set of nodes whose size is a multiple of the "
                  "product of all w. That holds for tables whose numbers are those of the nodes that take part, and "
                  "a multiple of the least common multiple over the levels of W_l w_{l+1} p_{l+1}: 12, 18, 144 and "
                  "324 on the four trees. Rows give the worst of several random sets."),
    HD_PAPER_ITEM(run_table3, "table3", "Table 3",
                  "average hot-spot degree under random rank orders, Shift and recursive doubling",
                  "Four RLFTs, all nodes and a part of them (the contiguous first ones: whole subtrees), ranks in "
                  "random order, routes by D-mod-K. Recursive doubling is the tree-aware form with the random order "
                  "put into its places; the plain form with a stage before and after gives 3.06, 3.60, 4.32 and "
                  "4.16 on the full trees. The printed tuples contradict the sizes printed beside them and are "
                  "corrected (004-theorems). Tolerances: 4 % for Shift, 5 % for recursive doubling, whose average "
                  "over a dozen stages differs by as much from one random order to the next."),
    {.run = NULL}};
