/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files and who removes them. The list of paths is the one thing that is shared by all contexts: a signal
 * handler is given nothing but the number of its signal, so it must find them by itself. It takes a path out of its
 * slot in one atomic step, as a thread does that forgets it, so neither frees nor removes what the other has. */
#include "base/temp_file.h"
#include "base/protected.h"
#include "tool/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 256, MOST_NAME = 200 }; /* a name has 255 bytes on most file systems */

static _Atomic(char *) remembered[SLOTS];
static atomic_int holding, waiting;

static const char *const ending[] = {[HD_TEMP_NEW] = ".tmp", [HD_TEMP_OLD] = ".old"};

/* ---- signals --------------------------------------------------------------------------------- */

int hd_temp_remember(const char *path)
{
    char *copy = strdup(path);
    for (int i = 0; copy && i < SLOTS; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&remembered[i], &none, copy)) return i;
    }
    free(copy);
    return -1;
}

void hd_temp_forget(int slot)
{
    if (slot >= 0) free(atomic_exchange(&remembered[slot], NULL));
}

void hd_files_leave(void)
{
    const char *folder[SLOTS];
    int n = 0;
    for (int i = SLOTS; i-- > 0;) {
        const char *path = atomic_exchange(&remembered[i], NULL);
        if (path && unlink(path) != 0 && errno == EISDIR) folder[n++] = path;
    }
    for (int left = n + 1; n < left;) { /* until none is empty: a folder may be in another */
        left = n;
        for (int i = n = 0; i < left; i++)
            if (rmdir(folder[i]) != 0) folder[n++] = folder[i];
    }
}

void hd_files_on_signal(int number)
{
    if (atomic_load(&holding)) {
        atomic_store(&waiting, number);
        return;
    }
    hd_files_leave();
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

void hd_temp_hold_signals(void)
{
    atomic_fetch_add(&holding, 1);
}

void hd_temp_release_signals(void)
{
    if (atomic_fetch_sub(&holding, 1) != 1) return;
    int number = atomic_exchange(&waiting, 0);
    if (number) raise(number);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A number for this machine: a process number means nothing on another that shares the file system. */
static uint32_t machine_number(void)
{
    char name[256] = "";
    uint32_t h = 2166136261u;
    gethostname(name, sizeof name - 1);
    for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c) * 16777619u;
    return h;
}

static size_t folder_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) + 1 : 0;
}

char *hd_temp_name(const char *name, enum hd_temp_kind kind)
{
    static atomic_uint count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    size_t folder = folder_length(name), room = strlen(name) + 64;
    unsigned tail = (unsigned)now.tv_nsec + 7919u * atomic_fetch_add(&count, 1);
    char *temp = malloc(room);
    if (temp)
        snprintf(temp, room, "%.*s%.*s%s%ld-%08x-%06x", (int)folder, name, MOST_NAME, name + folder, ending[kind],
                 (long)getpid(), machine_number(), tail & 0xffffff);
    return temp;
}

/* ---- files that are in use ------------------------------------------------------------------- */

/* Descriptors from this one on are left to others; a command itself needs about ten at a time. */
static int spared_descriptors(void)
{
    enum { NEEDED = 16, MOST = 512 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= NEEDED) return 0;
    return limit.rlim_cur < 2 * MOST ? (int)(limit.rlim_cur - NEEDED) / 2 : MOST;
}

bool hd_temp_lock(int fd, int *lock)
{
    struct stat st;
    *lock = -1;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK; /* some file systems have no locks */
    if (fstat(fd, &st) == 0 && st.st_nlink == 0) return false;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < spared_descriptors())
        *lock = copy;
    else
        close(copy);
    return true;
}

int hd_temp_open(int at, const char *name)
{
    const int how = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(at, name, O_RDWR | how); /* NFS locks nothing that is open for reading alone */
    return fd < 0 && errno == EACCES ? openat(at, name, O_RDONLY | how) : fd;
}

void hd_temp_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

/* Whether nobody has the lock: a process number says nothing about a process of another container. Its lock is taken,
 * so that nobody can begin to use it now; where there are no locks the process number has to do. -1: it is in use, or
 * cannot be opened. */
static int temp_take(const struct hd_ctx *ctx, int folder, const char *name)
{
    struct stat st;
    int fd = hd_temp_open(folder, name);
    if (fd < 0) return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !hd_is_input(ctx, &st) &&
        (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK))
        return fd;
    close(fd);
    return -1;
}

/* A process whose parent has not waited for it yet still has its number. */
static bool process_is_gone(long pid)
{
    char path[40], text[256];
    if (pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH)) return pid > 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    return strstr(text, ") Z ") != NULL;
}

/* Whether a name is a temporary one beside base, of a process of this machine that is gone. */
static bool temp_is_stale(const char *name, const char *base, enum hd_temp_kind kind)
{
    size_t n = strnlen(base, MOST_NAME);
    long pid;
    unsigned machine, tail;
    int end = 0;
    if (strncmp(name, base, n) != 0 || strncmp(name + n, ending[kind], strlen(ending[kind])) != 0) return false;
    name += n + strlen(ending[kind]);
    if (sscanf(name, "%ld-%8x-%6x%n", &pid, &machine, &tail, &end) != 3 || name[end]) return false;
    return machine == machine_number() && process_is_gone(pid);
}

void hd_temp_clean(const struct hd_ctx *ctx, int at, const char *name, enum hd_temp_kind kind)
{
    size_t n = folder_length(name);
    char *folder = n ? strndup(name, n) : strdup(".");
    int fd = folder ? openat(at, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d && fd >= 0) close(fd);
    for (const struct dirent *e; d && (e = readdir(d));) {
        int taken = temp_is_stale(e->d_name, name + n, kind) ? temp_take(ctx, fd, e->d_name) : -1;
        if (taken < 0) continue;
        unlinkat(fd, e->d_name, 0);
        close(taken);
    }
    if (d) closedir(d);
}
