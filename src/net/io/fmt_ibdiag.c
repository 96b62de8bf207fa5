/* SPDX-License-Identifier: BSD-2-Clause */
/* What ibdiagnet writes about a fabric. ibdiagnet2.db_csv and opensm-smdb.dump are tables of comma-separated values:
 *
 *     START_NODES
 *     NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,...
 *     "L1-0000",8,2,0x0002c90000100000,0x0002c90000100000,...
 *     END_NODES
 *     START_PORTS                                       LID and rate of every port; the LID of a switch is at port 0
 *     START_LINKS
 *     NodeGuid1,PortNum1,NodeGuid2,PortNum2
 *
 * Which columns there are, and in which order, changes from version to version, so they are found by the names in the
 * header, without case; other sections and columns are read over. ibdiagnet2.net_dump has a block per switch:
 *
 *     "L1-0000", Mellanox, 0x2c90000100000, LID 33
 *       #  : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Desc..
 *       1  : 1   : ACT : LINK UP : 5   : 4x  : 50  : NO-FEC   : NO-RTR : 0x2c90100000000 : 1 : 1   : "node-00000"
 *
 * (FNM ports, which only manage a switch, are left out). Rows of both are kept until the end, since a db_csv file may
 * lack its links: those of net_dump then complete it. Without db_csv an adapter is known by the GUID that net_dump
 * gives its port. Cost: O(n log n) for n rows. */
#include "net/io/fmt_ibdiag.h"
#include "base/c_locale.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/io/fmt_ibnet.h"
#include "net/io/ibdiag_values.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 1 << 24 };

struct ibdiag_node {
    uint64_t guid, system;
    const char *name; /* NULL: none */
    uint32_t line, draft;
    uint32_t nports; /* 0: not given */
    char kind;       /* S, H or R, as ids begin */
    bool dumped;     /* by net_dump */
};

struct ibdiag_port {
    uint64_t node, guid; /* guid 0: none */
    uint32_t port, line;
    uint16_t lid;
    uint8_t lmc, link;
};

struct ibdiag_link {
    uint64_t guid[2];
    uint32_t port[2], line, rlid;
    uint8_t link; /* net_dump only */
    const char *rname;
};

void hd_ibdiag_init(struct hd_ibdiag_state *s)
{
    *s = (struct hd_ibdiag_state){.nodes.size = sizeof(struct ibdiag_node),
                                  .ports.size = sizeof(struct ibdiag_port),
                                  .links.size = sizeof(struct ibdiag_link)};
}

static hd_status ibdiag_push(struct hd_ctx *ctx, const struct hd_draft *d, struct hd_in *in, struct hd_bag *bag,
                             void **row)
{
    if (bag->n == MAX_ROWS) return hd_in_fail(ctx, in, "more than %d rows: expected an end", MAX_ROWS);
    *row = hd_bag_push(bag, d->arena);
    return *row ? HD_OK : hd_fail_memory(ctx);
}

/* ---- values -------------------------------------------------------------------------------- */

/* Width and speed as PortInfo encodes them: one bit each. */
static uint8_t ibdiag_link_of_bits(struct hd_draft *d, uint64_t width, uint64_t speed, uint32_t line)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } widths[] = {{1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"}},
      speeds[] = {{1, "SDR"},    {2, "DDR"},    {4, "QDR"},       {256, "FDR"},      {512, "EDR"},
                  {1024, "HDR"}, {2048, "NDR"}, {65536, "FDR10"}, {131072, "EDR20"}, {16777216, "XDR"}};
    const char *w = NULL, *v = NULL;
    char word[32];
    if (!width || !speed) return 0;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (widths[i].bit == width) w = widths[i].name;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
        if (speeds[i].bit == speed) v = speeds[i].name;
    int n = w && v ? snprintf(word, sizeof word, "%s%s", w, v)
                   : snprintf(word, sizeof word, "width %llu speed %llu", (unsigned long long)width,
                              (unsigned long long)speed);
    return hd_draft_link(d, word, n < (int)sizeof word ? (size_t)n : sizeof word - 1, line);
}

/* 4x and 50, the rate of one lane in Gbit/s. */
static uint8_t ibdiag_link_of_words(struct hd_draft *d, const char *width, const char *speed, uint32_t line)
{
    static const char *const speeds[][2] = {{"2.5", "SDR"}, {"5", "DDR"},       {"10", "QDR"}, {"14", "FDR"},
                                            {"25", "EDR"},  {"FDR10", "FDR10"}, {"50", "HDR"}, {"100", "NDR"},
                                            {"200", "XDR"}, {"EDR20", "EDR20"}};
    char word[32];
    const char *name = speed;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
        if (strcmp(speeds[i][0], speed) == 0) name = speeds[i][1];
    const int n = snprintf(word, sizeof word, "%.8s%.12s", width, name);
    return hd_draft_link(d, word, (size_t)n, line);
}

/* ---- tables of values ---------------------------------------------------------------------- */

struct ibdiag_column {
    const char *name;
    bool needed;
};

enum { NODE_GUID, NODE_TYPE, NODE_PORTS, NODE_SYSTEM, NODE_NAME };
enum { PORT_NODE, PORT_NUMBER, PORT_GUID, PORT_LID, PORT_LMC, PORT_WIDTH, PORT_SPEED };
enum { LINK_GUID1, LINK_PORT1, LINK_GUID2, LINK_PORT2 };

static const struct ibdiag_column ibdiag_columns[][HD_IBDIAG_COLUMNS] = {
    [HD_IBDIAG_NODES] = {[NODE_GUID] = {"NodeGUID", true},
                         [NODE_TYPE] = {"NodeType", true},
                         [NODE_PORTS] = {"NumPorts", false},
                         [NODE_SYSTEM] = {"SystemImageGUID", false},
                         [NODE_NAME] = {"NodeDesc", false}},
    [HD_IBDIAG_PORTS] = {[PORT_NODE] = {"NodeGuid", true},
                         [PORT_NUMBER] = {"PortNum", true},
                         [PORT_GUID] = {"PortGuid", false},
                         [PORT_LID] = {"LID", false},
                         [PORT_LMC] = {"LMC", false},
                         [PORT_WIDTH] = {"LinkWidthActv", false},
                         [PORT_SPEED] = {"LinkSpeedActv", false}},
    [HD_IBDIAG_LINKS] = {[LINK_GUID1] = {"NodeGuid1", true},
                         [LINK_PORT1] = {"PortNum1", true},
                         [LINK_GUID2] = {"NodeGuid2", true},
                         [LINK_PORT2] = {"PortNum2", true}}};

static hd_status ibdiag_start(struct hd_ctx *ctx, struct hd_in *in, struct hd_ibdiag_state *s, const char *name)
{
    static const char *const names[] = {
        [HD_IBDIAG_NODES] = "NODES", [HD_IBDIAG_PORTS] = "PORTS", [HD_IBDIAG_LINKS] = "LINKS"};
    if (s->section != HD_IBDIAG_NONE)
        return hd_in_fail(ctx, in, "START_%.40s inside the section of line %u: expected END_%s before it", name,
                          s->start, s->name);
    size_t n = 0;
    for (; n + 1 < sizeof s->name && name[n] > 32 && name[n] < 127; n++) s->name[n] = name[n];
    s->name[n] = 0;
    s->start = (uint32_t)hd_in_lineno(in);
    s->header = false;
    s->section = HD_IBDIAG_OTHER;
    for (int i = HD_IBDIAG_NODES; i <= HD_IBDIAG_LINKS; i++)
        if (strcmp(s->name, names[i]) == 0) s->section = (enum hd_ibdiag_section)i;
    return HD_OK;
}

static hd_status ibdiag_header(struct hd_ctx *ctx, struct hd_in *in, struct hd_ibdiag_state *s, char *line)
{
    const struct ibdiag_column *wanted = ibdiag_columns[s->section];
    char *at = line;
    s->header = true;
    s->last = 0;
    for (int i = 0; i < HD_IBDIAG_COLUMNS; i++) s->column[i] = -1;
    for (int n = 0; at && n < 4096; n++) {
        const char *name = hd_ibdiag_field(&at);
        for (int i = 0; i < HD_IBDIAG_COLUMNS && wanted[i].name; i++)
            if (s->column[i] < 0 && hd_strcasecmp(name, wanted[i].name) == 0) s->column[i] = n;
    }
    for (int i = 0; i < HD_IBDIAG_COLUMNS && wanted[i].name; i++) {
        if (wanted[i].needed && s->column[i] < 0)
            return hd_in_fail(ctx, in, "section %s has no column %s: expected one in its header", s->name,
                              wanted[i].name);
        if (wanted[i].needed && s->column[i] > s->last) s->last = s->column[i];
    }
    return HD_OK;
}

/* The values of the wanted columns, "" for those that are missing or N/A. */
static hd_status ibdiag_values(struct hd_ctx *ctx, struct hd_in *in, const struct hd_ibdiag_state *s, char *line,
                               const char *value[HD_IBDIAG_COLUMNS])
{
    char *at = line;
    int n = 0;
    for (int i = 0; i < HD_IBDIAG_COLUMNS; i++) value[i] = "";
    for (; at && n < 4096; n++) {
        const char *field = hd_ibdiag_field(&at);
        for (int i = 0; i < HD_IBDIAG_COLUMNS; i++)
            if (s->column[i] == n && strcmp(field, "N/A") != 0) value[i] = field;
    }
    if (n > s->last) return HD_OK;
    return hd_in_fail(ctx, in, "%d value%s in section %s: expected at least %d, as its header has", n,
                      n == 1 ? "" : "s", s->name, s->last + 1);
}

/* The number of a column; one that need not be there is 0 if it is not. */
static hd_status ibdiag_take(struct hd_ctx *ctx, struct hd_in *in, const struct hd_ibdiag_state *s,
                             const char *const *value, int column, uint64_t most, uint64_t *number)
{
    const struct ibdiag_column *c = &ibdiag_columns[s->section][column];
    *number = 0;
    if (!*value[column] && !c->needed) return HD_OK;
    if (hd_ibdiag_number(value[column], number) && *number <= most) return HD_OK;
    return hd_in_fail(ctx, in, "%s '%.40s': expected a number from 0 to %llu", c->name, value[column],
                      (unsigned long long)most);
}

static hd_status ibdiag_node_row(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                                 const char *const *value)
{
    struct ibdiag_node node = {.line = (uint32_t)hd_in_lineno(in)};
    uint64_t type, ports;
    void *row;
    HD_TRY(ibdiag_take(ctx, in, s, value, NODE_GUID, UINT64_MAX, &node.guid));
    HD_TRY(ibdiag_take(ctx, in, s, value, NODE_TYPE, 255, &type));
    HD_TRY(ibdiag_take(ctx, in, s, value, NODE_PORTS, 255, &ports));
    HD_TRY(ibdiag_take(ctx, in, s, value, NODE_SYSTEM, UINT64_MAX, &node.system));
    if (!node.guid) return hd_in_fail(ctx, in, "GUID 0: expected another one");
    if (type < 1 || type > 3)
        return hd_in_fail(ctx, in, "NodeType %llu: expected 1 (adapter), 2 (switch) or 3 (router)",
                          (unsigned long long)type);
    if (ports > HD_MAX_PORTS)
        return hd_in_fail(ctx, in, "NumPorts %llu: expected at most %d", (unsigned long long)ports, HD_MAX_PORTS);
    node.kind = " HSR"[type];
    node.nports = (uint32_t)ports;
    if (*value[NODE_NAME]) HD_TRY(hd_draft_name(ctx, d, value[NODE_NAME], strlen(value[NODE_NAME]), &node.name));
    HD_TRY(ibdiag_push(ctx, d, in, &s->nodes, &row));
    *(struct ibdiag_node *)row = node;
    return HD_OK;
}

static hd_status ibdiag_port_row(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                                 const char *const *value)
{
    struct ibdiag_port port = {.line = (uint32_t)hd_in_lineno(in)};
    uint64_t number, lid, lmc, width, speed;
    void *row;
    HD_TRY(ibdiag_take(ctx, in, s, value, PORT_NODE, UINT64_MAX, &port.node));
    HD_TRY(ibdiag_take(ctx, in, s, value, PORT_GUID, UINT64_MAX, &port.guid));
    HD_TRY(ibdiag_take(ctx, in, s, value, PORT_NUMBER, 255, &number));
    HD_TRY(ibdiag_take(ctx, in, s, value, PORT_LID, 65535, &lid));
    HD_TRY(ibdiag_take(ctx, in, s, value, PORT_LMC, 7, &lmc));
    HD_TRY(ibdiag_take(ctx, in, s, value, PORT_WIDTH, UINT32_MAX, &width));
    HD_TRY(ibdiag_take(ctx, in, s, value, PORT_SPEED, UINT32_MAX, &speed));
    if (!hd_ibnet_lid((uint32_t)lid, &port.lid))
        return hd_in_fail(ctx, in, "LID %llu: expected 0 (not assigned) to %d", (unsigned long long)lid, HD_MAX_LID);
    port.port = (uint32_t)number;
    port.lmc = (uint8_t)lmc;
    port.link = number ? ibdiag_link_of_bits(d, width, speed, port.line) : 0;
    HD_TRY(ibdiag_push(ctx, d, in, &s->ports, &row));
    *(struct ibdiag_port *)row = port;
    return HD_OK;
}

static hd_status ibdiag_keep_link(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                                  const struct ibdiag_link *link)
{
    void *row;
    for (int i = 0; i < 2; i++)
        if (link->port[i] < 1 || link->port[i] > HD_MAX_PORTS)
            return hd_in_fail(ctx, in, "port %u: expected 1 to %d", link->port[i], HD_MAX_PORTS);
    if (!link->guid[0] || !link->guid[1]) return hd_in_fail(ctx, in, "GUID 0: expected another one");
    if (link->guid[0] == link->guid[1]) {
        char id[24];
        snprintf(id, sizeof id, "0x%016llx", (unsigned long long)link->guid[0]);
        hd_draft_leave_loop(d, link->line, link->port[0], id);
        return HD_OK;
    }
    HD_TRY(ibdiag_push(ctx, d, in, &s->links, &row));
    *(struct ibdiag_link *)row = *link;
    s->file = hd_in_name(in);
    return HD_OK;
}

static hd_status ibdiag_link_row(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                                 const char *const *value)
{
    struct ibdiag_link link = {.line = (uint32_t)hd_in_lineno(in)};
    uint64_t port[2];
    HD_TRY(ibdiag_take(ctx, in, s, value, LINK_GUID1, UINT64_MAX, &link.guid[0]));
    HD_TRY(ibdiag_take(ctx, in, s, value, LINK_GUID2, UINT64_MAX, &link.guid[1]));
    HD_TRY(ibdiag_take(ctx, in, s, value, LINK_PORT1, 255, &port[0]));
    HD_TRY(ibdiag_take(ctx, in, s, value, LINK_PORT2, 255, &port[1]));
    link.port[0] = (uint32_t)port[0];
    link.port[1] = (uint32_t)port[1];
    return ibdiag_keep_link(ctx, d, in, s, &link);
}

hd_status hd_ibdiag_csv_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                             char *line)
{
    const char *value[HD_IBDIAG_COLUMNS];
    line = hd_ibdiag_trim(line);
    if (!*line || *line == '#') return HD_OK;
    if (strncmp(line, "START_", 6) == 0) return ibdiag_start(ctx, in, s, line + 6);
    if (strncmp(line, "END_", 4) == 0) {
        if (s->section == HD_IBDIAG_NONE || strcmp(line + 4, s->name) != 0)
            return hd_in_fail(ctx, in, "END_%.40s: expected START_%.40s before it", line + 4, line + 4);
        s->section = HD_IBDIAG_NONE;
        return HD_OK;
    }
    if (s->section == HD_IBDIAG_NONE || s->section == HD_IBDIAG_OTHER) return HD_OK;
    if (!s->header) return ibdiag_header(ctx, in, s, line);
    HD_TRY(ibdiag_values(ctx, in, s, line, value));
    if (s->section == HD_IBDIAG_NODES) return ibdiag_node_row(ctx, d, in, s, value);
    if (s->section == HD_IBDIAG_PORTS) return ibdiag_port_row(ctx, d, in, s, value);
    return ibdiag_link_row(ctx, d, in, s, value);
}

hd_status hd_ibdiag_csv_end(struct hd_ctx *ctx, const struct hd_in *in, const struct hd_ibdiag_state *s)
{
    if (s->section == HD_IBDIAG_NONE) return HD_OK;
    return hd_in_fail(ctx, in, "the file ends inside section %s of line %u: expected END_%s", s->name, s->start,
                      s->name);
}

/* ---- net_dump ------------------------------------------------------------------------------ */

/* "name", vendor, 0x<guid>, LID 33 */
static hd_status ibdiag_dump_switch(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                                    const char *line)
{
    struct ibdiag_node node = {.kind = 'S', .dumped = true, .line = (uint32_t)hd_in_lineno(in)};
    struct ibdiag_port port = {.line = node.line};
    const char *close = strrchr(line, '"'), *p = close > line ? strstr(close, ", 0x") : NULL;
    uint32_t lid;
    void *row;
    bool good = p && (p += 2, hd_scan_guid(&p, &node.guid)) && hd_scan_text(&p, ", LID ") && hd_scan_u32(&p, &lid);
    if (!good || !node.guid || !hd_ibnet_lid(lid, &port.lid))
        return hd_in_fail(ctx, in, "expected a switch as in \"name\", Mellanox, 0x2c90000100000, LID 33");
    s->guid = port.node = port.guid = node.guid;
    if (close > line + 1) HD_TRY(hd_draft_name(ctx, d, line + 1, (size_t)(close - line - 1), &node.name));
    HD_TRY(ibdiag_push(ctx, d, in, &s->nodes, &row));
    *(struct ibdiag_node *)row = node;
    HD_TRY(ibdiag_push(ctx, d, in, &s->ports, &row));
    *(struct ibdiag_port *)row = port;
    return HD_OK;
}

enum { DUMP_LABEL, DUMP_PORT, DUMP_STATE, DUMP_WIDTH = 5, DUMP_SPEED, DUMP_GUID = 9, DUMP_RPORT, DUMP_RLID, DUMP_NAME };

/* Cuts a row into its fields; the last one may have colons. */
static int ibdiag_dump_fields(char *copy, char *field[DUMP_NAME + 1])
{
    int n = 0;
    for (char *at = copy; at && n <= DUMP_NAME;) {
        char *end = n < DUMP_NAME ? strchr(at, ':') : NULL;
        if (end) *end = 0;
        field[n++] = hd_ibdiag_trim(at);
        at = end ? end + 1 : NULL;
    }
    return n;
}

static hd_status ibdiag_dump_row(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                                 char *copy)
{
    struct ibdiag_link link = {.line = (uint32_t)hd_in_lineno(in), .guid = {s->guid, 0}};
    char *field[DUMP_NAME + 1];
    const int n = ibdiag_dump_fields(copy, field);
    uint64_t port, rport, rlid;
    uint16_t lid;
    if (n <= DUMP_STATE) return hd_in_fail(ctx, in, "expected a port as in 1 : 1 : ACT : LINK UP : 5 : 4x : 50 : ...");
    if (strncmp(field[DUMP_LABEL], "FNM", 3) == 0) return HD_OK;
    if (n <= DUMP_NAME || !strncmp(field[DUMP_STATE], "DOWN", 4) || strncmp(field[DUMP_GUID], "0x", 2) != 0)
        return HD_OK; /* no cable */
    if (!s->guid) return hd_in_fail(ctx, in, "a port outside a switch: expected the line of its switch before it");
    if (!hd_ibdiag_number(field[DUMP_PORT], &port) || !hd_ibdiag_number(field[DUMP_GUID], &link.guid[1]) ||
        !hd_ibdiag_number(field[DUMP_RPORT], &rport) || !hd_ibdiag_number(field[DUMP_RLID], &rlid) ||
        port > HD_MAX_PORTS || rport > HD_MAX_PORTS || rlid > UINT32_MAX || !hd_ibnet_lid((uint32_t)rlid, &lid))
        return hd_in_fail(ctx, in, "port '%.20s' to port '%.20s' of '%.20s', LID '%.20s': expected numbers",
                          field[DUMP_PORT], field[DUMP_RPORT], field[DUMP_GUID], field[DUMP_RLID]);
    link.port[0] = (uint32_t)port;
    link.port[1] = (uint32_t)rport;
    link.rlid = lid;
    link.link = ibdiag_link_of_words(d, field[DUMP_WIDTH], field[DUMP_SPEED], link.line);
    const char *name = field[DUMP_NAME];
    size_t len = strlen(name);
    if (len >= 2 && name[0] == '"' && name[len - 1] == '"') name++, len -= 2;
    if (len) HD_TRY(hd_draft_name(ctx, d, name, len, &link.rname));
    return ibdiag_keep_link(ctx, d, in, s, &link);
}

hd_status hd_ibdiag_dump_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_ibdiag_state *s,
                              const char *line)
{
    char copy[1024];
    hd_scan_blanks(&line);
    if (!*line || *line == '#') return HD_OK;
    if (*line == '"') return ibdiag_dump_switch(ctx, d, in, s, line);
    if (snprintf(copy, sizeof copy, "%s", line) >= (int)sizeof copy)
        return hd_in_fail(ctx, in, "a row of more than %zu bytes: expected a shorter one", sizeof copy - 1);
    return ibdiag_dump_row(ctx, d, in, s, copy);
}

/* ---- what they add up to ------------------------------------------------------------------- */

struct ibdiag_all {
    struct hd_ctx *ctx;
    struct hd_draft *d;
    struct hd_ibdiag_state *s;
    struct hd_keyed *node; /* by GUID */
    uint32_t nnodes;
    struct hd_keyed *port; /* by GUID and number of their node, as port_key */
    struct hd_keyed *port_guid;
    uint32_t nports;
    bool one_file; /* links and ports come from the same one */
};

static struct ibdiag_node *ibdiag_node_at(const struct ibdiag_all *a, uint32_t i)
{
    return hd_bag_at(&a->s->nodes, i);
}

/* Nodes are numbered as they come, so node and port fit a key. */
static uint64_t port_key(uint32_t node, uint32_t port)
{
    return (uint64_t)node << 8 | port;
}

/* The first node with this GUID, UINT32_MAX: none. */
static uint32_t ibdiag_find_node(const struct ibdiag_all *a, uint64_t guid)
{
    const uint32_t i = hd_find_key(a->node, a->nnodes, sizeof *a->node, guid);
    return i < a->nnodes ? a->node[i].value : UINT32_MAX;
}

static const struct ibdiag_port *ibdiag_find_port(const struct ibdiag_all *a, uint32_t node, uint32_t port)
{
    const uint32_t i = hd_find_key(a->port, a->nports, sizeof *a->port, port_key(node, port));
    return i < a->nports ? hd_bag_at(&a->s->ports, a->port[i].value) : NULL;
}

/* Sorts nodes by GUID. A switch of net_dump that db_csv has too is the same one; otherwise a GUID comes once. */
static hd_status ibdiag_index_nodes(struct ibdiag_all *a)
{
    const uint32_t n = a->s->nodes.n;
    a->node = HD_NEW(a->d->arena, struct hd_keyed, n);
    if (!a->node) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < n; i++) a->node[i] = (struct hd_keyed){ibdiag_node_at(a, i)->guid, i};
    hd_keyed_sort(a->node, n, sizeof *a->node);
    a->nnodes = n;
    for (uint32_t i = 1; i < n; i++) {
        const struct ibdiag_node *one = ibdiag_node_at(a, a->node[i - 1].value);
        const struct ibdiag_node *two = ibdiag_node_at(a, a->node[i].value);
        if (one->guid != two->guid || (one->kind == 'S' && !one->dumped && two->dumped)) continue;
        return hd_fail(a->ctx, HD_INPUT, "%.200s:%u: GUID 0x%016llx is at line %u already: expected distinct GUIDs",
                       a->d->file, two->line, (unsigned long long)two->guid, one->line);
    }
    return HD_OK;
}

/* Sorts ports by node and number, those of nodes that are not there left out, and by their own GUID. */
static hd_status ibdiag_index_ports(struct ibdiag_all *a)
{
    const struct hd_bag *ports = &a->s->ports;
    a->port = HD_NEW(a->d->arena, struct hd_keyed, ports->n);
    a->port_guid = HD_NEW(a->d->arena, struct hd_keyed, ports->n);
    if (!a->port || !a->port_guid) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < ports->n; i++) {
        const struct ibdiag_port *p = hd_bag_at(ports, i);
        const uint32_t v = ibdiag_find_node(a, p->node);
        if (v == UINT32_MAX) continue;
        a->port_guid[a->nports] = (struct hd_keyed){p->guid, i};
        a->port[a->nports++] = (struct hd_keyed){port_key(v, p->port), i};
    }
    hd_keyed_sort(a->port, a->nports, sizeof *a->port);
    hd_keyed_sort(a->port_guid, a->nports, sizeof *a->port_guid);
    return HD_OK;
}

/* The LID of a switch: that of port 0, or of another one where this has none. Only port 0 has an LMC of its own. */
static void ibdiag_switch_lid(const struct ibdiag_all *a, uint32_t node, struct hd_draft_node *out)
{
    for (uint32_t i = hd_lower_bound(a->port, a->nports, sizeof *a->port, port_key(node, 0));
         i < a->nports && a->port[i].key >> 8 == node; i++) {
        const struct ibdiag_port *p = hd_bag_at(&a->s->ports, a->port[i].value);
        if (!p->lid) continue;
        out->lid = p->lid;
        out->lmc = p->port ? 0 : p->lmc;
        return;
    }
}

/* The draft's node of a row, made at its first mention. */
static hd_status ibdiag_draft_node(const struct ibdiag_all *a, uint32_t node, uint32_t line, uint32_t *v)
{
    struct ibdiag_node *n = ibdiag_node_at(a, node);
    char id[32];
    if (n->draft) {
        *v = n->draft - 1;
        return HD_OK;
    }
    const int len = snprintf(id, sizeof id, "%c-%016llx", n->kind, (unsigned long long)n->guid);
    HD_TRY(hd_draft_find(a->ctx, a->d, id, (size_t)len, v));
    n->draft = *v + 1;
    struct hd_draft_node *out = hd_draft_node(a->d, *v);
    out->line = line;
    out->guid = n->guid;
    out->system = n->system;
    out->name = n->name;
    out->nports = (uint8_t)(n->nports ? n->nports : 1);
    out->is_switch = n->kind == 'S';
    out->role = (uint8_t)(n->kind == 'R' ? HD_ROLE_ROUTER : hd_ibnet_role(n->name ? n->name : out->id));
    if (out->is_switch) ibdiag_switch_lid(a, node, out);
    return HD_OK;
}

/* The node at an end of a link: by its GUID or that of its port; in net_dump one without a row is an adapter. */
static hd_status ibdiag_end_node(struct ibdiag_all *a, const struct ibdiag_link *l, int end, uint32_t *node)
{
    *node = ibdiag_find_node(a, l->guid[end]);
    if (*node != UINT32_MAX) return HD_OK;
    const uint32_t i = hd_find_key(a->port_guid, a->nports, sizeof *a->port_guid, l->guid[end]);
    if (i < a->nports) {
        const struct ibdiag_port *p = hd_bag_at(&a->s->ports, a->port_guid[i].value);
        *node = ibdiag_find_node(a, p->node);
        return HD_OK;
    }
    return hd_fail(a->ctx, HD_INPUT, "%.200s:%u: node 0x%016llx has no row in NODES: expected one", a->d->file, l->line,
                   (unsigned long long)l->guid[end]);
}

/* Adapters of a net_dump without db_csv: known by the rows of the switches alone. */
static hd_status ibdiag_add_adapters(struct ibdiag_all *a)
{
    const uint32_t links = a->s->links.n;
    struct hd_keyed *seen = HD_NEW(a->d->arena, struct hd_keyed, links);
    if (!seen) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < links; i++)
        seen[i] = (struct hd_keyed){((const struct ibdiag_link *)hd_bag_at(&a->s->links, i))->guid[1], i};
    hd_keyed_sort(seen, links, sizeof *seen);
    for (uint32_t i = 0; i < links; i++) {
        const struct ibdiag_link *l = hd_bag_at(&a->s->links, seen[i].value);
        if (ibdiag_find_node(a, l->guid[1]) != UINT32_MAX) continue;
        if (!i || seen[i - 1].key != seen[i].key) {
            struct ibdiag_node *n = hd_bag_push(&a->s->nodes, a->d->arena);
            if (!n) return hd_fail_memory(a->ctx);
            *n = (struct ibdiag_node){.guid = l->guid[1], .kind = 'H', .line = l->line, .name = l->rname};
        }
        struct ibdiag_port *p = hd_bag_push(&a->s->ports, a->d->arena);
        if (!p) return hd_fail_memory(a->ctx);
        *p = (struct ibdiag_port){.node = l->guid[1], .port = l->port[1], .line = l->line, .lid = (uint16_t)l->rlid};
        if (l->port[1] == 1) p->guid = l->guid[1];
    }
    return HD_OK;
}

static hd_status ibdiag_add_end(const struct ibdiag_all *a, const struct ibdiag_link *l, const uint32_t node[2],
                                int end)
{
    const struct ibdiag_port *port = ibdiag_find_port(a, node[end], l->port[end]);
    struct hd_draft_port p = {.line = l->line,
                              .port = (uint8_t)l->port[end],
                              .rport = (uint8_t)l->port[!end],
                              .link = port && port->link ? port->link : l->link};
    struct hd_draft_end e = {.line = port && a->one_file ? port->line : l->line};
    HD_TRY(ibdiag_draft_node(a, node[end], l->line, &p.node));
    HD_TRY(ibdiag_draft_node(a, node[!end], l->line, &p.remote));
    struct hd_draft_node *n = hd_draft_node(a->d, p.node);
    const uint32_t given = ibdiag_node_at(a, node[end])->nports;
    if (given && l->port[end] > given)
        return hd_fail(a->ctx, HD_INPUT, "%.200s:%u: port %u of \"%.64s\": expected 1 to %u", a->d->file, l->line,
                       l->port[end], n->id, given);
    if (n->nports < p.port) n->nports = p.port;
    if (port) {
        e.guid = port->guid;
        e.lid = port->lid;
        e.lmc = port->lmc;
    }
    return hd_draft_add(a->ctx, a->d, &p, n->is_switch ? NULL : &e);
}

/* Both ends of every cable, once even if both ends list it. */
static hd_status ibdiag_add_links(struct ibdiag_all *a)
{
    const uint32_t links = a->s->links.n;
    struct hd_keyed *end = HD_NEW(a->d->arena, struct hd_keyed, 2 * (size_t)links);
    uint32_t *node = HD_NEW(a->d->arena, uint32_t, 2 * (size_t)links);
    if (!end || !node) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < 2 * links; i++) {
        const struct ibdiag_link *l = hd_bag_at(&a->s->links, i / 2);
        HD_TRY(ibdiag_end_node(a, l, (int)(i & 1), &node[i]));
        end[i] = (struct hd_keyed){port_key(node[i], l->port[i & 1]), i};
    }
    hd_keyed_sort(end, 2 * (size_t)links, sizeof *end);
    for (uint32_t i = 0; i < 2 * links; i++) {
        const uint32_t at = end[i].value, before = i ? end[i - 1].value : at;
        const struct ibdiag_link *l = hd_bag_at(&a->s->links, at / 2), *m = hd_bag_at(&a->s->links, before / 2);
        if (i && end[i].key == end[i - 1].key) {
            if (node[at ^ 1] == node[before ^ 1] && l->port[~at & 1] == m->port[~before & 1]) continue;
            return hd_fail(a->ctx, HD_INPUT,
                           "%.200s:%u: port %u of 0x%016llx is at line %u already: expected one cable per port",
                           a->d->file, l->line, l->port[at & 1], (unsigned long long)l->guid[at & 1], m->line);
        }
        HD_TRY(ibdiag_add_end(a, l, &node[at & ~1u], (int)(at & 1)));
    }
    return HD_OK;
}

hd_status hd_ibdiag_finish(struct hd_ctx *ctx, struct hd_draft *d, struct hd_ibdiag_state *s)
{
    struct ibdiag_all a = {.ctx = ctx, .d = d, .s = s, .one_file = d->file == s->file};
    uint32_t v;
    if (!s->nodes.n && !s->links.n) return HD_OK;
    if (!s->links.n)
        return hd_fail(ctx, HD_INPUT,
                       "%.200s: no links: expected a section LINKS, or the folder with ibdiagnet2.net_dump", d->file);
    const bool dump_alone = s->guid && !s->start;
    d->file = s->file;
    HD_TRY(ibdiag_index_nodes(&a));
    if (dump_alone) HD_TRY(ibdiag_add_adapters(&a));
    if (dump_alone) HD_TRY(ibdiag_index_nodes(&a));
    HD_TRY(ibdiag_index_ports(&a));
    HD_TRY(ibdiag_add_links(&a));
    for (uint32_t i = 0; i < a.nnodes; i++)
        if (!i || a.node[i].key != a.node[i - 1].key)
            HD_TRY(ibdiag_draft_node(&a, a.node[i].value, ibdiag_node_at(&a, a.node[i].value)->line, &v));
    return HD_OK;
}
