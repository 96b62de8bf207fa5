/* SPDX-License-Identifier: BSD-2-Clause */
/* The cables of any layout: bundles of one look are one path of the file, in the order the layout gives them; those
 * that are slow or missing come last, on top. Cost: a sort of the bundles. */
#include "base/keyed.h"
#include "base/status.h"
#include "draw/draw.h"

struct stroke {
    struct hd_keyed at; /* first, second and cables, none of which needs more than 28 bits; bundle */
    uint32_t cables, opacity;
};

void hd_draw_missing(const struct hd_drawing *d)
{
    if (!d->missing) return;
    hd_draw_path(d->o, "hd-gone", 0, 0);
    for (uint32_t i = 0; i < d->nbundles; i++)
        if (d->bundle[i].missing) d->trace(d, &d->bundle[i]);
    hd_draw_path_end(d->o);
}

void hd_draw_slow(const struct hd_drawing *d)
{
    if (!d->slow) return;
    hd_draw_path(d->o, "hd-slow", 0, 0);
    for (uint32_t i = 0; i < d->nbundles; i++)
        if (d->bundle[i].slow) d->trace(d, &d->bundle[i]);
    hd_draw_path_end(d->o);
}

hd_status hd_draw_cables(struct hd_drawing *d, struct hd_look (*look)(const struct hd_drawing *d, uint32_t bundle))
{
    if (d->hooks) return d->hooks->cables(d);
    struct stroke *stroke = HD_NEW(&d->arena, struct stroke, d->nbundles);
    if (!stroke) return hd_fail_memory(d->ctx);
    for (uint32_t i = 0; i < d->nbundles; i++) {
        struct hd_look k = look(d, i);
        uint32_t cables = d->bundle[i].cables;
        uint64_t key = (uint64_t)k.first << 56 | (uint64_t)k.second << 28 | cables;
        stroke[i] = (struct stroke){{key, i}, cables, k.opacity};
    }
    hd_keyed_sort(stroke, d->nbundles, sizeof *stroke);
    for (uint32_t i = 0; i < d->nbundles; i++) {
        const struct stroke *s = &stroke[i];
        if (s->cables == 0) continue;
        if (i == 0 || s->at.key != s[-1].at.key)
            hd_draw_path(d->o, "hd-line", hd_draw_stroke(d, s->cables), s->opacity);
        d->trace(d, &d->bundle[s->at.value]);
        if (i + 1 == d->nbundles || s->at.key != s[1].at.key) hd_draw_path_end(d->o);
    }
    hd_draw_slow(d);
    hd_draw_missing(d);
    return HD_OK;
}
