/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle explain: two samples of port counters beside what the running jobs are predicted to send: links that wait, by
 * cause, with both ends. */
#include "cli.h"
#include "table.h"
#include "tool/explain.h"

#include <math.h>
#include <string.h>

enum { ROWS = 20 }; /* of a cause, in the table for people */

/* ---- JSON ----------------------------------------------------------------------------------- */

static void explain_json_end(struct hd_json *j, const char *key, const struct hd_net *net, uint32_t c)
{
    const uint32_t v = net->tail[c];
    char guid[24];
    snprintf(guid, sizeof guid, "0x%016llx", (unsigned long long)net->guid[v]);
    hd_json_object(j, key, hd_text("node", hd_node_label(net, v)), hd_text("guid", guid),
                   hd_uint("port", net->port[c]));
}

static void explain_json_ends(struct hd_json *j, const struct hd_net *net, uint32_t c)
{
    explain_json_end(j, "from", net, c);
    explain_json_end(j, "to", net, net->rev[c]);
}

static void explain_json_link(struct hd_json *j, const struct hd_net *net, const struct hd_explain_link *l)
{
    hd_json_open(j, NULL, '{');
    explain_json_ends(j, net, l->chan);
    hd_json_fields(j, hd_text("cause", hd_cause_name(l->cause)), hd_real("rate", l->rate), hd_real("sent", l->sent),
                   hd_real("received", l->received), hd_real("lost", l->lost), hd_bool("at_least", l->at_least),
                   hd_real("load", l->load), hd_real("peak", l->peak), hd_uint("errors", l->errors),
                   hd_text("why", l->why));
    if (l->root == l->chan) {
        hd_json_fields(j, hd_text("at", NULL));
    } else {
        hd_json_open(j, "at", '{');
        explain_json_ends(j, net, l->root);
        hd_json_close(j, '}');
    }
    hd_json_close(j, '}');
}

static void print_explain_json(const struct cli *cli, const struct hd_routes *r, const struct hd_explain *x)
{
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_text("net", x->net->spec), hd_text("table", hd_routes_spec(r)),
                   hd_real("seconds", x->seconds), hd_uint("ports", x->ports), hd_uint("in_both", x->both),
                   hd_uint("reset", x->reset), hd_uint("stopped", x->stopped), hd_uint("unknown_ports", x->strangers),
                   hd_uint("jobs", x->njob), hd_uint("nodes", x->njobnode), hd_real("lost", x->lost));
    hd_json_open(&j, "causes", '{');
    for (int i = 0; i < HD_CAUSES; i++) hd_json_fields(&j, hd_uint(hd_cause_name((enum hd_cause)i), x->count[i]));
    hd_json_close(&j, '}');
    hd_json_open(&j, "links", '[');
    for (uint32_t i = 0; i < x->n; i++) explain_json_link(&j, x->net, &x->link[i]);
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

/* ---- text ----------------------------------------------------------------------------------- */

static void explain_number(struct table *t, double value, const char *before)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, "%s%.1f", before, value);
}

static void explain_row(struct table *t, const struct hd_net *net, const struct hd_explain_link *l)
{
    const uint32_t c = l->chan, r = l->root;
    table_cell(t, "%s", hd_node_label(net, net->tail[c]));
    table_cell(t, "%u", net->port[c]);
    table_cell(t, "%s", hd_node_label(net, net->head[c]));
    table_cell(t, "%u", net->port[net->rev[c]]);
    explain_number(t, l->rate, "");
    explain_number(t, l->sent, "");
    explain_number(t, l->lost, l->at_least ? ">" : "");
    table_cell(t, "%.2f", l->load);
    if (r == c)
        table_cell(t, "%s", l->why);
    else
        table_cell(t, "at %s port %u to %s: %s", hd_node_label(net, net->tail[r]), net->port[r],
                   hd_node_label(net, net->head[r]), l->why);
}

static hd_status explain_cause(const struct cli *cli, const struct hd_explain *x, enum hd_cause cause, uint32_t first)
{
    static const char *const titles[] = {[HD_CAUSE_SICK] = "sick link",
                                         [HD_CAUSE_RECEIVER] = "receiver",
                                         [HD_CAUSE_ROUTING] = "routing",
                                         [HD_CAUSE_OTHER] = "other job"};
    struct table t;
    char head[160];
    const uint32_t n = x->count[cause], shown = n < ROWS ? n : ROWS;
    snprintf(head, sizeof head, "%s|>port|to|>port|>Gb/s|>sent|>lost|>load|why", titles[cause]);
    hd_status s = table_init(cli->ctx, &t, head);
    if (s != HD_OK) return s;
    for (uint32_t i = first; i < first + shown; i++) explain_row(&t, x->net, &x->link[i]);
    hd_puts(cli->out, "\n");
    table_print(&t, cli->out);
    if (shown < n) hd_printf(cli->out, "and %u more (--json lists all)\n", n - shown);
    return HD_OK;
}

static hd_status print_explain_text(const struct cli *cli, const struct hd_routes *r, const struct hd_explain *x)
{
    struct hd_out *o = cli->out;
    put_name(o, "network", x->net->spec);
    put_name(o, "table", hd_routes_spec(r));
    hd_printf(o, "counters         %.6g s between the samples%s, %u of %u ports in both", x->seconds,
              x->file_times ? " (by the times of the files)" : "", x->both, x->ports);
    if (x->reset) hd_printf(o, ", %u reset", x->reset);
    if (x->stopped) hd_printf(o, ", %u stopped", x->stopped);
    if (x->strangers) hd_printf(o, ", %u that this network does not have", x->strangers);
    if (x->njob)
        hd_printf(o, "\njobs             %u on %u nodes\n", x->njob, x->njobnode);
    else if (x->listed)
        hd_puts(o, "\njobs             none of those listed is running: no load is predicted\n");
    else
        hd_puts(o, "\njobs             none listed: loads are those of random pairs of all endpoints\n");
    hd_printf(o, "lost             %.1f Gb/s\n", x->lost);
    hd_printf(o, "links            %u: %u sick, %u by receiver, %u by routing, %u by other jobs\n", x->n,
              x->count[HD_CAUSE_SICK], x->count[HD_CAUSE_RECEIVER], x->count[HD_CAUSE_ROUTING],
              x->count[HD_CAUSE_OTHER]);
    hd_status s = HD_OK;
    for (uint32_t i = 0, first = 0; s == HD_OK && i < HD_CAUSES; first += x->count[i++])
        if (x->count[i]) s = explain_cause(cli, x, (enum hd_cause)i, first);
    return s;
}

/* ---- the command ---------------------------------------------------------------------------- */

static hd_status explain_print(struct cli *cli, const struct hd_routes *r, const struct hd_explain_in *in)
{
    struct hd_explain *x;
    hd_status s = hd_explain(cli->ctx, r, in, &x);
    if (s != HD_OK) return s;
    if (cli->v.json)
        print_explain_json(cli, r, x);
    else
        s = print_explain_text(cli, r, x);
    if (s == HD_OK && x->count[HD_CAUSE_SICK]) s = HD_FAULT;
    hd_explain_free(x);
    return s;
}

hd_status run_explain(struct cli *cli)
{
    struct hd_net *net;
    struct hd_routes *r = NULL;
    char before[4096];
    const char *both = cli->v.counters, *comma = both ? strchr(both, ',') : NULL;
    const size_t n = comma ? (size_t)(comma - both) : 0;
    if (!both) return usage_error(cli, "explain: expected --counters BEFORE,AFTER");
    if (!n || !comma[1] || strchr(comma + 1, ',') || n >= sizeof before)
        return usage_error(cli, "--counters %.200s: expected two files with a comma between them", both);
    snprintf(before, sizeof before, "%.*s", (int)n, both);
    const struct hd_explain_in in = {.before = before,
                                     .after = comma + 1,
                                     .jobs = cli->v.jobs,
                                     .seconds = cli->v.seconds.given ? cli->v.seconds.value : 0};
    hd_status s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    s = hd_routes_open(cli->ctx, net, cli->arg[1], &r);
    if (s == HD_OK) s = explain_print(cli, r, &in);
    hd_routes_free(r);
    hd_net_free(net);
    return s;
}
