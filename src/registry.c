/* SPDX-License-Identifier: BSD-2-Clause */
/* One line for everything that has a name. Listing, help, spec parsing, manual, completion and the
 * property tests all loop over these tables. */
#include "heddle/registry.h"
#include "papers/papers.h"
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "flow/eval/eval.h"
#include "flow/metric/all_metrics.h"
#include "flow/pattern/all_patterns.h"
#include "heddle/report.h"
#include "ib/engine_opensm.h"
#include "net/topo/topology.h"
#include "route/engine/engines.h"
#include "sim/sim_model.h"
#include "sim/sim_runs.h"
#include "sim/all_selectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct hd_topology *const topologies[] = {
    &hd_topo_gft,     &hd_topo_ft,     &hd_topo_xgft,      &hd_topo_pgft,
    &hd_topo_kary,    &hd_topo_torus,  &hd_topo_mesh,      &hd_topo_hypercube,
    &hd_topo_hyperx,  &hd_topo_random, &hd_topo_dragonfly, &hd_topo_dragonfly_plus,
    &hd_topo_slimfly, &hd_topo_odin,   &hd_topo_atlas,     &hd_topo_thunderbird,
    &hd_topo_ranger,  &hd_topo_deimos,
};

static const struct hd_engine *const engines[] = {
    &hd_engine_dmodk,  &hd_engine_smodk,  &hd_engine_minhop, &hd_engine_updown, &hd_engine_dmodc, &hd_engine_ftree,
    &hd_engine_dor,    &hd_engine_random, &hd_engine_lash,   &hd_engine_opt,    &hd_engine_osrm2, &hd_engine_osrm3,
    &hd_engine_omrmn,  &hd_engine_mlid,   &hd_engine_wsr,    &hd_engine_file,   &hd_engine_psssp, &hd_engine_p2sssp,
    &hd_engine_dfsssp, &hd_engine_settle, &hd_engine_opensm,
};

static const struct hd_pattern *const patterns[] = {
    &hd_pattern_bisect,    &hd_pattern_permutation, &hd_pattern_dissemination, &hd_pattern_bridge,
    &hd_pattern_shift,     &hd_pattern_ring,        &hd_pattern_binomial,      &hd_pattern_tournament,
    &hd_pattern_recdbl,    &hd_pattern_rechalf,     &hd_pattern_recdbl_tree,   &hd_pattern_bruck,
    &hd_pattern_rev_bruck, &hd_pattern_alltoall,    &hd_pattern_collective,    &hd_pattern_uniform,
    &hd_pattern_clustered, &hd_pattern_file,        &hd_pattern_worst,
};

static const struct hd_metric *const metrics[] = {
    &hd_metric_ebb, &hd_metric_minbw, &hd_metric_maxload,   &hd_metric_efi,   &hd_metric_hops,
    &hd_metric_hsd, &hd_metric_worst, &hd_metric_oblivious, &hd_metric_ratio,
};

static const struct hd_paper_item *const papers[] = {
    &hd_paper_000_table1,   &hd_paper_000_table2,  &hd_paper_000_bounds, &hd_paper_001_fig2,   &hd_paper_001_fig3,
    &hd_paper_001_fig4,     &hd_paper_001_fig5,    &hd_paper_001_fig6,   &hd_paper_001_study,  &hd_paper_001_fig7,
    &hd_paper_001_routes,   &hd_paper_002_fig2,    &hd_paper_002_fig4a,  &hd_paper_002_fig4c,  &hd_paper_002_fig4d,
    &hd_paper_002_fig4e,    &hd_paper_002_fig5,    &hd_paper_002_fig6,   &hd_paper_002_fig8,   &hd_paper_002_fig9,
    &hd_paper_003_table1,   &hd_paper_003_bounds,  &hd_paper_003_fig10,  &hd_paper_003_fig11,  &hd_paper_004_fig1,
    &hd_paper_004_fig2,     &hd_paper_004_fig3,    &hd_paper_004_fig4,   &hd_paper_004_fig6,   &hd_paper_004_table2,
    &hd_paper_004_theorems, &hd_paper_004_partial, &hd_paper_004_table3, &hd_paper_own_settle, &hd_paper_own_balance,
    &hd_paper_own_degraded, &hd_paper_own_opensm,
};

static const struct hd_selector *const selectors[] = {
    &hd_selector_static, &hd_selector_random, &hd_selector_adaptive, &hd_selector_probing,
    &hd_selector_ar,     &hd_selector_ecmp,   &hd_selector_spray,
};

static const struct hd_model *const models[] = {
    &hd_model_myrinet,
    &hd_model_infiniband,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *hd_registry_name(enum hd_registry kind)
{
    static const char *const names[] = {
        [HD_TOPOLOGIES] = "topology", [HD_ENGINES] = "engine", [HD_PATTERNS] = "pattern", [HD_METRICS] = "metric",
        [HD_SELECTORS] = "selector",  [HD_MODELS] = "model",   [HD_CHARTS] = "chart",     [HD_PAPERS] = "paper"};
    return kind < HD_REGISTRIES ? names[kind] : NULL;
}

const struct hd_desc *hd_registry_at(enum hd_registry kind, size_t i)
{
    switch (kind) {
    case HD_TOPOLOGIES: return i < COUNT(topologies) ? &topologies[i]->desc : NULL;
    case HD_ENGINES: return i < COUNT(engines) ? &engines[i]->desc : NULL;
    case HD_PATTERNS: return i < COUNT(patterns) ? &patterns[i]->desc : NULL;
    case HD_METRICS: return i < COUNT(metrics) ? &metrics[i]->desc : NULL;
    case HD_SELECTORS: return i < COUNT(selectors) ? &selectors[i]->desc : NULL;
    case HD_MODELS: return i < COUNT(models) ? &models[i]->desc : NULL;
    case HD_CHARTS: return hd_chart_at(i);
    case HD_PAPERS: return i < COUNT(papers) ? &papers[i]->desc : NULL;
    case HD_REGISTRIES: break;
    }
    return NULL;
}

static const struct hd_desc *find_named(enum hd_registry kind, const char *name, size_t len)
{
    const struct hd_desc *d;
    for (size_t i = 0; (d = hd_registry_at(kind, i)); i++)
        if (strlen(d->name) == len && memcmp(d->name, name, len) == 0) return d;
    return NULL;
}

const struct hd_desc *hd_registry_find(enum hd_registry kind, const char *name)
{
    return find_named(kind, name, strlen(name));
}

/* ---- specs ---------------------------------------------------------------------------------- */

static const char *article(const char *noun)
{
    return strchr("aeiou", *noun) ? "an" : "a";
}

static hd_status not_found(struct hd_ctx *ctx, enum hd_registry kind, const char *text)
{
    char word[64];
    const char *names[64], *what = hd_registry_name(kind);
    const char *or_file = kind == HD_TOPOLOGIES || kind == HD_ENGINES ? " nor a file" : "";
    size_t n = 0;
    if (text[strspn(text, " \t\n")] == 0)
        return hd_fail(ctx, HD_INPUT, "an empty word: expected %s %s%s", article(what), what,
                       *or_file ? " or a file" : "");
    for (const struct hd_desc *d; n < 64 && (d = hd_registry_at(kind, n)); n++) names[n] = d->name;
    snprintf(word, sizeof word, "%.*s", (int)hd_spec_name(text), text);
    for (enum hd_registry k = 0; k < HD_PAPERS; k++)
        if (k != kind && hd_registry_find(k, word))
            return hd_fail(ctx, HD_INPUT, "%.200s: is %s %s, expected %s %s%s", text, article(hd_registry_name(k)),
                           hd_registry_name(k), article(what), what, *or_file ? " or a file" : "");
    const char *near = hd_nearest(word, names, n);
    if (near)
        return hd_fail(ctx, HD_INPUT, "%.200s: %s known %s%s, did you mean '%s'?", text,
                       *or_file ? "neither a" : "not a", what, or_file, near);
    return hd_fail(ctx, HD_INPUT, "%.200s: %s known %s%s ('heddle list %s' shows what there is)", text,
                   *or_file ? "neither a" : "not a", what, or_file, what);
}

/* Options of a spec whose name is known, from arena, and its canonical form. */
static hd_status parse_spec(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_desc *d, const char *text,
                            void **opt, char spec[HD_MAX_SPEC])
{
    size_t name = hd_spec_name(text);
    *opt = hd_alloc(arena, 1, d->opt_size);
    if (!*opt) return hd_fail_memory(ctx);
    HD_TRY(hd_opts_parse(ctx, arena, d, text[name] ? text + name + 1 : NULL, *opt));
    return hd_opts_print(ctx, d, *opt, spec);
}

/* ---- networks by name ---------------------------------------------------------------------- */

static hd_status generate(struct hd_ctx *ctx, const struct hd_topology *t, const char *text, struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct hd_builder *b = NULL;
    char spec[HD_MAX_SPEC];
    void *opt;
    hd_status s = parse_spec(ctx, &scratch, &t->desc, text, &opt, spec);
    if (s == HD_OK) s = hd_builder_make(ctx, &b);
    if (s == HD_OK) s = t->make(ctx, opt, b);
    if (s == HD_OK)
        s = hd_builder_finish(ctx, b, spec, net);
    else
        hd_builder_free(b);
    hd_arena_release(&scratch);
    return s;
}

static hd_status make_or_read(struct hd_ctx *ctx, const char *text, const struct hd_read *read, struct hd_net **net)
{
    size_t name = hd_spec_name(text);
    const struct hd_desc *d = find_named(HD_TOPOLOGIES, text, name);
    /* desc is the first member of struct hd_topology */
    if (d && (read->name_map || read->rails))
        return hd_fail(ctx, HD_USAGE, "--node-name-map and --rails are for network files, %.200s is generated", text);
    if (d) return generate(ctx, (const struct hd_topology *)d, text, net);
    struct stat st;
    if (strcmp(text, "-") != 0 && stat(text, &st) != 0) return not_found(ctx, HD_TOPOLOGIES, text);
    struct hd_net *raw;
    hd_status s = hd_net_read(ctx, text, read, &raw);
    if (s == HD_INPUT && hd_routes_is_table(text))
        return hd_fail(ctx, HD_INPUT, "%.200s: is a forwarding table, expected a network", text);
    HD_TRY(s);
    s = hd_net_infer(ctx, raw, net);
    hd_net_free(raw);
    return s;
}

static hd_status give_lids(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_open *opt, struct hd_net **out)
{
    const char *lmc = opt->lmc;
    if (lmc && opt->guid2lid) return hd_fail(ctx, HD_USAGE, "--lmc goes without --guid2lid: the file tells it");
    if (lmc && (lmc[0] < '0' || lmc[0] > '7' || lmc[1]))
        return hd_fail(ctx, HD_USAGE, "--lmc %.40s: expected 0 to 7", lmc);
    return hd_net_lids(ctx, net, opt->guid2lid, lmc ? (uint32_t)(lmc[0] - '0') : 0, out);
}

hd_status hd_net_open(struct hd_ctx *ctx, const char *text, const struct hd_open *opt, struct hd_net **out)
{
    static const struct hd_open plain;
    if (!opt) opt = &plain;
    struct hd_net *net, *next;
    HD_TRY(make_or_read(ctx, text, &opt->read, &net));
    hd_status s = HD_OK;
    if ((opt->guid2lid || opt->lmc) && (s = give_lids(ctx, net, opt, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    if (s == HD_OK && opt->fail && (s = hd_net_fail(ctx, net, opt->fail, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    const struct hd_choice *c = &opt->choice;
    if (s == HD_OK && (c->part || c->rail || c->endpoints) && (s = hd_net_choose(ctx, net, c, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    if (s == HD_OK && opt->repair && (s = hd_net_repair(ctx, net, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    if (s != HD_OK) {
        hd_net_free(net);
        return s;
    }
    *out = net;
    return HD_OK;
}

/* ---- table or network? ---------------------------------------------------------------------- */

/* Whether one of the first lines of a file begins with one of the words (ends with NULL). */
static bool begins_with(const char *path, const char *const *words)
{
    enum { LINES = 50 };
    struct hd_ctx ctx;
    struct hd_in *in;
    char *line;
    size_t len;
    bool found = false;
    hd_ctx_init(&ctx);
    if (strcmp(path, "-") == 0 || hd_in_open(&ctx, path, &in) != HD_OK) return false;
    for (int i = 0; i < LINES && !found && hd_in_line(&ctx, in, &line, &len) == HD_OK && line; i++)
        for (const char *const *w = words; *w && !found; w++) found = strncmp(line, *w, strlen(*w)) == 0;
    hd_in_close(in);
    return found;
}

bool hd_routes_is_table(const char *path)
{
    return begins_with(path, (const char *const[]){"Unicast lids", "# heddle", "dump_ucast_routes", NULL});
}

static bool is_network(const char *path)
{
    return begins_with(path, (const char *const[]){"vendid=", "Switch\t", "Switch ", "Ca\t", "Hca\t", NULL});
}

/* ---- routes by name ------------------------------------------------------------------------ */

static hd_status run_engine(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const char *text,
                            struct hd_routes **out)
{
    struct hd_arena scratch = {0};
    struct hd_routes *r = NULL;
    char spec[HD_MAX_SPEC];
    void *opt;
    hd_status s = parse_spec(ctx, &scratch, &e->desc, text, &opt, spec);
    if (s == HD_OK && e->applies) s = e->applies(ctx, net, opt);
    if (s == HD_OK) s = e->route(ctx, net, opt, &r);
    if (s == HD_OK && !(r->spec = hd_strdup(&r->arena, spec, strlen(spec)))) {
        hd_routes_free(r);
        s = hd_fail_memory(ctx);
    }
    if (s == HD_OK) *out = r;
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_routes_open(struct hd_ctx *ctx, const struct hd_net *net, const char *text, struct hd_routes **r)
{
    const struct hd_desc *d = find_named(HD_ENGINES, text, hd_spec_name(text));
    if (d) return run_engine(ctx, (const struct hd_engine *)d, net, text, r);
    struct stat st;
    if (strcmp(text, "-") != 0 && stat(text, &st) != 0) return not_found(ctx, HD_ENGINES, text);
    hd_status s = hd_routes_read(ctx, net, text, HD_USE_FIRST, r);
    if (s == HD_INPUT && is_network(text))
        return hd_fail(ctx, HD_INPUT, "%.200s: is a network, expected a forwarding table", text);
    return s;
}

/* ---- evaluation ---------------------------------------------------------------------------- */

hd_status hd_eval(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_request *q, struct hd_result *result)
{
    struct hd_arena scratch = {0};
    struct hd_job job = {.routes = r};
    struct hd_result res = {.bound = NAN};
    void *opt;
    const struct hd_desc *m = find_named(HD_METRICS, q->metric, hd_spec_name(q->metric));
    if (!m) return not_found(ctx, HD_METRICS, q->metric);
    job.metric = (const struct hd_metric *)m;
    hd_status s = parse_spec(ctx, &scratch, m, q->metric, &opt, res.metric);
    job.metric_opt = opt;
    if (s == HD_OK && job.metric->value) { /* others need no pattern and do not look at one */
        const struct hd_desc *p = q->pattern ? find_named(HD_PATTERNS, q->pattern, hd_spec_name(q->pattern)) : NULL;
        if (!q->pattern)
            s = hd_fail(ctx, HD_USAGE, "metric %s needs a pattern", m->name);
        else if (!p)
            s = not_found(ctx, HD_PATTERNS, q->pattern);
        job.pattern = (const struct hd_pattern *)p;
        if (s == HD_OK) s = parse_spec(ctx, &scratch, p, q->pattern, &opt, res.pattern);
        job.pattern_opt = opt;
    }
    if (s == HD_OK) s = hd_eval_job(ctx, &job, q, &res);
    if (s == HD_OK) *result = res;
    hd_arena_release(&scratch);
    return s;
}

/* ---- simulation ---------------------------------------------------------------------------- */

struct named {
    const struct hd_desc *desc;
    void *opt;
};

/* The row a spec names and its options; spec becomes its canonical form. */
static hd_status open_spec(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_registry kind, const char *text,
                           struct named *n, char spec[HD_MAX_SPEC])
{
    n->desc = find_named(kind, text, hd_spec_name(text));
    return n->desc ? parse_spec(ctx, arena, n->desc, text, &n->opt, spec) : not_found(ctx, kind, text);
}

hd_status hd_sim(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_sim_request *q,
                 struct hd_sim_result *result)
{
    struct hd_arena scratch = {0};
    struct hd_sim_result res = {0};
    struct named pattern = {0}, selector = {0}, model = {0};
    if (!q->pattern == !q->trace) return hd_fail(ctx, HD_USAGE, "simulation: expected either a pattern or a trace");
    hd_status s = open_spec(ctx, &scratch, HD_SELECTORS, q->selector ? q->selector : "static", &selector, res.selector);
    if (s == HD_OK) s = open_spec(ctx, &scratch, HD_MODELS, q->model ? q->model : "infiniband", &model, res.model);
    if (s == HD_OK && q->pattern) s = open_spec(ctx, &scratch, HD_PATTERNS, q->pattern, &pattern, res.pattern);
    /* desc is the first member of a row of any kind */
    struct hd_sim_job job = {.routes = r,
                             .pattern = (const struct hd_pattern *)pattern.desc,
                             .pattern_opt = pattern.opt,
                             .selector = (const struct hd_selector *)selector.desc,
                             .selector_opt = selector.opt,
                             .model = model.desc,
                             .model_opt = model.opt};
    if (s == HD_OK) s = hd_sim_job_run(ctx, &job, q, &res);
    if (s == HD_OK) *result = res;
    hd_arena_release(&scratch);
    return s;
}
