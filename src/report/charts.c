/* SPDX-License-Identifier: BSD-2-Clause */
/* The charts by name: the rows that the registry lists, and hd_chart_svg, which writes one of them as a file of its own
 * or says what the report lacks for it. */
#include "base/status.h"
#include "report/charts.h"
#include "tool/words.h"

#include <stdio.h>
#include <string.h>

enum chart_kind { FABRIC, HEAT, BANDWIDTH, LOAD, ORDER, WHATIF, CHOICES };

/* clang-format off */
static const struct hd_chart charts[HD_CHART_COUNT] = {
    [FABRIC] = {
        {.name = "fabric",
         .summary = "the fabric with every cable coloured by its load",
         .text =
              "Layers, a grid (a torus of three dimensions in slabs), the groups of a Dragonfly or a ring, depending "
              "on the structure. The colour and width of a cable show the load "
              "of its busier direction; several cables drawn as one show their busiest. Large fabrics are drawn by "
              "groups of switches. -p chooses among the patterns whose loads were measured.",
         .command = "heddle plot fabric ft:m=8,n=2 dmodk -o fabric.svg"}, .one_routing = true},
    [HEAT] = {
        {.name = "heat",
         .summary = "bandwidth from leaf to leaf",
         .text =
              "The mean share of link rate that a flow gets from each leaf switch (rows) to each other (columns) in "
              "random bisections: the smaller the share, the stronger the colour. Many leaves are combined into "
              "groups.",
         .command = "heddle plot heat ft:m=8,n=2 minhop -o heat.svg"}, .one_routing = true},
    [BANDWIDTH] = {
        {.name = "bandwidth",
         .summary = "distribution of the bandwidth of random bisections, one row per routing",
         .text =
              "The thickness of a body shows how many samples are near that value, the dot is the mean with its 99 "
              "% confidence interval, and the dashed line, if any, is the bound.",
         .command = "heddle plot bandwidth ft:m=8,n=2 minhop dmodk -o bandwidth.svg"}, .one_routing = false},
    [LOAD] = {
        {.name = "load",
         .summary = "histogram of loads by level and direction",
         .text =
              "How evenly the cables between two levels are loaded, up and down. The first routing is filled, the "
              "second an outline. Cables of endpoints are omitted, since no routing changes their load.",
         .command = "heddle plot load ft:m=8,n=2 minhop dmodk -o load.svg"}, .one_routing = true},
    [ORDER] = {
        {.name = "order",
         .summary = "hot spots of the usual patterns before and after ordering the ranks",
         .text =
              "The average hot-spot degree of each pattern in the current rank order and in the suggested one, "
              "connected by a line; a dashed tick is the bound that no order can beat with this table.",
         .command = "heddle plot order ft:m=8,n=2 -o order.svg"}, .whole_advice = true},
    [WHATIF] = {
        {.name = "whatif",
         .summary = "bandwidth when a cable or a switch is lost",
         .text =
              "Effective bisection bandwidth with the old tables and after rerouting: the dot is the mean of the "
              "cases tried, the whisker ends at the lowest; the dashed line is the value before.",
         .command = "heddle plot whatif ft:m=8,n=2 -o whatif.svg"}, .whole_advice = true},
    [CHOICES] = {
        {.name = "choices",
         .summary = "what to choose from, beside what the fabric has",
         .text =
              "The first picture of the report: what the fabric has (TABLE, or OpenSM's default) and each choice that "
              "advise offers, with its value, the 99 % confidence interval, the gain and whether it heals. Without "
              "choices, the best tables.",
         .command = "heddle plot choices ft:m=8,n=2 minhop -o choices.svg"}, .current = true, .whole_advice = true},
};
/* clang-format on */

const struct hd_desc *const hd_charts[HD_CHART_COUNT] = {&charts[0].desc, &charts[1].desc, &charts[2].desc,
                                                         &charts[3].desc, &charts[4].desc, &charts[5].desc,
                                                         &charts[6].desc};

/* Why nothing was sampled: where no routing applies, the reason of the first. */
static const char *chart_why_no_samples(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->noption; i++)
        if (hd_measured(&r->option[i])) return "nothing was sampled";
    return r->noption ? r->option[0].why_not : "nothing was sampled";
}

/* Orders and losses are tried with the table that is recommended. */
static const char *chart_why_none(const struct hd_report *r, const char *otherwise)
{
    return r->noption && r->best == UINT32_MAX ? "no table serves every pair without deadlock" : otherwise;
}

/* What the report lacks for a chart, NULL: nothing. */
static const char *chart_lacks(const struct hd_report *r, enum chart_kind kind, uint32_t option, uint32_t view)
{
    if (charts[kind].one_routing && option >= r->noption) return "there is no such routing";
    if (charts[kind].one_routing && !hd_measured(&r->option[option])) return r->option[option].why_not;
    switch (kind) {
    case FABRIC:
    case LOAD: return hd_has_load(r, option, view) ? NULL : "these loads were not measured";
    case HEAT: return hd_has_heat(r, option) ? NULL : "no pair was measured";
    case BANDWIDTH: return hd_has_samples(r) ? NULL : chart_why_no_samples(r);
    case ORDER: return hd_has_orders(r) ? NULL : chart_why_none(r, "no orders were compared");
    case CHOICES: return hd_has_choices(r) ? NULL : chart_why_none(r, "nothing was compared");
    case WHATIF: return hd_has_whatif(r) ? NULL : chart_why_none(r, "nothing could be broken");
    }
    return NULL;
}

static hd_status chart_draw(struct hd_ink *k, enum chart_kind kind, uint32_t option, uint32_t view)
{
    const char *lacks = chart_lacks(k->r, kind, option, view);
    if (lacks) return hd_fail(k->ctx, HD_INPUT, "%s: no chart %s: %s", k->r->net->spec, charts[kind].desc.name, lacks);
    switch (kind) {
    case FABRIC: return hd_chart_fabric(k, &(struct hd_pick){option, view}, 1);
    case LOAD: return hd_chart_load(k, option, view);
    case HEAT: return hd_chart_heat(k, option);
    case BANDWIDTH: return hd_chart_bandwidth(k);
    case ORDER: return hd_chart_order(k);
    case WHATIF: return hd_chart_whatif(k);
    case CHOICES: return hd_chart_choices(k);
    }
    return HD_OK;
}

static hd_status chart_unknown(struct hd_ctx *ctx, const char *kind)
{
    char names[200] = "";
    for (size_t i = 0, used = 0; i < HD_CHART_COUNT; i++, used = strlen(names))
        snprintf(names + used, sizeof names - used, "%s%s", hd_separator(i, HD_CHART_COUNT), charts[i].desc.name);
    return hd_fail(ctx, HD_INPUT, "unknown chart '%.40s': expected %s", kind, names);
}

hd_status hd_chart_svg(struct hd_ctx *ctx, const struct hd_report *report, const char *kind, uint32_t option,
                       uint32_t view, struct hd_out *o)
{
    struct hd_ink k = {.ctx = ctx, .r = report, .o = o, .whole = true};
    uint32_t i = 0;
    HD_TRY(hd_given(ctx, kind, "a chart"));
    while (i < HD_CHART_COUNT && strcmp(charts[i].desc.name, kind) != 0) i++;
    if (i == HD_CHART_COUNT) return chart_unknown(ctx, kind);
    hd_status s = chart_draw(&k, (enum chart_kind)i, option, view);
    hd_arena_release(&k.arena);
    return s;
}
