/* SPDX-License-Identifier: BSD-2-Clause */
/* Hoefler, Schneider, Lumsdaine: the networks drawn by hand, Figures 1, 2, 3 and 6. Where the text leaves a drawing
 * open, a network with the stated property was found by search; it is printed in the row, switches as letters and
 * endpoints as digits, ports in the order of the cables. */
#include "hoefler2009.h"
#include "heddle/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A network from its cables: "AB" joins two switches, "A0" an endpoint. */
static hd_status draw_net(struct hd_ctx *ctx, const char *cables, struct hd_net **net)
{
    struct hd_builder *b;
    uint32_t sw[26], host[10] = {0}, port[26] = {0}, nsw = 0, nhost = 0;
    HD_TRY(hd_builder_make(ctx, &b));
    for (const char *c = cables; *c; c++) {
        if (*c >= 'A' && (uint32_t)(*c - 'A') >= nsw) nsw = (uint32_t)(*c - 'A') + 1;
        if (*c >= '0' && *c <= '9' && (uint32_t)(*c - '0') >= nhost) nhost = (uint32_t)(*c - '0') + 1;
    }
    for (uint32_t i = 0; i < nsw; i++) {
        char name[2] = {(char)('A' + i), 0};
        sw[i] = hd_builder_switch(b, &(struct hd_switch_in){.name = name});
    }
    for (uint32_t i = 0; i < nhost; i++) {
        char name[2] = {(char)('0' + i), 0};
        host[i] =
            hd_builder_endpoint(b, hd_builder_adapter(b, &(struct hd_adapter_in){.name = name, .nports = 1}), 1, 0, 0);
    }
    for (const char *c = cables; *c; c += c[2] ? 3 : 2) {
        uint32_t u = (uint32_t)(c[0] - 'A'), v = (uint32_t)(c[1] - 'A'), uport = ++port[u];
        if (c[1] >= 'A')
            hd_builder_cable(b, sw[u], uport, sw[v], ++port[v], 0);
        else
            hd_builder_cable(b, sw[u], uport, host[c[1] - '0'], 1, 0);
    }
    return hd_builder_finish(ctx, b, cables, net);
}

/* ---- Figure 1 ------------------------------------------------------------------------------- */

/* The entries of a path by the letters of its switches, and that of the endpoint's own switch. */
static void set_path(struct hd_routes *r, const char *path, uint32_t d)
{
    const struct hd_net *net = hd_routes_net(r);
    uint8_t *row = hd_routes_entries(r, d, 0);
    for (const char *v = path; *v; v++) {
        uint32_t u = (uint32_t)(*v - 'A'), to = v[1] ? (uint32_t)(v[1] - 'A') : net->nsw + d;
        for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++)
            if (net->head[c] == to) row[u] = (uint8_t)(c - net->off[u]);
    }
}

static hd_status three_routes(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt, (void)scratch;
    HD_TRY(hd_routes_table(ctx, r, 1));
    set_path(r, "DCBA", 0);
    set_path(r, "ADC", 3);
    set_path(r, "BAD", 2);
    return HD_OK;
}

/* The three routes as a table of an engine of its own, in a context of its own: the ordinary check judges it. */
static hd_status loop_of_figure1(struct hd_check *k)
{
    static const struct hd_engine row = {
        .desc = {.name = "figure1", .summary = "the three routes of Figure 1", .opt_size = 1}, .route = three_routes};
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = NULL;
    struct hd_routes *r = NULL;
    if (!ctx) return HD_LIMIT;
    hd_status s = hd_registry_add(ctx, HD_ENGINES, &row.desc, sizeof row);
    if (s == HD_OK) s = draw_net(ctx, "AB BC CD DA A0 B1 D2 C3", &net);
    if (s == HD_OK) s = hd_routes_open(ctx, net, "figure1", &r);
    if (s == HD_OK) s = hd_routes_check(ctx, r, k);
    if (r) hd_routes_free(r);
    if (net) hd_net_free(net);
    hd_ctx_free(ctx);
    return s;
}

/* A run of packets that all go three switches on around a ring of six: how many deadlock. */
static hd_status ring_deadlocks(struct hd_paper_run *run, const char *model, double *deadlocks)
{
    struct hd_sim_request q = {.pattern = "shift", .model = model};
    struct hd_sim_result result;
    const struct hd_routes *r;
    HD_TRY(hd_paper_routes(run, "torus:dims=6,hosts=2", "minhop", &r));
    HD_TRY(hd_sim(run->ctx, r, &q, &result));
    *deadlocks = (double)result.deadlocks;
    return HD_OK;
}

static hd_status vls_of(struct hd_paper_run *run, const char *net, const char *table, struct hd_check *k)
{
    const struct hd_routes *r;
    HD_TRY(hd_paper_routes(run, net, table, &r));
    return hd_routes_check(run->ctx, r, k);
}

hd_status hoefler_run_fig1(struct hd_paper_run *run)
{
    static const struct {
        const char *net, *name, *table;
        double free;
    } rows[] = {{"torus:dims=6x6,hosts=1", "torus 6x6", "minhop", 0},
                {"torus:dims=6x6,hosts=1", "torus 6x6", "dor", 0},
                {"torus:dims=6x6,hosts=1", "torus 6x6", "updown", 1},
                {"torus:dims=6x6,hosts=1", "torus 6x6", "lash", 1},
                {"torus:dims=6x6,hosts=1", "torus 6x6", "psssp", 0},
                {"torus:dims=6x6,hosts=1", "torus 6x6", "p2sssp", 0},
                {"torus:dims=6x6,hosts=1", "torus 6x6", "dfsssp", 1},
                {"torus:dims=6x6,hosts=1", "torus 6x6", "dfsssp:maxlanes=2", 1},
                {"gft:n=12,m=12,r=24", "T(12+12,24)", "psssp", 1},
                {"gft:n=12,m=12,r=24", "T(12+12,24)", "ftree", 1}};
    struct hd_check k;
    double deadlocks, vls[2];
    HD_TRY(loop_of_figure1(&k));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 0, 0, NULL), k.deadlock_free, "deadlock-free",
                 "Figure 1, routes (2,D,C,B,A,0), (0,A,D,C,3), (1,B,A,D,2)");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 4, 0, NULL), k.ncycle, "channels in the credit loop", "Figure 1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        HD_TRY(vls_of(run, rows[i].net, rows[i].table, &k));
        hd_paper_put(run, hd_claim(HD_ROW_IS, rows[i].free, 0, NULL), k.deadlock_free, "deadlock-free", "%s %s",
                     rows[i].name, rows[i].table);
    }
    for (int i = 0; i < 2; i++) {
        HD_TRY(vls_of(run, i ? "torus:dims=12x12,hosts=1" : "torus:dims=4x4,hosts=1", "lash:maxlanes=15", &k));
        vls[i] = k.lanes;
    }
    hd_paper_put(run, hd_claim(HD_ROW_BELOW, 9, 0, NULL), vls[1] / vls[0],
                 "VLs on 144 switches / on 16: sublinear, section III.D", "torus lash");
    HD_TRY(ring_deadlocks(run, "infiniband:lanes=1", &deadlocks));
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), deadlocks, "runs that deadlock, packets simulated",
                 "ring of six minhop");
    HD_TRY(ring_deadlocks(run, "infiniband:lanes=1,lifetime=1000000", &deadlocks));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 0, 0, NULL), deadlocks, "runs that deadlock, packets time out after 1 ms",
                 "ring of six minhop");
    return HD_OK;
}

/* ---- Figures 2 and 3 ------------------------------------------------------------------------ */

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

/* How many of the six routes printed for P2-SSSP the table has. */
static uint32_t printed_routes(const struct hd_routes *r)
{
    static const struct {
        uint32_t s, d;
        const char *path;
    } printed[] = {{0, 1, "ABE"}, {0, 2, "ADC"}, {1, 0, "EDA"}, {1, 2, "EBC"}, {2, 0, "CBA"}, {2, 1, "CDE"}};
    uint32_t chan[HD_MAX_HOPS], same = 0;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        uint32_t n = hd_routes_path(r, printed[i].s, printed[i].d, 0, chan), at = 1;
        const char *path = printed[i].path;
        while (at < n && path[at - 1] && hd_routes_net(r)->tail[chan[at]] == (uint32_t)(path[at - 1] - 'A')) at++;
        same += n == 4 && at == 4;
    }
    return same;
}

/* The largest load of a table on a drawn network, and how many printed routes it has. */
static hd_status drawn_index(struct hd_paper_run *run, const char *cables, const char *table, double *index,
                             uint32_t *same)
{
    struct hd_request efi = {.metric = "efi"};
    struct hd_result result;
    struct hd_net *net;
    struct hd_routes *r = NULL;
    HD_TRY(draw_net(run->ctx, cables, &net));
    hd_status s = hd_routes_open(run->ctx, net, table, &r);
    if (s == HD_OK) s = hd_eval(run->ctx, r, &efi, &result);
    if (s == HD_OK) *index = result.value;
    if (s == HD_OK && same) *same = printed_routes(r);
    if (r) hd_routes_free(r);
    hd_net_free(net);
    return s;
}

/* Endpoints 0, 1, 2 on A, E, C; B and D connect them. */
static hd_status rows_of_x(struct hd_paper_run *run)
{
    static const char by_letter[] = "AB AD EB ED CB CD A0 E1 C2", d_first[] = "AB AD ED EB CB CD A0 E1 C2";
    double index, ones = 0;
    uint32_t same;
    HD_TRY(drawn_index(run, by_letter, "psssp", &index, NULL));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 2, 0, NULL), index, "EFI", "network X, psssp");
    hd_paper_put(
        run,
        hd_claim(HD_ROW_IS, 2, 0, "the route (1,E,B,C,2) must be (1,E,D,C,2) for the maxima stated, (D,E) and (B,A)"),
        printed_maxima(), "channels with the largest load", "network X, routes as printed");
    HD_TRY(drawn_index(run, d_first, "p2sssp", &index, &same));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0, NULL), index, "EFI", "network X, p2sssp, at E the port to D first");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 6, 0, NULL), same, "routes as printed, of 6",
                 "network X, p2sssp, at E the port to D first");
    HD_TRY(drawn_index(run, by_letter, "p2sssp", &index, NULL));
    hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), index, "EFI", "network X, p2sssp, ports by letter");
    for (int seed = 1; seed <= 100; seed++) {
        char table[64];
        snprintf(table, sizeof table, "p2sssp:tie=random,seed=%d", seed);
        HD_TRY(drawn_index(run, by_letter, table, &index, NULL));
        ones += index == 1;
    }
    hd_paper_put(run, hd_claim(HD_ROW_ABOVE, 0, 0, NULL), ones, "of 100 seeds with EFI 1",
                 "network X, p2sssp:tie=random");
    return HD_OK;
}

hd_status hoefler_run_fig2(struct hd_paper_run *run)
{
    static const char other[] = "BD AB CE BE AD AC E0 B1 A2 D3";
    struct hd_request efi = {.metric = "efi"}, most = {.pattern = "bisect", .metric = "maxload", .samples = 1000};
    struct hd_result r;
    double index;
    HD_TRY(rows_of_x(run));
    HD_TRY(drawn_index(run, other, "psssp", &index, NULL));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 3, 0, NULL), index, "EFI", "a network as X~ (%s), psssp", other);
    HD_TRY(drawn_index(run, other, "p2sssp", &index, NULL));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 2, 0, NULL), index, "EFI", "a network as X~ (%s), p2sssp", other);
    /* l(e) <= pi <= tau(e) as printed, tau being the congestion of a pattern. */
    HD_TRY(hd_paper_eval(run, "gft:n=16,m=16,r=32", "dmodk", &efi, &r));
    index = r.value;
    HD_TRY(hd_paper_eval(run, "gft:n=16,m=16,r=32", "dmodk", &most, &r));
    hd_paper_put(
        run, hd_claim(HD_ROW_AT_LEAST, index, 0, "printed in reverse: tau(e) <= l(e) <= pi holds for every pattern"),
        r.max, "largest congestion of a bisection, against EFI", "T(16+16,32) dmodk");
    return HD_OK;
}

/* ---- Figure 6 ------------------------------------------------------------------------------- */

static hd_status ring_scores(struct hd_paper_run *run, const struct hd_net *net, double ebb[2], double efi[2])
{
    struct hd_request random = {.pattern = "bisect", .metric = "ebb", .samples = 20000}, index = {.metric = "efi"};
    for (int i = 0; i < 2; i++) {
        struct hd_routes *r;
        struct hd_result result;
        HD_TRY(hd_routes_open(run->ctx, net, i ? "p2sssp" : "psssp", &r));
        hd_status s = hd_eval(run->ctx, r, &random, &result);
        ebb[i] = result.value;
        if (s == HD_OK) s = hd_eval(run->ctx, r, &index, &result);
        efi[i] = result.value;
        hd_routes_free(r);
        if (s != HD_OK) return s;
    }
    return HD_OK;
}

hd_status hoefler_run_fig6(struct hd_paper_run *run)
{
    static const char why[] =
        "the drawing is not in the text; with 4, 5 and 6 on one switch, its single entry for 3 leaves P2-SSSP nothing "
        "to balance, and no other placement that the text allows shows the effect: the ring below does";
    static const struct {
        const char *cables, *name, *known;
    } rings[] = {{"AB BC CD DE EF FA E0 F1 A2 D3 D4 D5", "ring of six as described", why},
                 {"AB FA CD EF DE BC E0 F1 B2 C3 F4 E5", "ring of six found by search", NULL}};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        struct hd_net *net;
        double ebb[2] = {0}, efi[2] = {0};
        HD_TRY(draw_net(run->ctx, rings[i].cables, &net));
        hd_status s = ring_scores(run, net, ebb, efi);
        hd_net_free(net);
        if (s != HD_OK) return s;
        for (int t = 0; t < 2; t++) {
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), efi[t], "EFI", "%s (%s), %s", rings[i].name,
                         rings[i].cables, t ? "p2sssp" : "psssp");
            hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), ebb[t], "EBB", "%s (%s), %s", rings[i].name,
                         rings[i].cables, t ? "p2sssp" : "psssp");
        }
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, rings[i].known), efi[1] / efi[0], "EFI p2sssp / psssp", "%s",
                     rings[i].name);
        hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, rings[i].known), ebb[1] / ebb[0], "EBB p2sssp / psssp", "%s",
                     rings[i].name);
    }
    return HD_OK;
}
