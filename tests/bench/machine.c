/* SPDX-License-Identifier: BSD-2-Clause */
/* What the machine allows, measured in the same run as the jobs: memory bandwidth of one core and of all
 * (best of some passes of a[i] = b[i] + 3 c[i] and of a sum, far beyond the caches), and how fast one core
 * adds 1 to random byte counters in a table that fits the first and the second cache.
 *     machine [MEGABYTES]      prints JSON */
#include "bench.h"
#include <omp.h>

static double triad(double *a, const double *b, const double *c, size_t n, int threads)
{
    double best = 1e9;
    for (int pass = 0; pass < 5; pass++) {
        double start = seconds_of(CLOCK_MONOTONIC);
#pragma omp parallel for num_threads(threads)
        for (size_t i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
        double t = seconds_of(CLOCK_MONOTONIC) - start;
        best = t < best ? t : best;
    }
    return 3e-9 * (double)(n * sizeof *a) / best;
}

static double read_only(const double *a, size_t n, double *sink)
{
    double best = 1e9;
    for (int pass = 0; pass < 5; pass++) {
        double start = seconds_of(CLOCK_MONOTONIC), sum[8] = {0};
        for (size_t i = 0; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++) sum[k] += a[i + k];
        double t = seconds_of(CLOCK_MONOTONIC) - start;
        best = t < best ? t : best;
        for (int k = 0; k < 8; k++) *sink += sum[k];
    }
    return 1e-9 * (double)(n * sizeof *a) / best;
}

/* ns to add 1 to a random counter of a table of 2^bits bytes; places are drawn beforehand, 2 bytes each. */
static double touch(unsigned bits, uint64_t *sink)
{
    enum { PLACES = 1 << 13, ROUNDS = 400 };
    uint8_t *table = new_array((size_t)1 << bits, 1);
    uint32_t *place = new_array(PLACES, sizeof *place);
    uint64_t state = 88172645463325252u;
    double best = 1e9;
    for (uint32_t i = 0; i < PLACES; i++) place[i] = draw_below(&state, 1u << bits);
    for (int pass = 0; pass < 5; pass++) {
        double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        for (uint32_t r = 0; r < ROUNDS; r++)
            for (uint32_t i = 0; i < PLACES; i++) table[place[i] ^ r]++;
        double t = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start) / ((double)PLACES * ROUNDS);
        best = t < best ? t : best;
    }
    for (size_t i = 0; i < (size_t)1 << bits; i++) *sink += table[i];
    free(table), free(place);
    return 1e9 * best;
}

int main(int argc, char **argv)
{
    size_t n = (argc > 1 ? (size_t)atol(argv[1]) : 256) * 1000000 / sizeof(double);
    double *a = new_array(n, sizeof *a), *b = new_array(n, sizeof *b), *c = new_array(n, sizeof *c), sink = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) a[i] = 0, b[i] = (double)i, c[i] = 1;
    double one = triad(a, b, c, n, 1), all = triad(a, b, c, n, omp_get_num_procs());
    double only = read_only(a, n, &sink), first = touch(14, &count), second = touch(19, &count);
    printf(
        "{\"triad_gbs\": %.2f, \"triad_all_gbs\": %.2f, \"read_gbs\": %.2f, \"touch_ns\": %.3f, \"touch_l2_ns\": %.3f, "
        "\"check\": \"%g\"}\n",
        one, all, only, first, second, sink + (double)count);
    free(a), free(b), free(c);
    return 0;
}
