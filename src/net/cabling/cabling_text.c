/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of the cabling in words: what is plugged where, and where it belongs. */
#include "base/c_locale.h"
#include "net/cabling/wiring.h"

#include <stdio.h>
#include <string.h>

struct fault_text {
    const struct hd_net *net;
    char *text;
    size_t size;
};

static void fault_add(struct fault_text *t, const char *fmt, ...) HD_PRINTF(2, 3);
static void fault_add(struct fault_text *t, const char *fmt, ...)
{
    size_t n = strlen(t->text);
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(t->text + n, t->size - n, fmt, ap);
    va_end(ap);
}

/* A fault is the caller's, who may have made it, and so are the numbers in it. */
static bool plug_is_known(const struct hd_net *net, const struct hd_plug *plug)
{
    return plug->node < net->nsw || plug->node - net->nsw < net->nep;
}

/* "leaf05 port 28"; an adapter with one port needs no number. */
static void fault_add_plug(struct fault_text *t, const struct hd_plug *plug)
{
    const struct hd_net *net = t->net;
    const bool known = plug_is_known(net, plug);
    if (!known)
        fault_add(t, "%.60s", plug->name ? plug->name : "a switch that is not in the fabric");
    else
        fault_add(t, "%.60s", hd_node_label(net, plug->node));
    const bool one = known && plug->node >= net->nsw && net->ca_ports[net->ca[plug->node - net->nsw]] == 1;
    if (plug->port && !one) fault_add(t, " port %u", plug->port);
}

static void fault_add_cable(struct fault_text *t, const struct hd_plug *from, const struct hd_plug *to)
{
    fault_add_plug(t, from);
    fault_add(t, " - ");
    fault_add_plug(t, to);
}

static void fault_add_dead(struct fault_text *t, const struct hd_cabling *cabling, const struct hd_cabling_fault *f)
{
    enum { NAMED = 3 };
    if (!plug_is_known(t->net, &f->to))
        fault_add(t, "%.60s%s", f->to.name ? f->to.name : "a switch",
                  f->to.name ? ", which is not in the fabric" : " that is not in the fabric");
    else
        fault_add(t, "%.60s has no cable", hd_node_label(t->net, f->to.node));
    if (!f->n) return;
    fault_add(t, ", %u cable%s led to it: ", f->n, f->n == 1 ? "" : "s");
    for (uint32_t i = 0; i < f->n && i < NAMED; i++) {
        if (i) fault_add(t, ", ");
        fault_add_plug(t, &cabling->lost[f->first + i].from);
    }
    if (f->n > NAMED) fault_add(t, " and %u more", f->n - NAMED);
}

const char *hd_cabling_name(enum hd_cabling_kind kind)
{
    static const char *const names[] = {"missing", "swapped", "wrong", "extra", "slow", "dead"};
    return (size_t)kind < HD_CABLING_KINDS ? names[kind] : NULL;
}

void hd_cabling_text(const struct hd_net *net, const struct hd_cabling *cabling, const struct hd_cabling_fault *f,
                     char *text, size_t size)
{
    struct fault_text t = {net, text, size};
    if (!size) return;
    *text = 0;
    if (f->kind == HD_CABLING_DEAD) {
        fault_add_dead(&t, cabling, f);
        return;
    }
    fault_add_cable(&t, &f->from, &f->to);
    if (f->kind == HD_CABLING_MISSING && f->to.node == HD_NOWHERE && f->to2.node == HD_NOWHERE)
        fault_add(&t, ", which is not in the fabric");
    if (f->kind == HD_CABLING_SLOW) fault_add(&t, " (%s, not %s)", hd_link_name(f->link), hd_link_name(f->usual));
    if (f->kind == HD_CABLING_SWAPPED) {
        fault_add(&t, " and ");
        fault_add_cable(&t, &f->from2, &f->to2);
        fault_add(&t, ": exchange ");
        fault_add_plug(&t, &f->to);
        fault_add(&t, " and ");
        fault_add_plug(&t, &f->to2);
    }
    if (f->kind != HD_CABLING_WRONG) return;
    fault_add(&t, f->from2.node == HD_NOWHERE ? ": remove it, its ports belong to other cables" : ", should be ");
    if (f->from2.node != HD_NOWHERE) fault_add_cable(&t, &f->from2, &f->to2);
}
