/* SPDX-License-Identifier: BSD-2-Clause */
/* Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks.
 *
 * Its figures are not in its text, which gives gains in percent and what is better than what; the cabling of
 * its five systems is not given at all. Rows therefore compare gains and orders; the bandwidths behind them
 * are for reading. Numbers of switches, ports and endpoints are a variable of their own: MINHOP and P-SSSP break
 * ties by them, and on one and the same cabling they move the gain by a factor. So every network is routed twice, with
 * random numbers (means over several) and with the generator's, in order. "Best OpenSM routing" is MINHOP in these
 * rows; hoefler_times.c runs the real OpenSM. Examples by hand and measured systems are in files of their own. */
#include "hoefler2009.h"

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

uint64_t hoefler_numbering(const struct hd_paper_run *run, int i)
{
    return (hd_ctx_seed(run->ctx) & 0xffffffffu) * 100 + (uint64_t)i + 1;
}

/* Means over random numberings, the same for all tables, or the figures with the generator's numbers. */
static hd_status score(struct hd_paper_run *run, const char *net, unsigned which, uint64_t samples, bool in_order,
                       struct scores *s)
{
    int numberings = run->full && !in_order ? 4 : 1;
    *s = (struct scores){0};
    for (int i = 0; i < numberings; i++) {
        run->scramble = in_order ? 0 : hoefler_numbering(run, i);
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

void hoefler_gain(const struct hd_paper_run *run, const char *name, const char *quantity, double published, double ours,
                  const char *known)
{
    hd_paper_put(run, hd_claim(HD_ROW_IS, published, 2 / published, known), ours, quantity, "%s", name);
}

/* ---- Figure 4(a): systems ------------------------------------------------------------------- */

#define NUMBERS                                                                                                        \
    "cabling and numbers are not published, and on the assumed cabling the numbers decide: the rows below have the "   \
    "gain with numbers in order, "

const struct hoefler_system hoefler_systems[HOEFLER_SYSTEMS] = {
    {"odin", "Odin", 128, 5, false, NULL, NULL},
    {"deimos", "Deimos", 724, 23, false,
     "cabling and numbers are not published: of 21 placements of the chain's cables and the endpoints, numbers in "
     "order, the best gives 15 % (rows below), and none 23 %",
     "deimos:placement=block,fill=first,hosts=258x228x238"},
    {"atlas", "Atlas", 1142, 15, false, NUMBERS "four times the published one", NULL},
    {"thunderbird", "Thunderbird", 4390, 11, true, NULL, NULL},
    {"ranger", "Ranger", 4080, 25, true, NUMBERS "many times the published one", NULL},
};

static double gain_of(double psssp, double minhop)
{
    return 100 * (psssp / minhop - 1);
}

/* The gain with numbers in order, and with P-SSSP in order against MINHOP on random ones: P-SSSP was a program of its
 * own that read a file of cables, OpenSM saw the simulated fabric. The published gain must be between the extremes. */
static hd_status bracket_rows(struct hd_paper_run *run, const struct hoefler_system *system, uint64_t samples,
                              const struct scores *random)
{
    struct scores s;
    char name[64];
    snprintf(name, sizeof name, "%s, numbers in order", system->name);
    HD_TRY(score(run, system->spec, ANY, samples, true, &s));
    ebb_rows(run, name, &s);
    double gain[4] = {gain_of(random->ebb[PSSSP], random->ebb[MINHOP]), gain_of(s.ebb[PSSSP], s.ebb[MINHOP]),
                      gain_of(s.ebb[PSSSP], random->ebb[MINHOP])};
    hoefler_gain(run, name, "gain of psssp over minhop, %", NAN, gain[1], NULL);
    snprintf(name, sizeof name, "%s, numbers in order for psssp alone", system->name);
    hoefler_gain(run, name, "gain of psssp over minhop, %", NAN, gain[2], NULL);
    gain[3] = gain[2];
    if (system->best) {
        HD_TRY(score(run, system->best, 1 << MINHOP | 1 << PSSSP, samples, true, &s));
        gain[3] = gain_of(s.ebb[PSSSP], s.ebb[MINHOP]);
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), gain[3], "gain of psssp over minhop, %",
                     "%s, numbers in order", system->best);
    }
    double low = fmin(fmin(gain[0], gain[1]), fmin(gain[2], gain[3]));
    double high = fmax(fmax(gain[0], gain[1]), fmax(gain[2], gain[3]));
    hd_paper_put(run, hd_claim(HD_ROW_AT_MOST, system->gain, 2 / system->gain, NULL), low, "smallest of these gains, %",
                 "%s", system->name);
    hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, system->gain, 2 / system->gain, system->best ? system->known : NULL),
                 high, "largest of these gains, %", "%s", system->name);
    return HD_OK;
}

static hd_status run_fig4a(struct hd_paper_run *run)
{
    for (int i = 0; i < HOEFLER_SYSTEMS; i++) {
        const struct hoefler_system *system = &hoefler_systems[i];
        struct scores s;
        bool pairs = run->full || !system->large;
        const char *name = system->name;
        uint64_t samples = run->full ? 2000 : system->large ? 100 : 400;
        const struct hd_net *net;
        HD_TRY(score(run, system->spec, ANY | (pairs ? PAIRS : 0), samples, false, &s));
        HD_TRY(hd_paper_net(run, system->spec, &net));
        hd_paper_put(run, hd_claim(HD_ROW_IS, system->endpoints, 0, NULL), net->nep, "endpoints", "%s", name);
        ebb_rows(run, name, &s);
        better(run, name, &s, PSSSP, MINHOP, NULL);
        hoefler_gain(run, name, "gain of psssp over minhop, %", system->gain, gain_of(s.ebb[PSSSP], s.ebb[MINHOP]),
                     system->known);
        if (strcmp(name, "Atlas") == 0 || strcmp(name, "Ranger") == 0)
            hd_paper_put(run, hd_claim(HD_ROW_IS, 0.56, hd_paper_widen(run, 0.02, s.ci * 0.56, 0.56), NULL),
                         s.ebb[MINHOP], "EBB minhop, full bisection: 55 % to 57 %", "%s", name);
        if (pairs) {
            better(run, name, &s, PSSSP, P2SSSP, NULL);
            hd_paper_put(
                run,
                hd_claim(HD_ROW_BELOW, 1, 0,
                         strcmp(name, "Deimos") == 0 ? "\"often\" lower, the text says: not on a chain" : NULL),
                s.efi[P2SSSP] / s.efi[PSSSP], "EFI p2sssp / psssp", "%s", name);
        }
        HD_TRY(bracket_rows(run, system, samples, &s));
    }
    return HD_OK;
}

/* ---- Figures 4(c) to 4(e), 5: families ------------------------------------------------------ */

struct member {
    const char *spec, *name;
    bool large;           /* with --full only */
    const char *known[2]; /* of the row against minhop: random numbers, the generator's */
};

/* Scores with random numbers and with the generator's, which name and rows call "in order". */
static hd_status hoefler_family(struct hd_paper_run *run, const struct member *m, unsigned extra, struct scores s[2])
{
    for (int order = 0; order < 2; order++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", m->name, order ? ", numbers in order" : "");
        HD_TRY(score(run, m->spec, ANY | PAIRS | extra, run->full ? 2000 : m->large ? 100 : 400, order, &s[order]));
        ebb_rows(run, name, &s[order]);
        better(run, name, &s[order], PSSSP, MINHOP, m->known[order]);
    }
    return HD_OK;
}

/* As better(), for both numberings. */
static void better_in_both(const struct hd_paper_run *run, const struct member *m, const struct scores s[2], int good,
                           int bad, const char *const known[2])
{
    for (int order = 0; order < 2; order++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", m->name, order ? ", numbers in order" : "");
        better(run, name, &s[order], good, bad, known ? known[order] : NULL);
    }
}

#define TIDY                                                                                                           \
    "in the generator's numbers the ties of all three fall alike, as in D-mod-K, which loads an intact tree evenly: "  \
    "nothing is left to gain"

static hd_status run_fig4c(struct hd_paper_run *run)
{
    static const struct member trees[] = {
        {"ft:m=24,n=2", "1:1, 288 endpoints", false, {NULL, TIDY}},
        {"gft:n=16,m=8,r=24", "1:2, 384 endpoints", false, {NULL, TIDY}},
        {"xgft:m=12x12x4,w=1x12x12", "1:1, 576 endpoints, 3 levels", false, {NULL, NULL}},
        {"xgft:m=16x12x4,w=1x8x12", "1:2, 768 endpoints, 3 levels", false, {NULL, NULL}},
        {"xgft:m=12x12x24,w=1x12x12", "1:1, 3456 endpoints, 3 levels", true, {NULL, NULL}},
        {"xgft:m=16x12x24,w=1x8x12", "1:2, 4608 endpoints, 3 levels", true, {NULL, NULL}}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct scores s[2];
        if (trees[i].large && !run->full) continue;
        HD_TRY(hoefler_family(run, &trees[i], 1 << FTREE, s));
        better_in_both(run, &trees[i], s, PSSSP, P2SSSP, (const char *const[]){NULL, TIDY});
        for (int order = 0; i < 2 && order < 2; order++) /* FTREE ran on two levels only */
            hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0.1, NULL), s[order].ebb[PSSSP] / s[order].ebb[FTREE],
                         "EBB psssp / ftree: comparable", "%s%s", trees[i].name, order ? ", numbers in order" : "");
    }
    return HD_OK;
}

/* "LASH was similar to DOR in all simulated results." */
static void as_dor(const struct hd_paper_run *run, const struct member *m, const struct scores s[2], double tolerance,
                   const char *const known[2])
{
    for (int order = 0; order < 2; order++) {
        double ratio = s[order].ebb[LASH] / s[order].ebb[DOR];
        if (isnan(ratio)) continue; /* needs more than 8 VLs */
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, order ? tolerance : 0.1, known[order]), ratio,
                     "EBB lash / dor: similar", "%s%s", m->name, order ? ", numbers in order" : "");
    }
}

#define BY_PORT "lash takes the first of the shortest paths by port: with random numbers that is no order of dimensions"
#define BEST_DOR                                                                                                       \
    "true dimension order is the best there is here; OpenSM's DOR takes ports for dimensions, which needs every "      \
    "cable on the right port"
#define EQUAL_DOR                                                                                                      \
    "in the generator's numbers ports are dimensions: with one endpoint per switch P-SSSP, LASH and DOR have the "     \
    "same bandwidth, with four P-SSSP is led astray by ties between destinations of a switch"

static hd_status run_fig4d(struct hd_paper_run *run)
{
    static const struct member tori[] = {
        {"torus:dims=4x4,hosts=4", "torus 4x4, 4 endpoints per switch", false, {NULL, NULL}},
        {"torus:dims=8x8,hosts=4", "torus 8x8, 4 endpoints per switch", false, {NULL, NULL}},
        {"torus:dims=16x16,hosts=1",
         "torus 16x16",
         false,
         {"generated networks have the generator's numbers, which give the gain (next rows); with random ones ties are "
          "broken at random and MINHOP is as good",
          NULL}},
        {"torus:dims=4x4x4,hosts=4", "torus 4x4x4, 4 endpoints per switch", false, {NULL, NULL}},
        {"torus:dims=8x8x8,hosts=1", "torus 8x8x8", false, {NULL, NULL}}};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct scores s[2];
        HD_TRY(hoefler_family(run, &tori[i], 1 << DOR, s));
        as_dor(run, &tori[i], s, 0.1, (const char *const[]){BY_PORT, NULL});
    }
    return HD_OK;
}

static hd_status run_fig4e(struct hd_paper_run *run)
{
    static const struct member cubes[] = {
        {"hypercube:n=4,hosts=4", "hypercube 2^4, 4 endpoints per switch", false, {NULL, NULL}},
        {"hypercube:n=6,hosts=4", "hypercube 2^6, 4 endpoints per switch", false, {NULL, NULL}},
        {"hypercube:n=8,hosts=1", "hypercube 2^8", false, {NULL, NULL}}};
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
        struct scores s[2];
        HD_TRY(hoefler_family(run, &cubes[i], 1 << DOR, s));
        better_in_both(run, &cubes[i], s, PSSSP, LASH, (const char *const[]){NULL, EQUAL_DOR});
        better_in_both(run, &cubes[i], s, PSSSP, DOR, (const char *const[]){BEST_DOR, EQUAL_DOR});
        as_dor(run, &cubes[i], s, 0, (const char *const[]){BY_PORT, NULL});
    }
    return HD_OK;
}

static hd_status hoefler_run_fig5(struct hd_paper_run *run)
{
    for (int i = 0; i < 8; i++) {
        char spec[64], name[64];
        struct scores s[2];
        struct member m = {spec, name, i >= 4, {NULL, NULL}};
        if (i > 4 && !run->full) break;
        snprintf(spec, sizeof spec, "random:switches=%d,ports=24,hosts=12,seed=%d", m.large ? 250 : 43, i % 4 + 1);
        snprintf(name, sizeof name, "%d endpoints, network %d", m.large ? 3000 : 516, i % 4 + 1);
        HD_TRY(hoefler_family(run, &m, 0, s));
        better_in_both(run, &m, s, PSSSP, UPDOWN, NULL);
        better_in_both(run, &m, s, PSSSP, LASH, NULL);
        better_in_both(run, &m, s, PSSSP, P2SSSP, NULL);
    }
    return HD_OK;
}

const struct hd_paper_item hd_hoefler2009[] = {
    HD_PAPER_ITEM(
        hoefler_run_intro, "intro", "section I", "congestion under bad patterns, and several paths per pair",
        "Up to 6.5 times lower bandwidth and 5 times higher latency were measured; the worst permutation of a "
        "table goes further. Picking one of several paths at random or in turn is said not to raise the "
        "average bandwidth."),
    HD_PAPER_ITEM(hoefler_run_fig1, "fig1", "Figure 1, sections II.A and III.D",
                  "credit loops: the example, which routings have them, and how they are broken",
                  "The three routes of the figure are a table that the ordinary check judges. 1 means proved "
                  "deadlock-free, 0 a loop was found. dfsssp is P-SSSP with VLs assigned as by LASH, and up*/down* for "
                  "what does not fit."),
    HD_PAPER_ITEM(hoefler_run_fig2, "fig2", "Figures 2 and 3, section IV.A",
                  "edge-forwarding index of the example networks, P-SSSP and P2-SSSP",
                  "Network X has three switches with one endpoint each, connected by two others. The routes printed "
                  "for P2-SSSP come out if the port from E to D is numbered before that to B; one tie decides. The "
                  "second network, X~, is only drawn: rows show one with the stated indices, found by search. Then how "
                  "many channels carry the largest load under the routes as printed, and the relation between the "
                  "congestion of a pattern and the index, which holds the other way round."),
    HD_PAPER_ITEM(run_fig4a, "fig4a", "Figure 4(a) and section VI",
                  "effective bisection bandwidth of five systems, and what P-SSSP gains",
                  "Sizes and kinds of network are known, cabling is assumed (heddle help deimos, ...). Numbers of "
                  "switches, ports and endpoints are not published either: rows have means over random ones, then the "
                  "generator's (numbers in order), then P-SSSP on the latter against MINHOP on the former. Whether a "
                  "gain agrees depends on them, also where it does; claimed is that the published gain is between the "
                  "smallest and the largest. Gains are over MINHOP (hoefler2009-opensm has all engines of OpenSM); two "
                  "points of a percentage count as equal. P2-SSSP has the lower edge-forwarding index on most systems, "
                  "and the lower bandwidth on all."),
    HD_PAPER_ITEM(
        hoefler_run_opensm, "opensm", "Figure 4(a)", "the same gains over the best engine of the real OpenSM",
        "OpenSM on the simulator ibsim, as in the paper but in version 3.3.23 instead of 3.2.2, on the three smaller "
        "systems. FTREE did not run on any of them then and is shown apart. Needs OpenSM; left out where it is not "
        "installed. One random numbering and the generator's."),
    HD_PAPER_ITEM(
        hoefler_run_fig4b, "fig4b", "Figure 4(b)", "running times on the systems",
        "CPU time on one machine, shown with --timing. P2-SSSP and LASH did not finish on the largest systems; "
        "here they do."),
    HD_PAPER_ITEM(run_fig4c, "fig4c", "Figure 4(c)", "fat trees of 24-port crossbars, full and half bisection",
                  "P-SSSP increases the bandwidth over MINHOP and is comparable to the routing made for trees (10 % "
                  "here). OpenSM's FTREE crashed on three levels; this one does not, and its advantage grows there. "
                  "Random numbers, then the generator's."),
    HD_PAPER_ITEM(run_fig4d, "fig4d", "Figure 4(d)", "tori: a small gain over MINHOP",
                  "Sizes and endpoints on a switch are not given in the text; these are ours. Random numbers, then the "
                  "generator's."),
    HD_PAPER_ITEM(run_fig4e, "fig4e", "Figure 4(e)", "hypercubes: P-SSSP said to be best, DOR and LASH included",
                  "Endpoints on a switch are ours. dor here knows the coordinates, whatever the port numbers. Random "
                  "numbers, then the generator's."),
    HD_PAPER_ITEM(hoefler_run_fig4f, "fig4f", "Figure 4(f), section III.C", "running times against size",
                  "CPU time on hypercubes with four endpoints per switch, shown with --timing, and its growth from the "
                  "second size to the last against that of the complexity stated, with m counted."),
    HD_PAPER_ITEM(hoefler_run_fig5, "fig5", "Figure 5", "random networks: P-SSSP ahead of all others, by little",
                  "43 and 250 crossbars of 24 ports with 12 endpoints each, the other ports wired at random. Random "
                  "numbers, then the generator's."),
    HD_PAPER_ITEM(
        hoefler_run_fig6, "fig6", "Figure 6", "a network where the lower edge-forwarding index has the lower bandwidth",
        "First rebuilt from the text: a ring of six switches with endpoint 3 opposite to 4, 5 and 6, and 1 and "
        "2 on the lower path (here 2, 3 to 5, 0 and 1). Then a ring of six found by search that has the "
        "property. 002-fig4a and 002-fig4c have large networks with it."),
    HD_PAPER_ITEM(hoefler_run_fig8, "fig8", "Figure 8", "Odin: bandwidth against the size of the communicator",
                  "Communicators on randomly drawn endpoints. Odin's hosts fill 60 % of a link, so that two flows "
                  "on a link hardly slow each other down: some rows cap each flow at that share. The measured gain is "
                  "set against the linear model and against packets (exchanges of 1 MiB, four instead of 50)."),
    HD_PAPER_ITEM(hoefler_run_fig9, "fig9", "Figures 7 and 9", "Deimos: bandwidth against the size of the communicator",
                  "Communicators on randomly drawn endpoints; the measured gain as in hoefler2009-fig8."),
    {.run = NULL}};
