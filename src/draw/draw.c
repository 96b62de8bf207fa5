/* SPDX-License-Identifier: BSD-2-Clause */
/* What every drawing of a network shares: cells and the bundles of cables between them, SVG primitives, the frame with
 * title, counts and legend, and the choice of a layout by structure (levels, grid or ring). Coordinates are integers,
 * tenths of a pixel, so that the same network gives the same bytes on any machine. Cost: O(cables log cables) for the
 * bundles, then O(cells + bundles) to write. */
#include "draw/draw.h"
#include "base/escape.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/cabling/lacking.h"
#include "net/core/shape.h"
#include "net/core/subtrees.h"
#include "base/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- cells and bundles --------------------------------------------------------------------- */

struct cell_pairs {
    struct hd_drawing *d;
    struct hd_keyed *at; /* two cells, the lower one first, and how many cables are missing: 0 for one that is there */
    size_t n, room;
};

static void add_cell_pair(struct cell_pairs *p, uint32_t a, uint32_t b, uint32_t missing)
{
    uint32_t u = p->d->cell_of[a], v = p->d->cell_of[b];
    if (u == v || p->n == p->room) return;
    p->at[p->n++] = (struct hd_keyed){(uint64_t)(u < v ? u : v) << 32 | (u < v ? v : u), missing};
}

static void add_missing(void *user, uint32_t a, uint32_t b, uint32_t missing)
{
    struct cell_pairs *p = user;
    p->d->missing += missing;
    add_cell_pair(p, a, b, missing);
}

static hd_status make_bundles(struct hd_drawing *d)
{
    const struct hd_net *net = d->net;
    struct hd_arena scratch = {0};
    struct cell_pairs p = {.d = d, .room = net->nchan / 2 + net->shape.missing};
    p.at = HD_NEW(&scratch, struct hd_keyed, p.room);
    if (!p.at) return hd_fail_memory(d->ctx);
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] < v) add_cell_pair(&p, net->head[c], v, 0);
    hd_status s = hd_shape_each_lacking(d->ctx, net, add_missing, &p);
    hd_keyed_sort(p.at, p.n, sizeof *p.at);
    for (size_t i = 0; i < p.n; i++) d->nbundles += i == 0 || p.at[i].key != p.at[i - 1].key;
    d->bundle = HD_NEW(&d->arena, struct hd_bundle, d->nbundles);
    if (s == HD_OK && !d->bundle) s = hd_fail_memory(d->ctx);
    for (size_t i = 0, at = 0; s == HD_OK && i < p.n; i++) {
        if (i && p.at[i].key != p.at[i - 1].key) at++;
        struct hd_bundle *b = &d->bundle[at];
        b->u = (uint32_t)(p.at[i].key >> 32);
        b->v = (uint32_t)p.at[i].key;
        b->cables += p.at[i].value == 0;
        b->missing += p.at[i].value;
        if (b->cables > d->most) d->most = b->cables;
    }
    hd_arena_release(&scratch);
    return s;
}

uint32_t hd_draw_bundle(const struct hd_drawing *d, uint32_t a, uint32_t b)
{
    uint32_t u = a < b ? a : b, v = a < b ? b : a, low = 0, high = d->nbundles;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct hd_bundle *m = &d->bundle[mid];
        if (m->u < u || (m->u == u && m->v < v))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Cables slower than most of their kind: those of endpoints mark the endpoint. */
static hd_status find_slow(struct hd_drawing *d)
{
    const struct hd_net *net = d->net;
    const struct hd_cabling *cabling;
    HD_TRY(hd_net_cabling(d->ctx, net, &cabling));
    if (!cabling->count[HD_CABLING_SLOW]) return HD_OK;
    d->is_slow = HD_NEW(&d->arena, bool, net->nep);
    if (!d->is_slow) return hd_fail_memory(d->ctx);
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        uint32_t a = f->from.node, b = f->to.node; /* an endpoint is the second */
        if (f->kind != HD_CABLING_SLOW || a >= net->nsw) continue;
        if (b >= net->nsw) {
            d->is_slow[b - net->nsw] = true;
            d->cell[d->cell_of[a]].slow++;
            d->slow_eps++;
        } else if (d->cell_of[a] != d->cell_of[b]) {
            d->bundle[hd_draw_bundle(d, d->cell_of[a], d->cell_of[b])].slow++;
            d->slow++;
        }
    }
    return HD_OK;
}

hd_status hd_draw_cells(struct hd_drawing *d)
{
    const struct hd_net *net = d->net;
    d->cell = HD_NEW(&d->arena, struct hd_cell, d->ncells);
    if (!d->cell) return hd_fail_memory(d->ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        struct hd_cell *c = &d->cell[d->cell_of[v]];
        if (c->count++ == 0) c->sw = v;
    }
    for (uint32_t e = 0; e < net->nep; e++) d->cell[d->cell_of[hd_leaf(net, e)]].eps++;
    for (uint32_t i = 0; i < net->nsel; i++) d->cell[d->cell_of[hd_leaf(net, net->sel[i])]].counted++;
    HD_TRY(make_bundles(d));
    return find_slow(d);
}

/* ---- numbers and paths --------------------------------------------------------------------- */

void hd_draw_number(struct hd_out *o, int32_t tenths)
{
    if (tenths < 0) hd_puts(o, "-");
    uint32_t value = tenths < 0 ? (uint32_t)-tenths : (uint32_t)tenths;
    hd_putu(o, value / 10);
    if (value % 10) hd_put(o, (char[]){'.', (char)('0' + value % 10)}, 2);
}

void hd_draw_put(struct hd_out *o, const char *form, ...)
{
    va_list ap;
    va_start(ap, form);
    for (const char *at; (at = strchr(form, '#')) != NULL; form = at + 1) {
        int32_t length = va_arg(ap, int32_t);
        hd_put(o, form, (size_t)(at - form) - (length < 0 && at > form && at[-1] == ' '));
        hd_draw_number(o, length);
    }
    va_end(ap);
    hd_puts(o, form);
}

void hd_draw_path(struct hd_out *o, const char *class, int32_t stroke, uint32_t opacity)
{
    hd_printf(o, "<path class=\"%s\"", class);
    if (stroke) hd_draw_put(o, " stroke-width=\"#\"", stroke);
    if (opacity && opacity < 100) hd_printf(o, " opacity=\".%02u\"", opacity);
    hd_puts(o, " d=\"");
}

void hd_draw_move(struct hd_out *o, int32_t x, int32_t y)
{
    hd_draw_put(o, "M# #", x, y);
}

void hd_draw_line(struct hd_out *o, int32_t x, int32_t y)
{
    hd_draw_put(o, "L# #", x, y);
}

void hd_draw_segment(struct hd_out *o, int32_t x1, int32_t y1, int32_t x2, int32_t y2)
{
    hd_draw_put(o, "M# #L# #", x1, y1, x2, y2);
}

void hd_draw_curve(struct hd_out *o, int32_t cx, int32_t cy, int32_t x, int32_t y)
{
    hd_draw_put(o, "Q# # # #", cx, cy, x, y);
}

void hd_draw_square(struct hd_out *o, int32_t x, int32_t y, int32_t size)
{
    hd_draw_put(o, "M# #h#v#h#z", x, y, size, size, -size);
}

void hd_draw_path_end(struct hd_out *o)
{
    hd_puts(o, "\"/>\n");
}

void hd_draw_box(struct hd_out *o, const char *class, const struct hd_cell *c, int32_t radius)
{
    hd_printf(o, "<rect class=\"%s\"", class);
    hd_draw_put(o, " x=\"#\" y=\"#\" width=\"#\" height=\"#\"", c->x - c->w / 2, c->y - c->h / 2, c->w, c->h);
    if (radius) hd_draw_put(o, " rx=\"#\"", radius);
    hd_puts(o, "/>");
}

/* ---- text ---------------------------------------------------------------------------------- */

static const char *next_character(const char *text)
{
    size_t bytes = hd_utf8(text);
    return text + (bytes ? bytes : 1);
}

uint32_t hd_draw_characters(const char *text)
{
    uint32_t n = 0;
    for (; *text; text = next_character(text)) n++;
    return n;
}

int32_t hd_draw_text_width(uint32_t characters, int32_t font)
{
    return (int32_t)characters * font * HD_PX * 58 / 100;
}

static const char *skip_characters(const char *text, uint32_t n)
{
    for (; n > 0; n--) text = next_character(text);
    return text;
}

/* Names of one kind begin alike and end with the number, so that the middle is what can go. */
static void put_shortened(struct hd_out *o, const char *text, uint32_t most)
{
    uint32_t n = hd_draw_characters(text);
    if (most == 0 || n <= most) {
        hd_put_xml(o, text);
        return;
    }
    uint32_t front = (most - 1) / 2, back = most - 1 - front;
    char buf[256];
    size_t bytes = (size_t)(skip_characters(text, front) - text);
    if (bytes >= sizeof buf) bytes = 0;
    memcpy(buf, text, bytes);
    buf[bytes] = 0;
    hd_put_xml(o, buf);
    hd_puts(o, "\xe2\x80\xa6");
    hd_put_xml(o, skip_characters(text, n - back));
}

void hd_draw_text(struct hd_out *o, const struct hd_draw_text *where, const char *text)
{
    hd_printf(o, "<text class=\"%s\"", where->class);
    hd_draw_put(o, where->turn ? " transform=\"translate(# #)" : " x=\"#\" y=\"#\"", where->x, where->y);
    if (where->turn) hd_printf(o, "rotate(%d)\"", where->turn);
    hd_puts(o, where->middle ? " dy=\".35em\">" : ">");
    put_shortened(o, text, where->most);
    hd_puts(o, "</text>\n");
}

void hd_draw_words(struct hd_out *o, int32_t x, int32_t y, const char *class, const char *text)
{
    hd_draw_text(o, &(struct hd_draw_text){.x = x, .y = y, .class = class}, text);
}

/* ---- cells and lines ----------------------------------------------------------------------- */

/* Levels beyond the sixth share the last colour. */
static uint32_t colour_of(const struct hd_net *net, uint32_t v)
{
    uint32_t l = net->level[v];
    return l == HD_NO_LEVEL ? 1 : l > 6 ? 6 : l;
}

void hd_draw_cell(struct hd_drawing *d, const struct hd_cell *c, int32_t radius)
{
    const struct hd_net *net = d->net;
    struct hd_out *o = d->o;
    char class[40];
    bool small = c->w < 8 * HD_PX || (c->w < 16 * HD_PX && c->h < 16 * HD_PX);
    snprintf(class, sizeof class, "hd-sw hd-%c%u", small ? 's' : 'l', colour_of(net, c->sw));
    hd_puts(o, "<g><title>");
    hd_put_xml(o, hd_node_label(net, c->sw));
    if (c->count > 1) hd_printf(o, " and %u more", c->count - 1);
    if (net->level[c->sw] != HD_NO_LEVEL) hd_printf(o, ", level %u", net->level[c->sw]);
    if (c->count == 1) {
        hd_printf(o, ", %u ports, 0x%016llx", net->nports[c->sw], (unsigned long long)net->guid[c->sw]);
        if (net->lid[c->sw]) hd_printf(o, ", LID %u", net->lid[c->sw]);
    }
    if (c->eps) hd_printf(o, ", %u endpoint%s", c->eps, c->eps == 1 ? "" : "s");
    hd_puts(o, "</title>");
    hd_draw_box(o, class, c, radius);
    hd_puts(o, "</g>\n");
}

void hd_draw_marks(struct hd_drawing *d, uint32_t most, int32_t size,
                   struct hd_point (*at)(const struct hd_drawing *d, uint32_t cell, uint32_t i))
{
    for (int selected = 1; selected >= 0; selected--) {
        if (!d->marks || !(selected ? d->net->nsel : d->net->nep - d->net->nsel)) continue;
        hd_draw_path(d->o, selected ? "hd-ep" : "hd-off", 0, 0);
        for (uint32_t k = 0; k < d->ncells; k++) {
            const struct hd_cell *c = &d->cell[k];
            uint32_t n = c->eps > most ? most : c->eps;
            for (uint32_t i = selected ? 0 : c->counted; i < (selected && c->counted < n ? c->counted : n); i++) {
                struct hd_point p = at(d, k, i);
                hd_draw_square(d->o, p.x, p.y, size);
            }
        }
        hd_draw_path_end(d->o);
    }
    if (!d->marks || !d->slow_eps) return;
    d->slow_marks = true;
    hd_draw_path(d->o, "hd-slow-ep", 0, 0);
    for (uint32_t k = 0; k < d->ncells; k++)
        for (uint32_t i = 0; i < d->cell[k].slow && i < most; i++) {
            struct hd_point p = at(d, k, i);
            hd_draw_square(d->o, p.x, p.y, size);
        }
    hd_draw_path_end(d->o);
}

int32_t hd_draw_stroke(const struct hd_drawing *d, uint32_t cables)
{
    if (d->ncells == d->net->nsw) return cables > 7 ? 45 : (int32_t)(3 + 6 * cables);
    int32_t stroke = d->most ? (int32_t)((int64_t)d->widest * cables / d->most) : 0;
    return stroke < 6 ? 6 : stroke;
}

uint32_t hd_draw_opacity(uint32_t lines, int32_t width)
{
    /* Strong up to two lines in ten pixels; then what lies over one another adds up to the same. */
    uint64_t opacity = lines && width > 0 ? 180 * (uint64_t)width / (10 * HD_PX) / lines : 80;
    return opacity > 80 ? 80 : opacity < 5 ? 5 : (uint32_t)opacity;
}

void hd_draw_turn(uint32_t i, uint32_t n, int32_t *sine, int32_t *cosine)
{
    enum { ONE = 1 << 30 };
    uint64_t turn = ((uint64_t)i << 32) / n;
    uint32_t octant = (uint32_t)(turn >> 29);
    int64_t part = (int64_t)(turn & 0x1fffffff);
    if (octant & 1) part = 0x20000000 - part; /* measured back from the next quarter */
    /* 2 pi in 2^-30, times part of a turn in 2^-32 */
    int64_t x = 6746518852 * part >> 32, xx = x * x >> 30;
    int64_t s = x - (x * xx >> 30) / 6, c = ONE - xx / 2, power = xx * xx >> 30;
    c += power / 24;
    s += (x * power >> 30) / 120;
    power = power * xx >> 30;
    c -= power / 720;
    s -= (x * power >> 30) / 5040;
    c += (power * xx >> 30) / 40320;
    if (((octant + 1) >> 1) & 1) { /* 45 to 135 degrees and their opposites */
        int64_t swap = s;
        s = c;
        c = swap;
    }
    *sine = (int32_t)(octant >= 4 ? -s : s);
    *cosine = (int32_t)(octant >= 2 && octant < 6 ? -c : c);
}

/* ---- the frame ----------------------------------------------------------------------------- */

static const char style[] = "<style>\n"
                            ".hd-bg{fill:#fff}\n"
                            ".hd-h,.hd-t,.hd-m,.hd-n,.hd-f,.hd-r,.hd-c,.hd-e{font-family:system-ui,'Helvetica "
                            "Neue',Arial,'DejaVu Sans',sans-serif}\n"
                            ".hd-h{font-size:19px;font-weight:600;fill:#17202b}\n"
                            ".hd-t{font-size:13px;font-weight:600;fill:#17202b}\n"
                            ".hd-m{font-size:12px;fill:#566374}\n"
                            ".hd-n{font-size:9px;fill:#17202b;text-anchor:middle}\n"
                            ".hd-f{font-size:8px;fill:#17202b;text-anchor:middle}\n"
                            ".hd-r{font-size:9px;fill:#17202b}\n"
                            ".hd-x{text-anchor:end}\n"
                            ".hd-c{font-size:12px;font-weight:600;fill:#17202b;text-anchor:middle}\n"
                            ".hd-e{font-size:10px;fill:#566374;text-anchor:middle}\n"
                            ".hd-line,.hd-gone,.hd-tip{fill:none;stroke:#3d5672}\n"
                            ".hd-gone{stroke:#d1242f;stroke-width:1.6;stroke-dasharray:5 3}\n"
                            ".hd-slow{fill:none;stroke:#0a9396;stroke-width:2.4}.hd-slow-ep{fill:#0a9396}\n"
                            ".hd-tip{stroke:#7d8da0}\n"
                            ".hd-pod{fill:#8aa4c2;fill-opacity:.11;stroke:#8aa4c2;stroke-opacity:.45}\n"
                            ".hd-ep{fill:#64748b}\n"
                            ".hd-off{fill:none;stroke:#64748b;stroke-width:.8}\n"
                            ".hd-sw{stroke-width:1.2}\n"
                            ".hd-l1{fill:#dcebfa;stroke:#0068a8}.hd-s1{fill:#0072b2}\n"
                            ".hd-l2{fill:#d9f2e8;stroke:#008660}.hd-s2{fill:#009e73}\n"
                            ".hd-l3{fill:#fde6d5;stroke:#c25400}.hd-s3{fill:#d55e00}\n"
                            ".hd-l4{fill:#f7e2ee;stroke:#a8578a}.hd-s4{fill:#cc79a7}\n"
                            ".hd-l5{fill:#fdf0cf;stroke:#b07a00}.hd-s5{fill:#e69f00}\n"
                            ".hd-l6{fill:#e3e0f5;stroke:#5b4fae}.hd-s6{fill:#7a6fd0}\n"
                            "@media (prefers-color-scheme:dark){\n"
                            ".hd-bg{fill:#12161c}\n"
                            ".hd-h,.hd-t,.hd-n,.hd-f,.hd-r,.hd-c{fill:#e8edf3}\n"
                            ".hd-m,.hd-e{fill:#9aa8b8}\n"
                            ".hd-line{stroke:#9db6d2}.hd-tip{stroke:#6d7d90}.hd-gone{stroke:#ff6b6b}\n"
                            ".hd-slow{stroke:#3fd0d4}.hd-slow-ep{fill:#3fd0d4}\n"
                            ".hd-ep{fill:#94a3b8}.hd-off{stroke:#94a3b8}\n"
                            ".hd-l1{fill:#12344e;stroke:#58a9e0}.hd-s1{fill:#4aa3df}\n"
                            ".hd-l2{fill:#0f3b2e;stroke:#3dc797}.hd-s2{fill:#2fbf8f}\n"
                            ".hd-l3{fill:#4a2812;stroke:#f08c4a}.hd-s3{fill:#ee8340}\n"
                            ".hd-l4{fill:#442338;stroke:#dc93bd}.hd-s4{fill:#dc93bd}\n"
                            ".hd-l5{fill:#443208;stroke:#efb93c}.hd-s5{fill:#efb93c}\n"
                            ".hd-l6{fill:#2b2653;stroke:#a79dee}.hd-s6{fill:#a79dee}\n"
                            "}\n"
                            "</style>\n";

static uint32_t draw_count_levels(const struct hd_net *net)
{
    bool seen[256] = {false};
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        n += !seen[net->level[v]] && net->level[v] != HD_NO_LEVEL;
        seen[net->level[v]] = true;
    }
    return n;
}

const char *hd_draw_count(char text[HD_DRAW_COUNT], uint32_t n)
{
    char digits[16], *at = text;
    int len = snprintf(digits, sizeof digits, "%u", n);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) *at++ = ',';
        *at++ = digits[i];
    }
    *at = 0;
    return text;
}

static void put_count(struct hd_out *o, uint32_t n, const char *one, const char *many)
{
    char text[HD_DRAW_COUNT];
    hd_printf(o, "%s %s", hd_draw_count(text, n), n == 1 ? one : many);
}

static void put_counts(struct hd_out *o, const struct hd_drawing *d, const char *between)
{
    const struct hd_net *net = d->net;
    put_count(o, net->nep, "endpoint", "endpoints");
    hd_puts(o, between);
    put_count(o, net->nsw, "switch", "switches");
    uint32_t levels = draw_count_levels(net);
    if (levels > 1) hd_printf(o, " in %u levels", levels);
    hd_puts(o, between);
    put_count(o, net->nchan / 2, "cable", "cables");
    if (net->nrail > 1) hd_printf(o, "%s%u rails", between, net->nrail);
    if (d->missing) hd_printf(o, "%s%u missing", between, d->missing);
    if (d->slow + d->slow_eps) hd_printf(o, "%s%u slow", between, d->slow + d->slow_eps);
}

void hd_draw_begin(struct hd_drawing *d)
{
    if (d->hooks) {
        d->hooks->begin(d);
        return;
    }
    struct hd_out *o = d->o;
    hd_draw_put(o,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"#\" height=\"#\" viewBox=\"0 0 # #\" role=\"img\" "
                "aria-labelledby=\"hd-title hd-desc\">\n<title id=\"hd-title\">",
                d->width, d->height, d->width, d->height);
    hd_put_xml(o, d->net->spec);
    hd_puts(o, "</title>\n<desc id=\"hd-desc\">");
    put_counts(o, d, ", ");
    hd_printf(o, ". %s</desc>\n", d->how);
    hd_puts(o, style);
    hd_puts(o, "<rect class=\"hd-bg\" width=\"100%\" height=\"100%\"/>\n");
    uint32_t fit = (uint32_t)((d->width - 2 * HD_DRAW_MARGIN) / hd_draw_text_width(1, 19));
    hd_draw_text(o, &(struct hd_draw_text){HD_DRAW_MARGIN, 36 * HD_PX, "hd-h", 0, fit, false}, d->net->spec);
    hd_draw_put(o, "<text class=\"hd-m\" x=\"#\" y=\"#\">", HD_DRAW_MARGIN, 57 * HD_PX);
    put_counts(o, d, " \xc2\xb7 ");
    hd_puts(o, "</text>\n");
}

struct legend {
    struct hd_out *o;
    int32_t x, y;
};

static void legend_text(struct legend *l, const char *text)
{
    hd_draw_words(l->o, l->x, l->y + 4 * HD_PX, "hd-m", text);
    l->x += hd_draw_text_width(hd_draw_characters(text), 12) + 22 * HD_PX;
}

static void legend_line(struct legend *l, const char *class, int32_t stroke, const char *text)
{
    hd_draw_path(l->o, class, stroke, 0);
    hd_draw_segment(l->o, l->x, l->y, l->x + 26 * HD_PX, l->y);
    hd_draw_path_end(l->o);
    l->x += 34 * HD_PX;
    legend_text(l, text);
}

static void legend_mark(struct legend *l, const char *class, const char *text)
{
    hd_draw_path(l->o, class, 0, 0);
    hd_draw_square(l->o, l->x, l->y - 4 * HD_PX, 8 * HD_PX);
    hd_draw_path_end(l->o);
    l->x += 14 * HD_PX;
    legend_text(l, text);
}

void hd_draw_end(struct hd_drawing *d)
{
    if (d->hooks) {
        d->hooks->end(d);
        return;
    }
    const struct hd_net *net = d->net;
    struct legend l = {d->o, HD_DRAW_MARGIN, d->height - 28 * HD_PX};
    char text[80];
    bool merged = d->ncells < net->nsw;
    if (d->marks) legend_mark(&l, "hd-ep", "endpoint");
    if (d->marks && net->nsel < net->nep) {
        snprintf(text, sizeof text, "not selected (%u)", net->nep - net->nsel);
        legend_mark(&l, "hd-off", text);
    }
    if (d->nbundles && d->most && !merged) legend_line(&l, "hd-line", hd_draw_stroke(d, 1), "cable");
    if (d->most > 1) {
        snprintf(text, sizeof text, merged ? "up to %u cables" : "%u parallel cables", d->most);
        legend_line(&l, "hd-line", hd_draw_stroke(d, d->most), text);
    }
    if (d->missing) {
        snprintf(text, sizeof text, merged ? "cables missing (%u)" : "missing cable (%u)", d->missing);
        legend_line(&l, "hd-gone", 0, text);
    }
    if (d->slow) {
        snprintf(text, sizeof text, merged ? "slow cables among them (%u)" : "slow cable (%u)", d->slow);
        legend_line(&l, "hd-slow", 0, text);
    }
    if (d->slow_marks) {
        snprintf(text, sizeof text, "endpoint on a slow cable (%u)", d->slow_eps);
        legend_mark(&l, "hd-slow-ep", text);
    }
    hd_puts(d->o, "</svg>\n");
}
