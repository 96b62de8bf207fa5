/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection: choosing a component cuts the network down to it; rails and an expression only say which of its endpoints
 * are selected, because the others still are there to be routed around. Rails keep the numbers they have in the whole
 * network. With an expression, routers and aggregation nodes are selected too if their names match. Cost: one search
 * for components and one pass over the endpoints. */
#include "base/expression.h"
#include "base/spec.h"
#include "base/sized.h"
#include "base/status.h"
#include "net/core/lookup.h"
#include "net/edit/net_with.h"

#include <stdio.h>
#include <string.h>

struct selecting {
    struct hd_net_edit *edit;
    struct hd_ctx *ctx;
    const struct hd_net *net;
    const struct hd_choice *choice;
    struct hd_remaining left;        /* of the network, after what was planned before */
    uint32_t *part_of, nparts, part; /* part is set if choice->part is */
    bool rail[256];
    bool *selected; /* [nep] */
};

/* ---- which part ---------------------------------------------------------------------------- */

static bool host_is_called(const struct hd_net *net, uint32_t v, const char *name)
{
    return v >= net->nsw && strcmp(hd_host_name(net, net->host[v - net->nsw]), name) == 0;
}

static hd_status select_part_by_name(struct selecting *k)
{
    const char *text = k->choice->part;
    struct hd_call call = hd_call_of(text);
    bool found = false;
    for (uint32_t v = 0; v < k->net->nsw + k->net->nep; v++) {
        if (!hd_node_remains(k->net, &k->left, v)) continue;
        if (!hd_is_called(k->net, v, call) && !host_is_called(k->net, v, text)) continue;
        if (found && k->part_of[v] != k->part)
            return hd_fail(k->ctx, HD_INPUT,
                           "part: nodes called '%.200s' are in components %u and %u: expected a number", text, k->part,
                           k->part_of[v]);
        found = true;
        k->part = k->part_of[v];
    }
    return found ? HD_OK : hd_unknown_node(&(struct hd_lookup){k->ctx, k->net, &k->left, "part"}, text, false);
}

static hd_status select_part(struct selecting *k)
{
    const char *text = k->choice->part;
    uint64_t number;
    HD_TRY(hd_components_of(k->ctx, k->net, &k->left, k->part_of, &k->nparts));
    if (!hd_parse_u64(text, strlen(text), &number)) return select_part_by_name(k);
    if (number >= k->nparts)
        return k->nparts == 1
                   ? hd_fail(k->ctx, HD_INPUT, "part: %s: the network is connected, it has component 0 only", text)
                   : hd_fail(k->ctx, HD_INPUT, "part: %s: the network has components 0 to %u", text, k->nparts - 1);
    k->part = (uint32_t)number;
    return HD_OK;
}

/* ---- which rails ---------------------------------------------------------------------------- */

static hd_status no_such_rail(struct selecting *k, const char *text)
{
    uint32_t n = k->net->nrail;
    if (n == 0) return hd_fail(k->ctx, HD_INPUT, "rail: '%.100s': the network has no endpoints", text);
    if (n == 1) return hd_fail(k->ctx, HD_INPUT, "rail: '%.100s': the network has rail 0 only", text);
    return hd_fail(k->ctx, HD_INPUT, "rail: '%.100s': the network has rails 0 to %u; several are separated by +", text,
                   n - 1);
}

static hd_status select_rails(struct selecting *k)
{
    const char *text = k->choice->rail;
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, "+");
        uint64_t number;
        if (!hd_parse_u64(at, n, &number) || number >= k->net->nrail) return no_such_rail(k, text);
        k->rail[number] = true;
        at += n;
        if (!*at) return HD_OK;
    }
}

/* ---- which endpoints ----------------------------------------------------------------------- */

static hd_status select_by_name(struct selecting *k)
{
    const struct hd_net *net = k->net;
    regex_t re;
    HD_TRY(hd_expression(k->ctx, "endpoints", k->choice->endpoints, "a regular expression", &re));
    hd_status s = HD_OK;
    for (uint32_t e = 0; e < net->nep && s == HD_OK; e++) {
        if (e && net->ca[e] == net->ca[e - 1])
            k->selected[e] = k->selected[e - 1];
        else
            s = hd_expression_match(k->ctx, &re, hd_node_name(net, net->nsw + e), 0, NULL, &k->selected[e]);
    }
    regfree(&re);
    return s;
}

static bool in_selected_part(const struct selecting *k, uint32_t v)
{
    return hd_node_remains(k->net, &k->left, v) && (!k->choice->part || k->part_of[v] == k->part);
}

/* Words for what was not there, naming what is. */
static hd_status nothing_selected(const struct selecting *k)
{
    const struct hd_net *net = k->net;
    const struct hd_choice *c = k->choice;
    uint32_t kept = 0, were = 0;
    const char *name = NULL;
    for (uint32_t e = 0; e < net->nep; e++) {
        were += hd_endpoint_remains(&k->left, e);
        if (in_selected_part(k, net->nsw + e) && !kept++) name = hd_node_name(net, net->nsw + e);
    }
    char where[40] = "the network";
    if (c->part) snprintf(where, sizeof where, "component %u", k->part);
    if (!kept) return hd_fail(k->ctx, HD_INPUT, "%s has no endpoints%s", where, were ? "; component 0 has most" : "");
    if (c->endpoints)
        return hd_fail(k->ctx, HD_INPUT, "endpoints: none of the %u in %s%s%s matches '%.200s' (one is '%.200s')", kept,
                       where, c->rail ? " on rail " : "", c->rail ? c->rail : "", c->endpoints, name);
    if (c->rail)
        return hd_fail(k->ctx, HD_INPUT, "rail: none of the selected endpoints in %s is on rail %.100s", where,
                       c->rail);
    return hd_fail(k->ctx, HD_INPUT, "%s has %u endpoints, but none of a host; choose some by name ('%.200s')", where,
                   kept, name);
}

static hd_status select_endpoints(struct selecting *k)
{
    const struct hd_net *net = k->net;
    bool any = false;
    if (k->choice->endpoints)
        HD_TRY(select_by_name(k));
    else
        for (uint32_t i = 0; i < net->nsel; i++) k->selected[net->sel[i]] = true;
    for (uint32_t e = 0; e < net->nep; e++) {
        if (!in_selected_part(k, net->nsw + e) || (k->choice->rail && !k->rail[net->rail[e]])) k->selected[e] = false;
        any |= k->selected[e];
    }
    return any ? HD_OK : nothing_selected(k);
}

/* ---- the whole selection ------------------------------------------------------------------- */

static hd_status selection_spec(struct selecting *k)
{
    struct hd_arena *arena = k->edit->arena;
    const char *spec = hd_edit_spec(k->edit);
    char number[16];
    snprintf(number, sizeof number, "%u", k->part);
    if (k->choice->part) spec = hd_spec_with(arena, spec, "part", number);
    if (spec && k->choice->rail) spec = hd_spec_with(arena, spec, "rail", k->choice->rail);
    if (spec && k->choice->endpoints) spec = hd_spec_with(arena, spec, "endpoints", k->choice->endpoints);
    k->edit->changes.spec = spec;
    return spec ? HD_OK : hd_fail_memory(k->ctx);
}

static hd_status selection_cut(struct selecting *k)
{
    struct hd_remaining *remaining = &k->edit->changes.remaining;
    HD_TRY(hd_remaining_init(k->ctx, k->edit->arena, k->net, remaining));
    for (uint32_t v = 0; v < k->net->nsw; v++) remaining->sw[v] = k->part_of[v] == k->part;
    hd_remaining_close(k->net, remaining);
    return HD_OK;
}

hd_status hd_edit_choose(struct hd_net_edit *edit, const struct hd_choice *choice)
{
    if (!choice->part && !choice->rail && !choice->endpoints) return HD_OK;
    const struct hd_net *net = edit->net;
    struct selecting k = {
        .edit = edit, .ctx = edit->ctx, .net = net, .choice = choice, .left = edit->changes.remaining};
    k.part_of = HD_NEW(edit->arena, uint32_t, net->nsw + net->nep);
    k.selected = HD_NEW(edit->arena, bool, net->nep);
    if (!k.part_of || !k.selected) return hd_fail_memory(edit->ctx);
    if (choice->part) HD_TRY(select_part(&k));
    if (choice->rail) HD_TRY(select_rails(&k));
    HD_TRY(select_endpoints(&k));
    HD_TRY(selection_spec(&k));
    if (choice->part) HD_TRY(selection_cut(&k));
    edit->changes.selected = k.selected;
    return HD_OK;
}

hd_status hd_net_choose_sized(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_choice *given, size_t size,
                              struct hd_net **out)
{
    struct hd_choice choice;
    HD_TRY(HD_SIZED_IN(ctx, hd_choice, given, size, &choice));
    struct hd_arena scratch = {0};
    struct hd_net_edit edit = {.ctx = ctx, .arena = &scratch, .net = net};
    return hd_edit_finish(&edit, hd_edit_choose(&edit, &choice), out);
}
