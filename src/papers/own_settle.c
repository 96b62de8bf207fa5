/* SPDX-License-Identifier: BSD-2-Clause */
/* What this library claims of its own engine, measured like the papers: settle against the best of the
 * others on the networks of the SSSP paper, switches, ports and endpoints renumbered at random and the
 * structure inferred again. Same samples for all engines of a network. */
#include "papers.h"

#include <math.h>
#include <stdio.h>

struct subject {
    const char *net;
    bool large;        /* only in full runs */
    double over_psssp; /* claimed gain, 0: none */
    uint32_t lanes;    /* claimed at most, 0: none */
};

static const struct subject subjects[] = {
    {"xgft:m=12x24,w=1x12", false, 0, 0},
    {"xgft:m=16x24,w=1x8", false, 0, 0},
    {"xgft:m=6x6x12,w=1x6x6", false, 0, 0},
    {"torus:dims=4x4x4,hosts=4", false, 1.05, 2},
    {"torus:dims=8x8,hosts=2", false, 0, 0},
    {"hypercube:n=6,hosts=1", false, 0, 0},
    {"random:switches=43,ports=24,hosts=12,seed=1", false, 0, 0},
    {"random:switches=64,ports=16,hosts=8,seed=2", false, 0, 0},
    {"random:switches=30,ports=12,hosts=6,seed=3", false, 0, 0},
    {"random:switches=86,ports=24,hosts=12,seed=4", true, 0, 0},
    {"odin", false, 0, 0},
    {"deimos", false, 1.05, 0},
    {"torus:dims=16x16,hosts=1", true, 0, 0},
    {"torus:dims=8x8x8,hosts=1", true, 0, 0},
    {"hypercube:n=8,hosts=1", true, 0, 0},
    {"atlas", true, 0, 0},
    {"thunderbird", true, 0, 0},
    {"ranger", true, 0, 0},
};

enum { OTHERS = 8 };
static const char *const others[OTHERS] = {"minhop", "updown", "ftree", "dmodc", "dmodk", "dor", "lash", "psssp"};

/* EBB of a table on the current network; NaN where it does not apply. */
static hd_status ebb_of(struct hd_paper_run *run, const char *net, const char *table, double *value)
{
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = run->full ? 2000 : 300};
    struct hd_result r;
    hd_status s = hd_paper_eval(run, net, table, &q, &r);
    if (s == HD_NA) {
        *value = NAN;
        return HD_OK;
    }
    if (s == HD_OK) *value = r.value;
    return s;
}

static hd_status settle_compare(struct hd_paper_run *run, const struct subject *t)
{
    double settle, value = NAN, best = 0; /* the last value is that of psssp */
    const char *best_name = "";
    char quantity[96];
    const struct hd_routes *routes;
    HD_TRY(ebb_of(run, t->net, "settle", &settle));
    HD_TRY(hd_paper_routes(run, t->net, "settle", &routes));
    uint32_t lanes = hd_routes_lanes(routes);
    for (int i = 0; i < OTHERS; i++) {
        HD_TRY(ebb_of(run, t->net, others[i], &value));
        if (value > best) {
            best = value;
            best_name = others[i];
        }
    }
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), settle, "EBB of settle", "%s", t->net);
    snprintf(quantity, sizeof quantity, "EBB of the best other, %s", best_name);
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), best, quantity, "%s", t->net);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 0.995, 0, NULL), settle / best, "settle / best other", "%s", t->net);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, t->over_psssp > 0 ? t->over_psssp : NAN, 0, NULL), settle / value,
                 "settle / psssp", "%s", t->net);
    hd_paper_put(run, hd_claim(HD_ROW_AT_MOST, t->lanes ? t->lanes : NAN, 0, NULL), lanes, "VLs of settle", "%s",
                 t->net);
    return HD_OK;
}

static hd_status run_settle(struct hd_paper_run *run)
{
    run->scramble = (hd_ctx_seed(run->ctx) & 0xffffffffu) * 100 + 1;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
        if (run->full || !subjects[i].large) HD_TRY(settle_compare(run, &subjects[i]));
    return HD_OK;
}

const struct hd_paper_item hd_own_settle[] = {
    {.desc = {.name = "own-settle",
              .summary = "settle against the best other engine, numbering scrambled",
              .text = "Claimed: never more than half a per cent below the best of minhop, updown, ftree, dmodc, dmodk, "
                      "dor, lash and psssp in effective bisection bandwidth; 5 % above psssp on Deimos and a 4x4x4 "
                      "torus with four hosts per switch, and at most two VLs there.",
              .cite = "heddle",
              .opt_size = 1},
     .run = run_settle},
    {.run = NULL}};
