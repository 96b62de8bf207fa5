/* SPDX-License-Identifier: BSD-2-Clause */
/* Service levels and SL2VL tables from other programs, as VLs of routes (fmt_service_levels.h has the formats). Levels
 * are collected per pair, reduced to leaf switches if their sources agree, and translated at once if every port has the
 * same SL2VL table; otherwise VLs change by hop. Linear in the files, O(pairs * variants) bytes. */
#include "route/io/fmt_service_levels.h"
#include "base/bundle.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/io/scan_line.h"
#include "net/core/guid_index.h"
#include "net/edit/lids.h"
#include "route/core/routes.h"
#include "route/core/sl2vl.h"
#include "route/io/adapter_drops.h"

#include <string.h>

enum { UNSET = 255 };

/* ---- SL2VL tables ----------------------------------------------------------------------- */

struct sl2vl_reader {
    struct hd_arena *arena; /* of the routes */
    const struct hd_net *net;
    struct hd_guid_index guids;
    struct hd_sl2vl *hops;
    struct hd_adapter_drops drops;
    uint32_t v; /* current switch, UINT32_MAX: an adapter, or a switch that is not in the network */
    uint64_t guid;
    uint8_t slot_of[256];
    uint8_t lane[16]; /* at the first ports */
    bool is_switch, begun, any, varies;
};

static void sl2vl_enter(struct sl2vl_reader *m, uint64_t guid, bool is_switch)
{
    if (m->begun && guid == m->guid && is_switch == m->is_switch) return;
    m->v = is_switch ? hd_guid_switch(&m->guids, guid) : UINT32_MAX;
    m->guid = guid;
    m->is_switch = is_switch;
    m->begun = true;
    if (m->v != UINT32_MAX) hd_slots_by_port(m->net, m->v, m->slot_of);
}

/* "Switch 0x<GUID>, base LID 2, ..." and the like. */
static hd_status read_sl2vl_node(struct hd_ctx *ctx, struct hd_in *in, const char *s, struct sl2vl_reader *m)
{
    uint64_t guid;
    bool is_switch = hd_scan_text(&s, "Switch ");
    if (!is_switch && !hd_scan_text(&s, "Channel Adapter ")) hd_scan_text(&s, "Router ");
    if (!hd_scan_guid(&s, &guid)) return hd_in_fail(ctx, in, "expected the GUID of a node, 0x...");
    sl2vl_enter(m, guid, is_switch);
    return HD_OK;
}

static bool is_node(const char *s)
{
    return strncmp(s, "Switch ", 7) == 0 || strncmp(s, "Channel Adapter ", 16) == 0 || strncmp(s, "Router ", 7) == 0;
}

/* A table of one pair of ports: sixteen VLs in *lanes. */
static hd_status sl2vl_keep(struct hd_ctx *ctx, struct hd_in *in, struct sl2vl_reader *m, uint32_t from, uint32_t to,
                            const uint8_t lanes[16])
{
    if (!m->is_switch) {
        hd_adapter_drops_keep(&m->drops, m->guid, to, lanes);
        return HD_OK;
    }
    if (!m->any) memcpy(m->lane, lanes, 16);
    m->varies |= memcmp(m->lane, lanes, 16) != 0;
    m->any = true;
    if (m->v == UINT32_MAX || from > 255 || to > 255) return HD_OK;
    uint8_t i = m->slot_of[from], o = m->slot_of[to]; /* port 0, the switch itself, has none */
    if (i == HD_SLOT_NONE || o == HD_SLOT_NONE) return HD_OK;
    if (*hd_sl2vl_at(m->hops, m->v, i, o)) return hd_in_fail(ctx, in, "a second line for ports %u and %u", from, to);
    return hd_sl2vl_set(ctx, m->arena, m->hops, m->v, i, o, lanes);
}

/* A VL as one hexadecimal digit; false: none. */
static bool scan_lane(const char **s, uint8_t *lane)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = **s ? strchr(digits, **s | ('A' <= **s && **s <= 'F' ? 0x20 : 0)) : NULL;
    if (!at) return false;
    *lane = (uint8_t)(at - digits);
    ++*s;
    return true;
}

/* ibdiagnet's form: "0x<GUID> 5 1 0x01 0x23 ...", one digit per service level. */
static hd_status read_slvl_line(struct hd_ctx *ctx, struct hd_in *in, const char *s, struct sl2vl_reader *m)
{
    uint64_t guid = 0;
    uint32_t port[2] = {0};
    uint8_t lanes[16];
    bool good = hd_scan_guid(&s, &guid) && hd_is_blank(*s);
    for (int i = 0; good && i < 2; i++) {
        hd_scan_blanks(&s);
        good = hd_scan_u32(&s, &port[i]) && hd_is_blank(*s);
    }
    for (int sl = 0; good && sl < 16; sl += 2) {
        hd_scan_blanks(&s);
        good = hd_scan_text(&s, "0x") && scan_lane(&s, &lanes[sl]) && scan_lane(&s, &lanes[sl + 1]) &&
               (!*s || hd_is_blank(*s));
    }
    hd_scan_blanks(&s);
    if (!good || *s)
        return hd_in_fail(ctx, in, "expected a GUID, two ports and 16 VLs, as in 0x0002c90000000201 5 1 0x01 0x23 ...");
    sl2vl_enter(m, guid, hd_guid_switch(&m->guids, guid) != UINT32_MAX);
    return sl2vl_keep(ctx, in, m, port[0], port[1], lanes);
}

static hd_status read_sl2vl_line(struct hd_ctx *ctx, struct hd_in *in, const char *s, struct sl2vl_reader *m)
{
    uint32_t from = 0, to = 0, lane = 0;
    uint8_t lanes[16];
    if (is_node(s)) return read_sl2vl_node(ctx, in, s, m);
    if (s[0] == '0' && s[1] == 'x') return read_slvl_line(ctx, in, s, m);
    bool good = hd_scan_u32(&s, &from) && hd_is_blank(*s);
    hd_scan_blanks(&s);
    good = good && hd_scan_u32(&s, &to) && hd_is_blank(*s);
    hd_scan_blanks(&s);
    good = good && hd_scan_char(&s, ':');
    for (int sl = 0; good && sl < 16; sl++) {
        hd_scan_blanks(&s);
        good = hd_scan_u32(&s, &lane) && lane < 16 && (!*s || hd_is_blank(*s));
        lanes[sl] = (uint8_t)lane;
    }
    hd_scan_blanks(&s);
    if (!good || *s) return hd_in_fail(ctx, in, "expected a node, or two ports, a colon and 16 VLs");
    if (!m->begun) return hd_in_fail(ctx, in, "expected the line of a node before its ports");
    return sl2vl_keep(ctx, in, m, from, to, lanes);
}

static hd_status read_sl2vl_dump(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_in *in, struct sl2vl_reader *m)
{
    HD_TRY(hd_guid_index_init(ctx, scratch, m->net, &m->guids));
    HD_TRY(hd_sl2vl_make(ctx, m->arena, m->net, &m->hops));
    HD_TRY(hd_adapter_drops_init(ctx, scratch, m->net, &m->guids, &m->drops));
    for (char *line;;) {
        HD_TRY(hd_in_text(ctx, in, " \t", &line));
        if (!line) break;
        if (strncmp(line, "File version:", 13) == 0) continue;
        HD_TRY(read_sl2vl_line(ctx, in, line, m));
    }
    if (!m->any) return hd_fail(ctx, HD_INPUT, "%.200s: no SL2VL table of a switch in this file", hd_in_name(in));
    if (m->hops->nmap) return HD_OK;
    uint32_t map; /* no two ports of the network: any table is that of all */
    return hd_sl2vl_add(ctx, m->arena, m->hops, m->lane, &map);
}

/* ---- service levels ------------------------------------------------------------------------ */

/* A LID is that of the table, which need not be the network's, and means the port of the source's own component: parts
 * of a network that are subnets of their own share LIDs. */
struct sl_reader {
    struct hd_routes *r;
    struct hd_keyed *source; /* endpoints by the GUID of their adapter */
    uint32_t nowner;
    struct hd_keyed *owner; /* [nowner] endpoints by hd_lid_key, all LIDs of each */
    uint32_t *part;         /* [nsw + nep] component of each node */
    const uint16_t *base;   /* [nsw + nep] base LIDs, 0: none */
    const uint8_t *lmc_of;  /* [nep] */
    bool *known;            /* [HD_MAX_LID + 1] whether some endpoint has the LID */
    uint8_t *level;         /* [(s * nep + d) * nvar + x] */
    uint64_t unknown;
};

/* The LIDs of the table; routes that were not read from a file have those that they would be written with. */
static hd_status sl_find_lids(struct hd_ctx *ctx, struct hd_arena *a, struct sl_reader *l)
{
    const struct hd_routes *r = l->r;
    struct hd_lids plan = {.base = r->lid, .lmc_of = r->lmc_of};
    if (!r->lid || !r->lmc_of) HD_TRY(hd_lids_plan(ctx, a, r->net, r->nvar, &plan));
    l->base = plan.base;
    l->lmc_of = plan.lmc_of;
    return HD_OK;
}

static hd_status sl_index_lids(struct hd_ctx *ctx, struct hd_arena *a, struct sl_reader *l)
{
    const struct hd_net *net = l->r->net;
    size_t n = 0;
    for (uint32_t e = 0; e < net->nep; e++) n += (size_t)1 << l->lmc_of[e];
    l->owner = HD_NEW(a, struct hd_keyed, n);
    l->known = HD_NEW(a, bool, HD_MAX_LID + 1u);
    if (!l->owner || !l->known) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        const uint32_t first = l->base[net->nsw + e], end = first ? first + (1u << l->lmc_of[e]) : 0;
        for (uint32_t lid = first; lid < end && lid <= HD_MAX_LID; lid++) {
            l->owner[l->nowner++] = (struct hd_keyed){hd_lid_key(l->part[net->nsw + e], lid), e};
            l->known[lid] = true;
        }
    }
    hd_keyed_sort(l->owner, l->nowner, sizeof *l->owner);
    return HD_OK;
}

static hd_status sl_reader_init(struct hd_ctx *ctx, struct hd_arena *a, struct sl_reader *l)
{
    struct hd_routes *r = l->r;
    const struct hd_net *net = r->net;
    size_t n = (size_t)net->nep * net->nep * r->nvar;
    uint32_t nparts;
    l->source = HD_NEW(a, struct hd_keyed, net->nep);
    l->part = HD_NEW(a, uint32_t, net->nsw + net->nep);
    l->level = HD_NEW(&r->arena, uint8_t, n);
    if (!l->source || !l->part || !l->level) return hd_fail_memory(ctx);
    memset(l->level, UNSET, n);
    for (uint32_t e = 0; e < net->nep; e++) l->source[e] = (struct hd_keyed){net->ca_guid[net->ca[e]], e};
    hd_keyed_sort(l->source, net->nep, sizeof(struct hd_keyed));
    HD_TRY(hd_net_parts(ctx, net, l->part, &nparts));
    HD_TRY(sl_find_lids(ctx, a, l));
    return sl_index_lids(ctx, a, l);
}

/* The level from endpoint s to a LID of d. */
static hd_status keep_pair_level(struct hd_ctx *ctx, struct sl_reader *l, struct hd_in *in, uint32_t s, uint32_t d,
                                 uint32_t lid, uint32_t sl)
{
    const struct hd_net *net = l->r->net;
    uint8_t *kept = &l->level[((size_t)s * net->nep + d) * l->r->nvar];
    /* A LID is that of every variant that leads to it, and of none if there are more LIDs than variants. */
    for (uint32_t x = lid - l->base[net->nsw + d]; x < l->r->nvar; x += 1u << l->lmc_of[d]) {
        if (kept[x] != UNSET && kept[x] != sl)
            return hd_in_fail(ctx, in, "'%.60s' to LID %u uses service level %u here and %u on an earlier line",
                              hd_node_name(net, net->nsw + s), lid, sl, kept[x]);
        kept[x] = (uint8_t)sl;
    }
    return HD_OK;
}

static hd_status keep_level(struct hd_ctx *ctx, struct sl_reader *l, struct hd_in *in, uint64_t guid, uint32_t lid,
                            uint32_t sl)
{
    const struct hd_net *net = l->r->net;
    uint32_t at = hd_find_key(l->source, net->nep, sizeof *l->source, guid);
    if (at == net->nep || lid > HD_MAX_LID || !l->known[lid]) {
        l->unknown++;
        return HD_OK;
    }
    for (; at < net->nep && l->source[at].key == guid; at++) {
        const uint32_t s = l->source[at].value;
        const uint64_t key = hd_lid_key(l->part[net->nsw + s], lid);
        const uint32_t i = hd_find_key(l->owner, l->nowner, sizeof *l->owner, key);
        if (i == l->nowner || l->owner[i].value == s) continue;
        HD_TRY(keep_pair_level(ctx, l, in, s, l->owner[i].value, lid, sl));
    }
    return HD_OK;
}

static hd_status service_levels_read_levels(struct hd_ctx *ctx, struct sl_reader *l, struct hd_in *in)
{
    for (char *line;;) {
        HD_TRY(hd_in_text(ctx, in, " \t", &line));
        if (!line) break;
        const char *s = line;
        uint64_t guid = 0;
        uint32_t lid = 0, sl = 0;
        bool good = hd_scan_guid(&s, &guid) && hd_is_blank(*s);
        hd_scan_blanks(&s);
        good = good && hd_scan_u32(&s, &lid) && hd_is_blank(*s);
        hd_scan_blanks(&s);
        good = good && hd_scan_u32(&s, &sl) && sl < 16;
        if (!good || *s) return hd_in_fail(ctx, in, "expected 0x<adapter GUID> <LID> <service level of 0 to 15>");
        HD_TRY(keep_level(ctx, l, in, guid, lid, sl));
    }
    if (l->unknown)
        hd_note(ctx, "%.200s: pairs that are not in the network are ignored (%llu)", hd_in_name(in),
                (unsigned long long)l->unknown);
    return HD_OK;
}

/* ---- both ---------------------------------------------------------------------------------- */

/* Service levels by leaf switch if all sources of each leaf agree; false if not. What an endpoint sends to itself is
 * no pair: a leaf switch without another endpoint gets the level `none`. */
static bool reduce_to_leaves(const struct sl_reader *l, uint8_t none, uint8_t *leaf_level)
{
    const struct hd_routes *r = l->r;
    const uint32_t nep = r->net->nep;
    const size_t each = (size_t)nep * r->nvar;
    memset(leaf_level, UNSET, r->nleaf * each);
    for (uint32_t s = 0; s < nep; s++)
        for (uint32_t d = 0; d < nep; d++) {
            const size_t at = (size_t)d * r->nvar;
            uint8_t *kept = leaf_level + r->leaf_of[hd_leaf(r->net, s)] * each + at;
            const uint8_t *given = l->level + s * each + at;
            if (s == d) continue;
            if (*kept != UNSET && memcmp(kept, given, r->nvar) != 0) return false;
            memcpy(kept, given, r->nvar);
        }
    for (size_t i = 0; i < r->nleaf * each; i++)
        if (leaf_level[i] == UNSET) leaf_level[i] = none;
    return true;
}

static size_t levels_count(const struct sl_reader *l)
{
    return (size_t)l->r->net->nep * l->r->net->nep * l->r->nvar;
}

/* A level that pairs use, for those that are none; a level that nobody uses may have a VL of its own. */
static uint8_t level_in_use(const struct sl_reader *l)
{
    for (size_t i = 0; i < levels_count(l); i++)
        if (l->level[i] != UNSET) return l->level[i];
    return 0;
}

/* Whether all pairs of endpoints that may be connected have a level. */
static bool levels_complete(const struct sl_reader *l)
{
    const struct hd_net *net = l->r->net;
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            const uint8_t *given = &l->level[((size_t)s * net->nep + d) * l->r->nvar];
            if (s == d || l->part[net->nsw + s] != l->part[net->nsw + d]) continue;
            if (memchr(given, UNSET, l->r->nvar)) return false;
        }
    return true;
}

/* The level of pairs that have none. */
static void levels_fill(const struct sl_reader *l, uint8_t none)
{
    for (size_t i = 0; i < levels_count(l); i++)
        if (l->level[i] == UNSET) l->level[i] = none;
}

/* The levels of all pairs, as one of two lists. */
static hd_status keep_levels(struct hd_ctx *ctx, const struct sl_reader *l, uint8_t none, uint8_t **leaf,
                             uint8_t **pair)
{
    struct hd_routes *r = l->r;
    uint8_t *leaf_level = HD_NEW(&r->arena, uint8_t, (size_t)r->nleaf * r->net->nep * r->nvar);
    if (!leaf_level) return hd_fail_memory(ctx);
    const bool leaves = reduce_to_leaves(l, none, leaf_level);
    *leaf = leaves ? leaf_level : NULL;
    *pair = leaves ? NULL : l->level;
    return HD_OK;
}

/* Whether one table, of all ports, drops packets of some level in use. Ports then refer to it: what is dropped has no
 * VL that could be kept instead of the level. */
static bool settle_drops(struct hd_sl2vl *hops, const uint8_t *level, size_t n)
{
    bool drops = false;
    if (!hops || hops->nmap != 1) return false;
    for (size_t i = 0; i < n; i++) drops |= hops->map[0][level[i]] == HD_LANE_DROP;
    if (drops) hd_sl2vl_fill(hops);
    return drops;
}

/* Without tables the VL is the level; where that is VL 15 the table has to be there, to drop packets. */
static hd_status settle_management_vl(struct hd_ctx *ctx, struct hd_routes *r, const uint8_t *level, size_t n,
                                      struct hd_sl2vl **hops)
{
    static const uint8_t same[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, HD_LANE_DROP};
    uint32_t map;
    if (!memchr(level, HD_LANE_DROP, n)) return HD_OK;
    HD_TRY(hd_sl2vl_make(ctx, &r->arena, r->net, hops));
    HD_TRY(hd_sl2vl_add(ctx, &r->arena, *hops, same, &map));
    hd_sl2vl_fill(*hops);
    return HD_OK;
}

/* Levels become the VLs that a table gives them, and stay beside them where they are others: connections keep theirs
 * when tables change. */
static hd_status settle_translate(struct hd_ctx *ctx, struct hd_routes *r, const uint8_t map[16], uint8_t *level,
                                  size_t n)
{
    uint8_t **kept = r->leaf_lane ? &r->leaf_level : &r->pair_level;
    bool other = false;
    for (size_t i = 0; i < n; i++) other |= map[level[i]] != level[i];
    if (!other) return HD_OK;
    if (!(*kept = HD_NEW(&r->arena, uint8_t, n))) return hd_fail_memory(ctx);
    memcpy(*kept, level, n);
    for (size_t i = 0; i < n; i++) level[i] = map[level[i]];
    return HD_OK;
}

/* All levels have VL 0: there is no list of VLs. */
static void settle_one(struct hd_routes *r)
{
    r->leaf_level = r->leaf_lane;
    r->pair_level = r->pair_lane;
    r->leaf_lane = r->pair_lane = NULL;
}

hd_status hd_sl_settle(struct hd_ctx *ctx, struct hd_routes *r, struct hd_sl2vl *hops)
{
    uint8_t *level = r->leaf_lane ? r->leaf_lane : r->pair_lane;
    size_t n = (size_t)(r->leaf_lane ? r->nleaf : r->net->nep) * r->net->nep * r->nvar;
    if (!hops) HD_TRY(settle_management_vl(ctx, r, level, n, &hops));
    bool same = (!hops || hops->nmap == 1) && !settle_drops(hops, level, n);
    r->nlanes = 1;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; hops && k < hops->nmap; k++)
            if (hops->map[k][level[i]] >= r->nlanes) r->nlanes = hops->map[k][level[i]] + 1u;
        if (!hops && level[i] >= r->nlanes) r->nlanes = level[i] + 1u;
    }
    r->sl2vl = hops;
    if (!same)
        r->lane_rule = HD_LANE_HOP;
    else if (r->nlanes == 1)
        r->lane_rule = HD_LANE_ONE;
    else
        r->lane_rule = r->leaf_lane ? HD_LANE_LEAF : HD_LANE_PAIR;
    if (!same || !hops) return HD_OK;
    if (r->nlanes > 1) return settle_translate(ctx, r, hops->map[0], level, n);
    settle_one(r);
    return HD_OK;
}

static bool one_lane(const struct hd_sl2vl *m)
{
    for (uint32_t k = 0; k < m->nmap; k++)
        for (int sl = 0; sl < 16; sl++)
            if (m->map[k][sl] != m->map[0][0]) return false;
    return m->nmap > 0;
}

/* VLs stay unknown: check tries all levels where every port has a table, and elsewhere what those there are drop. Also
 * where all ports have one table, diff has to tell it from others. */
static hd_status without_levels(struct hd_ctx *ctx, struct hd_routes *r, const struct sl2vl_reader *m)
{
    hd_routes_vls_unknown(r);
    if (!m->hops) return HD_OK;
    for (uint32_t e = 0; e < r->net->nep; e++)
        HD_TRY(hd_adapter_drops_add(ctx, m->arena, &m->drops, e, HD_ALL_LEVELS, m->hops));
    r->sl2vl = m->hops;
    return HD_OK;
}

/* What adapters drop of the levels that they use, in the tables of their switches. */
static hd_status add_adapter_drops(struct hd_ctx *ctx, const struct sl_reader *l, const struct sl2vl_reader *m)
{
    const uint32_t nep = l->r->net->nep, nvar = l->r->nvar;
    for (uint32_t s = 0; s < nep; s++) {
        uint32_t used = 0;
        if (!m->drops.level[s]) continue;
        for (size_t i = (size_t)s * nep * nvar; i < ((size_t)s + 1) * nep * nvar; i++)
            if (i / nvar % nep != s) used |= 1u << l->level[i];
        HD_TRY(hd_adapter_drops_add(ctx, m->arena, &m->drops, s, (uint16_t)used, m->hops));
    }
    return HD_OK;
}

/* Some levels or tables are not known, and so no VLs; but where a pair's own level is dropped, its packets are. */
static hd_status apply_some_levels(struct hd_ctx *ctx, const struct sl_reader *l, const struct sl2vl_reader *m)
{
    struct hd_routes *r = l->r;
    HD_TRY(without_levels(ctx, r, m));
    HD_TRY(keep_levels(ctx, l, HD_LEVEL_UNKNOWN, &r->leaf_level, &r->pair_level));
    return m->hops ? HD_OK : settle_management_vl(ctx, r, l->level, levels_count(l), &r->sl2vl);
}

static hd_status apply_levels(struct hd_ctx *ctx, struct sl_reader *l, const struct sl2vl_reader *m, const char *name)
{
    struct hd_routes *r = l->r;
    const bool complete = levels_complete(l);
    const uint8_t none = complete ? level_in_use(l) : HD_LEVEL_UNKNOWN;
    if (!complete) hd_note(ctx, "%.200s: no service level for some pairs: VLs are unknown", name);
    levels_fill(l, none);
    if (!complete || (m->hops && !hd_sl2vl_complete(m->hops))) return apply_some_levels(ctx, l, m);
    if (m->hops) HD_TRY(add_adapter_drops(ctx, l, m));
    HD_TRY(keep_levels(ctx, l, none, &r->leaf_lane, &r->pair_lane));
    return hd_sl_settle(ctx, r, m->hops);
}

static hd_status apply_without_levels(struct hd_ctx *ctx, struct hd_routes *r, const struct sl2vl_reader *m)
{
    if (!one_lane(m->hops) || !hd_sl2vl_complete(m->hops)) return without_levels(ctx, r, m);
    /* Any level will do, but where packets are dropped at every level. */
    if (m->hops->map[0][0] == HD_LANE_DROP || hd_adapter_drops_all(&m->drops)) {
        for (uint32_t e = 0; e < r->net->nep; e++)
            if (m->drops.level[e] == HD_ALL_LEVELS)
                HD_TRY(hd_adapter_drops_add(ctx, m->arena, &m->drops, e, 1, m->hops));
        r->leaf_lane = HD_NEW(&r->arena, uint8_t, (size_t)r->nleaf * r->net->nep * r->nvar);
        if (!r->leaf_lane) return hd_fail_memory(ctx);
        return hd_sl_settle(ctx, r, m->hops);
    }
    r->lane_rule = HD_LANE_ONE;
    r->nlanes = 1;
    r->sl2vl = m->hops;
    return HD_OK;
}

/* VLs that are changed by the VL in which a packet arrives: read as far as to tell whether there are any. */
static hd_status vl2vl_read(struct hd_ctx *ctx, struct hd_routes *r, struct hd_in *in)
{
    static const uint8_t same[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct hd_arena scratch = {0};
    struct hd_ctx own = *ctx;
    struct sl2vl_reader m = {.arena = &scratch, .net = r->net};
    const hd_status s = read_sl2vl_dump(&own, &scratch, in, &m);
    const bool plain = s == HD_OK && !m.varies && memcmp(m.lane, same, sizeof same) == 0;
    hd_arena_release(&scratch);
    if (s == HD_LIMIT) return hd_fail_memory(ctx);
    if (plain) return HD_OK;
    hd_routes_vls_unknown(r);
    hd_note(ctx, "%.200s: %s: VLs are unknown", hd_in_name(in),
            s == HD_OK ? "VLs change by the VL of arrival" : "VL2VL tables in a form that is not known");
    return HD_OK;
}

hd_status hd_sl_read_bundle(struct hd_ctx *ctx, const char *path, struct hd_routes *r)
{
    bool bundle;
    struct hd_in *in;
    HD_TRY(hd_bundle_found(ctx, path, &bundle));
    if (!bundle || r->lane_rule != HD_LANE_ONE) return HD_OK;
    HD_TRY(hd_bundle_open(ctx, path, ".slvl", &in));
    if (!in) return HD_OK;
    hd_status s = hd_sl_read(ctx, r, NULL, in);
    hd_in_close(in);
    HD_TRY(s);
    HD_TRY(hd_bundle_open(ctx, path, ".vl2vl", &in));
    if (!in) return HD_OK;
    s = vl2vl_read(ctx, r, in);
    hd_in_close(in);
    return s;
}

hd_status hd_sl_read(struct hd_ctx *ctx, struct hd_routes *r, struct hd_in *psl, struct hd_in *sl2vl)
{
    struct hd_arena scratch = {0};
    struct sl_reader l = {.r = r};
    struct sl2vl_reader m = {.arena = &r->arena, .net = r->net};
    hd_status s = sl2vl ? read_sl2vl_dump(ctx, &scratch, sl2vl, &m) : HD_OK;
    if (s == HD_OK && psl) s = sl_reader_init(ctx, &scratch, &l);
    if (s == HD_OK && psl) s = service_levels_read_levels(ctx, &l, psl);
    /* Also where all lines have one table: the ports without a line are those of a switch that did not answer, or of
     * the end of the file, and may have another. */
    if (s == HD_OK && sl2vl && !hd_sl2vl_complete(m.hops))
        hd_note(ctx, "%.200s: no SL2VL table for some ports: VLs are unknown", hd_in_name(sl2vl));
    if (s == HD_OK) s = psl ? apply_levels(ctx, &l, &m, hd_in_name(psl)) : apply_without_levels(ctx, r, &m);
    hd_arena_release(&scratch);
    return s;
}
