/* SPDX-License-Identifier: BSD-2-Clause */
/* The page and its charts: well-formed whatever the fabric and its names, the same bytes every time, small for large
 * fabrics, every measured figure in it, colours that follow loads. */
#include "testing.h"

#include "markup.h"
#include "report/charts.h"
#include "report_tools.h"
#include "sheet.h"
#include "base/context.h"

static char *page_of(struct made_report *m)
{
    struct hd_out *o;
    assert_int_equal(hd_out_memory(&m->ctx, &o), HD_OK);
    if (hd_report_html(&m->ctx, &m->r, o) != HD_OK) fail_msg("%s", m->ctx.error);
    size_t len;
    const char *text = hd_out_text(o, &len);
    assert_int_equal(strlen(text), len);
    char *copy = strdup(text);
    hd_out_drop(o);
    return copy;
}

/* NULL where the chart is refused. */
static char *chart_of(struct made_report *m, const char *kind, uint32_t option, uint32_t view)
{
    struct hd_out *o;
    assert_int_equal(hd_out_memory(&m->ctx, &o), HD_OK);
    hd_status s = hd_chart_svg(&m->ctx, &m->r, kind, option, view, o);
    char *copy = s == HD_OK ? strdup(hd_out_text(o, &(size_t){0})) : NULL;
    if (s != HD_OK) assert_int_equal(s, HD_INPUT);
    hd_out_drop(o);
    return copy;
}

static uint32_t occurrences(const char *text, const char *what)
{
    uint32_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) n++;
    return n;
}

static void has(const char *text, const char *what)
{
    if (!strstr(text, what)) fail_msg("the page lacks: %s", what);
}

/* Whether a made report has what a chart shows: charts of one routing need that routing measured, choices and the
 * distribution of bandwidths any of them; rank orders and failures are always there. */
static bool has_chart(const struct made_report *m, const char *kind, uint32_t option)
{
    if (strcmp(kind, "order") == 0 || strcmp(kind, "whatif") == 0) return true;
    if (strcmp(kind, "bandwidth") != 0 && strcmp(kind, "choices") != 0) return hd_measured(&m->r.option[option]);
    for (uint32_t i = 0; i < m->r.noption; i++)
        if (hd_measured(&m->r.option[i])) return true;
    return false;
}

/* All that is drawn keeps the margins of the sheet, and the sheet is no larger than that: drawings of fabrics have room
 * for short titles, and choices for the names at their right. */
static void check_sheet(const char *svg, const char *kind, const char *net)
{
    bool fabric = strcmp(kind, "fabric") == 0, choices = strcmp(kind, "choices") == 0;
    struct sheet s = sheet_of(svg);
    double beside = s.width - s.right, below = s.height - s.bottom;
    if (s.left < 24 || s.top < 32 || beside < 16 ||
        beside > (fabric    ? 210
                  : choices ? 128
                            : 72) ||
        below < 28 || below > (fabric ? 96 : 40))
        fail_msg("chart %s of %s: from %g to %g of %g across, from %g to %g of %g down", kind, net, s.left, s.right,
                 s.width, s.top, s.bottom, s.height);
}

/* Every chart is drawn where the report has what it shows, and refused where it does not. */
static void check_all_charts(struct made_report *m)
{
    for (size_t i = 0; row_at(HD_CHARTS, i); i++)
        for (uint32_t option = 0; option < m->r.noption; option++)
            for (uint32_t view = 0; view < m->r.nview; view++) {
                const char *kind = row_at(HD_CHARTS, i)->name;
                char *svg = chart_of(m, kind, option, view);
                if (!svg != !has_chart(m, kind, option))
                    fail_msg("chart %s of %s on %s: %s", kind, m->r.option[option].table, m->net->spec,
                             svg ? "drawn" : m->ctx.error);
                if (!svg) continue;
                check_markup(svg, true);
                check_sheet(svg, kind, m->net->spec);
                assert_int_equal(strncmp(svg, "<svg ", 5), 0);
                has(svg, "role=\"img\"");
                has(svg, "prefers-color-scheme:dark");
                free(svg);
            }
}

static const char *const usual[] = {"minhop", "dmodk", "updown", "dor", NULL};

static void page_is_well_formed(void **state)
{
    static const char *const nets[] = {"ft:m=8,n=2",
                                       "xgft:m=4x4x3,w=1x2x2",
                                       "pgft:m=18x18x6,w=1x18x3,p=1x1x6",
                                       "torus:dims=4x4x4",
                                       "torus:dims=9x8x7",
                                       "mesh:dims=5",
                                       "random:switches=12,ports=8,hosts=4,seed=3",
                                       "deimos",
                                       "hypercube:n=4",
                                       "gft:n=1,m=1,r=1",
                                       "gft:n=4,m=1,r=1"};
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
        struct made_report m;
        make_report(&m, nets[i], usual, 40);
        char *page = page_of(&m), *again = page_of(&m);
        check_markup(page, false);
        assert_string_equal(page, again);
        assert_null(strstr(page, "http"));
        assert_true(strlen(page) < 2000000);
        check_all_charts(&m);
        free(page);
        free(again);
        drop_report(&m);
    }
}

/* Values as the report has them, found again in the cells of the comparison. */
static void page_holds_every_figure(void **state)
{
    (void)state;
    struct made_report m;
    make_report(&m, "xgft:m=4x4x3,w=1x2x2", usual, 100);
    char *page = page_of(&m), text[80];
    for (uint32_t i = 0; i < m.r.noption; i++) {
        if (m.r.option[i].why_not) {
            has(page, m.r.option[i].why_not);
            continue;
        }
        for (uint32_t q = 0; q < m.r.nquantity; q++) {
            snprintf(text, sizeof text, "data-v=\"%.10g\"", m.r.option[i].figure[q].value);
            has(page, text);
            if (q < m.r.nview) has(page, m.r.option[i].figure[q].command);
        }
    }
    for (uint32_t i = 0; i < m.r.nfinding; i++) has(page, m.r.finding[i].text);
    for (uint32_t i = 0; i < m.r.nstep; i++) {
        has(page, m.r.step[i].what);
        if (m.r.step[i].brief) has(page, m.r.step[i].brief);
    }
    has(page, "<tr><th scope=\"row\">missing</th><td>leaf-1</td><td class=\"n\" data-v=\"17\">17</td><td>spine-2</td>"
              "<td class=\"n\" data-v=\"\"></td><td></td><td>4xHDR</td>"
              "<td>leaf-1 port 17 - spine-2</td></tr>");
    has(page, "<tr><th scope=\"row\">slow</th><td>leaf-&lt;3&gt;</td><td class=\"n\" data-v=\"18\">18</td>");
    has(page, m.r.headline);
    has(page, "<span class=\"is c\">current</span>");
    has(page, "<span class=\"is b\">ranked first</span>");
    free(page);
    drop_report(&m);
}

static void text_names_every_loss(void **state)
{
    (void)state;
    struct made_report m;
    struct hd_out *o;
    make_report(&m, "ft:m=4,n=2", usual, 20);
    assert_int_equal(hd_out_memory(&m.ctx, &o), HD_OK);
    assert_int_equal(hd_report_text(&m.ctx, &m.r, false, o), HD_OK);
    const char *text = hd_out_text(o, &(size_t){0});
    assert_true(m.r.nwhat_if > 1);
    for (uint32_t i = 0; i < m.r.nwhat_if; i++) has(text, m.r.what_if[i].what);
    for (uint32_t i = 0; i < m.r.nwhat_if; i++) has(text, m.r.what_if[i].table);
    hd_out_drop(o);
    drop_report(&m);
}

/* A bound that some routing beats, or that differs from table to table, is not sold as one of all routings. */
static void bounds_claim_no_more_than_they_hold(void **state)
{
    (void)state;
    struct made_report m;
    make_report(&m, "ft:m=8,n=2", (const char *const[]){"minhop", "dmodk", NULL}, 20);
    for (uint32_t i = 0; i < 2; i++) {
        m.r.option[i].figure[0] = (struct hd_report_figure){0.5 + 0.25 * i, 0, 1, "c"};
        m.r.option[i].figure[1] = (struct hd_report_figure){0.5, 0, 0.625 + 0.25 * i, "c"};
        m.r.option[i].figure[2] = (struct hd_report_figure){4 - 2.5 * i, 0, 2, "c"}; /* less is better */
    }
    char *page = page_of(&m);
    has(page, "<td class=\"n\">1.0000</td><td class=\"n\">0.8750<span class=\"is\">by table</span></td>");
    has(page, "<td class=\"n\">2.0000<span class=\"is\">single path</span></td>");
    free(page);
    m.r.quantity[1].own_bound = true;
    page = page_of(&m);
    has(page, "<td class=\"n\">0.8750<span class=\"is\">best<br>table's<br>own</span></td>");
    free(page);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t q = 0; q < m.r.nquantity; q++) m.r.option[i].figure[q].bound = 0.96875;
    char *chart = chart_of(&m, "bandwidth", 0, 0);
    has(chart, "no routing beats 0.9688");
    free(chart);
    drop_report(&m);
}

/* ---- names nobody should give ---------------------------------------------------------------- */

static const char *const hostile[] = {"</title><script>alert(1)</script>",
                                      "\" onmouseover=\"alert(1)",
                                      "a & b &lt; c",
                                      "--><!--",
                                      "\xce\xb1\xce\xb2\xe2\x82\xac\xf0\x9f\x98\x80",
                                      "bad \xff\xfe utf8 \x01 control",
                                      "]]></svg>"};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

/* A tree of two levels with such names; the last is very long. */
static struct hd_net *hostile_net(struct hd_ctx *ctx)
{
    struct hd_builder *b;
    struct hd_net *net, *shaped;
    char text[900];
    uint32_t leaf[HOSTILE + 1], spine[2];
    assert_int_equal(hd_builder_make(ctx, &b), HD_OK);
    for (uint32_t i = 0; i < 2; i++)
        spine[i] = hd_builder_switch(b, &(struct hd_switch_in){.name = hostile[i], .level = 2});
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (uint32_t i = 0; i <= HOSTILE; i++) {
        leaf[i] = hd_builder_switch(b, &(struct hd_switch_in){.name = i < HOSTILE ? hostile[i] : text, .level = 1});
        for (uint32_t p = 0; p < 3; p++) hd_builder_host(b, leaf[i], p + 1, 0);
        for (uint32_t s = 0; s < 2; s++) hd_builder_cable(b, leaf[i], 4 + s, spine[s], i + 1, 0);
    }
    if (hd_builder_finish(ctx, b, "<b>\"net\" & more", &net) != HD_OK) fail_msg("%s", ctx->error);
    assert_int_equal(hd_net_infer(ctx, net, &shaped), HD_OK);
    hd_net_free(net);
    return shaped;
}

static void hostile_names_are_text(void **state)
{
    (void)state;
    struct made_report m;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    struct hd_net *net = hostile_net(&ctx);
    make_report_of(&m, net, usual, 40);
    m.r.title = hostile[0];
    m.r.headline = hostile[1];
    m.r.net_text = hostile[2];
    m.r.command = hostile[0];
    m.r.option[0].table = hostile[0];
    m.r.option[1].mark = hostile[1];
    m.r.option[2].figure[0].command = hostile[2];
    m.r.finding[0].text = m.r.fact_text[0] = m.r.note[0] = m.r.step[0].command = m.r.what_if[0].worst =
        m.r.what_if[0].table = hostile[0];
    m.r.quantity[0].title = m.r.view[0].title = hostile[0];
    char *page = page_of(&m);
    check_markup(page, false);
    check_all_charts(&m);
    assert_int_equal(occurrences(page, "<script"), 1);
    assert_int_equal(occurrences(page, "</script"), 1);
    assert_int_equal(occurrences(page, "<!--"), 0);
    assert_null(strstr(page, "\" onmouseover"));
    has(page, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    has(page, "\xf0\x9f\x98\x80");
    free(page);
    drop_report(&m);
}

static void short_names_are_whole_characters(void **state)
{
    (void)state;
    char buf[HD_NAME], text[400] = "";
    assert_string_equal(hd_short(buf, "switch-0001", 20), "switch-0001");
    assert_string_equal(hd_short(buf, "switch-0001", 7), "swi\xe2\x80\xa6"
                                                         "001");
    for (int i = 0; i < 90; i++) strcat(text, "\xf0\x9f\x98\x80");
    for (uint32_t most = 2; most < 100; most++) {
        hd_short(buf, text, most);
        assert_true(strlen(buf) < HD_NAME);
        for (const char *p = buf; *p; p += *p == '\xe2' ? 3 : 4)
            assert_true(memcmp(p, "\xf0\x9f\x98\x80", 4) == 0 || memcmp(p, "\xe2\x80\xa6", 3) == 0);
    }
}

/* ---- what is drawn --------------------------------------------------------------------------- */

/* Lines of one class: moves in its paths. */
static uint32_t lines_of(const char *svg, const char *class)
{
    char opening[40];
    uint32_t n = 0;
    snprintf(opening, sizeof opening, "<path class=\"%s\"", class);
    for (const char *p = svg; (p = strstr(p, opening));) {
        p = strstr(p, " d=\"") + 4;
        for (; *p != '"'; p++) n += *p == 'M';
    }
    return n;
}

/* Loads set by hand: every cable must be drawn once, in the colour of its busier direction. */
static void colours_follow_loads(void **state)
{
    (void)state;
    struct made_report m;
    make_report(&m, "ft:m=8,n=2", (const char *const[]){"dmodk", NULL}, 20);
    const struct hd_net *net = m.net;
    uint32_t expected[HD_BINS_OF_RAMP] = {0}, cables = 0;
    float *load = m.r.option[0].load[0];
    for (uint32_t c = 0; c < net->nchan; c++) load[c] = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->head[c] || net->head[c] >= net->nsw) continue;
        uint32_t bin = cables++ % HD_BINS_OF_RAMP;
        expected[bin]++;
        /* The ramp goes to the largest, 7: steps of one. */
        load[cables % 2 ? c : net->rev[c]] = bin == HD_BINS_OF_RAMP - 1 ? 7.0f : (float)bin + 0.5f;
    }
    char *svg = chart_of(&m, "fabric", 0, 0), class[8];
    for (uint32_t bin = 0; bin < HD_BINS_OF_RAMP; bin++) {
        snprintf(class, sizeof class, "s%u", bin);
        if (lines_of(svg, class) != expected[bin])
            fail_msg("%u lines of colour %u, expected %u", lines_of(svg, class), bin, expected[bin]);
    }
    assert_int_equal(cables, 8 * 4);
    has(svg, ">7</text>");
    free(svg);
    drop_report(&m);
}

/* An even load is pale: the ramp goes to three times the mean of the cables between switches. */
static void even_loads_are_pale(void **state)
{
    (void)state;
    struct made_report m;
    struct hd_ramp ramp;
    make_report(&m, "xgft:m=2x2,w=1x1", (const char *const[]){"dmodk", NULL}, 20);
    for (uint32_t c = 0; c < m.net->nchan; c++) m.r.option[0].load[0][c] = 7;
    m.r.best = 0;
    hd_load_ramp(&m.r, 0, &ramp);
    assert_float_equal(ramp.step, 3, 0);
    assert_int_equal(HD_BINS_OF_RAMP, 7);
    assert_false(ramp.more);
    drop_report(&m);
}

/* Area of a colour of the heat map, in cells. */
static uint32_t cells_of(const char *svg, uint32_t bin)
{
    char opening[40];
    uint32_t n = 0, wide;
    snprintf(opening, sizeof opening, "<path class=\"q%u\" d=\"", bin);
    const char *p = strstr(svg, opening);
    if (!p) return 0;
    for (p += strlen(opening); *p != '"'; p++)
        if (*p == 'h' && sscanf(p, "h%u", &wide) == 1 && p[1] != '-') n += wide;
    return n;
}

static void heat_has_a_cell_for_every_pair(void **state)
{
    (void)state;
    struct made_report m;
    make_report(&m, "ft:m=8,n=2", (const char *const[]){"dmodk", NULL}, 20);
    float *heat = HD_NEW(&m.arena, float, 64);
    assert_int_equal(m.r.ngroup, 8);
    /* 8 leaves: the diagonal has no pair, one row suffers, the rest is free. */
    for (uint32_t i = 0; i < 64; i++) heat[i] = i / 8 == i % 8 ? NAN : i / 8 == 3 ? 0.35f : 1;
    m.r.option[0].heat = heat;
    char *svg = chart_of(&m, "heat", 0, 0);
    assert_int_equal(cells_of(svg, 0), 7 * 7);
    assert_int_equal(cells_of(svg, HD_BINS_OF_RAMP - 1), 7);
    for (uint32_t bin = 1; bin < HD_BINS_OF_RAMP - 1; bin++) assert_int_equal(cells_of(svg, bin), 0);
    free(svg);
    drop_report(&m);
}

static void large_fabrics_stay_small(void **state)
{
    (void)state;
    struct made_report m;
    make_report(&m, "xgft:m=18x18x36,w=1x18x18", (const char *const[]){"dmodk", "random", NULL}, 10);
    assert_int_equal(m.net->nep, 11664);
    char *page = page_of(&m);
    check_markup(page, false);
    has(page, "a box is all switches of one level in one subtree");
    assert_true(strlen(page) < 1000000);
    free(page);
    drop_report(&m);
}

/* Every cable drawn, and more routings than a page can hold so: the recommended and the current stay, the rest is
 * named. */
static void dense_fabrics_stay_small(void **state)
{
    (void)state;
    static const char *const many[] = {"minhop", "minhop", "minhop", "minhop", "minhop", "minhop", "minhop",
                                       "minhop", "minhop", "minhop", "minhop", "minhop", "dfsssp", NULL};
    struct made_report m;
    make_report(&m, "random:switches=150,ports=64,hosts=2,seed=1", many, 10);
    m.r.best = 12;
    char *page = page_of(&m);
    check_markup(page, false);
    assert_true(strlen(page) < 5000000);
    has(page, "id=\"o0\"");
    has(page, "id=\"o12\" checked");
    has(page, "more routings were measured");
    free(page);
    drop_report(&m);
}

/* ---- little or nothing to say ---------------------------------------------------------------- */

static void empty_reports_are_pages(void **state)
{
    (void)state;
    struct made_report m;
    make_report(&m, "ft:m=4,n=2", (const char *const[]){"dor", NULL}, 20);
    m.r.best = UINT32_MAX;
    char *page = page_of(&m);
    check_markup(page, false);
    has(page, m.r.option[0].why_not);
    free(page);
    struct hd_report bare = {.net = m.net, .best = UINT32_MAX};
    m.r = bare;
    struct hd_ramp ramp;
    hd_heat_ramp(&m.r, &ramp); /* without a share: up to a whole one */
    assert_float_equal(ramp.min + HD_BINS_OF_RAMP * ramp.step, 1, 1e-9);
    page = page_of(&m);
    check_markup(page, false);
    free(page);
    for (size_t i = 0; row_at(HD_CHARTS, i); i++) assert_null(chart_of(&m, row_at(HD_CHARTS, i)->name, 0, 0));
    assert_null(chart_of(&m, "pie", 0, 0));
    const char *expected = strstr(m.ctx.error, "expected fabric, heat,");
    for (size_t i = 0; row_at(HD_CHARTS, i); i++)
        if (!expected || !strstr(expected, row_at(HD_CHARTS, i)->name)) fail_msg("message: %s", m.ctx.error);
    drop_report(&m);
}

static void unmeasured_figures_are_dashes(void **state)
{
    (void)state;
    struct made_report m;
    make_report(&m, "ft:m=4,n=2", (const char *const[]){"minhop", "dmodk", NULL}, 20);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t q = 0; q < 3; q++) m.r.option[i].figure[q] = (struct hd_report_figure){NAN, NAN, NAN, NULL};
    m.r.option[0].nsample = m.r.option[1].nsample = 0;
    m.r.option[0].load = m.r.option[1].load = NULL;
    m.r.option[0].heat = m.r.option[1].heat = NULL;
    char *page = page_of(&m);
    check_markup(page, false);
    assert_null(strstr(page, "nan"));
    assert_int_equal(occurrences(page, "id=\"load\""), 0);
    free(page);
    drop_report(&m);
}

/* ---- scales ---------------------------------------------------------------------------------- */

static void scales_hold_their_range(void **state)
{
    (void)state;
    for (double most = 1e-3; most < 1e7; most *= 1.37)
        for (double least = 0; least < most; least += most / 3.7) {
            struct hd_axis a = {.at = 100, .length = 5000};
            struct hd_ramp ramp;
            hd_axis_fit(&a, least, most, 5);
            double steps = (a.max - a.min) / a.step;
            if (a.min > least + 1e-6 * most || a.max < most * (1 - 1e-6) || steps > 8.001 || steps < 0.999)
                fail_msg("axis of %g to %g: %g to %g by %g", least, most, a.min, a.max, a.step);
            assert_int_equal(hd_axis_at(&a, a.min), 100);
            assert_int_equal(hd_axis_at(&a, a.max), 5100);
            hd_ramp_fit(&ramp, 0, most);
            if (ramp.step * HD_BINS_OF_RAMP < most * (1 - 1e-5) || ramp.step * HD_BINS_OF_RAMP > most * 1.8)
                fail_msg("ramp to %g has steps of %g", most, ramp.step);
            assert_int_equal(hd_ramp_bin(&ramp, 0), 0);
            assert_int_equal(hd_ramp_bin(&ramp, most * 2), HD_BINS_OF_RAMP - 1);
            for (uint32_t b = 0; b < HD_BINS_OF_RAMP; b++)
                assert_int_equal(hd_ramp_bin(&ramp, ramp.step * (b + 0.5)), b);
            /* What is written at a limit is the limit. */
            char text[HD_NUMBER];
            for (int b = 1; b <= HD_BINS_OF_RAMP; b++)
                if (fabs(atof(hd_number(text, b * ramp.step, ramp.digits)) - b * ramp.step) > 1e-6 * ramp.step)
                    fail_msg("limit %.9g is written %s", b * ramp.step, text);
        }
}

/* The left and right end of the first body of a chart of bandwidths, for samples spread evenly between two values. */
static void body_ends(struct made_report *m, double least, double most, double *left, double *right)
{
    struct hd_report_option *p = &m->r.option[0];
    float *sample = HD_NEW(&m->arena, float, p->nsample);
    p->sample = sample;
    for (uint32_t i = 0; i < p->nsample; i++)
        sample[i] = (float)(least + (most - least) * (double)i / (double)(p->nsample - 1));
    char *chart = chart_of(m, "bandwidth", 0, 0);
    const char *at = strstr(chart, "class=\"body");
    assert_non_null(at);
    const char *end = strchr(at = strstr(at, " d=\"") + 4, '"');
    for (*left = INFINITY, *right = 0; (at = strpbrk(at, "ML\"")) < end;) {
        double x = atof(++at);
        *left = fmin(*left, x);
        *right = fmax(*right, x);
    }
    free(chart);
}

static void bodies_end_within_the_axis(void **state)
{
    (void)state;
    enum { AXIS_LEFT = 210, AXIS_RIGHT = 986 };
    const double range[][2] = {{0.7, 0.8}, {0.71, 0.799}, {0.5, 0.9}, {0.21, 0.36}, {0.1, 0.8}};
    struct made_report m;
    double left, right;
    make_report(&m, "ft:m=4,n=2", (const char *const[]){"minhop", NULL}, 400);
    for (uint32_t q = 0; q < m.r.nquantity; q++) m.r.option[0].figure[q].bound = NAN;
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        body_ends(&m, range[i][0], range[i][1], &left, &right);
        if (left < AXIS_LEFT + 1 || right > AXIS_RIGHT - 1)
            fail_msg("samples from %g to %g: from %g to %g", range[i][0], range[i][1], left, right);
    }
    body_ends(&m, 0, 1, &left, &right); /* nothing is below 0 or above 1 */
    assert_true(left == AXIS_LEFT && right == AXIS_RIGHT);
    drop_report(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_is_well_formed),
        cmocka_unit_test(page_holds_every_figure),
        cmocka_unit_test(text_names_every_loss),
        cmocka_unit_test(bounds_claim_no_more_than_they_hold),
        cmocka_unit_test(hostile_names_are_text),
        cmocka_unit_test(short_names_are_whole_characters),
        cmocka_unit_test(colours_follow_loads),
        cmocka_unit_test(even_loads_are_pale),
        cmocka_unit_test(heat_has_a_cell_for_every_pair),
        cmocka_unit_test(large_fabrics_stay_small),
        cmocka_unit_test(dense_fabrics_stay_small),
        cmocka_unit_test(empty_reports_are_pages),
        cmocka_unit_test(unmeasured_figures_are_dashes),
        cmocka_unit_test(scales_hold_their_range),
        cmocka_unit_test(bodies_end_within_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
