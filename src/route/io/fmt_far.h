/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a far file that a forwarding table does not have: groups of ports, and which LIDs use them. The reader of
 * forwarding tables (fmt_lft_read.c) reads the rest. */
#ifndef HD_ROUTE_IO_FMT_FAR_H
#define HD_ROUTE_IO_FMT_FAR_H

#include "base/input.h"
#include "route/core/groups.h"

struct hd_far_switch {
    uint32_t n, room;        /* groups */
    uint32_t *number;        /* [n] as the file has them */
    struct hd_port_set *set; /* [n] */
    uint32_t lids;           /* places in the two below */
    uint16_t *group;         /* by LID: place of the group + 1, 0: static */
    uint8_t *state;          /* by LID: enum hd_lid_state */
    uint16_t *final;         /* [n] number among the groups of the routes, once these are filled */
};

struct hd_far {
    struct hd_arena *arena;
    const struct hd_net *net;
    struct hd_far_switch *at; /* [nsw]; NULL: not a far file */
    uint16_t *place;          /* by number of a group: where the switch being read has it, if number[] there agrees */
    bool groups, skip;        /* below Groups Definition; between the line of a switch and that */
    bool states;              /* some are not free */
};

/* Called at the first line of a switch in a far file. */
hd_status hd_far_begin(struct hd_ctx *ctx, struct hd_far *far);
/* A line below Groups Definition; slot_of: of each port of switch v. */
hd_status hd_far_group(struct hd_ctx *ctx, const struct hd_in *in, struct hd_far *far, uint32_t v,
                       const uint8_t *slot_of, const char *line);
/* The rest of an entry behind its port: state and group, which is kept for the LID. *dynamic: it has a group. */
hd_status hd_far_entry(struct hd_ctx *ctx, const struct hd_in *in, struct hd_far *far, uint32_t v, uint32_t lid,
                       const char *rest, bool *dynamic);
/* Makes the groups of routes, none of any entry yet, if this is a far file that has some. */
hd_status hd_far_make(struct hd_ctx *ctx, struct hd_far *far, struct hd_routes *r);
/* Then: those of n rows of entries; lid_of: of each row, 0: none. */
hd_status hd_far_fill(struct hd_ctx *ctx, const struct hd_far *far, const uint8_t *rows, const uint32_t *lid_of,
                      size_t n, struct hd_routes *r, struct hd_group_rows *out);

hd_status hd_write_far(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);

#endif
