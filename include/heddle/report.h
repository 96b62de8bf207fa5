/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/report.h - what hd_advise found, as a page, as text, as JSON and as charts.
 * Thread safety: a report is only read by these functions and may be shared; each call has its own context and sink. */
#ifndef HEDDLE_REPORT_H
#define HEDDLE_REPORT_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hd_report;

enum hd_verdict { HD_PASS, HD_WARN, HD_FAIL };
/* "PASS", "WARN", "FAIL"; NULL past the last. */
HD_API const char *hd_verdict_name(enum hd_verdict verdict);
/* The worst of what was found. */
HD_API enum hd_verdict hd_report_verdict(const struct hd_report *report);

HD_API void hd_report_free(struct hd_report *report);

/* The page: one file, no network, pictures inline; complete without its script. */
HD_API hd_status hd_report_html(struct hd_ctx *ctx, const struct hd_report *report, struct hd_out *o);
/* One screen for a terminal; colour: with ANSI colours. */
HD_API hd_status hd_report_text(struct hd_ctx *ctx, const struct hd_report *report, bool colour, struct hd_out *o);
/* The report as one JSON object, schema 1: all but samples, loads of channels and heat, which the commands give. */
HD_API hd_status hd_report_json(struct hd_ctx *ctx, const struct hd_report *report, struct hd_out *o);

/* ---- charts ---------------------------------------------------------------------------------- */

/* One chart as a whole SVG file, readable on light and dark ground. option and view: which routing and pattern,
 * where the chart shows one. HD_INPUT for an unknown kind, or where the report lacks what it shows. */
HD_API hd_status hd_chart_svg(struct hd_ctx *ctx, const struct hd_report *report, const char *kind, uint32_t option,
                              uint32_t view, struct hd_out *o);

#ifdef __cplusplus
}
#endif
#endif
