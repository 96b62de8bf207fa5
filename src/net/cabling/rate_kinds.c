/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables by kind (rate_kinds.h). Where fewer than three quarters of a kind have the most frequent rate none is usual:
 * the fabric was built of two generations. Cables of switches that no endpoint uses are not counted. */
#include "net/cabling/rate_kinds.h"
#include "base/status.h"
#include "net/core/shape.h"

enum { KEYS = HD_ROLES << 16 };

/* Role and both levels: endpoints are the lower end, so they come first where roles are left aside. */
static uint32_t kind_key(const struct hd_net *net, uint32_t u, uint32_t v)
{
    const uint32_t x = net->level[u], y = net->level[v], end = u >= net->nsw ? u : v;
    const uint32_t role = end < net->nsw ? (uint32_t)HD_ROLE_HOST : net->ca_role[net->ca[end - net->nsw]];
    return (x < y ? x << 8 | y : y << 8 | x) * HD_ROLES + role;
}

static struct hd_rate_kind kind_from(uint32_t key)
{
    const uint32_t levels = key / HD_ROLES;
    return (struct hd_rate_kind){.level = {(uint8_t)(levels >> 8), (uint8_t)levels}, .role = (uint8_t)(key % HD_ROLES)};
}

static void kind_find_usual(struct hd_rate_kind *k)
{
    uint32_t all = 0, equal;
    const uint8_t best = hd_link_usual(k->often, &equal);
    for (uint32_t i = 1; i < HD_LINK_CODES; i++) all += k->often[i];
    if (4 * (uint64_t)equal >= 3 * (uint64_t)all) k->usual = best;
}

static hd_status kinds_fill(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t *number,
                            struct hd_rate_kinds *kinds)
{
    for (uint32_t c = 0; c < net->nchan; c++) number[kind_key(net, net->tail[c], net->head[c])] = 1;
    for (uint32_t key = 0; key < KEYS; key++)
        if (number[key]) number[key] = ++kinds->n;
    kinds->kind = HD_NEW(arena, struct hd_rate_kind, kinds->n);
    kinds->of = HD_NEW(arena, uint16_t, net->nchan);
    if (!kinds->kind || !kinds->of) return hd_fail_memory(ctx);
    for (uint32_t key = 0; key < KEYS; key++)
        if (number[key]) kinds->kind[number[key] - 1] = kind_from(key);
    for (uint32_t c = 0; c < net->nchan; c++) {
        kinds->of[c] = (uint16_t)(number[kind_key(net, net->tail[c], net->head[c])] - 1);
        if (net->rev[c] > c && !hd_is_unplaced(net, net->tail[c])) kinds->kind[kinds->of[c]].often[net->link[c]]++;
    }
    for (uint32_t i = 0; i < kinds->n; i++) kind_find_usual(&kinds->kind[i]);
    return HD_OK;
}

hd_status hd_rate_kinds_count(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                              struct hd_rate_kinds *kinds)
{
    struct hd_arena scratch = {0};
    *kinds = (struct hd_rate_kinds){0};
    uint32_t *number = HD_NEW(&scratch, uint32_t, KEYS);
    const hd_status s = number ? kinds_fill(ctx, arena, net, number, kinds) : hd_fail_memory(ctx);
    hd_arena_release(&scratch);
    return s;
}

const struct hd_rate_kind *hd_rate_kind_of(const struct hd_rate_kinds *kinds, const struct hd_net *net, uint32_t u,
                                           uint32_t v)
{
    const struct hd_rate_kind want = kind_from(kind_key(net, u, v));
    for (uint32_t i = 0; i < kinds->n; i++) {
        const struct hd_rate_kind *k = &kinds->kind[i];
        if (k->level[0] == want.level[0] && k->level[1] == want.level[1] && k->role == want.role) return k;
    }
    return NULL;
}

uint32_t hd_rate_kind_rates(const struct hd_rate_kind *kind)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < HD_LINK_CODES; i++) {
        const uint32_t rate = kind->often[i] ? hd_link_mbps((uint8_t)i) : 0;
        if (rate && first && rate != first) return 2;
        if (rate) first = rate;
    }
    return first != 0;
}
