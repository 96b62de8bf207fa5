/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle-mpi measure: effective bisection bandwidth of the real machine, beside what tables predict. */
#include "cli.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes: 1048576, 64KiB, 1MiB, 1GiB. */
static hd_status parse_size(struct cli *cli, const char *text, uint64_t *bytes)
{
    static const struct {
        const char *name;
        int shift;
    } units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && end != text && *text != '-' && value &&
            value <= (1ull << 30) >> units[i].shift) {
            *bytes = value << units[i].shift;
            return HD_OK;
        }
    return usage_error(cli, "--size %.40s: expected bytes up to 1GiB, such as 1MiB", text);
}

static hd_status parse_number(struct cli *cli, const char *option, const char *text, uint32_t *value)
{
    char *end;
    unsigned long v = strtoul(text, &end, 10);
    if (*end || *text == '-' || !v || v > 1000000)
        return usage_error(cli, "--%s %.40s: expected a number from 1 to 1000000", option, text);
    *value = (uint32_t)v;
    return HD_OK;
}

static void print_json(struct cli *cli, const struct hd_measure_in *in, const struct hd_measurement *m)
{
    struct hd_json j;
    hd_json_init(&j, cli->out);
    hd_json_open(&j, NULL, '{');
    hd_json_uint(&j, "schema", 1);
    hd_json_text(&j, "pattern", in->pattern ? in->pattern : "bisect");
    hd_json_uint(&j, "ranks", m->ranks);
    hd_json_uint(&j, "messages", in->messages);
    hd_json_uint(&j, "size", in->bytes);
    hd_json_real(&j, "average", m->average);
    hd_json_real(&j, "min", m->min);
    hd_json_real(&j, "max", m->max);
    hd_json_real(&j, "correlation", m->correlation);
    hd_json_open(&j, "rounds", '[');
    uint64_t at = 0;
    for (uint32_t i = 0; i < m->rounds; i++) {
        hd_json_open(&j, NULL, '{');
        hd_json_real(&j, "average", m->round_average[i]);
        hd_json_real(&j, "min", m->round_min[i]);
        hd_json_real(&j, "max", m->round_max[i]);
        hd_json_open(&j, "pairs", '[');
        for (; at < m->npair && m->pair[at].round == i; at++) {
            hd_json_open(&j, NULL, '[');
            hd_json_uint(&j, NULL, m->pair[at].from);
            hd_json_uint(&j, NULL, m->pair[at].to);
            hd_json_real(&j, NULL, m->pair[at].mbps);
            hd_json_real(&j, NULL, m->pair[at].predicted);
            hd_json_close(&j, ']');
        }
        hd_json_close(&j, ']');
        hd_json_close(&j, '}');
    }
    hd_json_close(&j, ']');
    const struct hd_net *net = in->routes ? hd_routes_net(in->routes) : NULL;
    hd_json_open(&j, "slow_pairs", '[');
    for (uint64_t i = 0; net && i < m->nslow_pair; i++) {
        const struct hd_measure_pair *p = &m->pair[m->slow_pair[i]];
        hd_json_open(&j, NULL, '{');
        hd_json_uint(&j, "round", p->round);
        hd_json_uint(&j, "from", p->from);
        hd_json_text(&j, "from_host", hd_host_name(net, net->host[m->ep[p->from]]));
        hd_json_uint(&j, "to", p->to);
        hd_json_text(&j, "to_host", hd_host_name(net, net->host[m->ep[p->to]]));
        hd_json_real(&j, "mbps", p->mbps);
        hd_json_real(&j, "expected", m->usual * p->predicted);
        hd_json_close(&j, '}');
    }
    hd_json_close(&j, ']');
    hd_json_open(&j, "slow", '[');
    for (uint32_t i = 0; net && i < m->nslow; i++) {
        hd_json_open(&j, NULL, '{');
        hd_json_text(&j, "from", hd_node_name(net, net->tail[m->slow[i]]));
        hd_json_uint(&j, "port", net->port[m->slow[i]]);
        hd_json_text(&j, "to", hd_node_name(net, net->head[m->slow[i]]));
        hd_json_close(&j, '}');
    }
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

static void print_slow(struct hd_out *o, const struct hd_measure_in *in, const struct hd_measurement *m)
{
    enum { SHOWN = 10 };
    const struct hd_net *net = hd_routes_net(in->routes);
    if (!isnan(m->correlation)) hd_printf(o, "rank correlation of measured with predicted: %.3f\n", m->correlation);
    for (uint64_t i = 0; i < m->nslow_pair && i < SHOWN; i++) {
        const struct hd_measure_pair *p = &m->pair[m->slow_pair[i]];
        hd_printf(o, "slower than predicted: round %u, rank %u (%s) to %u (%s), %.1f MB/s where %.1f were expected\n",
                  p->round, p->from, hd_host_name(net, net->host[m->ep[p->from]]), p->to,
                  hd_host_name(net, net->host[m->ep[p->to]]), p->mbps, m->usual * p->predicted);
    }
    if (m->nslow_pair > SHOWN)
        hd_printf(o, "and %llu more (--json lists all)\n", (unsigned long long)(m->nslow_pair - SHOWN));
    for (uint32_t i = 0; i < m->nslow && i < SHOWN; i++)
        hd_printf(o, "slow cable: every pair over %s port %u to %s is slower than predicted\n",
                  hd_node_name(net, net->tail[m->slow[i]]), net->port[m->slow[i]],
                  hd_node_name(net, net->head[m->slow[i]]));
}

static hd_status print_text(struct cli *cli, const struct hd_measure_in *in, const struct hd_measurement *m)
{
    struct table t;
    hd_status s = table_init(&cli->ctx, &t, "round|>average MB/s|>min|>max");
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
    if (in->routes) print_slow(cli->out, in, m);
    return HD_OK;
}

static hd_status measure(struct cli *cli, struct hd_measure_in *in)
{
    struct hd_measurement *m;
    hd_status s = hd_measure(&cli->ctx, in, &m);
    if (s != HD_OK) return s;
    if (cli->v.json)
        print_json(cli, in, m);
    else
        s = print_text(cli, in, m);
    hd_measurement_free(m);
    return s;
}

hd_status run_measure(struct cli *cli)
{
    struct hd_measure_in in = {
        .pattern = cli->v.pattern, .rounds = 10, .messages = 50, .bytes = 1 << 20, .nodes = cli->v.nodes};
    struct hd_net *net = NULL;
    struct hd_routes *r = NULL;
    hd_status s = cli->v.rounds ? parse_number(cli, "rounds", cli->v.rounds, &in.rounds) : HD_OK;
    if (s == HD_OK && cli->v.messages) s = parse_number(cli, "messages", cli->v.messages, &in.messages);
    if (s == HD_OK && cli->v.size) s = parse_size(cli, cli->v.size, &in.bytes);
    if (s == HD_OK && cli->nargs == 1) s = usage_error(cli, "measure: expected NET and TABLE, or neither");
    if (s == HD_OK && cli->nargs == 2) s = open_net(cli, 0, &net);
    if (s == HD_OK && net) s = hd_routes_open(&cli->ctx, net, cli->arg[1], &r);
    in.routes = r;
    if (s == HD_OK) s = measure(cli, &in);
    hd_routes_free(r);
    hd_net_free(net);
    return s;
}
