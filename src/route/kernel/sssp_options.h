/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-source shortest-path routing, for the engines that start from it. */
#ifndef HD_ROUTE_KERNEL_SSSP_OPTIONS_H
#define HD_ROUTE_KERNEL_SSSP_OPTIONS_H

#include "route/core/routes.h"
#include "route/kernel/shortest_paths.h"

enum hd_sssp_order { HD_SSSP_INDEX, HD_SSSP_RANDOM, HD_SSSP_LEAF };
enum hd_sssp_tie { HD_SSSP_FIRST, HD_SSSP_ANY };
enum hd_sssp_form { HD_SSSP_HEDDLE, HD_SSSP_OPENSM };

struct hd_sssp_opt {
    int order, tie; /* two of the enums above */
    bool minimal;
    uint64_t seed; /* 0: that of the context */
    int form;      /* enum hd_sssp_form */
};

/* clang-format off */
/* Parameter rows of an options struct that begins with a struct hd_sssp_opt. */
#define HD_SSSP_ORDER_ROWS                                                                                             \
    {"order", HD_WORD, "index", "destinations by number, at random, or leaf by leaf with the fullest leaf first",      \
     offsetof(struct hd_sssp_opt, order), 0, 0, "index|random|leaf", false},                                           \
    {"tie", HD_WORD, "first", "among equals take the lowest port, or any",                                             \
     offsetof(struct hd_sssp_opt, tie), 0, 0, "first|random", false},                                                  \
    {"seed", HD_UINT, "0", "of order=random and tie=random; 0: the seed of the command",                               \
     offsetof(struct hd_sssp_opt, seed), 0, 9007199254740991.0, NULL, false},                                          \
    {"form", HD_WORD, "heddle",                                                                                        \
     "opensm: the table of OpenSM's own engine, entry by entry, on a new subnet with LMC 0; other options of paths "   \
     "play no part then",                                                                                              \
     offsetof(struct hd_sssp_opt, form), 0, 0, "heddle|opensm", false}
#define HD_SSSP_MINIMAL_ROW                                                                                            \
    {"minimal", HD_FLAG, "on",                                                                                         \
     "shortest paths only, the least loaded of them; off: weights are 1 + load whatever the length",                   \
     offsetof(struct hd_sssp_opt, minimal), 0, 0, NULL, false}
/* clang-format on */

/* tie=random: the rank of link a among equals, the same in whatever order they are met; a salt per tree or path. */
static inline uint64_t hd_sssp_rank(uint64_t salt, uint32_t a)
{
    uint64_t x = (salt ^ a) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 29;
}
uint64_t hd_sssp_salt(uint64_t seed, uint64_t stream);

/* The order in which destinations are routed, into order[nep]. */
hd_status hd_sssp_order(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_sssp_opt *o, uint32_t *order);

/* How many sources of each switch count: all its endpoints but aggregation nodes. [nsw] */
void hd_sssp_sources(const struct hd_net *net, uint32_t *sources);
static inline bool hd_sssp_counts(const struct hd_net *net, uint32_t e)
{
    return net->ca_role[net->ca[e]] != HD_ROLE_AGGREGATION;
}

/* As OpenSM does it, entry by entry, towards switches too; HD_NA where its arithmetic does not suffice. */
hd_status hd_sssp_opensm(struct hd_ctx *ctx, const char *engine, const struct hd_links *links, struct hd_routes *r);

/* Fill the stored rows of r (one variant). */
hd_status hd_sssp_fill(struct hd_ctx *ctx, const struct hd_sssp_opt *o, const struct hd_shortest *s,
                       struct hd_routes *r);

#endif
