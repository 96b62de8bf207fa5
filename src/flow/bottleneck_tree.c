/* SPDX-License-Identifier: BSD-2-Clause */
/* Bottlenecks on trees in closed form. Seen from an endpoint, what matters at level l is the height-l subtree
 * it lives in (g) and, as a destination, which of the up channels of any such subtree its routes take (x).
 * Both fit 16 bits, so a three-level tree has eight bytes an endpoint, and channels are numbered by
 *     up:  first[l] + g(source) * ports[l] + x(destination)        where g(source) != g(destination)
 *     down: the same with g(destination), `total` further on
 * which is a number nobody needs to look up. Counters have 16 bits where no load can be larger. At 27,648
 * endpoints all of it (records, counters, the channels of a sample) stays in a cache of 1 MB. */
#include "base/status.h"
#include "flow/bottleneck.h"
#include "route/routes.h"
#include "route/tree_form.h"

#include <string.h>

struct tree {
    uint32_t levels, nvar;
    bool wide;      /* counters of 32 bits */
    uint32_t total; /* channels one way; 2 * total stands for none */
    uint32_t first[HD_MAX_DIM], ports[HD_MAX_DIM];
    const uint16_t *variant; /* [nep] by source, NULL: one */
    const uint16_t *record;  /* [(e * nvar + variant) * 2 * levels]: g of each level, then x of each */
};

struct scratch {
    void *count; /* [2 * total + 1]; zero between samples */
    uint32_t *chan;
};

/* The channels of flows [from, to) into chan. Called with constants, so that the compiler unrolls the levels. */
static inline __attribute__((always_inline)) void number_flows(const struct tree *t, uint32_t levels,
                                                               const struct hd_flows *f, uint32_t *chan)
{
    const uint32_t *src = f->src, *dst = f->dst, nvar = t->nvar, total = t->total, none = 2 * total;
    const uint16_t *record = t->record, *variant = t->variant;
    uint32_t first[HD_MAX_DIM], ports[HD_MAX_DIM];
    for (uint32_t l = 0; l < levels; l++) first[l] = t->first[l], ports[l] = t->ports[l];
    for (uint32_t i = 0, n = f->n; i < n; i++, chan += 2 * levels) {
        uint32_t x = variant ? variant[src[i]] : 0;
        const uint16_t *s = record + (size_t)src[i] * nvar * 2 * levels;
        const uint16_t *d = record + ((size_t)dst[i] * nvar + x) * 2 * levels;
        for (uint32_t l = 0; l < levels; l++) {
            bool apart = s[l] != d[l]; /* the path leaves this subtree */
            uint32_t at = first[l] + d[levels + l];
            chan[2 * l] = apart ? at + s[l] * ports[l] : none;
            chan[2 * l + 1] = apart ? at + d[l] * ports[l] + total : none;
        }
    }
}

static inline __attribute__((always_inline)) void look_up(const struct scratch *w, bool wide, uint32_t stride,
                                                          uint32_t n, uint32_t *most)
{
    const uint32_t *chan = w->chan;
    const uint16_t *narrow = w->count;
    const uint32_t *large = w->count;
    for (uint32_t i = 0; i < n; i++, chan += stride) {
        uint32_t m = 1; /* its own endpoint cables */
        for (uint32_t j = 0; j < stride; j++) {
            uint32_t load = wide ? large[chan[j]] : narrow[chan[j]];
            m = load > m ? load : m;
        }
        most[i] = m;
    }
}

static inline __attribute__((always_inline)) void run_sized(const struct tree *t, uint32_t levels, bool wide,
                                                            const struct scratch *w, const struct hd_flows *f,
                                                            uint32_t *most)
{
    const uint32_t none = 2 * t->total, *chan = w->chan;
    uint16_t *narrow = w->count;
    uint32_t *large = w->count;
    size_t places = (size_t)f->n * 2 * levels;
    number_flows(t, levels, f, w->chan);
    for (size_t j = 0; j < places; j++) {
        if (wide)
            large[chan[j]]++;
        else
            narrow[chan[j]]++;
    }
    if (wide)
        large[none] = 0;
    else
        narrow[none] = 0;
    look_up(w, wide, 2 * levels, f->n, most);
    memset(w->count, 0, (wide ? sizeof *large : sizeof *narrow) * (size_t)none);
}

static void run(const struct hd_bottlenecks *b, void *scratch, const struct hd_flows *f, uint32_t *most)
{
    const struct tree *t = b->data;
    if (t->wide)
        run_sized(t, t->levels, true, scratch, f, most);
    else if (t->levels == 1)
        run_sized(t, 1, false, scratch, f, most);
    else if (t->levels == 2)
        run_sized(t, 2, false, scratch, f, most);
    else
        run_sized(t, t->levels, false, scratch, f, most);
}

static hd_status make_scratch(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_bottlenecks *b,
                              uint32_t max_flows, void **scratch)
{
    const struct tree *t = b->data;
    struct scratch *w = HD_NEW(arena, struct scratch, 1);
    if (!w) return hd_fail_memory(ctx);
    size_t counters = 2 * (size_t)t->total + 1;
    w->count = t->wide ? (void *)HD_NEW(arena, uint32_t, counters) : (void *)HD_NEW(arena, uint16_t, counters);
    w->chan = HD_NEW(arena, uint32_t, (size_t)max_flows * 2 * t->levels);
    if (!w->count || !w->chan) return hd_fail_memory(ctx);
    *scratch = w;
    return HD_OK;
}

/* False where a number does not fit, or the full tree is much larger than this part of it. */
static bool number_channels(const struct hd_tree *tree, struct tree *t)
{
    uint64_t total = 0, last = 0;
    for (uint32_t e = 0; e < tree->net->nep; e++) last = tree->index[e] > last ? tree->index[e] : last;
    for (uint32_t l = 1; l < tree->h; l++) {
        uint64_t groups = last / tree->mprod[l] + 1, ports = tree->wprod[l] * hd_tree_up_ports(tree->shape, l);
        if (groups > 1 << 16 || ports > 1 << 16) return false;
        t->first[l - 1] = (uint32_t)total;
        t->ports[l - 1] = (uint32_t)ports;
        total += groups * ports;
        if (total > 4 * (uint64_t)tree->net->nchan + 1024) return false;
    }
    t->total = (uint32_t)total;
    return true;
}

/* Every switch has all its up cables: not so between the planes of a fabric with several. */
static bool all_cabled(const struct hd_tree *t)
{
    for (uint32_t v = 0; v < t->net->nsw; v++)
        for (uint32_t q = 0; t->net->level[v] < t->h && q < hd_tree_up_ports(t->shape, t->net->level[v]); q++)
            if (hd_tree_up(t, v, q) == HD_SLOT_NONE) return false;
    return true;
}

static void fill_record(const struct hd_tree *t, const uint32_t *q, uint32_t e, uint16_t *record)
{
    uint64_t inner = 0;
    for (uint32_t l = 1; l < t->h; l++) {
        record[l - 1] = (uint16_t)(t->index[e] / t->mprod[l]);
        record[t->h - 1 + l - 1] = (uint16_t)(inner * hd_tree_up_ports(t->shape, l) + q[l]);
        inner += (uint64_t)(q[l] % t->shape->w[l]) * t->wprod[l];
    }
}

hd_status hd_bottlenecks_tree(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                              struct hd_bottlenecks **b)
{
    enum { MOST_RECORDS = 1 << 26 };
    const struct hd_tree_form *form = hd_tree_form_of(r);
    const struct hd_tree *tree = &form->tree;
    struct tree *t = HD_NEW(arena, struct tree, 1);
    struct hd_bottlenecks *made = HD_NEW(arena, struct hd_bottlenecks, 1);
    if (!t || !made) return hd_fail_memory(ctx);
    size_t records = (size_t)r->net->nep * r->nvar;
    if (tree->h < 2 || records > MOST_RECORDS || !number_channels(tree, t) || !all_cabled(tree)) return HD_OK;
    t->levels = tree->h - 1;
    t->nvar = r->nvar;
    t->wide = r->net->nep > UINT16_MAX;
    t->variant = r->select == HD_SELECT_SOURCE ? r->source_class : NULL;
    uint16_t *record = HD_NEW(arena, uint16_t, records * 2 * t->levels);
    if (!record) return hd_fail_memory(ctx);
    for (size_t i = 0; i < records; i++) {
        uint32_t q[HD_MAX_DIM + 1], e = (uint32_t)(i / r->nvar);
        form->up(form, e, (uint32_t)(i % r->nvar), q);
        fill_record(tree, q, e, record + i * 2 * t->levels);
    }
    t->record = record;
    *made = (struct hd_bottlenecks){t, make_scratch, run};
    *b = made;
    return HD_OK;
}
