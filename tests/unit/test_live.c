/* SPDX-License-Identifier: BSD-2-Clause */
/* The worker's side of OpenSM's plug-in without OpenSM: options, requests made from networks, replies compared with the
 * routes of the library, requests that lie, tables patched around a loss, and the log read back. */
#include "live/fabric_net.h"
#include "live/live.h"
#include "tiny.h"
#include "tool/watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    check_options("keep=maybe", "dmodc | settle | nue | updown", 10, "expected on or off");
    check_options("budgt=1", "dmodc | settle | nue | updown", 10, "'budgt'");
    check_options("a b c d e f g h i j k l m n o p q", "a | b | c | d | e | f | g | h | i | j | k | l | m | n | o | p",
                  10, "more than 16");
}

/* ---- requests made from networks ----------------------------------------------------------------- */

struct bytes {
    uint8_t *at;
    size_t n;
};

/* The request that OpenSM's memory of this network would give, switches in reverse order, with tables (or holes). */
static struct bytes request_up_to(uint32_t last_lid, const struct hd_net *net, const char *options,
                                  const uint8_t *tables)
{
    struct hd_fabric_head h = {.magic = HD_FABRIC_MAGIC,
                               .nodes = net->nsw + net->nca,
                               .switches = net->nsw,
                               .ports = net->nchan,
                               .last_lid = last_lid,
                               .text = (uint32_t)strlen(options) + 2,
                               .vls = 8,
                               .settled = 1};
    h.bytes = hd_fabric_bytes(&h);
    struct bytes b = {calloc(1, h.bytes), h.bytes};
    assert_non_null(b.at);
    memcpy(b.at, &h, sizeof h);
    struct hd_fabric_node *node = (void *)(b.at + sizeof h);
    struct hd_fabric_port *port = (void *)(node + h.nodes);
    uint8_t *table = (void *)(port + h.ports);
    const size_t room = (size_t)h.switches * (h.last_lid + 1);
    if (tables)
        memcpy(table, tables, room);
    else
        memset(table, HD_FABRIC_NO_PORT, room);
    memcpy(table + room, options, strlen(options));
#define NUMBER(v) ((v) < net->nsw ? net->nsw - 1 - (v) : net->nsw + net->ca[(v)-net->nsw])
    for (uint32_t v = 0; v < net->nsw; v++)
        node[NUMBER(v)] = (struct hd_fabric_node){
            .guid = net->guid[v], .name = h.text - 1, .lid = net->lid[v], .type = 2, .nports = net->nports[v]};
    for (uint32_t c = 0; c < net->nca; c++)
        node[net->nsw + c] =
            (struct hd_fabric_node){.guid = net->ca_guid[c], .name = h.text - 1, .type = 1, .nports = net->ca_ports[c]};
    for (uint32_t c = 0; c < net->nchan; c++) {
        const uint32_t u = net->tail[c], v = net->head[c];
        port[c] = (struct hd_fabric_port){.guid = u < net->nsw ? 0 : net->guid[u],
                                          .node = NUMBER(u),
                                          .remote = NUMBER(v),
                                          .lid = u < net->nsw ? 0 : net->lid[u],
                                          .port = net->port[c],
                                          .rport = net->port[net->rev[c]],
                                          .width = 2,
                                          .speed = 4};
    }
#undef NUMBER
    return b;
}

static struct bytes request_of(const struct hd_net *net, const char *options, const uint8_t *tables)
{
    return request_up_to(net->nsw + net->nep, net, options, tables);
}

static void *test_room(void *user, size_t n)
{
    struct bytes *b = user;
    free(b->at);
    *b = (struct bytes){calloc(1, n), n};
    return b->at;
}

static struct hd_reply_parts answer(struct hd_live *live, const struct bytes *request, struct bytes *reply)
{
    const struct hd_live_port port = {.room = test_room, .user = reply};
    struct hd_reply_parts p;
    assert_int_equal(HD_OK, hd_live_answer(live, request->at, request->n, &port));
    assert_true(hd_reply_parts(reply->at, reply->n, &p));
    return p;
}

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

static struct hd_net *with_lids(struct hd_ctx *ctx, const char *spec, const char *fail)
{
    struct hd_net *net;
    const struct hd_open open = {.fail = fail, .set_lmc = true};
    assert_int_equal(HD_OK, hd_net_open(ctx, spec, &open, &net));
    return net;
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

struct subnet { /* a worker, and the last reply */
    struct hd_live live;
    struct bytes reply;
    uint32_t engines; /* that were asked for the last request */
};

/* The text of the reply to a request whose switches hold the tables of another one. */
static const char *next_text(struct subnet *s, struct bytes request, struct hd_reply_parts *p)
{
    *p = answer(&s->live, &request, &s->reply);
    free(request.at);
    return p->text;
}

static struct subnet subnet_up(const struct hd_net *net, const char *options, struct hd_reply_parts *p)
{
    struct subnet s = {.live = {.ctx = hd_ctx_new(), .ebb = -1}};
    next_text(&s, request_of(net, options, NULL), p);
    return s;
}

static void subnet_down(struct subnet *s)
{
    free(s->reply.at);
    hd_live_release(&s->live);
    hd_ctx_free(s->live.ctx);
}

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

static void *subnet_room(void *user, size_t n)
{
    struct subnet *s = user;
    return test_room(&s->reply, n);
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

/* ---- the log --------------------------------------------------------------------------------------- */

static void count_sweep(void *user, const struct hd_sweep *s)
{
    uint32_t *n = user;
    ++*n;
    assert_int_equal(*n, s->number);
    assert_string_equal("dmodc", s->engine);
    assert_int_equal(*n == 1 ? 8 : 0, s->change.switches_new + s->change.cables_new ? 8 : 0);
}

/* Cut at any byte, the log has the sweeps before; a line that was cut for good does not hide the next one. */
static void cut_lines(struct hd_ctx *ctx, const char *path)
{
    char text[16384];
    FILE *file = fopen(path, "r");
    const size_t size = fread(text, 1, sizeof text, file), step = size / 40 + 1;
    fclose(file);
    for (size_t at = 0; at <= size; at += step) {
        uint32_t whole = at > 0 && at < size && text[at] == '\n', n = 0; /* cut before the end of a line */
        for (size_t i = 0; i < at; i++) whole += text[i] == '\n';
        file = fopen(path, "w");
        fwrite(text, 1, at, file);
        fclose(file);
        assert_int_equal(HD_OK, hd_sweeps_read(ctx, path, count_sweep, &n));
        assert_int_equal(whole, n);
        if (whole) continue;
        file = fopen(path, "a");
        fwrite(text, 1, size, file);
        fclose(file);
        assert_int_equal(HD_OK, hd_sweeps_read(ctx, path, count_sweep, &n));
        assert_int_equal(3, n);
    }
}

static void log_and_metrics(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_live.XXXXXX", options[200], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(options, sizeof options, "dmodc log=%s/a.jsonl metrics=%s/m.prom", folder, folder);
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    struct hd_net *net = with_lids(live.ctx, "ft:m=4,n=2", NULL);
    struct bytes request = request_of(net, options, NULL), reply = {0};
    for (uint64_t i = 0; i < 3; i++) {
        ((struct hd_fabric_head *)(void *)request.at)->sweeps = i;
        answer(&live, &request, &reply);
    }
    uint32_t n = 0;
    snprintf(path, sizeof path, "%s/a.jsonl", folder);
    assert_int_equal(HD_OK, hd_sweeps_read(live.ctx, path, count_sweep, &n));
    assert_int_equal(3, n);
    cut_lines(live.ctx, path);
    assert_int_equal(0, unlink(path));
    snprintf(path, sizeof path, "%s/m.prom", folder);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
    free(request.at);
    free(reply.at);
    hd_net_free(net);
    hd_live_release(&live);
    hd_ctx_free(live.ctx);
}

/* Neither file can be written: the message names both. */
static void unwritable_log_and_metrics(void **state)
{
    (void)state;
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_outcome o = {.tables = true};
    static const char *const log = "/nowhere/test_live.jsonl", *const metrics = "/nowhere/test_live.prom";
    for (int i = 1; i < 4; i++) {
        struct hd_live_options options = {.log = i & 1 ? log : NULL, .metrics = i & 2 ? metrics : NULL};
        assert_true(hd_live_publish(&live, &options, &o) != HD_OK);
        assert_int_equal((i & 1) != 0, strstr(hd_ctx_error(live.ctx), log) != NULL);
        assert_int_equal((i & 2) != 0, strstr(hd_ctx_error(live.ctx), metrics) != NULL);
    }
    hd_ctx_free(live.ctx);
}

/* A pipe that nobody reads is one message, and no wait; one that somebody reads gets the metrics. */
static void metrics_into_a_pipe(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_live.XXXXXX", path[64], text[8192] = "";
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_outcome o = {.tables = true};
    const struct hd_live_options options = {.metrics = path};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.prom", folder);
    assert_int_equal(0, mkfifo(path, 0600));
    alarm(20); /* it waited for a reader */
    assert_int_equal(HD_LIMIT, hd_live_publish(&live, &options, &o));
    assert_non_null(strstr(hd_ctx_error(live.ctx), path));
    const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(HD_OK, hd_live_publish(&live, &options, &o));
    assert_true(read(reader, text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "\nheddle_tables 1\n"));
    for (int i = 0; i < 100; i++) /* a reader that does not read: the pipe is full at some time */
        if (hd_live_publish(&live, &options, &o) != HD_OK) assert_non_null(strstr(hd_ctx_error(live.ctx), path));
    alarm(0);
    close(reader);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
    hd_ctx_free(live.ctx);
}

static void take_names(void *user, const struct hd_sweep *s)
{
    snprintf(user, sizeof s->change.names, "%s", s->change.names);
}

/* What was logged is what is read: a backslash before a u is no escape. */
static void names_of_the_log(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"rack\\u12345", "rack\\u12345"},
                                           {"\\\\u00e9 \\\"u\"", "\\\\u00e9 \\\"u\""},
                                           {"a\x01"
                                            "bcdef",
                                            "a?bcdef"},
                                           {"u\\", "u\\"}};
    char path[] = "/tmp/test_live.XXXXXX", got[sizeof(struct hd_fabric_change)] = "";
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_options options = {.log = path};
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hd_live_outcome o = {.tables = true};
        snprintf(o.change.names, sizeof o.change.names, "%s", names[i][0]);
        assert_int_equal(HD_OK, hd_live_publish(&live, &options, &o));
        assert_int_equal(HD_OK, hd_sweeps_read(live.ctx, path, take_names, got));
        assert_string_equal(names[i][1], got);
    }
    close(fd);
    assert_int_equal(0, unlink(path));
    hd_ctx_free(live.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options),
                                       cmocka_unit_test(levels),
                                       cmocka_unit_test(replies),
                                       cmocka_unit_test(patched),
                                       cmocka_unit_test(lies),
                                       cmocka_unit_test(log_and_metrics),
                                       cmocka_unit_test(unwritable_log_and_metrics),
                                       cmocka_unit_test(metrics_into_a_pipe),
                                       cmocka_unit_test(names_of_the_log),
                                       cmocka_unit_test(foreign_tables),
                                       cmocka_unit_test(exchanged_lids),
                                       cmocka_unit_test(proofs_of_small_tables),
                                       cmocka_unit_test(steps),
                                       cmocka_unit_test(steps_by_groups),
                                       cmocka_unit_test(steps_with_levels),
                                       cmocka_unit_test(pauses),
                                       cmocka_unit_test(plans_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
