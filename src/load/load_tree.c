/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads on trees in closed form. Seen from an endpoint, what matters at level l is its height-l subtree and, as a
 * destination, which of the up channels of any such subtree its routes take (x). The channels out of a subtree are
 * numbered consecutively from `base` on, those into it likewise in an array of their own:
 *     up:   base(source) + x(destination)          where base(source) != base(destination)
 *     down: base(destination) + x(destination)     likewise; number 0 where the path stays in the subtree
 * so numbers need no look-up; only paths translate them into channels. Two levels make one vector of four words, so a
 * flow of a three-level tree is numbered by eight bytes of each endpoint in a handful of instructions, without a
 * branch. Bottlenecks then count the numbers and look the counts up; each of the three loops is short and no step
 * waits for the one before. Words have 16 bits where the numbers of one direction fit, counters 8 bits where no load
 * can be larger: a channel carries no more flows than the subtree has endpoints, nor than there are destinations with
 * its x. At 27,648 endpoints all of it (records, counters, the numbers of a sample) stays in a cache of 1 MB.
 *
 * Functions marked INLINE are templates: they are called with the numbers of levels and bytes as constants for the
 * usual trees, so that the compiler unrolls loops and chooses instructions, and once with variables for all others.
 * Cost: O(endpoints * variants * levels) once, O(levels) per flow. */
#include "base/status.h"
#include "load/load_strategy.h"
#include "route/core/routes_view.h"
#include "route/kernel/tree_form.h"

#include <string.h>

typedef uint16_t narrow_words __attribute__((vector_size(8), may_alias));
typedef uint32_t wide_words __attribute__((vector_size(16), may_alias));

struct tree_size {    /* what templates are made for */
    uint32_t levels;  /* of channels between switches: one less than the tree has */
    uint32_t word;    /* bytes of a number: 2 or 4 */
    uint32_t counter; /* bytes of a counter: 1, 2 or 4 */
};

struct tree_data {
    struct tree_size size;
    uint32_t nvar;
    uint32_t total;            /* channels in one direction, numbered from 1 */
    const uint16_t *variant;   /* [nep] by source, NULL: one */
    void *record;              /* [(e * nvar + variant) * groups(levels)] of base, base, x, x: two levels each */
    const uint32_t *up, *down; /* [total + 1] channels by number; 0: nchan */
};

struct tree_scratch {
    void *up, *down; /* counters, [total + 1] each, side by side; zero between runs */
    void *number;    /* [flow * groups(levels)] of up, up, down, down */
};

/* Of two levels each; the last is half empty where their number is odd. */
INLINE uint32_t groups(uint32_t levels)
{
    return (levels + 1) / 2;
}

/* The numbers between two records: two levels up, two down; 0 where both ends are in the same subtree. gcc shuffles
 * vectors from version 12 on, clang always did; HD_NO_SHUFFLE takes the path of older compilers, for tests. */
#if defined(__has_builtin) && !defined(HD_NO_SHUFFLE)
#if __has_builtin(__builtin_shufflevector)
#define NUMBER(words, s, d, to_number)                                                                                 \
    do {                                                                                                               \
        const words from = *(const words *)(s), to = *(const words *)(d);                                              \
        const words same = (words)(from == to);                                                                        \
        const words base = __builtin_shufflevector(from, to, 0, 1, 4, 5);                                              \
        const words x = __builtin_shufflevector(to, to, 2, 3, 2, 3);                                                   \
        *(words *)(to_number) = (base + x) & ~__builtin_shufflevector(same, same, 0, 1, 0, 1);                         \
    } while (0)
#endif
#endif
#ifndef NUMBER
#define NUMBER(words, s, d, to_number)                                                                                 \
    do {                                                                                                               \
        const words from = *(const words *)(s), to = *(const words *)(d);                                              \
        const words same = (words)(from == to);                                                                        \
        const words base = {from[0], from[1], to[0], to[1]}, x = {to[2], to[3], to[2], to[3]};                         \
        const words stays = {same[0], same[1], same[0], same[1]};                                                      \
        *(words *)(to_number) = (base + x) & ~stays;                                                                   \
    } while (0)
#endif

/* Records of the two ends of a flow. */
struct tree_ends {
    const char *s, *d;
};

INLINE struct tree_ends ends_of(const struct tree_data *t, struct tree_size z, uint32_t src, uint32_t dst)
{
    const size_t bytes = groups(z.levels) * 4 * (size_t)z.word;
    const char *record = t->record;
    return (struct tree_ends){record + (size_t)src * t->nvar * bytes,
                              record + ((size_t)dst * t->nvar + (t->variant ? t->variant[src] : 0)) * bytes};
}

/* Where level l (from 0) is in a record, its base, or among the numbers of a flow, up; x and down are two words on. */
INLINE uint32_t level_at(uint32_t l)
{
    return l / 2 * 4 + l % 2;
}

/* ---- bottlenecks ------------------------------------------------------------------------------ */

INLINE void number_flows(const struct tree_data *t, struct tree_size z, const struct hd_flows *f, char *number)
{
    const uint32_t *src = f->src, *dst = f->dst;
    const struct tree_data own = *t; /* a copy, which stores through `number` cannot change */
    const size_t stride = 4 * (size_t)z.word;
    for (uint32_t i = 0, n = f->n; i < n; i++) {
        struct tree_ends e = ends_of(&own, z, src[i], dst[i]);
        for (uint32_t g = 0; g < groups(z.levels); g++, e.s += stride, e.d += stride, number += stride) {
            if (z.word == 2)
                NUMBER(narrow_words, e.s, e.d, number);
            else
                NUMBER(wide_words, e.s, e.d, number);
        }
    }
}

INLINE void count_flows(struct tree_size z, const struct tree_scratch *w, uint32_t n)
{
    void *up = w->up, *down = w->down;
    const char *number = w->number;
    for (uint32_t i = 0; i < n; i++, number += groups(z.levels) * 4 * z.word)
        for (uint32_t l = 0; l < z.levels; l++) {
            uint32_t a = hd_load_get(number, z.word, level_at(l)), b = hd_load_get(number, z.word, level_at(l) + 2);
            hd_load_set(up, z.counter, a, hd_load_get(up, z.counter, a) + 1);
            hd_load_set(down, z.counter, b, hd_load_get(down, z.counter, b) + 1);
        }
}

INLINE void look_up(struct tree_size z, const struct tree_scratch *w, uint32_t n, uint32_t *most)
{
    const void *up = w->up, *down = w->down;
    const char *number = w->number;
    for (uint32_t i = 0; i < n; i++, number += groups(z.levels) * 4 * z.word) {
        uint32_t m = 0;
        for (uint32_t l = 0; l < z.levels; l++) {
            uint32_t a = hd_load_get(up, z.counter, hd_load_get(number, z.word, level_at(l)));
            uint32_t b = hd_load_get(down, z.counter, hd_load_get(number, z.word, level_at(l) + 2));
            a = a > b ? a : b;
            m = a > m ? a : m;
        }
        most[i] = m;
    }
}

INLINE void bottlenecks_sized(const struct tree_data *t, struct tree_size z, const struct tree_scratch *w,
                              const struct hd_flows *f, uint32_t *most)
{
    number_flows(t, z, f, w->number);
    count_flows(z, w, f->n);
    hd_load_set(w->up, z.counter, 0, 1); /* a flow that leaves no subtree has its own cables of endpoints */
    hd_load_set(w->down, z.counter, 0, 1);
    look_up(z, w, f->n, most);
    memset(w->up, 0, 2 * z.counter * ((size_t)t->total + 1));
}

static void tree_bottlenecks(const struct hd_loader *loader, void *scratch, const struct hd_flows *f, uint32_t *most)
{
    const struct tree_data *t = loader->data;
    const struct tree_size z = t->size;
    bool narrow = z.word == 2, small = z.counter == 1;
    if (narrow && small && z.levels == 1)
        bottlenecks_sized(t, (struct tree_size){1, 2, 1}, scratch, f, most);
    else if (narrow && small && z.levels == 2)
        bottlenecks_sized(t, (struct tree_size){2, 2, 1}, scratch, f, most);
    else if (narrow && z.levels == 2)
        bottlenecks_sized(t, (struct tree_size){2, 2, 2}, scratch, f, most);
    else if (small && z.levels == 2)
        bottlenecks_sized(t, (struct tree_size){2, 4, 1}, scratch, f, most);
    else
        bottlenecks_sized(t, z, scratch, f, most);
}

/* ---- paths ------------------------------------------------------------------------------------ */

INLINE void paths_sized(const struct tree_data *t, struct tree_size z, const uint32_t *src, const uint32_t *dst,
                        uint32_t n, uint32_t *chan)
{
    const struct tree_data own = *t; /* a copy, which stores through `chan` cannot change */
    for (uint32_t i = 0; i < n; i++, chan += 2 * z.levels) {
        const struct tree_ends e = ends_of(&own, z, src[i], dst[i]);
        for (uint32_t l = 0; l < z.levels; l++) {
            const uint32_t from = hd_load_get(e.s, z.word, level_at(l)), to = hd_load_get(e.d, z.word, level_at(l));
            const uint32_t x = hd_load_get(e.d, z.word, level_at(l) + 2);
            chan[l] = own.up[from == to ? 0 : from + x];
            chan[2 * z.levels - 1 - l] = own.down[from == to ? 0 : to + x];
        }
    }
}

static void tree_paths(const struct hd_loader *loader, const uint32_t *src, const uint32_t *dst, uint32_t n,
                       uint32_t *chan)
{
    const struct tree_data *t = loader->data;
    const struct tree_size z = t->size;
    if (z.word == 2 && z.levels == 1)
        paths_sized(t, (struct tree_size){1, 2, 1}, src, dst, n, chan);
    else if (z.word == 2 && z.levels == 2)
        paths_sized(t, (struct tree_size){2, 2, 1}, src, dst, n, chan);
    else
        paths_sized(t, z, src, dst, n, chan);
}

/* ---- making ----------------------------------------------------------------------------------- */

static hd_status tree_scratch(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader *loader,
                              uint32_t max_flows, void **scratch)
{
    const struct tree_data *t = loader->data;
    struct tree_scratch *w = HD_NEW(arena, struct tree_scratch, 1);
    if (!w) return hd_fail_memory(ctx);
    size_t one_way = t->size.counter * ((size_t)t->total + 1);
    w->up = HD_NEW(arena, char, 2 * one_way);
    w->number = HD_NEW(arena, char, groups(t->size.levels) * 4 * t->size.word * (size_t)max_flows);
    if (!w->up || !w->number) return hd_fail_memory(ctx);
    w->down = (char *)w->up + one_way;
    *scratch = w;
    return HD_OK;
}

/* Number of subtrees of height l up to the last one that has endpoints. */
static uint64_t count_subtrees(const struct hd_tree *tree, uint32_t l)
{
    uint64_t last = 0;
    for (uint32_t e = 0; e < tree->net->nep; e++) last = tree->index[e] > last ? tree->index[e] : last;
    return last / tree->mprod[l] + 1;
}

/* First number of each level. False if a number does not fit, or the full tree is much larger than this part of it. */
static bool number_levels(const struct hd_tree *tree, uint32_t *first, uint32_t *channels)
{
    enum { MOST = 1 << 24 };
    uint64_t total = 0;
    for (uint32_t l = 1; l < tree->h; l++) {
        uint64_t n = count_subtrees(tree, l), ports = tree->wprod[l] * hd_tree_up_ports(tree->shape, l);
        if (n > MOST || ports > MOST) return false;
        first[l] = (uint32_t)total + 1;
        total += n * ports;
        if (total > 4 * (uint64_t)tree->net->nchan + 1024 || total >= UINT32_MAX) return false;
    }
    *channels = (uint32_t)total;
    return true;
}

/* The number of the first up channel of switch v: by subtree, then by its digits below. */
static uint64_t switch_number(const struct hd_tree *t, uint32_t v, const uint32_t *first)
{
    const struct hd_shape *s = t->shape;
    const uint16_t *digit = hd_coord(t->net, v);
    uint32_t l = t->net->level[v];
    uint64_t group = 0, inner = 0;
    for (uint32_t i = t->h; i-- > l;) group = group * s->m[i] + digit[i];
    for (uint32_t i = l; i-- > 0;) inner = inner * s->w[i] + digit[i];
    return first[l] + (group * t->wprod[l] + inner) * hd_tree_up_ports(s, l);
}

/* Channels by number. False if an up port has no cable: so between the planes of a fabric with several. Switches behind
 * the last endpoint have numbers beyond those of their level and take part in no path. */
static hd_status load_tree_list_channels(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_tree *tree,
                                         const uint32_t *first, struct tree_data *t, bool *complete)
{
    const struct hd_net *net = tree->net;
    uint32_t *up = HD_NEW(arena, uint32_t, (size_t)t->total + 1), *down = HD_NEW(arena, uint32_t, (size_t)t->total + 1);
    if (!up || !down) return hd_fail_memory(ctx);
    *complete = true;
    for (size_t i = 0; i <= t->total; i++) up[i] = down[i] = net->nchan;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t l = net->level[v];
        if (l >= tree->h || net->unplaced[v]) continue;
        uint64_t at = switch_number(tree, v, first), end = l + 1 < tree->h ? first[l + 1] : (uint64_t)t->total + 1;
        for (uint32_t q = 0; q < hd_tree_up_ports(tree->shape, l); q++) {
            uint32_t slot = hd_tree_up(tree, v, q);
            *complete &= slot != HD_SLOT_NONE;
            if (slot == HD_SLOT_NONE || at + q >= end) continue;
            up[at + q] = net->off[v] + slot;
            down[at + q] = net->rev[net->off[v] + slot];
        }
    }
    t->up = up;
    t->down = down;
    return HD_OK;
}

/* Of level l (from 0) in the i-th record: its base; x is two words on. */
static size_t place(const struct tree_data *t, size_t i, uint32_t l)
{
    return i * groups(t->size.levels) * 4 + level_at(l);
}

/* A bound of the load of any channel of level l. Each endpoint sends and receives once: there are no more flows than
 * endpoints in a subtree, and no more than destinations with the same x. */
static hd_status load_tree_largest_load(struct hd_ctx *ctx, struct hd_arena *arena, const struct tree_data *t,
                                        const struct hd_tree *tree, uint32_t l, uint32_t *largest)
{
    struct hd_mark mark = hd_arena_mark(arena);
    size_t records = (size_t)tree->net->nep * t->nvar;
    uint32_t *inside = HD_NEW(arena, uint32_t, count_subtrees(tree, l));
    uint32_t *towards = HD_NEW(arena, uint32_t, tree->wprod[l] * hd_tree_up_ports(tree->shape, l));
    if (!inside || !towards) return hd_fail_memory(ctx);
    uint32_t crowd = 0, key = 0;
    for (uint32_t e = 0; e < tree->net->nep; e++) {
        uint32_t n = ++inside[tree->index[e] / tree->mprod[l]];
        crowd = n > crowd ? n : crowd;
    }
    for (size_t i = 0; i < records; i++) {
        uint32_t n = ++towards[hd_load_get(t->record, t->size.word, place(t, i, l - 1) + 2)];
        key = n > key ? n : key;
    }
    *largest = crowd < key ? crowd : key;
    hd_arena_rewind(arena, mark);
    return HD_OK;
}

static void fill_record(const struct tree_data *t, const struct hd_tree *tree, const uint32_t *first, const uint32_t *q,
                        size_t i)
{
    uint64_t inner = 0;
    for (uint32_t l = 1; l < tree->h; l++) {
        uint32_t up = hd_tree_up_ports(tree->shape, l);
        uint64_t group = tree->index[i / t->nvar] / tree->mprod[l];
        hd_load_set(t->record, t->size.word, place(t, i, l - 1), (uint32_t)(first[l] + group * tree->wprod[l] * up));
        hd_load_set(t->record, t->size.word, place(t, i, l - 1) + 2, (uint32_t)(inner * up + q[l]));
        inner += (uint64_t)(q[l] % tree->shape->w[l]) * tree->wprod[l];
    }
}

static hd_status fill_records(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_tree_form *form,
                              const uint32_t *first, struct tree_data *t)
{
    const struct hd_tree *tree = &form->tree;
    size_t records = (size_t)tree->net->nep * t->nvar;
    t->record = HD_NEW(arena, char, groups(t->size.levels) * 4 * t->size.word * records);
    if (!t->record) return hd_fail_memory(ctx);
    for (size_t i = 0; i < records; i++) {
        uint32_t q[HD_MAX_DIM + 1];
        form->up(form, (uint32_t)(i / t->nvar), (uint32_t)(i % t->nvar), q);
        fill_record(t, tree, first, q, i);
    }
    uint32_t largest = 0;
    for (uint32_t l = 1; l < tree->h; l++) {
        uint32_t load = 0;
        HD_TRY(load_tree_largest_load(ctx, arena, t, tree, l, &load));
        largest = load > largest ? load : largest;
    }
    t->size.counter = largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : 4;
    return HD_OK;
}

static hd_status tree_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader_in *in,
                           struct hd_loader *loader)
{
    enum { MOST_RECORDS = 1 << 26 };
    const struct hd_routes *r = in->routes;
    const struct hd_tree_form *form = hd_tree_form_of(r);
    uint32_t first[HD_MAX_DIM + 1], total;
    bool complete = false;
    if (!form || form->tree.h < 2 || (size_t)hd_routes_net(r)->nep * hd_routes_variants(r) > MOST_RECORDS ||
        !number_levels(&form->tree, first, &total))
        return HD_OK;
    struct tree_data *t = HD_NEW(arena, struct tree_data, 1);
    if (!t) return hd_fail_memory(ctx);
    *t = (struct tree_data){.nvar = hd_routes_variants(r),
                            .total = total,
                            .size = {.levels = form->tree.h - 1, .word = total <= UINT16_MAX ? 2 : 4},
                            .variant = hd_routes_source_class(r)};
    HD_TRY(load_tree_list_channels(ctx, arena, &form->tree, first, t, &complete));
    if (!complete) return HD_OK;
    HD_TRY(fill_records(ctx, arena, form, first, t));
    loader->data = t;
    loader->stride = 2 * t->size.levels;
    return HD_OK;
}

const struct hd_load_strategy hd_load_tree = {tree_make, tree_bottlenecks, tree_scratch, tree_paths};
