/* SPDX-License-Identifier: BSD-2-Clause */
/* What iblinkinfo prints, in blocks or, with -l, on lines of their own (one line each, shortened here):
 *
 *     Switch: 0x0002c90000100000 L1-0000:
 *               33    1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>       1    1[  ] "node-00000" ( )
 *               33    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )
 *     CA: node-00000:
 *           0x0002c90100000001    1    1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>    33    1[  ] "L1-0000" ( )
 *
 *     0x0002c90000100000 "  L1-0000"  33  1[  ] ==( ... )==>  0x0002c90100000001   1   1[  ] "node-00000" ( )
 *
 * Blocks name the other end by its LID alone, and lines do not say what a node is: a GUID with several lines is a
 * switch, since all its ports have that GUID, whereas a port of an adapter has one of its own. Both are clear only at
 * the end of the file, so rows are kept until then. With --switches-only -l adapters have no line of their own and are
 * made from those of the switches; in blocks their GUIDs are missing, and the file is refused. An adapter's own GUID is
 * not given: as for ibnetdiscover -p it is the port GUID less the port number. Cost: O(n log n) for n lines. */
#include "net/io/fmt_ibnet.h"
#include "base/keyed.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

struct linkinfo_row {     /* one port */
    uint64_t guid, rguid; /* 0: not given */
    const char *name, *rname;
    uint32_t lid, rlid, port, rport; /* rport 0: no cable */
    uint32_t line;
    uint8_t link;
    char kind; /* S, H or R, as ids begin; 0: not known */
};

struct linkinfo {
    struct hd_ctx *ctx;
    struct hd_draft *d;
    const struct hd_bag *rows;
    uint32_t n;
    struct hd_keyed *by_guid, *by_lid; /* the value is a row */
};

void hd_linkinfo_init(struct hd_linkinfo_state *s)
{
    *s = (struct hd_linkinfo_state){.rows.size = sizeof(struct linkinfo_row)};
}

/* ---- lines --------------------------------------------------------------------------------- */

hd_status hd_linkinfo_header(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_linkinfo_state *s,
                             const char *line)
{
    const char *p = line;
    s->guid = 0;
    s->kind = hd_ibnet_kind(&p, (const char *const[]){"Switch: ", "CA: ", "Router: "});
    const char *end = p + strlen(p);
    bool good = s->kind && (s->kind != 'S' || (hd_scan_guid(&p, &s->guid) && s->guid));
    hd_scan_blanks(&p);
    while (end > p && hd_is_blank(end[-1])) end--;
    if (!good || end == p || end[-1] != ':')
        return hd_in_fail(ctx, in, "expected a title of iblinkinfo, as in Switch: 0x2c90000100000 name:");
    return hd_draft_name(ctx, d, p, (size_t)(end - 1 - p), &s->name);
}

/* ==( 4X 25.78125 Gbps Active/ LinkUp): the rate of one lane, with or without its coding. */
static uint8_t linkinfo_link(struct hd_draft *d, const char *s, uint32_t line)
{
    static const char *const speeds[][2] = {{"2.5", "SDR"}, {"5", "DDR"},   {"10.0 Gbps (FDR10)", "FDR10"},
                                            {"10", "QDR"},  {"14", "FDR"},  {"25", "EDR"},
                                            {"53", "HDR"},  {"50", "HDR"},  {"106", "NDR"},
                                            {"100", "NDR"}, {"212", "XDR"}, {"200", "XDR"}};
    char word[32];
    hd_scan_blanks(&s);
    const size_t width = strspn(s, "0123456789");
    const char *speed = s + width + 1;
    if (!width || width > 2 || s[width] != 'X') return 0; /* down */
    hd_scan_blanks(&speed);
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        const size_t n = strlen(speeds[i][0]);
        if (strncmp(speed, speeds[i][0], n) != 0 || (speed[n] >= '0' && speed[n] <= '9')) continue;
        const int len = snprintf(word, sizeof word, "%.*sx%s", (int)width, s, speeds[i][1]);
        return hd_draft_link(d, word, (size_t)len, line);
    }
    return hd_draft_link(d, s, strcspn(s, "G)"), line);
}

/* 33    1[  ]: LID and port, with the number on the case. */
static bool linkinfo_port(const char **at, uint32_t *lid, uint32_t *port)
{
    const char *s = *at;
    hd_scan_blanks(&s);
    if (!hd_scan_u32(&s, lid) || !hd_is_blank(*s)) return false;
    hd_scan_blanks(&s);
    if (!hd_scan_u32(&s, port) || *s != '[') return false;
    s += strcspn(s, "]");
    if (!hd_scan_char(&s, ']')) return false;
    hd_scan_blanks(&s);
    *at = s;
    return true;
}

/* "name" as far as the last quote before end, without the blanks that fill it up. */
static bool linkinfo_name(const char **at, const char *end, const char **name, size_t *len)
{
    const char *s = *at, *close = end;
    if (!hd_scan_char(&s, '"')) return false;
    while (close > s && close[-1] != '"') close--;
    if (close == s) return false;
    *at = close--;
    hd_scan_blanks(&s);
    *name = s;
    *len = close > s ? (size_t)(close - s) : 0;
    return true;
}

struct linkinfo_text { /* names of a line before they are copied */
    const char *name, *rname;
    size_t len, rlen;
};

static bool linkinfo_scan(const struct hd_linkinfo_state *s, const char *line, struct linkinfo_row *row,
                          struct linkinfo_text *t, const char **link)
{
    const char *p = line, *open = strstr(line, "==("), *arrow = open ? strstr(open, "==>") : NULL;
    if (!arrow) return false;
    if (hd_scan_guid(&p, &row->guid)) {
        hd_scan_blanks(&p);
        if (linkinfo_name(&p, open, &t->name, &t->len))
            row->kind = 0;
        else if (row->kind == 'S' || !s->kind)
            return false;
    } else if (row->kind != 'S') {
        return false;
    }
    if (!linkinfo_port(&p, &row->lid, &row->port) || p != open || !row->guid) return false;
    *link = open + 3;
    p = arrow + 3;
    hd_scan_blanks(&p);
    if (hd_scan_guid(&p, &row->rguid)) hd_scan_blanks(&p);
    if (!linkinfo_port(&p, &row->rlid, &row->rport)) { /* down, or "Port not available" */
        row->rport = 0;
        return !row->rguid && (*p == '[' || *p == '"');
    }
    return linkinfo_name(&p, p + strlen(p), &t->rname, &t->rlen) && row->rport && (row->kind || row->rguid);
}

hd_status hd_linkinfo_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_linkinfo_state *s,
                           const char *line)
{
    struct linkinfo_row row = {.guid = s->guid, .name = s->name, .line = (uint32_t)hd_in_lineno(in), .kind = s->kind};
    struct linkinfo_text t = {0};
    const char *link;
    uint16_t lid;
    if (!linkinfo_scan(s, line, &row, &t, &link))
        return hd_in_fail(ctx, in,
                          "expected a line of iblinkinfo, as in 33 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 1 1[  ] "
                          "\"name\" ( ), below a title or with GUIDs");
    if (row.port < 1 || row.port > HD_MAX_PORTS || row.rport > HD_MAX_PORTS)
        return hd_in_fail(ctx, in, "port %u: expected 1 to %d", row.rport > HD_MAX_PORTS ? row.rport : row.port,
                          HD_MAX_PORTS);
    if (!hd_ibnet_lid(row.lid, &lid) || !hd_ibnet_lid(row.rlid, &lid))
        return hd_in_fail(ctx, in, "LID %u: expected 0 (not assigned) to %d",
                          hd_ibnet_lid(row.lid, &lid) ? row.rlid : row.lid, HD_MAX_LID);
    if (t.name) HD_TRY(hd_draft_name(ctx, d, t.name, t.len, &row.name));
    if (t.rname) HD_TRY(hd_draft_name(ctx, d, t.rname, t.rlen, &row.rname));
    if (row.rport) row.link = linkinfo_link(d, link, row.line);
    struct linkinfo_row *kept = hd_bag_push(&s->rows, d->arena);
    if (!kept) return hd_fail_memory(ctx);
    *kept = row;
    return HD_OK;
}

/* ---- what they add up to ------------------------------------------------------------------- */

static struct linkinfo_row *row_at(const struct linkinfo *l, uint32_t i)
{
    return hd_bag_at(l->rows, i);
}

/* The first row of a GUID, NULL: none. */
static struct linkinfo_row *row_of_guid(const struct linkinfo *l, uint64_t guid)
{
    uint32_t i = hd_find_key(l->by_guid, l->n, sizeof *l->by_guid, guid);
    return i < l->n ? row_at(l, l->by_guid[i].value) : NULL;
}

static hd_status linkinfo_index(struct linkinfo *l)
{
    l->by_guid = HD_NEW(l->d->arena, struct hd_keyed, l->n);
    l->by_lid = HD_NEW(l->d->arena, struct hd_keyed, l->n);
    if (!l->by_guid || !l->by_lid) return hd_fail_memory(l->ctx);
    for (uint32_t i = 0; i < l->n; i++) {
        l->by_guid[i] = (struct hd_keyed){row_at(l, i)->guid, i};
        l->by_lid[i] = (struct hd_keyed){row_at(l, i)->lid, i};
    }
    hd_keyed_sort(l->by_guid, l->n, sizeof *l->by_guid);
    hd_keyed_sort(l->by_lid, l->n, sizeof *l->by_lid);
    for (uint32_t i = 0; i < l->n; i++) {
        struct linkinfo_row *r = row_at(l, l->by_guid[i].value);
        bool several = (i && l->by_guid[i - 1].key == r->guid) || (i + 1 < l->n && l->by_guid[i + 1].key == r->guid);
        if (!r->kind) r->kind = several ? 'S' : 'H';
    }
    return HD_OK;
}

/* The row whose LID the other end has. A LID of two GUIDs says nothing. */
static hd_status row_of_lid(const struct linkinfo *l, const struct linkinfo_row *from, const struct linkinfo_row **to)
{
    uint32_t i = hd_find_key(l->by_lid, l->n, sizeof *l->by_lid, from->rlid);
    if (!from->rlid || i == l->n)
        return hd_fail(
            l->ctx, HD_INPUT,
            "%.200s:%u: LID %u at the other end has no line of its own: expected adapters as well as switches, or "
            "output of iblinkinfo -l, which has GUIDs",
            l->d->file, from->line, from->rlid);
    *to = row_at(l, l->by_lid[i].value);
    for (; i < l->n && l->by_lid[i].key == from->rlid; i++) {
        const struct linkinfo_row *other = row_at(l, l->by_lid[i].value);
        if (other->guid != (*to)->guid)
            return hd_fail(l->ctx, HD_INPUT,
                           "%.200s:%u: LID %u is that of lines %u and %u: expected distinct LIDs, or output of "
                           "iblinkinfo -l, which has GUIDs",
                           l->d->file, from->line, from->rlid, (*to)->line, other->line);
    }
    return HD_OK;
}

/* The draft's node of a port, made if it is new. */
static hd_status linkinfo_node(const struct linkinfo *l, const struct linkinfo_row *r, uint32_t *v)
{
    char id[32];
    uint64_t guid = r->kind == 'S' ? r->guid : r->guid - r->port;
    int len = snprintf(id, sizeof id, "%c-%016llx", r->kind, (unsigned long long)guid);
    HD_TRY(hd_draft_find(l->ctx, l->d, id, (size_t)len, v));
    struct hd_draft_node *n = hd_draft_node(l->d, *v);
    if (!guid) return hd_fail(l->ctx, HD_INPUT, "%.200s:%u: GUID 0: expected another one", l->d->file, r->line);
    if (n->nports < r->port) n->nports = (uint8_t)r->port;
    if (n->line && n->name && r->name && strcmp(n->name, r->name) != 0)
        return hd_fail(l->ctx, HD_INPUT,
                       "%.200s:%u: '%.64s' has the GUID of '%.64s' at line %u: expected distinct ones", l->d->file,
                       r->line, r->name, n->name, n->line);
    if (n->line) return HD_OK;
    n->line = r->line;
    n->guid = guid;
    n->name = r->name && *r->name ? r->name : NULL;
    n->is_switch = r->kind == 'S';
    n->role = (uint8_t)(r->kind == 'R' ? HD_ROLE_ROUTER : hd_ibnet_role(n->name ? n->name : n->id));
    if (n->is_switch) hd_ibnet_lid(r->lid, &n->lid);
    return HD_OK;
}

static hd_status linkinfo_add(const struct linkinfo *l, const struct linkinfo_row *from, uint32_t u, uint32_t v)
{
    const struct hd_draft_port p = {.node = u,
                                    .remote = v,
                                    .line = from->line,
                                    .port = (uint8_t)from->port,
                                    .rport = (uint8_t)from->rport,
                                    .link = from->link};
    struct hd_draft_end e = {.guid = from->guid, .line = from->line};
    hd_ibnet_lid(from->lid, &e.lid);
    return hd_draft_add(l->ctx, l->d, &p, from->kind == 'S' ? NULL : &e);
}

/* One cable as this end lists it; an adapter without a line of its own lists it likewise. */
static hd_status linkinfo_cable(const struct linkinfo *l, const struct linkinfo_row *r)
{
    uint32_t u, v;
    HD_TRY(linkinfo_node(l, r, &u));
    if (!r->rport) return HD_OK;
    const struct linkinfo_row *known = r->rguid ? row_of_guid(l, r->rguid) : NULL;
    if (!r->rguid) HD_TRY(row_of_lid(l, r, &known));
    struct linkinfo_row there = {.guid = known ? known->guid : r->rguid,
                                 .rguid = r->guid,
                                 .name = known ? known->name : r->rname,
                                 .lid = r->rlid,
                                 .port = r->rport,
                                 .rport = r->port,
                                 .line = r->line,
                                 .link = r->link,
                                 .kind = known ? known->kind : 'H'};
    HD_TRY(linkinfo_node(l, &there, &v));
    HD_TRY(linkinfo_add(l, r, u, v));
    return known ? HD_OK : linkinfo_add(l, &there, v, u);
}

hd_status hd_linkinfo_finish(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_linkinfo_state *s)
{
    struct linkinfo l = {.ctx = ctx, .d = d, .rows = &s->rows, .n = s->rows.n};
    HD_TRY(linkinfo_index(&l));
    for (uint32_t i = 0; i < l.n; i++) HD_TRY(linkinfo_cable(&l, row_at(&l, i)));
    return HD_OK;
}
