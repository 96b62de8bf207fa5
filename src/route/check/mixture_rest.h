/* SPDX-License-Identifier: BSD-2-Clause */
/* What changes beside the paths of pairs: entries for LIDs of switches and for further LIDs of endpoints. */
#ifndef HD_ROUTE_CHECK_MIXTURE_REST_H
#define HD_ROUTE_CHECK_MIXTURE_REST_H

#include "route/core/routes.h"

struct hd_rest {
    uint64_t switch_loops,
        further_loops; /* LIDs with a mixture of old and new entries that loops, from a leaf switch */
    uint64_t
        unproved; /* LIDs whose entries differ, or that one table lacks, or further ones of which the new table sends
                        * more service levels to VL 15: loops apart, nothing is known of them */
    uint64_t cut; /* of them: the new table does not reach them from some leaf switch from which the old one does */
    uint64_t adaptive; /* LIDs whose entries or groups of ports differ, with such groups: nothing at all is known */
};

/* Entries for switches that neither table was given are those that follow from its entries for endpoints: their loops
 * are searched for where they change, and they do not count as unproved. Further LIDs that neither table was given
 * entries for have those of a variant, which is proved as such. O(such LIDs * switches). */
hd_status hd_rest_compare(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                          struct hd_rest *rest);

#endif
