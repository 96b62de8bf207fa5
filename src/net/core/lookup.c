/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes by name. Lookups are rare, a few names per command, so each is one pass over the nodes and no index is kept. */
#include "net/core/lookup.h"
#include "base/spec.h"
#include "base/status.h"
#include "tool/words.h"

#include <string.h>

struct hd_call hd_call_of(const char *text)
{
    struct hd_call call = {text, 0};
    hd_parse_guid(text, strlen(text), &call.guid);
    return call;
}

bool hd_is_called(const struct hd_net *net, uint32_t v, struct hd_call call)
{
    if (strcmp(hd_node_name(net, v), call.name) == 0) return true;
    if (net->labels && strcmp(hd_node_label(net, v), call.name) == 0) return true;
    if (!call.guid) return false;
    return net->guid[v] == call.guid || (v >= net->nsw && net->ca_guid[net->ca[v - net->nsw]] == call.guid);
}

/* Names of remaining switches, and of adapters with a remaining endpoint; returns how many. */
static uint32_t lookup_names(const struct hd_lookup *look, bool switches_only, const char **names)
{
    const struct hd_net *net = look->net;
    uint32_t n = 0, last = UINT32_MAX;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (hd_switch_remains(look->remaining, v)) names[n++] = hd_node_label(net, v);
    for (uint32_t e = 0; e < net->nep && !switches_only; e++) {
        if (!hd_endpoint_remains(look->remaining, e) || net->ca[e] == last) continue;
        last = net->ca[e];
        names[n++] = hd_node_label(net, net->nsw + e);
    }
    return n;
}

hd_status hd_unknown_node(const struct hd_lookup *look, const char *text, bool switches_only)
{
    struct hd_arena scratch = {0};
    const char **names = HD_NEW(&scratch, const char *, look->net->nsw + look->net->nep);
    if (!names) return hd_fail_memory(look->ctx);
    uint32_t n = lookup_names(look, switches_only, names);
    const char *near = hd_nearest(text, names, n), *what = switches_only ? "switch" : "node";
    hd_status s = near ? hd_fail(look->ctx, HD_INPUT, "%s: no %s is called '%.200s', did you mean '%s'?", look->owner,
                                 what, text, near)
                       : hd_fail(look->ctx, HD_INPUT, "%s: no %s is called '%.200s' (one is '%.200s')", look->owner,
                                 what, text, names[0]);
    hd_arena_release(&scratch);
    return s;
}

static hd_status lookup_ambiguous(const struct hd_lookup *look, const char *text, const uint32_t node[2])
{
    return hd_fail(look->ctx, HD_INPUT, "%s: several nodes are called '%.200s': use a GUID, 0x%llx or 0x%llx",
                   look->owner, text, (unsigned long long)look->net->guid[node[0]],
                   (unsigned long long)look->net->guid[node[1]]);
}

hd_status hd_find_switch(const struct hd_lookup *look, const char *text, uint32_t *out)
{
    const struct hd_net *net = look->net;
    struct hd_call call = hd_call_of(text);
    uint32_t found = 0, node[2] = {0};
    for (uint32_t v = 0; v < net->nsw && found < 2; v++)
        if (hd_switch_remains(look->remaining, v) && hd_is_called(net, v, call)) node[found++] = v;
    if (found == 0) return hd_unknown_node(look, text, true);
    if (found == 2) return lookup_ambiguous(look, text, node);
    *out = node[0];
    return HD_OK;
}

static uint32_t channel_at_port(const struct hd_lookup *look, uint32_t v, uint64_t port)
{
    const struct hd_net *net = look->net;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->port[c] == port && hd_channel_remains(look->remaining, c)) return c;
    return UINT32_MAX;
}

static hd_status find_cable_end(const struct hd_lookup *look, const char *name, uint64_t port, uint32_t *out)
{
    const struct hd_net *net = look->net;
    struct hd_call call = hd_call_of(name);
    uint32_t called = 0, found = 0, node[2] = {0};
    for (uint32_t v = 0; v < net->nsw + net->nep && found < 2; v++) {
        if (!hd_node_remains(net, look->remaining, v) || !hd_is_called(net, v, call)) continue;
        called++;
        if (channel_at_port(look, v, port) != UINT32_MAX) node[found++] = v;
    }
    if (called == 0) return hd_unknown_node(look, name, false);
    if (found == 0)
        return hd_fail(look->ctx, HD_INPUT, "%s: port %llu of '%.200s' has no cable", look->owner,
                       (unsigned long long)port, name);
    if (found == 2) return lookup_ambiguous(look, name, node);
    *out = channel_at_port(look, node[0], port);
    return HD_OK;
}

hd_status hd_find_cable(const struct hd_lookup *look, const char *text, uint32_t *c)
{
    const char *colon = strrchr(text, ':');
    uint64_t port;
    if (!colon || colon == text || !hd_parse_u64(colon + 1, strlen(colon + 1), &port))
        return hd_fail(look->ctx, HD_INPUT, "%s: '%.200s': expected NAME:PORT, one end of a cable", look->owner, text);
    struct hd_arena scratch = {0};
    char *name = hd_strdup(&scratch, text, (size_t)(colon - text));
    hd_status s = name ? find_cable_end(look, name, port, c) : hd_fail_memory(look->ctx);
    hd_arena_release(&scratch);
    return s;
}
