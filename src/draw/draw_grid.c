/* SPDX-License-Identifier: BSD-2-Clause */
/* Grids of one to three dimensions, the longest across and the next one down. A third one makes slabs below each
 * other: each is a slanted grid in a frame, and cables from slab to slab are upright. A cable to a neighbour is a line,
 * one around a ring runs back beside its row or column (between slabs, or where that is too narrow, it is two stubs at
 * the edges), one within a clique is an arc. More switches than a page holds are drawn as blocks: each coordinate
 * divided by the same number. Cost: O(cells + bundles). */
#include "base/status.h"
#include "draw/draw.h"

#include <stdio.h>

enum { PX = HD_PX, DIMS = 3, MARKS = 12, GUTTER = 92 * HD_PX, LOOP = 14 * HD_PX };

struct grid_layout {
    struct hd_drawing *d;
    uint32_t block;             /* a cell is this many switches in each dimension */
    uint32_t axis[DIMS];        /* dimension that runs across, down, from slab to slab */
    uint32_t extent[DIMS];      /* of these, in cells */
    struct hd_point step[DIMS]; /* from a cell to the next */
    struct hd_point origin;
    int32_t side_w, side_h; /* of a cell */
    bool names, loops;
};

/* The longest first. */
static void grid_choose_axes(struct grid_layout *g)
{
    const struct hd_shape *s = &g->d->net->shape;
    for (uint32_t i = 0; i < DIMS; i++) g->axis[i] = i;
    for (uint32_t i = 1; i < s->n; i++)
        for (uint32_t k = i; k > 0 && s->m[g->axis[k]] > s->m[g->axis[k - 1]]; k--) {
            uint32_t swap = g->axis[k];
            g->axis[k] = g->axis[k - 1];
            g->axis[k - 1] = swap;
        }
}

static uint32_t cells_of(struct grid_layout *g)
{
    const struct hd_shape *s = &g->d->net->shape;
    uint64_t cells = 1;
    for (uint32_t i = 0; i < DIMS; i++) {
        g->extent[i] = g->axis[i] < s->n ? (s->m[g->axis[i]] + g->block - 1) / g->block : 1;
        cells = cells * g->extent[i] > UINT32_MAX ? UINT32_MAX : cells * g->extent[i];
    }
    return (uint32_t)cells;
}

static uint32_t grid_place(const struct grid_layout *g, uint32_t v, uint32_t i)
{
    return g->axis[i] < g->d->net->shape.n ? hd_coord(g->d->net, v)[g->axis[i]] / g->block : 0;
}

/* The smallest block that fits a page; a little larger where that divides the grid evenly. */
static void choose_block(struct grid_layout *g)
{
    const struct hd_shape *s = &g->d->net->shape;
    bool deep = s->n > 2 && s->m[g->axis[2]] > 1;
    uint32_t slabs = g->d->limit * 3 < HD_DRAW_SWITCHES ? g->d->limit * 3 : HD_DRAW_SWITCHES;
    g->block = 1;
    if (cells_of(g) <= 1u << 20 && g->d->net->nsw <= (deep ? slabs : g->d->limit * 4096 / HD_DRAW_SWITCHES)) return;
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
        d->cell_of[v] = grid_place(g, v, 0) + g->extent[0] * (grid_place(g, v, 1) + g->extent[1] * grid_place(g, v, 2));
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

/* Upright cables between slabs pass the rows of a slab between two of its cells: each row is shifted by its part of
 * the distance between columns. */
static void grid_choose_slabs(struct grid_layout *g)
{
    int32_t rows = (int32_t)g->extent[1];
    int32_t across = hd_draw_between(14 * PX * rows, (g->d->page - GUTTER) * 9 / 10 / (int32_t)g->extent[0], 150 * PX);
    int32_t shift = across / rows, rise = hd_draw_between(13 * PX, shift * 9 / 10, 30 * PX);
    int32_t apart = rise * 2 < 46 * PX ? 46 * PX : rise * 2;
    g->step[0] = (struct hd_point){across, 0};
    g->step[1] = (struct hd_point){shift, rise};
    g->step[2] = (struct hd_point){0, rise * (rows - 1) + apart};
    g->side_w = hd_draw_between(4 * PX, shift * 55 / 100, 18 * PX);
    g->side_h = hd_draw_between(4 * PX, rise * 55 / 100, g->side_w);
    g->loops = rise >= LOOP && shift >= LOOP;
}

static void grid_choose_steps(struct grid_layout *g)
{
    int32_t across = hd_draw_between(14 * PX, g->d->page * 9 / 10 / (int32_t)g->extent[0], 110 * PX);
    int32_t down = hd_draw_between(14 * PX, across, 80 * PX);
    g->step[0] = (struct hd_point){across, 0};
    g->step[1] = (struct hd_point){0, down};
    g->names = across >= 84 * PX;
    g->side_w = g->names ? 62 * PX : hd_draw_between(4 * PX, across * 55 / 100, 24 * PX);
    g->side_h = g->names ? 24 * PX : hd_draw_between(4 * PX, down * 45 / 100, g->side_w);
    g->loops = down >= 2 * LOOP;
}

static struct hd_point grid_at(const struct grid_layout *g, const uint32_t place[DIMS])
{
    struct hd_point p = g->origin;
    for (uint32_t i = 0; i < DIMS; i++) {
        p.x += g->step[i].x * (int32_t)place[i];
        p.y += g->step[i].y * (int32_t)place[i];
    }
    return p;
}

static void grid_place_cells(struct grid_layout *g)
{
    struct hd_drawing *d = g->d;
    bool deep = g->extent[2] > 1;
    int32_t wide = 0, tall = 0;
    for (uint32_t i = 0; i < DIMS; i++) {
        wide += g->step[i].x * (int32_t)(g->extent[i] - 1);
        tall += g->step[i].y * (int32_t)(g->extent[i] - 1);
    }
    int32_t edge_x = (g->step[0].x + g->step[1].x) * 6 / 10 + g->side_w / 2;
    int32_t edge_y = g->step[1].y * 6 / 10 + g->side_h / 2, left = deep ? GUTTER : 0;
    int32_t least = 560 * PX, spare = wide + 2 * edge_x + left < least ? (least - wide - 2 * edge_x - left) / 2 : 0;
    if (edge_y < 34 * PX) edge_y = 34 * PX;
    g->origin = (struct hd_point){HD_DRAW_MARGIN + left + edge_x + spare, d->head + edge_y};
    for (uint32_t k = 0; k < d->ncells; k++) {
        struct hd_cell *c = &d->cell[k];
        uint32_t place[DIMS];
        for (uint32_t i = 0; i < DIMS; i++) place[i] = grid_place(g, c->sw, i);
        struct hd_point p = grid_at(g, place);
        c->x = p.x;
        c->y = p.y;
        c->w = g->side_w;
        c->h = g->side_h;
    }
    d->width = 2 * HD_DRAW_MARGIN + 2 * (edge_x + spare) + left + wide;
    d->height = d->head + 2 * edge_y + tall + d->foot;
    d->widest = hd_draw_between(PX, g->side_h * 3 / 10, 10 * PX);
    d->marks = !deep && g->step[0].x >= 40 * PX && g->step[1].y >= 44 * PX && g->block == 1;
}

/* ---- on paper ------------------------------------------------------------------------------ */

/* A frame around each slab, and which it is. */
static void grid_draw_slabs(const struct grid_layout *g)
{
    struct hd_out *o = g->d->o;
    if (g->extent[2] < 2) return;
    for (uint32_t z = 0; z < g->extent[2]; z++) {
        struct hd_point p = grid_at(g, (uint32_t[]){0, 0, z});
        struct hd_point q = grid_at(g, (uint32_t[]){0, g->extent[1] - 1, z});
        int32_t wide = g->step[0].x * (int32_t)(g->extent[0] - 1), x = g->step[0].x / 2, y = g->step[1].y * 6 / 10;
        int32_t lean = g->step[1].x * 6 / 10;
        char text[40];
        hd_draw_path(o, "hd-pod", 0, 0);
        hd_draw_put(o, "M# #L# #L# #L# #z", p.x - x - lean, p.y - y, p.x + wide + x - lean, p.y - y,
                    q.x + wide + x + lean, q.y + y, q.x - x + lean, q.y + y);
        hd_draw_path_end(o);
        snprintf(text, sizeof text, g->block > 1 ? "slabs from %u" : "slab %u", z * g->block);
        hd_draw_words(o, HD_DRAW_MARGIN, p.y + 4 * PX, "hd-m", text);
    }
}

static struct hd_point grid_along(struct hd_point from, struct hd_point step, int32_t percent)
{
    return (struct hd_point){from.x + step.x * percent / 100, from.y + step.y * percent / 100};
}

/* Around a ring: out at the first cell, back beside the row or column, in at the last. */
static void grid_draw_loop(struct hd_out *o, struct hd_point u, struct hd_point v, struct hd_point step,
                           struct hd_point side)
{
    struct hd_point a = grid_along(u, step, -46), b = grid_along(a, side, 100);
    struct hd_point z = grid_along(v, step, 46), y = grid_along(z, side, 100);
    struct hd_point in = grid_along(b, step, 25), out = grid_along(y, step, -25);
    struct hd_point half = grid_along(a, side, 50), other = grid_along(z, side, 50);
    hd_draw_move(o, u.x, u.y);
    hd_draw_curve(o, a.x, a.y, half.x, half.y);
    hd_draw_curve(o, b.x, b.y, in.x, in.y);
    hd_draw_line(o, out.x, out.y);
    hd_draw_curve(o, y.x, y.y, other.x, other.y);
    hd_draw_curve(o, z.x, z.y, v.x, v.y);
}

/* Bulges to the side of the line, the further the longer. */
static void grid_draw_arc(const struct grid_layout *g, const struct hd_cell *u, const struct hd_cell *v, uint32_t at,
                          int32_t out)
{
    struct hd_point step = g->step[at];
    int32_t bulge_x = step.y * 22 / 100 * out, bulge_y = step.x * 12 / 100 * out;
    int32_t most = at == 0 ? g->step[1].y * 8 / 10 : g->step[0].x * 8 / 10;
    hd_draw_move(g->d->o, u->x, u->y);
    hd_draw_curve(g->d->o, (u->x + v->x) / 2 + (bulge_x > most ? most : bulge_x),
                  (u->y + v->y) / 2 - (bulge_y > most ? most : bulge_y), v->x, v->y);
}

static void grid_draw_around(const struct grid_layout *g, const struct hd_cell *u, const struct hd_cell *v, uint32_t at)
{
    struct hd_point step = g->step[at], first = {u->x, u->y}, last = {v->x, v->y};
    if (at < 2 && g->loops) {
        struct hd_point side = at == 0 ? g->step[1] : g->step[0];
        int32_t part = at == 0 ? -40 : 40;
        grid_draw_loop(g->d->o, first, last, step, grid_along((struct hd_point){0, 0}, side, part));
        return;
    }
    if (at == 2) step.y = 40 * PX; /* from slab to slab it is too far */
    struct hd_point before = grid_along(first, step, -55), behind = grid_along(last, step, 55);
    hd_draw_segment(g->d->o, u->x, u->y, before.x, before.y);
    hd_draw_segment(g->d->o, v->x, v->y, behind.x, behind.y);
}

static void grid_draw_bundle(const struct hd_drawing *d, const struct hd_bundle *b)
{
    const struct grid_layout *g = d->layout;
    const struct hd_cell *u = &d->cell[b->u], *v = &d->cell[b->v];
    uint32_t at = 0, low = 0, high = 0;
    for (uint32_t i = 0; i < DIMS; i++) {
        uint32_t x = grid_place(g, u->sw, i), y = grid_place(g, v->sw, i);
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
    if (high - low == 1)
        hd_draw_segment(d->o, u->x, u->y, v->x, v->y);
    else if (d->net->shape.w[g->axis[at]] == HD_RING)
        grid_draw_around(g, u, v, at);
    else
        grid_draw_arc(g, u, v, at, (int32_t)(high - low));
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
    static const char *const runs[] = {"Across", "down", "slabs"};
    char text[240];
    int at = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t k = g->axis[i];
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s: dimension %u, %u (%s)", i ? "; " : "", runs[i],
                       k + 1, s->m[k], wraps[s->w[k]]);
    }
    if (same_everywhere(g->d) && g->d->cell[0].eps)
        at += snprintf(text + at, sizeof text - (size_t)at, "; %u endpoint%s on each", g->d->cell[0].eps,
                       g->d->cell[0].eps == 1 ? "" : "s");
    if (g->block > 1) snprintf(text + at, sizeof text - (size_t)at, "; a box is up to %u in each", g->block);
    hd_draw_words(o, HD_DRAW_MARGIN, g->d->head - 16 * PX, "hd-m", text);
}

static const char *grid_how(const struct grid_layout *g)
{
    if (g->extent[2] > 1)
        return g->loops ? "Switches are at their coordinates, slab by slab; lines beside a row or a column are cables "
                          "around a ring, stubs are those from the last slab to the first."
                        : "Switches are at their coordinates, slab by slab; stubs are cables around a ring.";
    return g->loops ? "Switches are at their coordinates; lines beside a row or a column are cables around a ring."
                    : "Switches are at their coordinates; stubs at the edges are cables around a ring.";
}

hd_status hd_draw_grid(struct hd_drawing *d)
{
    struct grid_layout g = {.d = d};
    grid_choose_axes(&g);
    HD_TRY(grid_make_cells(&g));
    bool deep = g.extent[2] > 1;
    if (deep)
        grid_choose_slabs(&g);
    else
        grid_choose_steps(&g);
    d->how = grid_how(&g);
    grid_place_cells(&g);
    hd_draw_begin(d);
    grid_draw_caption(&g);
    grid_draw_slabs(&g);
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
