/* SPDX-License-Identifier: BSD-2-Clause */
/* What ranks do together, seen from each of them in turn: this program brings a communicator of its own in place of the
 * library's, which answers for all other ranks from tables. Whom a rank sends to and receives from, the figures of a
 * measurement, where ranks are placed, and what they do if one of them fails or reads another file. */
#include "order_tools.h"

#include "base/agree.h"
#include "base/comm.h"
#include "base/context.h"

#include <math.h>

enum { MAX_RANKS = 32, MAX_ROUNDS = 8 };

/* Names that ranks 0, 1, ... have; answers of the others in hd_agree. */
struct hd_comm {
    int n, me;
    char name[MAX_RANKS][HD_COMM_NAME];
    int failed_rank, other_rank; /* -1: none */
    bool no_memory;
};

static int exchanges, gathered; /* calls of this rank so far */
static int partner[MAX_ROUNDS][2];
static uint64_t sent_bytes, sent_messages;

/* Seconds of a rank in a round: all different, and none is slowest or fastest for good. Ranks 6 and 7 take none in
 * round 3. */
static double seconds_of(int round, int rank)
{
    return round == 3 && rank >= 6 ? 0 : 1e-3 * (1 + (rank * 7 + round * 5) % 11);
}

const struct hd_comm *hd_comm_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return NULL;
}

int hd_comm_end(const struct hd_comm *comm, int status)
{
    (void)comm;
    return status;
}

void hd_comm_abort(const struct hd_comm *comm, int status)
{
    (void)comm;
    (void)status;
}

int hd_comm_rank(const struct hd_comm *comm)
{
    return comm ? comm->me : 0;
}

int hd_comm_size(const struct hd_comm *comm)
{
    return comm ? comm->n : 1;
}

/* Tells by the size what is gathered: a rank's seconds, its machine's name, or a note of hd_agree. */
void hd_comm_gather(const struct hd_comm *comm, const void *mine, size_t bytes, void *all)
{
    for (int rank = 0; rank < (comm ? comm->n : 1); rank++) {
        char *at = (char *)all + (size_t)rank * bytes;
        memcpy(at, mine, bytes);
        if (!comm || rank == comm->me) continue;
        double seconds = seconds_of(exchanges - 1, rank);
        if (bytes == HD_COMM_NAME) memcpy(at, comm->name[rank], bytes);
        if (bytes == sizeof seconds) memcpy(at, &seconds, bytes);
        if (bytes == 2 * sizeof(uint64_t)) {
            uint64_t note[2];
            memcpy(note, mine, bytes);
            if (rank == comm->other_rank) note[0]++;
            note[1] = rank == comm->failed_rank ? HD_INPUT : HD_OK;
            memcpy(at, note, bytes);
        }
    }
    gathered++;
}

void hd_comm_share(const struct hd_comm *comm, void *bytes, size_t n)
{
    (void)comm;
    (void)bytes;
    (void)n;
}

void hd_comm_sum_u64(const struct hd_comm *comm, uint64_t *v, size_t n)
{
    (void)comm;
    (void)v;
    (void)n;
}

void hd_comm_max_u32(const struct hd_comm *comm, uint32_t *v, size_t n)
{
    (void)comm;
    (void)v;
    (void)n;
}

void hd_comm_host(const struct hd_comm *comm, char name[HD_COMM_NAME])
{
    memcpy(name, comm->name[comm->me], HD_COMM_NAME);
}

hd_status hd_comm_exchange(const struct hd_comm *comm, const int to_from[2], size_t bytes, uint32_t messages,
                           double *seconds)
{
    if (comm->no_memory) return HD_LIMIT;
    if (exchanges < MAX_ROUNDS) memcpy(partner[exchanges], to_from, sizeof partner[exchanges]);
    sent_bytes = bytes;
    sent_messages = messages;
    *seconds = seconds_of(exchanges++, comm->me);
    return HD_OK;
}

static struct hd_comm ranks_of(int n)
{
    struct hd_comm comm = {.n = n, .failed_rank = -1, .other_rank = -1};
    for (int i = 0; i < n; i++) snprintf(comm.name[i], sizeof comm.name[i], "node-%05d", i);
    exchanges = gathered = 0;
    return comm;
}

/* ---- agreement ------------------------------------------------------------------------------------ */

static void test_ranks_agree(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    for (int me = 0; me < 3; me++) {
        struct hd_comm comm = ranks_of(3);
        comm.me = me;
        hd_ctx_init(&ctx);
        ctx.comm = &comm;
        assert_int_equal(hd_agree(&ctx, HD_OK, 5), HD_OK);
        assert_int_equal(hd_agree(&ctx, HD_FAULT, 5), HD_FAULT); /* faults of a table are a result like any other */
        assert_int_equal(gathered, 2);
        assert_false(ctx.parted);
        assert_true(hd_ctx_speaks(&ctx) == (me == 0));
        comm.other_rank = me == 2 ? 1 : 2;
        assert_int_equal(hd_ctx_agree(&ctx, HD_OK), HD_INPUT);
        char said[80];
        snprintf(said, sizeof said, "ranks 0 and %d have read different input", comm.other_rank);
        assert_non_null(strstr(ctx.error, said));
        assert_true(ctx.parted);
        assert_int_equal(hd_agree(&ctx, HD_LIMIT, 0), HD_LIMIT); /* nobody answers any more: nobody is asked */
        assert_int_equal(gathered, 3);
        hd_ctx_release(&ctx);
    }
}

static void test_one_rank_fails(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    for (int me = 0; me < 4; me++) {
        struct hd_comm comm = ranks_of(4);
        comm.me = me;
        comm.failed_rank = me == 2 ? -1 : 2;
        hd_ctx_init(&ctx);
        ctx.comm = &comm;
        hd_status mine = me == 2 ? hd_fail(&ctx, HD_INPUT, "its own message") : HD_OK;
        assert_int_equal(hd_agree(&ctx, mine, 0), HD_INPUT);
        assert_string_equal(ctx.error, me == 2 ? "its own message" : "rank 2 failed");
        assert_true(hd_ctx_speaks(&ctx) == (me == 2));
        assert_true(ctx.parted);
        hd_ctx_release(&ctx);
    }
}

/* ---- measuring ------------------------------------------------------------------------------------ */

/* What a measurement of these flows must say, from the seconds alone; flows of bisect are both ways. */
struct expected_figures {
    double sum, min, max, round_sum[MAX_ROUNDS], round_min[MAX_ROUNDS], round_max[MAX_ROUNDS];
    uint32_t n, round_n[MAX_ROUNDS];
    int partner[MAX_RANKS][MAX_ROUNDS][2];
};

static void expect_pair(struct expected_figures *e, uint32_t round, uint32_t from, uint32_t to, double bytes)
{
    double t = fmax(seconds_of((int)round, (int)from), seconds_of((int)round, (int)to)), mbps = bytes / t / 1e6;
    e->partner[from][round][0] = (int)to;
    e->partner[to][round][1] = (int)from;
    e->round_min[round] = e->round_n[round] ? fmin(e->round_min[round], mbps) : mbps;
    e->round_max[round] = e->round_n[round]++ ? fmax(e->round_max[round], mbps) : mbps;
    e->round_sum[round] += mbps;
    e->min = e->n ? fmin(e->min, mbps) : mbps;
    e->max = e->n++ ? fmax(e->max, mbps) : mbps;
    e->sum += mbps;
}

static void expect_figures(const char *pattern, uint32_t n, uint32_t rounds, double bytes, struct expected_figures *e)
{
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_rounds draw;
    hd_ctx_init(&ctx);
    memset(e, 0, sizeof *e);
    memset(e->partner, 0xff, sizeof e->partner);
    assert_int_equal(hd_rounds_init(&ctx, &a, &(struct hd_rounds_in){.pattern = pattern, .n = n}, &draw), HD_OK);
    for (uint32_t round = 0; round < rounds; round++) {
        hd_rounds_draw(&draw, ctx.seed, round);
        for (uint32_t i = 0; i < draw.flows.n; i++) {
            expect_pair(e, round, draw.flows.src[i], draw.flows.dst[i], bytes);
            if (strcmp(pattern, "bisect") == 0) expect_pair(e, round, draw.flows.dst[i], draw.flows.src[i], bytes);
        }
    }
    hd_arena_release(&a);
    hd_ctx_release(&ctx);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void check_measurement(const struct hd_measurement *m, const struct expected_figures *e, int me)
{
    assert_int_equal(m->npair, e->n);
    assert_true(near(m->average, e->sum / e->n));
    assert_true(near(m->min, e->min) && near(m->max, e->max));
    assert_true(isnan(m->usual) && isnan(m->correlation)); /* nothing was predicted */
    for (uint32_t round = 0; round < m->rounds; round++) {
        assert_memory_equal(partner[round], e->partner[me][round], sizeof partner[round]);
        assert_true(near(m->round_average[round], e->round_sum[round] / e->round_n[round]));
        assert_true(near(m->round_min[round], e->round_min[round]));
        assert_true(near(m->round_max[round], e->round_max[round]));
    }
    for (uint64_t i = 0; i < m->npair; i++) {
        const struct hd_measure_pair *p = &m->pair[i];
        assert_true(p->from < m->ranks && p->to < m->ranks && p->from != p->to && isnan(p->predicted));
        assert_int_equal(e->partner[p->from][p->round][0], p->to);
    }
}

static void test_measured_figures(void **state)
{
    (void)state;
    static const char *const patterns[] = {"bisect", "permutation", "ring", "binomial"};
    static struct expected_figures e;
    for (int k = 0; k < 4; k++)
        for (int n = 5; n <= 6; n++) { /* one rank rests in bisections of 5 */
            expect_figures(patterns[k], (uint32_t)n, 6, 3.0 * 1000, &e);
            for (int me = 0; me < n; me++) {
                struct hd_ctx ctx;
                struct hd_comm comm = ranks_of(n);
                struct hd_measurement *m;
                comm.me = me;
                hd_ctx_init(&ctx);
                ctx.comm = &comm;
                struct hd_measure_in in = {.pattern = patterns[k], .rounds = 6, .messages = 3, .bytes = 1000};
                assert_int_equal(hd_measure(&ctx, &in, &m), HD_OK);
                assert_int_equal(exchanges, 6);
                assert_true(sent_bytes == 1000 && sent_messages == 3);
                assert_int_equal(m->ranks, n);
                check_measurement(m, &e, me);
                hd_measurement_free(m);
                hd_ctx_release(&ctx);
            }
        }
}

/* A clock too coarse for the messages gives 0 MB/s, not infinity. */
static void test_no_time_at_all(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_comm comm = ranks_of(8);
    struct hd_measurement *m;
    hd_ctx_init(&ctx);
    ctx.comm = &comm;
    struct hd_measure_in in = {.pattern = "ring", .rounds = 4, .messages = 1, .bytes = 8};
    assert_int_equal(hd_measure(&ctx, &in, &m), HD_OK);
    for (uint64_t i = 0; i < m->npair; i++)
        assert_true(isfinite(m->pair[i].mbps) &&
                    (m->pair[i].mbps > 0) == !(m->pair[i].round == 3 && m->pair[i].from == 6 && m->pair[i].to == 7));
    assert_true(m->min == 0 && m->round_min[3] == 0 && m->round_min[2] > 0);
    hd_measurement_free(m);
    comm.no_memory = true;
    assert_int_equal(hd_measure(&ctx, &in, &m), HD_LIMIT);
    comm.n = 1;
    assert_int_equal(hd_measure(&ctx, &in, &m), HD_INPUT);
    assert_non_null(strstr(ctx.error, "needs at least 2 ranks"));
    hd_ctx_release(&ctx);
}

/* ---- places --------------------------------------------------------------------------------------- */

static hd_status measure_placed(struct rig *g, struct hd_comm *comm, const char *nodes, struct hd_measurement **m)
{
    g->ctx.comm = comm;
    exchanges = 0;
    struct hd_measure_in in = {
        .pattern = "ring", .rounds = 2, .messages = 1, .bytes = 8, .routes = g->r, .nodes = nodes};
    return hd_measure(&g->ctx, &in, m);
}

static uint32_t endpoint_called(const struct hd_net *net, const char *name)
{
    for (uint32_t i = 0; i < net->nep; i++)
        if (strcmp(hd_node_name(net, net->nsw + i), name) == 0) return i;
    fail_msg("no endpoint '%s'", name);
    return 0;
}

/* By the names of machines, with or without their domain; a machine that only begins with the name is another one. */
static void test_ranks_placed_by_name(void **state)
{
    (void)state;
    struct rig g = rig("ft:m=4,n=2", "dmodk");
    struct hd_comm comm = ranks_of(4);
    struct hd_measurement *m;
    for (int i = 0; i < 4; i++)
        snprintf(comm.name[i], sizeof comm.name[i], "node-%05d%s", 6 - 2 * i, i % 2 ? ".site" : "");
    assert_int_equal(measure_placed(&g, &comm, NULL, &m), HD_OK);
    for (int i = 0; i < 4; i++) {
        char host[32];
        snprintf(host, sizeof host, "node-%05d", 6 - 2 * i);
        assert_int_equal(m->ep[i], endpoint_called(g.net, host));
    }
    for (uint64_t i = 0; i < m->npair; i++) assert_true(m->pair[i].predicted > 0 && m->pair[i].predicted <= 1);
    hd_measurement_free(m);
    strcpy(comm.name[3], "node-0000");
    assert_int_equal(measure_placed(&g, &comm, NULL, &m), HD_INPUT);
    assert_non_null(strstr(g.ctx.error, "rank 3 runs on 'node-0000', which the fabric does not have"));
    done(&g);
}

/* Ranks of one machine take its rails in turn, in the order of ranks. */
static void test_ranks_take_rails(void **state)
{
    (void)state;
    struct rig g = {.net = rail_trees()};
    hd_ctx_init(&g.ctx);
    g.ctx.threads = 1;
    assert_int_equal(hd_routes_open(&g.ctx, g.net, "minhop", &g.r), HD_OK);
    struct hd_comm comm = ranks_of(5);
    static const char *const host[5] = {"h03", "h01", "h03", "h03", "h01"};
    static const char *const adapter[5] = {"h03 mlx5_0", "h01 mlx5_0", "h03 mlx5_1", "h03 mlx5_0", "h01 mlx5_1"};
    struct hd_measurement *m;
    for (int i = 0; i < 5; i++) strcpy(comm.name[i], host[i]);
    if (measure_placed(&g, &comm, NULL, &m) != HD_OK) fail_msg("%s", g.ctx.error);
    for (int i = 0; i < 5; i++) assert_int_equal(m->ep[i], endpoint_called(g.net, adapter[i]));
    hd_measurement_free(m);
    hd_routes_free(g.r);
    hd_net_free(g.net);
}

static void write_list(const char *text)
{
    FILE *f = fopen(list_file, "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* By a list, whatever machines call themselves: as many ranks to a node as it has slots. */
static void test_ranks_placed_by_list(void **state)
{
    (void)state;
    struct rig g = rig("ft:m=4,n=2", "dmodk");
    struct hd_comm comm = ranks_of(5);
    struct hd_measurement *m;
    write_list("node-00004 slots=2\nnode-00001\nnode-00006 slots=3\n");
    static const char *const at[5] = {"node-00004", "node-00004", "node-00001", "node-00006", "node-00006"};
    if (measure_placed(&g, &comm, list_file, &m) != HD_OK) fail_msg("%s", g.ctx.error);
    for (int i = 0; i < 5; i++) assert_int_equal(m->ep[i], endpoint_called(g.net, at[i]));
    hd_measurement_free(m);
    comm = ranks_of(7);
    assert_int_equal(measure_placed(&g, &comm, list_file, &m), HD_INPUT);
    assert_non_null(strstr(g.ctx.error, "7 ranks on nodes that have 6 slots"));
    done(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_agree),
        cmocka_unit_test(test_one_rank_fails),
        cmocka_unit_test(test_measured_figures),
        cmocka_unit_test(test_no_time_at_all),
        cmocka_unit_test(test_ranks_placed_by_name),
        cmocka_unit_test(test_ranks_take_rails),
        cmocka_unit_test_setup_teardown(test_ranks_placed_by_list, make_list_file, drop_list_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
