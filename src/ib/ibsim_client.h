/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of ibsim, at the level of its sockets: management datagrams (MADs) to the simulated switches and adapters by
 * direct route, and to the subnet manager. One datagram asks one question; many are in flight at once, so a question
 * costs tens of microseconds where running a diagnostic program costs 50 ms.
 *
 * ibsim listens on abstract Unix sockets: NAME:ctl takes 80-byte control messages, NAME:out<i> the
 * packets of client i, which binds NAME:in<id>. A packet is 32 bytes of addresses and a 256-byte MAD. */
#ifndef HD_IB_IBSIM_CLIENT_H
#define HD_IB_IBSIM_CLIENT_H

#include "heddle/base.h"

enum { HD_MAD = 256, HD_MAD_DATA = 64, HD_SA_DATA = 56, HD_MAX_DR = 63 };

struct hd_ibsim {
    int ctl, data; /* -1: not open */
    uint32_t id;   /* ours among its clients */
};

/* A round of questions 0 .. n-1. make fills a zeroed MAD and returns the LID it goes to (0xffff: direct
 * route); take gets the answer. */
struct hd_ibsim_round {
    uint32_t n;
    uint32_t (*make)(void *user, uint32_t i, uint8_t *mad);
    hd_status (*take)(struct hd_ctx *ctx, void *user, uint32_t i, const uint8_t *mad);
    void *user;
    const char *what; /* for messages and progress */
};

/* Attaches to the node with that id in the network file. */
hd_status hd_ibsim_open(struct hd_ctx *ctx, const char *socket_name, const char *node, struct hd_ibsim *sim);
void hd_ibsim_close(struct hd_ibsim *sim);
hd_status hd_ibsim_ask(struct hd_ctx *ctx, struct hd_ibsim *sim, const struct hd_ibsim_round *round);

/* Attributes of subnet management */
enum { HD_SMP_SWITCH_INFO = 0x12, HD_SMP_PORT_INFO = 0x15, HD_SMP_SL2VL = 0x17, HD_SMP_LFT = 0x19 };

/* Get(attribute, modifier) by direct route: hops ports from the node that we are attached to. Returns 0xffff. */
uint32_t hd_mad_direct(uint8_t *mad, const uint8_t *port, uint32_t hops, uint32_t attribute, uint32_t modifier);
/* Get(PathRecord) of a pair of LIDs; goes to the subnet manager. The answer's service level. */
void hd_mad_path(uint8_t *mad, uint32_t slid, uint32_t dlid);
static inline uint32_t hd_mad_path_sl(const uint8_t *mad)
{
    return mad[HD_SA_DATA + 53] & 15;
}
/* Status of an answer, 0: good. */
static inline uint32_t hd_mad_status(const uint8_t *mad)
{
    return (uint32_t)(mad[4] & 0x7f) << 8 | mad[5];
}

#endif
