/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs of callers that were compiled with other headers: copied member by member as far as both sides know them,
 * with 0 for the rest, so that a program need not be compiled again for every version. O(size). */
#include "base/sized.h"
#include "base/status.h"

#include <string.h>

bool hd_sized_copy(void *own, size_t known, const void *given, size_t size)
{
    const char *bytes = given;
    memset(own, 0, known);
    if (!given) return true;
    memcpy(own, given, size < known ? size : known);
    for (size_t i = known; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

hd_status hd_sized_in(struct hd_ctx *ctx, const char *name, void *own, size_t known, const void *given, size_t size)
{
    if (hd_sized_copy(own, known, given, size)) return HD_OK;
    return hd_fail(ctx, HD_USAGE, "struct %s: has members set that heddle %s does not know", name, hd_version());
}

void hd_sized_out(void *given, size_t size, const void *own, size_t known)
{
    memset(given, 0, size);
    memcpy(given, own, size < known ? size : known);
}
