/* SPDX-License-Identifier: BSD-2-Clause */
/* Every topology of the registry: its bare name, its examples and a few hundred specs drawn from its
 * parameter rows either build a network that keeps every invariant, is connected, has the number of
 * switches, endpoints and cables an independent formula says, and comes back identical from its canonical
 * spec; or are refused in a sentence that begins with the topology's name. */
#include "testing.h"
#include "graph_tools.h"
#include "base/rng.h"
#include "base/context.h"

#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- reading a canonical spec -------------------------------------------------------------- */

static const char *value_of(const char *spec, const char *key, const char *otherwise, char buf[64])
{
    size_t n = strlen(key);
    for (const char *s = spec; (s = strpbrk(s, ":,")); s++)
        if (strncmp(s + 1, key, n) == 0 && s[n + 1] == '=') {
            snprintf(buf, 64, "%.*s", (int)strcspn(s + n + 2, ","), s + n + 2);
            return buf;
        }
    return otherwise;
}

static uint64_t number(const char *spec, const char *key, uint64_t otherwise)
{
    char buf[64];
    const char *v = value_of(spec, key, NULL, buf);
    return v ? strtoull(v, NULL, 10) : otherwise;
}

struct numbers {
    uint32_t n;
    uint64_t v[16];
};

static struct numbers numbers(const char *spec, const char *key, const char *otherwise)
{
    char buf[64];
    struct numbers l = {0};
    for (const char *s = value_of(spec, key, otherwise, buf); *s;) {
        char *end;
        l.v[l.n++] = strtoull(s, &end, 10);
        s = *end ? end + 1 : end;
    }
    return l;
}

/* ---- sizes, from the definitions ----------------------------------------------------------- */

struct size {
    uint64_t switches, endpoints, cables;
};

/* Copies of the fabric, connected by nothing but the hosts. */
static uint32_t planes_of(const char *spec)
{
    char buf[64];
    return (uint32_t)strtoul(value_of(spec, "planes", "1", buf), NULL, 10);
}

static struct size tree(const char *spec, uint32_t n, const uint64_t *m, const uint64_t *w, const uint64_t *p)
{
    char buf[64];
    const char *partial = value_of(spec, "partial", "", buf);
    uint64_t leaves = 1, below = 1, width = 1,
             count = strchr(partial, ':') ? strtoull(strchr(partial, ':') + 1, NULL, 10) : 0;
    for (uint32_t i = 1; i < n; i++) leaves *= m[i];
    uint64_t endpoints = leaves * m[0];
    if (strncmp(partial, "leaves", 6) == 0) {
        leaves = count;
        endpoints = leaves * m[0];
    } else if (strncmp(partial, "subtrees", 8) == 0) {
        endpoints = endpoints / m[n - 1] * count;
        leaves = (endpoints + m[0] - 1) / m[0];
    } else if (count)
        endpoints = count;
    struct size s = {0, endpoints, endpoints};
    for (uint32_t l = 1; l <= n; l++) { /* groups that hold a leaf, times the switches of a group */
        if (l > 1) {
            below *= m[l - 1];
            width *= w[l - 1];
        }
        uint64_t here = (leaves + below - 1) / below * width;
        s.switches += here;
        if (l < n) s.cables += here * w[l] * p[l];
    }
    uint64_t planes = planes_of(spec);
    return (struct size){s.switches * planes, s.endpoints * planes, s.cables * planes};
}

static struct size gft(const char *spec)
{
    uint64_t m[] = {number(spec, "n", 0), number(spec, "r", 0)}, w[] = {1, number(spec, "m", 0)}, p[] = {1, 1};
    return tree(spec, 2, m, w, p);
}

static struct size uniform_tree(const char *spec, uint64_t children, uint64_t top, uint32_t n)
{
    uint64_t m[16], w[16], p[16];
    for (uint32_t i = 0; i < n; i++) {
        m[i] = i + 1 < n ? children : top;
        w[i] = i ? children : 1;
        p[i] = 1;
    }
    return tree(spec, n, m, w, p);
}

static struct size ft(const char *spec)
{
    return uniform_tree(spec, number(spec, "m", 0) / 2, number(spec, "m", 0), (uint32_t)number(spec, "n", 0));
}

static struct size kary(const char *spec)
{
    return uniform_tree(spec, number(spec, "k", 0), number(spec, "k", 0), (uint32_t)number(spec, "n", 0));
}

static struct size pgft(const char *spec)
{
    struct numbers m = numbers(spec, "m", ""), w = numbers(spec, "w", ""), p = numbers(spec, "p", "1x1x1x1x1x1x1x1");
    return tree(spec, m.n, m.v, w.v, p.v);
}

enum wrap { LINE, RING, CLIQUE };

static struct size grid(const char *spec, struct numbers dims, enum wrap wrap)
{
    struct numbers cables = numbers(spec, "cables", "1");
    struct size s = {1, 0, 0};
    for (uint32_t i = 0; i < dims.n; i++) s.switches *= dims.v[i];
    s.endpoints = s.cables = s.switches * number(spec, "hosts", 0);
    for (uint32_t i = 0; i < dims.n; i++) {
        uint64_t m = dims.v[i], links = wrap == CLIQUE ? m * (m - 1) / 2 : wrap == RING && m > 2 ? m : m - 1;
        s.cables += s.switches / m * links * cables.v[cables.n == 1 ? 0 : i];
    }
    return s;
}

static struct size torus(const char *spec)
{
    return grid(spec, numbers(spec, "dims", ""), RING);
}

static struct size mesh(const char *spec)
{
    return grid(spec, numbers(spec, "dims", ""), LINE);
}

static struct size hyperx(const char *spec)
{
    return grid(spec, numbers(spec, "dims", ""), CLIQUE);
}

static struct size hypercube(const char *spec)
{
    struct numbers dims = {.n = (uint32_t)number(spec, "n", 0)};
    for (uint32_t i = 0; i < dims.n; i++) dims.v[i] = 2;
    return grid(spec, dims, LINE);
}

static struct size random_net(const char *spec)
{
    uint64_t n = number(spec, "switches", 0), hosts = number(spec, "hosts", 0),
             inner = number(spec, "ports", 0) - hosts;
    return (struct size){n, n * hosts, n * hosts + (n > 1 ? n * inner / 2 : 0)};
}

/* Ports of a group for others, and how many of them in all are in use: every group the same number, unless
 * groups and that number are both odd and so one of each stays open; but whole rounds over all other
 * groups need no such care. */
static uint64_t global_cables(uint64_t groups, uint64_t ports)
{
    if (groups < 2) return 0;
    uint64_t rest = ports % (groups - 1), open = rest % 2 && groups % 2;
    return groups * (ports - open) / 2;
}

static struct size dragonfly(const char *spec)
{
    uint64_t h = number(spec, "h", 0), a = number(spec, "a", 2 * h), p = number(spec, "p", h),
             g = number(spec, "g", a * h + 1);
    return (struct size){g * a, g * a * p, g * a * p + g * a * (a - 1) / 2 + global_cables(g, a * h)};
}

static struct size dragonfly_plus(const char *spec)
{
    uint64_t h = number(spec, "h", 0), spines = number(spec, "spines", h), leaves = number(spec, "leaves", spines);
    uint64_t p = number(spec, "p", spines), g = number(spec, "g", spines * h + 1);
    return (struct size){g * (leaves + spines), g * leaves * p,
                         g * leaves * p + g * leaves * spines + global_cables(g, spines * h)};
}

static struct size slimfly(const char *spec)
{
    uint64_t q = number(spec, "q", 0), degree = q % 4 == 1 ? (3 * q - 1) / 2 : q % 4 == 3 ? (3 * q + 1) / 2 : 3 * q / 2;
    uint64_t n = 2 * q * q, endpoints = n * number(spec, "hosts", (degree + 1) / 2);
    return (struct size){n, endpoints, endpoints + n * degree / 2};
}

static struct size odin(const char *spec)
{
    uint64_t n = number(spec, "endpoints", 128);
    return (struct size){12 + 6, n, n + 144};
}

static struct size atlas(const char *spec)
{
    uint64_t n = number(spec, "endpoints", 1142);
    return (struct size){96 + 4 * (24 + 12), n, n + 96 * 12 + 4 * 288};
}

static struct size thunderbird(const char *spec)
{
    uint64_t n = number(spec, "endpoints", 4390);
    return (struct size){280 + 8 * (24 + 12), n, n + 280 * 8 + 8 * 288};
}

static struct size ranger(const char *spec)
{
    uint64_t n = number(spec, "endpoints", 4080);
    return (struct size){340 + 2 * 720, n, n + 340 * 12 + 2 * (2 * 3456)};
}

static struct size deimos(const char *spec)
{
    struct numbers hosts = numbers(spec, "hosts", "251x222x251");
    uint64_t n = hosts.v[0] + hosts.v[1] + hosts.v[2];
    return (struct size){3 * (24 + 12), n, n + 3 * 288 + 2 * number(spec, "cables", 30)};
}

static bool sharp(const char *spec)
{
    char buf[64];
    return strcmp(value_of(spec, "sharp", "off", buf), "on") == 0;
}

/* Storage hosts are endpoints of their own kind, unless there are no others. */
static uint64_t storage(const char *spec)
{
    return strncmp(spec, "director", 8) && strncmp(spec, "rail", 4)
               ? 0
               : number(spec, "storage", 0) * (number(spec, "hosts", 0) > 0);
}

static struct size director(const char *spec)
{
    uint64_t leaves = number(spec, "groups", 0) * number(spec, "leaves", 0), d = number(spec, "directors", 0);
    uint64_t lines = number(spec, "groups", 0) * number(spec, "lines", 0), spines = number(spec, "spines", 0);
    struct size s = {leaves + d * (lines + spines), leaves * number(spec, "hosts", 0) + number(spec, "storage", 0), 0};
    s.endpoints += sharp(spec) ? s.switches : 0;
    s.cables = s.endpoints + leaves * d * number(spec, "lines", 0) + d * lines * spines;
    return s;
}

static struct size rail(const char *spec)
{
    uint64_t rails = number(spec, "units", 0) * number(spec, "rails", 0), leaves = rails * number(spec, "leaves", 0);
    struct size s = {leaves + number(spec, "spines", 0), rails * number(spec, "hosts", 0) + number(spec, "storage", 0),
                     0};
    s.endpoints += sharp(spec) ? s.switches : 0;
    s.cables = s.endpoints + leaves * number(spec, "uplinks", 0);
    return s;
}

static const struct formula {
    const char *name;
    struct size (*size)(const char *spec);
} formulas[] = {{"gft", gft},
                {"ft", ft},
                {"xgft", pgft},
                {"pgft", pgft},
                {"kary", kary},
                {"torus", torus},
                {"mesh", mesh},
                {"hypercube", hypercube},
                {"hyperx", hyperx},
                {"random", random_net},
                {"dragonfly", dragonfly},
                {"dragonfly+", dragonfly_plus},
                {"director", director},
                {"rail", rail},
                {"slimfly", slimfly},
                {"odin", odin},
                {"atlas", atlas},
                {"thunderbird", thunderbird},
                {"ranger", ranger},
                {"deimos", deimos}};

static const struct formula *formula_of(const char *name)
{
    for (size_t i = 0; i < COUNT(formulas); i++)
        if (strcmp(formulas[i].name, name) == 0) return &formulas[i];
    fail_msg("topology %s has no formula in this test", name);
    return NULL;
}

/* ---- the same network twice ---------------------------------------------------------------- */

#define SAME(field, n)                                                                                                 \
    do {                                                                                                               \
        if ((n) > 0 && memcmp(a->field, b->field, (n) * sizeof *a->field) != 0)                                        \
            fail_msg("%s: %s differs", a->spec, #field);                                                               \
    } while (0)

static void assert_same(const struct hd_net *a, const struct hd_net *b)
{
    assert_string_equal(a->spec, b->spec);
    assert_int_equal(a->nsw, b->nsw);
    assert_int_equal(a->nep, b->nep);
    assert_int_equal(a->nchan, b->nchan);
    assert_int_equal(a->nca, b->nca);
    assert_int_equal(a->nhost, b->nhost);
    assert_int_equal(a->nrail, b->nrail);
    assert_int_equal(a->nsel, b->nsel);
    assert_int_equal(a->lmc, b->lmc);
    assert_string_equal(a->rails, b->rails);
    assert_memory_equal(&a->shape, &b->shape, sizeof a->shape);
    size_t nodes = a->nsw + a->nep;
    SAME(off, nodes + 1);
    SAME(head, a->nchan);
    SAME(tail, a->nchan);
    SAME(rev, a->nchan);
    SAME(port, a->nchan);
    SAME(link, a->nchan);
    SAME(guid, nodes);
    SAME(lid, nodes);
    SAME(level, nodes);
    SAME(coord, nodes * a->shape.n);
    SAME(nports, a->nsw);
    SAME(ca, a->nep);
    SAME(ca_guid, a->nca);
    SAME(ca_ports, a->nca);
    SAME(ca_role, a->nca);
    SAME(system, a->nsw + a->nca);
    SAME(host, a->nep);
    SAME(rail, a->nep);
    SAME(sel, a->nsel);
    for (uint32_t v = 0; v < nodes; v++) assert_string_equal(hd_node_name(a, v), hd_node_name(b, v));
    for (uint32_t h = 0; h < a->nhost; h++) assert_string_equal(hd_host_name(a, h), hd_host_name(b, h));
}

static uint32_t count_parts(const struct hd_net *net)
{
    struct hd_ctx ctx;
    uint32_t *part = calloc((size_t)net->nsw + net->nep + 1, sizeof *part), parts;
    hd_ctx_init(&ctx);
    assert_non_null(part);
    assert_int_equal(hd_net_parts(&ctx, net, part, &parts), HD_OK);
    free(part);
    return parts;
}

static void assert_good(const struct formula *f, const struct hd_net *net, const char *given)
{
    struct size want = f->size(net->spec);
    if (net->nsw != want.switches || net->nep != want.endpoints || net->nchan != 2 * want.cables)
        fail_msg("%s: %u switches, %u endpoints, %u cables; the formula says %llu, %llu, %llu", net->spec, net->nsw,
                 net->nep, net->nchan / 2, (unsigned long long)want.switches, (unsigned long long)want.endpoints,
                 (unsigned long long)want.cables);
    if (planes_of(net->spec) == 1 && !is_connected(net)) fail_msg("%s: not connected", given);
    if (planes_of(net->spec) != count_parts(net)) fail_msg("%s: %u components", given, count_parts(net));
    uint32_t compute = 0;
    for (uint32_t e = 0; e < net->nep; e++) compute += net->ca_role[net->ca[e]] == HD_ROLE_HOST;
    assert_int_equal(net->nsel, compute);
    assert_int_equal(compute, net->nep - (sharp(net->spec) ? net->nsw : 0) - storage(net->spec));
    assert_int_equal(net->shape.missing, 0);
    for (uint32_t v = 0; v < net->nsw; v++) assert_true(net->level[v] != HD_NO_LEVEL);
    struct hd_net *again = make_net(net->spec);
    assert_same(net, again);
    hd_net_free(again);
}

/* ---- properties ---------------------------------------------------------------------------- */

static void described(void **state)
{
    (void)state;
    const struct hd_desc *d;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++) {
        assert_true(d->name && d->summary && d->text && d->cite && d->params && d->examples && d->examples[0]);
        for (const struct hd_param *p = d->params; p->name; p++) assert_true(p->doc && *p->doc && p->value);
        assert_ptr_equal(row_of(HD_TOPOLOGIES, d->name), d);
    }
}

static void bare_names_and_examples(void **state)
{
    (void)state;
    const struct hd_desc *d;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++) {
        const struct formula *f = formula_of(d->name);
        struct hd_net *net = make_net(d->name);
        assert_good(f, net, d->name);
        hd_net_free(net);
        for (const char *const *e = d->examples; *e; e++) {
            net = make_net(*e);
            assert_int_equal(strncmp(*e, d->name, strlen(d->name)), 0);
            assert_good(f, net, *e);
            hd_net_free(net);
        }
    }
}

static size_t draw_value(struct hd_rng *rng, const struct hd_param *p, uint32_t entries, char *out, size_t room)
{
    static const char *const texts[] = {"leaves:1",    "leaves:2", "subtrees:1", "subtrees:2", "endpoints:1",
                                        "endpoints:3", "random:2", "random:1",   "leaves:0",   "some"};
    uint32_t low = (uint32_t)p->min, span = p->max - p->min < 5 ? (uint32_t)(p->max - p->min) + 1 : 6;
    size_t n = 0;
    switch (p->kind) {
    case HD_UINT:
    case HD_BYTES: return (size_t)snprintf(out, room, "%u", low + hd_rng_below(rng, span));
    case HD_LIST:
        for (uint32_t i = 0; i < entries; i++) {
            /* trees must begin with 1 upwards: let half of the lists do so */
            uint32_t v = i == 0 && hd_rng_below(rng, 2) ? 1 : low + hd_rng_below(rng, span);
            n += (size_t)snprintf(out + n, room - n, "%s%u", i ? "x" : "", v);
        }
        return n;
    case HD_WORD: {
        const char *w = p->words;
        for (uint32_t skip = hd_rng_below(rng, 3); skip && strchr(w, '|'); skip--) w = strchr(w, '|') + 1;
        return (size_t)snprintf(out, room, "%.*s", (int)strcspn(w, "|"), w);
    }
    case HD_TEXT: return (size_t)snprintf(out, room, "%s", texts[hd_rng_below(rng, COUNT(texts))]);
    case HD_FLAG: return (size_t)snprintf(out, room, "%s", hd_rng_below(rng, 2) ? "on" : "off");
    case HD_REAL: break;
    }
    fail_msg("parameter %s: no values are drawn for its kind", p->name);
    return 0;
}

static void draw_spec(struct hd_rng *rng, const struct hd_desc *d, char spec[HD_MAX_SPEC])
{
    size_t n = (size_t)snprintf(spec, HD_MAX_SPEC, "%s", d->name);
    uint32_t entries = 1 + hd_rng_below(rng, 3); /* all lists of a spec have as many */
    char between = ':';
    for (const struct hd_param *p = d->params; p->name; p++) {
        if (!p->shape && hd_rng_below(rng, 2)) continue;
        n += (size_t)snprintf(spec + n, HD_MAX_SPEC - n, "%c%s=", between, p->name);
        n += draw_value(rng, p, entries, spec + n, HD_MAX_SPEC - n);
        between = ',';
    }
}

static void drawn_specs(void **state)
{
    (void)state;
    const struct hd_desc *d;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++) {
        uint32_t built = 0, drawn = strcmp(d->name, "ranger") && strcmp(d->name, "thunderbird") ? 150 : 10;
        for (uint32_t k = 0; k < drawn; k++) {
            char spec[HD_MAX_SPEC];
            struct hd_ctx ctx;
            struct hd_rng rng;
            struct hd_net *net = NULL;
            hd_ctx_init(&ctx);
            hd_rng_init(&rng, i, HD_RNG_TEST, k);
            draw_spec(&rng, d, spec);
            hd_status s = hd_net_open(&ctx, spec, NULL, &net);
            if (s == HD_OK) {
                assert_good(formula_of(d->name), checked(&ctx, s, net, spec), spec);
                hd_net_free(net);
                built++;
                continue;
            }
            assert_null(net);
            if (s != HD_INPUT || strncmp(ctx.error, d->name, strlen(d->name)) != 0 || ctx.error[strlen(d->name)] != ':')
                fail_msg("%s: status %d, %s", spec, s, ctx.error);
        }
        if (built < drawn / 12) fail_msg("%s: only %u of %u drawn specs were built", d->name, built, drawn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(described),
        cmocka_unit_test(bare_names_and_examples),
        cmocka_unit_test(drawn_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
