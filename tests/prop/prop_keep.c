/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that change little, over many networks, faults and engines. Cables and switches are lost, or come back; the
 * table of the network before is kept on the one after. Whatever comes out must pass the check, and is compared with
 * the old table entry by entry, by GUID and port, by code that shares nothing with the library. Case i is drawn from
 * stream i, so that a failure names a number that repeats it. HEDDLE_KEEP_CASES is the number of cases (default 90),
 * HEDDLE_KEEP_FIRST the first of them. */
#include "testing.h"

#include "base/context.h"
#include "base/rng.h"
#include "route/core/routes_view.h"

#include <stdio.h>

static const char *const specs[] = {
    "ft:m=4,n=3",
    "ft:m=8,n=2",
    "xgft:m=2x3x4,w=1x2x2",
    "xgft:m=4x4x3,w=1x4x2",
    "pgft:m=3x4,w=1x2,p=1x2",
    "kary:k=3,n=2",
    "torus:dims=4x4,hosts=2",
    "torus:dims=3x3x3,hosts=1",
    "mesh:dims=4x4,hosts=1",
    "hyperx:dims=3x3,hosts=2",
    "dragonfly:a=4,p=2,h=2",
    "random:switches=12,ports=8,hosts=2,seed=3",
    "random:switches=20,ports=6,hosts=1,seed=4",
    "rail:rails=2,units=2,leaves=1,hosts=4,spines=2,uplinks=4",
    "rail:rails=2,units=2,leaves=1,hosts=4,spines=2,uplinks=4,sharp=on",
};
static const char *const engines[] = {"dmodc",
                                      "ftree",
                                      "settle",
                                      "dfsssp",
                                      "updown",
                                      "nue",
                                      "dnup",
                                      "minhop",
                                      "lash",
                                      "nue:maxlanes=2",
                                      "settle:maxlanes=1",
                                      "dor",
                                      "dmodk",
                                      "random",
                                      "psssp",
                                      "dfsssp:lanes=dest",
                                      "torus2qos",
                                      "p2sssp"};
enum { SPECS = sizeof specs / sizeof specs[0], ENGINES = sizeof engines / sizeof engines[0] };

static struct {
    uint64_t cases, tables, forced, changed, fresh, more, refused;
} total;

/* ---- what changed ------------------------------------------------------------------------------------- */

static uint32_t same_node(const struct hd_net *net, uint32_t from, uint32_t to, uint64_t guid)
{
    for (uint32_t v = from; v < to; v++)
        if (net->guid[v] == guid) return v;
    return UINT32_MAX;
}

/* The port that a switch takes towards an endpoint, 0: none. */
static uint32_t port_of(const struct hd_routes *r, uint32_t v, uint32_t d)
{
    const struct hd_net *net = hd_routes_net(r);
    uint8_t *buf = malloc(net->nsw + 1);
    const uint8_t *row = hd_routes_row(r, d, 0, buf);
    uint32_t port = row[v] < hd_degree(net, v) ? net->port[net->off[v] + row[v]] : 0;
    free(buf);
    return port;
}

/* Entries towards endpoints that are there before and after and differ. */
static uint64_t count_changed(const struct hd_routes *old, const struct hd_routes *now)
{
    const struct hd_net *was = hd_routes_net(old), *is = hd_routes_net(now);
    uint64_t n = 0;
    for (uint32_t d = 0; d < is->nep; d++) {
        uint32_t e = same_node(was, was->nsw, was->nsw + was->nep, is->guid[is->nsw + d]);
        for (uint32_t v = 0; v < is->nsw; v++) {
            uint32_t u = same_node(was, 0, was->nsw, is->guid[v]);
            uint32_t before = e == UINT32_MAX || u == UINT32_MAX ? 0 : port_of(old, u, e - was->nsw);
            bool cabled = false;
            for (uint32_t c = is->off[v]; c < is->off[v + 1]; c++) cabled |= is->port[c] == before;
            n += port_of(now, v, d) != (cabled ? before : 0);
        }
    }
    return n;
}

/* ---- one case ----------------------------------------------------------------------------------------- */

static bool is_proved(const struct hd_routes *r)
{
    struct hd_ctx ctx;
    struct hd_check k;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    return !hd_check_faulty(&k) && k.deadlock_free == 1;
}

static uint64_t keep_hash(const struct hd_routes *fresh, const struct hd_routes *old, int threads)
{
    struct hd_ctx ctx;
    struct hd_routes *out = NULL;
    struct hd_keep keep;
    uint64_t hash = 0;
    hd_ctx_init(&ctx);
    ctx.threads = threads;
    if (hd_routes_keep(&ctx, fresh, old, &out, &keep) == HD_OK) hash = hd_routes_hash(out);
    hd_routes_free(out);
    return hash;
}

static void check_kept(const char *name, const struct hd_routes *fresh, const struct hd_routes *old,
                       const struct hd_routes *out, const struct hd_keep *k)
{
    uint64_t changed = count_changed(old, out);
    if (!is_proved(out)) fail_msg("%s: not proved", name);
    if (changed > k->entries_changed)
        fail_msg("%s: %llu entries change, not %llu", name, (unsigned long long)changed,
                 (unsigned long long)k->entries_changed);
    if (is_proved(fresh) && k->share < 0.99 * k->share_fresh)
        fail_msg("%s: %f of the bandwidth, a fresh table gives %f", name, k->share, k->share_fresh);
    total.tables++;
    total.fresh += k->fresh;
    total.forced += k->entries_forced;
    total.changed += k->fresh ? 0 : k->entries_changed;
}

static void check_pair(const char *name, const struct hd_net *was, const struct hd_net *is, const char *engine,
                       bool twice)
{
    struct hd_ctx ctx;
    struct hd_routes *old = NULL, *fresh = NULL, *out = NULL;
    struct hd_keep k;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    hd_status s = hd_routes_open(&ctx, was, engine, &old);
    if (s == HD_OK) s = hd_routes_open(&ctx, is, engine, &fresh);
    if (s == HD_OK) {
        bool proved = is_proved(old);
        s = hd_routes_keep(&ctx, fresh, old, &out, &k);
        if (s == HD_FAULT && is_proved(fresh)) fail_msg("%s: refused, but the fresh table is proved", name);
        if (s != HD_OK && s != HD_FAULT) fail_msg("%s: %s", name, ctx.error);
        total.refused += s == HD_FAULT;
        if (s == HD_OK) check_kept(name, fresh, old, out, &k);
        /* The old table was proved: what changes was cut, or a cycle with what was. */
        if (s == HD_OK && proved && !k.fresh) total.more += k.entries_repaired > 3 * k.entries_forced;
        /* Of an unchanged fabric, only holes towards switches that no pair uses: at spines with aggregation nodes. */
        if (s == HD_OK && proved && was == is && k.entries_changed > k.entries_forced)
            fail_msg("%s: the same fabric changes", name);
        if (s == HD_OK && twice && keep_hash(fresh, old, 1) != keep_hash(fresh, old, 2))
            fail_msg("%s: depends on threads", name);
    }
    hd_routes_free(out);
    hd_routes_free(fresh);
    hd_routes_free(old);
}

static void check_case(uint32_t i)
{
    struct hd_ctx ctx;
    struct hd_rng rng;
    struct hd_net *after = NULL;
    char fail[96], name[256];
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 1, HD_RNG_DEGRADE, 7000 + i);
    const char *spec = specs[hd_rng_below(&rng, SPECS)], *engine = engines[i % ENGINES];
    struct hd_net *net = make_net(spec);
    uint32_t kind = hd_rng_below(&rng, 4);
    snprintf(fail, sizeof fail, "links=%u,switches=%u,seed=%u", kind == 1 ? 0 : 1 + (kind == 2) * hd_rng_below(&rng, 4),
             kind == 0 ? 0 : hd_rng_below(&rng, 2) + (kind == 1), 1 + hd_rng_below(&rng, 100000));
    if (hd_net_fail(&ctx, net, fail, &after) == HD_OK) {
        snprintf(name, sizeof name, "case %u: %s, %s lost, %s", i, spec, fail, engine);
        check_pair(name, net, after, engine, i % 16 == 0);
        snprintf(name, sizeof name, "case %u: %s, %s back, %s", i, spec, fail, engine);
        check_pair(name, after, net, engine, i % 16 == 1);
        snprintf(name, sizeof name, "case %u: %s, %s still lost, %s", i, spec, fail, engine);
        check_pair(name, after, after, engine, false);
        total.cases++;
    }
    hd_net_free(after);
    hd_net_free(net);
}

static uint32_t setting(const char *name, uint32_t usual)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}

static void test_faults(void **state)
{
    (void)state;
    uint32_t first = setting("HEDDLE_KEEP_FIRST", 0), n = setting("HEDDLE_KEEP_CASES", 90);
    for (uint32_t i = first; i < first + n; i++) check_case(i);
    print_message(
        "# %llu cases, %llu tables: %llu entries had to change, %llu changed; %llu fresh tables, %llu refused, "
        "%llu times more than 3 times as many for want of VLs\n",
        (unsigned long long)total.cases, (unsigned long long)total.tables, (unsigned long long)total.forced,
        (unsigned long long)total.changed, (unsigned long long)total.fresh, (unsigned long long)total.refused,
        (unsigned long long)total.more);
}

/* ---- unlike tables ------------------------------------------------------------------------------------- */

/* Tables of other engines and of other fabrics, whose GUIDs are partly the same. */
static void test_other_tables(void **state)
{
    static const char *const pairs[][4] = {
        /* network, engine, old network, old engine */
        {"ft:m=8,n=2", "dmodc", "ft:m=8,n=2", "minhop"},
        {"ft:m=8,n=2", "settle", "torus:dims=4x4,hosts=2", "updown"},
        {"torus:dims=4x4,hosts=2", "dfsssp", "ft:m=8,n=2", "dmodk"},
        {"torus:dims=4x4,hosts=2", "dfsssp", "torus:dims=4x4,hosts=2", "minhop"},
        {"torus:dims=4x4,hosts=2", "updown", "torus:dims=4x4,hosts=2", "settle"},
        {"dragonfly:a=4,p=2,h=2", "settle", "random:switches=20,ports=6,hosts=1,seed=4", "nue"},
        {"ft:m=4,n=2", "dmodk", "ft:m=4,n=2", "mlid"},
        {"xgft:m=4,w=1", "dmodc", "xgft:m=2,w=1", "dmodc"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct hd_ctx ctx;
        struct hd_net *net = make_net(pairs[i][0]), *was = make_net(pairs[i][2]);
        struct hd_routes *fresh = make_routes(net, pairs[i][1]), *old = make_routes(was, pairs[i][3]), *out = NULL;
        struct hd_keep k;
        hd_ctx_init(&ctx);
        if (hd_routes_keep(&ctx, fresh, old, &out, &k) != HD_OK) fail_msg("%s: %s", pairs[i][0], ctx.error);
        assert_true(is_proved(out));
        assert_true(k.share >= 0.99 * k.share_fresh);
        assert_string_equal(hd_routes_spec(out), hd_routes_spec(fresh));
        hd_routes_free(out);
        hd_routes_free(old);
        hd_routes_free(fresh);
        hd_net_free(was);
        hd_net_free(net);
    }
}

/* ---- figures for docs/keep.md --------------------------------------------------------------------------- */

enum { EVENTS = 4, EBB_PAIRS = 400000, EBB_LEAST = 200, EBB_MOST = 2000, MOST_FIGURES = 256 };

static const char *const events[EVENTS] = {"cable lost", "switch lost", "cable back", "switch back"};

struct figures {
    const struct hd_net *net;
    const char *engine;
    uint32_t n, fresh;
    double forced[MOST_FIGURES], changed[MOST_FIGURES], blocks[MOST_FIGURES], vls[MOST_FIGURES];
    double engine_changed[MOST_FIGURES]; /* by the table of the engine itself */
    double ratio[MOST_FIGURES];          /* of the EBB of the kept table to that of the engine's */
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(double *value, uint32_t n, double at)
{
    qsort(value, n, sizeof *value, compare_doubles);
    return n ? value[(uint32_t)((n - 1) * at + 0.5)] : 0;
}

static double ebb(const struct hd_routes *r)
{
    struct hd_ctx ctx;
    struct hd_result result;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    uint32_t samples = EBB_PAIRS / (hd_routes_net(r)->nsel + 1);
    samples = samples < EBB_LEAST ? EBB_LEAST : samples > EBB_MOST ? EBB_MOST : samples;
    const struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = samples};
    if (hd_eval(&ctx, r, &q, &result) != HD_OK) fail_msg("ebb: %s", ctx.error);
    return result.value;
}

/* The table of one network kept on another; false if the engine does not apply. */
static bool add_figure(struct figures *f, const struct hd_net *was, const struct hd_net *is)
{
    struct hd_ctx ctx;
    struct hd_routes *old = NULL, *carried = NULL, *fresh = NULL, *out = NULL;
    struct hd_keep k;
    struct hd_diff d;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    bool ok =
        hd_routes_open(&ctx, was, f->engine, &old) == HD_OK && hd_routes_open(&ctx, is, f->engine, &fresh) == HD_OK;
    if (ok) {
        if (hd_routes_keep(&ctx, fresh, old, &out, &k) != HD_OK || hd_routes_carry(&ctx, old, is, &carried) != HD_OK ||
            hd_routes_diff(&ctx, carried, fresh, &d) != HD_OK)
            fail_msg("%s: %s", f->engine, ctx.error);
        uint32_t i = f->n++;
        f->forced[i] = 100.0 * (double)k.entries_forced / (double)k.entries;
        f->changed[i] = 100.0 * (double)k.entries_changed / (double)k.entries;
        f->blocks[i] = 100.0 * (double)k.blocks_changed / (double)k.blocks;
        f->vls[i] = 100.0 * (double)k.vls_changed / (double)k.pairs;
        f->engine_changed[i] = 100.0 * (double)d.entries_changed / (double)d.entries;
        f->ratio[i] = ebb(out) / ebb(fresh);
        f->fresh += k.fresh;
    }
    hd_routes_free(out);
    hd_routes_free(carried);
    hd_routes_free(fresh);
    hd_routes_free(old);
    return ok;
}

static void print_figures(struct figures *f, const char *name, uint32_t event, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < MOST_FIGURES; i++) {
        struct hd_ctx ctx;
        struct hd_net *after = NULL;
        char fail[64];
        bool ok = true;
        hd_ctx_init(&ctx);
        snprintf(fail, sizeof fail, "%s=1,seed=%u", event % 2 ? "switches" : "links", i + 1);
        if (hd_net_fail(&ctx, f->net, fail, &after) == HD_OK)
            ok = event < 2 ? add_figure(f, f->net, after) : add_figure(f, after, f->net);
        hd_net_free(after);
        if (!ok) break;
    }
    if (!f->n) return;
    print_message("| `%s` | %s | %s | %u | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.3f | %u |\n", name, f->engine,
                  events[event], f->n, quantile(f->forced, f->n, 0.5), quantile(f->changed, f->n, 0.5),
                  quantile(f->changed, f->n, 0.95), quantile(f->engine_changed, f->n, 0.5),
                  quantile(f->blocks, f->n, 0.5), quantile(f->vls, f->n, 0.5), quantile(f->ratio, f->n, 0), f->fresh);
    fflush(stdout);
}

/* HEDDLE_KEEP_FIGURES is the number of faults of each kind; HEDDLE_KEEP_NETS and HEDDLE_KEEP_ENGINES, separated by
 * blanks, are what is measured. */
static void test_figures(void **state)
{
    uint32_t n = setting("HEDDLE_KEEP_FIGURES", 0);
    char *nets = getenv("HEDDLE_KEEP_NETS"), *wanted = getenv("HEDDLE_KEEP_ENGINES"), *at, *with, list[512];
    (void)state;
    if (!n || !nets || !wanted) return;
    for (char *name = strtok_r(nets, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
        struct hd_net *net = make_net(name);
        snprintf(list, sizeof list, "%s", wanted);
        for (char *engine = strtok_r(list, " ", &with); engine; engine = strtok_r(NULL, " ", &with))
            for (uint32_t event = 0; event < EVENTS; event++) {
                struct figures f = {.net = net, .engine = engine};
                print_figures(&f, strrchr(name, '/') ? strrchr(name, '/') + 1 : name, event, event ? (n + 3) / 4 : n);
            }
        hd_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_other_tables),
                                       cmocka_unit_test(test_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
