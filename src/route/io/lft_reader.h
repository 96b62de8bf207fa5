/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that read forwarding tables share (fmt_lft_read.c). */
#ifndef HD_ROUTE_IO_LFT_READER_H
#define HD_ROUTE_IO_LFT_READER_H

#include "route/io/fmt_far.h"
#include "route/io/fmt_lft.h"

struct lft_section { /* entries of a switch: slot + 1 by LID, 0: none */
    uint8_t *slot;
    uint32_t room;
};

struct lft_own { /* what a switch has for one of its own LIDs, as own_entry of the routes */
    uint32_t v, lid;
    uint16_t port;
};

/* A LID of a subnet; of the only one it is the LID itself. */
#define LID_OF_KEY(key) ((key)&0xffff)
#define NO_TOP UINT32_MAX

struct lft_trouble { /* something that is not an error, counted and noted once */
    uint64_t count, line;
};

/* What tells whether the file is whole (lft_end.c). */
struct lft_end {
    uint32_t tables;        /* begun so far */
    uint64_t guid;          /* of the last of them: its switch */
    bool fdbs;              /*   OpenSM's form that lists every LID */
    bool range, dumped;     /*   its title has a range of LIDs; "lids dumped" came */
    uint32_t lid;           /*   its last LID, 0: none yet */
    uint32_t closed, open;  /* tables before it with a range: those with and without "lids dumped" */
    uint32_t last;          /* their last LID, NO_TOP: they differ */
    uint32_t digits, words; /* fewest of the first entries: digits of the port, words before a comment; 0: none yet */
    bool padded;            /* zeros stand before ports */
};

struct lft_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    const struct hd_net *net;
    struct hd_arena *a;
    struct hd_guid_index guids;
    struct hd_lft_extra extra;
    uint32_t lines; /* of the switch so far */
    struct hd_lft_owners owners;
    uint32_t *by_lid, nby_lid; /* node of each LID in the network, below nby_lid; as owners, by hd_lft_key */
    uint32_t *subnet_of;       /* [nsw+nep], NULL: one subnet */

    struct lft_section *section; /* [nsw] */
    bool *seen;                  /* [nsw] */
    uint32_t v;                  /* current switch, HD_LFT_NOBODY: one the network has not, HD_LFT_UNSEEN: none yet */
    uint8_t slot_of[256];        /* slot of each of its ports */
    bool switches;               /* entries towards switches came */
    struct lft_own *own;         /* [nown] */
    uint32_t nown, own_room;
    uint32_t top;      /* last LID in the titles of dump_fts and ibroute, 0: none, NO_TOP: they differ */
    bool top_listed;   /* and it has an entry */
    struct hd_far far; /* of a far file */
    struct lft_end end;
    struct lft_trouble no_cable, no_node, no_switch, more_tables;
};

/* Where a LID is listed that has a meaning in the subnet of node v. Tables with # heddle lines have distinct LIDs. */
static inline uint32_t hd_lft_key(const struct lft_reader *r, uint32_t v, uint32_t lid)
{
    return r->subnet_of && !r->extra.present ? r->subnet_of[v] << 16 | lid : lid;
}

/* The entry of switch v for the LID of a key; a switch of another subnet has none. */
static inline uint8_t hd_lft_slot_at(const struct lft_reader *r, uint32_t v, uint32_t key)
{
    const struct lft_section *s = &r->section[v];
    const uint32_t lid = LID_OF_KEY(key);
    if (key != hd_lft_key(r, v, lid)) return HD_SLOT_NONE;
    return lid && lid < s->room && s->slot[lid] ? (uint8_t)(s->slot[lid] - 1) : HD_SLOT_NONE;
}

/* The entry of the current switch for a LID; a second one is an error. */
hd_status hd_lft_keep(struct lft_reader *r, uint32_t lid, uint8_t slot);

/* What switches have for LIDs of their own (lft_own.c): one more, as it is read; all by switch and LID, for which the
 * worst of several entries counts; then what switch v has, HD_OWN_NONE: no entry. A switch without a table says
 * nothing. */
hd_status hd_lft_keep_own(struct lft_reader *r, uint32_t v, uint32_t lid, uint32_t port);
void hd_lft_own_sort(struct lft_reader *r);
uint16_t hd_lft_own_at(const struct lft_reader *r, uint32_t v, uint32_t lid);

/* The last LID (lft_top.c): what the title of a switch says of it, and the entries that were left out. */
void hd_lft_top_title(struct lft_reader *r, const char *line);
hd_status hd_lft_top_complete(struct lft_reader *r);

/* The end of the file (lft_end.c): the table of a switch begins, its first entry, a last line without a line end, and
 * all lines. */
void hd_lft_end_begin(struct lft_reader *r, const char *title, uint64_t guid);
void hd_lft_end_entry(struct lft_reader *r, const char *line);
hd_status hd_lft_end_line(struct lft_reader *r, const char *line);
hd_status hd_lft_end_check(struct lft_reader *r);

#endif
