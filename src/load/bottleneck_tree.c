/* SPDX-License-Identifier: BSD-2-Clause */
/* Bottlenecks on trees in closed form. Seen from an endpoint, what matters at level l is the height-l subtree it
 * lives in and, as a destination, which of the up channels of any such subtree its routes take (x). The channels
 * out of a subtree are numbered one after the other from `base` on, those into it likewise in an array of their own:
 *     up:   base(source) + x(destination)          where base(source) != base(destination)
 *     down: base(destination) + x(destination)     likewise; number 0 where the path stays in the subtree
 * which are numbers nobody needs to look up. Two levels make one vector of four words, so a flow of a three-level
 * tree is numbered by eight bytes of each endpoint in a handful of instructions, without a branch. Then the
 * numbers are counted, and then looked up; each of the three loops is short and no step waits for the one before.
 * Words have 16 bits where the numbers of one way fit, counters 8 bits where no load can be larger: a channel
 * carries no more flows than the subtree has endpoints, nor than there are destinations with its x. At 27,648
 * endpoints all of it (records, counters, the numbers of a sample) stays in a cache of 1 MB. */
#include "base/status.h"
#include "load/bottleneck.h"
#include "route/core/routes.h"
#include "route/kernel/tree_form.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint16_t narrow_words __attribute__((vector_size(8), may_alias));
typedef uint32_t wide_words __attribute__((vector_size(16), may_alias));

struct tree {
    uint32_t levels, nvar;
    uint32_t word;           /* bytes of a number: 2 or 4 */
    uint32_t counter;        /* bytes of a counter: 1, 2 or 4 */
    uint32_t total;          /* channels one way, numbered from 1 */
    const uint16_t *variant; /* [nep] by source, NULL: one */
    void *record;            /* [(e * nvar + variant) * groups(levels)] of base, base, x, x: two levels each */
};

struct scratch {
    void *up, *down; /* counters, [total + 1] each, side by side; zero between samples */
    void *chan;      /* [flow * groups(levels)] of up, up, down, down */
};

/* Of two levels each; the last is half empty where their number is odd. */
INLINE uint32_t groups(uint32_t levels)
{
    return (levels + 1) / 2;
}

/* Whole numbers of a size known when compiled. */
INLINE uint32_t get(const void *v, uint32_t bytes, size_t i)
{
    if (bytes == 1) return ((const uint8_t *)v)[i];
    return bytes == 2 ? ((const uint16_t *)v)[i] : ((const uint32_t *)v)[i];
}

INLINE void set(void *v, uint32_t bytes, size_t i, uint32_t to)
{
    if (bytes == 1) ((uint8_t *)v)[i] = (uint8_t)to;
    if (bytes == 2) ((uint16_t *)v)[i] = (uint16_t)to;
    if (bytes == 4) ((uint32_t *)v)[i] = to;
}

/* The channels between two records: two levels up, two down; 0 where both ends are in the same subtree. gcc shuffles
 * vectors from version 12 on, clang always did; HD_NO_SHUFFLE takes the path of older compilers, for tests. */
#if defined(__has_builtin) && !defined(HD_NO_SHUFFLE)
#if __has_builtin(__builtin_shufflevector)
#define NUMBER(words, s, d, chan)                                                                                      \
    do {                                                                                                               \
        const words from = *(const words *)(s), to = *(const words *)(d);                                              \
        const words same = (words)(from == to);                                                                        \
        const words base = __builtin_shufflevector(from, to, 0, 1, 4, 5);                                              \
        const words x = __builtin_shufflevector(to, to, 2, 3, 2, 3);                                                   \
        *(words *)(chan) = (base + x) & ~__builtin_shufflevector(same, same, 0, 1, 0, 1);                              \
    } while (0)
#endif
#endif
#ifndef NUMBER
#define NUMBER(words, s, d, chan)                                                                                      \
    do {                                                                                                               \
        const words from = *(const words *)(s), to = *(const words *)(d);                                              \
        const words same = (words)(from == to);                                                                        \
        const words base = {from[0], from[1], to[0], to[1]}, x = {to[2], to[3], to[2], to[3]};                         \
        const words stays = {same[0], same[1], same[0], same[1]};                                                      \
        *(words *)(chan) = (base + x) & ~stays;                                                                        \
    } while (0)
#endif

INLINE void number_flows(const struct tree *t, uint32_t levels, uint32_t word, const struct hd_flows *f, char *chan)
{
    const uint32_t *src = f->src, *dst = f->dst, nvar = t->nvar, stride = 4 * word, ngroup = groups(levels);
    const uint16_t *variant = t->variant;
    const char *record = t->record;
    for (uint32_t i = 0, n = f->n; i < n; i++) {
        uint32_t v = variant ? variant[src[i]] : 0;
        const char *s = record + (size_t)src[i] * nvar * ngroup * stride;
        const char *d = record + ((size_t)dst[i] * nvar + v) * ngroup * stride;
        for (uint32_t g = 0; g < ngroup; g++, s += stride, d += stride, chan += stride) {
            if (word == 2)
                NUMBER(narrow_words, s, d, chan);
            else
                NUMBER(wide_words, s, d, chan);
        }
    }
}

INLINE void count_flows(uint32_t levels, uint32_t word, uint32_t counter, const struct scratch *w, uint32_t n)
{
    void *up = w->up, *down = w->down;
    const char *chan = w->chan;
    for (uint32_t i = 0; i < n; i++, chan += groups(levels) * 4 * word)
        for (uint32_t l = 0; l < levels; l++) {
            uint32_t a = get(chan, word, l / 2 * 4 + l % 2), b = get(chan, word, l / 2 * 4 + l % 2 + 2);
            set(up, counter, a, get(up, counter, a) + 1);
            set(down, counter, b, get(down, counter, b) + 1);
        }
}

INLINE void look_up(uint32_t levels, uint32_t word, uint32_t counter, const struct scratch *w, uint32_t n,
                    uint32_t *most)
{
    const void *up = w->up, *down = w->down;
    const char *chan = w->chan;
    for (uint32_t i = 0; i < n; i++, chan += groups(levels) * 4 * word) {
        uint32_t m = 0;
        for (uint32_t l = 0; l < levels; l++) {
            uint32_t a = get(up, counter, get(chan, word, l / 2 * 4 + l % 2));
            uint32_t b = get(down, counter, get(chan, word, l / 2 * 4 + l % 2 + 2));
            a = a > b ? a : b;
            m = a > m ? a : m;
        }
        most[i] = m;
    }
}

/* Called with constants, so that the compiler unrolls the levels. */
INLINE void run_sized(const struct tree *t, uint32_t levels, uint32_t word, uint32_t counter, const struct scratch *w,
                      const struct hd_flows *f, uint32_t *most)
{
    number_flows(t, levels, word, f, w->chan);
    count_flows(levels, word, counter, w, f->n);
    set(w->up, counter, 0, 1); /* whoever stays has its own endpoint cables */
    set(w->down, counter, 0, 1);
    look_up(levels, word, counter, w, f->n, most);
    memset(w->up, 0, 2 * counter * ((size_t)t->total + 1));
}

static void run(const struct hd_bottlenecks *b, void *scratch, const struct hd_flows *f, uint32_t *most)
{
    const struct tree *t = b->data;
    bool narrow = t->word == 2, small = t->counter == 1;
    if (narrow && small && t->levels == 1)
        run_sized(t, 1, 2, 1, scratch, f, most);
    else if (narrow && small && t->levels == 2)
        run_sized(t, 2, 2, 1, scratch, f, most);
    else if (narrow && t->levels == 2)
        run_sized(t, 2, 2, 2, scratch, f, most);
    else if (small && t->levels == 2)
        run_sized(t, 2, 4, 1, scratch, f, most);
    else
        run_sized(t, t->levels, t->word, t->counter, scratch, f, most);
}

static hd_status make_scratch(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_bottlenecks *b,
                              uint32_t max_flows, void **scratch)
{
    const struct tree *t = b->data;
    struct scratch *w = HD_NEW(arena, struct scratch, 1);
    if (!w) return hd_fail_memory(ctx);
    size_t one_way = t->counter * ((size_t)t->total + 1);
    w->up = HD_NEW(arena, char, 2 * one_way);
    w->chan = HD_NEW(arena, char, groups(t->levels) * 4 * t->word * (size_t)max_flows);
    if (!w->up || !w->chan) return hd_fail_memory(ctx);
    w->down = (char *)w->up + one_way;
    *scratch = w;
    return HD_OK;
}

/* Subtrees of height l that have endpoints or come before one that has. */
static uint64_t subtrees(const struct hd_tree *tree, uint32_t l)
{
    uint64_t last = 0;
    for (uint32_t e = 0; e < tree->net->nep; e++) last = tree->index[e] > last ? tree->index[e] : last;
    return last / tree->mprod[l] + 1;
}

/* False where a number does not fit, or the full tree is much larger than this part of it. */
static bool number_channels(const struct hd_tree *tree, uint32_t *first, uint32_t *channels)
{
    uint64_t total = 0;
    for (uint32_t l = 1; l < tree->h; l++) {
        uint64_t n = subtrees(tree, l), ports = tree->wprod[l] * hd_tree_up_ports(tree->shape, l);
        if (n > 1 << 16 || ports > 1 << 16) return false;
        first[l] = (uint32_t)total + 1;
        total += n * ports;
        if (total > 4 * (uint64_t)tree->net->nchan + 1024) return false;
    }
    *channels = (uint32_t)total;
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

/* Of level l (from 0) in the i-th record: its base; x is two words on. */
static size_t place(const struct tree *t, size_t i, uint32_t l)
{
    return (i * groups(t->levels) + l / 2) * 4 + l % 2;
}

/* A bound of the load of any channel of level l. Nobody sends or receives twice: there are no more flows than
 * endpoints in a subtree, and no more than destinations with the same x. */
static hd_status largest_load(struct hd_ctx *ctx, struct hd_arena *arena, const struct tree *t,
                              const struct hd_tree *tree, uint32_t l, uint32_t *largest)
{
    struct hd_mark mark = hd_arena_mark(arena);
    size_t records = (size_t)tree->net->nep * t->nvar;
    uint32_t *inside = HD_NEW(arena, uint32_t, subtrees(tree, l));
    uint32_t *towards = HD_NEW(arena, uint32_t, tree->wprod[l] * hd_tree_up_ports(tree->shape, l));
    if (!inside || !towards) return hd_fail_memory(ctx);
    uint32_t crowd = 0, key = 0;
    for (uint32_t e = 0; e < tree->net->nep; e++) {
        uint32_t n = ++inside[tree->index[e] / tree->mprod[l]];
        crowd = n > crowd ? n : crowd;
    }
    for (size_t i = 0; i < records; i++) {
        uint32_t n = ++towards[get(t->record, t->word, place(t, i, l - 1) + 2)];
        key = n > key ? n : key;
    }
    *largest = crowd < key ? crowd : key;
    hd_arena_rewind(arena, mark);
    return HD_OK;
}

static void fill_record(const struct tree *t, const struct hd_tree *tree, const uint32_t *first, const uint32_t *q,
                        size_t i)
{
    uint64_t inner = 0;
    for (uint32_t l = 1; l < tree->h; l++) {
        uint32_t up = hd_tree_up_ports(tree->shape, l);
        uint64_t group = tree->index[i / t->nvar] / tree->mprod[l];
        set(t->record, t->word, place(t, i, l - 1), (uint32_t)(first[l] + group * tree->wprod[l] * up));
        set(t->record, t->word, place(t, i, l - 1) + 2, (uint32_t)(inner * up + q[l]));
        inner += (uint64_t)(q[l] % tree->shape->w[l]) * tree->wprod[l];
    }
}

static hd_status fill(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_tree_form *form,
                      const uint32_t *first, struct tree *t)
{
    const struct hd_tree *tree = &form->tree;
    size_t records = (size_t)tree->net->nep * t->nvar;
    t->record = HD_NEW(arena, char, groups(t->levels) * 4 * t->word * records);
    if (!t->record) return hd_fail_memory(ctx);
    for (size_t i = 0; i < records; i++) {
        uint32_t q[HD_MAX_DIM + 1];
        form->up(form, (uint32_t)(i / t->nvar), (uint32_t)(i % t->nvar), q);
        fill_record(t, tree, first, q, i);
    }
    uint32_t largest = 0;
    for (uint32_t l = 1; l < tree->h; l++) {
        uint32_t load = 0;
        HD_TRY(largest_load(ctx, arena, t, tree, l, &load));
        largest = load > largest ? load : largest;
    }
    t->counter = largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : 4;
    return HD_OK;
}

hd_status hd_bottlenecks_tree(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                              struct hd_bottlenecks **b)
{
    enum { MOST_RECORDS = 1 << 26 };
    const struct hd_tree_form *form = hd_tree_form_of(r);
    const struct hd_tree *tree = &form->tree;
    struct tree *t = HD_NEW(arena, struct tree, 1);
    struct hd_bottlenecks *made = HD_NEW(arena, struct hd_bottlenecks, 1);
    uint32_t first[HD_MAX_DIM + 1];
    if (!t || !made) return hd_fail_memory(ctx);
    if (tree->h < 2 || (size_t)r->net->nep * r->nvar > MOST_RECORDS || !number_channels(tree, first, &t->total) ||
        !all_cabled(tree))
        return HD_OK;
    t->levels = tree->h - 1;
    t->nvar = r->nvar;
    t->word = t->total <= UINT16_MAX ? 2 : 4;
    t->variant = r->select == HD_SELECT_SOURCE ? r->source_class : NULL;
    HD_TRY(fill(ctx, arena, form, first, t));
    *made = (struct hd_bottlenecks){t, make_scratch, run};
    *b = made;
    return HD_OK;
}
