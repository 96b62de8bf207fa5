/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks of groups, such as a Dragonfly: each group is a sector of a ring. Cables between groups run inside the ring;
 * cables of a flat group are arcs outside it, and a group of two levels has its leaf switches in an outer row. More
 * switches than a page holds are drawn as one box per group and row. Cost: that of finding them (switch_groups.h). */
#include "base/status.h"
#include "draw/draw.h"
#include "net/core/labels.h"
#include "net/core/switch_groups.h"

#include <stdio.h>

enum { PX = HD_PX, FINE = 1000, GAP = 1600, MOST_GROUPS = 200, ROWS = 2, NAME = 14 };

struct groups_sector {
    uint32_t from, span;    /* along the ring, in thousandths of a cell */
    uint32_t count[ROWS];   /* cells of the inner row and of the outer one */
    uint32_t switches, eps; /* in all */
};

struct groups_cell {
    uint32_t group, row, place; /* place: along the ring */
};

struct group_layout {
    struct hd_drawing *d;
    uint32_t n, rows, round; /* round: length of the ring, in thousandths of a cell */
    uint32_t *of;            /* [nsw] group of a switch */
    struct groups_sector *sector;
    struct groups_cell *at; /* [ncells] */
    int32_t radius[ROWS], x, y;
    int32_t apart, rise; /* from cell to cell in the outer row; height of the arcs outside */
    int32_t name;        /* width of the longest name shown */
    uint32_t between;    /* bundles from group to group */
    bool names;
};

static hd_status groups_take(struct group_layout *g, const struct hd_grouped_switches *found)
{
    g->n = found->n;
    g->of = found->of;
    g->rows = found->flat ? 1 : 2;
    g->sector = HD_NEW(&g->d->arena, struct groups_sector, g->n);
    if (!g->sector) return hd_fail_memory(g->d->ctx);
    for (uint32_t k = 0; k < g->n; k++) g->sector[k].switches = found->size[k];
    return HD_OK;
}

/* ---- placing ------------------------------------------------------------------------------- */

/* 1: the outer row, where a group has two levels. */
static uint32_t groups_row(const struct group_layout *g, uint32_t v)
{
    return g->rows == 2 && g->d->net->level[v] == 1;
}

static hd_status groups_make_cells(struct group_layout *g, const uint32_t *order)
{
    struct hd_drawing *d = g->d;
    uint32_t n = d->net->nsw, most = d->limit * 3 < HD_DRAW_SWITCHES ? d->limit * 3 : HD_DRAW_SWITCHES;
    uint32_t *box = HD_NEW(&d->arena, uint32_t, g->n * ROWS);
    if (!box) return hd_fail_memory(d->ctx);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = order[i], at = g->of[v] * ROWS + groups_row(g, v);
        if (n > most && box[at]) {
            d->cell_of[v] = box[at] - 1;
            continue;
        }
        d->cell_of[v] = d->ncells++;
        box[at] = d->ncells;
    }
    HD_TRY(hd_draw_cells(d));
    g->at = HD_NEW(&d->arena, struct groups_cell, d->ncells);
    if (!g->at) return hd_fail_memory(d->ctx);
    for (uint32_t k = 0; k < d->ncells; k++) {
        uint32_t v = d->cell[k].sw;
        struct groups_sector *s = &g->sector[g->of[v]];
        g->at[k] = (struct groups_cell){g->of[v], groups_row(g, v), s->count[groups_row(g, v)]++};
        s->eps += d->cell[k].eps;
    }
    for (uint32_t i = 0; i < d->nbundles; i++) g->between += g->at[d->bundle[i].u].group != g->at[d->bundle[i].v].group;
    return HD_OK;
}

/* Sectors one after another, each as long as its longer row. */
static void groups_place_sectors(struct group_layout *g)
{
    for (uint32_t k = 0; k < g->n; k++) {
        struct groups_sector *s = &g->sector[k];
        s->from = g->round;
        s->span = (s->count[0] > s->count[1] ? s->count[0] : s->count[1]) * FINE;
        g->round += s->span + GAP;
    }
    for (uint32_t k = 0; k < g->d->ncells; k++) {
        struct groups_cell *c = &g->at[k];
        const struct groups_sector *s = &g->sector[c->group];
        c->place = s->from + (uint32_t)((uint64_t)s->span * (2 * c->place + 1) / (2 * s->count[c->row]));
    }
}

static struct hd_point groups_point(const struct group_layout *g, uint32_t place, int32_t distance)
{
    int32_t sine, cosine;
    hd_draw_turn(place, g->round, &sine, &cosine);
    return (struct hd_point){g->x + (int32_t)(((int64_t)distance * sine + (1 << 29)) >> 30),
                             g->y - (int32_t)(((int64_t)distance * cosine + (1 << 29)) >> 30)};
}

static void groups_place(struct group_layout *g)
{
    struct hd_drawing *d = g->d;
    bool merged = d->ncells < d->net->nsw;
    uint32_t longest = 0;
    for (uint32_t k = 0; k < d->ncells; k++) {
        uint32_t n = hd_draw_characters(hd_node_label(d->net, d->cell[k].sw));
        if (g->at[k].row == g->rows - 1 && n > longest) longest = n;
    }
    /* 2 pi as 710 / 113 */
    int32_t wish = (int32_t)((int64_t)g->round * (merged ? 34 : 18) * PX / FINE * 113 / 710);
    g->radius[0] = hd_draw_between(170 * PX, wish, (g->rows == 2 ? 350 : 420) * PX);
    g->radius[1] = g->radius[0] + 84 * PX;
    int32_t outer = g->radius[g->rows - 1];
    g->apart = (int32_t)((int64_t)outer * 710 / 113 * FINE / g->round);
    g->names = !merged && g->apart >= 9 * PX;
    g->rise = g->rows == 2 || merged ? 0 : 44 * PX;
    g->name = g->names ? hd_draw_text_width(longest > NAME ? NAME : longest, 9) + 6 * PX : 0;
    int32_t side = hd_draw_between(3 * PX, g->apart * 7 / 10, (merged ? 26 : 16) * PX);
    int32_t reach = outer + 24 * PX + g->rise + g->name + 70 * PX;
    d->width = 2 * (reach + HD_DRAW_MARGIN);
    d->height = d->head + 2 * (reach - 40 * PX) + d->foot;
    g->x = d->width / 2;
    g->y = d->head + reach - 40 * PX;
    for (uint32_t k = 0; k < d->ncells; k++) {
        struct hd_cell *c = &d->cell[k];
        struct hd_point p = groups_point(g, g->at[k].place, g->radius[g->at[k].row]);
        *c = (struct hd_cell){p.x, p.y, side, side, c->sw, c->count, c->eps, c->counted, c->slow};
    }
    d->widest = hd_draw_between(8, (int32_t)(16 * (int64_t)g->radius[0] / (g->between + 1)), 8 * PX);
}

/* ---- on paper ------------------------------------------------------------------------------ */

/* The number of a group, beyond the names; every second, third, ... where there is no room for all. */
static void groups_draw_number(const struct group_layout *g, uint32_t k, int32_t high)
{
    const struct groups_sector *s = &g->sector[k];
    int64_t wide = (int64_t)(s->span + GAP) * g->apart / FINE;
    bool room = wide > 70 * PX;
    uint32_t place = s->from + s->span / 2, every = (uint32_t)(hd_draw_text_width(4, 12) / (wide ? wide : 1)) + 1;
    int32_t sine, cosine, half = hd_draw_text_width(room ? 8 : 2, 12) / 2;
    char text[40];
    if (k % every || (k && every > 1 && k + every > g->n)) return;
    hd_draw_turn(place, g->round, &sine, &cosine);
    int32_t aside = (int32_t)((int64_t)half * (sine < 0 ? -(int64_t)sine : sine) >> 30);
    struct hd_point mid = groups_point(g, place, high + g->name + 20 * PX + aside);
    snprintf(text, sizeof text, room ? "group %u" : "%u", k);
    hd_draw_text(g->d->o, &(struct hd_draw_text){mid.x, mid.y, "hd-c", 0, 0, true}, text);
}

/* A frame around each group. */
static void groups_draw_frames(const struct group_layout *g)
{
    struct hd_out *o = g->d->o;
    int32_t low = g->radius[0] - 14 * PX, high = g->radius[g->rows - 1] + (g->rise ? 6 * PX : 14 * PX) + g->rise;
    for (uint32_t k = 0; k < g->n; k++) {
        const struct groups_sector *s = &g->sector[k];
        uint32_t from = (s->from + g->round - GAP / 4) % g->round, to = (s->from + s->span + GAP / 4) % g->round;
        struct hd_point a = groups_point(g, from, low), b = groups_point(g, from, high);
        struct hd_point c = groups_point(g, to, high), e = groups_point(g, to, low);
        hd_draw_path(o, "hd-pod", 0, 0);
        hd_draw_put(o, "M# #L# #A# # 0 0 1 # #L# #A# # 0 0 0 # #z", a.x, a.y, b.x, b.y, high, high, c.x, c.y, e.x, e.y,
                    low, low, a.x, a.y);
        hd_draw_path_end(o);
        groups_draw_number(g, k, high);
    }
}

/* Within a group an arc outside, or a line from row to row; between groups a curve bent towards the middle. */
static void groups_draw_bundle(const struct hd_drawing *d, const struct hd_bundle *b)
{
    const struct group_layout *g = d->layout;
    const struct hd_cell *u = &d->cell[b->u], *v = &d->cell[b->v];
    const struct groups_cell *s = &g->at[b->u], *t = &g->at[b->v];
    hd_draw_move(d->o, u->x, u->y);
    if (s->row != t->row) {
        hd_draw_line(d->o, v->x, v->y);
        return;
    }
    if (s->group == t->group && g->rise) {
        uint32_t far = s->place < t->place ? t->place - s->place : s->place - t->place;
        uint32_t span = g->sector[s->group].span;
        int32_t out = 16 * PX + (int32_t)((int64_t)(2 * g->rise - 16 * PX) * far / (span ? span : 1));
        struct hd_point p = groups_point(g, s->place / 2 + t->place / 2, g->radius[0] + out);
        hd_draw_curve(d->o, p.x, p.y, v->x, v->y);
        return;
    }
    int32_t cx = g->x + ((u->x + v->x) / 2 - g->x) * 5 / 10, cy = g->y + ((u->y + v->y) / 2 - g->y) * 5 / 10;
    hd_draw_curve(d->o, cx, cy, v->x, v->y);
}

static struct hd_look groups_look(const struct hd_drawing *d, uint32_t bundle)
{
    const struct group_layout *g = d->layout;
    const struct hd_bundle *b = &d->bundle[bundle];
    bool within = g->at[b->u].group == g->at[b->v].group;
    if (within) return (struct hd_look){.opacity = 70};
    return (struct hd_look){.first = 1, .second = b->u, .opacity = hd_draw_opacity(g->between, 2 * g->radius[0])};
}

static void groups_draw_caption(const struct group_layout *g)
{
    const struct hd_drawing *d = g->d;
    char text[160], eps[HD_DRAW_COUNT];
    bool same = true;
    for (uint32_t k = 1; k < g->n; k++)
        same = same && g->sector[k].switches == g->sector[0].switches && g->sector[k].eps == g->sector[0].eps;
    int at = snprintf(text, sizeof text, "%u groups", g->n);
    if (same)
        snprintf(text + at, sizeof text - (size_t)at, " of %u switches with %s endpoints", g->sector[0].switches,
                 hd_draw_count(eps, g->sector[0].eps));
    hd_draw_words(d->o, HD_DRAW_MARGIN, d->head - 16 * PX, "hd-m", text);
}

/* Names run outwards, and from the left half read inwards. */
static void groups_draw_name(const struct group_layout *g, uint32_t k)
{
    const struct groups_cell *c = &g->at[k];
    const struct hd_drawing *d = g->d;
    bool left = (uint64_t)c->place * 2 > g->round;
    int32_t turn = (int32_t)((uint64_t)c->place * 360 / g->round) - 90;
    struct hd_point p = groups_point(g, c->place, g->radius[c->row] + g->rise + 14 * PX);
    hd_draw_text(d->o,
                 &(struct hd_draw_text){p.x, p.y, left ? "hd-r hd-x" : "hd-r", left ? turn - 180 : turn, NAME, true},
                 hd_node_label(d->net, d->cell[k].sw));
}

static void groups_draw_cells(const struct group_layout *g)
{
    struct hd_drawing *d = g->d;
    char text[HD_DRAW_COUNT];
    for (uint32_t k = 0; k < d->ncells; k++) {
        const struct hd_cell *c = &d->cell[k];
        hd_draw_cell(d, c, c->w / 2);
        if (c->count > 1 && c->w >= hd_draw_text_width(3, 9))
            hd_draw_text(d->o, &(struct hd_draw_text){c->x, c->y, "hd-n", 0, 0, true}, hd_draw_count(text, c->count));
        if (g->names && g->at[k].row == g->rows - 1) groups_draw_name(g, k);
    }
}

hd_status hd_draw_groups(struct hd_drawing *d, bool *drawn)
{
    struct group_layout g = {.d = d};
    uint32_t *order = HD_NEW(&d->arena, uint32_t, d->net->nsw);
    if (!order) return hd_fail_memory(d->ctx);
    struct hd_grouped_switches found;
    HD_TRY(hd_switches_by_label(d->ctx, d->net, order));
    HD_TRY(hd_switch_groups_find(d->ctx, &d->arena, d->net, order, &found));
    *drawn = found.n > 0 && found.n <= MOST_GROUPS;
    if (!*drawn) return HD_OK;
    HD_TRY(groups_take(&g, &found));
    HD_TRY(groups_make_cells(&g, order));
    groups_place_sectors(&g);
    groups_place(&g);
    d->how = d->ncells < d->net->nsw
                 ? "Groups on a ring, the switches of a group in one box; curves are cables between groups."
             : g.rows == 2 ? "Groups on a ring, their leaf switches outside; curves inside are cables between groups."
                           : "Groups on a ring; arcs outside are cables within a group, curves inside those between "
                             "groups.";
    hd_draw_begin(d);
    groups_draw_caption(&g);
    groups_draw_frames(&g);
    d->trace = groups_draw_bundle;
    d->layout = &g;
    HD_TRY(hd_draw_cables(d, groups_look));
    groups_draw_cells(&g);
    hd_draw_end(d);
    return HD_OK;
}
