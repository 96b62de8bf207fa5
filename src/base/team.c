/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* processors of a thread */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
    pthread_t thread;
    void (*work)(void *arg, int t);
    void *arg;
    int t;
    const cpu_set_t *all; /* where it may go after its start, NULL: it was not told where to start */
};

static void *begin(void *p)
{
    const struct member *m = p;
    if (m->all) sched_setaffinity(0, sizeof *m->all, m->all);
    m->work(m->arg, m->t);
    return NULL;
}

/* The t-th processor after this one of those we may use, round and round; false: not known. */
static bool place(const cpu_set_t *all, int t, cpu_set_t *one)
{
    int cpu = sched_getcpu(), n = CPU_COUNT(all);
    if (cpu < 0 || cpu >= CPU_SETSIZE || n < 2) return false;
    for (int left = t % n; left > 0;) {
        cpu = (cpu + 1) % CPU_SETSIZE;
        left -= CPU_ISSET(cpu, all) != 0;
    }
    CPU_ZERO(one);
    CPU_SET(cpu, one);
    return true;
}

static bool start(struct member *m, const cpu_set_t *all)
{
    pthread_attr_t attr;
    cpu_set_t one;
    if (pthread_attr_init(&attr) != 0) return false;
    if (all && place(all, m->t, &one) && pthread_attr_setaffinity_np(&attr, sizeof one, &one) == 0) m->all = all;
    bool started = pthread_create(&m->thread, &attr, begin, m) == 0;
    pthread_attr_destroy(&attr);
    return started;
}

int hd_team_run(int n, void (*work)(void *arg, int t), void *arg)
{
    struct member *member = n > 1 ? calloc((size_t)n, sizeof *member) : NULL;
    cpu_set_t set;
    const cpu_set_t *all = sched_getaffinity(0, sizeof set, &set) == 0 ? &set : NULL;
    int started = 1;
    for (; member && started < n; started++) {
        member[started] = (struct member){.work = work, .arg = arg, .t = started};
        if (!start(&member[started], all)) break;
    }
    work(arg, 0);
    for (int t = 1; t < started; t++) pthread_join(member[t].thread, NULL);
    free(member);
    return started;
}
