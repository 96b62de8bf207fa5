/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/design.h - candidate fabrics for a number of endpoints: counts, cost and bandwidth.
 *
 * Threads. One context per concurrent call; a design does not change and may be shared. */
#ifndef HEDDLE_DESIGN_H
#define HEDDLE_DESIGN_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hd_design_in {
    uint64_t endpoints, radix, rails; /* rails: adapters of a host, 1 where they do not matter */
    const char *prices;               /* price file; NULL: the built-in prices */
    const char *racks;                /* rack plan, key=value,...; NULL: lengths are not known */
};

/* What things cost and draw; the currency is the user's. */
struct hd_design_prices {
    double switch_port, switch_port_watts;     /* a switch, per port */
    double copper, copper_metre, copper_watts; /* a cable with its two plugs; per metre; both ends */
    double copper_reach;                       /* metres */
    double optic, optic_watts;                 /* a transceiver: two per cable */
    double fibre, fibre_metre;                 /* a fibre with its connectors; per metre */
    char currency[16];
};

struct hd_design_row {
    const char *family; /* "2-level tree 1:1" */
    const char *spec;   /* of the whole fabric, canonical */
    uint32_t endpoints, switches, cables, switch_cables, planes;
    uint32_t copper, optical; /* cables of each kind */
    uint32_t optics;          /* transceivers: two per optical cable */
    double metres;            /* of all cables; NAN without a rack plan */
    double longest;           /* cable; NAN without a rack plan */
    double watts, cost;
    const char *table;  /* the routing behind the figures */
    double ebb, ebb_ci; /* share of the rate of a port; full width of the 99 % interval */
    uint64_t samples;
    double worst;                  /* flows on a channel in the worst permutation; NAN: too much work */
    const char *lost, *lost_table; /* the switch whose loss is evaluated, and the routing after it */
    double ebb_lost, ebb_lost_ci;  /* NAN: too much work, or fewer than two endpoints are left */
    uint64_t grows_to;             /* endpoints that fit if switches are added and none of those here is replaced */
    uint32_t lids;                 /* of one subnet */
    bool pareto;                   /* no other row costs less and has more EBB */
    const char *eval, *eval_worst, *eval_lost; /* commands that give these figures; NULL: not measured */
};

struct hd_design {
    uint32_t nrow, nnote;
    struct hd_design_row *row; /* by increasing cost */
    const char **note;         /* what was left out and why, what to know */
    void *arena;               /* private */
    struct hd_design_prices prices;
    struct hd_design_in in;
};

/* Candidates are generated, counted and measured; work is predicted from sizes, never timed. */
HD_API hd_status hd_design_make_sized(struct hd_ctx *ctx, const struct hd_design_in *in, size_t in_size,
                                      struct hd_design **design);
static inline hd_status hd_design_make(struct hd_ctx *ctx, const struct hd_design_in *in, struct hd_design **design)
{
    return hd_design_make_sized(ctx, in, sizeof *in, design);
}
HD_API void hd_design_free(struct hd_design *design);
/* The keys of a rack plan, for help. */
HD_API const struct hd_desc *hd_design_racks(void);
/* EBB over cost, one dot per row, as a picture of its own. */
HD_API hd_status hd_design_chart(struct hd_ctx *ctx, const struct hd_design *design, struct hd_out *o);

#ifdef __cplusplus
}
#endif
#endif
