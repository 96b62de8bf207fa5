/* SPDX-License-Identifier: BSD-2-Clause */
/* The binary file that ibnetdiscover --cache writes. Its layout is the library's own, but it does not depend on how
 * that was built: numbers are little endian and packed, and a magic number and a version begin the file, so that any
 * other version is refused. What the subnet answered is kept as it came, 64 bytes in the order of InfiniBand's MADs.
 *
 *     header   magic u32, version u32 = 1, nodes u32, ports u32, GUID u64, hops u32
 *     node     LID u16, LMC u8, u8, SwitchInfo [64], GUID u64, type u8 (1 adapter, 2 switch, 3 router), ports u8,
 *              NodeInfo [64], description [64], count u8, and count times: GUID u64, port u8
 *     port     GUID u64, number u8, u8, LID u16, LMC u8, PortInfo [64], GUID of its node u64, cabled u8, and the other
 *              end: GUID u64, number u8
 *
 * Ports of a switch have its GUID and include port 0. The other end is known by GUID and number, so ports are kept
 * until all have come. Messages count nodes and ports as other files have lines. Cost: O(n log n). */
#include "net/io/fmt_ibnet.h"
#include "base/keyed.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 28, NODE = 15 + 3 * 64, KEY = 9, PORT = 31 + 64, MAX_CACHED = 1 << 26 };

struct cached_port {
    uint64_t guid, node, remote;
    uint32_t record;
    uint16_t lid;
    uint8_t port, rport, lmc, link; /* rport 0: no cable */
};

struct cache_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    struct hd_draft *d;
    struct hd_bag ports;
    struct hd_keyed *node, *owner; /* draft's node by GUID; a port by GUID */
    uint32_t nodes, nports, record;
};

static uint64_t little(const unsigned char *b, int bytes)
{
    uint64_t v = 0;
    while (bytes-- > 0) v = v << 8 | b[bytes];
    return v;
}

static uint64_t big(const unsigned char *b, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | b[i];
    return v;
}

static hd_status cache_bytes(struct cache_reader *r, unsigned char *to, size_t n)
{
    size_t got;
    HD_TRY(hd_in_bytes(r->ctx, r->in, to, n, &got));
    if (got == n) return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%.200s: cache of ibnetdiscover ends after %u of %llu nodes and ports", r->d->file,
                   r->record, (unsigned long long)r->nodes + r->nports);
}

static hd_status cache_header(struct cache_reader *r)
{
    unsigned char b[HEADER];
    HD_TRY(cache_bytes(r, b, sizeof b));
    uint64_t version = little(b + 4, 4), nodes = little(b + 8, 4), ports = little(b + 12, 4);
    if (version != 1)
        return hd_fail(
            r->ctx, HD_INPUT,
            "%.200s: cache of ibnetdiscover, version %llu: expected 1, or the text that ibnetdiscover prints",
            r->d->file, (unsigned long long)version);
    if (!nodes || nodes + ports > MAX_CACHED)
        return hd_fail(r->ctx, HD_INPUT,
                       "%.200s: cache of ibnetdiscover with %llu nodes and %llu ports: expected 1 to %d", r->d->file,
                       (unsigned long long)nodes, (unsigned long long)ports, MAX_CACHED);
    r->nodes = (uint32_t)nodes;
    r->nports = (uint32_t)ports;
    return HD_OK;
}

static hd_status cache_node(struct cache_reader *r)
{
    unsigned char b[NODE], keys[255 * KEY];
    char id[32];
    uint32_t v;
    HD_TRY(cache_bytes(r, b, sizeof b));
    HD_TRY(cache_bytes(r, keys, (size_t)b[NODE - 1] * KEY)); /* the ports say as much */
    const unsigned char *info = b + 78, *text = info + 64;
    const uint64_t guid = little(b + 68, 8);
    const uint32_t type = b[76], nports = b[77], lid = (uint32_t)little(b, 2);
    r->record++;
    if (!guid || type < 1 || type > 3 || nports < 1 || nports > HD_MAX_PORTS || (lid > HD_MAX_LID && lid != 0xffff))
        return hd_fail(
            r->ctx, HD_INPUT,
            "%.200s:%u: node 0x%016llx of type %u with %u ports and LID %u: expected type 1 to 3 and at most "
            "%d ports",
            r->d->file, r->record, (unsigned long long)guid, type, nports, lid, HD_MAX_PORTS);
    int len = snprintf(id, sizeof id, "%c-%016llx", "HSR"[type - 1], (unsigned long long)guid);
    HD_TRY(hd_draft_find(r->ctx, r->d, id, (size_t)len, &v));
    struct hd_draft_node *n = hd_draft_node(r->d, v);
    if (n->line)
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: node \"%s\" is node %u already: expected one of each", r->d->file,
                       r->record, id, n->line);
    size_t name = strnlen((const char *)text, 64);
    while (name && text[name - 1] == ' ') name--;
    if (name) HD_TRY(hd_draft_name(r->ctx, r->d, (const char *)text, name, &n->name));
    n->line = r->record;
    n->guid = guid;
    n->system = big(info + 4, 8);
    n->nports = (uint8_t)nports;
    n->is_switch = type == 2;
    n->role = (uint8_t)(type == 3 ? HD_ROLE_ROUTER : hd_ibnet_role(n->name ? n->name : n->id));
    if (n->is_switch) hd_ibnet_lid(lid, &n->lid);
    return HD_OK;
}

/* Width and speed in use. Extended speeds, of FDR and later, are in a field of their own. */
static uint8_t cache_link(struct cache_reader *r, const unsigned char *info)
{
    static const char *const widths[] = {"1x", "4x", "8x", "12x", "2x"}, *const plain[] = {"SDR", "DDR", "QDR"},
                             *const extended[] = {"FDR", "EDR", "HDR", "NDR"};
    uint32_t width = info[31], speed = info[35] >> 4, ext = info[62] >> 4;
    char word[32];
    int w = 0, s = 0;
    while (w < 5 && width != 1u << w) w++;
    while (s < (ext ? 4 : 3) && (ext ? ext : speed) != 1u << s) s++;
    bool known = w < 5 && s < (ext ? 4 : 3);
    int len = known ? snprintf(word, sizeof word, "%s%s", widths[w], ext ? extended[s] : plain[s])
                    : snprintf(word, sizeof word, "width %u speed %u.%u", width, speed, ext);
    return hd_draft_link(r->d, word, (size_t)len, r->record);
}

static hd_status cache_port(struct cache_reader *r)
{
    unsigned char b[PORT];
    HD_TRY(cache_bytes(r, b, sizeof b));
    struct cached_port *p = hd_bag_push(&r->ports, r->d->arena);
    if (!p) return hd_fail_memory(r->ctx);
    const unsigned char *end = b + 13 + 64;
    const uint32_t lid = (uint32_t)little(b + 10, 2);
    *p = (struct cached_port){.guid = little(b, 8),
                              .node = little(end, 8),
                              .remote = little(end + 9, 8),
                              .record = ++r->record,
                              .port = b[8],
                              .rport = end[8] ? end[17] : 0,
                              .lmc = b[12]};
    if (!p->guid || p->port > HD_MAX_PORTS || p->rport > HD_MAX_PORTS || p->lmc > 7 || !hd_ibnet_lid(lid, &p->lid))
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: port %u with GUID 0x%016llx, LID %u and LMC %u: expected a port",
                       r->d->file, r->record, p->port, (unsigned long long)p->guid, lid, p->lmc);
    if (p->port && p->rport) p->link = cache_link(r, b + 13);
    return HD_OK;
}

/* The draft's node that owns ports of a GUID. */
static hd_status cache_owner(const struct cache_reader *r, const struct cached_port *from, uint64_t guid, uint32_t *v)
{
    uint32_t i = hd_find_key(r->owner, r->nports, sizeof *r->owner, guid);
    const struct cached_port *p = i < r->nports ? hd_bag_at(&r->ports, r->owner[i].value) : NULL;
    uint32_t n = p ? hd_find_key(r->node, r->nodes, sizeof *r->node, p->node) : r->nodes;
    if (n == r->nodes)
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: no node has a port with GUID 0x%016llx: expected one", r->d->file,
                       from->record, (unsigned long long)guid);
    *v = r->node[n].value;
    return HD_OK;
}

/* Port 0 has the LMC of its switch. */
static void cache_switch_lmc(const struct cache_reader *r, const struct cached_port *p)
{
    const uint32_t i = hd_find_key(r->node, r->nodes, sizeof *r->node, p->node);
    struct hd_draft_node *n = i < r->nodes ? hd_draft_node(r->d, r->node[i].value) : NULL;
    if (n && n->is_switch && n->lid) n->lmc = p->lmc;
}

static hd_status cache_cable(struct cache_reader *r, const struct cached_port *p)
{
    struct hd_draft_port listed = {.line = p->record, .port = p->port, .rport = p->rport, .link = p->link};
    const struct hd_draft_end e = {.guid = p->guid, .line = p->record, .lid = p->lid, .lmc = p->lmc};
    if (!p->port) cache_switch_lmc(r, p);
    if (!p->port || !p->rport) return HD_OK;
    HD_TRY(cache_owner(r, p, p->guid, &listed.node));
    HD_TRY(cache_owner(r, p, p->remote, &listed.remote));
    const struct hd_draft_node *n = hd_draft_node(r->d, listed.node);
    if (p->port > n->nports)
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: port %u of \"%s\": expected 1 to %u", r->d->file, p->record,
                       p->port, n->id, n->nports);
    return hd_draft_add(r->ctx, r->d, &listed, n->is_switch ? NULL : &e);
}

/* Only now, because a file may announce more than it has. */
static hd_status cache_index(struct cache_reader *r)
{
    bool switches = false;
    r->node = HD_NEW(r->d->arena, struct hd_keyed, r->nodes);
    r->owner = HD_NEW(r->d->arena, struct hd_keyed, r->nports);
    if (!r->node || !r->owner) return hd_fail_memory(r->ctx);
    for (uint32_t i = 0; i < r->nodes; i++) {
        r->node[i] = (struct hd_keyed){hd_draft_node(r->d, i)->guid, i};
        switches |= hd_draft_node(r->d, i)->is_switch;
    }
    for (uint32_t i = 0; i < r->nports; i++)
        r->owner[i] = (struct hd_keyed){((const struct cached_port *)hd_bag_at(&r->ports, i))->guid, i};
    hd_keyed_sort(r->node, r->nodes, sizeof *r->node);
    hd_keyed_sort(r->owner, r->nports, sizeof *r->owner);
    if (switches) return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%.200s: the file has no switch: expected at least one", r->d->file);
}

hd_status hd_ibcache_found(struct hd_ctx *ctx, struct hd_in *in, bool *found)
{
    return hd_in_starts(ctx, in, "\x2b\x83\xe7\x8f", 4, found);
}

hd_status hd_ibcache_read(struct hd_ctx *ctx, struct hd_in *in, struct hd_draft *d)
{
    struct cache_reader r = {.ctx = ctx, .in = in, .d = d, .ports.size = sizeof(struct cached_port)};
    HD_TRY(cache_header(&r));
    for (uint32_t i = 0; i < r.nodes; i++) HD_TRY(cache_node(&r));
    for (uint32_t i = 0; i < r.nports; i++) HD_TRY(cache_port(&r));
    HD_TRY(cache_index(&r));
    for (uint32_t i = 0; i < r.nports; i++) HD_TRY(cache_cable(&r, hd_bag_at(&r.ports, i)));
    return HD_OK;
}
