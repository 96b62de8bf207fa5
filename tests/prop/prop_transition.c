/* SPDX-License-Identifier: BSD-2-Clause */
/* Mixtures of two tables by brute force. Small random networks get two random tables of many kinds (trees, shortest
 * paths, up/down, a few changed entries, holes, VLs by destination, leaf or pair, several LIDs). Some endpoints are
 * storage, which is not selected by default and counts in proofs like any other, or aggregation nodes, whose packets
 * count as far as they can be proved. For every destination all mixtures of old and new entries are made and every
 * source is followed in every one of them: that gives loops, drops, and the dependencies that any mixture has. The
 * library must count the same, and what it calls safe must have no cycle in any random mixture of the whole table
 * either. The walks share nothing with the library but the arrays of the network and the entries.
 *
 * The same for packets that switches drop by their service level (VL 15), known or not: every walk over old and new
 * entries is followed with every choice of old and new SL2VL tables.
 *
 * Also the theorem behind ordered updates: if both tables are loop-free, writing entries in the order of the new
 * distance, nearest first, has no loop and no drop at any moment; nor has writing them by decreasing old distance.
 *
 * Case i is drawn from stream i. HEDDLE_TRANSITIONS is the number of cases (default 1,000), HEDDLE_TRANSITION_FIRST the
 * first; HEDDLE_MIXTURES that of random mixtures of a larger table (default 200; 100,000 in make soak). */
#include "testing.h"
#include "tiny.h"

#include "base/rng.h"
#include "route/check/mixture.h"
#include "route/core/sl2vl.h"

#include <stdio.h>

enum { MOST_SWITCHES = 8, MOST_CHANNELS = 128, MOST_VLS = 3 };

static struct {
    uint64_t cases, safe, loops, drops, credit, several, storage, apart, mixtures, verdict[4], steps;
} total;

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- random networks and tables ---------------------------------------------------------------------- */

static struct hd_net *random_net(struct hd_rng *rng)
{
    uint32_t n = 3 + hd_rng_below(rng, MOST_SWITCHES - 3), extra = hd_rng_below(rng, 5);
    char hosts[64] = "", cables[256] = "";
    bool ring = hd_rng_below(rng, 3) == 0;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t number = v < 2 ? 1 : hd_rng_below(rng, 3), role = hd_rng_below(rng, 8);
        sprintf(hosts + strlen(hosts), "%u%s ", number, role > 2 ? "" : role == 2 ? "a" : "s");
    }
    for (uint32_t v = 1; v < n; v++) sprintf(cables + strlen(cables), "%u-%u ", ring ? v - 1 : hd_rng_below(rng, v), v);
    if (ring) sprintf(cables + strlen(cables), "%u-0 ", n - 1);
    for (uint32_t i = 0; i < extra; i++) {
        uint32_t a = hd_rng_below(rng, n), b = hd_rng_below(rng, n);
        if (a != b) sprintf(cables + strlen(cables), "%u-%u ", a, b);
    }
    hosts[strlen(hosts) - 1] = cables[strlen(cables) - 1] = 0;
    return tiny(hosts, cables);
}

enum kind { TREE, SHORTEST, UPDOWN, KINDS };

/* Switches join in random order, or by distance; each new one leads to any that has joined. */
static void random_row(struct hd_rng *rng, const struct hd_net *net, uint32_t d, enum kind kind, const uint32_t *place,
                       uint8_t *row)
{
    uint32_t home = hd_leaf(net, d), n = 1, round[MOST_SWITCHES] = {0};
    bool in[MOST_SWITCHES] = {false}, down[MOST_SWITCHES] = {false};
    memset(row, HD_SLOT_NONE, net->nsw);
    for (uint32_t c = net->off[home]; c < net->off[home + 1]; c++)
        if (net->head[c] == net->nsw + d) row[home] = (uint8_t)(c - net->off[home]);
    in[home] = down[home] = true;
    /* Up/down: first all that reach the destination downwards, then the others, upwards only. */
    for (uint32_t phase = 0; phase < 2; phase++)
        for (uint32_t r = 1; n < net->nsw && r < 2 * MOST_SWITCHES; r++) {
            uint32_t start = hd_rng_below(rng, net->nchan);
            for (uint32_t i = 0; i < net->nchan; i++) {
                uint32_t c = (start + i) % net->nchan, v = net->tail[c], u = net->head[c];
                if (v >= net->nsw || u >= net->nsw || in[v] || !in[u]) continue;
                if (kind == TREE && hd_rng_below(rng, 3)) continue;
                if (kind == SHORTEST && round[u] != r - 1) continue;
                if (kind == UPDOWN && (phase ? place[u] > place[v] : place[u] < place[v] || !down[u])) continue;
                row[v] = (uint8_t)(c - net->off[v]);
                in[v] = true;
                down[v] = phase == 0;
                round[v] = r;
                n++;
            }
        }
}

static void random_vls(struct hd_rng *rng, struct hd_routes *r, const struct hd_routes *like)
{
    size_t nep = r->net->nep, n = 0;
    uint8_t *lane = NULL;
    enum hd_lane_rule rules[] = {HD_LANE_ONE, HD_LANE_ONE, HD_LANE_ONE, HD_LANE_DEST, HD_LANE_LEAF, HD_LANE_PAIR};
    r->lane_rule = like ? like->lane_rule : rules[hd_rng_below(rng, 6)];
    r->nlanes = r->lane_rule == HD_LANE_ONE ? 1 : like ? like->nlanes : 2 + hd_rng_below(rng, MOST_VLS - 1);
    if (r->lane_rule == HD_LANE_DEST) n = nep * r->nvar;
    if (r->lane_rule == HD_LANE_LEAF) n = r->nleaf * nep * r->nvar;
    if (r->lane_rule == HD_LANE_PAIR) n = nep * nep * r->nvar;
    if (!n) return;
    lane = hd_alloc(&r->arena, n, 1);
    assert_non_null(lane);
    for (size_t i = 0; i < n; i++) lane[i] = (uint8_t)hd_rng_below(rng, r->nlanes);
    *(r->lane_rule == HD_LANE_DEST   ? &r->dest_lane
      : r->lane_rule == HD_LANE_LEAF ? &r->leaf_lane
                                     : &r->pair_lane) = lane;
    const uint8_t *old = !like                          ? NULL
                         : r->lane_rule == HD_LANE_DEST ? like->dest_lane
                         : r->lane_rule == HD_LANE_LEAF ? like->leaf_lane
                                                        : like->pair_lane;
    if (old && hd_rng_below(rng, 3)) memcpy(lane, old, n);
}

static void random_select(struct hd_rng *rng, struct hd_routes *r)
{
    if (r->nvar == 1) return;
    r->select = hd_rng_below(rng, 2) ? HD_SELECT_ALL : HD_SELECT_SOURCE;
    r->source_class = hd_alloc(&r->arena, r->net->nep, sizeof *r->source_class);
    assert_non_null(r->source_class);
    for (uint32_t e = 0; e < r->net->nep; e++) r->source_class[e] = (uint16_t)hd_rng_below(rng, r->nvar);
}

static struct hd_routes *random_table(struct hd_rng *rng, const struct hd_net *net, uint32_t nvar, enum kind kind,
                                      const uint32_t *place, const struct hd_routes *old)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    uint32_t keep = old ? hd_rng_below(rng, 4) : 0, holes = hd_rng_below(rng, 4);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, nvar, &r), HD_OK);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < nvar; x++) {
            uint8_t *row = hd_row(r, d, x);
            random_row(rng, net, d, kind, place, row);
            if (keep && hd_rng_below(rng, keep + 1)) memcpy(row, hd_row((struct hd_routes *)old, d, x), net->nsw);
            if (!holes && !hd_rng_below(rng, 3)) row[hd_rng_below(rng, net->nsw)] = HD_SLOT_NONE;
        }
    random_vls(rng, r, old && hd_rng_below(rng, 2) ? old : NULL);
    random_select(rng, r);
    return r;
}

/* ---- by brute force ------------------------------------------------------------------------------------- */

struct brute {
    uint64_t loops, drops;
    uint32_t credit_loops;
    bool apart;   /* aggregation nodes count nearby, and without dependencies */
    bool no_deps; /* are asked for */
    bool dep[MOST_VLS][MOST_CHANNELS][MOST_CHANNELS];
};

static bool is_node(const struct hd_net *net, uint32_t e)
{
    return net->ca_role[net->ca[e]] == HD_ROLE_AGGREGATION;
}

static bool has_nodes(const struct hd_net *net)
{
    bool any = false;
    for (uint32_t e = 0; e < net->nep; e++) any |= is_node(net, e);
    return any;
}

/* Whether they are at one switch or at two that a cable connects. */
static bool is_near(const struct hd_net *net, uint32_t s, uint32_t d)
{
    uint32_t v = hd_leaf(net, s), u = hd_leaf(net, d);
    bool near = v == u;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) near |= net->head[c] == u;
    return near;
}

static bool uses(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    return r->select != HD_SELECT_SOURCE || hd_routes_variant(r, s, d) == x;
}

/* Follows a row; returns the number of channels after the source's own, 0: dropped, UINT32_MAX: a loop. */
static uint32_t follow(const struct hd_net *net, const uint8_t *row, uint32_t s, uint32_t d, uint32_t *chan)
{
    uint32_t v = hd_leaf(net, s), n = 0;
    while (v != net->nsw + d) {
        if (v >= net->nsw || row[v] >= hd_degree(net, v)) return 0;
        if (n == net->nsw) return UINT32_MAX;
        chan[n++] = net->off[v] + row[v];
        v = net->head[chan[n - 1]];
    }
    return n;
}

static void add_dependencies(const struct hd_mix *mix, struct brute *b, uint32_t s, uint32_t d, uint32_t x,
                             const uint32_t *chan, uint32_t n)
{
    for (int i = 0; i < 2 && mix->vl[i]; i++) {
        if (!uses(mix->vl[i], s, d, x)) continue;
        uint32_t lane = hd_routes_lane(mix->vl[i], s, d, x);
        for (uint32_t k = 0; k + 1 < n; k++) b->dep[lane][chan[k]][chan[k + 1]] = true;
    }
}

/* Channels taken before a drop are dependencies too. */
static uint32_t walked(const struct hd_net *net, const uint8_t *row, uint32_t s, uint32_t *chan)
{
    uint32_t v = hd_leaf(net, s), n = 0;
    while (v < net->nsw && row[v] < hd_degree(net, v)) {
        chan[n++] = net->off[v] + row[v];
        v = net->head[chan[n - 1]];
    }
    return n;
}

/* Whether the old table delivers packets by this row; or the pair comes to it from another one, by which it does. */
static bool served(const struct hd_mix *mix, uint32_t s, uint32_t d, uint32_t x)
{
    const struct hd_routes *before = mix->vl[1] ? mix->vl[0] : mix->from;
    bool arrives = false, moves = false;
    for (uint32_t y = 0; y < mix->from->nvar; y++) {
        uint32_t chan[MOST_SWITCHES + 1];
        uint32_t n = follow(mix->from->net, hd_routes_row(mix->from, d, y, NULL), s, d, chan);
        bool here = n && n != UINT32_MAX;
        if (y == x && here) return true;
        arrives |= here && uses(before, s, d, y);
        for (int i = 0; i < 2 && mix->vl[i]; i++)
            moves |= uses(mix->vl[i], s, d, x) && uses(mix->vl[i], s, d, y) != uses(before, s, d, y);
    }
    return arrives && moves;
}

static void brute_row(const struct hd_mix *mix, uint32_t d, uint32_t x, struct brute *b)
{
    const struct hd_net *net = mix->from->net;
    const uint8_t *old = hd_routes_row(mix->from, d, x, NULL), *new = hd_routes_row(mix->to, d, x, NULL);
    uint32_t differ[MOST_SWITCHES], n = 0, chan[MOST_SWITCHES + 1];
    bool loops = false, near_loops = false, drops = false;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (old[v] != new[v]) differ[n++] = v;
    for (uint32_t pass = 0; pass < 2 && !(pass && loops); pass++) /* loops first: such rows have no dependencies */
        for (uint32_t set = 0; set < 1u << n; set++) {
            uint8_t row[MOST_SWITCHES];
            memcpy(row, old, net->nsw);
            for (uint32_t i = 0; i < n; i++)
                if (set >> i & 1) row[differ[i]] = new[differ[i]];
            for (uint32_t s = 0; s < net->nep; s++) {
                bool used = uses(mix->vl[0], s, d, x) || (mix->vl[1] && uses(mix->vl[1], s, d, x));
                bool pair = !b->apart || (!is_node(net, s) && !is_node(net, d));
                if (s == d || !used || (!pair && !is_near(net, s, d))) continue;
                uint32_t hops = follow(net, row, s, d, chan);
                loops |= pair && hops == UINT32_MAX;
                near_loops |= hops == UINT32_MAX;
                drops |= hops == 0 && served(mix, s, d, x);
                if (pass && pair && !b->no_deps) add_dependencies(mix, b, s, d, x, chan, walked(net, row, s, chan));
            }
            total.mixtures++;
        }
    b->loops += near_loops;
    b->drops += drops;
}

/* Transitive closure. */
static bool cyclic(bool dep[MOST_CHANNELS][MOST_CHANNELS], uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; dep[i][k] && j < n; j++) dep[i][j] |= dep[k][j];
    for (uint32_t i = 0; i < n; i++)
        if (dep[i][i]) return true;
    return false;
}

static struct brute brute_force(const struct hd_mix *mix, bool apart)
{
    static struct brute b;
    const struct hd_net *net = mix->from->net;
    memset(&b, 0, sizeof b);
    b.apart = apart;
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < mix->from->nvar && !(mix->idle && mix->idle[d]); x++) brute_row(mix, d, x, &b);
    for (uint32_t lane = 0; lane < MOST_VLS; lane++) b.credit_loops += cyclic(b.dep[lane], net->nchan);
    return b;
}

/* Pairs whose VL or LID differs. */
static uint64_t brute_vls(const struct hd_routes *old, const struct hd_routes *new)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < old->net->nep; s++)
        for (uint32_t d = 0; d < old->net->nep; d++) {
            bool differs = false;
            for (uint32_t x = 0; x < old->nvar && s != d; x++)
                differs |= uses(old, s, d, x) != uses(new, s, d, x) ||
                           (uses(old, s, d, x) && hd_routes_lane(old, s, d, x) != hd_routes_lane(new, s, d, x));
            n += differs;
        }
    return n;
}

/* ---- the cases ------------------------------------------------------------------------------------------ */

static void compare_mixtures(const struct hd_mix *mix, uint64_t seed, struct hd_mixture *m)
{
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_mix_prove(&ctx, mix, m), HD_OK);
    struct brute b = brute_force(mix, false);
    bool apart = has_nodes(mix->from->net) && b.loops + b.drops + b.credit_loops;
    if (apart) b = brute_force(mix, true);
    assert_int_equal(m->aggregation_covered, !apart);
    total.apart += apart && hd_mixture_safe(m);
    if (m->loops != b.loops || m->drops != b.drops || m->credit_loops != b.credit_loops)
        fail_msg("case %llu: loops %llu, drops %llu, credit loops %u; by brute force %llu, %llu, %u",
                 (unsigned long long)seed, (unsigned long long)m->loops, (unsigned long long)m->drops, m->credit_loops,
                 (unsigned long long)b.loops, (unsigned long long)b.drops, b.credit_loops);
}

static void shuffle_places(struct hd_rng *rng, uint32_t n, uint32_t *place)
{
    for (uint32_t v = 0; v < n; v++) {
        uint32_t k = hd_rng_below(rng, v + 1);
        place[v] = place[k];
        place[k] = v;
    }
}

/* Every step of a plan, by brute force. */
static void check_plan(const struct hd_routes *old, const struct hd_routes *new, uint64_t seed)
{
    struct hd_ctx ctx;
    struct hd_transition *t;
    bool idle[64] = {false};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_transition(&ctx, old, new, &t), HD_OK);
    total.verdict[t->verdict]++;
    for (uint32_t i = 0; i < t->ndrain; i++) idle[t->drain[i]] = true;
    const struct hd_routes *from = old;
    for (uint32_t i = 0; i < t->nsteps; i++) {
        struct hd_mix mix = {from, t->step[i], {t->old_levels ? old : new, t->old_levels ? new : NULL}, idle};
        struct brute b = brute_force(&mix, !t->aggregation_covered);
        if (b.loops + b.drops + b.credit_loops) fail_msg("case %llu: step %u is not safe", (unsigned long long)seed, i);
        from = t->step[i];
    }
    if (t->verdict != HD_UNPROVED && (t->direct->changed || t->direct->vls_changed)) assert_ptr_equal(from, new);
    assert_int_equal(t->verdict == HD_DRAIN, t->ndrain > 0);
    assert_true(t->verdict != HD_ANY_ORDER || t->nsteps <= 1);
    if (t->verdict == HD_ORDERED) total.steps += t->nsteps;
    hd_transition_free(t);
}

/* Two tables of a random network. */
struct pair {
    struct hd_net *net;
    struct hd_routes *old, *new;
};

static struct pair random_pair(uint64_t seed)
{
    struct hd_rng rng;
    uint32_t place[MOST_SWITCHES] = {0};
    hd_rng_init(&rng, 1, HD_RNG_TEST, seed);
    struct hd_net *net = random_net(&rng);
    uint32_t nvar = hd_rng_below(&rng, 6) ? 1 : 2;
    shuffle_places(&rng, net->nsw, place);
    enum kind one = (enum kind)hd_rng_below(&rng, KINDS), other = (enum kind)hd_rng_below(&rng, KINDS);
    struct hd_routes *old = random_table(&rng, net, nvar, one, place, NULL);
    struct hd_routes *new = random_table(&rng, net, nvar, hd_rng_below(&rng, 2) ? one : other, place, old);
    return (struct pair){net, old, new};
}

static void free_pair(struct pair *p)
{
    hd_routes_free(p->new);
    hd_routes_free(p->old);
    hd_net_free(p->net);
}

static void try_case(uint64_t seed)
{
    struct hd_ctx ctx;
    struct hd_mixture both, fresh, given;
    hd_ctx_init(&ctx);
    struct pair pair = random_pair(seed);
    const struct hd_routes *old = pair.old, *new = pair.new;
    compare_mixtures(&(struct hd_mix){old, new, {old, new}, NULL}, seed, &both);
    compare_mixtures(&(struct hd_mix){old, new, {new, NULL}, NULL}, seed, &fresh);
    assert_int_equal(hd_routes_mixture(&ctx, old, new, &given), HD_OK);
    bool fallback = !both.loops && !both.drops && both.credit_loops && !fresh.credit_loops;
    assert_int_equal(given.old_levels, !fallback);
    assert_int_equal(given.pairs, old->net->nep * (old->net->nep - 1));
    assert_int_equal(given.vls_changed, brute_vls(old, new));
    assert_int_equal(hd_mixture_safe(&given), hd_mixture_safe(&both) || fallback);
    total.cases++;
    total.safe += hd_mixture_safe(&both) && both.changed;
    total.loops += both.loops > 0;
    total.drops += both.drops > 0;
    total.credit += !both.loops && !both.drops && both.credit_loops;
    total.several += hd_mixture_safe(&both) && both.changed && old->nlanes + new->nlanes > 2;
    total.storage += old->net->nsel < old->net->nep;
    check_plan(old, new, seed);
    free_pair(&pair);
}

static void verdicts_agree_with_brute_force(void **state)
{
    uint64_t first = number_of("HEDDLE_TRANSITION_FIRST", 0), cases = number_of("HEDDLE_TRANSITIONS", 1000);
    (void)state;
    for (uint64_t i = first; i < first + cases; i++) try_case(i);
    print_message("%llu pairs of tables, %llu mixtures of rows: %llu safe (%llu with several VLs), %llu can loop, %llu "
                  "drop, %llu credit loops only; %llu with storage; %llu without packets of aggregation nodes\n",
                  (unsigned long long)total.cases, (unsigned long long)total.mixtures, (unsigned long long)total.safe,
                  (unsigned long long)total.several, (unsigned long long)total.loops, (unsigned long long)total.drops,
                  (unsigned long long)total.credit, (unsigned long long)total.storage, (unsigned long long)total.apart);
    print_message("any order %llu, ordered %llu in %llu steps, drain %llu, unproved %llu\n",
                  (unsigned long long)total.verdict[HD_ANY_ORDER], (unsigned long long)total.verdict[HD_ORDERED],
                  (unsigned long long)total.steps, (unsigned long long)total.verdict[HD_DRAIN],
                  (unsigned long long)total.verdict[HD_UNPROVED]);
    if (cases < 1000) return;
    assert_true(total.safe >= cases / 10 && total.several >= cases / 50);
    assert_true(total.loops >= cases / 10 && total.drops >= cases / 20 && total.credit >= cases / 50);
    assert_true(total.apart >= cases / 50);
    assert_true(total.verdict[HD_ORDERED] >= cases / 20 && total.storage >= cases / 2);
}

/* ---- packets that go to VL 15 --------------------------------------------------------------------------- */

/* Tables that drop some levels at random turns, for levels that are known, as VLs of pairs, or not. */
static void random_drops(struct hd_rng *rng, struct hd_routes *r, bool known)
{
    const struct hd_net *net = r->net;
    struct hd_ctx ctx;
    uint32_t often = 2 + hd_rng_below(rng, 6);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_sl2vl_make(&ctx, &r->arena, net, &r->sl2vl), HD_OK);
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t in = 0; in < hd_degree(net, v); in++)
            for (uint32_t out = 0; out < hd_degree(net, v); out++) {
                uint8_t lane[16] = {0};
                uint32_t kind = hd_rng_below(rng, often * 3), width = 16 >> hd_rng_below(rng, 4);
                if (kind > 2 && hd_rng_below(rng, 4)) continue; /* not known */
                for (uint32_t level = 0; kind < 3 && level < 16; level++)
                    if ((level / width + kind) & 1) lane[level] = HD_LANE_DROP;
                assert_int_equal(hd_sl2vl_set(&ctx, &r->arena, r->sl2vl, v, in, out, lane), HD_OK);
            }
    r->lane_rule = HD_LANE_UNKNOWN;
    r->nlanes = 0;
    if (!known) return;
    r->lane_rule = HD_LANE_HOP;
    r->nlanes = 1;
    r->leaf_lane = NULL;
    size_t pairs = (size_t)net->nep * net->nep * r->nvar;
    assert_non_null(r->pair_lane = hd_alloc(&r->arena, pairs, 1));
    for (size_t i = 0; i < pairs; i++) r->pair_lane[i] = (uint8_t)hd_rng_below(rng, 16);
}

static uint32_t passing(const struct hd_routes *r, uint32_t in, uint32_t out, uint32_t levels)
{
    for (uint32_t level = 0; level < 16; level++)
        if (hd_sl2vl_lane(r->sl2vl, in, out, level) == HD_LANE_DROP) levels &= ~(1u << level);
    return levels;
}

/* Levels with which packets arrive along a row by the tables of r. */
static uint32_t arriving(const struct hd_routes *r, const uint8_t *row, uint32_t s, uint32_t d, uint32_t x)
{
    const struct hd_net *net = r->net;
    uint32_t chan[MOST_SWITCHES + 1], n = follow(net, row, s, d, chan), in = net->off[net->nsw + s];
    uint32_t levels = r->lane_rule == HD_LANE_UNKNOWN ? 0xffff : 1u << hd_routes_lane(r, s, d, x);
    if (n == 0 || n == UINT32_MAX) return 0;
    for (uint32_t i = 0; i < n; in = chan[i++]) levels = passing(r, in, chan[i], levels);
    return levels;
}

/* Whether some walk behind a channel, along either entry and with either table of each switch, leaves no level. */
static bool loses(const struct hd_mix *mix, uint32_t d, uint32_t x, uint32_t in, uint32_t levels)
{
    const struct hd_net *net = mix->from->net;
    uint32_t v = net->head[in];
    if (!levels || v >= net->nsw) return !levels;
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t slot = hd_routes_row(i & 1 ? mix->from : mix->to, d, x, NULL)[v];
        uint32_t out = net->off[v] + slot;
        if (slot < hd_degree(net, v) && loses(mix, d, x, out, passing(mix->vl[i >> 1], in, out, levels))) return true;
    }
    return false;
}

static bool arrives_elsewhere(const struct hd_mix *mix, uint32_t s, uint32_t d, uint32_t x)
{
    const struct hd_routes *before = mix->vl[0];
    bool arrives = false, moves = false;
    for (uint32_t y = 0; y < before->nvar; y++) {
        const uint8_t *row = hd_routes_row(mix->from, d, y, NULL);
        arrives |= uses(before, s, d, y) && arriving(before, row, s, d, y);
        moves |= uses(mix->vl[1], s, d, x) && uses(mix->vl[1], s, d, y) != uses(before, s, d, y);
    }
    return arrives && moves;
}

static bool levels_drop(const struct hd_mix *mix, uint32_t s, uint32_t d, uint32_t x)
{
    const struct hd_net *net = mix->from->net;
    const uint8_t *row[2] = {hd_routes_row(mix->from, d, x, NULL), hd_routes_row(mix->to, d, x, NULL)};
    if (!uses(mix->vl[0], s, d, x) && !uses(mix->vl[1], s, d, x)) return false;
    if (!arriving(mix->vl[0], row[0], s, d, x) && !arrives_elsewhere(mix, s, d, x)) return false;
    for (int i = 0; i < 2; i++) {
        const struct hd_routes *r = mix->vl[i];
        uint32_t levels = arriving(r, row[i], s, d, x);
        if (!uses(r, s, d, x)) continue;
        if (i && !levels) return true;
        if (r->lane_rule != HD_LANE_UNKNOWN) levels = 1u << hd_routes_lane(r, s, d, x);
        if (levels && loses(mix, d, x, net->off[net->nsw + s], levels)) return true;
    }
    return false;
}

static void drops_agree_with_walks(void **state)
{
    uint64_t cases = number_of("HEDDLE_TRANSITIONS", 1000) / 2, compared = 0, drop = 0, safe = 0;
    (void)state;
    for (uint64_t i = 0; i < cases; i++) {
        struct hd_rng rng;
        struct hd_ctx ctx;
        struct hd_mixture m;
        struct pair pair = random_pair(i);
        const struct hd_mix mix = {pair.old, pair.new, {pair.old, pair.new}, NULL};
        uint64_t drops = 0;
        hd_ctx_init(&ctx);
        hd_rng_init(&rng, 4, HD_RNG_TEST, i);
        random_drops(&rng, pair.old, hd_rng_below(&rng, 3) == 0);
        random_drops(&rng, pair.new, hd_rng_below(&rng, 3) == 0);
        assert_int_equal(hd_mix_prove(&ctx, &mix, &m), HD_OK);
        for (uint32_t d = 0; !m.loops && d < pair.net->nep; d++)
            for (uint32_t x = 0; x < pair.old->nvar; x++) {
                static struct brute b;
                b = (struct brute){.no_deps = true, .apart = !m.aggregation_covered};
                brute_row(&mix, d, x, &b);
                bool any = b.drops > 0;
                for (uint32_t s = 0; s < pair.net->nep; s++) {
                    bool node = b.apart && (is_node(pair.net, s) || is_node(pair.net, d));
                    any |= s != d && (!node || is_near(pair.net, s, d)) && levels_drop(&mix, s, d, x);
                }
                drops += any;
            }
        if (!m.loops && m.drops != drops)
            fail_msg("case %llu: drops %llu; by walks %llu", (unsigned long long)i, (unsigned long long)m.drops,
                     (unsigned long long)drops);
        compared += !m.loops;
        drop += !m.loops && drops;
        safe += !m.loops && !drops && m.changed;
        free_pair(&pair);
    }
    print_message("%llu pairs of tables with VL 15 compared: %llu drop, %llu that differ do not\n",
                  (unsigned long long)compared, (unsigned long long)drop, (unsigned long long)safe);
    assert_true(cases < 500 || (drop >= cases / 10 && safe >= cases / 20));
}

/* ---- ordered by distance ------------------------------------------------------------------------------ */

/* Switches from v to the destination along a row without holes. */
static uint32_t distance(const struct hd_net *net, const uint8_t *row, uint32_t v, uint32_t d)
{
    uint32_t n = 0;
    for (; v != net->nsw + d; v = net->head[net->off[v] + row[v]]) assert_true(n++ < net->nsw);
    return n;
}

/* Writes the entries of switches at distance k, nearest first by the new row or farthest first by the old one. */
static void write_rank(const struct hd_net *net, const uint8_t *old, const uint8_t *new, uint32_t d, bool near,
                       uint32_t k, uint8_t *row)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t rank = near ? distance(net, new, v, d) : net->nsw - distance(net, old, v, d);
        if (rank == k) row[v] = new[v];
    }
}

static void try_ranks(const struct hd_routes *old, const struct hd_routes *new, bool near)
{
    const struct hd_net *net = old->net;
    struct hd_ctx ctx;
    struct hd_routes *at, *next;
    static struct brute b;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, 1, &at), HD_OK);
    assert_int_equal(hd_routes_make(&ctx, net, 1, &next), HD_OK);
    memset(&b, 0, sizeof b);
    for (uint32_t d = 0; d < net->nep; d++) {
        const uint8_t *was = hd_routes_row(old, d, 0, NULL), *is = hd_routes_row(new, d, 0, NULL);
        memcpy(hd_row(at, d, 0), was, net->nsw);
        memcpy(hd_row(next, d, 0), was, net->nsw);
        for (uint32_t k = 0; k <= net->nsw; k++) {
            write_rank(net, was, is, d, near, k, hd_row(next, d, 0));
            brute_row(&(struct hd_mix){at, next, {at, NULL}, NULL}, d, 0, &b);
            memcpy(hd_row(at, d, 0), hd_row(next, d, 0), net->nsw);
        }
        assert_memory_equal(hd_row(at, d, 0), is, net->nsw);
    }
    assert_int_equal(b.loops + b.drops, 0);
    hd_routes_free(next);
    hd_routes_free(at);
}

/* Two trees per destination that have nothing to do with each other; many of these pairs can loop in some order. */
static void nearest_first_cannot_loop(void **state)
{
    uint32_t place[MOST_SWITCHES] = {0}, can_loop = 0;
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        struct hd_rng rng;
        struct hd_ctx ctx;
        struct hd_routes *r[2];
        struct hd_mixture m;
        hd_ctx_init(&ctx);
        hd_rng_init(&rng, 2, HD_RNG_TEST, i);
        struct hd_net *net = random_net(&rng);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(hd_routes_make(&ctx, net, 1, &r[k]), HD_OK);
            for (uint32_t d = 0; d < net->nep; d++) {
                uint8_t *row = hd_row(r[k], d, 0);
                do random_row(&rng, net, d, TREE, place, row);
                while (memchr(row, HD_SLOT_NONE, net->nsw));
            }
        }
        assert_int_equal(hd_routes_mixture(&ctx, r[0], r[1], &m), HD_OK);
        can_loop += m.loops > 0;
        try_ranks(r[0], r[1], true);
        try_ranks(r[0], r[1], false);
        hd_routes_free(r[1]);
        hd_routes_free(r[0]);
        hd_net_free(net);
    }
    print_message("%u of 300 pairs of tables can loop in some order of writes\n", can_loop);
    assert_true(can_loop >= 100);
}

/* ---- larger tables ------------------------------------------------------------------------------------ */

static const struct {
    const char *net, *old, *new;
} larger[] = {{"ft:m=8,n=3", "minhop", "updown"},
              {"pgft:m=4x4x4,w=1x4x2,p=1x1x2", "dmodk", "random"},
              {"mesh:dims=5x4,hosts=1", "dor", "updown"},
              {"mesh:dims=4x4,hosts=2", "dor", "nue:maxlanes=1"},
              {"torus:dims=4x4,hosts=1", "dfsssp", "lash"},
              {"random:switches=16,ports=8,hosts=2,seed=3", "updown", "minhop"},
              {"random:switches=16,ports=8,hosts=2,seed=3", "updown", "dnup"}};

/* A random mixture: each entry, or each switch, old or new; every switch before or after a random point. */
static void mix_at_random(struct hd_rng *rng, const struct hd_routes *old, const struct hd_routes *new,
                          struct hd_routes *r)
{
    uint32_t kind = hd_rng_below(rng, 3), share = 1 + hd_rng_below(rng, 15);
    for (uint32_t d = 0; d < old->net->nep; d++) {
        uint8_t *row = hd_row(r, d, 0), room[2][512];
        const uint8_t *was = hd_routes_row(old, d, 0, room[0]), *is = hd_routes_row(new, d, 0, room[1]);
        bool all = hd_rng_below(rng, 16) < share;
        for (uint32_t v = 0; v < old->net->nsw; v++)
            row[v] = (kind == 0   ? hd_rng_below(rng, 16) < share
                      : kind == 1 ? (v * 7 + share) % 16 < share
                                  : all)
                         ? is[v]
                         : was[v];
    }
}

/* Samples mixtures of one step of a plan with the library's check of a single table. */
static uint64_t sample_mixtures(struct hd_rng *rng, const struct hd_routes *from, const struct hd_routes *to,
                                uint64_t n)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    struct hd_check k;
    uint64_t faulty = 0;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    assert_true(from->net->nsw <= 512 && from->nvar == 1);
    assert_int_equal(hd_routes_make(&ctx, from->net, 1, &r), HD_OK);
    for (uint64_t i = 0; i < n; i++) {
        const struct hd_routes *vl = hd_rng_below(rng, 2) ? from : to;
        mix_at_random(rng, from, to, r);
        r->lane_rule = vl->lane_rule;
        r->nlanes = vl->nlanes;
        r->dest_lane = vl->dest_lane;
        r->leaf_lane = vl->leaf_lane;
        r->pair_lane = vl->pair_lane;
        assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
        faulty += k.unreachable + k.loops || k.deadlock_free != 1;
    }
    hd_routes_free(r);
    return faulty;
}

static void no_sampled_mixture_contradicts(void **state)
{
    uint64_t n = number_of("HEDDLE_MIXTURES", 200), unsafe = 0, seen = 0;
    (void)state;
    for (size_t i = 0; i < sizeof larger / sizeof larger[0]; i++) {
        struct hd_ctx ctx;
        struct hd_rng rng;
        struct hd_transition *t;
        struct hd_net *net = make_net(larger[i].net);
        struct hd_routes *old = make_routes(net, larger[i].old), *new = make_routes(net, larger[i].new);
        const struct hd_routes *from = old;
        hd_ctx_init(&ctx);
        hd_rng_init(&rng, 3, HD_RNG_TEST, i);
        assert_int_equal(hd_routes_transition(&ctx, old, new, &t), HD_OK);
        for (uint32_t k = 0; k < t->nsteps && t->old_levels; k++) {
            if (sample_mixtures(&rng, from, t->step[k], n)) fail_msg("%s: step %u is not safe", larger[i].net, k);
            from = t->step[k];
        }
        if (!hd_mixture_safe(t->direct)) {
            unsafe++;
            seen += sample_mixtures(&rng, old, new, n) > 0;
        }
        hd_transition_free(t);
        hd_routes_free(new);
        hd_routes_free(old);
        hd_net_free(net);
    }
    print_message("of %llu transitions not safe in any order, %llu have a faulty mixture among those sampled\n",
                  (unsigned long long)unsafe, (unsigned long long)seen);
    assert_true(seen >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_agree_with_brute_force),
        cmocka_unit_test(drops_agree_with_walks),
        cmocka_unit_test(nearest_first_cannot_loop),
        cmocka_unit_test(no_sampled_mixture_contradicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
