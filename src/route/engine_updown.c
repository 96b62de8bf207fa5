/* SPDX-License-Identifier: BSD-2-Clause */
/* Up and down: no route ever turns from a downward into an upward channel, so nothing can deadlock.
 *
 * Switches stand in one line: by distance from the roots, ties by number. A channel towards the front
 * is up, every other is down. An entry cannot know where a packet came from, so for each destination a
 * switch is either "down" (it goes on downwards only) or "up", and a down switch may only name down
 * switches. From the front of the line to its end, with `down` the length of the shortest way down:
 *     up way  = 1 + least length of an upper neighbour, which is settled already
 *     down    if that is no longer than the up way, or if a down switch above needs this one (it lies
 *             on a shortest way down from there); then all switches on its shortest ways are needed
 *     up      otherwise
 * Every switch gets the shortest way this leaves it. Among equal ways the one with the smallest sum of
 * loads is taken, and the destination's traffic is added to the loads.
 * Cost O(L channels + endpoints * candidates), L switches with endpoints. */
#include "base/status.h"
#include "route/dist.h"
#include "route/engines.h"
#include "route/leaf_order.h"
#include "route/roots.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 32 };

struct run {
    const struct hd_net *net;
    uint32_t nparts;
    uint32_t *part;  /* [nsw] connected part */
    bool *root;      /* [nsw] */
    uint32_t *line;  /* [nsw] the switches, front first */
    uint32_t *at;    /* [nsw] position in line */
    uint32_t *hosts; /* [nsw] endpoints of a switch */
    uint64_t *load;  /* [nchan] */
    uint32_t *queue; /* [nsw] */

    /* towards the target at hand */
    uint8_t *down;   /* [nsw] shortest way down, HD_FAR: none */
    uint8_t *length; /* [nsw] of the way taken, HD_FAR: none */
    bool *needed;    /* [nsw] */
    uint32_t n;      /* switches that have a way */
    uint32_t *near;  /* [n] they, shortest way first */
    uint32_t *first; /* [n+1] candidates of each of them in slot */
    uint8_t *slot;   /* [nchan] */
    uint64_t *sum;   /* [nsw] of loads along the way */
    uint32_t *flow;  /* [nsw] */

    uint32_t *histogram; /* [nsw * BINS] endpoints by distance, to find the centre */
};

static hd_status run_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct run *w)
{
    uint32_t n = net->nsw;
    *w = (struct run){.net = net,
                      .part = HD_NEW(a, uint32_t, n),
                      .root = HD_NEW(a, bool, n),
                      .line = HD_NEW(a, uint32_t, n),
                      .at = HD_NEW(a, uint32_t, n),
                      .hosts = HD_NEW(a, uint32_t, n),
                      .load = HD_NEW(a, uint64_t, net->nchan),
                      .queue = HD_NEW(a, uint32_t, n),
                      .down = HD_NEW(a, uint8_t, n),
                      .length = HD_NEW(a, uint8_t, n),
                      .needed = HD_NEW(a, bool, n),
                      .near = HD_NEW(a, uint32_t, n),
                      .first = HD_NEW(a, uint32_t, n + 1),
                      .slot = HD_NEW(a, uint8_t, net->nchan),
                      .sum = HD_NEW(a, uint64_t, n),
                      .flow = HD_NEW(a, uint32_t, n),
                      .histogram = HD_NEW(a, uint32_t, (size_t)n * BINS)};
    if (!w->part || !w->root || !w->line || !w->at || !w->hosts || !w->load || !w->queue || !w->down || !w->length ||
        !w->needed || !w->near || !w->first || !w->slot || !w->sum || !w->flow || !w->histogram)
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

/* Whether the part is layered: every cable joins neighbouring levels, and there are several. */
static bool layered(const struct run *w, uint32_t part, uint8_t *top)
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

/* Sums up distances to the endpoints of a part: w->sum[v], and in w->near[v] how far three quarters of
 * them are at most. At most 1024 switches with endpoints are looked at, evenly chosen. */
static void measure(struct run *w, uint32_t part)
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
        uint64_t within = 0;
        for (w->near[v] = 0; w->near[v] < BINS; w->near[v]++)
            if ((within += w->histogram[(size_t)v * BINS + w->near[v]]) * 4 >= hosts * 3ull) break;
    }
}

/* The most central switch of a part, or of its roots. */
static uint32_t center(const struct run *w, uint32_t part, bool among_roots)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t v = 0; v < w->net->nsw; v++) {
        if (w->part[v] != part || (among_roots && !w->root[v])) continue;
        if (best == UINT32_MAX || w->near[v] < w->near[best] ||
            (w->near[v] == w->near[best] && w->sum[v] < w->sum[best]))
            best = v;
    }
    return best;
}

/* All switches as near as the centre: the top of what looks like a tree, where no two are joined. */
static void set_centers(struct run *w, uint32_t part)
{
    const struct hd_net *net = w->net;
    measure(w, part);
    uint32_t best = center(w, part, false);
    bool joined = false;
    for (uint32_t v = 0; v < net->nsw; v++) w->root[v] |= w->part[v] == part && w->near[v] == w->near[best];
    for (uint32_t c = 0; c < net->nchan && !joined; c++)
        joined = net->tail[c] < net->nsw && net->head[c] < net->nsw && w->part[net->tail[c]] == part &&
                 w->root[net->tail[c]] && w->root[net->head[c]];
    for (uint32_t v = 0; joined && v < net->nsw; v++)
        if (w->part[v] == part) w->root[v] = v == best;
}

/* Every part without a given root gets its own: the top level where it is layered, else its centres. */
static void find_roots(struct run *w)
{
    const struct hd_net *net = w->net;
    for (uint32_t part = 0; part < w->nparts; part++) {
        uint8_t top;
        bool given = false;
        for (uint32_t v = 0; v < net->nsw; v++) given |= w->part[v] == part && w->root[v];
        if (given) continue;
        if (!layered(w, part, &top))
            set_centers(w, part);
        else
            for (uint32_t v = 0; v < net->nsw; v++) w->root[v] |= w->part[v] == part && net->level[v] == top;
    }
}

static hd_status make_line(struct hd_ctx *ctx, struct hd_arena *scratch, struct run *w)
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
    return HD_OK;
}

/* ---- one target ---------------------------------------------------------------------------- */

/* Shortest ways down to t: a search from t along channels whose other direction is down. */
static void search_down(struct run *w, uint32_t t)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    memset(w->down, HD_FAR, net->nsw);
    w->down[t] = 0;
    w->queue[n++] = t;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = w->queue[i];
        if (w->down[v] == HD_FAR - 1) break;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || w->at[u] > w->at[v] || w->down[u] != HD_FAR) continue;
            w->down[u] = (uint8_t)(w->down[v] + 1);
            w->queue[n++] = u;
        }
    }
}

/* Whether channel c begins one of the ways its tail takes. */
static bool leads(const struct run *w, uint32_t c)
{
    uint32_t v = w->net->tail[c], u = w->net->head[c];
    if (u >= w->net->nsw) return false;
    if (w->length[v] == w->down[v]) return w->at[u] > w->at[v] && w->down[u] + 1u == w->down[v];
    return w->at[u] < w->at[v] && w->length[u] + 1u == w->length[v];
}

static void settle(struct run *w)
{
    const struct hd_net *net = w->net;
    memset(w->needed, 0, net->nsw * sizeof *w->needed);
    for (uint32_t i = 0; i < net->nsw; i++) {
        uint32_t v = w->line[i], up = HD_FAR;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u < net->nsw && w->at[u] < i && w->length[u] + 1u < up) up = w->length[u] + 1u;
        }
        if (w->down[v] == HD_FAR || (!w->needed[v] && up < w->down[v])) {
            w->length[v] = (uint8_t)up;
            continue;
        }
        w->length[v] = w->down[v];
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (leads(w, c)) w->needed[net->head[c]] = true;
    }
}

/* Switches by length of their way, and their candidates. */
static void list_candidates(struct run *w)
{
    const struct hd_net *net = w->net;
    uint32_t begin[HD_FAR + 2] = {0}, n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) begin[w->length[v] + 1]++;
    for (uint32_t i = 0; i <= HD_FAR; i++) begin[i + 1] += begin[i];
    w->n = begin[HD_FAR];
    for (uint32_t v = 0; v < net->nsw; v++)
        if (w->length[v] != HD_FAR) w->near[begin[w->length[v]]++] = v;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t v = w->near[i];
        w->first[i] = n;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (leads(w, c)) w->slot[n++] = (uint8_t)(c - net->off[v]);
    }
    w->first[w->n] = n;
}

/* ---- one destination ----------------------------------------------------------------------- */

static void route_endpoint(struct run *w, uint32_t t, uint32_t slot, uint8_t *row)
{
    const struct hd_net *net = w->net;
    w->sum[t] = 0;
    w->flow[t] = 0;
    row[t] = (uint8_t)slot;
    for (uint32_t i = 1; i < w->n; i++) {
        uint32_t v = w->near[i], best = 0;
        uint64_t least = UINT64_MAX;
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) {
            uint32_t c = net->off[v] + w->slot[k];
            uint64_t sum = w->load[c] + w->sum[net->head[c]];
            if (sum < least) least = sum, best = w->slot[k];
        }
        w->sum[v] = least;
        w->flow[v] = w->hosts[v];
        row[v] = (uint8_t)best;
    }
    for (uint32_t i = w->n; i-- > 1;) {
        uint32_t v = w->near[i], c = net->off[v] + row[v];
        w->load[c] += w->flow[v];
        w->flow[net->head[c]] += w->flow[v];
    }
}

/* False when a switch with hosts of the same part has no legal way to t. */
static bool route_target(struct run *w, struct hd_routes *r, uint32_t t)
{
    const struct hd_net *net = w->net;
    search_down(w, t);
    settle(w);
    list_candidates(w);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (w->length[v] == HD_FAR && w->part[v] == w->part[t] && w->hosts[v]) return false;
    for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++)
        if (net->head[c] >= net->nsw) route_endpoint(w, t, c - net->off[t], hd_row(r, net->head[c] - net->nsw, 0));
    return true;
}

/* Several roots may leave switches without a common one above them; a single root never does. */
static bool keep_one_root(struct hd_ctx *ctx, struct run *w, uint32_t part)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < w->net->nsw; v++) n += w->part[v] == part && w->root[v];
    if (n <= 1) return false;
    measure(w, part);
    uint32_t best = center(w, part, true);
    for (uint32_t v = 0; v < w->net->nsw; v++)
        if (w->part[v] == part) w->root[v] = v == best;
    hd_note(ctx, "updown: %u roots leave pairs without a way up and down: '%.100s' alone is used", n,
            hd_node_name(w->net, best));
    return true;
}

static hd_status fill(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_routes *r, const char *roots)
{
    struct run w;
    uint32_t *leaf, n;
    HD_TRY(run_init(ctx, scratch, r->net, &w));
    if (*roots) HD_TRY(hd_roots_read(ctx, r->net, "updown", roots, w.root));
    find_roots(&w);
    HD_TRY(make_line(ctx, scratch, &w));
    HD_TRY(hd_leaf_order(ctx, scratch, r->net, &leaf, &n));
    for (uint32_t i = 0; i < n; i++) {
        if (route_target(&w, r, leaf[i]) || !keep_one_root(ctx, &w, w.part[leaf[i]])) continue;
        HD_TRY(make_line(ctx, scratch, &w));
        memset(w.load, 0, r->net->nchan * sizeof *w.load);
        memset(r->table, HD_SLOT_NONE, (size_t)r->net->nep * r->net->nsw);
        i = UINT32_MAX; /* from the start */
    }
    return HD_OK;
}

struct opt {
    const char *roots;
};

static hd_status route_updown(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **out)
{
    struct hd_arena scratch = {0};
    struct hd_routes *r;
    HD_TRY(hd_routes_make(ctx, net, 1, &r));
    hd_status s = fill(ctx, &scratch, r, ((const struct opt *)opt)->roots);
    hd_arena_release(&scratch);
    if (s != HD_OK) {
        hd_routes_free(r);
        return s;
    }
    *out = r;
    return HD_OK;
}

const struct hd_engine hd_engine_updown = {
    .desc =
        {.name = "updown",
         .summary = "up*/down*: free of deadlock on any network, without lanes",
         .text =
             "Switches are ranked by their distance from the roots, ties by number; a route goes up (towards lower "
             "rank), then down, and never up again. Towards each destination a switch goes down if that is no longer "
             "than going up, or if switches above rely on its way down; else up. Among equally long ways the one with "
             "the least load so far is taken. Roots that are not given are found: the top level of a network with "
             "levels; else the switches from which three quarters of the endpoints are nearest, if no two of them are "
             "joined, or the one of them with the least sum of distances to all endpoints. "
             "Where several roots would leave a pair without a legal way, only the most central of them is kept.",
         .cite = "Schroeder et al.: Autonet; OpenSM's updn remembers one direction a switch and can deadlock, this "
                 "does not",
         .params =
             (const struct hd_param[]){{"roots", HD_TEXT, "",
                                        "switches at the top: names or GUIDs (0x...) joined by +, or a file with one a "
                                        "line; found when not given",
                                        offsetof(struct opt, roots), 0, 0, NULL, false},
                                       {0}},
         .examples = (const char *const[]){"updown", NULL},
         .opt_size = sizeof(struct opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .route = route_updown};
