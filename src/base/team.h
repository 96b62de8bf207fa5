/* SPDX-License-Identifier: BSD-2-Clause */
/* A team of threads for a few long pieces of work that each takes as it comes.
 * A thread that is started may find itself on the processor of the one that started it, and wait there until the
 * scheduler balances, some milliseconds later; OpenMP's start waits for it, spinning on that very processor. Members of
 * a team begin on processors of their own, are free to be moved from then on, and the first does not wait for
 * the others: work of tens of milliseconds gains a tenth. Loops over many small pieces are OpenMP's. */
#ifndef HD_BASE_TEAM_H
#define HD_BASE_TEAM_H

/* Calls work(arg, t) for t = 0 (by the caller) to n-1 at once, and returns when all are done: how many there were. It
 * may be fewer than n, where the system gives no more threads; never fewer than one. */
int hd_team_run(int n, void (*work)(void *arg, int t), void *arg);

#endif
