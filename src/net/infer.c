/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/builder.h"

hd_status hd_net_infer(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out)
{
    return hd_net_copy(ctx, net, NULL, net->spec, out);
}
