/* SPDX-License-Identifier: BSD-2-Clause */
/* A pattern and a metric of one's own: incast, in which groups of ranks, drawn at random, send to one of their members;
 * and half, the share of flows that get at least half of their link.
 *     cc -shared -fPIC own_pattern.c $(pkg-config --cflags heddle) -o own_pattern.so
 *     heddle eval fabric.ibnet ftree -p incast:group=4 -m half --plugin ./own_pattern.so */
#include <heddle.h>
#include <string.h>

struct incast {
    uint64_t group; /* the option; the state adds the ranks */
    const struct hd_ranks *ranks;
};

static hd_status incast_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    struct incast *s = hd_alloc(arena, 1, sizeof *s);
    if (!s) return hd_fail_memory(ctx);
    s->group = ((const struct incast *)in->opt)->group;
    s->ranks = in->ranks;
    *state = s;
    return hd_ranks_need(ctx, in->ranks, (uint32_t)s->group);
}

static uint32_t incast_max_flows(const void *state)
{
    return ((const struct incast *)state)->ranks->n;
}

/* Groups are cut from a random order of the ranks; the first of each group receives. */
static void incast_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct incast *s = state;
    uint32_t n = s->ranks->n, group = (uint32_t)s->group, *order = f->buf[2];
    (void)stage; /* of a random pattern: the number of the sample, which the rng knows already */
    memcpy(order, s->ranks->ep, n * sizeof *order);
    hd_rng_shuffle(rng, order, n);
    hd_flows_begin(f, group == 2); /* of two, nobody receives twice */
    for (uint32_t i = 0; i < n / group * group; i++) {
        if (i % group == 0) continue;
        f->buf[0][f->n] = order[i];
        f->buf[1][f->n++] = order[i - i % group];
    }
}

static const struct hd_param incast_params[] = {
    {"group", HD_UINT, "4", "ranks of a group", offsetof(struct incast, group), 2, 65536, NULL, true}, {0}};
static const struct hd_pattern incast = {.desc = {.name = "incast",
                                                  .summary = "random groups, all members of which send to one",
                                                  .params = incast_params,
                                                  .opt_size = sizeof(struct incast)},
                                         .init = incast_init,
                                         .max_flows = incast_max_flows,
                                         .draw = incast_draw};

static uint64_t half_value(const struct hd_loads *l, const struct hd_metric_in *in)
{
    uint32_t paths = hd_loads_paths(l), well = 0;
    (void)in;
    for (uint32_t k = 0; k < paths; k++) {
        uint64_t load = hd_loads_bottleneck(l, k); /* 0: no path */
        well += load > 0 && load <= 2 * hd_loads_full(l);
    }
    return paths ? hd_fixed(well, paths) : 0;
}

static const struct hd_metric half = {
    .desc = {.name = "half", .summary = "share of flows that get at least half of their link"},
    .higher_is_better = true,
    .bin_max = 1,
    .value = half_value};

const int heddle_plugin_version = HEDDLE_VERSION;

hd_status heddle_plugin(struct hd_ctx *ctx)
{
    HD_TRY(hd_registry_add(ctx, HD_PATTERNS, &incast.desc, sizeof incast));
    return hd_registry_add(ctx, HD_METRICS, &half.desc, sizeof half);
}
