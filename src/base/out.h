/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers written without printf, for large files. */
#ifndef HD_BASE_OUT_H
#define HD_BASE_OUT_H

#include "heddle/base.h"
#include "base/out.h"

void hd_putu(struct hd_out *o, uint64_t value);                 /* decimal */
void hd_putx(struct hd_out *o, uint64_t value, int min_digits); /* lower-case hex */

#endif
