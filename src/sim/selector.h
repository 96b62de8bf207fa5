/* SPDX-License-Identifier: BSD-2-Clause */
/* A selector decides which of its routes a sender puts a packet on. */
#ifndef HD_SIM_SELECTOR_H
#define HD_SIM_SELECTOR_H

#include "heddle/base.h"

struct hd_sim;
struct hd_flow_state;
struct hd_packet;

struct hd_selector_opt { /* what the options of every selector begin with */
    uint64_t routes;     /* a sender knows this many, drawn once for each pair; 0: all */
};

/* Its parameter row, for options that begin with a struct hd_selector_opt. */
#define HD_SELECTOR_ROUTES                                                                                             \
    {                                                                                                                  \
        "routes", HD_UINT, "0", "routes known to a sender, 0: all", offsetof(struct hd_selector_opt, routes), 0,       \
            65535, NULL, false                                                                                         \
    }

struct hd_selector {
    struct hd_desc desc;
    /* Memory that a run needs, from sim->arena into sim->choice; false: out of memory. NULL: none. */
    bool (*init)(struct hd_sim *sim);
    bool per_switch; /* switches choose among minimal ports; the table's routes are not used */
    bool one;        /* open() chooses the only route the pair ever uses, as a variant of the table */
    /* A new connection: sets its first route. For one: returns the variant. */
    uint32_t (*open)(struct hd_sim *sim, struct hd_flow_state *f);
    /* per_switch: the channel by which the packet leaves the switch it is at; HD_NIL: there is none, it is lost. */
    uint32_t (*port)(struct hd_sim *sim, const struct hd_packet *p);
    /* Before each packet; NULL: the route stays. */
    void (*packet)(struct hd_sim *sim, struct hd_flow_state *f);
    /* The next packet cannot leave. */
    void (*blocked)(struct hd_sim *sim, struct hd_flow_state *f);
    /* A timer the selector set for this connection. */
    void (*timer)(struct hd_sim *sim, struct hd_flow_state *f, uint32_t what);
};

#endif
