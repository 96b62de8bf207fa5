/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as one JSON object, schema 1. Names are those of struct hd_report; a figure has the command that prints
 * it and the place of its value in that command's own JSON. */
#include "report/report_options.h"
#include "tool/json.h"

#include <math.h>
#include <string.h>

static void json_put_figure(struct hd_json *j, const struct hd_report_quantity *q, const struct hd_report_figure *f)
{
    hd_json_object(j, q->name, hd_real("value", f->value), hd_real("ci", f->ci), hd_real("bound", f->bound),
                   hd_text("command", f->command), hd_text("field", q->field));
}

static void json_put_option(struct hd_json *j, const struct hd_report *r, const struct hd_report_option *o)
{
    hd_json_open(j, NULL, '{');
    hd_json_fields(j, hd_text("table", o->table), hd_text("label", hd_option_label(r, (uint32_t)(o - r->option))),
                   hd_text("routing_engine", o->native), hd_bool("current", o->current),
                   hd_text("why_not", o->why_not));
    if (hd_measured(o)) {
        hd_json_fields(j, hd_text("command", o->command), hd_bool("deadlock_free", o->deadlock_free),
                       hd_uint_if("lanes", o->lanes, o->lanes), hd_uint("unreachable", o->unreachable),
                       hd_uint("loops", o->loops), hd_uint("nonminimal", o->nonminimal),
                       hd_uint("variants", o->variants), hd_real("score", o->score), hd_text("mark", o->mark));
        hd_json_open(j, "figures", '{');
        for (uint32_t q = 0; q < r->nquantity; q++) json_put_figure(j, &r->quantity[q], &o->figure[q]);
        hd_json_close(j, '}');
    }
    hd_json_close(j, '}');
}

static void json_put_lines(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "facts", '{');
    for (uint32_t i = 0; i < r->nfact; i++) hd_json_fields(j, hd_text(r->fact_name[i], r->fact_text[i]));
    hd_json_close(j, '}');
    hd_json_open(j, "findings", '[');
    for (uint32_t i = 0; i < r->nfinding; i++)
        hd_json_object(j, NULL, hd_text("verdict", hd_verdict_name(r->finding[i].verdict)),
                       hd_text("subject", r->finding[i].subject), hd_text("text", r->finding[i].text));
    hd_json_close(j, ']');
}

static void json_put_hsd(struct hd_json *j, const char *key, const struct hd_hsd *h)
{
    hd_json_object(j, key, hd_real("hsd", h->average), hd_real("max", h->max), hd_real("bandwidth", h->bandwidth));
}

static void json_put_choices(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "choices", '[');
    for (uint32_t i = 0; i < r->nchoice; i++) {
        const struct hd_report_choice *c = &r->choice[i];
        const struct hd_report_option *o = &r->option[c->option];
        hd_json_object(j, NULL, hd_text("name", c->name), hd_text("what", c->what), hd_text("table", o->table),
                       hd_text("routing_engine", strcmp(c->name, "opensm.conf") == 0 ? o->native : NULL),
                       hd_real("value", c->value), hd_real("gain", c->gain), hd_real("gain_error", c->error),
                       hd_bool("heals", c->heals), hd_bool("measured_by_opensm", o->run),
                       hd_bool("recommended", c->take), hd_text("cost", c->cost), hd_text("known", c->known),
                       hd_text("command", c->command));
    }
    hd_json_close(j, ']');
}

static void json_put_order(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "order", '{');
    hd_json_fields(j, hd_text("how", r->order_how), hd_text("claim", r->order_claim),
                   hd_text("command", r->order_command));
    for (uint32_t i = 0; i < r->nbefore_after; i++) {
        const struct hd_report_before_after *b = &r->before_after[i];
        hd_json_open(j, hd_case_name(b->use), '{');
        json_put_hsd(j, "before", &b->before);
        json_put_hsd(j, "after", &b->after);
        hd_json_fields(j, hd_real("bound", b->bound));
        hd_json_close(j, '}');
    }
    hd_json_close(j, '}');
}

static void json_put_what_if(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "what_if", '[');
    for (uint32_t i = 0; i < r->nwhat_if; i++) {
        const struct hd_report_what_if *w = &r->what_if[i];
        hd_json_object(j, NULL, hd_text("what", w->what), hd_uint("cases", w->cases), hd_uint("samples", w->samples),
                       hd_real("ebb_before", w->ebb_before), hd_real("ci", w->ci), hd_real("lost_mean", w->lost_mean),
                       hd_real("lost_max", w->lost_max), hd_real("stays_mean", w->stays_mean),
                       hd_real("stays_min", w->stays_min), hd_real("rerouted_mean", w->rerouted_mean),
                       hd_real("rerouted_min", w->rerouted_min), hd_real("changed_mean", w->changed_mean),
                       hd_text("worst", w->worst), hd_text("command", w->command));
    }
    hd_json_close(j, ']');
}

static void json_put_repair(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "repair", '{');
    hd_json_open(j, "cables", '[');
    for (uint32_t i = 0; i < r->nrepair; i++) {
        const struct hd_report_repair *x = &r->repair[i];
        hd_json_object(j, NULL, hd_text("kind", x->kind), hd_bool("missing", strcmp(x->kind, "missing") == 0),
                       hd_text("text", x->text), hd_text("from", x->from),
                       hd_uint_if("from_port", x->from_port, x->from_port), hd_text("to", x->to),
                       hd_uint_if("to_port", x->to_port, x->to_port), hd_text_if("link", x->link),
                       hd_text_if("usual", x->usual));
    }
    hd_json_close(j, ']');
    hd_json_fields(j, hd_text("table", r->repair_table), hd_uint("samples", r->repair_samples),
                   hd_real("ebb_before", r->repair_table ? r->repair_before : NAN),
                   hd_real("ebb_after", r->repair_table ? r->repair_after : NAN),
                   hd_text("command", r->repair_command));
    hd_json_close(j, '}');
}

static void json_put_steps(struct hd_json *j, const struct hd_report *r)
{
    hd_json_open(j, "steps", '[');
    for (uint32_t i = 0; i < r->nstep; i++)
        hd_json_object(j, NULL, hd_text("what", r->step[i].what), hd_text("path", r->step[i].path),
                       hd_text("command", r->step[i].command));
    hd_json_close(j, ']');
    hd_json_open(j, "notes", '[');
    for (uint32_t i = 0; i < r->nnote; i++) hd_json_fields(j, hd_text(NULL, r->note[i]));
    hd_json_close(j, ']');
}

hd_status hd_report_json(struct hd_ctx *ctx, const struct hd_report *r, struct hd_out *o)
{
    struct hd_json j;
    (void)ctx;
    hd_json_begin(&j, o);
    hd_json_fields(&j, hd_text("net", r->net->spec), hd_text("command", r->command), hd_text("goal", r->goal),
                   hd_text("verdict", hd_verdict_name(r->verdict)), hd_text("headline", r->headline));
    json_put_lines(&j, r);
    hd_json_fields(&j, hd_text("best", r->best < r->noption ? r->option[r->best].table : NULL),
                   hd_text("reason", r->reason), hd_text("rule", r->rule));
    json_put_choices(&j, r);
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
