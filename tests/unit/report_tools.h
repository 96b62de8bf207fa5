/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports for tests of the page and the charts: real loads and samples of a few engines on a network, and plausible
 * text around them, without hd_advise. Include after testing.h. */
#ifndef REPORT_TOOLS_H
#define REPORT_TOOLS_H

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/context.h"
#include "tool/report_data.h"

struct made_report {
    struct hd_report r;
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_arena arena;
    uint32_t samples;
    float *kept; /* where keep_sample writes */
};

static inline char *made_text(struct made_report *m, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return hd_strdup(&m->arena, text, strlen(text));
}

static inline void keep_sample(void *user, uint64_t index, double value)
{
    ((struct made_report *)user)->kept[index] = (float)value;
}

static inline void measure_view(struct made_report *m, const struct hd_routes *routes, struct hd_report_option *p,
                                uint32_t view)
{
    uint32_t nchan = m->net->nchan;
    uint64_t *sum = HD_NEW(&m->arena, uint64_t, nchan);
    uint32_t *max = HD_NEW(&m->arena, uint32_t, nchan);
    float *sample = HD_NEW(&m->arena, float, m->samples);
    struct hd_request q = {
        .pattern = m->r.view[view].name, .metric = "ebb", .samples = m->samples, .load_sum = sum, .load_max = max};
    struct hd_result result;
    m->kept = sample;
    if (view == 0) {
        q.sample = keep_sample;
        q.user = m;
    }
    if (hd_eval(&m->ctx, routes, &q, &result) != HD_OK) fail_msg("%s: %s", p->table, m->ctx.error);
    p->load[view] = HD_NEW(&m->arena, float, nchan);
    for (uint32_t c = 0; c < nchan; c++)
        p->load[view][c] = (float)((double)sum[c] / (double)result.samples / hd_routes_variants(routes));
    p->figure[view] =
        (struct hd_report_figure){result.value, result.ci, result.bound,
                                  made_text(m, "heddle eval %s %s -p %s -m ebb", m->r.net_text, p->table, q.pattern)};
    if (view == 0) {
        p->nsample = (uint32_t)result.samples;
        p->sample = sample;
        double most = 0;
        for (uint32_t c = 0; c < nchan; c++) most = max[c] > most ? max[c] : most;
        p->figure[2] = (struct hd_report_figure){most / hd_routes_variants(routes), 0, NAN, "heddle eval"};
    }
}

/* What a flow between the first endpoints of two leaves would share its busiest channel with. */
static inline void measure_heat(struct made_report *m, const struct hd_routes *routes, struct hd_report_option *p,
                                const uint32_t *leaf)
{
    uint32_t n = m->r.ngroup, chan[HD_MAX_HOPS];
    float *heat = HD_NEW(&m->arena, float, (size_t)n *n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double most = 1;
            uint32_t hops = i == j ? 0 : hd_routes_path(routes, leaf[i], leaf[j], 0, chan);
            for (uint32_t h = 0; h < hops; h++) most = fmax(most, p->load[0][chan[h]] * 2);
            heat[(size_t)i * n + j] = i == j ? NAN : (float)(1 / most);
        }
    p->heat = heat;
}

static inline void add_option(struct made_report *m, const char *engine, const uint32_t *leaf)
{
    struct hd_report_option *p = &m->r.option[m->r.noption++];
    struct hd_routes *routes;
    struct hd_check check;
    *p = (struct hd_report_option){
        .table = engine, .usual = strcmp(engine, "minhop") == 0, .deadlock_free = -1, .score = NAN};
    if (m->net->nsel < 2) {
        p->state = HD_OPTION_NOT_APPLICABLE;
        p->why_not = "there is no pair of endpoints";
        return;
    }
    if (hd_routes_open(&m->ctx, m->net, engine, &routes) != HD_OK) {
        p->state = HD_OPTION_NOT_APPLICABLE;
        p->why_not = made_text(m, "%s", m->ctx.error);
        return;
    }
    if (hd_routes_check(&m->ctx, routes, &check) == HD_OK) {
        p->deadlock_free = check.deadlock_free;
        p->lanes = check.lanes;
    }
    p->figure = HD_NEW(&m->arena, struct hd_report_figure, 3);
    p->load = HD_NEW(&m->arena, float *, m->r.nview);
    for (uint32_t w = 0; w < m->r.nview; w++) measure_view(m, routes, p, w);
    measure_heat(m, routes, p, leaf);
    p->command = made_text(m, "heddle check %s %s", m->r.net_text, engine);
    hd_routes_free(routes);
}

/* Leaf switches in order of their endpoints, at most HD_HEAT_MAX of them: names, and the first endpoint of each. */
static inline uint32_t *find_groups(struct made_report *m)
{
    uint32_t *first = HD_NEW(&m->arena, uint32_t, HD_HEAT_MAX);
    m->r.group = HD_NEW(&m->arena, const char *, HD_HEAT_MAX);
    bool *seen = HD_NEW(&m->arena, bool, m->net->nsw);
    for (uint32_t e = 0; e < m->net->nep && m->r.ngroup < HD_HEAT_MAX; e++) {
        uint32_t leaf = hd_leaf(m->net, e);
        if (seen[leaf]) continue;
        seen[leaf] = true;
        m->r.group[m->r.ngroup] = hd_node_name(m->net, leaf);
        first[m->r.ngroup++] = e;
    }
    return first;
}

/* The report gets its own, so that a test may change it. */
#define MADE_COPY(count, field)                                                                                        \
    (m->r.n##count = sizeof field / sizeof field[0], m->r.field = hd_alloc(&m->arena, 1, sizeof field),                \
     memcpy(m->r.field, field, sizeof field))

static inline void add_words(struct made_report *m)
{
    static struct hd_report_quantity quantity[] = {
        {.name = "ebb",
         .title = "EBB",
         .meaning = "Mean bandwidth of random bisections, share of an endpoint's rate.",
         .higher_is_better = true},
        {.name = "permutation",
         .title = "Permutations",
         .meaning = "Mean bandwidth of random permutations.",
         .higher_is_better = true},
        {.name = "maxload", .title = "Largest load", .meaning = "Flows on the busiest channel."}};
    static struct hd_report_view view[] = {{"bisect", "random bisections"}, {"permutation", "random permutations"}};
    static struct hd_report_finding finding[] = {{HD_PASS, "connectivity", "every endpoint reaches every other"},
                                                 {HD_WARN, "cables", "23 of 512 cables of the tree are missing"},
                                                 {HD_FAIL, "current table", "12 pairs have no path"}};
    static const char *fact_name[] = {"endpoints", "switches"},
                      *fact_text[] = {"512 on 512 hosts, 1 rail", "48 in 2 levels"};
    static const char *note[] = {"opensm was not run: it is not installed"};
    static struct hd_report_step step[] = {{.what = "Repair the cabling", .brief = "Repair 2 cables", .cables = true},
                                           {.what = "Load the new tables into the subnet manager",
                                            .path = "deploy/opensm.conf",
                                            .command = "opensm -F deploy/opensm.conf"},
                                           {.what = "Keep the old ones"}};
    static struct hd_report_repair repair[] = {
        {"missing", "leaf-1 port 17 - spine-2", "leaf-1", "spine-2", "leaf-1", "spine-2", 17, 0, "", "4xHDR", 0, NULL},
        {"slow", "leaf-<3> port 18 - spine-1 port 3 (4xEDR, not 4xHDR)", "leaf-<3>", "spine-1", "leaf-<3>", "spine-1",
         18, 3, "4xEDR", "4xHDR", 0, NULL}};
    static struct hd_report_before_after before_after[] = {
        {HD_CASE_RING, {3, 5, 0.33, 1}, {1, 1, 1, 1}, 1},
        {HD_CASE_SHIFT, {4.25, 9, 0.235, 511}, {1.375, 2, 0.727, 511}, 1.25},
        {HD_CASE_RECDBL_TREE, {NAN, NAN, NAN, 0}, {NAN, NAN, NAN, 0}, NAN}};
    static struct hd_report_what_if what_if[] = {{"one cable lost", 20, 500, 0.75, 0.012, 0.002, 0.004, 0.74, 0.71,
                                                  0.748, 0.73, 0.02, "leaf-3 port 17", "heddle eval", "heddle ftree"},
                                                 {"one switch lost", 10, 500, 0.75, 0.012, 0.06, 0.0625, 0.69, 0.68,
                                                  0.71, 0.7, 0.11, "spine-2", "heddle eval", "heddle ftree"}};
    m->r.goal = "balanced";
    m->r.verdict = HD_FAIL;
    m->r.headline = "Load the recommended tables: random traffic gets 12 % more.";
    m->r.reason = "Best for the goal of all that can be loaded as they are.";
    MADE_COPY(quantity, quantity);
    MADE_COPY(view, view);
    MADE_COPY(finding, finding);
    MADE_COPY(fact, fact_name);
    MADE_COPY(fact, fact_text);
    MADE_COPY(note, note);
    MADE_COPY(step, step);
    MADE_COPY(before_after, before_after);
    MADE_COPY(what_if, what_if);
    MADE_COPY(repair, repair);
    m->r.order_how = "tree order";
    m->r.order_command = "heddle order fabric.ibnet";
}

/* engines: NULL-terminated; the first is the current table, the one with most EBB is recommended. Takes the network. */
static inline void make_report_of(struct made_report *m, struct hd_net *net, const char *const *engine,
                                  uint32_t samples)
{
    memset(m, 0, sizeof *m);
    hd_ctx_init(&m->ctx);
    m->ctx.threads = 1;
    m->samples = samples;
    m->net = net;
    m->r.net = net;
    m->r.net_text = m->r.title = net->spec;
    m->r.command = made_text(m, "heddle advise %s", net->spec);
    add_words(m);
    uint32_t n = 0, *leaf = find_groups(m);
    while (engine[n]) n++;
    m->r.option = HD_NEW(&m->arena, struct hd_report_option, n);
    for (uint32_t i = 0; i < n; i++) add_option(m, engine[i], leaf);
    m->r.option[0].current = true;
    m->r.best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        if (!m->r.option[i].why_not &&
            (m->r.best == UINT32_MAX || m->r.option[i].figure[0].value > m->r.option[m->r.best].figure[0].value))
            m->r.best = i;
}

static inline void make_report(struct made_report *m, const char *net, const char *const *engine, uint32_t samples)
{
    make_report_of(m, make_net(net), engine, samples);
}

static inline void drop_report(struct made_report *m)
{
    hd_arena_release(&m->arena);
    hd_net_free(m->net);
}

#endif
