/* SPDX-License-Identifier: BSD-2-Clause */
/* Channels, queues and their arbitration; see sim_state.h for the rules. Seven events per packet over four channels:
 * three heads, four channels that fall idle.
 *
 * The fast path. What an event needs is in whole cache lines: the packet's, the channel's with the queue at its end,
 * and that of the channel asked for. On a network of many thousand channels these lie beyond the caches of a core, and
 * an event is over sooner than a line comes from there. So all events of a nanosecond are taken out first, and while
 * one is at work the lines of those to come are fetched, rank by rank: the packet or channel an event is about, some
 * events later the lines that one names, later again what those name (look_ahead); the same for channels about to
 * choose (choose_ahead). Events keep the order of the queue, and nothing that is simulated depends on any of this.
 * The loop exists three times in the object code, from one source: for one lane and at most 64 ports, with queue and
 * mask in the channel's line, near and far from the core, and for the rest; `simple` and `large` are constants in
 * each. Members that are often written are words or bool, not bytes: a store to a byte may, as far as the compiler
 * knows, change anything, and all it holds in registers would be loaded again. */
#include "base/status.h"
#include "sim/crossbar.h"

/* ---- channels choose ------------------------------------------------------------------------ */

void hd_sim_mark(struct hd_sim *sim, uint32_t c)
{
    mark(sim, c);
}

bool hd_sim_fits(struct hd_sim *sim, uint32_t c, const struct hd_packet *p)
{
    struct hd_queue *q = hd_queue_at(sim, c * sim->lanes + p->lane);
    return sim->pool ? crossbar_fits(sim, c, q, p->len) : fits(sim, &sim->wire[c], q, p->len);
}

/* One lane of an idle channel: true when a packet of it goes. */
FAST bool choose_lane(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l, bool *asked)
{
    const struct hd_channel_state *w = &sim->wire[c];
    uint32_t i = queue_of(sim, simple, c, l);
    uint64_t *ask = ask_at(sim, simple, i);
    struct hd_queue *lane = queue_at(sim, simple, i);
    uint32_t slot = loop_pick(ask, simple ? 1 : sim->words, lane->turn);
    if (slot == HD_NIL) return false;
    *asked = true;
    uint32_t from = lane->asker; /* most often the one; else it is looked up */
    if (sim->wire[channel_of(sim, simple, from)].slot != slot)
        from = queue_of(sim, simple, sim->net->rev[w->base + slot], l);
    struct hd_queue *q = queue_at(sim, simple, from);
    uint32_t packet = q->first;
    uint32_t len = sim->packet[packet].len;
    if (!fits(sim, w, lane, len)) {
        if (sim->leaving) look_again(sim, i, w, lane, len);
        return false;
    }
    ask[simple ? 0 : slot / 64] &= ~(1ull << slot % 64);
    lane->turn = (uint16_t)(slot + 1 == w->ports && !simple ? 0 : slot + 1); /* no request from there on: wrap around */
    q->first = sim->packet[packet].next;
    q->sending = true;
    start(sim, false, c, lane, packet, from);
    return true;
}

/* An adapter's channel takes the packet that is first in line there. */
FAST void choose_host(struct hd_sim *sim, bool simple, bool voq, uint32_t c)
{
    const struct hd_channel_state *w = &sim->wire[c];
    struct hd_nic *nic = &sim->nic[w->base];
    if (nic->head == HD_NIL && !hd_nic_make(sim, nic)) return;
    uint32_t packet = nic->head;
    const struct hd_packet *p = &sim->packet[packet];
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, c, p->lane));
    if (!(voq ? crossbar_fits(sim, c, q, p->len) : fits(sim, w, q, p->len))) {
        hd_nic_held(sim, nic);
        stall(sim, c);
        if (sim->leaving) look_again(sim, queue_of(sim, simple, c, p->lane), w, q, p->len);
        return;
    }
    if (voq) pool_take(sim, c, q, p->len);
    start(sim, voq, c, q, packet, hd_nic_gone(sim, nic));
}

FAST void choose(struct hd_sim *sim, bool simple, uint32_t c)
{
    struct hd_channel_state *w = &sim->wire[c];
    bool asked = false;
    w->state &= ~(uint32_t)HD_MARKED;
    if (w->state & HD_BUSY) return;
    if (w->state & HD_FROM_HOST) {
        choose_host(sim, simple, false, c);
        return;
    }
    uint32_t lanes = simple ? 1 : sim->lanes;
    for (uint32_t k = 0, l = simple ? 0 : sim->lane_turn[c]; k < lanes; k++, l = l + 1 == lanes ? 0 : l + 1)
        if (choose_lane(sim, simple, c, l, &asked)) {
            if (!simple) sim->lane_turn[c] = (uint8_t)(l + 1 == lanes ? 0 : l + 1);
            return;
        }
    if (asked) stall(sim, c);
}

/* The same for switches with virtual output queues, all marked channels at once. */
FAST void choose_matched(struct hd_sim *sim, bool simple)
{
    uint32_t ngranted = 0, left = 0;
    for (uint32_t i = 0; i < sim->nmark; i++) {
        uint32_t c = sim->mark[i];
        struct hd_channel_state *w = &sim->wire[c];
        w->state &= ~(uint32_t)HD_MARKED;
        if (w->state & HD_BUSY) continue;
        if (w->state & HD_FROM_HOST)
            choose_host(sim, simple, true, c);
        else if (sim->m->queue == HD_OUTPUT)
            crossbar_serve(sim, simple, c);
        else if (crossbar_grant(sim, simple, c, true, &ngranted))
            sim->mark[left++] = c;
    }
    sim->nmark = left;
    for (uint64_t round = 1; ngranted && crossbar_settle(sim, simple, ngranted, round == 1) && round < sim->m->rounds;
         round++)
        ngranted = crossbar_round(sim, simple);
    sim->nmark = 0;
}

/* ---- queues --------------------------------------------------------------------------------- */

/* The first packet of a queue asks for the channel it goes on by. */
FAST void ask(struct hd_sim *sim, bool simple, uint32_t i)
{
    struct hd_packet *p = &sim->packet[i];
    if (p->path == HD_NIL) p->via[0] = sim->selector->port(sim, p);
    uint32_t out = hd_packet_out(sim, p), slot = sim->wire[p->c].slot, lane = queue_of(sim, simple, out, p->lane);
    ask_at(sim, simple, lane)[simple ? 0 : slot / 64] |= 1ull << slot % 64;
    queue_at(sim, simple, lane)->asker = queue_of(sim, simple, p->c, p->lane);
    mark(sim, out);
    if (!sim->m->lifetime) return;
    uint64_t now = sim->since[i] = sim->wheel.now;
    hd_wheel_add(&sim->wheel, now + sim->m->lifetime, HD_EV_LIFE, i, (uint32_t)now);
}

FAST void on_head(struct hd_sim *sim, bool simple, uint32_t i)
{
    struct hd_packet *p = &sim->packet[i];
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, p->c, p->lane));
    p->next = HD_NIL;
    if (q->first != HD_NIL) {
        sim->packet[q->last].next = i;
        q->last = i;
        return;
    }
    q->first = q->last = i;
    if (!q->sending) ask(sim, simple, i);
}

FAST void on_credit(struct hd_sim *sim, bool simple, bool voq, uint32_t queue, uint32_t len)
{
    uint32_t c = channel_of(sim, simple, queue);
    if (voq && sim->pool)
        pool_give(sim, c, queue_at(sim, simple, queue), len);
    else
        add_space(sim, queue_at(sim, simple, queue), len);
    if (sim->wire[c].state & HD_STALLED) mark(sim, c);
}

/* Credits that travel are events only where someone waits for them. */
FAST void send_credit(struct hd_sim *sim, bool simple, bool voq, uint32_t queue, uint32_t len)
{
    struct hd_queue *q = queue_at(sim, simple, queue);
    uint64_t now = sim->wheel.now, time = now + sim->m->credit;
    if (sim->wire[channel_of(sim, simple, queue)].state & HD_STALLED || (voq && sim->pool)) {
        hd_wheel_add(&sim->wheel, time, HD_EV_CREDIT, queue, len);
        return;
    }
    if (q->due_len && q->due_time <= now)
        add_space(sim, q, q->due_len);
    else if (q->due_len)
        hd_wheel_add(&sim->wheel, q->due_time, HD_EV_CREDIT, queue, q->due_len);
    q->due_time = time;
    q->due_len = len;
}

/* A packet has left the queue for good. */
FAST void release(struct hd_sim *sim, bool simple, bool voq, uint32_t queue, uint32_t len)
{
    struct hd_queue *q = queue_at(sim, simple, queue);
    if (!voq) {
        q->sending = false;
        if (sim->leaving) sim->leaving[queue].len = 0;
        if (q->first != HD_NIL) ask(sim, simple, q->first);
    }
    if (sim->m->credit)
        send_credit(sim, simple, voq, queue, len);
    else
        on_credit(sim, simple, voq, queue, len);
}

static void free_packet(struct hd_sim *sim, uint32_t i)
{
    sim->packet[i].next = sim->packet_free;
    sim->packet_free = i;
}

FAST void on_idle(struct hd_sim *sim, bool simple, bool voq, uint32_t c)
{
    struct hd_channel_state *w = &sim->wire[c];
    uint32_t state = w->state &= ~(uint32_t)HD_BUSY;
    if (voq && !(state & HD_FROM_HOST)) crossbar_released(sim, simple, c);
    if (!(state & HD_FROM_HOST)) release(sim, simple, voq, w->from, w->len);
    if (state & HD_TO_HOST) {
        hd_nic_arrived(sim, &sim->packet[w->packet]);
        free_packet(sim, w->packet);
    }
    if (state & HD_FROM_HOST && w->from != HD_NIL) hd_nic_ended(sim, w->from);
    mark(sim, c);
}

/* A packet at a switch that has no port for it. */
static void on_no_port(struct hd_sim *sim, uint32_t i)
{
    const struct hd_packet *p = &sim->packet[i];
    const uint32_t queue = p->c * sim->lanes + p->lane, len = p->len;
    hd_nic_lost(sim, p);
    free_packet(sim, i);
    release(sim, sim->simple, true, queue, len);
}

/* A packet that was first of its virtual output queue then has waited too long. */
static void on_crossbar_life(struct hd_sim *sim, uint32_t i, uint32_t since)
{
    const struct hd_packet *p = &sim->packet[i];
    uint32_t queue = p->c * sim->lanes + p->lane, len = p->len;
    if ((uint32_t)sim->since[i] != since || sim->since[i] + sim->m->lifetime != sim->wheel.now) return;
    uint32_t c = hd_packet_out(sim, p);
    crossbar_take(sim, sim->simple, c, p->lane, sim->wire[p->c].slot, p->c);
    hd_nic_lost(sim, p);
    free_packet(sim, i);
    hd_sim_mark(sim, c);
    release(sim, sim->simple, true, queue, len);
}

/* It has waited too long and goes, if it is still the one that began to wait then. */
static void on_life(struct hd_sim *sim, uint32_t i, uint32_t since)
{
    struct hd_packet *p = &sim->packet[i];
    uint32_t queue = p->c * sim->lanes + p->lane;
    struct hd_queue *q = hd_queue_at(sim, queue);
    if (sim->voq) {
        on_crossbar_life(sim, i, since);
        return;
    }
    if (q->first != i || q->sending || (uint32_t)sim->since[i] != since) return;
    if (sim->since[i] + sim->m->lifetime != sim->wheel.now) return;
    uint32_t slot = sim->wire[p->c].slot, len = p->len, out = hd_packet_out(sim, p);
    hd_ask_at(sim, out * sim->lanes + p->lane)[slot / 64] &= ~(1ull << slot % 64);
    hd_sim_mark(sim, out); /* a packet that waited behind it may fit */
    q->first = p->next;
    hd_nic_lost(sim, p);
    free_packet(sim, i);
    release(sim, sim->simple, false, queue, len);
}

/* ---- time ----------------------------------------------------------------------------------- */

static void on_timer(struct hd_sim *sim, uint32_t conn, uint32_t arg)
{
    struct hd_flow_state *f = hd_conn_at(sim, conn);
    if (f->open && (f->stamp & 0xffffff) == arg >> 8) sim->selector->timer(sim, f, arg & 0xff);
}

static void happen_rarely(struct hd_sim *sim, struct hd_event e)
{
    switch ((enum hd_event_kind)e.kind) {
    case HD_EV_CREDIT: on_credit(sim, sim->simple, true, e.index, e.arg); break;
    case HD_EV_NEXT: hd_nic_next(sim, e.index); break;
    case HD_EV_STAGE: hd_nic_stage(sim); break;
    case HD_EV_TIMER: on_timer(sim, e.index, e.arg); break;
    case HD_EV_RATE: hd_nic_rate(sim, e.index, e.arg); break;
    case HD_EV_PACE: hd_nic_pace(sim, e.index); break;
    case HD_EV_OFFER: hd_nic_offer(sim, e.index); break;
    case HD_EV_LIFE: on_life(sim, e.index, e.arg); break;
    default: break; /* heads and idle channels are no records */
    }
}

FAST void happen(struct hd_sim *sim, bool simple, bool voq, uint32_t item)
{
    if (item & HD_ITEM_RECORD)
        happen_rarely(sim, hd_wheel_record(&sim->wheel, item));
    else if (item >> HD_ITEM_SHIFT != HD_EV_HEAD)
        on_idle(sim, simple, voq, item & HD_ITEM_MASK);
    else if (!voq)
        on_head(sim, simple, item);
    else if (!crossbar_arrive(sim, simple, item))
        on_no_port(sim, item);
}

/* How many events, or channels that choose, ahead the lines of each rank are fetched: what the event is about, what
 * that names, and so on. */
enum { FIRST = 18, SECOND = 12, THIRD = 6 };
_Static_assert((int)FIRST <= (int)HD_AHEAD, "the batch goes on below");

/* What events to come need is fetched while one is at work; next points at it, those to come are before it. */
FAST void look_ahead(const struct hd_sim *sim, bool simple, bool voq, const uint32_t *next)
{
    uint32_t first = *(next - FIRST), second = *(next - SECOND), third = *(next - THIRD);
    if (!(first & HD_ITEM_RECORD))
        __builtin_prefetch(first >> HD_ITEM_SHIFT == HD_EV_HEAD ? (const void *)&sim->packet[first]
                                                                : (const void *)&sim->wire[first & HD_ITEM_MASK]);
    if (second >> HD_ITEM_SHIFT == HD_EV_HEAD) {
        const struct hd_packet *p = &sim->packet[second];
        __builtin_prefetch(&sim->wire[p->c]);
        if (p->path != HD_NIL && p->hop < HD_VIA) __builtin_prefetch(&sim->wire[p->via[p->hop]]);
    } else if (second >> HD_ITEM_SHIFT == HD_EV_IDLE) {
        const struct hd_channel_state *w = &sim->wire[second & HD_ITEM_MASK];
        if (!(w->state & HD_FROM_HOST)) __builtin_prefetch(queue_at(sim, simple, w->from));
        if (w->state & HD_TO_HOST) __builtin_prefetch(&sim->packet[w->packet]);
    }
    if (third >> HD_ITEM_SHIFT == HD_EV_IDLE) {
        const struct hd_channel_state *w = &sim->wire[third & HD_ITEM_MASK];
        if (w->state & HD_TO_HOST) __builtin_prefetch(hd_conn_at(sim, sim->packet[w->packet].conn));
        if (!voq && !(w->state & HD_FROM_HOST)) {
            uint32_t waits = queue_at(sim, simple, w->from)->first;
            if (waits != HD_NIL) __builtin_prefetch(&sim->packet[waits]);
        }
    }
}

/* The same for channels about to choose: m points at the next one, n are left. */
FAST void choose_ahead(const struct hd_sim *sim, bool simple, const uint32_t *m, uint32_t n)
{
    if (n > FIRST) __builtin_prefetch(&sim->wire[m[FIRST]]);
    if (n > SECOND) {
        const struct hd_channel_state *w = &sim->wire[m[SECOND]];
        if (w->state & HD_FROM_HOST)
            __builtin_prefetch(&sim->nic[w->base]);
        else if (simple)
            __builtin_prefetch(&sim->wire[w->queue.asker]);
    }
    if (n > THIRD) {
        const struct hd_channel_state *w = &sim->wire[m[THIRD]];
        uint32_t ring = w->state & HD_FROM_HOST ? sim->nic[w->base].ring : HD_NIL;
        if (ring != HD_NIL)
            __builtin_prefetch(hd_conn_at(sim, ring));
        else if (simple && sim->wire[w->queue.asker].queue.first != HD_NIL)
            __builtin_prefetch(&sim->packet[sim->wire[w->queue.asker].queue.first]);
    }
}

/* Everything of the present nanosecond. */
FAST void step_as(struct hd_sim *sim, bool simple, bool large, bool voq)
{
    const uint32_t *present = hd_wheel_present(&sim->wheel);
    do {
        for (uint32_t n = hd_wheel_gather(&sim->wheel, 0); n > 0;) {
            const uint32_t *bottom = sim->wheel.batch, *next = bottom + n;
            do {
                next--;
                if (large) look_ahead(sim, simple, voq, next);
                happen(sim, simple, voq, *next);
            } while (next != bottom && *present == HD_EMPTY);
            n = hd_wheel_gather(&sim->wheel, (uint32_t)(next - bottom)); /* what it made happen at once */
        }
        if (voq) choose_matched(sim, simple);
        for (uint32_t i = 0; !voq && i < sim->nmark; i++) {
            if (large) choose_ahead(sim, simple, sim->mark + i, sim->nmark - i);
            choose(sim, simple, sim->mark[i]);
        }
        sim->nmark = 0;
    } while (*present != HD_EMPTY);
}

static void step_fifo(struct hd_sim *sim)
{
    if (!sim->simple)
        step_as(sim, false, true, false);
    else if (sim->large)
        step_as(sim, true, true, false);
    else
        step_as(sim, true, false, false);
}

static void step_voq(struct hd_sim *sim)
{
    if (!sim->simple)
        step_as(sim, false, true, true);
    else if (sim->large)
        step_as(sim, true, true, true);
    else
        step_as(sim, true, false, true);
}

enum { LOOK = 1 << 20 }; /* events between two looks at progress, and at whether to go on */

/* What the run is over with: so much time, or else so many bytes that have arrived. */
static double sim_whole(const struct hd_sim *sim)
{
    const struct hd_workload *w = sim->work;
    double bytes = 1;
    if (sim->m->duration) return (double)sim->m->duration;
    for (uint32_t i = 0; i < w->nmsg; i++) bytes += (double)w->bytes[i];
    return sim->m->progress == HD_ON_TRACE ? bytes : bytes * (double)sim->m->messages;
}

static void sim_tell(struct hd_ctx *ctx, const struct hd_sim *sim, double whole)
{
    double done = sim->m->duration ? (double)sim->wheel.now : (double)sim->count.bytes;
    hd_progress(ctx, "run", (uint64_t)(done / whole * HD_RUN_PARTS), HD_RUN_PARTS);
}

hd_status hd_sim_run(struct hd_ctx *ctx, struct hd_sim *sim, const struct hd_workload *work, uint64_t sample)
{
    uint64_t limit = sim->m->duration ? sim->m->duration : UINT64_MAX;
    uint64_t next = LOOK;
    sim->work = work;
    double whole = ctx->progress ? sim_whole(sim) : 0;
    hd_sim_reset(sim, sample);
    if (!hd_nic_begin(sim)) return hd_fail_memory(ctx);
    void (*const step)(struct hd_sim *) = sim->voq ? step_voq : step_fifo;
    step(sim);
    while (hd_wheel_advance(&sim->wheel) && sim->wheel.now <= limit) {
        step(sim);
        if (sim->wheel.taken < next) continue;
        if (ctx->progress) sim_tell(ctx, sim, whole);
        next = sim->wheel.taken + LOOK;
        if (!hd_stop_asked(ctx)) continue;
        sim->cut = sim->wheel.now;
        break;
    }
    if (sim->failed || sim->wheel.failed) return hd_fail_memory(ctx);
    sim->count.events = sim->wheel.taken;
    hd_nic_over(sim);
    if (sim->in_flight) hd_sim_find_cycle(sim);
    return hd_sim_check_end(ctx, sim);
}
