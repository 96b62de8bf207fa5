/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of the places of a mesh that are made without counting loads: what the search starts from and is compared
 * with.
 * Recursive bisection is our own: the leaves in tree order are split into two halves, and the places into two sets as
 * large as these that send each other little, found by Kernighan and Lin's exchanges; then each half by itself, until a
 * set is on one leaf. O(places^2 + flows) a pass at the top, with a limit on the exchanges above 4,000 places.
 * Kernighan, Lin: An efficient heuristic procedure for partitioning graphs. */
#include "base/hash.h"
#include "base/status.h"
#include "order/mesh_job.h"

#include <stdlib.h>
#include <string.h>

/* ---- by name -------------------------------------------------------------------------------- */

struct hashed {
    uint64_t hash;
    uint32_t i;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* FNV-1a: the bytes of a name decide, on any machine. */
static uint64_t name_hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return h;
}

hd_status hd_mesh_order_hash(struct hd_ctx *ctx, const struct hd_nodes *nodes, uint32_t *order)
{
    struct hashed *list = malloc(((size_t)nodes->n + 1) * sizeof *list);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < nodes->n; i++)
        list[i] = (struct hashed){name_hash(hd_host_name(nodes->net, nodes->host[i])), i};
    qsort(list, nodes->n, sizeof *list, by_hash);
    for (uint32_t i = 0; i < nodes->n; i++) order[i] = list[i].i;
    free(list);
    return HD_OK;
}

/* ---- by dimensions -------------------------------------------------------------------------- */

struct keyed_place {
    uint64_t key;
    uint32_t place;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed_place *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

hd_status hd_mesh_order_dims(struct hd_ctx *ctx, const struct hd_mesh_job *job, const uint32_t *tree,
                             const enum hd_mesh_dim dims[HD_DIMS], uint32_t *order)
{
    struct keyed_place *list = malloc(((size_t)job->n + 1) * sizeof *list);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < job->n; i++) {
        uint64_t key = 0, rank = (uint64_t)i * job->per_node;
        for (int d = HD_DIMS; d-- > 0;)
            key = key * job->size[dims[d]] + rank / job->stride[dims[d]] % job->size[dims[d]];
        list[i] = (struct keyed_place){key, i};
    }
    qsort(list, job->n, sizeof *list, by_key);
    for (uint32_t i = 0; i < job->n; i++) order[list[i].place] = tree[i];
    free(list);
    return HD_OK;
}

/* ---- recursive bisection -------------------------------------------------------------------- */

enum { PASSES = 4, EXCHANGES = 16000000 }; /* of a split; places looked at by all exchanges of a pass */

struct bisector {
    const struct hd_job_view *view;
    const struct hd_mesh_job *job;
    const uint32_t *tree;
    size_t *at;       /* [n + 1] neighbours of a place */
    uint32_t *near;   /* places */
    double *weight;   /* bytes, both directions */
    double *gain;     /* [n] of moving a place to the other side */
    uint8_t *side;    /* [n] 0, 1, 2: not in the set */
    bool *locked;     /* [n] */
    uint32_t *traded; /* [n] pairs, in order */
    uint32_t *order;
};

static hd_status make_graph(struct hd_ctx *ctx, struct hd_arena *a, struct bisector *b)
{
    const struct hd_mesh_job *job = b->job;
    b->at = HD_NEW(a, size_t, (size_t)job->n + 2);
    b->near = HD_NEW(a, uint32_t, job->nflow * 2 + 1);
    b->weight = HD_NEW(a, double, job->nflow * 2 + 1);
    b->gain = HD_NEW(a, double, job->n);
    b->side = HD_NEW(a, uint8_t, job->n);
    b->locked = HD_NEW(a, bool, job->n);
    b->traded = HD_NEW(a, uint32_t, (size_t)job->n + 2);
    if (!b->at || !b->near || !b->weight || !b->gain || !b->side || !b->locked || !b->traded)
        return hd_fail_memory(ctx);
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
    memset(b->side, 2, job->n);
    return HD_OK;
}

static void find_gain(struct bisector *b, uint32_t v)
{
    b->gain[v] = 0;
    for (size_t i = b->at[v]; i < b->at[v + 1]; i++) {
        uint8_t side = b->side[b->near[i]];
        if (side != 2) b->gain[v] += side == b->side[v] ? -b->weight[i] : b->weight[i];
    }
}

static double weight_between(const struct bisector *b, uint32_t u, uint32_t v)
{
    double sum = 0;
    for (size_t i = b->at[u]; i < b->at[u + 1]; i++)
        if (b->near[i] == v) sum += b->weight[i];
    return sum;
}

static uint32_t best_of_side(const struct bisector *b, const uint32_t *set, uint32_t n, uint8_t side)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        if (b->side[set[i]] == side && !b->locked[set[i]] && (best == UINT32_MAX || b->gain[set[i]] > b->gain[best]))
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
        uint32_t u = best_of_side(b, set, n, 0), v = best_of_side(b, set, n, 1);
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

static uint32_t leaf_of_slot(const struct bisector *b, uint32_t slot)
{
    return b->view->leaf[(size_t)b->tree[slot] * b->job->nrail];
}

/* Places set[0 .. n-1] onto the nodes tree[slot .. slot+n-1]. */
static void bisect_places(struct bisector *b, uint32_t *set, uint32_t n, uint32_t slot, uint32_t *spare)
{
    uint32_t half = 0;
    for (uint32_t i = 1; i < n; i++) /* the boundary of leaves that is nearest to the middle */
        if (leaf_of_slot(b, slot + i) != leaf_of_slot(b, slot + i - 1) &&
            (!half || labs((long)i * 2 - (long)n) < labs((long)half * 2 - (long)n)))
            half = i;
    if (!half) {
        for (uint32_t i = 0; i < n; i++) b->order[set[i]] = b->tree[slot + i];
        return;
    }
    for (uint32_t i = 0; i < n; i++) b->side[set[i]] = i >= half;
    for (int pass = 0; pass < PASSES && improve_split(b, set, n); pass++) continue;
    uint32_t left = 0, right = half;
    for (uint32_t i = 0; i < n; i++) spare[b->side[set[i]] == 0 ? left++ : right++] = set[i];
    memcpy(set, spare, n * sizeof *set);
    for (uint32_t i = 0; i < n; i++) b->side[set[i]] = 2;
    bisect_places(b, set, half, slot, spare);
    bisect_places(b, set + half, n - half, slot + half, spare);
}

hd_status hd_mesh_order_bisect(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                               const uint32_t *tree, uint32_t *order)
{
    struct hd_arena a = {0};
    struct bisector b = {.view = view, .job = job, .tree = tree, .order = order};
    uint32_t *set = HD_NEW(&a, uint32_t, job->n), *spare = HD_NEW(&a, uint32_t, job->n);
    hd_status s = set && spare ? make_graph(ctx, &a, &b) : hd_fail_memory(ctx);
    if (s == HD_OK) {
        for (uint32_t i = 0; i < job->n; i++) set[i] = i;
        bisect_places(&b, set, job->n, 0, spare);
    }
    hd_arena_release(&a);
    return s;
}
