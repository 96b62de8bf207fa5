/* SPDX-License-Identifier: BSD-2-Clause */
/* Repairs of what is wrong with the cabling (net/cabling): missing cables are put in, swapped and wrong ones moved,
 * extra ones removed, slow ones get the rate of their kind. Dead switches stay dead, and hosts stay where they are:
 * they would get other paths, not more bandwidth. A cable whose port is not known takes the lowest free one.
 * Cost: O(channels + 256 switches). */
#include "base/status.h"
#include "net/edit/net_with.h"

#include <stdio.h>
#include <string.h>

struct repair_plan {
    struct hd_net_edit *edit;
    const struct hd_net *net;
    uint8_t *link; /* [nchan] */
    bool *taken;   /* [nsw * 256] ports */
    struct hd_new_cable *add;
    uint32_t nadd;
};

static bool is_switch(const struct hd_net *net, const struct hd_plug *plug)
{
    return plug->node < net->nsw;
}

static uint32_t repair_channel(const struct hd_net *net, const struct hd_plug *plug)
{
    uint32_t c = net->off[plug->node];
    while (net->port[c] != plug->port) c++;
    return c;
}

/* ---- cables out ------------------------------------------------------------------------------- */

static hd_status repair_remove(struct repair_plan *p, const struct hd_plug *from)
{
    struct hd_net_edit *edit = p->edit;
    uint32_t c = repair_channel(p->net, from), back = p->net->rev[c];
    HD_TRY(hd_remaining_init(edit->ctx, edit->arena, p->net, &edit->changes.remaining));
    edit->changes.remaining.chan[c] = edit->changes.remaining.chan[back] = false;
    p->taken[(size_t)p->net->tail[c] * 256 + p->net->port[c]] = false;
    p->taken[(size_t)p->net->head[c] * 256 + p->net->port[back]] = false;
    return HD_OK;
}

/* Whether what is behind a cable that belongs nowhere has no other connection: such a cable stays. */
static bool repair_would_cut(const struct hd_net *net, const struct hd_cabling *cabling,
                             const struct hd_cabling_fault *f)
{
    if (f->kind != HD_CABLING_EXTRA) return false;
    uint32_t c = repair_channel(net, &f->from), v = net->level[net->tail[c]], u = net->level[net->head[c]];
    return v + 1 != u && u + 1 != v && !cabling->aside[c];
}

/* Cables of hosts are not recabled: a host that changes places is for its owner to decide. */
static bool repair_takes(const struct hd_net *net, const struct hd_cabling_fault *f)
{
    if (!is_switch(net, &f->from) || !is_switch(net, &f->to)) return false;
    return f->kind != HD_CABLING_SWAPPED || (is_switch(net, &f->from2) && is_switch(net, &f->to2));
}

static hd_status repair_cables_out(struct repair_plan *p, const struct hd_cabling *cabling)
{
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        if (!repair_takes(p->net, f) || repair_would_cut(p->net, cabling, f)) continue;
        if (f->kind == HD_CABLING_SWAPPED || f->kind == HD_CABLING_WRONG || f->kind == HD_CABLING_EXTRA)
            HD_TRY(repair_remove(p, &f->from));
        if (f->kind == HD_CABLING_SWAPPED) HD_TRY(repair_remove(p, &f->from2));
    }
    return HD_OK;
}

/* ---- cables in -------------------------------------------------------------------------------- */

/* The port if it is known and free, else the lowest free one; 0: there is none. */
static uint8_t repair_port(const struct repair_plan *p, const struct hd_plug *plug, bool known)
{
    const bool *taken = p->taken + (size_t)plug->node * 256;
    if (plug->port && !taken[plug->port]) return plug->port;
    for (uint32_t port = 1; port <= p->net->nports[plug->node] && !known; port++)
        if (!taken[port]) return (uint8_t)port;
    return 0;
}

/* known: only if both ports are. */
static void repair_add(struct repair_plan *p, const struct hd_plug *from, const struct hd_plug *to, uint8_t link,
                       bool known)
{
    if (!is_switch(p->net, from) || !is_switch(p->net, to)) return;
    uint8_t a = repair_port(p, from, known), b = repair_port(p, to, known);
    if (!a || !b) return; /* the structure asks for more ports than the switch has */
    p->taken[(size_t)from->node * 256 + a] = p->taken[(size_t)to->node * 256 + b] = true;
    p->add[p->nadd++] = (struct hd_new_cable){from->node, to->node, a, b, link};
}

static void repair_cables_in(struct repair_plan *p, const struct hd_cabling *cabling)
{
    for (int known = 1; known >= 0; known--)
        for (uint32_t i = 0; i < cabling->n; i++) {
            const struct hd_cabling_fault *f = &cabling->fault[i];
            bool exact = f->from.port && f->to.port;
            if (f->kind == HD_CABLING_MISSING && exact == known) repair_add(p, &f->from, &f->to, f->usual, known);
            if (!known || !repair_takes(p->net, f)) continue;
            uint8_t link = f->kind == HD_CABLING_SWAPPED || f->kind == HD_CABLING_WRONG
                               ? p->net->link[repair_channel(p->net, &f->from)]
                               : 0;
            if (f->kind == HD_CABLING_WRONG && f->from2.node != UINT32_MAX)
                repair_add(p, &f->from2, &f->to2, link, false);
            if (f->kind != HD_CABLING_SWAPPED) continue;
            repair_add(p, &f->from, &f->to2, link, true);
            repair_add(p, &f->from2, &f->to, p->net->link[repair_channel(p->net, &f->from2)], true);
        }
}

static void repair_rates(struct repair_plan *p, const struct hd_cabling *cabling)
{
    if (p->net->nchan) memcpy(p->link, p->net->link, p->net->nchan);
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        if (f->kind != HD_CABLING_SLOW) continue;
        uint32_t c = repair_channel(p->net, &f->from);
        p->link[c] = p->link[p->net->rev[c]] = f->usual;
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

static hd_status plan_repairs(struct hd_net_edit *edit, const struct hd_cabling *cabling)
{
    const struct hd_net *net = edit->net;
    struct repair_plan p = {.edit = edit, .net = net, .link = HD_NEW(edit->arena, uint8_t, net->nchan)};
    p.taken = HD_NEW(edit->arena, bool, (size_t)net->nsw * 256);
    p.add = HD_NEW(edit->arena, struct hd_new_cable, 2 * (size_t)cabling->n + 1);
    if (!p.link || !p.taken || !p.add) return hd_fail_memory(edit->ctx);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) p.taken[(size_t)net->tail[c] * 256 + net->port[c]] = true;
    HD_TRY(repair_cables_out(&p, cabling));
    repair_cables_in(&p, cabling);
    repair_rates(&p, cabling);
    edit->changes.link = p.link;
    edit->changes.add = p.add;
    edit->changes.nadd = p.nadd;
    return HD_OK;
}

hd_status hd_edit_repair(struct hd_net_edit *edit)
{
    static const char option[] = " --repair";
    const char *old = hd_edit_spec(edit);
    const struct hd_cabling *cabling;
    char *spec = HD_NEW(edit->arena, char, strlen(old) + sizeof option);
    if (!spec) return hd_fail_memory(edit->ctx);
    HD_TRY(hd_net_cabling(edit->ctx, edit->net, &cabling));
    HD_TRY(plan_repairs(edit, cabling));
    sprintf(spec, "%s%s", old, option);
    edit->changes.spec = spec;
    return HD_OK;
}

hd_status hd_net_repair(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct hd_net_edit edit = {.ctx = ctx, .arena = &scratch, .net = net};
    return hd_edit_finish(&edit, hd_edit_repair(&edit), out);
}
