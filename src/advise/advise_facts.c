/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fabric is, in the lines that an engineer checks against the purchase order. All of it comes from
 * hd_net_describe. */
#include "advise/advise_steps.h"

#include <stdio.h>
#include <string.h>

/* A tree with cables in the wrong place, or with uneven leaves, may lack bisection with as much capacity up as down. */
static bool facts_are_oversubscribed(const struct hd_topo_info *t)
{
    for (uint32_t l = 1; l < t->levels; l++)
        if (t->level[l].oversubscription > HD_OVERSUBSCRIBED) return true;
    return false;
}

static void facts_kind(struct hd_advising *a)
{
    const struct hd_net *net = a->net;
    char shape[HD_MAX_SPEC];
    hd_shape_spec(&net->shape, shape);
    if (a->info.switches == 1) {
        hd_advise_fact(a, "kind", "one switch");
    } else if (net->shape.kind == HD_SHAPE_TREE) {
        const char *clos = a->info.clos;
        const char *words = "";
        if (strcmp(clos, "strict") == 0) words = ", strictly non-blocking";
        if (strcmp(clos, "rearrangeable") == 0) words = ", full bisection";
        if (strcmp(clos, "slimmed") == 0)
            words = facts_are_oversubscribed(&a->info) ? ", oversubscribed" : ", short of full bisection";
        hd_advise_fact(a, "kind", hd_say(a, "%u-level fat tree%s: %s", a->info.levels, words, shape));
    } else if (net->shape.kind == HD_SHAPE_GRID) {
        hd_advise_fact(a, "kind", hd_say(a, "grid: %s", shape));
    } else if (*a->info.form) {
        hd_advise_fact(a, "kind", hd_say(a, "%s", a->info.form));
    } else {
        hd_advise_fact(a, "kind", "irregular: neither a tree nor a grid");
    }
}

static void facts_endpoints(struct hd_advising *a)
{
    const struct hd_topo_info *t = &a->info;
    const char *counted = t->selected == t->endpoints ? "" : hd_say(a, " (%u selected)", t->selected);
    hd_advise_fact(a, "endpoints",
                   hd_say(a, "%u%s on %u host%s, %u rail%s", t->endpoints, counted, t->hosts, hd_plural(t->hosts),
                          t->rails, hd_plural(t->rails)));
}

/* Endpoints by kind, if there are several. */
static void facts_roles(struct hd_advising *a)
{
    static const char *const words[HD_ROLES] = {
        [HD_ROLE_HOST] = "compute",    [HD_ROLE_STORAGE] = "storage", [HD_ROLE_MANAGEMENT] = "management",
        [HD_ROLE_GATEWAY] = "gateway", [HD_ROLE_ROUTER] = "router",   [HD_ROLE_AGGREGATION] = "SHARP aggregation"};
    struct hd_name_list roles = {.most = HD_ROLES};
    if (a->info.by_role[HD_ROLE_HOST] == a->info.endpoints) return;
    for (int i = 0; i < HD_ROLES; i++)
        if (a->info.by_role[i]) hd_name_list_add(&roles, "%u %s", a->info.by_role[i], words[i]);
    hd_advise_fact(a, "roles", hd_say(a, "%s", hd_name_list_end(&roles)));
}

static void facts_switches(struct hd_advising *a)
{
    const struct hd_topo_info *t = &a->info;
    struct hd_name_list levels = {.most = 8};
    for (uint32_t l = 1; l <= t->levels; l++)
        if (t->level[l].switches) hd_name_list_add(&levels, "%u on level %u", t->level[l].switches, l);
    if (t->unused) hd_name_list_add(&levels, "%u used by no endpoint", t->unused);
    if (t->levels > 1 || t->unused)
        hd_advise_fact(a, "switches", hd_say(a, "%u: %s", t->switches, hd_name_list_end(&levels)));
    else
        hd_advise_fact(a, "switches", hd_say(a, "%u", t->switches));
}

static void facts_cables(struct hd_advising *a)
{
    const struct hd_topo_info *t = &a->info;
    struct hd_name_list rates = {.most = 6};
    for (uint32_t i = 1; i < 256; i++)
        if (t->by_link[i]) hd_name_list_add(&rates, "%u %s", t->by_link[i], hd_link_name((uint8_t)i));
    if (t->by_link[0]) hd_name_list_add(&rates, "%u of unknown rate", t->by_link[0]);
    hd_advise_fact(a, "cables",
                   hd_say(a, "%u, %u of them switch-to-switch%s%s", t->cables, t->switch_cables, rates.n ? "; " : "",
                          hd_name_list_end(&rates)));
}

static void facts_distance(struct hd_advising *a)
{
    if (!a->info.distances_known) return;
    hd_advise_fact(a, "diameter",
                   hd_say(a, "%u switch-to-switch cable%s, %.2f on average", a->info.diameter,
                          hd_plural(a->info.diameter), a->info.mean_distance));
}

static void facts_job(struct hd_advising *a)
{
    if (a->in->nodes && a->nodes)
        hd_advise_fact(a, "job",
                       hd_say(a, "%u nodes of %s; rank orders are for these nodes, other figures for the whole fabric",
                              a->nodes->n, a->in->nodes));
}

hd_status hd_advise_facts(struct hd_advising *a)
{
    facts_kind(a);
    facts_endpoints(a);
    facts_roles(a);
    facts_switches(a);
    facts_cables(a);
    facts_distance(a);
    facts_job(a);
    return HD_OK;
}
