/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables of a tree that should be there and are not, and those that should not be there.
 *
 * In a neighbourhood the rules say which ports connect each pair of switches: a cable in a port that the rule gives to
 * another switch is surplus, and so is one that was set aside; a pair with too few others lacks some. Then each surplus
 * cable c is held against the lacking cables that belong into the two ports it occupies:
 *  - swapped: c and another surplus cable have each other's ends; or c and the cable of a host, which is where c
 *    belongs while c is where no rule speaks of a switch;
 *  - wrong: one end belongs where it is, and the other end of its cable is free, or taken by a cable that is itself
 *    wrong: c has to be moved there. Or both ends belong to different cables: c has to go;
 *  - extra: no rule wants a cable in its ports.
 * What is lacking then is missing. Every port is promised to one cable at most. Cables in other ports between the right
 * switches do no harm and are not mentioned. A neighbourhood that lacks a third of its cables was not built by its
 * rules, and nothing is said about it.
 * Cost: O(pairs + cables). */
#include "base/status.h"
#include "net/cabling/wiring.h"

#include <string.h>

struct pair_counter {
    struct hd_wiring *w;
    uint32_t *have;  /* [nsw] cables from the current lower switch; zero between switches */
    uint32_t *claim; /* [nchan] lacking cable that belongs into the port of this channel, plus one */
    bool *promised;  /* [nsw * 256] ports that a lacking cable has */
};

/* ---- one neighbourhood -------------------------------------------------------------------------- */

/* Cables that the rules ask for between x and y. */
static uint32_t pair_needs(const struct hd_wiring *w, const struct hd_hood *h, uint32_t x, uint32_t y)
{
    uint32_t up = w->nhigh[y], down = w->nlow[x];
    if (!h->has_up) return down;
    return !h->has_down || up < down ? up : down;
}

/* Whether the rule gives one of the ports of channel c, from lower to upper, to another switch. */
static bool pair_is_misfit(const struct hd_hood *h, const struct hd_net *net, uint32_t c)
{
    uint32_t up = h->up[net->port[c]], down = h->down[net->port[net->rev[c]]];
    return (h->has_up && up != HD_NOWHERE && up != net->head[c]) ||
           (h->has_down && down != HD_NOWHERE && down != net->tail[c]);
}

static bool pair_counts(const struct hd_wiring *w, uint32_t hood, uint32_t c)
{
    const struct hd_net *net = w->net;
    uint32_t u = net->head[c];
    return u < net->nsw && w->wire[c] == HD_WIRE_FINE && net->level[u] == net->level[net->tail[c]] + 1 &&
           w->high[u] == hood;
}

static void pairs_of_lower(struct pair_counter *k, uint32_t hood, uint32_t x)
{
    const struct hd_net *net = k->w->net;
    for (uint32_t c = net->off[x]; c < net->off[x + 1]; c++)
        if (pair_counts(k->w, hood, c)) k->have[net->head[c]]++;
}

static void pairs_forget(struct pair_counter *k, uint32_t x)
{
    const struct hd_net *net = k->w->net;
    for (uint32_t c = net->off[x]; c < net->off[x + 1]; c++)
        if (net->head[c] < net->nsw) k->have[net->head[c]] = 0;
}

/* A cable in a port that the rule gives to another switch is surplus, and so is one of a pair that has enough, in ports
 * that no rule mentions. */
static void mark_surplus(struct pair_counter *k, uint32_t hood, uint32_t x)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    const struct hd_hood *h = &w->hood[hood];
    pairs_of_lower(k, hood, x);
    for (int ruled = 1; ruled >= 0; ruled--)
        for (uint32_t c = net->off[x]; c < net->off[x + 1]; c++) {
            if (!pair_counts(w, hood, c)) continue;
            uint32_t y = net->head[c], p = net->port[c], q = net->port[net->rev[c]];
            bool alien = (!h->has_up || h->up[p] == HD_NOWHERE) && (!h->has_down || h->down[q] == HD_NOWHERE);
            if (ruled ? !pair_is_misfit(h, net, c) : !alien || k->have[y] <= pair_needs(w, h, x, y)) continue;
            k->have[y]--;
            w->wire[c] = w->wire[net->rev[c]] = HD_WIRE_SURPLUS;
        }
    pairs_forget(k, x);
}

/* Whether the neighbourhood was built by its rules: otherwise no cable of it is surplus. */
static bool hood_is_clear(struct pair_counter *k, uint32_t hood)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    const struct hd_hood *h = &w->hood[hood];
    uint64_t lack = 0, all = 0;
    if (!h->has_up && !h->has_down) return false;
    if ((uint64_t)h->nx * h->ny > 8 * (uint64_t)h->cables) return false;
    for (uint32_t i = 0; i < h->nx; i++) {
        mark_surplus(k, hood, h->x[i]);
        pairs_of_lower(k, hood, h->x[i]);
        for (uint32_t j = 0; j < h->ny; j++) {
            uint32_t need = pair_needs(w, h, h->x[i], h->y[j]), have = k->have[h->y[j]];
            all += need;
            if (have < need) lack += need - have;
        }
        pairs_forget(k, h->x[i]);
    }
    if (3 * lack <= all) return true;
    for (uint32_t i = 0; i < h->nx; i++)
        for (uint32_t c = net->off[h->x[i]]; c < net->off[h->x[i] + 1]; c++)
            if (w->wire[c] == HD_WIRE_SURPLUS) w->wire[c] = w->wire[net->rev[c]] = HD_WIRE_FINE;
    return false;
}

/* ---- ports of lacking cables --------------------------------------------------------------------- */

/* Whether a lacking cable may have this port: nobody else was promised it, and what is in it has to go. */
static bool port_is_open(const struct pair_counter *k, uint32_t v, uint32_t port)
{
    const struct hd_wiring *w = k->w;
    if (port == 0 || port > w->net->nports[v] || k->promised[(size_t)v * 256 + port]) return false;
    uint32_t c = hd_wiring_at(w->net, v, port);
    return c == HD_NOWHERE || w->wire[c] != HD_WIRE_FINE;
}

/* The only port of a switch without a cable, 0: there is none or more than one. */
static uint8_t only_free_port(const struct hd_net *net, uint32_t v)
{
    if (net->nports[v] - hd_degree(net, v) != 1) return 0;
    for (uint32_t port = 1; port <= net->nports[v]; port++)
        if (hd_wiring_at(net, v, port) == HD_NOWHERE) return (uint8_t)port;
    return 0;
}

/* Of the ports that lead to the other end by rule, one that is open; else the only free one that no rule claims. */
static uint8_t pair_port(const struct pair_counter *k, const struct hd_hood *h, uint32_t v, uint32_t to, bool upper)
{
    const uint32_t *rule = upper ? h->down : h->up;
    bool is_rule = upper ? h->has_down : h->has_up;
    uint8_t list[256];
    uint32_t n = is_rule ? hd_rule_ports(rule, to, list) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (port_is_open(k, v, list[i])) return list[i];
    uint8_t port = only_free_port(k->w->net, v);
    return port && (!is_rule || rule[port] == HD_NOWHERE) && port_is_open(k, v, port) ? port : 0;
}

static void claim_port(struct pair_counter *k, const struct hd_slot *at)
{
    if (!at->port) return;
    k->promised[(size_t)at->v * 256 + at->port] = true;
    uint32_t c = hd_wiring_at(k->w->net, at->v, at->port);
    if (c != HD_NOWHERE) k->claim[c] = k->w->nlack + 1;
}

static hd_status add_lacking(struct pair_counter *k, const struct hd_hood *h, uint32_t x, uint32_t y)
{
    struct hd_wiring *w = k->w;
    uint8_t p = pair_port(k, h, x, y, false);
    uint8_t q = p && h->has_up ? hd_rule_upper_port(h, x, p) : 0;
    if (!port_is_open(k, y, q)) {
        q = pair_port(k, h, y, x, true);
        uint8_t other = q && h->has_down && h->down[q] == x ? hd_rule_lower_port(h, q, y) : 0;
        if (port_is_open(k, x, other)) p = other;
    }
    if (!HD_MORE(w->arena, w->lack, w->nlack, w->lack_room)) return hd_fail_memory(w->ctx);
    struct hd_expected e = {.at = {{x, p}, {y, q}}};
    claim_port(k, &e.at[0]);
    claim_port(k, &e.at[1]);
    w->lack[w->nlack++] = e;
    return HD_OK;
}

static hd_status hood_lacking(struct pair_counter *k, uint32_t hood)
{
    const struct hd_hood *h = &k->w->hood[hood];
    for (uint32_t i = 0; i < h->nx; i++) {
        pairs_of_lower(k, hood, h->x[i]);
        for (uint32_t j = 0; j < h->ny; j++)
            for (uint32_t need = pair_needs(k->w, h, h->x[i], h->y[j]); k->have[h->y[j]] < need; need--)
                HD_TRY(add_lacking(k, h, h->x[i], h->y[j]));
        pairs_forget(k, h->x[i]);
    }
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

static struct hd_expected *claim_on(const struct pair_counter *k, uint32_t c)
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
static hd_status try_swapped(struct pair_counter *k, uint32_t c, bool *found)
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
static uint32_t host_in_place_of(const struct hd_wiring *w, uint32_t v, uint32_t u)
{
    const struct hd_net *net = w->net;
    bool upper = net->level[v] > net->level[u];
    uint32_t hood = upper ? w->high[v] : w->low[v];
    if (hood == HD_NOWHERE) return HD_NOWHERE;
    const struct hd_hood *h = &w->hood[hood];
    uint8_t list[256];
    uint32_t n = (upper ? h->has_down : h->has_up) ? hd_rule_ports(upper ? h->down : h->up, u, list) : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = hd_wiring_at(net, v, list[i]);
        if (t != HD_NOWHERE && net->head[t] >= net->nsw) return t;
    }
    return HD_NOWHERE;
}

/* Whether the tail of c is where it belongs, and a host has the port that its head belongs to. */
static hd_status try_swapped_host(struct pair_counter *k, uint32_t c, bool *found)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    struct hd_expected *e = claim_on(k, c);
    *found = false;
    if (!e || claim_on(k, net->rev[c])) return HD_OK;
    const struct hd_slot *far = other_slot(w, e, c);
    uint32_t t = far->port ? HD_NOWHERE : host_in_place_of(w, far->v, net->tail[c]);
    if (t == HD_NOWHERE || far->v == net->head[c]) return HD_OK;
    e->used = *found = true;
    w->wire[c] = w->wire[net->rev[c]] = HD_WIRE_FINE;
    return report_pair(w, HD_CABLING_SWAPPED, c, hd_plug_of(net, net->rev[t]), hd_plug_of(net, t), 1);
}

/* c moves to the cable that its tail belongs to, if that can be; else away. */
static hd_status report_wrong(struct pair_counter *k, uint32_t c)
{
    struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    struct hd_expected *a = claim_on(k, c), *b = claim_on(k, net->rev[c]);
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

static hd_status judge_surplus(struct pair_counter *k)
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
        if (e->used) continue;
        HD_TRY(hd_wiring_report(w, &(struct hd_cabling_fault){.kind = HD_CABLING_MISSING,
                                                              .from = hd_plug_at(e->at[0].v, e->at[0].port),
                                                              .to = hd_plug_at(e->at[1].v, e->at[1].port),
                                                              .from2 = hd_plug_at(HD_NOWHERE, 0),
                                                              .to2 = hd_plug_at(HD_NOWHERE, 0),
                                                              .gain = 1}));
    }
    return HD_OK;
}

hd_status hd_tree_cables_find(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct pair_counter k = {.w = w};
    if (!w->tree) return HD_OK;
    k.promised = HD_NEW(w->arena, bool, (size_t)net->nsw * 256);
    k.have = HD_NEW(w->arena, uint32_t, net->nsw);
    k.claim = HD_NEW(w->arena, uint32_t, net->nchan);
    if (!k.promised || !k.have || !k.claim) return hd_fail_memory(w->ctx);
    for (uint32_t i = 0; i < w->nhood; i++) w->hood[i].clear = hood_is_clear(&k, i);
    for (uint32_t i = 0; i < w->nhood; i++)
        if (w->hood[i].clear) HD_TRY(hood_lacking(&k, i));
    return judge_surplus(&k);
}
