/* SPDX-License-Identifier: BSD-2-Clause */
/* Adapters: which message is sent when, packets made of it, and what arrives.
 * An adapter serves its open messages in turn, a packet each. A packet takes its route when it comes first
 * in line, and keeps it: while it waits, everything behind it waits too. */
#include "sim/sim_state.h"
#include "route/core/switch_distance.h"

#include <math.h>
#include <string.h>

/* ---- connections ---------------------------------------------------------------------------- */

static bool add_chunk(struct hd_sim *sim)
{
    if (!HD_MORE(sim->arena, sim->conn, sim->nchunk, sim->chunk_room)) return false;
    struct hd_flow_state *chunk = hd_new_lines(sim->arena, HD_CONN_CHUNK, 2);
    struct hd_route *routes = HD_NEW(sim->arena, struct hd_route, (size_t)HD_CONN_CHUNK * sim->nroute);
    if (!chunk || !routes) return false;
    if (sim->marking) {
        if (!HD_MORE(sim->arena, sim->rate, sim->nchunk, sim->rate_room)) return false;
        if (!(sim->rate[sim->nchunk] = HD_NEW(sim->arena, struct hd_rate, HD_CONN_CHUNK))) return false;
    }
    uint32_t first = sim->nchunk * HD_CONN_CHUNK;
    for (uint32_t i = 0; i < HD_CONN_CHUNK; i++) {
        chunk[i].routes = routes + (size_t)i * sim->nroute;
        chunk[i].next = i + 1 < HD_CONN_CHUNK ? first + i + 1 : sim->conn_free;
        chunk[i].self = first + i;
    }
    sim->conn[sim->nchunk++] = chunk;
    sim->conn_free = first;
    return true;
}

/* Keeps the channels of a route that is too long for via. */
static bool keep_path(struct hd_sim *sim, struct hd_route *r, const uint32_t *chan, uint32_t n)
{
    if (n > r->room) {
        if (sim->path_room - sim->path_used < n) {
            size_t room = 2 * (size_t)sim->path_room + 4096;
            uint32_t *more = room < HD_NIL ? HD_NEW(sim->arena, uint32_t, room) : NULL;
            if (!more) return false;
            if (sim->path_used) memcpy(more, sim->path, sim->path_used * sizeof *more);
            sim->path = more;
            sim->path_room = (uint32_t)room;
        }
        r->path = sim->path_used;
        r->room = (uint16_t)n;
        sim->path_used += n;
    }
    memcpy(sim->path + r->path, chan, n * sizeof *chan);
    return true;
}

const struct hd_route *hd_conn_find_route(struct hd_sim *sim, struct hd_flow_state *f, struct hd_route *r)
{
    uint32_t chan[HD_MAX_HOPS];
    uint32_t n = hd_routes_path(sim->routes, f->src, f->dst, r->variant, chan);
    for (uint32_t i = 1; i < n && i <= HD_VIA; i++) r->via[i - 1] = chan[i];
    if (n > HD_VIA + 1 && !keep_path(sim, r, chan, n)) {
        sim->failed = true;
        return r;
    }
    r->n = (uint16_t)n;
    r->lane = (uint16_t)(hd_routes_lane(sim->routes, f->src, f->dst, r->variant) % sim->lanes);
    return r;
}

/* The variants a sender knows: all, or as many as it may, drawn once and for all for the pair. */
static void choose_variants(struct hd_sim *sim, struct hd_flow_state *f)
{
    uint32_t nvar = hd_routes_variants(sim->routes);
    f->nroute = sim->nroute;
    for (uint32_t i = 0; i < f->nroute; i++) f->routes[i].variant = i;
    if (f->nroute == nvar) return;
    struct hd_rng rng;
    hd_rng_init(&rng, sim->seed, HD_RNG_SIM, 1ull << 62 | ((uint64_t)f->src * sim->net->nep + f->dst));
    for (uint32_t i = 0, k = nvar - f->nroute; i < f->nroute; i++, k++) { /* Floyd: a uniform subset */
        uint32_t x = hd_rng_below(&rng, k + 1);
        for (uint32_t j = 0; j < i; j++)
            if (f->routes[j].variant == x) x = k;
        f->routes[i].variant = x;
    }
}

static bool served(struct hd_sim *sim, struct hd_flow_state *f)
{
    if (sim->selector->per_switch) {
        uint32_t leaf = sim->leaf_of[hd_leaf(sim->net, f->dst)];
        return sim->dist[(size_t)leaf * sim->net->nsw + hd_leaf(sim->net, f->src)] != HD_FAR;
    }
    /* where the table lacks some variants the others serve */
    for (uint32_t k = 0; k < f->nroute; k++, f->route = (f->route + 1) % f->nroute)
        if (hd_conn_route(sim, f, f->route)->n) return true;
    return false;
}

static void free_conn(struct hd_sim *sim, struct hd_flow_state *f)
{
    f->open = false;
    f->next = sim->conn_free;
    sim->conn_free = f->self;
}

static struct hd_flow_state *new_conn(struct hd_sim *sim, uint32_t e, uint32_t msg)
{
    if (sim->conn_free == HD_NIL && !add_chunk(sim)) {
        sim->failed = true;
        return NULL;
    }
    struct hd_flow_state *f = hd_conn_at(sim, sim->conn_free);
    sim->conn_free = f->next;
    *f = (struct hd_flow_state){
        .src = e, .dst = sim->work->dst[msg], .msg = msg, .self = f->self, .stamp = f->stamp + 1, .routes = f->routes};
    f->into = sim->net->rev[sim->net->off[sim->net->nsw + f->dst]];
    f->open = true;
    for (uint32_t i = 0; i < sim->nroute; i++) f->routes[i].n = 0;
    if (sim->selector->one) {
        f->nroute = 1;
        f->routes[0].variant = sim->selector->open(sim, f);
    } else {
        choose_variants(sim, f);
        if (sim->selector->open) f->route = sim->selector->open(sim, f);
    }
    if (sim->marking) hd_rate_open(sim, f);
    return f;
}

void hd_conn_move(struct hd_sim *sim, struct hd_flow_state *f, uint32_t route)
{
    if (route == f->route || !hd_conn_route(sim, f, route)->n) return;
    f->route = route;
    sim->nic[f->src].moved_at = f->sent;
    sim->settled = sim->wheel.now;
    sim->count.changes++;
}

uint32_t hd_conn_other(struct hd_sim *sim, const struct hd_flow_state *f)
{
    if (f->nroute < 2) return f->route;
    uint32_t x = hd_rng_below(&sim->rng, f->nroute - 1);
    return x < f->route ? x : x + 1;
}

void hd_conn_timer(struct hd_sim *sim, const struct hd_flow_state *f, uint64_t after, uint32_t what)
{
    hd_wheel_add(&sim->wheel, sim->wheel.now + after, HD_EV_TIMER, f->self, (f->stamp & 0xffffff) << 8 | what);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void begin_message(struct hd_sim *sim, struct hd_flow_state *f)
{
    struct hd_nic *nic = &sim->nic[f->src];
    f->left = f->size;
    if (nic->ring == HD_NIL) {
        f->next = f->self;
    } else {
        struct hd_flow_state *last = hd_conn_at(sim, nic->ring);
        f->next = last->next;
        last->next = f->self;
    }
    nic->ring = f->self;
    hd_sim_mark(sim, sim->net->off[sim->net->nsw + f->src]);
}

uint64_t hd_nic_time(const struct hd_sim *sim, uint32_t e)
{
    return sim->hold[HD_RATES + sim->net->link[sim->net->off[sim->net->nsw + e]]];
}

uint64_t hd_nic_ideal(const struct hd_sim *sim, uint32_t e, uint64_t bytes)
{
    uint64_t packet = sim->m->packet, time = hd_nic_time(sim, e);
    uint64_t rest = bytes % packet, part = (time * rest + packet / 2) / packet;
    return bytes / packet * time + (rest && !part ? 1 : part);
}

uint64_t hd_nic_window(const struct hd_model_opt *m)
{
    if (m->duration) return UINT64_MAX;
    return m->progress == HD_ON_SENT || m->progress == HD_ON_RECEIVED ? m->window : 1;
}

uint64_t hd_nic_least(const struct hd_sim *sim, uint32_t e)
{
    const struct hd_model_opt *m = sim->m;
    const struct hd_nic *nic = &sim->nic[e];
    if (m->progress == HD_ON_TRACE || !nic->opened) return nic->ideal;
    uint64_t messages = m->progress == HD_ON_STAGE ? nic->opened : nic->opened * m->messages, window = hd_nic_window(m);
    if (window > nic->opened) window = nic->opened;
    uint64_t in_turn = (nic->ideal + messages * m->gap + window - 1) / window, on_cable = nic->ideal + m->gap;
    return in_turn > on_cable ? in_turn : on_cable;
}

/* How often each message of the list is sent. */
static uint64_t adapter_repeat(const struct hd_model_opt *m)
{
    return m->progress == HD_ON_TRACE ? 1 : m->messages;
}

/* The connection of the message that goes the other way, if it is open now. */
static struct hd_flow_state *mate_of(struct hd_sim *sim, uint32_t msg, uint32_t dst)
{
    uint32_t conn = sim->nic[dst].conn;
    struct hd_flow_state *f = conn == HD_NIL ? NULL : hd_conn_at(sim, conn);
    return f && f->open && f->msg == sim->work->mate[msg] ? f : NULL;
}

/* Nobody carries this message of e: its partner must not wait for it. */
static void unserved(struct hd_sim *sim, uint32_t e, uint32_t msg)
{
    const uint32_t dst = sim->work->dst[msg];
    sim->count.unserved++;
    sim->missed[e] += sim->work->bytes[msg] * adapter_repeat(sim->m);
    if (sim->m->progress != HD_ON_EXCHANGE) return;
    sim->round[msg] = UINT32_MAX;
    const struct hd_flow_state *f = mate_of(sim, msg, dst);
    if (f && !f->left && !f->in_flight) hd_wheel_add(&sim->wheel, sim->wheel.now, HD_EV_NEXT, f->self, 0);
}

/* Opens a message; false: no path serves it. */
static bool open_message(struct hd_sim *sim, uint32_t e, uint32_t msg)
{
    const struct hd_model_opt *m = sim->m;
    struct hd_nic *nic = &sim->nic[e];
    struct hd_flow_state *f = new_conn(sim, e, msg);
    if (!f) return false;
    if (!served(sim, f)) {
        free_conn(sim, f);
        unserved(sim, e, msg);
        return false;
    }
    uint64_t repeat = adapter_repeat(m);
    f->size = sim->work->bytes[msg];
    if (m->progress == HD_ON_STAGE) { /* a stage is over when all of it has arrived: one long message */
        f->size *= repeat;
        repeat = 1;
    }
    f->repeats = sim->pending ? 0 : m->duration ? UINT64_MAX : repeat - 1;
    nic->bytes += f->size * repeat;
    nic->ideal += hd_nic_ideal(sim, e, f->size) * repeat;
    nic->opened++;
    nic->busy++;
    nic->conn = f->self;
    begin_message(sim, f);
    return true;
}

/* A message of a trace has arrived: what waited for it alone begins, and what has no bytes has arrived with that. */
static void trace_arrived(struct hd_sim *sim, uint32_t msg)
{
    const struct hd_workload *w = sim->work;
    uint32_t depth = 0;
    sim->ready[depth++] = msg;
    while (depth) {
        uint32_t m = sim->ready[--depth];
        for (uint32_t i = w->first_wait[m]; i < w->first_wait[m + 1]; i++) {
            uint32_t k = w->waits[i];
            if (++sim->round[k] < w->need[k]) continue;
            if (w->bytes[k])
                open_message(sim, w->source[k], k);
            else
                sim->ready[depth++] = k;
        }
    }
}

static void trace_begin(struct hd_sim *sim, uint32_t msg)
{
    if (sim->work->bytes[msg])
        open_message(sim, sim->work->source[msg], msg);
    else
        trace_arrived(sim, msg);
}

void hd_nic_over(struct hd_sim *sim)
{
    const struct hd_workload *w = sim->work;
    if (sim->m->progress != HD_ON_TRACE || sim->m->duration || sim->cut) return;
    for (uint32_t m = 0; m < w->nmsg; m++)
        if (w->bytes[m] && sim->round[m] < w->need[m]) sim->missed[w->source[m]] += w->bytes[m];
}

/* As many of the next messages as may be under way. */
static void adapter_fill(struct hd_sim *sim, uint32_t e)
{
    struct hd_nic *nic = &sim->nic[e];
    while (nic->busy < hd_nic_window(sim->m) && nic->pos < sim->work->first[e + 1]) open_message(sim, e, nic->pos++);
}

/* The next message that an offered load has made to wait: a random one of the list. */
static void adapter_begin_offered(struct hd_sim *sim, uint32_t e)
{
    uint32_t first = sim->work->first[e], n = sim->work->first[e + 1] - first;
    while (!sim->nic[e].busy && sim->pending[e]) {
        sim->pending[e]--;
        open_message(sim, e, first + hd_rng_below(&sim->rng, n));
    }
}

/* When the next one comes: times are exponential, so that messages of full rate would offer the load. */
static void adapter_plan_offer(struct hd_sim *sim, uint32_t e)
{
    const struct hd_workload *w = sim->work;
    double mean = 0;
    for (uint32_t m = w->first[e]; m < w->first[e + 1]; m++) mean += (double)hd_nic_ideal(sim, e, w->bytes[m]);
    mean /= (w->first[e + 1] - w->first[e]) * sim->m->load;
    double after = -log1p(-hd_rng_real(&sim->rng)) * mean;
    hd_wheel_add(&sim->wheel, sim->wheel.now + (uint64_t)(after + 0.5), HD_EV_OFFER, e, 0);
}

void hd_nic_offer(struct hd_sim *sim, uint32_t e)
{
    sim->pending[e]++;
    adapter_begin_offered(sim, e);
    adapter_plan_offer(sim, e);
}

void hd_nic_stage(struct hd_sim *sim)
{
    const struct hd_workload *w = sim->work;
    for (; sim->stage < w->nstage; sim->stage++) {
        for (uint32_t e = 0; e < sim->net->nep; e++) {
            struct hd_nic *nic = &sim->nic[e];
            uint32_t opened = nic->opened;
            for (; nic->pos < w->first[e + 1] && w->stage[nic->pos] == sim->stage; nic->pos++)
                if (open_message(sim, e, nic->pos)) sim->in_stage[sim->stage]++;
            if (nic->opened > opened) nic->opened = opened + 1; /* they begin together: one pause follows */
        }
        if (sim->in_stage[sim->stage]) return;
    }
}

bool hd_nic_begin(struct hd_sim *sim)
{
    const struct hd_workload *w = sim->work;
    for (uint32_t i = 0; i < sim->nchunk; i++)
        for (uint32_t k = 0; k < HD_CONN_CHUNK; k++) {
            struct hd_flow_state *f = &sim->conn[i][k];
            f->open = false;
            f->next = k + 1 < HD_CONN_CHUNK ? f->self + 1 : i + 1 < sim->nchunk ? f->self + 1 : HD_NIL;
        }
    sim->conn_free = sim->nchunk ? 0 : HD_NIL;
    memset(sim->missed, 0, sim->net->nep * sizeof *sim->missed);
    if (sim->pace_at) memset(sim->pace_at, 0, sim->net->nep * sizeof *sim->pace_at);
    for (uint32_t e = 0; e < sim->net->nep; e++)
        sim->nic[e] = (struct hd_nic){.ring = HD_NIL, .head = HD_NIL, .conn = HD_NIL, .pos = w->first[e]};
    if (sim->m->progress == HD_ON_EXCHANGE) memset(sim->round, 0, w->nmsg * sizeof *sim->round);
    if (sim->pending) {
        memset(sim->pending, 0, sim->net->nep * sizeof *sim->pending);
        for (uint32_t e = 0; e < sim->net->nep; e++)
            if (w->first[e] < w->first[e + 1]) adapter_plan_offer(sim, e);
    } else if (sim->m->progress == HD_ON_STAGE) {
        memset(sim->in_stage, 0, w->nstage * sizeof *sim->in_stage);
        hd_nic_stage(sim);
    } else if (sim->m->progress == HD_ON_TRACE) {
        memset(sim->round, 0, w->nmsg * sizeof *sim->round);
        for (uint32_t m = 0; m < w->nmsg; m++)
            if (!w->need[m]) trace_begin(sim, m);
    } else {
        for (uint32_t e = 0; e < sim->net->nep; e++) adapter_fill(sim, e);
    }
    return !sim->failed;
}

static void close_if_done(struct hd_sim *sim, struct hd_flow_state *f)
{
    if (!f->over || f->in_flight) return;
    uint64_t n = f->seq;
    if (f->check + f->lost != n * (n - 1) / 2) sim->broken = true;
    free_conn(sim, f);
}

/* The message is through as far as the next one cares. */
void hd_nic_next(struct hd_sim *sim, uint32_t conn)
{
    struct hd_flow_state *f = hd_conn_at(sim, conn);
    struct hd_nic *nic = &sim->nic[f->src];
    if (f->repeats) {
        f->repeats--;
        begin_message(sim, f);
        return;
    }
    uint32_t msg = f->msg, e = f->src;
    f->over = true;
    nic->busy--;
    close_if_done(sim, f);
    if (sim->m->progress == HD_ON_TRACE) {
        trace_arrived(sim, msg);
    } else if (sim->pending) {
        adapter_begin_offered(sim, e);
    } else if (sim->m->progress != HD_ON_STAGE) {
        adapter_fill(sim, e);
    }
}

/* ---- packets out ---------------------------------------------------------------------------- */

static void put_on_route(struct hd_sim *sim, struct hd_flow_state *f, struct hd_packet *p)
{
    if (sim->selector->packet) sim->selector->packet(sim, f);
    const struct hd_route *r = hd_conn_route(sim, f, f->route);
    if (!r->n && served(sim, f)) r = hd_conn_route(sim, f, f->route);
    p->path = r->path;
    memcpy(p->via, r->via, sizeof p->via);
    p->lane = r->lane;
}

void hd_nic_rate(struct hd_sim *sim, uint32_t conn, uint32_t arg)
{
    const struct hd_flow_state *f = hd_conn_at(sim, conn);
    if (f->open && (f->stamp & 0xffffff) == arg >> 8) hd_rate_event(sim, f, arg & 0xff);
}

void hd_nic_pace(struct hd_sim *sim, uint32_t e)
{
    if (sim->pace_at[e] == sim->wheel.now) sim->pace_at[e] = 0;
    hd_sim_mark(sim, sim->net->off[sim->net->nsw + e]);
}

/* The first connection in turn that its rate lets send becomes the one behind nic->ring; false: none does yet. */
static bool adapter_paced(struct hd_sim *sim, struct hd_nic *nic)
{
    uint64_t earliest = UINT64_MAX, now = sim->wheel.now;
    uint32_t e = (uint32_t)(nic - sim->nic), before = nic->ring;
    do {
        uint32_t i = hd_conn_at(sim, before)->next;
        uint64_t next = sim->rate[i / HD_CONN_CHUNK][i % HD_CONN_CHUNK].next;
        if (next <= now) {
            nic->ring = before;
            return true;
        }
        if (next < earliest) earliest = next;
        before = i;
    } while (before != nic->ring);
    if (sim->pace_at[e] <= now || earliest < sim->pace_at[e]) {
        sim->pace_at[e] = earliest;
        hd_wheel_add(&sim->wheel, earliest, HD_EV_PACE, e, 0);
    }
    return false;
}

bool hd_nic_make(struct hd_sim *sim, struct hd_nic *nic)
{
    if (nic->ring == HD_NIL || (sim->marking && !adapter_paced(sim, nic))) return false;
    struct hd_flow_state *last = hd_conn_at(sim, nic->ring), *f = hd_conn_at(sim, last->next);
    uint32_t i = hd_sim_packet(sim);
    if (i == HD_NIL) return false;
    struct hd_packet *p = &sim->packet[i];
    p->conn = f->self;
    p->seq = f->seq++;
    p->born = sim->wheel.now;
    p->tail = 0;
    p->len = (uint32_t)(f->left < sim->m->packet ? f->left : sim->m->packet);
    p->hop = UINT16_MAX;
    p->lane = p->marked = 0;
    p->path = HD_NIL;
    if (sim->marking) hd_rate_sent(sim, f, p->len);
    if (!sim->selector->per_switch) put_on_route(sim, f, p);
    f->left -= p->len;
    f->sent += p->len;
    f->in_flight++;
    sim->in_flight++;
    sim->started++;
    if (f->left)
        nic->ring = f->self;
    else if (f == last)
        nic->ring = HD_NIL;
    else
        last->next = f->next;
    nic->head = i;
    nic->waited = false;
    return true;
}

void hd_nic_held(struct hd_sim *sim, struct hd_nic *nic)
{
    const struct hd_selector *s = sim->selector;
    if (!nic->waited && s->blocked) s->blocked(sim, hd_conn_at(sim, sim->packet[nic->head].conn));
    nic->waited = true;
}

uint32_t hd_nic_gone(struct hd_sim *sim, struct hd_nic *nic)
{
    struct hd_flow_state *f = hd_conn_at(sim, sim->packet[nic->head].conn);
    if (!nic->waited) f->blocked = 0;
    nic->head = HD_NIL;
    return f->left ? HD_NIL : f->self;
}

void hd_nic_ended(struct hd_sim *sim, uint32_t conn)
{
    if (sim->m->progress != HD_ON_SENT) return;
    if (sim->m->gap)
        hd_wheel_add(&sim->wheel, sim->wheel.now + sim->m->gap, HD_EV_NEXT, conn, 0);
    else
        hd_nic_next(sim, conn);
}

/* ---- packets in ----------------------------------------------------------------------------- */

static void message_arrived(struct hd_sim *sim, struct hd_flow_state *f, uint64_t when)
{
    const struct hd_workload *w = sim->work;
    const struct hd_flow_state *mate;
    uint64_t next = when + (sim->m->progress == HD_ON_TRACE ? 0 : sim->m->gap);
    switch ((enum hd_progress)sim->m->progress) {
    case HD_ON_SENT: return;
    case HD_ON_RECEIVED:
    case HD_ON_TRACE: break;
    case HD_ON_EXCHANGE:
        if (++sim->round[f->msg] > sim->round[w->mate[f->msg]]) return;
        if ((mate = mate_of(sim, f->msg, f->dst))) hd_wheel_add(&sim->wheel, next, HD_EV_NEXT, mate->self, 0);
        break;
    case HD_ON_STAGE:
        if (--sim->in_stage[sim->stage] == 0) {
            sim->stage++;
            hd_wheel_add(&sim->wheel, next, HD_EV_STAGE, 0, 0);
        }
        break;
    }
    hd_wheel_add(&sim->wheel, next, HD_EV_NEXT, f->self, 0);
}

static void count_arrival(struct hd_sim *sim, struct hd_flow_state *f, const struct hd_packet *p, uint64_t when)
{
    struct hd_nic *nic = &sim->nic[f->src];
    uint64_t latency = when - p->born;
    sim->count.packets++;
    sim->count.bytes += p->len;
    if (!sim->m->duration || (when > sim->m->warmup && when <= sim->m->duration)) nic->arrived += p->len;
    nic->finish = when;
    sim->latency[hd_latency_bin(latency)]++;
    sim->latency_sum += latency;
    if (latency < sim->latency_min) sim->latency_min = latency;
    if (latency > sim->latency_max) sim->latency_max = latency;
    if (p->seq < f->top)
        sim->count.reordered++;
    else
        f->top = p->seq + 1;
    f->check += p->seq;
    if (sim->series && when / sim->interval < sim->nseries) sim->series[when / sim->interval] += p->len;
}

/* One packet less is under way. */
static void adapter_settle(struct hd_sim *sim, struct hd_flow_state *f, uint64_t when)
{
    sim->in_flight--;
    if (--f->in_flight || f->left) return;
    if (sim->m->progress == HD_ON_SENT)
        close_if_done(sim, f);
    else
        message_arrived(sim, f, when);
}

void hd_nic_arrived(struct hd_sim *sim, const struct hd_packet *p)
{
    struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    uint64_t when = sim->wheel.now + sim->m->wire;
    if (p->c != f->into) sim->broken = true;
    if (p->marked) hd_rate_marked(sim, f, p);
    count_arrival(sim, f, p, when);
    adapter_settle(sim, f, when);
}

void hd_nic_lost(struct hd_sim *sim, const struct hd_packet *p)
{
    struct hd_flow_state *f = hd_conn_at(sim, p->conn);
    f->lost += p->seq;
    sim->count.dropped++;
    adapter_settle(sim, f, sim->wheel.now);
}
