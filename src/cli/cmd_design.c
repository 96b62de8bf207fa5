/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle design: candidate fabrics for a number of endpoints, compared by cost and bandwidth. The table names designs
 * by number; specs and commands follow it. */
#include "cli.h"
#include "table.h"

#include <math.h>
#include <string.h>

static void design_json_row(struct hd_json *j, const struct hd_design_row *r)
{
    hd_json_open(j, NULL, '{');
    hd_json_fields(j, hd_text("family", r->family), hd_text("spec", r->spec), hd_uint("endpoints", r->endpoints),
                   hd_uint("switches", r->switches), hd_uint("cables", r->cables),
                   hd_uint("switch_cables", r->switch_cables), hd_uint("planes", r->planes),
                   hd_uint("copper", r->copper), hd_uint("optical", r->optical), hd_uint("optics", r->optics),
                   hd_real("metres", r->metres), hd_real("longest", r->longest), hd_real("watts", r->watts),
                   hd_real("cost", r->cost), hd_text("table", r->table), hd_real("ebb", r->ebb),
                   hd_real("ebb_ci", r->ebb_ci), hd_uint("samples", r->samples), hd_real("worst", r->worst),
                   hd_text("lost", r->lost), hd_text("lost_table", r->lost_table), hd_real("ebb_lost", r->ebb_lost),
                   hd_real("ebb_lost_ci", r->ebb_lost_ci), hd_uint("grows_to", r->grows_to), hd_uint("lids", r->lids),
                   hd_bool("one_subnet", r->lids <= HD_MAX_LID), hd_bool("pareto", r->pareto));
    hd_json_object(j, "commands", hd_text("ebb", r->eval), hd_text("worst", r->eval_worst),
                   hd_text("ebb_lost", r->eval_lost));
    hd_json_close(j, '}');
}

static void print_design_json(struct cli *cli, const struct hd_design *d)
{
    const struct hd_design_prices *p = &d->prices;
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_uint("endpoints", d->in.endpoints), hd_uint("radix", d->in.radix),
                   hd_uint("rails", d->in.rails));
    hd_json_object(&j, "prices", hd_text("currency", p->currency), hd_real("switch_port", p->switch_port),
                   hd_real("switch_port_watts", p->switch_port_watts), hd_real("copper", p->copper),
                   hd_real("copper_metre", p->copper_metre), hd_real("copper_watts", p->copper_watts),
                   hd_real("copper_reach", p->copper_reach), hd_real("optic", p->optic),
                   hd_real("optic_watts", p->optic_watts), hd_real("fibre", p->fibre),
                   hd_real("fibre_metre", p->fibre_metre));
    hd_json_open(&j, "rows", '[');
    for (uint32_t i = 0; i < d->nrow; i++) design_json_row(&j, &d->row[i]);
    hd_json_close(&j, ']');
    hd_json_open(&j, "notes", '[');
    for (uint32_t i = 0; i < d->nnote; i++) hd_json_fields(&j, hd_text(NULL, d->note[i]));
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void csv_real(struct hd_out *o, double value)
{
    if (!isnan(value)) hd_printf(o, "%.9g", value);
    hd_puts(o, ",");
}

static void csv_text(struct hd_out *o, const char *text)
{
    if (text) hd_put_csv(o, text, false);
    hd_puts(o, ",");
}

static void print_design_csv(struct cli *cli, const struct hd_design *d)
{
    struct hd_out *o = cli->out;
    hd_puts(o, "family,spec,endpoints,switches,cables,switch_cables,planes,copper,optical,optics,metres,longest,watts,"
               "cost,table,ebb,ebb_ci,samples,worst,lost,ebb_lost,grows_to,lids,pareto\n");
    for (uint32_t i = 0; i < d->nrow; i++) {
        const struct hd_design_row *r = &d->row[i];
        csv_text(o, r->family);
        csv_text(o, r->spec);
        hd_printf(o, "%u,%u,%u,%u,%u,%u,%u,%u,", r->endpoints, r->switches, r->cables, r->switch_cables, r->planes,
                  r->copper, r->optical, r->optics);
        csv_real(o, r->metres);
        csv_real(o, r->longest);
        csv_real(o, r->watts);
        csv_real(o, r->cost);
        csv_text(o, r->table);
        csv_real(o, r->ebb);
        csv_real(o, r->ebb_ci);
        hd_printf(o, "%llu,", (unsigned long long)r->samples);
        csv_real(o, r->worst);
        csv_text(o, r->lost);
        csv_real(o, r->ebb_lost);
        hd_printf(o, "%llu,%u,%s\n", (unsigned long long)r->grows_to, r->lids, r->pareto ? "true" : "false");
    }
}

/* ---- text ----------------------------------------------------------------------------------- */

static void design_cell(struct table *t, double value, int digits)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, "%.*f", digits, value);
}

static hd_status print_design_table(struct cli *cli, const struct hd_design *d)
{
    struct table t;
    double most = 0;
    for (uint32_t i = 0; i < d->nrow; i++) most = fmax(most, d->row[i].cost);
    double unit = most >= 1e7 ? 1e6 : most >= 1e4 ? 1e3 : 1;
    bool lengths = d->in.racks;
    char titles[200];
    snprintf(titles, sizeof titles,
             ">#||design|>endpoints|>switches|>cables|~>optics%s|~>kW|>cost %s|>EBB|~>ci|~>worst|~>1 lost|~>grows to",
             lengths ? "|~>km" : "",
             unit == 1e6   ? "/M"
             : unit == 1e3 ? "/k"
                           : "");
    hd_status s = table_init(cli->ctx, &t, titles);
    if (s != HD_OK) return s;
    for (uint32_t i = 0; i < d->nrow; i++) {
        const struct hd_design_row *r = &d->row[i];
        table_cell(&t, "%u", i + 1);
        table_cell(&t, "%s", r->pareto ? "*" : "");
        table_cell(&t, "%s", r->family);
        table_cell(&t, "%u", r->endpoints);
        table_cell(&t, "%u", r->switches);
        table_cell(&t, "%u", r->cables);
        table_cell(&t, "%u", r->optics);
        if (lengths) design_cell(&t, r->metres / 1000, 1);
        design_cell(&t, r->watts / 1000, 1);
        design_cell(&t, r->cost / unit, 2);
        design_cell(&t, r->ebb, 3);
        design_cell(&t, r->ebb_ci, 3);
        design_cell(&t, r->worst, 0);
        design_cell(&t, r->ebb_lost, 3);
        table_cell(&t, "%llu", (unsigned long long)r->grows_to);
    }
    table_print(&t, cli->out);
    return HD_OK;
}

/* The table, and below it what its numbers stand for. */
static hd_status print_design_rows(struct cli *cli, const struct hd_design *d)
{
    struct hd_out *o = cli->out;
    hd_status s = print_design_table(cli, d);
    if (s != HD_OK) return s;
    hd_puts(o, "\n* no design costs less and has more EBB (Pareto front)\n");
    hd_puts(o, "\nSpecs, and the commands that give EBB, worst and 1 lost:\n");
    for (uint32_t i = 0; i < d->nrow; i++) {
        const struct hd_design_row *r = &d->row[i];
        const char *const command[] = {r->eval, r->eval_worst, r->eval_lost};
        hd_printf(o, "%3u  %s\n", i + 1, r->eval ? r->eval : r->spec);
        for (size_t k = 1; k < 3; k++)
            if (command[k]) hd_printf(o, "     %s\n", command[k]);
    }
    if (d->nnote) hd_puts(o, "\n");
    return HD_OK;
}

static hd_status print_design_text(struct cli *cli, const struct hd_design *d)
{
    struct hd_out *o = cli->out;
    hd_printf(o, "%llu endpoints, switches of %llu ports", (unsigned long long)d->in.endpoints,
              (unsigned long long)d->in.radix);
    if (d->in.rails > 1) hd_printf(o, ", %llu rails", (unsigned long long)d->in.rails);
    hd_printf(o, "; cost in %s\n\n", d->prices.currency);
    hd_status s = d->nrow ? print_design_rows(cli, d) : HD_OK;
    if (s != HD_OK) return s;
    for (uint32_t i = 0; i < d->nnote; i++) hd_put_wrapped(o, 0, 0, d->note[i]);
    return HD_OK;
}

static hd_status write_chart(struct cli *cli, const struct hd_design *d)
{
    struct hd_out *o;
    hd_status s = hd_out_open(cli->ctx, cli->v.output, &o);
    return s == HD_OK ? hd_out_end(cli->ctx, o, hd_design_chart(cli->ctx, d, o)) : s;
}

hd_status run_design(struct cli *cli)
{
    const struct values *v = &cli->v;
    struct hd_design *d;
    if (!v->wanted.given || !v->radix.given) return usage_error(cli, "design: expected --endpoints N --radix R");
    if (v->json && v->csv) return usage_error(cli, "--json and --csv exclude each other");
    const struct hd_design_in in = {.endpoints = v->wanted.value,
                                    .radix = v->radix.value,
                                    .rails = v->adapters.given ? v->adapters.value : 1,
                                    .prices = v->prices,
                                    .racks = v->racks};
    if (in.rails > in.endpoints) return usage_error(cli, "--rails: expected at most one rail per endpoint");
    hd_status s = hd_design_make(cli->ctx, &in, &d);
    if (s != HD_OK) return s;
    bool taken = v->output && strcmp(v->output, "-") == 0; /* then the picture is the output */
    if (v->json)
        print_design_json(cli, d);
    else if (v->csv && !taken)
        print_design_csv(cli, d);
    else if (!taken)
        s = print_design_text(cli, d);
    if (s == HD_OK && !d->nrow)
        hd_note(cli->ctx, "design: no design has %llu endpoints with switches of %llu ports",
                (unsigned long long)in.endpoints, (unsigned long long)in.radix);
    if (s == HD_OK && v->output) s = write_chart(cli, d); /* last: nothing that may fail comes after the file */
    hd_design_free(d);
    return s;
}
