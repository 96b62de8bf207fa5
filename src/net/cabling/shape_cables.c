/* SPDX-License-Identifier: BSD-2-Clause */
/* Missing cables by shape, where no rule has a say: grids whose ports follow none, and trees too small for a majority.
 *
 * A port is known if it is the only free one, unless most ports of a grid follow a rule. In a tree, a switch that lacks
 * more than half of its cables up or down is no evidence of them: it may be there for another reason. A cable that the
 * rules ask for too was judged by them (judge_cables.c) and is not reported again.
 * Cost: O(channels * dimensions + 256 * switches + lacking cables log lacking cables). */
#include "base/keyed.h"
#include "base/status.h"
#include "net/cabling/wiring.h"

struct shape_finder {
    struct hd_wiring *w;
    bool *promised;          /* [nsw * 256] */
    uint32_t *lacks;         /* [2 * nsw] cables that a switch of a tree lacks down, and up */
    struct hd_keyed *judged; /* [nlack] the two switches of the cables that lack by rule: sorted */
    hd_status status;
};

static bool shape_port_is_open(const struct shape_finder *f, uint32_t v, uint32_t port)
{
    return !f->promised[(size_t)v * 256 + port] && hd_wiring_at(f->w->net, v, port) == HD_NOWHERE;
}

/* The only free port of a switch; 0: there is none or more than one. */
static uint8_t shape_port(struct shape_finder *f, uint32_t u)
{
    uint32_t only = 0, open = 0;
    if (f->w->grid && f->w->grid->follow) return 0; /* a rule that does not know it */
    for (uint32_t p = 1; p <= f->w->net->nports[u]; p++) {
        if (!shape_port_is_open(f, u, p)) continue;
        open++;
        only = p;
    }
    if (open != 1) return 0;
    f->promised[(size_t)u * 256 + only] = true;
    return (uint8_t)only;
}

/* Whether the rules say what u and v should have. */
static bool is_ruled(const struct hd_wiring *w, uint32_t u, uint32_t v)
{
    uint32_t d = w->grid ? hd_grid_direction(w, u, v) : HD_NOWHERE;
    if (w->grid) return d != HD_NOWHERE && w->grid->at[d].n;
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
    if (f->w->grid) return hd_grid_is_evident(f->w, u, v);
    return (shape_is_shown(f, u, up) && shape_is_shown(f, v, !up));
}

static uint64_t pair_key(uint32_t u, uint32_t v)
{
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

static hd_status shape_list_judged(struct shape_finder *f)
{
    const struct hd_wiring *w = f->w;
    f->judged = HD_NEW(w->arena, struct hd_keyed, w->nlack);
    if (!f->judged) return hd_fail_memory(w->ctx);
    for (uint32_t i = 0; i < w->nlack; i++)
        f->judged[i] = (struct hd_keyed){pair_key(w->lack[i].at[0].v, w->lack[i].at[1].v), i};
    hd_keyed_sort(f->judged, w->nlack, sizeof *f->judged);
    return HD_OK;
}

/* Cables that u and v lack by rule. */
static uint32_t shape_judged(const struct shape_finder *f, uint32_t u, uint32_t v)
{
    const uint64_t key = pair_key(u, v);
    const uint32_t first = hd_lower_bound(f->judged, f->w->nlack, sizeof *f->judged, key);
    uint32_t n = 0;
    while (first + n < f->w->nlack && f->judged[first + n].key == key) n++;
    return n;
}

static void shape_add(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    struct shape_finder *f = user;
    if (is_ruled(f->w, u, v) || !shape_is_evident(f, u, v)) return;
    for (uint32_t i = shape_judged(f, u, v); i < k && f->status == HD_OK; i++) {
        uint8_t p = shape_port(f, u), q = shape_port(f, v);
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
    shape_take_promised(&f);
    HD_TRY(shape_list_judged(&f));
    HD_TRY(hd_shape_each_missing(w->ctx, net, shape_count, &f));
    HD_TRY(hd_shape_each_missing(w->ctx, net, shape_add, &f));
    return f.status;
}
