/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle.h - the whole library. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include "heddle/advise.h"
#include "heddle/base.h"
#include "heddle/design.h"
#include "heddle/engine.h"
#include "heddle/extend.h"
#include "heddle/flow.h"
#include "heddle/ib.h"
#include "heddle/load.h"
#include "heddle/metric.h"
#include "heddle/net.h"
#include "heddle/order.h"
#include "heddle/pattern.h"
#include "heddle/registry.h"
#include "heddle/report.h"
#include "heddle/route.h"
#include "heddle/sim.h"

#endif
