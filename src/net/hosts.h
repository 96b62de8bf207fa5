/* SPDX-License-Identifier: BSD-2-Clause */
/* Which adapters belong to one host, and which rail each endpoint is on. */
#ifndef HD_NET_HOSTS_H
#define HD_NET_HOSTS_H

#include "base/arena.h"
#include "heddle/net.h"

/* Sets host, rail, nhost, nrail and hname_at of net by net->rails; memory comes from arena. */
hd_status hd_hosts_group(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_net *net);

#endif
