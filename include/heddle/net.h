/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/net.h - the network: plain arrays, made once by a builder and then only read.
 *
 * Threads. A network does not change once it is handed out: any number of threads may read it, each with a context of
 * its own. Freeing it is the business of one of them, after all others are done. A builder belongs to one thread.
 *
 * Words. A switch is a crossbar; an endpoint is one port of a host adapter; a channel is one
 * direction of one cable, and parallel cables are distinct channels. Nodes are numbered switches
 * first: 0 .. nsw-1, then endpoints nsw .. nsw+nep-1; "endpoint e" is node nsw+e.
 *
 * Invariants (hd_net_check verifies every one of them):
 *  - the outgoing channels of v are off[v] .. off[v+1]-1, in increasing port number, tail == v;
 *  - rev is an involution without fixed points that swaps head and tail; link[c] == link[rev[c]];
 *  - an endpoint has exactly one channel and it leads to a switch; no channel connects a node to itself;
 *  - a switch has at most 254 ports, numbered 1 .. nports[v], each used at most once;
 *  - GUIDs are distinct (switch GUIDs, adapter GUIDs, port GUIDs each among themselves), LIDs too;
 *  - level 0 is endpoints; if the shape is a tree, every switch cable connects adjacent levels;
 *  - every host has an endpoint, an adapter's endpoints are of one host, and those of a host are on
 *    distinct rails, at most 255 of them;
 *  - sel is increasing. */
#ifndef HEDDLE_NET_H
#define HEDDLE_NET_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HD_MAX_PORTS = 254,  /* of a switch: InfiniBand numbers them 1 .. 254 */
    HD_MAX_LID = 0xbfff, /* last unicast LID */
    HD_NO_LEVEL = 255,   /* a switch whose level is not known */
    HD_MAX_DIM = HD_MAX_LIST
};

enum hd_shape_kind { HD_SHAPE_NONE, HD_SHAPE_TREE, HD_SHAPE_GRID };
enum hd_wrap { HD_LINE, HD_RING, HD_CLIQUE }; /* how the switches along one dimension are connected */

/* What is known of the structure, set by a generator or inferred from a file. coord[] holds shape.n
 * digits per node, digit i (from 1) at index i-1.
 * TREE: PGFT(n; m; w; p) with arrays indexed by level-1. A node at level l carries the digits
 *   (a_n .. a_{l+1}, b_l .. b_1): below its level, which of the w_i parallel switches it is; above it,
 *   which subtree it is in. A cable connects (l, x) and (l+1, y) if all digits but digit l+1 agree, and
 *   there are p_{l+1} of them. An endpoint's number in the full tree is a_1 + m_1 (a_2 + m_2 (...)).
 *   Compute hosts sit on level 1, at distinct numbers. Other endpoints (roles other than HOST) have no place
 *   of their own: one on a switch of level l carries that switch's digits above l, and 0 below. The top
 *   level may be without switches: then m_n counts components.
 * Switches that no endpoint can be reached from are no part of the structure: they are marked in unplaced, and their
 *   digits are 0.
 * GRID: m = extent, w = enum hd_wrap, p = parallel cables of each dimension; endpoints carry the
 *   digits of their switch. */
struct hd_shape {
    enum hd_shape_kind kind;
    uint32_t n;
    uint32_t m[HD_MAX_DIM], w[HD_MAX_DIM], p[HD_MAX_DIM];
    uint32_t missing; /* switch cables the shape has between present switches and the network has not */
    uint32_t strays;  /* switch cables of a grid that connect no neighbours: swapped, or in the wrong place */
};

/* Whether a TREE is a real-life fat tree (RLFT): one cable to each endpoint, as many ports up as down at
 * every level below the top, and the same even number of ports on every switch, all of them downwards
 * at the top. Otherwise why says which of these rules is broken, and where. */
HD_API bool hd_rlft_check(const struct hd_shape *shape, char why[160]);

/* The spec that would generate the structure whole: pgft:m=..,w=..,p=.., torus:dims=.., ...; "" without one. */
HD_API void hd_shape_spec(const struct hd_shape *shape, char text[HD_MAX_SPEC]);

/* What an adapter is there for; HOST is a compute host, or any where kinds cannot be distinguished. */
enum hd_role {
    HD_ROLE_HOST,
    HD_ROLE_ROUTER,
    HD_ROLE_AGGREGATION,
    HD_ROLE_STORAGE,
    HD_ROLE_MANAGEMENT,
    HD_ROLE_GATEWAY,
    HD_ROLES
};
/* compute, router, aggregation, storage, management, gateway; NULL past the last. */
HD_API const char *hd_role_name(enum hd_role role);

struct hd_net {
    uint32_t nsw, nep, nchan;
    const uint32_t *off;               /* [nsw+nep+1] */
    const uint32_t *head, *tail, *rev; /* [nchan] */
    const uint8_t *port;               /* [nchan] port number at the tail */
    const uint8_t *link;               /* [nchan] width and speed: hd_link_name(), hd_link_mbps() */

    const uint64_t *guid;  /* [nsw+nep] switch: node GUID; endpoint: port GUID */
    const uint16_t *lid;   /* [nsw+nep] base LID, 0: not assigned */
    const uint8_t *level;  /* [nsw+nep] 0: endpoint, 1: leaf switch, ...; HD_NO_LEVEL */
    const uint16_t *coord; /* [(nsw+nep) * shape.n], NULL when shape.n is 0 */
    const uint8_t *nports; /* [nsw] physical ports, cabled or not */
    struct hd_shape shape;
    const char *departs; /* inferred without a shape: where it departs from a tree and a grid, one sentence; else "" */
    uint8_t lmc;         /* largest LMC of an endpoint */

    uint32_t nca;            /* adapters: an adapter has one or more ports = endpoints */
    const uint32_t *ca;      /* [nep] */
    const uint64_t *ca_guid; /* [nca] node GUID */
    const uint8_t *ca_ports; /* [nca] physical ports */
    const uint8_t *ca_role;  /* [nca] enum hd_role */
    const uint64_t *system;  /* [nsw+nca] system image GUID, switches first */

    uint32_t nhost, nrail; /* hosts group adapters; a host's endpoints sit on distinct rails */
    const uint32_t *host;  /* [nep] */
    const uint8_t *rail;   /* [nep] */
    const char *rails;     /* the rule they were found by: auto, port, none or an expression */

    uint32_t nsel;       /* the selected endpoints: those that patterns, loads and metrics refer to */
    const uint32_t *sel; /* [nsel] increasing; hosts unless chosen otherwise */

    const char *spec; /* canonical spec or file name, with what was chosen or failed behind it */

    const char *names; /* string tables; use hd_node_name() and hd_host_name() */
    const char *hnames;
    const uint32_t *name_at;   /* [nsw+nca] in names */
    const uint32_t *hname_at;  /* [nhost] in hnames */
    const char *const *labels; /* [nsw+nca] use hd_node_label(); NULL: the names */
    void *arena;               /* private */
    struct hd_facts *facts;    /* private: what was computed from the network alone and is kept with it */
    const uint8_t *lmc_of;     /* [nep] LMC of each endpoint: its LIDs are lid .. lid + 2^lmc - 1 */
    const bool *unplaced;      /* [nsw] switches without a place in the shape */
    const uint8_t *switch_lmc; /* [nsw] LMC of each switch, not 0 only at an enhanced port 0 */
};

HD_API void hd_net_free(struct hd_net *net);
/* Verifies every invariant above; HD_FAULT and the first violation in ctx->error. O(size). */
HD_API hd_status hd_net_check(struct hd_ctx *ctx, const struct hd_net *net);

/* A switch's name, or that of an endpoint's adapter. */
HD_API const char *hd_node_name(const struct hd_net *net, uint32_t v);
/* What to show people: NAME of a switch that describes itself as MF0;NAME:MODEL/U1, and with the GUID if several nodes
 * have the same name. Lookups by name take it as well. */
HD_API const char *hd_node_label(const struct hd_net *net, uint32_t v);
HD_API const char *hd_host_name(const struct hd_net *net, uint32_t host);
/* How many hosts with selected endpoints have the name of one before them, and the first such. O(hosts). */
HD_API hd_status hd_hosts_repeated(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *n, uint32_t *first);
static inline uint32_t hd_leaf(const struct hd_net *net, uint32_t e)
{
    return net->head[net->off[net->nsw + e]];
}
static inline uint32_t hd_degree(const struct hd_net *net, uint32_t v)
{
    return net->off[v + 1] - net->off[v];
}
static inline const uint16_t *hd_coord(const struct hd_net *net, uint32_t v)
{
    return net->coord + (size_t)v * net->shape.n;
}

/* Whether endpoint e of a tree has a place, and so a number, of its own there. */
static inline bool hd_has_place(const struct hd_net *net, uint32_t e)
{
    return net->ca_role[net->ca[e]] == HD_ROLE_HOST;
}

/* Link codes: 0 is unknown, each other one a width and a speed such as 4xQDR. */
HD_API const char *hd_link_name(uint8_t link);             /* "4xQDR"; "" for 0 */
HD_API uint32_t hd_link_mbps(uint8_t link);                /* data rate in Mbit/s; 0 for 0 */
HD_API uint8_t hd_link_code(const char *name, size_t len); /* 0 when the name says nothing known */

/* ---- builder ------------------------------------------------------------------------------- */

/* Collects nodes and cables, then freezes them into a network. Calls between make and finish never
 * fail on their own: the first problem (memory, a port used twice, ...) is reported by finish. */
struct hd_builder;

struct hd_switch_in {
    const char *name;      /* NULL: L<level>-<number> */
    uint64_t guid, system; /* 0: made up; system defaults to the GUID */
    uint32_t nports;       /* 0: the largest port in use */
    uint16_t lid;
    uint8_t level; /* 0: not known */
    uint8_t lmc;   /* of the LID: it has more than one only with an enhanced port 0 */
};

struct hd_adapter_in {
    const char *name; /* NULL: node-<number> */
    uint64_t guid, system;
    uint32_t nports; /* 0: the largest port in use */
    enum hd_role role;
};

#define HD_ENDPOINT_BIT 0x80000000u /* set in the handles of endpoints, clear in those of switches */

HD_API hd_status hd_builder_make(struct hd_ctx *ctx, struct hd_builder **b);
HD_API void hd_builder_free(struct hd_builder *b);
/* Room for what is coming, so that a large network is not grown by doubling. */
HD_API void hd_builder_reserve(struct hd_builder *b, size_t switches, size_t endpoints, size_t cables);
HD_API uint32_t hd_builder_switch_sized(struct hd_builder *b, const struct hd_switch_in *in, size_t in_size);
static inline uint32_t hd_builder_switch(struct hd_builder *b, const struct hd_switch_in *in)
{
    return hd_builder_switch_sized(b, in, sizeof *in);
}
HD_API uint32_t hd_builder_adapter_sized(struct hd_builder *b, const struct hd_adapter_in *in, size_t in_size);
static inline uint32_t hd_builder_adapter(struct hd_builder *b, const struct hd_adapter_in *in)
{
    return hd_builder_adapter_sized(b, in, sizeof *in);
}
/* One port of an adapter; guid 0: made up. Returns the handle to cable it with. */
HD_API uint32_t hd_builder_endpoint(struct hd_builder *b, uint32_t adapter, uint32_t port, uint64_t guid, uint16_t lid);
HD_API void hd_builder_cable(struct hd_builder *b, uint32_t u, uint32_t uport, uint32_t v, uint32_t vport,
                             uint8_t link);
/* An adapter with one port, cabled to a switch port: what generators need. Returns the endpoint. */
HD_API uint32_t hd_builder_host(struct hd_builder *b, uint32_t sw, uint32_t swport, uint8_t link);
/* Structure: the shape once, before any node; then the level (of a tree) and the digits of each node. */
HD_API void hd_builder_shape(struct hd_builder *b, const struct hd_shape *shape);
HD_API void hd_builder_coord(struct hd_builder *b, uint32_t node, const uint16_t *digits);
/* LMC of an endpoint that has a LID; 0 without this. */
HD_API void hd_builder_lmc(struct hd_builder *b, uint32_t endpoint, uint8_t lmc);
/* Freezes and frees the builder in every case. spec is copied. */
HD_API hd_status hd_builder_finish(struct hd_ctx *ctx, struct hd_builder *b, const char *spec, struct hd_net **net);

/* ---- files --------------------------------------------------------------------------------- */

struct hd_read {
    const char *name_map; /* file of "0x<guid> "name"" lines that rename nodes, NULL: none */
    const char *rails;    /* how hosts and rails are found; NULL: auto */
};

/* ibnetdiscover output, an ibsim net file, opensm-subnet.lst or what ibdiagnet writes (a file of it, its folder or a
 * tar archive of that); plain, gzip or zstd; "-" is standard input. The network is ordered by GUID, so that the order
 * of records in the file does not matter. */
HD_API hd_status hd_net_read_sized(struct hd_ctx *ctx, const char *path, const struct hd_read *opt, size_t opt_size,
                                   struct hd_net **net);
static inline hd_status hd_net_read(struct hd_ctx *ctx, const char *path, const struct hd_read *opt,
                                    struct hd_net **net)
{
    return hd_net_read_sized(ctx, path, opt, sizeof *opt, net);
}

struct hd_net_format {
    const char *name, *summary;
    hd_status (*write)(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
};
/* The formats networks are written in; NULL past the last. */
HD_API const struct hd_net_format *hd_net_format_at(size_t i);
HD_API hd_status hd_net_write(struct hd_ctx *ctx, const struct hd_net *net, const char *format, struct hd_out *o);

/* ---- a new network from an old one --------------------------------------------------------- */

/* Levels, and tree digits or grid coordinates where the network has them, found from the cables alone;
 * nodes and channels keep their numbers. A network that already has a shape is copied. Never fails for
 * lack of structure: then shape is NONE, departs says why, and level is the distance from the nearest
 * switch with a host, plus one.
 *  - A tree is the smallest PGFT that holds the network: m_1 is the largest number of hosts on a leaf, and
 *    so on upwards. Switches without hosts may be spare leaves or empty subtrees (level 1 and so on)
 *    where that takes fewer missing cables, then fewer levels. Cables and switches may be missing.
 *  - A grid has its dimensions in order of extent. A torus of fours and a hypercube are the same network:
 *    it is a torus if the same ports lead on and back; beside a longer ring, twos are rings of four. Some
 *    cables may be missing, no switches. Where both fit it is a tree. */
HD_API hd_status hd_net_infer(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out);

/* Take cables and switches out: "links=N,switches=N,seed=S" at random, or by name, as hd_fail_desc()
 * describes; after " then " more, of what is left. Endpoints that lose their switch or cable go too; how many
 * is noted. The rest keeps its numbers (LIDs, rails, coordinates) and its order. */
HD_API hd_status hd_net_fail(struct hd_ctx *ctx, const struct hd_net *net, const char *what, struct hd_net **out);
/* Its keys, for help. */
HD_API const struct hd_desc *hd_fail_desc(void);

/* The network with its cabling repaired: cables that the shape has between present switches are put in, at free ports,
 * swapped and wrong ones go where they belong, extra ones are removed, and those slower than most that connect the same
 * two levels get the rate of these. Nodes keep their numbers. The structure is inferred again if hosts were moved, or
 * if there was none. */
HD_API hd_status hd_net_repair(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out);

struct hd_choice {
    const char *part;      /* a connected component: its number, or the name or GUID of a node in it; NULL: all */
    const char *rail;      /* number of a rail, or several separated by +; NULL: all */
    const char *endpoints; /* extended regular expression on endpoint names; NULL: those selected now */
};
/* Cut down to a component, and select endpoints. HD_INPUT if none would be selected. */
HD_API hd_status hd_net_choose_sized(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_choice *choice,
                                     size_t choice_size, struct hd_net **out);
static inline hd_status hd_net_choose(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_choice *choice,
                                      struct hd_net **out)
{
    return hd_net_choose_sized(ctx, net, choice, sizeof *choice, out);
}

/* Connected components, numbered by decreasing number of endpoints, then switches, then first switch.
 * part_of has nsw + nep entries. */
HD_API hd_status hd_net_parts(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *part_of, uint32_t *nparts);

/* Calls missing(user, u, v, k) for every cable the shape has between present switches u and v and
 * the network lacks (k cables of that pair). */
HD_API hd_status hd_shape_each_missing(struct hd_ctx *ctx, const struct hd_net *net,
                                       void (*missing)(void *user, uint32_t u, uint32_t v, uint32_t k), void *user);

/* ---- cabling ------------------------------------------------------------------------------- */

/* What the majority of the cables says about the others. Trees (also those that are no PGFT) are read by
 * neighbourhoods, the switches of two adjacent levels that meet each other, and by port rules: port 18+j of every leaf
 * leads to spine j, port i of every spine to leaf i. Grids are read by their shape. Where the majority is not clear
 * nothing is reported. */
enum hd_cabling_kind {
    HD_CABLING_MISSING, /* from - to should be there; of a host, to is not in the network, and to2 a port that is */
    HD_CABLING_SWAPPED, /* from - to and from2 - to2 are there, and should be from - to2 and from2 - to */
    HD_CABLING_WRONG,   /* from - to should be from2 - to2; should go, if from2 is not known */
    HD_CABLING_EXTRA,   /* from - to belongs to no structure */
    HD_CABLING_SLOW,    /* from - to has rate link, most of its kind have usual */
    HD_CABLING_DEAD,    /* switch to has no cable, or is not in the network at all: lost[first] .. lost[first+n-1] */
    HD_CABLING_KINDS
};

struct hd_plug {      /* one end of a cable */
    uint32_t node;    /* UINT32_MAX: not in the network, or not known */
    uint8_t port;     /* 0: not known */
    const char *name; /* of a host or dead switch that is not in the network, by its neighbours; else NULL */
};

struct hd_lost_cable {
    struct hd_plug from, to;
};

struct hd_cabling_fault {
    enum hd_cabling_kind kind;
    struct hd_plug from, to, from2, to2;
    uint8_t link, usual; /* codes of rates; usual is set for every kind if it is known */
    uint32_t first, n;   /* of lost */
    double gain;         /* what repairing it restores, in cables */
};

struct hd_vacant { /* a place among switches that nobody has, by the ports and names of those beside it */
    const char *name; /* that a switch there would have */
    bool upper;       /* all switches below leave the ports to it free; false: a leaf switch */
};

struct hd_cabling {
    uint32_t n, count[HD_CABLING_KINDS];
    const struct hd_cabling_fault *fault; /* by decreasing gain */
    const struct hd_lost_cable *lost;     /* cables of dead switches, from the surviving end */
    const bool *aside;                    /* [nchan] of a tree: contradicts its levels or neighbourhoods */
    uint32_t unrated;                     /* cables without a rate among others of their kind that have one */
    bool judged; /* cables between switches follow a rule, by which missing ones are found: a tree, grid or dragonfly */
    const uint32_t *uneven; /* [nsw] of a tree: cables that a switch lacks beside the others of its neighbourhood, too
                               many to be called missing: it may be built so */
    const struct hd_vacant *vacant; /* places that are too many for dead switches: those may never have been there */
    uint32_t nvacant;
};

/* *cabling lives as long as net. */
HD_API hd_status hd_net_cabling(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_cabling **cabling);
/* "missing", "swapped", ...; NULL past the last. */
HD_API const char *hd_cabling_name(enum hd_cabling_kind kind);
/* A fault in words, without its kind: "leaf05 port 28 - spine11 port 5". Cut where it does not fit. */
HD_API void hd_cabling_text(const struct hd_net *net, const struct hd_cabling *cabling,
                            const struct hd_cabling_fault *fault, char *text, size_t size);

/* ---- what a network is --------------------------------------------------------------------- */

enum { HD_MAX_LEVELS = 32 };

struct hd_level_info {
    uint32_t switches;
    uint32_t endpoints;                  /* on these switches */
    uint32_t ports_min, ports_max;       /* cabled ports of a switch */
    uint32_t physical_min, physical_max; /* all ports of a switch */
    uint32_t down_cables, up_cables;     /* to endpoints and lower levels; to higher levels */
    uint32_t side_cables;                /* within the level, or to a switch of no known level */
    uint64_t down_mbps, up_mbps;         /* their data rates, one direction */
    double oversubscription;             /* down / up; in cables where a rate is unknown; 0 without up */
};

struct hd_topo_info {
    uint32_t endpoints, switches, cables;
    uint32_t switch_cables;     /* of these, between switches */
    uint32_t by_role[HD_ROLES]; /* endpoints, by enum hd_role */
    uint32_t selected;          /* selected endpoints */
    uint32_t adapters;
    uint32_t hosts, rails; /* without routers and aggregation nodes; rails of compute hosts, if there are any */
    uint32_t levels;       /* largest level of a switch, 0: none is known */
    struct hd_level_info level[HD_MAX_LEVELS + 1]; /* [1 .. levels]; [0]: switches of no known level */
    uint32_t parts;                                /* connected components */
    uint32_t inhabited;                            /* of these, with endpoints: the first ones */
    uint32_t isolated;                             /* switches without a cable */
    uint32_t missing;      /* cables the shape has between present switches and the network has not */
    uint32_t absent;       /* cables of a tree up to switches that are not there */
    uint32_t degraded;     /* components that one of those cables would lead to */
    uint32_t diameter;     /* most switch cables on a shortest path between endpoints of one component */
    double mean_distance;  /* over all pairs of endpoints of one component; 0 without a pair */
    bool rates_known;      /* of every cable */
    uint32_t by_link[256]; /* cables, by link code */
    /* For trees of two levels or more: "strict" (strictly non-blocking), "rearrangeable" or "slimmed",
     * counting what is there now. "" for other networks. */
    const char *clos;
    bool distances_known; /* false: too large a network; diameter and mean_distance were not computed and are 0 */
    /* A network without a shape, in words: "3-level fat tree, 8 groups of 20 leaf switches, 4 directors of 40 line and
     * 20 spine ASICs", "dragonfly: 33 groups of 8 switches". "": none are known. */
    char form[200];
    bool layered;    /* form is that of a tree */
    uint32_t unused; /* switches that no endpoint can be reached from; they are on no level */
};

/* O(size), and the distances, unless there is a closed form: breadth-first searches, 256 at a time and bounded. */
HD_API hd_status hd_net_describe_sized(struct hd_ctx *ctx, const struct hd_net *net, struct hd_topo_info *info,
                                       size_t info_size);
static inline hd_status hd_net_describe(struct hd_ctx *ctx, const struct hd_net *net, struct hd_topo_info *info)
{
    return hd_net_describe_sized(ctx, net, info, sizeof *info);
}

/* The same network with switches, endpoints and the ports of every switch renumbered at random, and its structure
 * inferred again: routings that break ties by number or port owe much to the tidy numbers of a generator, and fabrics
 * cabled by hand have none. */
HD_API hd_status hd_net_renumber(struct hd_ctx *ctx, const struct hd_net *net, uint64_t seed, struct hd_net **out);

/* The network with LIDs from OpenSM's file guid2lid (others keep theirs where it is free); or, if guid2lid
 * is NULL, with 2^lmc LIDs per endpoint: its own if they leave room, otherwise all assigned again. */
HD_API hd_status hd_net_lids(struct hd_ctx *ctx, const struct hd_net *net, const char *guid2lid, uint32_t lmc,
                             struct hd_net **out);

/* ---- networks by name ------------------------------------------------------------------------ */

struct hd_open {
    const char *name_map, *rails;        /* hd_net_read */
    const char *part, *rail, *endpoints; /* hd_net_choose */
    const char *fail;                    /* hd_net_fail, NULL: nothing fails */
    const char *guid2lid;                /* hd_net_lids, NULL: LIDs stay as they are unless set_lmc */
    bool set_lmc;                        /* hd_net_lids with this lmc */
    uint32_t lmc;
    bool repair; /* hd_net_repair, after all else */
};

/* A network from a topology spec or a file: read or generate, infer the structure, fail, choose, repair. */
HD_API hd_status hd_net_open_sized(struct hd_ctx *ctx, const char *text, const struct hd_open *opt, size_t opt_size,
                                   struct hd_net **net);
static inline hd_status hd_net_open(struct hd_ctx *ctx, const char *text, const struct hd_open *opt,
                                    struct hd_net **net)
{
    return hd_net_open_sized(ctx, text, opt, sizeof *opt, net);
}

/* Whether a file is a forwarding table rather than a network, by its first lines; one that cannot be read is none. */
HD_API hd_status hd_file_is_table(struct hd_ctx *ctx, const char *path, bool *table);

#ifdef __cplusplus
}
#endif
#endif
