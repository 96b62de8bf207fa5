/* SPDX-License-Identifier: BSD-2-Clause */
/* Real-life fat trees: the PGFTs on which D-mod-K is free of contention (Zahavi, section IV.C). From the
 * tuple alone; whether cables or switches are missing is another question (shape.missing, levels). */
#include "heddle/net.h"

#include <stdio.h>

enum { WHY = 160 };

bool hd_rlft_check(const struct hd_shape *s, char why[WHY])
{
    why[0] = 0;
    if (s->kind != HD_SHAPE_TREE || s->n == 0) {
        snprintf(why, WHY, "not a tree");
        return false;
    }
    if (s->w[0] != 1 || s->p[0] != 1) {
        snprintf(why, WHY, "w1 p1 = 1 is broken: an endpoint has %u x %u cables", s->w[0], s->p[0]);
        return false;
    }
    uint32_t top = s->m[s->n - 1] * s->p[s->n - 1]; /* 2K */
    for (uint32_t l = 1; l < s->n; l++) {
        uint32_t down = s->m[l - 1] * s->p[l - 1], up = s->w[l] * s->p[l];
        if (down != up) {
            snprintf(why, WHY, "m%u p%u = w%u p%u is broken: a switch of level %u has %u ports down and %u up", l, l,
                     l + 1, l + 1, l, down, up);
            return false;
        }
    }
    for (uint32_t l = 1; l + 1 < s->n; l++) {
        uint32_t here = s->w[l] * s->p[l], above = s->w[l + 1] * s->p[l + 1];
        if (here != above) {
            snprintf(why, WHY, "equal switches are broken: %u ports at level %u and %u at level %u", 2 * here, l,
                     2 * above, l + 1);
            return false;
        }
    }
    if (s->n == 1 ? top % 2 : top != 2 * s->w[1] * s->p[1]) {
        if (s->n == 1)
            snprintf(why, WHY, "2K ports are broken: the only switch has %u, an odd number", top);
        else
            snprintf(why, WHY, "m%u p%u = 2K is broken: a top switch has %u ports down, the others have %u in all",
                     s->n, s->n, top, 2 * s->w[1] * s->p[1]);
        return false;
    }
    return true;
}
