/* SPDX-License-Identifier: BSD-2-Clause */
/* The cabling: which cables are missing or slower than most of their kind, by the ports of both ends where those are
 * known. Other clauses about the cabling (components without a cable between them, absent switches, ports of hosts) are
 * added by the findings. O(channels). */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/edit/repair.h"
#include "net/io/hostlist.h"

#include <stdlib.h>

enum { NAMED = 3 };

void hd_advise_cabling(struct hd_advising *a, const char *clause)
{
    a->cabling = a->cabling ? hd_say(a, "%s; %s", a->cabling, clause) : clause;
}

const char *hd_advise_cable(struct hd_advising *a, const struct hd_report_repair *x)
{
    const char *from =
        x->from_port ? hd_say(a, "%.48s port %u", x->from_label, x->from_port) : hd_say(a, "%.48s", x->from_label);
    const char *to = x->to_port ? hd_say(a, "%.48s port %u", x->to_label, x->to_port) : hd_say(a, "%.48s", x->to_label);
    return x->missing ? hd_say(a, "%s - %s", from, to) : hd_say(a, "%s - %s (%s, not %s)", from, to, x->link, x->usual);
}

static void cables_add_clause(struct hd_advising *a, bool missing)
{
    const struct hd_report *r = a->report;
    struct hd_name_list names = {.most = NAMED};
    for (uint32_t i = 0; i < r->nrepair; i++)
        if (r->repair[i].missing == missing)
            hd_name_list_add(&names, "%s", names.n < NAMED ? hd_advise_cable(a, &r->repair[i]) : "");
    if (!names.n) return;
    const char *s = hd_plural(names.n), *list = hd_name_list_end(&names);
    hd_advise_cabling(a, missing ? hd_say(a, "put back %u missing cable%s: %s", names.n, s, list)
                                 : hd_say(a, "reseat or replace %u slow cable%s: %s", names.n, s, list));
}

/* As people sort: leaf2 before leaf10. */
static int cables_by_label(const void *a, const void *b)
{
    const struct hd_report_repair *x = a, *y = b;
    int order = hd_natural(x->from_label, y->from_label);
    if (order == 0) order = hd_natural(x->to_label, y->to_label);
    return order ? order : (x->from_port > y->from_port) - (x->from_port < y->from_port);
}

static hd_status cables_keep(struct hd_advising *a, const struct hd_cable_faults *faults)
{
    struct hd_report *r = a->report;
    const struct hd_net *net = a->net;
    r->repair = hd_advise_alloc(a, faults->n, sizeof *r->repair);
    if (!r->repair) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < faults->n; i++) {
        const struct hd_cable_fault *m = &faults->at[i];
        r->repair[r->nrepair++] = (struct hd_report_repair){.missing = m->missing,
                                                            .from = hd_node_name(net, m->u),
                                                            .to = hd_node_name(net, m->v),
                                                            .from_label = hd_node_label(net, m->u),
                                                            .to_label = hd_node_label(net, m->v),
                                                            .from_port = m->uport,
                                                            .to_port = m->vport,
                                                            .link = hd_link_name(m->link),
                                                            .usual = hd_link_name(m->usual)};
    }
    if (r->nrepair) { /* missing ones come first */
        qsort(r->repair, faults->missing, sizeof *r->repair, cables_by_label);
        qsort(r->repair + faults->missing, r->nrepair - faults->missing, sizeof *r->repair, cables_by_label);
    }
    a->missing = faults->missing;
    a->unrated = faults->unknown;
    return HD_OK;
}

hd_status hd_advise_cables(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_cable_faults faults;
    hd_status s = hd_cable_faults_find(a->ctx, &scratch, a->net, &faults);
    if (s == HD_OK) s = cables_keep(a, &faults);
    hd_arena_release(&scratch);
    cables_add_clause(a, true);
    cables_add_clause(a, false);
    return s;
}
