/* SPDX-License-Identifier: BSD-2-Clause */
/* The charts, each in its own file. A chart draws what the report holds and computes no more than sums. */
#ifndef HD_REPORT_CHARTS_H
#define HD_REPORT_CHARTS_H

#include "report/svg_sheet.h"

/* Rows of the charts, for the registry. */
enum { HD_CHART_COUNT = 7 };
extern const struct hd_desc *const hd_charts[HD_CHART_COUNT];

struct hd_pick {
    uint32_t option, view;
};

/* The fabric with its cables coloured by load. Several picks are layers of one picture: groups of classes
 * "lay o<option> w<view>" of which a page shows one. */
hd_status hd_chart_fabric(struct hd_ink *k, const struct hd_pick *pick, uint32_t n);
/* Bandwidth share from leaf to leaf; the ramp is the same for all options. */
hd_status hd_chart_heat(struct hd_ink *k, uint32_t option);
/* The same in words, for captions and for those who do not see the picture. */
void hd_heat_words(const struct hd_report *r, uint32_t option, char *text, size_t room);
void hd_heat_ramp(const struct hd_report *r, struct hd_ramp *ramp);
hd_status hd_chart_bandwidth(struct hd_ink *k);
hd_status hd_chart_load(struct hd_ink *k, uint32_t option, uint32_t view);
hd_status hd_chart_order(struct hd_ink *k);
hd_status hd_chart_whatif(struct hd_ink *k);
hd_status hd_chart_choices(struct hd_ink *k);

/* Whether the report holds what a chart shows. */
bool hd_has_load(const struct hd_report *r, uint32_t option, uint32_t view);
bool hd_has_heat(const struct hd_report *r, uint32_t option);
bool hd_has_samples(const struct hd_report *r);
bool hd_has_orders(const struct hd_report *r);
bool hd_has_whatif(const struct hd_report *r);
bool hd_has_choices(const struct hd_report *r);

/* Largest load of a channel between switches; 0 without one. */
double hd_most_load(const struct hd_report *r, uint32_t option, uint32_t view);
/* The ramp of a view's loads: up to the most of the current and the recommended routing, and no
 * less than a few times the mean. */
void hd_load_ramp(const struct hd_report *r, uint32_t view, struct hd_ramp *ramp);
#endif
