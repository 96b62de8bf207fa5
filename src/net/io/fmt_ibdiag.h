/* SPDX-License-Identifier: BSD-2-Clause */
/* What ibdiagnet writes about a fabric (fmt_ibdiag.c): rows are kept, and become a network at the end. */
#ifndef HD_NET_IO_FMT_IBDIAG_H
#define HD_NET_IO_FMT_IBDIAG_H

#include "base/input.h"
#include "net/io/net_draft.h"

enum hd_ibdiag_section { HD_IBDIAG_NONE, HD_IBDIAG_NODES, HD_IBDIAG_PORTS, HD_IBDIAG_LINKS, HD_IBDIAG_OTHER };
enum { HD_IBDIAG_COLUMNS = 7 };

struct hd_ibdiag_state {
    struct hd_bag nodes, ports, links;
    enum hd_ibdiag_section section;
    char name[64];                 /* of the section */
    uint32_t start;                /* its first line */
    bool header;                   /* was read */
    int column[HD_IBDIAG_COLUMNS]; /* of this section: where each is, -1: missing */
    int last;                      /* the last of those that must be there */
    uint64_t guid;                 /* switch of net_dump, 0: none yet */
    const char *file;              /* that the links come from; NULL: none came */
};

void hd_ibdiag_init(struct hd_ibdiag_state *s);
/* One line of a db_csv file or of opensm-smdb.dump. */
hd_status hd_ibdiag_csv_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                             char *line);
/* The end of such a file. */
hd_status hd_ibdiag_csv_end(struct hd_ctx *ctx, const struct hd_in *in, const struct hd_ibdiag_state *s);
/* One line of a net_dump file. */
hd_status hd_ibdiag_dump_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                              const char *line);
/* All rows as nodes and cables. */
hd_status hd_ibdiag_finish(struct hd_ctx *ctx, struct hd_draft *d, struct hd_ibdiag_state *s);

#endif
