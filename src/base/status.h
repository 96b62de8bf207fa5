/* SPDX-License-Identifier: BSD-2-Clause */
/* Wording failures, and forwarding them. */
#ifndef HD_BASE_STATUS_H
#define HD_BASE_STATUS_H

#include "heddle/base.h"

/* Word a failure and return its status: return hd_fail(ctx, HD_INPUT, "%s:%u: expected ...", ...). */
hd_status hd_fail(struct hd_ctx *ctx, hd_status status, const char *fmt, ...) HD_PRINTF(3, 4);
hd_status hd_fail_memory(struct hd_ctx *ctx);
void hd_note(struct hd_ctx *ctx, const char *fmt, ...) HD_PRINTF(2, 3);
void hd_progress(struct hd_ctx *ctx, const char *what, uint64_t done, uint64_t total);

#define HD_TRY(call)                                                                                                   \
    do {                                                                                                               \
        hd_status hd_try_ = (call);                                                                                    \
        if (hd_try_ != HD_OK) return hd_try_;                                                                          \
    } while (0)

#endif
