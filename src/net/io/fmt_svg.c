/* SPDX-License-Identifier: BSD-2-Clause */
/* A drawing of the network as one self-contained SVG file: layers where it has levels, a grid where it has coordinates,
 * groups where its cables show some, else a ring. Aggregated beyond about a thousand switches, so that the file stays
 * readable and well under a megabyte. */
#include "base/status.h"
#include "draw/draw.h"
#include "net/io/net_formats.h"
#include "net/core/shape.h"
#include "net/core/subtrees.h"

/* Whether levels say something: all known, and hardly a cable within one. */
static bool layered(const struct hd_net *net)
{
    uint32_t within = 0, all = 0;
    if (hd_top_level(net) == HD_NO_LEVEL) return false;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) continue;
        all++;
        within += net->level[net->tail[c]] == net->level[net->head[c]];
    }
    return (uint64_t)within * 10 <= all;
}

/* Two or three dimensions, or one that is not too long a row, and a place for every switch. */
static bool grid(const struct hd_net *net)
{
    const struct hd_shape *s = &net->shape;
    return hd_placed(net) == net->nsw && s->kind == HD_SHAPE_GRID && s->n <= 3 && (s->n > 1 || s->m[0] <= 32);
}

void hd_draw_defaults(struct hd_drawing *d)
{
    d->limit = HD_DRAW_SWITCHES;
    d->page = HD_DRAW_WIDTH;
    d->head = HD_DRAW_HEAD;
    d->foot = HD_DRAW_FOOT;
}

hd_status hd_draw_net(struct hd_drawing *d)
{
    d->cell_of = HD_NEW(&d->arena, uint32_t, d->net->nsw);
    if (!d->cell_of) return hd_fail_memory(d->ctx);
    if (grid(d->net)) return hd_draw_grid(d);
    if (layered(d->net)) return hd_draw_layers(d);
    bool drawn = false;
    HD_TRY(hd_draw_groups(d, &drawn));
    return drawn ? HD_OK : hd_draw_ring(d);
}

hd_status hd_write_svg(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    struct hd_drawing d = {.ctx = ctx, .net = net, .o = o};
    hd_draw_defaults(&d);
    hd_status s = hd_draw_net(&d);
    hd_arena_release(&d.arena);
    return s;
}
