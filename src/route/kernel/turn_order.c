/* SPDX-License-Identifier: BSD-2-Clause */
/* The linear ordering problem by insertion: one link after the other is taken out and put where the turns into it from
 * earlier links and those out of it to later ones weigh most. Noise is added to each weighing, at first up to NOISE
 * times the weight of an average turn, then ever less: without it, EBB in one VL is up to 2 % lower. Keys are far
 * apart, so that an insertion moves nothing else; each pass begins with fresh ones.
 * Cost: per pass every turn is looked at twice, sorted by key per link. All numbers are integers.
 * The neighbourhood is that of Laguna, Marti, Campos: Intensification and diversification with elite tabu search
 * solutions for the linear ordering problem. */
#include "route/kernel/turn_order.h"
#include "base/status.h"

#include <string.h>

enum {
    SPACE = 32, /* bits between two keys at the beginning of a pass */
    NOISE = 2,
    SORT_RUN = 16
};

struct order_mark { /* a link that has a turn with the one that moves, or one of all links */
    uint64_t key;
    int64_t gain; /* of moving from before to behind it; or its number */
};

struct turn_order {
    const struct hd_links *l;
    const uint64_t *weight;
    struct hd_rng *rng;
    uint64_t *key;           /* [links] */
    struct order_mark *mark; /* [2 * ports or links] */
    struct order_mark *room; /* the same, for sorting them */
    uint32_t *link;          /* [links] in the order of the pass */
    uint32_t noise;
};

/* By key, equal ones as they come: a merge sort of runs that are sorted by insertion. */
static void sort_marks(struct order_mark *mark, struct order_mark *room, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct order_mark m = mark[i];
        uint32_t k = i;
        for (; k % SORT_RUN && m.key < mark[k - 1].key; k--) mark[k] = mark[k - 1];
        mark[k] = m;
    }
    for (uint32_t run = SORT_RUN; run < n; run *= 2)
        for (uint32_t lo = 0; lo + run < n; lo += 2 * run) {
            const uint32_t mid = lo + run, hi = mid + run < n ? mid + run : n;
            memcpy(room, mark + lo, run * sizeof *room);
            for (uint32_t i = 0, k = mid, to = lo; i < run; to++)
                mark[to] = k < hi && mark[k].key < room[i].key ? mark[k++] : room[i++];
        }
}

/* The links that a has turns with, by key. */
static uint32_t gather_marks(const struct turn_order *o, uint32_t a)
{
    const struct hd_links *l = o->l;
    uint32_t n = 0, tail = l->net->tail[l->chan[a]], head = l->head[a];
    for (uint32_t x = l->first[tail]; x < l->first[tail + 1]; x++) {
        int64_t weight = (int64_t)o->weight[hd_turn(l, l->back[x], a)];
        if (weight) o->mark[n++] = (struct order_mark){o->key[l->back[x]], weight};
    }
    for (uint32_t b = l->first[head]; b < l->first[head + 1]; b++) {
        int64_t weight = (int64_t)o->weight[hd_turn(l, a, b)];
        if (weight) o->mark[n++] = (struct order_mark){o->key[b], -weight};
    }
    sort_marks(o->mark, o->room, n);
    return n;
}

/* Puts link a between the two marks where it weighs most, anywhere there. */
static void insert_link(struct turn_order *o, uint32_t a)
{
    uint32_t n = gather_marks(o, a);
    uint64_t from = 0, room = 0;
    int64_t value = 0, most = INT64_MIN;
    for (uint32_t i = 0; i <= n && n; i++) {
        uint64_t lo = i ? o->mark[i - 1].key : o->mark[0].key - ((uint64_t)1 << SPACE);
        uint64_t hi = i < n ? o->mark[i].key : o->mark[n - 1].key + ((uint64_t)1 << SPACE);
        if (i) value += o->mark[i - 1].gain;
        if (hi - lo < 2) continue;
        int64_t noisy = value + (int64_t)hd_rng_below(o->rng, o->noise);
        if (noisy <= most) continue;
        most = noisy;
        from = lo + 1;
        room = hi - lo - 1;
    }
    if (room) o->key[a] = from + hd_rng_below(o->rng, room > UINT32_MAX ? UINT32_MAX : (uint32_t)room);
}

static void order_pass(struct turn_order *o, uint32_t *place)
{
    const uint32_t n = o->l->n;
    for (uint32_t a = 0; a < n; a++) o->key[a] = ((uint64_t)place[a] + 1) << SPACE;
    hd_rng_shuffle(o->rng, o->link, n);
    for (uint32_t i = 0; i < n; i++) insert_link(o, o->link[i]);
    for (uint32_t a = 0; a < n; a++) o->mark[a] = (struct order_mark){o->key[a], a};
    sort_marks(o->mark, o->room, n);
    for (uint32_t i = 0; i < n; i++) place[o->mark[i].gain] = i;
}

/* The average weight of a turn that has one. */
static uint64_t average_weight(const struct hd_links *l, const uint64_t *weight)
{
    uint64_t sum = 0, n = 0;
    for (uint32_t t = 0; t < l->turn[l->n]; t++) {
        if (!weight[t] || weight[t] >= HD_TURN_MUST) continue;
        sum += weight[t];
        n++;
    }
    return n ? sum / n : 0;
}

static hd_status order_init(struct hd_ctx *ctx, struct hd_arena *arena, struct turn_order *o)
{
    const struct hd_links *l = o->l;
    size_t marks = l->n;
    for (uint32_t v = 0; v < l->net->nsw; v++) {
        const size_t ports = l->first[v + 1] - l->first[v];
        if (2 * ports > marks) marks = 2 * ports;
    }
    o->key = HD_NEW(arena, uint64_t, l->n);
    o->mark = HD_NEW(arena, struct order_mark, marks);
    o->room = HD_NEW(arena, struct order_mark, marks);
    o->link = HD_NEW(arena, uint32_t, l->n);
    if (!o->key || !o->mark || !o->room || !o->link) return hd_fail_memory(ctx);
    for (uint32_t a = 0; a < l->n; a++) o->link[a] = a;
    return HD_OK;
}

hd_status hd_turn_order(struct hd_ctx *ctx, const struct hd_links *l, const uint64_t *weight, uint32_t passes,
                        struct hd_rng *rng, uint32_t *place)
{
    struct hd_arena scratch = {0};
    struct turn_order o = {.l = l, .weight = weight, .rng = rng};
    uint64_t noise = NOISE * average_weight(l, weight);
    hd_status s = order_init(ctx, &scratch, &o);
    for (uint32_t left = passes; s == HD_OK && left > 0; left--) {
        uint64_t now = noise * left / passes;
        o.noise = now > UINT32_MAX - 1 ? UINT32_MAX : (uint32_t)now + 1;
        order_pass(&o, place);
    }
    hd_arena_release(&scratch);
    return s;
}
