/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of one run, for the engine, the adapters and the selectors.
 *
 * A packet crosses channels. A channel ends in an input buffer, one queue a lane; a switch connects queues
 * to outgoing channels. The first packet of a queue asks for its channel; the channel, when idle, takes in
 * turn a lane, then an input of it, whose packet fits the buffer at the other end, and is held until the
 * tail is through: at its own rate, but not before the tail has come. The head goes ahead (cut-through).
 * Buffer space is given back when the tail has left, or bytewise as bytes leave: then a packet goes as soon as
 * all of it will fit when its tail is there, counting on the packet that is leaving and on no other. All times
 * are whole nanoseconds. First all events of a nanosecond happen, then idle channels choose: no port is served
 * first for being looked at first.
 * Events: a head reaches the next switch, a channel becomes idle; and rarely the others below. */
#ifndef HD_SIM_SIM_STATE_H
#define HD_SIM_SIM_STATE_H

#include "base/rng.h"
#include "route/core/routes_view.h"
#include "sim/sim_model.h"
#include "sim/rate_control.h"
#include "sim/selector.h"
#include "sim/timing_wheel.h"
#include "sim/workload.h"

#define HD_NIL UINT32_MAX
enum { HD_LATENCY_BINS = 64 * 16, HD_CYCLE = 64, HD_RUN_PARTS = 1000 }; /* progress is in parts of a run */

enum hd_event_kind {
    HD_EV_HEAD,
    HD_EV_IDLE,
    HD_EV_CREDIT,
    HD_EV_NEXT,
    HD_EV_STAGE,
    HD_EV_TIMER,
    HD_EV_LIFE,
    HD_EV_OFFER,
    HD_EV_RATE,
    HD_EV_PACE
};

enum { HD_CACHE_LINE = 64, HD_VIA = 5, HD_RATES = 256, HD_FASTEST = 1000 };

struct hd_packet {        /* one cache line */
    uint64_t tail;        /* its tail cannot leave the switch before */
    uint64_t born;        /* first in line at its adapter */
    uint32_t path;        /* where via is too short: its channels, from here on in sim->path; HD_NIL: switches choose */
    uint32_t via[HD_VIA]; /* its channels but the first; where switches choose: [0], the one it asks for */
    uint32_t conn, seq, len;
    uint32_t c;    /* the channel it is on or behind */
    uint32_t next; /* behind it in its queue, or in the free list */
    uint16_t hop;  /* how many channels it has left behind; at its adapter one less than none */
    uint16_t lane : 15;
    uint16_t marked : 1; /* a switch on its path was congested */
};

struct hd_queue {      /* buffer at the end of channel c for lane l, number c * lanes + l, and who may go there */
    uint64_t due_time; /* when the sender knows of due_len more bytes: credits on the cable that no sender waits for */
    uint32_t due_len;
    int32_t space; /* bytes free, as the sender knows it; bytewise below 0 by what leaves while more comes in */
    union {
        uint32_t first; /* packet */
        int32_t room;   /* virtual output queues: the rate that this input can still feed, in the queue of lane 0 */
    };
    union {
        uint32_t last;
        uint32_t accept; /* virtual output queues: the output that comes first for this input, as room */
    };
    union {
        uint32_t asker;   /* the queue that asked last for this channel and lane */
        uint32_t backlog; /* virtual output queues: bytes that wait for this channel and lane in its switch */
    };
    uint16_t turn; /* the input slot that comes first for them */
    bool sending;  /* a packet is leaving; the next one may not ask yet */
    bool stopped;  /* STOP was sent */
};

struct hd_voq {           /* virtual output queue: packets of one input that wait for one output and lane */
    uint32_t first, last; /* empty where the input does not ask for the output */
};

struct hd_crossbar { /* 64 ports of a switch: inputs that can feed no further output, outputs that are idle */
    uint64_t closed, idle;
};

struct hd_leaving { /* bytewise: the packet that is leaving a queue, evenly from start to end */
    uint64_t start, end;
    uint64_t wake; /* when the sender that waits for its space looks again */
    uint32_t len;  /* 0: none */
};

/* What a channel is and does. Bits of a word: compilers read neighbouring flags as one, and a word read after a part
 * of it was written comes late. */
enum hd_channel_bits {
    HD_AT_HOST = 1,   /* one of its ends is an adapter: */
    HD_TO_HOST = 2,   /* it ends there */
    HD_FROM_HOST = 4, /* it begins there */
    HD_BUSY = 8,      /* a packet is on it */
    HD_MARKED = 16,   /* it is among those that choose when all of the nanosecond has happened */
    HD_STALLED = 32,  /* it is idle because the packet chosen does not fit */
};

struct hd_channel_state { /* a channel: one cache line, with its queue and mask where there is one lane and few ports */
    uint64_t ask;         /* inputs of the switch it leaves that ask for it */
    uint32_t packet;      /* on it */
    uint32_t from;        /* queue that comes from; adapter: the connection whose message ends with it, HD_NIL: none */
    uint32_t len;
    uint32_t base;  /* first channel of the switch it leaves; the adapter's number, where it leaves one */
    uint32_t state; /* bits of enum hd_channel_bits */
    uint8_t ports;  /* how many that switch has */
    uint8_t slot;   /* as an input: its place among the inputs of its switch */
    uint16_t rate;  /* which time in sim->hold */
    struct hd_queue queue;
};

_Static_assert(sizeof(void *) < 8 ||
                   (sizeof(struct hd_packet) == HD_CACHE_LINE && sizeof(struct hd_channel_state) == HD_CACHE_LINE),
               "a line each");

struct hd_route {
    uint32_t via[HD_VIA]; /* as in a packet */
    uint32_t path;        /* where it is longer: all its channels, sim->path[path ...] */
    uint32_t variant;
    uint16_t n, room;
    uint16_t lane;
};

struct hd_flow_state { /* a message list entry that is being sent, with all its repetitions; two cache lines */
    /* what every packet touches */
    uint32_t src, self;
    uint32_t into;           /* the channel into its destination */
    uint32_t next;           /* in the adapter's ring, or in the free list */
    uint32_t seq, in_flight; /* next packet; packets under way */
    uint32_t top;            /* one more than the highest that has arrived */
    uint32_t route;          /* the one it uses */
    struct hd_route *routes; /* [sim->nroute] */
    uint64_t left;           /* bytes of the current message not yet in packets */
    uint64_t sent;           /* bytes */
    uint64_t check;          /* sum of the numbers that have arrived */
    /* what messages and selectors do */
    uint32_t dst, nroute;
    uint64_t size;    /* of the current message */
    uint64_t repeats; /* messages after this one */
    uint64_t lost;    /* sum of the numbers dropped */
    uint32_t msg;
    uint32_t stamp; /* distinguishes a connection from an earlier one in the same place */
    uint32_t blocked, raise, failed, candidate;
    bool probing, clear;
    bool open, over; /* in use; all messages are sent */
};

struct hd_nic {          /* one cache line */
    uint32_t ring;       /* connection served last, of a circular list; HD_NIL: none */
    uint32_t head;       /* packet first in line, HD_NIL: none made yet */
    uint32_t pos;        /* next message of the list */
    uint32_t busy : 31;  /* open messages */
    uint32_t waited : 1; /* the head packet could not leave at once */
    uint32_t conn;       /* opened last */
    uint32_t opened;     /* messages opened so far, those of a stage as one */
    uint64_t bytes;      /* of all messages of the list that are served */
    uint64_t arrived;    /* bytes sent from here that count and have arrived */
    uint64_t finish;     /* when the last of them had */
    uint64_t ideal;      /* ns all this takes on its cable, without pauses */
    uint64_t moved_at;   /* bytes of a connection sent when its route last changed */
};

_Static_assert(sizeof(void *) < 8 ||
                   (sizeof(struct hd_flow_state) == 2 * HD_CACHE_LINE && sizeof(struct hd_nic) == HD_CACHE_LINE),
               "whole lines");

enum { HD_CONN_CHUNK = 256 };

struct hd_sim_count { /* whole numbers only: summed over runs, threads and processes */
    uint64_t packets, events, bytes, reordered, dropped, unserved, changes, probes;
};

struct hd_sim {
    const struct hd_net *net;
    const struct hd_routes *routes;
    const struct hd_model_opt *m;
    const struct hd_selector *selector;
    bool groups;     /* switches choose among the groups of the routes */
    const void *opt; /* the selector's */
    void *choice;    /* the selector's own state */
    const struct hd_workload *work;
    const uint8_t *dist;     /* per_switch: [leaf * nsw + v] */
    const uint32_t *leaf_of; /* per_switch: [nsw] number of each leaf switch */
    struct hd_arena *arena;
    struct hd_wheel wheel;
    struct hd_rng rng;
    uint64_t seed;

    uint32_t lanes, words; /* words of 64 inputs a mask takes */
    uint32_t delay;        /* wire + hop */
    uint64_t fastest;      /* ns of a full packet on the fastest channel */
    uint32_t usual[2];     /* length of packets that take a time of hold[]: between switches, at a host; 0: none */
    bool marking;          /* switches mark packets, senders react */
    bool simple;           /* one lane, one word: queue and mask are in the wire */
    bool watched;          /* busy or stall are wanted */
    bool large;            /* the state is beyond the caches of a core: what comes is fetched ahead */
    struct hd_channel_state *wire; /* [nchan] */
    struct hd_queue *queues;       /* [nchan * lanes] where not simple */
    uint64_t *asks; /* [(c * lanes + l) * words] where not simple: inputs that ask for lane l of channel c */
    struct hd_leaving *leaving; /* [nchan * lanes] where space comes back byte by byte, else NULL */
    /* Where queues are virtual output queues, else NULL. w is the first channel of the switch, b that times words: */
    struct hd_voq *voq;           /* [(c * lanes + l) * ports + input slot]: who waits for channel c */
    struct hd_crossbar *crossbar; /* [b ...] */
    uint64_t *wants, *grants;     /* [input * words] outputs that it has packets for, that have chosen it this time */
    uint8_t *granted_lane;        /* [nchan] and which lane the output chose */
    uint32_t *granted;            /* inputs that were chosen */
    int64_t *pool;                /* [switch] bytes free of its shared buffer; NULL: it has none */
    bool *pool_short;             /* [switch] a sender waits for that */
    uint32_t ports;               /* of the largest switch */
    int32_t *feeds;               /* [switch] the rate that an input can feed at once */
    uint8_t *lane_turn;           /* [nchan] the lane that comes first, where there are several */
    uint64_t *stalled_at;         /* [nchan] */
    uint32_t *mark;               /* idle channels that someone asks for */
    uint32_t nmark;
    struct hd_packet *packet;
    uint64_t *since; /* [packets] first in its queue since, where packets have a lifetime */
    uint32_t packet_room, packet_used, packet_free, in_flight;
    uint32_t *path; /* channels of the routes found so far */
    uint32_t path_room, path_used;
    struct hd_nic *nic;
    uint64_t *missed;            /* [nep] bytes of messages that no path carries, or that wait for one of those */
    struct hd_flow_state **conn; /* chunks */
    uint32_t nchunk, chunk_room, conn_free, nroute;
    struct hd_rate **rate; /* chunks as of conn, where senders react to marks, else NULL */
    uint32_t rate_room;
    uint64_t *pace_at;  /* [nep] and when an adapter whose connections all wait looks again */
    uint32_t *round;    /* [nmsg] messages that have arrived: of an exchange, or of those that a traced one waits for */
    uint32_t *ready;    /* [nmsg] scratch of traces */
    uint32_t *pending;  /* [nep] messages that were to begin and have not, where an offered load is given, else NULL */
    uint64_t *in_stage; /* [nstage] messages that have not arrived */
    uint32_t stage;
    uint64_t host_time;           /* ns of a full packet in a host */
    uint64_t hold[2 * HD_RATES];  /* and on channels of each rate: between switches, then at a host */
    int32_t weight[2 * HD_RATES]; /* those rates; HD_FASTEST is that of the fastest cable */

    uint64_t *busy, *stall;            /* [nchan] ns; NULL: not wanted */
    uint64_t latency[HD_LATENCY_BINS]; /* packets */
    uint64_t latency_min, latency_max, latency_sum;
    uint64_t *series; /* bytes arrived in each interval; NULL: not wanted */
    uint64_t interval, nseries;
    struct hd_sim_count count;
    uint64_t started; /* packets that left their adapters */
    uint64_t settled; /* when a route last changed */
    uint64_t cut;     /* when the caller ended the run early; 0: it did not */
    bool failed;      /* out of memory */
    bool broken;      /* a packet was lost, doubled or came to the wrong place */
    bool deadlock;
    uint32_t ncycle, cycle_lane, cycle[HD_CYCLE]; /* channels */
};

static inline struct hd_flow_state *hd_conn_at(const struct hd_sim *sim, uint32_t i)
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

/* Channel number i of a route, 0 < i < n. */
static inline uint32_t hd_route_at(const struct hd_sim *sim, const struct hd_route *r, uint32_t i)
{
    return i <= HD_VIA ? r->via[i - 1] : sim->path[r->path + i];
}

/* The channel a packet asks for, first in its queue. */
static inline uint32_t hd_packet_out(const struct hd_sim *sim, const struct hd_packet *p)
{
    if (p->path == HD_NIL) return p->via[0];
    return p->hop < HD_VIA ? p->via[p->hop] : sim->path[p->path + p->hop + 1];
}

static inline uint64_t hd_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* sim_state.c */
hd_status hd_sim_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sim *sim);
void hd_sim_reset(struct hd_sim *sim, uint64_t sample);
uint32_t hd_sim_fresh_packet(struct hd_sim *sim); /* one never used in this run, HD_NIL: out of memory */
hd_status hd_sim_check_end(struct hd_ctx *ctx, struct hd_sim *sim);
/* n zeroed objects of so many cache lines each, on lines of their own. */
void *hd_new_lines(struct hd_arena *arena, size_t n, size_t lines);

/* A new packet, HD_NIL: out of memory. */
static inline uint32_t hd_sim_packet(struct hd_sim *sim)
{
    uint32_t i = sim->packet_free;
    if (i == HD_NIL) return hd_sim_fresh_packet(sim);
    sim->packet_free = sim->packet[i].next;
    return i;
}

/* event_loop.c */
/* Simulates the workload from time 0; sample names the random stream. */
hd_status hd_sim_run(struct hd_ctx *ctx, struct hd_sim *sim, const struct hd_workload *work, uint64_t sample);
void hd_sim_mark(struct hd_sim *sim, uint32_t c); /* someone asks for channel c */
bool hd_sim_fits(struct hd_sim *sim, uint32_t c, const struct hd_packet *p);

/* adapter.c */
bool hd_nic_begin(struct hd_sim *sim);
/* The run has come to its end: what waits for a message of the trace that never arrived has missed its turn. */
void hd_nic_over(struct hd_sim *sim);
uint64_t hd_nic_ideal(const struct hd_sim *sim, uint32_t e, uint64_t bytes); /* ns of a message without contention */
/* The least ns that all messages of e opened so far take, pauses included: with several at once, the pause after one is
 * filled by others. */
uint64_t hd_nic_least(const struct hd_sim *sim, uint32_t e);
/* Messages that a sender may have under way at once. */
uint64_t hd_nic_window(const struct hd_model_opt *m);
uint64_t hd_nic_time(const struct hd_sim *sim, uint32_t e);   /* and of a full packet there */
bool hd_nic_make(struct hd_sim *sim, struct hd_nic *nic);     /* the next packet is its head; false: there is none */
void hd_nic_held(struct hd_sim *sim, struct hd_nic *nic);     /* the head cannot go */
uint32_t hd_nic_gone(struct hd_sim *sim, struct hd_nic *nic); /* it goes; the connection whose message ends with it */
void hd_nic_ended(struct hd_sim *sim, uint32_t conn);         /* the last packet of a message has left */
void hd_nic_arrived(struct hd_sim *sim, const struct hd_packet *p);
void hd_nic_lost(struct hd_sim *sim, const struct hd_packet *p);
void hd_nic_next(struct hd_sim *sim, uint32_t conn);
void hd_nic_stage(struct hd_sim *sim);
void hd_nic_rate(struct hd_sim *sim, uint32_t conn, uint32_t arg); /* an event of its rate control */
void hd_nic_pace(struct hd_sim *sim, uint32_t e);
void hd_nic_offer(struct hd_sim *sim, uint32_t e); /* one more message is to begin */

/* sim_deadlock.c: a cycle of full buffers, each waiting for the next. */
void hd_sim_find_cycle(struct hd_sim *sim);

/* For selectors: a random other route; it counts as a change. */
void hd_conn_move(struct hd_sim *sim, struct hd_flow_state *f, uint32_t route);
uint32_t hd_conn_other(struct hd_sim *sim, const struct hd_flow_state *f);
void hd_conn_timer(struct hd_sim *sim, const struct hd_flow_state *f, uint64_t after, uint32_t what);
/* Channels of one of its routes, found when first asked for. */
const struct hd_route *hd_conn_find_route(struct hd_sim *sim, struct hd_flow_state *f, struct hd_route *r);
static inline const struct hd_route *hd_conn_route(struct hd_sim *sim, struct hd_flow_state *f, uint32_t route)
{
    struct hd_route *r = &f->routes[route];
    return r->n ? r : hd_conn_find_route(sim, f, r);
}

#endif
