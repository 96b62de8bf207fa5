/* SPDX-License-Identifier: BSD-2-Clause */
/* What NCCL sends between hosts. It builds its rings and trees over hosts, one for each adapter, and schedules sends
 * and receives over groups of ranks that share a host; what stays inside a host meets no network and is left out.
 *   nccl-ring      one stage: every host to the next one on each rail
 *   nccl-tree      one stage: both binary trees on each rail, towards the roots and back
 *   nccl-pat       distances 2^d over hosts, the farthest first (all-gather) or last (reduce-scatter)
 *   nccl-alltoall  one stage per round (group distance, rank distance), rounds within a host left out
 * O(flows) a stage. Source: NCCL 2.30, src/graph/connect.cc, src/graph/trees.cc, src/init.cc and
 * src/include/collectives.h; RCCL's rings as its pull request 1140 describes them. */
#include "base/status.h"
#include "flow/core/host_ranks.h"
#include "flow/core/nccl_peers.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"

struct nccl_state {
    struct hd_pattern_state base;
    struct hd_host_ranks hosts;
    int how; /* the option of the pattern */
};

static hd_status nccl_state_make(struct hd_ctx *ctx, struct hd_arena *arena, const char *name,
                                 const struct hd_pattern_in *in, size_t size, void **state)
{
    HD_TRY(hd_pattern_state_make(ctx, arena, in, size, state));
    return hd_host_ranks_make(ctx, arena, name, in, &((struct nccl_state *)*state)->hosts);
}

static inline void add_flow(struct hd_flows *f, uint32_t src, uint32_t dst)
{
    f->buf[0][f->n] = src;
    f->buf[1][f->n++] = dst;
}

/* ---- nccl-ring ------------------------------------------------------------------------------ */

enum ring_rails { RING_ALIGNED, RING_CROSS, RING_ALTERNATE, RING_RCCL };

struct ring_opt {
    int rails;
};

static hd_status ring_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    HD_TRY(nccl_state_make(ctx, arena, "nccl-ring", in, sizeof(struct nccl_state), state));
    struct nccl_state *s = *state;
    s->how = ((const struct ring_opt *)in->opt)->rails;
    if (s->how == RING_ALTERNATE && s->hosts.least % 2) s->how = RING_CROSS; /* channels are exchanged in pairs */
    s->base.stages = 1;
    s->base.max_flows = s->hosts.nhost * s->hosts.least;
    return HD_OK;
}

/* The adapter by which ring c enters a host, and the one by which it leaves. */
static uint32_t ring_enters(int rails, uint32_t host, uint32_t c, uint32_t n)
{
    if (host % 2 == 0) return c;
    return rails == RING_ALTERNATE ? c ^ 1 : rails == RING_RCCL ? n - 1 - c : c;
}

static uint32_t ring_leaves(int rails, uint32_t host, uint32_t c, uint32_t n)
{
    switch (rails) {
    case RING_CROSS: return (c + 1) % n;
    case RING_ALTERNATE: return host % 2 ? c : c ^ 1;
    case RING_RCCL: return host % 2 ? c : n - 1 - c;
    default: return c;
    }
}

static void ring_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct nccl_state *s = state;
    const struct hd_host_ranks *h = &s->hosts;
    (void)rng, (void)stage;
    hd_flows_begin(f, true);
    for (uint32_t c = 0; c < h->least; c++)
        for (uint32_t i = 0; i < h->nhost; i++) {
            uint32_t next = i + 1 < h->nhost ? i + 1 : 0;
            add_flow(f, hd_host_ep(h, i, ring_leaves(s->how, i, c, h->least)),
                     hd_host_ep(h, next, ring_enters(s->how, next, c, h->least)));
        }
}

const struct hd_pattern hd_pattern_nccl_ring = {
    .desc = {.name = "nccl-ring",
             .summary = "rings of NCCL: every host sends to the next, one ring per adapter",
             .text =
                 "One stage: all steps of a ring are alike. Hosts follow each other in the order of their first ranks; "
                 "there are as many rings as the host with fewest adapters has. rails=aligned: ring c enters and "
                 "leaves every host by adapter c (NCCL_CROSS_NIC=0, with PXN where another GPU sends). rails=cross: it "
                 "enters by adapter c and leaves by adapter c+1, so every step changes rails (each GPU uses its own "
                 "adapter). rails=alternate: rings 2k and 2k+1 change adapters inside hosts and are exchanged on every "
                 "other host, so that steps stay on a rail (NCCL_CROSS_NIC=2, even numbers of adapters; odd ones as "
                 "cross). rails=rccl: ring c of n enters by adapter c and leaves by n-1-c, the other direction round "
                 "on every other host. The last two change rails between the last and the first of an odd number of "
                 "hosts.",
             .cite = "NCCL 2.30, src/graph/connect.cc; RCCL, pull request 1140",
             .params = (const struct hd_param[]){{"rails", HD_WORD, "aligned", "which adapters a ring uses",
                                                  offsetof(struct ring_opt, rails), 0, 0,
                                                  "aligned|cross|alternate|rccl", false},
                                                 {0}},
             .examples = (const char *const[]){"nccl-ring", "nccl-ring:rails=cross", "nccl-ring:rails=alternate",
                                               "nccl-ring:rails=rccl", NULL},
             .command = "heddle eval rail dmodk -m hsd -p nccl-ring",
             .opt_size = sizeof(struct ring_opt)},
    .init = ring_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = ring_draw};

/* ---- nccl-tree ------------------------------------------------------------------------------ */

enum tree_phase { TREE_ALL, TREE_UP, TREE_DOWN };

struct nccl_tree_opt {
    int phase;
};

static hd_status tree_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    HD_TRY(nccl_state_make(ctx, arena, "nccl-tree", in, sizeof(struct nccl_state), state));
    struct nccl_state *s = *state;
    s->how = ((const struct nccl_tree_opt *)in->opt)->phase;
    s->base.stages = 1;
    s->base.max_flows = (s->how == TREE_ALL ? 4 : 2) * (s->hosts.nhost - 1) * s->hosts.least;
    return HD_OK;
}

static void tree_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct nccl_state *s = state;
    const struct hd_host_ranks *h = &s->hosts;
    (void)rng, (void)stage;
    hd_flows_begin(f, h->nhost == 2 && s->how != TREE_ALL);
    for (int tree = 0; tree < 2; tree++)
        for (uint32_t i = 0; i < h->nhost; i++) {
            uint32_t up = hd_nccl_parent(h->nhost, i, tree);
            for (uint32_t c = 0; c < h->least && up != UINT32_MAX; c++) {
                uint32_t child = hd_host_ep(h, i, c), parent = hd_host_ep(h, up, c);
                if (s->how != TREE_DOWN) add_flow(f, child, parent);
                if (s->how != TREE_UP) add_flow(f, parent, child);
            }
        }
}

const struct hd_pattern hd_pattern_nccl_tree = {
    .desc = {.name = "nccl-tree",
             .summary = "double binary tree of NCCL over hosts, on every rail",
             .text =
                 "One stage: an allreduce is a pipeline in which both trees run at once, towards the roots and back. "
                 "Tree 0: host i, with lowest set bit b, is below (i - b) | 2b, or below i - b where that host does "
                 "not exist; host 0 is the root. Tree 1 is its mirror image where the number of hosts is even, else "
                 "shifted by one host. Each tree carries half of the data, so a flow is half of what a ring would "
                 "send twice. phase=up or down: the reduction or the broadcast alone. NVLS between hosts uses the same "
                 "trees.",
             .cite = "NCCL 2.30, src/graph/trees.cc",
             .params = (const struct hd_param[]){{"phase", HD_WORD, "all", "both directions at once, or one",
                                                  offsetof(struct nccl_tree_opt, phase), 0, 0, "all|up|down", false},
                                                 {0}},
             .examples = (const char *const[]){"nccl-tree", "nccl-tree:phase=up", NULL},
             .command = "heddle eval rail dmodk -m hsd -p nccl-tree",
             .opt_size = sizeof(struct nccl_tree_opt)},
    .init = tree_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = tree_draw};

/* ---- nccl-pat ------------------------------------------------------------------------------- */

enum pat_op { PAT_ALLGATHER, PAT_REDUCE_SCATTER };

struct pat_opt {
    int op;
};

static hd_status pat_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    HD_TRY(nccl_state_make(ctx, arena, "nccl-pat", in, sizeof(struct nccl_state), state));
    struct nccl_state *s = *state;
    s->how = ((const struct pat_opt *)in->opt)->op;
    while ((uint64_t)1 << s->base.stages < s->hosts.nhost) s->base.stages++;
    s->base.max_flows = s->hosts.nhost * s->hosts.least;
    return HD_OK;
}

static void pat_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct nccl_state *s = state;
    const struct hd_host_ranks *h = &s->hosts;
    bool gather = s->how == PAT_ALLGATHER;
    uint32_t far = (uint32_t)1 << (gather ? s->base.stages - 1 - stage : stage);
    (void)rng;
    hd_flows_begin(f, true);
    for (uint32_t c = 0; c < h->least; c++)
        for (uint32_t i = 0; i < h->nhost; i++) {
            uint32_t next = (i + far) % h->nhost;
            add_flow(f, hd_host_ep(h, gather ? next : i, c), hd_host_ep(h, gather ? i : next, c));
        }
}

const struct hd_pattern hd_pattern_nccl_pat = {
    .desc = {.name = "nccl-pat",
             .summary = "PAT of NCCL over hosts: distances are powers of two, the farthest first",
             .text = "For jobs with one rank per host, which may have several adapters. op=allgather: stages "
                     "d = D-1 .. 0 with D = ceil(log2 N): host i+2^d mod N sends to host i, so the stages that carry "
                     "most data are the near ones. op=reduce-scatter is its reverse: i sends to i+2^d, d = 0 .. D-1.",
             .cite = "Jeaugey: PAT: a new algorithm for all-gather and reduce-scatter operations at scale; NCCL 2.30",
             .params = (const struct hd_param[]){{"op", HD_WORD, "allgather", "the operation",
                                                  offsetof(struct pat_opt, op), 0, 0, "allgather|reduce-scatter", true},
                                                 {0}},
             .examples = (const char *const[]){"nccl-pat", "nccl-pat:op=reduce-scatter", NULL},
             .command = "heddle eval rail dmodk -m hsd -p nccl-pat",
             .opt_size = sizeof(struct pat_opt)},
    .init = pat_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = pat_draw};

/* ---- nccl-alltoall -------------------------------------------------------------------------- */

struct nccl_alltoall_opt {
    uint64_t gpus, group, rounds;
    bool pxn;
};

struct nccl_group {
    uint32_t host, at; /* its first rank within the host */
};

struct nccl_alltoall_state {
    struct nccl_state nccl;
    uint32_t gpus;   /* of every host; 0: one per adapter */
    uint32_t size;   /* of a group */
    uint32_t rounds; /* of a stage */
    uint32_t ngroup;
    uint64_t all;             /* rounds between different groups */
    struct nccl_group *group; /* [ngroup] */
    uint32_t *delta;          /* [ngroup - 1] */
    bool simple;
};

static uint32_t gpus_of(const struct nccl_alltoall_state *s, uint32_t host)
{
    return s->gpus ? s->gpus : hd_host_adapters(&s->nccl.hosts, host);
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Groups of one size, none on two hosts. */
static hd_status make_groups(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t size, struct nccl_alltoall_state *s)
{
    const struct hd_host_ranks *h = &s->nccl.hosts;
    double ranks = 0;
    for (uint32_t i = 0; i < h->nhost; i++) {
        size = common_divisor(size, gpus_of(s, i));
        ranks += gpus_of(s, i);
    }
    double flows = ranks * s->rounds;
    if (flows > HD_MAX_FLOWS)
        return hd_fail(ctx, HD_INPUT, "nccl-alltoall: %.0f ranks make %.0f flows at once, at most %d can be held",
                       ranks, flows, HD_MAX_FLOWS);
    s->size = size;
    s->ngroup = (uint32_t)ranks / size;
    s->group = HD_NEW(arena, struct nccl_group, s->ngroup);
    s->delta = HD_NEW(arena, uint32_t, s->ngroup);
    if (!s->group || !s->delta) return hd_fail_memory(ctx);
    for (uint32_t i = 0, g = 0; i < h->nhost; i++)
        for (uint32_t at = 0; at < gpus_of(s, i); at += size) s->group[g++] = (struct nccl_group){i, at};
    hd_nccl_deltas(s->ngroup, s->delta);
    s->nccl.base.max_flows = (uint32_t)flows;
    return HD_OK;
}

static hd_status nccl_alltoall_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,
                                    void **state)
{
    const struct nccl_alltoall_opt *o = in->opt;
    HD_TRY(nccl_state_make(ctx, arena, "nccl-alltoall", in, sizeof(struct nccl_alltoall_state), state));
    struct nccl_alltoall_state *s = *state;
    s->gpus = (uint32_t)o->gpus;
    s->rounds = (uint32_t)o->rounds;
    s->nccl.how = o->pxn;
    HD_TRY(make_groups(ctx, arena, (uint32_t)o->group, s));
    s->all = (uint64_t)(s->ngroup - 1) * s->size;
    if (s->rounds > s->all) s->rounds = (uint32_t)s->all;
    s->nccl.base.stages = (s->all + s->rounds - 1) / s->rounds;
    s->simple =
        s->rounds == 1 && s->nccl.hosts.even && s->ngroup == s->nccl.hosts.nhost && s->size == s->nccl.hosts.least;
    return HD_OK;
}

/* Flows of round r: group g sends to the group delta behind it, each rank to the one d behind its own place. */
static void add_round(const struct nccl_alltoall_state *s, uint64_t r, struct hd_flows *f)
{
    const struct hd_host_ranks *h = &s->nccl.hosts;
    uint32_t delta = s->delta[r / s->size], d = (uint32_t)(r % s->size);
    for (uint32_t g = 0; g < s->ngroup; g++) {
        const struct nccl_group *from = &s->group[g], *to = &s->group[(g + delta) % s->ngroup];
        if (from->host == to->host) continue;
        uint32_t na = hd_host_adapters(h, from->host), nb = hd_host_adapters(h, to->host);
        for (uint32_t i = 0; i < s->size; i++) {
            uint32_t to_gpu = to->at + (i + d) % s->size;
            uint32_t enters = hd_nearest_adapter(to_gpu, gpus_of(s, to->host), nb);
            uint32_t leaves = s->nccl.how ? enters : hd_nearest_adapter(from->at + i, gpus_of(s, from->host), na);
            add_flow(f, hd_host_ep(h, from->host, leaves), hd_host_ep(h, to->host, enters));
        }
    }
}

static void nccl_alltoall_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct nccl_alltoall_state *s = state;
    uint64_t from = stage * s->rounds, end = from + s->rounds < s->all ? from + s->rounds : s->all;
    (void)rng;
    hd_flows_begin(f, s->simple);
    for (uint64_t r = from; r < end; r++) add_round(s, r, f);
}

#define AT(field) offsetof(struct nccl_alltoall_opt, field)

static const struct hd_param alltoall_params[] = {
    {"gpus", HD_UINT, "0", "ranks of a host, neighbours on one adapter; 0: one per adapter", AT(gpus), 0, 1024, NULL,
     false},
    {"pxn", HD_FLAG, "on", "leave by the adapter on the receiver's rail, else by the sender's own", AT(pxn), 0, 0, NULL,
     false},
    {"group", HD_UINT, "8", "ranks of a group (NCCL_P2P_SCHEDULE_GROUP_SIZE), reduced to what divides those of hosts",
     AT(group), 1, 1024, NULL, false},
    {"rounds", HD_UINT, "1", "rounds that are under way at once", AT(rounds), 1, 4096, NULL, false},
    {0}};

const struct hd_pattern hd_pattern_nccl_alltoall = {
    .desc = {.name = "nccl-alltoall",
             .summary = "all-to-all of NCCL in the order of its sends and receives",
             .text =
                 "Ranks of a host form groups. Group distances are x(x+1)/2 modulo the next power of two, those that "
                 "are no distance left out: 0, 1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8 for 16 groups. In "
                 "round (delta, d), rank i of group g sends to rank i+d of group g+delta. Stages are rounds, those "
                 "within a group left out. pxn=on: data goes to the GPU on the receiver's rail over NVLink first, so "
                 "the network sees one rail; off: it leaves by the sender's own adapter and changes rails.",
             .cite = "NCCL 2.30, src/init.cc",
             .params = alltoall_params,
             .examples =
                 (const char *const[]){"nccl-alltoall", "nccl-alltoall:pxn=off", "nccl-alltoall:gpus=8,rounds=4", NULL},
             .command = "heddle eval rail dmodk -m hsd -p nccl-alltoall",
             .opt_size = sizeof(struct nccl_alltoall_opt)},
    .init = nccl_alltoall_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = nccl_alltoall_draw};
