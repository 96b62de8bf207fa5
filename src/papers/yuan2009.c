/* SPDX-License-Identifier: BSD-2-Clause */
/* Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with uncertain
 * traffic demands.
 *
 * Table 1 gives formulas; each is held against the exact ratio (a maximum matching on every channel) for
 * several sizes. Of Figures 10 and 11 only what the text says of them is known. Properties and lemmas are counted out
 * on small trees and sets: Properties 1 to 5 from the cables alone, MLID against the definition in its own paper. */
#include "papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAPER "yuan2009"
#define NUMBER "003"
#define CITE                                                                                                           \
    "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with uncertain traffic "  \
    "demands"

static hd_status oblivious(struct hd_paper_run *run, uint32_t m, uint32_t n, const char *table, double *value)
{
    char net[32];
    struct hd_request q = {.metric = "oblivious"};
    struct hd_result r;
    snprintf(net, sizeof net, "ft:m=%u,n=%u", m, n);
    HD_TRY(hd_paper_eval(run, net, table, &q, &r));
    *value = r.value;
    return HD_OK;
}

/* ---- Table 1 -------------------------------------------------------------------------------- */

enum { FORMULAS = 4 };

static double one(double half)
{
    (void)half;
    return 1;
}

static double half_of(double half)
{
    return half;
}

static double all_but_one(double half)
{
    return 2 * half - 1;
}

static const struct {
    uint32_t levels;
    const char *table[FORMULAS];
    double (*ratio[FORMULAS])(double half); /* of m/2 */
    uint32_t m[5], large[5];                /* large: with --full only */
} table1[] = {
    {2, {"omrmn", "osrm2", "mlid", "wsr"}, {one, sqrt, half_of, half_of}, {2, 8, 18, 32}, {50}},
    {3, {"omrmn", "osrm3", "mlid", "wsr"}, {one, half_of, all_but_one, all_but_one}, {4, 6, 8, 10, 12}, {14, 16}},
};

static hd_status table1_rows(struct hd_paper_run *run, uint32_t m, size_t i)
{
    for (int t = 0; t < FORMULAS; t++) {
        double value;
        const char *table = table1[i].table[t];
        HD_TRY(oblivious(run, m, table1[i].levels, table, &value));
        hd_paper_put(run, hd_claim(HD_ROW_IS, table1[i].ratio[t](m / 2.0), 0, NULL), value, "oblivious ratio",
                     "FT(%u,%u) %s", m, table1[i].levels, table);
    }
    return HD_OK;
}

/* The printed OSRM2 on m/2 that is no square: its largest top switch, and the ratio of the corrected one. */
static hd_status overflow_rows(struct hd_paper_run *run, uint32_t m)
{
    uint32_t half = m / 2, zd = (uint32_t)sqrt(half), zs = zd + 1, ns = (half + zs - 1) / zs, nd = (half + zd - 1) / zd;
    double value;
    hd_paper_put(run,
                 hd_claim(HD_ROW_AT_MOST, half - 1, 0,
                          "the index s1/Ns Nd + d1/Nd of Figure 8 leaves the network wherever m/2 is no square; "
                          "s1/Ns Zd + d1/Nd with fewer source groups does not"),
                 (half - 1) / ns * nd + (half - 1) / nd, "largest number of a top switch", "FT(%u,2) OSRM2 as printed",
                 m);
    HD_TRY(oblivious(run, m, 2, "osrm2:balance=none", &value));
    hd_paper_put(run,
                 hd_claim(HD_ROW_IS, sqrt(half), 0,
                          "a ratio of single paths is whole, sqrt(m/2) is not; the corrected OSRM2 has "
                          "ceil((m/2) / floor(sqrt(m/2))), which exceeds sqrt(m/2) rounded up where m/2 is 7 or 8; "
                          "osrm2 with covers reaches that there (own-covers)"),
                 value, "oblivious ratio", "FT(%u,2) osrm2:balance=none", m);
    hd_paper_put(run, hd_claim(HD_ROW_IS, nd, 0, NULL), value, "oblivious ratio, corrected form",
                 "FT(%u,2) osrm2:balance=none", m);
    return HD_OK;
}

static hd_status yuan_run_table1(struct hd_paper_run *run)
{
    for (size_t i = 0; i < sizeof table1 / sizeof *table1; i++) {
        for (int k = 0; k < 5 && table1[i].m[k]; k++) HD_TRY(table1_rows(run, table1[i].m[k], i));
        for (int k = 0; run->full && k < 5 && table1[i].large[k]; k++) HD_TRY(table1_rows(run, table1[i].large[k], i));
    }
    for (uint32_t m = 12; m <= 24; m += 4) HD_TRY(overflow_rows(run, m));
    return HD_OK;
}

/* ---- lower bounds --------------------------------------------------------------------------- */

static hd_status bound_row(struct hd_paper_run *run, uint32_t m, uint32_t n, const char *table, double bound,
                           const char *lemma)
{
    char quantity[64];
    double value;
    HD_TRY(oblivious(run, m, n, table, &value));
    snprintf(quantity, sizeof quantity, "oblivious ratio, %s", lemma);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, bound, 0, NULL), value, quantity, "FT(%u,%u) %s", m, n, table);
    return HD_OK;
}

static hd_status yuan_run_bounds(struct hd_paper_run *run)
{
    static const char *const tables[] = {"dmodk", "smodk", "minhop", "updown", "ftree", "random"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) HD_TRY(bound_row(run, 8, 2, tables[i], 2, "Lemma 10"));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) HD_TRY(bound_row(run, 8, 3, tables[i], 4, "Lemma 11"));
    for (uint32_t n = 4; n <= 7; n++) {
        HD_TRY(bound_row(run, 4, n, "dmodk", pow(2, (n - 1) / 3), "Lemma 12"));
        HD_TRY(bound_row(run, 4, n, "dmodk", pow(2, (2 * n / 3) / 2.0), "Lemma 9 at level 2n/3"));
    }
    return HD_OK;
}

/* ---- Properties 1 to 5 ----------------------------------------------------------------------- */

enum { MOST_NODES = 128 };

/* Shortest paths between all nodes of a small tree: length and number. */
struct yuan_paths {
    uint8_t length[MOST_NODES][MOST_NODES];
    uint16_t number[MOST_NODES][MOST_NODES];
};

static void count_paths(const struct hd_net *net, struct yuan_paths *p)
{
    uint32_t nodes = net->nsw + net->nep, queue[MOST_NODES];
    for (uint32_t s = 0; s < nodes; s++) {
        uint32_t end = 0;
        memset(p->length[s], 0xff, nodes);
        memset(p->number[s], 0, nodes * sizeof *p->number[s]);
        p->length[s][s] = 0;
        p->number[s][s] = 1;
        queue[end++] = s;
        for (uint32_t i = 0; i < end; i++)
            for (uint32_t u = queue[i], c = net->off[u]; c < net->off[u + 1]; c++) {
                uint32_t v = net->head[c];
                if (p->length[s][v] == 0xff) {
                    p->length[s][v] = (uint8_t)(p->length[s][u] + 1);
                    queue[end++] = v;
                }
                if (p->length[s][v] == p->length[s][u] + 1) p->number[s][v] += p->number[s][u];
            }
    }
}

/* Connected parts of the nodes on levels low .. high; part[v] is UINT32_MAX for the others. */
static uint32_t yuan_parts(const struct hd_net *net, uint32_t low, uint32_t high, uint32_t part[MOST_NODES])
{
    uint32_t nodes = net->nsw + net->nep, parts = 0, queue[MOST_NODES];
    memset(part, 0xff, MOST_NODES * sizeof *part);
    for (uint32_t s = 0; s < nodes; s++) {
        if (part[s] != UINT32_MAX || net->level[s] < low || net->level[s] > high) continue;
        uint32_t end = 0;
        part[s] = parts;
        queue[end++] = s;
        for (uint32_t i = 0; i < end; i++)
            for (uint32_t c = net->off[queue[i]]; c < net->off[queue[i] + 1]; c++) {
                uint32_t v = net->head[c];
                if (part[v] != UINT32_MAX || net->level[v] < low || net->level[v] > high) continue;
                part[v] = parts;
                queue[end++] = v;
            }
        parts++;
    }
    return parts;
}

/* Property 2: through the levels above, an up-link port of a SUBFT meets one port of every other one and none of its
 * own. Parts of the upper levels with one cable from every subtree. */
static uint32_t yuan_ports(const struct hd_net *net, uint32_t level, uint32_t subtrees,
                           const uint32_t below[MOST_NODES])
{
    uint32_t above[MOST_NODES], parts = yuan_parts(net, level + 1, 255, above), good = 0;
    for (uint32_t t = 0; t < parts; t++) {
        uint32_t cables[MOST_NODES] = {0}, once = 0;
        for (uint32_t c = 0; c < net->nchan; c++)
            if (below[net->tail[c]] != UINT32_MAX && above[net->head[c]] == t) cables[below[net->tail[c]]]++;
        for (uint32_t i = 0; i < subtrees; i++) once += cables[i] == 1;
        good += once == subtrees;
    }
    return good;
}

/* (m/2)^x is the number of shortest paths between two endpoints: x levels up. */
static uint32_t levels_up(uint32_t half, uint32_t n, uint32_t s, uint32_t d)
{
    uint32_t x = 0;
    for (s /= half, d /= half; s != d && x + 1 < n; s /= half, d /= half) x++;
    return x;
}

static uint32_t power(uint32_t base, uint32_t exponent)
{
    return exponent ? base * power(base, exponent - 1) : 1;
}

struct yuan_counts {
    uint32_t pairs, uses, good_pairs, good_uses;
    bool source[MOST_NODES]; /* of the channel counted last; its destinations if it goes down */
};

/* Properties 3 and 4 for the pairs that use channel c, and who they are. */
static void count_uses(const struct hd_net *net, const struct yuan_paths *p, uint32_t half, uint32_t c,
                       struct yuan_counts *k)
{
    uint32_t u = net->tail[c], v = net->head[c], low = net->level[u] < net->level[v] ? net->level[u] : net->level[v];
    memset(k->source, 0, sizeof k->source);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t a = net->nsw + s, b = net->nsw + d, x = levels_up(half, net->shape.n, s, d);
            if (s == d || p->length[a][u] + 1 + p->length[v][b] != p->length[a][b]) continue;
            k->uses++;
            k->good_uses += low <= x && (uint32_t)p->number[a][u] * p->number[v][b] == power(half, x - low);
            k->source[net->level[u] < net->level[v] ? s : d] = true;
        }
}

static void property_rows(const struct hd_paper_run *run, const struct hd_net *net, uint32_t half,
                          const struct yuan_paths *p)
{
    uint32_t n = net->shape.n, m = 2 * half, below[MOST_NODES], most[2][HD_MAX_DIM] = {{0}};
    struct yuan_counts k = {0};
    for (uint32_t l = n - 1; l > 0; l--) {
        uint32_t subtrees = yuan_parts(net, 0, l, below);
        hd_paper_put(run, hd_claim(HD_ROW_IS, m * power(half, n - 1 - l), 0, NULL), subtrees, "Property 1: subtrees",
                     "FT(%u,%u), SUBFT(%u,%u)", m, n, m, l);
        hd_paper_put(run, hd_claim(HD_ROW_IS, power(half, l), 0, NULL), yuan_ports(net, l, subtrees, below),
                     "Property 2: ports that meet one port of each", "FT(%u,%u), SUBFT(%u,%u)", m, n, m, l);
    }
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            k.pairs += s != d;
            k.good_pairs += s != d && p->number[net->nsw + s][net->nsw + d] == power(half, levels_up(half, n, s, d));
        }
    hd_paper_put(run, hd_claim(HD_ROW_IS, k.pairs, 0, NULL), k.good_pairs, "Property 3: pairs with (m/2)^x paths",
                 "FT(%u,%u)", m, n);
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t up = net->level[net->tail[c]] < net->level[net->head[c]], ends = 0;
        uint32_t low = net->level[up ? net->tail[c] : net->head[c]];
        count_uses(net, p, half, c, &k);
        for (uint32_t e = 0; e < net->nep; e++) ends += k.source[e];
        if (ends > most[up][low]) most[up][low] = ends;
    }
    hd_paper_put(run, hd_claim(HD_ROW_IS, k.uses, 0, NULL), k.good_uses,
                 "Property 4: uses of a link by (m/2)^(x-i) paths", "FT(%u,%u)", m, n);
    for (uint32_t low = 0; low < n; low++)
        for (int up = 1; up >= 0; up--)
            hd_paper_put(run, hd_claim(HD_ROW_IS, power(half, low), 0, NULL), most[up][low],
                         up ? "Property 5: most sources of an up link" : "Property 5: most destinations of a down link",
                         "FT(%u,%u), level %u", m, n, n - 1 - low);
}

static hd_status run_properties(struct hd_paper_run *run)
{
    static const uint32_t trees[][2] = {{4, 3}, {8, 2}, {6, 3}, {4, 4}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const struct hd_net *net;
        struct yuan_paths p;
        char spec[32];
        snprintf(spec, sizeof spec, "ft:m=%u,n=%u", trees[i][0], trees[i][1]);
        HD_TRY(hd_paper_net(run, spec, &net));
        count_paths(net, &p);
        property_rows(run, net, trees[i][0] / 2, &p);
    }
    return HD_OK;
}

/* ---- sets of pairs, Lemmas 1 to 8 ------------------------------------------------------------ */

enum { SIDE = 5, SETS = 1000 }; /* a set of pairs of 5 nodes is a mask: bit 5 s + d */

static bool yuan_augment(uint32_t set, uint32_t s, uint32_t *seen, int mate[SIDE])
{
    for (uint32_t d = 0; d < SIDE; d++) {
        if (!(set >> (SIDE * s + d) & 1) || *seen >> d & 1) continue;
        *seen |= 1u << d;
        if (mate[d] >= 0 && !yuan_augment(set, (uint32_t)mate[d], seen, mate)) continue;
        mate[d] = (int)s;
        return true;
    }
    return false;
}

/* L(A): size of a largest node disjoint subset. */
static uint32_t yuan_l(uint32_t set)
{
    int mate[SIDE] = {-1, -1, -1, -1, -1};
    uint32_t size = 0;
    for (uint32_t s = 0; s < SIDE; s++) {
        uint32_t seen = 0;
        size += yuan_augment(set, s, &seen, mate);
    }
    return size;
}

static uint32_t pairs_of(uint32_t node, bool as_source)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < SIDE; i++) set |= 1u << (as_source ? SIDE * node + i : SIDE * i + node);
    return set;
}

static uint32_t yuan_bits(uint32_t set)
{
    uint32_t n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

/* LS(A): most pairs of a source or of a destination. Nodes with more than `above` of them are taken from *rest. */
static uint32_t yuan_ls(uint32_t set, uint32_t above, uint32_t *rest, uint32_t *taken)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < 2 * SIDE; i++) {
        uint32_t mine = pairs_of(i % SIDE, i < SIDE), n = yuan_bits(set & mine);
        if (n > most) most = n;
        if (n <= above) continue;
        *rest &= ~mine;
        ++*taken;
    }
    return most;
}

static uint32_t next_set(uint64_t *state)
{
    uint64_t sets[3];
    for (int i = 0; i < 3; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sets[i] = *state >> 33;
    }
    return (uint32_t)(sets[0] & sets[1] & (sets[2] % 4 ? UINT32_MAX : (uint32_t)sets[2] >> 2)) & ((1u << 25) - 1);
}

static void lemma_rows(const struct hd_paper_run *run)
{
    static const char *const names[] = {
        "Lemma 1: sources and destinations >= L(A)", "Lemma 2: L(A) + L(B) >= L(A or B)",
        "Lemmas 3 and 4: L falls by the nodes with more than L(A) pairs", "Lemma 5: pairs <= L(A) LS(A)"};
    uint32_t held[4] = {0}, last = 0, applies = 0;
    uint64_t state = 1;
    for (uint32_t i = 0; i < SETS; i++) {
        uint32_t a = next_set(&state), l = yuan_l(a), rest = a, taken = 0, s = 0, d = 0;
        uint32_t ls = yuan_ls(a, l, &rest, &taken);
        for (uint32_t node = 0; node < SIDE; node++) {
            s += (a & pairs_of(node, true)) != 0;
            d += (a & pairs_of(node, false)) != 0;
        }
        held[0] += s >= l && d >= l;
        held[1] += l + yuan_l(last) >= yuan_l(a | last);
        held[2] += taken && yuan_l(rest) + taken == l;
        held[3] += yuan_bits(a) <= l * ls;
        applies += taken > 0;
        last = a;
    }
    for (int i = 0; i < 4; i++)
        hd_paper_put(run, hd_claim(HD_ROW_IS, i == 2 ? applies : SETS, 0, NULL), held[i], names[i],
                     i == 2 ? "random sets of pairs that have such nodes" : "%u random sets of pairs", SETS);
}

/* The example of section 3.1, its nodes 1 to 4 numbered from 0. */
static void example_rows(const struct hd_paper_run *run)
{
    static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 3}, {2, 0}};
    uint32_t a = 0, rest = 0, taken = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) a |= 1u << (SIDE * pairs[i][0] + pairs[i][1]);
    hd_paper_put(run, hd_claim(HD_ROW_IS, 3, 0, NULL), yuan_l(a), "L(A)", "A = (1,2) (1,3) (2,1) (2,4) (3,1)");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 2, 0, NULL), yuan_ls(a, SIDE, &rest, &taken), "LS(A)",
                 "A = (1,2) (1,3) (2,1) (2,4) (3,1)");
}

/* Most pairs through one root of EFT2(m,k). */
static uint32_t most_pairs(const struct hd_routes *r, const struct hd_net *net)
{
    uint32_t pairs[MOST_NODES] = {0}, most = 0, chan[HD_MAX_HOPS];
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++)
            if (s != d && hd_routes_path(r, s, d, hd_routes_variant(r, s, d), chan) == 4)
                if (++pairs[net->head[chan[1]]] > most) most = pairs[net->head[chan[1]]];
    return most;
}

/* EFT2(m,k) is T(m/2+m/2,k). */
static hd_status eft2_rows(struct hd_paper_run *run, uint32_t m, uint32_t k, const char *table)
{
    const struct hd_routes *r;
    const struct hd_net *net;
    struct hd_result disjoint, ratio;
    char spec[48];
    snprintf(spec, sizeof spec, "gft:n=%u,m=%u,r=%u", m / 2, m / 2, k);
    HD_TRY(hd_paper_eval(run, spec, table, &(struct hd_request){.metric = "worst"}, &disjoint));
    HD_TRY(hd_paper_eval(run, spec, table, &(struct hd_request){.metric = "oblivious"}, &ratio));
    HD_TRY(hd_paper_routes(run, spec, table, &r));
    HD_TRY(hd_paper_net(run, spec, &net));
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, disjoint.value, 0, NULL), ratio.value,
                 "Lemmas 6 and 7: ratio, at least the largest disjoint set", "EFT2(%u,%u) %s", m, k, table);
    hd_paper_put(run, hd_claim(HD_ROW_AT_MOST, k * (k - 1) * disjoint.value * disjoint.value, 0, NULL),
                 most_pairs(r, net), "Lemma 8: pairs through a root, at most k(k-1) X^2", "EFT2(%u,%u) %s", m, k,
                 table);
    return HD_OK;
}

static hd_status run_lemmas(struct hd_paper_run *run)
{
    static const char *const tables[] = {"osrm2", "dmodk", "smodk", "minhop", "random"};
    example_rows(run);
    lemma_rows(run);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        HD_TRY(eft2_rows(run, i ? 8 : 18, i ? 6 : 18, tables[i]));
    return HD_OK;
}

/* ---- MLID ------------------------------------------------------------------------------------ */

/* Lin, Chung, Huang: endpoint p has (m/2)^(n-1) LIDs from p (m/2)^(n-1) + 1 on. A source whose number agrees with the
 * destination's in its first a digits adds its rank among those that share a + 1 digits with it; a switch on the path
 * up, l levels above the leaves, takes up port ((LID - 1) / (m/2)^l) mod (m/2). */
static bool is_mlid_path(const struct hd_net *net, uint32_t half, uint32_t s, uint32_t d, const uint32_t *chan)
{
    uint32_t n = net->shape.n, x = levels_up(half, n, s, d), rank = s % power(half, x);
    uint32_t lid = d * power(half, n - 1) + rank + 1;
    for (uint32_t l = 0; l < x; l++)
        if (net->port[chan[l + 1]] != half + 1 + (lid - 1) / power(half, l) % half) return false;
    return true;
}

static hd_status mlid_rows(struct hd_paper_run *run, uint32_t m, uint32_t n)
{
    const struct hd_routes *r;
    const struct hd_net *net;
    uint32_t chan[HD_MAX_HOPS], pairs = 0, good = 0;
    char spec[32];
    snprintf(spec, sizeof spec, "ft:m=%u,n=%u", m, n);
    HD_TRY(hd_paper_routes(run, spec, "mlid", &r));
    HD_TRY(hd_paper_net(run, spec, &net));
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            if (s == d || hd_routes_path(r, s, d, hd_routes_variant(r, s, d), chan) == 0) continue;
            pairs++;
            good += is_mlid_path(net, m / 2, s, d, chan);
        }
    hd_paper_put(run, hd_claim(HD_ROW_IS, net->nep * (net->nep - 1), 0, NULL), pairs, "pairs served", "FT(%u,%u) mlid",
                 m, n);
    hd_paper_put(run, hd_claim(HD_ROW_IS, pairs, 0, NULL), good, "paths that are those of the definition",
                 "FT(%u,%u) mlid", m, n);
    hd_paper_put(run, hd_claim(HD_ROW_IS, power(m / 2, n - 1), 0, NULL), hd_routes_variants(r), "LIDs of an endpoint",
                 "FT(%u,%u) mlid", m, n);
    return HD_OK;
}

static hd_status run_mlid(struct hd_paper_run *run)
{
    static const uint32_t trees[][2] = {{4, 2}, {16, 2}, {4, 3}, {8, 3}, {4, 4}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) HD_TRY(mlid_rows(run, trees[i][0], trees[i][1]));
    return HD_OK;
}

/* ---- Figure 10 ------------------------------------------------------------------------------ */

/* Average performance ratio of uniform traffic of probability p. */
static hd_status uniform_ratio(struct hd_paper_run *run, const char *net, const char *table, double p, uint32_t samples,
                               struct hd_result *r)
{
    char pattern[32];
    struct hd_request q = {.pattern = pattern, .metric = "ratio", .samples = samples};
    snprintf(pattern, sizeof pattern, "uniform:p=%g", p);
    return hd_paper_eval(run, net, table, &q, r);
}

static hd_status fig10_rows(struct hd_paper_run *run, const char *net, const char *name, const char *const tables[3])
{
    static const double all[] = {0.1, 0.2, 0.3, 0.5, 0.7, 0.9}, few[] = {0.1, 0.3};
    const double *p = run->full ? all : few;
    size_t n = run->full ? 6 : 2;
    for (size_t t = 0; t < 3; t++) {
        double first = 0, last = 0, ci = 0;
        struct hd_result r;
        for (size_t i = 0; i < n; i++) {
            HD_TRY(uniform_ratio(run, net, tables[t], p[i], run->full ? 50 : 8, &r));
            if (i == 0) first = r.value;
            last = r.value;
            ci = fmax(ci, r.ci);
            hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0.05, NULL), r.value, "performance ratio: very close to 1",
                         "%s %s, p = %g", name, tables[t], p[i]);
        }
        hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 1, hd_paper_widen(run, 0, ci, 1), NULL), first / last,
                     "ratio sparse / dense: slightly more", "%s %s", name, tables[t]);
        HD_TRY(uniform_ratio(run, net, tables[t], 1, 1, &r));
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), r.value, "performance ratio: 1 when every pair sends",
                     "%s %s", name, tables[t]);
    }
    return HD_OK;
}

static hd_status run_fig10(struct hd_paper_run *run)
{
    HD_TRY(fig10_rows(run, "ft:m=16,n=3", "FT(16,3)", (const char *const[]){"osrm3", "mlid", "wsr"}));
    return fig10_rows(run, "ft:m=32,n=2", "FT(32,2)", (const char *const[]){"osrm2", "mlid", "wsr"});
}

/* ---- Figure 11 ------------------------------------------------------------------------------ */

static hd_status run_fig11(struct hd_paper_run *run)
{
    static const char *const tables[] = {"osrm2", "mlid", "wsr"};
    for (uint32_t size = 2; size <= 128; size *= 2) {
        char pattern[32];
        struct hd_request q = {.pattern = pattern, .metric = "ratio", .samples = 50};
        struct hd_result r[3];
        snprintf(pattern, sizeof pattern, "clustered:size=%u", size);
        for (int t = 0; t < 3; t++) {
            HD_TRY(hd_paper_eval(run, "ft:m=32,n=2", tables[t], &q, &r[t]));
            hd_paper_put(run, hd_claim(t ? HD_ROW_ABOVE : HD_ROW_AT_MOST, t == 0 || size == 2 ? 4 : NAN, 0, NULL),
                         t ? r[t].value : r[t].max, size == 2 && t ? "average performance ratio" : "performance ratio",
                         "FT(32,2) %s, groups of %u", tables[t], size);
        }
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), r[2].value / r[1].value, "ratio wsr / mlid",
                     "FT(32,2), groups of %u", size);
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, NULL), r[0].value / r[1].value, "ratio osrm2 / mlid",
                     "FT(32,2), groups of %u", size);
    }
    return HD_OK;
}

const struct hd_paper_item hd_yuan2009[] = {
    HD_PAPER_ITEM(yuan_run_table1, "table1", "Table 1 and Figure 8",
                  "oblivious performance ratios on FT(m,2) and FT(m,3)",
                  "Exact: the largest ratio over all traffic of a routing's load to that of the best routing. The "
                  "formulas of the table, for several m; then OSRM2 where m/2 is no square, which its printed form "
                  "does not serve. There sqrt(m/2) is a lower bound that, rounded up, is reached for m/2 = 6, 7, 8, "
                  "10, 12 and more (own-covers), but not by the grid for 7 and 8."),
    HD_PAPER_ITEM(yuan_run_bounds, "bounds", "section 3", "no single-path routing is below the lower bounds",
                  "Lemmas 10 to 12: sqrt(m/2) on FT(m,2), m/2 on FT(m,3), (m/2)^floor((n-1)/3) on FT(m,n). Lemma 9 "
                  "taken at the level floor(2n/3) gives (m/2)^(floor(2n/3)/2), which is more than Lemma 12 from n = "
                  "5."),
    HD_PAPER_ITEM(run_properties, "properties", "section 2.2", "Properties 1 to 5 of FT(m,n), counted on the cables",
                  "All shortest paths of four trees are counted, without a routing. x is how many levels a path goes "
                  "up, i the level of a link seen from the endpoints. FT(4,3) is the tree of Figure 3."),
    HD_PAPER_ITEM(run_lemmas, "lemmas", "section 3.1", "the example of L(A) and LS(A), and Lemmas 1 to 8",
                  "Lemmas 1 to 5 are about sets of pairs alone; they are proved in the paper and counted out here on "
                  "random sets among five nodes. Lemmas 6 to 8 are about EFT2(m,k), which is T(m/2+m/2,k). The proof "
                  "of Lemma 6 gives each of |A| <= k pairs a root of its own, but there are m/2 roots; the lemma "
                  "holds nevertheless, as m/2 roots route every permutation (Clos)."),
    HD_PAPER_ITEM(run_mlid, "mlid", "section 5", "MLID as Lin, Chung and Huang define it",
                  "The paper compares with MLID and refers to Lin, Chung, Huang: A multiple LID routing scheme for "
                  "fat-tree-based InfiniBand networks. Their definition, as later work and a public simulator restate "
                  "it: endpoint p has (m/2)^(n-1) LIDs; the source adds to the first of them its rank in the largest "
                  "subtree that it does not share with the destination; a switch l levels above the leaves sends a "
                  "LID up by port ((LID - 1) / (m/2)^l) mod (m/2). Every path of the engine mlid is followed port by "
                  "port."),
    HD_PAPER_ITEM(run_fig10, "fig10", "Figure 10",
                  "uniform random traffic on FT(16,3) and FT(32,2): all single-path routings are near the optimum",
                  "Mean over random instances (50 with --full, as in the paper). \"Very close to 1\" is taken as 5 %. "
                  "The paper shows FT(16,3), without values on its axis, and says that FT(32,2) is very similar; the "
                  "probabilities are ours. All routings are said to be optimal when every pair sends one unit."),
    HD_PAPER_ITEM(run_fig11, "fig11", "Figure 11",
                  "all-to-all in random groups on FT(32,2): OSRM2 keeps its bound and is ahead",
                  "Mean over 50 random instances, as in the paper; for OSRM2 the largest of them, to which its "
                  "guarantee of 4 refers. With groups of two MLID and WSR average above 4; WSR is exactly MLID on "
                  "such traffic."),
    {.run = NULL}};
