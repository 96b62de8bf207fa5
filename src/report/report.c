/* SPDX-License-Identifier: BSD-2-Clause */
/* The charts by name, each as a file of its own. */
#include "base/status.h"
#include "report/charts.h"

#include <string.h>

static const struct hd_chart charts[] = {
    {"fabric", "the fabric with every cable coloured by its load"},
    {"heat", "bandwidth from leaf to leaf"},
    {"bandwidth", "distribution of the bandwidth of random bisections, a row a routing"},
    {"load", "histogram of loads by level and direction"},
    {"order", "hot spots of the usual patterns before and after ordering the ranks"},
    {"whatif", "bandwidth when a cable or a switch is lost"},
};

const struct hd_chart *hd_chart_at(size_t i)
{
    return i < sizeof charts / sizeof charts[0] ? &charts[i] : NULL;
}

static hd_status lacks(struct hd_ctx *ctx, const struct hd_report *r, const char *kind, const char *what)
{
    return hd_fail(ctx, HD_INPUT, "%s: no chart %s: %s", r->net->spec, kind, what);
}

static hd_status draw(struct hd_ink *k, const char *kind, uint32_t option, uint32_t view)
{
    const struct hd_report *r = k->r;
    bool one = strcmp(kind, "fabric") == 0 || strcmp(kind, "load") == 0 || strcmp(kind, "heat") == 0;
    if (one && option >= r->noption) return lacks(k->ctx, r, kind, "there is no such routing");
    if (one && r->option[option].why_not) return lacks(k->ctx, r, kind, r->option[option].why_not);
    if (strcmp(kind, "heat") == 0)
        return hd_has_heat(r, option) ? hd_chart_heat(k, option) : lacks(k->ctx, r, kind, "no pair was measured");
    if (one && !hd_has_load(r, option, view)) return lacks(k->ctx, r, kind, "these loads were not measured");
    if (strcmp(kind, "fabric") == 0) return hd_chart_fabric(k, &(struct hd_pick){option, view}, 1);
    if (strcmp(kind, "load") == 0) return hd_chart_load(k, option, view);
    if (strcmp(kind, "bandwidth") == 0)
        return hd_has_samples(r) ? hd_chart_bandwidth(k) : lacks(k->ctx, r, kind, "nothing was sampled");
    if (strcmp(kind, "order") == 0)
        return hd_has_orders(r) ? hd_chart_order(k) : lacks(k->ctx, r, kind, "no orders were compared");
    if (strcmp(kind, "whatif") == 0)
        return hd_has_whatif(r) ? hd_chart_whatif(k) : lacks(k->ctx, r, kind, "nothing was broken");
    return hd_fail(k->ctx, HD_INPUT, "unknown chart '%.40s': expected fabric, heat, bandwidth, load, order or whatif",
                   kind);
}

hd_status hd_chart_svg(struct hd_ctx *ctx, const struct hd_report *report, const char *kind, uint32_t option,
                       uint32_t view, struct hd_out *o)
{
    struct hd_ink k = {.ctx = ctx, .r = report, .o = o, .whole = true};
    hd_status s = draw(&k, kind, option, view);
    hd_arena_release(&k.arena);
    return s;
}
