/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of the papers: which items a name means, one network and one routing at hand at a time, and
 * the verdict on a row. What is published and how it is computed stands in paper_*.c, a file a paper. */
#include "papers/papers.h"
#include "papers/scramble_net.h"
#include "base/spec.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *hd_relation_sign(enum hd_relation relation)
{
    static const char *const signs[] = {[HD_ROW_IS] = "",
                                        [HD_ROW_AT_LEAST] = ">=",
                                        [HD_ROW_AT_MOST] = "<=",
                                        [HD_ROW_ABOVE] = ">",
                                        [HD_ROW_BELOW] = "<"};
    return signs[relation];
}

/* ---- networks and routes ---------------------------------------------------------------------- */

static void drop_routes(struct hd_paper_run *run)
{
    if (run->routes) hd_routes_free(run->routes);
    run->routes = NULL;
}

static void drop_net(struct hd_paper_run *run)
{
    drop_routes(run);
    if (run->net) hd_net_free(run->net);
    run->net = NULL;
}

static hd_status open_net(struct hd_paper_run *run, const char *text)
{
    struct hd_net *net;
    HD_TRY(hd_net_open(run->ctx, text, NULL, &net));
    if (!run->scramble) {
        run->net = net;
        return HD_OK;
    }
    hd_status s = hd_net_scramble(run->ctx, net, run->scramble, &run->net);
    hd_net_free(net);
    return s;
}

hd_status hd_paper_net(struct hd_paper_run *run, const char *net, const struct hd_net **out)
{
    if (!run->net || run->scrambled != run->scramble || strcmp(run->net_text, net) != 0) {
        drop_net(run);
        HD_TRY(open_net(run, net));
        snprintf(run->net_text, sizeof run->net_text, "%s", net);
        run->scrambled = run->scramble;
    }
    if (out) *out = run->net;
    return HD_OK;
}

hd_status hd_paper_routes(struct hd_paper_run *run, const char *net, const char *table, const struct hd_routes **out)
{
    HD_TRY(hd_paper_net(run, net, NULL));
    if (!run->routes || strcmp(run->table_text, table) != 0) {
        drop_routes(run);
        HD_TRY(hd_routes_open(run->ctx, run->net, table, &run->routes));
        snprintf(run->table_text, sizeof run->table_text, "%s", table);
    }
    *out = run->routes;
    return HD_OK;
}

hd_status hd_paper_eval(struct hd_paper_run *run, const char *net, const char *table, const struct hd_request *q,
                        struct hd_result *result)
{
    const struct hd_routes *r;
    HD_TRY(hd_paper_routes(run, net, table, &r));
    return hd_eval(run->ctx, r, q, result);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool holds(const struct hd_paper_row *row)
{
    double slack = fabs(row->published) * row->tolerance + 1e-9, more = row->ours - row->published;
    switch (row->relation) {
    case HD_ROW_IS: return fabs(more) <= slack;
    case HD_ROW_AT_LEAST: return more >= -slack;
    case HD_ROW_AT_MOST: return more <= slack;
    case HD_ROW_ABOVE: return row->tolerance > 0 ? more > -slack : more > slack;
    case HD_ROW_BELOW: return row->tolerance > 0 ? more < slack : more < -slack;
    }
    return false;
}

void hd_paper_put(const struct hd_paper_run *run, struct hd_paper_row row)
{
    row.paper = run->paper;
    row.item = run->item;
    row.ok = isnan(row.published) || holds(&row);
    run->row(run->user, &row);
}

double hd_paper_widen(const struct hd_paper_run *run, double tolerance, double ci, double published)
{
    return run->full ? tolerance : tolerance + ci / 2 / fabs(published);
}

/* clang-format off */
static const struct hd_paper_item *const items[] = {
    &hd_paper_000_table1, &hd_paper_000_table2, &hd_paper_000_bounds, &hd_paper_001_fig2, &hd_paper_001_fig3,
    &hd_paper_001_fig4, &hd_paper_001_fig5, &hd_paper_001_fig6, &hd_paper_001_study, &hd_paper_001_fig7,
    &hd_paper_001_routes, &hd_paper_002_fig2, &hd_paper_002_fig4a, &hd_paper_002_fig4c, &hd_paper_002_fig4d,
    &hd_paper_002_fig4e, &hd_paper_002_fig5, &hd_paper_002_fig6, &hd_paper_002_fig8, &hd_paper_002_fig9,
    &hd_paper_003_table1, &hd_paper_003_bounds, &hd_paper_003_fig10, &hd_paper_003_fig11, &hd_paper_004_fig1,
    &hd_paper_004_fig2, &hd_paper_004_fig3, &hd_paper_004_fig4, &hd_paper_004_fig6, &hd_paper_004_table2,
    &hd_paper_004_theorems, &hd_paper_004_partial, &hd_paper_004_table3, &hd_paper_own_settle, &hd_paper_own_balance,
    &hd_paper_own_degraded, &hd_paper_own_opensm,
};
/* clang-format on */

hd_status hd_papers_add(struct hd_ctx *ctx)
{
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) HD_TRY(hd_registry_add(ctx, HD_PAPERS, &items[i]->desc));
    return HD_OK;
}

/* ---- by name -------------------------------------------------------------------------------- */

static hd_status run_item(struct hd_paper_run *run, const struct hd_paper_item *item)
{
    const char *name = item->desc.name, *dash = strchr(name, '-');
    snprintf(run->paper, sizeof run->paper, "%.*s", (int)(dash - name), name);
    snprintf(run->item, sizeof run->item, "%s", dash + 1);
    run->scramble = 0;
    return item->run(run);
}

/* NULL, the name of an item, or that of its paper. */
static bool is_meant(const struct hd_desc *d, const char *name)
{
    size_t len = name ? strlen(name) : 0;
    return !name || (strncmp(d->name, name, len) == 0 && (d->name[len] == 0 || d->name[len] == '-'));
}

static hd_status not_found(struct hd_ctx *ctx, const char *name)
{
    const char *names[64];
    size_t n = 0;
    for (const struct hd_desc *d; n < 64 && (d = hd_registry_at(ctx, HD_PAPERS, n)); n++) names[n] = d->name;
    const char *near = hd_nearest(name, names, n);
    if (near) return hd_fail(ctx, HD_INPUT, "%.200s: not in any paper, did you mean '%s'?", name, near);
    return hd_fail(ctx, HD_INPUT, "%.200s: not in any paper ('heddle list paper' shows what there is)", name);
}

hd_status hd_paper(struct hd_ctx *ctx, const char *name, bool full,
                   void (*row)(void *user, const struct hd_paper_row *row), void *user)
{
    struct hd_paper_run run = {.ctx = ctx, .full = full, .row = row, .user = user};
    hd_status s = HD_OK;
    bool found = false;
    const struct hd_desc *d;
    for (size_t i = 0; s == HD_OK && (d = hd_registry_at(ctx, HD_PAPERS, i)); i++) {
        if (!is_meant(d, name)) continue;
        found = true;
        s = run_item(&run, (const struct hd_paper_item *)d); /* desc is its first member */
    }
    drop_net(&run);
    hd_arena_release(&run.arena);
    return found ? s : not_found(ctx, name);
}
