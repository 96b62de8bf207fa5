/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/cables.h - planned cables against found ones. Not installed: shared by library and command. */
#ifndef HEDDLE_TOOL_CABLES_H
#define HEDDLE_TOOL_CABLES_H

#include "heddle/net.h"

struct hd_cables_end {
    const char *node;  /* as its file names it */
    const char *label; /* what people read on the rack: node and port */
    const char *key;   /* device and port as they are compared */
    uint64_t guid;     /* 0: not known */
    uint32_t port;     /* 0: its label is no number */
    bool is_switch;    /* known to be one */
};

struct hd_cables_row {
    struct hd_cables_end end[2];
    const char *file;
    uint32_t line; /* 0: of a network */
    uint8_t link;  /* code of its rate, 0: not known */
};

enum hd_cables_kind {
    HD_CABLES_MISSING, /* planned, and neither end is found elsewhere */
    HD_CABLES_SWAPPED, /* two planned cables whose ends are exchanged */
    HD_CABLES_WRONG,   /* planned, and one of its ends is found elsewhere */
    HD_CABLES_EXTRA,   /* found, not planned */
    HD_CABLES_SLOW,    /* as planned, but slower than planned or than most of its kind */
    HD_CABLES_DEAD,    /* a planned device of which no cable is found */
    HD_CABLES_KINDS
};

struct hd_cables_fault {
    enum hd_cables_kind kind;
    const struct hd_cables_row *planned, *found;   /* NULL: there is none */
    const struct hd_cables_row *planned2, *found2; /* of a swap */
    const char *node, *key;                        /* of DEAD; key: of one of its ends */
    uint32_t cables;                               /* of DEAD: how many are planned */
    uint8_t usual;                                 /* of SLOW: the rate it should have */
    double cost;                                   /* share of EBB, estimated */
};

struct hd_cables_renamed { /* no fault */
    const char *planned, *found;
    uint64_t guid; /* of both */
};

struct hd_cables {
    uint32_t planned, found, matched; /* cables; found ones without those inside a chassis and of aggregation nodes */
    uint32_t inside, aggregation;     /* that were left out */
    uint32_t nfault;
    struct hd_cables_fault *fault; /* by falling cost, kind, cables between switches first, name */
    uint32_t count[HD_CABLES_KINDS];
    uint32_t nrenamed;
    struct hd_cables_renamed *renamed; /* by planned name */
    void *arena;                       /* private */
};

/* Compares plans (NDT or PTP CSV, .topo of ibdm, DOT, or anything that is a network) with a network, or with what LLDP
 * found: a JSON file of lldpcli whose name is that of the host, or a folder of them. */
hd_status hd_cables_compare(struct hd_ctx *ctx, const char *const *plan, uint32_t nplan, const char *found,
                            const struct hd_open *open, struct hd_cables **cables);
void hd_cables_free(struct hd_cables *cables);
/* "missing", ... */
const char *hd_cables_name(enum hd_cables_kind kind);

#endif
