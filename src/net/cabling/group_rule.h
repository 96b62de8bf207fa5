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
    uint32_t step; /* how many positions on it leads */
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
};

struct hd_group_end {
    uint32_t group;
    uint8_t place, port;
};

/* Where a port of v should lead; false: the rule does not speak of it. */
bool hd_group_expects(const struct hd_group_rule *rule, uint32_t v, uint32_t port, struct hd_group_end *end);

#endif
