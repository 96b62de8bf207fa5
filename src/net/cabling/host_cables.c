/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts in the wrong place, by what their leaf switches have in common.
 *
 * Rails: in a rail-optimised fabric the adapters on a leaf have one device name (mlx5_2). Two adapters on leaves of
 * each other's device are swapped; one alone may have another name for good reason. It is wrong if the hosts beside its
 * other adapters have this device on another leaf, and its place there, the port of its other adapters, is free.
 * Leaves are rails where most have such a device, and so is any leaf most hosts of which have their other adapters on
 * other leaves. Elsewhere a leaf with a device has it by a mistake: two hosts with two adapters each, one of which is
 * exchanged.
 * Adapters that never got a name (MT4129 ConnectX7 ...) are no evidence, neither for nor against a rail.
 *
 * Places: where hosts are numbered along the ports of a leaf (node19 in port 1, node20 in port 2), the difference of
 * number and port is one for the leaf. Two hosts in each other's place are swapped, and a number between others that is
 * nowhere in the fabric, with its port free, is a host that is off or lost its cable; a host with other ports in the
 * fabric lost its cable. Fabrics in which one host in
 * twenty does not follow are not numbered by place; nameless ones do not, since they may be the numbers that lack.
 * Cost: O(endpoints log endpoints). */
#include "base/hash.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/hosts.h"
#include "net/core/labels.h"
#include "net/core/node_name.h"

#include <stdio.h>
#include <string.h>

enum { FEW_HOSTS = 3, FEW_PLACES = 4, MOST_MOVED = 64 };

struct host_label {  /* of an endpoint */
    uint64_t device; /* hash of what distinguishes the endpoints of its host */
    uint64_t series; /* hash of its name without the number */
    uint32_t number; /* in its name; HD_NOWHERE: there is none */
    bool blank;      /* it names neither a host of its own nor a device */
};

struct leaf_custom { /* what most endpoints of a leaf have */
    uint64_t device, series;
    uint32_t offset;      /* number - port, modulo 2^32 */
    uint32_t first, last; /* ports of those that follow */
    bool has_names;       /* of devices, enough to tell whether it has one */
    bool has_device, has_places;
};

struct host_finder {
    struct hd_wiring *w;
    struct host_label *label; /* [nep] */
    struct leaf_custom *leaf; /* [nsw] */
    struct hd_keyed *place;   /* [nep] series and number; endpoint: sorted */
    struct hd_keyed *host;    /* [nep] hash of the name of its host; endpoint: sorted */
    bool *done;               /* [nep] */
    uint32_t *of, *by_host;   /* [hosts + 1], [nep]: the endpoints of a host */
};

/* ---- names -------------------------------------------------------------------------------------- */

static bool is_compute(const struct hd_net *net, uint32_t v)
{
    return v >= net->nsw && net->ca_role[net->ca[v - net->nsw]] == HD_ROLE_HOST;
}

/* The last number of the host's name; the rest of it and the device are the series. An adapter that is part of a host
 * by its cable alone does not begin with the host's name. */
static void label_read(const struct hd_net *net, uint32_t e, bool nameless, struct host_label *label)
{
    const char *host = hd_host_name(net, net->host[e]), *name = hd_node_name(net, net->nsw + e);
    size_t n = strlen(host), begin, end;
    label->blank = (nameless || strncmp(name, host, n) != 0) && !hd_name_split(name).device.n;
    if (strncmp(name, host, n) == 0) name += n;
    uint64_t port = net->ca_ports[net->ca[e]] > 1 ? net->port[net->off[net->nsw + e]] : 0;
    label->device = hd_hash_bytes(port, name, strlen(name));
    label->number = hd_name_number(host, 0, &begin, &end);
    label->series = hd_hash_bytes(hd_hash_bytes(label->device, host, begin), host + end, n - end);
}

/* ---- what most have ------------------------------------------------------------------------------ */

struct leaf_vote { /* Boyer and Moore's majority of two properties */
    uint32_t devices, places, all, blank;
};

static void leaf_learn(struct host_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    struct leaf_custom *leaf = &f->leaf[v];
    struct leaf_vote votes = {0}, count = {0};
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            if (!is_compute(net, net->head[c])) continue;
            const struct host_label *l = &f->label[net->head[c] - net->nsw];
            uint32_t offset = l->number - net->port[c];
            if (!turn && !votes.devices && !l->blank) leaf->device = l->device;
            if (!turn && !votes.places) {
                leaf->series = l->series;
                leaf->offset = offset;
            }
            bool device = !l->blank && l->device == leaf->device;
            bool place = l->number != HD_NOWHERE && l->series == leaf->series && offset == leaf->offset;
            if (!l->blank) votes.devices += device ? 1 : -1;
            votes.places += place ? 1 : -1;
            if (!turn) continue;
            count.all++;
            count.blank += l->blank;
            count.devices += device;
            count.places += place;
            if (place && !leaf->first) leaf->first = net->port[c];
            if (place) leaf->last = net->port[c];
        }
    uint32_t named = count.all - count.blank;
    leaf->has_names = named >= FEW_HOSTS;
    leaf->has_device = leaf->has_names && 3 * count.devices > 2 * named;
    leaf->has_places = count.places >= FEW_PLACES && 4 * count.places >= 3 * count.all;
}

/* ---- rails ---------------------------------------------------------------------------------------- */

static bool is_off_rail(const struct host_finder *f, uint32_t e)
{
    const struct leaf_custom *leaf = &f->leaf[hd_leaf(f->w->net, e)];
    return leaf->has_device && !f->label[e].blank && leaf->device != f->label[e].device &&
           is_compute(f->w->net, f->w->net->nsw + e);
}

/* Whether a and b are on leaves of each other's device. */
static bool are_crossed(const struct host_finder *f, uint32_t a, uint32_t b)
{
    const struct hd_net *net = f->w->net;
    return is_off_rail(f, b) && f->leaf[hd_leaf(net, a)].device == f->label[b].device &&
           f->leaf[hd_leaf(net, b)].device == f->label[a].device;
}

static hd_status report_hosts(struct host_finder *f, uint32_t a, uint32_t b)
{
    const struct hd_net *net = f->w->net;
    uint32_t c = net->rev[net->off[net->nsw + a]], d = net->rev[net->off[net->nsw + b]];
    f->done[a] = f->done[b] = true;
    return hd_wiring_report(f->w, &(struct hd_cabling_fault){.kind = HD_CABLING_SWAPPED,
                                                             .from = hd_plug_of(net, c),
                                                             .to = hd_plug_of(net, net->rev[c]),
                                                             .from2 = hd_plug_of(net, d),
                                                             .to2 = hd_plug_of(net, net->rev[d]),
                                                             .gain = 0.25});
}

/* Of the same host first; of another if it is the only one. */
static hd_status find_crossed(struct host_finder *f, const uint32_t *off, uint32_t n)
{
    const struct hd_net *net = f->w->net;
    for (int same = 1; same >= 0; same--)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = off[i], b = HD_NOWHERE, found = 0;
            for (uint32_t j = 0; j < n && !f->done[a]; j++) {
                if (j == i || f->done[off[j]] || (net->host[a] == net->host[off[j]]) != same) continue;
                if (!are_crossed(f, a, off[j])) continue;
                found++;
                b = off[j];
            }
            if (found == 1) HD_TRY(report_hosts(f, a, b));
        }
    return HD_OK;
}

/* ---- one adapter alone ---------------------------------------------------------------------------- */

/* The leaf on which the hosts beside the other adapters of e's host have the device of e: what two thirds say.
 * HD_NOWHERE: there is none. Reads the endpoints of a host from the list sorted by host. */
static uint32_t usual_leaf(const struct host_finder *f, uint32_t e)
{
    const struct hd_net *net = f->w->net;
    uint32_t best = HD_NOWHERE, votes = 0, all = 0, same = 0;
    for (int turn = 0; turn < 2; turn++) /* vote, then count */
        for (uint32_t i = f->of[net->host[e]]; i < f->of[net->host[e] + 1]; i++) {
            uint32_t a = f->by_host[i], leaf = hd_leaf(net, a);
            if (a == e || f->label[a].blank || !is_compute(net, net->nsw + a) || is_off_rail(f, a)) continue;
            for (uint32_t c = net->off[leaf]; c < net->off[leaf + 1]; c++) {
                uint32_t b = net->head[c] - net->nsw;
                if (!is_compute(net, net->head[c]) || net->host[b] == net->host[e]) continue;
                for (uint32_t j = f->of[net->host[b]]; j < f->of[net->host[b] + 1]; j++) {
                    uint32_t d = f->by_host[j];
                    if (f->label[d].device != f->label[e].device || is_off_rail(f, d)) continue;
                    bool equal = hd_leaf(net, d) == best;
                    if (turn) all++;
                    if (turn) same += equal;
                    if (!turn && !votes) best = hd_leaf(net, d);
                    if (!turn) votes += equal || !votes ? 1 : -1;
                }
            }
        }
    return all >= FEW_HOSTS && 3 * same > 2 * all ? best : HD_NOWHERE;
}

/* The port that all other adapters of e's host have on their leaves; 0: they differ, or are fewer than two. */
static uint8_t usual_port(const struct host_finder *f, uint32_t e)
{
    const struct hd_net *net = f->w->net;
    uint32_t port = 0, n = 0;
    for (uint32_t i = f->of[net->host[e]]; i < f->of[net->host[e] + 1]; i++) {
        uint32_t a = f->by_host[i], p = net->port[net->rev[net->off[net->nsw + a]]];
        if (a == e) continue;
        if (n++ && p != port) return 0;
        port = p;
    }
    return n >= 2 ? (uint8_t)port : 0;
}

static hd_status report_moved(struct host_finder *f, uint32_t e, uint32_t leaf, uint8_t port)
{
    const struct hd_net *net = f->w->net;
    uint32_t c = net->rev[net->off[net->nsw + e]];
    f->done[e] = true;
    return hd_wiring_report(f->w, &(struct hd_cabling_fault){.kind = HD_CABLING_WRONG,
                                                             .from = hd_plug_of(net, c),
                                                             .to = hd_plug_of(net, net->rev[c]),
                                                             .from2 = hd_plug_at(leaf, port),
                                                             .to2 = hd_plug_of(net, net->rev[c]),
                                                             .gain = 0.25});
}

static hd_status list_by_host(struct host_finder *f)
{
    const struct hd_net *net = f->w->net;
    uint32_t hosts = 0;
    for (uint32_t e = 0; e < net->nep; e++)
        if (net->host[e] >= hosts) hosts = net->host[e] + 1;
    f->of = HD_NEW(f->w->arena, uint32_t, (size_t)hosts + 2);
    f->by_host = HD_NEW(f->w->arena, uint32_t, (size_t)net->nep + 1);
    if (!f->of || !f->by_host) return hd_fail_memory(f->w->ctx);
    for (uint32_t e = 0; e < net->nep; e++) f->of[net->host[e] + 2]++;
    for (uint32_t h = 0; h < hosts; h++) f->of[h + 2] += f->of[h + 1];
    for (uint32_t e = 0; e < net->nep; e++) f->by_host[f->of[net->host[e] + 1]++] = e;
    return HD_OK;
}

/* Adapters that are the only ones of their hosts in the wrong place; many of them are no mistake. */
static hd_status find_moved(struct host_finder *f)
{
    const struct hd_net *net = f->w->net;
    uint32_t n = 0, moved[MOST_MOVED], leaf[MOST_MOVED];
    for (uint32_t e = 0; e < net->nep; e++) {
        const struct leaf_custom *here = &f->leaf[hd_leaf(net, e)];
        if (f->done[e] || !here->has_device || f->label[e].blank || !is_compute(net, net->nsw + e)) continue;
        uint8_t port = usual_port(f, e);
        uint32_t to = port ? usual_leaf(f, e) : HD_NOWHERE;
        if (to == HD_NOWHERE || to == hd_leaf(net, e) || hd_wiring_at(net, to, port) != HD_NOWHERE) continue;
        if (port > net->nports[to] || f->leaf[to].device != f->label[e].device) continue;
        if (n == MOST_MOVED || 50 * (n + 1) > net->nep + 50) return HD_OK;
        moved[n] = e;
        leaf[n++] = to;
    }
    for (uint32_t i = 0; i < n; i++) HD_TRY(report_moved(f, moved[i], leaf[i], usual_port(f, moved[i])));
    return HD_OK;
}

/* Whether e is the only one of its host on its leaf, and the host has others elsewhere. */
static bool is_one_of_host(const struct host_finder *f, uint32_t e)
{
    const struct hd_net *net = f->w->net;
    const uint32_t *of = &f->of[net->host[e]];
    for (uint32_t i = of[0]; i < of[1]; i++)
        if (f->by_host[i] != e && hd_leaf(net, f->by_host[i]) == hd_leaf(net, e)) return false;
    return of[1] - of[0] > 1;
}

static bool shares_hosts(const struct host_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    uint32_t named = 0, ones = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        const uint32_t e = net->head[c] - net->nsw;
        if (!is_compute(net, net->head[c]) || f->label[e].blank) continue;
        named++;
        ones += is_one_of_host(f, e);
    }
    return 3 * ones > 2 * named;
}

/* Leaves that are no rails have no device. A fabric may have rails for some of its hosts, whose leaves are few. */
static void rails_choose(struct host_finder *f)
{
    uint32_t named = 0, devices = 0;
    for (uint32_t v = 0; v < f->w->net->nsw; v++) {
        named += f->leaf[v].has_names;
        devices += f->leaf[v].has_device;
    }
    if (2 * devices > named) return;
    for (uint32_t v = 0; v < f->w->net->nsw; v++) f->leaf[v].has_device = f->leaf[v].has_device && shares_hosts(f, v);
}

static hd_status find_rails(struct host_finder *f)
{
    const struct hd_net *net = f->w->net;
    uint32_t *off = HD_NEW(f->w->arena, uint32_t, net->nep), n = 0, all = 0;
    if (!off) return hd_fail_memory(f->w->ctx);
    HD_TRY(list_by_host(f));
    rails_choose(f);
    for (uint32_t e = 0; e < net->nep; e++) {
        all += f->leaf[hd_leaf(net, e)].has_device && !f->label[e].blank;
        if (is_off_rail(f, e)) off[n++] = e;
    }
    if (n * 20 > all + 60) return HD_OK;
    HD_TRY(find_crossed(f, off, n));
    return find_moved(f);
}

/* ---- places --------------------------------------------------------------------------------------- */

static uint64_t place_key(uint64_t series, uint32_t number)
{
    return hd_hash_mix(series ^ hd_hash_mix(number));
}

/* The endpoint of this series and number; HD_NOWHERE: there is none. */
static uint32_t place_find(const struct host_finder *f, uint64_t series, uint32_t number)
{
    uint32_t n = f->w->net->nep, i = hd_find_key(f->place, n, sizeof *f->place, place_key(series, number));
    return i < n ? f->place[i].value : HD_NOWHERE;
}

static bool is_in_place(const struct host_finder *f, uint32_t e)
{
    const struct hd_net *net = f->w->net;
    uint32_t c = net->rev[net->off[net->nsw + e]];
    const struct leaf_custom *leaf = &f->leaf[net->tail[c]];
    return f->label[e].series == leaf->series && f->label[e].number == leaf->offset + net->port[c];
}

/* Whether the hosts beside e say that it is in its place; one alone, as on a spine, says so only of itself. */
static bool is_placed(const struct host_finder *f, uint32_t e)
{
    return f->leaf[hd_leaf(f->w->net, e)].has_places && is_in_place(f, e);
}

/* An endpoint out of place whose port belongs to one that is in its place, on another leaf. */
static hd_status find_exchanged(struct host_finder *f, uint32_t e)
{
    const struct hd_net *net = f->w->net;
    uint32_t c = net->rev[net->off[net->nsw + e]];
    const struct leaf_custom *here = &f->leaf[net->tail[c]];
    uint32_t other = place_find(f, here->series, here->offset + net->port[c]);
    if (other == HD_NOWHERE || f->done[other] || f->done[e] || hd_leaf(net, other) == net->tail[c]) return HD_OK;
    uint32_t d = net->rev[net->off[net->nsw + other]];
    const struct leaf_custom *there = &f->leaf[net->tail[d]];
    if (!there->has_places || f->label[e].series != there->series) return HD_OK;
    return f->label[e].number == there->offset + net->port[d] ? report_hosts(f, e, other) : HD_OK;
}

/* An endpoint out of place whose own place, on a leaf that goes by numbers, is free. */
static hd_status find_displaced(struct host_finder *f, uint32_t e)
{
    const struct hd_net *net = f->w->net;
    uint32_t leaf = HD_NOWHERE, port = 0;
    for (uint32_t v = 0; v < net->nsw && !f->done[e]; v++) {
        const struct leaf_custom *there = &f->leaf[v];
        uint32_t p = f->label[e].number - there->offset;
        if (!there->has_places || there->series != f->label[e].series || p < there->first || p > there->last) continue;
        if (leaf != HD_NOWHERE) return HD_OK;
        leaf = v;
        port = p;
    }
    if (leaf == HD_NOWHERE || leaf == hd_leaf(net, e) || hd_wiring_at(net, leaf, port) != HD_NOWHERE) return HD_OK;
    return report_moved(f, e, leaf, (uint8_t)port);
}

/* A port of the host of that name; HD_NOWHERE if there is none. */
static struct hd_plug port_of_host(const struct host_finder *f, const char *name)
{
    const struct hd_net *net = f->w->net;
    const uint64_t key = hd_hash_bytes(0, name, strlen(name));
    for (uint32_t i = hd_find_key(f->host, net->nep, sizeof *f->host, key); i < net->nep && f->host[i].key == key; i++)
        if (strcmp(hd_host_name(net, net->host[f->host[i].value]), name) == 0)
            return hd_plug_of(net, net->off[net->nsw + f->host[i].value]);
    return hd_plug_at(HD_NOWHERE, 0);
}

/* What the adapter in a free port would be called: as its neighbour e, with the name of another host. */
static const char *name_like(struct host_finder *f, uint32_t e, const char *text)
{
    const struct hd_net *net = f->w->net;
    const char *host = hd_host_name(net, net->host[e]), *name = hd_node_name(net, net->nsw + e);
    size_t n = strlen(host), size = text ? strlen(text) + strlen(name) + 1 : 0;
    char *whole = text ? HD_NEW(f->w->keep, char, size) : NULL;
    if (whole) snprintf(whole, size, "%s%s", text, strncmp(name, host, n) == 0 ? name + n : "");
    return whole;
}

static hd_status find_absent(struct host_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    const struct leaf_custom *leaf = &f->leaf[v];
    uint32_t absent = 0, present = 0;
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t p = leaf->first + 1u; p < leaf->last; p++) {
            uint32_t c = hd_wiring_at(net, v, p), number = leaf->offset + p;
            if (!turn) absent += c == HD_NOWHERE;
            if (!turn) present += c != HD_NOWHERE;
            if (!turn || c != HD_NOWHERE || 4 * absent > present) continue;
            uint32_t like = place_find(f, leaf->series, leaf->offset + leaf->first);
            if (like == HD_NOWHERE || place_find(f, leaf->series, number) != HD_NOWHERE) continue;
            const char *host = hd_name_renumbered(f->w, hd_host_name(net, net->host[like]), 0, number);
            const char *name = name_like(f, like, host);
            if (!name) return hd_fail_memory(f->w->ctx);
            HD_TRY(hd_wiring_report(f->w, &(struct hd_cabling_fault){.kind = HD_CABLING_MISSING,
                                                                     .from = hd_plug_at(v, p),
                                                                     .to = {HD_NOWHERE, 0, name},
                                                                     .from2 = hd_plug_at(HD_NOWHERE, 0),
                                                                     .to2 = port_of_host(f, host),
                                                                     .gain = 0.5}));
        }
    return HD_OK;
}

static hd_status find_places(struct host_finder *f)
{
    const struct hd_net *net = f->w->net;
    uint32_t off = 0, all = 0;
    for (uint32_t e = 0; e < net->nep; e++) {
        if (!is_compute(net, net->nsw + e)) continue;
        all++;
        off += !is_placed(f, e);
        f->place[e] = (struct hd_keyed){place_key(f->label[e].series, f->label[e].number), e};
    }
    if (!all || 20 * (uint64_t)off > all) return HD_OK;
    hd_keyed_sort(f->place, net->nep, sizeof *f->place);
    for (uint32_t e = 0; e < net->nep; e++) {
        const char *name = hd_host_name(net, net->host[e]);
        f->host[e] = (struct hd_keyed){hd_hash_bytes(0, name, strlen(name)), e};
    }
    hd_keyed_sort(f->host, net->nep, sizeof *f->host);
    for (uint32_t e = 0; e < net->nep; e++)
        if (is_compute(net, net->nsw + e) && f->leaf[hd_leaf(net, e)].has_places && !is_in_place(f, e))
            HD_TRY(find_exchanged(f, e));
    for (uint32_t e = 0; e < net->nep; e++)
        if (is_compute(net, net->nsw + e) && !is_placed(f, e)) HD_TRY(find_displaced(f, e));
    for (uint32_t v = 0; v < net->nsw; v++)
        if (f->leaf[v].has_places) HD_TRY(find_absent(f, v));
    return HD_OK;
}

hd_status hd_host_cables_find(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct host_finder f = {.w = w};
    f.label = HD_NEW(w->arena, struct host_label, net->nep);
    f.leaf = HD_NEW(w->arena, struct leaf_custom, net->nsw);
    f.place = HD_NEW(w->arena, struct hd_keyed, net->nep);
    f.host = HD_NEW(w->arena, struct hd_keyed, net->nep);
    f.done = HD_NEW(w->arena, bool, net->nep);
    bool *nameless = HD_NEW(w->arena, bool, net->nhost);
    if (!f.label || !f.leaf || !f.place || !f.host || !f.done || !nameless) return hd_fail_memory(w->ctx);
    HD_TRY(hd_hosts_nameless(w->ctx, net, nameless));
    for (uint32_t h = 0; h < net->nhost; h++) nameless[h] |= hd_host_is_no_node(hd_host_name(net, h));
    for (uint32_t e = 0; e < net->nep; e++) label_read(net, e, nameless[net->host[e]], &f.label[e]);
    for (uint32_t v = 0; v < net->nsw; v++) leaf_learn(&f, v);
    HD_TRY(find_rails(&f));
    return find_places(&f);
}
