/* SPDX-License-Identifier: BSD-2-Clause */
/* The cables of any layout: bundles of one look are one path of the file, in the order the layout gives them; those
 * that are missing come last, on top. Cost: a sort of the bundles. */
#include "base/status.h"
#include "draw/draw.h"

#include <stdlib.h>

struct stroke {
    struct hd_look look;
    uint32_t bundle, cables;
};

static int by_look(const struct stroke *x, const struct stroke *y)
{
    if (x->look.first != y->look.first) return x->look.first < y->look.first ? -1 : 1;
    if (x->look.second != y->look.second) return x->look.second < y->look.second ? -1 : 1;
    return (x->cables > y->cables) - (x->cables < y->cables);
}

static int by_stroke(const void *a, const void *b)
{
    const struct stroke *x = a, *y = b;
    int order = by_look(x, y);
    return order ? order : (x->bundle > y->bundle) - (x->bundle < y->bundle);
}

hd_status hd_draw_cables(struct hd_drawing *d, struct hd_look (*look)(const struct hd_drawing *d, uint32_t bundle))
{
    if (d->hooks) return d->hooks->cables(d);
    struct stroke *stroke = HD_NEW(&d->arena, struct stroke, d->nbundles);
    if (!stroke) return hd_fail_memory(d->ctx);
    for (uint32_t i = 0; i < d->nbundles; i++) stroke[i] = (struct stroke){look(d, i), i, d->bundle[i].cables};
    qsort(stroke, d->nbundles, sizeof *stroke, by_stroke);
    for (uint32_t i = 0; i < d->nbundles; i++) {
        const struct stroke *s = &stroke[i];
        if (s->cables == 0) continue;
        if (i == 0 || by_look(s, s - 1) != 0)
            hd_draw_path(d->o, "hd-line", hd_draw_stroke(d, s->cables), s->look.opacity);
        d->trace(d, &d->bundle[s->bundle]);
        if (i + 1 == d->nbundles || by_look(s, s + 1) != 0) hd_draw_path_end(d->o);
    }
    if (!d->net->shape.missing) return HD_OK;
    hd_draw_path(d->o, "hd-gone", 0, 0);
    for (uint32_t i = 0; i < d->nbundles; i++)
        if (d->bundle[i].missing) d->trace(d, &d->bundle[i]);
    hd_draw_path_end(d->o);
    return HD_OK;
}
