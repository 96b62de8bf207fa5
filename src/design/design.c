/* SPDX-License-Identifier: BSD-2-Clause */
/* Designs: candidates are sized, generated one at a time, counted and measured, and compared by cost and bandwidth. A
 * row is on the Pareto front if no other has at least its EBB for less, or more EBB for the same cost. Memory is that
 * of one candidate at a time. */
#include "base/c_locale.h"
#include "base/sized.h"
#include "base/status.h"
#include "design/design_steps.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hd_design_text(struct hd_arena *arena, const char *fmt, ...)
{
    char text[4 * HD_MAX_SPEC + 600];
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    return hd_strdup(arena, text, strlen(text));
}

static hd_status design_note(const struct hd_designing *g, const char *text)
{
    enum { NOTES = 8 };
    struct hd_design *d = g->d;
    if (!d->note && !(d->note = HD_NEW(g->arena, const char *, NOTES))) return hd_fail_memory(g->ctx);
    if (!text) return hd_fail_memory(g->ctx);
    if (d->nnote < NOTES) d->note[d->nnote++] = text;
    return HD_OK;
}

static hd_status design_row(struct hd_designing *g, const struct hd_design_candidate *from, struct hd_design_row *row)
{
    struct hd_net *net;
    row->family = hd_strdup(g->arena, from->family, strlen(from->family));
    HD_TRY(hd_net_open(g->ctx, from->spec, &(struct hd_open){0}, &net));
    row->spec = hd_strdup(g->arena, net->spec, strlen(net->spec));
    hd_status s = row->family && row->spec ? hd_design_count(g, net, from, row) : hd_fail_memory(g->ctx);
    if (s == HD_OK) s = hd_design_measure(g, net, from, row);
    hd_net_free(net);
    return s;
}

/* Rows of the same cost that were not measured come last. */
static int row_by_cost(const void *a, const void *b)
{
    const struct hd_design_row *x = a, *y = b;
    const double xe = isnan(x->ebb) ? -1 : x->ebb, ye = isnan(y->ebb) ? -1 : y->ebb;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (xe != ye) return xe > ye ? -1 : 1;
    return strcmp(x->spec, y->spec);
}

static void mark_pareto(struct hd_design *d)
{
    double best = -1;
    for (uint32_t i = 0; i < d->nrow; i++) {
        d->row[i].pareto = d->row[i].ebb > best;
        if (d->row[i].pareto) best = d->row[i].ebb;
    }
}

static hd_status note_lids(const struct hd_designing *g)
{
    const struct hd_design *d = g->d;
    uint32_t over = 0;
    bool planes = false;
    for (uint32_t i = 0; i < d->nrow; i++) {
        over += d->row[i].lids > HD_MAX_LID;
        planes |= d->row[i].planes > 1 && d->row[i].lids <= HD_MAX_LID;
    }
    if (!over) return HD_OK;
    return design_note(
        g, hd_design_text(g->arena,
                          "A subnet has %d LIDs: %u of these designs have more endpoints and switches, and would be "
                          "several subnets with routers between them.%s",
                          HD_MAX_LID, over,
                          planes             ? " With planes, each is a subnet of its own and fits."
                          : d->in.rails == 1 ? " With --rails K, designs of K planes are considered."
                                             : ""));
}

static hd_status note_work(const struct hd_designing *g)
{
    const struct hd_design *d = g->d;
    uint32_t figures = 0, losses = 0, worst = 0;
    for (uint32_t i = 0; i < d->nrow; i++) {
        const struct hd_design_row *r = &d->row[i];
        figures += isnan(r->ebb) && r->endpoints / r->planes > 1;
        losses += !isnan(r->ebb) && !r->lost && r->switches > 1;
        worst += !isnan(r->ebb) && isnan(r->worst);
    }
    figures -= g->refused;
    if (!figures && !losses && !worst) return HD_OK;
    return design_note(g, hd_design_text(g->arena,
                                         "Too much work was left out, as predicted from sizes: EBB of %u designs, "
                                         "worst case of %u, loss of a switch of %u.",
                                         figures, worst, losses));
}

static hd_status design_notes(const struct hd_designing *g, const struct hd_design_list *list)
{
    const struct hd_design *d = g->d;
    bool planes = false;
    for (uint32_t i = 0; i < d->nrow; i++) planes |= d->row[i].planes > 1;
    if (!d->nrow)
        HD_TRY(design_note(g, hd_design_text(g->arena, "No design has %llu endpoints with switches of %llu ports.",
                                             (unsigned long long)d->in.endpoints, (unsigned long long)d->in.radix)));
    HD_TRY(note_lids(g));
    HD_TRY(note_work(g));
    if (g->refused)
        HD_TRY(
            design_note(g, hd_design_text(g->arena, "No engine routes %u of these designs: %s.", g->refused, g->why)));
    if (*list->absent)
        HD_TRY(design_note(g, hd_design_text(g->arena, "None of these sizes with %llu ports: %s.",
                                             (unsigned long long)d->in.radix, list->absent)));
    if (planes)
        HD_TRY(design_note(g, hd_design_text(g->arena, "Each plane is measured by traffic within it; what passes from "
                                                       "rail to rail does so inside hosts.")));
    if (d->in.rails == 1)
        HD_TRY(design_note(g, hd_design_text(g->arena, "Rail-optimised and multi-plane designs need --rails.")));
    if (!d->in.prices)
        HD_TRY(design_note(g, hd_design_text(g->arena, "Prices are round numbers for comparison, not quotes; --prices "
                                                       "replaces them.")));
    if (!d->in.racks)
        HD_TRY(design_note(g, hd_design_text(g->arena, "Without --racks, cables of endpoints count as copper and those "
                                                       "between switches as optical, 20 m each.")));
    return HD_OK;
}

static hd_status design_fill(struct hd_designing *g)
{
    struct hd_design *d = g->d;
    struct hd_design_list list;
    HD_TRY(hd_design_candidates(g->ctx, &d->in, g->arena, &list));
    if (!(d->row = HD_NEW(g->arena, struct hd_design_row, list.n))) return hd_fail_memory(g->ctx);
    for (uint32_t i = 0; i < list.n; i++) {
        hd_progress(g->ctx, "designs", i, list.n);
        HD_TRY(hd_go_on(g->ctx, "design"));
        HD_TRY(design_row(g, &list.row[i], &d->row[i]));
        d->nrow++;
    }
    hd_progress(g->ctx, "designs", list.n, list.n);
    HD_TRY(hd_go_on(g->ctx, "design"));
    qsort(d->row, d->nrow, sizeof *d->row, row_by_cost);
    mark_pareto(d);
    return design_notes(g, &list);
}

hd_status hd_design_make_sized(struct hd_ctx *ctx, const struct hd_design_in *given, size_t size,
                               struct hd_design **design)
{
    struct hd_design_in in;
    HD_TRY(HD_SIZED_IN(ctx, hd_design_in, given, size, &in));
    if (in.endpoints < 2 || in.endpoints > 262144 || in.radix < 4 || in.radix > 254 || in.rails < 1 || in.rails > 64 ||
        in.rails > in.endpoints)
        return hd_fail(ctx, HD_USAGE,
                       "design: expected 2 to 262144 endpoints, switches of 4 to 254 ports and 1 to 64 rails, not more "
                       "than endpoints");
    struct hd_arena *own;
    struct hd_design *d = hd_owned_new(sizeof *d, &own);
    struct hd_design_racks racks = {0};
    if (!d) return hd_fail_memory(ctx);
    d->arena = own;
    d->in = in;
    struct hd_designing g = {.ctx = ctx, .arena = own, .d = d, .racks = in.racks ? &racks : NULL};
    void (*note)(void *, const char *) = ctx->note;
    ctx->note = NULL; /* what the networks of candidates warn of, such as lost endpoints, is as intended here */
    hd_status s = hd_design_read_prices(ctx, in.prices, &d->prices);
    if (s == HD_OK && in.racks) s = hd_design_read_racks(ctx, in.racks, &racks);
    if (s == HD_OK) s = design_fill(&g);
    ctx->note = note;
    if (s == HD_OK)
        *design = d;
    else
        hd_design_free(d);
    return s;
}

void hd_design_free(struct hd_design *design)
{
    if (design) hd_owned_free(design->arena);
}
