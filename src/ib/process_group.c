/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that leave nothing behind (process_group.h says how). Exit handlers or signal handlers would not do: nothing
 * of ours runs after SIGKILL, but the kernel closes our end of the socket then too, and the guard notices. Between fork
 * and exec only async-signal-safe calls are made, because the caller has threads. */
#include "ib/process_group.h"
#include "base/status.h"
#include "base/threads.h"

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

void hd_pause(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* ---- the guard ----------------------------------------------------------------------------- */

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
static void guard_hear(int line, pid_t *member)
{
    pid_t who;
    for (;;) {
        ssize_t n = recv(line, &who, sizeof who, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n != (ssize_t)sizeof who) return; /* the other end is closed */
        pid_t from = who < 0 ? -who : 0, to = who < 0 ? 0 : who;
        for (int i = 0; i < HD_PROCESS_GROUP_MAX; i++)
            if (member[i] == from) {
                member[i] = to;
                break;
            }
    }
}

static bool guard_any_left(const pid_t *member)
{
    for (int i = 0; i < HD_PROCESS_GROUP_MAX; i++)
        if (member[i] && kill(member[i], 0) == 0) return true;
    return false;
}

static void guard_run(int line, char folder[64])
{
    pid_t member[HD_PROCESS_GROUP_MAX] = {0};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    setsid();
    for (int s = 1; s < 32; s++) sigaction(s, &ignore, NULL);
    prctl(PR_SET_NAME, "heddle-guard", 0, 0, 0); /* so that killall heddle does not hit it */
    close_all_but(line);
    if (!mkdtemp(folder)) folder[0] = 0;
    if (send(line, folder, 64, MSG_NOSIGNAL) < 0 && !folder[0]) _exit(1);
    guard_hear(line, member);
    for (int i = 0; i < HD_PROCESS_GROUP_MAX; i++)
        if (member[i]) kill(-member[i], SIGKILL);                          /* each leads a group of its own */
    for (int i = 0; i < 25 && guard_any_left(member); i++) hd_pause(0.01); /* they have no parent that waits for them */
    if (folder[0]) execl("/bin/rm", "rm", "-rf", "--", folder, (char *)NULL);
    _exit(1);
}

hd_status hd_process_group_begin(struct hd_ctx *ctx, struct hd_process_group *group)
{
    int line[2];
    char folder[64] = "";
    memset(group, 0, sizeof *group);
    snprintf(folder, sizeof folder, "/tmp/heddle-%ld-XXXXXX", (long)getpid());
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0)
        return hd_fail(ctx, HD_LIMIT, "cannot make a socket: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        close(line[0]);
        guard_run(line[1], folder);
    }
    close(line[1]);
    if (pid < 0) {
        close(line[0]);
        return hd_fail(ctx, HD_LIMIT, "cannot start a process: %s", strerror(errno));
    }
    *group = (struct hd_process_group){.guard = pid, .line = line[0]};
    ssize_t n;
    do n = recv(group->line, group->folder, sizeof group->folder, 0);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)sizeof group->folder && group->folder[0]) return HD_OK;
    hd_process_group_end(group);
    return hd_fail(ctx, HD_LIMIT, "cannot make a folder in /tmp");
}

static void wait_for_exit(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
}

void hd_process_group_end(struct hd_process_group *group)
{
    if (!group->guard) return;
    for (int i = HD_PROCESS_GROUP_MAX; i-- > 0;) /* in reverse order: a client before its server */
        if (group->member[i]) hd_process_group_stop(group, group->member[i]);
    close(group->line);
    wait_for_exit(group->guard, NULL);
    group->guard = 0;
}

const char *hd_process_group_path(const struct hd_process_group *group, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", group->folder, name);
    return path;
}

/* ---- programs ------------------------------------------------------------------------------ */

static void program_become(const struct hd_process_group *group, const struct hd_program_run *run, pid_t parent)
{
    pid_t self = getpid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* should even the guard be killed */
    if (getppid() != parent || send(group->line, &self, sizeof self, MSG_NOSIGNAL) < 0) _exit(126);
    if (chdir(group->folder) != 0) _exit(126);
    int in = open("/dev/null", O_RDONLY), out = open(run->output, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
    if (in > 2) close(in);
    if (out > 2) close(out);
    execve(run->argv[0], (char *const *)(uintptr_t)run->argv, (char *const *)(uintptr_t)run->env);
    _exit(127);
}

hd_status hd_process_group_start(struct hd_ctx *ctx, struct hd_process_group *group, const struct hd_program_run *run,
                                 pid_t *out)
{
    int i = 0;
    while (i < HD_PROCESS_GROUP_MAX && group->member[i]) i++;
    if (i == HD_PROCESS_GROUP_MAX) return hd_fail(ctx, HD_LIMIT, "more than %d programs at once", HD_PROCESS_GROUP_MAX);
    pid_t self = getpid(), pid = fork();
    if (pid == 0) program_become(group, run, self);
    if (pid < 0) return hd_fail(ctx, HD_LIMIT, "%s: cannot start: %s", run->argv[0], strerror(errno));
    setpgid(pid, pid); /* parent and child both set it: either may run first */
    *out = group->member[i] = pid;
    return HD_OK;
}

static int member_index(const struct hd_process_group *group, pid_t pid)
{
    for (int i = 0; i < HD_PROCESS_GROUP_MAX; i++)
        if (group->member[i] == pid && pid) return i;
    return -1;
}

bool hd_process_group_ended(struct hd_process_group *group, pid_t pid, int *status)
{
    int i = member_index(group, pid);
    siginfo_t info = {0};
    if (i < 0) return false;
    /* Its number may be reused once it has been waited for: the guard must know first. */
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid) return false;
    pid_t gone = -pid;
    kill(-pid, SIGKILL); /* programs that it started itself */
    send(group->line, &gone, sizeof gone, MSG_NOSIGNAL);
    wait_for_exit(pid, status);
    group->member[i] = 0;
    return true;
}

void hd_process_group_stop(struct hd_process_group *group, pid_t pid)
{
    int status;
    double start = hd_seconds();
    if (member_index(group, pid) < 0) return;
    kill(pid, SIGTERM);
    while (!hd_process_group_ended(group, pid, &status)) {
        if (hd_seconds() - start > 2) kill(-pid, SIGKILL);
        hd_pause(0.002);
    }
}

hd_status hd_program_find(struct hd_ctx *ctx, const char *folder, const char *name, const char *package, char path[256])
{
    static const char *const usual[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};
    for (size_t i = 0; i < (*folder ? 1 : sizeof usual / sizeof usual[0]); i++) {
        snprintf(path, 256, "%.200s/%s", *folder ? folder : usual[i], name);
        if (access(path, X_OK) == 0) return HD_OK;
    }
    return hd_fail(ctx, HD_MISSING, "%s is not installed%s%.200s: apt-get install %s", name, *folder ? " in " : "",
                   folder, package);
}
