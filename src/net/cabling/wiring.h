/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagnosis of the cabling: what its parts hand each other.
 *
 * A neighbourhood is what the switches of two adjacent levels form that meet each other: in a tree every lower switch
 * of it should meet every upper one (ibdiagnet speaks of connectivity groups). A port rule says where a port of a
 * neighbourhood leads: port 18+j of every leaf to spine j, port i of every spine to leaf i. */
#ifndef HD_NET_CABLING_WIRING_H
#define HD_NET_CABLING_WIRING_H

#include "base/arena.h"
#include "heddle/net.h"

#define HD_NOWHERE UINT32_MAX

enum { HD_MOST_PARALLEL = 16 }; /* cables between two switches whose ports are told apart */

struct hd_hood {
    uint32_t level; /* of its lower switches */
    uint32_t nx, ny;
    const uint32_t *x, *y;       /* lower and upper switches, increasing */
    bool clear;                  /* it was built by its rules: set with the cables of trees */
    bool has_up, has_down;       /* whether there is a rule for the ports of lower, of upper switches */
    uint32_t up[256], down[256]; /* where a port of a lower, of an upper switch leads; HD_NOWHERE: no majority */
    bool often_up[256], often_down[256];    /* a quarter leads there: too few for a rule, too many for a mistake */
    uint8_t up_rank[256], down_rank[256];   /* of a port among those that lead to the same switch */
    uint8_t match[HD_MOST_PARALLEL];        /* the i-th cable of a pair by lower ports is this one by upper ports */
    uint8_t up_meets[256], down_meets[256]; /* rank at the other end that cables in a port have; 255: no majority */
    uint32_t cables;                        /* between its switches */
};

/* ASIDE: contradicts the levels or neighbourhoods. BRIDGE: so too, but what is behind it has no other connection. */
enum hd_wire { HD_WIRE_FINE, HD_WIRE_ASIDE, HD_WIRE_BRIDGE, HD_WIRE_SURPLUS };

struct hd_slot { /* a port; port 0: not known */
    uint32_t v;
    uint8_t port;
};

struct hd_expected { /* a cable that should be there */
    struct hd_slot at[2];
    bool used;     /* another fault covers it */
    bool doubtful; /* it may never have been: not reported as missing */
};

/* Ports that lead in one direction of a grid, and those at the other end of each (0: not known). */
struct hd_grid_ports {
    uint32_t n; /* 0: there is no rule */
    uint8_t port[HD_MOST_PARALLEL], far[HD_MOST_PARALLEL];
};

struct hd_grid_rule {
    uint32_t first[HD_MAX_DIM + 1]; /* directions of a dimension */
    struct hd_grid_ports *at;
    uint32_t channels, follow; /* between neighbours, and those that follow the rules; 0: there are none */
};

struct hd_wiring {
    struct hd_ctx *ctx;
    struct hd_arena *arena; /* scratch */
    struct hd_arena *keep;  /* of the result */
    const struct hd_net *net;
    bool tree;                                 /* nearly all cables connect adjacent levels */
    struct hd_grid_rule *grid;                 /* NULL: it is no grid */
    const struct hd_grouped_switches *grouped; /* NULL: it may not be a dragonfly */
    struct hd_group_rule *groups;              /* NULL: it is no dragonfly cabled by a rule */
    bool groups_compared;                      /* no rule, but the groups are alike enough to tell what one lacks */
    struct hd_hood *hood;
    uint32_t nhood;
    uint32_t *low, *high; /* [nsw] neighbourhood in which a switch is a lower, an upper one; HD_NOWHERE: none */
    uint32_t *nlow;       /* [nsw] ports of the upper switches that lead to this lower one, by rule */
    uint32_t *nhigh;      /* [nsw] ports of the lower switches that lead to this upper one */
    uint8_t *wire;        /* [nchan] enum hd_wire, the same in both directions */
    uint32_t *uneven;     /* [nsw] of the result: set with the cables of trees */
    struct hd_expected *lack;
    uint32_t nlack, lack_room;
    struct hd_cabling *out;
    struct hd_cabling_fault *fault;
    uint32_t nfault, fault_room;
    struct hd_lost_cable *lost;
    uint32_t nlost, lost_room;
};

/* The channel at a port, HD_NOWHERE: it is free. */
uint32_t hd_wiring_at(const struct hd_net *net, uint32_t v, uint32_t port);
/* Adds a fault; its gain must be set. */
hd_status hd_wiring_report(struct hd_wiring *w, const struct hd_cabling_fault *fault);
/* A switch is gone to which the lost cables from `first` on led, if most of their ports are open; else these cables are
 * not lost. */
hd_status hd_wiring_report_dead(struct hd_wiring *w, uint32_t first, uint32_t open);
struct hd_plug hd_plug_at(uint32_t v, uint32_t port);
/* Port of channel c at its tail. */
struct hd_plug hd_plug_of(const struct hd_net *net, uint32_t c);

/* The field-th number of a name from its end, 0 the last: its value, HD_NOWHERE: there is none; and where its digits
 * are. */
uint32_t hd_name_number(const char *name, uint32_t field, size_t *begin, size_t *end);
/* The name with another number in that place, in memory of the result; NULL: no memory. */
const char *hd_name_renumbered(struct hd_wiring *w, const char *name, uint32_t field, uint32_t number);

/* row_names.c: switches in the order of the ports that lead to them. */
struct hd_row {
    uint32_t n;
    uint32_t port[256], node[256]; /* the first port that leads there; HD_NOWHERE: nobody is there */
};

void hd_row_add(struct hd_row *row, uint32_t port, uint32_t node);
/* The place of a port that was added. */
uint32_t hd_row_place(const struct hd_row *row, uint32_t port);
/* What a switch in this place would be called, and the number in its name that counts; NULL: not known. Certain: it is
 * known that there was one, so the name need not prove it. */
const char *hd_row_name(struct hd_wiring *w, const struct hd_row *row, uint32_t place, bool certain, uint32_t *number);

/* hoods.c: sets tree, hood, low, high and marks cables that are set aside. */
hd_status hd_hoods_find(struct hd_wiring *w);
/* port_rule.c: fills the rules of all neighbourhoods, nlow and nhigh. */
void hd_port_rules_learn(struct hd_wiring *w);
/* By rule, the cable at port p of lower switch x ends at this port of the upper switch; 0: not known. */
uint8_t hd_rule_upper_port(const struct hd_hood *h, uint32_t x, uint32_t p);
/* By rule, the cable at port q of upper switch y begins at this port of the lower one; 0: not known. */
uint8_t hd_rule_lower_port(const struct hd_hood *h, uint32_t q, uint32_t y);
/* Ports that lead to v by this half of a rule, in list; returns how many. */
uint32_t hd_rule_ports(const uint32_t rule[256], uint32_t v, uint8_t list[256]);

/* judge_cables.c: swapped, wrong, extra and missing cables from those that are surplus (wire) and those that lack. */
struct hd_judge {
    struct hd_wiring *w;
    uint32_t *claim; /* [nchan] lacking cable that belongs into the port of this channel, plus one */
    bool *promised;  /* [nsw * 256] ports that a lacking cable has */
    /* Ports of v that the rules give to u, in list; returns how many. */
    uint32_t (*ports)(const struct hd_judge *k, uint32_t v, uint32_t u, uint8_t list[256]);
    const void *rule; /* for ports */
};

hd_status hd_judge_init(struct hd_wiring *w, struct hd_judge *k);
/* Whether a lacking cable may have this port: nobody else was promised it, and what is in it has to go. */
bool hd_judge_is_open(const struct hd_judge *k, uint32_t v, uint32_t port);
/* A cable should be there; its ports, where known, are promised to it. */
hd_status hd_judge_lacks(struct hd_judge *k, struct hd_slot a, struct hd_slot b);
/* Reports the faults: once, after all that lacks is known. */
hd_status hd_judge_cables(struct hd_judge *k);

/* tree_cables.c: surplus and lacking cables of trees, and what they add up to. */
hd_status hd_tree_cables_find(struct hd_wiring *w);
/* grid_rule.c: sets grid. */
hd_status hd_grid_rule_learn(struct hd_wiring *w);
/* The direction from u to v, which differ in one dimension; HD_NOWHERE: in more, or it is not learnt. */
uint32_t hd_grid_direction(const struct hd_wiring *w, uint32_t u, uint32_t v);
/* The direction from digit x to digit y of dimension i; HD_NOWHERE: it is not learnt. */
uint32_t hd_grid_direction_along(const struct hd_wiring *w, uint32_t i, uint32_t x, uint32_t y);
/* Whether a port leads in a direction. */
bool hd_grid_has(const struct hd_grid_ports *ports, uint8_t port);
/* Whether what a grid lacks, or has too much, between u and v is a fault: their places are no accident. */
bool hd_grid_is_evident(const struct hd_wiring *w, uint32_t u, uint32_t v);
/* grid_cables.c: the same for grids; switches that are gone. */
hd_status hd_grid_cables_find(struct hd_wiring *w);
/* dead_switches.c: switches that are gone, by the ports that nobody has a cable in. */
hd_status hd_dead_switches_find(struct hd_wiring *w);
/* shape_cables.c: cables that a shape lacks where no rule has a say: grids, and small trees. */
hd_status hd_shape_cables_find(struct hd_wiring *w);
/* group_rule.c: sets grouped and groups. */
hd_status hd_group_rule_learn(struct hd_wiring *w);
/* dragonfly_cables.c: the same for dragonflies cabled by a rule. */
hd_status hd_dragonfly_cables_find(struct hd_wiring *w);
/* group_cables.c: cables that the groups of other dragonflies lack. */
hd_status hd_group_cables_find(struct hd_wiring *w);
/* host_cables.c: adapters on the wrong rail, hosts in each other's place, hosts that are not there. */
hd_status hd_host_cables_find(struct hd_wiring *w);
/* slow_cables.c */
hd_status hd_slow_cables_find(struct hd_wiring *w);

#endif
