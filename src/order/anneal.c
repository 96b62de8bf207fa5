/* SPDX-License-Identifier: BSD-2-Clause */
/* Annealing with a temperature that falls geometrically from a small part of the change that a random swap makes: from
 * tree order there is more to lose than to explore. Moves are counted, never timed, so the result depends on the seed
 * alone. */
#include "order/anneal.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-6 /* costs that differ by less are equal */

#ifndef HD_ANNEAL_MOVES /* fuzz targets, which look at what becomes of an order and not at how good it is, make fewer */
#define HD_ANNEAL_MOVES 20000
#endif
enum { MOVES = HD_ANNEAL_MOVES }; /* for each pair of places: few nodes have few orders, and need no second */

static void anneal_apply(struct hd_anneal *s, const struct hd_anneal_how *how, struct hd_stretch m)
{
    for (uint32_t i = 0; i < m.len; i++) how->swap(s, m.p + i, m.q + i);
}

/* The mean change of a random swap: the temperature's unit. */
static double anneal_usual_change(struct hd_anneal *s, const struct hd_anneal_how *how, struct hd_rng *rng)
{
    double sum = 0;
    for (int i = 0; i < how->tries; i++) {
        struct hd_stretch m = {hd_rng_below(rng, s->n), hd_rng_below(rng, s->n), 1};
        double before = s->cost;
        if (m.p == m.q) continue;
        anneal_apply(s, how, m);
        sum += fabs(s->cost - before);
        anneal_apply(s, how, m);
    }
    return sum / how->tries;
}

static void anneal_move(struct hd_anneal *s, const struct hd_anneal_how *how, struct hd_rng *rng, double temperature,
                        double *least, uint32_t *best)
{
    struct hd_stretch m = how->pick(s, rng);
    double before = s->cost;
    if (m.p == m.q || m.len == 0) return;
    anneal_apply(s, how, m);
    if (s->cost > before && hd_rng_real(rng) >= exp((before - s->cost) / temperature)) {
        anneal_apply(s, how, m);
    } else if (s->cost < *least - LEAST) {
        *least = s->cost;
        memcpy(best, s->order, s->n * sizeof *best);
    }
}

void hd_anneal(struct hd_anneal *s, const struct hd_anneal_how *how, struct hd_rng *rng, uint32_t *best)
{
    const double moves = (double)MOVES * s->n * s->n;
    double done = 0, least = s->cost, unit = anneal_usual_change(s, how, rng), hot = unit / how->hot,
           cold = unit / how->cold;
    memcpy(best, s->order, s->n * sizeof *best);
    s->spent = 0;
    for (double moved = 0; done < 1 && least > LEAST && unit > 0; s->spent += (uint64_t)how->batch) {
        double temperature = hot * pow(cold / hot, done);
        for (int i = 0; i < how->batch; i++) anneal_move(s, how, rng, temperature, &least, best);
        moved += how->batch;
        done = fmax((double)(s->spent + (uint64_t)how->batch) / (double)s->budget, moved / moves);
        hd_progress(s->ctx, "rank order", (uint64_t)(1e4 * fmin(done, 1)), 10000);
        if (hd_stop_asked(s->ctx)) break;
    }
    hd_progress(s->ctx, "rank order", 10000, 10000);
}
