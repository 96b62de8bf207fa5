/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle check: whether routes are correct and deadlock-free, and if not, which pairs have no path and which channels
 * form a credit loop. Exit status 1 when they are not. */
#include "cli.h"
#include "table.h"

#include <stdlib.h>

/* Components with selected endpoints, and the pairs of endpoints that no cables connect: no routes can serve them, so
 * they are no fault of a table. */
struct check_parts {
    uint32_t n;
    uint64_t pairs, separated; /* ordered pairs of selected endpoints; of them those in different components */
};

static hd_status count_check_parts(struct cli *cli, const struct hd_net *net, struct check_parts *out)
{
    const uint64_t n = net->nsel;
    uint32_t nparts = 0;
    uint32_t *part_of = calloc(net->nsw + net->nep + 1, sizeof *part_of);
    hd_status s = part_of ? hd_net_parts(cli->ctx, net, part_of, &nparts) : hd_fail_memory(cli->ctx);
    uint64_t *endpoints = s == HD_OK ? calloc(nparts + (size_t)1, sizeof *endpoints) : NULL;
    if (s == HD_OK && !endpoints) s = hd_fail_memory(cli->ctx);
    *out = (struct check_parts){.pairs = n * n - n, .separated = n * n};
    for (uint64_t i = 0; endpoints && i < n; i++) endpoints[part_of[net->nsw + net->sel[i]]]++;
    for (uint32_t p = 0; endpoints && p < nparts; p++) {
        out->n += endpoints[p] > 0;
        out->separated -= endpoints[p] * endpoints[p];
    }
    free(endpoints);
    free(part_of);
    return s;
}

/* "name port 5" of the switch a channel leaves, or the endpoint's name; name_of is hd_node_name or hd_node_label. */
static void channel_name(const struct hd_net *net, uint32_t c,
                         const char *(*name_of)(const struct hd_net *net, uint32_t v), char buf[256])
{
    uint32_t v = net->tail[c];
    if (v < net->nsw)
        snprintf(buf, 256, "%.200s port %u", name_of(net, v), net->port[c]);
    else
        snprintf(buf, 256, "%.200s", name_of(net, v));
}

static void json_cycle(struct hd_json *j, const struct hd_net *net, const struct hd_check *k)
{
    char name[256];
    hd_json_open(j, "cycle", '[');
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++) {
        const struct hd_dependency *d = &k->cycle[i];
        hd_json_open(j, NULL, '{');
        channel_name(net, d->c, hd_node_name, name);
        hd_json_fields(j, hd_text("channel", name), hd_text("to", hd_node_name(net, net->head[d->c])),
                       hd_uint("lane", d->lane));
        if (d->source != UINT32_MAX) {
            hd_json_fields(j, hd_text("source", hd_node_name(net, net->nsw + d->source)),
                           hd_text("dest", hd_node_name(net, net->nsw + d->dest)));
        }
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

static void json_unserved(struct hd_json *j, const struct hd_net *net, const struct hd_check *k)
{
    hd_json_open(j, "unserved", '[');
    for (uint32_t i = 0; i < k->nunserved; i++) {
        const struct hd_unserved *u = &k->unserved[i];
        hd_json_object(j, NULL, hd_text("source", hd_node_name(net, net->nsw + u->source)),
                       hd_text("dest", hd_node_name(net, net->nsw + u->dest)), hd_uint("variant", u->variant),
                       hd_uint("sources", u->sources));
    }
    hd_json_close(j, ']');
}

/* Those of switches are reported only where something is wrong. Entries that heddle derives, for an engine that makes
 * none, are not checked: they have no holes (switch_rows.c). */
static bool switch_lids_matter(const struct hd_check *k)
{
    return k->switch_choices || k->switches.unreachable + k->switches.loops ||
           (k->switches.deadlock_free < 1 && k->deadlock_free == 1);
}

/* The LIDs that no pair is routed by: the counts of faults always, so that a script may rely on them. */
static void json_lids(struct hd_json *j, const char *key, const struct hd_net *net, const struct hd_lid_check *l,
                      uint64_t choices, bool matter)
{
    hd_json_open(j, key, '{');
    if (matter) hd_json_fields(j, hd_uint("lids", l->lids), hd_uint("paths", l->paths));
    hd_json_fields(j, hd_uint("unreachable", l->unreachable), hd_uint("loops", l->loops), hd_uint("choices", choices));
    if (matter) hd_json_fields(j, hd_bool("deadlock_free", l->deadlock_free));
    if (l->unreachable + l->loops)
        hd_json_fields(j, hd_text("source", hd_node_name(net, l->source)), hd_text("dest", hd_node_name(net, l->dest)),
                       hd_uint("lid", l->lid));
    hd_json_close(j, '}');
}

/* The endpoints that are not selected. */
static void json_others(struct hd_json *j, const struct hd_net *net, const struct hd_other_check *k)
{
    hd_json_open(j, "other_endpoints", '{');
    hd_json_fields(j, hd_uint("endpoints", k->endpoints), hd_uint("unchecked", k->unchecked),
                   hd_uint("pairs", k->pairs), hd_uint("unreachable", k->unreachable), hd_uint("loops", k->loops),
                   hd_uint("choices", k->choices), hd_uint("aggregation_nodes", k->aggregation_nodes),
                   hd_uint("aggregation_unserved", k->aggregation_unserved),
                   hd_bool("aggregation_deadlock_free", k->aggregation_deadlock_free));
    if (k->unreachable + k->loops)
        hd_json_fields(j, hd_text("source", hd_node_name(net, net->nsw + k->source)),
                       hd_text("dest", hd_node_name(net, net->nsw + k->dest)));
    hd_json_close(j, '}');
}

/* What switches without endpoints have no entry for. */
static void json_unanswered(struct hd_json *j, const struct hd_net *net, const struct hd_check *k)
{
    hd_json_open(j, "unanswered", '{');
    hd_json_fields(j, hd_uint("entries", k->unanswered));
    if (k->unanswered)
        hd_json_fields(j, hd_text("switch", hd_node_name(net, k->unanswered_switch)),
                       hd_text("dest", hd_node_name(net, net->nsw + k->unanswered_dest)));
    hd_json_close(j, '}');
}

/* Adaptive routing: what holds for every choice, and where one goes wrong. */
static void json_choices(struct hd_json *j, const struct hd_net *net, const struct hd_choice_check *c)
{
    char name[256];
    hd_json_open(j, "adaptive", '{');
    hd_json_fields(j, hd_uint("groups", c->groups), hd_uint("entries", c->entries), hd_uint("pairs", c->pairs),
                   hd_uint("unreachable", c->unreachable), hd_uint("loops", c->loops),
                   hd_uint("nonminimal", c->nonminimal), hd_uint("max_hops", c->max_hops),
                   hd_bool("deadlock_free", c->deadlock_free));
    if (c->channel != UINT32_MAX) {
        channel_name(net, c->channel, hd_node_name, name);
        hd_json_object(j, "choice", hd_text("source", hd_node_name(net, net->nsw + c->source)),
                       hd_text("dest", hd_node_name(net, net->nsw + c->dest)), hd_text("channel", name),
                       hd_text("to", hd_node_name(net, net->head[c->channel])));
    }
    hd_json_close(j, '}');
}

static const char *const phases[HD_CHECK_PHASES] = {
    [HD_CHECK_SETUP] = "setup", [HD_CHECK_REACH] = "reach", [HD_CHECK_DEPS] = "deps", [HD_CHECK_ACYCLIC] = "acyclic"};

static void json_timing(struct hd_json *j, const struct hd_check *k)
{
    hd_json_open(j, "timing", '{');
    for (int i = 0; i < HD_CHECK_PHASES; i++) hd_json_fields(j, hd_real(phases[i], k->seconds[i]));
    hd_json_close(j, '}');
}

static void print_check_json(struct cli *cli, const struct hd_routes *r, const struct hd_check *k,
                             const struct check_parts *parts, const struct hd_second *second)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(
        &j, hd_text("net", net->spec), hd_text("table", hd_routes_spec(r)), hd_uint("components", parts->n),
        hd_uint("separated", parts->separated), hd_uint("pairs", k->pairs), hd_uint("unreachable", k->unreachable),
        hd_uint("loops", k->loops), hd_uint("nonminimal", k->nonminimal), hd_uint("max_hops", k->max_hops),
        hd_real("avg_hops", k->avg_hops), hd_uint("unused", k->unused), hd_bool("deadlock_free", k->deadlock_free),
        hd_uint_if("lanes", k->lanes, k->lanes), hd_bool("any_level", k->any_level));
    json_cycle(&j, net, k);
    json_unserved(&j, net, k);
    json_others(&j, net, &k->others);
    json_lids(&j, "further_lids", net, &k->further, k->further_choices, k->further.lids);
    json_lids(&j, "switch_lids", net, &k->switches, k->switch_choices, k->no_switch_lids || switch_lids_matter(k));
    json_unanswered(&j, net, k);
    hd_json_fields(&j, hd_uint("unproved_groups", k->unproved_groups));
    if (k->adaptive) json_choices(&j, net, &k->choices);
    if (second) {
        hd_json_object(&j, "ibdmchk", hd_bool("connected", second->connected),
                       hd_bool("deadlock_free", second->deadlock_free), hd_text("said", second->said));
    }
    if (cli->v.timing) json_timing(&j, k);
    hd_json_close(&j, '}');
}

static void print_cycle(struct hd_out *o, const struct hd_net *net, const struct hd_check *k)
{
    char name[256];
    hd_printf(o, "\ncredit loop of %u channels on VL %u; each waits for the next:\n", k->ncycle, k->cycle_lane);
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++) {
        const struct hd_dependency *d = &k->cycle[i];
        channel_name(net, d->c, hd_node_label, name);
        hd_printf(o, "  %s -> %s", name, hd_node_label(net, net->head[d->c]));
        if (d->lane != k->cycle_lane) hd_printf(o, " on VL %u", d->lane);
        if (d->source != UINT32_MAX)
            hd_printf(o, "   (%s to %s)", hd_node_label(net, net->nsw + d->source),
                      hd_node_label(net, net->nsw + d->dest));
        hd_puts(o, "\n");
    }
    if (k->ncycle > 64) hd_printf(o, "  ... and %u more\n", k->ncycle - 64);
}

/* Endpoints of one switch share their path, so they are listed together. */
static void print_unserved(struct hd_out *o, const struct hd_net *net, const struct hd_check *k)
{
    uint64_t listed = 0;
    hd_printf(o, "\nfor example %s does not reach %s\npairs without a path, sources by switch:\n",
              hd_node_label(net, net->nsw + k->example[0]), hd_node_label(net, net->nsw + k->example[1]));
    for (uint32_t i = 0; i < k->nunserved; i++) {
        const struct hd_unserved *u = &k->unserved[i];
        uint32_t v = net->head[net->off[net->nsw + u->source]];
        hd_printf(o, "  %s (%u at %s) to %s\n", hd_node_label(net, net->nsw + u->source), u->sources,
                  hd_node_label(net, v), hd_node_label(net, net->nsw + u->dest));
        listed += u->sources;
    }
    if (listed < k->unreachable + k->loops)
        hd_printf(o, "  ... and %llu more pairs\n", (unsigned long long)(k->unreachable + k->loops - listed));
}

static const char *deadlock_verdict(const struct hd_check *k)
{
    if (k->deadlock_free > 0) return "yes, proved";
    return k->deadlock_free < 0 ? "not known: in one VL they would not be" : "no";
}

static void print_hops(struct hd_out *o, const struct hd_check *k)
{
    hd_puts(o, "hops             ");
    for (uint32_t h = 0; h <= HD_MAX_HOPS; h++)
        if (k->hops[h]) hd_printf(o, "%u: %llu  ", h, (unsigned long long)k->hops[h]);
    hd_printf(o, "(mean %.4f)\n", k->avg_hops);
}

static void print_second(struct hd_out *o, const struct hd_second *s)
{
    static const char *const words[] = {"no", "yes"};
    hd_printf(o, "ibdmchk          all connected: %s, deadlock-free: %s (%s)\n",
              s->connected < 0 ? "not reported" : words[s->connected],
              s->deadlock_free < 0 ? "not reported" : words[s->deadlock_free], *s->said ? s->said : "no output");
}

static void print_lids(struct hd_out *o, const char *title, const struct hd_net *net, const struct hd_lid_check *l,
                       uint64_t choices)
{
    hd_printf(o, "%-16s %llu", title, (unsigned long long)l->lids);
    if (!(l->unreachable + l->loops)) hd_printf(o, ", all reached%s", choices ? " by every choice" : "");
    if (l->unreachable + l->loops)
        hd_printf(o, "; of %llu paths %llu unreachable, %llu in loops, such as %s to LID %u of %s",
                  (unsigned long long)l->paths, (unsigned long long)l->unreachable, (unsigned long long)l->loops,
                  hd_node_label(net, l->source), l->lid, hd_node_label(net, l->dest));
    if (l->deadlock_free == 0) hd_puts(o, "; a credit loop is possible together with the pairs");
    if (l->deadlock_free < 0) hd_puts(o, "; not known whether they are deadlock-free: in one VL they would not be");
    if (choices) hd_printf(o, "; %llu entries choose among several ports", (unsigned long long)choices);
    hd_puts(o, "\n");
}

static void print_others(struct hd_out *o, const struct hd_net *net, const struct hd_check *k)
{
    const struct hd_other_check *e = &k->others;
    if (!e->endpoints) return;
    if (e->unchecked) {
        hd_printf(o, "other endpoints  %u, not selected and not checked\n", e->unchecked);
        return;
    }
    hd_printf(o, "other endpoints  %u; of %llu pairs with them ", e->endpoints, (unsigned long long)e->pairs);
    if (e->unreachable + e->loops)
        hd_printf(o, "%llu unreachable, %llu in loops, such as %s to %s\n", (unsigned long long)e->unreachable,
                  (unsigned long long)e->loops, hd_node_label(net, net->nsw + e->source),
                  hd_node_label(net, net->nsw + e->dest));
    else
        hd_printf(o, "all %sarrive\n", e->aggregation_unserved ? "but those below " : "");
    if (e->choices)
        hd_printf(o, "%16s %llu of these pairs may fail by some choice\n", "", (unsigned long long)e->choices);
    if (e->aggregation_unserved)
        hd_printf(o, "%16s %llu pairs with aggregation nodes two cables away or more have no path\n", "",
                  (unsigned long long)e->aggregation_unserved);
    if (k->deadlock_free == 1 && e->aggregation_deadlock_free < 1)
        hd_printf(o, "%16s with packets of aggregation nodes a credit loop is possible\n", "");
}

static void print_choices(struct hd_out *o, const struct hd_net *net, const struct hd_choice_check *c)
{
    char name[256];
    hd_printf(o, "adaptive         %llu entries choose among several ports, %llu groups\n",
              (unsigned long long)c->entries, (unsigned long long)c->groups);
    const bool others = c->channel != UINT32_MAX && !(c->unreachable + c->loops); /* counted among other endpoints */
    if (!(c->unreachable + c->loops) && !others)
        hd_printf(o, "every choice     arrives, after at most %u channels; not minimal for %llu pairs\n", c->max_hops,
                  (unsigned long long)c->nonminimal);
    if (c->channel == UINT32_MAX) return;
    channel_name(net, c->channel, hd_node_label, name);
    hd_puts(o, "every choice     may fail: ");
    if (!others)
        hd_printf(o, "%llu pairs unreachable, %llu in loops, ", (unsigned long long)c->unreachable,
                  (unsigned long long)c->loops);
    hd_printf(o, "such as %s to %s at %s -> %s\n", hd_node_label(net, net->nsw + c->source),
              hd_node_label(net, net->nsw + c->dest), name, hd_node_label(net, net->head[c->channel]));
}

static void print_check_text(struct cli *cli, const struct hd_routes *r, const struct hd_check *k,
                             const struct check_parts *parts, const struct hd_second *second)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_out *o = cli->out;
    put_name(o, "network", net->spec);
    put_name(o, "table", hd_routes_spec(r));
    if (parts->n > 1)
        put_field(o, FIELD_LABEL, "components",
                  "%u, with no cables between them: %llu of %llu pairs of endpoints are not checked", parts->n,
                  (unsigned long long)parts->separated, (unsigned long long)parts->pairs);
    hd_printf(o, "pairs            %llu\n", (unsigned long long)k->pairs);
    hd_printf(o, "unreachable      %llu\n", (unsigned long long)k->unreachable);
    hd_printf(o, "in loops         %llu\n", (unsigned long long)k->loops);
    hd_printf(o, "not minimal      %llu\n", (unsigned long long)k->nonminimal);
    print_hops(o, k);
    hd_printf(o, "unused channels  %u\n", k->unused);
    if (k->lanes)
        hd_printf(o, "VLs              %u%s\n", k->lanes,
                  k->any_level ? ", by the SL2VL tables, whatever service levels pairs use" : "");
    else
        hd_puts(o, "VLs              unknown\n");
    hd_printf(o, "deadlock-free    %s\n", deadlock_verdict(k));
    print_others(o, net, k);
    if (k->adaptive) print_choices(o, net, &k->choices);
    if (k->further.lids) print_lids(o, "further LIDs", net, &k->further, k->further_choices);
    if (k->no_switch_lids) hd_puts(o, "switch LIDs      none in this table\n");
    if (switch_lids_matter(k)) print_lids(o, "switch LIDs", net, &k->switches, k->switch_choices);
    if (k->unanswered)
        hd_printf(o, "cannot answer    switches without endpoints: %llu entries are missing, such as %s to %s\n",
                  (unsigned long long)k->unanswered, hd_node_label(net, k->unanswered_switch),
                  hd_node_label(net, net->nsw + k->unanswered_dest));
    if (second) print_second(o, second);
    if (cli->v.timing) {
        hd_puts(o, "seconds          ");
        for (int i = 0; i < HD_CHECK_PHASES; i++)
            hd_printf(o, "%s %.3f%s", phases[i], k->seconds[i], i + 1 < HD_CHECK_PHASES ? ", " : "\n");
    }
    if (k->unreachable + k->loops) print_unserved(o, net, k);
    if (k->ncycle) print_cycle(o, net, k);
}

hd_status run_check(struct cli *cli)
{
    struct hd_net *net;
    struct hd_routes *r = NULL;
    struct hd_check k;
    struct check_parts parts;
    struct hd_second said, *second = cli->v.with_ibdmchk ? &said : NULL;
    hd_status s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    s = open_routes(cli, cli->arg[0], net, cli->arg[1], &r);
    if (s == HD_OK) s = hd_routes_check(cli->ctx, r, &k);
    if (s == HD_OK) note_long_paths(cli, r, &k);
    if (s == HD_OK) s = count_check_parts(cli, net, &parts);
    if (s == HD_OK && second) s = hd_routes_second(cli->ctx, r, NULL, second);
    if (s == HD_OK) {
        if (cli->v.json)
            print_check_json(cli, r, &k, &parts, second);
        else
            print_check_text(cli, r, &k, &parts, second);
        if (hd_check_faulty(&k)) s = HD_FAULT;
    }
    hd_routes_free(r);
    hd_net_free(net);
    return s;
}
