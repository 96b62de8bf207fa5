/* SPDX-License-Identifier: BSD-2-Clause */
/* D-mod-K on switches that have levels: damaged trees, and trees that are no PGFT.
 *
 * D-mod-K applied switch by switch loses track where cables are missing: sources climb to the switch that the formula
 * names, and it comes down by a cable meant for other destinations. In a director fabric, where a spine reaches a
 * group of leaves through several line ASICs, it always does: a leaf picks a director, the spine there picks a line by
 * another digit, and most cables between lines and leaves are idle. Here the path of a destination with number j is
 * fixed from its end: the *main path* climbs from the destination's switch to the top, from a switch v by channel
 * (j / P_v) mod n of its n upward channels, and packets come down by the same cables. Any other switch has to meet it:
 * one that must climb to level h goes up by channel (j / P_v) mod n of its own where this leads to the main path's
 * switch of level h, else by the same rule among those channels that do. So what is fixed by the destination is the
 * class of switches that still reach the main path (the line ASICs of one director); the member of the class is free
 * and follows j. A switch that cannot meet the main path takes any channel that leads nearer to the destination.
 *
 * Remainders that do not divide leave cables idle while others carry two destinations. So where there are no digits
 * the main path takes the channel whose way back has the fewest destinations so far, then the one to the switch that
 * has such a channel itself, and only then the one by rule: destinations one after the other, in a first pass. With
 * digits the rule alone is better: destinations that share a cable to a leaf then share all of their path, and meet no
 * others. What has to leave its channel because of missing cables goes where the fewest of these went so far, counted
 * for 64 targets at a time, so that threads do not matter.
 *
 * Channels are listed cable by cable, and neighbours by digit where there are digits, else by class: switches that are
 * connected from their level upwards are adjacent, so that the digits of j that pick a class also spread over its
 * members. P_v is the product of w below the level of v; without digits 1 on level 1, and above it the largest product
 * of P and the number of parents over the children. On an intact PGFT all this is D-mod-K entry by entry. Paths go up
 * and then down, are shortest among those, and every pair that has one is served.
 *
 * Which switches reach which others upwards is kept as one bit per pair. Where one channel alone leads down to a leaf
 * switch it is found once for all endpoints there, and the remainder of j / P once for all switches with the same P and
 * number of channels. Cost: O(L channels) bytes of costs and O(switches ports) bit tests per leaf switch, and one test
 * per entry; per destination as many as per leaf switch at worst. The first pass is serial: O(ports) per level. */
#include "route/engine/dmodc_layers.h"
#include "base/keyed.h"
#include "base/status.h"
#include "base/threads.h"
#include "net/core/disjoint_sets.h"
#include "route/core/switch_distance.h"

#include <string.h>

struct layers {
    const struct hd_levels *lv;
    const uint64_t *number;
    struct hd_routes *r;
    uint64_t *divider; /* [nsw] P, */
    uint32_t *part;    /* [nsw] its place among the distinct values, */
    uint64_t *value;   /* [nvalue] which are these */
    uint32_t nvalue;
    uint32_t *kind; /* [nsw] switches of one kind have the same P and number of upward channels: */
    struct layers_kind {
        uint32_t part, n;
    } * kinds; /* [nkind] */
    uint32_t nkind;
    uint8_t *up;     /* [nchan] upward slots of v from off[v], cable by cable, neighbours by class */
    uint8_t *down;   /* [nchan] downward ones */
    uint8_t *height; /* [nsw] the highest level that can be climbed to */
    uint64_t *below; /* [nsw * words] whose bits: switches that reach v by climbing, and v */
    size_t words;
    uint32_t *climb; /* [nep * top] channels of the main path of a destination, by level; those above it: any */
    uint32_t *taken; /* [nchan] destinations whose main path comes down a channel; NULL: with digits */
    uint32_t *least; /* [nsw] the fewest of those that come down to a switch from where it climbs to */
};

struct layers_worker {
    uint8_t *cost;                      /* [nsw * block] */
    uint8_t *to;                        /* [nsw] those of the current target */
    uint32_t *diverted;                 /* [nchan] entries of the block that are not those by rule */
    uint8_t *base;                      /* [nsw] the only slot down to it, HD_SLOT_NONE: there are several, or none */
    uint32_t *several, nseveral;        /* switches with several channels down to it */
    uint32_t *climber, nclimber;        /* switches that must climb towards it first, */
    uint8_t *turn;                      /* [nclimber] and up to which level */
    uint64_t *digit;                    /* [nvalue] j / P of the current destination */
    uint32_t *rest;                     /* [nkind] and what remains of it by the number of upward channels */
    uint32_t first, top;                /* levels of the main path: */
    uint32_t main[HD_NO_LEVEL + 1];     /* its switches, */
    uint8_t main_slot[HD_NO_LEVEL + 1]; /* and by which slot each goes down */
};

/* ---- lists ----------------------------------------------------------------------------------- */

static uint32_t count_up(const struct layers *y, uint32_t v)
{
    return y->lv->up[v + 1] - y->lv->up[v];
}

static uint32_t count_down(const struct layers *y, uint32_t v)
{
    return y->lv->down[v + 1] - y->lv->down[v];
}

/* class_of[v]: the lowest switch of those connected with v through levels not below its own. */
static hd_status layers_classes(struct hd_ctx *ctx, struct hd_arena *a, const struct layers *y, uint32_t *class_of)
{
    const struct hd_levels *lv = y->lv;
    uint32_t nsw = lv->net->nsw, *set = HD_NEW(a, uint32_t, nsw);
    if (!set) return hd_fail_memory(ctx);
    hd_sets_init(set, nsw);
    for (uint32_t l = lv->top; l >= 1; l--) {
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t v = lv->by_level[i];
            for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++) hd_sets_join(set, v, lv->net->head[lv->up_chan[k]]);
        }
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++)
            class_of[lv->by_level[i]] = hd_sets_find(set, lv->by_level[i]);
    }
    return HD_OK;
}

/* Slots of n channels that come neighbour by neighbour: cable k of every neighbour before any cable k+1, and
 * neighbours by class, if there are any. */
static void layers_list(const struct layers *y, const uint32_t *class_of, uint32_t v, const uint32_t *chan, uint32_t n,
                        uint8_t *slot)
{
    const struct hd_net *net = y->lv->net;
    struct hd_keyed list[HD_MAX_PORTS];
    for (uint32_t i = 0, nth = 0; i < n; i++) {
        nth = i && net->head[chan[i]] == net->head[chan[i - 1]] ? nth + 1 : 0;
        list[i] = (struct hd_keyed){(uint64_t)nth << 40 | (uint64_t)class_of[net->head[chan[i]]] << 8 | i,
                                    chan[i] - net->off[v]};
    }
    hd_keyed_sort(list, n, sizeof *list);
    for (uint32_t i = 0; i < n; i++) slot[i] = (uint8_t)list[i].value;
}

static uint32_t count_parents(const struct layers *y, uint32_t v)
{
    const struct hd_levels *lv = y->lv;
    uint32_t n = 0;
    for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++)
        n += k == lv->up[v] || lv->net->head[lv->up_chan[k]] != lv->net->head[lv->up_chan[k - 1]];
    return n;
}

static void layers_dividers(struct layers *y)
{
    const struct hd_levels *lv = y->lv;
    const struct hd_shape *shape = &lv->net->shape;
    uint64_t of_level = 1;
    for (uint32_t i = 0, l = 0; i < lv->net->nsw; i++) {
        uint32_t v = lv->by_level[i], n = count_parents(y, v);
        if (shape->kind == HD_SHAPE_TREE) {
            for (; l < lv->net->level[v]; l++) of_level *= shape->w[l];
            y->divider[v] = of_level;
            continue;
        }
        if (y->divider[v] == 0) y->divider[v] = 1;
        for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++) {
            uint64_t *above = &y->divider[lv->net->head[lv->up_chan[k]]];
            uint64_t p = y->divider[v] > UINT64_MAX / n ? UINT64_MAX : y->divider[v] * n;
            if (p > *above) *above = p;
        }
    }
    for (uint32_t v = 0; v < lv->net->nsw; v++) {
        uint32_t k = 0;
        while (k < y->nvalue && y->value[k] != y->divider[v]) k++;
        if (k == y->nvalue) y->value[y->nvalue++] = y->divider[v];
        y->part[v] = k;
    }
}

static void layers_kinds(struct layers *y)
{
    uint32_t nsw = y->lv->net->nsw;
    for (uint32_t v = 0; v < nsw; v++) {
        struct layers_kind is = {y->part[v], count_up(y, v)};
        uint32_t k = y->nkind; /* neighbours are mostly alike */
        while (k > 0 && (y->kinds[k - 1].part != is.part || y->kinds[k - 1].n != is.n)) k--;
        if (k == 0) y->kinds[y->nkind++] = is;
        y->kind[v] = k ? k - 1 : y->nkind - 1;
    }
}

static void layers_reach(struct layers *y)
{
    const struct hd_levels *lv = y->lv;
    for (uint32_t i = 0; i < lv->net->nsw; i++) { /* from below */
        uint32_t v = lv->by_level[i];
        uint64_t *bits = y->below + (size_t)v * y->words;
        bits[v / 64] |= UINT64_C(1) << v % 64;
        for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++) {
            uint64_t *above = y->below + (size_t)lv->net->head[lv->up_chan[k]] * y->words;
            for (size_t w = 0; w < y->words; w++) above[w] |= bits[w];
        }
    }
    for (uint32_t i = lv->net->nsw; i-- > 0;) { /* from above */
        uint32_t v = lv->by_level[i];
        y->height[v] = lv->net->level[v];
        for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++) {
            uint8_t h = y->height[lv->net->head[lv->up_chan[k]]];
            if (h > y->height[v]) y->height[v] = h;
        }
    }
}

static hd_status layers_init(struct hd_ctx *ctx, struct hd_arena *a, struct layers *y)
{
    const struct hd_levels *lv = y->lv;
    uint32_t nsw = lv->net->nsw, *class_of = HD_NEW(a, uint32_t, nsw);
    y->words = (nsw + 63) / 64;
    y->divider = HD_NEW(a, uint64_t, nsw);
    y->value = HD_NEW(a, uint64_t, nsw);
    y->part = HD_NEW(a, uint32_t, nsw);
    y->kind = HD_NEW(a, uint32_t, nsw);
    y->kinds = HD_NEW(a, struct layers_kind, nsw);
    y->up = HD_NEW(a, uint8_t, lv->net->nchan);
    y->down = HD_NEW(a, uint8_t, lv->net->nchan);
    y->height = HD_NEW(a, uint8_t, nsw);
    y->below = HD_NEW(a, uint64_t, nsw * y->words);
    y->climb = HD_NEW(a, uint32_t, (size_t)lv->net->nep * lv->top);
    if (!y->climb || !class_of || !y->divider || !y->value || !y->part || !y->up || !y->down || !y->height ||
        !y->below || !y->kind || !y->kinds)
        return hd_fail_memory(ctx);
    if (lv->net->shape.kind != HD_SHAPE_TREE) {
        HD_TRY(layers_classes(ctx, a, y, class_of));
        if (!HD_NEW_U32(a, lv->net->nchan, &y->taken) || !HD_NEW_U32(a, nsw, &y->least)) return hd_fail_memory(ctx);
    }
    for (uint32_t v = 0; v < nsw; v++) {
        layers_list(y, class_of, v, lv->up_chan + lv->up[v], count_up(y, v), y->up + lv->net->off[v]);
        layers_list(y, class_of, v, lv->down_chan + lv->down[v], count_down(y, v), y->down + lv->net->off[v]);
    }
    layers_dividers(y);
    layers_kinds(y);
    layers_reach(y);
    return HD_OK;
}

/* ---- one destination ------------------------------------------------------------------------- */

struct layers_goal { /* which neighbours serve: those with a bit, or those with this value */
    const uint64_t *bits;
    const uint8_t *value;
    uint8_t want;
};

static bool layers_serves(const struct layers_goal *g, uint32_t u)
{
    return g->bits ? g->bits[u / 64] >> u % 64 & 1 : g->value[u] == g->want;
}

/* Channel (j / P) mod n of the n in the list that serve; HD_SLOT_NONE: none does. */
static uint8_t layers_pick(const struct layers *y, const struct layers_worker *w, uint32_t v, const uint8_t *list,
                           uint32_t n, const struct layers_goal *goal)
{
    const uint32_t *head = y->lv->net->head + y->lv->net->off[v];
    uint8_t some[HD_MAX_PORTS];
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        if (layers_serves(goal, head[list[i]])) some[k++] = list[i];
    return k ? some[w->digit[y->part[v]] % k] : HD_SLOT_NONE;
}

/* Upwards: channel (j / P) mod n of all, if it serves. */
static uint8_t layers_pick_up(const struct layers *y, const struct layers_worker *w, uint32_t v,
                              const struct layers_goal *goal)
{
    const struct hd_net *net = y->lv->net;
    const uint8_t *list = y->up + net->off[v];
    uint32_t n = count_up(y, v);
    if (n == 0) return HD_SLOT_NONE;
    uint8_t slot = list[w->rest[y->kind[v]]];
    return layers_serves(goal, net->head[net->off[v] + slot]) ? slot : layers_pick(y, w, v, list, n, goal);
}

/* Upwards where the channel by rule does not serve: of those that do, the one that the fewest were diverted to. */
static uint8_t layers_divert(const struct layers *y, const struct layers_worker *w, uint32_t v,
                             const struct layers_goal *goal)
{
    const struct hd_net *net = y->lv->net;
    uint32_t n = count_up(y, v), best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = net->off[v] + y->up[net->off[v] + (w->rest[y->kind[v]] + i) % n];
        if (layers_serves(goal, net->head[c]) && (best == UINT32_MAX || w->diverted[c] < w->diverted[best])) best = c;
    }
    if (best == UINT32_MAX) return HD_SLOT_NONE;
    w->diverted[best]++;
    return (uint8_t)(best - net->off[v]);
}

/* ---- main paths ------------------------------------------------------------------------------ */

/* The channel up from v whose way back has the fewest destinations, then that to the switch with the least ahead. */
static uint32_t layers_roomiest(const struct layers *y, const struct layers_worker *w, uint32_t v)
{
    const struct hd_net *net = y->lv->net;
    uint32_t n = count_up(y, v), best = UINT32_MAX;
    uint64_t fewest = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = net->off[v] + y->up[net->off[v] + (w->rest[y->kind[v]] + i) % n], u = net->head[c];
        uint64_t here = (uint64_t)y->taken[net->rev[c]] << 32 | y->least[u];
        if (y->height[u] != y->height[v] || here >= fewest) continue;
        fewest = here;
        best = c;
    }
    return best;
}

static void layers_take(const struct layers *y, uint32_t v, uint32_t c)
{
    const struct hd_levels *lv = y->lv;
    y->taken[lv->net->rev[c]]++;
    y->least[v] = UINT32_MAX;
    for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++) {
        uint32_t here = y->taken[lv->net->rev[lv->up_chan[k]]];
        if (y->height[lv->net->head[lv->up_chan[k]]] == y->height[v] && here < y->least[v]) y->least[v] = here;
    }
}

static void layers_digits(const struct layers *y, struct layers_worker *w, uint64_t j)
{
    for (uint32_t i = 0; i < y->nvalue; i++) w->digit[i] = j / y->value[i];
    for (uint32_t i = 0; i < y->nkind; i++)
        w->rest[i] = y->kinds[i].n ? (uint32_t)(w->digit[y->kinds[i].part] % y->kinds[i].n) : 0;
}

/* From switch t of destination d as high as it goes. */
static void layers_find_main(const struct layers *y, const struct layers_worker *w, uint32_t d, uint32_t t)
{
    const struct hd_net *net = y->lv->net;
    uint32_t *climb = y->climb + (size_t)d * y->lv->top;
    for (uint32_t v = t, c; y->height[v] > net->level[v]; v = net->head[c]) {
        struct layers_goal goal = {.value = y->height, .want = y->height[v]};
        c = y->taken ? layers_roomiest(y, w, v) : net->off[v] + layers_pick_up(y, w, v, &goal);
        if (y->taken) layers_take(y, v, c);
        climb[net->level[v]] = c;
    }
}

static void layers_find_all(const struct layers *y, struct layers_worker *w)
{
    const struct hd_net *net = y->lv->net;
    for (uint32_t i = 0; i < y->r->nleaf; i++) {
        uint32_t t = y->r->leaf[i];
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            layers_digits(y, w, y->number[net->head[c] - net->nsw]);
            layers_find_main(y, w, net->head[c] - net->nsw, t);
        }
    }
}

/* The main path of destination d on switch t. */
static void layers_main(const struct layers *y, struct layers_worker *w, uint32_t d, uint32_t t)
{
    const struct hd_net *net = y->lv->net;
    w->first = w->top = net->level[t];
    w->main[w->top] = t;
    while (y->height[t] > w->top) {
        uint32_t c = y->climb[(size_t)d * y->lv->top + w->top], v = net->head[c];
        w->main[++w->top] = v;
        w->main_slot[w->top] = (uint8_t)(net->rev[c] - net->off[v]);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The entry of a switch that must climb to level turn, where the channel by rule does not meet the main path. */
static uint8_t layers_climb(const struct layers *y, const struct layers_worker *w, uint32_t v, uint32_t turn)
{
    const struct hd_net *net = y->lv->net;
    const struct layers_goal nearer = {.value = w->to, .want = (uint8_t)(w->to[v] - 1)};
    const struct layers_goal meeting = {.bits = turn <= w->top ? y->below + (size_t)w->main[turn] * y->words : NULL};
    const uint8_t by_rule = y->up[net->off[v] + w->rest[y->kind[v]]];
    if (meeting.bits && layers_serves(&meeting, v)) {
        uint8_t slot = layers_divert(y, w, v, &meeting);
        if (slot != HD_SLOT_NONE) return slot;
    }
    if (net->level[v] > 1 && layers_serves(&nearer, net->head[net->off[v] + by_rule])) return by_rule;
    return layers_divert(y, w, v, &nearer);
}

/* The entries of all switches that must climb. Nearly always the first channel to try leads to the main path. */
static void layers_climbers(const struct layers *y, const struct layers_worker *w, uint8_t *row)
{
    const struct hd_net *net = y->lv->net;
    const uint32_t *const off = net->off, *const head = net->head, *const kind = y->kind, *const rest = w->rest;
    for (uint32_t i = 0; i < w->nclimber; i++) {
        const uint32_t v = w->climber[i], turn = w->turn[i];
        const uint64_t *bits = turn <= w->top ? y->below + (size_t)w->main[turn] * y->words : NULL;
        const uint8_t slot = y->up[off[v] + rest[kind[v]]];
        const uint32_t u = head[off[v] + slot];
        const bool meets = bits && (bits[v / 64] >> v % 64 & 1) && (bits[u / 64] >> u % 64 & 1);
        row[v] = meets ? slot : layers_climb(y, w, v, turn);
    }
}

static void layers_row(const struct layers *y, struct layers_worker *w, uint32_t t, uint32_t d, uint8_t *row)
{
    const struct hd_net *net = y->lv->net;
    layers_digits(y, w, y->number[d]);
    layers_main(y, w, d, t);
    memcpy(row, w->base, net->nsw);
    for (uint32_t i = 0; i < w->nseveral; i++) {
        const uint32_t v = w->several[i];
        const struct layers_goal nearer = {.value = w->to, .want = (uint8_t)(w->to[v] - 1)};
        row[v] = layers_pick(y, w, v, y->down + net->off[v], count_down(y, v), &nearer);
    }
    layers_climbers(y, w, row);
    for (uint32_t l = w->first + 1; l <= w->top; l++) row[w->main[l]] = w->main_slot[l];
}

/* The only channel of v down to the target; HD_SLOT_NONE: there are several. */
static uint8_t layers_only(const struct layers *y, const struct layers_worker *w, uint32_t v)
{
    const struct hd_net *net = y->lv->net;
    const uint8_t *list = y->down + net->off[v];
    const uint32_t n = count_down(y, v);
    uint8_t only = HD_SLOT_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (w->to[net->head[net->off[v] + list[i]]] + 1u != w->to[v]) continue;
        if (only != HD_SLOT_NONE) return HD_SLOT_NONE;
        only = list[i];
    }
    return only;
}

/* What is the same for all endpoints of t: entries where one channel alone leads down, and which switches have to
 * choose among several or must climb. */
static void layers_prepare(const struct layers *y, struct layers_worker *w, uint32_t t)
{
    const struct hd_net *net = y->lv->net;
    w->nseveral = w->nclimber = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        w->base[v] = HD_SLOT_NONE;
        if (v == t || w->to[v] == HD_FAR) continue;
        if (!hd_levels_above(net->level[v], net->level[t], w->to[v])) {
            w->turn[w->nclimber] = (uint8_t)((w->to[v] + net->level[v] + net->level[t]) / 2u);
            w->climber[w->nclimber++] = v;
        } else if ((w->base[v] = layers_only(y, w, v)) == HD_SLOT_NONE)
            w->several[w->nseveral++] = v;
    }
}

static void layers_block(const struct layers *y, struct layers_worker *w, const uint32_t *target, uint32_t n)
{
    const struct hd_net *net = y->lv->net;
    hd_levels_cost(y->lv, target, n, w->cost);
    memset(w->diverted, 0, net->nchan * sizeof *w->diverted);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = target[i];
        for (uint32_t v = 0; v < net->nsw; v++) w->to[v] = w->cost[(size_t)v * HD_LEVELS_BLOCK + i];
        layers_prepare(y, w, t);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint8_t *row = hd_row(y->r, net->head[c] - net->nsw, 0);
            layers_row(y, w, t, net->head[c] - net->nsw, row);
            row[t] = (uint8_t)(c - net->off[t]);
        }
    }
}

static hd_status layers_worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct layers *y,
                                    struct layers_worker *w)
{
    uint32_t nsw = y->lv->net->nsw;
    *w = (struct layers_worker){.cost = HD_NEW(a, uint8_t, (size_t)nsw * HD_LEVELS_BLOCK),
                                .to = HD_NEW(a, uint8_t, nsw),
                                .base = HD_NEW(a, uint8_t, nsw),
                                .several = HD_NEW(a, uint32_t, nsw),
                                .climber = HD_NEW(a, uint32_t, nsw),
                                .turn = HD_NEW(a, uint8_t, nsw),
                                .diverted = HD_NEW(a, uint32_t, y->lv->net->nchan),
                                .rest = HD_NEW(a, uint32_t, y->nkind),
                                .digit = HD_NEW(a, uint64_t, y->nvalue)};
    return w->cost && w->to && w->base && w->several && w->climber && w->turn && w->diverted && w->rest && w->digit
               ? HD_OK
               : hd_fail_memory(ctx);
}

hd_status hd_dmodc_layers(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_levels *lv, const uint64_t *number,
                          struct hd_routes *r)
{
    struct layers y = {.lv = lv, .number = number, .r = r};
    int blocks = (int)(r->nleaf / HD_LEVELS_BLOCK) + 1, threads = hd_threads(ctx) < blocks ? hd_threads(ctx) : blocks;
    struct layers_worker *w = HD_NEW(a, struct layers_worker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    HD_TRY(layers_init(ctx, a, &y));
    for (int i = 0; i < threads; i++) HD_TRY(layers_worker_init(ctx, a, &y, &w[i]));
    layers_find_all(&y, &w[0]);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint32_t at = 0; at < r->nleaf; at += HD_LEVELS_BLOCK) {
        uint32_t n = r->nleaf - at < HD_LEVELS_BLOCK ? r->nleaf - at : HD_LEVELS_BLOCK;
        layers_block(&y, &w[hd_thread_id()], r->leaf + at, n);
    }
    return HD_OK;
}
