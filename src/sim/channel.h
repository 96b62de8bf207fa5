/* SPDX-License-Identifier: BSD-2-Clause */
/* What the event loop does to one channel, whatever the queues of its switch are: who asks for it, whether a packet
 * fits behind it, the start of a packet. Functions of the hot path, all inline, since the loop is compiled once for
 * each form of queue. O(1) each. */
#ifndef HD_SIM_CHANNEL_H
#define HD_SIM_CHANNEL_H

#include "base/always_inline.h"
#include "sim/sim_state.h"

#define FAST HD_ALWAYS_INLINE

FAST struct hd_queue *queue_at(const struct hd_sim *sim, bool simple, uint32_t i)
{
    return simple ? &sim->wire[i].queue : &sim->queues[i];
}

FAST uint64_t *ask_at(const struct hd_sim *sim, bool simple, uint32_t i)
{
    return simple ? &sim->wire[i].ask : &sim->asks[(size_t)i * sim->words];
}

FAST uint32_t queue_of(const struct hd_sim *sim, bool simple, uint32_t c, uint32_t lane)
{
    return simple ? c : c * sim->lanes + lane;
}

FAST uint32_t channel_of(const struct hd_sim *sim, bool simple, uint32_t queue)
{
    return simple || sim->lanes == 1 ? queue : queue / sim->lanes;
}

FAST void mark(struct hd_sim *sim, uint32_t c)
{
    struct hd_channel_state *w = &sim->wire[c];
    if (w->state & (HD_BUSY | HD_MARKED)) return;
    w->state |= HD_MARKED;
    sim->mark[sim->nmark++] = c;
}

static inline void add_space(const struct hd_sim *sim, struct hd_queue *q, uint32_t len)
{
    q->space += (int32_t)len;
    if (q->stopped && sim->m->buffer - (uint64_t)q->space <= sim->m->go) q->stopped = false;
}

/* The least that a packet of this length holds channel w. */
static inline uint64_t least_hold(const struct hd_sim *sim, const struct hd_channel_state *w, uint32_t len)
{
    uint64_t link = sim->hold[w->rate % HD_RATES], host = sim->host_time - sim->m->jitter;
    return (w->state & HD_AT_HOST ? hd_most(link, host) : link) * len / sim->m->packet;
}

/* Bytewise: when the packet may go on channel w into queue q, which has not enough space now: so that as its last byte
 * comes in, enough has left. Never, that is not before something else happens: UINT64_MAX. */
static inline uint64_t bytewise_start(const struct hd_sim *sim, const struct hd_channel_state *w,
                                      const struct hd_queue *q, const struct hd_leaving *l, uint32_t len)
{
    int64_t need = (int64_t)len - q->space;
    if (need > l->len) return UINT64_MAX;
    uint64_t left = l->start + ((uint64_t)need * (l->end - l->start) + l->len - 1) / l->len;
    uint64_t hold = least_hold(sim, w, len);
    return left > hold ? left - hold : 0;
}

static inline struct hd_leaving *leaving_of(const struct hd_sim *sim, const struct hd_channel_state *w,
                                            const struct hd_queue *q)
{
    return &sim->leaving[sim->simple ? w - sim->wire : q - sim->queues];
}

/* Whether a packet may go on channel w, into queue q at its end. */
FAST bool fits(struct hd_sim *sim, const struct hd_channel_state *w, struct hd_queue *q, uint32_t len)
{
    if (w->state & HD_TO_HOST) return true;
    if (q->due_len && q->due_time <= sim->wheel.now) {
        add_space(sim, q, q->due_len);
        q->due_len = 0;
    }
    if (q->space >= (int32_t)len) return !q->stopped;
    return sim->leaving && bytewise_start(sim, w, q, leaving_of(sim, w, q), len) <= sim->wheel.now;
}

/* It did not fit: the sender looks again when it will. */
static inline void look_again(struct hd_sim *sim, uint32_t queue, const struct hd_channel_state *w,
                              const struct hd_queue *q, uint32_t len)
{
    struct hd_leaving *l = &sim->leaving[queue];
    uint64_t when = bytewise_start(sim, w, q, l, len);
    if (when == UINT64_MAX || when == l->wake) return;
    l->wake = when;
    hd_wheel_add(&sim->wheel, when, HD_EV_CREDIT, queue, 0);
}

/* The packet on channel c begins to leave this queue. */
static inline void begin_leaving(struct hd_sim *sim, uint32_t queue, uint64_t end, uint32_t len)
{
    uint64_t now = sim->wheel.now;
    sim->leaving[queue] = (struct hd_leaving){.start = now, .end = end, .len = len};
    if (sim->wire[queue / sim->lanes].state & HD_STALLED) hd_wheel_add(&sim->wheel, now, HD_EV_CREDIT, queue, 0);
}

static inline void stall(struct hd_sim *sim, uint32_t c)
{
    struct hd_channel_state *w = &sim->wire[c];
    if (w->state & HD_STALLED) return;
    w->state |= HD_STALLED;
    sim->stalled_at[c] = sim->wheel.now;
    for (uint32_t i = c * sim->lanes; i < (c + 1) * sim->lanes; i++) { /* now someone waits for it */
        struct hd_queue *q = hd_queue_at(sim, i);
        if (q->due_len) hd_wheel_add(&sim->wheel, q->due_time, HD_EV_CREDIT, i, q->due_len);
        q->due_len = 0;
    }
}

/* How long a packet holds the channel at least, if it is not a full one or hosts jitter. */
static inline uint64_t hold_time(struct hd_sim *sim, const struct hd_channel_state *w, uint32_t len)
{
    uint64_t link = sim->hold[w->rate % HD_RATES], host = sim->host_time, full = sim->m->packet, j = sim->m->jitter;
    if (len < full) {
        link = hd_most(1, (link * len + full / 2) / full);
        host = hd_most(1, (host * len + full / 2) / full);
    }
    if (!(w->state & HD_AT_HOST)) return link;
    if (j && len == full) host = host - j + hd_rng_below(&sim->rng, (uint32_t)(2 * j + 1));
    return hd_most(link, host);
}

/* Channel c is about to be busy until then. */
static inline void watch(struct hd_sim *sim, uint32_t c, uint64_t end)
{
    uint64_t now = sim->wheel.now;
    if (sim->stall && sim->wire[c].state & HD_STALLED) sim->stall[c] += now - sim->stalled_at[c];
    if (sim->busy) sim->busy[c] += end - now;
}

/* When a packet whose head comes then may leave by channel c: at once, unless it comes in more slowly than it leaves,
 * for a slow cable does not hold a fast output of a switch that can queue. */
FAST uint64_t in_one_piece(const struct hd_sim *sim, const struct hd_packet *p, uint32_t c, uint64_t head)
{
    if (p->tail <= head + sim->fastest + 1) return head; /* rounding makes a nanosecond */
    uint64_t hold = sim->hold[sim->wire[c].rate] * p->len / sim->m->packet;
    return p->tail > head + hold + 1 ? p->tail - hold : head;
}

/* The packet goes on channel c, which is idle and ends in queue q. */
FAST void start(struct hd_sim *sim, bool voq, uint32_t c, struct hd_queue *q, uint32_t packet, uint32_t from)
{
    struct hd_channel_state *w = &sim->wire[c];
    struct hd_packet *p = &sim->packet[packet];
    uint32_t len = p->len, state = w->state;
    uint64_t now = sim->wheel.now, hold = sim->hold[w->rate];
    if (len != sim->usual[state & HD_AT_HOST]) hold = hold_time(sim, w, len);
    uint64_t end = hd_most(now + hold, p->tail);
    if (sim->watched) watch(sim, c, end);
    w->state = (state & ~(uint32_t)HD_STALLED) | HD_BUSY;
    w->packet = packet;
    w->from = from;
    w->len = len;
    p->hop++;
    p->c = c;
    p->tail = end + sim->delay;
    hd_wheel_put(&sim->wheel, end, HD_EV_IDLE, c);
    if (sim->leaving && !(state & HD_FROM_HOST)) begin_leaving(sim, from, end, len);
    if (state & HD_TO_HOST) return;
    q->space -= (int32_t)len;
    if (sim->m->control == HD_STOPGO && q->space < (int32_t)sim->m->packet) q->stopped = true;
    uint64_t head = now + sim->delay;
    if (voq && p->path != HD_NIL) head = in_one_piece(sim, p, hd_packet_out(sim, p), head);
    hd_wheel_put(&sim->wheel, head, HD_EV_HEAD, packet);
}

/* The first input from turn on that asks; HD_NIL: none does. */
static inline uint32_t loop_pick(const uint64_t *ask, uint32_t words, uint32_t turn)
{
    if (words == 1) { /* the usual switch */
        uint64_t high = *ask & ~0ull << turn % 64;
        if (!*ask) return HD_NIL;
        return (uint32_t)__builtin_ctzll(high ? high : *ask);
    }
    uint64_t high = ask[turn / 64] & ~0ull << turn % 64;
    if (high) return turn / 64 * 64 + (uint32_t)__builtin_ctzll(high);
    for (uint32_t k = 1; k <= words; k++) { /* and round to the rest of the word it began in */
        uint32_t i = (turn / 64 + k) % words;
        if (ask[i]) return i * 64 + (uint32_t)__builtin_ctzll(ask[i]);
    }
    return HD_NIL;
}

#endif
