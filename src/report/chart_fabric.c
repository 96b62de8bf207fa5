/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric as draw/draw.h lays it out, each cable coloured and widened by its load: of its two directions the
 * busier one is shown, and of several cables drawn as one the busiest. Lines of one colour are one path, the hottest
 * on top. Cost: O(channels log bundles) per layer. */
#include "base/status.h"
#include "report/charts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PX = HD_PX, EVEN = 3, ONE_BY_ONE = 200, PAGE = 1120 * HD_PX + 2 * HD_DRAW_MARGIN };

struct fabric_chart {
    struct hd_ink *k;
    const struct hd_pick *pick;
    uint32_t npick;
};

struct fabric_stroke {
    uint32_t bundle, bin;
    int32_t width; /* 0: as the colour has it */
};

static int fabric_by_look(const struct fabric_stroke *x, const struct fabric_stroke *y)
{
    if (x->bin != y->bin) return x->bin < y->bin ? -1 : 1;
    return (x->width > y->width) - (x->width < y->width);
}

static int fabric_by_stroke(const void *a, const void *b)
{
    const struct fabric_stroke *x = a, *y = b;
    int order = fabric_by_look(x, y);
    return order ? order : (x->bundle > y->bundle) - (x->bundle < y->bundle);
}

/* The largest load in each bundle. */
static void fabric_load_bundles(const struct hd_drawing *d, const float *load, float *most)
{
    const struct hd_net *net = d->net;
    for (uint32_t i = 0; i < d->nbundles; i++) most[i] = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) continue;
        uint32_t u = d->cell_of[net->tail[c]], v = d->cell_of[net->head[c]];
        if (u == v) continue;
        uint32_t i = hd_draw_bundle(d, u, v);
        if (load[c] > most[i]) most[i] = load[c];
    }
}

static void fabric_draw_layer(struct hd_drawing *d, const struct fabric_stroke *stroke, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct fabric_stroke *s = &stroke[i];
        if (i == 0 || fabric_by_look(s, s - 1) != 0) {
            hd_printf(d->o, "<path class=\"s%u\"", s->bin);
            if (s->width) {
                hd_puts(d->o, " style=\"--w:");
                hd_draw_number(d->o, s->width);
                hd_puts(d->o, "\"");
            }
            hd_puts(d->o, " d=\"");
        }
        d->trace(d, &d->bundle[s->bundle]);
        if (i + 1 == n || fabric_by_look(s, s + 1) != 0) hd_draw_path_end(d->o);
    }
}

static int32_t fabric_merged_stroke(const struct hd_drawing *d, const struct hd_bundle *b)
{
    int32_t width = hd_draw_stroke(d, b->cables);
    return width < PX ? PX : width;
}

static hd_status fabric_one_layer(struct hd_drawing *d, const struct hd_pick *pick)
{
    struct fabric_chart *f = d->user;
    const struct hd_report *r = f->k->r;
    struct hd_mark mark = hd_arena_mark(&d->arena);
    float *most = HD_NEW(&d->arena, float, d->nbundles);
    struct fabric_stroke *stroke = HD_NEW(&d->arena, struct fabric_stroke, d->nbundles);
    if (!most || !stroke) return hd_fail_memory(d->ctx);
    struct hd_ramp ramp;
    uint32_t n = 0;
    hd_load_ramp(r, pick->view, &ramp);
    fabric_load_bundles(d, r->option[pick->option].load[pick->view], most);
    for (uint32_t i = 0; i < d->nbundles; i++) {
        if (!d->bundle[i].cables) continue;
        bool merged = d->ncells < d->net->nsw;
        stroke[n++] =
            (struct fabric_stroke){i, hd_ramp_bin(&ramp, most[i]), merged ? fabric_merged_stroke(d, &d->bundle[i]) : 0};
    }
    qsort(stroke, n, sizeof *stroke, fabric_by_stroke);
    hd_puts(d->o, "<g class=\"lines");
    if (f->npick > 1) hd_printf(d->o, " lay o%u w%u", pick->option, pick->view);
    /* Many lines are thinner. */
    bool dense = d->ncells == d->net->nsw && d->nbundles > 250;
    hd_puts(d->o, !dense ? "\">\n" : d->nbundles > 1000 ? " t4\" style=\"--t:.4\">\n" : " t6\" style=\"--t:.6\">\n");
    if (d->nbundles)
        hd_ramp_draw(f->k, &ramp, false, HD_DRAW_MARGIN, 0, "Load of a cable, relative to its rate (busier direction)");
    fabric_draw_layer(d, stroke, n);
    hd_puts(d->o, "</g>\n");
    hd_arena_rewind(&d->arena, mark);
    return HD_OK;
}

static hd_status fabric_draw_cables(struct hd_drawing *d)
{
    struct fabric_chart *f = d->user;
    const int32_t x = HD_DRAW_MARGIN + HD_RAMP_WIDTH + 24 * PX;
    hd_draw_missing(d);
    hd_draw_slow(d);
    if (d->missing) hd_ink_text(f->k, "s", x, 27 * PX, "dotted: missing cables (%u)", d->missing);
    if (d->slow) hd_ink_text(f->k, "s slow", x, 12 * PX, "broad: slow cables (%u)", d->slow);
    for (uint32_t i = 0; i < f->npick; i++) HD_TRY(fabric_one_layer(d, &f->pick[i]));
    return HD_OK;
}

static void fabric_begin(struct hd_drawing *d)
{
    struct fabric_chart *f = d->user;
    const struct hd_report *r = f->k->r;
    char title[400] = "Load of every cable", *desc = f->k->caption, name[HD_NAME], missing[80] = "", slow[80] = "";
    if (f->npick == 1)
        snprintf(title, sizeof title, "Load of every cable: %s, %s",
                 hd_short(name, r->option[f->pick->option].table, 60), r->view[f->pick->view].title);
    bool merged = d->ncells < d->net->nsw;
    if (d->missing)
        snprintf(missing, sizeof missing, " Dotted: %u missing cable%s.", d->missing, d->missing == 1 ? "" : "s");
    if (d->slow)
        snprintf(slow, sizeof slow, " Broad, behind their load: %u slow cable%s.", d->slow, d->slow == 1 ? "" : "s");
    snprintf(desc, sizeof f->k->caption, "%s Colour%s of a line: the load of %s.%s%s", d->how,
             merged ? "" : " and width",
             merged ? "the busiest of its cables; width: their number" : "the cable, in its busier direction", missing,
             slow);
    hd_ink_begin(f->k, d->width - 2 * HD_DRAW_MARGIN, d->height, title, desc);
    hd_puts(d->o, "<g transform=\"translate(");
    hd_draw_number(d->o, -HD_DRAW_MARGIN);
    hd_puts(d->o, " 0)\">\n");
}

static void fabric_end(struct hd_drawing *d)
{
    const struct fabric_chart *f = d->user;
    if (d->slow_marks)
        hd_ink_text(f->k, "s slow", HD_DRAW_MARGIN + HD_RAMP_WIDTH + 24 * PX, 42 * PX, "endpoints on slow cables (%u)",
                    d->slow_eps);
    hd_puts(d->o, "</g>");
    hd_ink_end(f->k);
}

hd_status hd_chart_fabric(struct hd_ink *k, const struct hd_pick *pick, uint32_t n)
{
    static const struct hd_drawing_hooks hooks = {fabric_begin, fabric_draw_cables, fabric_end};
    struct fabric_chart f = {k, pick, n};
    struct hd_drawing d = {.ctx = k->ctx, .net = k->r->net, .o = k->o, .hooks = &hooks, .user = &f};
    hd_draw_defaults(&d);
    d.limit = ONE_BY_ONE;
    d.page = PAGE;
    d.head = HD_RAMP_HEIGHT + 30 * PX;
    d.foot = 0;
    hd_status s = hd_draw_net(&d);
    hd_arena_release(&d.arena);
    return s;
}

/* ---- what the charts of loads share -------------------------------------------------------- */

bool hd_has_load(const struct hd_report *r, uint32_t option, uint32_t view)
{
    const struct hd_report_option *p = &r->option[option];
    return hd_measured(p) && p->load && view < r->nview && p->load[view];
}

double hd_most_load(const struct hd_report *r, uint32_t option, uint32_t view)
{
    const struct hd_net *net = r->net;
    const float *load = r->option[option].load[view];
    double most = 0;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->tail[c] < net->nsw && net->head[c] < net->nsw && load[c] > most) most = load[c];
    return most;
}

static double fabric_mean_load(const struct hd_report *r, uint32_t option, uint32_t view)
{
    const struct hd_net *net = r->net;
    const float *load = r->option[option].load[view];
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) continue;
        sum += load[c];
        n++;
    }
    return n ? sum / n : 0;
}

void hd_load_ramp(const struct hd_report *r, uint32_t view, struct hd_ramp *ramp)
{
    double most = 0, beyond = 0, mean = 0;
    for (uint32_t i = 0; i < r->noption; i++) {
        if (!hd_has_load(r, i, view)) continue;
        double load = hd_most_load(r, i, view);
        if ((i == r->best || r->option[i].current) && load > most) most = load;
        if (load > beyond) beyond = load;
        if (i == r->best || (mean == 0 && r->best >= r->noption)) mean = fabric_mean_load(r, i, view);
    }
    /* An even load is a pale one: the strong end is for what is well above the mean. */
    if (!(most > 0)) most = beyond;
    hd_ramp_fit(ramp, 0, fmax(most, EVEN * mean));
    ramp->more = beyond > ramp->step * HD_BINS_OF_RAMP;
}
