/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of the comparison and the patterns whose loads are drawn, as data: names for scripts, titles and one
 * sentence for readers, and where the command of a figure prints its value. */
#include "advise/advise_steps.h"
#include "base/rows.h"
#include "heddle/metric.h"

#include <string.h>

static const struct hd_report_quantity quantities[HD_QS] = {
    [HD_Q_EBB] = {"ebb", "EBB",
                  "Effective bisection bandwidth: half of the endpoints, drawn at random, send to the other half; the "
                  "mean share of link rate that a sender gets.",
                  "rows.0.value", true, false},
    [HD_Q_PERMUTATION] = {"permutation", "permutation",
                          "Bandwidth of the slowest flow of a random permutation, in which every endpoint sends to one "
                          "other, as a share of link rate; mean over permutations.",
                          "rows.0.value", true, false},
    [HD_Q_WORST] = {"worst", "worst case",
                    "Flows that share one cable in the worst permutation there is, found exactly.", "rows.0.value",
                    false, false},
    [HD_Q_EFI] = {"efi", "largest load",
                  "Pairs of endpoints whose paths use the most loaded switch-to-switch channel (edge-forwarding "
                  "index).",
                  "rows.0.value", false, false},
    [HD_Q_HOPS] = {"hops", "hops", "Mean number of cables on a path, including those of the endpoints.", "rows.0.value",
                   false, false},
    [HD_Q_RING_NOW] = {"ring_now", "ring, current order",
                       "Hot-spot degree of a ring (rank i sends to i+1) in the current rank order: flows that share "
                       "the busiest cable.",
                       "before.ring.hsd", false, false},
    [HD_Q_RING] = {"ring", "ring", "The same in the suggested rank order.", "after.ring.hsd", false, false},
    [HD_Q_ALLTOALL_NOW] = {"alltoall_now", "all-to-all, current order",
                           "Hot-spot degree of an all-to-all in stages (rank i sends to i+s) in the current rank "
                           "order, mean over the stages.",
                           "before.alltoall.hsd", false, true},
    [HD_Q_ALLTOALL] = {"alltoall", "all-to-all", "The same in the suggested rank order.", "after.alltoall.hsd", false,
                       true},
    [HD_Q_RECDBL_NOW] = {"recdbl_now", "doubling, current order",
                         "Hot-spot degree of recursive doubling (ranks i and i xor 2^s) in the current rank order, "
                         "mean over the stages.",
                         "before.recdbl.hsd", false, false},
    [HD_Q_RECDBL] = {"recdbl", "doubling", "The same in the suggested rank order.", "after.recdbl.hsd", false, false},
    [HD_Q_PACKETS] = {"packets", "packets",
                      "Random bisections in the packet simulator, with this table, at the rates of the fabric's "
                      "links and with virtual output queues: mean share of a sender's own link.",
                      "rows.0.fraction", true, false},
    [HD_Q_ADAPTIVE] = {"adaptive", "adaptive",
                       "The same with adaptive routing: switches send each packet along the least loaded shortest "
                       "path, regardless of the table; or, if the current table has groups of ports, as they say.",
                       "rows.0.fraction", true, false},
};

static const struct hd_report_view views[HD_VIEWS] = {
    [HD_VIEW_BISECT] = {"bisect", "random bisections"},
    [HD_VIEW_PAIRS] = {"allpairs", "all-to-all"},
};

const char *hd_advise_view_name(size_t i)
{
    return i < HD_VIEWS ? views[i].name : NULL;
}

void hd_advise_quantities(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const struct hd_desc *d;
    size_t added = 0, q = HD_QS;
    while (hd_registry_added(a->ctx, HD_PATTERNS, added)) added++;
    for (size_t i = 0; hd_registry_added(a->ctx, HD_METRICS, i); i++) added++;
    r->quantity = hd_advise_alloc(a, HD_QS + added, sizeof *r->quantity);
    r->view = hd_advise_alloc(a, HD_VIEWS, sizeof *r->view);
    if (!r->quantity || !r->view) return;
    memcpy(r->quantity, quantities, sizeof quantities);
    memcpy(r->view, views, sizeof views);
    for (size_t i = 0; (d = hd_registry_added(a->ctx, HD_PATTERNS, i)); i++)
        r->quantity[q++] =
            (struct hd_report_quantity){hd_say(a, "pattern_%s", d->name),
                                        d->name,
                                        hd_say(a, "Mean share of link rate under pattern %s: %s.", d->name, d->summary),
                                        "rows.0.value",
                                        true,
                                        false};
    for (size_t i = 0; (d = hd_registry_added(a->ctx, HD_METRICS, i)); i++)
        r->quantity[q++] =
            (struct hd_report_quantity){hd_say(a, "metric_%s", d->name),
                                        d->name,
                                        hd_say(a, "Metric %s of random bisections: %s.", d->name, d->summary),
                                        "rows.0.value",
                                        ((const struct hd_metric *)d)->higher_is_better,
                                        false};
    r->nquantity = (uint32_t)q;
    r->nview = HD_VIEWS;
}
