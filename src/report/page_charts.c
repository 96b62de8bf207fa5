/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections around the other charts: bandwidths, leaf to leaf, rank order, failures. Tables give in figures what the
 * charts show. */
#include "base/status.h"
#include "report/page.h"

#include <math.h>
#include <string.h>

hd_status hd_page_bandwidth(struct hd_ink *k)
{
    if (!hd_has_samples(k->r)) return HD_OK;
    hd_page_section(k, "bandwidth", "Bandwidth of random traffic");
    hd_puts(k->o, "<p class=\"lead\">Half of the endpoints exchange data with the other half, paired at random, many "
                  "times over. The body shows how often each share of the full rate occurred, the dot the mean, the "
                  "bracket its 99\xc2\xa0% confidence interval.</p>\n<figure>");
    hd_page_scroll(k, "Chart of bandwidths");
    HD_TRY(hd_chart_bandwidth(k));
    hd_page_scroll_end(k);
    hd_puts(k->o, "</figure>\n");
    hd_page_section_end(k);
    return HD_OK;
}

/* ---- leaf to leaf -------------------------------------------------------------------------- */

static void page_put_heat_key(struct hd_ink *k)
{
    struct hd_ramp ramp;
    hd_heat_ramp(k->r, &ramp);
    hd_puts(k->o, "<div class=\"key\">");
    hd_ink_begin(k, HD_RAMP_WIDTH + 20 * HD_PX, HD_RAMP_HEIGHT, "Colours of the maps",
                 "The stronger the colour, the smaller the share.");
    hd_ramp_draw(k, &ramp, true, 8 * HD_PX, 0, "Share of an endpoint's rate");
    hd_ink_end(k);
    hd_puts(k->o, "</div>\n");
}

static bool page_same_heat(const struct hd_report *r, uint32_t a, uint32_t b)
{
    size_t bytes = (size_t)r->ngroup * r->ngroup * sizeof(float);
    return hd_has_heat(r, a) && hd_has_heat(r, b) && memcmp(r->option[a].heat, r->option[b].heat, bytes) == 0;
}

/* What is recommended, and what that is compared with. */
static bool page_is_main(const struct hd_report *r, uint32_t option)
{
    bool taken = option == r->best || option == hd_yardstick(r);
    for (uint32_t i = 0; i < r->nchoice; i++) taken = taken || r->choice[i].option == option;
    return taken;
}

/* One map for all options that have the same. */
static hd_status page_put_heat(struct hd_ink *k, uint32_t option)
{
    const struct hd_report *r = k->r;
    char text[500];
    uint32_t n = 0;
    for (uint32_t i = 0; i < option; i++)
        if (page_same_heat(r, i, option)) return HD_OK;
    /* Paper has those that matter. */
    hd_printf(k->o, "<li%s><figure><figcaption>", page_is_main(r, option) ? "" : " class=\"more\"");
    hd_page_option(k, option);
    for (uint32_t i = option + 1; i < r->noption; i++)
        if (page_same_heat(r, i, option)) hd_page_text(k, n++ ? ", " : "<span>the same: ", r->option[i].table, "");
    if (n) hd_puts(k->o, "</span>");
    hd_heat_words(r, option, text, sizeof text);
    hd_page_text(k, "<span>", text, "</span></figcaption>");
    HD_TRY(hd_chart_heat(k, option));
    hd_puts(k->o, "</figure></li>\n");
    return HD_OK;
}

hd_status hd_page_heat(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->noption; i++) n += hd_has_heat(r, i);
    if (!n || r->ngroup < 2) return HD_OK;
    hd_page_section(k, "heat", "From leaf to leaf");
    hd_puts(k->o,
            "<p class=\"lead\">The mean share of its rate that a flow gets from one group of endpoints to another, "
            "in random bisections. Strong colours mark pairs that get little.</p>\n");
    page_put_heat_key(k);
    hd_printf(k->o, "<ul class=\"many%s\">\n", r->ngroup > HD_HEAT_SMALL ? " large" : "");
    for (uint32_t i = 0; i < r->noption; i++)
        if (hd_has_heat(r, i) && (r->ngroup <= HD_HEAT_SMALL || page_is_main(r, i))) HD_TRY(page_put_heat(k, i));
    hd_puts(k->o, "</ul>\n");
    hd_page_section_end(k);
    return HD_OK;
}

/* ---- order of ranks ------------------------------------------------------------------------ */

static void page_put_hsd(struct hd_ink *k, const struct hd_hsd *h)
{
    hd_page_number(k, h->average, 3);
    hd_page_number(k, h->max, hd_digits(&h->max, 1));
    hd_page_number(k, h->bandwidth, 4);
}

static void page_put_order_table(struct hd_ink *k)
{
    hd_page_scroll(k, "Hot spots before and after");
    hd_puts(k->o, "<table class=\"sort\"><caption>Hot-spot degree (flows on the busiest channel: average and largest "
                  "over stages) and the bandwidth of synchronised stages");
    hd_page_columns(k,
                    "Pattern|>Stages|>Average before|>Largest before|>Bandwidth before|>Average after|>Largest after|"
                    ">Bandwidth after|>This table's bound of average");
    for (uint32_t i = 0; i < k->r->nbefore_after; i++) {
        const struct hd_report_before_after *b = &k->r->before_after[i];
        hd_page_text(k, "<tr><th scope=\"row\">", hd_case_name(b->use), "</th>");
        hd_page_number(k, (double)b->after.stages, 0);
        page_put_hsd(k, &b->before);
        page_put_hsd(k, &b->after);
        hd_page_number(k, b->bound, 3);
        hd_puts(k->o, "</tr>\n");
    }
    hd_page_table_end(k);
}

hd_status hd_page_order(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    if (!hd_has_orders(r)) return HD_OK;
    hd_page_section(k, "order", "Rank order");
    hd_puts(k->o,
            "<p class=\"lead\">The same job, the same nodes: only the assignment of ranks to nodes changes.</p>\n");
    if (r->order_how) hd_page_text(k, "<p>Suggested order: ", r->order_how, ".</p>\n");
    if (r->order_claim && *r->order_claim) hd_page_text(k, "<p>", r->order_claim, "</p>\n");
    hd_puts(k->o, "<figure>");
    hd_page_scroll(k, "Chart of hot spots before and after");
    HD_TRY(hd_chart_order(k));
    hd_page_scroll_end(k);
    hd_puts(k->o, "</figure>\n<details><summary>In figures</summary>\n");
    page_put_order_table(k);
    hd_puts(k->o, "</details>\n");
    if (r->order_command) hd_page_command(k, r->order_command);
    hd_page_section_end(k);
    return HD_OK;
}

/* ---- what if ------------------------------------------------------------------------------- */

static void page_put_percent(struct hd_ink *k, double share)
{
    hd_page_number(k, 100 * share, 2);
}

static void page_put_whatif_row(struct hd_ink *k, const struct hd_report_what_if *w)
{
    hd_page_text(k, "<tr><th scope=\"row\">", w->what, "</th>");
    hd_page_number(k, w->cases, 0);
    page_put_percent(k, w->lost_mean);
    page_put_percent(k, w->lost_max);
    hd_page_number(k, w->stays_mean, 4);
    hd_page_number(k, w->stays_min, 4);
    hd_page_number(k, w->rerouted_mean, 4);
    hd_page_number(k, w->rerouted_min, 4);
    page_put_percent(k, w->changed_mean);
    hd_puts(k->o, "</tr>\n");
}

static void page_put_whatif_table(struct hd_ink *k)
{
    hd_page_scroll(k, "Failures, in figures");
    hd_puts(k->o, "<table class=\"sort\"><caption>Pairs without a path while the old tables stay; effective bisection "
                  "bandwidth with the old tables and after rerouting; table entries that rerouting changes");
    hd_page_columns(k, "Event|>Cases|>Lost, %|>Most lost, %|>Old tables|>Least|>Rerouted|>Least|>Changed, %");
    for (uint32_t i = 0; i < k->r->nwhat_if; i++) page_put_whatif_row(k, &k->r->what_if[i]);
    hd_page_table_end(k);
}

/* The precision of the figures, which may come from fewer samples than those above. */
static void page_put_whatif_precision(struct hd_ink *k, const struct hd_report_what_if *w)
{
    char whole[HD_NUMBER], half[HD_NUMBER];
    hd_printf(
        k->o,
        "<p>Before a failure, the fabric has %s \xc2\xb1 %s (99\xc2\xa0%%): each bandwidth here is the mean of the "
        "same %llu random bisections, the first of those compared above.</p>\n",
        hd_number(whole, w->ebb_before, 4), hd_number(half, w->ci / 2, 4), (unsigned long long)w->samples);
}

hd_status hd_page_whatif(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    if (!hd_has_whatif(r)) return HD_OK;
    hd_page_section(k, "whatif", "After a failure");
    hd_page_text(k, "<p class=\"lead\">One failure at a time, drawn at random, with ", r->what_if->table,
                 ": bandwidth with the tables as they are, and after rerouting.</p>\n<figure>");
    hd_page_scroll(k, "Chart of failures");
    HD_TRY(hd_chart_whatif(k));
    hd_page_scroll_end(k);
    hd_puts(k->o, "</figure>\n<details><summary>In figures</summary>\n");
    page_put_whatif_table(k);
    page_put_whatif_precision(k, &r->what_if[0]);
    hd_puts(k->o, "</details>\n");
    for (uint32_t i = 0; i < r->nwhat_if; i++) {
        const struct hd_report_what_if *w = &r->what_if[i];
        if (w->worst) {
            hd_page_text(k, "<p>Worst case of ", w->what, ": ");
            hd_page_text(k, "", w->worst, ".</p>\n");
        }
        if (w->command) hd_page_command(k, w->command);
    }
    hd_page_section_end(k);
    return HD_OK;
}
