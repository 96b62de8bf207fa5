/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows whose paths close no credit loop together with those of all rows before. A switch joins by the neighbour with
 * the fewest hops; since the path of that one is admitted, the only turn to ask for is the first. Turns that rows have
 * already come first, as far as they lead, and only then one that is new, after which those it opens up come first
 * again: paths that go down and up share few places, and it takes two of them to close a loop.
 *
 * Cost: O(ports) for each hole beside which a switch has joined, and a search for each new turn that goes backwards
 * (acyclic_order.c). Beyond a limit no turn is new any more. Our own. */
#include "route/keep/safe_rows.h"
#include "base/status.h"

#include <string.h>

/* A switch has joined beside a hole since it was looked at, for turns that rows have and for such as are new. */
enum { NEWS_KNOWN = 1, NEWS_TURNS = 2 };

hd_status hd_safe_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *order,
                       uint32_t n, struct hd_safe_rows *s)
{
    const struct hd_links *l = &s->turns.links;
    uint32_t places = 0;
    *s = (struct hd_safe_rows){.net = net};
    HD_TRY(hd_acyclic_init(ctx, arena, net, &s->turns));
    HD_TRY(hd_acyclic_remember(ctx, &s->turns));
    HD_TRY(hd_reach_init(ctx, arena, net, &s->reach));
    s->place = HD_NEW(arena, uint32_t, l->n);
    s->news = HD_NEW(arena, uint8_t, net->nsw);
    s->most = UINT64_MAX;
    if (!s->place || !s->news || !HD_NEW_U32(arena, net->nsw, &s->hole, &s->joined)) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++)
        if (l->of[order[i]] != UINT32_MAX) s->place[l->of[order[i]]] = places++;
    return HD_OK;
}

hd_status hd_safe_clear(struct hd_ctx *ctx, struct hd_safe_rows *s)
{
    memset(s->turns.in, 0, s->turns.links.turn[s->turns.links.n] * sizeof *s->turns.in);
    return hd_acyclic_open(ctx, &s->turns, 0, s->place);
}

void hd_safe_limit(struct hd_safe_rows *s, uint64_t looks)
{
    s->most = s->looks + s->turns.looks + looks;
    s->cut = false;
}

hd_status hd_safe_save(struct hd_ctx *ctx, struct hd_safe_rows *s)
{
    const struct hd_links *l = &s->turns.links;
    if (!s->saved) s->saved = HD_NEW(s->turns.arena, uint16_t, l->turn[l->n]);
    if (!s->saved_order) s->saved_order = HD_NEW(s->turns.arena, uint32_t, l->n);
    if (!s->saved || !s->saved_order) return hd_fail_memory(ctx);
    memcpy(s->saved, s->turns.in, l->turn[l->n] * sizeof *s->saved);
    memcpy(s->saved_order, s->turns.order[0], l->n * sizeof *s->saved_order);
    return HD_OK;
}

hd_status hd_safe_back(struct hd_ctx *ctx, struct hd_safe_rows *s)
{
    memcpy(s->turns.in, s->saved, s->turns.links.turn[s->turns.links.n] * sizeof *s->saved);
    return hd_acyclic_open(ctx, &s->turns, 0, s->saved_order);
}

uint32_t hd_safe_admit(struct hd_safe_rows *s, const struct hd_deps *deps)
{
    const struct hd_links *l = &s->turns.links;
    uint32_t refused = 0;
    for (uint32_t from = 0; from < l->n; from++)
        for (uint32_t to = l->first[l->head[from]]; to < l->first[l->head[from] + 1]; to++)
            if (hd_deps_has(deps, l->chan[from], 0, hd_link_slot(l, l->head[from], to)))
                refused += !hd_acyclic_add(&s->turns, 0, (struct hd_turn){from, to});
    return refused;
}

/* Whether a path may begin with channel c, whose head arrives. */
static bool safe_turn(struct hd_safe_rows *s, const uint8_t *row, uint32_t c, bool known)
{
    const struct hd_links *l = &s->turns.links;
    const uint32_t v = s->net->head[c], next = s->net->off[v] + row[v];
    const uint32_t to = next < s->net->off[v + 1] ? l->of[next] : UINT32_MAX;
    if (to == UINT32_MAX) return true; /* it ends there */
    if (known) return s->turns.in[hd_turn(l, l->of[c], to)] & 1;
    return hd_acyclic_add(&s->turns, 0, (struct hd_turn){l->of[c], to});
}

/* ---- what a row has ------------------------------------------------------------------------------ */

void hd_safe_begin(struct hd_safe_rows *s, uint32_t target)
{
    hd_reach_begin(&s->reach);
    if (target < s->net->nsw) s->reach.hops[target] = 1; /* as if its own port were a channel */
    s->nhole = s->njoined = s->needs = 0;
}

uint32_t hd_safe_follow(struct hd_safe_rows *s, uint8_t *row, uint32_t target, const uint32_t *from, uint32_t n)
{
    struct hd_reach *reach = &s->reach;
    uint32_t cleared = 0, i = reach->nmet;
    hd_reach_follow(reach, row, target, from, n);
    for (; i < reach->nmet; i++) {
        const uint32_t v = reach->met[i], c = reach->out[i];
        if (c == UINT32_MAX) continue;
        const uint32_t u = s->net->head[c];
        if (reach->hops[v] < HD_REACH_LOOP && u >= s->net->nsw) continue;
        if (reach->hops[v] < HD_REACH_LOOP && reach->hops[u] < HD_REACH_LOOP && safe_turn(s, row, c, true)) continue;
        reach->hops[v] = HD_REACH_DEAD;
        row[v] = HD_SLOT_NONE; /* also if it leads to a hole: once that is closed, this path would not be looked at */
        cleared++;
    }
    return cleared;
}

/* ---- what it lacks ------------------------------------------------------------------------------- */

static bool safe_arrives(const struct hd_safe_rows *s, uint32_t v)
{
    return v < s->net->nsw && s->reach.hops[v] && s->reach.hops[v] < HD_REACH_LOOP;
}

/* The channel to the neighbour of v with the fewest hops, over a turn that rows have, or over any that was not refused;
 * of several rather the one that it would have. UINT32_MAX: none. */
static uint32_t safe_nearest(struct hd_safe_rows *s, const uint8_t *row, const uint8_t *rather, uint32_t v,
                             const bool *refused)
{
    const struct hd_net *net = s->net;
    uint32_t best = UINT32_MAX;
    uint16_t hops = HD_REACH_LOOP;
    s->looks += hd_degree(net, v);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        const uint32_t slot = c - net->off[v], u = net->head[c];
        if (!safe_arrives(s, u) || s->reach.hops[u] > hops || (s->reach.hops[u] == hops && slot != rather[v])) continue;
        if (refused ? refused[slot] : !safe_turn(s, row, c, true)) continue;
        hops = s->reach.hops[u];
        best = c;
    }
    return best;
}

/* The channel by which v arrives, over a turn that no row had. */
static uint32_t safe_new(struct hd_safe_rows *s, const uint8_t *row, const uint8_t *rather, uint32_t v)
{
    bool refused[HD_MAX_PORTS + 1] = {false};
    uint32_t c;
    while ((c = safe_nearest(s, row, rather, v, refused)) != UINT32_MAX && !safe_turn(s, row, c, false))
        refused[c - s->net->off[v]] = true;
    return c;
}

/* The way out of hole v. UINT32_MAX: there is none, still none, or the limit is reached. */
static uint32_t safe_way(struct hd_safe_rows *s, const uint8_t *row, const uint8_t *rather, uint32_t v, bool known)
{
    const uint8_t news = known ? NEWS_KNOWN : NEWS_TURNS;
    if (!(s->news[v] & news)) return UINT32_MAX;
    if (!known && s->looks + s->turns.looks > s->most) {
        s->cut = true;
        return UINT32_MAX;
    }
    s->news[v] &= (uint8_t)~news;
    return known ? safe_nearest(s, row, rather, v, NULL) : safe_new(s, row, rather, v);
}

/* Switch v arrives from now on. */
static void safe_arrived(struct hd_safe_rows *s, const uint8_t *row, uint32_t v)
{
    const struct hd_net *net = s->net;
    s->reach.hops[v] = (uint16_t)(s->reach.hops[net->head[net->off[v] + row[v]]] + 1);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw) s->news[net->head[c]] = NEWS_KNOWN | NEWS_TURNS;
}

/* Holes that have an entry from now on; those of this round count in the next one. */
static uint32_t safe_round(struct hd_safe_rows *s, uint8_t *row, const uint8_t *rather, bool known)
{
    const struct hd_net *net = s->net;
    const uint32_t before = s->njoined, needs = s->needs;
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->nhole; i++) {
        const uint32_t v = s->hole[i];
        const bool enough = !known && s->njoined > before;
        const uint32_t c = enough ? UINT32_MAX : safe_way(s, row, rather, v, known);
        if (c == UINT32_MAX) {
            s->hole[left++] = v;
            continue;
        }
        row[v] = (uint8_t)(c - net->off[v]);
        s->joined[s->njoined++] = v;
        s->needs -= i < needs;
    }
    s->nhole = left;
    s->looks += left;
    for (uint32_t i = before; i < s->njoined; i++) safe_arrived(s, row, s->joined[i]);
    return s->njoined - before;
}

void hd_safe_join(struct hd_safe_rows *s, uint8_t *row, const uint8_t *rather)
{
    memset(s->news, NEWS_KNOWN | NEWS_TURNS, s->net->nsw);
    do
        while (s->nhole && safe_round(s, row, rather, true)) continue;
    while (s->needs && safe_round(s, row, rather, false));
}
