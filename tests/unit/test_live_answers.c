/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries for what switches send themselves, beside those that pairs need: every switch reaches every endpoint after a
 * loss, the subnet manager before all, by paths that a walker here finds free of cycles and of credit loops, together
 * with those of pairs and those to switches. */
#include "live_tools.h"

#include <stdio.h>

static const char not_safe[] = ", credit loops by paths from or to switches; ";

/* The channel that switch v takes towards a LID; UINT32_MAX: none. */
static uint32_t taken(const struct hd_net *net, const struct hd_reply_parts *p, uint32_t v, uint32_t lid)
{
    const uint8_t port = p->table[(net->nsw - 1 - v) * (p->head->last_lid + (size_t)1) + lid];
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->port[c] == port) return c;
    return UINT32_MAX;
}

/* Whether a chain of channels that wait for each other comes back to where it began. */
static bool waits_in_a_cycle(const struct hd_net *net, const bool *waits, uint32_t c, uint8_t *state)
{
    state[c] = 1;
    for (uint32_t n = 0; n < net->nchan; n++) {
        if (!waits[(size_t)c * net->nchan + n]) continue;
        if (state[n] == 1 || (!state[n] && waits_in_a_cycle(net, waits, n, state))) return true;
    }
    state[c] = 2;
    return false;
}

static bool with_endpoints(const struct hd_net *net, uint32_t v)
{
    bool any = false;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) any |= net->head[c] >= net->nsw;
    return any;
}

/* Walks from switch v to a LID of a node; notes which channel waits for which. Returns whether it arrives. */
static bool walk_to_lid(const struct hd_net *net, const struct hd_reply_parts *p, uint32_t v, uint32_t to, uint32_t lid,
                        bool *waits)
{
    uint32_t c = v == to ? UINT32_MAX : taken(net, p, v, lid), hops = 0;
    for (uint32_t n; c != UINT32_MAX && net->head[c] != to; c = n) {
        assert_in_range(net->head[c], 0, net->nsw - 1);
        n = taken(net, p, net->head[c], lid);
        if (n != UINT32_MAX) waits[(size_t)c * net->nchan + n] = true;
        assert_in_range(hops++, 0, net->nsw);
    }
    return v == to || c != UINT32_MAX;
}

static bool walk_to(const struct hd_net *net, const struct hd_reply_parts *p, uint32_t v, uint32_t to, bool *waits)
{
    return walk_to_lid(net, p, v, to, net->lid[to], waits);
}

/* To how many LIDs of a node no path leads from switch v. */
static uint32_t lids_missed(const struct hd_net *net, const struct hd_reply_parts *p, uint32_t v, uint32_t to,
                            bool *waits)
{
    const uint32_t lids = to < net->nsw ? 1 : 1u << net->lmc_of[to - net->nsw];
    uint32_t n = 0;
    for (uint32_t k = 0; k < lids; k++) n += !walk_to_lid(net, p, v, to, net->lid[to] + k, waits);
    return n;
}

/* The smallest switch that each one is connected with. */
static void find_parts(const struct hd_net *net, uint32_t *part)
{
    bool again = true;
    for (uint32_t v = 0; v < net->nsw; v++) part[v] = v;
    while (again) {
        again = false;
        for (uint32_t c = 0; c < net->nchan; c++) {
            const uint32_t u = net->tail[c], v = net->head[c];
            if (u >= net->nsw || v >= net->nsw || part[u] <= part[v]) continue;
            part[u] = part[v];
            again = true;
        }
    }
}

/* Walks from all switches to all endpoints, and from those with endpoints to all switches: no path goes in a cycle
 * or ends at another node, pairs and requests to switches arrive, and all of it together has no credit loop, unless
 * the line says so. Returns how many entries the others lack for a path, and in *one how many to one endpoint. */
static uint32_t missing_answers(const struct hd_net *net, const struct hd_reply_parts *p, uint32_t to, uint32_t *one)
{
    bool *waits = calloc(net->nchan, net->nchan * sizeof *waits);
    uint8_t *state = calloc(1, net->nchan);
    uint32_t *part = calloc(net->nsw, sizeof *part), missing = 0;
    assert_true(waits && state && part);
    find_parts(net, part);
    *one = 0;
    for (uint32_t t = 0; t < net->nsw + net->nep; t++)
        for (uint32_t v = 0; v < net->nsw; v++) {
            const bool leaf = with_endpoints(net, v);
            const uint32_t home = t < net->nsw ? t : net->head[net->off[t]];
            if (part[v] != part[home] || (t < net->nsw && !leaf)) continue;
            const uint32_t missed = lids_missed(net, p, v, t, waits);
            assert_true(!missed || !leaf);
            missing += missed;
            *one += t == net->nsw + to ? missed : 0;
        }
    for (uint32_t c = 0; c < net->nchan && !strstr(p->text, not_safe); c++)
        if (!state[c]) assert_false(waits_in_a_cycle(net, waits, c, state));
    free(part);
    free(state);
    free(waits);
    return missing;
}

static struct bytes request_from(const struct hd_net *net, const char *options, uint32_t manager, const uint8_t *tables)
{
    struct bytes request = request_of(net, options, tables);
    ((struct hd_fabric_head *)(void *)request.at)->sm_lid = net->lid[net->nsw + manager];
    return request;
}

/* How many entries the line says are missing. */
static uint32_t said_missing(const char *line)
{
    const char *at = strstr(line, " missing at switches without endpoints");
    if (!at) return 0;
    while (at[-1] != ',') at--;
    return (uint32_t)strtoul(at, NULL, 10);
}

/* A loss, and what follows: the tables that come first, and those of the request after it. Returns the entries missing
 * in the end; *waited says whether some came second. */
static uint32_t lose(struct hd_ctx *ctx, const struct hd_net *net, const char *fail, uint32_t manager, uint32_t *waited)
{
    struct hd_net *less;
    struct hd_reply_parts p;
    uint32_t one;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, fail, &less));
    struct subnet s = subnet_up(net, "dmodc", &p);
    next_text(&s, request_from(less, "dmodc", manager, p.table), &p);
    const uint32_t first = missing_answers(less, &p, manager, &one);
    assert_true(!strstr(p.text, "NOT safe in any order") || strstr(p.text, ": 0 destinations may loop"));
    assert_int_equal(first, said_missing(p.text));
    assert_int_equal(p.head->more, strstr(p.text, " follow; ") != NULL);
    const char *of = strstr(p.text, ", of which ");
    const uint32_t follow = of ? (uint32_t)strtoul(of + strlen(", of which "), NULL, 10) : 0;
    *waited += p.head->more;
    next_text(&s, request_from(less, "dmodc", manager, p.table), &p);
    const uint32_t left = missing_answers(less, &p, manager, &one);
    assert_int_equal(0, one);
    assert_int_equal(first - follow, left);
    assert_int_equal(0, p.head->more);
    assert_int_equal(left, said_missing(p.text));
    assert_non_null(strstr(p.text, "safe in any order"));
    next_text(&s, request_from(less, "dmodc", manager, p.table), &p);
    assert_non_null(strstr(p.text, "; 0 entries in 0 blocks of 0 switches change"));
    subnet_down(&s);
    hd_net_free(less);
    return left;
}

/* Switches above the leaves reach every endpoint after a loss, as they must to report the next one. Entries that
 * packets between endpoints might still meet come with the request after it. */
static void answers(void **state)
{
    (void)state;
    static const char *const lost[] = {"links=2,seed=1",  "links=3,seed=2",  "links=1,seed=6", "links=2,seed=7",
                                       "links=1,seed=12", "links=3,seed=14", "links=4,seed=9"};
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "ft:m=4,n=3", NULL);
    uint32_t waited = 0;
    for (uint32_t i = 0; i < sizeof lost / sizeof *lost; i++)
        assert_int_equal(0, lose(ctx, net, lost[i], 3 * i % net->nep, &waited));
    assert_in_range(waited, 1, sizeof lost / sizeof *lost);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* An endpoint with several LIDs has an entry for each in every table: all are counted that are missing or follow. */
static void answers_to_further_lids(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    uint32_t waited = 0;
    for (uint8_t lmc = 1; lmc < 3; lmc++) {
        struct hd_net *net = with_lmc(ctx, "ft:m=4,n=3", NULL, lmc);
        assert_int_equal(0, lose(ctx, net, "links=1,seed=6", 3, &waited));
        hd_net_free(net);
        net = with_lmc(ctx, "xgft:m=3x3x3,w=1x3x3", NULL, lmc);
        assert_int_equal(0, lose(ctx, net, "links=8,seed=2971", 0, &waited) % (1u << lmc));
        hd_net_free(net);
    }
    assert_in_range(waited, 2, 4);
    hd_ctx_free(ctx);
}

/* What an endpoint that has not acknowledged its LID has not got cannot be missing, and nothing follows. */
static void answers_without_a_lid(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "ft:m=4,n=3", NULL), *less;
    struct hd_reply_parts p;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=1,seed=6", &less));
    struct subnet s = subnet_up(net, "dmodc", &p);
    struct bytes request = request_from(less, "dmodc", 0, p.table);
    struct hd_fabric_parts parts = {0};
    assert_true(hd_fabric_parts(request.at, request.n, &parts));
    const size_t ports = (size_t)((const uint8_t *)parts.port - request.at);
    for (uint32_t i = 0; i < parts.head->ports; i++) ((struct hd_fabric_port *)(void *)(request.at + ports))[i].lid = 0;
    ((struct hd_fabric_head *)(void *)request.at)->settled = 0;
    next_text(&s, request, &p);
    assert_int_equal(0, said_missing(p.text));
    assert_int_equal(0, p.head->more);
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Where the entries of all switches would close a credit loop some stay missing, but none to the subnet manager. */
static void answers_to_the_manager(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "xgft:m=3x3x3,w=1x3x3", NULL);
    uint32_t waited = 0;
    for (uint32_t manager = 0; manager < net->nep; manager += 5)
        assert_in_range(lose(ctx, net, "links=8,seed=2971", manager, &waited), 1, 100);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Losses, each from a healthy network, until nothing more follows: there are tables, and none has a credit loop; safe:
 * no line says so either. Returns how many were patched. */
static uint32_t heal(const char *spec, const char *engine, const char *fail, uint32_t seeds, bool safe)
{
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, spec, NULL), *less;
    uint32_t patched = 0, one;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct hd_reply_parts p;
        struct subnet s = subnet_up(net, engine, &p);
        char lost[64];
        snprintf(lost, sizeof lost, "%s,seed=%u", fail, seed);
        assert_int_equal(HD_OK, hd_net_fail(ctx, net, lost, &less));
        for (uint32_t i = 0; i == 0 || p.head->more; i++) {
            next_text(&s, request_from(less, engine, 0, p.table), &p);
            assert_int_equal(less->nsw, p.head->switches);
            assert_int_equal(missing_answers(less, &p, 0, &one), said_missing(p.text));
            assert_true(!safe || !strstr(p.text, not_safe));
            assert_in_range(i, 0, 16);
        }
        assert_int_equal(0, one);
        patched += strstr(p.text, "; tables in use, patched") != NULL;
        subnet_down(&s);
        hd_net_free(less);
    }
    hd_net_free(net);
    hd_ctx_free(ctx);
    return patched;
}

/* Paths from endpoints to switches and back share no credit loop, whichever engine made them. */
static void answers_of_all_engines(void **state)
{
    (void)state;
    heal("ft:m=4,n=3", "dmodc", "links=1", 20, true);
    heal("ft:m=4,n=3", "updown", "links=2", 10, true);
    heal("ft:m=4,n=3", "minhop", "links=2", 10, false);
    heal("ft:m=4,n=3", "ftree", "links=3", 10, true);
    heal("ft:m=4,n=3", "dmodc steps=on", "links=2", 10, true);
}

/* Where the engine cannot route what is left, the tables in use are patched: without a credit loop either. */
static void answers_of_patched_tables(void **state)
{
    (void)state;
    assert_in_range(heal("ft:m=4,n=3", "dmodc", "links=3", 20, true), 5, 20);
    assert_in_range(heal("torus:dims=4x4,hosts=2", "dmodc", "links=1", 10, true), 5, 10);
    assert_in_range(heal("random:switches=9,ports=6,hosts=2,seed=3", "dmodc", "links=1", 10, true), 5, 10);
}

/* Hosts must reach every switch, and nothing is taken away that an engine made: where that cannot be without a credit
 * loop, the line says so. */
static void answers_that_are_not_safe(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "ft:m=4,n=3", NULL), *less;
    struct hd_reply_parts p;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=4,seed=23", &less));
    struct subnet s = subnet_up(net, "dmodc", &p);
    assert_null(strstr(p.text, "credit loops"));
    next_text(&s, request_from(less, "dmodc", 0, p.table), &p);
    assert_non_null(strstr(p.text, not_safe));
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    net = with_lids(ctx, "dragonfly+:h=2", NULL);
    s = subnet_up(net, "settle maxlanes=1", &p);
    assert_int_equal(0, said_missing(p.text));
    subnet_down(&s);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* A switch whose table cannot be written is no reason for sweeps without end. */
static void answers_that_wait(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "ft:m=4,n=3", NULL), *less;
    struct hd_reply_parts p;
    uint32_t asked = 0;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=1,seed=6", &less));
    struct subnet s = subnet_up(net, "dmodc", &p);
    const size_t bytes = net->nsw * (p.head->last_lid + (size_t)1);
    uint8_t *held = malloc(bytes);
    assert_non_null(held);
    memcpy(held, p.table, bytes);
    for (int i = 0; i < 10; i++) {
        next_text(&s, request_from(less, "dmodc", 0, held), &p);
        asked += p.head->more;
    }
    assert_int_equal(3, asked);
    free(held);
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

enum { NONE = 99 };

/* Whether no switch that reaches a node by the tables before does not by those now. */
static bool all_stay(const struct hd_net *net, const struct hd_reply_parts *now, uint8_t *before, uint32_t to)
{
    struct hd_reply_parts was = *now;
    bool *waits = calloc(net->nchan, net->nchan * sizeof *waits), stay = true;
    assert_non_null(waits);
    was.table = before;
    for (uint32_t v = 0; v < net->nsw; v++)
        stay &= !walk_to(net, &was, v, to, waits) || walk_to(net, now, v, to, waits);
    free(waits);
    return stay;
}

/* A loss, with switch `stuck` taking no writes, and request number `early` in a pause (NONE): no request takes an entry
 * to the subnet manager away that leads there, and every line is right. */
static void reach_the_manager(const char *spec, const char *options, const char *fail, uint32_t stuck, uint32_t early)
{
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, spec, NULL), *less;
    struct hd_reply_parts p;
    uint32_t one;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, fail, &less));
    struct subnet s = {.live = {.ctx = hd_ctx_new(), .ebb = -1}};
    next_text(&s, request_from(net, options, 0, NULL), &p);
    const size_t lids = p.head->last_lid + (size_t)1;
    uint8_t *held = malloc(net->nsw * lids);
    assert_non_null(held);
    memcpy(held, p.table, net->nsw * lids);
    for (uint32_t i = 0; i < 12; i++) {
        struct bytes request = request_from(less, options, 0, held);
        ((struct hd_fabric_head *)(void *)request.at)->settled = i != early;
        next_text(&s, request, &p);
        assert_int_equal(missing_answers(less, &p, 0, &one), said_missing(p.text));
        assert_true(all_stay(less, &p, held, net->nsw));
        for (uint32_t v = 0; v < net->nsw; v++)
            if (v != stuck) memcpy(held + v * lids, p.table + v * lids, lids);
    }
    assert_int_equal(0, p.head->more);
    assert_int_equal(0, one);
    free(held);
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* What an engine made for switches stays while its replacement has to wait, and for good where a switch takes none. */
static void answers_of_engines_stay(void **state)
{
    (void)state;
    reach_the_manager("xgft:m=4x4x2,w=1x2x2", "settle", "links=1,seed=22", NONE, NONE);
    reach_the_manager("kary:k=2,n=4", "settle maxlanes=1", "links=2,seed=13", 9, NONE);
    reach_the_manager("kary:k=2,n=4", "settle maxlanes=1", "links=2,seed=13", 11, NONE);
}

/* Entries that lead to one that is missing are missing too, in steps as well, and no step is without the paths to the
 * subnet manager that switches had before and have after it. */
static void answers_that_arrive(void **state)
{
    (void)state;
    reach_the_manager("ft:m=4,n=3", "settle maxlanes=1", "links=6,seed=13", NONE, NONE);
    reach_the_manager("xgft:m=3x3x3,w=1x3x3", "nue maxlanes=1 steps=on keep=on", "links=3,seed=29", NONE, NONE);
    reach_the_manager("kary:k=2,n=4", "settle maxlanes=1 steps=on", "links=2,seed=14", NONE, NONE);
    reach_the_manager("kary:k=2,n=4", "settle maxlanes=1 steps=on", "links=3,seed=69627", NONE, NONE);
}

/* Credit loops by paths from or to switches are said as long as they are there: in the pause, and of steps. */
static void answers_in_a_pause(void **state)
{
    (void)state;
    reach_the_manager("ft:m=4,n=3", "minhop", "links=2,seed=30", NONE, 1);
    reach_the_manager("ft:m=4,n=3", "minhop steps=on", "links=5,seed=25", NONE, NONE);
    reach_the_manager("xgft:m=3x3x3,w=1x3x3", "nue maxlanes=1 steps=on keep=on", "links=2,seed=2", NONE, NONE);
}

/* Two losses, the second one while a switch takes no writes: what it holds and what its neighbours get may lead to each
 * other. No step has a cycle, and entries that are missing are counted. */
static void answers_do_not_go_round(void **state)
{
    (void)state;
    static const char options[] = "ftree,updown maxlanes=1 steps=on";
    static const char *const fails[] = {"links=2,seed=686", "links=2,seed=928"};
    enum { STUCK = 24 };
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "kary:k=2,n=4", NULL), *less;
    struct hd_reply_parts p;
    struct subnet s = subnet_up(net, options, &p);
    const size_t lids = p.head->last_lid + (size_t)1;
    uint8_t *held = malloc(net->nsw * lids);
    uint32_t one, asked = 0;
    assert_non_null(held);
    memcpy(held, p.table, net->nsw * lids);
    for (uint32_t f = 0; f < 2; f++) {
        assert_int_equal(HD_OK, hd_net_fail(ctx, net, fails[f], &less));
        do {
            next_text(&s, request_of(less, options, held), &p);
            assert_int_equal(missing_answers(less, &p, 0, &one), said_missing(p.text));
            for (uint32_t v = 0; v < net->nsw; v++)
                if (f == 0 || v != STUCK)
                    memcpy(held + (net->nsw - 1 - v) * lids, p.table + (net->nsw - 1 - v) * lids, lids);
            assert_in_range(asked++, 0, 20);
        } while (p.head->more);
        hd_net_free(less);
    }
    free(held);
    subnet_down(&s);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Entries of two switches without endpoints that lead to each other are missing, though there is no hole. */
static void answers_in_a_cycle(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lmc(ctx, "ft:m=4,n=3", NULL, 1);
    struct hd_answers_found found;
    struct hd_routes *r, *to;
    uint32_t v = 0, c;
    assert_int_equal(HD_OK, hd_routes_open(ctx, net, "updown", &r));
    assert_int_equal(HD_OK, hd_routes_carry(ctx, r, net, &to)); /* stored */
    while (with_endpoints(net, v) || with_endpoints(net, net->head[net->off[v]])) v++;
    c = net->off[v];
    uint8_t *row = hd_routes_entries(to, 0, 0);
    row[v] = 0;
    row[net->head[c]] = (uint8_t)(net->rev[c] - net->off[net->head[c]]);
    uint32_t round = 0;
    for (uint32_t u = 0; u < net->nsw; u++) { /* who comes to one of them */
        uint32_t at = u, hops = 0;
        while (at < net->nsw && hops++ < net->nsw) at = net->head[net->off[at] + row[at]];
        round += at < net->nsw && !with_endpoints(net, u);
    }
    assert_in_range(round, 2, net->nsw);
    assert_int_equal(HD_OK, hd_keep_answers_look(ctx, to, &found));
    assert_int_equal(2 * round, found.missing); /* by either LID */
    hd_routes_free(to);
    hd_routes_free(r);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* A search that is cut short says so, and leaves what there was; one that is not finds more. */
static void answers_within_a_limit(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "xgft:m=3x3x3,w=1x3x3", "links=8,seed=2971");
    struct hd_answers found[2];
    struct hd_check check;
    for (uint32_t i = 0; i < 2; i++) {
        const struct hd_answer_job job = {.first = 0, .settled = true, .effort = i ? 1 : 1e-9};
        struct hd_routes *r;
        assert_int_equal(HD_OK, hd_routes_open(ctx, net, "dmodc", &r));
        assert_int_equal(HD_OK, hd_keep_answers(ctx, r, &job, &found[i]));
        assert_int_equal(HD_OK, hd_routes_check(ctx, r, &check));
        assert_false(hd_check_faulty(&check));
        assert_int_equal(1, check.deadlock_free);
        hd_routes_free(r);
    }
    assert_true(found[0].cut);
    assert_false(found[1].cut);
    assert_true(found[0].closed < found[1].closed);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Switches hold the tables of before for LID 1 of every endpoint, and nothing for the others. */
static void held_by_lid_1(void *user, uint32_t d, uint32_t x, uint8_t *row)
{
    const struct hd_routes *old = user;
    const uint32_t nsw = hd_routes_net(old)->nsw;
    memset(row, HD_SLOT_NONE, nsw);
    if (x != 1) return;
    const uint8_t *was = hd_routes_row(old, d, 0, row);
    if (was != row) memcpy(row, was, nsw);
}

/* Entries wait for what switches hold by any LID that will have them. */
static void answers_that_wait_for_further_lids(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    for (uint8_t lmc = 0; lmc < 2; lmc++) {
        struct hd_net *net = with_lmc(ctx, "ft:m=4,n=3", NULL, lmc), *less;
        struct hd_routes *was, *old, *r;
        struct hd_answers answers;
        assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=1,seed=6", &less));
        assert_int_equal(HD_OK, hd_routes_open(ctx, net, "dmodc", &was));
        assert_int_equal(HD_OK, hd_routes_carry(ctx, was, less, &old));
        assert_int_equal(HD_OK, hd_routes_open(ctx, less, "dmodc", &r));
        const struct hd_answer_job job = {.first = 0, .held = held_by_lid_1, .user = old, .settled = true, .effort = 1};
        assert_int_equal(HD_OK, hd_keep_answers(ctx, r, &job, &answers));
        assert_int_equal(lmc, answers.later > 0);
        assert_int_equal(answers.later, answers.missing);
        hd_routes_free(r);
        hd_routes_free(old);
        hd_routes_free(was);
        hd_net_free(less);
        hd_net_free(net);
    }
    hd_ctx_free(ctx);
}

/* The search for entries of thousands of endpoints ends before it is cut short. */
static void answers_of_a_large_fabric(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "xgft:m=14x14x14,w=1x14x14", NULL), *less;
    struct hd_reply_parts p;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=3,seed=1", &less));
    struct subnet s = subnet_up(net, "minhop maxlanes=1", &p);
    next_text(&s, request_from(less, "minhop maxlanes=1", 0, p.table), &p);
    assert_null(strstr(p.text, "cut short"));
    assert_null(strstr(p.text, not_safe));
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

static void note_engine(void *user, uint32_t engine)
{
    struct subnet *s = user;
    s->engines = engine;
}

/* What proved tables can do without is no engine's fault where it takes too long, and is left out when asked again. */
static void answers_that_took_too_long(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "ft:m=4,n=3", NULL), *less;
    struct hd_reply_parts p;
    uint32_t one;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=1,seed=6", &less));
    struct subnet s = subnet_up(net, "dmodc steps=on", &p);
    const struct hd_live_port port = {.room = subnet_room, .trying = note_engine, .user = &s};
    struct bytes request = request_from(less, "dmodc steps=on", 0, p.table);
    assert_int_equal(HD_OK, hd_live_answer(&s.live, request.at, request.n, &port));
    assert_int_equal(HD_LIVE_MOST_ENGINES, s.engines);
    ((struct hd_fabric_head *)(void *)request.at)->avoid = 1u << HD_LIVE_MOST_ENGINES;
    next_text(&s, request, &p);
    assert_non_null(strstr(p.text, "; dmodc, "));
    assert_non_null(strstr(p.text, ", the search for safe ones was cut short"));
    assert_non_null(strstr(p.text, "; not used: entries for switches: ended or did not answer in time"));
    assert_in_range(said_missing(p.text), 1, 100);
    assert_int_equal(missing_answers(less, &p, 0, &one), said_missing(p.text));
    assert_int_equal(0, p.head->more);
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* The search is longer the more time there is, up to some seconds. */
static void answers_within_the_budget(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "xgft:m=8x8x8,w=1x8x8", NULL), *less;
    struct hd_reply_parts p;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=60,seed=1", &less));
    for (uint32_t i = 0; i < 2; i++) {
        const char *options = i ? "dmodc" : "dmodc budget=0.01";
        struct subnet s = subnet_up(net, options, &p);
        next_text(&s, request_from(less, options, 0, p.table), &p);
        assert_int_equal(!i, strstr(p.text, "cut short") != NULL);
        subnet_down(&s);
    }
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* A search in tables in use that was cut short goes on with the next request, and how many entries follow is known by
 * then alone. */
static void answers_that_go_on(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "xgft:m=8x8x8,w=1x8x8", NULL), *less;
    struct hd_reply_parts p;
    uint32_t one, missing[8], n = 0;
    const char *options = "nosuch budget=0.01";
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=60,seed=1", &less));
    struct subnet s = subnet_up(net, "dmodc", &p);
    do {
        next_text(&s, request_from(less, options, 0, p.table), &p);
        missing[n] = missing_answers(less, &p, 0, &one);
        assert_int_equal(missing[n++], said_missing(p.text));
        const bool cut = strstr(p.text, "cut short") != NULL, follow = strstr(p.text, " follow, ") != NULL;
        assert_int_equal(cut && (n < 2 || missing[n - 1] < missing[n - 2]), p.head->more);
        assert_int_equal(cut && follow, strstr(p.text, ", of which at least ") != NULL);
    } while (p.head->more && n < 8);
    assert_in_range(n, 2, 4);
    assert_true(missing[n - 1] < missing[0]);
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Whether packets from an endpoint to this LID pass switch v. */
static bool is_passed(const struct hd_net *net, const struct hd_reply_parts *p, uint32_t v, uint32_t lid)
{
    for (uint32_t u = 0; u < net->nsw; u++)
        for (uint32_t at = with_endpoints(net, u) ? u : net->nsw, hops = 0; at < net->nsw && hops <= net->nsw; hops++) {
            if (at == v) return true;
            const uint32_t c = taken(net, p, at, lid);
            at = c == UINT32_MAX ? net->nsw : net->head[c];
        }
    return false;
}

/* A loss during the pause after another one is healed at once, by a step of its own; but no switch gets an entry
 * that no pair needs and that it does not hold, as long as packets may be under way by the tables before those. */
static void answers_after_a_pause(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "ft:m=4,n=3", NULL), *less, *least;
    struct hd_reply_parts p;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=1,seed=6", &less));
    assert_int_equal(HD_OK, hd_net_fail(ctx, less, "links=1,seed=77", &least));
    struct subnet s = subnet_up(net, "dmodc", &p);
    const size_t lids = p.head->last_lid + (size_t)1;
    uint8_t *held = malloc(net->nsw * lids);
    assert_non_null(held);
    struct bytes request;
    uint32_t one;
    const struct hd_net *const then[] = {less, less, least};
    const uint32_t more[] = {HD_MORE_NEW, HD_MORE_SAME, HD_MORE_NEW};
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(held, p.table, net->nsw * lids);
        request = request_from(then[i], "dmodc", 0, held);
        ((struct hd_fabric_head *)(void *)request.at)->settled = i == 0;
        next_text(&s, request, &p);
        assert_int_equal(more[i], p.head->more);
        assert_non_null(strstr(p.text, " follow; "));
    }
    for (size_t i = 0; i < net->nsw * lids; i++) {
        const uint32_t v = net->nsw - 1 - (uint32_t)(i / lids), lid = (uint32_t)(i % lids);
        bool endpoint = false;
        for (uint32_t e = net->nsw; e < net->nsw + net->nep; e++) endpoint |= net->lid[e] == lid;
        if (endpoint && held[i] == HD_FABRIC_NO_PORT && p.table[i] != HD_FABRIC_NO_PORT)
            assert_true(is_passed(least, &p, v, lid));
    }
    next_text(&s, request_from(least, "dmodc", 0, p.table), &p);
    missing_answers(least, &p, 0, &one);
    assert_int_equal(0, one);
    assert_int_equal(0, p.head->more);
    free(held);
    subnet_down(&s);
    hd_net_free(least);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers),
                                       cmocka_unit_test(answers_to_further_lids),
                                       cmocka_unit_test(answers_without_a_lid),
                                       cmocka_unit_test(answers_to_the_manager),
                                       cmocka_unit_test(answers_of_all_engines),
                                       cmocka_unit_test(answers_of_patched_tables),
                                       cmocka_unit_test(answers_that_are_not_safe),
                                       cmocka_unit_test(answers_that_wait),
                                       cmocka_unit_test(answers_that_arrive),
                                       cmocka_unit_test(answers_in_a_pause),
                                       cmocka_unit_test(answers_do_not_go_round),
                                       cmocka_unit_test(answers_in_a_cycle),
                                       cmocka_unit_test(answers_within_a_limit),
                                       cmocka_unit_test(answers_that_wait_for_further_lids),
                                       cmocka_unit_test(answers_of_a_large_fabric),
                                       cmocka_unit_test(answers_of_engines_stay),
                                       cmocka_unit_test(answers_that_took_too_long),
                                       cmocka_unit_test(answers_within_the_budget),
                                       cmocka_unit_test(answers_that_go_on),
                                       cmocka_unit_test(answers_after_a_pause)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
