/* SPDX-License-Identifier: BSD-2-Clause */
/* Planes. A switch system of several ASICs (Quantum-X800 has four) has one in each plane, all with the same cables, so
 * the fabric is as many copies of one network. ASICs are folded into their system by its image GUID: a cable is a pair
 * of (system, port), or a (system, port) and a host. Sorted, the copies of a cable are next to each other, and those
 * with fewer copies than there are planes are what planes differ in, judged by majority. Cost: O(n log n). */
#include "base/arena.h"
#include "base/keyed.h"
#include "base/status.h"
#include "tool/planes.h"

#include <stdlib.h>
#include <string.h>

struct plane_cable {
    uint64_t from, to; /* system and port: the number of a system times 256, plus the port; of a host: HOST plus it */
    uint32_t part, chan;
};

#define HOST ((uint64_t)1 << 62)

struct plane_work {
    struct hd_ctx *ctx;
    struct hd_arena *arena; /* of the result */
    struct hd_arena scratch;
    const struct hd_net *net;
    uint32_t nparts, *part, *inhabited; /* [nsw + nep]; [nparts] endpoints */
    uint32_t nsystem, *system;          /* [nsw] number of the switch's system */
    uint32_t *asic;                     /* [nsystem * n] switch of a system in a plane, UINT32_MAX: none */
    struct hd_planes *out;
};

static hd_status plane_room(struct plane_work *w)
{
    const struct hd_net *net = w->net;
    w->part = HD_NEW(&w->scratch, uint32_t, (size_t)net->nsw + net->nep);
    w->system = HD_NEW(&w->scratch, uint32_t, net->nsw);
    if (!w->part || !w->system) return hd_fail_memory(w->ctx);
    HD_TRY(hd_net_parts(w->ctx, net, w->part, &w->nparts));
    if (!(w->inhabited = HD_NEW(&w->scratch, uint32_t, w->nparts))) return hd_fail_memory(w->ctx);
    for (uint32_t e = 0; e < net->nep; e++) w->inhabited[w->part[net->nsw + e]]++;
    return HD_OK;
}

/* Components with endpoints come first, so planes are the first n of them. */
static uint32_t plane_count(const struct plane_work *w)
{
    uint32_t n = 0;
    while (n < w->nparts && w->inhabited[n]) n++;
    return n;
}

/* Numbers systems, and finds their ASICs; false: a system has two in one plane, or few systems have one in each. */
static hd_status plane_systems(struct plane_work *w, uint32_t n, bool *planes)
{
    const struct hd_net *net = w->net;
    struct hd_keyed *key = HD_NEW(&w->scratch, struct hd_keyed, net->nsw);
    uint32_t whole = 0;
    *planes = false;
    if (!key) return hd_fail_memory(w->ctx);
    for (uint32_t v = 0; v < net->nsw; v++) key[v] = (struct hd_keyed){net->system[v], v};
    hd_keyed_sort(key, net->nsw, sizeof *key);
    for (uint32_t i = 0; i < net->nsw; i++) {
        w->nsystem += !i || key[i].key != key[i - 1].key;
        w->system[key[i].value] = w->nsystem - 1;
    }
    w->asic = HD_NEW(&w->scratch, uint32_t, (size_t)w->nsystem * n);
    if (!w->asic) return hd_fail_memory(w->ctx);
    memset(w->asic, 0xff, (size_t)w->nsystem * n * sizeof *w->asic);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (w->part[v] >= n) continue; /* without endpoints */
        uint32_t *at = &w->asic[(size_t)w->system[v] * n + w->part[v]];
        if (*at != UINT32_MAX) return HD_OK;
        *at = v;
    }
    for (uint32_t s = 0; s < w->nsystem; s++) {
        uint32_t have = 0;
        for (uint32_t p = 0; p < n; p++) have += w->asic[(size_t)s * n + p] != UINT32_MAX;
        whole += have == n;
        w->out->systems += have > 1;
    }
    *planes = 2 * whole > w->nsystem;
    return HD_OK;
}

static uint64_t plane_end(const struct plane_work *w, uint32_t v, uint32_t port)
{
    return v < w->net->nsw ? (uint64_t)w->system[v] << 8 | port : HOST + w->net->host[v - w->net->nsw];
}

static int plane_order(const void *a, const void *b)
{
    const struct plane_cable *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static struct hd_plug plane_plug(const struct plane_work *w, uint64_t end, uint32_t part)
{
    const struct hd_net *net = w->net;
    if (end < HOST) return (struct hd_plug){.node = w->asic[(end >> 8) * w->out->n + part], .port = (uint8_t)end};
    return (struct hd_plug){.node = UINT32_MAX, .name = hd_host_name(net, (uint32_t)(end - HOST))};
}

static hd_status plane_add(struct plane_work *w, const struct plane_cable *c, uint32_t part, bool missing,
                           uint32_t *room)
{
    struct hd_planes *out = w->out;
    const struct hd_net *net = w->net;
    if (!HD_MORE(w->arena, out->difference, out->ndifference, *room)) return hd_fail_memory(w->ctx);
    struct hd_plane_difference *d = &out->difference[out->ndifference++];
    *d = (struct hd_plane_difference){part, missing, plane_plug(w, c->from, part), plane_plug(w, c->to, part)};
    if (!missing && c->to >= HOST)
        d->to = (struct hd_plug){.node = net->head[c->chan], .port = net->port[net->rev[c->chan]]};
    return HD_OK;
}

/* Copies of one cable: planes without it where most have it, those with it otherwise. */
static hd_status plane_judge(struct plane_work *w, const struct plane_cable *c, uint32_t copies, uint32_t *room)
{
    const uint32_t n = w->out->n;
    uint32_t next = 0;
    if (copies == n) return HD_OK;
    const bool missing = 2 * copies >= n;
    for (uint32_t p = 0; p < n; p++) {
        const bool has = next < copies && c[next].part == p;
        next += has;
        if (has != missing) HD_TRY(plane_add(w, has ? &c[next - 1] : c, p, missing, room));
    }
    return HD_OK;
}

static int plane_difference_order(const void *a, const void *b)
{
    const struct hd_plane_difference *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    if (x->from.node != y->from.node) return x->from.node < y->from.node ? -1 : 1;
    return (int)x->from.port - (int)y->from.port;
}

static hd_status plane_compare(struct plane_work *w)
{
    const struct hd_net *net = w->net;
    struct plane_cable *cable = HD_NEW(&w->scratch, struct plane_cable, net->nchan / 2 + 1);
    uint32_t n = 0, room = 0, copies;
    if (!cable) return hd_fail_memory(w->ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        const uint64_t from = plane_end(w, net->tail[c], net->port[c]);
        const uint64_t to = plane_end(w, net->head[c], net->port[net->rev[c]]);
        const bool first = from < to || (from == to && c < net->rev[c]);
        if (first && w->part[net->tail[c]] < w->out->n)
            cable[n++] = (struct plane_cable){from, to, w->part[net->tail[c]], c};
    }
    if (n) qsort(cable, n, sizeof *cable, plane_order);
    for (uint32_t i = 0; i < n; i += copies) {
        for (copies = 1; i + copies < n && cable[i + copies].from == cable[i].from &&
                         cable[i + copies].to == cable[i].to && cable[i + copies].part != cable[i + copies - 1].part;)
            copies++;
        HD_TRY(plane_judge(w, &cable[i], copies, &room));
    }
    if (w->out->ndifference)
        qsort(w->out->difference, w->out->ndifference, sizeof *w->out->difference, plane_difference_order);
    return HD_OK;
}

static hd_status planes_run(struct plane_work *w)
{
    bool planes;
    HD_TRY(plane_room(w));
    const uint32_t n = plane_count(w);
    if (n < 2) return HD_OK;
    HD_TRY(plane_systems(w, n, &planes));
    if (!planes) {
        w->out->systems = 0;
        return HD_OK;
    }
    w->out->n = n;
    return plane_compare(w);
}

hd_status hd_planes_find(struct hd_ctx *ctx, const struct hd_net *net, struct hd_planes **planes)
{
    struct hd_arena *own;
    struct hd_planes *out = hd_owned_new(sizeof *out, &own);
    if (!out) return hd_fail_memory(ctx);
    out->arena = own;
    struct plane_work w = {.ctx = ctx, .arena = own, .net = net, .out = out};
    const hd_status s = planes_run(&w);
    hd_arena_release(&w.scratch);
    if (s == HD_OK)
        *planes = out;
    else
        hd_planes_free(out);
    return s;
}

void hd_planes_free(struct hd_planes *planes)
{
    if (planes) hd_owned_free(planes->arena);
}
