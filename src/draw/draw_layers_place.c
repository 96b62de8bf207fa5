/* SPDX-License-Identifier: BSD-2-Clause */
/* Layered drawing: one row per level, the highest on top, endpoints in groups under their leaves.
 *
 * Columns are given to the cells at the bottom, neighbours in a subtree side by side with a gap between
 * subtrees; a cell above is spread with its like over the columns of its subtree. Every switch is a cell
 * up to the limit of the drawing. Beyond that a cell is all switches of one level in one subtree: the
 * columns are then the subtrees of the lowest height of which a page holds all, and the top level falls
 * into its planes, the sets of switches that the levels below keep apart.
 * Cost: O(size * levels), plus sorting cells and cables. */
#include "base/status.h"
#include "base/keyed.h"
#include "draw/draw_layers.h"
#include "net/core/labels.h"
#include "net/core/subtrees.h"

#include <stdlib.h>
#include <string.h>

enum {
    PX = HD_PX,
    COLUMNS = 64,      /* subtrees a page holds well */
    UNIT = 1000,       /* weight of a column that holds one cell in each row */
    MOST_MARKS = 8192, /* endpoints drawn one by one */
};

struct columns { /* the cells at the bottom, left to right */
    const struct hd_layer_node **at;
    uint32_t *weight;
    uint32_t n;
};

/* ---- cells --------------------------------------------------------------------------------- */

static hd_status rank_switches(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    uint32_t nsw = d->net->nsw, *order = HD_NEW(&d->arena, uint32_t, nsw);
    y->rank = HD_NEW(&d->arena, uint32_t, nsw);
    if (!order || !y->rank) return hd_fail_memory(d->ctx);
    HD_TRY(hd_switches_by_label(d->ctx, d->net, order));
    for (uint32_t i = 0; i < nsw; i++) y->rank[order[i]] = i;
    return HD_OK;
}

/* Numbers subtrees of a height by the first label among their leaves, in place. */
static hd_status number_subtrees(struct hd_layers *y, uint32_t *sub, uint32_t nsub)
{
    struct hd_drawing *d = y->d;
    uint32_t nsw = d->net->nsw, *number = HD_NEW(&d->arena, uint32_t, nsub);
    struct hd_keyed *first = HD_NEW(&d->arena, struct hd_keyed, nsub);
    if (!number || !first) return hd_fail_memory(d->ctx);
    for (uint32_t i = 0; i < nsub; i++) first[i] = (struct hd_keyed){UINT64_MAX, i};
    for (uint32_t v = 0; v < nsw; v++) {
        uint64_t rank = (uint64_t)y->rank[v] + (d->net->level[v] > 1 ? nsw : 0);
        if (sub[v] < nsub && rank < first[sub[v]].key) first[sub[v]].key = rank;
    }
    hd_keyed_sort(first, nsub, sizeof *first);
    for (uint32_t i = 0; i < nsub; i++) number[first[i].value] = i;
    for (uint32_t v = 0; v < nsw; v++)
        if (sub[v] < nsub) sub[v] = number[sub[v]];
    return HD_OK;
}

static hd_status find_subtrees(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    HD_TRY(rank_switches(y));
    uint32_t n = y->levels + 1;
    y->sub = HD_NEW(&d->arena, uint32_t *, n);
    y->nsub = HD_NEW(&d->arena, uint32_t, n);
    y->span = HD_NEW(&d->arena, struct hd_layer_span *, n);
    y->row = HD_NEW(&d->arena, struct hd_layer_row, n);
    if (!y->sub || !y->nsub || !y->span || !y->row) return hd_fail_memory(d->ctx);
    for (uint32_t h = 1; h <= y->levels; h++) {
        if (!(y->sub[h] = HD_NEW(&d->arena, uint32_t, d->net->nsw))) return hd_fail_memory(d->ctx);
        HD_TRY(hd_subtrees(d->ctx, d->net, h, y->sub[h], &y->nsub[h]));
        HD_TRY(number_subtrees(y, y->sub[h], y->nsub[h]));
        if (!(y->span[h] = HD_NEW(&d->arena, struct hd_layer_span, y->nsub[h]))) return hd_fail_memory(d->ctx);
    }
    return HD_OK;
}

/* Which of the planes of the top level a switch belongs to: the digits that all levels between keep. */
static uint64_t plane_of(const struct hd_net *net, uint32_t v, uint64_t *planes)
{
    const struct hd_shape *s = &net->shape;
    uint64_t plane = 0;
    *planes = 1;
    if (s->kind != HD_SHAPE_TREE) return 0;
    for (uint32_t i = 1; i + 1 < s->n; i++) {
        plane = plane * s->w[i] + hd_coord(net, v)[i];
        *planes *= s->w[i];
        if (*planes > COLUMNS) return *planes = 1, 0;
    }
    return plane;
}

/* Number of the group a switch is drawn in; groups are numbered level by level. */
static hd_status group_switches(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    const struct hd_net *net = d->net;
    for (y->height = 1; y->height < y->levels && y->nsub[y->height] > COLUMNS;) y->height++;
    if (y->height == y->levels && y->levels > 1 && y->nsub[y->levels - 1] <= HD_LAYERS_COLUMNS) y->height--;
    uint32_t base[256] = {0}, n = 0;
    for (uint32_t l = 1; l <= y->levels; l++) {
        base[l] = n;
        uint32_t groups = y->nsub[l < y->height ? y->height : l];
        if (groups > HD_LAYERS_COLUMNS) groups = HD_LAYERS_COLUMNS;
        n += l == y->levels ? groups * COLUMNS : groups;
    }
    uint32_t *dense = HD_NEW(&d->arena, uint32_t, n);
    if (!dense) return hd_fail_memory(d->ctx);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t v = 0; v < net->nsw; v++) {
            uint32_t l = net->level[v], h = l < y->height ? y->height : l;
            uint64_t group = y->sub[h][v], planes;
            if (y->nsub[h] > HD_LAYERS_COLUMNS) group = group * HD_LAYERS_COLUMNS / y->nsub[h];
            if (l == y->levels) group = group * COLUMNS + plane_of(net, v, &planes);
            group += base[l];
            if (pass == 0)
                dense[group] = 1;
            else
                d->cell_of[v] = dense[group];
        }
        for (uint32_t g = 0, next = 0; pass == 0 && g < n; g++) {
            uint32_t used = dense[g];
            dense[g] = next;
            next += used;
            d->ncells = next;
        }
    }
    return HD_OK;
}

/* ---- order --------------------------------------------------------------------------------- */

/* Left to right as the subtrees are; above the lower of two nodes' subtrees there is nothing to compare. */
static int by_path(const struct hd_layer_node *x, const struct hd_layer_node *z)
{
    for (uint32_t h = x->levels; h >= x->level && h >= z->level; h--)
        if (x->path[h] != z->path[h]) return x->path[h] < z->path[h] ? -1 : 1;
    return 0;
}

static int by_row(const void *a, const void *b)
{
    const struct hd_layer_node *x = a, *z = b;
    if (x->level != z->level) return x->level < z->level ? -1 : 1;
    int order = by_path(x, z);
    if (order) return order;
    if (x->order != z->order) return x->order < z->order ? -1 : 1;
    return (x->rank > z->rank) - (x->rank < z->rank);
}

/* In a tree, the switches of a group by their digits, the one that parents share slowest; with two levels these say
 * nothing. */
static uint64_t tree_order(const struct hd_net *net, uint32_t v)
{
    uint64_t order = 0;
    if (net->shape.kind != HD_SHAPE_TREE || net->shape.n <= 2) return 0;
    for (uint32_t i = 0; i < net->level[v]; i++) order = order * net->shape.w[i] + hd_coord(net, v)[i];
    return order;
}

static hd_status make_nodes(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    uint32_t n = d->ncells, stride = y->levels + 1;
    uint32_t *path = HD_NEW(&d->arena, uint32_t, (size_t)n * stride);
    y->node = HD_NEW(&d->arena, struct hd_layer_node, n);
    if (!path || !y->node) return hd_fail_memory(d->ctx);
    y->nnodes = n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = d->cell[k].sw, l = d->net->level[v];
        uint32_t *p = path + (size_t)k * stride;
        for (uint32_t h = l; h <= y->levels; h++) p[h] = y->sub[h][v];
        y->node[k] = (struct hd_layer_node){
            .cell = k, .level = l, .levels = y->levels, .order = tree_order(d->net, v), .rank = y->rank[v], .path = p};
    }
    qsort(y->node, n, sizeof *y->node, by_row);
    for (uint32_t i = 0; i < n; i++) {
        struct hd_layer_row *r = &y->row[y->node[i].level];
        if (r->n++ == 0) r->first = i;
    }
    return HD_OK;
}

/* ---- columns ------------------------------------------------------------------------------- */

static int by_column(const void *a, const void *b)
{
    const struct hd_layer_node *x = *(const struct hd_layer_node *const *)a,
                               *z = *(const struct hd_layer_node *const *)b;
    int order = by_path(x, z);
    return order ? order : (x > z) - (x < z); /* both in one array, by row */
}

/* Cells of level 1 are columns, and those of a subtree that has nothing below. */
static hd_status find_columns(struct hd_layers *y, struct columns *columns)
{
    struct hd_drawing *d = y->d;
    *columns = (struct columns){HD_NEW(&d->arena, const struct hd_layer_node *, y->nnodes),
                                HD_NEW(&d->arena, uint32_t, y->nnodes), 0};
    if (!columns->at || !columns->weight) return hd_fail_memory(d->ctx);
    for (uint32_t l = 1; l <= y->levels; l++) {
        bool *below = HD_NEW(&d->arena, bool, y->nsub[l]);
        if (!below) return hd_fail_memory(d->ctx);
        for (uint32_t i = 0; i < y->nnodes && y->node[i].level < l; i++) below[y->node[i].path[l]] = true;
        for (uint32_t i = y->row[l].first; i < y->row[l].first + y->row[l].n; i++) {
            struct hd_layer_node *n = &y->node[i];
            n->column = l == 1 || !below[n->path[l]];
            if (n->column) columns->at[columns->n++] = n;
            y->span[l][n->path[l]].cells++;
        }
    }
    qsort(columns->at, columns->n, sizeof *columns->at, by_column);
    for (uint32_t i = 0; i < columns->n; i++) {
        const struct hd_layer_node *n = columns->at[i];
        for (uint32_t h = n->level; h <= y->levels; h++) y->span[h][n->path[h]].columns++;
    }
    return HD_OK;
}

/* Room before a column: the more, the more heights part it from its neighbour. */
static uint32_t gap_weight(const struct hd_layers *y, const struct columns *columns, uint32_t i)
{
    if (i == 0) return 0;
    const struct hd_layer_node *a = columns->at[i - 1], *b = columns->at[i];
    uint32_t gap = 0, h = a->level > b->level ? a->level : b->level;
    for (h = h < 2 ? 2 : h; h <= y->levels; h++)
        if (a->path[h] != b->path[h]) gap += y->height ? (h >= y->height ? UNIT / 7 : 0) : UNIT * 6 / 10;
    return gap;
}

/* A column is as wide as the most crowded row above it needs. Endpoints drawn one by one ask for room. */
static uint64_t weigh_columns(struct hd_layers *y, struct columns *columns)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < columns->n; i++) {
        const struct hd_layer_node *n = columns->at[i];
        uint64_t weight = UNIT;
        for (uint32_t h = n->level; h <= y->levels; h++) {
            const struct hd_layer_span *s = &y->span[h][n->path[h]];
            uint64_t needs = (uint64_t)s->cells * UNIT / s->columns;
            if (needs > weight) weight = needs;
        }
        uint32_t eps = y->d->cell[n->cell].eps;
        if (y->ends == HD_ENDS_FAN && weight < eps * UNIT * 3 / 10) weight = eps * UNIT * 3 / 10;
        columns->weight[i] = (uint32_t)weight;
        total += weight + gap_weight(y, columns, i);
    }
    return total;
}

/* Returns where the last one ends. */
static int32_t place_columns(struct hd_layers *y, const struct columns *columns, int32_t x)
{
    for (uint32_t i = 0; i < columns->n; i++) {
        const struct hd_layer_node *n = columns->at[i];
        int32_t wide = (int32_t)((int64_t)columns->weight[i] * y->unit / UNIT);
        x += (int32_t)((int64_t)gap_weight(y, columns, i) * y->unit / UNIT);
        y->d->cell[n->cell].x = x + wide / 2;
        y->d->cell[n->cell].w = wide; /* until the boxes get their size */
        for (uint32_t h = n->level; h <= y->levels; h++) {
            struct hd_layer_span *s = &y->span[h][n->path[h]];
            if (s->right == 0) s->left = x;
            s->right = x + wide;
        }
        x += wide;
    }
    return x;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Without digits, a row is ordered by where its cables come from, bottom up. */
static hd_status order_row(struct hd_layers *y, uint32_t l)
{
    struct hd_drawing *d = y->d;
    struct hd_layer_row *r = &y->row[l];
    struct hd_mark mark = hd_arena_mark(&d->arena);
    uint64_t *sum = HD_NEW(&d->arena, uint64_t, d->ncells);
    uint32_t *times = HD_NEW(&d->arena, uint32_t, d->ncells);
    if (!sum || !times) return hd_fail_memory(d->ctx);
    for (uint32_t i = 0; i < d->nbundles; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t a = side ? d->bundle[i].v : d->bundle[i].u, b = side ? d->bundle[i].u : d->bundle[i].v;
            if (d->net->level[d->cell[b].sw] >= l) continue;
            sum[a] += (uint64_t)d->cell[b].x * d->bundle[i].cables;
            times[a] += d->bundle[i].cables;
        }
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        uint32_t k = y->node[i].cell;
        y->node[i].order = times[k] ? sum[k] / times[k] : UINT32_MAX;
    }
    hd_arena_rewind(&d->arena, mark);
    qsort(y->node + r->first, r->n, sizeof *y->node, by_row);
    return HD_OK;
}

static hd_status layers_place_place_rows(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    for (uint32_t l = 1; l <= y->levels; l++) {
        struct hd_layer_row *r = &y->row[l];
        int32_t nearest = y->d->page;
        if (l > 1 && d->net->shape.kind != HD_SHAPE_TREE) HD_TRY(order_row(y, l));
        for (uint32_t i = r->first, at = 0; i < r->first + r->n; i++) {
            const struct hd_layer_node *n = &y->node[i];
            const struct hd_layer_span *s = &y->span[l][n->path[l]];
            struct hd_cell *c = &d->cell[n->cell];
            at = i > r->first && n->path[l] == n[-1].path[l] ? at + 1 : 0;
            if (!n->column) c->x = s->left + (int32_t)((int64_t)(s->right - s->left) * (2 * at + 1) / (2 * s->cells));
            int32_t room = (s->right - s->left) / (int32_t)(n->column ? s->columns : s->cells);
            if (room < nearest) nearest = room;
        }
        r->w = nearest;
    }
    return HD_OK;
}

/* Box sizes: wide enough for the names, turned when only their height fits, else without names. */
static void size_row(struct hd_layers *y, uint32_t l)
{
    struct hd_drawing *d = y->d;
    struct hd_layer_row *r = &y->row[l];
    uint32_t longest = 1;
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        uint32_t n = hd_draw_characters(hd_node_label(d->net, d->cell[y->node[i].cell].sw));
        if (n > longest) longest = n;
    }
    int32_t room = r->w * 84 / 100, lying = hd_draw_text_width(longest > 16 ? 16 : longest, 9) + 10 * PX;
    int32_t standing = hd_draw_text_width(longest > 12 ? 12 : longest, 9) + 10 * PX;
    r->w = hd_draw_between(2 * PX, room, 12 * PX);
    r->h = r->w < 8 * PX ? 8 * PX : r->w;
    r->turn = 1;
    if (y->height) {
        r->w = room > 84 * PX ? 84 * PX : room;
        r->h = 26 * PX;
        r->turn = r->w >= hd_draw_text_width(2, 12) + 4 * PX ? 0 : 1;
    } else if (room >= lying) {
        r->w = lying < 58 * PX ? 58 * PX < room ? 58 * PX : room : lying;
        r->h = 24 * PX;
        r->turn = 0;
    } else if (room >= 8 * PX) {
        r->w = room > 22 * PX ? 22 * PX : room;
        r->h = standing;
        r->turn = -90;
        r->font = room < 11 * PX ? 8 : 9;
    }
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        struct hd_cell *c = &d->cell[y->node[i].cell];
        c->w = r->w;
        c->h = r->h;
    }
}

/* Higher where lines run further. */
static int32_t row_gap(const struct hd_layers *y, uint32_t lower)
{
    if (y->height && lower < y->height) return 34 * PX;
    int32_t far = 0;
    for (uint32_t i = 0; i < y->nsub[lower + 1]; i++) {
        const struct hd_layer_span *s = &y->span[lower + 1][i];
        if (s->right - s->left > far) far = s->right - s->left;
    }
    int32_t gap = far / 6;
    return hd_draw_between(84 * PX, gap, 230 * PX);
}

/* How the endpoints are drawn must be known before the columns are. */
static void choose_ends(struct hd_layers *y)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < y->nnodes; i++)
        if (y->d->cell[i].eps > most) most = y->d->cell[i].eps;
    uint32_t eps = y->d->net->nep;
    y->ends = eps <= 100 ? HD_ENDS_FAN : HD_ENDS_BLOCK;
    if (y->height || eps > MOST_MARKS) y->ends = HD_ENDS_BAR;
    if (y->ends == HD_ENDS_FAN && (uint64_t)most * y->nnodes > 2000) y->ends = HD_ENDS_BLOCK;
}

static uint32_t longest_endpoint_name(const struct hd_net *net)
{
    uint32_t longest = 0;
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t n = hd_draw_characters(hd_node_label(net, net->nsw + e));
        if (n > longest) longest = n;
    }
    return longest;
}

/* Squares as large as a block of at most 54 pixels' height allows. */
static void size_block(struct hd_layers *y, int32_t most)
{
    int32_t room = y->room * 86 / 100, down = 1;
    for (y->pitch = 9 * PX; y->pitch > 15; y->pitch -= 5) {
        y->across = room / y->pitch;
        down = y->across ? (most + y->across - 1) / y->across : most;
        if (y->across && down * y->pitch <= 54 * PX) break;
    }
    y->across = (most + down - 1) / down;
    y->ends_h = 14 * PX + down * y->pitch;
}

static void size_ends(struct hd_layers *y)
{
    uint32_t most = 0;
    int32_t fan = 24 * PX;
    y->room = y->d->page;
    for (uint32_t i = 0; i < y->row[1].n; i++) {
        const struct hd_cell *c = &y->d->cell[y->node[y->row[1].first + i].cell];
        if (c->eps > most) most = c->eps;
        if (c->w < y->room) y->room = c->w;
        if (c->eps && c->w / (int32_t)c->eps < fan) fan = c->w / (int32_t)c->eps;
    }
    if (most == 0) return;
    if (y->ends == HD_ENDS_FAN) {
        uint32_t longest = longest_endpoint_name(y->d->net);
        y->pitch = fan;
        y->ends_h = 44 * PX + (y->pitch >= 10 * PX ? hd_draw_text_width(longest > 16 ? 16 : longest, 9) : 0);
    } else if (y->ends == HD_ENDS_BLOCK) {
        size_block(y, (int32_t)most);
    } else {
        char text[HD_DRAW_COUNT];
        int32_t wide = hd_draw_text_width((uint32_t)strlen(hd_draw_count(text, most)), 10);
        y->across = wide <= y->room * 96 / 100; /* whether the number fits */
        y->ends_h = (y->across ? 40 : 24) * PX;
    }
}

static void place_vertically(struct hd_layers *y)
{
    int32_t at = y->d->head + 10 * PX;
    for (uint32_t l = y->levels; l >= 1; l--) {
        struct hd_layer_row *r = &y->row[l];
        if (!r->n) continue;
        r->y = at + r->h / 2;
        for (uint32_t i = r->first; i < r->first + r->n; i++) y->d->cell[y->node[i].cell].y = r->y;
        at += r->h + (l > 1 ? row_gap(y, l - 1) : 0);
    }
    y->ends_y = at;
    y->d->height = at + y->ends_h + 22 * PX + y->d->foot;
}

/* Wide enough for a title; as wide as a page where there is that much to show; wider when it must be. */
static void place_across(struct hd_layers *y, struct columns *columns)
{
    int64_t total = (int64_t)weigh_columns(y, columns);
    int64_t unit = (int64_t)(y->d->page - HD_LAYERS_GUTTER - 2 * HD_DRAW_MARGIN) * UNIT / total;
    int64_t widest = (y->height ? 150 : y->ends == HD_ENDS_FAN ? 64 : 84) * PX, least = 430 * PX;
    y->unit = (int32_t)(unit > widest ? widest : unit < 5 * PX ? 5 * PX : unit);
    int64_t content = total * y->unit / UNIT;
    int32_t spare = content < least ? (int32_t)(least - content) / 2 : 0;
    int32_t end = place_columns(y, columns, HD_DRAW_MARGIN + HD_LAYERS_GUTTER + spare);
    y->d->width = end + spare + HD_DRAW_MARGIN;
}

static hd_status choose_cells(struct hd_layers *y)
{
    struct hd_drawing *d = y->d;
    d->how = "Rows are levels, the highest on top; endpoints are in groups under their leaf switches.";
    if (d->net->nsw > d->limit) {
        d->how = "Rows are levels, the highest on top; a box is all switches of one level in one subtree, with "
                 "their number, and a line all cables between two boxes.";
        return group_switches(y);
    }
    d->ncells = d->net->nsw;
    for (uint32_t v = 0; v < d->net->nsw; v++) d->cell_of[v] = v;
    return HD_OK;
}

hd_status hd_layers_place(struct hd_layers *y)
{
    struct columns columns;
    HD_TRY(find_subtrees(y));
    HD_TRY(choose_cells(y));
    HD_TRY(hd_draw_cells(y->d));
    HD_TRY(make_nodes(y));
    HD_TRY(find_columns(y, &columns));
    choose_ends(y);
    place_across(y, &columns);
    HD_TRY(layers_place_place_rows(y));
    size_ends(y);
    for (uint32_t l = 1; l <= y->levels; l++) size_row(y, l);
    place_vertically(y);
    y->d->marks = y->d->net->nep > 0;
    y->d->widest = y->unit / 4 > 14 * PX ? 14 * PX : y->unit / 4;
    return HD_OK;
}
