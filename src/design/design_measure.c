/* SPDX-License-Identifier: BSD-2-Clause */
/* Bandwidth of a candidate: what 'heddle eval' prints, through the same calls with the same seed, so that the commands
 * kept with the figures repeat them. Trees are routed by dmodk, HyperX by dor, both in closed form; other fabrics by
 * settle where that is not too much work, otherwise by the engine that comes next. After the loss of a switch (of the
 * top level, or the last one where all are alike) by the engine that takes over.
 *
 * Work is predicted from sizes, N endpoints, S switches, C channels, L leaf switches, h hops: engines by their own
 * formula, samples N/2 h each, the worst case N L h. */
#include "base/status.h"
#include "design/design_steps.h"
#include "heddle/flow.h"
#include "heddle/route.h"
#include "route/engine/engine_lookup.h"
#include "tool/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps of an engine, of all samples, and of the worst case, which is quicker where paths are those of a tree. */
static const double engine_limit = 1.5e9, sample_limit = 2.5e7, worst_limit = 1e8, tree_worst_limit = 5e8;
/* A stored table: bytes. Those in closed form need none. */
static const double table_limit = 4e8;

static const char *const engines_of[][HD_DESIGN_ENGINES + 1] = {
    [HD_DESIGN_TREE] = {"dmodk", "dmodc", NULL},
    [HD_DESIGN_HYPERX] = {"dor", "settle", "minhop", NULL},
    [HD_DESIGN_TORUS] = {"settle", "torus2qos", "dor", NULL},
    [HD_DESIGN_OTHER] = {"settle", "minhop", NULL},
};
static const char *const engines_after_loss[][HD_DESIGN_ENGINES + 1] = {
    [HD_DESIGN_TREE] = {"dmodc", NULL},
    [HD_DESIGN_HYPERX] = {"settle", "dor", "minhop", NULL},
    [HD_DESIGN_TORUS] = {"settle", "torus2qos", "dor", NULL},
    [HD_DESIGN_OTHER] = {"settle", "minhop", NULL},
};

static struct hd_sizes design_sizes(const struct hd_net *net, enum hd_design_kind kind)
{
    struct hd_sizes z = {.endpoints = net->nsel, .switches = net->nsw, .channels = net->nchan};
    uint32_t levels = 1;
    for (uint32_t v = 0; v < net->nsw; v++) {
        bool leaf = false;
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && !leaf; c++) leaf = net->head[c] >= net->nsw;
        z.leaves += leaf;
        if (net->level[v] != HD_NO_LEVEL && net->level[v] > levels) levels = net->level[v];
    }
    z.hops = kind == HD_DESIGN_TREE ? 2.0 * levels : 5;
    if (kind == HD_DESIGN_TORUS) z.hops = 2 + 0.75 * cbrt(net->nsw);
    return z;
}

/* Closed forms cost next to nothing: their paths are computed when they are asked for. */
static bool engine_fits(const struct hd_ctx *ctx, const char *engine, const struct hd_sizes *z)
{
    if (strcmp(engine, "dmodk") == 0 || strcmp(engine, "dor") == 0) return true;
    if (z->endpoints * z->switches > table_limit) return false;
    bool quick = strcmp(engine, "dmodc") == 0 || strcmp(engine, "minhop") == 0; /* leaf by leaf, and copied */
    return (quick ? z->endpoints * z->switches + z->leaves * z->channels : hd_engine_cost(ctx, engine, z)) <=
           engine_limit;
}

static uint64_t design_samples(const struct hd_sizes *z)
{
    static const uint64_t steps[] = {500, 200, 100, 50, 20};
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof *steps && (double)steps[i] * z->endpoints / 2 * z->hops > sample_limit) i++;
    return steps[i];
}

/* Routes by the first engine that applies and is not too much work; *routes is NULL where there is none. *refused:
 * some engine was tried, and did not apply for the reason that the context has. */
static hd_status design_route(const struct hd_designing *g, const struct hd_net *net, const char *const *engine,
                              const struct hd_sizes *z, struct hd_routes **routes, bool *refused)
{
    *routes = NULL;
    *refused = false;
    for (; *engine; engine++) {
        if (!engine_fits(g->ctx, *engine, z)) continue;
        hd_status s = hd_routes_open(g->ctx, net, *engine, routes);
        *refused = s == HD_NA;
        if (s != HD_NA) return s;
        *routes = NULL;
    }
    return HD_OK;
}

/* One candidate that cannot be measured leaves the others as they are. */
static hd_status design_refused(struct hd_designing *g)
{
    if (!g->refused++) g->why = hd_design_text(g->arena, "%s", g->ctx->error);
    return g->why ? HD_OK : hd_fail_memory(g->ctx);
}

/* "heddle eval SPEC ENGINE ..." */
static const char *eval_command(const struct hd_designing *g, const char *spec, const char *table, const char *options)
{
    char quoted[4 * HD_MAX_SPEC + 3], seed[32] = "";
    hd_shell_word(quoted, spec);
    if (hd_ctx_seed(g->ctx) != 1) snprintf(seed, sizeof seed, " --seed %llu", (unsigned long long)hd_ctx_seed(g->ctx));
    return hd_design_text(g->arena, "heddle eval %s %s%s%s", quoted, table, options, seed);
}

struct design_run {
    const struct hd_designing *g;
    const struct hd_routes *routes;
    uint64_t samples;
    const char *metric;
};

/* The value is NaN where the metric does not apply. */
static hd_status design_eval(const struct design_run *run, struct hd_result *result)
{
    const struct hd_request q = {.pattern = "bisect", .metric = run->metric, .samples = run->samples};
    const hd_status s = hd_eval(run->g->ctx, run->routes, &q, result);
    if (s != HD_NA) return s;
    result->value = result->ci = NAN;
    return HD_OK;
}

/* The switch whose loss is evaluated: the first of the highest level of a tree, otherwise the last. */
static uint32_t lost_switch(const struct hd_net *net, enum hd_design_kind kind)
{
    uint32_t lost = net->nsw - 1;
    if (kind != HD_DESIGN_TREE) return lost;
    for (uint32_t v = net->nsw; v-- > 0;)
        if (net->level[v] >= net->level[lost]) lost = v;
    return lost;
}

static hd_status measure_loss(const struct hd_designing *g, const struct hd_net *net, enum hd_design_kind kind,
                              const struct hd_sizes *z, struct hd_design_row *row)
{
    char fail[200], options[300];
    struct hd_net *left;
    struct hd_routes *routes = NULL;
    struct hd_result result;
    uint32_t lost = lost_switch(net, kind);
    bool fits = false, refused;
    for (const char *const *e = engines_after_loss[kind]; *e; e++) fits |= engine_fits(g->ctx, *e, z);
    if (!fits || net->nsw < 2) return HD_OK;
    snprintf(fail, sizeof fail, "switch=%.100s", hd_node_name(net, lost));
    const char *part = row->planes > 1 ? hd_node_name(net, 0) : NULL;
    HD_TRY(hd_net_open(g->ctx, row->spec, &(struct hd_open){.fail = fail, .part = part}, &left));
    hd_status s = left->nsel < 2 ? HD_OK : design_route(g, left, engines_after_loss[kind], z, &routes, &refused);
    if (s == HD_OK && (routes || left->nsel < 2)) { /* without two endpoints left there is nothing to measure */
        row->lost = hd_strdup(g->arena, fail + strlen("switch="), strlen(fail) - strlen("switch="));
        if (!row->lost) s = hd_fail_memory(g->ctx);
    }
    if (s == HD_OK && routes) s = design_eval(&(struct design_run){g, routes, row->samples, "ebb"}, &result);
    if (s == HD_OK && routes) {
        row->ebb_lost = result.value;
        row->ebb_lost_ci = result.ci;
        row->lost_table = hd_design_text(g->arena, "%s", hd_routes_spec(routes));
        snprintf(options, sizeof options, " -n %llu --fail %s%s%.80s", (unsigned long long)row->samples, fail,
                 part ? " --part " : "", part ? part : "");
        row->eval_lost = eval_command(g, row->spec, row->lost_table ? row->lost_table : "", options);
        if (!row->lost_table || !row->eval_lost) s = hd_fail_memory(g->ctx);
    }
    hd_routes_free(routes);
    hd_net_free(left);
    return s;
}

static bool worst_fits(const struct hd_sizes *z, enum hd_design_kind kind)
{
    return z->endpoints * z->leaves * z->hops <= (kind == HD_DESIGN_TREE ? tree_worst_limit : worst_limit);
}

static hd_status measure_intact(const struct hd_designing *g, const struct hd_routes *routes, bool worst,
                                struct hd_design_row *row)
{
    struct hd_result result;
    char options[200];
    const char *part = row->planes > 1 ? " --part " : "";
    const char *name = row->planes > 1 ? hd_node_name(hd_routes_net(routes), 0) : "";
    struct design_run run = {g, routes, row->samples, "ebb"};
    row->table = hd_design_text(g->arena, "%s", hd_routes_spec(routes));
    if (!row->table) return hd_fail_memory(g->ctx);
    HD_TRY(design_eval(&run, &result));
    row->ebb = result.value;
    row->ebb_ci = result.ci;
    snprintf(options, sizeof options, " -n %llu%s%.80s", (unsigned long long)row->samples, part, name);
    if (!(row->eval = eval_command(g, row->spec, row->table, options))) return hd_fail_memory(g->ctx);
    if (!worst) return HD_OK;
    run.metric = "worst";
    HD_TRY(design_eval(&run, &result));
    row->worst = result.value;
    if (isnan(row->worst)) return HD_OK;
    snprintf(options, sizeof options, " -m worst%s%.80s", part, name);
    row->eval_worst = eval_command(g, row->spec, row->table, options);
    return row->eval_worst ? HD_OK : hd_fail_memory(g->ctx);
}

/* A plane is a fabric of its own: it is measured alone. */
static hd_status open_plane(const struct hd_designing *g, const struct hd_net *net, const struct hd_design_row *row,
                            struct hd_net **plane)
{
    *plane = NULL;
    if (row->planes == 1) return HD_OK;
    return hd_net_choose(g->ctx, net, &(struct hd_choice){.part = hd_node_name(net, 0)}, plane);
}

hd_status hd_design_measure(struct hd_designing *g, const struct hd_net *net, const struct hd_design_candidate *from,
                            struct hd_design_row *row)
{
    bool refused;
    struct hd_net *plane;
    struct hd_routes *routes = NULL;
    row->ebb = row->ebb_ci = row->worst = row->ebb_lost = row->ebb_lost_ci = NAN;
    HD_TRY(open_plane(g, net, row, &plane));
    const struct hd_net *one = plane ? plane : net;
    if (one->nsel < 2) {
        hd_net_free(plane);
        return HD_OK;
    }
    const struct hd_sizes z = design_sizes(one, from->kind);
    row->samples = design_samples(&z);
    hd_status s = design_route(g, one, engines_of[from->kind], &z, &routes, &refused);
    if (s == HD_OK && refused) s = design_refused(g);
    if (s == HD_OK && routes) s = measure_intact(g, routes, worst_fits(&z, from->kind), row);
    hd_routes_free(routes);
    if (s == HD_OK && row->table) s = measure_loss(g, one, from->kind, &z, row);
    hd_net_free(plane);
    return s;
}
