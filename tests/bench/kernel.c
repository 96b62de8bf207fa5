/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle's side of `make bench`: one kernel through the public library, timed by itself.
 *     kernel [-t THREADS] [-r TIMES] [-f 1] VERB ARGUMENT...
 * -f 1 adds the sizes bounds are made of, on standard error. -r runs the kernel so many times, and the figures
 * are of all of them: small jobs become long enough for a clock, and the difference of two counts of instructions
 * is exactly one run. Prints the line of bench.h. */
#include "bench.h"
#include <heddle.h>

struct job {
    struct hd_ctx *ctx;
    char **arg;
    uint32_t times;
    struct hd_net *net;
    struct hd_routes *routes;
    double work;
    const char *unit;
    char answer[64];
};

static void must(struct job *j, hd_status s)
{
    if (s == HD_OK) return;
    fprintf(stderr, "%s\n", hd_ctx_error(j->ctx));
    exit(s);
}

static void open_net(struct job *j)
{
    must(j, hd_net_open(j->ctx, j->arg[0], NULL, &j->net));
}

static void open_both(struct job *j)
{
    open_net(j);
    must(j, hd_routes_open(j->ctx, j->net, j->arg[1], &j->routes));
}

/* ---- verbs: what is not timed, and what is ------------------------------------------------------ */

static void nothing(struct job *j)
{
    (void)j;
}

/* open NET: generate or read a network */
static void run_open(struct job *j)
{
    hd_net_free(j->net);
    j->net = NULL;
    open_net(j);
    j->work = j->net->nchan;
    j->unit = "channels";
    snprintf(j->answer, sizeof j->answer, "%u %u %u", j->net->nsw, j->net->nep, j->net->nchan);
}

/* route NET ENGINE: every row of every destination, computed where none is stored */
static void run_route(struct job *j)
{
    uint8_t *buf = new_array(j->net->nsw, 1);
    uint64_t sum = 0;
    hd_routes_free(j->routes);
    j->routes = NULL;
    must(j, hd_routes_open(j->ctx, j->net, j->arg[1], &j->routes));
    uint32_t nvar = hd_routes_variants(j->routes);
    for (uint32_t d = 0; d < j->net->nep; d++)
        for (uint32_t x = 0; x < nvar; x++) sum += hd_routes_row(j->routes, d, x, buf)[d % j->net->nsw];
    free(buf);
    j->work = (double)j->net->nsw * j->net->nep * nvar;
    j->unit = "entries";
    snprintf(j->answer, sizeof j->answer, "%u lanes, sum %" PRIu64, hd_routes_lanes(j->routes), sum);
}

/* hash NET ENGINE: the same, and the hash of the table as the answer */
static void run_hash(struct job *j)
{
    uint8_t *buf = new_array(j->net->nsw, 1);
    uint64_t hash = HASH_START;
    run_route(j);
    for (uint32_t d = 0; d < j->net->nep; d++)
        hash = hash_bytes(hash, hd_routes_row(j->routes, d, 0, buf), j->net->nsw);
    free(buf);
    snprintf(j->answer, sizeof j->answer, "%016" PRIx64, hash);
}

/* check NET TABLE: reachability and credit loops */
static void run_check(struct job *j)
{
    struct hd_check c;
    must(j, hd_routes_check(j->ctx, j->routes, &c));
    j->work = (double)j->net->nsw * j->net->nep;
    j->unit = "entries";
    snprintf(j->answer, sizeof j->answer, "%s",
             c.deadlock_free == 1   ? "free"
             : c.deadlock_free == 0 ? "loop"
                                    : "unknown");
}

/* eval NET TABLE PATTERN METRIC SAMPLES; 0 samples: a metric of all pairs */
static void run_eval(struct job *j)
{
    struct hd_request q = {.pattern = j->arg[2], .metric = j->arg[3], .samples = strtoull(j->arg[4], NULL, 10)};
    struct hd_result result;
    must(j, hd_eval(j->ctx, j->routes, &q, &result));
    double nep = j->net->nsel;
    j->work = q.samples ? (double)result.samples * (uint32_t)(nep / 2) : nep * (nep - 1);
    j->unit = q.samples ? "flows" : "pairs";
    snprintf(j->answer, sizeof j->answer, "%.12f", result.value);
}

/* sim NET TABLE PATTERN RUNS SIZE */
static void run_sim_model(struct job *j, const char *model)
{
    struct hd_sim_request q = {.pattern = j->arg[2],
                               .samples = strtoull(j->arg[3], NULL, 10),
                               .size = strtoull(j->arg[4], NULL, 10),
                               .model = model};
    struct hd_sim_result result;
    must(j, hd_sim(j->ctx, j->routes, &q, &result));
    j->work = (double)result.packets;
    j->unit = "packets";
    snprintf(j->answer, sizeof j->answer, "%.9f", result.fraction);
}

static void run_sim(struct job *j)
{
    run_sim_model(j, NULL);
}

static void run_sim_voq(struct job *j)
{
    run_sim_model(j, "infiniband:queue=voq");
}

/* order NET TABLE GOAL RANKS: the first RANKS nodes in an order for the goal */
static void run_order(struct job *j)
{
    struct hd_nodes *all, *nodes;
    struct hd_order *order;
    enum hd_goal goal = HD_FOR_TREE;
    uint32_t n = (uint32_t)strtoul(j->arg[3], NULL, 10), *which = new_array(n, sizeof *which);
    for (int g = 0; hd_goal_name((enum hd_goal)g); g++)
        if (strcmp(hd_goal_name((enum hd_goal)g), j->arg[2]) == 0) goal = (enum hd_goal)g;
    for (uint32_t i = 0; i < n; i++) which[i] = i;
    must(j, hd_nodes_read(j->ctx, j->net, NULL, 1, &all));
    must(j, hd_nodes_pick(j->ctx, all, which, n, &nodes));
    must(j, hd_order_make(j->ctx, j->routes, nodes, goal, &order));
    j->work = n;
    j->unit = "ranks";
    snprintf(j->answer, sizeof j->answer, "%.60s", order->how);
    hd_order_free(order), hd_nodes_free(nodes), hd_nodes_free(all), free(which);
}

/* schedule NET TABLE RANKS: an all-to-all of the first RANKS nodes in stages without collisions */
static void run_schedule(struct job *j)
{
    struct hd_nodes *all, *nodes;
    struct hd_schedule *schedule;
    uint32_t n = (uint32_t)strtoul(j->arg[2], NULL, 10), *which = new_array(n, sizeof *which);
    for (uint32_t i = 0; i < n; i++) which[i] = i;
    must(j, hd_nodes_read(j->ctx, j->net, NULL, 1, &all));
    must(j, hd_nodes_pick(j->ctx, all, which, n, &nodes));
    must(j, hd_schedule_alltoall(j->ctx, j->routes, nodes, which, &schedule));
    j->work = (double)n * (n - 1);
    j->unit = "flows";
    snprintf(j->answer, sizeof j->answer, "%" PRIu64 " stages, bound %" PRIu64, schedule->stages, schedule->bound);
    hd_schedule_free(schedule), hd_nodes_free(nodes), hd_nodes_free(all), free(which);
}

/* dump NET TABLE FILE: the plain file of bench.h */
static void run_dump(struct job *j)
{
    const struct hd_net *net = j->net;
    uint8_t *buf = new_array(net->nsw, 1);
    uint32_t head[3] = {net->nsw, net->nep, net->nchan};
    FILE *f = fopen(j->arg[2], "wb");
    int good = f && fwrite("HDPLAIN1", 8, 1, f) == 1 && fwrite(head, sizeof head, 1, f) == 1 &&
               fwrite(net->off, sizeof *net->off, net->nsw + net->nep + 1, f) == net->nsw + net->nep + 1 &&
               fwrite(net->head, sizeof *net->head, net->nchan, f) == net->nchan;
    for (uint32_t d = 0; good && d < net->nep; d++)
        good = fwrite(hd_routes_row(j->routes, d, 0, buf), 1, net->nsw, f) == net->nsw;
    free(buf);
    if (!f || fclose(f) != 0 || !good) {
        perror(j->arg[2]);
        exit(4);
    }
    j->work = (double)net->nsw * net->nep;
    j->unit = "entries";
}

/* ---- what the bounds are made of ------------------------------------------------------------------ */

/* Channels between switches on a path, mean over some pairs. */
static double mean_hops(const struct job *j)
{
    uint32_t chan[HD_MAX_HOPS], n = 0, nep = j->net->nep;
    uint64_t state = 88172645463325252u, sum = 0;
    for (uint32_t i = 0; j->routes && i < 20000; i++) {
        uint32_t s = draw_below(&state, nep), d = draw_below(&state, nep);
        uint32_t len = s == d ? 0 : hd_routes_path(j->routes, s, d, hd_routes_variant(j->routes, s, d), chan);
        if (len) sum += len - 2, n++;
    }
    return n ? (double)sum / n : 0;
}

/* Sizes on standard error, for the runner: bytes of the network's arrays and of the table, channels between
 * switches, mean path length. */
static void facts(const struct job *j)
{
    const struct hd_net *net = j->net;
    uint64_t nodes = net->nsw + net->nep, between = 0;
    for (uint32_t c = 0; c < net->nchan; c++) between += net->tail[c] < net->nsw && net->head[c] < net->nsw;
    fprintf(stderr,
            "{\"net\": %" PRIu64 ", \"table\": %.17g, \"between\": %" PRIu64 ", \"hops\": %.4f, \"nep\": %u, "
            "\"nsw\": %u}\n",
            net->nchan * (uint64_t)14 + nodes * 15, (double)net->nsw * net->nep, between, mean_hops(j), net->nep,
            net->nsw);
}

/* The threads are there before the clock starts, as the process is. What they do must not be nothing: an empty
 * parallel region is none. */
static void start_threads(int n)
{
    int come = 0;
#pragma omp parallel num_threads(n)
    {
#pragma omp atomic
        come++;
    }
    if (come != n) fprintf(stderr, "%d threads where %d were asked for\n", come, n);
}

static const struct verb {
    const char *name;
    int nargs;
    void (*before)(struct job *j), (*run)(struct job *j);
} verbs[] = {
    {"open", 1, nothing, run_open},     {"route", 2, open_net, run_route},        {"hash", 2, open_net, run_hash},
    {"check", 2, open_both, run_check}, {"eval", 5, open_both, run_eval},         {"sim", 5, open_both, run_sim},
    {"order", 4, open_both, run_order}, {"schedule", 3, open_both, run_schedule}, {"dump", 3, open_both, run_dump},
    {"sim-voq", 5, open_both, run_sim_voq},
};

int main(int argc, char **argv)
{
    struct job j = {.times = 1};
    const struct verb *verb = NULL;
    int i = 1, want_facts = 0;
    int threads = 1;
    j.ctx = hd_ctx_new();
    if (!j.ctx) return 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (argv[i][1] == 't') threads = atoi(argv[i + 1]);
        if (argv[i][1] == 'r') j.times = (uint32_t)atol(argv[i + 1]);
        if (argv[i][1] == 'f') want_facts = atoi(argv[i + 1]);
    }
    for (size_t k = 0; i < argc && k < sizeof verbs / sizeof verbs[0]; k++)
        if (strcmp(argv[i], verbs[k].name) == 0 && argc - i - 1 == verbs[k].nargs) verb = &verbs[k];
    if (!verb) return fprintf(stderr, "usage: kernel [-t THREADS] [-r TIMES] [-f 1] VERB ARGUMENT...\n"), 2;
    j.arg = argv + i + 1;
    hd_ctx_set_threads(j.ctx, threads);
    verb->before(&j);
    if (threads > 1) start_threads(threads);
    struct watch w = watch_start();
    for (uint32_t k = 0; k < j.times; k++) verb->run(&j);
    w = watch_stop(w);
    figures(w, j.work * j.times, j.unit, j.answer);
    if (want_facts) facts(&j);
    hd_routes_free(j.routes);
    hd_net_free(j.net);
    hd_ctx_free(j.ctx);
    return 0;
}
