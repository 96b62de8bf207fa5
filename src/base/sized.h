/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs that callers allocate and that may grow: what an older or a newer caller passes becomes what this library
 * knows, and back. See the rules in heddle/base.h. */
#ifndef HD_BASE_SIZED_H
#define HD_BASE_SIZED_H

#include "heddle/base.h"

/* Whether members behind the known ones are all 0; own then has the known ones. given NULL: all 0. */
bool hd_sized_copy(void *own, size_t known, const void *given, size_t size);
/* The same with a message: HD_SIZED_IN(ctx, hd_request, given, size, &own). */
hd_status hd_sized_in(struct hd_ctx *ctx, const char *name, void *own, size_t known, const void *given, size_t size);
#define HD_SIZED_IN(ctx, tag, given, size, own) hd_sized_in(ctx, #tag, own, sizeof(struct tag), given, size)
/* A result for the caller, whose struct has this size. */
void hd_sized_out(void *given, size_t size, const void *own, size_t known);

#endif
