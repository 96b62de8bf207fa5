/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of network files: what ibnetdiscover prints and ibsim reads, one grammar.
 *
 *     switchguid=0x2c90000100000(2c90000100000)                  the GUID of the next record of its kind
 *     Switch  8 "S-0002c90000100000"  # "L1-0000" base port 0 lid 33 lmc 0
 *     [1]     "H-0002c90100000000"[1](2c90100000001)  # "node-00000" lid 1 4xQDR
 *
 *     Ca      1 "H-0002c90100000000"  # "node-00000"
 *     [1](2c90100000001)  "S-0002c90000100000"[1]  # lid 1 lmc 0 "L1-0000" lid 33 4xQDR
 *
 * Rt is a router, Hca another word for Ca. What ibsim makes up is made up alike: a record without GUID
 * line takes the number after the last one of its kind, the first switch 0x200000, the first adapter
 * 0x100000; a missing remote port is port 1; module="x" puts x# before ids. A description runs to the last
 * quote of its line, so that it may hold quotes.
 * Our writer marks a role that does not follow from the description with a line # heddle role=... before the
 * record. Cost: O(1) per line, no allocation per line; see net_draft.c for what is kept. */
#include "net/io/ibnet_reader.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_name[KINDS] = {"Switch", "Ca", "Rt"};

enum hd_role hd_ibnet_role(const char *name)
{
    return strstr(name, "Aggregation Node") ? HD_ROLE_AGGREGATION : HD_ROLE_HOST;
}

/* ---- pieces of lines ----------------------------------------------------------------------- */

/* Printable and no quote; nearly all are from # to ~, which one comparison tells. */
static inline bool is_id_char(unsigned char c)
{
    return (unsigned char)(c - '#') <= '~' - '#' || c == ' ' || c == '!' || c >= 128;
}

/* "id", kept without its quotes; false when it is empty, not closed or not printable. */
static bool scan_id(const char **s, const char **id, size_t *len)
{
    const char *p = *s;
    if (!hd_scan_char(&p, '"')) return false;
    *id = p;
    while (is_id_char((unsigned char)*p)) p++;
    *len = (size_t)(p - *id);
    if (*len == 0 || !hd_scan_char(&p, '"')) return false;
    *s = p;
    return true;
}

static hd_status ibnet_node(struct hd_ctx *ctx, struct ibnet_reader *r, const char *id, size_t len, uint32_t *v)
{
    if (!r->module[0] || memchr(id, '#', len)) return hd_draft_find(ctx, &r->draft, id, len, v);
    char full[256];
    int n = snprintf(full, sizeof full, "%s#%.*s", r->module, (int)(len < sizeof full ? len : sizeof full), id);
    if (n >= (int)sizeof full)
        return hd_in_fail(ctx, r->in, "id of %zu bytes in a module: expected a shorter one", len);
    return hd_draft_find(ctx, &r->draft, full, (size_t)n, v);
}

/* A comment in three: what precedes its quoted description, the description, what follows it. */
struct comment {
    const char *before, *text, *after; /* text is NULL when there is no quote */
    size_t text_len;
    bool cut; /* one quote only */
};

static struct comment split_comment(const char *s, const char *end)
{
    struct comment c = {.before = s, .after = s};
    const char *open = memchr(s, '"', (size_t)(end - s)), *close = end;
    if (!open) return c;
    while (*--close != '"') {
    }
    c.cut = open == close;
    if (c.cut) {
        c.after = end;
        return c;
    }
    c.text = open + 1;
    c.text_len = (size_t)(close - c.text);
    c.after = close + 1;
    return c;
}

/* Behind "word " in [s, end), NULL when it is not there. */
static const char *after_word(const char *s, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (;;) {
        while (s < end && hd_is_blank(*s)) s++;
        if ((size_t)(end - s) <= n) return NULL;
        if (memcmp(s, word, n) == 0 && hd_is_blank(s[n])) break;
        while (s < end && !hd_is_blank(*s)) s++;
    }
    s += n;
    hd_scan_blanks(&s);
    return s;
}

static hd_status scan_lid(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s, const char *end, uint16_t *lid,
                          uint8_t *lmc)
{
    const char *p = after_word(s, end, "lid");
    uint32_t number;
    *lid = 0;
    *lmc = 0;
    if (!p) return HD_OK;
    if (!hd_scan_u32(&p, &number)) return hd_in_fail(ctx, r->in, "expected a number after lid");
    if (!hd_ibnet_lid(number, lid))
        return hd_in_fail(ctx, r->in, "LID %u: expected 0 (not assigned) to %d", number, HD_MAX_LID);
    if (!(p = after_word(p, end, "lmc"))) return HD_OK;
    if (!hd_scan_u32(&p, &number) || number > 7)
        return hd_in_fail(ctx, r->in, "expected a number from 0 to 7 after lmc");
    *lmc = (uint8_t)number;
    return HD_OK;
}

/* The link of "lid 33 4xQDR ...". Neighbouring lines mostly repeat it, so the last word is remembered. */
static uint8_t scan_link(struct ibnet_reader *r, const char *s, const char *end)
{
    uint32_t number;
    const char *p = after_word(s, end, "lid");
    if (!p || !hd_scan_u32(&p, &number)) return 0;
    hd_scan_blanks(&p);
    size_t n = strcspn(p, " \t");
    if (n == 0) return 0;
    if (n > sizeof r->link) return hd_draft_link(&r->draft, p, n, r->line);
    if (n != r->link_len || memcmp(r->link, p, n) != 0) {
        memcpy(r->link, p, n);
        r->link_len = n;
        r->link_code = hd_link_code(p, n);
    }
    return r->link_code ? r->link_code : hd_draft_link(&r->draft, p, n, r->line);
}

/* ---- lines of a record --------------------------------------------------------------------- */

/* The header of a record; s is behind the word that names its kind. */
hd_status hd_ibnet_header(struct hd_ctx *ctx, struct ibnet_reader *r, enum ibnet_kind kind, const char *s,
                          const char *end)
{
    uint32_t ports, v;
    const char *id, *digits;
    size_t len;
    HD_TRY(hd_ibnet_take_form(ctx, r, RECORDS));
    hd_scan_blanks(&s);
    digits = s;
    bool good = hd_scan_u32(&s, &ports);
    hd_scan_blanks(&s);
    if (!good || !scan_id(&s, &id, &len))
        return hd_in_fail(ctx, r->in, "expected %s, a number of ports and an id in quotes", kind_name[kind]);
    if (ports < 1 || ports > HD_MAX_PORTS)
        return hd_in_fail(ctx, r->in, "%s with %.*s ports: expected 1 to %d", kind_name[kind],
                          (int)strspn(digits, "0123456789") < 24 ? (int)strspn(digits, "0123456789") : 24, digits,
                          HD_MAX_PORTS);
    HD_TRY(ibnet_node(ctx, r, id, len, &v));
    struct hd_draft_node *n = hd_draft_node(&r->draft, v);
    if (n->line)
        return hd_in_fail(ctx, r->in, "\"%.64s\" has a record at line %u already: expected one record per node", n->id,
                          n->line);
    if (!r->next[kind]) return hd_in_fail(ctx, r->in, "\"%.64s\" has GUID 0: expected another one", n->id);

    const char *hash = memchr(s, '#', (size_t)(end - s));
    struct comment c = split_comment(hash ? hash + 1 : end, end);
    if (c.cut) return hd_in_fail(ctx, r->in, "the description has no closing quote: expected a whole line");
    if (c.text_len) HD_TRY(hd_draft_name(ctx, &r->draft, c.text, c.text_len, &n->name));
    n->line = r->line;
    n->nports = (uint8_t)ports;
    n->guid = r->next[kind];
    n->system = r->system;
    n->is_switch = kind == SWITCH;
    n->role = (uint8_t)(kind == ROUTER ? HD_ROLE_ROUTER : hd_ibnet_role(n->name ? n->name : n->id));
    if (r->role >= 0) n->role = (uint8_t)r->role;
    if (kind == SWITCH) HD_TRY(scan_lid(ctx, r, c.after, end, &n->lid, &n->lmc));

    if (r->node == NO_NODE && !r->pending) r->bare = v + 1;
    r->records++;
    r->switches += kind == SWITCH;
    r->next[kind] += kind == SWITCH ? 1 : ports + 1;
    r->system = 0;
    r->pending = 0;
    r->role = -1;
    r->node = v;
    r->open = true;
    return HD_OK;
}

/* [1](2c90100000001) "S-0002c90000100000"[1][ext 3](..): the port, its GUID when given, what it leads to. */
static bool scan_port(const char **at, uint32_t *port, uint64_t *guid, const char **id, size_t *len, uint32_t *rport)
{
    const char *s = *at;
    *guid = 0;
    *rport = 1;
    if (!hd_scan_char(&s, '[') || !hd_scan_u32(&s, port) || !hd_scan_char(&s, ']')) return false;
    for (;;) {
        hd_scan_blanks(&s);
        if (hd_scan_char(&s, '(')) {
            if ((!hd_scan_guid(&s, guid) && !hd_scan_hex(&s, guid)) || !hd_scan_char(&s, ')')) return false;
        } else if (hd_scan_text(&s, "[ext")) {
            s += strcspn(s, "]");
            if (!hd_scan_char(&s, ']')) return false;
        } else {
            break;
        }
    }
    if (!scan_id(&s, id, len)) return false;
    hd_scan_blanks(&s);
    if (hd_scan_char(&s, '[') && (!hd_scan_u32(&s, rport) || !hd_scan_char(&s, ']'))) return false;
    *at = s;
    return true;
}

hd_status hd_ibnet_port(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s, const char *end)
{
    uint32_t port, rport;
    uint64_t guid;
    const char *id;
    size_t len;
    HD_TRY(hd_ibnet_format_line(ctx, r));
    if (!r->open) return hd_in_fail(ctx, r->in, "a port outside a record: expected a Switch, Ca or Rt line before it");
    if (!scan_port(&s, &port, &guid, &id, &len, &rport))
        return hd_in_fail(ctx, r->in, "expected [port] \"id\"[port], as in [1] \"S-0002c90000100000\"[1]");
    const struct hd_draft_node *n = hd_draft_node(&r->draft, r->node);
    if (port < 1 || port > n->nports)
        return hd_in_fail(ctx, r->in, "port %u of \"%.64s\": expected 1 to %u", port, n->id, n->nports);
    if (rport < 1 || rport > HD_MAX_PORTS)
        return hd_in_fail(ctx, r->in, "port %u of \"%.*s\": expected 1 to %d", rport, (int)(len < 64 ? len : 64), id,
                          HD_MAX_PORTS);
    if (r->seen[port] > n->line)
        return hd_in_fail(ctx, r->in, "port %u of \"%.64s\" is at line %u already: expected one cable per port", port,
                          n->id, r->seen[port]);
    r->seen[port] = r->line;

    struct hd_draft_port p = {.node = r->node, .line = r->line, .port = (uint8_t)port, .rport = (uint8_t)rport};
    struct hd_draft_end e = {.guid = guid, .line = r->line};
    bool is_switch = n->is_switch;
    const char *hash = memchr(s, '#', (size_t)(end - s));
    struct comment c = split_comment(hash ? hash + 1 : end, end);
    if (!is_switch) HD_TRY(scan_lid(ctx, r, c.before, c.text ? c.text - 1 : end, &e.lid, &e.lmc));
    p.link = scan_link(r, c.after, end);
    HD_TRY(ibnet_node(ctx, r, id, len, &p.remote));
    HD_TRY(hd_draft_add(ctx, &r->draft, &p, is_switch ? NULL : &e));
    if (!is_switch || *id == 'S' || hd_draft_node(&r->draft, p.remote)->line) return HD_OK;
    return hd_ibnet_peer(ctx, &r->draft, &r->peers, s, (size_t)(end - s));
}

/* ---- lines between records ------------------------------------------------------------------ */

/* module="name"; "" ends it. */
static hd_status parse_module(struct hd_ctx *ctx, struct ibnet_reader *r, const char *value)
{
    const char *name = value;
    size_t len = 0;
    if (strcmp(value, "\"\"") != 0 && (!scan_id(&value, &name, &len) || len >= sizeof r->module))
        return hd_in_fail(ctx, r->in, "expected module=\"name\" with a short name");
    memcpy(r->module, name, len);
    r->module[len] = 0;
    return HD_OK;
}

/* name=value or name+value. Those that do not shape the network are read over, as ibsim does. */
hd_status hd_ibnet_setting(struct hd_ctx *ctx, struct ibnet_reader *r, const char *name, size_t len, const char *value)
{
    static const struct {
        const char *name;
        enum ibnet_kind kind;
    } guids[] = {{"sysimgguid", KINDS},   {"caguid", ADAPTER},  {"switchguid", SWITCH},
                 {"switchguids", SWITCH}, {"caguids", ADAPTER}, {"hcaguid", ADAPTER},
                 {"hcaguids", ADAPTER},   {"rtguid", ROUTER},   {"rtguids", ROUTER}};
    r->open = false;
    bool relative = *value++ == '+';
    if (hd_ibnet_word(name, len, "module")) return parse_module(ctx, r, value);
    size_t end = len - (name[len - 1] == 's'); /* half of all settings are no GUIDs */
    if (end < 4 || memcmp(name + end - 4, "guid", 4) != 0) return HD_OK;
    for (size_t i = 0; i < sizeof guids / sizeof guids[0]; i++) {
        if (!hd_ibnet_word(name, len, guids[i].name)) continue;
        uint64_t guid;
        hd_scan_blanks(&value);
        if (!hd_scan_guid(&value, &guid)) {
            uint32_t number; /* ibsim takes decimals too, useful after + */
            if (!relative || !hd_scan_u32(&value, &number))
                return hd_in_fail(ctx, r->in, "expected a GUID such as %s=0x2c90000100000", guids[i].name);
            guid = number;
        }
        if (guids[i].kind == KINDS) {
            r->system = guid;
            return HD_OK;
        }
        HD_TRY(hd_ibnet_format_line(ctx, r));
        if (!relative) r->base[guids[i].kind] = guid;
        r->next[guids[i].kind] = relative ? r->base[guids[i].kind] + guid : guid;
        r->pending = r->line;
        r->pending_kind = guids[i].kind;
        r->guid_lines = true;
        return HD_OK;
    }
    if (len >= 4 && memcmp(name + len - 4, "guid", 4) == 0)
        return hd_in_fail(ctx, r->in, "'%.*s': expected switchguid, caguid, rtguid or sysimgguid",
                          (int)(len < 32 ? len : 32), name);
    return HD_OK;
}

hd_status hd_ibnet_comment(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s)
{
    if (!hd_scan_text(&s, "# heddle role=")) return HD_OK;
    r->draft.roles = true;
    for (int i = 0; i < HD_ROLES; i++)
        if (strcmp(s, i == HD_ROLE_HOST ? "host" : hd_role_name((enum hd_role)i)) == 0) {
            r->role = i;
            return HD_OK;
        }
    return hd_in_fail(ctx, r->in, "expected role=host, router, aggregation, storage, management or gateway");
}
