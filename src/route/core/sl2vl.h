/* SPDX-License-Identifier: BSD-2-Clause */
/* VLs that change along the path: at every switch the VL in which a packet leaves follows from the port on which it
 * arrived, the port by which it leaves and its service level. Most ports share their tables, so tables are kept once
 * and pairs of ports refer to them: 2 bytes per pair. */
#ifndef HD_ROUTE_CORE_SL2VL_H
#define HD_ROUTE_CORE_SL2VL_H

#include "base/arena.h"
#include "heddle/net.h"

enum { HD_MAX_MAPS = 4096 };
enum { HD_LANE_DROP = 15 }; /* of management packets alone: a switch drops others that a table sends there */

struct hd_sl2vl {
    const struct hd_net *net;
    uint32_t nmap, room;
    uint8_t (*map)[16]; /* VL of each service level */
    size_t *first;      /* [nsw + 1] where the pairs of ports of a switch begin */
    uint16_t *which;    /* [first[v] + in * degree + out] number of the map + 1, 0: not known; slots */
};

/* No table known yet. Lives in arena. */
hd_status hd_sl2vl_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_sl2vl **m);
/* HD_LIMIT when there are more different tables than can be kept. */
hd_status hd_sl2vl_set(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sl2vl *m, uint32_t v, uint32_t in,
                       uint32_t out, const uint8_t lane[16]);
/* A map for later use, its number in *map. */
hd_status hd_sl2vl_add(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sl2vl *m, const uint8_t lane[16],
                       uint32_t *map);

/* A copy; for another network, of the one table that all ports have. */
hd_status hd_sl2vl_copy(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_sl2vl *m, const struct hd_net *net,
                        struct hd_sl2vl **out);
/* All pairs of ports refer to the first table. */
void hd_sl2vl_fill(struct hd_sl2vl *m);

/* A packet never leaves by the port on which it arrived: what tables have for that does not count in what follows. */
/* Whether all pairs of ports have a table. */
bool hd_sl2vl_complete(const struct hd_sl2vl *m);
/* Whether every pair of ports maps service levels to the same VLs, in tables of one network; NULL: there are none. */
bool hd_sl2vl_same(const struct hd_sl2vl *a, const struct hd_sl2vl *b);
/* Sets of service levels. [maps + 1] those that a table does not send to VL 15; the first is of ports without a table,
 * from which nothing is known to be dropped. m may be NULL; NULL: no memory. */
enum { HD_ALL_LEVELS = 0xffff };
uint16_t *hd_sl2vl_passes(struct hd_arena *arena, const struct hd_sl2vl *m);
/* The slot of each port of switch v, HD_SLOT_NONE: none; port 0, the switch itself, has none. */
void hd_slots_by_port(const struct hd_net *net, uint32_t v, uint8_t slot_of[256]);

static inline uint16_t *hd_sl2vl_at(const struct hd_sl2vl *m, uint32_t v, uint32_t in, uint32_t out)
{
    return &m->which[m->first[v] + (size_t)in * hd_degree(m->net, v) + out];
}
/* Levels that get through a switch, from channel `in` to channel `out`; passes: of m. */
static inline uint32_t hd_sl2vl_pass(const struct hd_sl2vl *m, const uint16_t *passes, uint32_t in, uint32_t out)
{
    if (!m) return HD_ALL_LEVELS;
    const uint32_t v = m->net->tail[out], *off = m->net->off;
    return passes[*hd_sl2vl_at(m, v, m->net->rev[in] - off[v], out - off[v])];
}
/* VL on channel `out`, which follows channel `in` through a switch; 0 if it is not known. */
static inline uint32_t hd_sl2vl_lane(const struct hd_sl2vl *m, uint32_t in, uint32_t out, uint32_t level)
{
    uint32_t v = m->net->tail[out], which = *hd_sl2vl_at(m, v, m->net->rev[in] - m->net->off[v], out - m->net->off[v]);
    return which ? m->map[which - 1][level] : 0;
}

#endif
