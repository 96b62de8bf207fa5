/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of one run, for the engine, the adapters and the selectors.
 *
 * A packet crosses channels. A channel ends in an input buffer, one queue a lane; a switch connects queues
 * to outgoing channels. The first packet of a queue asks for its channel; the channel, when idle, takes in
 * turn a lane, then an input of it, whose packet fits the buffer at the other end, and is held until the
 * tail is through: at its own rate, but not before the tail has come. The head goes ahead (cut-through).
 * Buffer space is given back when the tail has left. All times are whole nanoseconds. First all events of a
 * nanosecond happen, then idle channels choose: no port is served first for being looked at first.
 * Events: a head reaches the next switch, a channel becomes idle; and rarely the others below. */
#ifndef HD_SIM_SIM_H
#define HD_SIM_SIM_H

#include "base/rng.h"
#include "route/routes.h"
#include "sim/model.h"
#include "sim/selector.h"
#include "sim/wheel.h"
#include "sim/workload.h"

#define HD_NIL UINT32_MAX
enum { HD_LATENCY_BINS = 64 * 16, HD_CYCLE = 64 };

enum hd_event_kind { HD_EV_HEAD, HD_EV_IDLE, HD_EV_CREDIT, HD_EV_NEXT, HD_EV_STAGE, HD_EV_TIMER, HD_EV_LIFE };

enum { HD_VIA = 3 };

struct hd_packet {        /* one cache line */
    const uint32_t *path; /* channels; NULL: chosen switch by switch */
    uint64_t tail;        /* its tail cannot leave the switch before */
    uint64_t born;        /* first in line at its adapter */
    uint32_t conn, len, seq;
    uint32_t c, out;      /* the channel it is on or behind; the one it asks for */
    uint32_t via[HD_VIA]; /* path[1], path[2], ... */
    uint32_t later;       /* link of the event queue */
    uint16_t hop;         /* path[hop] == c */
    uint8_t lane;
};

struct hd_queue { /* buffer at the end of channel c for lane l, number c * lanes + l */
    uint32_t first, last;
    uint32_t space;  /* bytes free, as the sender knows it */
    uint8_t sending; /* a packet is leaving; the next one may not ask yet */
    uint8_t stopped; /* STOP was sent */
    uint8_t turn;    /* as an output lane: the input slot that comes first */
};

struct hd_due { /* space the sender will know of from a time on, while it does not wait for it */
    uint64_t time;
    uint32_t len;
};

struct hd_wire { /* a channel; one cache line with its only queue and mask, where there is one lane and few ports */
    uint64_t ask;
    uint64_t time;   /* ns for a full packet */
    uint32_t packet; /* on it */
    uint32_t from;   /* queue it comes from, HD_NIL: an adapter */
    uint32_t len;
    uint32_t base; /* first channel of the switch it leaves */
    uint8_t ports; /* how many that has */
    uint8_t busy, marked, stalled;
    uint8_t lane; /* that comes first */
    uint8_t slot; /* as an input: its place among the inputs of its switch */
    bool to_host, from_host;
    struct hd_queue queue;
    uint32_t later; /* link of the event queue */
};

_Static_assert(sizeof(struct hd_packet) == HD_LINK_STRIDE && sizeof(struct hd_wire) == HD_LINK_STRIDE, "a line each");

struct hd_route {
    uint32_t *chan;
    uint32_t variant;
    uint16_t n, room;
    uint8_t lane;
};

struct hd_conn { /* a message list entry that is being sent, with all its repetitions */
    uint32_t src, dst, msg, self;
    uint32_t stamp;           /* tells a connection from an earlier one in the same place */
    uint32_t next;            /* in the adapter's ring, or in the free list */
    uint64_t size, left;      /* of the message at hand: bytes, and those not yet in packets */
    uint64_t again;           /* messages after this one */
    uint32_t seq, flying;     /* next packet; packets under way */
    uint32_t top;             /* one more than the highest that has arrived */
    uint64_t check;           /* sum of the numbers that have arrived */
    uint64_t lost;            /* the same of those dropped */
    uint64_t sent;            /* bytes */
    bool open, in_ring, over; /* in use; at the adapter; all messages are sent */
    uint32_t nroute, route;
    struct hd_route *routes; /* [sim->nroute] */
    /* selectors */
    uint32_t blocked, raise, failed, candidate;
    bool probing, clear;
};

struct hd_nic {
    uint32_t ring;      /* connection served last, of a circular list; HD_NIL: none */
    uint32_t head;      /* packet first in line, HD_NIL: none made yet */
    uint32_t sending;   /* connection on the wire */
    bool last;          /* and it was the last packet of its message */
    bool waited;        /* the head packet could not leave at once */
    uint32_t pos, busy; /* next message of the list; messages at hand */
    uint32_t conn;      /* opened last */
    uint64_t bytes;     /* of all messages of the list that are served */
    uint64_t arrived;   /* bytes sent from here that count and have arrived */
    uint64_t finish;    /* when the last of them had */
    uint64_t ideal;     /* ns all this takes a sender that is alone */
    uint64_t moved_at;  /* bytes of a connection sent when its route last changed */
};

enum { HD_CONN_CHUNK = 256 };

struct hd_sim_count { /* whole numbers only: summed over runs, threads and processes */
    uint64_t packets, events, bytes, reordered, dropped, unserved, changes, probes;
};

struct hd_sim {
    const struct hd_net *net;
    const struct hd_routes *routes;
    const struct hd_model_opt *m;
    const struct hd_selector *selector;
    const void *opt; /* the selector's */
    const struct hd_workload *work;
    const uint8_t *dist; /* per_switch: [leaf * nsw + v] */
    struct hd_arena *arena;
    struct hd_wheel wheel;
    struct hd_rng rng;
    uint64_t seed;

    uint32_t lanes, words; /* words of 64 inputs a mask takes */
    uint32_t delay;        /* wire + hop */
    uint64_t host_time;    /* full packet */
    struct hd_wire *wire;
    bool simple;             /* one lane, one word: queue and mask are in the wire */
    struct hd_queue *queues; /* [nchan * lanes] else */
    uint64_t *asks;          /* [(c * lanes + l) * words] else: inputs that ask for channel c */
    struct hd_due *due;      /* [nchan * lanes] where credits travel */
    uint64_t *stalled_at;    /* [nchan] */
    uint64_t *since;         /* [packets] first in its queue since, where packets have a lifetime */
    uint32_t *mark;          /* idle channels that someone asks for */
    uint32_t nmark;
    struct hd_packet *packet;
    uint32_t *follow; /* [packets] the next one in its queue, or in the free list */
    uint32_t packet_room, packet_free, flying;
    struct hd_nic *nic;
    struct hd_conn **conn; /* chunks */
    uint32_t nchunk, chunk_room, conn_free, nroute;
    uint32_t *round;    /* [nmsg] messages that have arrived, for exchanges */
    uint64_t *in_stage; /* [nstage] messages that have not arrived */
    uint32_t stage;

    uint64_t *busy, *stall;            /* [nchan] ns; NULL: not wanted */
    uint64_t latency[HD_LATENCY_BINS]; /* packets */
    uint64_t latency_min, latency_max;
    uint64_t *series; /* bytes arrived in each interval; NULL: not wanted */
    uint64_t interval, nseries;
    struct hd_sim_count count;
    uint64_t started; /* packets that left their adapters */
    uint64_t settled; /* when a route last changed */
    bool failed;      /* out of memory */
    bool broken;      /* a packet was lost, doubled or came to the wrong place */
    bool deadlock;
    uint32_t ncycle, cycle_lane, cycle[HD_CYCLE]; /* channels */
};

static inline struct hd_conn *hd_conn_at(const struct hd_sim *sim, uint32_t i)
{
    return &sim->conn[i / HD_CONN_CHUNK][i % HD_CONN_CHUNK];
}

static inline struct hd_queue *hd_queue_at(const struct hd_sim *sim, uint32_t i)
{
    return sim->simple ? &sim->wire[i].queue : &sim->queues[i];
}

/* Inputs that ask for lane l of channel c, i = c * lanes + l. */
static inline uint64_t *hd_ask_at(const struct hd_sim *sim, uint32_t i)
{
    return sim->simple ? &sim->wire[i].ask : &sim->asks[(size_t)i * sim->words];
}

/* Where a latency falls: sixteen bins for each power of two. */
static inline uint32_t hd_latency_bin(uint64_t ns)
{
    if (ns < 16) return (uint32_t)ns;
    uint32_t e = 63 - (uint32_t)__builtin_clzll(ns);
    return e * 16 + (uint32_t)(ns >> (e - 4) & 15);
}

/* Least value of a bin. */
static inline uint64_t hd_latency_value(uint32_t bin)
{
    return bin < 64 ? bin : (uint64_t)(16 + bin % 16) << (bin / 16 - 4);
}

/* engine.c */
hd_status hd_sim_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sim *sim);
/* Simulates the workload from time 0; sample names the random stream. */
hd_status hd_sim_run(struct hd_ctx *ctx, struct hd_sim *sim, const struct hd_workload *work, uint64_t sample);
void hd_sim_mark(struct hd_sim *sim, uint32_t c); /* someone asks for channel c */
void hd_sim_start(struct hd_sim *sim, uint32_t c, struct hd_packet *p, uint32_t from);
bool hd_sim_fits(struct hd_sim *sim, uint32_t c, const struct hd_packet *p);
void hd_sim_stall(struct hd_sim *sim, uint32_t c);
uint32_t hd_sim_packet(struct hd_sim *sim); /* a new one, HD_NIL: out of memory */

/* nic.c */
bool hd_nic_begin(struct hd_sim *sim);
uint64_t hd_nic_ideal(const struct hd_sim *sim, uint32_t e, uint64_t bytes); /* ns of a message that meets nobody */
void hd_nic_choose(struct hd_sim *sim, uint32_t c);                          /* the adapter's channel is idle */
void hd_nic_idle(struct hd_sim *sim, uint32_t c);                            /* it has just become so */
void hd_nic_arrived(struct hd_sim *sim, uint32_t packet, uint64_t when, bool dropped);
void hd_nic_next(struct hd_sim *sim, uint32_t conn);
void hd_nic_stage(struct hd_sim *sim);

/* deadlock.c: a cycle of full buffers, each waiting for the next. */
void hd_sim_find_cycle(struct hd_sim *sim);

/* For selectors: a random other route; it counts as a change. */
void hd_conn_move(struct hd_sim *sim, struct hd_conn *f, uint32_t route);
uint32_t hd_conn_other(struct hd_sim *sim, const struct hd_conn *f);
void hd_conn_timer(struct hd_sim *sim, const struct hd_conn *f, uint64_t after, uint32_t what);
/* Channels of one of its routes, found when first asked for. */
const struct hd_route *hd_conn_route(struct hd_sim *sim, struct hd_conn *f, uint32_t route);

#endif
