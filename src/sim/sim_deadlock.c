/* SPDX-License-Identifier: BSD-2-Clause */
/* Deadlock: a queue is stuck when its first packet waits for an idle channel whose buffer has no room for it;
 * then it waits for that buffer, which is the queue of the same lane at the channel's end. A walk along these
 * waits that comes back to where it was is a cycle that never resolves. O(queues). */
#include "sim/sim_state.h"

/* The queue that queue i waits for; HD_NIL: it is not stuck. */
static uint32_t waits_for(struct hd_sim *sim, uint32_t i)
{
    const struct hd_queue *q = hd_queue_at(sim, i);
    if (q->first == HD_NIL || q->sending) return HD_NIL;
    const struct hd_packet *p = &sim->packet[q->first];
    uint32_t out = hd_packet_out(sim, p);
    const struct hd_channel_state *w = &sim->wire[out];
    if ((w->state & (HD_BUSY | HD_STALLED)) != HD_STALLED || hd_sim_fits(sim, out, p)) return HD_NIL;
    /* room that has been made may still be on its way */
    if (sim->stalled_at[out] + sim->m->credit > sim->wheel.now) return HD_NIL;
    return out * sim->lanes + p->lane;
}

static void keep_cycle(struct hd_sim *sim, uint32_t start)
{
    uint32_t i = start;
    sim->deadlock = true;
    sim->cycle_lane = start % sim->lanes;
    do {
        if (sim->ncycle < HD_CYCLE) sim->cycle[sim->ncycle] = i / sim->lanes;
        sim->ncycle++;
        i = waits_for(sim, i);
    } while (i != start);
}

void hd_sim_find_cycle(struct hd_sim *sim)
{
    uint32_t queues = sim->net->nchan * sim->lanes;
    struct hd_mark mark = hd_arena_mark(sim->arena);
    uint32_t *seen = HD_NEW(sim->arena, uint32_t, queues); /* by which walk, from 1 */
    if (!seen) {
        sim->failed = true;
        return;
    }
    for (uint32_t start = 0; start < queues && !sim->deadlock; start++) {
        uint32_t i = start;
        for (; i != HD_NIL && !seen[i]; i = waits_for(sim, i)) seen[i] = start + 1;
        if (i != HD_NIL && seen[i] == start + 1 && waits_for(sim, i) != HD_NIL) keep_cycle(sim, i);
    }
    hd_arena_rewind(sim->arena, mark);
}
