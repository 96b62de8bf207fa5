/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule of a dragonfly whose global ports lead to the groups in order (consecutive; Camarero, Vallejo, Beivide call
 * it absolute): gate r of a group leads to group r, or to group r + 1 from group r on.
 *
 * So every gate leads to two groups, which are neighbours in the order, and the gates are the steps of a path through
 * all groups: that gives the order, which may be read from either end, and the number of each gate. The two groups of a
 * gate are those with most votes. Every two groups must be connected by one cable, and hardly any may contradict the
 * order; else nothing is set. Cost: O(groups * gates). */
#include "base/status.h"
#include "net/cabling/group_rule.h"

#include <string.h>

enum { ORDER_FEW = 4 }; /* groups */

struct order_gate {
    uint32_t to[2]; /* by decreasing votes; HD_NOWHERE: not known */
};

struct order_learner {
    struct hd_wiring *w;
    struct hd_group_rule *rule;
    struct order_gate *gate; /* [ngate] */
    uint32_t *beside;        /* [2 * n] neighbours in the order; HD_NOWHERE: none */
    uint32_t *votes;         /* [n] for the groups that a gate leads to */
};

static void order_count(const struct order_learner *f, uint32_t gate)
{
    const struct hd_group_rule *r = f->rule;
    uint32_t to;
    memset(f->votes, 0, r->n * sizeof *f->votes);
    for (uint32_t g = 0; g < r->n; g++)
        if (hd_group_gate_end(f->w->net, r, g, gate, &to) != HD_NOWHERE) f->votes[to]++;
}

/* How many neighbours in the order a group has so far. */
static uint32_t order_neighbours(const struct order_learner *f, uint32_t g)
{
    return (f->beside[2 * (size_t)g] != HD_NOWHERE) + (f->beside[2 * (size_t)g + 1] != HD_NOWHERE);
}

/* The group with most votes; the first of several. */
static uint32_t order_first(const struct order_learner *f)
{
    uint32_t best = 0;
    for (uint32_t g = 1; g < f->rule->n; g++)
        if (f->votes[g] > f->votes[best]) best = g;
    return best;
}

/* The other group with most votes, at least this many, that has room for a neighbour; HD_NOWHERE: there is none, or
 * more than one. */
static uint32_t order_second(const struct order_learner *f, uint32_t first, uint32_t least)
{
    uint32_t best = HD_NOWHERE, most = least - 1;
    for (uint32_t g = 0; g < f->rule->n; g++) {
        if (g == first || f->votes[g] < least || f->votes[g] < most || order_neighbours(f, g) == 2) continue;
        best = f->votes[g] > most ? g : HD_NOWHERE;
        most = f->votes[g];
    }
    return best;
}

/* Makes the two groups of a gate neighbours; false: one of them has two others. */
static bool order_join(struct order_learner *f, struct order_gate *k, uint32_t b)
{
    uint32_t *x = f->beside + 2 * (size_t)k->to[0], *y = f->beside + 2 * (size_t)b;
    if (x[1] != HD_NOWHERE || y[1] != HD_NOWHERE) return false;
    x[x[0] != HD_NOWHERE] = b;
    y[y[0] != HD_NOWHERE] = k->to[0];
    k->to[1] = b;
    return true;
}

/* Neighbours by the gates that several groups speak for, then by those of one, among the groups that are left. */
static bool order_connect(struct order_learner *f)
{
    const struct hd_group_rule *r = f->rule;
    memset(f->beside, 0xff, 2 * (size_t)r->n * sizeof *f->beside);
    for (uint32_t least = 3; least > 0; least--)
        for (uint32_t k = 0; k < r->ngate; k++) {
            struct order_gate *g = &f->gate[k];
            if (least < 3 && g->to[1] != HD_NOWHERE) continue;
            order_count(f, k);
            if (least == 3) *g = (struct order_gate){{order_first(f), HD_NOWHERE}};
            uint32_t second = order_second(f, g->to[0], least);
            if (second != HD_NOWHERE && !order_join(f, g, second)) return false;
        }
    return true;
}

/* Positions along the path; false: it does not lead through all groups. */
static bool order_walk(const struct order_learner *f)
{
    struct hd_group_rule *r = f->rule;
    uint32_t at = 0, before = HD_NOWHERE, n = 0;
    while (at < r->n && f->beside[2 * (size_t)at + 1] != HD_NOWHERE) at++;
    for (; at < r->n && n < r->n; n++) {
        uint32_t a = f->beside[2 * (size_t)at], b = f->beside[2 * (size_t)at + 1], next = a == before ? b : a;
        r->position[at] = n;
        r->at_position[n] = at;
        before = at;
        at = next;
    }
    return n == r->n && at == HD_NOWHERE;
}

/* Numbers the gates; false: two have the same number. */
static bool order_number(const struct order_learner *f)
{
    struct hd_group_rule *r = f->rule;
    memset(r->gate_at, 0xff, r->ngate * sizeof *r->gate_at);
    for (uint32_t k = 0; k < r->ngate; k++) {
        const struct order_gate *g = &f->gate[k];
        if (g->to[1] == HD_NOWHERE) return false;
        uint32_t a = r->position[g->to[0]], b = r->position[g->to[1]], low = a < b ? a : b;
        if (a + b != 2 * low + 1 || r->gate_at[low] != HD_NOWHERE) return false;
        r->gate[k].step = low;
        r->gate_at[low] = k;
    }
    return true;
}

/* Whether more than one cable in eight is in a gate and leads to another one than the order says. */
static bool order_is_contradicted(const struct order_learner *f)
{
    const struct hd_group_rule *r = f->rule;
    uint64_t known = 0, wrong = 0;
    for (uint32_t g = 0; g < r->n; g++)
        for (uint32_t k = 0; k < r->ngate; k++) {
            uint32_t to, far, end = hd_group_gate_end(f->w->net, r, g, k, &to);
            if (end == HD_NOWHERE) continue;
            known++;
            wrong += hd_group_gate_leads(r, g, k, &far) != to || far != end;
        }
    return 8 * wrong > known;
}

hd_status hd_group_order_learn(struct hd_wiring *w, struct hd_group_rule *r, bool *found)
{
    struct order_learner f = {.w = w, .rule = r};
    *found = false;
    if (r->n < ORDER_FEW || r->ngate + 1 != r->n) return HD_OK;
    f.gate = HD_NEW(w->arena, struct order_gate, r->ngate);
    if (!HD_NEW_U32(w->arena, 2 * (size_t)r->n, &f.beside, &f.votes, &r->position, &r->at_position, &r->gate_at) ||
        !f.gate)
        return hd_fail_memory(w->ctx);
    r->ordered = true;
    *found = order_connect(&f) && order_walk(&f) && order_number(&f) && !order_is_contradicted(&f);
    return HD_OK;
}
