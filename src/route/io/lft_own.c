/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches have for LIDs of their own: an entry that sends such a packet on, or none, loses what arrives there. A
 * list in the order of the file, sorted once; O(log n) per look-up. */
#include "base/status.h"
#include "route/io/lft_reader.h"

#include <stdlib.h>

hd_status hd_lft_keep_own(struct lft_reader *r, uint32_t v, uint32_t lid, uint32_t port)
{
    if (!HD_MORE(r->a, r->own, r->nown, r->own_room)) return hd_fail_memory(r->ctx);
    r->own[r->nown++] = (struct lft_own){v, lid, (uint16_t)port};
    return HD_OK;
}

static int own_by_place(const void *one, const void *two)
{
    const struct lft_own *a = one, *b = two;
    return a->v != b->v ? (a->v < b->v ? -1 : 1) : (a->lid > b->lid) - (a->lid < b->lid);
}

void hd_lft_own_sort(struct lft_reader *r)
{
    uint32_t n = 0;
    if (r->nown) qsort(r->own, r->nown, sizeof *r->own, own_by_place);
    for (uint32_t i = 0; i < r->nown; i++) {
        if (!n || own_by_place(&r->own[n - 1], &r->own[i]) != 0)
            r->own[n++] = r->own[i];
        else if (r->own[i].port > r->own[n - 1].port)
            r->own[n - 1].port = r->own[i].port;
    }
    r->nown = n;
}

uint16_t hd_lft_own_at(const struct lft_reader *r, uint32_t v, uint32_t lid)
{
    const struct lft_own wanted = {v, lid, 0};
    const struct lft_own *at = r->nown ? bsearch(&wanted, r->own, r->nown, sizeof *r->own, own_by_place) : NULL;
    return !r->seen[v] ? HD_OWN_GOOD : at ? at->port : HD_OWN_NONE;
}
