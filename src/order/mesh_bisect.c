/* SPDX-License-Identifier: BSD-2-Clause */
/* Recursive bisection of the places of a mesh: the leaves in tree order are split into two halves, and the places into
 * two sets as large as these that send each other little; then each half by itself, until a set is on one leaf. A set
 * is split by METIS where that is installed (HD_HAVE_METIS), with a fixed seed; METIS keeps to sizes only about, so
 * places that lose least change sides until both fit. Without METIS, and where it fails, the split is our own, by
 * Kernighan and Lin's exchanges: O(places^2 + flows) a pass at the top, with a limit on the exchanges above 4,000
 * places.
 * Karypis, Kumar: A fast and high quality multilevel scheme for partitioning irregular graphs.
 * Kernighan, Lin: An efficient heuristic procedure for partitioning graphs. */
#include "base/status.h"
#include "order/mesh_job.h"

#include <stdlib.h>
#include <string.h>

#ifdef HD_HAVE_METIS
#include <math.h>
#include <metis.h>
#include <signal.h>
#endif

struct bisector {
    struct hd_ctx *ctx;
    const struct hd_job_view *view;
    const struct hd_mesh_job *job;
    const uint32_t *tree;
    size_t *at;     /* [n + 1] neighbours of a place */
    uint32_t *near; /* places, each once */
    double *weight; /* bytes, both directions */
    double *gain;   /* [n] of moving a place to the other side */
    uint8_t *side;  /* [n] 0, 1, 2: not in the set */
    uint32_t *order;
    bool *locked;     /* [n] */
    uint32_t *traded; /* [n] pairs, in order */
#ifdef HD_HAVE_METIS
    idx_t *number; /* [n] of a place in the set */
    idx_t *first, *to, *bytes, *part;
#endif
};

/* ---- what places send each other -------------------------------------------------------------- */

/* Several flows between two places become one edge: last[u] is where u is in the list of the place looked at. */
static void merge_edges(struct bisector *b, size_t *last)
{
    size_t kept = 0, begin = 0;
    for (uint32_t v = 0; v < b->job->n; v++) {
        size_t own = kept;
        for (size_t i = begin; i < b->at[v + 1]; i++) {
            uint32_t u = b->near[i];
            if (last[u] > own) {
                b->weight[last[u] - 1] += b->weight[i];
                continue;
            }
            b->near[kept] = u;
            b->weight[kept] = b->weight[i];
            last[u] = ++kept;
        }
        begin = b->at[v + 1];
        b->at[v + 1] = kept;
    }
}

static hd_status make_graph(struct hd_arena *a, struct bisector *b)
{
    const struct hd_mesh_job *job = b->job;
    size_t *last = HD_NEW(a, size_t, job->n);
    b->at = HD_NEW(a, size_t, (size_t)job->n + 2);
    b->near = HD_NEW(a, uint32_t, job->nflow * 2 + 1);
    b->weight = HD_NEW(a, double, job->nflow * 2 + 1);
    b->gain = HD_NEW(a, double, job->n);
    b->side = HD_NEW(a, uint8_t, job->n);
    if (!last || !b->at || !b->near || !b->weight || !b->gain || !b->side) return hd_fail_memory(b->ctx);
    for (size_t i = 0; i < job->nflow; i++) {
        b->at[job->flow[i].from + 2]++;
        b->at[job->flow[i].to + 2]++;
    }
    for (uint32_t i = 2; i < job->n + 2; i++) b->at[i] += b->at[i - 1];
    for (size_t i = 0; i < job->nflow; i++) {
        const struct hd_mesh_flow *f = &job->flow[i];
        size_t x = b->at[f->from + 1]++, y = b->at[f->to + 1]++;
        b->near[x] = f->to;
        b->near[y] = f->from;
        b->weight[x] = b->weight[y] = (double)f->bytes;
    }
    merge_edges(b, last);
    memset(b->side, 2, job->n);
    return HD_OK;
}

/* ---- sides ------------------------------------------------------------------------------------ */

static void find_gain(struct bisector *b, uint32_t v)
{
    b->gain[v] = 0;
    for (size_t i = b->at[v]; i < b->at[v + 1]; i++) {
        uint8_t side = b->side[b->near[i]];
        if (side != 2) b->gain[v] += side == b->side[v] ? -b->weight[i] : b->weight[i];
    }
}

/* The best of a side to change it; with locked, of those that are not. UINT32_MAX: none. */
static uint32_t best_of_side(const struct bisector *b, const uint32_t *set, uint32_t n, uint8_t side,
                             const bool *locked)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        if (b->side[set[i]] == side && !(locked && locked[set[i]]) &&
            (best == UINT32_MAX || b->gain[set[i]] > b->gain[best]))
            best = set[i];
    return best;
}

/* A place changes sides: its edges to the old side become a gain of their other ends, and the others a loss. */
static void cross_over(struct bisector *b, uint32_t v)
{
    uint8_t old = b->side[v];
    for (size_t i = b->at[v]; i < b->at[v + 1]; i++) {
        uint32_t u = b->near[i];
        if (b->side[u] != 2) b->gain[u] += b->side[u] == old ? 2 * b->weight[i] : -2 * b->weight[i];
    }
    b->gain[v] = -b->gain[v];
    b->side[v] = !old;
}

/* ---- Kernighan and Lin ------------------------------------------------------------------------ */

enum { PASSES = 4, EXCHANGES = 16000000 }; /* of a split; places looked at by all exchanges of a pass */

static hd_status exchange_init(struct hd_arena *a, struct bisector *b)
{
    b->locked = HD_NEW(a, bool, b->job->n);
    b->traded = HD_NEW(a, uint32_t, (size_t)b->job->n + 2);
    return b->locked && b->traded ? HD_OK : hd_fail_memory(b->ctx);
}

static double weight_between(const struct bisector *b, uint32_t u, uint32_t v)
{
    double sum = 0;
    for (size_t i = b->at[u]; i < b->at[u + 1]; i++)
        if (b->near[i] == v) sum += b->weight[i];
    return sum;
}

static void trade(struct bisector *b, uint32_t u, uint32_t v)
{
    cross_over(b, u);
    cross_over(b, v);
}

/* One pass of exchanges, of which the best beginning is kept; whether that gained. */
static bool improve_split(struct bisector *b, const uint32_t *set, uint32_t n)
{
    double sum = 0, best = 0;
    uint32_t kept = 0, done = 0, most = n / 2 < EXCHANGES / n + 1 ? n / 2 : EXCHANGES / n + 1;
    for (uint32_t i = 0; i < n; i++) {
        b->locked[set[i]] = false;
        find_gain(b, set[i]);
    }
    while (done < most) {
        uint32_t u = best_of_side(b, set, n, 0, b->locked), v = best_of_side(b, set, n, 1, b->locked);
        if (u == UINT32_MAX || v == UINT32_MAX) break;
        sum += b->gain[u] + b->gain[v] - 2 * weight_between(b, u, v);
        trade(b, u, v);
        b->locked[u] = b->locked[v] = true;
        b->traded[2 * done] = u;
        b->traded[2 * done + 1] = v;
        done++;
        if (sum > best + 0.5) {
            best = sum;
            kept = done;
        }
    }
    while (done > kept) {
        done--;
        trade(b, b->traded[2 * done], b->traded[2 * done + 1]);
    }
    return best > 0;
}

static void split_by_exchanges(struct bisector *b, const uint32_t *set, uint32_t n)
{
    for (int pass = 0; pass < PASSES && improve_split(b, set, n); pass++) continue;
}

#ifdef HD_HAVE_METIS
/* ---- METIS ------------------------------------------------------------------------------------ */

enum { TOTAL = 1 << 29, SEED = 1 }; /* of all weights, so that sums fit into 32 bits */

static hd_status split_init(struct hd_arena *a, struct bisector *b)
{
    size_t n = b->job->n, edges = b->at[n];
    HD_TRY(exchange_init(a, b));
    b->number = HD_NEW(a, idx_t, n);
    b->first = HD_NEW(a, idx_t, n + 1);
    b->part = HD_NEW(a, idx_t, n);
    b->to = HD_NEW(a, idx_t, edges + 1);
    b->bytes = HD_NEW(a, idx_t, edges + 1);
    return b->number && b->first && b->part && b->to && b->bytes ? HD_OK : hd_fail_memory(b->ctx);
}

/* The edges within the set as METIS reads them; how many there are. Each has a weight: flows of no bytes are none. */
static idx_t metis_graph(struct bisector *b, const uint32_t *set, uint32_t n)
{
    double sum = 0;
    idx_t edges = 0;
    for (uint32_t i = 0; i < n; i++) {
        b->number[set[i]] = (idx_t)i;
        for (size_t k = b->at[set[i]]; k < b->at[set[i] + 1]; k++)
            if (b->side[b->near[k]] != 2) sum += b->weight[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        b->first[i] = edges;
        for (size_t k = b->at[set[i]]; k < b->at[set[i] + 1]; k++) {
            if (b->side[b->near[k]] == 2) continue;
            b->to[edges] = b->number[b->near[k]];
            b->bytes[edges++] = 1 + (idx_t)(b->weight[k] / sum * TOTAL);
        }
    }
    b->first[n] = edges;
    return edges;
}

/* Places change sides, those that lose least first, until half are on side 0. */
static void even_sides(struct bisector *b, const uint32_t *set, uint32_t n, uint32_t half)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        left += b->side[set[i]] == 0;
        find_gain(b, set[i]);
    }
    for (; left > half; left--) cross_over(b, best_of_side(b, set, n, 0, NULL));
    for (; left < half; left++) cross_over(b, best_of_side(b, set, n, 1, NULL));
}

/* METIS takes SIGTERM for its own while it runs, raises it where it finds a fault, and returns METIS_ERROR for its own
 * and for one from outside. The same input fails again where the fault was its own; a signal from outside is raised
 * once more, for whom METIS took it from. */
static int metis_run(struct bisector *b, idx_t n, real_t share[2])
{
    idx_t constraints = 1, parts = 2, cut, options[METIS_NOPTIONS];
    int done = METIS_ERROR;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    options[METIS_OPTION_UFACTOR] = 1;
    for (int run = 0; run < 2 && done == METIS_ERROR; run++) {
        done = METIS_PartGraphRecursive(&n, &constraints, b->first, b->to, NULL, NULL, b->bytes, &parts, share, NULL,
                                        options, &cut, b->part);
        if (run == 1 && done == METIS_OK) raise(SIGTERM);
    }
    return done;
}

/* Out of memory, METIS prints lines of its own; so a block as large as all that it asks for is asked for before. */
static bool metis_has_memory(size_t n, size_t edges)
{
    void *volatile probe = malloc(4096 + n * 256 + edges * 32);
    free(probe);
    return probe != NULL;
}

static hd_status split_set(struct bisector *b, const uint32_t *set, uint32_t n, uint32_t half)
{
    real_t share[2] = {(real_t)half / (real_t)n, (real_t)(n - half) / (real_t)n};
    idx_t edges = metis_graph(b, set, n);
    if (edges == 0) return HD_OK;
    int done = metis_has_memory(n, (size_t)edges) ? metis_run(b, (idx_t)n, share) : METIS_ERROR_MEMORY;
    if (done == METIS_ERROR_MEMORY) return hd_fail_memory(b->ctx);
    if (done != METIS_OK) {
        split_by_exchanges(b, set, n);
        return HD_OK;
    }
    for (uint32_t i = 0; i < n; i++) b->side[set[i]] = (uint8_t)b->part[i];
    even_sides(b, set, n, half);
    return HD_OK;
}

const char *hd_mesh_bisect_name(void)
{
    return "metis";
}

#else
static hd_status split_init(struct hd_arena *a, struct bisector *b)
{
    return exchange_init(a, b);
}

static hd_status split_set(struct bisector *b, const uint32_t *set, uint32_t n, uint32_t half)
{
    (void)half;
    split_by_exchanges(b, set, n);
    return HD_OK;
}

const char *hd_mesh_bisect_name(void)
{
    return "bisection";
}
#endif

/* ---- recursion -------------------------------------------------------------------------------- */

static uint32_t leaf_of_slot(const struct bisector *b, uint32_t slot)
{
    return b->view->leaf[(size_t)b->tree[slot] * b->job->nrail];
}

/* Places set[0 .. n-1] onto the nodes tree[slot .. slot+n-1]. */
static hd_status bisect_places(struct bisector *b, uint32_t *set, uint32_t n, uint32_t slot, uint32_t *spare)
{
    uint32_t half = 0;
    for (uint32_t i = 1; i < n; i++) /* the boundary of leaves that is nearest to the middle */
        if (leaf_of_slot(b, slot + i) != leaf_of_slot(b, slot + i - 1) &&
            (!half || labs((long)i * 2 - (long)n) < labs((long)half * 2 - (long)n)))
            half = i;
    if (!half) {
        for (uint32_t i = 0; i < n; i++) b->order[set[i]] = b->tree[slot + i];
        return HD_OK;
    }
    for (uint32_t i = 0; i < n; i++) b->side[set[i]] = i >= half;
    HD_TRY(split_set(b, set, n, half));
    uint32_t left = 0, right = half;
    for (uint32_t i = 0; i < n; i++) spare[b->side[set[i]] == 0 ? left++ : right++] = set[i];
    memcpy(set, spare, n * sizeof *set);
    for (uint32_t i = 0; i < n; i++) b->side[set[i]] = 2;
    HD_TRY(bisect_places(b, set, half, slot, spare));
    return bisect_places(b, set + half, n - half, slot + half, spare);
}

hd_status hd_mesh_order_bisect(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                               const uint32_t *tree, uint32_t *order)
{
    struct hd_arena a = {0};
    struct bisector b = {.ctx = ctx, .view = view, .job = job, .tree = tree, .order = order};
    uint32_t *set = HD_NEW(&a, uint32_t, job->n), *spare = HD_NEW(&a, uint32_t, job->n);
    hd_status s = set && spare ? make_graph(&a, &b) : hd_fail_memory(ctx);
    if (s == HD_OK) s = split_init(&a, &b);
    if (s == HD_OK) {
        for (uint32_t i = 0; i < job->n; i++) set[i] = i;
        s = bisect_places(&b, set, job->n, 0, spare);
    }
    hd_arena_release(&a);
    return s;
}
