/* SPDX-License-Identifier: BSD-2-Clause */
/* One writer a format; the table in formats.c gives them their names. */
#ifndef HD_NET_FORMATS_H
#define HD_NET_FORMATS_H

#include "heddle/net.h"

hd_status hd_write_ibnet(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);

#endif
