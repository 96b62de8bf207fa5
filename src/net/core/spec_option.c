/* SPDX-License-Identifier: BSD-2-Clause */
/* Specs with options: after failures and selections, the spec of a network is what one would type to get it again. */
#include "net/core/spec_option.h"
#include "tool/words.h"

#include <string.h>

char *hd_spec_with(struct hd_arena *arena, const char *spec, const char *option, const char *value)
{
    size_t size = strlen(spec) + strlen(option) + 4 * strlen(value) + 8;
    char *out = hd_alloc(arena, size, 1);
    if (!out) return NULL;
    char *at = stpcpy(stpcpy(stpcpy(out, spec), " --"), option);
    *at++ = ' ';
    hd_shell_word(at, value);
    return out;
}
