/* SPDX-License-Identifier: BSD-2-Clause */
/* The other form of network files, ibnetdiscover -p: one line per port, with both ends.
 *
 *     CA    32  1 0x0002c9010000007d 4x QDR - SW    40  4 0x0002c90000100007 ( 'node-00031' - 'L1-0007' )
 *     SW    40  9 0x0002c90000100007 4x SDR                                    'L1-0007'
 *
 * Kind, LID, port and port GUID of this end, the link, then the other end where there is a cable. An
 * adapter's own GUID is not given: it is taken to be the port GUID less the port number, as ibsim has it,
 * so the two ports of an adapter meet again. A switch has as many ports as there are lines for it. */
#include "net/io/fmt_ibnet.h"
#include "base/escape.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

struct port_end { /* what a line says of one end */
    char kind;    /* S, H or R, as ids begin */
    uint32_t lid, port;
    uint64_t guid;
};

static bool scan_port_end(const char **at, struct port_end *e)
{
    const char *s = *at;
    if (!(e->kind = hd_ibnet_kind(&s, (const char *const[]){"SW ", "CA ", "RT "}))) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_u32(&s, &e->lid) || !hd_is_blank(*s)) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_u32(&s, &e->port) || !hd_is_blank(*s)) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_guid(&s, &e->guid)) return false;
    *at = s;
    return true;
}

/* "4x QDR", one word elsewhere; *len is 0 if it is longer than any. */
static bool ibnet_ports_scan_link(const char **at, char word[32], size_t *len)
{
    const char *s = *at;
    hd_scan_blanks(&s);
    size_t width = strcspn(s, " \t");
    const char *speed = s + width;
    hd_scan_blanks(&speed);
    size_t n = strcspn(speed, " \t");
    if (width == 0 || n == 0) return false;
    *len = width + n < 32 ? width + n : 0;
    if (*len) {
        memcpy(word, s, width);
        memcpy(word + width, speed, n);
    }
    *at = speed + n;
    return true;
}

/* This end's description, [*name, *name + *len): 'a' or ( 'a' - 'b' ). */
static bool scan_name(const char *s, bool cabled, const char **name, size_t *len)
{
    hd_scan_blanks(&s);
    if (cabled && !hd_scan_char(&s, '(')) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_char(&s, '\'')) return false;
    const char *end = cabled ? strstr(s, "' - '") : strrchr(s, '\'');
    if (!end || (cabled && !strrchr(end + 5, '\''))) return false;
    *name = s;
    *len = (size_t)(end - s);
    return true;
}

static hd_status port_node(struct hd_ctx *ctx, struct hd_draft *d, const struct port_end *e, uint32_t *v)
{
    char id[32];
    uint64_t guid = e->kind == 'S' ? e->guid : e->guid - e->port;
    int n = snprintf(id, sizeof id, "%c-%016llx", e->kind, (unsigned long long)guid);
    HD_TRY(hd_draft_find(ctx, d, id, (size_t)n, v));
    hd_draft_node(d, *v)->guid = guid;
    return HD_OK;
}

/* Names are kept with blanks for control characters. */
static bool same_name(const char *kept, const char *name, size_t len)
{
    bool control;
    for (size_t i = 0, n; i < len; i += n) {
        n = hd_character(name + i, len - i, &control);
        if (strncmp(kept + i, control ? "   " : name + i, n) != 0) return false;
    }
    return !kept[len];
}

/* The first line of a node makes it; the others must call it the same. */
static hd_status describe(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, uint32_t v,
                          const struct port_end *e, const char *name, size_t len)
{
    struct hd_draft_node *n = hd_draft_node(d, v);
    const char *copy;
    if (!n->guid) return hd_in_fail(ctx, in, "\"%s\" has GUID 0: expected another one", n->id);
    if (n->nports < e->port) n->nports = (uint8_t)e->port;
    if (n->line && e->kind != 'S' && n->name && !same_name(n->name, name, len))
        return hd_in_fail(
            ctx, in,
            "port GUIDs give '%.*s' the adapter GUID of '%.64s' at line %u: expected records, which distinguish them",
            (int)(len < 64 ? len : 64), name, n->name, n->line);
    if (n->line) return HD_OK;
    if (len) {
        HD_TRY(hd_draft_name(ctx, d, name, len, &copy));
        n->name = copy;
    }
    n->line = (uint32_t)hd_in_lineno(in);
    n->is_switch = e->kind == 'S';
    n->role = (uint8_t)(e->kind == 'R' ? HD_ROLE_ROUTER : hd_ibnet_role(n->name ? n->name : n->id));
    if (n->is_switch) hd_ibnet_lid(e->lid, &n->lid);
    return HD_OK;
}

hd_status hd_ibnet_ports_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, const char *line)
{
    struct port_end here, there;
    struct hd_draft_port p = {.line = (uint32_t)hd_in_lineno(in)};
    struct hd_draft_end e = {.line = p.line};
    const char *s = line, *name;
    char link[32];
    size_t len, link_len = 0;
    bool good = scan_port_end(&s, &here) && ibnet_ports_scan_link(&s, link, &link_len);
    hd_scan_blanks(&s);
    bool cabled = good && hd_scan_text(&s, "- ");
    if (cabled) good = scan_port_end(&s, &there);
    if (!good || !scan_name(s, cabled, &name, &len))
        return hd_in_fail(ctx, in,
                          "expected a line of ibnetdiscover -p, as in CA 1 1 0x2c90100000001 4x QDR - SW 2 1 "
                          "0x2c90000100000 ( 'a' - 'b' )");
    if (here.port < 1 || here.port > HD_MAX_PORTS || (cabled && (there.port < 1 || there.port > HD_MAX_PORTS)))
        return hd_in_fail(ctx, in, "port %u: expected 1 to %d",
                          here.port < 1 || here.port > HD_MAX_PORTS ? here.port : there.port, HD_MAX_PORTS);
    if (!hd_ibnet_lid(here.lid, &e.lid))
        return hd_in_fail(ctx, in, "LID %u: expected 0 (not assigned) to %d", here.lid, HD_MAX_LID);
    HD_TRY(port_node(ctx, d, &here, &p.node));
    HD_TRY(describe(ctx, d, in, p.node, &here, name, len));
    if (!cabled) return HD_OK;
    HD_TRY(port_node(ctx, d, &there, &p.remote));
    p.port = (uint8_t)here.port;
    p.rport = (uint8_t)there.port;
    p.link = hd_draft_link(d, link, link_len, p.line);
    e.guid = here.guid;
    return hd_draft_add(ctx, d, &p, here.kind == 'S' ? NULL : &e);
}
