/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches that are gone, by the hole they leave in the port rules.
 *
 * A port of the lower switches of a neighbourhood that all of them leave free, though it lies between ports that lead
 * up, belonged to an upper switch; so did one at the end of the row if most other neighbourhoods of the level use it.
 * So it did too if names count along the row and that of its switch would be number 1, or if no other port is free
 * where as many were to lead up as down. What nearly all neighbourhoods leave free is left free on purpose, and rows
 * with many holes are no rows. With parallel cables the holes are grouped as the ports of the upper switches are that
 * are present. The ports of the dead switch itself follow from the rule of its equals.
 *
 * A dead switch that had parents (a line card) leaves a hole in their ports too. Its neighbourhood above is that of
 * its equals; if it is the only one missing there, and there is one hole, that is it. Holes in the ports of parents
 * alone are no evidence: those of switches never bought look the same. A leaf switch is missed nevertheless if its
 * place lies between others and the names along the row leave out its own; so are, as vacant places that may never have
 * been filled, upper and leaf switches of which there are too many for this. A switch without any cable is dead, and
 * fills a hole if there is one of each. Cost: O(256 switches). */
#include "base/status.h"
#include "net/cabling/wiring.h"

#include <string.h>

enum { LEAST_LEAVES = 4, LEAST_SPINES = 3 }; /* that must agree on what is no hole between others */

struct dead_switch {
    uint32_t hood;  /* in which it was an upper switch; HD_NOWHERE: in none */
    uint32_t above; /* in which it was a lower one; HD_NOWHERE: not known, or there is none */
    uint32_t n;     /* ports of a lower switch that led to it */
    uint8_t port[HD_MOST_PARALLEL];
    bool unclear;  /* it had others, and so another place in the row */
    uint32_t nrow; /* and ports of an upper one */
    uint8_t row[HD_MOST_PARALLEL];
    uint32_t node; /* HD_NOWHERE: not in the network */
    const char *name;
};

struct port_tally { /* neighbourhoods of one level that leave a port free, and that use it by rule */
    uint32_t holes[256], ruled[256];
};

struct dead_finder {
    struct hd_wiring *w;
    struct port_tally *tally[2]; /* by level: ports of upper, of lower switches */
    uint8_t *up;                 /* [nhood * 256] enum port_use of a port of the lower switches */
    uint8_t *down;               /* [nhood * 256] of the upper ones */
    struct dead_switch *dead;
    uint32_t n, room;
};

enum port_use { PORT_MIXED, PORT_RULED, PORT_FREE };

/* ---- holes ----------------------------------------------------------------------------------- */

/* Which ports all these switches leave free, but for cables that should not be there. */
static void find_free_ports(const struct hd_wiring *w, const uint32_t *member, uint32_t n, const uint32_t rule[256],
                            uint8_t use[256])
{
    const struct hd_net *net = w->net;
    for (uint32_t p = 1; p < 256; p++) use[p] = PORT_FREE;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t c = net->off[member[i]]; c < net->off[member[i] + 1]; c++)
            if (w->wire[c] == HD_WIRE_FINE) use[net->port[c]] = PORT_MIXED;
        for (uint32_t p = net->nports[member[i]] + 1u; p < 256; p++) use[p] = PORT_MIXED;
    }
    for (uint32_t p = 1; p < 256; p++)
        if (rule[p] != HD_NOWHERE) use[p] = PORT_RULED;
}

/* Whether port p lies in a row of holes between two ports of the rule. */
static bool lies_between(const uint8_t use[256], uint32_t p)
{
    uint32_t a = p, b = p;
    while (a > 1 && use[a] == PORT_FREE) a--;
    while (b < 255 && use[b] == PORT_FREE) b++;
    return use[a] == PORT_RULED && use[b] == PORT_RULED;
}

static bool hood_is_sound(const struct hd_hood *h, bool up)
{
    return h->clear && (up ? h->has_up : h->has_down);
}

static void tally_ports(struct dead_finder *f, uint32_t hood, bool up)
{
    const struct hd_hood *h = &f->w->hood[hood];
    const uint8_t *use = (up ? f->up : f->down) + (size_t)hood * 256;
    for (uint32_t p = 1; p < 256 && hood_is_sound(h, up); p++) {
        f->tally[up][h->level].holes[p] += use[p] == PORT_FREE;
        f->tally[up][h->level].ruled[p] += use[p] == PORT_RULED;
    }
}

/* The holes of a neighbourhood that a dead switch explains, in list; returns how many. */
static uint32_t find_holes(const struct dead_finder *f, uint32_t hood, bool up, uint8_t list[256])
{
    const struct hd_hood *h = &f->w->hood[hood];
    const uint8_t *use = (up ? f->up : f->down) + (size_t)hood * 256;
    uint32_t n = 0, ruled = 0;
    if (!hood_is_sound(h, up)) return 0;
    for (uint32_t p = 1; p < 256; p++) {
        uint32_t free_too = f->tally[up][h->level].holes[p], used = f->tally[up][h->level].ruled[p];
        ruled += use[p] == PORT_RULED;
        if (use[p] != PORT_FREE) continue;
        bool between = lies_between(use, p) && (free_too == 1 || free_too * 3 <= free_too + used);
        if (between || (used >= 2 && free_too * 3 <= free_too + used)) list[n++] = (uint8_t)p;
    }
    return n * 3 <= ruled ? n : 0;
}

/* ---- grouping -------------------------------------------------------------------------------- */

/* Ports that lead to one switch, relative to the first of them, as most switches have them; returns how many. */
static uint32_t find_stride(const uint32_t rule[256], const uint32_t *member, uint32_t n, uint8_t stride[256])
{
    uint32_t k = 0, votes = 0;
    for (uint32_t turn = 0; turn < 2; turn++) { /* vote, then count */
        uint32_t same = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint8_t list[256];
            uint32_t m = hd_rule_ports(rule, member[i], list);
            for (uint32_t j = m; j-- > 0;) list[j] = (uint8_t)(list[j] - list[0]);
            bool equal = m == k && memcmp(list, stride, m) == 0;
            same += equal;
            if (turn) continue;
            if (!votes) {
                k = m;
                memcpy(stride, list, m);
            }
            votes += equal || !votes ? 1 : -1;
        }
        if (turn && 2 * same <= n) return 0;
    }
    return k;
}

/* The first ports of switches that may be gone from hole p, from the last one down, in base; returns how many. */
static uint32_t list_fits(const uint8_t use[256], const uint8_t *stride, uint32_t k, uint32_t p,
                          uint8_t base[HD_MOST_PARALLEL])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k && k <= HD_MOST_PARALLEL; i++) {
        bool all = p > stride[i];
        for (uint32_t j = 0; all && j < k; j++)
            all = p - stride[i] + stride[j] < 256 && use[p - stride[i] + stride[j]] == PORT_FREE;
        if (all) base[n++] = (uint8_t)(p - stride[i]);
    }
    return n;
}

/* The ports of one dead switch to which hole p belongs, in port; returns how many. Those that may belong to it or to
 * none, because ports beside are free as well, are left out: it has the ports of every fit. */
static uint32_t group_holes(const uint8_t use[256], const uint8_t *stride, uint32_t k, uint32_t p, uint8_t *port)
{
    uint8_t base[HD_MOST_PARALLEL];
    const uint32_t fits = list_fits(use, stride, k, p, base);
    uint32_t count[256] = {0}, n = 0;
    for (uint32_t i = 0; i < fits; i++)
        for (uint32_t j = 0; j < k; j++) count[base[i] + stride[j]]++;
    for (uint32_t q = 1; q < 256; q++)
        if (fits ? count[q] == fits : q == p) port[n++] = (uint8_t)q;
    return n;
}

/* ---- what is gone ------------------------------------------------------------------------------ */

/* The neighbourhood above in which the switches are that port p leads to elsewhere, or those beside it here. */
static uint32_t find_above(const struct dead_finder *f, uint32_t hood, uint32_t p)
{
    const struct hd_wiring *w = f->w;
    uint32_t above = HD_NOWHERE;
    for (uint32_t i = 0; i < w->nhood; i++) {
        const struct hd_hood *h = &w->hood[i];
        if (i == hood || h->level != w->hood[hood].level || !h->has_up || h->up[p] == HD_NOWHERE) continue;
        uint32_t other = w->low[h->up[p]];
        if (above != HD_NOWHERE && other != above) return HD_NOWHERE;
        above = other;
    }
    if (above != HD_NOWHERE) return above;
    for (uint32_t q = p - 1; q <= p + 1; q += 2) {
        uint32_t y = q > 0 && q < 256 ? w->hood[hood].up[q] : HD_NOWHERE;
        if (y == HD_NOWHERE || w->low[y] == HD_NOWHERE) return HD_NOWHERE;
        if (above != HD_NOWHERE && w->low[y] != above) return HD_NOWHERE;
        above = w->low[y];
    }
    return above;
}

static void dead_row(const struct dead_finder *f, uint32_t hood, bool up, struct hd_row *row)
{
    const struct hd_hood *h = &f->w->hood[hood];
    const uint32_t *rule = up ? h->up : h->down;
    const uint8_t *rank = up ? h->up_rank : h->down_rank;
    row->n = 0;
    for (uint32_t p = 1; p < 256; p++)
        if (rule[p] != HD_NOWHERE && !rank[p]) hd_row_add(row, p, rule[p]);
    for (uint32_t i = 0; i < f->n; i++) {
        const struct dead_switch *d = &f->dead[i];
        if (up && d->hood == hood && !d->unclear) hd_row_add(row, d->port[0], HD_NOWHERE);
        if (!up && d->above == hood && d->nrow) hd_row_add(row, d->row[0], HD_NOWHERE);
    }
}

static const char *dead_name(const struct dead_finder *f, uint32_t hood, bool up, uint32_t port, bool certain,
                             uint32_t *number)
{
    struct hd_row row;
    dead_row(f, hood, up, &row);
    if (hd_row_place(&row, port) == row.n) hd_row_add(&row, port, HD_NOWHERE);
    return hd_row_name(f->w, &row, hd_row_place(&row, port), certain, number);
}

/* Whether the lower switches leave these k ports free and no other, and had as many ports up as down with them. */
static bool completes_ports(const struct hd_wiring *w, const struct hd_hood *h, const uint8_t use[256], uint32_t k)
{
    const struct hd_net *net = w->net;
    uint32_t count[3] = {0}, hosts = 0;
    bool host[256] = {0};
    for (uint32_t i = 0; i < h->nx; i++) {
        if (net->nports[h->x[i]] != net->nports[h->x[0]]) return false;
        for (uint32_t c = net->off[h->x[i]]; c < net->off[h->x[i] + 1]; c++) {
            uint32_t e = net->head[c];
            if (e >= net->nsw && net->ca_role[net->ca[e - net->nsw]] == HD_ROLE_HOST) host[net->port[c]] = true;
        }
    }
    for (uint32_t p = 1; p <= net->nports[h->x[0]]; p++) {
        count[use[p]]++;
        hosts += host[p] && use[p] == PORT_MIXED;
    }
    return count[PORT_FREE] == k && hosts == count[PORT_RULED] + k;
}

/* A dead switch at an end of the row of lower switches' ports. */
static hd_status find_dead_at_end(struct dead_finder *f, uint32_t hood, const uint8_t *stride, uint32_t k)
{
    const struct hd_hood *h = &f->w->hood[hood];
    uint8_t *use = f->up + (size_t)hood * 256, port[256];
    uint32_t first = 255, last = 0, number;
    if (!hood_is_sound(h, true) || h->nx < LEAST_LEAVES || k == 0 || k > HD_MOST_PARALLEL) return HD_OK;
    for (uint32_t p = 255; p > 0; p--) {
        if (use[p] != PORT_RULED) continue;
        first = p;
        if (!last) last = p;
    }
    for (int turn = 0; turn < 2; turn++) {
        uint32_t p = turn ? last + 1 : first - 1;
        if (p == 0 || p > 255 || use[p] != PORT_FREE || group_holes(use, stride, k, p, port) != k) continue;
        const char *name = dead_name(f, hood, true, port[0], false, &number);
        if (!name || (!(number == 1 && !turn) && !completes_ports(f->w, h, use, k))) continue;
        if (!HD_MORE(f->w->arena, f->dead, f->n, f->room)) return hd_fail_memory(f->w->ctx);
        struct dead_switch *d = &f->dead[f->n++];
        *d = (struct dead_switch){.hood = hood, .above = HD_NOWHERE, .n = k, .node = HD_NOWHERE};
        memcpy(d->port, port, k);
        for (uint32_t j = 0; j < k; j++) use[port[j]] = PORT_MIXED;
    }
    return HD_OK;
}

/* The ports of a switch that is gone from hole p. If several fit, that of number 1 begins with the first of them. */
static void group_dead(const struct dead_finder *f, const uint8_t *stride, uint32_t k, uint32_t p,
                       struct dead_switch *d)
{
    const uint8_t *use = f->up + (size_t)d->hood * 256;
    uint8_t base[HD_MOST_PARALLEL];
    uint32_t number;
    const uint32_t fits = list_fits(use, stride, k, p, base);
    d->n = group_holes(use, stride, k, p, d->port);
    if (fits < 2) return;
    d->unclear = !dead_name(f, d->hood, true, base[fits - 1], false, &number) || number != 1;
    if (d->unclear) return;
    d->n = k;
    for (uint32_t j = 0; j < k; j++) d->port[j] = (uint8_t)(base[fits - 1] + stride[j]);
}

static hd_status find_dead_in(struct dead_finder *f, uint32_t hood)
{
    const struct hd_hood *h = &f->w->hood[hood];
    uint8_t *use = f->up + (size_t)hood * 256, hole[256], stride[256] = {0};
    uint32_t n = find_holes(f, hood, true, hole), k = find_stride(h->up, h->y, h->ny, stride);
    for (uint32_t i = 0; i < n; i++) {
        if (use[hole[i]] != PORT_FREE) continue; /* belongs to one found before */
        struct dead_switch d = {.hood = hood, .above = find_above(f, hood, hole[i]), .node = HD_NOWHERE};
        group_dead(f, stride, k, hole[i], &d);
        for (uint32_t j = 0; j < d.n; j++) use[d.port[j]] = PORT_MIXED;
        if (!HD_MORE(f->w->arena, f->dead, f->n, f->room)) return hd_fail_memory(f->w->ctx);
        f->dead[f->n++] = d;
    }
    return find_dead_at_end(f, hood, stride, k);
}

/* Names the switches from `first` on, each with a place in one row, and leaves out those that have no name. */
static void keep_named(struct dead_finder *f, uint32_t first)
{
    uint32_t kept = first, number;
    for (uint32_t i = first; i < f->n; i++) {
        struct dead_switch *d = &f->dead[i];
        const bool up = d->hood != HD_NOWHERE;
        d->name = dead_name(f, up ? d->hood : d->above, up, up ? d->port[0] : d->row[0], false, &number);
    }
    for (uint32_t i = first; i < f->n; i++)
        if (f->dead[i].name) f->dead[kept++] = f->dead[i];
    f->n = kept;
}

/* Adds the switches of these holes between others, as far as they have as many ports as their equals. */
static hd_status add_between(struct dead_finder *f, uint32_t hood, bool up, uint8_t hole[256], uint32_t n)
{
    const struct hd_hood *h = &f->w->hood[hood];
    uint8_t *use = (up ? f->up : f->down) + (size_t)hood * 256, stride[256] = {0};
    const uint32_t k = up ? find_stride(h->up, h->y, h->ny, stride) : find_stride(h->down, h->x, h->nx, stride);
    uint32_t between = 0;
    for (uint32_t i = 0; i < n && k; i++)
        if (lies_between(use, hole[i])) hole[between++] = hole[i];
    for (uint32_t i = 0; i < between; i++) {
        struct dead_switch d = {.hood = up ? hood : HD_NOWHERE, .above = up ? HD_NOWHERE : hood, .node = HD_NOWHERE};
        uint8_t *port = up ? d.port : d.row;
        if (use[hole[i]] != PORT_FREE || group_holes(use, stride, k, hole[i], port) != k) continue;
        *(up ? &d.n : &d.nrow) = k;
        for (uint32_t j = 0; j < k; j++) use[port[j]] = PORT_MIXED;
        if (!HD_MORE(f->w->arena, f->dead, f->n, f->room)) return hd_fail_memory(f->w->ctx);
        f->dead[f->n++] = d;
    }
    return HD_OK;
}

/* Whether two other neighbourhoods of the level fill each of these holes. */
static bool are_filled(const struct dead_finder *f, uint32_t hood, const uint8_t *hole, uint32_t n)
{
    const struct port_tally *tally = &f->tally[false][f->w->hood[hood].level];
    bool all = true;
    for (uint32_t i = 0; i < n; i++) all = all && tally->ruled[hole[i]] >= 2;
    return all;
}

/* Leaf switches that are gone with all their hosts, by the places that the ports and names above leave out: few of
 * them, or the only one of a small neighbourhood if others have it. Several of a small one may never have been bought,
 * such as racks that are filled in part. All places are known before the first is named, because names count on over
 * them. */
static hd_status find_absent_leaves(struct dead_finder *f, uint32_t hood)
{
    const struct hd_hood *h = &f->w->hood[hood];
    uint8_t hole[256], stride[256] = {0};
    const uint32_t n = h->level == 1 && h->ny >= LEAST_SPINES ? find_holes(f, hood, false, hole) : 0, first = f->n;
    const uint32_t k = n ? find_stride(h->down, h->x, h->nx, stride) : 0;
    const bool only = n == k && are_filled(f, hood, hole, n);
    if (k == 0 || (!only && n * 8 > h->nx * k)) return HD_OK;
    HD_TRY(add_between(f, hood, false, hole, n));
    keep_named(f, first);
    return HD_OK;
}

/* The hole that a dead switch leaves above it. */
static void find_row(const struct dead_finder *f, struct dead_switch *d)
{
    if (d->above == HD_NOWHERE) return;
    const struct hd_hood *h = &f->w->hood[d->above];
    const uint8_t *use = f->down + (size_t)d->above * 256;
    uint8_t hole[256], stride[256] = {0};
    uint32_t equals = 0, n = find_holes(f, d->above, false, hole);
    for (uint32_t i = 0; i < f->n; i++) equals += f->dead[i].above == d->above;
    if (equals != 1 || !n) return;
    uint32_t k = find_stride(h->down, h->x, h->nx, stride), m = group_holes(use, stride, k, hole[0], d->row);
    if (m == n && m == k) d->nrow = m;
}

/* ---- reporting --------------------------------------------------------------------------------- */

static hd_status dead_add(struct dead_finder *f, struct hd_plug from, struct hd_plug to)
{
    struct hd_wiring *w = f->w;
    if (!HD_MORE(w->keep, w->lost, w->nlost, w->lost_room)) return hd_fail_memory(w->ctx);
    w->lost[w->nlost++] = (struct hd_lost_cable){from, to};
    return HD_OK;
}

static hd_status dead_add_cables(struct dead_finder *f, const struct dead_switch *d)
{
    const struct hd_wiring *w = f->w;
    const struct hd_hood *h = d->hood == HD_NOWHERE ? NULL : &w->hood[d->hood];
    const struct hd_hood *above = d->nrow ? &w->hood[d->above] : NULL;
    for (uint32_t i = 0; h && i < h->nx; i++)
        for (uint32_t j = 0; j < d->n; j++) {
            uint8_t list[256];
            uint32_t n = h->has_down ? hd_rule_ports(h->down, h->x[i], list) : 0;
            uint8_t q = n == d->n && h->match[j] < n ? list[h->match[j]] : 0;
            HD_TRY(dead_add(f, hd_plug_at(h->x[i], d->port[j]), hd_plug_at(d->node, q)));
        }
    for (uint32_t i = 0; above && i < above->ny; i++)
        for (uint32_t j = 0; j < d->nrow; j++) {
            uint8_t list[256], p = 0;
            uint32_t n = above->has_up ? hd_rule_ports(above->up, above->y[i], list) : 0;
            for (uint32_t a = 0; a < n && n == d->nrow; a++)
                if (above->match[a] == j) p = list[a];
            HD_TRY(dead_add(f, hd_plug_at(above->y[i], d->row[j]), hd_plug_at(d->node, p)));
        }
    return HD_OK;
}

static hd_status dead_report(struct dead_finder *f, const struct dead_switch *d)
{
    struct hd_wiring *w = f->w;
    struct hd_cabling_fault fault = {.kind = HD_CABLING_DEAD, .first = w->nlost};
    uint32_t number;
    HD_TRY(dead_add_cables(f, d));
    fault.n = w->nlost - fault.first;
    fault.from = fault.n ? w->lost[fault.first].from : hd_plug_at(HD_NOWHERE, 0);
    fault.to = fault.n ? w->lost[fault.first].to : hd_plug_at(d->node, 0);
    if (d->hood != HD_NOWHERE && d->node == HD_NOWHERE && !d->unclear)
        fault.to.name = dead_name(f, d->hood, true, d->port[0], true, &number);
    if (d->name && d->node == HD_NOWHERE) fault.to.name = d->name;
    for (uint32_t i = 0; i < fault.n; i++) w->lost[fault.first + i].to.name = fault.to.name;
    fault.from2 = fault.to2 = hd_plug_at(HD_NOWHERE, 0);
    fault.gain = fault.n;
    return hd_wiring_report(w, &fault);
}

/* Switches without a cable: the only one fills the only hole. */
static hd_status report_isolated(struct dead_finder *f)
{
    const struct hd_net *net = f->w->net;
    uint32_t n = 0, last = 0;
    for (uint32_t v = 0; v < net->nsw && net->nsw > 1; v++)
        if (hd_degree(net, v) == 0) {
            n++;
            last = v;
        }
    if (n == 1 && f->n == 1) {
        f->dead[0].node = last;
        return HD_OK;
    }
    for (uint32_t v = 0; v < net->nsw && n; v++)
        if (hd_degree(net, v) == 0)
            HD_TRY(dead_report(f, &(struct dead_switch){.hood = HD_NOWHERE, .above = HD_NOWHERE, .node = v}));
    return HD_OK;
}

/* ---- what may be gone -------------------------------------------------------------------------- */

/* Holes between others that are too many to be those of dead switches, or that all neighbourhoods have. */
static hd_status find_vacant(struct dead_finder *f, uint32_t hood, bool up)
{
    const struct hd_hood *h = &f->w->hood[hood];
    const uint8_t *use = (up ? f->up : f->down) + (size_t)hood * 256;
    uint8_t hole[256];
    uint32_t n = 0;
    if (!hood_is_sound(h, up) || (up ? h->nx < LEAST_LEAVES : h->ny < LEAST_SPINES || h->level != 1)) return HD_OK;
    for (uint32_t p = 1; p < 256; p++)
        if (use[p] == PORT_FREE) hole[n++] = (uint8_t)p;
    return add_between(f, hood, up, hole, n);
}

/* Whether it is neither before the first switch of its row nor behind the last: those may not have been bought yet. */
static bool is_inside_row(const struct dead_finder *f, const struct dead_switch *d)
{
    const bool up = d->hood != HD_NOWHERE;
    const struct hd_hood *h = &f->w->hood[up ? d->hood : d->above];
    const uint32_t *rule = up ? h->up : h->down, port = up ? d->port[0] : d->row[0];
    const uint8_t *rank = up ? h->up_rank : h->down_rank;
    bool before = false, behind = false;
    for (uint32_t p = 1; p < 256; p++) {
        if (rule[p] == HD_NOWHERE || rank[p]) continue;
        before |= p < port;
        behind |= p > port;
    }
    return before && behind;
}

/* Places that the names along the row leave out as well: a switch is gone or was never there. */
static hd_status list_vacant(struct dead_finder *f)
{
    struct hd_wiring *w = f->w;
    const uint32_t first = f->n;
    for (uint32_t i = 0; w->tree && i < w->nhood; i++) {
        HD_TRY(find_vacant(f, i, true));
        HD_TRY(find_vacant(f, i, false));
    }
    keep_named(f, first);
    struct hd_vacant *vacant = HD_NEW(w->keep, struct hd_vacant, f->n - first + 1);
    if (!vacant) return hd_fail_memory(w->ctx);
    for (uint32_t i = first; i < f->n; i++)
        if (is_inside_row(f, &f->dead[i]))
            vacant[w->out->nvacant++] = (struct hd_vacant){f->dead[i].name, f->dead[i].hood != HD_NOWHERE};
    w->out->vacant = vacant;
    return HD_OK;
}

hd_status hd_dead_switches_find(struct hd_wiring *w)
{
    struct dead_finder f = {.w = w};
    f.up = HD_NEW(w->arena, uint8_t, (size_t)w->nhood * 256 + 1);
    f.down = HD_NEW(w->arena, uint8_t, (size_t)w->nhood * 256 + 1);
    for (int up = 0; up < 2; up++) {
        f.tally[up] = HD_NEW(w->arena, struct port_tally, HD_NO_LEVEL + 1);
        if (!f.tally[up]) return hd_fail_memory(w->ctx);
    }
    if (!f.up || !f.down) return hd_fail_memory(w->ctx);
    for (uint32_t i = 0; w->tree && i < w->nhood; i++) {
        const struct hd_hood *h = &w->hood[i];
        find_free_ports(w, h->x, h->nx, h->up, f.up + (size_t)i * 256);
        find_free_ports(w, h->y, h->ny, h->down, f.down + (size_t)i * 256);
        tally_ports(&f, i, true);
        tally_ports(&f, i, false);
    }
    for (uint32_t i = 0; w->tree && i < w->nhood; i++) HD_TRY(find_dead_in(&f, i));
    for (uint32_t i = 0; i < f.n; i++) find_row(&f, &f.dead[i]);
    for (uint32_t i = 0; w->tree && i < w->nhood; i++) HD_TRY(find_absent_leaves(&f, i));
    HD_TRY(report_isolated(&f));
    for (uint32_t i = 0; i < f.n; i++) HD_TRY(dead_report(&f, &f.dead[i]));
    return list_vacant(&f);
}
