/* SPDX-License-Identifier: BSD-2-Clause */
/* LIDs from OpenSM's guid2lid: 0x<port GUID> 0x<first LID> 0x<last LID> a line, blank lines between. How
 * many LIDs an endpoint has tells the LMC: the largest of them, as for other files. */
#include "net/io/fmt_guid2lid.h"
#include "base/status.h"
#include "net/core/builder.h"
#include "net/io/scan_line.h"
#include "net/core/guid_index.h"
#include "net/edit/lids.h"

#include <string.h>

struct reader {
    const struct hd_net *net;
    struct hd_guid_index guids;
    uint16_t *lid;   /* [nsw+nep] */
    uint32_t *owner; /* [HD_MAX_LID + 1] node + 1 */
    uint32_t lmc;
    uint64_t unknown, given;
};

static bool scan_number(const char **s, uint64_t *value)
{
    hd_scan_blanks(s);
    return hd_scan_guid(s, value) && (!**s || hd_is_blank(**s));
}

static hd_status give(struct hd_ctx *ctx, struct reader *r, struct hd_in *in, uint32_t v, const uint64_t range[2])
{
    uint64_t n = range[1] - range[0] + 1;
    uint32_t lmc = 0;
    while (lmc <= HD_MAX_LMC && (uint64_t)1 << lmc < n) lmc++;
    if (range[0] == 0 || range[1] > HD_MAX_LID || range[0] > range[1] || lmc > HD_MAX_LMC || (uint64_t)1 << lmc != n ||
        range[0] % n)
        return hd_in_fail(ctx, in, "LIDs 0x%llx to 0x%llx: expected 1, 2, 4, .. 128 of them from a multiple of that on",
                          (unsigned long long)range[0], (unsigned long long)range[1]);
    if (r->lid[v]) return hd_in_fail(ctx, in, "a second line for GUID 0x%016llx", (unsigned long long)r->net->guid[v]);
    for (uint64_t lid = range[0]; lid <= range[1]; lid++) {
        if (r->owner[lid]) return hd_in_fail(ctx, in, "LID 0x%llx is given to two ports", (unsigned long long)lid);
        r->owner[lid] = v + 1;
    }
    r->lid[v] = (uint16_t)range[0];
    r->given++;
    if (v >= r->net->nsw && lmc > r->lmc) r->lmc = lmc;
    return HD_OK;
}

static hd_status read_line(struct hd_ctx *ctx, struct reader *r, struct hd_in *in, const char *s)
{
    uint64_t guid, range[2];
    hd_scan_blanks(&s);
    if (!*s || *s == '#') return HD_OK;
    bool good = scan_number(&s, &guid) && scan_number(&s, &range[0]) && scan_number(&s, &range[1]);
    hd_scan_blanks(&s);
    if (!good || *s) return hd_in_fail(ctx, in, "expected 0x<GUID> 0x<first LID> 0x<last LID>");
    uint32_t sw = hd_guid_switch(&r->guids, guid), e = hd_guid_endpoint(&r->guids, guid);
    if (sw == UINT32_MAX && e == UINT32_MAX) {
        r->unknown++;
        return HD_OK;
    }
    return give(ctx, r, in, e != UINT32_MAX ? r->net->nsw + e : sw, range);
}

hd_status hd_guid2lid_read(struct hd_ctx *ctx, struct hd_in *in, const struct hd_net *net, struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct reader r = {.net = net};
    char *line = NULL;
    size_t len;
    r.lid = HD_NEW(&scratch, uint16_t, net->nsw + net->nep);
    r.owner = HD_NEW(&scratch, uint32_t, HD_MAX_LID + 1);
    hd_status s = r.lid && r.owner ? hd_guid_index_init(ctx, &scratch, net, &r.guids) : hd_fail_memory(ctx);
    while (s == HD_OK && (s = hd_in_line(ctx, in, &line, &len)) == HD_OK && line) s = read_line(ctx, &r, in, line);
    if (s == HD_OK && !r.given)
        s = hd_fail(ctx, HD_INPUT, "%.200s: none of its GUIDs is in the network", hd_in_name(in));
    if (s == HD_OK && r.unknown)
        hd_note(ctx, "%.200s: GUIDs that are not in the network are left out (%llu)", hd_in_name(in),
                (unsigned long long)r.unknown);
    for (uint32_t v = 0; s == HD_OK && v < net->nsw + net->nep; v++) /* others keep theirs where it is still free */
        if (!r.lid[v] && net->lid[v] && !r.owner[net->lid[v]]) {
            r.lid[v] = net->lid[v];
            r.owner[net->lid[v]] = v + 1;
        }
    if (s == HD_OK) s = hd_net_copy(ctx, net, &(struct hd_keep){.lid = r.lid, .lmc = (uint8_t)r.lmc}, net->spec, out);
    hd_arena_release(&scratch);
    return s;
}

/* Own LIDs stay where they leave room for this LMC. */
static hd_status with_lmc(struct hd_ctx *ctx, const struct hd_net *net, uint32_t lmc, struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    hd_status s = hd_lids_plan(ctx, &scratch, net, 1u << lmc, &lids);
    if (s == HD_OK) s = hd_net_copy(ctx, net, &(struct hd_keep){.lid = lids.base, .lmc = (uint8_t)lmc}, net->spec, out);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_net_lids(struct hd_ctx *ctx, const struct hd_net *net, const char *guid2lid, uint32_t lmc,
                      struct hd_net **out)
{
    struct hd_in *in;
    if (!guid2lid && lmc <= HD_MAX_LMC) return with_lmc(ctx, net, lmc, out);
    if (lmc > HD_MAX_LMC) return hd_fail(ctx, HD_USAGE, "LMC %u: expected 0 to %d", lmc, HD_MAX_LMC);
    HD_TRY(hd_in_open(ctx, guid2lid, &in));
    hd_status s = hd_guid2lid_read(ctx, in, net, out);
    hd_in_close(in);
    return s;
}
