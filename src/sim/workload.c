/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages from the flows of a pattern. */
#include "sim/workload.h"
#include "base/status.h"

#include <string.h>

#define NONE UINT32_MAX

static bool grow(struct hd_arena *arena, struct hd_flow_list *l, uint64_t need)
{
    if (need <= l->room) return true;
    if (need >= UINT32_MAX) return false;
    uint64_t room = need > 2ull * l->room ? need : 2ull * l->room;
    if (room >= UINT32_MAX) room = need;
    uint32_t *src, *dst, *stage;
    uint64_t *bytes = HD_NEW(arena, uint64_t, room);
    if (!bytes || !HD_NEW_U32(arena, room, &src, &dst, &stage)) return false;
    if (l->n) {
        memcpy(src, l->src, l->n * sizeof *src);
        memcpy(dst, l->dst, l->n * sizeof *dst);
        memcpy(stage, l->stage, l->n * sizeof *stage);
        memcpy(bytes, l->bytes, l->n * sizeof *bytes);
    }
    *l = (struct hd_flow_list){l->n, (uint32_t)room, l->nstage, src, dst, stage, bytes};
    return true;
}

hd_status hd_flow_list_add(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_flow_list *l, const struct hd_flows *f,
                           uint64_t size, uint32_t unit)
{
    if (!grow(arena, l, (uint64_t)l->n + f->n)) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < f->n; i++, l->n++) {
        double bytes = f->weight ? (double)size * f->weight[i] / unit : (double)size;
        l->src[l->n] = f->src[i];
        l->dst[l->n] = f->dst[i];
        l->stage[l->n] = l->nstage;
        l->bytes[l->n] = bytes < 1 ? 1 : (uint64_t)bytes;
    }
    l->nstage++;
    return HD_OK;
}

/* Stage by stage: no rank has two partners; directions that are missing are added at the end of the list. */
static hd_status add_reverses(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t nep, struct hd_flow_list *l)
{
    uint32_t *partner = HD_NEW(arena, uint32_t, nep), n = l->n, from = 0;
    bool *sends = HD_NEW(arena, bool, nep);
    if (!partner || !sends || !grow(arena, l, 2ull * n)) return hd_fail_memory(ctx);
    for (uint32_t s = 0; s < l->nstage; s++) {
        memset(partner, 0xff, nep * sizeof *partner);
        memset(sends, 0, nep * sizeof *sends);
        uint32_t to = from;
        for (; to < n && l->stage[to] == s; to++) {
            uint32_t a = l->src[to], b = l->dst[to];
            if (sends[a] || (partner[a] != NONE && partner[a] != b) || (partner[b] != NONE && partner[b] != a))
                return hd_fail(ctx, HD_INPUT,
                               "progress=exchange: expected a pattern of pairs; endpoint %u has two partners in a "
                               "stage (try progress=sent)",
                               a);
            partner[a] = b;
            partner[b] = a;
            sends[a] = true;
        }
        for (; from < to; from++) {
            uint32_t b = l->dst[from];
            if (sends[b]) continue;
            l->src[l->n] = b;
            l->dst[l->n] = l->src[from];
            l->stage[l->n] = s;
            l->bytes[l->n++] = l->bytes[from];
        }
    }
    return HD_OK;
}

/* Order of the list by stage, then as it was: reverses were added behind. */
static hd_status order_by_stage(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_flow_list *l,
                                uint32_t **order)
{
    uint32_t *at = HD_NEW(arena, uint32_t, (size_t)l->nstage + 1), *o = HD_NEW(arena, uint32_t, l->n);
    if (!at || !o) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < l->n; i++) at[l->stage[i] + 1]++;
    for (uint32_t s = 0; s < l->nstage; s++) at[s + 1] += at[s];
    for (uint32_t i = 0; i < l->n; i++) o[at[l->stage[i]]++] = i;
    *order = o;
    return HD_OK;
}

/* In a stage of pairs the message of a finds that of its partner by stage. */
static void find_mates(const struct hd_workload *w, uint32_t nep)
{
    for (uint32_t a = 0; a < nep; a++)
        for (uint32_t m = w->first[a]; m < w->first[a + 1]; m++) {
            uint32_t low = w->first[w->dst[m]], high = w->first[w->dst[m] + 1];
            while (low < high) {
                uint32_t mid = low + (high - low) / 2;
                if (w->stage[mid] < w->stage[m])
                    low = mid + 1;
                else
                    high = mid;
            }
            w->mate[m] = low;
        }
}

hd_status hd_workload_make(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t nep, struct hd_flow_list *l,
                           bool exchange, struct hd_workload *out)
{
    struct hd_workload w = {.nstage = l->nstage};
    uint32_t *order = NULL;
    if (exchange) HD_TRY(add_reverses(ctx, arena, nep, l));
    HD_TRY(order_by_stage(ctx, arena, l, &order));
    w.nmsg = l->n;
    w.first = HD_NEW(arena, uint32_t, (size_t)nep + 2);
    w.bytes = HD_NEW(arena, uint64_t, l->n);
    if (!w.first || !w.bytes || !HD_NEW_U32(arena, l->n, &w.dst, &w.stage)) return hd_fail_memory(ctx);
    if (exchange && !(w.mate = HD_NEW(arena, uint32_t, l->n))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < l->n; i++) w.first[l->src[i] + 2]++;
    for (uint32_t e = 0; e < nep; e++) w.first[e + 2] += w.first[e + 1];
    for (uint32_t k = 0; k < l->n; k++) { /* first[e + 1] runs over the list of e */
        uint32_t i = order[k], m = w.first[l->src[i] + 1]++;
        w.dst[m] = l->dst[i];
        w.stage[m] = l->stage[i];
        w.bytes[m] = l->bytes[i];
    }
    if (exchange) find_mates(&w, nep);
    *out = w;
    return HD_OK;
}
