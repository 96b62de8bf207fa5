/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle eval: measure tables under a pattern and compare them. Every table is a row; loads and samples go to CSV files
 * while they are computed, so that memory does not grow with their number. */
#include "cli.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct eval_row {
    char *net, *table; /* canonical */
    struct hd_result result;
    bool applies;
    char reason[512]; /* why not */
    double ratio;     /* to the first table of its network */
    /* Adaptive routing in the packet simulator: NaN: not simulated. */
    double packets, packets_ci;
    uint64_t packets_runs, packets_dropped;
    const char *choosing; /* how switches do, see hd_routes_choosing */
    char packets_model[96];
    double route_seconds, eval_seconds;
    int order;
};

struct eval_command {
    struct cli *cli;
    struct hd_request q;
    struct hd_out *loads, *samples; /* CSV files, NULL: not asked for */
    const struct hd_net *net;       /* being measured */
    const char *net_text;           /* as it was given */
    const struct hd_routes *routes;
};

/* ---- CSV ------------------------------------------------------------------------------------ */

static void put_csv(struct hd_out *o, const char *text)
{
    hd_put_csv(o, text, false);
    hd_puts(o, ",");
}

static void eval_put_sample(void *user, uint64_t index, double value)
{
    const struct eval_command *e = user;
    put_csv(e->samples, e->net->spec);
    put_csv(e->samples, hd_routes_spec(e->routes));
    hd_printf(e->samples, "%llu,%.9g\n", (unsigned long long)index, value);
}

static const char *channel_direction(const struct hd_net *net, uint32_t c)
{
    uint8_t from = net->level[net->tail[c]], to = net->level[net->head[c]];
    if (from == HD_NO_LEVEL || to == HD_NO_LEVEL || from == to) return "side";
    return from < to ? "up" : "down";
}

static void put_level(struct hd_out *o, uint8_t level)
{
    if (level != HD_NO_LEVEL) hd_printf(o, "%u", level);
    hd_puts(o, ",");
}

static void put_loads(const struct eval_command *e, const struct hd_result *result)
{
    const struct hd_net *net = e->net;
    bool split = hd_routes_select(e->routes) == HD_SELECT_ALL || hd_routes_select(e->routes) == HD_SELECT_PACKET;
    double unit = split ? hd_routes_variants(e->routes) : 1, n = result->samples ? (double)result->samples : 1;
    for (uint32_t c = 0; c < net->nchan; c++) {
        put_csv(e->loads, net->spec);
        put_csv(e->loads, hd_routes_spec(e->routes));
        put_csv(e->loads, hd_node_name(net, net->tail[c]));
        hd_printf(e->loads, "%u,", net->port[c]);
        put_csv(e->loads, hd_node_name(net, net->head[c]));
        hd_printf(e->loads, "%u,", net->port[net->rev[c]]);
        put_level(e->loads, net->level[net->tail[c]]);
        put_level(e->loads, net->level[net->head[c]]);
        hd_printf(e->loads, "%s,%s,%.9g,%.9g\n", channel_direction(net, c), hd_link_name(net->link[c]),
                  (double)e->q.load_sum[c] / unit / n, e->q.load_max[c] / unit);
    }
}

static hd_status open_csv(struct eval_command *e)
{
    struct hd_ctx *ctx = e->cli->ctx;
    const struct values *v = &e->cli->v;
    if (v->checkpoint && (v->loads || v->samples))
        return usage_error(e->cli,
                           "--checkpoint excludes --loads and --samples: values from before a resume are not kept");
    hd_status s = v->loads ? hd_out_open(ctx, v->loads, &e->loads) : HD_OK;
    if (s == HD_OK && v->samples) s = hd_out_open(ctx, v->samples, &e->samples);
    if (s != HD_OK) return s;
    if (e->loads)
        hd_puts(e->loads, "net,table,from,from_port,to,to_port,from_level,to_level,direction,link,mean,max\n");
    if (e->samples) {
        hd_puts(e->samples, "net,table,sample,value\n");
        e->q.sample = eval_put_sample;
        e->q.user = e;
    }
    return HD_OK;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static int better_first(const void *a, const void *b)
{
    const struct eval_row *x = a, *y = b;
    if (x->applies != y->applies) return x->applies ? -1 : 1;
    if (x->applies && x->result.value != y->result.value)
        return (x->result.value > y->result.value) == x->result.higher_is_better ? -1 : 1;
    return x->order - y->order;
}

/* A copy of text, NULL with the failure worded when there is no memory for it. */
static char *copy_text(struct cli *cli, const char *text, hd_status *s)
{
    char *copy = strdup(text);
    if (!copy && *s == HD_OK) *s = hd_fail_memory(cli->ctx);
    return copy;
}

static hd_status make_load_sums(struct eval_command *e)
{
    e->q.load_sum = calloc(e->net->nchan + 1, sizeof *e->q.load_sum);
    e->q.load_max = calloc(e->net->nchan + 1, sizeof *e->q.load_max);
    return e->q.load_sum && e->q.load_max ? HD_OK : hd_fail_memory(e->cli->ctx);
}

static void free_load_sums(struct eval_command *e)
{
    free(e->q.load_sum);
    free(e->q.load_max);
    e->q.load_sum = NULL;
    e->q.load_max = NULL;
}

/* Runs of the packet simulator, and packets of each sender in one: as many as take some seconds; 0: too many. */
static uint64_t packets_runs(const struct hd_net *net, uint64_t packets)
{
    const double most = 1e7, hops = 6, each = net->nsel / 2.0 * hops * (double)packets;
    const uint64_t least = 4, enough = 8;
    if (each <= 0 || (double)least * each > most) return 0;
    return (double)enough * each > most ? (uint64_t)(most / each) : enough;
}

/* Whether flows have no path by any choice of adaptive routing; those without one by static ports may have others. */
static bool no_choice_arrives(const struct hd_result *r)
{
    return r->unserved && isnan(r->split_best);
}

/* Adaptive routing packet by packet: the third figure beside those of static ports and of split flows. Random patterns
 * and the mean share only, which is what the simulator gives. */
static hd_status simulate_adaptive(struct eval_command *e, struct eval_row *row)
{
    char pattern[64];
    double ns;
    const uint64_t packets = packets_runs(e->net, 128) ? 128 : 64, runs = packets_runs(e->net, packets);
    snprintf(pattern, sizeof pattern, "%.*s", (int)strcspn(e->q.pattern, ":"), e->q.pattern);
    const struct hd_pattern *p = (const struct hd_pattern *)hd_registry_find(e->cli->ctx, HD_PATTERNS, pattern);
    if (strcmp(row->result.metric, "ebb") != 0 || !p || p->stages || !runs || no_choice_arrives(&row->result))
        return HD_OK;
    const char *name = hd_sim_model(e->net, &ns);
    const uint64_t whole = (uint64_t)(ns * (double)packets);
    snprintf(row->packets_model, sizeof row->packets_model, "%s:duration=%llu,warmup=%llu", name,
             (unsigned long long)whole, (unsigned long long)(whole / 4));
    const struct hd_sim_request q = {
        .pattern = e->q.pattern, .selector = "ar", .ranks = e->q.ranks, .samples = runs, .model = row->packets_model};
    struct hd_sim_result found;
    const hd_status s = hd_sim(e->cli->ctx, e->routes, &q, &found);
    if (s != HD_OK) return s == HD_LIMIT ? s : HD_OK; /* some choices do not arrive: no figure */
    row->packets_runs = found.samples;
    row->packets_dropped = found.dropped;
    row->choosing = hd_routes_choosing(e->routes);
    if (found.deadlocks) return HD_OK;
    row->packets = found.fraction;
    row->packets_ci = found.ci;
    return HD_OK;
}

static hd_status measure_table(struct eval_command *e, const char *table, struct eval_row *row)
{
    struct hd_ctx *ctx = e->cli->ctx;
    struct hd_routes *r;
    double start = seconds();
    hd_status s = open_routes(e->cli, e->net_text, e->net, table, &r);
    if (s != HD_OK) return s;
    row->route_seconds = seconds() - start;
    row->table = copy_text(e->cli, hd_routes_spec(r), &s);
    e->routes = r;
    if (s == HD_OK && e->loads) s = make_load_sums(e);
    start = seconds();
    begin_sampling(e->cli);
    if (s == HD_OK) s = hd_eval(ctx, r, &e->q, &row->result);
    if (s == HD_OK && hd_routes_adaptive(r)) s = simulate_adaptive(e, row);
    e->cli->stopped_by = end_sampling(e->cli, s);
    row->eval_seconds = seconds() - start;
    if (s == HD_OK && e->loads) put_loads(e, &row->result);
    row->applies = s == HD_OK;
    free_load_sums(e);
    hd_routes_free(r);
    return s;
}

/* All tables on one network, best first; in a comparison an engine that does not apply is a row too. */
static hd_status compare_tables(struct eval_command *e, const char *const *tables, int n, struct eval_row *row)
{
    for (int i = 0; i < n; i++) {
        hd_status s = HD_OK;
        row[i] = (struct eval_row){.net = copy_text(e->cli, e->net->spec, &s), .order = i, .packets = NAN};
        if (e->cli->stopped_by) {
            snprintf(row[i].reason, sizeof row[i].reason, "interrupted before");
            row[i].table = copy_text(e->cli, tables[i], &s);
        } else if (s == HD_OK) {
            s = measure_table(e, tables[i], &row[i]);
        }
        if (s == HD_NA && n > 1) {
            snprintf(row[i].reason, sizeof row[i].reason, "does not apply: %.480s", hd_ctx_reason(e->cli->ctx));
            free(row[i].table); /* set where routes exist and it is the pattern that does not apply */
            s = HD_OK;
            row[i].table = copy_text(e->cli, tables[i], &s);
        }
        if (s != HD_OK) return s;
    }
    double first = row[0].applies ? row[0].result.value : NAN;
    for (int i = 0; i < n; i++) row[i].ratio = first > 0 && row[i].applies ? row[i].result.value / first : NAN;
    qsort(row, (size_t)n, sizeof *row, better_first);
    return HD_OK;
}

/* ---- printing ------------------------------------------------------------------------------- */

/* Figures that only adaptive routing has. */
static void json_adaptive(struct hd_json *j, const struct eval_row *row)
{
    const struct hd_result *r = &row->result;
    hd_json_fields(j, hd_real("fluid", r->fluid), hd_uint("fluid_samples", r->fluid_samples));
    hd_json_object(j, "split", hd_real("even", r->split_even), hd_real("best", r->split_best),
                   hd_real("bound", r->split_bound), hd_uint("samples", r->split_samples));
    if (row->packets_runs)
        hd_json_object(j, "simulated", hd_real("value", row->packets), hd_real("ci", row->packets_ci),
                       hd_uint("runs", row->packets_runs), hd_text("model", row->packets_model),
                       hd_text("choosing", row->choosing), hd_uint("dropped", row->packets_dropped));
}

static void json_row(struct hd_json *j, const struct eval_row *row, bool timing)
{
    const struct hd_result *r = &row->result;
    hd_json_open(j, NULL, '{');
    hd_json_fields(j, hd_text("net", row->net), hd_text("table", row->table), hd_text_if("pattern", r->pattern),
                   hd_text_if("metric", r->metric));
    if (row->applies) {
        hd_json_fields(j, hd_real("value", r->value), hd_real("ci", r->ci), hd_real("min", r->min),
                       hd_real("p5", r->p5), hd_real("median", r->median), hd_real("p95", r->p95),
                       hd_real("max", r->max), hd_real("ratio", row->ratio), hd_uint("samples", r->samples),
                       hd_uint("unserved", r->unserved), hd_real("bound", r->bound),
                       hd_text_if("bound_name", r->bound_name));
        if (!isnan(r->fluid)) json_adaptive(j, row);
    } else {
        hd_json_fields(j, hd_text("value", NULL));
    }
    const char *note = row->applies ? r->note : row->reason;
    hd_json_fields(j, hd_text_if("note", note));
    if (timing) {
        hd_json_object(j, "timing", hd_real("route_seconds", row->route_seconds),
                       hd_real("eval_seconds", row->eval_seconds));
    }
    hd_json_close(j, '}');
}

static void print_eval_json(struct cli *cli, const struct eval_row *row, int n)
{
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_open(&j, "rows", '[');
    for (int i = 0; i < n; i++) json_row(&j, &row[i], cli->v.timing);
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

static void csv_real(struct hd_out *o, double value)
{
    if (!isnan(value)) hd_printf(o, "%.9g", value);
    hd_puts(o, ",");
}

static void print_eval_csv(const struct cli *cli, const struct eval_row *row, int n)
{
    struct hd_out *o = cli->out;
    hd_puts(o,
            "net,table,pattern,metric,value,ci,samples,min,p5,median,p95,max,ratio,bound,bound_name,unserved,note\n");
    for (int i = 0; i < n; i++) {
        const struct hd_result *r = &row[i].result;
        bool is = row[i].applies;
        put_csv(o, row[i].net);
        put_csv(o, row[i].table);
        put_csv(o, r->pattern);
        put_csv(o, r->metric);
        csv_real(o, is ? r->value : NAN);
        csv_real(o, is ? r->ci : NAN);
        hd_printf(o, "%llu,", (unsigned long long)r->samples);
        const double more[] = {r->min, r->p5, r->median, r->p95, r->max, row[i].ratio, r->bound};
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) csv_real(o, is ? more[k] : NAN);
        put_csv(o, is ? r->bound_name : "");
        hd_printf(o, "%llu,", (unsigned long long)r->unserved);
        hd_put_csv(o, is ? r->note : row[i].reason, false);
        hd_puts(o, "\n");
    }
}

/* What there is no figure for is a dash. */
static void text_real(struct table *t, double value, int digits)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, "%.*f", digits, value);
}

static void text_numbers(struct table *t, const struct eval_row *row)
{
    const struct hd_result *r = &row->result;
    text_real(t, r->value, 4);
    text_real(t, r->ci, 4);
    table_cell(t, "%llu", (unsigned long long)r->samples);
    const double spread[] = {r->min, r->p5, r->median, r->p95, r->max};
    for (int k = 0; k < 5; k++) text_real(t, spread[k], 4);
    text_real(t, row->ratio, 3);
    if (isnan(r->bound))
        table_cell(t, "-");
    else
        table_cell(t, "%.4f %s", r->bound, r->bound_name);
}

/* What of the switches or of the packets must be known beside the simulated figure. */
static const char *text_choosing(const struct eval_row *row)
{
    const char *how = row->choosing;
    if (row->packets_dropped) return " with packets dropped";
    if (strcmp(how, "hash") == 0) return ", flows hashed";
    if (strcmp(how, "bounded") == 0) return ", flows bound to ports";
    return strcmp(how, "mixed") == 0 ? ", LIDs of several states" : "";
}

/* The figures of adaptive routing beside the value, which is that of the static ports. */
static void text_adaptive(struct table *t, const struct eval_row *row)
{
    const struct hd_result *r = &row->result;
    char split[160] = "", packets[64] = "";
    if (!isnan(r->split_best))
        snprintf(split, sizeof split, "; all flows at once %.4f, best split %.4f to %.4f", r->split_even, r->split_best,
                 r->split_bound);
    if (!isnan(row->packets))
        snprintf(packets, sizeof packets, "; simulated %.4f%s", row->packets, text_choosing(row));
    else if (row->packets_runs)
        snprintf(packets, sizeof packets, "; DEADLOCK when simulated");
    table_cell(t, "static ports; even split over groups %.4f%s%s", r->fluid, split, packets);
}

static hd_status print_eval_text(struct cli *cli, const struct eval_row *row, int n)
{
    struct table t;
    bool timing = cli->v.timing;
    hd_status s = table_init(
        cli->ctx, &t,
        timing ? "net|table|pattern|metric|>value|>ci|~>samples|~>min|~>p5|~>median|~>p95|~>max|>ratio|bound|>route s|"
                 ">eval s|note"
               : "net|table|pattern|metric|>value|>ci|~>samples|~>min|~>p5|~>median|~>p95|~>max|>ratio|bound|note");
    if (s != HD_OK) return s;
    for (int i = 0; i < n; i++) {
        const struct hd_result *r = &row[i].result;
        table_cell(&t, "%s", row[i].net);
        table_cell(&t, "%s", row[i].table);
        table_cell(&t, "%s", *r->pattern ? r->pattern : "-");
        table_cell(&t, "%s", *r->metric ? r->metric : "-");
        if (row[i].applies)
            text_numbers(&t, &row[i]);
        else
            for (int k = 0; k < 10; k++) table_cell(&t, "-");
        if (timing) {
            table_cell(&t, "%.3f", row[i].route_seconds);
            table_cell(&t, "%.3f", row[i].eval_seconds);
        }
        if (row[i].applies && !isnan(r->fluid) && !no_choice_arrives(r))
            text_adaptive(&t, &row[i]);
        else if (r->unserved)
            table_cell(&t, "%llu flow%s no path", (unsigned long long)r->unserved,
                       r->unserved == 1 ? " has" : "s have");
        else
            table_cell(&t, "%s", row[i].applies ? r->note : row[i].reason);
    }
    table_print(&t, cli->out);
    return HD_OK;
}

/* ---- the command ---------------------------------------------------------------------------- */

static hd_status set_samples(struct cli *cli, struct hd_request *q)
{
    if (cli->v.number.given && cli->v.ci.given) return usage_error(cli, "--number and --ci exclude each other");
    q->samples = cli->v.number.value; /* 0: the library's default */
    q->ci = cli->v.ci.value;
    return HD_OK;
}

static void find_kinds(const struct cli *cli, const char *text, bool *engine, bool *topology)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    *engine = hd_registry_find(cli->ctx, HD_ENGINES, name);
    *topology = hd_registry_find(cli->ctx, HD_TOPOLOGIES, name);
}

static bool is_engine(const struct cli *cli, const char *text)
{
    bool engine, topology;
    find_kinds(cli, text, &engine, &topology);
    return engine && !topology;
}

/* The first argument is a network; after it networks and tables come in any order. A name both have
 * (random) is an engine unless it has a key of the topology; a file is recognised by its first lines. */
static hd_status find_table(const struct cli *cli, const char *text, bool *table)
{
    struct stat st;
    bool engine, topology;
    find_kinds(cli, text, &engine, &topology);
    *table = engine || (!topology && stat(text, &st) != 0);
    if (engine && topology) *table = !strstr(text, "switches=") && !strstr(text, "ports=") && !strstr(text, "hosts=");
    return engine || topology || *table ? HD_OK : hd_file_is_table(cli->ctx, text, table);
}

/* A folder has a network and tables: named again, it is a table. */
static bool is_bundle(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (S_ISDIR(st.st_mode) || strstr(path, ".tar") || strstr(path, ".tgz"));
}

void note_unserved(struct cli *cli, const char *table, const char *net, uint64_t n, bool chosen)
{
    if (!n) return;
    hd_note(cli->ctx, "%s on %s: %llu flow%s no path%s and count%s as 0 %s", table, net, (unsigned long long)n,
            n == 1 ? " has" : "s have", chosen ? " along the static ports" : "", n == 1 ? "s" : "",
            chosen ? "there; groups of ports have paths for them"
                   : "(several connected components? see --part and --rail; 'heddle check' shows them)");
}

void note_long_paths(struct cli *cli, const struct hd_routes *r, const struct hd_check *k)
{
    if (k->max_hops > HD_MAX_HOPS)
        hd_note(cli->ctx,
                "%.200s on %.200s: paths of up to %u channels; pairs with more than %d are left out of all loads and "
                "simulations",
                hd_routes_spec(r), hd_routes_net(r)->spec, k->max_hops, HD_MAX_HOPS);
}

static hd_status eval_all(struct eval_command *e, const char *const *nets, int nnets, const char *const *tables,
                          int ntables)
{
    struct cli *cli = e->cli;
    const struct words *metric = &cli->v.metric;
    int nmetrics = metric->n ? metric->n : 1, n = nnets * nmetrics * ntables;
    struct eval_row *row = calloc((size_t)n, sizeof *row);
    hd_status s = row ? open_csv(e) : hd_fail_memory(cli->ctx);
    for (int i = 0; i < nnets && s == HD_OK; i++) {
        struct hd_net *net;
        s = open_net_named(cli, nets[i], &net);
        if (s != HD_OK) break;
        e->net = net;
        e->net_text = nets[i];
        for (int m = 0; m < nmetrics && s == HD_OK; m++) {
            if (metric->n) e->q.metric = metric->word[m];
            s = compare_tables(e, tables, ntables, row + (i * nmetrics + m) * ntables);
        }
        hd_net_free(net);
    }
    if (s == HD_OK && cli->v.json)
        print_eval_json(cli, row, n);
    else if (s == HD_OK && cli->v.csv)
        print_eval_csv(cli, row, n);
    else if (s == HD_OK)
        s = print_eval_text(cli, row, n);
    for (int i = 0; s == HD_OK && i < n; i++)
        note_unserved(cli, row[i].table, row[i].net, row[i].result.unserved, !isnan(row[i].result.split_best));
    for (int i = 0; row && i < n; i++) {
        free(row[i].net);
        free(row[i].table);
    }
    free(row);
    if (e->loads) s = hd_out_end(cli->ctx, e->loads, s);
    if (e->samples) s = hd_out_end(cli->ctx, e->samples, s);
    return s;
}

hd_status run_eval(struct cli *cli)
{
    const char *nets[MAX_ARGS], *tables[MAX_ARGS];
    int nnets = 0, ntables = 0;
    struct eval_command e = {.cli = cli,
                             .q = {.pattern = cli->v.pattern ? cli->v.pattern : "bisect",
                                   .metric = "ebb",
                                   .ranks = cli->v.ranks,
                                   .checkpoint = cli->v.checkpoint}};
    hd_status s = set_samples(cli, &e.q);
    if (s == HD_OK && cli->v.json && cli->v.csv) s = usage_error(cli, "--json and --csv exclude each other");
    if (s == HD_OK && cli->v.metric.n > 1 && (cli->v.loads || cli->v.samples || cli->v.checkpoint))
        s = usage_error(cli, "--loads, --samples and --checkpoint are of one metric, %d were given", cli->v.metric.n);
    if (s == HD_OK && is_engine(cli, cli->arg[0]))
        s = usage_error(cli, "eval: '%.60s' is an engine, networks come before tables", cli->arg[0]);
    for (int i = 0; i < cli->nargs && s == HD_OK; i++) {
        bool table = false;
        if (i > 0) s = find_table(cli, cli->arg[i], &table);
        for (int k = 0; k < nnets; k++) table |= is_bundle(nets[k]) && strcmp(nets[k], cli->arg[i]) == 0;
        if (table)
            tables[ntables++] = cli->arg[i];
        else
            nets[nnets++] = cli->arg[i];
    }
    if (s == HD_OK && ntables == 0) s = usage_error(cli, "eval: expected NET... TABLE...: no table given");
    return s == HD_OK ? eval_all(&e, nets, nnets, tables, ntables) : s;
}
