/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/path_table.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/routes.h"
#include "route/kernel/tree_form.h"

#include <string.h>

enum { MEMORY_LIMIT = 512 << 20 }; /* bytes a table may take */

/* ---- trees in closed form -------------------------------------------------------------------
 * At level l (from 1 to h-1) sub says where the up channels of an endpoint's height-l subtree begin; for a
 * destination and variant, x says which of them its routes take, and down is the channel back. */
struct way {
    uint32_t x, down;
};

struct tree_paths {
    uint32_t levels; /* h - 1 */
    uint32_t none;   /* padding channel */
    uint32_t nvar;
    const uint16_t *variant; /* [nep] by source, NULL: one */
    const uint32_t *sub;     /* [nep * levels] */
    const struct way *way;   /* [(nep * nvar) * levels] */
    const uint32_t *up;      /* channels */
};

static inline void get_levels(const struct tree_paths *t, uint32_t levels, const uint32_t *src, const uint32_t *dst,
                              uint32_t n, uint32_t *chan)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *s = t->sub + (size_t)src[i] * levels, *d = t->sub + (size_t)dst[i] * levels;
        const struct way *w = t->way + ((size_t)dst[i] * t->nvar + (t->variant ? t->variant[src[i]] : 0)) * levels;
        for (uint32_t l = 0; l < levels; l++) {
            bool apart = s[l] != d[l]; /* the path leaves this subtree */
            chan[2 * l] = apart ? t->up[s[l] + w[l].x] : t->none;
            chan[2 * l + 1] = apart ? w[l].down : t->none;
        }
        chan += 2 * levels;
    }
}

static void get_tree(const struct hd_paths *p, const uint32_t *src, const uint32_t *dst, uint32_t n, uint32_t *chan)
{
    const struct tree_paths *t = p->data;
    if (t->levels == 1)
        get_levels(t, 1, src, dst, n, chan); /* loops of known length for the usual trees */
    else if (t->levels == 2)
        get_levels(t, 2, src, dst, n, chan);
    else
        get_levels(t, t->levels, src, dst, n, chan);
}

/* First entry of each level's up channels; false when the full tree is much larger than this part. */
static bool level_offsets(const struct hd_tree *t, uint64_t *offset, uint64_t *total)
{
    const struct hd_shape *s = t->shape;
    *total = 0;
    for (uint32_t l = 1; l < t->h; l++) {
        offset[l] = *total;
        *total += t->mprod[t->h] / t->mprod[l] * t->wprod[l] * s->w[l] * s->p[l];
        if (*total > 4 * (uint64_t)t->net->nchan + 1024) return false;
    }
    return true;
}

/* Up channels of one level begin here for switch v: by subtree, then by its digits below. */
static uint64_t switch_base(const struct hd_tree *t, uint32_t v, const uint64_t *offset)
{
    const struct hd_shape *s = t->shape;
    const uint16_t *digit = hd_coord(t->net, v);
    uint32_t l = t->net->level[v];
    uint64_t group = 0, inner = 0;
    for (uint32_t i = t->h; i-- > l;) group = group * s->m[i] + digit[i];
    for (uint32_t i = l; i-- > 0;) inner = inner * s->w[i] + digit[i];
    return offset[l] + (group * t->wprod[l] + inner) * s->w[l] * s->p[l];
}

static void fill_subtrees(const struct hd_tree *t, uint32_t e, const uint64_t *offset, uint32_t *sub)
{
    for (uint32_t l = 1; l < t->h; l++)
        sub[l - 1] = (uint32_t)(offset[l] + t->index[e] / t->mprod[l] * t->wprod[l] * hd_tree_up_ports(t->shape, l));
}

/* The channel back down is the reverse of the one that would leave d's own subtree. */
static void fill_way(const struct hd_tree *t, const uint32_t *q, const uint32_t *sub, const uint32_t *up,
                     struct way *way)
{
    uint64_t inner = 0;
    for (uint32_t l = 1; l < t->h; l++) {
        uint64_t x = inner * hd_tree_up_ports(t->shape, l) + q[l];
        way[l - 1] = (struct way){(uint32_t)x, t->net->rev[up[sub[l - 1] + x]]};
        inner += (uint64_t)(q[l] % t->shape->w[l]) * t->wprod[l];
    }
}

/* False when an up port has no cable: between the planes of a fabric with several. */
static bool fill_up(const struct hd_tree *t, const uint64_t *offset, uint32_t *up)
{
    const struct hd_net *net = t->net;
    bool whole = true;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t l = net->level[v];
        if (l >= t->h) continue;
        uint64_t base = switch_base(t, v, offset);
        for (uint32_t q = 0; q < hd_tree_up_ports(t->shape, l); q++) {
            up[base + q] = net->off[v] + hd_tree_up(t, v, q);
            whole &= hd_tree_up(t, v, q) != HD_SLOT_NONE;
        }
    }
    return whole;
}

static hd_status init_tree(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           const struct hd_tree_form *f, struct hd_paths **out)
{
    const struct hd_net *net = r->net;
    struct hd_tree t;
    uint64_t offset[HD_MAX_DIM + 1], total;
    HD_TRY(hd_tree_init(ctx, arena, net, &t));
    size_t ways = (size_t)net->nep * r->nvar;
    if (t.h < 2 || !level_offsets(&t, offset, &total) || ways * t.h * sizeof(struct way) > MEMORY_LIMIT) return HD_OK;
    uint32_t levels = t.h - 1, *up = HD_NEW(arena, uint32_t, total),
             *sub = HD_NEW(arena, uint32_t, (size_t)net->nep * levels);
    struct way *way = HD_NEW(arena, struct way, ways * levels);
    struct tree_paths *tp = HD_NEW(arena, struct tree_paths, 1);
    struct hd_paths *p = HD_NEW(arena, struct hd_paths, 1);
    if (!up || !sub || !way || !tp || !p) return hd_fail_memory(ctx);
    if (!fill_up(&t, offset, up)) return HD_OK;
    for (uint32_t e = 0; e < net->nep; e++) {
        fill_subtrees(&t, e, offset, sub + (size_t)e * levels);
        for (uint32_t x = 0; x < r->nvar; x++) {
            uint32_t q[HD_MAX_DIM + 1];
            f->up(f, e, x, q);
            fill_way(&t, q, sub + (size_t)e * levels, up, way + ((size_t)e * r->nvar + x) * levels);
        }
    }
    *tp = (struct tree_paths){levels, net->nchan, r->nvar, r->select == HD_SELECT_SOURCE ? r->source_class : NULL,
                              sub,    way,        up};
    *p = (struct hd_paths){2 * levels, get_tree, tp};
    *out = p;
    return HD_OK;
}

/* ---- compiled tables ------------------------------------------------------------------------ */

struct compiled {
    const struct hd_routes *r;
    const uint32_t *leaf; /* [nep] row of an endpoint's switch: leaf * nep */
    uint16_t *narrow;     /* [(leaf * nep + d) * stride]; 0xffff is padding */
    uint32_t *wide;       /* the same where 16 bits do not do */
};

static void get_narrow(const struct hd_paths *p, const uint32_t *src, const uint32_t *dst, uint32_t n, uint32_t *chan)
{
    enum { AHEAD = 12 }; /* a path is one cache line somewhere in the table: ask for it early */
    const struct compiled *t = p->data;
    uint32_t none = t->r->net->nchan, stride = p->stride, nep = t->r->net->nep;
    for (uint32_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(t->narrow + ((size_t)t->leaf[src[i + AHEAD]] * nep + dst[i + AHEAD]) * stride);
        const uint16_t *path = t->narrow + ((size_t)t->leaf[src[i]] * nep + dst[i]) * stride;
        for (uint32_t j = 0; j < stride; j++) chan[j] = path[j] == 0xffff ? none : path[j];
        chan += stride;
    }
}

static void get_wide(const struct hd_paths *p, const uint32_t *src, const uint32_t *dst, uint32_t n, uint32_t *chan)
{
    const struct compiled *t = p->data;
    uint32_t stride = p->stride, nep = t->r->net->nep;
    for (uint32_t i = 0; i < n; i++, chan += stride)
        memcpy(chan, t->wide + ((size_t)t->leaf[src[i]] * nep + dst[i]) * stride, stride * sizeof *chan);
}

/* Switch-to-switch channels from leaf switch v to d by row, into chan if given; UINT32_MAX: not served. */
static uint32_t leaf_path(const struct hd_net *net, const uint8_t *row, uint32_t v, uint32_t d, uint32_t *chan)
{
    uint32_t n = 0, target = net->nsw + d;
    while (n < HD_MAX_HOPS && v < net->nsw && row[v] != HD_SLOT_NONE) {
        uint32_t c = net->off[v] + row[v];
        v = net->head[c];
        if (v == target) return n;
        chan[n++] = c;
    }
    return UINT32_MAX;
}

/* Longest path; UINT32_MAX when a pair of selected endpoints has none. */
static uint32_t longest_path(struct hd_ctx *ctx, const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    uint32_t longest = 0;
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx)) reduction(max : longest)
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
            uint32_t chan[HD_MAX_HOPS], n = leaf_path(net, r->table + (size_t)d * net->nsw, r->leaf[leaf], d, chan);
            if (n > longest) longest = n;
        }
    return longest;
}

static void compile_rows(struct hd_ctx *ctx, const struct compiled *t, uint32_t stride)
{
    const struct hd_routes *r = t->r;
    const struct hd_net *net = r->net;
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t chan[HD_MAX_HOPS], n = leaf_path(net, r->table + (size_t)d * net->nsw, r->leaf[leaf], d, chan);
            size_t at = ((size_t)leaf * net->nep + d) * stride;
            for (uint32_t j = 0; j < stride; j++) {
                if (t->narrow)
                    t->narrow[at + j] = (uint16_t)(j < n ? chan[j] : 0xffff);
                else
                    t->wide[at + j] = j < n ? chan[j] : net->nchan;
            }
        }
}

static hd_status init_compiled(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, uint64_t flows,
                               struct hd_paths **out)
{
    const struct hd_net *net = r->net;
    size_t pairs = (size_t)r->nleaf * net->nep;
    if (flows < pairs / 2) return HD_OK;
    uint32_t stride = longest_path(ctx, r);
    if (stride == UINT32_MAX) return HD_OK;
    if (stride == 0) stride = 1;               /* one switch */
    bool narrow = net->off[net->nsw] < 0xffff; /* channels that leave switches are numbered first */
    if (pairs * stride * (narrow ? 2 : 4) > MEMORY_LIMIT) return HD_OK;
    struct compiled *t = HD_NEW(arena, struct compiled, 1);
    struct hd_paths *p = HD_NEW(arena, struct hd_paths, 1);
    uint32_t *leaf = HD_NEW(arena, uint32_t, net->nep);
    if (!t || !p || !leaf) return hd_fail_memory(ctx);
    *t = (struct compiled){.r = r, .leaf = leaf};
    if (narrow)
        t->narrow = HD_NEW(arena, uint16_t, pairs * stride);
    else
        t->wide = HD_NEW(arena, uint32_t, pairs * stride);
    if (!t->narrow && !t->wide) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) leaf[e] = r->leaf_of[hd_leaf(net, e)];
    compile_rows(ctx, t, stride);
    *p = (struct hd_paths){stride, narrow ? get_narrow : get_wide, t};
    *out = p;
    return HD_OK;
}

hd_status hd_paths_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, uint64_t flows,
                        struct hd_paths **paths)
{
    *paths = NULL;
    const struct hd_tree_form *f = hd_tree_form_of(r);
    if (f && (r->select == HD_SELECT_ONE || r->select == HD_SELECT_SOURCE)) return init_tree(ctx, arena, r, f, paths);
    if (r->table && r->nvar == 1) return init_compiled(ctx, arena, r, flows, paths);
    return HD_OK;
}
