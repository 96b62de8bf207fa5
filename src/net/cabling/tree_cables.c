/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables of a tree that should be there and are not, and those that should not be there.
 *
 * In a neighbourhood the rules say which ports connect each pair of switches: a cable in a port that the rule gives to
 * another switch is surplus, and so is one that was set aside; a pair with too few others lacks some. Both are then
 * held against each other (judge_cables.c). Cables in other ports between the right switches do no harm and are not
 * mentioned. The two rules may differ, since a switch that has lost cables to half of its neighbours has no majority
 * for them: then the larger number counts if the switch has most of what the others say, else it may have been built
 * so, and is only called uneven.
 * A neighbourhood that lacks a third of its cables was not built by its rules, and nothing is said about it.
 * Cost: O(pairs + cables). */
#include "base/status.h"
#include "net/cabling/wiring.h"

#include <string.h>

struct pair_counter {
    struct hd_wiring *w;
    struct hd_judge judge;
    uint32_t *have;               /* [nsw] cables from the current lower switch; zero between switches */
    bool *usual_low, *usual_high; /* [nsw] whether a switch has more than half of what the rule of the others says */
};

/* ---- one neighbourhood -------------------------------------------------------------------------- */

/* Cables that the rules ask for between x and y. */
static uint32_t pair_needs(const struct pair_counter *k, const struct hd_hood *h, uint32_t x, uint32_t y)
{
    const uint32_t up = k->w->nhigh[y], down = k->w->nlow[x];
    if (!h->has_up) return down;
    if (!h->has_down) return up;
    if (down < up) return k->usual_low[x] ? up : down;
    return k->usual_high[y] ? down : up;
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

/* Which switches have most of the cables that their neighbourhood gives to one of them. */
static void hood_find_usual(struct pair_counter *k, uint32_t hood)
{
    const struct hd_wiring *w = k->w;
    const struct hd_net *net = w->net;
    const struct hd_hood *h = &w->hood[hood];
    uint64_t up = 0, down = 0;
    for (uint32_t j = 0; j < h->ny; j++) up += w->nhigh[h->y[j]];
    for (uint32_t i = 0; i < h->nx; i++) down += w->nlow[h->x[i]];
    for (uint32_t i = 0; i < h->nx; i++) {
        uint32_t n = 0;
        for (uint32_t c = net->off[h->x[i]]; c < net->off[h->x[i] + 1]; c++) n += pair_counts(w, hood, c);
        k->usual_low[h->x[i]] = 2 * (uint64_t)n > up;
    }
    for (uint32_t j = 0; j < h->ny; j++) {
        uint32_t n = 0;
        for (uint32_t c = net->off[h->y[j]]; c < net->off[h->y[j] + 1]; c++)
            n += net->head[c] < net->nsw && w->low[net->head[c]] == hood && pair_counts(w, hood, net->rev[c]);
        k->usual_high[h->y[j]] = 2 * (uint64_t)n > down;
    }
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
            bool alien = (!h->has_up || h->up[p] == HD_NOWHERE) && (!h->has_down || h->down[q] == HD_NOWHERE) &&
                         !h->often_up[p] && !h->often_down[q];
            if (ruled ? !pair_is_misfit(h, net, c) : !alien || k->have[y] <= pair_needs(k, h, x, y)) continue;
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
    hood_find_usual(k, hood);
    for (uint32_t i = 0; i < h->nx; i++) {
        mark_surplus(k, hood, h->x[i]);
        pairs_of_lower(k, hood, h->x[i]);
        for (uint32_t j = 0; j < h->ny; j++) {
            uint32_t need = pair_needs(k, h, h->x[i], h->y[j]), have = k->have[h->y[j]];
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

/* The only port of a switch without a cable that is promised to none, 0: there is none or more than one. */
static uint8_t only_free_port(const struct pair_counter *k, uint32_t v)
{
    const struct hd_net *net = k->w->net;
    uint8_t only = 0;
    for (uint32_t port = 1; port <= net->nports[v]; port++) {
        if (hd_wiring_at(net, v, port) != HD_NOWHERE || !hd_judge_is_open(&k->judge, v, port)) continue;
        if (only) return 0;
        only = (uint8_t)port;
    }
    return only;
}

/* Of the ports that lead to the other end by rule, one that is open; else the only free one that no rule claims. */
static uint8_t pair_port(const struct pair_counter *k, const struct hd_hood *h, uint32_t v, uint32_t to, bool upper)
{
    const uint32_t *rule = upper ? h->down : h->up;
    bool is_rule = upper ? h->has_down : h->has_up;
    uint8_t list[256];
    uint32_t n = is_rule ? hd_rule_ports(rule, to, list) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (hd_judge_is_open(&k->judge, v, list[i])) return list[i];
    uint8_t port = only_free_port(k, v);
    return port && (!is_rule || rule[port] == HD_NOWHERE) ? port : 0;
}

static hd_status add_lacking(struct pair_counter *k, const struct hd_hood *h, uint32_t x, uint32_t y)
{
    uint8_t p = pair_port(k, h, x, y, false);
    uint8_t q = p && h->has_up ? hd_rule_upper_port(h, x, p) : 0;
    if (!hd_judge_is_open(&k->judge, y, q)) {
        q = pair_port(k, h, y, x, true);
        uint8_t other = q && h->has_down && h->down[q] == x ? hd_rule_lower_port(h, q, y) : 0;
        if (hd_judge_is_open(&k->judge, x, other)) p = other;
    }
    return hd_judge_lacks(&k->judge, (struct hd_slot){x, p}, (struct hd_slot){y, q});
}

/* Cables between x and y that one rule asks for and the other does not count against the one that lacks them. */
static void pair_uneven(struct pair_counter *k, const struct hd_hood *h, uint32_t x, uint32_t y, uint32_t need)
{
    const uint32_t up = k->w->nhigh[y], down = k->w->nlow[x], most = up > down ? up : down;
    const uint32_t granted = k->have[y] > need ? k->have[y] : need;
    if (h->has_up && h->has_down && granted < most) k->w->uneven[down < up ? x : y] += most - granted;
}

static hd_status hood_lacking(struct pair_counter *k, uint32_t hood)
{
    const struct hd_hood *h = &k->w->hood[hood];
    for (uint32_t i = 0; i < h->nx; i++) {
        pairs_of_lower(k, hood, h->x[i]);
        for (uint32_t j = 0; j < h->ny; j++) {
            const uint32_t x = h->x[i], y = h->y[j], need = pair_needs(k, h, x, y);
            pair_uneven(k, h, x, y, need);
            for (uint32_t n = k->have[y]; n < need; n++) HD_TRY(add_lacking(k, h, x, y));
        }
        pairs_forget(k, h->x[i]);
    }
    return HD_OK;
}

/* Ports of v that the rules give to u. */
static uint32_t tree_ports_towards(const struct hd_judge *k, uint32_t v, uint32_t u, uint8_t list[256])
{
    const struct hd_wiring *w = k->w;
    bool upper = w->net->level[v] > w->net->level[u];
    uint32_t hood = upper ? w->high[v] : w->low[v];
    if (hood == HD_NOWHERE) return 0;
    const struct hd_hood *h = &w->hood[hood];
    return (upper ? h->has_down : h->has_up) ? hd_rule_ports(upper ? h->down : h->up, u, list) : 0;
}

/* ---- leaf switches without uplinks ---------------------------------------------------------------- */

static uint32_t leaf_uplinks(const struct hd_wiring *w, uint32_t v, uint32_t *bridges)
{
    const struct hd_net *net = w->net;
    uint32_t up = 0;
    *bridges = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (net->head[c] >= net->nsw) continue;
        up += net->level[net->head[c]] == net->level[v] + 1;
        *bridges += w->wire[c] == HD_WIRE_BRIDGE;
    }
    return up;
}

/* A leaf switch that hangs on a stray cable alone lost its uplinks, or somebody added it: it may lack as many as most
 * leaf switches have. */
static void leaves_uneven(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    uint32_t often[256] = {0}, usual = 0, bridges;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] == 1) often[leaf_uplinks(w, v, &bridges) & 255]++;
    for (uint32_t n = 1; n < 256; n++)
        if (often[n] > often[usual]) usual = n;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] == 1 && !leaf_uplinks(w, v, &bridges) && bridges) w->uneven[v] = usual;
}

hd_status hd_tree_cables_find(struct hd_wiring *w)
{
    struct pair_counter k = {.w = w, .judge = {.ports = tree_ports_towards}};
    if (!w->tree) return HD_OK;
    HD_TRY(hd_judge_init(w, &k.judge));
    k.have = HD_NEW(w->arena, uint32_t, w->net->nsw);
    k.usual_low = HD_NEW(w->arena, bool, w->net->nsw);
    k.usual_high = HD_NEW(w->arena, bool, w->net->nsw);
    if (!k.have || !k.usual_low || !k.usual_high) return hd_fail_memory(w->ctx);
    for (uint32_t i = 0; i < w->nhood; i++) w->hood[i].clear = hood_is_clear(&k, i);
    for (uint32_t i = 0; i < w->nhood; i++)
        if (w->hood[i].clear) HD_TRY(hood_lacking(&k, i));
    leaves_uneven(w);
    return hd_judge_cables(&k.judge);
}
