/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank orders by spec: natural, random, adversarial, or a file that lists endpoints. O(endpoints) without the search
 * for names and for the adversarial order. */
#include "flow/core/rank_map.h"
#include "base/rng.h"
#include "base/spec.h"
#include "base/status.h"
#include "route/core/endpoint_names.h"
#include "tool/words.h"

#include <string.h>
#include <sys/stat.h>

struct random_ranks_opt {
    uint64_t seed, count;
};

static const struct hd_desc random_desc = {
    .name = "random",
    .summary = "ranks in random order",
    .params = (const struct hd_param[]){{"seed", HD_UINT, "1", "of the order", offsetof(struct random_ranks_opt, seed),
                                         0, 9007199254740991.0, NULL, false},
                                        {"count", HD_UINT, "0", "number of ranks, on endpoints drawn at random; 0: all",
                                         offsetof(struct random_ranks_opt, count), 0, 4294967295.0, NULL, false},
                                        {0}},
    .opt_size = sizeof(struct random_ranks_opt)};

static hd_status shuffle(struct hd_ctx *ctx, struct hd_arena *arena, const char *params, uint32_t *ep, uint32_t *n)
{
    struct random_ranks_opt opt;
    struct hd_rng rng;
    HD_TRY(hd_opts_parse(ctx, arena, &random_desc, params, &opt));
    hd_rng_init(&rng, opt.seed, HD_RNG_RANKS, 0);
    hd_rng_shuffle(&rng, ep, *n);
    if (opt.count > *n)
        return hd_fail(ctx, HD_INPUT, "random: %llu ranks wanted, there are %u endpoints",
                       (unsigned long long)opt.count, *n);
    if (opt.count) *n = (uint32_t)opt.count;
    return HD_OK;
}

/* A file lists the endpoints that take part, in rank order. */
static hd_status read_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                            uint32_t *ep, uint32_t *n)
{
    static const char *const names[] = {"natural", "random", "adversarial"};
    struct stat st;
    const char *near = hd_nearest(path, names, 3);
    if (near && stat(path, &st) != 0)
        return hd_fail(ctx, HD_INPUT, "%.200s: neither a rank order nor a file, did you mean '%s'?", path, near);
    uint64_t *number = HD_NEW(arena, uint64_t, net->nep);
    if (!number) return hd_fail_memory(ctx);
    uint32_t listed;
    HD_TRY(hd_index_read(ctx, arena, net, path, number, &listed));
    for (uint32_t e = 0; e < net->nep; e++)
        if (number[e] < listed) ep[number[e]] = e;
    *n = listed;
    return HD_OK;
}

hd_status hd_ranks_need(struct hd_ctx *ctx, const struct hd_ranks *ranks, uint32_t least)
{
    if (ranks->n >= least) return HD_OK;
    return hd_fail(ctx, HD_INPUT, "a pattern needs at least %u ranks, there %s %u", least, ranks->n == 1 ? "is" : "are",
                   ranks->n);
}

hd_status hd_ranks_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const char *spec,
                        struct hd_ranks *ranks)
{
    const struct hd_net *net = hd_routes_net(r);
    uint32_t *ep = HD_NEW(arena, uint32_t, net->nep), n = net->nsel;
    if (!ep) return hd_fail_memory(ctx);
    if (n) memcpy(ep, net->sel, n * sizeof *ep);
    size_t name = hd_spec_name(spec);
    if (strcmp(spec, "natural") == 0) {
        /* as selected */
    } else if (name == 6 && memcmp(spec, "random", 6) == 0) {
        HD_TRY(shuffle(ctx, arena, spec[name] ? spec + name + 1 : NULL, ep, &n));
    } else if (strcmp(spec, "adversarial") == 0) {
        HD_TRY(hd_ranks_adversarial(ctx, r, ep, n));
    } else {
        HD_TRY(read_order(ctx, arena, net, spec, ep, &n));
    }
    *ranks = (struct hd_ranks){n, ep};
    return HD_OK;
}
