/* SPDX-License-Identifier: BSD-2-Clause */
/* settle: routes that no longer change when they are rebuilt. Trees are built and rebuilt (settle_trees.c) from one or
 * several starts; each result gets its VLs (vl_assign.c), and of several the one that gives random pairs the largest
 * share of the bandwidth is kept.
 *   1  by structure (structured_routes.c) where the network has a shape, else psssp
 *   2  nothing: the first pass then places the trees one after the other
 *   3  nothing, with beta half-way to 1: often best on oversubscribed trees
 *   4  with a demand, the first once more as if there were none: scattered jobs have nothing to gain from it
 * An evenly filled grid, or a tree that is not oversubscribed, is done after the first; so are most large networks.
 * Cost: each start takes up to `passes` passes of settle_trees.c and one assignment of VLs. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/vl_assign.h"
#include "route/engine/settle_trees.h"
#include "load/share_estimate.h"
#include "route/kernel/sssp_options.h"
#include "route/kernel/structured_routes.h"

enum settle_start { AUTO, EMPTY, PSSSP, STRUCTURE };

struct settle_opt {
    int start, lanes;
    uint64_t tries, passes, maxlanes, seed;
    double alpha, beta, rest;
    const char *weights, *traffic;
    int format;
};

enum { KEEP = 100 << 20 };                                          /* bytes for shortest paths */
enum { EVEN = 20 };                                                 /* see is_better */
enum { WALKS = 1 << 20, LEAST_SAMPLES = 100, MOST_SAMPLES = 4000 }; /* pairs walked to compare two results */

static void start_empty(struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    for (uint32_t d = 0; d < net->nep; d++) {
        uint32_t c = net->rev[net->off[net->nsw + d]];
        hd_row(r, d, 0)[net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
    }
}

static hd_status fill_start(struct hd_ctx *ctx, const struct hd_shortest *shortest, enum settle_start start,
                            struct hd_routes *r)
{
    if (start == PSSSP) return hd_sssp_fill(ctx, &(struct hd_sssp_opt){.minimal = true}, shortest, r);
    if (start == STRUCTURE) return hd_structured_fill(ctx, shortest, r);
    start_empty(r);
    return HD_OK;
}

struct settle_job {
    const struct settle_opt *opt;
    const struct hd_net *net;
    struct hd_shortest shortest;
    struct hd_demand room;
    const struct hd_demand *demand; /* NULL: all pairs alike */
    struct hd_settle settle, plain; /* plain: without the demand, where there is one */
    struct hd_routes *best;
    double share;
    uint32_t largest; /* load of all pairs on a link */
    uint32_t replaced;
};

static hd_status settle_from(struct hd_ctx *ctx, struct settle_job *j, struct hd_settle *settle,
                             enum settle_start start, double beta, struct hd_routes *r, uint32_t *replaced)
{
    const struct settle_opt *o = j->opt;
    struct hd_settle_opt opt = {.alpha = (uint32_t)(o->alpha * HD_SETTLE_ONE + 0.5),
                                .beta = (uint32_t)(beta * HD_SETTLE_ONE + 0.5),
                                .passes = (uint32_t)o->passes,
                                .seed = o->seed ? o->seed : ctx->seed};
    HD_TRY(fill_start(ctx, &j->shortest, start, r));
    HD_TRY(hd_settle_count(ctx, settle, r));
    HD_TRY(hd_settle_run(ctx, settle, &opt));
    return hd_lanes_ensure(ctx, r, (enum hd_lanes_mode)o->lanes, (uint32_t)o->maxlanes, replaced);
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

/* One more try; it is kept when it is better. The last of one is never compared. */
static hd_status try_start(struct hd_ctx *ctx, struct settle_job *j, struct hd_settle *settle, enum settle_start start,
                           double beta, bool compare)
{
    struct hd_routes *r;
    uint32_t replaced, samples = j->net->nep ? WALKS / j->net->nep : 1;
    double share = 0;
    HD_TRY(hd_routes_make(ctx, j->net, 1, &r));
    hd_status s = settle_from(ctx, j, settle, start, beta, r, &replaced);
    if (samples < LEAST_SAMPLES) samples = LEAST_SAMPLES;
    if (samples > MOST_SAMPLES) samples = MOST_SAMPLES;
    if (s == HD_OK && compare) s = hd_share_estimate(ctx, r, j->demand, samples, &share);
    if (s == HD_OK && (!j->best || settle_is_better(j, share, settle_largest_load(settle)))) {
        hd_routes_free(j->best);
        j->best = r;
        j->share = share;
        j->largest = settle_largest_load(settle);
        j->replaced = replaced;
    } else {
        hd_routes_free(r);
    }
    return s;
}

/* How many beginnings: from structure alone where that is whole; on a large network one more on a tree
 * that is thinner towards the top, where it gains most. */
static uint64_t count_tries(const struct settle_job *j)
{
    if (hd_structured_whole(j->net) && (!j->demand || hd_settle_large(&j->shortest))) return 1;
    if (j->opt->tries) return j->opt->tries;
    if (!hd_settle_large(&j->shortest)) return 3;
    return j->net->shape.kind == HD_SHAPE_TREE && j->net->shape.n > 2 ? 2 : 1;
}

static hd_status try_all(struct hd_ctx *ctx, struct settle_job *j)
{
    const struct settle_opt *o = j->opt;
    struct hd_settle *settle = &j->settle;
    enum settle_start first = j->net->shape.kind == HD_SHAPE_NONE ? PSSSP : STRUCTURE;
    if (o->start != AUTO) return try_start(ctx, j, settle, (enum settle_start)o->start, o->beta, false);
    uint64_t tries = count_tries(j);
    HD_TRY(try_start(ctx, j, settle, first, o->beta, tries > 1));
    if (tries > 1) HD_TRY(try_start(ctx, j, settle, EMPTY, o->beta, true));
    if (tries > 2) HD_TRY(try_start(ctx, j, settle, EMPTY, (1 + o->beta) / 2, true));
    if (tries > 2 && j->demand) HD_TRY(try_start(ctx, j, &j->plain, first, o->beta, true));
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
    if (o->start == EMPTY && o->passes == 0)
        return hd_fail(ctx, HD_INPUT, "settle: start=empty with passes=0 routes nothing: expected at least one pass");
    if (o->start == STRUCTURE && net->shape.kind == HD_SHAPE_NONE)
        return hd_fail_na(ctx, "settle:start=structure", net->spec, "neither a tree nor a grid");
    return HD_OK;
}

static hd_status settle_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    struct settle_job j = {.opt = opt, .net = r->net};
    HD_TRY(read_demand(ctx, scratch, &j));
    HD_TRY(hd_shortest_init(ctx, scratch, r, &j.shortest));
    HD_TRY(hd_shortest_keep(ctx, scratch, &j.shortest, KEEP));
    HD_TRY(hd_settle_init(ctx, scratch, &j.shortest, j.demand, &j.settle));
    if (j.demand) HD_TRY(hd_settle_init(ctx, scratch, &j.shortest, NULL, &j.plain));
    hd_status s = try_all(ctx, &j);
    if (s == HD_OK) hd_routes_swap(r, j.best);
    hd_routes_free(j.best);
    if (s == HD_OK && j.replaced)
        hd_note(ctx, "settle: %u VLs are not enough: %u of %u destinations are routed up/down",
                (unsigned)j.opt->maxlanes, j.replaced, r->net->nep);
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
    {"tries", HD_UINT, "0", "starts that start=auto may try; 0: three, fewer on a large network",
     offsetof(struct settle_opt, tries), 0, 3, NULL, false},
    {"passes", HD_UINT, "16", "maximum number of passes over all destinations", offsetof(struct settle_opt, passes), 0,
     1000, NULL, false},
    {"alpha", HD_REAL, "2",
     "weight of a destination that is already reached over a channel; limited to the endpoints of the "
     "switch",
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
    HD_LANES_ROWS(struct settle_opt),
    {0}};

const struct hd_engine hd_engine_settle = {
    .desc = {.name = "settle",
             .summary = "shortest paths on any network, iteratively rerouted to minimise contention between concurrent "
                        "flows",
             .text = "Two pairs are in contention if they share a channel and have neither source nor destination in "
                     "common; sharing several channels in a row counts about once. The tree of each destination in "
                     "turn is taken out and built again, switch by switch with increasing distance, over the links "
                     "where it meets the fewest such pairs, until less than half a per cent of the paths change. Then "
                     "VLs are assigned as in dfsssp. It gives random pairs more bandwidth than psssp on every kind of "
                     "network and than D-mod-K on oversubscribed trees, and needs fewer VLs. Given jobs (weights=) or "
                     "a traffic matrix (traffic=), it routes for those pairs and takes the others into account by "
                     "rest=.",
             .cite = "heddle",
             .params = settle_params,
             .examples = (const char *const[]){"settle", "settle:start=empty,beta=0.75", "settle:lanes=dest", NULL},
             .opt_size = sizeof(struct settle_opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "settle",
    .cost = settle_cost,
    .applies = settle_applies,
    .route = settle_route};
