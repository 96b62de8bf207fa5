/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet simulation as the simplest program has it: one heap of events, one lane, every pair of a random bisection
 * sends one message at once. The rules are those of docs/simulator.md with the parameters of `infiniband`: a packet
 * takes its next channel when that is idle and the buffer at its end has room, inputs in turn; the head goes on after
 * wire and switch; the channel is held until the tail is through; a credit travels back. All events of a nanosecond
 * happen before any channel chooses.
 *     ref_sim PLAIN RUNS SIZE SEED [PAIRS]      PAIRS: the pairs of the last run, for heddle */
#include "bench.h"

enum { PACKET = 2048, BUFFER = 16384, LINK = 512, HOST = 630, WIRE = 10, HOP = 100, CREDIT = 10, NONE = -1 };
enum kind { HEAD, IDLE, SPACE, CHOOSE }; /* in this order within a nanosecond */

struct event {
    uint64_t key; /* time * 4 + kind */
    int32_t item;
};
struct packet {
    uint32_t src, dst, chan; /* chan: the one it is on or behind */
    int32_t next;
    uint64_t tail;
};
struct channel {
    int32_t first, last, packet, from; /* queue at its end; on it; channel whose queue that left */
    uint32_t space, turn, base, ports;
    uint8_t busy, sending, marked, host, to_host;
};
struct host {
    uint32_t dst, left; /* packets to send */
    uint64_t finish;
};

static struct plain net;
static struct event *heap;
static struct packet *packets;
static struct channel *chans;
static struct host *hosts;
static uint32_t *tail_of, *rev, nheap, npacket, *out_of; /* out_of: the channel the first of a queue asks for */
static uint64_t now, done;

/* ---- events ------------------------------------------------------------------------------------- */

static void put(uint64_t time, enum kind kind, int32_t item)
{
    uint32_t i = nheap++;
    if ((i & (i + 1)) == 0) heap = need(realloc(heap, 2 * ((size_t)i + 1) * sizeof *heap));
    struct event e = {time * 4 + kind, item};
    for (; i && heap[(i - 1) / 2].key > e.key; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = e;
}

static struct event take(void)
{
    struct event top = heap[0], e = heap[--nheap];
    uint32_t i = 0;
    for (uint32_t k; (k = 2 * i + 1) < nheap; i = k) {
        k += k + 1 < nheap && heap[k + 1].key < heap[k].key;
        if (heap[k].key >= e.key) break;
        heap[i] = heap[k];
    }
    heap[i] = e;
    return top;
}

static void wake(uint32_t c)
{
    if (chans[c].busy || chans[c].marked) return;
    chans[c].marked = 1;
    put(now, CHOOSE, (int32_t)c);
}

/* ---- the network -------------------------------------------------------------------------------- */

static void start(uint32_t c, int32_t i, int32_t from)
{
    struct channel *x = &chans[c];
    uint64_t end = now + (x->host || x->to_host ? HOST : LINK);
    if (end < packets[i].tail) end = packets[i].tail;
    x->busy = 1, x->packet = i, x->from = from;
    packets[i].chan = c;
    packets[i].tail = end + WIRE + HOP;
    put(end, IDLE, (int32_t)c);
    if (x->to_host) return;
    x->space -= PACKET;
    put(now + WIRE + HOP, HEAD, i);
}

/* The first packet of the queue behind channel c asks for the next. */
static void ask(uint32_t c)
{
    uint32_t v = net.head[c];
    out_of[c] = net.off[v] + net.table[(size_t)packets[chans[c].first].dst * net.nsw + v];
    wake(out_of[c]);
}

static void on_head(int32_t i)
{
    uint32_t c = packets[i].chan;
    struct channel *x = &chans[c];
    packets[i].next = NONE;
    if (x->first != NONE) {
        packets[x->last].next = i;
        x->last = i;
        return;
    }
    x->first = x->last = i;
    if (!x->sending) ask(c);
}

static void on_idle(uint32_t c)
{
    struct channel *x = &chans[c];
    x->busy = 0;
    if (x->from != NONE) {
        chans[x->from].sending = 0;
        if (chans[x->from].first != NONE) ask((uint32_t)x->from);
        put(now + CREDIT, SPACE, x->from);
    }
    if (x->to_host) hosts[packets[x->packet].src].finish = now + WIRE, done++;
    wake(c);
}

static void on_space(uint32_t c)
{
    chans[c].space += PACKET;
    wake(c);
}

static void choose(uint32_t c)
{
    struct channel *x = &chans[c];
    x->marked = 0;
    if (x->busy || (!x->to_host && x->space < PACKET)) return;
    if (x->host) {
        struct host *h = &hosts[tail_of[c] - net.nsw];
        if (!h->left) return;
        h->left--;
        packets[npacket] = (struct packet){.src = tail_of[c] - net.nsw, .dst = h->dst, .tail = 0};
        start(c, (int32_t)npacket++, NONE);
        return;
    }
    for (uint32_t k = 0; k < x->ports; k++) {
        uint32_t slot = (x->turn + k) % x->ports, in = rev[x->base + slot];
        struct channel *q = &chans[in];
        if (q->first == NONE || q->sending || out_of[in] != c) continue;
        int32_t i = q->first;
        x->turn = (slot + 1) % x->ports;
        q->first = packets[i].next;
        q->sending = 1;
        start(c, i, (int32_t)in);
        return;
    }
}

/* ---- runs --------------------------------------------------------------------------------------- */

static void find_tails(void)
{
    for (uint32_t v = 0; v < net.nsw + net.nep; v++)
        for (uint32_t c = net.off[v]; c < net.off[v + 1]; c++) tail_of[c] = v;
}

static void reset(uint64_t *state)
{
    now = npacket = nheap = 0;
    for (uint32_t c = 0; c < net.nchan; c++) {
        uint32_t v = tail_of[c], ports = net.off[v + 1] - net.off[v];
        chans[c] = (struct channel){.first = NONE,
                                    .space = BUFFER,
                                    .turn = draw_below(state, ports),
                                    .base = net.off[v],
                                    .ports = ports,
                                    .host = v >= net.nsw,
                                    .to_host = net.head[c] >= net.nsw};
    }
}

/* Mean share of what a sender alone would get. */
static double run(const uint32_t *order, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i + 1 < net.nep; i += 2) {
        hosts[order[i]] = (struct host){.dst = order[i + 1], .left = count};
        hosts[order[i + 1]] = (struct host){0};
        wake(net.off[net.nsw + order[i]]);
    }
    while (nheap) {
        struct event e = take();
        now = e.key / 4;
        switch ((enum kind)(e.key % 4)) {
        case HEAD: on_head(e.item); break;
        case IDLE: on_idle((uint32_t)e.item); break;
        case SPACE: on_space((uint32_t)e.item); break;
        case CHOOSE: choose((uint32_t)e.item); break;
        }
    }
    for (uint32_t i = 0; i + 1 < net.nep; i += 2) sum += (double)count * HOST / (double)hosts[order[i]].finish;
    return sum / (net.nep / 2);
}

int main(int argc, char **argv)
{
    if (argc < 5) return fprintf(stderr, "usage: ref_sim PLAIN RUNS SIZE SEED [PAIRS]\n"), 2;
    net = read_plain(argv[1]);
    uint32_t runs = (uint32_t)atol(argv[2]), count = (uint32_t)(atol(argv[3]) / PACKET), *order = new_array(net.nep, 4);
    uint64_t state = 0x9e3779b97f4a7c15u * (1 + (uint64_t)atol(argv[4]));
    chans = new_array(net.nchan, sizeof *chans);
    hosts = new_array(net.nep, sizeof *hosts);
    out_of = new_array(net.nchan, sizeof *out_of);
    packets = new_array((size_t)count * (net.nep / 2), sizeof *packets);
    for (uint32_t e = 0; e < net.nep; e++) order[e] = e;
    tail_of = new_array(net.nchan, sizeof *tail_of);
    rev = new_array(net.nchan, sizeof *rev);
    find_tails();
    find_reverse(net.off, net.head, net.nsw + net.nep, rev);
    double sum = 0;
    struct watch t = watch_start();
    for (uint32_t i = 0; i < runs; i++) {
        draw_order(&state, order, net.nep);
        reset(&state);
        sum += run(order, count);
    }
    t = watch_stop(t);
    char answer[32];
    snprintf(answer, sizeof answer, "%.9f", sum / runs);
    figures(t, (double)done, "packets", answer);
    if (argc > 5) write_pairs(argv[5], order, net.nep);
    free(order), free(chans), free(hosts), free(packets), free(out_of), free(tail_of), free(rev), free(heap);
    free_plain(&net);
    return 0;
}
