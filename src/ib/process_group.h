/* SPDX-License-Identifier: BSD-2-Clause */
/* A process group: other programs that run for us in a folder of their own and are gone when we are.
 *
 * Whatever happens to this process, even if it is killed at any moment, nothing is left behind. A guard process makes
 * the folder, learns of every program through a socket whose other end only we hold, and when that end closes kills the
 * programs that are still running and removes the folder. A program sends its process number to the guard before it
 * calls exec, so there is no moment at which one could be missed. The guard has a session of its own, so that no
 * terminal interrupts it. */
#ifndef HD_IB_PROCESS_GROUP_H
#define HD_IB_PROCESS_GROUP_H

#include "heddle/base.h"

#include <sys/types.h>

enum { HD_PROCESS_GROUP_MAX = 16 };

struct hd_process_group {
    char folder[64]; /* absolute */
    pid_t guard;
    int line;                           /* to the guard */
    pid_t member[HD_PROCESS_GROUP_MAX]; /* running or not yet waited for; 0: free */
};

struct hd_program_run {
    const char *const *argv; /* argv[0] is the program's path; ends with NULL */
    const char *const *env;  /* its complete environment: "NAME=value", ends with NULL */
    const char *output;      /* file in the folder for its standard output and error */
};

hd_status hd_process_group_begin(struct hd_ctx *ctx, struct hd_process_group *group);
/* Stops what still runs and removes the folder. Does nothing for a group that never began (zeroed). */
void hd_process_group_end(struct hd_process_group *group);

/* Starts a program in the folder, with empty standard input. */
hd_status hd_process_group_start(struct hd_ctx *ctx, struct hd_process_group *group, const struct hd_program_run *run,
                                 pid_t *pid);
/* Whether it has ended; *status is then that of waitpid. True once per program. */
bool hd_process_group_ended(struct hd_process_group *group, pid_t pid, int *status);
/* SIGTERM, after two seconds SIGKILL, and waits. Does nothing if it has ended already. */
void hd_process_group_stop(struct hd_process_group *group, pid_t pid);

/* Path of a file in the folder. */
const char *hd_process_group_path(const struct hd_process_group *group, const char *name, char path[128]);

/* Path of a program: in the given folder or, if that is "", in the usual ones. HD_LIMIT, naming the Debian package to
 * install, if it is not there. */
hd_status hd_program_find(struct hd_ctx *ctx, const char *folder, const char *name, const char *package,
                          char path[256]);

void hd_pause(double seconds);

#endif
