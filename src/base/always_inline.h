/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that become part of each caller, where constant arguments remove their branches. In a build with gcov's
 * counters (HD_COUNTED) they are ordinary ones: each copy would count its branches by itself, and most are constant in
 * most copies. */
#ifndef HD_BASE_ALWAYS_INLINE_H
#define HD_BASE_ALWAYS_INLINE_H

#ifdef HD_COUNTED
#define HD_ALWAYS_INLINE static inline
#else
#define HD_ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

#endif
