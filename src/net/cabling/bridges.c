/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables that contradict the levels are set aside, but those that something hangs on are not (hoods.c). O(ports). */
#include "net/cabling/bridges.h"

bool hd_cabling_is_bridge(const struct hd_net *net, const struct hd_cabling *cabling, const struct hd_cabling_fault *f)
{
    if (f->kind != HD_CABLING_EXTRA) return false;
    uint32_t c = net->off[f->from.node];
    while (net->port[c] != f->from.port) c++;
    const uint32_t v = net->level[net->tail[c]], u = net->level[net->head[c]];
    return v + 1 != u && u + 1 != v && !cabling->aside[c];
}
