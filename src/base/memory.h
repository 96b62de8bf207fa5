/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that a result will need, held against what there is before the work begins: the kernel would end the program
 * without a word, and only after minutes. */
#ifndef HD_BASE_MEMORY_H
#define HD_BASE_MEMORY_H

#include "heddle/base.h"

/* Bytes that this process may still take: the least of what the machine has available, the limits of its control group
 * and that of its address space. UINT64_MAX: not known. */
uint64_t hd_memory_available(void);
/* HD_LIMIT if what needs more than that. Little is never refused, and not looked up. */
hd_status hd_memory_fits(struct hd_ctx *ctx, const char *what, uint64_t bytes);

#endif
