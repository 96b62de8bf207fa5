/* SPDX-License-Identifier: BSD-2-Clause */
/* Failure analysis: a cable or a switch is lost, first while the tables stay as they are, then after rerouting. Cases
 * are drawn from one random order that depends on the seed alone, and distributed over threads. Cost per case: one
 * copy of the network, one table, one check and two evaluations. */
#include "advise/advise_steps.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/registry.h"
#include "net/core/shape.h"
#include "report/report_options.h"
#include "route/engine/engine_lookup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CABLES = 12, SWITCHES = 8 };

/* ---- what is left --------------------------------------------------------------------------------- */

/* Number of each old switch and endpoint in the damaged network, UINT32_MAX: gone. Both keep their order. */
static void whatif_match(const struct hd_net *was, const struct hd_net *is, uint32_t *now)
{
    for (uint32_t v = 0, w = 0; v < was->nsw; v++)
        now[v] = w < is->nsw && was->guid[v] == is->guid[w] ? w++ : UINT32_MAX;
    for (uint32_t v = was->nsw, w = is->nsw; v < was->nsw + was->nep; v++)
        now[v] = w < is->nsw + is->nep && was->guid[v] == is->guid[w] ? w++ : UINT32_MAX;
}

/* ---- one case ---------------------------------------------------------------------------------- */

struct whatif_loss {
    bool cable;
    uint32_t at; /* channel or switch */
    bool tried;  /* enough is left to measure */
    double lost, stays, rerouted, changed;
    uint64_t samples;
    const char *engine; /* that rerouted */
};

/* By name where it is plain and unique, else by GUID. */
static void whatif_switch_name(const struct hd_net *net, uint32_t v, char text[96])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const char *name = hd_node_label(net, v);
    bool good = strlen(name) < 64 && name[strspn(name, plain)] == 0 && strncmp(name, "0x", 2) != 0;
    for (uint32_t w = 0; good && w < net->nsw + net->nep; w++)
        good = w == v || strcmp(hd_node_label(net, w), name) != 0;
    if (good)
        snprintf(text, 96, "%s", name);
    else
        snprintf(text, 96, "0x%016llx", (unsigned long long)net->guid[v]);
}

static void whatif_loss_name(const struct hd_net *net, const struct whatif_loss *l, char text[128])
{
    char name[96];
    whatif_switch_name(net, l->cable ? net->tail[l->at] : l->at, name);
    if (l->cable)
        snprintf(text, 128, "link=%s:%u", name, net->port[l->at]);
    else
        snprintf(text, 128, "switch=%s", name);
}

/* The engine itself or, where it does not apply to the damaged network, another. */
static hd_status whatif_reroute(struct hd_ctx *ctx, const struct hd_net *net, struct whatif_loss *l,
                                struct hd_routes **r)
{
    hd_status s = hd_routes_open(ctx, net, l->engine, r);
    for (const char *next; hd_unsuited(s) && (next = hd_engine_fallback(ctx, l->engine));) {
        l->engine = next;
        s = hd_routes_open(ctx, net, l->engine, r);
    }
    return s;
}

/* Remaining pairs that were connected before the loss: components are those of the intact network. */
static hd_status whatif_connected_before(struct hd_ctx *ctx, const struct hd_net *was, const struct hd_net *is,
                                         double *pairs)
{
    struct hd_arena scratch = {0};
    uint32_t n = was->nsw + was->nep, parts = 0;
    uint32_t *part_of = HD_NEW(&scratch, uint32_t, n), *now = HD_NEW(&scratch, uint32_t, n);
    uint64_t *size = HD_NEW(&scratch, uint64_t, n);
    hd_status s = part_of && now && size ? hd_net_parts(ctx, was, part_of, &parts) : hd_fail_memory(ctx);
    if (s == HD_OK) {
        whatif_match(was, is, now);
        for (uint32_t i = 0; i < was->nsel; i++)
            if (now[was->nsw + was->sel[i]] != UINT32_MAX) size[part_of[was->nsw + was->sel[i]]]++;
    }
    *pairs = 0;
    for (uint32_t p = 0; s == HD_OK && p < parts; p++)
        if (size[p]) *pairs += (double)(size[p] * (size[p] - 1));
    hd_arena_release(&scratch);
    return s;
}

/* Share of the entries towards endpoints that differ. */
static hd_status whatif_changed(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                                double *share)
{
    const struct hd_net *net = hd_routes_net(old);
    struct hd_arena scratch = {0};
    uint8_t *buf = HD_NEW(&scratch, uint8_t, 2 * (size_t)net->nsw);
    uint64_t n = 0;
    if (!buf) return hd_fail_memory(ctx);
    for (uint32_t d = 0; d < net->nep; d++) {
        const uint8_t *x = hd_routes_row(old, d, 0, buf), *y = hd_routes_row(new, d, 0, buf + net->nsw);
        for (uint32_t v = 0; v < net->nsw; v++) n += x[v] != y[v];
    }
    *share = net->nep ? (double)n / ((double)net->nep * hd_placed(net)) : 0;
    hd_arena_release(&scratch);
    return HD_OK;
}

static hd_status whatif_compare(struct hd_ctx *ctx, const struct hd_net *was, const struct hd_routes *old,
                                struct whatif_loss *l)
{
    struct hd_routes *new = NULL;
    struct hd_check k;
    struct hd_result stays, rerouted;
    double pairs;
    HD_TRY(hd_routes_check(ctx, old, &k));
    HD_TRY(whatif_connected_before(ctx, was, hd_routes_net(old), &pairs));
    l->lost = pairs > 0 ? 1 - (double)(k.pairs - k.unreachable - k.loops) / pairs : 0;
    HD_TRY(hd_advise_ebb(ctx, old, (struct hd_request){.samples = l->samples}, &stays));
    HD_TRY(whatif_reroute(ctx, hd_routes_net(old), l, &new));
    hd_status s = hd_advise_ebb(ctx, new, (struct hd_request){.samples = l->samples}, &rerouted);
    if (s == HD_OK) s = whatif_changed(ctx, old, new, &l->changed);
    hd_routes_free(new);
    if (s != HD_OK) return s;
    l->stays = stays.value;
    l->rerouted = rerouted.value;
    return HD_OK;
}

/* HD_OK also where the case cannot be tried. */
static hd_status whatif_try(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r, struct whatif_loss *l)
{
    struct hd_net *net = NULL;
    struct hd_routes *old = NULL;
    char what[128];
    whatif_loss_name(a->net, l, what);
    hd_status s = hd_net_fail(ctx, a->net, what, &net);
    if (s == HD_INPUT) return HD_OK; /* nothing would remain */
    if (s == HD_OK && net->nsel >= 2) {
        s = hd_routes_carry(ctx, r, net, &old);
        if (s == HD_OK) s = whatif_compare(ctx, a->net, old, l);
        l->tried = s == HD_OK;
    }
    hd_routes_free(old);
    hd_net_free(net);
    return s > HD_FAULT && !hd_unsuited(s) ? s : HD_OK;
}

/* ---- all cases of a kind ------------------------------------------------------------------------- */

/* At most so many switch-to-switch cables, or switches with cables, in random order. The loss of what no endpoint uses
 * is none. */
static uint32_t whatif_draw(struct hd_advising *a, struct hd_arena *scratch, bool cable, uint32_t most,
                            struct whatif_loss *loss)
{
    const struct hd_net *net = a->net;
    uint32_t n = 0, *all = HD_NEW(scratch, uint32_t, net->nchan + net->nsw);
    struct hd_rng rng;
    a->failed |= !all;
    if (!all) return 0;
    if (cable) {
        for (uint32_t c = 0; c < net->nchan; c++)
            if (net->rev[c] > c && net->head[c] < net->nsw && net->tail[c] < net->nsw && !net->unplaced[net->tail[c]])
                all[n++] = c;
    } else {
        for (uint32_t v = 0; v < net->nsw; v++)
            if (hd_degree(net, v) && !net->unplaced[v]) all[n++] = v;
    }
    hd_rng_init(&rng, a->ctx->seed, HD_RNG_DEGRADE, cable ? 2 : 3);
    hd_rng_shuffle(&rng, all, n);
    if (n > most) n = most;
    for (uint32_t i = 0; i < n; i++) loss[i] = (struct whatif_loss){.cable = cable, .at = all[i]};
    return n;
}

static const char *whatif_describe(struct hd_advising *a, const struct whatif_loss *l)
{
    const struct hd_net *net = a->net;
    if (!l->cable) return hd_say(a, "%s", hd_node_label(net, l->at));
    return hd_say(a, "%s port %u - %s", hd_node_label(net, net->tail[l->at]), net->port[l->at],
                  hd_node_label(net, net->head[l->at]));
}

static const char *whatif_command(struct hd_advising *a, const struct hd_report_option *o, const struct whatif_loss *l)
{
    char what[128];
    whatif_loss_name(a->net, l, what);
    const char *fail = a->in->fail ? hd_say(a, "%s then %s", a->in->fail, what) : what;
    const char *options = a->in->net_options ? a->in->net_options : "";
    const char *eval =
        hd_say(a, "heddle eval %s %s %s -p bisect -m ebb -n %llu --fail %s%s%s", hd_shell_file(a, a->in->net_text),
               o->current ? hd_shell_file(a, o->table) : "old.lft", hd_shell(a, l->engine),
               (unsigned long long)l->samples, hd_shell(a, fail), *options ? " " : "", options);
    if (o->current) return eval;
    return hd_say(a, "%s && %s", hd_advise_command(a, "route", o->table, "-o old.lft"), eval);
}

static void whatif_summarize(struct hd_advising *a, const struct hd_report_option *o, const struct whatif_loss *loss,
                             uint32_t n, const struct hd_result *before)
{
    struct hd_report *r = a->report;
    struct hd_report_what_if w = {.what = loss->cable ? "one cable lost" : "one switch lost",
                                  .samples = loss->samples,
                                  .table = hd_option_label(r, (uint32_t)(o - r->option)),
                                  .ebb_before = before->value,
                                  .ci = before->ci,
                                  .stays_min = INFINITY,
                                  .rerouted_min = INFINITY};
    const struct whatif_loss *worst = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const struct whatif_loss *l = &loss[i];
        if (!l->tried) continue;
        if (!worst || l->stays < worst->stays) worst = l;
        w.cases++;
        w.lost_mean += l->lost;
        w.stays_mean += l->stays;
        w.rerouted_mean += l->rerouted;
        w.changed_mean += l->changed;
        w.lost_max = fmax(w.lost_max, l->lost);
        w.stays_min = fmin(w.stays_min, l->stays);
        w.rerouted_min = fmin(w.rerouted_min, l->rerouted);
        if (strcmp(l->engine, o->table) != 0 && !o->current)
            hd_advise_note(
                a, hd_say(a, "%s needs the complete structure: after a failure, %s reroutes.", o->table, l->engine));
    }
    if (!worst) return;
    w.lost_mean /= w.cases;
    w.stays_mean /= w.cases;
    w.rerouted_mean /= w.cases;
    w.changed_mean /= w.cases;
    w.worst = whatif_describe(a, worst);
    w.command = whatif_command(a, o, worst);
    r->what_if[r->nwhat_if++] = w;
}

static hd_status whatif_try_all(struct hd_advising *a, const struct hd_report_option *o, const char *engine,
                                const struct hd_routes *r)
{
    struct hd_arena scratch = {0};
    struct whatif_loss loss[2][CABLES];
    uint32_t n[2];
    struct hd_result before;
    n[0] = whatif_draw(a, &scratch, true, hd_work_cases(a, engine, CABLES), loss[0]);
    n[1] = a->net->nsw > 1 ? whatif_draw(a, &scratch, false, hd_work_cases(a, engine, SWITCHES), loss[1]) : 0;
    hd_arena_release(&scratch);
    uint64_t samples = hd_work_case_samples(a, n[0] + n[1]);
    HD_TRY(hd_advise_ebb_of(a, o, samples, &before));
    hd_status worst = HD_OK;
    a->tasks += n[0] + n[1];
#pragma omp parallel for schedule(dynamic, 1) num_threads(hd_threads(a->ctx))
    for (uint32_t i = 0; i < n[0] + n[1]; i++) {
        if (hd_advise_stopped(a)) continue;
        struct whatif_loss *l = i < n[0] ? &loss[0][i] : &loss[1][i - n[0]];
        l->engine = engine;
        l->samples = samples;
        struct hd_ctx ctx = hd_advise_ctx(a);
        hd_status s = whatif_try(a, &ctx, r, l);
        hd_advise_progress(a, "what if");
        hd_advise_record(a, s, &ctx, &worst);
    }
    HD_TRY(worst);
    HD_TRY(hd_advise_go_on(a));
    a->report->what_if = hd_advise_alloc(a, 2, sizeof *a->report->what_if);
    if (!a->report->what_if) return hd_fail_memory(a->ctx);
    for (int k = 0; k < 2; k++)
        if (n[k]) whatif_summarize(a, o, loss[k], n[k], &before);
    return HD_OK;
}

const struct hd_report_option *hd_advise_rerouter(const struct hd_advising *a, const struct hd_report_option *o)
{
    const struct hd_report *rep = a->report;
    for (uint32_t i = 0; o->current && i < rep->noption; i++)
        if (!rep->option[i].current && hd_measured(&rep->option[i]) && !rep->option[i].mark) o = &rep->option[i];
    return o->current ? NULL : o;
}

hd_status hd_advise_whatif(struct hd_advising *a)
{
    struct hd_report *rep = a->report;
    const struct hd_routes *r;
    struct hd_routes *made;
    if (rep->best == UINT32_MAX || a->net->nsel < 2) return HD_OK;
    const struct hd_report_option *o = &rep->option[rep->best], *engine = hd_advise_rerouter(a, o);
    if (o->variants > 1) {
        hd_advise_note(a, "The failure analysis was skipped: the recommended table has several paths per destination.");
        return HD_OK;
    }
    if (!engine) return HD_OK;
    HD_TRY(hd_advise_open(a, a->ctx, o, &r, &made));
    hd_status s = whatif_try_all(a, o, engine->table, r);
    hd_routes_free(made);
    return hd_unsuited(s) ? HD_OK : s;
}
