/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders as the programs that start ranks read them. Ranks are numbered node by node, per_node[i] of them on
 * the i-th node. Names are those of hosts, without their domains
 * if that leaves them different. */
#include "base/arena.h"
#include "base/escape.h"
#include "base/spec.h"
#include "base/status.h"
#include "heddle/order.h"
#include "net/core/node_name.h"
#include "net/io/hostlist.h"
#include "order/nccl_settings.h"
#include "order/rank_file.h"
#include "order/order_check.h"
#include "tool/json.h"
#include "tool/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer_job {
    const struct hd_nodes *nodes;
    const uint32_t *rank, *per_node;
    bool shorten; /* names without their domains, as Slurm and most launchers know hosts */
    const struct hd_binding *bind;
    const struct hd_nccl *nccl; /* of the format nccl */
    const char *hostlist;       /* of the format nodelist */
};

static void put_host(const struct writer_job *j, uint32_t i, struct hd_out *o)
{
    const char *name = hd_host_name(j->nodes->net, j->nodes->host[j->rank[i]]);
    hd_put(o, name, j->shorten ? hd_name_short(name) : strlen(name));
}

/* The k-th of n ranks of a node. Open MPI wants a slot for every rank and binds to it unless its command line says
 * otherwise. So ranks that are not to be bound have the whole first socket, where a wrong command line hurts least. */
static void put_slot(const struct hd_binding *bind, uint32_t k, uint32_t n, struct hd_out *o)
{
    uint64_t domain = (uint64_t)k * bind->domains / n;
    if (bind->to == HD_BIND_NONE) {
        hd_puts(o, " slot=0:*\n");
    } else if (bind->to == HD_BIND_CORE) {
        hd_printf(o, " slot=%u\n", k);
    } else if (bind->to == HD_BIND_SOCKET) {
        hd_printf(o, " slot=%u:*\n", (unsigned)domain);
    } else { /* the cores of a domain are shared out among its ranks */
        uint64_t first = (domain * n + bind->domains - 1) / bind->domains;
        uint64_t next = ((domain + 1) * n + bind->domains - 1) / bind->domains, ranks = next - first;
        uint64_t from = (k - first) * bind->cores / ranks, to = (k - first + 1) * bind->cores / ranks;
        from += domain * bind->cores;
        to += domain * bind->cores;
        hd_printf(o, to > from + 1 ? " slot=%u-%u\n" : " slot=%u\n", (unsigned)from, (unsigned)to - 1);
    }
}

static void write_rankfile(const struct writer_job *j, struct hd_out *o)
{
    uint32_t rank = 0;
    if (j->bind->to == HD_BIND_NONE) hd_puts(o, HD_UNBOUND_HEAD "\n");
    for (uint32_t i = 0; i < j->nodes->n; i++)
        for (uint32_t k = 0; k < j->per_node[i]; k++) {
            hd_printf(o, "rank %u=", rank++);
            put_host(j, i, o);
            put_slot(j->bind, k, j->per_node[i], o);
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
 * counts and lists, and a word that begins with '-' is an option; a host called so would start ranks elsewhere or
 * nowhere. */
enum name_rule { PLAIN_NAMES, DESCRIPTIONS, NO_NAMES };

static bool writer_takes(enum name_rule rule, const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (rule == PLAIN_NAMES) return *name && !strchr("-.", *name) && !name[strspn(name, plain)];
    return rule == NO_NAMES || !(strchr(name, '#') || hd_has_controls(name));
}

bool hd_rank_file_takes(const char *host)
{
    return writer_takes(PLAIN_NAMES, host);
}

static hd_status writer_check_name(struct hd_ctx *ctx, enum name_rule rule, const char *name)
{
    if (writer_takes(rule, name)) return HD_OK;
    return hd_fail(
        ctx, HD_INPUT,
        "host name '%.79s': expected letters, digits, '_' and, not first, '.' and '-' alone in a rank file; format "
        "guids needs no names",
        name);
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

/* Hosts in rank order, each with its leaf switch: dlrover keeps groups of ranks on one of them. */
static void write_dlrover(const struct writer_job *j, struct hd_out *o)
{
    const struct hd_nodes *nodes = j->nodes;
    struct hd_json json = {.o = o, .first = {true}};
    hd_json_open(&json, NULL, '{');
    for (uint32_t i = 0; i < nodes->n; i++) {
        const char *name = hd_host_name(nodes->net, nodes->host[j->rank[i]]);
        uint32_t leaf = hd_leaf(nodes->net, nodes->ep[(size_t)j->rank[i] * nodes->nrail]);
        char host[HD_HOSTLIST_NAME + 1];
        if (!j->per_node[i]) continue;
        snprintf(host, sizeof host, "%.*s", (int)(j->shorten ? hd_name_short(name) : strlen(name)), name);
        hd_json_fields(&json, hd_text(host, hd_node_label(nodes->net, leaf)));
    }
    hd_json_close(&json, '}');
}

static void write_nodelist(const struct writer_job *j, struct hd_out *o)
{
    hd_puts(o, j->hostlist);
    hd_puts(o, "\n");
}

static void write_nccl(const struct writer_job *j, struct hd_out *o)
{
    hd_nccl_write(j->nccl, o);
}

static const struct format {
    struct hd_order_format public;
    void (*write)(const struct writer_job *j, struct hd_out *o);
    enum name_rule names;
} formats[] = {
    {{"openmpi", "Open MPI rankfile: rank N=HOST slot=M",
      "Open MPI 4: mpirun -n %n --mca rtc ^hwloc --rankfile %f PROGRAM\n"
      "Open MPI 5: mpirun -n %n --map-by rankfile:file=%f --bind-to none PROGRAM\n",
      true},
     write_rankfile,
     PLAIN_NAMES},
    {{"seq", "a host for each rank, for Open MPI's sequential mapper",
      "Open MPI 4: mpirun -n %n --hostfile %f --map-by seq --bind-to none PROGRAM\n"
      "Open MPI 5: mpirun -n %n --map-by seq:file=%f --bind-to none PROGRAM\n",
      true},
     write_each,
     PLAIN_NAMES},
    {{"mpich", "host file of MPICH, MVAPICH and Intel MPI: HOST:RANKS, taken in order",
      "MPICH, MVAPICH: mpiexec -n %n -f %f PROGRAM\nIntel MPI: mpirun -n %n -machinefile %f PROGRAM\n", true},
     write_mpich,
     PLAIN_NAMES},
    {{"slurm", "a host for each task, for SLURM_HOSTFILE",
      "SLURM_HOSTFILE=%f srun -n %n --distribution=arbitrary PROGRAM\n", true},
     write_each,
     PLAIN_NAMES},
    {{"torchrun", "node ranks for static rendezvous: HOST NODE_RANK",
      "on every host: r=$(awk -v h=\"$(hostname)\" '{ a = $1; b = h; sub(/[.].*/, \"\", a); sub(/[.].*/, \"\", b) } "
      "$1 == h { e = $2 } a == b { s = $2; n++ } END { print e != \"\" ? e : n == 1 ? s : \"\" }' %s); "
      "torchrun --nnodes %m --node-rank \"${r:?this host is not in the list}\" --nproc-per-node %p --master-addr %0 "
      "PROGRAM\n",
      true},
     write_torchrun,
     PLAIN_NAMES},
    {{"names", "host names in rank order",
      "torchrun under Slurm: SLURM_HOSTFILE=%f srun -n %m --distribution=arbitrary sh -c 'torchrun --nnodes %m "
      "--node-rank $SLURM_PROCID --nproc-per-node %p --master-addr %0 PROGRAM'\n",
      true},
     writer_write_names,
     PLAIN_NAMES},
    {{"guids", "port GUIDs in rank order: OpenSM's guid_routing_order_file",
      "opensm --routing_engine updn --guid_routing_order_file %f\n", true},
     write_guids,
     NO_NAMES},
    {{"ca-order", "LID and description in rank order, like opensm-ftree-ca-order.dump", "", true},
     write_ca_order,
     DESCRIPTIONS},
    {{"nodelist", "host list of Slurm on one line; the nodes alone, not their order",
      "sbatch --nodelist=\"$(cat %f)\" SCRIPT\n", false},
     write_nodelist,
     PLAIN_NAMES},
    {{"nccl", "settings of NCCL: NCCL_IB_HCA with rails and planes, NCCL_CROSS_NIC",
      "NCCL_CONF_FILE=%f PROGRAM (NCCL 2.23 and later), or: set -a; . %s\n", false},
     write_nccl,
     NO_NAMES},
    {{"dlrover", "JSON of hosts and their leaf switches, for dlrover's rerank by topology",
      "dlrover looks nodes up by address: python3 -c 'import json, socket, sys; json.dump({socket.gethostbyname(k): v "
      "for k, v in json.load(open(sys.argv[1])).items()}, sys.stdout)' %f >groups.json; "
      "DLROVER_GROUP_TOPOLOGY_FILE=groups.json, --enable-topology-rerank\n",
      false},
     write_dlrover,
     PLAIN_NAMES},
};

const struct hd_order_format *hd_order_format_at(size_t i)
{
    return i < sizeof formats / sizeof *formats ? &formats[i].public : NULL;
}

bool hd_rank_file_names(size_t i)
{
    return formats[i].names == PLAIN_NAMES;
}

static hd_status writer_compress(struct hd_ctx *ctx, struct hd_arena *a, struct writer_job *j)
{
    const char **name = HD_NEW(a, const char *, j->nodes->n);
    struct hd_out *o;
    size_t length;
    uint32_t n = 0;
    for (uint32_t i = 0; name && i < j->nodes->n; i++) {
        const char *full = hd_host_name(j->nodes->net, j->nodes->host[j->rank[i]]);
        if (!j->per_node[i]) continue;
        name[n] = hd_strdup(a, full, j->shorten ? hd_name_short(full) : strlen(full));
        if (!name[n++]) return hd_fail_memory(ctx);
    }
    if (!name) return hd_fail_memory(ctx);
    HD_TRY(hd_out_memory(ctx, &o));
    hd_status s = hd_hostlist_compress(ctx, name, n, o);
    const char *text = hd_out_text(o, &length);
    if (s == HD_OK && !(j->hostlist = hd_strdup(a, text, length))) s = hd_fail_memory(ctx);
    hd_out_drop(o);
    return s;
}

static hd_status writer_run(struct hd_ctx *ctx, const struct format *row, struct writer_job *j, struct hd_out *o)
{
    const struct hd_nodes *nodes = j->nodes;
    struct hd_arena scratch = {0};
    for (uint32_t i = 0; row->names == PLAIN_NAMES && i < nodes->n; i++)
        if (j->per_node[i])
            HD_TRY(writer_check_name(ctx, row->names, hd_host_name(nodes->net, nodes->host[j->rank[i]])));
    for (size_t i = 0; row->names == DESCRIPTIONS && i < (size_t)nodes->n * nodes->nrail; i++)
        HD_TRY(writer_check_name(ctx, row->names, hd_node_name(nodes->net, nodes->net->nsw + nodes->ep[i])));
    if (row->names == PLAIN_NAMES) HD_TRY(writer_shortens(ctx, nodes, &j->shorten));
    hd_status s = HD_OK;
    if (row->write == write_nccl) s = hd_nccl_make(ctx, &scratch, nodes, j->per_node, j->rank, &j->nccl);
    if (row->write == write_nodelist) s = writer_compress(ctx, &scratch, j);
    if (s == HD_OK) row->write(j, o);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_order_write(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank,
                         const uint32_t *per_node, const char *format, struct hd_out *o)
{
    const struct hd_named_rows rows = {formats, sizeof formats / sizeof *formats, sizeof *formats};
    const struct format *row = hd_named_row(ctx, "format", format, &rows);
    const struct hd_binding none = {HD_BIND_NONE, 1, 1};
    struct writer_job j = {.nodes = nodes, .rank = rank, .per_node = per_node, .bind = &none};
    HD_TRY(hd_order_given(ctx, nodes, rank));
    HD_TRY(hd_per_node_check(ctx, nodes, per_node));
    return row ? writer_run(ctx, row, &j, o) : HD_USAGE;
}

hd_status hd_order_write_bound(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank,
                               const uint32_t *per_node, const struct hd_binding *bind, struct hd_out *o)
{
    uint32_t most = 0;
    if (!bind) return hd_fail(ctx, HD_USAGE, "expected a binding, not NULL");
    if ((unsigned)bind->to > HD_BIND_NUMA) return hd_fail(ctx, HD_USAGE, "binding %u is unknown", (unsigned)bind->to);
    HD_TRY(hd_order_given(ctx, nodes, rank));
    HD_TRY(hd_per_node_check(ctx, nodes, per_node));
    for (uint32_t i = 0; i < nodes->n; i++)
        if (per_node[i] > most) most = per_node[i];
    if (bind->to >= HD_BIND_SOCKET && !bind->domains) return hd_fail(ctx, HD_USAGE, "expected at least one socket");
    if (bind->to == HD_BIND_NUMA && (uint64_t)bind->domains * bind->cores < most)
        return hd_fail(ctx, HD_INPUT, "%u rank%s per node %s too many to bind: a node has %u x %u cores", most,
                       most == 1 ? "" : "s", most == 1 ? "is" : "are", bind->domains, bind->cores);
    struct writer_job j = {.nodes = nodes, .rank = rank, .per_node = per_node, .bind = bind};
    return writer_run(ctx, &formats[0], &j, o); /* openmpi */
}

/* Fills the nodes in rank order. */
hd_status hd_order_fill(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank, uint64_t ranks,
                        uint32_t *per_node)
{
    uint64_t slots = 0;
    HD_TRY(hd_order_given(ctx, nodes, rank));
    for (uint32_t i = 0; i < nodes->n; i++) slots += nodes->slots[i];
    if (ranks > slots)
        return hd_fail(ctx, HD_INPUT, "%llu ranks are too many: the %u node%s %llu slot%s", (unsigned long long)ranks,
                       nodes->n, nodes->n == 1 ? " has" : "s have", (unsigned long long)slots, slots == 1 ? "" : "s");
    uint64_t left = ranks ? ranks : slots;
    if (left > HD_MOST_RANKS)
        return hd_fail(ctx, HD_INPUT, "%llu ranks are too many: expected at most %u", (unsigned long long)left,
                       (unsigned)HD_MOST_RANKS);
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t has = nodes->slots[rank[i]];
        per_node[i] = left < has ? (uint32_t)left : has;
        left -= per_node[i];
    }
    return HD_OK;
}
