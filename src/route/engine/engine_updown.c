/* SPDX-License-Identifier: BSD-2-Clause */
/* Up/down routing: no route ever turns from a downward into an upward channel, so nothing can deadlock.
 *
 * Switches are in one line: by distance from the roots, ties by number. A channel towards the front is up, every other
 * is down. An entry cannot know where a packet came from, so for each destination a switch is either "down" (it goes
 * on downwards only) or "up", and a down switch may only lead to down switches. From the front of the line to its end,
 * with `down` the length of the shortest path down:
 *     up path = 1 + least length of an upper neighbour, which is already known
 *     down    if that is no longer than the up path, or if a down switch above needs this one (it is on a shortest
 *             path down from there); then all switches on its shortest paths down are needed
 *     up      otherwise
 * Every switch gets the shortest path that this leaves it. Among equal paths the one with the smallest sum of loads is
 * taken, and the destination's traffic is added to the loads (weighted_tree.h).
 *
 * kernel/updown_order.c makes up/down rows too. It is the last resort of engines that run out of VLs: one root, rows
 * one at a time in any order, for which any row of the same order is legal together with any other; paths may be
 * longer. Here all destinations are routed together, over several roots and with balanced loads.
 *
 * Aggregation nodes on spines may have no such path to each other: they get another one where that needs no further VL
 * (settle_rest.h).
 *
 * ar_updn is the same with groups: a switch may take any link that begins a path it could take, so every choice is up
 * first and then down, and the table's own entries are the static ports.
 * Cost O(L channels + endpoints * candidates), L switches with endpoints.
 * Schroeder et al.: Autonet; the choice between up and down is our own. */
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"
#include "route/engine/settle_rest.h"
#include "route/kernel/weighted_tree.h"
#include "route/core/groups.h"
#include "route/core/leaf_order.h"
#include "route/kernel/root_switches.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 32 };

struct updown_run {
    const struct hd_net *net;
    uint32_t nparts;
    uint32_t *part;  /* [nsw] connected component */
    bool *root;      /* [nsw] */
    uint32_t *line;  /* [nsw] the switches, front first */
    uint32_t *at;    /* [nsw] position in line */
    uint32_t *hosts; /* [nsw] endpoints of a switch */
    uint32_t *queue; /* [nsw] */
    struct hd_links links;
    uint8_t *bar; /* [links] 0: the link is up, 255: down */
    struct hd_grow grow;

    /* towards the current target */
    uint8_t *down;     /* [nsw] shortest path down, HD_FAR: none */
    uint8_t *length;   /* [nsw] of the path taken, HD_FAR: none */
    bool *needed;      /* [nsw] */
    struct hd_dag dag; /* switches that have a path, shortest first, and the links that begin one */

    /* to find the centre */
    uint32_t *histogram; /* [nsw * BINS] endpoints by distance */
    uint64_t *sum;       /* [nsw] of distances */
    uint32_t *within;    /* [nsw] how far three quarters of the endpoints are at most */
};

static hd_status updown_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct updown_run *w)
{
    uint32_t n = net->nsw;
    *w = (struct updown_run){.net = net,
                             .root = HD_NEW(a, bool, n),
                             .down = HD_NEW(a, uint8_t, n),
                             .length = HD_NEW(a, uint8_t, n),
                             .needed = HD_NEW(a, bool, n),
                             .histogram = HD_NEW(a, uint32_t, (size_t)n * BINS),
                             .sum = HD_NEW(a, uint64_t, n)};
    HD_TRY(hd_links_init(ctx, a, net, &w->links));
    HD_TRY(hd_grow_init(ctx, a, &w->links, &w->grow));
    HD_TRY(hd_dag_init(ctx, a, &w->links, &w->dag));
    w->bar = HD_NEW(a, uint8_t, w->links.n);
    w->hosts = w->grow.sources;
    if (!w->root || !w->down || !w->length || !w->needed || !w->histogram || !w->sum || !w->bar ||
        !HD_NEW_U32(a, n, &w->part, &w->line, &w->at, &w->queue, &w->within))
        return hd_fail_memory(ctx);
    /* Routers and aggregation nodes are routed to, but must not decide about roots. */
    for (uint32_t e = 0; e < net->nep; e++) w->hosts[hd_leaf(net, e)] += net->ca_role[net->ca[e]] == HD_ROLE_HOST;
    memset(w->part, 0xff, n * sizeof *w->part);
    for (uint32_t v = 0; v < n; v++) {
        if (w->part[v] != UINT32_MAX) continue;
        uint32_t reached = hd_dist_from(net, v, w->down, w->queue);
        for (uint32_t i = 0; i < reached; i++) w->part[w->queue[i]] = w->nparts;
        w->nparts++;
    }
    return HD_OK;
}

/* ---- roots --------------------------------------------------------------------------------- */

/* Whether the component is layered: every cable connects neighbouring levels, and there are several. */
static bool is_layered(const struct updown_run *w, uint32_t part, uint8_t *top)
{
    const struct hd_net *net = w->net;
    uint8_t low = 255;
    *top = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint8_t l = net->level[v];
        if (w->part[v] != part) continue;
        if (l == HD_NO_LEVEL) return false;
        if (l > *top) *top = l;
        if (l < low) low = l;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] < net->nsw && abs(net->level[net->head[c]] - l) != 1) return false;
    }
    return low < *top;
}

/* Sums up distances to the endpoints of a component: w->sum[v], and in w->within[v] how far three quarters of
 * them are at most. At most 1024 switches with endpoints are looked at, evenly chosen. */
static void measure_distances(struct updown_run *w, uint32_t part)
{
    const struct hd_net *net = w->net;
    uint32_t targets = 0, seen = 0, hosts = 0;
    memset(w->sum, 0, net->nsw * sizeof *w->sum);
    memset(w->histogram, 0, (size_t)net->nsw * BINS * sizeof *w->histogram);
    for (uint32_t t = 0; t < net->nsw; t++) targets += w->part[t] == part && w->hosts[t];
    for (uint32_t t = 0; t < net->nsw; t++) {
        if (w->part[t] != part || !w->hosts[t]) continue;
        uint64_t sample = seen++ * 1024ull / targets;
        if (targets > 1024 && sample == seen * 1024ull / targets) continue;
        uint32_t n = hd_dist_from(net, t, w->down, w->queue);
        hosts += w->hosts[t];
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = w->queue[i], far = w->down[v] < BINS ? w->down[v] : BINS - 1;
            w->sum[v] += (uint64_t)w->down[v] * w->hosts[t];
            w->histogram[(size_t)v * BINS + far] += w->hosts[t];
        }
    }
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint64_t met = 0;
        for (w->within[v] = 0; w->within[v] < BINS; w->within[v]++)
            if ((met += w->histogram[(size_t)v * BINS + w->within[v]]) * 4 >= hosts * 3ull) break;
    }
}

/* The most central switch of a component, or of its roots. */
static uint32_t find_center(const struct updown_run *w, uint32_t part, bool among_roots)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t v = 0; v < w->net->nsw; v++) {
        if (w->part[v] != part || (among_roots && !w->root[v])) continue;
        if (best == UINT32_MAX || w->within[v] < w->within[best] ||
            (w->within[v] == w->within[best] && w->sum[v] < w->sum[best]))
            best = v;
    }
    return best;
}

/* All switches as near as the centre: the top of what looks like a tree, where no two are connected. */
static void set_centers(struct updown_run *w, uint32_t part)
{
    const struct hd_net *net = w->net;
    measure_distances(w, part);
    uint32_t best = find_center(w, part, false);
    bool adjacent = false;
    for (uint32_t v = 0; v < net->nsw; v++) w->root[v] |= w->part[v] == part && w->within[v] == w->within[best];
    for (uint32_t c = 0; c < net->nchan && !adjacent; c++)
        adjacent = net->tail[c] < net->nsw && net->head[c] < net->nsw && w->part[net->tail[c]] == part &&
                   w->root[net->tail[c]] && w->root[net->head[c]];
    for (uint32_t v = 0; adjacent && v < net->nsw; v++)
        if (w->part[v] == part) w->root[v] = v == best;
}

/* Every component without a given root gets its own: the top level where it is layered, else its centres. */
static void find_roots(struct updown_run *w)
{
    const struct hd_net *net = w->net;
    for (uint32_t part = 0; part < w->nparts; part++) {
        uint8_t top;
        bool given = false;
        for (uint32_t v = 0; v < net->nsw; v++) given |= w->part[v] == part && w->root[v];
        if (given) continue;
        if (!is_layered(w, part, &top))
            set_centers(w, part);
        else
            for (uint32_t v = 0; v < net->nsw; v++) w->root[v] |= w->part[v] == part && net->level[v] == top;
    }
}

static hd_status make_line(struct hd_ctx *ctx, struct hd_arena *scratch, struct updown_run *w)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0, *rank = w->at, *begin = HD_NEW(scratch, uint32_t, net->nsw + 1);
    if (!begin) return hd_fail_memory(ctx);
    memset(rank, 0xff, net->nsw * sizeof *rank);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (w->root[v]) rank[v] = 0, w->queue[n++] = v;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[w->queue[i]]; c < net->off[w->queue[i] + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || rank[u] != UINT32_MAX) continue;
            rank[u] = rank[w->queue[i]] + 1;
            w->queue[n++] = u;
        }
    for (uint32_t v = 0; v < net->nsw; v++) begin[rank[v] + 1]++;
    for (uint32_t i = 0; i < net->nsw; i++) begin[i + 1] += begin[i];
    for (uint32_t v = 0; v < net->nsw; v++) w->line[begin[rank[v]]++] = v;
    for (uint32_t i = 0; i < net->nsw; i++) w->at[w->line[i]] = i;
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t a = w->links.first[v]; a < w->links.first[v + 1]; a++)
            w->bar[a] = w->at[w->links.head[a]] < w->at[v] ? 0 : 255;
    return HD_OK;
}

/* ---- one target ---------------------------------------------------------------------------- */

/* Shortest paths down to t: a search from t along links whose other direction is down. */
static void search_down(struct updown_run *w, uint32_t t)
{
    const struct hd_links *l = &w->links;
    uint32_t n = 0;
    memset(w->down, HD_FAR, w->net->nsw);
    w->down[t] = 0;
    w->queue[n++] = t;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = w->queue[i];
        if (w->down[v] == HD_FAR - 1) break;
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) {
            uint32_t u = l->head[a];
            if (w->bar[a] || w->down[u] != HD_FAR) continue;
            w->down[u] = (uint8_t)(w->down[v] + 1);
            w->queue[n++] = u;
        }
    }
}

/* Lists the links of v that begin a path it takes; returns their new end. Each is written and kept only if it does. */
static uint32_t list_links(const struct updown_run *w, uint32_t v, uint32_t *link, uint32_t n)
{
    const struct hd_links *l = &w->links;
    bool down = w->length[v] == w->down[v];
    const uint8_t *far = down ? w->down : w->length;
    uint32_t closer = far[v] - 1u, bar = down ? 255 : 0;
    for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) {
        link[n] = a;
        n += (w->bar[a] == bar) & (far[l->head[a]] == closer);
    }
    return n;
}

static void choose_directions(struct updown_run *w)
{
    const struct hd_links *l = &w->links;
    memset(w->needed, 0, w->net->nsw * sizeof *w->needed);
    for (uint32_t i = 0; i < w->net->nsw; i++) {
        uint32_t v = w->line[i], up = HD_FAR - 1;
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) {
            uint32_t far = w->length[l->head[a]] | w->bar[a]; /* 255 where the link is down */
            up = far < up ? far : up;
        }
        up++;
        if (w->down[v] == HD_FAR || (!w->needed[v] && up < w->down[v])) {
            w->length[v] = (uint8_t)up;
            continue;
        }
        w->length[v] = w->down[v];
        uint32_t n = list_links(w, v, w->dag.link, 0);
        for (uint32_t k = 0; k < n; k++) w->needed[l->head[w->dag.link[k]]] = true;
    }
}

/* Switches by length of their path, and their candidates. */
static void list_candidates(struct updown_run *w, uint32_t t)
{
    uint32_t begin[HD_FAR + 2] = {0}, nsw = w->net->nsw, n = 0;
    struct hd_dag *dag = &w->dag;
    for (uint32_t v = 0; v < nsw; v++) begin[w->length[v] + 1]++;
    for (uint32_t i = 0; i <= HD_FAR; i++) begin[i + 1] += begin[i];
    dag->t = t;
    dag->n = begin[HD_FAR];
    for (uint32_t v = 0; v < nsw; v++)
        if (w->length[v] != HD_FAR) dag->order[begin[w->length[v]]++] = v;
    for (uint32_t i = 0; i < dag->n; i++) {
        dag->first[i] = n;
        n = list_links(w, dag->order[i], dag->link, n);
    }
    dag->first[dag->n] = n;
}

/* All candidates as groups towards the endpoints of t. */
static hd_status updown_groups(struct hd_ctx *ctx, const struct updown_run *w, struct hd_routes *r, uint32_t t)
{
    const struct hd_net *net = w->net;
    const struct hd_dag *dag = &w->dag;
    for (uint32_t i = 1; i < dag->n; i++) {
        const uint32_t v = dag->order[i];
        struct hd_port_set set = {{0}};
        if (dag->first[i + 1] - dag->first[i] < 2) continue;
        for (uint32_t k = dag->first[i]; k < dag->first[i + 1]; k++)
            hd_set_add(&set, w->links.chan[dag->link[k]] - net->off[v]);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++)
            if (net->head[c] >= net->nsw) HD_TRY(hd_groups_set(ctx, r, net->head[c] - net->nsw, v, &set));
    }
    return HD_OK;
}

/* False if t has hosts and a switch with hosts of the same component has no legal path to it. Aggregation nodes and
 * routers on a spine that lost cables may have none: they must not cost roots. */
static bool route_target(struct updown_run *w, struct hd_routes *r, uint32_t t)
{
    const struct hd_net *net = w->net;
    search_down(w, t);
    choose_directions(w);
    list_candidates(w, t);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (w->length[v] == HD_FAR && w->part[v] == w->part[t] && w->hosts[v] && w->hosts[t]) return false;
    for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        uint8_t *row = hd_row(r, net->head[c] - net->nsw, 0);
        hd_grow_tree(&w->grow, &w->dag, row);
        row[t] = (uint8_t)(c - net->off[t]);
        hd_grow_add(&w->grow, w->dag.order, w->dag.n);
    }
    return true;
}

/* Several roots may leave switches without a common one above them; a single root never does. */
static bool keep_one_root(struct hd_ctx *ctx, struct updown_run *w, uint32_t part)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < w->net->nsw; v++) n += w->part[v] == part && w->root[v];
    if (n <= 1) return false;
    measure_distances(w, part);
    uint32_t best = find_center(w, part, true);
    for (uint32_t v = 0; v < w->net->nsw; v++)
        if (w->part[v] == part) w->root[v] = v == best;
    hd_note(ctx, "updown: %u roots leave pairs without a path up and then down: only '%.100s' is used", n,
            hd_node_label(w->net, best));
    return true;
}

/* Every target once; *again: one has no legal path and roots were dropped, so that all must be routed again. */
static hd_status route_targets(struct hd_ctx *ctx, struct updown_run *w, struct hd_routes *r, const uint32_t *leaf,
                               uint32_t n, bool *again)
{
    *again = false;
    for (uint32_t i = 0; i < n && !*again; i++) {
        if (route_target(w, r, leaf[i])) {
            if (r->groups) HD_TRY(updown_groups(ctx, w, r, leaf[i]));
            continue;
        }
        if (!(*again = keep_one_root(ctx, w, w->part[leaf[i]])))
            return hd_fail_na(ctx, "updown", w->net->spec,
                              "'%.100s' would need a path of more than %d channels between switches",
                              hd_node_label(w->net, leaf[i]), HD_FAR - 1);
    }
    return HD_OK;
}

struct updown_opt {
    const char *roots;
};

/* Fills a table that is there, and its groups if it has some. */
static hd_status updown_fill(struct hd_ctx *ctx, const char *roots, struct hd_arena *scratch, struct hd_routes *r)
{
    struct updown_run w;
    uint32_t *leaf, n;
    HD_TRY(updown_init(ctx, scratch, r->net, &w));
    if (*roots) HD_TRY(hd_roots_read(ctx, r->net, "updown", roots, w.root));
    find_roots(&w);
    HD_TRY(make_line(ctx, scratch, &w));
    HD_TRY(hd_leaf_order(ctx, scratch, r->net, &leaf, &n));
    for (bool again;;) {
        HD_TRY(route_targets(ctx, &w, r, leaf, n, &again));
        if (!again) return HD_OK;
        HD_TRY(make_line(ctx, scratch, &w));
        hd_grow_clear(&w.grow);
        memset(r->table, HD_SLOT_NONE, (size_t)r->net->nep * r->net->nsw);
        if (r->groups) HD_TRY(hd_groups_make(ctx, r));
    }
}

static hd_status updown_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(updown_fill(ctx, ((const struct updown_opt *)opt)->roots, scratch, r));
    return hd_settle_rest_holes(ctx, r);
}

static hd_status ar_updn_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(hd_groups_make(ctx, r));
    return updown_fill(ctx, ((const struct updown_opt *)opt)->roots, scratch, r);
}

static const struct hd_param updown_params[] = {
    {"roots", HD_TEXT, "",
     "switches at the top: names or GUIDs (0x...) separated by +, or a file with one per line; found if not given",
     offsetof(struct updown_opt, roots), 0, 0, NULL, false},
    {0}};

const struct hd_engine hd_engine_updown = {
    .desc = {.name = "updown",
             .summary = "up*/down*: deadlock-free on any network with a single VL",
             .text = "Switches are ranked by their distance from the roots, ties by number; a route goes up (towards "
                     "lower rank), then down, and never up again. Towards each destination a switch goes down if that "
                     "is no longer than going up, or if switches above rely on its path down; otherwise up. Among "
                     "equally long paths the one with the least load so far is taken. Roots that are not given are "
                     "found: the top level of a network with levels; otherwise the switches that have three quarters "
                     "of the endpoints nearest, if no two of them are connected, or the one of them with the least "
                     "sum of distances to all endpoints. If several roots would leave a pair without a legal path, "
                     "only the most central of them is kept.",
             .cite = "Schroeder et al.: Autonet. Unlike OpenSM's updn, which keeps one direction flag per switch, it "
                     "is deadlock-free",
             .params = updown_params,
             .examples = (const char *const[]){"updown", NULL},
             .opt_size = sizeof(struct updown_opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "updown",
    .route = updown_route};

const struct hd_engine hd_engine_ar_updn = {
    .desc = {.name = "ar_updn",
             .summary = "adaptive up*/down*: switches choose among all ports that updown could take",
             .text =
                 "Adaptive routing by up*/down*, as subnet managers of NVIDIA set it up by default. Static ports are "
                 "those of updown; where several ports begin an equally short path of the same direction, they "
                 "form a group, and the switch takes any of them, packet by packet. check proves reachability and "
                 "deadlock freedom for every choice that the groups allow. All commands that follow one path per "
                 "pair use the static ports.",
             .cite = "NVIDIA MLNX_SM, routing engine ar_updn; Schroeder et al.: Autonet",
             .params = updown_params,
             .examples = (const char *const[]){"ar_updn", NULL},
             .opt_size = sizeof(struct updown_opt)},
    .role = HD_ENGINE_BASELINE,
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "ar_updn",
    .route = ar_updn_route};
