/* SPDX-License-Identifier: BSD-2-Clause */
/* Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives.
 *
 * Its claims are exact (hot-spot degree 1 in every stage, one destination to a down port) and are checked
 * stage by stage and table by table; its Table 3 is an average under random rank orders. The printed tuples
 * of the four trees contradict their own sizes and the definition of an RLFT; the ones here are the only
 * ones that have both. */
#include "zahavi2010.h"

#include <math.h>
#include <stdlib.h>

#define PAPER "zahavi2010"
#define NUMBER "004"
#define CITE "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives"

const struct zahavi_tree hd_zahavi_trees[ZAHAVI_TREES] = {
    {.endpoints = 144,
     .used = 120,
     .spec = "pgft:m=12x12,w=1x6,p=1x2",
     .printed = {HD_SHAPE_TREE, 2, {12, 12}, {1, 12}, {1, 2}, 0, 0},
     .printed_spec = "pgft:m=12x12,w=1x12,p=1x2",
     .period = 12,
     .wprod = 6},
    {.endpoints = 324,
     .used = 288,
     .spec = "pgft:m=18x18,w=1x9,p=1x2",
     .printed = {HD_SHAPE_TREE, 2, {16, 16}, {1, 16}, {1, 2}, 0, 0},
     .printed_spec = "pgft:m=18x18,w=1x18,p=1x2",
     .period = 18,
     .wprod = 9},
    {.endpoints = 1728,
     .used = 1584,
     .spec = "pgft:m=12x12x12,w=1x12x6,p=1x1x2",
     .printed = {HD_SHAPE_TREE, 3, {12, 12, 12}, {1, 12, 12}, {1, 1, 2}, 0, 0},
     .printed_spec = "pgft:m=12x12x12,w=1x12x12,p=1x1x2",
     .period = 144,
     .wprod = 72},
    {.endpoints = 1944,
     .used = 1296,
     .spec = "pgft:m=18x18x6,w=1x18x3,p=1x1x6",
     .printed = {HD_SHAPE_TREE, 3, {18, 18, 6}, {1, 18, 6}, {1, 1, 3}, 0, 0},
     .printed_spec = "pgft:m=18x18x6,w=1x18x6,p=1x1x3",
     .period = 324,
     .wprod = 54},
};

hd_status hd_zahavi_hsd(struct hd_paper_run *run, const char *net, const char *pattern, const char *ranks,
                        struct hd_result *result)
{
    struct hd_request q = {.pattern = pattern, .metric = "hsd", .ranks = ranks};
    return hd_paper_eval(run, net, "dmodk", &q, result);
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

/* Cables between the top two levels by the printed equation 16, floor(q / p) = floor(r / p), where section IV.B has
 * floor(q / w) = floor(r / m): cable k of a pair is up port b + k w and down port a + k m. */
static uint32_t zahavi_cables_eq16(const struct hd_shape *shape)
{
    uint32_t l = shape->n - 1, m = shape->m[l], w = shape->w[l], p = shape->p[l], n = 0;
    for (uint32_t a = 0; a < m; a++)
        for (uint32_t b = 0; b < w; b++)
            for (uint32_t q = b; q < w * p; q += w)
                for (uint32_t r = a; r < m * p; r += m) n += q / p == r / p;
    return n;
}

/* Equation 13 at level 1: what is printed as N / w_1 = N. */
static double zahavi_eq13(const struct hd_shape *shape)
{
    uint32_t k = shape->m[0];
    double value = 2;
    for (uint32_t l = 1; l < shape->n; l++) value *= (double)k / shape->p[l];
    return value;
}

static void zahavi_misprints(const struct hd_paper_run *run, const struct zahavi_tree *t, const struct hd_shape *shape)
{
    uint32_t top = shape->n - 1;
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, t->endpoints, 0,
                          "equations 12 and 13 lose a factor: N is 2 K^h over the product of all p, and the products "
                          "of w p up to level l are K^(l-1), so 13 must read 2 K^(h-l+1); the proof goes on unharmed"),
                 zahavi_eq13(shape), "eq. 13 as printed, level 1", "tree of %u", t->endpoints);
    uint32_t cables = shape->m[top] * shape->w[top] * shape->p[top], printed = zahavi_cables_eq16(shape);
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, cables, 0,
                          printed == cables ? NULL
                                            : "floor(q / p) = floor(r / p) in eq. 16 must read floor(q / w) = "
                                              "floor(r / m), the rule of section IV.B"),
                 printed, "cables of a top subtree by eq. 16", "tree of %u", t->endpoints);
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
    zahavi_misprints(run, t, &net->shape);
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
        HD_TRY(hd_zahavi_hsd(run, t->spec, patterns[i], "natural", &result));
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
    for (uint32_t t = 0; t < ZAHAVI_TREES; t++) {
        HD_TRY(shape_rows(run, &hd_zahavi_trees[t]));
        HD_TRY(route_rows(run, &hd_zahavi_trees[t]));
    }
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

enum { ZAHAVI_SIXTEEN = 16 }; /* nodes of Figure 1 */

/* Links with more than one flow where rank i sends to i + 4, for ranks in this order. */
static uint32_t zahavi_hot_links(const struct hd_routes *r, const uint32_t *order)
{
    uint32_t flows[256] = {0}, chan[HD_MAX_HOPS], hot = 0; /* 96 channels */
    for (uint32_t i = 0; i < ZAHAVI_SIXTEEN; i++) {
        uint32_t hops = hd_routes_path(r, order[i], order[(i + 4) % ZAHAVI_SIXTEEN], 0, chan);
        for (uint32_t k = 0; k < hops; k++) hot += ++flows[chan[k]] == 2;
    }
    return hot;
}

/* The order drawn in Figure 1(a) is lost with the drawing; its three hot spots are a usual number. */
static void zahavi_hot_spots(const struct hd_paper_run *run, const struct hd_routes *r)
{
    enum { ORDERS = 10000 };
    uint32_t order[ZAHAVI_SIXTEEN], three = 0, all = 0;
    uint64_t state = hd_ctx_seed(run->ctx);
    for (uint32_t i = 0; i < ZAHAVI_SIXTEEN; i++) order[i] = i;
    for (uint32_t n = 0; n < ORDERS; n++) {
        for (uint32_t i = ZAHAVI_SIXTEEN; i > 1; i--) { /* Knuth's multiplier, upper bits */
            state = state * 6364136223846793005u + 1442695040888963407u;
            uint32_t k = (uint32_t)(state >> 33) % i, keep = order[i - 1];
            order[i - 1] = order[k];
            order[k] = keep;
        }
        uint32_t hot = zahavi_hot_links(r, order);
        three += hot == 3;
        all += hot;
    }
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 0, 0, NULL), (double)three / ORDERS, "share of orders with 3 hot spots",
                 "(a) random order, i to i + 4");
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), (double)all / ORDERS, "hot spots, mean",
                 "(a) random order, i to i + 4");
}

static hd_status run_fig1(struct hd_paper_run *run)
{
    static const char spec[] = "xgft:m=4x4,w=1x4";
    const struct hd_routes *r;
    struct hd_result result;
    struct zahavi_mean mean;
    uint32_t chan[HD_MAX_HOPS], as_drawn = 0;
    HD_TRY(hd_paper_routes(run, spec, "dmodk", &r));
    for (uint32_t d = 4; d < 16; d++) /* from node 0, on the leftmost switch: 4, 8 and 12 by the first link */
        as_drawn += hd_routes_path(r, 0, d, 0, chan) > 1 && up_port(hd_routes_net(r), chan[1]) == d % 4;
    hd_paper_put(run, hd_claim(HD_ROW_IS, 12, 0, NULL), as_drawn, "destinations on the link drawn", "leftmost switch");
    HD_TRY(hd_zahavi_hsd(run, spec, "shift", "natural", &result));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), result.max, "flows on a link, all shifts", "(b) routing order");
    HD_TRY(hd_zahavi_random(run, spec, "shift", 100, &mean));
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 1, 0, NULL), mean.value, "flows on the worst link", "(a) random order");
    HD_TRY(hd_paper_routes(run, spec, "dmodk", &r));
    zahavi_hot_spots(run, r);
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

/* Whether channel c, up from a switch, is where the rule has it: nodes a and b agree in all digits but that of the
 * level, l from 0, and cable k connects port b_l + k w with port a_l + k m. */
static bool zahavi_by_rule(const struct hd_net *net, uint32_t c)
{
    const struct hd_shape *t = &net->shape;
    const uint32_t l = net->level[net->tail[c]], q = up_port(net, c), r = net->port[net->rev[c]] - 1u;
    const uint16_t *a = net->coord + (size_t)net->tail[c] * t->n, *b = net->coord + (size_t)net->head[c] * t->n;
    bool rule = q % t->w[l] == b[l] && r == a[l] + q / t->w[l] * t->m[l];
    for (uint32_t i = 0; i < t->n; i++) rule = rule && (i == l || a[i] == b[i]);
    return rule;
}

static hd_status zahavi_run_fig5(struct hd_paper_run *run)
{
    static const char *const specs[] = {"pgft:m=4x4,w=1x2,p=1x2", "pgft:m=12x12,w=1x6,p=1x2",
                                        "pgft:m=18x18x6,w=1x18x6,p=1x1x3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const struct hd_net *net;
        uint32_t cables = 0, off = 0;
        HD_TRY(hd_paper_net(run, specs[i], &net));
        for (uint32_t c = 0; c < net->nchan; c++) {
            if (net->tail[c] >= net->nsw || net->level[net->head[c]] <= net->level[net->tail[c]]) continue;
            cables++;
            off += !zahavi_by_rule(net, c);
        }
        hd_paper_put(run, hd_claim(HD_ROW_IS, 0, 0, NULL), off, "cables off the rule", "%s", specs[i]);
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), cables, "cables between switches", "%s", specs[i]);
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

const struct hd_paper_item hd_zahavi2010[] = {
    HD_PAPER_ITEM(run_fig1, "fig1", "Figure 1", "sixteen nodes: a random order blocks, the routing's order does not",
                  "Four leaf and four spine switches. The random order drawn is not given: rows are means of a hundred "
                  "orders over all shifts, and of ten thousand for the shift drawn, destination = source + 4, where "
                  "the figure has three hot spots."),
    HD_PAPER_ITEM(hd_zahavi_fig2, "fig2", "Figure 2, sections II and VII",
                  "the adversarial ring, and bandwidth against the message size in both orders",
                  "Links of 4000 MB/s, hosts of 3250 MB/s: 18 flows on a link leave each 222 MB/s, 6.8 % of a host; "
                  "the paper's packet simulation gives 231.5 MB/s, 7.1 %. The curves are not given as numbers; "
                  "beside each share is that of the next smaller message, which it must not exceed. The paper's "
                  "measure is total bytes over time, its hosts progress independently; rows for reading have the mean "
                  "of the hosts' shares, and lock step. Of Shift the first 64 stages are simulated, of recursive "
                  "doubling (RecDbl) all; in random order its plain form, in the routing's order the tree-aware one, "
                  "whose full bandwidth is the time of its stages at the rate of a host. The conclusion's 40 % over "
                  "published measurements is the row on the gain: at every size it is more."),
    HD_PAPER_ITEM(hd_zahavi_fig3, "fig3", "Figure 3",
                  "hot-spot degree of six collectives against the size of the tree, random orders",
                  "Mean over 25 random orders of the mean over stages, and the error bars: the lowest and the highest "
                  "order. The figure's values are not in the text; what is said is that Ring, Shift and Butterfly "
                  "grow exponentially. They grow; an exponential in the number of nodes is tested by its fit against "
                  "that of a logarithm. Butterfly has two stages more where the number of nodes is no power of two, "
                  "so it falls from 128 to 324 nodes, and neither curve says much. 128 nodes are taken as FT(16,2)."),
    HD_PAPER_ITEM(zahavi_run_fig4, "fig4", "Figure 4",
                  "parallel cables halve the spines of a tree of sixteen nodes with 8-port switches",
                  "XGFT(2; 4,4; 1,4) needs four spines that use half their ports, PGFT(2; 4,4; 1,2; 1,2) two that "
                  "use all of them."),
    HD_PAPER_ITEM(
        zahavi_run_fig5, "fig5", "Figure 5 and section IV.B", "ports of a PGFT: which of them a cable connects",
        "Two nodes of adjacent levels are connected if their digits agree but for that of the level, and cable "
        "k connects port b + k w of the lower one with port a + k m of the upper one, where a and b are their "
        "digits there."),
    HD_PAPER_ITEM(zahavi_run_fig6, "fig6", "Figure 6", "an example of D-mod-K: up by j mod 4, then by (j / 4) mod 4",
                  "XGFT(3; 4,4,4; 1,4,4): the path from the last node to node j = 9 goes up by port 1, then by port "
                  "2."),
    HD_PAPER_ITEM(hd_zahavi_table1, "table1", "Table 1",
                  "18 algorithms of MVAPICH and Open MPI are made of 8 permutation sequences",
                  "Each algorithm by its name here, on 1024 nodes: as many stages as its sequences have, and in a "
                  "random order the hot-spot degrees of its sequences. Where a cell marks several sequences as "
                  "alternatives, the row takes the one for large messages; of Barrier it takes Tournament, whose marks "
                  "the text has lost. Binomial counts once for both directions, as in Table 2."),
    HD_PAPER_ITEM(hd_zahavi_table2, "table2", "sections II and III and Table 2",
                  "the collective permutation sequences: stages, displacements, directions",
                  "How many stages a sequence of N ranks has: N-1 of Shift, one of Ring, as many as there are s "
                  "with 2^s < N of Binomial, floor(log2 N) of recursive doubling and two more where N is no power "
                  "of two. And the observations of section III on the definitions as printed: in a stage all pairs "
                  "have the same displacement (of two-way sequences up to direction), and two-way ones hold the "
                  "reverse of every pair."),
    HD_PAPER_ITEM(run_theorems, "theorems", "sections IV to VI and appendix",
                  "no hot spot in any stage, one destination to a down port, on all four RLFTs",
                  "Theorems 1 to 3 with ranks in tree order and D-mod-K: every stage of Shift, of the other one-way "
                  "sequences and of tree-aware recursive doubling has hot-spot degree 1, and every port that leads "
                  "down carries one destination. The paper leaves open which of several parallel cables leads down; "
                  "cable (j / W) mod p does it, always the first fails. The four printed tuples, and equations 7, 13 "
                  "and 16, need correction. The printed tuple of 1728 nodes is no RLFT, yet it is what Table 3 was "
                  "computed on."),
    HD_PAPER_ITEM(hd_zahavi_partial, "partial", "sections V.B and VI",
                  "jobs on part of an RLFT: which sets of nodes keep Shift free of hot spots",
                  "Section V.B asks for destinations \"contiguous modulo\" the products of w. So it is: what is left "
                  "of a tree without any run of whole periods, at any offset, or without two such runs, has hot-spot "
                  "degree 1 with the tables of the full tree. A period is the least common multiple over the levels "
                  "of W_l w_{l+1} p_{l+1}: 12, 18, 144 and 324 on the four trees; half a period is not enough. Every "
                  "offset is tried on two levels; on three every 97th, and with --full all for the first row on runs. "
                  "The section then claims the same for any set of nodes whose size is a multiple of the product of "
                  "all w; that holds for tables whose numbers are those of the nodes that take part, and a multiple "
                  "of the period. Rows on sets give the worst of several random ones."),
    HD_PAPER_ITEM(hd_zahavi_table3, "table3", "Table 3",
                  "average hot-spot degree under random rank orders, Shift and recursive doubling",
                  "Four RLFTs, all nodes and a part of them (the contiguous first ones: whole subtrees), ranks in "
                  "random order, routes by D-mod-K. All readings are rows. Shift on the corrected tuples "
                  "(zahavi2010-theorems) and on the printed ones: 144 and 324 nodes are the corrected trees, 1728 is "
                  "the printed one (the corrected tree is within the tolerance, but many standard deviations of an "
                  "order off), 1944 fits both. Recursive doubling in the tree-aware form with the random "
                  "order put into its places (recdbl-tree) and in the plain form with a stage before and after "
                  "(recdbl): which one was counted is not stated. Tolerances: 4 % for Shift, 5 % for recursive "
                  "doubling, whose average over a dozen stages differs by as much from one random order to the "
                  "next."),
    {.run = NULL}};
