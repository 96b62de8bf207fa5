/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts by cabling. An adapter that nobody named ("MT4129 ConnectX7   Mellanox Technologies", "localhost mlx5_0") is at
 * a switch port like those of its neighbours, and people cable by rule: the adapters of a host take the same port of
 * several leaf switches (rails), or adjacent ports of one. Both are one rule, learnt from the hosts that have names:
 *   1  Leaf switches with the same hosts are a group. An edge between two of them needs at least half as many hosts as
 *      the strongest edge of either, so that a swapped cable joins no groups.
 *   2  A host has q ports on each of its leaf switches, and its first port is a multiple of q plus an offset; q and the
 *      offset are what most hosts have. Its slot is the group and the number of the block of q ports.
 *   3  If three of four hosts with most of their ports, and four at least, lie in one slot, the rule holds.
 * Then the nameless endpoints of a slot are one host, that with a name if the slot is home to exactly one. Adapters of
 * one card have GUIDs next to each other: where that distinguishes named hosts nearly always, it joins nameless ones
 * first. No set gets two names, two cables at one place or more endpoints than hosts usually have. The rules are our
 * own; O(n log n). */
#include "net/core/host_slots.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "net/core/kinds.h"

#include <string.h>

enum {
    CARD = 16,     /* adapters of one card have GUIDs closer than this */
    FEW_HOSTS = 4, /* the least that make a rule */
    NEARLY = 20    /* GUIDs are trusted if they are wrong at most once in so many cases */
};

struct slot_search {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    const struct hd_net *net;
    const struct hd_host_slots *in;
    uint32_t *own, *ports;    /* [nhost] endpoints of a host; of the set that it is the root of */
    uint32_t *member, *next;  /* [nhost], [nep] endpoints of the set, UINT32_MAX: no more */
    uint32_t *named;          /* [nhost] the host with a name of this set, UINT32_MAX: none */
    uint32_t *up;             /* [nhost] sets of hosts */
    uint32_t *group;          /* [nsw] sets of leaf switches */
    struct hd_keyed *by_leaf; /* [nep] endpoints of machines: host and leaf switch, then port */
    uint32_t n, usual, each, offset;
};

static uint32_t slot_port(const struct hd_net *net, uint32_t e)
{
    return net->port[net->rev[net->off[net->nsw + e]]];
}

/* A host with a name and most of its ports. */
static bool slot_teaches(const struct slot_search *k, uint32_t h)
{
    return !k->in->nameless[h] && k->own[h] > 1 && 2 * k->own[h] > k->usual;
}

static hd_status slots_init(struct slot_search *k)
{
    const struct hd_net *net = k->net;
    uint32_t nhost = k->in->nhost, often[256] = {0};
    k->group = HD_NEW(k->arena, uint32_t, net->nsw);
    k->by_leaf = HD_NEW(k->arena, struct hd_keyed, net->nep);
    if (!k->group || !k->by_leaf || !HD_NEW_U32(k->arena, nhost, &k->own, &k->ports, &k->member, &k->named, &k->up) ||
        !(k->next = HD_NEW(k->arena, uint32_t, net->nep)))
        return hd_fail_memory(k->ctx);
    memset(k->member, 0xff, nhost * sizeof *k->member);
    hd_sets_init(k->group, net->nsw);
    hd_sets_init(k->up, nhost);
    for (uint32_t e = 0; e < net->nep; e++) {
        if (!hd_role_is_machine(net->ca_role[net->ca[e]])) continue;
        k->next[e] = k->member[k->in->host[e]];
        k->member[k->in->host[e]] = e;
        k->ports[k->in->host[e]]++;
        k->by_leaf[k->n++] = (struct hd_keyed){(uint64_t)k->in->host[e] << 32 | hd_leaf(net, e), slot_port(net, e)};
    }
    hd_keyed_sort(k->by_leaf, k->n, sizeof *k->by_leaf);
    for (uint32_t h = 0; h < nhost; h++) {
        k->own[h] = k->ports[h];
        k->named[h] = k->in->nameless[h] ? UINT32_MAX : h;
        if (!k->in->nameless[h]) often[k->ports[h]] += k->ports[h]; /* at most 255, one per rail */
    }
    for (uint32_t i = 2; i < 256; i++)
        if (often[i] && often[i] >= often[k->usual]) k->usual = i;
    return HD_OK;
}

/* ---- the rule ------------------------------------------------------------------------------ */

/* Cables of a host on one leaf switch, and where their blocks begin. */
static void slots_learn_blocks(struct slot_search *k)
{
    uint32_t often[256] = {0}, begins[256] = {0};
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0, j; i < k->n; i = j) {
            for (j = i + 1; j < k->n && k->by_leaf[j].key == k->by_leaf[i].key; j++) continue;
            if (!slot_teaches(k, (uint32_t)(k->by_leaf[i].key >> 32))) continue;
            if (pass == 0)
                often[j - i]++;
            else if (j - i == k->each)
                begins[(k->by_leaf[i].value - 1) % k->each]++;
            if (pass == 0 && often[j - i] >= often[k->each]) k->each = j - i;
        }
    for (uint32_t i = 0; i < 256; i++)
        if (begins[i] > begins[k->offset]) k->offset = i;
}

static int by_key_only(const struct hd_keyed *a, const struct hd_keyed *b)
{
    return (a->key > b->key) - (a->key < b->key);
}

/* Leaf switches with the same hosts: edges between those that follow each other in the list of a host. */
static hd_status slots_group_leaves(struct slot_search *k)
{
    uint32_t n = 0, *best = HD_NEW(k->arena, uint32_t, k->net->nsw);
    struct hd_keyed *edge = HD_NEW(k->arena, struct hd_keyed, k->n);
    if (!best || !edge) return hd_fail_memory(k->ctx);
    for (uint32_t i = 1; i < k->n; i++) {
        uint64_t a = k->by_leaf[i - 1].key, b = k->by_leaf[i].key;
        if (a >> 32 == b >> 32 && a != b && slot_teaches(k, (uint32_t)(a >> 32)))
            edge[n++] = (struct hd_keyed){a << 32 | (uint32_t)b, 0};
    }
    hd_keyed_sort(edge, n, sizeof *edge);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0, j; i < n; i = j) {
            for (j = i + 1; j < n && by_key_only(&edge[i], &edge[j]) == 0; j++) continue;
            uint32_t u = (uint32_t)(edge[i].key >> 32), v = (uint32_t)edge[i].key, hosts = j - i;
            if (pass == 0 && hosts > best[u]) best[u] = hosts;
            if (pass == 0 && hosts > best[v]) best[v] = hosts;
            if (pass && 2 * hosts >= best[u] && 2 * hosts >= best[v]) hd_sets_join(k->group, u, v);
        }
    return HD_OK;
}

static uint64_t slot_of(const struct slot_search *k, uint32_t leaf, uint32_t port)
{
    return (uint64_t)hd_sets_find(k->group, leaf) << 32 | (port - 1 + k->each - k->offset) / k->each;
}

/* Whether the named hosts keep to the rule. */
static bool slots_hold(const struct slot_search *k)
{
    uint32_t all = 0, whole = 0;
    for (uint32_t i = 0, j; i < k->n; i = j) {
        uint32_t h = (uint32_t)(k->by_leaf[i].key >> 32);
        uint64_t slot = slot_of(k, (uint32_t)k->by_leaf[i].key, k->by_leaf[i].value);
        bool one = true;
        for (j = i; j < k->n && k->by_leaf[j].key >> 32 == h; j++)
            one &= slot_of(k, (uint32_t)k->by_leaf[j].key, k->by_leaf[j].value) == slot;
        all += slot_teaches(k, h);
        whole += slot_teaches(k, h) && one;
    }
    return whole >= FEW_HOSTS && 4 * whole >= 3 * all;
}

/* ---- joining ------------------------------------------------------------------------------- */

/* Whether two sets of hosts have cables at the same port of a block of one leaf switch: a host has one there. */
static bool slots_clash(const struct slot_search *k, uint32_t g, uint32_t h)
{
    const struct hd_net *net = k->net;
    for (uint32_t d = k->member[g]; d != UINT32_MAX; d = k->next[d])
        for (uint32_t e = k->member[h]; e != UINT32_MAX; e = k->next[e])
            if (hd_leaf(net, d) == hd_leaf(net, e) && slot_port(net, d) % k->each == slot_port(net, e) % k->each)
                return true;
    return false;
}

static void slots_join(struct slot_search *k, uint32_t g, uint32_t h)
{
    g = hd_sets_find(k->up, g);
    h = hd_sets_find(k->up, h);
    if (g == h || k->ports[g] + k->ports[h] > k->usual || slots_clash(k, g, h)) return;
    if (k->named[g] != UINT32_MAX && k->named[h] != UINT32_MAX) return;
    uint32_t ports = k->ports[g] + k->ports[h], named = k->named[g] != UINT32_MAX ? k->named[g] : k->named[h];
    uint32_t first = k->member[g], last = first;
    while (k->next[last] != UINT32_MAX) last = k->next[last];
    k->next[last] = k->member[h];
    hd_sets_join(k->up, g, h);
    g = hd_sets_find(k->up, g);
    k->ports[g] = ports;
    k->named[g] = named;
    k->member[g] = first;
}

/* Adapters with GUIDs next to each other, where these distinguish hosts. */
static hd_status slots_join_cards(struct slot_search *k)
{
    const struct hd_net *net = k->net;
    uint32_t n = 0, right = 0, wrong = 0;
    struct hd_keyed *card = HD_NEW(k->arena, struct hd_keyed, net->nep);
    if (!card) return hd_fail_memory(k->ctx);
    for (uint32_t e = 0; e < net->nep; e++)
        if (hd_role_is_machine(net->ca_role[net->ca[e]])) card[n++] = (struct hd_keyed){net->ca_guid[net->ca[e]], e};
    hd_keyed_sort(card, n, sizeof *card);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t g = k->in->host[card[i - 1].value], h = k->in->host[card[i].value];
        if (card[i].key - card[i - 1].key >= CARD || !slot_teaches(k, g) || !slot_teaches(k, h)) continue;
        right += g == h;
        wrong += g != h;
    }
    if (right < FEW_HOSTS || wrong * NEARLY > right) return HD_OK;
    for (uint32_t i = 1; i < n; i++)
        if (card[i].key - card[i - 1].key < CARD)
            slots_join(k, k->in->host[card[i - 1].value], k->in->host[card[i].value]);
    return HD_OK;
}

/* Whether half of the endpoints of host h or more are in this slot. */
static bool slot_is_home(const struct slot_search *k, uint32_t h, uint64_t slot)
{
    uint32_t here = 0, i = hd_lower_bound(k->by_leaf, k->n, sizeof *k->by_leaf, (uint64_t)h << 32);
    for (; i < k->n && k->by_leaf[i].key >> 32 == h; i++)
        here += slot_of(k, (uint32_t)k->by_leaf[i].key, k->by_leaf[i].value) == slot;
    return 2 * here >= k->own[h];
}

/* Nameless endpoints of one slot with its host: the one with a name, or each other. */
static hd_status slots_join_slots(struct slot_search *k)
{
    struct hd_keyed *slot = HD_NEW(k->arena, struct hd_keyed, k->n);
    if (!slot) return hd_fail_memory(k->ctx);
    for (uint32_t i = 0; i < k->n; i++)
        slot[i] = (struct hd_keyed){slot_of(k, (uint32_t)k->by_leaf[i].key, k->by_leaf[i].value),
                                    (uint32_t)(k->by_leaf[i].key >> 32)};
    hd_keyed_sort(slot, k->n, sizeof *slot);
    for (uint32_t i = 0, j; i < k->n; i = j) {
        uint32_t name = UINT32_MAX;
        bool several = false;
        for (j = i; j < k->n && slot[j].key == slot[i].key; j++) {
            uint32_t h = slot[j].value;
            if (k->in->nameless[h] || h == name || !slot_is_home(k, h, slot[i].key)) continue;
            several |= name != UINT32_MAX;
            name = h;
        }
        for (uint32_t s = i, to = name; s < j && !several; s++) {
            if (!k->in->nameless[slot[s].value]) continue;
            if (to == UINT32_MAX) to = slot[s].value;
            slots_join(k, to, slot[s].value);
        }
    }
    return HD_OK;
}

static hd_status slots_find(struct slot_search *k, uint32_t *joined)
{
    HD_TRY(slots_init(k));
    for (uint32_t h = 0; h < k->in->nhost; h++) joined[h] = h;
    if (!k->usual) return HD_OK;
    slots_learn_blocks(k);
    if (!k->each) return HD_OK;
    HD_TRY(slots_group_leaves(k));
    if (!slots_hold(k)) {
        k->each = 0;
        return HD_OK;
    }
    HD_TRY(slots_join_cards(k));
    HD_TRY(slots_join_slots(k));
    for (uint32_t h = 0; h < k->in->nhost; h++) {
        uint32_t root = hd_sets_find(k->up, h);
        joined[h] = k->named[root] == UINT32_MAX ? root : k->named[root];
    }
    return HD_OK;
}

hd_status hd_host_slots_join(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                             const struct hd_host_slots *in, uint32_t *joined, uint32_t *each, uint32_t *offset)
{
    struct slot_search k = {.ctx = ctx, .arena = arena, .net = net, .in = in};
    hd_status s = slots_find(&k, joined);
    *each = k.each;
    *offset = k.offset;
    return s;
}
