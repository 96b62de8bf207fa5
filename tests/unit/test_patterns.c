/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns: who sends to whom, against definitions written out pair by pair. */
#include "testing.h"
#include "drawing.h"
#include "base/context.h"

/* ---- the contract, over the whole registry ------------------------------------------------- */

static void every_pattern_keeps_its_contract(void **state)
{
    static const char *const nets[] = {"gft:n=4,m=4,r=5", "pgft:m=3x4x2,w=1x3x2,p=1x1x2", "torus:dims=3x3,hosts=2",
                                       "gft:n=7,m=1,r=1"};
    static const uint32_t sizes[] = {2, 3, 5, 7, 0}; /* 0: all */
    uint32_t tried = 0;
    (void)state;
    for (size_t k = 0; k < COUNT(nets); k++)
        for (size_t z = 0; z < COUNT(sizes); z++) {
            struct drawing d;
            start_drawing(&d, nets[k], "minhop", "random:seed=3");
            if (sizes[z]) keep_ranks(&d, sizes[z], 5 + z);
            const struct hd_desc *p;
            for (size_t i = 0; (p = row_at(HD_PATTERNS, i)); i++)
                for (const char *const *e = p->examples; e && *e; e++) {
                    hd_status s = try_pattern(&d, *e);
                    if (s == HD_NA || (s == HD_INPUT && strstr(d.ctx.error, "on one switch"))) continue;
                    if (s != HD_OK) fail_msg("%s on %s: %s", *e, nets[k], d.ctx.error);
                    uint64_t stages = stage_count(&d);
                    for (uint64_t j = 0; j < (stages ? stages : 40); j++) draw_stage(&d, j);
                    tried++;
                }
            stop_drawing(&d);
        }
    assert_true(tried > 300);
}

static void one_rank_is_refused(void **state)
{
    struct drawing d;
    const struct hd_desc *p;
    (void)state;
    start_drawing(&d, "gft:n=4,m=2,r=2", NULL, NULL);
    for (uint32_t n = 2; n-- > 0;) {
        keep_ranks(&d, n, 1);
        for (size_t i = 0; (p = row_at(HD_PATTERNS, i)); i++)
            if (p->examples && strcmp(p->name, "worst") != 0)
                refuse_pattern(&d, p->name, n ? "at least 2 ranks, there is 1" : "at least 2 ranks, there are 0");
    }
    stop_drawing(&d);
}

/* ---- sequences ------------------------------------------------------------------------------ */

struct literal {
    const char *spec;
    bool (*sends)(uint32_t n, uint32_t stage, uint32_t i, uint32_t j);
    uint32_t (*stages)(uint32_t n);
    bool one_way; /* every stage is part of a Shift stage */
};

static uint32_t low_log(uint32_t n)
{
    uint32_t l = 0;
    while (2u << l <= n) l++;
    return l;
}

static uint32_t high_log(uint32_t n)
{
    uint32_t l = 0;
    while (1u << l < n) l++;
    return l;
}

static uint32_t one(uint32_t n)
{
    (void)n;
    return 1;
}

static uint32_t all_others(uint32_t n)
{
    return n - 1;
}

static uint32_t folded(uint32_t n)
{
    return low_log(n) + (n == 1u << low_log(n) ? 0 : 2);
}

static bool shift(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    return j == (i + s + 1) % n;
}

static bool bruck(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    return j == (i + (1u << s)) % n;
}

static bool rev_bruck(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    return i == (j + (1u << s)) % n;
}

static bool tournament(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    (void)n;
    return i == j + (1u << s) && j % (2u << s) == 0;
}

static bool binomial(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    (void)n;
    return i < 1u << s && j == i + (1u << s);
}

static bool gather(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    return binomial(n, high_log(n) - 1 - s, j, i);
}

static bool recursive(uint32_t n, uint32_t s, uint32_t i, uint32_t j, bool halving)
{
    uint32_t l = low_log(n), half = 1u << l;
    if (half != n && s == 0) return i >= half && j == i - half;
    if (half != n && s == l + 1) return j >= half && i == j - half;
    s -= half != n;
    return i < half && j == (i ^ 1u << (halving ? l - 1 - s : s));
}

static bool recdbl(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    return recursive(n, s, i, j, false);
}

static bool rechalf(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    return recursive(n, s, i, j, true);
}

static bool exclusive(uint32_t n, uint32_t s, uint32_t i, uint32_t j)
{
    (void)n;
    return j == (i ^ (s + 1));
}

static const struct literal literals[] = {
    {"shift", shift, all_others, true},
    {"ring", shift, one, true},
    {"bruck", bruck, high_log, true},
    {"rev-bruck", rev_bruck, high_log, true},
    {"tournament", tournament, high_log, true},
    {"binomial", binomial, high_log, true},
    {"binomial:direction=in", gather, high_log, true},
    {"recdbl", recdbl, folded, false},
    {"rechalf", rechalf, folded, false},
};

/* Stages from..from+count-1 of the drawing are stages 0..count-1 of the definition. */
static void compare_stages(struct drawing *d, const struct literal *l, uint64_t from)
{
    uint32_t n = d->ranks.n;
    uint8_t *sent = calloc(n, n);
    assert_non_null(sent);
    for (uint32_t s = 0; s < l->stages(n); s++) {
        const struct hd_flows *f = draw_stage(d, from + s);
        uint32_t displacement = (d->rank_of[f->dst[0]] + n - d->rank_of[f->src[0]]) % n;
        assert_true(f->simple);
        memset(sent, 0, (size_t)n * n);
        for (uint32_t k = 0; k < f->n; k++) {
            uint32_t i = d->rank_of[f->src[k]], j = d->rank_of[f->dst[k]];
            sent[i * n + j]++;
            if (l->one_way && (j + n - i) % n != displacement)
                fail_msg("%s: stage %u is no part of a Shift", l->spec, s);
        }
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (sent[i * n + j] != (i != j && l->sends(n, s, i, j)))
                    fail_msg("%s, %u ranks, stage %u: %u -> %u %s", l->spec, n, s, i, j,
                             sent[i * n + j] ? "is not defined" : "is missing");
    }
    free(sent);
}

static void sequences_are_their_definitions(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "gft:n=5,m=2,r=8", NULL, NULL);
    struct hd_ranks all = d.ranks;
    for (uint32_t n = 2; n <= 34; n++) { /* scattered over the network in random order */
        d.ranks = all;
        keep_ranks(&d, n, 7);
        for (size_t k = 0; k < COUNT(literals); k++) {
            set_pattern(&d, literals[k].spec);
            assert_int_equal(stage_count(&d), literals[k].stages(n));
            compare_stages(&d, &literals[k], 0);
        }
    }
    stop_drawing(&d);
}

static void published_stage_counts(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "kary:k=32,n=2", NULL, NULL); /* 1024 ranks */
    set_pattern(&d, "binomial");
    assert_int_equal(stage_count(&d), 10); /* the text says 11 */
    assert_int_equal(draw_stage(&d, 0)->n, 1);
    assert_int_equal(draw_stage(&d, 2)->n, 4);
    set_pattern(&d, "shift");
    assert_int_equal(stage_count(&d), 1023);
    stop_drawing(&d);
}

/* ---- collectives ---------------------------------------------------------------------------- */

static const struct literal xor_literal = {"xor", exclusive, all_others, false};

static const struct {
    const char *spec, *first, *second;
} collectives[] = {
    {"op=allgather,alg=ring", "ring", NULL},
    {"op=allgather,alg=bruck", "rev-bruck", NULL},
    {"op=allgather,alg=doubling", "recdbl", NULL},
    {"op=allreduce,alg=old", "recdbl", NULL},
    {"op=allreduce,alg=rabenseifner", "rechalf", "recdbl"},
    {"op=allreduce,alg=ring", "ring", NULL},
    {"op=alltoall,alg=shift", "shift", NULL},
    {"op=alltoall,alg=bruck", "bruck", NULL},
    {"op=alltoall,alg=xor", "xor", NULL},
    {"op=alltoall,alg=hypercube", "recdbl", NULL},
    {"op=barrier,alg=dissemination", "bruck", NULL},
    {"op=barrier,alg=doubling", "recdbl", NULL},
    {"op=barrier,alg=tree", "binomial:direction=in", "binomial"},
    {"op=barrier,alg=tournament", "tournament", "binomial"},
    {"op=broadcast,alg=old", "binomial", NULL},
    {"op=broadcast,alg=ring", "ring", NULL},
    {"op=broadcast,alg=vdgeijn", "binomial", "ring"},
    {"op=broadcast,alg=vdgeijn,size=small", "binomial", "recdbl"},
    {"op=gather,alg=old", "binomial:direction=in", NULL},
    {"op=reduce,alg=old", "binomial:direction=in", NULL},
    {"op=reduce,alg=rabenseifner", "rechalf", "binomial:direction=in"},
    {"op=reduce,alg=ring", "ring", NULL},
    {"op=reduce-scatter,alg=new", "rechalf", NULL},
    {"op=reduce-scatter,alg=noncommutative", "shift", NULL},
    {"op=reduce-scatter,alg=noncommutative,size=small", "recdbl", NULL},
    {"op=reduce-scatter,alg=old", "binomial:direction=in", "binomial"},
    {"op=reduce-scatter,alg=ring", "ring", NULL},
    {"op=scatter,alg=old", "binomial", NULL},
    {"op=scatter,alg=ring", "ring", NULL},
    /* without alg= */
    {"op=allgather", "ring", NULL},
    {"op=allgather,size=small", "rev-bruck", NULL},
    {"op=allreduce", "rechalf", "recdbl"},
    {"op=allreduce,size=small", "recdbl", NULL},
    {"op=alltoall", "shift", NULL},
    {"op=alltoall,size=small", "bruck", NULL},
    {"op=barrier", "bruck", NULL},
    {"op=broadcast", "binomial", "ring"},
    {"op=broadcast,size=small", "binomial", NULL},
    {"op=gather", "binomial:direction=in", NULL},
    {"op=reduce", "rechalf", "binomial:direction=in"},
    {"op=reduce,size=small", "binomial:direction=in", NULL},
    {"op=reduce-scatter", "rechalf", NULL},
    {"op=scatter", "binomial", NULL},
};

static const struct literal *literal_of(const char *spec)
{
    if (strcmp(spec, "xor") == 0) return &xor_literal;
    for (size_t k = 0; k < COUNT(literals); k++)
        if (strcmp(literals[k].spec, spec) == 0) return &literals[k];
    fail_msg("no definition of %s", spec);
    return NULL;
}

static void collectives_are_their_sequences(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "gft:n=4,m=2,r=4", NULL, "random:seed=2");
    for (size_t k = 0; k < COUNT(collectives); k++) {
        char spec[128];
        const struct literal *a = literal_of(collectives[k].first),
                             *b = collectives[k].second ? literal_of(collectives[k].second) : NULL;
        snprintf(spec, sizeof spec, "collective:%s", collectives[k].spec);
        set_pattern(&d, spec);
        uint32_t first = a->stages(16), second = b ? b->stages(16) : 0;
        if (stage_count(&d) != first + second) fail_msg("%s: %u stages", spec, (unsigned)stage_count(&d));
        compare_stages(&d, a, 0);
        if (b) compare_stages(&d, b, first);
    }
    stop_drawing(&d);
}

static void collectives_that_do_not_exist(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "gft:n=4,m=2,r=3", NULL, NULL);
    refuse_pattern(&d, "collective:op=allreduce,alg=shift", "expected one of old, rabenseifner, ring");
    refuse_pattern(&d, "collective:op=broadcast,alg=x", "expected one of old, vdgeijn, ring");
    refuse_pattern(&d, "collective:op=sum", "expected one of allgather|allreduce|");
    refuse_pattern(&d, "collective:op=allgather,alg=doubling", "power of two of ranks, there are 12");
    refuse_pattern(&d, "collective:op=alltoall,alg=xor", "power of two of ranks, there are 12");
    stop_drawing(&d);
}

static void help_names_every_algorithm(void **state)
{
    const char *text = row_of(HD_PATTERNS, "collective")->text;
    (void)state;
    for (size_t k = 0; k < COUNT(collectives); k++) {
        char op[32], alg[32] = "";
        int found = sscanf(collectives[k].spec, "op=%31[a-z-],alg=%31[a-z]", op, alg);
        const char *at = found ? strstr(text, op) : NULL;
        if (!at || (found == 2 && !strstr(at, alg))) fail_msg("help does not name %s", collectives[k].spec);
    }
}

/* ---- bridge --------------------------------------------------------------------------------- */

static void bridge_pairs_crossbars(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "gft:n=3,m=2,r=5", NULL, NULL);
    set_pattern(&d, "bridge");
    assert_int_equal(stage_count(&d), 1);
    const struct hd_flows *f = draw_stage(&d, 0);
    assert_int_equal(f->n, 12); /* the fifth crossbar idles */
    assert_true(f->simple);
    uint32_t partner[15];
    memset(partner, 0xff, sizeof partner);
    for (uint32_t i = 0; i < f->n; i++) partner[f->src[i]] = f->dst[i];
    for (uint32_t e = 0; e < 12; e++) assert_int_equal(partner[e], e / 3 % 2 ? e - 3 : e + 3);
    /* Crossbar 0 has endpoints 2 and 0, in this order; crossbar 2 has 7; crossbar 3 has 9 and 10; none are on 1. */
    static const uint32_t some[] = {9, 2, 7, 0, 10};
    d.ranks = (struct hd_ranks){5, some};
    set_pattern(&d, "bridge");
    f = draw_stage(&d, 0);
    assert_int_equal(f->n, 2);
    assert_true(f->src[0] == 2 && f->dst[0] == 7 && f->src[1] == 7 && f->dst[1] == 2);
    stop_drawing(&d);
    start_drawing(&d, "gft:n=4,m=1,r=1", NULL, NULL);
    refuse_pattern(&d, "bridge", "on one switch");
    stop_drawing(&d);
}

static void bridge_draws_partners(void **state)
{
    struct drawing d;
    uint32_t met[4][4] = {{0}};
    (void)state;
    start_drawing(&d, "gft:n=4,m=2,r=3", NULL, NULL);
    set_pattern(&d, "bridge:pairing=random");
    assert_int_equal(stage_count(&d), 0); /* samples, not stages */
    for (uint32_t k = 0; k < 400; k++) {
        const struct hd_flows *f = draw_stage(&d, k);
        assert_int_equal(f->n, 8);
        for (uint32_t i = 0; i < f->n; i += 2) {
            assert_true(f->src[i] < 4 && f->dst[i] >= 4 && f->dst[i] < 8);
            assert_true(f->src[i + 1] == f->dst[i] && f->dst[i + 1] == f->src[i]);
            met[f->src[i]][f->dst[i] - 4]++;
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) assert_in_range(met[i][j], 60, 140); /* 100 expected, 8.7 the deviation */
    stop_drawing(&d);
}

/* ---- demands -------------------------------------------------------------------------------- */

static void alltoall_is_all_pairs(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "gft:n=3,m=2,r=3", NULL, "random");
    keep_ranks(&d, 7, 3);
    set_pattern(&d, "alltoall");
    assert_int_equal(stage_count(&d), 1);
    const struct hd_flows *f = draw_stage(&d, 0);
    uint8_t sent[7][7] = {{0}};
    assert_int_equal(f->n, 42);
    assert_false(f->simple);
    for (uint32_t i = 0; i < f->n; i++) assert_int_equal(sent[d.rank_of[f->src[i]]][d.rank_of[f->dst[i]]]++, 0);
    stop_drawing(&d);
    start_drawing(&d, "gft:n=96,m=1,r=86", NULL, NULL); /* 8,256 endpoints */
    refuse_pattern(&d, "alltoall", "8256 ranks make 68153280 flows at once, at most 67100672");
    refuse_pattern(&d, "clustered:size=8200", "at most 67100672");
    refuse_pattern(&d, "uniform:p=1", "at most 67100672");
    stop_drawing(&d);
}

static void uniform_hits_its_probability(void **state)
{
    struct drawing d;
    uint32_t sent[8][8] = {{0}};
    (void)state;
    start_drawing(&d, "gft:n=4,m=2,r=2", NULL, NULL);
    set_pattern(&d, "uniform:p=0.25");
    for (uint32_t k = 0; k < 2000; k++) {
        const struct hd_flows *f = draw_stage(&d, k);
        for (uint32_t i = 0; i < f->n; i++) sent[f->src[i]][f->dst[i]]++;
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            if (i == j)
                assert_int_equal(sent[i][j], 0);
            else
                assert_in_range(sent[i][j], 400, 600); /* 500 expected, 19 the deviation */
        }
    set_pattern(&d, "uniform:p=1");
    assert_int_equal(draw_stage(&d, 0)->n, 56);
    set_pattern(&d, "uniform:p=0.001"); /* nearly always nobody: drawn until somebody sends */
    for (uint32_t k = 0; k < 20; k++) assert_in_range(draw_stage(&d, k)->n, 1, 3);
    refuse_pattern(&d, "uniform:p=0", "expected a number from");
    refuse_pattern(&d, "uniform:p=1.5", "expected a number from");
    stop_drawing(&d);
}

/* Every group is complete, and groups have the wanted sizes. */
static void check_groups(struct drawing *d, uint32_t size)
{
    const struct hd_flows *f = draw_stage(d, size);
    uint32_t n = d->ranks.n, *degree = calloc(n, sizeof *degree), last = n % size;
    uint8_t *sent = calloc(n, n);
    assert_true(degree && sent);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t s = d->rank_of[f->src[i]], t = d->rank_of[f->dst[i]];
        assert_int_equal(sent[s * n + t]++, 0);
        degree[s]++;
    }
    uint32_t small = 0;
    for (uint32_t i = 0; i < n; i++) {
        small += degree[i] != size - 1;
        if (degree[i] != size - 1) assert_int_equal(degree[i], last - 1);
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < n; k++)
                if (sent[i * n + j] && sent[j * n + k] && i != k) assert_true(sent[i * n + k]);
    }
    assert_int_equal(small, last);
    free(sent);
    free(degree);
}

static void clusters_are_complete(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "gft:n=6,m=2,r=4", NULL, "random");
    static const uint32_t sizes[] = {2, 3, 4, 5, 7, 8, 23, 24};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        char spec[32];
        snprintf(spec, sizeof spec, "clustered:size=%u", sizes[k]);
        set_pattern(&d, spec);
        assert_int_equal(stage_count(&d), 0);
        check_groups(&d, sizes[k]);
        assert_int_equal(draw_stage(&d, 1)->simple, sizes[k] == 2);
    }
    set_pattern(&d, "clustered:size=100"); /* more than there are: one group */
    assert_int_equal(draw_stage(&d, 0)->n, 24 * 23);
    refuse_pattern(&d, "clustered:size=1", "expected an integer from 2");
    stop_drawing(&d);
}

/* ---- ranks ---------------------------------------------------------------------------------- */

static hd_status try_ranks(struct drawing *d, const char *text)
{
    return hd_ranks_make(&d->ctx, &d->arena, d->routes, text_file(text), &d->ranks);
}

static void rank_files(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "gft:n=3,m=2,r=2", NULL, NULL);
    char text[200];
    snprintf(text, sizeof text, "# a job\n%s\n\n 0x%llx \n%s\n", hd_node_name(d.net, d.net->nsw + 4),
             (unsigned long long)d.net->guid[d.net->nsw + 1], hd_node_name(d.net, d.net->nsw + 5));
    assert_int_equal(try_ranks(&d, text), HD_OK);
    assert_int_equal(d.ranks.n, 3);
    assert_true(d.ranks.ep[0] == 4 && d.ranks.ep[1] == 1 && d.ranks.ep[2] == 5);
    snprintf(text, sizeof text, "%s\n0x%llx\n", hd_node_name(d.net, d.net->nsw + 4),
             (unsigned long long)d.net->guid[d.net->nsw + 4]);
    assert_int_equal(try_ranks(&d, text), HD_INPUT);
    assert_non_null(strstr(d.ctx.error, ":2: '0x"));
    assert_non_null(strstr(d.ctx.error, "is listed already"));
    assert_int_equal(try_ranks(&d, "\nnobody\n"), HD_INPUT);
    assert_non_null(strstr(d.ctx.error, ":2: 'nobody': no endpoint"));
    assert_int_equal(try_ranks(&d, "0x1\n"), HD_INPUT);
    assert_int_equal(try_ranks(&d, "# nobody\n"), HD_OK);
    assert_int_equal(d.ranks.n, 0);
    stop_drawing(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_keeps_its_contract),
        cmocka_unit_test(one_rank_is_refused),
        cmocka_unit_test(sequences_are_their_definitions),
        cmocka_unit_test(published_stage_counts),
        cmocka_unit_test(collectives_are_their_sequences),
        cmocka_unit_test(collectives_that_do_not_exist),
        cmocka_unit_test(help_names_every_algorithm),
        cmocka_unit_test(bridge_pairs_crossbars),
        cmocka_unit_test(bridge_draws_partners),
        cmocka_unit_test(alltoall_is_all_pairs),
        cmocka_unit_test(uniform_hits_its_probability),
        cmocka_unit_test(clusters_are_complete),
        cmocka_unit_test(rank_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
