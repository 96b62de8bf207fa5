/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables of a dragonfly that should be there and are not, those that should not be there, and switches that are gone,
 * where its rules are known (group_rule.c).
 *
 * Every port that a rule speaks of should lead to one port of one switch. A cable between two switches that the rules
 * do not connect is set aside, and one more than they should have is surplus; a pair with too few lacks some. Both are
 * held against each other (judge_cables.c). A place of a group without a switch, towards which most ports are free, is
 * a switch that is gone. Cost: O(256 switches + sum over cables of the ports of a switch). */
#include "base/status.h"
#include "net/cabling/group_rule.h"

#include <string.h>

struct dragonfly_finder {
    struct hd_wiring *w;
    const struct hd_group_rule *rule;
    struct hd_judge judge;
    uint32_t *need, *have; /* [nsw] cables from the current switch; zero between switches */
};

/* The switch that port p of v should lead to; HD_NOWHERE: the rules name none, or it is gone. */
static uint32_t dragonfly_peer(const struct hd_group_rule *r, uint32_t v, uint32_t p, uint8_t *far)
{
    struct hd_group_end end;
    if (!hd_group_expects(r, v, p, &end)) return HD_NOWHERE;
    *far = end.port;
    return r->member[(size_t)end.group * r->size + end.place];
}

static uint32_t dragonfly_ports_towards(const struct hd_judge *k, uint32_t v, uint32_t u, uint8_t list[256])
{
    uint32_t n = 0;
    uint8_t far;
    for (uint32_t p = 1; p <= k->w->net->nports[v]; p++)
        if (dragonfly_peer(k->rule, v, p, &far) == u) list[n++] = (uint8_t)p;
    return n;
}

/* Counts what v should have, and what it has that is not set aside. */
static void dragonfly_count(struct dragonfly_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    uint8_t far;
    for (uint32_t p = 1; p <= net->nports[v]; p++) {
        uint32_t u = dragonfly_peer(f->rule, v, p, &far);
        if (u != HD_NOWHERE) f->need[u]++;
    }
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw && f->w->wire[c] == HD_WIRE_FINE) f->have[net->head[c]]++;
}

static void dragonfly_forget(struct dragonfly_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    uint8_t far;
    for (uint32_t p = 1; p <= net->nports[v]; p++) {
        uint32_t u = dragonfly_peer(f->rule, v, p, &far);
        if (u != HD_NOWHERE) f->need[u] = f->have[u] = 0;
    }
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw) f->have[net->head[c]] = 0;
}

static void dragonfly_mark(struct dragonfly_finder *f, uint32_t v)
{
    struct hd_wiring *w = f->w;
    const struct hd_net *net = w->net;
    dragonfly_count(f, v);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t u = net->head[c];
        uint8_t far = 0;
        if (u >= net->nsw || u < v || f->have[u] <= f->need[u]) continue;
        if (dragonfly_peer(f->rule, v, net->port[c], &far) == u && far == net->port[net->rev[c]]) continue;
        f->have[u]--;
        w->wire[c] = w->wire[net->rev[c]] = f->need[u] ? HD_WIRE_SURPLUS : HD_WIRE_ASIDE;
    }
    dragonfly_forget(f, v);
}

/* Pairs of v with a higher switch. */
static hd_status dragonfly_lacking(struct dragonfly_finder *f, uint32_t v)
{
    dragonfly_count(f, v);
    for (uint32_t p = 1; p <= f->w->net->nports[v]; p++) {
        struct hd_slot a = {v, 0}, b = {0, 0};
        uint8_t far = 0;
        uint32_t u = dragonfly_peer(f->rule, v, p, &far);
        if (u == HD_NOWHERE || u < v || f->have[u] >= f->need[u]) continue;
        bool near_open = hd_judge_is_open(&f->judge, v, p), far_open = hd_judge_is_open(&f->judge, u, far);
        if (!near_open && !far_open && f->need[u] > 1) continue; /* one of its parallel cables lacks */
        f->have[u]++;
        b.v = u;
        if (near_open) a.port = (uint8_t)p;
        if (far_open) b.port = far;
        HD_TRY(hd_judge_lacks(&f->judge, a, b));
    }
    dragonfly_forget(f, v);
    return HD_OK;
}

/* ---- switches that are gone --------------------------------------------------------------------- */

/* Ports that should lead to this place, in lost; a place is known by where its own ports would lead. */
static hd_status dragonfly_dead(struct dragonfly_finder *f, uint32_t group, uint32_t place)
{
    struct hd_wiring *w = f->w;
    const struct hd_group_rule *r = f->rule;
    uint32_t first = w->nlost, open = 0;
    for (uint32_t v = 0; v < w->net->nsw; v++)
        for (uint32_t p = 1; p <= w->net->nports[v]; p++) {
            struct hd_group_end end;
            if (!hd_group_expects(r, v, p, &end) || end.group != group || end.place != place) continue;
            uint32_t c = hd_wiring_at(w->net, v, p);
            open += c == HD_NOWHERE || w->wire[c] != HD_WIRE_FINE;
            if (!HD_MORE(w->keep, w->lost, w->nlost, w->lost_room)) return hd_fail_memory(w->ctx);
            w->lost[w->nlost++] = (struct hd_lost_cable){hd_plug_at(v, p), hd_plug_at(HD_NOWHERE, end.port)};
        }
    return hd_wiring_report_dead(w, first, open);
}

hd_status hd_dragonfly_cables_find(struct hd_wiring *w)
{
    struct dragonfly_finder f = {.w = w, .judge = {.ports = dragonfly_ports_towards}};
    HD_TRY(hd_group_rule_learn(w));
    if (!w->groups) return HD_OK;
    f.judge.rule = f.rule = w->groups;
    HD_TRY(hd_judge_init(w, &f.judge));
    if (!HD_NEW_U32(w->arena, w->net->nsw, &f.need, &f.have)) return hd_fail_memory(w->ctx);
    for (uint32_t v = 0; v < w->net->nsw; v++) dragonfly_mark(&f, v);
    for (uint32_t v = 0; v < w->net->nsw; v++) HD_TRY(dragonfly_lacking(&f, v));
    HD_TRY(hd_judge_cables(&f.judge));
    for (uint32_t i = 0; i < f.rule->n * f.rule->size; i++)
        if (f.rule->member[i] == HD_NOWHERE) HD_TRY(dragonfly_dead(&f, i / f.rule->size, i % f.rule->size));
    return HD_OK;
}
