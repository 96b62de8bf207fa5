/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of metrics: what no routing can beat for the flows of a pattern, from the cuts and distances of the network
 * (cuts.h), or from theorems on trees (bound_theorems.c). Stages are bounded one by one, random patterns by their
 * expectation. O(flows * levels of cuts). */
#include "flow/bound/bound.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "flow/bound/throughput_bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_FLOWS = 1 << 28,  /* of all stages of a pattern, and stages: more are not looked at a second time */
    STAGES_UNASKED = 1024 /* between two looks at whether to stop */
};

static void set_bound(struct hd_result *result, double value, const char *name)
{
    result->bound = value;
    snprintf(result->bound_name, sizeof result->bound_name, "%s", name);
}

static void add_note(struct hd_result *result, const char *fmt, const char *what, double value)
{
    size_t n = strlen(result->note);
    if (n + 2 >= sizeof result->note) return;
    if (n) n += (size_t)snprintf(result->note + n, sizeof result->note - n, "; ");
    hd_format(result->note + n, sizeof result->note - n, fmt, what, value);
}

/* ---- worst case -------------------------------------------------------------------------------------- */

/* A permutation can send min(a, n - a) flows out of a group of a endpoints among n. */
static hd_status cut_load(struct hd_ctx *ctx, const struct hd_cuts *k, const struct hd_ranks *among, double *load)
{
    struct hd_arena a = {0};
    uint64_t *size = HD_NEW(&a, uint64_t, k->net->nep);
    double most = 0;
    for (uint32_t l = 0; size && l < k->all; l++) {
        for (uint32_t i = 0; i < among->n; i++) size[k->group[l][among->ep[i]]]++;
        for (uint32_t g = 0; g < k->ngroup[l]; g++) {
            uint64_t rest = among->n - size[g], out = size[g] < rest ? size[g] : rest;
            if (out && k->cap[l][g]) most = fmax(most, (double)out * k->unit / (double)k->cap[l][g]);
            size[g] = 0;
        }
    }
    hd_arena_release(&a);
    *load = most;
    return size ? HD_OK : hd_fail_memory(ctx);
}

static bool bound_is_full(const struct hd_cuts *k, const struct hd_ranks *among)
{
    const struct hd_shape *s = &k->net->shape;
    uint64_t all = 1;
    for (uint32_t i = 0; i < s->n; i++) all *= s->m[i];
    return k->exact && k->even && among->n == all;
}

/* What a flow on a channel up from level l takes of its time; 1 on a channel of the usual rate. */
static double flow_load(const struct hd_cuts *k, uint32_t l)
{
    return k->up[l] ? (double)k->up[l] / k->unit : 1;
}

/* The theorems count flows on a channel between switches. Theorem 1 has a single level of them, and pairs are counted
 * on those of the roots; which level a lemma loads is not asked: it is no faster than the fastest. */
struct known_bound {
    const char *name;
    double flows, of_one; /* the latter: load of one flow on that channel */
};

enum { THEOREM1, LEMMA12, LEMMA9, PAIRS, KNOWN };

static void known_bounds(const struct hd_cuts *k, struct known_bound known[KNOWN])
{
    static const char *const lemmas[] = {"Yuan et al., Lemma 10", "Yuan et al., Lemma 11", "Yuan et al., Lemma 12"};
    const struct hd_shape *s = &k->net->shape;
    double least = s->n > 1 ? flow_load(k, 1) : 1;
    for (uint32_t l = 2; l < s->n; l++) least = fmin(least, flow_load(k, l));
    known[THEOREM1] = (struct known_bound){"Nienaber et al., Theorem 1", hd_bound_theorem1(s), least};
    known[LEMMA12] = (struct known_bound){lemmas[s->n == 2 ? 0 : s->n == 3 ? 1 : 2], hd_bound_lemma12(s), least};
    known[LEMMA9] = (struct known_bound){"Yuan et al., Lemma 9", hd_bound_lemma9(s), least};
    known[PAIRS] = (struct known_bound){"counting pairs", hd_bound_pairs(s), s->n > 1 ? flow_load(k, s->n - 1) : 1};
}

/* What a permutation can be carried with, at most, if it is chosen as below: 1 where no level is slimmed, since flows
 * may be split, else the load of a flow that has every channel of its path to itself. */
static double carried_with(const struct hd_cuts *k)
{
    double most = 1;
    for (uint32_t l = 1; k->slim && l < k->net->shape.n; l++) most = fmax(most, flow_load(k, l));
    return most;
}

/* The strongest bound known for the shape: whole flows, by what each of them takes of its channel. The oblivious ratio
 * is at least that relative to what the best routing carries them with. On a slimmed tree as many of the flows on one
 * channel count as there are ports up from a leaf: each of them then has a switch of its own on every level. The lemmas
 * are about full trees. */
static void paper_bounds(const struct hd_cuts *k, bool ratio, struct hd_result *result)
{
    const struct hd_shape *s = &k->net->shape;
    struct known_bound known[KNOWN];
    double load[KNOWN];
    int best = 0;
    known_bounds(k, known);
    for (int i = 0; i < KNOWN; i++) {
        double whole = ceil(known[i].flows - 1e-9);
        if (ratio) known[i].of_one /= carried_with(k);
        if (ratio && k->slim && (s->n == 2 || i == PAIRS)) whole = fmin(whole, s->w[1]);
        load[i] = whole * known[i].of_one;
        if (load[i] > load[best]) best = i;
    }
    if (!(load[best] > 0)) return;
    set_bound(result, load[best], known[best].name);
    for (int i = 0; i < best; i++)
        if (load[i] > 0) add_note(result, "%s gives %.6g", known[i].name, known[i].flows * known[i].of_one);
}

/* Whether a flow may take several paths at once, by variants or by groups of ports: then loads are no whole numbers. */
static bool flows_split(const struct hd_routes *r)
{
    return hd_routes_paths_per_pair(r) > 1 || hd_routes_adaptive(r);
}

hd_status hd_bound_worst(struct hd_ctx *ctx, const struct hd_worst_in *in, const struct hd_cuts *cuts,
                         struct hd_result *result)
{
    double load, tub;
    if (in->among->n < 2) return HD_OK;
    if (!flows_split(in->routes) && bound_is_full(cuts, in->among)) paper_bounds(cuts, in->cuts != NULL, result);
    if (in->cuts) { /* no ratio is below 1 */
        if (!(result->bound >= 1)) set_bound(result, 1, "the optimum itself");
        return HD_OK;
    }
    HD_TRY(cut_load(ctx, cuts, in->among, &load));
    HD_TRY(hd_tub_load(ctx, cuts, in->among, &tub));
    if (!(result->bound >= load)) set_bound(result, load, "cuts");
    if (!(result->bound >= tub)) set_bound(result, tub, "TUB");
    return HD_OK;
}

/* ---- samples and stages -------------------------------------------------------------------------------- */

/* A load of whole flows is at least the next whole number. */
static double whole_load(const struct hd_bound_in *in, double load)
{
    return flows_split(in->job->routes) ? load : ceil(load - 1e-9);
}

static double sample_bound(const struct hd_bound_in *in, const struct hd_cuts *k, const struct hd_cut_sums *sums,
                           const struct hd_flows *f)
{
    switch (in->job->metric->bound) {
    case HD_BOUND_MEAN_SHARE: return fmin(1, hd_cuts_share(k, sums, f));
    case HD_BOUND_LEAST_SHARE: return 1 / fmax(1, whole_load(in, hd_cuts_load(k, sums, f)));
    case HD_BOUND_LOAD: return whole_load(in, hd_cuts_load(k, sums, f));
    case HD_BOUND_NONE: break;
    }
    return NAN;
}

static hd_status bound_stages(struct hd_ctx *ctx, const struct hd_bound_in *in, const struct hd_cuts *k,
                              struct hd_flows *flows, struct hd_result *result)
{
    const struct hd_pattern *p = in->job->pattern;
    uint64_t stages = p->stages(in->state), total = 0;
    struct hd_arena a = {0};
    struct hd_cut_sums sums;
    double sum = 0;
    bool full = k->exact && !k->slim, stop = stages > MAX_FLOWS;
    hd_status s = hd_cut_sums_init(ctx, &a, k, &sums);
    for (uint64_t i = 0; s == HD_OK && i < stages && total <= MAX_FLOWS && !stop; i++) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx->seed, HD_RNG_PATTERN, i);
        p->draw(in->state, &rng, i, flows);
        sum += flows->weight ? NAN : sample_bound(in, k, &sums, flows); /* weights have a unit of their own */
        if (!full) total += flows->n; /* nothing to add up where everything can be carried */
        stop = i % STAGES_UNASKED == STAGES_UNASKED - 1 && hd_stop_asked(ctx);
    }
    hd_arena_release(&a);
    if (s == HD_OK && total <= MAX_FLOWS && stages && !stop && !isnan(sum))
        set_bound(result, sum / (double)stages, full ? "rearrangeable" : "cuts");
    return s;
}

static hd_status bound_uniform(struct hd_ctx *ctx, const struct hd_bound_in *in, const struct hd_cuts *k,
                               struct hd_flows *flows, struct hd_result *result)
{
    struct hd_rng rng;
    double share;
    hd_rng_init(&rng, ctx->seed, HD_RNG_PATTERN, 0);
    in->job->pattern->draw(in->state, &rng, 0, flows);
    if (!flows->simple || flows->n == 0) return HD_OK;
    HD_TRY(hd_cuts_expected(ctx, k, in->ranks, flows->n, &share));
    bool load = in->job->metric->bound == HD_BOUND_LOAD; /* the mean of 1/x is at least 1 / the mean of x */
    set_bound(result, load ? 1 / share : share, k->exact && !k->slim ? "rearrangeable" : "cuts");
    return HD_OK;
}

hd_status hd_bound_samples(struct hd_ctx *ctx, const struct hd_bound_in *in, struct hd_flows *flows,
                           struct hd_result *result)
{
    const struct hd_pattern *p = in->job->pattern;
    const uint64_t stages = p->stages ? p->stages(in->state) : 0;
    const bool staged = stages > 0;
    if (staged && result->samples < stages) return HD_OK; /* stopped: the bound would be one of other stages */
    if (in->job->metric->bound == HD_BOUND_NONE || in->rates->factor || result->unserved || (!staged && !p->uniform))
        return HD_OK;
    const struct hd_cuts *k;
    HD_TRY(hd_cuts_of(ctx, hd_routes_net(in->job->routes), &k));
    return staged ? bound_stages(ctx, in, k, flows, result) : bound_uniform(ctx, in, k, flows, result);
}
