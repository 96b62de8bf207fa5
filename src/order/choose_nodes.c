/* SPDX-License-Identifier: BSD-2-Clause */
/* Choosing nodes for a job. On a tree a set is balanced when every subtree in use holds equally many subtrees in
 * use, down to leaves with c nodes each: pods x leaves x c positions, of which the job leaves a few empty at the
 * end. Such a set fits virtual slots without further holes. All factorisations are tried; the fewest slots win,
 * then the fewest leaves. On two levels, sets in which keys occur equally often fit as well. Where nothing
 * balanced is large enough, or off trees, the fullest leaves are taken.
 * O(levels * nodes) for each of at most m_1 .. m_{h-1} factorisations. */
#include "base/c_locale.h"
#include "base/keyed.h"
#include "base/status.h"
#include "order/shift_keys.h"
#include "order/job_view.h"
#include "order/order_check.h"

#include <stdio.h>
#include <string.h>

struct choose_form {
    uint64_t slots;
    uint32_t each[HD_MAX_DIM + 1]; /* [0] nodes a leaf, [l] subtrees of height l in one of height l+1 */
    uint32_t tops;                 /* subtrees of the largest height */
    bool by_key;
};

struct chooser {
    const struct hd_job_view *view;
    struct hd_keys keys;
    uint32_t size;
    uint32_t *count; /* [n] scratch: usable children of each subtree */
    struct choose_form best, now;
    uint32_t leaves; /* of best */
};

/* Usable subtrees of the largest height under now.each; marks usable[l][subtree] if given. */
static uint32_t usable_tops(struct chooser *k, bool *const *usable)
{
    const struct hd_keys *keys = &k->keys;
    uint32_t tops = 0, n = keys->n;
    for (uint32_t l = 0; l < keys->levels; l++) {
        memset(k->count, 0, keys->nsub[l] * sizeof *k->count);
        for (uint32_t i = 0; i < n; i++) { /* count nodes of a leaf, or usable subtrees once each */
            uint32_t v = keys->tree[i], before = i ? keys->tree[i - 1] : v;
            bool first = l == 0 || i == 0 || keys->sub[l - 1][v] != keys->sub[l - 1][before];
            if (first && (l == 0 || usable[l - 1][keys->sub[l - 1][v]])) k->count[keys->sub[l][v]]++;
        }
        for (uint32_t x = 0; x < keys->nsub[l]; x++) {
            usable[l][x] = k->count[x] >= k->now.each[l];
            if (l + 1 == keys->levels) tops += usable[l][x];
        }
    }
    return tops;
}

static void try_form(struct chooser *k, bool *const *usable)
{
    uint64_t unit = 1, leaves = 1;
    for (uint32_t l = 0; l < k->keys.levels; l++) unit *= k->now.each[l];
    for (uint32_t l = 1; l < k->keys.levels; l++) leaves *= k->now.each[l];
    k->now.tops = (uint32_t)((k->size + unit - 1) / unit);
    k->now.slots = unit * k->now.tops;
    leaves *= k->now.tops;
    bool better = k->now.slots < k->best.slots || (k->now.slots == k->best.slots && leaves < k->leaves);
    if (!better || usable_tops(k, usable) < k->now.tops) return;
    k->best = k->now;
    k->leaves = (uint32_t)leaves;
}

static void choose_try_all(struct chooser *k, uint32_t l, uint64_t product, bool *const *usable)
{
    if (l == k->keys.levels) {
        try_form(k, usable);
        return;
    }
    uint32_t most = k->view->net->shape.m[l];
    for (uint32_t c = 1; c <= most && product * c < 2 * (uint64_t)k->size; c++) {
        k->now.each[l] = c;
        choose_try_all(k, l + 1, product * c, usable);
    }
}

/* Two levels: keys that occur c times each. */
static void try_keys(struct chooser *k)
{
    const struct hd_keys *keys = &k->keys;
    if (keys->levels != 1) return;
    memset(k->count, 0, keys->nkey[0] * sizeof *k->count);
    for (uint32_t i = 0; i < keys->n; i++) k->count[keys->key[0][i]]++;
    for (uint32_t c = 1; c <= k->size; c++) {
        uint32_t need = (k->size + c - 1) / c, have = 0;
        for (uint32_t x = 0; x < keys->nkey[0]; x++) have += k->count[x] >= c;
        if (have < need || (uint64_t)need * c >= k->best.slots) continue;
        k->best = (struct choose_form){.slots = (uint64_t)need * c, .each = {c}, .tops = need, .by_key = true};
    }
}

/* Takes nodes in tree order, as many of each usable subtree as the form says, until there are enough. */
static uint32_t take_balanced(struct chooser *k, bool *const *usable, uint32_t *which)
{
    const struct hd_keys *keys = &k->keys;
    uint32_t taken[HD_MAX_DIM + 1] = {0}, tops = 0, n = 0;
    bool inside[HD_MAX_DIM + 1] = {false};
    k->now = k->best;
    usable_tops(k, usable);
    for (uint32_t i = 0; i < keys->n && n < k->size; i++) {
        uint32_t v = keys->tree[i];
        bool in = true;
        for (uint32_t l = keys->levels; l-- > 0 && in;) { /* entering a subtree resets what is below it */
            bool enters = i == 0 || keys->sub[l][v] != keys->sub[l][keys->tree[i - 1]];
            if (enters) {
                uint32_t *used = l + 1 == keys->levels ? &tops : &taken[l + 1];
                uint32_t limit = l + 1 == keys->levels ? k->best.tops : k->best.each[l + 1];
                inside[l] = usable[l][keys->sub[l][v]] && *used < limit;
                *used += inside[l];
                taken[l] = 0;
            }
            in = inside[l];
        }
        if (in && taken[0] < k->best.each[0]) {
            taken[0]++;
            which[n++] = v;
        }
    }
    return n;
}

static uint32_t take_keys(struct chooser *k, uint32_t *which)
{
    const struct hd_keys *keys = &k->keys;
    uint32_t n = 0, used = 0, c = k->best.each[0];
    memset(k->count, 0, keys->nkey[0] * sizeof *k->count);
    for (uint32_t i = 0; i < keys->n; i++) k->count[keys->key[0][i]]++;
    for (uint32_t x = 0; x < keys->nkey[0]; x++)
        k->count[x] = k->count[x] >= c && used < k->best.tops ? (used++, c) : 0;
    for (uint32_t i = 0; i < keys->n && n < k->size; i++) {
        uint32_t v = keys->tree[i], *left = &k->count[keys->key[0][v]];
        if (!*left) continue;
        --*left;
        which[n++] = v;
    }
    return n;
}

static hd_status take_fullest(struct hd_ctx *ctx, struct hd_arena *a, struct chooser *k, uint32_t *which)
{
    const struct hd_job_view *view = k->view;
    struct hd_keyed *leaf = HD_NEW(a, struct hd_keyed, view->nleaf); /* key: so many nodes less than there are */
    bool *take = HD_NEW(a, bool, view->nleaf);
    uint32_t total = 0, n = 0, nrail = view->nodes->nrail;
    if (!leaf || !take) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < view->nleaf; i++) leaf[i] = (struct hd_keyed){k->keys.n, i};
    for (uint32_t i = 0; i < k->keys.n; i++) leaf[view->leaf[(size_t)i * nrail]].key--;
    hd_keyed_sort(leaf, view->nleaf, sizeof *leaf);
    for (uint32_t i = 0; i < view->nleaf && total < k->size; i++) {
        take[leaf[i].value] = true;
        total += k->keys.n - (uint32_t)leaf[i].key;
    }
    for (uint32_t i = 0; i < k->keys.n && n < k->size; i++)
        if (take[view->leaf[(size_t)k->keys.tree[i] * nrail]]) which[n++] = k->keys.tree[i];
    return HD_OK;
}

static void choose_explain(const struct chooser *k, struct hd_advice *advice)
{
    char *at = advice->why, *end = advice->why + sizeof advice->why;
    const struct choose_form *f = &k->best;
    if (f->by_key) {
        at += snprintf(at, (size_t)(end - at), "%u up ports that %u nodes each use", f->tops, f->each[0]);
    } else {
        at += snprintf(at, (size_t)(end - at), "%u", f->tops);
        for (uint32_t l = k->keys.levels; l-- > 1 && at < end;)
            at += snprintf(at, (size_t)(end - at), " subtrees of %u", f->each[l]);
        if (at < end) at += snprintf(at, (size_t)(end - at), " leaves of %u nodes", f->each[0]);
    }
    if (at < end && f->slots == k->size && k->keys.exact)
        snprintf(at, (size_t)(end - at), ": a plain Shift has HSD 1 in the order for alltoall");
    else if (at < end && k->keys.exact)
        hd_format(at, (size_t)(end - at), " less %llu: a Shift over %llu slots has effective HSD %.3f",
                  (unsigned long long)(f->slots - k->size), (unsigned long long)f->slots, advice->effective);
}

static hd_status choose(struct hd_ctx *ctx, struct hd_arena *a, struct chooser *k, uint32_t *which,
                        struct hd_advice *advice)
{
    uint32_t n = k->keys.n, taken = 0;
    bool *usable[HD_MAX_DIM] = {0};
    k->count = HD_NEW(a, uint32_t, (size_t)n + 1);
    if (!k->count) return hd_fail_memory(ctx);
    for (uint32_t l = 0; l < k->keys.levels; l++)
        if (!(usable[l] = HD_NEW(a, bool, k->keys.nsub[l]))) return hd_fail_memory(ctx);
    k->best.slots = UINT64_MAX;
    if (k->keys.levels) {
        choose_try_all(k, 0, 1, usable);
        try_keys(k);
    }
    bool balanced = k->best.slots != UINT64_MAX;
    *advice = (struct hd_advice){.slots = k->size, .effective = 1};
    if (!balanced) {
        snprintf(advice->why, sizeof advice->why, "the fullest leaves");
        return take_fullest(ctx, a, k, which);
    }
    taken = k->best.by_key ? take_keys(k, which) : take_balanced(k, usable, which);
    if (taken < k->size) return hd_fail(ctx, HD_LIMIT, "internal: %u nodes chosen of %u", taken, k->size);
    advice->slots = k->best.slots;
    if (k->size > 1) advice->effective = (double)(k->best.slots - 1) / (k->size - 1);
    choose_explain(k, advice);
    return HD_OK;
}

hd_status hd_order_choose(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *free_nodes,
                          uint32_t size, uint32_t *which, struct hd_advice *advice)
{
    struct hd_arena a = {0};
    struct hd_job_view view;
    struct chooser k = {.view = &view, .size = size};
    if (size > free_nodes->n) return hd_fail(ctx, HD_INPUT, "%u nodes wanted, %u are free", size, free_nodes->n);
    hd_status s = hd_job_view_init(ctx, &a, r, free_nodes, &view);
    if (s == HD_OK) s = hd_keys_init(ctx, &a, &view, &k.keys);
    if (s == HD_OK) s = choose(ctx, &a, &k, which, advice);
    hd_arena_release(&a);
    return s;
}

/* ---- two jobs --------------------------------------------------------------------------------- */

static hd_status choose_load_of(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r,
                                const struct hd_nodes *nodes, uint64_t **load)
{
    struct hd_job_view view;
    HD_TRY(hd_job_view_init(ctx, a, r, nodes, &view));
    if (!view.single) return hd_fail_na(ctx, "isolation", hd_routes_spec(r), "pairs use several paths at once");
    *load = HD_NEW(a, uint64_t, (size_t)view.net->nchan + 1);
    return *load ? hd_job_view_loads(ctx, &view, *load) : hd_fail_memory(ctx);
}

static hd_status check_apart(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_nodes *x, const struct hd_nodes *y)
{
    HD_TRY(hd_nodes_check(ctx, y, x->net));
    bool *used = HD_NEW(a, bool, x->net->nhost);
    if (!used) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < x->n; i++) used[x->host[i]] = true;
    for (uint32_t i = 0; i < y->n; i++)
        if (used[y->host[i]])
            return hd_fail(ctx, HD_INPUT, "node %.80s is in both jobs", hd_host_name(x->net, y->host[i]));
    return HD_OK;
}

hd_status hd_order_shared(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *x,
                          const struct hd_nodes *y, struct hd_shared *shared)
{
    struct hd_arena a = {0};
    uint64_t *first = NULL, *second = NULL, most = 0;
    hd_status s = check_apart(ctx, &a, x, y);
    if (s == HD_OK) s = choose_load_of(ctx, &a, r, x, &first);
    if (s == HD_OK) s = choose_load_of(ctx, &a, r, y, &second);
    if (s == HD_OK) {
        *shared = (struct hd_shared){0, 0};
        for (uint32_t c = 0; c < x->net->nchan; c++) {
            if (!first[c] || !second[c]) continue;
            shared->channels++;
            if (first[c] + second[c] <= most) continue;
            most = first[c] + second[c];
            shared->worst = c;
        }
    }
    hd_arena_release(&a);
    return s;
}
