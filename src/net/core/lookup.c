/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking nodes up by name is rare and done a few names at a time: no index is kept. */
#include "net/core/lookup.h"
#include "base/spec.h"
#include "base/status.h"
#include "tool/words.h"

#include <stdlib.h>
#include <string.h>

struct hd_call hd_call_of(const char *text)
{
    struct hd_call call = {text, 0};
    if (text[0] != '0' || text[1] != 'x' || strlen(text) > 18) return call;
    size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    if (digits && !text[2 + digits]) call.guid = strtoull(text + 2, NULL, 16);
    return call;
}

bool hd_is_called(const struct hd_net *net, uint32_t v, struct hd_call call)
{
    if (strcmp(hd_node_name(net, v), call.name) == 0) return true;
    if (!call.guid) return false;
    return net->guid[v] == call.guid || (v >= net->nsw && net->ca_guid[net->ca[v - net->nsw]] == call.guid);
}

hd_status hd_unknown_node(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text,
                          bool switches_only)
{
    struct hd_arena scratch = {0};
    uint32_t n = switches_only ? net->nsw : net->nsw + net->nca;
    const char **names = HD_NEW(&scratch, const char *, n);
    for (uint32_t i = 0; names && i < n; i++) names[i] = net->names + net->name_at[i];
    const char *near = names ? hd_nearest(text, names, n) : NULL;
    const char *what = switches_only ? "switch" : "node";
    hd_status s =
        near ? hd_fail(ctx, HD_INPUT, "%s: no %s is called '%.200s', did you mean '%s'?", owner, what, text, near)
             : hd_fail(ctx, HD_INPUT, "%s: no %s is called '%.200s' (one is '%.200s')", owner, what, text,
                       hd_node_name(net, 0));
    hd_arena_release(&scratch);
    return s;
}

static hd_status ambiguous(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text,
                           const uint32_t node[2])
{
    return hd_fail(ctx, HD_INPUT, "%s: several nodes are called '%.200s': use a GUID, 0x%llx or 0x%llx", owner, text,
                   (unsigned long long)net->guid[node[0]], (unsigned long long)net->guid[node[1]]);
}

hd_status hd_find_switch(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text,
                         uint32_t *out)
{
    struct hd_call call = hd_call_of(text);
    uint32_t found = 0, node[2] = {0};
    for (uint32_t v = 0; v < net->nsw && found < 2; v++)
        if (hd_is_called(net, v, call)) node[found++] = v;
    if (found == 0) return hd_unknown_node(ctx, net, owner, text, true);
    if (found == 2) return ambiguous(ctx, net, owner, text, node);
    *out = node[0];
    return HD_OK;
}

static uint32_t channel_at(const struct hd_net *net, uint32_t v, uint64_t port)
{
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->port[c] == port) return c;
    return UINT32_MAX;
}

static hd_status find_end(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *name,
                          uint64_t port, uint32_t *out)
{
    struct hd_call call = hd_call_of(name);
    uint32_t called = 0, found = 0, node[2] = {0};
    for (uint32_t v = 0; v < net->nsw + net->nep && found < 2; v++) {
        if (!hd_is_called(net, v, call)) continue;
        called++;
        if (channel_at(net, v, port) != UINT32_MAX) node[found++] = v;
    }
    if (called == 0) return hd_unknown_node(ctx, net, owner, name, false);
    if (found == 0)
        return hd_fail(ctx, HD_INPUT, "%s: port %llu of '%.200s' has no cable", owner, (unsigned long long)port, name);
    if (found == 2) return ambiguous(ctx, net, owner, name, node);
    *out = channel_at(net, node[0], port);
    return HD_OK;
}

hd_status hd_find_cable(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text, uint32_t *c)
{
    const char *colon = strrchr(text, ':');
    uint64_t port;
    if (!colon || colon == text || !hd_parse_u64(colon + 1, strlen(colon + 1), &port))
        return hd_fail(ctx, HD_INPUT, "%s: '%.200s': expected NAME:PORT, one end of a cable", owner, text);
    struct hd_arena scratch = {0};
    char *name = hd_strdup(&scratch, text, (size_t)(colon - text));
    hd_status s = name ? find_end(ctx, net, owner, name, port, c) : hd_fail_memory(ctx);
    hd_arena_release(&scratch);
    return s;
}
