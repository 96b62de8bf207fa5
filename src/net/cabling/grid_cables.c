/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables of tori, meshes, hypercubes and HyperX that should be there and are not, those that should not be there, and
 * switches that are gone.
 *
 * A cable that connects no neighbours is a stray, and so is one more than a pair should have. A pair of neighbours with
 * too few cables lacks some, in the ports that the rule of the direction names (grid_rule.c). Both are held against
 * each other (judge_cables.c). Where a direction has no rule nothing is said here: shape_cables.c does. A place of the
 * grid without a switch, towards which most of its neighbours have free ports, is a switch that is gone; many such
 * places were never filled. Cost: O((channels + places) * dimensions). */
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/shape.h"

#include <string.h>

struct grid_finder {
    struct hd_wiring *w;
    struct hd_judge judge;
    struct hd_shape_index index;
    uint32_t *have;            /* [nsw] cables from the current switch; zero between switches */
    uint32_t most[HD_MAX_DIM]; /* cables that a pair may have */
};

/* The digit that lies k-th from x in a dimension: on and back, or all others of a clique; HD_NOWHERE: no more. */
static uint32_t grid_digit(const struct hd_shape *s, uint32_t i, uint32_t x, uint32_t k)
{
    uint32_t m = s->m[i];
    if (s->w[i] == HD_CLIQUE) return k + 1 >= m ? HD_NOWHERE : k < x ? k : k + 1;
    if (k > 1 || m == 1 || (m == 2 && k == 1)) return HD_NOWHERE;
    if (m == 2) return 1 - x;
    return k == 0 ? (x + 1) % m : (x + m - 1) % m;
}

static bool grid_wraps(const struct hd_shape *s, uint32_t i, uint32_t x, uint32_t y)
{
    return s->w[i] == HD_LINE && s->m[i] > 2 && (x > y ? x - y : y - x) != 1;
}

/* The rule for cables from u to v; NULL: there is none. */
static const struct hd_grid_ports *grid_ports(const struct hd_wiring *w, uint32_t u, uint32_t v)
{
    uint32_t d = hd_grid_direction(w, u, v);
    return d == HD_NOWHERE || !w->grid->at[d].n ? NULL : &w->grid->at[d];
}

static uint32_t grid_ports_towards(const struct hd_judge *k, uint32_t v, uint32_t u, uint8_t list[256])
{
    const struct hd_grid_ports *ports = grid_ports(k->w, v, u);
    if (ports) memcpy(list, ports->port, ports->n);
    return ports ? ports->n : 0;
}

/* ---- cables ----------------------------------------------------------------------------------- */

static void grid_forget(struct grid_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw) f->have[net->head[c]] = 0;
}

/* A pair may have more than the usual number of cables where a tenth of the cables of its dimension is beyond it. */
static void grid_find_most(struct grid_finder *f)
{
    const struct hd_net *net = f->w->net;
    const struct hd_shape *s = &net->shape;
    uint64_t all[HD_MAX_DIM] = {0}, beyond[HD_MAX_DIM] = {0};
    for (uint32_t v = 0; v < net->nsw; v++) {
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t i = net->head[c] < net->nsw ? hd_grid_dimension(net, c) : UINT32_MAX;
            if (i == UINT32_MAX) continue;
            all[i]++;
            beyond[i] += ++f->have[net->head[c]] > s->p[i];
        }
        grid_forget(f, v);
    }
    for (uint32_t i = 0; i < s->n; i++) f->most[i] = 10 * beyond[i] > all[i] ? UINT32_MAX : s->p[i];
}

/* Strays are set aside; what a pair has beyond its number, in other ports than those of the rule, is surplus. */
static void grid_mark(struct grid_finder *f, uint32_t v)
{
    struct hd_wiring *w = f->w;
    const struct hd_net *net = w->net;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (net->head[c] >= net->nsw) continue;
        if (hd_grid_dimension(net, c) == UINT32_MAX)
            w->wire[c] = HD_WIRE_ASIDE;
        else
            f->have[net->head[c]]++;
    }
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t u = net->head[c];
        const struct hd_grid_ports *ports = u > v && u < net->nsw && f->have[u] ? grid_ports(w, v, u) : NULL;
        if (!ports || f->have[u] <= f->most[hd_grid_dimension(net, c)] || hd_grid_has(ports, net->port[c])) continue;
        f->have[u]--;
        w->wire[c] = w->wire[net->rev[c]] = HD_WIRE_SURPLUS;
    }
    grid_forget(f, v);
}

/* A cable from v to u lacks, in the ports that the rule names: the pair of which most is open. */
static hd_status grid_lacks(struct grid_finder *f, uint32_t v, uint32_t u, const struct hd_grid_ports *ports)
{
    uint32_t best = 0, most = 0;
    struct hd_slot a = {v, 0}, b = {u, 0};
    for (uint32_t i = 0; i < ports->n; i++) {
        bool near = hd_judge_is_open(&f->judge, v, ports->port[i]), far = hd_judge_is_open(&f->judge, u, ports->far[i]);
        if ((uint32_t)near + far <= most) continue;
        most = (uint32_t)near + far;
        best = i;
    }
    if (hd_judge_is_open(&f->judge, v, ports->port[best])) a.port = ports->port[best];
    if (hd_judge_is_open(&f->judge, u, ports->far[best])) b.port = ports->far[best];
    HD_TRY(hd_judge_lacks(&f->judge, a, b));
    f->w->lack[f->w->nlack - 1].doubtful = !hd_grid_is_evident(f->w, u, v);
    return HD_OK;
}

/* Pairs of v with a higher switch. */
static hd_status grid_lacking(struct grid_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    const struct hd_shape *s = &net->shape;
    uint16_t at[HD_MAX_DIM];
    memcpy(at, hd_coord(net, v), s->n * sizeof *at);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw && f->w->wire[c] == HD_WIRE_FINE) f->have[net->head[c]]++;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t x = at[i], y;
        for (uint32_t k = 0; (y = grid_digit(s, i, x, k)) != HD_NOWHERE; k++) {
            at[i] = (uint16_t)y;
            uint32_t u = grid_wraps(s, i, x, y) ? HD_NOWHERE : hd_shape_find(&f->index, 0, at);
            const struct hd_grid_ports *ports = u == HD_NOWHERE || u < v ? NULL : grid_ports(f->w, v, u);
            for (uint32_t n = ports ? f->have[u] : 0; ports && n < ports->n; n++) HD_TRY(grid_lacks(f, v, u, ports));
        }
        at[i] = (uint16_t)x;
    }
    grid_forget(f, v);
    return HD_OK;
}

/* ---- switches that are gone ------------------------------------------------------------------- */

static hd_status add_lost_cables(struct grid_finder *f, uint32_t v, const struct hd_grid_ports *ports, uint32_t *open)
{
    struct hd_wiring *w = f->w;
    for (uint32_t i = 0; i < ports->n; i++) {
        uint32_t c = hd_wiring_at(w->net, v, ports->port[i]);
        *open += c == HD_NOWHERE || w->wire[c] != HD_WIRE_FINE;
        if (!HD_MORE(w->keep, w->lost, w->nlost, w->lost_room)) return hd_fail_memory(w->ctx);
        w->lost[w->nlost++] =
            (struct hd_lost_cable){hd_plug_at(v, ports->port[i]), hd_plug_at(HD_NOWHERE, ports->far[i])};
    }
    return HD_OK;
}

static hd_status grid_report_dead(struct grid_finder *f, uint16_t *at)
{
    struct hd_wiring *w = f->w;
    const struct hd_shape *s = &w->net->shape;
    uint32_t first = w->nlost, open = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t x = at[i], y;
        for (uint32_t k = 0; (y = grid_digit(s, i, x, k)) != HD_NOWHERE; k++) {
            at[i] = (uint16_t)y;
            uint32_t v = grid_wraps(s, i, x, y) ? HD_NOWHERE : hd_shape_find(&f->index, 0, at);
            uint32_t d = v == HD_NOWHERE ? HD_NOWHERE : hd_grid_direction_along(w, i, y, x);
            if (d != HD_NOWHERE) HD_TRY(add_lost_cables(f, v, &w->grid->at[d], &open));
        }
        at[i] = (uint16_t)x;
    }
    return hd_wiring_report_dead(w, first, open);
}

/* Places without a switch, if they are few. */
static hd_status grid_find_dead(struct grid_finder *f)
{
    const struct hd_net *net = f->w->net;
    const struct hd_shape *s = &net->shape;
    uint64_t places = 1;
    uint16_t at[HD_MAX_DIM] = {0};
    const uint32_t present = hd_placed(net);
    for (uint32_t i = 0; i < s->n; i++) {
        places *= s->m[i];
        if (!hd_grid_is_full(places, present)) return HD_OK;
    }
    for (uint64_t k = 0; k < places && places > present; k++) {
        if (hd_shape_find(&f->index, 0, at) == UINT32_MAX) HD_TRY(grid_report_dead(f, at));
        for (uint32_t i = 0; i < s->n && ++at[i] == s->m[i]; i++) at[i] = 0;
    }
    return HD_OK;
}

hd_status hd_grid_cables_find(struct hd_wiring *w)
{
    struct grid_finder f = {.w = w, .judge = {.ports = grid_ports_towards}};
    if (!w->grid) return HD_OK;
    HD_TRY(hd_judge_init(w, &f.judge));
    HD_TRY(hd_shape_index(w->ctx, w->arena, w->net, &f.index));
    if (!(f.have = HD_NEW(w->arena, uint32_t, w->net->nsw))) return hd_fail_memory(w->ctx);
    grid_find_most(&f);
    for (uint32_t v = 0; v < w->net->nsw; v++)
        if (!w->net->unplaced[v]) grid_mark(&f, v);
    for (uint32_t v = 0; v < w->net->nsw; v++)
        if (!w->net->unplaced[v]) HD_TRY(grid_lacking(&f, v));
    HD_TRY(hd_judge_cables(&f.judge));
    return grid_find_dead(&f);
}
