/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a run: made once for a network, put back to time 0 for every run, checked at its end. */
#include "base/status.h"
#include "sim/sim_state.h"

#include <math.h>
#include <string.h>

void *hd_new_lines(struct hd_arena *arena, size_t n, size_t lines)
{
    char *p = n < SIZE_MAX / lines ? hd_alloc(arena, n * lines + 1, HD_CACHE_LINE) : NULL;
    return p ? p + (HD_CACHE_LINE - (uintptr_t)p % HD_CACHE_LINE) % HD_CACHE_LINE : NULL;
}

enum { CACHED = 8192 }; /* channels whose state stays near a core */

/* ---- once a network -------------------------------------------------------------------------- */

/* Rates as parts of the fastest one, rounded up, so that n outputs of an n-th of it fill an input. */
static void init_weights(struct hd_sim *sim, const bool *seen)
{
    double fastest = 0;
    for (uint32_t i = 0; i < HD_RATES; i++)
        if (seen[i]) fastest = fmax(fastest, hd_model_rate(sim->m, (uint8_t)i));
    for (uint32_t i = 0; i < HD_RATES; i++) {
        if (!seen[i]) continue;
        const double part = ceil(HD_FASTEST * hd_model_rate(sim->m, (uint8_t)i) / fastest - 1e-6);
        sim->weight[i] = sim->weight[HD_RATES + i] = part > 1 ? (int32_t)part : 1;
    }
}

/* How long a full packet holds a channel of each rate; the longest of all. */
static uint64_t init_times(struct hd_sim *sim)
{
    const struct hd_model_opt *m = sim->m;
    uint64_t longest = 0;
    bool seen[HD_RATES] = {false};
    sim->fastest = UINT64_MAX;
    sim->host_time = m->host > 0 ? hd_model_time(m->packet, m->host) : 0;
    sim->usual[0] = (uint32_t)m->packet;
    sim->usual[1] = m->jitter ? 0 : (uint32_t)m->packet;
    for (uint32_t c = 0; c < sim->net->nchan; c++) seen[sim->net->link[c]] = true;
    for (uint32_t i = 0; i < HD_RATES; i++) {
        if (!seen[i]) continue;
        uint64_t link = hd_model_time(m->packet, hd_model_rate(m, (uint8_t)i));
        sim->hold[i] = link;
        sim->fastest = link < sim->fastest ? link : sim->fastest;
        sim->hold[HD_RATES + i] = hd_most(link, sim->host_time);
        longest = hd_most(longest, hd_most(link, sim->host_time + m->jitter));
    }
    init_weights(sim, seen);
    return longest;
}

static hd_status init_wires(struct hd_ctx *ctx, struct hd_sim *sim)
{
    const struct hd_net *net = sim->net;
    for (uint32_t c = 0; c < net->nchan; c++) {
        struct hd_channel_state *w = &sim->wire[c];
        uint32_t tail = net->tail[c];
        if (hd_model_rate(sim->m, net->link[c]) <= 0)
            return hd_fail(ctx, HD_INPUT, "link=0: the rate of the cable at %s port %u is not known, give one in MB/s",
                           hd_node_name(net, tail), net->port[c]);
        if (net->head[c] >= net->nsw) w->state |= HD_AT_HOST | HD_TO_HOST;
        if (tail >= net->nsw) w->state |= HD_AT_HOST | HD_FROM_HOST;
        w->rate = (uint16_t)(net->link[c] + (w->state & HD_AT_HOST ? HD_RATES : 0));
        w->base = tail >= net->nsw ? tail - net->nsw : net->off[tail];
        w->ports = (uint8_t)hd_degree(net, tail);
        if (!(w->state & HD_TO_HOST)) w->slot = (uint8_t)(net->rev[c] - net->off[net->head[c]]);
    }
    return HD_OK;
}

/* The crossbar of a switch is made for its fastest port. */
static void init_feeds(struct hd_sim *sim)
{
    const struct hd_net *net = sim->net;
    for (uint32_t v = 0; v < net->nsw; v++) {
        int32_t most = 0;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            most = sim->weight[net->link[c]] > most ? sim->weight[net->link[c]] : most;
        sim->feeds[v] = sim->m->queue == HD_VOQ ? (int32_t)sim->m->speedup * most : INT32_MAX;
    }
}

static bool allocate_crossbars(struct hd_sim *sim)
{
    size_t nchan = sim->net->nchan, words = sim->words;
    struct hd_arena *a = sim->arena;
    if (sim->m->shared) {
        sim->pool = HD_NEW(a, int64_t, sim->net->nsw);
        sim->pool_short = HD_NEW(a, bool, sim->net->nsw);
        if (!sim->pool || !sim->pool_short) return false;
    }
    sim->voq = HD_NEW(a, struct hd_voq, nchan * sim->lanes * sim->ports);
    sim->crossbar = HD_NEW(a, struct hd_crossbar, nchan * words);
    sim->wants = HD_NEW(a, uint64_t, nchan * words);
    sim->grants = HD_NEW(a, uint64_t, nchan * words);
    sim->granted_lane = HD_NEW(a, uint8_t, nchan);
    sim->granted = HD_NEW(a, uint32_t, nchan);
    sim->feeds = HD_NEW(a, int32_t, sim->net->nsw);
    return sim->voq && sim->crossbar && sim->wants && sim->grants && sim->granted_lane && sim->granted && sim->feeds;
}

static bool allocate(struct hd_sim *sim)
{
    uint32_t nchan = sim->net->nchan;
    size_t queues = (size_t)nchan * sim->lanes;
    sim->wire = hd_new_lines(sim->arena, nchan, 1);
    sim->nic = hd_new_lines(sim->arena, sim->net->nep, 1);
    sim->missed = HD_NEW(sim->arena, uint64_t, sim->net->nep);
    sim->mark = HD_NEW(sim->arena, uint32_t, nchan);
    sim->stalled_at = HD_NEW(sim->arena, uint64_t, nchan);
    if (!sim->wire || !sim->nic || !sim->missed || !sim->mark || !sim->stalled_at) return false;
    if (sim->m->control == HD_BYTEWISE && !(sim->leaving = HD_NEW(sim->arena, struct hd_leaving, queues))) return false;
    sim->marking = sim->m->kmin > 0;
    if (sim->marking && !(sim->pace_at = HD_NEW(sim->arena, uint64_t, sim->net->nep))) return false;
    if (sim->selector->init && !sim->selector->init(sim)) return false;
    if (sim->m->load > 0 && !(sim->pending = HD_NEW(sim->arena, uint32_t, sim->net->nep))) return false;
    if (sim->m->queue != HD_FIFO && !allocate_crossbars(sim)) return false;
    if (sim->simple) return true;
    sim->queues = HD_NEW(sim->arena, struct hd_queue, queues);
    sim->asks = HD_NEW(sim->arena, uint64_t, queues * sim->words);
    sim->lane_turn = HD_NEW(sim->arena, uint8_t, nchan);
    return sim->queues && sim->asks && sim->lane_turn;
}

hd_status hd_sim_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sim *sim)
{
    const struct hd_net *net = sim->net;
    uint32_t ports = 1;
    for (uint32_t v = 0; v < net->nsw; v++) ports = hd_degree(net, v) > ports ? hd_degree(net, v) : ports;
    sim->arena = arena;
    sim->words = (ports + 63) / 64;
    sim->ports = ports;
    sim->delay = (uint32_t)(sim->m->wire + sim->m->hop);
    sim->simple = sim->lanes == 1 && sim->words == 1;
    sim->large = net->nchan > CACHED;
    sim->conn_free = HD_NIL;
    if (!allocate(sim)) return hd_fail_memory(ctx);
    HD_TRY(init_wires(ctx, sim));
    uint64_t span = hd_most(init_times(sim), sim->delay) + 1;
    if (sim->voq) init_feeds(sim);
    return hd_wheel_init(&sim->wheel, arena, span) ? HD_OK : hd_fail_memory(ctx);
}

/* ---- packets --------------------------------------------------------------------------------- */

/* Twice as many. Those never used are not touched. */
static bool grow_packets(struct hd_sim *sim)
{
    uint32_t old = sim->packet_room, room = old ? 2 * old : sim->net->nep < 512 ? 1024 : 2 * sim->net->nep;
    struct hd_packet *more = room <= HD_ITEM_MASK ? hd_new_lines(sim->arena, room, 1) : NULL;
    uint64_t *since = sim->m->lifetime ? HD_NEW(sim->arena, uint64_t, room) : NULL;
    if (!more || (sim->m->lifetime && !since)) return false;
    if (old) memcpy(more, sim->packet, old * sizeof *more);
    if (old && since) memcpy(since, sim->since, old * sizeof *since);
    sim->packet = more;
    sim->since = since;
    sim->packet_room = room;
    return true;
}

uint32_t hd_sim_fresh_packet(struct hd_sim *sim)
{
    if (sim->packet_used == sim->packet_room && !grow_packets(sim)) {
        sim->failed = true;
        return HD_NIL;
    }
    return sim->packet_used++;
}

/* ---- every run ------------------------------------------------------------------------------- */

/* Empty queues; turns begin at random places. */
static void reset_wires(struct hd_sim *sim)
{
    struct hd_queue empty = {.first = HD_NIL, .last = HD_NIL, .space = (int32_t)sim->m->buffer};
    for (uint32_t c = 0; c < sim->net->nchan; c++) {
        struct hd_channel_state *w = &sim->wire[c];
        uint32_t lane = hd_rng_below(&sim->rng, sim->lanes);
        w->state &= HD_AT_HOST | HD_TO_HOST | HD_FROM_HOST;
        w->ask = 0;
        if (!sim->simple) sim->lane_turn[c] = (uint8_t)lane;
        for (uint32_t l = 0; l < sim->lanes; l++) {
            struct hd_queue *q = hd_queue_at(sim, c * sim->lanes + l);
            *q = empty;
            if (!(w->state & HD_FROM_HOST)) q->turn = (uint16_t)hd_rng_below(&sim->rng, w->ports);
        }
    }
    size_t queues = (size_t)sim->net->nchan * sim->lanes, asks = queues * sim->words;
    if (sim->leaving) memset(sim->leaving, 0, queues * sizeof *sim->leaving);
    if (!sim->simple) memset(sim->asks, 0, asks * sizeof *sim->asks);
}

/* What the queue's input can feed when it feeds nothing. */
static int32_t room_at_rest(const struct hd_sim *sim, size_t queue)
{
    uint32_t v = sim->net->head[queue / sim->lanes];
    return v < sim->net->nsw && queue % sim->lanes == 0 ? sim->feeds[v] : 0;
}

/* No packets; inputs begin with a random output. */
static void reset_crossbars(struct hd_sim *sim)
{
    const struct hd_net *net = sim->net;
    size_t masks = (size_t)net->nchan * sim->words;
    memset(sim->wants, 0, masks * sizeof *sim->wants);
    memset(sim->grants, 0, masks * sizeof *sim->grants);
    for (size_t i = 0; i < masks; i++) sim->crossbar[i] = (struct hd_crossbar){.idle = UINT64_MAX};
    for (size_t i = 0; i < (size_t)net->nchan * sim->lanes; i++) {
        struct hd_queue *q = hd_queue_at(sim, (uint32_t)i);
        uint32_t v = net->head[i / sim->lanes];
        q->room = room_at_rest(sim, i);
        q->backlog = 0;
        q->accept = v < net->nsw && i % sim->lanes == 0 ? hd_rng_below(&sim->rng, hd_degree(net, v)) : 0;
    }
    for (uint32_t v = 0; sim->pool && v < net->nsw; v++) {
        sim->pool[v] = (int64_t)sim->m->shared;
        sim->pool_short[v] = false;
    }
}

void hd_sim_reset(struct hd_sim *sim, uint64_t sample)
{
    hd_wheel_clear(&sim->wheel);
    hd_rng_init(&sim->rng, sim->seed, HD_RNG_SIM, sample);
    reset_wires(sim);
    if (sim->voq) reset_crossbars(sim);
    sim->packet_used = 0;
    sim->packet_free = HD_NIL;
    memset(sim->latency, 0, sizeof sim->latency);
    sim->latency_min = UINT64_MAX;
    sim->latency_max = sim->latency_sum = sim->started = sim->settled = sim->cut = 0;
    sim->nmark = sim->in_flight = sim->stage = sim->ncycle = 0;
    sim->deadlock = false;
    sim->watched = sim->busy || sim->stall;
    sim->count = (struct hd_sim_count){0};
}

/* Nothing lost, nothing doubled, every byte of buffer given back. */
hd_status hd_sim_check_end(struct hd_ctx *ctx, struct hd_sim *sim)
{
    bool broken = sim->broken || sim->started != sim->count.packets + sim->count.dropped + sim->in_flight;
    size_t queues = (size_t)sim->net->nchan * sim->lanes;
    if (sim->in_flight == 0 && !sim->m->duration && !sim->cut)
        for (size_t i = 0; i < queues; i++) {
            const struct hd_queue *q = hd_queue_at(sim, (uint32_t)i);
            broken |= sim->voq ? q->room != room_at_rest(sim, i) || q->backlog : q->first != HD_NIL || q->sending;
            broken |= (uint32_t)q->space + q->due_len != sim->m->buffer;
        }
    if (broken) return hd_fail(ctx, HD_FAULT, "simulation: packets are not conserved");
    return HD_OK;
}
