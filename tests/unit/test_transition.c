/* SPDX-License-Identifier: BSD-2-Clause */
/* Transitions played in the packet simulator: a mixture of two deadlock-free tables deadlocks, and no mixture of the
 * steps that the library proves does; cases with known answers, and what is refused. tests/prop/prop_transition.c has
 * the comparison with brute force. */
#include "sim_tools.h"
#include "tiny.h"

#include "base/rng.h"
#include "route/core/groups.h"
#include "route/core/sl2vl.h"
#include "route/transition/plan_exact.h"

/* A copy of `from` with each entry replaced by that of `to` at random. */
static struct hd_routes *mixture(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                                 uint64_t seed)
{
    struct hd_routes *r;
    struct hd_rng rng;
    uint8_t room[2][64];
    const struct hd_net *net = hd_routes_net(from);
    assert_true(net->nsw <= 64);
    hd_rng_init(&rng, 4, HD_RNG_TEST, seed);
    assert_int_equal(hd_routes_make(ctx, net, 1, &r), HD_OK);
    for (uint32_t d = 0; d < net->nep; d++) {
        const uint8_t *a = hd_routes_row(from, d, 0, room[0]), *b = hd_routes_row(to, d, 0, room[1]);
        for (uint32_t v = 0; v < net->nsw; v++) hd_row(r, d, 0)[v] = hd_rng_below(&rng, 2) ? a[v] : b[v];
    }
    return r;
}

/* Whether the path of a pair has two consecutive channels of the cycle. */
static bool on_cycle(const struct hd_routes *r, const struct hd_check *k, uint32_t s, uint32_t d)
{
    uint32_t chan[HD_MAX_HOPS], n = s == d ? 0 : hd_routes_path(r, s, d, 0, chan);
    for (uint32_t i = 0; i + 1 < n; i++)
        for (uint32_t j = 0; j < k->ncycle; j++)
            if (k->cycle[j].c == chan[i] && k->cycle[j].next == chan[i + 1]) return true;
    return false;
}

/* Messages of all pairs that take part in a cycle of dependencies, as a trace. */
static void write_cycle(struct setup *t, const struct hd_routes *r, const struct hd_check *k)
{
    char text[65536] = "";
    for (uint32_t n = 0; n < 4; n++)
        for (uint32_t s = 0; s < t->net->nep; s++)
            for (uint32_t d = 0; d < t->net->nep; d++)
                if (on_cycle(r, k, s, d))
                    snprintf(text + strlen(text), sizeof text - strlen(text), "%s %s 65536 -\n",
                             hd_node_name(t->net, t->net->nsw + s), hd_node_name(t->net, t->net->nsw + d));
    write_text(t, text);
}

static uint64_t deadlocks_of(struct setup *t, struct hd_routes *r)
{
    struct hd_routes *whole = t->routes;
    t->routes = r;
    struct hd_sim_result result =
        simulate(t, &(struct hd_sim_request){.trace = t->path, .model = "infiniband:buffer=2048,lanes=1"});
    t->routes = whole;
    return result.deadlocks;
}

static void an_unsafe_order_deadlocks_and_the_proved_one_does_not(void **state)
{
    struct setup t;
    struct hd_transition *plan;
    uint32_t looped = 0, stuck = 0;
    (void)state;
    set_up(&t, "mesh:dims=4x4,hosts=1", "dor");
    struct hd_routes *new = make_routes(t.net, "updown");
    assert_int_equal(hd_routes_transition(&t.ctx, t.routes, new, &plan), HD_OK);
    assert_int_equal(plan->verdict, HD_ORDERED);
    assert_true(plan->direct->credit_loops == 1 && !plan->direct->loops && !plan->direct->drops);
    for (uint64_t seed = 0; seed < 100 && stuck < 3; seed++) {
        struct hd_check k;
        struct hd_routes *r = mixture(&t.ctx, t.routes, new, seed);
        assert_int_equal(hd_routes_check(&t.ctx, r, &k), HD_OK);
        if (k.deadlock_free == 0) {
            looped++;
            write_cycle(&t, r, &k);
            stuck += (uint32_t)deadlocks_of(&t, r);
            const struct hd_routes *from = t.routes;
            for (uint32_t i = 0; i < plan->nsteps; i++) {
                struct hd_routes *part = mixture(&t.ctx, from, plan->step[i], seed);
                assert_int_equal(deadlocks_of(&t, part), 0);
                hd_routes_free(part);
                from = plan->step[i];
            }
        }
        hd_routes_free(r);
    }
    print_message("%u mixtures with a credit loop, of which %u deadlock\n", looped, stuck);
    assert_int_equal(stuck, 3);
    hd_transition_free(plan);
    hd_routes_free(new);
    tear_down(&t);
}

/* ---- exact search -------------------------------------------------------------------------------- */

static uint8_t slot_to(const struct hd_net *net, uint32_t v, uint32_t node)
{
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] == node) return (uint8_t)(c - net->off[v]);
    fail_msg("no cable from %u to %u", v, node);
    return HD_SLOT_NONE;
}

/* On a ring the trees of a destination differ by the cable that they do not use: from switch cut[d] to the next. */
static struct hd_routes *ring_table(const struct hd_net *net, const uint32_t *cut)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    uint32_t n = net->nsw;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t v = 0; v < n; v++) {
            bool forward = true;
            for (uint32_t u = v; u != d; u = (u + 1) % n) forward = forward && u != cut[d];
            uint32_t next = v == d ? n + d : forward ? (v + 1) % n : (v + n - 1) % n;
            hd_row(r, d, 0)[v] = slot_to(net, v, next);
        }
    return r;
}

/* No path passes switch 4, and then none passes switch 1: the search must find steps although every mixture of the
 * two tables at once has credit loops, and each step must be proved by the mixtures themselves. */
static void the_exact_search_finds_proved_steps(void **state)
{
    const uint32_t at_4[] = {3, 3, 4, 4, 3}, at_1[] = {1, 0, 1, 1, 0};
    struct hd_net *net = tiny("1 1 1 1 1", "0-1 1-2 2-3 3-4 4-0");
    struct hd_routes *old = ring_table(net, at_4), *new = ring_table(net, at_1);
    struct hd_ctx ctx;
    struct hd_mixture m;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_mixture(&ctx, old, new, &m), HD_OK);
    assert_false(hd_mixture_safe(&m));
    struct hd_steps_plan p = {.ctx = &ctx, .net = net, .old = old, .new = new, .vl = {old, new}};
    struct hd_transition t = {.verdict = HD_UNPROVED};
    assert_int_equal(hd_plan_exact(&p, &t), HD_OK);
    assert_int_equal(t.verdict, HD_ORDERED);
    assert_true(p.nsteps >= 2 && t.ndrain == 0);
    const struct hd_routes *from = old;
    for (uint32_t i = 0; i < p.nsteps; i++) {
        assert_int_equal(hd_routes_mixture(&ctx, from, p.step[i], &m), HD_OK);
        assert_true(hd_mixture_safe(&m));
        from = p.step[i];
    }
    assert_int_equal(hd_routes_mixture(&ctx, from, new, &m), HD_OK);
    assert_int_equal(m.changed, 0);
    hd_plan_release(&p);
    hd_routes_free(new);
    hd_routes_free(old);
    hd_net_free(net);
}

/* Rows of a detour are those of one order of switches towards every endpoint, whatever the table they lead to. */
static void detours_do_not_depend_on_tables(void **state)
{
    struct hd_net *net = make_net("torus:dims=4x4,hosts=1");
    struct hd_routes *table[2], *detour[2];
    struct hd_ctx ctx;
    struct hd_diff d;
    (void)state;
    hd_ctx_init(&ctx);
    for (int i = 0; i < 2; i++) {
        table[i] = make_routes(net, i ? "dor" : "minhop");
        struct hd_steps_plan p = {
            .ctx = &ctx, .net = net, .old = table[i], .new = table[i], .vl = {table[i], table[i]}};
        assert_int_equal(hd_plan_detour(&p, HD_DETOUR_CENTRE, &detour[i]), HD_OK);
        assert_non_null(detour[i]);
    }
    assert_int_equal(hd_routes_diff(&ctx, table[0], table[1], &d), HD_OK);
    assert_true(d.entries_changed > 0);
    assert_int_equal(hd_routes_diff(&ctx, detour[0], detour[1], &d), HD_OK);
    assert_int_equal(d.entries_changed, 0);
    for (int i = 0; i < 2; i++) {
        hd_routes_free(detour[i]);
        hd_routes_free(table[i]);
    }
    hd_net_free(net);
}

/* ---- who counts ---------------------------------------------------------------------------------- */

/* On a ring, the same table but for the row of the last endpoint, which loops in some mixtures. */
static struct hd_mixture last_row_changes(const struct hd_net *net)
{
    const uint32_t one[] = {3, 3, 3, 3}, other[] = {3, 3, 3, 1};
    struct hd_routes *old = ring_table(net, one), *new = ring_table(net, other);
    struct hd_ctx ctx;
    struct hd_mixture m;
    struct hd_transition *t;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_mixture(&ctx, old, new, &m), HD_OK);
    assert_int_equal(m.changed, 1);
    assert_int_equal(m.rows, 4);
    assert_int_equal(hd_routes_transition(&ctx, old, new, &t), HD_OK);
    assert_int_equal(t->verdict == HD_ANY_ORDER, !m.loops);
    assert_true(t->verdict == HD_UNPROVED || t->nsteps);
    hd_transition_free(t);
    hd_routes_free(new);
    hd_routes_free(old);
    return m;
}

static void all_endpoints_count_unless_some_are_chosen(void **state)
{
    const char *const nets[] = {"1 1 1 1", "1 1 1 1s", "1s 1s 1s 1", "1s 1s 1s 1s"}, *const ring = "0-1 1-2 2-3 3-0";
    struct hd_ctx ctx;
    struct hd_net *chosen;
    (void)state;
    hd_ctx_init(&ctx);
    for (int i = 0; i < 4; i++) {
        struct hd_net *net = tiny(nets[i], ring);
        const struct hd_mixture m = last_row_changes(net);
        assert_true(m.loops == 1 && m.loop == 3 && m.pairs == 12);
        hd_net_free(net);
    }
    struct hd_net *net = tiny(nets[0], ring);
    assert_int_equal(hd_net_choose(&ctx, net, &(struct hd_choice){.endpoints = "h[0-2]"}, &chosen), HD_OK);
    const struct hd_mixture m = last_row_changes(chosen);
    assert_true(m.loops == 0 && m.pairs == 6);
    hd_net_free(chosen);
    hd_net_free(net);
}

/* The drained destinations of an exact search may be storage. */
static void the_exact_search_counts_storage(void **state)
{
    const uint32_t at_4[] = {3, 3, 4, 4, 3}, at_1[] = {1, 0, 1, 1, 0};
    struct hd_net *net = tiny("1 1s 1 1s 1", "0-1 1-2 2-3 3-4 4-0");
    struct hd_routes *old = ring_table(net, at_4), *new = ring_table(net, at_1);
    struct hd_ctx ctx;
    struct hd_mixture m;
    (void)state;
    hd_ctx_init(&ctx);
    struct hd_steps_plan p = {.ctx = &ctx, .net = net, .old = old, .new = new, .vl = {old, new}};
    struct hd_transition t = {.verdict = HD_UNPROVED};
    assert_int_equal(hd_plan_exact(&p, &t), HD_OK);
    assert_int_equal(t.verdict, HD_ORDERED);
    assert_int_equal(hd_routes_mixture(&ctx, p.step[p.nsteps - 1], new, &m), HD_OK);
    assert_int_equal(m.changed, 0);
    hd_plan_release(&p);
    hd_routes_free(new);
    hd_routes_free(old);
    hd_net_free(net);
}

/* ---- more than entries ----------------------------------------------------------------------------- */

static struct hd_transition *transition_of(const struct hd_routes *old, const struct hd_routes *new)
{
    struct hd_ctx ctx;
    struct hd_transition *t;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_transition(&ctx, old, new, &t), HD_OK);
    return t;
}

static void groups_of_ports_are_never_safe(void **state)
{
    const char *const from[] = {"updown", "ar_updn", "ar_updn"}, *const to[] = {"ar_updn", "updown", "ar_updn"};
    struct hd_net *net = make_net("ft:m=8,n=2");
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct hd_routes *old = make_routes(net, from[i]), *new = make_routes(net, to[i]);
        struct hd_transition *t = transition_of(old, new);
        assert_int_equal(t->verdict, i < 2 ? HD_UNPROVED : HD_ANY_ORDER);
        assert_int_equal(t->direct->adaptive, i < 2);
        assert_int_equal(hd_mixture_safe(t->direct), i == 2);
        assert_int_equal(t->nsteps, 0);
        hd_transition_free(t);
        hd_routes_free(new);
        hd_routes_free(old);
    }
    hd_net_free(net);
}

/* Nor are those of LIDs of switches, where no pair has any. */
static void groups_towards_switches_are_no_exception(void **state)
{
    const uint32_t none[] = {3, 3, 3, 3};
    struct hd_net *net = tiny("1 1 1 1", "0-1 1-2 2-3 3-0");
    struct hd_routes *old = ring_table(net, none), *new = ring_table(net, none);
    struct hd_port_set both = {{0}};
    struct hd_mixture m;
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    for (uint32_t c = net->off[0]; c < net->off[1]; c++)
        if (net->head[c] < net->nsw) hd_set_add(&both, c - net->off[0]);
    assert_int_equal(hd_set_count(&both), 2);
    assert_int_equal(hd_groups_make(&ctx, new), HD_OK);
    new->groups->switches.of = HD_NEW(&new->arena, uint16_t, 16);
    assert_non_null(new->groups->switches.of);
    assert_int_equal(hd_routes_mixture(&ctx, old, new, &m), HD_OK);
    assert_true(hd_mixture_safe(&m));
    assert_int_equal(hd_groups_number(&ctx, new, 0, &both, &new->groups->switches.of[2 * 4]), HD_OK);
    for (int back = 0; back < 2; back++) {
        const struct hd_routes *from = back ? new : old, *to = back ? old : new;
        assert_int_equal(hd_routes_mixture(&ctx, from, to, &m), HD_OK);
        assert_true(m.adaptive && !hd_mixture_safe(&m) && !m.changed);
        struct hd_transition *t = transition_of(from, to);
        assert_true(t->verdict == HD_UNPROVED && t->direct->adaptive && !t->nsteps);
        hd_transition_free(t);
    }
    hd_routes_free(new);
    hd_routes_free(old);
    hd_net_free(net);
}

static void vls_alone_are_a_change(void **state)
{
    struct hd_net *net = make_net("random:switches=8,ports=6,hosts=2,seed=1");
    struct hd_routes *old = make_routes(net, "dfsssp"), *new = make_routes(net, "dfsssp:lanes=dest");
    struct hd_transition *t = transition_of(old, new);
    struct hd_ctx ctx;
    struct hd_diff diff;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_diff(&ctx, old, new, &diff), HD_OK);
    assert_true(diff.lanes_changed > 0);
    assert_int_equal(t->direct->vls_changed, diff.lanes_changed);
    assert_int_equal(t->direct->changed, 0);
    assert_int_equal(t->nsteps, 1);
    hd_transition_free(t);
    hd_routes_free(new);
    hd_routes_free(old);
    hd_net_free(net);
}

/* VLs that are not known, or change along the path, may be any: no mixture with such a table has VLs of its own. */
static void vls_that_are_not_known_are_taken_as_one(void **state)
{
    struct hd_net *net = make_net("torus:dims=4x4,hosts=1");
    struct hd_routes *table[] = {make_routes(net, "dfsssp"), make_routes(net, "dfsssp:lanes=dest"),
                                 make_routes(net, "lash"), make_routes(net, "torus2qos")};
    struct hd_mixture m;
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    hd_routes_vls_unknown(table[2]);
    assert_int_equal(hd_routes_lane_rule(table[3]), HD_LANE_HOP);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            assert_int_equal(hd_routes_mixture(&ctx, table[i], table[j], &m), HD_OK);
            assert_int_equal(m.vls_known, i < 2 && j < 2);
        }
    for (int i = 0; i < 4; i++) hd_routes_free(table[i]);
    hd_net_free(net);
}

/* Two cables between each two of three switches in a row, both ways over the first of them or over the second. From one
 * to the other the switch in the middle has VL 15. */
static struct hd_routes *over_cables(const struct hd_net *net, uint32_t which, bool drops)
{
    static const uint8_t good[16] = {0}, bad[16] = {HD_LANE_DROP};
    struct hd_ctx ctx;
    struct hd_routes *r;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    for (uint32_t d = 0; d < 2; d++)
        for (uint32_t v = 0; v < 3; v++) {
            const uint32_t home = hd_leaf(net, d), next = v == home ? 3 + d : home > v ? v + 1 : v - 1;
            hd_row(r, d, 0)[v] = (uint8_t)(slot_to(net, v, next) + (v == home ? 0 : which));
        }
    r->lane_rule = HD_LANE_HOP;
    r->nlanes = 1;
    r->pair_lane = HD_NEW(&r->arena, uint8_t, 4);
    assert_non_null(r->pair_lane);
    assert_int_equal(hd_sl2vl_make(&ctx, &r->arena, net, &r->sl2vl), HD_OK);
    for (uint32_t v = 0; v < 3; v++)
        for (uint32_t in = 0; in < hd_degree(net, v); in++)
            for (uint32_t out = 0; out < hd_degree(net, v); out++)
                assert_int_equal(
                    hd_sl2vl_set(&ctx, &r->arena, r->sl2vl, v, in, out, drops && v == 1 && (in + out) % 2 ? bad : good),
                    HD_OK);
    return r;
}

/* Neither table drops a packet, and some mixtures drop all of a pair. */
static void a_mixture_may_meet_vl_15(void **state)
{
    struct hd_net *net = tiny("1 0 1", "0-1 0-1 1-2 1-2");
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    for (int drops = 0; drops < 4; drops++) { /* by which tables */
        struct hd_routes *old = over_cables(net, 0, drops & 1), *new = over_cables(net, 1, drops >> 1);
        struct hd_check check;
        assert_int_equal(hd_routes_check(&ctx, old, &check), HD_OK);
        assert_true(!hd_check_faulty(&check) && check.deadlock_free == 1);
        assert_int_equal(hd_routes_check(&ctx, new, &check), HD_OK);
        assert_true(!hd_check_faulty(&check) && check.deadlock_free == 1);
        struct hd_transition *t = transition_of(old, new);
        assert_int_equal(t->direct->drops, drops ? 2 : 0);
        assert_int_equal(t->direct->cut, 0);
        assert_int_equal(t->verdict, drops ? HD_UNPROVED : HD_ANY_ORDER);
        assert_true(t->old_safe && t->new_safe);
        hd_transition_free(t);
        hd_routes_free(new);
        hd_routes_free(old);
    }
    hd_net_free(net);
}

/* ---- maintenance ----------------------------------------------------------------------------------- */

/* A cable has no table of its own; a switch takes its aggregation node with it, on its old VLs. */
static void aggregation_nodes_go_with_their_switch(void **state)
{
    const char *const engines[] = {"dmodc", "dfsssp", "dfsssp:lanes=dest"};
    struct hd_net *net = make_net("director:groups=2,leaves=3,sharp=on,storage=3");
    struct hd_maintenance *m;
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    for (int i = 0; i < 3; i++) {
        struct hd_routes *old = make_routes(net, engines[i]);
        assert_int_equal(hd_routes_maintenance(&ctx, old, "switch=director-4/S10/U1", NULL, &m), HD_OK);
        assert_true(m->returns && m->rewrites && m->out->verdict <= HD_ORDERED && m->back->verdict <= HD_ORDERED);
        hd_maintenance_free(m);
        hd_routes_free(old);
    }
    hd_net_free(net);
    net = make_net("ft:m=4,n=2");
    struct hd_routes *old = make_routes(net, "dmodk");
    assert_int_equal(hd_routes_maintenance(&ctx, old, "link=L1-0000:3", NULL, &m), HD_OK);
    assert_true(m->returns && !m->rewrites && m->out->nsteps);
    hd_maintenance_free(m);
    assert_int_equal(hd_routes_maintenance(&ctx, old, "link=L1-0000:3", "dfsssp:lmc=1", &m), HD_INPUT);
    hd_routes_free(old);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unsafe_order_deadlocks_and_the_proved_one_does_not),
        cmocka_unit_test(the_exact_search_finds_proved_steps),
        cmocka_unit_test(detours_do_not_depend_on_tables),
        cmocka_unit_test(all_endpoints_count_unless_some_are_chosen),
        cmocka_unit_test(the_exact_search_counts_storage),
        cmocka_unit_test(groups_of_ports_are_never_safe),
        cmocka_unit_test(groups_towards_switches_are_no_exception),
        cmocka_unit_test(vls_alone_are_a_change),
        cmocka_unit_test(vls_that_are_not_known_are_taken_as_one),
        cmocka_unit_test(a_mixture_may_meet_vl_15),
        cmocka_unit_test(aggregation_nodes_go_with_their_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
