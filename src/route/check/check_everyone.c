/* SPDX-License-Identifier: BSD-2-Clause */
/* Proofs for all endpoints. The check has them selected on a shallow copy of network and routes: which endpoints are
 * selected is no part of any array but the list itself, so nothing else has to be made again. O(endpoints) beside the
 * check. */
#include "route/check/check_everyone.h"
#include "base/status.h"
#include "route/core/routes.h"

bool hd_everyone_counts(const struct hd_net *net)
{
    uint32_t next = 0;
    for (uint32_t e = 0; e < net->nep; e++) {
        const bool selected = next < net->nsel && net->sel[next] == e;
        next += selected;
        if (!selected && net->ca_role[net->ca[e]] == HD_ROLE_HOST) return false;
    }
    return true;
}

uint32_t hd_proof_endpoints(const struct hd_net *net, bool *counts)
{
    const bool all = hd_everyone_counts(net);
    for (uint32_t e = 0; e < net->nep; e++) counts[e] = all;
    for (uint32_t i = 0; i < net->nsel; i++) counts[net->sel[i]] = true;
    return all ? net->nep : net->nsel;
}

void hd_proof_kinds(const struct hd_net *net, uint8_t *kind)
{
    const bool all = hd_everyone_counts(net);
    for (uint32_t e = 0; e < net->nep; e++) {
        const bool aggregation = net->ca_role[net->ca[e]] == HD_ROLE_AGGREGATION;
        kind[e] = !all ? HD_PROOF_NOT : aggregation ? HD_PROOF_AGGREGATION : HD_PROOF_OTHER;
    }
    for (uint32_t i = 0; i < net->nsel; i++) kind[net->sel[i]] = HD_PROOF_SELECTED;
}

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
