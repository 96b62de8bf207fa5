/* SPDX-License-Identifier: BSD-2-Clause */
/* What the writers of networks put down: every node and cable once, odd names escaped, Slurm files that
 * are trees over exactly the hosts that count, drawings that stay small. Readers we did not write look
 * at the same formats in tests/golden/formats.sh. */
#include "testing.h"

#include "base/arena.h"
#include "base/escape.h"
#include "net/draw.h"
#include "net/hostlist.h"
#include "net/subtree.h"

#include <math.h>
#include <stdio.h>

/* ---- text ---------------------------------------------------------------------------------- */

static uint32_t notes;

static void count_note(void *user, const char *line)
{
    (void)user;
    assert_null(strchr(line, '\n'));
    notes++;
}

/* The network in a format; the caller frees. */
static char *text_of(const struct hd_net *net, const char *format)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    ctx.note = count_note;
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    if (hd_net_write(&ctx, net, format, o) != HD_OK) fail_msg("%s as %s: %s", net->spec, format, ctx.error);
    size_t len;
    const char *text = hd_out_text(o, &len);
    assert_int_equal(strlen(text), len);
    char *copy = strdup(text);
    assert_non_null(copy);
    hd_out_drop(o);
    return copy;
}

static uint32_t occurrences(const char *text, const char *word)
{
    uint32_t n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

static void has(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("expected '%s' in: %.3000s", words, text);
}

static void lacks(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (at) fail_msg("unexpected '%s' in: ...%.200s", words, at);
}

static void all_utf8(const char *text)
{
    for (const char *p = text; *p;) {
        size_t n = hd_utf8(p);
        if (n == 0) fail_msg("not UTF-8 at: %.60s", p);
        p += n;
    }
}

/* ---- networks by hand ---------------------------------------------------------------------- */

struct maker {
    struct hd_ctx ctx;
    struct hd_builder *b;
    uint32_t used[8192]; /* ports of each switch */
};

static struct maker *begin(void)
{
    struct maker *m = calloc(1, sizeof *m);
    assert_non_null(m);
    hd_ctx_init(&m->ctx);
    assert_int_equal(hd_builder_make(&m->ctx, &m->b), HD_OK);
    return m;
}

static uint32_t add_switch(struct maker *m, const char *name, uint8_t level)
{
    return hd_builder_switch(m->b, &(struct hd_switch_in){.name = name, .level = level});
}

static void add_cable(struct maker *m, uint32_t u, uint32_t v)
{
    uint32_t p = ++m->used[u], q = ++m->used[v];
    hd_builder_cable(m->b, u, p, v, q, hd_link_code("4xHDR", 5));
}

/* One adapter with a port on each of n switches. */
static void add_host(struct maker *m, const char *name, enum hd_role role, const uint32_t *sw, uint32_t n)
{
    uint32_t a = hd_builder_adapter(m->b, &(struct hd_adapter_in){.name = name, .role = role});
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = hd_builder_endpoint(m->b, a, i + 1, 0, 0);
        hd_builder_cable(m->b, sw[i], ++m->used[sw[i]], e, 1 + i, hd_link_code("4xHDR", 5));
    }
}

static struct hd_net *end(struct maker *m, const char *spec)
{
    struct hd_net *net = NULL;
    hd_status s = hd_builder_finish(&m->ctx, m->b, spec, &net);
    checked(&m->ctx, s, net, spec);
    free(m);
    return net;
}

/* Seven leaves of unequal size under two spines and a third apart, cores above, parallel cables, a cable
 * within a level and one that skips a level, hosts on a spine, a leaf that is alone, a spare switch. */
static struct hd_net *irregular(void)
{
    struct maker *m = begin();
    static const uint32_t hosts[7] = {4, 2, 6, 0, 3, 5, 1};
    uint32_t leaf[7], spine[3], core[2];
    char name[32];
    for (uint32_t i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "leaf%u", i);
        leaf[i] = add_switch(m, name, 1);
    }
    for (uint32_t i = 0; i < 3; i++) spine[i] = add_switch(m, "spine", 2); /* one name for three */
    for (uint32_t i = 0; i < 2; i++) core[i] = add_switch(m, NULL, 3);
    uint32_t lonely = add_switch(m, "lonely", 1);
    add_switch(m, "spare", 2);
    for (uint32_t i = 0, k = 0; i < 7; i++)
        for (uint32_t j = 0; j < hosts[i]; j++) {
            snprintf(name, sizeof name, "gpu%03u", k++);
            add_host(m, name, HD_ROLE_HOST, &leaf[i], 1);
        }
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t s = 0; s < 2; s++) add_cable(m, leaf[i], spine[s]);
    add_cable(m, leaf[0], spine[0]);
    add_cable(m, leaf[5], spine[2]);
    add_cable(m, leaf[6], spine[2]);
    add_cable(m, spine[0], core[0]);
    add_cable(m, spine[1], core[0]);
    add_cable(m, spine[2], core[1]);
    add_cable(m, core[0], spine[2]);
    add_cable(m, spine[0], spine[1]);
    add_cable(m, leaf[2], core[0]);
    add_host(m, "storage1", HD_ROLE_HOST, &spine[1], 1);
    add_host(m, "storage2", HD_ROLE_HOST, &spine[2], 1);
    add_host(m, "Mellanox Technologies Aggregation Node", HD_ROLE_AGGREGATION, &core[0], 1);
    add_host(m, "login", HD_ROLE_HOST, &lonely, 1);
    return end(m, "irregular");
}

/* A ring of n switches with chords and no levels. */
static struct hd_net *ring(uint32_t n)
{
    struct maker *m = begin();
    for (uint32_t i = 0; i < n; i++) add_switch(m, NULL, 0);
    for (uint32_t i = 0; i < n; i++) {
        add_cable(m, i, (i + 1) % n);
        if (i % 3 == 0) add_cable(m, i, (i + n / 2) % n);
        add_host(m, NULL, HD_ROLE_HOST, &i, 1);
    }
    return end(m, "ring");
}

/* A grid with some cables left out: those from switch number skip in the first dimension. */
static struct hd_net *grid(uint32_t dims, const uint32_t *extent, enum hd_wrap wrap, uint32_t skip)
{
    struct maker *m = begin();
    struct hd_shape s = {.kind = HD_SHAPE_GRID, .n = dims};
    uint32_t n = 1, stride = 1;
    for (uint32_t i = 0; i < dims; i++) {
        s.m[i] = extent[i];
        s.w[i] = wrap;
        s.p[i] = 1;
        n *= extent[i];
    }
    hd_builder_shape(m->b, &s);
    uint16_t digits[3] = {0};
    for (uint32_t v = 0; v < n; v++) {
        uint32_t rest = v;
        for (uint32_t i = 0; i < dims; i++, rest /= extent[i - 1]) digits[i] = (uint16_t)(rest % extent[i]);
        hd_builder_coord(m->b, add_switch(m, NULL, 1), digits);
        uint32_t e = hd_builder_host(m->b, v, ++m->used[v], 0);
        hd_builder_coord(m->b, e, digits);
    }
    for (uint32_t i = 0; i < dims; stride *= extent[i++])
        for (uint32_t v = 0; v < n; v++) {
            uint32_t at = v / stride % extent[i];
            for (uint32_t to = at + 1; to <= (wrap == HD_CLIQUE ? extent[i] - 1 : at + 1); to++) {
                if ((to == extent[i] && wrap != HD_RING) || (i == 0 && v == skip)) continue;
                add_cable(m, v, v - at * stride + to % extent[i] * stride);
            }
        }
    return end(m, "grid");
}

/* A tree of the registry with every k-th switch cable taken out. */
static struct hd_net *damaged(const char *spec, uint32_t k)
{
    struct hd_net *net = make_net(spec), *out = NULL;
    struct hd_ctx ctx;
    struct hd_builder *b;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_shape(b, &net->shape);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t s = hd_builder_switch(b, &(struct hd_switch_in){.level = net->level[v], .nports = net->nports[v]});
        hd_builder_coord(b, s, hd_coord(net, v));
    }
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t v = net->nsw + e;
        hd_builder_coord(b, hd_builder_host(b, hd_leaf(net, e), net->port[net->rev[net->off[v]]], 0), hd_coord(net, v));
    }
    for (uint32_t c = 0, i = 0; c < net->nchan; c++) {
        if (net->rev[c] < c || net->tail[c] >= net->nsw || net->head[c] >= net->nsw || i++ % k == k - 1) continue;
        hd_builder_cable(b, net->tail[c], net->port[c], net->head[c], net->port[net->rev[c]], net->link[c]);
    }
    hd_status s = hd_builder_finish(&ctx, b, "damaged", &out);
    hd_net_free(net);
    return checked(&ctx, s, out, "damaged");
}

/* The networks most tests run over; NULL past the last. */
static struct hd_net *sample(uint32_t i)
{
    static const char *const specs[] = {"gft:n=4,m=4,r=8",
                                        "ft:m=8,n=3",
                                        "ft:m=6,n=1",
                                        "gft:n=1,m=1,r=1",
                                        "pgft:m=4x4,w=1x2,p=1x2",
                                        "kary:k=2,n=4",
                                        "ft:m=4,n=4,partial=random:5",
                                        "xgft:m=12x12x12,w=1x12x12"};
    enum { SPECS = sizeof specs / sizeof specs[0] };
    static const uint32_t plane[] = {5, 4}, cube[] = {3, 4, 3}, line[] = {6};
    if (i < SPECS) return make_net(specs[i]);
    switch (i - SPECS) {
    case 0: return irregular();
    case 1: return ring(7);
    case 2: return grid(2, plane, HD_RING, 3);
    case 3: return grid(3, cube, HD_CLIQUE, 1);
    case 4: return grid(1, line, HD_LINE, UINT32_MAX);
    case 5: return damaged("ft:m=8,n=3", 11);
    case 6: { /* one switch, nothing else */
        struct maker *m = begin();
        add_switch(m, "alone", 0);
        return end(m, "alone");
    }
    case 7: { /* leaves that are not joined at all */
        struct maker *m = begin();
        for (uint32_t v = 0; v < 3; v++) {
            add_switch(m, NULL, 1);
            add_host(m, NULL, HD_ROLE_HOST, &v, 1);
        }
        return end(m, "apart");
    }
    case 8: { /* levels that begin at 2, and skip one */
        struct maker *m = begin();
        uint32_t low = add_switch(m, NULL, 2), high = add_switch(m, NULL, 4);
        add_cable(m, low, high);
        for (uint32_t k = 0; k < 120; k++) add_host(m, NULL, HD_ROLE_HOST, k % 2 ? &low : &high, 1);
        return end(m, "high");
    }
    default: return NULL;
    }
}

/* ---- all formats --------------------------------------------------------------------------- */

static const char *const formats[] = {"dot", "graphml", "json", "slurm", "slurm-yaml", "svg"};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static void formats_have_names(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < FORMATS; k++) {
        size_t i = 0;
        const struct hd_net_format *f;
        while ((f = hd_net_format_at(i)) && strcmp(f->name, formats[k]) != 0) i++;
        if (!f) fail_msg("no format '%s'", formats[k]);
        assert_true(strlen(f->summary) > 8);
    }
}

static void unknown_format(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    struct hd_net *net = make_net("gft:n=1,m=1,r=1");
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_net_write(&ctx, net, "graphlm", o), HD_USAGE);
    has(ctx.error, "graphml");
    hd_out_drop(o);
    hd_net_free(net);
}

static void same_bytes_twice(void **state)
{
    (void)state;
    struct hd_net *a, *b;
    for (uint32_t i = 0; (a = sample(i)); i++) {
        b = sample(i);
        for (uint32_t k = 0; k < FORMATS; k++) {
            if (a->nsel == 0 && strncmp(formats[k], "slurm", 5) == 0) continue;
            char *x = text_of(a, formats[k]), *y = text_of(b, formats[k]);
            all_utf8(x);
            if (strcmp(x, y) != 0) fail_msg("%s: %s differs between two runs", a->spec, formats[k]);
            assert_true(x[strlen(x) - 1] == '\n');
            free(x);
            free(y);
        }
        hd_net_free(a);
        hd_net_free(b);
    }
}

static uint32_t levels_of(const struct hd_net *net)
{
    bool seen[256] = {false};
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        n += net->level[v] != HD_NO_LEVEL && !seen[net->level[v]];
        seen[net->level[v]] = true;
    }
    return n;
}

static void nodes_and_cables_once(void **state)
{
    (void)state;
    struct hd_net *net;
    for (uint32_t i = 0; (net = sample(i)); i++) {
        uint32_t nodes = net->nsw + net->nep, cables = net->nchan / 2;
        char *dot = text_of(net, "dot"), *graphml = text_of(net, "graphml"), *json = text_of(net, "json");
        assert_int_equal(occurrences(dot, "[label="), nodes);
        assert_int_equal(occurrences(dot, " -- "), cables);
        bool all_levels = levels_of(net) > 0 && hd_top_level(net) != HD_NO_LEVEL;
        if (all_levels) assert_int_equal(occurrences(dot, "rank=same"), levels_of(net) + (net->nep > 0));
        assert_int_equal(occurrences(graphml, "<node "), nodes);
        assert_int_equal(occurrences(graphml, "<edge "), cables);
        assert_int_equal(occurrences(graphml, "key=\"guid\">0x"), nodes);
        assert_int_equal(occurrences(json, "\"id\":"), nodes);
        assert_int_equal(occurrences(json, "\"source\":"), cables);
        assert_int_equal(occurrences(json, "\"guid\": \"0x"), nodes);
        assert_int_equal(occurrences(json, "\"selected\": true"), net->nsel);
        has(json, "\"schema\": 1,");
        has(json, "\"multigraph\": true,");
        free(dot);
        free(graphml);
        free(json);
        hd_net_free(net);
    }
}

static void parallel_cables_apart(void **state)
{
    (void)state;
    struct hd_net *net = make_net("pgft:m=4x4,w=1x2,p=1x2");
    char *json = text_of(net, "json"), *dot = text_of(net, "dot");
    assert_int_equal(occurrences(json, "\"key\": 1,"), 8);
    assert_int_equal(occurrences(dot, "s4 -- s0 "), 2);
    has(dot, "s4 -- s0 [taillabel=1, headlabel=5, rate=\"4xEDR\"]");
    has(dot, "s4 -- s0 [taillabel=5, headlabel=7, rate=\"4xEDR\"]");
    free(json);
    free(dot);
    hd_net_free(net);
}

/* ---- odd names ----------------------------------------------------------------------------- */

static struct hd_net *odd_names(void)
{
    struct maker *m = begin();
    static const char *const names[] = {"quote\"back\\slash",  "less<amp&amp;", "new\nline",
                                        "bad\xff\xfe\x80utf8", "\x01tab\t",     ""};
    uint32_t v = add_switch(m, "MF0;sharp <&\"'> sw:MQM8700/U1", 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) add_host(m, names[i], HD_ROLE_HOST, &v, 1);
    return end(m, "odd <names> & \"quotes\"\n");
}

static void odd_names_escaped(void **state)
{
    (void)state;
    struct hd_net *net = odd_names();
    char *dot = text_of(net, "dot"), *graphml = text_of(net, "graphml"), *json = text_of(net, "json"),
         *svg = text_of(net, "svg");
    has(dot, "label=\"quote\\\"back\\\\slash\"");
    has(dot, "label=\"less<amp&amp;amp;\"");
    has(dot, "label=\"new\\nline\"");
    has(dot, "label=\"bad\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdutf8\"");
    has(dot, "label=\"?tab?\"");
    has(dot, "label=\"MF0;sharp <&\\\"'> sw:MQM8700/U1\"");
    has(graphml, "<data key=\"name\">quote&quot;back\\slash</data>");
    has(graphml, "<data key=\"name\">less&lt;amp&amp;amp;</data>");
    has(graphml, "<data key=\"name\">new&#10;line</data>");
    has(graphml, "<data key=\"name\">bad\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdutf8</data>");
    has(graphml, "<data key=\"name\">\xef\xbf\xbdtab&#9;</data>");
    has(json, "\"name\": \"quote\\\"back\\\\slash\"");
    has(json, "\"name\": \"new\\u000aline\"");
    has(json, "\"name\": \"bad\\ufffd\\ufffd\\ufffdutf8\"");
    has(json, "\"name\": \"\\u0001tab\\u0009\"");
    has(svg, "quote&quot;back\\slash");
    has(svg, "<title id=\"hd-title\">odd &lt;names&gt; &amp; &quot;quotes&quot;&#10;</title>");
    char *all[] = {dot, graphml, json, svg};
    for (size_t i = 0; i < 4; i++) {
        all_utf8(all[i]);
        lacks(all[i], "\x01");
        free(all[i]);
    }
    hd_net_free(net);
}

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
    has(text, "SwitchName=spine Nodes=storage1\n");
    has(text, "SwitchName=spine_2 Nodes=storage2\n");
    has(text, "SwitchName=pod2-0000 Switches=leaf[0-2,4],spine\n");
    has(text, "SwitchName=pod2-0001 Switches=leaf[5-6],spine_2\n");
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
    assert_int_equal(notes, 2); /* several rails, separate parts */
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
    add_switch(m, "top", 1); /* the name a made-up switch would have */
    add_host(m, NULL, HD_ROLE_HOST, &n, 1);
    for (uint32_t v = 0; v < n; v++) add_cable(m, v, v + 1);
    struct hd_net *net = end(m, "names");
    struct parsed *p = parse_conf(net);
    assert_int_equal(leaves(p), 10);
    assert_int_equal(p->nroots, 1);
    release(p);
    hd_net_free(net);
    net = odd_names();
    p = parse_conf(net);
    assert_int_equal(p->nhosts, hosts_that_count(net));
    assert_string_equal(p->entry[0].name, "MF0_sharp_sw_MQM8700_U1");
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
    for (size_t i = 0; (d = hd_registry_at(HD_TOPOLOGIES, i)); i++)
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

/* ---- drawings ------------------------------------------------------------------------------ */

static void drawing_holds_every_switch(void **state)
{
    (void)state;
    struct hd_net *net;
    for (uint32_t i = 0; (net = sample(i)); i++) {
        char *svg = text_of(net, "svg");
        has(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
        has(svg, "<desc id=\"hd-desc\">");
        has(svg, "prefers-color-scheme:dark");
        assert_int_equal(occurrences(svg, "class=\"hd-sw "), net->nsw);
        assert_int_equal(occurrences(svg, "<g>"), occurrences(svg, "</g>"));
        if (net->shape.missing)
            has(svg, "class=\"hd-gone\"");
        else
            lacks(svg, "class=\"hd-gone\"");
        free(svg);
        hd_net_free(net);
    }
}

/* How many pieces the paths of a class have. */
static uint32_t pieces(const char *svg, const char *class)
{
    char opening[64];
    uint32_t n = 0;
    snprintf(opening, sizeof opening, "<path class=\"%s\"", class);
    for (const char *p = svg; (p = strstr(p, opening)); p++)
        for (const char *q = p; *q != '>'; q++) n += *q == 'M';
    return n;
}

static void drawing_holds_every_cable(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=8,n=3");
    char *svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 256 + 1); /* and one in the legend */
    assert_int_equal(pieces(svg, "hd-ep"), 128 + 1);
    free(svg);
    hd_net_free(net);
    net = damaged("ft:m=8,n=3", 11); /* 256 / 11 */
    assert_int_equal(net->shape.missing, 23);
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 256 - 23 + 1);
    assert_int_equal(pieces(svg, "hd-gone"), 23 + 1);
    free(svg);
    hd_net_free(net);
    net = make_net("pgft:m=4x4,w=1x2,p=1x2"); /* parallel cables are one line */
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 8 + 2);
    has(svg, "2 parallel cables");
    free(svg);
    hd_net_free(net);
    net = irregular();
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-off"), 1); /* in the legend; the aggregation node is on a core: a badge */
    assert_int_equal(occurrences(svg, ">+1</text>"), 3);
    free(svg);
    hd_net_free(net);
}

static void ring_stubs_and_cliques(void **state)
{
    (void)state;
    static const uint32_t plane[] = {5, 4};
    struct hd_net *net = grid(2, plane, HD_RING, UINT32_MAX);
    char *svg = text_of(net, "svg");
    /* 40 cables, 9 of them around: two stubs each */
    assert_int_equal(pieces(svg, "hd-line"), 40 + 9 + 1);
    free(svg);
    hd_net_free(net);
    net = grid(2, plane, HD_CLIQUE, UINT32_MAX);
    svg = text_of(net, "svg");
    assert_int_equal(pieces(svg, "hd-line"), 4 * 10 + 5 * 6 + 1);
    free(svg);
    hd_net_free(net);
}

static void large_drawings_stay_small(void **state)
{
    (void)state;
    static const uint32_t plane[] = {80, 90}, cube[] = {14, 14, 14};
    struct hd_net *nets[] = {make_net("xgft:m=24x24x48,w=1x24x24"),
                             make_net("kary:k=2,n=11"),
                             ring(1500),
                             grid(2, plane, HD_RING, UINT32_MAX),
                             grid(3, cube, HD_LINE, UINT32_MAX),
                             damaged("xgft:m=12x12x24,w=1x12x12", 500)};
    for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
        char *svg = text_of(nets[i], "svg");
        if (strlen(svg) > 1000000) fail_msg("%s: %zu bytes", nets[i]->spec, strlen(svg));
        assert_true(occurrences(svg, "class=\"hd-sw ") <= 1000);
        free(svg);
        hd_net_free(nets[i]);
    }
}

static void half_a_million_endpoints(void **state)
{
    (void)state;
    struct hd_net *net = make_net("xgft:m=64x64x128,w=1x64x64");
    assert_int_equal(net->nep, 524288);
    char *svg = text_of(net, "svg");
    if (strlen(svg) > 1000000) fail_msg("%zu bytes", strlen(svg));
    has(svg, "524,288 endpoints");
    /* 64 planes, 128 pods of two levels */
    assert_int_equal(occurrences(svg, "class=\"hd-sw "), 64 + 2 * 128);
    free(svg);
    char *conf = text_of(net, "slurm");
    assert_int_equal(occurrences(conf, "SwitchName="), 64 * 128 + 128 + 1);
    free(conf);
    hd_net_free(net);
}

static void turns_as_libm(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 720; n += 7)
        for (uint32_t i = 0; i < n; i++) {
            int32_t sine, cosine;
            hd_draw_turn(i, n, &sine, &cosine);
            double angle = 8 * atan(1) * i / n, scale = 1 << 30;
            if (fabs(sine / scale - sin(angle)) > 1e-6 || fabs(cosine / scale - cos(angle)) > 1e-6)
                fail_msg("%u/%u of a turn: %f %f", i, n, sine / scale, cosine / scale);
        }
}

static void numbers_without_locale(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    char text[HD_DRAW_COUNT];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    hd_draw_number(o, 0);
    hd_puts(o, " ");
    hd_draw_number(o, 1234);
    hd_puts(o, " ");
    hd_draw_number(o, -50);
    hd_puts(o, " ");
    hd_draw_number(o, -7);
    assert_string_equal(hd_out_text(o, NULL), "0 123.4 -5 -0.7");
    assert_string_equal(hd_draw_count(text, 7), "7");
    assert_string_equal(hd_draw_count(text, 4294967295u), "4,294,967,295");
    hd_out_drop(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_names),
        cmocka_unit_test(unknown_format),
        cmocka_unit_test(same_bytes_twice),
        cmocka_unit_test(nodes_and_cables_once),
        cmocka_unit_test(parallel_cables_apart),
        cmocka_unit_test(odd_names_escaped),
        cmocka_unit_test(slurm_is_a_tree),
        cmocka_unit_test(slurm_tells_the_pods),
        cmocka_unit_test(slurm_without_digits),
        cmocka_unit_test(slurm_hosts_once),
        cmocka_unit_test(slurm_names),
        cmocka_unit_test(slurm_needs_a_host),
        cmocka_unit_test(subtrees_two_ways),
        cmocka_unit_test(drawing_holds_every_switch),
        cmocka_unit_test(drawing_holds_every_cable),
        cmocka_unit_test(ring_stubs_and_cliques),
        cmocka_unit_test(large_drawings_stay_small),
        cmocka_unit_test(half_a_million_endpoints),
        cmocka_unit_test(turns_as_libm),
        cmocka_unit_test(numbers_without_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
