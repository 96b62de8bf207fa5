/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HD_NET_IO_FMT_GUID2LID_H
#define HD_NET_IO_FMT_GUID2LID_H

#include "base/input.h"
#include "heddle/net.h"

/* As hd_net_lids, from an open input. */
hd_status hd_guid2lid_read(struct hd_ctx *ctx, struct hd_in *in, const struct hd_net *net, struct hd_net **out);

#endif
