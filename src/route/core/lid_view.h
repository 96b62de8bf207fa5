/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes as switches hold them: a port for each LID. All rows are in memory, so an entry is one byte to look up;
 * memory is that of the table, and switches squared. */
#ifndef HD_ROUTE_CORE_LID_VIEW_H
#define HD_ROUTE_CORE_LID_VIEW_H

#include "net/edit/lids.h"
#include "route/core/routes.h"

enum { HD_LFT_HOLE = 256 };

struct hd_lft_view {
    const struct hd_routes *r;
    struct hd_lids lids;
    const uint8_t *rows;   /* [(d * nvar + x) * nsw + v] */
    uint8_t *switch_rows;  /* [t * nsw + v] */
    uint32_t *owner;       /* [lids.last + 1] node + 1, 0: none */
    uint32_t *further;     /* [lids.last + 1] row of a further LID of a file + 1, 0: none; NULL: there are none */
    uint32_t *more, nmore; /* [nmore] likewise, of a LID of a switch beyond its base LID */
};

/* With these LIDs, which may span more variants than there are: they then repeat, unless a file gave other entries.
 * The LIDs of a file are matched by their distance from the base LID of the node. Lives in arena. */
hd_status hd_lft_view_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, struct hd_lids lids,
                           struct hd_lft_view *view);

/* How far a LID of node v is from the base LID that a file has for it. */
static inline uint32_t hd_lft_distance(const struct hd_routes *r, uint32_t v, uint32_t lid)
{
    return (uint16_t)(lid - r->lid[v]);
}

/* Then: LIDs that the table has entries for and the plan no place, since the network states a smaller LMC, are those
 * of its endpoints all the same, if their base LIDs are as in that table and nobody else has them. *lost: how many
 * LIDs are left out. */
hd_status hd_lft_view_claim(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_lft_view *view, uint32_t *lost);

/* The row of a LID of a switch among those beyond base LIDs + 1; 0: that of the base LID. */
static inline uint32_t hd_lft_more(const struct hd_lft_view *w, uint32_t lid)
{
    return w->more && lid < w->nmore ? w->more[lid] : 0;
}

/* Slots of all switches towards the LID of a node; *sw is the switch itself, UINT32_MAX for an endpoint. */
static inline const uint8_t *hd_lft_row(const struct hd_lft_view *w, uint32_t lid, uint32_t *sw)
{
    const struct hd_net *net = w->r->net;
    uint32_t v = w->owner[lid] - 1, d = v - net->nsw;
    *sw = v < net->nsw ? v : UINT32_MAX;
    if (v < net->nsw && hd_lft_more(w, lid)) return w->r->more + (size_t)(hd_lft_more(w, lid) - 1) * net->nsw;
    if (v < net->nsw) return w->switch_rows + (size_t)v * net->nsw;
    if (w->further && w->further[lid]) return w->r->further + (size_t)(w->further[lid] - 1) * net->nsw;
    return w->rows + ((size_t)d * w->r->nvar + (lid - w->lids.base[v]) % w->r->nvar) * net->nsw;
}

/* The port that an entry of a switch for itself, such as r->own_entry has, stands for. */
static inline uint32_t hd_lft_own_port_in(uint32_t own)
{
    return own == HD_OWN_NONE ? HD_LFT_HOLE : own == HD_OWN_CHOSEN ? 0 : own;
}

/* What a switch has for its own LID: 0, unless a file says otherwise. */
static inline uint32_t hd_lft_own_port(const struct hd_routes *r, uint32_t v)
{
    return r->own_entry ? hd_lft_own_port_in(r->own_entry[v]) : 0;
}

/* The same for any of its LIDs. */
static inline uint32_t hd_lft_own_port_of(const struct hd_lft_view *w, uint32_t v, uint32_t lid)
{
    const uint32_t more = hd_lft_more(w, lid);
    return more ? hd_lft_own_port_in(w->r->more_own[more - 1]) : hd_lft_own_port(w->r, v);
}

/* Port that switch v sends a LID to, 0: itself; HD_LFT_HOLE: nowhere. */
static inline uint32_t hd_lft_port(const struct hd_lft_view *w, uint32_t v, uint32_t lid)
{
    const struct hd_net *net = w->r->net;
    if (lid > w->lids.last || !w->owner[lid]) return HD_LFT_HOLE;
    uint32_t sw, slot = hd_lft_row(w, lid, &sw)[v];
    if (sw == v) return hd_lft_own_port_of(w, v, lid);
    return slot < hd_degree(net, v) ? net->port[net->off[v] + slot] : HD_LFT_HOLE;
}

#endif
