/* SPDX-License-Identifier: BSD-2-Clause */
/* The worker's side of OpenSM's plug-in without OpenSM: options, requests made from networks, replies compared with the
 * routes of the library, requests that lie, tables patched around a loss, and steps from one table to the next. */
#include "base/rng.h"
#include "live_tools.h"

#include <stdio.h>

/* ---- options ------------------------------------------------------------------------------------ */

static void check_options(const char *text, const char *engines, double budget, const char *wrong)
{
    struct hd_live_options o;
    char got[512] = "";
    assert_true(hd_live_options(text, &o));
    for (uint32_t i = 0; i < o.engines; i++) {
        strcat(got, i ? " | " : "");
        strcat(got, o.engine[i]);
    }
    assert_string_equal(engines, got);
    assert_true(o.budget == budget);
    if (*wrong)
        assert_non_null(strstr(o.wrong, wrong));
    else
        assert_string_equal("", o.wrong);
    hd_live_options_free(&o);
}

static void check_levels(const char *text, const char *expected)
{
    struct hd_live_options o;
    char got[64] = "";
    assert_true(hd_live_options(text, &o));
    for (uint32_t i = 0; i < o.levels; i++) snprintf(got + strlen(got), 8, "%u ", o.level[i]);
    assert_string_equal(got, expected);
    hd_live_options_free(&o);
}

static void levels(void **state)
{
    (void)state;
    static const char all[] = "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 ";
    check_levels("settle levels=5,2-3,3 keep=on", "2 3 5 ");
    check_levels("levels=14", "14 ");
    check_levels("levels=5-5,0-0", "0 5 ");
    static const char *const bad[] = {"levels=",  "levels=15", "levels=3-2", "levels=1,",
                                      "levels=a", "levels=1-", "levels=-1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_levels(bad[i], all);
        check_options(bad[i], "dmodc | settle | nue | updown", 10, "expected service levels from 0 to 14");
    }
    check_levels("", all);
}

static void options(void **state)
{
    (void)state;
    check_options(NULL, "dmodc | settle | nue | updown", 10, "");
    check_options("", "dmodc | settle | nue | updown", 10, "");
    check_options("settle,dmodc,updown", "settle | dmodc | updown", 10, "");
    check_options("settle:passes=4,tries=1,dmodc;updown budget=2.5", "settle:passes=4,tries=1 | dmodc | updown", 2.5,
                  "");
    check_options("dmodc,budget=3", "dmodc", 3, "");
    static const char *const budgets[] = {"budget=x", "budget=nan", "budget=1e9", "budget=-1", "budget=0"};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) /* the plug-in waits that long for the refusal */
        check_options(budgets[i], "dmodc | settle | nue | updown", 10, "expected seconds");
    check_options("dmodc log=/a,b:c", "dmodc", 10, "");
    check_options("dmodc maxlanes=2 threads=3", "dmodc", 10, "");
    check_options("dmodc maxlanes=1.9", "dmodc", 10, "expected a number of VLs, 1 to 15");
    check_options("dmodc threads=2.9", "dmodc", 10, "expected a number of threads, 1 to 1024");
    check_options("dmodc log=", "dmodc", 10, "'log': expected a file");
    check_options("dmodc metrics=", "dmodc", 10, "'metrics': expected a file");
    check_options("dmodc worker=", "dmodc", 10, "'worker': expected a program");
    check_options("keep=maybe", "dmodc | settle | nue | updown", 10, "expected on or off");
    check_options("budgt=1", "dmodc | settle | nue | updown", 10, "'budgt'");
    check_options("a b c d e f g h i j k l m n o p q", "a | b | c | d | e | f | g | h | i | j | k | l | m | n | o | p",
                  10, "more than 16");
}

/* ---- requests made from networks ----------------------------------------------------------------- */

/* Every entry of a reply against the routes of the library. */
static void check_reply(struct hd_ctx *ctx, const struct hd_net *net, const char *engine,
                        const struct hd_reply_parts *p)
{
    struct hd_routes *r;
    uint8_t *row = malloc(net->nsw);
    assert_non_null(row);
    assert_int_equal(HD_OK, hd_routes_open(ctx, net, engine, &r));
    assert_int_equal(net->nsw, p->head->switches);
    assert_int_equal(hd_routes_lanes(r), p->head->vls);
    for (uint32_t d = 0; d < net->nep; d++) {
        const uint8_t *slots = hd_routes_row(r, d, 0, row);
        const uint32_t lid = net->lid[net->nsw + d];
        for (uint32_t v = 0; v < net->nsw; v++)
            assert_int_equal(slots[v] == HD_SLOT_NONE ? HD_FABRIC_NO_PORT : net->port[net->off[v] + slots[v]],
                             p->table[(net->nsw - 1 - v) * (p->head->last_lid + (size_t)1) + lid]);
        for (uint32_t s = 0; s < net->nep && p->head->sl_rows; s++)
            assert_int_equal(hd_routes_lane(r, s, d, 0),
                             p->level[p->row[net->lid[net->nsw + s]] * (p->head->last_lid + (size_t)1) + lid]);
    }
    for (uint32_t t = 0; t < net->nsw; t++)
        assert_int_equal(0, p->table[(net->nsw - 1 - t) * (p->head->last_lid + (size_t)1) + net->lid[t]]);
    hd_routes_free(r);
    free(row);
}

static void replies(void **state)
{
    (void)state;
    static const struct {
        const char *net, *options, *engine;
    } cases[] = {{"ft:m=4,n=3", "dmodc", "dmodc"},
                 {"torus:dims=3x3,hosts=2", "dfsssp:maxlanes=4", "dfsssp:maxlanes=4"},
                 {"torus:dims=3x3,hosts=2", "lash", "lash"},
                 {"ft:m=4,n=3", "dor,torus2qos,updown", "updown"}, /* the first that applies */
                 {"mesh:dims=8x8,hosts=1", "updown", "updown"}};   /* LIDs of switches begin a block of 64 */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
        struct hd_net *net = with_lids(live.ctx, cases[i].net, NULL);
        struct bytes request = request_of(net, cases[i].options, NULL), reply = {0};
        struct hd_reply_parts p = answer(&live, &request, &reply);
        check_reply(live.ctx, net, cases[i].engine, &p);
        free(request.at);
        free(reply.at);
        hd_net_free(net);
        hd_live_release(&live);
        hd_ctx_free(live.ctx);
    }
}

/* No engine applies: the tables in use get a path around what died; with nothing in use there are no tables. */
static void patched(void **state)
{
    (void)state;
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    struct hd_net *whole = with_lids(live.ctx, "ft:m=4,n=3", NULL), *less;
    struct bytes request = request_of(whole, "dmodc", NULL), reply = {0}, next, second = {0};
    struct hd_reply_parts p = answer(&live, &request, &reply), q;
    assert_int_equal(HD_OK, hd_net_fail(live.ctx, whole, "links=1,seed=4", &less));
    next = request_of(less, "dor", p.table);
    q = answer(&live, &next, &second);
    assert_int_equal(less->nsw, q.head->switches);
    assert_non_null(strstr(q.text, "tables in use, patched"));
    uint64_t changed = 0;
    for (size_t i = 0; i < (size_t)less->nsw * (q.head->last_lid + 1); i++) changed += p.table[i] != q.table[i];
    assert_in_range(changed, 1, 200);
    free(next.at);
    next = request_of(whole, "dor nosuch:x=1", NULL);
    q = answer(&live, &next, &second);
    assert_non_null(strstr(q.text, "dor: "));
    free(request.at);
    free(reply.at);
    free(next.at);
    free(second.at);
    hd_net_free(less);
    hd_net_free(whole);
    hd_live_release(&live);
    hd_ctx_free(live.ctx);
}

/* Entries of two tables that differ. */
static uint64_t entries_that_differ(const struct hd_reply_parts *p, const uint8_t *held)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->head->switches * (p->head->last_lid + (size_t)1); i++) n += p->table[i] != held[i];
    return n;
}

/* A worker without an engine that applies, while switches hold these tables. */
static uint64_t patch_changes(const struct hd_net *net, uint8_t *held)
{
    struct subnet s = {.live = {.ctx = hd_ctx_new(), .ebb = -1}};
    struct hd_reply_parts p;
    const char *text = next_text(&s, request_of(net, "nosuch", held), &p);
    assert_non_null(strstr(text, "; tables in use, patched, 1 VL, "));
    assert_null(strstr(text, "EBB"));
    const uint64_t changed = entries_that_differ(&p, held);
    subnet_down(&s);
    return changed;
}

/* Tables of two engines: LIDs that are odd have those of the other one. */
static uint8_t *tables_of_two(const struct hd_net *net, const char *engine, const char *other)
{
    struct hd_reply_parts p, q;
    struct subnet s = subnet_up(net, engine, &p), t = subnet_up(net, other, &q);
    const size_t bytes = net->nsw * (p.head->last_lid + (size_t)1);
    uint8_t *held = malloc(bytes);
    assert_non_null(held);
    for (size_t i = 0; i < bytes; i++) held[i] = i % (p.head->last_lid + (size_t)1) % 2 ? q.table[i] : p.table[i];
    subnet_down(&s);
    subnet_down(&t);
    return held;
}

/* Where LIDs of one endpoint lead different ways, each is patched by itself: nothing changes where nothing died. */
static void patched_lids(void **state)
{
    (void)state;
    static const struct {
        const char *net, *engine, *other, *fail;
        uint64_t least, most;
    } cases[] = {{"ft:m=4,n=3", "mlid maxlanes=1", "mlid maxlanes=1", NULL, 0, 0},
                 {"ft:m=4,n=3", "mlid maxlanes=1", "mlid maxlanes=1", "links=1,seed=3", 1, 100},
                 {"torus:dims=4x4,hosts=1", "updown", "dfsssp", NULL, 1,
                  400}}; /* of 1024 for endpoints: a credit loop in one VL */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_ctx *ctx = hd_ctx_new();
        struct hd_net *net = with_lmc(ctx, cases[i].net, NULL, 2), *less = net;
        uint8_t *held = tables_of_two(net, cases[i].engine, cases[i].other);
        if (cases[i].fail) assert_int_equal(HD_OK, hd_net_fail(ctx, net, cases[i].fail, &less));
        assert_in_range(patch_changes(less, held), cases[i].least, cases[i].most);
        free(held);
        if (less != net) hd_net_free(less);
        hd_net_free(net);
        hd_ctx_free(ctx);
    }
}

/* With nothing in use there is nothing to patch, and updown makes better tables than paths to the nearest switch. */
static void nothing_to_patch(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "torus:dims=5x5,hosts=2", NULL);
    struct hd_reply_parts p;
    struct subnet s = subnet_up(net, "dmodc", &p);
    assert_non_null(strstr(p.text, "; updown, 1 VL, "));
    subnet_down(&s);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Any byte of a request may be anything: an answer or a refusal, never a crash. */
static void lies(void **state)
{
    (void)state;
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    struct hd_net *net = with_lids(live.ctx, "ft:m=4,n=2", NULL);
    struct bytes request = request_of(net, "updown", NULL), reply = {0};
    const struct hd_live_port port = {.room = test_room, .user = &reply};
    for (size_t i = 0; i < request.n; i++)
        for (int k = 0; k < 3; k++) {
            const uint8_t was = request.at[i];
            request.at[i] = (uint8_t)(k == 0 ? 0 : k == 1 ? 255 : was + 1);
            hd_live_answer(&live, request.at, request.n, &port);
            request.at[i] = was;
        }
    for (size_t n = 0; n < request.n; n += 7) assert_int_not_equal(HD_OK, hd_live_answer(&live, request.at, n, &port));
    free(request.at);
    free(reply.at);
    hd_net_free(net);
    hd_live_release(&live);
    hd_ctx_free(live.ctx);
}

/* ---- what switches hold ----------------------------------------------------------------------------- */

/* Tables of another engine in the switches: the change from those is proved, not that from what was handed over. */
static void foreign_tables(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "mesh:dims=4x4,hosts=1", NULL);
    struct hd_reply_parts dor, own, p;
    struct subnet other = subnet_up(net, "dor", &dor), s = subnet_up(net, "updown", &own);
    assert_non_null(strstr(next_text(&s, request_of(net, "updown", dor.table), &p), "NOT safe in any order"));
    struct bytes request = request_of(net, "updown", p.table);
    assert_non_null(
        strstr(next_text(&s, request, &p), "0 entries in 0 blocks of 0 switches change, safe in any order"));
    request = request_of(net, "updown", dor.table);
    ((struct hd_fabric_head *)(void *)request.at)->new_master = 1;
    assert_null(strstr(next_text(&s, request, &p), "in any order"));
    subnet_down(&s);
    subnet_down(&other);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

static uint8_t *entry_of(const struct hd_net *net, const struct hd_reply_parts *p, uint8_t *table, uint32_t v,
                         uint32_t lid)
{
    return table + (net->nsw - 1 - v) * (p->head->last_lid + (size_t)1) + lid;
}

struct union_walk {
    const struct hd_net *net;
    const struct hd_reply_parts *p;
    uint8_t *table[2];
    uint32_t lid;
    uint8_t *state; /* [nsw] 1: on the way, 2: no cycle from here */
};

/* Whether packets for a LID can come from switch v to a switch that they have passed, by entries of either table. */
static bool comes_back(struct union_walk *w, uint32_t v)
{
    const struct hd_net *net = w->net;
    if (w->state[v]) return w->state[v] == 1;
    w->state[v] = 1;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        for (int i = 0; i < 2; i++)
            if (*entry_of(net, w->p, w->table[i], v, w->lid) == net->port[c] && net->head[c] < net->nsw &&
                comes_back(w, net->head[c]))
                return true;
    w->state[v] = 2;
    return false;
}

/* LIDs of endpoints for which some mixture of two tables has a loop that an endpoint reaches. */
static uint32_t lids_that_loop(const struct hd_net *net, const struct hd_reply_parts *p, uint8_t *old)
{
    struct union_walk w = {net, p, {old, (uint8_t *)p->table}, 0, malloc(net->nsw)};
    uint32_t loops = 0;
    assert_non_null(w.state);
    for (uint32_t e = 0; e < net->nep; e++)
        for (uint32_t k = 0; k < 1u << net->lmc_of[e]; k++) {
            bool loop = false;
            w.lid = net->lid[net->nsw + e] + k;
            memset(w.state, 0, net->nsw);
            for (uint32_t s = 0; s < net->nep; s++) loop |= s != e && comes_back(&w, net->head[net->off[net->nsw + s]]);
            loops += loop;
        }
    free(w.state);
    return loops;
}

static uint32_t said_loops(const char *text)
{
    const char *at = strstr(text, "NOT safe in any order: ");
    return at ? (uint32_t)strtoul(at + strlen("NOT safe in any order: "), NULL, 10) : 0;
}

/* Some entries for LIDs beyond the base LIDs lead elsewhere in the tables that switches hold. */
static void twist_further(struct hd_rng *rng, const struct hd_net *net, const struct hd_reply_parts *p, uint8_t *held)
{
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t e = hd_rng_below(rng, net->nep), v = hd_rng_below(rng, net->nsw);
        const uint32_t k = 1 + hd_rng_below(rng, (1u << net->lmc_of[e]) - 1);
        const uint32_t c = net->off[v] + hd_rng_below(rng, hd_degree(net, v));
        *entry_of(net, p, held, v, net->lid[net->nsw + e] + k) = net->port[c];
    }
}

static uint32_t next_switch(const struct hd_net *net, uint32_t v, uint8_t port)
{
    uint32_t c = net->off[v];
    while (net->port[c] != port) c++;
    return net->head[c];
}

static uint8_t port_to(const struct hd_net *net, uint32_t u, uint32_t v)
{
    uint32_t c = net->off[u];
    while (net->head[c] != v) c++;
    return net->port[c];
}

/* Packets for a LID beyond a base LID go up, down to another leaf switch and up again: they arrive, but where that one
 * is written first they do not. */
static void detour_further(const struct hd_net *net, const struct hd_reply_parts *p, uint32_t e, uint8_t *held)
{
    const uint32_t lid = net->lid[net->nsw + e] + 1, home = net->head[net->off[net->nsw + e]];
    uint32_t by = net->head[net->off[net->nsw]], up, other = 0;
    for (uint32_t i = 1; by == home; i++) by = net->head[net->off[net->nsw + i]];
    up = next_switch(net, by, *entry_of(net, p, held, by, lid));
    for (uint32_t c = net->off[by]; c < net->off[by + 1]; c++)
        if (net->head[c] < net->nsw && net->head[c] != up) other = net->head[c];
    *entry_of(net, p, held, up, lid) = port_to(net, up, by);
    *entry_of(net, p, held, by, lid) = port_to(net, by, other);
}

/* What switches hold for LIDs beyond the base LID counts, in steps as well: nothing is said to be safe that is not. */
static void further_lids(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_rng rng;
    uint32_t unsafe = 0, steps = 0;
    hd_rng_init(&rng, 5, HD_RNG_TEST, 0);
    for (uint32_t i = 0; i < 60; i++) {
        struct hd_net *net = with_lmc(ctx, "ft:m=4,n=2", NULL, (uint8_t)(1 + i % 2));
        struct hd_reply_parts p;
        const char *options = i < 30 ? "dmodc" : "dmodc steps=on";
        struct subnet s = subnet_up(net, options, &p);
        const size_t bytes = net->nsw * (p.head->last_lid + (size_t)1);
        uint8_t *held = malloc(bytes);
        assert_non_null(held);
        memcpy(held, p.table, bytes);
        if (i < 30)
            twist_further(&rng, net, &p, held);
        else
            detour_further(net, &p, i % net->nep, held);
        for (uint32_t n = 0; n == 0 || p.head->more; n++) {
            next_text(&s, request_of(net, options, held), &p);
            assert_int_equal(lids_that_loop(net, &p, held), said_loops(p.text));
            unsafe += said_loops(p.text) > 0;
            steps += p.head->more;
            memcpy(held, p.table, bytes);
            assert_in_range(n, 0, 16);
        }
        check_reply(ctx, net, "dmodc", &p);
        free(held);
        subnet_down(&s);
        hd_net_free(net);
    }
    assert_in_range(unsafe, 5, 30);
    assert_in_range(steps, 5, 100);
    hd_ctx_free(ctx);
}

/* Whether mixtures are proved without being asked for: with tables of less than a million entries. */
static void proofs_of_small_tables(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "mesh:dims=5x5,hosts=1", NULL);
    for (uint32_t last_lid = 39999; last_lid <= 40000; last_lid++) {
        struct subnet s = {.live = {.ctx = hd_ctx_new(), .ebb = -1}};
        struct hd_reply_parts p;
        next_text(&s, request_up_to(last_lid, net, "updown", NULL), &p);
        const char *text = next_text(&s, request_up_to(last_lid, net, "updown", p.table), &p);
        assert_int_equal(strstr(text, "safe in any order") != NULL, last_lid < 40000);
        subnet_down(&s);
    }
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Switches forward by LID: where two endpoints exchange theirs, old and new entries of a LID lead to different ends. */
static void exchanged_lids(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "mesh:dims=4,hosts=1", NULL);
    struct hd_reply_parts p;
    struct subnet s = subnet_up(net, "updown", &p);
    struct bytes request = request_of(net, "updown", p.table);
    struct hd_fabric_head *h = (void *)request.at;
    struct hd_fabric_port *port = (void *)(request.at + sizeof *h + h->nodes * sizeof(struct hd_fabric_node));
    const uint16_t a = net->lid[net->nsw], b = net->lid[net->nsw + 3];
    for (uint32_t i = 0; i < h->ports; i++)
        if (port[i].lid == a || port[i].lid == b) port[i].lid = port[i].lid == a ? b : a;
    const char *text = next_text(&s, request, &p);
    assert_non_null(strstr(text, "2 LIDs changed"));
    assert_non_null(strstr(text, "NOT safe in any order: 2 destinations may loop"));
    subnet_down(&s);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* ---- steps -------------------------------------------------------------------------------- */

/* A step stays until packets from before it have left; then comes the next one, and at last the tables themselves. */
static void steps(void **state)
{
    (void)state;
    static const char options[] = "settle maxlanes=1 steps=on";
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "random:switches=10,ports=6,hosts=2,seed=1", NULL), *less;
    struct hd_reply_parts p;
    uint32_t stepped = 0;
    for (uint32_t seed = 1; seed <= 12 && !stepped; seed++) {
        char fail[40];
        snprintf(fail, sizeof fail, "links=1,seed=%u", seed);
        assert_int_equal(HD_OK, hd_net_fail(ctx, net, fail, &less));
        struct subnet s = subnet_up(net, options, &p);
        next_text(&s, request_of(less, options, p.table), &p);
        assert_false(p.head->more);
        for (next_text(&s, request_of(net, options, p.table), &p); p.head->more; stepped++) {
            const size_t bytes = net->nsw * (p.head->last_lid + (size_t)1);
            uint8_t *step = malloc(bytes);
            assert_non_null(memcpy(step, p.table, bytes));
            assert_non_null(strstr(p.text, ", safe in any order, a step: more follows"));
            struct bytes request = request_of(net, options, step);
            ((struct hd_fabric_head *)(void *)request.at)->settled = 0;
            assert_non_null(strstr(next_text(&s, request, &p), "tables in use"));
            assert_true(p.head->more && memcmp(step, p.table, bytes) == 0);
            next_text(&s, request_of(net, options, step), &p);
            assert_int_not_equal(0, memcmp(step, p.table, bytes));
            free(step);
        }
        check_reply(ctx, net, "settle:maxlanes=1", &p);
        subnet_down(&s);
        hd_net_free(less);
    }
    assert_in_range(stepped, 1, 16);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Steps that only a longer search finds, destination by destination: on a small fabric there is time for it. */
static void steps_by_groups(void **state)
{
    (void)state;
    static const char options[] = "settle maxlanes=1 steps=on";
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "random:switches=10,ports=6,hosts=2,seed=1", NULL), *less;
    struct hd_reply_parts p;
    uint32_t stepped = 0;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "link=L1-0000:5", &less));
    struct subnet s = subnet_up(net, options, &p);
    next_text(&s, request_of(less, options, p.table), &p);
    for (next_text(&s, request_of(net, options, p.table), &p); p.head->more; stepped++) {
        assert_non_null(strstr(p.text, ", safe in any order, a step: more follows"));
        next_text(&s, request_of(net, options, p.table), &p);
    }
    check_reply(ctx, net, "settle:maxlanes=1", &p);
    assert_in_range(stepped, 3, 16);
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

static void count_engine(void *user, uint32_t engine)
{
    struct subnet *s = user;
    s->engines += engine < HD_LIVE_MOST_ENGINES;
}

/* How often engines were asked for tables while a request was answered. */
static uint32_t engines_for(struct subnet *s, struct bytes request, struct hd_reply_parts *p)
{
    const struct hd_live_port port = {.room = subnet_room, .trying = count_engine, .user = s};
    s->engines = 0;
    assert_int_equal(HD_OK, hd_live_answer(&s->live, request.at, request.n, &port));
    assert_true(hd_reply_parts(s->reply.at, s->reply.n, p));
    free(request.at);
    return s->engines;
}

/* A worker that has handed over the first of several tables for net. */
static struct subnet first_step(const struct hd_net *net, const struct hd_net *less, const char *options,
                                struct hd_reply_parts *p)
{
    struct subnet s = subnet_up(net, options, p);
    next_text(&s, request_of(less, options, p->table), p);
    assert_int_equal(1, engines_for(&s, request_of(net, options, p->table), p));
    return s;
}

/* The plan is followed without another search while nothing else has changed; it ends with the fabric, the options or
 * any entry that it assumed. */
static void plans_are_kept(void **state)
{
    (void)state;
    static const char options[] = "settle maxlanes=1 steps=on", other[] = "settle maxlanes=1 steps=5";
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "random:switches=10,ports=6,hosts=2,seed=1", NULL), *less;
    struct hd_reply_parts p;
    uint32_t plans = 0;
    for (uint32_t seed = 1; seed <= 12 && !plans; seed++) {
        char fail[40];
        snprintf(fail, sizeof fail, "links=1,seed=%u", seed);
        assert_int_equal(HD_OK, hd_net_fail(ctx, net, fail, &less));
        for (int changed = 0; changed < 4; changed++) {
            struct subnet s = first_step(net, less, options, &p);
            if (!p.head->more) {
                subnet_down(&s);
                break;
            }
            plans++;
            struct bytes unsettled = request_of(net, options, p.table);
            ((struct hd_fabric_head *)(void *)unsettled.at)->settled = 0;
            assert_int_equal(0, engines_for(&s, unsettled, &p));
            if (changed == 3) /* a write that was lost, of an entry towards a switch */
                s.reply.at[(p.table - s.reply.at) + net->lid[0]] = HD_FABRIC_NO_PORT;
            struct bytes request = request_of(changed == 1 ? less : net, changed == 2 ? other : options, p.table);
            assert_int_equal(changed != 0, engines_for(&s, request, &p));
            for (; !changed && p.head->more;)
                assert_int_equal(0, engines_for(&s, request_of(net, options, p.table), &p));
            if (!changed) check_reply(ctx, net, "settle:maxlanes=1", &p);
            subnet_down(&s);
        }
        hd_net_free(less);
    }
    assert_int_equal(4, plans);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Requests until nothing more follows, after two cables have come back and while a switch takes no writes. */
static uint32_t steps_of_a_stuck_switch(const struct hd_net *net, const struct hd_net *less, uint32_t stuck)
{
    static const char options[] = "settle keep=on steps=on";
    struct hd_reply_parts p;
    struct subnet s = subnet_up(net, options, &p);
    const size_t lids = p.head->last_lid + (size_t)1;
    uint8_t *held = malloc(net->nsw * lids);
    uint32_t asked = 0;
    assert_non_null(held);
    memcpy(held, p.table, net->nsw * lids);
    while (p.head->more || !asked++) {
        next_text(&s, request_of(less, options, held), &p);
        memcpy(held, p.table, net->nsw * lids);
    }
    asked = 0;
    do {
        next_text(&s, request_of(net, options, held), &p);
        for (uint32_t v = 0; v < net->nsw; v++)
            if (v != stuck) memcpy(held + v * lids, p.table + v * lids, lids);
    } while (asked++ < 30 && p.head->more);
    free(held);
    subnet_down(&s);
    return asked;
}

/* A plan that ends because of a lost write is made again, but two of them do not alternate. */
static void plans_end(void **state)
{
    (void)state;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "kary:k=2,n=3", NULL), *less;
    uint32_t most = 0;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=2,seed=2", &less));
    for (uint32_t stuck = 0; stuck < net->nsw; stuck++) {
        const uint32_t n = steps_of_a_stuck_switch(net, less, stuck);
        most = n > most ? n : most;
    }
    assert_in_range(most, 2, 5);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* Connections keep the service levels from before the first step, which no later step is proved with. */
static void steps_with_levels(void **state)
{
    (void)state;
    static const char options[] = "lash steps=on";
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "torus:dims=4x4,hosts=1", NULL), *less;
    struct hd_reply_parts p;
    uint32_t later = 0;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        char fail[40];
        snprintf(fail, sizeof fail, "links=1,seed=%u", seed);
        assert_int_equal(HD_OK, hd_net_fail(ctx, net, fail, &less));
        struct subnet s = subnet_up(net, options, &p);
        next_text(&s, request_of(less, options, p.table), &p);
        for (next_text(&s, request_of(net, options, p.table), &p); p.head->more; later++) {
            const size_t bytes = net->nsw * (p.head->last_lid + (size_t)1);
            uint8_t *step = malloc(bytes);
            assert_non_null(memcpy(step, p.table, bytes));
            assert_null(strstr(next_text(&s, request_of(net, options, step), &p), "safe in any order,"));
            free(step);
        }
        subnet_down(&s);
        hd_net_free(less);
    }
    assert_in_range(later, 1, 64);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

static void pauses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool steps;
        double pause;
    } cases[] = {{"", false, 10}, {"steps=on", true, 10}, {"steps=2.5", true, 2.5}, {"steps=off", false, 10}};
    struct hd_live_options o;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(hd_live_options(cases[i].text, &o));
        assert_true(o.steps == cases[i].steps && o.pause == cases[i].pause && !*o.wrong);
        hd_live_options_free(&o);
    }
    check_options("steps=0", "dmodc | settle | nue | updown", 10, "seconds between steps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options),
                                       cmocka_unit_test(levels),
                                       cmocka_unit_test(replies),
                                       cmocka_unit_test(patched),
                                       cmocka_unit_test(patched_lids),
                                       cmocka_unit_test(nothing_to_patch),
                                       cmocka_unit_test(lies),
                                       cmocka_unit_test(foreign_tables),
                                       cmocka_unit_test(exchanged_lids),
                                       cmocka_unit_test(proofs_of_small_tables),
                                       cmocka_unit_test(steps),
                                       cmocka_unit_test(steps_by_groups),
                                       cmocka_unit_test(steps_with_levels),
                                       cmocka_unit_test(further_lids),
                                       cmocka_unit_test(pauses),
                                       cmocka_unit_test(plans_are_kept),
                                       cmocka_unit_test(plans_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
