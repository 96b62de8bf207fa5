/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric behind tests/data/opensm/t4.*: T(4+4,8) with the GUIDs, LIDs, names and ports that the
 * files there have. */
#ifndef T4_H
#define T4_H

#include "heddle.h"

#include <stdio.h>

static inline hd_status make_t4(struct hd_ctx *ctx, struct hd_net **net)
{
    struct hd_builder *b;
    uint32_t sw[12];
    char name[16];
    hd_status s = hd_builder_make(ctx, &b);
    if (s != HD_OK) return s;
    hd_builder_shape(b, &(struct hd_shape){.kind = HD_SHAPE_TREE, .n = 2, .m = {4, 8}, .w = {1, 4}, .p = {1, 1}});
    for (uint32_t v = 0; v < 12; v++) {
        snprintf(name, sizeof name, "L%d-%04u", v < 8 ? 1 : 2, v);
        sw[v] = hd_builder_switch(b, &(struct hd_switch_in){.name = name,
                                                            .guid = 0x0002c90000100000 + v,
                                                            .nports = 8,
                                                            .lid = (uint16_t)(33 + v),
                                                            .level = v < 8 ? 1 : 2});
        hd_builder_coord(b, sw[v], (uint16_t[]){0, (uint16_t)(v < 8 ? v : v - 8)});
    }
    for (uint32_t e = 0; e < 32; e++) {
        snprintf(name, sizeof name, "node-%05u", e);
        uint32_t ca = hd_builder_adapter(
            b, &(struct hd_adapter_in){.name = name, .guid = 0x0002c90100000000 + 4 * e, .nports = 1});
        uint32_t p = hd_builder_endpoint(b, ca, 1, 0x0002c90100000001 + 4 * e, (uint16_t)(e + 1));
        hd_builder_coord(b, p, (uint16_t[]){(uint16_t)(e % 4), (uint16_t)(e / 4)});
        hd_builder_cable(b, p, 1, sw[e / 4], e % 4 + 1, 0);
    }
    for (uint32_t v = 0; v < 8; v++)
        for (uint32_t t = 0; t < 4; t++) hd_builder_cable(b, sw[v], 5 + t, sw[8 + t], v + 1, 0);
    return hd_builder_finish(ctx, b, "t4", net);
}

#endif
