/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a network, and its names. */
#include "heddle/net.h"
#include "base/arena.h"
#include "net/core/facts.h"

void hd_net_free(struct hd_net *net)
{
    if (!net) return;
    hd_facts_release(net->facts);
    struct hd_arena arena = *(struct hd_arena *)net->arena; /* the arena holds net itself */
    hd_arena_release(&arena);
}

const char *hd_node_name(const struct hd_net *net, uint32_t v)
{
    return net->names + net->name_at[v < net->nsw ? v : net->nsw + net->ca[v - net->nsw]];
}

const char *hd_host_name(const struct hd_net *net, uint32_t host)
{
    return net->hnames + net->hname_at[host];
}
