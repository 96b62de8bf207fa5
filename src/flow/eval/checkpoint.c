/* SPDX-License-Identifier: BSD-2-Clause */
/* Checkpoints: the folds of unfinished evaluations in one file, each under a hash of everything its result depends on
 * (version, network, tables with selection and VLs, ranks, pattern, the files it has read, metric, seed), all under a
 * checksum that any single changed word fails. The file is replaced as a whole when a batch is done, so an
 * interrupted run leaves the previous one. O(requests) per save. */
#include "flow/eval/checkpoint.h"
#include "base/hash.h"
#include "base/status.h"
#include "flow/eval/eval.h"
#include "route/core/routes_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_RECORDS = 4096 };
static const char magic[16] = "heddle checkpt2";

struct checkpoint_record {
    uint64_t hash, next;
    struct hd_fold fold;
};

struct hd_checkpoint {
    const char *path;
    struct hd_arena *arena;                        /* of the records: 32 KB each, most files have few */
    struct checkpoint_record *record[MAX_RECORDS]; /* the one behind the last may be there already, for the next */
    uint32_t n;
};

static uint64_t checkpoint_sum(const struct hd_checkpoint *c)
{
    uint64_t sum = c->n + 1;
    for (uint32_t i = 0; i < c->n; i++) sum = hd_hash_bytes(sum, (const char *)c->record[i], sizeof *c->record[i]);
    return sum;
}

/* The record behind the last, which is made for it if need be; NULL: no memory. */
static struct checkpoint_record *checkpoint_next(struct hd_checkpoint *c)
{
    if (!c->record[c->n]) c->record[c->n] = HD_NEW(c->arena, struct checkpoint_record, 1);
    return c->record[c->n];
}

static hd_status read_records(struct hd_ctx *ctx, FILE *f, struct hd_checkpoint *c)
{
    char head[sizeof magic];
    uint64_t sum = 0;
    if (fread(head, 1, sizeof head, f) != sizeof head || memcmp(head, magic, sizeof head) != 0)
        return hd_fail(ctx, HD_INPUT, "%s: not a checkpoint of this version", c->path);
    size_t got = fread(&sum, 1, sizeof sum, f);
    while (c->n < MAX_RECORDS) {
        struct checkpoint_record *r = checkpoint_next(c);
        if (!r) return hd_fail_memory(ctx);
        if ((got = fread(r, 1, sizeof *r, f)) != sizeof *r) break;
        c->n++;
        if (r->fold.n != r->next)
            return hd_fail(ctx, HD_INPUT, "%s: request %u does not add up: damaged", c->path, c->n);
    }
    if (c->n < MAX_RECORDS && got)
        return hd_fail(ctx, HD_INPUT, "%s: ends in the middle of a request: damaged", c->path);
    if (fgetc(f) != EOF)
        return hd_fail(ctx, HD_INPUT, "%s: more than %d requests in a checkpoint", c->path, MAX_RECORDS);
    if (sum != checkpoint_sum(c)) return hd_fail(ctx, HD_INPUT, "%s: the checksum does not match: damaged", c->path);
    ctx->read = hd_hash_mix(ctx->read ^ sum);
    return HD_OK;
}

hd_status hd_checkpoint_open(struct hd_ctx *ctx, struct hd_arena *arena, const char *path, struct hd_checkpoint **out)
{
    struct hd_checkpoint *c = HD_NEW(arena, struct hd_checkpoint, 1);
    if (!c) return hd_fail_memory(ctx);
    c->path = path;
    c->arena = arena;
    struct stat st;
    if (strcmp(path, "-") == 0)
        return hd_fail(ctx, HD_USAGE, "a checkpoint is read and written: expected a file, got -");
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return hd_fail(ctx, HD_INPUT, "%s: expected a file that keeps the checkpoint", path);
    FILE *f = fopen(path, "rb");
    hd_status s = HD_OK;
    if (f) {
        s = read_records(ctx, f, c);
        fclose(f);
    } else if (errno != ENOENT) {
        s = hd_fail(ctx, hd_errno_status(errno), "%s: cannot open: %s", path, strerror(errno));
    }
    *out = c;
    return s;
}

void hd_checkpoint_find(const struct hd_checkpoint *c, uint64_t hash, uint64_t *next, struct hd_fold *fold)
{
    *next = 0;
    hd_fold_init(fold);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->record[i]->hash == hash) {
            *next = c->record[i]->next;
            *fold = c->record[i]->fold;
        }
}

hd_status hd_checkpoint_save(struct hd_ctx *ctx, struct hd_checkpoint *c, uint64_t hash, uint64_t next,
                             const struct hd_fold *fold)
{
    uint32_t i = 0;
    while (i < c->n && c->record[i]->hash != hash) i++;
    if (i == MAX_RECORDS)
        return hd_fail(ctx, HD_LIMIT, "%s: more than %d requests in a checkpoint", c->path, MAX_RECORDS);
    if (i == c->n && !checkpoint_next(c)) return hd_fail_memory(ctx);
    if (i == c->n) c->n++;
    *c->record[i] = (struct checkpoint_record){hash, next, *fold};
    struct hd_out *o;
    HD_TRY(hd_out_open(ctx, c->path, &o));
    const uint64_t sum = checkpoint_sum(c);
    hd_put(o, magic, sizeof magic);
    hd_put(o, (const char *)&sum, sizeof sum);
    for (i = 0; i < c->n; i++) hd_put(o, (const char *)c->record[i], sizeof *c->record[i]);
    return hd_out_close(ctx, o);
}

/* ---- hash ---------------------------------------------------------------------------------- */

uint64_t hd_request_hash(const struct hd_ctx *ctx, const struct hd_job *job, const struct hd_ranks *ranks,
                         const struct hd_result *specs)
{
    const uint64_t numbers[] = {ctx->seed, ctx->read, ranks->n};
    const struct hd_hash_part parts[] = {{hd_version(), strlen(hd_version())},
                                         {specs->pattern, strlen(specs->pattern)},
                                         {specs->metric, strlen(specs->metric)},
                                         {numbers, sizeof numbers},
                                         {ranks->ep, ranks->n * sizeof *ranks->ep}};
    return hd_hash_parts(hd_routes_hash(job->routes), parts, sizeof parts / sizeof *parts);
}
