/* SPDX-License-Identifier: BSD-2-Clause */
/* A number that the user gives may be that of a file which the process itself has opened since: the temporary file of
 * another result, or a connection of MPI. So the command notes at its start which descriptors there are. */
#include "base/descriptors.h"
#include "tool/files.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
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

/* Whose descriptors are in a folder, by its own path: PID/fd or PID/task/TID/fd of a proc file system, wherever that is
 * mounted, and of this process if "self" says so there. Changes folder, which has room for PATH_MAX bytes. */
static enum { NOBODYS, OWN, OTHERS } folder_whose(char *folder)
{
    struct statfs fs;
    char self[32], pid[32];
    char *end = strrchr(folder, '/');
    if (!end || strcmp(end, "/fd") != 0 || statfs(folder, &fs) != 0 || fs.f_type != PROC_SUPER_MAGIC) return NOBODYS;
    *end = 0;
    end = strrchr(folder, '/');
    if (end && end - folder > 5 && strncmp(end - 5, "/task", 5) == 0) {
        end[-5] = 0;
        end = strrchr(folder, '/');
    }
    if (!end) return OTHERS;
    snprintf(pid, sizeof pid, "%s", end + 1);
    snprintf(end, sizeof "/self", "/self");
    ssize_t n = readlink(folder, self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    return strcmp(self, pid) == 0 ? OWN : OTHERS;
}

/* The folder of a path becomes its own, through links and dots; one that is not there, as without /proc, stays as it is
 * written. False: too long. */
static bool path_resolve(char at[PATH_MAX], char folder[PATH_MAX])
{
    char given[PATH_MAX], whole[2 * PATH_MAX];
    const char *slash = strrchr(at, '/'), *leaf = slash ? slash + 1 : at;
    snprintf(given, sizeof given, "%.*s", slash ? (int)(slash - at) + 1 : 1, slash ? at : ".");
    *folder = 0;
    if (!realpath(given, folder)) return true;
    const int n = snprintf(whole, sizeof whole, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, leaf);
    if (n >= PATH_MAX) return false;
    memcpy(at, whole, (size_t)n + 1);
    return true;
}

/* The descriptor that a path means by its number, its folder being that. */
static int descriptor_by_number(const char *at, char *folder)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    const char *slash = strrchr(at, '/'), *number = slash ? slash + 1 : at;
    const size_t n = strlen(number);
    if (!n || n > 6 || strspn(number, "0123456789") != n) return HD_NO_DESCRIPTOR;
    for (size_t i = 0; !*folder && i < sizeof folders / sizeof *folders; i++)
        if (strlen(folders[i]) == (size_t)(number - at) && strncmp(at, folders[i], strlen(folders[i])) == 0)
            return atoi(number);
    switch (folder_whose(folder)) {
    case OWN: return atoi(number);
    case OTHERS: return HD_OF_ANOTHER;
    default: return HD_NO_DESCRIPTOR;
    }
}

int hd_descriptor_of(const char *path)
{
    char at[PATH_MAX], folder[PATH_MAX], target[PATH_MAX], next[2 * PATH_MAX];
    snprintf(at, sizeof at, "%s", path);
    for (int links = 0; links < 40; links++) {
        if (!path_resolve(at, folder)) return HD_NO_DESCRIPTOR;
        if (strcmp(at, "/dev/stdout") == 0) return STDOUT_FILENO;
        if (strcmp(at, "/dev/stderr") == 0) return STDERR_FILENO;
        const int descriptor = descriptor_by_number(at, folder);
        if (descriptor != HD_NO_DESCRIPTOR) return descriptor;
        ssize_t n = readlink(at, target, sizeof target - 1);
        if (n <= 0) return HD_NO_DESCRIPTOR;
        target[n] = 0;
        const char *slash = strrchr(at, '/');
        int length = slash && target[0] != '/' ? (int)(slash - at) + 1 : 0;
        if (snprintf(next, sizeof next, "%.*s%s", length, at, target) >= (int)sizeof at) return HD_NO_DESCRIPTOR;
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
