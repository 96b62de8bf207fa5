/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a schedule: for each stage and rank whom it sends to, in blocks of 64 stages. */
#ifndef HD_ORDER_SCHEDULE_H
#define HD_ORDER_SCHEDULE_H

#include "base/arena.h"
#include "heddle/order.h"

enum { HD_BLOCK = 64 };

struct hd_plan {
    struct hd_arena *arena; /* of the schedule */
    uint32_t n, width;      /* bytes of an entry: 2, or 4 from 65,535 ranks on; all ones: sends nothing */
    uint32_t nblock, room;
    void **block;
};

/* Makes sure the block of that stage is there. */
hd_status hd_plan_reach(struct hd_ctx *ctx, struct hd_plan *p, uint64_t stage);

static inline void hd_plan_set(struct hd_plan *p, uint64_t stage, uint32_t rank, uint32_t to)
{
    size_t at = (size_t)(stage % HD_BLOCK) * p->n + rank;
    if (p->width == 2)
        ((uint16_t *)p->block[stage / HD_BLOCK])[at] = (uint16_t)to;
    else
        ((uint32_t *)p->block[stage / HD_BLOCK])[at] = to;
}

static inline uint32_t hd_plan_get(const struct hd_plan *p, uint64_t stage, uint32_t rank)
{
    size_t at = (size_t)(stage % HD_BLOCK) * p->n + rank;
    if (p->width == 4) return ((const uint32_t *)p->block[stage / HD_BLOCK])[at];
    uint16_t to = ((const uint16_t *)p->block[stage / HD_BLOCK])[at];
    return to == UINT16_MAX ? UINT32_MAX : to;
}

/* A schedule around an empty plan. */
hd_status hd_schedule_new(struct hd_ctx *ctx, uint32_t n, struct hd_schedule **schedule, struct hd_plan **plan);

#endif
