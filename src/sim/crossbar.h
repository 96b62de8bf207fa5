/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches without head-of-line blocking: queue=voq and queue=output.
 *
 * An input has one queue per VL and output, and all of them share its buffer. A packet joins the queue of its output
 * as soon as its head has come. Idle outputs and inputs are matched in rounds, as iSLIP does (McKeown: The iSLIP
 * scheduling algorithm for input-queued switches): every idle output grants to one of the inputs that ask for it, an
 * input accepts as many grants as it may still feed, and outputs that were refused grant again. Pointers move only
 * when a grant of the first round is accepted, which is what makes them drift apart. With arbiter=age the oldest
 * packet is granted and accepted instead. An input may feed outputs of `speedup` times the rate of the fastest port of
 * its switch at a time, which is how fast the crossbar is: `speedup` of them where all rates are equal. With
 * queue=output it may feed all of them, so that an output is busy whenever a packet for it is in the switch, and
 * nothing is to be matched.
 *
 * A packet that comes in more slowly than it leaves waits until its tail is near enough to leave in one piece: a slow
 * cable does not hold a fast output.
 *
 * Buffers: `buffer` bytes per input and VL; beyond them a packet takes bytes of the pool that all inputs of the switch
 * share (`shared`). What is free of the pool is known to all senders at once; space comes back with the credits.
 *
 * Included by the event loop alone, for the forms of it that have such queues. O(1) per packet and round for up to 64
 * ports, O(ports) with arbiter=age. */
#ifndef HD_SIM_CROSSBAR_H
#define HD_SIM_CROSSBAR_H

#include "sim/channel.h"

enum { HD_MASK_WORDS = (HD_MAX_PORTS + 63) / 64 };

/* Words of a mask of ports. */
FAST uint32_t crossbar_words(const struct hd_sim *sim, bool simple)
{
    return simple ? 1 : sim->words;
}

FAST struct hd_voq *voq_at(const struct hd_sim *sim, uint32_t queue, uint32_t slot)
{
    return &sim->voq[(size_t)queue * sim->ports + slot];
}

/* ---- the shared buffer ---------------------------------------------------------------------- */

/* Bytes that a packet of this length takes from the pool at the end of a channel. */
FAST int64_t pool_need(const struct hd_queue *q, uint32_t len)
{
    int64_t own = q->space > 0 ? q->space : 0;
    return own < len ? len - own : 0;
}

FAST bool crossbar_fits(struct hd_sim *sim, uint32_t c, struct hd_queue *q, uint32_t len)
{
    const struct hd_channel_state *w = &sim->wire[c];
    if (!sim->pool || w->state & HD_TO_HOST || q->stopped) return fits(sim, w, q, len);
    uint32_t v = sim->net->head[c];
    if (pool_need(q, len) <= sim->pool[v]) return true;
    sim->pool_short[v] = true;
    return false;
}

/* A packet goes on channel c into queue q: before its bytes are taken off the space there. */
FAST void pool_take(struct hd_sim *sim, uint32_t c, const struct hd_queue *q, uint32_t len)
{
    if (sim->pool && !(sim->wire[c].state & HD_TO_HOST)) sim->pool[sim->net->head[c]] -= pool_need(q, len);
}

/* Space of the queue at the end of channel c is back: what was borrowed comes first, and others may wait for it. */
static inline void pool_give(struct hd_sim *sim, uint32_t c, struct hd_queue *q, uint32_t len)
{
    const struct hd_net *net = sim->net;
    uint32_t v = net->head[c];
    if (q->space < 0) sim->pool[v] += -(int64_t)q->space < len ? -(int64_t)q->space : (int64_t)len;
    add_space(sim, q, len);
    if (!sim->pool_short[v]) return;
    sim->pool_short[v] = false;
    for (uint32_t i = net->off[v]; i < net->off[v + 1]; i++)
        if (sim->wire[net->rev[i]].state & HD_STALLED) mark(sim, net->rev[i]);
}

/* ---- outputs choose -------------------------------------------------------------------------- */

/* Of the inputs in ask, at least one, that whose packet is oldest. */
static inline uint32_t crossbar_oldest_input(const struct hd_sim *sim, uint32_t queue, const uint64_t *ask,
                                             uint32_t words)
{
    uint64_t oldest = UINT64_MAX;
    uint32_t best = HD_NIL;
    for (uint32_t k = 0; k < words; k++)
        for (uint64_t bits = ask[k]; bits; bits &= bits - 1) {
            uint32_t slot = k * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t born = sim->packet[voq_at(sim, queue, slot)->first].born;
            if (born >= oldest) continue;
            oldest = born;
            best = slot;
        }
    return best;
}

/* The input that lane l of idle channel c takes, of those that can feed it; HD_NIL: there is none, or its packet does
 * not fit, which *asked reports. */
FAST uint32_t crossbar_pick(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l, bool *asked)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t i = queue_of(sim, simple, c, l), words = crossbar_words(sim, simple);
    const uint64_t *ask = ask_at(sim, simple, i);
    const struct hd_crossbar *x = &sim->crossbar[(size_t)w->base * words];
    struct hd_queue *q = queue_at(sim, simple, i);
    uint64_t open[HD_MASK_WORDS], any = 0;
    for (uint32_t k = 0; k < words; k++) any |= open[k] = ask[k] & ~x[k].closed;
    if (!any) return HD_NIL;
    uint32_t slot =
        sim->m->arbiter == HD_BY_AGE ? crossbar_oldest_input(sim, i, open, words) : loop_pick(open, words, q->turn);
    if (crossbar_fits(sim, c, q, sim->packet[voq_at(sim, i, slot)->first].len)) return slot;
    *asked = true;
    return HD_NIL;
}

/* The packet is the first of its queue from now on. */
static inline void crossbar_age(struct hd_sim *sim, uint32_t i)
{
    uint64_t now = sim->since[i] = sim->wheel.now;
    hd_wheel_add(&sim->wheel, now + sim->m->lifetime, HD_EV_LIFE, i, (uint32_t)now);
}

/* Takes the first packet out of an input's queue for lane l of channel c. */
FAST uint32_t crossbar_take(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l, uint32_t slot, uint32_t in)
{
    uint32_t i = queue_of(sim, simple, c, l), words = crossbar_words(sim, simple), word = simple ? 0 : slot / 64;
    uint32_t out = c - sim->wire[c].base;
    struct hd_voq *v = voq_at(sim, i, slot);
    uint32_t packet = v->first;
    if (packet == v->last) {
        bool more = false; /* of another lane */
        ask_at(sim, simple, i)[word] &= ~(1ull << slot % 64);
        for (uint32_t k = 0; !simple && k < sim->lanes; k++)
            more |= ask_at(sim, simple, queue_of(sim, simple, c, k))[word] >> slot % 64 & 1;
        if (!more) sim->wants[(size_t)in * words + (simple ? 0 : out / 64)] &= ~(1ull << out % 64);
    } else {
        v->first = sim->packet[packet].next;
        if (sim->m->lifetime) crossbar_age(sim, v->first);
    }
    if (sim->m->lifetime) sim->since[packet] = UINT64_MAX / 2; /* waits no longer */
    queue_at(sim, simple, i)->backlog -= sim->packet[packet].len;
    return packet;
}

/* The packet of an input goes: the first of its queue for lane l of channel c. */
FAST void crossbar_start(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l, uint32_t slot)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t words = crossbar_words(sim, simple), word = simple ? 0 : slot / 64;
    uint32_t in = sim->net->rev[w->base + slot], out = c - w->base;
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, c, l));
    uint32_t packet = crossbar_take(sim, simple, c, l, slot, in), len = sim->packet[packet].len;
    sim->crossbar[(size_t)w->base * words + (simple ? 0 : out / 64)].idle &= ~(1ull << out % 64);
    if ((queue_at(sim, simple, queue_of(sim, simple, in, 0))->room -= sim->weight[w->rate]) <= 0)
        sim->crossbar[(size_t)w->base * words + word].closed |= 1ull << slot % 64;
    pool_take(sim, c, q, len);
    start(sim, true, c, q, packet, queue_of(sim, simple, in, l));
}

FAST void crossbar_turn(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l, uint32_t slot)
{
    uint32_t ports = sim->wire[c].ports;
    queue_at(sim, simple, queue_of(sim, simple, c, l))->turn = (uint16_t)(slot + 1 == ports ? 0 : slot + 1);
}

/* An idle channel and its lanes in turn: the input that it takes in *slot and the lane; HD_NIL: none. */
FAST uint32_t crossbar_choose(struct hd_sim *sim, bool simple, uint32_t c, uint32_t *slot)
{
    bool asked = false;
    uint32_t lanes = simple ? 1 : sim->lanes;
    for (uint32_t k = 0, l = simple ? 0 : sim->lane_turn[c]; k < lanes; k++, l = l + 1 == lanes ? 0 : l + 1)
        if ((*slot = crossbar_pick(sim, simple, c, l, &asked)) != HD_NIL) return l;
    if (asked) stall(sim, c);
    return HD_NIL;
}

FAST void crossbar_lane_turn(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l)
{
    if (!simple) sim->lane_turn[c] = (uint8_t)(l + 1 == sim->lanes ? 0 : l + 1);
}

/* Nothing to be matched: what an output chooses goes. */
FAST void crossbar_serve(struct hd_sim *sim, bool simple, uint32_t c)
{
    uint32_t slot, l = crossbar_choose(sim, simple, c, &slot);
    if (l == HD_NIL) return;
    crossbar_turn(sim, simple, c, l, slot);
    crossbar_lane_turn(sim, simple, c, l);
    crossbar_start(sim, simple, c, l, slot);
}

/* ---- inputs and outputs are matched ----------------------------------------------------------- */

/* Whether an input may feed all idle outputs that it has packets for: then it need not wait for other grants. */
FAST bool crossbar_takes_all(const struct hd_sim *sim, bool simple, uint32_t base, uint32_t in)
{
    uint32_t words = crossbar_words(sim, simple);
    int32_t n = 0;
    for (uint32_t k = 0; k < words; k++) {
        uint64_t asks = sim->wants[(size_t)in * words + k] & sim->crossbar[(size_t)base * words + k].idle;
        if (simple && !(asks & (asks - 1))) return true; /* the one that grants */
        n += __builtin_popcountll(asks);
    }
    return n * HD_FASTEST <= queue_at(sim, simple, queue_of(sim, simple, in, 0))->room;
}

/* An input accepts the grant of channel c. */
FAST void crossbar_accept_one(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l, uint32_t slot, bool first_round)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t in = sim->net->rev[w->base + slot], out = c - w->base;
    if (first_round) {
        queue_at(sim, simple, queue_of(sim, simple, in, 0))->accept = out + 1 == w->ports ? 0 : out + 1;
        crossbar_turn(sim, simple, c, l, slot);
    }
    crossbar_lane_turn(sim, simple, c, l);
    crossbar_start(sim, simple, c, l, slot);
}

/* True: channel c has granted to an input, which will choose. */
FAST bool crossbar_grant(struct hd_sim *sim, bool simple, uint32_t c, bool first_round, uint32_t *ngranted)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t slot, l = crossbar_choose(sim, simple, c, &slot), words = crossbar_words(sim, simple);
    if (l == HD_NIL) return false;
    uint32_t in = sim->net->rev[w->base + slot], out = c - w->base;
    if (crossbar_takes_all(sim, simple, w->base, in)) {
        crossbar_accept_one(sim, simple, c, l, slot, first_round);
        return false;
    }
    uint64_t *grants = &sim->grants[(size_t)in * words], before = 0;
    for (uint32_t k = 0; k < words; k++) before |= grants[k];
    if (!before) sim->granted[(*ngranted)++] = in;
    grants[simple ? 0 : out / 64] |= 1ull << out % 64;
    if (!simple) sim->granted_lane[c] = (uint8_t)l;
    return true;
}

static inline uint32_t crossbar_oldest_output(const struct hd_sim *sim, uint32_t base, uint32_t slot,
                                              const uint64_t *grants, uint32_t words)
{
    uint64_t oldest = UINT64_MAX;
    uint32_t best = HD_NIL;
    for (uint32_t k = 0; k < words; k++)
        for (uint64_t bits = grants[k]; bits; bits &= bits - 1) {
            uint32_t out = k * 64 + (uint32_t)__builtin_ctzll(bits), c = base + out;
            uint32_t queue = sim->simple ? c : c * sim->lanes + sim->granted_lane[c];
            uint64_t born = sim->packet[voq_at(sim, queue, slot)->first].born;
            if (born >= oldest) continue;
            oldest = born;
            best = out;
        }
    return best;
}

/* An input takes as many of the outputs that have granted to it as it may feed, and forgets the others. */
FAST void crossbar_accept(struct hd_sim *sim, bool simple, uint32_t in, bool first_round)
{
    uint32_t words = crossbar_words(sim, simple), base = sim->wire[sim->net->rev[in]].base;
    uint32_t slot = sim->wire[in].slot;
    uint64_t *grants = &sim->grants[(size_t)in * words];
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, in, 0));
    while (q->room > 0) {
        uint32_t out = sim->m->arbiter == HD_BY_AGE ? crossbar_oldest_output(sim, base, slot, grants, words)
                                                    : loop_pick(grants, words, q->accept);
        if (out == HD_NIL) break;
        uint32_t c = base + out, l = simple ? 0 : sim->granted_lane[c];
        grants[simple ? 0 : out / 64] &= ~(1ull << out % 64);
        crossbar_accept_one(sim, simple, c, l, slot, first_round);
    }
    for (uint32_t k = 0; k < words; k++) grants[k] = 0;
}

/* Inputs accept; true: some of the marked channels, which have all granted, were refused. Those stay marked. */
static inline bool crossbar_settle(struct hd_sim *sim, bool simple, uint32_t ngranted, bool first_round)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < ngranted; i++) crossbar_accept(sim, simple, sim->granted[i], first_round);
    for (uint32_t i = 0; i < sim->nmark; i++)
        if (!(sim->wire[sim->mark[i]].state & HD_BUSY)) sim->mark[left++] = sim->mark[i];
    sim->nmark = left;
    return left > 0;
}

/* Channels that were refused grant again; to how many inputs. */
static inline uint32_t crossbar_round(struct hd_sim *sim, bool simple)
{
    uint32_t ngranted = 0, left = 0;
    for (uint32_t i = 0; i < sim->nmark; i++)
        if (crossbar_grant(sim, simple, sim->mark[i], false, &ngranted)) sim->mark[left++] = sim->mark[i];
    sim->nmark = left;
    return ngranted;
}

/* ---- packets come and go ---------------------------------------------------------------------- */

/* The head of a packet has come: it joins the queue of its output, or comes again when its tail is near enough. */
FAST bool crossbar_arrive(struct hd_sim *sim, bool simple, uint32_t i)
{
    struct hd_packet *p = &sim->packet[i];
    if (p->path == HD_NIL && (p->via[0] = sim->selector->port(sim, p)) == HD_NIL) return false;
    uint32_t c = hd_packet_out(sim, p), len = p->len, words = crossbar_words(sim, simple);
    const struct hd_channel_state *w = &sim->wire[c];
    uint64_t now = sim->wheel.now, when = p->path == HD_NIL ? in_one_piece(sim, p, c, now) : now;
    if (when > now) { /* and is chosen for again */
        hd_wheel_put(&sim->wheel, when, HD_EV_HEAD, i);
        return true;
    }
    uint32_t slot = sim->wire[p->c].slot, queue = queue_of(sim, simple, c, p->lane), out = c - w->base;
    uint64_t *ask = &ask_at(sim, simple, queue)[simple ? 0 : slot / 64];
    struct hd_voq *v = voq_at(sim, queue, slot);
    struct hd_queue *q = queue_at(sim, simple, queue);
    if (sim->marking && hd_rate_marks(sim, q->backlog)) p->marked = 1;
    q->backlog += len;
    if (*ask >> slot % 64 & 1) {
        sim->packet[v->last].next = i;
        v->last = i;
        return true;
    }
    v->first = v->last = i;
    *ask |= 1ull << slot % 64;
    sim->wants[(size_t)p->c * words + (simple ? 0 : out / 64)] |= 1ull << out % 64;
    mark(sim, c);
    if (sim->m->lifetime) crossbar_age(sim, i);
    return true;
}

/* Channel c is idle: so is its input, which other outputs may have waited for. */
FAST void crossbar_released(struct hd_sim *sim, bool simple, uint32_t c)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t in = channel_of(sim, simple, w->from), words = crossbar_words(sim, simple), out = c - w->base;
    uint32_t slot = sim->wire[in].slot;
    struct hd_crossbar *x = &sim->crossbar[(size_t)w->base * words];
    x[simple ? 0 : out / 64].idle |= 1ull << out % 64;
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, in, 0));
    int32_t before = q->room;
    q->room += sim->weight[w->rate];
    if (before > 0 || q->room <= 0) return;
    x[simple ? 0 : slot / 64].closed &= ~(1ull << slot % 64);
    for (uint32_t k = 0; k < words; k++)
        for (uint64_t bits = sim->wants[(size_t)in * words + k] & x[k].idle; bits; bits &= bits - 1)
            mark(sim, w->base + k * 64 + (uint32_t)__builtin_ctzll(bits));
}

#endif
