/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of a design hand each other: candidates from sizes alone, then counts and figures of the generated
 * fabric. */
#ifndef HD_DESIGN_DESIGN_STEPS_H
#define HD_DESIGN_DESIGN_STEPS_H

#include "base/arena.h"
#include "heddle/net.h"
#include "heddle/design.h"

enum { HD_DESIGN_FAMILY = 40, HD_DESIGN_ENGINES = 3 };

/* Which routings are considered, best first; the first that is not too much work is taken. */
enum hd_design_kind { HD_DESIGN_TREE, HD_DESIGN_HYPERX, HD_DESIGN_TORUS, HD_DESIGN_OTHER };

struct hd_design_candidate {
    char family[HD_DESIGN_FAMILY], spec[HD_MAX_SPEC];
    enum hd_design_kind kind;
    uint64_t grows_to; /* 0: as many as the switches have free ports */
    uint32_t planes;
};

struct hd_design_list {
    struct hd_design_candidate *row;
    uint32_t n, room;
    const char *absent; /* families without a candidate, with commas; "": all have one */
};

struct hd_designing {
    struct hd_ctx *ctx;
    struct hd_arena *arena; /* of the result */
    struct hd_design *d;
    const struct hd_design_racks *racks; /* NULL: no plan */
    uint32_t refused;                    /* candidates that no engine routes */
    const char *why;                     /* of the first of them */
};

/* A rack plan: hosts in racks, racks in rows, lengths in metres. */
struct hd_design_racks {
    uint64_t endpoints, switches, row; /* of a rack, of a rack for switches without endpoints; racks of a row */
    double width, aisle, slack, inside;
};

/* "key value" lines over the built-in prices; path NULL: these alone. */
hd_status hd_design_read_prices(struct hd_ctx *ctx, const char *path, struct hd_design_prices *prices);
hd_status hd_design_read_racks(struct hd_ctx *ctx, const char *text, struct hd_design_racks *racks);
/* All candidates that can be built. */
hd_status hd_design_candidates(struct hd_ctx *ctx, const struct hd_design_in *in, struct hd_arena *arena,
                               struct hd_design_list *list);
/* Cables, lengths, power and cost of a generated fabric. */
hd_status hd_design_count(const struct hd_designing *g, const struct hd_net *net,
                          const struct hd_design_candidate *from, struct hd_design_row *row);
/* EBB, worst case and the loss of a switch. */
hd_status hd_design_measure(struct hd_designing *g, const struct hd_net *net, const struct hd_design_candidate *from,
                            struct hd_design_row *row);

/* A formatted text that lives as long as the design; NULL: no memory. */
const char *hd_design_text(struct hd_arena *arena, const char *fmt, ...) HD_PRINTF(2, 3);

#endif
