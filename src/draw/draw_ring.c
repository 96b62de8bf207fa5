/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks without levels or coordinates: switches on a ring in their own order, those of a level
 * together, cables as chords, endpoints as marks outside. More than the limit of switches are drawn
 * as blocks of neighbours in that order. */
#include "base/keyed.h"
#include "base/status.h"
#include "draw/draw.h"

#include <stdio.h>

enum { PX = HD_PX, BLOCKS = 90, MARKS = 16 };

struct ring {
    struct hd_drawing *d;
    uint32_t places; /* on the ring: cells, and gaps between levels */
    uint32_t *place; /* [ncells] */
    int32_t radius, x, y;
    int32_t apart; /* from cell to cell along the ring */
    bool names;
    uint32_t longest; /* characters of a name, */
    uint32_t marks;   /* and endpoint marks outside a cell, at most */
};

/* Cells in order of level and number; a block never spans two levels. */
static hd_status ring_make_cells(struct ring *r)
{
    struct hd_drawing *d = r->d;
    uint32_t n = d->net->nsw, size = n > d->limit ? (n + BLOCKS - 1) / BLOCKS : 1, in_block = 0;
    struct hd_keyed *entry = HD_NEW(&d->arena, struct hd_keyed, n); /* level and switch */
    r->place = HD_NEW(&d->arena, uint32_t, n);
    if (!entry || !r->place) return hd_fail_memory(d->ctx);
    for (uint32_t v = 0; v < n; v++) entry[v] = (struct hd_keyed){d->net->level[v], v};
    hd_keyed_sort(entry, n, sizeof *entry);
    for (uint32_t i = 0; i < n; i++) {
        bool next_level = i && entry[i].key != entry[i - 1].key;
        if (i == 0 || next_level || in_block == size) {
            r->places += next_level ? 2 : 0;
            r->place[d->ncells++] = r->places++;
            in_block = 0;
        }
        in_block++;
        d->cell_of[entry[i].value] = d->ncells - 1;
    }
    if (entry[n - 1].key != entry[0].key) r->places += 2;
    return hd_draw_cells(d);
}

/* The point at a distance from the middle, in the direction of a cell; the first is on top. */
static struct hd_point outward(const struct ring *r, uint32_t cell, int32_t distance)
{
    int32_t sine, cosine;
    hd_draw_turn(r->place[cell], r->places, &sine, &cosine);
    return (struct hd_point){r->x + (int32_t)(((int64_t)distance * sine + (1 << 29)) >> 30),
                             r->y - (int32_t)(((int64_t)distance * cosine + (1 << 29)) >> 30)};
}

static void ring_place_cells(struct ring *r)
{
    struct hd_drawing *d = r->d;
    for (uint32_t k = 0; k < d->ncells; k++) {
        uint32_t n = hd_draw_characters(hd_node_label(d->net, d->cell[k].sw));
        if (n > r->longest) r->longest = n;
        if (d->cell[k].eps > r->marks) r->marks = d->cell[k].eps;
    }
    if (r->longest > 14) r->longest = 14;
    if (r->marks > MARKS) r->marks = MARKS;
    bool merged = d->ncells < d->net->nsw;
    /* 2 pi as 710 / 113 */
    int32_t round = (int32_t)r->places * 16 * PX, radius = (int32_t)((int64_t)round * 113 / 710);
    r->radius = hd_draw_between(170 * PX, radius, 420 * PX);
    r->apart = (int32_t)((int64_t)r->radius * 710 / 113 / r->places);
    r->names = !merged && r->apart >= 9 * PX;
    if (r->apart < 9 * PX || merged) r->marks = 0;
    int32_t side = hd_draw_between(3 * PX, r->apart * 7 / 10, 18 * PX);
    int32_t reach = r->radius + 24 * PX + (int32_t)r->marks * 6 * PX +
                    (r->names ? hd_draw_text_width(r->longest, 9)
                     : merged ? 30 * PX
                              : 0);
    d->width = 2 * (reach + HD_DRAW_MARGIN);
    if (d->width < 560 * PX) d->width = 560 * PX;
    d->height = d->head + 2 * reach + d->foot;
    r->x = d->width / 2;
    r->y = d->head + reach;
    for (uint32_t k = 0; k < d->ncells; k++) {
        struct hd_cell *c = &d->cell[k];
        struct hd_point p = outward(r, k, r->radius);
        *c = (struct hd_cell){p.x, p.y, side, side, c->sw, c->count, c->eps, c->counted, c->slow};
    }
    d->widest = 8 * PX;
    d->marks = r->marks > 0;
}

/* ---- on paper ------------------------------------------------------------------------------ */

/* A chord, bent a little towards the middle, so that cables between neighbours do not follow the rim. */
static void ring_draw_bundle(const struct hd_drawing *d, const struct hd_bundle *b)
{
    const struct ring *r = d->layout;
    const struct hd_cell *u = &r->d->cell[b->u], *v = &r->d->cell[b->v];
    int32_t cx = r->x + ((u->x + v->x) / 2 - r->x) * 6 / 10, cy = r->y + ((u->y + v->y) / 2 - r->y) * 6 / 10;
    hd_draw_move(r->d->o, u->x, u->y);
    hd_draw_curve(r->d->o, cx, cy, v->x, v->y);
}

static struct hd_look ring_look(const struct hd_drawing *d, uint32_t bundle)
{
    const struct ring *r = d->layout;
    return (struct hd_look){.second = d->bundle[bundle].u, .opacity = hd_draw_opacity(d->nbundles, 2 * r->radius)};
}

static struct hd_point ring_mark(const struct hd_drawing *d, uint32_t cell, uint32_t i)
{
    const struct ring *r = d->layout;
    struct hd_point p = outward(r, cell, r->radius + d->cell[0].h / 2 + 7 * PX + (int32_t)i * 6 * PX);
    return (struct hd_point){p.x - 2 * PX, p.y - 2 * PX};
}

/* Names run outwards, and from the left half read inwards. */
static void ring_name(const struct ring *r, uint32_t k)
{
    struct hd_drawing *d = r->d;
    char text[HD_DRAW_COUNT];
    bool left = r->place[k] * 2 > r->places;
    int32_t turn = (int32_t)((uint64_t)r->place[k] * 360 / r->places) - 90;
    bool count = d->cell[k].count > 1;
    struct hd_point p = outward(r, k, r->radius + 14 * PX + (int32_t)r->marks * 6 * PX);
    hd_draw_text(d->o,
                 &(struct hd_draw_text){p.x, p.y, left ? "hd-r hd-x" : "hd-r", left ? turn - 180 : turn, 14, true},
                 count ? hd_draw_count(text, d->cell[k].count) : hd_node_label(d->net, d->cell[k].sw));
}

hd_status hd_draw_ring(struct hd_drawing *d)
{
    struct ring r = {.d = d};
    HD_TRY(ring_make_cells(&r));
    ring_place_cells(&r);
    d->how = d->ncells < d->net->nsw
                 ? "Switches on a ring in their own order, several in a box; curves are the cables between boxes."
                 : "Switches on a ring in their own order; curves are cables.";
    hd_draw_begin(d);
    d->trace = ring_draw_bundle;
    d->layout = &r;
    HD_TRY(hd_draw_cables(d, ring_look));
    hd_draw_marks(d, MARKS, 4 * PX, ring_mark);
    for (uint32_t k = 0; k < d->ncells; k++) {
        hd_draw_cell(d, &d->cell[k], d->cell[k].w / 2);
        if (r.names || d->ncells < d->net->nsw) ring_name(&r, k);
    }
    hd_draw_end(d);
    return HD_OK;
}
