/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches with virtual output queues and output queues against the textbook: saturation, waiting times, shares. */
#include "sim_tools.h"

#include <math.h>

/* 512 ns a packet everywhere, 2 wires and a switch of 132 ns through a crossbar, buffers that hold what comes. */
#define SLOTS "infiniband:link=4000,host=4000,buffer=1048576,duration=%u,warmup=%u,load=%g,%s"

static struct hd_sim_result offered(const char *net, const char *pattern, unsigned slots, double load,
                                    const char *queues)
{
    struct setup t;
    char model[200];
    set_up(&t, net, "minhop");
    snprintf(model, sizeof model, SLOTS, slots * 512, slots / 8 * 512, load, queues);
    struct hd_sim_request q = {.pattern = pattern, .samples = 1, .size = 2048, .model = model};
    struct hd_sim_result r = simulate(&t, &q);
    tear_down(&t);
    return r;
}

/* Karol, Hluchyj, Morgan: Input versus output queueing on a space-division packet switch. The limit is approached from
 * above as ports grow. */
static void fifo_inputs_saturate_at_the_head_of_line_limit(void **state)
{
    static const char *const nets[] = {"xgft:m=8,w=1", "xgft:m=32,w=1", "xgft:m=128,w=1"};
    double last = 1;
    (void)state;
    for (int i = 0; i < 3; i++) {
        double share = offered(nets[i], "alltoall", 2000, 2, "queue=fifo").fraction;
        assert_true(share < last);
        last = share;
    }
    assert_near(last, 2 - sqrt(2), 0.006, "FIFO inputs, 128 ports");
}

static void other_queues_do_not(void **state)
{
    (void)state;
    static const struct {
        const char *queues;
        double least;
    } cases[] = {{"queue=voq,speedup=2", 0.99},
                 {"queue=output", 0.99},
                 {"queue=output,arbiter=age", 0.99},
                 {"queue=voq,speedup=1", 0.97},
                 {"queue=voq,speedup=1,arbiter=age", 0.97}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double share = offered("xgft:m=16,w=1", "alltoall", 20000, 2, cases[i].queues).fraction;
        if (share < cases[i].least || share > 1) fail_msg("%s: %.4f", cases[i].queues, share);
    }
    double two_words = offered("xgft:m=80,w=1", "alltoall", 4000, 2, "queue=voq").fraction;
    assert_true(two_words > 0.98 && two_words <= 1);
}

/* Half of the senders offer load to the other half, one output each: arrivals at an output are nearly those of a
 * Poisson process, and a packet waits load / (2 (1 - load)) packets, less one part in the number of inputs. */
static void packets_wait_as_in_an_m_d_1_queue(void **state)
{
    enum { PORTS = 32 };
    static const double loads[] = {0.3, 0.6, 0.8};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct hd_sim_result r = offered("xgft:m=32,w=1", "alltoall", 30000, loads[i], "queue=output");
        double wait = (r.latency_mean - 632) / 512; /* 2 wires, a switch, its own length */
        double want = loads[i] / 2 / (1 - loads[i]) * (PORTS - 1) / PORTS;
        assert_near(r.fraction, loads[i], 0.01, "offered load is carried");
        assert_near(wait, want, 0.04 * want, "M/D/1");
    }
}

static void incast_is_shared_evenly(void **state)
{
    static const char *const models[] = {
        "hdr:queue=voq,duration=500000,warmup=50000", "hdr:queue=voq,speedup=1,duration=500000,warmup=50000",
        "hdr:queue=output,duration=500000,warmup=50000", "hdr:queue=output,shared=1M,duration=500000,warmup=50000"};
    struct setup t;
    char text[2000] = "", pattern[100];
    (void)state;
    set_up(&t, "xgft:m=24,w=1", "minhop");
    for (uint32_t n = 1; n <= 23; n += 11) {
        *text = 0;
        for (uint32_t i = 1; i <= n; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "%u 0 1\n", i);
        write_text(&t, text);
        snprintf(pattern, sizeof pattern, "file:path=%s", t.path);
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            struct hd_sim_request q = {.pattern = pattern, .samples = 1, .model = models[m]};
            struct hd_sim_result r = simulate(&t, &q);
            assert_near(r.fraction, 1.0 / n, 0.002, models[m]);
            assert_near(r.sender_min, 1.0 / n, 0.004, models[m]);
            assert_near(r.sender_max, 1.0 / n, 0.004, models[m]);
        }
    }
    tear_down(&t);
}

/* Random bisections of a full fat tree: what spreading gains is lost again to head-of-line blocking, and only to it. */
static void adaptive_routing_fills_a_fat_tree_without_head_of_line_blocking(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "gft:n=16,m=16,r=32", "dmodk");
    struct hd_sim_request q = {.pattern = "bisect", .selector = "ar", .samples = 2, .size = 256 << 10};
    assert_near(simulate(&t, &q).fraction, 0.79, 0.02, "FIFO");
    q.model = "infiniband:queue=voq";
    assert_true(simulate(&t, &q).fraction > 0.97);
    q.model = "hdr";
    q.size = 512 << 10;
    struct hd_sim_result r = simulate(&t, &q);
    assert_true(r.fraction > 0.95);
    assert_near(r.bandwidth * 8 / 1000, r.fraction * 100, 0.2, "Gb/s of an EDR link");
    q.model = "hdr:queue=output";
    assert_true(simulate(&t, &q).fraction > 0.95);
    q.selector = "static";
    assert_near(simulate(&t, &q).fraction, 0.82, 0.03, "a static table");
    tear_down(&t);
}

/* Thresholds and flowlets on the same tree: a coarse threshold costs little, and flows that never pause keep the port
 * they began with, as with a static table. */
static void adaptive_routing_has_thresholds_and_flowlets(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "gft:n=8,m=8,r=16", "dmodk");
    struct hd_sim_request q = {.pattern = "bisect", .samples = 2, .size = 512 << 10, .model = "hdr"};
    q.selector = "ar:threshold=16K";
    assert_true(simulate(&t, &q).fraction > 0.93);
    q.selector = "ar:flowlet=5000";
    struct hd_sim_result flowlets = simulate(&t, &q);
    assert_near(flowlets.fraction, 0.82, 0.06, "flowlets");
    assert_int_equal(flowlets.reordered, 0);
    q.selector = "ar:flowlet=1"; /* packets are further apart: all choose */
    struct hd_sim_result packets = simulate(&t, &q);
    assert_true(packets.fraction > 0.93 && packets.reordered > 0);
    q.selector = "ecmp:fields=packet";
    assert_true(simulate(&t, &q).fraction > 0.93);
    q.model = "uec";
    q.selector = NULL;
    struct hd_sim_result r = simulate(&t, &q);
    assert_string_equal(r.selector, "ecmp:fields=packet");
    assert_true(r.fraction > 0.93);
    tear_down(&t);
}

/* DCQCN at the 40 Gb/s of its constants: two flows into one port share it and fill it, and the queue is short, where
 * PFC alone keeps the buffers full. */
static void marks_keep_queues_short(void **state)
{
    struct setup t;
    char pattern[100];
    (void)state;
    set_up(&t, "xgft:m=4,w=1", "minhop");
    write_text(&t, "1 0 1\n2 0 1\n");
    snprintf(pattern, sizeof pattern, "file:path=%s", t.path);
    struct hd_sim_request q = {
        .pattern = pattern, .samples = 1, .model = "roce:link=5000,duration=60000000,warmup=20000000"};
    struct hd_sim_result marks = simulate(&t, &q);
    q.model = "roce:link=5000,kmin=0,duration=6000000,warmup=2000000";
    struct hd_sim_result pauses = simulate(&t, &q);
    assert_string_equal(marks.selector, "ecmp");
    assert_near(marks.fraction, 0.5, 0.02, "DCQCN");
    assert_near(marks.sender_min, 0.5, 0.05, "DCQCN, the slower flow");
    assert_near(pauses.fraction, 0.5, 0.002, "PFC");
    assert_true(pauses.latency_p50 > 150000); /* 512 KiB at 5000 MB/s, of two inputs in turn */
    assert_true(marks.latency_p50 < 20000);
    tear_down(&t);
}

/* 16 flows of one leaf, hashed onto its 16 up ports, each to a leaf of its own: the up ports that are used, on average
 * 1 - (1 - 1/16)^16 of them, are shared by those that fell on them. */
static void hashed_flows_are_balls_in_bins(void **state)
{
    enum { N = 16, TRIALS = 120 };
    struct setup t;
    char text[400] = "", pattern[100];
    double sum = 0;
    (void)state;
    set_up(&t, "xgft:m=16x17,w=1x16", "dmodk");
    for (uint32_t i = 0; i < N; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u %u 1\n", i, N + N * i);
    write_text(&t, text);
    snprintf(pattern, sizeof pattern, "file:path=%s", t.path);
    struct hd_sim_request q = {
        .pattern = pattern, .samples = 1, .selector = "ecmp", .model = "edr:duration=60000,warmup=20000"};
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        t.ctx.seed = seed;
        sum += simulate(&t, &q).fraction;
    }
    /* the standard deviation of the part of bins used is .078 */
    assert_near(sum / TRIALS, 1 - pow(1 - 1.0 / N, N), 3 * 0.078 / sqrt(TRIALS) + 0.005, "flows hashed onto ports");
    tear_down(&t);
}

/* Two slow cables fill a fast one, since packets leave in one piece; a fast one into a slow one is cut through. */
static void a_slow_input_does_not_hold_a_fast_output(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=4,w=1", "minhop");
    uint8_t *link = (uint8_t *)(uintptr_t)t.net->link, hdr = hd_link_code("4xHDR", 5);
    uint32_t into = t.net->off[t.net->nsw + 3];
    link[into] = link[t.net->rev[into]] = hdr;
    write_text(&t, "0 3 40960000 -\n1 3 40960000 -\n");
    struct hd_sim_request q = {.trace = t.path, .model = "hdr"};
    struct hd_sim_result r = simulate(&t, &q);
    assert_near((double)r.time_max, 2 * 40960000 / 25.0, 0.01 * 2 * 40960000 / 25.0, "two EDR inputs, one HDR output");
    write_text(&t, "3 0 4096 -\n");
    q.model = "hdr";
    assert_int_equal(simulate(&t, &q).time_max, 2 * 10 + 130 + 328);
    write_text(&t, "0 3 4096 -\n"); /* 164 ns after the first bit, the rest comes as fast as it leaves */
    assert_int_equal(simulate(&t, &q).time_max, 2 * 10 + 130 + 328);
    tear_down(&t);
}

/* Credits that run in a ring: the deadlock and its cycle are found as with one queue per input; packets that are too
 * old break it; VLs avoid it. */
static void deadlocks_are_found(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "torus:dims=6,hosts=2", "minhop");
    struct hd_sim_request q = {.pattern = "shift", .size = 256 << 10, .model = "qdr:buffer=16384"};
    struct hd_sim_result r = simulate(&t, &q);
    assert_int_equal(r.deadlocks, 1);
    assert_true(r.ncycle >= 3 && r.ncycle <= 6);
    for (uint32_t i = 0; i < r.ncycle; i++) {
        uint32_t c = r.cycle[i], next = r.cycle[(i + 1) % r.ncycle];
        assert_int_equal(t.net->head[c], t.net->tail[next]);
    }
    q.model = "qdr:buffer=16384,lifetime=100000";
    r = simulate(&t, &q);
    assert_int_equal(r.deadlocks, 0);
    assert_true(r.dropped > 0);
    tear_down(&t);
    set_up(&t, "torus:dims=6,hosts=2", "lash");
    q.model = "qdr:buffer=16384";
    assert_int_equal(simulate(&t, &q).deadlocks, 0);
    tear_down(&t);
}

/* A burst of 23 packets into one port needs room for 22: their own, or that of the switch. */
static void shared_buffers_take_bursts(void **state)
{
    struct setup t;
    uint64_t blocked[2];
    char text[2000] = "";
    (void)state;
    set_up(&t, "xgft:m=4,w=1", "minhop");
    for (uint32_t i = 0; i < 3; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "%u 3 163840 -\n", i);
    write_text(&t, text);
    for (int k = 0; k < 2; k++) {
        uint64_t *stall = calloc(t.net->nchan, sizeof *stall);
        struct hd_sim_request q = {.trace = t.path, .blocked = stall};
        q.model = k ? "hdr:queue=output,buffer=8192,shared=1M" : "hdr:queue=output,buffer=8192";
        struct hd_sim_result r = simulate(&t, &q);
        assert_int_equal(r.packets, 3 * 40);
        assert_near((double)r.time_max, 120 * 328, 700, "the output never idles");
        blocked[k] = 0;
        for (uint32_t c = 0; c < t.net->nchan; c++) blocked[k] += stall[c];
        free(stall);
    }
    assert_true(blocked[0] > 3 * 40 * 328);
    assert_int_equal(blocked[1], 0);
    struct hd_sim_request q = {.trace = t.path, .model = "hdr:queue=voq,buffer=8192,shared=16K"};
    assert_int_equal(simulate(&t, &q).packets, 3 * 40); /* a pool that runs dry; every byte is returned */
    tear_down(&t);
}

/* Four flows of hosts at 100 Gb/s over one cable of 400: the input where it ends feeds four outputs at once, which is
 * no more than its own rate. */
static void a_fast_input_feeds_slow_outputs_at_its_rate(void **state)
{
    struct setup t;
    (void)state;
    set_up(&t, "xgft:m=4x2,w=1x1", "minhop");
    uint8_t *link = (uint8_t *)(uintptr_t)t.net->link, ndr = hd_link_code("4xNDR", 5);
    for (uint32_t c = 0; c < t.net->nchan; c++)
        if (t.net->tail[c] < t.net->nsw && t.net->head[c] < t.net->nsw) link[c] = ndr;
    write_text(&t, "0 4 1048576 -\n1 5 1048576 -\n2 6 1048576 -\n3 7 1048576 -\n");
    static const char *const models[] = {"ndr", "ndr:speedup=1", "ndr:arbiter=age", "ndr:lanes=2", "ndr:queue=output"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct hd_sim_request q = {.trace = t.path, .model = models[i]};
        assert_near((double)simulate(&t, &q).time_max, 1048576 / 12.5, 1800,
                    models[i]); /* and the first packet's way */
    }
    tear_down(&t);
}

static void models_refuse_what_they_cannot_do(void **state)
{
    struct setup t;
    struct hd_sim_result r;
    (void)state;
    static const struct {
        const char *model, *words;
    } bad[] = {{"myrinet:queue=voq", "control=byte: expected queue=fifo"},
               {"infiniband:shared=1M", "expected queue=voq or queue=output"},
               {"hdr:control=stopgo,shared=1M", "shared: expected control=credit"},
               {"roce:queue=fifo", "queue=fifo: expected kmin=0"},
               {"roce:kmax=100", "kmax=100: expected at least kmin"},
               {"hdr:jitter=3", "jitter needs the rate of a host"},
               {"hdr:load=0.5", "load needs duration"},
               {"hdr:speedup=0", "speedup"}};
    set_up(&t, "xgft:m=4,w=1", "minhop");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hd_sim_request q = {.pattern = "ring", .model = bad[i].model, .size = 4096};
        assert_int_equal(hd_sim(&t.ctx, t.routes, &q, &r), HD_INPUT);
        if (!strstr(t.ctx.error, bad[i].words)) fail_msg("expected '%s' in: %s", bad[i].words, t.ctx.error);
    }
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_inputs_saturate_at_the_head_of_line_limit),
        cmocka_unit_test(other_queues_do_not),
        cmocka_unit_test(packets_wait_as_in_an_m_d_1_queue),
        cmocka_unit_test(incast_is_shared_evenly),
        cmocka_unit_test(adaptive_routing_fills_a_fat_tree_without_head_of_line_blocking),
        cmocka_unit_test(adaptive_routing_has_thresholds_and_flowlets),
        cmocka_unit_test(marks_keep_queues_short),
        cmocka_unit_test(hashed_flows_are_balls_in_bins),
        cmocka_unit_test(a_slow_input_does_not_hold_a_fast_output),
        cmocka_unit_test(deadlocks_are_found),
        cmocka_unit_test(shared_buffers_take_bursts),
        cmocka_unit_test(a_fast_input_feeds_slow_outputs_at_its_rate),
        cmocka_unit_test(models_refuse_what_they_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
