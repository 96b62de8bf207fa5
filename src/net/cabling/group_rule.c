/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules by which a dragonfly is cabled, by majority: groups, the place of a switch in its group, and which group a
 * global port leads to.
 *
 * Groups, and the ports that lead within them, are found by switch_groups.h. A switch is known by the far ports of its
 * local ports: those with the same ones have the same place in their groups, and each place is taken in most groups. A
 * global port of a place is a gate. Where a gate meets the same gate everywhere (palmtree, and what is left over on
 * smaller ones), it leads from each group the same number of groups on: positions of groups along one gate give that
 * number for the others, by vote, and all gates together the positions of the groups that faults left out. Gates that
 * lead to the groups in order are left to group_order.c. Without a rule nothing is set. Cost: O(sum over cables of the
 * neighbours of a switch + groups * gates), with a ceiling. */
#include "base/status.h"
#include "net/cabling/group_rule.h"
#include "net/core/switch_groups.h"

#include <string.h>

enum { GROUP_FEW = 3, GROUPS_FEW = 5, GROUP_STEPS = 1 << 27, GROUP_MOST = 4096 };

struct group_learner {
    struct hd_wiring *w;
    struct hd_group_rule *rule;
    const bool *local; /* [256] ports that lead within groups */
};

static bool group_is_switch(const struct hd_net *net, uint32_t c)
{
    return net->head[c] < net->nsw;
}

/* ---- groups ------------------------------------------------------------------------------------- */

static bool is_local(const struct group_learner *f, uint32_t c)
{
    const struct hd_net *net = f->w->net;
    return group_is_switch(net, c) && f->local[net->port[c]] && f->local[net->port[net->rev[c]]];
}

/* False: there are few groups, most are not of one size, or some have more. Four groups of which one lacks a switch are
 * too few for majorities: cables that are right were called extra. */
static bool number_groups(struct group_learner *f)
{
    const struct hd_grouped_switches *g = f->w->grouped;
    struct hd_group_rule *r = f->rule;
    uint32_t often[256] = {0};
    r->n = g->n;
    r->group = g->of;
    for (uint32_t k = 0; k < r->n; k++) often[g->size[k] < 255 ? g->size[k] : 255]++;
    for (uint32_t k = 0; k < 256; k++)
        if (often[k] > often[r->size]) r->size = k;
    if (r->n < GROUP_FEW || r->n > GROUP_MOST || r->size < GROUP_FEW || 3 * often[r->size] < 2 * r->n) return false;
    if (r->n < GROUPS_FEW && often[r->size] < r->n) return false;
    for (uint32_t k = 0; k < r->n; k++)
        if (g->size[k] > r->size || 2 * g->size[k] <= r->size) return false;
    return true;
}

/* ---- places in a group -------------------------------------------------------------------------- */

/* The far port of local port p of v; 0: it is free, or leads elsewhere. */
static uint8_t far_within(const struct group_learner *f, uint32_t v, uint32_t p)
{
    const struct hd_net *net = f->w->net;
    uint32_t c = hd_wiring_at(net, v, p);
    if (c == HD_NOWHERE || !is_local(f, c) || f->rule->group[net->head[c]] != f->rule->group[v]) return 0;
    return net->port[net->rev[c]];
}

static uint32_t places_agree(const struct group_learner *f, uint32_t v, const uint8_t far[256], uint32_t *all)
{
    uint32_t same = 0;
    *all = 0;
    for (uint32_t p = 1; p < 256; p++) {
        if (!f->local[p]) continue;
        uint8_t q = far_within(f, v, p);
        *all += q != 0;
        same += q && q == far[p];
    }
    return same;
}

/* The far ports of a switch whose local ports are all in use are a place, if switches of more than half of the groups
 * agree with most of them; places differ in nearly all. False: there are not as many as a group has switches. */
static bool find_places(struct group_learner *f)
{
    struct hd_group_rule *r = f->rule;
    const uint32_t nsw = f->w->net->nsw, patience = 2 * r->size + 16; /* a look at all switches each */
    uint32_t found = 0, refused = 0, all;
    for (uint32_t v = 0; v < nsw && found < r->size; v++) {
        uint8_t far[256] = {0};
        uint32_t equal = 0, full = 0;
        bool known = false;
        for (uint32_t p = 1; p < 256; p++) {
            far[p] = f->local[p] ? far_within(f, v, p) : 0;
            full += far[p] != 0;
        }
        for (uint32_t k = 0; k < found && !known; k++) known = 2 * places_agree(f, v, r->place[k].far, &all) > full;
        if (known || full + 1 < r->size) continue;
        for (uint32_t u = 0; u < nsw; u++) equal += 2 * places_agree(f, u, far, &all) > full;
        if (2 * equal > r->n)
            memcpy(r->place[found++].far, far, 256);
        else if (++refused > patience)
            return false;
    }
    return found == r->size;
}

/* The place that no other switch of the group has; HD_NOWHERE: several are free, or none. */
static uint32_t only_place(const struct hd_group_rule *r, const uint32_t *member)
{
    uint32_t found = HD_NOWHERE;
    for (uint32_t k = 0; k < r->size; k++) {
        if (member[k] != HD_NOWHERE) continue;
        if (found != HD_NOWHERE) return HD_NOWHERE;
        found = k;
    }
    return found;
}

/* Each switch gets the free place that most of its far ports agree with: first those that are sure, then the rest; one
 * without local cables what is left over. False: two of a group are sure of the same, or none is left that any port
 * speaks for. */
static bool assign_places(struct group_learner *f)
{
    struct hd_group_rule *r = f->rule;
    uint32_t nsw = f->w->net->nsw;
    memset(r->at, 0xff, nsw);
    for (int sure = 1; sure >= 0; sure--)
        for (uint32_t v = 0; v < nsw; v++) {
            uint32_t best = HD_NOWHERE, most = 0, all = 0, *member = &r->member[(size_t)r->group[v] * r->size];
            for (uint32_t k = 0; k < r->size && r->at[v] == 255; k++) {
                uint32_t same = places_agree(f, v, r->place[k].far, &all);
                if (same <= most || (!sure && member[k] != HD_NOWHERE)) continue;
                most = same;
                best = k;
            }
            if (r->at[v] != 255 || (sure && 2 * most <= all)) continue;
            if (best == HD_NOWHERE && !all) best = only_place(r, member);
            if (best == HD_NOWHERE || member[best] != HD_NOWHERE) return false;
            member[best] = v;
            r->at[v] = (uint8_t)best;
        }
    return true;
}

static uint8_t most_votes(const uint32_t votes[256])
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < 256; i++)
        if (votes[i] > votes[best]) best = i;
    return (uint8_t)best;
}

/* Which port and place a local port of a place leads to, by vote over all groups. */
static void learn_within(struct group_learner *f)
{
    const struct hd_net *net = f->w->net;
    struct hd_group_rule *r = f->rule;
    for (uint32_t k = 0; k < r->size; k++)
        for (uint32_t p = 1; p < 256; p++) {
            uint32_t far[256] = {0}, to[256] = {0};
            if (!r->place[k].far[p]) continue;
            for (uint32_t g = 0; g < r->n; g++) {
                uint32_t v = r->member[(size_t)g * r->size + k];
                if (v == HD_NOWHERE || !far_within(f, v, p)) continue;
                uint32_t c = hd_wiring_at(net, v, p);
                far[net->port[net->rev[c]]]++;
                to[r->at[net->head[c]]]++;
            }
            r->place[k].far[p] = most_votes(far);
            r->place[k].to[p] = most_votes(to);
        }
}

/* ---- gates -------------------------------------------------------------------------------------- */

uint32_t hd_group_gate_end(const struct hd_net *net, const struct hd_group_rule *r, uint32_t g, uint32_t gate,
                           uint32_t *group)
{
    uint32_t v = r->member[(size_t)g * r->size + r->gate[gate].place];
    uint32_t c = v == HD_NOWHERE ? v : hd_wiring_at(net, v, r->gate[gate].port);
    if (c == HD_NOWHERE || !group_is_switch(net, c)) return HD_NOWHERE;
    *group = r->group[net->head[c]];
    return r->number[256u * r->at[net->head[c]] + net->port[net->rev[c]]];
}

uint32_t hd_group_gate_leads(const struct hd_group_rule *r, uint32_t g, uint32_t gate, uint32_t *far)
{
    const uint32_t from = r->position[g], step = r->gate[gate].step;
    if (!r->ordered) {
        *far = r->gate[gate].far;
        return r->at_position[(from + step) % r->n];
    }
    const uint32_t to = from > step ? step : step + 1;
    *far = r->gate_at[from < to ? from : from - 1];
    return r->at_position[to];
}

/* Ports that are not local and that most groups use, place by place. Not found: too many cables between groups are in
 * other ports. */
static hd_status find_gates(struct group_learner *f, bool *found)
{
    const struct hd_net *net = f->w->net;
    struct hd_group_rule *r = f->rule;
    uint32_t *use = HD_NEW(f->w->arena, uint32_t, 256 * (size_t)r->size);
    r->gate = HD_NEW(f->w->arena, struct hd_group_gate, 256 * (size_t)r->size);
    r->number = HD_NEW(f->w->arena, uint32_t, 256 * (size_t)r->size);
    if (!use || !r->gate || !r->number) return hd_fail_memory(f->w->ctx);
    memset(r->number, 0xff, 256 * (size_t)r->size * sizeof *r->number);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (group_is_switch(net, c) && !f->local[net->port[c]]) use[256u * r->at[net->tail[c]] + net->port[c]]++;
    uint64_t all = 0, others = 0;
    for (uint32_t i = 0; i < 256 * r->size; i++) {
        all += use[i];
        others += 2 * use[i] <= r->n ? use[i] : 0;
        if (2 * use[i] <= r->n) continue;
        r->number[i] = r->ngate;
        r->gate[r->ngate++] = (struct hd_group_gate){.place = (uint8_t)(i / 256), .port = (uint8_t)(i % 256)};
    }
    *found = r->ngate && 16 * others <= all;
    return HD_OK;
}

/* Which gate each meets; false: some meet none in most groups. */
static hd_status pair_gates(struct group_learner *f, bool *found)
{
    struct hd_group_rule *r = f->rule;
    uint32_t *votes = HD_NEW(f->w->arena, uint32_t, r->ngate);
    if (!votes) return hd_fail_memory(f->w->ctx);
    for (uint32_t k = 0; k < r->ngate && *found; k++) {
        uint32_t best = 0, to;
        memset(votes, 0, r->ngate * sizeof *votes);
        for (uint32_t g = 0; g < r->n; g++) {
            uint32_t end = hd_group_gate_end(f->w->net, r, g, k, &to);
            if (end != HD_NOWHERE) votes[end]++;
        }
        for (uint32_t i = 0; i < r->ngate; i++)
            if (votes[i] > votes[best]) best = i;
        r->gate[k].far = best;
        *found = 2 * votes[best] > r->n;
    }
    for (uint32_t k = 0; k < r->ngate && *found; k++) *found = r->gate[r->gate[k].far].far == k;
    return HD_OK;
}

/* The group that a gate leads to, by its pair of gates; HD_NOWHERE: it is free, or meets another gate. */
static uint32_t gate_leads(const struct group_learner *f, uint32_t g, uint32_t gate)
{
    uint32_t to = HD_NOWHERE;
    return hd_group_gate_end(f->w->net, f->rule, g, gate, &to) == f->rule->gate[gate].far ? to : HD_NOWHERE;
}

/* Positions along a gate, of the longest row of groups that it leads through; returns how many. */
static uint32_t line_up(const struct group_learner *f, uint32_t gate, uint32_t *position)
{
    const struct hd_group_rule *r = f->rule;
    uint32_t longest = 0, start = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t g = pass ? start : 0; g < (pass ? start + 1 : r->n); g++) {
            uint32_t n = 0;
            bool first = gate_leads(f, g, r->gate[gate].far) == HD_NOWHERE || g == 0 || pass;
            for (uint32_t u = g; first && u != HD_NOWHERE && n < r->n; u = gate_leads(f, u, gate)) {
                if (n && u == g) break;
                if (pass) position[u] = n;
                n++;
            }
            if (n > longest) longest = n, start = g;
        }
    }
    return longest;
}

/* How many positions on a gate leads, as most groups with a position say. */
static uint32_t gate_step(const struct group_learner *f, uint32_t gate, const uint32_t *position, uint32_t *votes)
{
    const struct hd_group_rule *r = f->rule;
    uint32_t best = 0, all = 0;
    memset(votes, 0, r->n * sizeof *votes);
    for (uint32_t g = 0; g < r->n; g++) {
        uint32_t to = gate_leads(f, g, gate);
        if (to == HD_NOWHERE || position[g] == HD_NOWHERE || position[to] == HD_NOWHERE) continue;
        votes[(position[to] + r->n - position[g]) % r->n]++;
        all++;
    }
    for (uint32_t s = 0; s < r->n; s++)
        if (votes[s] > votes[best]) best = s;
    return 2 * votes[best] > all ? best : HD_NOWHERE;
}

/* The position that most gates of a group say it has. */
static uint32_t vote_position(const struct group_learner *f, uint32_t g, const uint32_t *position, uint32_t *votes)
{
    const struct hd_group_rule *r = f->rule;
    uint32_t best = 0;
    memset(votes, 0, r->n * sizeof *votes);
    for (uint32_t k = 0; k < r->ngate; k++) {
        uint32_t to = gate_leads(f, g, k);
        if (to != HD_NOWHERE && position[to] != HD_NOWHERE) votes[(position[to] + r->n - r->gate[k].step) % r->n]++;
    }
    for (uint32_t s = 0; s < r->n; s++)
        if (votes[s] > votes[best]) best = s;
    return votes[best] ? best : HD_NOWHERE;
}

/* Steps of all gates and positions of all groups; not found: they contradict each other. */
static hd_status find_positions(struct group_learner *f, bool *found)
{
    struct hd_group_rule *r = f->rule;
    uint32_t *position, *votes, gate = 0, longest = 0;
    if (!HD_NEW_U32(f->w->arena, r->n, &position, &votes, &r->position, &r->at_position))
        return hd_fail_memory(f->w->ctx);
    for (uint32_t k = 0; k < r->ngate && longest < r->n; k++) {
        uint32_t n = line_up(f, k, votes);
        if (n > longest) longest = n, gate = k;
    }
    memset(position, 0xff, r->n * sizeof *position);
    *found = 2 * line_up(f, gate, position) > r->n;
    for (uint32_t k = 0; k < r->ngate && *found; k++) {
        r->gate[k].step = gate_step(f, k, position, votes);
        *found = r->gate[k].step != HD_NOWHERE;
    }
    memset(r->at_position, 0xff, r->n * sizeof *r->at_position);
    for (uint32_t g = 0; g < r->n && *found; g++) {
        r->position[g] = vote_position(f, g, position, votes);
        *found = r->position[g] != HD_NOWHERE && r->at_position[r->position[g]] == HD_NOWHERE;
        if (*found) r->at_position[r->position[g]] = g;
    }
    return HD_OK;
}

/* Whether more than one cable in 32 leads from the right port to the right port of another group than the rule says:
 * where a whole group is absent, positions are not those modulo the number of groups. */
static bool rule_is_contradicted(const struct group_learner *f)
{
    const struct hd_group_rule *r = f->rule;
    uint64_t known = 0, wrong = 0;
    for (uint32_t g = 0; g < r->n; g++)
        for (uint32_t k = 0; k < r->ngate; k++) {
            uint32_t to = gate_leads(f, g, k), far;
            known += to != HD_NOWHERE;
            wrong += to != HD_NOWHERE && to != hd_group_gate_leads(r, g, k, &far);
        }
    return 32 * wrong > known;
}

/* ---- the rule ------------------------------------------------------------------------------------ */

static bool group_may_be(const struct hd_net *net)
{
    uint64_t steps = 0;
    if (net->shape.kind != HD_SHAPE_NONE) return false;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] != 1 && !net->unplaced[v]) return false; /* in a dragonfly every switch has endpoints */
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (group_is_switch(net, c)) steps += hd_degree(net, net->head[c]);
    return steps <= GROUP_STEPS;
}

/* Cables of v to other switches in ports that lead between groups; 0: it has others. */
static uint32_t group_global_cables(const struct hd_net *net, const struct hd_grouped_switches *g, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!group_is_switch(net, c)) continue;
        if (g->local[net->port[c]] || g->local[net->port[net->rev[c]]]) return 0;
        n++;
    }
    return n;
}

/* The group with `size` switches; HD_NOWHERE: there is none or more than one. */
static uint32_t group_of_size(const struct hd_grouped_switches *g, uint32_t size)
{
    uint32_t found = HD_NOWHERE;
    for (uint32_t k = 0; k < g->n; k++) {
        if (g->size[k] != size) continue;
        if (found != HD_NOWHERE) return HD_NOWHERE;
        found = k;
    }
    return found;
}

/* A switch that lost all cables to its group is a group of its own, and its group is the only one that is short of one
 * switch. It has only cables between groups, and at least half as many as others of that group. */
static void group_take_in(const struct hd_net *net, struct hd_grouped_switches *g)
{
    uint32_t most = 0, full = 0, lone = HD_NOWHERE, others = 0;
    for (uint32_t k = 0; k < g->n; k++)
        if (g->size[k] > most) most = g->size[k];
    if (most <= GROUP_FEW) return;
    for (uint32_t k = 0; k < g->n; k++) full += g->size[k] == most;
    const uint32_t from = group_of_size(g, 1), to = group_of_size(g, most - 1);
    if (!g->flat || from == HD_NOWHERE || to == HD_NOWHERE || full + 2 != g->n || full < GROUP_FEW) return;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (g->of[v] == from) lone = v;
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && g->of[v] == to; c++)
            others += group_is_switch(net, c) && g->of[net->head[c]] != to;
    }
    if (lone == HD_NOWHERE || 2 * (most - 1) * group_global_cables(net, g, lone) < others) return;
    g->of[lone] = to;
    g->size[to]++;
    for (uint32_t v = 0; v < net->nsw; v++) g->of[v] -= g->of[v] > from;
    for (uint32_t k = from; k + 1 < g->n; k++) g->size[k] = g->size[k + 1];
    g->used -= from < g->used;
    g->n--;
}

static hd_status group_find(struct hd_wiring *w)
{
    const uint32_t nsw = w->net->nsw;
    struct hd_grouped_switches *g = HD_NEW(w->arena, struct hd_grouped_switches, 1);
    uint32_t *order = HD_NEW(w->arena, uint32_t, (size_t)nsw + 1);
    if (!g || !order) return hd_fail_memory(w->ctx);
    for (uint32_t v = 0; v < nsw; v++) order[v] = v;
    HD_TRY(hd_switch_groups_find(w->ctx, w->arena, w->net, order, g));
    if (g->n) group_take_in(w->net, g);
    if (g->n) w->grouped = g;
    return HD_OK;
}

hd_status hd_group_rule_learn(struct hd_wiring *w)
{
    const uint32_t nsw = w->net->nsw;
    struct hd_group_rule *r = HD_NEW(w->arena, struct hd_group_rule, 1);
    struct group_learner f = {.w = w, .rule = r};
    if (w->tree || !group_may_be(w->net)) return HD_OK;
    if (!r) return hd_fail_memory(w->ctx);
    HD_TRY(group_find(w));
    if (!w->grouped || !number_groups(&f)) return HD_OK;
    f.local = w->grouped->local;
    r->place = HD_NEW(w->arena, struct hd_group_place, r->size);
    r->at = HD_NEW(w->arena, uint8_t, nsw);
    r->member = HD_NEW(w->arena, uint32_t, (size_t)r->n * r->size);
    if (!r->place || !r->at || !r->member) return hd_fail_memory(w->ctx);
    memset(r->member, 0xff, (size_t)r->n * r->size * sizeof *r->member);
    bool found = find_places(&f) && assign_places(&f);
    if (!found) return HD_OK;
    learn_within(&f);
    HD_TRY(find_gates(&f, &found));
    const bool gates = found;
    if (found) HD_TRY(pair_gates(&f, &found));
    if (found) HD_TRY(find_positions(&f, &found));
    found = found && !rule_is_contradicted(&f);
    if (gates && !found) HD_TRY(hd_group_order_learn(w, r, &found));
    if (found) w->groups = r;
    return HD_OK;
}

bool hd_group_expects(const struct hd_group_rule *r, uint32_t v, uint32_t port, struct hd_group_end *end)
{
    const struct hd_group_place *place = &r->place[r->at[v]];
    uint32_t gate = r->number[256u * r->at[v] + port];
    if (place->far[port]) {
        *end = (struct hd_group_end){r->group[v], place->to[port], place->far[port]};
    } else if (gate != HD_NOWHERE) {
        uint32_t far, group = hd_group_gate_leads(r, r->group[v], gate, &far);
        *end = (struct hd_group_end){group, r->gate[far].place, r->gate[far].port};
    } else {
        return false;
    }
    return true;
}
