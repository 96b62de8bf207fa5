/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/watch.h - the log of OpenSM's plug-in, read back. Not installed: shared by library and command. */
#ifndef HEDDLE_TOOL_WATCH_H
#define HEDDLE_TOOL_WATCH_H

#include "tool/fabric_changes.h"

/* One line of the log. */
struct hd_sweep {
    uint64_t time, number;
    bool tables, patched, kept;
    char engine[HD_MAX_SPEC];
    char failed[512];
    struct hd_fabric_change change;
    uint64_t switches, endpoints, vls, pairs, entries_changed, blocks_changed, switches_changed;
    double ebb, seconds; /* negative: not known */
};

/* Calls visit for every line, in order; the struct is valid during the call. HD_INPUT for a line that is none. */
hd_status hd_sweeps_read(struct hd_ctx *ctx, const char *path, void (*visit)(void *user, const struct hd_sweep *sweep),
                         void *user);

#endif
