/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle topo: a description of a network, or the network in another format. */
#include "cli.h"
#include "table.h"
#include "tool/planes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The format that a file's name asks for by its extension; NULL: none. */
static const char *format_of_name(const char *path)
{
    static const char *const others[][2] = {{"yaml", "slurm-yaml"}, {"conf", "slurm"}, {"csv", "ptp"}};
    const char *point = path ? strrchr(path, '.') : NULL;
    if (!point || strchr(point, '/')) return NULL;
    for (size_t i = 0; hd_net_format_at(i); i++)
        if (strcmp(point + 1, hd_net_format_at(i)->name) == 0) return hd_net_format_at(i)->name;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(point + 1, others[i][0]) == 0) return others[i][1];
    return NULL;
}

static hd_status convert_net(struct cli *cli, const struct hd_net *net)
{
    const char *by_name = format_of_name(cli->v.output),
               *format = cli->v.format ? cli->v.format
                         : by_name     ? by_name
                                       : hd_net_format_at(0)->name,
               *path = cli->v.output ? cli->v.output : "-";
    struct hd_out *o;
    hd_status s = hd_out_open(cli->ctx, path, &o);
    if (s != HD_OK) return s;
    return hd_out_end(cli->ctx, o, hd_net_write(cli->ctx, net, format, o));
}

static const char *kind_name(const struct hd_net *net, const struct hd_topo_info *t)
{
    static const char *const names[] = {
        [HD_SHAPE_NONE] = "irregular", [HD_SHAPE_TREE] = "tree", [HD_SHAPE_GRID] = "grid"};
    return t->layered ? "tree" : names[net->shape.kind];
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_roles(struct hd_json *j, const struct hd_topo_info *t)
{
    hd_json_open(j, "roles", '{');
    for (int i = 0; i < HD_ROLES; i++) hd_json_fields(j, hd_uint(hd_role_name((enum hd_role)i), t->by_role[i]));
    hd_json_close(j, '}');
}

static void json_levels(struct hd_json *j, const struct hd_topo_info *t)
{
    hd_json_open(j, "ports_per_level", '[');
    for (uint32_t l = 1; l <= t->levels; l++) hd_json_fields(j, hd_uint(NULL, t->level[l].ports_max));
    hd_json_close(j, ']');
    hd_json_open(j, "switches_per_level", '[');
    for (uint32_t l = 1; l <= t->levels; l++) hd_json_fields(j, hd_uint(NULL, t->level[l].switches));
    hd_json_close(j, ']');
    hd_json_open(j, "oversubscription", '[');
    for (uint32_t l = 1; l <= t->levels; l++)
        if (t->level[l].up_cables) hd_json_fields(j, hd_real(NULL, t->level[l].oversubscription));
    hd_json_close(j, ']');
}

struct json_list {
    struct hd_json *j;
    const struct hd_net *net;
};

static void json_missing(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    const struct json_list *at = user;
    hd_json_object(at->j, NULL, hd_text("from", hd_node_name(at->net, u)), hd_text("to", hd_node_name(at->net, v)),
                   hd_uint("cables", k));
}

static void json_plug(const struct json_list *at, const char *key, const struct hd_plug *plug)
{
    char guid[24] = "";
    bool known = plug->node != UINT32_MAX;
    if (known) snprintf(guid, sizeof guid, "0x%016llx", (unsigned long long)at->net->guid[plug->node]);
    hd_json_object(at->j, key, hd_text("node", known ? hd_node_name(at->net, plug->node) : plug->name),
                   hd_text("guid", known ? guid : NULL), hd_uint_if("port", plug->port, plug->port != 0));
}

static void json_cable(const struct json_list *at, const char *key, const struct hd_plug *from,
                       const struct hd_plug *to)
{
    hd_json_open(at->j, key, '{');
    json_plug(at, "from", from);
    json_plug(at, "to", to);
    hd_json_close(at->j, '}');
}

static void json_fault(const struct json_list *at, const struct hd_cabling *cabling, const struct hd_cabling_fault *f)
{
    struct hd_json *j = at->j;
    hd_json_open(j, NULL, '{');
    json_plug(at, "from", &f->from);
    json_plug(at, "to", &f->to);
    if (f->kind == HD_CABLING_SWAPPED) json_cable(at, "with", &f->from2, &f->to2);
    if (f->kind == HD_CABLING_WRONG && f->from2.node != UINT32_MAX) json_cable(at, "expected", &f->from2, &f->to2);
    if (f->kind == HD_CABLING_SLOW)
        hd_json_fields(j, hd_text("rate", hd_link_name(f->link)), hd_text("usual", hd_link_name(f->usual)));
    if (f->kind == HD_CABLING_DEAD) {
        hd_json_open(j, "cables", '[');
        for (uint32_t i = 0; i < f->n; i++)
            json_cable(at, NULL, &cabling->lost[f->first + i].from, &cabling->lost[f->first + i].to);
        hd_json_close(j, ']');
    }
    hd_json_fields(j, hd_real("gain", f->gain));
    hd_json_close(j, '}');
}

static void json_cabling(const struct json_list *at, const struct hd_cabling *cabling)
{
    hd_json_open(at->j, "cabling", '{');
    for (enum hd_cabling_kind kind = 0; kind < HD_CABLING_KINDS; kind++) {
        hd_json_open(at->j, hd_cabling_name(kind), '[');
        for (uint32_t i = 0; i < cabling->n; i++)
            if (cabling->fault[i].kind == kind) json_fault(at, cabling, &cabling->fault[i]);
        hd_json_close(at->j, ']');
    }
    hd_json_close(at->j, '}');
}

static void json_planes(const struct json_list *at, const struct hd_planes *planes)
{
    if (!planes->n) return;
    hd_json_open(at->j, "planes", '{');
    hd_json_fields(at->j, hd_uint("count", planes->n), hd_uint("systems", planes->systems));
    hd_json_open(at->j, "differences", '[');
    for (uint32_t i = 0; i < planes->ndifference; i++) {
        const struct hd_plane_difference *d = &planes->difference[i];
        hd_json_open(at->j, NULL, '{');
        hd_json_fields(at->j, hd_uint("part", d->part), hd_text("kind", d->missing ? "missing" : "extra"));
        json_plug(at, "from", &d->from);
        json_plug(at, "to", &d->to);
        hd_json_close(at->j, '}');
    }
    hd_json_close(at->j, ']');
    hd_json_close(at->j, '}');
}

static hd_status print_topo_json(struct cli *cli, const struct hd_net *net, const struct hd_topo_info *t,
                                 const struct hd_cabling *cabling, const struct hd_planes *planes)
{
    struct hd_json j;
    char shape[HD_MAX_SPEC];
    hd_shape_spec(&net->shape, shape);
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_text("net", net->spec), hd_text("kind", kind_name(net, t)), hd_text_if("shape", shape),
                   hd_text_if("form", t->form), hd_uint("endpoints", t->endpoints), hd_uint("selected", t->selected));
    json_roles(&j, t);
    hd_json_fields(&j, hd_uint("switches", t->switches), hd_uint("unused_switches", t->unused),
                   hd_uint("cables", t->cables), hd_uint("switch_cables", t->switch_cables),
                   hd_uint("levels", t->levels));
    json_levels(&j, t);
    hd_json_fields(&j, hd_text_if("clos", t->clos), hd_uint("hosts", t->hosts), hd_uint("rails", t->rails),
                   hd_uint("parts", t->parts), hd_uint_if("diameter", t->diameter, t->distances_known),
                   hd_real("mean_distance", t->distances_known ? t->mean_distance : NAN),
                   hd_uint("missing", t->missing), hd_uint("absent", t->absent),
                   hd_uint("degraded_parts", t->degraded));
    hd_json_open(&j, "degraded", '[');
    hd_status s = hd_shape_each_missing(cli->ctx, net, json_missing, &(struct json_list){&j, net});
    hd_json_close(&j, ']');
    json_cabling(&(struct json_list){&j, net}, cabling);
    json_planes(&(struct json_list){&j, net}, planes);
    hd_json_fields(&j, hd_text_if("departs", net->departs));
    hd_json_close(&j, '}');
    return s;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void range_cell(struct table *t, uint32_t min, uint32_t max)
{
    if (min == max)
        table_cell(t, "%u", max);
    else
        table_cell(t, "%u-%u", min, max);
}

static hd_status print_levels(struct cli *cli, const struct hd_topo_info *t)
{
    struct table table;
    hd_status s = table_init(cli->ctx, &table, ">level|>switches|~>endpoints|~>ports|>down|>up|>oversubscription");
    if (s != HD_OK) return s;
    for (uint32_t l = t->levels; l >= 1; l--) {
        const struct hd_level_info *i = &t->level[l];
        table_cell(&table, "%u", l);
        table_cell(&table, "%u", i->switches);
        table_cell(&table, "%u", i->endpoints);
        range_cell(&table, i->ports_min, i->ports_max);
        table_cell(&table, "%u", i->down_cables);
        table_cell(&table, "%u", i->up_cables);
        if (i->up_cables)
            table_cell(&table, "%.3g", i->oversubscription);
        else
            table_cell(&table, "-");
    }
    table_print(&table, cli->out);
    return HD_OK;
}

static void print_cabling(struct hd_out *o, const struct hd_net *net, const struct hd_cabling *cabling)
{
    enum { SHOWN = 40, KIND = 11 };
    char text[600], kind[KIND];
    if (!cabling->n) return;
    hd_puts(o, "\n");
    put_field(o, 0, "", "%u cabling fault%s:", cabling->n, cabling->n == 1 ? "" : "s, most valuable repair first");
    for (uint32_t i = 0; i < cabling->n && i < SHOWN; i++) {
        hd_cabling_text(net, cabling, &cabling->fault[i], text, sizeof text);
        snprintf(kind, sizeof kind, "  %s", hd_cabling_name(cabling->fault[i].kind));
        put_field(o, KIND, kind, "%s", text);
    }
    if (cabling->n > SHOWN) hd_puts(o, "  ... (--json lists them all)\n");
}

/* Appends to a list: ", " goes before every item but the first. */
static void list_add(char *list, size_t size, const char *fmt, ...) HD_PRINTF(3, 4);
static void list_add(char *list, size_t size, const char *fmt, ...)
{
    size_t used = strlen(list);
    va_list ap;
    va_start(ap, fmt);
    if (used && used + 2 < size) memcpy(list + used, ", ", 3), used += 2;
    vsnprintf(list + used, size - used, fmt, ap);
    va_end(ap);
}

static void print_links(struct hd_out *o, const struct hd_topo_info *t)
{
    char list[2000] = "";
    for (uint32_t i = 0; i < 256; i++)
        if (t->by_link[i])
            list_add(list, sizeof list, "%u %s", t->by_link[i], i ? hd_link_name((uint8_t)i) : "of unknown rate");
    put_field(o, FIELD_LABEL, "links", "%s", *list ? list : "none");
}

/* Which kinds of endpoints there are, if there are several. */
static void print_roles(struct hd_out *o, const struct hd_topo_info *t)
{
    char list[200] = "";
    if (t->by_role[HD_ROLE_HOST] == t->endpoints) return;
    for (int i = 0; i < HD_ROLES; i++)
        if (t->by_role[i]) list_add(list, sizeof list, "%u %s", t->by_role[i], hd_role_name((enum hd_role)i));
    put_field(o, FIELD_LABEL, "roles", "%s", list);
}

/* That of one plane, where the top level has no switches but stands for the planes. */
static struct hd_shape plane_shape(const struct hd_net *net)
{
    struct hd_shape shape = net->shape;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] == shape.n) return shape;
    if (shape.n > 1) shape.n--;
    return shape;
}

static void print_kind(struct hd_out *o, const struct hd_net *net, const struct hd_topo_info *t)
{
    char shape[HD_MAX_SPEC], why[160];
    hd_shape_spec(&net->shape, shape);
    if (*t->form)
        put_field(o, FIELD_LABEL, "kind", "%s", t->form);
    else
        put_field(o, FIELD_LABEL, "kind", "%s%s%s", kind_name(net, t), *shape ? " " : "", shape);
    if (*net->departs && !*t->form) put_field(o, FIELD_LABEL, "", "%s", net->departs);
    if (net->shape.kind != HD_SHAPE_TREE) return;
    if (*t->clos) put_field(o, FIELD_LABEL, "Clos class", "%s", t->clos);
    const struct hd_shape one = plane_shape(net);
    if (hd_rlft_check(&one, why))
        put_field(o, FIELD_LABEL, "RLFT", "yes%s", net->shape.missing ? ", apart from missing cables" : "");
    else
        put_field(o, FIELD_LABEL, "RLFT", "no: %s", why);
}

/* "name port 5" of an end of a cable that planes do not all have. */
static const char *plane_end(const struct hd_net *net, const struct hd_plug *plug, char text[300])
{
    const char *name = plug->name ? plug->name : "a system without an ASIC there";
    if (plug->node != UINT32_MAX) name = hd_node_label(net, plug->node);
    if (plug->port)
        snprintf(text, 300, "%.250s port %u", name, plug->port);
    else
        snprintf(text, 300, "%.250s", name);
    return text;
}

/* Copies of one network, and what is not the same in them. */
static void print_planes(struct hd_out *o, const struct hd_net *net, const struct hd_planes *planes)
{
    enum { MOST = 20 };
    char differ[40] = "all are alike", from[300], to[300];
    if (!planes->n) return;
    if (planes->ndifference) snprintf(differ, sizeof differ, "%u cables differ", planes->ndifference);
    put_field(o, FIELD_LABEL, "planes", "%u, %u systems with an ASIC in each; --part N evaluates one; %s", planes->n,
              planes->systems, differ);
    for (uint32_t i = 0; i < planes->ndifference && i < MOST; i++) {
        const struct hd_plane_difference *d = &planes->difference[i];
        put_field(o, FIELD_LABEL, "", "part %u %s %s - %s", d->part, d->missing ? "lacks" : "alone has",
                  plane_end(net, &d->from, from), plane_end(net, &d->to, to));
    }
    if (planes->ndifference > MOST)
        put_field(o, FIELD_LABEL, "", "and %u more (--json lists all)", planes->ndifference - MOST);
}

static hd_status print_topo_text(struct cli *cli, const struct hd_net *net, const struct hd_topo_info *t,
                                 const struct hd_cabling *cabling, const struct hd_planes *planes)
{
    struct hd_out *o = cli->out;
    put_name(o, "network", net->spec);
    print_kind(o, net, t);
    hd_printf(o, "endpoints        %u", t->endpoints);
    if (t->selected != t->endpoints) hd_printf(o, " (%u selected)", t->selected);
    hd_printf(o, " on %u host%s, %u rail%s\n", t->hosts, t->hosts == 1 ? "" : "s", t->rails, t->rails == 1 ? "" : "s");
    print_roles(o, t);
    hd_printf(o, "switches         %u", t->switches);
    if (t->unused) hd_printf(o, " (%u used by no endpoint)", t->unused);
    hd_puts(o, "\n");
    hd_printf(o, "cables           %u (%u between switches)\n", t->cables, t->switch_cables);
    print_links(o, t);
    hd_printf(o, "components       %u", t->parts);
    if (t->isolated) hd_printf(o, " (%u switch%s without a cable)", t->isolated, t->isolated == 1 ? "" : "es");
    hd_puts(o, "\n");
    print_planes(o, net, planes);
    hd_puts(o, "diameter         ");
    if (t->distances_known)
        hd_printf(o, "%u switch cables (mean %.3f)\n", t->diameter, t->mean_distance);
    else
        hd_puts(o, "not computed\n");
    hd_status s = HD_OK;
    if (t->levels) {
        hd_puts(o, "\n");
        s = print_levels(cli, t);
    }
    if (s == HD_OK && t->absent && !cabling->count[HD_CABLING_DEAD]) {
        hd_puts(o, "\n");
        put_field(o, 0, "", "%u cable%s of the structure lead%s up to switches that do not exist", t->absent,
                  t->absent == 1 ? "" : "s", t->absent == 1 ? "s" : "");
    }
    if (s == HD_OK) print_cabling(o, net, cabling);
    return s;
}

hd_status run_topo(struct cli *cli)
{
    struct hd_net *net;
    struct hd_topo_info info;
    const struct hd_cabling *cabling;
    struct hd_planes *planes = NULL;
    if (cli->v.json && (cli->v.format || cli->v.output))
        return usage_error(cli, "--json describes the network, --format and -o write it: give one of them");
    hd_status s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    if (cli->v.format || cli->v.output) {
        s = convert_net(cli, net);
    } else {
        s = hd_net_describe(cli->ctx, net, &info);
        if (s == HD_OK) s = hd_net_cabling(cli->ctx, net, &cabling);
        if (s == HD_OK) s = hd_planes_find(cli->ctx, net, &planes);
        if (s == HD_OK)
            s = cli->v.json ? print_topo_json(cli, net, &info, cabling, planes)
                            : print_topo_text(cli, net, &info, cabling, planes);
        hd_planes_free(planes);
    }
    hd_net_free(net);
    return s;
}
