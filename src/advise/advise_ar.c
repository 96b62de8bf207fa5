/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric that is adaptively routed is advised on its configuration rather than on tables: no file engine loads groups
 * of ports, and what a static table gains over another is little beside what choosing by load gains over both. So the
 * current table is kept unless a static one does better in the packet simulator or its choices do not all arrive, and
 * the report says which engine, roots and service levels to configure, where adaptive routing cannot help, and what a
 * static table would give. Where switches hash flows onto ports, it says to let them choose by load, if adapters take
 * packets out of order. The service levels follow from that, too (ibdiag_order.h).
 * Cost: one reading of the folder that the network came from. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/io/ibdiag_order.h"
#include "report/report_options.h"

#include <math.h>
#include <string.h>

static bool ar_is_on(const struct hd_advising *a)
{
    return a->in->current && hd_routes_adaptive(a->in->current);
}

/* Whether switches put flows on ports by hash, not by load. */
static bool ar_hashes(const struct hd_advising *a)
{
    return strcmp(hd_routes_choosing(a->in->current), "hash") == 0;
}

static bool ar_choices_fail(const struct hd_advising *a)
{
    const struct hd_choice_check *c = &a->current_check.choices;
    return c->unreachable + c->loops > 0;
}

hd_status hd_advise_ar_findings(struct hd_advising *a)
{
    const struct hd_choice_check *c = &a->current_check.choices;
    const struct hd_net *net = a->net;
    struct hd_ordering order;
    HD_TRY(hd_ordering_read(a->ctx, net, a->in->net_text, &order));
    if (!a->in->current && order.groups)
        hd_advise_note(a, hd_say(a,
                                 "The fabric is adaptively routed: %s has its tables. Give the folder as TABLE too, "
                                 "for advice on adaptive routing.",
                                 a->in->net_text));
    if (!ar_is_on(a)) return HD_OK;
    const double all = (double)net->nsw * net->nep;
    hd_advise_fact(a, "routing",
                   hd_say(a, "adaptive: %.0f %% of entries choose among several ports, %llu groups of ports",
                          all > 0 ? 100 * (double)c->entries / all : 0, (unsigned long long)c->groups));
    if (ar_choices_fail(a))
        hd_advise_finding(a, HD_FAIL, "every choice",
                          "%llu of %llu pairs may not arrive, such as %.60s to %.60s: a group has a port that leads "
                          "elsewhere",
                          (unsigned long long)(c->unreachable + c->loops), (unsigned long long)c->pairs,
                          hd_node_label(net, net->nsw + c->source), hd_node_label(net, net->nsw + c->dest));
    else
        hd_advise_finding(a, HD_PASS, "every choice", "arrives, whatever ports switches take");
    if (order.strict)
        hd_advise_finding(a, HD_WARN, "packet order",
                          "%u of %u adapter ports take no packets out of order: traffic to them must use the static "
                          "ports",
                          order.strict, order.ports);
    return HD_OK;
}

/* The best static table that can be loaded; NULL: none. */
static const struct hd_report_option *ar_static(const struct hd_report *r)
{
    const struct hd_report_option *best = NULL;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *o = &r->option[i];
        if (o->current || !hd_measured(o) || o->mark || isnan(o->score)) continue;
        if (!best || o->score > best->score) best = o;
    }
    return best;
}

/* Whether random pairs get more from this static table. */
static bool ar_is_worse(const struct hd_report_option *now, const struct hd_report_option *table)
{
    const double on = now->figure[HD_Q_ADAPTIVE].value, off = table ? table->figure[HD_Q_PACKETS].value : NAN;
    return !isnan(on) && !isnan(off) && on < HD_SAME_SCORE * off;
}

/* Whether adapters take packets out of order at some service level besides 0, as far as is known. */
static bool ar_may_reorder(const struct hd_ordering *order)
{
    return !order->ports || order->mask & 0xfffe;
}

/* Whether switches that hash flows should choose by load. */
static bool ar_should_choose(const struct hd_advising *a)
{
    struct hd_ordering order;
    return ar_hashes(a) && hd_ordering_read(a->ctx, a->net, a->in->net_text, &order) == HD_OK && ar_may_reorder(&order);
}

uint32_t hd_advise_ar_best(const struct hd_advising *a, uint32_t chosen)
{
    const struct hd_report *r = a->report;
    const struct hd_report_option *now = r->noption ? &r->option[0] : NULL, *other = ar_static(r);
    if (!ar_is_on(a) || ar_choices_fail(a) || !now || !now->current || now->mark || !hd_measured(now)) return chosen;
    return ar_is_worse(now, other) && !ar_should_choose(a) ? chosen : 0;
}

const char *hd_advise_ar_headline(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    const struct hd_report_option *other = ar_static(r);
    if (!ar_is_on(a) || r->best >= r->noption || !r->option[r->best].current) return NULL;
    const double on = r->option[r->best].figure[HD_Q_ADAPTIVE].value;
    if (isnan(on)) return "Keep adaptive routing, which no static table replaces.";
    const struct hd_report_option *now = &r->option[r->best];
    if (ar_should_choose(a))
        return hd_say(a,
                      "Let switches choose ports by load, not by hash: random pairs get %.3g of a link with hashed "
                      "flows, %.3g along the static ports.",
                      on, now->figure[HD_Q_PACKETS].value);
    if (ar_is_worse(now, now))
        return hd_say(a,
                      "Turn adaptive routing off: random pairs get %.3g of a link with it, %.3g along the static "
                      "ports of the current table.",
                      on, now->figure[HD_Q_PACKETS].value);
    const double off = other ? other->figure[HD_Q_PACKETS].value : NAN;
    if (!other || isnan(off)) return hd_say(a, "Keep adaptive routing: random pairs get %.3g of a link.", on);
    return hd_say(a, "Keep adaptive routing: random pairs get %.3g of a link, with the best static table (%s) %.3g.",
                  on, other->table, off);
}

/* What separates the two, and where nothing does. */
static void ar_notes(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    const struct hd_report_option *now = &r->option[r->best], *other = ar_static(r);
    hd_advise_note(a, "The figures of the current table, those after failures included, are of its static ports.");
    hd_advise_note(
        a, ar_hashes(a) ? "A static table keeps destinations apart by rule; switches that hash flows onto their ports "
                          "(HBF) differ because some cables get several flows by chance while others idle, and no "
                          "flow uses more than one path."
                        : "A static table sends all packets of a pair along one path, so that some cables carry "
                          "several flows while others idle; adaptive routing differs because switches choose among "
                          "their ports by load, which evens out what goes up.");
    hd_advise_note(a,
                   "Adaptive routing cannot help on the path down, where a switch has one port for each leaf switch, "
                   "where several senders meet at one host (n of them get 1/n each), and on cables of hosts.");
    const double ebb = now->figure[HD_Q_EBB].value, more = other ? other->figure[HD_Q_EBB].value : NAN;
    if (other && more > ebb + 0.0005)
        hd_advise_note(a, hd_say(a,
                                 "Service levels outside ar_sl_mask use the static ports: EBB %.3f; %s would give "
                                 "%.3f, but subnet managers load such a table only instead of adaptive routing.",
                                 ebb, other->table, more));
    else if (other)
        hd_advise_note(a, hd_say(a,
                                 "Service levels outside ar_sl_mask use the static ports: EBB %.3f; no other table "
                                 "that can be loaded gives more.",
                                 ebb));
}

/* "6 top switches"; the roots of up/down. */
static uint32_t ar_roots(const struct hd_net *net)
{
    uint8_t top = 0;
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] != HD_NO_LEVEL && net->level[v] > top) top = net->level[v];
    for (uint32_t v = 0; v < net->nsw; v++) n += net->level[v] == top;
    return top > 1 ? n : 0;
}

/* Which service levels are adaptive, and which one applications take. */
static const char *ar_levels(struct hd_advising *a, const struct hd_ordering *order)
{
    if (!order->ports)
        return "ar_sl_mask 0xFFFF (adapters were not asked which service levels they take out of order: ibdiagnet has "
               "OOOSLMask), applications at any service level";
    if (!order->strict && order->mask == 0xffff)
        return "ar_sl_mask 0xFFFF, since all adapters take packets out of order; applications at any service level";
    uint32_t mask = order->mask & 0xfffe, level = 1;
    if (!mask) return "ar_sl_mask 0x0000, since no service level is taken out of order by all adapters";
    while (!(mask >> level & 1)) level++;
    return hd_say(a,
                  "ar_sl_mask 0x%04X, applications at service level %u (NCCL_IB_SL=%u, UCX_IB_SL=%u), and level 0 for "
                  "what must arrive in order",
                  mask, level, level, level);
}

hd_status hd_advise_ar_todo(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    struct hd_ordering order;
    if (!ar_is_on(a) || r->best >= r->noption || !r->option[r->best].current) return HD_OK;
    const bool choose = ar_should_choose(a);
    if (!choose && ar_is_worse(&r->option[r->best], &r->option[r->best])) return HD_OK; /* it is to be off */
    HD_TRY(hd_ordering_read(a->ctx, a->net, a->in->net_text, &order));
    const uint32_t roots = ar_roots(a->net), first = r->nstep && r->step[0].cables;
    struct hd_report_step *step = hd_advise_alloc(a, r->nstep + 1, sizeof *step);
    if (!step) return HD_OK; /* said at the end */
    const char *file = roots ? hd_say(a, ", root_guid_file with the %u top switches", roots) : "";
    memcpy(step, r->step, first * sizeof *step);
    memcpy(step + first + 1, r->step + first, (r->nstep - first) * sizeof *step);
    step[first] = (struct hd_report_step){
        .what = hd_say(a, "Configure the subnet manager and load no tables: routing_engine ar_updn%s, %s%s", file,
                       choose ? "hbf_sl_mask 0x0000, " : "", ar_levels(a, &order)),
        .command = roots ? hd_advise_command(a, "route", "ar_updn", "--format roots -o roots") : NULL,
        .choice = true};
    r->step = step;
    r->nstep++;
    ar_notes(a);
    return HD_OK;
}
