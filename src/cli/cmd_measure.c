/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle-mpi measure: effective bisection bandwidth of the real machine, compared with what the tables predict. */
#include "measure_pairs.h"
#include "table.h"

#include <math.h>

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Pairs of round i, which begin at pair *at, as [from, to, MB/s, predicted share]. */
static void json_pairs(struct hd_json *j, const struct hd_measurement *m, uint32_t i, uint64_t *at)
{
    hd_json_open(j, "pairs", '[');
    for (; *at < m->npair && m->pair[*at].round == i; ++*at) {
        const struct hd_measure_pair *p = &m->pair[*at];
        hd_json_open(j, NULL, '[');
        hd_json_fields(j, hd_uint(NULL, p->from), hd_uint(NULL, p->to), hd_real(NULL, p->mbps),
                       hd_real(NULL, p->predicted));
        hd_json_close(j, ']');
    }
    hd_json_close(j, ']');
}

static void json_rounds(struct hd_json *j, const struct hd_measurement *m)
{
    uint64_t at = 0;
    hd_json_open(j, "rounds", '[');
    for (uint32_t i = 0; i < m->rounds; i++) {
        hd_json_open(j, NULL, '{');
        hd_json_fields(j, hd_real("average", m->round_average[i]), hd_real("min", m->round_min[i]),
                       hd_real("max", m->round_max[i]));
        json_pairs(j, m, i, &at);
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

/* net may be NULL: then nothing was predicted and nothing is slow. */
static void json_slow_pairs(struct hd_json *j, const struct hd_routes *r, const struct hd_measurement *m)
{
    const struct hd_net *net = r ? hd_routes_net(r) : NULL;
    hd_json_open(j, "slow_pairs", '[');
    for (uint64_t i = 0; net && i < m->nslow_pair; i++) {
        const struct hd_measure_pair *p = &m->pair[m->slow_pair[i]];
        uint32_t c = pair_explained_by(r, m, p);
        bool link = c != UINT32_MAX;
        hd_json_object(j, NULL, hd_uint("round", p->round), hd_uint("from", p->from),
                       hd_text("from_host", hd_host_name(net, net->host[m->ep[p->from]])), hd_uint("to", p->to),
                       hd_text("to_host", hd_host_name(net, net->host[m->ep[p->to]])), hd_real("mbps", p->mbps),
                       hd_real("expected", m->usual * p->predicted),
                       hd_text("link_from", link ? hd_node_name(net, net->tail[c]) : NULL),
                       hd_uint_if("link_port", link ? net->port[c] : 0, link));
    }
    hd_json_close(j, ']');
}

static void json_slow_channels(struct hd_json *j, const struct hd_net *net, const struct hd_measurement *m)
{
    hd_json_open(j, "slow", '[');
    for (uint32_t i = 0; net && i < m->nslow; i++)
        hd_json_object(j, NULL, hd_text("from", hd_node_name(net, net->tail[m->slow[i]])),
                       hd_uint("port", net->port[m->slow[i]]), hd_text("to", hd_node_name(net, net->head[m->slow[i]])));
    hd_json_close(j, ']');
}

static void print_measure_json(struct cli *cli, const struct hd_measure_in *in, const struct hd_measurement *m)
{
    const struct hd_net *net = in->routes ? hd_routes_net(in->routes) : NULL;
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_text("pattern", in->pattern ? in->pattern : hd_measure_pattern_name(0)),
                   hd_uint("ranks", m->ranks), hd_uint("messages", in->messages), hd_uint("size", in->bytes),
                   hd_real("average", m->average), hd_real("min", m->min), hd_real("max", m->max),
                   hd_real("correlation", m->correlation), hd_real("bus", bus_bandwidth(in->pattern, m)));
    json_rounds(&j, m);
    json_slow_pairs(&j, in->routes, m);
    json_slow_channels(&j, net, m);
    hd_json_close(&j, '}');
}

/* ---- text ----------------------------------------------------------------------------------- */

static void print_slow_paths(struct hd_out *o, const struct hd_measure_in *in, const struct hd_measurement *m)
{
    enum { SHOWN = 10 };
    const struct hd_net *net = hd_routes_net(in->routes);
    uint64_t explained = 0;
    if (!isnan(m->correlation)) hd_printf(o, "rank correlation of measured with predicted: %.3f\n", m->correlation);
    for (uint64_t i = 0; i < m->nslow_pair && i < SHOWN; i++) {
        const struct hd_measure_pair *p = &m->pair[m->slow_pair[i]];
        hd_printf(o, "slower than predicted: round %u, rank %u (%s) to %u (%s), %.1f MB/s, expected %.1f\n", p->round,
                  p->from, hd_host_name(net, net->host[m->ep[p->from]]), p->to,
                  hd_host_name(net, net->host[m->ep[p->to]]), p->mbps, m->usual * p->predicted);
    }
    if (m->nslow_pair > SHOWN)
        hd_printf(o, "and %llu more (--json and --pairs list all of them)\n",
                  (unsigned long long)(m->nslow_pair - SHOWN));
    for (uint64_t i = 0; i < m->nslow_pair; i++)
        explained += pair_explained_by(in->routes, m, &m->pair[m->slow_pair[i]]) != UINT32_MAX;
    if (m->nslow_pair)
        hd_printf(o, "slow cables explain %llu of the %llu slow pairs\n", (unsigned long long)explained,
                  (unsigned long long)m->nslow_pair);
    for (uint32_t i = 0; i < m->nslow && i < SHOWN; i++)
        hd_printf(o, "slow cable: every pair over %s port %u to %s is slower than predicted\n",
                  hd_node_label(net, net->tail[m->slow[i]]), net->port[m->slow[i]],
                  hd_node_label(net, net->head[m->slow[i]]));
}

static hd_status print_measure_text(struct cli *cli, const struct hd_measure_in *in, const struct hd_measurement *m)
{
    struct table t;
    hd_status s = table_init(cli->ctx, &t, "round|>average MB/s|>min|>max");
    if (s != HD_OK) return s;
    for (uint32_t i = 0; i <= m->rounds; i++) {
        bool all = i == m->rounds;
        if (all)
            table_cell(&t, "all");
        else
            table_cell(&t, "%u", i);
        table_cell(&t, "%.1f", all ? m->average : m->round_average[i]);
        table_cell(&t, "%.1f", all ? m->min : m->round_min[i]);
        table_cell(&t, "%.1f", all ? m->max : m->round_max[i]);
    }
    table_print(&t, cli->out);
    double bus = bus_bandwidth(in->pattern, m);
    if (!isnan(bus))
        hd_printf(cli->out, "bus bandwidth: %.1f MB/s per rank, with all ranks as slow as the slowest\n", bus);
    if (in->routes) print_slow_paths(cli->out, in, m);
    return HD_OK;
}

/* ---- the command ---------------------------------------------------------------------------- */

static hd_status measure_and_print(struct cli *cli, struct hd_measure_in *in)
{
    struct hd_measurement *m;
    hd_status s = hd_measure(cli->ctx, in, &m);
    if (s != HD_OK) return s;
    if (cli->v.pairs) s = write_pairs(cli, in->routes, m, cli->v.pairs);
    if (s == HD_OK && cli->v.heat) s = write_heat(cli, m, cli->v.heat);
    if (s != HD_OK) {
        hd_measurement_free(m);
        return s;
    }
    if (cli->v.json)
        print_measure_json(cli, in, m);
    else
        s = print_measure_text(cli, in, m);
    hd_measurement_free(m);
    return s;
}

static uint64_t given_or(struct integer option, uint64_t usual)
{
    return option.given ? option.value : usual;
}

hd_status run_measure(struct cli *cli)
{
    const struct values *v = &cli->v;
    struct hd_measure_in in = {.pattern = v->pattern,
                               .rounds = (uint32_t)given_or(v->rounds, 10),
                               .messages = (uint32_t)given_or(v->messages, 50),
                               .bytes = given_or(v->size, 1 << 20),
                               .nodes = v->nodes};
    struct hd_net *net = NULL;
    struct hd_routes *r = NULL;
    if (cli->nargs == 1) return usage_error(cli, "measure: expected NET and TABLE, or neither");
    hd_status s = cli->nargs == 2 ? open_net(cli, 0, &net) : HD_OK;
    if (s == HD_OK && net) s = hd_routes_open(cli->ctx, net, cli->arg[1], &r);
    in.routes = r;
    if (s == HD_OK) s = measure_and_print(cli, &in);
    hd_routes_free(r);
    hd_net_free(net);
    return s;
}
