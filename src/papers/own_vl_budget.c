/* SPDX-License-Identifier: BSD-2-Clause */
/* What this library claims of settle within one VL or a few, measured like the papers: against every engine that keeps
 * to the same number of VLs, on intact networks and on the same ones without 3 % of their cables. Same samples for all
 * engines of a network. Full runs have the real OpenSM beside, where it is installed. */
#include "papers.h"

#include <math.h>
#include <stdio.h>

struct budget_case {
    const char *net;
    bool large; /* only in full runs */
};

static const struct budget_case cases[] = {
    {"torus:dims=5x5,hosts=3", false},
    {"torus:dims=8x8,hosts=2", false},
    {"slimfly:q=5", false},
    {"torus:dims=16x16,hosts=1", true},
    {"torus:dims=4x4x4,hosts=4", true},
    {"torus:dims=8x8x8,hosts=1", true},
    {"dragonfly:a=6,p=3,h=3", true},
    {"dragonfly:a=8,p=4,h=4", true},
    {"slimfly:q=7", true},
    {"random:switches=64,ports=16,hosts=6,seed=1", true},
    {"hyperx:dims=6x6,hosts=4", true},
    {"deimos", true},
};

static const uint32_t budgets[] = {1, 2, 4, 8};

static const char *const rivals[] = {"nue:maxlanes=%u", "dfsssp:maxlanes=%u", "lash:maxlanes=%u", "updown"};

/* Those of OpenSM that choose the number of VLs themselves. */
static const char *const theirs[] = {"opensm:engine=dfsssp", "opensm:engine=lash", "opensm:engine=torus-2QoS"};

enum { RIVALS = sizeof rivals / sizeof *rivals, THEIRS = sizeof theirs / sizeof *theirs };
enum { LOST = 33, MOST_VLS = 8 }; /* one cable in so many is lost; the largest budget */

/* EBB of a table and its VLs; NaN where it does not apply or needs more than `most` VLs. */
static hd_status budget_measure(struct hd_paper_run *run, const struct hd_net *net, const char *table, uint32_t most,
                                double *ebb, uint32_t *lanes)
{
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = run->full ? 1000 : 200};
    struct hd_result result;
    struct hd_routes *r = NULL;
    struct hd_check check;
    *ebb = NAN;
    *lanes = 0;
    if (hd_ctx_stopped(run->ctx)) return HD_FAULT;
    hd_status s = hd_routes_open(run->ctx, net, table, &r);
    if (s == HD_LIMIT) hd_note(run->ctx, "own-vl-budget has no row for %s: %.300s", table, hd_ctx_error(run->ctx));
    if (s == HD_NA || s == HD_LIMIT) return HD_OK;
    if (s == HD_OK) s = hd_routes_check(run->ctx, r, &check);
    if (s == HD_OK) s = hd_eval(run->ctx, r, &q, &result);
    if (s == HD_OK && check.deadlock_free == 1 && check.lanes <= most) {
        *ebb = result.value;
        *lanes = check.lanes;
    }
    hd_routes_free(r);
    return s;
}

/* EBB and VLs of a table, if it has a figure; the latter in full runs. */
static void budget_put(struct hd_paper_run *run, const struct hd_net *net, const char *table, uint32_t vls, double ebb,
                       uint32_t lanes)
{
    char quantity[96];
    if (isnan(ebb)) return;
    snprintf(quantity, sizeof quantity, "VL budget %u: EBB of %.60s", vls, table);
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), ebb, quantity, "%s", net->spec);
    snprintf(quantity, sizeof quantity, "VL budget %u: VLs of %.60s", vls, table);
    if (run->full) hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), lanes, quantity, "%s", net->spec);
}

/* OpenSM's nue beside both of ours. HD_MISSING: there is no OpenSM. */
static hd_status budget_compare_nue(struct hd_paper_run *run, const struct hd_net *net, uint32_t vls, double settle,
                                    double nue)
{
    double ebb;
    uint32_t lanes;
    char table[64], quantity[96];
    snprintf(table, sizeof table, "opensm:engine=nue,vls=%u", vls);
    HD_TRY(budget_measure(run, net, table, vls, &ebb, &lanes));
    budget_put(run, net, table, vls, ebb, lanes);
    if (isnan(ebb)) return HD_OK;
    snprintf(quantity, sizeof quantity, "VL budget %u: settle / OpenSM's nue", vls);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.995, 0, NULL), settle / ebb, quantity, "%s", net->spec);
    snprintf(quantity, sizeof quantity, "VL budget %u: nue / OpenSM's nue", vls);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.995, 0, NULL), nue / ebb, quantity, "%s", net->spec);
    return HD_OK;
}

/* The other engines of OpenSM, which take as many VLs as they need: settle without a limit is no worse. */
static hd_status budget_compare_theirs(struct hd_paper_run *run, const struct hd_net *net, double settle)
{
    for (size_t i = 0; i < THEIRS; i++) {
        double ebb;
        uint32_t lanes;
        char quantity[96];
        HD_TRY(budget_measure(run, net, theirs[i], MOST_VLS, &ebb, &lanes));
        budget_put(run, net, theirs[i], MOST_VLS, ebb, lanes);
        snprintf(quantity, sizeof quantity, "VL budget %d: settle / %.60s", MOST_VLS, theirs[i]);
        if (!isnan(ebb))
            hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.995, 0, NULL), settle / ebb, quantity, "%s", net->spec);
    }
    return HD_OK;
}

/* What a full run shows of OpenSM; without it, nothing. */
static hd_status budget_compare_opensm(struct hd_paper_run *run, const struct hd_net *net, uint32_t vls, double settle,
                                       double nue)
{
    if (!run->full) return HD_OK;
    hd_status s = budget_compare_nue(run, net, vls, settle, nue);
    if (s == HD_OK && vls == MOST_VLS) s = budget_compare_theirs(run, net, settle);
    return s == HD_MISSING ? HD_OK : s;
}

/* The rows of one number of VLs. fewer: the best EBB of settle with less. */
static hd_status budget_compare(struct hd_paper_run *run, const struct hd_net *net, uint32_t vls, double *fewer)
{
    double settle, nue = NAN, best = 0;
    uint32_t lanes;
    char table[64], quantity[96];
    const char *subject = net->spec;
    snprintf(table, sizeof table, "settle:maxlanes=%u", vls);
    HD_TRY(budget_measure(run, net, table, vls, &settle, &lanes));
    snprintf(quantity, sizeof quantity, "VL budget %u: EBB of settle", vls);
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), settle, quantity, "%s", subject);
    snprintf(quantity, sizeof quantity, "VL budget %u: VLs of settle", vls);
    hd_paper_put(run, hd_claim(HD_ROW_AT_MOST, vls, 0, NULL), lanes ? lanes : NAN, quantity, "%s", subject);
    for (size_t i = 0; i < RIVALS; i++) {
        double ebb;
        snprintf(table, sizeof table, rivals[i], vls);
        HD_TRY(budget_measure(run, net, table, vls, &ebb, &lanes));
        budget_put(run, net, table, vls, ebb, lanes);
        if (i == 0) nue = ebb;
        if (ebb > best) best = ebb;
    }
    snprintf(quantity, sizeof quantity, "VL budget %u: settle / best other", vls);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.995, 0, NULL), settle / best, quantity, "%s", subject);
    snprintf(quantity, sizeof quantity, "VL budget %u: settle / settle with fewer VLs", vls);
    if (*fewer > 0)
        hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.995, 0, NULL), settle / *fewer, quantity, "%s", subject);
    if (settle > *fewer) *fewer = settle;
    return budget_compare_opensm(run, net, vls, settle, nue);
}

/* On a torus: VLs that change along the path. */
static hd_status budget_compare_hops(struct hd_paper_run *run, const struct hd_net *net, uint32_t vls)
{
    double theirs, ours;
    uint32_t lanes;
    char table[64], quantity[96];
    HD_TRY(budget_measure(run, net, "torus2qos", vls, &theirs, &lanes));
    if (isnan(theirs)) return HD_OK;
    snprintf(table, sizeof table, "settle:lanes=hop,maxlanes=%u", vls);
    HD_TRY(budget_measure(run, net, table, vls, &ours, &lanes));
    snprintf(quantity, sizeof quantity, "VL budget %u: EBB of torus2qos", vls);
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), theirs, quantity, "%s", net->spec);
    snprintf(quantity, sizeof quantity, "VL budget %u: settle with lanes=hop / torus2qos", vls);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.995, 0, NULL), ours / theirs, quantity, "%s", net->spec);
    return HD_OK;
}

static hd_status budget_compare_all(struct hd_paper_run *run, const struct hd_net *net)
{
    double fewer = 0;
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        HD_TRY(budget_compare(run, net, budgets[i], &fewer));
        HD_TRY(budget_compare_hops(run, net, budgets[i]));
    }
    return HD_OK;
}

/* Cables between switches. */
static uint32_t budget_cables(const struct hd_net *net)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->nchan; c++) n += net->tail[c] < net->nsw && net->head[c] < net->nsw;
    return n / 2;
}

static hd_status budget_case_run(struct hd_paper_run *run, const struct budget_case *t)
{
    struct hd_net *whole = NULL, *damaged = NULL;
    char fail[64];
    hd_status s = hd_net_open(run->ctx, t->net, &(struct hd_open){0}, &whole);
    if (s == HD_OK) s = budget_compare_all(run, whole);
    if (s == HD_OK) {
        snprintf(fail, sizeof fail, "links=%u,seed=1", budget_cables(whole) / LOST + 1);
        s = hd_net_open(run->ctx, t->net, &(struct hd_open){.fail = fail}, &damaged);
    }
    if (s == HD_OK) s = budget_compare_all(run, damaged);
    hd_net_free(whole);
    hd_net_free(damaged);
    return s;
}

static hd_status run_budget(struct hd_paper_run *run)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (run->full || !cases[i].large) HD_TRY(budget_case_run(run, &cases[i]));
    return HD_OK;
}

const struct hd_paper_item hd_own_vl_budget[] = {
    {.desc = {.name = "own-vl-budget",
              .summary =
                  "settle against other engines within 1, 2, 4 and 8 VLs, intact and with 3 % of the cables lost",
              .text = "Claimed: never more than half a per cent below nue, dfsssp, lash and updown within the same "
                      "number of VLs, nor below itself with fewer, nor, with lanes=hop, below torus2qos, in effective "
                      "bisection bandwidth. With --full the real OpenSM is beside, if it is installed: its nue with "
                      "each number of VLs, than which neither settle nor nue is more than half a per cent lower, and "
                      "dfsssp, lash and torus-2QoS, which take what VLs they need, up to eight. An engine that "
                      "does not apply or needs more VLs has no row; every table is proved deadlock-free.",
              .cite = "heddle",
              .opt_size = 1},
     .run = run_budget},
    {.run = NULL}};
