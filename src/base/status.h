/* SPDX-License-Identifier: BSD-2-Clause */
/* Wording failures, and forwarding them. */
#ifndef HD_BASE_STATUS_H
#define HD_BASE_STATUS_H

#include "base/context.h"
#include "heddle/extend.h"

#endif
