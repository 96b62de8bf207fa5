/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive routing in a table: beside its static port, an entry may have a group, a set of ports of which the switch
 * takes any, packet by packet. A switch has few different sets, so an entry holds the number of one. */
#ifndef HD_ROUTE_CORE_GROUPS_H
#define HD_ROUTE_CORE_GROUPS_H

#include "route/core/routes.h"
#include "route/core/routes_view.h"

enum { HD_SET_WORDS = 4, HD_MAX_GROUPS = 65535 };

struct hd_port_set { /* slots of a switch */
    uint64_t word[HD_SET_WORDS];
};

struct hd_switch_groups {
    uint32_t n, room;
    struct hd_port_set *set; /* [n] group g is set[g - 1] */
    uint32_t places;         /* of index, a power of two; 0: there are few groups */
    uint32_t *index;         /* groups by their sets, 0: free */
};

struct hd_groups {
    struct hd_switch_groups *at; /* [nsw] */
    uint16_t *of;                /* [(d * nvar + x) * nsw + v] group of an entry, 0: its static port alone */
    uint8_t *state;              /* as above, enum hd_lid_state; NULL: all are free */
    /* Of the entries for LIDs that no pair is routed by: further ones and those of switches, the base LIDs and more. */
    struct hd_group_rows {
        uint16_t *of;
        uint8_t *state;
    } further, switches, more;
};

/* Groups for a stored table, none yet. */
hd_status hd_groups_make(struct hd_ctx *ctx, struct hd_routes *r);
/* The number of the group of switch v with these ports, made if it is new. */
hd_status hd_groups_number(struct hd_ctx *ctx, struct hd_routes *r, uint32_t v, const struct hd_port_set *set,
                           uint16_t *number);
/* Gives the entry of switch v towards d the set, unless it is the static port and no more. */
hd_status hd_groups_set(struct hd_ctx *ctx, struct hd_routes *r, uint32_t d, uint32_t v, const struct hd_port_set *set);

static inline void hd_set_add(struct hd_port_set *s, uint32_t slot)
{
    s->word[slot / 64] |= (uint64_t)1 << slot % 64;
}

static inline bool hd_set_has(const struct hd_port_set *s, uint32_t slot)
{
    return s->word[slot / 64] >> slot % 64 & 1;
}

static inline uint32_t hd_set_count(const struct hd_port_set *s)
{
    uint32_t n = 0;
    for (int i = 0; i < HD_SET_WORDS; i++) n += (uint32_t)__builtin_popcountll(s->word[i]);
    return n;
}

/* Takes the lowest slot out of a set: its number, HD_SLOT_NONE if the set is empty. */
static inline uint32_t hd_set_take(struct hd_port_set *s)
{
    for (uint32_t i = 0; i < HD_SET_WORDS; i++) {
        if (!s->word[i]) continue;
        const uint32_t slot = i * 64 + (uint32_t)__builtin_ctzll(s->word[i]);
        s->word[i] &= s->word[i] - 1;
        return slot;
    }
    return HD_SLOT_NONE;
}

/* The ports that switch v may take, given the entries of all switches and their groups (NULL: none); only those that
 * have a channel. */
static inline struct hd_port_set hd_choices(const struct hd_routes *r, const uint8_t *row, const uint16_t *of,
                                            uint32_t v)
{
    struct hd_port_set set = {{0}};
    if (of && of[v]) return r->groups->at[v].set[of[v] - 1];
    if (row[v] < hd_degree(r->net, v)) hd_set_add(&set, row[v]);
    return set;
}

/* The groups of all entries for (d, x); NULL without groups. */
static inline const uint16_t *hd_group_row(const struct hd_routes *r, uint32_t d, uint32_t x)
{
    return r->groups ? r->groups->of + ((size_t)d * r->nvar + x) * r->net->nsw : NULL;
}

#endif
