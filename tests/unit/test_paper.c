/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts on rows, names of items, renumbered networks, and the two conveniences the papers brought along:
 * random rank orders on part of the endpoints, and tables numbered by the endpoints that count. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "papers/papers.h"
#include "base/rows.h"
#include "testing.h"
#include "base/context.h"

/* ---- verdicts ------------------------------------------------------------------------------- */

static void keep_row(void *user, const struct hd_paper_row *row)
{
    *(struct hd_paper_row *)user = *row;
}

static bool verdict(enum hd_relation relation, double published, double ours, double tolerance)
{
    struct hd_paper_row row;
    struct hd_paper_run run = {.row = keep_row, .user = &row, .paper = "000", .item = "x"};
    hd_paper_put(&run, hd_claim(relation, published, tolerance, NULL), ours, "quantity", "subject %d", 1);
    assert_string_equal(row.paper, "000");
    assert_string_equal(row.item, "x");
    return row.ok;
}

static void test_verdicts(void **state)
{
    (void)state;
    assert_true(verdict(HD_ROW_IS, 4, 4, 0));
    assert_false(verdict(HD_ROW_IS, 4, 4.001, 0));
    assert_true(verdict(HD_ROW_IS, 0.5, 0.509, 0.02));
    assert_false(verdict(HD_ROW_IS, 0.5, 0.511, 0.02));
    assert_false(verdict(HD_ROW_IS, 0.5, 0.489, 0.02));
    assert_true(verdict(HD_ROW_AT_LEAST, 4, 4, 0));
    assert_false(verdict(HD_ROW_AT_LEAST, 4, 3.99, 0));
    assert_true(verdict(HD_ROW_AT_LEAST, 4, 3.99, 0.01));
    assert_true(verdict(HD_ROW_AT_MOST, 4, 4, 0));
    assert_false(verdict(HD_ROW_AT_MOST, 4, 4.01, 0));
    assert_false(verdict(HD_ROW_ABOVE, 1, 1, 0));
    assert_true(verdict(HD_ROW_ABOVE, 1, 1.001, 0));
    assert_true(verdict(HD_ROW_ABOVE, 1, 0.995, 0.01));
    assert_false(verdict(HD_ROW_ABOVE, 1, 0.985, 0.01));
    assert_false(verdict(HD_ROW_BELOW, 1, 1, 0));
    assert_true(verdict(HD_ROW_BELOW, 1, 0.999, 0));
    assert_false(verdict(HD_ROW_IS, 4, NAN, 0));
    assert_false(verdict(HD_ROW_BELOW, 4, NAN, 0.5));
    assert_true(verdict(HD_ROW_IS, NAN, 4, 0)); /* nothing is published: nothing to miss */
}

static void test_widening(void **state)
{
    struct hd_paper_run run = {0};
    (void)state;
    assert_float_equal(hd_paper_widen(&run, 0.02, 0.01, 0.5), 0.03, 1e-12);
    run.full = true;
    assert_float_equal(hd_paper_widen(&run, 0.02, 0.01, 0.5), 0.02, 1e-12);
}

/* ---- names ---------------------------------------------------------------------------------- */

struct seen {
    uint32_t rows;
    char first[64];
    bool one_item;
};

static void count_row(void *user, const struct hd_paper_row *row)
{
    struct seen *seen = user;
    char name[64];
    snprintf(name, sizeof name, "%s-%s", row->paper, row->item);
    if (!seen->rows++) snprintf(seen->first, sizeof seen->first, "%s", name);
    if (strcmp(name, seen->first) != 0) seen->one_item = false;
    assert_true(row->subject && *row->subject && row->quantity && *row->quantity);
}

static void test_names(void **state)
{
    struct hd_ctx ctx;
    struct seen seen = {.one_item = true};
    (void)state;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    assert_int_equal(hd_papers_add(&ctx), HD_OK);
    assert_int_equal(hd_paper(&ctx, "004-fig4", false, count_row, &seen), HD_OK);
    assert_int_equal(seen.rows, 2);
    assert_true(seen.one_item);
    assert_int_equal(hd_paper(&ctx, "004-fig55", false, count_row, &seen), HD_INPUT);
    assert_non_null(strstr(ctx.error, "did you mean '"));
    assert_int_equal(hd_paper(&ctx, "00", false, count_row, &seen), HD_INPUT); /* no prefix of a paper's number */
    assert_int_equal(hd_paper(&ctx, "", false, count_row, &seen), HD_INPUT);
    assert_int_equal(seen.rows, 2);
    hd_ctx_release(&ctx);
}

static void test_registry(void **state)
{
    const struct hd_desc *d;
    size_t n = 0;
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_papers_add(&ctx), HD_OK);
    assert_int_equal(hd_papers_add(&ctx), HD_USAGE); /* names are taken once */
    for (; (d = hd_registry_at(&ctx, HD_PAPERS, n)); n++) {
        /* author and year, with the paper's number as alias, or our own claims */
        const char *dash = strchr(d->name, '-');
        assert_non_null(dash);
        assert_true(strlen(dash + 1) > 0 && strlen(dash + 1) < 32);
        if (d->alias) {
            assert_true(strspn(d->name + strcspn(d->name, "0123456789"), "0123456789") == 4);
            assert_true(strspn(d->alias, "0123456789") == 3 && d->alias[3] == '-');
            assert_string_equal(d->alias + 3, dash);
            assert_ptr_equal(hd_registry_find(&ctx, HD_PAPERS, d->alias), d);
        } else {
            assert_int_equal(strncmp(d->name, "own-", 4), 0);
        }
        assert_non_null(d->cite);
        assert_ptr_equal(hd_registry_find(&ctx, HD_PAPERS, d->name), d);
    }
    assert_true(n >= 20);
    assert_string_equal(hd_registry_name(HD_PAPERS), "paper");
    hd_ctx_release(&ctx);
}

/* ---- renumbered networks -------------------------------------------------------------------- */

static void test_scramble(void **state)
{
    static const char *const specs[] = {"pgft:m=4x4x3,w=1x2x3,p=1x2x1", "torus:dims=4x3,hosts=2", "gft:n=1,m=1,r=1",
                                        "random:switches=9,ports=4,hosts=1", "deimos:hosts=12x0x12,cables=1"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct hd_ctx ctx;
        struct hd_net *net = make_net(specs[i]), *out[3] = {NULL};
        struct hd_topo_info before, after;
        bool moved = net->nep < 3;
        hd_ctx_init(&ctx);
        for (int k = 0; k < 3; k++) {
            hd_status s = hd_net_renumber(&ctx, net, k == 2 ? 1 : (uint64_t)k + 1, &out[k]);
            checked(&ctx, s, out[k], specs[i]);
            assert_int_equal(hd_net_describe(&ctx, net, &before), HD_OK);
            assert_int_equal(hd_net_describe(&ctx, out[k], &after), HD_OK);
            assert_int_equal(after.switches, before.switches);
            assert_int_equal(after.endpoints, before.endpoints);
            assert_int_equal(after.cables, before.cables);
            assert_int_equal(after.switch_cables, before.switch_cables);
            assert_int_equal(after.diameter, before.diameter);
            assert_int_equal(after.parts, before.parts);
            assert_float_equal(after.mean_distance, before.mean_distance, 1e-12);
        }
        /* one seed, one numbering; another, another */
        assert_memory_equal(out[0]->head, out[2]->head, out[0]->nchan * sizeof *out[0]->head);
        for (uint32_t e = 0; e < net->nep; e++) moved |= hd_leaf(out[0], e) != hd_leaf(out[1], e);
        assert_true(moved);
        for (int k = 0; k < 3; k++) hd_net_free(out[k]);
        hd_net_free(net);
    }
}

/* What was selected is so still, wherever it is now: as many on the switches of each endpoint as before. */
static void test_scramble_selected(void **state)
{
    struct hd_ctx ctx;
    struct hd_net *net = make_net("pgft:m=4x6,w=1x2,p=1x2"), *part = NULL, *out = NULL;
    const struct hd_choice want = {.endpoints = "node-0000[02457]"};
    uint32_t hosts_before[4] = {0}, hosts_after[4] = {0};
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_choose(&ctx, net, &want, &part), HD_OK);
    assert_int_equal(part->nsel, 5);
    assert_int_equal(hd_net_renumber(&ctx, part, 3, &out), HD_OK);
    assert_int_equal(out->nep, part->nep);
    assert_int_equal(out->nsel, part->nsel);
    for (int k = 0; k < 2; k++) {
        const struct hd_net *of = k ? out : part;
        uint32_t on[6] = {0}, leaves[24], n = 0;
        for (uint32_t i = 0; i < of->nsel; i++) {
            const uint32_t leaf = hd_leaf(of, of->sel[i]);
            uint32_t at = 0;
            while (at < n && leaves[at] != leaf) at++;
            if (at == n) leaves[n++] = leaf;
            on[at]++;
        }
        for (uint32_t i = 0; i < n; i++) (k ? hosts_after : hosts_before)[on[i] - 1]++;
    }
    assert_memory_equal(hosts_after, hosts_before, sizeof hosts_before);
    hd_net_free(out);
    hd_net_free(part);
    hd_net_free(net);
    hd_ctx_release(&ctx);
}

/* ---- ranks on part of the endpoints --------------------------------------------------------- */

static void test_rank_count(void **state)
{
    struct hd_ctx ctx;
    struct hd_net *net = make_net("gft:n=4,m=4,r=8");
    struct hd_routes *r = NULL;
    struct hd_result result;
    struct hd_request q = {.pattern = "shift", .metric = "hsd", .ranks = "random:seed=5,count=7"};
    (void)state;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    assert_int_equal(hd_routes_open(&ctx, net, "dmodk", &r), HD_OK);
    uint64_t *sum = calloc(net->nchan, sizeof *sum);
    uint32_t *max = calloc(net->nchan, sizeof *max), used = 0;
    q.load_sum = sum;
    q.load_max = max;
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
    assert_int_equal(result.samples, 6); /* stages of a Shift of 7 */
    for (uint32_t e = 0; e < net->nep; e++) {
        uint64_t sent = sum[net->off[net->nsw + e]], got = sum[net->rev[net->off[net->nsw + e]]];
        assert_int_equal(sent, got);
        assert_true(sent == 0 || sent == 6);
        used += sent > 0;
    }
    assert_int_equal(used, 7);
    q.ranks = "random:count=33";
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_INPUT);
    assert_non_null(strstr(ctx.error, "33 ranks wanted"));
    free(sum);
    free(max);
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- tables numbered by the endpoints that count -------------------------------------------- */

static void compare_index(const struct hd_net *net, const char *engine)
{
    struct hd_ctx ctx;
    struct hd_routes *by_word = NULL, *by_file = NULL;
    char path[] = "/tmp/heddle-index-XXXXXX", spec[96];
    hd_ctx_init(&ctx);
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    for (uint32_t i = 0; i < net->nsel; i++) fprintf(f, "%s\n", hd_node_name(net, net->nsw + net->sel[i]));
    fclose(f);
    snprintf(spec, sizeof spec, "%s:index=%s", engine, path);
    assert_int_equal(hd_routes_open(&ctx, net, spec, &by_file), HD_OK);
    snprintf(spec, sizeof spec, "%s:index=selected", engine);
    assert_int_equal(hd_routes_open(&ctx, net, spec, &by_word), HD_OK);
    uint8_t a[256], b[256];
    assert_true(net->nsw <= sizeof a);
    for (uint32_t d = 0; d < net->nep; d++)
        assert_memory_equal(hd_routes_row(by_word, d, 0, a), hd_routes_row(by_file, d, 0, b), net->nsw);
    hd_routes_free(by_word);
    hd_routes_free(by_file);
    remove(path);
}

static void test_index_selected(void **state)
{
    struct hd_ctx ctx;
    struct hd_net *net = make_net("pgft:m=6x6,w=1x3,p=1x2"), *chosen = NULL;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_choose(&ctx, net, &(struct hd_choice){.endpoints = "[0257]$"}, &chosen), HD_OK);
    assert_true(chosen->nsel > 0 && chosen->nsel < chosen->nep);
    compare_index(chosen, "dmodk");
    compare_index(chosen, "dmodc");
    compare_index(net, "dmodk");
    hd_net_free(chosen);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),   cmocka_unit_test(test_widening),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_registry),
        cmocka_unit_test(test_scramble),   cmocka_unit_test(test_scramble_selected),
        cmocka_unit_test(test_rank_count), cmocka_unit_test(test_index_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
