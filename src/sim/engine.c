/* SPDX-License-Identifier: BSD-2-Clause */
/* Channels, queues and their arbitration; see sim.h for the rules. Seven events a packet over four
 * channels: three heads, four channels that fall idle. */
#include "sim/sim.h"
#include "base/status.h"
#include "route/dist.h"

#include <string.h>

/* What every packet goes through exists twice: for one lane and at most 64 ports, with queue and mask in the wire,
 * and for the rest. `simple` is a constant in each, so that the usual case carries none of the other's arithmetic. */
#define BOTH static inline __attribute__((always_inline))

BOTH struct hd_queue *queue_at(const struct hd_sim *sim, bool simple, uint32_t i)
{
    return simple ? &sim->wire[i].queue : &sim->queues[i];
}

BOTH uint64_t *ask_at(const struct hd_sim *sim, bool simple, uint32_t i)
{
    return simple ? &sim->wire[i].ask : &sim->asks[(size_t)i * sim->words];
}

BOTH uint32_t queue_of(const struct hd_sim *sim, bool simple, uint32_t c, uint32_t lane)
{
    return simple ? c : c * sim->lanes + lane;
}

BOTH uint32_t channel_of(const struct hd_sim *sim, bool simple, uint32_t queue)
{
    return simple || sim->lanes == 1 ? queue : queue / sim->lanes;
}

/* ---- state ---------------------------------------------------------------------------------- */

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* n zeroed objects of a cache line each, on lines of their own. */
static void *new_lines(struct hd_arena *arena, size_t n)
{
    char *p = hd_alloc(arena, n + 1, HD_LINK_STRIDE);
    return p ? p + (HD_LINK_STRIDE - (uintptr_t)p % HD_LINK_STRIDE) % HD_LINK_STRIDE : NULL;
}

static uint64_t link_time(const struct hd_sim *sim, uint32_t c)
{
    double rate = sim->m->link;
    if (rate == 0) rate = hd_link_mbps(sim->net->link[c]) / 8.0;
    return hd_model_time(sim->m->packet, rate);
}

static hd_status init_wires(struct hd_ctx *ctx, struct hd_sim *sim, uint64_t *span)
{
    const struct hd_net *net = sim->net;
    sim->host_time = hd_model_time(sim->m->packet, sim->m->host);
    for (uint32_t c = 0; c < net->nchan; c++) {
        struct hd_wire *w = &sim->wire[c];
        if (sim->m->link == 0 && !hd_link_mbps(net->link[c]))
            return hd_fail(ctx, HD_INPUT, "link=0: the rate of the cable at %s port %u is not known, give one in MB/s",
                           hd_node_name(net, net->tail[c]), net->port[c]);
        w->time = link_time(sim, c);
        w->to_host = net->head[c] >= net->nsw;
        w->from_host = net->tail[c] >= net->nsw;
        w->base = net->off[net->tail[c]];
        w->ports = (uint8_t)hd_degree(net, net->tail[c]);
        if (!w->to_host) w->slot = (uint8_t)(net->rev[c] - net->off[net->head[c]]);
        *span = most(*span, most(w->time, sim->host_time + sim->m->jitter) + 1);
    }
    return HD_OK;
}

hd_status hd_sim_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sim *sim)
{
    const struct hd_net *net = sim->net;
    uint64_t span = 2;
    uint32_t ports = 1;
    for (uint32_t v = 0; v < net->nsw; v++) ports = hd_degree(net, v) > ports ? hd_degree(net, v) : ports;
    sim->arena = arena;
    sim->words = (ports + 63) / 64;
    sim->delay = (uint32_t)(sim->m->wire + sim->m->hop);
    size_t queues = (size_t)net->nchan * sim->lanes;
    sim->simple = sim->lanes == 1 && sim->words == 1;
    sim->wire = new_lines(arena, net->nchan);
    sim->mark = HD_NEW(arena, uint32_t, net->nchan);
    sim->nic = HD_NEW(arena, struct hd_nic, net->nep);
    sim->stalled_at = HD_NEW(arena, uint64_t, net->nchan);
    bool failed = !sim->wire || !sim->mark || !sim->nic || !sim->stalled_at;
    if (!sim->simple) failed |= !(sim->queues = HD_NEW(arena, struct hd_queue, queues));
    if (!sim->simple) failed |= !(sim->asks = HD_NEW(arena, uint64_t, queues * sim->words));
    if (sim->m->credit) failed |= !(sim->due = HD_NEW(arena, struct hd_due, queues));
    if (failed) return hd_fail_memory(ctx);
    HD_TRY(init_wires(ctx, sim, &span));
    if (!hd_wheel_init(&sim->wheel, arena, most(span, sim->delay + 1))) return hd_fail_memory(ctx);
    if (net->nchan) sim->wheel.link[HD_EV_IDLE] = (char *)&sim->wire->later;
    sim->packet_free = sim->conn_free = HD_NIL;
    return HD_OK;
}

static void reset(struct hd_sim *sim, uint64_t sample)
{
    const struct hd_net *net = sim->net;
    hd_wheel_clear(&sim->wheel);
    hd_rng_init(&sim->rng, sim->seed, HD_RNG_SIM, sample);
    for (uint32_t c = 0; c < net->nchan; c++) {
        struct hd_wire *w = &sim->wire[c];
        w->busy = w->marked = w->stalled = 0;
        w->ask = 0;
        w->lane = (uint8_t)hd_rng_below(&sim->rng, sim->lanes);
        for (uint32_t l = 0; l < sim->lanes; l++) {
            struct hd_queue *q = hd_queue_at(sim, c * sim->lanes + l);
            *q = (struct hd_queue){.first = HD_NIL, .last = HD_NIL, .space = (uint32_t)sim->m->buffer};
            if (!w->from_host) q->turn = (uint8_t)hd_rng_below(&sim->rng, hd_degree(net, net->tail[c]));
        }
    }
    size_t queues = (size_t)net->nchan * sim->lanes;
    if (!sim->simple) memset(sim->asks, 0, queues * sim->words * sizeof *sim->asks);
    if (sim->due) memset(sim->due, 0, queues * sizeof *sim->due);
    memset(sim->latency, 0, sizeof sim->latency);
    sim->latency_min = UINT64_MAX;
    sim->latency_max = sim->started = sim->settled = 0;
    sim->nmark = sim->flying = sim->stage = sim->ncycle = 0;
    sim->deadlock = false;
    sim->count = (struct hd_sim_count){0};
    sim->packet_free = sim->packet_room ? 0 : HD_NIL;
    for (uint32_t i = 0; i < sim->packet_room; i++) sim->follow[i] = i + 1 < sim->packet_room ? i + 1 : HD_NIL;
}

static bool grow_packets(struct hd_sim *sim)
{
    uint32_t old = sim->packet_room, room = old ? 2 * old : 1024;
    struct hd_packet *more = old < HD_ITEM_MASK / 2 ? new_lines(sim->arena, room) : NULL;
    uint32_t *follow = HD_NEW(sim->arena, uint32_t, room);
    uint64_t *since = sim->m->lifetime ? HD_NEW(sim->arena, uint64_t, room) : NULL;
    if (!more || !follow || (sim->m->lifetime && !since)) return false;
    if (old) memcpy(more, sim->packet, old * sizeof *more);
    if (old) memcpy(follow, sim->follow, old * sizeof *follow);
    if (old && since) memcpy(since, sim->since, old * sizeof *since);
    for (uint32_t i = old; i < room; i++) follow[i] = i + 1 < room ? i + 1 : HD_NIL;
    sim->packet_free = old;
    sim->packet = more;
    sim->follow = follow;
    sim->since = since;
    sim->packet_room = room;
    sim->wheel.link[HD_EV_HEAD] = (char *)&more->later;
    return true;
}

uint32_t hd_sim_packet(struct hd_sim *sim)
{
    if (sim->packet_free == HD_NIL && !grow_packets(sim)) {
        sim->failed = true;
        return HD_NIL;
    }
    uint32_t i = sim->packet_free;
    sim->packet_free = sim->follow[i];
    return i;
}

/* ---- channels choose ------------------------------------------------------------------------ */

void hd_sim_mark(struct hd_sim *sim, uint32_t c)
{
    struct hd_wire *w = &sim->wire[c];
    if (w->busy || w->marked) return;
    w->marked = 1;
    sim->mark[sim->nmark++] = c;
}

static void add_space(const struct hd_sim *sim, struct hd_queue *q, uint32_t len)
{
    q->space += len;
    if (q->stopped && sim->m->buffer - q->space <= sim->m->go) q->stopped = 0;
}

BOTH bool fits(struct hd_sim *sim, bool simple, const struct hd_wire *w, const struct hd_packet *p)
{
    if (w->to_host) return true;
    uint32_t i = queue_of(sim, simple, (uint32_t)(w - sim->wire), p->lane);
    struct hd_queue *q = queue_at(sim, simple, i);
    if (sim->due && sim->due[i].len && sim->due[i].time <= sim->wheel.now) {
        add_space(sim, q, sim->due[i].len);
        sim->due[i].len = 0;
    }
    return q->space >= p->len && !q->stopped;
}

bool hd_sim_fits(struct hd_sim *sim, uint32_t c, const struct hd_packet *p)
{
    return fits(sim, sim->simple, &sim->wire[c], p);
}

void hd_sim_stall(struct hd_sim *sim, uint32_t c)
{
    struct hd_wire *w = &sim->wire[c];
    if (w->stalled) return;
    w->stalled = 1;
    sim->stalled_at[c] = sim->wheel.now;
    if (!sim->due) return;
    for (uint32_t i = c * sim->lanes; i < (c + 1) * sim->lanes; i++) { /* now someone waits for it */
        struct hd_due *due = &sim->due[i];
        if (due->len) hd_wheel_add(&sim->wheel, due->time, HD_EV_CREDIT, i, due->len);
        due->len = 0;
    }
}

/* How long the packet holds the channel at least. */
static uint64_t hold_time(struct hd_sim *sim, const struct hd_wire *w, uint32_t len)
{
    uint64_t link = w->time, host = sim->host_time, full = sim->m->packet;
    if (len < full) {
        link = most(1, (link * len + full / 2) / full);
        host = most(1, (host * len + full / 2) / full);
    }
    if (!w->to_host && !w->from_host) return link;
    uint64_t j = sim->m->jitter;
    if (j && len == full) host = host - j + hd_rng_below(&sim->rng, (uint32_t)(2 * j + 1));
    return most(link, host);
}

BOTH void start(struct hd_sim *sim, bool simple, uint32_t c, struct hd_packet *p, uint32_t from)
{
    struct hd_wire *w = &sim->wire[c];
    uint64_t now = sim->wheel.now, end = most(now + hold_time(sim, w, p->len), p->tail);
    uint32_t i = (uint32_t)(p - sim->packet);
    if (w->stalled) {
        w->stalled = 0;
        if (sim->stall) sim->stall[c] += now - sim->stalled_at[c];
    }
    if (sim->busy) sim->busy[c] += end - now;
    w->busy = 1;
    w->packet = i;
    w->from = from;
    w->len = p->len;
    if (from != HD_NIL) p->hop++;
    p->c = c;
    p->tail = end + sim->delay;
    hd_wheel_put(&sim->wheel, end, HD_EV_IDLE, c);
    if (w->to_host) return;
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, c, p->lane));
    q->space -= p->len;
    if (sim->m->control == HD_STOPGO && q->space < sim->m->packet) q->stopped = 1;
    hd_wheel_put(&sim->wheel, now + sim->delay, HD_EV_HEAD, i);
}

void hd_sim_start(struct hd_sim *sim, uint32_t c, struct hd_packet *p, uint32_t from)
{
    start(sim, sim->simple, c, p, from);
}

/* The first input from turn on that asks; HD_NIL: none does. */
static uint32_t pick(const uint64_t *ask, uint32_t words, uint32_t turn)
{
    uint64_t high = ask[turn / 64] & ~0ull << turn % 64;
    if (words == 1) { /* the usual switch */
        high = high ? high : *ask;
        return high ? (uint32_t)__builtin_ctzll(high) : HD_NIL;
    }
    if (high) return turn / 64 * 64 + (uint32_t)__builtin_ctzll(high);
    for (uint32_t k = 1; k <= words; k++) { /* and round to the rest of the word it began in */
        uint32_t i = (turn / 64 + k) % words;
        if (ask[i]) return i * 64 + (uint32_t)__builtin_ctzll(ask[i]);
    }
    return HD_NIL;
}

/* One lane of an idle channel: true when a packet of it goes. */
BOTH bool choose_lane(struct hd_sim *sim, bool simple, uint32_t c, uint32_t l, bool *asked)
{
    struct hd_wire *w = &sim->wire[c];
    uint32_t i = queue_of(sim, simple, c, l);
    uint64_t *ask = ask_at(sim, simple, i);
    struct hd_queue *lane = queue_at(sim, simple, i);
    uint32_t slot = pick(ask, simple ? 1 : sim->words, lane->turn);
    if (slot == HD_NIL) return false;
    *asked = true;
    uint32_t from = queue_of(sim, simple, sim->net->rev[w->base + slot], l);
    struct hd_queue *q = queue_at(sim, simple, from);
    struct hd_packet *p = &sim->packet[q->first];
    if (!fits(sim, simple, w, p)) return false;
    ask[simple ? 0 : slot / 64] &= ~(1ull << slot % 64);
    lane->turn = (uint8_t)(slot + 1 == w->ports ? 0 : slot + 1);
    q->first = sim->follow[q->first];
    q->sending = 1;
    start(sim, simple, c, p, from);
    return true;
}

BOTH void choose(struct hd_sim *sim, bool simple, uint32_t c)
{
    struct hd_wire *w = &sim->wire[c];
    bool asked = false;
    w->marked = 0;
    if (w->busy) return;
    if (w->from_host) {
        hd_nic_choose(sim, c);
        return;
    }
    uint32_t lanes = simple ? 1 : sim->lanes;
    for (uint32_t k = 0, l = simple ? 0 : w->lane; k < lanes; k++, l = l + 1 == lanes ? 0 : l + 1)
        if (choose_lane(sim, simple, c, l, &asked)) {
            w->lane = (uint8_t)(l + 1 == lanes ? 0 : l + 1);
            return;
        }
    if (asked) hd_sim_stall(sim, c);
}

/* ---- queues --------------------------------------------------------------------------------- */

/* The first packet of a queue asks for the channel it goes on by. */
BOTH void ask(struct hd_sim *sim, bool simple, uint32_t i)
{
    struct hd_packet *p = &sim->packet[i];
    p->out = !p->path ? sim->selector->port(sim, p) : p->hop < HD_VIA ? p->via[p->hop] : p->path[p->hop + 1];
    uint32_t slot = sim->wire[p->c].slot;
    ask_at(sim, simple, queue_of(sim, simple, p->out, p->lane))[simple ? 0 : slot / 64] |= 1ull << slot % 64;
    hd_sim_mark(sim, p->out);
    if (!sim->m->lifetime) return;
    uint64_t now = sim->since[i] = sim->wheel.now;
    hd_wheel_add(&sim->wheel, now + sim->m->lifetime, HD_EV_LIFE, i, (uint32_t)now);
}

BOTH void on_head(struct hd_sim *sim, bool simple, uint32_t i)
{
    struct hd_packet *p = &sim->packet[i];
    struct hd_queue *q = queue_at(sim, simple, queue_of(sim, simple, p->c, p->lane));
    sim->follow[i] = HD_NIL;
    if (q->first != HD_NIL) {
        sim->follow[q->last] = i;
        q->last = i;
        return;
    }
    q->first = q->last = i;
    if (!q->sending) ask(sim, simple, i);
}

BOTH void on_credit(struct hd_sim *sim, bool simple, uint32_t queue, uint32_t len)
{
    uint32_t c = channel_of(sim, simple, queue);
    add_space(sim, queue_at(sim, simple, queue), len);
    if (sim->wire[c].stalled) hd_sim_mark(sim, c);
}

/* Credits that travel are events only where someone waits for them. */
BOTH void send_credit(struct hd_sim *sim, bool simple, uint32_t queue, uint32_t len)
{
    struct hd_due *due = &sim->due[queue];
    uint64_t now = sim->wheel.now, time = now + sim->m->credit;
    if (sim->wire[channel_of(sim, simple, queue)].stalled) {
        hd_wheel_add(&sim->wheel, time, HD_EV_CREDIT, queue, len);
        return;
    }
    if (due->len && due->time <= now)
        add_space(sim, queue_at(sim, simple, queue), due->len);
    else if (due->len)
        hd_wheel_add(&sim->wheel, due->time, HD_EV_CREDIT, queue, due->len);
    *due = (struct hd_due){time, len};
}

/* A packet has left the queue for good. */
BOTH void release(struct hd_sim *sim, bool simple, uint32_t queue, uint32_t len)
{
    struct hd_queue *q = queue_at(sim, simple, queue);
    q->sending = 0;
    if (q->first != HD_NIL) ask(sim, simple, q->first);
    if (sim->m->credit)
        send_credit(sim, simple, queue, len);
    else
        on_credit(sim, simple, queue, len);
}

static void free_packet(struct hd_sim *sim, uint32_t i)
{
    sim->follow[i] = sim->packet_free;
    sim->packet_free = i;
}

BOTH void on_idle(struct hd_sim *sim, bool simple, uint32_t c)
{
    struct hd_wire *w = &sim->wire[c];
    w->busy = 0;
    if (w->from != HD_NIL) release(sim, simple, w->from, w->len);
    if (w->to_host) {
        if (sim->net->head[c] - sim->net->nsw != hd_conn_at(sim, sim->packet[w->packet].conn)->dst) sim->broken = true;
        hd_nic_arrived(sim, w->packet, sim->wheel.now + sim->m->wire, false);
        free_packet(sim, w->packet);
    }
    if (w->from_host) hd_nic_idle(sim, c);
    hd_sim_mark(sim, c);
}

/* It has waited too long and goes, if it is still the one that began to wait then. */
static void on_life(struct hd_sim *sim, uint32_t i, uint32_t since)
{
    struct hd_packet *p = &sim->packet[i];
    uint32_t queue = p->c * sim->lanes + p->lane;
    struct hd_queue *q = hd_queue_at(sim, queue);
    if (q->first != i || q->sending || (uint32_t)sim->since[i] != since) return;
    if (sim->since[i] + sim->m->lifetime != sim->wheel.now) return;
    uint32_t slot = sim->wire[p->c].slot, len = p->len;
    hd_ask_at(sim, p->out * sim->lanes + p->lane)[slot / 64] &= ~(1ull << slot % 64);
    hd_sim_mark(sim, p->out); /* whoever waited behind it may fit */
    q->first = sim->follow[i];
    hd_nic_arrived(sim, i, sim->wheel.now, true);
    free_packet(sim, i);
    release(sim, sim->simple, queue, len);
}

/* ---- time ----------------------------------------------------------------------------------- */

static void on_timer(struct hd_sim *sim, uint32_t conn, uint32_t arg)
{
    struct hd_conn *f = hd_conn_at(sim, conn);
    if (f->open && (f->stamp & 0xffffff) == arg >> 8) sim->selector->timer(sim, f, arg & 0xff);
}

BOTH void happen(struct hd_sim *sim, bool simple, struct hd_event e)
{
    switch ((enum hd_event_kind)e.kind) {
    case HD_EV_HEAD: on_head(sim, simple, e.index); break;
    case HD_EV_IDLE: on_idle(sim, simple, e.index); break;
    case HD_EV_CREDIT: on_credit(sim, simple, e.index, e.arg); break;
    case HD_EV_NEXT: hd_nic_next(sim, e.index); break;
    case HD_EV_STAGE: hd_nic_stage(sim); break;
    case HD_EV_TIMER: on_timer(sim, e.index, e.arg); break;
    case HD_EV_LIFE: on_life(sim, e.index, e.arg); break;
    }
}

/* What comes soon is fetched while the present is at work. */
static void look_ahead(const struct hd_wheel *w)
{
    uint32_t at = (uint32_t)w->now & (w->size - 1);
    uint64_t bits = w->used[at / 64] & ~1ull << at % 64;
    for (int k = 0; k < 2 && bits; k++, bits &= bits - 1) {
        uint32_t item = w->slot[at / 64 * 64 + (uint32_t)__builtin_ctzll(bits)];
        if (item != HD_NO_EVENT) __builtin_prefetch(hd_wheel_link(w, item));
    }
}

/* Everything of the present nanosecond. */
BOTH void step_as(struct hd_sim *sim, bool simple)
{
    struct hd_event e;
    uint32_t *present = hd_wheel_present(&sim->wheel);
    uint64_t n = 0;
    look_ahead(&sim->wheel);
    do {
        for (; hd_wheel_take(&sim->wheel, present, &e); n++) happen(sim, simple, e);
        for (uint32_t i = 0; i < sim->nmark; i++) choose(sim, simple, sim->mark[i]);
        sim->nmark = 0;
    } while (*present != HD_NO_EVENT);
    sim->count.events += n;
}

static void step(struct hd_sim *sim)
{
    if (sim->simple)
        step_as(sim, true);
    else
        step_as(sim, false);
}

/* Nothing lost, nothing doubled, every byte of buffer given back. */
static hd_status check_end(struct hd_ctx *ctx, struct hd_sim *sim)
{
    bool broken = sim->broken || sim->started != sim->count.packets + sim->count.dropped + sim->flying;
    size_t queues = (size_t)sim->net->nchan * sim->lanes;
    if (sim->flying == 0 && !sim->m->duration)
        for (size_t i = 0; i < queues; i++) {
            const struct hd_queue *q = hd_queue_at(sim, (uint32_t)i);
            uint32_t due = sim->due ? sim->due[i].len : 0;
            broken |= q->first != HD_NIL || q->sending || q->space + due != sim->m->buffer;
        }
    if (broken) return hd_fail(ctx, HD_FAULT, "simulation: packets are not conserved");
    return HD_OK;
}

hd_status hd_sim_run(struct hd_ctx *ctx, struct hd_sim *sim, const struct hd_workload *work, uint64_t sample)
{
    uint64_t limit = sim->m->duration ? sim->m->duration : UINT64_MAX;
    sim->work = work;
    reset(sim, sample);
    if (!hd_nic_begin(sim)) return hd_fail_memory(ctx);
    step(sim);
    while (hd_wheel_advance(&sim->wheel) && sim->wheel.now <= limit) step(sim);
    if (sim->failed || sim->wheel.failed) return hd_fail_memory(ctx);
    if (sim->flying) hd_sim_find_cycle(sim);
    return check_end(ctx, sim);
}
