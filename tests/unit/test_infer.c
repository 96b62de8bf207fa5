/* SPDX-License-Identifier: BSD-2-Clause */
/* hd_net_infer on small networks whose structure is known by eye. */
#include "grids.h"
#include "shuffle.h"
#include "base/context.h"

/* ---- helpers ------------------------------------------------------------------------------- */

/* "2; 4 8; 1 4; 1 1; 0" for a tree, "ring 5 line 3; 1 1; 0" for a grid, "none". */
static const char *shape_text(const struct hd_net *net)
{
    static char text[400];
    static const char *const wraps[] = {"line", "ring", "clique"};
    const struct hd_shape *s = &net->shape;
    int n = 0;
    text[0] = 0;
    if (s->kind == HD_SHAPE_NONE) return "none";
    if (s->kind == HD_SHAPE_TREE) n += sprintf(text, "%u;", s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->kind == HD_SHAPE_GRID) n += sprintf(text + n, "%s%s", i ? " " : "", wraps[s->w[i]]);
        n += sprintf(text + n, " %u", s->m[i]);
    }
    if (s->kind == HD_SHAPE_TREE) n += sprintf(text + n, ";");
    for (uint32_t i = 0; i < s->n && s->kind == HD_SHAPE_TREE; i++) n += sprintf(text + n, " %u", s->w[i]);
    n += sprintf(text + n, ";");
    for (uint32_t i = 0; i < s->n; i++) n += sprintf(text + n, " %u", s->p[i]);
    sprintf(text + n, "; %u", s->missing);
    return text;
}

static void expect_shape(const char *what, const struct hd_net *net, const char *shape)
{
    if (strcmp(shape_text(net), shape) != 0)
        fail_msg("%s: found '%s', expected '%s' (%s)", what, shape_text(net), shape, net->departs);
    if ((net->shape.n == 0) != (net->departs[0] != 0)) fail_msg("%s: departs is '%s'", what, net->departs);
}

/* A network from text: "a-b" is a cable, "a*3" three hosts on a, "a+1" an aggregation node, "a?" a router;
 * switches are single letters. */
static struct hd_net *draw(const char *text)
{
    struct hd_ctx ctx;
    struct hd_builder *b = NULL;
    struct hd_net *net = NULL;
    uint32_t sw[128], port[128] = {0};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    memset(sw, 0xff, sizeof sw);
    for (const char *s = text; *s; s++)
        if (((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')) && sw[(int)*s] == UINT32_MAX)
            sw[(int)*s] = hd_builder_switch(b, &(struct hd_switch_in){.name = (char[]){*s, 0}});
    for (const char *s = text; *s; s++) {
        int v = s[0], u = s[1] == '-' ? s[2] : 0;
        if (s[1] == '-') hd_builder_cable(b, sw[v], ++port[v], sw[u], ++port[u], 0);
        for (int i = 0; s[1] == '*' && i < s[2] - '0'; i++) hd_builder_host(b, sw[v], ++port[v], 0);
        if (s[1] == '+' || s[1] == '?') {
            enum hd_role role = s[1] == '+' ? HD_ROLE_AGGREGATION : HD_ROLE_ROUTER;
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.role = role});
            hd_builder_cable(b, sw[v], ++port[v], hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
        }
        while (*s && s[1] && *s != ' ') s++;
    }
    hd_status status = hd_builder_finish(&ctx, b, text, &net);
    return checked(&ctx, status, net, text);
}

static uint32_t find_switch(const struct hd_net *net, const char *name)
{
    uint32_t v = 0;
    while (v < net->nsw && strcmp(hd_node_name(net, v), name) != 0) v++;
    if (v == net->nsw) fail_msg("no switch %s", name);
    return v;
}

static void expect_drawn(const char *text, const char *shape, const char *levels)
{
    struct hd_net *net = draw(text), *found = infer_net(net);
    expect_shape(text, found, shape);
    for (const char *l = levels; *l; l += 3) { /* "a1 b2 " */
        uint32_t v = find_switch(found, (char[]){l[0], 0}), want = l[1] == '?' ? HD_NO_LEVEL : (uint32_t)(l[1] - '0');
        if (found->level[v] != want) fail_msg("%s: switch %c has level %u, not %u", text, l[0], found->level[v], want);
    }
    hd_net_free(found);
    hd_net_free(net);
}

static void expect_departs(const char *text, const char *words)
{
    struct hd_net *net = draw(text), *found = infer_net(net);
    expect_shape(text, found, "none");
    if (!strstr(found->departs, words)) fail_msg("%s: expected '%s' in: %s", text, words, found->departs);
    hd_net_free(found);
    hd_net_free(net);
}

static void expect_inferred(const char *spec, const char *shape)
{
    struct hd_net *net = make_net(spec);
    uint32_t *map = calloc(net->nsw, sizeof *map);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct hd_net *raw = shuffle_net(net, NULL, seed, map), *found = infer_net(raw);
        expect_shape(spec, found, shape);
        for (uint32_t v = 0; v < net->nsw; v++)
            if (found->level[map[v]] != net->level[v])
                fail_msg("%s: switch %u has level %u, not %u", spec, v, found->level[map[v]], net->level[v]);
        hd_net_free(found);
        hd_net_free(raw);
    }
    free(map);
    hd_net_free(net);
}

static void expect_grid(const char *grid, const char *shape)
{
    struct hd_net *net = make_grid(grid);
    uint32_t *map = calloc(net->nsw, sizeof *map);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct hd_net *raw = shuffle_net(net, NULL, seed, map), *found = infer_net(raw);
        expect_shape(grid, found, shape);
        hd_net_free(found);
        hd_net_free(raw);
    }
    free(map);
    hd_net_free(net);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void small_trees(void **state)
{
    (void)state;
    expect_drawn("a*5", "1; 5; 1; 1; 0", "a1 ");
    expect_drawn("a*1", "1; 1; 1; 1; 0", "a1 ");
    expect_drawn("a*2 b*3 a-s b-s", "2; 3 2; 1 1; 1 1; 0", "a1 b1 s2 ");
    expect_drawn("a*2 b*3 a-s a-s b-s a-t a-t b-t b-t", "2; 3 2; 1 2; 1 2; 1", "s2 t2 ");
    /* a chain whose end could be a parent or a spare leaf: the reading with fewer levels */
    expect_drawn("a*1 a-b b-c", "2; 1 2; 1 1; 1 1; 0", "a1 b2 c1 ");
    expect_drawn("a*1 b*1 a-s b-t s-x t-x", "3; 1 1 2; 1 1 1; 1 1 1; 0", "x3 ");
}

static void networks_without_hosts(void **state)
{
    (void)state;
    expect_drawn("a", "none", "a? ");
    expect_departs("a", "no host can be reached from switch 'a'");
    expect_drawn("a-b", "line 2; 1; 0", "a? b? ");
    expect_drawn("a*1 b", "1; 1; 1; 1; 0", "a1 b1 "); /* b could be anything: no part of it */
    expect_drawn("a*1 b-c", "1; 1; 1; 1; 0", "a1 b1 c1 ");
    expect_drawn("a? a-s b-s", "2; 1 2; 1 1; 1 1; 0", "a1 s2 b1 "); /* no host at all: any endpoint counts */
}

/* Switches that no endpoint can be reached from change nothing, whatever they are, and have no place. */
static void unused_switches_change_nothing(void **state)
{
    static const char *const nets[][3] = {
        {"a*2 b*2 c*2 d*2 a-s a-t b-s b-t c-s c-t d-s d-t", "2; 2 4; 1 2; 1 1; 0", "a1 s2 "},
        {"a*2 b*2 c*2 d*2 a-s b-s b-t c-s c-t d-s d-t", "2; 2 4; 1 2; 1 1; 1", "a1 s2 "},
        {"a*1 b*1 c*1 d*1 a-s b-s c-t d-t s-u t-u", "3; 1 2 2; 1 1 1; 1 1 1; 0", "a1 s2 u3 "},
        {"a*1 b*1 c*1 d*1 e*1 f*1 a-b b-c d-e e-f a-d b-e c-f", "line 2 line 3; 1 1; 0", "a1 f1 "},
        {"a*1 b*1 c*1 d*1 e*1 a-b b-c c-d d-e e-a", "ring 5; 1; 0", "a1 e1 "}};
    static const char *const unused[] = {
        "", "x", "x y z", "x-y", "x-y x-y x-y", "x-y z", "x-y y-z z-x", "x-w y-w z-w", "A B C-D D-E E-C x"};
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (size_t k = 0; k < 2 * sizeof unused / sizeof *unused; k++) {
            const char *more = unused[k / 2]; /* before and behind the others */
            snprintf(text, sizeof text, "%s %s", k % 2 ? more : nets[i][0], k % 2 ? nets[i][0] : more);
            expect_drawn(text, nets[i][1], nets[i][2]);
            struct hd_net *net = draw(text), *found = infer_net(net);
            for (uint32_t v = 0; v < found->nsw; v++) {
                const char name = *hd_node_name(found, v);
                assert_int_equal(found->unplaced[v], name >= 'w' || name <= 'Z');
            }
            hd_net_free(found);
            hd_net_free(net);
        }
}

static void other_endpoints_make_no_leaf(void **state)
{
    (void)state;
    struct hd_net *net = draw("a+1 s+1 a*2 t? b*2 b? a-s b-s a-t b-t"), *found = infer_net(net);
    expect_shape("aggregation", found, "2; 2 2; 1 2; 1 1; 0");
    uint32_t a = find_switch(found, "a"), s = find_switch(found, "s");
    assert_int_equal(found->level[s], 2);
    for (uint32_t e = 0; e < found->nep; e++) {
        const uint16_t *x = hd_coord(found, found->nsw + e);
        if (found->ca_role[found->ca[e]] == HD_ROLE_HOST) continue;
        assert_int_equal(x[0], 0);
        if (hd_leaf(found, e) == a) assert_int_equal(x[1], hd_coord(found, a)[1]);
        if (hd_leaf(found, e) == s) assert_int_equal(x[1], 0);
    }
    hd_net_free(found);
    hd_net_free(net);
}

static void hosts_on_a_spine(void **state)
{
    (void)state;
    expect_departs("a*2 b*2 c*2 s*1 a-s b-s c-s a-t b-t c-t",
                   "cable 'a' port 3 - 's' port 2 connects two switches of level 1, as do 2 others; "
                   "not a grid either: ");
    expect_drawn("a*2 b*2 c*2 s*1 a-s b-s c-s a-t b-t c-t", "none", "a1 s1 t2 ");
    expect_departs("a*1 b*1 c*1 r*1 a-b a-c a-r b-c", "cable 'a' port 2 - 'b' port 2 connects two switches of level 1");
}

static void hosts_on_several_heights(void **state)
{
    (void)state;
    expect_departs("a*1 b*1 c*1 b-t c-t a-r t-r", "connects two switches of level 2");
}

static void empty_leaves_and_subtrees(void **state)
{
    (void)state;
    expect_drawn("a*2 b*2 c-s c-t a-s a-t b-s b-t", "2; 2 3; 1 2; 1 1; 0", "a1 c1 s2 t2 ");
    expect_inferred("gft:n=3,m=1,r=6,partial=endpoints:10", "2; 3 6; 1 1; 1 1; 0");
    expect_inferred("kary:k=2,n=4,partial=endpoints:1", "4; 1 2 2 2; 1 2 2 2; 1 1 1 1; 0");
    expect_inferred("kary:k=3,n=4,partial=random:9", "4; 2 3 3 3; 1 3 3 3; 1 1 1 1; 0");
    expect_inferred("xgft:m=4x4x4,w=1x2x1,partial=endpoints:5", "3; 4 4 4; 1 2 1; 1 1 1; 0");
    expect_inferred("xgft:m=4x4x4,w=1x1x1,partial=endpoints:5", "3; 4 4 4; 1 1 1; 1 1 1; 0");
    expect_inferred("xgft:m=4x4x4x4,w=1x1x2x1,partial=endpoints:5", "4; 4 4 4 4; 1 1 2 1; 1 1 1 1; 0");
}

/* Crossbars that nothing is plugged into: u and v are one subtree, though no leaf joins them. */
static void subtrees_without_leaves(void **state)
{
    (void)state;
    expect_drawn("a*2 b*2 a-s a-t b-s b-t s-x s-y t-z t-w u-x u-y v-z v-w", "3; 2 2 2; 1 2 2; 1 1 1; 0",
                 "a1 s2 u2 v2 x3 w3 ");
    expect_drawn("a*2 b*2 a-s a-t b-s b-t s-x s-y t-z t-w u-x u-y v-z v-w p-x p-y q-z q-w", "3; 2 2 3; 1 2 2; 1 1 1; 0",
                 "u2 v2 p2 q2 ");
    /* and a level higher: p over u and q over v */
    expect_drawn("a*2 b*2 a-s a-t b-s b-t s-x t-z x-y x-Y z-w z-W u-p p-y p-Y v-q q-w q-W",
                 "4; 2 2 1 2; 1 2 1 2; 1 1 1 1; 0", "u2 v2 p3 q3 y4 W4 ");
}

/* A switch that lost all cables to one side: v its children, t its parents. */
static void switches_cut_off_on_one_side(void **state)
{
    (void)state;
    expect_drawn("a*2 b*2 a-s a-t b-s b-t s-x s-y t-z t-w c*2 d*2 c-u d-u u-x u-y v-z v-w", "3; 2 2 2; 1 2 2; 1 1 1; 2",
                 "u2 v2 z3 ");
    expect_drawn("a*1 b*1 c*1 d*1 a-s b-s a-t b-t c-u d-u c-v d-v s-x s-y u-x u-y v-z v-w", "3; 1 2 2; 1 2 2; 1 1 1; 2",
                 "t2 v2 z3 ");
}

/* One cable beside another where all other pairs have one is no reason to miss all the others. */
static void a_cable_too_many(void **state)
{
    (void)state;
    expect_drawn("a*1 b*1 c*1 d*1 a-s b-s c-s d-s a-t b-t c-t d-t a-u b-u c-u d-u d-u", "2; 1 4; 1 3; 1 1; 0",
                 "a1 u2 ");
    expect_drawn("a*1 b*1 c*1 d*1 a-s b-s c-s d-s a-t b-t c-t d-t a-u b-u c-u d-s", "2; 1 4; 1 3; 1 1; 1", "a1 u2 ");
    expect_drawn("a*1 b*1 a-s b-s a-t b-t b-t", "2; 1 2; 1 2; 1 1; 0", "a1 t2 ");
    expect_drawn("a*1 b*1 a-s b-s a-t b-t a-s a-t b-t", "2; 1 2; 1 2; 1 2; 1", "a1 t2 ");
}

static void parts_become_subtrees(void **state)
{
    (void)state;
    /* two planes, then one of two levels and one of one, then a leaf that lost its only cable */
    expect_drawn("a*2 b*2 a-s b-s c*2 d*2 c-t d-t", "3; 2 2 2; 1 1 1; 1 1 1; 0", "a1 s2 t2 ");
    expect_drawn("a*2 b*2 a-s b-s a-t b-t c*2 c-u", "3; 2 2 2; 1 2 1; 1 1 1; 0", "a1 s2 u2 ");
    expect_drawn("a*2 b*2 a-s b-s a-r b-r a-x b-x a-y b-y a-z b-z c*1", "3; 2 2 2; 1 5 1; 1 1 1; 0", "c1 ");
    expect_drawn("a*1 b*1 c*1 d*1 a-s b-s c-t s-r t-r", "3; 1 2 2; 1 1 1; 1 1 1; 1", "d1 ");
}

static void misplaced_cables_are_named(void **state)
{
    struct hd_net *net = make_net("ft:m=8,n=3"), *raw, *found;
    struct hd_ctx ctx;
    struct hd_builder *b = NULL;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    /* swap the last uplinks of the first and the last leaf: different subtrees */
    uint32_t leaves = 0, swap[2];
    while (net->level[leaves] == 1) leaves++;
    swap[0] = net->off[1] - 1;
    swap[1] = net->off[leaves] - 1;
    for (uint32_t v = 0; v < net->nsw; v++) hd_builder_switch(b, &(struct hd_switch_in){.level = 0});
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t to = c == swap[0] ? swap[1] : c == swap[1] ? swap[0] : c, u = net->tail[c], r = net->rev[to];
        if (net->rev[c] < c) continue;
        if (net->head[c] >= net->nsw)
            hd_builder_host(b, u, net->port[c], 0);
        else
            hd_builder_cable(b, u, net->port[c], net->tail[r], net->port[r], 0);
    }
    hd_status s = hd_builder_finish(&ctx, b, "swapped", &raw);
    raw = checked(&ctx, s, raw, "swapped");
    found = infer_net(raw);
    expect_shape("swapped", found, "none");
    char words[2][100];
    for (int i = 0; i < 2; i++)
        snprintf(words[i], sizeof words[i], "cable '%s' port %u - ", hd_node_name(raw, net->tail[swap[i]]),
                 net->port[swap[i]]);
    if (!strstr(found->departs, words[0]) && !strstr(found->departs, words[1]))
        fail_msg("expected %s or %s in: %s", words[0], words[1], found->departs);
    if (!strstr(found->departs, "seems misplaced")) fail_msg("expected 'misplaced' in: %s", found->departs);
    hd_net_free(found);
    hd_net_free(raw);
    hd_net_free(net);
}

static void grids(void **state)
{
    (void)state;
    expect_grid("ring 5 5", "ring 5 ring 5; 1 1; 0");
    expect_grid("ring 7 5 6", "ring 5 ring 6 ring 7; 1 1 1; 0");
    expect_grid("line 6 4 5 hosts 3", "line 4 line 5 line 6; 1 1 1; 0");
    expect_grid("clique 5 4", "clique 4 clique 5; 1 1; 0");
    expect_grid("clique 3 4 cables 2 clique 2", "line 2 clique 3 clique 4; 1 2 2; 0");
    expect_grid("ring 8 cables 3 clique 5 line 3", "line 3 clique 5 ring 8; 1 1 3; 0");
    expect_grid("line 9", "line 9; 1; 0");
    expect_grid("ring 9", "ring 9; 1; 0");
    expect_grid("clique 9", "clique 9; 1; 0");
    expect_grid("line 2 cables 4", "line 2; 4; 0");
    expect_grid("ring 3", "ring 3; 1; 0");
    expect_grid("ring 6 6 hosts 0", "ring 6 ring 6; 1 1; 0");
}

/* The ports of most of these drawings follow no dimension, so nothing says hypercube; tests/golden/cabling.sh has some
 * that do. */
static void grids_with_two_names(void **state)
{
    (void)state;
    expect_grid("ring 4 4 4", "ring 4 ring 4 ring 4; 1 1 1; 0");
    expect_grid("line 2 2 2 2 2 2", "ring 4 ring 4 ring 4; 1 1 1; 0");
    expect_grid("ring 4", "line 2 line 2; 1 1; 0");
    expect_grid("ring 4 5", "ring 4 ring 5; 1 1; 0");
    expect_grid("ring 4 4 3 5", "ring 3 ring 4 ring 4 ring 5; 1 1 1 1; 0");
    expect_grid("ring 5 4 cables 2 ring 4", "ring 4 ring 4 ring 5; 1 2 2; 0");
    expect_grid("line 2 2 5", "line 2 line 2 line 5; 1 1 1; 0");
}

/* The levels of a long line: as far as they can be written. */
static void levels_run_out(void **state)
{
    struct hd_ctx ctx;
    struct hd_builder *b = NULL;
    struct hd_net *net = NULL, *found;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < 300; v++) hd_builder_switch(b, &(struct hd_switch_in){.level = 0});
    for (uint32_t v = 0; v + 1 < 300; v++) hd_builder_cable(b, v, 1, v + 1, 2, 0);
    hd_builder_host(b, 0, 3, 0);
    hd_status s = hd_builder_finish(&ctx, b, "long", &net);
    found = infer_net(checked(&ctx, s, net, "long"));
    expect_shape("long", found, "line 300; 1; 0");
    for (uint32_t v = 0; v < 300; v++) assert_int_equal(found->level[v], v < 254 ? v + 1 : HD_NO_LEVEL);
    hd_net_free(found);
    hd_net_free(net);
}

static void known_shapes_are_kept(void **state)
{
    struct hd_net *net = make_net("ft:m=4,n=3"), *found = infer_net(net);
    (void)state;
    assert_memory_equal(&net->shape, &found->shape, sizeof net->shape);
    assert_memory_equal(net->coord, found->coord, (net->nsw + net->nep) * net->shape.n * sizeof *net->coord);
    assert_memory_equal(net->level, found->level, net->nsw + net->nep);
    assert_memory_equal(net->head, found->head, net->nchan * sizeof *net->head);
    assert_string_equal(found->departs, "");
    assert_string_equal(found->spec, net->spec);
    hd_net_free(found);
    hd_net_free(net);
}

/* Unshuffled, the digits are the generator's own. */
static void generated_digits_come_back(void **state)
{
    static const char *const specs[] = {"ft:m=8,n=3", "pgft:m=4x4x3,w=1x2x2,p=1x2x1", "kary:k=3,n=4"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct hd_net *net = make_net(specs[i]), bare = *net;
        bare.shape = (struct hd_shape){.kind = HD_SHAPE_NONE};
        bare.coord = NULL;
        struct hd_net *found = infer_net(&bare);
        assert_memory_equal(&net->shape, &found->shape, sizeof net->shape);
        assert_memory_equal(net->coord, found->coord, (net->nsw + net->nep) * net->shape.n * sizeof *net->coord);
        assert_memory_equal(net->level, found->level, net->nsw + net->nep);
        hd_net_free(found);
        hd_net_free(net);
    }
}

static void copies_keep_what_was_found(void **state)
{
    struct hd_net *net = draw("a*1 b*1 c*1 r*1 a-b a-c a-r b-c"), *found = infer_net(net), *copy = NULL;
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_choose(&ctx, found, &(struct hd_choice){0}, &copy);
    copy = checked(&ctx, s, copy, "copy");
    assert_true(found->departs[0] != 0);
    assert_string_equal(copy->departs, found->departs);
    assert_memory_equal(copy->level, found->level, found->nsw);
    hd_net_free(copy);
    hd_net_free(found);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees),
        cmocka_unit_test(networks_without_hosts),
        cmocka_unit_test(unused_switches_change_nothing),
        cmocka_unit_test(other_endpoints_make_no_leaf),
        cmocka_unit_test(hosts_on_a_spine),
        cmocka_unit_test(hosts_on_several_heights),
        cmocka_unit_test(empty_leaves_and_subtrees),
        cmocka_unit_test(subtrees_without_leaves),
        cmocka_unit_test(switches_cut_off_on_one_side),
        cmocka_unit_test(a_cable_too_many),
        cmocka_unit_test(parts_become_subtrees),
        cmocka_unit_test(misplaced_cables_are_named),
        cmocka_unit_test(grids),
        cmocka_unit_test(grids_with_two_names),
        cmocka_unit_test(levels_run_out),
        cmocka_unit_test(known_shapes_are_kept),
        cmocka_unit_test(generated_digits_come_back),
        cmocka_unit_test(copies_keep_what_was_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
