/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders that are slowed down by congestion marks: DCQCN; see rate_control.c. */
#ifndef HD_SIM_RATE_CONTROL_H
#define HD_SIM_RATE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct hd_sim;
struct hd_packet;
struct hd_flow_state;

struct hd_rate {                /* of one connection */
    double now, target, alpha;  /* rates are parts of that of the sender */
    uint64_t next;              /* its next packet may not leave before */
    uint64_t notified;          /* when its receiver last sent a notification, plus one; 0: never */
    uint64_t alpha_at, step_at; /* when alpha decays, when the rate rises; UINT64_MAX: not any more */
    uint64_t bytes;             /* since the rate rose because of bytes */
    uint32_t by_time, by_bytes; /* how often it has risen since it was cut */
};

/* A connection begins, at full rate. */
void hd_rate_open(struct hd_sim *sim, const struct hd_flow_state *f);
/* A packet is made: when its successor may follow, and whether the rate rises after so many bytes. */
void hd_rate_sent(struct hd_sim *sim, const struct hd_flow_state *f, uint32_t len);
/* A packet has arrived with a mark. */
void hd_rate_marked(struct hd_sim *sim, const struct hd_flow_state *f, const struct hd_packet *p);
/* A timer, or a notification that has come. */
void hd_rate_event(struct hd_sim *sim, const struct hd_flow_state *f, uint32_t what);
/* Whether a packet that joins so many bytes waiting for an output is marked. */
bool hd_rate_marks(struct hd_sim *sim, uint64_t backlog);

#endif
