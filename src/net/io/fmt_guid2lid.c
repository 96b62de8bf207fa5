/* SPDX-License-Identifier: BSD-2-Clause */
/* LIDs from OpenSM's guid2lid: lines of 0x<port GUID> 0x<first LID> 0x<last LID>, blank lines between. The LMC follows
 * from the number of LIDs of an endpoint, the largest one as for other files. Nodes that the file does not name keep
 * their LIDs unless the file gives them to another one of their subnet. Cost: O(log n) per line. */
#include "net/io/fmt_guid2lid.h"
#include "base/status.h"
#include "net/core/guid_index.h"
#include "net/core/lid_claims.h"
#include "net/core/subtrees.h"
#include "net/edit/lids.h"
#include "net/io/scan_line.h"

#include <string.h>

struct guid2lid_reader {
    const struct hd_net *net;
    struct hd_guid_index guids;
    uint16_t *lid;       /* [nsw+nep] */
    uint8_t *lmc_of;     /* [nep] */
    uint8_t *switch_lmc; /* [nsw] */
    uint32_t *part;      /* [nsw] components: two subnets in one network have LIDs of their own */
    struct hd_lid_claims claims;
    uint64_t unknown, given;
};

static bool guid2lid_number(const char **s, uint64_t *value)
{
    hd_scan_blanks(s);
    return hd_scan_guid(s, value) && (!**s || hd_is_blank(**s));
}

static uint8_t *guid2lid_lmc(const struct guid2lid_reader *r, uint32_t v)
{
    return v < r->net->nsw ? &r->switch_lmc[v] : &r->lmc_of[v - r->net->nsw];
}

static hd_status guid2lid_give(struct hd_ctx *ctx, struct guid2lid_reader *r, struct hd_in *in, uint32_t v,
                               const uint64_t range[2])
{
    uint64_t n = range[1] - range[0] + 1;
    uint32_t lmc = 0;
    while (lmc <= HD_MAX_LMC && (uint64_t)1 << lmc < n) lmc++;
    if (range[0] == 0 || range[1] > HD_MAX_LID || range[0] > range[1] || lmc > HD_MAX_LMC || (uint64_t)1 << lmc != n ||
        range[0] % n)
        return hd_in_fail(
            ctx, in, "LIDs 0x%llx to 0x%llx: expected 1, 2, 4, .. 128 of them, the first a multiple of that number",
            (unsigned long long)range[0], (unsigned long long)range[1]);
    if (r->lid[v]) return hd_in_fail(ctx, in, "a second line for GUID 0x%016llx", (unsigned long long)r->net->guid[v]);
    uint32_t taken = hd_lid_claim(&r->claims, (uint32_t)range[0], (uint32_t)n, v + 1);
    if (taken) return hd_in_fail(ctx, in, "LID 0x%x is given to two ports", taken);
    r->lid[v] = (uint16_t)range[0];
    r->given++;
    *guid2lid_lmc(r, v) = (uint8_t)lmc;
    return HD_OK;
}

static hd_status guid2lid_line(struct hd_ctx *ctx, struct guid2lid_reader *r, struct hd_in *in, const char *s)
{
    uint64_t guid, range[2];
    hd_scan_blanks(&s);
    if (!*s || *s == '#') return HD_OK;
    bool good = guid2lid_number(&s, &guid) && guid2lid_number(&s, &range[0]) && guid2lid_number(&s, &range[1]);
    hd_scan_blanks(&s);
    if (!good || *s) return hd_in_fail(ctx, in, "expected 0x<GUID> 0x<first LID> 0x<last LID>");
    uint32_t sw = hd_guid_switch(&r->guids, guid), e = hd_guid_endpoint(&r->guids, guid);
    if (sw == UINT32_MAX && e == UINT32_MAX) {
        r->unknown++;
        return HD_OK;
    }
    return guid2lid_give(ctx, r, in, e != UINT32_MAX ? r->net->nsw + e : sw, range);
}

static uint32_t guid2lid_part(const struct guid2lid_reader *r, uint32_t v)
{
    return r->part[v < r->net->nsw ? v : hd_leaf(r->net, v - r->net->nsw)];
}

/* Whether the file gives none of count LIDs, from the network's own one of v on, to another node of the subnet. Those
 * that nodes keep are distinct already. */
static bool guid2lid_is_free(const struct guid2lid_reader *r, uint32_t v, uint32_t count)
{
    const uint32_t first = r->net->lid[v];
    for (uint32_t lid = first; lid < first + count; lid++) {
        const uint32_t owner = r->claims.owner[lid];
        if (owner && guid2lid_part(r, owner - 1) == guid2lid_part(r, v)) return false;
    }
    return true;
}

/* Nodes that the file does not name keep their LIDs if these are still free, if need be the base LID alone. */
static void guid2lid_keep(struct guid2lid_reader *r)
{
    const struct hd_net *net = r->net;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        if (r->lid[v] || !net->lid[v]) continue;
        const bool all = guid2lid_is_free(r, v, hd_lid_count(net, v));
        if (!all && !guid2lid_is_free(r, v, 1)) continue;
        r->lid[v] = net->lid[v];
        if (all) *guid2lid_lmc(r, v) = v < net->nsw ? net->switch_lmc[v] : net->lmc_of[v - net->nsw];
    }
}

hd_status hd_guid2lid_read(struct hd_net_edit *edit, struct hd_in *in)
{
    struct hd_ctx *ctx = edit->ctx;
    struct guid2lid_reader r = {.net = edit->net};
    char *line = NULL;
    size_t len;
    hd_in_limit(in, 1 << 24); /* many times the LIDs there are */
    r.lid = HD_NEW(edit->arena, uint16_t, r.net->nsw + r.net->nep);
    r.lmc_of = HD_NEW(edit->arena, uint8_t, r.net->nep);
    r.switch_lmc = HD_NEW(edit->arena, uint8_t, r.net->nsw);
    r.part = HD_NEW(edit->arena, uint32_t, r.net->nsw);
    if (!r.lid || !r.lmc_of || !r.switch_lmc || !r.part || !hd_lid_claims_init(edit->arena, HD_MAX_LID, &r.claims))
        return hd_fail_memory(ctx);
    hd_components(r.net, HD_NO_LEVEL, r.part);
    HD_TRY(hd_guid_index_init(ctx, edit->arena, r.net, &r.guids));
    HD_TRY(hd_in_line(ctx, in, &line, &len));
    while (line) {
        HD_TRY(guid2lid_line(ctx, &r, in, line));
        HD_TRY(hd_in_line(ctx, in, &line, &len));
    }
    if (!r.given) return hd_fail(ctx, HD_INPUT, "%.200s: none of its GUIDs is in the network", hd_in_name(in));
    if (r.unknown)
        hd_note(ctx, "%.200s: GUIDs that are not in the network are left out (%llu)", hd_in_name(in),
                (unsigned long long)r.unknown);
    guid2lid_keep(&r);
    edit->changes.lid = r.lid;
    edit->changes.lmc_of = r.lmc_of;
    edit->changes.switch_lmc = r.switch_lmc;
    return HD_OK;
}

hd_status hd_edit_lids(struct hd_net_edit *edit, const char *guid2lid, uint32_t lmc)
{
    struct hd_in *in;
    if (lmc > HD_MAX_LMC)
        return hd_fail_about(edit->ctx, HD_USAGE, "lmc", "lmc %u: expected an integer from 0 to %d", lmc, HD_MAX_LMC);
    if (!guid2lid) return hd_edit_lmc(edit, lmc);
    HD_TRY(hd_in_open(edit->ctx, guid2lid, &in));
    hd_status s = hd_guid2lid_read(edit, in);
    hd_in_close(in);
    return s;
}

hd_status hd_net_lids(struct hd_ctx *ctx, const struct hd_net *net, const char *guid2lid, uint32_t lmc,
                      struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct hd_net_edit edit = {.ctx = ctx, .arena = &scratch, .net = net};
    return hd_edit_finish(&edit, hd_edit_lids(&edit, guid2lid, lmc), out);
}
