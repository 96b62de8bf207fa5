/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicted work. What is too expensive is decided from the sizes of the network alone, so that every machine gives the
 * same advice. A step is one table entry, or one channel of one path, read; a core does some 10^9 of them per second
 * where each pair has one path, and a tenth of that where pairs split over several.
 *
 * N endpoints, S switches, C channels, L leaf switches, h channels on a path, V variants:
 *   making a table          as its engine says (hd_engine_cost)
 *   check, efi              N S + N L h V
 *   n samples               n N/2 h V (20 for V > 1)
 *   worst case              N L h, times V N / L where pairs split
 *   rank orders             N^2 h V (4 for V > 1)
 *   n packet runs           n N/2 h times 128 packets, or 64 where that is too much; 300 steps each */
#include "advise/advise_steps.h"
#include "route/engine/engine_lookup.h"

enum { SAMPLES = 1000, CASE_SAMPLES = 200 };

static const struct {
    double engine, worst, order, packets, adaptive; /* the last two in packets times hops, of all runs */
} limit = {2e10, 4e9, 6e9, 8e6, 6e7};
static const double sample_limit = 1e9, case_limit = 1.5e9, case_sample_limit = 2e8;
static const double packets_enough = 4e6; /* likewise; more runs than the least are not worth more */

static struct hd_sizes work_sizes(const struct hd_advising *a)
{
    return (struct hd_sizes){.endpoints = a->net->nsel,
                             .switches = a->net->nsw,
                             .channels = a->net->nchan,
                             .leaves = a->nleaf,
                             .hops = a->info.mean_distance + 2};
}

double hd_work_build(const struct hd_advising *a, const char *engine)
{
    struct hd_sizes z = work_sizes(a);
    return hd_engine_cost(a->ctx, engine, &z);
}

double hd_work_check(const struct hd_advising *a, uint32_t variants)
{
    struct hd_sizes z = work_sizes(a);
    return z.endpoints * z.switches + z.endpoints * z.leaves * z.hops * variants * (variants > 1 ? 4 : 1);
}

uint64_t hd_work_samples(const struct hd_advising *a, uint32_t split)
{
    struct hd_sizes z = work_sizes(a);
    static const uint64_t steps[] = {SAMPLES, 500, 200, 100, 50};
    double each = z.endpoints / 2 * z.hops * split * (split > 1 ? 20 : 1);
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof *steps && (double)steps[i] * each > sample_limit) i++;
    return steps[i];
}

static double work_worst(const struct hd_advising *a, uint32_t split)
{
    struct hd_sizes z = work_sizes(a);
    return split > 1 ? 10 * z.endpoints * z.endpoints * split : z.endpoints * z.leaves * z.hops;
}

bool hd_work_worst(const struct hd_advising *a, uint32_t split)
{
    return work_worst(a, split) <= limit.worst;
}

static double work_order(const struct hd_advising *a, uint32_t split)
{
    struct hd_sizes z = work_sizes(a);
    double n = a->nodes ? a->nodes->n * (double)a->nodes->nrail : z.endpoints;
    return n * n * z.hops * split * (split > 1 ? 4 : 1);
}

bool hd_work_order(const struct hd_advising *a, uint32_t split)
{
    return work_order(a, split) <= limit.order;
}

/* An interval wants some runs: at least so many, and no more than are worth it. */
enum { LEAST_RUNS = 4, MOST_RUNS = 8 };

static double work_packets(const struct hd_advising *a, uint64_t packets)
{
    struct hd_sizes z = work_sizes(a);
    return z.endpoints / 2 * z.hops * (double)packets;
}

struct hd_work_packets hd_work_runs(const struct hd_advising *a, bool adaptive)
{
    for (uint64_t packets = 128; packets >= 64; packets /= 2) {
        double most = limit.packets, each = work_packets(a, packets);
        if (LEAST_RUNS * each > most && adaptive) most = limit.adaptive; /* one simulation in all, not one per table */
        if (each <= 0 || LEAST_RUNS * each > most) continue;
        double runs = packets_enough / each;
        return (struct hd_work_packets){runs > MOST_RUNS    ? MOST_RUNS
                                        : runs < LEAST_RUNS ? LEAST_RUNS
                                                            : (uint64_t)runs,
                                        packets};
    }
    return (struct hd_work_packets){0};
}

bool hd_work_fits(struct hd_advising *a, struct hd_report_option *o, const char *what, double work)
{
    if (work <= limit.engine) return true;
    o->state = HD_OPTION_TOO_MUCH_WORK;
    o->why_not = hd_say(a, "left out: %s would take about %.1e steps, more than %.0e", what, work, limit.engine);
    return false;
}

uint32_t hd_work_cases(const struct hd_advising *a, const char *engine, uint32_t most)
{
    double each = hd_work_build(a, engine) + 2 * hd_work_check(a, 1);
    double n = case_limit / (each + 1);
    return n >= most ? most : n < 2 ? 2 : (uint32_t)n;
}

uint64_t hd_work_case_samples(const struct hd_advising *a, uint32_t cases)
{
    struct hd_sizes z = work_sizes(a);
    uint64_t most = hd_work_samples(a, 1);
    return most <= CASE_SAMPLES || 2 * cases * z.endpoints / 2 * z.hops * (double)most <= case_sample_limit
               ? most
               : CASE_SAMPLES;
}

/* ---- what was left out ------------------------------------------------------------------------- */

static void work_note(struct hd_advising *a, const char *what, double work, double most)
{
    hd_advise_note(a, hd_say(a, "Left out: %s would take about %.1e steps, more than %.0e.", what, work, most));
}

void hd_work_notes(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    for (uint32_t i = 0; i < r->noption; i++)
        if (r->option[i].state == HD_OPTION_TOO_MUCH_WORK)
            hd_advise_note(a, hd_say(a, "%s is %s.", r->option[i].table, r->option[i].why_not));
    /* A ranking without it looks like one in which it does not apply. */
    for (uint32_t i = 0; i < r->noption; i++)
        if (r->option[i].state == HD_OPTION_FAILED && !r->option[i].run)
            hd_advise_note(a, hd_say(a, "%s is left out: it failed: %s.", r->option[i].table, r->option[i].why_not));
    if (a->in->compare_only || a->net->nsel < 2) return;
    if (!hd_work_worst(a, 1)) work_note(a, "the worst case", work_worst(a, 1), limit.worst);
    if (a->nodes && !hd_work_order(a, 1))
        work_note(a, "rank orders ('heddle order' makes them)", work_order(a, 1), limit.order);
    if (!hd_work_runs(a, false).runs)
        work_note(a, hd_work_runs(a, true).runs ? "simulated packets over each table" : "simulated packets",
                  LEAST_RUNS * work_packets(a, 64), limit.packets);
    if (hd_work_samples(a, 1) < SAMPLES)
        hd_advise_note(a, hd_say(a, "Random patterns have %llu samples instead of %d.",
                                 (unsigned long long)hd_work_samples(a, 1), SAMPLES));
}
