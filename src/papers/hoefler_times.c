/* SPDX-License-Identifier: BSD-2-Clause */
/* Hoefler, Schneider, Lumsdaine: running times (Figures 4(b) and 4(f), section III.C), and the real OpenSM on the five
 * systems. Times are CPU time of this machine and differ from run to run: shown with --timing alone. OpenSM is run
 * live on ibsim, as the paper did; where it is not installed its rows are left out with a note. */
#include "hoefler2009.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double times_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { TIMES = 5 };
static const double LONG_ENOUGH = 0.5;

/* CPU seconds of a table, those of another program where one made it; NaN: it does not apply. What takes less than
 * LONG_ENOUGH is done up to TIMES times and the least counts: another process on the machine would show otherwise. */
static hd_status time_table(struct hd_paper_run *run, const char *net, const char *table, double *seconds)
{
    const struct hd_net *opened;
    HD_TRY(hd_paper_net(run, net, &opened));
    *seconds = INFINITY;
    for (int i = 0; i < TIMES && (i == 0 || *seconds < LONG_ENOUGH); i++) {
        struct hd_routes *r;
        if (hd_ctx_stopped(run->ctx)) return HD_FAULT;
        double start = times_now();
        hd_status s = hd_routes_open(run->ctx, opened, table, &r);
        *seconds = fmin(*seconds, times_now() - start);
        if (s == HD_NA) {
            *seconds = NAN;
            return HD_OK;
        }
        HD_TRY(s);
        double other = hd_routes_other_cpu(r);
        hd_routes_free(r);
        if (other > 0) {
            *seconds = other;
            return HD_OK;
        }
    }
    return HD_OK;
}

static void put_time(const struct hd_paper_run *run, double seconds, const char *name, const char *table)
{
    struct hd_paper_row timing = {.published = NAN, .timing = true};
    if (!isnan(seconds)) hd_paper_put(run, timing, 1000 * seconds, "CPU ms", "%s %s", name, table);
}

/* ---- Figure 4(b) ---------------------------------------------------------------------------- */

static const char *const timed[] = {"minhop", "updown", "ftree", "dor", "lash", "psssp", "p2sssp"};
enum { TIMED = sizeof timed / sizeof *timed, TIMED_LASH = 4, TIMED_PSSSP, TIMED_P2SSSP };

hd_status hoefler_run_fig4b(struct hd_paper_run *run)
{
    for (int i = 0; i < HOEFLER_SYSTEMS; i++) {
        const struct hoefler_system *system = &hoefler_systems[i];
        double t[TIMED];
        if (system->large && !run->full) continue;
        run->scramble = hoefler_numbering(run, 0);
        for (int k = 0; k < TIMED; k++) {
            HD_TRY(time_table(run, system->spec, timed[k], &t[k]));
            put_time(run, t[k], system->name, timed[k]);
        }
        hd_paper_put(run,
                     hd_claim(HD_ROW_AT_LEAST, system->large ? 0 : 2, 0,
                              system->large ? "not done after several hours there; here the shortest paths between two "
                                              "switches are found once, not once per pair of endpoints"
                                            : NULL),
                     (t[TIMED_LASH] >= 0) + (t[TIMED_P2SSSP] >= 0), "of lash and p2sssp, how many finish", "%s",
                     system->name);
        struct hd_paper_row slower = hd_claim(HD_ROW_ABOVE, 1, 0, NULL);
        slower.timing = true;
        hd_paper_put(run, slower, t[TIMED_P2SSSP] / t[TIMED_PSSSP], "CPU time p2sssp / psssp", "%s", system->name);
    }
    return HD_OK;
}

/* ---- Figure 4(f), section III.C --------------------------------------------------------------- */

/* n m + n^2 log n, for P2-SSSP times n, on a hypercube of 2^dim switches with n endpoints and m cables between
 * switches. */
static double stated_work(int table, double dim)
{
    double n = 4 * exp2(dim), m = exp2(dim) * dim / 2, work = n * m + n * n * log2(n);
    return table == TIMED_P2SSSP ? n * work : work;
}

hd_status hoefler_run_fig4f(struct hd_paper_run *run)
{
    enum { SIZES = 4, FROM = 1 };
    double t[SIZES][TIMED];
    int sizes = run->full ? SIZES : SIZES - 1;
    uint32_t dim[SIZES] = {4, 6, 8, 10};
    for (int i = 0; i < sizes; i++) {
        char net[64], name[64];
        uint32_t finish = 0;
        snprintf(net, sizeof net, "hypercube:n=%u,hosts=4", dim[i]);
        snprintf(name, sizeof name, "hypercube 2^%u, %u endpoints", dim[i], 4u << dim[i]);
        for (int k = 0; k < TIMED; k++) {
            HD_TRY(time_table(run, net, timed[k], &t[i][k]));
            put_time(run, t[i][k], name, timed[k]);
            finish += !isnan(t[i][k]);
        }
        hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 5, 0, NULL), finish,
                     "algorithms that finish (minhop, updown, dor, lash, psssp, p2sssp)", "%s", name);
    }
    static const struct {
        int table;
        const char *words;
    } bounds[] = {{TIMED_PSSSP, "exponent of CPU time in endpoints: n m + n^2 log n"},
                  {TIMED_P2SSSP, "exponent of CPU time in endpoints: n^2 m + n^3 log n"}};
    int last = sizes - 1;
    double times_more = log(2) * (dim[last] - dim[FROM]); /* of endpoints, as a logarithm */
    for (int i = 0; i < 2; i++) {
        int k = bounds[i].table;
        double stated = log(stated_work(k, dim[last]) / stated_work(k, dim[FROM])) / times_more;
        struct hd_paper_row most = hd_claim(HD_ROW_AT_MOST, stated, 0.1, NULL);
        most.timing = true;
        hd_paper_put(run, most, log(t[last][k] / t[FROM][k]) / times_more, bounds[i].words, "%s", timed[k]);
    }
    struct hd_paper_row slower = hd_claim(HD_ROW_ABOVE, 1, 0, NULL);
    slower.timing = true;
    for (int k = 0; k < TIMED_P2SSSP; k++)
        if (!isnan(t[last][k]))
            hd_paper_put(run, slower, t[last][TIMED_P2SSSP] / t[last][k], "CPU time p2sssp / other", "%s", timed[k]);
    return HD_OK;
}

/* ---- the real OpenSM -------------------------------------------------------------------------- */

static hd_status live_ebb(struct hd_paper_run *run, const char *net, const char *table, uint64_t samples, double *ebb)
{
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = samples};
    struct hd_result result;
    hd_status s = hd_paper_eval(run, net, table, &q, &result);
    *ebb = s == HD_OK ? result.value : NAN;
    return s;
}

/* One system in one numbering: every engine of OpenSM of the paper's day, P-SSSP, and the gain over the best. */
static hd_status live_system(struct hd_paper_run *run, const struct hoefler_system *system, const char *numbers,
                             bool judged)
{
    static const char *const engines[] = {"minhop", "updn", "ftree", "dor", "lash"};
    uint64_t samples = run->full ? 2000 : 400;
    double ebb, best = 0, ftree = 0, ours;
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        char table[64], name[64];
        snprintf(table, sizeof table, "opensm:engine=%s,limit=300%s", engines[k],
                 strcmp(engines[k], "lash") == 0 ? ",ask=1" : "");
        snprintf(name, sizeof name, "%s %s%s", system->name, engines[k], numbers);
        hd_status s = live_ebb(run, system->spec, table, samples, &ebb);
        if (s == HD_NA || s == HD_LIMIT) {
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, hd_ctx_error(run->ctx)), 0, "EBB, OpenSM: none", "%s", name);
            continue;
        }
        if (s != HD_OK) return s;
        if (strcmp(engines[k], "ftree") == 0)
            ftree = ebb;
        else
            best = fmax(best, ebb);
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), ebb, "EBB, OpenSM", "%s", name);
    }
    HD_TRY(live_ebb(run, system->spec, "psssp", samples, &ours));
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), ours, "EBB", "%s psssp%s", system->name, numbers);
    char name[64];
    snprintf(name, sizeof name, "%s%s", system->name, numbers);
    hoefler_gain(run, name, "gain of psssp over the best of OpenSM but ftree, %", judged ? system->gain : NAN,
                 100 * (ours / best - 1), judged ? system->known : NULL);
    if (ftree > 0) hoefler_gain(run, name, "gain of psssp over ftree, %", NAN, 100 * (ours / ftree - 1), NULL);
    return HD_OK;
}

hd_status hoefler_run_opensm(struct hd_paper_run *run)
{
    for (int i = 0; i < HOEFLER_SYSTEMS; i++)
        for (int order = 0; order < 2; order++) {
            const struct hoefler_system *system = &hoefler_systems[i];
            if (system->large || (i > 0 && !run->full)) continue;
            run->scramble = order ? 0 : hoefler_numbering(run, 0);
            hd_status s = live_system(run, system, order ? ", numbers in order" : "", !order);
            if (s == HD_MISSING) {
                hd_note(run->ctx, "hoefler2009-opensm is left out: %.300s", hd_ctx_error(run->ctx));
                return HD_OK;
            }
            if (s != HD_OK) return s;
        }
    return HD_OK;
}
