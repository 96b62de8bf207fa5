/* SPDX-License-Identifier: BSD-2-Clause */
/* The third form of network files, OpenSM's opensm-subnet.lst: a line for each direction of each cable,
 * with both ends in braces, and the link.
 *
 *     { CA-SM Ports:01 SystemGUID:0002c90100000003 NodeGUID:0002c90100000000 PortGUID:0002c90100000001
 *       VenID:0002C9 DevID:1003 Rev:000000A1 {node-00000} LID:0001 PN:01 } { SW Ports:08 ... } PHY=4x LOG=ACT SPD=10
 *
 * (one line). Numbers are hexadecimal; -SM marks the port of a subnet manager. The vendor of the second
 * end comes in another byte order and is read over, as is the state of the link. */
#include "net/io/fmt_ibnet.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

struct subnet_end {
    char kind; /* S, H or R, as ids begin */
    uint64_t ports, system, node, guid, lid, port;
    const char *name;
    size_t len;
};

static bool scan_field(const char **at, const char *key, uint64_t *value)
{
    const char *s = *at;
    hd_scan_blanks(&s);
    if (!hd_scan_text(&s, key) || !hd_scan_hex(&s, value) || !hd_is_blank(*s)) return false;
    *at = s;
    return true;
}

static bool scan_subnet_end(const char **at, struct subnet_end *e)
{
    const char *s = *at;
    uint64_t ignored;
    hd_scan_blanks(&s);
    if (!hd_scan_char(&s, '{')) return false;
    hd_scan_blanks(&s);
    e->kind = hd_ibnet_kind(&s, (const char *const[]){"SW", "CA", "Rt"});
    hd_scan_text(&s, "-SM");
    if (!e->kind || !hd_is_blank(*s) || !scan_field(&s, "Ports:", &e->ports) ||
        !scan_field(&s, "SystemGUID:", &e->system) || !scan_field(&s, "NodeGUID:", &e->node) ||
        !scan_field(&s, "PortGUID:", &e->guid) || !scan_field(&s, "VenID:", &ignored) ||
        !scan_field(&s, "DevID:", &ignored) || !scan_field(&s, "Rev:", &ignored))
        return false;
    hd_scan_blanks(&s);
    const char *close = strstr(s, "} LID:");
    if (!close || !hd_scan_char(&s, '{')) return false;
    e->name = s;
    e->len = (size_t)(close - s);
    s = close + 1;
    if (!scan_field(&s, "LID:", &e->lid) || !scan_field(&s, "PN:", &e->port)) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_char(&s, '}')) return false;
    *at = s;
    return true;
}

/* PHY=4x ... SPD=10: the speed of one lane in Gbit/s. */
static uint8_t subnet_scan_link(struct hd_draft *d, const char *s, uint32_t line)
{
    static const char *const speeds[][2] = {{"2.5", "SDR"}, {"5", "DDR"},  {"10", "QDR"},  {"14", "FDR"},
                                            {"25", "EDR"},  {"50", "HDR"}, {"100", "NDR"}, {"200", "XDR"}};
    const char *width = strstr(s, "PHY="), *speed = strstr(s, "SPD=");
    char word[32];
    if (!width || !speed) return 0;
    size_t w = strcspn(width + 4, " \t"), n = strcspn(speed + 4, " \t");
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        if (strlen(speeds[i][0]) != n || memcmp(speed + 4, speeds[i][0], n) != 0 || w > 8) continue;
        int len = snprintf(word, sizeof word, "%.*s%s", (int)w, width + 4, speeds[i][1]);
        return hd_draft_link(d, word, (size_t)len, line);
    }
    return hd_draft_link(d, speed, 4 + n, line);
}

static hd_status check_subnet_end(struct hd_ctx *ctx, struct hd_in *in, const struct subnet_end *e)
{
    uint16_t lid;
    if (!e->node || !e->guid) return hd_in_fail(ctx, in, "GUID 0: expected another one");
    if (e->ports < 1 || e->ports > HD_MAX_PORTS || e->port < 1 || e->port > e->ports)
        return hd_in_fail(ctx, in, "port 0x%llx of 0x%llx: expected 1 to %d", (unsigned long long)e->port,
                          (unsigned long long)e->ports, HD_MAX_PORTS);
    if (e->lid > UINT32_MAX || !hd_ibnet_lid((uint32_t)e->lid, &lid))
        return hd_in_fail(ctx, in, "LID 0x%llx: expected 0 (not assigned) to 0x%x", (unsigned long long)e->lid,
                          HD_MAX_LID);
    return HD_OK;
}

/* The node of an end, made at its first mention. */
static hd_status subnet_node(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, const struct subnet_end *e,
                             uint32_t *v)
{
    char id[32];
    int n = snprintf(id, sizeof id, "%c-%016llx", e->kind, (unsigned long long)e->node);
    HD_TRY(check_subnet_end(ctx, in, e));
    HD_TRY(hd_draft_find(ctx, d, id, (size_t)n, v));
    struct hd_draft_node *node = hd_draft_node(d, *v);
    if (node->line) {
        if (node->nports == e->ports) return HD_OK;
        return hd_in_fail(ctx, in, "\"%s\" has %u ports at line %u: expected as many here", node->id, node->nports,
                          node->line);
    }
    if (e->len) HD_TRY(hd_draft_name(ctx, d, e->name, e->len, &node->name));
    node->line = (uint32_t)hd_in_lineno(in);
    node->guid = e->node;
    node->system = e->system;
    node->nports = (uint8_t)e->ports;
    node->is_switch = e->kind == 'S';
    node->role = (uint8_t)(e->kind == 'R' ? HD_ROLE_ROUTER : hd_ibnet_role(node->name ? node->name : node->id));
    if (node->is_switch) hd_ibnet_lid((uint32_t)e->lid, &node->lid);
    return HD_OK;
}

hd_status hd_ibnet_subnet_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, const char *line)
{
    struct subnet_end here, there;
    struct hd_draft_port p = {.line = (uint32_t)hd_in_lineno(in)};
    struct hd_draft_end e = {.line = p.line};
    const char *s = line;
    if (!scan_subnet_end(&s, &here) || !scan_subnet_end(&s, &there))
        return hd_in_fail(
            ctx, in,
            "expected a line of opensm-subnet.lst, as in { CA Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. "
            "VenID:.. DevID:.. Rev:.. {name} LID:0001 PN:01 } { SW .. } PHY=4x LOG=ACT SPD=10");
    HD_TRY(subnet_node(ctx, d, in, &here, &p.node));
    HD_TRY(subnet_node(ctx, d, in, &there, &p.remote));
    p.port = (uint8_t)here.port;
    p.rport = (uint8_t)there.port;
    p.link = subnet_scan_link(d, s, p.line);
    e.guid = here.guid;
    hd_ibnet_lid((uint32_t)here.lid, &e.lid);
    return hd_draft_add(ctx, d, &p, here.kind == 'S' ? NULL : &e);
}
