/* SPDX-License-Identifier: BSD-2-Clause */
/* How many threads can be started. The OpenMP runtime ends the whole process when it cannot start one, so as many as
 * are wanted are started once beforehand, all alive at the same time, and fewer are used where that fails: half of what
 * there was room for, since the work needs memory too. Cost: some tens of microseconds per thread. */
#include "base/threads.h"
#include "base/status.h"
#include "tool/processes.h"

#include <pthread.h>
#include <stdlib.h>

/* Lives until the lock is free. */
static void *live_a_while(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

void hd_ctx_try_threads(struct hd_ctx *ctx)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int wanted = hd_threads(ctx), n = 0;
    pthread_t *thread = wanted > 1 ? calloc((size_t)wanted, sizeof *thread) : NULL;
    pthread_mutex_lock(&lock);
    while (thread && n < wanted - 1 && pthread_create(&thread[n], NULL, live_a_while, &lock) == 0) n++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) pthread_join(thread[i], NULL);
    free(thread);
    if (wanted <= 1 || n == wanted - 1) return;
    ctx->threads = n > 1 ? n / 2 : 1;
    hd_note(ctx, "only %d of %d threads can be started: %d are used", n + 1, wanted, ctx->threads);
}
