/* SPDX-License-Identifier: BSD-2-Clause */
/* Rails of hosts (rules in hosts.h): the distinct (device, repeat, port) keys of the network, sorted. Adapters whose
 * descriptions name no host come on the rail that most others at such switch ports have. Cost: a sort of the keys. */
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "net/core/host_grouping.h"

#include <stdlib.h>
#include <string.h>

static bool is_placed(const struct grouping *w, uint32_t e)
{
    return w->ca[w->net->ca[e]].placed;
}

/* A device without its last number: mlx5_3 is of the family mlx5_ */
static struct hd_text family(struct hd_text device)
{
    while (device.n && device.at[device.n - 1] >= '0' && device.at[device.n - 1] <= '9') device.n--;
    return device;
}

/* Devices that must share one numbering: of one family, or seen together on a host. An expression
 * gives its rails one numbering. A union-find forest; NULL: out of memory. */
static uint32_t *relate_devices(struct grouping *w)
{
    uint32_t n = w->devices.n, *parent = HD_NEW(w->scratch, uint32_t, n), *seen = HD_NEW(w->scratch, uint32_t, n);
    struct intern families;
    if (!parent || !seen || !hd_intern_init(w->scratch, n, &families)) return NULL;
    hd_sets_init(parent, n);
    for (uint32_t i = 0; i < n; i++) {
        struct hd_text f = w->rule == EXPRESSION ? (struct hd_text){"", 0} : family(w->devices.item[i].text);
        uint32_t id = hd_intern(&families, (struct interned){.text = f});
        if (seen[id])
            hd_sets_join(parent, seen[id] - 1, i);
        else
            seen[id] = i + 1;
    }
    for (uint32_t h = 0; h < w->nhost; h++)
        for (uint32_t i = w->first[h] + 1; i < w->first[h + 1]; i++)
            if (!is_placed(w, w->list[i - 1]) && !is_placed(w, w->list[i]))
                hd_sets_join(parent, w->ca[w->net->ca[w->list[i - 1]]].device, w->ca[w->net->ca[w->list[i]]].device);
    return parent;
}

static uint32_t port_of(const struct hd_net *n, uint32_t e)
{
    return n->port[n->off[n->nsw + e]];
}

/* device << 16 | repeat << 8 | port for every endpoint, in the order of the host lists; repeat counts
 * the adapters of one host with the same device. The device is last, so keys sort by it first. */
static void rail_keys(const struct grouping *w, uint64_t *key)
{
    const struct hd_net *n = w->net;
    for (uint32_t h = 0; h < w->nhost; h++) {
        uint64_t repeat = 0;
        for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++) {
            uint32_t a = n->ca[w->list[i]], before = i > w->first[h] ? n->ca[w->list[i - 1]] : a;
            if (w->ca[a].device != w->ca[before].device)
                repeat = 0;
            else if (a != before)
                repeat++;
            key[i] = (uint64_t)w->ca[a].device << 16 | repeat << 8 | port_of(n, w->list[i]);
        }
    }
}

static bool is_alone(const struct grouping *w, uint32_t h)
{
    return w->ca[w->net->ca[w->list[w->first[h]]]].trust == ALONE;
}

/* Endpoints of each host in order: what remains if nothing else distinguishes rails. */
static void rails_by_index(struct grouping *w, bool only_alone)
{
    for (uint32_t h = 0; h < w->nhost; h++) {
        if (only_alone && !is_alone(w, h)) continue;
        for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++) w->rail[w->list[i]] = (uint8_t)(i - w->first[h]);
    }
}

#define RARE UINT32_MAX /* rank of a key that few hosts have */

struct rail_keys {
    struct intern distinct;
    uint32_t *id;    /* by place in the host lists: number of the key */
    uint32_t *count; /* [distinct.n] endpoints that have it */
    uint32_t *rank;  /* [distinct.n] its rail */
};

/* Rank of each distinct key among those of related devices, and the largest number of ranks. With rare, keys that
 * occur less than a tenth as often as the most frequent related one have none. */
static hd_status rank_keys(struct grouping *w, const struct rail_keys *k, bool rare, uint32_t *most)
{
    uint32_t *up = relate_devices(w), *next, *usual, n = k->distinct.n;
    struct hd_keyed *sorted = HD_NEW(w->scratch, struct hd_keyed, n);
    if (!up || !sorted || !HD_NEW_U32(w->scratch, w->devices.n, &next, &usual)) return hd_fail_memory(w->ctx);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = (struct hd_keyed){k->distinct.item[i].salt, i};
        uint32_t *often = &usual[hd_sets_find(up, (uint32_t)(sorted[i].key >> 16))];
        if (k->count[i] > *often) *often = k->count[i];
    }
    hd_keyed_sort(sorted, n, sizeof *sorted);
    *most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t set = hd_sets_find(up, (uint32_t)(sorted[i].key >> 16)), id = sorted[i].value;
        bool few = rare && (uint64_t)k->count[id] * 10 < usual[set];
        k->rank[id] = few ? RARE : next[set]++;
        if (!few && k->rank[id] >= *most) *most = k->rank[id] + 1;
    }
    return HD_OK;
}

/* The rails of one host: those of its keys, and for keys without one the lowest that are free. */
static void rails_of_host(struct grouping *w, const struct rail_keys *k, uint32_t h)
{
    bool taken[MAX_RAILS + 1] = {0};
    uint32_t open = 0;
    for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++)
        if (!is_placed(w, w->list[i]) && k->rank[k->id[i]] != RARE)
            taken[w->rail[w->list[i]] = (uint8_t)k->rank[k->id[i]]] = true;
    for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++) {
        if (is_placed(w, w->list[i]) || k->rank[k->id[i]] != RARE) continue;
        while (taken[open]) open++;
        taken[open] = true;
        w->rail[w->list[i]] = (uint8_t)open;
    }
}

/* Sets *most to the number of rails, and the rails themselves when they fit. A few hosts may name their devices
 * otherwise than all others (another slot, another kernel); if that makes more rails than any host has endpoints, their
 * odd ones take the rails that are free. */
static hd_status rails_by_device(struct grouping *w, uint32_t *most)
{
    uint32_t nep = w->net->nep, largest = 0;
    struct rail_keys k;
    uint64_t *key = HD_NEW(w->scratch, uint64_t, nep);
    if (!key || !HD_NEW_U32(w->scratch, nep, &k.id, &k.count, &k.rank) || !hd_intern_init(w->scratch, nep, &k.distinct))
        return hd_fail_memory(w->ctx);
    rail_keys(w, key);
    for (uint32_t h = 0; h < w->nhost; h++) {
        if (is_alone(w, h)) continue;
        if (w->first[h + 1] - w->first[h] > largest) largest = w->first[h + 1] - w->first[h];
        for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++)
            if (!is_placed(w, w->list[i]))
                k.count[k.id[i] = hd_intern(&k.distinct, (struct interned){.salt = key[i]})]++;
    }
    HD_TRY(rank_keys(w, &k, false, most));
    if (*most > largest && w->rule == AUTO) HD_TRY(rank_keys(w, &k, true, most));
    for (uint32_t h = 0; h < w->nhost && *most <= MAX_RAILS; h++)
        if (!is_alone(w, h)) rails_of_host(w, &k, h);
    return HD_OK;
}

/* The block's port that an endpoint is cabled to, with and without the leaf switch. */
static uint64_t place_key(const struct grouping *w, uint32_t e, bool leaf)
{
    const struct hd_net *n = w->net;
    uint32_t port = n->port[n->rev[n->off[n->nsw + e]]], place = (port - 1 + w->each - w->offset) % w->each;
    return (leaf ? (uint64_t)hd_leaf(n, e) + 1 : 0) << 16 | place << 8;
}

/* Most frequent rail of the other endpoints at such a place; UINT32_MAX: there are none. */
static uint32_t rail_at(const struct hd_keyed *vote, uint32_t n, uint64_t key)
{
    uint32_t best = UINT32_MAX, most = 0;
    for (uint32_t i = hd_lower_bound(vote, n, sizeof *vote, key), j; i < n && vote[i].key >> 8 == key >> 8; i = j) {
        for (j = i + 1; j < n && vote[j].key == vote[i].key; j++) continue;
        if (j - i <= most) continue;
        most = j - i;
        best = vote[i].key & 255;
    }
    return best;
}

/* Of one host: placed endpoints take the rail of their place if it is free, otherwise the lowest free one. */
static void place_host(struct grouping *w, uint32_t h, const struct hd_keyed *vote, uint32_t n)
{
    bool taken[MAX_RAILS + 1] = {0}, done[MAX_RAILS + 1] = {0};
    for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++)
        if (!is_placed(w, w->list[i])) taken[w->rail[w->list[i]]] = done[i - w->first[h]] = true;
    for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++) {
        if (done[i - w->first[h]]) continue;
        uint32_t rail = rail_at(vote, n, place_key(w, w->list[i], true));
        if (rail == UINT32_MAX && w->each > 1) rail = rail_at(vote, n, place_key(w, w->list[i], false));
        if (rail == UINT32_MAX || taken[rail]) continue;
        taken[w->rail[w->list[i]] = (uint8_t)rail] = done[i - w->first[h]] = true;
    }
    for (uint32_t i = w->first[h], open = 0; i < w->first[h + 1]; i++) {
        if (done[i - w->first[h]]) continue;
        while (taken[open]) open++;
        taken[w->rail[w->list[i]] = (uint8_t)open] = true;
    }
}

static hd_status rails_by_place(struct grouping *w)
{
    const struct hd_net *net = w->net;
    struct hd_keyed *vote = HD_NEW(w->scratch, struct hd_keyed, 2 * (size_t)net->nep);
    uint32_t n = 0;
    if (!w->each) return HD_OK;
    if (!vote) return hd_fail_memory(w->ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        if (is_placed(w, e) || w->ca[net->ca[e]].trust == ALONE) continue;
        vote[n++] = (struct hd_keyed){place_key(w, e, true) | w->rail[e], e};
        vote[n++] = (struct hd_keyed){place_key(w, e, false) | w->rail[e], e};
    }
    hd_keyed_sort(vote, n, sizeof *vote);
    for (uint32_t h = 0; h < w->nhost; h++)
        if (!is_alone(w, h)) place_host(w, h, vote, n);
    return HD_OK;
}

static uint32_t rails_by_port(struct grouping *w)
{
    const struct hd_net *n = w->net;
    uint32_t ports = 1, most = 0;
    for (uint32_t e = 0; e < n->nep; e++)
        if (w->ca[n->ca[e]].trust != ALONE && port_of(n, e) > ports) ports = port_of(n, e);
    for (uint32_t h = 0; h < w->nhost; h++) {
        uint32_t index = 0;
        for (uint32_t i = w->first[h]; i < w->first[h + 1] && !is_alone(w, h); i++) {
            uint32_t e = w->list[i];
            index += i > w->first[h] && n->ca[e] != n->ca[w->list[i - 1]];
            uint32_t r = index * ports + port_of(n, e) - 1;
            w->rail[e] = (uint8_t)r;
            if (r >= most) most = r + 1;
        }
    }
    return most;
}

/* Ports of an adapter distinguish its endpoints. */
static hd_status check_ports(const struct grouping *w)
{
    const struct hd_net *n = w->net;
    for (uint32_t h = 0; h < w->nhost; h++)
        for (uint32_t i = w->first[h] + 1; i < w->first[h + 1]; i++) {
            uint32_t d = w->list[i - 1], e = w->list[i];
            if (n->ca[d] == n->ca[e] && port_of(n, d) == port_of(n, e))
                return hd_fail(w->ctx, HD_INPUT, "'%.200s': port %u is two endpoints", hd_node_name(n, n->nsw + e),
                               port_of(n, e));
        }
    return HD_OK;
}

hd_status hd_hosts_rails(struct grouping *w)
{
    uint32_t rails = 0;
    HD_TRY(check_ports(w));
    if (w->rule == PORT)
        rails = rails_by_port(w);
    else if (w->rule != NONE)
        HD_TRY(rails_by_device(w, &rails));
    if (rails > MAX_RAILS && w->rule == EXPRESSION)
        return hd_fail(w->ctx, HD_INPUT, "rails: '%.200s' finds %u rails: expected at most %d", w->net->rails, rails,
                       MAX_RAILS);
    if (rails > MAX_RAILS)
        hd_note(w->ctx, "%u different devices and ports: the endpoints of each host are counted for its rails", rails);
    rails_by_index(w, rails <= MAX_RAILS);
    if (rails <= MAX_RAILS) HD_TRY(rails_by_place(w));
    for (uint32_t e = 0; e < w->net->nep; e++)
        if (w->rail[e] >= w->nrail) w->nrail = w->rail[e] + 1u;
    return HD_OK;
}
