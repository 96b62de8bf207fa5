/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading forwarding tables (fmt_lft.h). The file goes switch by switch, our tables destination by
 * destination: entries are first kept per switch by LID, one byte each, and turned round when all LIDs
 * are known. Which node a LID belongs to follows from the `# heddle` lines, else by the port GUID in its
 * line, else by the network's LIDs. Base LIDs are multiples of 2^LMC, so the variants of a port are the
 * low bits of its LIDs. Far files have groups of ports as well, which fmt_far.c keeps. Memory: twice the
 * table. Lines are parsed by hand: about 20 ns each. */
#include "base/bundle.h"
#include "base/status.h"
#include "net/core/lid_claims.h"
#include "net/io/scan_line.h"
#include "route/io/fmt_service_levels.h"
#include "route/io/lft_reader.h"

#include <string.h>

enum { MOST_LINES = 1 << 17 }; /* of one switch: twice the LIDs there are, and titles */

static void lft_count_trouble(struct lft_reader *r, struct lft_trouble *t)
{
    if (t->count++ == 0) t->line = hd_in_lineno(r->in);
}

/* ---- LIDs ---------------------------------------------------------------------------------- */

hd_status hd_lft_owners_reach(struct hd_ctx *ctx, struct hd_lft_owners *owners, uint32_t lid)
{
    uint32_t room = owners->room ? owners->room : 64;
    if (lid < owners->room) return HD_OK;
    while (room <= lid) room *= 2;
    uint32_t *node = HD_NEW(owners->arena, uint32_t, room);
    uint64_t *guid = HD_NEW(owners->arena, uint64_t, room);
    if (!node || !guid) return hd_fail_memory(ctx);
    if (owners->room) memcpy(node, owners->node, owners->room * sizeof *node);
    if (owners->room) memcpy(guid, owners->guid, owners->room * sizeof *guid);
    for (uint32_t i = owners->room; i < room; i++) node[i] = HD_LFT_UNSEEN;
    owners->node = node;
    owners->guid = guid;
    owners->room = room;
    return HD_OK;
}

/* The nodes that the network itself has LIDs for. */
static hd_status lft_index_lids(struct lft_reader *r)
{
    const struct hd_net *net = r->net;
    uint32_t room = 1;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t end = hd_lft_key(r, v, net->lid[v]) + hd_lid_count(net, v);
        if (end > room) room = end;
    }
    if (!(r->by_lid = HD_NEW(r->a, uint32_t, room))) return hd_fail_memory(r->ctx);
    r->nby_lid = room;
    for (uint32_t i = 0; i < room; i++) r->by_lid[i] = HD_LFT_NOBODY;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t key = hd_lft_key(r, v, net->lid[v]), count = net->lid[v] ? hd_lid_count(net, v) : 0;
        for (uint32_t i = key; i < key + count; i++) r->by_lid[i] = v;
    }
    return HD_OK;
}

/* ---- sections ------------------------------------------------------------------------------ */

static hd_status begin_section(struct lft_reader *r, uint64_t guid)
{
    if (r->v == HD_LFT_UNSEEN) HD_TRY(hd_lft_extra_check(r->ctx, r->in, &r->extra));
    uint32_t v = hd_guid_switch(&r->guids, guid);
    r->v = v;
    r->lines = 0;
    if (v == HD_LFT_NOBODY) {
        lft_count_trouble(r, &r->no_switch);
        if (r->no_switch.count > HD_MAX_LID)
            return hd_in_fail(r->ctx, r->in, "more than %d switches that the network does not have: expected an end",
                              HD_MAX_LID);
        return HD_OK;
    }
    if (r->seen[v]) return hd_in_fail(r->ctx, r->in, "a second table of switch 0x%016llx", (unsigned long long)guid);
    r->seen[v] = true;
    hd_slots_by_port(r->net, v, r->slot_of);
    return HD_OK;
}

static hd_status lft_read_header(struct lft_reader *r, const char *line, const char *before)
{
    uint64_t guid;
    const char *p = strstr(line, before);
    if (!p || (p += strlen(before), !hd_scan_guid(&p, &guid)) || (*p && !strchr(" \t(:", *p)))
        return hd_in_fail(r->ctx, r->in, "expected a switch's GUID, '%s0x...'", before);
    hd_lft_top_title(r, line);
    hd_lft_end_begin(r, line, guid);
    return begin_section(r, guid);
}

/* ---- entries ------------------------------------------------------------------------------- */

/* The port GUID of an entry, 0: none. *is_switch: the line calls the port a switch's. */
static uint64_t port_guid(const char *p, bool *is_switch)
{
    static const char word[] = "portguid ";
    uint64_t guid;
    const char *at = strstr(p, word);
    if (!at) return 0;
    *is_switch = at - p >= 2 && at[-2] == 'h'; /* "Switch portguid", not "Adapter", "Router" or "4:" */
    at += sizeof word - 1;
    return hd_scan_guid(&at, &guid) ? guid : 0;
}

static uint32_t node_of_guid(const struct lft_reader *r, uint64_t guid, bool is_switch)
{
    uint32_t sw = hd_guid_switch(&r->guids, guid), e = hd_guid_endpoint(&r->guids, guid);
    uint32_t v = e == UINT32_MAX ? HD_LFT_NOBODY : r->net->nsw + e;
    return sw != UINT32_MAX && (is_switch || e == UINT32_MAX) ? sw : v;
}

/* Whose LID it is, by the first line that says so; later ones must agree. */
static hd_status find_owner(struct lft_reader *r, uint32_t lid, const char *rest)
{
    bool is_switch = false;
    const uint32_t key = hd_lft_key(r, r->v, lid);
    HD_TRY(hd_lft_owners_reach(r->ctx, &r->owners, key));
    uint32_t *owner = &r->owners.node[key];
    uint64_t *known = &r->owners.guid[key];
    if (r->extra.present) {
        if (*owner == HD_LFT_UNSEEN) *owner = HD_LFT_NOBODY;
        return HD_OK;
    }
    uint64_t guid = port_guid(rest, &is_switch);
    if (*owner != HD_LFT_UNSEEN && (guid == *known || !guid)) return HD_OK;
    if (*owner != HD_LFT_UNSEEN && *known)
        return hd_in_fail(r->ctx, r->in,
                          "LID 0x%04x belongs to port GUID 0x%016llx here, and to 0x%016llx on an earlier line", lid,
                          (unsigned long long)guid, (unsigned long long)*known);
    *known = guid;
    *owner = guid ? node_of_guid(r, guid, is_switch) : key < r->nby_lid ? r->by_lid[key] : HD_LFT_NOBODY;
    return HD_OK;
}

hd_status hd_lft_keep(struct lft_reader *r, uint32_t lid, uint8_t slot)
{
    struct lft_section *s = &r->section[r->v];
    if (lid >= s->room) {
        uint32_t room = s->room ? s->room : 1024;
        while (room <= lid) room *= 2;
        uint8_t *more = HD_NEW(r->a, uint8_t, room);
        if (!more) return hd_fail_memory(r->ctx);
        if (s->slot) memcpy(more, s->slot, s->room);
        *s = (struct lft_section){more, room};
    }
    if (s->slot[lid]) return hd_in_fail(r->ctx, r->in, "a second entry for LID 0x%04x", lid);
    s->slot[lid] = (uint8_t)(slot + 1);
    return HD_OK;
}

/* Port of an entry; -1: a hole, -2: not an entry. Moves *p behind it. */
static int lft_parse_port(const char **p)
{
    static const char hole[] = "UNREACHABLE";
    const char *s = *p;
    unsigned port = 0;
    while (*s == ' ' || *s == '\t' || *s == ':') s++;
    if (s == *p) return -2;
    if (strncmp(s, hole, sizeof hole - 1) == 0) return -1;
    const char *digits = s;
    for (; *s >= '0' && *s <= '9' && s - digits < 4; s++) port = port * 10 + (unsigned)(*s - '0');
    if (s == digits || port > 255 || (*s && !strchr(" \t:", *s))) return -2;
    *p = s;
    return port == 255 ? -1 : (int)port;
}

/* What follows the port of an entry, which may be a hole. */
static const char *lft_behind_port(const char *p)
{
    p += strspn(p, " \t:");
    return p + strcspn(p, " \t");
}

static hd_status lft_read_entry(struct lft_reader *r, const char *line)
{
    uint64_t lid;
    const char *p = line, *behind;
    bool good = hd_scan_guid(&p, &lid);
    behind = good ? lft_behind_port(p) : p;
    int port = good ? lft_parse_port(&p) : -2;
    if (port == -2) return hd_in_fail(r->ctx, r->in, "expected a LID and a port, such as 0x0001 001");
    if (r->v == HD_LFT_UNSEEN) return hd_in_fail(r->ctx, r->in, "expected the line of a switch before its entries");
    bool dynamic = false;
    if (!r->end.lid) hd_lft_end_entry(r, line);
    r->end.lid = (uint32_t)lid;
    if (lid == r->top) r->top_listed = true;
    if (r->v == HD_LFT_NOBODY) return HD_OK;
    if (r->far.at && lid <= HD_MAX_LID)
        HD_TRY(hd_far_entry(r->ctx, r->in, &r->far, r->v, (uint32_t)lid, behind, &dynamic));
    if (port == -1 && !dynamic) return HD_OK;
    if (lid == 0 || lid > HD_MAX_LID)
        return hd_in_fail(r->ctx, r->in, "0x%04llx is not a unicast LID", (unsigned long long)lid);
    if (port > (int)r->net->nports[r->v])
        return hd_in_fail(r->ctx, r->in, "port %d: switch '%.80s' has %u ports", port, hd_node_name(r->net, r->v),
                          r->net->nports[r->v]);
    HD_TRY(find_owner(r, (uint32_t)lid, p));
    uint32_t to = r->owners.node[hd_lft_key(r, r->v, (uint32_t)lid)];
    if (to == HD_LFT_NOBODY) {
        lft_count_trouble(r, &r->no_node);
        return HD_OK;
    }
    r->switches |= to < r->net->nsw;
    if (to == r->v)
        return hd_lft_keep_own(r, to, (uint32_t)lid, port > 0 ? (uint32_t)port : dynamic ? HD_OWN_CHOSEN : HD_OWN_GOOD);
    if (port == -1) return HD_OK;
    if (r->slot_of[port] == HD_SLOT_NONE) { /* port 0 has no slot either */
        lft_count_trouble(r, &r->no_cable);
        return HD_OK;
    }
    return hd_lft_keep(r, (uint32_t)lid, r->slot_of[port]);
}

/* ---- lines --------------------------------------------------------------------------------- */

static bool is_title(const char *line)
{
    static const char *const titles[] = {"Lid  Out",      "Port     Info", "LID    : Port", "LID     Static Port",
                                         "File version:", "-----"};
    if (!*line) return true;
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strncmp(line, titles[i], strlen(titles[i])) == 0) return true;
    return false;
}

/* The line behind the table of a switch: "44 lids dumped". */
static bool is_dumped(const char *line)
{
    const size_t digits = strspn(line, "0123456789");
    return digits &&
           (strncmp(line + digits, " lids dumped", 12) == 0 || strncmp(line + digits, " valid lids dumped", 18) == 0);
}

/* PLFT_NUM: 0. The first table of a switch is read; further ones are for traffic that this has nothing to do with. */
static hd_status lft_read_plane(struct lft_reader *r, const char *number)
{
    uint32_t n;
    hd_scan_blanks(&number);
    if (!hd_scan_u32(&number, &n) || (*number && !strchr(" \t,", *number)))
        return hd_in_fail(r->ctx, r->in, "expected the number of a table, as in PLFT_NUM: 0");
    if (r->v == HD_LFT_UNSEEN) return hd_in_fail(r->ctx, r->in, "expected the line of a switch before its table");
    if (n == 0) return HD_OK;
    lft_count_trouble(r, &r->more_tables);
    r->v = HD_LFT_NOBODY;
    return HD_OK;
}

/* A line of a far file before the entries of a switch: its name, groups, or of no interest. */
static hd_status lft_read_far(struct lft_reader *r, const char *line)
{
    struct hd_far *far = &r->far;
    if (strncmp(line, "Switch 0x", 9) == 0) {
        HD_TRY(lft_read_header(r, line, "Switch "));
        return hd_far_begin(r->ctx, far);
    }
    if (strncmp(line, "Groups Definition:", 18) == 0) {
        far->skip = false;
        far->groups = true;
    } else if (strncmp(line, "LFT Definition:", 15) == 0) {
        far->skip = far->groups = false;
    } else if (far->groups && *line >= '0' && *line <= '9') {
        return hd_far_group(r->ctx, r->in, far, r->v, r->slot_of, line);
    }
    return HD_OK;
}

static hd_status lft_read_line(struct lft_reader *r, char *line)
{
    static const char ours[] = "# heddle ";
    const bool entries = !r->far.at || (!r->far.skip && !r->far.groups);
    if (entries && line[0] == '0' && (line[1] == 'x' || line[1] == 'X')) return lft_read_entry(r, line);
    if (line[0] == '#') {
        if (strncmp(line, ours, sizeof ours - 1) != 0) return HD_OK;
        if (r->v != HD_LFT_UNSEEN)
            return hd_in_fail(r->ctx, r->in, "expected all '# heddle' lines before the first switch");
        return hd_lft_extra_line(r->ctx, r->in, &r->extra, line + sizeof ours - 1);
    }
    line += strspn(line, " \t");
    if (r->far.at && (r->far.skip || r->far.groups)) return lft_read_far(r, line);
    if (strncmp(line, "Switch 0x", 9) == 0) return lft_read_far(r, line);
    if (strncmp(line, "Unicast lids", 12) == 0) return lft_read_header(r, line, " guid ");
    if (strncmp(line, "dump_ucast_routes: Switch ", 26) == 0 ||
        strncmp(line, "osm_ucast_mgr_dump_ucast_routes: Switch ", 40) == 0)
        return lft_read_header(r, line, " Switch ");
    if (strncmp(line, "PLFT_NUM:", 9) == 0) return lft_read_plane(r, line + 9);
    if (line[0] == '0' && (line[1] == 'x' || line[1] == 'X')) return lft_read_entry(r, line);
    if (is_title(line)) return HD_OK;
    if (is_dumped(line)) {
        r->end.dumped = true;
        return HD_OK;
    }
    return hd_in_fail(r->ctx, r->in, "expected 'Unicast lids ...' or an entry, got '%.60s'", line);
}

static hd_status lft_read_lines(struct lft_reader *r)
{
    for (;;) {
        char *line;
        size_t len;
        HD_TRY(hd_in_line(r->ctx, r->in, &line, &len));
        if (!line) return hd_lft_end_check(r);
        if (hd_in_cut(r->in)) HD_TRY(hd_lft_end_line(r, line));
        if (++r->lines > MOST_LINES && r->v != HD_LFT_UNSEEN)
            return hd_in_fail(r->ctx, r->in, "more than %d lines of one switch: expected the next one", MOST_LINES);
        HD_TRY(lft_read_line(r, line));
    }
}

static hd_status lft_init(struct lft_reader *r, struct hd_routes *t)
{
    const struct hd_net *net = r->net;
    r->v = HD_LFT_UNSEEN;
    r->owners.arena = r->far.arena = r->a;
    r->far.net = net;
    r->section = HD_NEW(r->a, struct lft_section, net->nsw);
    r->seen = HD_NEW(r->a, bool, net->nsw);
    if (!r->section || !r->seen) return hd_fail_memory(r->ctx);
    HD_TRY(hd_lid_subnets(r->ctx, r->a, net, &r->subnet_of));
    HD_TRY(lft_index_lids(r));
    HD_TRY(hd_guid_index_init(r->ctx, r->a, net, &r->guids));
    r->extra = (struct hd_lft_extra){.arena = r->a, .r = t, .guids = &r->guids, .owners = &r->owners};
    return hd_lft_extra_init(r->ctx, &r->extra);
}

/* ---- turning round ------------------------------------------------------------------------- */

struct lft_span { /* LIDs of a node: base .. base + 2^lmc - 1, base 0: none */
    uint32_t base, lmc;
};

/* LIDs of which no switch has an entry are the node's all the same. */
static hd_status claim_spans(struct lft_reader *r, const struct lft_span *span)
{
    const struct hd_net *net = r->net;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++)
        for (uint32_t i = 0; span[v].base && i < 1u << span[v].lmc; i++) {
            const uint32_t key = hd_lft_key(r, v, span[v].base + i);
            HD_TRY(hd_lft_owners_reach(r->ctx, &r->owners, key));
            if (r->owners.node[key] == HD_LFT_UNSEEN) r->owners.node[key] = v;
        }
    return HD_OK;
}

/* Whether nobody else has the base LID by which the network knows v. */
static bool base_is_free(const struct lft_reader *r, uint32_t v)
{
    const uint32_t key = hd_lft_key(r, v, r->net->lid[v]);
    return key >= r->owners.room || r->owners.node[key] == HD_LFT_UNSEEN;
}

/* The LIDs of an endpoint whose entries have LIDs low to high, 0: it has none. Its base LID and its LMC are those of
 * the network if they agree with that; otherwise the LIDs are the least aligned range around the entries. */
static struct lft_span endpoint_span(const struct lft_reader *r, uint32_t v, uint32_t low, uint32_t high)
{
    const struct hd_net *net = r->net;
    const uint32_t base = net->lid[v], count = hd_lid_count(net, v);
    const bool within = base && (!low || (low >= base && low - base < count));
    struct lft_span s = {base, net->lmc_of[v - net->nsw]};
    if (within && (low == base || base_is_free(r, v))) {
        while (high && (high - base) >> s.lmc) s.lmc++;
        return s;
    }
    s.lmc = 0;
    while ((low ^ high) >> s.lmc) s.lmc++;
    s.base = low >> s.lmc << s.lmc;
    return s;
}

/* The base LID of a switch, 0: it has no entries. It is that of the network if the LIDs from low on may be its further
 * ones, which are listed by themselves (list_more). */
static struct lft_span switch_span(const struct lft_reader *r, uint32_t v, uint32_t low)
{
    const uint32_t base = r->net->lid[v];
    const bool within = base && low >= base && low - base < hd_lid_count(r->net, v);
    if (low && within && (low == base || base_is_free(r, v))) return (struct lft_span){base, r->net->switch_lmc[v]};
    return (struct lft_span){low, 0};
}

/* The LIDs of each node. */
static hd_status find_spans(struct lft_reader *r, struct lft_span *span, uint32_t *lmc)
{
    const struct hd_net *net = r->net;
    uint32_t nodes = net->nsw + net->nep, *low = HD_NEW(r->a, uint32_t, nodes), *high = HD_NEW(r->a, uint32_t, nodes);
    if (!low || !high) return hd_fail_memory(r->ctx);
    for (uint32_t key = 1; key < r->owners.room; key++) {
        uint32_t v = r->owners.node[key];
        if (v >= nodes) continue;
        if (!low[v]) low[v] = LID_OF_KEY(key);
        high[v] = LID_OF_KEY(key);
    }
    *lmc = 0;
    for (uint32_t v = 0; v < nodes; v++) {
        span[v] = v < net->nsw ? switch_span(r, v, low[v]) : endpoint_span(r, v, low[v], high[v]);
        if (span[v].lmc > HD_MAX_LMC)
            return hd_fail(r->ctx, HD_INPUT,
                           "%.200s: port GUID 0x%016llx has LIDs 0x%04x to 0x%04x, more than an LMC of %d spans",
                           hd_in_name(r->in), (unsigned long long)net->guid[v], low[v], high[v], HD_MAX_LMC);
        if (v >= net->nsw && span[v].lmc > *lmc) *lmc = span[v].lmc;
    }
    return claim_spans(r, span);
}

/* rows[i * nsw + v] for the key of each row, in blocks of switches that share cache lines. */
static void turn_round(const struct lft_reader *r, const uint32_t *key, size_t n, uint8_t *rows)
{
    uint32_t nsw = r->net->nsw;
    for (uint32_t first = 0; first < nsw; first += 64)
        for (size_t i = 0; i < n; i++)
            for (uint32_t v = first; v < nsw && v < first + 64; v++) rows[i * nsw + v] = hd_lft_slot_at(r, v, key[i]);
}

/* LIDs of endpoints that are not those of a variant: *n of them, or their rows once there is room. */
static void list_further(const struct lft_reader *r, const struct lft_span *span, struct hd_routes *t, uint32_t *keys)
{
    const struct hd_net *net = r->net;
    t->nfurther = 0;
    for (uint32_t key = 1; key < r->owners.room; key++) {
        uint32_t v = r->owners.node[key], lid = LID_OF_KEY(key);
        if (v < net->nsw || v >= net->nsw + net->nep || lid - span[v].base < t->nvar) continue;
        if (keys) {
            t->further_lid[t->nfurther] = (uint16_t)lid;
            t->further_dest[t->nfurther] = v - net->nsw;
            keys[t->nfurther] = key;
        }
        t->nfurther++;
    }
}

/* The groups of a far file, for n rows of these keys. */
static hd_status fill_groups(struct lft_reader *r, const uint8_t *rows, const uint32_t *keys, size_t n,
                             struct hd_routes *t, struct hd_group_rows *out)
{
    uint32_t *lid = HD_NEW(r->a, uint32_t, n);
    if (!lid) return hd_fail_memory(r->ctx);
    for (size_t i = 0; i < n; i++) lid[i] = LID_OF_KEY(keys[i]);
    HD_TRY(hd_far_fill(r->ctx, &r->far, rows, lid, n, t, out));
    for (size_t i = 0; r->subnet_of && i < n; i++) /* in another subnet the LID is that of another port */
        for (uint32_t v = 0; v < r->net->nsw; v++)
            if (keys[i] != hd_lft_key(r, v, lid[i])) out->of[i * r->net->nsw + v] = 0;
    return HD_OK;
}

static hd_status fill_further(struct lft_reader *r, const struct lft_span *span, struct hd_routes *t)
{
    list_further(r, span, t, NULL);
    if (!t->nfurther) return HD_OK;
    t->further_lid = HD_NEW(&t->arena, uint16_t, t->nfurther);
    t->further_dest = HD_NEW(&t->arena, uint32_t, t->nfurther);
    t->further = HD_NEW(&t->arena, uint8_t, (size_t)t->nfurther * r->net->nsw);
    uint32_t *keys = HD_NEW(r->a, uint32_t, t->nfurther);
    if (!t->further_lid || !t->further_dest || !t->further || !keys) return hd_fail_memory(r->ctx);
    list_further(r, span, t, keys);
    turn_round(r, keys, t->nfurther, t->further);
    return t->groups ? fill_groups(r, t->further, keys, t->nfurther, t, &t->groups->further) : HD_OK;
}

/* LIDs of switches beyond their base LIDs: *n of them, or their rows once there is room. */
static void list_more(const struct lft_reader *r, const struct lft_span *span, struct hd_routes *t, uint32_t *keys)
{
    t->nmore = 0;
    for (uint32_t key = 1; key < r->owners.room; key++) {
        const uint32_t v = r->owners.node[key], lid = LID_OF_KEY(key);
        if (v >= r->net->nsw || lid == span[v].base) continue;
        if (keys) {
            t->more_lid[t->nmore] = (uint16_t)lid;
            t->more_switch[t->nmore] = v;
            keys[t->nmore] = key;
        }
        t->nmore++;
    }
}

static hd_status fill_more(struct lft_reader *r, const struct lft_span *span, struct hd_routes *t)
{
    list_more(r, span, t, NULL);
    if (!t->nmore) return HD_OK;
    t->more_lid = HD_NEW(&t->arena, uint16_t, t->nmore);
    t->more_switch = HD_NEW(&t->arena, uint32_t, t->nmore);
    t->more_own = HD_NEW(&t->arena, uint16_t, t->nmore);
    t->more = HD_NEW(&t->arena, uint8_t, (size_t)t->nmore * r->net->nsw);
    uint32_t *keys = HD_NEW(r->a, uint32_t, t->nmore);
    if (!t->more_lid || !t->more_switch || !t->more_own || !t->more || !keys) return hd_fail_memory(r->ctx);
    list_more(r, span, t, keys);
    turn_round(r, keys, t->nmore, t->more);
    return t->groups ? fill_groups(r, t->more, keys, t->nmore, t, &t->groups->more) : HD_OK;
}

/* Entries of switches for themselves. Files that have none at all are taken to leave them out. */
static hd_status fill_own(struct lft_reader *r, const struct lft_span *span, struct hd_routes *t)
{
    bool bad = false;
    hd_lft_own_sort(r);
    for (uint32_t i = 0; i < t->nmore; i++)
        t->more_own[i] = r->nown ? hd_lft_own_at(r, t->more_switch[i], t->more_lid[i]) : HD_OWN_GOOD;
    for (uint32_t v = 0; v < r->net->nsw; v++) bad |= hd_lft_own_at(r, v, span[v].base) != HD_OWN_GOOD;
    if (!r->nown || !bad) return HD_OK;
    t->own_entry = HD_NEW(&t->arena, uint16_t, r->net->nsw);
    if (!t->own_entry) return hd_fail_memory(r->ctx);
    for (uint32_t v = 0; v < r->net->nsw; v++) t->own_entry[v] = hd_lft_own_at(r, v, span[v].base);
    return HD_OK;
}

static hd_status fill_tables(struct lft_reader *r, const struct lft_span *span, struct hd_routes *t)
{
    const struct hd_net *net = r->net;
    size_t n = (size_t)net->nep * t->nvar;
    uint32_t *keys = HD_NEW(r->a, uint32_t, n > net->nsw ? n : net->nsw);
    if (!keys) return hd_fail_memory(r->ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        struct lft_span s = span[net->nsw + e];
        for (uint32_t x = 0; x < t->nvar; x++)
            keys[(size_t)e * t->nvar + x] =
                hd_lft_key(r, net->nsw + e, s.base ? s.base + (x & ((1u << s.lmc) - 1)) : 0);
    }
    turn_round(r, keys, n, t->table);
    HD_TRY(hd_far_make(r->ctx, &r->far, t));
    struct hd_group_rows groups = {0};
    if (t->groups) {
        groups.of = t->groups->of;
        HD_TRY(fill_groups(r, t->table, keys, n, t, &groups));
        t->groups->state = groups.state;
    }
    HD_TRY(fill_further(r, span, t));
    t->no_switch_lids = !r->switches;
    if (!r->switches) return HD_OK;
    t->switch_table = HD_NEW(&t->arena, uint8_t, (size_t)net->nsw * net->nsw);
    if (!t->switch_table) return hd_fail_memory(r->ctx);
    for (uint32_t v = 0; v < net->nsw; v++) keys[v] = hd_lft_key(r, v, span[v].base);
    turn_round(r, keys, net->nsw, t->switch_table);
    if (t->groups) HD_TRY(fill_groups(r, t->switch_table, keys, net->nsw, t, &t->groups->switches));
    HD_TRY(fill_more(r, span, t));
    return fill_own(r, span, t);
}

/* ---- what the table means ------------------------------------------------------------------ */

static void note_trouble(const struct lft_reader *r, const struct lft_trouble *t, const char *what)
{
    if (t->count)
        hd_note(r->ctx, "%.200s:%llu: %s (%llu)", hd_in_name(r->in), (unsigned long long)t->line, what,
                (unsigned long long)t->count);
}

static hd_status report_trouble(struct lft_reader *r)
{
    const struct hd_net *net = r->net;
    const char *name = hd_in_name(r->in);
    uint32_t missing = 0, first = 0, owned = 0;
    for (uint32_t v = net->nsw; v-- > 0;)
        if (!r->seen[v]) {
            missing++;
            first = v;
        }
    for (uint32_t lid = 1; lid < r->owners.room; lid++) owned += r->owners.node[lid] < HD_LFT_UNSEEN;
    if (missing == net->nsw && net->nsw)
        return hd_fail(r->ctx, HD_INPUT, "%.200s: %s", name,
                       r->no_switch.count ? "none of its switches is in the network"
                                          : "no forwarding tables in this file");
    if (r->no_node.count && !owned)
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%llu: none of its LIDs is in the network", name,
                       (unsigned long long)r->no_node.line);
    if (missing)
        hd_note(r->ctx, "%.200s: no table for some switches (%u, first '%.80s'): no path leads through them", name,
                missing, hd_node_name(net, first));
    note_trouble(r, &r->no_switch, "tables of switches that are not in the network are ignored");
    note_trouble(r, &r->no_node, "entries for LIDs that are not in the network are ignored");
    note_trouble(r, &r->more_tables, "further tables of a switch (PLFT_NUM 1 and up) are ignored");
    note_trouble(r, &r->no_cable, "entries that lead to ports without a cable count as missing");
    return HD_OK;
}

/* The LIDs of each node by # heddle lines: as many as the file gives to all, or those that some endpoints have more. */
static void extra_spans(const struct lft_reader *r, struct lft_span *span)
{
    const uint32_t nsw = r->net->nsw;
    for (uint32_t v = 0; v < nsw + r->net->nep; v++)
        span[v] = (struct lft_span){r->extra.lid[v], v < nsw ? 0 : r->extra.lmc};
    for (uint32_t key = 1; key < r->owners.room; key++) {
        const uint32_t v = r->owners.node[key];
        if (v < nsw || v >= nsw + r->net->nep) continue;
        const uint32_t far = LID_OF_KEY(key) - span[v].base;
        while (far < 1u << HD_MAX_LMC && far >> span[v].lmc) span[v].lmc++;
    }
}

/* Tables with # heddle lines may have LIDs of their own. In others, LIDs that are not those of the network are a sign
 * that the two do not belong together. */
static void note_other_lids(const struct lft_reader *r, const struct lft_span *span)
{
    const struct hd_net *net = r->net;
    uint32_t n = 0, first = 0;
    for (uint32_t v = net->nsw + net->nep; v-- > 0;)
        if (net->lid[v] && span[v].base && span[v].base != net->lid[v]) {
            n++;
            first = v;
        }
    if (n)
        hd_note(r->ctx,
                "%.200s: the LIDs of some ports are not those of the network (%u, first that of '%.80s': 0x%x, in the "
                "network 0x%x): a table of another fabric, or of another time",
                hd_in_name(r->in), n, hd_node_name(net, first), span[first].base, net->lid[first]);
}

static hd_status lft_finish(struct lft_reader *r, enum hd_use use, struct hd_routes *t)
{
    const struct hd_net *net = r->net;
    struct lft_span *span = HD_NEW(r->a, struct lft_span, net->nsw + net->nep);
    uint32_t lmc = 0;
    if (!span) return hd_fail_memory(r->ctx);
    HD_TRY(report_trouble(r));
    HD_TRY(hd_lft_top_complete(r));
    if (r->extra.present) {
        extra_spans(r, span);
    } else {
        HD_TRY(find_spans(r, span, &lmc));
        note_other_lids(r, span);
    }
    t->lid = HD_NEW(&t->arena, uint16_t, net->nsw + net->nep);
    t->lmc_of = HD_NEW(&t->arena, uint8_t, net->nep);
    if (!t->lid || !t->lmc_of) return hd_fail_memory(r->ctx);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) t->lid[v] = (uint16_t)span[v].base;
    for (uint32_t e = 0; e < net->nep; e++) t->lmc_of[e] = (uint8_t)span[net->nsw + e].lmc;
    uint32_t nvar = r->extra.present ? t->nvar : use == HD_USE_FIRST ? 1 : 1u << lmc;
    HD_TRY(hd_routes_table(r->ctx, t, nvar));
    if (!r->extra.present) HD_TRY(hd_routes_select_by_use(r->ctx, t, use));
    return fill_tables(r, span, t);
}

hd_status hd_lft_fill(struct hd_ctx *ctx, struct hd_in *in, enum hd_use use, struct hd_routes *t)
{
    struct hd_arena scratch = {0};
    struct lft_reader *r = HD_NEW(&scratch, struct lft_reader, 1);
    hd_status s = r ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) {
        r->ctx = ctx;
        r->in = in;
        r->net = t->net;
        r->a = &scratch;
        s = lft_init(r, t);
    }
    if (s == HD_OK) s = lft_read_lines(r);
    if (s == HD_OK) s = lft_finish(r, use, t);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_lft_read(struct hd_ctx *ctx, const struct hd_net *net, struct hd_in *in, const char *spec, enum hd_use use,
                      struct hd_routes **out)
{
    struct hd_routes *r;
    HD_TRY(hd_routes_new(ctx, net, &r));
    hd_status s = hd_lft_fill(ctx, in, use, r);
    if (s == HD_OK && !(r->spec = hd_strdup(&r->arena, spec, strlen(spec)))) s = hd_fail_memory(ctx);
    return hd_routes_give(s, r, out);
}

/* The tables of a folder or an archive. */
static hd_status lft_open_bundle(struct hd_ctx *ctx, const char *path, struct hd_in **in)
{
    static const char *const endings[] = {".far", ".fdbs", "lfts.dump", NULL};
    char place[HD_BUNDLE_NAME];
    *in = NULL;
    for (const char *const *e = endings; *e && !*in; e++) HD_TRY(hd_bundle_open(ctx, path, *e, in));
    if (*in) return HD_OK;
    hd_bundle_place(ctx, path, place);
    return hd_fail(ctx, HD_INPUT,
                   "%.255s: no forwarding tables in it: expected ibdiagnet2.far or ibdiagnet2.fdbs, which "
                   "ibdiagnet -r writes, or opensm-lfts.dump",
                   place);
}

hd_status hd_lft_open(struct hd_ctx *ctx, const char *path, struct hd_in **in)
{
    bool bundle;
    HD_TRY(hd_bundle_found(ctx, path, &bundle));
    return bundle ? lft_open_bundle(ctx, path, in) : hd_in_open(ctx, path, in);
}

hd_status hd_routes_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, enum hd_use use,
                         struct hd_routes **r)
{
    struct hd_in *in;
    struct hd_routes *made;
    HD_TRY(hd_given(ctx, path, "a file to read"));
    if ((unsigned)use > HD_USE_ALL) return hd_fail(ctx, HD_USAGE, "use %u of LIDs is unknown", (unsigned)use);
    HD_TRY(hd_lft_open(ctx, path, &in));
    hd_status s = hd_lft_read(ctx, net, in, path, use, &made);
    hd_in_close(in);
    HD_TRY(s);
    return hd_routes_give(hd_sl_read_bundle(ctx, path, made), made, r);
}
