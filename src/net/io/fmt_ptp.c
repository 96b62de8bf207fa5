/* SPDX-License-Identifier: BSD-2-Clause */
/* Point-to-point list of cables as CSV, the plan from which people plug: one row per cable, the columns of the sheet
 * Links of a cable validation workbook and the rate. 'heddle cables' reads it back. An adapter's port is the device
 * that its description names, or the number. Cost: linear in the cables. */
#include "net/core/node_name.h"
#include "net/io/net_formats.h"
#include "tool/words.h"

#include <string.h>

static void put_end(struct hd_out *o, const struct hd_net *net, uint32_t c)
{
    uint32_t v = net->tail[c];
    struct hd_name name = {0};
    if (v >= net->nsw) name = hd_name_split(hd_node_name(net, v));
    if (v < net->nsw)
        hd_put_csv_name(o, hd_node_label(net, v), strlen(hd_node_label(net, v)), false);
    else
        hd_put_csv_name(o, name.host.at, name.host.n, false);
    hd_puts(o, ",");
    if (name.device.n) hd_put_csv_name(o, name.device.at, name.device.n, false);
    if (name.device.n && net->port[c] > 1) hd_puts(o, "/");
    if (!name.device.n || net->port[c] > 1) hd_printf(o, "%u", net->port[c]);
    hd_puts(o, ",");
}

/* Aggregation nodes are inside switches: no cable leads to them. */
static bool of_aggregation(const struct hd_net *net, uint32_t c)
{
    uint32_t v = net->tail[c];
    return v >= net->nsw && net->ca_role[net->ca[v - net->nsw]] == HD_ROLE_AGGREGATION;
}

hd_status hd_write_ptp(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    (void)ctx;
    hd_puts(o, "A-Node,A-Port,Z-Node,Z-Port,Protocol,Speed\n");
    for (uint32_t c = 0; c < net->nchan; c++) {
        bool down = net->head[c] >= net->nsw;
        if (c > net->rev[c] || of_aggregation(net, c) || of_aggregation(net, net->rev[c])) continue;
        put_end(o, net, down ? net->rev[c] : c); /* adapters first, as plans have them */
        put_end(o, net, down ? c : net->rev[c]);
        hd_printf(o, "ib,%s\n", hd_link_name(net->link[c]));
    }
    return HD_OK;
}
