/* SPDX-License-Identifier: BSD-2-Clause */
/* A crew: other programs run for us in a folder of their own, all gone when we are.
 *
 * Whatever happens to this process, killed in any way at any moment included, nothing is left. A guard
 * process makes the folder, hears of every program through a socket whose other end only we hold, and
 * when that end closes kills the programs that are still there and removes the folder. A program tells
 * the guard its own number before it becomes what it shall be, so there is no moment at which one could
 * be missed. The guard is in a session of its own, where no terminal interrupts it. */
#ifndef HD_IB_PROCESS_GROUP_H
#define HD_IB_PROCESS_GROUP_H

#include "heddle/base.h"

#include <sys/types.h>

enum { HD_CREW_MAX = 16 };

struct hd_crew {
    char folder[64]; /* absolute */
    pid_t guard;
    int line;                  /* to the guard */
    pid_t member[HD_CREW_MAX]; /* running or not yet waited for; 0: free */
};

struct hd_run {
    const char *const *argv; /* argv[0] is the program's path; ends with NULL */
    const char *const *env;  /* all of its environment: "NAME=value", ends with NULL */
    const char *output;      /* file in the folder for what it prints */
};

hd_status hd_crew_begin(struct hd_ctx *ctx, struct hd_crew *crew);
/* Stops what still runs, removes the folder. Fine on a crew that never began (zeroed). */
void hd_crew_end(struct hd_crew *crew);

/* Started in the folder, with nothing to read. */
hd_status hd_crew_start(struct hd_ctx *ctx, struct hd_crew *crew, const struct hd_run *run, pid_t *pid);
/* Whether it has ended; *status then is what waitpid tells. Asked again afterwards: not. */
bool hd_crew_ended(struct hd_crew *crew, pid_t pid, int *status);
/* Asks it to end, insists after two seconds, and waits. Nothing when it has ended already. */
void hd_crew_stop(struct hd_crew *crew, pid_t pid);

/* Path of a file in the folder. */
const char *hd_crew_path(const struct hd_crew *crew, const char *name, char path[128]);

/* Where a program is: in the given folder, or when that is "" where systems keep them. HD_LIMIT, naming
 * the Debian package to install, when it is not there. */
hd_status hd_program(struct hd_ctx *ctx, const char *folder, const char *name, const char *package, char path[256]);

/* Seconds on a clock that only goes forward; and a pause. */
double hd_clock(void);
void hd_pause(double seconds);

#endif
