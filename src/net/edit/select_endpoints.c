/* SPDX-License-Identifier: BSD-2-Clause */
/* Choosing: a part cuts the network down to it; rails and an expression only say which endpoints
 * count. Rails keep the numbers they have in the whole network. Where an expression is given, routers
 * and aggregation nodes count too if their names match. One pass over the endpoints, one copy. */
#include "base/spec.h"
#include "base/status.h"
#include "net/core/builder.h"
#include "net/core/lookup.h"
#include "net/core/spec_option.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

struct chosen {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    const struct hd_choice *choice;
    struct hd_arena *scratch;
    uint32_t *part_of, nparts, part; /* part is set when choice->part is */
    bool rail[256];
    bool *sw, *ep; /* kept */
    bool *counts;  /* [nep] */
};

/* ---- which part ---------------------------------------------------------------------------- */

static bool in_host(const struct hd_net *net, uint32_t v, const char *name)
{
    return v >= net->nsw && strcmp(hd_host_name(net, net->host[v - net->nsw]), name) == 0;
}

static hd_status part_by_name(struct chosen *k)
{
    const char *text = k->choice->part;
    struct hd_call call = hd_call_of(text);
    bool found = false;
    for (uint32_t v = 0; v < k->net->nsw + k->net->nep; v++) {
        if (!hd_is_called(k->net, v, call) && !in_host(k->net, v, text)) continue;
        if (found && k->part_of[v] != k->part)
            return hd_fail(k->ctx, HD_INPUT, "part: nodes called '%.200s' are in parts %u and %u: expected a number",
                           text, k->part, k->part_of[v]);
        found = true;
        k->part = k->part_of[v];
    }
    return found ? HD_OK : hd_unknown_node(k->ctx, k->net, "part", text, false);
}

static hd_status choose_part(struct chosen *k)
{
    const char *text = k->choice->part;
    uint64_t number;
    HD_TRY(hd_net_parts(k->ctx, k->net, k->part_of, &k->nparts));
    if (!hd_parse_u64(text, strlen(text), &number)) return part_by_name(k);
    if (number >= k->nparts)
        return k->nparts == 1
                   ? hd_fail(k->ctx, HD_INPUT, "part: %s: the network is connected, it has part 0 only", text)
                   : hd_fail(k->ctx, HD_INPUT, "part: %s: the network has parts 0 to %u", text, k->nparts - 1);
    k->part = (uint32_t)number;
    return HD_OK;
}

/* ---- which rails ---------------------------------------------------------------------------- */

static hd_status bad_rail(struct chosen *k, const char *text)
{
    uint32_t n = k->net->nrail;
    if (n == 0) return hd_fail(k->ctx, HD_INPUT, "rail: '%.100s': the network has no endpoints", text);
    if (n == 1) return hd_fail(k->ctx, HD_INPUT, "rail: '%.100s': the network has rail 0 only", text);
    return hd_fail(k->ctx, HD_INPUT, "rail: '%.100s': the network has rails 0 to %u; several are joined by +", text,
                   n - 1);
}

static hd_status choose_rails(struct chosen *k)
{
    const char *text = k->choice->rail;
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, "+");
        uint64_t number;
        if (!hd_parse_u64(at, n, &number) || number >= k->net->nrail) return bad_rail(k, text);
        k->rail[number] = true;
        at += n;
        if (!*at) return HD_OK;
    }
}

/* ---- which endpoints count ------------------------------------------------------------------ */

static hd_status match_names(struct chosen *k)
{
    const struct hd_net *net = k->net;
    regex_t re;
    int bad = regcomp(&re, k->choice->endpoints, REG_EXTENDED | REG_NOSUB);
    if (bad) {
        char why[128];
        regerror(bad, &re, why, sizeof why);
        return hd_fail(k->ctx, HD_INPUT, "endpoints: '%.200s': expected a regular expression: %s", k->choice->endpoints,
                       why);
    }
    for (uint32_t e = 0; e < net->nep; e++)
        k->counts[e] = e && net->ca[e] == net->ca[e - 1]
                           ? k->counts[e - 1]
                           : regexec(&re, hd_node_name(net, net->nsw + e), 0, NULL, 0) == 0;
    regfree(&re);
    return HD_OK;
}

/* Words for what was not there, naming what is. */
static hd_status nothing_left(const struct chosen *k)
{
    const struct hd_net *net = k->net;
    const struct hd_choice *c = k->choice;
    uint32_t kept = 0;
    const char *name = NULL;
    for (uint32_t e = 0; e < net->nep; e++) {
        if (!k->ep[e]) continue;
        if (!kept++) name = hd_node_name(net, net->nsw + e);
    }
    char where[40] = "the network";
    if (c->part) snprintf(where, sizeof where, "part %u", k->part);
    if (!kept) return hd_fail(k->ctx, HD_INPUT, "%s has no endpoints%s", where, net->nep ? "; part 0 has most" : "");
    if (c->endpoints)
        return hd_fail(k->ctx, HD_INPUT, "endpoints: none of the %u in %s%s%s matches '%.200s' (one is '%.200s')", kept,
                       where, c->rail ? " on rail " : "", c->rail ? c->rail : "", c->endpoints, name);
    if (c->rail)
        return hd_fail(k->ctx, HD_INPUT, "rail: none of the endpoints that count in %s is on rail %.100s", where,
                       c->rail);
    return hd_fail(k->ctx, HD_INPUT, "%s has %u endpoints, but none of a host; choose some by name ('%.200s')", where,
                   kept, name);
}

static hd_status choose_endpoints(struct chosen *k)
{
    const struct hd_net *net = k->net;
    bool any = false;
    if (k->choice->endpoints)
        HD_TRY(match_names(k));
    else
        for (uint32_t i = 0; i < net->nsel; i++) k->counts[net->sel[i]] = true;
    for (uint32_t e = 0; e < net->nep; e++) {
        if (!k->ep[e] || (k->choice->rail && !k->rail[net->rail[e]])) k->counts[e] = false;
        any |= k->counts[e];
    }
    return any ? HD_OK : nothing_left(k);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool does_count(const struct hd_net *net, uint32_t e, void *user)
{
    (void)net;
    return ((const bool *)user)[e];
}

static const char *new_spec(const struct chosen *k)
{
    const char *spec = k->net->spec;
    char number[16];
    snprintf(number, sizeof number, "%u", k->part);
    if (k->choice->part) spec = hd_spec_with(k->scratch, spec, "part", number);
    if (spec && k->choice->rail) spec = hd_spec_with(k->scratch, spec, "rail", k->choice->rail);
    if (spec && k->choice->endpoints) spec = hd_spec_with(k->scratch, spec, "endpoints", k->choice->endpoints);
    return spec;
}

static hd_status choose(struct chosen *k, struct hd_net **out)
{
    const struct hd_net *net = k->net;
    k->part_of = HD_NEW(k->scratch, uint32_t, net->nsw + net->nep);
    k->sw = HD_NEW(k->scratch, bool, net->nsw);
    k->ep = HD_NEW(k->scratch, bool, net->nep);
    k->counts = HD_NEW(k->scratch, bool, net->nep);
    if (!k->part_of || !k->sw || !k->ep || !k->counts) return hd_fail_memory(k->ctx);
    if (k->choice->part) HD_TRY(choose_part(k));
    if (k->choice->rail) HD_TRY(choose_rails(k));
    /* where no part is chosen, all are 0 and so is the part */
    for (uint32_t v = 0; v < net->nsw; v++) k->sw[v] = k->part_of[v] == k->part;
    for (uint32_t e = 0; e < net->nep; e++) k->ep[e] = k->part_of[net->nsw + e] == k->part;
    HD_TRY(choose_endpoints(k));
    const char *spec = new_spec(k);
    if (!spec) return hd_fail_memory(k->ctx);
    struct hd_keep keep = {.sw = k->sw, .ep = k->ep, .selected = does_count, .user = k->counts};
    return hd_net_copy(k->ctx, net, &keep, spec, out);
}

hd_status hd_net_choose(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_choice *choice,
                        struct hd_net **out)
{
    if (!choice->part && !choice->rail && !choice->endpoints) return hd_net_copy(ctx, net, NULL, net->spec, out);
    struct hd_arena scratch = {0};
    struct chosen k = {.ctx = ctx, .net = net, .choice = choice, .scratch = &scratch};
    hd_status s = choose(&k, out);
    hd_arena_release(&scratch);
    return s;
}
