/* SPDX-License-Identifier: BSD-2-Clause */
/* The event queue: a timing wheel of one-nanosecond slots, and a heap for what lies beyond its turn.
 * A slot is a list. What can only have one event pending, a packet or a channel, carries its own link, so
 * that no memory is touched for the event but what it is about; other events are records of their own.
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
    uint32_t item;
};

/* An item in a slot: a record, or an object of kind 0 or 1; the rest of the bits are its number. */
#define HD_ITEM_RECORD 0x80000000u
enum { HD_ITEM_SHIFT = 30, HD_ITEM_MASK = (1 << 30) - 1, HD_LINK_STRIDE = 64 };

struct hd_wheel {
    uint64_t now;
    uint32_t size;    /* slots, a power of two */
    uint32_t pending; /* events in slots */
    uint32_t *slot;   /* [size] first item, UINT32_MAX: none */
    char *link[2];    /* link of object 0 of kinds 0 and 1; those of the others follow HD_LINK_STRIDE apart */
    uint64_t *used;   /* [size / 64] */
    struct hd_event *event;
    uint32_t room, unused; /* events there are; first free one */
    struct hd_late *late;  /* heap by time, then event */
    uint32_t nlate, late_room;
    struct hd_arena *arena;
    bool failed; /* out of memory: events are lost, the run is void */
};

#define HD_NO_EVENT UINT32_MAX

/* A wheel that turns in at least span nanoseconds; false: out of memory. */
bool hd_wheel_init(struct hd_wheel *w, struct hd_arena *arena, uint64_t span);
/* Back to time 0 with nothing pending. */
void hd_wheel_clear(struct hd_wheel *w);
bool hd_wheel_grow(struct hd_wheel *w);
void hd_wheel_late(struct hd_wheel *w, uint64_t time, uint32_t item);
/* Goes on to the next time something happens; false: nothing is pending. */
bool hd_wheel_advance(struct hd_wheel *w);

static inline uint32_t *hd_wheel_link(const struct hd_wheel *w, uint32_t item)
{
    uint32_t i = item & HD_ITEM_MASK;
    if (item & HD_ITEM_RECORD) return &w->event[i].next;
    return (uint32_t *)(void *)(w->link[item >> HD_ITEM_SHIFT & 1] + (size_t)i * HD_LINK_STRIDE);
}

static inline void hd_wheel_slot(struct hd_wheel *w, uint64_t time, uint32_t item)
{
    uint32_t at = (uint32_t)time & (w->size - 1);
    *hd_wheel_link(w, item) = w->slot[at];
    w->slot[at] = item;
    w->used[at / 64] |= 1ull << at % 64;
    w->pending++;
}

static inline void hd_wheel_item(struct hd_wheel *w, uint64_t time, uint32_t item)
{
    if (time - w->now < w->size)
        hd_wheel_slot(w, time, item);
    else
        hd_wheel_late(w, time, item);
}

/* An event of object i of kind 0 or 1, which has none pending. */
static inline void hd_wheel_put(struct hd_wheel *w, uint64_t time, uint32_t kind, uint32_t i)
{
    hd_wheel_item(w, time, kind << HD_ITEM_SHIFT | i);
}

/* Any other event. */
static inline void hd_wheel_add(struct hd_wheel *w, uint64_t time, uint32_t kind, uint32_t index, uint32_t arg)
{
    if (w->unused == HD_NO_EVENT && !hd_wheel_grow(w)) return;
    uint32_t e = w->unused;
    struct hd_event *v = &w->event[e];
    w->unused = v->next;
    *v = (struct hd_event){HD_NO_EVENT, kind, index, arg};
    hd_wheel_item(w, time, HD_ITEM_RECORD | e);
}

/* Where the events of the present time hang; valid until time goes on. */
static inline uint32_t *hd_wheel_present(const struct hd_wheel *w)
{
    return &w->slot[(uint32_t)w->now & (w->size - 1)];
}

/* Takes one event of the present time; false: there is none left. */
static inline bool hd_wheel_take(struct hd_wheel *w, uint32_t *present, struct hd_event *out)
{
    uint32_t item = *present, i = item & HD_ITEM_MASK;
    if (item == HD_NO_EVENT) {
        uint32_t at = (uint32_t)(present - w->slot);
        w->used[at / 64] &= ~(1ull << at % 64);
        return false;
    }
    uint32_t *link = hd_wheel_link(w, item);
    *present = *link;
    w->pending--;
    if (!(item & HD_ITEM_RECORD)) {
        *out = (struct hd_event){.kind = item >> HD_ITEM_SHIFT, .index = i};
        return true;
    }
    *out = w->event[i];
    *link = w->unused;
    w->unused = i;
    return true;
}

#endif
