/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of every ordered pair of selected endpoints as CSV, for programs that look at flows: both ends, the variant
 * that the pair uses, the number of channels, and the output ports of its switches, GUID:PORT separated by blanks. A
 * pair without a path has 0 channels. O(pairs * hops). */
#include "base/out.h"
#include "route/core/routes.h"
#include "route/io/route_formats.h"
#include "tool/words.h"

#include <string.h>

static void put_end(struct hd_out *o, const char *name)
{
    hd_put_csv_name(o, name, strlen(name), true);
}

static void put_hop(struct hd_out *o, const struct hd_net *net, uint32_t c, bool first)
{
    hd_printf(o, "%s0x%016llx:%u", first ? "" : " ", (unsigned long long)net->guid[net->tail[c]], net->port[c]);
}

hd_status hd_write_paths(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    (void)ctx;
    const struct hd_net *net = r->net;
    uint32_t chan[HD_MAX_HOPS];
    hd_puts(o, "from,to,variant,hops,ports\n");
    for (uint32_t i = 0; i < net->nsel; i++)
        for (uint32_t j = 0; j < net->nsel; j++) {
            uint32_t s = net->sel[i], d = net->sel[j], x = i == j ? 0 : hd_routes_variant(r, s, d);
            if (i == j) continue;
            uint32_t n = hd_routes_path(r, s, d, x, chan);
            put_end(o, hd_node_name(net, net->nsw + s));
            hd_puts(o, ",");
            put_end(o, hd_node_name(net, net->nsw + d));
            hd_printf(o, ",%u,%u,\"", x, n);
            for (uint32_t h = 1; h < n; h++) put_hop(o, net, chan[h], h == 1);
            hd_puts(o, "\"\n");
        }
    return HD_OK;
}
