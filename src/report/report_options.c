/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a report by their part in it: which were measured, which one the others are compared with, and what text,
 * page and charts call them. */
#include "report/report_options.h"

#include <math.h>

bool hd_measured(const struct hd_report_option *o)
{
    return o->state == HD_OPTION_MEASURED;
}

double hd_percent(double share)
{
    const double percent = rint(100 * share);
    return percent == 0 ? 0 : percent;
}

uint32_t hd_yardstick(const struct hd_report *r)
{
    uint32_t usual = UINT32_MAX;
    for (uint32_t i = 0; i < r->noption; i++) {
        if (!hd_measured(&r->option[i])) continue;
        if (r->option[i].current) return i;
        if (usual == UINT32_MAX && r->option[i].usual) usual = i;
    }
    return usual;
}

const char *hd_option_label(const struct hd_report *r, uint32_t option)
{
    const struct hd_report_option *o = &r->option[option];
    return o->label ? o->label : o->table;
}

bool hd_option_on_scale(const struct hd_report *r, uint32_t option)
{
    const struct hd_report_option *o = &r->option[option];
    return o->current || option == r->best || !(o->score < 0.5);
}

const char *hd_option_tag(const struct hd_report *r, uint32_t option)
{
    bool best = option == r->best && hd_measured(&r->option[option]);
    if (r->option[option].current) return best ? "current, ranked first" : "current";
    return best ? "ranked first" : "";
}

const char *hd_option_class(const struct hd_report *r, uint32_t option)
{
    return option == r->best ? "best" : r->option[option].current ? "cur" : "oth";
}
