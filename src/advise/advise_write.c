/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder that advise -o writes: the report, what OpenSM needs, rank files, Slurm's topology, and a README that says
 * in which order to use them. All files are written or none (base/batch.h). */
#include "advise/advise_steps.h"
#include "base/batch.h"
#include "base/escape.h"
#include "base/sized.h"
#include "base/status.h"
#include "heddle/ib.h"
#include "heddle/registry.h"
#include "order/rank_file.h"
#include "report/report_options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct advice_folder {
    struct hd_advising a;
    const char *path;
    bool deployed, ranked, slurm, cables;
    bool spare; /* tables that need not be loaded were written */
    const char *why_not_deployed;
};

static hd_status folder_open_file(struct advice_folder *f, const char *name, struct hd_out **o)
{
    return hd_out_open(f->a.ctx, hd_say(&f->a, "%s/%s", f->path, name), o);
}

static void folder_put_line(struct hd_out *o, const char *text)
{
    hd_put_plain(o, text);
    hd_puts(o, "\n");
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* Folders of the deployment that are there. What only has their name is foreign, which is no reason to do without
 * tables. */
static hd_status folder_take_deploy(struct advice_folder *f)
{
    static const char *const names[] = {"deploy", "deploy/ibdm"};
    for (int i = 0; i < 2; i++) {
        struct stat st;
        const char *path = hd_say(&f->a, "%s/%s", f->path, names[i]);
        if (lstat(path, &st) == 0) HD_TRY(hd_batch_folder(f->a.ctx, path, "advise"));
    }
    return HD_OK;
}

static hd_status folder_write_tables(struct advice_folder *f, const struct hd_report_option *best,
                                     const struct hd_routes *r)
{
    f->why_not_deployed = best->current ? "the current table is kept" : hd_advise_needless(&f->a);
    if (f->why_not_deployed) return HD_OK;
    HD_TRY(folder_take_deploy(f));
    hd_status s = hd_deploy(f->a.ctx, r, hd_say(&f->a, "%s/deploy", f->path), false);
    f->deployed = s == HD_OK;
    if (!hd_unsuited(s) && s != HD_FAULT) return s;
    f->why_not_deployed = hd_say(&f->a, "%s", f->a.ctx->error);
    return HD_OK;
}

/* ---- ranks ------------------------------------------------------------------------------------- */

/* Hosts that no launcher can be told to use, where nobody asked for them: ranks of them would cost all others their
 * files. None are left out where nothing would be left. */
static hd_status folder_leave_out(struct advice_folder *f, const struct hd_nodes *nodes, const uint32_t *rank,
                                  const uint32_t *per_node, const uint32_t **launched)
{
    struct hd_advising *a = &f->a;
    uint32_t odd = 0, *without = hd_advise_alloc(a, nodes->n, sizeof *without);
    const char *first = NULL;
    if (!without) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const char *name = hd_host_name(a->net, nodes->host[rank[i]]);
        const bool taken = hd_rank_file_takes(name);
        without[i] = taken ? per_node[i] : 0;
        if (!taken && !odd++) first = name;
    }
    *launched = a->in->nodes || odd == nodes->n ? per_node : without;
    if (odd && *launched == without)
        hd_note(
            a->ctx,
            "%u host%s left out of files for launchers, the first is '%.80s': expected letters, digits, '_' and, not "
            "first, '.' and '-' alone in a name",
            odd, odd == 1 ? " is" : "s are", first);
    return HD_OK;
}

static hd_status folder_write_ranks_for(struct advice_folder *f, const struct hd_routes *r)
{
    struct hd_advising *a = &f->a;
    struct hd_order *order = NULL;
    struct hd_nodes *nodes = NULL;
    if (!a->report->order_how) return HD_OK;
    hd_status s = hd_nodes_read(a->ctx, a->net, a->in->nodes, 1, &nodes);
    if (s == HD_OK) s = hd_order_make(a->ctx, r, nodes, a->report->order_better ? a->after : a->before, &order);
    uint32_t *per_node = s == HD_OK ? hd_advise_alloc(a, nodes->n, sizeof *per_node) : NULL;
    if (s == HD_OK && !per_node) s = hd_fail_memory(a->ctx);
    if (s == HD_OK) s = hd_order_fill(a->ctx, nodes, order->rank, 0, per_node);
    const uint32_t *launched = NULL;
    if (s == HD_OK) s = folder_leave_out(f, nodes, order->rank, per_node, &launched);
    if (s == HD_OK) s = hd_batch_folder(a->ctx, hd_say(a, "%s/ranks", f->path), "advise");
    const char *left_out = NULL, *why = ""; /* formats that cannot hold the names, and why the first cannot */
    for (size_t i = 0; s == HD_OK && hd_order_format_at(i); i++) {
        const char *format = hd_order_format_at(i)->name;
        struct hd_out *o;
        s = folder_open_file(f, hd_say(a, "ranks/%s", format), &o);
        const uint32_t *ranks = hd_rank_file_names(i) ? launched : per_node;
        if (s == HD_OK) s = hd_out_end(a->ctx, o, hd_order_write(a->ctx, nodes, order->rank, ranks, format, o));
        if (s == HD_INPUT) { /* names that it cannot hold: the other formats may */
            if (!left_out) why = hd_say(a, "%s", a->ctx->error);
            left_out = left_out ? hd_say(a, "%s, %s", left_out, format) : format;
            s = hd_batch_remove(a->ctx, hd_say(a, "%s/ranks/%s", f->path, format)); /* it is of another fabric */
        }
    }
    if (s == HD_OK && left_out) hd_note(a->ctx, "no files for %s in ranks: %s", left_out, why);
    f->ranked = s == HD_OK;
    hd_order_free(order);
    hd_nodes_free(nodes);
    return s;
}

/* For the table that is to be used; best: routes of the best one. */
static hd_status folder_write_ranks(struct advice_folder *f, const struct hd_routes *best)
{
    struct hd_report *rep = f->a.report;
    const struct hd_routes *r = best;
    struct hd_routes *made = NULL;
    uint32_t used = hd_advise_recommended(rep);
    if (used != rep->best) HD_TRY(hd_advise_open(&f->a, f->a.ctx, &rep->option[used], &r, &made));
    hd_status s = folder_write_ranks_for(f, r);
    hd_routes_free(made);
    return s;
}

/* ---- Slurm ------------------------------------------------------------------------------------- */

static hd_status folder_write_topologies(struct advice_folder *f)
{
    static const char *const files[][2] = {{"topology.conf", "slurm"}, {"topology.yaml", "slurm-yaml"}};
    for (int i = 0; i < 2; i++) {
        struct hd_out *o;
        HD_TRY(folder_open_file(f, files[i][0], &o));
        HD_TRY(hd_out_end(f->a.ctx, o, hd_net_write(f->a.ctx, f->a.net, files[i][1], o)));
    }
    return HD_OK;
}

static hd_status folder_write_slurm(struct advice_folder *f)
{
    size_t mark;
    HD_TRY(hd_batch_begin(f->a.ctx, &mark));
    hd_status s = hd_batch_end(f->a.ctx, mark, folder_write_topologies(f));
    f->slurm = s == HD_OK;
    if (!hd_unsuited(s)) return s;
    /* No hosts, or none with a name that Slurm allows: what an earlier run wrote is of another fabric. */
    HD_TRY(hd_batch_remove(f->a.ctx, hd_say(&f->a, "%s/topology.conf", f->path)));
    return hd_batch_remove(f->a.ctx, hd_say(&f->a, "%s/topology.yaml", f->path));
}

/* ---- cables ------------------------------------------------------------------------------------ */

static hd_status folder_write_cables(struct advice_folder *f)
{
    const struct hd_report *r = f->a.report;
    struct hd_out *o;
    if (!r->nrepair && !r->nlacking) return hd_batch_remove(f->a.ctx, hd_say(&f->a, "%s/cables", f->path));
    HD_TRY(folder_open_file(f, "cables", &o));
    for (uint32_t i = 0; i < r->nrepair; i++) {
        hd_printf(o, "%s: ", r->repair[i].kind);
        folder_put_line(o, r->repair[i].text);
        for (uint32_t j = 0; j < r->repair[i].nlost; j++) {
            hd_puts(o, "      ");
            folder_put_line(o, r->repair[i].lost[j]);
        }
    }
    for (uint32_t i = 0; i < r->nlacking; i++) {
        hd_puts(o, "host: ");
        folder_put_line(o, r->lacking[i]);
    }
    f->cables = true;
    return hd_out_close(f->a.ctx, o);
}

/* ---- steps and README -------------------------------------------------------------------------- */

static void folder_add_step(struct advice_folder *f, const char *what, const char *path, const char *command)
{
    struct hd_report *r = f->a.report;
    r->step[r->nstep++] = (struct hd_report_step){.what = what, .path = path, .command = command};
}

/* Repairing the cabling stays the first step, with a list of the cables. */
static void folder_keep_repair_step(struct advice_folder *f, const struct hd_report_step *was, uint32_t n)
{
    struct hd_report *r = f->a.report;
    if (!n || !was[0].cables) return;
    r->step[r->nstep] = was[0];
    if (f->cables) {
        r->step[r->nstep].what =
            hd_say(&f->a, "%s. All cables%s are listed in", was[0].what, r->nlacking ? " and hosts" : "");
        r->step[r->nstep].path = "cables";
    }
    r->nstep++;
}

/* The tables that were written, beside the step that puts the recommended choice into effect or in its place. Where
 * what is in use stays, loading them is no step: the README says that they are there. */
static void folder_add_tables_step(struct advice_folder *f)
{
    struct hd_report *r = f->a.report;
    const bool changes = r->nstep && r->step[r->nstep - 1].choice;
    if (changes)
        folder_add_step(f, "Or load heddle's tables from files; load and rollback steps are in", "deploy/README", NULL);
    else if (!r->nchoice)
        folder_add_step(f, "Load heddle's tables from files; load and rollback steps are in", "deploy/README", NULL);
    f->spare = !changes && r->nchoice;
}

static hd_status folder_set_steps(struct advice_folder *f)
{
    struct hd_report *r = f->a.report;
    struct hd_advising *a = &f->a;
    const struct hd_report_step *was = r->step;
    uint32_t n = r->nstep;
    struct hd_report_step *step = hd_advise_alloc(a, 6, sizeof *step);
    if (!step) return hd_fail_memory(a->ctx);
    r->step = step;
    r->nstep = 0;
    folder_keep_repair_step(f, was, n);
    for (uint32_t i = 0; i < n; i++)
        if (was[i].choice) r->step[r->nstep++] = was[i];
    if (f->deployed) folder_add_tables_step(f);
    if (f->ranked && r->order_better)
        folder_add_step(f, "Start jobs in the suggested rank order; one file per launcher is in", "ranks", NULL);
    if (f->slurm)
        folder_add_step(f, "Give Slurm the topology (topology.yaml from Slurm 25.05 on), in /etc/slurm",
                        "topology.conf", "scontrol reconfigure");
    return HD_OK;
}

static bool folder_is_there(struct advice_folder *f, const char *name)
{
    struct stat st;
    return stat(hd_say(&f->a, "%s/%s", f->path, name), &st) == 0;
}

static hd_status folder_write_readme(struct advice_folder *f)
{
    const struct hd_report *r = f->a.report;
    struct hd_out *o;
    HD_TRY(folder_open_file(f, "README", &o));
    folder_put_line(o, r->net->spec);
    folder_put_line(o, r->headline);
    hd_puts(o, "\nWritten by: ");
    folder_put_line(o, r->command);
    hd_puts(o, "\n");
    for (uint32_t i = 0; i < r->nstep; i++) {
        const char *path = r->step[i].path;
        hd_printf(o, "%u. ", i + 1);
        folder_put_line(o, hd_say(&f->a, "%s%s%s", r->step[i].what, path ? ": " : "", path ? path : ""));
        if (r->step[i].command) hd_printf(o, "       %s\n", r->step[i].command);
    }
    if (f->spare)
        hd_printf(o, "\ndeploy/ has the tables of %s, which need not be loaded.\n", hd_option_label(r, r->best));
    if (!f->deployed && f->why_not_deployed) hd_printf(o, "\nNo tables are written: %s.\n", f->why_not_deployed);
    if (!f->deployed && folder_is_there(f, "deploy"))
        hd_puts(o, "deploy/ is left over from an earlier run: do not load its tables.\n");
    if (!f->ranked && folder_is_there(f, "ranks"))
        hd_puts(o, "ranks/ is left over from an earlier run: do not start jobs in its orders.\n");
    hd_puts(
        o,
        "\nreport.html has the full report with charts; every number in it comes with the command that prints it.\n");
    return hd_out_close(f->a.ctx, o);
}

static hd_status folder_write_page(struct advice_folder *f)
{
    struct hd_out *o;
    HD_TRY(folder_open_file(f, "report.html", &o));
    return hd_out_end(f->a.ctx, o, hd_report_html(f->a.ctx, f->a.report, o));
}

/* What the commands of the report need and no command can make. */
static hd_status folder_write_kept(struct advice_folder *f)
{
    const struct hd_advise_in *in = f->a.in;
    struct hd_out *o;
    if (in->keep_net) {
        HD_TRY(folder_open_file(f, "net.ibnet", &o));
        HD_TRY(hd_out_end(f->a.ctx, o, hd_net_write(f->a.ctx, in->net, "ibnet", o)));
    }
    if (!in->keep_current || !in->current) return HD_OK;
    HD_TRY(folder_open_file(f, "current.lft", &o));
    return hd_out_end(f->a.ctx, o, hd_routes_write(f->a.ctx, in->current, "lft", o));
}

static hd_status folder_write_all(struct advice_folder *f)
{
    struct hd_advising *a = &f->a;
    struct hd_report *rep = a->report;
    HD_TRY(hd_batch_folder(a->ctx, f->path, "advise"));
    if (rep->best != UINT32_MAX) {
        const struct hd_report_option *best = &rep->option[rep->best];
        const struct hd_routes *r = rep->routes;
        struct hd_routes *made = NULL;
        if (!r) HD_TRY(hd_advise_open(a, a->ctx, best, &r, &made));
        hd_status s = folder_write_tables(f, best, r);
        if (s == HD_OK) s = folder_write_ranks(f, r);
        hd_routes_free(made);
        HD_TRY(s);
    }
    HD_TRY(folder_write_slurm(f));
    HD_TRY(folder_write_cables(f));
    HD_TRY(folder_write_kept(f));
    HD_TRY(folder_set_steps(f));
    HD_TRY(folder_write_readme(f));
    return folder_write_page(f);
}

hd_status hd_advise_write_sized(struct hd_ctx *ctx, const struct hd_advise_in *given, size_t size,
                                struct hd_report *report, const char *folder)
{
    struct hd_advise_in in;
    HD_TRY(HD_SIZED_IN(ctx, hd_advise_in, given, size, &in));
    HD_TRY(hd_given(ctx, folder, "a folder to write"));
    HD_TRY(hd_advise_check_in(ctx, &in));
    if (in.net != report->net) return hd_fail(ctx, HD_USAGE, "advise: the report is of another network");
    struct advice_folder f = {.a = {.ctx = ctx,
                                    .in = &in,
                                    .net = in.net,
                                    .report = report,
                                    .arena = report->arena,
                                    .lock = PTHREAD_MUTEX_INITIALIZER},
                              .path = folder};
    f.a.goal = hd_advise_goal(report->goal);
    f.a.before = hd_advise_current_order(&in);
    f.a.after = f.a.goal->order;
    size_t mark;
    HD_TRY(hd_batch_begin(ctx, &mark));
    hd_status s = folder_write_all(&f);
    /* Where hd_say gave empty names, whatever came of them is not the cause. */
    if (f.a.failed) s = hd_fail_memory(ctx);
    return hd_batch_end(ctx, mark, s);
}
