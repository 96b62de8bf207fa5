/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/status.h"
#include "net/formats.h"

hd_status hd_net_read(struct hd_ctx *ctx, const char *path, const struct hd_read *opt, struct hd_net **net)
{
    (void)opt;
    (void)net;
    return hd_fail(ctx, HD_INPUT, "%s: cannot read", path);
}

hd_status hd_write_ibnet(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    (void)net;
    (void)o;
    return hd_fail(ctx, HD_LIMIT, "cannot write");
}
