/* SPDX-License-Identifier: BSD-2-Clause */
/* Stages of collective sequences, as pairs of endpoints: see the table in stages.h. Displaced sequences point into the
 * list of endpoints, which is stored twice in a row; others fill the buffers of the flows. O(1) or O(ranks) per
 * stage. */
#include "flow/core/stages.h"
#include "base/status.h"

#include <string.h>

hd_status hd_circle_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_ranks *ranks,
                         struct hd_circle *circle)
{
    HD_TRY(hd_ranks_need(ctx, ranks, 2));
    uint32_t *ep = HD_NEW(arena, uint32_t, 2 * (size_t)ranks->n);
    if (!ep) return hd_fail_memory(ctx);
    memcpy(ep, ranks->ep, ranks->n * sizeof *ep);
    memcpy(ep + ranks->n, ranks->ep, ranks->n * sizeof *ep);
    *circle = (struct hd_circle){ranks->n, ep};
    return HD_OK;
}

static uint32_t stages_floor_log2(uint32_t n)
{
    uint32_t l = 0;
    while (n >>= 1) l++;
    return l;
}

/* Stages with 2^s < n. */
static uint32_t doublings(uint32_t n)
{
    return stages_floor_log2(n - 1) + 1;
}

uint64_t hd_sequence_stages(enum hd_sequence q, uint32_t n)
{
    uint32_t l = stages_floor_log2(n);
    switch (q) {
    case HD_SEQ_SHIFT:
    case HD_SEQ_XOR: return n - 1;
    case HD_SEQ_RING: return 1;
    case HD_SEQ_RECDBL:
    case HD_SEQ_RECHALF: return n == 1u << l ? l : l + 2;
    default: return doublings(n);
    }
}

/* n flows, no buffer needed. */
static void stages_point(struct hd_flows *f, uint32_t n, const uint32_t *src, const uint32_t *dst)
{
    f->n = n;
    f->src = src;
    f->dst = dst;
    f->weight = NULL;
    f->simple = true;
}

static void stage_tournament(const struct hd_circle *c, uint64_t distance, struct hd_flows *f)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i + distance < c->n; i += 2 * distance, n++) {
        f->buf[0][n] = c->ep[i + distance];
        f->buf[1][n] = c->ep[i];
    }
    stages_point(f, n, f->buf[0], f->buf[1]);
}

static void stage_binomial(const struct hd_circle *c, uint32_t distance, bool gather, struct hd_flows *f)
{
    uint32_t n = distance < c->n - distance ? distance : c->n - distance;
    const uint32_t *low = c->ep, *high = c->ep + distance;
    stages_point(f, n, gather ? high : low, gather ? low : high);
}

static void stage_exchange(const struct hd_circle *c, uint32_t n, uint32_t mask, struct hd_flows *f)
{
    for (uint32_t i = 0; i < n; i++) f->buf[1][i] = c->ep[i ^ mask];
    stages_point(f, n, c->ep, f->buf[1]);
}

static void stage_recursive(const struct hd_circle *c, uint32_t stage, bool halving, struct hd_flows *f)
{
    uint32_t l = stages_floor_log2(c->n), half = 1u << l, over = c->n - half;
    if (over && stage == 0)
        stages_point(f, over, c->ep + half, c->ep);
    else if (over && stage == l + 1)
        stages_point(f, over, c->ep, c->ep + half);
    else {
        uint32_t s = stage - (over > 0);
        stage_exchange(c, half, 1u << (halving ? l - 1 - s : s), f);
    }
}

void hd_sequence_stage(enum hd_sequence q, const struct hd_circle *c, uint64_t stage, struct hd_flows *f)
{
    uint32_t n = c->n, s = (uint32_t)stage;
    switch (q) {
    case HD_SEQ_SHIFT: stages_point(f, n, c->ep, c->ep + s + 1); break;
    case HD_SEQ_RING: stages_point(f, n, c->ep, c->ep + 1); break;
    case HD_SEQ_BRUCK: stages_point(f, n, c->ep, c->ep + (1u << s)); break;
    case HD_SEQ_REV_BRUCK: stages_point(f, n, c->ep + (1u << s), c->ep); break;
    case HD_SEQ_TOURNAMENT: stage_tournament(c, (uint64_t)1 << s, f); break;
    case HD_SEQ_BINOMIAL: stage_binomial(c, 1u << s, false, f); break;
    case HD_SEQ_GATHER: stage_binomial(c, 1u << (doublings(n) - 1 - s), true, f); break;
    case HD_SEQ_RECDBL: stage_recursive(c, s, false, f); break;
    case HD_SEQ_RECHALF: stage_recursive(c, s, true, f); break;
    case HD_SEQ_XOR: stage_exchange(c, n, s + 1, f); break;
    }
}
