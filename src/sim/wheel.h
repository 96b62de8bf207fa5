/* SPDX-License-Identifier: BSD-2-Clause */
/* The event queue: a timing wheel of one-nanosecond slots, and a heap for what lies beyond its turn.
 * Events of one nanosecond come out in no particular order: whoever uses the queue must not depend on
 * it (arbitration waits until all events of a nanosecond are in). Add and take are O(1) within a turn;
 * memory is linear in the events pending. */
#ifndef HD_SIM_WHEEL_H
#define HD_SIM_WHEEL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_event {
    uint32_t next; /* in its slot, or in the free list */
    uint32_t kind;
    uint32_t index;
    uint32_t arg;
};

struct hd_late {
    uint64_t time;
    uint32_t event;
};

struct hd_wheel {
    uint64_t now;
    uint32_t size;    /* slots, a power of two */
    uint32_t pending; /* events in slots */
    uint32_t *slot;   /* [size] first event, UINT32_MAX: none */
    uint64_t *used;   /* [size / 64] */
    struct hd_event *event;
    uint32_t room, unused; /* events there are; first free one */
    struct hd_late *late;  /* heap by time, then event */
    uint32_t nlate, late_room;
    struct hd_arena *arena;
    bool failed; /* out of memory: events are lost, the run is void */
};

enum { HD_NO_EVENT = UINT32_MAX };

/* A wheel that turns in at least span nanoseconds; false: out of memory. */
bool hd_wheel_init(struct hd_wheel *w, struct hd_arena *arena, uint64_t span);
/* Back to time 0 with nothing pending. */
void hd_wheel_clear(struct hd_wheel *w);
bool hd_wheel_grow(struct hd_wheel *w);
void hd_wheel_late(struct hd_wheel *w, uint64_t time, uint32_t event);
/* Goes on to the next time something happens; false: nothing is pending. */
bool hd_wheel_advance(struct hd_wheel *w);

static inline void hd_wheel_slot(struct hd_wheel *w, uint64_t time, uint32_t e)
{
    uint32_t at = (uint32_t)time & (w->size - 1);
    w->event[e].next = w->slot[at];
    w->slot[at] = e;
    w->used[at / 64] |= 1ull << at % 64;
    w->pending++;
}

static inline void hd_wheel_add(struct hd_wheel *w, uint64_t time, uint32_t kind, uint32_t index, uint32_t arg)
{
    if (w->unused == HD_NO_EVENT && !hd_wheel_grow(w)) return;
    uint32_t e = w->unused;
    struct hd_event *v = &w->event[e];
    w->unused = v->next;
    *v = (struct hd_event){HD_NO_EVENT, kind, index, arg};
    if (time - w->now < w->size)
        hd_wheel_slot(w, time, e);
    else
        hd_wheel_late(w, time, e);
}

/* Takes one event of the present time; false: there is none left. */
static inline bool hd_wheel_take(struct hd_wheel *w, struct hd_event *out)
{
    uint32_t at = (uint32_t)w->now & (w->size - 1), e = w->slot[at];
    if (e == HD_NO_EVENT) {
        w->used[at / 64] &= ~(1ull << at % 64);
        return false;
    }
    *out = w->event[e];
    w->slot[at] = out->next;
    w->event[e].next = w->unused;
    w->unused = e;
    w->pending--;
    return true;
}

#endif
