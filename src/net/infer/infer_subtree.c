/* SPDX-License-Identifier: BSD-2-Clause */
/* The subtrees of a PGFT, height by height: what switches of level <= l connect. Siblings are numbered by
 * their first leaf.
 *
 * Damage and empty places leave pieces. One without any leaf (line crossbars that nothing is plugged into)
 * comes in as many pieces as there are classes of level 2, since only leaves connect these: it is united with
 * a sibling that has none of the classes of its top, and so are the pieces of that. A subtree that lost its
 * parents takes a free place beside its equals, if a few cables would hang it there; otherwise it stays a
 * component, which makes a top level without switches. Cost: O(cables), plus the square of the
 * number of siblings for pieces, with a ceiling. */
#include "base/hash.h"
#include "base/status.h"
#include "net/infer/infer_tree.h"

#include <string.h>

enum {
    HANG_CABLES = 4,     /* a component that more cables would have to be missing from stays one */
    MAX_STEPS = 1 << 25, /* for uniting pieces; what has more of them is no tree worth the name */
};

/* ---- classes in a subtree ------------------------------------------------------------------- */

static uint32_t class_slot(const struct hd_pgft *t, uint64_t key)
{
    uint32_t i = (uint32_t)hd_hash_mix(key) & t->mask;
    while (t->taken[i] && t->taken[i] != key) i = (i + 1) & t->mask;
    return i;
}

static uint64_t class_key(struct hd_pgft *t, uint32_t subtree, uint32_t x)
{
    return ((uint64_t)subtree << 32 | hd_sets_find(t->set, x)) + 1;
}

static bool has_class(struct hd_pgft *t, uint32_t subtree, uint32_t x)
{
    return t->taken[class_slot(t, class_key(t, subtree, x))] != 0;
}

static void take_class(struct hd_pgft *t, uint32_t subtree, uint32_t x)
{
    uint64_t key = class_key(t, subtree, x);
    t->taken[class_slot(t, key)] = key;
    t->ntaken++;
}

/* ---- building ------------------------------------------------------------------------------ */

static bool make_height(struct hd_pgft *t, struct hd_subtrees *h, uint32_t room)
{
    return HD_NEW_U32(t->arena, room, &h->first, &h->parent, &h->digit, &h->kids, &h->kid, &h->next, &h->tops, &h->top);
}

static uint32_t add_subtree(struct hd_subtrees *h, uint32_t first)
{
    h->first[h->n] = first;
    h->kid[h->n] = h->top[h->n] = HD_NONE;
    return h->n++;
}

static void add_top(struct hd_pgft *t, struct hd_subtrees *h, uint32_t id, uint32_t y)
{
    t->subtree[y] = id;
    t->next_top[y] = h->top[id];
    h->top[id] = y;
    h->tops[id]++;
}

static void adopt(struct hd_subtrees *h, uint32_t id, struct hd_subtrees *lower, uint32_t kid)
{
    lower->parent[kid] = id;
    lower->digit[kid] = h->kids[id]++;
    lower->next[kid] = h->kid[id];
    h->kid[id] = kid;
}

/* ---- pieces -------------------------------------------------------------------------------- */

static bool has_leaf(const struct hd_pgft *t, uint32_t l, uint32_t id)
{
    return t->lv->of[t->at[l].first[id]] == 1;
}

/* Whether a and b, of height l, have no class in common at their tops. */
static bool are_disjoint(struct hd_pgft *t, uint32_t l, uint32_t a, uint32_t b)
{
    if (!t->at[l].tops[a] || t->ntaken > t->mask / 2 || t->steps > MAX_STEPS) return false;
    for (uint32_t x = t->at[l].top[a]; x != HD_NONE; x = t->next_top[x]) {
        t->steps++;
        if (has_class(t, b, x)) return false;
    }
    return true;
}

/* Moves what is in a over to b, both of height l, and unites their pieces where they are disjoint too. */
static void unite(struct hd_pgft *t, uint32_t l, uint32_t a, uint32_t b)
{
    struct hd_subtrees *h = &t->at[l], *lower = &t->at[l - 1];
    for (uint32_t x = h->top[a], next; x != HD_NONE; x = next) {
        next = t->next_top[x];
        take_class(t, b, x);
        add_top(t, h, b, x);
    }
    for (uint32_t kid = h->kid[a], next; kid != HD_NONE; kid = next) {
        uint32_t other = h->kid[b];
        next = lower->next[kid];
        while (other != HD_NONE && !are_disjoint(t, l - 1, kid, other)) other = lower->next[other];
        if (other != HD_NONE)
            unite(t, l - 1, kid, other);
        else
            adopt(h, b, lower, kid);
    }
    h->top[a] = h->kid[a] = HD_NONE;
    h->tops[a] = h->kids[a] = 0;
}

/* A subtree of height l without leaves goes to a sibling that it may be a piece of: one with leaves, which
 * lacks it because of damage, or another without. */
static bool join_sibling(struct hd_pgft *t, uint32_t l, uint32_t piece, uint32_t parent)
{
    if (has_leaf(t, l, piece)) return false;
    for (int leafy = 1; leafy >= 0; leafy--)
        for (uint32_t s = t->at[l + 1].kid[parent]; s != HD_NONE; s = t->at[l].next[s])
            if (has_leaf(t, l, s) == leafy && are_disjoint(t, l, piece, s)) {
                unite(t, l, piece, s);
                return true;
            }
    return false;
}

/* Cables from a switch of level l-1 up, at most. */
static uint32_t most_cables_up(const struct hd_pgft *t, uint32_t l)
{
    const struct hd_fabric *g = t->g;
    uint32_t most = 0;
    for (uint32_t i = t->lv->first[l]; i < t->lv->first[l + 1]; i++) {
        uint32_t x = t->lv->order[i], n = 0;
        for (uint32_t k = g->off[x]; k < g->off[x + 1]; k++)
            if (t->lv->of[g->to[k]] == l + 1) n += g->cables[k];
        if (n > most) most = n;
    }
    return most;
}

/* Subtrees of height l-1 that no switch of level l connects (parent HD_NONE) find a place at height l. */
static void hang_orphans(struct hd_pgft *t, uint32_t l)
{
    struct hd_subtrees *h = &t->at[l], *lower = &t->at[l - 1];
    uint32_t most = 0, with_tops = h->n, id = 0;
    uint64_t up = most_cables_up(t, l - 1);
    for (uint32_t i = 0; i < with_tops; i++)
        if (h->kids[i] > most) most = h->kids[i];
    for (uint32_t kid = 0; kid < lower->n; kid++) {
        if (lower->parent[kid] != HD_NONE) continue;
        while (id < with_tops && h->kids[id] >= most) id++;
        bool fits = id < with_tops && up * lower->tops[kid] <= HANG_CABLES;
        adopt(h, fits ? id : add_subtree(h, lower->first[kid]), lower, kid);
    }
}

/* The subtrees of height l from those of height l-1, united by the switches of level l. connected: the
 * disjoint sets they are so far; id: room to number their roots. */
static void grow_height(struct hd_pgft *t, uint32_t l, uint32_t *connected, uint32_t *id)
{
    memset(id, 0xff, t->g->n * sizeof *id);
    const struct hd_level_map *lv = t->lv;
    struct hd_subtrees *h = &t->at[l], *lower = &t->at[l - 1];
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
        uint32_t y = lv->order[i];
        for (uint32_t k = t->g->off[y]; k < t->g->off[y + 1]; k++)
            if (lv->of[t->g->to[k]] + 1 == l) hd_sets_join(connected, y, t->g->to[k]);
    }
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) id[hd_sets_find(connected, lv->order[i])] = HD_NONE - 1;
    for (uint32_t kid = 0; kid < lower->n; kid++) {
        uint32_t root = hd_sets_find(connected, lower->first[kid]);
        lower->parent[kid] = HD_NONE;
        if (id[root] == HD_NONE) continue;
        if (id[root] == HD_NONE - 1) id[root] = add_subtree(h, lower->first[kid]);
        lower->parent[kid] = id[root];
        if (!join_sibling(t, l - 1, kid, id[root])) adopt(h, id[root], lower, kid);
    }
    hang_orphans(t, l);
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
        uint32_t y = lv->order[i], root = hd_sets_find(connected, y);
        if (id[root] == HD_NONE - 1) id[root] = add_subtree(h, y);
        add_top(t, h, id[root], y);
    }
}

static bool grow_leaves(struct hd_pgft *t)
{
    const struct hd_level_map *lv = t->lv;
    uint32_t leaves = lv->first[2] - lv->first[1];
    if (!make_height(t, &t->at[1], leaves)) return false;
    for (uint32_t i = 0; i < leaves; i++) {
        uint32_t v = lv->order[lv->first[1] + i];
        add_top(t, &t->at[1], add_subtree(&t->at[1], v), v);
    }
    return true;
}

static hd_status report_clash(struct hd_pgft *t, uint32_t y, struct hd_reading *r)
{
    uint32_t x = 0;
    while (x == y || t->lv->of[x] != t->lv->of[y] || t->subtree[x] != t->subtree[y] ||
           hd_sets_find(t->set, x) != hd_sets_find(t->set, y))
        x++;
    return hd_departs(r, "switches '%.60s' and '%.60s' of level %u share parents although they are in the same subtree",
                      hd_node_label(t->net, x), hd_node_label(t->net, y), t->lv->of[y]);
}

hd_status hd_pgft_subtrees(struct hd_pgft *t, struct hd_reading *r)
{
    const struct hd_level_map *lv = t->lv;
    uint32_t *connected, *id;
    for (t->mask = 64; t->mask < 4 * (uint64_t)t->g->n; t->mask *= 2) continue;
    t->taken = HD_NEW(t->arena, uint64_t, t->mask--);
    if (!HD_NEW_U32(t->arena, t->g->n, &connected, &id) || !t->taken || !grow_leaves(t)) return hd_fail_memory(t->ctx);
    hd_sets_init(connected, t->g->n);
    for (uint32_t l = 2; l <= lv->top; l++) {
        if (!make_height(t, &t->at[l], t->at[l - 1].n + lv->first[l + 1] - lv->first[l])) return hd_fail_memory(t->ctx);
        grow_height(t, l, connected, id);
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t y = lv->order[i];
            if (!t->ups[y]) continue;
            if (has_class(t, t->subtree[y], y)) return report_clash(t, y, r);
            take_class(t, t->subtree[y], y);
        }
    }
    return HD_OK;
}
