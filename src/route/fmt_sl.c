/* SPDX-License-Identifier: BSD-2-Clause */
#include "route/fmt_sl.h"
#include "base/status.h"
#include "net/scan.h"
#include "route/guid_index.h"
#include "route/lids.h"

#include <stdlib.h>
#include <string.h>

enum { UNTOLD = 255 };

/* ---- levels to lanes ----------------------------------------------------------------------- */

struct map {
    uint8_t lane[16];
    bool any, varies;
    uint64_t line; /* where it first varied */
};

static hd_status read_map_line(struct hd_ctx *ctx, struct hd_in *in, const char *s, struct map *m)
{
    uint32_t port, lane;
    hd_scan_blanks(&s);
    if (!*s || *s == '#') return HD_OK;
    if (strncmp(s, "Switch ", 7) == 0 || strncmp(s, "Channel Adapter ", 16) == 0 || strncmp(s, "Router ", 7) == 0)
        return HD_OK;
    bool good = hd_scan_u32(&s, &port) && hd_is_blank(*s);
    hd_scan_blanks(&s);
    good = good && hd_scan_u32(&s, &port) && hd_is_blank(*s);
    hd_scan_blanks(&s);
    good = good && hd_scan_char(&s, ':');
    for (int sl = 0; good && sl < 16; sl++) {
        hd_scan_blanks(&s);
        good = hd_scan_u32(&s, &lane) && lane < 16 && (!*s || hd_is_blank(*s));
        if (good && m->any && m->lane[sl] != lane && !m->varies) {
            m->varies = true;
            m->line = hd_in_lineno(in);
        }
        if (good && !m->any) m->lane[sl] = (uint8_t)lane;
    }
    hd_scan_blanks(&s);
    if (!good || *s) return hd_in_fail(ctx, in, "expected a node, or two ports, a colon and 16 lanes");
    m->any = true;
    return HD_OK;
}

static hd_status read_map(struct hd_ctx *ctx, struct hd_in *in, struct map *m)
{
    char *line;
    size_t len;
    for (;;) {
        HD_TRY(hd_in_line(ctx, in, &line, &len));
        if (!line) break;
        HD_TRY(read_map_line(ctx, in, line, m));
    }
    if (!m->any) return hd_fail(ctx, HD_INPUT, "%.200s: no lanes in this file", hd_in_name(in));
    if (m->varies)
        hd_note(ctx, "%.200s:%llu: service levels use different lanes at different ports: lanes are unknown",
                hd_in_name(in), (unsigned long long)m->line);
    return HD_OK;
}

/* ---- service levels ------------------------------------------------------------------------ */

struct source { /* adapters by GUID */
    uint64_t guid;
    uint32_t e;
};

struct levels {
    struct hd_routes *r;
    struct source *source;
    uint32_t *owner; /* [lids.last + 1] endpoint + 1 */
    struct hd_lids lids;
    uint64_t unknown;
};

static int source_order(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->e < y->e ? -1 : x->e > y->e;
}

static hd_status init(struct hd_ctx *ctx, struct hd_arena *a, struct levels *l)
{
    struct hd_routes *r = l->r;
    const struct hd_net *net = r->net;
    size_t n = (size_t)r->nleaf * net->nep * r->nvar;
    HD_TRY(hd_lids_plan(ctx, a, net, r->nvar, &l->lids));
    l->source = HD_NEW(a, struct source, net->nep);
    l->owner = HD_NEW(a, uint32_t, l->lids.last + 1u);
    r->leaf_lane = HD_NEW(&r->arena, uint8_t, n);
    if (!l->source || !l->owner || !r->leaf_lane) return hd_fail_memory(ctx);
    memset(r->leaf_lane, UNTOLD, n);
    for (uint32_t e = 0; e < net->nep; e++) {
        l->source[e] = (struct source){net->ca_guid[net->ca[e]], e};
        for (uint32_t i = 0; i < 1u << l->lids.lmc; i++) l->owner[l->lids.base[net->nsw + e] + i] = e + 1;
    }
    qsort(l->source, net->nep, sizeof *l->source, source_order);
    return HD_OK;
}

/* The first of an adapter's endpoints among the sources; net->nep: none. */
static uint32_t find_source(const struct levels *l, uint64_t guid)
{
    uint32_t low = 0, high = l->r->net->nep;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (l->source[mid].guid < guid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->r->net->nep && l->source[low].guid == guid ? low : l->r->net->nep;
}

static hd_status keep_level(struct hd_ctx *ctx, struct levels *l, struct hd_in *in, uint64_t guid, uint32_t lid,
                            uint32_t sl)
{
    struct hd_routes *r = l->r;
    const struct hd_net *net = r->net;
    uint32_t at = find_source(l, guid), d = lid <= l->lids.last && l->owner[lid] ? l->owner[lid] - 1 : UINT32_MAX;
    if (at == net->nep || d == UINT32_MAX) {
        l->unknown++;
        return HD_OK;
    }
    uint32_t x = lid - l->lids.base[net->nsw + d];
    if (x >= r->nvar) return HD_OK; /* a LID nobody uses */
    for (; at < net->nep && l->source[at].guid == guid; at++) {
        uint32_t s = l->source[at].e, leaf = r->leaf_of[hd_leaf(net, s)];
        uint8_t *kept = &r->leaf_lane[((size_t)leaf * net->nep + d) * r->nvar + x];
        if (s == d) continue;
        if (*kept != UNTOLD && *kept != sl)
            return hd_in_fail(
                ctx, in,
                "'%.60s' to LID %u uses level %u, others of its switch %u: one level a leaf switch can be kept",
                hd_node_name(net, net->nsw + s), lid, sl, *kept);
        *kept = (uint8_t)sl;
    }
    return HD_OK;
}

static hd_status read_levels(struct hd_ctx *ctx, struct levels *l, struct hd_in *in)
{
    char *line;
    size_t len;
    for (;;) {
        HD_TRY(hd_in_line(ctx, in, &line, &len));
        if (!line) break;
        const char *s = line;
        uint64_t guid = 0;
        uint32_t lid = 0, sl = 0;
        hd_scan_blanks(&s);
        if (!*s || *s == '#') continue;
        bool good = hd_scan_guid(&s, &guid) && hd_is_blank(*s);
        hd_scan_blanks(&s);
        good = good && hd_scan_u32(&s, &lid) && hd_is_blank(*s);
        hd_scan_blanks(&s);
        good = good && hd_scan_u32(&s, &sl) && sl < 16;
        hd_scan_blanks(&s);
        if (!good || *s) return hd_in_fail(ctx, in, "expected 0x<adapter GUID> <LID> <service level of 0 to 15>");
        HD_TRY(keep_level(ctx, l, in, guid, lid, sl));
    }
    if (l->unknown)
        hd_note(ctx, "%.200s: pairs that are not in the network are left out (%llu)", hd_in_name(in),
                (unsigned long long)l->unknown);
    return HD_OK;
}

/* ---- both ---------------------------------------------------------------------------------- */

static void unknown(struct hd_routes *r)
{
    r->lane_rule = HD_LANE_UNKNOWN;
    r->nlanes = 0;
}

static bool one_lane(const struct map *m)
{
    for (int sl = 1; sl < 16; sl++)
        if (m->lane[sl] != m->lane[0]) return false;
    return !m->varies;
}

/* Whether all pairs that there are got a level; lanes from levels on the way. */
static bool settle(struct hd_routes *r, const struct map *m)
{
    size_t n = (size_t)r->nleaf * r->net->nep * r->nvar;
    bool complete = true;
    r->nlanes = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t leaf = (uint32_t)(i / r->nvar / r->net->nep), d = (uint32_t)(i / r->nvar % r->net->nep);
        bool own = hd_leaf(r->net, d) == r->leaf[leaf]; /* perhaps nobody else is on that switch */
        if (r->leaf_lane[i] == UNTOLD) complete &= own;
        uint8_t lane = r->leaf_lane[i] == UNTOLD ? 0 : m->any ? m->lane[r->leaf_lane[i]] : r->leaf_lane[i];
        r->leaf_lane[i] = lane;
        if (lane >= r->nlanes) r->nlanes = lane + 1u;
    }
    r->lane_rule = r->nlanes > 1 ? HD_LANE_LEAF : HD_LANE_ONE;
    return complete;
}

hd_status hd_sl_read(struct hd_ctx *ctx, struct hd_routes *r, struct hd_in *psl, struct hd_in *sl2vl)
{
    struct hd_arena scratch = {0};
    struct levels l = {.r = r};
    struct map m = {.any = false};
    hd_status s = sl2vl ? read_map(ctx, sl2vl, &m) : HD_OK;
    if (s == HD_OK && psl) s = init(ctx, &scratch, &l);
    if (s == HD_OK && psl) s = read_levels(ctx, &l, psl);
    hd_arena_release(&scratch);
    if (s != HD_OK) return s;
    if (psl && !settle(r, &m)) {
        hd_note(ctx, "%.200s: no service level for some pairs: lanes are unknown", hd_in_name(psl));
        unknown(r);
    } else if (m.varies || (!psl && !one_lane(&m))) {
        unknown(r);
    } else if (!psl) {
        r->lane_rule = HD_LANE_ONE;
        r->nlanes = 1;
    }
    return HD_OK;
}
