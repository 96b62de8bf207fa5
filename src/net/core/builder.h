/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rest of net needs of the builder beyond heddle/net.h. Texts and arrays are not copied: they must outlive
 * finish. */
#ifndef HD_NET_CORE_BUILDER_H
#define HD_NET_CORE_BUILDER_H

#include "base/arena.h"
#include "heddle/net.h"

/* Default link of generated networks. */
#define HD_LINK_DEFAULT ((uint8_t)24) /* 4xEDR */

/* How hosts and rails are found: "auto", "port", "none" or a regular expression (hosts.h). */
void hd_builder_rails(struct hd_builder *b, const char *rule);
/* Why the network has no shape; and, unless from is NULL, that hosts and rails are not found by a rule but those of
 * another network: endpoint e is its endpoint was[e]. */
void hd_builder_carry(struct hd_builder *b, const char *departs, const struct hd_net *from, const uint32_t *was);
/* The network was found, not drawn: hosts are sought by cabling too (hosts.h), and with kinds, adapters given as hosts
 * are sorted into kinds (kinds.h). */
void hd_builder_found(struct hd_builder *b, bool kinds);
/* Whether a switch is no part of the shape: no endpoint can be reached from it. */
void hd_builder_unplaced(struct hd_builder *b, uint32_t sw, bool unplaced);
/* Whether patterns and metrics use an endpoint; without this, compute hosts are selected and others are not. */
void hd_builder_select(struct hd_builder *b, uint32_t endpoint, bool selected);

#endif
