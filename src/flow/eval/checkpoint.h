/* SPDX-License-Identifier: BSD-2-Clause */
/* Checkpoints of long evaluations: one file, a record for each request met so far: its hash (network, routes, pattern,
 * metric, ranks, seed), the next sample, and the fold's bytes; a checksum covers them all. Rank 0 rewrites it whole,
 * under a temporary name, at the end of a batch; a killed run loses at most one batch and repeats none. */
#ifndef HD_FLOW_EVAL_CHECKPOINT_H
#define HD_FLOW_EVAL_CHECKPOINT_H

#include "flow/eval/fold.h"

struct hd_checkpoint;

/* Reads what is there; a missing file is an empty checkpoint. */
hd_status hd_checkpoint_open(struct hd_ctx *ctx, struct hd_arena *arena, const char *path, struct hd_checkpoint **c);
/* Where the request stood: *next samples are in *fold. 0 and an empty fold when it is new. */
void hd_checkpoint_find(const struct hd_checkpoint *c, uint64_t hash, uint64_t *next, struct hd_fold *fold);
hd_status hd_checkpoint_save(struct hd_ctx *ctx, struct hd_checkpoint *c, uint64_t hash, uint64_t next,
                             const struct hd_fold *fold);

/* Hash of everything the samples depend on; specs holds the canonical pattern and metric, ctx->read is the digest of
 * the files that pattern and rank order have read. */
struct hd_job;
struct hd_ranks;
uint64_t hd_request_hash(const struct hd_ctx *ctx, const struct hd_job *job, const struct hd_ranks *ranks,
                         const struct hd_result *specs);

#endif
