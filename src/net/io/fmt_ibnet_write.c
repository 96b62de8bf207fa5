/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks as ibnetdiscover prints them: see fmt_ibnet_records.c for the grammar. Nodes come in the order of
 * the network, which is the order they are read back in. Names must not upset other readers of the format,
 * ibsim above all: quotes become apostrophes, control characters blanks, and a name ends after 160 bytes, as
 * ibsim cuts lines at 255. The names of neighbours, repeated on port lines, are for people only; there a = is a
 * blank too, since ibsim would take it for a setting. */
#include "base/arena.h"
#include "base/escape.h"
#include "base/status.h"
#include "net/core/kinds.h"
#include "net/io/net_formats.h"
#include "net/io/fmt_ibnet.h"
#include "base/out.h"

#include <string.h>

enum { NEIGHBOUR = 64, CUT = 4 }; /* CUT: the rest of a character that begins in the last byte, and a zero */

struct ibnet_writer {
    const struct hd_net *net;
    struct hd_out *o;
    uint32_t *first, *member; /* endpoints of adapter a: member[first[a]] .. */
    uint8_t *guess;           /* [nca] what a reader takes adapters for */
};

/* At most room bytes of the name, made safe, without cutting a UTF-8 character in two. What is cut is the safe name, so
 * that reading it and writing it again cuts at the same place, and the character at that place is copied whole. safe
 * has room for CUT bytes more. */
static size_t safe_name(const char *name, char also, char *safe, size_t room)
{
    size_t n = strnlen(name, room + CUT - 1);
    for (size_t i = 0; i < n; i++) {
        char c = name[i];
        safe[i] = c == also ? ' ' : c == '"' ? '\'' : c;
    }
    safe[n] = 0;
    hd_replace_controls(safe, n, ' ');
    if (n > room) n = hd_draft_cut(safe, room);
    safe[n] = 0;
    return n;
}

static void put_guid_line(struct hd_out *o, const char *key, uint64_t guid)
{
    hd_puts(o, key);
    hd_puts(o, "=0x");
    hd_putx(o, guid, 1);
    hd_put(o, "\n", 1);
}

static void put_port(struct hd_out *o, uint8_t port)
{
    hd_put(o, "[", 1);
    hd_putu(o, port);
    hd_put(o, "]", 1);
}

static void put_id(struct ibnet_writer *w, uint32_t v)
{
    const struct hd_net *n = w->net;
    uint32_t a = v < n->nsw ? 0 : n->ca[v - n->nsw];
    hd_puts(w->o, v < n->nsw ? "\"S-" : n->ca_role[a] == HD_ROLE_ROUTER ? "\"R-" : "\"H-");
    hd_putx(w->o, v < n->nsw ? n->guid[v] : n->ca_guid[a], 16);
    hd_put(w->o, "\"", 1);
}

/* A node without a name gets its id, which is what a reader would call it. */
static void put_name(struct ibnet_writer *w, uint32_t v, bool neighbour)
{
    char safe[HD_DRAFT_NAME + CUT];
    const char *name = hd_node_name(w->net, v);
    size_t n = neighbour ? safe_name(name, '=', safe, NEIGHBOUR) : safe_name(name, 0, safe, HD_DRAFT_NAME);
    if (n == 0) {
        put_id(w, v);
        return;
    }
    hd_put(w->o, "\"", 1);
    hd_put(w->o, safe, n);
    hd_put(w->o, "\"", 1);
}

/* "L1-0000" lid 33 4xQDR: the far end of channel c. */
static void put_neighbour(struct ibnet_writer *w, uint32_t c)
{
    const struct hd_net *n = w->net;
    put_name(w, n->head[c], true);
    hd_puts(w->o, " lid ");
    hd_putu(w->o, n->lid[n->head[c]]);
    if (n->link[c]) {
        hd_put(w->o, " ", 1);
        hd_puts(w->o, hd_link_name(n->link[c]));
    }
    hd_put(w->o, "\n", 1);
}

static void put_switch(struct ibnet_writer *w, uint32_t v)
{
    const struct hd_net *n = w->net;
    struct hd_out *o = w->o;
    hd_puts(o, "\nvendid=0x2c9\ndevid=0xbd36\n");
    put_guid_line(o, "sysimgguid", n->system[v]);
    hd_puts(o, "switchguid=0x");
    hd_putx(o, n->guid[v], 1);
    hd_put(o, "(", 1);
    hd_putx(o, n->guid[v], 1);
    hd_puts(o, ")\nSwitch\t");
    hd_putu(o, n->nports[v] ? n->nports[v] : 1); /* ibsim knows no switch without ports */
    hd_put(o, " ", 1);
    put_id(w, v);
    hd_puts(o, "\t\t# ");
    put_name(w, v, false);
    hd_puts(o, " base port 0 lid ");
    hd_putu(o, n->lid[v]);
    hd_puts(o, " lmc ");
    hd_putu(o, n->switch_lmc[v]);
    hd_puts(o, "\n");
    for (uint32_t c = n->off[v]; c < n->off[v + 1]; c++) {
        uint32_t u = n->head[c];
        put_port(o, n->port[c]);
        hd_put(o, "\t", 1);
        put_id(w, u);
        put_port(o, n->port[n->rev[c]]);
        if (u >= n->nsw) {
            hd_put(o, "(", 1);
            hd_putx(o, n->guid[u], 1);
            hd_puts(o, ") ");
        }
        hd_puts(o, "\t\t# ");
        put_neighbour(w, c);
    }
}

static void put_adapter_port(struct ibnet_writer *w, uint32_t e)
{
    const struct hd_net *n = w->net;
    uint32_t v = n->nsw + e, c = n->off[v];
    put_port(w->o, n->port[c]);
    hd_put(w->o, "(", 1);
    hd_putx(w->o, n->guid[v], 1);
    hd_puts(w->o, ") \t");
    put_id(w, n->head[c]);
    put_port(w->o, n->port[n->rev[c]]);
    hd_puts(w->o, "\t\t# lid ");
    hd_putu(w->o, n->lid[v]);
    hd_puts(w->o, " lmc ");
    hd_putu(w->o, n->lmc_of[e]);
    hd_put(w->o, " ", 1);
    put_neighbour(w, c);
}

static void put_adapter(struct ibnet_writer *w, uint32_t a)
{
    const struct hd_net *n = w->net;
    struct hd_out *o = w->o;
    uint32_t e = w->member[w->first[a]];
    bool router = n->ca_role[a] == HD_ROLE_ROUTER;
    hd_put(o, "\n", 1);
    if (n->ca_role[a] != w->guess[a]) hd_printf(o, "# heddle role=%s\n", hd_node_kind(n, n->nsw + e));
    hd_puts(o, "vendid=0x2c9\ndevid=0x1003\n");
    put_guid_line(o, "sysimgguid", n->system[n->nsw + a]);
    put_guid_line(o, router ? "rtguid" : "caguid", n->ca_guid[a]);
    hd_puts(o, router ? "Rt\t" : "Ca\t");
    hd_putu(o, n->ca_ports[a]);
    hd_put(o, " ", 1);
    put_id(w, n->nsw + e);
    hd_puts(o, "\t\t# ");
    put_name(w, n->nsw + e, false);
    hd_put(o, "\n", 1);
    for (uint32_t i = w->first[a]; i < w->first[a + 1]; i++) put_adapter_port(w, w->member[i]);
}

/* member[first[a] .. first[a+1]) are the endpoints of adapter a, by counting. */
static void group_endpoints(struct ibnet_writer *w)
{
    const struct hd_net *n = w->net;
    for (uint32_t e = 0; e < n->nep; e++) w->first[n->ca[e] + 1]++;
    for (uint32_t a = 0; a < n->nca; a++) w->first[a + 1] += w->first[a];
    for (uint32_t e = n->nep; e-- > 0;) w->member[--w->first[n->ca[e] + 1]] = e;
    for (uint32_t a = 0; a < n->nca; a++) w->first[a] = w->first[a + 1];
    w->first[n->nca] = n->nep;
}

/* A reader goes by descriptions, and in a file without a mark by what hd_kinds_find makes of all hosts. */
static hd_status guess_roles(struct hd_ctx *ctx, struct ibnet_writer *w)
{
    const struct hd_net *n = w->net;
    bool marks = false;
    for (uint32_t a = 0; a < n->nca; a++) {
        w->guess[a] = n->ca_role[a];
        if (n->ca_role[a] == HD_ROLE_ROUTER || w->first[a + 1] == w->first[a]) continue;
        char safe[HD_DRAFT_NAME + CUT];
        safe_name(hd_node_name(n, n->nsw + w->member[w->first[a]]), 0, safe, HD_DRAFT_NAME);
        w->guess[a] = (uint8_t)hd_ibnet_role(safe);
        marks |= w->guess[a] != n->ca_role[a];
    }
    return marks ? HD_OK : hd_kinds_find(ctx, n, w->guess);
}

hd_status hd_write_ibnet(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    struct hd_arena scratch = {0};
    struct ibnet_writer w = {.net = net, .o = o};
    w.first = HD_NEW(&scratch, uint32_t, (size_t)net->nca + 1);
    w.member = HD_NEW(&scratch, uint32_t, net->nep);
    w.guess = HD_NEW(&scratch, uint8_t, net->nca);
    hd_status s = w.first && w.member && w.guess ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) {
        group_endpoints(&w);
        s = guess_roles(ctx, &w);
    }
    if (s == HD_OK) {
        hd_puts(o, "#\n# Topology file: written by heddle\n#\n");
        for (uint32_t v = 0; v < net->nsw; v++) put_switch(&w, v);
        for (uint32_t a = 0; a < net->nca; a++)
            if (w.first[a + 1] > w.first[a]) put_adapter(&w, a);
    }
    hd_arena_release(&scratch);
    return s;
}
