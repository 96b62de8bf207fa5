/* SPDX-License-Identifier: BSD-2-Clause */
/* Port rules by majority: port p of the lower switches of a neighbourhood leads to that upper switch to which it leads
 * on more than half of them, and likewise for the ports of upper switches. A rule counts only where three switches or
 * more have a say and four fifths of the cables follow it; a fabric cabled without a rule has none.
 *
 * Parallel cables of a pair are numbered by their lower and by their upper ports; which number meets which is a
 * majority too. The majority of a port is found by Boyer and Moore's vote, whose memory does not depend on the number
 * of switches, and is then counted. Cost: O(cables + 256 neighbourhoods). */
#include "base/status.h"
#include "net/cabling/wiring.h"

#include <string.h>

enum { FEW = 3 };

uint32_t hd_rule_ports(const uint32_t rule[256], uint32_t v, uint8_t list[256])
{
    uint32_t n = 0;
    for (uint32_t p = 1; p < 256; p++)
        if (rule[p] == v) list[n++] = (uint8_t)p;
    return n;
}

/* ---- votes ------------------------------------------------------------------------------------ */

static bool rule_counts(const struct hd_wiring *w, uint32_t hood, uint32_t c, bool up)
{
    const struct hd_net *net = w->net;
    uint32_t v = net->tail[c], u = net->head[c];
    if (u >= net->nsw || w->wire[c] != HD_WIRE_FINE || net->level[u] != net->level[v] + (up ? 1 : -1)) return false;
    return up ? w->high[u] == hood : w->low[u] == hood;
}

static void rule_learn(const struct hd_wiring *w, uint32_t hood, bool up)
{
    struct hd_hood *h = &w->hood[hood];
    const struct hd_net *net = w->net;
    const uint32_t *member = up ? h->x : h->y, n = up ? h->nx : h->ny;
    uint32_t *rule = up ? h->up : h->down, votes[256] = {0}, count[256] = {0}, follow = 0;
    memset(rule, 0xff, 256 * sizeof *rule);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[member[i]]; c < net->off[member[i] + 1]; c++) {
            uint8_t p = net->port[c];
            if (!rule_counts(w, hood, c, up)) continue;
            if (!votes[p]) rule[p] = net->head[c];
            votes[p] += rule[p] == net->head[c] ? 1 : -1;
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[member[i]]; c < net->off[member[i] + 1]; c++)
            count[net->port[c]] += rule_counts(w, hood, c, up) && net->head[c] == rule[net->port[c]];
    for (uint32_t p = 0; p < 256; p++) {
        (up ? h->often_up : h->often_down)[p] = count[p] > 1 && 4 * count[p] >= n;
        if (2 * count[p] <= n)
            rule[p] = HD_NOWHERE;
        else
            follow += count[p];
    }
    *(up ? &h->has_up : &h->has_down) = n >= FEW && 5 * (uint64_t)follow >= 4 * (uint64_t)h->cables;
}

/* ---- parallel cables --------------------------------------------------------------------------- */

/* The index of more than half of these votes; 255: there is none. */
static uint8_t rule_majority(const uint32_t votes[HD_MOST_PARALLEL])
{
    uint32_t best = 0, all = 0;
    for (uint32_t i = 0; i < HD_MOST_PARALLEL; i++) {
        all += votes[i];
        if (votes[i] > votes[best]) best = i;
    }
    return 2 * votes[best] > all ? (uint8_t)best : 255;
}

/* Which of the cables of a pair, by lower ports, is which by upper ports: what most say, in all and port by port. */
static void rule_match(const struct hd_wiring *w, uint32_t hood)
{
    struct hd_hood *h = &w->hood[hood];
    const struct hd_net *net = w->net;
    uint32_t votes[HD_MOST_PARALLEL][HD_MOST_PARALLEL] = {{0}};
    uint32_t up[256][HD_MOST_PARALLEL] = {{0}}, down[256][HD_MOST_PARALLEL] = {{0}};
    for (uint32_t i = 0; i < h->nx; i++)
        for (uint32_t c = net->off[h->x[i]]; c < net->off[h->x[i] + 1]; c++) {
            uint32_t x = h->x[i], y = net->head[c], p = net->port[c], q = net->port[net->rev[c]];
            if (!rule_counts(w, hood, c, true) || h->up[p] != y || h->down[q] != x) continue;
            uint32_t a = h->up_rank[p], b = h->down_rank[q];
            if (a >= HD_MOST_PARALLEL || b >= HD_MOST_PARALLEL) continue;
            votes[a][b]++;
            up[p][b]++;
            down[q][a]++;
        }
    for (uint32_t a = 0; a < HD_MOST_PARALLEL; a++) h->match[a] = rule_majority(votes[a]);
    for (uint32_t p = 0; p < 256; p++) {
        h->up_meets[p] = rule_majority(up[p]);
        h->down_meets[p] = rule_majority(down[p]);
    }
}

/* The port of the far switch, of `n` in `far` that lead back, at which a cable of this rank among `m` ends. A switch
 * that lost a port of its rule has its others numbered anew, so the end with more ports tells which is which; `meets`
 * of a port is the rank at the other end that its cables have. */
static uint8_t rule_far_port(const uint8_t *far, uint32_t n, uint32_t m, uint32_t rank, uint8_t rank_met,
                             const uint8_t meets[256])
{
    if (n >= m) return rank_met < n ? far[rank_met] : 0;
    for (uint32_t i = 0; i < n; i++)
        if (meets[far[i]] == rank) return far[i];
    return 0;
}

uint8_t hd_rule_upper_port(const struct hd_hood *h, uint32_t x, uint32_t p)
{
    uint8_t list[256];
    const uint32_t m = h->has_up && h->up[p] != HD_NOWHERE ? hd_rule_ports(h->up, h->up[p], list) : 0;
    const uint32_t n = h->has_down ? hd_rule_ports(h->down, x, list) : 0, i = h->up_rank[p];
    if (n == 1 && m == 1) return list[0];
    const uint8_t met = n > m ? h->up_meets[p] : i < HD_MOST_PARALLEL ? h->match[i] : 255;
    return m ? rule_far_port(list, n, m, i, met, h->down_meets) : 0;
}

uint8_t hd_rule_lower_port(const struct hd_hood *h, uint32_t q, uint32_t y)
{
    uint8_t list[256], met = 255;
    const uint32_t m = h->has_down && h->down[q] != HD_NOWHERE ? hd_rule_ports(h->down, h->down[q], list) : 0;
    const uint32_t n = h->has_up ? hd_rule_ports(h->up, y, list) : 0, i = h->down_rank[q];
    if (n == 1 && m == 1) return list[0];
    for (uint32_t a = 0; a < HD_MOST_PARALLEL && n == m && met == 255; a++)
        if (h->match[a] == i) met = (uint8_t)a;
    if (n > m) met = h->down_meets[q];
    return m ? rule_far_port(list, n, m, i, met, h->up_meets) : 0;
}

/* Numbers the ports that lead to the same switch, and counts them; without a rule there are none. */
static void rule_number(const uint32_t rule[256], bool is_rule, uint8_t rank[256], uint32_t *count)
{
    for (uint32_t p = 1; p < 256; p++)
        if (rule[p] != HD_NOWHERE) rank[p] = (uint8_t)count[rule[p]]++;
    for (uint32_t p = 1; p < 256 && !is_rule; p++)
        if (rule[p] != HD_NOWHERE) count[rule[p]] = 0;
}

void hd_port_rules_learn(struct hd_wiring *w)
{
    for (uint32_t i = 0; i < w->nhood; i++) {
        struct hd_hood *h = &w->hood[i];
        rule_learn(w, i, true);
        rule_learn(w, i, false);
        rule_number(h->up, h->has_up, h->up_rank, w->nhigh);
        rule_number(h->down, h->has_down, h->down_rank, w->nlow);
        rule_match(w, i);
    }
}
