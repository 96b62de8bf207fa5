/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle diff: the impact of switching from one table to another. As with diff(1), the exit status says whether they
   differ, so that a script can verify what the switches hold. */
#include "cli.h"
#include "table.h"

void print_change(struct hd_out *o, const char *what, uint64_t changed, uint64_t all)
{
    hd_printf(o, "%-16s %llu of %llu change (%.2f %%)\n", what, (unsigned long long)changed, (unsigned long long)all,
              all ? 100.0 * (double)changed / (double)all : 0.0);
}

static bool switch_lids_once(const struct hd_diff *d)
{
    return d->from_switch_lids != d->to_switch_lids;
}

static bool vls_compared(const struct hd_diff *d)
{
    return d->from_lanes_known && d->to_lanes_known;
}

static const char *tables_with(bool from, bool to)
{
    static const char *const names[2][2] = {{"neither", "to"}, {"from", "both"}};
    return names[from][to];
}

/* 1 yes, 0 no, -1 not known: groups of ports of two tables with adaptive routing are not compared, nor are LIDs of
 * switches that only one table lists, and VLs that are not known. A dump without them is no other table, so that is no
 * difference either. */
static int diff_identical(const struct hd_routes *a, const struct hd_routes *b, const struct hd_diff *d)
{
    if (hd_diff_any(d)) return 0;
    if (hd_routes_adaptive(a) != hd_routes_adaptive(b)) return 0;
    return hd_routes_adaptive(a) || switch_lids_once(d) || !vls_compared(d) ? -1 : 1;
}

static void print_diff_json(struct cli *cli, const struct hd_routes *a, const struct hd_routes *b,
                            const struct hd_diff *d)
{
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_text("net", hd_routes_net(a)->spec), hd_text("from", hd_routes_spec(a)),
                   hd_text("to", hd_routes_spec(b)), hd_bool("identical", diff_identical(a, b, d)),
                   hd_uint("entries", d->entries), hd_uint("entries_changed", d->entries_changed),
                   hd_uint("blocks", d->blocks), hd_uint("blocks_changed", d->blocks_changed),
                   hd_uint("switches", hd_routes_net(a)->nsw), hd_uint("switches_changed", d->switches_changed),
                   hd_uint("pairs", d->pairs), hd_uint("pairs_changed", d->pairs_changed),
                   hd_uint("lanes_changed", d->lanes_changed), hd_uint("other_pairs", d->other_pairs),
                   hd_uint("other_pairs_changed", d->other_pairs_changed),
                   hd_uint("other_lanes_changed", d->other_lanes_changed), hd_bool("sl2vl_changed", d->sl2vl_changed),
                   hd_text("switch_lids", tables_with(d->from_switch_lids, d->to_switch_lids)),
                   hd_text("lanes_known", tables_with(d->from_lanes_known, d->to_lanes_known)),
                   hd_uint("lids_changed", d->lids_changed));
    hd_json_close(&j, '}');
}

static void print_vls_left_out(struct cli *cli, const struct hd_diff *d)
{
    if (d->from_lanes_known || d->to_lanes_known)
        hd_printf(cli->out, "VLs of pairs     known only in '%s', not compared\n",
                  tables_with(d->from_lanes_known, d->to_lanes_known));
    else
        hd_puts(cli->out, "VLs of pairs     not known, not compared\n");
}

static void print_diff_text(struct cli *cli, const struct hd_routes *a, const struct hd_routes *b,
                            const struct hd_diff *d)
{
    const struct {
        const char *what;
        uint64_t changed, all;
    } rows[] = {{"entries", d->entries_changed, d->entries},
                {"blocks", d->blocks_changed, d->blocks},
                {"switches", d->switches_changed, hd_routes_net(a)->nsw},
                {"pairs", d->pairs_changed, d->pairs}};
    put_name(cli->out, "network", hd_routes_net(a)->spec);
    put_name(cli->out, "from", hd_routes_spec(a));
    put_name(cli->out, "to", hd_routes_spec(b));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        print_change(cli->out, rows[i].what, rows[i].changed, rows[i].all);
    if (vls_compared(d))
        print_change(cli->out, "VLs of pairs", d->lanes_changed, d->pairs);
    else
        print_vls_left_out(cli, d);
    if (d->other_pairs_changed) print_change(cli->out, "other pairs", d->other_pairs_changed, d->other_pairs);
    if (d->other_lanes_changed) print_change(cli->out, "VLs of others", d->other_lanes_changed, d->other_pairs);
    if (d->lids_changed)
        print_change(cli->out, "base LIDs", d->lids_changed, hd_routes_net(a)->nsw + hd_routes_net(a)->nep);
    if (d->sl2vl_changed) hd_puts(cli->out, "SL2VL tables     differ at some ports\n");
    if (hd_routes_adaptive(a) != hd_routes_adaptive(b))
        hd_puts(cli->out, "adaptive         in one of the tables only\n");
    if (switch_lids_once(d))
        hd_printf(cli->out, "switch LIDs      only in '%s', not compared\n",
                  tables_with(d->from_switch_lids, d->to_switch_lids));
    int identical = diff_identical(a, b, d);
    if (identical > 0) hd_puts(cli->out, "identical\n");
    if (identical < 0)
        hd_printf(cli->out, "%s identical%s\n",
                  hd_routes_adaptive(a) ? "static ports are" : "entries that both list are",
                  hd_routes_adaptive(a) ? "; groups of ports are not compared" : "");
}

hd_status run_diff(struct cli *cli)
{
    struct hd_net *net;
    struct hd_routes *a = NULL, *b = NULL;
    struct hd_diff d;
    hd_status s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    s = hd_routes_open(cli->ctx, net, cli->arg[1], &a);
    if (s == HD_OK) s = hd_routes_open(cli->ctx, net, cli->arg[2], &b);
    if (s == HD_OK) s = hd_routes_diff(cli->ctx, a, b, &d);
    if (s == HD_OK && cli->v.json)
        print_diff_json(cli, a, b, &d);
    else if (s == HD_OK)
        print_diff_text(cli, a, b, &d);
    if (s == HD_OK && !diff_identical(a, b, &d)) s = HD_FAULT;
    hd_routes_free(b);
    hd_routes_free(a);
    hd_net_free(net);
    return s;
}
