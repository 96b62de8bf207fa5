/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rest of net needs of the builder beyond heddle/net.h. */
#ifndef HD_NET_CORE_BUILDER_H
#define HD_NET_CORE_BUILDER_H

#include "base/arena.h"
#include "heddle/net.h"

/* Default link of generated networks. */
#define HD_LINK_DEFAULT ((uint8_t)24) /* 4xEDR */

/* How hosts and rails are found: "auto", "port", "none" or a regular expression (hosts.h). The text
 * must outlive finish. */
void hd_builder_rails(struct hd_builder *b, const char *rule);

struct hd_cable { /* between two switches */
    uint32_t u, v;
    uint8_t uport, vport, link;
};

/* What of a network to keep; NULL keeps all. A cable is kept when both its channels are. */
struct hd_keep {
    const bool *sw;   /* [nsw] */
    const bool *ep;   /* [nep]; an endpoint also goes with its switch or cable */
    const bool *chan; /* [nchan] */
    bool (*selected)(const struct hd_net *net, uint32_t e, void *user); /* may be NULL: as before */
    void *user;
    const char *rails; /* find hosts and rails anew by this rule; NULL: they stay what they were */
    /* Structure instead of that of net, by its node numbers; NULL: as before. A shape brings its coord. */
    const uint8_t *level; /* [nsw+nep] */
    const struct hd_shape *shape;
    const uint16_t *coord; /* [(nsw+nep) * shape->n] */
    const char *departs;
    const uint16_t *lid; /* [nsw+nep] LIDs instead of those of net, and the LMC that goes with them; NULL: as before */
    uint8_t lmc;
    const uint8_t *link;        /* [nchan] rates instead of those of net; NULL: as before */
    const struct hd_cable *add; /* [nadd] cables to put in, by the node numbers of net; with sw NULL only */
    uint32_t nadd;
};

/* A new network with the parts of net that keep names. Shape, coordinates and rail numbers stay unless
 * keep brings others; shape.missing is counted anew. Adapters and hosts whose last endpoint went go too. */
hd_status hd_net_copy(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_keep *keep, const char *spec,
                      struct hd_net **out);

#endif
