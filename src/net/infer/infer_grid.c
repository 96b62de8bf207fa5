/* SPDX-License-Identifier: BSD-2-Clause */
/* A grid from cables: the switches as a Cartesian product of lines, rings and cliques.
 *
 * Two cables of a switch are of different dimensions when they are two sides of a square, and of the same
 * when they are not, or are two sides of a triangle. That sorts the cables of one switch, the origin, into
 * dimensions. The others are placed in order of their distance from it. One that has nearer neighbours u
 * and w differing in two dimensions is the corner opposite to the one they have in common: it takes one
 * digit from each, so that distances add up. One that has not is on an axis, and is a digit of its own.
 * An axis must then be a line, a ring or a clique. The rest is left to verification.
 *
 * A ring of four is two crossed lines of two, and a torus of fours a hypercube. The ports decide: two axes of two that
 * use the same ports are a ring of four. Beside a ring of five or more, twos are paired in any case. A ring of three is
 * a clique beside larger cliques.
 * Dimensions are in order of extent. A damaged grid is read by its ports (infer_port_grid.c, infer_port_hyperx.c); if
 * they follow no rule, missing cables are supposed (infer_lost_cables.c).
 * Cost: O(cables * dimensions). Products of graphs: Imrich, Klavzar: Product graphs. */
#include "base/status.h"
#include "net/infer/infer.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct axis {
    uint32_t extent, wrap, cables;
    uint32_t origin; /* digit of the origin */
};

struct grid_reading {
    const struct hd_fabric *g;
    uint32_t origin, n;     /* n dimensions */
    uint32_t *dist, *order; /* from the origin; switches by distance */
    uint32_t *at;           /* [g->n * n] per dimension, the switch on its axis that has the same digit */
    uint32_t *on;           /* [g->n] axis a switch is on, NONE: none, or the origin */
    uint32_t *digit;        /* [g->n] of a switch on an axis */
    struct axis axis[HD_MAX_DIM];
    const char *why; /* it is no grid */
    uint32_t where;  /* the switch at which that shows */
};

static bool grid_refuse(struct grid_reading *x, uint32_t v, const char *why)
{
    x->why = why;
    x->where = v;
    return false;
}

static uint32_t grid_degree(const struct hd_fabric *g, uint32_t v)
{
    return g->off[v + 1] - g->off[v];
}

/* ---- the origin ---------------------------------------------------------------------------- */

/* Breadth first from a switch with the fewest neighbours: the corner of a mesh. */
static bool grid_distances(struct grid_reading *x)
{
    const struct hd_fabric *g = x->g;
    uint32_t tail = 0;
    for (uint32_t v = 0; v < g->n; v++)
        if (grid_degree(g, v) < grid_degree(g, x->origin)) x->origin = v;
    memset(x->dist, 0xff, g->n * sizeof *x->dist);
    x->dist[x->origin] = 0;
    x->order[tail++] = x->origin;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t v = x->order[head];
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) {
            if (x->dist[g->to[i]] != NONE) continue;
            x->dist[g->to[i]] = x->dist[v] + 1;
            x->order[tail++] = g->to[i];
        }
    }
    if (g->n == 1) return grid_refuse(x, x->origin, "it is alone");
    return tail == g->n || grid_refuse(x, x->origin, "not all switches can be reached from it");
}

enum pair { OPEN, SQUARE, TRIANGLE }; /* what two neighbours of the origin form with it */

/* pair[i * d + j] for the neighbours i and j of the origin; order[1] .. order[d] are these. */
static bool pair_neighbours(struct grid_reading *x, const uint32_t *number, uint8_t *pair)
{
    const struct hd_fabric *g = x->g;
    uint32_t d = grid_degree(g, x->origin);
    for (uint32_t k = 1; k < g->n && x->dist[x->order[k]] <= 2; k++) {
        uint32_t z = x->order[k], side[2], n = 0;
        for (uint32_t i = g->off[z]; i < g->off[z + 1]; i++) {
            uint32_t u = g->to[i];
            if (x->dist[u] != 1) continue;
            if (x->dist[z] == 1)
                pair[number[z] * d + number[u]] = TRIANGLE;
            else if (n == 2)
                return grid_refuse(x, z,
                                   "it has more neighbours in common with other switches than a switch of a grid");
            else
                side[n++] = number[u];
        }
        if (n < 2) continue;
        for (uint32_t i = 0; i < 2; i++) {
            uint8_t *p = &pair[side[i] * d + side[1 - i]];
            if (*p == OPEN) *p = SQUARE;
        }
    }
    return true;
}

/* Gives the neighbours of the origin their dimension in x->on. */
static bool sort_neighbours(struct grid_reading *x, const uint8_t *pair, uint32_t *set)
{
    uint32_t d = grid_degree(x->g, x->origin);
    hd_sets_init(set, d);
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j < i; j++)
            if (pair[i * d + j] != SQUARE) hd_sets_join(set, i, j);
    for (uint32_t i = 0; i < d; i++) {
        uint32_t first = hd_sets_find(set, i); /* the smallest of its set */
        for (uint32_t j = 0; j < i; j++)
            if (hd_sets_find(set, j) == first && pair[i * d + j] == SQUARE)
                return grid_refuse(x, x->origin, "its cables fall into no dimensions");
        if (first == i && x->n == HD_MAX_DIM)
            return grid_refuse(x, x->origin, "its cables fall into too many dimensions");
        x->on[x->order[1 + i]] = first == i ? x->n++ : x->on[x->order[1 + first]];
    }
    return true;
}

static hd_status find_dimensions(const struct hd_inference *f, struct grid_reading *x, bool *found)
{
    uint32_t d = grid_degree(x->g, x->origin);
    uint32_t *number = HD_NEW(f->arena, uint32_t, x->g->n), *set = HD_NEW(f->arena, uint32_t, d);
    uint8_t *pair = HD_NEW(f->arena, uint8_t, (size_t)d * d);
    if (!number || !set || !pair) return hd_fail_memory(f->ctx);
    for (uint32_t i = 0; i < d; i++) number[x->order[1 + i]] = i;
    *found = pair_neighbours(x, number, pair) && sort_neighbours(x, pair, set);
    return HD_OK;
}

/* ---- the others ---------------------------------------------------------------------------- */

static void place_on_axis(struct grid_reading *x, uint32_t z, uint32_t axis)
{
    uint32_t *row = x->at + (size_t)z * x->n;
    for (uint32_t i = 0; i < x->n; i++) row[i] = x->origin;
    row[axis] = z;
    x->on[z] = axis;
}

/* The two dimensions in which u and w differ; false when it is not two. */
static bool differ_in_two(const struct grid_reading *x, uint32_t u, uint32_t w, uint32_t dim[2])
{
    const uint32_t *a = x->at + (size_t)u * x->n, *b = x->at + (size_t)w * x->n;
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        if (a[i] == b[i]) continue;
        if (n == 2) return false;
        dim[n++] = i;
    }
    return n == 2;
}

static bool grid_place(struct grid_reading *x, uint32_t z)
{
    const struct hd_fabric *g = x->g;
    uint32_t u = NONE, dim[2], *row = x->at + (size_t)z * x->n;
    for (uint32_t i = g->off[z]; i < g->off[z + 1]; i++) {
        uint32_t w = g->to[i];
        if (x->dist[w] + 1 != x->dist[z]) continue;
        if (u == NONE) u = w;
        if (!differ_in_two(x, u, w, dim)) continue;
        const uint32_t *a = x->at + (size_t)u * x->n, *b = x->at + (size_t)w * x->n;
        memcpy(row, a, x->n * sizeof *row);
        for (uint32_t k = 0; k < 2; k++) {
            if (x->dist[b[dim[k]]] != x->dist[a[dim[k]]] + 1) continue;
            row[dim[k]] = b[dim[k]];
            return true;
        }
        return grid_refuse(x, z, "its neighbours are not connected as in a grid");
    }
    if (x->on[u] == NONE) return grid_refuse(x, z, "its neighbours are not connected as in a grid");
    place_on_axis(x, z, x->on[u]);
    return true;
}

static bool place_all(struct grid_reading *x)
{
    for (uint32_t i = 0; i < x->n; i++) x->at[(size_t)x->origin * x->n + i] = x->origin;
    for (uint32_t k = 1; k < x->g->n; k++) {
        uint32_t z = x->order[k];
        if (x->dist[z] == 1)
            place_on_axis(x, z, x->on[z]);
        else if (!grid_place(x, z))
            return false;
    }
    return true;
}

/* ---- the axes ------------------------------------------------------------------------------ */

/* Next neighbour of v along its axis from position *i of its neighbours on, NONE past the last. */
static uint32_t along(const struct grid_reading *x, uint32_t v, uint32_t axis, uint32_t *i)
{
    for (; *i < x->g->off[v + 1]; ++*i) {
        uint32_t u = x->g->to[*i];
        if (u == x->origin || x->on[u] == axis) {
            ++*i;
            return u;
        }
    }
    return NONE;
}

static void set_digit(struct grid_reading *x, uint32_t v, uint32_t axis, uint32_t digit)
{
    if (v == x->origin)
        x->axis[axis].origin = digit;
    else
        x->digit[v] = digit;
}

/* Follows a line from its end, or a ring from any switch towards the lower of its neighbours. */
static bool axis_walk(struct grid_reading *x, uint32_t axis, uint32_t start)
{
    uint32_t v = start, before = NONE, n = 0;
    for (;;) {
        uint32_t i = x->g->off[v], next = along(x, v, axis, &i), other = along(x, v, axis, &i);
        set_digit(x, v, axis, n++);
        if (before == NONE && other != NONE && other < next) next = other;
        if (before != NONE && next == before) next = other;
        before = v;
        v = next;
        if (v == NONE || v == start || n > x->axis[axis].extent) break;
    }
    return n == x->axis[axis].extent || grid_refuse(x, start, "a dimension through it is no line, ring or clique");
}

/* The switches of one axis, by number, in member. */
static bool read_axis(struct grid_reading *x, uint32_t axis, const uint32_t *member, uint32_t m)
{
    uint32_t ends = 0, middles = 0, full = 0, end = NONE;
    for (uint32_t k = 0; k < m; k++) {
        uint32_t n = 0;
        for (uint32_t i = x->g->off[member[k]]; along(x, member[k], axis, &i) != NONE;) n++;
        full += n == m - 1;
        middles += n == 2;
        ends += n == 1;
        if (n == 1 && end == NONE) end = member[k];
    }
    x->axis[axis].extent = m;
    x->axis[axis].wrap = m == 2                ? HD_LINE
                         : m == 3 && full == 3 ? HD_RING
                         : full == m           ? HD_CLIQUE
                         : ends                ? HD_LINE
                                               : HD_RING;
    if (x->axis[axis].wrap == HD_CLIQUE) {
        for (uint32_t k = 0; k < m; k++) set_digit(x, member[k], axis, k);
        return true;
    }
    if (ends + middles != m || (ends != 0 && ends != 2))
        return grid_refuse(x, member[0], "a dimension through it is no line, ring or clique");
    return axis_walk(x, axis, ends ? end : member[0]);
}

static hd_status read_axes(const struct hd_inference *f, struct grid_reading *x, bool *found)
{
    uint32_t *member = HD_NEW(f->arena, uint32_t, (size_t)x->g->n + x->n), first[HD_MAX_DIM + 1] = {0},
             fill[HD_MAX_DIM];
    if (!member) return hd_fail_memory(f->ctx);
    for (uint32_t i = 0; i < x->n; i++) first[i + 1] = 1; /* the origin is on all of them */
    for (uint32_t v = 0; v < x->g->n; v++)
        if (x->on[v] != NONE) first[x->on[v] + 1]++;
    for (uint32_t i = 0; i < x->n; i++) {
        fill[i] = first[i];
        first[i + 1] += first[i];
    }
    for (uint32_t v = 0; v < x->g->n; v++)
        for (uint32_t i = 0; i < x->n; i++)
            if (x->on[v] == i || v == x->origin) member[fill[i]++] = v;
    *found = true;
    for (uint32_t i = 0; i < x->n && *found; i++) *found = read_axis(x, i, member + first[i], first[i + 1] - first[i]);
    return HD_OK;
}

static uint32_t digit_of(const struct grid_reading *x, uint32_t v, uint32_t axis)
{
    uint32_t at = x->at[(size_t)v * x->n + axis];
    return at == x->origin ? x->axis[axis].origin : x->digit[at];
}

static hd_status grid_count_cables(const struct hd_inference *f, struct grid_reading *x)
{
    const struct hd_fabric *g = x->g;
    uint32_t *pairs = HD_NEW(f->arena, uint32_t, 256 * (size_t)x->n);
    if (!pairs) return hd_fail_memory(f->ctx);
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) {
            const uint32_t *a = x->at + (size_t)v * x->n, *b = x->at + (size_t)g->to[i] * x->n;
            uint32_t k = 0;
            while (k < x->n && a[k] == b[k]) k++;
            if (k < x->n) pairs[256 * k + g->cables[i]]++;
        }
    for (uint32_t i = 0; i < x->n; i++) x->axis[i].cables = hd_usual_cables(pairs + 256 * (size_t)i);
    return HD_OK;
}

/* ---- the shape ----------------------------------------------------------------------------- */

struct grid_dimensions { /* dimensions of the shape: an axis, or two axes of two that make a ring of four */
    uint32_t n, axis[HD_MAX_DIM], second[HD_MAX_DIM];
};

/* How often each port is used along each axis. */
static void count_ports(const struct hd_inference *f, const struct grid_reading *x, uint32_t (*ports)[256])
{
    const struct hd_net *net = f->net;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        if (net->head[c] >= net->nsw) continue;
        const uint32_t *a = x->at + (size_t)net->tail[c] * x->n, *b = x->at + (size_t)net->head[c] * x->n;
        uint32_t k = 0;
        while (k < x->n && a[k] == b[k]) k++;
        if (k < x->n) ports[k][net->port[c]]++;
    }
}

/* How many cables of two axes are in ports that both use; 0: hardly any. The two halves of a ring of four share their
 * ports, of which one leads on and one back; a dimension of a hypercube has a port of its own. */
static uint64_t shared_ports(uint32_t (*ports)[256], uint32_t i, uint32_t j)
{
    uint64_t common = 0, all = 0;
    for (uint32_t p = 0; p < 256; p++) {
        common += ports[i][p] < ports[j][p] ? ports[i][p] : ports[j][p];
        all += ports[i][p];
    }
    return 4 * common > all ? common : 0;
}

/* The axis of two that axis i makes a ring of four with, NONE: none. any: ports need not be shared. */
static uint32_t find_second(const struct grid_reading *x, uint32_t (*ports)[256], const bool *used, bool any,
                            uint32_t i)
{
    uint32_t best = NONE;
    uint64_t most = 0;
    for (uint32_t j = i + 1; j < x->n && x->axis[i].extent == 2; j++) {
        if (used[j] || x->axis[j].extent != 2 || x->axis[j].cables != x->axis[i].cables) continue;
        uint64_t common = shared_ports(ports, i, j);
        if (common <= most && (best != NONE || !any)) continue;
        best = j;
        most = common;
    }
    return best;
}

/* First those that share ports; the rest too, if there is a longer ring or some ports were shared. */
static hd_status pair_twos(const struct hd_inference *f, const struct grid_reading *x, struct grid_dimensions *p)
{
    bool used[HD_MAX_DIM] = {false}, rings = false;
    uint32_t(*ports)[256] = hd_alloc(f->arena, x->n, sizeof *ports), second[HD_MAX_DIM];
    if (!ports) return hd_fail_memory(f->ctx);
    count_ports(f, x, ports);
    for (uint32_t i = 0; i < x->n; i++) {
        second[i] = NONE;
        rings = rings || (x->axis[i].wrap == HD_RING && x->axis[i].extent > 4);
    }
    for (int any = 0; any < (rings ? 2 : 1); any++)
        for (uint32_t i = 0; i < x->n; i++) {
            uint32_t j = used[i] ? NONE : find_second(x, ports, used, any, i);
            if (j == NONE) continue;
            second[i] = j;
            used[i] = used[j] = rings = true;
        }
    for (uint32_t i = 0; i < x->n; i++) {
        if (used[i] && second[i] == NONE) continue; /* the second of another */
        p->axis[p->n] = i;
        p->second[p->n++] = second[i];
    }
    return HD_OK;
}

static uint32_t extent_of(const struct grid_reading *x, const struct grid_dimensions *p, uint32_t i)
{
    return p->second[i] == NONE ? x->axis[p->axis[i]].extent : 4;
}

/* Order of dimensions: extent, then wrap, then cables; equal ones in order of the origin's ports. */
static uint64_t grid_rank_of(const struct grid_reading *x, const struct grid_dimensions *p, uint32_t i)
{
    uint64_t wrap = p->second[i] == NONE ? x->axis[p->axis[i]].wrap : HD_RING;
    return ((uint64_t)extent_of(x, p, i) << 2 | wrap) << 8 | x->axis[p->axis[i]].cables;
}

static void sort_by_extent(const struct grid_reading *x, struct grid_dimensions *p)
{
    for (uint32_t i = 1; i < p->n; i++)
        for (uint32_t j = i; j > 0 && grid_rank_of(x, p, j) < grid_rank_of(x, p, j - 1); j--) {
            uint32_t a = p->axis[j], b = p->second[j];
            p->axis[j] = p->axis[j - 1];
            p->second[j] = p->second[j - 1];
            p->axis[j - 1] = a;
            p->second[j - 1] = b;
        }
}

static void set_shape(const struct grid_reading *x, const struct grid_dimensions *p, struct hd_shape *s)
{
    bool cliques = false;
    *s = (struct hd_shape){.kind = HD_SHAPE_GRID, .n = p->n};
    for (uint32_t i = 0; i < x->n; i++) cliques = cliques || x->axis[i].wrap == HD_CLIQUE;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct axis *a = &x->axis[p->axis[i]];
        s->m[i] = extent_of(x, p, i);
        s->p[i] = a->cables;
        s->w[i] = p->second[i] == NONE ? a->wrap : HD_RING;
        /* three in a ring are three in a clique: beside other cliques, the whole is a HyperX */
        if (p->second[i] == NONE && a->wrap == HD_RING && s->m[i] == 3 && cliques) s->w[i] = HD_CLIQUE;
    }
}

static hd_status grid_fill_reading(const struct hd_inference *f, const struct grid_reading *x, struct hd_reading *r)
{
    const struct hd_net *net = f->net;
    struct grid_dimensions p = {0};
    HD_TRY(pair_twos(f, x, &p));
    sort_by_extent(x, &p);
    set_shape(x, &p, &r->shape);
    r->coord = HD_NEW(f->arena, uint16_t, (size_t)(net->nsw + net->nep) * p.n);
    if (!r->coord) return hd_fail_memory(f->ctx);
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t i = 0; i < p.n; i++) {
            uint32_t a = digit_of(x, v, p.axis[i]), b = p.second[i] == NONE ? 0 : digit_of(x, v, p.second[i]);
            r->coord[(size_t)v * p.n + i] = (uint16_t)(b ? 3 - a : a); /* 00 10 11 01 around a ring of four */
        }
    for (uint32_t e = 0; e < net->nep; e++)
        memcpy(r->coord + (size_t)(net->nsw + e) * p.n, r->coord + (size_t)hd_leaf(net, e) * p.n,
               p.n * sizeof *r->coord);
    return HD_OK;
}

/* Reads the switches as a grid, with the cables of g; those of net must then fit. */
static hd_status read_grid(const struct hd_inference *f, const struct hd_fabric *g, struct hd_reading *r)
{
    struct grid_reading x = {.g = g};
    if (!HD_NEW_U32(f->arena, g->n, &x.dist, &x.order, &x.on, &x.digit)) return hd_fail_memory(f->ctx);
    memset(x.on, 0xff, g->n * sizeof *x.on);
    bool found = grid_distances(&x);
    if (found) HD_TRY(find_dimensions(f, &x, &found));
    if (found && !(x.at = HD_NEW(f->arena, uint32_t, (size_t)g->n * x.n))) return hd_fail_memory(f->ctx);
    found = found && place_all(&x);
    if (found) HD_TRY(read_axes(f, &x, &found));
    if (!found) return hd_departs(r, "switch '%.60s': %s", hd_node_label(f->net, x.where), x.why);
    HD_TRY(grid_count_cables(f, &x));
    HD_TRY(grid_fill_reading(f, &x, r));
    return hd_reading_verify(f, r);
}

hd_status hd_infer_grid(const struct hd_inference *f, struct hd_reading *r)
{
    HD_TRY(read_grid(f, &f->g, r));
    if (!r->shape.n) {
        struct hd_reading ports = {.level = r->level};
        HD_TRY(hd_infer_port_grid(f, &ports));
        if (!ports.shape.n) HD_TRY(hd_infer_port_hyperx(f, &ports));
        if (ports.shape.n) *r = ports;
    }
    for (int how = HD_LOST_CORNERS; how <= HD_LOST_ANY && !r->shape.n; how++) {
        struct hd_fabric whole;
        struct hd_reading again = {.level = r->level};
        bool changed = false;
        HD_TRY(hd_infer_lost_cables(f, (enum hd_lost_rule)how, &whole, &changed));
        if (changed) HD_TRY(read_grid(f, &whole, &again));
        if (again.shape.n) *r = again;
    }
    return HD_OK;
}
