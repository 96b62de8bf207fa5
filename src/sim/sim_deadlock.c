/* SPDX-License-Identifier: BSD-2-Clause */
/* Deadlock: a queue is stuck when its first packet waits for an idle channel whose buffer has no room for it;
 * then it waits for that buffer, which is the queue of the same lane at the channel's end. A walk along these
 * waits that comes back to where it was is a cycle that never resolves. O(queues); with virtual
 * output queues O(queues ports), times the longest chain of waits. */
#include "sim/sim_state.h"

/* Virtual output queues share the buffer of their input, which drains as long as one of them does: the first of the
 * buffers that buffer i waits for, if all that it has packets for cannot take them and are stuck themselves; HD_NIL: it
 * is not stuck. */
static uint32_t voq_waits_for(struct hd_sim *sim, uint32_t i, const bool *stuck)
{
    uint32_t in = i / sim->lanes, lane = i % sim->lanes, first = HD_NIL, slot = sim->wire[in].slot;
    if (sim->wire[in].state & HD_TO_HOST) return HD_NIL;
    uint32_t v = sim->net->head[in];
    for (uint32_t c = sim->net->off[v]; c < sim->net->off[v + 1]; c++) {
        uint32_t queue = c * sim->lanes + lane;
        if (!(hd_ask_at(sim, queue)[slot / 64] >> slot % 64 & 1)) continue;
        const struct hd_packet *p = &sim->packet[sim->voq[(size_t)queue * sim->ports + slot].first];
        if (!stuck[queue] || sim->wire[c].state & HD_BUSY || hd_sim_fits(sim, c, p)) return HD_NIL;
        if (sim->stalled_at[c] + sim->m->credit > sim->wheel.now) return HD_NIL;
        if (first == HD_NIL) first = queue;
    }
    return first;
}

/* All buffers are taken to be stuck, and those that are not are taken off until nothing changes. */
static void voq_find_stuck(struct hd_sim *sim, bool *stuck)
{
    uint32_t queues = sim->net->nchan * sim->lanes;
    bool changed = true;
    for (uint32_t i = 0; i < queues; i++) stuck[i] = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < queues; i++) {
            if (!stuck[i] || voq_waits_for(sim, i, stuck) != HD_NIL) continue;
            stuck[i] = false;
            changed = true;
        }
    }
}

/* The queue that queue i waits for; HD_NIL: it is not stuck. */
static uint32_t waits_for(struct hd_sim *sim, uint32_t i, const bool *stuck)
{
    const struct hd_queue *q = hd_queue_at(sim, i);
    if (sim->voq) return voq_waits_for(sim, i, stuck);
    if (q->first == HD_NIL || q->sending) return HD_NIL;
    const struct hd_packet *p = &sim->packet[q->first];
    uint32_t out = hd_packet_out(sim, p);
    const struct hd_channel_state *w = &sim->wire[out];
    if ((w->state & (HD_BUSY | HD_STALLED)) != HD_STALLED || hd_sim_fits(sim, out, p)) return HD_NIL;
    /* room that has been made may still be on its way */
    if (sim->stalled_at[out] + sim->m->credit > sim->wheel.now) return HD_NIL;
    return out * sim->lanes + p->lane;
}

static void keep_cycle(struct hd_sim *sim, uint32_t start, const bool *stuck)
{
    uint32_t i = start;
    sim->deadlock = true;
    sim->cycle_lane = start % sim->lanes;
    do {
        if (sim->ncycle < HD_CYCLE) sim->cycle[sim->ncycle] = i / sim->lanes;
        sim->ncycle++;
        i = waits_for(sim, i, stuck);
    } while (i != start);
}

void hd_sim_find_cycle(struct hd_sim *sim)
{
    uint32_t queues = sim->net->nchan * sim->lanes;
    struct hd_mark mark = hd_arena_mark(sim->arena);
    uint32_t *seen = HD_NEW(sim->arena, uint32_t, queues); /* by which walk, from 1 */
    bool *stuck = HD_NEW(sim->arena, bool, queues);        /* with virtual output queues */
    if (!seen || !stuck) {
        sim->failed = true;
        return;
    }
    if (sim->voq) voq_find_stuck(sim, stuck);
    for (uint32_t start = 0; start < queues && !sim->deadlock; start++) {
        uint32_t i = start;
        for (; i != HD_NIL && !seen[i]; i = waits_for(sim, i, stuck)) seen[i] = start + 1;
        if (i != HD_NIL && seen[i] == start + 1 && waits_for(sim, i, stuck) != HD_NIL) keep_cycle(sim, i, stuck);
    }
    hd_arena_rewind(sim->arena, mark);
}
