/* SPDX-License-Identifier: BSD-2-Clause */
/* Out-of-order service levels: adaptive routing delivers packets in any order, so a switch may use it only towards
 * adapters that take them so. ibdiagnet lists the SLs for which a port does as OOOSLMask (0xffff: all of them), in the
 * section EXTENDED_PORT_INFO or, by version, among the PORTS. Columns are found by name; lines that are no rows are
 * passed over, since the reader of the network has refused what is broken. O(bytes), no memory but the GUIDs. */
#include "net/io/ibdiag_order.h"
#include "base/c_locale.h"
#include "base/bundle.h"
#include "base/status.h"
#include "net/core/guid_index.h"
#include "net/io/ibdiag_values.h"

#include <string.h>

struct order_table { /* the section being read */
    bool wanted, header;
    int guid, mask; /* columns, -1: none */
};

static void order_header(struct order_table *t, char *line)
{
    char *at = line;
    t->header = true;
    t->guid = t->mask = -1;
    for (int n = 0; at; n++) {
        const char *name = hd_ibdiag_field(&at);
        if (hd_strcasecmp(name, "NodeGuid") == 0) t->guid = n;
        if (hd_strcasecmp(name, "OOOSLMask") == 0) t->mask = n;
    }
}

static void order_row(const struct order_table *t, const struct hd_guid_index *guids, char *line,
                      struct hd_ordering *order)
{
    char *at = line;
    uint64_t guid = 0, mask = 0;
    bool known = false;
    for (int n = 0; at; n++) {
        const char *value = hd_ibdiag_field(&at);
        if (n == t->guid && !hd_ibdiag_number(value, &guid)) return;
        if (n == t->mask) known = hd_ibdiag_number(value, &mask);
    }
    if (!known || !guid || hd_guid_switch(guids, guid) != UINT32_MAX) return;
    order->mask = order->ports == order->strict ? (mask ? (uint32_t)mask & 0xffff : 0) : order->mask;
    if (mask && order->ports > order->strict) order->mask &= (uint32_t)mask;
    order->ports++;
    order->strict += !mask;
}

static hd_status order_lines(struct hd_ctx *ctx, const struct hd_guid_index *guids, struct hd_in *in,
                             struct hd_ordering *order)
{
    struct order_table t = {0};
    char *line;
    size_t len;
    for (;;) {
        HD_TRY(hd_in_line(ctx, in, &line, &len));
        if (!line) return HD_OK;
        line = hd_ibdiag_trim(line);
        if (strncmp(line, "START_", 6) == 0)
            t = (struct order_table){.wanted = strcmp(line + 6, "EXTENDED_PORT_INFO") == 0 ||
                                               (!order->ports && strcmp(line + 6, "PORTS") == 0)};
        else if (strncmp(line, "END_", 4) == 0)
            t.wanted = false;
        else if (t.wanted && !t.header)
            order_header(&t, line);
        else if (t.wanted && t.guid >= 0 && t.mask >= 0)
            order_row(&t, guids, line, order);
    }
}

hd_status hd_ordering_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, struct hd_ordering *order)
{
    struct hd_arena a = {0};
    struct hd_guid_index guids;
    struct hd_in *in;
    bool bundle;
    *order = (struct hd_ordering){0};
    HD_TRY(hd_bundle_found(ctx, path, &bundle));
    if (!bundle) return HD_OK;
    HD_TRY(hd_bundle_open(ctx, path, ".far", &in));
    order->groups = in != NULL;
    hd_in_close(in);
    HD_TRY(hd_bundle_open(ctx, path, ".db_csv", &in));
    if (!in) return HD_OK;
    hd_status s = hd_guid_index_init(ctx, &a, net, &guids);
    if (s == HD_OK) s = order_lines(ctx, &guids, in, order);
    hd_in_close(in);
    hd_arena_release(&a);
    return s;
}
