/* SPDX-License-Identifier: BSD-2-Clause */
/* Real-life fat trees: the PGFTs on which D-mod-K is free of contention (Zahavi, section IV.C). From the
 * tuple alone; whether cables or switches are missing is another question (shape.missing, levels). */
#include "base/c_locale.h"
#include "heddle/net.h"

#include <stdio.h>

enum { WHY = 160 };

static bool rlft_not(char why[WHY], const char *fmt, ...) HD_PRINTF(2, 3);
static bool rlft_not(char why[WHY], const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(why, WHY, fmt, ap);
    va_end(ap);
    return false;
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

bool hd_rlft_check(const struct hd_shape *s, char why[WHY])
{
    why[0] = 0;
    if (s->kind != HD_SHAPE_TREE || s->n == 0 || s->n > HD_MAX_DIM) return rlft_not(why, "not a tree");
    if (s->w[0] != 1 || s->p[0] != 1)
        return rlft_not(why, "an endpoint has %u x %u cables, expected one", s->w[0], s->p[0]);
    for (uint32_t l = 1; l < s->n; l++) {
        uint32_t down = s->m[l - 1] * s->p[l - 1], up = s->w[l] * s->p[l];
        if (down != up)
            return rlft_not(why, "switches of level %u have %u port%s down and %u up, expected as many up as down", l,
                            down, plural(down), up);
    }
    for (uint32_t l = 1; l + 1 < s->n; l++) {
        uint32_t here = s->w[l] * s->p[l], above = s->w[l + 1] * s->p[l + 1];
        if (here != above)
            return rlft_not(why, "switches are not all alike: %u ports at level %u and %u at level %u", 2 * here, l,
                            2 * above, l + 1);
    }
    uint32_t top = s->m[s->n - 1] * s->p[s->n - 1], all = s->n > 1 ? 2 * s->w[1] * s->p[1] : 0; /* 2K both */
    if (s->n == 1 && top % 2)
        return rlft_not(why, "the only switch has %u port%s, expected an even number", top, plural(top));
    if (s->n > 1 && top != all)
        return rlft_not(why,
                        "a top switch has %u port%s down, expected %u, which is what the other switches have in all",
                        top, plural(top), all);
    return true;
}
