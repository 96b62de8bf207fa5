/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of the papers: which items a name means, one network and one routing at a time, and
 * the verdict on a row. What is published and how it is computed is in the other files, one per paper. */
#include "papers.h"
#include "tool/words.h"

#include <math.h>
#include <stdarg.h>
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
    hd_status s = hd_net_renumber(run->ctx, net, run->scramble, &run->net);
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
    if (hd_ctx_stopped(run->ctx)) return HD_FAULT; /* no more tables: what they give would be cut short */
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

void hd_paper_put(const struct hd_paper_run *run, struct hd_paper_row claim, double ours, const char *quantity,
                  const char *subject, ...)
{
    char text[HD_MAX_SPEC];
    va_list args;
    va_start(args, subject);
    vsnprintf(text, sizeof text, subject, args);
    va_end(args);
    claim.paper = run->paper;
    claim.item = run->item;
    claim.subject = text;
    claim.quantity = quantity;
    claim.ours = ours;
    claim.ok = isnan(claim.published) || holds(&claim);
    run->row(run->user, &claim);
}

double hd_paper_widen(const struct hd_paper_run *run, double tolerance, double ci, double published)
{
    return run->full ? tolerance : tolerance + ci / 2 / fabs(published);
}

static const struct hd_paper_item *const papers[] = {
    hd_nienaber2009, hd_geoffray2008, hd_hoefler2009, hd_yuan2009,      hd_zahavi2010,
    hd_own_settle,   hd_own_trees,    hd_own_covers,  hd_own_vl_budget, hd_own_opensm,
};

hd_status hd_papers_add(struct hd_ctx *ctx)
{
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        for (const struct hd_paper_item *item = papers[i]; item->run; item++)
            HD_TRY(hd_registry_add(ctx, HD_PAPERS, &item->desc, sizeof *item));
    return HD_OK;
}

/* ---- by name -------------------------------------------------------------------------------- */

static hd_status run_item(struct hd_paper_run *run, const struct hd_paper_item *item)
{
    const char *name = item->desc.alias ? item->desc.alias : item->desc.name, *dash = strchr(name, '-');
    snprintf(run->paper, sizeof run->paper, "%.*s", (int)(dash - name), name);
    snprintf(run->item, sizeof run->item, "%s", dash + 1);
    run->scramble = 0;
    return item->run(run);
}

static bool is_item_or_paper(const char *item, const char *name)
{
    size_t len = strlen(name);
    return strncmp(item, name, len) == 0 && (item[len] == 0 || item[len] == '-');
}

/* NULL, the name of an item, or that of its paper, by author and year or by number. */
static bool is_meant(const struct hd_desc *d, const char *name)
{
    return !name || is_item_or_paper(d->name, name) || (d->alias && is_item_or_paper(d->alias, name));
}

static hd_status not_found(struct hd_ctx *ctx, const char *name)
{
    enum { MOST = 128 };
    const char *names[MOST];
    size_t n = 0;
    const struct hd_desc *d;
    for (size_t i = 0; n + 2 <= MOST && (d = hd_registry_at(ctx, HD_PAPERS, i)); i++) {
        names[n++] = d->name;
        if (d->alias) names[n++] = d->alias;
    }
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
    for (size_t i = 0; s == HD_OK && !hd_ctx_stopped(ctx) && (d = hd_registry_at(ctx, HD_PAPERS, i)); i++) {
        if (!is_meant(d, name)) continue;
        found = true;
        s = run_item(&run, (const struct hd_paper_item *)d); /* desc is its first member */
    }
    drop_net(&run);
    if (run.release) run.release(run.kept);
    return found ? s : not_found(ctx, name);
}
