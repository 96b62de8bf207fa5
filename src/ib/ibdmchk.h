/* SPDX-License-Identifier: BSD-2-Clause */
/* ibdmchk of ibutils: what it prints, as a verdict. */
#ifndef HD_IB_IBDMCHK_H
#define HD_IB_IBDMCHK_H

#include "heddle/ib.h"

/* Takes one line of the output of ibdmchk into account; v begins with both verdicts at -1. */
void hd_ibdmchk_line(const char *line, struct hd_second *v);

#endif
