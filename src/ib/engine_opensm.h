/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HD_IB_ENGINE_OPENSM_H
#define HD_IB_ENGINE_OPENSM_H

#include "route/engine/engine_lookup.h"

extern const struct hd_engine hd_engine_opensm;

#endif
