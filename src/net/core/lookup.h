/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes and cables by what a user calls them: a node by its name, or by 0x and its GUID (an adapter
 * also by that of a port); a cable by one of its ends, NAME:PORT. The last colon is the one that
 * counts. Each look-up is one pass over the nodes. */
#ifndef HD_NET_CORE_LOOKUP_H
#define HD_NET_CORE_LOOKUP_H

#include "heddle/net.h"

struct hd_call { /* how a node is called */
    const char *name;
    uint64_t guid; /* 0: not called by GUID */
};

struct hd_call hd_call_of(const char *text);
bool hd_is_called(const struct hd_net *net, uint32_t v, struct hd_call call);

/* Words the failure of a look-up: owner, the text, and the name that was perhaps meant. */
hd_status hd_unknown_node(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text,
                          bool switches_only);

/* HD_INPUT when nothing or more than one thing is called so; owner begins the message. */
hd_status hd_find_switch(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text,
                         uint32_t *v);
hd_status hd_find_cable(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text, uint32_t *c);

#endif
