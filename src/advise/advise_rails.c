/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of hosts: how many they usually have, one per rail, and which hosts lack some.
 *
 * A host that lacks nothing but the rails of dead leaf switches needs no cable of its own: none of the hosts on its
 * other leaves has these rails either, and at least as many leaves are dead as these rails and groups of hosts ask for.
 * A cable that the ports of a leaf show to be missing is a fault with both ends, and is not asked for a second time.
 * Cost: O(endpoints + lacking hosts * rails * (radix + rails)) for each number of ports that many hosts have. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/core/hosts.h"
#include "net/core/labels.h"
#include "net/core/node_name.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEAD = 64 };

struct rail_counts {
    uint32_t rails, hosts;    /* that hosts usually have; hosts of selected endpoints */
    uint32_t *count, *one;    /* [nhost] endpoints, and one of them */
    uint32_t *first, *member; /* [nhost + 1], [nsel] the endpoints of a host */
    bool *nameless;           /* [nhost] */
    bool *has;                /* [nhost * nrail] by rail */
    bool *excused;            /* [nhost] it lacks the rails of dead switches alone */
    bool *waits;              /* [nhost * nrail] for a dead switch */
    bool *told;               /* [nhost * nrail] that the cable is missing: it is among the faults of the cabling */
    uint32_t nrail;           /* of the network */
    bool named;               /* some host has a name */
    bool usual[256];          /* rails that most of the usual hosts have, or had */
    const char *name[256];    /* of a rail; NULL: not made yet */
    uint32_t spread;          /* rails that some of the usual hosts have: more where they differ in them */
    uint32_t full, others, unknown, nexcused;
    uint32_t lacked[256]; /* by rail: hosts that lack it; of rails that the usual hosts do not have, 0 */
    struct hd_name_list lacking, more;
};

static hd_status rails_count(struct hd_advising *a, struct hd_arena *scratch, struct rail_counts *r)
{
    const struct hd_net *net = a->net;
    const size_t n = (size_t)net->nhost + 1;
    r->nrail = net->nrail;
    r->nameless = HD_NEW(scratch, bool, n);
    r->excused = HD_NEW(scratch, bool, n);
    r->has = HD_NEW(scratch, bool, n * net->nrail);
    r->waits = HD_NEW(scratch, bool, n * net->nrail);
    r->told = HD_NEW(scratch, bool, n * net->nrail);
    r->member = HD_NEW(scratch, uint32_t, (size_t)net->nsel + 1);
    if (!HD_NEW_U32(scratch, n, &r->count, &r->one, &r->first) || !r->nameless || !r->excused || !r->has || !r->waits ||
        !r->told || !r->member)
        return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < net->nsel; i++) {
        const uint32_t e = net->sel[i], h = net->host[e];
        r->hosts += !r->count[h]++;
        r->one[h] = e;
        r->has[(size_t)h * r->nrail + net->rail[e]] = true;
    }
    for (uint32_t h = 0; h < net->nhost; h++) r->first[h + 1] = r->first[h] + r->count[h];
    for (uint32_t i = 0; i < net->nsel; i++) r->member[r->first[net->host[net->sel[i]]]++] = net->sel[i];
    for (uint32_t h = net->nhost; h > 0; h--) r->first[h] = r->first[h - 1];
    r->first[0] = 0;
    return hd_hosts_nameless(a->ctx, net, r->nameless);
}

static bool rails_has(const struct rail_counts *r, uint32_t h, uint32_t rail)
{
    return r->has[(size_t)h * r->nrail + rail];
}

/* Whether the host has most of so many rails and lacks some. One with half of them or fewer is of another kind
 * (management, storage) if it has a name; otherwise it is adapters whose host nobody knows. */
static bool rails_lacks(const struct rail_counts *r, uint32_t h)
{
    uint32_t n = r->count[h];
    return n && n < r->rails && (2 * n > r->rails || (r->rails == 2 && !r->nameless[h]));
}

/* ---- missing cables ------------------------------------------------------------------------------- */

/* Whether a fault is the missing cable of a host that has other ports in the fabric. */
static bool rails_is_cable(const struct hd_cabling_fault *f)
{
    return f->kind == HD_CABLING_MISSING && f->to.node == UINT32_MAX && f->to2.node != UINT32_MAX;
}

/* The rail of the leaf's endpoints with the device that a fault names; nrail: there is none. */
static uint32_t rails_of_cable(const struct hd_net *net, const struct hd_cabling_fault *f)
{
    const struct hd_text device = hd_name_split(f->to.name).device;
    for (uint32_t c = net->off[f->from.node]; c < net->off[f->from.node + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        const struct hd_text other = hd_name_split(hd_node_name(net, net->head[c])).device;
        if (other.n == device.n && strncmp(other.at, device.at, device.n) == 0)
            return net->rail[net->head[c] - net->nsw];
    }
    return net->nrail;
}

static void rails_read_cables(const struct hd_advising *a, struct rail_counts *r)
{
    const struct hd_net *net = a->net;
    for (uint32_t i = 0; i < a->faults->n; i++) {
        const struct hd_cabling_fault *f = &a->faults->fault[i];
        const uint32_t rail = rails_is_cable(f) ? rails_of_cable(net, f) : net->nrail;
        if (rail < net->nrail) r->told[(size_t)net->host[f->to2.node - net->nsw] * r->nrail + rail] = true;
    }
}

/* ---- dead switches ------------------------------------------------------------------------------- */

struct rail_group { /* hosts on the same leaves that all lack a rail */
    uint32_t rail, host;
};

/* Dead switches that may have been leaves: cables from the second level led to them, or it is not known which. */
static uint32_t rails_dead_leaves(const struct hd_advising *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->faults->n; i++) {
        const struct hd_cabling_fault *f = &a->faults->fault[i];
        if (f->kind == HD_CABLING_DEAD) n += !f->n || a->net->level[f->from.node] == 2;
    }
    return n < MOST_DEAD ? n : MOST_DEAD;
}

/* Whether none of the hosts on the leaves of h has the rail; group: the first of them, and there is another than h. */
static bool rails_nobody_has(const struct hd_net *net, const struct rail_counts *r, uint32_t h, uint32_t rail,
                             struct rail_group *group)
{
    uint32_t others = 0;
    *group = (struct rail_group){rail, h};
    for (uint32_t i = r->first[h]; i < r->first[h + 1]; i++) {
        const uint32_t v = hd_leaf(net, r->member[i]);
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            const uint32_t other = net->head[c] < net->nsw ? h : net->host[net->head[c] - net->nsw];
            if (other == h || 2 * r->count[other] <= r->rails) continue;
            if (rails_has(r, other, rail)) return false;
            others++;
            if (other < group->host) group->host = other;
        }
    }
    return others > 0;
}

/* Notes the group of hosts; false: there are more than dead leaves. */
static bool rails_add_group(struct rail_group *list, uint32_t *n, uint32_t most, struct rail_group group)
{
    for (uint32_t i = 0; i < *n; i++)
        if (list[i].rail == group.rail && list[i].host == group.host) return true;
    if (*n == most) return false;
    list[(*n)++] = group;
    return true;
}

/* Excuses the hosts that lack the rails of dead leaves alone. */
static void rails_excuse(const struct hd_advising *a, struct rail_counts *r)
{
    const struct hd_net *net = a->net;
    const uint32_t dead = rails_dead_leaves(a);
    struct rail_group list[MOST_DEAD];
    uint32_t n = 0;
    bool enough = dead > 0;
    memset(r->excused, 0, net->nhost * sizeof *r->excused);
    memset(r->waits, 0, (size_t)net->nhost * r->nrail * sizeof *r->waits);
    for (uint32_t h = 0; h < net->nhost && enough; h++) {
        uint32_t lacked = 0, gone = 0;
        if (!rails_lacks(r, h)) continue;
        for (uint32_t k = 0; k < r->nrail && enough; k++) {
            struct rail_group group;
            if (!r->usual[k] || rails_has(r, h, k)) continue;
            lacked++;
            if (!rails_nobody_has(net, r, h, k, &group)) continue;
            gone++;
            r->waits[(size_t)h * r->nrail + k] = true;
            enough = rails_add_group(list, &n, dead, group);
        }
        r->excused[h] = gone && gone == lacked && lacked + r->count[h] == r->rails;
    }
    r->nexcused = 0;
    if (!enough) memset(r->waits, 0, (size_t)net->nhost * r->nrail * sizeof *r->waits);
    for (uint32_t h = 0; h < net->nhost; h++) {
        r->excused[h] &= enough;
        r->nexcused += r->excused[h];
    }
}

/* ---- what is usual ------------------------------------------------------------------------------- */

/* Marks the rails that most of the hosts with so many ports have; returns how many. */
static uint32_t rails_mark_usual(const struct hd_net *net, struct rail_counts *r, uint32_t ports)
{
    uint32_t have[256] = {0}, hosts = 0, n = 0;
    r->spread = 0;
    for (uint32_t h = 0; h < net->nhost; h++) hosts += r->count[h] == ports;
    for (uint32_t i = 0; i < net->nsel; i++) have[net->rail[net->sel[i]]] += r->count[net->host[net->sel[i]]] == ports;
    for (uint32_t k = 0; k < r->nrail; k++) {
        n += r->usual[k] = 2 * have[k] > hosts;
        r->spread += have[k] > 0;
    }
    return n;
}

/* Marks the rails that no endpoint has any more, which failures leave behind; returns how many. Where rails are port
 * numbers there may never have been such a port, and of a selection of rails the others are not missed. */
static uint32_t rails_mark_gone(const struct hd_net *net, struct rail_counts *r)
{
    bool there[256] = {false}, selected[256] = {false};
    uint32_t n = 0;
    if (strcmp(net->rails, "port") == 0) return 0;
    for (uint32_t e = 0; e < net->nep; e++) there[net->rail[e]] = true;
    for (uint32_t i = 0; i < net->nsel; i++) selected[net->rail[net->sel[i]]] = true;
    for (uint32_t k = 0; k < r->nrail; k++)
        if (there[k] && !selected[k]) return 0;
    for (uint32_t k = 0; k < r->nrail; k++) {
        if (there[k]) continue;
        r->usual[k] = true;
        n++;
    }
    return n;
}

/* Hosts that may be of a kind with fewer ports than r->rails: those that lack one and the same rail, and not because of
 * dead leaves. Cables that were lost here and there are of different rails. A single port may be on any rail. */
static uint32_t rails_alike(const struct hd_advising *a, struct rail_counts *r)
{
    const struct hd_net *net = a->net;
    uint32_t lack[256] = {0}, all = 0, most = 0;
    const bool by_rail = rails_mark_usual(net, r, r->rails) == r->rails && r->rails > 2;
    rails_excuse(a, r);
    for (uint32_t h = 0; h < net->nhost; h++) {
        const uint32_t n = r->count[h];
        const bool fewer = n && n < r->rails && (2 * n > r->rails || r->rails == 2);
        if (!fewer || (r->named && r->nameless[h]) || r->excused[h]) continue;
        all++;
        for (uint32_t k = 0; k < r->nrail; k++) lack[k] += r->usual[k] && !rails_has(r, h, k);
    }
    for (uint32_t k = 0; k < r->nrail; k++)
        if (lack[k] > most) most = lack[k];
    return by_rail ? most : all;
}

/* Whether hosts that lack some are called like hosts that do not, up to the first digit: cpu07 is no gpu that lost a
 * port. The first one stands for all. */
static bool rails_named_alike(const struct hd_net *net, const struct rail_counts *r)
{
    const char *lacks = NULL;
    for (uint32_t h = 0; h < net->nhost && !lacks; h++)
        if (rails_lacks(r, h) && !r->nameless[h]) lacks = hd_host_name(net, h);
    const size_t n = lacks ? strcspn(lacks, "0123456789") : 0;
    for (uint32_t h = 0; h < net->nhost; h++) {
        const char *name = hd_host_name(net, h);
        if (r->count[h] == r->rails && lacks && strcspn(name, "0123456789") == n && strncmp(name, lacks, n) == 0)
            return true;
    }
    return !lacks;
}

/* The most that more hosts have than there are of a kind with fewer, or as many with like names, if these are no
 * oddity: hosts of a tenth of the endpoints. Servers with one port may be more hosts, and so a few hosts with more
 * ports are the odd ones. Where most hosts have each of more rails than any host has ports, all of them lack some. */
static void rails_find_usual(const struct hd_advising *a, struct rail_counts *r)
{
    const struct hd_net *net = a->net;
    uint32_t often[257] = {0}, ports = 0; /* hosts by their ports, at most one per rail */
    for (uint32_t h = 0; h < net->nhost; h++) r->named |= r->count[h] && !r->nameless[h];
    for (uint32_t h = 0; h < net->nhost; h++)
        if (!r->named || !r->nameless[h]) often[r->count[h]]++;
    for (uint32_t k = 1; k <= 256; k++) ports += k * often[k];
    for (r->rails = 256; r->rails > 1; r->rails--) {
        const uint32_t k = r->rails;
        if (!often[k] || 10 * k * often[k] < ports) continue;
        const uint32_t alike = rails_alike(a, r);
        if (often[k] > alike || (often[k] == alike && rails_named_alike(net, r))) break;
    }
    const uint32_t n = rails_mark_usual(net, r, r->rails);
    if (n > r->rails) r->rails = n;
    r->rails += rails_mark_gone(net, r);
}

/* By rail, how many of the hosts that lack some lack it. */
static void rails_count_lacked(const struct hd_net *net, struct rail_counts *r)
{
    for (uint32_t k = 0; k < r->nrail; k++)
        for (uint32_t h = 0; r->usual[k] && h < net->nhost; h++)
            r->lacked[k] += rails_lacks(r, h) && !rails_has(r, h, k);
}

/* ---- words --------------------------------------------------------------------------------------- */

static const char *rails_host(struct hd_advising *a, const struct rail_counts *r, uint32_t h)
{
    const struct hd_net *net = a->net;
    if (!r->nameless[h]) return hd_say(a, "%.40s", hd_host_name(net, h));
    return hd_say(a, "the host at %.40s port %u", hd_node_label(net, hd_leaf(net, r->one[h])),
                  net->port[net->rev[net->off[net->nsw + r->one[h]]]]);
}

/* "rail 2 (mlx5_2)": rails count from 0, which the numbers in names need not. */
static const char *rails_name(struct hd_advising *a, struct rail_counts *r, uint32_t rail)
{
    const struct hd_net *net = a->net;
    for (uint32_t i = 0; i < net->nsel && !r->name[rail]; i++) {
        const uint32_t e = net->sel[i], ports = r->count[net->host[e]];
        const bool one_of_them = r->full ? ports == r->rails : 2 * ports > r->rails;
        if (net->rail[e] != rail || !one_of_them || r->nameless[net->host[e]]) continue;
        const struct hd_text device = hd_name_split(hd_node_name(net, net->nsw + e)).device;
        if (device.n)
            r->name[rail] = hd_say(a, "rail %u (%.*s)", rail, (int)(device.n < 24 ? device.n : 24), device.at);
    }
    if (!r->name[rail]) r->name[rail] = hd_say(a, "rail %u", rail);
    return r->name[rail];
}

static void rails_list(struct hd_advising *a, struct rail_counts *r)
{
    const struct hd_net *net = a->net;
    for (uint32_t h = 0; h < net->nhost; h++) {
        uint32_t n = r->count[h];
        if (!n) continue;
        struct hd_name_list *odd = n > r->rails ? &r->more : rails_lacks(r, h) ? &r->lacking : NULL;
        if (odd)
            hd_name_list_add(odd, "%s has %u", odd->n < odd->most ? rails_host(a, r, h) : "", n);
        else if (n == r->rails)
            r->full++;
        else if (r->nameless[h])
            r->unknown += n;
        else
            r->others++;
    }
    rails_count_lacked(net, r);
    rails_excuse(a, r);
}

/* What else there is to say: the rail that most of them lack, hosts with more, other kinds, unknown hosts. */
static const char *rails_also(struct hd_advising *a, struct rail_counts *r)
{
    const char *also = "";
    for (uint32_t rail = 0; rail < r->nrail; rail++)
        if (r->lacked[rail] > 1 && 2 * r->lacked[rail] > r->lacking.n)
            also = hd_say(a, "; %u of them lack %s", r->lacked[rail], rails_name(a, r, rail));
    if (r->nexcused)
        also = hd_say(a, "%s; %u lack%s nothing but what led to dead switches", also, r->nexcused,
                      r->nexcused == 1 ? "s" : "");
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
    if (!r->more.n && !r->others && r->spread > r->rails)
        return hd_say(a, "every host has %u of the %u rails", r->rails, r->spread);
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

/* Whether a host lacks a rail whose cable nothing else asks for. */
static bool rails_is_open(const struct rail_counts *r, uint32_t h, uint32_t rail)
{
    const size_t i = (size_t)h * r->nrail + rail;
    return r->usual[rail] && !r->has[i] && !r->waits[i] && !r->told[i];
}

/* Ports of a host to be cabled; *known is whether rails tell which they are. */
static uint32_t rails_open(const struct rail_counts *r, uint32_t h, bool *known)
{
    const uint32_t lacks = r->rails - r->count[h];
    uint32_t all = 0, open = 0;
    for (uint32_t k = 0; k < r->nrail; k++) {
        all += r->usual[k] && !rails_has(r, h, k);
        open += rails_is_open(r, h, k);
    }
    *known = all == lacks;
    return *known ? open : lacks - (all - open < lacks ? all - open : lacks);
}

/* "node-3 lacks rail 2 (mlx5_2)" */
static const char *rails_lack_text(struct hd_advising *a, struct rail_counts *r, uint32_t h)
{
    bool known;
    const uint32_t lacks = rails_open(r, h, &known);
    const char *which = "";
    for (uint32_t k = 0, n = 0; k < r->nrail; k++)
        if (rails_is_open(r, h, k)) which = hd_say(a, "%s%s%s", which, n++ ? ", " : "", rails_name(a, r, k));
    if (!known) which = hd_say(a, "%u port%s", lacks, hd_plural(lacks));
    return hd_say(a, "%s lacks %s", rails_host(a, r, h), which);
}

/* What is to be cabled at hosts, but for what waits for a dead switch or is a fault of its own. */
static hd_status rails_repair(struct hd_advising *a, struct rail_counts *r)
{
    struct hd_report *report = a->report;
    struct hd_name_list names = {.most = HD_NAMED};
    uint32_t n = 0, ports = 0, least = 256, most = 0;
    report->lacking = hd_advise_alloc(a, r->lacking.n, sizeof *report->lacking);
    if (!report->lacking) return hd_fail_memory(a->ctx);
    for (uint32_t h = 0; h < a->net->nhost; h++) {
        bool known;
        const uint32_t lacks = rails_lacks(r, h) ? rails_open(r, h, &known) : 0;
        if (!lacks) continue;
        const char *text = rails_lack_text(a, r, h);
        hd_name_list_add(&names, "%.100s", text);
        report->lacking[report->nlacking++] = text;
        ports += lacks;
        if (lacks < least) least = lacks;
        if (lacks > most) most = lacks;
        n++;
    }
    if (!n) return HD_OK;
    const char *deed = n == 1 ? hd_say(a, "cable the missing port%s of 1 host", hd_plural(ports))
                       : least == most
                           ? hd_say(a, "cable %u missing port%s at each of %u hosts", most, hd_plural(most), n)
                           : hd_say(a, "cable %u missing ports of %u hosts", ports, n);
    hd_advise_cabling(a, deed, hd_say(a, "%s", hd_name_list_end(&names)));
    return HD_OK;
}

static bool rails_one_per_leaf(const struct hd_net *net, struct hd_arena *scratch)
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

/* Missing cables of hosts that do not lack a rail by the number of their ports. */
static void rails_say_cables(struct hd_advising *a, const struct rail_counts *r)
{
    struct hd_name_list missing = {.most = HD_NAMED};
    for (uint32_t i = 0; i < a->faults->n; i++) {
        const struct hd_cabling_fault *f = &a->faults->fault[i];
        if (rails_is_cable(f) && !rails_lacks(r, a->net->host[f->to2.node - a->net->nsw]))
            hd_name_list_add(&missing, "%s", a->report->repair[i].text);
    }
    if (missing.n)
        hd_advise_finding(a, HD_WARN, "host cables", "%u missing: %s", missing.n, hd_name_list_end(&missing));
}

static hd_status rails_say(struct hd_advising *a, struct hd_arena *scratch, struct rail_counts *r)
{
    rails_read_cables(a, r);
    rails_find_usual(a, r);
    rails_list(a, r);
    const char *also = rails_also(a, r);
    if (r->lacking.n) {
        hd_advise_finding(a, HD_WARN, "rails", "%u of %u hosts%s ha%s fewer than %u ports: %s%s", r->lacking.n,
                          r->hosts, rails_not_counted(a, r), r->lacking.n == 1 ? "s" : "ve", r->rails,
                          hd_name_list_end(&r->lacking), also);
        return rails_repair(a, r);
    }
    if (r->rails == 1 && r->spread == 1 && !r->more.n) return HD_OK;
    /* Every host lacks one of the rails, and leaves serve one each: leaves are gone, or devices have other numbers. A
     * host with one port may well have another device than others. */
    const bool apart = r->rails > 1 && rails_one_per_leaf(a->net, scratch), odd = apart && r->spread == r->rails + 1;
    hd_advise_finding(a, odd ? HD_WARN : HD_PASS, "rails", "%s%s%s", rails_full(a, r),
                      apart ? ", and every leaf serves one rail" : "", also);
    return HD_OK;
}

hd_status hd_advise_rails(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct rail_counts r = {.lacking = {.most = HD_NAMED}, .more = {.most = HD_NAMED}};
    if (!a->net->nsel) return HD_OK;
    hd_status s = rails_count(a, &scratch, &r);
    if (s == HD_OK && a->net->nrail > 1) s = rails_say(a, &scratch, &r);
    if (s == HD_OK) rails_say_cables(a, &r);
    hd_arena_release(&scratch);
    return s;
}
