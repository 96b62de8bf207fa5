/* SPDX-License-Identifier: BSD-2-Clause */
#include "ib/process_group.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double hd_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void hd_pause(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* ---- the guard ----------------------------------------------------------------------------- */

/* Between fork and exec only what is safe in a copy of a process with threads. */

static void close_all_but(int keep)
{
    struct rlimit limit;
    int n = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    for (int fd = 3; fd < n; fd++)
        if (fd != keep) close(fd);
}

/* Messages are process numbers: positive when one begins, negative when it has been waited for. */
static void hear(int line, pid_t *member)
{
    pid_t who;
    for (;;) {
        ssize_t n = recv(line, &who, sizeof who, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n != (ssize_t)sizeof who) return; /* nobody is left at the other end */
        pid_t from = who < 0 ? -who : 0, to = who < 0 ? 0 : who;
        for (int i = 0; i < HD_CREW_MAX; i++)
            if (member[i] == from) {
                member[i] = to;
                break;
            }
    }
}

static bool any_left(const pid_t *member)
{
    for (int i = 0; i < HD_CREW_MAX; i++)
        if (member[i] && kill(member[i], 0) == 0) return true;
    return false;
}

static void guard(int line, char folder[64])
{
    pid_t member[HD_CREW_MAX] = {0};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    setsid();
    for (int s = 1; s < 32; s++) sigaction(s, &ignore, NULL);
    prctl(PR_SET_NAME, "heddle-guard", 0, 0, 0); /* not to be met by who ends all that is called heddle */
    close_all_but(line);
    if (!mkdtemp(folder)) folder[0] = 0;
    if (send(line, folder, 64, MSG_NOSIGNAL) < 0 && !folder[0]) _exit(1);
    hear(line, member);
    for (int i = 0; i < HD_CREW_MAX; i++)
        if (member[i]) kill(-member[i], SIGKILL);                    /* each leads a group of its own */
    for (int i = 0; i < 25 && any_left(member); i++) hd_pause(0.01); /* nobody may wait for the dead */
    if (folder[0]) execl("/bin/rm", "rm", "-rf", "--", folder, (char *)NULL);
    _exit(1);
}

hd_status hd_crew_begin(struct hd_ctx *ctx, struct hd_crew *crew)
{
    int line[2];
    char folder[64] = "";
    memset(crew, 0, sizeof *crew);
    snprintf(folder, sizeof folder, "/tmp/heddle-%ld-XXXXXX", (long)getpid());
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0)
        return hd_fail(ctx, HD_LIMIT, "cannot make a socket: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        close(line[0]);
        guard(line[1], folder);
    }
    close(line[1]);
    if (pid < 0) {
        close(line[0]);
        return hd_fail(ctx, HD_LIMIT, "cannot start a process: %s", strerror(errno));
    }
    *crew = (struct hd_crew){.guard = pid, .line = line[0]};
    ssize_t n;
    do n = recv(crew->line, crew->folder, sizeof crew->folder, 0);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)sizeof crew->folder && crew->folder[0]) return HD_OK;
    hd_crew_end(crew);
    return hd_fail(ctx, HD_LIMIT, "cannot make a folder in /tmp");
}

static void wait_for(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

void hd_crew_end(struct hd_crew *crew)
{
    if (!crew->guard) return;
    for (int i = HD_CREW_MAX; i-- > 0;) /* the last one first: a client before its server */
        if (crew->member[i]) hd_crew_stop(crew, crew->member[i]);
    close(crew->line);
    wait_for(crew->guard);
    crew->guard = 0;
}

const char *hd_crew_path(const struct hd_crew *crew, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", crew->folder, name);
    return path;
}

/* ---- programs ------------------------------------------------------------------------------ */

static void become(const struct hd_crew *crew, const struct hd_run *run, pid_t parent)
{
    pid_t self = getpid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* should even the guard be killed */
    if (getppid() != parent || send(crew->line, &self, sizeof self, MSG_NOSIGNAL) < 0) _exit(126);
    if (chdir(crew->folder) != 0) _exit(126);
    int in = open("/dev/null", O_RDONLY), out = open(run->output, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
    if (in > 2) close(in);
    if (out > 2) close(out);
    execve(run->argv[0], (char *const *)(uintptr_t)run->argv, (char *const *)(uintptr_t)run->env);
    _exit(127);
}

hd_status hd_crew_start(struct hd_ctx *ctx, struct hd_crew *crew, const struct hd_run *run, pid_t *out)
{
    int i = 0;
    while (i < HD_CREW_MAX && crew->member[i]) i++;
    if (i == HD_CREW_MAX) return hd_fail(ctx, HD_LIMIT, "more than %d programs at once", HD_CREW_MAX);
    pid_t self = getpid(), pid = fork();
    if (pid == 0) become(crew, run, self);
    if (pid < 0) return hd_fail(ctx, HD_LIMIT, "%s: cannot start: %s", run->argv[0], strerror(errno));
    setpgid(pid, pid); /* whoever of the two comes first */
    *out = crew->member[i] = pid;
    return HD_OK;
}

static int place_of(const struct hd_crew *crew, pid_t pid)
{
    for (int i = 0; i < HD_CREW_MAX; i++)
        if (crew->member[i] == pid && pid) return i;
    return -1;
}

bool hd_crew_ended(struct hd_crew *crew, pid_t pid, int *status)
{
    int i = place_of(crew, pid);
    siginfo_t info = {0};
    if (i < 0) return false;
    /* Its number may be given to another process once it has been waited for: the guard must know first. */
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid) return false;
    pid_t gone = -pid;
    kill(-pid, SIGKILL); /* what it may have started itself */
    send(crew->line, &gone, sizeof gone, MSG_NOSIGNAL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
    crew->member[i] = 0;
    return true;
}

void hd_crew_stop(struct hd_crew *crew, pid_t pid)
{
    int status;
    double start = hd_clock();
    if (place_of(crew, pid) < 0) return;
    kill(pid, SIGTERM);
    while (!hd_crew_ended(crew, pid, &status)) {
        if (hd_clock() - start > 2) kill(-pid, SIGKILL);
        hd_pause(0.002);
    }
}

hd_status hd_program(struct hd_ctx *ctx, const char *folder, const char *name, const char *package, char path[256])
{
    static const char *const usual[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};
    for (size_t i = 0; i < (*folder ? 1 : sizeof usual / sizeof usual[0]); i++) {
        snprintf(path, 256, "%.200s/%s", *folder ? folder : usual[i], name);
        if (access(path, X_OK) == 0) return HD_OK;
    }
    return hd_fail(ctx, HD_MISSING, "%s is not installed%s%.200s: apt-get install %s", name, *folder ? " in " : "",
                   folder, package);
}
