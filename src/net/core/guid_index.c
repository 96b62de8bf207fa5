/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes by GUID: two sorted lists, searched by halving. Files name thousands of GUIDs, so a pass per name would not do.
 * Cost: O(N log N) once, O(log N) per lookup. */
#include "net/core/guid_index.h"
#include "base/status.h"

static struct hd_keyed *guid_sorted(struct hd_arena *a, const uint64_t *guid, uint32_t n)
{
    struct hd_keyed *list = HD_NEW(a, struct hd_keyed, n);
    for (uint32_t i = 0; list && i < n; i++) list[i] = (struct hd_keyed){guid[i], i};
    if (list) hd_keyed_sort(list, n, sizeof *list);
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

static uint32_t guid_find(const struct hd_keyed *list, uint32_t n, uint64_t guid)
{
    uint32_t i = hd_find_key(list, n, sizeof *list, guid);
    return i < n ? list[i].value : UINT32_MAX;
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
    for (uint32_t i = 0; i < index->nsw; i++) order[i] = index->sw[i].value;
}
