/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/wheel.h"

#include <string.h>

enum { LEAST = 4096, MOST = 1 << 20 };

bool hd_wheel_init(struct hd_wheel *w, struct hd_arena *arena, uint64_t span)
{
    *w = (struct hd_wheel){.arena = arena, .size = LEAST, .unused = HD_NO_EVENT};
    while (w->size < span && w->size < MOST) w->size *= 2;
    w->slot = HD_NEW(arena, uint32_t, w->size);
    w->used = HD_NEW(arena, uint64_t, w->size / 64);
    if (!w->slot || !w->used) return false;
    hd_wheel_clear(w);
    return true;
}

void hd_wheel_clear(struct hd_wheel *w)
{
    memset(w->slot, 0xff, w->size * sizeof *w->slot);
    memset(w->used, 0, w->size / 8);
    w->now = 0;
    w->pending = w->nlate = 0;
    w->unused = w->room ? 0 : HD_NO_EVENT;
    for (uint32_t e = 0; e < w->room; e++) w->event[e].next = e + 1 < w->room ? e + 1 : HD_NO_EVENT;
}

/* Called with no free event. */
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
    if (w->nlate == w->late_room) {
        uint32_t room = w->late_room ? 2 * w->late_room : 1024;
        struct hd_late *more = HD_NEW(w->arena, struct hd_late, room);
        if (!more) {
            w->failed = true;
            return;
        }
        if (w->nlate) memcpy(more, w->late, w->nlate * sizeof *more);
        w->late = more;
        w->late_room = room;
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

/* The next slot in use after the present one, once round. */
static uint64_t next_time(const struct hd_wheel *w)
{
    uint32_t mask = w->size - 1, from = ((uint32_t)w->now + 1) & mask, word = from / 64, words = w->size / 64;
    uint64_t bits = w->used[word] & ~0ull << from % 64;
    for (uint32_t i = 0; !bits && i < words; i++) {
        word = (word + 1) & (words - 1);
        bits = w->used[word];
    }
    uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return w->now + 1 + ((at - from) & mask);
}

bool hd_wheel_advance(struct hd_wheel *w)
{
    if (w->failed) return false;
    if (w->pending)
        w->now = next_time(w);
    else if (w->nlate)
        w->now = w->late[0].time;
    else
        return false;
    /* A late event may come before the next one in the wheel: its time was beyond a turn when it was added,
     * so it is brought in as soon as the wheel comes near, which is before its time. */
    while (w->nlate && w->late[0].time - w->now < w->size) {
        uint64_t time = w->late[0].time;
        hd_wheel_slot(w, time, take_late(w));
    }
    return true;
}
