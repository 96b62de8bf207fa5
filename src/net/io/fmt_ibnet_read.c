/* SPDX-License-Identifier: BSD-2-Clause */
/* Network files: by its first significant characters a line is one of a record (fmt_ibnet_records.c), of ibnetdiscover
 * -p (fmt_ibnet_ports.c), opensm-subnet.lst (fmt_ibnet_subnet.c), iblinkinfo (fmt_iblinkinfo.c) or ibdiagnet
 * (fmt_ibdiag.c), or none of these. A capture of a terminal has lines from elsewhere before the first record and
 * among the others, and may have lost some at its ends: what is surely no line of the network is skipped, what the
 * other lines show is completed, and anything else is refused with its line. Cost: O(1) per line. */
#include "net/io/ibnet_reader.h"
#include "base/status.h"
#include "net/io/capture_line.h"

#include <string.h>

/* ---- lines from elsewhere --------------------------------------------------------------------- */

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
hd_status hd_ibnet_decide_strays(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    struct ibnet_strays *t = &r->strays;
    if (t->kept && r->started) return ibnet_refuse(ctx, r);
    if (t->kept) ibnet_skip(t, t->line, t->kept);
    t->kept = 0;
    r->started = true;
    return HD_OK;
}

hd_status hd_ibnet_take_form(struct hd_ctx *ctx, struct ibnet_reader *r, enum ibnet_form form)
{
    HD_TRY(hd_ibnet_format_line(ctx, r));
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
/* ---- lines ---------------------------------------------------------------------------------- */

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
        if (hd_ibnet_word(s, len, words[i].word)) return words[i].kind;
    return KINDS;
}

/* A title or a line of iblinkinfo. */
static hd_status parse_linkinfo(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s,
                                hd_status (*parse)(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in,
                                                   struct hd_linkinfo_state *state, const char *line))
{
    HD_TRY(hd_ibnet_take_form(ctx, r, LINKINFO));
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
        if (kind < KINDS) return hd_ibnet_header(ctx, r, kind, s + word, end);
        if (hd_ibnet_word(s, len, "SW") || hd_ibnet_word(s, len, "CA") || hd_ibnet_word(s, len, "RT") ||
            hd_ibnet_word(s, len, "??")) {
            HD_TRY(hd_ibnet_take_form(ctx, r, PORTS));
            r->switches += s[0] == 'S';
            return hd_ibnet_ports_line(ctx, &r->draft, r->in, s);
        }
        bool lead = r->strays.kept && !r->started; /* prose */
        if (!lead && (hd_ibnet_word(s, len, "include") || hd_ibnet_word(s, len, "do")))
            return hd_in_fail(ctx, r->in, "'%.*s' is for ibsim alone: expected one file with every record", (int)len,
                              s);
    }
    if (s[len] == ':' &&
        (hd_ibnet_word(s, len, "Switch") || hd_ibnet_word(s, len, "CA") || hd_ibnet_word(s, len, "Router")))
        return parse_linkinfo(ctx, r, s, hd_linkinfo_header);
    const char *sign = s + len;
    hd_scan_blanks(&sign);
    if (len && (*sign == '=' || *sign == '+')) return hd_ibnet_setting(ctx, r, s, len, sign);
    /* ibnetdiscover -g: headings between the records; pdebug switches ibsim's messages on */
    if (hd_ibnet_word(s, len, "Chassis") || hd_ibnet_word(s, len, "Non-Chassis") || hd_ibnet_word(s, len, "Hostname") ||
        hd_ibnet_word(s, len, "pdebug")) {
        r->open = false;
        return HD_OK;
    }
    return ibnet_stray(ctx, r, s);
}

/* Whether a line begins what ibdiagnet writes: a section of values, or a switch of net_dump. */
static enum ibnet_form ibdiag_form(const char *s)
{
    if (strncmp(s, "START_", 6) == 0) return VALUES;
    return *s == '"' && strstr(s, ", LID ") ? NET_DUMP : UNDECIDED;
}

static hd_status ibnet_line(struct hd_ctx *ctx, struct ibnet_reader *r, char *line, const char *end)
{
    const char *s = line;
    hd_scan_blanks(&s);
    const enum ibnet_form form = *s == 'S' || *s == '"' ? ibdiag_form(s) : UNDECIDED;
    if (form != UNDECIDED) HD_TRY(hd_ibnet_take_form(ctx, r, form));
    if (r->form == VALUES || r->form == NET_DUMP) return parse_ibdiag(ctx, r, line);
    switch (*s) {
    case 0: return HD_OK; /* pasted files have blank lines inside records too: settings and headers end one */
    case '[':
        if ((s[1] < '0' || s[1] > '9') && hd_capture_noise(s)) return ibnet_stray(ctx, r, s); /* [root@node ~]# */
        return hd_ibnet_port(ctx, r, s, end);
    case '#': return hd_ibnet_comment(ctx, r, s);
    case '{':
        HD_TRY(hd_ibnet_take_form(ctx, r, SUBNET));
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

/* ---- the ends of a file ----------------------------------------------------------------------- */

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

hd_status hd_ibnet_lines(struct hd_ctx *ctx, struct ibnet_reader *r)
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
hd_status hd_ibnet_end(struct hd_ctx *ctx, struct ibnet_reader *r)
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
hd_status hd_ibnet_begin(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_in *in, struct ibnet_reader **out)
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
