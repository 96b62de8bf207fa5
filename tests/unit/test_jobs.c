/* SPDX-License-Identifier: BSD-2-Clause */
/* Running jobs: how lists of them are read, what they share by walking every path of every pair, and where a new one is
 * placed. */
#include "order_tools.h"

#include <math.h>

static struct hd_jobs *read_jobs(struct rig *g, const char *text)
{
    struct hd_jobs *jobs = NULL;
    FILE *f = fopen(list_file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    if (hd_jobs_read(&g->ctx, g->net, list_file, &jobs) != HD_OK) return NULL;
    return jobs;
}

static void test_lists(void **state)
{
    (void)state;
    struct rig g = rig("ft:m=4,n=2", "dmodk");
    struct hd_jobs *jobs =
        read_jobs(&g, "JOBID NODELIST(REASON)\n# these run\n17 node-0000[0-2]\n\n18_3\tnode-00002,node-00005\n"
                      "20 (Priority)\n21 node-00007:4 ring\n");
    assert_non_null(jobs);
    assert_int_equal(jobs->n, 3);
    assert_int_equal(jobs->waiting, 1);
    assert_string_equal(jobs->job[1].name, "18_3");
    assert_int_equal(jobs->job[0].nodes->n, 3);
    assert_string_equal(hd_host_name(g.net, jobs->job[1].nodes->host[1]), "node-00005");
    assert_int_equal(jobs->job[2].nodes->slots[0], 4);
    assert_string_equal(jobs->job[2].pattern, "ring");
    hd_jobs_free(jobs);
    static const char *const bad[][2] = {{"1 node-00001\n2 node-0000x\n", ":2: job 2: 'node-0000x': no node"},
                                         {"1 node-00001,node-00001\n", ":1: job 1: node node-00001 occurs twice"},
                                         {"1 node-0000[1-\n", ":1: job 1: "},
                                         {"1\n", ":1: expected a job, its nodes"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(read_jobs(&g, bad[i][0]));
        if (!strstr(g.ctx.error, bad[i][1]) || strchr(g.ctx.error, '\n')) fail_msg("%s", g.ctx.error);
    }
    done(&g);
}

/* Load of a job on each channel between switches, in endpoint rates, path by path. */
static void add_loads(const struct rig *g, const struct hd_nodes *nodes, double *load)
{
    uint32_t chan[HD_MAX_HOPS];
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t j = 0; j < nodes->n; j++)
            for (uint32_t k = 0; k < nodes->nrail && i != j; k++) {
                uint32_t s = nodes->ep[i * nodes->nrail + k], d = nodes->ep[j * nodes->nrail + k];
                uint32_t n = hd_routes_path(g->r, s, d, hd_routes_variant(g->r, s, d), chan);
                for (uint32_t h = 1; h + 1 < n; h++) load[chan[h]] += 1.0 / (nodes->n - 1);
            }
}

static double largest(const double *load, const double *of, uint32_t n)
{
    double most = 1;
    for (uint32_t c = 0; c < n; c++)
        if (of[c] > 0 && load[c] > most) most = load[c];
    return most;
}

/* Every number that hd_jobs_meet gives of these jobs and mine. */
static void check_meeting(struct rig *g, const struct hd_jobs *jobs, const struct hd_nodes *mine)
{
    enum { MOST = 16 };
    uint32_t n = jobs->n + 1, nchan = g->net->nchan;
    struct hd_interference *met;
    double *load[MOST], *total = calloc(nchan, sizeof *total);
    uint64_t pairs = 0;
    assert_true(n <= MOST && total);
    assert_int_equal(hd_jobs_meet(&g->ctx, g->r, jobs, mine, &met), HD_OK);
    assert_int_equal(met->n, n);
    for (uint32_t j = 0; j < n; j++) {
        load[j] = calloc(nchan, sizeof **load);
        assert_non_null(load[j]);
        add_loads(g, j < jobs->n ? jobs->job[j].nodes : mine, load[j]);
        for (uint32_t c = 0; c < nchan; c++) total[c] += load[j][c];
    }
    for (uint32_t a = 0; a < n; a++) {
        assert_true(fabs(met->job[a].alone - largest(load[a], load[a], nchan)) < 1e-9);
        double together = 0;
        for (uint32_t c = 0; c < nchan; c++)
            if (load[a][c] > 0 && total[c] > together) together = total[c];
        if (together < met->job[a].alone) together = met->job[a].alone;
        assert_true(fabs(met->job[a].together - together) < 1e-9);
        for (uint32_t b = a + 1; b < n; b++) {
            uint32_t shared = 0, found = 0;
            for (uint32_t c = 0; c < nchan; c++) shared += load[a][c] > 0 && load[b][c] > 0;
            for (uint64_t i = 0; i < met->npair; i++)
                if (met->pair[i].a == a && met->pair[i].b == b) found = met->pair[i].channels;
            assert_int_equal(found, shared);
            pairs += shared > 0;
        }
    }
    assert_int_equal(met->npair, pairs);
    for (uint32_t j = 0; j < n; j++) free(load[j]);
    free(total);
    hd_interference_free(met);
}

static void test_meetings(void **state)
{
    (void)state;
    static const char *const nets[][2] = {{"pgft:m=12x12,w=1x6,p=1x2", "dmodk"},
                                          {"torus:dims=4x4,hosts=4", "minhop"},
                                          {"rail:rails=2,units=4,leaves=1,hosts=8,spines=2,uplinks=4", "minhop"}};
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct rig g = rig(nets[k][0], nets[k][1]);
            struct hd_nodes *mixed = pick_random(&g, g.all->n, seed);
            struct hd_running_job list[5] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"}};
            const struct hd_jobs jobs = {.n = 5, .job = list};
            struct hd_nodes *mine;
            uint32_t which[16], size = g.all->n / 8;
            for (uint32_t j = 0; j <= 5; j++) {
                for (uint32_t i = 0; i < size && i < 16; i++) which[i] = j * size + i;
                struct hd_nodes **to = j < 5 ? &list[j].nodes : &mine;
                uint32_t n = j == 4 ? 1 : size < 16 ? size : 16; /* one job has a single node */
                assert_int_equal(hd_nodes_pick(&g.ctx, mixed, which, n, to), HD_OK);
            }
            check_meeting(&g, &jobs, mine);
            for (uint32_t j = 0; j < 5; j++) hd_nodes_free(list[j].nodes);
            hd_nodes_free(mine);
            hd_nodes_free(mixed);
            done(&g);
        }
}

/* What mine loses by the others, or the most that one of them loses by it. */
static double slowdown_of(struct rig *g, const struct hd_jobs *jobs, const struct hd_nodes *mine)
{
    struct hd_interference *met, *before;
    assert_int_equal(hd_jobs_meet(&g->ctx, g->r, jobs, mine, &met), HD_OK);
    assert_int_equal(hd_jobs_meet(&g->ctx, g->r, jobs, NULL, &before), HD_OK);
    double worst = met->job[jobs->n].together / met->job[jobs->n].alone;
    for (uint32_t j = 0; j < jobs->n; j++) {
        double loss = met->job[j].together / before->job[j].together;
        if (loss > worst) worst = loss;
    }
    hd_interference_free(met);
    hd_interference_free(before);
    return worst;
}

/* Where free nodes lie between others, placing is never worse than choosing without a look at them, and often it is
 * better. */
static void test_places(void **state)
{
    (void)state;
    uint32_t better = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct rig g = rig("xgft:m=12x12,w=1x6", "dmodk");
        struct hd_nodes *busy = pick_random(&g, 60, seed), *spare, *plain, *placed;
        struct hd_running_job list[4] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};
        const struct hd_jobs jobs = {.n = 4, .job = list};
        uint32_t which[144], size = 12 + 6 * (uint32_t)(seed % 4);
        struct hd_advice advice;
        for (uint32_t j = 0; j < 4; j++) {
            for (uint32_t i = 0; i < 15; i++) which[i] = 15 * j + i;
            assert_int_equal(hd_nodes_pick(&g.ctx, busy, which, 15, &list[j].nodes), HD_OK);
        }
        assert_int_equal(hd_jobs_unused(&g.ctx, &jobs, g.all, &spare), HD_OK);
        assert_int_equal(spare->n, 84);
        assert_int_equal(hd_order_choose(&g.ctx, g.r, spare, size, which, &advice), HD_OK);
        assert_int_equal(hd_nodes_pick(&g.ctx, spare, which, size, &plain), HD_OK);
        assert_int_equal(hd_jobs_place(&g.ctx, g.r, &jobs, spare, size, which, &advice), HD_OK);
        assert_int_equal(hd_nodes_pick(&g.ctx, spare, which, size, &placed), HD_OK);
        bool seen[144] = {false};
        for (uint32_t i = 0; i < size; i++) {
            assert_true(which[i] < spare->n && !seen[which[i]]);
            seen[which[i]] = true;
        }
        double without = slowdown_of(&g, &jobs, plain), with = slowdown_of(&g, &jobs, placed);
        assert_true(with <= without + 1e-9);
        better += with < without - 1e-9;
        assert_int_equal(hd_jobs_place(&g.ctx, g.r, &jobs, spare, 85, which, &advice), HD_INPUT);
        for (uint32_t j = 0; j < 4; j++) hd_nodes_free(list[j].nodes);
        hd_nodes_free(plain);
        hd_nodes_free(placed);
        hd_nodes_free(spare);
        hd_nodes_free(busy);
        done(&g);
    }
    if (better < 3) fail_msg("placing is better in %u of 8 cases", better);
}

/* Nodes of one subtree are tried too, and are best where traffic of others crosses the top. */
static void test_places_in_one_subtree(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct rig g = rig("xgft:m=4x4x4,w=1x2x2", "dmodk");
        struct hd_nodes *busy = pick_random(&g, 24, seed), *spare;
        struct hd_running_job job = {.name = "a", .nodes = busy};
        const struct hd_jobs jobs = {.n = 1, .job = &job};
        uint32_t which[64];
        struct hd_advice advice;
        assert_int_equal(hd_jobs_unused(&g.ctx, &jobs, g.all, &spare), HD_OK);
        assert_int_equal(hd_jobs_place(&g.ctx, g.r, &jobs, spare, 6, which, &advice), HD_OK);
        if (strncmp(advice.why, "in one subtree", 14) == 0) {
            found++;
            for (uint32_t i = 0; i < 6; i++) assert_int_equal(spare->ep[which[i]] / 16, spare->ep[which[0]] / 16);
        }
        hd_nodes_free(spare);
        hd_nodes_free(busy);
        done(&g);
    }
    assert_true(found > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_meetings),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_places_in_one_subtree),
    };
    return cmocka_run_group_tests(tests, make_list_file, drop_list_file);
}
