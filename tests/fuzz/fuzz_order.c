/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes, slots and tables from bytes, ordered for every goal. An order is a permutation; every rank file is read back
 * to the same hosts in the same order; a schedule of an all-to-all has every pair once, nobody twice in a stage and,
 * where it promises so, no channel twice, and both of its files hold what hd_schedule_to says. */
#include "as_file.h"
#include "fuzz_input.h"
#include "run_corpus.h"

enum { MOST = 64 };

struct trial {
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *r;
    struct hd_nodes *all, *nodes;
    struct hd_order *order;
    char what[HD_MAX_SPEC];
};

static void must_in(struct trial *t, bool good, const char *what)
{
    fuzz_must(good, what, t->what, &t->ctx);
}

/* ---- rank files ----------------------------------------------------------------------------- */

static bool has_slots(const char *format)
{
    return strcmp(format, "openmpi") == 0 || strcmp(format, "seq") == 0 || strcmp(format, "mpich") == 0 ||
           strcmp(format, "slurm") == 0;
}

static void compare_nodes(struct trial *t, const struct hd_nodes *again, const uint32_t *each, bool slots)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->nodes->n; i++) {
        if (!each[i]) continue;
        must_in(t, n < again->n, "fewer nodes read back");
        must_in(t, again->host[n] == t->nodes->host[t->order->rank[i]], "another host read back");
        must_in(t, !slots || again->slots[n] == each[i], "other slots read back");
        n++;
    }
    must_in(t, n == again->n, "more nodes read back");
}

static void read_rank_file(struct trial *t, const uint32_t *each, const char *format, bool lists)
{
    struct hd_nodes *again;
    struct hd_out *o;
    size_t size;
    must_in(t, hd_out_memory(&t->ctx, &o) == HD_OK, "memory");
    must_in(t, hd_order_write(&t->ctx, t->nodes, t->order->rank, each, format, o) == HD_OK, format);
    const char *text = hd_out_text(o, &size), *path = as_file((const uint8_t *)text, size);
    if (!lists) {
        hd_out_drop(o);
        return;
    }
    must_in(t, hd_nodes_read(&t->ctx, t->net, path, 1, &again) == HD_OK, "reading a rank file");
    compare_nodes(t, again, each, has_slots(format));
    hd_nodes_free(again);
    hd_out_drop(o);
}

static void rank_files(struct trial *t, struct choices *c)
{
    uint32_t each[MOST], slots = 0, n = 0;
    for (uint32_t i = 0; i < t->nodes->n; i++) slots += t->nodes->slots[i];
    uint64_t ranks = choose(c, slots + 4);
    hd_status s = hd_order_fill(&t->ctx, t->nodes, t->order->rank, ranks, each);
    must_in(t, (s == HD_INPUT) == (ranks > slots), "fill");
    if (s != HD_OK) return;
    while (hd_order_format_at(n)) n++;
    const struct hd_order_format *format = hd_order_format_at(choose(c, n));
    read_rank_file(t, each, format->name, format->lists);
}

/* ---- schedules ------------------------------------------------------------------------------ */

static void check_pairs(struct trial *t, const struct hd_schedule *s, bool whole)
{
    uint32_t n = t->nodes->n, flows = 0;
    static bool sent[MOST][MOST];
    memset(sent, 0, sizeof sent);
    for (uint64_t stage = 0; stage < s->stages; stage++) {
        bool got[MOST] = {false};
        for (uint32_t i = 0; i < n; i++) {
            uint32_t to = hd_schedule_to(s, stage, i);
            if (to == UINT32_MAX) continue;
            must_in(t, to < n && to != i && !got[to], "nobody receives twice in a stage");
            must_in(t, !whole || !sent[i][to], "no pair twice");
            got[to] = sent[i][to] = true;
            flows++;
        }
    }
    must_in(t, !whole || flows == n * (n - 1), "every pair");
}

static uint64_t little(const char *text, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)(uint8_t)text[i] << (8 * i);
    return value;
}

static void read_binary(struct trial *t, const struct hd_schedule *s, const char *text, size_t size)
{
    must_in(t, size >= 24 && memcmp(text, "HDSCHED1", 8) == 0 && little(text + 8, 4) == s->n, "head of the schedule");
    uint64_t width = little(text + 12, 4);
    must_in(t, little(text + 16, 8) == s->stages && size == 24 + s->stages * s->n * width, "size of the schedule");
    for (uint64_t k = 0; k < s->stages * s->n; k++) {
        uint64_t to = little(text + 24 + k * width, (int)width), none = width == 2 ? UINT16_MAX : UINT32_MAX;
        uint32_t expected = hd_schedule_to(s, k / s->n, (uint32_t)(k % s->n));
        must_in(t, to == (expected == UINT32_MAX ? none : expected), "an entry of the schedule");
    }
}

static void read_lines(struct trial *t, const struct hd_schedule *s, const char *text)
{
    uint64_t flows = 0, lines = 0;
    for (uint64_t k = 0; k < s->stages * s->n; k++) flows += hd_schedule_to(s, k / s->n, (uint32_t)(k % s->n)) < s->n;
    for (; *text; text = strchr(text, '\n') + 1) {
        unsigned long long stage;
        unsigned from, to;
        if (*text == '#') continue;
        must_in(t, sscanf(text, "%llu %u %u\n", &stage, &from, &to) == 3 && stage < s->stages && from < s->n, "a line");
        must_in(t, hd_schedule_to(s, stage, from) == to, "a line of the schedule");
        lines++;
    }
    must_in(t, lines == flows, "lines of the schedule");
}

static void try_schedule(struct trial *t, struct choices *c)
{
    struct hd_schedule *s;
    struct hd_hsd hsd;
    struct hd_out *o;
    size_t size;
    uint32_t which = choose(c, 3), binary = choose(c, 2);
    const uint32_t *rank = t->order->rank;
    hd_status status = which == 0   ? hd_schedule_alltoall(&t->ctx, t->r, t->nodes, rank, &s)
                       : which == 1 ? hd_schedule_slots(&t->ctx, t->r, t->nodes, rank, &s)
                                    : hd_schedule_recdbl(&t->ctx, t->r, t->nodes, rank, &s);
    if (status != HD_OK) {
        fuzz_refused(status, t->what, &t->ctx);
        return;
    }
    check_pairs(t, s, which < 2);
    status = hd_schedule_count(&t->ctx, t->r, t->nodes, rank, s, &hsd);
    if (status != HD_OK) { /* schedules of slots and of recdbl need no paths, and nodes may be in several components */
        must_in(t, which != 0, "count");
        fuzz_refused(status, t->what, &t->ctx);
        hd_schedule_free(s);
        return;
    }
    must_in(t, s->stages >= s->bound || hsd.max > 1, "fewer stages than the bound");
    must_in(t, which != 0 || t->nodes->n < 2 || hsd.max <= 1, "two flows on a channel");
    must_in(t, hd_out_memory(&t->ctx, &o) == HD_OK, "memory");
    hd_schedule_write(s, binary, o);
    const char *text = hd_out_text(o, &size);
    if (binary)
        read_binary(t, s, text, size);
    else
        read_lines(t, s, text);
    hd_out_drop(o);
    hd_schedule_free(s);
}

/* ---- orders --------------------------------------------------------------------------------- */

static bool pick_nodes(struct trial *t, struct choices *c)
{
    uint32_t which[MOST], n = 0, want = 1 + choose(c, 24);
    bool taken[MOST] = {false};
    if (hd_nodes_read(&t->ctx, t->net, NULL, 1 + choose(c, 4), &t->all) != HD_OK) return false;
    while (n < want && n < t->all->n && t->all->n <= MOST) {
        uint32_t i = choose(c, t->all->n);
        while (taken[i]) i = (i + 1) % t->all->n;
        taken[i] = true;
        which[n++] = i;
    }
    if (n && hd_nodes_pick(&t->ctx, t->all, which, n, &t->nodes) == HD_OK) return true;
    hd_nodes_free(t->all);
    return false;
}

static void try_order(struct trial *t, struct choices *c)
{
    bool seen[MOST] = {false};
    uint32_t goals = 0;
    while (hd_goal_name((enum hd_goal)goals)) goals++;
    hd_status s = hd_order_make(&t->ctx, t->r, t->nodes, (enum hd_goal)choose(c, goals), &t->order);
    if (s != HD_OK) {
        fuzz_refused(s, t->what, &t->ctx);
        return;
    }
    must_in(t, t->order->n == t->nodes->n, "an order of all nodes");
    for (uint32_t i = 0; i < t->order->n; i++) {
        must_in(t, t->order->rank[i] < t->nodes->n && !seen[t->order->rank[i]], "a permutation");
        seen[t->order->rank[i]] = true;
    }
    rank_files(t, c);
    try_schedule(t, c);
    hd_order_free(t->order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const engine[] = {"minhop", "dmodk", "updown", "ftree", "dfsssp", "omrmn", "smodk", "settle"};
    struct choices c = {data, data + size};
    struct trial t;
    memset(&t, 0, sizeof t);
    hd_ctx_init(&t.ctx);
    t.ctx.threads = 1;
    if (choose_net(&c, &t.ctx, &t.net) != HD_OK) return 0;
    const char *spec = engine[choose(&c, sizeof engine / sizeof *engine)];
    snprintf(t.what, sizeof t.what, "%.300s %s", t.net->spec, spec);
    if (hd_routes_open(&t.ctx, t.net, spec, &t.r) == HD_OK) {
        if (pick_nodes(&t, &c)) {
            try_order(&t, &c);
            hd_nodes_free(t.nodes);
            hd_nodes_free(t.all);
        }
        hd_routes_free(t.r);
    }
    hd_net_free(t.net);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_order")
