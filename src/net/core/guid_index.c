/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes by GUID: two sorted lists, searched by halving. Files name thousands of GUIDs, so a pass per name would not do.
 * Cost: O(N log N) once, O(log N) per lookup. */
#include "net/core/guid_index.h"
#include "base/lower_bound.h"
#include "base/status.h"

#include <stdlib.h>

struct hd_guid_entry {
    uint64_t guid; /* first: the key of hd_find_key */
    uint32_t number;
};

static int guid_index_by_guid(const void *a, const void *b)
{
    const struct hd_guid_entry *x = a, *y = b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct hd_guid_entry *guid_sorted(struct hd_arena *a, const uint64_t *guid, uint32_t n)
{
    struct hd_guid_entry *list = HD_NEW(a, struct hd_guid_entry, n);
    for (uint32_t i = 0; list && i < n; i++) list[i] = (struct hd_guid_entry){guid[i], i};
    if (list) qsort(list, n, sizeof *list, guid_index_by_guid);
    return list;
}

hd_status hd_guid_index_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                             struct hd_guid_index *index)
{
    index->nsw = net->nsw;
    index->nep = net->nep;
    index->sw = guid_sorted(arena, net->guid, net->nsw);
    index->ep = guid_sorted(arena, net->guid + net->nsw, net->nep);
    return index->sw && index->ep ? HD_OK : hd_fail_memory(ctx);
}

static uint32_t guid_find(const struct hd_guid_entry *list, uint32_t n, uint64_t guid)
{
    uint32_t i = hd_find_key(list, n, sizeof *list, guid);
    return i < n ? list[i].number : UINT32_MAX;
}

uint32_t hd_guid_switch(const struct hd_guid_index *index, uint64_t guid)
{
    return guid_find(index->sw, index->nsw, guid);
}

uint32_t hd_guid_endpoint(const struct hd_guid_index *index, uint64_t guid)
{
    return guid_find(index->ep, index->nep, guid);
}

void hd_guid_switch_order(const struct hd_guid_index *index, uint32_t *order)
{
    for (uint32_t i = 0; i < index->nsw; i++) order[i] = index->sw[i].number;
}
