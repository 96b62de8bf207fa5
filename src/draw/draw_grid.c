/* SPDX-License-Identifier: BSD-2-Clause */
/* Grids of one to three dimensions: the first across, the second down, the third slantwise behind. A
 * cable to a neighbour is a line, one around a ring two stubs at the edges, one within a clique an arc.
 * More switches than a page holds are drawn as blocks: each coordinate divided by the same number. */
#include "base/status.h"
#include "draw/draw.h"

#include <stdio.h>

enum { PX = HD_PX, DIMS = 3, MARKS = 12 };

struct grid_layout {
    struct hd_drawing *d;
    uint32_t block;             /* a cell is this many switches in each dimension */
    uint32_t extent[DIMS];      /* in cells */
    struct hd_point step[DIMS]; /* from a cell to the next */
    struct hd_point origin;
    int32_t side_w, side_h; /* of a cell */
    bool names;
};

static uint32_t cells_of(struct grid_layout *g)
{
    const struct hd_shape *s = &g->d->net->shape;
    uint64_t cells = 1;
    for (uint32_t i = 0; i < DIMS; i++) {
        g->extent[i] = i < s->n ? (s->m[i] + g->block - 1) / g->block : 1;
        cells = cells * g->extent[i] > UINT32_MAX ? UINT32_MAX : cells * g->extent[i];
    }
    return (uint32_t)cells;
}

static uint32_t place_of(const struct grid_layout *g, uint32_t v, uint32_t i)
{
    return i < g->d->net->shape.n ? hd_coord(g->d->net, v)[i] / g->block : 0;
}

/* The smallest block that fits a page; a little larger where that divides the grid evenly. */
static void choose_block(struct grid_layout *g)
{
    const struct hd_shape *s = &g->d->net->shape;
    bool deep = s->n > 2 && s->m[2] > 1;
    g->block = 1;
    if (cells_of(g) <= 1u << 20 && g->d->net->nsw <= (deep ? g->d->limit : g->d->limit * 4096 / HD_DRAW_SWITCHES))
        return;
    while (cells_of(g) > (deep ? g->d->limit / 2 : g->d->limit)) g->block++;
    for (uint32_t b = g->block; b < 2 * g->block; b++) {
        bool even = true;
        for (uint32_t i = 0; i < s->n; i++) even = even && s->m[i] % b == 0;
        if (!even) continue;
        g->block = b;
        break;
    }
    cells_of(g);
}

/* Cells are numbered by position; those without a switch are left out. */
static hd_status grid_make_cells(struct grid_layout *g)
{
    struct hd_drawing *d = g->d;
    choose_block(g);
    uint32_t room = cells_of(g);
    uint32_t *dense = HD_NEW(&d->arena, uint32_t, room);
    if (!dense) return hd_fail_memory(d->ctx);
    for (uint32_t v = 0; v < d->net->nsw; v++) {
        d->cell_of[v] = place_of(g, v, 0) + g->extent[0] * (place_of(g, v, 1) + g->extent[1] * place_of(g, v, 2));
        dense[d->cell_of[v]] = 1;
    }
    for (uint32_t i = 0; i < room; i++) {
        uint32_t used = dense[i];
        dense[i] = d->ncells;
        d->ncells += used;
    }
    for (uint32_t v = 0; v < d->net->nsw; v++) d->cell_of[v] = dense[d->cell_of[v]];
    return hd_draw_cells(d);
}

/* ---- placing ------------------------------------------------------------------------------- */

static void choose_steps(struct grid_layout *g)
{
    uint32_t deep = g->extent[2];
    /* A flat grid may be wide; a deep one needs room between its columns for what is behind. */
    int32_t across = hd_draw_between(14 * PX * (deep > 1 ? (int32_t)deep : 1),
                                     g->d->page * 9 / 10 / (int32_t)g->extent[0], deep > 1 ? 150 * PX : 110 * PX);
    int32_t down = hd_draw_between(14 * PX * (deep > 1 ? (int32_t)deep : 1), across, deep > 1 ? 130 * PX : 80 * PX);
    g->step[0] = (struct hd_point){across, 0};
    g->step[1] = (struct hd_point){0, down};
    g->step[2] = (struct hd_point){across * 8 / 10 / (int32_t)deep, -down * 55 / 100 / (int32_t)deep};
    int32_t room_w = deep > 1 ? g->step[2].x : across, room_h = deep > 1 ? down * 55 / 100 : down;
    g->names = deep == 1 && across >= 84 * PX;
    g->side_w = g->names ? 62 * PX : hd_draw_between(4 * PX, room_w * 55 / 100, 24 * PX);
    g->side_h = g->names ? 24 * PX : hd_draw_between(4 * PX, room_h * 45 / 100, g->side_w);
}

static void grid_place_cells(struct grid_layout *g)
{
    struct hd_drawing *d = g->d;
    int32_t behind_x = g->step[2].x * (int32_t)(g->extent[2] - 1),
            behind_y = -g->step[2].y * (int32_t)(g->extent[2] - 1);
    int32_t wide = g->step[0].x * (int32_t)(g->extent[0] - 1) + behind_x;
    int32_t tall = g->step[1].y * (int32_t)(g->extent[1] - 1) + behind_y;
    int32_t edge_x = g->step[0].x * 6 / 10 + g->side_w / 2, edge_y = g->step[1].y * 6 / 10 + g->side_h / 2;
    int32_t least = 560 * PX, spare = wide + 2 * edge_x < least ? (least - wide - 2 * edge_x) / 2 : 0;
    if (edge_y < 34 * PX) edge_y = 34 * PX;
    g->origin = (struct hd_point){HD_DRAW_MARGIN + edge_x + spare, d->head + edge_y + behind_y};
    for (uint32_t k = 0; k < d->ncells; k++) {
        struct hd_cell *c = &d->cell[k];
        c->x = g->origin.x;
        c->y = g->origin.y;
        for (uint32_t i = 0; i < DIMS; i++) {
            c->x += g->step[i].x * (int32_t)place_of(g, c->sw, i);
            c->y += g->step[i].y * (int32_t)place_of(g, c->sw, i);
        }
        c->w = g->side_w;
        c->h = g->side_h;
    }
    d->width = 2 * HD_DRAW_MARGIN + 2 * (edge_x + spare) + wide;
    d->height = d->head + 2 * edge_y + tall + d->foot;
    d->widest = hd_draw_between(PX, g->side_h * 3 / 10, 10 * PX);
    d->marks = g->extent[2] == 1 && g->step[0].x >= 40 * PX && g->step[1].y >= 44 * PX && g->block == 1;
}

/* ---- on paper ------------------------------------------------------------------------------ */

static void stub(struct hd_out *o, const struct hd_cell *c, struct hd_point step, int32_t sign)
{
    hd_draw_segment(o, c->x, c->y, c->x + sign * step.x * 55 / 100, c->y + sign * step.y * 55 / 100);
}

static void grid_draw_bundle(const struct hd_drawing *d, const struct hd_bundle *b)
{
    const struct grid_layout *g = d->layout;
    const struct hd_cell *u = &g->d->cell[b->u], *v = &g->d->cell[b->v];
    const struct hd_shape *shape = &g->d->net->shape;
    struct hd_out *o = g->d->o;
    uint32_t at = 0, low = 0, high = 0;
    for (uint32_t i = 0; i < shape->n; i++) {
        uint32_t x = place_of(g, u->sw, i), y = place_of(g, v->sw, i);
        if (x == y) continue;
        at = i;
        low = x;
        high = y;
    }
    if (low > high) { /* u first along the dimension */
        const struct hd_cell *swap = u;
        uint32_t other = low;
        u = v;
        v = swap;
        low = high;
        high = other;
    }
    struct hd_point step = g->step[at];
    if (high - low == 1) {
        hd_draw_segment(o, u->x, u->y, v->x, v->y);
    } else if (shape->w[at] == HD_RING) {
        stub(o, u, step, -1);
        stub(o, v, step, 1);
    } else { /* bulge to the side of the line, the further the longer */
        int32_t out = (int32_t)(high - low), bulge_x = step.y * 22 / 100 * out, bulge_y = step.x * 12 / 100 * out;
        int32_t most = at == 0 ? g->step[1].y * 8 / 10 : g->step[0].x * 8 / 10;
        if (at == 2) bulge_x = bulge_y = 0;
        hd_draw_move(o, u->x, u->y);
        hd_draw_curve(o, (u->x + v->x) / 2 + (bulge_x > most ? most : bulge_x),
                      (u->y + v->y) / 2 - (bulge_y > most ? most : bulge_y), v->x, v->y);
    }
}

static struct hd_look grid_look(const struct hd_drawing *d, uint32_t bundle)
{
    (void)d;
    (void)bundle;
    return (struct hd_look){.opacity = 75};
}

/* Endpoints are beside the cable that leaves downwards. */
static struct hd_point grid_mark(const struct hd_drawing *d, uint32_t cell, uint32_t i)
{
    const struct hd_cell *c = &d->cell[cell];
    uint32_t n = c->eps > MARKS ? MARKS : c->eps, across = n > MARKS / 3 ? (n + 1) / 2 : n;
    return (struct hd_point){c->x + 4 * PX + (int32_t)(i % across) * 7 * PX,
                             c->y + c->h / 2 + 3 * PX + (int32_t)(i / across) * 7 * PX};
}

static bool same_everywhere(const struct hd_drawing *d)
{
    for (uint32_t k = 1; k < d->ncells; k++)
        if (d->cell[k].eps != d->cell[0].eps) return false;
    return d->ncells == d->net->nsw;
}

static void grid_draw_caption(const struct grid_layout *g)
{
    static const char *const wraps[] = {"line", "ring", "all to all"};
    const struct hd_shape *s = &g->d->net->shape;
    struct hd_out *o = g->d->o;
    char text[200];
    int at = snprintf(text, sizeof text, "%s", s->n == 1 ? "" : "Across, down, behind: ");
    if (s->n == 2) at = snprintf(text, sizeof text, "Across, down: ");
    for (uint32_t i = 0; i < s->n; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "%s%u (%s)", i ? " \xc3\x97 " : "", s->m[i], wraps[s->w[i]]);
    if (same_everywhere(g->d) && g->d->cell[0].eps)
        at += snprintf(text + at, sizeof text - (size_t)at, "; %u endpoint%s on each", g->d->cell[0].eps,
                       g->d->cell[0].eps == 1 ? "" : "s");
    if (g->block > 1) snprintf(text + at, sizeof text - (size_t)at, "; a box is up to %u in each", g->block);
    hd_draw_words(o, HD_DRAW_MARGIN, g->d->head - 16 * PX, "hd-m", text);
}

hd_status hd_draw_grid(struct hd_drawing *d)
{
    struct grid_layout g = {.d = d};
    HD_TRY(grid_make_cells(&g));
    d->how = "Switches are at their coordinates; stubs at the edges are cables around a ring.";
    choose_steps(&g);
    grid_place_cells(&g);
    hd_draw_begin(d);
    grid_draw_caption(&g);
    d->trace = grid_draw_bundle;
    d->layout = &g;
    HD_TRY(hd_draw_cables(d, grid_look));
    hd_draw_marks(d, MARKS, 5 * PX, grid_mark);
    for (uint32_t k = d->ncells; k-- > 0;) { /* what is behind first */
        const struct hd_cell *c = &d->cell[k];
        char text[HD_DRAW_COUNT];
        hd_draw_cell(d, c, c->w >= 12 * PX ? 3 * PX : PX);
        if (g.names && c->count == 1)
            hd_draw_text(d->o, &(struct hd_draw_text){c->x, c->y, "hd-n", 0, 11, true}, hd_node_label(d->net, c->sw));
        else if (c->count > 1 && c->w >= hd_draw_text_width(3, 12))
            hd_draw_text(d->o, &(struct hd_draw_text){c->x, c->y, "hd-n", 0, 0, true}, hd_draw_count(text, c->count));
    }
    hd_draw_end(d);
    return HD_OK;
}
