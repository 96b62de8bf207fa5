/* SPDX-License-Identifier: BSD-2-Clause */
/* Arenas as a stack of chunks: allocation moves a pointer, release frees the chunks, so a result with a thousand arrays
 * is freed in a few calls. Chunks come from calloc, which takes large ones zeroed from the kernel without touching
 * them. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The tests of failing allocations compile this with 0: then every request is an allocation, and fails alone. */
#ifndef HD_ARENA_CHUNK
#define HD_ARENA_CHUNK (64 * 1024)
#endif

/* OWNED: the first chunk of an object. There may be tens of thousands of small ones, as the nodes of jobs. */
enum { CHUNK = HD_ARENA_CHUNK, OWNED = 4096 - 64, HEADER = 64, PAGE = 4096, LARGE = 4 << 20 };

struct hd_chunk {
    struct hd_chunk *below;
    size_t used, size; /* of the payload, which begins HEADER bytes after the chunk */
};

static unsigned char *payload(struct hd_chunk *c)
{
    return (unsigned char *)c + HEADER;
}

/* Arrays of many megabytes are cheaper on large pages: one fault for two megabytes, and addresses that the processor
 * keeps at hand. A hint; where there are no large pages nothing changes. */
static void want_large_pages(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
    uintptr_t from = ((uintptr_t)p + PAGE - 1) / PAGE * PAGE, to = ((uintptr_t)p + size) / PAGE * PAGE;
    if (size >= LARGE) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)p, (void)size;
#endif
}

static struct hd_chunk *push_chunk(struct hd_arena *a, size_t size)
{
    /* calloc hands large blocks straight from the kernel: zeroed without touching them. */
    struct hd_chunk *c = calloc(1, size + HEADER);
    if (!c) return NULL;
    want_large_pages(c, size);
    c->size = size;
    c->below = a->top;
    a->top = c;
    return c;
}

void *hd_alloc(struct hd_arena *a, size_t n, size_t size)
{
    if (size && n > (SIZE_MAX / 2) / size) return NULL;
    /* A chunk of its own is not rounded up: AddressSanitizer then finds one byte too many. */
    size_t bytes = CHUNK ? (n * size + 15) & ~(size_t)15 : n * size;
    if (bytes < n * size) return NULL;
    if (bytes == 0) bytes = 16;
    struct hd_chunk *c = a->top;
    if (!c || c->size - c->used < bytes) {
        c = push_chunk(a, bytes > CHUNK / 4 ? bytes : CHUNK);
        if (!c) return NULL;
    }
    void *p = payload(c) + c->used;
    c->used += bytes;
    return p;
}

bool hd_alloc_u32(struct hd_arena *a, size_t n, uint32_t **const *at, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) ok = (*at[i] = HD_NEW(a, uint32_t, n)) && ok;
    return ok;
}

char *hd_strdup(struct hd_arena *a, const char *s, size_t len)
{
    char *copy = hd_alloc(a, len + 1, 1);
    if (copy) memcpy(copy, s, len);
    return copy;
}

bool hd_more(struct hd_arena *a, void *array, uint32_t n, uint32_t *room, size_t size)
{
    enum { LEAST = 64 };
    void *old, *more;
    if (n < *room) return true;
    memcpy(&old, array, sizeof old);
    if (*room > UINT32_MAX / 2 || !(more = hd_alloc(a, *room ? 2 * (size_t)*room : LEAST, size))) return false;
    if (n) memcpy(more, old, n * size);
    memcpy(array, &more, sizeof more);
    *room = *room ? 2 * *room : LEAST;
    return true;
}

struct hd_mark hd_arena_mark(const struct hd_arena *a)
{
    struct hd_mark m = {a->top, a->top ? a->top->used : 0};
    return m;
}

void hd_arena_rewind(struct hd_arena *a, struct hd_mark m)
{
    while (a->top != m.top) {
        struct hd_chunk *below = a->top->below;
        free(a->top);
        a->top = below;
    }
    if (a->top) {
        memset(payload(a->top) + m.used, 0, a->top->used - m.used);
        a->top->used = m.used;
    }
}

void hd_arena_release(struct hd_arena *a)
{
    struct hd_mark bottom = {NULL, 0};
    hd_arena_rewind(a, bottom);
}

void *hd_owned_new(size_t size, struct hd_arena **own)
{
    struct hd_arena first = {0};
    if (CHUNK > 0 && !push_chunk(&first, OWNED)) return NULL;
    struct hd_arena *a = HD_NEW(&first, struct hd_arena, 1);
    void *object = a ? hd_alloc(&first, 1, size) : NULL;
    if (object) *(*own = a) = first;
    if (!object) hd_arena_release(&first);
    return object;
}

void hd_owned_free(void *own)
{
    struct hd_arena a = *(const struct hd_arena *)own;
    hd_arena_release(&a);
}
