/* SPDX-License-Identifier: BSD-2-Clause */
/* LIDs of networks that consist of several subnets. Most networks have one, so everything here runs only after a plain
 * search has found a LID twice. Parts are numbered greedily: each gets the lowest number whose LIDs so far leave room
 * for its own, so that parts which share no LID, such as switches without cables, need no numbers of their own.
 * Cost: O(n log n), and O(n) more for every number. */
#include "net/core/lid_claims.h"
#include "base/status.h"

#include <string.h>

enum { LID_BYTES = 65536 / 8 };

bool hd_lid_collision(struct hd_lid_item *item, uint32_t n, struct hd_lid_item *early, struct hd_lid_item *late)
{
    hd_keyed_sort(item, n, sizeof *item);
    for (uint32_t i = 1; i < n; i++) {
        struct hd_lid_item *a = &item[i - 1], *b = &item[i];
        if (a->at.key >> 16 != b->at.key >> 16 || a->at.key + a->count <= b->at.key) continue;
        *early = a->at.value < b->at.value ? *a : *b;
        *late = a->at.value < b->at.value ? *b : *a;
        return true;
    }
    return false;
}

/* Whether one of the LIDs of a node is in the set. */
static bool lids_meet(const unsigned char *set, const struct hd_net *net, uint32_t v)
{
    const uint32_t first = net->lid[v], end = first ? first + hd_lid_count(net, v) : 0;
    for (uint32_t lid = first; lid < end; lid++)
        if (set[lid / 8] >> lid % 8 & 1) return true;
    return false;
}

static void lids_add(unsigned char *set, const struct hd_net *net, uint32_t v)
{
    const uint32_t first = net->lid[v], end = first ? first + hd_lid_count(net, v) : 0;
    for (uint32_t lid = first; lid < end; lid++) set[lid / 8] |= (unsigned char)(1 << lid % 8);
}

static bool lids_distinct(const struct hd_net *net)
{
    unsigned char seen[LID_BYTES] = {0};
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        if (lids_meet(seen, net, v)) return false;
        lids_add(seen, net, v);
    }
    return true;
}

/* The nodes of a part that have LIDs. */
struct lid_part {
    const struct hd_keyed *at; /* by part; the value is the node */
    uint32_t n;
};

/* The lowest number whose LIDs leave room for those of the part. */
static uint32_t first_fit_subnet(const struct hd_net *net, unsigned char *const *taken, uint32_t count,
                                 struct lid_part part)
{
    for (uint32_t s = 0; s < count; s++) {
        uint32_t i = 0;
        while (i < part.n && !lids_meet(taken[s], net, part.at[i].value)) i++;
        if (i == part.n) return s;
    }
    return count;
}

static hd_status number_subnets(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net,
                                uint32_t *number)
{
    uint32_t nodes = net->nsw + net->nep, nparts, count = 0, n = 0;
    struct hd_keyed *by_part = HD_NEW(scratch, struct hd_keyed, nodes);
    uint32_t *part_of = HD_NEW(scratch, uint32_t, nodes);
    if (!by_part || !part_of) return hd_fail_memory(ctx);
    HD_TRY(hd_net_parts(ctx, net, part_of, &nparts));
    unsigned char **taken = HD_NEW(scratch, unsigned char *, nparts);
    if (!taken) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < nodes; v++)
        if (net->lid[v]) by_part[n++] = (struct hd_keyed){part_of[v], v};
    hd_keyed_sort(by_part, n, sizeof *by_part);
    for (uint32_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && by_part[end].key == by_part[first].key;) end++;
        uint32_t s = first_fit_subnet(net, taken, count, (struct lid_part){by_part + first, end - first});
        if (s == count && !(taken[count++] = HD_NEW(scratch, unsigned char, LID_BYTES))) return hd_fail_memory(ctx);
        for (uint32_t i = first; i < end; i++) lids_add(taken[s], net, by_part[i].value);
        number[by_part[first].key] = s;
    }
    for (uint32_t v = nodes; v-- > 0;) part_of[v] = number[part_of[v]];
    memcpy(number, part_of, nodes * sizeof *number);
    return HD_OK;
}

hd_status hd_lid_subnets(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t **subnet_of)
{
    struct hd_arena scratch = {0};
    *subnet_of = NULL;
    if (lids_distinct(net)) return HD_OK;
    uint32_t *number = HD_NEW(arena, uint32_t, net->nsw + net->nep);
    hd_status s = number ? number_subnets(ctx, &scratch, net, number) : hd_fail_memory(ctx);
    hd_arena_release(&scratch);
    if (s == HD_OK) *subnet_of = number;
    return s;
}
