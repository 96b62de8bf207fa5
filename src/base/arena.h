/* SPDX-License-Identifier: BSD-2-Clause */
/* Arenas: everything a result needs is allocated from one, and freed in one call.
 * Small requests share 64 KiB chunks; a large one gets a chunk of its own. Memory comes zeroed. */
#ifndef HD_BASE_ARENA_H
#define HD_BASE_ARENA_H

#include "heddle/extend.h"

struct hd_chunk;

struct hd_arena {
    struct hd_chunk *top;
};

struct hd_mark {
    struct hd_chunk *top;
    size_t used;
};

char *hd_strdup(struct hd_arena *a, const char *s, size_t len);
/* Scratch: everything allocated after the mark goes. */
struct hd_mark hd_arena_mark(const struct hd_arena *a);
void hd_arena_rewind(struct hd_arena *a, struct hd_mark m);
void hd_arena_release(struct hd_arena *a);

/* A zeroed object that owns its memory: *own, which lives in itself, holds it and what is allocated from it later.
 * NULL: no memory. */
void *hd_owned_new(size_t size, struct hd_arena **own);
void hd_owned_free(void *own);

/* Makes room for one more than the n elements of an array, whose room doubles when it is used up; false: out of memory,
 * and the array stays as it is. array is an lvalue, room one of type uint32_t. */
#define HD_MORE(arena, array, n, room) hd_more((arena), &(array), (n), &(room), sizeof *(array))
bool hd_more(struct hd_arena *a, void *array, uint32_t n, uint32_t *room, size_t size);
/* An array of n numbers for each of count pointers; false: no memory. */
bool hd_alloc_u32(struct hd_arena *a, size_t n, uint32_t **const *at, size_t count);

#define HD_NEW(arena, type, n) ((type *)hd_alloc((arena), (n), sizeof(type)))
/* HD_NEW_U32(arena, n, &x, &y, &z) for uint32_t *x, *y, *z. */
#define HD_NEW_U32(arena, n, ...)                                                                                      \
    hd_alloc_u32(arena, n, (uint32_t * *const[]){__VA_ARGS__},                                                         \
                 sizeof((uint32_t **const[]){__VA_ARGS__}) / sizeof(void *))

#endif
