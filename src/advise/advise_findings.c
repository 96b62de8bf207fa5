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
    bool tree = net->shape.kind == HD_SHAPE_TREE || *a->info.form;
    if (net->nsw < 2) return;
    if (hd_advise_faults(a, HD_CABLING_WRONG, false, &odd))
        hd_advise_finding(a, HD_WARN, "wrong cables", "%u do%s not belong where %s: %s", odd.n, odd.n == 1 ? "es" : "",
                          odd.n == 1 ? "it is" : "they are", hd_name_list_end(&odd));
    if (hd_advise_faults(a, HD_CABLING_EXTRA, false, &extra))
        hd_advise_finding(a, HD_WARN, "extra cables", "%u belong%s nowhere: %s", extra.n, extra.n == 1 ? "s" : "",
                          hd_name_list_end(&extra));
    if (tree && !odd.n && !extra.n)
        hd_advise_finding(a, HD_PASS, "tree", "every switch-to-switch cable connects adjacent levels");
    if (!tree && *net->departs) hd_advise_finding(a, HD_WARN, "tree", "neither a tree nor a grid: %s", net->departs);
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

static bool findings_one_rail_per_leaf(const struct hd_net *net, struct hd_arena *scratch)
{
    uint16_t *rail = HD_NEW(scratch, uint16_t, net->nsw); /* 0: none yet */
    for (uint32_t i = 0; rail && i < net->nsel; i++) {
        uint32_t leaf = hd_leaf(net, net->sel[i]);
        uint16_t r = (uint16_t)(net->rail[net->sel[i]] + 1);
        if (rail[leaf] && rail[leaf] != r) return false;
        rail[leaf] = r;
    }
    return rail != NULL;
}

struct rail_counts {
    uint32_t rails, hosts; /* that hosts usually have; hosts of selected endpoints */
    uint32_t *count, *one; /* [nhost] endpoints, and one of them */
    bool *nameless;        /* [nhost] */
    uint32_t full, others, unknown;
    uint32_t lacked[256]; /* by rail: hosts that lack it; of rails that the usual hosts do not have, 0 */
    struct hd_name_list lacking, more;
};

static hd_status rails_count(struct hd_advising *a, struct hd_arena *scratch, struct rail_counts *r)
{
    const struct hd_net *net = a->net;
    r->count = HD_NEW(scratch, uint32_t, net->nhost);
    r->one = HD_NEW(scratch, uint32_t, net->nhost);
    r->nameless = HD_NEW(scratch, bool, net->nhost);
    if (!r->count || !r->one || !r->nameless) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t h = net->host[net->sel[i]];
        r->hosts += !r->count[h]++;
        r->one[h] = net->sel[i];
    }
    return hd_hosts_nameless(a->ctx, net, r->nameless);
}

/* Whether the host has most of so many rails and lacks some. One with half of them or fewer is of another kind
 * (management, storage) if it has a name; otherwise it is adapters whose host nobody knows. */
static bool rails_lacks(const struct rail_counts *r, uint32_t h)
{
    uint32_t n = r->count[h];
    return n && n < r->rails && (2 * n > r->rails || (r->rails == 2 && !r->nameless[h]));
}

/* The most that more hosts have than would then lack some, if these are no oddity: hosts of a tenth of the endpoints.
 * Servers with one port may be more hosts, and so a few hosts with more ports are the odd ones. */
static void rails_find_usual(const struct hd_net *net, struct rail_counts *r)
{
    uint32_t often[257] = {0}, named = 0, ports = 0; /* hosts by their ports, at most one per rail */
    for (uint32_t h = 0; h < net->nhost; h++) named += r->count[h] && !r->nameless[h];
    for (uint32_t h = 0; h < net->nhost; h++)
        if (!named || !r->nameless[h]) often[r->count[h]]++;
    for (uint32_t k = 1; k <= 256; k++) ports += k * often[k];
    for (r->rails = 256; r->rails > 1; r->rails--) {
        const uint32_t k = r->rails;
        uint32_t lacking = 0;
        for (uint32_t n = k == 2 ? 1 : k / 2 + 1; n < k; n++) lacking += often[n];
        if (often[k] > lacking && 10 * k * often[k] >= ports) break;
    }
}

/* By rail, how many of the hosts that lack some lack it. */
static void rails_count_lacked(const struct hd_net *net, struct rail_counts *r)
{
    uint32_t have[256] = {0}; /* of hosts with the usual number */
    for (uint32_t i = 0; i < net->nsel; i++)
        have[net->rail[net->sel[i]]] += r->count[net->host[net->sel[i]]] == r->rails;
    for (uint32_t k = 0; k < 256; k++) r->lacked[k] = 2 * have[k] > r->full ? r->lacking.n : 0;
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t rail = net->rail[net->sel[i]];
        if (r->lacked[rail] && rails_lacks(r, net->host[net->sel[i]])) r->lacked[rail]--;
    }
}

static void rails_list(const struct hd_net *net, struct rail_counts *r)
{
    for (uint32_t h = 0; h < net->nhost; h++) {
        uint32_t n = r->count[h], leaf = n ? hd_leaf(net, r->one[h]) : 0;
        if (!n) continue;
        struct hd_name_list *odd = n > r->rails ? &r->more : rails_lacks(r, h) ? &r->lacking : NULL;
        if (odd && r->nameless[h])
            hd_name_list_add(odd, "the host at %.40s port %u %u", hd_node_label(net, leaf),
                             net->port[net->rev[net->off[net->nsw + r->one[h]]]], n);
        else if (odd)
            hd_name_list_add(odd, "%.40s %u", hd_host_name(net, h), n);
        else if (n == r->rails)
            r->full++;
        else if (r->nameless[h])
            r->unknown += n;
        else
            r->others++;
    }
    rails_count_lacked(net, r);
}

/* What else there is to say: the rail that most of them lack, hosts with more, other kinds, unknown hosts. */
static const char *rails_also(struct hd_advising *a, struct rail_counts *r)
{
    const char *also = "";
    for (uint32_t rail = 0; rail < 256; rail++)
        if (r->lacked[rail] > 1 && 2 * r->lacked[rail] > r->lacking.n)
            also = hd_say(a, "; %u of them lack rail %u", r->lacked[rail], rail);
    if (r->more.n)
        also =
            hd_say(a, "%s; %u ha%s more: %s", also, r->more.n, r->more.n == 1 ? "s" : "ve", hd_name_list_end(&r->more));
    if (r->others)
        also = hd_say(a, "%s; %u with half of them or fewer %s of another kind", also, r->others,
                      r->others == 1 ? "is" : "are");
    if (r->unknown)
        also = hd_say(a, "%s; of %u adapter%s with factory names the host is not known", also, r->unknown,
                      hd_plural(r->unknown));
    return also;
}

/* Those that have what is usual. */
static const char *rails_full(struct hd_advising *a, const struct rail_counts *r)
{
    if (r->rails == 1) return hd_say(a, "%u of %u hosts have 1 port", r->full, r->hosts);
    if (!r->more.n && !r->others) return hd_say(a, "every host has all %u", r->rails);
    return hd_say(a, "%u of %u hosts have all %u", r->full, r->hosts, r->rails);
}

/* Why there are fewer hosts here than in the facts. */
static const char *rails_not_counted(struct hd_advising *a, const struct rail_counts *r)
{
    if (r->hosts >= a->info.hosts) return "";
    return hd_say(a, " (%u of all %u are not selected)", a->info.hosts - r->hosts, a->info.hosts);
}

static hd_status findings_rails(struct hd_advising *a)
{
    const struct hd_net *net = a->net;
    struct hd_arena scratch = {0};
    struct rail_counts r = {.lacking = {.most = HD_NAMED}, .more = {.most = HD_NAMED}};
    if (a->info.rails < 2 || !net->nsel) return HD_OK;
    hd_status s = rails_count(a, &scratch, &r);
    if (s == HD_OK) rails_find_usual(net, &r);
    if (s == HD_OK) rails_list(net, &r);
    const char *also = s == HD_OK ? rails_also(a, &r) : "";
    if (s == HD_OK && r.lacking.n) {
        hd_advise_finding(a, HD_WARN, "rails", "%u of %u hosts%s ha%s fewer than %u ports: %s%s", r.lacking.n, r.hosts,
                          rails_not_counted(a, &r), r.lacking.n == 1 ? "s" : "ve", r.rails,
                          hd_name_list_end(&r.lacking), also);
        hd_advise_cabling(a,
                          hd_say(a, "cable the missing ports of %u host%s (%u ports each)", r.lacking.n,
                                 hd_plural(r.lacking.n), r.rails),
                          hd_say(a, "%s", r.lacking.text));
    } else if (s == HD_OK && (r.rails > 1 || r.more.n)) {
        bool apart = r.rails > 1 && findings_one_rail_per_leaf(net, &scratch);
        hd_advise_finding(a, HD_PASS, "rails", "%s%s%s", rails_full(a, &r),
                          apart ? ", and every leaf serves one rail" : "", also);
    }
    hd_arena_release(&scratch);
    return s;
}

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
    HD_TRY(findings_rails(a));
    HD_TRY(findings_host_names(a));
    hd_advise_finding(a, HD_PASS, "GUIDs", "all distinct: %u switch%s, %u adapter%s, %u port%s", a->info.switches,
                      a->info.switches == 1 ? "" : "es", a->info.adapters, hd_plural(a->info.adapters),
                      a->info.endpoints, hd_plural(a->info.endpoints));
    return HD_OK;
}
