/* SPDX-License-Identifier: BSD-2-Clause */
/* What to do, in order: repair the cabling, load the new tables, start jobs in the suggested rank order, give Slurm the
 * topology. Without a folder, steps are commands; hd_advise_write replaces them by the files that it wrote. */
#include "advise/advise_steps.h"
#include "report/report_options.h"

#include <string.h>

const char *hd_advise_needless(const struct hd_advising *a)
{
    if (a->net->nsel < 2) return "there are fewer than two endpoints";
    return a->net->nsw == 1 && !a->in->current ? "any table will do on one switch" : NULL;
}

/* What repairing brings, if that was measured. */
static const char *todo_gain(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    if (!r->repair_table) return "";
    const char *before = hd_say(a, "%.3f", r->repair_before), *after = hd_say(a, "%.3f", r->repair_after);
    const char *than = strcmp(before, after) == 0 ? ", as before" : hd_say(a, " instead of %s", before);
    const char *how = a->switches_away ? "With the cables alone, rerouted" : "Rerouted";
    return hd_say(a, ". %s (%s), random pairs then get %s of a link%s", how, r->repair_table, after, than);
}

/* The step that repairs the cabling; false: there is nothing to repair. */
static bool todo_repair(struct hd_advising *a, struct hd_report_step *step)
{
    if (!a->cabling) return false;
    const char *gain = todo_gain(a);
    *step = (struct hd_report_step){
        .what = hd_say(a, "Repair the cabling: %s%s. Then run advise again", a->cabling, gain),
        .brief = hd_say(a, "Repair the cabling: %s%s. Then run advise again", a->cabling_brief, gain),
        .command = a->report->repair_command,
        .cables = true};
    return true;
}

/* The recommended choice, and how to verify it. */
static void todo_choice(struct hd_advising *a, const struct hd_report_choice *c)
{
    struct hd_report *r = a->report;
    const struct hd_report_option *o = &r->option[c->option];
    if (c->option == hd_yardstick(r)) return;
    const char *proof = hd_advise_command(a, "diff", hd_advise_native_table(o), "opensm-lfts.dump");
    const char *what =
        strcmp(c->name, "opensm.conf") == 0
            ? hd_say(a, "%s. Verify with: %s", c->what, proof)
            : hd_say(a, "%s: install the package heddle-opensm and add three lines to opensm.conf", c->what);
    r->step[r->nstep++] = (struct hd_report_step){.what = what, .command = c->command, .choice = true};
}

void hd_advise_todo(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const struct hd_report_choice *taken = hd_advise_taken(r);
    r->step = hd_advise_alloc(a, 5, sizeof *r->step);
    if (!r->step) return;
    r->nstep = todo_repair(a, &r->step[0]);
    if (r->best == UINT32_MAX) return;
    if (taken) todo_choice(a, taken);
    if (r->order_better)
        r->step[r->nstep++] =
            (struct hd_report_step){.what = "Start jobs in the suggested rank order",
                                    .command = hd_say(a, "%s --format openmpi -o rankfile", r->order_command)};
    r->step[r->nstep++] =
        (struct hd_report_step){.what = "Give Slurm the topology",
                                .command = hd_advise_command(a, "topo", NULL, "--format slurm -o topology.conf")};
}
