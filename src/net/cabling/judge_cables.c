/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables that should not be there held against those that should, whatever rule says so: that of a tree, a grid or the
 * groups of a dragonfly.
 *
 * Each surplus cable c is compared with the lacking cables that belong into the two ports it occupies:
 *  - swapped: c and another surplus cable have each other's ends; or c and the cable of a host, which is where c
 *    belongs while c is where no rule speaks of a switch;
 *  - wrong: one end belongs where it is, and the other end of its cable is free, or taken by a cable that is itself
 *    wrong: c has to be moved there. Or both ends belong to different cables: c has to go;
 *  - extra: no rule wants a cable in its ports.
 * What is lacking then is missing; in a grid, the ports that a rule names are known only if both are free. Every port
 * is promised to one cable at most. Cost: O(channels). */
#include "base/status.h"
#include "net/cabling/wiring.h"

hd_status hd_judge_init(struct hd_wiring *w, struct hd_judge *k)
{
    k->w = w;
    k->promised = HD_NEW(w->arena, bool, (size_t)w->net->nsw * 256);
    k->claim = HD_NEW(w->arena, uint32_t, w->net->nchan);
    return k->promised && k->claim ? HD_OK : hd_fail_memory(w->ctx);
}

bool hd_judge_is_open(const struct hd_judge *k, uint32_t v, uint32_t port)
{
    const struct hd_wiring *w = k->w;
    if (port == 0 || port > w->net->nports[v] || k->promised[(size_t)v * 256 + port]) return false;
    uint32_t c = hd_wiring_at(w->net, v, port);
    return c == HD_NOWHERE || w->wire[c] != HD_WIRE_FINE;
}

static void judge_claim(struct hd_judge *k, const struct hd_slot *at)
{
    if (!at->port) return;
    k->promised[(size_t)at->v * 256 + at->port] = true;
    uint32_t c = hd_wiring_at(k->w->net, at->v, at->port);
    if (c != HD_NOWHERE) k->claim[c] = k->w->nlack + 1;
}

hd_status hd_judge_lacks(struct hd_judge *k, struct hd_slot a, struct hd_slot b)
{
    struct hd_wiring *w = k->w;
    if (!HD_MORE(w->arena, w->lack, w->nlack, w->lack_room)) return hd_fail_memory(w->ctx);
    struct hd_expected e = {.at = {a, b}};
    judge_claim(k, &e.at[0]);
    judge_claim(k, &e.at[1]);
    w->lack[w->nlack++] = e;
    return HD_OK;
}

/* ---- surplus against lacking ---------------------------------------------------------------------- */

/* The end of a lacking cable that is not in this channel's port. */
static const struct hd_slot *other_slot(const struct hd_wiring *w, const struct hd_expected *e, uint32_t c)
{
    const struct hd_net *net = w->net;
    bool first = e->at[0].v == net->tail[c] && e->at[0].port == net->port[c];
    return &e->at[first];
}

static struct hd_expected *claim_on(const struct hd_judge *k, uint32_t c)
{
    struct hd_expected *e = k->claim[c] ? &k->w->lack[k->claim[c] - 1] : NULL;
    return e && !e->used ? e : NULL;
}

static hd_status report_pair(struct hd_wiring *w, enum hd_cabling_kind kind, uint32_t c, struct hd_plug from,
                             struct hd_plug to, double gain)
{
    const struct hd_net *net = w->net;
    return hd_wiring_report(w, &(struct hd_cabling_fault){.kind = kind,
                                                          .from = hd_plug_of(net, c),
                                                          .to = hd_plug_of(net, net->rev[c]),
                                                          .from2 = from,
                                                          .to2 = to,
                                                          .gain = gain});
}

/* Whether c and the cable in the port that c should lead to have each other's ends. */
static hd_status try_swapped(struct hd_judge *k, uint32_t c, bool *found)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    struct hd_expected *a = claim_on(k, c), *b = claim_on(k, net->rev[c]);
    *found = false;
    if (!a || !b) return HD_OK;
    const struct hd_slot *far = other_slot(w, a, c), *near = other_slot(w, b, net->rev[c]);
    uint32_t t = far->port ? hd_wiring_at(net, far->v, far->port) : HD_NOWHERE;
    if (t == HD_NOWHERE || net->head[t] != near->v || net->port[net->rev[t]] != near->port) return HD_OK;
    a->used = b->used = *found = true;
    bool harmless = net->tail[c] == near->v || net->head[c] == far->v;
    w->wire[c] = w->wire[net->rev[c]] = w->wire[t] = w->wire[net->rev[t]] = HD_WIRE_FINE;
    return harmless ? HD_OK
                    : report_pair(w, HD_CABLING_SWAPPED, c, hd_plug_of(net, net->rev[t]), hd_plug_of(net, t), 2);
}

/* The cable of a host in one of the ports of v that the rules give to u; HD_NOWHERE: there is none. */
static uint32_t host_in_place_of(const struct hd_judge *k, uint32_t v, uint32_t u)
{
    const struct hd_net *net = k->w->net;
    uint8_t list[256];
    uint32_t n = k->ports(k, v, u, list);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = hd_wiring_at(net, v, list[i]);
        if (t != HD_NOWHERE && net->head[t] >= net->nsw) return t;
    }
    return HD_NOWHERE;
}

/* Whether the tail of c is where it belongs, and a host has the port that its head belongs to. */
static hd_status try_swapped_host(struct hd_judge *k, uint32_t c, bool *found)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    struct hd_expected *e = claim_on(k, c);
    *found = false;
    if (!e || claim_on(k, net->rev[c])) return HD_OK;
    const struct hd_slot *far = other_slot(w, e, c);
    uint32_t t = far->port ? HD_NOWHERE : host_in_place_of(k, far->v, net->tail[c]);
    if (t == HD_NOWHERE || far->v == net->head[c]) return HD_OK;
    e->used = *found = true;
    w->wire[c] = w->wire[net->rev[c]] = HD_WIRE_FINE;
    return report_pair(w, HD_CABLING_SWAPPED, c, hd_plug_of(net, net->rev[t]), hd_plug_of(net, t), 1);
}

/* c moves to the cable that its tail belongs to, if that can be; else away. */
static hd_status report_wrong(struct hd_judge *k, uint32_t c)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    struct hd_expected *a = claim_on(k, c), *b = claim_on(k, net->rev[c]);
    if (w->grid && !hd_grid_is_evident(w, net->tail[c], net->head[c])) return HD_OK;
    if (!k->claim[c] && !k->claim[net->rev[c]])
        return report_pair(w, HD_CABLING_EXTRA, c, hd_plug_at(HD_NOWHERE, 0), hd_plug_at(HD_NOWHERE, 0), 0);
    for (int turn = 0; turn < 2; turn++) {
        struct hd_expected *e = turn ? b : a, *rest = turn ? a : b;
        uint32_t from = turn ? net->rev[c] : c;
        if (!e) continue;
        const struct hd_slot *to = other_slot(w, e, from);
        bool taken = to->port && hd_wiring_at(net, to->v, to->port) != HD_NOWHERE;
        if (rest && !taken) continue;
        e->used = true;
        if (to->v == net->head[from]) return HD_OK; /* another port of the right switch */
        return report_pair(w, HD_CABLING_WRONG, c, hd_plug_of(net, from), hd_plug_at(to->v, to->port), 1);
    }
    return report_pair(w, HD_CABLING_WRONG, c, hd_plug_at(HD_NOWHERE, 0), hd_plug_at(HD_NOWHERE, 0), 0);
}

hd_status hd_judge_cables(struct hd_judge *k)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
            if (net->rev[c] < c || net->head[c] >= net->nsw || w->wire[c] == HD_WIRE_FINE) continue;
            bool found = false;
            if (pass == 0) HD_TRY(try_swapped(k, c, &found));
            if (pass == 1) HD_TRY(try_swapped_host(k, c, &found));
            if (pass == 1 && !found) HD_TRY(try_swapped_host(k, net->rev[c], &found));
            if (pass == 1 && !found) HD_TRY(report_wrong(k, c));
        }
    for (uint32_t i = 0; i < w->nlack; i++) {
        const struct hd_expected *e = &w->lack[i];
        if (e->used || e->doubtful) continue;
        bool known = !w->grid || (e->at[0].port && e->at[1].port);
        HD_TRY(hd_wiring_report(w, &(struct hd_cabling_fault){.kind = HD_CABLING_MISSING,
                                                              .from = hd_plug_at(e->at[0].v, known ? e->at[0].port : 0),
                                                              .to = hd_plug_at(e->at[1].v, known ? e->at[1].port : 0),
                                                              .from2 = hd_plug_at(HD_NOWHERE, 0),
                                                              .to2 = hd_plug_at(HD_NOWHERE, 0),
                                                              .gain = 1}));
    }
    return HD_OK;
}
