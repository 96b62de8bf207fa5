/* SPDX-License-Identifier: BSD-2-Clause */
/* torus-2QoS: dimension order on tori and meshes, deadlock-free in two VLs, around failed cables and switches.
 *
 * The lowest digit that differs is corrected first, on the shorter side of its ring; halfway round, on the side that
 * does not pass from the last switch of the ring to the first, its dateline. Which datelines a path crosses on the
 * intact torus is its service level, a bit per dimension, and the VL on a cable is the bit of the cable's dimension. In
 * one VL of a ring are then only paths that do not cross the dateline, in the other only paths that all do and are no
 * longer than half the ring: neither can close a cycle.
 * A ring that has lost a cable or a switch is a line. It is followed the other way round if need be, and cannot close a
 * cycle in any VL, so service levels stay as they are. If the switch where a path would turn into the next dimension is
 * gone, the path goes towards it as far as it gets, turns there, and makes up for the digit later: a turn against
 * the order of dimensions, after which the next cable is taken in a second pair of VLs.
 * OpenSM makes the same entries where two switches have one cable between them. Of n parallel cables destination d
 * takes number d mod n here; OpenSM deals them out in the order of its LIDs. Its second level of service (VLs 4 to 7)
 * is left out. Rings must not fall into pieces, and switches that are gone must be neighbours in the last dimension.
 * Cost O(switches^2 + endpoints * switches), and O(switches) memory beside the table and the service levels.
 * OpenSM, torus-2QoS. */
#include "base/status.h"
#include "net/core/shape.h"
#include "route/core/sl2vl.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"

#include <string.h>

enum { MOST_DIMS = 3, AHEAD = 0, BACK = 1 };

struct torus2qos {
    const struct hd_net *net;
    const struct hd_shape *shape;
    uint32_t size;                        /* switches of the intact torus */
    uint32_t present;                     /* those that are there */
    uint32_t stride[MOST_DIMS + 1];       /* of digits in the number of a place */
    uint32_t *at;                         /* [size] the switch at a place, UINT32_MAX: gone */
    uint32_t *place;                      /* [nsw] */
    uint16_t (*open)[MOST_DIMS][2];       /* [nsw] cables that can be followed in a row in each direction */
    uint8_t *slot;                        /* [nchan] slots of a switch, by dimension and direction */
    uint32_t (*first)[2 * MOST_DIMS + 1]; /* [nsw] where those of a direction begin in slot */
};

/* ---- places ---------------------------------------------------------------------------------- */

static uint32_t digit_of(const struct torus2qos *w, uint32_t place, uint32_t i)
{
    return place / w->stride[i] % w->shape->m[i];
}

static uint32_t with_digit(const struct torus2qos *w, uint32_t place, uint32_t i, uint32_t digit)
{
    return place + digit * w->stride[i] - digit_of(w, place, i) * w->stride[i];
}

static bool is_ring(const struct torus2qos *w, uint32_t i)
{
    return w->shape->w[i] == HD_RING && w->shape->m[i] > 2;
}

/* The place one step on, UINT32_MAX: the line ends. */
static uint32_t next_place(const struct torus2qos *w, uint32_t place, uint32_t i, int direction)
{
    uint32_t m = w->shape->m[i], x = digit_of(w, place, i), to = direction == AHEAD ? x + 1 : x + m - 1;
    if (!is_ring(w, i) && (direction == AHEAD ? x + 1 == m : x == 0)) return UINT32_MAX;
    return with_digit(w, place, i, to % m);
}

static uint32_t cables(const struct torus2qos *w, uint32_t v, uint32_t i, int direction)
{
    return w->first[v][2 * i + (uint32_t)direction + 1] - w->first[v][2 * i + (uint32_t)direction];
}

/* Dimension and direction of a channel between switches, as 2 i + direction; UINT32_MAX: to an endpoint, or apart. */
static uint32_t direction_of(const struct torus2qos *w, uint32_t c)
{
    const struct hd_net *net = w->net;
    if (net->head[c] >= net->nsw || net->tail[c] >= net->nsw || net->unplaced[net->tail[c]]) return UINT32_MAX;
    uint32_t u = w->place[net->tail[c]], v = w->place[net->head[c]], i = 0;
    while (i + 1 < w->shape->n && digit_of(w, u, i) == digit_of(w, v, i)) i++;
    return 2 * i + (next_place(w, u, i, AHEAD) == v ? AHEAD : BACK);
}

static void list_slots(struct torus2qos *w)
{
    const struct hd_net *net = w->net;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t *first = w->first[v], n = net->off[v];
        for (uint32_t k = 0; k < 2 * w->shape->n; k++) {
            first[k] = n;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
                if (direction_of(w, c) == k) w->slot[n++] = (uint8_t)(c - net->off[v]);
        }
        first[2 * w->shape->n] = n;
    }
}

static void count_open(struct torus2qos *w)
{
    for (uint32_t v = 0; v < w->net->nsw; v++)
        for (uint32_t i = 0; i < w->shape->n; i++)
            for (int direction = AHEAD; direction <= BACK; direction++) {
                uint32_t n = 0, u = v;
                while (n < w->shape->m[i] && cables(w, u, i, direction)) {
                    u = w->at[next_place(w, w->place[u], i, direction)];
                    n++;
                }
                w->open[v][i][direction] = (uint16_t)n;
            }
}

static hd_status torus2qos_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct torus2qos *w)
{
    *w = (struct torus2qos){.net = net, .shape = &net->shape, .size = 1, .present = hd_placed(net)};
    for (uint32_t i = 0; i < w->shape->n; i++) {
        w->stride[i] = w->size;
        w->size *= w->shape->m[i];
    }
    w->at = HD_NEW(a, uint32_t, w->size);
    w->place = HD_NEW(a, uint32_t, net->nsw);
    w->slot = HD_NEW(a, uint8_t, net->nchan);
    w->open = hd_alloc(a, net->nsw, sizeof *w->open);
    w->first = hd_alloc(a, net->nsw, sizeof *w->first);
    if (!w->at || !w->place || !w->slot || !w->open || !w->first) return hd_fail_memory(ctx);
    memset(w->at, 0xff, w->size * sizeof *w->at);
    for (uint32_t v = 0; v < net->nsw; v++) {
        for (uint32_t i = 0; i < w->shape->n; i++) w->place[v] += hd_coord(net, v)[i] * w->stride[i];
        if (!net->unplaced[v]) w->at[w->place[v]] = v;
    }
    list_slots(w);
    count_open(w);
    return HD_OK;
}

/* ---- entries ----------------------------------------------------------------------------------- */

/* Steps in a direction from digit x to digit y, UINT32_MAX: not on this line. */
static uint32_t steps(const struct torus2qos *w, uint32_t i, uint32_t x, uint32_t y, int direction)
{
    uint32_t m = w->shape->m[i];
    if (is_ring(w, i)) return direction == AHEAD ? (y + m - x) % m : (x + m - y) % m;
    return (direction == AHEAD) == (y > x) ? (y > x ? y - x : x - y) : UINT32_MAX;
}

/* The shorter side of the ring; halfway round, the one that does not cross the dateline. */
static int shorter_side(const struct torus2qos *w, uint32_t i, uint32_t x, uint32_t y)
{
    uint32_t ahead = steps(w, i, x, y, AHEAD), back = steps(w, i, x, y, BACK);
    return ahead == back ? (y > x ? AHEAD : BACK) : ahead < back ? AHEAD : BACK;
}

/* The direction, as 2 i + direction, that switch v takes in dimension i towards t; UINT32_MAX: it cannot go on. */
static uint32_t go_along(const struct torus2qos *w, uint32_t v, uint32_t t, uint32_t i)
{
    uint32_t x = digit_of(w, w->place[v], i), y = digit_of(w, w->place[t], i);
    int side = shorter_side(w, i, x, y);
    if (w->at[with_digit(w, w->place[v], i, y)] == UINT32_MAX) /* the turn is gone: as far as it gets */
        return cables(w, v, i, side) ? 2 * i + (uint32_t)side : UINT32_MAX;
    if (w->open[v][i][side] >= steps(w, i, x, y, side)) return 2 * i + (uint32_t)side;
    if (w->open[v][i][!side] >= steps(w, i, x, y, !side)) return 2 * i + (uint32_t)!side;
    return UINT32_MAX;
}

/* The direction that switch v takes towards switch t, v != t. */
static uint32_t next_direction(const struct torus2qos *w, uint32_t v, uint32_t t)
{
    uint32_t k = UINT32_MAX;
    for (uint32_t i = 0; i < w->shape->n && k == UINT32_MAX; i++)
        if (digit_of(w, w->place[v], i) != digit_of(w, w->place[t], i)) k = go_along(w, v, t, i);
    return k;
}

static void fill_rows(const struct torus2qos *w, struct hd_routes *r, uint32_t t)
{
    const struct hd_net *net = w->net;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t k = v == t ? UINT32_MAX : next_direction(w, v, t),
                 n = k == UINT32_MAX ? 0 : cables(w, v, k / 2, k % 2);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            uint32_t d = net->head[c] - net->nsw;
            if (net->head[c] < net->nsw) continue;
            if (v == t)
                hd_row(r, d, 0)[v] = (uint8_t)(c - net->off[t]);
            else if (n)
                hd_row(r, d, 0)[v] = w->slot[w->first[v][k] + d % n];
        }
    }
}

/* ---- VLs ----------------------------------------------------------------------------------------- */

/* The datelines that the path crosses on the intact torus, a bit each. */
static uint8_t service_level(const struct torus2qos *w, uint32_t v, uint32_t t)
{
    uint8_t level = 0;
    for (uint32_t i = 0; i < w->shape->n; i++) {
        uint32_t x = digit_of(w, w->place[v], i), y = digit_of(w, w->place[t], i);
        if (x != y && is_ring(w, i) && (shorter_side(w, i, x, y) == AHEAD) != (y > x)) level |= (uint8_t)(1u << i);
    }
    return level;
}

/* The VL of every level from a cable in one dimension to one in another; MOST_DIMS: an endpoint's. */
static void set_map(uint32_t from, uint32_t to, bool turns, uint8_t vl[16])
{
    uint8_t against = turns && from < MOST_DIMS && from > to ? 2 : 0;
    for (uint32_t level = 0; level < 16; level++)
        vl[level] = to < MOST_DIMS ? (uint8_t)((level >> to & 1) | against) : 0;
}

static hd_status set_maps(struct hd_ctx *ctx, const struct torus2qos *w, struct hd_routes *r, bool turns)
{
    const struct hd_net *net = w->net;
    HD_TRY(hd_sl2vl_make(ctx, &r->arena, net, &r->sl2vl));
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t in = net->off[v]; in < net->off[v + 1]; in++)
            for (uint32_t out = net->off[v]; out < net->off[v + 1]; out++) {
                uint32_t from = direction_of(w, in), to = direction_of(w, out);
                uint8_t vl[16];
                if (in == out) continue;
                set_map(from == UINT32_MAX ? MOST_DIMS : from / 2, to == UINT32_MAX ? MOST_DIMS : to / 2, turns, vl);
                HD_TRY(hd_sl2vl_set(ctx, &r->arena, r->sl2vl, v, in - net->off[v], out - net->off[v], vl));
            }
    return HD_OK;
}

static hd_status set_vls(struct hd_ctx *ctx, const struct torus2qos *w, struct hd_routes *r)
{
    const struct hd_net *net = w->net;
    bool turns = w->present < w->size;
    uint8_t used = 0;
    r->leaf_lane = HD_NEW(&r->arena, uint8_t, (size_t)r->nleaf * net->nep);
    if (!r->leaf_lane) return hd_fail_memory(ctx);
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint8_t *level = &r->leaf_lane[(size_t)leaf * net->nep + d];
            *level = service_level(w, r->leaf[leaf], hd_leaf(net, d));
            used |= *level;
        }
    r->nlanes = turns ? 4 : used ? 2 : 1;
    r->lane_rule = r->nlanes > 1 ? HD_LANE_HOP : HD_LANE_ONE;
    return r->nlanes > 1 ? set_maps(ctx, w, r, turns) : HD_OK;
}

/* ---- the engine ------------------------------------------------------------------------------------ */

/* Pieces of the ring or line through a place, as cables connect them. */
static uint32_t count_pieces(const struct torus2qos *w, uint32_t place, uint32_t i)
{
    uint32_t m = w->shape->m[i], ends = 0, there = 0;
    for (uint32_t x = 0; x < m; x++) {
        uint32_t v = w->at[with_digit(w, place, i, x)];
        there += v != UINT32_MAX;
        ends += v != UINT32_MAX && !cables(w, v, i, AHEAD);
    }
    return ends ? ends : there > 0; /* no end: closed */
}

/* Whether the switches that are gone follow each other in the last dimension: one piece in a single line. */
static bool gone_together(const struct torus2qos *w)
{
    uint32_t last = w->shape->n - 1, m = w->shape->m[last], line = UINT32_MAX, begins = 0;
    for (uint32_t p = 0; p < w->size; p++) {
        if (w->at[p] != UINT32_MAX) continue;
        uint32_t of = with_digit(w, p, last, 0), before = next_place(w, p, last, BACK);
        if (line != UINT32_MAX && line != of) return false;
        line = of;
        begins += before == UINT32_MAX || w->at[before] != UINT32_MAX;
    }
    return begins <= 1 && (line == UINT32_MAX || w->size - w->present < m);
}

static hd_status torus2qos_refuse(struct hd_ctx *ctx, const struct torus2qos *w)
{
    const struct hd_net *net = w->net;
    if (!gone_together(w))
        return hd_fail_na(ctx, "torus2qos", net->spec,
                          "the %u missing switches are not neighbours in the last dimension", w->size - w->present);
    for (uint32_t i = 0; i < w->shape->n; i++)
        for (uint32_t p = 0; p < w->size; p++)
            if (digit_of(w, p, i) == 0 && count_pieces(w, p, i) > 1)
                return hd_fail_na(ctx, "torus2qos", net->spec, "missing cables split a ring of dimension %u", i + 1);
    return HD_OK;
}

static hd_status torus2qos_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net,
                                   const void *opt)
{
    const struct hd_shape *s = &net->shape;
    struct hd_arena scratch = {0};
    struct torus2qos w;
    (void)e, (void)opt;
    bool torus = s->kind == HD_SHAPE_GRID && s->n <= MOST_DIMS;
    for (uint32_t i = 0; torus && i < s->n; i++) torus = s->w[i] != HD_CLIQUE || s->m[i] <= 2;
    if (!torus) return hd_fail_na(ctx, "torus2qos", net->spec, "not a torus or mesh of up to 3 dimensions");
    if (s->strays) return hd_fail_na(ctx, "torus2qos", net->spec, "cables that connect no neighbours: %u", s->strays);
    hd_status status = torus2qos_init(ctx, &scratch, net, &w);
    if (status == HD_OK) status = torus2qos_refuse(ctx, &w);
    hd_arena_release(&scratch);
    return status;
}

/* Paths around failures may be longer than any path that is supported, though shorter ones exist. */
static hd_status refuse_long(struct hd_ctx *ctx, const struct torus2qos *w)
{
    uint32_t most = w->size - w->present; /* turns before a switch that is gone */
    for (uint32_t i = 0; i < w->shape->n; i++) {
        bool closed = is_ring(w, i);
        for (uint32_t v = 0; v < w->net->nsw && closed; v++)
            closed = w->net->unplaced[v] || w->open[v][i][AHEAD] == w->shape->m[i];
        most += closed ? w->shape->m[i] / 2 : w->shape->m[i] - 1;
    }
    if (most < HD_FAR) return HD_OK;
    return hd_fail_na(ctx, "torus2qos", w->net->spec, "it may need paths of more than %d channels between switches",
                      HD_FAR - 1);
}

static hd_status torus2qos_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    struct torus2qos w;
    (void)opt;
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(torus2qos_init(ctx, scratch, r->net, &w));
    HD_TRY(refuse_long(ctx, &w));
    for (uint32_t k = 0; k < r->nleaf; k++) fill_rows(&w, r, r->leaf[k]);
    return set_vls(ctx, &w, r);
}

const struct hd_engine hd_engine_torus2qos = {
    .desc = {.name = "torus2qos",
             .summary = "OpenSM's torus-2QoS: dimension order, deadlock-free in two VLs, around failures",
             .text = "The lowest digit that differs is corrected first, on the shorter side of the ring. The service "
                     "level of a path has a bit for every dimension, set if the path crosses the ring's dateline, from "
                     "the last switch to the first; the VL on a cable is the bit of its dimension, so VLs change along "
                     "the path (SL2VL tables by ports). A ring with a failed cable or switch is followed the other way "
                     "round. If the switch at which a path would turn has failed, it turns before it, and the turn "
                     "back uses VLs 2 and 3. Service levels do not change with failures. For tori and meshes of up to "
                     "three dimensions of which no ring is split; failed switches must be neighbours in the last "
                     "dimension. The entries are those of OpenSM where cables are not doubled; its second level of "
                     "service, the same again in VLs 4 to 7, is left out. To run it, configure OpenSM's own.",
             .cite = "OpenSM, torus-2QoS",
             .examples = (const char *const[]){"torus2qos", NULL},
             .command = "heddle check torus:dims=5x5,hosts=1 torus2qos",
             .opt_size = 1},
    .role = HD_ENGINE_BASELINE,
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "settle",
    .applies = torus2qos_applies,
    .route = torus2qos_route};
