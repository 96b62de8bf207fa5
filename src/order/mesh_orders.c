/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of the places of a mesh that are made without counting loads: what the search starts from and is compared
 * with. Recursive bisection has a file of its own. O(places log places) each. */
#include "base/hash.h"
#include "base/status.h"
#include "order/mesh_job.h"

#include <stdlib.h>
#include <string.h>

/* ---- by name -------------------------------------------------------------------------------- */

struct hashed {
    uint64_t hash;
    uint32_t i;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* FNV-1a: the bytes of a name decide, on any machine. */
static uint64_t name_hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return h;
}

hd_status hd_mesh_order_hash(struct hd_ctx *ctx, const struct hd_nodes *nodes, uint32_t *order)
{
    struct hashed *list = malloc(((size_t)nodes->n + 1) * sizeof *list);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < nodes->n; i++)
        list[i] = (struct hashed){name_hash(hd_host_name(nodes->net, nodes->host[i])), i};
    qsort(list, nodes->n, sizeof *list, by_hash);
    for (uint32_t i = 0; i < nodes->n; i++) order[i] = list[i].i;
    free(list);
    return HD_OK;
}

/* ---- by dimensions -------------------------------------------------------------------------- */

struct keyed_place {
    uint64_t key;
    uint32_t place;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed_place *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static uint32_t place_digit(const struct hd_mesh_job *job, uint32_t place, enum hd_mesh_dim d)
{
    return (uint32_t)((uint64_t)place * job->per_node / job->stride[d] % job->size[d]);
}

static hd_status order_by_keys(struct hd_ctx *ctx, const struct hd_mesh_job *job, const uint32_t *tree,
                               const enum hd_mesh_dim dims[HD_DIMS], uint32_t height, uint32_t *order)
{
    struct keyed_place *list = malloc(((size_t)job->n + 1) * sizeof *list);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < job->n; i++) {
        uint32_t first = place_digit(job, i, dims[0]);
        uint64_t key = 0;
        for (int d = HD_DIMS; d-- > 2;) key = key * job->size[dims[d]] + place_digit(job, i, dims[d]);
        key = key * job->size[dims[0]] + first / height;
        key = key * job->size[dims[1]] + place_digit(job, i, dims[1]);
        list[i] = (struct keyed_place){key * height + first % height, i};
    }
    qsort(list, job->n, sizeof *list, by_key);
    for (uint32_t i = 0; i < job->n; i++) order[list[i].place] = tree[i];
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
