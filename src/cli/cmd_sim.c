/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle sim: a pattern simulated packet by packet, printed as a table or JSON, with CSV files per channel, run and
 * interval on request. */
#include "cli.h"
#include "table.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

enum { INTERVALS = 1 << 20 }; /* a time series has at most this many */

struct sim {
    struct cli *cli;
    struct hd_sim_request q;
    struct hd_sim_result result;
    struct hd_out *channels, *samples, *series; /* CSV files, NULL: not asked for */
    const struct hd_net *net;
    const char *table; /* canonical */
    double route_seconds, sim_seconds;
};

/* ---- options -------------------------------------------------------------------------------- */

/* Numbers that are not given stay 0: the model or the library has the default. */
static hd_status set_request(struct cli *cli, struct hd_sim_request *q)
{
    const struct values *v = &cli->v;
    if (v->trace && v->pattern) return usage_error(cli, "--pattern and --trace exclude each other");
    if (v->interval.given && !v->series) return usage_error(cli, "--interval goes with --series");
    *q = (struct hd_sim_request){.pattern = v->pattern,
                                 .trace = v->trace,
                                 .selector = v->select,
                                 .model = v->model,
                                 .ranks = v->ranks,
                                 .size = v->size.value,
                                 .messages = v->messages.value,
                                 .stages = v->stages.value,
                                 .samples = v->number.value,
                                 .interval = v->interval.given ? v->interval.value : 10000};
    if (!q->pattern && !q->trace) q->pattern = "bisect";
    return HD_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void sim_put_sample(void *user, uint64_t i, const struct hd_sim_sample *s)
{
    const struct sim *sim = user;
    hd_printf(sim->samples, "%llu,%.9g,%.9g,%.9g,%.9g,%llu,%llu,%llu,%llu,%llu,%d\n", (unsigned long long)i,
              s->fraction, s->min, s->max, s->fairness, (unsigned long long)s->time, (unsigned long long)s->packets,
              (unsigned long long)s->events, (unsigned long long)s->changes, (unsigned long long)s->settled,
              s->deadlock);
}

static hd_status open_sim_files(struct sim *sim)
{
    struct hd_ctx *ctx = sim->cli->ctx;
    const struct values *v = &sim->cli->v;
    hd_status s = v->channels ? hd_out_open(ctx, v->channels, &sim->channels) : HD_OK;
    if (s == HD_OK && v->samples) s = hd_out_open(ctx, v->samples, &sim->samples);
    if (s == HD_OK && v->series) s = hd_out_open(ctx, v->series, &sim->series);
    if (s != HD_OK) return s;
    if (sim->samples) {
        hd_puts(sim->samples, "sample,fraction,min,max,fairness,time_ns,packets,events,changes,settled_ns,deadlock\n");
        sim->q.sample = sim_put_sample;
        sim->q.user = sim;
    }
    if (sim->channels) {
        sim->q.busy = calloc(sim->net->nchan + 1, sizeof *sim->q.busy);
        sim->q.blocked = calloc(sim->net->nchan + 1, sizeof *sim->q.blocked);
        if (!sim->q.busy || !sim->q.blocked) return hd_fail_memory(sim->cli->ctx);
    }
    if (sim->series) {
        sim->q.nseries = INTERVALS;
        sim->q.series = calloc(INTERVALS, sizeof *sim->q.series);
        if (!sim->q.series) return hd_fail_memory(sim->cli->ctx);
    }
    return HD_OK;
}

static void put_channels(const struct sim *sim)
{
    const struct hd_net *net = sim->net;
    double total = sim->result.time * (double)sim->result.samples;
    hd_puts(sim->channels, "from,from_port,to,to_port,busy_ns,blocked_ns,utilisation,blocked\n");
    for (uint32_t c = 0; c < net->nchan; c++) {
        hd_put_csv(sim->channels, hd_node_name(net, net->tail[c]), true);
        hd_printf(sim->channels, ",%u,", net->port[c]);
        hd_put_csv(sim->channels, hd_node_name(net, net->head[c]), true);
        hd_printf(sim->channels, ",%u,%llu,%llu,%.6f,%.6f\n", net->port[net->rev[c]],
                  (unsigned long long)sim->q.busy[c], (unsigned long long)sim->q.blocked[c],
                  total > 0 ? (double)sim->q.busy[c] / total : 0, total > 0 ? (double)sim->q.blocked[c] / total : 0);
    }
}

static void put_series(const struct sim *sim)
{
    uint64_t n = INTERVALS;
    while (n && !sim->q.series[n - 1]) n--;
    hd_puts(sim->series, "from_ns,bytes,rate_MBps\n");
    for (uint64_t i = 0; i < n; i++)
        hd_printf(sim->series, "%llu,%llu,%.6g\n", (unsigned long long)(i * sim->q.interval),
                  (unsigned long long)sim->q.series[i],
                  (double)sim->q.series[i] * 1000 / (double)sim->q.interval / (double)sim->result.samples);
    if (sim->result.time_max / sim->q.interval >= INTERVALS)
        hd_note(sim->cli->ctx, "%s", "the time series ends before the simulation: use a longer --interval");
}

static hd_status close_sim_files(struct sim *sim, hd_status s)
{
    struct hd_out *all[] = {sim->channels, sim->samples, sim->series};
    if (s <= HD_FAULT && sim->channels) put_channels(sim);
    if (s <= HD_FAULT && sim->series) put_series(sim);
    for (int i = 0; i < 3; i++) {
        if (s > HD_FAULT || !all[i]) {
            hd_out_drop(all[i]);
            continue;
        }
        hd_status closed = hd_out_close(sim->cli->ctx, all[i]);
        if (closed != HD_OK) s = closed;
    }
    free(sim->q.busy);
    free(sim->q.blocked);
    free(sim->q.series);
    return s;
}

/* ---- printing ------------------------------------------------------------------------------- */

static void json_deadlock(struct hd_json *j, const struct sim *sim)
{
    const struct hd_sim_result *r = &sim->result;
    const struct hd_net *net = sim->net;
    hd_json_fields(j, hd_uint("deadlocks", r->deadlocks));
    if (!r->deadlocks) {
        hd_json_fields(j, hd_text("cycle", NULL));
        return;
    }
    hd_json_fields(j, hd_uint("cycle_lane", r->cycle_lane));
    hd_json_open(j, "cycle", '[');
    for (uint32_t i = 0; i < r->ncycle && i < 64; i++)
        hd_json_object(j, NULL, hd_text("from", hd_node_name(net, net->tail[r->cycle[i]])),
                       hd_uint("port", net->port[r->cycle[i]]),
                       hd_text("to", hd_node_name(net, net->head[r->cycle[i]])));
    hd_json_close(j, ']');
}

static void json_numbers(struct hd_json *j, const struct hd_sim_result *r)
{
    hd_json_fields(
        j, hd_real("fraction", r->fraction), hd_real("min", r->min), hd_real("max", r->max),
        hd_real("sender_min", r->sender_min), hd_real("sender_max", r->sender_max), hd_real("fairness", r->fairness),
        hd_real("ceiling_MBps", r->ceiling), hd_real("bandwidth_MBps", r->bandwidth), hd_real("time_ns", r->time),
        hd_real("settled_ns", r->settled), hd_real("settled_bytes", r->settled_bytes), hd_uint("samples", r->samples),
        hd_uint("packets", r->packets), hd_uint("events", r->events), hd_uint("bytes", r->bytes),
        hd_uint("reordered", r->reordered), hd_uint("dropped", r->dropped), hd_uint("unserved", r->unserved),
        hd_uint("changes", r->changes), hd_uint("probes", r->probes), hd_uint("latency_min", r->latency_min),
        hd_uint("latency_p50", r->latency_p50), hd_uint("latency_p95", r->latency_p95),
        hd_uint("latency_p99", r->latency_p99), hd_uint("latency_max", r->latency_max),
        hd_uint("time_max_ns", r->time_max), hd_real("ci", r->ci), hd_real("bandwidth_Gbps", r->bandwidth * 8 / 1000),
        hd_real("latency_mean", r->latency_mean), hd_real("predicted_ns", r->predicted));
}

static void print_sim_json(const struct sim *sim)
{
    const struct hd_sim_result *r = &sim->result;
    struct hd_json j;
    hd_json_begin(&j, sim->cli->out);
    hd_json_open(&j, "rows", '[');
    hd_json_open(&j, NULL, '{');
    hd_json_fields(&j, hd_text("net", sim->net->spec), hd_text("table", sim->table), hd_text_if("pattern", r->pattern),
                   hd_text("selector", r->selector), hd_text("model", r->model), hd_text("parameters", r->parameters));
    json_numbers(&j, r);
    json_deadlock(&j, sim);
    if (sim->cli->v.timing) {
        hd_json_object(&j, "timing", hd_real("route_seconds", sim->route_seconds),
                       hd_real("sim_seconds", sim->sim_seconds),
                       hd_real("packets_per_second", (double)r->packets / sim->sim_seconds),
                       hd_real("events_per_second", (double)r->events / sim->sim_seconds));
    }
    hd_json_close(&j, '}');
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

static hd_status print_sim_table(const struct sim *sim)
{
    const struct hd_sim_result *r = &sim->result;
    struct table t;
    hd_status s = table_init(
        sim->cli->ctx, &t,
        "net|table|pattern|selector|>runs|>fraction|~>min|~>max|~>fairness|>MB/s|>time us|~>predicted us|~>p50 "
        "us|~>p99 us|~>packets|~>events");
    if (s != HD_OK) return s;
    table_cell(&t, "%s", sim->net->spec);
    table_cell(&t, "%s", sim->table);
    table_cell(&t, "%s", *r->pattern ? r->pattern : "trace");
    table_cell(&t, "%s", r->selector);
    table_cell(&t, "%llu", (unsigned long long)r->samples);
    const double shares[] = {r->fraction, r->min, r->max, r->fairness};
    for (int i = 0; i < 4; i++) table_cell(&t, "%.4f", shares[i]);
    table_cell(&t, "%.1f", r->bandwidth);
    table_cell(&t, "%.1f", r->time / 1000);
    if (isnan(r->predicted))
        table_cell(&t, "-");
    else
        table_cell(&t, "%.1f", r->predicted / 1000);
    table_cell(&t, "%.2f", (double)r->latency_p50 / 1000);
    table_cell(&t, "%.2f", (double)r->latency_p99 / 1000);
    table_cell(&t, "%llu", (unsigned long long)r->packets);
    table_cell(&t, "%llu", (unsigned long long)r->events);
    table_print(&t, sim->cli->out);
    return HD_OK;
}

static hd_status print_sim_text(const struct sim *sim)
{
    const struct hd_sim_result *r = &sim->result;
    const struct hd_net *net = sim->net;
    struct hd_out *o = sim->cli->out;
    hd_status s = print_sim_table(sim);
    if (s != HD_OK) return s;
    hd_printf(o, "model %.*s: %s\n", (int)strcspn(r->model, ":"), r->model, r->parameters);
    hd_printf(o, "ceiling %.1f MB/s; single senders %.4f to %.4f of it; packet latency %llu to %llu ns\n", r->ceiling,
              r->sender_min, r->sender_max, (unsigned long long)r->latency_min, (unsigned long long)r->latency_max);
    hd_printf(o, "a sender gets %.1f Gb/s", r->bandwidth * 8 / 1000);
    if (r->samples > 1)
        hd_printf(o, ", %.4f +- %.4f of its own rate (99 %% of %llu runs)", r->fraction, r->ci / 2,
                  (unsigned long long)r->samples);
    hd_puts(o, "\n");
    if (r->reordered)
        hd_printf(o, "%llu packets overtaken by later ones of their flow\n", (unsigned long long)r->reordered);
    if (r->changes)
        hd_printf(o, "%llu route changes, %llu probes; the last change after %.0f us, %.0f bytes of the sender\n",
                  (unsigned long long)r->changes, (unsigned long long)r->probes, r->settled / 1000, r->settled_bytes);
    if (r->dropped)
        hd_printf(o, "%llu packets dropped, too old or at a switch without a port\n", (unsigned long long)r->dropped);
    if (r->unserved)
        hd_printf(o, "%llu flow%s no path and count%s as 0\n", (unsigned long long)r->unserved,
                  r->unserved == 1 ? " has" : "s have", r->unserved == 1 ? "s" : "");
    if (r->deadlocks) {
        hd_printf(o,
                  "DEADLOCK in %llu of %llu runs; in run %llu, VL %u, each of these buffers is full and waits for "
                  "the next:\n",
                  (unsigned long long)r->deadlocks, (unsigned long long)r->samples,
                  (unsigned long long)r->deadlock_sample, r->cycle_lane);
        for (uint32_t i = 0; i < r->ncycle && i < 64; i++)
            hd_printf(o, "  %s port %u -> %s\n", hd_node_label(net, net->tail[r->cycle[i]]), net->port[r->cycle[i]],
                      hd_node_label(net, net->head[r->cycle[i]]));
    }
    if (sim->cli->v.timing)
        hd_printf(o, "%.3f s, %.0f packets/s, %.0f events/s\n", sim->sim_seconds, (double)r->packets / sim->sim_seconds,
                  (double)r->events / sim->sim_seconds);
    return HD_OK;
}

/* ---- the command ---------------------------------------------------------------------------- */

static hd_status simulate_routes(struct sim *sim, const struct hd_routes *r)
{
    struct hd_ctx *ctx = sim->cli->ctx;
    sim->table = hd_routes_spec(r);
    hd_status s = open_sim_files(sim);
    double start = seconds();
    begin_sampling(sim->cli);
    if (s == HD_OK) s = hd_sim(ctx, r, &sim->q, &sim->result);
    sim->cli->stopped_by = end_sampling(sim->cli, s);
    sim->sim_seconds = seconds() - start;
    if (s == HD_OK && sim->cli->v.json)
        print_sim_json(sim);
    else if (s == HD_OK)
        s = print_sim_text(sim);
    if (s == HD_OK) note_unserved(sim->cli, sim->table, sim->net->spec, sim->result.unserved, false);
    if (s == HD_OK && sim->result.deadlocks && sim->cli->taken)
        hd_note(ctx, "%s on %s: deadlock in %llu of %llu runs", sim->table, sim->net->spec,
                (unsigned long long)sim->result.deadlocks, (unsigned long long)sim->result.samples);
    if (s == HD_OK && sim->result.deadlocks) s = HD_FAULT;
    return close_sim_files(sim, s);
}

hd_status run_sim(struct cli *cli)
{
    struct sim sim = {.cli = cli};
    struct hd_net *net;
    struct hd_routes *r;
    hd_status s = set_request(cli, &sim.q);
    if (s == HD_OK) s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    sim.net = net;
    double start = seconds();
    s = open_routes(cli, cli->arg[0], net, cli->arg[1], &r);
    sim.route_seconds = seconds() - start;
    if (s == HD_OK) {
        s = simulate_routes(&sim, r);
        hd_routes_free(r);
    }
    hd_net_free(net);
    return s;
}
