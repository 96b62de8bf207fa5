/* SPDX-License-Identifier: BSD-2-Clause */
/* How many threads can be started. The OpenMP runtime ends the whole process when it cannot start one, so as many as
 * are wanted are started once beforehand, all alive at the same time, and fewer are used where that fails: half of what
 * there was room for, since the work needs memory too. libgomp also keeps what it tells each new thread on the stack of
 * the thread that starts them, without asking whether there is room. Cost: some tens of microseconds per thread. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "base/threads.h"
#include "base/status.h"
#include "tool/processes.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

bool hd_threads_left_behind;
static bool several_before; /* threads before a fork */

/* The pool belongs to the OpenMP runtime, which others in the process may have used before. Linux counts the threads of
 * a process as folders; one that does not say may have several. */
static void count_threads(void)
{
    struct stat st;
    several_before = stat("/proc/self/task", &st) || st.st_nlink != 2 + 1;
}

static void leave_behind(void)
{
    hd_threads_left_behind = hd_threads_left_behind || several_before;
}

/* When the program or library is loaded. Without memory for that, a child is as it always was. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(count_threads, NULL, leave_behind);
}

/* Lives until the lock is free. */
static void *live_a_while(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* As many as half of what is left of this thread's stack can start. */
static int most_by_stack(void)
{
    enum { STARTED = 256 }; /* bytes for each; libgomp 13 takes about half of that */
    pthread_attr_t attr;
    void *lowest = NULL;
    size_t size = 0, left = SIZE_MAX;
    if (pthread_getattr_np(pthread_self(), &attr)) return HD_MAX_THREADS;
    if (!pthread_attr_getstack(&attr, &lowest, &size) && (uintptr_t)&attr > (uintptr_t)lowest)
        left = (size_t)((uintptr_t)&attr - (uintptr_t)lowest);
    pthread_attr_destroy(&attr);
    const size_t most = left / 2 / STARTED;
    return most > HD_MAX_THREADS ? HD_MAX_THREADS : most > 1 ? (int)most : 1;
}

/* How many of those wanted could be started, this one included. */
static int start_threads(int wanted)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *thread = calloc((size_t)wanted, sizeof *thread);
    int n = 0;
    pthread_mutex_lock(&lock);
    while (thread && n < wanted - 1 && pthread_create(&thread[n], NULL, live_a_while, &lock) == 0) n++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) pthread_join(thread[i], NULL);
    free(thread);
    return n + 1;
}

void hd_ctx_try_threads(struct hd_ctx *ctx)
{
    const int wanted = hd_threads_wanted(ctx), most = wanted > 1 ? most_by_stack() : 1;
    const int asked = wanted < most ? wanted : most, started = asked > 1 ? start_threads(asked) : 1;
    ctx->tried = started == asked ? started : started > 2 ? (started - 1) / 2 : 1;
    if (ctx->tried == wanted) return;
    ctx->threads = ctx->tried;
    hd_note(ctx, "only %d of %d threads can be started: %d %s used", started, wanted, ctx->threads,
            ctx->threads == 1 ? "is" : "are");
}
