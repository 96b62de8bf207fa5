/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of intermediate tables for LIDs of switches and for further LIDs of endpoints. Where both tables send a
 * further LID along the entries of a variant, the intermediate ones do too, and its mixtures are those that are proved.
 * Otherwise all of them have the row of the new table, or, if that was given none, of the old one: it then changes
 * once, in the first or in the last step. LIDs of switches beyond the base LID likewise, along the entries of the base
 * LID; and base LIDs: where the entries of the new table follow from its entries for endpoints, those of a step follow
 * from its own. */
#include "route/transition/step_rest.h"
#include "base/status.h"
#include "route/check/further_lids.h"
#include "route/core/switch_rows.h"

#include <string.h>

struct steps_rest {
    const struct hd_routes *old, *new;
    struct hd_arena arena;
    struct hd_further_lid *further;
    uint32_t nfurther;
    bool *follows; /* [nfurther] the entries of a variant, in both tables */
    struct hd_more_lid *more;
    uint32_t nmore;
    bool *more_follows; /* [nmore] the entries of the base LID, in both tables */
    uint16_t *lid;      /* [nsw+nep] base LIDs of both; NULL: steps repeat the entries for all that is above */
    bool *own_row;      /* [nsw] rows towards a switch that the new table was given; NULL: none */
};

static hd_status steps_lids(struct hd_ctx *ctx, struct steps_rest *k)
{
    const struct hd_routes *old = k->old, *new = k->new;
    const uint32_t nodes = new->net->nsw + new->net->nep;
    if (!(old->nfurther + new->nfurther + old->nmore + new->nmore)) return HD_OK;
    if (!(k->lid = HD_NEW(&k->arena, uint16_t, nodes))) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < nodes; v++)
        k->lid[v] = new->lid &&new->lid[v] ? new->lid[v] : old->lid ? old->lid[v] : (uint16_t)0;
    return HD_OK;
}

static hd_status steps_lids_fill(struct hd_ctx *ctx, const struct steps_rest *k, struct hd_routes *r)
{
    const size_t nodes = r->net->nsw + r->net->nep;
    if (!k->lid) return HD_OK;
    if (!(r->lid = HD_NEW(&r->arena, uint16_t, nodes))) return hd_fail_memory(ctx);
    memcpy(r->lid, k->lid, nodes * sizeof *r->lid);
    return HD_OK;
}

/* ---- further LIDs ----------------------------------------------------------------------------------- */

static bool further_repeats(const struct hd_routes *r, const struct hd_further_lid *f, uint32_t row, uint8_t *room)
{
    const size_t nsw = r->net->nsw;
    if (!row) return true;
    const uint8_t *variant = hd_routes_row(r, f->dest, hd_further_variant(f, r->nvar), room);
    return memcmp(r->further + (row - 1) * nsw, variant, nsw) == 0;
}

static hd_status further_init(struct hd_ctx *ctx, struct steps_rest *k)
{
    const struct hd_routes *old = k->old, *new = k->new;
    uint8_t *room = HD_NEW(&k->arena, uint8_t, new->net->nsw);
    if (!room) return hd_fail_memory(ctx);
    if (!old->nfurther && !new->nfurther) return HD_OK;
    HD_TRY(hd_further_lids(ctx, &k->arena, old, new, &k->further, &k->nfurther));
    k->follows = HD_NEW(&k->arena, bool, k->nfurther);
    if (!k->follows) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < k->nfurther; i++) {
        const struct hd_further_lid *f = &k->further[i];
        k->follows[i] = further_repeats(old, f, f->row[0], room) && further_repeats(new, f, f->row[1], room);
    }
    return HD_OK;
}

static hd_status further_fill(struct hd_ctx *ctx, const struct steps_rest *k, struct hd_routes *r)
{
    const size_t nsw = r->net->nsw, n = k->nfurther;
    if (!n) return HD_OK;
    r->further_dest = HD_NEW(&r->arena, uint32_t, n);
    r->further_lid = HD_NEW(&r->arena, uint16_t, n);
    r->further = HD_NEW(&r->arena, uint8_t, n * nsw);
    if (!r->further_dest || !r->further_lid || !r->further) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        const struct hd_further_lid *f = &k->further[i];
        const uint8_t *row = k->follows[i] ? hd_row(r, f->dest, hd_further_variant(f, r->nvar))
                             : f->row[1]   ? k->new->further + (f->row[1] - 1) * nsw
                                           : k->old->further + (f->row[0] - 1) * nsw;
        r->further_dest[i] = f->dest;
        r->further_lid[i] = f->lid;
        memcpy(r->further + i * nsw, row, nsw);
    }
    r->nfurther = (uint32_t)n;
    return HD_OK;
}

/* ---- switches ----------------------------------------------------------------------------------------- */

static bool switch_row_differs(const uint8_t *a, const uint8_t *b, size_t nsw, size_t t)
{
    return memcmp(a, b, t) != 0 || memcmp(a + t + 1, b + t + 1, nsw - t - 1) != 0;
}

static hd_status switches_init(struct hd_ctx *ctx, struct steps_rest *k)
{
    const size_t nsw = k->new->net->nsw;
    struct hd_routes plain = *k->new; /* what follows from its other entries */
    bool any = false;
    if (!k->new->switch_table) return HD_OK;
    uint8_t *rows = HD_NEW(&k->arena, uint8_t, nsw * nsw);
    bool *own = HD_NEW(&k->arena, bool, nsw);
    if (!rows || !own) return hd_fail_memory(ctx);
    plain.switch_table = NULL;
    HD_TRY(hd_switch_rows_fill(ctx, &plain, rows));
    for (size_t t = 0; t < nsw; t++) {
        own[t] = switch_row_differs(rows + t * nsw, k->new->switch_table + t *nsw, nsw, t);
        any |= own[t];
    }
    k->own_row = any ? own : NULL;
    return HD_OK;
}

static hd_status switches_fill(struct hd_ctx *ctx, const struct steps_rest *k, struct hd_routes *r)
{
    const size_t nsw = r->net->nsw;
    r->own_entry = k->new->own_entry;
    if (!k->own_row) return HD_OK;
    HD_TRY(hd_switch_rows_keep(ctx, r));
    for (size_t t = 0; t < nsw; t++)
        if (k->own_row[t]) memcpy(r->switch_table + t * nsw, k->new->switch_table + t *nsw, nsw);
    return HD_OK;
}

/* ---- LIDs of switches beyond the base LID --------------------------------------------------------------- */

static hd_status more_repeats(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_more_lid *m, uint32_t row,
                              uint8_t *room, bool *repeats)
{
    const size_t nsw = r->net->nsw;
    if (!row) return HD_OK;
    HD_TRY(hd_routes_switch_row(ctx, r, m->sw, room));
    *repeats &= r->more_own[row - 1] == (r->own_entry ? r->own_entry[m->sw] : HD_OWN_GOOD);
    *repeats &= !switch_row_differs(r->more + (row - 1) * nsw, room, nsw, m->sw);
    return HD_OK;
}

static hd_status more_init(struct hd_ctx *ctx, struct steps_rest *k)
{
    const struct hd_routes *old = k->old, *new = k->new;
    uint8_t *room = HD_NEW(&k->arena, uint8_t, new->net->nsw);
    if (!room) return hd_fail_memory(ctx);
    if (!old->nmore && !new->nmore) return HD_OK;
    HD_TRY(hd_more_lids(ctx, &k->arena, old, new, &k->more, &k->nmore));
    if (!(k->more_follows = HD_NEW(&k->arena, bool, k->nmore))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < k->nmore; i++) {
        const struct hd_more_lid *m = &k->more[i];
        k->more_follows[i] = true;
        HD_TRY(more_repeats(ctx, old, m, m->row[0], room, &k->more_follows[i]));
        HD_TRY(more_repeats(ctx, new, m, m->row[1], room, &k->more_follows[i]));
    }
    return HD_OK;
}

/* After the entries for base LIDs. */
static hd_status more_fill(struct hd_ctx *ctx, const struct steps_rest *k, struct hd_routes *r)
{
    const size_t nsw = r->net->nsw, n = k->nmore;
    if (!n) return HD_OK;
    r->more_switch = HD_NEW(&r->arena, uint32_t, n);
    r->more_lid = HD_NEW(&r->arena, uint16_t, n);
    r->more_own = HD_NEW(&r->arena, uint16_t, n);
    r->more = HD_NEW(&r->arena, uint8_t, n * nsw);
    if (!r->more_switch || !r->more_lid || !r->more_own || !r->more) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        const struct hd_more_lid *m = &k->more[i];
        const struct hd_routes *of = m->row[1] ? k->new : k->old;
        const size_t at = (m->row[1] ? m->row[1] : m->row[0]) - 1;
        r->more_switch[i] = m->sw;
        r->more_lid[i] = m->lid;
        r->more_own[i] = of->more_own[at];
        memcpy(r->more + i * nsw, of->more + at * nsw, nsw);
        if (!k->more_follows[i]) continue;
        r->more_own[i] = r->own_entry ? r->own_entry[m->sw] : HD_OWN_GOOD;
        HD_TRY(hd_routes_switch_row(ctx, r, m->sw, r->more + i * nsw));
    }
    r->nmore = (uint32_t)n;
    return HD_OK;
}

hd_status hd_steps_rest(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                        struct hd_routes *const *step, uint32_t n)
{
    struct steps_rest k = {.old = old, .new = new};
    if (!n) return HD_OK;
    hd_status s = steps_lids(ctx, &k);
    if (s == HD_OK) s = further_init(ctx, &k);
    if (s == HD_OK) s = switches_init(ctx, &k);
    if (s == HD_OK) s = more_init(ctx, &k);
    for (uint32_t i = 0; s == HD_OK && i < n; i++) {
        s = steps_lids_fill(ctx, &k, step[i]);
        if (s == HD_OK) s = further_fill(ctx, &k, step[i]);
        if (s == HD_OK) s = switches_fill(ctx, &k, step[i]);
        if (s == HD_OK) s = more_fill(ctx, &k, step[i]);
    }
    hd_arena_release(&k.arena);
    return s;
}
