/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rates of cables say: which are slow, and where several rates are in use. Where no cable is slow, because two
 * generations share a level or some of its cables are faster than the rest, the rates are listed and nothing is blamed:
 * fabrics are built so. O(channels). */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/cabling/built_rates.h"
#include "net/cabling/rate_kinds.h"
#include "net/core/labels.h"

#include <stdio.h>
#include <string.h>

enum { NAMED_CABLES = 3, NAMED_RATES = 8, NAMED_KINDS = 3, NAMED_SWITCHES = 3 };

static void rates_slow(struct hd_advising *a, struct hd_name_list *slow)
{
    const struct hd_cabling *k = a->faults;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct hd_report_repair *x = &a->report->repair[i];
        if (k->fault[i].kind == HD_CABLING_SLOW)
            hd_name_list_add(slow, "%.48s port %u %s, not %s", x->from_label, x->from_port, x->link, x->usual);
    }
    if (slow->n)
        hd_advise_finding(a, HD_WARN, "slow cables", "%u slower than the rest of %s level: %s", slow->n,
                          slow->n == 1 ? "its" : "their", hd_name_list_end(slow));
}

/* Slow cables have a finding of their own: they do not make a level mixed. */
static void rates_leave_slow_out(const struct hd_advising *a, struct hd_rate_kinds *kinds)
{
    const struct hd_cabling *k = a->faults;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct hd_cabling_fault *f = &k->fault[i];
        if (f->kind != HD_CABLING_SLOW) continue;
        for (uint32_t c = a->net->off[f->from.node]; c < a->net->off[f->from.node + 1]; c++)
            if (a->net->port[c] == f->from.port) kinds->kind[kinds->of[c]].often[f->link]--;
    }
}

/* "level 1 to 2: 8 4xQDR, 8 4xEDR" */
static void rates_of_kind(const struct hd_rate_kind *k, char *text, size_t size)
{
    struct hd_name_list rates = {.most = NAMED_RATES};
    char where[48] = "between switches";
    for (uint32_t i = 1; i < HD_LINK_CODES; i++)
        if (k->often[i]) hd_name_list_add(&rates, "%u %s", k->often[i], hd_link_name((uint8_t)i));
    const char *who = k->role == HD_ROLE_HOST ? "compute hosts" : hd_role_name((enum hd_role)k->role);
    if (k->level[0] == 0 && k->level[1] > 1 && k->level[1] != HD_NO_LEVEL)
        snprintf(where, sizeof where, "%s on level %u", who, k->level[1]);
    else if (k->level[0] == 0)
        snprintf(where, sizeof where, "%s", who);
    else if (k->level[0] != k->level[1] && k->level[1] != HD_NO_LEVEL)
        snprintf(where, sizeof where, "level %u to %u", k->level[0], k->level[1]);
    snprintf(text, size, "%s: %s", where, hd_name_list_end(&rates));
}

/* Switches all cables of which are slower than most of their kind. */
static const char *rates_of_switches(struct hd_advising *a, const uint8_t *built)
{
    struct hd_name_list list = {.most = NAMED_SWITCHES};
    for (uint32_t v = 0; v < a->net->nsw; v++)
        if (built[v]) hd_name_list_add(&list, "%.48s %s", hd_node_label(a->net, v), hd_link_name(built[v]));
    return list.n ? hd_say(a, "; switches of a lower rate: %s", hd_name_list_end(&list)) : "";
}

/* Returns how many kinds of cables have several rates. */
static uint32_t rates_mixed(struct hd_advising *a, const struct hd_rate_kinds *kinds, const char *switches)
{
    char text[NAMED_KINDS * 210] = "";
    uint32_t n = 0;
    for (uint32_t i = 0; i < kinds->n; i++) {
        const size_t used = strlen(text);
        char one[200];
        if (hd_rate_kind_rates(&kinds->kind[i]) < 2 || n++ >= NAMED_KINDS) continue;
        rates_of_kind(&kinds->kind[i], one, sizeof one);
        snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", one);
    }
    if (n > NAMED_KINDS)
        hd_advise_finding(a, HD_WARN, "mixed rates", "%s; and %u more; no cable among them counts as slow%s", text,
                          n - NAMED_KINDS, switches);
    else if (n)
        hd_advise_finding(a, HD_WARN, "mixed rates", "%s; no cable among them counts as slow%s", text, switches);
    return n;
}

static void rates_equal(struct hd_advising *a, const struct hd_rate_kinds *kinds)
{
    const uint32_t unknown = a->info.by_link[0];
    const char *per = "level";
    for (uint32_t i = 0; i < kinds->n; i++)
        if (kinds->kind[i].role != HD_ROLE_HOST) per = "level and role";
    if (unknown)
        hd_advise_finding(a, HD_PASS, "slow cables",
                          "none: one rate per %s where it is known; %u of %u cables have none", per, unknown,
                          a->info.cables);
    else
        hd_advise_finding(a, HD_PASS, "slow cables", "none: one rate per %s", per);
}

hd_status hd_advise_rates(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_rate_kinds kinds;
    struct hd_name_list slow = {.most = NAMED_CABLES};
    uint8_t *built = HD_NEW(&scratch, uint8_t, (size_t)a->net->nsw + 1);
    hd_status s = built ? hd_rate_kinds_count(a->ctx, &scratch, a->net, &kinds) : hd_fail_memory(a->ctx);
    if (s == HD_OK) s = hd_built_switches(a->ctx, &scratch, a->net, &kinds, built);
    if (s == HD_OK) {
        rates_slow(a, &slow);
        rates_leave_slow_out(a, &kinds);
        const uint32_t mixed = rates_mixed(a, &kinds, rates_of_switches(a, built)), unrated = a->faults->unrated;
        if (!slow.n && a->info.by_link[0] == a->info.cables)
            hd_advise_finding(a, HD_PASS, "slow cables",
                              "not known: no cable has a known rate, all are taken as equal");
        else if (!slow.n && unrated)
            hd_advise_finding(a, HD_WARN, "slow cables", "the rate of %u cable%s is not known", unrated,
                              hd_plural(unrated));
        else if (!slow.n && !mixed)
            rates_equal(a, &kinds);
    }
    hd_arena_release(&scratch);
    return s;
}
