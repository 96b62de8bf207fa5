/* SPDX-License-Identifier: BSD-2-Clause */
/* A file server that is slow, for OpenSM alone: loaded before the C library, it has OpenSM wait SLOW_SECONDS before it
 * opens a file whose name has SLOW_FILE in it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    const char *file = getenv("SLOW_FILE"), *seconds = getenv("SLOW_SECONDS");
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list rest;
    va_start(rest, flags);
    const int mode = va_arg(rest, int);
    va_end(rest);
    if (file && seconds && strstr(path, file) && strcmp(program_invocation_short_name, "opensm") == 0) {
        usleep((useconds_t)(1e6 * atof(seconds)));
        fprintf(stderr, "slow_open: %s at last\n", path);
    }
    return next(path, flags, mode);
}
