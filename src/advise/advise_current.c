/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with the table the fabric has: what does not arrive, what can lock up, what goes out of its way. */
#include "advise/advise_steps.h"
#include "base/status.h"

#include <stdio.h>

static void lost_pairs(struct hd_advising *a, const struct hd_check *k)
{
    const struct hd_net *net = a->net;
    if (k->unreachable + k->loops == 0) {
        hd_advise_finding(a, HD_PASS, "current table",
                          hd_say(a, "all %llu pairs arrive", (unsigned long long)k->pairs));
        return;
    }
    hd_advise_finding(a, HD_FAIL, "current table",
                      hd_say(a, "%llu of %llu pairs do not arrive%s, such as %.60s to %.60s",
                             (unsigned long long)(k->unreachable + k->loops), (unsigned long long)k->pairs,
                             k->loops ? hd_say(a, " (%llu go in circles)", (unsigned long long)k->loops) : "",
                             hd_node_name(net, net->nsw + k->example[0]), hd_node_name(net, net->nsw + k->example[1])));
}

/* The cycle by the switches it goes through. */
static const char *cycle(struct hd_advising *a, const struct hd_check *k)
{
    struct hd_name_list names = {.most = 6};
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++) {
        uint32_t c = k->cycle[i].c;
        hd_name_list_add(&names, "%.30s port %u", hd_node_name(a->net, a->net->tail[c]), a->net->port[c]);
    }
    return hd_say(a, "%s", hd_name_list_end(&names));
}

static void locks(struct hd_advising *a, const struct hd_check *k)
{
    if (k->deadlock_free > 0)
        hd_advise_finding(
            a, HD_PASS, "deadlock",
            hd_say(a, "cannot happen, proved for the %u lane%s in use", k->lanes, k->lanes == 1 ? "" : "s"));
    else if (k->deadlock_free < 0)
        hd_advise_finding(a, HD_WARN, "deadlock",
                          "lanes are not known; in one lane these routes could lock each other");
    else
        hd_advise_finding(
            a, HD_FAIL, "deadlock",
            hd_say(a, "credit loop of %u channels in lane %u: %s", k->ncycle, k->cycle_lane, cycle(a, k)));
}

static void detours(struct hd_advising *a, const struct hd_check *k)
{
    if (k->nonminimal)
        hd_advise_finding(a, HD_WARN, "detours",
                          hd_say(a, "%llu pairs (%.2g %%) take a longer way than they must",
                                 (unsigned long long)k->nonminimal, 100.0 * (double)k->nonminimal / (double)k->pairs));
    if (k->unused)
        hd_advise_finding(
            a, HD_WARN, "idle cables",
            hd_say(a, "%u of %u directions between switches carry no pair", k->unused, 2 * a->info.switch_cables));
}

hd_status hd_advise_current(struct hd_advising *a)
{
    struct hd_check k;
    if (!a->in->current) return HD_OK;
    HD_TRY(hd_routes_check(a->ctx, a->in->current, &k));
    lost_pairs(a, &k);
    locks(a, &k);
    detours(a, &k);
    return HD_OK;
}
