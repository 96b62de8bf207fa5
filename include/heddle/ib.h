/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/ib.h - other programs of the InfiniBand world: a second opinion on routes, and all that OpenSM
 * needs to run with them. (OpenSM itself is an engine: "opensm:engine=ftree".)
 *
 * Threads. One context per concurrent call, routes may be shared. Programs are started in a process group and a
 * folder of their own, so that calls do not disturb each other. */
#ifndef HEDDLE_IB_H
#define HEDDLE_IB_H

#include "heddle/route.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ibdmchk of ibutils shares no code with us. It is judged by what it prints, since it crashes behind
 * its last verdict. -1: it did not get so far. */
struct hd_second {
    int connected;     /* 1: every pair of adapters arrives */
    int deadlock_free; /* 1: no credit loop found */
    char said[256];    /* the line with its verdict, or its last complaint */
};

/* programs: the folder of ibdmchk, NULL: the usual ones. HD_INPUT when it cannot read such routes (more
 * than one LID a port, lanes unknown), HD_LIMIT when it is not installed. */
HD_API hd_status hd_routes_second(struct hd_ctx *ctx, const struct hd_routes *r, const char *programs,
                                  struct hd_second *second);

/* Writes into folder, which is made when it is not there: tables, LIDs, lanes, a configuration, files for
 * ibdmchk, and a README with the steps to take and to undo. HD_FAULT, and why, when the routes fail their
 * check; force writes them all the same. HD_INPUT when lanes cannot be expressed. */
HD_API hd_status hd_deploy(struct hd_ctx *ctx, const struct hd_routes *r, const char *folder, bool force);

/* Writes the steps of a transition into folder, which is made when it is not there: step-1.lft, step-2.lft, ... as
 * OpenSM reads them, and a README. HD_FAULT if there are no steps. */
HD_API hd_status hd_transition_write(struct hd_ctx *ctx, const struct hd_transition *transition, const char *folder);
/* The same with out-1.lft, ... and back-1.lft, ...; HD_FAULT if not all of them are proved. */
HD_API hd_status hd_maintenance_write(struct hd_ctx *ctx, const struct hd_maintenance *maintenance, const char *folder);

#ifdef __cplusplus
}
#endif
#endif
