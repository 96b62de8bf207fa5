/* SPDX-License-Identifier: BSD-2-Clause */
/* What to do, in order: repair the cabling, load the new tables, start jobs in the suggested rank order, give Slurm the
 * topology. Without a folder, steps are commands; hd_advise_write replaces them by the files that it wrote. */
#include "advise/advise_steps.h"

const char *hd_advise_needless(const struct hd_advising *a)
{
    if (a->net->nsel < 2) return "there are fewer than two endpoints";
    return a->net->nsw == 1 && !a->in->current ? "any table will do on one switch" : NULL;
}

/* The step that repairs the cabling; false: there is nothing to repair. */
static bool todo_repair(struct hd_advising *a, struct hd_report_step *step)
{
    const struct hd_report *r = a->report;
    const char *gain = "";
    if (!a->cabling) return false;
    if (r->repair_table)
        gain = hd_say(a, ". Rerouted (%s), random pairs then get %.3f of a link instead of %.3f", r->repair_table,
                      r->repair_after, r->repair_before);
    *step = (struct hd_report_step){
        .what =
            hd_say(a, "Repair the cabling: %s%s. Re-run advise afterwards; the steps below assume the current cabling",
                   a->cabling, gain),
        .command = r->repair_command,
        .cables = true};
    return true;
}

void hd_advise_todo(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    r->step = hd_advise_alloc(a, 4, sizeof *r->step);
    if (!r->step) return;
    r->nstep = todo_repair(a, &r->step[0]);
    if (r->best == UINT32_MAX) return;
    const struct hd_report_option *best = &r->option[r->best];
    if (!best->current && !hd_advise_needless(a))
        r->step[r->nstep++] =
            (struct hd_report_step){.what = "Write everything that OpenSM needs to load the new tables",
                                    .command = hd_advise_command(a, "route", best->table, "--deploy deploy")};
    if (r->order_better)
        r->step[r->nstep++] =
            (struct hd_report_step){.what = "Start jobs in the suggested rank order",
                                    .command = hd_say(a, "%s --format openmpi -o rankfile", r->order_command)};
    r->step[r->nstep++] =
        (struct hd_report_step){.what = "Give Slurm the topology",
                                .command = hd_advise_command(a, "topo", NULL, "--format slurm -o topology.conf")};
}
