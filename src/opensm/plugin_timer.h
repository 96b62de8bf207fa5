/* SPDX-License-Identifier: BSD-2-Clause */
/* One call after a pause, from a thread of its own; see plugin_timer.c. */
#ifndef HD_OPENSM_PLUGIN_TIMER_H
#define HD_OPENSM_PLUGIN_TIMER_H

#include <pthread.h>
#include <stdbool.h>

struct plugin_timer {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool running; /* there is a thread, and it has not been asked to end */
    double at;    /* when to call, on the clock of plugin_now; 0: not at all */
    void (*call)(void *context);
    void *context;
};

/* Zero, or why there is no timer. Nothing is to be ended then. */
int plugin_timer_begin(struct plugin_timer *t, void (*call)(void *context), void *context);
/* Calls at this time, and not at the one that was set before; 0: not at all. Does not wait for a call that has begun.
 */
void plugin_timer_set(struct plugin_timer *t, double at);
/* Waits for a call that has begun; afterwards there is none, and t may be freed. */
void plugin_timer_end(struct plugin_timer *t);

#endif
