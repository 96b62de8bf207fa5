/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program under the preloaded shim may call, found by dlsym: failures without a process for each. */
#ifndef HD_TESTS_INJECT_H
#define HD_TESTS_INJECT_H

/* Counts from 0 again; call n of the class fails as INJECT=CLASS:N:HOW would have it. NULL: none fails. */
void inject_arm(const char *class, unsigned long n, const char *how);
/* Nothing fails or counts any more; how many calls of the class there were. */
unsigned long inject_disarm(const char *class);
/* Blocks that are allocated and not freed. */
long inject_live(void);

#endif
