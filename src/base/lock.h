/* SPDX-License-Identifier: BSD-2-Clause */
/* A lock that belongs to the object it protects. Named OpenMP criticals would be exported as symbols of the library,
 * and all unnamed ones of a process share a single lock. */
#ifndef HD_BASE_LOCK_H
#define HD_BASE_LOCK_H

#include <pthread.h>

struct hd_lock {
    pthread_mutex_t mutex;
};

#define HD_LOCK_INIT                                                                                                   \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER                                                                                      \
    }

static inline void hd_lock(struct hd_lock *l)
{
    pthread_mutex_lock(&l->mutex);
}

static inline void hd_unlock(struct hd_lock *l)
{
    pthread_mutex_unlock(&l->mutex);
}

#endif
