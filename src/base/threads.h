/* SPDX-License-Identifier: BSD-2-Clause */
/* How many threads to use, and a clock to measure them by. Results never depend on either. */
#ifndef HD_BASE_THREADS_H
#define HD_BASE_THREADS_H

#include "base/context.h"

#include <time.h>

/* Seconds on a clock that only goes forward. */
static inline double hd_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef _OPENMP
#include "tool/processes.h"
#include <omp.h>
/* Whether this process was forked from one whose pool of threads it has no part in: a parallel region would wait for
 * them for ever. */
extern bool hd_threads_left_behind;
static inline int hd_threads_wanted(const struct hd_ctx *ctx)
{
    if (hd_threads_left_behind) return 1;
    const int n = ctx->threads > 0 ? ctx->threads : omp_get_num_procs();
    return n < HD_MAX_THREADS ? n : HD_MAX_THREADS;
}
/* As many as are wanted and can be started, which is tried when there is first work for them. */
static inline int hd_threads(struct hd_ctx *ctx)
{
    if (hd_threads_wanted(ctx) > ctx->tried) hd_ctx_try_threads(ctx);
    return hd_threads_wanted(ctx);
}
static inline int hd_thread_id(void)
{
    return omp_get_thread_num();
}
/* How many are at work here: at most as many as were asked for. */
static inline int hd_thread_team(void)
{
    return omp_get_num_threads();
}
#else
static inline int hd_threads_wanted(const struct hd_ctx *ctx)
{
    (void)ctx;
    return 1;
}
static inline int hd_threads(struct hd_ctx *ctx)
{
    (void)ctx;
    return 1;
}
static inline int hd_thread_id(void)
{
    return 0;
}
static inline int hd_thread_team(void)
{
    return 1;
}
#endif

#endif
