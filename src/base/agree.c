/* SPDX-License-Identifier: BSD-2-Clause */
/* One gather of 16 bytes per process. Whoever fails alone, because a file is missing on its machine, takes part once
 * more before it ends, so that the others neither wait for it nor go on without it; and since this is the only exchange
 * before work begins, exchanges of different processes always match. */
#include "base/agree.h"
#include "base/comm.h"
#include "base/hash.h"
#include "base/status.h"

#include <stdlib.h>

struct agree_note {
    uint64_t digest;
    uint64_t status;
};

static hd_status agree_on(struct hd_ctx *ctx, const struct agree_note *note, int n, hd_status status)
{
    int failed = 0, other = 0;
    while (failed < n && note[failed].status <= HD_FAULT) failed++;
    while (other < n && note[other].digest == note[0].digest) other++;
    ctx->parted = failed < n || other < n;
    if (failed < n) {
        ctx->speaker = failed;
        return status > HD_FAULT ? status : hd_fail(ctx, (hd_status)note[failed].status, "rank %d failed", failed);
    }
    if (other < n)
        return hd_fail(ctx, HD_INPUT, "ranks 0 and %d have read different input: expected the same files on all ranks",
                       other);
    return status;
}

hd_status hd_agree(struct hd_ctx *ctx, hd_status status, uint64_t work)
{
    const int n = hd_comm_size(ctx->comm);
    if (n == 1 || ctx->parted) return status;
    struct agree_note mine = {hd_hash_mix(ctx->read ^ work), status}, *all = calloc((size_t)n, sizeof *all);
    if (!all) return hd_fail_memory(ctx);
    hd_comm_gather(ctx->comm, &mine, sizeof mine, all);
    hd_status s = agree_on(ctx, all, n, status);
    free(all);
    return s;
}

hd_status hd_ctx_agree(struct hd_ctx *ctx, hd_status status)
{
    return hd_agree(ctx, status, 0);
}

bool hd_ctx_speaks(const struct hd_ctx *ctx)
{
    return hd_comm_rank(ctx->comm) == ctx->speaker;
}
