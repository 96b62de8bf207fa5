/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that go with routes, and the difference of two tables, each against an oracle of its own: paths
 * walked pair by pair, files parsed by code that is not the product's. What needs OpenSM is in tests/ib. */
#include "testing.h"
#include "stored_routes.h"

#include "base/input.h"
#include "net/io/fmt_guid2lid.h"
#include "route/core/routes.h"
#include "base/context.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

static struct hd_ctx ctx;
static char noted[1024];

static void keep_note(void *user, const char *line)
{
    (void)user;
    snprintf(noted, sizeof noted, "%s", line);
}

static void fresh(void)
{
    hd_ctx_init(&ctx);
    ctx.note = keep_note;
    ctx.threads = 1;
    noted[0] = 0;
}

static struct hd_routes *open_routes(const struct hd_net *net, const char *spec)
{
    struct hd_routes *r = NULL;
    fresh();
    if (hd_routes_open(&ctx, net, spec, &r) != HD_OK) fail_msg("%s: %s", spec, ctx.error);
    return r;
}

/* The text of a format; free it. */
static char *text_of(const struct hd_routes *r, const char *format)
{
    struct hd_out *o;
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    if (hd_routes_write(&ctx, r, format, o) != HD_OK) fail_msg("%s: %s", format, ctx.error);
    char *text = strdup(hd_out_text(o, NULL));
    hd_out_drop(o);
    return text;
}

static void refuse_format(const struct hd_routes *r, const char *format, const char *words)
{
    struct hd_out *o;
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_routes_write(&ctx, r, format, o), HD_INPUT);
    if (!strstr(ctx.error, words)) fail_msg("expected '%s', got: %s", words, ctx.error);
    hd_out_drop(o);
}

/* ---- difference ---------------------------------------------------------------------------- */

static uint32_t port_of(const struct hd_routes *r, uint32_t v, uint32_t to, uint32_t x)
{
    const struct hd_net *net = r->net;
    uint8_t row[1024];
    assert_true(net->nsw <= sizeof row);
    if (v == to) return 0;
    uint8_t slot;
    if (to < net->nsw) {
        struct hd_ctx ctx;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_routes_switch_row(&ctx, r, to, row), HD_OK);
        slot = row[v];
    } else {
        slot = hd_routes_row(r, to - net->nsw, x % r->nvar, row)[v];
    }
    return slot < hd_degree(net, v) ? net->port[net->off[v] + slot] : 999;
}

static bool same_ways(const struct hd_routes *a, const struct hd_routes *b, uint32_t s, uint32_t d)
{
    bool all = a->select == HD_SELECT_ALL;
    uint32_t n = all ? (a->nvar > b->nvar ? a->nvar : b->nvar) : 1;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t pa[HD_MAX_HOPS], pb[HD_MAX_HOPS];
        uint32_t na = hd_routes_path(a, s, d, all ? x % a->nvar : hd_routes_variant(a, s, d), pa);
        uint32_t nb = hd_routes_path(b, s, d, all ? x % b->nvar : hd_routes_variant(b, s, d), pb);
        if (na != nb || memcmp(pa, pb, na * sizeof *pa) != 0) return false;
    }
    return true;
}

/* Everything by looking at each entry and each pair. LIDs: endpoints from 2^lmc on, then switches. */
static void diff_by_hand(const struct hd_routes *a, const struct hd_routes *b, struct hd_diff *d)
{
    const struct hd_net *net = a->net;
    uint32_t nvar = a->nvar > b->nvar ? a->nvar : b->nvar;
    memset(d, 0, sizeof *d);
    for (uint32_t v = 0; v < net->nsw; v++) {
        bool touched = false;
        for (uint32_t to = 0; to < net->nsw + net->nep; to++)
            for (uint32_t x = 0; x < (to < net->nsw ? 1 : nvar); x++) {
                bool differs = port_of(a, v, to, x) != port_of(b, v, to, x);
                d->entries++;
                d->entries_changed += differs;
                touched |= differs;
            }
        d->switches_changed += touched;
    }
    for (uint32_t i = 0; i < net->nsel; i++)
        for (uint32_t k = 0; k < net->nsel; k++) {
            uint32_t s = net->sel[i], t = net->sel[k];
            if (s == t) continue;
            d->pairs++;
            d->pairs_changed += !same_ways(a, b, s, t);
            d->lanes_changed += hd_routes_lane(a, s, t, 0) != hd_routes_lane(b, s, t, 0);
        }
}

static void difference_of_tables(void **state)
{
    static const char *const cases[][3] = {{"ft:m=4,n=3", "minhop", "minhop"},
                                           {"ft:m=4,n=3", "minhop", "dmodk"},
                                           {"gft:n=4,m=4,r=8", "dmodk", "random"},
                                           {"torus:dims=4x4,hosts=2", "dor", "updown"},
                                           {"torus:dims=5x5", "lash", "dor"},
                                           {"torus:dims=5x5", "minhop", "random"},
                                           {"ft:m=4,n=2", "mlid", "dmodk"},
                                           {"ft:m=4,n=3", "mlid", "dmodk"},
                                           {"ft:m=4,n=2", "mlid", "mlid"},
                                           {"gft:n=1,m=1,r=1", "dmodk", "minhop"},
                                           {"hypercube:n=4,hosts=2", "dor", "minhop"},
                                           {"random:switches=9,ports=6,hosts=3,seed=5", "lash", "minhop"}};
    (void)state;
    uint64_t met = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hd_net *net = make_net(cases[i][0]);
        struct hd_routes *a = open_routes(net, cases[i][1]), *b = open_routes(net, cases[i][2]);
        struct hd_diff ours, hand;
        assert_int_equal(hd_routes_diff(&ctx, a, b, &ours), HD_OK);
        diff_by_hand(a, b, &hand);
        assert_int_equal(ours.entries, hand.entries);
        assert_int_equal(ours.entries_changed, hand.entries_changed);
        assert_int_equal(ours.switches_changed, hand.switches_changed);
        assert_int_equal(ours.pairs, hand.pairs);
        if ((a->select == HD_SELECT_ALL) == (b->select == HD_SELECT_ALL))
            assert_int_equal(ours.pairs_changed, hand.pairs_changed);
        if (a->nvar == 1 && b->nvar == 1) assert_int_equal(ours.lanes_changed, hand.lanes_changed);
        assert_in_range(ours.blocks_changed, ours.switches_changed, ours.blocks);
        met += ours.pairs_changed;
        hd_routes_free(a);
        hd_routes_free(b);
        hd_net_free(net);
    }
    assert_true(met > 1000);
}

static void a_changed_block(void **state)
{
    struct hd_net *net = make_net("ft:m=8,n=3"), *other = make_net("ft:m=4,n=2"); /* 128 endpoints, LIDs 1 .. 208 */
    struct hd_routes *a = open_routes(net, "dmodk"), *b, *c = open_routes(other, "dmodk");
    struct hd_diff d;
    (void)state;
    b = store_routes(&ctx, a);
    assert_int_equal(hd_routes_diff(&ctx, a, b, &d), HD_OK);
    assert_int_equal(d.blocks, 80 * 4);
    assert_int_equal(d.blocks_changed + d.entries_changed + d.pairs_changed, 0);
    hd_row(b, 70, 0)[3] = HD_SLOT_NONE; /* LID 71: block 1 */
    hd_row(b, 73, 0)[3] = HD_SLOT_NONE; /* none the first of its switch, after which entries towards switches go */
    hd_row(b, 5, 0)[3] = HD_SLOT_NONE;  /* block 0 */
    assert_int_equal(hd_routes_diff(&ctx, a, b, &d), HD_OK);
    assert_int_equal(d.entries_changed, 3);
    assert_int_equal(d.blocks_changed, 2);
    assert_int_equal(d.switches_changed, 1);
    assert_int_equal(hd_routes_diff(&ctx, a, c, &d), HD_USAGE);
    hd_routes_free(a);
    hd_routes_free(b);
    hd_routes_free(c);
    hd_net_free(net);
    hd_net_free(other);
}

/* ---- QoS policy ---------------------------------------------------------------------------- */

enum { GROUPS = 4096, RULES = 4096 };
struct policy { /* as a reader of OpenSM's would keep it */
    char group[GROUPS][32];
    uint64_t *from[GROUPS], *to[GROUPS];
    uint32_t n[GROUPS], ngroup;
    struct {
        int source, destination;
        uint32_t level;
    } rule[RULES];
    uint32_t nrule, nlevel;
    char level[32][32];
    uint32_t sl[32];
};

static int find_group(const struct policy *p, const char *name)
{
    for (uint32_t i = 0; i < p->ngroup; i++)
        if (strcmp(p->group[i], name) == 0) return (int)i;
    fail_msg("group '%s' is not defined", name);
    return -1;
}

static void add_ranges(struct policy *p, char *list)
{
    uint32_t g = p->ngroup - 1;
    for (char *word = strtok(list, ", "); word; word = strtok(NULL, ", ")) {
        char *dash = strchr(word, '-');
        p->from[g] = realloc(p->from[g], (p->n[g] + 1) * sizeof(uint64_t));
        p->to[g] = realloc(p->to[g], (p->n[g] + 1) * sizeof(uint64_t));
        p->from[g][p->n[g]] = strtoull(word, NULL, 16);
        p->to[g][p->n[g]++] = strtoull(dash ? dash + 1 : word, NULL, 16);
    }
}

static struct policy *parse_policy(char *text)
{
    struct policy *p = calloc(1, sizeof *p);
    char name[64];
    int where = 0; /* 1: group, 2: level, 3: rule */
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        while (*line == ' ') line++;
        if (strcmp(line, "port-group") == 0)
            where = 1, p->ngroup++;
        else if (strcmp(line, "qos-level") == 0)
            where = 2, p->nlevel++;
        else if (strcmp(line, "qos-match-rule") == 0)
            where = 3, p->rule[p->nrule++].source = -1;
        else if (where == 1 && sscanf(line, "name: %31s", name) == 1)
            strcpy(p->group[p->ngroup - 1], name);
        else if (where == 1 && strncmp(line, "port-guid: ", 11) == 0)
            add_ranges(p, line + 11);
        else if (where == 2 && sscanf(line, "name: %31s", name) == 1)
            strcpy(p->level[p->nlevel - 1], name);
        else if (where == 2)
            sscanf(line, "sl: %u", &p->sl[p->nlevel - 1]);
        else if (where == 3 && sscanf(line, "source: %31s", name) == 1)
            p->rule[p->nrule - 1].source = find_group(p, name);
        else if (where == 3 && sscanf(line, "destination: %31s", name) == 1)
            p->rule[p->nrule - 1].destination = find_group(p, name);
        else if (where == 3 && sscanf(line, "qos-level-name: %31s", name) == 1)
            for (uint32_t i = 0; i < p->nlevel; i++)
                if (strcmp(p->level[i], name) == 0) p->rule[p->nrule - 1].level = p->sl[i];
    }
    return p;
}

static bool holds(const struct policy *p, int g, uint64_t guid)
{
    for (uint32_t i = 0; i < p->n[g]; i++)
        if (guid >= p->from[g][i] && guid <= p->to[g][i]) return true;
    return false;
}

static uint32_t level_of(const struct policy *p, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < p->nrule; i++)
        if ((p->rule[i].source < 0 || holds(p, p->rule[i].source, from)) && holds(p, p->rule[i].destination, to))
            return p->rule[i].level;
    return 0;
}

static void lanes_as_a_policy(void **state)
{
    static const char *const cases[][2] = {
        {"torus:dims=5x5", "lash"},           {"torus:dims=4x4,hosts=3", "lash"},
        {"torus:dims=4x4,hosts=2", "dfsssp"}, {"torus:dims=5x5", "dfsssp:lanes=dest"},
        {"hypercube:n=4,hosts=2", "lash"},    {"ft:m=4,n=2", "dmodk"}};
    uint32_t most = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hd_net *net = make_net(cases[i][0]);
        struct hd_routes *r = open_routes(net, cases[i][1]);
        char *text = text_of(r, "qos-policy");
        struct policy *p = parse_policy(text);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++)
                if (s != d)
                    assert_int_equal(level_of(p, net->guid[net->nsw + s], net->guid[net->nsw + d]),
                                     hd_routes_lane(r, s, d, 0));
        if (r->nlanes > most) most = r->nlanes;
        for (uint32_t g = 0; g < p->ngroup; g++) free(p->from[g]), free(p->to[g]);
        free(p);
        free(text);
        hd_routes_free(r);
        hd_net_free(net);
    }
    assert_true(most > 2);
}

static void lanes_that_cannot_be_said(void **state)
{
    struct hd_net *net = make_net("ft:m=4,n=2");
    struct hd_routes *r = open_routes(net, "mlid");
    (void)state;
    r->lane_rule = HD_LANE_DEST;
    r->nlanes = 2;
    r->dest_lane = HD_NEW(&r->arena, uint8_t, (size_t)net->nep * r->nvar);
    assert_true(r->nvar > 1);
    free(text_of(r, "qos-policy"));
    r->dest_lane[r->nvar + 1] = 1; /* the LIDs of endpoint 1 in different lanes */
    refuse_format(r, "qos-policy", "a QoS policy refers to ports, not LIDs");
    r->lane_rule = HD_LANE_UNKNOWN;
    refuse_format(r, "qos-policy", "the VLs are not known");
    refuse_format(r, "psl", "the VLs are not known");
    r->lane_rule = HD_LANE_DEST;
    r->nlanes = 16;
    refuse_format(r, "qos-policy", "16 VLs cannot be expressed");
    refuse_format(r, "fdbs", "ibdmchk supports one LID per port");
    hd_routes_free(r);
    r = open_routes(net, "dmodk");
    assert_int_equal(hd_routes_write(&ctx, r, "fdb", NULL), HD_USAGE);
    assert_non_null(strstr(ctx.error, "did you mean 'fdbs'"));
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- files --------------------------------------------------------------------------------- */

/* A file with this text; its name is valid until the next call. */
static const char *file_of(const char *text)
{
    static char path[] = "/tmp/heddle-test-ib.XXXXXX";
    static bool made;
    if (!made) close(mkstemp(path));
    made = true;
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    return path;
}

static void service_levels_come_back(void **state)
{
    static const char *const cases[][2] = {
        {"torus:dims=5x5", "lash"}, {"torus:dims=4x4,hosts=2", "dfsssp"}, {"ft:m=4,n=2", "dmodk"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hd_net *net = make_net(cases[i][0]);
        struct hd_routes *r = open_routes(net, cases[i][1]), *back;
        char table[] = "/tmp/heddle-test-lft.XXXXXX", spec[256], *psl = text_of(r, "psl"), *fdbs = text_of(r, "fdbs");
        close(mkstemp(table));
        FILE *f = fopen(table, "w");
        fputs(fdbs, f);
        fclose(f);
        snprintf(spec, sizeof spec, "file:path=%s,sl=%s", table, file_of(psl));
        back = open_routes(net, spec);
        assert_int_equal(back->nlanes, r->nlanes);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++)
                if (s != d) assert_int_equal(hd_routes_lane(back, s, d, 0), hd_routes_lane(r, s, d, 0));
        hd_routes_free(back);
        char *half = psl + strlen(psl) / 2; /* levels of some pairs only */
        while (*half && half[-1] != '\n') half++;
        *half = 0;
        file_of(psl);
        back = open_routes(net, spec);
        assert_int_equal(back->lane_rule, HD_LANE_UNKNOWN);
        assert_non_null(strstr(noted, "no service level for some pairs"));
        hd_routes_free(back);
        unlink(table);
        free(psl);
        free(fdbs);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* A file with one SL2VL table at all ports of the first n switches. */
static const char *sl2vl_of(const struct hd_net *net, uint32_t n, const char *row)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t v = 0; v < n; v++) {
        fprintf(f, "Switch 0x%016llx, base LID 1, \"x\"\n", (unsigned long long)net->guid[v]);
        for (uint32_t in = net->off[v]; in < net->off[v + 1]; in++)
            for (uint32_t out = net->off[v]; out < net->off[v + 1]; out++)
                fprintf(f, "%u %u : %s\n", net->port[in], net->port[out], row);
    }
    fclose(f);
    const char *name = file_of(text);
    free(text);
    return name;
}

static void real_files_of_opensm(void **state)
{
    struct hd_net *net = make_net("tests/data/opensm/torus55.opensm-subnet.lst.gz"), *t4, *same;
    const char *table = "file:path=tests/data/opensm/torus55.opensm.fdbs.gz";
    static const char opensm[] = "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7"; /* as in its dump */
    char spec[400];
    struct hd_check k;
    struct hd_routes *r;
    (void)state;
    assert_int_equal(net->nsw, 25);
    assert_int_equal(net->nep, 25);
    r = open_routes(net, table);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, 0); /* ibdmchk found a credit loop here */
    hd_routes_free(r);
    snprintf(spec, sizeof spec, "%s,sl=tests/data/opensm/torus55.lash.psl.gz,sl2vl=%s", table,
             sl2vl_of(net, net->nsw, opensm));
    r = open_routes(net, spec);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, 1); /* and none with these service levels */
    assert_int_equal(k.lanes, 3);
    hd_routes_free(r);
    snprintf(spec, sizeof spec, "%s,sl2vl=%s", table, sl2vl_of(net, net->nsw, opensm));
    r = open_routes(net, spec);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, -1); /* several lanes, and nobody tells who uses which */
    hd_routes_free(r);
    snprintf(spec, sizeof spec,
             "%s,sl=tests/data/opensm/torus55.lash.psl.gz,sl2vl=tests/data/opensm/t4.opensm-sl2vl.dump.gz", table);
    r = open_routes(net, spec);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, -1); /* the tables of another fabric */
    assert_non_null(strstr(noted, "no SL2VL table for some ports: VLs are unknown"));
    hd_routes_free(r);
    hd_net_free(net);

    net = make_net("tests/data/opensm/t4.opensm-subnet.lst.gz");
    t4 = make_net("tests/data/opensm/t4.ibnetdiscover");
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        assert_int_equal(net->guid[v], t4->guid[v]);
        assert_int_equal(net->lid[v], t4->lid[v]);
        assert_string_equal(hd_node_name(net, v), hd_node_name(t4, v));
    }
    assert_int_equal(net->nchan, t4->nchan);
    for (uint32_t c = 0; c < net->nchan; c++) {
        assert_int_equal(net->head[c], t4->head[c]);
        assert_int_equal(net->port[c], t4->port[c]);
        assert_int_equal(net->link[c], t4->link[c]);
    }
    assert_int_equal(hd_net_lids(&ctx, t4, "tests/data/opensm/t4.guid2lid.gz", 0, &same), HD_OK);
    assert_memory_equal(same->lid, t4->lid, (net->nsw + net->nep) * sizeof *net->lid);
    hd_net_free(same);
    hd_net_free(t4);
    hd_net_free(net);
}

static void one_lane_for_all_levels(void **state)
{
    struct hd_net *net = make_net("torus:dims=5x5");
    struct hd_routes *r = open_routes(net, "dor"), *back;
    char table[] = "/tmp/heddle-test-lft.XXXXXX", spec[256], *lft = text_of(r, "fdbs");
    static const char varies[] = "Switch 0x0200000000100000, base LID 1, \"a\"\n"
                                 "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n2 1 : 1 0 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n",
                      zero[] = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
    (void)state;
    close(mkstemp(table));
    FILE *f = fopen(table, "w");
    fputs(lft, f);
    fclose(f);
    snprintf(spec, sizeof spec, "file:path=%s,sl2vl=%s", table, sl2vl_of(net, net->nsw, zero));
    back = open_routes(net, spec);
    assert_int_equal(back->lane_rule, HD_LANE_ONE);
    hd_routes_free(back);
    for (int i = 0; i < 3; i++) {
        if (i < 2) sl2vl_of(net, i ? net->nsw - 1 : 1, zero); /* the same at all that the file has */
        if (i == 2) file_of(varies);
        back = open_routes(net, spec);
        assert_int_equal(back->lane_rule, HD_LANE_UNKNOWN);
        assert_non_null(strstr(noted, "no SL2VL table for some ports: VLs are unknown"));
        hd_routes_free(back);
    }
    unlink(table);
    free(lft);
    hd_routes_free(r);
    hd_net_free(net);
}

static void bad_levels(void **state)
{
    static const struct {
        const char *key, *text, *words;
    } cases[] = {
        {"sl", "0x1 2\n", ":1: expected 0x<adapter GUID>"},
        {"sl", "0x1 2 16\n", ":1: expected 0x<adapter GUID>"},
        {"sl", "0x0200000100000000 9 1\n\n0x0200000100000000 9 2\n",
         ":3: 'node-00000' to LID 9 uses service level 2 here and 1 on an earlier line"},
        {"sl2vl", "", "no SL2VL table of a switch in this file"},
        {"sl2vl", "Switch 1\n", ":1: expected the GUID of a node"},
        {"sl2vl", "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n", ":1: expected the line of a node before its ports"},
        {"sl2vl",
         "Switch 0x0200000000100000, base LID 1, \"a\"\n1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n"
         "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n",
         ":3: a second line for ports 1 and 2"},
        {"sl2vl", "1 2 : 0 1\n", ":1: expected a node, or two ports"}};
    struct hd_net *net = make_net("torus:dims=3x3,hosts=2");
    struct hd_routes *r = open_routes(net, "minhop"), *back;
    char table[] = "/tmp/heddle-test-lft.XXXXXX", spec[256], *lft = text_of(r, "lft");
    (void)state;
    close(mkstemp(table));
    FILE *f = fopen(table, "w");
    fputs(lft, f);
    fclose(f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(spec, sizeof spec, "file:path=%s,%s=%s", table, cases[i].key, file_of(cases[i].text));
        assert_int_equal(hd_routes_open(&ctx, net, spec, &back), HD_INPUT);
        if (!strstr(ctx.error, cases[i].words)) fail_msg("expected '%s', got: %s", cases[i].words, ctx.error);
    }
    unlink(table);
    free(lft);
    hd_routes_free(r);
    hd_net_free(net);
}

/* Two subnets in one file have LIDs of their own: what a file gives to ports of one leaves those of the other alone. */
static void lids_of_one_subnet_leave_the_other(void **state)
{
    static const char two[] = "Switch 4 \"S-1\" # \"a\" base port 0 lid 5 lmc 0\n[1] \"H-3\"[1]\n"
                              "\nSwitch 4 \"S-2\" # \"b\" base port 0 lid 5 lmc 0\n[2] \"H-4\"[1]\n"
                              "\nCa 1 \"H-3\"\n[1](3) \"S-1\"[1] # lid 2 lmc 1 \"a\" lid 5\n"
                              "\nCa 1 \"H-4\"\n[1](4) \"S-2\"[2] # lid 2 lmc 1 \"b\" lid 5\n";
    struct hd_net *net, *out;
    (void)state;
    fresh();
    net = make_net(file_of(two));
    assert_int_equal(hd_net_lids(&ctx, net, file_of("0x3 0x0006 0x0006\n"), 0, &out), HD_OK);
    assert_int_equal(hd_net_check(&ctx, out), HD_OK);
    assert_int_equal(out->lid[0], 5);
    assert_int_equal(out->lid[1], 5);
    assert_int_equal(out->lid[2], 6);
    assert_int_equal(out->lid[3], 2);
    assert_int_equal(out->lmc_of[1], 1);
    hd_net_free(out);
    assert_int_equal(hd_net_lids(&ctx, net, file_of("0x3 0x0005 0x0005\n"), 0, &out), HD_OK);
    assert_int_equal(hd_net_check(&ctx, out), HD_OK);
    assert_int_equal(out->lid[0], 0); /* another one of its subnet has it now */
    assert_int_equal(out->lid[1], 5);
    hd_net_free(out);
    hd_net_free(net);
}

static void lids_from_a_file(void **state)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"0x1 0x1\n", ":1: expected 0x<GUID>"},
        {"0x0200000100000001 0x0001 0x0003\n", ":1: LIDs 0x1 to 0x3: expected 1, 2, 4"},
        {"0x0200000100000001 0x0002 0x0005\n", ":1: LIDs 0x2 to 0x5"},
        {"0x0200000100000001 0xc000 0xc000\n", "LIDs 0xc000"},
        {"0x0200000100000001 0x0007 0x0007\n\n0x0200000100000005 0x0007 0x0007\n", ":3: LID 0x7 is given to two ports"},
        {"0x0200000100000001 0x0007 0x0007\n0x0200000100000001 0x0008 0x0008\n", ":2: a second line for GUID"},
        {"0x5 0x1 0x1\n", "none of its GUIDs is in the network"}};
    struct hd_net *net = make_net("gft:n=2,m=2,r=4"), *out;
    struct hd_open open = {.set_lmc = true, .lmc = 8};
    (void)state;
    fresh();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(hd_net_lids(&ctx, net, file_of(bad[i].text), 0, &out), HD_INPUT);
        if (!strstr(ctx.error, bad[i].words)) fail_msg("expected '%s', got: %s", bad[i].words, ctx.error);
    }
    /* endpoint 0 gets four LIDs where others were; those keep what is free */
    assert_int_equal(hd_net_lids(&ctx, net, file_of("0x0200000100000001 0x0004 0x0007\n\n0x5 0x99 0x99\n"), 0, &out),
                     HD_OK);
    assert_int_equal(hd_net_check(&ctx, out), HD_OK);
    assert_int_equal(out->lid[out->nsw], 4);
    assert_int_equal(out->lid[out->nsw + 1], 2);
    assert_int_equal(out->lid[out->nsw + 3], 0);
    assert_int_equal(out->lmc, 2);
    assert_non_null(strstr(noted, "not in the network are left out (1)"));
    hd_net_free(out);
    assert_int_equal(hd_net_lids(&ctx, net, NULL, 3, &out), HD_OK);
    assert_int_equal(hd_net_check(&ctx, out), HD_OK);
    for (uint32_t e = 0; e < out->nep; e++) assert_int_equal(out->lid[out->nsw + e] % 8, 0);
    assert_int_equal(out->lmc, 3);
    hd_net_free(out);
    assert_int_equal(hd_net_open(&ctx, "ft", &open, &out), HD_USAGE);
    open = (struct hd_open){.set_lmc = true, .lmc = 1, .guid2lid = "x"};
    assert_int_equal(hd_net_open(&ctx, "ft", &open, &out), HD_USAGE);
    hd_net_free(net);
}

static void small_files(void **state)
{
    struct hd_net *net = make_net("ft:m=4,n=2"), *torus = make_net("torus:dims=3x3");
    struct hd_routes *r = open_routes(net, "dmodk"), *t = open_routes(torus, "minhop");
    char *roots = text_of(r, "roots"), *order = text_of(r, "order"), *guid2lid = text_of(r, "guid2lid"), line[64],
         *p = order;
    (void)state;
    p = roots;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] != 2) continue;
        snprintf(line, sizeof line, "0x%016llx\n", (unsigned long long)net->guid[v]);
        assert_memory_equal(p, line, strlen(line));
        p += strlen(line);
    }
    assert_int_equal(*p, 0);
    p = order;
    for (uint32_t e = 0; e < net->nep; e++) {
        snprintf(line, sizeof line, "0x%016llx\n", (unsigned long long)net->guid[net->nsw + e]);
        assert_memory_equal(p, line, strlen(line));
        p += strlen(line);
    }
    assert_int_equal(*p, 0);
    for (p = guid2lid; *p; p = strstr(p, "\n\n") + 2)
        assert_non_null(strstr(p, "\n\n")); /* OpenSM ignores the file else */
    refuse_format(t, "roots", "has no levels");
    free(roots);
    free(order);
    free(guid2lid);
    hd_routes_free(r);
    hd_routes_free(t);
    hd_net_free(net);
    hd_net_free(torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(difference_of_tables),
                                       cmocka_unit_test(a_changed_block),
                                       cmocka_unit_test(lanes_as_a_policy),
                                       cmocka_unit_test(lanes_that_cannot_be_said),
                                       cmocka_unit_test(service_levels_come_back),
                                       cmocka_unit_test(real_files_of_opensm),
                                       cmocka_unit_test(one_lane_for_all_levels),
                                       cmocka_unit_test(bad_levels),
                                       cmocka_unit_test(lids_from_a_file),
                                       cmocka_unit_test(lids_of_one_subnet_leave_the_other),
                                       cmocka_unit_test(small_files)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file_of(""));
    return failed;
}
