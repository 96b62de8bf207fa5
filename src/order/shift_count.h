/* SPDX-License-Identifier: BSD-2-Clause */
/* Hot-spot degrees of a Shift where consecutive ranks share leaf switches. */
#ifndef HD_ORDER_SHIFT_COUNT_H
#define HD_ORDER_SHIFT_COUNT_H

#include "order/job_view.h"

/* Whether counting many stages at once is possible and pays: paths depend on the leaf of the source and on the
 * destination alone, and ranks next to each other are mostly on one leaf. order NULL: as listed. */
bool hd_shift_count_pays(const struct hd_job_view *view, const uint32_t *order);

/* As hd_stage_count gives it for the stages of a Shift. On all threads. */
hd_status hd_shift_count(struct hd_ctx *ctx, const struct hd_job_view *view, const uint32_t *order, struct hd_hsd *hsd);

#endif
