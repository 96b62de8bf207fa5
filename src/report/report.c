/* SPDX-License-Identifier: BSD-2-Clause */
/* A report as a value: releasing it, and the names of its verdicts. The writers are report_text.c, report_json.c and
 * page.c. */
#include "tool/report_data.h"
#include "base/arena.h"

void hd_report_free(struct hd_report *report)
{
    if (!report) return;
    hd_routes_free(report->routes);
    hd_owned_free(report->arena);
}

const char *hd_verdict_name(enum hd_verdict verdict)
{
    static const char *const names[] = {[HD_PASS] = "PASS", [HD_WARN] = "WARN", [HD_FAIL] = "FAIL"};
    return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

enum hd_verdict hd_report_verdict(const struct hd_report *report)
{
    return report->verdict;
}
