/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulator against hand-computed cases, a water-filling oracle and the textbook. */
#include "sim_tools.h"

#include "base/rng.h"
#include "sim/sim_state.h"
#include "base/context.h"

#define EQUAL "infiniband:link=4000,host=4000" /* 512 ns a packet everywhere */

/* ---- the event queue ------------------------------------------------------------------------- */

static void wheel_gives_events_in_time_order(void **state)
{
    enum { N = 20000 };
    struct hd_arena arena = {0};
    struct hd_wheel w;
    struct hd_rng rng;
    uint64_t last = 0, seen = 0, sum = 0, want = 0;
    (void)state;
    hd_rng_init(&rng, 1, HD_RNG_TEST, 0);
    assert_true(hd_wheel_init(&w, &arena, 100));
    uint64_t *time = HD_NEW(&arena, uint64_t, N);
    for (uint32_t i = 0; i < N; i++) { /* some now, most within a turn, some far beyond */
        uint32_t far = hd_rng_below(&rng, 10);
        time[i] = hd_rng_below(&rng, far == 0 ? 10000000 : far == 1 ? 1 : 4000);
        hd_wheel_add(&w, time[i], 0, i, 0);
        want += i;
    }
    do {
        assert_true(w.now >= last);
        last = w.now;
        for (uint32_t n = hd_wheel_gather(&w, 0); n > 0;) {
            struct hd_event e = hd_wheel_record(&w, w.batch[--n]);
            if (e.kind == 0) { /* each begets one more, later */
                assert_int_equal(time[e.index], w.now);
                hd_wheel_add(&w, w.now + 1 + e.index % 9000, 1, e.index, (uint32_t)w.now);
            } else {
                assert_int_equal(w.now, e.arg + 1 + e.index % 9000);
                seen++;
                sum += e.index;
            }
        }
    } while (hd_wheel_advance(&w));
    assert_int_equal(seen, N);
    assert_int_equal(sum, want);
    assert_int_equal(w.taken, 2 * N);
    hd_arena_release(&arena);
}

/* Events that were pending take no room from those of the next run. */
static void a_cleared_wheel_has_all_of_its_records(void **state)
{
    struct hd_arena arena = {0};
    struct hd_wheel w;
    (void)state;
    assert_true(hd_wheel_init(&w, &arena, 100));
    for (uint32_t i = 0; i < 1000; i++) hd_wheel_add(&w, i % 50, 0, i, 0);
    const uint32_t room = w.room;
    hd_wheel_clear(&w);
    for (uint32_t i = 0; i < room; i++) hd_wheel_add(&w, i % 50, 0, i, 0);
    assert_int_equal(w.room, room);
    assert_int_equal(w.unused, HD_NO_EVENT);
    hd_arena_release(&arena);
}

/* The order within a nanosecond is that of a stack, kept here as a plain array: what is put while others wait comes
 * before them. Results that draw random numbers as they go depend on it. */
static void wheel_is_a_stack_within_a_nanosecond(void **state)
{
    enum { N = 3000 };
    struct hd_arena arena = {0};
    struct hd_wheel w;
    struct hd_rng rng;
    uint32_t stack[N], depth = 0, put = 0, got = 0;
    (void)state;
    hd_rng_init(&rng, 2, HD_RNG_TEST, 0);
    assert_true(hd_wheel_init(&w, &arena, 100));
    for (; put < N / 2; put++) hd_wheel_put(&w, 0, put % 2, stack[depth++] = put);
    for (uint32_t n = hd_wheel_gather(&w, 0); n > 0; got++) {
        uint32_t item = w.batch[--n], i = stack[--depth];
        assert_int_equal(item & HD_ITEM_MASK, i);
        assert_int_equal(item >> HD_ITEM_SHIFT, i % 2);
        for (uint32_t k = hd_rng_below(&rng, 3); k > 0 && put < N; k--, put++)
            hd_wheel_put(&w, 0, put % 2, stack[depth++] = put);
        if (*hd_wheel_present(&w) != HD_EMPTY) n = hd_wheel_gather(&w, n);
        assert_int_equal(n, depth);
    }
    assert_int_equal(got, N);
    assert_false(hd_wheel_advance(&w));
    hd_arena_release(&arena);
}

/* Without memory for a single item what is put is lost, and the run ends: nothing is written where nothing is. */
static void wheel_bears_to_be_out_of_memory_at_once(void **state)
{
    struct hd_arena arena = {0};
    struct hd_wheel w;
    (void)state;
    assert_true(hd_wheel_init(&w, &arena, 100));
    w.failed = true; /* as after a refused allocation: no more is asked for */
    for (uint32_t i = 0; i < 100000; i++) hd_wheel_put(&w, i % 7, 1, i);
    assert_int_equal(hd_wheel_gather(&w, 0), 0);
    assert_false(hd_wheel_advance(&w));
    hd_arena_release(&arena);
}

static void latency_bins_hold_their_values(void **state)
{
    (void)state;
    uint32_t before = 0;
    for (uint64_t ns = 0; ns < 1000000; ns += 1 + ns / 50) {
        uint32_t bin = hd_latency_bin(ns);
        assert_true(bin >= before && bin < HD_LATENCY_BINS);
        assert_true(hd_latency_value(bin) <= ns);
        assert_true((double)hd_latency_value(bin) >= (double)ns * 15 / 16 - 1);
        before = bin;
    }
    assert_true(hd_latency_bin(UINT64_MAX) < HD_LATENCY_BINS);
}

/* ---- exact times ----------------------------------------------------------------------------- */

/* One packet over h channels: h wires, h - 1 switches, and its length once, at the slowest rate. */
static void one_packet_takes_the_cut_through_time(void **state)
{
    struct setup t;
    char line[64];
    (void)state;
    set_up(&t, "mesh:dims=6,hosts=1", "minhop");
    for (uint32_t d = 1; d < 6; d++) {
        uint64_t h = d + 2, want = h * 10 + (h - 1) * 100 + 630; /* 2048 bytes at 3250 MB/s */
        snprintf(line, sizeof line, "0 %u 2048 -\n", d);
        write_text(&t, line);
        struct hd_sim_result r = simulate(&t, &(struct hd_sim_request){.trace = t.path});
        assert_int_equal(r.latency_min, want);
        assert_int_equal(r.latency_max, want);
        assert_int_equal(r.time_max, want);
        assert_int_equal(r.packets, 1);
        assert_int_equal(r.events, 2 * h); /* a head a switch, an idle a channel, and the message's end */
    }
    /* several packets: one behind the other; the last one is short */
    write_text(&t, "0 3 5120 -\n");
    struct hd_sim_result r = simulate(&t, &(struct hd_sim_request){.trace = t.path});
    assert_int_equal(r.packets, 3);
    assert_int_equal(r.time_max, 5 * 10 + 4 * 100 + 2 * 630 + 315);
    tear_down(&t);
}

/* A slow link in the middle, and a fast host behind a slow one: the tail cannot leave before it has come. */
static void rates_of_links_and_hosts_differ(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "mesh:dims=3,hosts=1", "minhop");
    write_text(&t, "0 2 4096 -\n");
    struct hd_sim_request q = {.trace = t.path, .model = "infiniband:link=1000,host=4000"};
    /* 2048 ns a packet on every link */
    assert_int_equal(simulate(&t, &q).time_max, 4 * 10 + 3 * 100 + 2 * 2048);
    q.model = "infiniband:link=1000,host=500"; /* 4096 ns in and out */
    assert_int_equal(simulate(&t, &q).time_max, 4 * 10 + 3 * 100 + 2 * 4096);
    tear_down(&t);
}

static void messages_of_a_trace_wait_for_each_other(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "mesh:dims=2,hosts=2", "minhop");
    write_text(&t, "# there, back, and there again\n0 2 2048 -\n2 0 2048 1\n\n1,3,2048,2\n");
    struct hd_sim_result r = simulate(&t, &(struct hd_sim_request){.trace = t.path});
    assert_int_equal(r.time_max, 3 * (3 * 10 + 2 * 100 + 630));
    assert_int_equal(r.bytes, 3 * 2048);
    static const struct {
        const char *text, *words;
    } bad[] = {{"0 1 2048\n", ":1: expected 'source destination bytes after'"},
               {"0 1 10 -\n0 9 2048 -\n", ":2: rank 9: there are 4"},
               {"0 0 10 -\n", "two different endpoints"},
               {"0 1 0 -\n", "number of bytes"},
               {"0 1 10 1\n", "number of an earlier message"},
               {"0 nobody 10 -\n", "expected a rank, or the name or GUID of an endpoint"},
               {"# nothing\n", "at least one message"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_text(&t, bad[i].text);
        assert_int_equal(hd_sim(&t.ctx, t.routes, &(struct hd_sim_request){.trace = t.path}, &r), HD_INPUT);
        if (!strstr(t.ctx.error, bad[i].words)) fail_msg("expected '%s' in: %s", bad[i].words, t.ctx.error);
    }
    tear_down(&t);
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* Runs flows (pairs of endpoints, one a source) as endless streams; share[e] of each source. */
struct bench {
    struct setup t;
    struct hd_model_opt m;
    struct hd_sim sim;
    struct hd_arena arena, work;
};

static void bench_run(struct bench *b, const uint32_t *src, const uint32_t *dst, uint32_t n, uint64_t sample)
{
    struct hd_flows f = {.n = n, .src = src, .dst = dst};
    struct hd_flow_list list = {0};
    struct hd_workload w;
    struct hd_ctx *ctx = &b->t.ctx;
    hd_arena_release(&b->work);
    b->work = (struct hd_arena){0};
    assert_int_equal(hd_flow_list_add(ctx, &b->work, &list, &f, b->m.size, 1), HD_OK);
    assert_int_equal(hd_workload_make(ctx, &b->work, b->t.net->nep, &list, false, &w), HD_OK);
    if (hd_sim_run(ctx, &b->sim, &w, sample) != HD_OK) fail_msg("%s", ctx->error);
}

/* The last key of the spec may be duration: then sources never end. */
static void bench_up(struct bench *b, const char *net, const char *table, const struct hd_model_opt *m)
{
    extern const struct hd_selector hd_selector_static;
    static const struct hd_selector_opt all;
    memset(b, 0, sizeof *b);
    set_up(&b->t, net, table);
    b->m = *m;
    b->sim = (struct hd_sim){.net = b->t.net,
                             .routes = b->t.routes,
                             .m = &b->m,
                             .selector = &hd_selector_static,
                             .opt = &all,
                             .lanes = 1,
                             .nroute = 1,
                             .seed = 1};
    assert_int_equal(hd_sim_init(&b->t.ctx, &b->arena, &b->sim), HD_OK);
}

static void bench_down(struct bench *b)
{
    tear_down(&b->t);
    hd_arena_release(&b->arena);
    hd_arena_release(&b->work);
}

static double bench_share(const struct bench *b, uint32_t e)
{
    double time = (double)(b->m.duration - b->m.warmup);
    return (double)b->sim.nic[e].arrived * 512 / 2048 / time;
}

static const struct hd_model_opt endless = {.packet = 2048,
                                            .link = 4000,
                                            .host = 4000,
                                            .wire = 10,
                                            .hop = 100,
                                            .buffer = 16384,
                                            .credit = 10,
                                            .window = 1,
                                            .size = 1 << 20,
                                            .messages = 1,
                                            .duration = 2000000,
                                            .warmup = 200000};

/* What an input may feed at once counts in rates, whatever the times of packets round to: two outputs of half of the
 * fastest rate fill it, and three of a third. */
static void rates_are_parts_of_the_fastest(void **state)
{
    static const char *const names[] = {"12xXDR", "4xXDR", "4xNDR", "12xNDR"};
    static const int32_t weight[] = {1000, 334, 167, 500};
    struct hd_model_opt m = endless;
    struct bench b;
    (void)state;
    m.link = 0;
    bench_up(&b, "xgft:m=4,w=1", "minhop", &m);
    uint8_t *link = (uint8_t *)(uintptr_t)b.t.net->link, code[4];
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t c = b.t.net->off[b.t.net->nsw + e];
        link[c] = link[b.t.net->rev[c]] = code[e] = hd_link_code(names[e], strlen(names[e]));
    }
    hd_arena_release(&b.arena);
    b.arena = (struct hd_arena){0};
    assert_int_equal(hd_sim_init(&b.t.ctx, &b.arena, &b.sim), HD_OK);
    for (uint32_t e = 0; e < 4; e++) assert_int_equal(b.sim.weight[code[e]], weight[e]);
    bench_down(&b);
}

static void flows_on_one_channel_share_it_evenly(void **state)
{
    struct bench b;
    (void)state;
    bench_up(&b, "mesh:dims=2,hosts=8", "minhop", &endless);
    uint32_t src[8], dst[8];
    for (uint32_t k = 1; k <= 8; k++) {
        for (uint32_t i = 0; i < k; i++) {
            src[i] = i;
            dst[i] = 8 + i;
        }
        bench_run(&b, src, dst, k, k);
        for (uint32_t i = 0; i < k; i++) assert_near(bench_share(&b, i), 1.0 / k, 0.002, "k flows on one channel");
    }
    bench_down(&b);
}

static void flows_into_one_host_share_it_evenly(void **state)
{
    struct bench b;
    (void)state;
    bench_up(&b, "xgft:m=12,w=1", "minhop", &endless);
    uint32_t src[11], dst[11] = {0};
    for (uint32_t i = 0; i < 11; i++) src[i] = i + 1;
    for (uint32_t k = 1; k <= 11; k++) {
        bench_run(&b, src, dst, k, k);
        for (uint32_t i = 0; i < k; i++) assert_near(bench_share(&b, i + 1), 1.0 / k, 0.002, "k flows into one host");
    }
    bench_down(&b);
}

/* Two flows come in by one cable, one by another: turns go to cables, not to flows. */
static void turns_go_to_inputs_not_to_flows(void **state)
{
    struct bench b;
    (void)state;
    bench_up(&b, "mesh:dims=3,hosts=2", "minhop", &endless);
    bench_run(&b, (const uint32_t[]){0, 1, 2}, (const uint32_t[]){4, 4, 4}, 3, 0);
    assert_near(bench_share(&b, 0), 0.25, 0.002, "first of the shared input");
    assert_near(bench_share(&b, 1), 0.25, 0.002, "second of the shared input");
    assert_near(bench_share(&b, 2), 0.5, 0.002, "alone on its input");
    bench_down(&b);
}

/* Endpoint 4 is wanted by three; what waits for it holds up the flow to an idle neighbour behind it. */
static void back_pressure_spreads(void **state)
{
    struct bench b;
    (void)state;
    bench_up(&b, "mesh:dims=2,hosts=4", "minhop", &endless);
    const uint32_t src[] = {0, 5, 6, 1}, dst[] = {4, 4, 4, 7};
    uint64_t *stall = calloc(b.t.net->nchan, sizeof *stall);
    b.sim.stall = stall;
    bench_run(&b, src, dst, 4, 0);
    assert_near(bench_share(&b, 0), 1.0 / 3, 0.002, "one of three into the hot host");
    assert_near(bench_share(&b, 1), 1.0 / 3, 0.002, "the flow behind it"); /* 2/3 were free */
    uint32_t host = b.t.net->off[b.t.net->nsw + 1];
    assert_true(stall[host] > b.m.duration / 4); /* up to the sender itself */
    bench_run(&b, src + 3, dst + 3, 1, 0);
    assert_near(bench_share(&b, 1), 1.0, 0.002, "alone");
    free(stall);
    bench_down(&b);
}

/* ---- max-min by water filling ----------------------------------------------------------------- */

enum { MAX_FLOWS = 64 };

struct filling {
    const struct hd_net *net;
    uint32_t n, src[MAX_FLOWS], dst[MAX_FLOWS], len[MAX_FLOWS], path[MAX_FLOWS][HD_MAX_HOPS];
};

static uint32_t flows_on(const struct filling *w, uint32_t c)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < w->n; f++)
        for (uint32_t i = 0; i < w->len[f]; i++) n += w->path[f][i] == c;
    return n;
}

/* Every channel with several flows gets them from inputs with one flow each, and a flow meets its tightest
 * channel first: then nobody is held up by a neighbour in its queue. */
static bool plain(const struct filling *w)
{
    for (uint32_t f = 0; f < w->n; f++) {
        uint32_t tight = MAX_FLOWS + 1;
        for (uint32_t i = 1; i < w->len[f]; i++) {
            uint32_t here = flows_on(w, w->path[f][i]), before = flows_on(w, w->path[f][i - 1]);
            if (here > 1 && (before > 1 || here >= tight)) return false;
            if (here > 1) tight = here;
        }
    }
    return true;
}

static void water_fill(const struct filling *w, double *share)
{
    bool fixed[MAX_FLOWS] = {false};
    for (uint32_t done = 0; done < w->n;) {
        double least = 2;
        uint32_t at = 0;
        for (uint32_t c = 0; c < w->net->nchan; c++) { /* the channel that is full first */
            double room = 1;
            uint32_t open = 0;
            for (uint32_t f = 0; f < w->n; f++)
                for (uint32_t i = 0; i < w->len[f]; i++) {
                    if (w->path[f][i] != c) continue;
                    if (fixed[f])
                        room -= share[f];
                    else
                        open++;
                }
            if (open && room / open < least) {
                least = room / open;
                at = c;
            }
        }
        for (uint32_t f = 0; f < w->n; f++)
            for (uint32_t i = 0; i < w->len[f] && !fixed[f]; i++)
                if (w->path[f][i] == at) {
                    share[f] = least;
                    fixed[f] = true;
                    done++;
                }
    }
}

static void shares_are_max_min_where_inputs_carry_one_flow(void **state)
{
    struct bench b;
    uint32_t shared = 0, uneven = 0;
    (void)state;
    bench_up(&b, "xgft:m=6x8,w=1x4", "random", &endless);
    const struct hd_net *net = b.t.net;
    for (uint64_t trial = 0; trial < 12; trial++) {
        struct hd_rng rng;
        struct filling w = {.net = net};
        double share[MAX_FLOWS];
        hd_rng_init(&rng, 7, HD_RNG_TEST, trial);
        for (uint32_t s = 0; s < net->nep; s++) {
            uint32_t d = hd_rng_below(&rng, 3) ? hd_rng_below(&rng, net->nep) : hd_rng_below(&rng, 6);
            if (d == s) continue;
            w.src[w.n] = s;
            w.dst[w.n] = d;
            w.len[w.n] = hd_routes_path(b.t.routes, s, d, 0, w.path[w.n]);
            assert_true(w.len[w.n] > 0);
            w.n++;
            if (!plain(&w)) w.n--;
        }
        water_fill(&w, share);
        bench_run(&b, w.src, w.dst, w.n, trial);
        for (uint32_t f = 0; f < w.n; f++) {
            assert_near(bench_share(&b, w.src[f]), share[f], 0.02 * share[f], "water-filling share");
            shared += share[f] < 0.9;
            uneven += share[f] > 0.51 && share[f] < 0.99;
        }
    }
    assert_true(shared > 40 && uneven > 0); /* the cases do contend, and some get what others leave */
    bench_down(&b);
}

/* ---- textbook -------------------------------------------------------------------------------- */

/* Input queues under uniform traffic: 2 - sqrt(2) for many ports, .593 or so for 32 (Karol, Hluchyj, Morgan). */
static void crossbar_saturates_at_the_head_of_line_limit(void **state)
{
    enum { PORTS = 32, EACH = 1500 };
    struct bench b;
    struct hd_rng rng;
    (void)state;
    struct hd_model_opt m = endless;
    m.duration = m.warmup = 0;
    m.size = 2048;
    bench_up(&b, "xgft:m=32,w=1", "minhop", &m);
    uint32_t *src = calloc(2 * PORTS * EACH, sizeof *src), *dst = src + PORTS * EACH;
    hd_rng_init(&rng, 3, HD_RNG_TEST, 0);
    for (uint32_t i = 0; i < PORTS * EACH; i++) {
        src[i] = i % PORTS;
        do dst[i] = hd_rng_below(&rng, PORTS);
        while (dst[i] == src[i]);
    }
    bench_run(&b, src, dst, PORTS * EACH, 0);
    double sum = 0;
    for (uint32_t e = 0; e < PORTS; e++) sum += (double)b.sim.nic[e].ideal / (double)b.sim.nic[e].finish;
    assert_near(sum / PORTS, 0.593, 0.012, "saturation of a crossbar");
    free(src);
    bench_down(&b);
}

/* Memory follows packets under way, which buffers bound, not packets sent. */
static void memory_follows_packets_under_way(void **state)
{
    enum { N = 64 };
    struct bench b;
    uint32_t src[N], dst[N], room[2], events[2];
    struct hd_rng rng;
    (void)state;
    struct hd_model_opt m = endless;
    m.duration = m.warmup = 0;
    hd_rng_init(&rng, 4, HD_RNG_TEST, 0);
    for (uint32_t i = 0; i < N; i++) src[i] = dst[i] = i;
    hd_rng_shuffle(&rng, dst, N);
    for (uint32_t i = 0; i < N; i++)
        if (dst[i] == i) dst[i] = (i + 1) % N;
    for (int k = 0; k < 2; k++) {
        m.size = k ? 1 << 22 : 1 << 18; /* sixteen times the packets */
        bench_up(&b, "xgft:m=8x8,w=1x4", "dmodk", &m);
        bench_run(&b, src, dst, N, 0);
        assert_int_equal(b.sim.count.packets, N * m.size / 2048);
        room[k] = b.sim.packet_room;
        events[k] = b.sim.wheel.room;
        uint32_t held = 0; /* what buffers and adapters can hold */
        for (uint32_t c = 0; c < b.t.net->nchan; c++) held += b.t.net->head[c] < b.t.net->nsw ? 8 : 1;
        assert_true(room[k] <= 2 * (held + N) || room[k] <= 4096);
        bench_down(&b);
    }
    assert_int_equal(room[0], room[1]);
    assert_int_equal(events[0], events[1]);
}

/* Everybody sends one packet to one host at the same moment: who is first depends on no number. */
static void no_port_is_served_first(void **state)
{
    enum { RUNS = 700, PORTS = 8 };
    struct bench b;
    uint32_t wins[PORTS] = {0}, src[PORTS - 1], dst[PORTS - 1];
    (void)state;
    struct hd_model_opt m = endless;
    m.duration = m.warmup = 0;
    m.size = 2048;
    bench_up(&b, "xgft:m=8,w=1", "minhop", &m);
    for (uint32_t i = 0; i < PORTS - 1; i++) {
        src[i] = i < 4 ? i : i + 1;
        dst[i] = 4;
    }
    for (uint64_t run = 0; run < RUNS; run++) {
        bench_run(&b, src, dst, PORTS - 1, run);
        uint32_t first = src[0];
        for (uint32_t i = 1; i < PORTS - 1; i++)
            if (b.sim.nic[src[i]].finish < b.sim.nic[first].finish) first = src[i];
        wins[first]++;
    }
    for (uint32_t i = 0; i < PORTS - 1;
         i++) { /* 100 on average; turns begin at a random one of 8 ports, and one is idle */
        if (wins[src[i]] < 60 || wins[src[i]] > 240)
            fail_msg("port %u was first %u times of %d", src[i], wins[src[i]], RUNS);
    }
    assert_true(wins[0] < 140); /* not the lowest */
    bench_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheel_gives_events_in_time_order),
        cmocka_unit_test(a_cleared_wheel_has_all_of_its_records),
        cmocka_unit_test(wheel_is_a_stack_within_a_nanosecond),
        cmocka_unit_test(wheel_bears_to_be_out_of_memory_at_once),
        cmocka_unit_test(latency_bins_hold_their_values),
        cmocka_unit_test(one_packet_takes_the_cut_through_time),
        cmocka_unit_test(rates_of_links_and_hosts_differ),
        cmocka_unit_test(messages_of_a_trace_wait_for_each_other),
        cmocka_unit_test(rates_are_parts_of_the_fastest),
        cmocka_unit_test(flows_on_one_channel_share_it_evenly),
        cmocka_unit_test(flows_into_one_host_share_it_evenly),
        cmocka_unit_test(turns_go_to_inputs_not_to_flows),
        cmocka_unit_test(back_pressure_spreads),
        cmocka_unit_test(shares_are_max_min_where_inputs_carry_one_flow),
        cmocka_unit_test(crossbar_saturates_at_the_head_of_line_limit),
        cmocka_unit_test(memory_follows_packets_under_way),
        cmocka_unit_test(no_port_is_served_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
