/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicted work. What is too expensive is found out from the sizes of the network alone, so that the same
 * advice comes out on any machine. A step is one table entry, or one channel of one path, looked at; a core does
 * some 10^9 of them a second where paths are single, and a tenth of that where pairs split over many.
 *
 * N endpoints, S switches, C channels, L leaf switches, h channels on a path, V variants:
 *   tables by destination   N C               lanes           4 N L h
 *   p2sssp                  N^2 S / 10        wsr             100 N^2
 *   settle                  10 N C            check, efi      N S + N L h V
 *   n samples               n N/2 h V (10 for V > 1)
 *   worst case              N L h, times V N / L where pairs split
 *   rank orders             N^2 h V (4 for V > 1)
 *   packet runs     n N/2 h 128 packets, 300 steps each */
#include "advise/advise.h"

#include <string.h>

enum { SAMPLES = 1000 };

const double hd_work_limit = 2e10;                          /* of one engine or one check */
const double hd_work_packets = 4e6, hd_work_adaptive = 3e7; /* packets times hops, of all runs */
static const double sample_limit = 1e9, worst_limit = 4e9, order_limit = 6e9, case_limit = 1.5e9;

struct sizes {
    double n, s, c, l, h;
};

static struct sizes sizes_of(const struct hd_advising *a)
{
    return (struct sizes){
        .n = a->net->nsel, .s = a->net->nsw, .c = a->net->nchan, .l = a->nleaf, .h = a->info.mean_distance + 2};
}

double hd_work_build(const struct hd_advising *a, const char *engine)
{
    struct sizes z = sizes_of(a);
    double lanes = 4 * z.n * z.l * z.h;
    if (strncmp(engine, "p2sssp", 6) == 0) return z.n * z.n * z.s / 10;
    if (strncmp(engine, "wsr", 3) == 0) return 100 * z.n * z.n;
    if (strncmp(engine, "settle", 6) == 0) return 10 * z.n * z.c + lanes;
    if (strncmp(engine, "dfsssp", 6) == 0 || strncmp(engine, "lash", 4) == 0) return z.n * z.c + lanes;
    return z.n * z.c;
}

double hd_work_check(const struct hd_advising *a, uint32_t variants)
{
    struct sizes z = sizes_of(a);
    return z.n * z.s + z.n * z.l * z.h * variants * (variants > 1 ? 4 : 1);
}

uint64_t hd_work_samples(const struct hd_advising *a, uint32_t split)
{
    struct sizes z = sizes_of(a);
    static const uint64_t steps[] = {SAMPLES, 500, 200, 100, 50};
    double each = z.n / 2 * z.h * split * (split > 1 ? 10 : 1);
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof *steps && (double)steps[i] * each > sample_limit) i++;
    return steps[i];
}

bool hd_work_worst(const struct hd_advising *a, uint32_t split)
{
    struct sizes z = sizes_of(a);
    return (split > 1 ? 10 * z.n * z.n * split : z.n * z.l * z.h) <= worst_limit;
}

bool hd_work_order(const struct hd_advising *a, uint32_t split)
{
    struct sizes z = sizes_of(a);
    double n = a->nodes ? a->nodes->n * (double)a->nodes->nrail : z.n;
    return n * n * z.h * split * (split > 1 ? 4 : 1) <= order_limit;
}

uint64_t hd_work_runs(const struct hd_advising *a, double limit)
{
    struct sizes z = sizes_of(a);
    double each = z.n / 2 * z.h * 128;
    if (each <= 0 || each > limit) return 0;
    double runs = limit / 2 / each;
    return runs < 1 ? 1 : runs > 8 ? 8 : (uint64_t)runs;
}

uint32_t hd_work_cases(const struct hd_advising *a, const char *engine, uint32_t most)
{
    double each = hd_work_build(a, engine) + 2 * hd_work_check(a, 1);
    double n = case_limit / (each + 1);
    return n >= most ? most : n < 2 ? 2 : (uint32_t)n;
}
