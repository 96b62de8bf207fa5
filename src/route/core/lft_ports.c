/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables by switch from rows by destination: 64 LIDs at a time, so that what is written to a switch's table is whole
 * cache lines. Each thread has room for the rows of its 64 LIDs, which stored routes do not need. */
#include "route/core/lft_ports.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/routes.h"

enum { LFT_BLOCK = 64 };

struct lft_lid {
    uint32_t lid, node, variant;
};

struct lft_filler {
    const struct hd_routes *r;
    const struct lft_lid *lid;
    uint32_t nlid;
    const uint32_t *place;
    size_t stride;
    uint8_t *table;
};

struct lft_room { /* of one thread */
    uint8_t *rows, *dist;
    uint32_t *queue;
};

static void lft_fill_block(const struct lft_filler *f, const struct lft_room *room, uint32_t first)
{
    const struct hd_net *net = f->r->net;
    const uint32_t n = f->nlid - first < LFT_BLOCK ? f->nlid - first : LFT_BLOCK, nsw = net->nsw;
    const uint8_t *row[LFT_BLOCK];
    for (uint32_t i = 0; i < n; i++) {
        const struct lft_lid *l = &f->lid[first + i];
        uint8_t *own = room->rows + (size_t)i * nsw;
        if (l->node < nsw) hd_routes_switch_row_in(f->r, l->node, own, room->dist, room->queue);
        row[i] = l->node < nsw ? own : hd_routes_row(f->r, l->node - nsw, l->variant, own);
    }
    for (uint32_t v = 0; v < nsw; v++) {
        uint8_t *to = f->table + f->place[v] * f->stride;
        const uint8_t *port = net->port + net->off[v];
        const uint32_t degree = hd_degree(net, v);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t slot = row[i][v];
            to[f->lid[first + i].lid] = slot < degree ? port[slot] : HD_LFT_NO_PORT;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct lft_lid *l = &f->lid[first + i];
        if (l->node < nsw) f->table[f->place[l->node] * f->stride + l->lid] = 0;
    }
}

static struct lft_lid *lft_list(struct hd_arena *a, const struct hd_routes *r, const struct hd_lid_range *range,
                                uint32_t nrange, uint32_t *count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < nrange; i++) n += range[i].count;
    struct lft_lid *lid = HD_NEW(a, struct lft_lid, n);
    *count = n;
    if (!lid) return NULL;
    n = 0;
    for (uint32_t i = 0; i < nrange; i++)
        for (uint32_t k = 0; k < range[i].count; k++)
            lid[n++] = (struct lft_lid){range[i].lid + k, range[i].node, k % r->nvar};
    return lid;
}

hd_status hd_lft_ports(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_lid_range *range, uint32_t nrange,
                       const uint32_t *place, size_t stride, uint8_t *table)
{
    struct hd_arena scratch = {0};
    struct lft_filler f = {.r = r, .place = place, .stride = stride, .table = table};
    const size_t nsw = r->net->nsw, threads = (size_t)hd_threads(ctx);
    f.lid = lft_list(&scratch, r, range, nrange, &f.nlid);
    const struct lft_room all = {.rows = HD_NEW(&scratch, uint8_t, threads * LFT_BLOCK * nsw),
                                 .dist = HD_NEW(&scratch, uint8_t, threads * nsw),
                                 .queue = HD_NEW(&scratch, uint32_t, threads * nsw)};
    const hd_status s = f.lid && all.rows && all.dist && all.queue ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) {
#pragma omp parallel for schedule(dynamic) num_threads(hd_threads(ctx))
        for (uint32_t first = 0; first < f.nlid; first += LFT_BLOCK) {
            const size_t own = (size_t)hd_thread_id() * nsw;
            const struct lft_room room = {all.rows + own * LFT_BLOCK, all.dist + own, all.queue + own};
            lft_fill_block(&f, &room, first);
        }
    }
    hd_arena_release(&scratch);
    return s;
}
