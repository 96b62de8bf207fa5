/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of switches in words: how many of which size, and whether nearly all of them are cabled to each other. Cost:
 * that of finding them (switch_groups.h). */
#include "net/describe/groups_text.h"
#include "base/status.h"
#include "net/core/switch_groups.h"

#include <stdio.h>

/* Whether three quarters of the pairs of groups have a cable. */
static hd_status groups_meet(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net,
                             const struct hd_grouped_switches *g, bool *meet)
{
    enum { MOST = 4096 }; /* 16 MB */
    uint64_t pairs = 0, n = g->used;
    *meet = false;
    if (n > MOST) return HD_OK;
    uint8_t *cabled = HD_NEW(scratch, uint8_t, n * n);
    if (!cabled) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) continue;
        uint32_t a = g->of[net->tail[c]], b = g->of[net->head[c]];
        if (a == b || a >= n || cabled[a * n + b]) continue;
        cabled[a * n + b] = 1;
        pairs++;
    }
    *meet = pairs * 4 >= n * (n - 1) * 3;
    return HD_OK;
}

hd_status hd_switch_groups_text(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, char *text,
                                size_t size)
{
    struct hd_grouped_switches g;
    uint32_t *order = HD_NEW(scratch, uint32_t, net->nsw), least, most;
    bool meet;
    *text = 0;
    if (!order) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) order[v] = v;
    HD_TRY(hd_switch_groups_find(ctx, scratch, net, order, &g));
    if (!g.n) return HD_OK;
    HD_TRY(groups_meet(ctx, scratch, net, &g, &meet));
    least = most = g.size[0];
    for (uint32_t k = 1; k < g.used; k++) {
        if (g.size[k] < least) least = g.size[k];
        if (g.size[k] > most) most = g.size[k];
    }
    int at = snprintf(text, size, "%s%u groups of %u",
                      !meet    ? ""
                      : g.flat ? "dragonfly: "
                               : "dragonfly+: ",
                      g.used, least);
    snprintf(text + at, size - (size_t)at, least < most ? " to %u switches" : " switches", most);
    return HD_OK;
}
