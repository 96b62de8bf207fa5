/* SPDX-License-Identifier: BSD-2-Clause */
/* Work in progress of hosts.c, which groups endpoints into hosts, and host_rails.c, which gives them their rails. */
#ifndef HD_NET_CORE_HOST_GROUPING_H
#define HD_NET_CORE_HOST_GROUPING_H

#include "base/arena.h"
#include "net/core/hosts.h"
#include "net/core/intern.h"

enum { MAX_RAILS = 255 };

enum rail_rule { AUTO, PORT, NONE, EXPRESSION };
enum trust { BY_NAME, BY_SYSTEM, ALONE }; /* how far a host name is trusted to be that of one machine */

struct adapter {
    struct hd_text host;
    uint32_t device; /* number in natural order */
    uint8_t trust;
    bool vague;  /* no name of a host */
    bool placed; /* part of a host, and on its rail, by its switch port */
};

struct grouping {
    struct hd_ctx *ctx;
    struct hd_arena *scratch;
    const struct hd_net *net;
    enum rail_rule rule;
    struct adapter *ca;     /* [nca] */
    struct intern devices;  /* numbered in natural order */
    uint32_t *host, nhost;  /* [nep] */
    uint32_t *first, *list; /* endpoints of host h: list[first[h] .. first[h+1]-1] by device, GUID, port */
    uint32_t *title;        /* [nhost] adapter that names it */
    uint8_t *rail;          /* [nep] */
    uint32_t nrail;
    uint32_t each, offset; /* blocks of switch ports (host_slots.h); each is 0 without a rule */
};

/* The rail of every endpoint, and how many rails there are, once all hosts are known. */
hd_status hd_hosts_rails(struct grouping *w);

#endif
