/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HD_IB_IBDMCHK_H
#define HD_IB_IBDMCHK_H

#include "heddle/ib.h"

/* A line of what ibdmchk prints; v begins with both verdicts at -1. */
void hd_second_hear(const char *line, struct hd_second *v);

#endif
