/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive routing: the proof over all choices that the groups of a table allow. */
#ifndef HD_ROUTE_CHECK_CHECK_CHOICES_H
#define HD_ROUTE_CHECK_CHECK_CHOICES_H

#include "route/check/check_credit.h"

struct hd_choice_job {
    const struct hd_routes *r;
    const uint8_t *dist;      /* [leaf * nsw + v] */
    const uint8_t *kind;      /* [nep] enum hd_proof_kind */
    bool *mixed;              /* set if choices towards some destination are made in several VLs */
    struct hd_credit *credit; /* what the check of static ports collected: the dependencies of choices are added */
};

/* Sets choices of the check but for deadlock_free. credit->turned is set if levels do not suffice: the dependencies of
 * the static ports are needed, and this must be called again with them. */
hd_status hd_check_choices(struct hd_ctx *ctx, const struct hd_choice_job *job, struct hd_check *check);
/* Then: looks for a cycle among all dependencies, and for pairs that cause it. */
hd_status hd_check_choices_cycle(struct hd_ctx *ctx, const struct hd_choice_job *job, struct hd_check *check);

#endif
