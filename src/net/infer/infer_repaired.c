/* SPDX-License-Identifier: BSD-2-Clause */
/* A repaired network with the structure that it has without the cables that spoiled it. Cost: that of the inference,
 * and one copy. */
#include "base/status.h"
#include "net/edit/net_with.h"
#include "net/infer/infer.h"

hd_status hd_net_repair(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct hd_net_edit edit = {.ctx = ctx, .arena = &scratch, .net = net};
    struct hd_net *repaired;
    HD_TRY(hd_edit_finish(&edit, hd_edit_repair(&edit), &repaired));
    hd_status s = *repaired->departs ? hd_infer_unpublished(ctx, repaired) : HD_OK;
    if (s == HD_OK)
        *out = repaired;
    else
        hd_net_free(repaired);
    return s;
}
