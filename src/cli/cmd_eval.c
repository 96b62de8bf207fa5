/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle eval: measure tables under a pattern and compare them. */
#include "cli.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char *net, *table; /* canonical, copies */
    struct hd_result result;
    bool applies;
    char reason[512]; /* why not */
    double ratio;     /* to the first table of its network */
    int order;
};

static int better_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->applies != y->applies) return x->applies ? -1 : 1;
    if (x->applies && x->result.value != y->result.value)
        return (x->result.value > y->result.value) == x->result.higher_is_better ? -1 : 1;
    return x->order - y->order;
}

static hd_status measure(struct cli *cli, const struct hd_net *net, const char *table, const struct hd_request *q, struct row *row)
{
    struct hd_routes *r;
    hd_status s = hd_routes_open(&cli->ctx, net, table, &r);
    if (s != HD_OK) return s;
    s = hd_eval(&cli->ctx, r, q, &row->result);
    row->table = strdup(hd_routes_spec(r));
    row->applies = s == HD_OK;
    hd_routes_free(r);
    return s;
}

/* All tables on one network, best first; in a comparison an engine that does not apply is a row too. */
static hd_status compare(struct cli *cli, const struct hd_net *net, const char *const *tables, int n, const struct hd_request *q, struct row *row)
{
    for (int i = 0; i < n; i++) {
        row[i] = (struct row){.net = strdup(net->spec), .order = i};
        hd_status s = measure(cli, net, tables[i], q, &row[i]);
        if (s == HD_INPUT && n > 1 && strstr(cli->ctx.error, "does not apply")) {
            row[i].table = strdup(tables[i]);
            snprintf(row[i].reason, sizeof row[i].reason, "%.500s", cli->ctx.error);
        } else if (s != HD_OK) {
            return s;
        }
    }
    double first = row[0].applies ? row[0].result.value : 0;
    for (int i = 0; i < n; i++) row[i].ratio = first > 0 && row[i].applies ? row[i].result.value / first : 0;
    qsort(row, (size_t)n, sizeof *row, better_first);
    return HD_OK;
}

static void print_json(struct cli *cli, const struct row *row, int n)
{
    struct hd_json j;
    hd_json_init(&j, cli->out);
    hd_json_open(&j, NULL, '{');
    hd_json_uint(&j, "schema", 1);
    hd_json_open(&j, "rows", '[');
    for (int i = 0; i < n; i++) {
        const struct hd_result *r = &row[i].result;
        hd_json_open(&j, NULL, '{');
        hd_json_text(&j, "net", row[i].net);
        hd_json_text(&j, "table", row[i].table);
        if (row[i].applies) {
            hd_json_text(&j, "pattern", *r->pattern ? r->pattern : NULL);
            hd_json_text(&j, "metric", r->metric);
            hd_json_real(&j, "value", r->value);
            hd_json_real(&j, "ci", r->ci);
            hd_json_uint(&j, "samples", r->samples);
            hd_json_real(&j, "min", r->min);
            hd_json_real(&j, "p5", r->p5);
            hd_json_real(&j, "median", r->median);
            hd_json_real(&j, "p95", r->p95);
            hd_json_real(&j, "max", r->max);
            hd_json_uint(&j, "unserved", r->unserved);
            hd_json_real(&j, "ratio", row[i].ratio);
            hd_json_text(&j, "note", *r->note ? r->note : NULL);
        } else {
            hd_json_null(&j, "value");
            hd_json_text(&j, "note", row[i].reason);
        }
        hd_json_close(&j, '}');
    }
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

static hd_status print_text(struct cli *cli, const struct row *row, int n, bool many)
{
    struct table t;
    hd_status s = table_init(&cli->ctx, &t, "net|table|pattern|metric|>value|>ci|>samples|>min|>p5|>median|>p95|>max|>ratio|note");
    if (s != HD_OK) return s;
    (void)many;
    for (int i = 0; i < n; i++) {
        const struct hd_result *r = &row[i].result;
        table_cell(&t, "%s", row[i].net);
        table_cell(&t, "%s", row[i].table);
        table_cell(&t, "%s", *r->pattern ? r->pattern : "-");
        table_cell(&t, "%s", *r->metric ? r->metric : "-");
        if (row[i].applies) {
            table_cell(&t, "%.4f", r->value);
            table_cell(&t, "%.4f", r->ci);
            table_cell(&t, "%llu", (unsigned long long)r->samples);
            const double quantiles[] = {r->min, r->p5, r->median, r->p95, r->max};
            for (int k = 0; k < 5; k++) table_cell(&t, "%.4f", quantiles[k]);
            table_cell(&t, "%.3f", row[i].ratio);
            if (r->unserved) table_cell(&t, "%llu flows have no path", (unsigned long long)r->unserved);
            else table_cell(&t, "%s", r->note);
        } else {
            for (int k = 0; k < 9; k++) table_cell(&t, "-");
            table_cell(&t, "%s", row[i].reason);
        }
    }
    table_print(&t, cli->out);
    return HD_OK;
}

static hd_status parse_samples(struct cli *cli, struct hd_request *q)
{
    char *end;
    if (cli->v.samples) {
        q->samples = strtoull(cli->v.samples, &end, 10);
        if (*end || *cli->v.samples == '-' || !q->samples || q->samples > 1000000000)
            return usage_error(cli, "-n %.40s: expected a number of samples from 1 to 1000000000", cli->v.samples);
    }
    if (cli->v.ci) {
        q->ci = strtod(cli->v.ci, &end);
        if (*end || !(q->ci >= 1e-5 && q->ci < 1)) return usage_error(cli, "--ci %.40s: expected a width from 0.00001 to 1", cli->v.ci);
        if (cli->v.samples) return usage_error(cli, "-n and --ci exclude each other");
    }
    return HD_OK;
}

/* Networks and tables may come in any order after the first, which is a network. */
static bool is_table(const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    bool engine = hd_registry_find(HD_ENGINES, name), topology = hd_registry_find(HD_TOPOLOGIES, name);
    if (engine && topology) return !strstr(text, "switches=") && !strstr(text, "ports=") && !strstr(text, "hosts=");
    return engine || (!topology && hd_routes_is_table(text));
}

hd_status run_eval(struct cli *cli)
{
    const char *nets[MAX_ARGS], *tables[MAX_ARGS];
    int nnets = 0, ntables = 0;
    struct hd_request q = {.pattern = cli->v.pattern ? cli->v.pattern : "bisect", .metric = cli->v.metric ? cli->v.metric : "ebb",
                           .ranks = cli->v.ranks};
    hd_status s = parse_samples(cli, &q);
    for (int i = 0; i < cli->nargs; i++) {
        if (i > 0 && is_table(cli->arg[i])) tables[ntables++] = cli->arg[i];
        else nets[nnets++] = cli->arg[i];
    }
    if (s == HD_OK && ntables == 0) s = usage_error(cli, "eval: expected NET... TABLE...: no table given");
    if (s != HD_OK) return s;
    struct row *row = calloc((size_t)(nnets * ntables), sizeof *row);
    if (!row) return usage_error(cli, "out of memory");
    for (int i = 0; i < nnets && s == HD_OK; i++) {
        struct hd_net *net;
        s = hd_net_open(&cli->ctx, nets[i], &cli->v.open, &net);
        if (s != HD_OK) break;
        s = compare(cli, net, tables, ntables, &q, row + i * ntables);
        hd_net_free(net);
    }
    if (s == HD_OK && cli->v.json) print_json(cli, row, nnets * ntables);
    else if (s == HD_OK) s = print_text(cli, row, nnets * ntables, ntables > 1);
    for (int i = 0; i < nnets * ntables; i++) {
        free((char *)row[i].net);
        free((char *)row[i].table);
    }
    free(row);
    return s;
}
