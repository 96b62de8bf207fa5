/* SPDX-License-Identifier: BSD-2-Clause */
/* LIDs of two tables that are not those of variants or base LIDs, matched by their node too: parts of a network that
 * are subnets of their own may share LIDs. */
#include "route/check/further_lids.h"
#include "base/keyed.h"
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

static uint64_t more_lids_key(const struct hd_routes *r, uint32_t i)
{
    return (uint64_t)r->more_switch[i] << 16 | r->more_lid[i];
}

hd_status hd_more_lids(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *a, const struct hd_routes *b,
                       struct hd_more_lid **list, uint32_t *n)
{
    struct hd_keyed *of_a = HD_NEW(arena, struct hd_keyed, a->nmore);
    struct hd_more_lid *out = HD_NEW(arena, struct hd_more_lid, (size_t)a->nmore + b->nmore);
    if (!of_a || !out) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < a->nmore; i++) {
        out[i] = (struct hd_more_lid){a->more_switch[i], a->more_lid[i], {i + 1, 0}};
        of_a[i] = (struct hd_keyed){more_lids_key(a, i), i};
    }
    hd_keyed_sort(of_a, a->nmore, sizeof *of_a);
    *list = out;
    *n = a->nmore;
    for (uint32_t i = 0; i < b->nmore; i++) {
        const uint32_t at = hd_find_key(of_a, a->nmore, sizeof *of_a, more_lids_key(b, i));
        if (at < a->nmore)
            out[of_a[at].value].row[1] = i + 1;
        else
            out[(*n)++] = (struct hd_more_lid){b->more_switch[i], b->more_lid[i], {0, i + 1}};
    }
    return HD_OK;
}
