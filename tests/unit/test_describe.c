/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions against naive searches, closed forms of trees, and small networks counted by hand. */
#include "tiny.h"

#include "base/rng.h"
#include "net/describe/distance_stats.h"
#include "base/context.h"
#include "tool/planes.h"

static struct hd_topo_info described(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_topo_info info;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_describe(&ctx, net, &info);
    if (s != HD_OK) fail_msg("%s: %s", net->spec, ctx.error);
    return info;
}

static struct hd_net *failed(const struct hd_net *net, const char *what)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_fail(&ctx, net, what, &out);
    return checked(&ctx, s, out, what);
}

/* ---- distances ----------------------------------------------------------------------------- */

/* One plain search a switch that holds endpoints; every pair of endpoints counted through it. */
static void naive(const struct hd_net *net, uint32_t *diameter, double *mean)
{
    uint32_t *dist = malloc(net->nsw * sizeof *dist), *queue = malloc(net->nsw * sizeof *queue);
    uint64_t *hosts = calloc(net->nsw, sizeof *hosts), sum = 0, pairs = 0;
    for (uint32_t e = 0; e < net->nep; e++) hosts[hd_leaf(net, e)]++;
    *diameter = 0;
    for (uint32_t s = 0; s < net->nsw; s++) {
        if (!hosts[s]) continue;
        uint32_t begin = 0, end = 0;
        memset(dist, 0xff, net->nsw * sizeof *dist);
        dist[s] = 0;
        queue[end++] = s;
        while (begin < end) {
            uint32_t v = queue[begin++];
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                uint32_t u = net->head[c];
                if (u >= net->nsw || dist[u] != UINT32_MAX) continue;
                dist[u] = dist[v] + 1;
                queue[end++] = u;
            }
        }
        for (uint32_t v = 0; v < net->nsw; v++) {
            if (!hosts[v] || dist[v] == UINT32_MAX) continue;
            sum += hosts[s] * hosts[v] * dist[v];
            pairs += v == s ? hosts[s] * (hosts[s] - 1) : hosts[s] * hosts[v];
            if (dist[v] > *diameter) *diameter = dist[v];
        }
    }
    *mean = pairs ? (double)sum / (double)pairs : 0;
    free(dist);
    free(queue);
    free(hosts);
}

static void assert_distances(const struct hd_net *net)
{
    struct hd_topo_info info = described(net);
    uint32_t diameter;
    double mean;
    naive(net, &diameter, &mean);
    if (info.diameter != diameter || info.mean_distance != mean)
        fail_msg("%s: diameter %u and mean %.17g, expected %u and %.17g", net->spec, info.diameter, info.mean_distance,
                 diameter, mean);
}

static void registered_networks_against_searches(void **state)
{
    (void)state;
    const struct hd_desc *d;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++)
        for (size_t j = 0; d->examples[j]; j++) {
            struct hd_net *net = make_net(d->examples[j]);
            if (net->nsw <= 2000) assert_distances(net);
            hd_net_free(net);
        }
}

static void damaged_networks_against_searches(void **state)
{
    (void)state;
    static const char *const specs[] = {"ft:m=8,n=3", "xgft:m=3x2x2x3,w=1x2x3x2", "pgft:m=6x6x4,w=1x3x2,p=1x2x3",
                                        "kary:k=7,n=4"};
    char what[64];
    for (size_t i = 0; i < 4; i++) {
        struct hd_net *net = make_net(specs[i]);
        uint32_t cables = net->nchan / 2 - net->nep;
        for (uint32_t n = 1; n < cables; n += 1 + n / 2) {
            snprintf(what, sizeof what, "links=%u,seed=%u", n, n);
            struct hd_net *out = failed(net, what);
            assert_distances(out);
            hd_net_free(out);
        }
        struct hd_net *out = failed(net, "switches=5,seed=5");
        assert_distances(out);
        hd_net_free(out);
        hd_net_free(net);
    }
}

static void random_networks_against_searches(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 400; round++) {
        struct hd_rng rng;
        hd_rng_init(&rng, 3, HD_RNG_TEST, round);
        uint32_t nsw = 1 + hd_rng_below(&rng, 40), used = 0;
        char hosts[256] = "", cables[1024] = "";
        for (uint32_t v = 0; v < nsw; v++)
            used += (uint32_t)snprintf(hosts + used, sizeof hosts - used, "%u ", hd_rng_below(&rng, round % 2 ? 4 : 2));
        used = 0;
        for (uint32_t i = hd_rng_below(&rng, 2 * nsw); i-- > 0;) {
            uint32_t u = hd_rng_below(&rng, nsw), v = hd_rng_below(&rng, nsw);
            if (u != v) used += (uint32_t)snprintf(cables + used, sizeof cables - used, "%u-%u ", u, v);
        }
        struct hd_net *net = tiny(hosts, cables);
        assert_distances(net);
        hd_net_free(net);
    }
}

/* A line of 600 switches, all with a different view of it: three batches of sources. */
static void a_long_line(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < 600; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.nports = 4});
        for (uint32_t i = 0; i <= v % 2; i++) hd_builder_host(b, v, 3 + i, 1);
        if (v) hd_builder_cable(b, v - 1, 2, v, 1, 1);
    }
    hd_status s = hd_builder_finish(&ctx, b, "line", &net);
    checked(&ctx, s, net, "line");
    assert_int_equal(described(net).diameter, 599);
    assert_distances(net);
    hd_net_free(net);
}

/* ---- trees --------------------------------------------------------------------------------- */

/* Whole grids have a closed form; it says what a search says, and steps back where it does not hold. */
static void grids_in_closed_form(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *fail;
        bool closed;
    } cases[] = {{"torus:dims=5x4x3,hosts=2", NULL, true},
                 {"torus:dims=2x2x2x2x2", NULL, true},
                 {"torus:dims=7,hosts=3", NULL, true},
                 {"torus:dims=1,hosts=2", NULL, true},
                 {"mesh:dims=6x3x2,hosts=1", NULL, true},
                 {"hyperx:dims=4x5x2", NULL, true},
                 {"hypercube:n=7", NULL, true},
                 {"torus:dims=5x4,hosts=2", "link=node-00003:1", true},  /* switches unequal */
                 {"torus:dims=5x4,hosts=1", "link=node-00003:1", false}, /* one without endpoints */
                 {"torus:dims=5x4,hosts=2", "links=1", false},
                 {"torus:dims=5x4,hosts=2", "switches=1", false},
                 {"ft:m=4,n=2", NULL, true},
                 {"ft:m=4,n=4,partial=subtrees:3", NULL, true},
                 {"kary:k=3,n=3,partial=random:11", NULL, true},
                 {"pgft:m=6x6x4,w=1x3x2,p=1x2x3", NULL, true},
                 {"xgft:m=5,w=1", NULL, true},
                 {"ft:m=4,n=3", "link=node-00003:1", true}, /* leaf switches unequal */
                 {"ft:m=4,n=3", "links=1", false},
                 {"ft:m=4,n=3", "switches=1", false},
                 {"pgft:m=4x4,w=1x2,p=1x2", "links=1,seed=3", false},
                 {"random:switches=9,ports=8,hosts=2,seed=1", NULL, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_ctx ctx;
        struct hd_net *net = make_net(cases[i].spec), *left = NULL;
        struct hd_distances closed = {0}, searched;
        hd_ctx_init(&ctx);
        if (cases[i].fail) {
            hd_status s = hd_net_fail(&ctx, net, cases[i].fail, &left);
            checked(&ctx, s, left, cases[i].fail);
        }
        const struct hd_net *n = left ? left : net;
        bool found = hd_grid_distances(n, &closed) || hd_tree_distances(n, &closed);
        if (found != cases[i].closed) fail_msg("%s: closed form or not", n->spec);
        for (ctx.threads = 1; ctx.threads <= 3; ctx.threads++) {
            assert_int_equal(hd_search_distances(&ctx, n, HD_DISTANCE_STEPS, &searched), HD_OK);
            if (cases[i].closed && (closed.sum != searched.sum || closed.diameter != searched.diameter))
                fail_msg("%s: %llu and %u, a search finds %llu and %u", n->spec, (unsigned long long)closed.sum,
                         closed.diameter, (unsigned long long)searched.sum, searched.diameter);
        }
        hd_net_free(left);
        hd_net_free(net);
    }
}

/* A search that takes too long ends without a result, on any number of threads. */
static void distances_are_bounded(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = make_net("random:switches=600,ports=8,hosts=2,seed=1");
    hd_ctx_init(&ctx);
    for (ctx.threads = 1; ctx.threads <= 3; ctx.threads++) {
        struct hd_distances d;
        assert_int_equal(hd_search_distances(&ctx, net, 1000, &d), HD_OK);
        assert_true(!d.known && d.sum == 0 && d.diameter == 0);
        assert_int_equal(hd_search_distances(&ctx, net, 12000, &d), HD_OK); /* each cable once, but not more often */
        assert_true(!d.known && d.sum == 0 && d.diameter == 0);
        assert_int_equal(hd_search_distances(&ctx, net, HD_DISTANCE_STEPS, &d), HD_OK);
        assert_true(d.known && d.diameter > 2);
    }
    hd_net_free(net);
}

/* 65,536 switches of 16 dimensions: digits differ in 8 places on average, itself not counted. */
static void a_grid_of_many_dimensions(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_topo_info info;
    struct hd_net *net = make_net("hypercube:n=16,hosts=1");
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_describe(&ctx, net, &info), HD_OK);
    assert_int_equal(info.diameter, 16);
    assert_true(info.mean_distance == 8 * 65536.0 / 65535);
    hd_net_free(net);
}

/* In an intact tree two endpoints that first meet at level l are 2(l-1) cables apart. */
static void trees_in_closed_form(void **state)
{
    (void)state;
    static const char *const specs[] = {"ft:m=8,n=3", "kary:k=3,n=4", "xgft:m=3x2x2x3,w=1x2x3x2", "xgft:m=5,w=1",
                                        "pgft:m=4x4x3,w=1x2x2,p=1x2x1"};
    for (size_t i = 0; i < 5; i++) {
        struct hd_net *net = make_net(specs[i]);
        const struct hd_shape *t = &net->shape;
        struct hd_topo_info info = described(net);
        uint64_t sum = 0, below = t->m[0];
        uint32_t diameter = 0;
        for (uint32_t l = 1; l < t->n; l++) {
            sum += 2 * l * net->nep * (below * t->m[l] - below);
            below *= t->m[l];
            if (t->m[l] > 1) diameter = 2 * l;
        }
        assert_int_equal(info.diameter, diameter);
        assert_true(info.mean_distance == (double)sum / ((double)net->nep * (net->nep - 1)));
        assert_int_equal(info.levels, t->n);
        assert_int_equal(info.missing, 0);
        assert_int_equal(info.degraded, 0);
        assert_int_equal(info.parts, 1);
        hd_net_free(net);
    }
}

static void levels_of_a_slimmed_tree(void **state)
{
    (void)state;
    struct hd_net *net = make_net("xgft:m=24x24,w=1x12");
    struct hd_topo_info info = described(net);
    assert_int_equal(info.endpoints, 576);
    assert_int_equal(info.switches, 36);
    assert_int_equal(info.cables, 576 + 24 * 12);
    assert_int_equal(info.switch_cables, 288);
    assert_int_equal(info.hosts, 576);
    assert_int_equal(info.rails, 1);
    assert_int_equal(info.selected, 576);
    assert_int_equal(info.by_role[HD_ROLE_HOST], 576);
    assert_int_equal(info.levels, 2);
    assert_int_equal(info.level[0].switches, 0);
    const struct hd_level_info *leaf = &info.level[1], *top = &info.level[2];
    assert_int_equal(leaf->switches, 24);
    assert_int_equal(leaf->endpoints, 576);
    assert_int_equal(leaf->ports_min, 36);
    assert_int_equal(leaf->ports_max, 36);
    assert_int_equal(leaf->down_cables, 576);
    assert_int_equal(leaf->up_cables, 288);
    assert_int_equal(leaf->side_cables, 0);
    assert_int_equal(leaf->down_mbps, 576 * UINT64_C(100000));
    assert_true(leaf->oversubscription == 2);
    assert_int_equal(top->switches, 12);
    assert_int_equal(top->endpoints, 0);
    assert_int_equal(top->down_cables, 288);
    assert_int_equal(top->up_cables, 0);
    assert_true(top->oversubscription == 0);
    assert_true(info.rates_known);
    assert_int_equal(info.by_link[hd_link_code("4xEDR", 5)], info.cables);
    assert_string_equal(info.clos, "slimmed");
    hd_net_free(net);
}

static void partial_trees_count_what_is_there(void **state)
{
    (void)state;
    struct hd_net *net = make_net("gft:n=4,m=4,r=8,partial=endpoints:6");
    struct hd_topo_info info = described(net);
    assert_int_equal(info.level[1].ports_min, 4); /* leaves without endpoints */
    assert_int_equal(info.level[1].ports_max, 8);
    assert_int_equal(info.level[1].physical_min, 8);
    assert_true(info.level[1].oversubscription == 6.0 / 32);
    hd_net_free(net);
}

/* Directors alike: what one has and another has not is missed, also where a line ASIC is gone beside. Cables that are
 * lost are no spines, and a line without any does not make the others of its director smaller. */
static void spines_of_directors_are_missed(void **state)
{
    (void)state;
    static const char *const spec[] = {"director:groups=3,leaves=6,spines=6,hosts=4,directors=2,lines=3",
                                       "director:groups=3,leaves=6,spines=6,hosts=4,rails=2,directors=4,lines=3"};
    static const struct {
        const char *fail;
        uint32_t absent;
    } row[] = {
        {"switch=director-1/S6/U1", 9},
        {"switch=director-1/S3/U1+director-1/S4/U1", 18},
        {"switch=director-1/S1/U1+director-1/S2/U1+director-1/S3/U1", 27},
        {"switch=director-1/S1/U1+director-1/S2/U1+director-1/S3/U1+director-1/S4/U1+director-1/S5/U1+"
         "director-1/S6/U1",
         54},
        {"switch=director-1/S3/U1+director-1/S4/U1+director-1/L2/U1", 16},
        {"switch=director-1/S1/U1+director-1/S2/U1+director-1/S3/U1+director-1/S4/U1+director-1/S5/U1+"
         "director-1/S6/U1+director-1/L2/U1",
         48},
        {"switch=director-1/L2/U1", 0},
        {"links=12,seed=1", 0},
    };
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        struct hd_net *net = make_net(spec[i]);
        assert_int_equal(described(net).absent, 0);
        for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
            struct hd_net *less = failed(net, row[k].fail);
            if (described(less).absent != row[k].absent)
                fail_msg("%s: %s: %u are absent", spec[i], row[k].fail, described(less).absent);
            hd_net_free(less);
        }
        hd_net_free(net);
    }
}

/* So are planes, also where one lost a leaf switch beside; one that is a quarter smaller may have been built so. */
static void spines_of_planes_are_missed(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *fail;
        uint32_t absent;
    } row[] = {
        {"gft:n=4,m=4,r=8,planes=2", "switch=L2-0020", 8},
        {"gft:n=4,m=4,r=8,planes=2", "switch=L2-0020+L1-0012", 7},
        {"gft:n=4,m=4,r=8,planes=2", "switch=L2-0021+L2-0022+L1-0012", 14},
        {"gft:n=4,m=4,r=8,planes=2", "switch=L2-0020+L1-0004", 8},
        {"gft:n=4,m=4,r=8,planes=2", "switch=L1-0012", 0},
        {"gft:n=4,m=4,r=8,planes=2", "switch=L2-0020+L1-0012+L1-0013+L1-0014", 0},
        {"gft:n=4,m=4,r=4,planes=2", "switch=L2-0008+L1-0000", 3},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct hd_net *net = make_net(row[i].spec), *less = failed(net, row[i].fail);
        if (described(less).absent != row[i].absent)
            fail_msg("%s: %s: %u are absent", row[i].spec, row[i].fail, described(less).absent);
        hd_net_free(less);
        hd_net_free(net);
    }
}

static void clos_classes(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *fail, *clos;
    } row[] = {
        {"gft:n=4,m=7,r=8", "", "strict"}, /* Clos: m >= 2n - 1 */
        {"gft:n=4,m=6,r=8", "", "rearrangeable"},
        {"gft:n=4,m=4,r=8", "", "rearrangeable"},
        {"gft:n=4,m=3,r=8", "", "slimmed"},
        {"gft:n=1,m=1,r=5", "", "strict"},
        {"ft:m=8,n=3", "", "rearrangeable"},
        {"xgft:m=2x3x4,w=1x3x5", "", "strict"},        /* 3 >= 2*2-1, 5 >= 2*3-1 */
        {"xgft:m=2x3x4,w=1x3x4", "", "rearrangeable"}, /* the upper level is not */
        {"xgft:m=2x3x4,w=1x3x2", "", "slimmed"},
        {"pgft:m=4x4,w=1x2,p=1x2", "", "rearrangeable"},
        {"pgft:m=4x4,w=1x3,p=1x2", "", "strict"}, /* three others fill one pair of cables at either end */
        {"pgft:m=4x4,w=1x1,p=1x4", "", "strict"}, /* one crossbar with all the cables */
        {"pgft:m=4x4,w=1x1,p=1x3", "", "slimmed"},
        {"xgft:m=5,w=1", "", ""}, /* one level */
        /* damage: what is left decides */
        {"gft:n=4,m=7,r=8", "switch=L2-0008", "rearrangeable"},
        {"gft:n=4,m=8,r=8", "switch=L2-0008", "strict"},
        {"gft:n=4,m=8,r=8", "link=L1-0000:5", "strict"},
        {"gft:n=4,m=8,r=8", "link=L1-0000:5+L1-0001:6", "rearrangeable"}, /* two leaves have six in common */
        {"gft:n=4,m=4,r=8", "link=L1-0000:5", "slimmed"},
        {"gft:n=4,m=4,r=8", "link=L1-0000:5+node-00000:1,switch=L1-0001", "slimmed"}, /* others still have four below */
        {"gft:n=4,m=4,r=8,partial=leaves:3", "", "rearrangeable"},
        {"gft:n=4,m=4,r=8,partial=endpoints:1", "", "strict"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct hd_net *net = make_net(row[i].spec), *out = failed(net, row[i].fail);
        const char *clos = described(out).clos;
        if (strcmp(clos, row[i].clos) != 0) fail_msg("%s: '%s', expected '%s'", out->spec, clos, row[i].clos);
        hd_net_free(out);
        hd_net_free(net);
    }
}

/* Two leaves with two endpoints each and one cable to each of two tops, at the given rates. */
static struct hd_net *rated(const char *down, const char *up)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    struct hd_shape t = {.kind = HD_SHAPE_TREE, .n = 2, .m = {2, 2}, .w = {1, 2}, .p = {1, 1}};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_shape(b, &t);
    for (uint16_t v = 0; v < 4; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.nports = 4, .level = (uint8_t)(v < 2 ? 1 : 2)});
        hd_builder_coord(b, v, v < 2 ? (uint16_t[]){0, v} : (uint16_t[]){0, (uint16_t)(v - 2)});
    }
    for (uint16_t i = 0; i < 4; i++) {
        uint32_t e = hd_builder_host(b, i / 2, i % 2 + 1u, hd_link_code(down, strlen(down)));
        hd_builder_coord(b, e, (uint16_t[]){i % 2, i / 2});
        hd_builder_cable(b, i / 2, 3 + i % 2u, 2 + i % 2u, i / 2 + 1u, hd_link_code(up, strlen(up)));
    }
    hd_status s = hd_builder_finish(&ctx, b, "rated", &net);
    return checked(&ctx, s, net, "rated");
}

static void rates_count(void **state)
{
    (void)state;
    static const struct {
        const char *down, *up, *clos;
        double over;
    } row[] = {
        {"4xEDR", "4xEDR", "rearrangeable", 1}, {"4xEDR", "4xHDR", "strict", 0.5}, /* a cable holds both circuits */
        {"4xHDR", "4xEDR", "slimmed", 2},       {"", "", "rearrangeable", 1},      {"4xHDR", "", "rearrangeable", 1},
    };
    for (size_t i = 0; i < 5; i++) {
        struct hd_net *net = rated(row[i].down, row[i].up);
        struct hd_topo_info info = described(net);
        assert_string_equal(info.clos, row[i].clos);
        assert_true(info.level[1].oversubscription == row[i].over);
        assert_int_equal(info.rates_known, *row[i].down && *row[i].up);
        hd_net_free(net);
    }
}

/* ---- odd networks -------------------------------------------------------------------------- */

static void degenerate_networks(void **state)
{
    (void)state;
    struct hd_net *net = tiny("0", "");
    struct hd_topo_info info = described(net);
    assert_int_equal(info.diameter, 0);
    assert_true(info.mean_distance == 0);
    assert_int_equal(info.parts, 1);
    assert_int_equal(info.inhabited, 0);
    assert_int_equal(info.isolated, 1);
    assert_int_equal(info.cables, 0);
    assert_int_equal(info.levels, 0);
    assert_int_equal(info.level[0].switches, 1);
    assert_string_equal(info.clos, "");
    hd_net_free(net);
    net = tiny("3", ""); /* one switch: all at distance 0 */
    info = described(net);
    assert_int_equal(info.diameter, 0);
    assert_int_equal(info.isolated, 0);
    assert_int_equal(info.level[0].down_cables, 3);
    hd_net_free(net);
    net = tiny("1 0 1", ""); /* alike as they are, switches without neighbours are no twins */
    info = described(net);
    assert_int_equal(info.diameter, 0);
    assert_int_equal(info.parts, 3);
    assert_int_equal(info.inhabited, 2);
    assert_int_equal(info.isolated, 1);
    hd_net_free(net);
    net = tiny("1 1 0 2", "0-1 0-1 0-1 1-2"); /* parallel cables, a dead end, a part of its own */
    info = described(net);
    assert_int_equal(info.diameter, 1);
    assert_true(info.mean_distance == 0.5); /* one pair at 1, one at 0 */
    assert_int_equal(info.switch_cables, 4);
    assert_int_equal(info.level[0].side_cables, 4);
    assert_int_equal(info.parts, 2);
    hd_net_free(net);
}

static void degraded_parts(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=2"), *out = failed(net, "link=L1-0000:3");
    struct hd_topo_info info = described(out);
    assert_int_equal(info.missing, 1);
    assert_int_equal(info.degraded, 1);
    hd_net_free(out);
    out = failed(net, "link=L1-0000:3+L1-0000:4"); /* a leaf cut off: it and the rest both lack them */
    info = described(out);
    assert_int_equal(info.missing, 2);
    assert_int_equal(info.parts, 2);
    assert_int_equal(info.degraded, 2);
    assert_int_equal(info.diameter, 2);
    hd_net_free(out);
    hd_net_free(net);
}

static void levels_that_skip_and_stay(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    static const uint8_t level[] = {1, 1, 2, 0, 40};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < 5; v++) hd_builder_switch(b, &(struct hd_switch_in){.nports = 8, .level = level[v]});
    hd_builder_cable(b, 0, 1, 1, 1, 0); /* within level 1 */
    hd_builder_cable(b, 0, 2, 2, 1, 0); /* up */
    hd_builder_cable(b, 1, 2, 3, 1, 0); /* to an unknown level */
    hd_builder_cable(b, 2, 2, 4, 1, 0); /* to one beyond those listed */
    hd_builder_cable(b, 3, 2, 4, 2, 0);
    hd_builder_host(b, 2, 3, 0);
    hd_status s = hd_builder_finish(&ctx, b, "mixed", &net);
    checked(&ctx, s, net, "mixed");
    struct hd_topo_info info = described(net);
    assert_int_equal(info.levels, 2);
    assert_int_equal(info.level[0].switches, 2);
    assert_int_equal(info.level[1].side_cables, 2);
    assert_int_equal(info.level[1].up_cables, 1);
    assert_int_equal(info.level[2].down_cables, 2); /* and its endpoint */
    assert_int_equal(info.level[2].side_cables, 1);
    assert_int_equal(info.level[0].side_cables, 3);
    assert_false(info.rates_known);
    hd_net_free(net);
}

/* Groups of switches are named, also where cables and switches are lost; other networks have none. */
static void groups_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *fail, *form;
    } cases[] = {{"dragonfly:a=8,h=4,p=4", NULL, "dragonfly: 33 groups of 8 switches"},
                 {"dragonfly:a=8,h=4,p=4", "links=100,seed=1", "dragonfly: 33 groups of 8 switches"},
                 {"dragonfly:a=8,h=4,p=4", "switches=1,seed=1", "dragonfly: 33 groups of 7 to 8 switches"},
                 {"dragonfly+:", NULL, "dragonfly+: 17 groups of 8 switches"},
                 {"slimfly:q=5", NULL, ""},
                 {"random:switches=40", NULL, ""},
                 {"torus:dims=5x5", NULL, ""},
                 {"ft:m=8,n=2", NULL, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hd_ctx ctx;
        struct hd_topo_info info;
        struct hd_net *net = make_net(cases[i].spec), *out = cases[i].fail ? failed(net, cases[i].fail) : NULL;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_net_describe(&ctx, out ? out : net, &info), HD_OK);
        assert_string_equal(info.form, cases[i].form);
        assert_false(info.layered);
        hd_net_free(out);
        hd_net_free(net);
    }
}

/* Three planes, in each two leaves with a host and two spines, of systems that have an ASIC in each. The cables of
 * ports 2 and 3 of a leaf are exchanged in plane 1. */
static struct hd_net *three_planes(struct hd_ctx *ctx)
{
    struct hd_builder *b;
    struct hd_net *net = NULL;
    assert_int_equal(hd_builder_make(ctx, &b), HD_OK);
    for (uint32_t p = 0; p < 3; p++) {
        for (uint32_t v = 0; v < 4; v++) hd_builder_switch(b, &(struct hd_switch_in){.system = 0x100 + v, .nports = 4});
        for (uint32_t leaf = 0; leaf < 2; leaf++) {
            char name[16];
            snprintf(name, sizeof name, "h%u mlx5_%u", leaf, p);
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name});
            hd_builder_cable(b, 4 * p + leaf, 1, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
            for (uint32_t s = 0; s < 2; s++) {
                uint32_t port = 2 + (p == 1 && leaf == 1 ? !s : s);
                hd_builder_cable(b, 4 * p + leaf, port, 4 * p + 2 + s, leaf + 1, 0);
            }
        }
    }
    hd_status s = hd_builder_finish(ctx, b, "three planes", &net);
    return checked(ctx, s, net, "three planes");
}

static void exchanged_cables_of_a_plane_are_named(void **state)
{
    struct hd_ctx ctx;
    struct hd_planes *planes;
    (void)state;
    hd_ctx_init(&ctx);
    struct hd_net *net = three_planes(&ctx);
    assert_int_equal(hd_planes_find(&ctx, net, &planes), HD_OK);
    assert_int_equal(planes->n, 3);
    assert_int_equal(planes->systems, 4);
    assert_int_equal(planes->ndifference, 4); /* two that are missing, two that no other plane has */
    for (uint32_t i = 0, missing = 0; i < 4; i++) {
        const struct hd_plane_difference *d = &planes->difference[i];
        assert_int_equal(d->part, 1);
        assert_int_equal(d->from.node, 5);
        assert_int_equal(d->from.port, 2 + i / 2);
        missing += d->missing;
        if (i % 2) assert_int_equal(missing, 1 + i / 2);
    }
    hd_planes_free(planes);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_networks_against_searches),
        cmocka_unit_test(damaged_networks_against_searches),
        cmocka_unit_test(random_networks_against_searches),
        cmocka_unit_test(a_long_line),
        cmocka_unit_test(groups_in_words),
        cmocka_unit_test(grids_in_closed_form),
        cmocka_unit_test(distances_are_bounded),
        cmocka_unit_test(a_grid_of_many_dimensions),
        cmocka_unit_test(trees_in_closed_form),
        cmocka_unit_test(levels_of_a_slimmed_tree),
        cmocka_unit_test(partial_trees_count_what_is_there),
        cmocka_unit_test(spines_of_directors_are_missed),
        cmocka_unit_test(spines_of_planes_are_missed),
        cmocka_unit_test(clos_classes),
        cmocka_unit_test(rates_count),
        cmocka_unit_test(degenerate_networks),
        cmocka_unit_test(degraded_parts),
        cmocka_unit_test(exchanged_cables_of_a_plane_are_named),
        cmocka_unit_test(levels_that_skip_and_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
