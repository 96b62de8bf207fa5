/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with the current table: pairs that it does not serve, credit loops, detours, idle cables. The check is
 * kept, since the comparison shows its results too. Cost: one hd_routes_check. */
#include "advise/advise_steps.h"
#include "base/status.h"

#include <stdio.h>

static void current_served(struct hd_advising *a, const struct hd_check *k)
{
    const struct hd_net *net = a->net;
    if (k->unreachable + k->loops == 0) {
        hd_advise_finding(a, HD_PASS, "current table", "all %llu pairs arrive", (unsigned long long)k->pairs);
        return;
    }
    hd_advise_finding(a, HD_FAIL, "current table", "%llu of %llu pairs do not arrive%s, such as %.60s to %.60s",
                      (unsigned long long)(k->unreachable + k->loops), (unsigned long long)k->pairs,
                      k->loops ? hd_say(a, " (%llu loop)", (unsigned long long)k->loops) : "",
                      hd_node_label(net, net->nsw + k->example[0]), hd_node_label(net, net->nsw + k->example[1]));
}

static void current_others(struct hd_advising *a, const struct hd_other_check *k)
{
    const struct hd_net *net = a->net;
    if (k->unreachable + k->loops)
        hd_advise_finding(a, HD_FAIL, "other endpoints",
                          "%llu of %llu pairs with them do not arrive, such as %.60s to %.60s",
                          (unsigned long long)(k->unreachable + k->loops), (unsigned long long)k->pairs,
                          hd_node_label(net, net->nsw + k->source), hd_node_label(net, net->nsw + k->dest));
    else if (k->choices)
        hd_advise_finding(a, HD_FAIL, "other endpoints", "some choices of ports do not serve %llu pairs with them",
                          (unsigned long long)k->choices);
}

/* The LIDs of the table that no pair is routed by. */
static void current_lids(struct hd_advising *a, const char *what, const struct hd_lid_check *l)
{
    if (l->unreachable + l->loops)
        hd_advise_finding(a, HD_FAIL, what,
                          "%llu of %llu paths from leaf switches do not arrive%s, such as %.60s to LID "
                          "%u of %.60s",
                          (unsigned long long)(l->unreachable + l->loops), (unsigned long long)l->paths,
                          l->loops ? hd_say(a, " (%llu loop)", (unsigned long long)l->loops) : "",
                          hd_node_label(a->net, l->source), l->lid, hd_node_label(a->net, l->dest));
}

/* The cycle by the switches that it passes. */
static const char *current_cycle(struct hd_advising *a, const struct hd_check *k)
{
    struct hd_name_list names = {.most = 6};
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++) {
        uint32_t c = k->cycle[i].c;
        hd_name_list_add(&names, "%.48s port %u", hd_node_label(a->net, a->net->tail[c]), a->net->port[c]);
    }
    return hd_say(a, "%s", hd_name_list_end(&names));
}

static void current_deadlock(struct hd_advising *a, const struct hd_check *k)
{
    if (k->deadlock_free > 0)
        hd_advise_finding(a, HD_PASS, "deadlock", "proved impossible with the %u VL%s in use", k->lanes,
                          hd_plural(k->lanes));
    else if (k->deadlock_free < 0)
        hd_advise_finding(a, HD_WARN, "deadlock", "VLs are not known; in a single VL these routes could deadlock");
    else
        hd_advise_finding(a, HD_FAIL, "deadlock", "credit loop of %u channels in VL %u: %s", k->ncycle, k->cycle_lane,
                          current_cycle(a, k));
}

static void current_detours(struct hd_advising *a, const struct hd_check *k)
{
    if (k->nonminimal)
        hd_advise_finding(a, HD_WARN, "detours", "%llu pairs (%.2g %%) take a longer path than necessary",
                          (unsigned long long)k->nonminimal, 100.0 * (double)k->nonminimal / (double)k->pairs);
    if (k->unused)
        hd_advise_finding(a, HD_WARN, "idle cables", "%u of %u switch-to-switch channels carry no pair", k->unused,
                          2 * a->info.switch_cables);
}

hd_status hd_advise_current(struct hd_advising *a)
{
    struct hd_check *k = &a->current_check;
    if (!a->in->current) return HD_OK;
    HD_TRY(hd_routes_check(a->ctx, a->in->current, k));
    current_served(a, k);
    current_others(a, &k->others);
    current_lids(a, "further LIDs", &k->further);
    current_lids(a, "switch LIDs", &k->switches);
    if (k->deadlock_free && k->further.deadlock_free == 0)
        hd_advise_finding(a, HD_FAIL, "further LIDs", "their paths and those of pairs can deadlock together");
    if (k->no_switch_lids)
        hd_advise_finding(a, HD_WARN, "switch LIDs", "the table has no entries for them: management by LID fails");
    current_deadlock(a, k);
    current_detours(a, k);
    return HD_OK;
}
