/* SPDX-License-Identifier: BSD-2-Clause */
/* The layered drawing on paper, from back to front: subtrees, cables, endpoints, switches, captions. */
#include "base/status.h"
#include "draw/draw_layers.h"
#include "net/core/subtrees.h"

#include <stdio.h>
#include <string.h>

enum { PX = HD_PX };

/* ---- subtrees and cables ------------------------------------------------------------------- */

/* A frame for each subtree below the top, wider the higher it is. */
static void draw_pods(struct hd_layers *y)
{
    uint32_t lowest = y->height ? y->height : 2;
    for (uint32_t h = y->levels - 1; h >= lowest; h--) {
        if (y->nsub[h] < 2 || y->nsub[h] > HD_LAYERS_COLUMNS) continue;
        int32_t rank = (int32_t)(h - lowest + 1), step = y->height ? y->unit / 18 : y->unit / 5;
        int32_t pad = rank * (step > 7 * PX ? 7 * PX : step);
        int32_t top = y->row[h].y - y->row[h].h / 2 - 8 * PX, bottom = y->ends_y + y->ends_h + (3 + 3 * rank) * PX;
        for (uint32_t i = 0; i < y->nsub[h]; i++) {
            const struct hd_layer_span *s = &y->span[h][i];
            if (s->columns == 0 || s->cells == 0) continue;
            struct hd_cell box = {.x = (s->left + s->right) / 2, .y = (top + bottom) / 2};
            box.w = s->right - s->left + 2 * pad;
            box.h = bottom - top;
            hd_draw_box(y->d->o, "hd-pod", &box, box.w > 40 * PX ? 6 * PX : 3 * PX);
            hd_puts(y->d->o, "\n");
        }
    }
}

/* Where a line meets a box: its middle, or spread over a wide one by where the line goes. */
static int32_t meet(const struct hd_layers *y, const struct hd_cell *c, const struct hd_cell *to)
{
    int32_t spread = c->w * 8 / 10;
    if (!y->height || c->x == to->x) return c->x;
    return c->x + (int32_t)((int64_t)(to->x - c->x) * spread / 2 / y->d->width);
}

static void layers_draw_bundle(const struct hd_drawing *d, const struct hd_bundle *b)
{
    const struct hd_layers *y = d->layout;
    const struct hd_cell *up = &d->cell[b->u], *low = &d->cell[b->v];
    struct hd_out *o = d->o;
    if (up->y > low->y) {
        const struct hd_cell *swap = up;
        up = low;
        low = swap;
    }
    if (up->y == low->y) { /* within a level: an arc above the row */
        int32_t top = up->y - up->h / 2, apart = up->x < low->x ? low->x - up->x : up->x - low->x;
        int32_t rise = 16 * PX + apart / 6;
        hd_draw_move(o, up->x, top);
        hd_draw_curve(o, (up->x + low->x) / 2, top - (rise > 70 * PX ? 70 * PX : rise), low->x, top);
        return;
    }
    hd_draw_segment(o, meet(y, up, low), up->y + up->h / 2, meet(y, low, up), low->y - low->h / 2);
}

/* The level below a bundle, and its cell above. */
static struct hd_look levels_of(const struct hd_drawing *d, uint32_t bundle)
{
    const struct hd_bundle *b = &d->bundle[bundle];
    uint32_t l = d->net->level[d->cell[b->u].sw], m = d->net->level[d->cell[b->v].sw];
    return (struct hd_look){.first = l < m ? l : m, .second = l < m ? b->v : b->u};
}

static struct hd_look layers_look(const struct hd_drawing *d, uint32_t bundle)
{
    const struct hd_layers *y = d->layout;
    struct hd_look k = levels_of(d, bundle);
    k.opacity = hd_draw_opacity(y->lines[k.first], d->width - HD_LAYERS_GUTTER);
    return k;
}

static hd_status draw_cables(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    y->lines = HD_NEW(&d->arena, uint32_t, y->levels + 1);
    if (!y->lines) return hd_fail_memory(d->ctx);
    for (uint32_t i = 0; i < d->nbundles; i++) y->lines[levels_of(d, i).first] += d->bundle[i].cables > 0;
    d->trace = layers_draw_bundle;
    d->layout = y;
    return hd_draw_cables(d, layers_look);
}

/* ---- endpoints ----------------------------------------------------------------------------- */

/* Endpoint number i of those on a cell: where its mark is. */
static struct hd_point mark_at(const struct hd_layers *y, const struct hd_cell *c, uint32_t i)
{
    struct hd_point p = {0};
    if (y->ends == HD_ENDS_FAN) {
        p.x = c->x + (int32_t)(2 * i) * y->pitch / 2 - (int32_t)(c->eps - 1) * y->pitch / 2;
        p.y = y->ends_y + 32 * PX;
        return p;
    }
    int32_t across = y->across > (int32_t)c->eps ? (int32_t)c->eps : y->across;
    p.x = c->x - across * y->pitch / 2 + (int32_t)i % across * y->pitch + y->pitch / 10;
    p.y = y->ends_y + 14 * PX + (int32_t)i / across * y->pitch;
    return p;
}

enum ends_marked { ENDS_SELECTED, ENDS_OTHERS, ENDS_SLOW };

static void draw_marks(const struct hd_layers *y, uint32_t *next, enum ends_marked which)
{
    static const char *const class[] = {"hd-ep", "hd-off", "hd-slow-ep"};
    const struct hd_drawing *d = y->d;
    const struct hd_net *net = d->net;
    int32_t size = y->ends == HD_ENDS_FAN ? (y->pitch > 12 * PX ? 8 * PX : y->pitch * 6 / 10) : y->pitch * 8 / 10;
    hd_draw_path(d->o, class[which], 0, 0);
    memset(next, 0, d->ncells * sizeof *next);
    for (uint32_t e = 0, k = 0; e < net->nep; e++) {
        uint32_t cell = d->cell_of[hd_leaf(net, e)];
        bool counts = k < net->nsel && net->sel[k] == e;
        k += counts;
        if (net->level[d->cell[cell].sw] != 1) continue;
        struct hd_point p = mark_at(y, &d->cell[cell], next[cell]++);
        if (which == ENDS_SLOW ? !d->is_slow[e] : counts != (which == ENDS_SELECTED)) continue;
        hd_draw_square(d->o, y->ends == HD_ENDS_FAN ? p.x - size / 2 : p.x, p.y, size);
    }
    hd_draw_path_end(d->o);
}

static void draw_fan(const struct hd_layers *y, uint32_t *next)
{
    const struct hd_drawing *d = y->d;
    const struct hd_net *net = d->net;
    hd_draw_path(d->o, "hd-tip", 10, 0);
    for (uint32_t e = 0; e < net->nep; e++) {
        const struct hd_cell *c = &d->cell[d->cell_of[hd_leaf(net, e)]];
        if (net->level[c->sw] != 1) continue;
        struct hd_point p = mark_at(y, c, next[c - d->cell]++);
        hd_draw_segment(d->o, c->x, c->y + c->h / 2, p.x, p.y);
    }
    hd_draw_path_end(d->o);
    if (y->pitch < 10 * PX) return;
    memset(next, 0, d->ncells * sizeof *next);
    for (uint32_t e = 0; e < net->nep; e++) {
        const struct hd_cell *c = &d->cell[d->cell_of[hd_leaf(net, e)]];
        if (net->level[c->sw] != 1) continue;
        struct hd_point p = mark_at(y, c, next[c - d->cell]++);
        hd_draw_text(d->o, &(struct hd_draw_text){p.x, p.y + 13 * PX, "hd-r", 90, 16, true},
                     hd_node_label(net, net->nsw + e));
    }
}

/* A line from the foot of a box down to its endpoints. */
static void draw_tip(struct hd_out *o, const struct hd_cell *c, int32_t down)
{
    hd_draw_path(o, "hd-tip", 10, 0);
    hd_draw_segment(o, c->x, c->y + c->h / 2, c->x, down);
    hd_draw_path_end(o);
}

static void draw_bar(const struct hd_layers *y, const struct hd_cell *c)
{
    struct hd_out *o = y->d->o;
    char text[HD_DRAW_COUNT];
    struct hd_cell bar = {
        .x = c->x, .y = y->ends_y + 17 * PX, .w = c->w < y->room * 8 / 10 ? c->w : y->room * 8 / 10, .h = 6 * PX};
    draw_tip(o, c, bar.y);
    hd_draw_box(o, "hd-ep", &bar, 2 * PX);
    hd_puts(o, "\n");
    if (y->across) hd_draw_words(o, c->x, bar.y + 16 * PX, "hd-e", hd_draw_count(text, c->eps));
}

/* Endpoints above the lowest row: their number at the corner of the box. */
static void draw_badge(const struct hd_layers *y, const struct hd_cell *c)
{
    char text[24];
    snprintf(text, sizeof text, "+%u", c->eps);
    hd_draw_path(y->d->o, "hd-ep", 0, 0);
    hd_draw_square(y->d->o, c->x + c->w / 2 + 3 * PX, c->y - 4 * PX, 6 * PX);
    hd_draw_path_end(y->d->o);
    hd_draw_words(y->d->o, c->x + c->w / 2 + 20 * PX, c->y + 3 * PX, "hd-e", text);
}

static hd_status layers_draw_ends(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    const struct hd_net *net = d->net;
    uint32_t *next = HD_NEW(&d->arena, uint32_t, d->ncells);
    if (!next) return hd_fail_memory(d->ctx);
    if (y->ends == HD_ENDS_FAN && y->ends_h) draw_fan(y, next);
    for (uint32_t i = 0; i < y->nnodes; i++) {
        const struct hd_cell *c = &d->cell[y->node[i].cell];
        if (!c->eps) continue;
        if (y->node[i].level > 1)
            draw_badge(y, c);
        else if (y->ends == HD_ENDS_BAR)
            draw_bar(y, c);
        else if (y->ends == HD_ENDS_BLOCK)
            draw_tip(d->o, c, y->ends_y + 13 * PX);
    }
    if (y->ends == HD_ENDS_BAR || !y->ends_h) return HD_OK;
    if (net->nsel) draw_marks(y, next, ENDS_SELECTED);
    if (net->nsel < net->nep) draw_marks(y, next, ENDS_OTHERS);
    d->slow_marks = d->slow_eps > 0;
    if (d->slow_marks) draw_marks(y, next, ENDS_SLOW);
    return HD_OK;
}

/* ---- cells and captions -------------------------------------------------------------------- */

static void layers_draw_row(const struct hd_layers *y, uint32_t l)
{
    const struct hd_layer_row *r = &y->row[l];
    struct hd_drawing *d = y->d;
    int32_t radius = r->w >= 16 * PX ? 4 * PX : r->w >= 6 * PX ? 2 * PX : 0;
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        const struct hd_cell *c = &d->cell[y->node[i].cell];
        char text[24];
        hd_draw_cell(d, c, radius);
        if (r->turn == 1) continue;
        snprintf(text, sizeof text, "%u", c->count);
        if (y->height)
            hd_draw_text(d->o, &(struct hd_draw_text){c->x, c->y, "hd-c", 0, 0, true}, text);
        else
            hd_draw_text(
                d->o,
                &(struct hd_draw_text){c->x, c->y, r->font == 8 ? "hd-f" : "hd-n", r->turn, r->turn ? 12 : 16, true},
                hd_node_label(d->net, c->sw));
    }
}

static void layers_draw_caption(const struct hd_layers *y, uint32_t l)
{
    const struct hd_layer_row *r = &y->row[l];
    const struct hd_drawing *d = y->d;
    uint32_t switches = 0;
    bool even = true;
    char text[64], count[HD_DRAW_COUNT];
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        switches += d->cell[y->node[i].cell].count;
        even = even && d->cell[y->node[i].cell].count == d->cell[y->node[r->first].cell].count;
    }
    snprintf(text, sizeof text, "Level %u", l);
    hd_draw_words(d->o, HD_DRAW_MARGIN, r->y - 3 * PX, "hd-t", text);
    if (y->height && even && r->n > 1)
        snprintf(text, sizeof text, "%u \xc3\x97 %u switches", r->n, d->cell[y->node[r->first].cell].count);
    else
        snprintf(text, sizeof text, "%s switch%s", hd_draw_count(count, switches), switches == 1 ? "" : "es");
    hd_draw_words(d->o, HD_DRAW_MARGIN, r->y + 13 * PX, "hd-m", text);
}

static void draw_ends_caption(const struct hd_layers *y)
{
    const struct hd_net *net = y->d->net;
    int32_t at = y->ends_y + (y->ends == HD_ENDS_FAN ? 36 : 22) * PX, least = y->row[1].y + 37 * PX;
    if (at < least) at = least;
    char text[HD_DRAW_COUNT];
    if (!y->ends_h) return;
    hd_draw_words(y->d->o, HD_DRAW_MARGIN, at - 3 * PX, "hd-t", "Endpoints");
    hd_draw_count(text, net->nep);
    hd_draw_words(y->d->o, HD_DRAW_MARGIN, at + 13 * PX, "hd-m", text);
}

hd_status hd_layers_ink(struct hd_layers *y)
{
    hd_draw_begin(y->d);
    draw_pods(y);
    HD_TRY(draw_cables(y));
    HD_TRY(layers_draw_ends(y));
    for (uint32_t l = y->levels; l >= 1; l--) {
        if (!y->row[l].n) continue;
        layers_draw_row(y, l);
        layers_draw_caption(y, l);
    }
    draw_ends_caption(y);
    hd_draw_end(y->d);
    return HD_OK;
}

hd_status hd_draw_layers(struct hd_drawing *d)
{
    struct hd_layers y = {.d = d, .levels = hd_top_level(d->net)};
    HD_TRY(hd_layers_place(&y));
    return hd_layers_ink(&y);
}
