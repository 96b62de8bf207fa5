/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of nodes as people have them and as we write them, and the rails of their hosts. */
#include "order_tools.h"
#include "base/context.h"

#include <stdio.h>

/* ---- lists ------------------------------------------------------------------------------------ */

static const char *write_list(const char *text)
{
    FILE *f = fopen(list_file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return list_file;
}

static void read_list(struct rig *g, const char *text, const char *expected)
{
    struct hd_nodes *nodes;
    char got[2000] = "";
    if (hd_nodes_read(&g->ctx, g->net, write_list(text), 1, &nodes) != HD_OK) fail_msg("%s: %s", text, g->ctx.error);
    for (uint32_t i = 0; i < nodes->n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s*%u ", hd_host_name(g->net, nodes->host[i]),
                 nodes->slots[i]);
    assert_string_equal(got, expected);
    hd_nodes_free(nodes);
}

static void refuse_list(struct rig *g, const char *text, const char *words)
{
    struct hd_nodes *nodes = NULL;
    hd_status s = hd_nodes_read(&g->ctx, g->net, write_list(text), 1, &nodes);
    if (s != HD_INPUT || !strstr(g->ctx.error, words))
        fail_msg("%s: status %d, expected '%s', got: %s", text, s, words, g->ctx.error);
    assert_null(nodes);
}

static void test_lists(void **state)
{
    (void)state;
    struct rig g = rig("ft:m=4,n=2", "dmodk");
    read_list(&g, "node-00003\nnode-00001\n", "node-00003*1 node-00001*1 ");
    read_list(&g, "# nodes\n\n node-0000[2-4],node-00007 # end\n",
              "node-00002*1 node-00003*1 node-00004*1 node-00007*1 ");
    read_list(&g, "node-00001 slots=4 max_slots=8\nnode-00002:3\nnode-00000.cluster.org\n",
              "node-00001*4 node-00002*3 node-00000*1 ");
    read_list(&g, "node-00000.example.com,node-00001.example.com\n", "node-00000*1 node-00001*1 ");
    read_list(&g, "node-00003.cl slots=4\nnode-00002.cl:3\n", "node-00003*4 node-00002*3 ");
    read_list(&g, "node-00000.cl node-00001.cl node-00002.cl # three\n", "node-00000*1 node-00001*1 node-00002*1 ");
    read_list(&g, "node-0000[4-5].cl:2\n", "node-00004*2 node-00005*2 ");
    refuse_list(&g, "node-00000.cl,gpu7.cl\n", ":1: 'gpu7.cl': no node of the fabric");
    refuse_list(&g, "node-00000.cl/2\n", ":1: 'node-00000.cl/2': no node of the fabric");
    char guid[64];
    unsigned long long fifth = (unsigned long long)g.net->guid[g.net->nsw + 5];
    snprintf(guid, sizeof guid, "0x%016llx\nnode-00000", fifth);
    read_list(&g, guid, "node-00005*1 node-00000*1 ");
    refuse_list(&g, "node-00001\nnode-00002\nnode-00001\n", ":3: node node-00001 occurs twice, first on line 1");
    refuse_list(&g, "node-00001\nnode-0000[2-9]\n", ":2: 'node-00008': no node of the fabric");
    refuse_list(&g, "node-00001 slots=0\n", "expected a number of slots");
    refuse_list(&g, "slots=2\n", "expected NAME slots=N");
    refuse_list(&g, "node-0000[1-\n", ":1:");
    refuse_list(&g, "# nothing\n", "no node is listed");
    read_list(&g, "node-00003\nnode-00003\nnode-00001\n", "node-00003*2 node-00001*1 ");
    refuse_list(&g, "node-00001 node-00001\n", ":1: node node-00001 occurs twice");
    refuse_list(&g, "node-00001 slots=2\nnode-00001\n", ":2: node node-00001 occurs twice");
    snprintf(guid, sizeof guid, "0x%016llx\n0x%016llx\n", fifth, fifth);
    refuse_list(&g, guid, ":2: node node-00005 occurs twice, first on line 1");
    read_list(&g, "rank 0=node-00003 slot=0:1\nrank  1 = node-00001\nrank 2=node-00001 slot=1-3\n",
              "node-00003*1 node-00001*2 ");
    refuse_list(&g, "rank 0=node-00003\nrank 2=node-00001\n", ":2: rank 2: expected 1, numbers in order");
    refuse_list(&g, "rank 0=node-00003\nrank 1=node-00001\nrank 2=node-00003\n", ":3: node node-00003 occurs twice");
    refuse_list(&g, "rank 0=gpu7 slot=0\n", ":1: 'gpu7': no node of the fabric");
    read_list(&g, "node-00003 0\nnode-00001  1\n", "node-00003*1 node-00001*1 ");
    refuse_list(&g, "node-00003 0\nnode-00001 7\n", ":2: node 7: expected 1, numbers in order");
    refuse_list(&g, "gpu7 0\n", ":1: 'gpu7': no node of the fabric");
    struct hd_nodes *nodes;
    assert_int_equal(hd_nodes_read(&g.ctx, g.net, "node-0000[0-2]", 4, &nodes), HD_OK);
    assert_int_equal(nodes->n, 3);
    assert_int_equal(nodes->slots[2], 4);
    uint32_t rank[3] = {2, 0, 1}, per_node[3];
    assert_int_equal(hd_order_fill(&g.ctx, nodes, rank, 6, per_node), HD_OK);
    assert_int_equal(per_node[0], 4);
    assert_int_equal(per_node[1], 2);
    assert_int_equal(per_node[2], 0);
    assert_int_equal(hd_order_fill(&g.ctx, nodes, rank, 13, per_node), HD_INPUT);
    assert_non_null(strstr(g.ctx.error, "13 ranks are too many: the 3 nodes have 12 slots"));
    hd_nodes_free(nodes);
    done(&g);
}

/* A name where no file has it. */
static void test_one_name(void **state)
{
    (void)state;
    struct rig g = rig("ft:m=4,n=2", "dmodk");
    struct hd_nodes *nodes;
    static const struct {
        const char *text;
        uint32_t slots;
    } good[] = {{"node-00003", 2}, {"node-00003:5", 5}, {"node-00003.cluster.org", 2}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (hd_nodes_read(&g.ctx, g.net, good[i].text, 2, &nodes) != HD_OK) fail_msg("%s", g.ctx.error);
        assert_int_equal(nodes->n, 1);
        assert_string_equal(hd_host_name(g.net, nodes->host[0]), "node-00003");
        assert_int_equal(nodes->slots[0], good[i].slots);
        hd_nodes_free(nodes);
    }
    assert_int_equal(hd_nodes_read(&g.ctx, g.net, "node-0003", 1, &nodes), HD_INPUT);
    assert_string_equal(g.ctx.error, "node-0003: neither a file nor a node of the fabric, did you mean 'node-00003'?");
    assert_int_equal(hd_nodes_read(&g.ctx, g.net, "hosts.txt", 1, &nodes), HD_INPUT);
    assert_string_equal(g.ctx.error, "hosts.txt: neither a file nor a node of the fabric");
    done(&g);
}

/* ---- rails ------------------------------------------------------------------------------------ */

/* Two rails on two switches each; host h3 has only the first when short is set. */
static struct hd_net *two_rails(bool lacks)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (int k = 0; k < 2; k++) {
        uint32_t sw[2];
        for (int i = 0; i < 2; i++) sw[i] = hd_builder_switch(b, &(struct hd_switch_in){.nports = 8});
        for (int i = 0; i < 4; i++) {
            char name[32];
            if (lacks && k == 1 && i == 3) continue;
            snprintf(name, sizeof name, "h%d mlx5_%d", i, k);
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name, .nports = 1});
            hd_builder_cable(b, sw[i / 2], 1 + (uint32_t)i % 2, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
        }
        hd_builder_cable(b, sw[0], 8, sw[1], 8, 0);
    }
    hd_status s = hd_builder_finish(&ctx, b, "rails", &net);
    return checked(&ctx, s, net, "rails");
}

static void test_rails(void **state)
{
    (void)state;
    for (int lacks = 0; lacks < 2; lacks++) {
        struct rig g;
        hd_ctx_init(&g.ctx);
        g.net = two_rails(lacks);
        hd_status s = hd_nodes_read(&g.ctx, g.net, NULL, 2, &g.all);
        if (lacks) { /* left out where all hosts are meant; a list that has it is about the rail that all have */
            assert_int_equal(s, HD_OK);
            assert_int_equal(g.all->n, 3);
            assert_int_equal(g.all->nrail, 2);
            for (uint32_t i = 0; i < 3; i++) assert_string_not_equal(hd_host_name(g.net, g.all->host[i]), "h3");
            hd_nodes_free(g.all);
            static const char *const lists[] = {"h0,h3", "h3,h0", "h3"};
            for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
                assert_int_equal(hd_nodes_read(&g.ctx, g.net, lists[i], 2, &g.all), HD_OK);
                assert_int_equal(g.all->nrail, 1);
                for (uint32_t k = 0; k < g.all->n; k++) {
                    assert_int_equal(g.net->rail[g.all->ep[k]], 0);
                    assert_int_equal(g.net->host[g.all->ep[k]], g.all->host[k]);
                }
                hd_nodes_free(g.all);
            }
            hd_net_free(g.net);
            continue;
        }
        assert_int_equal(s, HD_OK);
        assert_int_equal(g.all->nrail, 2);
        assert_int_equal(hd_routes_open(&g.ctx, g.net, "minhop", &g.r), HD_OK);
        /* One cable between the switches of a rail: h0 h1 h2 h3 sends one flow over it each way, h0 h2 h1 h3 two. */
        assert_true(count(&g, g.all, NULL, HD_CASE_RING).max == 1);
        uint32_t bad[4] = {0, 2, 1, 3};
        assert_true(count(&g, g.all, bad, HD_CASE_RING).max == 2);
        struct hd_order *o = order_for(&g, g.all, HD_FOR_RING);
        assert_true(count(&g, g.all, o->rank, HD_CASE_RING).max == 1);
        hd_order_free(o);
        done(&g);
    }
}

/* Whether a format tells how many ranks a node has. */
static bool tells_ranks(const char *format)
{
    return strcmp(format, "openmpi") == 0 || strcmp(format, "seq") == 0 || strcmp(format, "mpich") == 0 ||
           strcmp(format, "slurm") == 0;
}

/* Writes an order of so many ranks and reads it back as a list: the same nodes in the same order, and slots. */
static void write_and_read(struct rig *g, const char *format, const uint32_t *rank, uint64_t ranks)
{
    uint32_t per_node[64], n = 0;
    struct hd_out *o;
    struct hd_nodes *back;
    assert_int_equal(hd_order_fill(&g->ctx, g->all, rank, ranks, per_node), HD_OK);
    assert_int_equal(hd_out_memory(&g->ctx, &o), HD_OK);
    assert_int_equal(hd_order_write(&g->ctx, g->all, rank, per_node, format, o), HD_OK);
    const char *text = hd_out_text(o, NULL);
    if (hd_nodes_read(&g->ctx, g->net, write_list(text), 1, &back) != HD_OK) fail_msg("%s: %s", format, g->ctx.error);
    for (uint32_t i = 0; i < g->all->n && per_node[i]; i++, n++) {
        if (n >= back->n || back->host[n] != g->all->host[rank[i]] ||
            back->slots[n] != (tells_ranks(format) ? per_node[i] : 1))
            fail_msg("%s: node %u of %u is not what was written:\n%s", format, n, back->n, text);
    }
    assert_int_equal(back->n, n);
    assert_int_equal(back->nrail, g->all->nrail);
    hd_nodes_free(back);
    hd_out_drop(o);
}

/* Every format that lists nodes is read, with one rail and two, and with the last node half full. */
static void test_formats_are_lists(void **state)
{
    (void)state;
    for (int rails = 1; rails <= 2; rails++)
        for (uint32_t slots = 1; slots <= 3; slots++) {
            struct rig g;
            hd_ctx_init(&g.ctx);
            g.net = rails == 2 ? rail_trees() : make_net("ft:m=4,n=2");
            assert_int_equal(hd_nodes_read(&g.ctx, g.net, NULL, slots, &g.all), HD_OK);
            uint32_t n = g.all->n, rank[64];
            assert_true(n > 4 && n % 5);
            for (uint32_t i = 0; i < n; i++) rank[i] = i * 5 % n;
            size_t formats = 0;
            for (; hd_order_format_at(formats); formats++)
                for (uint64_t ranks = n * slots; ranks >= n * slots - 2; ranks--)
                    if (hd_order_format_at(formats)->lists)
                        write_and_read(&g, hd_order_format_at(formats)->name, rank, ranks);
            assert_true(formats >= 8);
            hd_nodes_free(g.all);
            hd_net_free(g.net);
        }
}

/* Two hosts on a switch, called so, and both as nodes. */
static void two_hosts(struct rig *g, const char *first, const char *second)
{
    struct hd_builder *b;
    hd_ctx_init(&g->ctx);
    assert_int_equal(hd_builder_make(&g->ctx, &b), HD_OK);
    uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.nports = 4});
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = k ? second : first, .nports = 1});
        hd_builder_cable(b, sw, 1 + k, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
    }
    assert_int_equal(hd_builder_finish(&g->ctx, b, "names", &g->net), HD_OK);
    assert_int_equal(hd_nodes_read(&g->ctx, g->net, NULL, 1, &g->all), HD_OK);
}

/* Lines lose blanks at their ends, descriptions of hosts may have them. */
static void test_outer_blanks(void **state)
{
    (void)state;
    static const char *const names[] = {" a b ", "a b HCA-1  ", "a "};
    const uint32_t rank[2] = {1, 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct rig g;
        two_hosts(&g, "other", names[i]);
        write_and_read(&g, "ca-order", rank, 2);
        write_and_read(&g, "guids", rank, 2);
        hd_nodes_free(g.all);
        hd_net_free(g.net);
    }
}

/* A name that a launcher would take for something else is refused in every format that has names, and only there. */
static void test_names_of_rank_files(void **state)
{
    (void)state;
    static const char *const bad[] = {"a b",   "#a",   "a=b",   "a:2", "a,b",        "a[1-2]",
                                      "$(id)", "a\nb", "--all", ".a",  "caf\xc3\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rig g;
        uint32_t rank[2] = {0, 1}, each[2] = {1, 1};
        two_hosts(&g, "plain-1.example_net", bad[i]);
        for (size_t f = 0; hd_order_format_at(f); f++) {
            const char *format = hd_order_format_at(f)->name;
            bool names = strcmp(format, "guids") != 0 && strcmp(format, "ca-order") != 0 && strcmp(format, "nccl") != 0;
            struct hd_out *o;
            assert_int_equal(hd_out_memory(&g.ctx, &o), HD_OK);
            hd_status s = hd_order_write(&g.ctx, g.all, rank, each, format, o);
            if (names && s != HD_INPUT) fail_msg("%s takes the name '%s'", format, bad[i]);
            if (s != HD_OK) assert_null(strchr(g.ctx.error, '\n'));
            if (strcmp(format, "guids") == 0) assert_int_equal(s, HD_OK);
            hd_out_drop(o);
        }
        hd_nodes_free(g.all);
        hd_net_free(g.net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_one_name),
        cmocka_unit_test(test_formats_are_lists),
        cmocka_unit_test(test_outer_blanks),
        cmocka_unit_test(test_names_of_rank_files),
        cmocka_unit_test(test_rails),
    };
    return cmocka_run_group_tests(tests, make_list_file, drop_list_file);
}
