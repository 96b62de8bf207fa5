/* SPDX-License-Identifier: BSD-2-Clause */
/* Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks.
 *
 * Its figures are not in its text, which gives gains in percent and what is better than what; the cabling of
 * its five systems is not given at all. Rows therefore compare gains and orders; the bandwidths behind them
 * are for reading. Generated networks have tidy numbers, which some routings profit from and MINHOP suffers
 * from; fabrics that were discovered have not. All figures are means over random numberings of switches,
 * ports and endpoints. "Best OpenSM routing" is MINHOP here: of the others of OpenSM, UPDN is no better where
 * it is built like MINHOP (this library's updown balances globally), FTREE did not run on the systems. */
#include "papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAPER "hoefler2009"
#define NUMBER "002"
#define CITE "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks"

enum { MINHOP, UPDOWN, FTREE, DOR, LASH, PSSSP, P2SSSP, TABLES };

static const char *const tables[TABLES] = {"minhop", "updown", "ftree", "dor", "lash", "psssp", "p2sssp"};

/* Which of them, as bits. */
enum {
    ANY = 1 << MINHOP | 1 << UPDOWN | 1 << LASH | 1 << PSSSP,
    PAIRS = 1 << P2SSSP,
};

struct scores {
    double ebb[TABLES], ci, efi[TABLES]; /* NaN: does not apply; ci: widest relative confidence width */
};

/* Adds one numbering's figures of a table, if it applies. */
static hd_status add_scores(struct hd_paper_run *run, const char *net, int t, uint64_t samples, struct scores *s)
{
    struct hd_request ebb = {.pattern = "bisect", .metric = "ebb", .samples = samples}, efi = {.metric = "efi"};
    struct hd_result r;
    const struct hd_routes *routes;
    hd_status status = hd_paper_routes(run, net, tables[t], &routes);
    if (status == HD_NA) {
        s->ebb[t] = s->efi[t] = NAN;
        return HD_OK;
    }
    if (status == HD_OK) status = hd_eval(run->ctx, routes, &ebb, &r);
    if (status != HD_OK) return status;
    s->ebb[t] += r.value;
    s->ci = fmax(s->ci, r.ci / r.value);
    HD_TRY(hd_eval(run->ctx, routes, &efi, &r));
    s->efi[t] += r.value;
    return HD_OK;
}

/* Means over random numberings, the same for all tables. */
static hd_status score(struct hd_paper_run *run, const char *net, unsigned which, uint64_t samples, struct scores *s)
{
    int numberings = run->full ? 4 : 1;
    *s = (struct scores){0};
    for (int i = 0; i < numberings; i++) {
        run->scramble = (hd_ctx_seed(run->ctx) & 0xffffffffu) * 100 + (uint64_t)i + 1;
        for (int t = 0; t < TABLES; t++)
            if (which >> t & 1) HD_TRY(add_scores(run, net, t, samples, s));
    }
    for (int t = 0; t < TABLES; t++) {
        s->ebb[t] = which >> t & 1 ? s->ebb[t] / numberings : NAN;
        s->efi[t] = which >> t & 1 ? s->efi[t] / numberings : NAN;
    }
    s->ci /= sqrt(numberings);
    return HD_OK;
}

static void ebb_rows(const struct hd_paper_run *run, const char *name, const struct scores *s)
{
    for (int t = 0; t < TABLES; t++) {
        if (isnan(s->ebb[t])) continue;
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), s->ebb[t], "EBB", "%s %s", name, tables[t]);
    }
}

/* A claim that one table is better than another by at least a factor, tables being compared on the same
 * patterns; missing where either does not apply. */
static void better(const struct hd_paper_run *run, const char *name, const struct scores *s, int good, int bad,
                   const char *known)
{
    char quantity[64];
    if (isnan(s->ebb[good]) || isnan(s->ebb[bad])) return;
    snprintf(quantity, sizeof quantity, "EBB %s / %s", tables[good], tables[bad]);
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 1, hd_paper_widen(run, 0, s->ci, 1), known), s->ebb[good] / s->ebb[bad],
                 quantity, "%s", name);
}

static void gain(const struct hd_paper_run *run, const char *name, const char *quantity, double published, double ours,
                 const char *known)
{
    /* percent; the printed ones are whole, from another cabling and other samples: two points are equal */
    hd_paper_put(run, hd_claim(HD_ROW_IS, published, 2 / published, known), ours, quantity, "%s", name);
}

/* ---- Figure 4(a): systems ------------------------------------------------------------------- */

#define CABLING "the cabling is not published, and the gain depends on it: "

static const struct {
    const char *spec, *name;
    double gain; /* simulated, percent */
    bool large;
    const char *known;
} systems[] = {
    {"odin", "Odin", 5, false, NULL},
    {"deimos", "Deimos", 23, false,
     CABLING "no placement of the chain's cables and endpoints tried gives more than 9 %"},
    {"atlas", "Atlas", 15, false, CABLING "the assumed one gives two thirds of it"},
    {"thunderbird", "Thunderbird", 11, true, NULL},
    {"ranger", "Ranger", 25, true, CABLING "the assumed one gives a third of it"},
};

static hd_status run_fig4a(struct hd_paper_run *run)
{
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        struct scores s;
        bool pairs = run->full || !systems[i].large;
        const char *name = systems[i].name;
        HD_TRY(score(run, systems[i].spec, ANY | (pairs ? PAIRS : 0),
                     run->full          ? 2000
                     : systems[i].large ? 100
                                        : 400,
                     &s));
        ebb_rows(run, name, &s);
        better(run, name, &s, PSSSP, MINHOP, NULL);
        gain(run, name, "gain of psssp over minhop, %", systems[i].gain, 100 * (s.ebb[PSSSP] / s.ebb[MINHOP] - 1),
             systems[i].known);
        if (strcmp(name, "Atlas") == 0 || strcmp(name, "Ranger") == 0)
            hd_paper_put(run, hd_claim(HD_ROW_IS, 0.56, hd_paper_widen(run, 0.02, s.ci * 0.56, 0.56), NULL),
                         s.ebb[MINHOP], "EBB minhop, full bisection: 55 % to 57 %", "%s", name);
        if (!pairs) continue;
        better(run, name, &s, PSSSP, P2SSSP, NULL);
        hd_paper_put(run,
                     hd_claim(HD_ROW_BELOW, 1, 0,
                              strcmp(name, "Deimos") == 0 ? "\"often\" lower, the text says: not on a chain" : NULL),
                     s.efi[P2SSSP] / s.efi[PSSSP], "EFI p2sssp / psssp", "%s", name);
    }
    return HD_OK;
}

/* ---- Figures 4(c) to 4(e), 5: families ------------------------------------------------------ */

struct member {
    const char *spec, *name;
    bool large;        /* with --full only */
    const char *known; /* of the row against minhop */
};

static hd_status hoefler_family(struct hd_paper_run *run, const struct member *m, unsigned extra, struct scores *s)
{
    HD_TRY(score(run, m->spec, ANY | PAIRS | extra, run->full ? 2000 : m->large ? 100 : 400, s));
    ebb_rows(run, m->name, s);
    better(run, m->name, s, PSSSP, MINHOP, m->known);
    return HD_OK;
}

static hd_status run_fig4c(struct hd_paper_run *run)
{
    static const struct member trees[] = {{"ft:m=24,n=2", "1:1, 288 endpoints", false, NULL},
                                          {"gft:n=16,m=8,r=24", "1:2, 384 endpoints", false, NULL},
                                          {"xgft:m=12x12x4,w=1x12x12", "1:1, 576 endpoints, 3 levels", false, NULL},
                                          {"xgft:m=16x12x4,w=1x8x12", "1:2, 768 endpoints, 3 levels", false, NULL},
                                          {"xgft:m=12x12x24,w=1x12x12", "1:1, 3456 endpoints, 3 levels", true, NULL},
                                          {"xgft:m=16x12x24,w=1x8x12", "1:2, 4608 endpoints, 3 levels", true, NULL}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct scores s;
        if (trees[i].large && !run->full) continue;
        HD_TRY(hoefler_family(run, &trees[i], 1 << FTREE, &s));
        better(run, trees[i].name, &s, PSSSP, P2SSSP, NULL);
        if (i < 2) /* FTREE ran on two levels only */
            hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0.1, NULL), s.ebb[PSSSP] / s.ebb[FTREE],
                         "EBB psssp / ftree: comparable", "%s", trees[i].name);
    }
    return HD_OK;
}

static hd_status run_fig4d(struct hd_paper_run *run)
{
    static const struct member tori[] = {
        {"torus:dims=4x4,hosts=4", "torus 4x4, 4 endpoints per switch", false, NULL},
        {"torus:dims=8x8,hosts=4", "torus 8x8, 4 endpoints per switch", false, NULL},
        {"torus:dims=16x16,hosts=1", "torus 16x16", false,
         "1 % behind with random numbers, 13 % ahead with those of the generator"},
        {"torus:dims=4x4x4,hosts=4", "torus 4x4x4, 4 endpoints per switch", false, NULL},
        {"torus:dims=8x8x8,hosts=1", "torus 8x8x8", false, NULL}};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct scores s;
        HD_TRY(hoefler_family(run, &tori[i], 1 << DOR, &s));
    }
    return HD_OK;
}

static hd_status run_fig4e(struct hd_paper_run *run)
{
    static const struct member cubes[] = {
        {"hypercube:n=4,hosts=4", "hypercube 2^4, 4 endpoints per switch", false, NULL},
        {"hypercube:n=6,hosts=4", "hypercube 2^6, 4 endpoints per switch", false, NULL},
        {"hypercube:n=8,hosts=1", "hypercube 2^8", false, NULL}};
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
        struct scores s;
        HD_TRY(hoefler_family(run, &cubes[i], 1 << DOR, &s));
        better(run, cubes[i].name, &s, PSSSP, LASH, NULL);
        better(run, cubes[i].name, &s, PSSSP, DOR,
               "true dimension order is the best there is here; OpenSM's DOR takes ports for dimensions, which needs "
               "every cable on the right port");
    }
    return HD_OK;
}

static hd_status hoefler_run_fig5(struct hd_paper_run *run)
{
    for (int i = 0; i < 8; i++) {
        char spec[64], name[64];
        struct scores s;
        struct member m = {spec, name, i >= 4, NULL};
        if (i > 4 && !run->full) break;
        snprintf(spec, sizeof spec, "random:switches=%d,ports=24,hosts=12,seed=%d", m.large ? 250 : 43, i % 4 + 1);
        snprintf(name, sizeof name, "%d endpoints, network %d", m.large ? 3000 : 516, i % 4 + 1);
        HD_TRY(hoefler_family(run, &m, 0, &s));
        better(run, name, &s, PSSSP, UPDOWN, NULL);
        better(run, name, &s, PSSSP, LASH, NULL);
        better(run, name, &s, PSSSP, P2SSSP, NULL);
    }
    return HD_OK;
}

/* ---- small examples ------------------------------------------------------------------------- */

/* Channels between switches that carry the largest number of the routes printed for P-SSSP. */
static uint32_t printed_maxima(void)
{
    static const char *const routes[] = {"EBA", "CBA", "ADE", "CDE", "ABC", "EBC"}; /* 1-0, 2-0, 0-1, 2-1, 0-2, 1-2 */
    uint32_t load[5][5] = {{0}}, most = 0, n = 0;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        for (const char *v = routes[i]; v[1]; v++) load[v[0] - 'A'][v[1] - 'A']++;
    for (int k = 0; k < 25; k++) {
        uint32_t l = load[k / 5][k % 5];
        n = l > most ? 1 : n + (l == most);
        most = l > most ? l : most;
    }
    return n;
}

static hd_status hoefler_run_fig2(struct hd_paper_run *run)
{
    static const struct {
        const char *table;
        double published;
        const char *known;
    } rows[] = {{"psssp", 2, NULL},
                {"p2sssp", 1, "depends on ties: with the first port on ties it is 2, with others 1"}};
    static const char net[] = "gft:n=1,m=2,r=3"; /* switches A, C, E with an endpoint each, joined by B and D */
    struct hd_request efi = {.metric = "efi"};
    struct hd_result r;
    for (size_t i = 0; i < 2; i++) {
        HD_TRY(hd_paper_eval(run, net, rows[i].table, &efi, &r));
        hd_paper_put(run, hd_claim(HD_ROW_IS, rows[i].published, 0, rows[i].known), r.value, "EFI", "network X, %s",
                     rows[i].table);
    }
    hd_paper_put(
        run,
        hd_claim(HD_ROW_IS, 2, 0, "the route (1,E,B,C,2) must be (1,E,D,C,2) for the maxima stated, (D,E) and (B,A)"),
        printed_maxima(), "channels with the largest load", "network X, routes as printed");
    /* l(e) <= pi <= tau(e) as printed, tau being the congestion of a pattern. */
    struct hd_request most = {.pattern = "bisect", .metric = "maxload", .samples = 1000};
    double index;
    HD_TRY(hd_paper_eval(run, "gft:n=16,m=16,r=32", "dmodk", &efi, &r));
    index = r.value;
    HD_TRY(hd_paper_eval(run, "gft:n=16,m=16,r=32", "dmodk", &most, &r));
    hd_paper_put(
        run, hd_claim(HD_ROW_AT_LEAST, index, 0, "printed in reverse: tau(e) <= l(e) <= pi holds for every pattern"),
        r.max, "largest congestion of a bisection, against EFI", "T(16+16,32) dmodk");
    return HD_OK;
}

/* The ring A B C D E F of Figure 6: 3 at A, 4 to 6 at D, 1 at E, 2 at F. */
static hd_status make_ring(struct hd_ctx *ctx, struct hd_net **net)
{
    static const uint32_t place[6] = {4, 5, 0, 3, 3, 3};
    struct hd_builder *b;
    uint32_t sw[6], port[6];
    HD_TRY(hd_builder_make(ctx, &b));
    for (uint32_t i = 0; i < 6; i++) {
        char name[2] = {(char)('A' + i), 0};
        sw[i] = hd_builder_switch(b, &(struct hd_switch_in){.name = name});
        port[i] = 3;
    }
    for (uint32_t i = 0; i < 6; i++) hd_builder_host(b, sw[place[i]], port[place[i]]++, 0);
    for (uint32_t i = 0; i < 6; i++) hd_builder_cable(b, sw[i], 1, sw[(i + 1) % 6], 2, 0);
    return hd_builder_finish(ctx, b, "ring of Figure 6", net);
}

static hd_status ring_scores(struct hd_paper_run *run, const struct hd_net *net, double ebb[2], double efi[2])
{
    struct hd_request random = {.pattern = "bisect", .metric = "ebb", .samples = 20000}, index = {.metric = "efi"};
    for (int i = 0; i < 2; i++) {
        struct hd_routes *r;
        struct hd_result result;
        HD_TRY(hd_routes_open(run->ctx, net, tables[i ? P2SSSP : PSSSP], &r));
        hd_status s = hd_eval(run->ctx, r, &random, &result);
        ebb[i] = result.value;
        if (s == HD_OK) s = hd_eval(run->ctx, r, &index, &result);
        efi[i] = result.value;
        hd_routes_free(r);
        if (s != HD_OK) return s;
    }
    return HD_OK;
}

static hd_status hoefler_run_fig6(struct hd_paper_run *run)
{
    struct hd_net *net;
    double ebb[2] = {0}, efi[2] = {0};
    HD_TRY(make_ring(run->ctx, &net));
    hd_status s = ring_scores(run, net, ebb, efi);
    hd_net_free(net);
    if (s != HD_OK) return s;
    static const char why[] =
        "the drawing is not in the text, and the ring it describes does not do it: 4, 5 and 6 enter by one "
        "switch, whose one entry for 3 leaves P2-SSSP nothing to balance";
    hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, why), efi[1] / efi[0], "EFI p2sssp / psssp", "ring of six");
    hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, why), ebb[1] / ebb[0], "EBB p2sssp / psssp", "ring of six");
    return HD_OK;
}

/* ---- Figures 8 and 9: against the size of the communicator ---------------------------------- */

struct curve {
    const char *spec, *name;
    uint32_t sizes[5];
    double measured; /* gain in percent, on the real machine */
};

static hd_status curve_rows(struct hd_paper_run *run, const struct curve *c)
{
    double ebb[2][5];
    run->scramble = (hd_ctx_seed(run->ctx) & 0xffffffffu) * 100 + 1;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 5; i++) {
            char ranks[64];
            struct hd_result r;
            struct hd_request q = {
                .pattern = "bisect", .metric = "ebb", .ranks = ranks, .samples = run->full ? 10000 : 1000};
            snprintf(ranks, sizeof ranks, "random:seed=%llu,count=%u",
                     (unsigned long long)(hd_ctx_seed(run->ctx) & 0xffffffffu), c->sizes[i]);
            HD_TRY(hd_paper_eval(run, c->spec, tables[t ? PSSSP : MINHOP], &q, &r));
            ebb[t][i] = r.value;
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), r.value, "EBB", "%s %s, %u endpoints", c->name,
                         tables[t ? PSSSP : MINHOP], c->sizes[i]);
        }
    for (int t = 0; t < 2; t++) {
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, NULL), ebb[t][4] / ebb[t][0], "EBB at full size / smallest",
                     "%s %s", c->name, tables[t ? PSSSP : MINHOP]);
    }
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 0, 0, NULL), 100 * (ebb[1][4] / ebb[0][4] - ebb[1][0] / ebb[0][0]),
                 "gain at full size - at the smallest, points", "%s", c->name);
    gain(run, c->name, "gain of psssp at full size, measured, %", c->measured, 100 * (ebb[1][4] / ebb[0][4] - 1),
         "measured on the machine; a model that shares bandwidth evenly shows less, as the paper says of its own");
    return HD_OK;
}

static hd_status run_fig8(struct hd_paper_run *run)
{
    static const struct curve odin = {"odin", "Odin", {8, 16, 32, 64, 128}, 18};
    struct hd_request q = {.pattern = "bisect", .metric = "ebb:host=0.6", .samples = run->full ? 10000 : 1000};
    double capped[2];
    HD_TRY(curve_rows(run, &odin));
    for (int t = 0; t < 2; t++) {
        struct hd_result r;
        HD_TRY(hd_paper_eval(run, "odin", tables[t ? PSSSP : MINHOP], &q, &r));
        capped[t] = r.value;
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), r.value / 0.6, "EBB / host bandwidth",
                     "Odin %s, hosts at 60 %%", tables[t ? PSSSP : MINHOP]);
    }
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 1, 0, NULL), capped[1] / capped[0], "EBB psssp / minhop",
                 "Odin, hosts at 60 %%");
    return HD_OK;
}

static hd_status run_fig9(struct hd_paper_run *run)
{
    static const struct curve deimos = {"deimos", "Deimos", {32, 64, 128, 256, 724}, 40};
    return curve_rows(run, &deimos);
}

const struct hd_paper_item hd_hoefler2009[] = {
    HD_PAPER_ITEM(hoefler_run_fig2, "fig2", "Figures 2 and 3, section IV.A",
                  "edge-forwarding index of the example network, P-SSSP and P2-SSSP",
                  "Three switches with one endpoint each, connected by two others. Then how many channels carry the "
                  "largest load under the routes as printed, and the relation between the congestion of a pattern "
                  "and the index, which holds the other way round."),
    HD_PAPER_ITEM(run_fig4a, "fig4a", "Figure 4(a) and section VI",
                  "effective bisection bandwidth of five systems, and what P-SSSP gains",
                  "Sizes and kinds of network are known, cabling is assumed (heddle help deimos, ...), numbers of "
                  "switches, ports and endpoints are random. Gains are over MINHOP; two points of a percentage "
                  "count as equal. P2-SSSP has the lower edge-forwarding index on most systems, and the lower "
                  "bandwidth on all."),
    HD_PAPER_ITEM(run_fig4c, "fig4c", "Figure 4(c)", "fat trees of 24-port crossbars, full and half bisection",
                  "P-SSSP increases the bandwidth over MINHOP and is comparable to the routing made for trees (10 % "
                  "here). OpenSM's FTREE crashed on three levels; this one does not, and its advantage grows there."),
    HD_PAPER_ITEM(run_fig4d, "fig4d", "Figure 4(d)", "tori: a small gain over MINHOP",
                  "Sizes and endpoints on a switch are not given in the text; these are ours."),
    HD_PAPER_ITEM(run_fig4e, "fig4e", "Figure 4(e)", "hypercubes: P-SSSP said to be best, DOR and LASH included",
                  "Endpoints on a switch are ours. dor here knows the coordinates, whatever the port numbers."),
    HD_PAPER_ITEM(hoefler_run_fig5, "fig5", "Figure 5", "random networks: P-SSSP ahead of all others, by little",
                  "43 and 250 crossbars of 24 ports with 12 endpoints each, the other ports wired at random."),
    HD_PAPER_ITEM(hoefler_run_fig6, "fig6", "Figure 6",
                  "a network where the lower edge-forwarding index has the lower bandwidth",
                  "Rebuilt from the text: a ring of six switches with endpoint 3 opposite to 4, 5 and 6, and 1 and "
                  "2 on the lower path. 002-fig4a and 002-fig4c have networks that do show it."),
    HD_PAPER_ITEM(run_fig8, "fig8", "Figure 8", "Odin: bandwidth against the size of the communicator",
                  "Communicators on randomly drawn endpoints. Odin's hosts fill 60 % of a link, so that two flows "
                  "on a link hardly slow each other down: the last rows cap each flow at that share."),
    HD_PAPER_ITEM(run_fig9, "fig9", "Figure 9", "Deimos: bandwidth against the size of the communicator",
                  "Communicators on randomly drawn endpoints."),
    {.run = NULL}};
