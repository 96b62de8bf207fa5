/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that a capture has lost at its end. ibnetdiscover prints switches first, then adapters, and the line of a
 * switch port repeats all that the record of an adapter says, but for the number of its ports and its LMC:
 *
 *     [1]     "H-0002c90100000000"[1](2c90100000001)  # "node-00000" lid 1 4xQDR
 *
 * So a file that ends among the adapters has every cable, and reads as the whole one. What follows the id is kept for
 * every line that names an adapter before its record, and read only if the record never comes: the cost is a copy.
 * A file that ends among the switches is not completed, since nobody knows which cables it has lost. */
#include "net/io/fmt_ibnet.h"
#include "base/status.h"

struct ibnet_peer { /* the other end of a switch's port, whose record had not come */
    uint32_t port;  /* index in draft.port */
    const char *tail;
};

void hd_ibnet_peers_init(struct hd_bag *peers)
{
    *peers = (struct hd_bag){.size = sizeof(struct ibnet_peer)};
}

hd_status hd_ibnet_peer(struct hd_ctx *ctx, struct hd_draft *d, struct hd_bag *peers, const char *tail, size_t len)
{
    const char *copy;
    HD_TRY(hd_draft_bytes(ctx, d, tail, len, &copy));
    struct ibnet_peer *p = hd_bag_push(peers, d->arena);
    if (!p) return hd_fail_memory(ctx);
    *p = (struct ibnet_peer){d->port.n - 1, copy};
    return HD_OK;
}

struct peer_facts {
    uint64_t node, guid;
    const char *name;
    size_t len;
    uint16_t lid;
};

/* (2c90100000001) # "node-00000" lid 1 4xQDR; the GUID of the node is in its id. */
static bool scan_peer(const char *id, const char *s, struct peer_facts *f)
{
    uint32_t lid;
    if ((*id != 'H' && *id != 'R') || id[1] != '-') return false;
    id += 2;
    if (!hd_scan_hex(&id, &f->node) || *id || !f->node) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_char(&s, '(') || !hd_scan_hex(&s, &f->guid) || !hd_scan_char(&s, ')') || !f->guid) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_char(&s, '#')) return false;
    hd_scan_blanks(&s);
    const char *close = strrchr(s, '"');
    if (!hd_scan_char(&s, '"') || close < s) return false;
    f->name = s;
    f->len = (size_t)(close - s);
    s = close + 1;
    hd_scan_blanks(&s);
    if (!hd_scan_text(&s, "lid ") || !hd_scan_u32(&s, &lid)) return false;
    return hd_ibnet_lid(lid, &f->lid);
}

/* Whether a node lists a port, whose record was the last of all: its ports precede end. */
static bool last_lists_port(const struct hd_draft *d, uint32_t end, uint32_t node, uint8_t port)
{
    for (uint32_t i = end; i-- > 0;) {
        const struct hd_draft_port *p = hd_bag_at(&d->port, i);
        if (p->node != node) return false;
        if (p->port == port) return true;
    }
    return false;
}

/* The other end of a port becomes one that its node lists. */
static hd_status complete_port(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_draft_port *p,
                               const struct peer_facts *f)
{
    const struct hd_draft_port back = {
        .node = p->remote, .remote = p->node, .line = p->line, .port = p->rport, .rport = p->port, .link = p->link};
    const struct hd_draft_end e = {.guid = f->guid, .line = p->line, .lid = f->lid};
    return hd_draft_add(ctx, d, &back, &e);
}

static hd_status complete_node(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_draft_port *p,
                               const struct peer_facts *f)
{
    struct hd_draft_node *n = hd_draft_node(d, p->remote);
    if (!n->nports) {
        n->guid = f->node;
        if (f->len) HD_TRY(hd_draft_name(ctx, d, f->name, f->len, &n->name));
        n->role = (uint8_t)(n->id[0] == 'R' ? HD_ROLE_ROUTER : hd_ibnet_role(n->name ? n->name : n->id));
    }
    if (n->nports < p->rport) n->nports = p->rport;
    return complete_port(ctx, d, p, f);
}

hd_status hd_ibnet_complete(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_bag *peers, uint32_t last,
                            uint32_t records, uint32_t *count)
{
    const uint32_t end = d->port.n;
    *count = 0;
    if (records == d->node.n && hd_draft_node(d, last)->used == hd_draft_node(d, last)->nports) return HD_OK;
    for (uint32_t i = 0; i < peers->n; i++) {
        const struct ibnet_peer *peer = hd_bag_at(peers, i);
        const struct hd_draft_port p = *(const struct hd_draft_port *)hd_bag_at(&d->port, peer->port);
        const struct hd_draft_node *n = hd_draft_node(d, p.remote);
        struct peer_facts f;
        if (n->line && (p.remote != last || p.rport > n->nports || last_lists_port(d, end, p.remote, p.rport)))
            continue;
        if (!scan_peer(n->id, peer->tail, &f)) continue;
        if (n->line) {
            HD_TRY(complete_port(ctx, d, &p, &f));
            ++*count;
        } else {
            *count += n->nports == 0;
            HD_TRY(complete_node(ctx, d, &p, &f));
        }
    }
    for (uint32_t i = 0; i < peers->n; i++) { /* only now, because an adapter may have several peers */
        const struct ibnet_peer *peer = hd_bag_at(peers, i);
        const struct hd_draft_port *p = hd_bag_at(&d->port, peer->port);
        struct hd_draft_node *n = hd_draft_node(d, p->remote);
        if (!n->line && n->nports) n->line = p->line;
    }
    return HD_OK;
}
