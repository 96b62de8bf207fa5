/* SPDX-License-Identifier: BSD-2-Clause */
/* library [STRIDE [NAME]]: the public functions, each with every allocation, read, write, open, close, fsync, rename
 * and new folder failing once, under shim.so. After a failure the status is HD_LIMIT (HD_INPUT for a file that cannot
 * be read) with a message, outputs are untouched, nothing is left on disk, and the same call on the same objects
 * succeeds with the result that it always has; when all is freed, every block is. A program that is to run for months,
 * as a subnet manager does, can ask no less.
 *
 * All in one process: a case costs microseconds per failing call, not a process. STRIDE k fails all of the first 100
 * calls and then every k-th. Prints TAP. */
#include "inject.h"

#include <heddle.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TEXT = 1 << 23, FIRST = 100 };

/* What a case starts from, made without failures. */
struct world {
    struct hd_ctx *ctx;
    struct hd_net *net;
    struct hd_routes *routes;
    struct hd_nodes *nodes;
    struct hd_order *order;
    struct hd_report *report;
    struct hd_advise_in in;
};

struct library_case {
    const char *name;
    hd_status (*run)(struct world *w, const char *arg);
    const char *arg;
    const char *net, *engine; /* of the world; NULL: none */
    bool report;              /* the world has one */
    bool loses;               /* the C library's regcomp loses blocks when it runs out of memory: not counted */
};

static void (*arm)(const char *class, unsigned long n, const char *how);
static unsigned long (*disarm)(const char *class);
static long (*live)(void);

/* What the call under test returned, as text; no allocation. */
static char text[MAX_TEXT], expected[MAX_TEXT];
static size_t used;
static char folder[256], out_folder[300];
static char now[200]; /* for a crash */

static char poison_byte;
#define POISON ((void *)&poison_byte)

__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text + used, sizeof text - used, fmt, ap);
    va_end(ap);
    used += n > 0 && (size_t)n < sizeof text - used ? (size_t)n : 0;
}

static void note_bytes(const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++) note("%02x", b[i]);
    note("\n");
}

static const char *path_of(const char *name)
{
    static char path[4][400];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* An output that is set on failure is a fault, told as a status that nothing else returns. */
static hd_status kept(hd_status s, const void *address)
{
    void *output;
    memcpy(&output, address, sizeof output);
    return s != HD_OK && output != POISON ? (hd_status)99 : s;
}

/* ---- cases: base, registry ---------------------------------------------------------------------- */

static hd_status run_ctx(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_ctx *ctx = hd_ctx_new();
    if (!ctx) return hd_fail(w->ctx, HD_LIMIT, "out of memory");
    note("%d", hd_ctx_threads(ctx));
    hd_ctx_free(ctx);
    return HD_OK;
}

static hd_status run_out_memory(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_out *o = POISON;
    HD_TRY(kept(hd_out_memory(w->ctx, &o), &o));
    for (int i = 0; i < 20000; i++) hd_printf(o, "line %d of some text\n", i);
    size_t n;
    const char *s = hd_out_text(o, &n);
    note("%zu %.20s\n", n, s);
    return hd_out_close(w->ctx, o);
}

static hd_status run_out_file(struct world *w, const char *arg)
{
    char path[400];
    struct hd_out *o = POISON;
    snprintf(path, sizeof path, "%s/%s", out_folder, arg);
    HD_TRY(kept(hd_out_open(w->ctx, path, &o), &o));
    for (int i = 0; i < 20000; i++) hd_printf(o, "line %d of some text\n", i);
    return hd_out_close(w->ctx, o);
}

static hd_status no_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt, (void)scratch, (void)r;
    return hd_fail(ctx, HD_INPUT, "never called");
}

static hd_status run_registry(struct world *w, const char *arg)
{
    (void)arg;
    static const struct hd_engine own = {.desc = {.name = "own", .summary = "an engine", .opt_size = 1},
                                         .route = no_route};
    struct hd_ctx *ctx = hd_ctx_new();
    if (!ctx) return hd_fail(w->ctx, HD_LIMIT, "out of memory");
    hd_status s = hd_registry_add(ctx, HD_ENGINES, &own.desc, sizeof own);
    if (s != HD_OK) hd_fail(w->ctx, s, "%s", hd_ctx_error(ctx));
    note("%d", hd_registry_find(ctx, HD_ENGINES, "own") != NULL);
    hd_ctx_free(ctx);
    return s;
}

/* ---- cases: networks ---------------------------------------------------------------------------- */

static hd_status take_net(hd_status s, struct hd_net **made)
{
    HD_TRY(kept(s, made));
    struct hd_net *net = *made;
    note("%s %u %u %u shape %d %u\n", net->spec, net->nsw, net->nep, net->nchan, net->shape.kind, net->shape.n);
    note_bytes(net->head, net->nchan * sizeof *net->head);
    note_bytes(net->level, net->nsw + net->nep);
    note_bytes(net->lid, (net->nsw + net->nep) * sizeof *net->lid);
    note_bytes(net->sel, net->nsel * sizeof *net->sel);
    note_bytes(net->host, net->nep * sizeof *net->host);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) note("%s ", hd_node_name(net, v));
    hd_net_free(net);
    return HD_OK;
}

static hd_status run_net_open(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_open(w->ctx, arg, NULL, &net), &net);
}

static hd_status run_net_open_options(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    char map[400];
    snprintf(map, sizeof map, "%s", path_of("map"));
    struct hd_open opt = {.name_map = map,
                          .rails = "(.*)-(.*)",
                          .part = "0",
                          .endpoints = "node",
                          .fail = "links=1,seed=2",
                          .set_lmc = true,
                          .lmc = 1,
                          .repair = true};
    return take_net(hd_net_open(w->ctx, path_of("ft.ibnet"), &opt, &net), &net);
}

static hd_status run_net_read(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_read(w->ctx, path_of(arg), NULL, &net), &net);
}

static hd_status run_net_fail(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_fail(w->ctx, w->net, arg, &net), &net);
}

static hd_status run_net_repair(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    return take_net(hd_net_repair(w->ctx, w->net, &net), &net);
}

static hd_status run_net_infer(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    return take_net(hd_net_infer(w->ctx, w->net, &net), &net);
}

static hd_status run_net_choose(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    struct hd_choice choice = {.part = "0", .rail = "0", .endpoints = arg};
    return take_net(hd_net_choose(w->ctx, w->net, &choice, &net), &net);
}

static hd_status run_net_renumber(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    return take_net(hd_net_renumber(w->ctx, w->net, 7, &net), &net);
}

static hd_status run_net_lids(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_lids(w->ctx, w->net, arg ? path_of(arg) : NULL, 2, &net), &net);
}

static hd_status run_builder(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_builder *b = POISON;
    HD_TRY(kept(hd_builder_make(w->ctx, &b), &b));
    struct hd_switch_in sw = {.level = 1};
    uint32_t s[3];
    hd_builder_reserve(b, 3, 6, 9);
    for (int i = 0; i < 3; i++) s[i] = hd_builder_switch(b, &sw);
    for (uint32_t i = 0; i < 6; i++) hd_builder_host(b, s[i / 2], 1 + i % 2, hd_link_code("4xEDR", 5));
    for (uint32_t i = 0; i < 3; i++) hd_builder_cable(b, s[i], 3, s[(i + 1) % 3], 4, 0);
    struct hd_net *net = POISON;
    return take_net(hd_builder_finish(w->ctx, b, "built", &net), &net);
}

static hd_status run_net_facts(struct world *w, const char *arg)
{
    (void)arg;
    static struct hd_topo_info info;
    uint32_t part[256], n = 0, first = 0, parts = 0;
    HD_TRY(hd_net_check(w->ctx, w->net));
    HD_TRY(hd_hosts_repeated(w->ctx, w->net, &n, &first));
    HD_TRY(hd_net_parts(w->ctx, w->net, part, &parts));
    HD_TRY(hd_net_describe(w->ctx, w->net, &info));
    note("%u %u %u %u %u %s %g", n, parts, info.switches, info.diameter, info.missing, info.clos, info.mean_distance);
    return HD_OK;
}

static void note_missing(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    (void)user;
    note("%u-%u:%u ", u, v, k);
}

static hd_status run_net_missing(struct world *w, const char *arg)
{
    (void)arg;
    return hd_shape_each_missing(w->ctx, w->net, note_missing, NULL);
}

/* Writes into memory, notes the text and closes. */
static hd_status take_out(struct world *w, struct hd_out *o, hd_status s)
{
    if (s != HD_OK) {
        hd_out_drop(o);
        return s;
    }
    note("%s", hd_out_text(o, NULL));
    return hd_out_close(w->ctx, o);
}

static hd_status run_net_write(struct world *w, const char *arg)
{
    struct hd_out *o;
    HD_TRY(hd_out_memory(w->ctx, &o));
    return take_out(w, o, hd_net_write(w->ctx, w->net, arg, o));
}

/* ---- cases: routes ------------------------------------------------------------------------------ */

static hd_status take_routes(hd_status s, struct hd_routes **made)
{
    HD_TRY(kept(s, made));
    struct hd_routes *r = *made;
    const struct hd_net *net = hd_routes_net(r);
    uint8_t buf[256];
    note("%s %u variants %u VLs\n", hd_routes_spec(r), hd_routes_variants(r), hd_routes_lanes(r));
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < hd_routes_variants(r); x++) note_bytes(hd_routes_row(r, d, x, buf), net->nsw);
    for (uint32_t a = 0; a < net->nep; a++)
        for (uint32_t d = 0; d < net->nep; d++)
            if (a != d && hd_routes_lanes(r)) note("%u", hd_routes_lane(r, a, d, hd_routes_variant(r, a, d)));
    hd_routes_free(r);
    return HD_OK;
}

static hd_status run_routes_open(struct world *w, const char *arg)
{
    struct hd_routes *r = POISON;
    return take_routes(hd_routes_open(w->ctx, w->net, arg, &r), &r);
}

static hd_status run_routes_read(struct world *w, const char *arg)
{
    struct hd_routes *r = POISON;
    return take_routes(hd_routes_read(w->ctx, w->net, path_of(arg), HD_USE_SOURCE, &r), &r);
}

static hd_status run_routes_write(struct world *w, const char *arg)
{
    struct hd_out *o;
    HD_TRY(hd_out_memory(w->ctx, &o));
    return take_out(w, o, hd_routes_write(w->ctx, w->routes, arg, o));
}

static hd_status run_routes_check(struct world *w, const char *arg)
{
    (void)arg;
    static struct hd_check c;
    HD_TRY(hd_routes_check(w->ctx, w->routes, &c));
    note("%llu %llu %llu %llu %d %u %u %g %u", (unsigned long long)c.pairs, (unsigned long long)c.unreachable,
         (unsigned long long)c.loops, (unsigned long long)c.nonminimal, c.deadlock_free, c.lanes, c.max_hops,
         c.avg_hops, c.unused);
    note_bytes(c.hops, sizeof c.hops);
    return HD_OK;
}

static hd_status run_routes_diff(struct world *w, const char *arg)
{
    struct hd_routes *r = POISON;
    struct hd_diff d;
    HD_TRY(kept(hd_routes_open(w->ctx, w->net, arg, &r), &r));
    hd_status s = hd_routes_diff(w->ctx, w->routes, r, &d);
    if (s == HD_OK) note("%u %llu", d.switches_changed, (unsigned long long)d.pairs_changed);
    hd_routes_free(r);
    return s;
}

static hd_status run_switch_row(struct world *w, const char *arg)
{
    (void)arg;
    uint8_t buf[256];
    for (uint32_t t = 0; t < w->net->nsw; t++) {
        HD_TRY(hd_routes_switch_row(w->ctx, w->routes, t, buf));
        note_bytes(buf, w->net->nsw);
    }
    return HD_OK;
}

/* ---- cases: flows, loads, simulation ------------------------------------------------------------ */

static void note_sample(void *user, uint64_t index, double value)
{
    (void)user;
    note("%llu:%g ", (unsigned long long)index, value);
}

/* arg: "PATTERN METRIC RANKS" */
static hd_status run_eval(struct world *w, const char *arg)
{
    char pattern[100], metric[100], ranks[100], at[400];
    sscanf(arg, "%99s %99s %99s", pattern, metric, ranks);
    struct hd_request q = {.pattern = pattern, .metric = metric, .ranks = ranks, .samples = 3, .sample = note_sample};
    if (strcmp(ranks, "file") == 0) {
        snprintf(at, sizeof at, "%s", path_of("names"));
        q.ranks = at;
    }
    struct hd_result r;
    HD_TRY(hd_eval(w->ctx, w->routes, &q, &r));
    note("%s %s %.17g %.17g %.17g %s", r.pattern, r.metric, r.value, r.min, r.bound, r.note);
    return HD_OK;
}

static hd_status run_checkpoint(struct world *w, const char *arg)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", out_folder, arg);
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
    struct hd_sim_request q = {.trace = path_of(arg)};
    HD_TRY(hd_sim(w->ctx, w->routes, &q, &r));
    note("%.17g %llu", r.fraction, (unsigned long long)r.events);
    return HD_OK;
}

/* ---- cases: orders ------------------------------------------------------------------------------ */

static hd_status run_nodes(struct world *w, const char *arg)
{
    struct hd_nodes *nodes = POISON, *some = POISON;
    uint32_t which[] = {2, 0, 3};
    HD_TRY(kept(hd_nodes_read(w->ctx, w->net, strchr(arg, '[') ? arg : path_of(arg), 1, &nodes), &nodes));
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
        s = take_out(w, o, s);
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
    return take_out(w, o, hd_order_write(w->ctx, w->nodes, w->order->rank, per_node, arg, o));
}

/* ---- cases: advice, reports, files for OpenSM ---------------------------------------------------- */

static hd_status run_advise(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_report *report = POISON;
    struct hd_out *o = NULL;
    HD_TRY(kept(hd_advise(w->ctx, &w->in, &report), &report));
    hd_status s = hd_out_memory(w->ctx, &o);
    if (s == HD_OK) s = take_out(w, o, hd_report_json(w->ctx, report, o));
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
    return take_out(w, o, s);
}

static hd_status run_advise_write(struct world *w, const char *arg)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", out_folder, arg);
    return hd_advise_write(w->ctx, &w->in, w->report, path);
}

static hd_status run_deploy(struct world *w, const char *arg)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", out_folder, arg);
    return hd_deploy(w->ctx, w->routes, path, false);
}

#define FT "ft:m=4,n=2"
#define TORUS "torus:dims=3x3,hosts=1"
#define MESH "mesh:dims=2,hosts=2"

static const struct library_case cases[] = {
    {"hd_ctx_new", run_ctx, .arg = NULL},
    {"hd_out_memory", run_out_memory, .arg = NULL},
    {"hd_out_open", run_out_file, .arg = "file"},
    {"hd_registry_add", run_registry, .arg = NULL},
    {"hd_net_open tree", run_net_open, .arg = FT},
    {"hd_net_open torus", run_net_open, .arg = TORUS},
    {"hd_net_open dragonfly", run_net_open, .arg = "dragonfly"},
    {"hd_net_open options", run_net_open_options, .loses = true},
    {"hd_net_read", run_net_read, .arg = "ft.ibnet"},
    {"hd_net_fail", run_net_fail, .arg = "links=1,switches=1,seed=1", .net = FT},
    {"hd_net_fail names", run_net_fail, .arg = "link=L1-0000:3 then switch=L2-0005", .net = FT},
    {"hd_net_repair", run_net_repair, .net = "broken"},
    {"hd_net_infer tree", run_net_infer, .net = "plain"},
    {"hd_net_infer grid", run_net_infer, .net = "grid"},
    {"hd_net_choose", run_net_choose, .arg = "node-0000[0-3]", .net = FT, .loses = true},
    {"hd_net_renumber", run_net_renumber, .net = FT},
    {"hd_net_lids", run_net_lids, .net = FT},
    {"hd_net_lids file", run_net_lids, .arg = "guid2lid", .net = FT},
    {"hd_builder", run_builder, .arg = NULL},
    {"hd_net facts", run_net_facts, .net = FT},
    {"hd_shape_each_missing", run_net_missing, .net = "broken"},
    {"hd_net_write ibnet", run_net_write, .arg = "ibnet", .net = FT},
    {"hd_net_write dot", run_net_write, .arg = "dot", .net = FT},
    {"hd_net_write graphml", run_net_write, .arg = "graphml", .net = FT},
    {"hd_net_write json", run_net_write, .arg = "json", .net = FT},
    {"hd_net_write slurm", run_net_write, .arg = "slurm", .net = FT},
    {"hd_net_write slurm-yaml", run_net_write, .arg = "slurm-yaml", .net = FT},
    {"hd_net_write svg tree", run_net_write, .arg = "svg", .net = FT},
    {"hd_net_write svg grid", run_net_write, .arg = "svg", .net = TORUS},
    {"hd_routes_open dmodk", run_routes_open, .arg = "dmodk", .net = FT},
    {"hd_routes_open smodk", run_routes_open, .arg = "smodk", .net = FT},
    {"hd_routes_open minhop", run_routes_open, .arg = "minhop", .net = TORUS},
    {"hd_routes_open updown", run_routes_open, .arg = "updown", .net = TORUS},
    {"hd_routes_open dmodc", run_routes_open, .arg = "dmodc", .net = "broken"},
    {"hd_routes_open ftree", run_routes_open, .arg = "ftree", .net = "broken"},
    {"hd_routes_open dor", run_routes_open, .arg = "dor", .net = TORUS},
    {"hd_routes_open random", run_routes_open, .arg = "random", .net = FT},
    {"hd_routes_open lash", run_routes_open, .arg = "lash", .net = TORUS},
    {"hd_routes_open opt", run_routes_open, .arg = "opt", .net = "gft:n=2,m=2,r=4"},
    {"hd_routes_open osrm2", run_routes_open, .arg = "osrm2", .net = FT},
    {"hd_routes_open omrmn", run_routes_open, .arg = "omrmn", .net = FT},
    {"hd_routes_open mlid", run_routes_open, .arg = "mlid", .net = FT},
    {"hd_routes_open wsr", run_routes_open, .arg = "wsr", .net = FT},
    {"hd_routes_open psssp", run_routes_open, .arg = "psssp", .net = TORUS},
    {"hd_routes_open p2sssp", run_routes_open, .arg = "p2sssp", .net = TORUS},
    {"hd_routes_open dfsssp", run_routes_open, .arg = "dfsssp", .net = TORUS},
    {"hd_routes_open settle", run_routes_open, .arg = "settle", .net = TORUS},
    {"hd_routes_read", run_routes_read, .arg = "ft.lft", .net = FT},
    {"hd_routes_read VLs", run_routes_read, .arg = "torus.lft", .net = TORUS},
    {"hd_routes_write lft", run_routes_write, .arg = "lft", .net = TORUS, .engine = "lash"},
    {"hd_routes_write lid-matrix", run_routes_write, .arg = "lid-matrix", .net = FT, .engine = "dmodk"},
    {"hd_routes_write qos-policy", run_routes_write, .arg = "qos-policy", .net = TORUS, .engine = "lash"},
    {"hd_routes_write roots", run_routes_write, .arg = "roots", .net = FT, .engine = "updown"},
    {"hd_routes_write path-bits", run_routes_write, .arg = "path-bits", .net = FT, .engine = "mlid"},
    {"hd_routes_write subnet", run_routes_write, .arg = "subnet", .net = FT, .engine = "dmodk"},
    {"hd_routes_write fdbs", run_routes_write, .arg = "fdbs", .net = FT, .engine = "dmodk"},
    {"hd_routes_write psl", run_routes_write, .arg = "psl", .net = TORUS, .engine = "lash"},
    {"hd_routes_write slvl", run_routes_write, .arg = "slvl", .net = TORUS, .engine = "lash"},
    {"hd_routes_check", run_routes_check, .net = FT, .engine = "dmodk"},
    {"hd_routes_check VLs", run_routes_check, .net = TORUS, .engine = "lash"},
    {"hd_routes_check loop", run_routes_check, .net = TORUS, .engine = "minhop"},
    {"hd_routes_check variants", run_routes_check, .net = FT, .engine = "omrmn"},
    {"hd_routes_diff", run_routes_diff, .arg = "minhop", .net = FT, .engine = "dmodk"},
    {"hd_routes_switch_row", run_switch_row, .net = FT, .engine = "dmodk"},
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
};

/* ---- the world ---------------------------------------------------------------------------------- */

static void give_up(const char *what, const struct hd_ctx *ctx)
{
    printf("Bail out! %s: %s\n", what, ctx ? hd_ctx_error(ctx) : "no context");
    exit(1);
}

static hd_status open_world_net(struct world *w, const char *name)
{
    if (strcmp(name, "broken") == 0) {
        struct hd_open opt = {.fail = "links=1,seed=2"};
        return hd_net_open(w->ctx, FT, &opt, &w->net);
    }
    if (strcmp(name, "plain") == 0) return hd_net_read(w->ctx, path_of("ft.ibnet"), NULL, &w->net);
    if (strcmp(name, "grid") == 0) return hd_net_read(w->ctx, path_of("torus.ibnet"), NULL, &w->net);
    return hd_net_open(w->ctx, name, NULL, &w->net);
}

static void make_world(const struct library_case *c, struct world *w)
{
    *w = (struct world){.ctx = hd_ctx_new()};
    if (!w->ctx) give_up("world", NULL);
    hd_ctx_set_threads(w->ctx, 1);
    if (c->net && open_world_net(w, c->net) != HD_OK) give_up(c->net, w->ctx);
    if (!c->engine) return;
    if (hd_routes_open(w->ctx, w->net, c->engine, &w->routes) != HD_OK) give_up(c->engine, w->ctx);
    if (hd_nodes_read(w->ctx, w->net, NULL, 1, &w->nodes) != HD_OK) give_up("nodes", w->ctx);
    if (hd_order_make(w->ctx, w->routes, w->nodes, HD_FOR_GIVEN, &w->order) != HD_OK) give_up("order", w->ctx);
    static const char *const engine[] = {"minhop", "updown"};
    w->in = (struct hd_advise_in){
        .net = w->net, .net_text = c->net, .engine = engine, .nengine = 2, .command = "heddle advise"};
    if (c->report && hd_advise(w->ctx, &w->in, &w->report) != HD_OK) give_up("report", w->ctx);
}

static void free_world(struct world *w)
{
    hd_report_free(w->report);
    hd_order_free(w->order);
    hd_nodes_free(w->nodes);
    hd_routes_free(w->routes);
    hd_net_free(w->net);
    hd_ctx_free(w->ctx);
}

/* ---- running ------------------------------------------------------------------------------------ */

/* Removes all in a folder; returns how much there was. */
static int empty_folder(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char inside[800];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
        n++;
        if (unlink(inside) == 0) continue;
        n += empty_folder(inside);
        rmdir(inside);
    }
    if (d) closedir(d);
    return n;
}

static hd_status call(const struct library_case *c, struct world *w, const char *class, unsigned long n,
                      unsigned long *count)
{
    text[0] = 0;
    used = 0;
    arm(class, n, "once");
    hd_status s = c->run(w, c->arg);
    *count = disarm(class ? class : "alloc");
    return s;
}

/* What is wrong, or NULL. */
static const char *judge(const struct library_case *c, const char *class, unsigned long n)
{
    static char said[600];
    struct world w;
    unsigned long count;
    long before = live();
    make_world(c, &w);
    hd_status s = call(c, &w, class, n, &count);
    int left = empty_folder(out_folder);
    const char *error = hd_ctx_error(w.ctx), *fault = NULL;
    bool reading = strcmp(class, "read") == 0 || strcmp(class, "open") == 0;
    if (s == HD_OK && strcmp(text, expected) != 0) fault = "another result";
    if (s == (hd_status)99)
        fault = "an output is set on failure";
    else if (s != HD_OK && s != HD_LIMIT && !(s == HD_INPUT && reading))
        fault = "wrong status";
    else if (s != HD_OK && (!*error || strchr(error, '\n')))
        fault = "no message";
    else if (s != HD_OK && left)
        fault = "files are left";
    if (fault) snprintf(said, sizeof said, "%s (status %d, %d files): %.300s", fault, s, left, error);
    if (!fault && s != HD_OK) {
        if (call(c, &w, NULL, 0, &count) != HD_OK)
            fault = "the same call fails afterwards";
        else if (strcmp(text, expected) != 0)
            fault = "the same call has another result afterwards";
        if (fault) snprintf(said, sizeof said, "%s: %.300s", fault, hd_ctx_error(w.ctx));
        empty_folder(out_folder);
    }
    free_world(&w);
    if (!fault && !c->loses && live() != before) {
        snprintf(said, sizeof said, "%ld blocks are not freed (status %d)", live() - before, s);
        fault = said;
    }
    return fault ? said : NULL;
}

static const char *const classes[] = {"alloc", "read", "write", "open", "close", "fsync", "rename", "folder", NULL};
static unsigned long failed[8];

static int run_case(const struct library_case *c, unsigned long stride)
{
    unsigned long total[8], tried = 0;
    int faults = 0;
    for (int i = 0; classes[i]; i++) {
        struct world w;
        make_world(c, &w);
        if (call(c, &w, NULL, 0, &total[i]) != HD_OK) give_up(c->name, w.ctx);
        disarm("alloc");
        total[i] = disarm(classes[i]);
        memcpy(expected, text, used + 1);
        empty_folder(out_folder);
        free_world(&w);
    }
    for (int i = 0; classes[i]; i++)
        for (unsigned long n = 1; n <= total[i]; n += n < FIRST ? 1 : stride) {
            snprintf(now, sizeof now, "# dies: %s, %s %lu\n", c->name, classes[i], n);
            const char *fault = judge(c, classes[i], n);
            tried++;
            failed[i]++;
            if (fault && ++faults <= 5) printf("#   %s %lu of %lu: %s\n", classes[i], n, total[i], fault);
        }
    printf("# %lu calls failed\n", tried);
    return faults;
}

static void on_crash(int signal)
{
    if (write(STDOUT_FILENO, now, strlen(now)) < 0) _exit(2);
    _exit(128 + signal);
}

/* ---- files that cases read ---------------------------------------------------------------------- */

static void write_text(const char *name, const char *content)
{
    FILE *f = fopen(path_of(name), "w");
    if (!f || fputs(content, f) < 0 || fclose(f) != 0) give_up(name, NULL);
}

static void write_inputs(struct hd_ctx *ctx)
{
    static const struct {
        const char *name, *net, *format, *engine;
    } files[] = {
        {"ft.ibnet", FT, "ibnet", NULL},     {"torus.ibnet", TORUS, "ibnet", NULL}, {"ft.lft", FT, "lft", "dmodk"},
        {"torus.lft", TORUS, "lft", "lash"}, {"guid2lid", FT, "guid2lid", "dmodk"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct hd_net *net;
        struct hd_routes *r = NULL;
        struct hd_out *o;
        hd_status s = hd_net_open(ctx, files[i].net, NULL, &net);
        if (s == HD_OK && files[i].engine) s = hd_routes_open(ctx, net, files[i].engine, &r);
        if (s == HD_OK) s = hd_out_open(ctx, path_of(files[i].name), &o);
        if (s == HD_OK)
            s = r ? hd_routes_write(ctx, r, files[i].format, o) : hd_net_write(ctx, net, files[i].format, o);
        if (s == HD_OK) s = hd_out_close(ctx, o);
        if (s != HD_OK) give_up(files[i].name, ctx);
        hd_routes_free(r);
        hd_net_free(net);
    }
    write_text("names",
               "node-00003\nnode-00001\nnode-00002\nnode-00000\nnode-00007\nnode-00006\nnode-00005\nnode-00004\n");
    write_text("map", "0x0200000000100000 \"leaf\"\n");
    write_text("trace", "0 1 4096 -\n1 2 4096 1\n2 3 65536 -\n");
}

int main(int argc, char **argv)
{
    /* POSIX has dlsym return functions as pointers to objects. */
    *(void **)&arm = dlsym(RTLD_DEFAULT, "inject_arm");
    *(void **)&disarm = dlsym(RTLD_DEFAULT, "inject_disarm");
    *(void **)&live = dlsym(RTLD_DEFAULT, "inject_live");
    if (!arm || !disarm || !live) {
        printf("Bail out! run with LD_PRELOAD=shim.so\n");
        return 1;
    }
    unsigned long stride = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/inject-XXXXXX", tmp ? tmp : "/tmp");
    if (!stride || !mkdtemp(folder)) return 2;
    snprintf(out_folder, sizeof out_folder, "%s/out", folder);
    mkdir(out_folder, 0700);
    signal(SIGSEGV, on_crash);
    signal(SIGABRT, on_crash);
    struct hd_ctx *ctx = hd_ctx_new();
    if (!ctx) return 2;
    hd_ctx_set_threads(ctx, 1);
    write_inputs(ctx);
    hd_ctx_free(ctx);
    int n = 0, bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 2 && !strstr(cases[i].name, argv[2])) continue;
        int faults = run_case(&cases[i], stride);
        bad += faults > 0;
        printf("%sok %d - %s\n", faults ? "not " : "", ++n, cases[i].name);
        fflush(stdout);
    }
    for (int i = 0; classes[i]; i++) printf("# %-6s %8lu calls failed\n", classes[i], failed[i]);
    printf("1..%d\n", n);
    empty_folder(folder);
    rmdir(folder);
    return bad > 0;
}
