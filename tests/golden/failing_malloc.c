/* SPDX-License-Identifier: BSD-2-Clause */
/* Preloaded into the command by cli_memory.sh: allocation number $FAIL_AT of the program itself fails, all others
 * succeed. Calls from shared libraries are neither counted nor failed: the C and OpenMP run-time libraries end the
 * process when theirs fail, and that is not ours to test. Without FAIL_AT the number of allocations goes to the file
 * $COUNT_TO. One thread only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t first, last; /* addresses of the program */
static unsigned long count, fail_at;

static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    first = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        uintptr_t begin = info->dlpi_addr + p->p_vaddr;
        if (begin < first) first = begin;
        if (begin + p->p_memsz > last) last = begin + p->p_memsz;
    }
    return 1; /* the first object is the program */
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    dl_iterate_phdr(find_program, NULL);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("COUNT_TO");
    FILE *f = path && !fail_at ? fopen(path, "w") : NULL;
    if (!f) return;
    fprintf(f, "%lu\n", count);
    fclose(f);
}

static int fails(const void *caller)
{
    if ((uintptr_t)caller < first || (uintptr_t)caller >= last || ++count != fail_at) return 0;
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails(CALLER) ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

char *strdup(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = fails(CALLER) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, s, size) : NULL;
}
