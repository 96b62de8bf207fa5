/* SPDX-License-Identifier: BSD-2-Clause */
/* Root switches as a user names them: names or GUIDs (0x...) joined by +, or a file with one per line, as
 * opensm -a reads it; blank lines and lines that begin with # are passed over. */
#ifndef HD_ROUTE_KERNEL_ROOT_SWITCHES_H
#define HD_ROUTE_KERNEL_ROOT_SWITCHES_H

#include "base/input.h"
#include "heddle/net.h"

/* Sets root[v] of every switch named; owner begins the message when text is neither. */
hd_status hd_roots_read(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text, bool *root);
/* The lines of such a file; HD_INPUT if it names no switch. */
hd_status hd_roots_lines(struct hd_ctx *ctx, const struct hd_net *net, struct hd_in *in, bool *root);

#endif
