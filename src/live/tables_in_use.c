/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches do with a packet depends on its LID alone, and on what is written in them: not on who had the LID when
 * the entry was written, nor on what the worker handed over last. Writes that were lost, tables of another routing
 * engine and LIDs that moved from one port to another all show in the tables of the request. Routes of those are the
 * ones handed over, which know VLs and variants, with every entry read by LID. Cost: O(table), in parallel, in blocks
 * of destinations, since the request has its tables by switch and routes have theirs by destination. */
#include "live/tables_in_use.h"
#include "base/status.h"
#include "base/threads.h"
#include "net/core/guid_index.h"
#include "route/core/routes_build.h"

#include <stdlib.h>
#include <string.h>

enum { USE_BLOCK = 64 }; /* rows that are filled together */

hd_status hd_tables_in_use(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_fabric_parts *request,
                           const struct hd_net *net, struct hd_tables_in_use *use)
{
    struct hd_guid_index guids;
    *use = (struct hd_tables_in_use){.net = net, .request = request};
    use->place = HD_NEW(a, uint32_t, net->nsw);
    use->slot_of = HD_NEW(a, uint8_t, (size_t)net->nsw * 256);
    if (!use->place || !use->slot_of) return hd_fail_memory(ctx);
    HD_TRY(hd_guid_index_init(ctx, a, net, &guids));
    for (uint32_t i = 0; i < request->head->switches; i++) {
        const uint32_t v = hd_guid_switch(&guids, request->node[i].guid);
        if (v != UINT32_MAX) use->place[v] = i;
    }
    memset(use->slot_of, HD_SLOT_NONE, (size_t)net->nsw * 256);
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            use->slot_of[v * (size_t)256 + net->port[c]] = (uint8_t)(c - net->off[v]);
    return HD_OK;
}

void hd_tables_in_use_rows(const struct hd_tables_in_use *use, const uint32_t *lid, uint8_t *const *row, uint32_t n)
{
    const size_t lids = use->request->head->last_lid + (size_t)1;
    for (uint32_t v = 0; v < use->net->nsw; v++) {
        const uint8_t *table = use->request->table + use->place[v] * lids, *slot = use->slot_of + v * (size_t)256;
        for (uint32_t i = 0; i < n; i++) row[i][v] = slot[lid[i] && lid[i] < lids ? table[lid[i]] : HD_FABRIC_NO_PORT];
    }
}

/* LID x of endpoint e; 0: it has none. */
static uint32_t use_lid(const struct hd_net *net, uint32_t e, uint32_t x)
{
    const uint32_t base = net->lid[net->nsw + e];
    return base && x < 1u << net->lmc_of[e] ? base + x : 0;
}

bool hd_tables_in_use_repeat(const struct hd_fabric_parts *request, const struct hd_net *net, uint32_t nvar)
{
    const size_t lids = request->head->last_lid + (size_t)1;
    for (uint32_t i = 0; net->lmc && i < request->head->switches; i++) {
        const uint8_t *table = request->table + i * lids;
        for (uint32_t e = 0; e < net->nep; e++)
            for (uint32_t x = nvar, lid; (lid = use_lid(net, e, x)) != 0; x++)
                if (lid >= lids || table[lid] != table[use_lid(net, e, x % nvar)]) return false;
    }
    return true;
}

/* The rows of a block replaced; whether any entry was another one. Row i is variant i % nvar of endpoint i / nvar. */
static bool use_block(const struct hd_tables_in_use *use, struct hd_routes *r, uint64_t first, uint64_t rows,
                      uint8_t *before)
{
    const uint32_t nvar = hd_routes_variants(r), n = rows - first < USE_BLOCK ? (uint32_t)(rows - first) : USE_BLOCK;
    const size_t nsw = use->net->nsw;
    uint32_t lid[USE_BLOCK] = {0};
    uint8_t *row[USE_BLOCK] = {NULL};
    bool other = false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t e = (uint32_t)((first + i) / nvar), x = (uint32_t)((first + i) % nvar);
        lid[i] = use_lid(use->net, e, x);
        row[i] = hd_routes_entries(r, e, x);
        memcpy(before + i * nsw, row[i], nsw);
    }
    hd_tables_in_use_rows(use, lid, row, n);
    for (uint32_t i = 0; i < n; i++) other |= memcmp(before + i * nsw, row[i], nsw) != 0;
    return other;
}

hd_status hd_tables_in_use_routes(struct hd_ctx *ctx, const struct hd_fabric_parts *request, const struct hd_net *net,
                                  const struct hd_routes *handed_over, struct hd_routes **out)
{
    struct hd_arena scratch = {0};
    struct hd_tables_in_use use;
    struct hd_routes *r = NULL;
    const int threads = hd_threads(ctx);
    const size_t room = (size_t)USE_BLOCK * net->nsw;
    uint8_t *before = HD_NEW(&scratch, uint8_t, (size_t)threads * room);
    bool other = false;
    hd_status s = before ? hd_tables_in_use(ctx, &scratch, request, net, &use) : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_routes_carry(ctx, handed_over, net, &r);
    if (s == HD_OK) {
        const uint64_t rows = (uint64_t)net->nep * hd_routes_variants(r);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(|| : other)
        for (uint64_t first = 0; first < rows; first += USE_BLOCK)
            other = use_block(&use, r, first, rows, before + (size_t)hd_thread_id() * room) || other;
        if (other) hd_routes_vls_unknown(r);
    }
    hd_arena_release(&scratch);
    return hd_routes_give(s, r, out);
}
