/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules by which a dragonfly is cabled: where each port of each switch leads. */
#ifndef HD_NET_CABLING_GROUP_RULE_H
#define HD_NET_CABLING_GROUP_RULE_H

#include "net/cabling/wiring.h"

struct hd_group_place { /* of a switch in its group, by local port */
    uint8_t far[256];   /* the port at the other end; 0: the port leads to no switch of the group */
    uint8_t to[256];    /* the place there */
};

struct hd_group_gate { /* a global port of a place */
    uint8_t place, port;
    uint32_t far;  /* the gate at the other end */
    uint32_t step; /* how many positions on it leads; if ordered, its number */
};

struct hd_group_rule {
    uint32_t n, size; /* groups, switches of each */
    uint32_t *group;  /* [nsw] */
    uint8_t *at;      /* [nsw] place */
    uint32_t *member; /* [n * size] switch in a place of a group; HD_NOWHERE: none */
    struct hd_group_place *place;
    uint32_t ngate;
    struct hd_group_gate *gate;
    uint32_t *number;                 /* [size * 256] gate of a place and port; HD_NOWHERE: none */
    uint32_t *position, *at_position; /* [n] of a group, and the group in a position */
    bool ordered;                     /* gate number i leads to position i, or i + 1 from there on */
    uint32_t *gate_at;                /* [ngate] if ordered, the gate with a number */
};

struct hd_group_end {
    uint32_t group;
    uint8_t place, port;
};

/* Where a port of v should lead; false: the rule does not speak of it. */
bool hd_group_expects(const struct hd_group_rule *rule, uint32_t v, uint32_t port, struct hd_group_end *end);

/* The gate at the other end of a gate of group g, and its group; HD_NOWHERE: it is free, or leads to no gate. */
uint32_t hd_group_gate_end(const struct hd_net *net, const struct hd_group_rule *rule, uint32_t g, uint32_t gate,
                           uint32_t *group);
/* The group that a gate of group g should lead to, and the gate there. */
uint32_t hd_group_gate_leads(const struct hd_group_rule *rule, uint32_t g, uint32_t gate, uint32_t *far);
/* group_order.c: positions and numbers of gates that lead to the groups in order, if they do. */
hd_status hd_group_order_learn(struct hd_wiring *w, struct hd_group_rule *rule, bool *found);

#endif
