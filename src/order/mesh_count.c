/* SPDX-License-Identifier: BSD-2-Clause */
/* How long one step of a mesh takes on its busiest channels, and a bound that holds for every order. All groups of a
 * kind communicate at once, kinds one after the other; so a step is the sum over kinds of the largest load, relative to
 * the rates of channels. Pairs with several paths split evenly. O(flows * hops).
 * The bound of a kind is the larger of two: what an adapter sends or receives, and what must leave a leaf switch. In
 * each rail the flows of a kind fall into components of places; where all have one size g, h nodes on a leaf switch
 * hold at least one component in part if g does not divide h, and at least one flow leaves it; if components are
 * all-to-alls, r(g-r) do, r the remainder, since x(g-x) is concave. */
#include "base/status.h"
#include "order/mesh_job.h"
#include "net/core/link_usual.h"
#include "route/core/routes_view.h"

#include <math.h>
#include <string.h>

double hd_mesh_rate(const struct hd_job_view *view)
{
    uint32_t often[HD_LINK_CODES] = {0};
    const struct hd_net *net = view->net;
    for (size_t i = 0; i < (size_t)view->nodes->n * view->nodes->nrail; i++)
        often[net->link[net->off[net->nsw + view->nodes->ep[i]]]]++;
    return hd_link_mbps(hd_link_usual(often, NULL)) / 1000.0;
}

/* Seconds of so many bytes on a cable of the usual rate. */
static double mesh_seconds(double bytes, double gbps)
{
    return bytes * 8 / ((gbps > 0 ? gbps : 100) * 1e9);
}

/* ---- counting ------------------------------------------------------------------------------- */

static hd_status mesh_add_flow(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_flow *f,
                               const uint32_t *order, double *load)
{
    uint32_t a = order ? order[f->from] : f->from, b = order ? order[f->to] : f->to, chan[HD_MAX_HOPS];
    uint32_t s = hd_job_view_ep(view, a, f->rail), d = hd_job_view_ep(view, b, f->rail);
    uint32_t paths = hd_routes_paths_per_pair(view->routes);
    for (uint32_t v = 0; v < paths; v++) {
        uint32_t hops = hd_routes_path(view->routes, s, d, paths > 1 ? v : hd_routes_variant(view->routes, s, d), chan);
        if (!hops)
            return hd_fail(ctx, HD_INPUT, "%.200s has no path from node %.80s to node %.80s on rail %u",
                           hd_routes_spec(view->routes), hd_host_name(view->net, view->nodes->host[a]),
                           hd_host_name(view->net, view->nodes->host[b]), view->net->rail[s]);
        for (uint32_t h = 0; h < hops; h++) load[chan[h]] += (double)f->bytes / paths;
    }
    return HD_OK;
}

/* Largest load relative to rates; the loads are cleared. */
static double take_largest(const struct hd_job_view *view, double *load)
{
    const struct hd_rates *rates = view->rates;
    double most = 0;
    for (uint32_t c = 0; c < view->net->nchan; c++) {
        double x = rates->factor ? load[c] * rates->factor[c] / rates->scale : load[c];
        if (x > most) most = x;
    }
    memset(load, 0, view->net->nchan * sizeof *load);
    return most;
}

hd_status hd_mesh_count(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                        const uint32_t *order, double gbps, struct hd_mesh_row *row)
{
    struct hd_arena a = {0};
    double *load = HD_NEW(&a, double, (size_t)view->net->nchan + 1);
    hd_status s = load ? HD_OK : hd_fail_memory(ctx);
    row->step = 0;
    memset(row->kind, 0, sizeof row->kind);
    for (size_t i = 0; i < job->nflow && s == HD_OK; i++) {
        const struct hd_mesh_flow *f = &job->flow[i];
        s = mesh_add_flow(ctx, view, f, order, load);
        if (s != HD_OK || (i + 1 < job->nflow && job->flow[i + 1].kind == f->kind)) continue;
        row->kind[f->kind] = mesh_seconds(take_largest(view, load), gbps);
        row->step += row->kind[f->kind];
    }
    hd_arena_release(&a);
    return s;
}

/* ---- the bound ------------------------------------------------------------------------------ */

struct mesh_bounder {
    const struct hd_job_view *view;
    const struct hd_mesh_job *job;
    uint32_t *above;        /* [n] union-find of places */
    uint32_t *members;      /* [n] of a component, at its root */
    uint64_t *sent, *taken; /* [n] bytes of a place */
    double *leaves;         /* [nleaf] bytes that must leave a leaf switch, of one kind */
    uint32_t *held;         /* [nleaf] nodes on it in a rail */
};

static uint32_t root_of(struct mesh_bounder *b, uint32_t i)
{
    while (b->above[i] != i) i = b->above[i] = b->above[b->above[i]];
    return i;
}

struct component {  /* of one kind on one rail */
    uint32_t size;  /* 0: of several sizes */
    bool complete;  /* all-to-all, all flows alike */
    uint64_t least; /* bytes of the smallest flow */
};

static struct component find_components(struct mesh_bounder *b, const struct hd_mesh_flow *flow, size_t n)
{
    struct component c = {.complete = true, .least = UINT64_MAX};
    for (uint32_t i = 0; i < b->job->n; i++) {
        b->above[i] = i;
        b->members[i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t x = root_of(b, flow[i].from), y = root_of(b, flow[i].to);
        b->above[x] = y;
        if (flow[i].bytes < c.least) c.least = flow[i].bytes;
        c.complete &= flow[i].bytes == flow[0].bytes;
    }
    for (uint32_t i = 0; i < b->job->n; i++) b->members[root_of(b, i)]++;
    uint32_t size = b->members[root_of(b, 0)];
    c.size = size;
    for (uint32_t i = 0; i < b->job->n; i++)
        if (b->members[root_of(b, i)] != size) c.size = 0;
    c.complete &= n == (size_t)b->job->n * (size - 1);
    return c;
}

/* What some adapter of a rail needs for its bytes: the busiest place has at best the fastest adapter, and the slowest
 * one serves at least the idlest place. */
static double bound_adapters(const struct mesh_bounder *b, uint32_t rail)
{
    const struct hd_rates *rates = b->view->rates;
    const struct hd_net *net = b->view->net;
    double fast = INFINITY, slow = 0, most = 0, least = INFINITY;
    for (uint32_t i = 0; i < b->job->n; i++) {
        uint32_t c = net->off[net->nsw + hd_job_view_ep(b->view, i, rail)];
        double x = rates->factor ? (double)rates->factor[c] / rates->scale : 1;
        double bytes = (double)(b->sent[i] > b->taken[i] ? b->sent[i] : b->taken[i]);
        fast = fmin(fast, x);
        slow = fmax(slow, x);
        most = fmax(most, bytes);
        least = fmin(least, bytes);
    }
    return fmax(most * fast, least * slow);
}

/* The flows of one kind on one rail: adds what must leave each leaf switch. */
static double bound_rail(struct mesh_bounder *b, const struct hd_mesh_flow *flow, size_t n)
{
    uint32_t nrail = b->job->nrail;
    memset(b->sent, 0, b->job->n * sizeof *b->sent);
    memset(b->taken, 0, b->job->n * sizeof *b->taken);
    for (size_t i = 0; i < n; i++) {
        b->sent[flow[i].from] += flow[i].bytes;
        b->taken[flow[i].to] += flow[i].bytes;
    }
    double most = bound_adapters(b, flow->rail);
    struct component c = find_components(b, flow, n);
    if (c.size < 2) return most;
    memset(b->held, 0, b->view->nleaf * sizeof *b->held);
    for (uint32_t i = 0; i < b->job->n; i++) b->held[b->view->leaf[(size_t)i * nrail + flow->rail]]++;
    for (uint32_t leaf = 0; leaf < b->view->nleaf; leaf++) {
        uint32_t rest = b->held[leaf] % c.size;
        if (rest) b->leaves[leaf] += (double)c.least * (c.complete ? (double)rest * (c.size - rest) : 1);
    }
    return most;
}

/* Rate of all cables of a leaf switch to other switches, relative to the usual one. */
static double leaf_rate(const struct hd_job_view *view, uint32_t leaf)
{
    const struct hd_net *net = view->net;
    uint32_t sw = view->leaf_sw[leaf];
    double sum = 0;
    for (uint32_t c = net->off[sw]; c < net->off[sw + 1]; c++)
        if (net->head[c] < net->nsw)
            sum += view->rates->factor ? (double)view->rates->scale / view->rates->factor[c] : 1;
    return sum;
}

static double bound_kind(struct mesh_bounder *b, const struct hd_mesh_flow *flow, size_t n)
{
    double most = 0;
    memset(b->leaves, 0, b->view->nleaf * sizeof *b->leaves);
    for (size_t from = 0, end = 0; from < n; from = end) {
        while (end < n && flow[end].rail == flow[from].rail) end++;
        most = fmax(most, bound_rail(b, flow + from, end - from));
    }
    for (uint32_t leaf = 0; leaf < b->view->nleaf; leaf++) {
        double rate = leaf_rate(b->view, leaf);
        if (rate > 0) most = fmax(most, b->leaves[leaf] / rate);
    }
    return most;
}

hd_status hd_mesh_bound(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job, double gbps,
                        struct hd_mesh_row *row)
{
    struct hd_arena a = {0};
    struct mesh_bounder b = {.view = view, .job = job};
    b.above = HD_NEW(&a, uint32_t, job->n);
    b.members = HD_NEW(&a, uint32_t, job->n);
    b.sent = HD_NEW(&a, uint64_t, job->n);
    b.taken = HD_NEW(&a, uint64_t, job->n);
    b.leaves = HD_NEW(&a, double, view->nleaf);
    b.held = HD_NEW(&a, uint32_t, view->nleaf);
    hd_status s = b.above && b.members && b.sent && b.taken && b.leaves && b.held ? HD_OK : hd_fail_memory(ctx);
    *row = (struct hd_mesh_row){.name = "bound"};
    for (size_t from = 0, end = 0; from < job->nflow && s == HD_OK; from = end) {
        while (end < job->nflow && job->flow[end].kind == job->flow[from].kind) end++;
        uint32_t kind = job->flow[from].kind;
        row->kind[kind] = mesh_seconds(bound_kind(&b, job->flow + from, end - from), gbps);
        row->step += row->kind[kind];
    }
    hd_arena_release(&a);
    return s;
}

/* ---- cuts of an order ----------------------------------------------------------------------- */

/* Adds the flows of one kind to what leaves and enters leaf switches: left[0 .. nleaf-1] and left[nleaf ..]. */
static double cut_kind(const struct hd_job_view *view, const struct hd_mesh_flow *flow, size_t n, const uint32_t *order,
                       double *left)
{
    double moved = 0;
    memset(left, 0, 2 * (size_t)view->nleaf * sizeof *left);
    for (size_t i = 0; i < n; i++) {
        uint32_t nrail = view->nodes->nrail, a = view->leaf[(size_t)order[flow[i].from] * nrail + flow[i].rail],
                 b = view->leaf[(size_t)order[flow[i].to] * nrail + flow[i].rail];
        if (a == b) continue;
        left[a] += (double)flow[i].bytes;
        left[view->nleaf + b] += (double)flow[i].bytes;
        moved += (double)flow[i].bytes;
    }
    return moved;
}

hd_status hd_mesh_cut(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                      const uint32_t *order, double gbps, const struct hd_mesh_row *bound, struct hd_mesh_cut *cut)
{
    struct hd_arena a = {0};
    double *left = HD_NEW(&a, double, 2 * (size_t)view->nleaf), *rate = HD_NEW(&a, double, view->nleaf);
    hd_status s = left && rate ? HD_OK : hd_fail_memory(ctx);
    *cut = (struct hd_mesh_cut){0};
    for (uint32_t leaf = 0; leaf < view->nleaf && s == HD_OK; leaf++) rate[leaf] = leaf_rate(view, leaf);
    for (size_t from = 0, end = 0; from < job->nflow && s == HD_OK; from = end) {
        double most = 0;
        while (end < job->nflow && job->flow[end].kind == job->flow[from].kind) end++;
        cut->moved += cut_kind(view, job->flow + from, end - from, order, left);
        for (uint32_t i = 0; i < 2 * view->nleaf; i++)
            if (rate[i % view->nleaf] > 0) most = fmax(most, left[i] / rate[i % view->nleaf]);
        cut->step += fmax(mesh_seconds(most, gbps), bound->kind[job->flow[from].kind]);
    }
    hd_arena_release(&a);
    return s;
}
