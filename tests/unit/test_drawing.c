/* SPDX-License-Identifier: BSD-2-Clause */
/* Drawings of networks: every switch and cable is there, and large ones stay small. */
#include "writer_tools.h"

#include "draw/draw.h"

#include <math.h>
#include <stdio.h>

/* ---- places -------------------------------------------------------------------------------- */

struct box {
    double x, y, w, h;
};

/* Boxes of switches, and the name that stands in one is not higher than it. */
static uint32_t boxes_of(const char *svg, struct box *box, uint32_t room)
{
    uint32_t n = 0;
    for (const char *p = svg; (p = strstr(p, "<rect class=\"hd-sw ")); p++, n++) {
        assert_true(n < room);
        const char *at = strstr(p, " x=");
        assert_int_equal(
            sscanf(at, " x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &box[n].x, &box[n].y, &box[n].w, &box[n].h),
            4);
        const char *next = strchr(p, '\n') + 1;
        if (strncmp(next, "<text class=\"hd-n\" x=", 21) == 0) assert_true(box[n].h > 9);
    }
    return n;
}

/* Boxes do not cover each other or the captions on the left, endpoints are below them, and all is inside. */
static void boxes_and_endpoints_lie_apart(void **state)
{
    (void)state;
    enum { MOST = 400 };
    static struct box box[MOST];
    static const char *const nets[] = {"xgft:m=3x2,w=1x2",       "ft:m=8,n=2",          "ft:m=8,n=3",
                                       "kary:k=2,n=4",           "ft:m=16,n=2",         "ft:m=36,n=2",
                                       "xgft:m=40x4,w=1x2",      "xgft:m=120x12,w=1x6", "xgft:m=4x100,w=1x4",
                                       "pgft:m=4x30,w=1x2,p=1x4"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        char *svg = text_of(net, "svg");
        double width, height, bottom = 0, captions = 28 + 60, lowest = 0, x, y;
        uint32_t n = boxes_of(svg, box, MOST), squares = 0;
        assert_int_equal(n, net->nsw);
        assert_int_equal(sscanf(strstr(svg, " width="), " width=\"%lf\" height=\"%lf\"", &width, &height), 2);
        for (uint32_t a = 0; a < n; a++) {
            if (box[a].x < captions || box[a].x + box[a].w > width || box[a].y < 0 || box[a].y + box[a].h > height)
                fail_msg("%s: box %u is outside", nets[i], a);
            if (box[a].y + box[a].h > bottom) bottom = box[a].y + box[a].h;
            for (uint32_t b = 0; b < a; b++)
                if (fabs(box[a].x + box[a].w / 2 - box[b].x - box[b].w / 2) < (box[a].w + box[b].w) / 2 + 0.5 &&
                    fabs(box[a].y + box[a].h / 2 - box[b].y - box[b].h / 2) < (box[a].h + box[b].h) / 2)
                    fail_msg("%s: box %u covers box %u", nets[i], a, b);
        }
        for (const char *p = strstr(svg, "<path class=\"hd-ep\""); p && *p != '\n'; p++) {
            if (*p != 'M' || sscanf(p, "M%lf %lfh", &x, &y) != 2) continue;
            if (y < bottom || y > height || x < captions || x > width)
                fail_msg("%s: an endpoint at %g %g", nets[i], x, y);
            if (y > lowest) lowest = y;
            squares++;
        }
        for (const char *p = svg; (p = strstr(p, "<path class=\"hd-line\" stroke-width=\"")); p++)
            if (strtod(p + 36, NULL) > box[0].w) fail_msg("%s: a line wider than a box", nets[i]);
        if (squares && lowest > bottom + 32 + 54) fail_msg("%s: endpoints reach down to %g", nets[i], lowest - bottom);
        free(svg);
        hd_net_free(net);
    }
}

/* ---- drawings ------------------------------------------------------------------------------ */

static void drawing_holds_every_switch(void **state)
{
    (void)state;
    struct hd_net *net;
    for (uint32_t i = 0; (net = sample(i)); i++) {
        char *svg = text_of(net, "svg");
        has(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
        has(svg, "<desc id=\"hd-desc\">");
        has(svg, "prefers-color-scheme:dark");
        assert_int_equal(occurrences(svg, "class=\"hd-sw "), net->nsw);
        assert_int_equal(occurrences(svg, "<g>"), occurrences(svg, "</g>"));
        if (net->shape.missing)
            has(svg, "class=\"hd-gone\"");
        else
            lacks(svg, "class=\"hd-gone\"");
        free(svg);
        hd_net_free(net);
    }
}

/* Switches by the titles of their pictures: "leaf-1" is one, "leaf-1 and 7 more" are eight. */
static uint32_t titled(const char *svg)
{
    uint32_t n = 0;
    for (const char *p = svg; (p = strstr(p, "<g><title>")); p++) {
        const char *end = strstr(p, "</title>"), *more = strstr(p, " more"), *and = more;
        n++;
        if (!more || more > end) continue;
        while (strncmp(and, " and ", 5) != 0) and--;
        uint32_t others = (uint32_t)strtoul(and+5, NULL, 10);
        assert_true(others > 0);
        n += others;
    }
    return n;
}

static void titles_count_every_switch(void **state)
{
    (void)state;
    static const char *const nets[] = {"torus:dims=3x3", "ft:m=4,n=3", "ft:m=24,n=3", "torus:dims=20x20x20,hosts=1"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        char *svg = text_of(net, "svg");
        if (titled(svg) != net->nsw)
            fail_msg("%s: titles of %u switches, there are %u", nets[i], titled(svg), net->nsw);
        free(svg);
        hd_net_free(net);
    }
}

/* How many pieces the paths of a class have. */
static uint32_t pieces(const char *svg, const char *class)
{
    char opening[64];
    uint32_t n = 0;
    snprintf(opening, sizeof opening, "<path class=\"%s\"", class);
    for (const char *p = svg; (p = strstr(p, opening)); p++)
        for (const char *q = p; *q != '>'; q++) n += *q == 'M';
    return n;
}

static void drawing_holds_every_cable(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=8,n=3");
    char *svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 256 + 1); /* and one in the legend */
    assert_int_equal(pieces(svg, "hd-ep"), 128 + 1);
    free(svg);
    hd_net_free(net);
    net = damaged("ft:m=8,n=3", 11); /* 256 / 11 */
    assert_int_equal(net->shape.missing, 23);
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 256 - 23 + 1);
    assert_int_equal(pieces(svg, "hd-gone"), 23 + 1);
    free(svg);
    hd_net_free(net);
    net = make_net("pgft:m=4x4,w=1x2,p=1x2"); /* parallel cables are one line */
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 8 + 2);
    has(svg, "2 parallel cables");
    free(svg);
    hd_net_free(net);
    net = irregular();
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-off"), 1); /* in the legend; the aggregation node is on a core: a badge */
    assert_int_equal(occurrences(svg, ">+1</text>"), 3);
    free(svg);
    hd_net_free(net);
}

static void rings_and_cliques(void **state)
{
    (void)state;
    static const uint32_t plane[] = {5, 4};
    struct hd_net *net = grid(2, plane, HD_RING, UINT32_MAX);
    char *svg = text_of(net, "svg");
    /* 40 cables, 9 of them around: a line each */
    assert_int_equal(pieces(svg, "hd-line"), 40 + 1);
    free(svg);
    hd_net_free(net);
    net = grid(2, plane, HD_CLIQUE, UINT32_MAX);
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 4 * 10 + 5 * 6 + 1);
    /* A cable passes the switches between its ends by an arc, the higher the longer it is. */
    double x, y, mid, top, end, level;
    uint32_t arcs = 0;
    for (const char *p = svg; (p = strchr(p, 'M')); p++) {
        if (sscanf(p, "M%lf %lfQ%lf %lf %lf %lf", &x, &y, &mid, &top, &end, &level) != 6 || y != level) continue;
        assert_float_equal((y - top) / (end - x), 0.12, 0.001);
        arcs++;
    }
    assert_int_equal(arcs, 4 * 6);
    free(svg);
    hd_net_free(net);
}

/* Levels without the structure of a tree are parts of a circle, a gap before each. */
static void levels_in_a_circle(void **state)
{
    (void)state;
    struct maker *m = begin();
    struct box box[10];
    for (uint32_t i = 0; i < 10; i++) add_switch(m, NULL, i < 6 ? 1 : 2);
    for (uint32_t i = 0; i < 10; i++) add_cable(m, i, (i + 1) % 10);
    struct hd_net *net = end(m, "circle");
    char *svg = text_of(net, "svg");
    assert_int_equal(boxes_of(svg, box, 10), 10);
    for (uint32_t i = 0; i < 10; i++)
        for (uint32_t k = 0; k < i; k++)
            if (hypot(box[i].x - box[k].x, box[i].y - box[k].y) < box[i].h) fail_msg("boxes %u and %u", k, i);
    free(svg);
    hd_net_free(net);
}

static void slabs_of_a_torus(void **state)
{
    (void)state;
    struct hd_net *net = make_net("torus:dims=3x5x4,hosts=1");
    char *svg = text_of(net, "svg");
    /* The shortest dimension makes slabs; cables from the last to the first are two stubs. */
    assert_int_equal(occurrences(svg, "class=\"hd-pod\""), 3);
    has(svg, "Across: dimension 2, 5 (ring); down: dimension 3, 4 (ring); slabs: dimension 1, 3 (ring)");
    has(svg, ">slab 2<");
    assert_null(strstr(svg, "a box is up to")); /* a box is one switch */
    assert_int_equal(pieces(svg, "hd-line"), 180 + 20 + 1);
    free(svg);
    hd_net_free(net);
}

/* Groups are found from the cables, also where some are missing; other networks on one level have none. */
static void groups_of_a_dragonfly(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t fail, groups, cables;
    } nets[] = {{"dragonfly:h=2", 0, 9, 54 + 36},
                {"dragonfly:h=2", 9, 9, 54 + 36 - 10},
                {"dragonfly:a=4,p=2,h=2,g=5", 0, 5, 30 + 20},
                {"dragonfly+:h=4", 0, 17, 17 * 16 + 17 * 8},
                {"random:switches=40,ports=8,hosts=2,seed=1", 0, 0, 0},
                {"hyperx:dims=3x3x3x3", 0, 0, 0},
                {"slimfly:q=5", 0, 0, 0}};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = nets[i].fail ? damaged(nets[i].spec, nets[i].fail) : make_net(nets[i].spec);
        char *svg = text_of(net, "svg");
        assert_int_equal(occurrences(svg, "class=\"hd-pod\""), nets[i].groups);
        assert_int_equal(occurrences(svg, ">group "), nets[i].groups);
        if (nets[i].groups) assert_int_equal(pieces(svg, "hd-line"), nets[i].cables + 1);
        free(svg);
        hd_net_free(net);
    }
    struct hd_net *net = make_net("dragonfly:h=8"); /* one box per group */
    char *svg = text_of(net, "svg");
    assert_int_equal(occurrences(svg, "class=\"hd-sw "), 129);
    has(svg, "129 groups of 16 switches with 128 endpoints");
    assert_true(strlen(svg) < 1000000);
    free(svg);
    hd_net_free(net);
}

static void large_drawings_stay_small(void **state)
{
    (void)state;
    static const uint32_t plane[] = {80, 90}, cube[] = {14, 14, 14};
    struct hd_net *nets[] = {make_net("xgft:m=24x24x48,w=1x24x24"),
                             make_net("kary:k=2,n=11"),
                             ring(1500),
                             grid(2, plane, HD_RING, UINT32_MAX),
                             grid(3, cube, HD_LINE, UINT32_MAX),
                             damaged("xgft:m=12x12x24,w=1x12x12", 500)};
    for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
        char *svg = text_of(nets[i], "svg");
        if (strlen(svg) > 1000000) fail_msg("%s: %zu bytes", nets[i]->spec, strlen(svg));
        assert_true(occurrences(svg, "class=\"hd-sw ") <= 1000);
        free(svg);
        hd_net_free(nets[i]);
    }
}

static void half_a_million_endpoints(void **state)
{
    (void)state;
    struct hd_net *net = make_net("xgft:m=64x64x128,w=1x64x64");
    assert_int_equal(net->nep, 524288);
    char *svg = text_of(net, "svg");
    if (strlen(svg) > 1000000) fail_msg("%zu bytes", strlen(svg));
    has(svg, "524,288 endpoints");
    /* 64 planes, 128 pods of two levels */
    assert_int_equal(occurrences(svg, "class=\"hd-sw "), 64 + 2 * 128);
    /* Bundles of thousands of cables stay narrower than the pictures of the switches. */
    struct box box[320];
    assert_int_equal(boxes_of(svg, box, 320), 320);
    for (const char *p = svg; (p = strstr(p, "<path class=\"hd-line\" stroke-width=\"")); p++)
        if (3 * strtod(p + 36, NULL) > box[319].w) fail_msg("a line of %.5s over boxes of %g", p + 36, box[319].w);
    free(svg);
    char *conf = text_of(net, "slurm");
    assert_int_equal(occurrences(conf, "SwitchName="), 64 * 128 + 128 + 1);
    free(conf);
    hd_net_free(net);
}

static void turns_as_libm(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 720; n += 7)
        for (uint32_t i = 0; i < n; i++) {
            int32_t sine, cosine;
            hd_draw_turn(i, n, &sine, &cosine);
            double angle = 8 * atan(1) * i / n, scale = 1 << 30;
            if (fabs(sine / scale - sin(angle)) > 1e-6 || fabs(cosine / scale - cos(angle)) > 1e-6)
                fail_msg("%u/%u of a turn: %f %f", i, n, sine / scale, cosine / scale);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_and_endpoints_lie_apart),
        cmocka_unit_test(drawing_holds_every_switch),
        cmocka_unit_test(titles_count_every_switch),
        cmocka_unit_test(drawing_holds_every_cable),
        cmocka_unit_test(rings_and_cliques),
        cmocka_unit_test(levels_in_a_circle),
        cmocka_unit_test(slabs_of_a_torus),
        cmocka_unit_test(groups_of_a_dragonfly),
        cmocka_unit_test(large_drawings_stay_small),
        cmocka_unit_test(half_a_million_endpoints),
        cmocka_unit_test(turns_as_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
