/* SPDX-License-Identifier: BSD-2-Clause */
/* Further LIDs of two tables, matched by endpoint and distance from its base LID: parts of a network that are subnets
 * of their own may share LIDs. */
#include "route/check/further_lids.h"
#include "base/status.h"
#include "net/core/lid_claims.h"

enum { MOST_LIDS = 1 << HD_MAX_LMC }; /* of an endpoint */

hd_status hd_further_lids(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *a,
                          const struct hd_routes *b, struct hd_further_lid **list, uint32_t *n)
{
    const struct hd_routes *const table[2] = {a, b};
    const size_t most = (size_t)a->nfurther + b->nfurther;
    struct hd_arena scratch = {0};
    uint32_t *at = HD_NEW(&scratch, uint32_t, (size_t)a->net->nep * MOST_LIDS); /* place in the list + 1 */
    struct hd_further_lid *out = HD_NEW(arena, struct hd_further_lid, most);
    *list = out;
    *n = 0;
    for (uint32_t side = 0; at && out && side < 2; side++)
        for (uint32_t i = 0; i < table[side]->nfurther; i++) {
            const uint32_t d = table[side]->further_dest[i], lid = table[side]->further_lid[i];
            const uint32_t base = table[side]->lid[a->net->nsw + d];
            uint32_t *place = &at[(size_t)d * MOST_LIDS + (lid - base) % MOST_LIDS];
            if (!*place) {
                out[*n] = (struct hd_further_lid){d, (uint16_t)lid, (uint16_t)base, {0, 0}};
                *place = ++*n;
            }
            out[*place - 1].row[side] = i + 1;
        }
    hd_arena_release(&scratch);
    return at && out ? HD_OK : hd_fail_memory(ctx);
}
