/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a report by their part in it. */
#ifndef HD_REPORT_REPORT_OPTIONS_H
#define HD_REPORT_REPORT_OPTIONS_H

#include "tool/report_data.h"

/* A share in whole per cent, never -0. */
double hd_percent(double share);
bool hd_measured(const struct hd_report_option *o);
/* What the recommended table is compared with: the current one, else OpenSM's default; UINT32_MAX: neither was
 * measured. */
uint32_t hd_yardstick(const struct hd_report *r);
/* What people read: the engine with whose it is, "the current table". */
const char *hd_option_label(const struct hd_report *r, uint32_t option);
/* Whether an option counts for scales that all share: one far behind the best would make the others look alike. */
bool hd_option_on_scale(const struct hd_report *r, uint32_t option);
/* "current", "ranked first", both, or "". What to use is a choice. */
const char *hd_option_tag(const struct hd_report *r, uint32_t option);
/* "best", "cur" or "oth": the class of an option's marks in charts. */
const char *hd_option_class(const struct hd_report *r, uint32_t option);

#endif
