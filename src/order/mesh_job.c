/* SPDX-License-Identifier: BSD-2-Clause */
/* A mesh of ranks and what its groups send (mesh_job.h). Ranks are numbered as Megatron and DeepSpeed do: tensor
 * fastest, then context, then data, pipeline slowest; order=tp-pp-dp exchanges the last two. The groups of a kind are
 *   tp  ranks that differ in tp alone: a ring
 *   cp  in cp alone: a ring
 *   pp  in pp alone: each stage and the next, both directions
 *   ep  ep consecutive ranks of dp, or, folded, of tp * cp * dp: all-to-all, each rank's bytes in equal parts
 *   dp  in dp and cp: a ring, since gradients are summed over both
 * A ring visits the places of a group in order of rank, once on each of the adapters that its members have there, as
 * NCCL's channels do; bytes are what a rank sends, in equal parts over the adapters. The receiver's adapter decides the
 * rail (PXN); in an all-to-all the sender's does (DeepEP forwards inside hosts). What stays in a place is left out.
 * O(flows log flows). */
#include "base/spec.h"
#include "base/status.h"
#include "flow/core/host_ranks.h"
#include "order/mesh_job.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[HD_MESH_KINDS] = {"tp", "cp", "pp", "ep", "dp"};

const char *hd_mesh_kind_name(enum hd_mesh_kind kind)
{
    return (size_t)kind < HD_MESH_KINDS ? kinds[kind] : NULL;
}

struct mesh_opt {
    uint64_t tp, cp, pp, ep, dp;
    int order;
    bool fold;
};

#define AT(field) offsetof(struct mesh_opt, field)
#define SIZE(name, doc) #name, HD_UINT, "1", doc, AT(name), 1, 1e8, NULL, true

static const struct hd_desc mesh_desc = {
    .name = "mesh",
    .summary = "sizes of the groups of a training job",
    .params = (const struct hd_param[]){{SIZE(tp, "tensor-parallel ranks")},
                                        {SIZE(cp, "context-parallel ranks")},
                                        {SIZE(pp, "pipeline stages")},
                                        {SIZE(ep, "expert-parallel ranks")},
                                        {SIZE(dp, "data-parallel replicas")},
                                        {"order", HD_WORD, "megatron", "how ranks are numbered", AT(order), 0, 0,
                                         "megatron|deepspeed|tp-pp-dp", false},
                                        {"fold", HD_FLAG, "off", "expert groups over tp, cp and dp", AT(fold), 0, 0,
                                         NULL, false},
                                        {0}},
    .opt_size = sizeof(struct mesh_opt)};

struct bytes_opt {
    uint64_t of[HD_MESH_KINDS];
};

#define BYTES_OF(name, kind)                                                                                           \
    name, HD_BYTES, "1GiB", "bytes of a rank and step", offsetof(struct bytes_opt, of) + (kind) * sizeof(uint64_t), 0, \
        0x1p50, NULL, true

static const struct hd_desc bytes_desc = {.name = "bytes",
                                          .summary = "what a rank sends in a step, by kind of group",
                                          .params = (const struct hd_param[]){{BYTES_OF("tp", HD_MESH_TP)},
                                                                              {BYTES_OF("cp", HD_MESH_CP)},
                                                                              {BYTES_OF("pp", HD_MESH_PP)},
                                                                              {BYTES_OF("ep", HD_MESH_EP)},
                                                                              {BYTES_OF("dp", HD_MESH_DP)},
                                                                              {0}},
                                          .opt_size = sizeof(struct bytes_opt)};

/* ---- flows ---------------------------------------------------------------------------------- */

struct mesh_maker {
    struct hd_ctx *ctx;
    struct hd_mesh_job *job;
    struct hd_arena scratch;
    size_t room;
    uint32_t *rank;       /* members of the group */
    uint32_t *place, *at; /* its places in order of rank; at[i] .. at[i + 1] are the members of place i */
    uint32_t nplace;
    bool failed;
};

static void mesh_add(struct mesh_maker *m, enum hd_mesh_kind kind, uint32_t from, uint32_t to, uint32_t rail,
                     uint64_t bytes)
{
    struct hd_mesh_job *job = m->job;
    if (from == to || !bytes || m->failed) return;
    if (job->nflow == m->room) {
        size_t room = m->room ? m->room * 2 : 1024;
        struct hd_mesh_flow *more = realloc(job->flow, room * sizeof *more);
        if (!more) {
            m->failed = true;
            return;
        }
        job->flow = more;
        m->room = room;
    }
    job->flow[job->nflow++] = (struct hd_mesh_flow){from, to, rail, kind, bytes};
}

static uint32_t rail_of(const struct hd_mesh_job *job, uint32_t rank)
{
    return hd_nearest_adapter(rank % job->per_node, job->per_node, job->nrail);
}

/* Members by place: those of a group are in increasing order, but a place may come up again. */
static int mesh_by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void find_places(struct mesh_maker *m, uint32_t size)
{
    qsort(m->rank, size, sizeof *m->rank, mesh_by_number);
    m->nplace = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t place = m->rank[i] / m->job->per_node;
        if (!m->nplace || m->place[m->nplace - 1] != place) {
            m->place[m->nplace] = place;
            m->at[m->nplace++] = i;
        }
    }
    m->at[m->nplace] = size;
}

/* Channels: as many as the fewest members of a place. */
static void add_ring(struct mesh_maker *m, enum hd_mesh_kind kind, uint32_t size)
{
    uint32_t channels = UINT32_MAX;
    find_places(m, size);
    for (uint32_t i = 0; i < m->nplace; i++)
        if (m->at[i + 1] - m->at[i] < channels) channels = m->at[i + 1] - m->at[i];
    for (uint32_t i = 0; i < m->nplace && m->nplace > 1; i++) {
        uint32_t next = i + 1 < m->nplace ? i + 1 : 0;
        for (uint32_t c = 0; c < channels; c++)
            mesh_add(m, kind, m->place[i], m->place[next], rail_of(m->job, m->rank[m->at[next] + c]),
                     m->job->bytes[kind] / channels);
    }
}

static void add_chain(struct mesh_maker *m, uint32_t size)
{
    const struct hd_mesh_job *job = m->job;
    for (uint32_t i = 0; i + 1 < size; i++) {
        uint32_t a = m->rank[i], b = m->rank[i + 1];
        mesh_add(m, HD_MESH_PP, a / job->per_node, b / job->per_node, rail_of(job, b), job->bytes[HD_MESH_PP]);
        mesh_add(m, HD_MESH_PP, b / job->per_node, a / job->per_node, rail_of(job, a), job->bytes[HD_MESH_PP]);
    }
}

static void add_alltoall(struct mesh_maker *m, uint32_t size)
{
    const struct hd_mesh_job *job = m->job;
    find_places(m, size);
    for (uint32_t i = 0; i < m->nplace; i++)
        for (uint32_t r = m->at[i]; r < m->at[i + 1]; r++)
            for (uint32_t j = 0; j < m->nplace; j++)
                mesh_add(m, HD_MESH_EP, m->place[i], m->place[j], rail_of(job, m->rank[r]),
                         job->bytes[HD_MESH_EP] * (m->at[j + 1] - m->at[j]) / (size - 1));
}

/* Every group of the ranks that differ in the dimensions of a kind alone. */
static void add_kind(struct mesh_maker *m, enum hd_mesh_kind kind)
{
    static const uint8_t varied[HD_MESH_KINDS][HD_DIMS] = {[HD_MESH_TP] = {[HD_DIM_TP] = 1},
                                                           [HD_MESH_CP] = {[HD_DIM_CP] = 1},
                                                           [HD_MESH_PP] = {[HD_DIM_PP] = 1},
                                                           [HD_MESH_EP] = {[HD_DIM_DP] = 1},
                                                           [HD_MESH_DP] = {[HD_DIM_CP] = 1, [HD_DIM_DP] = 1}};
    const struct hd_mesh_job *job = m->job;
    uint32_t ranks = job->n * job->per_node, inside = 1;
    bool vary[HD_DIMS];
    for (int d = 0; d < HD_DIMS; d++) {
        vary[d] = varied[kind][d] || (kind == HD_MESH_EP && job->folded && d != HD_DIM_PP);
        if (vary[d]) inside *= job->size[d];
    }
    uint32_t size = kind == HD_MESH_EP ? job->ep : inside;
    if (size < 2 || !job->bytes[kind]) return;
    for (uint32_t base = 0; base < ranks; base++) {
        bool first = true;
        for (int d = 0; d < HD_DIMS; d++) first &= !vary[d] || base / job->stride[d] % job->size[d] == 0;
        if (!first) continue;
        for (uint32_t g = 0; g < inside; g += size) {
            for (uint32_t i = 0; i < size; i++) {
                uint32_t rest = g + i, rank = base;
                for (int d = 0; d < HD_DIMS; d++) {
                    if (!vary[d]) continue;
                    rank += rest % job->size[d] * job->stride[d];
                    rest /= job->size[d];
                }
                m->rank[i] = rank;
            }
            if (kind == HD_MESH_PP)
                add_chain(m, size);
            else if (kind == HD_MESH_EP)
                add_alltoall(m, size);
            else
                add_ring(m, kind, size);
        }
    }
}

static int flow_order(const void *a, const void *b)
{
    const struct hd_mesh_flow *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->rail != y->rail) return x->rail < y->rail ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void merge_flows(struct hd_mesh_job *job)
{
    size_t n = 0;
    if (job->nflow) qsort(job->flow, job->nflow, sizeof *job->flow, flow_order);
    for (size_t i = 0; i < job->nflow; i++) {
        if (n && flow_order(&job->flow[n - 1], &job->flow[i]) == 0)
            job->flow[n - 1].bytes += job->flow[i].bytes;
        else
            job->flow[n++] = job->flow[i];
    }
    job->nflow = n;
}

static hd_status make_mesh_flows(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_mesh_job *job)
{
    struct mesh_maker m = {.ctx = ctx, .job = job};
    uint32_t ranks = job->n * job->per_node;
    m.rank = HD_NEW(&m.scratch, uint32_t, ranks);
    m.place = HD_NEW(&m.scratch, uint32_t, (size_t)ranks + 1);
    m.at = HD_NEW(&m.scratch, uint32_t, (size_t)ranks + 1);
    if (!m.rank || !m.place || !m.at) m.failed = true;
    for (int k = 0; k < HD_MESH_KINDS && !m.failed; k++) add_kind(&m, (enum hd_mesh_kind)k);
    struct hd_mesh_flow *made = job->flow;
    if (!m.failed) merge_flows(job);
    job->flow = m.failed ? NULL : HD_NEW(arena, struct hd_mesh_flow, job->nflow + 1);
    if (job->flow && job->nflow) memcpy(job->flow, made, job->nflow * sizeof *made);
    free(made);
    hd_arena_release(&m.scratch);
    return job->flow ? HD_OK : hd_fail_memory(ctx);
}

/* ---- from text ------------------------------------------------------------------------------ */

static hd_status check_mesh(struct hd_ctx *ctx, const struct mesh_opt *o, struct hd_mesh_job *job)
{
    double ranks = (double)o->tp * (double)o->cp * (double)o->pp * (double)o->dp;
    double block = (double)o->tp * (double)o->cp * (double)o->dp;
    double slots = (double)job->n * job->per_node;
    if (ranks != slots)
        return hd_fail_about(ctx, HD_INPUT, "mesh nodes number",
                             "mesh: tp*cp*pp*dp is %.0f ranks, expected %.0f: %u host%s with %u each%s", ranks, slots,
                             job->n, job->n == 1 ? "" : "s", job->per_node,
                             ranks < slots ? "; nodes or number choose fewer" : "");
    job->folded = o->fold || o->dp % o->ep;
    if ((uint64_t)block % o->ep)
        return hd_fail_about(ctx, HD_INPUT, "mesh", "mesh: ep=%llu divides neither dp=%llu nor tp*cp*dp=%.0f",
                             (unsigned long long)o->ep, (unsigned long long)o->dp, block);
    return HD_OK;
}

hd_status hd_mesh_job_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_nodes *nodes, const char *mesh,
                           const char *bytes, uint32_t per_node, struct hd_mesh_job *job, char spec[HD_MAX_SPEC])
{
    struct mesh_opt o;
    struct bytes_opt b;
    HD_TRY(hd_opts_parse(ctx, arena, &mesh_desc, mesh, &o));
    HD_TRY(hd_opts_parse(ctx, arena, &bytes_desc, bytes, &b));
    *job = (struct hd_mesh_job){.n = nodes->n, .per_node = per_node, .nrail = nodes->nrail, .ep = (uint32_t)o.ep};
    HD_TRY(check_mesh(ctx, &o, job));
    HD_TRY(hd_opts_print(ctx, &mesh_desc, &o, spec));
    memmove(spec, spec + strlen(mesh_desc.name) + 1, strlen(spec) - strlen(mesh_desc.name));
    bool pipeline_first = o.order == 2;
    job->size[HD_DIM_TP] = (uint32_t)o.tp;
    job->size[HD_DIM_CP] = (uint32_t)o.cp;
    job->size[HD_DIM_DP] = (uint32_t)o.dp;
    job->size[HD_DIM_PP] = (uint32_t)o.pp;
    job->stride[HD_DIM_TP] = 1;
    job->stride[HD_DIM_CP] = (uint32_t)o.tp;
    uint32_t inner = (uint32_t)(o.tp * o.cp);
    job->stride[HD_DIM_DP] = pipeline_first ? inner * (uint32_t)o.pp : inner;
    job->stride[HD_DIM_PP] = pipeline_first ? inner : inner * (uint32_t)o.dp;
    memcpy(job->bytes, b.of, sizeof job->bytes);
    return make_mesh_flows(ctx, arena, job);
}
