/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle cables: planned cables against found ones, worst first, by the names on the rack. */
#include "cli.h"
#include "tool/cables.h"

#include <string.h>

static const struct hd_cables_row *cable_shown(const struct hd_cables_fault *f)
{
    return f->found ? f->found : f->planned;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_end(struct hd_json *j, const char *key, const struct hd_cables_end *e)
{
    char guid[24];
    snprintf(guid, sizeof guid, "0x%016llx", (unsigned long long)e->guid);
    hd_json_object(j, key, hd_text("node", e->node), hd_text("guid", e->guid ? guid : NULL),
                   hd_uint_if("port", e->port, e->port > 0), hd_text("label", e->label));
}

static void json_cable(struct hd_json *j, const char *key, const struct hd_cables_row *r)
{
    if (!r) return;
    if (key) hd_json_open(j, key, '{');
    json_end(j, "from", &r->end[0]);
    json_end(j, "to", &r->end[1]);
    if (key) hd_json_close(j, '}');
}

static void json_fault(struct hd_json *j, const struct hd_cables_fault *f)
{
    hd_json_open(j, NULL, '{');
    if (f->kind == HD_CABLES_DEAD) {
        hd_json_object(j, "from", hd_text("node", f->node), hd_text("guid", NULL), hd_text("port", NULL));
        hd_json_fields(j, hd_text("to", NULL), hd_uint("cables", f->cables));
    } else {
        json_cable(j, NULL, cable_shown(f));
    }
    if (f->kind == HD_CABLES_WRONG || f->kind == HD_CABLES_SWAPPED) json_cable(j, "planned", f->planned);
    if (f->kind == HD_CABLES_SWAPPED) {
        json_cable(j, "found2", f->found2);
        json_cable(j, "planned2", f->planned2);
    }
    if (f->kind == HD_CABLES_SLOW)
        hd_json_fields(j, hd_text("link", hd_link_name(f->found->link)),
                       hd_text("planned_link", hd_link_name(f->usual)));
    hd_json_fields(j, hd_real("cost", f->cost));
    if (f->planned && f->planned->line)
        hd_json_fields(j, hd_text("file", f->planned->file), hd_uint("line", f->planned->line));
    hd_json_close(j, '}');
}

static void print_cables_json(struct cli *cli, const struct hd_cables *c)
{
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_uint("planned", c->planned), hd_uint("found", c->found), hd_uint("as_planned", c->matched),
                   hd_uint("inside_chassis", c->inside), hd_uint("aggregation", c->aggregation));
    for (int kind = 0; kind < HD_CABLES_KINDS; kind++) {
        hd_json_open(&j, hd_cables_name((enum hd_cables_kind)kind), '[');
        for (uint32_t i = 0; i < c->nfault; i++)
            if (c->fault[i].kind == (enum hd_cables_kind)kind) json_fault(&j, &c->fault[i]);
        hd_json_close(&j, ']');
    }
    hd_json_open(&j, "renamed", '[');
    for (uint32_t i = 0; i < c->nrenamed; i++) {
        char guid[24];
        snprintf(guid, sizeof guid, "0x%016llx", (unsigned long long)c->renamed[i].guid);
        hd_json_object(&j, NULL, hd_text("planned", c->renamed[i].planned), hd_text("found", c->renamed[i].found),
                       hd_text("guid", guid));
    }
    hd_json_close(&j, ']');
    hd_json_close(&j, '}');
}

/* ---- text ----------------------------------------------------------------------------------- */

static void text_cable(struct hd_out *o, const struct hd_cables_row *r)
{
    for (int i = 0; i < 2; i++) {
        if (i) hd_puts(o, " - ");
        hd_put_visible(o, r->end[i].label, strlen(r->end[i].label));
    }
}

/* What it costs, where that is worth a word. */
static void text_cost(struct hd_out *o, const struct hd_cables_fault *f)
{
    if (f->cost > 0) hd_printf(o, f->cost < 0.1 ? ", up to %.2g %% of EBB" : ", up to %.0f %% of EBB", 100 * f->cost);
    hd_puts(o, "\n");
}

static void text_fault(struct hd_out *o, const struct hd_cables_fault *f)
{
    hd_printf(o, "%-9s", f->kind == HD_CABLES_WRONG ? "miswired" : hd_cables_name(f->kind));
    if (f->kind == HD_CABLES_DEAD) {
        hd_put_visible(o, f->node, strlen(f->node));
        hd_printf(o, ": not found, %u cable%s planned", f->cables, f->cables == 1 ? "" : "s");
        text_cost(o, f);
        return;
    }
    text_cable(o, cable_shown(f));
    if (f->kind == HD_CABLES_SWAPPED) {
        hd_puts(o, " and ");
        text_cable(o, f->found2);
    }
    if (f->kind == HD_CABLES_SLOW) hd_printf(o, ": %s, not %s", hd_link_name(f->found->link), hd_link_name(f->usual));
    if (f->kind == HD_CABLES_WRONG || f->kind == HD_CABLES_SWAPPED) {
        hd_puts(o, ", planned ");
        text_cable(o, f->planned);
    }
    if (f->kind == HD_CABLES_SWAPPED) {
        hd_puts(o, " and ");
        text_cable(o, f->planned2);
    }
    if (f->planned && f->planned->line && f->kind != HD_CABLES_SLOW) {
        hd_puts(o, " (");
        hd_put_visible(o, f->planned->file, SIZE_MAX);
        hd_printf(o, ":%u)", f->planned->line);
    }
    text_cost(o, f);
}

/* A site may have renamed all of its hosts: some are named. */
static void text_renamed(struct hd_out *o, const struct hd_cables *c)
{
    enum { MOST_NAMED = 8 };
    hd_printf(o, "renamed          %u: ", c->nrenamed);
    for (uint32_t i = 0; i < c->nrenamed && i < MOST_NAMED; i++) {
        hd_puts(o, i ? ", " : "");
        hd_put_visible(o, c->renamed[i].planned, SIZE_MAX);
        hd_puts(o, " is now ");
        hd_put_visible(o, c->renamed[i].found, SIZE_MAX);
    }
    if (c->nrenamed > MOST_NAMED) hd_printf(o, " and %u more", c->nrenamed - MOST_NAMED);
    hd_puts(o, "\n");
}

static void print_cables_text(struct cli *cli, const struct hd_cables *c)
{
    struct hd_out *o = cli->out;
    hd_printf(o, "planned          %u cables\nfound            %u", c->planned, c->found);
    if (c->inside) hd_printf(o, ", and %u inside a chassis", c->inside);
    if (c->aggregation) hd_printf(o, ", and %u of aggregation nodes", c->aggregation);
    hd_printf(o, "\nas planned       %u\n", c->matched);
    hd_printf(o, "differences      %u miswired, %u swapped, %u missing, %u slow, %u extra, %u devices not found\n",
              c->count[HD_CABLES_WRONG], c->count[HD_CABLES_SWAPPED], c->count[HD_CABLES_MISSING],
              c->count[HD_CABLES_SLOW], c->count[HD_CABLES_EXTRA], c->count[HD_CABLES_DEAD]);
    if (c->nrenamed) text_renamed(o, c);
    if (c->nfault) hd_puts(o, "\n");
    for (uint32_t i = 0; i < c->nfault; i++) text_fault(o, &c->fault[i]);
}

hd_status run_cables(struct cli *cli)
{
    struct hd_cables *c;
    uint32_t nplan = (uint32_t)cli->nargs - 1;
    hd_status s = hd_cables_compare(cli->ctx, cli->arg, nplan, cli->arg[nplan], &cli->v.open, &c);
    if (s != HD_OK) return s;
    if (cli->v.json)
        print_cables_json(cli, c);
    else
        print_cables_text(cli, c);
    s = c->nfault ? HD_FAULT : HD_OK;
    hd_cables_free(c);
    return s;
}
