/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/edit/lids.h"
#include "base/status.h"

#include <string.h>

/* Whether the network's LIDs leave room for 2^lmc at every endpoint; taken has HD_MAX_LID + 1 places. */
static bool own_lids_fit(const struct hd_net *net, uint32_t lmc, bool *taken)
{
    memset(taken, 0, HD_MAX_LID + 1);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        uint32_t lid = net->lid[v], n = v < net->nsw ? 1 : 1u << lmc;
        if (lid == 0 || lid % n || lid + n - 1 > HD_MAX_LID) return false;
        for (uint32_t i = lid; i < lid + n; i++) {
            if (taken[i]) return false;
            taken[i] = true;
        }
    }
    return true;
}

static void fill_gaps(const struct hd_net *net, bool *taken, uint16_t *base)
{
    uint32_t next = 1, nodes = net->nsw + net->nep;
    memset(taken, 0, HD_MAX_LID + 1);
    for (uint32_t v = 0; v < nodes; v++) taken[base[v] = net->lid[v]] = true;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t v = i < net->nep ? net->nsw + i : i - net->nep;
        if (base[v]) continue;
        while (taken[next]) next++;
        base[v] = (uint16_t)next++;
    }
}

static void give_anew(const struct hd_net *net, uint32_t lmc, uint16_t *base)
{
    uint32_t low = (1u << lmc) - 1, behind = (net->nep + 1) << lmc;
    for (uint32_t e = 0; e < net->nep; e++) base[net->nsw + e] = (uint16_t)((e + 1) << lmc);
    for (uint32_t v = 0; v < net->nsw; v++) base[v] = (uint16_t)(v < low ? v + 1 : behind + v - low);
}

hd_status hd_lids_plan(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nvar,
                       struct hd_lids *out)
{
    struct hd_lids lids = {0};
    uint32_t nodes = net->nsw + net->nep;
    while (lids.lmc <= HD_MAX_LMC && 1u << lids.lmc < nvar) lids.lmc++;
    if (lids.lmc > HD_MAX_LMC)
        return hd_fail(ctx, HD_INPUT, "%u variants of a path, InfiniBand's LMC allows %u", nvar, 1u << HD_MAX_LMC);
    uint64_t low = (1u << lids.lmc) - 1, need = ((uint64_t)net->nep << lids.lmc) + (net->nsw > low ? net->nsw : low);
    bool *taken = HD_NEW(arena, bool, HD_MAX_LID + 1);
    lids.base = HD_NEW(arena, uint16_t, nodes);
    if (!taken || !lids.base) return hd_fail_memory(ctx);
    if (net->lmc > lids.lmc && own_lids_fit(net, net->lmc, taken)) {
        lids.lmc = net->lmc;
        memcpy(lids.base, net->lid, nodes * sizeof *lids.base);
    } else if (own_lids_fit(net, lids.lmc, taken)) {
        memcpy(lids.base, net->lid, nodes * sizeof *lids.base);
    } else if (need > HD_MAX_LID) {
        return hd_fail(ctx, HD_INPUT, "needs %llu LIDs (%u endpoints with %u each, %u switches), InfiniBand has %u",
                       (unsigned long long)need, net->nep, 1u << lids.lmc, net->nsw, HD_MAX_LID);
    } else if (lids.lmc == 0) {
        fill_gaps(net, taken, lids.base);
    } else {
        give_anew(net, lids.lmc, lids.base);
    }
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t last = lids.base[v] + (v < net->nsw ? 0 : (1u << lids.lmc) - 1);
        if (last > lids.last) lids.last = (uint16_t)last;
    }
    *out = lids;
    return HD_OK;
}
