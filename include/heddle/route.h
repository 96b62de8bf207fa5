/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/route.h - routes: which path each pair of endpoints takes.
 *
 * A destination is an endpoint. It has nvar path variants, each a tree of forwarding entries that
 * leads to it from every switch (InfiniBand: the 2^LMC LIDs of a port). A selection rule says which
 * variant a pair uses. An entry is one byte: the slot of the outgoing channel among those of the
 * switch (channel = net->off[v] + slot), or one of the two values below.
 * Routes are made by an engine or read from a table file, and then only read. They refer to the
 * network they were made for, which must outlive them.
 *
 * Threads. Routes do not change once they are handed out: any number of threads may read them, each with a context of
 * its own. */
#ifndef HEDDLE_ROUTE_H
#define HEDDLE_ROUTE_H

#include "heddle/net.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HD_SLOT_NONE = 255, HD_MAX_LANES = 16, HD_MAX_HOPS = 256 };

/* Which variant a pair (s, d) uses. */
enum hd_select {
    HD_SELECT_ONE,    /* there is only one */
    HD_SELECT_SOURCE, /* class[s] */
    HD_SELECT_PAIR,   /* a table of pairs */
    HD_SELECT_ALL,    /* all of them, in equal shares */
    HD_SELECT_PACKET, /* the sender chooses again for every packet */
};

/* Which virtual lane a pair travels in. */
enum hd_lane_rule {
    HD_LANE_ONE,
    HD_LANE_DEST, /* by (destination, variant) */
    HD_LANE_LEAF, /* by (leaf switch of the source, destination, variant) */
    HD_LANE_PAIR, /* by (source, destination, variant) */
    HD_LANE_HOP,  /* it changes along the path: by service level and by the ports of every switch */
    HD_LANE_UNKNOWN,
};

struct hd_routes;

HD_API void hd_routes_free(struct hd_routes *r);
HD_API const struct hd_net *hd_routes_net(const struct hd_routes *r);
HD_API const char *hd_routes_spec(const struct hd_routes *r);
HD_API uint32_t hd_routes_variants(const struct hd_routes *r);
HD_API enum hd_select hd_routes_select(const struct hd_routes *r);
/* Paths that a pair uses at the same time: all variants in equal shares, or 1. */
HD_API uint32_t hd_routes_paths_per_pair(const struct hd_routes *r);
HD_API uint32_t hd_routes_lanes(const struct hd_routes *r); /* 0: unknown */
HD_API enum hd_lane_rule hd_routes_lane_rule(const struct hd_routes *r);
/* Whether switches may choose among several ports (adaptive routing); what else is asked of such routes is answered for
 * their static ports. */
HD_API bool hd_routes_adaptive(const struct hd_routes *r);
/* How switches choose among the ports of their groups: "packet" (any, for every packet), "bounded" (a flow changes its
 * port only when it is idle), "hash" (by flow) or "mixed"; NULL without groups. O(table). */
HD_API const char *hd_routes_choosing(const struct hd_routes *r);
/* CPU seconds of another program that computed the routes (OpenSM); 0 if none did. */
HD_API double hd_routes_other_cpu(const struct hd_routes *r);

/* Routes for a network from an engine spec or a table file. HD_INPUT with the reason when the engine
 * does not apply. Pairs whose packets VL 15 drops are noted: loads and simulations follow entries alone. The network
 * must outlive them. */
HD_API hd_status hd_routes_open(struct hd_ctx *ctx, const struct hd_net *net, const char *text, struct hd_routes **r);

/* Entries of all switches for (endpoint d, variant x): nsw bytes, stored ones or filled into buf. */
HD_API const uint8_t *hd_routes_row(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *buf);
/* Entries of all switches towards switch t, filled into buf (HD_SLOT_NONE at t itself). */
HD_API hd_status hd_routes_switch_row(struct hd_ctx *ctx, const struct hd_routes *r, uint32_t t, uint8_t *buf);
/* Variant the pair uses; 0 where it uses all or chooses per packet. */
HD_API uint32_t hd_routes_variant(const struct hd_routes *r, uint32_t s, uint32_t d);
/* Channels from endpoint s to endpoint d by variant x, both endpoint cables included; returns how
 * many, 0 when the pair is not served (no entry, or a loop). chan has HD_MAX_HOPS places. */
HD_API uint32_t hd_routes_path(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x,
                               uint32_t chan[HD_MAX_HOPS]);
/* VL of the pair on variant x, from 0; its service level if VLs change along the path. */
HD_API uint32_t hd_routes_lane(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x);

/* ---- table files --------------------------------------------------------------------------- */

struct hd_routes_format {
    const char *name, *summary;
    hd_status (*write)(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
};
/* The formats routes, and what goes with them, are written in; NULL past the last. */
HD_API const struct hd_routes_format *hd_routes_format_at(size_t i);
/* "lft" is OpenSM's dump of forwarding tables with port GUIDs, "lft-minimal" the same without comments;
 * both carry variants, selection and VLs in comment lines, so that reading them back loses nothing.
 * Variants take LIDs: HD_INPUT when InfiniBand has not as many, or when a format cannot express what
 * the routes are. */
HD_API hd_status hd_routes_write(struct hd_ctx *ctx, const struct hd_routes *r, const char *format, struct hd_out *o);

/* What the further LIDs of a port mean in a file that does not say. */
enum hd_use {
    HD_USE_FIRST,  /* nothing: only base LIDs are used */
    HD_USE_SOURCE, /* variants, chosen by the number of the source modulo how many there are */
    HD_USE_ALL,    /* variants, all in equal shares */
};

/* Tables from a file: OpenSM's dump, the minimal form, its fdbs dump, or the output of dump_fts and
 * ibroute; plain, gzip or zstd; "-" is standard input. LIDs are known by their port GUIDs, else by the
 * network's LIDs. Entries that cannot be used count as holes and are noted. */
HD_API hd_status hd_routes_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, enum hd_use use,
                                struct hd_routes **r);

/* ---- after a change of the fabric ------------------------------------------------------------- */

/* The same routes on another network, as the switches still have them after cables, switches or endpoints came or
 * went: nodes are matched by GUID, ports by number. An entry whose port has no cable any more is a hole, and so are all
 * entries for what is new. VLs go along, but those that change along the path are unknown on another network, and so
 * do entries of a file for further LIDs that no pair uses and for a switch's own LID. Groups of ports for adaptive
 * routing do not. O(table + VLs). */
HD_API hd_status hd_routes_carry(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_net *net,
                                 struct hd_routes **out);

/* The same with all that switches keep: also the groups of ports of all LIDs, and no entries for switches where a file
 * has none. A switch leaves out those of its own ports that have no cable any more, and a group without ports means the
 * static port. notified: switches know of remote failures as well (PFRN), so that a group loses every port behind which
 * nothing leads to the destination; otherwise packets may come to a switch that has no port for them. Notifications are
 * taken to have arrived everywhere. O(table + LIDs * channels). */
HD_API hd_status hd_routes_carry_groups(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_net *net,
                                        bool notified, struct hd_routes **out);

struct hd_keep {                       /* what hd_routes_keep has changed, and what it had to */
    uint64_t entries_forced;           /* without a port, or on a path that met a hole: these had to change */
    uint64_t entries_repaired;         /* changed so that all pairs are served without credit loops: the others that */
    uint64_t entries, entries_changed; /* change, do so for bandwidth; of all switches, for every LID */
    uint64_t blocks, blocks_changed;   /* of 64 LIDs */
    uint32_t switches_changed;         /* with any changed entry */
    uint64_t pairs, pairs_changed;     /* ordered pairs of selected endpoints, and those whose path changes */
    uint64_t vls_changed;              /* pairs whose VL changes */
    bool vls_known;                    /* those of the old table are; if not, open connections may use other ones */
    bool fresh;                        /* it is the fresh table: nothing else was proved and gave as much bandwidth */
    double share, share_fresh; /* of the bandwidth that random pairs get, estimated, here and in the fresh one */
};

/* A table that changes little. fresh is what an engine makes of the network as it is now; old is the table in use,
 * of this network or of the one before the change (hd_routes_carry). The result is the old table where it still
 * serves, and changes what must change; it changes more where random pairs would get one per cent less than by the
 * fresh one. It is proved before it is handed out: all pairs served, no credit loops. Pairs keep their VLs where new
 * paths allow it. HD_FAULT if neither this nor the fresh table can be proved. The network of fresh must outlive the
 * result. */
HD_API hd_status hd_routes_keep_sized(struct hd_ctx *ctx, const struct hd_routes *fresh, const struct hd_routes *old,
                                      struct hd_routes **out, struct hd_keep *keep, size_t keep_size);
static inline hd_status hd_routes_keep(struct hd_ctx *ctx, const struct hd_routes *fresh, const struct hd_routes *old,
                                       struct hd_routes **out, struct hd_keep *keep)
{
    return hd_routes_keep_sized(ctx, fresh, old, out, keep, sizeof *keep);
}

/* ---- difference ---------------------------------------------------------------------------- */

struct hd_diff {                       /* what going from one table to another of the same network disturbs */
    uint64_t entries, entries_changed; /* of all switches, for every LID; those gone or new included */
    uint64_t blocks, blocks_changed;   /* of 64 LIDs, the unit in which a subnet manager writes them */
    uint32_t switches_changed;         /* with any changed entry */
    uint64_t pairs, pairs_changed;     /* ordered pairs of selected endpoints, and those whose path changes */
    uint64_t lanes_changed; /* pairs whose level changes, or whose VL somewhere on the path; 0 if not compared */
    /* The same of ordered pairs of which an endpoint is not selected. */
    uint64_t other_pairs, other_pairs_changed, other_lanes_changed;
    bool sl2vl_changed; /* both have SL2VL tables of ports, and some of them differ, whether pairs use them or not */
    /* Whether a table lists LIDs of switches, all of which a file may leave out. Their entries count if both do. */
    bool from_switch_lids, to_switch_lids;
    bool from_lanes_known, to_lanes_known; /* VLs of pairs are compared if those of both are known */
    uint32_t lids_changed;                 /* nodes with different base LIDs in two files; entries are still matched */
};

/* Whether anything differs. Groups of ports are not compared, nor are LIDs of switches that only one table lists, and
 * VLs that are not known. */
static inline bool hd_diff_any(const struct hd_diff *d)
{
    return d->entries_changed || d->pairs_changed || d->lanes_changed || d->other_pairs_changed ||
           d->other_lanes_changed || d->sl2vl_changed || d->lids_changed;
}

/* Both must be of the same network. Entries are matched by node, as if LIDs were the same. O(table + pairs). */
HD_API hd_status hd_routes_diff_sized(struct hd_ctx *ctx, const struct hd_routes *a, const struct hd_routes *b,
                                      struct hd_diff *diff, size_t diff_size);
static inline hd_status hd_routes_diff(struct hd_ctx *ctx, const struct hd_routes *a, const struct hd_routes *b,
                                       struct hd_diff *diff)
{
    return hd_routes_diff_sized(ctx, a, b, diff, sizeof *diff);
}

/* ---- check --------------------------------------------------------------------------------- */

struct hd_dependency { /* channel c in a VL, then channel next, and a pair whose path has both */
    uint32_t c, next, source, dest, lane;
};

struct hd_unserved {                /* pairs without a path: all sources of one switch */
    uint32_t source, dest, variant; /* the first of them */
    uint32_t sources;               /* their number */
};

/* LIDs by which no pair is routed: every leaf switch must reach them, without loops. */
struct hd_lid_check {
    uint64_t lids;               /* of this kind in the table */
    uint64_t paths;              /* from leaf switches to them, within a component */
    uint64_t unreachable, loops; /* of the paths */
    uint32_t source, dest, lid;  /* leaf switch, node and LID of the first that does not arrive, if there is one */
    int deadlock_free; /* together with the routes of pairs: 1 proved, 0 disproved, -1 not known (several VLs) */
};

/* Endpoints that are not selected. Unless somebody chose (hd_net_choose), the proof is about them too: packets of
 * storage, management, routers and gateways must arrive, and wait for each other just so. Aggregation nodes (SHARP)
 * exchange packets with hosts of their own switch and with those of adjacent ones. On a tree that has lost cables a
 * top switch may be reached through another leaf alone: pairs with aggregation nodes farther away may have no path, or
 * paths that close credit loops. Both are counted, and neither is a fault. */
struct hd_other_check {
    uint32_t endpoints;            /* not selected */
    uint32_t unchecked;            /* of them: all if somebody chose, else none */
    uint32_t aggregation_nodes;    /* of them */
    uint64_t pairs;                /* as in hd_check, with at least one of those that are checked */
    uint64_t unreachable, loops;   /* of them, as in hd_check */
    uint64_t aggregation_unserved; /* of them: with an aggregation node two cables away or more; not among the above */
    uint64_t choices;              /* of them: some choice of ports does not serve them; not among aggregation nodes */
    uint32_t source, dest;         /* the first unreachable or looping pair, if there is one */
    int aggregation_deadlock_free; /* with the paths from and to aggregation nodes as well: as in hd_check; static
                                    * ports alone */
};

/* Adaptive routing: what holds for every choice that the groups of ports allow. */
struct hd_choice_check {
    uint64_t groups;                /* different sets of ports, over all switches */
    uint64_t entries;               /* with more than one port */
    uint64_t pairs;                 /* as in hd_check */
    uint64_t unreachable;           /* of them: some choice ends where no entry is, at another endpoint or in VL 15 */
    uint64_t loops;                 /* of them: some choices lead around a cycle */
    uint64_t nonminimal;            /* of them: some choice is longer than a shortest path */
    uint32_t max_hops;              /* channels of the longest path, endpoint cables included */
    int deadlock_free;              /* with all choices, and with the static ports beside them: as in hd_check */
    uint32_t source, dest, channel; /* the first pair that may not arrive, and the channel after which it cannot;
                                     * channel UINT32_MAX: all arrive */
};

/* What a check spends time on. */
enum hd_check_phase {
    HD_CHECK_SETUP,   /* distances */
    HD_CHECK_REACH,   /* walking rows, counting pairs */
    HD_CHECK_DEPS,    /* which channels wait for which */
    HD_CHECK_ACYCLIC, /* whether there is a cycle */
    HD_CHECK_PHASES
};

struct hd_check {
    /* Reachability. Pairs are ordered pairs of distinct selected endpoints in one component, times the variants that
     * a pair uses. */
    uint64_t pairs;
    uint64_t unreachable; /* of them: no entry somewhere on the path, or VL 15 drops their packets there */
    uint64_t loops;       /* of them: the entries lead around a cycle */
    uint64_t nonminimal;  /* of them: served, but not by a shortest path */
    uint32_t example[2];  /* source and destination of the first unreachable or looping pair, if there is one */
    uint32_t nunserved;   /* of those below: the first 64, by destination, variant and switch of the source */
    struct hd_unserved unserved[64];

    /* Credit loops. */
    int deadlock_free;              /* 1 proved, 0 disproved, -1 not known (VLs unknown) */
    uint32_t lanes;                 /* VLs in use; 0: unknown */
    uint32_t cycle_lane, ncycle;    /* a short cycle of dependencies if there is one: VL of the first, length */
    struct hd_dependency cycle[64]; /* the first 64 of them */

    /* Path lengths in channels, endpoint cables included. */
    uint64_t hops[HD_MAX_HOPS + 1]; /* histogram of the served pairs */
    uint32_t max_hops;
    double avg_hops;
    uint32_t unused; /* switch-to-switch channels that no pair uses */

    /* Cost: seconds by the clock, summed over threads. The only part that differs between two runs. */
    double seconds[HD_CHECK_PHASES];

    /* The rest of the table: further LIDs of endpoints (LMC) that are not variants, and LIDs of switches. */
    struct hd_lid_check further, switches;
    bool no_switch_lids; /* a table file without any entry for the LID of a switch */

    bool adaptive;                  /* the table has groups of ports; deadlock_free and cycle above include them */
    struct hd_choice_check choices; /* of such a table */
    bool any_level;                 /* deadlock freedom was proved by SL2VL tables, whatever service levels pairs use */
    struct hd_other_check others;

    /* Entries for endpoints, other than aggregation nodes, that switches without endpoints lack, or that lead to such a
     * switch. No pair needs them, so they are no fault, but such a switch cannot answer that endpoint. The first of
     * them, if there is one. */
    uint64_t unanswered;
    uint32_t unanswered_switch, unanswered_dest;

    uint64_t unproved_groups; /* 0: choices of ports are proved for every LID */

    /* Entries for further LIDs and for LIDs of switches that choose among several ports: a path is among those that do
     * not arrive if some choice does not, and deadlock freedom is about all choices. */
    uint64_t further_choices, switch_choices;
};

/* Whether anything is wrong: pairs or LIDs that are not reached, or a credit loop. Credit loops that only packets to
 * switches would close are no fault: where a tree has lost cables, a leaf may reach a top switch through another leaf
 * alone, and no table is free of them. */
static inline bool hd_check_faulty(const struct hd_check *k)
{
    const struct hd_other_check *o = &k->others;
    return k->unreachable || k->loops || k->deadlock_free == 0 || k->further.unreachable || k->further.loops ||
           k->further.deadlock_free == 0 || k->switches.unreachable || k->switches.loops || o->unreachable ||
           o->loops || o->choices || (k->adaptive && (k->choices.unreachable || k->choices.loops));
}

/* Proves or disproves everything above from the tables and VLs alone. O(table). */
HD_API hd_status hd_routes_check_sized(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *check,
                                       size_t check_size);
static inline hd_status hd_routes_check(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *check)
{
    return hd_routes_check_sized(ctx, r, check, sizeof *check);
}

/* ---- transition ---------------------------------------------------------------------------- */

/* Mixtures of two tables: while one replaces the other, every entry is the old or the new one, and entries may be
 * written in any order. A loop is a loop of some mixture; a drop is a pair that the old table serves and some mixture
 * does not, also because of VL 15; a credit loop is a cycle of the dependencies that packets of all mixtures have, also
 * of those that are queued while entries change. None of them: proved safe in any order. docs/transition.md has the
 * definitions.
 * What a fault has cut already is exempt: a pair that the old table does not serve cannot be dropped. All endpoints
 * count, also those that are not selected, unless compute hosts are among these: then somebody chose (hd_net_choose),
 * and only pairs of selected endpoints count. */
struct hd_mixture {
    uint64_t rows, changed; /* of one destination and variant each, and those with entries that differ */
    uint64_t loops, drops;  /* rows with some mixture that loops or drops */
    uint64_t cut;           /* of the drops: by the new table itself */
    uint32_t loop, drop;    /* the first destination (endpoint) of each, UINT32_MAX: none */
    uint32_t credit_loops;  /* VLs with a cycle of dependencies, among rows that do not loop */
    uint32_t ncycle;        /* length of a short cycle of the first such VL */
    bool vls_known;         /* false: all VLs were taken as one, so that no cycle is a proof and a cycle is none */
    bool old_levels;        /* connections that keep the service level of the old table are covered */
    struct hd_dependency cycle[64]; /* the first 64 dependencies of the cycle, without sources */
    uint64_t pairs, vls_changed;    /* of endpoints that count, and those whose VL, level or choice of a LID differs */
    bool adaptive; /* a table has groups of ports, of any LIDs, and entries differ: switches keep groups apart from
                    * entries, so nothing is proved */
    bool aggregation_covered; /* all packets from and to aggregation nodes are; else only that those between nodes of
                               * one switch or of adjacent ones neither loop nor are dropped, as in hd_routes_check */
};

static inline bool hd_mixture_safe(const struct hd_mixture *m)
{
    return !m->loops && !m->drops && !m->credit_loops && !m->adaptive;
}

/* Proves or disproves that all mixtures of two tables of one network, with equally many variants, are safe. If that
 * needs every connection to have the service level of the new table, old_levels is false. O(table), about twice a
 * check. */
HD_API hd_status hd_routes_mixture_sized(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                                         struct hd_mixture *mixture, size_t mixture_size);
static inline hd_status hd_routes_mixture(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                                          struct hd_mixture *mixture)
{
    return hd_routes_mixture_sized(ctx, from, to, mixture, sizeof *mixture);
}

enum hd_transition_verdict {
    HD_ANY_ORDER, /* entries may be written in any order */
    HD_ORDERED,   /* in steps: the entries of a step in any order, and the next one after all of them */
    HD_DRAIN,     /* proved by exhaustive search: only if destinations receive nothing meanwhile */
    HD_UNPROVED,
};

/* How to change from one table to another such that no moment of it is unproved. Between two steps, the packets that
 * were forwarded before must have left the network, or have been dropped by the lifetime limit of switches. */
struct hd_transition {
    enum hd_transition_verdict verdict;
    uint32_t nsteps;                     /* 0: the tables are the same, or nothing is proved */
    const struct hd_routes *const *step; /* the tables to load one after the other; the last is the new one itself */
    const struct hd_mixture *direct;     /* all mixtures of the two tables, with both service levels */
    bool old_levels;                     /* connections that keep the service level of the old table are covered */
    bool old_safe, new_safe; /* false: that table alone has loops or credit loops, or the new one cuts pairs */
    uint32_t ndrain;
    const uint32_t *drain;  /* endpoints that must receive nothing while steps are taken */
    const char *method;     /* how the steps were found; "" if there is one or none */
    uint64_t rest_loops;    /* unproved: further LIDs with a mixture that loops; else LIDs of switches with one while a
                             * step is loaded, at most */
    uint64_t rest_unproved; /* those whose entries differ in a step, at most, or that a table lacks, or whose packets it
                             * sends to VL 15: of their mixtures, drops and credit loops are not known */
    uint64_t rest_cut;      /* unproved: of them, those that the new table itself cuts and the old one reaches */
    bool aggregation_covered; /* as in struct hd_mixture, in all steps */
};

/* Both tables must outlive the result. Intermediate tables have the VLs and selection of the new one. Any order costs
 * one proof; the search for steps costs a limited number of them, the same on every machine. */
HD_API hd_status hd_routes_transition(struct hd_ctx *ctx, const struct hd_routes *old_routes,
                                      const struct hd_routes *new_routes, struct hd_transition **transition);
HD_API void hd_transition_free(struct hd_transition *transition);

/* Switches or cables taken out for maintenance, and brought back, with no pair cut at any step. */
struct hd_maintenance {
    const struct hd_routes *without;        /* the table in which nothing is sent to them; of the whole network */
    const struct hd_transition *out, *back; /* from the table in use to it, and back */
    bool returns;  /* proved: the entries of what comes back, with empty tables, may be written in any order before */
    bool rewrites; /* there are such entries: a switch comes back, not cables alone */
};

/* what names switches or cables as hd_net_fail takes them, "switch=NAME"; engine routes what is left, NULL: the one
 * that made the table, or another that applies. The table in use is changed as little as hd_routes_keep can. HD_INPUT
 * if endpoints would be cut off, other than aggregation nodes in the switches themselves, or if no table of what is
 * left is proved. old must outlive the result. */
HD_API hd_status hd_routes_maintenance(struct hd_ctx *ctx, const struct hd_routes *old_routes, const char *what,
                                       const char *engine, struct hd_maintenance **maintenance);
HD_API void hd_maintenance_free(struct hd_maintenance *maintenance);

#ifdef __cplusplus
}
#endif
#endif
