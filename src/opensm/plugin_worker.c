/* SPDX-License-Identifier: BSD-2-Clause */
/* The worker process: started on demand, asked through a socket, replaced when it has ended or did not answer. It is
 * its own session, with default signals, no descriptor of OpenSM's but standard error, and its environment without
 * LD_PRELOAD. OpenSM keeps its signal handlers: a dead worker is noticed by the end of its socket, writing to it raises
 * no signal, and it is collected by its number. A process that was killed may take its time to end (a log on a dead
 * file server); nobody waits for it. */
#include "base/c_locale.h"
#include "osm_plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKER_FD = 3, WORKER_WAIT = 50 }; /* milliseconds for a killed worker to end */
static const char worker_name[] = "heddle-opensm-worker";

double plugin_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- starting and ending ----------------------------------------------------------------------- */

/* The program: as the options say, or beside the shared object, or in a folder heddle beside it. */
static bool worker_path(const struct heddle_plugin *p, char path[PATH_MAX])
{
    static const char *const places[] = {"", "heddle/"};
    Dl_info info;
    if (p->options.worker) return snprintf(path, PATH_MAX, "%s", p->options.worker) < PATH_MAX;
    if (!dladdr((const void *)worker_name, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int n = snprintf(path, PATH_MAX, "%.*s%s%s", folder, info.dli_fname, places[i], worker_name);
        if (n < PATH_MAX && access(path, X_OK) == 0) return true;
    }
    return false;
}

/* environ without what was preloaded into OpenSM, and with threads that sleep while they wait: OpenSM needs the
 * processors too. NULL: no memory. */
static char **worker_environment(void)
{
    static char passive[] = "OMP_WAIT_POLICY=PASSIVE";
    size_t n = 0, kept = 0;
    while (environ && environ[n]) n++;
    char **to = calloc(n + 2, sizeof *to);
    for (size_t i = 0; to && i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0) to[kept++] = environ[i];
    if (to) to[kept] = passive;
    return to;
}

static int worker_spawn_with(const char *path, char **environment, int theirs, pid_t *pid)
{
    char *argv[] = {(char *)worker_name, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawn_file_actions_init(&files)) return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    if (!error && fcntl(STDERR_FILENO, F_GETFD) < 0) /* else a file of the worker would get its number */
        error = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, theirs, WORKER_FD);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&files, WORKER_FD + 1);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    if (!error) error = posix_spawn(pid, path, &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* The ends of a socket pair above the descriptors that the worker has, so that dup2 always clears close-on-exec. */
static int above(int fd)
{
    if (fd > WORKER_FD) return fd;
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, WORKER_FD + 1);
    close(fd);
    return higher;
}

static bool worker_start(struct heddle_plugin *p, char why[PLUGIN_TEXT])
{
    char path[PATH_MAX];
    int ends[2], error = ENOMEM;
    pid_t pid = 0;
    if (!worker_path(p, path)) {
        snprintf(why, PLUGIN_TEXT, "%s is not installed beside the plug-in", worker_name);
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        snprintf(why, PLUGIN_TEXT, "no socket: %s", strerror(errno));
        return false;
    }
    ends[0] = above(ends[0]);
    ends[1] = above(ends[1]);
    char **environment = worker_environment();
    if (environment && ends[0] >= 0 && ends[1] >= 0) error = worker_spawn_with(path, environment, ends[1], &pid);
    free(environment);
    if (ends[1] >= 0) close(ends[1]);
    if (error) {
        if (ends[0] >= 0) close(ends[0]);
        snprintf(why, PLUGIN_TEXT, "%.150s cannot be started: %s", path, strerror(error));
        return false;
    }
    p->worker.pid = pid;
    p->worker.fd = ends[0];
    return true;
}

/* Collects what has ended; never waits for long. */
static void worker_collect(struct plugin_worker *w)
{
    if (w->corpse && waitpid(w->corpse, NULL, WNOHANG) != 0) w->corpse = 0;
}

void plugin_stop_worker(struct plugin_worker *w)
{
    if (!w->pid) return;
    close(w->fd);
    worker_collect(w);
    w->corpse = w->pid;
    w->pid = 0;
    worker_collect(w);
    if (w->corpse) kill(w->corpse, SIGKILL); /* else collected by OpenSM, and the number may be that of another */
    for (int i = 0; i < WORKER_WAIT && w->corpse; i++) {
        worker_collect(w);
        if (w->corpse) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* ---- one exchange ------------------------------------------------------------------------------ */

static bool worker_send(struct plugin_worker *w, int request)
{
    struct hd_live_note note = {.kind = HD_LIVE_REQUEST, .number = ++w->number};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {&note, sizeof note};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.head =
        (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(&control.head), &request, sizeof request);
    return sendmsg(w->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof note;
}

/* One message of the worker: false at the end of its socket, or if it is none of ours. *fd: what came along, or -1. */
static bool worker_receive(const struct plugin_worker *w, struct hd_live_note *note, int *fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {note, sizeof *note};
    /* not CMSG_SPACE, whose padding has room for a second descriptor, which nobody would close */
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(sizeof(int))};
    const ssize_t n = recvmsg(w->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&m) : NULL;
    *fd = -1;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return n == (ssize_t)sizeof *note && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
}

/* Waits for the reply to the last request. */
static enum plugin_end worker_await(struct plugin_worker *w, double until, int *fd, uint32_t *engine)
{
    for (;;) {
        const double left = until - plugin_now();
        struct pollfd wait = {.fd = w->fd, .events = POLLIN};
        struct hd_live_note note;
        const int n = left > 0 ? poll(&wait, 1, (int)(left * 1000) + 1) : 0;
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return PLUGIN_LATE;
        if (!worker_receive(w, &note, fd)) {
            if (*fd >= 0) close(*fd);
            return PLUGIN_DIED;
        }
        if (note.kind == HD_LIVE_REPLY && note.number == w->number && *fd >= 0) return PLUGIN_ANSWERED;
        if (*fd >= 0) close(*fd); /* of an earlier request, or of nothing we know */
        if (note.kind == HD_LIVE_TRYING && note.engine <= HD_LIVE_MOST_ENGINES) *engine = note.engine;
    }
}

enum plugin_end plugin_exchange(struct heddle_plugin *p, int request, double seconds, int *fd, uint32_t *engine,
                                char why[PLUGIN_TEXT])
{
    struct plugin_worker *w = &p->worker;
    const double until = plugin_now() + seconds;
    worker_collect(w);
    *engine = UINT32_MAX;
    if (w->pid && !worker_send(w, request)) plugin_stop_worker(w); /* it ended since */
    if (!w->pid) {
        if (!worker_start(p, why)) return PLUGIN_FAILED;
        if (!worker_send(w, request)) {
            snprintf(why, PLUGIN_TEXT, "the worker process takes no request");
            plugin_stop_worker(w);
            return PLUGIN_DIED;
        }
    }
    const enum plugin_end end = worker_await(w, until, fd, engine);
    if (end == PLUGIN_DIED) snprintf(why, PLUGIN_TEXT, "the worker process ended");
    if (end == PLUGIN_LATE) hd_format(why, PLUGIN_TEXT, "the worker process did not answer within %.3g s", seconds);
    if (end != PLUGIN_ANSWERED) plugin_stop_worker(w);
    return end;
}
