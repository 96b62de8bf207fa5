/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/builder.h"

hd_status hd_net_fail(struct hd_ctx *ctx, const struct hd_net *net, const char *what, struct hd_net **out)
{
    (void)what;
    return hd_net_copy(ctx, net, NULL, net->spec, out);
}
