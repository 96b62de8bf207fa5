/* SPDX-License-Identifier: BSD-2-Clause */
/* Arenas: everything a result needs is allocated from one, and freed in one call.
 * Small requests share 64 KiB chunks; a large one gets a chunk of its own. Memory comes zeroed. */
#ifndef HD_BASE_ARENA_H
#define HD_BASE_ARENA_H

#include <stddef.h>

struct hd_chunk;

struct hd_arena {
    struct hd_chunk *top;
};

struct hd_mark {
    struct hd_chunk *top;
    size_t used;
};

/* n * size zeroed bytes aligned to 16; NULL when memory is out or n * size overflows.
 * n == 0 gives a valid pointer that must not be read. */
void *hd_alloc(struct hd_arena *a, size_t n, size_t size);
char *hd_strdup(struct hd_arena *a, const char *s, size_t len);
/* Scratch: everything allocated after the mark goes. */
struct hd_mark hd_arena_mark(const struct hd_arena *a);
void hd_arena_rewind(struct hd_arena *a, struct hd_mark m);
void hd_arena_release(struct hd_arena *a);

#define HD_NEW(arena, type, n) ((type *)hd_alloc((arena), (n), sizeof(type)))

#endif
