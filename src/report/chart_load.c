/* SPDX-License-Identifier: BSD-2-Clause */
/* How evenly cables are loaded: for each pair of levels and each direction a histogram of the loads of its channels,
 * all on the same axes. Filled: the routing shown. As an outline: what it is compared with, the current routing
 * (OpenSM's default where none was given), or the recommended one where that is shown. Channels of endpoints are left
 * out: no routing changes them. */
#include "base/status.h"
#include "report/charts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PX = HD_PX,
    BINS = 30,
    ACROSS = 484 * HD_PX,
    TALL = 84 * HD_PX,
    LEFT = 46 * HD_PX,
    BETWEEN = 74 * HD_PX,
    PITCH = TALL + 58 * HD_PX,
    HEAD = 30 * HD_PX
};

enum load_direction { UP, DOWN, SIDE };

struct load_panel {
    uint32_t low, high; /* levels */
    enum load_direction direction;
    uint32_t channels;
    uint32_t count[2][BINS]; /* shown; compared with */
    double sum, most;        /* of the one shown */
};

struct load_histogram {
    struct hd_ink *k;
    uint32_t option, other, view; /* other: UINT32_MAX: none */
    struct hd_axis x, y;
    struct load_panel *panel; /* by descending level, up before down */
    uint32_t npanel;
};

static bool load_between_switches(const struct hd_net *net, uint32_t c)
{
    return net->tail[c] < net->nsw && net->head[c] < net->nsw;
}

static struct load_panel load_key_of(const struct hd_net *net, uint32_t c)
{
    uint32_t a = net->level[net->tail[c]], b = net->level[net->head[c]];
    struct load_panel p = {.low = a < b ? a : b, .high = a < b ? b : a, .direction = a < b ? UP : a > b ? DOWN : SIDE};
    return p;
}

static int load_by_panel(const void *a, const void *b)
{
    const struct load_panel *x = a, *y = b;
    if (x->high != y->high) return x->high > y->high ? -1 : 1;
    if (x->low != y->low) return x->low > y->low ? -1 : 1;
    return (x->direction > y->direction) - (x->direction < y->direction);
}

static struct load_panel *load_find(struct load_histogram *h, const struct load_panel *key)
{
    for (uint32_t i = 0; i < h->npanel; i++)
        if (load_by_panel(&h->panel[i], key) == 0) return &h->panel[i];
    return NULL;
}

static hd_status load_make_panels(struct load_histogram *h)
{
    const struct hd_net *net = h->k->r->net;
    uint32_t room = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (!load_between_switches(net, c)) continue;
        struct load_panel key = load_key_of(net, c);
        if (load_find(h, &key)) continue;
        if (h->npanel == room) {
            struct load_panel *more = HD_NEW(&h->k->arena, struct load_panel, 2 * (size_t)room + 8);
            if (!more) return hd_fail_memory(h->k->ctx);
            for (uint32_t i = 0; i < h->npanel; i++) more[i] = h->panel[i];
            h->panel = more;
            room = 2 * room + 8;
        }
        h->panel[h->npanel++] = key;
    }
    if (h->npanel) qsort(h->panel, h->npanel, sizeof *h->panel, load_by_panel);
    return HD_OK;
}

static uint32_t load_bin_of(const struct load_histogram *h, double load)
{
    double bin = floor(load / h->x.max * BINS + 1e-9);
    return bin >= BINS ? BINS - 1 : bin > 0 ? (uint32_t)bin : 0;
}

static void load_count(struct load_histogram *h)
{
    const struct hd_net *net = h->k->r->net;
    const float *load = h->k->r->option[h->option].load[h->view];
    const float *other = h->other == UINT32_MAX ? NULL : h->k->r->option[h->other].load[h->view];
    double most = hd_most_load(h->k->r, h->option, h->view), share = 0;
    if (other && hd_most_load(h->k->r, h->other, h->view) > most) most = hd_most_load(h->k->r, h->other, h->view);
    hd_axis_fit(&h->x, 0, most, 5);
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (!load_between_switches(net, c)) continue;
        struct load_panel key = load_key_of(net, c), *p = load_find(h, &key);
        p->channels++;
        p->count[0][load_bin_of(h, load[c])]++;
        if (other) p->count[1][load_bin_of(h, other[c])]++;
        p->sum += load[c];
        if (load[c] > p->most) p->most = load[c];
    }
    for (uint32_t i = 0; i < h->npanel; i++)
        for (uint32_t b = 0; b < 2 * BINS; b++) {
            double s = (double)h->panel[i].count[b / BINS][b % BINS] / h->panel[i].channels;
            if (s > share) share = s;
        }
    hd_axis_fit(&h->y, 0, 100 * share, 3);
}

static int32_t load_height_of(const struct load_histogram *h, uint32_t count, uint32_t channels)
{
    return (int32_t)lround(100.0 * count / channels / h->y.max * TALL);
}

static void load_draw_bars(struct load_histogram *h, const struct load_panel *p, int32_t left, int32_t bottom)
{
    char class[40];
    snprintf(class, sizeof class, "body %s", hd_option_class(h->k->r, h->option));
    hd_draw_path(h->k->o, class, 0, 0);
    for (int32_t b = 0; b < BINS; b++) {
        int32_t tall = load_height_of(h, p->count[0][b], p->channels), at = left + ACROSS * b / BINS;
        if (!tall) continue;
        hd_draw_move(h->k->o, at + 5, bottom);
        hd_draw_line(h->k->o, at + 5, bottom - tall);
        hd_draw_line(h->k->o, left + ACROSS * (b + 1) / BINS - 5, bottom - tall);
        hd_draw_line(h->k->o, left + ACROSS * (b + 1) / BINS - 5, bottom);
        hd_puts(h->k->o, "z");
    }
    hd_draw_path_end(h->k->o);
    if (h->other == UINT32_MAX) return;
    snprintf(class, sizeof class, "%s outline", hd_option_class(h->k->r, h->other));
    hd_draw_path(h->k->o, class, 0, 0);
    hd_draw_move(h->k->o, left, bottom);
    for (int32_t b = 0; b < BINS; b++) {
        int32_t y = bottom - load_height_of(h, p->count[1][b], p->channels);
        hd_draw_line(h->k->o, left + ACROSS * b / BINS, y);
        hd_draw_line(h->k->o, left + ACROSS * (b + 1) / BINS, y);
    }
    hd_draw_line(h->k->o, left + ACROSS, bottom);
    hd_draw_path_end(h->k->o);
}

static void load_name_panel(const struct load_panel *p, bool only, char *text, size_t room)
{
    if (p->direction == SIDE && (only || p->low == HD_NO_LEVEL))
        snprintf(text, room, "Between switches");
    else if (p->direction == SIDE)
        snprintf(text, room, "Between switches of level %u", p->low);
    else if (p->high == HD_NO_LEVEL)
        snprintf(text, room, "%s a switch of no level, from level %u", p->direction == UP ? "To" : "From", p->low);
    else
        snprintf(text, room, "%s, level %u to %u", p->direction == UP ? "Up" : "Down",
                 p->direction == UP ? p->low : p->high, p->direction == UP ? p->high : p->low);
}

static void load_draw_panel(struct load_histogram *h, const struct load_panel *p, int32_t left, int32_t top)
{
    char text[80], mean[HD_NUMBER], most[HD_NUMBER];
    struct hd_axis x = h->x;
    int32_t bottom = top + 18 * PX + TALL;
    x.at = left;
    x.length = ACROSS;
    load_name_panel(p, h->npanel == 1, text, sizeof text);
    hd_ink_text(h->k, "b", left, top + 9 * PX, "%s", text);
    hd_ink_text(h->k, "s e num", left + ACROSS, top + 9 * PX, "%u channels \xc2\xb7 mean %s \xc2\xb7 largest %s",
                p->channels, hd_number(mean, p->sum / p->channels, 3), hd_number(most, p->most, 3));
    for (double v = 0; v <= h->y.max + h->y.step / 2; v += h->y.step) {
        int32_t y = bottom - (int32_t)lround(v / h->y.max * TALL);
        hd_ink_line(h->k, v > 0 ? "g" : "a", left, y, left + ACROSS, y);
        hd_ink_text(h->k, "s e num", left - 6 * PX, y + 4 * PX, "%s %%", hd_number(text, v, h->y.digits));
    }
    load_draw_bars(h, p, left, bottom);
    for (double v = 0; v <= h->x.max + h->x.step / 2; v += h->x.step)
        hd_ink_text(h->k, "s c num", hd_axis_at(&x, v), bottom + 15 * PX, "%s", hd_number(text, v, h->x.digits));
}

static void load_draw_key(struct load_histogram *h, int32_t width)
{
    const struct hd_report *r = h->k->r;
    char name[HD_NAME], class[40];
    snprintf(class, sizeof class, "body %s", hd_option_class(r, h->option));
    hd_ink_rect(h->k, class, LEFT, 2 * PX, 14 * PX, 10 * PX);
    hd_ink_text(h->k, "", LEFT + 20 * PX, 11 * PX, "%s", hd_short(name, r->option[h->option].table, 44));
    if (h->other == UINT32_MAX) return;
    int32_t x = LEFT + 38 * PX + hd_draw_text_width(hd_draw_characters(name), 12);
    if (x > width / 2) x = width / 2;
    snprintf(class, sizeof class, "%s outline", hd_option_class(r, h->other));
    hd_ink_rect(h->k, class, x, 2 * PX, 14 * PX, 10 * PX);
    hd_short(name, r->option[h->other].table, 44);
    if (h->k->whole) { /* two tables that the user named */
        hd_ink_text(h->k, "", x + 20 * PX, 11 * PX, "%s", name);
        return;
    }
    const char *tag = hd_option_tag(r, h->other);
    hd_ink_text(h->k, "", x + 20 * PX, 11 * PX, "%s (%s)", name, *tag ? tag : "OpenSM's default");
}

static uint32_t load_rows_of(const struct load_histogram *h)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < h->npanel; i++)
        rows += i == 0 || h->panel[i].direction == SIDE || h->panel[i].high != h->panel[i - 1].high ||
                h->panel[i].low != h->panel[i - 1].low;
    return rows;
}

static void load_draw(struct load_histogram *h)
{
    const struct hd_report *r = h->k->r;
    char title[300], desc[400], name[HD_NAME], most[HD_NUMBER];
    uint32_t rows = load_rows_of(h), row = 0;
    bool paired = h->npanel > rows;
    int32_t width = LEFT + ACROSS + (paired ? BETWEEN + ACROSS : 0) + 14 * PX;
    snprintf(title, sizeof title, "Loads by level and direction: %s, %s",
             hd_short(name, r->option[h->option].table, 60), r->view[h->view].title);
    snprintf(desc, sizeof desc,
             "Histograms of channel loads, one for each pair of levels and direction. Largest load %s.",
             hd_number(most, hd_most_load(r, h->option, h->view), 4));
    hd_ink_begin(h->k, width, HEAD + (int32_t)rows * PITCH + 8 * PX, title, desc);
    load_draw_key(h, width);
    for (uint32_t i = 0; i < h->npanel; i++) {
        const struct load_panel *p = &h->panel[i];
        bool first = i == 0 || p->direction == SIDE || p->high != p[-1].high || p->low != p[-1].low;
        row += i > 0 && first;
        bool right = paired && p->direction == DOWN;
        load_draw_panel(h, p, right ? LEFT + ACROSS + BETWEEN : LEFT, HEAD + (int32_t)row * PITCH);
    }
    hd_ink_text(h->k, "s", LEFT, HEAD + (int32_t)rows * PITCH - 8 * PX,
                "Load of a channel relative to its rate; height: share of the channels");
    hd_ink_end(h->k);
}

hd_status hd_chart_load(struct hd_ink *k, uint32_t option, uint32_t view)
{
    const struct hd_report *r = k->r;
    struct load_histogram h = {.k = k, .option = option, .view = view, .other = hd_yardstick(r)};
    if (h.other == option) h.other = r->best;
    if (h.other == option || h.other >= r->noption || !hd_has_load(r, h.other, view)) h.other = UINT32_MAX;
    HD_TRY(load_make_panels(&h));
    if (h.npanel) load_count(&h);
    load_draw(&h);
    return HD_OK;
}
