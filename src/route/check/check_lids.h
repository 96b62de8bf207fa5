/* SPDX-License-Identifier: BSD-2-Clause */
/* The LIDs of a table that no pair is routed by. */
#ifndef HD_ROUTE_CHECK_CHECK_LIDS_H
#define HD_ROUTE_CHECK_CHECK_LIDS_H

#include "route/check/check_credit.h"
#include "route/core/switch_distance.h"

struct hd_lid_job {
    const uint8_t *dist;             /* [leaf * nsw + v] */
    const uint8_t *kind;             /* [nep] enum hd_proof_kind */
    const struct hd_credit *pairs;   /* what the check of pairs collected */
    const struct hd_credit *further; /* that of further LIDs, in one VL; NULL: there is none */
};

/* Sets further and switches of the check. *turned: pairs were proved by levels alone, but these paths turn from down to
 * up: the dependencies of pairs are needed after all, and this must be called again with them. */
hd_status hd_check_lids(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_lid_job *job,
                        struct hd_check *check, bool *turned);

#endif
