/* SPDX-License-Identifier: BSD-2-Clause */
/* A network as a file lists it: nodes by id, each port with what it leads to, and the line each came
 * from, so that whatever does not fit together is reported with its line. A node exists as soon as it is
 * named; its record may come later. Everything lives in one arena, given up once the builder is fed. */
#ifndef HD_NET_IO_NET_DRAFT_H
#define HD_NET_IO_NET_DRAFT_H

#include "net/core/paged_array.h"
#include "net/core/builder.h"
#include "net/io/name_map.h"

struct hd_draft_node {
    const char *id, *name; /* name NULL: the id */
    uint64_t guid, system; /* system 0: the GUID */
    uint32_t hash;         /* of the id */
    uint32_t line;         /* of its record, 0: only named by others so far */
    uint32_t first;        /* its ports in draft.order, once grouped */
    uint32_t handle;       /* of the builder, switches only */
    uint16_t lid;          /* switches only */
    uint8_t lmc;           /* of the LID: switches with an enhanced port 0 */
    uint8_t used;          /* ports listed */
    uint8_t nports;
    uint8_t is_switch, role;
};

struct hd_draft_port {
    uint32_t node, remote;
    uint32_t line;
    uint32_t end; /* adapters: index in draft.end */
    uint8_t port, rport, link;
};

struct hd_draft_end {
    uint64_t guid; /* 0: node GUID + port number */
    uint32_t line;
    uint16_t lid;
    uint8_t lmc; /* of the LID, if there is one */
};

struct hd_draft_word { /* a link's width and speed that is not known: how often, and where first */
    uint32_t count, line;
    char word[24];
};

struct hd_draft_loop { /* a port that is cabled to its own node: how many lines have one, and the first */
    uint32_t count, line, port;
    char id[65];
};

struct hd_draft {
    struct hd_arena *arena;
    const char *file; /* for messages */
    struct hd_bag node, port, end;
    struct hd_draft_word unknown;
    struct hd_draft_loop loop;
    uint32_t *slot; /* hash table of node + 1, a power of two */
    uint32_t slots;
    uint32_t *order; /* ports grouped by node, by increasing port number */
    char *text;      /* where the next id or name goes */
    size_t text_left;
    bool roles; /* the file says what adapters are there for */
};

hd_status hd_draft_init(struct hd_ctx *ctx, struct hd_draft *d, struct hd_arena *arena, const char *file);
/* The node of an id, made when it is new. An id has no control characters. */
hd_status hd_draft_find(struct hd_ctx *ctx, struct hd_draft *d, const char *id, size_t len, uint32_t *v);
/* Bytes of a name that are kept, as many as are written: nodes describe themselves in 64. What a longer one ends in
 * would be lost on the way through a file, and with it what was made of it. */
enum { HD_DRAFT_NAME = 160 };
/* At most room bytes of a longer text, without cutting a UTF-8 character in two. */
static inline size_t hd_draft_cut(const char *text, size_t room)
{
    size_t n = room;
    while (n > room - 3 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    return n;
}
/* A copy of [s, s + len) with control characters made blanks, cut to HD_DRAFT_NAME. */
hd_status hd_draft_name(struct hd_ctx *ctx, struct hd_draft *d, const char *s, size_t len, const char **name);
/* A copy of [s, s + len) as it is, with a NUL behind it. */
hd_status hd_draft_bytes(struct hd_ctx *ctx, struct hd_draft *d, const char *s, size_t len, const char **copy);
/* One listed port of p->node; e is NULL for switches. The caller has checked p->port. A port that is cabled to its own
 * node, as for tests of ports, carries no traffic: it is left out and noted. */
void hd_draft_leave_loop(struct hd_draft *d, uint32_t line, uint32_t port, const char *id);
hd_status hd_draft_add(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_draft_port *p,
                       const struct hd_draft_end *e);
/* The link of a word such as 4xQDR at this line; 0, noted when the draft is built, for one that is not known. */
uint8_t hd_draft_link(struct hd_draft *d, const char *word, size_t len, uint32_t line);
/* Check that everything fits together and feed the builder, switches and adapters by increasing GUID.
 * map may be empty. */
hd_status hd_draft_build(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_name_map *map, struct hd_builder *b);

static inline struct hd_draft_node *hd_draft_node(const struct hd_draft *d, uint32_t v)
{
    return hd_bag_at(&d->node, v);
}

#endif
