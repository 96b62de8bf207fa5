/* SPDX-License-Identifier: BSD-2-Clause */
/* Zahavi, section III: Table 1, the algorithms of two MPI libraries and the sequences they are made of, and Table 2,
 * what the sequences are.
 *
 * An algorithm of Table 1 runs by its name (collective:) and must count what its sequences count, one after the other,
 * under a random order, where no two sequences look alike. The definitions of Table 2 are written down once more here,
 * as printed, so that what is said of them does not rest on ours. */
#include "zahavi2010.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Table 1 -------------------------------------------------------------------------------- */

#define BINOMIAL_IN "collective:op=gather"

/* On 1024 nodes: some of the algorithms are for powers of two. */
static const struct zahavi_algorithm {
    const char *printed, *collective, *sequence[2];
} zahavi_algorithms[] = {
    {"AllGather, Ring", "op=allgather,alg=ring", {"ring"}},
    {"AllGather, Bruck", "op=allgather,alg=bruck", {"rev-bruck"}},
    {"AllGather, Doubling", "op=allgather,alg=doubling", {"recdbl"}},
    {"Barrier", "op=barrier,alg=tournament", {"tournament", "binomial"}},
    {"Broadcast, Old", "op=broadcast,alg=old", {"binomial"}},
    {"Broadcast, V.d.Geijn", "op=broadcast,alg=vdgeijn", {"binomial", "ring"}},
    {"AllToAll, Shift", "op=alltoall,alg=shift", {"shift"}},
    {"AllToAll, Xor", "op=alltoall,alg=hypercube", {"recdbl"}},
    {"AllToAll, Bruck", "op=alltoall,alg=bruck", {"bruck"}},
    {"Commutative Reduce Scatter, Old", "op=reduce-scatter,alg=old", {BINOMIAL_IN, "binomial"}},
    {"Commutative Reduce Scatter, New", "op=reduce-scatter,alg=new", {"rechalf"}},
    {"Reduce Scatter, New", "op=reduce-scatter,alg=noncommutative", {"shift"}},
    {"AllReduce, Old", "op=allreduce,alg=old", {"recdbl"}},
    {"AllReduce, Rabenseifner", "op=allreduce,alg=rabenseifner", {"rechalf", "recdbl"}},
    {"Reduce, Old", "op=reduce,alg=old", {BINOMIAL_IN}},
    {"Reduce, Rabenseifner", "op=reduce,alg=rabenseifner", {"rechalf", BINOMIAL_IN}},
    {"Scatter", "op=scatter,alg=old", {"binomial"}},
    {"Gather", "op=gather,alg=old", {BINOMIAL_IN}},
};

enum { ZAHAVI_ALGORITHMS = sizeof zahavi_algorithms / sizeof *zahavi_algorithms };

/* Binomial may have its arrows reversed and counts once, as in Table 2. */
static const char *zahavi_sequence_name(const char *name)
{
    return strcmp(name, BINOMIAL_IN) == 0 ? "binomial" : name;
}

static uint32_t zahavi_count_sequences(void)
{
    const char *seen[2 * ZAHAVI_ALGORITHMS];
    uint32_t n = 0;
    for (int i = 0; i < ZAHAVI_ALGORITHMS; i++)
        for (int k = 0; k < 2 && zahavi_algorithms[i].sequence[k]; k++) {
            const char *name = zahavi_sequence_name(zahavi_algorithms[i].sequence[k]);
            uint32_t j = 0;
            while (j < n && strcmp(seen[j], name) != 0) j++;
            if (j == n) seen[n++] = name;
        }
    return n;
}

hd_status hd_zahavi_table1(struct hd_paper_run *run)
{
    static const char net[] = "ft:m=16,n=3", ranks[] = "random:seed=1";
    for (int i = 0; i < ZAHAVI_ALGORITHMS; i++) {
        const struct zahavi_algorithm *a = &zahavi_algorithms[i];
        struct hd_result r;
        char spec[64];
        double sum = 0, stages = 0;
        for (int k = 0; k < 2 && a->sequence[k]; k++) {
            HD_TRY(hd_zahavi_hsd(run, net, a->sequence[k], ranks, &r));
            sum += r.value * (double)r.samples;
            stages += (double)r.samples;
        }
        snprintf(spec, sizeof spec, "collective:%s", a->collective);
        HD_TRY(hd_zahavi_hsd(run, net, spec, ranks, &r));
        hd_paper_put(run, hd_claim(HD_ROW_IS, stages, 0, NULL), (double)r.samples, "stages, as its sequences have",
                     "%s: %s", a->printed, spec);
        hd_paper_put(run, hd_claim(HD_ROW_IS, sum / stages, 1e-9, NULL), r.value, "average HSD, as its sequences have",
                     "%s: %s", a->printed, spec);
    }
    hd_paper_put(run, hd_claim(HD_ROW_IS, 18, 0, NULL), ZAHAVI_ALGORITHMS, "algorithms", "all collectives");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 8, 0, NULL), zahavi_count_sequences(), "sequences", "all collectives");
    return HD_OK;
}

/* ---- Table 2 -------------------------------------------------------------------------------- */

enum zahavi_cps { DISSEMINATION, TOURNAMENT, SHIFT, RING, BINOMIAL, DOUBLING, HALVING, ZAHAVI_CPS };

/* Where i sends to in stage s as printed; n: nowhere. */
static uint32_t zahavi_target(enum zahavi_cps cps, uint32_t n, uint32_t s, uint32_t i)
{
    uint32_t power = s < 31 ? 1u << s : 0, to = n;
    switch (cps) {
    case DISSEMINATION: return (i + power) % n;
    case TOURNAMENT: return i % (2 * power) == power ? i - power : n;
    case SHIFT: return (i + s) % n;
    case RING: return (i + 1) % n;
    case BINOMIAL: return i < power && i + power < n ? i + power : n;
    case DOUBLING: to = i ^ power; break;
    case HALVING: to = i ^ (n >> s); break;
    case ZAHAVI_CPS: break;
    }
    return to < n ? to : n;
}

/* Pairs of a stage whose displacement, up to direction, is not the first pair's; lonely: whose reverse is missing. */
static void zahavi_stage(enum zahavi_cps cps, uint32_t n, uint32_t s, uint32_t *odd, uint32_t *lonely)
{
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = zahavi_target(cps, n, s, i);
        if (to >= n || to == i) continue;
        uint32_t ahead = (to + n - i) % n, distance = ahead < n - ahead ? ahead : n - ahead;
        if (first == n) first = distance;
        *odd += distance != first;
        *lonely += zahavi_target(cps, n, s, to) != i;
    }
}

static void zahavi_displacements(const struct hd_paper_run *run)
{
    static const struct {
        const char *name;
        enum zahavi_cps cps;
        uint32_t nodes, first, last;
        bool both;
        const char *known;
    } rows[] = {{"Dissemination", DISSEMINATION, 1944, 0, 10, false, NULL},
                {"Tournament", TOURNAMENT, 1944, 0, 10, false, NULL},
                {"Shift", SHIFT, 1944, 1, 1943, false, NULL},
                {"Ring", RING, 1944, 1, 1, false, NULL},
                {"Binomial", BINOMIAL, 1944, 0, 10, false, NULL},
                {"Recursive doubling", DOUBLING, 1944, 0, 10, true, NULL},
                {"Recursive halving", HALVING, 1024, 1, 10, true, NULL},
                {"Recursive halving", HALVING, 1944, 1, 10, true,
                 "N / 2^s as printed is no power of two, and xor with it no displacement; recursive doubling played in "
                 "reverse, as section VI has it, is meant"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t odd = 0, lonely = 0;
        for (uint32_t s = rows[i].first; s <= rows[i].last; s++)
            zahavi_stage(rows[i].cps, rows[i].nodes, s, &odd, &lonely);
        hd_paper_put(run, hd_claim(HD_ROW_IS, 0, 0, rows[i].known), odd, "pairs off the displacement of their stage",
                     "%s, %u nodes", rows[i].name, rows[i].nodes);
        if (rows[i].both)
            hd_paper_put(run, hd_claim(HD_ROW_IS, 0, 0, NULL), lonely, "pairs without their reverse", "%s, %u nodes",
                         rows[i].name, rows[i].nodes);
    }
}

hd_status hd_zahavi_table2(struct hd_paper_run *run)
{
    static const struct {
        const char *subject, *net, *pattern;
        uint32_t stages;
        const char *known;
    } rows[] = {
        {"Shift, 1944 nodes", "pgft:m=18x18x6,w=1x18x3,p=1x1x6", "shift", 1943, NULL},
        {"Ring, 1944 nodes", "pgft:m=18x18x6,w=1x18x3,p=1x1x6", "ring", 1, NULL},
        {"Binomial, 1024 nodes", "ft:m=16,n=3", "binomial", 11,
         "ten stages reach 1024 nodes: the bounds s <= log2 N of Table 2 count an empty one"},
        {"Recursive doubling, 1944 nodes", "pgft:m=18x18x6,w=1x18x3,p=1x1x6", "recdbl", 11,
         "eleven is ceil(log2 N), without the stages before and after that section VI adds where N is no power of two: "
         "floor(log2 N) = 10 and two"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hd_result r;
        HD_TRY(hd_zahavi_hsd(run, rows[i].net, rows[i].pattern, "natural", &r));
        hd_paper_put(run, hd_claim(HD_ROW_IS, rows[i].stages, 0, rows[i].known), (double)r.samples, "stages", "%s",
                     rows[i].subject);
    }
    zahavi_displacements(run);
    return HD_OK;
}
