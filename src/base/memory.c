/* SPDX-License-Identifier: BSD-2-Clause */
/* Available memory as Linux reports it in /proc/meminfo, in the files of control groups (version 2 and 1), which
 * containers and batch systems set, and by getrlimit. What cannot be read is no limit. Cost: a few small files, only
 * for what is large. */
#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SMALL = 256 << 20 };

/* The number behind key in a file, or at its beginning with key ""; UINT64_MAX: none, such as "max". */
static uint64_t memory_number(const char *path, const char *key)
{
    char line[256];
    unsigned long long n = 0;
    bool found = false;
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%llu", &n) == 1;
    if (f) fclose(f);
    return found ? n : UINT64_MAX;
}

static uint64_t memory_left(uint64_t most, uint64_t used)
{
    if (most == UINT64_MAX || used == UINT64_MAX) return most;
    return used < most ? most - used : 0;
}

static uint64_t memory_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t hd_memory_available(void)
{
    struct rlimit space;
    uint64_t kib = memory_number("/proc/meminfo", "MemAvailable:"), least = kib == UINT64_MAX ? kib : kib * 1024;
    least = memory_least(least, memory_left(memory_number("/sys/fs/cgroup/memory.max", ""),
                                            memory_number("/sys/fs/cgroup/memory.current", "")));
    least = memory_least(least, memory_left(memory_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", ""),
                                            memory_number("/sys/fs/cgroup/memory/memory.usage_in_bytes", "")));
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        uint64_t pages = memory_number("/proc/self/statm", "");
        least = memory_least(
            least, memory_left(space.rlim_cur, pages == UINT64_MAX ? pages : pages * (uint64_t)sysconf(_SC_PAGESIZE)));
    }
    return least;
}

hd_status hd_memory_fits(struct hd_ctx *ctx, const char *what, uint64_t bytes)
{
    const double gb = 1e9;
    uint64_t available = bytes > SMALL ? hd_memory_available() : UINT64_MAX;
    if (bytes <= available) return HD_OK;
    return hd_fail(ctx, HD_LIMIT, "%.200s needs about %.1f GB of memory, and %.1f GB are available", what,
                   (double)bytes / gb, (double)available / gb);
}
