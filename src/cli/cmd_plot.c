/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle plot: one chart of the report as SVG. */
#include "cli.h"
#include "tool/report_data.h"

#include <string.h>

static hd_status unknown_chart(struct cli *cli)
{
    char names[200] = "";
    const struct hd_desc *c;
    size_t n = 0;
    while (hd_registry_at(cli->ctx, HD_CHARTS, n)) n++;
    for (size_t i = 0; (c = hd_registry_at(cli->ctx, HD_CHARTS, i)); i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", hd_separator(i, n), c->name);
    }
    return usage_error(cli, "plot: unknown chart '%.40s': expected %s", cli->arg[0], names);
}

/* The option's check has seen that there is a view of that name. */
static uint32_t find_view(const struct cli *cli, const struct hd_report *r)
{
    for (uint32_t i = 0; cli->v.pattern && i < r->nview; i++)
        if (strcmp(r->view[i].name, cli->v.pattern) == 0) return i;
    return 0;
}

/* The table named first, else the recommended one. */
static uint32_t shown_option(struct hd_report *r, bool named)
{
    uint32_t shown = r->best;
    for (uint32_t i = 0; named && i < r->noption; i++)
        if (r->option[i].current) shown = i;
    /* What it is compared with is what was named second. */
    for (uint32_t i = 0; named && r->noption == 2 && i < 2; i++)
        if (i != shown && !r->option[i].why_not) r->best = i;
    return shown;
}

static hd_status draw_chart(struct cli *cli, struct hd_report *r, bool named)
{
    struct hd_out *o;
    uint32_t view = find_view(cli, r), option = shown_option(r, named);
    hd_status s = hd_out_open(cli->ctx, cli->v.output ? cli->v.output : "-", &o);
    if (s != HD_OK) return s;
    return hd_out_end(cli->ctx, o, hd_chart_svg(cli->ctx, r, cli->arg[0], option, view, o));
}

/* What would not be drawn is refused: further networks, and more tables than a chart of one routing has room for. */
static hd_status refuse_extra(struct cli *cli, const struct hd_chart *chart)
{
    int room = strcmp(chart->desc.name, "load") == 0 ? 2 : 1;
    for (int i = 2; i < cli->nargs; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(cli->arg[i], ":"), cli->arg[i]);
        if (hd_registry_find(cli->ctx, HD_TOPOLOGIES, name) && !hd_registry_find(cli->ctx, HD_ENGINES, name))
            return usage_error(cli, "plot: a picture is of one network, and '%.60s' is another", cli->arg[i]);
    }
    if (chart->one_routing && cli->nargs - 2 > room)
        return usage_error(cli, "plot: %s draws %s, %d were given", chart->desc.name,
                           room == 1 ? "one table" : "at most two tables", cli->nargs - 2);
    return HD_OK;
}

/* Rank orders and failures are those of one table: where none is given that of heddle order, if it is free of faults,
 * else NULL: every engine is compared. */
static hd_status find_usual(struct cli *cli, const struct hd_chart *chart, const struct hd_net *net, const char **name)
{
    struct hd_routes *routes;
    struct hd_check check;
    *name = NULL;
    if (cli->nargs > 2 || !chart->whole_advice || chart->current) return HD_OK;
    hd_status s = open_usual_routes(cli, net, name, &routes);
    if (s == HD_OK) {
        s = hd_routes_check(cli->ctx, routes, &check);
        hd_routes_free(routes);
    }
    if (s != HD_OK || hd_check_faulty(&check)) *name = NULL;
    return s == HD_NA ? HD_OK : s;
}

hd_status run_plot(struct cli *cli)
{
    const struct hd_chart *chart = (const struct hd_chart *)hd_registry_find(cli->ctx, HD_CHARTS, cli->arg[0]);
    struct hd_net *net;
    struct hd_routes *first = NULL;
    struct hd_report *report;
    const char *usual;
    if (!chart) return unknown_chart(cli);
    hd_status s = refuse_extra(cli, chart);
    if (s == HD_OK) s = open_net(cli, 1, &net);
    if (s != HD_OK) return s;
    /* The first table named is drawn, as the current one. */
    bool named = (chart->one_routing || chart->current) && cli->nargs > 2;
    bool all = chart->current && cli->nargs == 3; /* that one is compared with every other */
    struct hd_advise_in in = {.net = net,
                              .net_text = cli->arg[1],
                              .current_text = named ? cli->arg[2] : NULL,
                              .engine = cli->nargs > 2 && !all ? cli->arg + 2 + named : NULL,
                              .nengine = cli->nargs > 2 ? (uint32_t)(cli->nargs - 2 - named) : 0,
                              .nodes = cli->v.nodes,
                              .compare_only = !chart->whole_advice,
                              .no_order = strcmp(chart->desc.name, "order") != 0,
                              .no_whatif = strcmp(chart->desc.name, "whatif") != 0,
                              .progress = show_advise_progress,
                              .user = cli};
    if (named) s = hd_routes_open(cli->ctx, net, cli->arg[2], &first);
    if (s == HD_OK) s = find_usual(cli, chart, net, &usual);
    if (s == HD_OK && usual) {
        in.engine = &usual;
        in.nengine = 1;
    }
    in.current = first;
    if (s == HD_OK) s = hd_advise(cli->ctx, &in, &report);
    if (s == HD_OK) {
        s = draw_chart(cli, report, named);
        hd_report_free(report);
    }
    hd_routes_free(first);
    hd_net_free(net);
    return s;
}
