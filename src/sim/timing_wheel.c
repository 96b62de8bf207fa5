/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue of events: a wheel of one slot per nanosecond, a heap for what lies beyond one turn (timing_wheel.h). A put
 * and a take are O(1) within the wheel; memory is linear in the events under way. */
#include "sim/timing_wheel.h"

#include <string.h>

enum { LEAST = 4096, MOST = 1 << 20, BLOCKS = 256 };

static bool grow_items(struct hd_wheel *w)
{
    uint32_t room = w->item_room ? 2 * w->item_room : BLOCKS * HD_BLOCK;
    uint32_t *more = w->failed || w->item_room > UINT32_MAX / 4 ? NULL : HD_NEW(w->arena, uint32_t, room);
    if (!more) return false;
    if (w->item_room) memcpy(more, w->item, w->nitem * sizeof *more);
    w->item = more;
    w->item_room = room;
    return true;
}

bool hd_wheel_init(struct hd_wheel *w, struct hd_arena *arena, uint64_t span)
{
    uint32_t size = LEAST;
    while (size < span && size < MOST) size *= 2;
    *w = (struct hd_wheel){.arena = arena, .mask = size - 1, .unused = HD_NO_EVENT};
    w->slot = HD_NEW(arena, uint32_t, size);
    w->used = HD_NEW(arena, uint64_t, size / 64);
    if (!w->slot || !w->used || !grow_items(w)) return false; /* the spare block exists before any other is needed */
    hd_wheel_clear(w);
    return true;
}

void hd_wheel_clear(struct hd_wheel *w)
{
    for (uint32_t i = 0; i <= w->mask; i++) w->slot[i] = HD_EMPTY;
    memset(w->used, 0, ((size_t)w->mask + 1) / 8);
    w->now = w->taken = 0;
    w->nlate = 0;
    w->nitem = HD_BLOCK;
    w->free_block = 0;
    w->unused = w->room ? 0 : HD_NO_EVENT;
    for (uint32_t e = 0; e < w->room; e++) w->event[e].next = e + 1 < w->room ? e + 1 : HD_NO_EVENT;
}

/* A new block on top of a slot; the place before its first item. Out of memory the first block, the spare one, takes
 * what is lost. */
uint32_t hd_wheel_block(struct hd_wheel *w, uint32_t slot)
{
    uint32_t b = w->free_block;
    if (b) {
        w->free_block = w->item[b];
    } else {
        if (w->nitem + HD_BLOCK > w->item_room && !grow_items(w)) {
            w->failed = true;
            return 0;
        }
        b = w->nitem;
        w->nitem += HD_BLOCK;
    }
    w->item[b] = w->slot[slot];
    w->used[slot / 64] |= 1ull << slot % 64;
    return b;
}

static bool grow_batch(struct hd_wheel *w, uint32_t n, uint32_t need)
{
    uint32_t room = 2 * need + 1024, *more = HD_NEW(w->arena, uint32_t, (size_t)room + HD_AHEAD);
    if (!more) return false;
    for (uint32_t i = 0; i < HD_AHEAD; i++) more[i] = HD_NO_EVENT;
    more += HD_AHEAD;
    if (n) memcpy(more, w->batch, n * sizeof *more);
    w->batch = more;
    w->batch_room = room;
    return true;
}

/* From the newest block down; only that one may be part full. */
uint32_t hd_wheel_gather(struct hd_wheel *w, uint32_t n)
{
    uint32_t at = (uint32_t)w->now & w->mask, top = w->failed ? HD_EMPTY : w->slot[at], end = n;
    for (uint32_t t = top; t != HD_EMPTY; t = w->item[t & ~(HD_BLOCK - 1u)]) end += t % HD_BLOCK;
    if (end > w->batch_room && !grow_batch(w, n, end)) {
        w->failed = true;
        return 0;
    }
    for (uint32_t to = end; top != HD_EMPTY;) {
        uint32_t *block = &w->item[top & ~(HD_BLOCK - 1u)], below = *block, k = top % HD_BLOCK;
        to -= k;
        memcpy(&w->batch[to], block + 1, k * sizeof *block);
        *block = w->free_block;
        w->free_block = top & ~(HD_BLOCK - 1u);
        top = below;
    }
    w->taken += end - n;
    w->slot[at] = HD_EMPTY;
    w->used[at / 64] &= ~(1ull << at % 64);
    return end;
}

/* Called with no free record. */
bool hd_wheel_grow(struct hd_wheel *w)
{
    uint32_t room = w->room ? 2 * w->room : 4096;
    struct hd_event *more = w->failed || w->room > HD_ITEM_MASK / 2 ? NULL : HD_NEW(w->arena, struct hd_event, room);
    if (!more) {
        w->failed = true;
        return false;
    }
    if (w->room) memcpy(more, w->event, w->room * sizeof *more);
    for (uint32_t e = w->room; e < room; e++) more[e].next = e + 1 < room ? e + 1 : HD_NO_EVENT;
    w->unused = w->room;
    w->event = more;
    w->room = room;
    return true;
}

static bool before(struct hd_late a, struct hd_late b)
{
    return a.time != b.time ? a.time < b.time : a.item < b.item;
}

void hd_wheel_late(struct hd_wheel *w, uint64_t time, uint32_t item)
{
    if (!HD_MORE(w->arena, w->late, w->nlate, w->late_room)) {
        w->failed = true;
        return;
    }
    struct hd_late v = {time, item};
    uint32_t i = w->nlate++;
    for (; i > 0 && before(v, w->late[(i - 1) / 2]); i = (i - 1) / 2) w->late[i] = w->late[(i - 1) / 2];
    w->late[i] = v;
}

static uint32_t take_late(struct hd_wheel *w)
{
    uint32_t item = w->late[0].item, i = 0, n = --w->nlate;
    struct hd_late v = w->late[n];
    for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && before(w->late[k + 1], w->late[k])) k++;
        if (!before(w->late[k], v)) break;
        w->late[i] = w->late[k];
    }
    w->late[i] = v;
    return item;
}

/* The time of the next slot in use after the present one, once round; the present time: there is none. */
static uint64_t next_time(const struct hd_wheel *w)
{
    uint32_t from = ((uint32_t)w->now + 1) & w->mask, word = from / 64, words = (w->mask + 1) / 64;
    uint64_t bits = w->used[word] & ~0ull << from % 64;
    for (uint32_t i = 0; !bits && i < words; i++) {
        word = (word + 1) & (words - 1);
        bits = w->used[word];
    }
    if (!bits) return w->now;
    uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return w->now + 1 + ((at - from) & w->mask);
}

bool hd_wheel_advance(struct hd_wheel *w)
{
    if (w->failed) return false;
    uint64_t next = next_time(w);
    if (next != w->now)
        w->now = next;
    else if (w->nlate)
        w->now = w->late[0].time;
    else
        return false;
    /* A late event may come before the next one in the wheel: its time was beyond a turn when it was added,
     * so it is brought in as soon as the wheel comes near, which is before its time. */
    while (w->nlate && w->late[0].time - w->now <= w->mask) {
        uint64_t time = w->late[0].time;
        hd_wheel_slot(w, time, take_late(w));
    }
    return true;
}
