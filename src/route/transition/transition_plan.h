/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan in the making: tables to load one after the other, each step proved for every order of writes within it. */
#ifndef HD_ROUTE_TRANSITION_TRANSITION_PLAN_H
#define HD_ROUTE_TRANSITION_TRANSITION_PLAN_H

#include "route/check/mixture.h"

struct hd_steps_plan {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    const struct hd_routes *old, *new;
    const struct hd_routes *vl[2]; /* as in mixture.h */
    const bool *idle;              /* likewise */
    uint32_t nsteps, room;
    struct hd_routes **step; /* what was found so far; owned, and the last may be a copy of new */
    uint64_t work, limit;    /* entries looked at by proofs, and how many may be */
    uint64_t most, each;     /* that limit in each search, and what a proof counts as beside its entries */
    bool apart;              /* some proof that a step rests on left packets of aggregation nodes out */
    struct hd_arena arena;
};

/* Whether every mixture of two tables is safe. Beyond the limit nothing is proved and the answer is no. */
hd_status hd_plan_proves(struct hd_steps_plan *p, const struct hd_routes *from, const struct hd_routes *to, bool *safe);
/* A stored copy of the entries of a table, with the VLs and the selection of the new one. */
hd_status hd_plan_copy(struct hd_steps_plan *p, const struct hd_routes *from, struct hd_routes **out);
/* The table becomes the next step and belongs to the plan, also on failure. */
hd_status hd_plan_append(struct hd_steps_plan *p, struct hd_routes *table);
/* Steps after the first n go. */
void hd_plan_rewind(struct hd_steps_plan *p, uint32_t n);
void hd_plan_release(struct hd_steps_plan *p);

/* Steps from one table to another: all entries of a switch level at once, or, with split, also groups of destinations
 * one after the other. Appends them, or nothing where *found is false. */
hd_status hd_plan_between(struct hd_steps_plan *p, const struct hd_routes *from, const struct hd_routes *to, bool split,
                          bool *found);

/* Up/down tables: by the levels of a tree, or by distance from the centre. They are safe among themselves. */
enum hd_plan_detour { HD_DETOUR_LEVELS, HD_DETOUR_CENTRE, HD_DETOURS };
/* *table is NULL where there is none. */
hd_status hd_plan_detour(struct hd_steps_plan *p, enum hd_plan_detour which, struct hd_routes **table);

#endif
