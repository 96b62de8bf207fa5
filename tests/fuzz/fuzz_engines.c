/* SPDX-License-Identifier: BSD-2-Clause */
/* Network x failure x engine x options. A table that comes out is walked entry by entry, without any code of the
 * library: hd_routes_check must count the same pairs, losses, loops, detours and hops and agree on credit loops, and
 * the engine must keep what it claims. Every format takes the table or refuses it with a reason, and what is read back
 * from an LFT dump is the same table. */
#include "heddle/engine.h"

#include "as_file.h"
#include "fuzz_input.h"
#include "run_corpus.h"

enum { NODES = 512, CHANNELS = 1024, LANES = HD_MAX_LANES };

struct walker {
    const struct hd_net *net;
    const struct hd_routes *r;
    uint64_t pairs, unreachable, loops, detours, hops[HD_MAX_HOPS + 1];
    uint32_t lanes;
    uint32_t dist[NODES], queue[NODES];
    uint8_t *edge; /* [(lane * nchan + c) * nchan + next] */
    uint8_t colour[LANES * CHANNELS];
};

/* Hops from every node to `to`. */
static void walk_back(struct walker *w, uint32_t to)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    memset(w->dist, 0xff, sizeof w->dist);
    w->dist[to] = 0;
    w->queue[n++] = to;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[w->queue[i]]; c < net->off[w->queue[i] + 1]; c++)
            if (w->dist[net->head[c]] == UINT32_MAX) {
                w->dist[net->head[c]] = w->dist[w->queue[i]] + 1;
                w->queue[n++] = net->head[c];
            }
}

static void walk_pair(struct walker *w, uint32_t s, uint32_t d, uint32_t x, const uint8_t *row)
{
    const struct hd_net *net = w->net;
    uint32_t c = net->off[net->nsw + s], v = net->head[c], hops = 1, lane = hd_routes_lane(w->r, s, d, x);
    uint32_t path[NODES], limit = net->nsw + 1;
    path[0] = c;
    w->pairs++;
    while (v != net->nsw + d) {
        if (v >= net->nsw || row[v] == HD_SLOT_NONE) {
            w->unreachable++;
            return;
        }
        if (hops > limit) {
            w->loops++;
            return;
        }
        c = net->off[v] + row[v];
        if (c >= net->off[v + 1]) abort();
        path[hops++] = c;
        v = net->head[c];
    }
    w->hops[hops]++;
    w->detours += hops != w->dist[net->nsw + s];
    if (!w->lanes) return;
    if (lane >= w->lanes) abort();
    for (uint32_t i = 0; i + 1 < hops; i++)
        w->edge[((size_t)lane * net->nchan + path[i]) * net->nchan + path[i + 1]] = 1;
}

static void walk_all(struct walker *w)
{
    const struct hd_net *net = w->net;
    enum hd_select select = hd_routes_select(w->r);
    bool all = select == HD_SELECT_ALL || select == HD_SELECT_PACKET;
    uint8_t buf[NODES];
    for (uint32_t k = 0; k < net->nsel; k++) {
        uint32_t d = net->sel[k];
        walk_back(w, net->nsw + d);
        for (uint32_t x = 0; x < hd_routes_variants(w->r); x++) {
            const uint8_t *row = hd_routes_row(w->r, d, x, buf);
            for (uint32_t i = 0; i < net->nsel; i++) {
                uint32_t s = net->sel[i];
                if (s == d || w->dist[net->nsw + s] == UINT32_MAX) continue;
                if (all || hd_routes_variant(w->r, s, d) == x) walk_pair(w, s, d, x, row);
            }
        }
    }
}

static bool walk_cycle(struct walker *w, uint32_t lane, uint32_t c)
{
    uint32_t n = w->net->nchan;
    uint8_t *colour = w->colour + (size_t)lane * n;
    const uint8_t *edge = w->edge + ((size_t)lane * n + c) * n;
    colour[c] = 1;
    for (uint32_t next = 0; next < n; next++)
        if (edge[next] && (colour[next] == 1 || (!colour[next] && walk_cycle(w, lane, next)))) return true;
    colour[c] = 2;
    return false;
}

static bool walk_deadlocks(struct walker *w)
{
    for (uint32_t lane = 0; lane < w->lanes; lane++)
        for (uint32_t c = 0; c < w->net->nchan; c++)
            if (!w->colour[(size_t)lane * w->net->nchan + c] && walk_cycle(w, lane, c)) return true;
    return false;
}

static void judge(struct hd_ctx *ctx, const struct hd_routes *r, unsigned claims, const char *what)
{
    static struct hd_check k;
    struct walker *w = calloc(1, sizeof *w);
    if (!w) abort();
    w->net = hd_routes_net(r);
    w->r = r;
    enum hd_lane_rule rule = hd_routes_lane_rule(r);
    w->lanes = rule == HD_LANE_UNKNOWN || rule == HD_LANE_HOP ? 0 : hd_routes_lanes(r);
    w->edge = calloc((size_t)w->net->nchan * w->net->nchan, w->lanes ? w->lanes : 1);
    if (!w->edge) abort();
    walk_all(w);
    fuzz_must(hd_routes_check(ctx, r, &k) == HD_OK, "check", what, ctx);
    fuzz_must(k.pairs == w->pairs, "pairs", what, ctx);
    fuzz_must(k.unreachable == w->unreachable && k.loops == w->loops, "unserved pairs", what, ctx);
    fuzz_must(k.nonminimal == w->detours && memcmp(k.hops, w->hops, sizeof k.hops) == 0, "lengths", what, ctx);
    bool cyclic = walk_deadlocks(w);
    fuzz_must(!w->lanes || (k.deadlock_free == 1) == !cyclic, "credit loops", what, ctx);
    fuzz_must(!(claims & HD_CLAIM_COMPLETE) || w->unreachable + w->loops == 0, "claims to be complete", what, ctx);
    fuzz_must(!(claims & HD_CLAIM_MINIMAL) || !w->detours, "claims to be minimal", what, ctx);
    fuzz_must(!(claims & HD_CLAIM_DEADLOCK_FREE) || !cyclic, "claims to be deadlock-free", what, ctx);
    free(w->edge);
    free(w);
}

static struct hd_out *written(struct hd_ctx *ctx, const struct hd_routes *r, const char *format, const char *what)
{
    struct hd_out *o;
    fuzz_must(hd_out_memory(ctx, &o) == HD_OK, "memory", what, ctx);
    hd_status s = hd_routes_write(ctx, r, format, o);
    if (s == HD_OK) return o;
    fuzz_refused(s, what, ctx);
    hd_out_drop(o);
    return NULL;
}

static void read_back(struct hd_ctx *ctx, const struct hd_routes *r, const char *text, size_t n, const char *what)
{
    struct hd_routes *q;
    struct hd_diff diff;
    const char *path = as_file((const uint8_t *)text, n);
    fuzz_must(hd_routes_read(ctx, hd_routes_net(r), path, HD_USE_FIRST, &q) == HD_OK, "reading back", what, ctx);
    fuzz_must(hd_routes_diff(ctx, r, q, &diff) == HD_OK, "diff", what, ctx);
    fuzz_must(!diff.entries_changed && !diff.pairs_changed && !diff.lanes_changed, "another table read back", what,
              ctx);
    hd_routes_free(q);
}

static void write_all(struct hd_ctx *ctx, const struct hd_routes *r, struct choices *c, const char *what)
{
    uint32_t n = 0;
    while (hd_routes_format_at(n)) n++;
    const char *format = hd_routes_format_at(choose(c, n))->name;
    struct hd_out *o = written(ctx, r, format, what);
    size_t size;
    const char *text = o ? hd_out_text(o, &size) : NULL;
    if (text && strncmp(format, "lft", 3) == 0) read_back(ctx, r, text, size, what);
    hd_out_drop(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices c = {data, data + size};
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *r;
    char spec[HD_MAX_SPEC], what[2 * HD_MAX_SPEC];
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    hd_status s = choose_net(&c, &ctx, &net);
    if (s != HD_OK) {
        fuzz_refused(s, "network", &ctx);
        return 0;
    }
    const struct hd_engine *e = (const struct hd_engine *)choose_spec(&c, &ctx, HD_ENGINES, 40, spec);
    snprintf(what, sizeof what, "%.400s %.400s", net->spec, spec);
    fuzz_must(hd_net_check(&ctx, net) == HD_OK, "hd_net_check", what, &ctx);
    if (e->role != HD_ENGINE_EXTERNAL && net->nsw + net->nep <= NODES && net->nchan <= CHANNELS) {
        s = hd_routes_open(&ctx, net, spec, &r);
        if (s == HD_OK) {
            judge(&ctx, r, e->claims, what);
            write_all(&ctx, r, &c, what);
            hd_routes_free(r);
        } else {
            fuzz_refused(s, what, &ctx);
        }
    }
    hd_net_free(net);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_engines")
