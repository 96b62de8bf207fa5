/* SPDX-License-Identifier: BSD-2-Clause */
/* The event queue: a timing wheel of one-nanosecond slots, and a heap for what lies beyond its turn.
 * An item is a word: what happens to an object of kind 0 or 1, which can only have one event pending, or the number of
 * a record. The items of a slot are a stack in blocks of a few words, the first of which says where the stack goes
 * on below; a slot knows the place of its newest item. So to put an item is one store beside the others of its time,
 * and all that happens in a nanosecond is known at once, before any of it is looked at: the caller
 * can have the objects fetched ahead. The newest item comes first, but users of the queue must not depend on
 * the order (arbitration waits until all events of a nanosecond are in). Put and take are O(1) within a turn; memory
 * is linear in the events pending. */
#ifndef HD_SIM_TIMING_WHEEL_H
#define HD_SIM_TIMING_WHEEL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_event {
    uint32_t next; /* in the free list */
    uint32_t kind;
    uint32_t index;
    uint32_t arg;
};

struct hd_late {
    uint64_t time;
    uint32_t item;
};

/* An item: a record, or an object of kind 0 or 1; the rest of the bits are its number. */
#define HD_ITEM_RECORD 0x80000000u
#define HD_NO_EVENT UINT32_MAX /* as an item: a record, of which there is none */
enum { HD_ITEM_SHIFT = 30, HD_ITEM_MASK = (1 << 30) - 1 };

/* HD_AHEAD: so many items below the lowest of a batch may be looked at, they are HD_NO_EVENT. */
enum { HD_BLOCK = 64, HD_EMPTY = HD_BLOCK - 1, HD_AHEAD = 32 };

struct hd_wheel {
    uint64_t now;
    uint64_t taken;                        /* items so far */
    uint32_t mask;                         /* slots less one; there are a power of two */
    uint32_t *slot;                        /* [mask + 1] place of the newest item in item[], HD_EMPTY: none */
    uint64_t *used;                        /* a bit a slot */
    uint32_t *item;                        /* blocks of HD_BLOCK words; the first belongs to no slot */
    uint32_t nitem, item_room, free_block; /* words given out so far, there are; a block given back, 0: none */
    uint32_t *batch;                       /* items taken out, the newest last */
    uint32_t batch_room;
    struct hd_event *event;
    uint32_t room, unused; /* records there are; first free one */
    struct hd_late *late;  /* heap by time, then event */
    uint32_t nlate, late_room;
    struct hd_arena *arena;
    bool failed; /* out of memory: events are lost, the run is void */
};

/* A wheel that turns in at least span nanoseconds; false: out of memory. */
bool hd_wheel_init(struct hd_wheel *w, struct hd_arena *arena, uint64_t span);
/* Back to time 0 with nothing pending. */
void hd_wheel_clear(struct hd_wheel *w);
/* Goes on to the next time something happens; false: nothing is pending. */
bool hd_wheel_advance(struct hd_wheel *w);
/* Takes all items of the present time out of their slot and puts them on the n that are in the batch; how many there
 * are now. */
uint32_t hd_wheel_gather(struct hd_wheel *w, uint32_t n);

/* Slow parts of the functions below. */
uint32_t hd_wheel_block(struct hd_wheel *w, uint32_t slot);
bool hd_wheel_grow(struct hd_wheel *w);
void hd_wheel_late(struct hd_wheel *w, uint64_t time, uint32_t item);

static inline void hd_wheel_slot(struct hd_wheel *w, uint64_t time, uint32_t item)
{
    uint32_t at = (uint32_t)time & w->mask, top = w->slot[at];
    if (top % HD_BLOCK == HD_EMPTY) top = hd_wheel_block(w, at); /* the block is full, or there is none */
    w->item[++top] = item;
    w->slot[at] = top;
}

static inline void hd_wheel_item(struct hd_wheel *w, uint64_t time, uint32_t item)
{
    if (__builtin_expect(time - w->now > w->mask, 0))
        hd_wheel_late(w, time, item);
    else
        hd_wheel_slot(w, time, item);
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

/* The record of an item, which is free from now on. */
static inline struct hd_event hd_wheel_record(struct hd_wheel *w, uint32_t item)
{
    uint32_t i = item & HD_ITEM_MASK;
    struct hd_event e = w->event[i];
    w->event[i].next = w->unused;
    w->unused = i;
    return e;
}

/* The slot of the present time; not HD_EMPTY: something (more) happens. */
static inline uint32_t *hd_wheel_present(const struct hd_wheel *w)
{
    return &w->slot[(uint32_t)w->now & w->mask];
}

#endif
