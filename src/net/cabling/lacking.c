/* SPDX-License-Identifier: BSD-2-Clause */
/* A cable in the wrong place leaves its own place empty, as if one were missing. Cables that are to be moved are sorted
 * by the pair of switches that they belong to. */
#include "net/cabling/lacking.h"
#include "base/arena.h"
#include "base/keyed.h"
#include "base/status.h"

struct lacking_work {
    struct hd_keyed *moved; /* by the two switches that a cable will connect */
    uint32_t n;
    void (*lacking)(void *user, uint32_t u, uint32_t v, uint32_t k);
    void *user;
};

static uint64_t lacking_pair(uint32_t u, uint32_t v)
{
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

static void lacking_add_moved(struct lacking_work *w, const struct hd_net *net, struct hd_plug a, struct hd_plug b)
{
    if (a.node >= net->nsw || b.node >= net->nsw) return;
    w->moved[w->n++].key = lacking_pair(a.node, b.node);
}

static void lacking_missing(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    const struct lacking_work *w = user;
    const uint64_t key = lacking_pair(u, v);
    for (uint32_t i = hd_lower_bound(w->moved, w->n, sizeof *w->moved, key); k && i < w->n && w->moved[i].key == key;
         i++)
        k--;
    if (k) w->lacking(w->user, u, v, k);
}

hd_status hd_shape_each_lacking(struct hd_ctx *ctx, const struct hd_net *net,
                                void (*lacking)(void *user, uint32_t u, uint32_t v, uint32_t k), void *user)
{
    const struct hd_cabling *cabling;
    struct hd_arena scratch = {0};
    if (!net->shape.missing) return HD_OK;
    HD_TRY(hd_net_cabling(ctx, net, &cabling));
    struct lacking_work w = {
        .moved = HD_NEW(&scratch, struct hd_keyed, 2 * (size_t)cabling->n), .lacking = lacking, .user = user};
    if (!w.moved) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        if (f->kind == HD_CABLING_SWAPPED) {
            lacking_add_moved(&w, net, f->from, f->to2);
            lacking_add_moved(&w, net, f->from2, f->to);
        } else if (f->kind == HD_CABLING_WRONG) {
            lacking_add_moved(&w, net, f->from2, f->to2);
        }
    }
    hd_keyed_sort(w.moved, w.n, sizeof *w.moved);
    const hd_status s = hd_shape_each_missing(ctx, net, lacking_missing, &w);
    hd_arena_release(&scratch);
    return s;
}
