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
#include "sim/sim_state.h"

#define FAST static inline __attribute__((always_inline))

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

/* ---- channels choose ------------------------------------------------------------------------ */

FAST void mark(struct hd_sim *sim, uint32_t c)
{
    struct hd_channel_state *w = &sim->wire[c];
    if (w->state & (HD_BUSY | HD_MARKED)) return;
    w->state |= HD_MARKED;
    sim->mark[sim->nmark++] = c;
}

void hd_sim_mark(struct hd_sim *sim, uint32_t c)
{
    mark(sim, c);
}

static void add_space(const struct hd_sim *sim, struct hd_queue *q, uint32_t len)
{
    q->space += (int32_t)len;
    if (q->stopped && sim->m->buffer - (uint64_t)q->space <= sim->m->go) q->stopped = false;
}

/* The least that a packet of this length holds channel w. */
static uint64_t least_hold(const struct hd_sim *sim, const struct hd_channel_state *w, uint32_t len)
{
    uint64_t link = sim->hold[w->rate % HD_RATES], host = sim->host_time - sim->m->jitter;
    return (w->state & HD_AT_HOST ? hd_most(link, host) : link) * len / sim->m->packet;
}

/* Bytewise: when the packet may go on channel w into queue q, which has not enough space now: so that as its last byte
 * comes in, enough has left. Never, that is not before something else happens: UINT64_MAX. */
static uint64_t bytewise_start(const struct hd_sim *sim, const struct hd_channel_state *w, const struct hd_queue *q,
                               const struct hd_leaving *l, uint32_t len)
{
    int64_t need = (int64_t)len - q->space;
    if (need > l->len) return UINT64_MAX;
    uint64_t left = l->start + ((uint64_t)need * (l->end - l->start) + l->len - 1) / l->len;
    uint64_t hold = least_hold(sim, w, len);
    return left > hold ? left - hold : 0;
}

static struct hd_leaving *leaving_of(const struct hd_sim *sim, const struct hd_channel_state *w,
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
static void look_again(struct hd_sim *sim, uint32_t queue, const struct hd_channel_state *w, const struct hd_queue *q,
                       uint32_t len)
{
    struct hd_leaving *l = &sim->leaving[queue];
    uint64_t when = bytewise_start(sim, w, q, l, len);
    if (when == UINT64_MAX || when == l->wake) return;
    l->wake = when;
    hd_wheel_add(&sim->wheel, when, HD_EV_CREDIT, queue, 0);
}

/* The packet on channel c begins to leave this queue. */
static void begin_leaving(struct hd_sim *sim, uint32_t queue, uint64_t end, uint32_t len)
{
    uint64_t now = sim->wheel.now;
    sim->leaving[queue] = (struct hd_leaving){.start = now, .end = end, .len = len};
    if (sim->wire[queue / sim->lanes].state & HD_STALLED) hd_wheel_add(&sim->wheel, now, HD_EV_CREDIT, queue, 0);
}

bool hd_sim_fits(struct hd_sim *sim, uint32_t c, const struct hd_packet *p)
{
    return fits(sim, &sim->wire[c], hd_queue_at(sim, c * sim->lanes + p->lane), p->len);
}

static void stall(struct hd_sim *sim, uint32_t c)
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
static uint64_t hold_time(struct hd_sim *sim, const struct hd_channel_state *w, uint32_t len)
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
static void watch(struct hd_sim *sim, uint32_t c, uint64_t end)
{
    uint64_t now = sim->wheel.now;
    if (sim->stall && sim->wire[c].state & HD_STALLED) sim->stall[c] += now - sim->stalled_at[c];
    if (sim->busy) sim->busy[c] += end - now;
}

/* The packet goes on channel c, which is idle and ends in queue q. */
FAST void start(struct hd_sim *sim, uint32_t c, struct hd_queue *q, uint32_t packet, uint32_t from)
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
    hd_wheel_put(&sim->wheel, now + sim->delay, HD_EV_HEAD, packet);
}

/* The first input from turn on that asks; HD_NIL: none does. */
static uint32_t loop_pick(const uint64_t *ask, uint32_t words, uint32_t turn)
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
    start(sim, c, lane, packet, from);
    return true;
}

/* An adapter's channel takes the packet that is first in line there. */
FAST void choose_host(struct hd_sim *sim, bool simple, uint32_t c)
{
    const struct hd_channel_state *w = &sim->wire[c];
    struct hd_nic *nic = &sim->nic[w->base];
    if (nic->head == HD_NIL && !hd_nic_make(sim, nic)) return;
    uint32_t packet = nic->head;
    const struct hd_packet *p = &sim->packet[packet];
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, c, p->lane));
    if (!fits(sim, w, q, p->len)) {
        hd_nic_held(sim, nic);
        stall(sim, c);
        if (sim->leaving) look_again(sim, queue_of(sim, simple, c, p->lane), w, q, p->len);
        return;
    }
    start(sim, c, q, packet, hd_nic_gone(sim, nic));
}

FAST void choose(struct hd_sim *sim, bool simple, uint32_t c)
{
    struct hd_channel_state *w = &sim->wire[c];
    bool asked = false;
    w->state &= ~(uint32_t)HD_MARKED;
    if (w->state & HD_BUSY) return;
    if (w->state & HD_FROM_HOST) {
        choose_host(sim, simple, c);
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

FAST void on_credit(struct hd_sim *sim, bool simple, uint32_t queue, uint32_t len)
{
    uint32_t c = channel_of(sim, simple, queue);
    add_space(sim, queue_at(sim, simple, queue), len);
    if (sim->wire[c].state & HD_STALLED) mark(sim, c);
}

/* Credits that travel are events only where someone waits for them. */
FAST void send_credit(struct hd_sim *sim, bool simple, uint32_t queue, uint32_t len)
{
    struct hd_queue *q = queue_at(sim, simple, queue);
    uint64_t now = sim->wheel.now, time = now + sim->m->credit;
    if (sim->wire[channel_of(sim, simple, queue)].state & HD_STALLED) {
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
FAST void release(struct hd_sim *sim, bool simple, uint32_t queue, uint32_t len)
{
    struct hd_queue *q = queue_at(sim, simple, queue);
    q->sending = false;
    if (sim->leaving) sim->leaving[queue].len = 0;
    if (q->first != HD_NIL) ask(sim, simple, q->first);
    if (sim->m->credit)
        send_credit(sim, simple, queue, len);
    else
        on_credit(sim, simple, queue, len);
}

static void free_packet(struct hd_sim *sim, uint32_t i)
{
    sim->packet[i].next = sim->packet_free;
    sim->packet_free = i;
}

FAST void on_idle(struct hd_sim *sim, bool simple, uint32_t c)
{
    struct hd_channel_state *w = &sim->wire[c];
    uint32_t state = w->state &= ~(uint32_t)HD_BUSY;
    if (!(state & HD_FROM_HOST)) release(sim, simple, w->from, w->len);
    if (state & HD_TO_HOST) {
        hd_nic_arrived(sim, &sim->packet[w->packet]);
        free_packet(sim, w->packet);
    }
    if (state & HD_FROM_HOST && w->from != HD_NIL) hd_nic_ended(sim, w->from);
    mark(sim, c);
}

/* It has waited too long and goes, if it is still the one that began to wait then. */
static void on_life(struct hd_sim *sim, uint32_t i, uint32_t since)
{
    struct hd_packet *p = &sim->packet[i];
    uint32_t queue = p->c * sim->lanes + p->lane;
    struct hd_queue *q = hd_queue_at(sim, queue);
    if (q->first != i || q->sending || (uint32_t)sim->since[i] != since) return;
    if (sim->since[i] + sim->m->lifetime != sim->wheel.now) return;
    uint32_t slot = sim->wire[p->c].slot, len = p->len, out = hd_packet_out(sim, p);
    hd_ask_at(sim, out * sim->lanes + p->lane)[slot / 64] &= ~(1ull << slot % 64);
    hd_sim_mark(sim, out); /* a packet that waited behind it may fit */
    q->first = p->next;
    hd_nic_lost(sim, p);
    free_packet(sim, i);
    release(sim, sim->simple, queue, len);
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
    case HD_EV_CREDIT: on_credit(sim, sim->simple, e.index, e.arg); break;
    case HD_EV_NEXT: hd_nic_next(sim, e.index); break;
    case HD_EV_STAGE: hd_nic_stage(sim); break;
    case HD_EV_TIMER: on_timer(sim, e.index, e.arg); break;
    case HD_EV_LIFE: on_life(sim, e.index, e.arg); break;
    default: break; /* heads and idle channels are no records */
    }
}

FAST void happen(struct hd_sim *sim, bool simple, uint32_t item)
{
    if (item & HD_ITEM_RECORD)
        happen_rarely(sim, hd_wheel_record(&sim->wheel, item));
    else if (item >> HD_ITEM_SHIFT == HD_EV_HEAD)
        on_head(sim, simple, item);
    else
        on_idle(sim, simple, item & HD_ITEM_MASK);
}

/* How many events, or channels that choose, ahead the lines of each rank are fetched: what the event is about, what
 * that names, and so on. */
enum { FIRST = 18, SECOND = 12, THIRD = 6 };
_Static_assert((int)FIRST <= (int)HD_AHEAD, "the batch goes on below");

/* What events to come need is fetched while one is at work; next points at it, those to come are before it. */
FAST void look_ahead(const struct hd_sim *sim, bool simple, const uint32_t *next)
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
        if (!(w->state & HD_FROM_HOST)) {
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
FAST void step_as(struct hd_sim *sim, bool simple, bool large)
{
    const uint32_t *present = hd_wheel_present(&sim->wheel);
    do {
        for (uint32_t n = hd_wheel_gather(&sim->wheel, 0); n > 0;) {
            const uint32_t *bottom = sim->wheel.batch, *next = bottom + n;
            do {
                next--;
                if (large) look_ahead(sim, simple, next);
                happen(sim, simple, *next);
            } while (next != bottom && *present == HD_EMPTY);
            n = hd_wheel_gather(&sim->wheel, (uint32_t)(next - bottom)); /* what it made happen at once */
        }
        for (uint32_t i = 0; i < sim->nmark; i++) {
            if (large) choose_ahead(sim, simple, sim->mark + i, sim->nmark - i);
            choose(sim, simple, sim->mark[i]);
        }
        sim->nmark = 0;
    } while (*present != HD_EMPTY);
}

static void step(struct hd_sim *sim)
{
    if (!sim->simple)
        step_as(sim, false, true);
    else if (sim->large)
        step_as(sim, true, true);
    else
        step_as(sim, true, false);
}

enum { LOOK = 1 << 20 }; /* events between two looks at progress */

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
    step(sim);
    while (hd_wheel_advance(&sim->wheel) && sim->wheel.now <= limit) {
        step(sim);
        if (sim->wheel.taken < next) continue;
        if (ctx->progress) sim_tell(ctx, sim, whole);
        next = sim->wheel.taken + LOOK;
    }
    if (sim->failed || sim->wheel.failed) return hd_fail_memory(ctx);
    sim->count.events = sim->wheel.taken;
    if (sim->in_flight) hd_sim_find_cycle(sim);
    return hd_sim_check_end(ctx, sim);
}
