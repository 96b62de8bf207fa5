/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/fabric_changes.h - a fabric over time: what changed from one state to the next. Not installed: shared by
 * library and command. */
#ifndef HEDDLE_TOOL_FABRIC_CHANGES_H
#define HEDDLE_TOOL_FABRIC_CHANGES_H

#include "heddle/net.h"

/* Nodes are known by their GUIDs, cables between switches by the ports at both ends. Cables of a switch that came or
 * went are counted too, and endpoints that went on from or to such a switch have moved. */
struct hd_fabric_change {
    uint32_t switches_lost, switches_new;
    uint32_t endpoints_lost, endpoints_new;
    uint32_t endpoints_moved;         /* in both, at another switch or port */
    uint32_t cables_lost, cables_new; /* between switches */
    uint32_t rates_changed;           /* of cables in both, and of endpoints in both */
    uint32_t lids_changed;            /* of nodes in both */
    char first[200]; /* one of the nodes or cables lost, else of the new, else of the moved ones, in words; may be "" */
    char names[760]; /* the first eight of them, with commas, and how many more there are; may be "" */
};

/* before may be NULL: then everything is new. O(N log N). */
hd_status hd_fabric_compare(struct hd_ctx *ctx, const struct hd_net *before, const struct hd_net *after,
                            struct hd_fabric_change *change);
static inline bool hd_fabric_changed(const struct hd_fabric_change *c)
{
    return c->switches_lost || c->switches_new || c->endpoints_lost || c->endpoints_new || c->endpoints_moved ||
           c->cables_lost || c->cables_new || c->rates_changed || c->lids_changed;
}
enum { HD_CHANGE_TEXT = 1200 };
/* "2 cables lost, 1 switch new (cable ..., cable ..., switch ...)"; "fabric unchanged". */
void hd_fabric_change_text(const struct hd_fabric_change *change, char text[HD_CHANGE_TEXT]);

#endif
