/* SPDX-License-Identifier: BSD-2-Clause */
/* Folds of samples: count, sum, sum of squares, extremes and a histogram, all integers, so that folds of threads and
 * processes can be merged in any order with the same result. O(1) per sample, O(bins) per report. */
#include "flow/eval/fold.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static void add128(uint64_t sum[2], u128 v)
{
    u128 s = ((u128)sum[1] << 64 | sum[0]) + v;
    sum[0] = (uint64_t)s;
    sum[1] = (uint64_t)(s >> 64);
}

static double real128(const uint64_t s[2])
{
    return ldexp((double)s[1], 64) + (double)s[0];
}

void hd_fold_init(struct hd_fold *f)
{
    memset(f, 0, sizeof *f);
    f->min = UINT64_MAX;
}

void hd_fold_add(struct hd_fold *f, const struct hd_metric *m, uint64_t value, uint64_t unserved)
{
    f->n++;
    f->unserved += unserved;
    if (value < f->min) f->min = value;
    if (value > f->max) f->max = value;
    add128(f->sum, value);
    add128(f->square, (u128)(value >> 12) * (value >> 12));
    /* Whole-number bins: a load of k lands in bin k when bin_max is HD_BINS. */
    double at = ldexp((double)value, -40) / m->bin_max * HD_BINS;
    uint32_t i = at >= HD_BINS - 1 ? HD_BINS - 1 : (uint32_t)at;
    f->bin[i]++;
    f->bin_sum[i] += value >> 16;
}

void hd_fold_merge(struct hd_fold *a, const struct hd_fold *b)
{
    a->n += b->n;
    a->unserved += b->unserved;
    if (b->min < a->min) a->min = b->min;
    if (b->max > a->max) a->max = b->max;
    add128(a->sum, (u128)b->sum[1] << 64 | b->sum[0]);
    add128(a->square, (u128)b->square[1] << 64 | b->square[0]);
    for (int i = 0; i < HD_BINS; i++) {
        a->bin[i] += b->bin[i];
        a->bin_sum[i] += b->bin_sum[i];
    }
}

/* Mean of the bin that holds the q-quantile: exact where a bin holds one value, as loads do. */
static double quantile(const struct hd_fold *f, double q)
{
    uint64_t rank = (uint64_t)(q * (double)(f->n - 1)), seen = 0;
    int i = 0;
    while (i < HD_BINS - 1 && seen + f->bin[i] <= rank) seen += f->bin[i++];
    double min = ldexp((double)f->min, -40), max = ldexp((double)f->max, -40);
    double v = f->bin[i] ? ldexp((double)f->bin_sum[i] / (double)f->bin[i], -24) : min;
    return v < min ? min : v > max ? max : v;
}

void hd_fold_report(const struct hd_fold *f, const struct hd_metric *m, bool sampled, struct hd_result *r)
{
    r->samples = f->n;
    r->unserved = f->unserved;
    r->higher_is_better = m->higher_is_better;
    if (f->n == 0) return;
    double n = (double)f->n, mean = ldexp(real128(f->sum), -40) / n;
    double square = ldexp(real128(f->square), -56) / n, variance = square - mean * mean;
    r->value = mean;
    if (sampled && f->n > 1 && variance > 0) r->ci = 2 * 2.576 * sqrt(variance / (n - 1));
    r->min = ldexp((double)f->min, -40);
    r->max = ldexp((double)f->max, -40);
    r->p5 = quantile(f, 0.05);
    r->median = quantile(f, 0.5);
    r->p95 = quantile(f, 0.95);
}
