/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows whose paths close no credit loop together with those of all rows before: switches that do not arrive join those
 * that do, over turns that are admitted. All VLs are taken as one. */
#ifndef HD_ROUTE_KEEP_SAFE_ROWS_H
#define HD_ROUTE_KEEP_SAFE_ROWS_H

#include "heddle/route.h"
#include "route/kernel/acyclic_order.h"
#include "route/kernel/channel_deps.h"
#include "route/kernel/row_walk.h"

struct hd_safe_rows {
    const struct hd_net *net;
    struct hd_acyclic turns;        /* that rows have so far, in lane 0 */
    struct hd_reach reach;          /* of the row at hand */
    uint32_t *place;                /* [links] in the order that lane 0 has at first */
    uint32_t *hole, *joined;        /* [nsw] switches that do not arrive, and those that do since hd_safe_join */
    uint32_t nhole, njoined, needs; /* needs: the first of the holes, without which the row is of no use */
    uint8_t *news;                  /* [nsw] of holes, what has changed beside them */
    uint64_t looks;                 /* at channels, those of searches not counted */
    uint64_t most;                  /* of both, after which no turn is new */
    bool cut;                       /* holes were left over that way */
    uint16_t *saved;                /* [turns], */
    uint32_t *saved_order;          /* [links] of hd_safe_save; NULL: none yet */
};

/* Lives in arena; hd_safe_clear comes next. Searches are short if turns go forwards in `order`, of all n places. */
hd_status hd_safe_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *order,
                       uint32_t n, struct hd_safe_rows *s);
/* No turn is admitted. */
hd_status hd_safe_clear(struct hd_ctx *ctx, struct hd_safe_rows *s);
/* Looks at channels after which hd_safe_join, from now on, takes no turn any more that no row has. */
void hd_safe_limit(struct hd_safe_rows *s, uint64_t looks);
/* Notes the turns that are admitted, and admits them again and no others. */
hd_status hd_safe_save(struct hd_ctx *ctx, struct hd_safe_rows *s);
hd_status hd_safe_back(struct hd_ctx *ctx, struct hd_safe_rows *s);
/* Admits the turns of a graph of one lane; returns how many would have closed a loop. */
uint32_t hd_safe_admit(struct hd_safe_rows *s, const struct hd_deps *deps);

/* A new row, towards a node: no switch is met, and there are no holes. */
void hd_safe_begin(struct hd_safe_rows *s, uint32_t target);
/* Follows it, as hd_reach_follow. Entries that lead nowhere, or into a turn that was not admitted, are cleared; returns
 * how many. */
uint32_t hd_safe_follow(struct hd_safe_rows *s, uint8_t *row, uint32_t target, const uint32_t *from, uint32_t n);
/* Gives holes entries that are safe, of turns that are new as few as it takes for those that the row needs; of several
 * that are as good those of another row. Holes stay where there is none, and once there have been too many looks. */
void hd_safe_join(struct hd_safe_rows *s, uint8_t *row, const uint8_t *rather);

#endif
