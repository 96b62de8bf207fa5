/* SPDX-License-Identifier: BSD-2-Clause */
/* A timer that can be ended for good. OpenSM's own looks at a timer after waiting for it and after calling back, also
 * if it was destroyed and freed meanwhile: by its sources, a timer that expires, or is set again by the sweep that it
 * asked for, in the moment in which OpenSM ends is read after it was freed. This one has a thread of its own that is
 * joined. It takes no signals: those are for OpenSM's threads. */
#include "plugin_timer.h"
#include "osm_plugin.h"

#include <signal.h>
#include <time.h>

static void timer_wait(struct plugin_timer *t)
{
    const double whole = (double)(time_t)t->at;
    const struct timespec until = {(time_t)t->at, (long)(1e9 * (t->at - whole))};
    if (t->at <= 0)
        pthread_cond_wait(&t->changed, &t->mutex);
    else
        pthread_cond_timedwait(&t->changed, &t->mutex, &until);
}

static void *timer_run(void *context)
{
    struct plugin_timer *t = context;
    pthread_mutex_lock(&t->mutex);
    while (t->running) {
        if (t->at <= 0 || plugin_now() < t->at) {
            timer_wait(t);
            continue;
        }
        t->at = 0;
        pthread_mutex_unlock(&t->mutex);
        t->call(t->context);
        pthread_mutex_lock(&t->mutex);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

static int timer_clock(pthread_cond_t *changed)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error) return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error) error = pthread_cond_init(changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return error;
}

int plugin_timer_begin(struct plugin_timer *t, void (*call)(void *context), void *context)
{
    sigset_t all, before;
    *t = (struct plugin_timer){.running = true, .call = call, .context = context};
    int error = pthread_mutex_init(&t->mutex, NULL);
    if (error) return error;
    error = timer_clock(&t->changed);
    if (!error) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(&t->thread, NULL, timer_run, t);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (error) pthread_cond_destroy(&t->changed);
    }
    if (error) pthread_mutex_destroy(&t->mutex);
    return error;
}

void plugin_timer_set(struct plugin_timer *t, double at)
{
    pthread_mutex_lock(&t->mutex);
    t->at = at;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

void plugin_timer_end(struct plugin_timer *t)
{
    pthread_mutex_lock(&t->mutex);
    t->running = false;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->mutex);
}
