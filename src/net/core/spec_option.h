/* SPDX-License-Identifier: BSD-2-Clause */
/* What was failed or selected follows a network's spec as it would be typed on a command line. */
#ifndef HD_NET_CORE_SPEC_OPTION_H
#define HD_NET_CORE_SPEC_OPTION_H

#include "base/arena.h"

/* "spec --option value" with the value quoted for a shell if it must be; NULL: out of memory. */
char *hd_spec_with(struct hd_arena *arena, const char *spec, const char *option, const char *value);

#endif
