/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/planes.h - the planes of a fabric whose switch systems have an ASIC in each. Not installed: shared by library
 * and command. */
#ifndef HEDDLE_TOOL_PLANES_H
#define HEDDLE_TOOL_PLANES_H

#include "heddle/net.h"

struct hd_plane_difference {
    uint32_t part;           /* the plane in which it is, as hd_net_parts numbers components */
    bool missing;            /* most planes have this cable and this one has not; false: the other way about */
    struct hd_plug from, to; /* its ends there; node UINT32_MAX: the system has no ASIC in this plane */
};

struct hd_planes {
    uint32_t n;       /* planes; 0: the fabric has none */
    uint32_t systems; /* with ASICs in several of them */
    uint32_t ndifference;
    struct hd_plane_difference *difference; /* by plane, then by cable */
    void *arena;                            /* private */
};

/* Planes are connected components with endpoints, such that a switch system (by system image GUID) has at most one ASIC
 * in each and most systems have one in every plane. Cables are then the same if systems, ports and hosts are.
 * O(n log n). */
hd_status hd_planes_find(struct hd_ctx *ctx, const struct hd_net *net, struct hd_planes **planes);
void hd_planes_free(struct hd_planes *planes);

#endif
