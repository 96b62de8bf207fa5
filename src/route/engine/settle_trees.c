/* SPDX-License-Identifier: BSD-2-Clause */
/* The trees of engine settle: each destination's tree is taken out and built again until next to nothing changes.
 *
 * What is minimised. Of the pairs that share a channel with an active pair (s, d), those from s or to d are never
 * active at the same time; all others cause contention, but a pair that shares five channels in a row does so about
 * once. So the tree of d is charged, per source and channel, the pairs on the channel less those from the same source,
 * and part of the pairs that come along from the channel before is given back:
 *     W(x) = pairs[e] - beta turn_pairs[e, e'] + W(y)     over link e = x -> y, y going on by e'
 *     V(x) = W(x) - alpha_x (destinations that x reaches over the links of that path)
 * with the tree of d left out of all counts. Switches are taken by increasing distance from d; each takes the link with
 * the least V (W where it has no endpoints), the first on ties. alpha_x is less than the endpoints of x, but 1 where
 * there is one: with as many, what x itself sends over a link costs nothing, and everything collapses onto one path.
 *
 * Terms used below: a *link* is a channel between switches, a *turn* two links in a row. A link's *row* is where its
 * part of reached[] (or sent[]) begins: one *column* per switch with sources. The *current* tree of d is in the table,
 * the *next* one is being built. *own* counts are those of a switch on its own links.
 *
 * With a demand (demand.h), pairs count by their weight: pairs, turn_pairs and flows are sums of weights, and instead
 * of the destinations that x reaches, what x sends is counted; the share of a source is the same for all that send.
 *
 * A pass takes destinations in a new random order, in batches: the trees of a batch are built on the counts from before
 * it, by any number of threads, then the counts are updated in order. A batch grows with the network only, so that
 * results do not depend on threads; very large ones oscillate. On large networks, trees that have stopped changing are
 * not built again: that halves the time on trees, and costs up to one per cent of bandwidth on tori and hypercubes,
 * which is why small networks always go through all of them.
 *
 * Cost of a pass: for each destination the links on its shortest paths, times the path length where the tail has
 * endpoints. Memory: 2 bytes (4 with a demand) per link and switch with endpoints, 4 per turn. All numbers are
 * integers. The method is our own; docs/settle.md has the figures. */
#include "route/engine/settle_trees.h"
#include "base/always_inline.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/kernel/sssp_options.h"

#include <string.h>

#define NONE UINT32_MAX /* no link */

enum {
    MAX_ENDPOINTS = 65535, /* reached[] has 16 bits */
    PER_BATCH = 512,       /* destinations / this are built at once, */
    MAX_BATCH = 32,        /* at most so many; */
    MIN_SHARED = 8,        /* fewer are not worth waking threads for */
    STOP = 200,            /* settled when fewer than one path in so many changed */
    LARGE = 1 << 27        /* destinations x links from which time matters more than the last per mille */
};

/* ---- counts --------------------------------------------------------------------------------- */

/* Turns are ordered by their second link: all switches that consider going through y look at turns into the link that
 * y takes, which are thus adjacent. */
static uint32_t turn_at(const struct hd_settle *s, uint32_t a, uint32_t b)
{
    return s->turn_base[b] + s->in_port[a];
}

/* Rows are ordered by the head of their link, since links into one switch are looked at together. check_size keeps the
 * product within 32 bits. */
static uint32_t settle_row_of(const struct hd_settle *s, uint32_t a)
{
    return s->shortest->links.back[a] * s->ncolumn;
}

/* Rows are numbered with 32 bits, which halves the memory that the search reads. */
static hd_status settle_check_size(struct hd_ctx *ctx, const char *spec, uint32_t links, uint32_t columns)
{
    if ((uint64_t)links * columns <= UINT32_MAX) return HD_OK;
    return hd_fail_na(ctx, "settle", spec,
                      "%u channels between switches and %u switches with endpoints: at most %u "
                      "combinations can be counted",
                      links, columns, UINT32_MAX);
}

static hd_status number_turns(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_settle *s)
{
    const struct hd_links *l = &s->shortest->links;
    uint32_t n = 0;
    s->in_port = HD_NEW(arena, uint8_t, l->n);
    s->turn_base = HD_NEW(arena, uint32_t, l->n);
    if (!s->in_port || !s->turn_base) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < l->net->nsw; v++)
        for (uint32_t b = l->first[v]; b < l->first[v + 1]; b++) {
            s->turn_base[b] = n;
            s->in_port[l->back[b]] = (uint8_t)(b - l->first[v]);
            n += l->first[v + 1] - l->first[v];
        }
    return HD_OK;
}

static hd_status make_counts(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_settle *s)
{
    const struct hd_links *l = &s->shortest->links;
    s->pairs = HD_NEW(arena, uint32_t, l->n);
    s->turn_pairs = HD_NEW(arena, uint32_t, l->turn[l->n]);
    s->reached = s->demand ? NULL : HD_NEW(arena, uint16_t, (size_t)l->n * s->ncolumn);
    s->sent = s->demand ? HD_NEW(arena, uint32_t, (size_t)l->n * s->ncolumn) : NULL;
    s->own = HD_NEW(arena, uint32_t, l->n);
    return s->pairs && s->turn_pairs && (s->reached || s->sent) && s->own ? HD_OK : hd_fail_memory(ctx);
}

bool hd_settle_large(const struct hd_shortest *shortest)
{
    return (uint64_t)shortest->links.net->nep * shortest->links.n > LARGE;
}

hd_status hd_settle_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_shortest *shortest,
                         const struct hd_demand *demand, struct hd_settle *s)
{
    const struct hd_net *net = shortest->links.net;
    *s = (struct hd_settle){.shortest = shortest, .demand = demand};
    if (net->nep > MAX_ENDPOINTS)
        return hd_fail_na(ctx, "settle", net->spec, "%u endpoints: at most %d can be counted", net->nep, MAX_ENDPOINTS);
    if (!HD_NEW_U32(arena, net->nsw, &s->sources, &s->column)) return hd_fail_memory(ctx);
    hd_sssp_sources(net, s->sources);
    for (uint32_t leaf = 0; leaf < net->nsw; leaf++) {
        if (shortest->leaf_of[leaf] == NONE) continue;
        const uint8_t *dist = shortest->dist + (size_t)shortest->leaf_of[leaf] * net->nsw;
        for (uint32_t v = 0; v < net->nsw; v++)
            if (dist[v] != HD_FAR && dist[v] > s->depth) s->depth = dist[v];
    }
    for (uint32_t i = 0; i < net->nsw; i++) /* switches with common neighbours share cache lines of reached */
        if (s->sources[shortest->near[i]]) s->column[shortest->near[i]] = s->ncolumn++;
    HD_TRY(settle_check_size(ctx, net->spec, shortest->links.n, s->ncolumn));
    HD_TRY(number_turns(ctx, arena, s));
    return make_counts(ctx, arena, s);
}

/* ---- one destination's tree ------------------------------------------------------------------ */

struct settle_tree {
    struct hd_dag room;
    const struct hd_dag *dag;
    uint32_t *now, *next;       /* [nsw] link of a switch in the current and in the next tree; NONE */
    uint32_t *flow, *next_flow; /* [nsw] sources that come through it in either */
    int64_t *cost;              /* [nsw] W */
    uint32_t *turns;            /* [nsw] first turn into the next link */
    uint32_t *path;             /* [v * depth + i] rows of the links of the next path from v */
    uint32_t *now_path;         /* [depth] the same of the current path of one switch */
    bool *moved;                /* [nsw] its path changes */
    const uint32_t *sources;    /* [nsw] what each switch sends to this destination */
    uint32_t *weighed;          /* [nsw] room for that */
};

static hd_status tree_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_settle *s, struct settle_tree *t)
{
    uint32_t nsw = s->shortest->links.net->nsw;
    HD_TRY(hd_dag_init(ctx, a, &s->shortest->links, &t->room));
    t->cost = HD_NEW(a, int64_t, nsw);
    t->path = HD_NEW(a, uint32_t, (size_t)nsw * s->depth);
    t->now_path = HD_NEW(a, uint32_t, (size_t)s->depth + 1);
    t->moved = HD_NEW(a, bool, nsw);
    bool ok = t->cost && t->path && t->now_path && t->moved &&
              HD_NEW_U32(a, nsw, &t->now, &t->next, &t->flow, &t->next_flow, &t->turns, &t->weighed);
    return ok ? HD_OK : hd_fail_memory(ctx);
}

static void tree_begin(const struct hd_settle *s, uint32_t d, struct settle_tree *t)
{
    t->dag = hd_dag_get(s->shortest, hd_leaf(s->shortest->links.net, d), &t->room);
    t->sources = s->sources;
    if (!s->demand) return;
    hd_demand_sources(s->demand, s->sources, d, t->weighed);
    t->sources = t->weighed;
}

static bool settle_counts(const struct hd_settle *s, uint32_t d)
{
    return hd_sssp_counts(s->shortest->links.net, d) && (!s->demand || hd_demand_counts(s->demand, d));
}

/* Links of a row, and the sources that flow along them. A row without entries carries nothing. */
static void read_row(const struct hd_settle *s, const struct settle_tree *t, const uint8_t *row, uint32_t *link,
                     uint32_t *flow)
{
    const struct hd_links *l = &s->shortest->links;
    const struct hd_dag *dag = t->dag;
    bool empty = dag->n > 1 && row[dag->order[1]] == HD_SLOT_NONE;
    link[dag->t] = NONE;
    flow[dag->t] = 0;
    for (uint32_t i = 1; i < dag->n; i++) {
        uint32_t v = dag->order[i];
        link[v] = empty ? NONE : l->of[l->net->off[v] + row[v]];
        flow[v] = empty ? 0 : t->sources[v];
    }
    for (uint32_t i = empty ? 1 : dag->n; i-- > 1;) flow[l->head[link[dag->order[i]]]] += flow[dag->order[i]];
}

/* The current path of x, to be left out of the counts; NONE where there is none. */
static void find_now_path(const struct hd_settle *s, const struct settle_tree *t, uint32_t x, uint32_t hops)
{
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t a = t->now[x];
        t->now_path[i] = a == NONE ? NONE : settle_row_of(s, a);
        if (a != NONE) x = s->shortest->links.head[a];
    }
}

/* Other destinations that x reaches over the links of a path after the first: one count per link. */
static inline uint32_t reached_on(const uint16_t *reached, const uint32_t *path, const uint32_t *now_path,
                                  uint32_t links)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < links; i++) known += reached[path[i]] - (path[i] == now_path[i]);
    return known;
}

/* The same for what x sends, less the amount that goes to this destination. */
static inline int64_t sent_on(const uint32_t *sent, const uint32_t *path, const uint32_t *now_path, uint32_t links,
                              uint32_t amount)
{
    int64_t known = 0;
    for (uint32_t i = 0; i < links; i++) known += (int64_t)sent[path[i]] - (path[i] == now_path[i] ? amount : 0);
    return known;
}

/* alpha for x, whose endpoints are so many: of a destination, or of a unit sent (in parts of ONE * ONE). */
static int64_t alpha_of(const struct hd_settle *s, uint32_t x)
{
    int64_t sources = s->demand ? s->demand->senders[x] : s->sources[x];
    int64_t most = HD_SETTLE_ONE * (sources > 1 ? sources - 1 : sources);
    int64_t alpha = s->opt.alpha < most ? s->opt.alpha : most;
    return s->demand && sources ? HD_SETTLE_ONE * alpha / sources : alpha;
}

struct settle_pick {
    uint32_t link;
    int64_t cost;
};

/* What the scan of a switch's links has to look at; constants wherever scan_links is called, so that it compiles into
 * loops without the rest. */
enum settle_scan {
    SCAN_TRANSIT = 0, /* only pairs that pass through */
    SCAN_LAST = 1,    /* the next switch is the destination's */
    SCAN_SOURCE = 2,  /* the switch itself sends */
    SCAN_WEIGHED = 4, /* by the weights of a demand */
};

/* The link of x = order[i] with the least value; its cost is what others pay who come through x. */
HD_ALWAYS_INLINE struct settle_pick scan_links(const struct hd_settle *s, const struct settle_tree *t, uint32_t i,
                                               uint32_t hops, unsigned kind)
{
    const bool last = kind & SCAN_LAST, source = kind & SCAN_SOURCE, weighed = kind & SCAN_WEIGHED;
    const struct hd_links *l = &s->shortest->links;
    const uint32_t *a = t->dag->link + t->dag->first[i], *end = t->dag->link + t->dag->first[i + 1];
    const uint32_t x = t->dag->order[i], now = t->now[x], *pairs = s->pairs, *turn_pairs = s->turn_pairs,
                   *head = l->head;
    const uint32_t *own = s->own, *sent = weighed ? s->sent + s->column[x] : NULL;
    const uint16_t *reached = weighed ? NULL : s->reached + s->column[x];
    int64_t beta = s->opt.beta, least = INT64_MAX, alpha = source ? alpha_of(s, x) : 0;
    struct settle_pick best = {NONE, 0};
    for (; a < end; a++) {
        uint32_t y = head[*a];
        int64_t cost = (int64_t)HD_SETTLE_ONE * pairs[*a], value;
        if (!last) cost += t->cost[y] - beta * turn_pairs[t->turns[y] + s->in_port[*a]];
        if (*a == now) { /* the current tree of d does not count */
            cost -= (int64_t)HD_SETTLE_ONE * t->flow[x];
            if (!last && t->next[y] == t->now[y]) cost += beta * t->flow[x];
        }
        value = cost;
        if (source && weighed) {
            int64_t known = (int64_t)own[*a] - (*a == now ? t->sources[x] : 0);
            if (!last) known += sent_on(sent, t->path + (size_t)y * s->depth, t->now_path + 1, hops - 1, t->sources[x]);
            value = HD_SETTLE_ONE * cost - alpha * known;
        } else if (source) {
            uint32_t known = own[*a] - (*a == now);
            if (!last) known += reached_on(reached, t->path + (size_t)y * s->depth, t->now_path + 1, hops - 1);
            value -= alpha * known;
        }
        if (value >= least) continue;
        least = value;
        best = (struct settle_pick){*a, cost};
    }
    return best;
}

static struct settle_pick best_link(const struct hd_settle *s, const struct settle_tree *t, uint32_t i, uint32_t hops)
{
    uint32_t x = t->dag->order[i];
    if (!t->sources[x] || !s->opt.alpha)
        return hops == 1 ? scan_links(s, t, i, hops, SCAN_LAST) : scan_links(s, t, i, hops, SCAN_TRANSIT);
    if (hops == 1)
        return s->demand ? scan_links(s, t, i, hops, SCAN_LAST | SCAN_SOURCE | SCAN_WEIGHED)
                         : scan_links(s, t, i, hops, SCAN_LAST | SCAN_SOURCE);
    find_now_path(s, t, x, hops);
    return s->demand ? scan_links(s, t, i, hops, SCAN_SOURCE | SCAN_WEIGHED) : scan_links(s, t, i, hops, SCAN_SOURCE);
}

/* The next tree of d, into row; true if it differs from the current one. */
static bool settle_build_tree(const struct hd_settle *s, uint32_t d, struct settle_tree *t, uint8_t *row)
{
    const struct hd_links *l = &s->shortest->links;
    uint32_t to = hd_leaf(l->net, d);
    const uint8_t *dist = s->shortest->dist + (size_t)s->shortest->leaf_of[to] * l->net->nsw;
    bool changed = false;
    tree_begin(s, d, t);
    read_row(s, t, hd_row(s->r, d, 0), t->now, t->flow);
    t->next[to] = NONE;
    for (uint32_t i = 1; i < t->dag->n; i++) {
        uint32_t x = t->dag->order[i], hops = dist[x];
        struct settle_pick best = best_link(s, t, i, hops);
        uint32_t y = l->head[best.link], *path = t->path + (size_t)x * s->depth;
        t->next[x] = best.link;
        t->turns[x] = s->turn_base[best.link];
        t->cost[x] = best.cost;
        path[0] = settle_row_of(s, best.link);
        memcpy(path + 1, t->path + (size_t)y * s->depth, (hops - 1) * sizeof *path);
        row[x] = hd_link_slot(l, x, best.link);
        changed |= best.link != t->now[x];
    }
    return changed;
}

/* ---- putting it in place ---------------------------------------------------------------------- */

/* One destination, or an amount sent, more or less on every link from x on; 0 - by subtracts by. */
static void count_path(struct hd_settle *s, const uint32_t *link, uint32_t x, uint32_t by)
{
    const struct hd_links *l = &s->shortest->links;
    uint32_t column = s->column[x], a = link[x];
    if (a == NONE) return;
    s->own[a] += by;
    while ((a = link[l->head[a]]) != NONE) {
        size_t at = (size_t)settle_row_of(s, a) + column;
        if (s->sent)
            s->sent[at] += by;
        else
            s->reached[at] = (uint16_t)(s->reached[at] + by);
    }
}

/* Pairs that come through v by link a, and the turn after it. */
static void count_link(struct hd_settle *s, const uint32_t *link, uint32_t v, uint32_t flow)
{
    uint32_t a = link[v], b = a == NONE ? NONE : link[s->shortest->links.head[a]];
    if (a == NONE) return;
    s->pairs[a] += flow;
    if (b != NONE) s->turn_pairs[turn_at(s, a, b)] += flow;
}

/* The new row takes the place of the old one, in the counts too. */
static void apply_row(struct hd_settle *s, uint32_t d, const uint8_t *row, struct settle_tree *t)
{
    const struct hd_links *l = &s->shortest->links;
    uint8_t *old = hd_row(s->r, d, 0);
    tree_begin(s, d, t);
    read_row(s, t, old, t->now, t->flow);
    read_row(s, t, row, t->next, t->next_flow);
    t->moved[t->dag->t] = false;
    for (uint32_t i = 1; i < t->dag->n; i++) {
        uint32_t v = t->dag->order[i], y = l->head[t->next[v]];
        bool turns = t->next[v] != t->now[v] || t->next[y] != t->now[y];
        t->moved[v] = t->next[v] != t->now[v] || t->moved[y];
        old[v] = row[v];
        if (turns || t->flow[v] != t->next_flow[v]) {
            count_link(s, t->now, v, 0 - t->flow[v]);
            count_link(s, t->next, v, t->next_flow[v]);
        }
        if (!t->moved[v] || !t->sources[v]) continue;
        count_path(s, t->now, v, 0 - (s->demand ? t->sources[v] : 1));
        count_path(s, t->next, v, s->demand ? t->sources[v] : 1);
        s->changed++;
    }
}

hd_status hd_settle_count(struct hd_ctx *ctx, struct hd_settle *s, struct hd_routes *r)
{
    const struct hd_links *l = &s->shortest->links;
    struct hd_arena scratch = {0};
    struct settle_tree t = {0};
    s->r = r;
    memset(s->pairs, 0, l->n * sizeof *s->pairs);
    memset(s->turn_pairs, 0, l->turn[l->n] * sizeof *s->turn_pairs);
    if (s->reached) memset(s->reached, 0, (size_t)l->n * s->ncolumn * sizeof *s->reached);
    if (s->sent) memset(s->sent, 0, (size_t)l->n * s->ncolumn * sizeof *s->sent);
    memset(s->own, 0, l->n * sizeof *s->own);
    s->paths = 0;
    hd_status status = tree_init(ctx, &scratch, s, &t);
    for (uint32_t d = 0; status == HD_OK && d < l->net->nep; d++) {
        if (!settle_counts(s, d)) continue;
        tree_begin(s, d, &t);
        read_row(s, &t, hd_row(r, d, 0), t.now, t.flow);
        for (uint32_t i = 0; i < t.dag->n; i++) {
            uint32_t v = t.dag->order[i];
            count_link(s, t.now, v, t.flow[v]);
            if (t.sources[v]) count_path(s, t.now, v, s->demand ? t.sources[v] : 1);
            s->paths += t.sources[v] != 0;
        }
    }
    hd_arena_release(&scratch);
    return status;
}

hd_status hd_settle_check(struct hd_ctx *ctx, const struct hd_settle *s)
{
    const struct hd_links *l = &s->shortest->links;
    struct hd_arena scratch = {0};
    struct hd_settle fresh = *s;
    hd_status status = make_counts(ctx, &scratch, &fresh);
    if (status == HD_OK) status = hd_settle_count(ctx, &fresh, s->r);
    for (uint32_t a = 0; status == HD_OK && a < l->n; a++) {
        size_t row = (size_t)a * s->ncolumn;
        uint32_t v = l->net->tail[l->chan[a]], ports = l->first[v + 1] - l->first[v];
        bool same = s->pairs[a] == fresh.pairs[a] && s->own[a] == fresh.own[a];
        same &= memcmp(s->turn_pairs + s->turn_base[a], fresh.turn_pairs + s->turn_base[a],
                       ports * sizeof *s->turn_pairs) == 0;
        same &= !s->reached || memcmp(s->reached + row, fresh.reached + row, s->ncolumn * sizeof *s->reached) == 0;
        same &= !s->sent || memcmp(s->sent + row, fresh.sent + row, s->ncolumn * sizeof *s->sent) == 0;
        if (!same) status = hd_fail(ctx, HD_FAULT, "settle: counts of link %u are not those of the rows", a);
    }
    hd_arena_release(&scratch);
    return status;
}

/* ---- passes ------------------------------------------------------------------------------------ */

struct settle_passes {
    struct settle_tree *tree; /* [threads] */
    uint32_t batch;
    uint8_t *row;    /* [batch * nsw] rows built */
    bool *changed;   /* [batch] */
    uint32_t *order; /* [nep] destinations that are counted, shuffled */
    bool large;      /* then a tree that was not changed in one pass is left alone in the next ones */
    bool *rests;     /* [nep] */
};

static hd_status passes_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_settle *s, struct settle_passes *p)
{
    const struct hd_net *net = s->shortest->links.net;
    int threads = hd_threads(ctx);
    p->batch = s->opt.batch ? s->opt.batch : net->nep / PER_BATCH;
    if (p->batch < 1) p->batch = 1;
    if (p->batch > MAX_BATCH) p->batch = MAX_BATCH;
    p->large = hd_settle_large(s->shortest);
    p->tree = HD_NEW(a, struct settle_tree, (size_t)threads);
    p->row = HD_NEW(a, uint8_t, (size_t)p->batch * net->nsw);
    p->changed = HD_NEW(a, bool, p->batch);
    p->order = HD_NEW(a, uint32_t, net->nep);
    p->rests = HD_NEW(a, bool, net->nep);
    if (!p->tree || !p->row || !p->changed || !p->order || !p->rests) return hd_fail_memory(ctx);
    for (int i = 0; i < threads; i++) HD_TRY(tree_init(ctx, a, s, &p->tree[i]));
    return HD_OK;
}

static void settle_run_batch(struct hd_ctx *ctx, struct hd_settle *s, struct settle_passes *p, const uint32_t *d,
                             uint32_t n)
{
    uint32_t nsw = s->shortest->links.net->nsw;
#pragma omp parallel for schedule(dynamic, 1) num_threads(hd_threads(ctx)) if (n >= MIN_SHARED)
    for (uint32_t i = 0; i < n; i++)
        p->changed[i] = settle_build_tree(s, d[i], &p->tree[hd_thread_id()], p->row + (size_t)i * nsw);
    for (uint32_t i = 0; i < n; i++) {
        p->rests[d[i]] = p->large && !p->changed[i];
        if (p->changed[i]) apply_row(s, d[i], p->row + (size_t)i * nsw, &p->tree[0]);
    }
}

/* One pass: in a new order, those that do not rest. */
static void run_pass(struct hd_ctx *ctx, struct hd_settle *s, struct settle_passes *p, uint32_t n)
{
    struct hd_rng rng;
    uint32_t d[MAX_BATCH], filled = 0;
    hd_rng_init(&rng, s->opt.seed, HD_RNG_ENGINE, s->done);
    hd_rng_shuffle(&rng, p->order, n);
    s->changed = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!p->rests[p->order[i]]) d[filled++] = p->order[i];
        if (filled < p->batch && (i + 1 < n || !filled)) continue;
        settle_run_batch(ctx, s, p, d, filled);
        filled = 0;
        hd_progress(ctx, "settling", (uint64_t)s->done * n + i, (uint64_t)s->opt.passes * n);
    }
    s->done++;
}

/* Destinations that do not count (aggregation nodes) follow the others and are not counted. */
static void place_uncounted(struct hd_settle *s, struct settle_tree *t)
{
    const struct hd_net *net = s->shortest->links.net;
    for (uint32_t d = 0; d < net->nep; d++) {
        uint8_t *row = hd_row(s->r, d, 0);
        uint32_t c = net->rev[net->off[net->nsw + d]];
        if (settle_counts(s, d)) continue;
        memset(row, HD_SLOT_NONE, net->nsw);
        settle_build_tree(s, d, t, row);
        row[net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
    }
}

/* Whether another pass is worth it: a few paths in a thousand still change, and on a large network fewer
 * than in the pass before. */
static bool settle_goes_on(const struct hd_settle *s, const struct settle_passes *p, uint64_t before)
{
    if (s->done == s->opt.passes || s->changed * STOP < s->paths) return false;
    return !p->large || s->done < 2 || s->changed * 10 < before * 9;
}

hd_status hd_settle_run(struct hd_ctx *ctx, struct hd_settle *s, const struct hd_settle_opt *opt)
{
    const struct hd_net *net = s->shortest->links.net;
    struct hd_arena scratch = {0};
    struct settle_passes p = {0};
    uint32_t n = 0;
    s->opt = *opt;
    hd_status status = passes_init(ctx, &scratch, s, &p);
    for (uint32_t d = 0; status == HD_OK && d < net->nep; d++)
        if (settle_counts(s, d)) p.order[n++] = d;
    uint64_t before = 0;
    s->done = 0;
    s->changed = s->paths;
    while (status == HD_OK && n && settle_goes_on(s, &p, before)) {
        before = s->changed;
        run_pass(ctx, s, &p, n);
    }
    if (status == HD_OK) place_uncounted(s, &p.tree[0]);
    hd_arena_release(&scratch);
    return status;
}
