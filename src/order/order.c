/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders by goal. Tree order comes first; the nodes as they are listed, for an all-to-all the virtual-slot orders,
 * and an annealed one stand against it, and the one that counts best wins, tree order among equals: so none is ever
 * worse. */
#include "base/rng.h"
#include "base/status.h"
#include "net/io/hostlist.h"
#include "order/order_check.h"
#include "order/shift_keys.h"
#include "order/search_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work of the searches, in counts changed: a second or two each. */
enum { SHIFT_BUDGET = 200000000, STAGE_BUDGET = 200000000, DENSE_BUDGET = 300000000, DENSE_LIMIT = 2000 };
enum { CHAIN_BUDGET = 100000000, CHAINS = 64 }; /* flows counted; at most so many chains */

static const char *const goals[] = {"tree", "ring", "alltoall", "recdbl", "random", "given", "alphabetical", NULL};

const char *hd_goal_name(enum hd_goal goal)
{
    return (size_t)goal < sizeof goals / sizeof *goals ? goals[goal] : NULL;
}

struct order_maker {
    struct hd_ctx *ctx;
    struct hd_arena scratch;
    struct hd_job_view view;
    struct hd_keys keys;
    struct hd_order *order;
    double best; /* average HSD of order */
};

/* ---- claims --------------------------------------------------------------------------------- */

/* The leaf that holds another number of nodes than most leaves do. */
static void name_odd_leaf(struct order_maker *m, char *text, size_t size)
{
    const struct hd_keys *k = &m->keys;
    const struct hd_net *net = m->view.net;
    uint32_t *count = HD_NEW(&m->scratch, uint32_t, k->nsub[0]), *first = HD_NEW(&m->scratch, uint32_t, k->nsub[0]);
    uint32_t *often = HD_NEW(&m->scratch, uint32_t, (size_t)k->n + 1), usual = 0;
    if (!count || !first || !often) return;
    for (uint32_t i = 0; i < k->n; i++) {
        if (!count[k->sub[0][i]]++) first[k->sub[0][i]] = i;
    }
    for (uint32_t i = 0; i < k->nsub[0]; i++)
        if (++often[count[i]] > often[usual]) usual = count[i];
    for (uint32_t i = 0; i < k->nsub[0]; i++)
        if (count[i] != usual) {
            uint32_t leaf = hd_leaf(net, hd_job_view_ep(&m->view, first[i], 0));
            snprintf(text, size, "no closed form: leaf %.80s holds %u of the nodes where most leaves hold %u",
                     hd_node_label(net, leaf), count[i], usual);
            return;
        }
    snprintf(text, size, "no closed form: subtrees above the leaves hold unequal numbers of leaves");
}

static hd_status claim_slots(struct order_maker *m, const struct hd_slots *slots, enum hd_slot_form form)
{
    struct hd_order *o = m->order;
    const char *where = m->keys.levels > 1 ? " of every subtree" : "";
    o->exact = true;
    if (form == HD_SLOTS_LEAF)
        snprintf(
            o->claim, sizeof o->claim,
            "HSD 1 for every Shift stage, because every leaf in use holds %u of the nodes%s and the order takes "
            "the leaves round-robin: ranks of one leaf are a multiple of the leaves apart, ranks that share an up port "
            "never are",
            slots->each, m->keys.levels > 1 ? ", every subtree in use equally many leaves," : "");
    else
        snprintf(
            o->claim, sizeof o->claim,
            "HSD 1 for every Shift stage, because each of the %u up ports in use (destination modulo the ports) "
            "serves %u of the nodes%s: ranks that share one are a multiple of %u apart, ranks of one leaf never are",
            slots->inner, slots->each, where, slots->inner);
    return HD_OK;
}

/* Whether every rail has the endpoints of all nodes on one switch: no pair of nodes takes a cable between switches. */
static bool each_rail_is_one_leaf(const struct hd_job_view *view)
{
    size_t n = (size_t)view->nodes->n * view->nodes->nrail;
    for (size_t i = 0; i < n; i++)
        if (view->leaf[i] != view->leaf[i % view->nodes->nrail]) return false;
    return true;
}

/* What can be said of the current order for a plain Shift; a claim is only made where counting bears it out. */
static hd_status claim_any(struct order_maker *m, double average)
{
    struct hd_order *o = m->order;
    uint64_t cost;
    if (o->exact) {
        if (average == 1) return HD_OK;
        o->exact = false;
        *o->claim = 0;
    }
    if (m->keys.levels == 0) {
        o->exact = average == 1 && m->view.single && each_rail_is_one_leaf(&m->view);
        if (o->exact)
            snprintf(o->claim, sizeof o->claim,
                     "HSD 1 for every stage of anything, because all nodes are on one switch%s",
                     m->view.nleaf > 1 ? " in each rail" : "");
        return HD_OK;
    }
    HD_TRY(hd_keys_cost(m->ctx, &m->keys, o->rank, &cost));
    if (average == 1 && cost == 0 && m->keys.exact) {
        o->exact = true;
        snprintf(o->claim, sizeof o->claim,
                 "HSD 1 for every Shift stage, because no two ranks of one subtree are as far apart as two ranks that "
                 "share its up port, at any level");
    } else if (average == 1) {
        snprintf(o->claim, sizeof o->claim, "HSD 1 for every Shift stage, by counting");
    } else if (m->keys.exact) {
        name_odd_leaf(m, o->claim, sizeof o->claim);
    }
    return HD_OK;
}

/* ---- orders --------------------------------------------------------------------------------- */

static void order_take(struct order_maker *m, const uint32_t *rank, const char *how)
{
    memcpy(m->order->rank, rank, m->order->n * sizeof *rank);
    snprintf(m->order->how, sizeof m->order->how, "%s", how);
}

/* Takes the order when it counts better. */
static hd_status compete(struct order_maker *m, const uint32_t *rank, enum hd_case use, const char *how, bool *taken)
{
    struct hd_hsd hsd;
    HD_TRY(hd_job_view_count(m->ctx, &m->view, rank, use, &hsd));
    *taken = hsd.average < m->best;
    if (!*taken) return HD_OK;
    m->best = hsd.average;
    order_take(m, rank, how);
    return HD_OK;
}

static hd_status try_slots(struct order_maker *m, enum hd_slot_form form)
{
    struct hd_slots slots;
    bool taken;
    HD_TRY(hd_slots_make(m->ctx, &m->scratch, &m->keys, form, &slots));
    HD_TRY(compete(m, slots.order, HD_CASE_SHIFT, form == HD_SLOTS_KEY ? "round the up ports" : "round the leaves",
                   &taken));
    if (taken && m->best == 1 && slots.v == m->keys.n && m->keys.exact) return claim_slots(m, &slots, form);
    return HD_OK;
}

/* Annealed on distances, which is quick but blind to which stage clashes; or on the loads themselves. */
static hd_status try_annealed(struct order_maker *m, const uint32_t *from, bool dense)
{
    bool taken;
    uint32_t *rank = HD_NEW(&m->scratch, uint32_t, m->order->n);
    if (!rank) return hd_fail_memory(m->ctx);
    memcpy(rank, from, m->order->n * sizeof *rank);
    if (dense)
        HD_TRY(hd_stage_anneal(m->ctx, &m->view, HD_CASE_SHIFT, DENSE_BUDGET, rank));
    else
        HD_TRY(hd_shift_anneal(m->ctx, &m->keys, SHIFT_BUDGET, rank));
    return compete(m, rank, HD_CASE_SHIFT, dense ? "annealed on loads" : "annealed on distances", &taken);
}

/* Nodes are often named along the fabric. */
static hd_status try_listed(struct order_maker *m, enum hd_case use)
{
    bool taken;
    uint32_t *rank = HD_NEW(&m->scratch, uint32_t, m->order->n);
    if (!rank) return hd_fail_memory(m->ctx);
    for (uint32_t i = 0; i < m->order->n; i++) rank[i] = i;
    return compete(m, rank, use, "as listed", &taken);
}

/* The best of many chains; as many as may be counted, two at least. */
static hd_status try_chains(struct order_maker *m)
{
    uint64_t flows = (uint64_t)m->order->n * m->order->n * m->view.nodes->nrail, n = CHAIN_BUDGET / (flows + 1);
    uint32_t *rank = HD_NEW(&m->scratch, uint32_t, m->order->n);
    struct hd_rng rng;
    bool taken;
    if (!rank) return hd_fail_memory(m->ctx);
    n = n < 2 ? 2 : n > CHAINS ? CHAINS : n;
    hd_rng_init(&rng, m->ctx->seed, HD_RNG_SEARCH, 2);
    for (uint64_t i = 0; i < n && m->best > 1; i++) {
        HD_TRY(hd_chain(m->ctx, &m->keys, &rng, rank));
        HD_TRY(compete(m, rank, HD_CASE_SHIFT, "leaf by leaf, up ports in turn", &taken));
    }
    return HD_OK;
}

static hd_status make_shift(struct order_maker *m)
{
    if (m->best == 1) return HD_OK;
    HD_TRY(try_listed(m, HD_CASE_SHIFT));
    if (m->best == 1 || !m->view.single) return HD_OK;
    for (int form = 0; form < HD_SLOT_FORMS && m->best > 1 && m->keys.levels; form++)
        HD_TRY(try_slots(m, (enum hd_slot_form)form));
    uint32_t *from = HD_NEW(&m->scratch, uint32_t, m->order->n);
    if (!from) return hd_fail_memory(m->ctx);
    if (m->best > 1 && m->keys.levels) HD_TRY(try_chains(m));
    memcpy(from, m->order->rank, m->order->n * sizeof *from);
    if (m->best > 1) HD_TRY(try_annealed(m, m->keys.tree, false));
    if (m->best > 1 && memcmp(from, m->keys.tree, m->order->n * sizeof *from) != 0)
        HD_TRY(try_annealed(m, from, false));
    memcpy(from, m->order->rank, m->order->n * sizeof *from);
    if (m->best > 1 && m->order->n <= DENSE_LIMIT) HD_TRY(try_annealed(m, from, true));
    return HD_OK;
}

static hd_status order_make_stages(struct order_maker *m, enum hd_case use)
{
    struct hd_hsd hsd;
    bool taken;
    HD_TRY(hd_job_view_count(m->ctx, &m->view, m->order->rank, use, &hsd));
    m->best = hsd.average;
    if (m->best > 1) HD_TRY(try_listed(m, use));
    if (m->best == 1 || !m->view.single) return HD_OK;
    uint32_t *rank = HD_NEW(&m->scratch, uint32_t, m->order->n);
    if (!rank) return hd_fail_memory(m->ctx);
    memcpy(rank, m->order->rank, m->order->n * sizeof *rank);
    HD_TRY(hd_stage_anneal(m->ctx, &m->view, use, STAGE_BUDGET, rank));
    return compete(m, rank, use, "annealed", &taken);
}

struct named {
    const char *name;
    uint32_t i;
};

static int order_by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->i > y->i) - (x->i < y->i);
}

/* Orders that know nothing of the fabric. */
static hd_status make_plain(struct order_maker *m, enum hd_goal goal)
{
    uint32_t n = m->order->n, *rank = m->order->rank;
    for (uint32_t i = 0; i < n; i++) rank[i] = i;
    snprintf(m->order->how, sizeof m->order->how, "%s", hd_goal_name(goal));
    if (goal == HD_FOR_RANDOM) {
        struct hd_rng rng;
        hd_rng_init(&rng, m->ctx->seed, HD_RNG_RANKS, 0);
        hd_rng_shuffle(&rng, rank, n);
    } else if (goal == HD_FOR_SORTED) {
        struct named *list = HD_NEW(&m->scratch, struct named, n);
        if (!list) return hd_fail_memory(m->ctx);
        for (uint32_t i = 0; i < n; i++) list[i] = (struct named){hd_host_name(m->view.net, m->view.nodes->host[i]), i};
        qsort(list, n, sizeof *list, order_by_name);
        for (uint32_t i = 0; i < n; i++) rank[i] = list[i].i;
    }
    return HD_OK;
}

static hd_status make_order(struct order_maker *m, enum hd_goal goal)
{
    struct hd_hsd hsd;
    if (goal >= HD_FOR_RANDOM) return make_plain(m, goal);
    HD_TRY(hd_keys_init(m->ctx, &m->scratch, &m->view, &m->keys));
    order_take(m, m->keys.tree,
               m->view.net->shape.kind == HD_SHAPE_TREE ? "tree order" : "leaf by leaf, the nearest next");
    if (goal == HD_FOR_RING) return order_make_stages(m, HD_CASE_RING);
    if (goal == HD_FOR_RECDBL) return order_make_stages(m, HD_CASE_RECDBL);
    HD_TRY(hd_job_view_count(m->ctx, &m->view, m->order->rank, HD_CASE_SHIFT, &hsd));
    m->best = hsd.average;
    if (goal == HD_FOR_ALLTOALL) HD_TRY(make_shift(m));
    return claim_any(m, m->best);
}

hd_status hd_order_make(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes, enum hd_goal goal,
                        struct hd_order **order)
{
    struct order_maker m = {.ctx = ctx};
    struct hd_arena *own;
    if (!hd_goal_name(goal)) return hd_fail(ctx, HD_USAGE, "goal %u is unknown", (unsigned)goal);
    HD_TRY(hd_nodes_check(ctx, nodes, hd_routes_net(r)));
    struct hd_order *o = hd_owned_new(sizeof *o, &own);
    if (!o) return hd_fail_memory(ctx);
    *o = (struct hd_order){.n = nodes->n, .rank = HD_NEW(own, uint32_t, nodes->n), .arena = own};
    hd_status s = o->rank ? HD_OK : hd_fail_memory(ctx);
    m.order = o;
    m.view = (struct hd_job_view){.routes = r, .net = nodes->net, .nodes = nodes}; /* all that plain orders look at */
    if (s == HD_OK && goal < HD_FOR_RANDOM) s = hd_job_view_init(ctx, &m.scratch, r, nodes, &m.view);
    if (s == HD_OK) s = make_order(&m, goal);
    hd_arena_release(&m.scratch);
    if (s == HD_OK)
        *order = o;
    else
        hd_order_free(o);
    return s;
}

void hd_order_free(struct hd_order *order)
{
    if (order) hd_owned_free(order->arena);
}
