/* SPDX-License-Identifier: BSD-2-Clause */
/* The multi-commodity flow with the least largest load, as a linear program for CLP.
 *
 * A commodity is what one leaf switch sends. Columns: the amount x(k, c) of commodity k on each channel c
 * between switches, and the largest load z, which is minimised. Rows: for each commodity and switch, what
 * comes in less what goes out is what the switch's endpoints receive of it; for each channel, all
 * commodities together are at most z times its capacity. Built where CLP is installed (HD_HAVE_CLP). */
#include "flow/bound/optimum.h"

#ifdef HD_HAVE_CLP
#include "base/lock.h"

#include <Clp_C_Interface.h>
#include <math.h>

enum { MAX_COLUMNS = 6000 }; /* some hundredths of a second a sample */

static uint64_t switch_channels(const struct hd_net *net)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) n += net->head[c] < net->nsw;
    return n;
}

bool hd_optimum_has_program(const struct hd_net *net, uint32_t leaves)
{
    return leaves * switch_channels(net) <= MAX_COLUMNS;
}

struct program {
    const struct hd_net *net;
    uint32_t nk;         /* commodities */
    uint32_t *commodity; /* [ngroup[1]] of a leaf switch, UINT32_MAX: sends nothing */
    double *demand;      /* [k * nsw + v] */
    uint32_t nc, *chan;  /* channels between switches */
    int columns, rows;
    CoinBigIndex *start;
    int *index;
    double *value, *zero, *far, *cost, *low, *high;
};

static bool add_demand(struct program *p, struct hd_arena *a, const struct hd_cuts *cuts, const struct hd_flows *f)
{
    const struct hd_net *net = p->net;
    p->commodity = HD_NEW(a, uint32_t, cuts->ngroup[1]);
    if (!p->commodity) return false;
    for (uint32_t g = 0; g < cuts->ngroup[1]; g++) p->commodity[g] = UINT32_MAX;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t *k = &p->commodity[cuts->group[1][f->src[i]]];
        if (hd_leaf(net, f->src[i]) != hd_leaf(net, f->dst[i]) && *k == UINT32_MAX) *k = p->nk++;
    }
    p->demand = HD_NEW(a, double, (size_t)p->nk * net->nsw);
    if (!p->demand) return false;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t k = p->commodity[cuts->group[1][f->src[i]]], from = hd_leaf(net, f->src[i]),
                 to = hd_leaf(net, f->dst[i]);
        double w = f->weight ? f->weight[i] : 1;
        if (from == to) continue;
        p->demand[(size_t)k * net->nsw + to] += w;
        p->demand[(size_t)k * net->nsw + from] -= w;
    }
    return true;
}

static bool alloc(struct program *p, struct hd_arena *a)
{
    size_t entries = 3 * (size_t)p->nk * p->nc + p->nc, most = (size_t)(p->columns > p->rows ? p->columns : p->rows);
    p->start = HD_NEW(a, CoinBigIndex, (size_t)p->columns + 1);
    p->index = HD_NEW(a, int, entries);
    p->value = HD_NEW(a, double, entries);
    p->zero = HD_NEW(a, double, most);
    p->far = HD_NEW(a, double, most);
    p->cost = HD_NEW(a, double, (size_t)p->columns);
    p->low = HD_NEW(a, double, (size_t)p->rows);
    p->high = HD_NEW(a, double, (size_t)p->rows);
    return p->start && p->index && p->value && p->zero && p->far && p->cost && p->low && p->high;
}

static void program_entry(struct program *p, int *n, uint64_t row, double value)
{
    p->index[*n] = (int)row;
    p->value[(*n)++] = value;
}

static void program_fill(struct program *p, const struct hd_rates *rates, double unit)
{
    const struct hd_net *net = p->net;
    uint64_t capacity_rows = (uint64_t)p->nk * net->nsw;
    int n = 0, column = 0;
    for (uint32_t k = 0; k < p->nk; k++)
        for (uint32_t j = 0; j < p->nc; j++) {
            p->start[column++] = n;
            program_entry(p, &n, (uint64_t)k * net->nsw + net->head[p->chan[j]], 1);
            program_entry(p, &n, (uint64_t)k * net->nsw + net->tail[p->chan[j]], -1);
            program_entry(p, &n, capacity_rows + j, 1);
        }
    p->start[column++] = n;
    for (uint32_t j = 0; j < p->nc; j++)
        program_entry(p, &n, capacity_rows + j, -(double)hd_cut_capacity(rates, p->chan[j]) / unit);
    p->start[column] = n;
    p->cost[p->columns - 1] = 1;
    for (uint64_t i = 0; i < capacity_rows; i++) p->low[i] = p->high[i] = p->demand[i];
    for (uint32_t j = 0; j < p->nc; j++) p->low[capacity_rows + j] = -INFINITY;
    for (int i = 0; i < p->columns; i++) p->far[i] = INFINITY;
}

/* One at a time in the whole process: what the solver keeps to itself is not known to be safe for several threads. */
static struct hd_lock clp_lock = HD_LOCK_INIT;

static double program_solve(const struct program *p, double least)
{
    double best = NAN;
    hd_lock(&clp_lock);
    Clp_Simplex *model = Clp_newModel();
    if (model) {
        best = least;
        Clp_setLogLevel(model, 0);
        p->zero[p->columns - 1] = least;
        Clp_loadProblem(model, p->columns, p->rows, p->start, p->index, p->value, p->zero, p->far, p->cost, p->low,
                        p->high);
        Clp_initialPrimalSolve(model);
        if (Clp_status(model) == 0 && Clp_objectiveValue(model) > least) best = Clp_objectiveValue(model);
        Clp_deleteModel(model);
    }
    hd_unlock(&clp_lock);
    return rint(ldexp(best, 24)) * ldexp(1, -24); /* the solver's last digits are not the same everywhere */
}

static double program_run(struct program *p, struct hd_arena *a, const struct hd_cuts *cuts,
                          const struct hd_rates *rates, const struct hd_flows *f, double least)
{
    if (!(p->chan = HD_NEW(a, uint32_t, p->net->nchan))) return NAN;
    for (uint32_t c = 0; c < p->net->off[p->net->nsw]; c++)
        if (p->net->head[c] < p->net->nsw) p->chan[p->nc++] = c;
    if (!add_demand(p, a, cuts, f)) return NAN;
    if (!p->nk) return least;
    p->columns = (int)(p->nk * p->nc + 1);
    p->rows = (int)(p->nk * p->net->nsw + p->nc);
    if (!alloc(p, a)) return NAN;
    program_fill(p, rates, cuts->unit);
    return program_solve(p, least);
}

double hd_optimum_program(const struct hd_cuts *cuts, const struct hd_rates *rates, const struct hd_flows *f,
                          double least)
{
    struct hd_arena a = {0};
    struct program p = {.net = cuts->net};
    double best = program_run(&p, &a, cuts, rates, f, least);
    hd_arena_release(&a);
    return best;
}

#else

bool hd_optimum_has_program(const struct hd_net *net, uint32_t leaves)
{
    (void)net;
    (void)leaves;
    return false;
}

double hd_optimum_program(const struct hd_cuts *cuts, const struct hd_rates *rates, const struct hd_flows *f,
                          double least)
{
    (void)cuts;
    (void)rates;
    (void)f;
    return least;
}

#endif
