/* SPDX-License-Identifier: BSD-2-Clause */
/* Port rules of grids by majority. A direction of a line or ring leads on or back in one dimension, one of a clique
 * from one digit to another; the ports of a direction are those that most of its cables are in, as many as there are
 * parallel cables, if each has half of the votes that it could have, or twice those of any other port. Which port is at
 * the other end of each is a majority too (Boyer and Moore's vote). Rules that fewer than half of all cables follow are
 * none: few cables agree by accident.
 *
 * What is left of a grid is often nearly another one: two cliques of a HyperX that lost a different switch each fit
 * each other but for one cable. The ports of its neighbours show whether a switch is where it belongs, even if it
 * numbers its own in another way: unless most of them lead to its place, what it lacks there, or has too much, is not
 * reported. Without rules the shape alone speaks, and only if it has no empty places and lacks little.
 * Cost: O(channels * dimensions + 256 * directions). */
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/shape.h"

enum {
    MOST_DIGITS = 64,       /* of a clique whose ports are learnt */
    LEAST_PER_MISSING = 16, /* cables for each that is missing, where there are no rules */
};

struct grid_votes {
    uint32_t *votes; /* [directions * 256] cables */
    uint32_t *lead;  /* [directions * 256] of the far port, which is in far */
    uint8_t *far;
    uint32_t *all; /* [directions] cables */
};

uint32_t hd_grid_direction_along(const struct hd_wiring *w, uint32_t i, uint32_t x, uint32_t y)
{
    const struct hd_shape *s = &w->net->shape;
    const uint32_t first = w->grid->first[i];
    if (first == w->grid->first[i + 1]) return HD_NOWHERE;
    if (s->w[i] == HD_CLIQUE) return first + x * s->m[i] + y;
    return first + (s->m[i] == 2 ? x < y : (y + s->m[i] - x) % s->m[i] == 1);
}

uint32_t hd_grid_direction(const struct hd_wiring *w, uint32_t u, uint32_t v)
{
    const struct hd_net *net = w->net;
    const struct hd_shape *s = &net->shape;
    const uint16_t *a = hd_coord(net, u), *b = hd_coord(net, v);
    uint32_t dim = HD_NOWHERE;
    for (uint32_t i = 0; i < s->n; i++) {
        if (a[i] == b[i]) continue;
        if (dim != HD_NOWHERE) return HD_NOWHERE;
        dim = i;
    }
    return dim == HD_NOWHERE ? HD_NOWHERE : hd_grid_direction_along(w, dim, a[dim], b[dim]);
}

static void grid_vote(const struct hd_wiring *w, struct grid_votes *v)
{
    const struct hd_net *net = w->net;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        if (net->head[c] >= net->nsw || hd_grid_dimension(net, c) == UINT32_MAX) continue;
        uint32_t d = hd_grid_direction(w, net->tail[c], net->head[c]);
        if (d == HD_NOWHERE) continue;
        size_t at = (size_t)d * 256 + net->port[c];
        uint8_t far = net->port[net->rev[c]];
        if (!v->lead[at]) v->far[at] = far;
        v->lead[at] += v->far[at] == far ? 1 : -1;
        v->votes[at]++;
        v->all[d]++;
    }
}

/* The port with most votes that is not elected yet; 0: none has any. */
static uint32_t grid_leader(const uint32_t votes[256], const struct hd_grid_ports *ports)
{
    uint32_t best = 0;
    for (uint32_t p = 1; p < 256; p++) {
        bool elected = false;
        for (uint32_t i = 0; i < ports->n; i++) elected = elected || ports->port[i] == p;
        if (!elected && votes[p] > (best ? votes[best] : 0)) best = p;
    }
    return best;
}

static void grid_elect(const struct grid_votes *v, uint32_t d, uint32_t cables, struct hd_grid_ports *ports)
{
    const uint32_t *votes = v->votes + (size_t)d * 256;
    uint32_t least = 0, p;
    while (ports->n < cables && ports->n < HD_MOST_PARALLEL && (p = grid_leader(votes, ports))) {
        least = votes[p];
        ports->far[ports->n] = v->lead[(size_t)d * 256 + p] ? v->far[(size_t)d * 256 + p] : 0;
        ports->port[ports->n++] = (uint8_t)p;
    }
    p = grid_leader(votes, ports);
    const bool clear = 2 * (uint64_t)least * cables > v->all[d] || least > 2 * (p ? votes[p] : 0);
    if (ports->n != cables || !clear) ports->n = 0;
}

/* The direction back. */
static uint32_t grid_reverse(const struct hd_shape *s, const struct hd_grid_rule *rule, uint32_t i, uint32_t d)
{
    const uint32_t k = d - rule->first[i];
    return rule->first[i] + (s->w[i] == HD_CLIQUE ? k % s->m[i] * s->m[i] + k / s->m[i] : 1 - k);
}

/* A far port on which there is no majority is the only one of the direction back that no other port leads to. */
static void grid_complete(struct hd_grid_ports *ports, const struct hd_grid_ports *back)
{
    for (uint32_t i = 0; i < ports->n; i++) {
        uint32_t left = 0;
        uint8_t only = 0;
        for (uint32_t k = 0; k < back->n && !ports->far[i]; k++) {
            bool taken = false;
            for (uint32_t j = 0; j < ports->n; j++) taken = taken || ports->far[j] == back->port[k];
            left += !taken;
            if (!taken) only = back->port[k];
        }
        if (left == 1) ports->far[i] = only;
    }
}

bool hd_grid_has(const struct hd_grid_ports *ports, uint8_t port)
{
    for (uint32_t i = 0; i < ports->n; i++)
        if (ports->port[i] == port) return true;
    return false;
}

static bool grid_follows(const struct hd_net *net, uint32_t c, const struct hd_grid_ports *ports)
{
    for (uint32_t i = 0; i < ports->n; i++)
        if (ports->port[i] == net->port[c]) return !ports->far[i] || ports->far[i] == net->port[net->rev[c]];
    return false;
}

static void grid_count_followers(const struct hd_wiring *w, struct hd_grid_rule *rule)
{
    const struct hd_net *net = w->net;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        if (net->head[c] >= net->nsw || hd_grid_dimension(net, c) == UINT32_MAX) continue;
        uint32_t d = hd_grid_direction(w, net->tail[c], net->head[c]);
        if (d == HD_NOWHERE) continue;
        rule->channels++;
        rule->follow += grid_follows(net, c, &rule->at[d]);
    }
    if (2 * (uint64_t)rule->follow > rule->channels) return;
    rule->follow = 0;
    for (uint32_t d = 0; d < rule->first[net->shape.n]; d++) rule->at[d].n = 0;
}

/* Whether most cables of v are, at their other ends, in ports that lead to its place. */
static bool grid_is_placed(const struct hd_wiring *w, uint32_t v)
{
    const struct hd_net *net = w->net;
    uint32_t all = 0, follow = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (net->head[c] >= net->nsw) continue;
        uint32_t d = hd_grid_dimension(net, c) == UINT32_MAX ? HD_NOWHERE : hd_grid_direction(w, net->head[c], v);
        all++;
        follow += d != HD_NOWHERE && hd_grid_has(&w->grid->at[d], net->port[net->rev[c]]);
    }
    return 2 * follow > all;
}

bool hd_grid_is_evident(const struct hd_wiring *w, uint32_t u, uint32_t v)
{
    const struct hd_shape *s = &w->net->shape;
    uint64_t places = 1;
    if (s->n == 1 && s->w[0] != HD_CLIQUE)
        return true; /* a line or ring that lacks cables is known from its generator */
    if (w->grid->follow) return grid_is_placed(w, u) && grid_is_placed(w, v);
    for (uint32_t i = 0; i < s->n && places <= w->net->nsw; i++) places *= s->m[i];
    return places == w->net->nsw && LEAST_PER_MISSING * (uint64_t)s->missing <= w->grid->channels / 2;
}

hd_status hd_grid_rule_learn(struct hd_wiring *w)
{
    const struct hd_shape *s = &w->net->shape;
    struct hd_grid_rule *rule = HD_NEW(w->arena, struct hd_grid_rule, 1);
    struct grid_votes v;
    if (!rule) return hd_fail_memory(w->ctx);
    if (s->kind != HD_SHAPE_GRID) return HD_OK;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t n = s->w[i] != HD_CLIQUE ? 2 : s->m[i] <= MOST_DIGITS ? s->m[i] * s->m[i] : 0;
        rule->first[i + 1] = rule->first[i] + n;
    }
    size_t n = rule->first[s->n];
    rule->at = HD_NEW(w->arena, struct hd_grid_ports, n + 1);
    v.far = HD_NEW(w->arena, uint8_t, n * 256 + 1);
    if (!HD_NEW_U32(w->arena, n * 256 + 1, &v.votes, &v.lead, &v.all) || !rule->at || !v.far)
        return hd_fail_memory(w->ctx);
    w->grid = rule;
    grid_vote(w, &v);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t d = rule->first[i]; d < rule->first[i + 1]; d++) grid_elect(&v, d, s->p[i], &rule->at[d]);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t d = rule->first[i]; d < rule->first[i + 1]; d++)
            grid_complete(&rule->at[d], &rule->at[grid_reverse(s, rule, i, d)]);
    grid_count_followers(w, rule);
    return HD_OK;
}
