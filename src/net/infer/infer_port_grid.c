/* SPDX-License-Identifier: BSD-2-Clause */
/* A torus, mesh or hypercube with faults, by its ports: swapped and stray cables and dead switches spoil what
 * infer_grid.c reads from cables alone, but hardly any majority.
 *
 * In such a grid a port is a direction: port 3 of every switch leads on in the first dimension, to port 4 of the next
 * one. So the port at the other end of a port is the same nearly everywhere; ports that lead to the same neighbour are
 * one direction; a direction and its opposite are one dimension; steps in two dimensions may be exchanged. A step is
 * sound if most squares that it is a side of are closed. Coordinates grow along sound steps from one switch through the
 * largest part that they connect; every other switch goes where most of its cables say. How far a dimension extends
 * is how many sound steps lead back, or as far as they lead. What is read is kept if hardly any cable contradicts it:
 * those are strays. A single ring has no squares and is not read here. Cost: O(switches * directions^2). */
#include "base/status.h"
#include "net/core/shape.h"
#include "net/infer/infer.h"

#include <string.h>

#define NO_SWITCH UINT32_MAX
enum { MOST_DIRECTIONS = 2 * HD_MAX_DIM, NO_DIRECTION = 255 };

/* Of the squares of a step more are open than closed; as many; fewer. */
enum port_sound { STEP_DOUBTFUL, STEP_POSSIBLE, STEP_SOUND };

struct port_extent {
    uint32_t length, support; /* switches on lines and rings of that length */
    bool ring;
};

enum { PORT_EXTENTS = 4 };

struct port_dimension {
    uint32_t extent, cables;
    uint32_t on; /* direction; the other one is its opposite */
    bool ring;
    uint32_t n;
    struct port_extent may[PORT_EXTENTS]; /* by decreasing support */
};

struct port_grid {
    const struct hd_net *net;
    uint8_t far[256];       /* the port that most cables in this port lead to; 0: they have none in common */
    uint8_t direction[256]; /* of a port */
    uint32_t n;             /* directions */
    uint8_t first[MOST_DIRECTIONS], cables[MOST_DIRECTIONS], opposite[MOST_DIRECTIONS];
    uint32_t *next; /* [nsw * n] the switch that a direction leads to */
    uint8_t *sound; /* [nsw * n] enum port_sound */
    uint32_t ndim;
    struct port_dimension dim[HD_MAX_DIM];
    uint64_t places;
    int32_t *at;        /* [nsw * ndim] */
    bool *placed;       /* [nsw] */
    uint32_t *occupant; /* [places] */
};

/* ---- directions --------------------------------------------------------------------------------- */

/* Sets far: where a quarter of the switches or more use a port and most of these cables lead to one port. Not found: a
 * port that most switches use has none. */
static hd_status ports_pair(const struct hd_inference *f, struct port_grid *x, bool *found)
{
    const struct hd_net *net = x->net;
    uint32_t *votes = HD_NEW(f->arena, uint32_t, 256 * 256), use[256] = {0};
    if (!votes) return hd_fail_memory(f->ctx);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        if (net->head[c] >= net->nsw) continue;
        votes[256u * net->port[c] + net->port[net->rev[c]]]++;
        use[net->port[c]]++;
    }
    for (uint32_t p = 1; p < 256; p++)
        for (uint32_t q = 1; q < 256; q++)
            if (4 * (uint64_t)use[p] >= net->nsw && 2 * (uint64_t)votes[256 * p + q] > use[p]) x->far[p] = (uint8_t)q;
    *found = true;
    for (uint32_t p = 1; p < 256; p++) {
        if (x->far[x->far[p]] != p) x->far[p] = 0;
        *found = *found && (x->far[p] || 2 * use[p] <= net->nsw);
    }
    return HD_OK;
}

/* The switch that port p of v leads to, by its pair of ports; NO_SWITCH: it is free, or the far port is another. */
static uint32_t port_next(const struct port_grid *x, uint32_t v, uint32_t p)
{
    const struct hd_net *net = x->net;
    for (uint32_t c = net->off[v]; c < net->off[v + 1] && net->port[c] <= p; c++)
        if (net->port[c] == p)
            return net->head[c] < net->nsw && net->port[net->rev[c]] == x->far[p] ? net->head[c] : NO_SWITCH;
    return NO_SWITCH;
}

/* Whether two ports lead to the same switch as a rule. */
static bool ports_are_parallel(const struct port_grid *x, uint32_t p, uint32_t q)
{
    uint32_t both = 0, same = 0;
    for (uint32_t v = 0; v < x->net->nsw; v++) {
        uint32_t a = port_next(x, v, p), b = port_next(x, v, q);
        if (a == NO_SWITCH || b == NO_SWITCH) continue;
        both++;
        same += a == b;
    }
    return 2 * same > both;
}

/* Numbers the directions; false: their opposites do not agree. */
static bool find_directions(struct port_grid *x)
{
    memset(x->direction, NO_DIRECTION, sizeof x->direction);
    for (uint32_t p = 1; p < 256; p++) {
        uint32_t d = 0;
        if (!x->far[p]) continue;
        while (d < x->n && !ports_are_parallel(x, x->first[d], p)) d++;
        if (d == MOST_DIRECTIONS) return false;
        if (d == x->n) x->first[x->n++] = (uint8_t)p;
        x->cables[d]++;
        x->direction[p] = (uint8_t)d;
    }
    for (uint32_t d = 0; d < x->n; d++) x->opposite[d] = x->direction[x->far[x->first[d]]];
    for (uint32_t p = 1; p < 256; p++)
        if (x->far[p] && x->opposite[x->direction[p]] != x->direction[x->far[p]]) return false;
    for (uint32_t d = 0; d < x->n; d++)
        if (x->opposite[x->opposite[d]] != d || x->cables[x->opposite[d]] != x->cables[d]) return false;
    return x->n > 1;
}

/* Of parallel cables that do not lead to one switch, most decide. */
static void fill_next(struct port_grid *x)
{
    const struct hd_net *net = x->net;
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t d = 0; d < x->n; d++) {
            uint32_t best = NO_SWITCH, votes = 0;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                uint32_t same = 0, u = net->head[c];
                if (x->direction[net->port[c]] != d || port_next(x, v, net->port[c]) == NO_SWITCH) continue;
                for (uint32_t b = net->off[v]; b < net->off[v + 1]; b++)
                    same += x->direction[net->port[b]] == d && port_next(x, v, net->port[b]) == u;
                if (same == votes && u != best) best = NO_SWITCH;
                if (same > votes) best = u, votes = same;
            }
            x->next[(size_t)v * x->n + d] = best;
        }
}

static uint32_t step(const struct port_grid *x, uint32_t v, uint32_t d)
{
    return v == NO_SWITCH ? NO_SWITCH : x->next[(size_t)v * x->n + d];
}

/* ---- dimensions --------------------------------------------------------------------------------- */

/* Whether steps d and e from v lead to the same switch in either order: 1, 0, or -1 if one of the steps is missing. */
static int square(const struct port_grid *x, uint32_t v, uint32_t d, uint32_t e)
{
    uint32_t a = step(x, v, d), b = step(x, v, e), z = step(x, a, e), y = step(x, b, d);
    if (z == NO_SWITCH || y == NO_SWITCH) return -1;
    return z == y && z != v && a != b;
}

/* A third of the squares is enough: one fault spoils several, and directions that do not commute close hardly any. */
static bool directions_commute(const struct port_grid *x, uint32_t d, uint32_t e)
{
    uint32_t all = 0, closed = 0;
    for (uint32_t v = 0; v < x->net->nsw; v++) {
        int s = square(x, v, d, e);
        all += s >= 0;
        closed += s > 0;
    }
    return 3 * closed > all;
}

/* A direction and its opposite make a dimension, and commute with all others; false: they do not. */
static bool find_port_dimensions(struct port_grid *x)
{
    for (uint32_t d = 0; d < x->n; d++) {
        for (uint32_t e = 0; e < d; e++)
            if (e != x->opposite[d] && !directions_commute(x, d, e)) return false;
        if (x->opposite[d] < d) continue;
        if (x->ndim == HD_MAX_DIM) return false;
        x->dim[x->ndim++] = (struct port_dimension){.on = d, .cables = x->cables[d]};
    }
    return x->ndim > 1;
}

static void find_sound_steps(struct port_grid *x)
{
    for (uint32_t v = 0; v < x->net->nsw; v++)
        for (uint32_t d = 0; d < x->n; d++) {
            uint32_t closed = 0, open = 0;
            for (uint32_t e = 0; e < x->n; e++) {
                if (e == d || e == x->opposite[d]) continue;
                int s = square(x, v, d, e);
                closed += s > 0;
                open += s == 0;
            }
            x->sound[(size_t)v * x->n + d] = closed > open    ? STEP_SOUND
                                             : closed == open ? STEP_POSSIBLE
                                                              : STEP_DOUBTFUL;
        }
}

static uint32_t sound_step(const struct port_grid *x, uint32_t v, uint32_t d, enum port_sound least)
{
    return x->sound[(size_t)v * x->n + d] >= least ? step(x, v, d) : NO_SWITCH;
}

/* How far a dimension may extend, by the switches on rings and on lines of each length along sound steps. */
static hd_status find_extents(const struct hd_inference *f, const struct port_grid *x, struct port_dimension *dim)
{
    uint32_t nsw = x->net->nsw, back = x->opposite[dim->on], *seen, *rings, *lines;
    if (back == dim->on) {
        dim->may[dim->n++] = (struct port_extent){.length = 2, .support = nsw};
        return HD_OK;
    }
    if (!HD_NEW_U32(f->arena, (size_t)nsw + 1, &seen, &rings, &lines)) return hd_fail_memory(f->ctx);
    for (int rest = 0; rest < 2; rest++) /* lines from their ends, then rings */
        for (uint32_t v = 0; v < nsw; v++) {
            uint32_t n = 0, u = v, last = v;
            if (seen[v] || (!rest && sound_step(x, v, back, STEP_POSSIBLE) != NO_SWITCH)) continue;
            for (; u != NO_SWITCH && !seen[u]; u = sound_step(x, u, dim->on, STEP_POSSIBLE)) {
                seen[last = u] = 1;
                n++;
            }
            (step(x, last, dim->on) == v ? rings : lines)[n] += n;
        }
    for (uint32_t k = 2; k <= nsw; k++) {
        struct port_extent e = {k, rings[k] + lines[k], 4 * (uint64_t)rings[k] >= lines[k]};
        uint32_t i = dim->n < PORT_EXTENTS ? dim->n++ : PORT_EXTENTS;
        for (; i > 0 && dim->may[i - 1].support < e.support; i--)
            if (i < PORT_EXTENTS) dim->may[i] = dim->may[i - 1];
        if (i < PORT_EXTENTS) dim->may[i] = e;
    }
    return HD_OK;
}

/* Of all extents from dimension i on whose product is about the number of switches, those with most support; the
 * support of the best so far is in best. */
static void choose_extents(struct port_grid *x, uint32_t i, uint64_t places, uint64_t support,
                           struct port_extent chosen[HD_MAX_DIM], uint64_t *best)
{
    uint32_t nsw = x->net->nsw;
    if (!hd_grid_is_full(places, nsw)) return;
    if (i == x->ndim) {
        if (places < nsw || support <= *best) return;
        *best = support;
        x->places = places;
        for (uint32_t k = 0; k < i; k++) {
            x->dim[k].extent = chosen[k].length;
            x->dim[k].ring = chosen[k].ring;
        }
        return;
    }
    uint32_t n = x->ndim <= PORT_EXTENTS ? x->dim[i].n : 1;
    for (uint32_t k = 0; k < n; k++) {
        chosen[i] = x->dim[i].may[k];
        if (chosen[i].support)
            choose_extents(x, i + 1, places * chosen[i].length, support + chosen[i].support, chosen, best);
    }
}

/* ---- coordinates --------------------------------------------------------------------------------- */

/* Where direction d leads from a, in to; it may be over the end of a line. */
static void port_advance(const struct port_grid *x, const int32_t *a, uint32_t d, int32_t *to)
{
    memcpy(to, a, x->ndim * sizeof *to);
    for (uint32_t i = 0; i < x->ndim; i++) {
        const struct port_dimension *m = &x->dim[i];
        if (d != m->on && d != x->opposite[m->on]) continue;
        int32_t extent = (int32_t)m->extent;
        to[i] += d == m->on ? 1 : -1;
        if (m->ring || x->opposite[d] == d) to[i] = (to[i] + extent) % extent;
    }
}

/* The largest part that sound steps connect, from its first switch; queue has room for all. */
static void grow(struct port_grid *x, uint32_t *set, uint32_t *size, uint32_t *queue)
{
    uint32_t nsw = x->net->nsw, best = 0, head = 0, tail = 0;
    hd_sets_init(set, nsw);
    for (uint32_t v = 0; v < nsw; v++)
        for (uint32_t d = 0; d < x->n; d++)
            if (sound_step(x, v, d, STEP_SOUND) != NO_SWITCH) hd_sets_join(set, v, sound_step(x, v, d, STEP_SOUND));
    for (uint32_t v = 0; v < nsw; v++) size[hd_sets_find(set, v)]++;
    for (uint32_t v = 0; v < nsw; v++)
        if (size[v] > size[best]) best = v;
    queue[tail++] = best;
    x->placed[best] = true;
    for (; head < tail; head++)
        for (uint32_t v = queue[head], d = 0; d < x->n; d++) {
            uint32_t u = sound_step(x, v, d, STEP_SOUND);
            if (u == NO_SWITCH || x->placed[u]) continue;
            port_advance(x, x->at + (size_t)v * x->ndim, d, x->at + (size_t)u * x->ndim);
            x->placed[u] = true;
            queue[tail++] = u;
        }
}

/* Lines begin where most switches are within their extent then. */
static hd_status shift_lines(const struct hd_inference *f, struct port_grid *x)
{
    uint32_t nsw = x->net->nsw;
    uint32_t *often = HD_NEW(f->arena, uint32_t, 4 * (size_t)nsw + 2);
    if (!often) return hd_fail_memory(f->ctx);
    for (uint32_t i = 0; i < x->ndim; i++) {
        uint32_t sum = 0, best = 0, most = 0, extent = x->dim[i].extent;
        if (x->dim[i].ring || x->opposite[x->dim[i].on] == x->dim[i].on) continue;
        memset(often, 0, (4 * (size_t)nsw + 2) * sizeof *often);
        for (uint32_t v = 0; v < nsw; v++)
            if (x->placed[v]) often[(uint32_t)(x->at[(size_t)v * x->ndim + i] + 2 * (int32_t)nsw)]++;
        for (uint32_t k = 0; k < 4 * nsw; k++) {
            sum += often[k];
            if (k >= extent) sum -= often[k - extent];
            if (sum > most) best = k + 1, most = sum;
        }
        for (uint32_t v = 0; v < nsw; v++)
            x->at[(size_t)v * x->ndim + i] += 2 * (int32_t)nsw - (int32_t)best + (int32_t)extent;
    }
    return HD_OK;
}

/* The number of a place, places: it is outside. */
static uint64_t place_of(const struct port_grid *x, const int32_t *at)
{
    uint64_t rank = 0;
    for (uint32_t i = x->ndim; i-- > 0;) {
        if (at[i] < 0 || (uint32_t)at[i] >= x->dim[i].extent) return x->places;
        rank = rank * x->dim[i].extent + (uint32_t)at[i];
    }
    return rank;
}

static void occupy(struct port_grid *x)
{
    memset(x->occupant, 0xff, x->places * sizeof *x->occupant);
    for (uint32_t v = 0; v < x->net->nsw; v++) {
        uint64_t at = x->placed[v] ? place_of(x, x->at + (size_t)v * x->ndim) : x->places;
        x->placed[v] = at < x->places && x->occupant[at] == NO_SWITCH;
        if (x->placed[v]) x->occupant[at] = v;
    }
}

/* How many cables of v, in ports that have a direction, say that it is at this place. */
static uint32_t port_votes(const struct port_grid *x, uint32_t v, uint64_t place)
{
    uint32_t n = 0;
    int32_t at[HD_MAX_DIM];
    for (uint32_t d = 0; d < x->n; d++) {
        uint32_t u = step(x, v, d);
        if (u == NO_SWITCH || !x->placed[u]) continue;
        port_advance(x, x->at + (size_t)u * x->ndim, x->opposite[d], at);
        n += place_of(x, at) == place;
    }
    return n;
}

/* Moves v to the free place that most of its cables speak for, if more do than for its own. */
static bool move_by_votes(struct port_grid *x, uint32_t v)
{
    int32_t *own = x->at + (size_t)v * x->ndim, at[HD_MAX_DIM], best[HD_MAX_DIM];
    uint64_t was = x->placed[v] ? place_of(x, own) : x->places;
    uint32_t most = x->placed[v] ? port_votes(x, v, was) : 0;
    bool found = false;
    for (uint32_t d = 0; d < x->n; d++) {
        uint32_t u = step(x, v, d);
        if (u == NO_SWITCH || !x->placed[u]) continue;
        port_advance(x, x->at + (size_t)u * x->ndim, x->opposite[d], at);
        uint64_t place = place_of(x, at);
        uint32_t votes = place < x->places && x->occupant[place] == NO_SWITCH ? port_votes(x, v, place) : 0;
        if (votes <= most) continue;
        most = votes;
        memcpy(best, at, sizeof best);
        found = true;
    }
    if (!found) return false;
    if (was < x->places) x->occupant[was] = NO_SWITCH;
    memcpy(own, best, x->ndim * sizeof *own);
    x->occupant[place_of(x, own)] = v;
    return x->placed[v] = true;
}

/* Exchanges v with the switch in a place that a cable of v speaks for, if more cables agree then. */
static bool exchange_by_votes(struct port_grid *x, uint32_t v)
{
    int32_t *own = x->at + (size_t)v * x->ndim, at[HD_MAX_DIM];
    for (uint32_t d = 0; d < x->n && x->placed[v]; d++) {
        uint32_t u = step(x, v, d);
        if (u == NO_SWITCH || !x->placed[u]) continue;
        port_advance(x, x->at + (size_t)u * x->ndim, x->opposite[d], at);
        uint64_t was = place_of(x, own), place = place_of(x, at);
        uint32_t o = place < x->places ? x->occupant[place] : NO_SWITCH;
        if (o == NO_SWITCH || o == v) continue;
        uint32_t before = port_votes(x, v, was) + port_votes(x, o, place);
        for (int turn = 0; turn < 2; turn++) {
            int32_t *other = x->at + (size_t)o * x->ndim, keep[HD_MAX_DIM];
            memcpy(keep, own, x->ndim * sizeof *own);
            memcpy(own, other, x->ndim * sizeof *own);
            memcpy(other, keep, x->ndim * sizeof *own);
            x->occupant[place_of(x, own)] = v;
            x->occupant[place_of(x, other)] = o;
            if (port_votes(x, v, place) + port_votes(x, o, was) > before) return true;
        }
    }
    return false;
}

/* The only switch without a place gets the only one that is free; false: some are left. */
static bool place_last(struct port_grid *x)
{
    uint32_t left = 0, last = 0, nsw = x->net->nsw;
    for (uint32_t v = 0; v < nsw; v++)
        if (!x->placed[v]) {
            left++;
            last = v;
        }
    if (left == 0) return true;
    if (left > 1 || x->places != nsw) return false;
    for (uint64_t k = 0, rest; k < x->places; k++)
        if (x->occupant[k] == NO_SWITCH) {
            x->occupant[rest = k] = last;
            for (uint32_t i = 0; i < x->ndim; rest /= x->dim[i++].extent)
                x->at[(size_t)last * x->ndim + i] = (int32_t)(rest % x->dim[i].extent);
        }
    return true;
}

/* A line whose last switch has a cable on to the first is a ring that faults broke everywhere. */
static void close_rings(struct port_grid *x)
{
    for (uint32_t i = 0; i < x->ndim; i++) {
        struct port_dimension *dim = &x->dim[i];
        uint64_t closed = 0;
        for (uint32_t v = 0; v < x->net->nsw && dim->extent > 2; v++) {
            uint32_t u = step(x, v, dim->on), same = 1;
            if (u == NO_SWITCH || (uint32_t)x->at[(size_t)v * x->ndim + i] + 1 != dim->extent) continue;
            for (uint32_t k = 0; k < x->ndim && same; k++)
                same = x->at[(size_t)u * x->ndim + k] == (k == i ? 0 : x->at[(size_t)v * x->ndim + k]);
            closed += same;
        }
        if (4 * closed * dim->extent > x->places) dim->ring = true;
    }
}

/* Steps of ring i from each position to the next, and how many there could be: [extent] each. */
static void count_steps(const struct port_grid *x, uint32_t i, uint32_t *have, uint32_t *may)
{
    int32_t to[HD_MAX_DIM];
    for (uint32_t v = 0; v < x->net->nsw; v++) {
        const int32_t *at = x->at + (size_t)v * x->ndim;
        port_advance(x, at, x->dim[i].on, to);
        const uint32_t next = x->occupant[place_of(x, to)];
        may[at[i]] += next != NO_SWITCH;
        have[at[i]] += next != NO_SWITCH && step(x, v, x->dim[i].on) == next;
    }
}

/* A ring that three in four leave open at one position is a line, and what closes the others are strays. Cables are
 * lost more often than added: where half are open, it is still a ring. */
static hd_status open_rings(const struct hd_inference *f, struct port_grid *x)
{
    for (uint32_t i = 0; i < x->ndim; i++) {
        struct port_dimension *dim = &x->dim[i];
        uint32_t *have, *may, cut = 0;
        if (!dim->ring || dim->extent < 3) continue;
        if (!HD_NEW_U32(f->arena, dim->extent, &have, &may)) return hd_fail_memory(f->ctx);
        count_steps(x, i, have, may);
        for (uint32_t k = 1; k < dim->extent; k++)
            if (may[k] - have[k] > may[cut] - have[cut]) cut = k;
        if (4 * have[cut] > may[cut]) continue;
        dim->ring = false;
        for (uint32_t v = 0; v < x->net->nsw; v++) {
            int32_t *at = &x->at[(size_t)v * x->ndim + i];
            *at = (*at + (int32_t)(dim->extent - 1 - cut)) % (int32_t)dim->extent;
        }
    }
    return HD_OK;
}

static hd_status place_switches(const struct hd_inference *f, struct port_grid *x, bool *found)
{
    enum { ROUNDS = 8 };
    uint32_t nsw = x->net->nsw, *set, *size, *queue;
    x->at = HD_NEW(f->arena, int32_t, (size_t)nsw * x->ndim);
    x->placed = HD_NEW(f->arena, bool, nsw);
    x->occupant = HD_NEW(f->arena, uint32_t, x->places);
    if (!HD_NEW_U32(f->arena, nsw, &set, &size, &queue) || !x->at || !x->placed || !x->occupant)
        return hd_fail_memory(f->ctx);
    grow(x, set, size, queue);
    HD_TRY(shift_lines(f, x));
    occupy(x);
    bool moved = true;
    for (int round = 0; round < ROUNDS && moved; round++) {
        moved = false;
        for (uint32_t v = 0; v < nsw; v++) moved |= move_by_votes(x, v) || exchange_by_votes(x, v);
    }
    *found = place_last(x);
    if (!*found) return HD_OK;
    close_rings(x);
    return open_rings(f, x);
}

/* ---- the shape ------------------------------------------------------------------------------------ */

static enum hd_wrap wrap_of(const struct port_dimension *d)
{
    return d->ring && d->extent > 2 ? HD_RING : HD_LINE;
}

/* By extent, wrap and cables; equal ones by their ports. */
static void sort_port_dimensions(const struct port_grid *x, uint32_t order[HD_MAX_DIM])
{
    for (uint32_t i = 0; i < x->ndim; i++) {
        uint32_t j = i;
        const struct port_dimension *a = &x->dim[i], *b;
        for (; j > 0; j--) {
            b = &x->dim[order[j - 1]];
            if (b->extent != a->extent
                    ? b->extent < a->extent
                    : wrap_of(b) < wrap_of(a) || (wrap_of(b) == wrap_of(a) && b->cables <= a->cables))
                break;
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
}

static hd_status port_grid_fill(const struct hd_inference *f, const struct port_grid *x, struct hd_reading *r)
{
    const struct hd_net *net = x->net;
    uint32_t order[HD_MAX_DIM], n = x->ndim;
    sort_port_dimensions(x, order);
    r->shape = (struct hd_shape){.kind = HD_SHAPE_GRID, .n = n};
    r->coord = HD_NEW(f->arena, uint16_t, ((size_t)net->nsw + net->nep) * n);
    if (!r->coord) return hd_fail_memory(f->ctx);
    for (uint32_t i = 0; i < n; i++) {
        const struct port_dimension *d = &x->dim[order[i]];
        r->shape.m[i] = d->extent;
        r->shape.p[i] = d->cables;
        r->shape.w[i] = wrap_of(d);
        for (uint32_t v = 0; v < net->nsw; v++) r->coord[(size_t)v * n + i] = (uint16_t)x->at[(size_t)v * n + order[i]];
    }
    for (uint32_t e = 0; e < net->nep; e++)
        memcpy(r->coord + ((size_t)net->nsw + e) * n, r->coord + (size_t)hd_leaf(net, e) * n, n * sizeof *r->coord);
    return HD_OK;
}

/* How many cables contradict the shape. */
static uint32_t port_grid_strays(const struct hd_inference *f, const struct hd_reading *r)
{
    struct hd_net view = *f->net;
    view.shape = r->shape;
    view.coord = r->coord;
    view.level = r->level;
    return hd_grid_strays(&view);
}

hd_status hd_infer_port_grid(const struct hd_inference *f, struct hd_reading *r)
{
    struct port_grid x = {.net = f->net};
    struct port_extent chosen[HD_MAX_DIM];
    uint64_t support = 0;
    uint32_t nsw = f->net->nsw;
    bool found = false;
    r->departs[0] = 0;
    HD_TRY(ports_pair(f, &x, &found));
    if (!found || !find_directions(&x)) return HD_OK;
    x.next = HD_NEW(f->arena, uint32_t, (size_t)nsw * x.n);
    x.sound = HD_NEW(f->arena, uint8_t, (size_t)nsw * x.n);
    if (!x.next || !x.sound) return hd_fail_memory(f->ctx);
    fill_next(&x);
    if (!find_port_dimensions(&x)) return HD_OK;
    find_sound_steps(&x);
    for (uint32_t i = 0; i < x.ndim; i++) HD_TRY(find_extents(f, &x, &x.dim[i]));
    choose_extents(&x, 0, 1, 0, chosen, &support);
    if (!support) return HD_OK;
    HD_TRY(place_switches(f, &x, &found));
    if (!found) return HD_OK;
    HD_TRY(port_grid_fill(f, &x, r));
    r->shape.strays = port_grid_strays(f, r);
    return hd_reading_verify(f, r);
}
