/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/hosts.h"
#include "base/status.h"

hd_status hd_hosts_group(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_net *net)
{
    uint32_t *host = HD_NEW(arena, uint32_t, net->nep), *at = HD_NEW(arena, uint32_t, net->nca);
    uint8_t *rail = HD_NEW(arena, uint8_t, net->nep);
    uint8_t *next = HD_NEW(arena, uint8_t, net->nca);
    if (!host || !at || !rail || !next) return hd_fail_memory(ctx);
    for (uint32_t a = 0; a < net->nca; a++) at[a] = net->name_at[net->nsw + a];
    net->nrail = 0;
    for (uint32_t e = 0; e < net->nep; e++) {
        host[e] = net->ca[e];
        rail[e] = next[net->ca[e]]++;
        if (rail[e] >= net->nrail) net->nrail = rail[e] + 1u;
    }
    net->nhost = net->nca;
    net->host = host;
    net->rail = rail;
    net->hname_at = at;
    return HD_OK;
}
