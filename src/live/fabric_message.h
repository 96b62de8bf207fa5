/* SPDX-License-Identifier: BSD-2-Clause */
/* What the plug-in in the subnet manager and the worker process exchange: one request and one reply per sweep, each a
 * sealed piece of shared memory that neither side can change once the other has it. Both are a head, arrays and text in
 * a row, in the byte order of the machine; hd_fabric_parts and hd_reply_parts say where each begins, and refuse sizes
 * that do not add up, so that a reader never looks outside of what it was given. Nothing here needs the library. */
#ifndef HD_LIVE_FABRIC_MESSAGE_H
#define HD_LIVE_FABRIC_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HD_FABRIC_MAGIC = 0x68666233,
    HD_REPLY_MAGIC = 0x68727031,
    HD_FABRIC_NO_PORT = 255, /* an entry that leads nowhere, as in OpenSM */
    HD_FABRIC_MAX_LID = 0xbfff,
    HD_FABRIC_MOST_NODES = 1 << 20,
    HD_FABRIC_MOST_PORTS = 1 << 24,
    HD_FABRIC_MOST_TEXT = 1 << 28,
    HD_LIVE_MOST_ENGINES = 16
};

struct hd_fabric_head {
    uint64_t bytes; /* of the whole request */
    uint32_t magic;
    uint32_t nodes, switches, ports; /* switches are the first of the nodes */
    uint32_t last_lid;               /* tables have last_lid + 1 entries, that of LID 0 unused */
    uint32_t text;                   /* bytes; the first string is the options of the plug-in */
    /* A bit for each engine of the options: not to be tried for this request. HD_LIVE_MOST_ENGINES: nor anything that
     * proved tables can do without. */
    uint32_t avoid;
    uint8_t vls;                /* data VLs that every cable between switches has */
    uint8_t qos;                /* the subnet manager writes SL2VL tables */
    uint8_t new_master;         /* it has just become master: what switches hold is not known */
    uint8_t settled;            /* packets from before the last step, if there was one, have left the fabric */
    uint64_t sweeps, fallbacks; /* requests before this one, and how many of them ended without tables */
    uint32_t sm_lid;            /* of the port that the subnet manager is on; 0: not known */
    uint32_t unused;
};

struct hd_fabric_node {
    uint64_t guid, system;
    uint32_t name; /* offset in text */
    uint16_t lid;  /* of a switch */
    uint8_t lmc;   /* of a switch */
    uint8_t type;  /* 1: adapter, 2: switch, 3: router */
    uint8_t nports;
    uint8_t unused[7];
};

/* A port with a cable. Port 0: this record is not used. */
struct hd_fabric_port {
    uint64_t guid; /* of an adapter's port */
    uint32_t node, remote;
    uint16_t lid; /* of an adapter's port */
    uint8_t lmc;
    uint8_t port, rport;
    uint8_t width, speed, speed_ext; /* in use, as the port info has them */
};

struct hd_fabric_parts {
    const struct hd_fabric_head *head;
    const struct hd_fabric_node *node;
    const struct hd_fabric_port *port;
    const uint8_t *table; /* [switch * (last_lid + 1) + lid] ports that the switches have now */
    const char *text;
};

/* HD_MORE_SAME: a step that was handed over before, and the pause after it goes on. */
enum { HD_MORE_NEW = 1, HD_MORE_SAME = 2 };

struct hd_reply_head {
    uint64_t bytes;
    uint32_t magic;
    uint32_t switches, last_lid; /* of the request; 0: no tables, and text says why */
    uint32_t vls;                /* in use; 1: any service level will do */
    uint32_t sl_rows;            /* rows of service levels; 0 with one VL */
    uint32_t text;               /* bytes: the line for the log */
    uint32_t more;               /* the tables are a step, to be followed by another request; 0: they are not */
    uint32_t unused;
};

struct hd_reply_parts {
    const struct hd_reply_head *head;
    const uint32_t *row;  /* [last_lid + 1] of service levels, by LID of the source; UINT32_MAX: none */
    const uint8_t *table; /* [switch * (last_lid + 1) + lid] ports */
    const uint8_t *level; /* [row * (last_lid + 1) + lid] service levels */
    const char *text;
};

/* What either side sends beside the memory: a request, a reply, or that the worker begins with engine `engine`;
 * HD_LIVE_MOST_ENGINES: with something that no engine does. */
enum hd_live_kind { HD_LIVE_REQUEST = 1, HD_LIVE_REPLY, HD_LIVE_TRYING };
struct hd_live_note {
    uint32_t kind, number; /* number: of the request */
    uint32_t engine;
    uint32_t unused;
};

static inline size_t hd_fabric_bytes(const struct hd_fabric_head *h)
{
    return sizeof *h + h->nodes * sizeof(struct hd_fabric_node) + h->ports * sizeof(struct hd_fabric_port) +
           (size_t)h->switches * (h->last_lid + 1) + h->text;
}

static inline size_t hd_reply_bytes(const struct hd_reply_head *h)
{
    const size_t lids = h->switches ? h->last_lid + (size_t)1 : 0;
    return sizeof *h + (h->sl_rows ? lids * sizeof(uint32_t) : 0) + (h->switches + (size_t)h->sl_rows) * lids + h->text;
}

/* False where the sizes are not those of a request in this many bytes, or text does not end with NUL. */
static inline bool hd_fabric_parts(const void *memory, size_t bytes, struct hd_fabric_parts *p)
{
    const struct hd_fabric_head *h = (const struct hd_fabric_head *)memory;
    if (bytes < sizeof *h || h->magic != HD_FABRIC_MAGIC || h->nodes > HD_FABRIC_MOST_NODES || h->switches > h->nodes ||
        h->ports > HD_FABRIC_MOST_PORTS || h->last_lid > HD_FABRIC_MAX_LID || h->text > HD_FABRIC_MOST_TEXT || !h->text)
        return false;
    if (h->bytes != bytes || hd_fabric_bytes(h) != bytes) return false;
    p->head = h;
    p->node = (const struct hd_fabric_node *)(const void *)(h + 1);
    p->port = (const struct hd_fabric_port *)(const void *)(p->node + h->nodes);
    p->table = (const uint8_t *)(p->port + h->ports);
    p->text = (const char *)p->table + (size_t)h->switches * (h->last_lid + 1);
    return p->text[h->text - 1] == 0;
}

static inline bool hd_reply_parts(const void *memory, size_t bytes, struct hd_reply_parts *p)
{
    const struct hd_reply_head *h = (const struct hd_reply_head *)memory;
    if (bytes < sizeof *h || h->magic != HD_REPLY_MAGIC || h->switches > HD_FABRIC_MOST_NODES ||
        h->sl_rows > HD_FABRIC_MAX_LID || h->last_lid > HD_FABRIC_MAX_LID || h->text > HD_FABRIC_MOST_TEXT || !h->text)
        return false;
    if (h->bytes != bytes || hd_reply_bytes(h) != bytes) return false;
    const size_t lids = h->switches ? h->last_lid + (size_t)1 : 0;
    p->head = h;
    p->row = (const uint32_t *)(const void *)(h + 1);
    p->table = (const uint8_t *)(p->row + (h->sl_rows ? lids : 0));
    p->level = p->table + h->switches * lids;
    p->text = (const char *)p->level + h->sl_rows * lids;
    return p->text[h->text - 1] == 0;
}

#endif
