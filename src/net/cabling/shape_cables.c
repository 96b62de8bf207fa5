/* SPDX-License-Identifier: BSD-2-Clause */
/* Missing cables by shape, where neighbourhoods have no say: grids, and trees too small for a majority.
 *
 * Ports of a grid follow the direction: port 1 of every switch leads on in the first dimension, port 2 back. So the
 * ports of a missing cable are those that most switches use in its dimension and direction (in a clique: from one digit
 * to the other), if they are free. Otherwise a port is known if it is the only free one. In a tree, a switch that lacks
 * more than half of its cables up or down is no evidence of them: it may be there for another reason.
 * Cost: O(channels * dimensions + 256 * directions). */
#include "base/status.h"
#include "net/cabling/wiring.h"

enum { MOST_DIGITS = 64 }; /* of a clique whose ports are learnt */

struct shape_finder {
    struct hd_wiring *w;
    uint32_t first[HD_MAX_DIM + 1]; /* of the directions of a dimension */
    uint32_t *votes;                /* [directions * 256] */
    uint32_t *all;                  /* [directions] cables */
    bool *promised;                 /* [nsw * 256] */
    uint32_t *lacks;                /* [2 * nsw] cables that a switch of a tree lacks down, and up */
    hd_status status;
};

/* The direction from u to v, which differ in one dimension; HD_NOWHERE: in more, or it is not learnt. */
static uint32_t direction_of(const struct shape_finder *f, uint32_t u, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    const struct hd_shape *s = &net->shape;
    const uint16_t *a = hd_coord(net, u), *b = hd_coord(net, v);
    uint32_t dim = HD_NOWHERE;
    for (uint32_t i = 0; i < s->n; i++) {
        if (a[i] == b[i]) continue;
        if (dim != HD_NOWHERE) return HD_NOWHERE;
        dim = i;
    }
    if (dim == HD_NOWHERE || f->first[dim] == f->first[dim + 1]) return HD_NOWHERE;
    if (s->w[dim] == HD_CLIQUE) return f->first[dim] + a[dim] * s->m[dim] + b[dim];
    return f->first[dim] + ((uint32_t)(b[dim] + s->m[dim] - a[dim]) % s->m[dim] == 1);
}

static hd_status shape_learn(struct shape_finder *f)
{
    const struct hd_net *net = f->w->net;
    const struct hd_shape *s = &net->shape;
    if (s->kind != HD_SHAPE_GRID) return HD_OK;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t n = s->w[i] != HD_CLIQUE ? 2 : s->m[i] <= MOST_DIGITS ? s->m[i] * s->m[i] : 0;
        f->first[i + 1] = f->first[i] + n;
    }
    f->votes = HD_NEW(f->w->arena, uint32_t, (size_t)f->first[s->n] * 256 + 1);
    f->all = HD_NEW(f->w->arena, uint32_t, (size_t)f->first[s->n] + 1);
    if (!f->votes || !f->all) return hd_fail_memory(f->w->ctx);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        uint32_t d = net->head[c] < net->nsw ? direction_of(f, net->tail[c], net->head[c]) : HD_NOWHERE;
        if (d == HD_NOWHERE) continue;
        f->votes[(size_t)d * 256 + net->port[c]]++;
        f->all[d]++;
    }
    return HD_OK;
}

static bool shape_port_is_open(const struct shape_finder *f, uint32_t v, uint32_t port)
{
    return !f->promised[(size_t)v * 256 + port] && hd_wiring_at(f->w->net, v, port) == HD_NOWHERE;
}

static uint32_t parallel_in(const struct shape_finder *f, uint32_t direction)
{
    uint32_t dim = 0;
    while (direction >= f->first[dim + 1]) dim++;
    return f->w->net->shape.p[dim];
}

/* The port of u for a cable to v, which most switches use in that direction; 0: not known. */
static uint8_t shape_port(struct shape_finder *f, uint32_t u, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    uint32_t d = net->shape.kind == HD_SHAPE_GRID ? direction_of(f, u, v) : HD_NOWHERE, best = 0, only = 0, open = 0;
    for (uint32_t p = 1; p <= net->nports[u]; p++) {
        if (!shape_port_is_open(f, u, p)) continue;
        open++;
        only = p;
        if (d == HD_NOWHERE) continue;
        const uint32_t *votes = f->votes + (size_t)d * 256;
        if (2 * votes[p] * parallel_in(f, d) > f->all[d] && (!best || votes[p] > votes[best])) best = p;
    }
    uint32_t port = best ? best : open == 1 ? only : 0;
    if (port) f->promised[(size_t)u * 256 + port] = true;
    return (uint8_t)port;
}

/* Whether the rules of trees say what x and y should have. */
static bool is_ruled(const struct hd_wiring *w, uint32_t u, uint32_t v)
{
    if (!w->tree) return false;
    uint32_t x = w->net->level[u] < w->net->level[v] ? u : v, y = x == u ? v : u;
    if (w->low[x] == HD_NOWHERE || w->low[x] != w->high[y]) return true;
    const struct hd_hood *h = &w->hood[w->low[x]];
    return h->clear && (!h->has_up || w->nhigh[y]) && (!h->has_down || w->nlow[x]);
}

static void shape_count(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    struct shape_finder *f = user;
    bool up = f->w->net->level[u] < f->w->net->level[v];
    f->lacks[2 * (size_t)u + up] += k;
    f->lacks[2 * (size_t)v + !up] += k;
}

/* Whether v has at least as many cables up, or down, as it lacks. */
static bool shape_is_shown(const struct shape_finder *f, uint32_t v, bool up)
{
    const struct hd_net *net = f->w->net;
    uint32_t have = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        have += net->head[c] < net->nsw && (net->level[net->head[c]] > net->level[v]) == up;
    return f->lacks[2 * (size_t)v + up] <= have;
}

static bool shape_is_evident(const struct shape_finder *f, uint32_t u, uint32_t v)
{
    bool up = f->w->net->level[u] < f->w->net->level[v];
    return f->w->net->shape.kind == HD_SHAPE_GRID || (shape_is_shown(f, u, up) && shape_is_shown(f, v, !up));
}

static void shape_add(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    struct shape_finder *f = user;
    if (is_ruled(f->w, u, v) || !shape_is_evident(f, u, v)) return;
    for (uint32_t i = 0; i < k && f->status == HD_OK; i++) {
        uint8_t p = shape_port(f, u, v), q = shape_port(f, v, u);
        f->status = hd_wiring_report(f->w, &(struct hd_cabling_fault){.kind = HD_CABLING_MISSING,
                                                                      .from = hd_plug_at(u, p),
                                                                      .to = hd_plug_at(v, q),
                                                                      .from2 = hd_plug_at(HD_NOWHERE, 0),
                                                                      .to2 = hd_plug_at(HD_NOWHERE, 0),
                                                                      .gain = 1});
    }
}

/* Ports that were promised by rule stay so. */
static void shape_take_promised(struct shape_finder *f)
{
    for (uint32_t i = 0; i < f->w->nfault; i++) {
        const struct hd_cabling_fault *x = &f->w->fault[i];
        if (x->kind != HD_CABLING_MISSING) continue;
        f->promised[(size_t)x->from.node * 256 + x->from.port] = true;
        f->promised[(size_t)x->to.node * 256 + x->to.port] = true;
    }
}

hd_status hd_shape_cables_find(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct shape_finder f = {.w = w, .status = HD_OK};
    if (!net->shape.missing) return HD_OK;
    f.promised = HD_NEW(w->arena, bool, (size_t)net->nsw * 256);
    f.lacks = HD_NEW(w->arena, uint32_t, 2 * (size_t)net->nsw);
    if (!f.promised || !f.lacks) return hd_fail_memory(w->ctx);
    HD_TRY(shape_learn(&f));
    shape_take_promised(&f);
    HD_TRY(hd_shape_each_missing(w->ctx, net, shape_count, &f));
    HD_TRY(hd_shape_each_missing(w->ctx, net, shape_add, &f));
    return f.status;
}
