/* SPDX-License-Identifier: BSD-2-Clause */
/* Network files: what ibnetdiscover prints and ibsim reads, one grammar.
 *
 *     switchguid=0x2c90000100000(2c90000100000)                  the GUID of the next record of its kind
 *     Switch  8 "S-0002c90000100000"  # "L1-0000" base port 0 lid 33 lmc 0
 *     [1]     "H-0002c90100000000"[1](2c90100000001)  # "node-00000" lid 1 4xQDR
 *                                                                 a blank line ends the record
 *     Ca      1 "H-0002c90100000000"  # "node-00000"
 *     [1](2c90100000001)  "S-0002c90000100000"[1]  # lid 1 lmc 0 "L1-0000" lid 33 4xQDR
 *
 * Rt is a router, Hca another word for Ca. What ibsim makes up is made up alike: a record without GUID
 * line takes the number after the last one of its kind, the first switch 0x200000, the first adapter
 * 0x100000; a missing remote port is port 1; module="x" puts x# before ids. A description runs to the last
 * quote of its line, so that it may hold quotes. The other forms, one line per port, are in fmt_ibnet_ports.c,
 * fmt_ibnet_subnet.c and fmt_iblinkinfo.c; what ibdiagnet writes is in fmt_ibdiag.c.
 * Our writer marks a role that does not follow from the description with a line # heddle role=... before the
 * record. Cost: O(1) a line, no allocation a line; see net_draft.c for what is kept. */
#include "net/io/fmt_ibnet.h"
#include "base/bundle.h"
#include "base/sized.h"
#include "base/status.h"
#include "net/io/capture_line.h"
#include "net/io/fmt_ibdiag.h"

#include <stdio.h>
#include <string.h>

enum ibnet_kind { SWITCH, ADAPTER, ROUTER, KINDS };
enum form { UNDECIDED, RECORDS, PORTS, SUBNET, LINKINFO, VALUES, NET_DUMP };

#define NO_NODE UINT32_MAX

static const char *const kind_name[KINDS] = {"Switch", "Ca", "Rt"};

/* Lines that are not part of the format. Those that are surely from elsewhere, and whatever precedes the first record,
 * are skipped; another one is kept until the next line of the format refuses it, or the file ends. */
struct ibnet_strays {
    uint32_t skipped, first; /* how many, and the line of the first */
    uint32_t kept, line;     /* how many not yet decided upon, and the line of the first of them */
    char word[25];           /* how that one begins */
};

struct ibnet_reader {
    struct hd_in *in;
    struct hd_draft draft;
    enum form form;
    uint32_t line, switches, records;
    struct ibnet_strays strays;

    uint64_t base[KINDS], next[KINDS]; /* GUIDs: as last set, and of the next record */
    uint64_t system;                   /* of the next record, 0: not given */
    uint32_t pending;                  /* line of a GUID whose record has not come */
    enum ibnet_kind pending_kind;
    bool guid_lines; /* there are such lines */
    uint32_t bare;   /* the first record's node + 1, if it had none */
    struct hd_bag peers;
    struct hd_linkinfo_state linkinfo;
    struct hd_ibdiag_state ibdiag;
    int role; /* marked for the next record, -1: not */
    char module[64];

    bool started;       /* a line of the format was read */
    bool open;          /* inside a record */
    uint32_t node;      /* of the last record, NO_NODE: there was none */
    uint32_t seen[256]; /* line that listed a port last: within this record when after its first line */

    char link[16]; /* the link word last looked up */
    size_t link_len;
    uint8_t link_code;
};

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

/* ---- records ------------------------------------------------------------------------------- */

/* Refuses the line of the kept stray. */
static hd_status ibnet_refuse(struct hd_ctx *ctx, const struct ibnet_reader *r)
{
    const struct ibnet_strays *t = &r->strays;
    return hd_fail(ctx, HD_INPUT,
                   "%.200s:%u: %s%s%sexpected a Switch, Ca or Rt record, a line of ibnetdiscover -p or iblinkinfo, "
                   "name=value or a # comment",
                   hd_in_name(r->in), t->line, *t->word ? "'" : "", t->word, *t->word ? "': " : "");
}

static void ibnet_skip(struct ibnet_strays *t, uint32_t line, uint32_t count)
{
    if (!t->skipped || line < t->first) t->first = line;
    t->skipped += count;
}

/* A line that is not part of the format. Whole files of them are refused early. */
static hd_status ibnet_stray(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s)
{
    enum { MAX_STRAYS = 1 << 14 };
    struct ibnet_strays *t = &r->strays;
    if (hd_capture_noise(s)) {
        ibnet_skip(t, r->line, 1);
        return HD_OK;
    }
    if (!t->kept++) {
        size_t n = 0;
        t->line = r->line;
        while (n + 1 < sizeof t->word && s[n] > 32 && s[n] < 127) n++;
        memcpy(t->word, s, n);
        t->word[n] = 0;
    }
    return t->kept < MAX_STRAYS ? HD_OK : ibnet_refuse(ctx, r);
}

/* A line of the format follows: what was kept so far precedes the first record, or is an error. */
static inline hd_status ibnet_format_line(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    struct ibnet_strays *t = &r->strays;
    if (!t->kept && r->started) return HD_OK;
    if (t->kept && r->started) return ibnet_refuse(ctx, r);
    if (t->kept) ibnet_skip(t, t->line, t->kept);
    t->kept = 0;
    r->started = true;
    return HD_OK;
}

static hd_status take_form(struct hd_ctx *ctx, struct ibnet_reader *r, enum form form)
{
    HD_TRY(ibnet_format_line(ctx, r));
    if (r->form == UNDECIDED) r->form = form;
    if (r->form == form) return HD_OK;
    static const char *const what[] = {[RECORDS] = "a record among lines of another form",
                                       [PORTS] = "a line of ibnetdiscover -p among others",
                                       [SUBNET] = "a line of opensm-subnet.lst among others",
                                       [LINKINFO] = "a line of iblinkinfo among others",
                                       [VALUES] = "a section of comma-separated values among others",
                                       [NET_DUMP] = "a switch of ibdiagnet2.net_dump among others"};
    return hd_in_fail(ctx, r->in, "%s: expected one form per file", what[form]);
}

/* The header of a record; s is behind the word that names its kind. */
static hd_status parse_header(struct hd_ctx *ctx, struct ibnet_reader *r, enum ibnet_kind kind, const char *s,
                              const char *end)
{
    uint32_t ports, v;
    const char *id, *digits;
    size_t len;
    HD_TRY(take_form(ctx, r, RECORDS));
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
    if (c.text_len) HD_TRY(hd_draft_text(ctx, &r->draft, c.text, c.text_len, &n->name));
    n->line = r->line;
    n->nports = (uint8_t)ports;
    n->guid = r->next[kind];
    n->system = r->system;
    n->is_switch = kind == SWITCH;
    n->role = (uint8_t)(kind == ROUTER ? HD_ROLE_ROUTER : hd_ibnet_role(n->name ? n->name : n->id));
    if (r->role >= 0) n->role = (uint8_t)r->role;
    uint8_t lmc;
    if (kind == SWITCH) HD_TRY(scan_lid(ctx, r, c.after, end, &n->lid, &lmc));

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

static hd_status parse_port(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s, const char *end)
{
    uint32_t port, rport;
    uint64_t guid;
    const char *id;
    size_t len;
    HD_TRY(ibnet_format_line(ctx, r));
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

/* ---- other lines --------------------------------------------------------------------------- */

static bool is_word(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(s, word, len) == 0;
}

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
static hd_status parse_setting(struct hd_ctx *ctx, struct ibnet_reader *r, const char *name, size_t len,
                               const char *value)
{
    static const struct {
        const char *name;
        enum ibnet_kind kind;
    } guids[] = {{"sysimgguid", KINDS},   {"caguid", ADAPTER},  {"switchguid", SWITCH},
                 {"switchguids", SWITCH}, {"caguids", ADAPTER}, {"hcaguid", ADAPTER},
                 {"hcaguids", ADAPTER},   {"rtguid", ROUTER},   {"rtguids", ROUTER}};
    r->open = false;
    bool relative = *value++ == '+';
    if (is_word(name, len, "module")) return parse_module(ctx, r, value);
    size_t end = len - (name[len - 1] == 's'); /* half of all settings are no GUIDs */
    if (end < 4 || memcmp(name + end - 4, "guid", 4) != 0) return HD_OK;
    for (size_t i = 0; i < sizeof guids / sizeof guids[0]; i++) {
        if (!is_word(name, len, guids[i].name)) continue;
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
        HD_TRY(ibnet_format_line(ctx, r));
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

static hd_status parse_comment(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s)
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

static bool is_word_char(char c, size_t at)
{
    if ((unsigned char)((c | 32) - 'a') < 26 || c == '?') return true;
    return at > 0 && ((c >= '0' && c <= '9') || c == '-' || c == '_');
}

/* The kind of a record by its first word, which the number of ports may follow at once where a terminal lost a tab;
 * *word is its length. */
static enum ibnet_kind header_kind(const char *s, size_t len, size_t *word)
{
    static const struct {
        const char *word;
        enum ibnet_kind kind;
    } words[] = {{"Switch", SWITCH}, {"Ca", ADAPTER}, {"Hca", ADAPTER}, {"Rt", ROUTER}};
    while (len && s[len - 1] >= '0' && s[len - 1] <= '9') len--;
    *word = len;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is_word(s, len, words[i].word)) return words[i].kind;
    return KINDS;
}

/* A title or a line of iblinkinfo. */
static hd_status parse_linkinfo(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s,
                                hd_status (*parse)(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in,
                                                   struct hd_linkinfo_state *state, const char *line))
{
    HD_TRY(take_form(ctx, r, LINKINFO));
    return parse(ctx, &r->draft, r->in, &r->linkinfo, s);
}

/* A line of what ibdiagnet writes. */
static hd_status parse_ibdiag(struct hd_ctx *ctx, struct ibnet_reader *r, char *line)
{
    if (r->form == VALUES) return hd_ibdiag_csv_line(ctx, &r->draft, r->in, &r->ibdiag, line);
    return hd_ibdiag_dump_line(ctx, &r->draft, r->in, &r->ibdiag, line);
}

static hd_status parse_word(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s, const char *end)
{
    size_t len = 0, word;
    while (is_word_char(s[len], len)) len++;
    if (hd_is_blank(s[len])) {
        enum ibnet_kind kind = header_kind(s, len, &word);
        if (kind < KINDS) return parse_header(ctx, r, kind, s + word, end);
        if (is_word(s, len, "SW") || is_word(s, len, "CA") || is_word(s, len, "RT") || is_word(s, len, "??")) {
            HD_TRY(take_form(ctx, r, PORTS));
            r->switches += s[0] == 'S';
            return hd_ibnet_ports_line(ctx, &r->draft, r->in, s);
        }
        bool lead = r->strays.kept && !r->started; /* prose */
        if (!lead && (is_word(s, len, "include") || is_word(s, len, "do")))
            return hd_in_fail(ctx, r->in, "'%.*s' is for ibsim alone: expected one file with every record", (int)len,
                              s);
    }
    if (s[len] == ':' && (is_word(s, len, "Switch") || is_word(s, len, "CA") || is_word(s, len, "Router")))
        return parse_linkinfo(ctx, r, s, hd_linkinfo_header);
    const char *sign = s + len;
    hd_scan_blanks(&sign);
    if (len && (*sign == '=' || *sign == '+')) return parse_setting(ctx, r, s, len, sign);
    /* ibnetdiscover -g: headings between the records; pdebug switches ibsim's messages on */
    if (is_word(s, len, "Chassis") || is_word(s, len, "Non-Chassis") || is_word(s, len, "Hostname") ||
        is_word(s, len, "pdebug")) {
        r->open = false;
        return HD_OK;
    }
    return ibnet_stray(ctx, r, s);
}

/* Whether a line begins what ibdiagnet writes: a section of values, or a switch of net_dump. */
static enum form ibdiag_form(const char *s)
{
    if (strncmp(s, "START_", 6) == 0) return VALUES;
    return *s == '"' && strstr(s, ", LID ") ? NET_DUMP : UNDECIDED;
}

static hd_status ibnet_line(struct hd_ctx *ctx, struct ibnet_reader *r, char *line, const char *end)
{
    const char *s = line;
    hd_scan_blanks(&s);
    const enum form form = *s == 'S' || *s == '"' ? ibdiag_form(s) : UNDECIDED;
    if (form != UNDECIDED) HD_TRY(take_form(ctx, r, form));
    if (r->form == VALUES || r->form == NET_DUMP) return parse_ibdiag(ctx, r, line);
    switch (*s) {
    case 0: r->open = false; return HD_OK;
    case '[':
        if ((s[1] < '0' || s[1] > '9') && hd_capture_noise(s)) return ibnet_stray(ctx, r, s); /* [root@node ~]# */
        return parse_port(ctx, r, s, end);
    case '#': return parse_comment(ctx, r, s);
    case '{':
        HD_TRY(take_form(ctx, r, SUBNET));
        r->switches++; /* an adapter is cabled to a switch, or the draft complains */
        return hd_ibnet_subnet_line(ctx, &r->draft, r->in, s);
    case '@': return hd_in_fail(ctx, r->in, "an alias (@) is for ibsim alone: expected [port] \"id\"[port]");
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return strstr(s, "==(") ? parse_linkinfo(ctx, r, s, hd_linkinfo_line) : ibnet_stray(ctx, r, s);
    default: return parse_word(ctx, r, s, end);
    }
}

/* Whether what was read so far ends among the adapters, which ibnetdiscover lists after all switches. */
static bool among_adapters(const struct ibnet_reader *r)
{
    if (r->pending) return r->pending_kind != SWITCH;
    return r->node != NO_NODE && !hd_draft_node(&r->draft, r->node)->is_switch;
}

static hd_status parse_lines(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    for (;;) {
        char *line;
        size_t len;
        HD_TRY(hd_in_line(ctx, r->in, &line, &len));
        if (!line) return HD_OK;
        uint64_t number = hd_in_lineno(r->in);
        r->line = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
        bool dirty = hd_in_controls(r->in) && hd_capture_dirty(line, len);
        bool residue = dirty && (len = hd_capture_clean(line, len)) == 0;
        hd_status s = residue ? HD_OK : ibnet_line(ctx, r, line, line + len);
        bool cut = s == HD_INPUT && hd_in_cut(r->in) && among_adapters(r);
        if (cut)
            ibnet_skip(&r->strays, r->line, 1);
        else
            HD_TRY(s);
    }
}

/* The first record of a capture may have lost its GUID line, which ibsim's files do without: then no record has one. */
static void complete_guid(struct ibnet_reader *r)
{
    uint64_t guid;
    if (!r->bare || !r->guid_lines) return;
    struct hd_draft_node *n = hd_draft_node(&r->draft, r->bare - 1);
    const char *digits = n->id + 2;
    if (n->id[0] && n->id[1] == '-' && hd_scan_hex(&digits, &guid) && !*digits && guid) n->guid = guid;
}

/* What the ends of the file have lost. */
static hd_status complete_records(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    uint32_t count = 0;
    complete_guid(r);
    if (r->form == RECORDS && r->node != NO_NODE && among_adapters(r))
        HD_TRY(hd_ibnet_complete(ctx, &r->draft, &r->peers, r->node, r->records, &count));
    if (count)
        hd_note(ctx,
                "%.200s:%u: the file ends early: %u adapter%s no whole record, the lines of the switches complete %s",
                hd_in_name(r->in), r->line, count, count == 1 ? " has" : "s have", count == 1 ? "it" : "them");
    if (!r->pending || count) return HD_OK;
    return hd_fail(ctx, HD_INPUT, "%.200s:%u: the file ends after a GUID line: expected its Switch, Ca or Rt record",
                   hd_in_name(r->in), r->pending);
}

static hd_status parse_all(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    struct ibnet_strays *t = &r->strays;
    HD_TRY(parse_lines(ctx, r));
    if (t->kept && !r->started) return ibnet_refuse(ctx, r);
    if (t->kept) ibnet_skip(t, t->line, t->kept);
    HD_TRY(complete_records(ctx, r));
    if (r->form == VALUES) HD_TRY(hd_ibdiag_csv_end(ctx, r->in, &r->ibdiag));
    return HD_OK;
}

/* What only the end of the file shows. */
static hd_status ibnet_end(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    const struct ibnet_strays *t = &r->strays;
    HD_TRY(hd_linkinfo_finish(ctx, &r->draft, &r->linkinfo));
    HD_TRY(hd_ibdiag_finish(ctx, &r->draft, &r->ibdiag));
    for (uint32_t v = 0; r->form >= LINKINFO && v < r->draft.node.n; v++)
        r->switches += hd_draft_node(&r->draft, v)->is_switch;
    if (!r->switches)
        return hd_fail(ctx, HD_INPUT, "%.200s:%u: the file has no switch: expected at least one Switch record",
                       hd_in_name(r->in), r->line ? r->line : 1);
    if (t->skipped)
        hd_note(ctx, "%.200s:%u: %u line%s not part of the format and skipped, the first of them here",
                hd_in_name(r->in), t->first, t->skipped, t->skipped == 1 ? " is" : "s are");
    return HD_OK;
}

/* ---- entry --------------------------------------------------------------------------------- */

static hd_status read_map(struct hd_ctx *ctx, struct hd_arena *arena, const char *path, struct hd_name_map *map)
{
    struct hd_in *in;
    if (!path) return HD_OK;
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = hd_name_map_read(ctx, arena, in, map);
    hd_in_close(in);
    return s;
}

static hd_status parse_input(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    bool cache;
    HD_TRY(hd_ibcache_found(ctx, r->in, &cache));
    if (cache) return hd_ibcache_read(ctx, r->in, &r->draft);
    HD_TRY(parse_all(ctx, r));
    return ibnet_end(ctx, r);
}

static hd_status ibnet_begin(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_in *in, struct ibnet_reader **out)
{
    struct ibnet_reader *r = HD_NEW(scratch, struct ibnet_reader, 1);
    if (!r) return hd_fail_memory(ctx);
    HD_TRY(hd_draft_init(ctx, &r->draft, scratch, hd_in_name(in)));
    hd_in_limit(in, 1 << 28); /* the most ports and nodes that a draft takes, and what else a record has */
    r->in = in;
    r->role = -1;
    r->node = NO_NODE;
    hd_ibnet_peers_init(&r->peers);
    hd_linkinfo_init(&r->linkinfo);
    hd_ibdiag_init(&r->ibdiag);
    /* ibsim's numbers; it begins routers at 0, which is no GUID */
    r->base[SWITCH] = r->next[SWITCH] = 0x200000;
    r->base[ADAPTER] = r->next[ADAPTER] = 0x100000;
    r->base[ROUTER] = r->next[ROUTER] = 0x300000;
    *out = r;
    return HD_OK;
}

/* The network of a reader that has read everything, if that went well; the scratch memory is given up. */
static hd_status ibnet_build(struct hd_ctx *ctx, hd_status s, struct ibnet_reader *r, struct hd_arena *scratch,
                             const struct hd_read *opt, struct hd_builder **b)
{
    struct hd_name_map map = {0};
    if (s == HD_OK) s = read_map(ctx, scratch, opt ? opt->name_map : NULL, &map);
    if (s == HD_OK) s = hd_builder_make(ctx, b);
    if (s == HD_OK && opt && opt->rails) hd_builder_rails(*b, opt->rails);
    if (s == HD_OK) s = hd_draft_build(ctx, &r->draft, &map, *b);
    hd_arena_release(scratch); /* before finish, which needs as much again */
    return s;
}

static hd_status ibnet_finish(struct hd_ctx *ctx, hd_status s, struct hd_builder *b, const char *spec,
                              struct hd_net **net)
{
    if (s == HD_OK) return hd_builder_finish(ctx, b, spec, net);
    hd_builder_free(b);
    return s;
}

hd_status hd_ibnet_read(struct hd_ctx *ctx, struct hd_in *in, const char *spec, const struct hd_read *opt,
                        struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct hd_builder *b = NULL;
    struct ibnet_reader *r = NULL;
    hd_status s = ibnet_begin(ctx, &scratch, in, &r);
    if (s == HD_OK) s = parse_input(ctx, r);
    s = ibnet_build(ctx, s, r, &scratch, opt, &b);
    return ibnet_finish(ctx, s, b, spec, net);
}

/* ---- folders and archives -------------------------------------------------------------------- */

struct ibnet_bundle {
    const char *path;
    struct hd_in *values, *other; /* a file of values, and a further one; NULL: none */
};

/* The first of several kinds of files that the bundle has. */
static hd_status bundle_first(struct hd_ctx *ctx, const char *path, const char *const *endings, struct hd_in **in)
{
    for (*in = NULL; *endings && !*in; endings++) HD_TRY(hd_bundle_open(ctx, path, *endings, in));
    return HD_OK;
}

/* Reads what describes the network best: values with their links; without them output of ibnetdiscover or a list of
 * links; or the links of net_dump, as a complement of the values if there are any. */
static hd_status bundle_parse(struct hd_ctx *ctx, struct ibnet_bundle *b, struct hd_arena *scratch,
                              struct ibnet_reader **r)
{
    HD_TRY(bundle_first(ctx, b->path, (const char *const[]){".db_csv", "smdb.dump", NULL}, &b->values));
    if (b->values) {
        HD_TRY(ibnet_begin(ctx, scratch, b->values, r));
        HD_TRY(parse_all(ctx, *r));
        if ((*r)->ibdiag.links.n) return ibnet_end(ctx, *r);
    }
    HD_TRY(bundle_first(ctx, b->path, (const char *const[]){".ibnetdiscover", ".ibnet", ".lst", NULL}, &b->other));
    if (b->other) {
        HD_TRY(ibnet_begin(ctx, scratch, b->other, r));
        return parse_input(ctx, *r);
    }
    HD_TRY(hd_bundle_open(ctx, b->path, ".net_dump", &b->other));
    if (!b->other)
        return hd_fail(ctx, HD_INPUT,
                       "%.200s: %s: expected ibdiagnet2.db_csv with a section LINKS, ibdiagnet2.net_dump, "
                       "output of ibnetdiscover (.ibnetdiscover, .ibnet) or opensm-subnet.lst in it",
                       b->path, b->values ? "has no links" : "has no network");
    if (!b->values) HD_TRY(ibnet_begin(ctx, scratch, b->other, r));
    (*r)->in = b->other;
    (*r)->form = UNDECIDED;
    HD_TRY(parse_all(ctx, *r));
    return ibnet_end(ctx, *r);
}

static hd_status bundle_read(struct hd_ctx *ctx, const char *path, const struct hd_read *opt, struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct ibnet_bundle files = {.path = path};
    struct hd_builder *b = NULL;
    struct ibnet_reader *r = NULL;
    hd_status s = bundle_parse(ctx, &files, &scratch, &r);
    s = ibnet_build(ctx, s, r, &scratch, opt, &b);
    hd_in_close(files.values); /* messages of the draft have their names */
    hd_in_close(files.other);
    return ibnet_finish(ctx, s, b, path, net);
}

hd_status hd_net_read_sized(struct hd_ctx *ctx, const char *path, const struct hd_read *given, size_t size,
                            struct hd_net **net)
{
    struct hd_in *in;
    struct hd_read opt;
    bool bundle;
    HD_TRY(HD_SIZED_IN(ctx, hd_read, given, size, &opt));
    HD_TRY(hd_bundle_found(ctx, path, &bundle));
    if (bundle) return bundle_read(ctx, path, &opt, net);
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = hd_ibnet_read(ctx, in, path, &opt, net);
    hd_in_close(in);
    return s;
}
