/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with the fabric: one line per subject, with faults of one kind counted and the first of them named.
 * FAIL is what stops traffic (a split fabric); WARN is what costs bandwidth or hints at a mistake. O(channels). */
#include "advise/advise_steps.h"
#include "net/core/hosts.h"
#include "base/status.h"
#include "net/core/labels.h"

#include <stdio.h>
#include <string.h>

/* ---- connectivity ------------------------------------------------------------------------------ */

/* Each rail is a component of its own: planes, as multi-rail machines are built on purpose. */
static bool findings_are_planes(const struct hd_net *net, const uint32_t *part_of)
{
    uint32_t part[256];
    bool seen[256] = {false};
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i], p = part_of[net->nsw + e];
        uint8_t rail = net->rail[e];
        if (seen[rail] && part[rail] != p) return false;
        seen[rail] = true;
        part[rail] = p;
    }
    return net->nrail > 1;
}

static void findings_split(struct hd_advising *a, const uint32_t *part_of)
{
    const struct hd_net *net = a->net;
    struct hd_name_list parts = {.most = HD_NAMED + 1};
    for (uint32_t p = 0; p < a->info.inhabited; p++) {
        uint32_t n = 0, first = 0;
        for (uint32_t e = net->nep; e-- > 0;)
            if (part_of[net->nsw + e] == p) {
                n++;
                first = e;
            }
        hd_name_list_add(&parts, "%u endpoint%s with %.48s", n, hd_plural(n), hd_node_label(net, net->nsw + first));
    }
    a->split = hd_say(a, "%s", hd_name_list_end(&parts));
    hd_advise_finding(a, HD_FAIL, "connectivity", "%u components that are not connected to each other: %s",
                      a->info.inhabited, a->split);
    hd_advise_note(
        a, "Patterns draw pairs of different components too, which get no bandwidth: --part N selects one component.");
}

static hd_status findings_connectivity(struct hd_advising *a)
{
    const struct hd_net *net = a->net;
    struct hd_arena scratch = {0};
    uint32_t *part_of = HD_NEW(&scratch, uint32_t, net->nsw + net->nep), parts;
    hd_status s = part_of ? hd_net_parts(a->ctx, net, part_of, &parts) : hd_fail_memory(a->ctx);
    if (s == HD_OK) {
        uint32_t empty = a->info.parts - a->info.inhabited;
        if (net->nsel == 0) {
            hd_advise_finding(a, HD_FAIL, "connectivity", "no endpoint to connect");
        } else if (a->info.inhabited > 1 && findings_are_planes(net, part_of)) {
            hd_advise_finding(a, HD_PASS, "connectivity", "%u planes, one per rail", a->info.inhabited);
            hd_advise_note(
                a, "Patterns draw pairs of different planes too, which get no bandwidth: --rail N selects one plane.");
        } else if (a->info.inhabited > 1) {
            findings_split(a, part_of);
        } else {
            hd_advise_finding(a, HD_PASS, "connectivity", "every endpoint is connected to every other");
        }
        if (empty)
            hd_advise_finding(a, HD_WARN, "stray switches",
                              "%u component%s of the fabric ha%s switches but no endpoint", empty, hd_plural(empty),
                              empty == 1 ? "s" : "ve");
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- shape ------------------------------------------------------------------------------------- */

static void findings_shape(struct hd_advising *a)
{
    const struct hd_net *net = a->net;
    struct hd_name_list odd = {.most = HD_NAMED}, extra = {.most = HD_NAMED};
    const bool tree = net->shape.kind == HD_SHAPE_TREE || a->info.layered, known = tree || *a->info.form;
    if (net->nsw < 2) return;
    if (hd_advise_faults(a, HD_CABLING_WRONG, false, &odd))
        hd_advise_finding(a, HD_WARN, "wrong cables", "%u do%s not belong where %s: %s", odd.n, odd.n == 1 ? "es" : "",
                          odd.n == 1 ? "it is" : "they are", hd_name_list_end(&odd));
    if (hd_advise_faults(a, HD_CABLING_EXTRA, false, &extra))
        hd_advise_finding(a, HD_WARN, "extra cables", "%u belong%s nowhere: %s", extra.n, extra.n == 1 ? "s" : "",
                          hd_name_list_end(&extra));
    if (tree && !odd.n && !extra.n)
        hd_advise_finding(a, HD_PASS, "tree", "every switch-to-switch cable connects adjacent levels");
    if (!known && *net->departs) hd_advise_finding(a, HD_WARN, "tree", "neither a tree nor a grid: %s", net->departs);
}

static void findings_misplaced(struct hd_advising *a)
{
    struct hd_name_list pairs = {.most = HD_NAMED}, hosts = {.most = HD_NAMED}, off = {.most = HD_NAMED};
    struct hd_name_list moved = {.most = HD_NAMED};
    if (hd_advise_faults(a, HD_CABLING_SWAPPED, false, &pairs))
        hd_advise_finding(a, HD_WARN, "swapped cables", "%u pair%s: %s", pairs.n, hd_plural(pairs.n),
                          hd_name_list_end(&pairs));
    if (hd_advise_faults(a, HD_CABLING_SWAPPED, true, &hosts))
        hd_advise_finding(a, HD_WARN, "swapped hosts", "%u pair%s: %s", hosts.n, hd_plural(hosts.n),
                          hd_name_list_end(&hosts));
    if (hd_advise_faults(a, HD_CABLING_WRONG, true, &moved))
        hd_advise_finding(a, HD_WARN, "wrong hosts", "%u cable%s in the wrong place: %s", moved.n,
                          moved.n == 1 ? " is" : "s are", hd_name_list_end(&moved));
    if (hd_advise_faults(a, HD_CABLING_MISSING, true, &off))
        hd_advise_finding(a, HD_WARN, "missing hosts", "%u: %s", off.n, hd_name_list_end(&off));
}

/* The most common of n values up to most, the larger among equals; often: [most + 1], 0. */
static uint32_t findings_most_common(uint32_t *often, const uint32_t *value, uint32_t n, uint32_t most)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < n; i++) often[value[i]]++;
    for (uint32_t k = 0; k <= most; k++)
        if (often[k] >= often[best]) best = k;
    return best;
}

static hd_status findings_leaves(struct hd_advising *a)
{
    const struct hd_net *net = a->net;
    struct hd_arena scratch = {0};
    uint32_t *count = HD_NEW(&scratch, uint32_t, net->nsw), *held = HD_NEW(&scratch, uint32_t, net->nsw);
    uint32_t *with = HD_NEW(&scratch, uint32_t, (size_t)net->nep + 1), n = 0, most = 0;
    if (!count || !held || !with) {
        hd_arena_release(&scratch);
        return hd_fail_memory(a->ctx);
    }
    for (uint32_t i = 0; i < net->nsel; i++) count[hd_leaf(net, net->sel[i])]++;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (count[v]) held[n++] = count[v];
        if (count[v] > most) most = count[v];
    }
    uint32_t often = findings_most_common(with, held, n, most);
    struct hd_name_list odd = {.most = HD_NAMED};
    hd_status s = hd_switches_by_label(a->ctx, net, held);
    for (uint32_t i = 0; s == HD_OK && i < net->nsw; i++) {
        uint32_t v = held[i];
        if (count[v] && count[v] != often) hd_name_list_add(&odd, "%.48s %u", hd_node_label(net, v), count[v]);
    }
    if (odd.n)
        hd_advise_finding(a, HD_WARN, "unequal leaves", "most have %u endpoint%s, %u of %u do%s not: %s", often,
                          hd_plural(often), odd.n, n, odd.n == 1 ? "es" : "", hd_name_list_end(&odd));
    else if (n > 1)
        hd_advise_finding(a, HD_PASS, "equal leaves", "%u with %u endpoint%s each", n, often, hd_plural(often));
    hd_arena_release(&scratch);
    return s;
}

/* ---- cables ------------------------------------------------------------------------------------ */

static void findings_oversubscription(struct hd_advising *a)
{
    const struct hd_topo_info *t = &a->info;
    struct hd_name_list levels = {.most = 4};
    double most = 1;
    if (a->net->shape.kind != HD_SHAPE_TREE || t->levels < 2) return;
    for (uint32_t l = 1; l < t->levels; l++) {
        if (!(t->level[l].oversubscription > HD_OVERSUBSCRIBED)) continue;
        hd_name_list_add(&levels, "%.3g : 1 above level %u", t->level[l].oversubscription, l);
        most *= t->level[l].oversubscription;
    }
    if (levels.n)
        hd_advise_finding(a, HD_PASS, "oversubscription",
                          "%s: traffic through the top level gets at most %.2f of link rate", hd_name_list_end(&levels),
                          1 / most);
    else
        hd_advise_finding(a, HD_PASS, "oversubscription", "none: as much capacity up as down at every level");
}

/* ---- hosts ------------------------------------------------------------------------------------- */

/* Launchers and Slurm know hosts by name alone. */
static hd_status findings_host_names(struct hd_advising *a)
{
    const struct hd_net *net = a->net;
    uint32_t n, first;
    HD_TRY(hd_hosts_repeated(a->ctx, net, &n, &first));
    if (n)
        hd_advise_finding(a, HD_WARN, "host names",
                          "%u of %u hosts ha%s the name of another, such as %.60s: rank files and Slurm cannot "
                          "distinguish them (--node-name-map gives names)",
                          n, a->info.hosts, n == 1 ? "s" : "ve", hd_host_name(net, first));
    return HD_OK;
}

hd_status hd_advise_findings(struct hd_advising *a)
{
    HD_TRY(findings_connectivity(a));
    findings_shape(a);
    HD_TRY(hd_advise_missing(a));
    findings_misplaced(a);
    HD_TRY(findings_leaves(a));
    HD_TRY(hd_advise_rates(a));
    findings_oversubscription(a);
    HD_TRY(hd_advise_rails(a));
    HD_TRY(findings_host_names(a));
    hd_advise_finding(a, HD_PASS, "GUIDs", "all distinct: %u switch%s, %u adapter%s, %u port%s", a->info.switches,
                      a->info.switches == 1 ? "" : "es", a->info.adapters, hd_plural(a->info.adapters),
                      a->info.endpoints, hd_plural(a->info.endpoints));
    return HD_OK;
}
