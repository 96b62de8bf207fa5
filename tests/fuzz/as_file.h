/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as a file with a path, for readers that open one: a single file that is gone with the process. In memory where
 * there is such a folder: a file system on a disk writes to it whenever a file that was cut is closed. */
#ifndef AS_FILE_H
#define AS_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline const char *as_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        char memory[] = "/dev/shm/heddle-fuzz-XXXXXX", disk[] = "/tmp/heddle-fuzz-XXXXXX", *name = memory;
        if ((fd = mkstemp(memory)) < 0) fd = mkstemp(name = disk);
        if (fd < 0 || unlink(name) != 0) abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
    return path;
}

#endif
