/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes and cables by what a user calls them: a node by its name, or by 0x and its GUID (an adapter also by that of a
 * port); a cable by one of its ends, NAME:PORT, of which the last colon separates the port. Only what remains of the
 * network is found. Each lookup is one pass over the nodes. */
#ifndef HD_NET_CORE_LOOKUP_H
#define HD_NET_CORE_LOOKUP_H

#include "net/core/remaining.h"

struct hd_call { /* how a node is called */
    const char *name;
    uint64_t guid; /* 0: not called by GUID */
};

struct hd_call hd_call_of(const char *text);
bool hd_is_called(const struct hd_net *net, uint32_t v, struct hd_call call);

struct hd_lookup {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    const struct hd_remaining *remaining;
    const char *owner; /* begins every message */
};

/* Words the failure of a lookup: owner, the text, and the name that was perhaps meant. */
hd_status hd_unknown_node(const struct hd_lookup *look, const char *text, bool switches_only);

/* HD_INPUT when nothing or more than one thing is called so. */
hd_status hd_find_switch(const struct hd_lookup *look, const char *text, uint32_t *v);
hd_status hd_find_cable(const struct hd_lookup *look, const char *text, uint32_t *c);

#endif
