/* SPDX-License-Identifier: BSD-2-Clause */
/* What nodes are called where people read it; hd_node_label is in heddle/net.h. */
#ifndef HD_NET_CORE_LABELS_H
#define HD_NET_CORE_LABELS_H

#include "base/arena.h"
#include "heddle/net.h"

enum { HD_LABEL_ROOM = 128 };

/* What people call a switch that describes itself as MF0;NAME:MODEL/U1; false: the description is of another form. */
bool hd_label_strip(const char *name, char label[HD_LABEL_ROOM]);
/* What is no node of a job: hosts without a name of their own (localhost, a model of adapters), and gateways, which
 * describe themselves as switches. */
bool hd_host_is_no_node(const char *host);
/* Sets net->labels; memory comes from arena. */
hd_status hd_labels_make(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_net *net);

/* The switches by label, as people sort: leaf2 before leaf10. order has room for net->nsw. */
hd_status hd_switches_by_label(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *order);

#endif
