/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/extend.h - what code of your own needs inside the library: wording failures, notes and progress, and memory
 * that is released for you, random numbers. Thread safety: a context belongs to one thread at a time; so do an arena
 * and a stream of random numbers. */
#ifndef HEDDLE_EXTEND_H
#define HEDDLE_EXTEND_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words a failure and returns its status: return hd_fail(ctx, HD_INPUT, "%s:%u: expected ...", ...). One line, no
 * newline; the function that decides a failure words it, callers only forward the status. */
HD_API hd_status hd_fail(struct hd_ctx *ctx, hd_status status, const char *fmt, ...) HD_PRINTF(3, 4);
/* HD_NA, worded "owner: does not apply to SPEC: reason": owner is what the user named ("dmodk",
 * "settle:start=structure"), spec that of the network or table, and the format words the reason alone, which
 * hd_ctx_reason returns. */
HD_API hd_status hd_fail_na(struct hd_ctx *ctx, const char *owner, const char *spec, const char *fmt, ...)
    HD_PRINTF(4, 5);
/* The same where the message names parameters of the caller's: params lists them, blank between them, so that a
 * command can print its options in their place. params must outlive the context. */
HD_API hd_status hd_fail_about(struct hd_ctx *ctx, hd_status status, const char *params, const char *fmt, ...)
    HD_PRINTF(4, 5);
HD_API hd_status hd_fail_memory(struct hd_ctx *ctx);
/* A warning, one line. */
HD_API void hd_note(struct hd_ctx *ctx, const char *fmt, ...) HD_PRINTF(2, 3);
HD_API void hd_progress(struct hd_ctx *ctx, const char *what, uint64_t done, uint64_t total);

/* Returns from the calling function with the status of a call that failed. */
#define HD_TRY(call)                                                                                                   \
    do {                                                                                                               \
        hd_status hd_try_ = (call);                                                                                    \
        if (hd_try_ != HD_OK) return hd_try_;                                                                          \
    } while (0)

/* n * size zeroed bytes aligned to 16, released with the arena; NULL when memory is out or n * size overflows.
 * n == 0 gives a valid pointer that must not be read. */
struct hd_arena;
HD_API void *hd_alloc(struct hd_arena *arena, size_t n, size_t size);

/* ---- random numbers --------------------------------------------------------------------------- */

/* A stream of random numbers, such as the one that a pattern draws a sample from. One per thread. */
struct hd_rng;
HD_API uint32_t hd_rng_u32(struct hd_rng *r);
HD_API uint64_t hd_rng_u64(struct hd_rng *r);
/* Uniform in 0 .. n-1, exactly (n >= 1). */
HD_API uint32_t hd_rng_below(struct hd_rng *r, uint32_t n);
/* Uniform in [0, 1). */
HD_API double hd_rng_real(struct hd_rng *r);
/* Puts v into a uniformly random order. */
HD_API void hd_rng_shuffle(struct hd_rng *r, uint32_t *v, uint32_t n);

/* ---- plug-ins ------------------------------------------------------------------------------- */

/* A shared object that the command loads with --plugin FILE.so defines both: the version of the headers it was compiled
 * with, HEDDLE_VERSION, and a function that adds its rows with hd_registry_add. They must stay valid until the context
 * is freed. */
HD_API extern const int heddle_plugin_version;
HD_API hd_status heddle_plugin(struct hd_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
