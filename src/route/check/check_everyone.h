/* SPDX-License-Identifier: BSD-2-Clause */
/* Proofs for all endpoints, selected or not. */
#ifndef HD_ROUTE_CHECK_CHECK_EVERYONE_H
#define HD_ROUTE_CHECK_CHECK_EVERYONE_H

#include "heddle/route.h"

/* Whether a proof is about all endpoints. By default only those of compute hosts are selected, which is right for
 * bandwidth and wrong for a proof: storage and routers receive packets too. If a compute host is not selected, somebody
 * chose (--endpoints, --rail), and only what was chosen counts. O(endpoints). */
bool hd_everyone_counts(const struct hd_net *net);
/* The endpoints that a proof is about, into counts[nep]; returns their number. */
uint32_t hd_proof_endpoints(const struct hd_net *net, bool *counts);

/* What a proof does with an endpoint. */
enum hd_proof_kind {
    HD_PROOF_SELECTED,
    HD_PROOF_OTHER,       /* of storage, management, a router or a gateway, not selected: proved all the same */
    HD_PROOF_AGGREGATION, /* of an aggregation node, not selected: it must be reached from switches nearby */
    HD_PROOF_NOT,         /* somebody chose, and not this one */
    HD_PROOF_KINDS
};
/* kind[nep] of each endpoint. O(endpoints). */
void hd_proof_kinds(const struct hd_net *net, uint8_t *kind);
/* Whether packets from s to d, of which d counts, are those of an aggregation node. */
static inline bool hd_proof_aggregates(const uint8_t *kind, uint32_t s, uint32_t d)
{
    return kind[s] != HD_PROOF_NOT && (kind[s] == HD_PROOF_AGGREGATION || kind[d] == HD_PROOF_AGGREGATION);
}

/* As hd_routes_check, with every endpoint selected: what a subnet manager hands over serves routers and aggregation
 * nodes too. */
hd_status hd_routes_check_everyone(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *check);

#endif
