/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle route: compute routes, summarise them, write them as tables or as a folder to deploy. */
#include "cli.h"
#include "table.h"

#include <string.h>

static const char *select_name(enum hd_select select)
{
    static const char *const names[] = {[HD_SELECT_ONE] = "one",
                                        [HD_SELECT_SOURCE] = "source",
                                        [HD_SELECT_PAIR] = "pair",
                                        [HD_SELECT_ALL] = "all",
                                        [HD_SELECT_PACKET] = "packet"};
    return names[select];
}

/* What the summary says of routes. */
struct route_summary {
    struct hd_check check;
    struct hd_result efi;
    uint64_t entries;
    const struct hd_keep *keep; /* NULL: nothing was kept */
};

/* Pairs of one component without a path, by a missing entry or by a loop: of selected endpoints, and with others. */
static uint64_t unserved_pairs(const struct hd_check *k)
{
    return k->unreachable + k->loops;
}

static uint64_t other_unserved_pairs(const struct hd_check *k)
{
    return k->others.unreachable + k->others.loops;
}

/* Paths from leaf switches to LIDs that no pair is routed by. */
static uint64_t unserved_lids(const struct hd_lid_check *l)
{
    return l->unreachable + l->loops;
}

/* A table with holes is written as it is; whoever loads it must read so, wherever the table goes. */
static void note_unserved_paths(struct cli *cli, const struct hd_routes *r, const struct hd_check *k)
{
    const uint64_t n = unserved_pairs(k) + other_unserved_pairs(k);
    if (n)
        hd_note(cli->ctx, "%.200s on %.200s: %llu pairs that cables connect have no path ('heddle check' shows where)",
                hd_routes_spec(r), hd_routes_net(r)->spec, (unsigned long long)n);
    const uint64_t further = unserved_lids(&k->further), switches = unserved_lids(&k->switches);
    if (further + switches)
        hd_note(cli->ctx,
                "%.200s on %.200s: of the paths to other LIDs, %llu to switches and %llu to further LIDs of "
                "endpoints do not arrive ('heddle check' shows where)",
                hd_routes_spec(r), hd_routes_net(r)->spec, (unsigned long long)switches, (unsigned long long)further);
}

static void print_unserved_lids(struct hd_out *o, const char *title, const struct hd_lid_check *l)
{
    if (unserved_lids(l))
        hd_printf(o, "%-16s %llu of %llu paths to them do not arrive\n", title, (unsigned long long)unserved_lids(l),
                  (unsigned long long)l->paths);
}

static void print_keep_json(struct cli *cli, struct hd_json *j, const struct hd_routes *r, const struct hd_keep *k)
{
    hd_json_open(j, "keep", '{');
    hd_json_fields(j, hd_text("from", cli->v.keep), hd_uint("entries_forced", k->entries_forced),
                   hd_uint("entries_repaired", k->entries_repaired), hd_uint("entries", k->entries),
                   hd_uint("entries_changed", k->entries_changed), hd_uint("blocks", k->blocks),
                   hd_uint("blocks_changed", k->blocks_changed), hd_uint("switches", hd_routes_net(r)->nsw),
                   hd_uint("switches_changed", k->switches_changed), hd_uint("pairs", k->pairs),
                   hd_uint("pairs_changed", k->pairs_changed),
                   hd_uint_if("lanes_changed", k->vls_changed, k->vls_known), hd_bool("fresh", k->fresh),
                   hd_real("share", k->share), hd_real("share_fresh", k->share_fresh));
    hd_json_close(j, '}');
}

static void print_route_json(struct cli *cli, const struct hd_routes *r, const struct route_summary *sum)
{
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_text("net", hd_routes_net(r)->spec), hd_text("engine", hd_routes_spec(r)),
                   hd_uint_if("lanes", sum->check.lanes, sum->check.lanes), hd_uint("variants", hd_routes_variants(r)),
                   hd_text("select", select_name(hd_routes_select(r))), hd_uint("entries", sum->entries),
                   hd_uint("unused", sum->check.unused), hd_real("efi", sum->efi.value),
                   hd_uint("unserved", unserved_pairs(&sum->check)),
                   hd_uint("other_unserved", other_unserved_pairs(&sum->check)),
                   hd_uint("further_lids_unserved", unserved_lids(&sum->check.further)),
                   hd_uint("switch_lids_unserved", unserved_lids(&sum->check.switches)));
    if (sum->keep) print_keep_json(cli, &j, r, sum->keep);
    hd_json_close(&j, '}');
}

static void print_keep_text(struct cli *cli, const struct hd_routes *r, const struct hd_keep *k)
{
    struct hd_out *o = cli->out;
    put_name(o, "old table", cli->v.keep);
    hd_printf(o, "had to change    %llu entries\n", (unsigned long long)k->entries_forced);
    print_change(o, "entries", k->entries_changed, k->entries);
    print_change(o, "blocks", k->blocks_changed, k->blocks);
    print_change(o, "switches", k->switches_changed, hd_routes_net(r)->nsw);
    print_change(o, "pairs", k->pairs_changed, k->pairs);
    if (k->vls_known)
        print_change(o, "VLs of pairs", k->vls_changed, k->pairs);
    else
        hd_puts(o, "VLs of pairs     not known in the old table\n");
    hd_printf(o, "random pairs     %.4f of the bandwidth, %.4f by a fresh table\n", k->share, k->share_fresh);
}

static void print_route_text(struct cli *cli, const struct hd_routes *r, const struct route_summary *sum)
{
    struct hd_out *o = cli->out;
    const struct hd_check *k = &sum->check;
    put_name(o, "network", hd_routes_net(r)->spec);
    put_name(o, "engine", hd_routes_spec(r));
    hd_printf(o, "entries          %llu\n", (unsigned long long)sum->entries);
    hd_printf(o, "variants         %u (%s)\n", hd_routes_variants(r), select_name(hd_routes_select(r)));
    if (k->lanes)
        hd_printf(o, "VLs              %u\n", k->lanes);
    else
        hd_puts(o, "VLs              unknown\n");
    hd_printf(o, "largest load     %.15g of all pairs (%s)\n", sum->efi.value, sum->efi.note);
    hd_printf(o, "unused channels  %u\n", k->unused);
    if (unserved_pairs(k)) hd_printf(o, "unserved pairs   %llu\n", (unsigned long long)unserved_pairs(k));
    if (other_unserved_pairs(k))
        hd_printf(o, "other endpoints  %llu pairs with them are unserved\n",
                  (unsigned long long)other_unserved_pairs(k));
    print_unserved_lids(o, "further LIDs", &k->further);
    print_unserved_lids(o, "switch LIDs", &k->switches);
    if (sum->keep) print_keep_text(cli, r, sum->keep);
}

/* to_stdout: the table went there, and only notes are left to print. */
static hd_status summarise_routes(struct cli *cli, const struct hd_routes *r, const struct hd_keep *keep,
                                  bool to_stdout)
{
    const struct hd_net *net = hd_routes_net(r);
    struct route_summary sum = {.entries = (uint64_t)net->nep * hd_routes_variants(r) * net->nsw, .keep = keep};
    hd_status s = hd_routes_check(cli->ctx, r, &sum.check);
    if (s == HD_OK) note_unserved_paths(cli, r, &sum.check);
    if (s == HD_OK) note_long_paths(cli, r, &sum.check);
    if (s != HD_OK || to_stdout) return s;
    s = hd_eval(cli->ctx, r, &(struct hd_request){.metric = "efi"}, &sum.efi);
    if (s == HD_OK && cli->v.json)
        print_route_json(cli, r, &sum);
    else if (s == HD_OK)
        print_route_text(cli, r, &sum);
    return s;
}

/* As asked for, or as the name of the file ends: x.far has groups of ports. */
static const char *table_format(const struct cli *cli)
{
    const char *file = cli->v.output ? cli->v.output : "";
    const size_t n = strlen(file);
    if (cli->v.format) return cli->v.format;
    return n > 4 && strcmp(file + n - 4, ".far") == 0 ? "far" : hd_routes_format_at(0)->name;
}

static hd_status write_table(struct cli *cli, const struct hd_routes *r)
{
    struct hd_out *o;
    hd_status s = hd_out_open(cli->ctx, cli->v.output ? cli->v.output : "-", &o);
    if (s != HD_OK) return s;
    return hd_out_end(cli->ctx, o, hd_routes_write(cli->ctx, r, table_format(cli), o));
}

/* A refusal is a fault found, not a failure; main prints only failures. */
static hd_status deploy_routes(struct cli *cli, const struct hd_routes *r)
{
    hd_status s = hd_deploy(cli->ctx, r, cli->v.deploy, cli->v.force);
    if (s == HD_FAULT)
        fprintf(stderr, "heddle: %s ('heddle check' shows where; --force deploys anyway)\n", hd_ctx_error(cli->ctx));
    return s;
}

/* The engine with --roots as its parameter; spec has room bytes. */
static hd_status with_roots(struct cli *cli, const char *engine, char *spec, size_t room)
{
    size_t n = strcspn(engine, ":");
    char name[64];
    const struct hd_param *p = NULL;
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, engine);
    const struct hd_desc *d = hd_registry_find(cli->ctx, HD_ENGINES, name);
    for (p = d ? d->params : NULL; p && p->name && strcmp(p->name, "roots") != 0;) p++;
    if (!p || !p->name) return usage_error(cli, "--roots: %.60s takes no roots", engine);
    if (strstr(engine, "roots=")) return usage_error(cli, "--roots and roots= of %s exclude each other", name);
    if ((size_t)snprintf(spec, room, "%s%croots=%s", engine, engine[n] ? ',' : ':', cli->v.roots) >= room)
        return usage_error(cli, "--roots: longer than %zu bytes", room);
    return HD_OK;
}

/* ---- --keep ------------------------------------------------------------------------------------- */

/* The table in use, on the network before --fail and --repair changed it. */
static hd_status open_old(struct cli *cli, const struct hd_net *net, struct hd_net **before, struct hd_routes **old)
{
    const struct hd_open open = cli->v.open;
    *before = NULL;
    if (!open.fail && !open.repair) return hd_routes_open(cli->ctx, net, cli->v.keep, old);
    cli->v.open.fail = NULL;
    cli->v.open.repair = false;
    hd_status s = open_net(cli, 0, before);
    cli->v.open = open;
    if (s == HD_OK) s = hd_routes_open(cli->ctx, *before, cli->v.keep, old);
    return s;
}

static void note_kept(struct cli *cli, const struct hd_routes *r, const struct hd_keep *k)
{
    if (k->fresh)
        hd_note(cli->ctx, "--keep: the old table could not be repaired as well: this is the table of %.200s, as it is",
                hd_routes_spec(r));
    if (!k->vls_known)
        hd_note(cli->ctx, "--keep: the VLs of the old table are not known: connections that are open may use others");
    else if (k->vls_changed)
        hd_note(cli->ctx, "--keep: %llu pairs change their VL: the proof does not cover connections that are open",
                (unsigned long long)k->vls_changed);
}

/* The routes of the engine give way to what is kept of the old table. */
static hd_status keep_old(struct cli *cli, const struct hd_net *net, struct hd_routes **r, struct hd_keep *keep)
{
    struct hd_net *before;
    struct hd_routes *old = NULL, *kept = NULL;
    hd_status s = open_old(cli, net, &before, &old);
    if (s == HD_OK) s = hd_routes_keep(cli->ctx, *r, old, &kept, keep);
    hd_routes_free(old);
    hd_net_free(before);
    if (s == HD_FAULT) fprintf(stderr, "heddle: %s\n", hd_ctx_error(cli->ctx)); /* main prints only failures */
    if (s != HD_OK) return s;
    hd_routes_free(*r);
    *r = kept;
    note_kept(cli, kept, keep);
    return HD_OK;
}

hd_status run_route(struct cli *cli)
{
    bool to_stdout = cli->v.output ? strcmp(cli->v.output, "-") == 0 : cli->v.format != NULL;
    struct hd_net *net;
    struct hd_routes *r;
    struct hd_keep keep;
    if (cli->v.json && to_stdout)
        return usage_error(cli, "--json and the table cannot both go to standard output: give -o FILE");
    if (cli->v.deploy && strcmp(cli->v.deploy, "-") == 0)
        return usage_error(cli, "route: --deploy takes a folder, not standard output");
    if (cli->v.force && !cli->v.deploy) return usage_error(cli, "--force goes with --deploy");
    if (cli->v.keep && (cli->v.open.fail || cli->v.open.repair) && strcmp(cli->arg[0], "-") == 0)
        return usage_error(cli, "--keep with --fail or --repair reads NET twice: give a file, not standard input");
    char spec[4096];
    const char *engine = cli->v.roots ? spec : cli->arg[1];
    hd_status s = cli->v.roots ? with_roots(cli, cli->arg[1], spec, sizeof spec) : HD_OK;
    if (s == HD_OK) s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    s = hd_routes_open(cli->ctx, net, engine, &r);
    if (s == HD_OK) {
        if (cli->v.keep) s = keep_old(cli, net, &r, &keep);
        if (s == HD_OK && cli->v.deploy) s = deploy_routes(cli, r);
        if (s == HD_OK && (cli->v.output || cli->v.format)) s = write_table(cli, r);
        if (s == HD_OK) s = summarise_routes(cli, r, cli->v.keep ? &keep : NULL, to_stdout);
        hd_routes_free(r);
    }
    hd_net_free(net);
    return s;
}
