/* SPDX-License-Identifier: BSD-2-Clause */
/* Zahavi, section II, Figure 2 and section VII: Shift and recursive doubling in the packet simulator.
 *
 * The paper's measure is the bytes of all hosts over the time of the slowest, normalised to what hosts could send; the
 * mean of what each host gets until it is done is higher, and a row beside. The paper's hosts progress independently;
 * with lock step a stage begins when the last one is over. No value of the figure is in the text. */
#include "zahavi2010.h"

#include <math.h>
#include <stdio.h>

#define INDEPENDENT "infiniband"
#define LOCK_STEP "infiniband:progress=stage"

enum { ZAHAVI_SIZES = 4 }; /* of messages, 8 KB and four times as much each */

struct zahavi_share {
    double total; /* bytes / time */
    double mean;  /* over the hosts */
    double p99;   /* latency of a packet over the lowest */
    double time;  /* ns */
};

static hd_status zahavi_packets(struct hd_paper_run *run, const char *net, struct hd_sim_request q,
                                struct zahavi_share *share)
{
    const struct hd_routes *r;
    struct hd_sim_result s;
    HD_TRY(hd_paper_routes(run, net, "dmodk", &r));
    HD_TRY(hd_sim(run->ctx, r, &q, &s));
    share->total = (double)s.bytes * 1000 / (s.time * s.ceiling * hd_routes_net(r)->nep);
    share->mean = s.fraction;
    share->p99 = (double)s.latency_p99 / (double)s.latency_min;
    share->time = s.time;
    return HD_OK;
}

static hd_status zahavi_adversarial(struct hd_paper_run *run)
{
    struct hd_sim_request q = {.pattern = "ring", .ranks = "adversarial", .size = 262144};
    struct zahavi_share share;
    struct hd_result r;
    HD_TRY(zahavi_packets(run, hd_zahavi_trees[3].spec, q, &share));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 231.5, 0.05, NULL), share.mean * 3250, "MB/s, packets simulated",
                 "ring on 1944, adversarial order");
    HD_TRY(hd_zahavi_hsd(run, hd_zahavi_trees[3].spec, "ring", "adversarial", &r));
    hd_paper_put(run, hd_claim(HD_ROW_IS, 18, 0, NULL), r.max, "flows on a link", "ring on 1944, adversarial order");
    hd_paper_put(run, hd_claim(HD_ROW_IS, 0.071, 0.05, NULL), 4000.0 / r.max / 3250, "bandwidth / host bandwidth",
                 "ring on 1944, adversarial order");
    return HD_OK;
}

struct zahavi_curve {
    const char *name, *pattern, *model;
    bool stated; /* that it falls with the size of the messages */
};

/* One curve of the figure under a random order; total: what it gives, size by size. */
static hd_status zahavi_curve(struct hd_paper_run *run, const struct zahavi_curve *c, double total[ZAHAVI_SIZES])
{
    struct hd_sim_request q = {.pattern = c->pattern, .model = c->model, .ranks = "random:seed=1", .size = 8192};
    double last = 1;
    q.stages = run->full ? 64 : 8; /* of Shift: recursive doubling has 12 */
    if (c->pattern[0] == 'r') q.stages = 0;
    for (int i = 0; i < (run->full ? ZAHAVI_SIZES : 3); i++, q.size *= 4) {
        struct zahavi_share share;
        HD_TRY(zahavi_packets(run, hd_zahavi_trees[3].spec, q, &share));
        hd_paper_put(run, c->stated ? hd_claim(HD_ROW_BELOW, last, 0, NULL) : hd_claim(HD_ROW_IS, NAN, 0, NULL),
                     share.total, "total bytes / time", "%s on 1944, random order, %llu KB", c->name,
                     (unsigned long long)q.size / 1024);
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), share.mean, "mean of the hosts' shares",
                     "%s on 1944, random order, %llu KB", c->name, (unsigned long long)q.size / 1024);
        last = total[i] = share.total;
    }
    return HD_OK;
}

static hd_status zahavi_curves(struct hd_paper_run *run, double shift[ZAHAVI_SIZES])
{
    static const struct zahavi_curve curves[] = {
        {"Shift, independent", "shift", INDEPENDENT, true},
        {"Shift, lock step", "shift", LOCK_STEP, false},
        {"RecDbl, independent", "recdbl", INDEPENDENT, true},
        {"RecDbl, lock step", "recdbl", LOCK_STEP, false},
    };
    double total[4][ZAHAVI_SIZES];
    for (int i = 0; i < 4; i++) HD_TRY(zahavi_curve(run, &curves[i], total[i]));
    hd_paper_put(run, hd_claim(HD_ROW_BELOW, 1, 0, NULL), total[2][0] / total[0][0], "RecDbl / Shift",
                 "random order, 8 KB: reduced even for short messages");
    for (int i = 0; i < ZAHAVI_SIZES; i++) shift[i] = total[0][i];
    return HD_OK;
}

/* In the routing's order. Recursive doubling keeps only part of the hosts busy in some stages, so its full bandwidth
 * is a time: that of its stages, one after the other, at the rate of a host. */
static hd_status zahavi_matched(struct hd_paper_run *run, const char *net, const char *pattern, const char *model,
                                struct zahavi_share *share, double *full)
{
    struct hd_sim_request q = {.pattern = pattern, .model = model, .ranks = "natural", .size = 65536};
    struct hd_result r;
    q.stages = pattern[0] == 's' ? (run->full ? 64 : 8) : 0;
    HD_TRY(zahavi_packets(run, net, q, share));
    HD_TRY(hd_zahavi_hsd(run, net, pattern, "natural", &r));
    *full = (double)(q.stages ? q.stages : r.samples) * 65536 / 3.25 / share->time;
    return HD_OK;
}

static hd_status zahavi_matched_rows(struct hd_paper_run *run, const double *shift)
{
#define ALONE                                                                                                          \
    "hosts that sit out a stage before or after an exchange (1944 is no power of two) run ahead and meet the others' " \
    "flows; in lock step, and on powers of two, nothing meets"
    static const struct {
        const char *name, *net, *pattern, *model, *known;
    } rows[] = {{"Shift on 1944, independent", NULL, "shift", INDEPENDENT, NULL},
                {"Shift on 1944, lock step", NULL, "shift", LOCK_STEP, NULL},
                {"RecDbl on 1944, independent", NULL, "recdbl-tree", INDEPENDENT, ALONE},
                {"RecDbl on 1944, lock step", NULL, "recdbl-tree", LOCK_STEP, NULL},
                {"RecDbl on 1024, independent", "ft:m=16,n=3", "recdbl-tree", INDEPENDENT, NULL}};
    struct zahavi_share share;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *net = rows[i].net ? rows[i].net : hd_zahavi_trees[3].spec;
        double full;
        HD_TRY(zahavi_matched(run, net, rows[i].pattern, rows[i].model, &share, &full));
        hd_paper_put(run, hd_claim(HD_ROW_IS, 1, 0.05, rows[i].known), full, "time at full bandwidth / time",
                     "%s, the routing's order, 64 KB", rows[i].name);
        hd_paper_put(run, hd_claim(HD_ROW_IS, NAN, 0, NULL), share.p99, "99 % latency / lowest",
                     "%s, the routing's order, 64 KB", rows[i].name);
        if (i == 0)
            hd_paper_put(run, hd_claim(HD_ROW_AT_LEAST, 1.4, 0, NULL), full / shift[0], "gain, least over the sizes",
                         "Shift, the routing's order / random order");
    }
    return HD_OK;
}

hd_status hd_zahavi_fig2(struct hd_paper_run *run)
{
    double shift[ZAHAVI_SIZES];
    HD_TRY(zahavi_adversarial(run));
    HD_TRY(zahavi_curves(run, shift));
    return zahavi_matched_rows(run, shift);
}
