/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fabric lacks: cables that should be there, those that would complete it, uplinks of switches that are cut
 * off from the rest, and switches that are gone. O(channels). */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/cabling/lacking.h"
#include "net/core/labels.h"
#include "net/core/shape.h"
#include "net/core/subtrees.h"

#include <inttypes.h>
#include <string.h>

uint32_t hd_advise_faults(struct hd_advising *a, enum hd_cabling_kind kind, bool hosts, struct hd_name_list *names)
{
    const struct hd_cabling *k = a->faults;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct hd_cabling_fault *f = &k->fault[i];
        const bool missing = f->to.node == UINT32_MAX && f->kind == HD_CABLING_MISSING;
        const bool host = missing || (f->to.node != UINT32_MAX && f->to.node >= a->net->nsw);
        if (missing && f->to2.node != UINT32_MAX) continue; /* a port of a host, as those on rails */
        if (f->kind == kind && host == hosts) hd_name_list_add(names, "%s", a->report->repair[i].text);
    }
    return names->n;
}

/* Whether it is a cable between switches that endpoints use. */
static bool missing_is_used(const struct hd_net *net, uint32_t u, uint32_t v)
{
    return u < net->nsw && v < net->nsw && !net->unplaced[u];
}

/* Cables between switches that there are, without those that are to be removed. */
static uint32_t missing_used_cables(const struct hd_net *net, const struct hd_cabling *k)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        n += net->rev[c] > c && missing_is_used(net, net->tail[c], net->head[c]);
    for (uint32_t i = 0; i < k->n; i++) {
        const struct hd_cabling_fault *f = &k->fault[i];
        const bool goes = f->kind == HD_CABLING_EXTRA || (f->kind == HD_CABLING_WRONG && f->from2.node == UINT32_MAX);
        n -= goes && missing_is_used(net, f->from.node, f->to.node);
    }
    return n;
}

struct missing_count {
    const struct hd_net *net;
    uint32_t *n; /* [nsw] cables that a switch lacks by the shape, upwards in a tree */
};

static void missing_add(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    const struct missing_count *f = user;
    f->n[f->net->level[v] < f->net->level[u] ? v : u] += k;
}

/* Whether it is a cable between two switches that is missing. */
static bool missing_is_fault(const struct hd_net *net, const struct hd_cabling_fault *f)
{
    return f->kind == HD_CABLING_MISSING && f->from.node < net->nsw && f->to.node < net->nsw;
}

static uint32_t missing_faults(const struct hd_advising *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->faults->n; i++) n += missing_is_fault(a->net, &a->faults->fault[i]);
    return n;
}

/* Cables that a switch lacks, [nsw], and that are no fault: by the shape, and where there is none by the rules of its
 * neighbourhoods. */
static hd_status missing_beside_faults(struct hd_advising *a, uint32_t *lacks)
{
    const struct hd_net *net = a->net;
    const struct hd_cabling *k = a->faults;
    struct missing_count f = {net, lacks};
    if (net->shape.kind == HD_SHAPE_NONE) {
        memcpy(lacks, k->uneven, net->nsw * sizeof *lacks);
        return HD_OK;
    }
    if (a->info.missing <= missing_faults(a)) return HD_OK;
    HD_TRY(hd_shape_each_lacking(a->ctx, net, missing_add, &f));
    for (uint32_t i = 0; i < k->n; i++) {
        const uint32_t u = k->fault[i].from.node, v = k->fault[i].to.node;
        if (!missing_is_fault(net, &k->fault[i])) continue;
        uint32_t *n = &lacks[net->level[v] < net->level[u] ? v : u];
        *n -= *n > 0;
    }
    return HD_OK;
}

/* Where a switch lacks more than it has, or ports follow no majority, cables are not called missing: it may be built
 * so. But a fabric that lacks them is not complete either. Returns how many. */
static uint64_t missing_uneven(struct hd_advising *a, const uint32_t *lacks)
{
    const struct hd_net *net = a->net;
    struct hd_name_list uneven = {.most = HD_NAMED};
    uint64_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (lacks[v]) hd_name_list_add(&uneven, "%.48s lacks %u", hd_node_label(net, v), lacks[v]);
        n += lacks[v];
    }
    if (n)
        hd_advise_finding(a, HD_WARN, "uneven cables",
                          "%" PRIu64 " more would complete the %s, if it was not built without them: %s", n,
                          net->shape.kind == HD_SHAPE_GRID ? "grid" : "tree", hd_name_list_end(&uneven));
    return n;
}

struct missing_heights {
    uint32_t *first;  /* [nsw] of the switch's component: its first switch */
    uint32_t *height; /* [nsw] by first switch: levels of the component */
    uint32_t *most;   /* [nsw] likewise: levels of the tallest component with endpoints on one of its rails */
};

/* Planes, one per rail, may differ in height. */
static void missing_heights_find(const struct hd_net *net, struct missing_heights *h)
{
    uint32_t tallest[256] = {0}; /* by rail */
    hd_components(net, HD_NO_LEVEL, h->first);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] != HD_NO_LEVEL && net->level[v] > h->height[h->first[v]])
            h->height[h->first[v]] = net->level[v];
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t e = 0; e < net->nep; e++) {
            const uint32_t part = h->first[hd_leaf(net, e)];
            uint32_t *of = turn ? &h->most[part] : &tallest[net->rail[e]];
            const uint32_t levels = turn ? tallest[net->rail[e]] : h->height[part];
            if (levels > *of) *of = levels;
        }
}

/* Switches that end a component below the top of the tree: a leaf that lost all its uplinks, say. They lack no other
 * cables. */
static bool missing_cut_off(struct hd_advising *a, struct missing_heights *h, uint32_t *lacks)
{
    const struct hd_net *net = a->net;
    struct hd_name_list cut = {.most = HD_NAMED};
    if (!a->split) return false;
    missing_heights_find(net, h);
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint32_t l = net->level[v], most = h->most[h->first[v]];
        if (net->unplaced[v] || l != h->height[h->first[v]] || l >= most) continue;
        hd_name_list_add(&cut, "%.48s (level %u of %u)", hd_node_label(net, v), l, most);
        lacks[v] = 0;
    }
    if (!cut.n) return false;
    hd_advise_finding(a, HD_WARN, "missing uplinks", "%u switch%s ha%s none: %s", cut.n, cut.n == 1 ? "" : "es",
                      cut.n == 1 ? "s" : "ve", hd_name_list_end(&cut));
    hd_advise_cabling(
        a,
        hd_say(a, "reconnect %u switch%s that ha%s no uplink", cut.n, cut.n == 1 ? "" : "es", cut.n == 1 ? "s" : "ve"),
        hd_say(a, "%s", cut.text));
    a->switches_away = true;
    return true;
}

/* Whether cables led to a switch that is gone; one that has none may never have had any. */
static bool missing_with_dead(const struct hd_cabling *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->fault[i].kind == HD_CABLING_DEAD && k->fault[i].n) return true;
    return false;
}

/* Places that the numbers of switches leave out, of which it is not known whether they ever had one. Uplinks that are
 * free between others ask for a look; leaf switches are often bought later. */
static void missing_vacant(struct hd_advising *a)
{
    const struct hd_cabling *k = a->faults;
    for (int upper = 1; upper >= 0; upper--) {
        struct hd_name_list vacant = {.most = HD_NAMED};
        for (uint32_t i = 0; i < k->nvacant; i++)
            if (k->vacant[i].upper == upper) hd_name_list_add(&vacant, "%s", k->vacant[i].name);
        if (vacant.n)
            hd_advise_finding(a, upper ? HD_WARN : HD_PASS, "vacant places",
                              "%u between %s, by ports and names: switches that are gone or never were there: %s",
                              vacant.n, upper ? "uplinks" : "leaf switches", hd_name_list_end(&vacant));
    }
}

/* What comes before the number of cables if none is known to be missing. */
static const char *missing_none(const struct hd_advising *a, uint32_t cables)
{
    if (a->faults->nvacant) return " between these switches: ";
    return cables == 1 ? ": the " : ": all ";
}

hd_status hd_advise_missing(struct hd_advising *a)
{
    const struct hd_topo_info *t = &a->info;
    const uint32_t cables = missing_used_cables(a->net, a->faults);
    struct hd_name_list missing = {.most = HD_NAMED}, dead = {.most = HD_NAMED};
    struct hd_arena scratch = {0};
    uint32_t *lacks;
    struct missing_heights h;
    hd_status s = HD_NEW_U32(&scratch, (size_t)a->net->nsw + 1, &lacks, &h.first, &h.height, &h.most)
                      ? missing_beside_faults(a, lacks)
                      : hd_fail_memory(a->ctx);
    if (s != HD_OK) {
        hd_arena_release(&scratch);
        return s;
    }
    const bool whole = !missing_cut_off(a, &h, lacks), even = !missing_uneven(a, lacks);
    if (hd_advise_faults(a, HD_CABLING_MISSING, false, &missing))
        hd_advise_finding(a, HD_WARN, "missing cables", "%u of %u switch-to-switch cables: %s", missing.n,
                          missing.n + cables, hd_name_list_end(&missing));
    else if (cables && !a->faults->judged)
        hd_advise_finding(a, HD_WARN, "missing cables",
                          "not known: the cabling follows no rule that says which there should be");
    else if (cables && whole && even && !t->absent && !missing_with_dead(a->faults))
        hd_advise_finding(a, HD_PASS, "missing cables", "none%s%u switch-to-switch cable%s present",
                          missing_none(a, cables), cables, cables == 1 ? " is" : "s are");
    missing_vacant(a);
    if (hd_advise_faults(a, HD_CABLING_DEAD, false, &dead)) {
        hd_advise_finding(a, HD_WARN, "dead switches", "%u: %s", dead.n, hd_name_list_end(&dead));
    } else if (t->absent) {
        hd_advise_finding(a, HD_WARN, "missing switches",
                          "%u uplink%s of the tree lead%s to switches that are not present", t->absent,
                          hd_plural(t->absent), t->absent == 1 ? "s" : "");
        hd_advise_cabling(
            a, hd_say(a, "restore the switches to which %u uplink%s led", t->absent, hd_plural(t->absent)), NULL);
        a->switches_away = true;
    }
    if (a->split && whole && !a->report->nrepair)
        hd_advise_cabling(a, hd_say(a, "connect the %u components", t->inhabited), a->split);
    hd_arena_release(&scratch);
    return HD_OK;
}
