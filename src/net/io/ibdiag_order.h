/* SPDX-License-Identifier: BSD-2-Clause */
/* Which adapters take packets out of order, as ibdiagnet found them. */
#ifndef HD_NET_IO_IBDIAG_ORDER_H
#define HD_NET_IO_IBDIAG_ORDER_H

#include "heddle/net.h"

struct hd_ordering {
    bool groups;     /* the folder has tables with groups of ports (far) */
    uint32_t ports;  /* of adapters for which OOOSLMask is known */
    uint32_t strict; /* of these: packets must arrive in order, whatever their SL */
    uint32_t mask;   /* SLs at which all others take packets out of order */
};

/* Of a folder or archive of ibdiagnet; all 0 if the path names something else. Sections EXTENDED_PORT_INFO and PORTS of
 * its db_csv file; rows of switches are left out. O(bytes). */
hd_status hd_ordering_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, struct hd_ordering *order);

#endif
