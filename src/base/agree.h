/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that share a command must do the same work: they compare how far they got and what they have read. */
#ifndef HD_BASE_AGREE_H
#define HD_BASE_AGREE_H

#include "base/context.h"

/* Called by all processes before they share work or write a file, and by each that has failed. work is a hash of what
 * the caller is going to do. Returns status if no process failed and all have read and want the same, else a failure on
 * every process, worded by one of them (hd_ctx_speaks), and does nothing from then on. */
hd_status hd_agree(struct hd_ctx *ctx, hd_status status, uint64_t work);

#endif
