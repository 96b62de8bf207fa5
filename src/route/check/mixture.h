/* SPDX-License-Identifier: BSD-2-Clause */
/* All mixtures of the entries of two tables, as they occur while one replaces the other. */
#ifndef HD_ROUTE_CHECK_MIXTURE_H
#define HD_ROUTE_CHECK_MIXTURE_H

#include "route/core/routes.h"

struct hd_mix {
    const struct hd_routes *from, *to; /* whose entries are mixed; of one network, with equally many variants */
    const struct hd_routes *vl[2];     /* whose VLs and selection pairs use, all at once; the second may be NULL */
    const bool *idle;                  /* [nep] destinations that receive nothing; NULL: none */
};

/* HD_USAGE or HD_INPUT for tables that cannot be mixed: of different networks, or with different LIDs. */
hd_status hd_mix_comparable(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to);
/* Proves or disproves that every mixture is safe, with all packets of aggregation nodes or, where that fails, with
 * those that a check counts (aggregation_covered); old_levels of the result is true, pairs and vls_changed are not set.
 * O(table). */
hd_status hd_mix_prove(struct hd_ctx *ctx, const struct hd_mix *mix, struct hd_mixture *result);
/* Sets pairs and vls_changed. */
hd_status hd_mix_count_vls(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                           struct hd_mixture *result);

#endif
