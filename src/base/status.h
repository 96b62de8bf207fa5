/* SPDX-License-Identifier: BSD-2-Clause */
/* Wording failures, and forwarding them. */
#ifndef HD_BASE_STATUS_H
#define HD_BASE_STATUS_H

#include "base/context.h"
#include "heddle/extend.h"

/* The failure of a copy of a context becomes that of the original: text, reason and parameters belong together. */
void hd_error_copy(struct hd_ctx *to, const struct hd_ctx *from);

/* HD_INPUT for a file that cannot be opened or read for this reason, HD_LIMIT where the machine lacks what it takes. */
hd_status hd_errno_status(int error);

/* HD_USAGE where a caller of the library passed NULL for a text that there is no default for. what: "a file", ... */
static inline hd_status hd_given(struct hd_ctx *ctx, const char *text, const char *what)
{
    return text ? HD_OK : hd_fail(ctx, HD_USAGE, "expected %s, not NULL", what);
}

/* Whether the caller wants the call to end with what it has; the context keeps that it did. */
bool hd_stop_asked(struct hd_ctx *ctx);
/* The same for a call that has nothing to give before it is complete: HD_LIMIT if it is to end. */
hd_status hd_go_on(struct hd_ctx *ctx, const char *what);

#endif
