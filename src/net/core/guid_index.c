/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/core/guid_index.h"
#include "base/status.h"

#include <stdlib.h>

struct hd_guid_entry {
    uint64_t guid;
    uint32_t number;
};

static int by_guid(const void *a, const void *b)
{
    const struct hd_guid_entry *x = a, *y = b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct hd_guid_entry *sorted(struct hd_arena *a, const uint64_t *guid, uint32_t n)
{
    struct hd_guid_entry *list = HD_NEW(a, struct hd_guid_entry, n);
    for (uint32_t i = 0; list && i < n; i++) list[i] = (struct hd_guid_entry){guid[i], i};
    if (list) qsort(list, n, sizeof *list, by_guid);
    return list;
}

hd_status hd_guid_index_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                             struct hd_guid_index *index)
{
    index->nsw = net->nsw;
    index->nep = net->nep;
    index->sw = sorted(arena, net->guid, net->nsw);
    index->ep = sorted(arena, net->guid + net->nsw, net->nep);
    return index->sw && index->ep ? HD_OK : hd_fail_memory(ctx);
}

static uint32_t find(const struct hd_guid_entry *list, uint32_t n, uint64_t guid)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (list[mid].guid < guid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && list[lo].guid == guid ? list[lo].number : UINT32_MAX;
}

uint32_t hd_guid_switch(const struct hd_guid_index *index, uint64_t guid)
{
    return find(index->sw, index->nsw, guid);
}

uint32_t hd_guid_endpoint(const struct hd_guid_index *index, uint64_t guid)
{
    return find(index->ep, index->nep, guid);
}

void hd_guid_switch_order(const struct hd_guid_index *index, uint32_t *order)
{
    for (uint32_t i = 0; i < index->nsw; i++) order[i] = index->sw[i].number;
}
