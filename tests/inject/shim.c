/* SPDX-License-Identifier: BSD-2-Clause */
/* Preloaded into the command or a test program: call number n of one class fails, as it does on a machine without
 * memory, disk, descriptors or processes to spare. INJECT=CLASS:N[:HOW] says which; HOW is
 *     once   (default) that call alone
 *     on     that call and all later ones of its class, as when a disk is full
 *     intr   that call is interrupted by a signal (EINTR): nothing may change
 *     short  that call transfers one byte: nothing may change
 *     kill   the process is killed before that call (SIGKILL)
 *     term   SIGTERM comes as that call has been carried out
 * Without INJECT nothing fails. INJECT_REPORT=FILE gets one line per call, "CLASS HASH", in order; HASH is that of the
 * innermost callers in the program, so that a driver can tell call sites apart. INJECT_TRACE=FILE gets the return
 * addresses of the program at the failing call, for addr2line. INJECT_OWN=1 leaves out all libraries.
 *
 * Whose calls count: those of the program, and allocations of the C library and of zlib and zstd on its behalf
 * (regcomp, realpath, strdup, inflateInit, ...). The OpenMP run-time library is counted by its threads and not by its
 * memory, of which it ends the process by itself. Other programs that are started are left alone.
 *
 * A program may also drive this from inside: see inject.h. Calls are counted without locks, so that INJECT is exact
 * with one thread only; class thread is exact with any number. */
#define _GNU_SOURCE
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum class { ALLOC, READ, WRITE, OPEN, CLOSE, FSYNC, RENAME, FOLDER, MMAP, FORK, THREAD, CLASSES };
static const char *const class_name[CLASSES] = {"alloc",  "read",   "write", "open", "close", "fsync",
                                                "rename", "folder", "mmap",  "fork", "thread"};
static const int class_errno[CLASSES] = {ENOMEM, EIO, ENOSPC, EMFILE, EIO, EIO, EACCES, ENOSPC, ENOMEM, EAGAIN, EAGAIN};

enum how { ONCE, ON, INTR, SHORT, KILL, TERM };
static const char *const how_name[] = {"once", "on", "intr", "short", "kill", "term"};

enum { MAX_CALLS = 1 << 21, MAX_RANGES = 16, FRAMES = 24, INNERMOST = 4 };

struct range {
    uintptr_t first, last;
    bool own; /* the program or our shared library; the others count for allocations only */
};

static struct range range[MAX_RANGES];
static int nrange;
static unsigned long count[CLASSES], fail_at;
static long live;
static enum class fail_class = CLASSES;
static enum how fail_how;
static const char *report, *trace;
static bool own_only;
static uint32_t *site[CLASSES]; /* hash of every call, for the report */
static bool off = true;         /* before the start, and in processes that were forked */
static __thread bool busy, ends; /* ends: with the call that is under way */

/* ---- whose call -------------------------------------------------------------------------------- */

static int note_object(struct dl_phdr_info *info, size_t size, void *user)
{
    static const char *const counted[] = {"/libheddle.so", "/libc.so", "/libz.so", "/libzstd.so", NULL};
    (void)size;
    (void)user;
    bool own = nrange == 0; /* the first object is the program */
    bool listed = own;
    for (int i = 0; counted[i] && !listed; i++)
        if (strstr(info->dlpi_name, counted[i])) listed = true, own = i == 0;
    if (!listed || nrange == MAX_RANGES) return 0;
    struct range r = {UINTPTR_MAX, 0, own};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        uintptr_t begin = info->dlpi_addr + p->p_vaddr;
        if (begin < r.first) r.first = begin;
        if (begin + p->p_memsz > r.last) r.last = begin + p->p_memsz;
    }
    range[nrange++] = r;
    return 0;
}

static const struct range *range_of(const void *address)
{
    for (int i = 0; i < nrange; i++)
        if ((uintptr_t)address >= range[i].first && (uintptr_t)address < range[i].last) return &range[i];
    return NULL;
}

static bool counts(enum class class, const void *caller)
{
    if (class == THREAD) return true;
    const struct range *r = range_of(caller);
    return r && (r->own || (class == ALLOC && !own_only));
}

/* FNV-1a over the innermost frames of the program, and those of libraries in between. */
static uint32_t call_site(void)
{
    void *frame[FRAMES];
    int n = backtrace(frame, FRAMES), used = 0;
    uint32_t hash = 2166136261u;
    for (int i = 0; i < n && used < INNERMOST; i++) {
        const struct range *r = range_of(frame[i]);
        if (!r) continue;
        uint32_t at = (uint32_t)((uintptr_t)frame[i] - r->first);
        for (int b = 0; b < 4; b++) hash = (hash ^ (at >> 8 * b & 255)) * 16777619u;
        used += r->own;
    }
    return hash;
}

static void write_trace(void)
{
    void *frame[FRAMES];
    int n = backtrace(frame, FRAMES);
    FILE *f = fopen(trace, "w");
    for (int i = 0; i < n && f; i++) {
        const struct range *r = range_of(frame[i]);
        if (r && r->own) fprintf(f, "%#lx\n", (unsigned long)((uintptr_t)frame[i] - r->first - 1));
    }
    if (f) fclose(f);
    trace = NULL;
}

/* ---- when to fail ------------------------------------------------------------------------------ */

static bool is_hit(enum class class, const void *caller)
{
    if (off || busy || !counts(class, caller)) return false;
    unsigned long n = __atomic_add_fetch(&count[class], 1, __ATOMIC_RELAXED);
    if (report && n <= MAX_CALLS) {
        busy = true;
        site[class][n - 1] = call_site();
        busy = false;
    }
    if (class != fail_class || n < fail_at || (n > fail_at && fail_how != ON)) return false;
    busy = true;
    if (trace) write_trace();
    if (fail_how == KILL) raise(SIGKILL);
    busy = false;
    ends = fail_how == TERM;
    return !ends;
}

/* Whether this call fails; errno is set. */
static bool fails(enum class class, const void *caller)
{
    if (!is_hit(class, caller) || fail_how == SHORT) return false;
    errno = fail_how == INTR ? EINTR : class_errno[class];
    return true;
}

/* For reads and writes: whether this call fails; *n is cut when it is to be short. */
static bool transfer_fails(enum class class, const void *caller, size_t *n)
{
    if (!is_hit(class, caller)) return false;
    if (fail_how == SHORT) {
        if (*n > 1) *n = 1;
        return false;
    }
    errno = fail_how == INTR ? EINTR : class_errno[class];
    return true;
}

/* The result of a call that has been carried out. */
static int carried_out(int result)
{
    const int error = errno;
    if (ends) {
        ends = false;
        raise(SIGTERM);
    }
    errno = error;
    return result;
}

/* ---- set up and report ------------------------------------------------------------------------- */

void inject_arm(const char *class, unsigned long n, const char *how)
{
    off = true;
    memset(count, 0, sizeof count);
    fail_class = CLASSES;
    fail_at = n;
    for (int c = 0; class && c < CLASSES; c++)
        if (strcmp(class, class_name[c]) == 0) fail_class = (enum class)c;
    for (int h = ONCE; h <= TERM; h++)
        if (how && strcmp(how, how_name[h]) == 0) fail_how = (enum how)h;
    off = false;
}

unsigned long inject_disarm(const char *class)
{
    off = true;
    for (int c = 0; c < CLASSES; c++)
        if (strcmp(class, class_name[c]) == 0) return count[c];
    return 0;
}

long inject_live(void)
{
    return live;
}

static void arm_from_environment(char *text)
{
    char *at = strchr(text, ':'), *how = at ? strchr(at + 1, ':') : NULL;
    if (!at) return;
    *at = 0;
    if (how) *how++ = 0;
    inject_arm(text, strtoul(at + 1, NULL, 10), how);
    if (fail_class == CLASSES) abort();
}

/* The environment is cleared: programs that are started see neither the shim nor its variables. */
__attribute__((constructor)) static void begin(void)
{
    static char text[64], path[4096], trace_path[4096];
    void *frame[FRAMES];
    backtrace(frame, FRAMES); /* loads what it needs */
    dl_iterate_phdr(note_object, NULL);
    const char *inject = getenv("INJECT"), *to = getenv("INJECT_REPORT"), *show = getenv("INJECT_TRACE");
    if (inject) snprintf(text, sizeof text, "%s", inject);
    if (to) snprintf(path, sizeof path, "%s", to);
    if (show) snprintf(trace_path, sizeof trace_path, "%s", show), trace = trace_path;
    own_only = getenv("INJECT_OWN") != NULL;
    unsetenv("LD_PRELOAD");
    if (inject) arm_from_environment(text);
    if (!to) return;
    for (int c = 0; c < CLASSES; c++) {
        site[c] = mmap(NULL, MAX_CALLS * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (site[c] == MAP_FAILED) abort();
    }
    report = path;
    off = false;
}

__attribute__((destructor)) static void end(void)
{
    bool ours = !off;
    off = true;
    FILE *f = ours && report ? fopen(report, "w") : NULL;
    if (!f) return;
    for (int c = 0; c < CLASSES; c++)
        for (unsigned long i = 0; i < count[c]; i++)
            fprintf(f, "%s %08x\n", class_name[c], i < MAX_CALLS ? site[c][i] : 0);
    fclose(f);
}

/* ---- the calls --------------------------------------------------------------------------------- */

#define CALLER __builtin_return_address(0)
/* The function that this one hides. */
#define REAL(type, name)                                                                                               \
    static type real;                                                                                                  \
    if (!real) real = (type)dlsym(RTLD_NEXT, name)

typedef void *(*malloc_type)(size_t);
typedef void *(*calloc_type)(size_t, size_t);
typedef void *(*realloc_type)(void *, size_t);
typedef int (*memalign_type)(void **, size_t, size_t);
typedef void (*free_type)(void *);
typedef ssize_t (*read_type)(int, void *, size_t);
typedef ssize_t (*write_type)(int, const void *, size_t);
typedef int (*open_type)(const char *, int, ...);
typedef int (*open_at_type)(int, const char *, int, ...);
typedef int (*text_type)(char *);
typedef FILE *(*fopen_type)(const char *, const char *);
typedef int (*fd_type)(int);
typedef int (*rename_type)(const char *, const char *);
typedef int (*rename_at_type)(int, const char *, int, const char *);
typedef int (*link_at_type)(int, const char *, int, const char *, int);
typedef int (*mkdir_type)(const char *, mode_t);
typedef int (*mkdir_at_type)(int, const char *, mode_t);
typedef void *(*mmap_type)(void *, size_t, int, int, int, off_t);
typedef pid_t (*fork_type)(void);
typedef int (*thread_type)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void *counted(void *p)
{
    if (p) __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    return p;
}

void *malloc(size_t size)
{
    REAL(malloc_type, "malloc");
    return fails(ALLOC, CALLER) ? NULL : counted(real(size));
}

/* dlsym itself may ask for a little zeroed memory before the real function is known. */
void *calloc(size_t n, size_t size)
{
    static char early[4096] __attribute__((aligned(16)));
    static size_t used;
    static calloc_type real;
    static volatile bool looking; /* dlsym is declared not to call back */
    if (!real && looking) {
        void *p = early + used;
        used += (n * size + 15) & ~(size_t)15;
        return used <= sizeof early ? p : NULL;
    }
    if (!real) {
        looking = true;
        real = (calloc_type)dlsym(RTLD_NEXT, "calloc");
        looking = false;
    }
    return fails(ALLOC, CALLER) ? NULL : counted(real(n, size));
}

void *realloc(void *p, size_t size)
{
    REAL(realloc_type, "realloc");
    if (fails(ALLOC, CALLER)) return NULL;
    void *q = real(p, size);
    return p ? q : counted(q);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    REAL(calloc_type, "aligned_alloc");
    return fails(ALLOC, CALLER) ? NULL : counted(real(alignment, size));
}

void *memalign(size_t alignment, size_t size)
{
    REAL(calloc_type, "memalign");
    return fails(ALLOC, CALLER) ? NULL : counted(real(alignment, size));
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    REAL(memalign_type, "posix_memalign");
    if (fails(ALLOC, CALLER)) return ENOMEM;
    int error = real(p, alignment, size);
    if (!error) counted(*p);
    return error;
}

/* dlsym itself may free a message of a look-up before this one, which is then left alone. */
void free(void *p)
{
    static free_type real;
    static volatile bool looking; /* dlsym is declared not to call back */
    if (!p || (!real && looking)) return;
    if (!real) {
        looking = true;
        real = (free_type)dlsym(RTLD_NEXT, "free");
        looking = false;
    }
    __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
    real(p);
}

ssize_t read(int fd, void *buffer, size_t n)
{
    REAL(read_type, "read");
    return transfer_fails(READ, CALLER, &n) ? -1 : real(fd, buffer, n);
}

ssize_t __read_chk(int fd, void *buffer, size_t n, size_t room)
{
    REAL(read_type, "read");
    (void)room;
    return transfer_fails(READ, CALLER, &n) ? -1 : real(fd, buffer, n);
}

ssize_t write(int fd, const void *buffer, size_t n)
{
    REAL(write_type, "write");
    return transfer_fails(WRITE, CALLER, &n) ? -1 : real(fd, buffer, n);
}

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    REAL(open_type, "open");
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return fails(OPEN, CALLER) ? -1 : carried_out(real(path, flags, mode));
}

int __open_2(const char *path, int flags)
{
    REAL(open_type, "open");
    return fails(OPEN, CALLER) ? -1 : carried_out(real(path, flags));
}

int openat(int folder, const char *path, int flags, ...)
{
    REAL(open_at_type, "openat");
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return fails(OPEN, CALLER) ? -1 : carried_out(real(folder, path, flags, mode));
}

int __openat_2(int folder, const char *path, int flags)
{
    REAL(open_at_type, "openat");
    return fails(OPEN, CALLER) ? -1 : carried_out(real(folder, path, flags));
}

int mkstemp(char *path)
{
    REAL(text_type, "mkstemp");
    return fails(OPEN, CALLER) ? -1 : carried_out(real(path));
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen_type, "fopen");
    return fails(OPEN, CALLER) ? NULL : real(path, mode);
}

/* A close that fails has closed: the descriptor is gone. */
int close(int fd)
{
    REAL(fd_type, "close");
    bool failed = fails(CLOSE, CALLER);
    int error = errno, result = real(fd);
    if (!failed) return carried_out(result);
    errno = error;
    return -1;
}

int fsync(int fd)
{
    REAL(fd_type, "fsync");
    return fails(FSYNC, CALLER) ? -1 : carried_out(real(fd));
}

int fdatasync(int fd)
{
    REAL(fd_type, "fdatasync");
    return fails(FSYNC, CALLER) ? -1 : carried_out(real(fd));
}

int rename(const char *from, const char *to)
{
    REAL(rename_type, "rename");
    return fails(RENAME, CALLER) ? -1 : carried_out(real(from, to));
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    REAL(rename_at_type, "renameat");
    return fails(RENAME, CALLER) ? -1 : carried_out(real(from_folder, from, to_folder, to));
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    REAL(link_at_type, "linkat");
    return fails(RENAME, CALLER) ? -1 : carried_out(real(from_folder, from, to_folder, to, flags));
}

int link(const char *from, const char *to)
{
    REAL(rename_type, "link");
    return fails(RENAME, CALLER) ? -1 : carried_out(real(from, to));
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir_type, "mkdir");
    return fails(FOLDER, CALLER) ? -1 : carried_out(real(path, mode));
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    REAL(mkdir_at_type, "mkdirat");
    return fails(FOLDER, CALLER) ? -1 : carried_out(real(folder, path, mode));
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    REAL(mmap_type, "mmap");
    return fails(MMAP, CALLER) ? MAP_FAILED : real(at, n, protection, flags, fd, offset);
}

pid_t fork(void)
{
    REAL(fork_type, "fork");
    if (fails(FORK, CALLER)) return -1;
    pid_t pid = real();
    if (pid == 0) off = true;
    return pid;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *user)
{
    REAL(thread_type, "pthread_create");
    return fails(THREAD, CALLER) ? EAGAIN : real(thread, attr, run, user);
}
