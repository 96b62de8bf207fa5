/* SPDX-License-Identifier: BSD-2-Clause */
/* Ours beside the real OpenSM, measured like the papers: every engine of OpenSM that routes a fabric, and
 * the engine of ours that does the same job, or `settle` where there is none. Rows compare the largest
 * number of pairs on a channel, effective bisection bandwidth (the same samples for both), lanes and freedom
 * of deadlock; OpenSM's figure is in the column of a paper's. CPU times are rows as well, for --timing. */
#include "papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct fabric {
    const char *net, *name;
    bool large;       /* only in full runs */
    const char *root; /* a switch to start updn from where OpenSM finds no roots, NULL: it does */
};

static const struct fabric fabrics[] = {
    {"torus:dims=4x4x4,hosts=2", "torus 4x4x4", false, "L1-0000"},
    {"gft:n=16,m=16,r=32", "T(16+16,32)", true, NULL},
    {"ft:m=16,n=3", "FT(16,3)", true, NULL},
    {"pgft:m=18x18x6,w=1x18x6,p=1x1x3", "PGFT(3;18,18,6;1,18,6;1,1,3)", true, NULL},
    {"random:switches=43,ports=24,hosts=12,seed=1", "random 43x24", true, "L1-0000"},
};

static const struct match { /* an engine of OpenSM, and ours for the same job */
    const char *theirs, *ours;
    bool roots;       /* both are given the fabric's root */
    bool equal;       /* they are the same algorithm down to the last tie */
    bool even;        /* claimed: ours loads no channel more, not even by a tie */
    bool lanes;       /* it finds out how many lanes it needs */
    const char *load; /* why ours may have a larger load; NULL: it has not */
} matches[] = {
    {.theirs = "minhop", .ours = "minhop", .equal = true},
    {.theirs = "updn", .ours = "updown"},
    {.theirs = "updn", .ours = "updown", .roots = true},
    {.theirs = "dnup", .ours = "dnup", .equal = true},
    {.theirs = "ftree", .ours = "ftree", .even = true},
    {.theirs = "lash", .ours = "lash", .lanes = true},
    {.theirs = "dor", .ours = "dor"},
    {.theirs = "sssp", .ours = "psssp"},
    {.theirs = "dfsssp", .ours = "dfsssp", .lanes = true},
    {.theirs = "nue", .ours = "nue"}, /* keeps to the lanes it is given, here 1 */
    {.theirs = "nue,vls=8",
     .ours = "nue:maxlanes=8",
     .load =
         "of several orders of destinations the one with the most bandwidth for random pairs is kept, not the one with "
         "the lowest load: on random 43x24 eight orders have 1440 to 1488, at the same EBB within .2 %"},
    {.theirs = "nue", .ours = "settle:maxlanes=1"},
    {.theirs = "torus-2QoS", .ours = "torus2qos", .equal = true, .lanes = true},
};

struct figures {
    bool applies;
    char why[256]; /* it does not */
    double load, ebb, lanes, free, cpu;
};

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hd_status measure(struct hd_paper_run *run, const char *net, const char *table, struct figures *f)
{
    const struct hd_routes *r;
    struct hd_request efi = {.metric = "efi"};
    struct hd_request bisect = {.pattern = "bisect", .metric = "ebb", .samples = run->full ? 1000 : 100};
    struct hd_result load, ebb;
    struct hd_check check;
    HD_TRY(hd_paper_net(run, net, NULL));
    double start = cpu_now();
    hd_status s = hd_paper_routes(run, net, table, &r);
    f->cpu = cpu_now() - start;
    f->applies = s == HD_OK;
    if (s == HD_NA || s == HD_LIMIT) { /* HD_LIMIT: OpenSM was not done in time */
        snprintf(f->why, sizeof f->why, "%.250s", s == HD_NA ? hd_ctx_reason(run->ctx) : hd_ctx_error(run->ctx));
        return HD_OK;
    }
    if (s != HD_OK) return s;
    if (hd_routes_other_cpu(r) > 0) f->cpu = hd_routes_other_cpu(r);
    HD_TRY(hd_eval(run->ctx, r, &efi, &load));
    HD_TRY(hd_eval(run->ctx, r, &bisect, &ebb));
    HD_TRY(hd_routes_check(run->ctx, r, &check));
    f->load = load.value;
    f->ebb = ebb.value;
    f->lanes = check.lanes ? check.lanes : NAN;
    f->free = check.deadlock_free < 0 ? NAN : check.deadlock_free;
    return HD_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void put_rows(struct hd_paper_run *run, const char *subject, const struct match *m, const struct figures *theirs,
                     const struct figures *ours)
{
    enum hd_relation most = m->equal ? HD_ROW_IS : HD_ROW_AT_MOST, least = m->equal ? HD_ROW_IS : HD_ROW_AT_LEAST;
    double slack = m->equal ? 0 : 0.02; /* ties are broken by other rules */
    struct hd_paper_row timing = {.published = NAN, .timing = true};
    const char *why = ours->load > theirs->load * (1 + slack) ? m->load : NULL;
    hd_paper_put(run, hd_claim(most, theirs->load, m->even ? 0 : slack, why), ours->load, "largest load", "%s",
                 subject);
    hd_paper_put(run, hd_claim(least, theirs->ebb, slack, NULL), ours->ebb, "EBB", "%s", subject);
    if (m->lanes) hd_paper_put(run, hd_claim(most, theirs->lanes, 0, NULL), ours->lanes, "VLs", "%s", subject);
    hd_paper_put(run, hd_claim(least, theirs->free, 0, NULL), ours->free, "deadlock-free", "%s", subject);
    hd_paper_put(run, timing, 1000 * theirs->cpu, "CPU ms of OpenSM until the subnet is up", "%s", subject);
    hd_paper_put(run, timing, 1000 * ours->cpu, "CPU ms of ours", "%s", subject);
}

static hd_status opensm_compare(struct hd_paper_run *run, const struct fabric *f, const struct match *m)
{
    char table[128], subject[160];
    struct figures theirs = {0}, ours = {0};
    const char *root = m->roots ? f->root : NULL, *name = m->ours;
    if (m->roots && !root) return HD_OK;
    snprintf(table, sizeof table, "opensm:engine=%s%s%s", m->theirs, root ? ",roots=" : "", root ? root : "");
    HD_TRY(measure(run, f->net, table, &theirs));
    snprintf(table, sizeof table, "%s%s%s", m->ours, root ? ":roots=" : "", root ? root : "");
    HD_TRY(measure(run, f->net, table, &ours));
    if (!ours.applies) HD_TRY(measure(run, f->net, name = "settle", &ours));
    snprintf(subject, sizeof subject, "%s: %s%s / %s", f->name, m->theirs, root ? " from one root" : "", name);
    if (theirs.applies)
        put_rows(run, subject, m, &theirs, &ours);
    else
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, theirs.why), ours.load,
                     "largest load of ours, OpenSM's does not apply", "%s", subject);
    return HD_OK;
}

static hd_status run_opensm(struct hd_paper_run *run)
{
    for (size_t i = 0; i < sizeof fabrics / sizeof fabrics[0]; i++)
        for (size_t k = 0; k < sizeof matches / sizeof matches[0]; k++) {
            if (fabrics[i].large && !run->full) continue;
            hd_status s = opensm_compare(run, &fabrics[i], &matches[k]);
            if (s == HD_MISSING) {
                hd_note(run->ctx, "own-opensm is left out: %.300s", hd_ctx_error(run->ctx));
                return HD_OK;
            }
            if (s != HD_OK) return s;
        }
    return HD_OK;
}

const struct hd_paper_item hd_own_opensm[] = {
    {.desc =
         {.name = "own-opensm",
          .summary = "ours beside every engine of OpenSM that runs, on five fabrics",
          .text =
              "The column published is what the real OpenSM gives on the simulator ibsim, ours is the engine of "
              "ours named behind the slash. Claimed: minhop, dnup and torus2qos are OpenSM's entry by entry, so all "
              "their figures are equal; ftree loads no channel more; the others are no worse, up to 2 % since ties "
              "are broken by other rules; whatever is deadlock-free there is so here; lash and dfsssp need no "
              "more VLs. OpenSM's CPU time is that of its whole sweep: discovery, routing and programming. "
              "Needs OpenSM; left out where it is not installed.",
          .cite = "OpenSM 3.3.23 of Debian 12",
          .opt_size = 1},
     .run = run_opensm},
    {.run = NULL}};
