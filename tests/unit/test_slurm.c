/* SPDX-License-Identifier: BSD-2-Clause */
/* Slurm's topology files are trees over exactly the hosts that count, read back by parsers of their own. */
#include "writer_tools.h"

#include "net/io/hostlist.h"
#include "net/core/subtrees.h"
#include "base/context.h"

#include <stdio.h>

/* ---- Slurm --------------------------------------------------------------------------------- */

enum { MOST = 4096 };

struct entry {
    char name[128];
    bool leaf;
    const char *const *kid;
    uint32_t nkids;
    uint32_t parents, depth;
};

struct parsed {
    struct hd_arena arena;
    struct entry *entry;
    uint32_t n, nroots, nhosts;
    const char **host;
};

static bool slurm_name(const char *s)
{
    return *s && strlen(s) <= 64 &&
           s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")] == 0;
}

static struct entry *find_entry(struct parsed *p, const char *name)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (strcmp(p->entry[i].name, name) == 0) return &p->entry[i];
    return NULL;
}

static void take_kids(struct parsed *p, struct entry *e, const char *list)
{
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    /* Slurm takes two ranges a name, the last at its end. */
    for (const char *q = list; (q = strchr(q, ']')); q++)
        if (q[1] && q[1] != ',' && !strchr(q, '[')) fail_msg("text behind the last range: %s", list);
    if (hd_hostlist_expand(&ctx, &p->arena, list, &e->kid, &e->nkids) != HD_OK) fail_msg("%s", ctx.error);
    assert_true(e->nkids > 0);
    for (uint32_t i = 0; i < e->nkids; i++) {
        if (!slurm_name(e->kid[i])) fail_msg("'%s' is no name for Slurm", e->kid[i]);
        if (e->leaf) {
            p->host[p->nhosts++] = e->kid[i];
            continue;
        }
        struct entry *child = find_entry(p, e->kid[i]);
        if (!child || child == e) fail_msg("%s: child '%s' does not exist yet", e->name, e->kid[i]);
        if (child->parents++) fail_msg("'%s' has two parents", child->name);
        if (child->depth + 1 > e->depth) e->depth = child->depth + 1;
    }
}

static void take_switch(struct parsed *p, const char *name, bool leaf, const char *list)
{
    if (!slurm_name(name)) fail_msg("'%s' is no name for Slurm", name);
    if (find_entry(p, name)) fail_msg("switch '%s' stands twice", name);
    assert_true(p->n < MOST);
    struct entry *e = &p->entry[p->n];
    snprintf(e->name, sizeof e->name, "%s", name);
    e->leaf = leaf;
    take_kids(p, e, list);
    p->n++;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void finish_parse(struct parsed *p)
{
    for (uint32_t i = 0; i < p->n; i++) p->nroots += p->entry[i].parents == 0;
    qsort(p->host, p->nhosts, sizeof *p->host, by_text);
    for (uint32_t i = 1; i < p->nhosts; i++)
        if (strcmp(p->host[i], p->host[i - 1]) == 0) fail_msg("host '%s' stands twice", p->host[i]);
}

static struct parsed *parse(const struct hd_net *net)
{
    struct parsed *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->entry = HD_NEW(&p->arena, struct entry, MOST);
    p->host = HD_NEW(&p->arena, const char *, net->nep + 1);
    return p;
}

static void release(struct parsed *p)
{
    hd_arena_release(&p->arena);
    free(p);
}

/* topology.conf, strictly: a line is a comment or SwitchName=x and one of Nodes=, Switches=. */
static struct parsed *parse_conf(const struct hd_net *net)
{
    char *text = text_of(net, "slurm"), *save = NULL;
    struct parsed *p = parse(net);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (*line == '#') continue;
        char *space = strchr(line, ' ');
        if (strncmp(line, "SwitchName=", 11) != 0 || !space || strchr(space + 1, ' ')) fail_msg("bad line: %s", line);
        *space++ = 0;
        bool leaf = strncmp(space, "Nodes=", 6) == 0;
        if (!leaf && strncmp(space, "Switches=", 9) != 0) fail_msg("bad line: %s %s", line, space);
        take_switch(p, line + 11, leaf, space + (leaf ? 6 : 9));
    }
    free(text);
    finish_parse(p);
    return p;
}

/* The text between quotes behind a key, the line ending there. */
static char *quoted(char *line, const char *key)
{
    size_t n = strlen(key), len = strlen(line);
    if (strncmp(line, key, n) != 0 || line[n] != '"' || line[len - 1] != '"') return NULL;
    line[len - 1] = 0;
    return line + n + 1;
}

static struct parsed *parse_yaml(const struct hd_net *net)
{
    char *text = text_of(net, "slurm-yaml"), *save = NULL, *name = NULL;
    static const char *const head[] = {"- topology: fabric", "  cluster_default: true", "  tree:", "    switches:"};
    struct parsed *p = parse(net);
    uint32_t at = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *value;
        if (*line == '#') continue;
        if (strcmp(line, "- topology: blocks") == 0) break; /* golden/schedulers reads those */
        if (at < 4) {
            assert_string_equal(line, head[at]);
            at++;
        } else if (!name) {
            if (!(name = quoted(line, "      - switch: "))) fail_msg("bad line: %s", line);
        } else {
            bool leaf = (value = quoted(line, "        nodes: ")) != NULL;
            if (!leaf && !(value = quoted(line, "        children: "))) fail_msg("bad line: %s", line);
            take_switch(p, name, leaf, value);
            name = NULL;
        }
    }
    assert_int_equal(at, 4);
    assert_null(name);
    free(text);
    finish_parse(p);
    return p;
}

/* Distinct names of hosts that count. */
static uint32_t hosts_that_count(const struct hd_net *net)
{
    const char **name = calloc(net->nsel + 1, sizeof *name);
    uint32_t n = 0;
    assert_non_null(name);
    for (uint32_t i = 0; i < net->nsel; i++) name[i] = hd_host_name(net, net->host[net->sel[i]]);
    qsort(name, net->nsel, sizeof *name, by_text);
    for (uint32_t i = 0; i < net->nsel; i++) n += i == 0 || strcmp(name[i], name[i - 1]) != 0;
    free(name);
    return n;
}

static void slurm_is_a_tree(void **state)
{
    (void)state;
    struct hd_net *net;
    for (uint32_t i = 0; (net = sample(i)); i++) {
        if (net->nsel) {
            struct parsed *conf = parse_conf(net), *yaml = parse_yaml(net);
            assert_int_equal(conf->nhosts, hosts_that_count(net));
            assert_int_equal(yaml->nhosts, conf->nhosts);
            assert_int_equal(yaml->n, conf->n);
            for (uint32_t k = 0; k < conf->n; k++) {
                assert_string_equal(conf->entry[k].name, yaml->entry[k].name);
                assert_int_equal(conf->entry[k].leaf, yaml->entry[k].leaf);
                assert_int_equal(conf->entry[k].nkids, yaml->entry[k].nkids);
                if (!conf->entry[k].leaf) assert_true(conf->entry[k].nkids > 1);
            }
            release(conf);
            release(yaml);
        }
        hd_net_free(net);
    }
}

static uint32_t leaves(const struct parsed *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) n += p->entry[i].leaf;
    return n;
}

static void slurm_tells_the_pods(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        uint32_t leaves, all, depth;
    } rows[] = {{"gft:n=4,m=4,r=8", 8, 9, 1},
                {"ft:m=8,n=3", 32, 41, 2},
                {"ft:m=4,n=4", 16, 16 + 8 + 4 + 1, 3},
                {"ft:m=6,n=1", 1, 1, 0},
                {"gft:n=4,m=4,r=1", 1, 1, 0},
                {"gft:n=4,m=4,r=8,partial=leaves:3", 3, 4, 1},
                {"ft:m=8,n=3,partial=subtrees:1", 4, 5, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hd_net *net = make_net(rows[i].spec);
        struct parsed *p = parse_conf(net);
        if (leaves(p) != rows[i].leaves || p->n != rows[i].all || p->entry[p->n - 1].depth != rows[i].depth)
            fail_msg("%s: %u leaves, %u entries, depth %u", rows[i].spec, leaves(p), p->n, p->entry[p->n - 1].depth);
        assert_int_equal(p->nroots, 1);
        release(p);
        hd_net_free(net);
    }
    struct hd_net *net = make_net("ft:m=8,n=3");
    char *text = text_of(net, "slurm");
    has(text, "SwitchName=L1-0005 Nodes=node-[00020-00023]\n");
    has(text, "SwitchName=pod2-0007 Switches=L1-[0028-0031]\n");
    has(text, "SwitchName=top Switches=pod2-[0000-0007]\n");
    free(text);
    hd_net_free(net);
}

/* Levels without digits: pods are what hangs together below a level; three spines share a name. */
static void slurm_without_digits(void **state)
{
    (void)state;
    struct hd_net *net = irregular();
    notes = 0;
    char *text = text_of(net, "slurm");
    has(text, "SwitchName=leaf0 Nodes=gpu[000-003]\n");
    has(text, "SwitchName=spine_0x0200000000100008 Nodes=storage1\n");
    has(text, "SwitchName=spine_0x0200000000100009 Nodes=storage2\n");
    has(text, "SwitchName=pod2-0000 Switches=leaf[0-2,4],spine_0x0200000000100008\n");
    has(text, "SwitchName=pod2-0001 Switches=leaf[5-6],spine_0x0200000000100009\n");
    has(text, "SwitchName=lonely Nodes=login\n");
    has(text, "SwitchName=top Switches=pod2-[0000-0001]\n");
    lacks(text, "Aggregation");
    lacks(text, "leaf3");
    assert_true(notes >= 2); /* a changed name, two parts */
    free(text);
    struct parsed *p = parse_conf(net);
    assert_int_equal(p->nroots, 2);
    release(p);
    hd_net_free(net);
    net = ring(7);
    p = parse_conf(net);
    assert_int_equal(p->n, 8);
    assert_int_equal(p->nroots, 1);
    release(p);
    hd_net_free(net);
}

static void slurm_hosts_once(void **state)
{
    (void)state;
    struct maker *m = begin();
    uint32_t rail[2], one;
    for (uint32_t i = 0; i < 2; i++) rail[i] = add_switch(m, i ? "rail-b" : "rail-a", 1);
    for (uint32_t i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i + 1);
        add_host(m, name, HD_ROLE_HOST, rail, 2);
    }
    one = rail[1];
    add_host(m, "n9", HD_ROLE_HOST, &one, 1);
    struct hd_net *net = end(m, "rails");
    notes = 0;
    char *text = text_of(net, "slurm");
    has(text, "SwitchName=rail-a Nodes=n[1-4]\n");
    has(text, "SwitchName=rail-b Nodes=n9\n");
    assert_int_equal(notes, 2); /* several rails, separate components */
    free(text);
    hd_net_free(net);
    /* Two adapters of one name are one host. */
    m = begin();
    one = add_switch(m, "sw", 1);
    add_host(m, "twin", HD_ROLE_HOST, &one, 1);
    add_host(m, "twin", HD_ROLE_HOST, &one, 1);
    net = end(m, "twins");
    notes = 0;
    text = text_of(net, "slurm");
    has(text, "SwitchName=sw Nodes=twin\n");
    assert_int_equal(notes, 1);
    free(text);
    hd_net_free(net);
}

static void slurm_names(void **state)
{
    (void)state;
    struct maker *m = begin();
    char longest[120];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    static const char *const same[] = {"a b", "a,b", "a[b", "a_b", "a_b_2", "a b"};
    uint32_t n = 0;
    for (size_t i = 0; i < 6; i++, n++) {
        add_switch(m, same[i], 1);
        add_host(m, NULL, HD_ROLE_HOST, &n, 1);
    }
    for (size_t i = 0; i < 3; i++, n++) {
        add_switch(m, longest, 1);
        add_host(m, NULL, HD_ROLE_HOST, &n, 1);
    }
    longest[60] = 0; /* as long as only this one is */
    add_switch(m, longest, 1);
    add_host(m, NULL, HD_ROLE_HOST, &n, 1);
    n++;
    add_switch(m, "top", 1); /* the name a made-up switch would have */
    add_host(m, NULL, HD_ROLE_HOST, &n, 1);
    for (uint32_t v = 0; v < n; v++) add_cable(m, v, v + 1);
    struct hd_net *net = end(m, "names");
    struct parsed *p = parse_conf(net);
    assert_int_equal(leaves(p), 11);
    assert_int_equal(p->nroots, 1);
    longest[56] = 0; /* the rest is left for a number */
    assert_non_null(find_entry(p, longest));
    release(p);
    hd_net_free(net);
    net = odd_names();
    p = parse_conf(net);
    assert_int_equal(p->nhosts, hosts_that_count(net));
    assert_string_equal(p->entry[0].name, "sharp_sw");
    release(p);
    hd_net_free(net);
}

static void slurm_needs_a_host(void **state)
{
    (void)state;
    struct maker *m = begin();
    add_switch(m, "alone", 1);
    struct hd_net *net = end(m, "alone");
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_net_write(&ctx, net, "slurm", o), HD_INPUT);
    has(ctx.error, "at least one host");
    assert_int_equal(hd_net_write(&ctx, net, "slurm-yaml", o), HD_INPUT);
    hd_out_drop(o);
    hd_net_free(net);
}

/* A part of a tree may hold switches with nothing below them: by cables each is a subtree of its own. */
static bool all_have_children(const struct hd_net *net)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        bool below = false;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) below |= net->level[net->head[c]] < net->level[v];
        if (!below) return false;
    }
    return true;
}

/* Tree digits and the cables must tell the same subtrees. */
static void subtrees_two_ways(void **state)
{
    (void)state;
    const struct hd_desc *d;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    uint32_t compared = 0;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++)
        for (size_t k = 0; d->examples && d->examples[k]; k++) {
            struct hd_net *net = make_net(d->examples[k]);
            uint32_t *id = calloc(net->nsw, sizeof *id), *first = calloc(net->nsw, sizeof *first), n;
            uint32_t *of = calloc(net->nsw, sizeof *of);
            for (uint32_t l = 1; net->shape.kind == HD_SHAPE_TREE && all_have_children(net) && l <= net->shape.n; l++) {
                assert_int_equal(hd_subtrees(&ctx, net, l, id, &n), HD_OK);
                hd_components(net, l, first);
                for (uint32_t v = 0; v < net->nsw; v++) {
                    if (net->level[v] > l) {
                        assert_int_equal(id[v], UINT32_MAX);
                        continue;
                    }
                    assert_true(id[v] < n);
                    if (first[v] == v) of[v] = id[v];
                    if (of[first[v]] != id[v]) fail_msg("%s: switch %u, height %u", net->spec, v, l);
                }
                uint32_t components = 0;
                for (uint32_t v = 0; v < net->nsw; v++) components += net->level[v] <= l && first[v] == v;
                assert_int_equal(components, n);
                compared++;
            }
            free(id);
            free(first);
            free(of);
            hd_net_free(net);
        }
    assert_true(compared > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slurm_is_a_tree),      cmocka_unit_test(slurm_tells_the_pods),
        cmocka_unit_test(slurm_without_digits), cmocka_unit_test(slurm_hosts_once),
        cmocka_unit_test(slurm_names),          cmocka_unit_test(slurm_needs_a_host),
        cmocka_unit_test(subtrees_two_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
