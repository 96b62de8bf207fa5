/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables by the names of their ends, from whatever file. Two ends are the same if their keys are: the device in small
 * letters, a separator and the port in one form (12/1, sw12p1 and port 23 are the same; Blade 16_Port 2/20 is port 20
 * of ASIC L16/U2). */
#ifndef HD_CABLES_CABLE_LIST_H
#define HD_CABLES_CABLE_LIST_H

#include "base/arena.h"
#include "base/input.h"
#include "tool/cables.h"

#define HD_CABLES_MARK "\x1f" /* between device and port of a key */

enum { HD_CABLES_TEXT = 200 }; /* bytes of a device's or a port's name */

struct hd_cable_list {
    struct hd_ctx *ctx;
    struct hd_arena *arena; /* of the result */
    struct hd_cables_row *row;
    uint32_t n, room;
    uint32_t inside, aggregation; /* left out */
};

struct hd_cables_place { /* of a row */
    const char *file;
    uint32_t line;
    uint8_t link;
};

/* An end as a file writes it. HD_INPUT, without a place, if a name is empty or too long. */
hd_status hd_cables_end_make(struct hd_cable_list *list, const char *device, const char *port,
                             struct hd_cables_end *end);
hd_status hd_cables_add(struct hd_cable_list *list, const struct hd_cables_end *a, const struct hd_cables_end *b,
                        const struct hd_cables_place *place);
/* Rows of a plan; *known is false, and nothing was read, if it is none of the plan formats. */
hd_status hd_plan_read(struct hd_cable_list *list, struct hd_in *in, bool *known);
/* The link that a text names, *link 0 if it says that there is none to name; false: it is not known. */
bool hd_plan_rate(const char *text, uint8_t *link);
/* That of so many lanes of a rate; 0: none. */
uint8_t hd_plan_lanes(unsigned width, double gbps);
/* What lldpcli says of the neighbours of host. */
hd_status hd_lldp_read(struct hd_cable_list *list, struct hd_in *in, const char *host);
/* All cables of a network but those inside a chassis and those of aggregation nodes. */
hd_status hd_cables_of_net(struct hd_cable_list *list, const struct hd_net *net, const char *file);
/* Planned devices whose GUIDs are found under new names take these, and are listed in cables->renamed. */
hd_status hd_cables_rename(struct hd_cable_list *plan, const struct hd_cable_list *found, struct hd_cables *cables);
/* Sets the cost of every fault, for which no more than the plan is needed. */
hd_status hd_cables_cost(const struct hd_cable_list *plan, struct hd_cables *cables);
/* Bytes of the key that name the switch: the device, and the ASIC inside it. */
size_t hd_cables_switch_key(const char *key);

#endif
