/* SPDX-License-Identifier: BSD-2-Clause */
/* Every engine on every topology, intact and degraded: what an engine claims, it keeps. Tables are
 * walked pair by pair and their dependencies searched for cycles by code that shares nothing with the
 * product's check, whose verdict must agree. tests/prop/matrix.txt lists, network by network, the engines
 * expected to apply, so that nothing passes by not running. Where that has changed, the difference is printed, and
 * `make accept` writes the matrix again (HEDDLE_MATRIX=print makes this program print it). */
#include "testing.h"

#include "text_file.h"

#include "base/rng.h"
#include "base/context.h"
#include "route/core/sl2vl.h"
#include "route/engine/engine_lookup.h"

#include <stdio.h>

enum { MAX_ENDPOINTS = 160, MAX_SWITCHES = 160, MAX_ROWS = 4096 };

static char *expected[MAX_ROWS]; /* lines of the matrix */
static bool met[MAX_ROWS + 1];   /* lines whose network was tried; the last: one without a line */
static size_t nexpected;
static bool printing;
static char changes[8192];  /* how the matrix differs, one line per network */
static char applying[4096]; /* engines that apply to the current network */

/* ---- an independent look at routes ---------------------------------------------------------- */

struct facts {
    uint64_t pairs, unserved, detours;
    bool cyclic;
};

static uint32_t *distances(const struct hd_net *net, uint32_t from)
{
    uint32_t *dist = malloc((net->nsw + net->nep) * sizeof *dist),
             *queue = malloc((net->nsw + net->nep) * sizeof *queue), n = 0;
    memset(dist, 0xff, (net->nsw + net->nep) * sizeof *dist);
    dist[from] = 0;
    queue[n++] = from;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[queue[i]]; c < net->off[queue[i] + 1]; c++)
            if (dist[net->head[c]] == UINT32_MAX) {
                dist[net->head[c]] = dist[queue[i]] + 1;
                queue[n++] = net->head[c];
            }
    free(queue);
    return dist;
}

/* Depth-first search over (lane, channel) with colours. */
static bool search(const bool *edge, uint32_t n, uint32_t c, uint8_t *colour)
{
    colour[c] = 1;
    for (uint32_t next = 0; next < n; next++) {
        if (!edge[(size_t)c * n + next]) continue;
        if (colour[next] == 1 || (colour[next] == 0 && search(edge, n, next, colour))) return true;
    }
    colour[c] = 2;
    return false;
}

static bool has_cycle(const bool *edge, uint32_t n)
{
    uint8_t *colour = calloc(n, 1);
    bool found = false;
    for (uint32_t c = 0; c < n && !found; c++) found = colour[c] == 0 && search(edge, n, c, colour);
    free(colour);
    return found;
}

static struct facts look(const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct facts f = {0};
    bool hop = r->lane_rule == HD_LANE_HOP; /* then VLs change along the path, and dependencies cross them */
    uint32_t lanes = r->nlanes ? r->nlanes : 1, n = net->nchan, width = hop ? lanes * n : n;
    bool *edge = calloc((size_t)lanes * n * width, 1);
    bool all = r->select == HD_SELECT_ALL || r->select == HD_SELECT_PACKET;
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t s = net->sel[i], *dist = distances(net, net->nsw + s);
        for (uint32_t k = 0; k < net->nsel; k++) {
            uint32_t d = net->sel[k];
            if (s == d || dist[net->nsw + d] == UINT32_MAX) continue;
            uint32_t x = all ? 0 : hd_routes_variant(r, s, d), end = all ? r->nvar : x + 1;
            for (; x < end; x++) {
                uint32_t chan[HD_MAX_HOPS], len = hd_routes_path(r, s, d, x, chan), lane = hd_routes_lane(r, s, d, x);
                f.pairs++;
                if (len == 0) {
                    f.unserved++;
                    continue;
                }
                assert_int_equal(net->tail[chan[0]], net->nsw + s);
                assert_int_equal(net->head[chan[len - 1]], net->nsw + d);
                for (uint32_t j = 0, vl = hop ? 0 : lane; j + 1 < len; j++) {
                    uint32_t next = hop ? hd_sl2vl_lane(r->sl2vl, chan[j], chan[j + 1], lane) : vl;
                    assert_int_equal(net->head[chan[j]], net->tail[chan[j + 1]]);
                    assert_in_range(next, 0, lanes - 1);
                    edge[((size_t)vl * n + chan[j]) * width + (hop ? next * n : 0) + chan[j + 1]] = true;
                    vl = next;
                }
                f.detours += len != dist[net->nsw + d];
            }
        }
        free(dist);
    }
    for (uint32_t lane = 0; lane < (hop ? 1 : lanes) && !f.cyclic; lane++)
        f.cyclic = has_cycle(edge + (size_t)lane * n * width, width);
    free(edge);
    return f;
}

/* ---- one engine on one network -------------------------------------------------------------- */

static void same_tables(const struct hd_routes *a, const struct hd_routes *b, const char *what)
{
    const struct hd_net *net = a->net;
    uint8_t *x = malloc(net->nsw), *y = malloc(net->nsw);
    assert_int_equal(a->nvar, b->nvar);
    assert_int_equal(a->nlanes, b->nlanes);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t v = 0; v < a->nvar; v++)
            if (memcmp(hd_routes_row(a, d, v, x), hd_routes_row(b, d, v, y), net->nsw) != 0)
                fail_msg("%s: row %u differs", what, d);
    for (uint32_t i = 0; i < net->nsel; i++)
        for (uint32_t k = 0; k < net->nsel; k++)
            if (i != k &&
                hd_routes_lane(a, net->sel[i], net->sel[k], 0) != hd_routes_lane(b, net->sel[i], net->sel[k], 0))
                fail_msg("%s: lanes differ", what);
    free(x);
    free(y);
}

static void hold_to_claims(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_routes *r, const char *what)
{
    struct hd_check k;
    struct facts f = look(r);
    if (hd_routes_check(ctx, r, &k) != HD_OK) fail_msg("%s: check: %s", what, ctx->error);
    if (k.pairs != f.pairs || k.unreachable + k.loops != f.unserved || k.nonminimal != f.detours)
        fail_msg("%s: check counts %llu pairs, %llu unserved, %llu detours; walking gives %llu, %llu, %llu", what,
                 (unsigned long long)k.pairs, (unsigned long long)(k.unreachable + k.loops),
                 (unsigned long long)k.nonminimal, (unsigned long long)f.pairs, (unsigned long long)f.unserved,
                 (unsigned long long)f.detours);
    if (r->lane_rule != HD_LANE_UNKNOWN && (k.deadlock_free == 1) == f.cyclic)
        fail_msg("%s: check says deadlock_free %d, search says cyclic %d", what, k.deadlock_free, f.cyclic);
    if ((e->claims & HD_CLAIM_COMPLETE) && f.unserved)
        fail_msg("%s: %llu pairs not served", what, (unsigned long long)f.unserved);
    if ((e->claims & HD_CLAIM_MINIMAL) && f.detours) fail_msg("%s: %llu detours", what, (unsigned long long)f.detours);
    if ((e->claims & HD_CLAIM_DEADLOCK_FREE) && f.cyclic) fail_msg("%s: a dependency cycle", what);
}

static void add_change(const char *before, const char *text, size_t length)
{
    size_t used = strlen(changes);
    snprintf(changes + used, sizeof changes - used, "%s%.*s", before, (int)length, text);
}

/* Is a word in a list whose words each follow a space? */
static bool in_list(const char *list, const char *word, size_t length)
{
    for (const char *at = list; (at = strchr(at, ' ')); at++)
        if (strncmp(at + 1, word, length) == 0 && strchr(" \n", at[1 + length])) return true;
    return false;
}

static void add_missing(const char *list, const char *other, const char *sign)
{
    for (const char *at = list; (at = strchr(at, ' ')); at++) {
        size_t length = strcspn(at + 1, " \n");
        if (!in_list(other, at + 1, length)) add_change(sign, at + 1, length);
    }
}

/* Length of a line's network, with the colon. */
static size_t network_length(const char *line)
{
    const char *end = strstr(line, ": ");
    return end ? (size_t)(end - line) + 1 : strcspn(line, "\n");
}

/* One line of the difference: the network, then "+engine" for what applies now, "-engine" for what no longer does. */
static void compare_line(const char *net)
{
    char line[HD_MAX_SPEC + sizeof applying];
    snprintf(line, sizeof line, "%s:%s\n", net, applying);
    if (printing) {
        fputs(line, stdout);
        return;
    }
    size_t name = network_length(line), i = 0;
    while (i < nexpected && (network_length(expected[i]) != name || strncmp(expected[i], line, name) != 0)) i++;
    const char *was = i < nexpected ? expected[i] + name : "", *is = line + name;
    met[i] = true;
    if (strcmp(was, is) == 0) return;
    add_change(*was ? "\n  " : "\n  new: ", line, name);
    if (*was) add_missing(is, was, " +");
    add_missing(was, is, " -");
}

static void compare_matrix(void)
{
    for (size_t i = 0; i < nexpected; i++)
        if (!met[i]) add_change("\n  no longer tried: ", expected[i], network_length(expected[i]) - 1);
    if (*changes)
        fail_msg("tests/prop/matrix.txt differs (+ applies now, - no longer does):%s\nIf that is meant: make accept",
                 changes);
}

static void try_engine(const struct hd_engine *e, const char *spec, const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_routes *r, *again;
    char what[2 * HD_MAX_SPEC];
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    snprintf(what, sizeof what, "%s on %s", spec, net->spec);
    hd_status s = hd_routes_open(&ctx, net, spec, &r);
    if (s != HD_OK && s != HD_NA) fail_msg("%s: %s", what, ctx.error);
    if (s == HD_OK) snprintf(applying + strlen(applying), sizeof applying - strlen(applying), " %s", spec);
    if (s != HD_OK || printing) {
        if (s == HD_OK) hd_routes_free(r);
        return;
    }
    hold_to_claims(&ctx, e, r, what);
    ctx.threads = 3;
    assert_int_equal(hd_routes_open(&ctx, net, spec, &again), HD_OK);
    same_tables(r, again, what);
    hd_routes_free(again);
    hd_routes_free(r);
}

static bool small(const struct hd_net *net)
{
    return net->nep <= MAX_ENDPOINTS && net->nsw <= MAX_SWITCHES && net->nchan <= 1200;
}

struct loss {
    const char *fail; /* NULL: none */
    uint32_t cables, switches;
};

/* Whether this much can be lost: cables between switches, or switches such that one remains. */
static bool can_lose(const struct hd_net *net, const struct loss *loss)
{
    uint32_t cables = 0;
    for (uint32_t c = 0; c < net->nchan; c++)
        cables += net->tail[c] < net->nsw && net->head[c] < net->nsw && net->rev[c] > c;
    return cables >= loss->cables && net->nsw > loss->switches;
}

static void try_network(const char *spec, const struct loss *loss)
{
    struct hd_ctx ctx;
    struct hd_net *net = make_net(spec);
    hd_ctx_init(&ctx);
    bool possible = can_lose(net, loss);
    hd_net_free(net);
    if (!possible) return;
    if (hd_net_open(&ctx, spec, &(struct hd_open){.fail = loss->fail}, &net) != HD_OK)
        fail_msg("%s --fail %s: %s", spec, loss->fail ? loss->fail : "nothing", ctx.error);
    assert_int_equal(hd_net_check(&ctx, net), HD_OK);
    const struct hd_desc *d;
    *applying = 0;
    for (size_t i = 0; small(net) && (d = row_at(HD_ENGINES, i)); i++) {
        const struct hd_engine *e = (const struct hd_engine *)d;
        for (const char *const *x = d->examples; x && *x && e->role != HD_ENGINE_EXTERNAL; x++) try_engine(e, *x, net);
    }
    if (small(net)) compare_line(net->spec);
    hd_net_free(net);
}

static void engines_keep_their_claims(void **state)
{
    static const struct loss losses[] = {{0}, {"links=1", 1, 0}, {"links=3,seed=2", 3, 0}, {"switches=1,seed=3", 0, 1}};
    const struct hd_desc *d;
    (void)state;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++)
        for (const char *const *x = d->examples; x && *x; x++)
            for (size_t k = 0; k < sizeof losses / sizeof losses[0]; k++) try_network(*x, &losses[k]);
    if (!printing) compare_matrix();
}

/* The network with an aggregation node on one more port of every switch, as switches with in-network
 * reduction have; structure inferred again. */
static struct hd_net *with_aggregation_nodes(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *bare = NULL, *out = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < net->nsw; v++) hd_builder_switch(b, &(struct hd_switch_in){.name = hd_node_name(net, v)});
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t u = net->tail[c], v = net->head[c];
        if (u < net->nsw && v >= net->nsw)
            hd_builder_host(b, u, net->port[c], 0);
        else if (u < v && v < net->nsw)
            hd_builder_cable(b, u, net->port[c], v, net->port[net->rev[c]], 0);
    }
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t a =
            hd_builder_adapter(b, &(struct hd_adapter_in){.name = "Aggregation Node", .role = HD_ROLE_AGGREGATION});
        hd_builder_cable(b, v, net->nports[v] + 1u, hd_builder_endpoint(b, a, 1, 0, 0), 1, 0);
    }
    assert_int_equal(hd_builder_finish(&ctx, b, "with aggregation nodes", &bare), HD_OK);
    hd_status s = hd_net_infer(&ctx, bare, &out);
    hd_net_free(bare);
    return checked(&ctx, s, out, "with aggregation nodes");
}

static void aggregation_nodes_do_not_disturb(void **state)
{
    static const char *const specs[] = {"ft:m=4,n=3", "gft:n=4,m=4,r=8", "pgft:m=4x4,w=1x2,p=1x2",
                                        "torus:dims=3x4,hosts=2"};
    const struct hd_desc *d;
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct hd_net *plain = make_net(specs[i]), *net = with_aggregation_nodes(plain);
        assert_int_equal(net->shape.kind, plain->shape.kind);
        assert_int_equal(net->nsel, plain->nsel);
        for (size_t k = 0; (d = row_at(HD_ENGINES, k)); k++)
            for (const char *const *x = d->examples; x && *x; x++) {
                const struct hd_engine *e = (const struct hd_engine *)d;
                if (e->role != HD_ENGINE_EXTERNAL) try_engine(e, *x, net);
            }
        hd_net_free(net);
        hd_net_free(plain);
    }
}

/* ---- the order of a file ---------------------------------------------------------------------- */

enum { MAX_PIECES = 2000 };

/* Cuts text at every mark and puts the pieces together again in another order; those of a record's lines that
 * are no ports stay in front. */
static char *in_other_order(const char *text, const char *mark, bool ports, struct hd_rng *rng)
{
    const char *piece[MAX_PIECES];
    uint32_t order[MAX_PIECES], n = 0, first = 0;
    size_t step = strlen(mark), size = strlen(text);
    char *out = calloc(size + 3, 1);
    for (const char *at = text; at && *at; at = strstr(at, mark), at = at ? at + step : NULL) {
        assert_true(n < MAX_PIECES);
        order[n] = n;
        piece[n++] = at;
        if (ports && *at != '[') first = n;
    }
    hd_rng_shuffle(rng, order + first, n - first);
    for (uint32_t i = 0; i < n; i++) {
        const char *from = piece[order[i]], *end = order[i] + 1 < n ? piece[order[i] + 1] : text + size;
        strncat(out, from, (size_t)(end - from));
        if (end == text + size && strncmp(end - step, mark, step) != 0) strcat(out, mark);
    }
    return out;
}

/* Records, and the ports of each, shuffled. */
static char *shuffled_file(const char *text, uint64_t seed)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_TEST, 11);
    char *records = in_other_order(text, "\n\n", false, &rng), *out = calloc(2 * strlen(text) + 16, 1);
    for (char *at = records, *end; *at; at = end) {
        end = strstr(at, "\n\n");
        end = end ? end + 2 : at + strlen(at);
        char *record = strndup(at, (size_t)(end - at)), *lines;
        while (*record && record[strlen(record) - 1] == '\n') record[strlen(record) - 1] = 0;
        lines = in_other_order(record, "\n", true, &rng);
        strcat(strcat(out, lines), "\n");
        free(lines);
        free(record);
    }
    free(records);
    return out;
}

static struct hd_net *open_text(const char *text, const char *what)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_open(&ctx, text_file(text), NULL, &net);
    return checked(&ctx, s, net, what);
}

/* Every engine gives the same tables whatever the order of records in the file, since nodes are numbered by
 * GUID and cables by port. */
static void order_of_records_does_not_matter(void **state)
{
    const struct hd_desc *t, *d;
    uint32_t tried = 0;
    (void)state;
    for (size_t i = 0; (t = row_at(HD_TOPOLOGIES, i)); i++)
        for (const char *const *x = t->examples; x && *x; x++) {
            struct hd_ctx ctx;
            struct hd_out *o;
            struct hd_net *net = make_net(*x);
            hd_ctx_init(&ctx);
            ctx.threads = 1;
            if (net->nep > 40 || net->nchan > 400) {
                hd_net_free(net);
                continue;
            }
            assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
            assert_int_equal(hd_net_write(&ctx, net, "ibnet", o), HD_OK);
            const char *text = hd_out_text(o, NULL);
            char *other = shuffled_file(text, i);
            if (net->nsw > 2) assert_string_not_equal(text, other);
            struct hd_net *a = open_text(text, *x), *b = open_text(other, *x);
            for (size_t k = 0; (d = row_at(HD_ENGINES, k)); k++)
                for (const char *const *e = d->examples; e && *e; e++) {
                    struct hd_routes *ra, *rb;
                    if (((const struct hd_engine *)d)->role == HD_ENGINE_EXTERNAL) continue;
                    hd_status sa = hd_routes_open(&ctx, a, *e, &ra), sb = hd_routes_open(&ctx, b, *e, &rb);
                    assert_int_equal(sa, sb);
                    if (sa != HD_OK) continue;
                    same_tables(ra, rb, *e);
                    hd_routes_free(ra);
                    hd_routes_free(rb);
                    tried++;
                }
            free(other);
            hd_out_drop(o);
            hd_net_free(a);
            hd_net_free(b);
            hd_net_free(net);
        }
    assert_true(tried > 200);
}

static void read_matrix(void)
{
    static char line[HD_MAX_SPEC + sizeof applying];
    FILE *f = fopen("tests/prop/matrix.txt", "r");
    while (f && nexpected < MAX_ROWS && fgets(line, sizeof line, f)) expected[nexpected++] = strdup(line);
    if (f) fclose(f);
}

int main(void)
{
    const char *mode = getenv("HEDDLE_MATRIX");
    printing = mode && strcmp(mode, "print") == 0;
    if (printing) {
        engines_keep_their_claims(NULL);
        return 0;
    }
    read_matrix();
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_keep_their_claims),
                                       cmocka_unit_test(aggregation_nodes_do_not_disturb),
                                       cmocka_unit_test(order_of_records_does_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
