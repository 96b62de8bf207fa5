/* SPDX-License-Identifier: BSD-2-Clause */
/* settle: routes that no longer change when they are rebuilt. Trees are built and rebuilt (settle_trees.c) from one or
 * several starts; each result gets its VLs (vl_assign.c), and of several the one that gives random pairs the largest
 * share of the bandwidth is kept.
 *   1  by structure (structured_routes.c) where the network has a shape, else psssp
 *   2  nothing: the first pass then places the trees one after the other
 *   3  nothing, with beta half-way to 1: often best on oversubscribed trees
 *   4  with a demand, the first once more as if there were none: scattered jobs have nothing to gain from it
 * table= begins with a table in use instead, from which fewer paths change.
 * Cables that are not where they belong (settle_strays.c) may join parts of a structure that are far apart: all pairs
 * of these parts would share them. Where such cables shorten paths, the first start is tried a second time with paths
 * that they do not shorten, and the others take the kind of paths that was better.
 * An evenly filled grid, or a tree that is not oversubscribed, is done after the first; so are most large networks.
 * If it needs several VLs only for endpoints that are not selected, their paths change (settle_rest.c).
 * If the best needs more VLs than there may be, trees are grown within these (settle_budget.c), guided by it: several
 * times, from different spanning trees and seeds, the fewer the larger the network.
 * lmc= adds paths at the end (more_paths.c), and VLs are assigned to all of them again.
 * Cost: each start takes up to `passes` passes of settle_trees.c and one assignment of VLs. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/vl_assign.h"
#include "route/engine/more_paths.h"
#include "route/engine/settle_budget.h"
#include "route/engine/settle_rest.h"
#include "route/engine/settle_strays.h"
#include "route/engine/settle_trees.h"
#include "load/share_estimate.h"
#include "route/kernel/sssp_options.h"
#include "route/kernel/structured_routes.h"

enum settle_start { AUTO, EMPTY, PSSSP, STRUCTURE, TABLE };
enum settle_lanes { LANES_PATH, LANES_DEST, LANES_HOP };

struct settle_opt {
    int start, lanes;
    uint64_t tries, passes, maxlanes, seed, lmc;
    double alpha, beta, rest;
    const char *weights, *traffic, *table;
    int format;
};

enum { KEEP = 100 << 20 };                               /* bytes for shortest paths */
enum { EVEN = 20 };                                      /* see is_better */
enum { BUDGET_SMALL = 1 << 17, BUDGET_LARGE = 1 << 20 }; /* destinations x links */

static void start_empty(struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    for (uint32_t d = 0; d < net->nep; d++) {
        uint32_t c = net->rev[net->off[net->nsw + d]];
        hd_row(r, d, 0)[net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
    }
}

/* The entries of the table that are on shortest paths; where there is none, the link that fewest of those take that
 * lack one too. */
static hd_status start_table(struct hd_ctx *ctx, const struct hd_shortest *shortest, const struct hd_routes *table,
                             struct hd_routes *r)
{
    const struct hd_links *l = &shortest->links;
    struct hd_arena scratch = {0};
    struct hd_dag room;
    uint32_t *taken = HD_NEW(&scratch, uint32_t, l->n);
    hd_status s = taken ? hd_dag_init(ctx, &scratch, l, &room) : hd_fail_memory(ctx);
    start_empty(r);
    for (uint32_t d = 0; s == HD_OK && d < l->net->nep; d++) {
        const struct hd_dag *dag = hd_dag_get(shortest, hd_leaf(l->net, d), &room);
        const uint8_t *old = hd_routes_row(table, d, 0, NULL);
        uint8_t *row = hd_row(r, d, 0);
        for (uint32_t i = 1; i < dag->n; i++) {
            uint32_t v = dag->order[i], best = dag->link[dag->first[i]];
            bool kept = false;
            for (uint32_t k = dag->first[i]; k < dag->first[i + 1] && !kept; k++) {
                kept = old[v] == hd_link_slot(l, v, dag->link[k]);
                if (kept || taken[dag->link[k]] < taken[best]) best = dag->link[k];
            }
            taken[best] += !kept;
            row[v] = hd_link_slot(l, v, best);
        }
    }
    hd_arena_release(&scratch);
    return s;
}

static hd_status fill_start(struct hd_ctx *ctx, const struct hd_shortest *shortest, enum settle_start start,
                            const char *path, struct hd_routes *r)
{
    struct hd_routes *table;
    if (start == PSSSP) return hd_sssp_fill(ctx, &(struct hd_sssp_opt){.minimal = true}, shortest, r);
    if (start == STRUCTURE) return hd_structured_fill(ctx, shortest, r);
    if (start == TABLE) {
        HD_TRY(hd_routes_read(ctx, r->net, path, HD_USE_FIRST, &table));
        hd_status s = start_table(ctx, shortest, table, r);
        hd_routes_free(table);
        return s;
    }
    start_empty(r);
    return HD_OK;
}

struct settle_paths {
    struct hd_shortest shortest;
    struct hd_settle settle, plain; /* plain: without the demand, where there is one */
};

struct settle_job {
    const struct settle_opt *opt;
    const struct hd_net *net;
    struct hd_demand room;
    const struct hd_demand *demand; /* NULL: all pairs alike */
    struct settle_paths all, usual; /* usual: those that stray cables do not shorten */
    struct settle_paths *paths;     /* the better of the two */
    bool strays;                    /* usual is there */
    struct hd_routes *best;
    double share;
    uint32_t largest;         /* load of all pairs on a link */
    struct hd_routes *wanted; /* the best of those that need too many VLs */
    double wanted_share;
};

static enum hd_lanes_mode settle_mode(const struct settle_opt *o)
{
    return o->lanes == LANES_DEST ? HD_LANES_DEST : HD_LANES_PATH;
}

static uint64_t settle_seed(const struct hd_ctx *ctx, const struct settle_opt *o)
{
    return o->seed ? o->seed : ctx->seed;
}

static hd_status settle_from(struct hd_ctx *ctx, struct settle_job *j, struct hd_settle *settle,
                             enum settle_start start, double beta, struct hd_routes *r, bool *fits)
{
    const struct settle_opt *o = j->opt;
    struct hd_settle_opt opt = {.alpha = (uint32_t)(o->alpha * HD_SETTLE_ONE + 0.5),
                                .beta = (uint32_t)(beta * HD_SETTLE_ONE + 0.5),
                                .passes = (uint32_t)o->passes,
                                .seed = settle_seed(ctx, o)};
    HD_TRY(fill_start(ctx, settle->shortest, start, o->table, r));
    HD_TRY(hd_settle_count(ctx, settle, r));
    HD_TRY(hd_settle_run(ctx, settle, &opt));
    return hd_lanes_fit(ctx, r, settle_mode(o), (uint32_t)o->maxlanes, fits);
}

static uint32_t settle_largest_load(const struct hd_settle *s)
{
    uint32_t most = 0;
    for (uint32_t a = 0; a < s->shortest->links.n; a++)
        if (s->pairs[a] > most) most = s->pairs[a];
    return most;
}

/* Whether a try is better than the best so far. One that loads its fullest link more when all pairs send must
 * give random pairs that much more: a twentieth of it. A demand has no say for all pairs. */
static bool settle_is_better(const struct settle_job *j, double share, uint32_t largest)
{
    double more = j->largest && !j->demand ? ((double)largest - j->largest) / j->largest : 0;
    return share > j->share * (1 + (more > 0 ? more / EVEN : 0));
}

static hd_status settle_estimate(struct hd_ctx *ctx, const struct settle_job *j, const struct hd_routes *r,
                                 double *share)
{
    return hd_share_estimate(ctx, r, j->demand, hd_share_samples(j->net), share);
}

/* Keeps r if it is better, else frees it. */
static void settle_keep(struct settle_job *j, struct hd_routes *r, double share, uint32_t largest)
{
    if (j->best && !settle_is_better(j, share, largest)) {
        hd_routes_free(r);
        return;
    }
    hd_routes_free(j->best);
    j->best = r;
    j->share = share;
    j->largest = largest;
}

/* The same for routes that need too many VLs. */
static void settle_want(struct settle_job *j, struct hd_routes *r, double share)
{
    bool better = !j->wanted || share > j->wanted_share;
    hd_routes_free(better ? j->wanted : r);
    if (!better) return;
    j->wanted = r;
    j->wanted_share = share;
}

/* One more try; it is kept when it is better. The last of one is never compared. */
static hd_status try_start(struct hd_ctx *ctx, struct settle_job *j, struct hd_settle *settle, enum settle_start start,
                           double beta, bool compare)
{
    struct hd_routes *r;
    bool fits = false;
    double share = 0;
    HD_TRY(hd_routes_make(ctx, j->net, 1, &r));
    hd_status s = settle_from(ctx, j, settle, start, beta, r, &fits);
    if (s == HD_OK && compare) s = settle_estimate(ctx, j, r, &share);
    if (s != HD_OK)
        hd_routes_free(r);
    else if (fits)
        settle_keep(j, r, share, settle_largest_load(settle));
    else
        settle_want(j, r, share);
    return s;
}

/* How many beginnings: from structure alone where that is whole; on a large network one more on a tree
 * that is thinner towards the top, where it gains most. */
static uint64_t count_tries(const struct settle_job *j)
{
    if (hd_structured_whole(j->net) && (!j->demand || hd_settle_large(&j->all.shortest))) return 1;
    if (j->opt->tries) return j->opt->tries;
    if (!hd_settle_large(&j->all.shortest)) return 3;
    return j->net->shape.kind == HD_SHAPE_TREE && j->net->shape.n > 2 ? 2 : 1;
}

/* The first try, with either kind of paths where there are two; the others then take the better kind. */
static hd_status try_first(struct hd_ctx *ctx, struct settle_job *j, enum settle_start start, bool compare)
{
    HD_TRY(try_start(ctx, j, &j->all.settle, start, j->opt->beta, compare || j->strays));
    if (!j->strays) return HD_OK;
    const double share = j->share, wanted = j->wanted_share;
    HD_TRY(try_start(ctx, j, &j->usual.settle, start, j->opt->beta, true));
    if (j->share > share || (!j->best && j->wanted_share > wanted)) j->paths = &j->usual;
    return HD_OK;
}

static hd_status try_all(struct hd_ctx *ctx, struct settle_job *j)
{
    const struct settle_opt *o = j->opt;
    enum settle_start first = j->net->shape.kind == HD_SHAPE_NONE ? PSSSP : STRUCTURE;
    if (*o->table) return try_first(ctx, j, TABLE, false);
    if (o->start != AUTO) return try_first(ctx, j, (enum settle_start)o->start, false);
    uint64_t tries = count_tries(j);
    HD_TRY(try_first(ctx, j, first, tries > 1));
    struct hd_settle *settle = &j->paths->settle;
    if (tries > 1) HD_TRY(try_start(ctx, j, settle, EMPTY, o->beta, true));
    if (tries > 2) HD_TRY(try_start(ctx, j, settle, EMPTY, (1 + o->beta) / 2, true));
    if (tries > 2 && j->demand) HD_TRY(try_start(ctx, j, &j->paths->plain, first, o->beta, true));
    return HD_OK;
}

/* ---- within the VLs --------------------------------------------------------------------------- */

static uint64_t settle_size(const struct settle_job *j)
{
    return (uint64_t)j->net->nep * j->all.shortest.links.n;
}

static hd_status try_budget(struct hd_ctx *ctx, struct settle_job *j, struct hd_budget *b, uint32_t children,
                            uint64_t seed)
{
    const struct hd_budget_opt opt = {.mode = settle_mode(j->opt),
                                      .beta = (uint32_t)(j->opt->beta * HD_GROWTH_ONE + 0.5),
                                      .passes = settle_size(j) > BUDGET_LARGE ? 2 : 3,
                                      .children = children,
                                      .seed = seed};
    struct hd_routes *r;
    double share = 0;
    HD_TRY(hd_routes_make(ctx, j->net, 1, &r));
    hd_status s = hd_budget_run(ctx, b, &opt, j->wanted, r);
    if (s == HD_OK) s = settle_estimate(ctx, j, r, &share);
    if (s == HD_OK)
        settle_keep(j, r, share, j->largest);
    else
        hd_routes_free(r);
    return s;
}

/* Dimension order in VLs that change at datelines: shortest paths on an intact torus in two VLs. */
static hd_status try_hops(struct hd_ctx *ctx, struct hd_arena *scratch, struct settle_job *j)
{
    const struct hd_engine *e = &hd_engine_torus2qos;
    struct hd_routes *r;
    double share = 0;
    hd_status s = e->applies(ctx, e, j->net, NULL);
    if (s != HD_OK) return s == HD_NA ? HD_OK : s;
    HD_TRY(hd_routes_new(ctx, j->net, &r));
    s = e->route(ctx, NULL, scratch, r);
    if (s == HD_OK && r->nlanes <= j->opt->maxlanes) {
        s = settle_estimate(ctx, j, r, &share);
        if (s == HD_OK) {
            settle_keep(j, r, share, j->largest);
            return HD_OK;
        }
    }
    hd_routes_free(r);
    return s == HD_NA ? HD_OK : s; /* its paths may be too long */
}

static uint32_t settle_most_links(const struct hd_links *l)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < l->net->nsw; v++)
        if (l->first[v + 1] - l->first[v] > most) most = l->first[v + 1] - l->first[v];
    return most;
}

/* Several spanning trees, then other seeds with the best of them. Few children per switch are best on dragonflies and
 * Slim Flies, more on random networks. */
static hd_status try_budget_trees(struct hd_ctx *ctx, struct settle_job *j, struct hd_budget *b)
{
    const uint32_t all = settle_most_links(&j->all.shortest.links), children[] = {all, 3, 4};
    const uint32_t tries = settle_size(j) > BUDGET_LARGE ? 2 : settle_size(j) > BUDGET_SMALL ? 3 : 8;
    const uint64_t seed = settle_seed(ctx, j->opt);
    const uint32_t trees = all > 4 ? 3 : all > 3 ? 2 : 1; /* that differ */
    uint32_t best = all;
    for (uint32_t i = 0; i < tries; i++) {
        const double before = j->share;
        const uint32_t now = i < trees ? children[i] : best;
        HD_TRY(try_budget(ctx, j, b, now, seed + (i < trees ? 0 : i)));
        if (j->share > before) best = now;
    }
    return HD_OK;
}

/* Routes within the VLs where what is wanted needs more and is better than what fits. */
static hd_status try_budgets(struct hd_ctx *ctx, struct hd_arena *scratch, struct settle_job *j)
{
    struct hd_budget b;
    if (!j->wanted || (j->best && j->share >= j->wanted_share)) return HD_OK;
    HD_TRY(hd_budget_init(ctx, scratch, j->wanted, j->demand, (uint32_t)j->opt->maxlanes, &b));
    HD_TRY(try_budget_trees(ctx, j, &b));
    if (j->opt->lanes == LANES_HOP && !j->opt->lmc) HD_TRY(try_hops(ctx, scratch, j));
    hd_note(ctx, "settle: the best routes need more VLs than maxlanes=%u: these need no more",
            (unsigned)j->opt->maxlanes);
    return HD_OK;
}

/* One VL, where the paths between selected endpoints need no more. */
static hd_status settle_one_vl(struct hd_ctx *ctx, struct settle_job *j)
{
    struct hd_routes *r;
    if (j->best->nlanes < 2 || j->net->nsel == j->net->nep || !j->best->table) return HD_OK;
    HD_TRY(hd_settle_rest(ctx, j->best, &r));
    if (!r) return HD_OK;
    hd_routes_free(j->best);
    j->best = r;
    return HD_OK;
}

/* What is sent, where a file says so. */
static hd_status read_demand(struct hd_ctx *ctx, struct hd_arena *a, struct settle_job *j)
{
    const struct settle_opt *o = j->opt;
    const struct hd_net *net = j->net;
    if (!*o->weights && !*o->traffic) return HD_OK;
    if (*o->weights && *o->traffic)
        return hd_fail(ctx, HD_INPUT, "settle: weights= and traffic= both give the demand: expected one of them");
    struct hd_traffic_in in = {.path = o->traffic,
                               .format = (enum hd_traffic_format)o->format,
                               .unit = 1,
                               .net = net,
                               .ep = net->sel,
                               .n = net->nsel};
    if (*o->traffic)
        HD_TRY(hd_demand_read_traffic(ctx, a, &in, o->rest, &j->room));
    else
        HD_TRY(hd_demand_read_jobs(ctx, a, net, o->weights, o->rest, &j->room));
    j->demand = &j->room;
    return HD_OK;
}

static hd_status settle_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net,
                                const void *opt)
{
    (void)e;
    const struct settle_opt *o = opt;
    if (*o->table && o->start != AUTO)
        return hd_fail(ctx, HD_INPUT, "settle: table= and start= both say where to begin: expected one of them");
    if (o->start == EMPTY && o->passes == 0)
        return hd_fail(ctx, HD_INPUT, "settle: start=empty with passes=0 routes nothing: expected at least one pass");
    if (o->start == STRUCTURE && net->shape.kind == HD_SHAPE_NONE)
        return hd_fail_na(ctx, "settle:start=structure", net->spec, "neither a tree nor a grid");
    return HD_OK;
}

/* Further paths and the VLs of all. */
static hd_status settle_more_paths(struct hd_ctx *ctx, const struct settle_job *j, struct hd_routes *r)
{
    const struct settle_opt *o = j->opt;
    uint32_t replaced = 0;
    if (!o->lmc) return HD_OK;
    HD_TRY(hd_more_paths(ctx, &j->paths->shortest, o->lmc, r));
    HD_TRY(hd_more_lanes(ctx, r, settle_mode(o), (uint32_t)o->maxlanes, &replaced));
    if (replaced)
        hd_note(ctx, "settle: %u VLs are not enough for %u paths per destination: %u of %u LIDs are routed up/down",
                (unsigned)o->maxlanes, r->nvar, replaced, r->net->nep * r->nvar);
    return HD_OK;
}

static hd_status settle_paths_init(struct hd_ctx *ctx, struct hd_arena *a, const struct settle_job *j,
                                   struct settle_paths *p)
{
    HD_TRY(hd_shortest_keep(ctx, a, &p->shortest, KEEP));
    HD_TRY(hd_settle_init(ctx, a, &p->shortest, j->demand, &p->settle));
    return j->demand ? hd_settle_init(ctx, a, &p->shortest, NULL, &p->plain) : HD_OK;
}

/* A few cables between parts of a structure that are far apart would attract all pairs of these parts. */
static hd_status settle_find_usual(struct hd_ctx *ctx, struct hd_arena *a, struct settle_job *j)
{
    bool *stray;
    if (hd_structured_whole(j->net)) return HD_OK;
    HD_TRY(hd_settle_strays(ctx, a, j->net, &stray));
    if (!stray) return HD_OK;
    HD_TRY(hd_shortest_without(ctx, a, &j->all.shortest, stray, &j->usual.shortest, &j->strays));
    return j->strays ? settle_paths_init(ctx, a, j, &j->usual) : HD_OK;
}

static hd_status settle_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    struct settle_job j = {.opt = opt, .net = r->net};
    HD_TRY(read_demand(ctx, scratch, &j));
    HD_TRY(hd_shortest_init(ctx, scratch, r, &j.all.shortest));
    HD_TRY(settle_paths_init(ctx, scratch, &j, &j.all));
    HD_TRY(settle_find_usual(ctx, scratch, &j));
    j.paths = &j.all;
    hd_status s = try_all(ctx, &j);
    if (s == HD_OK) s = try_budgets(ctx, scratch, &j);
    if (s == HD_OK) s = settle_one_vl(ctx, &j);
    if (s == HD_OK) s = settle_more_paths(ctx, &j, j.best);
    if (s == HD_OK) hd_routes_swap(r, j.best);
    hd_routes_free(j.best);
    hd_routes_free(j.wanted);
    return s;
}

static double settle_cost(const struct hd_sizes *z)
{
    return 10 * hd_cost_table(z) + hd_cost_lanes(z);
}

static const struct hd_param settle_params[] = {
    {"start", HD_WORD, "auto",
     "begin with: nothing, psssp, or the structure of a tree (D-mod-K) or grid (DOR); auto tries "
     "several",
     offsetof(struct settle_opt, start), 0, 0, "auto|empty|psssp|structure", false},
    {"table", HD_TEXT, "", "begin with this table file, where it has shortest paths: fewer paths change",
     offsetof(struct settle_opt, table), 0, 0, NULL, false},
    {"tries", HD_UINT, "0", "starts that start=auto may try; 0: three, fewer on a large network",
     offsetof(struct settle_opt, tries), 0, 3, NULL, false},
    {"passes", HD_UINT, "16", "maximum number of passes over all destinations", offsetof(struct settle_opt, passes), 0,
     1000, NULL, false},
    {"alpha", HD_REAL, "2",
     "weight of a destination that is already reached over a channel; less than the endpoints of the switch",
     offsetof(struct settle_opt, alpha), 0, 100, NULL, false},
    {"beta", HD_REAL, "0.5", "share of the pairs coming along from the channel before that is given back",
     offsetof(struct settle_opt, beta), 0, 1, NULL, false},
    {"seed", HD_UINT, "0", "of the order of destinations; 0: the seed of the command",
     offsetof(struct settle_opt, seed), 0, 9007199254740991.0, NULL, false},
    {"weights", HD_TEXT, "",
     "route for jobs: a file with lines of endpoint, weight and job; pairs within a job count, by the "
     "product of their weights",
     offsetof(struct settle_opt, weights), 0, 0, NULL, false},
    {"traffic", HD_TEXT, "",
     "route for a traffic matrix: a file as the pattern file reads it; ranks are the selected "
     "endpoints",
     offsetof(struct settle_opt, traffic), 0, 0, NULL, false},
    {"format", HD_WORD, "auto", "format of traffic=", offsetof(struct settle_opt, format), 0, 0, HD_TRAFFIC_FORMATS,
     false},
    {"rest", HD_REAL, "0.3", "weight of all pairs together besides those given, as a share of theirs",
     offsetof(struct settle_opt, rest), 0, 1000, NULL, false},
    {"lanes", HD_WORD, "path",
     "one VL per path (leaf switch, destination), or one for all paths to a destination; hop: on tori and meshes VLs "
     "may also change along the path, which no QoS policy can express",
     offsetof(struct settle_opt, lanes), 0, 0, "path|dest|hop", false},
    {"maxlanes", HD_UINT, "8",
     "VLs that may be used; where they are not enough, trees keep clear of turns that close a cycle",
     offsetof(struct settle_opt, maxlanes), 1, HD_LANES_MOST, NULL, false},
    HD_LMC_ROW(struct settle_opt),
    {0}};

const struct hd_engine hd_engine_settle = {
    .desc =
        {.name = "settle",
         .summary = "shortest paths on any network, iteratively rerouted to minimise contention between concurrent "
                    "flows",
         .text =
             "Two pairs are in contention if they share a channel and have neither source nor destination in "
             "common; sharing several channels in a row counts about once. The tree of each destination in "
             "turn is taken out and built again, switch by switch with increasing distance, over the links "
             "where it meets the fewest such pairs, until less than half a per cent of the paths change. Then "
             "VLs are assigned as in dfsssp. Where maxlanes VLs are not enough, trees grow again within turns "
             "that close no cycle: for each VL an order of all channels is chosen in which most pairs go "
             "forwards, and channels outside it are used only as long as the VL stays free of cycles; some "
             "paths are then longer. It gives random pairs more bandwidth than psssp on every kind of "
             "network and than D-mod-K on oversubscribed trees, and needs fewer VLs. Where cables that are swapped, "
             "wrong or extra (heddle topo) shorten paths, those that they do not shorten are tried too, and "
             "the better ones kept. Given jobs (weights=) or "
             "a traffic matrix (traffic=), it routes for those pairs and takes the others into account by "
             "rest=. With lmc= every destination gets further LIDs, each with a path of its own: shortest "
             "paths that share as few channels as possible with the others of the destination, and among these "
             "the least loaded.",
         .cite = "heddle",
         .params = settle_params,
         .examples =
             (const char *const[]){"settle", "settle:start=empty,beta=0.75", "settle:lanes=dest", "settle:maxlanes=1",
                                   "settle:lanes=dest,maxlanes=2", "settle:lanes=hop,maxlanes=2", "settle:lmc=2", NULL},
         .opt_size = sizeof(struct settle_opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "settle",
    .cost = settle_cost,
    .applies = settle_applies,
    .route = settle_route};
