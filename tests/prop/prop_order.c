/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders and schedules on random, fragmented and whole-leaf allocations of the four real-life fat trees of the
 * literature, of a damaged one and of a 2:1 tree. Prints a line for each. Without HEDDLE_ORDER: one of each kind on
 * the small ones and a fragmented one on the large ones, which are the hardest for a plain Shift; HEDDLE_ORDER=N: N
 * of each kind on each (3 make the 54 of docs/orders.md, some three minutes). */
#include "base/rng.h"
#include "testing.h"
#include "base/context.h"

#include <stdio.h>

struct subject {
    const char *spec, *table, *fail;
    bool rlft, small;
};

static const struct subject subjects[] = {
    {"pgft:m=12x12,w=1x6,p=1x2", "dmodk", NULL, true, true},
    {"pgft:m=18x18,w=1x9,p=1x2", "dmodk", NULL, true, true},
    {"pgft:m=18x18,w=1x9,p=1x2", "dmodc", "links=6,seed=2", false, true},
    {"xgft:m=24x24,w=1x12", "dmodk", NULL, false, true},
    {"pgft:m=12x12x12,w=1x12x6,p=1x1x2", "dmodk", NULL, true, false},
    {"pgft:m=18x18x6,w=1x18x3,p=1x1x6", "dmodk", NULL, true, false},
};

enum kind { RANDOM, FRAGMENTED, WHOLE_LEAVES, KINDS };
static const char *const kind_name[KINDS] = {"random", "fragmented", "whole leaves"};

struct place {
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *r;
    struct hd_nodes *all;
    const struct subject *subject;
};

static void open_place(struct place *p, const struct subject *s)
{
    struct hd_open open = {.fail = s->fail};
    p->subject = s;
    hd_ctx_init(&p->ctx);
    p->ctx.threads = 1;
    if (hd_net_open(&p->ctx, s->spec, &open, &p->net) != HD_OK || hd_net_check(&p->ctx, p->net) != HD_OK ||
        hd_routes_open(&p->ctx, p->net, s->table, &p->r) != HD_OK ||
        hd_nodes_read(&p->ctx, p->net, NULL, 1, &p->all) != HD_OK)
        fail_msg("%s: %s", s->spec, p->ctx.error);
}

/* Names are shuffled: the order of the list is alphabetical to the job. Fragments are runs of ports that begin
 * anywhere on their leaf, of any length. */
static struct hd_nodes *allocate(struct place *p, enum kind kind, uint64_t seed)
{
    struct hd_rng rng;
    uint32_t n = 0, m = p->net->shape.m[0], *which = malloc(p->all->n * sizeof *which);
    uint32_t *length = calloc(p->net->nsw, sizeof *length), *start = calloc(p->net->nsw, sizeof *start);
    struct hd_nodes *nodes;
    hd_rng_init(&rng, seed, HD_RNG_TEST, kind);
    for (uint32_t v = 0; v < p->net->nsw; v++) {
        length[v] = kind == WHOLE_LEAVES ? m * hd_rng_below(&rng, 2) : 1 + hd_rng_below(&rng, m);
        start[v] = hd_rng_below(&rng, m);
    }
    for (uint32_t i = 0; i < p->all->n; i++) {
        uint32_t e = p->all->ep[i], leaf = hd_leaf(p->net, e), at = hd_coord(p->net, p->net->nsw + e)[0];
        if (kind == RANDOM ? hd_rng_below(&rng, 100) < 40 + seed * 7 % 50 : (at + m - start[leaf]) % m < length[leaf])
            which[n++] = i;
    }
    hd_rng_shuffle(&rng, which, n);
    if (hd_nodes_pick(&p->ctx, p->all, which, n, &nodes) != HD_OK) fail_msg("%s", p->ctx.error);
    free(which);
    free(length);
    free(start);
    return nodes;
}

static double count(struct place *p, const struct hd_nodes *nodes, enum hd_goal goal, enum hd_case c, bool *exact)
{
    struct hd_order *o;
    struct hd_hsd h;
    if (hd_order_make(&p->ctx, p->r, nodes, goal, &o) != HD_OK ||
        hd_order_count(&p->ctx, p->r, nodes, o->rank, c, &h) != HD_OK)
        fail_msg("%s", p->ctx.error);
    if (o->exact && goal != HD_FOR_RING && h.max != 1)
        fail_msg("%s: claimed '%s', counted %g", p->subject->spec, o->claim, h.max);
    if (exact) *exact = o->exact;
    hd_order_free(o);
    return h.average;
}

static double first_fit(struct place *p, const struct hd_nodes *nodes, double *bound)
{
    struct hd_order *o;
    struct hd_schedule *s = NULL;
    struct hd_hsd h;
    if (hd_order_make(&p->ctx, p->r, nodes, HD_FOR_RING, &o) != HD_OK ||
        hd_schedule_alltoall(&p->ctx, p->r, nodes, o->rank, &s) != HD_OK ||
        hd_schedule_count(&p->ctx, p->r, nodes, o->rank, s, &h) != HD_OK)
        fail_msg("%s", p->ctx.error);
    assert_true(h.max == 1);
    double stages = (double)s->stages;
    *bound = (double)s->bound;
    hd_schedule_free(s);
    hd_order_free(o);
    return stages;
}

static void check_one(struct place *p, enum kind kind, uint64_t seed)
{
    struct hd_nodes *nodes = allocate(p, kind, seed);
    if (nodes->n >= 3) {
        double bound, stages = first_fit(p, nodes, &bound), k = nodes->n - 1, occupancy = (double)nodes->n / p->all->n;
        double names = count(p, nodes, HD_FOR_GIVEN, HD_CASE_SHIFT, NULL),
               tree = count(p, nodes, HD_FOR_TREE, HD_CASE_SHIFT, NULL);
        bool exact;
        double best = count(p, nodes, HD_FOR_ALLTOALL, HD_CASE_SHIFT, &exact),
               ring = count(p, nodes, HD_FOR_RING, HD_CASE_RING, NULL);
        double recdbl = count(p, nodes, HD_FOR_RECDBL, HD_CASE_RECDBL, NULL);
        print_message("# %s %s, %s, %u nodes: ring %.2f, Shift %.3f by names, %.3f tree, %.3f best%s, first fit %.3f, "
                      "bound %.3f, recdbl %.2f\n",
                      p->subject->spec, p->subject->table, kind_name[kind], nodes->n, ring, names, tree, best,
                      exact ? " (exact)" : "", stages / k, bound / k, recdbl);
        if (ring != 1) fail_msg("ring: %g", ring);
        if (best > tree) fail_msg("best order %g, tree order %g", best, tree);
        if (stages > 1.1 * bound) fail_msg("first fit: %g stages, bound %g", stages, bound);
        if (p->subject->rlft && occupancy >= 0.5 && best > 0.6 * names)
            fail_msg("best order %g, by names %g", best, names);
        if (p->subject->rlft && recdbl > 1.7) fail_msg("recursive doubling: %g", recdbl);
    }
    hd_nodes_free(nodes);
}

static void test_allocations(void **state)
{
    (void)state;
    const char *many = getenv("HEDDLE_ORDER");
    uint64_t instances = many ? strtoull(many, NULL, 10) : 1;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        struct place p;
        open_place(&p, &subjects[i]);
        for (int kind = 0; kind < KINDS; kind++)
            for (uint64_t seed = 1; seed <= instances; seed++)
                if (many || subjects[i].small || kind == FRAGMENTED) check_one(&p, (enum kind)kind, seed);
        hd_nodes_free(p.all);
        hd_routes_free(p.r);
        hd_net_free(p.net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
