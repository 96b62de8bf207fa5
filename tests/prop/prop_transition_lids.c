/* SPDX-License-Identifier: BSD-2-Clause */
/* Mixtures of two tables by brute force, for LIDs that no pair is routed by: further LIDs of endpoints (LMC) and those
 * of switches. Small random networks get two tables that an engine or a file might have given, with rows for further
 * LIDs that repeat a variant, are those of the other table, lead elsewhere, loop or are missing; with given rows
 * towards switches or none; with switches that send their own LID on. What switches hold is taken port by port from the
 * view that tables are written by; all mixtures of every LID are made and followed from every leaf switch. The library
 * must count the same, for the two tables and for every step of what it calls proved.
 *
 * Case i is drawn from stream i. HEDDLE_TRANSITIONS is the number of cases (default 1,000). */
#include "testing.h"
#include "tiny.h"

#include "base/rng.h"
#include "net/edit/net_with.h"
#include "route/check/mixture_rest.h"
#include "route/core/lid_view.h"
#include "route/core/switch_rows.h"

#include <stdio.h>

enum { MOST_SWITCHES = 6 };

static struct {
    uint64_t cases, further, cut, unchanged, own, verdict[4], steps, step_loops;
} total;

/* ---- random networks and tables ---------------------------------------------------------------------- */

/* Some switches have LIDs beyond the base LID, behind those of endpoints. */
static struct hd_net *switches_with_lmcs(struct hd_rng *rng, struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_net *out;
    uint16_t lid[64];
    uint8_t lmc[MOST_SWITCHES + 1] = {0};
    hd_ctx_init(&ctx);
    memcpy(lid, net->lid, (net->nsw + net->nep) * sizeof *lid);
    for (uint32_t v = 0; v < net->nsw; v++) {
        lid[v] = (uint16_t)(64 + 4 * v);
        lmc[v] = (uint8_t)(hd_rng_below(rng, 4) ? 0 : 1 + hd_rng_below(rng, 2));
    }
    const struct hd_net_changes changes = {.lid = lid, .lmc_of = net->lmc_of, .switch_lmc = lmc};
    assert_int_equal(hd_net_with(&ctx, net, &changes, &out), HD_OK);
    hd_net_free(net);
    return out;
}

static struct hd_net *random_net(struct hd_rng *rng)
{
    const uint32_t n = 3 + hd_rng_below(rng, MOST_SWITCHES - 2), extra = 1 + hd_rng_below(rng, 4);
    char hosts[64] = "", cables[256] = "";
    struct hd_ctx ctx;
    struct hd_net *net;
    hd_ctx_init(&ctx);
    for (uint32_t v = 0; v < n; v++) sprintf(hosts + strlen(hosts), "%u ", v < 2 ? 1 : hd_rng_below(rng, 2));
    for (uint32_t v = 1; v < n; v++) sprintf(cables + strlen(cables), "%u-%u ", hd_rng_below(rng, v), v);
    for (uint32_t i = 0; i < extra; i++) sprintf(cables + strlen(cables), "%u-%u ", i % n, (i + 1) % n);
    hosts[strlen(hosts) - 1] = cables[strlen(cables) - 1] = 0;
    struct hd_net *plain = tiny(hosts, cables);
    assert_int_equal(hd_net_lids(&ctx, plain, NULL, 1 + hd_rng_below(rng, 2), &net), HD_OK);
    hd_net_free(plain);
    return switches_with_lmcs(rng, net);
}

/* A tree towards switch `home`, or entries at random, which may loop or lead to endpoints. */
static void random_row(struct hd_rng *rng, const struct hd_net *net, uint32_t home, bool tree, uint8_t *row)
{
    bool in[MOST_SWITCHES + 1] = {false};
    memset(row, HD_SLOT_NONE, net->nsw);
    for (uint32_t v = 0; v < net->nsw && !tree; v++) row[v] = (uint8_t)hd_rng_below(rng, hd_degree(net, v) + 1);
    in[home] = true;
    for (uint32_t joined = 1; tree && joined < net->nsw;) {
        const uint32_t c = hd_rng_below(rng, net->nchan), v = net->tail[c], u = net->head[c];
        if (v >= net->nsw || u >= net->nsw || in[v] || !in[u]) continue;
        row[v] = (uint8_t)(c - net->off[v]);
        in[v] = true;
        joined++;
    }
}

static void random_endpoint_row(struct hd_rng *rng, const struct hd_net *net, uint32_t d, bool tree, uint8_t *row)
{
    const uint32_t home = hd_leaf(net, d);
    random_row(rng, net, home, tree, row);
    row[home] = (uint8_t)(net->rev[net->off[net->nsw + d]] - net->off[home]);
}

/* Rows for further LIDs, some of which are missing. */
static void random_further(struct hd_rng *rng, struct hd_routes *r, const struct hd_routes *like)
{
    const struct hd_net *net = r->net;
    const uint32_t most = net->nep << net->lmc;
    const uint32_t kinds = 1 + hd_rng_below(rng, 4); /* some tables repeat all */
    const bool whole = like && like->nfurther && hd_rng_below(rng, 4) == 0;
    r->further_dest = HD_NEW(&r->arena, uint32_t, most);
    r->further_lid = HD_NEW(&r->arena, uint16_t, most);
    r->further = HD_NEW(&r->arena, uint8_t, (size_t)most * net->nsw);
    assert_true(r->further_dest && r->further_lid && r->further);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t i = r->nvar; i < 1u << net->lmc_of[d]; i++) {
            uint8_t *row = r->further + (size_t)r->nfurther * net->nsw;
            const uint32_t kind = hd_rng_below(rng, kinds), lid = net->lid[net->nsw + d] + i;
            if (kinds > 1 && hd_rng_below(rng, 12) == 0) continue;
            memcpy(row, hd_row(r, d, i % r->nvar), net->nsw);
            if (kind > 1) random_endpoint_row(rng, net, d, kind < 3 || hd_rng_below(rng, 4), row);
            for (uint32_t k = 0; like && (whole || kind == 1) && k < like->nfurther; k++)
                if (like->further_lid[k] == lid) memcpy(row, like->further + (size_t)k * net->nsw, net->nsw);
            r->further_dest[r->nfurther] = d;
            r->further_lid[r->nfurther++] = (uint16_t)lid;
        }
}

/* Rows towards switches, and what these do with their own LIDs. */
static void random_switches(struct hd_rng *rng, struct hd_routes *r, const struct hd_routes *like)
{
    const struct hd_net *net = r->net;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    r->no_switch_lids = hd_rng_below(rng, 8) == 0;
    if (r->no_switch_lids) return;
    assert_int_equal(hd_switch_rows_keep(&ctx, r), HD_OK);
    for (uint32_t t = 0; t < net->nsw; t++) {
        uint8_t *row = r->switch_table + (size_t)t * net->nsw;
        const uint32_t kind = hd_rng_below(rng, 6);
        if (kind < 2) random_row(rng, net, t, kind || hd_rng_below(rng, 3), row);
        if (kind > 3 && like && like->switch_table) memcpy(row, like->switch_table + (size_t)t * net->nsw, net->nsw);
    }
    if (hd_rng_below(rng, 4)) return;
    assert_non_null(r->own_entry = HD_NEW(&r->arena, uint16_t, net->nsw));
    if (like && like->own_entry) memcpy(r->own_entry, like->own_entry, net->nsw * sizeof *r->own_entry);
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint32_t c = net->off[v] + hd_rng_below(rng, hd_degree(net, v));
        if (hd_rng_below(rng, 3) == 0) r->own_entry[v] = hd_rng_below(rng, 4) ? net->port[c] : HD_OWN_NONE;
    }
}

/* Rows towards LIDs of switches beyond the base LID. What a switch does with one of its own is that of the base LID, or
 * not. */
static void random_more(struct hd_rng *rng, struct hd_routes *r, const struct hd_routes *like)
{
    const struct hd_net *net = r->net;
    const uint32_t most = 4 * net->nsw;
    if (r->no_switch_lids || hd_rng_below(rng, 4) == 0) return;
    r->more_switch = HD_NEW(&r->arena, uint32_t, most);
    r->more_lid = HD_NEW(&r->arena, uint16_t, most);
    r->more_own = HD_NEW(&r->arena, uint16_t, most);
    r->more = HD_NEW(&r->arena, uint8_t, (size_t)most * net->nsw);
    assert_true(r->more_switch && r->more_lid && r->more_own && r->more);
    for (uint32_t t = 0; t < net->nsw; t++)
        for (uint32_t i = 1; i < 1u << net->switch_lmc[t]; i++) {
            const uint32_t kind = hd_rng_below(rng, 6), n = r->nmore, c = net->off[t] + hd_rng_below(rng, 2);
            uint8_t *row = r->more + (size_t)n * net->nsw;
            if (kind == 5) continue;
            memcpy(row, r->switch_table + (size_t)t * net->nsw, net->nsw);
            if (kind < 2) random_row(rng, net, t, kind || hd_rng_below(rng, 3), row);
            r->more_switch[n] = t;
            r->more_lid[n] = (uint16_t)(net->lid[t] + i);
            r->more_own[n] = hd_rng_below(rng, 8) ? HD_OWN_GOOD : c < net->off[t + 1] ? net->port[c] : HD_OWN_NONE;
            for (uint32_t k = 0; kind > 2 && like && k < like->nmore; k++) {
                if (like->more_lid[k] != r->more_lid[n]) continue;
                memcpy(row, like->more + (size_t)k * net->nsw, net->nsw);
                r->more_own[n] = like->more_own[k];
            }
            r->nmore++;
        }
}

static struct hd_routes *random_table(struct hd_rng *rng, const struct hd_net *net, uint32_t nvar,
                                      const struct hd_routes *like)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    const uint32_t keep = like ? hd_rng_below(rng, 4) : 0;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, nvar, &r), HD_OK);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < nvar; x++) {
            random_endpoint_row(rng, net, d, true, hd_row(r, d, x));
            if (hd_rng_below(rng, 4) < keep) memcpy(hd_row(r, d, x), hd_row((struct hd_routes *)like, d, x), net->nsw);
        }
    r->lane_rule = HD_LANE_ONE;
    r->nlanes = 1;
    if (nvar > 1) r->select = HD_SELECT_ALL;
    if (hd_rng_below(rng, 3) == 0) return r; /* by an engine */
    assert_non_null(r->lid = HD_NEW(&r->arena, uint16_t, net->nsw + net->nep));
    memcpy(r->lid, net->lid, (net->nsw + net->nep) * sizeof *r->lid);
    random_further(rng, r, like);
    random_switches(rng, r, like);
    random_more(rng, r, like);
    return r;
}

/* ---- by brute force ------------------------------------------------------------------------------------- */

struct brute {
    uint64_t switch_loops, further_loops, unproved, repeated_loops, unchanged, cut;
};

struct held { /* ports of all switches for one LID */
    uint32_t port[MOST_SWITCHES + 1];
    bool lacks;
};

static bool has_row(const struct hd_routes *r, uint32_t lid)
{
    for (uint32_t i = 0; i < r->nfurther; i++)
        if (r->further_lid[i] == lid) return true;
    for (uint32_t i = 0; i < r->nmore; i++)
        if (r->more_lid[i] == lid) return true;
    return false;
}

static struct held held(const struct hd_lft_view *w, uint32_t lid, bool lacks, bool old)
{
    struct held h = {.lacks = lacks};
    for (uint32_t v = 0; v < w->r->net->nsw; v++) h.port[v] = lacks && old ? HD_LFT_HOLE : hd_lft_port(w, v, lid);
    return h;
}

/* Whether a packet at v goes round. */
static bool goes_round(const struct hd_net *net, const uint32_t *port, uint32_t v)
{
    for (uint32_t n = 0; n <= net->nsw; n++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t c = net->off[v]; port[v] && c < net->off[v + 1]; c++)
            if (net->port[c] == port[v]) next = net->head[c];
        if (next >= net->nsw) return false;
        v = next;
    }
    return true;
}

static bool some_mixture_loops(const struct hd_routes *r, const struct held *a, const struct held *b)
{
    const struct hd_net *net = r->net;
    uint32_t differ = 0; /* bits of the switches whose entries do */
    for (uint32_t v = 0; v < net->nsw; v++) differ |= (uint32_t)(a->port[v] != b->port[v]) << v;
    for (uint32_t set = 0; set < 1u << net->nsw; set++) {
        uint32_t port[MOST_SWITCHES + 1];
        if (set & ~differ) continue;
        for (uint32_t v = 0; v < net->nsw; v++) port[v] = set >> v & 1 ? b->port[v] : a->port[v];
        for (uint32_t i = 0; i < r->nleaf; i++)
            if (goes_round(net, port, r->leaf[i])) return true;
    }
    return false;
}

/* Whether a packet at v arrives at a node. */
static bool arrives(const struct hd_net *net, const uint32_t *port, uint32_t v, uint32_t owner)
{
    for (uint32_t n = 0; n <= net->nsw && v < net->nsw; n++) {
        uint32_t next = UINT32_MAX;
        if (!port[v]) return v == owner;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->port[c] == port[v]) next = net->head[c];
        v = next;
    }
    return v == owner && owner >= net->nsw;
}

/* Whether a leaf switch loses what it sends there by the new entries. */
static bool is_cut(const struct hd_routes *r, const struct held *a, const struct held *b, uint32_t owner)
{
    for (uint32_t i = 0; i < r->nleaf; i++)
        if (arrives(r->net, a->port, r->leaf[i], owner) && (b->lacks || !arrives(r->net, b->port, r->leaf[i], owner)))
            return true;
    return false;
}

static bool was_given(const struct hd_routes *r)
{
    return r->switch_table || r->own_entry || r->no_switch_lids;
}

static void brute_lid(const struct hd_lft_view *a, const struct hd_lft_view *b, uint32_t lid, struct brute *out)
{
    const struct hd_routes *from = a->r, *to = b->r;
    const uint32_t owner = a->owner[lid] - 1;
    const bool sw = owner < from->net->nsw, base = sw && from->net->lid[owner] == lid;
    const bool row[2] = {has_row(from, lid), has_row(to, lid)};
    const bool mentioned = base ? was_given(from) || was_given(to) : row[0] || row[1];
    const bool lacks[2] = {base ? from->no_switch_lids : mentioned && !row[0] && from->lid,
                           base ? to->no_switch_lids : mentioned && !row[1] && to->lid};
    if (sw && !base && !mentioned) return; /* as the base LID */
    if (sw && lacks[0] && lacks[1]) return;
    const struct held one = held(a, lid, lacks[0], true), two = held(b, lid, lacks[1], false);
    const bool differs = lacks[0] || lacks[1] || memcmp(one.port, two.port, from->net->nsw * sizeof *one.port) != 0;
    const bool loops = some_mixture_loops(from, &one, &two);
    out->unproved += mentioned && differs;
    out->cut += mentioned && differs && !(sw && to->no_switch_lids) && is_cut(from, &one, &two, owner);
    *(sw ? &out->switch_loops : mentioned ? &out->further_loops : &out->repeated_loops) += loops;
    out->unchanged += loops && !differs;
}

static struct brute brute_force(const struct hd_routes *from, const struct hd_routes *to)
{
    struct hd_ctx ctx;
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    struct hd_lft_view a, b;
    struct brute out = {0};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_lids_plan(&ctx, &scratch, from->net, from->nvar, &lids), HD_OK);
    assert_int_equal(hd_lft_view_init(&ctx, &scratch, from, lids, &a), HD_OK);
    assert_int_equal(hd_lft_view_init(&ctx, &scratch, to, lids, &b), HD_OK);
    for (uint32_t lid = 1; lid <= lids.last; lid++) {
        const uint32_t owner = a.owner[lid] - 1;
        if (a.owner[lid] && (owner < from->net->nsw || lid - lids.base[owner] >= from->nvar))
            brute_lid(&a, &b, lid, &out);
    }
    hd_arena_release(&scratch);
    return out;
}

/* ---- the cases ------------------------------------------------------------------------------------------ */

static void same_counts(const struct hd_routes *from, const struct hd_routes *to, uint64_t seed, struct brute *b)
{
    struct hd_ctx ctx;
    struct hd_rest rest;
    hd_ctx_init(&ctx);
    *b = brute_force(from, to);
    assert_int_equal(hd_rest_compare(&ctx, from, to, &rest), HD_OK);
    if (rest.switch_loops != b->switch_loops || rest.further_loops != b->further_loops ||
        rest.unproved != b->unproved || rest.cut != b->cut)
        fail_msg(
            "case %llu: cut %llu and %llu, loops %llu, of switches %llu, differ %llu; by brute force %llu, %llu, %llu",
            (unsigned long long)seed, (unsigned long long)rest.cut, (unsigned long long)b->cut,
            (unsigned long long)rest.further_loops, (unsigned long long)rest.switch_loops,
            (unsigned long long)rest.unproved, (unsigned long long)b->further_loops,
            (unsigned long long)b->switch_loops, (unsigned long long)b->unproved);
}

static void check_steps(const struct hd_routes *old, const struct hd_routes *new, const struct hd_transition *t,
                        uint64_t seed)
{
    uint64_t loops = 0, unproved = 0;
    const struct hd_routes *from = old;
    for (uint32_t i = 0; i < t->nsteps; i++) {
        struct brute b;
        same_counts(from, t->step[i], seed, &b);
        if (b.further_loops + b.repeated_loops)
            fail_msg("case %llu: packets to further LIDs loop in step %u", (unsigned long long)seed, i);
        if (b.switch_loops > loops) loops = b.switch_loops;
        if (b.unproved > unproved) unproved = b.unproved;
        from = t->step[i];
    }
    if (t->nsteps) {
        assert_ptr_equal(from, new);
        assert_int_equal(t->rest_loops, loops);
        assert_int_equal(t->rest_unproved, unproved);
        total.step_loops += loops > 0;
    }
    if (t->verdict == HD_ORDERED) total.steps += t->nsteps;
}

static void try_case(uint64_t seed)
{
    struct hd_ctx ctx;
    struct hd_rng rng;
    struct hd_transition *t;
    struct brute b;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 6, HD_RNG_TEST, seed);
    struct hd_net *net = random_net(&rng);
    const uint32_t nvar = 1 + (hd_rng_below(&rng, 4) == 0);
    struct hd_routes *old = random_table(&rng, net, nvar, NULL), *new = random_table(&rng, net, nvar, old);
    same_counts(old, new, seed, &b);
    assert_int_equal(hd_routes_transition(&ctx, old, new, &t), HD_OK);
    check_steps(old, new, t, seed);
    if (t->verdict == HD_ANY_ORDER && t->nsteps == 0) assert_int_equal(b.unproved, 0);
    assert_int_equal(t->rest_cut, b.cut);
    if (b.cut) assert_int_equal(t->verdict, HD_UNPROVED);
    total.cut += b.cut > 0;
    total.cases++;
    total.further += b.further_loops > 0;
    total.unchanged += b.unchanged > 0;
    total.own += old->own_entry || new->own_entry;
    total.verdict[t->verdict]++;
    hd_transition_free(t);
    hd_routes_free(new);
    hd_routes_free(old);
    hd_net_free(net);
}

static void other_lids_agree_with_brute_force(void **state)
{
    const char *text = getenv("HEDDLE_TRANSITIONS");
    const uint64_t cases = text && *text ? strtoull(text, NULL, 10) : 1000;
    (void)state;
    for (uint64_t i = 0; i < cases; i++) try_case(i);
    print_message(
        "%llu pairs of tables: further LIDs can loop in %llu, LIDs that do not change in %llu; own entries in "
        "%llu; any order %llu, ordered %llu in %llu steps, unproved %llu; switches can loop in %llu\n",
        (unsigned long long)total.cases, (unsigned long long)total.further, (unsigned long long)total.unchanged,
        (unsigned long long)total.own, (unsigned long long)total.verdict[HD_ANY_ORDER],
        (unsigned long long)total.verdict[HD_ORDERED], (unsigned long long)total.steps,
        (unsigned long long)total.verdict[HD_UNPROVED], (unsigned long long)total.step_loops);
    if (cases < 1000) return;
    assert_true(total.further >= cases / 10 && total.unchanged >= cases / 100 && total.own >= cases / 10 &&
                total.cut >= cases / 100);
    assert_true(total.verdict[HD_ANY_ORDER] >= cases / 10 && total.verdict[HD_ORDERED] >= cases / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_lids_agree_with_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
