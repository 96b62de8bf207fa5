/* SPDX-License-Identifier: BSD-2-Clause */
/* The cabling: what is wrong with it, with the ports of both ends, those faults first that gain most by repair. Other
 * clauses about the cabling (components without a cable between them, absent switches, ports of hosts) are added by the
 * findings. O(channels). */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/cabling/bridges.h"

#include <string.h>

/* A to-do list names all faults of a kind up to CABLES_ALL; of more, the first screen has room for CABLES_FIRST. */
enum { CABLES_ALL = 8, CABLES_FIRST = 3, CABLES_TEXT = 600 };

void hd_advise_cabling(struct hd_advising *a, const char *deed, const char *list)
{
    const char *clause = list ? hd_say(a, "%s: %s", deed, list) : deed;
    a->cabling = a->cabling ? hd_say(a, "%s; %s", a->cabling, clause) : clause;
    a->cabling_brief = a->cabling_brief ? hd_say(a, "%s; %s", a->cabling_brief, deed) : deed;
}

/* Faults of a kind that need another deed than the others do. */
enum cables_case { CABLES_PLAIN, CABLES_ABSENT, CABLES_BRIDGE };

/* "put back 2 missing cables: a - b; c - d" */
static const char *cables_deed(struct hd_advising *a, enum hd_cabling_kind kind, enum cables_case which, uint32_t n)
{
    const char *s = hd_plural(n);
    if (which == CABLES_ABSENT)
        return hd_say(a, "check %u host%s that %s not in the fabric", n, s, n == 1 ? "is" : "are");
    if (which == CABLES_BRIDGE)
        return hd_say(a, "keep %u cable%s that belong%s nowhere until what is behind %s has uplinks", n, s,
                      n == 1 ? "s" : "", n == 1 ? "it" : "them");
    if (kind == HD_CABLING_DEAD) return hd_say(a, "restore %u dead switch%s", n, n == 1 ? "" : "es");
    if (kind == HD_CABLING_SWAPPED) return hd_say(a, "undo %u swap%s of two cables", n, s);
    if (kind == HD_CABLING_WRONG) return hd_say(a, "move or remove %u wrong cable%s", n, s);
    if (kind == HD_CABLING_MISSING) return hd_say(a, "put back %u missing cable%s", n, s);
    if (kind == HD_CABLING_SLOW) return hd_say(a, "reseat or replace %u slow cable%s", n, s);
    return hd_say(a, "remove %u cable%s that belong%s nowhere", n, s, n == 1 ? "s" : "");
}

/* Whether a fault is a host that is not in the fabric, which may be off as well as without its cable. One that has
 * other ports there is on. */
static bool cables_are_of_absent(const struct hd_cabling_fault *f)
{
    return f->kind == HD_CABLING_MISSING && f->to.node == UINT32_MAX && f->to2.node == UINT32_MAX;
}

static enum cables_case cables_case_of(const struct hd_advising *a, const struct hd_cabling_fault *f)
{
    if (cables_are_of_absent(f)) return CABLES_ABSENT;
    return hd_cabling_is_bridge(a->net, a->faults, f) ? CABLES_BRIDGE : CABLES_PLAIN;
}

static void cables_add_clause(struct hd_advising *a, enum hd_cabling_kind kind, enum cables_case which)
{
    const struct hd_report *r = a->report;
    const struct hd_cabling_fault *fault = a->faults->fault;
    const char *list = "";
    uint32_t n = 0, named = 0;
    for (uint32_t i = 0; i < r->nrepair; i++) n += fault[i].kind == kind && cables_case_of(a, &fault[i]) == which;
    const uint32_t most = n <= CABLES_ALL ? n : CABLES_FIRST;
    for (uint32_t i = 0; named < most; i++) {
        const struct hd_report_repair *x = &r->repair[i];
        if (fault[i].kind != kind || cables_case_of(a, &fault[i]) != which) continue;
        const char *text =
            which == CABLES_ABSENT ? hd_say(a, "%s at %s port %u", x->to_label, x->from_label, x->from_port) : x->text;
        list = hd_say(a, "%s%s%s", list, named++ ? ", " : "", text);
    }
    if (n > most) list = hd_say(a, "%s and %u more (heddle topo lists all)", list, n - most);
    if (!n) return;
    hd_advise_cabling(a, cables_deed(a, kind, which, n), list);
    a->switches_away |= kind == HD_CABLING_DEAD;
}

static const char *cables_node(const struct hd_net *net, const struct hd_plug *plug, bool label)
{
    if (plug->node == UINT32_MAX) return plug->name ? plug->name : "";
    return label ? hd_node_label(net, plug->node) : hd_node_name(net, plug->node);
}

/* All cables that led to a dead switch: its text names the first. */
static hd_status cables_keep_lost(struct hd_advising *a, const struct hd_cabling *cabling,
                                  const struct hd_cabling_fault *f, struct hd_report_repair *x)
{
    char text[CABLES_TEXT];
    x->lost = hd_advise_alloc(a, f->n, sizeof *x->lost);
    if (!x->lost) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < f->n; i++) {
        const struct hd_lost_cable *lost = &cabling->lost[f->first + i];
        const struct hd_cabling_fault one = {.kind = HD_CABLING_EXTRA, .from = lost->from, .to = lost->to};
        hd_cabling_text(a->net, cabling, &one, text, sizeof text);
        x->lost[x->nlost++] = hd_say(a, "%s", text);
    }
    return HD_OK;
}

static hd_status cables_keep(struct hd_advising *a, const struct hd_cabling *cabling)
{
    struct hd_report *r = a->report;
    const struct hd_net *net = a->net;
    char text[CABLES_TEXT];
    r->repair = hd_advise_alloc(a, cabling->n, sizeof *r->repair);
    if (!r->repair) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        hd_cabling_text(net, cabling, f, text, sizeof text);
        r->repair[r->nrepair++] = (struct hd_report_repair){.kind = hd_cabling_name(f->kind),
                                                            .text = hd_say(a, "%s", text),
                                                            .from = cables_node(net, &f->from, false),
                                                            .to = cables_node(net, &f->to, false),
                                                            .from_label = cables_node(net, &f->from, true),
                                                            .to_label = cables_node(net, &f->to, true),
                                                            .from_port = f->from.port,
                                                            .to_port = f->to.port,
                                                            .link = hd_link_name(f->link),
                                                            .usual = hd_link_name(f->usual)};
        if (f->kind == HD_CABLING_DEAD) HD_TRY(cables_keep_lost(a, cabling, f, &r->repair[i]));
    }
    return HD_OK;
}

hd_status hd_advise_cables(struct hd_advising *a)
{
    static const enum hd_cabling_kind order[] = {HD_CABLING_DEAD,    HD_CABLING_SWAPPED, HD_CABLING_WRONG,
                                                 HD_CABLING_MISSING, HD_CABLING_SLOW,    HD_CABLING_EXTRA};
    HD_TRY(hd_net_cabling(a->ctx, a->net, &a->faults));
    HD_TRY(cables_keep(a, a->faults));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) cables_add_clause(a, order[i], CABLES_PLAIN);
    cables_add_clause(a, HD_CABLING_EXTRA, CABLES_BRIDGE);
    cables_add_clause(a, HD_CABLING_MISSING, CABLES_ABSENT);
    return HD_OK;
}
