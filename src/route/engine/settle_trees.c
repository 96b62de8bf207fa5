/* SPDX-License-Identifier: BSD-2-Clause */
/* What is minimised. Of the pairs that share a channel with an active pair (s, d), those from s or to d
 * are never active with it; all others hurt, but one that shares five channels in a row hurts about once.
 * So a tree towards d is charged, for each source and channel, the pairs on it (w) less those from the same
 * source, and part of the pairs that come along from the channel before (w2) is given back:
 *     W(x) = w[e] - beta w2[e, e'] + W(y)            over link e = x -> y, y going on by e'
 *     V(x) = W(x) - alpha_x (destinations x reaches over the links of that path)
 * with d's own tree left out of all counts. Switches are taken by increasing distance from d; each takes the
 * link with the least V (W where it has no endpoints), the first on ties. alpha_x = min(alpha, endpoints of
 * x): above that costs go negative and everything collapses onto one path.
 *
 * With a demand (demand.h) pairs count by their weight: w, w2 and flows are sums of weights, and in place of the
 * destinations x reaches stands what x sends, a source's share of it being the same for all that send.
 *
 * A pass takes destinations in a new random order, in batches: trees of a batch are built on the counts as
 * they stood before it, by any number of threads, then the counts are updated in order. A batch grows with
 * the network only, so that results do not depend on threads; very large ones oscillate. On large networks
 * trees that have stopped changing are not looked at again: that halves the time on trees, and costs up to a
 * per cent on tori and cubes, where small ones are therefore always gone through.
 *
 * Cost of a pass: for each destination the links on its shortest paths, times the path length where the
 * tail has endpoints. Memory: 2 bytes (4 with a demand) a (link, switch with endpoints), 4 a turn. Whole numbers
 * throughout. */
#include "route/engine/settle_trees.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/kernel/sssp_options.h"

#include <string.h>

#define NONE UINT32_MAX /* no link */

enum {
    MAX_ENDPOINTS = 65535, /* n has 16 bits */
    PER_BATCH = 512,       /* destinations / this are built at once, */
    MAX_BATCH = 32,        /* at most so many; */
    MIN_SHARED = 8,        /* fewer are not worth waking threads for */
    STOP = 200,            /* settled when fewer than one path in so many changed */
    LARGE = 1 << 27        /* destinations x links from which time matters more than the last per mille */
};

/* ---- counts --------------------------------------------------------------------------------- */

/* Turns stand by their second link here: all switches that consider going through y look at turns into
 * the link y takes, which so lie together. */
static uint32_t turn(const struct hd_settle *s, uint32_t a, uint32_t b)
{
    return s->into[b] + s->in[a];
}

/* Rows of n stand by the head of their link, for links into one switch are looked at together. */
static uint32_t row_of(const struct hd_settle *s, uint32_t a)
{
    return s->shortest->links.back[a] * s->ncolumn;
}

static hd_status number_turns(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_settle *s)
{
    const struct hd_links *l = &s->shortest->links;
    uint32_t n = 0;
    s->in = HD_NEW(arena, uint8_t, l->n);
    s->into = HD_NEW(arena, uint32_t, l->n);
    if (!s->in || !s->into) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < l->net->nsw; v++)
        for (uint32_t b = l->first[v]; b < l->first[v + 1]; b++) {
            s->into[b] = n;
            s->in[l->back[b]] = (uint8_t)(b - l->first[v]);
            n += l->first[v + 1] - l->first[v];
        }
    return HD_OK;
}

static hd_status make_counts(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_settle *s)
{
    const struct hd_links *l = &s->shortest->links;
    s->w = HD_NEW(arena, uint32_t, l->n);
    s->w2 = HD_NEW(arena, uint32_t, l->turn[l->n]);
    s->n = s->demand ? NULL : HD_NEW(arena, uint16_t, (size_t)l->n * s->ncolumn);
    s->sent = s->demand ? HD_NEW(arena, uint32_t, (size_t)l->n * s->ncolumn) : NULL;
    s->own = HD_NEW(arena, uint32_t, l->n);
    return s->w && s->w2 && (s->n || s->sent) && s->own ? HD_OK : hd_fail_memory(ctx);
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
        return hd_fail(ctx, HD_LIMIT, "settle: %u endpoints: at most %d can be counted", net->nep, MAX_ENDPOINTS);
    s->sources = HD_NEW(arena, uint32_t, net->nsw);
    s->column = HD_NEW(arena, uint32_t, net->nsw);
    if (!s->sources || !s->column) return hd_fail_memory(ctx);
    hd_sssp_sources(net, s->sources);
    for (uint32_t leaf = 0; leaf < net->nsw; leaf++) {
        if (shortest->leaf_of[leaf] == NONE) continue;
        const uint8_t *dist = shortest->dist + (size_t)shortest->leaf_of[leaf] * net->nsw;
        for (uint32_t v = 0; v < net->nsw; v++)
            if (dist[v] != HD_FAR && dist[v] > s->depth) s->depth = dist[v];
    }
    for (uint32_t i = 0; i < net->nsw; i++) /* switches with common neighbours share cache lines of n */
        if (s->sources[shortest->near[i]]) s->column[shortest->near[i]] = s->ncolumn++;
    HD_TRY(number_turns(ctx, arena, s));
    return make_counts(ctx, arena, s);
}

/* ---- one destination's tree ------------------------------------------------------------------ */

struct tree {
    struct hd_dag room;
    const struct hd_dag *dag;
    uint32_t *now, *next;       /* [nsw] link a switch takes, and will take; NONE */
    uint32_t *flow, *next_flow; /* [nsw] sources that come through it */
    int64_t *cost;              /* [nsw] W */
    uint32_t *turns;            /* [nsw] first turn into the next link */
    uint32_t *path;             /* [v * depth + i] rows in n of the links of the new path from v */
    uint32_t *here;             /* [depth] the same of the present path of one switch */
    bool *moved;                /* [nsw] its path changes */
    const uint32_t *sources;    /* [nsw] what each switch sends to the destination at hand */
    uint32_t *weighed;          /* [nsw] room for that */
};

static hd_status tree_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_settle *s, struct tree *t)
{
    uint32_t nsw = s->shortest->links.net->nsw;
    HD_TRY(hd_dag_init(ctx, a, &s->shortest->links, &t->room));
    t->now = HD_NEW(a, uint32_t, nsw);
    t->next = HD_NEW(a, uint32_t, nsw);
    t->flow = HD_NEW(a, uint32_t, nsw);
    t->next_flow = HD_NEW(a, uint32_t, nsw);
    t->cost = HD_NEW(a, int64_t, nsw);
    t->turns = HD_NEW(a, uint32_t, nsw);
    t->path = HD_NEW(a, uint32_t, (size_t)nsw * s->depth);
    t->here = HD_NEW(a, uint32_t, (size_t)s->depth + 1);
    t->moved = HD_NEW(a, bool, nsw);
    t->weighed = HD_NEW(a, uint32_t, nsw);
    bool ok = t->now && t->next && t->flow && t->next_flow && t->cost && t->turns && t->path && t->here && t->moved;
    return ok && t->weighed ? HD_OK : hd_fail_memory(ctx);
}

static void take_destination(const struct hd_settle *s, uint32_t d, struct tree *t)
{
    t->dag = hd_dag_get(s->shortest, hd_leaf(s->shortest->links.net, d), &t->room);
    t->sources = s->sources;
    if (!s->demand) return;
    hd_demand_sources(s->demand, s->sources, d, t->weighed);
    t->sources = t->weighed;
}

static bool counts(const struct hd_settle *s, uint32_t d)
{
    return hd_sssp_counts(s->shortest->links.net, d) && (!s->demand || hd_demand_counts(s->demand, d));
}

/* Links of a row, and the sources that flow along them. A row without entries carries nothing. */
static void read_row(const struct hd_settle *s, const struct tree *t, const uint8_t *row, uint32_t *link,
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

/* The present path of x, to be left out of the counts; NONE where there is none. */
static void find_here(const struct hd_settle *s, const struct tree *t, uint32_t x, uint32_t hops)
{
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t a = t->now[x];
        t->here[i] = a == NONE ? NONE : row_of(s, a);
        if (a != NONE) x = s->shortest->links.head[a];
    }
}

/* Other destinations x reaches over the links after the first of a path: one count for each link. */
static inline uint32_t known_on(const uint16_t *n, const uint32_t *path, const uint32_t *here, uint32_t links)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < links; i++) known += n[path[i]] - (path[i] == here[i]);
    return known;
}

/* The same for what x sends, less the amount that is on its way here. */
static inline int64_t sent_on(const uint32_t *sent, const uint32_t *path, const uint32_t *here, uint32_t links,
                              uint32_t amount)
{
    int64_t known = 0;
    for (uint32_t i = 0; i < links; i++) known += (int64_t)sent[path[i]] - (path[i] == here[i] ? amount : 0);
    return known;
}

/* alpha for x, whose endpoints are so many: of a destination, or of a unit sent (in parts of ONE * ONE). */
static int64_t alpha_of(const struct hd_settle *s, uint32_t x)
{
    int64_t sources = s->demand ? s->demand->senders[x] : s->sources[x], most = HD_SETTLE_ONE * sources;
    int64_t alpha = s->opt.alpha < most ? s->opt.alpha : most;
    return s->demand && sources ? HD_SETTLE_ONE * alpha / sources : alpha;
}

struct pick {
    uint32_t link;
    int64_t cost;
};

/* The link of x = order[i] with the least value; its cost is what others pay who come through x. last:
 * the next switch is the destination's; source: x sends; weighed: by weights. All are constants where this is
 * called, so that it compiles into loops without them. */
static inline __attribute__((always_inline)) struct pick
scan(const struct hd_settle *s, const struct tree *t, uint32_t i, uint32_t hops, bool last, bool source, bool weighed)
{
    const struct hd_links *l = &s->shortest->links;
    const uint32_t *a = t->dag->link + t->dag->first[i], *end = t->dag->link + t->dag->first[i + 1];
    const uint32_t x = t->dag->order[i], now = t->now[x], *w = s->w, *w2 = s->w2, *head = l->head;
    const uint32_t *own = s->own, *sent = weighed ? s->sent + s->column[x] : NULL;
    const uint16_t *n = weighed ? NULL : s->n + s->column[x];
    int64_t beta = s->opt.beta, least = INT64_MAX, alpha = source ? alpha_of(s, x) : 0;
    struct pick best = {NONE, 0};
    for (; a < end; a++) {
        uint32_t y = head[*a];
        int64_t cost = (int64_t)HD_SETTLE_ONE * w[*a], value;
        if (!last) cost += t->cost[y] - beta * w2[t->turns[y] + s->in[*a]];
        if (*a == now) { /* d's own tree does not count */
            cost -= (int64_t)HD_SETTLE_ONE * t->flow[x];
            if (!last && t->next[y] == t->now[y]) cost += beta * t->flow[x];
        }
        value = cost;
        if (source && weighed) {
            int64_t known = (int64_t)own[*a] - (*a == now ? t->sources[x] : 0);
            if (!last) known += sent_on(sent, t->path + (size_t)y * s->depth, t->here + 1, hops - 1, t->sources[x]);
            value = HD_SETTLE_ONE * cost - alpha * known;
        } else if (source) {
            uint32_t known = own[*a] - (*a == now);
            if (!last) known += known_on(n, t->path + (size_t)y * s->depth, t->here + 1, hops - 1);
            value -= alpha * known;
        }
        if (value >= least) continue;
        least = value;
        best = (struct pick){*a, cost};
    }
    return best;
}

static struct pick best_link(const struct hd_settle *s, const struct tree *t, uint32_t i, uint32_t hops)
{
    uint32_t x = t->dag->order[i];
    if (!t->sources[x] || !s->opt.alpha)
        return hops == 1 ? scan(s, t, i, hops, true, false, false) : scan(s, t, i, hops, false, false, false);
    if (hops == 1) return s->demand ? scan(s, t, i, hops, true, true, true) : scan(s, t, i, hops, true, true, false);
    find_here(s, t, x, hops);
    return s->demand ? scan(s, t, i, hops, false, true, true) : scan(s, t, i, hops, false, true, false);
}

/* The tree of d as it should be now, into row; true when that is not what it is. */
static bool build_tree(const struct hd_settle *s, uint32_t d, struct tree *t, uint8_t *row)
{
    const struct hd_links *l = &s->shortest->links;
    uint32_t to = hd_leaf(l->net, d);
    const uint8_t *dist = s->shortest->dist + (size_t)s->shortest->leaf_of[to] * l->net->nsw;
    bool changed = false;
    take_destination(s, d, t);
    read_row(s, t, hd_row(s->r, d, 0), t->now, t->flow);
    t->next[to] = NONE;
    for (uint32_t i = 1; i < t->dag->n; i++) {
        uint32_t x = t->dag->order[i], hops = dist[x];
        struct pick best = best_link(s, t, i, hops);
        uint32_t y = l->head[best.link], *path = t->path + (size_t)x * s->depth;
        t->next[x] = best.link;
        t->turns[x] = s->into[best.link];
        t->cost[x] = best.cost;
        path[0] = row_of(s, best.link);
        memcpy(path + 1, t->path + (size_t)y * s->depth, (hops - 1) * sizeof *path);
        row[x] = hd_link_slot(l, x, best.link);
        changed |= best.link != t->now[x];
    }
    return changed;
}

/* ---- putting it in place ---------------------------------------------------------------------- */

/* One destination, or an amount sent, more or less on every link from x on; 0 - n is n less. */
static void count_path(struct hd_settle *s, const uint32_t *link, uint32_t x, uint32_t by)
{
    const struct hd_links *l = &s->shortest->links;
    uint32_t column = s->column[x], a = link[x];
    if (a == NONE) return;
    s->own[a] += by;
    while ((a = link[l->head[a]]) != NONE) {
        size_t at = (size_t)row_of(s, a) + column;
        if (s->sent)
            s->sent[at] += by;
        else
            s->n[at] = (uint16_t)(s->n[at] + by);
    }
}

/* Pairs that come through v by link a, and the turn after it. */
static void count_link(struct hd_settle *s, const uint32_t *link, uint32_t v, uint32_t flow)
{
    uint32_t a = link[v], b = a == NONE ? NONE : link[s->shortest->links.head[a]];
    if (a == NONE) return;
    s->w[a] += flow;
    if (b != NONE) s->w2[turn(s, a, b)] += flow;
}

/* The new row takes the place of the old one, in the counts too. */
static void apply_row(struct hd_settle *s, uint32_t d, const uint8_t *row, struct tree *t)
{
    const struct hd_links *l = &s->shortest->links;
    uint8_t *old = hd_row(s->r, d, 0);
    take_destination(s, d, t);
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
    struct tree t = {0};
    s->r = r;
    memset(s->w, 0, l->n * sizeof *s->w);
    memset(s->w2, 0, l->turn[l->n] * sizeof *s->w2);
    if (s->n) memset(s->n, 0, (size_t)l->n * s->ncolumn * sizeof *s->n);
    if (s->sent) memset(s->sent, 0, (size_t)l->n * s->ncolumn * sizeof *s->sent);
    memset(s->own, 0, l->n * sizeof *s->own);
    s->paths = 0;
    hd_status status = tree_init(ctx, &scratch, s, &t);
    for (uint32_t d = 0; status == HD_OK && d < l->net->nep; d++) {
        if (!counts(s, d)) continue;
        take_destination(s, d, &t);
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
        bool same = s->w[a] == fresh.w[a] && s->own[a] == fresh.own[a];
        same &= memcmp(s->w2 + s->into[a], fresh.w2 + s->into[a], ports * sizeof *s->w2) == 0;
        same &= !s->n || memcmp(s->n + row, fresh.n + row, s->ncolumn * sizeof *s->n) == 0;
        same &= !s->sent || memcmp(s->sent + row, fresh.sent + row, s->ncolumn * sizeof *s->sent) == 0;
        if (!same) status = hd_fail(ctx, HD_FAULT, "settle: counts of link %u are not those of the rows", a);
    }
    hd_arena_release(&scratch);
    return status;
}

/* ---- passes ------------------------------------------------------------------------------------ */

struct passes {
    struct tree *tree; /* [threads] */
    uint32_t batch;
    uint8_t *row;    /* [batch * nsw] rows built */
    bool *changed;   /* [batch] */
    uint32_t *order; /* [nep] destinations that count, shuffled */
    bool large;      /* then a tree that was not changed in one pass is left alone in the next ones */
    bool *rests;     /* [nep] */
};

static hd_status passes_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_settle *s, struct passes *p)
{
    const struct hd_net *net = s->shortest->links.net;
    int threads = hd_threads(ctx);
    p->batch = s->opt.batch ? s->opt.batch : net->nep / PER_BATCH;
    if (p->batch < 1) p->batch = 1;
    if (p->batch > MAX_BATCH) p->batch = MAX_BATCH;
    p->large = hd_settle_large(s->shortest);
    p->tree = HD_NEW(a, struct tree, (size_t)threads);
    p->row = HD_NEW(a, uint8_t, (size_t)p->batch * net->nsw);
    p->changed = HD_NEW(a, bool, p->batch);
    p->order = HD_NEW(a, uint32_t, net->nep);
    p->rests = HD_NEW(a, bool, net->nep);
    if (!p->tree || !p->row || !p->changed || !p->order || !p->rests) return hd_fail_memory(ctx);
    for (int i = 0; i < threads; i++) HD_TRY(tree_init(ctx, a, s, &p->tree[i]));
    return HD_OK;
}

static void run_batch(struct hd_ctx *ctx, struct hd_settle *s, struct passes *p, const uint32_t *d, uint32_t n)
{
    uint32_t nsw = s->shortest->links.net->nsw;
#pragma omp parallel for schedule(dynamic, 1) num_threads(hd_threads(ctx)) if (n >= MIN_SHARED)
    for (uint32_t i = 0; i < n; i++)
        p->changed[i] = build_tree(s, d[i], &p->tree[hd_thread_id()], p->row + (size_t)i * nsw);
    for (uint32_t i = 0; i < n; i++) {
        p->rests[d[i]] = p->large && !p->changed[i];
        if (p->changed[i]) apply_row(s, d[i], p->row + (size_t)i * nsw, &p->tree[0]);
    }
}

/* One pass: in a new order, those that do not rest. */
static void run_pass(struct hd_ctx *ctx, struct hd_settle *s, struct passes *p, uint32_t n)
{
    struct hd_rng rng;
    uint32_t d[MAX_BATCH], filled = 0;
    hd_rng_init(&rng, s->opt.seed, HD_RNG_ENGINE, s->done);
    hd_rng_shuffle(&rng, p->order, n);
    s->changed = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!p->rests[p->order[i]]) d[filled++] = p->order[i];
        if (filled < p->batch && (i + 1 < n || !filled)) continue;
        run_batch(ctx, s, p, d, filled);
        filled = 0;
        hd_progress(ctx, "settling", (uint64_t)s->done * n + i, (uint64_t)s->opt.passes * n);
    }
    s->done++;
}

/* Destinations that do not count follow the others and leave no trace. */
static void place_the_rest(struct hd_settle *s, struct tree *t)
{
    const struct hd_net *net = s->shortest->links.net;
    for (uint32_t d = 0; d < net->nep; d++) {
        uint8_t *row = hd_row(s->r, d, 0);
        uint32_t c = net->rev[net->off[net->nsw + d]];
        if (counts(s, d)) continue;
        memset(row, HD_SLOT_NONE, net->nsw);
        build_tree(s, d, t, row);
        row[net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
    }
}

/* Whether another pass is worth it: a few paths in a thousand still change, and on a large network fewer
 * than in the pass before. */
static bool goes_on(const struct hd_settle *s, const struct passes *p, uint64_t before)
{
    if (s->done == s->opt.passes || s->changed * STOP < s->paths) return false;
    return !p->large || s->done < 2 || s->changed * 10 < before * 9;
}

hd_status hd_settle_run(struct hd_ctx *ctx, struct hd_settle *s, const struct hd_settle_opt *opt)
{
    const struct hd_net *net = s->shortest->links.net;
    struct hd_arena scratch = {0};
    struct passes p = {0};
    uint32_t n = 0;
    s->opt = *opt;
    hd_status status = passes_init(ctx, &scratch, s, &p);
    for (uint32_t d = 0; status == HD_OK && d < net->nep; d++)
        if (counts(s, d)) p.order[n++] = d;
    uint64_t before = 0;
    s->done = 0;
    s->changed = s->paths;
    while (status == HD_OK && n && goes_on(s, &p, before)) {
        before = s->changed;
        run_pass(ctx, s, &p, n);
    }
    if (status == HD_OK) place_the_rest(s, &p.tree[0]);
    hd_arena_release(&scratch);
    return status;
}
