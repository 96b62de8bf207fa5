/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/order.h - from a fabric and a list of nodes to ranks that do not collide.
 *
 * A node is a host that runs ranks; its endpoints are its rails. Ranks are numbered node by node, so an
 * order is an order of nodes, and rank i of a node uses rail i (modulo the rails). Everything counted is
 * the pattern of the nodes, on all rails at once: what a collective does that treats a node as one; only
 * hd_order_count_ranks counts the messages of single ranks.
 * The hot-spot degree (HSD) of a stage is the largest number of its flows on one channel; bandwidth is
 * stages / sum of the stages' largest loads, relative to an endpoint's rate: what synchronised stages give.
 *
 * An order has every node once, and nodes are of the network that the routes are of: HD_USAGE otherwise.
 *
 * Threads. As in heddle/flow.h: one context per concurrent call; routes, node lists and orders may be shared. */
#ifndef HEDDLE_ORDER_H
#define HEDDLE_ORDER_H

#include "heddle/route.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hd_nodes {
    const struct hd_net *net;
    uint32_t n, nrail;
    const uint32_t *host;  /* [n] as listed */
    const uint32_t *slots; /* [n] ranks the node may run, at least 1 */
    const uint32_t *ep;    /* [n * nrail] endpoints, rail by rail */
    bool ordered;          /* the list was given, so its order means something */
    void *arena;           /* private */
};

/* A list of nodes: one or more names a line, Slurm host lists (gpu[001-064,070]), Open MPI hostfiles
 * (NAME slots=N), NAME:N, names or port GUIDs (0x...) of endpoints, and what hd_order_write writes, but for nccl and
 * dlrover; # comments. A name on several lines in a row has as many ranks. path is a file, "-", or where no file is
 * called so a host list or a node itself; NULL: every host that counts, in natural order of names. A domain may be
 * missing on either side. slots: ranks of a node where the list does not say, at most 65,535.
 * Rails are those that all nodes have; a note names one that some lack. HD_INPUT names the node that is unknown or
 * stands twice, or says that there are no nodes, or no rail that all of them have. */
HD_API hd_status hd_nodes_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, uint32_t slots,
                               struct hd_nodes **nodes);
/* Some of the nodes, in the order given: n different ones. */
HD_API hd_status hd_nodes_pick(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *which, uint32_t n,
                               struct hd_nodes **picked);
HD_API void hd_nodes_free(struct hd_nodes *nodes);

/* ---- counting ------------------------------------------------------------------------------ */

enum hd_case { HD_CASE_RING, HD_CASE_SHIFT, HD_CASE_RECDBL, HD_CASE_RECDBL_TREE, HD_CASE_BINOMIAL, HD_CASES };
/* Their names in tables and JSON: "ring", "alltoall", ...; NULL past the last. */
HD_API const char *hd_case_name(enum hd_case use);

struct hd_hsd {
    double average, max; /* NAN: the pattern does not apply (recdbl-tree off trees) */
    double bandwidth;
    uint64_t stages;
};

/* Counts a pattern for the nodes in this order (order[rank] = index in nodes; NULL: as listed). */
HD_API hd_status hd_order_count(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                const uint32_t *order, enum hd_case use, struct hd_hsd *hsd);

/* All patterns at once, and the bound of hd_order_bound (bound may be NULL). */
HD_API hd_status hd_order_count_all(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                    const uint32_t *order, struct hd_hsd hsd[HD_CASES], double *bound);

/* The same of ranks, per_node[i] of them on the i-th node of the order: each message between nodes is a flow, by the
 * endpoints of the sender's rail, and cables of endpoints count, since ranks share them. recdbl-tree is about nodes:
 * NAN. O(ranks^2) flows, of at most 10^8 ranks. */
HD_API hd_status hd_order_count_ranks(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                      const uint32_t *order, const uint32_t *per_node, struct hd_hsd hsd[HD_CASES],
                                      double *bound);

/* Effective bisection bandwidth of the job: the mean share of its link that a flow gets in random bisections of the
 * endpoints of these nodes alone, whatever the order; NAN with fewer than two. samples: as many as were drawn, up to
 * 1000, fewer for large jobs. */
HD_API hd_status hd_order_ebb(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes, double *ebb,
                              uint64_t *samples);

/* ---- orders -------------------------------------------------------------------------------- */

enum hd_goal { HD_FOR_TREE, HD_FOR_RING, HD_FOR_ALLTOALL, HD_FOR_RECDBL, HD_FOR_RANDOM, HD_FOR_GIVEN, HD_FOR_SORTED };
/* "tree", "ring", ...; NULL past the last. */
HD_API const char *hd_goal_name(enum hd_goal goal);

struct hd_order {
    uint32_t n;
    uint32_t *rank;  /* [n] rank[i]: index in nodes of the i-th node */
    char how[96];    /* where the order came from */
    char claim[512]; /* why Shift has HSD 1 in every stage, or what prevents the closed form; may be "" */
    bool exact;      /* a closed form holds */
    void *arena;     /* private */
};

/* The best order found for a goal under these tables. Every step is counted in moves, none in seconds:
 * the same input gives the same order anywhere. */
HD_API hd_status hd_order_make(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                               enum hd_goal goal, struct hd_order **order);
HD_API void hd_order_free(struct hd_order *order);

/* Smallest possible average HSD of an all-to-all of these nodes under these tables, whatever the order or
 * schedule: the largest load of a channel over the number of stages. */
HD_API hd_status hd_order_bound(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                double *bound);

/* ---- meshes of training jobs ----------------------------------------------------------------- */

enum hd_mesh_kind { HD_MESH_TP, HD_MESH_CP, HD_MESH_PP, HD_MESH_EP, HD_MESH_DP, HD_MESH_KINDS };
/* "tp", "cp", ...; NULL past the last. */
HD_API const char *hd_mesh_kind_name(enum hd_mesh_kind kind);

struct hd_mesh_row {
    const char *name;           /* where the order comes from */
    double step;                /* seconds: the sum of the kinds, one after the other */
    double kind[HD_MESH_KINDS]; /* seconds of the busiest channel, all groups of the kind at once; 0: no traffic */
};

struct hd_mesh_plan {
    char mesh[HD_MAX_SPEC]; /* as understood, without a name */
    uint32_t n, per_node;   /* nodes, and ranks of each */
    double gbps;            /* rate of an adapter; 0: not known, 100 is assumed */
    uint64_t flows;         /* between nodes */
    uint32_t nrow;
    struct hd_mesh_row *row;  /* the order found, then those it is compared with */
    struct hd_mesh_row bound; /* what no order can beat, kind by kind */
    uint32_t *rank;           /* [n] the order found: indices in nodes */
    void *arena;              /* private */
};

/* Orders nodes for one step of a training job. mesh: "tp=8,cp=2,pp=4,ep=8,dp=16", with order= and fold=; bytes: what a
 * rank sends for each kind of group, "dp=2GiB,pp=64MiB", 1GiB where absent; per_node: ranks of a node, 0: one per rail.
 * before: the order in use (indices in nodes; NULL: as listed). Never worse than any row that it is compared with. */
HD_API hd_status hd_mesh_order(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                               const char *mesh, const char *bytes, uint32_t per_node, const uint32_t *before,
                               struct hd_mesh_plan **plan);
HD_API void hd_mesh_plan_free(struct hd_mesh_plan *plan);
/* Seconds of such a step in a given order (NULL: as listed). */
HD_API hd_status hd_mesh_time(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                              const char *mesh, const char *bytes, uint32_t per_node, const uint32_t *order,
                              double *seconds);
/* Sets the ranks that each node may run, 1 to 65,535. */
HD_API hd_status hd_nodes_fill(struct hd_ctx *ctx, struct hd_nodes *nodes, uint32_t slots);

/* ---- whether an order is worth using ---------------------------------------------------------- */

enum hd_confidence { HD_CONFIDENCE_LOW, HD_CONFIDENCE_MEDIUM, HD_CONFIDENCE_HIGH };
HD_API const char *hd_confidence_name(enum hd_confidence confidence); /* "low", ... */

struct hd_order_verdict {
    double gain[HD_CASES]; /* bandwidth after / before; NAN: not known */
    enum hd_confidence confidence[HD_CASES];
    const char *why[HD_CASES]; /* what the gain depends on */
    bool use; /* the second order is better for the goal; for tree, in ring, alltoall and recdbl taken together */
};
/* Of two orders counted under the same tables, the second made for the goal. An order that was asked for by name
 * (random, given, alphabetical) is used whatever it gains. r may be NULL: then it is not adaptive. */
HD_API void hd_order_judge(const struct hd_routes *r, enum hd_goal goal, const struct hd_hsd before[HD_CASES],
                           const struct hd_hsd after[HD_CASES], struct hd_order_verdict *verdict);
/* 1: a gain worth a change, 0: none, -1: worse. */
HD_API int hd_gain_sign(double gain);

/* ---- allocation ---------------------------------------------------------------------------- */

struct hd_advice {
    uint64_t slots;   /* virtual slots the set needs; equal to its size where a plain Shift has HSD 1 */
    double effective; /* (slots - 1) / (size - 1): what a Shift over these slots costs */
    char why[256];
};

/* Of the free nodes, a set of that size that fits a closed form with the least loss: which has room for size
 * indices into free, in tree order. Off trees: the nodes of the fewest, fullest leaves. */
HD_API hd_status hd_order_choose(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *free_nodes,
                                 uint32_t size, uint32_t *which, struct hd_advice *advice);

struct hd_shared {
    uint32_t channels; /* between switches, used by pairs of both jobs */
    uint32_t worst;    /* the one with most pairs, valid when there is one */
};
/* Whether two jobs meet under these tables, whatever each of them does. A node of both is HD_INPUT. */
HD_API hd_status hd_order_shared(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *a,
                                 const struct hd_nodes *b, struct hd_shared *shared);

/* ---- several jobs ---------------------------------------------------------------------------- */

struct hd_running_job {
    const char *name;
    const char *pattern; /* spec; NULL: not given */
    struct hd_nodes *nodes;
};

struct hd_jobs {
    uint32_t n, room;
    struct hd_running_job *job; /* [n] in the order of the file, names distinct */
    uint32_t waiting;           /* jobs with a reason, "(Priority)", in place of nodes */
    void *arena;                /* private */
};

/* Running jobs, one per line: a name, its nodes and perhaps its pattern, separated by blanks, as
 * squeue -h -t R -o '%i %N' prints the first two; # comments. Nodes are a host list or a file as in hd_nodes_read. A
 * job with a reason in parentheses in place of nodes waits and is left out; JOBID and NODELIST are a heading. Jobs may
 * share nodes; there may be none. path: a file, or "-". HD_INPUT names file and line. */
HD_API hd_status hd_jobs_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, struct hd_jobs **jobs);
HD_API void hd_jobs_free(struct hd_jobs *jobs);

/* What jobs do to each other if each sends from every node to all its others, at full rate. Loads are in units of an
 * endpoint's rate; cables of endpoints are left out. */
struct hd_job_busy {
    double alone;    /* of the job's busiest channel, at least 1 */
    double together; /* of the busiest channel that it uses, with all jobs; together / alone is its slowdown */
    uint32_t worst;  /* that channel; UINT32_MAX: no other job has a channel that it uses */
    uint32_t shares; /* jobs with which it shares channels */
};
struct hd_job_pair {
    uint32_t a, b;     /* a < b */
    uint32_t channels; /* that both use */
    uint32_t worst;    /* the one that both load most */
};
struct hd_interference {
    uint32_t n;
    struct hd_job_busy *job; /* [n] */
    uint64_t npair;
    struct hd_job_pair *pair; /* those that share channels, most channels first */
    void *arena;              /* private */
};
/* Of the jobs, at most HD_MAX_MEETING, and of one more where mine is not NULL: it is the last. HD_NA if pairs use
 * several paths at once. */
enum { HD_MAX_MEETING = 2048 };
HD_API hd_status hd_jobs_meet(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_jobs *jobs,
                              const struct hd_nodes *mine, struct hd_interference **met);
HD_API void hd_interference_free(struct hd_interference *met);

/* Nodes without a job, in the same order. HD_INPUT if there are none. */
HD_API hd_status hd_jobs_unused(struct hd_ctx *ctx, const struct hd_jobs *jobs, const struct hd_nodes *nodes,
                                struct hd_nodes **unused);
/* hd_order_choose among free nodes, so that neither this job nor, by it, another one is slowed down more than the
 * candidates demand: sets out of all free nodes, of subtrees, and of the leaves with least traffic. */
HD_API hd_status hd_jobs_place(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_jobs *jobs,
                               const struct hd_nodes *free_nodes, uint32_t size, uint32_t *which,
                               struct hd_advice *advice);

/* ---- schedules ----------------------------------------------------------------------------- */

/* Who sends to whom in each stage, by rank. In a stage a rank sends at most once and receives at most once. */
struct hd_schedule {
    uint32_t n;
    uint64_t stages, bound; /* bound: fewest stages of HSD 1 that this all-to-all can have; 0: not known */
    char how[64];
    void *plan; /* private */
};

/* All-to-all in stages of HSD 1, by first fit; O(n^2) flows. HD_INPUT where pairs use several paths at once. */
HD_API hd_status hd_schedule_alltoall(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                      const uint32_t *order, struct hd_schedule **schedule);
/* All-to-all as a Shift over virtual slots: a formula, no search; of HSD 1 on real-life fat trees under dmodk. */
HD_API hd_status hd_schedule_slots(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                   const uint32_t *order, struct hd_schedule **schedule);
/* Recursive doubling that follows the levels of a tree. */
HD_API hd_status hd_schedule_recdbl(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                    const uint32_t *order, struct hd_schedule **schedule);
HD_API void hd_schedule_free(struct hd_schedule *schedule);
/* Whom a rank sends to, UINT32_MAX: nobody, or there is no such stage or rank. */
HD_API uint32_t hd_schedule_to(const struct hd_schedule *schedule, uint64_t stage, uint32_t rank);
/* Counts its stages under the tables, from the paths alone. */
HD_API hd_status hd_schedule_count(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                   const uint32_t *order, const struct hd_schedule *schedule, struct hd_hsd *hsd);
/* Text: a comment, then "stage source destination" lines. Binary: HDSCHED1, ranks and bytes an entry (4 bytes
 * each), stages (8), then for each stage the destination of every rank, all ones for none; little-endian. */
HD_API void hd_schedule_write(const struct hd_schedule *schedule, bool binary, struct hd_out *o);

/* ---- files --------------------------------------------------------------------------------- */

struct hd_order_format {
    const char *name, *summary;
    const char *command; /* how to use the file: %f it, %s it with a slash in its path, %n ranks, %m nodes, %p ranks of
                            a node (no command where they differ), %0 the first host */
    bool lists;          /* a list of nodes in rank order that hd_nodes_read takes; else settings */
};
/* NULL past the last. */
HD_API const struct hd_order_format *hd_order_format_at(size_t i);
/* How many ranks run on the i-th node of the order: nodes are filled one after the other. ranks 0: all slots.
 * HD_INPUT when there are more ranks than slots, or than 10^8. */
HD_API hd_status hd_order_fill(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank, uint64_t ranks,
                               uint32_t *per_node);
/* HD_INPUT when a host has a name that the format cannot hold: launchers take letters, digits, '.', '_' and '-'.
 * HD_USAGE for more than 10^8 ranks. */
HD_API hd_status hd_order_write(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank,
                                const uint32_t *per_node, const char *format, struct hd_out *o);

/* Where a rankfile of Open MPI binds the ranks of a node. */
enum hd_bind {
    HD_BIND_NONE,   /* nowhere: the first line says with which command line */
    HD_BIND_CORE,   /* core i for rank i */
    HD_BIND_SOCKET, /* whole sockets, ranks spread evenly over them in order */
    HD_BIND_NUMA    /* domains likewise, and the cores of a domain shared out among its ranks */
};
struct hd_binding {
    enum hd_bind to;
    uint32_t domains; /* sockets or NUMA domains of a node */
    uint32_t cores;   /* of a NUMA domain */
};
/* hd_order_write of the format openmpi, which alone binds. HD_INPUT where a node has more ranks than cores. */
HD_API hd_status hd_order_write_bound(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank,
                                      const uint32_t *per_node, const struct hd_binding *bind, struct hd_out *o);

/* ---- the real machine ------------------------------------------------------------------------ */

struct hd_measure_pair {
    uint32_t round, from, to; /* ranks */
    double mbps;              /* MB/s (10^6 bytes) one way */
    double predicted;         /* share of an endpoint's rate, NAN: not known (no tables, or one machine) */
};

struct hd_measurement {
    uint32_t rounds, ranks;
    uint32_t *ep;                                  /* [ranks] endpoint of a rank, where there are tables */
    double average, min, max;                      /* MB/s over all pairs */
    double *round_average, *round_min, *round_max; /* [rounds] */
    uint64_t npair;
    struct hd_measure_pair *pair;
    double correlation;              /* of ranks, measured with predicted (Spearman); NAN: not known */
    double usual;                    /* median of measured / predicted */
    uint64_t nslow_pair, *slow_pair; /* pairs that got less than 0.5 of usual * predicted: places in pair */
    uint32_t nslow;                  /* cables all of whose pairs got less than 0.7 of it, at least two */
    uint32_t *slow;                  /* channels */
    void *arena;                     /* private */
};

struct hd_measure_in {
    const char *pattern; /* one of hd_measure_pattern_name; NULL: the first. bridge and worst need routes and an
                          * endpoint for each rank */
    uint32_t rounds, messages;
    uint64_t bytes;
    const struct hd_routes *routes; /* NULL: nothing is predicted */
    const char *nodes;              /* list of nodes in rank order; NULL: as the machines call themselves */
};

/* Patterns that can be measured, the usual one first: "bisect", ...; NULL past the last. */
HD_API const char *hd_measure_pattern_name(size_t i);

/* Runs on all processes of heddle-mpi; HD_LIMIT on a lone one. In each round the pairs of the pattern (rounds draw
 * what samples of hd_eval draw) send to each other, bisect both ways. */
HD_API hd_status hd_measure_sized(struct hd_ctx *ctx, const struct hd_measure_in *in, size_t in_size,
                                  struct hd_measurement **m);
static inline hd_status hd_measure(struct hd_ctx *ctx, const struct hd_measure_in *in, struct hd_measurement **m)
{
    return hd_measure_sized(ctx, in, sizeof *in, m);
}
HD_API void hd_measurement_free(struct hd_measurement *m);

#ifdef __cplusplus
}
#endif
#endif
