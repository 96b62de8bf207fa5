/* SPDX-License-Identifier: BSD-2-Clause */
/* Selectors, lanes and deadlock, and small versions of the published experiments. */
#include "sim_tools.h"
#include "base/context.h"

#define CLOS "gft:n=16,m=16,r=32"              /* 512 nodes */
#define RLFT "pgft:m=18x18x6,w=1x18x3,p=1x1x6" /* 1944 nodes */

/* ---- every selector -------------------------------------------------------------------------- */

static uint64_t packets_of(uint64_t flows, uint64_t bytes, uint64_t packet)
{
    return flows * ((bytes + packet - 1) / packet);
}

/* What is sent arrives, once; on one route in order; the run itself checks the rest. */
static void every_selector_delivers_everything(void **state)
{
    struct setup many, one, thin;
    const struct hd_desc *d;
    (void)state;
    set_up(&many, "xgft:m=6x4,w=1x3", "omrmn");
    set_up(&one, "xgft:m=6x4,w=1x3", "dmodk");
    set_up(&thin, "xgft:m=6x4,w=1x1", "dmodk");
    for (size_t i = 0; (d = row_at(HD_SELECTORS, i)); i++) {
        struct hd_sim_request q = {
            .pattern = "permutation", .selector = d->name, .samples = 3, .size = 100000, .messages = 2};
        struct hd_sim_result r = simulate(&many, &q);
        assert_int_equal(r.packets, 3 * packets_of(2 * 24, 100000, 2048));
        assert_int_equal(r.bytes, 3ull * 2 * 24 * 100000);
        assert_true(r.dropped == 0 && r.unserved == 0 && r.deadlocks == 0);
        assert_true(r.fraction > 0.2 && r.fraction <= 1.0);
        bool spreads = strcmp(d->name, "random") == 0 || strcmp(d->name, "spray") == 0;
        if (spreads) assert_true(r.reordered > 0);
        if (strcmp(d->name, "static") == 0 || strcmp(d->name, "ecmp") == 0) assert_int_equal(r.reordered, 0);
        bool switches = strcmp(d->name, "ar") == 0 || strcmp(d->name, "ecmp") == 0; /* do not use the table */
        r = simulate(switches ? &thin : &one, &q);
        assert_int_equal(r.packets, 3 * packets_of(2 * 24, 100000, 2048));
        assert_int_equal(r.reordered, 0);
        assert_int_equal(r.changes, 0);
    }
    tear_down(&many);
    tear_down(&one);
    tear_down(&thin);
}

/* One flow on an empty tree: spray uses all its routes, a subset only so many. */
static void selectors_use_the_routes_they_know(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=4x4,w=1x8", "omrmn");
    write_text(&t, "0 15 2000000 -\n");
    static const struct {
        const char *selector;
        uint32_t least, most;
    } rows[] = {{"static", 1, 1},
                {"ecmp", 1, 1},
                {"spray", 8, 8},
                {"random", 8, 8},
                {"random:routes=3", 3, 3},
                {"spray:routes=5", 5, 5},
                {"probing", 1, 1},
                {"adaptive", 1, 1},
                {"ar", 2, 8},
                {"probing:threshold=0", 1, 1},
                {"adaptive:threshold=0", 1, 1}};
    uint64_t *busy = calloc(t.net->nchan, sizeof *busy), *blocked = calloc(t.net->nchan, sizeof *blocked);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        simulate(&t, &(struct hd_sim_request){
                         .trace = t.path, .selector = rows[i].selector, .busy = busy, .blocked = blocked});
        uint32_t used = 0, leaf = t.net->head[t.net->off[t.net->nsw]];
        for (uint32_t c = t.net->off[leaf]; c < t.net->off[leaf + 1]; c++)
            used += t.net->head[c] < t.net->nsw && busy[c] > 0;
        if (used < rows[i].least || used > rows[i].most)
            fail_msg("%s: %u routes, expected %u to %u", rows[i].selector, used, rows[i].least, rows[i].most);
        /* the sender's cable is busy for every byte, exactly; nothing is ever held up */
        uint64_t full = 2000000 / 2048, rest = 2000000 % 2048;
        assert_int_equal(busy[t.net->off[t.net->nsw]], full * 630 + (630 * rest + 1024) / 2048);
        for (uint32_t c = 0; c < t.net->nchan; c++) assert_int_equal(blocked[c], 0);
    }
    free(busy);
    free(blocked);
    tear_down(&t);
}

/* Senders that know one route of eight each: over many pairs none is left out. */
static void few_routes_are_drawn_from_all(void **state)
{
    struct setup t;
    char text[1000] = "";
    (void)state;
    set_up(&t, "xgft:m=4x4,w=1x8", "omrmn");
    for (uint32_t s = 0; s < 4; s++)
        for (uint32_t d = 4; d < 16; d++) snprintf(text + strlen(text), 20, "%u %u 20000 -\n", s, d);
    write_text(&t, text);
    uint64_t *busy = calloc(t.net->nchan, sizeof *busy);
    simulate(&t, &(struct hd_sim_request){.trace = t.path, .selector = "random:routes=1", .busy = busy});
    const uint32_t leaf = t.net->head[t.net->off[t.net->nsw]];
    for (uint32_t c = t.net->off[leaf]; c < t.net->off[leaf + 1]; c++)
        if (t.net->head[c] < t.net->nsw) assert_true(busy[c] > 0);
    /* nor is one for a single pair, over many seeds */
    bool used[256] = {0};
    write_text(&t, "0 15 20000 -\n");
    for (t.ctx.seed = 1; t.ctx.seed <= 64; t.ctx.seed++) {
        simulate(&t, &(struct hd_sim_request){.trace = t.path, .selector = "random:routes=1", .busy = busy});
        for (uint32_t c = t.net->off[leaf]; c < t.net->off[leaf + 1]; c++) used[c - t.net->off[leaf]] |= busy[c] > 0;
    }
    for (uint32_t c = t.net->off[leaf]; c < t.net->off[leaf + 1]; c++)
        if (t.net->head[c] < t.net->nsw) assert_true(used[c - t.net->off[leaf]]);
    free(busy);
    tear_down(&t);
}

/* One route changes once: what its sender had sent by then is whole packets, not shared with those that stay. */
static void bytes_until_settled_are_those_of_senders_that_move(void **state)
{
    enum { PACKET = 4096 };
    struct setup t;
    uint32_t moved = 0;
    (void)state;
    set_up(&t, "xgft:m=2x2,w=1x2", "omrmn");
    write_text(&t, "0 2 400000 -\n1 3 54000 -\n");
    for (t.ctx.seed = 1; t.ctx.seed <= 4; t.ctx.seed++) {
        const struct hd_sim_result r =
            simulate(&t, &(struct hd_sim_request){.trace = t.path, .selector = "adaptive", .model = "myrinet"});
        assert_true((r.changes == 0) == (r.settled_bytes == 0));
        if (r.changes != 1) continue;
        assert_int_equal((uint64_t)r.settled_bytes % PACKET, 0);
        moved++;
    }
    assert_true(moved >= 2);
    tear_down(&t);
}

struct run_sums {
    double n, time, settled, fraction, fairness;
};

static void add_run(void *user, uint64_t index, const struct hd_sim_sample *sample)
{
    struct run_sums *sum = user;
    assert_int_equal(index, (uint64_t)sum->n);
    sum->n++;
    sum->time += (double)sample->time;
    sum->settled += (double)sample->settled;
    sum->fraction += sample->fraction;
    sum->fairness += sample->fairness;
}

/* What is reported of several runs is the mean of them. */
static void means_are_those_of_the_runs(void **state)
{
    struct setup t;
    struct run_sums sum = {0};
    (void)state;
    set_up(&t, "xgft:m=4x4,w=1x4", "omrmn");
    const struct hd_sim_result r = simulate(&t, &(struct hd_sim_request){.pattern = "bisect",
                                                                         .selector = "adaptive",
                                                                         .model = "myrinet",
                                                                         .samples = 5,
                                                                         .sample = add_run,
                                                                         .user = &sum});
    assert_true(sum.n == 5 && sum.settled > 0);
    assert_near(r.settled, sum.settled / 5, 1, "settled");
    assert_near(r.time, sum.time / 5, 1, "time");
    assert_near(r.fraction, sum.fraction / 5, 1e-6, "fraction");
    assert_near(r.fairness, sum.fairness / 5, 1e-6, "fairness");
    tear_down(&t);
}

/* Two flows forced onto one route of two: adaptive and probing senders part, static ones cannot. */
static void held_up_senders_find_the_free_route(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=2x2,w=1x2", "omrmn");
    double mean[3] = {0};
    static const char *const selectors[] = {"static", "adaptive", "probing"};
    for (int i = 0; i < 3; i++) {
        struct hd_sim_request q = {
            .pattern = "bridge", .selector = selectors[i], .model = "myrinet", .samples = 2, .messages = 20};
        for (t.ctx.seed = 1; t.ctx.seed <= 6; t.ctx.seed++) mean[i] += simulate(&t, &q).fraction / 6;
    }
    assert_true(mean[0] < 0.9); /* in half of the seeds both go one way */
    assert_true(mean[1] > mean[0] + 0.03);
    assert_true(mean[2] > 0.95);
    tear_down(&t);
}

/* The port a lone flow takes out of its leaf, counted among the up ports; `of` messages in all. */
static uint32_t up_ports_taken(struct setup *t, const char *selector, uint32_t d, uint32_t of, uint32_t *last)
{
    char text[256] = "";
    for (uint32_t i = 0; i < of; i++) snprintf(text + strlen(text), 64, "0 %u 2048 -\n", d);
    write_text(t, text);
    uint64_t *busy = calloc(t->net->nchan, sizeof *busy);
    simulate(t, &(struct hd_sim_request){.trace = t->path, .selector = selector, .busy = busy});
    uint32_t leaf = t->net->head[t->net->off[t->net->nsw]], used = 0, up = 0;
    for (uint32_t c = t->net->off[leaf]; c < t->net->off[leaf + 1]; c++) {
        if (t->net->head[c] >= t->net->nsw) continue;
        if (busy[c]) *last = up;
        used += busy[c] > 0;
        up++;
    }
    free(busy);
    return used;
}

/* A hash: the same for a pair whenever it is asked, another with another seed, and even over the ports. */
static void ecmp_hashes_pairs_evenly(void **state)
{
    struct setup t;
    uint32_t count[8] = {0}, other = 0, parted = 0, port = 0, again = 0, n = 0;
    (void)state;
    set_up(&t, "xgft:m=8x33,w=1x8", "dmodk");
    for (uint32_t d = 8; d < t.net->nep; d++, n++) {
        assert_int_equal(up_ports_taken(&t, "ecmp:fields=pair", d, 1, &port), 1);
        count[port]++;
        assert_int_equal(up_ports_taken(&t, "ecmp:fields=pair", d, 3, &again), 1);
        assert_int_equal(port, again);
        parted += up_ports_taken(&t, "ecmp", d, 3, &again) > 1; /* three flows of one pair, each hashed */
        t.ctx.seed = 2;
        up_ports_taken(&t, "ecmp:fields=pair", d, 1, &again);
        other += again != port;
        t.ctx.seed = 1;
    }
    double chi = 0, mean = n / 8.0;
    for (int i = 0; i < 8; i++) chi += (count[i] - mean) * (count[i] - mean) / mean;
    if (chi > 24.3) fail_msg("256 pairs on 8 ports: chi-square %.1f, above 24.3 (7 degrees, one in 1000)", chi);
    assert_true(other > n * 3 / 4 && other < n); /* 7/8 of them */
    assert_true(parted > n * 9 / 10);            /* 63/64 of them */
    tear_down(&t);
}

/* Channels up from the second level that carry anything. */
static uint32_t second_level_used(const char *selector)
{
    struct setup t;
    uint32_t used = 0;
    set_up(&t, "xgft:m=4x4x4,w=1x4x4", "dmodk");
    uint64_t *busy = calloc(t.net->nchan, sizeof *busy);
    simulate(&t, &(struct hd_sim_request){.pattern = "shift", .selector = selector, .size = 2048, .busy = busy});
    for (uint32_t c = 0; c < t.net->nchan; c++) {
        uint32_t v = t.net->tail[c], u = t.net->head[c];
        if (v < t.net->nsw && u < t.net->nsw && t.net->level[v] == 2 && t.net->level[u] == 3) used += busy[c] > 0;
    }
    free(busy);
    tear_down(&t);
    return used;
}

/* One hash function everywhere: what a leaf sent to port i its switch sends to port i again. */
static void ecmp_without_salt_polarises(void **state)
{
    (void)state;
    assert_int_equal(second_level_used("ecmp"), 4 * 4 * 4);
    assert_int_equal(second_level_used("ecmp:salt=off"), 4 * 4);
}

static void threads_change_nothing(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=8x8,w=1x8", "omrmn");
    static const char *const selectors[] = {"static", "random", "adaptive", "probing", "ar", "ecmp", "spray"};
    for (int i = 0; i < 7; i++) {
        struct hd_sim_request q = {.pattern = "bisect",
                                   .selector = selectors[i],
                                   .model = "myrinet",
                                   .samples = 5,
                                   .size = 200000,
                                   .messages = 2};
        t.ctx.threads = 1;
        struct hd_sim_result a = simulate(&t, &q);
        t.ctx.threads = 3;
        struct hd_sim_result b = simulate(&t, &q);
        assert_memory_equal(&a, &b, sizeof a);
        t.ctx.seed = 2;
        b = simulate(&t, &q);
        assert_memory_not_equal(&a, &b, sizeof a);
        t.ctx.seed = 1;
    }
    tear_down(&t);
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Alone on their cables partners get the ceiling, whatever the next message waits for. */
static void lone_senders_get_the_ceiling(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=2,w=1", "minhop");
    static const char *const progress[] = {"sent", "received", "exchange", "stage"};
    for (int i = 0; i < 4; i++) {
        char model[128];
        snprintf(model, sizeof model, "myrinet:jitter=0,progress=%s", progress[i]);
        struct hd_sim_result r = simulate(
            &t, &(struct hd_sim_request){.pattern = "dissemination", .model = model, .samples = 1, .messages = 3});
        assert_near(r.fraction, 1, 0.002, progress[i]);
        assert_near(r.ceiling / 1.048576, 1090, 1, "ping-pong of Myri-10G, MiB/s");
        assert_int_equal(r.packets, 2 * 3 * 256);
    }
    tear_down(&t);
}

/* Two stages in step take twice the time of one; at their own pace the fast pair does not wait. */
static void stages_in_step_wait_for_the_slowest(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "mesh:dims=2,hosts=4", "minhop");
    struct hd_sim_request q = {
        .pattern = "recdbl", .model = "infiniband:progress=stage,gap=1000,host=4000", .size = 65536};
    struct hd_sim_result step = simulate(&t, &q);
    q.model = "infiniband:progress=sent,gap=1000,host=4000";
    struct hd_sim_result own = simulate(&t, &q);
    assert_int_equal(step.packets, own.packets);
    assert_true(step.time_max >= own.time_max);
    /* the last stage: four flows each way on one cable of 4000 MB/s; the others: 512 ns a packet */
    double want = 2 * (32 * 512 + 220 + 10 + 1000) + 4 * 32 * 512;
    assert_near((double)step.time_max, want, 2000, "time of three stages in step");
    /* exchange of a pattern that is no pairing is refused */
    struct hd_sim_result r;
    q = (struct hd_sim_request){.pattern = "ring", .model = "myrinet"};
    assert_int_equal(hd_sim(&t.ctx, t.routes, &q, &r), HD_INPUT);
    assert_non_null(strstr(t.ctx.error, "two partners"));
    tear_down(&t);
}

static void bad_requests_are_refused(void **state)
{
    struct setup t;
    struct hd_sim_result r;
    (void)state;
    set_up(&t, "xgft:m=2,w=1", "minhop");
    static const struct {
        struct hd_sim_request q;
        const char *words;
    } bad[] = {{{.pattern = "ring", .model = "infiniband:buffer=1000"}, "room for a packet"},
               {{.pattern = "ring", .model = "infiniband:jitter=2000"}, "jitter"},
               {{.pattern = "ring", .model = "infiniband:control=byte"}, "expected 0 with control=byte"},
               {{.pattern = "ring", .model = "infiniband:warmup=5"}, "warmup needs duration"},
               {{.pattern = "ring", .model = "myrinet:duration=5000"}, "progress=sent"},
               {{.pattern = "ring", .model = "mirinet"}, "did you mean 'myrinet'"},
               {{.pattern = "ring", .selector = "prob"}, "not a known selector"},
               {{.pattern = "ring", .trace = "x"}, "either a pattern or a trace"},
               {{.trace = "/nonexistent/file"}, "/nonexistent/file"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_true(hd_sim(&t.ctx, t.routes, &bad[i].q, &r) != HD_OK);
        if (!strstr(t.ctx.error, bad[i].words)) fail_msg("expected '%s' in: %s", bad[i].words, t.ctx.error);
    }
    tear_down(&t);
}

/* Four switches that nothing joins, with two hosts each. */
static void set_up_islands(struct setup *t)
{
    memset(t, 0, sizeof *t);
    hd_ctx_init(&t->ctx);
    t->ctx.threads = 1;
    struct hd_open open = {.fail = "links=3,seed=1"};
    hd_status s = hd_net_open(&t->ctx, "mesh:dims=4,hosts=2", &open, &t->net); /* three cables join the switches */
    if (s != HD_OK) fail_msg("%s", t->ctx.error);
    assert_int_equal(hd_routes_open(&t->ctx, t->net, "minhop", &t->routes), HD_OK);
}

/* What has no path is counted, and counts as 0; the rest goes on. */
static void pairs_without_a_path_are_counted(void **state)
{
    struct setup t;
    (void)state;
    set_up_islands(&t);
    static const char *const models[] = {"infiniband", "infiniband:progress=stage", "infiniband:progress=received",
                                         "infiniband:progress=exchange"};
    for (int i = 0; i < 4; i++) {
        struct hd_sim_request q = {
            .pattern = i == 3 ? "dissemination" : "shift", .model = models[i], .size = 10000, .samples = 1};
        struct hd_sim_result r = simulate(&t, &q);
        if (i < 3) {
            assert_int_equal(r.unserved, 8 * 6);
            assert_int_equal(r.packets, 8 * 5);
            /* one of seven flows has a path; where stages are synchronised half of the senders wait for the others */
            assert_true(r.fraction < 1. / 7 + 1e-9 && r.fraction > (i == 1 ? .7 : .9) / 7);
        }
        assert_int_equal(r.deadlocks, 0);
    }
    tear_down(&t);
}

/* Senders of which nothing arrives are senders, whatever ends a run. */
static void senders_without_a_path_get_nothing(void **state)
{
    struct setup t;
    (void)state;
    set_up_islands(&t);
    static const char *const models[] = {"infiniband", "infiniband:duration=2000000,warmup=1000000"};
    write_text(&t, "0 1 1\n1 2 1\n3 2 1\n4 7 1\n4 5 1\n");
    char spec[96];
    snprintf(spec, sizeof spec, "file:path=%s", t.path);
    for (int i = 0; i < 2; i++) { /* 1, 0, 1, 1/2 */
        struct hd_sim_result r = simulate(&t, &(struct hd_sim_request){.pattern = spec, .model = models[i]});
        assert_near(r.fraction, 2.5 / 4, .002, models[i]);
        assert_near(r.sender_min, 0, 0, "the one without a path");
        assert_near(r.fairness, 2.5 * 2.5 / (4 * 2.25), .002, "fairness");
        assert_near(r.bandwidth, 2.5 / 4 * r.ceiling, .002 * r.ceiling, "bandwidth");
    }
    write_text(&t, "0 1 1\n6 4 1\n7 4 1\n");
    const char *load = "infiniband:duration=4000000,warmup=1000000,load=0.5";
    struct hd_sim_result r =
        simulate(&t, &(struct hd_sim_request){.pattern = spec, .model = load, .size = 2048, .samples = 4});
    assert_near(r.fraction, .5 / 3, .01, load);
    tear_down(&t);
}

/* A message of a trace that waits for one without a path is never sent. */
static void what_waits_for_a_message_without_a_path_counts_too(void **state)
{
    struct setup t;
    (void)state;
    set_up_islands(&t);
    write_text(&t, "0 1 1000000 -\n"
                   "0 2 1000000 -\n" /* no path */
                   "1 0 1000000 2\n" /* waits for it */
                   "5 4 1000000 3\n" /* and for that */
                   "3 2 1000000 -\n");
    struct hd_sim_result r = simulate(&t, &(struct hd_sim_request){.trace = t.path});
    assert_int_equal(r.unserved, 1);
    assert_near(r.fraction, 1.5 / 4, .002, "1/2, 0, 0, 1");
    assert_near(r.sender_min, 0, 0, "those that wait");
    tear_down(&t);
}

/* ---- lanes and deadlock ---------------------------------------------------------------------- */

static void a_ring_deadlocks_without_lanes(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "torus:dims=6,hosts=2", "minhop");
    struct hd_sim_request q = {.pattern = "shift", .size = 262144};
    struct hd_sim_result r = simulate(&t, &q);
    assert_int_equal(r.deadlocks, 1);
    assert_int_equal(r.ncycle, 6); /* all the way round: a closed walk of channels between switches */
    for (uint32_t i = 0; i < r.ncycle; i++) {
        assert_true(t.net->tail[r.cycle[i]] < t.net->nsw);
        assert_int_equal(t.net->head[r.cycle[i]], t.net->tail[r.cycle[(i + 1) % r.ncycle]]);
    }
    q.model = "infiniband:lifetime=1000000"; /* packets that die of old age break it */
    r = simulate(&t, &q);
    assert_int_equal(r.deadlocks, 0);
    assert_true(r.dropped > 0);
    assert_int_equal(r.packets + r.dropped, 12 * 11 * 128);
    q.model = "infiniband:duration=2000000"; /* found as well when senders never end */
    assert_int_equal(simulate(&t, &q).deadlocks, 1);
    tear_down(&t);
    set_up(&t, "torus:dims=6,hosts=2", "lash"); /* the same ring, two lanes */
    q.model = NULL;
    r = simulate(&t, &q);
    assert_int_equal(r.deadlocks, 0);
    assert_int_equal(r.packets, 12 * 11 * 128);
    assert_true(r.fraction > 0.2);
    q.model = "infiniband:lanes=1"; /* its lanes folded into one */
    assert_int_equal(simulate(&t, &q).deadlocks, 1);
    tear_down(&t);
}

/* Space that comes back byte by byte: to a flow alone a buffer of one packet is as good as any, to the nanosecond;
 * where it comes back packet by packet, every packet waits for the tail of the last one. */
static void bytes_that_leave_make_room(void **state)
{
    static const char *const one[] = {"infiniband:control=byte,credit=0,buffer=2048",
                                      "myrinet:control=byte,buffer=4096,jitter=0",
                                      "infiniband:control=byte,credit=0,buffer=2048,lanes=2"};
    static const char *const deep[] = {"infiniband:credit=0,buffer=1048576",
                                       "myrinet:control=credit,buffer=1048576,jitter=0",
                                       "infiniband:credit=0,buffer=1048576,lanes=2"};
    static const char *const packets[] = {"infiniband:credit=0,buffer=2048",
                                          "myrinet:control=credit,buffer=4096,jitter=0",
                                          "infiniband:credit=0,buffer=2048,lanes=2"};
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=1x1x2,w=1x1x1", "dmodk"); /* two hosts, four switch hops */
    for (int i = 0; i < 3; i++) {
        struct hd_sim_request q = {.pattern = "ring", .size = 100000, .messages = 3, .model = one[i]};
        struct hd_sim_result byte = simulate(&t, &q);
        q.model = deep[i];
        struct hd_sim_result alone = simulate(&t, &q);
        q.model = packets[i];
        assert_true(byte.time == alone.time && byte.fraction == alone.fraction);
        assert_int_equal(byte.latency_max, alone.latency_max);
        assert_true(simulate(&t, &q).time > 1.03 * alone.time);
    }
    tear_down(&t);
}

/* Nothing is lost or doubled, deadlocks are found, and packets still wait for one another. */
static void byte_level_flow_control_conserves(void **state)
{
    struct setup t;
    const struct hd_desc *d;
    (void)state;
    set_up(&t, "xgft:m=6x4,w=1x3", "omrmn");
    for (size_t i = 0; (d = row_at(HD_SELECTORS, i)); i++) {
        struct hd_sim_request q = {.pattern = "permutation",
                                   .selector = d->name,
                                   .model = "infiniband:control=byte,credit=0,buffer=2500",
                                   .samples = 3,
                                   .size = 100000,
                                   .messages = 2};
        struct hd_sim_result r = simulate(&t, &q);
        assert_int_equal(r.packets, 3 * packets_of(2 * 24, 100000, 2048));
        assert_true(r.fraction > 0.2 && r.fraction < 0.99 && r.deadlocks == 0);
    }
    tear_down(&t);
    set_up(&t, "torus:dims=6,hosts=2", "minhop");
    struct hd_sim_request q = {.pattern = "shift", .size = 262144, .model = "infiniband:control=byte,credit=0"};
    assert_int_equal(simulate(&t, &q).deadlocks, 1);
    q.model = "infiniband:control=byte,credit=0,lifetime=1000000";
    struct hd_sim_result r = simulate(&t, &q);
    assert_true(r.deadlocks == 0 && r.dropped > 0);
    assert_int_equal(r.packets + r.dropped, 12 * 11 * 128);
    tear_down(&t);
}

static void stop_and_go_behaves_like_credits_with_less_room(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=6x4,w=1x3", "dmodk");
    double at[3];
    static const char *const models[] = {"infiniband", "infiniband:control=stopgo,go=14336",
                                         "infiniband:control=stopgo,go=0,credit=1000"};
    for (int i = 0; i < 3; i++)
        at[i] = simulate(&t,
                         &(struct hd_sim_request){
                             .pattern = "permutation", .model = models[i], .samples = 4, .size = 200000})
                    .fraction;
    assert_near(at[1], at[0], 0.01, "GO as soon as a packet fits");
    assert_true(at[2] < at[0] - 0.01); /* GO only when all has drained, and late */
    tear_down(&t);
}

/* ---- the paper on adaptive source routing ----------------------------------------------------- */

static double clos_fraction(const char *net, const char *pattern, const char *selector, uint64_t messages)
{
    struct setup t;
    set_up(&t, net, "omrmn");
    struct hd_sim_request q = {
        .pattern = pattern, .selector = selector, .model = "myrinet", .samples = 2, .messages = messages};
    double f = simulate(&t, &q).fraction;
    tear_down(&t);
    return f;
}

static void clos_of_512_nodes(void **state)
{
    (void)state;
    double fixed = clos_fraction(CLOS, "bisect", "static", 2), random = clos_fraction(CLOS, "bisect", "random", 2);
    double adaptive = clos_fraction(CLOS, "bisect", "adaptive", 2),
           probing = clos_fraction(CLOS, "bisect", "probing", 4);
    assert_near(fixed, 0.405, 0.045, "static");
    assert_near(random, 0.52, 0.03, "randomized");
    assert_near(adaptive, random, 0.03, "adaptive beside randomized");
    assert_near(probing, 0.77, 0.03, "probing");
}

static void bridge_pattern(void **state)
{
    (void)state;
    assert_true(clos_fraction("gft:n=16,m=16,r=8", "bridge:pairing=random", "probing", 30) > 0.97);
    assert_near(clos_fraction("gft:n=16,m=16,r=8", "bridge:pairing=random", "random", 2), 0.56, 0.03,
                "randomized bridge");
}

/* ---- the paper on rank order ------------------------------------------------------------------ */

static void shift_in_matched_order_meets_nobody(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, RLFT, "dmodk");
    struct hd_sim_request q = {.pattern = "shift", .stages = 4, .size = 131072};
    struct hd_sim_result r = simulate(&t, &q);
    assert_true(r.fraction > 0.99 && r.min > 0.99);
    q = (struct hd_sim_request){.pattern = "ring", .ranks = "adversarial", .size = 131072};
    r = simulate(&t, &q);
    assert_near(r.fraction * r.ceiling, 4000.0 / 18, 5, "adversarial ring, MB/s");
    tear_down(&t);
}

static void shift_in_random_order_suffers_more_from_larger_messages(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "pgft:m=18x18,w=1x9,p=1x2", "dmodk"); /* 324 nodes */
    struct hd_sim_request q = {.pattern = "shift", .stages = 16, .ranks = "random:seed=1"};
    double last = 0.7;
    static const uint64_t sizes[] = {8192, 32768, 131072};
    for (int i = 0; i < 3; i++) {
        q.size = sizes[i];
        double f = simulate(&t, &q).fraction;
        assert_true(f < last - 0.02);
        last = f;
    }
    assert_true(last < 0.6);
    tear_down(&t);
}

/* Every packet of a matched Shift has the latency of an empty network, exactly. */
static void matched_shift_has_unloaded_latency(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=4x8,w=1x4", "dmodk");
    struct hd_sim_result r = simulate(&t, &(struct hd_sim_request){.pattern = "shift", .size = 2048 * 16});
    assert_int_equal(r.latency_min, 2 * 10 + 1 * 100 + 630);
    assert_int_equal(r.latency_max, 4 * 10 + 3 * 100 + 630);
    assert_int_equal(r.packets, 32 * 31 * 16);
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_selector_delivers_everything),
        cmocka_unit_test(selectors_use_the_routes_they_know),
        cmocka_unit_test(few_routes_are_drawn_from_all),
        cmocka_unit_test(bytes_until_settled_are_those_of_senders_that_move),
        cmocka_unit_test(means_are_those_of_the_runs),
        cmocka_unit_test(held_up_senders_find_the_free_route),
        cmocka_unit_test(ecmp_hashes_pairs_evenly),
        cmocka_unit_test(ecmp_without_salt_polarises),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(lone_senders_get_the_ceiling),
        cmocka_unit_test(stages_in_step_wait_for_the_slowest),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(pairs_without_a_path_are_counted),
        cmocka_unit_test(senders_without_a_path_get_nothing),
        cmocka_unit_test(what_waits_for_a_message_without_a_path_counts_too),
        cmocka_unit_test(a_ring_deadlocks_without_lanes),
        cmocka_unit_test(bytes_that_leave_make_room),
        cmocka_unit_test(byte_level_flow_control_conserves),
        cmocka_unit_test(stop_and_go_behaves_like_credits_with_less_room),
        cmocka_unit_test(clos_of_512_nodes),
        cmocka_unit_test(bridge_pattern),
        cmocka_unit_test(shift_in_matched_order_meets_nobody),
        cmocka_unit_test(shift_in_random_order_suffers_more_from_larger_messages),
        cmocka_unit_test(matched_shift_has_unloaded_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
