/* SPDX-License-Identifier: BSD-2-Clause */
/* Random fault sets: small trees, miscabled trees, tori, meshes, dragonflies and random networks lose cables and
 * switches, or have cables in the wrong ports, and every engine that still applies routes what is left. Each table is
 * walked pair by pair by code that shares nothing with the library but the arrays of the network and the entries of the
 * table: what an engine claims it must keep, and the library's check must count the same pairs, the same ones without a
 * path, in loops and on detours, and agree on cycles of dependencies in every VL. Then a few entries and VLs of the
 * table change at random, and check and walker must agree on what that has become; at last on pairs that SL2VL tables
 * cut by VL 15, with and without known service levels.
 * Fault set i is drawn from stream i, so a failure names a number that repeats it. HEDDLE_FAULT_SETS is the number of
 * sets (default 500), HEDDLE_FAULT_FIRST the first of them. HEDDLE_FAULT_FILES is a folder that gets every table in the
 * formats of ibdmchk, and a file `verdicts` with a line per table: the names of its files, whether it has files psl and
 * slvl, pairs of endpoints, pairs without a path, and 1 where dependencies form a cycle (tests/ib/faults.sh). */
#include "testing.h"

#include "base/context.h"
#include "base/rng.h"
#include "route/check/check_drops.h"
#include "route/core/sl2vl.h"
#include "route/engine/engine_lookup.h"

#include <stdio.h>

enum { MAX_SLOTS = 64, MAX_SWAPS = 3 };

static const char *const specs[] = {
    "ft:m=4,n=2",
    "ft:m=4,n=3",
    "ft:m=6,n=2",
    "ft:m=8,n=2",
    "xgft:m=2x3x4,w=1x2x2",
    "xgft:m=4x4,w=1x3",
    "pgft:m=3x4,w=1x2,p=1x2",
    "gft:n=3,m=2,r=4",
    "kary:k=3,n=2",
    "torus:dims=3x4,hosts=1",
    "torus:dims=5x5,hosts=1",
    "torus:dims=3x3x2,hosts=1",
    "mesh:dims=4x4,hosts=1",
    "hypercube:n=4,hosts=1",
    "hyperx:dims=3x3,hosts=2",
    "dragonfly:a=4,p=2,h=2",
    "dragonfly:a=3,p=1,h=1",
    "random:switches=12,ports=8,hosts=2,seed=3",
    "random:switches=20,ports=6,hosts=1,seed=4",
    "random:switches=9,ports=10,hosts=3,seed=5",
};
enum { SPECS = sizeof specs / sizeof specs[0] };

static struct {
    uint64_t sets, tables, refused, pairs, unserved, cyclic, changed, faulty, dropping;
} total;

/* ---- faults ------------------------------------------------------------------------------------------ */

/* A copy of the network without some cables and switches, and with pairs of cables that have exchanged an end. */
struct faults {
    bool *gone;      /* [nsw] */
    bool *cut;       /* [nchan] either direction */
    uint32_t *other; /* [nchan] of a channel between switches: the one whose head it has; usually itself */
};

static bool between_switches(const struct hd_net *net, uint32_t c)
{
    return net->tail[c] < net->nsw && net->head[c] < net->nsw;
}

static uint32_t draw_cable(const struct hd_net *net, struct hd_rng *rng)
{
    uint32_t c;
    do c = hd_rng_below(rng, net->nchan);
    while (!between_switches(net, c));
    return c;
}

static void draw_faults(const struct hd_net *net, struct hd_rng *rng, struct faults *f)
{
    uint32_t cables = 0, cuts, switches = hd_rng_below(rng, 3) ? 0 : 1 + hd_rng_below(rng, 2);
    for (uint32_t c = 0; c < net->nchan; c++) cables += between_switches(net, c);
    cuts = hd_rng_below(rng, cables / 8 + 2);
    for (uint32_t c = 0; c < net->nchan; c++) f->other[c] = c;
    for (uint32_t i = 0; i < cuts; i++) {
        uint32_t c = draw_cable(net, rng);
        f->cut[c] = f->cut[net->rev[c]] = true;
    }
    for (uint32_t i = 0; i < switches && switches < net->nsw; i++) f->gone[hd_rng_below(rng, net->nsw)] = true;
    for (uint32_t i = hd_rng_below(rng, MAX_SWAPS + 1); i > 0; i--) {
        uint32_t c = draw_cable(net, rng), d = draw_cable(net, rng);
        if (f->other[c] != c || f->other[d] != d || c == d || c == net->rev[d]) continue;
        if (net->tail[c] == net->head[d] || net->tail[d] == net->head[c]) continue; /* no cable to itself */
        f->other[c] = d;
        f->other[d] = c;
        f->other[net->rev[c]] = f->other[net->rev[d]] = UINT32_MAX; /* the other directions follow these */
    }
}

static struct hd_net *rebuild(const struct hd_net *net, const struct faults *f)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *bare = NULL, *out = NULL;
    uint32_t *at = calloc(net->nsw, sizeof *at);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (!f->gone[v]) at[v] = hd_builder_switch(b, &(struct hd_switch_in){.name = hd_node_name(net, v)});
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t u = net->tail[c], swapped = f->other[c];
        if (u >= net->nsw || f->gone[u] || f->cut[c]) continue;
        if (net->head[c] >= net->nsw) {
            hd_builder_host(b, at[u], net->port[c], 0);
            continue;
        }
        if (swapped == UINT32_MAX || (swapped == c && net->rev[c] < c)) continue; /* once per cable */
        uint32_t v = net->head[swapped];
        if (!f->gone[v] && !f->cut[swapped])
            hd_builder_cable(b, at[u], net->port[c], at[v], net->port[net->rev[swapped]], 0);
    }
    free(at);
    hd_status s = hd_builder_finish(&ctx, b, net->spec, &bare);
    if (s == HD_OK) s = hd_net_infer(&ctx, bare, &out);
    hd_net_free(bare);
    return checked(&ctx, s, out, net->spec);
}

static struct hd_net *damage(const struct hd_net *net, struct hd_rng *rng)
{
    struct faults f = {calloc(net->nsw, sizeof *f.gone), calloc(net->nchan, sizeof *f.cut),
                       calloc(net->nchan, sizeof *f.other)};
    draw_faults(net, rng, &f);
    struct hd_net *out = rebuild(net, &f);
    free(f.gone);
    free(f.cut);
    free(f.other);
    return out;
}

/* The same by the option of the command, which keeps what is known of the structure. */
static struct hd_net *fail_some(const char *spec, const struct hd_net *net, struct hd_rng *rng)
{
    struct hd_ctx ctx;
    struct hd_net *out = NULL;
    char fail[64];
    uint32_t cables = 0, switches = hd_rng_below(rng, 3) ? 0 : 1;
    for (uint32_t c = 0; c < net->nchan; c++) cables += between_switches(net, c);
    snprintf(fail, sizeof fail, "switches=%u,links=%u,seed=%u", switches, hd_rng_below(rng, cables / 16 + 2),
             1 + hd_rng_below(rng, 1000000));
    hd_ctx_init(&ctx);
    hd_status s = hd_net_open(&ctx, spec, &(struct hd_open){.fail = fail}, &out);
    return checked(&ctx, s, out, spec);
}

/* ---- the walker --------------------------------------------------------------------------------------- */

struct walk {
    const struct hd_net *net;
    uint64_t pairs, unreachable, loops, detours;
    uint32_t longest;
    bool *
        next; /* [((lane * nchan + c) * lanes + then) * MAX_SLOTS + slot] a path takes channel c in a VL, then that slot
                 * in VL `then` */
    uint32_t lanes;
    const struct hd_sl2vl *hops; /* NULL: a path keeps its VL */
};

/* Channels from node `to` to every node, UINT32_MAX: not connected. */
static void walk_distances(const struct hd_net *net, uint32_t to, uint32_t *dist, uint32_t *queue)
{
    uint32_t n = 0;
    memset(dist, 0xff, (net->nsw + net->nep) * sizeof *dist);
    dist[to] = 0;
    queue[n++] = to;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[queue[i]]; c < net->off[queue[i] + 1]; c++)
            if (dist[net->head[c]] == UINT32_MAX) {
                dist[net->head[c]] = dist[queue[i]] + 1;
                queue[n++] = net->head[c];
            }
}

/* One pair along the entries of a row, which are slots; every step but the last counts as a dependency. */
static void walk_pair(struct walk *w, const uint8_t *row, uint32_t s, uint32_t d, uint32_t level, uint32_t shortest)
{
    const struct hd_net *net = w->net;
    uint32_t c = net->off[net->nsw + s], n = 1, lane = w->hops ? 0 : level;
    w->pairs++;
    for (;; n++) {
        uint32_t v = net->head[c];
        if (v == net->nsw + d) break;
        if (v >= net->nsw || row[v] >= net->off[v + 1] - net->off[v]) {
            w->unreachable++;
            return;
        }
        if (n > 2 * net->nsw + 2) {
            w->loops++;
            return;
        }
        uint32_t out = net->off[v] + row[v], then = w->hops ? hd_sl2vl_lane(w->hops, c, out, level) : lane;
        if (n > 1) w->next[(((size_t)lane * net->nchan + c) * w->lanes + then) * MAX_SLOTS + row[v]] = true;
        c = out;
        lane = then;
    }
    w->detours += n != shortest;
    if (n > w->longest) w->longest = n;
}

static bool walk_finds_cycle(const struct walk *w, size_t place, uint8_t *colour)
{
    const struct hd_net *net = w->net;
    uint32_t v = net->head[place % net->nchan];
    colour[place] = 1;
    for (uint32_t lane = 0; v < net->nsw && lane < w->lanes; lane++)
        for (uint32_t slot = 0; slot < net->off[v + 1] - net->off[v]; slot++) {
            size_t to = (size_t)lane * net->nchan + net->off[v] + slot;
            if (!w->next[(place * w->lanes + lane) * MAX_SLOTS + slot] || colour[to] == 2) continue;
            if (colour[to] == 1 || walk_finds_cycle(w, to, colour)) return true;
        }
    colour[place] = 2;
    return false;
}

static bool walk_is_cyclic(const struct walk *w)
{
    size_t places = (size_t)w->lanes * w->net->nchan;
    uint8_t *colour = calloc(places, 1);
    bool cyclic = false;
    for (size_t p = 0; p < places && !cyclic; p++) cyclic = colour[p] == 0 && walk_finds_cycle(w, p, colour);
    free(colour);
    return cyclic;
}

static struct walk walk_table(const struct hd_routes *r)
{
    const struct hd_net *net = hd_routes_net(r);
    uint32_t nodes = net->nsw + net->nep, *dist = malloc(nodes * sizeof *dist), *queue = malloc(nodes * sizeof *queue);
    struct walk w = {.net = net, .lanes = hd_routes_lanes(r), .hops = r->lane_rule == HD_LANE_HOP ? r->sl2vl : NULL};
    uint8_t *buf = malloc(net->nsw);
    bool all = hd_routes_paths_per_pair(r) > 1;
    w.next = calloc((size_t)w.lanes * w.lanes * net->nchan * MAX_SLOTS, 1);
    for (uint32_t d = 0; d < net->nep; d++) {
        walk_distances(net, net->nsw + d, dist, queue);
        for (uint32_t x = 0; x < hd_routes_variants(r); x++) {
            const uint8_t *row = hd_routes_row(r, d, x, buf);
            for (uint32_t s = 0; s < net->nep; s++)
                if (s != d && dist[net->nsw + s] != UINT32_MAX && (all || hd_routes_variant(r, s, d) == x))
                    walk_pair(&w, row, s, d, hd_routes_lane(r, s, d, x), dist[net->nsw + s]);
        }
    }
    free(dist);
    free(queue);
    free(buf);
    return w;
}

/* ---- files for another judge -------------------------------------------------------------------------- */

static struct {
    const char *folder; /* NULL: none asked for */
    FILE *verdicts;
} files;

/* One file of a table; false: the format cannot express it. */
static bool write_file(struct hd_ctx *ctx, const struct hd_routes *r, const char *name, const char *format)
{
    char path[512];
    struct hd_out *o;
    snprintf(path, sizeof path, "%s/%s.%s", files.folder, name, format);
    assert_int_equal(hd_out_open(ctx, path, &o), HD_OK);
    return hd_out_end(ctx, o, hd_routes_write(ctx, r, format, o)) == HD_OK;
}

static void write_table(struct hd_ctx *ctx, const struct hd_engine *e, uint64_t set, const struct hd_routes *r,
                        const struct walk *w, bool cyclic)
{
    const struct hd_net *net = hd_routes_net(r);
    const uint64_t all = (uint64_t)net->nep * (net->nep - 1), missing = all - w->pairs + w->unreachable + w->loops;
    const bool hops = hd_routes_lane_rule(r) == HD_LANE_HOP, lanes = hops || hd_routes_lanes(r) > 1;
    char name[64];
    snprintf(name, sizeof name, "%llu-%s", (unsigned long long)set, e->desc.name);
    if (!write_file(ctx, r, name, "fdbs")) return;
    assert_true(write_file(ctx, r, name, "subnet"));
    if (lanes) assert_true(write_file(ctx, r, name, "psl"));
    if (hops) assert_true(write_file(ctx, r, name, "slvl"));
    fprintf(files.verdicts, "%s %d %d %llu %llu %d\n", name, lanes, hops, (unsigned long long)all,
            (unsigned long long)missing, cyclic);
}

static void open_verdicts(void)
{
    char path[512];
    if (!(files.folder = getenv("HEDDLE_FAULT_FILES"))) return;
    snprintf(path, sizeof path, "%s/verdicts", files.folder);
    assert_non_null(files.verdicts = fopen(path, "w"));
}

/* ---- one table ---------------------------------------------------------------------------------------- */

/* Check and walker agree; returns whether there is a cycle. */
static bool judge_table(struct hd_ctx *ctx, const struct hd_routes *r, const char *what, struct hd_check *check,
                        struct walk *walk)
{
    struct hd_check k;
    struct walk w = walk_table(r);
    bool cyclic = walk_is_cyclic(&w);
    if (hd_routes_check(ctx, r, &k) != HD_OK) fail_msg("%s: check: %s", what, ctx->error);
    if (k.pairs != w.pairs || k.unreachable != w.unreachable || k.loops != w.loops || k.nonminimal != w.detours ||
        k.max_hops != w.longest)
        fail_msg("%s: check counts %llu pairs, %llu unreachable, %llu loops, %llu detours, %u hops; the walker %llu, "
                 "%llu, %llu, %llu, %u",
                 what, (unsigned long long)k.pairs, (unsigned long long)k.unreachable, (unsigned long long)k.loops,
                 (unsigned long long)k.nonminimal, k.max_hops, (unsigned long long)w.pairs,
                 (unsigned long long)w.unreachable, (unsigned long long)w.loops, (unsigned long long)w.detours,
                 w.longest);
    if (k.deadlock_free != !cyclic) fail_msg("%s: check says %d, the walker %d", what, k.deadlock_free, !cyclic);
    *check = k;
    *walk = w;
    return cyclic;
}

static void hold_table(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_routes *r, uint64_t set,
                       const char *what)
{
    struct hd_check k;
    struct walk w;
    const bool cyclic = judge_table(ctx, r, what, &k, &w);
    if ((e->claims & HD_CLAIM_COMPLETE) && w.unreachable + w.loops)
        fail_msg("%s: %llu pairs not served", what, (unsigned long long)(w.unreachable + w.loops));
    if ((e->claims & HD_CLAIM_MINIMAL) && w.detours) fail_msg("%s: %llu detours", what, (unsigned long long)w.detours);
    if ((e->claims & HD_CLAIM_DEADLOCK_FREE) && cyclic) fail_msg("%s: a cycle of dependencies", what);
    /* A baseline that claims nothing of pairs can leave switches out too: dnup does where OpenSM does. */
    bool lids = e->role != HD_ENGINE_BASELINE || (e->claims & HD_CLAIM_COMPLETE);
    if (k.further.loops + k.switches.loops) fail_msg("%s: other LIDs loop", what);
    if (lids && k.further.unreachable + k.switches.unreachable) fail_msg("%s: other LIDs are not reached", what);
    total.tables++;
    total.pairs += w.pairs;
    total.unserved += w.unreachable + w.loops;
    total.cyclic += cyclic;
    if (files.folder) write_table(ctx, e, set, r, &w, cyclic);
    free(w.next);
}

/* An entry or two exchanged, led elsewhere or lost, or another VL for one destination, leaf switch or pair. */
static void change_entry(struct hd_routes *r, struct hd_rng *rng)
{
    const struct hd_net *net = r->net;
    const uint32_t d = hd_rng_below(rng, net->nep), x = hd_rng_below(rng, r->nvar), v = hd_rng_below(rng, net->nsw);
    const uint32_t u = hd_rng_below(rng, net->nsw), s = hd_rng_below(rng, net->nep), how = hd_rng_below(rng, 4);
    uint8_t *row = hd_row(r, d, x), entry = row[v];
    const uint8_t lane = (uint8_t)hd_rng_below(rng, r->nlanes);
    if (how == 0) row[v] = HD_SLOT_NONE;
    if (how == 1 && net->off[v + 1] > net->off[v]) row[v] = (uint8_t)hd_rng_below(rng, net->off[v + 1] - net->off[v]);
    if (how == 2) {
        row[v] = row[u];
        row[u] = entry;
    }
    if (how != 3 || r->lane_rule == HD_LANE_HOP) return;
    if (r->lane_rule == HD_LANE_DEST) r->dest_lane[(size_t)d * r->nvar + x] = lane;
    if (r->lane_rule == HD_LANE_LEAF)
        r->leaf_lane[((size_t)hd_rng_below(rng, r->nleaf) * net->nep + d) * r->nvar + x] = lane;
    if (r->lane_rule == HD_LANE_PAIR) r->pair_lane[((size_t)s * net->nep + d) * r->nvar + x] = lane;
}

static void try_changed(struct hd_ctx *ctx, struct hd_routes *r, struct hd_rng *rng, const char *what)
{
    struct hd_check k;
    struct walk w;
    if (!r->table || r->groups || !r->net->nep) return; /* the walker knows no groups of ports */
    for (uint32_t n = 1 + hd_rng_below(rng, 4); n; n--) change_entry(r, rng);
    const bool cyclic = judge_table(ctx, r, what, &k, &w);
    total.changed++;
    total.faulty += cyclic || w.unreachable + w.loops;
    free(w.next);
}

/* ---- VL 15 -------------------------------------------------------------------------------------------- */

/* For each leaf switch, of 0 up to `most`. */
static uint8_t *draw_levels(struct hd_routes *r, struct hd_rng *rng, uint32_t most)
{
    const size_t n = (size_t)r->nleaf * r->net->nep * r->nvar;
    uint8_t *level = hd_alloc(&r->arena, n, 1);
    assert_non_null(level);
    for (size_t i = 0; i < n; i++) level[i] = (uint8_t)hd_rng_below(rng, most + 1);
    return level;
}

/* Tables that drop no level, all, or half of them, at any turn; levels are unknown, some are, or none. */
static void draw_drops(struct hd_ctx *ctx, struct hd_routes *r, struct hd_rng *rng)
{
    const struct hd_net *net = r->net;
    const uint32_t known = hd_rng_below(rng, 3); /* 0: levels and some tables are not, 1: levels are not */
    const bool some = hd_rng_below(rng, 2);      /* but some levels are */
    hd_routes_vls_unknown(r);
    assert_int_equal(hd_sl2vl_make(ctx, &r->arena, net, &r->sl2vl), HD_OK);
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t in = 0; in < hd_degree(net, v); in++)
            for (uint32_t out = 0; out < hd_degree(net, v); out++) {
                const uint32_t how = hd_rng_below(rng, 8);
                uint8_t lane[16] = {0};
                if (!known && how > 3) continue;
                if (how < 3) memset(lane + (how == 2 ? 8 : 0), HD_LANE_DROP, how ? 8 : 16);
                assert_int_equal(hd_sl2vl_set(ctx, &r->arena, r->sl2vl, v, in, out, lane), HD_OK);
            }
    if (known < 2 && some) r->leaf_level = draw_levels(r, rng, HD_LEVEL_UNKNOWN);
    if (known < 2) return;
    r->lane_rule = HD_LANE_HOP;
    r->nlanes = HD_LANE_DROP + 1;
    r->leaf_lane = draw_levels(r, rng, HD_LEVEL_UNKNOWN - 1);
}

/* Whether a switch drops packets of a level between two channels; one without a table there is not known to. */
static bool walk_drops(const struct hd_sl2vl *m, uint32_t in, uint32_t out, uint32_t level)
{
    return *hd_sl2vl_at(m, m->net->tail[out], m->net->rev[in] - m->net->off[m->net->tail[out]],
                        out - m->net->off[m->net->tail[out]]) &&
           hd_sl2vl_lane(m, in, out, level) == HD_LANE_DROP;
}

/* Channels from s to d, if packets of some level come there; 0: none that s may have is left on the way. */
static uint32_t walk_arrives(const struct hd_routes *r, const uint8_t *row, uint32_t s, uint32_t d, uint32_t x)
{
    const struct hd_net *net = r->net;
    const uint32_t own = hd_routes_level(r, s, d, x);
    const bool known = own != HD_LEVEL_UNKNOWN;
    for (uint32_t level = known ? own : 0; level < (known ? own + 1 : 16); level++) {
        uint32_t c = net->off[net->nsw + s], n = 0;
        bool lost = false;
        for (uint32_t v; (v = net->head[c]) != net->nsw + d && !lost; n++) {
            const uint32_t out = v < net->nsw ? net->off[v] + row[v] : UINT32_MAX;
            lost = v >= net->nsw || out >= net->off[v + 1] || n > net->nsw || walk_drops(r->sl2vl, c, out, level);
            if (!lost) c = out;
        }
        if (!lost) return n + 1;
    }
    return 0;
}

/* What arrives: pairs, the channels of all their paths and of the longest, and detours. */
struct arrivals {
    uint64_t pairs, channels, detours;
    uint32_t longest;
};

static struct arrivals walk_arrivals(struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    const size_t nodes = net->nsw + net->nep;
    uint32_t *dist = malloc(nodes * sizeof *dist), *queue = malloc(nodes * sizeof *queue);
    struct arrivals a = {0};
    assert_true(dist && queue);
    for (uint32_t d = 0; d < net->nep; d++) {
        walk_distances(net, net->nsw + d, dist, queue);
        for (uint32_t x = 0; x < r->nvar; x++)
            for (uint32_t s = 0; s < net->nep; s++) {
                const bool uses = s != d && (hd_routes_paths_per_pair(r) > 1 || hd_routes_variant(r, s, d) == x);
                const uint32_t n = uses ? walk_arrives(r, hd_row(r, d, x), s, d, x) : 0;
                a.pairs += n > 0;
                a.channels += n;
                a.detours += n > dist[net->nsw + s];
                if (n > a.longest) a.longest = n;
            }
    }
    free(dist);
    free(queue);
    return a;
}

static void try_drops(struct hd_ctx *ctx, struct hd_routes *r, struct hd_rng *rng, const char *what)
{
    struct hd_check k;
    uint64_t cut;
    if (!r->table || r->groups || !r->net->nep) return;
    if (hd_routes_check(ctx, r, &k) != HD_OK) fail_msg("%s: check: %s", what, ctx->error);
    const uint64_t lead = k.pairs - k.unreachable - k.loops;
    draw_drops(ctx, r, rng);
    const struct arrivals a = walk_arrivals(r);
    if (hd_routes_check(ctx, r, &k) != HD_OK) fail_msg("%s: check: %s", what, ctx->error);
    const double mean = a.pairs ? (double)a.channels / (double)a.pairs : 0;
    if (k.pairs - k.unreachable - k.loops != a.pairs || k.nonminimal != a.detours || k.max_hops != a.longest ||
        k.avg_hops != mean)
        fail_msg("%s, VLs %s: of %llu pairs check has %llu unreachable, %llu in loops, %llu detours, %u hops, %.17g on "
                 "average; by the walker %llu arrive, %llu by detours, %u hops, %.17g",
                 what, r->lane_rule == HD_LANE_HOP ? "known" : "unknown", (unsigned long long)k.pairs,
                 (unsigned long long)k.unreachable, (unsigned long long)k.loops, (unsigned long long)k.nonminimal,
                 k.max_hops, k.avg_hops, (unsigned long long)a.pairs, (unsigned long long)a.detours, a.longest, mean);
    if (r->lane_rule == HD_LANE_UNKNOWN && k.any_level && !hd_sl2vl_complete(r->sl2vl))
        fail_msg("%s: a proof of all levels with tables that are not known", what);
    assert_int_equal(hd_count_drops(ctx, r, &cut), HD_OK);
    if (cut != lead - a.pairs)
        fail_msg("%s: entries lead for %llu pairs, %llu arrive, and %llu are counted as dropped", what,
                 (unsigned long long)lead, (unsigned long long)a.pairs, (unsigned long long)cut);
    total.dropping++;
}

static void try_engine(const struct hd_engine *e, const char *spec, const struct hd_net *net, uint64_t set)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    struct hd_rng rng;
    char what[2 * HD_MAX_SPEC];
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 2, HD_RNG_TEST, set);
    ctx.threads = 1;
    snprintf(what, sizeof what, "fault set %llu, %s on %s", (unsigned long long)set, spec, net->spec);
    hd_status s = hd_routes_open(&ctx, net, spec, &r);
    if (s != HD_OK && s != HD_NA) fail_msg("%s: %s", what, ctx.error);
    total.refused += s == HD_NA;
    if (s != HD_OK) return;
    hold_table(&ctx, e, r, set, what);
    snprintf(what, sizeof what, "fault set %llu, %s on %s, changed", (unsigned long long)set, spec, net->spec);
    try_changed(&ctx, r, &rng, what);
    try_drops(&ctx, r, &rng, what);
    hd_routes_free(r);
}

/* Every engine, with one of its examples. */
static void try_set(uint64_t set)
{
    struct hd_rng rng;
    const struct hd_desc *d;
    hd_rng_init(&rng, 1, HD_RNG_TEST, set);
    const char *spec = specs[hd_rng_below(&rng, SPECS)];
    struct hd_net *whole = make_net(spec);
    struct hd_net *net = hd_rng_below(&rng, 3) ? damage(whole, &rng) : fail_some(spec, whole, &rng);
    hd_net_free(whole);
    for (size_t i = 0; (d = row_at(HD_ENGINES, i)); i++) {
        const struct hd_engine *e = (const struct hd_engine *)d;
        uint32_t n = 0;
        if (e->role == HD_ENGINE_EXTERNAL || !d->examples) continue;
        while (d->examples[n]) n++;
        try_engine(e, d->examples[hd_rng_below(&rng, n)], net, set);
    }
    total.sets++;
    hd_net_free(net);
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void engines_route_around_faults(void **state)
{
    uint64_t first = number_of("HEDDLE_FAULT_FIRST", 0), sets = number_of("HEDDLE_FAULT_SETS", 500);
    (void)state;
    open_verdicts();
    for (uint64_t i = first; i < first + sets; i++) try_set(i);
    if (files.folder) assert_int_equal(fclose(files.verdicts), 0);
    print_message(
        "%llu fault sets, %llu tables (%llu times an engine did not apply), %llu pairs walked, %llu without a "
        "path, %llu tables with a cycle; of %llu changed tables %llu are faulty; %llu with VL 15\n",
        (unsigned long long)total.sets, (unsigned long long)total.tables, (unsigned long long)total.refused,
        (unsigned long long)total.pairs, (unsigned long long)total.unserved, (unsigned long long)total.cyclic,
        (unsigned long long)total.changed, (unsigned long long)total.faulty, (unsigned long long)total.dropping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_route_around_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
