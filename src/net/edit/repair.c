/* SPDX-License-Identifier: BSD-2-Clause */
/* Repairs of what is wrong with the cabling (net/cabling): missing cables are put in, swapped and wrong ones moved,
 * extra ones removed, slow ones get the rate of their kind. Dead switches and absent hosts stay away. A cable whose
 * port is not known takes the lowest free one. A host keeps its number, LID and rail wherever it moves, but its place
 * in the structure is another one: the network has no structure then until it is inferred again (net/infer).
 * Cost: O(channels + 256 switches). */
#include "base/status.h"
#include "net/cabling/bridges.h"
#include "net/edit/net_with.h"

#include <stdio.h>
#include <string.h>

struct repair_plan {
    struct hd_net_edit *edit;
    const struct hd_net *net;
    uint8_t *link; /* [nchan] repaired rates */
    bool *taken;   /* [nsw * 256] ports */
    struct hd_new_cable *add;
    uint32_t nadd;
    bool hosts_moved;
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

static bool *repair_taken(struct repair_plan *p, const struct hd_plug *plug)
{
    return &p->taken[(size_t)plug->node * 256 + plug->port];
}

/* ---- rates ------------------------------------------------------------------------------------- */

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

/* ---- cables out ------------------------------------------------------------------------------- */

/* Takes the cable out; its ports stay taken. */
static hd_status repair_unplug(struct repair_plan *p, uint32_t c)
{
    struct hd_net_edit *edit = p->edit;
    HD_TRY(hd_remaining_init(edit->ctx, edit->arena, p->net, &edit->changes.remaining));
    edit->changes.remaining.chan[c] = edit->changes.remaining.chan[p->net->rev[c]] = false;
    return HD_OK;
}

static void repair_plug(struct repair_plan *p, const struct hd_plug *from, const struct hd_plug *to, uint8_t link)
{
    p->add[p->nadd++] = (struct hd_new_cable){from->node, to->node, from->port, to->port, link};
}

/* Whether the cable of a host should be elsewhere. */
static bool repair_is_host(const struct hd_net *net, const struct hd_cabling_fault *f)
{
    return f->kind == HD_CABLING_WRONG && !is_switch(net, &f->to);
}

/* Two cables exchange their ends: all four ports stay in use, so that no other repair gets one of them. A cable stays
 * with its host. */
static hd_status repair_exchange(struct repair_plan *p, const struct hd_cabling_fault *f)
{
    const struct hd_net *net = p->net;
    const uint32_t c = repair_channel(net, &f->from), d = repair_channel(net, &f->from2);
    if (!hd_channel_remains(&p->edit->changes.remaining, c) || !hd_channel_remains(&p->edit->changes.remaining, d))
        return HD_OK;
    HD_TRY(repair_unplug(p, c));
    HD_TRY(repair_unplug(p, d));
    repair_plug(p, &f->from, &f->to2, p->link[is_switch(net, &f->to2) ? c : d]);
    repair_plug(p, &f->from2, &f->to, p->link[is_switch(net, &f->to) ? d : c]);
    p->hosts_moved |= !is_switch(net, &f->to) || !is_switch(net, &f->from2);
    return HD_OK;
}

/* A host without a cable would be lost, so that it moves only if its port is known and free. */
static hd_status repair_move_host(struct repair_plan *p, const struct hd_cabling_fault *f)
{
    const struct hd_net *net = p->net;
    const uint32_t c = repair_channel(net, &f->from);
    if (!is_switch(net, &f->from2) || !f->from2.port || *repair_taken(p, &f->from2) ||
        !hd_channel_remains(&p->edit->changes.remaining, c))
        return HD_OK;
    HD_TRY(repair_unplug(p, c));
    *repair_taken(p, &f->from) = false;
    *repair_taken(p, &f->from2) = true;
    repair_plug(p, &f->from2, &f->to2, p->link[c]);
    p->hosts_moved = true;
    return HD_OK;
}

static hd_status repair_remove(struct repair_plan *p, const struct hd_cabling_fault *f)
{
    HD_TRY(repair_unplug(p, repair_channel(p->net, &f->from)));
    *repair_taken(p, &f->from) = *repair_taken(p, &f->to) = false;
    return HD_OK;
}

static hd_status repair_cables_out(struct repair_plan *p, const struct hd_cabling *cabling)
{
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        if (f->kind == HD_CABLING_SWAPPED)
            HD_TRY(repair_exchange(p, f));
        else if (repair_is_host(p->net, f))
            HD_TRY(repair_move_host(p, f));
        else if (f->kind == HD_CABLING_WRONG ||
                 (f->kind == HD_CABLING_EXTRA && !hd_cabling_is_bridge(p->net, cabling, f)))
            HD_TRY(repair_remove(p, f));
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
            if (known && f->kind == HD_CABLING_WRONG && !repair_is_host(p->net, f))
                repair_add(p, &f->from2, &f->to2, p->link[repair_channel(p->net, &f->from)], false);
        }
}

/* ---- the whole -------------------------------------------------------------------------------- */

static hd_status repair_forget_structure(struct hd_net_edit *edit)
{
    const struct hd_net *net = edit->net;
    struct hd_structure *none = HD_NEW(edit->arena, struct hd_structure, 1);
    if (!none) return hd_fail_memory(edit->ctx);
    *none = (struct hd_structure){.level = net->level, .departs = "hosts were moved", .unplaced = net->unplaced};
    edit->changes.structure = none;
    return HD_OK;
}

static hd_status plan_repairs(struct hd_net_edit *edit, const struct hd_cabling *cabling)
{
    const struct hd_net *net = edit->net;
    struct repair_plan p = {.edit = edit, .net = net, .link = HD_NEW(edit->arena, uint8_t, net->nchan)};
    p.taken = HD_NEW(edit->arena, bool, (size_t)net->nsw * 256);
    p.add = HD_NEW(edit->arena, struct hd_new_cable, 2 * (size_t)cabling->n + 1);
    if (!p.link || !p.taken || !p.add) return hd_fail_memory(edit->ctx);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) p.taken[(size_t)net->tail[c] * 256 + net->port[c]] = true;
    repair_rates(&p, cabling);
    HD_TRY(repair_cables_out(&p, cabling));
    repair_cables_in(&p, cabling);
    edit->changes.link = p.link;
    edit->changes.add = p.add;
    edit->changes.nadd = p.nadd;
    return p.hosts_moved ? repair_forget_structure(edit) : HD_OK;
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
