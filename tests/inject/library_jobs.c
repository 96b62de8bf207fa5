/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases of library.c: loads, simulation, orders and schedules, advice, reports, files for OpenSM. */
#include "library_cases.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- cases: flows, loads, simulation ------------------------------------------------------------ */

static void note_sample(void *user, uint64_t index, double value)
{
    (void)user;
    note("%llu:%g ", (unsigned long long)index, value);
}

/* arg: "PATTERN METRIC RANKS" */
static hd_status run_eval(struct world *w, const char *arg)
{
    char pattern[100], metric[100], ranks[100];
    sscanf(arg, "%99s %99s %99s", pattern, metric, ranks);
    struct hd_request q = {.pattern = pattern, .metric = metric, .ranks = ranks, .samples = 3, .sample = note_sample};
    if (strcmp(ranks, "file") == 0) q.ranks = input_path("names");
    struct hd_result r;
    HD_TRY(hd_eval(w->ctx, w->routes, &q, &r));
    note("%s %s %.17g %.17g %.17g %s", r.pattern, r.metric, r.value, r.min, r.bound, r.note);
    return HD_OK;
}

static hd_status run_checkpoint(struct world *w, const char *arg)
{
    const char *path = output_path(arg);
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = 3, .checkpoint = path};
    struct hd_result r;
    hd_status s = hd_eval(w->ctx, w->routes, &q, &r);
    unlink(path); /* may stay behind: it is what it is for */
    HD_TRY(s);
    note("%.17g", r.value);
    return HD_OK;
}

static hd_status run_all_pairs(struct world *w, const char *arg)
{
    (void)arg;
    static uint64_t load[1024];
    struct hd_pair_sums sums;
    memset(load, 0, sizeof load);
    HD_TRY(hd_load_all_pairs(w->ctx, w->routes, load, &sums));
    note_bytes(load, w->net->nchan * sizeof *load);
    return HD_OK;
}

static hd_status run_sim(struct world *w, const char *arg)
{
    static struct hd_sim_result r;
    static uint64_t busy[1024], blocked[1024];
    memset(busy, 0, sizeof busy);
    memset(blocked, 0, sizeof blocked);
    struct hd_sim_request q = {.pattern = "bisect",
                               .selector = arg,
                               .samples = 1,
                               .size = 4096,
                               .messages = 2,
                               .busy = busy,
                               .blocked = blocked};
    HD_TRY(hd_sim(w->ctx, w->routes, &q, &r));
    note("%s %.17g %llu %llu", r.model, r.fraction, (unsigned long long)r.events, (unsigned long long)r.packets);
    note_bytes(busy, w->net->nchan * sizeof *busy);
    return HD_OK;
}

static hd_status run_sim_trace(struct world *w, const char *arg)
{
    static struct hd_sim_result r;
    struct hd_sim_request q = {.trace = input_path(arg)};
    HD_TRY(hd_sim(w->ctx, w->routes, &q, &r));
    note("%.17g %llu", r.fraction, (unsigned long long)r.events);
    return HD_OK;
}

/* ---- cases: orders ------------------------------------------------------------------------------ */

static hd_status run_nodes(struct world *w, const char *arg)
{
    struct hd_nodes *nodes = POISON, *some = POISON;
    uint32_t which[] = {2, 0, 3};
    HD_TRY(kept(hd_nodes_read(w->ctx, w->net, strchr(arg, '[') ? arg : input_path(arg), 1, &nodes), &nodes));
    note_bytes(nodes->ep, (size_t)nodes->n * nodes->nrail * sizeof *nodes->ep);
    hd_status s = kept(hd_nodes_pick(w->ctx, nodes, which, 3, &some), &some);
    if (s == HD_OK) {
        note_bytes(some->ep, (size_t)some->n * some->nrail * sizeof *some->ep);
        hd_nodes_free(some);
    }
    hd_nodes_free(nodes);
    return s;
}

static void note_hsd(const struct hd_hsd *h)
{
    note("%g %g %g %llu\n", h->average, h->max, h->bandwidth, (unsigned long long)h->stages);
}

static hd_status run_order_count(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_hsd all[HD_CASES], ranks[HD_CASES];
    uint32_t per_node[64];
    double bound = 0;
    for (uint32_t i = 0; i < 64; i++) per_node[i] = 2;
    HD_TRY(hd_order_count_all(w->ctx, w->routes, w->nodes, w->order->rank, all, &bound));
    HD_TRY(hd_order_count_ranks(w->ctx, w->routes, w->nodes, w->order->rank, per_node, ranks, NULL));
    for (int i = 0; i < HD_CASES; i++) note_hsd(&all[i]), note_hsd(&ranks[i]);
    note("%g", bound);
    return HD_OK;
}

static hd_status run_order_make(struct world *w, const char *arg)
{
    struct hd_order *order = POISON;
    int goal = 0;
    while (strcmp(hd_goal_name((enum hd_goal)goal), arg) != 0) goal++;
    HD_TRY(kept(hd_order_make(w->ctx, w->routes, w->nodes, (enum hd_goal)goal, &order), &order));
    note("%s %s", order->how, order->claim);
    note_bytes(order->rank, order->n * sizeof *order->rank);
    hd_order_free(order);
    return HD_OK;
}

static hd_status run_order_choose(struct world *w, const char *arg)
{
    (void)arg;
    uint32_t which[64];
    struct hd_advice advice;
    double bound;
    HD_TRY(hd_order_choose(w->ctx, w->routes, w->nodes, 4, which, &advice));
    HD_TRY(hd_order_bound(w->ctx, w->routes, w->nodes, &bound));
    note_bytes(which, 4 * sizeof *which);
    note("%s %g", advice.why, bound);
    return HD_OK;
}

static hd_status run_order_shared(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_nodes *a = NULL, *b = NULL;
    uint32_t first[] = {0, 2}, second[] = {1, 3};
    struct hd_shared shared = {0};
    hd_status s = hd_nodes_pick(w->ctx, w->nodes, first, 2, &a);
    if (s == HD_OK) s = hd_nodes_pick(w->ctx, w->nodes, second, 2, &b);
    if (s == HD_OK) s = hd_order_shared(w->ctx, w->routes, a, b, &shared);
    note("%u %u", shared.channels, shared.worst);
    hd_nodes_free(a);
    hd_nodes_free(b);
    return s;
}

static hd_status run_schedule(struct world *w, const char *arg)
{
    struct hd_schedule *plan = POISON;
    struct hd_out *o = NULL;
    struct hd_hsd hsd;
    const uint32_t *rank = w->order->rank;
    HD_TRY(kept(*arg == 'a'   ? hd_schedule_alltoall(w->ctx, w->routes, w->nodes, rank, &plan)
                : *arg == 's' ? hd_schedule_slots(w->ctx, w->routes, w->nodes, rank, &plan)
                              : hd_schedule_recdbl(w->ctx, w->routes, w->nodes, rank, &plan),
                &plan));
    hd_status s = hd_schedule_count(w->ctx, w->routes, w->nodes, rank, plan, &hsd);
    if (s == HD_OK) {
        note_hsd(&hsd);
        s = hd_out_memory(w->ctx, &o);
    }
    if (s == HD_OK) {
        hd_schedule_write(plan, false, o);
        s = note_out(w->ctx, o, s);
    }
    hd_schedule_free(plan);
    return s;
}

static hd_status run_order_write(struct world *w, const char *arg)
{
    struct hd_out *o;
    uint32_t per_node[64];
    HD_TRY(hd_order_fill(w->ctx, w->nodes, w->order->rank, 0, per_node));
    HD_TRY(hd_out_memory(w->ctx, &o));
    return note_out(w->ctx, o, hd_order_write(w->ctx, w->nodes, w->order->rank, per_node, arg, o));
}

/* ---- cases: advice, reports, files for OpenSM ---------------------------------------------------- */

static hd_status run_advise(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_report *report = POISON;
    struct hd_out *o = NULL;
    HD_TRY(kept(hd_advise(w->ctx, &w->in, &report), &report));
    hd_status s = hd_out_memory(w->ctx, &o);
    if (s == HD_OK) s = note_out(w->ctx, o, hd_report_json(w->ctx, report, o));
    hd_report_free(report);
    return s;
}

static hd_status run_report(struct world *w, const char *arg)
{
    struct hd_out *o;
    HD_TRY(hd_out_memory(w->ctx, &o));
    hd_status s = strcmp(arg, "html") == 0   ? hd_report_html(w->ctx, w->report, o)
                  : strcmp(arg, "text") == 0 ? hd_report_text(w->ctx, w->report, true, o)
                  : strcmp(arg, "json") == 0 ? hd_report_json(w->ctx, w->report, o)
                                             : hd_chart_svg(w->ctx, w->report, arg, 0, 0, o);
    return note_out(w->ctx, o, s);
}

static hd_status run_advise_write(struct world *w, const char *arg)
{
    return hd_advise_write(w->ctx, &w->in, w->report, output_path(arg));
}

static hd_status run_deploy(struct world *w, const char *arg)
{
    return hd_deploy(w->ctx, w->routes, output_path(arg), false);
}

/* ---- table -------------------------------------------------------------------------------------- */

const struct library_case job_cases[] = {
    {"hd_eval ebb", run_eval, .arg = "bisect ebb natural", .net = FT, .engine = "minhop"},
    {"hd_eval hsd", run_eval, .arg = "shift hsd random:seed=1", .net = FT, .engine = "minhop"},
    {"hd_eval adversarial", run_eval, .arg = "ring hsd adversarial", .net = FT, .engine = "dmodk"},
    {"hd_eval file", run_eval, .arg = "recdbl-tree hsd file", .net = FT, .engine = "dmodk"},
    {"hd_eval worst", run_eval, .arg = "bisect worst natural", .net = FT, .engine = "minhop"},
    {"hd_eval worst pattern", run_eval, .arg = "worst maxload natural", .net = FT, .engine = "minhop"},
    {"hd_eval oblivious", run_eval, .arg = "bisect oblivious natural", .net = FT, .engine = "minhop"},
    {"hd_eval efi", run_eval, .arg = "bisect efi natural", .net = FT, .engine = "minhop"},
    {"hd_eval variants", run_eval, .arg = "permutation minbw natural", .net = FT, .engine = "omrmn"},
    {"hd_eval clustered", run_eval, .arg = "clustered:size=2 maxload natural", .net = FT, .engine = "dmodk"},
    {"hd_eval collective", run_eval, .arg = "collective:op=allreduce hsd natural", .net = FT, .engine = "dmodk"},
    {"hd_eval checkpoint", run_checkpoint, .arg = "points", .net = FT, .engine = "dmodk"},
    {"hd_load_all_pairs", run_all_pairs, .net = FT, .engine = "omrmn"},
    {"hd_sim static", run_sim, .arg = "static", .net = FT, .engine = "dmodk"},
    {"hd_sim adaptive", run_sim, .arg = "adaptive", .net = FT, .engine = "omrmn"},
    {"hd_sim ar", run_sim, .arg = "ar", .net = FT, .engine = "minhop"},
    {"hd_sim trace", run_sim_trace, .arg = "trace", .net = FT, .engine = "dmodk"},
    {"hd_nodes_read", run_nodes, .arg = "names", .net = FT},
    {"hd_nodes_read list", run_nodes, .arg = "node-0000[0-5]", .net = FT},
    {"hd_order_count", run_order_count, .net = FT, .engine = "dmodk"},
    {"hd_order_make tree", run_order_make, .arg = "tree", .net = FT, .engine = "dmodk"},
    {"hd_order_make ring", run_order_make, .arg = "ring", .net = TORUS, .engine = "dor"},
    {"hd_order_make alltoall", run_order_make, .arg = "alltoall", .net = TORUS, .engine = "dor"},
    {"hd_order_make recdbl", run_order_make, .arg = "recdbl", .net = FT, .engine = "dmodk"},
    {"hd_order_make random", run_order_make, .arg = "random", .net = FT, .engine = "dmodk"},
    {"hd_order_choose", run_order_choose, .net = FT, .engine = "dmodk"},
    {"hd_order_shared", run_order_shared, .net = FT, .engine = "dmodk"},
    {"hd_schedule_alltoall", run_schedule, .arg = "alltoall", .net = FT, .engine = "minhop"},
    {"hd_schedule_slots", run_schedule, .arg = "slots", .net = FT, .engine = "dmodk"},
    {"hd_schedule_recdbl", run_schedule, .arg = "recdbl", .net = FT, .engine = "dmodk"},
    {"hd_order_write openmpi", run_order_write, .arg = "openmpi", .net = FT, .engine = "dmodk"},
    {"hd_order_write slurm", run_order_write, .arg = "slurm", .net = FT, .engine = "dmodk"},
    {"hd_order_write torchrun", run_order_write, .arg = "torchrun", .net = FT, .engine = "dmodk"},
    {"hd_advise", run_advise, .net = "mesh:dims=2,hosts=1", .engine = "minhop"},
    {"hd_report_html", run_report, .arg = "html", .net = MESH, .engine = "minhop", .report = true},
    {"hd_report_text", run_report, .arg = "text", .net = MESH, .engine = "minhop", .report = true},
    {"hd_report_json", run_report, .arg = "json", .net = MESH, .engine = "minhop", .report = true},
    {"hd_chart_svg fabric", run_report, .arg = "fabric", .net = MESH, .engine = "minhop", .report = true},
    {"hd_chart_svg heat", run_report, .arg = "heat", .net = MESH, .engine = "minhop", .report = true},
    {"hd_chart_svg load", run_report, .arg = "load", .net = MESH, .engine = "minhop", .report = true},
    {"hd_chart_svg bandwidth", run_report, .arg = "bandwidth", .net = MESH, .engine = "minhop", .report = true},
    {"hd_chart_svg order", run_report, .arg = "order", .net = MESH, .engine = "minhop", .report = true},
    {"hd_chart_svg whatif", run_report, .arg = "whatif", .net = MESH, .engine = "minhop", .report = true},
    {"hd_advise_write", run_advise_write, .arg = "advice", .net = MESH, .engine = "minhop", .report = true},
    {"hd_deploy", run_deploy, .arg = "deploy", .net = TORUS, .engine = "lash"},
    {.name = NULL},
};
