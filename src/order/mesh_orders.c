/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of the places of a mesh that are made without counting loads: what the search starts from and is compared
 * with. Recursive bisection has a file of its own. O(places log places) each. */
#include "base/keyed.h"
#include "base/status.h"
#include "order/mesh_job.h"

#include <stdlib.h>
#include <string.h>

/* ---- by name -------------------------------------------------------------------------------- */

/* FNV-1a: the bytes of a name decide, on any machine. */
static uint64_t name_hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return h;
}

hd_status hd_mesh_order_hash(struct hd_ctx *ctx, const struct hd_nodes *nodes, uint32_t *order)
{
    struct hd_keyed *list = malloc(((size_t)nodes->n + 1) * sizeof *list);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < nodes->n; i++)
        list[i] = (struct hd_keyed){name_hash(hd_host_name(nodes->net, nodes->host[i])), i};
    hd_keyed_sort(list, nodes->n, sizeof *list);
    for (uint32_t i = 0; i < nodes->n; i++) order[i] = list[i].value;
    free(list);
    return HD_OK;
}

/* ---- by dimensions -------------------------------------------------------------------------- */

static uint32_t place_digit(const struct hd_mesh_job *job, uint32_t place, enum hd_mesh_dim d)
{
    return (uint32_t)((uint64_t)place * job->per_node / job->stride[d] % job->size[d]);
}

static hd_status order_by_keys(struct hd_ctx *ctx, const struct hd_mesh_job *job, const uint32_t *tree,
                               const enum hd_mesh_dim dims[HD_DIMS], uint32_t height, uint32_t *order)
{
    struct hd_keyed *list = malloc(((size_t)job->n + 1) * sizeof *list);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < job->n; i++) {
        uint32_t first = place_digit(job, i, dims[0]);
        uint64_t key = 0;
        for (int d = HD_DIMS; d-- > 2;) key = key * job->size[dims[d]] + place_digit(job, i, dims[d]);
        key = key * job->size[dims[0]] + first / height;
        key = key * job->size[dims[1]] + place_digit(job, i, dims[1]);
        list[i] = (struct hd_keyed){key * height + first % height, i};
    }
    hd_keyed_sort(list, job->n, sizeof *list);
    for (uint32_t i = 0; i < job->n; i++) order[list[i].value] = tree[i];
    free(list);
    return HD_OK;
}

hd_status hd_mesh_order_dims(struct hd_ctx *ctx, const struct hd_mesh_job *job, const uint32_t *tree,
                             const enum hd_mesh_dim dims[HD_DIMS], uint32_t *order)
{
    return order_by_keys(ctx, job, tree, dims, job->size[dims[0]], order);
}

hd_status hd_mesh_order_strips(struct hd_ctx *ctx, const struct hd_mesh_job *job, const uint32_t *tree,
                               const enum hd_mesh_dim dims[HD_DIMS], uint32_t height, uint32_t *order)
{
    return order_by_keys(ctx, job, tree, dims, height, order);
}

/* ---- whole leaf switches ---------------------------------------------------------------------- */

/* How many nodes the leaf switches have on which most nodes are. */
static uint32_t usual_leaf(const struct hd_job_view *view, const struct hd_mesh_job *job, uint32_t *held,
                           uint32_t *count)
{
    uint32_t most = 0, size = 1;
    for (uint32_t i = 0; i < job->n; i++) held[view->leaf[(size_t)i * job->nrail]]++;
    for (uint32_t leaf = 0; leaf < view->nleaf; leaf++) count[held[leaf]] += held[leaf];
    for (uint32_t i = 1; i <= job->n; i++)
        if (count[i] > most) most = count[size = i];
    return size;
}

/* Whole blocks go to the result at once, the others when enough of them have come to make one. */
static void align_blocks(const struct hd_job_view *view, const struct hd_mesh_job *job, const uint32_t *tree,
                         uint32_t size, uint32_t *rest, uint32_t *aligned)
{
    uint32_t done = 0, left = 0, run;
    for (uint32_t i = 0; i < job->n; i += run) {
        const uint32_t leaf = view->leaf[(size_t)tree[i] * job->nrail];
        for (run = 1; run < size && i + run < job->n; run++)
            if (view->leaf[(size_t)tree[i + run] * job->nrail] != leaf) break;
        memcpy(run == size ? aligned + done : rest + left, tree + i, run * sizeof *tree);
        *(run == size ? &done : &left) += run;
        if (left < size) continue;
        memcpy(aligned + done, rest, size * sizeof *rest);
        memmove(rest, rest + size, (left - size) * sizeof *rest);
        done += size;
        left -= size;
    }
    memcpy(aligned + done, rest, left * sizeof *rest);
}

hd_status hd_mesh_align(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                        const uint32_t *tree, uint32_t *aligned)
{
    struct hd_arena a = {0};
    uint32_t *held = HD_NEW(&a, uint32_t, (size_t)view->nleaf + 1), *count = HD_NEW(&a, uint32_t, (size_t)job->n + 1);
    uint32_t *rest = HD_NEW(&a, uint32_t, 2 * (size_t)job->n);
    const bool made = held && count && rest;
    if (made) align_blocks(view, job, tree, usual_leaf(view, job, held, count), rest, aligned);
    hd_arena_release(&a);
    return made ? HD_OK : hd_fail_memory(ctx);
}
