/* SPDX-License-Identifier: BSD-2-Clause */
/* A number that the user gives may be that of a file which the process itself has opened since: the temporary file of
 * another result, or a connection of MPI. So the command notes at its start which descriptors there are. */
#include "base/descriptors.h"
#include "tool/files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTED = 1024 }; /* those above are known by being closed on exec, as all are that a process of ours opens */

static bool are_noted, inherited[NOTED];

void hd_files_inherit(void)
{
    for (int fd = 0; fd < NOTED; fd++) inherited[fd] = fcntl(fd, F_GETFD) >= 0;
    are_noted = true;
}

bool hd_is_inherited(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFD);
    if (!are_noted || flags < 0) return flags >= 0;
    return descriptor < NOTED ? inherited[descriptor] : !(flags & FD_CLOEXEC);
}

/* Whether a path is a descriptor of a process by its number. */
static bool is_numbered_descriptor(const char *path)
{
    int end = 0;
    sscanf(path, "/proc/%*[0-9]/fd/%*[0-9]%n", &end);
    return end && !path[end];
}

/* Repeated slashes, and dots between them, lead nowhere: /dev//./fd/3 is /dev/fd/3. */
static void path_shorten(char *path)
{
    const char *from = path;
    while (*from) {
        if (from[0] == '/' && from[1] == '/')
            from++;
        else if (from[0] == '/' && from[1] == '.' && from[2] == '/')
            from += 2;
        else
            *path++ = *from++;
    }
    *path = 0;
}

int hd_descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    char at[PATH_MAX], target[PATH_MAX], next[2 * PATH_MAX];
    snprintf(at, sizeof at, "%s", path);
    for (int links = 0; links < 40; links++) {
        path_shorten(at);
        if (strcmp(at, "/dev/stdout") == 0) return STDOUT_FILENO;
        if (strcmp(at, "/dev/stderr") == 0) return STDERR_FILENO;
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            const char *number = at + strlen(folders[i]);
            if (strncmp(at, folders[i], strlen(folders[i])) != 0 || !*number || strlen(number) > 6) continue;
            if (strspn(number, "0123456789") == strlen(number)) return atoi(number);
        }
        if (is_numbered_descriptor(at)) return HD_OF_ANOTHER;
        ssize_t n = readlink(at, target, sizeof target - 1);
        if (n <= 0) return HD_NO_DESCRIPTOR;
        target[n] = 0;
        const char *slash = strrchr(at, '/');
        int folder = slash && target[0] != '/' ? (int)(slash - at) + 1 : 0;
        if (snprintf(next, sizeof next, "%.*s%s", folder, at, target) >= (int)sizeof at) return HD_NO_DESCRIPTOR;
        strcpy(at, next);
    }
    return HD_NO_DESCRIPTOR;
}

bool hd_is_same_stream(const struct stat *a, const struct stat *b)
{
    return (S_ISREG(a->st_mode) || S_ISFIFO(a->st_mode)) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool hd_is_standard_output(const char *path)
{
    struct stat st, out;
    const int descriptor = hd_descriptor_of(path);
    if (strcmp(path, "-") == 0 || descriptor == STDOUT_FILENO) return true;
    return descriptor != HD_NO_DESCRIPTOR && stat(path, &st) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
           hd_is_same_stream(&st, &out);
}
