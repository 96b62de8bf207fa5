/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders as the programs that start ranks read them. Ranks are numbered node by node, per_node[i] of them on
 * the i-th node. Names are those of hosts, without their domains
 * if that leaves them different. */
#include "base/arena.h"
#include "base/spec.h"
#include "base/status.h"
#include "heddle/order.h"
#include "net/core/node_name.h"
#include "order/rank_file.h"

#include <stdlib.h>
#include <string.h>

struct writer_job {
    const struct hd_nodes *nodes;
    const uint32_t *rank, *per_node;
    bool shorten; /* names without their domains, as Slurm and most launchers know hosts */
};

static void put_host(const struct writer_job *j, uint32_t i, struct hd_out *o)
{
    const char *name = hd_host_name(j->nodes->net, j->nodes->host[j->rank[i]]);
    hd_put(o, name, j->shorten ? hd_name_short(name) : strlen(name));
}

static void write_openmpi(const struct writer_job *j, struct hd_out *o)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < j->nodes->n; i++)
        for (uint32_t k = 0; k < j->per_node[i]; k++) {
            hd_printf(o, "rank %u=", rank++);
            put_host(j, i, o);
            hd_printf(o, " slot=%u\n", k);
        }
}

static void write_each(const struct writer_job *j, struct hd_out *o)
{
    for (uint32_t i = 0; i < j->nodes->n; i++)
        for (uint32_t k = 0; k < j->per_node[i]; k++) {
            put_host(j, i, o);
            hd_puts(o, "\n");
        }
}

static void write_mpich(const struct writer_job *j, struct hd_out *o)
{
    for (uint32_t i = 0; i < j->nodes->n; i++) {
        if (!j->per_node[i]) continue;
        put_host(j, i, o);
        hd_printf(o, ":%u\n", j->per_node[i]);
    }
}

static void write_torchrun(const struct writer_job *j, struct hd_out *o)
{
    hd_puts(o, HD_TORCHRUN_HEAD "\n");
    for (uint32_t i = 0, node = 0; i < j->nodes->n; i++) {
        if (!j->per_node[i]) continue;
        put_host(j, i, o);
        hd_printf(o, " %u\n", node++);
    }
}

static void writer_write_names(const struct writer_job *j, struct hd_out *o)
{
    for (uint32_t i = 0; i < j->nodes->n; i++) {
        if (!j->per_node[i]) continue;
        put_host(j, i, o);
        hd_puts(o, "\n");
    }
}

static void write_guids(const struct writer_job *j, struct hd_out *o)
{
    const struct hd_nodes *nodes = j->nodes;
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t k = 0; k < nodes->nrail && j->per_node[i]; k++)
            hd_printf(o, "0x%016llx\n",
                      (unsigned long long)
                          nodes->net->guid[nodes->net->nsw + nodes->ep[(size_t)j->rank[i] * nodes->nrail + k]]);
}

/* As OpenSM lists them: LID, tab, description. */
static void write_ca_order(const struct writer_job *j, struct hd_out *o)
{
    const struct hd_nodes *nodes = j->nodes;
    const struct hd_net *net = nodes->net;
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t k = 0; k < nodes->nrail && j->per_node[i]; k++) {
            uint32_t v = net->nsw + nodes->ep[(size_t)j->rank[i] * nodes->nrail + k];
            hd_printf(o, "0x%x\t%s\n", net->lid[v], hd_node_name(net, v));
        }
}

/* What a name may hold. Launchers split lines at blanks and take #, =, :, commas and brackets for comments, options,
 * counts and lists; a host called so would start ranks elsewhere or nowhere. */
enum name_rule { PLAIN_NAMES, DESCRIPTIONS, NO_NAMES };

static bool writer_takes(enum name_rule rule, const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (rule == PLAIN_NAMES) return *name && !name[strspn(name, plain)];
    for (const char *p = name; rule == DESCRIPTIONS && *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127 || *p == '#') return false;
    return true;
}

static hd_status writer_check_name(struct hd_ctx *ctx, enum name_rule rule, const char *name)
{
    char shown[80];
    size_t n = 0;
    if (writer_takes(rule, name)) return HD_OK;
    for (; name[n] && n < sizeof shown - 1; n++)
        shown[n] = (unsigned char)name[n] < ' ' || name[n] == 127 ? '?' : name[n];
    shown[n] = 0;
    return hd_fail(
        ctx, HD_INPUT,
        "host name '%s': expected letters, digits, '.', '_' and '-' alone in a rank file; format guids needs no "
        "names",
        shown);
}

static int by_short_name(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t m = hd_name_short(x), n = hd_name_short(y);
    int order = memcmp(x, y, m < n ? m : n);
    return order ? order : (m > n) - (m < n);
}

/* Whether names have domains and different names stay different without. */
static hd_status writer_shortens(struct hd_ctx *ctx, const struct hd_nodes *nodes, bool *shorten)
{
    struct hd_arena scratch = {0};
    const char **name = HD_NEW(&scratch, const char *, nodes->n);
    *shorten = false;
    for (uint32_t i = 0; name && i < nodes->n; i++) {
        name[i] = hd_host_name(nodes->net, nodes->host[i]);
        *shorten |= name[i][hd_name_short(name[i])] != 0;
    }
    if (name) qsort(name, nodes->n, sizeof *name, by_short_name);
    for (uint32_t i = 1; *shorten && i < nodes->n; i++)
        if (by_short_name(&name[i - 1], &name[i]) == 0 && strcmp(name[i - 1], name[i]) != 0) *shorten = false;
    hd_status s = name ? HD_OK : hd_fail_memory(ctx);
    hd_arena_release(&scratch);
    return s;
}

static const struct format {
    struct hd_order_format public;
    void (*write)(const struct writer_job *j, struct hd_out *o);
    enum name_rule names;
} formats[] = {
    {{"openmpi", "Open MPI rankfile: rank N=HOST slot=M",
      "Open MPI 4: mpirun -n %n --rankfile %f PROGRAM\nOpen MPI 5: mpirun -n %n --map-by rankfile:file=%f PROGRAM\n"},
     write_openmpi,
     PLAIN_NAMES},
    {{"seq", "a host for each rank, for Open MPI's sequential mapper",
      "Open MPI 4: mpirun -n %n --hostfile %f --map-by seq PROGRAM\nOpen MPI 5: mpirun -n %n --map-by seq:file=%f "
      "PROGRAM\n"},
     write_each,
     PLAIN_NAMES},
    {{"mpich", "host file of MPICH, MVAPICH and Intel MPI: HOST:RANKS, taken in order",
      "mpiexec -n %n -f %f PROGRAM\n"},
     write_mpich,
     PLAIN_NAMES},
    {{"slurm", "a host for each task, for SLURM_HOSTFILE",
      "SLURM_HOSTFILE=%f srun -n %n --distribution=arbitrary PROGRAM\n"},
     write_each,
     PLAIN_NAMES},
    {{"torchrun", "node ranks for static rendezvous: HOST NODE_RANK",
      "on every host: torchrun --nnodes %m --node-rank $(awk -v h=\"$(hostname -s)\" '$1 == h { print $2 }' %f) "
      "--nproc-per-node %p "
      "--master-addr %0 PROGRAM\n"},
     write_torchrun,
     PLAIN_NAMES},
    {{"names", "host names in rank order", ""}, writer_write_names, PLAIN_NAMES},
    {{"guids", "port GUIDs in rank order: OpenSM's guid_routing_order_file",
      "opensm --routing_engine updn --guid_routing_order_file %f\n"},
     write_guids,
     NO_NAMES},
    {{"ca-order", "LID and description in rank order, like opensm-ftree-ca-order.dump", ""},
     write_ca_order,
     DESCRIPTIONS},
};

const struct hd_order_format *hd_order_format_at(size_t i)
{
    return i < sizeof formats / sizeof *formats ? &formats[i].public : NULL;
}

hd_status hd_order_write(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank,
                         const uint32_t *per_node, const char *format, struct hd_out *o)
{
    const struct hd_named_rows rows = {formats, sizeof formats / sizeof *formats, sizeof *formats};
    const struct format *row = hd_named_row(ctx, "format", format, &rows);
    if (!row) return HD_USAGE;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const uint32_t e = nodes->ep[(size_t)i * nodes->nrail];
        const char *name = row->names == DESCRIPTIONS ? hd_node_name(nodes->net, nodes->net->nsw + e)
                                                      : hd_host_name(nodes->net, nodes->host[i]);
        HD_TRY(writer_check_name(ctx, row->names, name));
    }
    struct writer_job j = {nodes, rank, per_node, false};
    if (row->names == PLAIN_NAMES) HD_TRY(writer_shortens(ctx, nodes, &j.shorten));
    row->write(&j, o);
    return HD_OK;
}

/* Fills the nodes in rank order. */
hd_status hd_order_fill(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank, uint64_t ranks,
                        uint32_t *per_node)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < nodes->n; i++) slots += nodes->slots[i];
    if (ranks > slots)
        return hd_fail(ctx, HD_INPUT, "%llu ranks are too many: the %u nodes have %llu slots",
                       (unsigned long long)ranks, nodes->n, (unsigned long long)slots);
    uint64_t left = ranks ? ranks : slots;
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t has = nodes->slots[rank[i]];
        per_node[i] = left < has ? (uint32_t)left : has;
        left -= per_node[i];
    }
    return HD_OK;
}
