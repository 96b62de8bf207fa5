/* SPDX-License-Identifier: BSD-2-Clause */
/* Linear forwarding tables on disk, in OpenSM's dump format. Per switch, ordered by GUID:
 *     Unicast lids [0-44] of switch Lid 33 guid 0x0002c90000100000 ('L1-0000'):
 *     0x0001 001 # Channel Adapter portguid 0x0002c90100000001: 'node-00000'
 *     0x0021 000 # Switch portguid 0x0002c90000100000: 'L1-0000'
 *     44 lids dumped
 * LID in hexadecimal, port in decimal (0: the switch itself); a LID without a line is not reachable. The
 * minimal form has `Unicast lids of switch guid 0x... x` and lines without comments. OpenSM loads both
 * (-R file -U); with port GUIDs it finds the LIDs by itself, without them it takes them literally.
 *
 * What such a table cannot express is in lines that begin with `# heddle`, which OpenSM skips; they come
 * before the first switch, and none is longer than 900 bytes (OpenSM reads lines of 1023):
 *     # heddle lft 1                            version of these lines
 *     # heddle table SPEC                       what made the table
 *     # heddle variants N lmc K select RULE     RULE: one, source, pair, all, packet
 *     # heddle lanes N RULE                     RULE: one, dest, leaf, pair, hop, unknown
 *     # heddle endpoints GUID=LID ...           base LIDs; the order is what the lists below count in
 *     # heddle switches GUID=LID ...
 *     # heddle further GUID=LID ...             LIDs of endpoints beyond the 2^K from their base LIDs on
 *     # heddle class RUNS                       select source: variant of each source
 *     # heddle pairs I RUNS                     select pair: variants from source I to each endpoint
 *     # heddle dest-lane RUNS                   lanes dest: the VL of each endpoint and variant
 *     # heddle leaf-lane GUID RUNS              lanes leaf: from this leaf switch, as above
 *     # heddle pair-lane I RUNS                 lanes pair: from source I, as above
 *     # heddle sl2vl L0 .. L15                  lanes hop: a table of VLs by service level; the lists above
 *                                               (leaf-lane or pair-lane) then hold service levels. lanes unknown: the
 *                                               tables may be known all the same, and there are none of these lists.
 *                                               lanes one, leaf, pair: of a table that all ports have
 *     # heddle sl2vl-of GUID RUNS               likewise: of this switch, for each port in and each port out
 *                                               the number of a table from 1 on, 0: no cable
 *     # heddle leaf-level GUID RUNS             service levels from this leaf switch, as leaf-lane, where they are
 *                                               known but VLs are not, or where they are not the VLs; 16: not known
 *     # heddle pair-level I RUNS                likewise from source I, as pair-lane
 * RUNS are values V, or V*N for N of them; a list goes on in further lines of its kind. Variant x of an
 * endpoint is its LID + x; LIDs beyond the last variant repeat them from the first. */
#ifndef HD_ROUTE_IO_FMT_LFT_H
#define HD_ROUTE_IO_FMT_LFT_H

#include "base/input.h"
#include "net/core/guid_index.h"
#include "route/core/lid_view.h"
#include "route/core/sl2vl.h"

hd_status hd_lft_write(struct hd_ctx *ctx, const struct hd_routes *r, bool minimal, struct hd_out *o);
/* The same with these LIDs. */
hd_status hd_lft_write_lids(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_lids *lids, bool minimal,
                            struct hd_out *o);
/* A table file, or that of a folder or an archive. */
hd_status hd_lft_open(struct hd_ctx *ctx, const char *path, struct hd_in **in);
/* As hd_routes_read, from an open input; spec is what the routes will be called. */
hd_status hd_lft_read(struct hd_ctx *ctx, const struct hd_net *net, struct hd_in *in, const char *spec, enum hd_use use,
                      struct hd_routes **r);
/* The same into routes made by hd_routes_new; their spec stays as it is. */
hd_status hd_lft_fill(struct hd_ctx *ctx, struct hd_in *in, enum hd_use use, struct hd_routes *r);

/* ---- the # heddle lines -------------------------------------------------------------------- */

#define HD_LFT_NOBODY UINT32_MAX       /* owner of a LID: a port that is not in the network */
#define HD_LFT_UNSEEN (UINT32_MAX - 1) /* owner of a LID: not known yet */

/* Lists of the file, each with a cursor per row. */
enum hd_lft_list {
    HD_LFT_CLASS,      /* one row */
    HD_LFT_PAIRS,      /* one row per source */
    HD_LFT_DEST_LANE,  /* one row */
    HD_LFT_LEAF_LANE,  /* one row per leaf switch */
    HD_LFT_PAIR_LANE,  /* one row per source */
    HD_LFT_LEAF_LEVEL, /* one row per leaf switch */
    HD_LFT_PAIR_LEVEL, /* one row per source */
    HD_LFT_SL2VL_OF,   /* one row per switch */
    HD_LFT_LISTS
};

/* Node of each LID, and the port GUID that its lines gave. Grows with the LIDs that come: a table of a small network
 * needs no arrays of all 49,151. */
struct hd_lft_owners {
    struct hd_arena *arena;
    uint32_t room; /* LIDs that have a place */
    uint32_t *node;
    uint64_t *guid; /* 0: none */
};

/* Makes a place for this LID, HD_LFT_UNSEEN until somebody sets it. */
hd_status hd_lft_owners_reach(struct hd_ctx *ctx, struct hd_lft_owners *owners, uint32_t lid);

struct hd_lft_extra {
    struct hd_arena *arena;
    struct hd_routes *r; /* gets rules, lists and SL2VL tables, in the network's numbers */
    const struct hd_guid_index *guids;
    struct hd_lft_owners *owners; /* the reader's */

    bool present, variants, lanes; /* which lines came */
    uint32_t lmc;
    uint16_t *lid;    /* [nsw+nep] base LID of each node of the network, 0: not in the file */
    uint32_t n, room; /* endpoints of the file */
    uint32_t *ep;     /* [n] their numbers in the network, HD_LFT_NOBODY */
    bool *listed;     /* [nep] */

    uint64_t *at[HD_LFT_LISTS]; /* values read so far, by list and row of the list; NULL: nothing of the list came */
    uint32_t service_levels;    /* set of those in the lists of VLs */
};

/* Of a table that is written: its further LIDs, as hd_lft_view_claim has them; notes how many are left out. */
hd_status hd_lft_claim_further(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_lft_view *view);
/* Notes LMCs of the network that these LIDs have no room for. */
void hd_lft_extra_write(struct hd_ctx *ctx, const struct hd_lft_view *view, struct hd_out *o);
hd_status hd_lft_extra_init(struct hd_ctx *ctx, struct hd_lft_extra *x);
/* One line, from behind "# heddle". */
hd_status hd_lft_extra_line(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *text);
/* At the first switch: whether all lines needed are there. */
hd_status hd_lft_extra_check(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x);

#endif
