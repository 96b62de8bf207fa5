/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as one JSON object, schema 1. Names are those of struct hd_report; a figure has the command that prints
 * it and the place of its value in that command's own JSON. */
#include "report/report_options.h"
#include "tool/json.h"

#include <math.h>

static void json_put_figure(struct hd_json *j, const struct hd_report_quantity *q, const struct hd_report_figure *f)
{
    hd_json_open(j, q->name, '{');
    hd_json_real(j, "value", f->value);
    hd_json_real(j, "ci", f->ci);
    hd_json_real(j, "bound", f->bound);
    hd_json_text(j, "command", f->command);
    hd_json_text(j, "field", q->field);
    hd_json_close(j, '}');
}

static void json_put_option(struct hd_json *j, const struct hd_report *r, const struct hd_report_option *o)
{
    hd_json_open(j, NULL, '{');
    hd_json_text(j, "table", o->table);
    hd_json_bool(j, "current", o->current);
    hd_json_text(j, "why_not", o->why_not);
    if (hd_measured(o)) {
        hd_json_text(j, "command", o->command);
        if (o->deadlock_free < 0)
            hd_json_null(j, "deadlock_free");
        else
            hd_json_bool(j, "deadlock_free", o->deadlock_free);
        if (o->lanes)
            hd_json_uint(j, "lanes", o->lanes);
        else
            hd_json_null(j, "lanes");
        hd_json_uint(j, "unreachable", o->unreachable);
        hd_json_uint(j, "loops", o->loops);
        hd_json_uint(j, "nonminimal", o->nonminimal);
        hd_json_uint(j, "variants", o->variants);
        hd_json_real(j, "score", o->score);
        hd_json_text(j, "mark", o->mark);
        hd_json_open(j, "figures", '{');
        for (uint32_t q = 0; q < r->nquantity; q++) json_put_figure(j, &r->quantity[q], &o->figure[q]);
        hd_json_close(j, '}');
    }
    hd_json_close(j, '}');
}

static void json_put_lines(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "facts", '{');
    for (uint32_t i = 0; i < r->nfact; i++) hd_json_text(j, r->fact_name[i], r->fact_text[i]);
    hd_json_close(j, '}');
    hd_json_open(j, "findings", '[');
    for (uint32_t i = 0; i < r->nfinding; i++) {
        hd_json_open(j, NULL, '{');
        hd_json_text(j, "verdict", hd_verdict_name(r->finding[i].verdict));
        hd_json_text(j, "subject", r->finding[i].subject);
        hd_json_text(j, "text", r->finding[i].text);
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

static void json_put_hsd(struct hd_json *j, const char *key, const struct hd_hsd *h)
{
    hd_json_open(j, key, '{');
    hd_json_real(j, "hsd", h->average);
    hd_json_real(j, "max", h->max);
    hd_json_real(j, "bandwidth", h->bandwidth);
    hd_json_close(j, '}');
}

static void json_put_order(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "order", '{');
    hd_json_text(j, "how", r->order_how);
    hd_json_text(j, "claim", r->order_claim);
    hd_json_text(j, "command", r->order_command);
    for (uint32_t i = 0; i < r->nbefore_after; i++) {
        const struct hd_report_before_after *b = &r->before_after[i];
        hd_json_open(j, hd_case_name(b->use), '{');
        json_put_hsd(j, "before", &b->before);
        json_put_hsd(j, "after", &b->after);
        hd_json_real(j, "bound", b->bound);
        hd_json_close(j, '}');
    }
    hd_json_close(j, '}');
}

static void json_put_what_if(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "what_if", '[');
    for (uint32_t i = 0; i < r->nwhat_if; i++) {
        const struct hd_report_what_if *w = &r->what_if[i];
        hd_json_open(j, NULL, '{');
        hd_json_text(j, "what", w->what);
        hd_json_uint(j, "cases", w->cases);
        hd_json_uint(j, "samples", w->samples);
        const struct {
            const char *name;
            double value;
        } reals[] = {{"ebb_before", w->ebb_before},       {"ci", w->ci},
                     {"lost_mean", w->lost_mean},         {"lost_max", w->lost_max},
                     {"stays_mean", w->stays_mean},       {"stays_min", w->stays_min},
                     {"rerouted_mean", w->rerouted_mean}, {"rerouted_min", w->rerouted_min},
                     {"changed_mean", w->changed_mean}};
        for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) hd_json_real(j, reals[k].name, reals[k].value);
        hd_json_text(j, "worst", w->worst);
        hd_json_text(j, "command", w->command);
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

static void json_put_port(struct hd_json *j, const char *key, uint32_t port)
{
    if (port)
        hd_json_uint(j, key, port);
    else
        hd_json_null(j, key);
}

static void json_put_repair(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "repair", '{');
    hd_json_open(j, "cables", '[');
    for (uint32_t i = 0; i < r->nrepair; i++) {
        const struct hd_report_repair *x = &r->repair[i];
        hd_json_open(j, NULL, '{');
        hd_json_bool(j, "missing", x->missing);
        hd_json_text(j, "from", x->from);
        json_put_port(j, "from_port", x->from_port);
        hd_json_text(j, "to", x->to);
        json_put_port(j, "to_port", x->to_port);
        hd_json_text(j, "link", *x->link ? x->link : NULL);
        hd_json_text(j, "usual", *x->usual ? x->usual : NULL);
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
    hd_json_text(j, "table", r->repair_table);
    hd_json_uint(j, "samples", r->repair_samples);
    hd_json_real(j, "ebb_before", r->repair_table ? r->repair_before : NAN);
    hd_json_real(j, "ebb_after", r->repair_table ? r->repair_after : NAN);
    hd_json_text(j, "command", r->repair_command);
    hd_json_close(j, '}');
}

static void json_put_steps(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "steps", '[');
    for (uint32_t i = 0; i < r->nstep; i++) {
        hd_json_open(j, NULL, '{');
        hd_json_text(j, "what", r->step[i].what);
        hd_json_text(j, "path", r->step[i].path);
        hd_json_text(j, "command", r->step[i].command);
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
    hd_json_open(j, "notes", '[');
    for (uint32_t i = 0; i < r->nnote; i++) hd_json_text(j, NULL, r->note[i]);
    hd_json_close(j, ']');
}

hd_status hd_report_json(struct hd_ctx *ctx, const struct hd_report *r, struct hd_out *o)
{
    struct hd_json j;
    (void)ctx;
    hd_json_init(&j, o);
    hd_json_open(&j, NULL, '{');
    hd_json_uint(&j, "schema", 1);
    hd_json_text(&j, "net", r->net->spec);
    hd_json_text(&j, "command", r->command);
    hd_json_text(&j, "goal", r->goal);
    hd_json_text(&j, "verdict", hd_verdict_name(r->verdict));
    hd_json_text(&j, "headline", r->headline);
    json_put_lines(&j, r);
    hd_json_text(&j, "best", r->best < r->noption ? r->option[r->best].table : NULL);
    hd_json_text(&j, "reason", r->reason);
    hd_json_text(&j, "rule", r->rule);
    hd_json_open(&j, "options", '[');
    for (uint32_t i = 0; i < r->noption; i++) json_put_option(&j, r, &r->option[i]);
    hd_json_close(&j, ']');
    json_put_order(&j, r);
    json_put_what_if(&j, r);
    json_put_repair(&j, r);
    json_put_steps(&j, r);
    hd_json_close(&j, '}');
    return HD_OK;
}
