/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HD_ROUTE_TRANSITION_PLAN_EXACT_H
#define HD_ROUTE_TRANSITION_PLAN_EXACT_H

#include "route/transition/transition_plan.h"

/* On small networks, where all tables can be searched: steps if there are any, otherwise a smallest set of destinations
 * to be drained, and the steps for the others. Sets verdict, method and drain of t and appends steps; leaves t as it is
 * where the network is too large. */
hd_status hd_plan_exact(struct hd_steps_plan *p, struct hd_transition *t);

#endif
