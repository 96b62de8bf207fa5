/* SPDX-License-Identifier: BSD-2-Clause */
/* An advice in the making, whose options and figures a test sets by hand. */
#ifndef ADVICE_TOOLS_H
#define ADVICE_TOOLS_H

#include "advise/advise_steps.h"
#include "testing.h"

#include <math.h>

enum { MOST_OPTIONS = 6 };

struct advice {
    struct hd_ctx ctx;
    struct hd_arena arena;
    struct hd_report report;
    struct hd_advise_in in;
    struct hd_net net; /* where no real one is needed: two switches, ten endpoints */
    uint16_t lid[12];
    uint8_t lmc_of[10];
    struct hd_advising a;
    struct hd_report_option option[MOST_OPTIONS];
    struct hd_report_figure figure[MOST_OPTIONS][HD_QS];
};

static inline void advice_begin(struct advice *x, const char *goal)
{
    memset(x, 0, sizeof *x);
    hd_ctx_init(&x->ctx);
    x->in.net_text = "net";
    x->net = (struct hd_net){.nsw = 2, .nsel = 10, .nep = 10, .lid = x->lid, .lmc_of = x->lmc_of};
    x->report = (struct hd_report){.net = &x->net, .option = x->option, .best = UINT32_MAX};
    x->a = (struct hd_advising){.ctx = &x->ctx,
                                .in = &x->in,
                                .net = &x->net,
                                .report = &x->report,
                                .arena = &x->arena,
                                .lock = PTHREAD_MUTEX_INITIALIZER,
                                .goal = hd_advise_goal(goal)};
    assert_non_null(x->a.goal);
    hd_advise_quantities(&x->a);
}

static inline void advice_end(struct advice *x)
{
    assert_false(x->a.failed);
    hd_arena_release(&x->arena);
}

/* One more option that can be loaded; figures that are not set are not measured. */

static inline struct hd_report_option *add_option(struct advice *x, const char *table, double ebb)
{
    uint32_t i = x->report.noption++;
    struct hd_report_option *o = &x->option[i];
    *o = (struct hd_report_option){
        .table = table, .deadlock_free = 1, .lanes = 1, .variants = 1, .figure = x->figure[i], .score = NAN};
    for (int q = 0; q < HD_QS; q++) x->figure[i][q] = (struct hd_report_figure){.value = NAN, .bound = NAN};
    x->figure[i][HD_Q_EBB].value = ebb;
    return o;
}

#endif
