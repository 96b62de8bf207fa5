/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct hd_routes, for engines that write it and for kernels that read it fast. */
#ifndef HD_ROUTE_CORE_ROUTES_H
#define HD_ROUTE_CORE_ROUTES_H

#include "route/core/routes_build.h"

/* Routes that are computed when asked for instead of stored. */
struct hd_form {
    void (*row)(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *row);
    /* As hd_routes_path. */
    uint32_t (*path)(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t *chan);
};

/* The entry of a switch for its own LID is port 0; a file may have another port, none, or a group to choose from. */
enum { HD_OWN_GOOD = 0, HD_OWN_NONE = 255, HD_OWN_CHOSEN = 256 };

enum { HD_LEVEL_UNKNOWN = 16 }; /* in place of a service level, of 0 to 15 */

struct hd_routes {
    const struct hd_net *net;
    const char *spec;
    uint32_t nvar;
    enum hd_select select;
    uint8_t *table; /* stored: [(d * nvar + x) * nsw + v]; NULL: form */
    const struct hd_form *form;
    void *data;             /* of the form */
    uint16_t *source_class; /* [nep] HD_SELECT_SOURCE */
    uint16_t *pair_variant; /* [s * nep + d] HD_SELECT_PAIR */
    uint8_t *switch_table;  /* [t * nsw + v] given entries towards switches; NULL: derived */
    bool no_switch_lids;    /* a file that gave none */
    uint16_t *own_entry;    /* [nsw] port, HD_OWN_NONE or HD_OWN_CHOSEN; NULL: all are good */
    uint16_t *lid;          /* [nsw+nep] base LIDs by the file, 0: not in it; NULL: the table was not read from one */
    uint8_t *lmc_of; /* [nep] LMCs by the file, of endpoints that are in it; NULL: as lid, or not known any more */
    /* Entries of a file for LIDs of endpoints that are not variants, which no pair uses: checked, and no more. */
    uint32_t nfurther, *further_dest; /* [nfurther] endpoints */
    uint16_t *further_lid;            /* [nfurther] */
    uint8_t *further;                 /* [nfurther * nsw] */

    /* Likewise for LIDs of switches beyond the base LID (LMC of an enhanced port 0). */
    uint32_t nmore, *more_switch; /* [nmore] */
    uint16_t *more_lid;           /* [nmore] */
    uint16_t *more_own;           /* [nmore] as own_entry */
    uint8_t *more;                /* [nmore * nsw] */

    struct hd_groups *groups; /* ports that switches choose among (groups.h); NULL: every entry is static */

    enum hd_lane_rule lane_rule;
    uint32_t nlanes;    /* 0: unknown */
    uint8_t *dest_lane; /* [d * nvar + x] HD_LANE_DEST */
    uint8_t *leaf_lane; /* [(leaf * nep + d) * nvar + x] HD_LANE_LEAF; HD_LANE_HOP: service levels, */
    uint8_t *pair_lane; /* [(s * nep + d) * nvar + x] HD_LANE_PAIR; HD_LANE_HOP: levels where there are no leaf_lane */
    struct hd_sl2vl *sl2vl; /* HD_LANE_HOP, of all ports; HD_LANE_UNKNOWN: what is known of them, NULL: nothing; other
                             * rules: a file had them, and one is that of all ports */
    /* Service levels where they are not the VLs, at most one list, as lanes above; HD_LEVEL_UNKNOWN: of a pair that has
     * none. Without a list levels are not known if VLs are not, or if there is one VL and SL2VL tables. */
    uint8_t *leaf_level, *pair_level;
    uint32_t nleaf;
    uint32_t *leaf_of; /* [nsw] number among the switches with endpoints, UINT32_MAX: none */
    uint32_t *leaf;    /* [nleaf] the switches with endpoints, increasing */
    uint64_t read;     /* digest of the files that the engine has read */
    double other_cpu;  /* CPU seconds of another program that made them, 0: none did */

    struct hd_arena arena; /* of all arrays above, not of the struct itself */
};

/* Rows computed by form from data, which lives in the arena of r. */
void hd_routes_form(struct hd_routes *r, uint32_t nvar, const struct hd_form *form, void *data);
/* Exchanges the contents of two routes of the same network. */
void hd_routes_swap(struct hd_routes *a, struct hd_routes *b);
/* As hd_routes_switch_row, with scratch of nsw entries each from the caller. */
void hd_routes_switch_row_in(const struct hd_routes *r, uint32_t t, uint8_t *buf, uint8_t *dist, uint32_t *queue);

/* As hd_routes_path, along the entries of a row. */
uint32_t hd_row_path(const struct hd_net *net, const uint8_t *row, uint32_t s, uint32_t d, uint32_t chan[HD_MAX_HOPS]);

/* The service level of packets from s to d by variant x, or HD_LEVEL_UNKNOWN. */
uint32_t hd_routes_level(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x);

/* Whether packets from s to d use variant x. */
static inline bool hd_routes_uses(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    return (r->select != HD_SELECT_SOURCE && r->select != HD_SELECT_PAIR) || hd_routes_variant(r, s, d) == x;
}

static inline uint8_t *hd_row(struct hd_routes *r, uint32_t d, uint32_t x)
{
    return r->table + ((size_t)d * r->nvar + x) * r->net->nsw;
}

#endif
