/* SPDX-License-Identifier: BSD-2-Clause */
/* All endpoints selected, on a shallow copy of network and routes: which endpoints are selected is no part of any
 * array but the list itself, so nothing else has to be made again. */
#include "route/check/check_everyone.h"
#include "base/status.h"
#include "route/core/routes.h"

hd_status hd_routes_check_everyone(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *check)
{
    if (r->net->nsel == r->net->nep) return hd_routes_check(ctx, r, check);
    struct hd_arena scratch = {0};
    struct hd_net net = *r->net;
    struct hd_routes routes = *r;
    uint32_t *all = HD_NEW(&scratch, uint32_t, net.nep);
    if (!all) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net.nep; e++) all[e] = e;
    net.nsel = net.nep;
    net.sel = all;
    routes.net = &net;
    const hd_status s = hd_routes_check(ctx, &routes, check);
    hd_arena_release(&scratch);
    return s;
}
